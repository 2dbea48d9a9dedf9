//! Policy files: what can be read, what cannot and why, and what they amount to together.

use crate::dice::Dice;
use exacta_kernel::binding::ProviderClass;
use exacta_kernel::id::ProjectId;
use exacta_kernel::policy::caps::Caps;
use exacta_kernel::policy::profile::Profile;
use exacta_kernel::policy::project::ProjectConfig;
use exacta_kernel::policy::rule::{Operation, RuleSet, builtin};
use exacta_kernel::policy::safety::SafetyPolicy;
use exacta_kernel::policy::{Policy, PolicyError};

const SAFETY: &str = include_str!("../cases/policy/safety.cases");
const PROJECT: &str = include_str!("../cases/policy/project.cases");

/// Cases are divided by lines `=== NAME | ok` or `=== NAME | LINE: START OF MESSAGE`.
fn cases(text: &str) -> impl Iterator<Item = (&str, &str, &str)> {
    text.split("\n=== ").skip(1).map(|case| {
        let (head, body) = case.split_once('\n').unwrap_or((case, ""));
        let (name, expected) = head.split_once(" | ").unwrap();
        (name, expected, body)
    })
}

fn agree<T>(text: &str, least: usize, parse: impl Fn(&str) -> Result<T, PolicyError>) {
    let mut count = 0;
    let mut wrong = String::new();
    for (name, expected, body) in cases(text) {
        let found = match parse(body) {
            Ok(_) => "ok".to_owned(),
            Err(error) => {
                assert!(!error.hint.is_empty() && !error.message.contains('\n'), "{name}: {error:?}");
                assert!(error.to_string().starts_with("FILE:"), "{error}");
                error.to_string().split_off("FILE:".len())
            }
        };
        let right = if expected == "ok" { found == "ok" } else { found.starts_with(expected) };
        if !right {
            wrong.push_str(&format!("case `{name}`\n expected {expected}\n    found {found}\n"));
        }
        count += 1;
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(count >= least, "only {count} cases were read");
}

#[test]
fn safety_policies() {
    agree(SAFETY, 80, |text| SafetyPolicy::parse(text, "FILE"));
}

#[test]
fn project_configurations() {
    agree(PROJECT, 11, |text| ProjectConfig::parse(text, "FILE"));
}

#[test]
fn what_is_written_reads_back_as_the_same_policy() {
    for (name, expected, body) in cases(SAFETY) {
        if expected == "ok" {
            let policy = SafetyPolicy::parse(body, "FILE").unwrap();
            let again = SafetyPolicy::parse(&policy.to_toml(), "FILE").map_err(|e| e.to_string());
            assert_eq!(again.map(|again| again.hash()), Ok(policy.hash()), "{name}\n{}", policy.to_toml());
        }
    }
}

/// A text with a few of its characters dropped, doubled or replaced by others that mean something.
fn mutated(text: &str, dice: &mut Dice) -> String {
    const ODD: [char; 16] = ['"', '\'', '[', ']', '{', '}', '=', '\n', '#', '.', ',', '\\', '*', '\u{202e}', 'é', '9'];
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..=dice.roll(3) {
        let at = dice.roll(chars.len() as u64 + 1) as usize;
        match dice.roll(3) {
            0 if at < chars.len() => drop(chars.remove(at)),
            1 if at < chars.len() => chars[at] = dice.pick(&ODD),
            _ => chars.insert(at, dice.pick(&ODD)),
        }
    }
    chars.into_iter().collect()
}

#[test]
fn broken_files_are_refused_with_a_place_and_never_panic() {
    let mut dice = Dice(7);
    let good = cases(SAFETY).filter(|(_, expected, _)| *expected == "ok");
    let bodies: Vec<&str> = good.map(|(_, _, body)| body).collect();
    let mut read = 0;
    for _ in 0..3000 {
        let text = mutated(bodies[dice.roll(bodies.len() as u64) as usize], &mut dice);
        match SafetyPolicy::parse(&text, "FILE") {
            Ok(policy) => {
                read += 1;
                let again = SafetyPolicy::parse(&policy.to_toml(), "FILE").unwrap();
                assert_eq!(again.hash(), policy.hash(), "{text}");
            }
            Err(error) => {
                assert!(error.line.is_some_and(|line| line <= text.lines().count() + 1), "{error:?}\n{text}");
                assert!(!error.to_string().contains('\u{202e}'), "{error}");
            }
        }
    }
    assert!(read > 100, "only {read} were read: the mutations are too wild to say anything");
}

#[test]
fn the_examples_in_the_default_file_are_right() {
    let text = SafetyPolicy::default().to_toml();
    let (_, examples) = text.split_once("# Build and check").unwrap();
    let commented = examples.lines().filter(|line| line.contains('=') || line.contains("[["));
    let uncommented: String = commented.map(|line| format!("{}\n", line.trim_start_matches("# "))).collect();
    let policy = SafetyPolicy::parse(&uncommented, "FILE").unwrap();
    assert_eq!((policy.projects.len(), policy.rules.len()), (1, 1));
}

#[test]
fn the_default_policy_as_a_file() {
    insta::assert_snapshot!(SafetyPolicy::default().to_toml());
}

#[test]
fn the_fullest_policy_as_a_file() {
    let (_, _, body) = cases(SAFETY).find(|(name, ..)| *name == "every key").unwrap();
    insta::assert_snapshot!(SafetyPolicy::parse(body, "FILE").unwrap().to_toml());
}

const MANUAL: &str = include_str!("../../../../docs/policy.md");

#[test]
fn the_manual_is_right_about_every_cap_and_default_rule() {
    for cap in Caps::ALL {
        let row = format!("| `{}` | {} | {} | {} |", cap.name, cap.default, cap.least, cap.most);
        assert!(MANUAL.contains(&row), "no row {row}");
    }
    for rule in builtin::built_in().iter().chain(&builtin::profile_defaults()) {
        assert!(MANUAL.contains(&format!("| `{}` |", rule.id)), "no row for `{}`", rule.id);
    }
    for name in Operation::names().into_iter().filter(|name| name.starts_with("file_") || name.starts_with("dep")) {
        assert!(MANUAL.contains(&format!("`{name}`")), "nothing about `{name}`");
    }
}

#[test]
fn the_examples_of_the_manual_can_be_read() {
    let blocks: Vec<&str> = MANUAL.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    let (project, safety) = blocks.split_last().unwrap();
    assert_eq!(safety.len(), 4);
    for block in safety {
        SafetyPolicy::parse(block, "docs/policy.md").unwrap();
    }
    ProjectConfig::parse(project, "docs/policy.md").unwrap();
}

#[test]
fn the_hash_sees_every_value_and_no_comment() {
    let hash = |text: &str| SafetyPolicy::parse(text, "FILE").unwrap().hash();
    let default = SafetyPolicy::default().hash();
    assert_eq!(hash(""), default);
    assert_eq!(hash("# nothing\nversion = '1'\nceiling = \"DEV\"\n[caps]\nsteps = 10\n[before_images]"), default);
    assert_eq!(hash("[caps]\nfiles = 3\nsteps = 4"), hash("[caps]\nsteps = 4 # few\nfiles = 3"));
    let mut seen = vec![default];
    for text in [
        "version = '2'",
        "ceiling = 'SAFE'",
        "ceiling = 'FULL-AUTO'",
        "network_scope = 'NONE'",
        "provider_classes = []",
        "command_line_execute = false",
        "provider_classes = ['LOCAL_ONLY']",
        "protected_paths = ['a']",
        "protected_paths = ['b']",
        "disable_default_rules = ['confirm-deletion']",
        "require_model = false",
        "verify_model_at_execution = true",
        "execute_agents = ['codex']",
        "notify_command = ['/usr/bin/notify-send', 'Exacta']",
        "caps.steps = 9",
        "caps.files = 9",
        "before_images.days = 9",
        "before_images.max_mib = 9",
        "projects.'/a'.checks = [{argv = ['x']}]",
        "projects.'/a'.build = {argv = ['x']}",
        "projects.'/b'.build = {argv = ['x']}",
        "projects.'/a'.build = {argv = ['x'], writes = ['y']}",
        "projects.'/a'.build = {argv = ['x'], reads = ['/y']}",
        "projects.'/a'.build = {argv = ['x'], timeout_seconds = 9}",
        "rules = [{id='r', when={}, action='deny', reason='x'}]",
        "rules = [{id='r', when={}, action='confirm', reason='x'}]",
        "rules = [{id='r', when={risk='low'}, action='confirm', reason='x'}]",
        "constraints = [{id='c', type='MUST', scope='global', description='x'}]",
        "constraints = [{id='c', type='PREFER', scope='global', description='x'}]",
    ] {
        let hash = hash(text);
        assert!(!seen.contains(&hash), "{text}");
        seen.push(hash);
    }
}

#[test]
fn a_rule_file_too_large_or_too_long_is_refused() {
    let rule = |n: usize| format!("[[rules]]\nid='r{n}'\nwhen={{}}\naction='deny'\nreason='x'\n");
    let rules: String = (0..257).map(rule).collect();
    let error = SafetyPolicy::parse(&rules, "FILE").unwrap_err();
    assert_eq!(error.to_string(), "FILE:1282: more than 256 rules");
    let error = SafetyPolicy::parse(&" ".repeat(2 << 20), "FILE").unwrap_err();
    assert_eq!(error.to_string(), "FILE: is larger than 1 MiB");
}

#[test]
fn deep_and_wide_files_are_refused_at_once() {
    let deep = 300_000;
    for text in [
        format!("version = {}", "[".repeat(deep)),
        format!("version = {}", "{a=".repeat(deep)),
        format!("{}version = 1", "a.".repeat(deep)),
        format!("[{}version]", "a.".repeat(deep)),
        format!("[[{}version]]", "a.".repeat(deep)),
        format!("caps = {{{}version = 1}}", "a.".repeat(deep)),
        (0..50_000).map(|n| format!("[a{n}]\n")).collect(),
        "[[rules]]\n".repeat(50_000),
        format!("protected_paths = [{}]", "'a',".repeat(deep / 2)),
    ] {
        assert!(SafetyPolicy::parse(&text, "FILE").is_err(), "{}", &text[..40]);
        assert!(ProjectConfig::parse(&text, "FILE").is_err(), "{}", &text[..40]);
    }
}

fn combine(safety: &str, project: &str, profile: Profile) -> Result<Policy, PolicyError> {
    let safety = SafetyPolicy::parse(safety, "safety-policy.toml")?;
    Policy::combine(safety, ProjectConfig::parse(project, "config.toml")?, profile)
}

#[test]
fn a_project_only_tightens() {
    let policy = combine(
        "ceiling = 'DEV'\ncaps = {steps = 6, files = 4, runs = 2}",
        "ceiling = 'FULL-AUTO'\ncaps = {steps = 3, files = 15}",
        Profile::FullAuto,
    )
    .unwrap();
    assert_eq!(
        (policy.profile(), policy.ceiling(), policy.chosen_profile()),
        (Profile::Dev, Profile::Dev, Profile::FullAuto)
    );
    let expected = Caps { steps: 3, submitted_steps: 3, files: 4, submitted_files: 4, runs: 2, ..Caps::default() };
    assert_eq!(*policy.caps(), expected);
    assert_eq!(policy.concurrency(), 2);
    let policy = combine("ceiling = 'FULL-AUTO'", "ceiling = 'SAFE'", Profile::Dev).unwrap();
    assert_eq!((policy.profile(), policy.concurrency()), (Profile::Safe, 1));
}

/// A cap on all plans holds for submitted ones, unless they have their own; only the operator raises those.
#[test]
fn caps_of_submitted_plans() {
    let submitted = |safety: &str, project: &str| {
        let policy = combine(safety, project, Profile::Dev).unwrap();
        let caps = policy.caps();
        (caps.submitted_steps, caps.submitted_files, caps.expiry_seconds)
    };
    assert_eq!(submitted("", ""), (10, 15, 1800));
    assert_eq!(submitted("caps.steps = 5", ""), (5, 15, 1800));
    assert_eq!(submitted("caps = {steps = 5, submitted_steps = 200, submitted_files = 300}", ""), (200, 300, 1800));
    assert_eq!(submitted("caps.submitted_steps = 200", "caps.steps = 4"), (4, 15, 1800));
    assert_eq!(submitted("caps.submitted_steps = 200", "caps.submitted_steps = 100"), (100, 15, 1800));
    assert_eq!(submitted("", "caps = {submitted_steps = 500, submitted_files = 500}"), (10, 15, 1800));
    assert_eq!(submitted("", "caps.expiry_seconds = 86400"), (10, 15, 1800));
    assert_eq!(submitted("caps.expiry_seconds = 86400", "caps.expiry_seconds = 7200"), (10, 15, 7200));
    assert_eq!(submitted("", "caps.expiry_seconds = 30"), (10, 15, 30));
}

#[test]
fn the_profile_never_exceeds_the_ceiling() {
    for ceiling in Profile::ALL {
        for chosen in Profile::ALL {
            let policy = combine(&format!("ceiling = '{}'", ceiling.name()), "", chosen).unwrap();
            assert_eq!(policy.profile(), ceiling.min(chosen));
            assert_eq!(policy.concurrency(), policy.profile().concurrency());
        }
    }
}

#[test]
fn commands_come_from_the_operator_and_can_be_switched_off() {
    let id = ProjectId::parse("019a2f3e-7c1d-7e2a-9b4f-0123456789ab").unwrap();
    let safety = format!(
        "[projects.'/app']\nchecks = [{{argv=['a']}}]\nbuild = {{argv=['by-path']}}\n[projects.'{id}']\nchecks = [{{argv=['b']}}]\nbuild = {{argv=['by-id']}}"
    );
    let names = |policy: &Policy, root: &str| -> Vec<String> {
        policy.checks(&id, &[root]).into_iter().map(|command| command.name).collect()
    };
    let policy = combine(&safety, "", Profile::Safe).unwrap();
    assert_eq!(names(&policy, "/app"), ["b", "a"]);
    assert_eq!(names(&policy, "/elsewhere"), ["b"]);
    assert_eq!(policy.build(&id, &["/app"]).unwrap().name, "by-id");
    let other = ProjectId::parse("019a2f3e-7c1d-7e2a-9b4f-ffffffffffff").unwrap();
    assert_eq!(policy.build(&other, &["/app"]).unwrap().name, "by-path");
    assert_eq!(policy.build(&other, &["/b"]), None);
    let policy = combine(&safety, "checks = false", Profile::Safe).unwrap();
    assert!(names(&policy, "/app").is_empty());
}

#[test]
fn one_name_means_one_thing() {
    let rule = "[[rules]]\nid='r'\nwhen={}\naction='deny'\nreason='x'";
    let error = combine(rule, &format!("checks = true\n{rule}"), Profile::Safe).unwrap_err();
    assert_eq!(error.to_string(), "config.toml:3: rule `r` has the name of a rule in the Safety Policy");
    let constraint = "[[constraints]]\nid='c'\ntype='MUST'\nscope='global'\ndescription='x'";
    let error = combine(constraint, constraint, Profile::Safe).unwrap_err();
    assert_eq!(error.to_string(), "config.toml:2: constraint `c` has the name of a constraint in the Safety Policy");
}

#[test]
fn rules_of_all_sets_are_there() {
    let rule = |id: &str| {
        format!(
            "protected_paths=['a']\nnetwork_scope='NONE'\n[[rules]]\nid='{id}'\nwhen={{}}\naction='deny'\nreason='x'"
        )
    };
    let policy = combine(&rule("s"), &rule("p"), Profile::Safe).unwrap();
    let found: Vec<(RuleSet, &str)> = policy.rules().iter().map(|rule| (rule.set, rule.id.as_str())).collect();
    assert_eq!(
        found,
        [
            (RuleSet::BuiltIn, "approval-required"),
            (RuleSet::BuiltIn, "cannot-be-undone"),
            (RuleSet::BuiltIn, "site-plans"),
            (RuleSet::ProfileDefault, "confirm-deletion"),
            (RuleSet::ProfileDefault, "confirm-new-source"),
            (RuleSet::ProfileDefault, "confirm-other-content"),
            (RuleSet::ProfileDefault, "confirm-lookalike"),
            (RuleSet::SafetyPolicy, "s"),
            (RuleSet::Project, "p"),
            (RuleSet::SafetyPolicy, "protected-paths"),
            (RuleSet::SafetyPolicy, "network-scope"),
            (RuleSet::Project, "protected-paths"),
            (RuleSet::Project, "network-scope"),
        ]
    );
    let policy = combine("disable_default_rules = ['confirm-deletion']", "", Profile::Dev).unwrap();
    assert!(policy.rules().iter().all(|rule| rule.id != "confirm-deletion"));
}

#[test]
fn rules_that_stand_in_no_file_name_what_they_are_about() {
    let policy = combine("network_scope = 'AI_ONLY'", "", Profile::Safe).unwrap();
    for rule in policy.rules() {
        assert!(!rule.when.operation.is_empty(), "`{}` would match everything", rule.id);
    }
}

#[test]
fn providers() {
    let policy = combine("", "", Profile::Safe).unwrap();
    assert!(policy.allows_provider(ProviderClass::UntrustedCloud));
    let policy = combine("provider_classes = ['LOCAL_ONLY']", "", Profile::Safe).unwrap();
    assert!(policy.allows_provider(ProviderClass::LocalOnly));
    assert!(!policy.allows_provider(ProviderClass::TrustedCloud));
}
