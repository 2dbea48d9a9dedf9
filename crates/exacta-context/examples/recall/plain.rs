//! The plain way: whole files in the order of how many words of the request are in their path or text.

use std::collections::BTreeSet;
use std::path::Path;

pub fn select(project: &Path, message: &str, budget: u64) -> BTreeSet<String> {
    let split = |text: &str| -> BTreeSet<String> {
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2).map(str::to_lowercase).collect()
    };
    let words = split(message);
    let mut files = Vec::new();
    collect(project, project, &mut files);
    let mut scored: Vec<(usize, String, u64)> = Vec::new();
    for path in files {
        let Ok(text) = std::fs::read_to_string(project.join(&path)) else { continue };
        let score = split(&path).intersection(&words).count() * 3 + split(&text).intersection(&words).count();
        if score > 0 && text.len() <= 100_000 {
            scored.push((score, path, (text.len() as u64).div_ceil(4)));
        }
    }
    scored.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let mut left = budget;
    let mut chosen = BTreeSet::new();
    for (_, path, tokens) in scored {
        if tokens <= left {
            left -= tokens;
            chosen.insert(path);
        }
    }
    chosen
}

fn collect(root: &Path, folder: &Path, out: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        let kind = entry.file_type().unwrap();
        if kind.is_dir() && entry.file_name() != ".git" {
            collect(root, &path, out);
        } else if kind.is_file() {
            out.push(path.strip_prefix(root).unwrap().to_string_lossy().into_owned());
        }
    }
}
