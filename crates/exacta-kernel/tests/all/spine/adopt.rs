//! A plan that adopts what lies in the work tree already: what it is bound to, and that no approval of it is one to write.

use super::scene::{Scene, proposal, run_id};
use exacta_kernel::drift::{Answer, drift};
use exacta_kernel::facts::{FileContent, FileState, Target, TargetFact};
use exacta_kernel::finding::Code;
use exacta_kernel::lifecycle::Status;
use exacta_kernel::parse::parse;
use exacta_kernel::path::RelPath;
use exacta_kernel::permit::{Permit, Refused, permit};
use exacta_kernel::seal::seal;
use serde_json::json;
use std::sync::Arc;

fn path(text: &str) -> RelPath {
    RelPath::parse(text).unwrap()
}

fn permitted(scene: &Scene) -> Result<Permit, Refused> {
    let approval = scene.approval(&[scene.signed(&json!({}))]);
    permit(&scene.recorded(Status::UserApproved), scene.decision(), approval, scene.present(), run_id())
}

#[test]
fn it_expects_what_it_leaves_and_its_permit_is_to_adopt() {
    let scene = Scene::adopting();
    let plan = scene.plan.plan();
    assert!(plan.adopts());
    let FileState::File { mode, .. } = plan.expected_states()[&path("a.txt")] else { panic!("a file") };
    assert_eq!(mode, 0o664, "as it lies there");
    assert_eq!(drift(&scene.identity, &scene.present()), []);
    let permit = permitted(&scene).unwrap();
    assert!(permit.work().adopts() && !permit.work().is_outside());
    let before = permit.work().changes()[0].before.clone().unwrap();
    assert_eq!((before.bytes(), before.mode()), (&b"one\n"[..], 0o664), "committed, with the mode that lies there");
    assert!(!permitted(&Scene::new()).unwrap().work().adopts());
}

/// The same content, bound as an adoption and as a change to be written: neither approval permits the other.
#[test]
fn no_approval_to_adopt_is_one_to_write_nor_the_other_way_round() {
    let (adopting, writing) = (Scene::adopting(), Scene::new());
    assert_eq!(adopting.plan.plan().content_hash(), writing.plan.plan().content_hash());
    assert_ne!(adopting.made_hash, writing.made_hash);
    // Even where whoever stores plans says that one is the other.
    let mut as_writing = Scene::adopting();
    as_writing.identity.binding.adopts = None;
    as_writing.made_hash = as_writing.identity.plan_hash(as_writing.plan.plan().content_hash()).unwrap();
    assert_eq!(permitted(&as_writing).unwrap_err(), Refused::HashMismatch);
    let mut as_adopting = Scene::new();
    as_adopting.identity.binding.adopts = adopting.identity.binding.adopts.clone().map(|mut adopts| {
        adopts.base.clear();
        adopts
    });
    as_adopting.made_hash = as_adopting.identity.plan_hash(as_adopting.plan.plan().content_hash()).unwrap();
    assert_eq!(permitted(&as_adopting).unwrap_err(), Refused::HashMismatch);
    let signed = adopting.signed(&json!({}));
    assert!(writing.approval(&[signed]).is_err());
}

#[test]
fn another_file_or_another_commit_ends_it() {
    let mut scene = Scene::adopting();
    let fact = |text: &[u8]| TargetFact {
        target: Target::File(Arc::new(FileContent::new(text.to_vec(), 0o664))),
        lookalikes: Vec::new(),
        folds: false,
    };
    scene.facts.insert(path("a.txt"), fact(b"other\n"));
    let drifts = drift(&scene.identity, &scene.present());
    assert_eq!(drifts.iter().map(|drift| drift.answer).collect::<Vec<_>>(), [Answer::Expired]);
    for base in [Some(Arc::new(FileContent::new(b"later\n".to_vec(), 0o644))), None] {
        let mut scene = Scene::adopting();
        let mut now = scene.facts.base().unwrap().clone();
        now.insert(path("a.txt"), base);
        scene.facts.set_base(now);
        let drifts = drift(&scene.identity, &scene.present());
        assert_eq!(drifts.len(), 1);
        assert_eq!((drifts[0].answer, drifts[0].path.as_deref()), (Answer::Expired, Some("a.txt")));
        assert!(matches!(permitted(&scene), Err(Refused::Expired(_))));
    }
    let mut scene = Scene::adopting();
    scene.facts.set_base(Default::default());
    assert_eq!(drift(&scene.identity, &scene.present()).len(), 2, "what cannot be read counts as changed");
}

#[test]
fn a_step_that_leaves_anything_else_is_no_adoption() {
    let scene = Scene::adopting();
    let mut other = proposal();
    other["steps"][0]["content"] = json!("one\ntwo\nthree\n");
    let plan = seal(parse(other.to_string().as_bytes()).unwrap(), &scene.facts).unwrap();
    assert_eq!(plan.failures().iter().map(|finding| finding.code).collect::<Vec<_>>(), [Code::TargetChanged]);
}
