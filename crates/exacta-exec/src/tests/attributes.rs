//! What files have besides bytes and mode: owner, group, flags, extended attributes, access rules.

use super::project::*;
use crate::fs::Fs;
use crate::journal::FORMAT;
use crate::mark::Mark;
use crate::{Event, RunError};
use exacta_kernel::plan::Change;
use exacta_testkit::{offers, root};
use rustix::fs::XattrFlags;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

/// Owner rw, user 1000 r, group r, mask r, others r.
const ACL: &[u8] = &[
    2, 0, 0, 0, 1, 0, 6, 0, 255, 255, 255, 255, 2, 0, 4, 0, 232, 3, 0, 0, 4, 0, 4, 0, 255, 255, 255, 255, 16, 0, 4, 0,
    255, 255, 255, 255, 32, 0, 4, 0, 255, 255, 255, 255,
];

/// What a file has besides bytes and mode: undone, or put back from its before-image alone, a deleted one has it again.
#[test]
fn what_is_deleted_comes_back_with_its_attributes() {
    const AT: &str = "old/gone.txt";
    let project = Project::new(&EVERYTHING);
    let set = |name: &str, value: &[u8]| rustix::fs::setxattr(project.at(AT), name, value, XattrFlags::empty());
    if !offers(set("user.note", b"keep me").is_ok(), "extended attributes") {
        return;
    }
    // The group of the file may read; its mask, which the mode shows, lets user 1000 write.
    let mut acl = ACL.to_vec();
    (acl[14], acl[30]) = (6, 6);
    let _told = offers(set("system.posix_acl_access", &acl).is_ok(), "access control lists");
    if root() {
        std::os::unix::fs::chown(project.at(AT), None, Some(4321)).unwrap();
    }
    let seen = || {
        let meta = fs::metadata(project.at(AT)).unwrap();
        let mut buffer = [0; 256];
        let mut get = |name: &str| {
            let size = rustix::fs::getxattr(project.at(AT), name, &mut buffer[..]).unwrap_or_default();
            buffer[..size].to_vec()
        };
        (meta.uid(), meta.gid(), meta.mode(), get("user.note"), get("system.posix_acl_access"))
    };
    let (before, mode) = (seen(), fs::metadata(project.at(AT)).unwrap().mode() & 0o7777);
    let delete = |number| work(number, vec![change(AT, content("gone\n", mode), None)]);
    project.run(&delete(1)).unwrap();
    project.run(&undo(2, &delete(1))).unwrap();
    assert_eq!(seen(), before);

    project.run(&delete(3)).unwrap();
    project.reopen(3);
    fs::write(project.at(&marked(3, Mark::Back)), "").unwrap();
    assert_eq!(project.root.recover().unwrap()[0].outcome, crate::Outcome::RolledBack);
    assert_eq!(seen(), before);

    // A journal that does not tell them, in this format or in another, is none: nobody guesses.
    project.run(&delete(4)).unwrap();
    let at = project.at(&marked(4, Mark::Done));
    let journal = fs::read_to_string(&at).unwrap();
    let (_, rest) = journal.split_once('\n').unwrap();
    let (json, images) = rest.split_once('\n').unwrap();
    let mut older: serde_json::Value = serde_json::from_str(json).unwrap();
    older["steps"][0].as_object_mut().unwrap().remove("attributes").unwrap();
    let seal = project.root.disk().unwrap().key().seal(older.to_string().as_bytes());
    for format in [1, FORMAT] {
        fs::write(&at, format!("exacta-journal {format} {seal}\n{older}\n{images}")).unwrap();
        assert!(matches!(project.root.receipts(&run_id(4)), Err(RunError::BadJournal { .. })));
        let error = project.run(&undo(5, &delete(4))).unwrap_err();
        assert!(matches!(&error, RunError::Refused { reason, .. } if reason.contains("access rules")), "{error:?}");
        assert!(!project.at(AT).exists());
    }
}

