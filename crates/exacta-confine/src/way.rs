//! Where a path leads, step by step. One that leads through the project ends wherever the project says, whatever it is called.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// How many links are followed, as by the system.
const LINKS: usize = 40;

/// Where a path leads, without a link in it, if no step on the way there is in the project: nobody who writes to the project alone can have it
/// lead elsewhere.
#[must_use]
pub fn past(project: &Path, path: &Path) -> Option<PathBuf> {
    let project = project.canonicalize().unwrap_or_else(|_| project.to_owned());
    walk(path, |next| !next.starts_with(&project) && next.symlink_metadata().is_ok())
}

/// Every place that a path leads through, links among them; where it ends comes last. What is not there yet is taken by its name. Nothing where
/// nobody can tell: a path that is not whole, or links in a circle.
#[must_use]
pub fn trail(path: &Path) -> Option<Vec<PathBuf>> {
    let mut seen = Vec::new();
    let end = walk(path, |next| {
        seen.push(next.to_owned());
        true
    })?;
    seen.push(end);
    Some(seen)
}

/// Where a path leads, as long as `goes_on` says so at each step.
fn walk(path: &Path, mut goes_on: impl FnMut(&Path) -> bool) -> Option<PathBuf> {
    if !path.is_absolute() {
        return None;
    }
    let (mut here, mut links) = (PathBuf::from("/"), 0);
    let mut rest: VecDeque<OsString> = parts(path).collect();
    while let Some(part) = rest.pop_front() {
        if part == ".." {
            here.pop();
            continue;
        }
        let next = here.join(&part);
        if !goes_on(&next) {
            return None;
        }
        if !next.is_symlink() {
            here = next;
            continue;
        }
        links += 1;
        if links > LINKS {
            return None;
        }
        let target = next.read_link().ok()?;
        if target.is_absolute() {
            here = PathBuf::from("/");
        }
        for part in parts(&target).collect::<Vec<_>>().into_iter().rev() {
            rest.push_front(part);
        }
    }
    Some(here)
}

fn parts(path: &Path) -> impl Iterator<Item = OsString> {
    path.components().filter_map(|part| match part {
        Component::Normal(_) | Component::ParentDir => Some(part.as_os_str().to_owned()),
        Component::Prefix(_) | Component::RootDir | Component::CurDir => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn attack_46_a_path_that_leads_through_the_project_leads_nowhere() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let at = |name: &str| base.join(name);
        for folder in ["private", "tools/bin", "app/venv"] {
            std::fs::create_dir_all(at(folder)).unwrap();
        }
        symlink(at("private"), at("app/venv/bin")).unwrap();
        symlink(at("app/venv"), at("venv")).unwrap();
        symlink("app/../tools", at("beside")).unwrap();
        symlink("tools/./bin", at("bin")).unwrap();
        symlink("bin", at("twice")).unwrap();
        symlink("circle", at("circle")).unwrap();
        let cases = [
            ("tools/bin", Some("tools/bin")),
            ("bin", Some("tools/bin")),
            ("twice", Some("tools/bin")),
            ("tools/bin/../../private", Some("private")),
            ("venv/bin", None),
            ("venv", None),
            ("app/venv/bin", None),
            ("app", None),
            ("beside", None),
            ("beside/bin", None),
            ("circle", None),
            ("absent", None),
        ];
        for (path, expected) in cases {
            assert_eq!(past(&at("app"), &at(path)), expected.map(at), "{path}");
        }
        assert_eq!(past(&at("app"), Path::new("tools")), None);
        let trail = |path: &str| trail(&at(path));
        assert_eq!(trail("circle"), None);
        let through = trail("venv/bin/new/file").unwrap();
        assert!(through.contains(&at("app/venv/bin")), "{through:?}");
        assert_eq!(through.last(), Some(&at("private/new/file")));
        assert_eq!(trail("absent/../bin").unwrap().last(), Some(&at("tools/bin")));
    }
}
