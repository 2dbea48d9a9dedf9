//! What keeps a command from being confined, and what would help: judged by how far the set-up came, what it refused, and what its
//! programs said.

use super::staging::{Progress, Staging};

/// What is in the way.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Obstacle {
    /// What it is.
    pub why: String,
    /// What would help.
    pub help: String,
}

/// Where a fresh `/proc` is refused.
const MASKED: &str = "the system mounts a `/proc` only where nothing of the present one is covered, read-only or `noatime`, and containers \
                      cover parts of it: start yours with `--security-opt systempaths=unconfined` (Docker), `--security-opt unmask=ALL` \
                      (Podman) or `procMount: Unmasked` (Kubernetes)";

/// Where one and the same thing may be forbidden by several.
const NAMESPACES: &str = "allow this user, or this container, to make user, mount and process namespaces; whoever is in a `chroot` can make none";

/// What the system may have set against namespaces: a file, the value that forbids them, and what would help.
const SETTINGS: [(&str, &str, &str); 5] = [
    ("/proc/sys/user/max_user_namespaces", "0", "allow user namespaces: `sysctl user.max_user_namespaces=10000`"),
    ("/proc/sys/user/max_pid_namespaces", "0", "allow process namespaces: `sysctl user.max_pid_namespaces=10000`"),
    ("/proc/sys/user/max_mnt_namespaces", "0", "allow mount namespaces: `sysctl user.max_mnt_namespaces=10000`"),
    (
        "/proc/sys/kernel/unprivileged_userns_clone",
        "0",
        "allow unprivileged user namespaces: `sysctl kernel.unprivileged_userns_clone=1`",
    ),
    (
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "AppArmor restricts user namespaces: give `unshare` and `bwrap` profiles that allow `userns`, or `sysctl \
         kernel.apparmor_restrict_unprivileged_userns=0`",
    ),
];

impl Obstacle {
    pub fn new(why: impl Into<String>, help: impl Into<String>) -> Self {
        Self { why: why.into(), help: help.into() }
    }

    pub fn no_filter(why: &str) -> Self {
        Self::new(format!("no system call filter: {why}"), "commands are confined on x86_64 and aarch64 only")
    }

    pub fn no_start(error: &std::io::Error) -> Self {
        Self::new(format!("`unshare` cannot be started: {error}"), SAID)
    }

    /// Where a command did not begin: what its staging folder tells, and what was printed until then.
    pub fn found(staging: &Staging, printed: &str) -> Self {
        let read = |path: &str| std::fs::read_to_string(path).ok();
        let said = first_line(&staging.said());
        if let Some(refusal) = staging.refusal() {
            let (word, folder) = refusal.split_once(' ').unwrap_or((&refusal, ""));
            return refused(word, folder, &said, read);
        }
        match staging.progress() {
            Progress::Outside => namespaces(&first_line(printed), read),
            Progress::Entered => Self::new(format!("it cannot be prepared: {said}"), SAID),
            Progress::Started | Progress::Began => bwrap(&first_line(printed)),
        }
    }
}

/// The first thing that was said; what follows explains it to nobody.
fn first_line(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("no word about it");
    exacta_kernel::text::excerpt(line.trim_end_matches('.'), 300)
}

const SAID: &str = "see to what the message names; `exacta doctor` tries it again";

/// By the set-up's word for it.
fn refused(word: &str, folder: &str, said: &str, read: impl Fn(&str) -> Option<String>) -> Obstacle {
    match word {
        "process" => Obstacle::new("no process namespace", NAMESPACES),
        "mount" => Obstacle::new(
            format!("no mount in a user namespace ({said})"),
            setting(read)
                .unwrap_or("a user namespace is there, but may not mount: allow it in the profile of the container, or of AppArmor"),
        ),
        "proc" => Obstacle::new(format!("no `/proc` of its own ({said})"), MASKED),
        "folder" => Obstacle::new(
            format!("`{folder}` cannot be mounted in a user namespace ({said})"),
            "see who may enter the folder, and those above it",
        ),
        "exchanged" => Obstacle::new(
            format!("`{folder}` was exchanged for another folder"),
            "leave it in its place, and try again",
        ),
        "change" => Obstacle::new(
            format!("the change cannot be laid over the project ({said})"),
            "a change needs as much free memory as its files are large, and at most 1 GiB",
        ),
        "overlay" => Obstacle::new(
            format!("no overlay of the project in a user namespace ({said})"),
            "it needs Linux 5.11 or newer with its `overlay` module (`modprobe overlay`), and a project on a file system that can \
             be its lower layer",
        ),
        other => Obstacle::new(format!("{other} {folder} ({said})"), SAID),
    }
}

