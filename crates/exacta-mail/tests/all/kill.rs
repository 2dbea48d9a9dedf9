//! The promise of sending: eight faults of the wire, and `kill -9` before and after every write of the journal. No message is sent twice, none
//! is lost unnoticed, and `unknown` is said exactly where nobody can know.

use crate::acts::{LIMITS, account, archive, draft, send};
use crate::permit::{Instead, permitted};
use exacta_effect::{EffectError, Effects, Folder, JournalKey, Options, Outcome};
use exacta_kernel::effect::Effect;
use exacta_kernel::id::RunId;
use exacta_mail::{MailEffector, Mailbox};
use exacta_testkit::{Post, PostSetup, Running, program, seed};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;

const KEY: JournalKey = JournalKey::new([7; 32]);

/// Set for the process that is killed: where its state is, the servers, and what it does.
const CHILD: &str = "EXACTA_MAIL_CHILD";

/// The faults, and whether nobody can know what became of the message.
const FAULTS: [(&str, bool); 9] = [
    ("none", false),
    ("rcpt_4xx", false),
    ("rcpt_5xx", false),
    ("cut_at_data", false),
    ("data_4xx", false),
    ("data_5xx", false),
    ("cut_before_store", true),
    ("reset_after_store", true),
    ("hang_after_store", true),
];

/// Before and after every write of the journal: it is killed as it is about to write, or as it is about to sync what it wrote.
const CALLS: [(&str, usize); 2] = [("pwrite64", 8), ("fsync", 16)];

fn run_id() -> RunId {
    RunId::parse(crate::acts::RUN).unwrap()
}

/// Not a test of its own: what the killed process does.
#[test]
fn child() {
    let Ok(order) = std::env::var(CHILD) else { return };
    let words: Vec<&str> = order.split(' ').collect();
    let ended = run(Path::new(words[0]), words[1], words[2], &effects(&words[3..]));
    std::process::exit(i32::from(ended.is_err()));
}

/// The acts of a run, each by a word: `send:s1`, `draft:s2`, `archive:s3:VALIDITY:UID:SHA256:SIZE`.
fn effects(words: &[&str]) -> Vec<Effect> {
    let effect = |word: &&str| {
        let parts: Vec<&str> = word.split(':').collect();
        match parts[0] {
            "send" => send(parts[1]).0,
            "draft" => draft(parts[1]).0,
            _ => {
                let message = exacta_mail::RawMessage {
                    uid_validity: parts[2].parse().unwrap(),
                    uid: parts[3].parse().unwrap(),
                    bytes: b"x".repeat(parts[5].parse().unwrap()),
                    sha256: exacta_kernel::hash::Digest::parse(parts[4]).unwrap(),
                };
                archive(parts[1], &message).0
            }
        }
    };
    words.iter().map(effect).collect()
}

fn instead(imap: &str, smtp: &str, effects: &[Effect]) -> Instead {
    Instead { mail: MailEffector::within(vec![account(imap, smtp)], LIMITS), effects: effects.to_vec() }
}

/// From the permit to the end, as the app does it.
fn run(state: &Path, imap: &str, smtp: &str, effects: &[Effect]) -> Result<Outcome, EffectError> {
    let instead = instead(imap, smtp, effects);
    let engine = Effects::open(&Folder::open(state).unwrap(), &KEY, vec![&instead]).unwrap();
    let steps: Vec<&str> = effects.iter().map(Effect::step).collect();
    let staged = engine.permitted(permitted(&steps, &run_id())).stage()?;
    let never = AtomicBool::new(false);
    staged.entered().perform(&mut Options { cancel: &never, holds: &|| Ok(()), observer: &mut |_| {} })
}

/// What a process that comes after a dead one finds, and makes of it.
fn recover(state: &Path, post: &Post, effects: &[Effect]) -> Outcome {
    let instead = instead(&post.imap(), &post.smtp(), effects);
    let engine = Effects::open(&Folder::open(state).unwrap(), &KEY, vec![&instead]).unwrap();
    engine.recover(&|_| true).unwrap();
    assert_eq!(engine.recover(&|_| true).unwrap(), [], "doing it twice changes nothing more");
    engine.outcome(&run_id()).unwrap().expect("an end")
}

