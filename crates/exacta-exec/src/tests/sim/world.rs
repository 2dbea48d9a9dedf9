//! A file system in memory that remembers what is durable and what is not, and so knows every state a crash may leave.
//!
//! Stricter than any real one: until its folder is synced, each name on its own may have any value it had since the last
//! sync, so that the two halves of one rename may be lost apart; until it is synced, a file may have its durable bytes, its
//! present ones, or half of them.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

pub(super) const ROOT: u64 = 0;

/// The whole file system.
#[derive(Clone)]
pub(super) struct World {
    nodes: BTreeMap<u64, Rc<Node>>,
    next: u64,
}

#[derive(Clone)]
pub(super) enum Node {
    Dir(DirNode),
    File(FileNode),
}

#[derive(Clone, Default)]
pub(super) struct DirNode {
    pub(super) names: BTreeMap<String, u64>,
    /// For names that are not durable: what they stood for since the last sync, oldest first.
    past: BTreeMap<String, Vec<Option<u64>>>,
    /// Lock files: their names matter to the living only.
    volatile: bool,
}

#[derive(Clone)]
pub(super) struct FileNode {
    pub(super) now: Data,
    durable: Data,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Data {
    pub(super) mode: u32,
    pub(super) bytes: Rc<Vec<u8>>,
}

impl std::fmt::Debug for Data {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text: String = String::from_utf8_lossy(&self.bytes).chars().take(40).collect();
        write!(f, "{:o} {text:?} of {}", self.mode, self.bytes.len())
    }
}

/// Path to mode and bytes; `None` for a folder.
pub(super) type Shape = BTreeMap<String, Option<Data>>;

impl World {
    /// Everything durable.
    pub(super) fn new(files: &[(&str, &str, u32)]) -> Self {
        let mut world = Self { nodes: BTreeMap::from([(ROOT, Rc::new(Node::Dir(DirNode::default())))]), next: 1 };
        let locks = world.folders(".exacta/exec/locks");
        world.dir_mut(locks).unwrap().volatile = true;
        world.folders(".exacta/exec/over");
        for (path, text, mode) in files {
            world.save(path, text, *mode);
        }
        world.settle();
        world
    }

    pub(super) fn node(&self, id: u64) -> &Node {
        &self.nodes[&id]
    }

    pub(super) fn dir(&self, id: u64) -> Option<&DirNode> {
        match &**self.nodes.get(&id)? {
            Node::Dir(dir) => Some(dir),
            Node::File(_) => None,
        }
    }

    pub(super) fn dir_mut(&mut self, id: u64) -> Option<&mut DirNode> {
        match Rc::make_mut(self.nodes.get_mut(&id)?) {
            Node::Dir(dir) => Some(dir),
            Node::File(_) => None,
        }
    }

    pub(super) fn file(&self, id: u64) -> Option<&FileNode> {
        match &**self.nodes.get(&id)? {
            Node::File(file) => Some(file),
            Node::Dir(_) => None,
        }
    }

    pub(super) fn file_mut(&mut self, id: u64) -> Option<&mut FileNode> {
        match Rc::make_mut(self.nodes.get_mut(&id)?) {
            Node::File(file) => Some(file),
            Node::Dir(_) => None,
        }
    }

    pub(super) fn add_dir(&mut self) -> u64 {
        self.add(Node::Dir(DirNode::default()))
    }

    pub(super) fn add_file(&mut self) -> u64 {
        let empty = Data { mode: 0o600, bytes: Rc::default() };
        self.add(Node::File(FileNode { now: empty.clone(), durable: empty }))
    }

    /// Points a name somewhere, or nowhere; not durable until its folder is synced.
    pub(super) fn set_name(&mut self, dir: u64, name: &str, to: Option<u64>) {
        let dir = self.dir_mut(dir).unwrap();
        let was = dir.names.get(name).copied();
        if !dir.volatile {
            dir.past.entry(name.to_owned()).or_default().push(was);
        }
        match to {
            Some(id) => drop(dir.names.insert(name.to_owned(), id)),
            None => drop(dir.names.remove(name)),
        }
    }

    pub(super) fn sync_dir(&mut self, dir: u64) {
        self.dir_mut(dir).unwrap().past.clear();
    }

    pub(super) fn sync_file(&mut self, file: u64) {
        let file = self.file_mut(file).unwrap();
        file.durable = file.now.clone();
    }

