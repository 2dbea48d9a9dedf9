//! `docs/sites.md`: the commands that lead from an empty WordPress to a published page and back, exactly as they are printed there.

use super::blog::Blog;
use crate::world::{World, program};
use exacta_testkit::{WordPress, output};
use serde_json::json;
use std::process::{Command, Stdio};

#[test]
fn the_commands_of_the_documentation() {
    let Some(wordpress) = WordPress::start("6.5", &[]) else { return };
    let world = World::empty();
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/sites.md")).unwrap();
    let block = text.split("```sh\n").nth(1).unwrap().split("\n```").next().unwrap();
    let (example, rest) = block.split_once('\n').unwrap();
    assert!(example.starts_with("export SITE_URL="), "{example}");
    let mut shell = Command::new("bash");
    let path =
        format!("{}:{}", std::path::Path::new(&program()).parent().unwrap().display(), std::env::var("PATH").unwrap());
    shell.args(["-euo", "pipefail", "-c", rest]).current_dir(world.path()).env_clear().env("PATH", path);
    shell.env("EXACTA_HOME", world.home()).env("HOME", world.path()).stdin(Stdio::null());
    shell
        .env("SITE_URL", wordpress.url())
        .env("SITE_USER", "editor")
        .env("SITE_PASSWORD", wordpress.password("editor"));
    let done = output(&mut shell);
    let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{out}\n{err}");
    assert!(out.contains("rolled_back") && out.contains("completed"), "{out}");
    let blog = Blog { wordpress, key: String::new(), world };
    let pages = blog.with_slug("prices");
    assert_eq!((&pages[0]["status"], &pages[0]["title"]["raw"]), (&json!("draft"), &json!("Prices")), "{pages}");
}
