//! What a run costs: requests, counted on the wire, and time.

use crate::matrix::Scene;
use crate::site::{PATIENCE, State, client, drafted};
use crate::spine::permitted;
use exacta_effect::Outcome;
use exacta_site::{Account, Client, Op, SiteUrl, probe, probe_again};
use exacta_testkit::Wire;
use serde_json::json;
use std::time::{Duration, Instant};

/// At most four requests for each page that is written, and four more for a run, what is asked of the site before it among them.
#[test]
fn requests_of_a_run() {
    let Some(scene) = Scene::new() else { return };
    let wire = Wire::to(&scene.wordpress.server());
    let account = Account::new("editor", scene.wordpress.password("editor"));
    let client = Client::new(SiteUrl::parse(&wire.url()).unwrap(), account, PATIENCE).unwrap();
    let (client, manifest) = probe(client).unwrap();
    let mut told = Vec::new();
    for (number, (op, pages)) in
        [Op::Create, Op::Update, Op::Publish, Op::Trash].into_iter().flat_map(|op| [(op, 1), (op, 10)]).enumerate()
    {
        scene.put_back();
        let steps = scene.steps(op, pages);
        // As the application does it when a plan is made.
        let state = State::new();
        for page in scene.before.values() {
            state.images().keep(page.text().as_bytes()).unwrap();
        }
        wire.count();
        assert_eq!(probe_again(&client, &manifest).unwrap().sha256(), manifest.sha256());
        let outcome = state.run(&client, permitted(&steps, number as u32 + 1)).unwrap();
        assert!(matches!(outcome, Outcome::Completed { .. }), "{outcome:?}");
        let requests = wire.requests();
        assert!(requests.len() <= 4 + 4 * pages, "{op:?} {pages}: {}: {requests:#?}", requests.len());
        told.push(format!("{op:?} {pages}: {}", requests.len()));
    }
    println!("requests: {told:?}");
    insta::assert_snapshot!(told.join("\n"));
}

/// Fifty pages, and the fiftieth write is refused: everything is put back within ninety seconds.
#[test]
#[ignore = "a minute"]
fn fifty_pages_are_put_back() {
    let Some(scene) = Scene::new() else { return };
    let before = crate::site::all(&scene.admin).len();
    let fields = |number: usize| json!({ "title": format!("New {number}"), "content": "<p>n</p>", "slug": format!("fifty-{number}") });
    let steps: Vec<_> = (1..=50)
        .map(|number| drafted(&scene.site.0, &scene.site.1, number, (Op::Create, None), fields(number)))
        .collect();
    scene
        .wordpress
        .fault(&json!({ "fault": "500", "when": "before", "nth": 99, "user": "editor", "kind": "write" }).to_string());
    let begin = Instant::now();
    let outcome = State::new().run(&client(&scene.wordpress, "editor", PATIENCE), permitted(&steps, 1)).unwrap();
    let took = begin.elapsed();
    scene.wordpress.no_fault();
    assert!(matches!(outcome, Outcome::RolledBack { .. }), "{outcome:?}");
    let now = crate::site::all(&scene.admin);
    assert_eq!(now.iter().filter(|page| page.status != "trash").count(), before);
    println!("50 pages made, the 50th refused, all put back: {took:?}");
    assert!(took < Duration::from_secs(90), "{took:?}");
}
