//! Files that are boundaries only in part: what counts is what changes in them.

use crate::facts::FileContent;
use crate::prelude::*;
use crate::scan::change::FileChange;
use serde_json::{Map, Value};

/// Scripts of a `package.json` that a package manager runs by itself.
const NPM_SCRIPTS: &[&str] = &[
    "preinstall",
    "install",
    "postinstall",
    "preprepare",
    "prepare",
    "postprepare",
    "preuninstall",
    "uninstall",
    "postuninstall",
    "prepublish",
    "prepublishOnly",
    "prepack",
    "postpack",
    "dependencies",
];
/// Other parts of a `package.json` that steer tools.
const NPM_KEYS: &[&str] = &[
    "husky",
    "lint-staged",
    "simple-git-hooks",
    "pre-commit",
    "packageManager",
    "publishConfig",
    "gypfile",
    "pnpm",
    "trustedDependencies",
    "dependenciesMeta",
    "lavamoat",
];

/// Phrases in an added line that grant a container, pod or program more than its own folder.
const GRANTS: &[(&str, &str)] = &[
    ("privileged: true", "grants a container the rights of its host"),
    ("network_mode: host", "grants a container the network of its host"),
    ("network_mode: \"host\"", "grants a container the network of its host"),
    ("hostnetwork: true", "grants a container the network of its host"),
    ("hostpid: true", "grants a container the processes of its host"),
    ("/var/run/docker.sock", "grants a container power over all containers"),
    ("kind: clusterrole", "decides who may do what in a cluster"),
    ("kind: rolebinding", "decides who may do what in a cluster"),
    ("kind: role", "decides who may do what in a cluster"),
    ("kind: networkpolicy", "decides who may reach what in a cluster"),
    ("kind: clusterrolebinding", "decides who may do what in a cluster"),
    ("aws::iam::", "decides who may do what in a cloud account"),
    ("microsoft.authorization/", "decides who may do what in a cloud account"),
    ("resource \"aws_iam_", "decides who may do what in a cloud account"),
    ("resource \"google_project_iam_", "decides who may do what in a cloud account"),
    ("resource \"azurerm_role_", "decides who may do what in a cloud account"),
    ("resource \"aws_security_group", "decides who may reach what in a cloud account"),
];

/// Parts of other JSON files that run something or decide where it comes from, by file.
const JSON_KEYS: &[(&str, &[&str], &str)] = &[
    ("composer.json", &["scripts", "config"], "runs by itself or decides what may run"),
    ("app.json", &["scripts", "buildpacks"], "is run when the app is deployed"),
    ("global.json", &["sdk", "msbuild-sdks"], "decides with which tools the project is built"),
    (
        "auth.json",
        &["http-basic", "bearer", "github-oauth", "gitlab-oauth", "gitlab-token", "bitbucket-oauth", "custom-headers"],
        "decides with which credentials packages are fetched",
    ),
    (
        "manifest.json",
        &[
            "permissions",
            "optional_permissions",
            "host_permissions",
            "content_security_policy",
            "externally_connectable",
        ],
        "grants a browser extension access",
    ),
];

/// Phrases by file or ending, for files that are boundaries where they have one of them.
const PHRASES: &[(&str, &[(&str, &str)])] = &[
    (
        "gradle.properties",
        &[
            ("systemprop.", "decides which proxy or setting every build uses"),
            ("org.gradle.jvmargs", "decides what runs beside every build"),
            ("org.gradle.java.home", "decides which program runs every build"),
        ],
    ),
    (
        "androidmanifest.xml",
        &[
            ("uses-permission", "grants a program network, shell or system access"),
            ("android:exported", "decides which other programs may call this one"),
            ("usescleartexttraffic", "decides how a program may use the network"),
            ("networksecurityconfig", "decides how a program may use the network"),
        ],
    ),
    ("info.plist", &[("nsallowsarbitraryloads", "decides how a program may use the network")]),
    (".pbxproj", &[("shellscript", "is run by Xcode in every build")]),
    (".csproj", MSBUILD),
    (".vbproj", MSBUILD),
    (".fsproj", MSBUILD),
    (".vcxproj", MSBUILD),
    (".props", MSBUILD),
    (".targets", MSBUILD),
    ("deno.json", DENO),
    ("deno.jsonc", DENO),
    (".yml", GRANTS),
    (".yaml", GRANTS),
    (".tf", GRANTS),
    (".hcl", GRANTS),
    (".bicep", GRANTS),
    (".template", GRANTS),
];

const MSBUILD: &[(&str, &str)] = &[
    ("<exec ", "is run by MSBuild in every build"),
    ("<prebuildevent", "is run by MSBuild in every build"),
    ("<postbuildevent", "is run by MSBuild in every build"),
    ("<usingtask", "is run by MSBuild in every build"),
];

const DENO: &[(&str, &str)] = &[
    ("--allow-all", "grants a program everything"),
    ("--allow-run", "grants a program the shell"),
    ("--allow-net", "grants a program the network"),
];

