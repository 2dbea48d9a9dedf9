//! What callers get from the use cases, also those that no surface makes yet: the table itself is tested where it is.

use crate::place::{Place, fix, id};
use exacta_app::caller::{Credential, Scope};
use exacta_app::settings::Settings;
use exacta_app::{AgentName, App, Caller, Error, Exit, Options, Request};
use exacta_kernel::approval::{ApproverName, Shown};
use exacta_kernel::id::PlanId;
use exacta_kernel::lifecycle::Status;
use exacta_kernel::policy::profile::Profile;
use exacta_view::{PlanView, RunView};
use std::sync::atomic::AtomicBool;

fn agent(name: &str, scopes: &[Scope]) -> Caller {
    Caller::Agent { credential: Credential::parse(name).unwrap(), scopes: scopes.iter().copied().collect() }
}

fn options(place: &Place, caller: Caller) -> Options {
    Options { caller, ..place.options.clone() }
}

fn app(place: &Place, caller: Caller) -> App {
    App::open(&options(place, caller)).unwrap()
}

fn submit(app: &mut App) -> PlanView {
    app.submit(fix().as_bytes(), &Request::default()).unwrap()
}

fn execute(app: &mut App, id: &PlanId) -> Result<RunView, Error> {
    let cancel = AtomicBool::new(false);
    app.execute(id, Place::execution(&cancel, &mut |_| {}, &mut |_| {}))
}

fn undo(app: &mut App, place: &Place, run: &str) -> Result<RunView, Error> {
    let cancel = AtomicBool::new(false);
    app.undo(run, &place.key(), Place::execution(&cancel, &mut |_| {}, &mut |_| {}))
}

fn code<T: std::fmt::Debug>(result: Result<T, Error>) -> &'static str {
    result.unwrap_err().code.as_str()
}

/// To an agent without `read_all` other credentials' plans are not there, by whatever name, and neither are their runs.
#[test]
fn an_agent_sees_the_plans_of_its_own_credential() {
    let place = Place::new();
    drop(place.app());
    let mut own = app(&place, agent("token:one", &[Scope::Read, Scope::Propose]));
    let mut other = app(&place, agent("token:two", &[Scope::Read, Scope::Propose]));
    let (mine, theirs) = (id(&submit(&mut own)), id(&submit(&mut other)));
    let ids = |app: &App| app.list(None, Some(1)).unwrap().into_iter().map(|line| line.plan_id).collect::<Vec<_>>();
    assert_eq!((ids(&own), ids(&other)), (vec![mine.to_string()], vec![theirs.to_string()]));
    assert_eq!(own.show(&mine).unwrap().plan.plan_id, Some(mine.to_string()));
    let absent = PlanId::parse("019a2f3e-7c1d-7000-8000-000000000000").unwrap();
    let (hidden, none) = (own.show(&theirs).unwrap_err(), own.show(&absent).unwrap_err());
    assert_eq!(hidden.message.replace(theirs.as_str(), "X"), none.message.replace(absent.as_str(), "X"));
    assert_eq!((hidden.exit, hidden.code.as_str(), hidden.hint), (none.exit, none.code.as_str(), none.hint));
    let short = other.short_id(&theirs);
    for name in [theirs.as_str(), short.as_str()] {
        assert_eq!(code(own.resolve(name)), "plan_unknown", "{name}");
    }
    assert_eq!(code(own.status_of(&theirs)), "plan_unknown");
    assert_eq!(code(own.explain_plan(&theirs)), "plan_unknown");
    assert_eq!(code(own.resubmit(&theirs)), "plan_unknown");
    assert_eq!(code(own.answer(&theirs, false)), "plan_unknown");
    assert_eq!(code(own.withdraw(&theirs, None, None)), "plan_unknown");
    let revises = Request { revises: Some(theirs.clone()), ..Request::default() };
    assert_eq!(code(own.submit(fix().as_bytes(), &revises)), "plan_unknown");
    assert_eq!(code(own.entries(None, None)), "scope_missing", "the log tells of everybody's plans");
    assert_eq!(own.status().unwrap().pending.len(), 1);
    let all = app(&place, agent("token:three", &[Scope::Read, Scope::ReadAll]));
    assert_eq!(all.list(None, None).unwrap().len(), 2);
    assert_eq!(all.show(&theirs).unwrap().plan.plan_id, Some(theirs.to_string()));
}

