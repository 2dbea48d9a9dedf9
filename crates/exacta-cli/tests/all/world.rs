//! A throw-away user with a throw-away project, and the real binary between them.

use exacta_testkit::{LIMIT, Running, output};
use serde_json::Value;
use std::ffi::OsString;
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Instant;

/// The binary under test.
pub const EXACTA: &str = env!("CARGO_BIN_EXE_exacta");

/// The binary that most commands are run with: another one, where `EXACTA_PROGRAM` names it.
pub fn program() -> OsString {
    std::env::var_os("EXACTA_PROGRAM").unwrap_or_else(|| EXACTA.into())
}

/// A user's folder, a project, and room for plans.
pub struct World {
    dir: tempfile::TempDir,
}

/// How a command ended.
#[derive(Debug)]
pub struct Done {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl World {
    /// A project without files, not yet begun.
    pub fn empty() -> Self {
        let world = Self { dir: tempfile::tempdir().unwrap() };
        fs::create_dir_all(world.project()).unwrap();
        world
    }

    /// A project with two files in it, not yet begun.
    pub fn new() -> Self {
        let world = Self::empty();
        world.write("greet.txt", "hello\nworld\n");
        world.write("src/main.py", "def main():\n    print(\"hello\")\n\n\nmain()\n");
        world
    }

    /// The same after `init`, with an approver whose key needs no passphrase.
    pub fn begun() -> Self {
        Self::new().begin()
    }

    /// The same within this folder, for programs that trust nothing in `/tmp`.
    pub fn begun_in(place: &str) -> Self {
        let world = Self { dir: tempfile::tempdir_in(place).unwrap() };
        fs::create_dir_all(world.project()).unwrap();
        world.write("greet.txt", "hello\nworld\n");
        world.begin()
    }

    fn begin(self) -> Self {
        let world = self;
        world.run(&["init", "--approver", "tester", "--no-passphrase"]).expect(0);
        world
    }

    pub fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    pub fn project(&self) -> PathBuf {
        self.dir.path().join("project")
    }

    /// The key that `begun` made.
    pub fn key(&self) -> String {
        self.home().join("keys/tester.key").display().to_string()
    }

    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.project().join(path)).unwrap()
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.project().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Where the world is; the terminal's temporary folder too.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// A file outside the project.
    pub fn file(&self, name: &str, text: impl AsRef<[u8]>) -> String {
        let path = self.dir.path().join(name);
        fs::write(&path, text).unwrap();
        path.display().to_string()
    }

    /// A command; with a key it names what it decides as a script has to: an approval the hash of the plan, an undo the newest run.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = self.plain(args);
        let at = |word: &str| args.iter().position(|arg| *arg == word);
        if at("--approver-key").is_none() {
            return command;
        }
        let before = |place: usize| args.get(..place).unwrap_or_default();
        if let (Some(place), None) = (at("approve"), at("--hash")) {
            let look = [before(place), &["show", args.get(place + 1).copied().unwrap_or_default(), "--json"]].concat();
            let hash = done(output(&mut self.plain(&look))).value()["plan_hash"].as_str().map(str::to_owned);
            command.args(hash.into_iter().flat_map(|hash| ["--hash".to_owned(), hash]));
        }
        if let Some(place) = at("undo")
            && args.get(place + 1).is_none_or(|next| next.starts_with('-'))
            && !args.iter().any(|arg| exacta_kernel::id::RunId::parse(arg).is_ok())
        {
            let runs =
                done(output(&mut self.plain(&[before(place), &["status", "--json"]].concat()))).value()["runs"].clone();
            let newest =
                |run: &&Value| run["outcome"] == "completed" && run["undone"] == false && run["undoes"].is_null();
            command.args(runs.as_array().into_iter().flatten().find(newest).and_then(|run| run["run_id"].as_str()));
        }
        command
    }

    /// A command, exactly as it is given.
    pub fn plain(&self, args: &[&str]) -> Command {
        let mut command = Command::new(program());
        command.args(args).current_dir(self.project()).env_clear();
        command.env("EXACTA_HOME", self.home()).env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.stdin(Stdio::null());
        command
    }

    pub fn run(&self, args: &[&str]) -> Done {
        done(output(&mut self.command(args)))
    }

    /// With text on standard input.
    pub fn pipe(&self, args: &[&str], input: &[u8]) -> Done {
        let mut command = self.command(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut running = Running::start(&mut command);
        let mut stdin = running.stdin().unwrap();
        let input = input.to_vec();
        // A command that refuses early closes its end.
        std::thread::spawn(move || drop(stdin.write_all(&input)));
        done(running.finish())
    }

    /// On a terminal, as a person would.
    pub fn terminal(&self, args: &[&str]) -> Terminal {
        let quote = |word: &str| format!("'{}'", word.replace('\'', "'\\''"));
        let line: Vec<String> = std::iter::once(EXACTA).chain(args.iter().copied()).map(quote).collect();
        self.shell(&format!("exec {}", line.join(" ")))
    }

    /// A line of shell on a terminal.
    pub fn shell(&self, line: &str) -> Terminal {
        Terminal::open(self, line)
    }
}

