//! The executor's file operations on a simulated file system, with a script of what goes wrong.

use super::world::{Node, ROOT, World};
use crate::fs::{Attributes, FileId, Fs, Kind, Rename, Stat};
use crate::recorded::RecordedState;
use exacta_kernel::id::RunId;
use rustix::io::Errno;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// One call that may change something.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Call {
    pub(super) what: &'static str,
    /// The name it is about, without the run's id.
    pub(super) on: String,
    /// Its number among all calls.
    pub(super) number: usize,
}

/// What happens at the n-th call.
pub(super) enum Script<'a> {
    Nothing,
    /// It does nothing and says it did.
    Drop(usize),
    /// It fails. Every call counts, reading ones too.
    Fail(usize, Errno),
    /// Someone else acts just before it. Every call counts, reading ones too.
    Meanwhile(usize, &'a dyn Fn(&mut World)),
}

pub(super) struct Sim<'a> {
    pub(super) world: RefCell<World>,
    script: Script<'a>,
    /// The world after each call that changed it.
    pub(super) moments: RefCell<Vec<World>>,
    pub(super) calls: RefCell<Vec<Call>>,
    /// All calls, reading ones too.
    pub(super) count: Cell<usize>,
    recording: bool,
    /// What the record says of every run.
    pub(super) recorded_state: Cell<RecordedState>,
}

impl<'a> Sim<'a> {
    pub(super) fn new(world: World, script: Script<'a>, recording: bool) -> Self {
        Self {
            world: RefCell::new(world),
            script,
            moments: RefCell::default(),
            calls: RefCell::default(),
            count: Cell::new(0),
            recording,
            recorded_state: Cell::new(RecordedState::Running),
        }
    }

