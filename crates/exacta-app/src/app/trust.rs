//! What happens to a project whose records are not as they were left.

use super::App;
use crate::clock::now;
use crate::error::Error;
use crate::options::Options;
use exacta_home::Fall;
use exacta_kernel::policy::profile::Profile;

/// Gives a command, from opening the project to its end. Wherever it finds that the records are not as they were left, the
/// profile falls to SAFE: whoever changed them can put them back, and must not go on as before.
///
/// # Errors
/// What the command ends with; it says so if the profile could not be lowered.
pub fn safe_on_tampering<T>(options: &Options, command: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    command().map_err(|mut error| {
        if error.is_distrust()
            && let Err(cause) = distrust(options)
        {
            error.message.push_str(&format!("; and the profile could not be lowered: {cause}"));
        }
        error
    })
}

/// The profile falls to SAFE, because the records were changed. First outside the project: changed records can keep anybody
/// from opening them, and what cannot be opened takes no entry.
pub(crate) fn distrust(options: &Options) -> Result<(), Error> {
    let why = "the records were changed from outside";
    let (path, home) = (options.root()?, options.home()?);
    if home.project(&path)?.is_none_or(|project| project.profile == Profile::Safe) {
        return Ok(());
    }
    let mut before = Profile::Safe;
    home.update_project(&path, |project| {
        before = project.profile;
        if before > Profile::Safe {
            project.profile = Profile::Safe;
            project.failed_runs = 0;
            project.fell = Some(Fall { at: now(), why: why.to_owned() });
        }
    })?;
    if before > Profile::Safe {
        let _unrecorded = App::enter_known(options).and_then(|mut app| app.note_fall(before, why));
    }
    Ok(())
}
