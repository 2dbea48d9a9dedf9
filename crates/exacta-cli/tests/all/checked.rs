//! `submit --checks` from outside: what the operator's checks said is seen wherever a person decides.

use crate::serve::Served;
use crate::story::{fix, id};
use crate::world::World;
use exacta_cli::review::{Review, draw::draw};
use exacta_testkit::sandbox;
use exacta_view::PlanView;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use serde_json::Value;

/// A project with this check.
fn world(script: &str) -> World {
    let world = World::begun();
    let project = world.project();
    let policy =
        format!("[[projects.\"{}\".checks]]\nname = \"tests\"\nargv = ['sh', '-c', {script:?}]\n", project.display());
    world.run(&["policy", "set", &world.file("policy.toml", policy), "--approver-key", &world.key()]).expect(0);
    world
}

/// What the screen of a review shows in these pages and dialogs.
fn reviewed(view: &Value, keys: &str) -> String {
    let view: PlanView = serde_json::from_value(view.clone()).unwrap();
    let mut review = Review::new(view, false);
    for key in keys.chars() {
        let code = crossterm::event::KeyCode::Char(key);
        review.key(crossterm::event::KeyEvent::new(code, crossterm::event::KeyModifiers::NONE));
    }
    let mut terminal = Terminal::new(TestBackend::new(120, 50)).unwrap();
    terminal.draw(|frame| draw(&mut review, frame)).unwrap();
    terminal.backend().to_string()
}

#[test]
fn what_the_checks_said_is_seen_wherever_a_person_decides() {
    if !sandbox() {
        return;
    }
    for (script, state, words) in [
        ("true", "passed", "checks passed"),
        ("echo the greeting is wrong; exit 4", "failed", "checks failed: tests (exit code 4)"),
    ] {
        let world = world(script);
        let file = world.file("plan.json", fix().to_string());
        let told = world.run(&["submit", "--checks", &file, "--json", "--with", "diff,reasons,binding"]).expect(30);
        let (plan, told) = (id(&told), told.json());
        assert_eq!(
            (&told["checks"]["state"], told["checks"]["commands"][0]["state"] == state),
            (&Value::from(state), true)
        );
        let shown = world.run(&["show", &plan]).expect(0).out;
        assert!(shown.contains(words), "{shown}");
        for keys in ["7", "a"] {
            let screen = reviewed(&told, keys);
            assert!(screen.contains(words), "{keys}: {screen}");
        }
        let server = Served::start(&world);
        let (cookie, _) = server.open();
        let page = server.ask("GET", &format!("/plans/{plan}"), &[("Cookie", &cookie)], "").body;
        assert!(
            page.contains(&format!(">{state}<")) && page.contains("the greeting is wrong") == (state == "failed"),
            "{page}"
        );
        server.end();
        // Deciding is another matter: what failed can be approved, and fails again before anything is kept.
        world
            .run(&["approve", &plan, "--approver-key", &world.key(), "--hash", told["plan_hash"].as_str().unwrap()])
            .expect(0);
        world.run(&["execute", &plan]).expect(if state == "passed" { 0 } else { 50 });
    }
}

#[test]
fn where_no_checks_are_configured_that_is_said() {
    let world = World::begun();
    let file = world.file("plan.json", fix().to_string());
    let done = world.run(&["submit", "--checks", &file]).expect(30);
    assert!(done.err.contains("no checks were run"), "{}", done.err);
    assert!(!done.out.contains("checks"), "{}", done.out);
}
