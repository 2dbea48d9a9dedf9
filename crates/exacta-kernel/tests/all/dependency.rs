//! Attack 7: what is read from manifests and lock files, row by row, and dependencies written in every way that a format allows.
//!
//! A row of `tests/cases/dependency/*.cases` is `file ¦ before ¦ after ¦ the constraint "no new dependencies" ¦ what is reported`,
//! with `⏎` for a new line, `⇥` for a tab, and `+…` for what is appended to the text before.

use exacta_kernel::assess::assess;
use exacta_kernel::check::{Allowed, Context, ValidPlan, check};
use exacta_kernel::constraint::State;
use exacta_kernel::facts::{Facts, FileContent, Target, TargetFact};
use exacta_kernel::finding::Finding;
use exacta_kernel::gate::{Circumstances, Verdict, Verdicts, decide};
use exacta_kernel::parse::parse;
use exacta_kernel::path::RelPath;
use exacta_kernel::policy::Policy;
use exacta_kernel::policy::caps::Caps;
use exacta_kernel::policy::profile::Profile;
use exacta_kernel::policy::project::ProjectConfig;
use exacta_kernel::policy::safety::SafetyPolicy;
use exacta_kernel::scan::{DependencyChange, DependencyKind};
use exacta_kernel::seal::seal;
use serde_json::json;
use std::path::Path;
use std::sync::Arc;

/// What became of a change to one file.
struct Outcome {
    /// `met`, `violated WHAT` or `unchecked WHY`: the constraint against new dependencies.
    constraint: String,
    /// What is reported without that constraint.
    changes: Vec<DependencyChange>,
    /// The decisions in every profile, with the constraint where it does not refuse the plan.
    decisions: Vec<Verdicts>,
}

fn policy(profile: Profile) -> Policy {
    let safety = SafetyPolicy::parse("ceiling = 'FULL-AUTO'", "safety-policy.toml").unwrap();
    Policy::combine(safety, ProjectConfig::parse("", "config.toml").unwrap(), profile).unwrap()
}

/// The file before, as a plan is told of it.
fn facts(path: &str, before: &str) -> Facts {
    let target = match before {
        "" => Target::Absent,
        _ => Target::File(Arc::new(FileContent::new(before.as_bytes().to_vec(), 0o644))),
    };
    let mut facts = Facts::new();
    facts.insert(RelPath::parse(path).unwrap(), TargetFact { target, lookalikes: Vec::new(), folds: false });
    facts
}

/// A plan that writes the file, with or without the constraint; what a constraint says is added where it refuses.
fn checked(path: &str, facts: &Facts, after: &str, limited: bool) -> Result<ValidPlan, String> {
    let absent = matches!(facts.get(&RelPath::parse(path).unwrap()), Some(TargetFact { target: Target::Absent, .. }));
    let step = json!({ "id": "s1", "order": 1, "type": if absent { "file_create" } else { "file_modify" }, "target": path,
        "dependencies": [], "description": "Change the list of packages as it was asked for", "content": after });
    let intent = json!({ "type": "FixBug", "text": "Fix the list of packages that the build takes" });
    let limit = json!({ "id": "c1", "type": "MUST_NOT", "scope": "global", "description": "add new dependencies" });
    let limits = if limited { vec![limit] } else { Vec::new() };
    let text = json!({ "schema": "exacta.plan/1", "intent": intent, "steps": [step], "constraints": limits });
    let plan = seal(parse(text.to_string().as_bytes()).unwrap(), facts).unwrap();
    let (caps, allowed) = (Caps::default(), Allowed::default());
    check(plan, &Context { facts, caps: &caps, constraints: &[], allowed: &allowed, generated: false }).map_err(
        |invalid| {
            let message =
                |it: &Finding| Some(it.message.split_once("the package `")?.1.split_once("` is added")?.0.to_owned());
            invalid.findings.iter().find_map(message).unwrap_or_else(|| panic!("{path}: {:?}", invalid.findings))
        },
    )
}

/// How the constraint stands.
fn constraint(plan: &Result<ValidPlan, String>) -> String {
    match plan {
        Err(added) => format!("violated {added}"),
        Ok(valid) => match valid.constraints()[0].state {
            State::Met => "met".to_owned(),
            _ => format!("unchecked {}", valid.constraints()[0].reason),
        },
    }
}

