//! What is kept of sites: names, passwords, and who is on a site.

use crate::home;
use exacta_home::{HomeError, SiteRun};
use exacta_kernel::id::{ProjectId, RunId};
use exacta_kernel::site::{PasswordSource, SiteName, SiteSetup};
use std::path::Path;

fn setup() -> SiteSetup {
    let name = SiteName::parse("blog").unwrap();
    SiteSetup { name, url: "https://a.example".to_owned(), user: "a".to_owned(), password: PasswordSource::Kept }
}

#[test]
fn a_name_belongs_to_one_project() {
    let (_folder, home) = home();
    let name = setup().name;
    assert_eq!(home.claim_site(&name, Path::new("/a")).unwrap(), None);
    assert_eq!(home.claim_site(&name, Path::new("/b")).unwrap().as_deref(), Some(Path::new("/a")));
    home.release_site(&name).unwrap();
    assert_eq!(home.claim_site(&name, Path::new("/b")).unwrap(), None);
}

/// What fails leaves the password that was there, or none.
#[test]
fn a_password_stays_only_where_all_went_well() {
    let (_folder, home) = home();
    let setup = setup();
    let kept = || home.site_password(&setup).unwrap().map(|password| password.to_string());
    let failed = || Err::<(), _>(HomeError::NotTheFirst);
    assert!(home.keep_site_password(&setup, "first", failed).is_err());
    assert_eq!(kept(), None);
    home.keep_site_password(&setup, "first", || Ok::<_, HomeError>(())).unwrap();
    assert!(home.keep_site_password(&setup, "second", failed).is_err());
    assert_eq!(kept().as_deref(), Some("first"));
    home.forget_site_password(&setup).unwrap();
    assert_eq!(kept(), None);
}

/// The same in the system's keyring.
#[test]
fn a_password_in_the_keyring() {
    let (_folder, home) = home();
    let name = SiteName::parse(&format!("keyring-{}", std::process::id())).unwrap();
    let setup = SiteSetup { name, password: PasswordSource::Keyring, ..setup() };
    let kept = || home.site_password(&setup).unwrap().map(|password| password.to_string());
    let added = home.keep_site_password(&setup, "abcd efgh", || Ok::<_, HomeError>(()));
    if !exacta_testkit::offers(added.is_ok(), "the kernel's keyring") {
        return;
    }
    assert_eq!(kept().as_deref(), Some("abcd efgh"));
    assert!(home.keep_site_password(&setup, "second", || Err::<(), _>(HomeError::NotTheFirst)).is_err());
    assert_eq!(kept().as_deref(), Some("abcd efgh"));
    home.forget_site_password(&setup).unwrap();
    assert_eq!(kept(), None);
}

#[test]
fn a_site_is_held_once_and_its_last_run_is_found() {
    let (_folder, home) = home();
    let held = home.hold_site("https://a.example").unwrap().unwrap();
    assert!(home.hold_site("https://a.example").unwrap().is_none());
    assert!(home.hold_site("https://b.example").unwrap().is_some());
    let run = SiteRun {
        url: "https://a.example".to_owned(),
        root: "/a".into(),
        project: ProjectId::parse("019a2f3e-7c1d-7e2a-9b4f-000000000001").unwrap(),
        run: RunId::parse("019a2f3e-7c1d-7e2a-9b4f-000000000002").unwrap(),
    };
    held.begin(&run).unwrap();
    drop(held);
    let held = home.hold_site("https://a.example").unwrap().unwrap();
    assert_eq!(held.last().unwrap(), Some(run.clone()));
    assert_eq!(home.site_run("https://a.example").unwrap(), Some(run));
    held.end().unwrap();
    assert_eq!(held.last().unwrap(), None);
}
