//! The review screen: what keys do, and what is seen.

use crate::render::view;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use exacta_cli::review::state::Mode;
use exacta_cli::review::{Choice, Review, draw::draw};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::style::Color;

/// Types a text of single-letter keys; `\n` is Enter, `\t` Tab, `\x1b` Esc.
fn press(review: &mut Review, keys: &str) -> Option<Choice> {
    let mut choice = None;
    for c in keys.chars() {
        assert_eq!(choice, None, "the review ended before `{c}`");
        let code = match c {
            '\n' => KeyCode::Enter,
            '\t' => KeyCode::Tab,
            '\x1b' => KeyCode::Esc,
            c => KeyCode::Char(c),
        };
        choice = review.key(KeyEvent::new(code, KeyModifiers::NONE));
    }
    choice
}

fn picture(review: &mut Review, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw(review, frame)).unwrap();
    terminal.backend().to_string()
}

fn colours(review: &mut Review) -> usize {
    let mut terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
    terminal.draw(|frame| draw(review, frame)).unwrap();
    terminal
        .backend()
        .buffer()
        .content()
        .iter()
        .filter(|cell| cell.fg != Color::Reset || cell.bg != Color::Reset)
        .count()
}

#[test]
fn every_page_at_both_sizes() {
    for (width, height) in [(80, 24), (120, 40)] {
        let mut review = Review::new(view("confirm"), false);
        for page in 1..=7 {
            press(&mut review, &page.to_string());
            insta::assert_snapshot!(format!("page-{page}-{width}x{height}"), picture(&mut review, width, height));
        }
    }
}

#[test]
fn dialogs() {
    for (name, keys) in [
        ("help", "?"),
        ("approve", "a"),
        ("approve-and-run", "x"),
        ("reject", "rtoo bold"),
        ("changes", "ckeep it"),
        ("wrong", "az"),
    ] {
        let mut review = Review::new(view("confirm"), false);
        press(&mut review, keys);
        insta::assert_snapshot!(format!("dialog-{name}"), picture(&mut review, 80, 24));
    }
}

#[test]
fn colour_changes_no_letter_and_its_absence_leaves_none() {
    let mut plain = Review::new(view("confirm"), false);
    let mut coloured = Review::new(view("confirm"), true);
    assert_eq!(picture(&mut plain, 80, 24), picture(&mut coloured, 80, 24));
    assert_eq!(colours(&mut plain), 0);
    assert!(colours(&mut coloured) > 20);
}

#[test]
fn approving_is_confirmed_with_a_key() {
    let review = || Review::new(view("confirm"), false);
    assert_eq!(press(&mut review(), "ay"), Some(Choice::Approve));
    assert_eq!(press(&mut review(), "a\nzy"), Some(Choice::Approve));
    assert_eq!(press(&mut review(), "xy"), Some(Choice::ApproveAndRun));
    for wrong in ["a\n", "x\n", "aa", "an", "y", "any", "a\x1by", "a \n"] {
        assert_eq!(press(&mut review(), wrong), None, "{wrong:?}");
    }
}

#[test]
fn what_is_grave_is_approved_with_the_word() {
    let high = |view: &mut exacta_view::PlanView| {
        view.risk.as_mut().unwrap().level = exacta_kernel::assess::Level::High;
    };
    let system = |view: &mut exacta_view::PlanView| view.system_level = true;
    for grave in [&high as &dyn Fn(&mut exacta_view::PlanView), &system] {
        let review = || {
            let mut view = view("confirm");
            grave(&mut view);
            Review::new(view, false)
        };
        assert_eq!(press(&mut review(), "aapprove\n"), Some(Choice::Approve));
        assert_eq!(press(&mut review(), "xapprove\n"), Some(Choice::ApproveAndRun));
        for wrong in ["ay", "ay\n", "a\n", "aapprov\n", "aapprove", "aapprove\x1b"] {
            assert_eq!(press(&mut review(), wrong), None, "{wrong:?}");
        }
    }
}

#[test]
fn what_keys_choose() {
    let review = || Review::new(view("confirm"), false);
    let chosen = |keys: &str| press(&mut review(), keys);
    assert_eq!(chosen("q"), Some(Choice::Pause));
    assert_eq!(chosen("\x1b"), Some(Choice::Pause));
    assert_eq!(chosen("r\n"), Some(Choice::Reject(String::new())));
    assert_eq!(chosen("r no \n"), Some(Choice::Reject("no".to_owned())));
    assert_eq!(chosen("c  \n"), None);
    assert_eq!(chosen("csmaller\n"), Some(Choice::RequestChanges("smaller".to_owned())));
    assert_eq!(chosen("s"), None, "nothing is selected");
    assert_eq!(chosen("s\n"), Some(Choice::Reject(String::new())), "which is a rejection, if meant");
    assert_eq!(chosen("s\x1b s"), Some(Choice::ApproveSteps(vec!["s1".to_owned()])), "or not");
    assert_eq!(chosen(" s"), Some(Choice::ApproveSteps(vec!["s1".to_owned()])));
    assert_eq!(chosen(" j s"), Some(Choice::ApproveSteps(vec!["s1".to_owned(), "s2".to_owned()])));
    assert_eq!(chosen("  s"), None, "selected and unselected");
    assert_eq!(chosen("jj s"), None, "s3 needs the others");
    assert_eq!(chosen(" j j sy"), Some(Choice::Approve), "all steps are the whole plan");
    assert_eq!(chosen("2 s"), None, "steps are selected where they are seen");
}