fn outcome(path: &str, before: &str, after: &str, policies: &[Policy]) -> Outcome {
    let facts = facts(path, before);
    let free = checked(path, &facts, after, false).unwrap();
    let changes = assess(free, &facts).signals().dependencies.clone();
    let held = checked(path, &facts, after, true);
    let constraint = constraint(&held);
    let decisions = held.map_or_else(
        |_| Vec::new(),
        |valid| {
            let circumstances = Circumstances {
                has_build_command: true,
                checks_off: false,
                made: None,
                connected: false,
                oversize: None,
            };
            let decision = decide(assess(valid, &facts), &policies[0], &circumstances);
            policies.iter().map(|policy| decision.under(policy, &circumstances)).collect()
        },
    );
    Outcome { constraint, changes, decisions }
}

/// What is reported, in words.
fn words(changes: &[DependencyChange]) -> String {
    let word = |change: &DependencyChange| {
        let kind = match change.change {
            DependencyKind::Added => "added",
            DependencyKind::Removed => "removed",
            DependencyKind::Version => "version",
            DependencyKind::Source => "source",
            DependencyKind::Content => "content",
        };
        let source = change.new_source.as_ref().map(|source| format!(" < {source}")).unwrap_or_default();
        format!("{kind} {}{source}", change.name)
    };
    if changes.is_empty() { "-".to_owned() } else { changes.iter().map(word).collect::<Vec<_>>().join(", ") }
}

#[test]
fn attack_07_every_format_row_by_row() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/dependency");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let policies = Profile::ALL.map(policy);
    let (mut rows, mut wrong) = (0, Vec::new());
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            rows += 1;
            let cells: Vec<&str> = line.split('¦').map(str::trim).collect();
            let [path, before, after, constraint, reported] = cells.as_slice() else { panic!("not a row: {line}") };
            let expand = |text: &str| text.replace('⏎', "\n").replace('⇥', "\t");
            let before = expand(before);
            let after = after.strip_prefix('+').map_or_else(|| expand(after), |more| before.clone() + &expand(more));
            let got = outcome(path, &before, &after, &policies);
            let unchecked = constraint.starts_with("unchecked") && got.constraint.starts_with(constraint);
            let said = got.constraint == *constraint || unchecked;
            if !said || words(&got.changes) != *reported {
                wrong.push(format!("{line}\n    got {} ¦ {}", got.constraint, words(&got.changes)));
            }
            asks(line, &got);
        }
    }
    assert!(wrong.is_empty(), "{} of {rows} rows:\n{}", wrong.len(), wrong.join("\n"));
    assert!(rows >= 120, "{rows} rows");
}

/// An unchecked constraint asks in every profile; other content and a new source ask in those that run things unasked, by name.
fn asks(line: &str, got: &Outcome) {
    if got.constraint.starts_with("unchecked") {
        assert!(got.decisions.iter().all(|decision| decision.verdict() > Verdict::Allow), "runs unasked: {line}");
    }
    let rule = |id: &str| {
        let named = |decision: &Verdicts| decision.gates().iter().any(|gate| gate.rule.as_deref() == Some(id));
        got.decisions.is_empty() || got.decisions.iter().skip(1).all(named)
    };
    for change in &got.changes {
        assert!(change.content.is_none() || rule("confirm-other-content"), "no reason: {line}");
        assert!(change.new_source.is_none() || rule("confirm-new-source"), "no reason: {line}");
    }
}

/// A file, what is in it, and ways to add a package to it. `␣` is any layout, also none; `␠` is some; `«x»` is quoted.
struct Way {
    path: &'static str,
    before: &'static str,
    after: &'static str,
    layout: &'static [&'static str],
}

const XML: &[&str] = &[" ", "\n", "\t", "\r\n  ", "<!-- x -->", ""];
const TAG: &[&str] = &[" ", "\n", "\t", "  ", "\r\n"];
const JSON: &[&str] = &["", " ", "\n", "\t\t", "\r\n"];
const LINE: &[&str] = &[" ", "\t", "  ", " \t "];
const YAML: &[&str] = &[" ", "  ", " \t", ""];
const TOML: &[&str] = &["", " ", "\t", "  "];
const ANY: &[&str] = &["", " ", "\t", "\n", " # x\n", " // x\n", "\\\n", "/* x */", "<!-- x -->"];

