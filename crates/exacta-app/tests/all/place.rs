//! A throw-away project with its own user's folder.

use exacta_app::{App, Caller, Error, Execution, Options, Request, settings};
use exacta_home::SigningKey;
use exacta_kernel::approval::{ApproverName, Shown};
use exacta_kernel::id::PlanId;
use exacta_kernel::policy::profile::Profile;
use exacta_view::{PlanView, RunView};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tempfile::TempDir;

pub struct Place {
    pub folder: TempDir,
    pub options: Options,
}

impl Place {
    /// The journal of a run that is over.
    pub fn done(&self, run: &str) -> PathBuf {
        self.trace("over", run, ".done")
    }

    /// What a run left in a folder of the executor, by how its name ends.
    fn trace(&self, folder: &str, run: &str, end: &str) -> PathBuf {
        let folder = self.options.project.as_ref().unwrap().join(".exacta/exec").join(folder);
        let mut paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let is = |path: &PathBuf| path.to_str().is_some_and(|path| path.contains(run) && path.ends_with(end));
        paths.find(is).unwrap()
    }

    /// Executes a plan; and the name that its journal had while the run was open, which whoever looks in that moment can see.
    pub fn execute_watched(&self, id: &PlanId) -> (RunView, PathBuf) {
        let (cancel, mut seen) = (AtomicBool::new(false), None);
        let mut watch = |event: exacta_exec::Event| {
            if matches!(event, exacta_exec::Event::StepDone { .. }) {
                seen = Some(self.trace("", "", ".commit"));
            }
        };
        let run = self.app().execute(id, Self::execution(&cancel, &mut watch, &mut |_| {})).unwrap();
        (run, seen.unwrap())
    }

    /// A project with two files and an approver.
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("project");
        std::fs::create_dir_all(project.join("src")).unwrap();
        let options = Options {
            project: Some(project),
            home: Some(folder.path().join("home")),
            exactly: false,
            caller: Caller::Key { agent: None },
        };
        let place = Self { folder, options };
        place.write("src/greet.py", "name = \"world\"\nprint(\"hello \" + name)\n");
        place.write("README.md", "# Greeter\n\nPrints a greeting.\n");
        let name = ApproverName::parse("owner").unwrap();
        App::first_approver(&place.options, &name, None).unwrap();
        place
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.options.project.as_ref().unwrap().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub fn read(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.options.project.as_ref().unwrap().join(path)).ok()
    }

    pub fn app(&self) -> App {
        App::open(&self.options).unwrap()
    }

    pub fn key(&self) -> SigningKey {
        let file = settings::own_key(&self.options, None).unwrap();
        settings::unlocked(&self.options, &file).unwrap().unwrap()
    }

    pub fn profile(&self, profile: Profile) {
        self.app().set_profile(profile, Some(&self.key())).unwrap();
    }

    pub fn submit(&self, text: &str) -> PlanView {
        self.app().submit(text.as_bytes(), &Request::default()).unwrap()
    }

    pub fn approve(&self, id: &PlanId) -> Result<PlanView, Error> {
        let mut app = self.app();
        let shown = Self::shown(&app, id);
        app.approve(id, &shown, &self.key())
    }

    /// The hash of a plan as it is shown now; of what cannot be shown, the hash of nothing.
    pub fn shown(app: &App, id: &PlanId) -> Shown {
        let hash = app.show(id).ok().and_then(|detail| detail.plan.plan_hash);
        Shown::parse(&hash.unwrap_or_else(|| "nothing to see".to_owned())).unwrap()
    }

    pub fn execute(&self, id: &PlanId) -> Result<RunView, Error> {
        let cancel = AtomicBool::new(false);
        self.app().execute(id, Self::execution(&cancel, &mut |_| {}, &mut |_| {}))
    }

    pub fn undo(&self, run: &str) -> Result<RunView, Error> {
        let cancel = AtomicBool::new(false);
        self.app().undo(run, &self.key(), Self::execution(&cancel, &mut |_| {}, &mut |_| {}))
    }

    pub fn execution<'a>(
        cancel: &'a AtomicBool,
        observer: &'a mut dyn FnMut(exacta_exec::Event),
        check_observer: &'a mut dyn FnMut(exacta_app::CheckEvent<'_>),
    ) -> Execution<'a> {
        Execution { sync: true, wait: Duration::ZERO, cancel, observer, check_observer }
    }
}

/// The id of a plan that was stored.
pub fn id(view: &PlanView) -> PlanId {
    PlanId::parse(view.plan_id.as_deref().unwrap()).unwrap()
}

/// A well-made plan of two steps.
pub fn fix() -> String {
    plan(
        "FixBug",
        "greet takes the name from the command line instead of a constant",
        json!([
            {
                "id": "code", "order": 1, "type": "file_modify", "target": "src/greet.py", "dependencies": [],
                "description": "take the name from the first argument, and fall back to `world` where there is none",
                "edits": [{ "find": "name = \"world\"", "replace": "import sys\nname = sys.argv[1] if len(sys.argv) > 1 else \"world\"" }]
            },
            {
                "id": "test", "order": 2, "type": "file_create", "target": "tests/test_greet.py", "dependencies": ["code"],
                "description": "regression test: the greeting names its argument",
                "content": "def test_greet():\n    assert True\n"
            }
        ]),
    )
}

pub fn plan(intent: &str, text: &str, steps: Value) -> String {
    json!({ "schema": "exacta.plan/1", "intent": { "type": intent, "text": text }, "steps": steps }).to_string()
}
