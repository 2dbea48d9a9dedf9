//! What keeps a command from being confined: judged by how far the set-up came, what it refused, and what its programs said.

use super::staging::{Progress, Staging};
use exacta_confine::obstacle::{MASKED, NAMESPACES, Obstacle, SAID, bwrap, first_line, namespaces, setting};

/// Where a command did not begin: what its staging folder tells, and what was printed until then.
pub(super) fn found(staging: &Staging, printed: &str) -> Obstacle {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let said = first_line(&staging.said());
    if let Some(refusal) = staging.refusal() {
        let (word, folder) = refusal.split_once(' ').unwrap_or((&refusal, ""));
        return refused(word, folder, &said, read);
    }
    match staging.progress() {
        Progress::Outside => namespaces(&first_line(printed), read),
        Progress::Entered => Obstacle::new(format!("it cannot be prepared: {said}"), SAID),
        Progress::Started | Progress::Began => bwrap(&first_line(printed)),
    }
}

/// By the set-up's word for it.
fn refused(word: &str, folder: &str, said: &str, read: impl Fn(&str) -> Option<String>) -> Obstacle {
    match word {
        "process" => Obstacle::new("no process namespace", NAMESPACES),
        "mount" => Obstacle::new(
            format!("no mount in a user namespace ({said})"),
            setting(read)
                .unwrap_or("a user namespace is there, but may not mount: allow it in the profile of the container, or of AppArmor"),
        ),
        "proc" => Obstacle::new(format!("no `/proc` of its own ({said})"), MASKED),
        "folder" => Obstacle::new(
            format!("`{folder}` cannot be mounted in a user namespace ({said})"),
            "see who may enter the folder, and those above it",
        ),
        "exchanged" => Obstacle::new(
            format!("`{folder}` was exchanged for another folder"),
            "leave it in its place, and try again",
        ),
        "change" => Obstacle::new(
            format!("the change cannot be laid over the project ({said})"),
            "a change needs as much free memory as its files are large, and at most 1 GiB",
        ),
        "overlay" => Obstacle::new(
            format!("no overlay of the project in a user namespace ({said})"),
            "it needs Linux 5.11 or newer with its `overlay` module (`modprobe overlay`), and a project on a file system that can \
             be its lower layer",
        ),
        other => Obstacle::new(format!("{other} {folder} ({said})"), SAID),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of the set-up, each of them, are known here.
    #[test]
    fn every_refusal_of_the_set_up_has_words() {
        let words: Vec<&str> =
            crate::sandbox::SETUP.split("refuse ").skip(1).filter_map(|rest| rest.split_whitespace().next()).collect();
        assert!(words.len() >= 7, "{words:?}");
        for word in words {
            assert!(!refused(word, "f", "s", |_| None).why.starts_with(word), "{word}");
        }
    }
}