#[test]
fn attributes_are_kept() {
    let project = Project::new(&EVERYTHING);
    let set = |name: &str, value: &[u8]| rustix::fs::setxattr(project.at("a.txt"), name, value, XattrFlags::empty());
    if !offers(set("user.note", b"keep me").is_ok(), "extended attributes") {
        return;
    }
    let with_acl = set("system.posix_acl_access", ACL).is_ok();
    let untouched = fs::metadata(project.at("other")).unwrap().modified().unwrap();
    project.run(&everything(1)).unwrap();
    let get = |name: &str| {
        let mut buffer = vec![0; 256];
        let size = rustix::fs::getxattr(project.at("a.txt"), name, &mut buffer[..]).unwrap_or_default();
        buffer.truncate(size);
        buffer
    };
    assert_eq!(get("user.note"), b"keep me");
    if offers(with_acl, "access control lists") {
        assert_eq!(get("system.posix_acl_access"), ACL);
    }
    assert_eq!(project.tree(), everything_done());
    assert_eq!(fs::metadata(project.at("other")).unwrap().modified().unwrap(), untouched);
}

#[test]
fn a_folder_hands_down_its_group() {
    if !root() {
        return;
    }
    let project = Project::new(&[("d/x", "", 0o644)]);
    std::os::unix::fs::chown(project.at("d"), None, Some(77)).unwrap();
    fs::set_permissions(project.at("d"), fs::Permissions::from_mode(0o2775)).unwrap();
    project.run(&work(1, vec![change("d/new", None, content("x", 0o640))])).unwrap();
    let meta = fs::metadata(project.at("d/new")).unwrap();
    assert_eq!((meta.gid(), meta.mode() & 0o7777), (77, 0o640));
}

/// Attributes and owners that somebody gives a target while a run is at it: before the commit that is drift; after it the old file comes
/// back with them.
#[test]
fn attributes_given_meanwhile_are_not_lost() {
    const NOTE: &str = "user.note";
    let note = |project: &Project, at: &str| {
        let mut buffer = [0; 16];
        rustix::fs::getxattr(project.at(at), NOTE, &mut buffer[..]).is_ok_and(|size| buffer[..size] == *b"mine")
    };
    let probe = Project::new(&EVERYTHING);
    let set =
        |project: &Project, at: &str| rustix::fs::setxattr(project.at(at), NOTE, b"mine", XattrFlags::empty()).is_ok();
    if !offers(set(&probe, "a.txt"), "extended attributes") {
        return;
    }
    for at in ["a.txt", "old/gone.txt"] {
        let project = Project::new(&EVERYTHING);
        let before = project.tree();
        let checks = &mut |_: &[Change]| {
            assert!(set(&project, at));
            Ok(())
        };
        let error = project.run_with(&everything(1), &mut |_| {}, checks).unwrap_err();
        let RunError::Drifted { targets } = error else { panic!("{error:?}") };
        assert!(targets.len() == 1 && targets[0].path == path(at), "{targets:?}");
        assert_eq!((project.tree(), project.traces(), note(&project, at)), (before.clone(), vec![], true));

        let project = Project::new(&EVERYTHING);
        let observer = &mut |event| assert!(event != Event::Committing || set(&project, at));
        let error = project.run_with(&everything(1), observer, &mut |_| Ok(())).unwrap_err();
        assert_eq!(error, RunError::Changed { path: path(at) });
        assert_eq!((project.tree(), project.traces(), note(&project, at)), (before, vec![], true));
    }
    if root() {
        let project = Project::new(&EVERYTHING);
        let checks = &mut |_: &[Change]| {
            std::os::unix::fs::chown(project.at("a.txt"), None, Some(4321)).unwrap();
            Ok(())
        };
        let error = project.run_with(&everything(1), &mut |_| {}, checks).unwrap_err();
        assert!(matches!(&error, RunError::Drifted { targets } if targets.len() == 1), "{error:?}");
        assert_eq!(fs::metadata(project.at("a.txt")).unwrap().gid(), 4321);
    }
}

/// What `chattr` gave a file, the new one has too, and the old one again after an undo.
#[test]
fn flags_are_kept() {
    let project = Project::new(&EVERYTHING);
    let flags = |at: &str| rustix::fs::ioctl_getflags(fs::File::open(project.at(at)).unwrap());
    let wanted = rustix::fs::IFlags::NODUMP | rustix::fs::IFlags::NOATIME;
    for at in ["a.txt", "old/gone.txt"] {
        let set = flags(at)
            .and_then(|flags| rustix::fs::ioctl_setflags(fs::File::open(project.at(at)).unwrap(), flags | wanted));
        if !offers(set.is_ok(), "flags of files") {
            return;
        }
    }
    let work = everything(1);
    project.run(&work).unwrap();
    assert!(flags("a.txt").unwrap().contains(wanted));
    project.run(&undo(2, &work)).unwrap();
    assert!(flags("a.txt").unwrap().contains(wanted) && flags("old/gone.txt").unwrap().contains(wanted));
}
