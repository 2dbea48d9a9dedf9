//! What the requests of `requests.json` lead to, judged by each project's own tests: they pass once everything is written, and what is added to
//! them fails without the change it is there for. That an ask leads to just these files is `requests.rs`'s.

use super::model::whole;
use exacta_testkit::{npm, output, program};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

const PYTHON: &str = "
import glob, runpy, sys
sys.path.insert(0, '.')
for file in sorted(glob.glob('tests/test_*.py')):
    found = runpy.run_path(file)
    for name in [name for name in found if name.startswith('test_')]:
        found[name]()
";

/// Types are taken off, not checked.
const TYPESCRIPT: &str = "
const ts = require(process.argv[1] + '/typescript'), fs = require('fs'), path = require('path');
console.assert = (holds) => { if (!holds) throw new Error('assertion failed'); };
const compilerOptions = { module: 'commonjs', target: 'es2022' };
require.extensions['.ts'] = (module, file) =>
  module._compile(ts.transpileModule(fs.readFileSync(file, 'utf8'), { compilerOptions }).outputText, file);
for (const name of fs.readdirSync('tests')) require(path.resolve('tests', name));
";

#[test]
fn python() {
    if program("python3") {
        judge("python", &|folder, _| run(folder, &["python3", "-c", PYTHON]));
    }
}

#[test]
fn typescript() {
    let Some(modules) = npm(Path::new(env!("CARGO_TARGET_TMPDIR")), &["typescript@5.9.3"]) else { return };
    let modules = modules.display().to_string();
    judge("typescript", &|folder, _| run(folder, &["node", "-e", TYPESCRIPT, &modules]));
}

#[test]
fn rust() {
    judge("rust", &|folder, test| {
        let library =
            ["rustc", "--edition=2021", "--crate-type=lib", "--crate-name=ledger", "--out-dir=out", "src/lib.rs"];
        let tests =
            ["rustc", "--edition=2021", "--test", "--extern=ledger=out/libledger.rlib", "-o", "out/tests", test];
        run(folder, &library).and_then(|()| run(folder, &tests)).and_then(|()| run(folder, &["out/tests"]))
    });
}

/// Runs the tests of every request in a project: with all that was written, and with what was added to the tests alone.
fn judge(project: &str, tests: &dyn Fn(&Path, &str) -> Result<(), String>) {
    let projects: Value = serde_json::from_str(include_str!("../../cases/ask/projects.json")).unwrap();
    let requests: Vec<Value> = serde_json::from_str(include_str!("../../cases/ask/requests.json")).unwrap();
    let mut judged = 0;
    for case in requests.iter().filter(|case| case["project"] == project) {
        let steps: Vec<&Value> = case["steps"].as_array().into_iter().flatten().collect();
        let is_test = |step: &Value| step["target"].as_str().unwrap().starts_with("tests/");
        let Some(added) = steps.iter().find(|step| is_test(step)) else { continue };
        let file = added["target"].as_str().unwrap();
        let (all, only) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        lay_out(all.path(), &projects["projects"][project], &steps);
        lay_out(only.path(), &projects["projects"][project], &[added]);
        tests(all.path(), file).unwrap_or_else(|why| panic!("{}: {why}", case["name"]));
        assert!(tests(only.path(), file).is_err(), "{}: its test passes without the change", case["name"]);
        judged += 1;
    }
    assert!(judged >= 10, "{judged}");
}

fn lay_out(folder: &Path, tree: &Value, steps: &[&Value]) {
    for (path, text) in tree.as_object().unwrap() {
        let step = steps.iter().find(|step| step["target"] == path.as_str());
        let text = text.as_str().unwrap();
        let text = step.map_or_else(|| text.to_owned(), |step| whole(text, &step["edits"]));
        let file = folder.join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
}

fn run(folder: &Path, command: &[&str]) -> Result<(), String> {
    let mut program =
        Command::new(if command[0].starts_with("out/") { folder.join(command[0]) } else { command[0].into() });
    program.args(&command[1..]).current_dir(folder).env("PYTHONDONTWRITEBYTECODE", "1");
    let done = output(&mut program);
    let said = String::from_utf8_lossy(&[done.stdout, done.stderr].concat()).into_owned();
    if done.status.success() { Ok(()) } else { Err(said) }
}
