//! How long a selection takes in a large project, and how much memory:
//!     scale make FOLDER FILES      makes a project of so many files, about 5 KB each, half of it code
//!     scale select FOLDER CACHE    selects from it, and prints what that took
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a measurement prints, and stops where something is wrong"
)]

use exacta_context::{Request, select};
use rustix::fd::AsFd as _;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::Instant;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["make", folder, files] => make(Path::new(folder), files.parse().unwrap()),
        ["select", folder, cache] => measure(Path::new(folder), Path::new(cache)),
        _ => println!("usage: scale make FOLDER FILES | scale select FOLDER CACHE"),
    }
}

fn measure(folder: &Path, cache: &Path) {
    let (root, cache) = (fs::File::open(folder).unwrap(), fs::File::open(cache).unwrap());
    let begin = Instant::now();
    let request = Request { text: "fix merge_table when the batch is empty", budget: 32_000, ..Request::default() };
    let selection = select(root.as_fd(), Some(cache.as_fd()), &request).unwrap();
    let took = begin.elapsed().as_millis();
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let memory = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default().trim();
    println!("{took} ms, {} files read, {} shown, memory {memory}", selection.read, selection.files.len());
}

/// Words that names are made of, by a number.
fn word(number: u64) -> &'static str {
    const WORDS: &str = "merge table batch empty parse config value node tree walk index cache store read write line token frame \
        client server route header body query filter sort group count sum field row column schema plan step check gate rule \
        policy audit entry proof chain block page view model event queue worker task timer clock retry error result option \
        buffer stream chunk codec scan match pattern glob path folder file handle lock guard scope trace level metric";
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    let at = usize::try_from(number % words.len() as u64).unwrap();
    words.get(at).copied().unwrap()
}

fn make(folder: &Path, files: u64) {
    let mut state = 14_u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for number in 0..files {
        let directory = folder.join(format!(
            "{}_{}/{}_{}",
            word(number / 5000),
            number / 5000,
            word(number / 50),
            number / 50 % 100
        ));
        fs::create_dir_all(&directory).unwrap();
        let ending =
            ["rs", "py", "ts", "go", "md", "json", "yaml", "txt"].get(usize::try_from(number % 8).unwrap()).unwrap();
        let name = format!("{}_{}.{ending}", word(random()), number % 50);
        fs::write(directory.join(name), text(ending, number, &mut random)).unwrap();
    }
}

fn text(ending: &str, number: u64, random: &mut impl FnMut() -> u64) -> String {
    let mut text = String::new();
    let functions = 10 + random() % 60;
    for function in 0..functions {
        let (a, b, c) = (word(random()), word(random()), word(random()));
        let _ = match ending {
            "rs" => writeln!(
                text,
                "pub fn {a}_{b}_{number}(input: &[u8]) -> usize {{\n    let {c} = {b}_{a}(input);\n    if {c} > {function} {{ {c} }} else {{ 0 }}\n}}\n"
            ),
            "py" => writeln!(
                text,
                "def {a}_{b}_{number}(input):\n    {c} = {b}_{a}(input)\n    return {c} if {c} else {function}\n\n"
            ),
            "ts" => writeln!(
                text,
                "export function {a}{function}(input: number[]): number {{\n  const {c} = {b}(input);\n  return {c} > 1 ? {c} : 0;\n}}\n"
            ),
            "go" => writeln!(
                text,
                "func {a}{b}{function}(input []byte) int {{\n\t{c} := {b}{a}(input)\n\treturn {c} + {number}\n}}\n"
            ),
            _ => writeln!(
                text,
                "{a}: the {b} of the {c}, as it was with {number} and {function}; see {b}_{c} for more of it\n"
            ),
        };
    }
    if ending == "go" { format!("package main\n\n{text}") } else { text }
}
