//! How much may happen without a person.

use super::key::Decider;
use super::{Context, Face};
use crate::args::{ProfileCommand, ProfileSet};
use crate::render::setting as text;
use exacta_app::{Error, ProfileView};
use exacta_kernel::policy::profile::Profile;
use serde::Serialize;

#[derive(Debug, Serialize)]
struct Profiles {
    profiles: Vec<text::ProfileText>,
}

/// `exacta profile …`
pub fn profile(command: &ProfileCommand, context: &Context) -> Result<u8, Error> {
    let output = &context.output;
    match command {
        ProfileCommand::List if output.is_json() => {
            let profiles = Profile::ALL.into_iter().map(text::ProfileText::of).collect();
            output.json(&Face { schema: "exacta.profile-list/1", body: Profiles { profiles } });
        }
        ProfileCommand::List => output.rows(Profile::ALL.into_iter().flat_map(text::profile).collect()),
        ProfileCommand::Show { name } if output.is_json() => {
            output.json(&Face { schema: "exacta.profile/1", body: text::ProfileText::of((*name).into()) });
        }
        ProfileCommand::Show { name } => output.rows(text::profile((*name).into())),
        ProfileCommand::Current => current(&context.look()?.profile_view()?, context),
        ProfileCommand::Set(args) => return set_profile(args, context),
    }
    Ok(0)
}

fn current(view: &ProfileView, context: &Context) {
    if context.output.is_json() {
        context.output.json(&Face { schema: "exacta.current-profile/1", body: view });
    } else {
        context.output.rows(text::current(view));
    }
}

fn set_profile(args: &ProfileSet, context: &Context) -> Result<u8, Error> {
    let mut app = context.resume()?;
    let (now, wanted) = (app.profile_view()?, Profile::from(args.name));
    if wanted <= now.chosen && args.signer.approver_key.is_none() {
        current(&app.set_profile(wanted, None)?, context);
        return Ok(0);
    }
    if wanted > now.ceiling {
        // Refused with the reason; no person needs to be asked.
        app.set_profile(wanted, None)?;
    }
    let decider = Decider::new(&args.signer, &context.options)?;
    if decider.is_person() {
        context.output.aside(text::profile(wanted));
    }
    decider.agrees(&format!("change the profile from {} to {}?", now.chosen.name(), wanted.name()))?;
    current(&app.set_profile(wanted, Some(&decider.key(&context.options)?))?, context);
    Ok(0)
}