/// A plan whose first step changes three places of a file, forty lines apart.
fn with_hunks() -> exacta_view::PlanView {
    let mut view = view("confirm");
    let hunk = |n: usize| {
        let kept: String = (0..30).map(|line| format!(" kept line {line} near place {n}\n")).collect();
        format!("@@ -{0},31 +{0},31 @@\n{kept}-old place {n}\n+new place {n}\n", n * 40)
    };
    let diff = format!("--- a/x.py\n+++ b/x.py\n{}{}{}", hunk(1), hunk(2), hunk(3));
    view.detail.as_mut().unwrap().steps[0].diff = Some(diff);
    view
}

#[test]
fn hunks_and_files_are_walked() {
    let mut review = Review::new(with_hunks(), false);
    picture(&mut review, 80, 24);
    for (keys, step, hunk) in [
        ("n", 0, Some((1, 3))),
        ("n", 0, Some((2, 3))),
        ("p", 0, Some((1, 3))),
        ("nn", 0, Some((3, 3))),
        ("n", 1, Some((1, 1))),
        ("p", 0, Some((3, 3))),
        ("N", 1, None),
        ("NNNN", 2, None),
        ("PPPP", 0, None),
        ("2N", 1, None),
    ] {
        assert_eq!(press(&mut review, keys), None);
        assert_eq!((review.step(), review.hunk()), (step, hunk), "{keys}");
        let shown = picture(&mut review, 80, 24);
        if let (0, Some((hunk, _))) = (step, hunk) {
            assert!(shown.contains(&format!("@@ -{}", hunk * 40)), "{shown}");
        }
    }
}

#[test]
fn single_hunks_are_taken() {
    let chosen = |keys: &str| {
        let mut review = Review::new(with_hunks(), false);
        picture(&mut review, 80, 24);
        press(&mut review, keys)
    };
    let steps = |parts: &[&str]| Some(Choice::ApproveSteps(parts.iter().map(|part| (*part).to_owned()).collect()));
    assert_eq!(chosen("n s"), steps(&["s1:1"]));
    assert_eq!(chosen("n nn s"), steps(&["s1:1", "s1:3"]));
    assert_eq!(chosen(" n s"), steps(&["s1:2", "s1:3"]), "all but the first");
    assert_eq!(chosen("n n n s"), steps(&["s1"]), "all hunks are the step");
    assert_eq!(chosen("n  s"), None, "marked and unmarked");
    let mut review = Review::new(with_hunks(), false);
    picture(&mut review, 80, 24);
    press(&mut review, "nn v");
    insta::assert_snapshot!("a-hunk-marked-a-step-viewed", picture(&mut review, 80, 24));
}

#[test]
fn words_are_found_in_every_step() {
    let mut review = Review::new(with_hunks(), false);
    picture(&mut review, 80, 24);
    for (keys, found) in
        [("/new place 2\n", "+new place 2"), ("/NEAR\n", "is not on this page"), ("/new place\n", "+new place 3")]
    {
        assert_eq!(press(&mut review, keys), None);
        let shown = picture(&mut review, 80, 24);
        assert!(shown.contains(found), "{keys}\n{shown}");
    }
    press(&mut review, "/\n");
    assert!(picture(&mut review, 80, 24).contains("+new place 1"), "it begins again");
    assert_eq!(press(&mut review, "/y\x1b"), None, "what is typed there decides nothing");
}

/// Time passes, and what is left of it is on the screen.
#[test]
fn summary_and_time_left_are_on_every_page() {
    let mut review = Review::new(view("confirm"), false);
    let until = review.view().expires_at.clone().unwrap();
    let until = exacta_kernel::time::Timestamp::try_from(until).unwrap();
    review.look_at(exacta_kernel::time::Timestamp::from_millis(until.as_millis() - 5 * 60_000));
    for page in 1..=7 {
        press(&mut review, &page.to_string());
        let shown = picture(&mut review, 80, 24);
        assert!(shown.contains("5 min left"), "{shown}");
        let words = review.view().detail.as_ref().unwrap().intent_text.get(..20).unwrap().to_owned();
        assert!(shown.contains(&words), "{shown}");
    }
}