/// Where `unshare` did not come to start the set-up.
fn namespaces(said: &str, read: impl Fn(&str) -> Option<String>) -> Obstacle {
    let filtered = || {
        let status = read("/proc/self/status")?;
        let filter = status.lines().find_map(|line| line.strip_prefix("Seccomp:"))?;
        (filter.trim() == "2").then_some(
            "this process is under a system call filter that forbids namespaces, as in containers: start the container with \
             `--security-opt seccomp=unconfined`, or with a filter that allows them",
        )
    };
    let read_only = || said.contains("Read-only").then_some(MASKED);
    let help = setting(&read).or_else(read_only).or_else(filtered).unwrap_or(NAMESPACES);
    Obstacle::new(format!("no user, mount and process namespaces ({said})"), help)
}

/// What would help against the first setting that is in the way.
fn setting(read: impl Fn(&str) -> Option<String>) -> Option<&'static str> {
    let forbids = |(path, value, _): &&(&str, &str, &str)| read(path).is_some_and(|text| text.trim() == *value);
    SETTINGS.iter().find(forbids).map(|(_, _, help)| *help)
}

/// Where `bwrap` did not come to start the command.
fn bwrap(said: &str) -> Obstacle {
    let help = if said.contains("nknown option") {
        "it needs bubblewrap 0.8 or newer"
    } else if said.contains("mount proc") || said.contains("max_user_namespaces") {
        MASKED
    } else {
        "`bwrap` names what is in its way; `HOME`, and `reads` in the Safety Policy, must be paths that can be shown"
    };
    Obstacle::new(format!("`bwrap` cannot set it up: {said}"), help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_that_forbids_namespaces_is_named() {
        let cases = [
            ("/proc/sys/user/max_user_namespaces", "0\n", "user.max_user_namespaces="),
            ("/proc/sys/user/max_user_namespaces", "31013\n", NAMESPACES),
            ("/proc/sys/kernel/unprivileged_userns_clone", "0\n", "unprivileged_userns_clone=1"),
            ("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1\n", "AppArmor"),
            ("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "0\n", NAMESPACES),
            ("/proc/self/status", "Name:\tx\nSeccomp:\t2\nSeccomp_filters:\t1\n", "seccomp=unconfined"),
            ("/proc/self/status", "Name:\tx\nSeccomp:\t0\nSeccomp_filters:\t0\n", NAMESPACES),
        ];
        for (file, text, help) in cases {
            let found = namespaces("unshare: no", |path| (path == file).then(|| text.to_owned()));
            assert!(found.help.contains(help), "{file} {text:?}: {found:?}");
            assert!(found.why.ends_with("(unshare: no)"), "{found:?}");
        }
    }

    /// Nothing that is there already is asked for.
    #[test]
    fn what_bwrap_says_decides_what_helps() {
        let cases = [
            ("bwrap: Unknown option --disable-userns", "0.8 or newer"),
            ("bwrap: Can't mount proc on /newroot/proc: Operation not permitted", "unmask=ALL"),
            ("bwrap: cannot open /proc/sys/user/max_user_namespaces: Read-only file system", "unmask=ALL"),
            ("bwrap: Can't mkdir parents for /proc/nowhere: No such file or directory", "`HOME`"),
        ];
        for (said, help) in cases {
            assert!(bwrap(said).help.contains(help), "{said}");
        }
    }

    /// The words of the set-up, each of them, are known here.
    #[test]
    fn every_refusal_of_the_set_up_has_words() {
        let words: Vec<&str> =
            crate::sandbox::SETUP.split("refuse ").skip(1).filter_map(|rest| rest.split_whitespace().next()).collect();
        assert!(words.len() >= 7, "{words:?}");
        for word in words {
            assert!(!refused(word, "f", "s", |_| None).why.starts_with(word), "{word}");
        }
    }
}
