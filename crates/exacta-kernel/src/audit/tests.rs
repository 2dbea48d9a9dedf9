//! Entries, trees, checkpoints and receipts, checked against an independent implementation.

use super::*;
use crate::approval::{ApproverName, PublicKey, Signature};
use crate::assess::BasisPoints;
use crate::hash::Digest;
use crate::id::{CorrelationId, PlanId, ProjectId};
use crate::prelude::*;
use crate::time::Timestamp;
use ed25519_dalek::{Signer as _, SigningKey};
use serde_json::json;
use tlog_tiles::tlog;

const ID: &str = "019a2f3e-7c1d-7e2a-9b4f-0123456789ab";

fn origin() -> Origin {
    Origin::of(&ProjectId::parse(ID).unwrap())
}

fn leaves(count: u64) -> Vec<Digest> {
    (0..count).map(|n| merkle::leaf_hash(&n.to_be_bytes())).collect()
}

fn theirs(digest: &Digest) -> tlog::Hash {
    tlog::Hash(*digest.as_bytes())
}

/// All hashes of a tree, as the other implementation stores them.
#[derive(Default)]
struct Stored(BTreeMap<u64, tlog::Hash>);

impl tlog::HashReader for Stored {
    fn read_hashes(&self, indexes: &[u64]) -> Result<Vec<tlog::Hash>, tlog::Error> {
        Ok(indexes.iter().map(|index| self.0[index]).collect())
    }
}

impl Stored {
    fn of(count: u64) -> Self {
        let mut stored = Self::default();
        for n in 0..count {
            let hashes = tlog::stored_hashes(n, &n.to_be_bytes(), &stored).unwrap();
            let first = tlog::stored_hash_index(0, n);
            stored.0.extend((first..).zip(hashes));
        }
        stored
    }
}

#[test]
fn trees_and_proofs_agree_with_an_independent_implementation() {
    const MAX: u64 = 70;
    let stored = Stored::of(MAX);
    for size in 1..=MAX {
        let leaves = leaves(size);
        let root = merkle::root(&leaves);
        assert_eq!(theirs(&root), tlog::tree_hash(size, &stored).unwrap(), "{size}");
        for index in 0..size {
            let proof = merkle::inclusion_proof(&leaves, index).unwrap();
            let expected = tlog::prove_record(size, index, &stored).unwrap();
            assert_eq!(proof.iter().map(theirs).collect::<Vec<_>>(), expected, "{index} of {size}");
            let leaf = leaves[index as usize];
            assert_eq!(merkle::root_of_inclusion(leaf, index, size, &proof), Some(root));
            assert_ne!(merkle::root_of_inclusion(Digest::of(b"x"), index, size, &proof), Some(root));
            let longer: Vec<_> = proof.iter().copied().chain([root]).collect();
            assert_eq!(merkle::root_of_inclusion(leaf, index, size, &longer), None);
            if let Some((_, shorter)) = proof.split_last() {
                assert_eq!(merkle::root_of_inclusion(leaf, index, size, shorter), None);
            }
        }
    }
    assert_eq!(merkle::inclusion_proof(&leaves(3), 3), None);
    assert_eq!(merkle::root_of_inclusion(leaves(1)[0], 1, 1, &[]), None);
}

#[test]
fn a_frontier_is_enough_to_go_on() {
    let mut frontier = Frontier::default();
    for (n, leaf) in leaves(200).into_iter().enumerate() {
        let kept = Frontier::from_parts(frontier.size(), frontier.roots().to_vec()).unwrap();
        assert_eq!(kept, frontier);
        frontier.push(leaf);
        assert_eq!(frontier.root(), merkle::root(&leaves(n as u64 + 1)));
    }
    assert_eq!(Frontier::from_parts(3, vec![Digest::of(b"")]), None);
}

fn key() -> (SigningKey, PublicKey) {
    let key = SigningKey::from_bytes(&[9; 32]);
    let public = PublicKey::from_bytes(key.verifying_key().to_bytes()).unwrap();
    (key, public)
}

fn sign(checkpoint: Checkpoint) -> SignedCheckpoint {
    let (key, public) = key();
    let sign = |bytes: &[u8]| Ok::<_, CheckpointError>(Signature::from_bytes(key.sign(bytes).to_bytes()));
    checkpoint.sign(&public, sign).unwrap()
}

fn checkpoint_at(size: u64) -> Checkpoint {
    Checkpoint { origin: origin(), size, root: merkle::root(&leaves(size)) }
}

