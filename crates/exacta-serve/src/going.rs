//! The runs that go on in this server.

use crate::session::lock;
use exacta_kernel::id::PlanId;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// By plan: raise the flag to cancel its run.
#[derive(Default)]
pub struct Runs {
    open: Mutex<BTreeMap<PlanId, Arc<AtomicBool>>>,
}

impl Runs {
    /// A run begins; its flag.
    pub fn begin(&self, id: &PlanId) -> Arc<AtomicBool> {
        let flag = Arc::new(AtomicBool::new(false));
        lock(&self.open).insert(id.clone(), Arc::clone(&flag));
        flag
    }

    /// It has ended.
    pub fn end(&self, id: &PlanId) {
        lock(&self.open).remove(id);
    }

    /// Cancels the run of a plan, if it goes on here.
    pub fn cancel(&self, id: &PlanId) -> bool {
        let open = lock(&self.open);
        open.get(id).inspect(|flag| flag.store(true, Ordering::SeqCst)).is_some()
    }

    /// Whether nothing runs.
    pub fn is_idle(&self) -> bool {
        lock(&self.open).is_empty()
    }
}
