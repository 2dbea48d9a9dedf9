//! The list of approvers and the policy file: only with an approver's signature.

use crate::{at, home};
use exacta_home::{FileError, Home, HomeError, KeyFile, SigningKey};
use exacta_kernel::approval::setting::{
    self, SettingDemand, SettingStatement, SettingVerb, VerifiedSetting, approver_subject,
};
use exacta_kernel::approval::{ApprovalError, Approver, ApproverName};
use exacta_kernel::hash::Digest;
use std::fs;

fn person(text: &str) -> (Approver, SigningKey) {
    let name = ApproverName::parse(text).unwrap();
    let (_, key) = KeyFile::generate(&name, None).unwrap();
    (Approver { name, public_key: key.public_key(), added_at: at(0), removed_at: None }, key)
}

fn signed(home: &Home, key: &SigningKey, verb: SettingVerb, subject: Digest) -> VerifiedSetting {
    let statement = SettingStatement::new(verb, None, subject, key.name().clone(), at(0), at(60));
    let demand = SettingDemand { verb, project: None, subject, now: at(0) };
    setting::verify(&key.sign_setting(&statement).unwrap(), &home.approvers().unwrap(), &demand).unwrap()
}

fn for_approver(home: &Home, key: &SigningKey, verb: SettingVerb, who: &Approver) -> VerifiedSetting {
    signed(home, key, verb, approver_subject(&who.name, &who.public_key))
}

#[test]
fn the_first_is_free_and_the_others_need_one_who_is_listed() {
    let (_folder, home) = home();
    let ((ada, ada_key), (bob, bob_key), (eve, _)) = (person("ada"), person("bob"), person("eve"));
    home.add_first_approver(&ada).unwrap();
    assert!(matches!(home.add_first_approver(&eve), Err(HomeError::NotTheFirst)));

    let for_bob = for_approver(&home, &ada_key, SettingVerb::ApproverAdd, &bob);
    assert!(matches!(home.add_approver(&eve, &for_bob), Err(HomeError::Approval(ApprovalError::WrongSubject))));
    home.add_approver(&bob, &for_bob).unwrap();
    assert!(matches!(home.add_approver(&bob, &for_bob), Err(HomeError::ApproverExists(_))));
    assert_eq!(home.approvers().unwrap(), [ada.clone(), bob.clone()]);

    let by_bob = for_approver(&home, &bob_key, SettingVerb::ApproverAdd, &eve);
    let without_bob = for_approver(&home, &ada_key, SettingVerb::ApproverRemove, &bob);
    home.remove_approver(&bob.name, at(1), &without_bob).unwrap();
    assert!(
        matches!(home.add_approver(&eve, &by_bob), Err(HomeError::Approval(ApprovalError::Removed(_)))),
        "verified while bob was listed, used after"
    );
    let removed = Approver { removed_at: Some(at(1)), ..bob };
    assert_eq!(home.approvers().unwrap(), [ada, removed], "the entry stays, marked");
}

/// A change that could not be recorded is put back, but nobody else's with it.
#[test]
fn attack_51_settings_are_put_back() {
    let (_folder, home) = home();
    let ((ada, ada_key), (bob, _), text) = (person("ada"), person("bob"), "version = \"1\"\n");
    let none = home.settings_snapshot().unwrap();
    home.add_first_approver(&ada).unwrap();
    home.restore_settings(&none, &home.settings_snapshot().unwrap()).unwrap();
    assert_eq!(home.approvers().unwrap(), []);

    home.add_first_approver(&ada).unwrap();
    let (policy, one) = (
        signed(&home, &ada_key, SettingVerb::PolicySet, Digest::of(text.as_bytes())),
        home.settings_snapshot().unwrap(),
    );
    home.write_safety_policy(text, &policy).unwrap();
    let set = home.settings_snapshot().unwrap();
    home.add_approver(&bob, &for_approver(&home, &ada_key, SettingVerb::ApproverAdd, &bob)).unwrap();
    home.restore_settings(&one, &set).unwrap();
    assert_eq!(home.safety_policy_text().unwrap(), None);
    assert_eq!(home.approvers().unwrap(), [ada, bob], "another command's change stays");

    let before = home.settings_snapshot().unwrap();
    home.write_safety_policy(text, &policy).unwrap();
    let after = home.settings_snapshot().unwrap();
    let built_in = signed(&home, &ada_key, SettingVerb::PolicyReset, Digest::of(b"built-in"));
    home.reset_safety_policy("built-in", &built_in).unwrap();
    assert!(
        matches!(home.restore_settings(&before, &after), Err(HomeError::File(FileError::Io { .. }))),
        "changed meanwhile"
    );
}