#[test]
fn checkpoints_are_signed_notes_that_others_accept() {
    let (_, public) = key();
    let signed = sign(checkpoint_at(42));
    let note = signed_note::Note::from_bytes(signed.note().as_bytes()).unwrap();
    let mut vkey = vec![1];
    vkey.extend(public.as_bytes());
    let id = signed_note::key_id(origin().as_str(), &vkey);
    assert_eq!(id.to_be_bytes(), origin().key_id(&public));
    let verifier = signed_note::StandardVerifier::new(&origin().verifier_key(&public)).unwrap();
    let verifiers = signed_note::VerifierList::new(vec![Box::new(verifier)]);
    let (verified, _) = note.verify(&verifiers).unwrap();
    assert_eq!(verified.len(), 1);
    let read = tlog_tiles::Checkpoint::from_bytes(note.text()).unwrap();
    assert_eq!(
        (read.origin(), read.size(), read.hash().0),
        (origin().as_str(), 42, *checkpoint_at(42).root.as_bytes())
    );
}

#[test]
fn no_byte_of_a_checkpoint_can_be_changed() {
    let (_, public) = key();
    let signed = sign(checkpoint_at(42));
    let verify = |note: &str| SignedCheckpoint::verify(note, &origin(), &[public]);
    assert_eq!(verify(signed.note()).as_ref(), Ok(&signed));
    for (place, byte) in signed.note().bytes().enumerate() {
        for other in [b'0', b'A', b'\n', b' ', byte ^ 1] {
            let mut bytes = Vec::from(signed.note());
            bytes[place] = other;
            if let Ok(note) = String::from_utf8(bytes)
                && other != byte
            {
                assert!(verify(&note).is_err(), "{place}: {note}");
            }
        }
    }
    for end in 0..signed.note().len() {
        assert!(signed.note().get(..end).is_none_or(|note| verify(note).is_err()), "{end}");
    }
    let witnessed = format!("{}— witness.example AAAAAAAA\n", signed.note());
    assert!(verify(&witnessed).is_ok());
    let stranger = PublicKey::from_bytes(SigningKey::from_bytes(&[8; 32]).verifying_key().to_bytes()).unwrap();
    assert_eq!(SignedCheckpoint::verify(signed.note(), &origin(), &[stranger]), Err(CheckpointError::NotSigned));
    let other = Origin::of(&ProjectId::parse(&ID.replace('b', "c")).unwrap());
    assert!(matches!(SignedCheckpoint::verify(signed.note(), &other, &[public]), Err(CheckpointError::OtherLog(_))));
}

#[test]
fn a_signed_checkpoint_tells_what_it_signs() {
    let signed = sign(checkpoint_at(42));
    assert_eq!((signed.size(), signed.root()), (42, checkpoint_at(42).root));
    assert_eq!(signed.checkpoint(), &checkpoint_at(42));
    assert_eq!(signed.to_string(), signed.note());
}

#[test]
fn a_log_without_a_proper_name_is_no_log() {
    let (_, public) = key();
    let signed = sign(checkpoint_at(42));
    let named = |name: &str| signed.note().replacen(origin().as_str(), name, 1);
    let verify = |note: &str| SignedCheckpoint::verify(note, &origin(), &[public]);
    for name in ["", "exacta one", "exacta+one", "exacta\u{85}one", "exacta\u{7f}one"] {
        assert_eq!(verify(&named(name)), Err(CheckpointError::Malformed("its first line names no log")), "{name:?}");
    }
    assert_eq!(verify(&named("other")), Err(CheckpointError::OtherLog("other".to_owned())));
}

#[test]
fn a_signature_by_the_wrong_key_is_never_written() {
    let (key, _) = key();
    let stranger = PublicKey::from_bytes(SigningKey::from_bytes(&[8; 32]).verifying_key().to_bytes()).unwrap();
    let sign = |bytes: &[u8]| Ok::<_, CheckpointError>(Signature::from_bytes(key.sign(bytes).to_bytes()));
    assert_eq!(checkpoint_at(1).sign(&stranger, sign), Err(CheckpointError::BadSignature));
}

#[test]
fn receipts_prove_one_entry() {
    let (_, public) = key();
    let hashes = merkle::inclusion_proof(&leaves(42), 17).unwrap();
    let receipt = LogReceipt { index: 17, hashes, checkpoint: sign(checkpoint_at(42)).note().to_owned() };
    let text = receipt.text();
    assert!(text.starts_with("c2sp.org/tlog-proof@v1\nindex 17\n"), "{text}");
    assert_eq!(LogReceipt::parse(&text).as_ref(), Ok(&receipt));
    assert_eq!(LogReceipt::parse(&text.replace("index", "extra YQ==\nindex")).as_ref(), Ok(&receipt));
    assert!(receipt.verify(&17_u64.to_be_bytes(), &origin(), &[public]).is_ok());
    let wrong = receipt.verify(&18_u64.to_be_bytes(), &origin(), &[public]);
    assert_eq!(wrong, Err(ReceiptError::NotIncluded));
    let moved = LogReceipt { index: 18, ..receipt };
    assert_eq!(moved.verify(&17_u64.to_be_bytes(), &origin(), &[public]), Err(ReceiptError::NotIncluded));
    for bad in ["", "c2sp.org/tlog-proof@v1\nindex 017\n\nx", "c2sp.org/tlog-proof@v1\nindex 1\nAA==\n\nx", "x\n\nx"] {
        assert!(matches!(LogReceipt::parse(bad), Err(ReceiptError::Malformed(_))), "{bad}");
    }
}