    pub(super) fn links(&self, id: u64) -> u32 {
        let dirs = self.nodes.values().filter_map(|node| if let Node::Dir(dir) = &**node { Some(dir) } else { None });
        dirs.flat_map(|dir| dir.names.values()).filter(|other| **other == id).count() as u32
    }

    pub(super) fn lookup(&self, path: &str) -> Option<u64> {
        path.split('/').try_fold(ROOT, |at, part| self.dir(at)?.names.get(part).copied())
    }

    /// What another program does when it saves by renaming a new file into place, durably.
    pub(super) fn save(&mut self, path: &str, text: &str, mode: u32) {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let dir = if folder.is_empty() { ROOT } else { self.folders(folder) };
        let id = self.add_file();
        self.write_in_place(id, text, Some(mode));
        self.set_name(dir, name, Some(id));
        self.sync_name(dir, name);
    }

    /// What another program does when it writes into the file it has open, durably.
    pub(super) fn write_in_place(&mut self, id: u64, text: &str, mode: Option<u32>) {
        let file = self.file_mut(id).unwrap();
        file.now.bytes = Rc::new(text.as_bytes().to_vec());
        file.now.mode = mode.unwrap_or(file.now.mode);
        file.durable = file.now.clone();
    }

    /// The project without `.exacta`.
    pub(super) fn shape(&self) -> Shape {
        let mut shape = Shape::new();
        self.walk(ROOT, "", &mut shape);
        shape.retain(|path, _| path != ".exacta" && !path.starts_with(".exacta/"));
        shape
    }

    /// The names in `.exacta/exec` with their bytes.
    pub(super) fn area(&self) -> Shape {
        let mut shape = Shape::new();
        self.walk(self.lookup(".exacta/exec").unwrap(), "", &mut shape);
        shape.retain(|path, _| !path.starts_with("locks") && path != "over");
        shape
    }

    /// Every state that a power cut at this moment may leave, each of them durable.
    pub(super) fn after_power_cut(&self, mut each: impl FnMut(World)) {
        let open: Vec<(u64, String, Vec<Option<u64>>)> = self
            .reachable_ever()
            .into_iter()
            .filter_map(|id| Some((id, self.dir(id)?)))
            .flat_map(|(id, dir)| dir.past.iter().map(move |(name, past)| (id, name.clone(), dir.values(name, past))))
            .collect();
        let mut choice = vec![0; open.len()];
        loop {
            let mut world = self.clone();
            for ((dir, name, values), pick) in open.iter().zip(&choice) {
                match values[*pick] {
                    Some(id) => drop(world.dir_mut(*dir).unwrap().names.insert(name.clone(), id)),
                    None => drop(world.dir_mut(*dir).unwrap().names.remove(name)),
                }
            }
            world.each_data(&mut each);
            if !advance(&mut choice, |index| open[index].2.len()) {
                return;
            }
        }
    }

    /// Bytes that are the same for two states that behave the same.
    pub(super) fn fingerprint(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(2048);
        let mut order = vec![ROOT];
        let mut next = 0;
        while let Some(id) = order.get(next).copied() {
            next += 1;
            match &*self.nodes[&id] {
                Node::Dir(dir) if dir.volatile => out.push(b'v'),
                Node::Dir(dir) => {
                    for (name, child) in &dir.names {
                        out.extend(name.as_bytes());
                        out.push(number(*child, &mut order));
                    }
                    for (name, past) in &dir.past {
                        out.push(b'?');
                        out.extend(name.as_bytes());
                        for id in dir.values(name, past) {
                            out.push(id.map_or(0, |id| number(id, &mut order)));
                        }
                    }
                }
                Node::File(file) => {
                    for data in [&file.now, &file.durable] {
                        out.extend(data.mode.to_le_bytes());
                        out.extend((data.bytes.len() as u32).to_le_bytes());
                        out.extend(data.bytes.iter());
                        if file.durable == file.now {
                            break;
                        }
                    }
                }
            }
            out.push(b'|');
        }
        out
    }

    fn add(&mut self, node: Node) -> u64 {
        let id = self.next;
        self.next += 1;
        self.nodes.insert(id, Rc::new(node));
        id
    }

