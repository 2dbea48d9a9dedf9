//! A person changes a waiting plan in their editor, and decides about what came of it.

use super::decide::{Decided, decide_shown, named};
use super::key::Decider;
use super::question::Yes;
use super::{Context, plan as plans};
use crate::args::{Edit, Signer};
use crate::editor::edited_all;
use crate::prompt::Person;
use exacta_app::settings::own_key;
use exacta_app::{Error, Exit};
use exacta_kernel::lifecycle::Status;
use exacta_kernel::path::RelPath;
use std::collections::BTreeMap;

/// `exacta edit`
pub fn edit(args: &Edit, context: &Context) -> Result<u8, Error> {
    Person::present()?;
    let mut app = context.resume()?;
    let id = app.resolve(args.id.as_deref().unwrap_or("@"))?;
    let by = own_key(&context.options, None)?.name().clone();
    let files = app.editable(&id)?;
    let texts: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let edited: BTreeMap<RelPath, String> =
        files.iter().map(|(path, _)| path.clone()).zip(edited_all(&texts, &context.options)?).collect();
    let view = app.edit(&id, &edited, &by)?;
    if view.status != Some(Status::Pending) {
        plans::print(&view, &context.output);
        plans::next(&view, &app, &context.output);
        return Ok(plans::exit(&view).code());
    }
    let decider = Decider::new(&Signer { approver_key: None }, &context.options)?;
    match decide_shown(&mut app, &view, decider, Yes::Applies, context)? {
        Decided::Approved { plan, run: true } => super::run::execute_now(&mut app, &named(&plan)?.0, context),
        Decided::Approved { run: false, .. } => Ok(Exit::Done.code()),
        Decided::Ended(code) => Ok(code),
    }
}
