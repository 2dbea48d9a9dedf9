//! Random changes of a copy: the plan is the difference, bit for bit.

use super::Copied;
use exacta_testkit::seed;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// How many rounds; `EXACTA_AGENT_ROUNDS` asks for more.
fn rounds() -> u64 {
    std::env::var("EXACTA_AGENT_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(8)
}

/// Parts of names, some of them odd.
const PARTS: [&str; 12] = [
    "a",
    "b.txt",
    "with blank",
    "ümlaut",
    "-dash",
    "quo\"te",
    "$HOME",
    "a'b",
    "日本",
    "UPPER",
    ".hidden",
    "tab and more",
];

/// Numbers by chance, always the same for a seed.
struct Chance(u64);

impl Chance {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % below.max(1)
    }

    fn path(&mut self) -> String {
        let depth = 1 + self.next(3);
        (0..depth).map(|_| PARTS[self.next(PARTS.len())]).collect::<Vec<_>>().join("/")
    }

    fn text(&mut self) -> Vec<u8> {
        let ends: [&str; 3] = ["\n", "\r\n", "\n\n"];
        let end = ends[self.next(3)];
        let mut text: String = (0..self.next(30)).map(|_| format!("line {}{end}", self.next(50))).collect();
        if self.next(4) == 0 {
            text.push_str("no end of line");
        }
        text.into_bytes()
    }
}

type Files = BTreeMap<String, (Vec<u8>, bool)>;

/// All files beneath a folder, but for what belongs to nobody's change.
fn files(root: &Path) -> Files {
    let mut found = Files::new();
    let mut next = vec![root.to_owned()];
    while let Some(folder) = next.pop() {
        for entry in fs::read_dir(&folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if [".git", ".exacta"].iter().any(|name| path.ends_with(name)) {
                continue;
            }
            if path.is_dir() {
                next.push(path);
            } else {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
                let executable = path.metadata().unwrap().permissions().mode() & 0o100 != 0;
                found.insert(name, (fs::read(&path).unwrap(), executable));
            }
        }
    }
    found
}

/// Changes some files of a folder.
fn change(root: &Path, chance: &mut Chance) {
    for _ in 0..=chance.next(10) {
        let there: Vec<String> = files(root).into_keys().collect();
        let some = |chance: &mut Chance| there.get(chance.next(there.len())).map(|name| root.join(name));
        match (chance.next(5), some(chance)) {
            (0, Some(path)) => fs::remove_file(path).unwrap(),
            (1, Some(path)) => {
                let mode = if chance.next(2) == 0 { 0o755 } else { 0o644 };
                fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
            }
            (2, Some(path)) => {
                let mut bytes = fs::read(&path).unwrap();
                bytes.splice(chance.next(bytes.len() + 1).., chance.text());
                fs::write(path, bytes).unwrap();
            }
            _ => {
                let path = root.join(chance.path());
                // A file in the way of a folder goes, and so does a folder in the way of a file.
                let mut above = path.parent();
                while let Some(folder) = above.filter(|folder| *folder != root) {
                    if folder.is_file() {
                        fs::remove_file(folder).unwrap();
                    }
                    above = folder.parent();
                }
                if path.is_dir() {
                    fs::remove_dir_all(&path).unwrap();
                }
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, chance.text()).unwrap();
            }
        }
    }
}

#[test]
fn the_plan_is_the_difference_bit_for_bit() {
    let Some(copied) = Copied::new() else { return };
    copied
        .world
        .file("home/safety-policy.toml", "version = \"1\"\n[caps]\nsubmitted_steps = 500\nsubmitted_files = 500\n");
    fs::remove_dir_all(copied.world.project().join("build")).unwrap();
    let mut chance = Chance(seed().wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    copied.agent("one", "touch begun").expect(30);
    let copy = copied.copy("one").join("copy");
    for round in 0..rounds() {
        change(&copy, &mut chance);
        let wanted = files(&copy);
        let done = copied.run(&["agent", "submit", "one", "--leave-rest", "--json"]);
        if done.code == 0 {
            assert_eq!(files(&copied.world.project()), wanted, "round {round}");
            continue;
        }
        let result = done.expect(30).json();
        copied.apply(&result);
        assert_eq!(files(&copied.world.project()), wanted, "round {round}: {result}");
        copied.run(&["agent", "update", "one"]).expect(0);
    }
}
