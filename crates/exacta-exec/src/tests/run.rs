//! Runs on a real file system.

use super::project::*;
use crate::Event;
use exacta_kernel::facts::FileState;

#[test]
fn everything_is_done_and_undone() {
    let project = Project::new(&EVERYTHING);
    let before = project.tree();
    let work = everything(1);
    let mut events = Vec::new();
    let receipts = project.run_with(&work, &mut |event| events.push(event), &mut |_| Ok(())).unwrap();
    assert_eq!(project.tree(), everything_done());
    assert_eq!(receipts.steps.len(), 5);
    assert_eq!(receipts.steps[0].bytes, 6);
    assert_eq!(receipts.steps[0].before, FileState::of(content("old a\n", 0o644).as_deref()));
    assert_eq!(events.iter().filter(|event| matches!(event, Event::StepDone { .. })).count(), 5);
    assert_eq!(events[5], Event::Committing);
    assert_eq!(project.traces().len(), 2, "{:?}", project.traces());
    assert_eq!(project.root.receipts(&work.run_id).unwrap().unwrap().steps.len(), 5);

    let image = project.root.before_image_of(&work.run_id, &path("old/gone.txt")).unwrap().unwrap();
    assert_eq!((image.bytes(), image.mode()), (b"gone\n".as_slice(), 0o640));
    let found = project.root.before_image(image.sha256(), 0o640).unwrap();
    assert_eq!(found, image);

    project.run(&undo(2, &work)).unwrap();
    assert_eq!(project.tree(), before);
    project.run(&undo(3, &undo(2, &work))).unwrap();
    assert_eq!(project.tree(), everything_done());
}
