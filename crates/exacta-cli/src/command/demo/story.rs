//! The scenes, played with the same functions that the commands use.

use crate::command::key::open_own;
use crate::interrupt::Orderly;
use crate::output::Output;
use crate::progress;
use crate::prompt::Person;
use crate::render::{audit, diff, run};
use exacta_app::{App, Error, ErrorCode, Execution, Exit, Options, Request};
use exacta_kernel::approval::ApproverName;
use exacta_kernel::hash::Digest;
use exacta_kernel::id::PlanId;
use exacta_view::rows::background::short;
use exacta_view::rows::plan;
use exacta_view::words::counted;
use exacta_view::{PlanView, Row, RunView, Tone};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

const FIX: &str = include_str!("plans/fix.json");
const ESCAPE: &str = include_str!("plans/escape.json");
const HIDDEN: &str = include_str!("plans/hidden.json");

/// The steps that a careful person approves: the fix and its test, not the deletion.
const CAREFUL: [&str; 2] = ["round", "test"];

/// What the person decided.
enum Answer {
    Steps(BTreeSet<String>),
    All,
    Nothing,
}

/// Plays the story in the project and the home that the options name.
pub fn play(options: &Options, signals: Orderly, output: Output) -> Result<u8, Error> {
    let root = options.root()?;
    let story = Story { output, person: Person::present().ok(), signals, options, root };
    match story.tell() {
        Err(error) if error.code == ErrorCode::INTERRUPTED => {
            output.aside_text("\n");
            output.note("interrupted; nothing is left behind");
            Ok(Exit::RolledBack.code())
        }
        other => other.map(|()| Exit::Done.code()),
    }
}

struct Story<'o> {
    output: Output,
    /// Decides, if there is one.
    person: Option<Person>,
    signals: Orderly,
    options: &'o Options,
    root: PathBuf,
}

