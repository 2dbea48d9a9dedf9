//! Dangers that show only beside other lines: what is sent away, checks that are gone, tests that are skipped.

use super::line::Line;
use crate::diff::{ChangeKind, LineChange};
use crate::prelude::*;
use crate::scan::change::FileChange;
use crate::scan::source::is_test;

/// How many lines above and below belong to a line.
const NEAR: usize = 3;

/// Files and values that nobody sends away on purpose.
const PRECIOUS: &[&str] = &[
    ".ssh/id_",
    ".ssh/",
    ".aws/credentials",
    ".git-credentials",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".kube/config",
    ".docker/config.json",
    ".config/gcloud",
    ".config/solana",
    ".gnupg",
    ".bash_history",
    ".electrum",
    "wallet.dat",
    "login data",
    "logins.json",
    "cookies.sqlite",
    "login.keychain",
    "/etc/shadow",
];
/// The whole environment.
const ENVIRONMENT: &[&str] = &[
    "$(env)",
    "$(env ",
    "`env`",
    "$(printenv",
    "printenv |",
    "env |",
    "stringify(process.env)",
    "(process.env)",
    "dict(os.environ)",
    "os.environ)",
    "os.environ.copy()",
    "os.environ()",
    "std::env::vars()",
    "env.to_h",
    "getenv()",
    "system.getenv())",
    "tojson(secrets)",
];
/// Who and where this is.
const IDENTITY: &[&str] =
    &["os.getenv(", "getpass.getuser()", "gethostname()", "os.userinfo()", "$(whoami)", "$(hostname)"];
/// Ways out over the network.
const SENDS: &[&str] = &[
    "curl",
    "wget",
    "nc",
    "ncat",
    "requests.post(",
    "requests.put(",
    "requests.get(",
    "httpx.post(",
    "urlopen(",
    "fetch(",
    "axios.post(",
    "https.request(",
    "http.request(",
    "https.get(",
    "http.get(",
    "http.post(",
    "http.postform(",
    "http.newrequest(",
    "net::http.post(",
    "net::http.get(",
    "invoke-webrequest",
    "invoke-restmethod",
    "sendbeacon(",
    "xmlhttprequest",
];
/// Names resolved to carry something.
const LOOKUPS: &[&str] = &["gethostbyname(", "dns.resolve(", "dns.lookup(", "net.lookuphost(", "nslookup", "dig"];