#[rustfmt::skip]
const WAYS: &[Way] = &[
    Way { path: "pom.xml", layout: XML, before: "<project><dependencies></dependencies></project>",
        after: "<project><dependencies>␣<dependency␣>␣<groupId>␣g␣</groupId>␣<artifactId␣>a</artifactId␣>␣<version>1</version></dependency␣>␣</dependencies></project>" },
    Way { path: "pom.xml", layout: XML, before: "<project></project>",
        after: "<m:project xmlns:m='x'>␣<m:build><m:plugins><m:plugin>␣<m:artifactId><![CDATA[a]]></m:artifactId>␣</m:plugin></m:plugins></m:build></m:project>" },
    Way { path: "App.csproj", layout: TAG, before: "<Project></Project>",
        after: "<Project><ItemGroup><PackageReference␠Include␣=␣«Evil»␠Version=«1»␣/></ItemGroup></Project>" },
    Way { path: "App.csproj", layout: XML, before: "<Project></Project>",
        after: "<Project><ItemGroup>␣<packagereference␠INCLUDE=«Evil»␣>␣<Version>1</Version>␣</packagereference></ItemGroup></Project>" },
    Way { path: "packages.config", layout: TAG, before: "<packages></packages>",
        after: "<packages><package␠id␣=␣«Evil»␠version=«1»></package></packages>" },
    Way { path: "go.mod", layout: LINE, before: "module x\n", after: "module x\n␣require␠evil.example/x␠v1.0.0␣\n" },
    Way { path: "go.mod", layout: LINE, before: "module x\n", after: "module x\nrequire␣(␣\n␣«evil.example/x»␠v1.0.0␣// why\n␣)␣\n" },
    Way { path: "go.mod", layout: ANY, before: "module x\n", after: "module x\nrequire␣(␣\nevil.example/x␠v1.0.0␣\n)" },
    Way { path: "go.work", layout: LINE, before: "go 1.22\n", after: "go 1.22\nreplace␠a.example/a␠=>␠evil.example/x␠v1\n" },
    Way { path: "go.sum", layout: LINE, before: "a v1 h1:a\n", after: "a v1 h1:a\n␣evil␠v1␠h1:b\n" },
    Way { path: "requirements.txt", layout: LINE, before: "a==1\n", after: "a==1\n␣evil␣==␣1␣\n" },
    Way { path: "requirements/base.txt", layout: ANY, before: "a==1\n", after: "a==1\n␣evil␣[x]␣>=␣1␣;␣python_version>'3'␣\n" },
    Way { path: "requirements.in", layout: LINE, before: "a\n", after: "a\n-r␣more.txt\n" },
    Way { path: "requirements.txt", layout: LINE, before: "a\n", after: "a\n--extra-index␠https://i.example\n" },
    Way { path: "constraints.txt", layout: ANY, before: "a\n", after: "a\n␣evil␣@␣https://e.example/x.whl␣\n" },
    Way { path: "package.json", layout: JSON, before: "{\"dependencies\":{}}", after: "{␣\"dependencies\"␣:␣{␣\"evil\"␣:␣\"1\"␣}␣}" },
    Way { path: "package.json", layout: JSON, before: "{}", after: "{␣\"\\u0064ependencies\"␣:␣{␣\"\\u0065vil\":\"1\"␣}}" },
    Way { path: "package.json", layout: ANY, before: "{}", after: "{␣\"overrides\":{\"a\"␣:{␣\"evil\":␣\"1\"}}}" },
    Way { path: "package-lock.json", layout: JSON, before: "{\"packages\":{}}", after: "{\"packages\":{␣\"node_modules/a/node_modules/evil\"␣:␣{\"version\":\"1\"}}}" },
    Way { path: "composer.json", layout: JSON, before: "{}", after: "{␣\"require\"␣:{␣\"evil/x\"␣:␣\"1\"}}" },
    Way { path: "vcpkg.json", layout: JSON, before: "{}", after: "{\"dependencies\"␣:␣[␣\"evil\"␣]}" },
    Way { path: "deno.jsonc", layout: ANY, before: "{}", after: "{␣\"imports\":␣{␣\"a\":␣\"npm:evil@1\",␣}}" },
    Way { path: "packages.lock.json", layout: JSON, before: "{}", after: "{\"dependencies\"␣:{\"net8.0\"␣:{\"Evil\":␣{\"resolved\":\"1\"}}}}" },
    Way { path: "Cargo.toml", layout: TOML, before: "[dependencies]\n", after: "[␣dependencies␣]\n␣evil␣=␣«1»␣# x\n" },
    Way { path: "Cargo.toml", layout: TOML, before: "[package]\n", after: "[package]\n[␣target␣.␣«cfg(unix)»␣.␣dev-dependencies␣.␣«evil»␣]\nversion␣=␣«1»\n" },
    Way { path: "Cargo.toml", layout: ANY, before: "[dependencies]\n", after: "[dependencies]\n␣a␣=␣{␣package␣=␣«evil»␣,␣version=«1»␣}\n" },
    Way { path: "Cargo.lock", layout: TOML, before: "", after: "[[␣package␣]]\nname␣=␣«evil»\nversion=«1»\n" },
    Way { path: "pyproject.toml", layout: ANY, before: "[project]\n", after: "[project]\ndependencies␣=␣[␣«evil>=1»␣,␣]\n" },
    Way { path: "pyproject.toml", layout: TOML, before: "[project]\n", after: "[project]\n[tool.poetry.group.dev␣.␣dependencies]\n«evil»␣=␣«*»\n" },
    Way { path: "Pipfile", layout: TOML, before: "[packages]\n", after: "[␣packages␣]\n␣«evil»␣=␣«*»\n" },
    Way { path: "poetry.lock", layout: TOML, before: "", after: "[[package]]\nname␣=␣«evil»\nversion␣=␣«1»\n" },
    Way { path: "gradle/libs.versions.toml", layout: TOML, before: "[versions]\n", after: "[versions]\n[␣libraries␣]\na␣=␣{␣module␣=␣«g:evil»␣}\n" },
    Way { path: "setup.cfg", layout: LINE, before: "[options]\n", after: "[options]\ninstall_requires␣=␣\n␠evil␣>=1\n" },
    Way { path: "environment.yml", layout: YAML, before: "dependencies:\n  - a\n", after: "dependencies␣:␠\n  - a\n  -␠«evil»␣\n" },
    Way { path: "environment.yml", layout: YAML, before: "dependencies: [a]\n", after: "dependencies:␠[␣a,␣evil␣,␣{pip:␠[x]}␣]\n" },
    Way { path: "pubspec.yaml", layout: YAML, before: "dependencies:\n  a: 1\n", after: "dependencies:\n  a: 1\n  «evil»␣:␠«1»␣\n" },
    Way { path: "pubspec.yaml", layout: YAML, before: "dependencies: {a: 1}\n", after: "«dependencies»:␠{␣a:␠1,␣«evil»:␠1␣}\n" },
    Way { path: "pnpm-lock.yaml", layout: YAML, before: "packages:\n  a@1.0.0: {}\n", after: "packages:\n  a@1.0.0: {}\n  «evil@1.0.0»␣:␠{}\n" },
    Way { path: "pnpm-workspace.yaml", layout: YAML, before: "catalog:\n  a: 1\n", after: "catalog:\n  a: 1\n  «evil»␣:␠1\n" },
    Way { path: "yarn.lock", layout: LINE, before: "a@1:\n  version \"1.0.0\"\n", after: "a@1:\n  version \"1.0.0\"\n«evil@1»␣:\n  version␠«1.0.0»\n" },
    Way { path: "yarn.lock", layout: YAML, before: "__metadata:\n  version: 8\n", after: "__metadata:\n  version: 8\n«evil@npm:1»␣:\n  version␣:␠1.0.0\n" },
    Way { path: "Gemfile", layout: LINE, before: "gem 'a'\n", after: "gem 'a'\n␣gem␣(␣«evil»␣)␣\n" },
    Way { path: "Gemfile.lock", layout: LINE, before: "GEM\n  specs:\n    a (1)\n", after: "GEM\n  specs:\n    a (1)\n    evil␠(1)␣\n" },
    Way { path: "build.gradle", layout: ANY, before: "dependencies {}\n", after: "dependencies {␣implementation␣(␣«g:evil:1»␣)␣}\n" },
    Way { path: "gradle.lockfile", layout: LINE, before: "empty=\n", after: "empty=\n␣g:evil:1=compileClasspath␣\n" },
    Way { path: "conanfile.txt", layout: LINE, before: "[requires]\n", after: "[␣requires␣]\n␣evil/1.0␣\n" },
];

