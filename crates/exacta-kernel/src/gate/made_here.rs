//! What holds for plans that a model of ours made for a request, besides everything that holds for any plan.

use super::evidence::{plain, quoted, requested_place};
use super::grouped::Grouped;
use super::{Gate, GateVerdict, Verdict};
use crate::assess::{Assessment, Extent, Issue};
use crate::binding::{Asked, Binding, ProviderClass};
use crate::diff::ChangeKind;
use crate::path::RelPath;
use crate::plan::Effect;
use crate::prelude::*;
use crate::scan::source::is_test;

/// The rule that a person is asked about files that the user did not name.
pub const BEYOND: &str = "beyond-request";
/// The rule that a plan made here has everything that its kind of request needs.
pub const INCOMPLETE: &str = "incomplete";

/// From how many lost points on a lack is an essential one, in basis points of completeness.
const ESSENTIAL: u32 = 2500;

/// What code reaches for the network or starts programs with, in the languages that are read. A person judges whether that was wanted.
const REACHES: &str = "urllib urlopen requests. httpx aiohttp http.client socket smtplib ftplib fetch( axios XMLHttpRequest WebSocket sendBeacon \
     net/http http.Get http.Post net.Dial reqwest ureq std::net TcpStream UdpSocket HttpClient WebClient curl wget URLSession Net::HTTP \
     file_get_contents subprocess os.system os.exec popen child_process process::Command exec.Command Process.Start ProcessBuilder \
     Runtime.getRuntime importlib __import__ eval( exec( Function(";

/// What is known of a plan that a model of ours made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Made<'a> {
    /// How it was asked for.
    pub asked: &'a Asked,
    /// Where the model runs.
    pub class: Option<ProviderClass>,
}

impl<'a> Made<'a> {
    /// Of a plan with this binding; none if it came from outside.
    #[must_use]
    pub fn of(binding: &'a Binding) -> Option<Self> {
        let class = binding.proposer.model.as_ref().map(|model| model.class);
        binding.asked.as_ref().map(|asked| Self { asked, class })
    }
}

/// What a model read in the project may have told it what to do. So whatever it changes beyond the files that the user named, and
/// their tests, and whatever it gives, uses or reaches for in them, a person sees first. And a plan that was made here and lacks an essential part is made again, not approved; a
/// selection of its steps lacks what the person left out.
pub(super) fn made_here(assessment: &Assessment, asked: &Asked) -> Vec<GateVerdict> {
    let mut found = Grouped::default();
    for change in assessment.valid_plan().plan().changes() {
        if !is_named(&change.path, asked) {
            let what = "the request does not name what the model wants to change";
            found.add(Verdict::Confirm, Some(BEYOND), what, &quoted(change.path.as_str()));
        }
    }
    for requested in assessment.capabilities() {
        let what = format!("a model wants to give or use `{}`", requested.capability.name());
        let place = format!("{} ({})", plain(&requested.reason), requested_place(requested));
        found.add(Verdict::Confirm, Some(BEYOND), &what, &place);
    }
    for danger in &assessment.signals().dangers {
        let place = danger.place.path.as_deref().map(quoted).unwrap_or_default();
        found.add(Verdict::Confirm, Some(BEYOND), "a model adds what can be dangerous", &place);
    }
    for effect in assessment.valid_plan().plan().effects() {
        if let Some(line) = reaches_out(effect) {
            let place = format!("{}, line {line}", quoted(effect.path.as_str()));
            found.add(Verdict::Confirm, Some(BEYOND), "a model reaches for the network or other programs", &place);
        }
    }
    for issue in essentials(assessment).filter(|_| assessment.extent == Extent::Whole) {
        let place = issue.path.as_deref().map(quoted).unwrap_or_default();
        found.add(Verdict::Deny, Some(INCOMPLETE), &plain(&issue.message), &place);
    }
    if found.is_empty() { Vec::new() } else { found.verdicts(Gate::Policy, "") }
}

/// The first added line that reaches out.
fn reaches_out(effect: &Effect) -> Option<u64> {
    let reaches =
        |line: &[u8]| REACHES.split_whitespace().any(|word| memchr::memmem::find(line, word.as_bytes()).is_some());
    let lines = effect.line_changes();
    let added = lines.iter().filter(|line| line.kind == ChangeKind::Added);
    added.into_iter().find(|line| reaches(line.bytes)).map(|line| line.line)
}

/// What the plan lacks that its kind of request cannot do without.
fn essentials(assessment: &Assessment) -> impl Iterator<Item = &Issue> {
    let completeness = assessment.quality.dimensions.iter().filter(|dimension| dimension.name == "completeness");
    completeness.flat_map(|dimension| &dimension.issues).filter(|issue| !issue.wording && issue.points >= ESSENTIAL)
}

/// Whether the user named the file, a folder above it, or the code that it tests.
fn is_named(path: &RelPath, asked: &Asked) -> bool {
    let written = path.as_str();
    let within = |name: &String| name.ends_with('/') && written.starts_with(name.as_str());
    asked.named.contains(written)
        || asked.named.iter().any(within)
        || (is_test(path) && asked.named.iter().any(|name| is_test_of(path, name)))
}

/// Whether a test's name is that of the code, with words that say that it is a test.
fn is_test_of(test: &RelPath, code: &str) -> bool {
    let stem =
        |name: &str| name.rsplit('/').next().unwrap_or(name).split('.').next().unwrap_or_default().to_lowercase();
    let (test, code) = (stem(test.name()), stem(code));
    let bare = test.trim_start_matches("test_").trim_end_matches("_test").trim_end_matches("_tests");
    let bare = bare.trim_end_matches("test").trim_end_matches("spec").trim_end_matches(['-', '_']);
    code.len() > 1 && (test == code || bare == code)
}
