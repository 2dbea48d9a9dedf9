//! What keeps a command from being confined, and what would help: judged by what the programs said and how the system is set.

/// What is in the way.
#[derive(Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// What it is.
    pub why: String,
    /// What would help.
    pub help: String,
}

/// Where a fresh `/proc` is refused.
pub const MASKED: &str = "the system mounts a `/proc` only where nothing of the present one is covered, read-only or `noatime`, and containers \
                      cover parts of it: start yours with `--security-opt systempaths=unconfined` (Docker), `--security-opt unmask=ALL` \
                      (Podman) or `procMount: Unmasked` (Kubernetes)";

/// Where one and the same thing may be forbidden by several.
pub const NAMESPACES: &str = "allow this user, or this container, to make user, mount and process namespaces; whoever is in a `chroot` can make none";

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
    /// What it is, and what would help.
    pub fn new(why: impl Into<String>, help: impl Into<String>) -> Self {
        Self { why: why.into(), help: help.into() }
    }

    /// Where the system calls cannot be filtered.
    #[must_use]
    pub fn no_filter(why: &str) -> Self {
        Self::new(format!("no system call filter: {why}"), "commands are confined on x86_64 and aarch64 only")
    }

    /// Where the first program does not start.
    #[must_use]
    pub fn no_start(error: &std::io::Error) -> Self {
        Self::new(format!("`unshare` cannot be started: {error}"), SAID)
    }
}

/// The first thing that was said; what follows explains it to nobody.
#[must_use]
pub fn first_line(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("no word about it");
    exacta_kernel::text::excerpt(line.trim_end_matches('.'), 300)
}

/// Where the message says it all.
pub const SAID: &str = "see to what the message names, and try again";

/// Where `unshare` did not come to start the set-up.
#[must_use]
pub fn namespaces(said: &str, read: impl Fn(&str) -> Option<String>) -> Obstacle {
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
#[must_use]
pub fn setting(read: impl Fn(&str) -> Option<String>) -> Option<&'static str> {
    let forbids = |(path, value, _): &&(&str, &str, &str)| read(path).is_some_and(|text| text.trim() == *value);
    SETTINGS.iter().find(forbids).map(|(_, _, help)| *help)
}

/// Where `bwrap` did not come to start the command.
#[must_use]
pub fn bwrap(said: &str) -> Obstacle {
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
}
