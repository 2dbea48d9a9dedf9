//! Reading, drafting and archiving in a real account.

use crate::acts::{LIMITS, account_of, archive, draft, effector, key, mail, settled, word};
use exacta_effect::{Direction, Effector as _, Reversal, Seen};
use exacta_mail::{Mailbox, RawMessage};
use exacta_testkit::{Post, PostSetup};

const FIRST: &[u8] = b"From: ann@there.example\r\nSubject: one\r\n\r\nfirst\r\n";
const SECOND: &[u8] = b"From: ben@there.example\r\nSubject: two\r\n\r\nsecond\r\n";

fn read(post: &Post) -> Vec<RawMessage> {
    let (account, password) = account_of(post);
    let mut mailbox = Mailbox::connect_within(&account, &password, LIMITS).unwrap();
    let read = mailbox.messages(10).unwrap();
    mailbox.close();
    read.messages
}

#[test]
fn messages_are_read_as_they_are() {
    let Some(post) = Post::start(PostSetup::default()) else { return };
    post.deliver("", FIRST);
    assert_eq!(read(&post).len(), 1);
    post.deliver("", SECOND);
    let messages = read(&post);
    assert_eq!(messages.iter().map(|message| message.bytes.as_slice()).collect::<Vec<_>>(), [SECOND, FIRST]);
    assert!(messages[0].uid > messages[1].uid && messages[0].uid_validity == messages[1].uid_validity);
    let (account, password) = account_of(&post);
    let mut mailbox = Mailbox::connect(&account, &password).unwrap();
    assert_eq!(mailbox.messages(1).unwrap().messages.len(), 1, "only as many as asked for");
    let offers = mailbox.offers().unwrap();
    assert!(offers.archive && offers.drafts && offers.sent && offers.messages == 2, "{offers:?}");
    exacta_mail::check_sending(&account, &password).unwrap();
    assert_eq!(post.stored().len(), 0);
}

#[test]
fn a_message_is_archived_and_put_back() {
    for capability in ["", "imap_capability = IMAP4rev1 SASL-IR UIDPLUS SPECIAL-USE LIST-EXTENDED\n"] {
        let setup = PostSetup { dovecot: capability.to_owned(), ..PostSetup::default() };
        let Some(post) = Post::start(setup) else { return };
        post.deliver("", FIRST);
        post.deliver("", SECOND);
        let message = read(&post).into_iter().find(|message| message.bytes == FIRST).unwrap();
        let (effect, trace) = archive("s1", &message);
        let hand = effector(&post);
        assert_eq!(hand.reversal(&trace.act), Reversal::Compensated);
        assert_eq!(hand.look(&trace), Ok(Seen::Before));
        assert_eq!(word(&hand.perform(&effect, &trace)).0, "done", "{capability}");
        assert_eq!(hand.look(&trace), Ok(Seen::Done));
        // Another process sees the same.
        assert_eq!(effector(&post).look(&trace), Ok(Seen::Done));
        assert_eq!((post.messages("").len(), post.messages("Archive").len()), (1, 1));
        let refused = word(&hand.perform(&effect, &trace));
        assert!(refused.0 == "not done" && refused.1.contains("not in the inbox any more"), "{refused:?}");

        let other = effector(&post);
        assert_eq!(word(&other.compensate(&trace, &key("back"))).0, "done");
        assert_eq!(other.look(&trace), Ok(Seen::Before));
        assert_eq!(effector(&post).look(&trace), Ok(Seen::Before));
        assert_eq!((post.messages("").len(), post.messages("Archive").len()), (2, 0));
        assert_eq!(read(&post).iter().filter(|message| message.bytes == FIRST).count(), 1);
    }
}

/// The same message twice: the one that was read is archived, and the other one is not touched.
#[test]
fn of_two_equal_messages_one_is_archived() {
    let Some(post) = Post::start(PostSetup::default()) else { return };
    post.deliver("", FIRST);
    read(&post);
    post.deliver("", FIRST);
    let messages = read(&post);
    let hand = effector(&post);
    let (effect, trace) = archive("s1", &messages[1]);
    assert_eq!(word(&hand.perform(&effect, &trace)).0, "done");
    assert_eq!(hand.look(&trace), Ok(Seen::Done));
    assert_eq!(read(&post), messages[..1], "the other one has its number still");
    let (second, its) = archive("s2", &messages[0]);
    assert_eq!(hand.look(&its), Ok(Seen::Before));
    assert_eq!(word(&hand.perform(&second, &its)).0, "done");
    assert_eq!((post.messages("").len(), post.messages("Archive").len()), (0, 2));
    assert_eq!(word(&hand.compensate(&its, &key("back"))).0, "done");
    assert_eq!(hand.look(&its), Ok(Seen::Before), "an equal one in the archive is the first");
    assert_eq!((post.messages("").len(), post.messages("Archive").len()), (1, 1));
}