#[test]
fn names_and_keys_are_one_persons() {
    let (_folder, home) = home();
    let (ada, ada_key) = person("ada");
    home.add_first_approver(&ada).unwrap();
    let twin = Approver { name: ApproverName::parse("twin").unwrap(), ..ada.clone() };
    let by = for_approver(&home, &ada_key, SettingVerb::ApproverAdd, &twin);
    assert!(matches!(home.add_approver(&twin, &by), Err(HomeError::KeyInUse(_))));
    let late = Approver { added_at: at(61), ..person("late").0 };
    let by = for_approver(&home, &ada_key, SettingVerb::ApproverAdd, &late);
    assert!(matches!(home.add_approver(&late, &by), Err(HomeError::Approval(ApprovalError::Expired(_)))));
}

#[test]
fn the_last_approver_stays() {
    let (_folder, home) = home();
    let ((ada, ada_key), (bob, _)) = (person("ada"), person("bob"));
    home.add_first_approver(&ada).unwrap();
    let without_ada = for_approver(&home, &ada_key, SettingVerb::ApproverRemove, &ada);
    assert!(matches!(home.remove_approver(&ada.name, at(1), &without_ada), Err(HomeError::LastApprover(_))));
    let by = for_approver(&home, &ada_key, SettingVerb::ApproverRemove, &bob);
    assert!(matches!(home.remove_approver(&bob.name, at(1), &by), Err(HomeError::NoApprover(_))));
}

#[test]
fn of_many_first_approvers_one_wins() {
    let (_folder, home) = home();
    let people: Vec<_> = (0..8).map(|index| person(&format!("p{index}")).0).collect();
    let wins: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = people.iter().map(|who| scope.spawn(|| home.add_first_approver(who).is_ok())).collect();
        threads.into_iter().map(|thread| usize::from(thread.join().unwrap())).sum()
    });
    assert_eq!((wins, home.approvers().unwrap().len()), (1, 1));
}

#[test]
fn a_damaged_list_stops_everything() {
    let (_folder, home) = home();
    home.add_first_approver(&person("ada").0).unwrap();
    let path = home.approvers_file();
    let text = fs::read_to_string(&path).unwrap();
    for damaged in ["schema = ", "", &text.replace("ed25519:", "ed25519:0"), &format!("extra = 1\n{text}")] {
        fs::write(&path, damaged).unwrap();
        let error = home.approvers().unwrap_err();
        assert!(matches!(&error, HomeError::File(FileError::Malformed { .. })), "{error}");
        assert!(home.add_first_approver(&person("eve").0).is_err(), "damage is not emptiness: {damaged}");
    }
    fs::write(&path, text.replace("approvers/1", "approvers/2")).unwrap();
    assert!(matches!(home.approvers(), Err(HomeError::File(FileError::Newer { .. }))));
}

#[test]
fn the_policy_changes_only_as_signed_and_the_old_one_is_kept() {
    let (folder, home) = home();
    let (ada, key) = person("ada");
    home.add_first_approver(&ada).unwrap();
    let set = |text: &str| signed(&home, &key, SettingVerb::PolicySet, Digest::of(text.as_bytes()));
    let reset = signed(&home, &key, SettingVerb::PolicyReset, Digest::of(b"built in"));

    assert!(home.write_safety_policy("two", &set("one")).is_err());
    assert!(home.write_safety_policy("built in", &reset).is_err(), "another verb");
    home.write_safety_policy("one", &set("one")).unwrap();
    home.write_safety_policy("two", &set("two")).unwrap();
    assert_eq!(home.safety_policy_text().unwrap().unwrap().text, "two");
    let previous = home.config().join("safety-policy.previous.toml");
    assert_eq!(fs::read_to_string(&previous).unwrap(), "one");

    assert!(home.reset_safety_policy("other", &reset).is_err());
    home.reset_safety_policy("built in", &reset).unwrap();
    assert!(home.safety_policy_text().unwrap().is_none());
    assert_eq!(fs::read_to_string(&previous).unwrap(), "two");

    fs::create_dir(folder.path().join("etc")).unwrap();
    fs::write(folder.path().join("etc/safety-policy.toml"), "system").unwrap();
    assert!(matches!(home.write_safety_policy("one", &set("one")), Err(HomeError::SystemPolicy(_))));
    assert!(matches!(home.reset_safety_policy("built in", &reset), Err(HomeError::SystemPolicy(_))));
}
