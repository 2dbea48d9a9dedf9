//! Attack 24: another implementation, which knows only what is documented, agrees about what people signed.

use crate::story::fix;
use crate::world::{Done, World, done};
use exacta_testkit::{output, program};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

fn verify(plan: &str, approvers: &str) -> Done {
    let tool = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/verify-approval");
    done(output(Command::new("python3").arg(tool).args([plan, approvers])))
}

#[test]
fn decisions_are_checked_by_another_implementation() {
    if !program("python3") {
        return;
    }
    let world = World::begun();
    let approvers = world.home().join("approvers.toml").display().to_string();
    let submit = || world.pipe(&["submit", "-", "--json"], fix().to_string().as_bytes()).expect(30).json();
    let key = world.key();
    for verb in ["approve", "reject"] {
        let id = submit()["plan_id"].as_str().unwrap().to_owned();
        world.run(&[verb, &id, "--approver-key", &key]).expect(0);
        let path = world.project().join(format!(".exacta/plans/{id}.json"));
        let told = verify(path.to_str().unwrap(), &approvers).expect(0);
        assert!(told.out.starts_with(&format!("holds  {verb} by tester at ")), "{}", told.out);
        let file: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        // Any member changed, and the signature is over something else.
        for name in ["verb", "project", "plan_id", "plan_hash", "at", "expires_at"] {
            let mut forged = file.clone();
            let member = &mut forged["approvals"][0]["statement"][name];
            let text = member.as_str().unwrap();
            let first = if text.starts_with('0') { "1" } else { "0" };
            *member = if name == "verb" { "request_changes".into() } else { format!("{first}{}", &text[1..]).into() };
            let forged = world.file("forged.json", forged.to_string());
            assert!(verify(&forged, &approvers).expect(1).out.starts_with("broken"), "{name}");
        }
    }
}
