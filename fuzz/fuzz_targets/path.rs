//! Any text as a path: never a panic; what is accepted stays beneath the root, and folding it is stable.
#![no_main]

use exacta_kernel::path::{MAX_PART, MAX_PATH, RelPath};
use exacta_kernel::text;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match RelPath::parse(text) {
        Err(error) => {
            let said = format!("{error} {} {}", error.path, error.hint);
            assert_eq!(text::hidden(&said).next(), None, "{said:?}");
        }
        Ok(path) => accepted(&path, text),
    }
});

fn accepted(path: &RelPath, text: &str) {
    assert_eq!(path.as_str(), text);
    assert!(text.len() <= MAX_PATH && !text.contains(['\0', '\\']));
    for part in path.parts() {
        assert!(!part.is_empty() && part != "." && part != ".." && part.len() <= MAX_PART);
    }
    // The standard library sees as many plain names, and no way up.
    let names = std::path::Path::new(text).components();
    assert!(names.clone().all(|name| matches!(name, std::path::Component::Normal(_))));
    assert_eq!(names.count(), path.parts().count());
    let key = path.fold_key();
    if let Ok(folded) = RelPath::parse(&key) {
        assert_eq!(folded.fold_key(), key);
        // What a folding file system takes for a protected folder is protected in every spelling.
        assert!(path.is_protected() || !folded.is_protected(), "{text:?} {key:?}");
    }
    assert_eq!(path.is_protected(), path.check_protected().is_err());
    if path.check_new().is_ok() {
        assert!(!text.ends_with(['.', ' ']) && !text.contains(':'));
    }
}