    fn folders(&mut self, path: &str) -> u64 {
        path.split('/').fold(ROOT, |at, part| {
            self.dir(at).unwrap().names.get(part).copied().unwrap_or_else(|| {
                let id = self.add_dir();
                self.set_name(at, part, Some(id));
                self.sync_name(at, part);
                id
            })
        })
    }

    fn sync_name(&mut self, dir: u64, name: &str) {
        self.dir_mut(dir).unwrap().past.remove(name);
    }

    /// All combinations of what unsynced files may hold.
    fn each_data(self, each: &mut impl FnMut(World)) {
        let reachable = self.reachable();
        let dirty: Vec<(u64, Vec<Data>)> = reachable
            .iter()
            .filter_map(|id| Some((*id, self.file(*id)?)))
            .filter(|(_, file)| file.now != file.durable)
            .map(|(id, file)| (id, file.outcomes()))
            .collect();
        let mut choice = vec![0; dirty.len()];
        loop {
            let mut world = self.clone();
            for ((id, outcomes), pick) in dirty.iter().zip(&choice) {
                world.file_mut(*id).unwrap().now = outcomes[*pick].clone();
            }
            world.settle();
            world.nodes.retain(|id, _| reachable.contains(id));
            each(world);
            if !advance(&mut choice, |index| dirty[index].1.len()) {
                return;
            }
        }
    }

    /// Everything as it is becomes durable.
    fn settle(&mut self) {
        for node in self.nodes.values_mut().filter(|node| !node.is_settled()) {
            match Rc::make_mut(node) {
                Node::Dir(dir) => {
                    dir.past.clear();
                    if dir.volatile {
                        dir.names.clear();
                    }
                }
                Node::File(file) => file.durable = file.now.clone(),
            }
        }
    }

    fn reachable(&self) -> BTreeSet<u64> {
        self.closure(|dir| dir.names.values().copied().collect())
    }

    fn reachable_ever(&self) -> BTreeSet<u64> {
        self.closure(|dir| dir.names.values().copied().chain(dir.past.values().flatten().flatten().copied()).collect())
    }

    fn closure(&self, children: impl Fn(&DirNode) -> Vec<u64>) -> BTreeSet<u64> {
        let mut found = BTreeSet::from([ROOT]);
        let mut todo = vec![ROOT];
        while let Some(id) = todo.pop() {
            for child in self.dir(id).map(&children).unwrap_or_default() {
                if found.insert(child) {
                    todo.push(child);
                }
            }
        }
        found
    }

    fn walk(&self, at: u64, prefix: &str, shape: &mut Shape) {
        for (name, id) in &self.dir(at).unwrap().names {
            let path = format!("{prefix}{name}");
            match self.node(*id) {
                Node::Dir(_) => {
                    shape.insert(path.clone(), None);
                    self.walk(*id, &format!("{path}/"), shape);
                }
                Node::File(file) => drop(shape.insert(path, Some(file.now.clone()))),
            }
        }
    }
}

impl Node {
    fn is_settled(&self) -> bool {
        match self {
            Self::Dir(dir) => dir.past.is_empty() && (!dir.volatile || dir.names.is_empty()),
            Self::File(file) => file.now == file.durable,
        }
    }
}

impl DirNode {
    /// What a name may stand for after a power cut.
    fn values(&self, name: &str, past: &[Option<u64>]) -> Vec<Option<u64>> {
        let all = past.iter().copied().chain([self.names.get(name).copied()]);
        all.collect::<BTreeSet<_>>().into_iter().collect()
    }
}

impl FileNode {
    fn outcomes(&self) -> Vec<Data> {
        let half = self.now.bytes[..self.now.bytes.len() / 2].to_vec();
        let torn = Data { mode: self.now.mode, bytes: Rc::new(half) };
        BTreeSet::from([self.durable.clone(), torn, self.now.clone()]).into_iter().collect()
    }
}

/// The number of a node, in the order in which they are met.
fn number(id: u64, order: &mut Vec<u64>) -> u8 {
    let at = order.iter().position(|other| *other == id).unwrap_or_else(|| {
        order.push(id);
        order.len() - 1
    });
    at as u8 + 1
}

/// The next of all combinations; `false` after the last.
fn advance(choice: &mut [usize], size: impl Fn(usize) -> usize) -> bool {
    for (index, pick) in choice.iter_mut().enumerate() {
        *pick += 1;
        if *pick < size(index) {
            return true;
        }
        *pick = 0;
    }
    false
}
