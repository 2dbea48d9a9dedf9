//! The one screen that a person decides on, and the question below it.

use super::{Context, review};
use crate::clock::now;
use crate::prompt::Person;
use crate::render::{ansi::Paint, diff};
use crate::review::{Choice, WORD};
use exacta_app::Error;
use exacta_view::PlanView;
use exacta_view::rows::{decision, plan};

/// What a yes leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Yes {
    /// The plan is approved, and waits to be run.
    Approves,
    /// It is approved and runs at once.
    Applies,
}

/// One answer at the prompt.
enum Answer {
    Yes,
    No,
    View,
    Changes,
    Keys,
}

/// Shows the plan and asks until there is an answer. No answer but a clear one counts, and Enter alone never does.
///
/// # Errors
/// If the terminal fails, or the person interrupts.
pub fn ask(person: &Person, view: &PlanView, yes: Yes, context: &Context) -> Result<Choice, Error> {
    show(view, context);
    let grave = decision::is_grave(view);
    loop {
        match if grave { word(person, verb(yes, view))? } else { key(person, verb(yes, view))? } {
            Answer::Yes => return Ok(Choice::Approve),
            Answer::No => return Ok(Choice::Pause),
            Answer::View => match look(view, context)? {
                Choice::Pause => show(view, context),
                choice => return Ok(choice),
            },
            Answer::Changes => {
                let words = person.ask("What should be different? Enter alone goes back: ")?;
                if !words.is_empty() {
                    return Ok(Choice::RequestChanges(words));
                }
            }
            Answer::Keys => person.say(&keys(grave, yes))?,
        }
    }
}

/// The summary, the files, the diff, and below it what the decision hangs on. What scrolled away by then is said again.
fn show(view: &PlanView, context: &Context) {
    let output = &context.output;
    if output.is_verbose() {
        output.aside(plan::facts(view));
    }
    let paint = output.paint_aside();
    let above = paint.page(decision::above(view));
    let diff = diff::all_text(view, paint);
    let now = now();
    let short = Paint(false).page(decision::below(view, now, false));
    let (columns, lines) = output.screen();
    let taken = [above.as_str(), diff.as_str(), short.as_str()].into_iter().map(|text| height(text, columns));
    // The question takes two lines where it is long.
    let scrolled = taken.sum::<usize>() + 2 > lines;
    output.aside_text(&above);
    output.aside_text(&diff);
    output.aside(decision::below(view, now, scrolled));
}

/// Lines that a text takes on a screen; colours make it seem longer, which does no harm.
fn height(text: &str, columns: usize) -> usize {
    text.lines().map(|line| line.chars().count().div_ceil(columns.max(1)).max(1)).sum()
}

/// All the rest, full-screen; as text where the terminal is too plain for that.
fn look(view: &PlanView, context: &Context) -> Result<Choice, Error> {
    if review::is_too_plain() {
        context.output.aside(plan::facts(view));
        return Ok(Choice::Pause);
    }
    Ok(review::look(view.clone(), context)?.0)
}

fn key(person: &Person, verb: &str) -> Result<Answer, Error> {
    let question = format!("{verb} [y]es  [n]o  [v]iew  [c]hanges…  [?] ");
    Ok(match person.key(&question)? {
        Some('y' | 'Y') => Answer::Yes,
        Some('n' | 'N' | 'q') => Answer::No,
        Some('v') => Answer::View,
        Some('c') => Answer::Changes,
        _ => Answer::Keys,
    })
}

/// A deliberate act: the word, and Enter.
fn word(person: &Person, verb: &str) -> Result<Answer, Error> {
    let question = format!("{verb} Type {WORD}, or [n]o  [v]iew  [c]hanges…  [?] ");
    Ok(match person.ask(&question)?.as_str() {
        WORD => Answer::Yes,
        "n" | "no" | "q" => Answer::No,
        "v" | "view" => Answer::View,
        "c" | "changes" => Answer::Changes,
        _ => Answer::Keys,
    })
}

fn verb(yes: Yes, view: &PlanView) -> &'static str {
    match yes {
        Yes::Approves => "Approve?",
        Yes::Applies if plan::adopts(view) => "Adopt?",
        Yes::Applies => "Apply?",
    }
}

fn keys(grave: bool, yes: Yes) -> String {
    let meaning = match yes {
        Yes::Approves => "approve exactly what is shown; nothing runs yet",
        Yes::Applies => "approve exactly what is shown, and run it",
    };
    let (key, enter) = if grave { (WORD, ", then Enter") } else { ("y", "") };
    format!(
        "  {key:<8} {meaning}\n  n        no: nothing is approved\n  v        view all of it full-screen: steps, scores, gates, binding\n  \
         c        ask for changes, in your words\n  ?        these keys{enter}\n"
    )
}
