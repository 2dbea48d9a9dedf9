//! AI providers in words.

use exacta_app::provider::{Offer, ProviderView, ServedView};
use exacta_kernel::provider::{Capability, KeySource, ProviderSetup};
use exacta_kernel::text::visible_line;
use exacta_view::{Row, Tone};

/// Every provider, two or three lines each.
#[must_use]
pub fn providers(providers: &[ProviderView]) -> Vec<Row> {
    if providers.is_empty() {
        return vec![Row::new().faint("no providers: `exacta provider add` offers what it finds")];
    }
    providers.iter().flat_map(provider).collect()
}

/// What is asked before a provider is added.
#[must_use]
pub fn question(setup: &ProviderSetup) -> String {
    let key = match &setup.key {
        KeySource::None => "without a key".to_owned(),
        KeySource::Environment(variable) => format!("with the key in {variable}"),
        KeySource::Keyring => "with a key in the keyring".to_owned(),
    };
    let (model, url) = (visible_line(&setup.model), visible_line(&setup.url));
    let class = setup.class.name();
    format!("let `{}` ({model} at {url}, {key}, {class}) see what you ask about and propose plans?", setup.name)
}

/// Something that could be added.
#[must_use]
pub fn offer(offer: &Offer, model: Option<&str>) -> String {
    let what = match (model, offer.key_env) {
        (Some(model), _) => visible_line(model).into_owned(),
        (None, Some(variable)) => format!("a model of your choice, with the key in {variable}"),
        (None, None) => "a model of your choice".to_owned(),
    };
    format!("{what}  ({} at {})", offer.kind.name(), offer.url)
}

fn provider(view: &ProviderView) -> Vec<Row> {
    let used = match view.used_for.as_slice() {
        [] => String::new(),
        used => format!(" · asked for {}", used.join(" and ")),
    };
    let head = Row::new().column(Tone::Strong, view.name.as_str(), 12).plain(&visible_line(&view.model));
    let mut rows = vec![
        head.faint(&format!("  {} at {}", view.kind.name(), visible_line(&view.url))),
        key(view, Row::indented(12).plain(view.class.name()).plain(" · ")).plain(&limits(view)).with(Tone::Good, &used),
        Row::indented(12).plain(&abilities(view)),
    ];
    rows.extend(view.latency_ms.map(|took| Row::indented(12).plain(&format!("a short answer takes {took} ms"))));
    rows.extend(view.served.as_ref().map(|served| Row::indented(12).faint(&answered(served))));
    rows
}

fn key(view: &ProviderView, row: Row) -> Row {
    let place = match &view.key {
        KeySource::None => return row.plain("no key"),
        KeySource::Environment(variable) => variable.as_str(),
        KeySource::Keyring => "keyring",
    };
    if view.key_present {
        row.plain(&format!("key in {place}"))
    } else {
        row.with(Tone::Bad, &format!("no key in {place}"))
    }
}

fn limits(view: &ProviderView) -> String {
    let limits = view.limits;
    let named = [("context", limits.context), ("input", limits.input), ("output", limits.output)];
    named.iter().filter_map(|(name, tokens)| tokens.map(|tokens| format!(" · {name} {tokens}"))).collect()
}

fn abilities(view: &ProviderView) -> String {
    let Some(tested) = &view.tested_at else {
        return format!("not tested: `exacta provider test {}`", view.name);
    };
    let has = |capability: &Capability| {
        let word = if view.capabilities.contains(capability) { "yes" } else { "no" };
        format!("{} {word}", capability.name())
    };
    let all: Vec<String> = Capability::ALL.iter().map(has).collect();
    format!("{} (tested {})", all.join(", "), tested.get(..10).unwrap_or(tested))
}

fn answered(served: &ServedView) -> String {
    let version = served.version.as_deref().map_or_else(String::new, |version| format!(" ({})", visible_line(version)));
    let weights = served.local_sha256.as_deref().and_then(|hash| hash.get(..8));
    let weights = weights.map_or_else(String::new, |hash| format!(", weights {hash}…"));
    let at = served.at.get(..16).unwrap_or(&served.at).replace('T', " ");
    format!("answered last as {}{version}{weights}, {at}", visible_line(&served.model))
}
