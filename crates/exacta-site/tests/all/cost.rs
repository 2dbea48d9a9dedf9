//! What a run costs: requests, counted on the wire, and time.

use crate::matrix::Scene;
use crate::site::{PATIENCE, State, client, drafted};
use crate::spine::permitted;
use exacta_effect::Outcome;
use exacta_site::{Account, Client, Op, SiteUrl, probe, probe_again};
use exacta_testkit::{Wire, WordPress};
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

/// As many pages as one plan may write, and the last write is refused: everything is put back within ninety seconds.
#[test]
#[ignore = "a minute"]
fn forty_pages_are_put_back() {
    let Some(scene) = Scene::new() else { return };
    let before = crate::site::all(&scene.admin).len();
    let fields = |number: usize| json!({ "title": format!("New {number}"), "content": "<p>n</p>", "slug": format!("many-{number}") });
    let steps: Vec<_> = (1..=50)
        .map(|number| drafted(&scene.site.0, &scene.site.1, number, (Op::Create, None), fields(number)))
        .collect();
    scene
        .wordpress
        .fault(&json!({ "fault": "500", "when": "before", "nth": 79, "user": "editor", "kind": "write" }).to_string());
    let begin = Instant::now();
    let outcome = State::new().run(&client(&scene.wordpress, "editor", PATIENCE), permitted(&steps, 1)).unwrap();
    let took = begin.elapsed();
    scene.wordpress.no_fault();
    assert!(matches!(outcome, Outcome::RolledBack { .. }), "{outcome:?}");
    let now = crate::site::all(&scene.admin);
    assert_eq!(now.iter().filter(|page| page.status != "trash").count(), before);
    println!("40 pages made, the last refused, all put back: {took:?}");
    assert!(took < Duration::from_secs(90), "{took:?}");
}

/// What the child does: an inventory, and then how much memory it ever held, in KiB.
#[test]
fn child() {
    let Ok(told) = std::env::var("EXACTA_INVENTORY_CHILD") else { return };
    let (url, password) = told.split_once(' ').unwrap();
    let client = Client::new(SiteUrl::parse(url).unwrap(), Account::new("editor", password), PATIENCE).unwrap();
    let found = exacta_site::inventory(&client, &[]).unwrap();
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    println!("inventory: {} pages, {} KiB", found.count, most.trim().trim_end_matches(" kB"));
}

/// Five thousand pages are listed, a hundred at a time, in less than 100 MiB.
#[test]
fn an_inventory_of_five_thousand_pages() {
    let Some(wordpress) = WordPress::start(crate::site::VERSION, &[]) else { return };
    let before = crate::site::all(&client(&wordpress, "admin", PATIENCE)).len();
    wordpress.change_stored(
        "INSERT INTO wp_posts (post_author, post_date, post_date_gmt, post_content, post_title, post_excerpt, post_status, comment_status, ping_status, post_password, post_name, to_ping, pinged, post_modified, post_modified_gmt, post_content_filtered, post_parent, guid, menu_order, post_type, post_mime_type, comment_count)
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
         SELECT 1, '2026-01-01 00:00:00', '2026-01-01 00:00:00', '<p>' || hex(randomblob(1000)) || '</p>', 'Page ' || i, '', 'publish', 'closed', 'closed', '', 'page-' || i, '', '', '2026-01-01 00:00:00', '2026-01-01 00:00:00', '', 0, '', 0, 'page', '', 0 FROM n;",
    );
    let wire = Wire::to(&wordpress.server());
    let told = format!("{} {}", wire.url(), wordpress.password("editor"));
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "cost::child", "--nocapture"]).env("EXACTA_INVENTORY_CHILD", told);
    let begin = Instant::now();
    let done = exacta_testkit::output(child.stdin(std::process::Stdio::null()));
    let took = begin.elapsed();
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    let line = text.lines().find(|line| line.starts_with("inventory: ")).unwrap_or_else(|| panic!("{text}"));
    let numbers: Vec<usize> = line.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse().ok()).collect();
    println!("{line}, {} requests, {took:?}", wire.requests().len());
    // Some of those that were there before an editor may not see.
    assert!((5000..=5000 + before).contains(&numbers[0]), "{line}");
    assert!(numbers[1] < 100 << 10, "{line}");
    assert_eq!(wire.requests().len(), (5000 + before).div_ceil(100));
}