impl Story<'_> {
    fn tell(&self) -> Result<(), Error> {
        self.prologue()?;
        let mut app = App::open(self.options)?;
        let name = ApproverName::parse("you").map_err(|error| Error::fault("internal", error.to_string()))?;
        App::first_approver(self.options, &name, None)?;
        let view = self.arrival(&mut app)?;
        self.attacks(&mut app)?;
        if let Some(approved) = self.decision(&mut app, view)? {
            let done = self.execution(&mut app, &approved)?;
            self.undo(&mut app, &done)?;
        }
        self.record(&mut app)?;
        self.epilogue();
        Ok(())
    }

    fn prologue(&self) -> Result<(), Error> {
        self.scene("A small shop, in a throw-away folder")?;
        self.say("Nothing of yours is touched: the project, the settings and the keys are all thrown away at the end.");
        if self.person.is_none() {
            self.say("There is no terminal, so the demo plays the person's part and says so each time.");
        }
        Ok(())
    }

    fn arrival(&self, app: &mut App) -> Result<PlanView, Error> {
        self.scene("An agent's plan arrives: it is parsed, validated, scored and shown")?;
        let view = app.submit(FIX.as_bytes(), &Request::default())?;
        self.output.rows(plan::facts(&view));
        self.output.text(&diff::all_text(&view, self.output.paint()));
        self.say("");
        self.say("The profile is SAFE, so a person has to decide. But first:");
        Ok(view)
    }

    fn attacks(&self, app: &mut App) -> Result<(), Error> {
        self.scene("A second agent tries to write outside the project and into `.git/hooks`")?;
        self.refusal(&app.submit(ESCAPE.as_bytes(), &Request::default())?);
        self.scene("It tries again, with a private key and with characters that hide text")?;
        self.refusal(&app.submit(hidden().as_bytes(), &Request::default())?);
        self.say("");
        self.say("Nothing was written. No approval can override this, and both attempts are on record.");
        Ok(())
    }

    fn refusal(&self, view: &PlanView) {
        self.output.rows([plan::head(view), plan::findings(view), plan::gates(view)].concat());
    }

    fn decision(&self, app: &mut App, view: PlanView) -> Result<Option<PlanView>, Error> {
        self.scene("Back to the first plan: a person decides")?;
        self.say(
            "The fix and its test look right. But step `tidy` deletes a file that the nightly export still reads.",
        );
        self.output.rows(plan::steps(&view));
        let id = id(&view)?;
        let derived = match self.answer()? {
            Answer::All => view,
            Answer::Steps(steps) => app.select(&id, &steps)?,
            Answer::Nothing => {
                app.reject(&id, Some("rejected in the demo"), &open_own(self.options)?)?;
                self.say("Rejected, for good. The project was never touched.");
                return Ok(None);
            }
        };
        self.say("");
        self.say("What was selected is a plan of its own: validated, scored and gated again, and shown for its own approval.");
        self.output.rows([plan::head(&derived), plan::steps(&derived)].concat());
        let (id, shown) = crate::command::decide::named(&derived)?;
        let yes = match &self.person {
            Some(person) => person.confirm(&format!("approve exactly this plan, hash {}?", short(shown.digits())))?,
            None => {
                self.played(&format!("approve exactly this plan, hash {}? [y]es  [n]o y", short(shown.digits())));
                true
            }
        };
        if !yes {
            self.say("Not approved: it stays pending, and nothing runs.");
            return Ok(None);
        }
        app.approve(&id, &shown, &open_own(self.options)?).map(Some)
    }

    /// Which steps the person approves.
    fn answer(&self) -> Result<Answer, Error> {
        let question = "which steps do you approve? (`all`, `none`, or names) [round,test] ";
        let careful = || CAREFUL.iter().map(ToString::to_string).collect();
        let Some(person) = &self.person else {
            self.played(&format!("{question}round,test"));
            return Ok(Answer::Steps(careful()));
        };
        loop {
            let answer = person.ask(question)?;
            let names: BTreeSet<String> =
                answer.split([',', ' ']).filter(|name| !name.is_empty()).map(ToOwned::to_owned).collect();
            let known = |name: &String| ["round", "test", "tidy"].contains(&name.as_str());
            match answer.as_str() {
                "" => return Ok(Answer::Steps(careful())),
                "all" => return Ok(Answer::All),
                "none" => return Ok(Answer::Nothing),
                _ if names.contains("test") && !names.contains("round") => {
                    person.say("step `test` depends on `round`: select it too\n")?;
                }
                _ if names.iter().all(known) && names.len() == 3 => return Ok(Answer::All),
                _ if names.iter().all(known) => return Ok(Answer::Steps(names)),
                _ => person.say("the steps are round, test and tidy\n")?,
            }
        }
    }

    fn execution(&self, app: &mut App, approved: &PlanView) -> Result<RunView, Error> {
        self.scene("It is executed: every gate again, then all or nothing")?;
        let id = id(approved)?;
        let done = self.act(|execution| app.execute(&id, execution))?;
        self.output.rows(run::ended(&done));
        Ok(done)
    }

    fn act(&self, act: impl FnOnce(Execution<'_>) -> Result<RunView, Error>) -> Result<RunView, Error> {
        let mut observer = progress::observer(false, self.output);
        let mut check_observer = progress::check_observer(false, self.output);
        act(Execution {
            sync: true,
            wait: Duration::ZERO,
            cancel: self.signals.flag(),
            observer: &mut observer,
            check_observer: &mut check_observer,
        })
    }

    fn undo(&self, app: &mut App, done: &RunView) -> Result<(), Error> {
        self.scene("And undone")?;
        let preview = app.undo_preview(Some(&done.run_id))?;
        self.say(&format!(
            "{} to go back to the saved bytes from before the run.",
            counted(preview.files.len(), "file")
        ));
        let key = open_own(self.options)?;
        let back = self.act(|execution| app.undo(&preview.run_id, &key, execution))?;
        self.output.rows(run::ended(&back));
        for (path, text) in super::PROJECT {
            let now = fs::read(self.root.join(path)).unwrap_or_default();
            if now != text.as_bytes() {
                return Err(Error::fault("demo", format!("`{path}` is not as it was")));
            }
        }
        self.say("Every file of the project is byte for byte as it was.");
        Ok(())
    }

    fn record(&self, app: &mut App) -> Result<(), Error> {
        self.scene("Everything is on record, and the record cannot be changed unseen")?;
        let entries = app.entries(None, None)?;
        self.output.rows(audit::entries(&entries, &app.short_ids(&entries)?));
        self.output.rows(audit::report(&exacta_app::verify(self.options)?)?);
        Ok(())
    }

    fn epilogue(&self) {
        self.output.rows(vec![
            Row::new(),
            Row::heading("Try next, in a project of your own:"),
            Row::indented(2).column(Tone::Strong, "exacta init", 26).plain("begin: your key and the profile"),
            Row::indented(2).column(Tone::Strong, "exacta schema", 26).plain("what an agent has to write"),
            Row::indented(2).column(Tone::Strong, "exacta run plan.json", 26).plain("submit, decide, execute"),
        ]);
    }

    /// A new scene; an interruption ends the story between two of them.
    fn scene(&self, title: &str) -> Result<(), Error> {
        if self.signals.interrupted() {
            return Err(Error::new(Exit::RolledBack, "interrupted", "interrupted"));
        }
        self.output.rows(vec![Row::new(), Row::new().with(Tone::Hunk, "── ").with(Tone::Strong, title), Row::new()]);
        Ok(())
    }

    fn say(&self, text: &str) {
        self.output.rows(vec![Row::new().plain(text)]);
    }

    /// What the person would have typed.
    fn played(&self, text: &str) {
        self.output.rows(vec![Row::new().with(Tone::Warn, "(played) ").plain(text)]);
    }
}

fn id(view: &PlanView) -> Result<PlanId, Error> {
    PlanId::parse(view.plan_id.as_deref().unwrap_or_default())
        .map_err(|error| Error::fault("internal", error.to_string()))
}

/// The second attack with a key in it. It opens nothing: it is made here, so that no key-like text lies in the source.
fn hidden() -> String {
    let body = Digest::of(HIDDEN.as_bytes()).to_string();
    let key = format!("-----BEGIN PRIVATE {0}-----\\n{body}\\n-----END PRIVATE {0}-----\\n", "KEY");
    HIDDEN.replace("@KEY@", &key)
}
