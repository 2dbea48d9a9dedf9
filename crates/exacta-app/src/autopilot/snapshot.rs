//! What an occasion read, kept to the byte: the plan was made from it, and nothing is executed that does not rest on it any more.

use crate::app::App;
use crate::error::{Error, Exit};
use exacta_kernel::hash::Digest;
use exacta_kernel::permit::Work;

impl App {
    /// That everything read for a plan's occasion is still kept as it was read.
    ///
    /// # Errors
    /// Names what is not; then nothing is executed.
    pub(crate) fn reads_hold(&self, work: &Work) -> Result<(), Error> {
        if work.undoes().is_some() {
            return Ok(());
        }
        let bound = crate::stored::identity(&self.record(work.plan_id())?)?.binding.autopilot;
        let Some(id) = bound.and_then(|bound| bound.occasion) else { return Ok(()) };
        for read in self.occasion(&id)?.reads.iter().filter(|read| !read.from_cache) {
            let kept =
                Digest::parse(&read.sha256).ok().map(|hash| self.home.snapshot(&self.project.id, hash)).transpose()?;
            if kept.flatten().is_none() {
                let what = read.url.as_deref().or(read.message.as_deref()).unwrap_or("what was read");
                let message = format!(
                    "`{}` is no longer kept as it was read for this plan",
                    exacta_kernel::text::excerpt(what, 120)
                );
                return Err(Error::new(Exit::Drifted, "snapshot_changed", message).hint("have the autopilot run again"));
            }
        }
        Ok(())
    }
}