/// How many ways to lay out each row are tried.
const TRIES: usize = 80;

#[test]
fn attack_07_a_dependency_is_seen_or_unchecked_however_it_is_written() {
    let mut dice = 7_u64;
    let mut throw = move |sides: usize| {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(dice >> 33).unwrap() % sides
    };
    for way in WAYS {
        let facts = facts(way.path, way.before);
        for _ in 0..TRIES {
            let mut after = String::new();
            let mut quote = '"';
            for c in way.after.chars() {
                match c {
                    '␣' if throw(3) > 0 => {}
                    '␣' => after.push_str(way.layout[throw(way.layout.len())]),
                    '␠' => after.push_str([" ", "\t", "  "][throw(3)]),
                    '«' => {
                        quote = ['"', '\''][throw(2)];
                        after.push(quote);
                    }
                    '»' => after.push(quote),
                    c => after.push(c),
                }
            }
            let got = constraint(&checked(way.path, &facts, &after, true));
            assert_ne!(got, "met", "{}: {:?} → {after:?}", way.path, way.before);
        }
    }
}

/// Texts that are small but would mean much: each is read in a moment, or not at all.
#[test]
fn attack_07_hostile_manifests_cost_little() {
    let repeat = |head: &str, part: &str, tail: &str| format!("{head}{}{tail}", part.repeat(20_000));
    let long = "x".repeat(150_000);
    let pom = |version: &str| {
        let package = format!("<dependency><artifactId>a</artifactId><version>{version}</version></dependency>");
        format!("<project><properties><v>{long}</v></properties>{package}</project>")
    };
    let properties: String = (0..5_000).map(|n| format!("<p{n}>1</p{n}>")).collect();
    let uses: String =
        (0..5_000).map(|n| format!("<d><artifactId>a</artifactId><version>${{p{n}}}</version></d>")).collect();
    for (path, after) in [
        ("pom.xml", pom(&"${v}".repeat(20_000))),
        ("pom.xml", format!("<project><properties>{properties}</properties>{uses}</project>")),
        ("pom.xml", repeat("", "<a>", "")),
        ("App.csproj", format!("<Project{}/>", (0..20_000).map(|n| format!(" a{n}=''")).collect::<String>())),
        (
            "App.csproj",
            repeat("<Project><PackageReference Include='", "A;", &format!("' Version='{long}'/></Project>")),
        ),
        (
            "yarn.lock",
            format!(
                "{}b@1:\n  version \"1\"\n  integrity {long}\n",
                (0..8_000).map(|n| format!("a{n}@1, ")).collect::<String>()
            ),
        ),
        ("environment.yml", repeat("", "[", "")),
        ("environment.yml", repeat("dependencies:\n- pip:\n", "  - a\n", "")),
        ("pnpm-lock.yaml", repeat("a: &a [x, x]\nb: [", "*a, ", "*a]\n")),
        ("package.json", repeat("", "{\"overrides\":", "")),
        ("requirements.txt", repeat("", "a\\\n", "")),
    ] {
        let started = std::time::Instant::now();
        let got = constraint(&checked(path, &facts(path, ""), &after, true));
        assert_ne!(got, "met", "{path}");
        assert!(started.elapsed().as_secs() < 20, "{path}: {:?}", started.elapsed());
    }
}

/// attack 58: a manifest of many packages is read in time that grows with it, and each is reported with its line.
#[test]
fn attack_58_many_packages_cost_little() {
    let many = |version: &str| {
        let packages: String = (0..40_000).map(|n| format!("\te.io/x{n} {version}\n")).collect();
        format!("module x\n\nrequire (\n{packages})\n")
    };
    let facts = facts("go.mod", &many("v1.0.0"));
    let started = std::time::Instant::now();
    let plan = checked("go.mod", &facts, &many("v1.0.1"), false).unwrap();
    let changes = exacta_kernel::scan::signals(plan.plan(), &facts).dependencies;
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
    assert_eq!(changes.len(), 40_000);
    for change in changes {
        let number: u64 = change.name.strip_prefix("e.io/x").unwrap().parse().unwrap();
        assert_eq!(change.place.line, Some(number + 4), "{}", change.name);
    }
}
