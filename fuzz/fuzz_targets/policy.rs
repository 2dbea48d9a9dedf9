//! A policy file: never a panic; what is read can be written and read again; an error has a place and hides nothing.
//!
//! The input is the Safety Policy up to a byte 0xFF, and the project's configuration.
#![no_main]

use exacta_kernel::assess::BasisPoints;
use exacta_kernel::gate::{self, Question, Verdict};
use exacta_kernel::path::RelPath;
use exacta_kernel::policy::profile::Profile;
use exacta_kernel::policy::project::ProjectConfig;
use exacta_kernel::policy::rule::Operation;
use exacta_kernel::policy::safety::SafetyPolicy;
use exacta_kernel::policy::{Policy, PolicyError};
use exacta_kernel::text;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let at = data.iter().position(|byte| *byte == 0xff).unwrap_or(data.len());
    let safety = String::from_utf8_lossy(&data[..at]);
    let project = String::from_utf8_lossy(data.get(at + 1..).unwrap_or_default());
    let Some(safety) = read(SafetyPolicy::parse(&safety, "safety-policy.toml"), &safety) else { return };
    let again = SafetyPolicy::parse(&safety.to_toml(), "safety-policy.toml").expect("what was written can be read");
    assert_eq!(again.hash(), safety.hash());
    let Some(project) = read(ProjectConfig::parse(&project, "config.toml"), &project) else { return };
    let alone = Policy::combine(safety.clone(), ProjectConfig::default(), Profile::FullAuto).expect("nothing to clash");
    let Ok(both) = Policy::combine(safety, project, Profile::FullAuto) else { return };
    assert!(both.profile() <= both.ceiling() && both.ceiling() <= alone.ceiling());
    for (operation, path) in
        [("file_modify", "src/a.rs"), ("file_delete", "K\u{e9}y.pem"), ("dependency_add", "Cargo.toml")]
    {
        let question = Question {
            operation: Operation::parse(operation),
            path: RelPath::parse(path).ok(),
            domain: None,
            intent: None,
            risk: 0,
            quality: BasisPoints::ONE,
            system_level: false,
            unchecked: false,
        };
        let (alone, both) = (gate::explain(&question, &alone).verdict(), gate::explain(&question, &both).verdict());
        assert!(both >= alone && (both > Verdict::Allow || alone == Verdict::Allow), "a project loosened its policy");
    }
});

fn read<T>(read: Result<T, PolicyError>, text: &str) -> Option<T> {
    let error = match read {
        Ok(read) => return Some(read),
        Err(error) => error,
    };
    assert!(error.line.is_none_or(|line| line <= text.split('\n').count()), "{error}");
    assert_eq!(text::hidden(&error.to_string()).next(), None);
    None
}
