//! The runs that go on in this server.

use crate::session::lock;
use exacta_kernel::id::PlanId;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// By plan: raise the flag to cancel its run. Of several that try, one runs; each has a flag of its own.
#[derive(Default)]
pub struct Runs {
    open: Mutex<Vec<(PlanId, Arc<AtomicBool>)>>,
}

impl Runs {
    /// A run begins; its flag.
    pub fn begin(&self, id: &PlanId) -> Arc<AtomicBool> {
        let flag = Arc::new(AtomicBool::new(false));
        lock(&self.open).push((id.clone(), Arc::clone(&flag)));
        flag
    }

    /// It has ended.
    pub fn end(&self, flag: &Arc<AtomicBool>) {
        lock(&self.open).retain(|(_, other)| !Arc::ptr_eq(other, flag));
    }

    /// Cancels the run of a plan, if it goes on here.
    pub fn cancel(&self, id: &PlanId) -> bool {
        let open = lock(&self.open);
        let meant = open.iter().filter(|(plan, _)| plan == id);
        meant.map(|(_, flag)| flag.store(true, Ordering::SeqCst)).count() > 0
    }

    /// Whether nothing runs.
    pub fn is_idle(&self) -> bool {
        lock(&self.open).is_empty()
    }
}
