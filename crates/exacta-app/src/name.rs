//! How a plan is named: by a person who is shown it, in short; by whoever is not, in full.

use crate::app::App;
use crate::app::trust::safe_on_tampering;
use crate::caller::Act;
use crate::error::{Error, Exit};
use crate::stored::unknown_plan;
use exacta_kernel::audit::Entry;
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use exacta_kernel::id::PlanId;
use exacta_kernel::lifecycle::Status;
use exacta_kernel::text::excerpt;
use exacta_view::PlanView;
use std::collections::{BTreeMap, BTreeSet};

impl App {
    /// The plan that a person means: by its id, the beginning of its short id or its id, or `@` for the newest that waits for a person
    /// and `@-1` for the one before. For reading, and for whoever is shown the plan before they answer.
    ///
    /// # Errors
    /// If there is none, or several are meant.
    pub fn resolve(&self, name: &str) -> Result<PlanId, Error> {
        self.authorize(Act::Read)?;
        safe_on_tampering(&self.options, || self.find(name))
    }

    fn find(&self, name: &str) -> Result<PlanId, Error> {
        if let Some(back) = name.strip_prefix('@') {
            return self.waiting(name, back);
        }
        if let Ok(id) = PlanId::parse(name) {
            return if self.store.plan(&id)?.is_some() && self.sees(&id) { Ok(id) } else { Err(unknown_plan(name)) };
        }
        let mut found = self.store.find(name)?;
        found.retain(|id| self.sees(id));
        match &found[..] {
            [id] => Ok(id.clone()),
            [] => Err(unknown_plan(name)),
            _ => Err(Error::new(Exit::Usage, "plan_ambiguous", format!("several plans begin with `{name}`"))
                .hint(hint!["give more of the id; ", Remedy::List, " shows them"])),
        }
    }

    /// The plan of this whole id: for whoever decides without being shown the plan.
    ///
    /// # Errors
    /// If it is not a whole id, or there is no such plan.
    pub fn resolve_whole(&self, id: &str) -> Result<PlanId, Error> {
        let Ok(whole) = PlanId::parse(id) else {
            let message = format!("`{}` is not a whole plan id", excerpt(id, 64));
            return Err(Error::new(Exit::Usage, "plan_id_not_whole", message).hint(hint![
                "whoever decides with a key is not shown the plan, so nothing shorter counts: ",
                Remedy::ShowIds,
                " has `plan_id` and `plan_hash`"
            ]));
        };
        self.authorize(Act::Read)?;
        self.resolve(whole.as_str())
    }

    /// `@`, `@-1` and so on.
    fn waiting(&self, name: &str, back: &str) -> Result<PlanId, Error> {
        let place = if back.is_empty() { Some(0) } else { back.strip_prefix('-').and_then(|back| back.parse().ok()) };
        let Some(place) = place.filter(|place: &usize| *place < 1000) else { return Err(unknown_plan(name)) };
        let limit = u32::try_from(place + 1).ok();
        let line = self.list(Some(Status::Pending.name()), limit)?.into_iter().nth(place);
        let Some(line) = line else {
            let message = format!("no plan waits for a decision at `{name}`");
            return Err(
                Error::new(Exit::Usage, "nothing_pending", message).hint(hint![Remedy::List, " shows all plans"])
            );
        };
        PlanId::parse(&line.plan_id).map_err(|error| Error::fault("internal", error.to_string()))
    }

    /// What a person types for a plan: as much of its short form as no other plan begins with.
    #[must_use]
    pub fn short_id(&self, id: &PlanId) -> String {
        let short = self.store.short_ids(std::slice::from_ref(id)).ok().and_then(|mut short| short.pop());
        short.unwrap_or_else(|| id.to_string())
    }

    /// The same of all plans that entries are about.
    ///
    /// # Errors
    /// If the record cannot be read.
    pub fn short_ids(&self, entries: &[Entry]) -> Result<BTreeMap<PlanId, String>, Error> {
        let ids: BTreeSet<PlanId> = entries.iter().filter_map(|entry| entry.plan_id.clone()).collect();
        let ids: Vec<PlanId> = ids.into_iter().collect();
        let short = self.store.short_ids(&ids)?;
        Ok(ids.into_iter().zip(short).collect())
    }

    /// A view with the short id of its plan.
    pub(crate) fn named(&self, mut view: PlanView) -> PlanView {
        let id = view.plan_id.as_deref().and_then(|id| PlanId::parse(id).ok());
        view.short_id = id.map(|id| self.short_id(&id));
        view
    }
}