/// A run is hidden with its plan.
#[test]
fn an_agent_does_not_see_anothers_runs() {
    let place = Place::new();
    let plan = id(&place.submit(&fix()));
    place.approve(&plan).unwrap();
    let run = place.execute(&plan).unwrap();
    let mut other = app(&place, agent("token:two", &[Scope::Read]));
    assert_eq!(code(other.run_named(&run.run_id)), "run_unknown");
    assert_eq!(code(other.undo_preview(None)), "run_unknown");
    assert!(other.status().unwrap().runs.is_empty());
    let run_id = exacta_kernel::id::RunId::parse(&run.run_id).unwrap();
    assert_eq!(other.run(&run_id).unwrap(), None);
}

#[test]
fn an_agent_answers_for_its_own_plans_alone() {
    let place = Place::new();
    let theirs = id(&place.submit(&fix()));
    let mut agent = app(&place, agent("token:one", &Scope::ALL));
    let revises = Request { revises: Some(theirs.clone()), ..Request::default() };
    assert_eq!(code(agent.submit(fix().as_bytes(), &revises)), "plan_not_own");
    assert_eq!(code(agent.resubmit(&theirs)), "plan_not_own");
    assert_eq!(code(agent.withdraw(&theirs, None, None)), "plan_not_own");
    assert_eq!(code(agent.withdraw(&theirs, None, Some((&place.key()).into()))), "caller_not_person");
    let mine = id(&submit(&mut agent));
    let revises = Request { revises: Some(mine), ..Request::default() };
    assert_eq!(agent.submit(fix().as_bytes(), &revises).unwrap().status, Some(Status::Pending));
}

/// Each start needs its own scope: of what policy allows, and of what a person approved.
#[test]
fn an_agent_starts_what_its_scopes_say() {
    let approved = || {
        let place = Place::new();
        let plan = id(&place.submit(&fix()));
        place.approve(&plan).unwrap();
        (place, plan)
    };
    let allowed = || {
        let place = Place::new();
        place.profile(Profile::Dev);
        let plan = id(&place.submit(&fix()));
        (place, plan)
    };
    let read = [Scope::Read, Scope::ReadAll];
    for (scope, by_policy) in [(Scope::RunAllowed, true), (Scope::Execute, false)] {
        let scopes = [&read[..], &[scope]].concat();
        let ((may, plan), (may_not, other)) = if by_policy { (allowed(), approved()) } else { (approved(), allowed()) };
        let before = may_not.read("src/greet.py");
        let refused = execute(&mut app(&may_not, agent("token:one", &scopes)), &other).unwrap_err();
        assert_eq!((refused.exit, refused.code.as_str()), (Exit::Denied, "scope_missing"), "{refused}");
        assert_eq!(may_not.read("src/greet.py"), before);
        assert_eq!(execute(&mut app(&may, agent("token:one", &scopes)), &plan).unwrap().outcome.name(), "completed");
    }
    let (place, plan) = approved();
    assert_eq!(code(execute(&mut app(&place, agent("token:one", &read)), &plan)), "scope_missing");
    assert_eq!(place.execute(&plan).unwrap().outcome.name(), "completed", "no refusal used the plan up");
}

/// Nothing but a person decides, undoes or configures, whoever's key lies about.
#[test]
fn no_agent_decides_even_with_a_key_at_hand() {
    let place = Place::new();
    let plan = id(&place.submit(&fix()));
    let shown = Place::shown(&place.app(), &plan);
    let person = "caller_not_person";
    for caller in [Caller::default(), agent("token:one", &Scope::ALL), Caller::timer("news").unwrap()] {
        let unseen = matches!(caller, Caller::Timer { .. });
        let decide = if unseen { "plan_unknown" } else { person };
        let options = options(&place, caller);
        let mut app = App::open(&options).unwrap();
        assert_eq!(code(app.approve(&plan, &shown, &place.key())), decide);
        assert_eq!(code(app.reject(&plan, None, &place.key())), decide);
        assert_eq!(code(app.revise(&plan, "other words", &place.key())), decide);
        assert_eq!(code(app.select(&plan, &["code".to_owned()].into())), decide);
        assert_eq!(code(app.set_profile(Profile::Dev, Some(&place.key()))), person);
        let mut settings = Settings::open(&options).unwrap();
        assert_eq!(code(settings.set_policy("", "FILE", &place.key())), person);
        assert_eq!(code(settings.reset_policy(&place.key())), person);
        let name = ApproverName::parse("second").unwrap();
        assert_eq!(code(settings.add_approver(&name, None, Some(&place.key()))), person);
        assert_eq!(code(settings.remove_approver(&name, &place.key())), person);
    }
    assert_eq!(place.app().show(&plan).unwrap().plan.status, Some(Status::Pending));
    place.approve(&plan).unwrap();
    let run = place.execute(&plan).unwrap().run_id;
    for caller in [Caller::default(), agent("token:one", &Scope::ALL), Caller::timer("news").unwrap()] {
        assert_eq!(code(undo(&mut app(&place, caller), &place, &run)), "undo_needs_person");
    }
    assert_eq!(place.undo(&run).unwrap().outcome.name(), "completed");
}

