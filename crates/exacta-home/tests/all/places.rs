//! Where the folder is found, and what about it is refused.

use crate::home;
use exacta_home::{FileError, Home, HomeError, Weakness};
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::path::Path;

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn found(variables: &[(&str, &str)]) -> Result<(String, String), HomeError> {
    let get = |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value));
    Home::find(get).map(|home| (home.config().display().to_string(), home.state().display().to_string()))
}

#[test]
fn found_by_the_environment() {
    type Variables<'a> = &'a [(&'a str, &'a str)];
    let cases: [(Variables, &str, &str); 5] = [
        (&[("HOME", "/h")], "/h/.config/exacta", "/h/.local/state/exacta"),
        (&[("HOME", "/h"), ("XDG_CONFIG_HOME", "/c"), ("XDG_STATE_HOME", "/s")], "/c/exacta", "/s/exacta"),
        (&[("HOME", "/h"), ("XDG_CONFIG_HOME", "relative")], "/h/.config/exacta", "/h/.local/state/exacta"),
        (&[("HOME", "/h"), ("EXACTA_HOME", "/e")], "/e", "/e/state"),
        (&[("HOME", "/h"), ("EXACTA_HOME", "")], "/h/.config/exacta", "/h/.local/state/exacta"),
    ];
    for (variables, config, state) in cases {
        assert_eq!(found(variables).unwrap(), (config.to_owned(), state.to_owned()), "{variables:?}");
    }
}

#[test]
fn without_any_place_both_variables_are_named() {
    let error = found(&[("HOME", "")]).unwrap_err();
    assert!(matches!(error, HomeError::NoFolder));
    for text in [error.to_string(), format!("{:?}", error.hint())] {
        assert!(text.contains("HOME") && text.contains("EXACTA_HOME"), "{text}");
    }
}

#[test]
fn reading_makes_nothing_and_writing_makes_private_files() {
    let (folder, home) = home();
    assert!(home.approvers().unwrap().is_empty());
    assert!(home.safety_policy_text().unwrap().is_none());
    assert!(!home.config().exists());

    home.log_key().unwrap();
    assert_eq!(mode(home.config()), 0o700);
    assert_eq!(mode(home.state()), 0o700);
    assert_eq!(mode(&home.state().join("log.key")), 0o600);
    drop(folder);
}

#[test]
fn what_others_can_write_is_not_believed() {
    let (_folder, home) = home();
    let policy = home.config().join("safety-policy.toml");
    fs::create_dir_all(home.config()).unwrap();
    fs::write(&policy, "x = 1\n").unwrap();
    set_mode(&policy, 0o644);
    assert_eq!(home.safety_policy_text().unwrap().unwrap().text, "x = 1\n");
    for bad in [0o664, 0o646, 0o666] {
        set_mode(&policy, bad);
        let error = home.safety_policy_text().unwrap_err();
        assert!(
            matches!(&error, HomeError::File(FileError::Unsafe { weakness: Weakness::Writable(found), .. }) if *found == bad),
            "{error}"
        );
        assert!(format!("{:?}", error.hint()).contains("chmod"), "{:?}", error.hint());
    }
    set_mode(home.config(), 0o777);
    assert!(Home::at(home.config()).is_err());
}

#[test]
fn links_folders_pipes_and_huge_files_are_not_believed() {
    let (folder, home) = home();
    let policy = home.config().join("safety-policy.toml");
    fs::create_dir_all(home.config()).unwrap();
    let elsewhere = folder.path().join("elsewhere");
    fs::write(&elsewhere, "x = 1\n").unwrap();
    symlink(&elsewhere, &policy).unwrap();
    let weakness = || match home.safety_policy_text() {
        Err(HomeError::File(FileError::Unsafe { weakness, .. })) => Some(weakness),
        _ => None,
    };
    assert_eq!(weakness(), Some(Weakness::NotAFile));
    fs::remove_file(&policy).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &policy,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    )
    .unwrap();
    assert_eq!(weakness(), Some(Weakness::NotAFile), "and it does not hang");
    fs::remove_file(&policy).unwrap();
    fs::File::create(&policy).unwrap().set_len(1 << 40).unwrap();
    assert_eq!(weakness(), Some(Weakness::TooLarge));
    fs::remove_file(&policy).unwrap();
    fs::write(&policy, b"x = \"\xff\"").unwrap();
    assert!(home.safety_policy_text().unwrap_err().to_string().contains("not UTF-8"));
}

#[test]
fn the_administrators_policy_wins_if_it_is_the_administrators() {
    let (folder, home) = home();
    fs::create_dir_all(home.config()).unwrap();
    fs::write(home.config().join("safety-policy.toml"), "user").unwrap();
    let etc = folder.path().join("etc");
    fs::create_dir(&etc).unwrap();
    set_mode(&etc, 0o755);
    let policy = etc.join("safety-policy.toml");
    fs::write(&policy, "system").unwrap();
    set_mode(&policy, 0o644);
    let read = home.safety_policy_text();
    if rustix::process::geteuid().is_root() {
        let source = read.unwrap().unwrap();
        assert_eq!((source.text.as_str(), source.system, source.file), ("system", true, policy.clone()));
        set_mode(&etc, 0o777);
        assert!(home.safety_policy_text().is_err(), "others could replace it");
        set_mode(&etc, 0o755);
        set_mode(&policy, 0o666);
        let hint = home.safety_policy_text().expect_err("others could change it").hint();
        let hint = format!("{hint:?}");
        assert!(hint.contains("chmod go-w "), "everybody reads it: {hint}");
    } else {
        assert!(
            matches!(read, Err(HomeError::File(FileError::Unsafe { weakness: Weakness::Owner { .. }, .. }))),
            "a policy there that is not root's is refused, not ignored"
        );
    }
}

#[test]
fn what_belongs_to_somebody_else_is_not_believed() {
    // Nobody else can give a file away.
    if !exacta_testkit::root() {
        return;
    }
    let (_folder, home) = home();
    home.log_key().unwrap();
    let owned_by_another = |error: HomeError| {
        matches!(error, HomeError::File(FileError::Unsafe { weakness: Weakness::Owner { owner: 4711, .. }, .. }))
    };
    let key = home.state().join("log.key");
    chown(&key, Some(4711), None).unwrap();
    assert!(owned_by_another(home.log_key().unwrap_err()));
    chown(home.config(), Some(4711), None).unwrap();
    assert!(owned_by_another(Home::at(home.config()).unwrap_err()));
}

#[test]
fn a_place_that_cannot_be_made_is_named() {
    let home = Home::at(Path::new("/proc/exacta")).unwrap();
    assert!(home.approvers().unwrap().is_empty());
    let error = home.log_key().unwrap_err();
    assert!(error.to_string().contains("cannot make folder `/proc/exacta/state`"), "{error}");
}
