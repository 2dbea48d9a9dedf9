//! Autopilots and occasions: changed with their entries, by one of many, and believed only as the log vouches for them.

use crate::project::{Project, at, draft};
use exacta_kernel::audit::Event;
use exacta_kernel::hash::Digest;
use exacta_record::{DocumentChange, DocumentKind};
use serde_json::json;

fn change(id: &str, text: &str, was: Option<Digest>) -> DocumentChange {
    DocumentChange {
        kind: DocumentKind::Occasion,
        id: id.to_owned(),
        owner: "prices".to_owned(),
        state: "running".to_owned(),
        body: json!({ "text": text }),
        was,
    }
}

#[test]
fn of_two_changes_one_happens() {
    let project = Project::new();
    let mut store = project.open();
    let entry = [draft(Event::OccasionChanged, 1)];
    assert!(store.put_documents(&[change("o1", "a", None)], &entry, at(1)).unwrap());
    assert!(!store.put_documents(&[change("o1", "b", None)], &entry, at(2)).unwrap(), "it is there already");
    let first = store.document(DocumentKind::Occasion, "o1").unwrap().unwrap();
    assert!(store.put_documents(&[change("o1", "c", Some(first.hash))], &entry, at(3)).unwrap());
    assert!(!store.put_documents(&[change("o1", "d", Some(first.hash))], &entry, at(4)).unwrap(), "it changed since");
    let found = store.document(DocumentKind::Occasion, "o1").unwrap().unwrap();
    assert_eq!((found.body, found.created_at), (json!({ "text": "c" }), at(1)));
    assert_eq!(store.document(DocumentKind::Autopilot, "o1").unwrap(), None);
    assert_eq!(store.documents(DocumentKind::Occasion, Some("prices"), None).unwrap().len(), 1);
    assert_eq!(store.documents(DocumentKind::Occasion, Some("other"), None).unwrap().len(), 0);
    drop(store);
    assert_eq!(project.verify().unwrap().notes, [""; 0]);
}

#[test]
fn what_somebody_else_wrote_is_refused() {
    let project = Project::new();
    let mut store = project.open();
    store.put_documents(&[change("o1", "a", None)], &[draft(Event::OccasionChanged, 1)], at(1)).unwrap();
    drop(store);
    let database = rusqlite::Connection::open(project.dir.path().join(".exacta/state.db"));
    let Ok(database) = database else { panic!("no database") };
    for sql in [
        "UPDATE document SET body = '{\"text\":\"forged\"}'",
        "UPDATE document SET body = '{\"text\":\"a\"}', state = 'succeeded'",
        "DELETE FROM document",
    ] {
        database.execute(sql, []).unwrap();
        assert!(project.open().document(DocumentKind::Occasion, "o1").unwrap_err().is_tampered(), "{sql}");
    }
    assert!(project.verify().is_err());
}

/// Whoever only reads is given what is there, and can find out whether that is what the log was written with.
#[test]
fn whoever_reads_learns_what_somebody_else_wrote() {
    let project = Project::new();
    let mut store = project.open();
    let entry = [draft(Event::OccasionChanged, 1)];
    store.put_documents(&[change("o1", "a", None)], &entry, at(1)).unwrap();
    let first = store.document(DocumentKind::Occasion, "o1").unwrap().unwrap();
    store.put_documents(&[change("o1", "b", Some(first.hash))], &entry, at(2)).unwrap();
    drop(store);
    let kinds = [DocumentKind::Autopilot, DocumentKind::Occasion];
    assert_eq!(project.read().documents_damage(&kinds).unwrap(), None);
    let database = rusqlite::Connection::open(project.exacta().join("state.db")).unwrap();
    database.execute("UPDATE document SET body = '{\"text\":\"a\"}'", []).unwrap();
    let read = project.read();
    assert_eq!(read.document(DocumentKind::Occasion, "o1").unwrap().unwrap().body, json!({ "text": "a" }));
    assert_eq!(read.damage().unwrap(), None, "the ends fit");
    let found = read.documents_damage(&kinds).unwrap().unwrap();
    assert!(found.place.to_string().contains("o1"), "{found:?}");
    assert_eq!(read.documents_damage(&[DocumentKind::Autopilot]).unwrap(), None);
}