#[test]
fn a_draft_is_appended_to_the_byte_and_deleted_unless_changed() {
    let Some(post) = Post::start(PostSetup::default()) else { return };
    let hand = effector(&post);
    let (effect, trace) = draft("s1");
    assert_eq!(hand.look(&trace), Ok(Seen::Before));
    assert_eq!(word(&hand.perform(&effect, &trace)).0, "done");
    assert_eq!(effector(&post).look(&trace), Ok(Seen::Done));
    assert_eq!(word(&hand.compensate(&trace, &key("back"))).0, "done");
    assert_eq!(hand.look(&trace), Ok(Seen::Before));
    assert_eq!(post.messages("Drafts").len(), 0);

    // A person changes it: it is left.
    post.deliver("Drafts", &mail("s1", "what a person made of it"));
    assert!(matches!(hand.look(&trace), Ok(Seen::Other(_))));
    let refused = word(&hand.compensate(&trace, &key("back")));
    assert!(refused.0 == "not done" && post.messages("Drafts").len() == 1, "{refused:?}");
    // Or sends it on its way twice.
    let (_, other) = draft("s2");
    post.deliver("Drafts", &mail("s2", "a draft"));
    assert_eq!(hand.look(&other), Ok(Seen::Done));
    post.deliver("Drafts", &mail("s2", "a draft"));
    assert!(matches!(hand.look(&other), Ok(Seen::Other(_))));
}

/// Everything that is wrong with an account is said, and nothing is lost.
#[test]
fn what_is_wrong_with_an_account_is_said() {
    let Some(mut post) = Post::start(PostSetup::default()) else { return };
    post.deliver("", FIRST);
    let message = read(&post).remove(0);
    let (effect, trace) = archive("s1", &message);

    post.set_password("another");
    let hand = effector(&post);
    let fault = hand.look(&trace).unwrap_err().to_string();
    assert!(fault.contains("does not let `me@here.example` in") && !fault.contains("se cret"), "{fault}");
    let refused = word(&hand.perform(&effect, &trace));
    assert!(refused.0 == "not done" && refused.1.contains("does not let"), "{refused:?}");
    let fault = hand.settle(&trace, Direction::Perform, &trace.key).unwrap_err().to_string();
    assert!(fault.contains("does not let"), "{fault}");
    post.set_password(exacta_testkit::POST_PASSWORD);

    post.renumber();
    let hand = effector(&post);
    let refused = word(&hand.perform(&effect, &trace));
    assert!(refused.0 == "not done" && refused.1.contains("UIDVALIDITY was"), "{refused:?}");
    assert_eq!(settled(&hand, &trace, Direction::Perform), Seen::Before);
    assert_eq!(post.messages("").len(), 1);
    let message = read(&post).remove(0);

    // The folder that was the archive has another name, and no mark.
    post.set_up(PostSetup { archive: "Elsewhere/Old".to_owned(), ..PostSetup::default() });
    let (effect, trace) = archive("s1", &message);
    let hand = effector(&post);
    assert_eq!(word(&hand.perform(&effect, &trace)).0, "done", "the mark counts, not the name");
    assert_eq!((post.messages("").len(), post.messages("Elsewhere/Old").len()), (0, 1));
}

#[test]
fn a_missing_folder_and_a_full_mailbox_change_nothing() {
    let quota = "mail_plugins = quota\nplugin {\n  quota = maildir:User quota\n  quota_rule = *:bytes=1800\n}\n";
    let Some(mut post) = Post::start(PostSetup { dovecot: quota.to_owned(), ..PostSetup::default() }) else { return };
    post.deliver("", &[FIRST, "x".repeat(1_700).as_bytes(), b"\r\n"].concat());
    assert_eq!(read(&post).len(), 1);
    let hand = effector(&post);
    let (effect, trace) = draft("s1");
    let full = word(&hand.perform(&effect, &trace));
    assert!(full.0 == "not done" && full.1.contains("OVERQUOTA"), "{full:?}");
    assert_eq!(settled(&hand, &trace, Direction::Perform), Seen::Before);
    assert_eq!(post.messages("Drafts").len(), 0);

    // Without a mark no folder is taken for another, and none is made.
    post.set_up(PostSetup { unmarked: true, ..PostSetup::default() });
    let (message, hand) = (read(&post).remove(0), effector(&post));
    for (mark, (effect, trace)) in [("\\Drafts", draft("s2")), ("\\Archive", archive("s3", &message))] {
        let missing = hand.look(&trace).unwrap_err().to_string();
        assert!(missing.contains(&format!("no folder that its server marks `{mark}`")), "{missing}");
        let refused = word(&hand.perform(&effect, &trace));
        assert!(refused.0 == "not done" && refused.1.contains(mark), "{refused:?}");
    }
    assert_eq!((post.messages("").len(), post.messages("Drafts").len(), post.messages("Archive").len()), (1, 0, 0));
}