/// What a change crosses, each with its line where there is one.
pub(super) fn crossed(change: &FileChange<'_>) -> Vec<(String, Option<u64>)> {
    let name = change.path.name().to_lowercase();
    if let Some((_, keys, why)) = JSON_KEYS.iter().find(|(file, ..)| *file == name) {
        return json_keys(change, keys, why);
    }
    if let Some((_, phrases)) = PHRASES.iter().find(|(ending, _)| name.ends_with(ending)) {
        return grants(change, phrases);
    }
    match name.as_str() {
        "package.json" => package(change),
        "cargo.toml" => toml_keys(
            change,
            &[
                &["package", "build"],
                &["package", "links"],
                // The old name of `package`, which Cargo still reads.
                &["project", "build"],
                &["project", "links"],
                &["lib", "proc-macro"],
                &["lib", "proc_macro"],
                &["patch"],
                &["replace"],
            ],
        ),
        "pyproject.toml" => toml_keys(
            change,
            &[
                &["build-system", "build-backend"],
                &["build-system", "backend-path"],
                &["tool", "hatch", "build", "hooks"],
                &["tool", "poetry", "build"],
            ],
        ),
        _ if name.ends_with(".json") => access_policy(change),
        _ => Vec::new(),
    }
}

/// A policy of a cloud account as JSON.
fn access_policy(change: &FileChange<'_>) -> Vec<(String, Option<u64>)> {
    let has = |content: Option<&FileContent>, word: &[u8]| {
        content.is_some_and(|content| memchr::memmem::find(content.bytes(), word).is_some())
    };
    let either = |word: &[u8]| has(change.after, word) || has(change.before, word);
    let policy = either(b"\"Statement\"") && either(b"\"Effect\"") && either(b"\"Action\"");
    if policy || either(b"AWS::IAM::") || either(b"Microsoft.Authorization/") {
        return vec![("decides who may do what in a cloud account".to_owned(), line_of(change, "Effect"))];
    }
    Vec::new()
}

/// A `package.json`: scripts that run by themselves, and what steers tools.
fn package(change: &FileChange<'_>) -> Vec<(String, Option<u64>)> {
    let (before, after) = (object(change.before), object(change.after));
    let script = |document: &Map<String, Value>, name: &str| {
        document.get("scripts").and_then(|scripts| scripts.get(name)).cloned()
    };
    let changed = NPM_SCRIPTS.iter().filter(|name| script(&before, name) != script(&after, name));
    let mut found: Vec<_> = changed
        .map(|name| (format!("the script `{name}` is run by a package manager by itself"), line_of(change, name)))
        .collect();
    found.extend(json_keys(change, NPM_KEYS, "steers tools that run by themselves"));
    found
}

fn json_keys(change: &FileChange<'_>, keys: &[&str], why: &str) -> Vec<(String, Option<u64>)> {
    let (before, after) = (object(change.before), object(change.after));
    let changed = keys.iter().filter(|key| before.get(**key) != after.get(**key));
    changed.map(|key| (format!("`{key}` {why}"), line_of(change, key))).collect()
}

fn object(content: Option<&FileContent>) -> Map<String, Value> {
    content.and_then(|content| serde_json::from_slice(content.bytes()).ok()).unwrap_or_default()
}

fn toml_keys(change: &FileChange<'_>, keys: &[&[&str]]) -> Vec<(String, Option<u64>)> {
    let read = |content: Option<&FileContent>| {
        content
            .and_then(|content| core::str::from_utf8(content.bytes()).ok()?.parse::<toml::Table>().ok())
            .unwrap_or_default()
    };
    let (before, after) = (toml::Value::Table(read(change.before)), toml::Value::Table(read(change.after)));
    // `build = false` says no more than leaving it out.
    let at = |value: &toml::Value, key: &[&str]| {
        let found = key.iter().try_fold(value.clone(), |value, part| value.get(*part).cloned());
        found.filter(|found| *found != toml::Value::Boolean(false))
    };
    let changed = keys.iter().filter(|key| at(&before, key) != at(&after, key));
    // A new project's ordinary build back end runs nothing of its own.
    let ordinary = |key: &[&str]| change.before.is_none() && key == ["build-system", "build-backend"];
    changed
        .filter(|key| !ordinary(key))
        .map(|key| {
            (
                format!("`{}` decides what runs when the project is built", key.join(".")),
                line_of(change, key.last().unwrap_or(&"")),
            )
        })
        .collect()
}

fn grants(change: &FileChange<'_>, phrases: &[(&str, &str)]) -> Vec<(String, Option<u64>)> {
    let mut found = Vec::new();
    for line in &change.lines {
        let text = String::from_utf8_lossy(line.bytes).to_lowercase();
        let text = text.split('#').next().unwrap_or_default();
        let crossed = phrases.iter().find(|(phrase, _)| text.contains(phrase));
        found.extend(crossed.map(|(_, why)| ((*why).to_owned(), Some(line.line))));
    }
    found
}

/// The first added line that has this word.
fn line_of(change: &FileChange<'_>, word: &str) -> Option<u64> {
    let mut lines = change.added_lines();
    lines.find(|line| memchr::memmem::find(line.bytes, word.as_bytes()).is_some()).map(|line| line.line)
}