/// What the added line at `index`, which names something private, gives away in its neighbourhood.
pub(super) fn sent_away(change: &FileChange<'_>, index: usize) -> Option<&'static str> {
    let line = Line::new(change.lines.get(index)?.bytes);
    let whole = line.has_any(ENVIRONMENT);
    if !whole && !line.has_any(PRECIOUS) {
        let carried = line.has_any(LOOKUPS) && line.has_any(IDENTITY);
        return carried.then_some("sends who and where it runs away by the names it looks up");
    }
    let near = neighbours(change, index);
    if !near.has_any(SENDS) {
        return None;
    }
    Some(if whole { "sends the whole environment away" } else { "sends private keys or credentials away" })
}

/// The added lines around one.
fn neighbours(change: &FileChange<'_>, index: usize) -> Line {
    let near = change.lines.iter().skip(index.saturating_sub(NEAR)).take(2 * NEAR + 1);
    let mut text = Vec::new();
    for line in near.filter(|line| line.kind == ChangeKind::Added) {
        text.extend_from_slice(line.bytes);
        text.push(b'\n');
    }
    Line::new(&text)
}

/// Shells by their path, as a program starts them.
const SHELLS: &[&str] = &["/bin/sh", "/bin/bash", "/bin/zsh", "cmd.exe"];
/// Ways to connect to a stranger.
const CONNECTS: &[&str] = &[
    "net.connect(",
    "net.createconnection(",
    "new net.socket(",
    "net.dial(",
    "tcpsocket.new(",
    "tcpsocket.open(",
    "new socket(",
    "java.net.socket(",
    "sockaddr_in(",
    "io::socket",
    "tcpclient(",
    "socket.socket(",
    "create_connection(",
    "tcpstream::connect(",
    "fsockopen(",
];

/// Whether the added line at `index` gives a shell to whom its neighbourhood connects to.
pub(super) fn hands_over_a_shell(change: &FileChange<'_>, index: usize) -> bool {
    let starts = change.lines.get(index).is_some_and(|line| Line::new(line.bytes).has_any(SHELLS));
    starts && neighbours(change, index).has_any(CONNECTS)
}

/// Whether the added line at `index` makes a file executable that was downloaded just before and is run just after.
pub(super) fn runs_a_download(change: &FileChange<'_>, index: usize) -> bool {
    let Some(line) = change.lines.get(index) else { return false };
    let line = Line::new(line.bytes);
    let told = ["chmod +x ", "chmod a+x ", "chmod u+x ", "chmod 755 ", "chmod 0755 "];
    let Some(rest) = told.iter().find_map(|words| line.as_str().split_once(words)).map(|(_, rest)| rest) else {
        return false;
    };
    let file = rest.split([' ', ';', '&', '"', '\'']).next().unwrap_or_default().trim_start_matches("./");
    let near = neighbours(change, index);
    let fetched = near.has_any(&["curl", "wget", "invoke-webrequest"]) && near.as_str().contains("://");
    file.len() > 1 && fetched && near.as_str().matches(file).count() >= 3
}

/// Words of code that checks who somebody is or whether something is genuine.
const CHECKS: &[&str] = &[
    "verify",
    "verify(",
    "compare_digest(",
    "checkpw(",
    "check_password(",
    "authenticate(",
    "is_authenticated",
    "authorize(",
    "timingsafeequal(",
    "constant_time",
    "ct_eq(",
    "validate_signature(",
    "has_permission(",
];

/// The added line that answers yes where the removed line at `index` checked.
pub(super) fn always_yes(change: &FileChange<'_>, index: usize) -> Option<u64> {
    const YES: [&[u8]; 5] = [b"return true", b"return true;", b"true", b"return ok(true);", b"return ok(());"];
    let after = change.lines.iter().skip(index).skip_while(|line| line.kind == ChangeKind::Removed);
    let mut added = after.take_while(|line| line.kind == ChangeKind::Added);
    let yes = added.find(|line| YES.contains(&line.bytes.trim_ascii().to_ascii_lowercase().as_slice()))?;
    Line::new(change.lines.get(index)?.bytes).has_any(CHECKS).then_some(yes.line)
}

/// What keeps a test from running.
const SKIPS: &[&str] = &[
    "#[ignore]",
    "#[ignore =",
    "@pytest.mark.skip",
    "@unittest.skip",
    "pytest.skip(",
    "it.skip(",
    "test.skip(",
    "describe.skip(",
    "xit(",
    "xit",
    "xdescribe(",
    "xdescribe",
    "xtest(",
    "t.skip(",
    "t.skipnow(",
    "b.skip(",
    "@disabled",
    "@ignore",
    "[ignore",
    "marktestskipped(",
    "self.skiptest(",
];
/// A run of more added lines is a new test, which may be skipped from the start.
const FEW: usize = 3;

/// Whether an added line keeps a test from running that ran before.
pub(super) fn skips_a_test(change: &FileChange<'_>, line: &LineChange<'_>) -> bool {
    let run = change.added.iter().rev().find(|run| run.first_line <= line.line);
    let few = run.is_some_and(|run| memchr::memchr_iter(b'\n', run.bytes).count() <= FEW);
    change.before.is_some() && few && is_test(change.path) && Line::new(line.bytes).has_any(SKIPS)
}

/// Names of what is compared with a fixed text only to open a door.
const KEYS: &[&str] = &["password", "passwd", "passphrase", "passcode", "secret", "api_key", "apikey"];
/// The same for headers, cookies and parameters.
const DOORS: &[&str] = &["key", "token", "debug", "secret", "admin", "auth", "backdoor", "bypass", "master", "support"];

/// Whether a line compares what somebody gave with a fixed text that looks like a key.
pub(super) fn fixed_key(change: &FileChange<'_>, line: &LineChange<'_>) -> bool {
    let text = String::from_utf8_lossy(line.bytes).to_lowercase();
    let compared = text.split_once("==").or_else(|| text.split_once(".equals(")).or_else(|| text.split_once(".eq("));
    let Some((left, right)) = compared else { return false };
    let right = right.trim_start_matches(['=', ' ']);
    let Some(quote) = right.chars().next().filter(|c| matches!(c, '"' | '\'' | '`')) else { return false };
    let literal = right.get(1..).and_then(|rest| rest.split(quote).next()).unwrap_or_default();
    let digits = literal.bytes().filter(u8::is_ascii_digit).count();
    let letters = literal.bytes().filter(u8::is_ascii_alphabetic).count();
    let keyish = literal.len() >= 8 && digits >= 2 && letters >= 2 && !literal.contains(['/', ' ', '.']);
    let name = left.trim_end().rsplit([' ', '(', '&', '|', '!']).next().unwrap_or_default();
    let given =
        ["header", "cookie", "query", "param", "args", "environ", "getenv"].iter().any(|word| left.contains(word));
    let opens = KEYS.iter().any(|key| name.contains(key)) || (given && DOORS.iter().any(|door| name.contains(door)));
    keyish && opens && !is_test(change.path)
}