    /// Every call begins here.
    fn enter(&self) -> Result<(), Errno> {
        let count = self.count.get();
        self.count.set(count + 1);
        match self.script {
            Script::Fail(at, errno) if at == count => Err(errno),
            Script::Meanwhile(at, act) if at == count => {
                act(&mut self.world.borrow_mut());
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// A call that changes something, unless the script swallows it.
    fn change(&self, what: &'static str, on: &str, act: impl FnOnce(&mut World)) {
        let on = on.split_once('.').map_or(on, |(run, rest)| if run.len() == 36 { rest } else { on });
        // Without the seal of a mark.
        let on = on.split_once('.').map_or(on, |(seal, word)| if seal.len() == 32 { word } else { on }).to_owned();
        let index = self.calls.borrow().len();
        self.calls.borrow_mut().push(Call { what, on, number: self.count.get() - 1 });
        if !matches!(self.script, Script::Drop(at) if at == index) {
            act(&mut self.world.borrow_mut());
        }
        if self.recording {
            self.moments.borrow_mut().push(self.world.borrow().clone());
        }
    }

    fn name_of(&self, id: u64) -> String {
        let world = self.world.borrow();
        let mut todo = vec![(ROOT, String::new())];
        while let Some((at, prefix)) = todo.pop() {
            if at == id {
                return if prefix.is_empty() { "root".to_owned() } else { prefix };
            }
            for (name, child) in world.dir(at).map(|dir| &dir.names).into_iter().flatten() {
                todo.push((*child, name.clone()));
            }
        }
        "gone".to_owned()
    }

    fn find(&self, dir: u64, name: &str) -> Option<u64> {
        self.world.borrow().dir(dir).and_then(|dir| dir.names.get(name).copied())
    }
}

impl Fs for Sim<'_> {
    type Dir = u64;
    type File = u64;
    type Syncing = Result<(), (usize, Errno)>;

    fn recorded_state(&self, _: &RunId) -> RecordedState {
        self.recorded_state.get()
    }

    fn may_change(&self, _: &Self::Dir) -> Result<bool, Errno> {
        self.enter().map(|()| true)
    }

    fn key(&self) -> &crate::JournalKey {
        const KEY: &crate::JournalKey = &crate::JournalKey::new([7; 32]);
        KEY
    }

    fn root(&self) -> u64 {
        ROOT
    }

    fn open_dir(&self, at: &u64, path: &str) -> Result<u64, Errno> {
        self.enter()?;
        let mut at = *at;
        for part in path.split('/').filter(|part| *part != ".") {
            at = self.find(at, part).ok_or(Errno::NOENT)?;
            self.world.borrow().dir(at).ok_or(Errno::NOTDIR)?;
        }
        Ok(at)
    }

    fn make_dir(&self, at: &u64, name: &str, _mode: u32) -> Result<(), Errno> {
        self.enter()?;
        if self.find(*at, name).is_some() {
            return Err(Errno::EXIST);
        }
        self.change("make folder", name, |world| {
            let id = world.add_dir();
            world.set_name(*at, name, Some(id));
        });
        Ok(())
    }

    fn remove_dir(&self, at: &u64, name: &str) -> Result<(), Errno> {
        self.enter()?;
        let id = self.find(*at, name).ok_or(Errno::NOENT)?;
        if !self.world.borrow().dir(id).ok_or(Errno::NOTDIR)?.names.is_empty() {
            return Err(Errno::NOTEMPTY);
        }
        self.change("remove folder", name, |world| world.set_name(*at, name, None));
        Ok(())
    }

    fn list(&self, dir: &u64) -> Result<Vec<String>, Errno> {
        self.enter()?;
        Ok(self.world.borrow().dir(*dir).ok_or(Errno::NOTDIR)?.names.keys().cloned().collect())
    }

    fn open(&self, dir: &u64, name: &str) -> Result<u64, Errno> {
        self.enter()?;
        if name == "." { Ok(*dir) } else { self.find(*dir, name).ok_or(Errno::NOENT) }
    }

    fn create(&self, dir: &u64, name: &str) -> Result<u64, Errno> {
        self.enter()?;
        if self.find(*dir, name).is_some() {
            return Err(Errno::EXIST);
        }
        let id = self.world.borrow_mut().add_file();
        self.change("create", name, |world| world.set_name(*dir, name, Some(id)));
        Ok(id)
    }

    fn create_for(&self, _home: &u64, dir: &u64, name: &str) -> Result<u64, Errno> {
        self.create(dir, name)
    }

    fn open_lock(&self, dir: &u64, name: &str) -> Result<u64, Errno> {
        self.enter()?;
        if let Some(id) = self.find(*dir, name) {
            return Ok(id);
        }
        let mut world = self.world.borrow_mut();
        let id = world.add_file();
        world.set_name(*dir, name, Some(id));
        Ok(id)
    }

    fn read(&self, file: &u64, offset: u64, into: &mut [u8]) -> Result<usize, Errno> {
        self.enter()?;
        let world = self.world.borrow();
        let bytes = &world.file(*file).ok_or(Errno::ISDIR)?.now.bytes;
        let rest = bytes.get(offset as usize..).unwrap_or_default();
        let count = rest.len().min(into.len());
        into[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }

    /// At most 4096 bytes at once: whoever calls must go on.
    fn write(&self, file: &u64, offset: u64, bytes: &[u8]) -> Result<usize, Errno> {
        self.enter()?;
        let count = bytes.len().min(4096);
        let write = |world: &mut World| {
            let now = Rc::make_mut(&mut world.file_mut(*file).unwrap().now.bytes);
            now.resize((offset as usize).max(now.len()), 0);
            now.splice(offset as usize..now.len().min(offset as usize + count), bytes[..count].iter().copied());
        };
        let name = self.name_of(*file);
        if is_note(&name) {
            write(&mut self.world.borrow_mut());
        } else {
            self.change("write", &name, write);
        }
        Ok(count)
    }

    fn set_mode(&self, file: &u64, mode: u32) -> Result<(), Errno> {
        self.enter()?;
        // Folders have no mode here.
        self.change("set mode", &self.name_of(*file), |world| {
            world.file_mut(*file).into_iter().for_each(|file| file.now.mode = mode);
        });
        Ok(())
    }

    fn attributes(&self, _file: &u64, _stat: &Stat) -> Result<Attributes, Errno> {
        self.enter()?;
        Ok(Attributes::default())
    }

    fn give(&self, _file: &u64, _attributes: &Attributes) -> Result<(), String> {
        self.enter().map_err(|errno| errno.to_string())
    }

    fn sync(&self, file: &u64) -> Result<(), Errno> {
        self.enter()?;
        self.change("sync", &self.name_of(*file), |world| world.sync_file(*file));
        Ok(())
    }

    fn start_sync(&self, files: &[&u64]) -> Self::Syncing {
        let mut files = files.iter().enumerate();
        files.try_for_each(|(index, file)| self.sync(file).map_err(|errno| (index, errno)))
    }

    fn await_sync(&self, synced: Self::Syncing) -> Result<(), (usize, Errno)> {
        synced
    }

    fn sync_dir(&self, dir: &u64) -> Result<(), Errno> {
        self.enter()?;
        self.change("sync folder", &self.name_of(*dir), |world| world.sync_dir(*dir));
        Ok(())
    }

    fn stat(&self, file: &u64) -> Result<Stat, Errno> {
        self.enter()?;
        Ok(stat(&self.world.borrow(), *file))
    }

    fn stat_dir(&self, dir: &u64) -> Result<Stat, Errno> {
        self.enter()?;
        Ok(stat(&self.world.borrow(), *dir))
    }

    fn stat_in(&self, dir: &u64, name: &str) -> Result<Stat, Errno> {
        self.enter()?;
        let id = self.find(*dir, name).ok_or(Errno::NOENT)?;
        Ok(stat(&self.world.borrow(), id))
    }

    fn rename(&self, from: (&u64, &str), to: (&u64, &str), how: Rename) -> Result<(), Errno> {
        self.enter()?;
        let source = self.find(*from.0, from.1).ok_or(Errno::NOENT)?;
        let target = self.find(*to.0, to.1);
        match how {
            Rename::Exchange if target.is_none() => return Err(Errno::NOENT),
            Rename::NoReplace if target.is_some() => return Err(Errno::EXIST),
            _ => {}
        }
        self.change("rename", to.1, |world| {
            if target == Some(source) {
                return;
            }
            world.set_name(*to.0, to.1, Some(source));
            world.set_name(*from.0, from.1, target.filter(|_| how == Rename::Exchange));
        });
        Ok(())
    }

    fn link(&self, from: (&u64, &str), to: (&u64, &str)) -> Result<(), Errno> {
        self.enter()?;
        let source = self.find(*from.0, from.1).ok_or(Errno::NOENT)?;
        if self.find(*to.0, to.1).is_some() {
            return Err(Errno::EXIST);
        }
        self.change("link", to.1, |world| world.set_name(*to.0, to.1, Some(source)));
        Ok(())
    }

    fn remove(&self, dir: &u64, name: &str) -> Result<(), Errno> {
        self.enter()?;
        self.find(*dir, name).ok_or(Errno::NOENT)?;
        if is_note(name) {
            self.world.borrow_mut().set_name(*dir, name, None);
        } else {
            self.change("remove", name, |world| world.set_name(*dir, name, None));
        }
        Ok(())
    }

    fn lock(&self, _file: &u64) -> Result<bool, Errno> {
        self.enter()?;
        Ok(true)
    }

    fn user(&self) -> u32 {
        0
    }
}

/// Whether a file is the note of a run that holds its targets, which matters to the living only.
fn is_note(name: &str) -> bool {
    RunId::parse(name).is_ok()
}

fn stat(world: &World, id: u64) -> Stat {
    let (kind, mode, size) = match world.node(id) {
        Node::Dir(_) => (Kind::Folder, 0o755, 0),
        Node::File(file) => (Kind::File, file.now.mode, file.now.bytes.len() as u64),
    };
    Stat {
        id: FileId { device: (0, 0), inode: id },
        kind,
        mode,
        size,
        links: world.links(id),
        owner: 0,
        group: 0,
        modified: 0,
        frozen: false,
        mount: false,
    }
}