/// Starts the child, and kills it at the n-th call of a kind; whether it came to that.
fn killed(state: &Path, post: &Post, words: &[&str], call: &str, when: usize) -> bool {
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("trace={call}")]);
    command.args(["-e", &format!("inject={call}:signal=KILL:when={when}")]).arg(std::env::current_exe().unwrap());
    command.args(["--exact", "kill::child", "--nocapture", "--test-threads=1"]);
    command.env(CHILD, format!("{} {} {} {}", state.display(), post.imap(), post.smtp(), words.join(" ")));
    command.env_remove("RUST_BACKTRACE").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    Running::start(&mut command).wait().code().is_none()
}

/// The journal, whether its run has ended or not.
fn journal(state: &Path) -> String {
    let read = |folder: &str| std::fs::read_to_string(state.join(folder).join(crate::acts::RUN)).ok();
    read("effects").or_else(|| read("effects/over")).unwrap_or_default()
}

/// Whether the last thing in a journal is that an act begins.
fn is_acting(journal: &str) -> bool {
    let whole = journal.rsplit_once('\n').map_or("", |(lines, _)| lines);
    whole.lines().last().is_some_and(|line| line.contains("\"entry\":\"intent\""))
}

/// What one trial came to, for the figures.
#[derive(Default)]
struct Counts {
    trials: usize,
    killed: usize,
    sent: usize,
    not_sent: usize,
    unknown: usize,
    unknown_sent: usize,
}

impl Counts {
    /// One trial: a fault, and a kill or none. Whether the process was killed.
    fn trial(&mut self, post: &Post, (fault, unknowable): (&str, bool), kill: Option<(&str, usize)>) -> bool {
        let state = tempfile::tempdir().unwrap();
        let (words, effects) = (["send:s1"], effects(&["send:s1"]));
        post.faults(&[fault]);
        let before = post.stored().len();
        let (call, when) = kill.unwrap_or(("fsync", 1_000));
        let killed = killed(state.path(), post, &words, call, when);
        let journal = journal(state.path());
        // The process died while the message may have been on its way, or it saw itself that nobody can know.
        let (died, saw) = (is_acting(&journal), journal.contains("\"unknown\""));
        let outcome = recover(state.path(), post, &effects);
        let name = format!("{fault}, {call} {when}: {outcome:?}");
        // What the server has begun to store it stores within a moment.
        let stored = post.stored().len() - before;
        assert!(stored <= 1, "{name}: sent {stored} times");
        assert!(unknowable || !saw, "{name}: it could have been known");
        assert_eq!(matches!(outcome, Outcome::Unknown { .. }), died || saw, "{name}");
        self.trials += 1;
        self.killed += usize::from(killed);
        match outcome {
            Outcome::Completed { .. } => {
                assert_eq!(stored, 1, "{name}: lost unnoticed");
                self.sent += 1;
            }
            Outcome::NothingDone | Outcome::RolledBack { .. } => {
                assert_eq!(stored, 0, "{name}: sent unnoticed");
                self.not_sent += 1;
            }
            Outcome::Unknown { .. } => {
                self.unknown += 1;
                self.unknown_sent += stored;
            }
            other => panic!("{name}: {other:?}"),
        }
        killed
    }

    fn told(&self) -> String {
        let Self { trials, killed, sent, not_sent, unknown, unknown_sent } = self;
        format!(
            "{trials} trials, {killed} killed: {sent} sent, {not_sent} not sent, {unknown} unknown ({unknown_sent} of them sent), none twice, none lost unnoticed"
        )
    }
}

/// A fault, and the call at which the process is killed, if it is.
type Pair = ((&'static str, bool), Option<(&'static str, usize)>);

/// All pairs of fault and kill.
fn pairs() -> Vec<Pair> {
    let kills = CALLS.iter().flat_map(|(call, most)| (1..=*most).map(move |when| Some((*call, when))));
    let kills: Vec<_> = std::iter::once(None).chain(kills).collect();
    FAULTS.iter().flat_map(|fault| kills.iter().map(move |kill| (*fault, *kill))).collect()
}

