//! aider's repository map, in a process of its own.

use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

pub struct Aider {
    process: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Aider {
    /// None where nobody named a Python that has it.
    pub fn start() -> Option<Self> {
        let python = std::env::var_os("EXACTA_AIDER_PYTHON")?;
        let mut command = Command::new(python);
        command
            .args(["-c", include_str!("aider.py")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut process = command.spawn().unwrap();
        let (to, from) = (process.stdin.take().unwrap(), BufReader::new(process.stdout.take().unwrap()));
        Some(Self { process, to, from })
    }

    pub fn select(&mut self, project: &Path, message: &str, budget: u64) -> BTreeSet<String> {
        let ask = json!({ "root": project, "text": message, "tokens": budget });
        writeln!(self.to, "{ask}").unwrap();
        let mut line = String::new();
        self.from.read_line(&mut line).unwrap();
        let answer: Value = serde_json::from_str(&line).expect("aider's map did not answer");
        answer.as_array().unwrap().iter().filter_map(|path| path.as_str().map(str::to_owned)).collect()
    }
}

impl Drop for Aider {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
