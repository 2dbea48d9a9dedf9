//! One pass over the words of changed lines that tells which lines deserve a closer look, and by whom.
//!
//! Marks only ever say "look": every use checks the line itself. A word is a run of letters and digits; `camelCase` and
//! `snake_case` count as several.

use crate::prelude::*;

/// A set of reasons to look at a line.
pub(crate) type Marks = u32;

/// Reverse shells.
pub(crate) const SHELL: Marks = 1;
/// Downloads.
pub(crate) const FETCH: Marks = 1 << 1;
/// Encoded text.
pub(crate) const DECODE: Marks = 1 << 2;
/// Text that is run.
pub(crate) const RUN: Marks = 1 << 3;
/// Becoming root.
pub(crate) const ROOT: Marks = 1 << 4;
/// Permission bits.
pub(crate) const MODE: Marks = 1 << 5;
/// Containers' rights.
pub(crate) const CONTAINER: Marks = 1 << 6;
/// Git's hooks.
pub(crate) const HOOKS: Marks = 1 << 7;
/// Verification of certificates.
pub(crate) const TLS: Marks = 1 << 8;
/// Keys and credentials of the user.
pub(crate) const LOGIN: Marks = 1 << 9;
/// What starts by itself.
pub(crate) const START: Marks = 1 << 10;
/// Protections of the system.
pub(crate) const PROTECTION: Marks = 1 << 11;
/// Disks.
pub(crate) const DISK: Marks = 1 << 12;
/// Removal of folders.
pub(crate) const REMOVE: Marks = 1 << 13;
/// Checks, of people, requests and tests.
pub(crate) const CHECK: Marks = 1 << 14;
/// Work for somebody else's purse.
pub(crate) const MINER: Marks = 1 << 15;
/// Any danger.
pub(crate) const DANGER: Marks = (1 << 16) - 1;
/// Unfinished work.
pub(crate) const OPEN: Marks = 1 << 16;
/// Skipped tests and swallowed errors.
pub(crate) const HIDES: Marks = 1 << 17;
/// Areas where mistakes are dangerous.
pub(crate) const AREA: Marks = 1 << 18;
/// Branches.
pub(crate) const BRANCH: Marks = 1 << 19;

const WORDS: &[(Marks, &str)] = &[
    (SHELL, "tcp nc ncat mkfifo socat dup2 pty fsockopen tcpsocket tcpclient"),
    (FETCH, "curl wget fetch iwr irm requests urlopen urlretrieve download downloadstring http https invoke"),
    (DECODE, "base64 b64decode atob encoded encodedcommand enc"),
    (DECODE, "compile xz gunzip zcat unxz xxd uudecode openssl rev gzip bzip2 base32"),
    (RUN, "exec eval iex sh bash zsh dash ksh system popen passthru subprocess spawn zend execsync"),
    (ROOT, "nopasswd sudoers visudo usermod setuid seteuid setcap"),
    (MODE, "chmod umask 0o777 0777"),
    (CONTAINER, "privileged host hostpid hostnetwork pid docker cap escalation"),
    (HOOKS, "verify husky hooks hookspath lefthook overcommit commit"),
    (
        TLS,
        "verify reject unauthorized danger unverified cert ssl sslverify strict stricthostkeychecking trust verifier",
    ),
    (TLS, "hostname certificate curl verifypeer noop"),
    (LOGIN, "ssh aws shadow authorized env printenv credentials environ getenv netrc npmrc pypirc kube gcloud solana"),
    (LOGIN, "gnupg electrum wallet login logins keychain gethostbyname dns nslookup"),
    (
        START,
        "crontab cron systemd systemctl init local autostart launch launchagents launchdaemons schtasks current bashrc zshrc",
    ),
    (START, "bash profile zshenv currentversion"),
    (
        PROTECTION,
        "setenforce ufw iptables realtime disablerealtimemonitoring histfile history execution executionpolicy 169 metadata",
    ),
    (START, "preload pam motd udev"),
    (PROTECTION, "auditd auditctl rsyslog apparmor firewalld histsize preference mppreference randomize"),
    (ROOT, "gpasswd adduser"),
    (DISK, "dd mkfs wipefs rmtree homedir removeall terminate destroy kubectl"),
    (
        CHECK,
        "ignore skip skipnow xit xdescribe xtest disabled skipped skiptest csrf forgery antiforgery authenticity security",
    ),
    (
        CHECK,
        "frameguard origin uid euid algorithms signature vsf acidbitchez password passwd passphrase passcode secret",
    ),
    (
        CHECK,
        "header headers cookie apikey verify digest checkpw authenticate authenticated authorize timing permission",
    ),
    (CHECK, "nosec nosonar nosemgrep eslint nolint gitleaks pragma checkov tfsec trivy"),
    (TLS, "checking missing unauthenticated trusted gpgcheck nogpgcheck gpg"),
    (START, "zprofile"),
    (MINER, "stratum xmrig coinhive coin cryptonight minexmr supportxmr nanopool moneroocean donate minerd"),
    (REMOVE, "rm"),
    (
        OPEN,
        "todo fixme xxx unimplemented implemented lorem rest existing remaining unchanged omitted same your implementation",
    ),
    (
        OPEN,
        "remains remainder untouched truncated previous replace replaceme change changeme insert xxxxxxxx placeholder fill yourdomain add",
    ),
    (HIDES, "ignore skip skipnow xit xdescribe disabled pending catch except rescue"),
    (
        AREA,
        "authenticate authenticated authentication login logout password passwd oauth jwt bearer csrf otp mfa cookie setcookie",
    ),
    (
        AREA,
        "encrypt decrypt encrypted cipher hmac sha256 sha1 md5 aes rsa ed25519 nonce bcrypt argon2 scrypt pbkdf2 certificate",
    ),
    (
        AREA,
        "hash createhash getrandom secret secrets apikey api credential credentials keyring private privatekey access accesskey",
    ),
    (AREA, "permission permissions authorize authorized chmod chown setuid sudo acl rbac admin isadmin superuser cors"),
    (AREA, "pickle unserialize marshal objectinputstream binaryformatter unsafe readobject object binary"),
    (AREA, "subprocess popen execve execfile shellexecute processbuilder process child shell eval spawn execsync exec"),
    (AREA, "inner innerhtml html dangerously executequery query rawquery raw select insert delete update drop"),
    (BRANCH, "if elif elsif elseif unless for foreach while until case when match catch except rescue guard loop"),
];

