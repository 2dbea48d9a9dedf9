//! What `check`, `submit`, `show` and the plain prompt of `run` print.

use exacta_cli::render::ansi::{COLUMNS, Paint};
use exacta_cli::render::diff;
use exacta_view::PlanView;
use exacta_view::rows::plan;
use unicode_width::UnicodeWidthStr as _;

pub fn view(name: &str) -> PlanView {
    let path = format!("{}/tests/cases/view/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn a_plan_to_confirm() {
    let view = view("confirm");
    let page = Paint(false).page(plan::facts(&view));
    for line in page.lines() {
        assert!(line.width() <= COLUMNS, "{line}");
    }
    assert!(!page.contains('\u{1b}') && !page.contains('\u{202e}'));
    insta::assert_snapshot!("confirm", format!("{page}{}", Paint(false).unfolded(&diff::all(&view, true))));
}

#[test]
fn a_refused_text() {
    insta::assert_snapshot!("refused", Paint(false).page(plan::facts(&view("refused"))));
}

#[test]
fn colour_changes_no_letter() {
    let view = view("confirm");
    let rows = || plan::facts(&view).into_iter().chain(diff::all(&view, true)).collect::<Vec<_>>();
    let coloured = Paint(true).page(rows());
    assert!(coloured.contains("\u{1b}[33m"));
    let bare: String = coloured
        .split('\u{1b}')
        .enumerate()
        .map(|(i, part)| if i == 0 { part } else { part.split_once('m').unwrap().1 })
        .collect();
    let trim = |text: &str| text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
    assert_eq!(trim(&bare), trim(&Paint(false).page(rows())));
}