/// A sample: as many pairs as fit into a third of a minute.
#[test]
fn a_message_is_sent_at_most_once() {
    let (true, Some(post)) = (program("strace"), Post::start(PostSetup::default())) else { return };
    let (mut counts, mut random, mut pairs) = (Counts::default(), seed() | 1, pairs());
    let end = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while !pairs.is_empty() && std::time::Instant::now() < end {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let index = usize::try_from(random >> 33).unwrap() % pairs.len();
        let (fault, kill) = pairs.swap_remove(index);
        counts.trial(&post, fault, kill);
    }
    println!("seed {}: {}", seed(), counts.told());
    assert!(counts.trials >= 8, "only {}", counts.told());
}

/// Every fault, every kill, 50 rounds, or as many as `EXACTA_ROUNDS` says.
#[test]
#[ignore = "takes long: tools/prove mail"]
fn every_fault_and_every_kill() {
    assert!(program("strace"));
    let rounds: usize = std::env::var("EXACTA_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(50);
    let mut counts = Counts::default();
    let begin = std::time::Instant::now();
    for round in 1..=rounds {
        let post = Post::start(PostSetup::default()).expect("servers");
        for fault in FAULTS {
            counts.trial(&post, fault, None);
            for (call, most) in CALLS {
                // Up to the first that is never reached.
                for when in 1..=most {
                    if !counts.trial(&post, fault, Some((call, when))) {
                        break;
                    }
                }
            }
        }
        println!("round {round} of {rounds}, {} s: {}", begin.elapsed().as_secs(), counts.told());
    }
}

/// Drafts and the archive: as before, or as approved, or said to be unknown; never half.
#[test]
fn a_killed_run_leaves_drafts_and_archive_whole() {
    let (true, Some(post)) = (program("strace"), Post::start(PostSetup::default())) else { return };
    let mut ends = std::collections::BTreeSet::new();
    for (call, most) in CALLS {
        for when in 1..=most {
            let state = tempfile::tempdir().unwrap();
            let text = format!("Subject: {call}\r\n\r\nnumber {when}\r\n");
            post.deliver("", text.as_bytes());
            let (own, password) = account(&post.imap(), &post.smtp());
            let message = Mailbox::connect(&own, &password).unwrap().messages(1).unwrap().messages.remove(0);
            let (validity, uid, size) = (message.uid_validity, message.uid, message.bytes.len());
            let moved = format!("archive:s1:{validity}:{uid}:{}:{size}", message.sha256);
            let step = format!("draft:d{call}{when}");
            let words = [moved.as_str(), step.as_str()];
            if !killed(state.path(), &post, &words, call, when) {
                break;
            }
            let outcome = recover(state.path(), &post, &effects(&words));
            let has = |folder: &str, text: &str| {
                post.messages(folder).iter().filter(|message| String::from_utf8_lossy(message).contains(text)).count()
            };
            let end = format!("number {when}\r\n");
            let subject = |folder: &str| {
                post.messages(folder)
                    .iter()
                    .filter(|message| {
                        let message = String::from_utf8_lossy(message);
                        message.contains(&format!("Subject: {call}")) && message.contains(&end)
                    })
                    .count()
            };
            let found = (subject(""), subject("Archive"), has("Drafts", &format!(".d{call}{when}@")));
            let name = format!("{call} {when}: {outcome:?}: {found:?}");
            assert_eq!(found.0 + found.1, 1, "{name}: there once");
            match outcome {
                Outcome::Completed { .. } => assert_eq!(found, (0, 1, 1), "{name}"),
                Outcome::NothingDone | Outcome::RolledBack { .. } => assert_eq!(found, (1, 0, 0), "{name}"),
                Outcome::Unknown { .. } => assert!(found.2 <= 1, "{name}"),
                other => panic!("{name}: {other:?}"),
            }
            ends.insert(format!("{outcome:?}").split([' ', '{']).next().unwrap_or_default().to_owned());
        }
    }
    assert!(ends.len() >= 3, "{ends:?}");
}