#[test]
fn a_receipt_has_no_more_hashes_than_the_deepest_tree() {
    for (hashes, fits) in [(64, true), (65, false)] {
        let text = LogReceipt { index: 0, hashes: leaves(hashes), checkpoint: "x".to_owned() }.text();
        assert_eq!(LogReceipt::parse(&text).is_ok(), fits, "{hashes}");
    }
}

fn entry() -> Entry {
    let actor = Actor::Person(ApproverName::parse("tester").unwrap());
    let plan = PlanId::parse(ID).unwrap();
    let mut draft =
        EntryDraft::new(Event::PlanApproved, actor, "looks right\n").about(&CorrelationId::parse(ID).unwrap(), &plan);
    draft.risk_score = Some(40);
    draft.quality_score = Some(BasisPoints(7_499));
    draft.decision = Some("user_approved".to_owned());
    draft.data.insert("notice".to_owned(), json!(true));
    Entry::new(3, Timestamp::from_millis(1_794_000_000_042), draft)
}

#[test]
fn an_entry_is_one_canonical_line() {
    let line = entry().line().unwrap();
    insta::assert_snapshot!(core::str::from_utf8(&line).unwrap());
    assert_eq!(Entry::parse(&line), Ok(entry()));
    let text = String::from_utf8(line).unwrap();
    for (from, to) in [
        ("{", "{ "),
        ("\"seq\":3", "\"seq\":3.0"),
        ("\"seq\":3", "\"seq\":3,\"seq\":3"),
        ("\"seq\":3", "\"seq\":3,\"zzz\":1"),
        ("plan_approved", "plan_appr\\u006fved"),
        ("plan_approved", "plan_praised"),
        ("0.7499", "0.74991"),
        ("exacta.audit/1", "exacta.audit/2"),
        ("person:tester", "person:"),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from}");
        assert!(matches!(Entry::parse(changed.as_bytes()), Err(EntryError::NotAnEntry(_))), "{changed}");
    }
}

#[test]
fn an_event_is_shown_by_the_word_that_is_recorded() {
    let words = "plan_created plan_evaluated plan_checked plan_approved plan_rejected plan_expired plan_executed proposal_refused \
        changes_requested run_started run_rolled_back run_needs_attention run_undone run_recovered run_resolved run_refused \
        policy_changed profile_changed approver_changed provider_changed autopilot_changed occasion_changed autopilot_notice \
        notice_failed token_changed site_changed model_drift session_ended tampering_found";
    for word in words.split_whitespace() {
        let event: Event = serde_json::from_value(json!(word)).unwrap();
        assert_eq!((event.name(), event.to_string().as_str()), (word, word));
    }
}

/// A leaf is the hash of the line that is written, and of nothing else.
#[test]
fn an_entry_is_a_leaf_by_its_line() {
    let line = entry().line().unwrap();
    assert_eq!(entry().leaf(), Ok(merkle::leaf_hash(&line)));
    let mut other = entry();
    other.reason.push('!');
    assert_ne!(entry().leaf(), other.leaf());
}

#[test]
fn scores_and_actors_come_back_as_they_were() {
    for score in [0, 1, 10, 600, 6_000, 7_499, 7_500, 9_999, 10_000] {
        let mut entry = entry();
        entry.quality_score = Some(BasisPoints(score));
        assert_eq!(Entry::parse(&entry.line().unwrap()), Ok(entry));
    }
    for actor in [Actor::Policy, Actor::System, Actor::agent("a\u{202e}b\n:c"), Actor::Agent(String::new())] {
        let mut entry = entry();
        entry.actor = actor;
        assert_eq!(Entry::parse(&entry.line().unwrap()), Ok(entry));
    }
    assert_eq!(Actor::try_from("root".to_owned()), Err(BadActor));
}

#[test]
fn numbers_that_collapse_are_refused() {
    const MOST: i64 = 1 << 53;
    let mut plain = entry();
    plain.data.insert("n".to_owned(), json!({ "share": 0.5, "name": "x", "is": true, "none": null }));
    assert!(plain.line().is_ok());
    for (number, fits) in [(MOST, true), (MOST + 1, false), (-MOST, true), (-MOST - 1, false), (-1, true)] {
        let mut entry = entry();
        entry.data.insert("n".to_owned(), json!([{ "m": number }]));
        assert_eq!(entry.line().is_ok(), fits, "{number}");
    }
}
