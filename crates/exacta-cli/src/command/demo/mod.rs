//! The whole story in a throw-away project: what an agent may, what it may not, who decides, and that nothing is lost.
//!
//! Project, settings and keys are all in one throw-away folder, which is removed however the story ends.

mod story;

use crate::fail;
use crate::interrupt::Orderly;
use crate::output::Output;
use exacta_app::{Caller, Error, Exit, Options};
use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

/// The example project.
const PROJECT: [(&str, &str); 4] = [
    ("README.md", include_str!("example/README.md")),
    ("shop/price.py", include_str!("example/shop/price.py")),
    ("shop/legacy.py", include_str!("example/shop/legacy.py")),
    ("tests/test_price.py", include_str!("example/tests/test_price.py")),
];

/// `exacta demo`
pub fn demo(output: Output) -> Result<u8, Error> {
    if output.is_json() {
        return Err(fail::not_json("demo"));
    }
    let fault = |error: io::Error| fail::io(Exit::Fault, "play the demo", &error);
    let signals = Orderly::begin().map_err(fault)?;
    let stage = Stage::build().map_err(fault)?;
    // The demo has keys of its own, which decide in its own throw-away project.
    let (project, home) = (Some(stage.0.join("shop")), Some(stage.0.join("home")));
    let options = Options { project, home, exactly: true, caller: Caller::Key { agent: None } };
    story::play(&options, signals, output)
}

/// A folder that is gone when this is.
struct Stage(PathBuf);

impl Stage {
    fn build() -> io::Result<Self> {
        let name = format!("exacta-demo-{}", std::process::id());
        let dir = std::env::temp_dir().join(name);
        fs::DirBuilder::new().mode(0o700).create(&dir)?;
        let stage = Self(dir);
        for (path, text) in PROJECT {
            let path = stage.0.join("shop").join(path);
            fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
            fs::write(path, text)?;
        }
        Ok(stage)
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        // What cannot be removed is left to the system's own clearing of temporary files.
        drop(fs::remove_dir_all(&self.0));
    }
}