/// The words with their marks, by hash. Two words of one hash share their marks, which costs a look and no more.
#[derive(Debug)]
pub(crate) struct Lexicon {
    slots: Vec<(u32, Marks)>,
}

const SLOTS: usize = 2048;
const SEED: u32 = 0x811C_9DC5;

impl Lexicon {
    pub fn new() -> Self {
        let mut lexicon = Self { slots: vec![(0, 0); SLOTS] };
        for (marks, words) in WORDS {
            for word in words.split(' ') {
                lexicon.add(word.bytes().fold(SEED, step), *marks);
            }
        }
        lexicon
    }

    fn add(&mut self, hash: u32, marks: Marks) {
        let mut at = slot(hash);
        while let Some(entry) = self.slots.get_mut(at) {
            if entry.0 == 0 || entry.0 == hash {
                *entry = (hash, entry.1 | marks);
                return;
            }
            at = (at + 1) % SLOTS;
        }
    }

    fn get(&self, hash: u32) -> Marks {
        let mut at = slot(hash);
        while let Some((found, marks)) = self.slots.get(at) {
            match *found {
                0 => return 0,
                found if found == hash => return *marks,
                _ => at = (at + 1) % SLOTS,
            }
        }
        0
    }

    /// The marks of all words of a line.
    pub fn marks(&self, line: &[u8]) -> Marks {
        let mut marks = 0;
        let mut hash = SEED;
        let mut last_lower = false;
        for byte in line {
            match byte {
                b'a'..=b'z' | b'0'..=b'9' => {
                    hash = step(hash, *byte);
                    last_lower = true;
                }
                b'A'..=b'Z' => {
                    if last_lower {
                        marks |= self.get(hash);
                        hash = SEED;
                    }
                    hash = step(hash, *byte | 0x20);
                    last_lower = false;
                }
                _ => {
                    if hash != SEED {
                        marks |= self.get(hash);
                        hash = SEED;
                    }
                    last_lower = false;
                    if matches!(byte, b'&' | b'|' | b'?') {
                        marks |= BRANCH;
                    }
                }
            }
        }
        marks | self.get(hash)
    }
}

const fn step(hash: u32, byte: u8) -> u32 {
    (hash ^ byte as u32).wrapping_mul(0x0100_0193)
}

const fn slot(hash: u32) -> usize {
    ((hash ^ (hash >> 15)) as usize) % SLOTS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_marked_wherever_they_stand() {
        let lexicon = Lexicon::new();
        for (line, marks) in [
            ("curl x", FETCH | TLS),
            ("x.rm", REMOVE),
            ("hashPassword()", AREA | CHECK),
            ("NODE_TLS_REJECT", TLS),
            ("rejectUnauthorized: x", TLS),
            ("notify iffy total", 0),
            ("a && b", BRANCH),
            ("IF x", BRANCH),
            ("", 0),
        ] {
            assert_eq!(lexicon.marks(line.as_bytes()), marks, "{line}");
        }
    }
}