#[test]
fn control_c_pauses_everywhere() {
    for keys in ["", "?", "a", "r", "c", "/"] {
        let mut review = Review::new(view("confirm"), false);
        press(&mut review, keys);
        let choice = review.key(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL));
        assert_eq!(choice, Some(Choice::Pause), "{keys}");
    }
}

/// Attack 3: what is typed with Ctrl or Alt is another key than the letter.
#[test]
fn letters_with_control_or_alt_are_not_letters() {
    for modifiers in [KeyModifiers::CONTROL, KeyModifiers::ALT] {
        for letter in "arslhjkq1234567 fbG?".chars() {
            let mut review = Review::new(view("confirm"), false);
            let before = picture(&mut review, 80, 24);
            assert_eq!(review.key(KeyEvent::new(KeyCode::Char(letter), modifiers)), None, "{letter}");
            assert_eq!(picture(&mut review, 80, 24), before, "{letter}");
            assert_eq!(review.take_redraw(), letter == 'l' && modifiers == KeyModifiers::CONTROL);
        }
        let mut review = Review::new(view("confirm"), false);
        press(&mut review, "a");
        assert_eq!(review.key(KeyEvent::new(KeyCode::Char('y'), modifiers)), None);
    }
}

#[test]
fn a_final_plan_cannot_be_decided() {
    for status in ["rejected", "expired"] {
        let mut view = view("confirm");
        view.status = exacta_kernel::lifecycle::Status::parse(status);
        for keys in ["a", "r", "c", " s"] {
            let mut review = Review::new(view.clone(), false);
            assert_eq!(press(&mut review, keys), None);
            assert_eq!(*review.mode(), Mode::Browse);
            assert!(review.message().unwrap().contains("nothing to decide"));
        }
    }
}

#[test]
fn pasted_lines_never_submit() {
    let mut review = Review::new(view("confirm"), false);
    press(&mut review, "c");
    review.paste("one\ntwo\x1b");
    assert_eq!(press(&mut review, "\n"), Some(Choice::RequestChanges("one two".to_owned())));
}

#[test]
fn any_size_is_survived() {
    let mut review = Review::new(view("confirm"), true);
    for keys in ["", "2", "?", "\x1b7", "G", "a"] {
        press(&mut review, keys);
        for (width, height) in [(1, 1), (10, 3), (39, 11), (40, 12), (41, 50), (300, 13), (80, 24)] {
            picture(&mut review, width, height);
        }
    }
}

#[test]
fn the_smallest_screen_shows_what_to_type_and_where() {
    for (name, keys, part) in [
        ("approve", "a", "y approves exactly this"),
        ("reject", "rtoo bold", "> too bold"),
        ("changes", "ckeep it", "> keep it"),
        ("help", "?", "leave"),
    ] {
        let mut review = Review::new(view("confirm"), false);
        press(&mut review, keys);
        let shown = picture(&mut review, 40, 12);
        assert!(shown.contains(part), "{shown}");
        insta::assert_snapshot!(format!("dialog-{name}-40x12"), shown);
    }
}

#[test]
fn nothing_is_decided_on_a_screen_that_shows_nothing() {
    for keys in ["r\n", "ay", "xy", " s", "cx\n"] {
        let mut review = Review::new(view("confirm"), false);
        assert!(picture(&mut review, 39, 12).contains("too small"));
        assert_eq!(press(&mut review, keys), None, "{keys}");
        assert_eq!(press(&mut review, "q"), Some(Choice::Pause));
        picture(&mut review, 40, 12);
        assert_eq!(press(&mut review, "r\n"), Some(Choice::Reject(String::new())));
    }
}

#[test]
fn everything_can_be_scrolled_into_view() {
    let mut review = Review::new(view("confirm"), false);
    press(&mut review, "7");
    picture(&mut review, 60, 14);
    let (_, last, all) = review.position();
    assert!(last < all, "the page must be longer than the screen for this test");
    press(&mut review, "G");
    assert_eq!(review.position().1, all);
    press(&mut review, "g");
    assert_eq!(review.position().0, 1);
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(24))]
    #[test]
    fn no_keys_panic_and_none_approve_without_the_key(
        keys in proptest::collection::vec((0usize..48, 1u16..130, 1u16..50), 0..60)
    ) {
        let mut review = Review::new(view("confirm"), true);
        for (key, width, height) in keys {
            let letters = "axrcsqjkJKgGhlbf?1234567 cof1\n\t\x1bnpNPvedu/";
            let letter = letters.chars().nth(key % letters.chars().count()).unwrap();
            let choice = press(&mut review, &letter.to_string());
            proptest::prop_assert_ne!(choice, Some(Choice::Approve), "`y` was never typed");
            picture(&mut review, width, height);
        }
    }
}