/// The review page of an approver: their name is in the log, also where nothing is signed.
#[test]
fn an_approvers_session_proposes_decides_and_runs() {
    let place = Place::new();
    let owner = ApproverName::parse("owner").unwrap();
    let mut page = app(&place, Caller::Session { approver: owner });
    let view = submit(&mut page);
    let plan = id(&view);
    assert_eq!(view.detail.unwrap().by.as_deref(), Some("approver:owner"));
    let shown = Shown::parse(view.plan_hash.as_deref().unwrap()).unwrap();
    page.approve(&plan, &shown, &place.key()).unwrap();
    assert_eq!(execute(&mut page, &plan).unwrap().outcome.name(), "completed");
    let actors: Vec<String> = page.entries(None, None).unwrap().iter().map(|entry| entry.actor.to_string()).collect();
    assert!(actors.iter().filter(|actor| *actor == "person:owner").count() >= 4, "{actors:?}");
    assert!(actors.iter().all(|actor| !actor.starts_with("agent:")), "{actors:?}");
}

/// The timer sees, submits and starts what its own autopilot has, and only what policy allows or an approver told it to run.
#[test]
fn the_timer_works_for_one_autopilot() {
    let place = Place::new();
    place.profile(Profile::Dev);
    let theirs = id(&place.submit(&fix()));
    let mut timer = app(&place, Caller::timer("news").unwrap());
    assert_eq!(code(timer.show(&theirs)), "plan_unknown");
    assert_eq!(code(execute(&mut timer, &theirs)), "plan_unknown");
    assert_eq!(code(timer.entries(None, None)), "caller_not_person");
    let view = submit(&mut timer);
    assert_eq!(view.detail.as_ref().unwrap().by.as_deref(), Some("autopilot:news"));
    assert_eq!(execute(&mut timer, &id(&view)).unwrap().outcome.name(), "completed");

    let place = Place::new();
    drop(place.app());
    let mut timer = app(&place, Caller::timer("news").unwrap());
    let plan = id(&submit(&mut timer));
    place.approve(&plan).unwrap();
    assert_eq!(code(execute(&mut timer, &plan)), "caller_not_person", "nobody said that it should run");
    assert_eq!(code(execute(&mut app(&place, Caller::timer("other").unwrap()), &plan)), "plan_unknown");
}

/// The Safety Policy takes `execute` from commands without a terminal, not from people.
#[test]
fn the_policy_keeps_commands_from_starting_what_a_person_approved() {
    let place = Place::new();
    let mut settings = Settings::open(&place.options).unwrap();
    settings.set_policy("command_line_execute = false\n", "FILE", &place.key()).unwrap();
    drop(settings);
    let plan = id(&place.submit(&fix()));
    place.approve(&plan).unwrap();
    let line = || Caller::CommandLine { agent: Some(AgentName::parse("codex").unwrap()) };
    let refused = execute(&mut app(&place, line()), &plan).unwrap_err();
    assert_eq!((refused.exit, refused.code.as_str()), (Exit::Denied, "scope_missing"));
    assert!(exacta_view::command::at_a_terminal(&refused.hint.unwrap()).contains("command_line_execute"));
    let person = Caller::Terminal { agent: None };
    assert_eq!(execute(&mut app(&place, person), &plan).unwrap().outcome.name(), "completed");

    place.profile(Profile::Dev);
    place.undo(&place.app().list(None, None).unwrap()[0].plan_id).unwrap();
    let allowed = id(&submit(&mut app(&place, line())));
    assert_eq!(execute(&mut app(&place, line()), &allowed).unwrap().outcome.name(), "completed");
}

/// A connected agent makes no project, and changes no setting that a person changes without a signature.
#[test]
fn an_agent_begins_and_adjusts_nothing() {
    let place = Place::new();
    let new = options(&place, agent("token:one", &Scope::ALL));
    assert_eq!(App::open(&new).err().unwrap().code, "caller_not_person", "there is no project yet");
    let mut other = app(&place, Caller::Terminal { agent: None });
    other.submit(fix().as_bytes(), &Request::default()).unwrap();
    let mut agent = App::open(&new).unwrap();
    assert_eq!(code(agent.end_session()), "caller_not_person");
    assert_eq!(code(agent.set_profile(Profile::Safe, None)), "caller_not_person");
    assert_eq!(app(&place, Caller::default()).end_session().unwrap(), 1, "as the plain command line always could");
}