impl Done {
    /// The same, if the exit code is this one.
    #[track_caller]
    pub fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, code, "stdout: {}\nstderr: {}", self.out, self.err);
        self
    }

    /// Standard output as one JSON object, or nothing.
    fn value(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_default()
    }

    /// Standard output as one JSON object.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}\n{}", self.out, self.err))
    }
}

pub fn done(output: Output) -> Done {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Done { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
}

/// A command on a pseudo terminal, made by `script`.
pub struct Terminal {
    child: Running,
    keys: ChildStdin,
    pieces: Receiver<Vec<u8>>,
    seen: String,
}

impl Terminal {
    fn open(world: &World, line: &str) -> Self {
        let mut command = Command::new("script");
        command.args(["-qec", &format!("stty cols 80 rows 24; {line}"), "/dev/null"]);
        command.current_dir(world.project()).env_clear().env("EXACTA_HOME", world.home()).env("TERM", "xterm");
        command
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("SHELL", "/bin/sh")
            .env("NO_COLOR", "1")
            .env("TMPDIR", world.dir.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        // `script` is part of Debian's bsdutils.
        let mut child = Running::start(&mut command);
        let mut output = child.stdout().unwrap();
        let (sender, pieces) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0_u8; 4096];
            while let Ok(count @ 1..) = output.read(&mut buffer) {
                if sender.send(buffer[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        let keys = child.stdin().unwrap();
        Self { child, keys, pieces, seen: String::new() }
    }

    /// Waits until this is seen, and forgets everything up to it.
    #[track_caller]
    pub fn wait_for(&mut self, text: &str) -> &mut Self {
        let begin = Instant::now();
        while !self.seen.contains(text) {
            let left = LIMIT.saturating_sub(begin.elapsed());
            match self.pieces.recv_timeout(left) {
                Ok(piece) => self.seen.push_str(&String::from_utf8_lossy(&piece)),
                Err(RecvTimeoutError::Timeout) => panic!("`{text}` did not come; seen: {}", self.seen),
                Err(RecvTimeoutError::Disconnected) => panic!("ended before `{text}`; seen: {}", self.seen),
            }
        }
        let at = self.seen.find(text).unwrap() + text.len();
        self.seen.drain(..at);
        self
    }

    /// What is seen up to this, which is waited for and forgotten with it.
    #[track_caller]
    pub fn until(&mut self, text: &str) -> String {
        while !self.seen.contains(text) {
            let piece = self.next().unwrap_or_else(|| panic!("ended before `{text}`; seen: {}", self.seen));
            self.seen.push_str(&piece);
        }
        let at = self.seen.find(text).unwrap() + text.len();
        self.seen.drain(..at).collect()
    }

    /// Types.
    pub fn send(&mut self, keys: &str) -> &mut Self {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
        self
    }

    /// Types what the answers say to what has been seen since the last one, until the end.
    #[track_caller]
    pub fn converse(mut self, answer: impl Fn(&str) -> Option<String>) -> Done {
        let mut all = String::new();
        while let Some(piece) = self.next() {
            self.seen.push_str(&piece);
            all.push_str(&piece);
            if let Some(keys) = answer(&self.seen) {
                self.seen.clear();
                self.send(&keys);
            }
        }
        self.done(all)
    }

    /// Waits for the end; everything not yet waited for is the output.
    #[track_caller]
    pub fn end(mut self) -> Done {
        while let Some(piece) = self.next() {
            self.seen.push_str(&piece);
        }
        let seen = std::mem::take(&mut self.seen);
        self.done(seen)
    }

    /// What is shown next; nothing at the end.
    #[track_caller]
    fn next(&mut self) -> Option<String> {
        match self.pieces.recv_timeout(LIMIT) {
            Ok(piece) => Some(String::from_utf8_lossy(&piece).into_owned()),
            Err(RecvTimeoutError::Timeout) => panic!("nothing more came, and no end; seen: {}", self.seen),
            Err(RecvTimeoutError::Disconnected) => None,
        }
    }

    fn done(mut self, out: String) -> Done {
        let code = self.child.wait().code().unwrap_or(-1);
        Done { code, out, err: String::new() }
    }
}

/// The shape of a JSON value: names, types, and the words of closed lists.
pub fn shape(value: &Value) -> Value {
    const WORDS: [&str; 9] = ["schema", "status", "decision", "gate", "name", "level", "code", "type", "verdict"];
    match value {
        Value::Object(fields) => fields
            .iter()
            .map(|(name, field)| {
                let word = field.is_string() && WORDS.contains(&name.as_str());
                (name.clone(), if word { field.clone() } else { shape(field) })
            })
            .collect(),
        Value::Array(items) => {
            let mut shapes: Vec<Value> = Vec::new();
            for shape in items.iter().map(shape) {
                if !shapes.contains(&shape) {
                    shapes.push(shape);
                }
            }
            shapes.into()
        }
        Value::String(_) => "string".into(),
        Value::Number(_) => "number".into(),
        Value::Bool(_) => "bool".into(),
        Value::Null => Value::Null,
    }
}

/// Ids, hashes and times replaced, so that the rest can be compared.
pub fn redact(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let (length, name) = token(rest);
        match name {
            Some(name) => out.push_str(name),
            None => out.push_str(rest.get(..length).unwrap_or_default()),
        }
        rest = rest.get(length.max(c.len_utf8())..).unwrap_or_default();
    }
    out
}

/// How long the word at the start is, and what takes its place.
fn token(text: &str) -> (usize, Option<&'static str>) {
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | ':' | '.');
    let length = text.find(|c| !is_word(c)).unwrap_or(text.len());
    let word = text[..length].trim_end_matches(['.', ':', '-']);
    let hex = |s: &str| s.chars().all(|c| c.is_ascii_hexdigit());
    let dashes: Vec<usize> = word.split('-').map(str::len).collect();
    let credential = word.strip_prefix("cli:").is_some_and(|uid| uid.parse::<u32>().is_ok());
    let name = if credential {
        Some("[credential]")
    } else if word.len() == 64 && hex(word) {
        Some("[hash]")
    } else if dashes == [8, 4, 4, 4, 12] && hex(&word.replace('-', "")) {
        Some("[id]")
    } else if word.len() >= 20 && word.ends_with('Z') && word.contains('T') && word[..4].parse::<u32>().is_ok() {
        Some("[time]")
    } else {
        None
    };
    let first = text.chars().next().map_or(0, char::len_utf8);
    (if name.is_some() { word.len() } else { length.max(first) }, name)
}

#[test]
fn redaction() {
    let text = "plan 019a2f3e-7c1d-7e2a-9b4f-0123456789ab at 2026-11-15T22:00:00.000Z, \"5d41402abc4b2a76b9719d911017c5925d41402abc4b2a76b9719d911017c592\".";
    assert_eq!(redact(text), "plan [id] at [time], \"[hash]\".");
}
