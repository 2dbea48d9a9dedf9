//! What the page shows beside plans that wait: versions compared, the files of a long plan, a box to ask in, the interface for programs.

use crate::ask;
use crate::serve::{Reply, Served};
use crate::story::{fix, id, submit};
use crate::world::World;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

fn page(served: &Served, cookie: &str, path: &str) -> Reply {
    served.ask("GET", path, &[("Cookie", cookie)], "")
}

/// The form token of any page that has a form.
fn token(page: &str) -> &str {
    page.split("name=\"token\" value=\"").nth(1).unwrap_or_else(|| panic!("{page}")).split('"').next().unwrap()
}

fn goes_to(reply: &Reply) -> String {
    assert_eq!(reply.status, 303, "{reply:?}");
    reply.head.split("location: ").nth(1).unwrap().split("\r\n").next().unwrap().to_owned()
}

#[test]
fn a_new_version_is_shown_beside_the_one_it_answers() {
    let world = World::begun();
    let first = id(&submit(&world, &fix()));
    world.run(&["revise", &first, "greet the moon", "--approver-key", &world.key()]).expect(0);
    let mut second = fix();
    second["steps"][0]["edits"][0]["replace"] = "moon\n".into();
    let second = id(&world.pipe(&["submit", "-", "--revises", &first, "--json"], second.to_string().as_bytes()));
    let served = Served::start(&world);
    let (cookie, _) = served.open();
    let shown = page(&served, &cookie, &format!("/plans/{second}")).body;
    let part =
        shown.split("id=\"versions\"").nth(1).unwrap_or_else(|| panic!("{shown}")).split("</details>").next().unwrap();
    for words in [
        "Changed since version 1: 1 file",
        "tester asked",
        "greet the moon",
        "there",
        "moon",
        &format!("/plans/{first}"),
    ] {
        assert!(part.contains(words), "{words}: {part}");
    }
    assert!(!page(&served, &cookie, &format!("/plans/{first}")).body.contains("id=\"versions\""), "it answers none");
    // Written by somebody else: then nobody can tell any more what the older one made of it.
    world.write("greet.txt", "good evening\nworld\n");
    assert!(!page(&served, &cookie, &format!("/plans/{second}")).body.contains("id=\"versions\""), "it is over");
    assert_eq!(served.end(), Some(0));
}

#[test]
fn the_files_of_a_long_plan_are_shown_by_folder() {
    let world = World::begun();
    let mut plan = fix();
    let steps: Vec<Value> = (1..=8)
        .map(|number| {
            json!({ "id": format!("s{number}"), "order": number, "type": "file_create", "target": format!("notes/deep/{}/{number}.txt", number % 2),
                "description": format!("Add note {number}."), "dependencies": [], "content": format!("note {number}\n") })
        })
        .collect();
    plan["intent"] = json!({ "type": "AddFeature", "text": "eight notes" });
    plan["steps"] = steps.into();
    let plan = id(&submit(&world, &plan));
    let served = Served::start(&world);
    let (cookie, _) = served.open();
    let shown = page(&served, &cookie, &format!("/plans/{plan}")).body;
    let tree = shown.split_once("class=\"files tree\"").map(|(_, tree)| tree).unwrap_or_else(|| panic!("{shown}"));
    assert!(
        tree.contains(">notes/deep/<") && tree.contains("data-mark=\"s8\"") && tree.contains("href=\"#step-8\""),
        "{tree}"
    );
    assert_eq!(served.end(), Some(0));
}

#[test]
fn the_interface_for_programs_can_be_read() {
    let world = World::begun();
    let served = Served::start(&world);
    assert_eq!(page(&served, "", "/reference").status, 401);
    let (cookie, _) = served.open();
    let shown = page(&served, &cookie, "/reference");
    for words in ["/api/v2/plans/{id}/approve", "POST", "href=\"#r-Plan\"", "id=\"r-Plan\"", "Idempotency-Key"] {
        assert!(shown.status == 200 && shown.body.contains(words), "{words}: {}", shown.body);
    }
    assert_eq!(served.end(), Some(0));
}

/// What is asked in the box becomes a plan that waits; a question on the way is answered there, and without a provider there is no box.
#[test]
fn a_model_is_asked_on_the_page() {
    for (confidence, asks_back) in [(95, false), (70, true)] {
        let model = ask::right(confidence);
        let world = ask::world(&model.url());
        let served = Served::start(&world);
        let (cookie, _) = served.open();
        let inbox = page(&served, &cookie, "/").body;
        let origin = served.origin();
        let text = ask::TEXT.replace(' ', "+");
        let mut way = goes_to(&served.form("/ask", &cookie, &origin, &format!("token={}&text={text}", token(&inbox))));
        let (begun, mut asked) = (Instant::now(), false);
        let plan = loop {
            assert!(begun.elapsed() < Duration::from_secs(60), "{way}");
            let reply = page(&served, &cookie, &way);
            if reply.status == 303 {
                break goes_to(&reply);
            }
            assert!(!reply.body.contains("role=\"alert\""), "{}", reply.body);
            if reply.body.contains("A question") {
                asked = true;
                let answer = format!("token={}&answer=yes", token(&reply.body));
                way = goes_to(&served.form(&format!("{way}/answer"), &cookie, &origin, &answer));
            }
            std::thread::sleep(Duration::from_millis(100));
        };
        assert_eq!(asked, asks_back);
        let shown = page(&served, &cookie, &plan).body;
        assert!(shown.contains("good day") && shown.contains("data-act=\"approve\""), "{shown}");
        assert!(!world.read("src/main.py").contains("good day"), "nothing runs unasked");
        assert_eq!(served.end(), Some(0));
    }
    let world = World::begun();
    let served = Served::start(&world);
    let (cookie, _) = served.open();
    assert!(!page(&served, &cookie, "/").body.contains("action=\"/ask\""));
    assert_eq!(served.end(), Some(0));
}
