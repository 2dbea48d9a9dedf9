//! Fills the budget: the best files whole, the next ones in outline. Everything is read now, and what is sent is what was hashed.

use crate::beneath;
use crate::gate::{self, Barred, Class, FILE_CAP, TOTAL_CAP};
use crate::index::{File, Index};
use crate::outline::outline;
use crate::rank::{Ranked, is_beneath};
use crate::{Chosen, Form, Request, Selection, Why};
use exacta_kernel::hash::Digest;
use exacta_kernel::path::RelPath;
use exacta_kernel::secret;
use exacta_kernel::text::visible_line;
use exacta_source::Mapper;
use rustix::fd::BorrowedFd;
use std::fmt::Write as _;

/// So much of the budget whole files may take, in sixteenths, unless the user named them.
const WHOLE: u64 = 13;
/// So many of the best files may take most of that share, each.
const BEST: usize = 4;
/// The most files in outline: a model is shown what the request may need, not a list of the project.
const MOST_OUTLINES: usize = 160;
/// So many outlines may be long.
const LONG_OUTLINES: usize = 10;
/// The longest outline of those, and of the others, in bytes.
const LONG: usize = 800;
const SHORT: usize = 200;
/// What the lines around a file take, about.
const FRAME: u64 = 40;

/// An estimate of how many tokens a text takes: a quarter of its bytes, rounded up. Code takes somewhat more with some models, so
/// leave room.
#[must_use]
pub const fn tokens(text: &str) -> u64 {
    (text.len() as u64).div_ceil(4)
}

/// Reads and shows the files in the order of their rank, up to the budget.
pub(crate) fn fill(project: BorrowedFd<'_>, index: Index, ranked: &[Ranked], request: &Request<'_>) -> Selection {
    let mut fill =
        Fill { project, request, mapper: Mapper::default(), shown: Vec::new(), left_out: Vec::new(), used: 0 };
    let missing = |path: &&RelPath| index.find(path.as_str()).is_none();
    for path in request.files.iter().filter(missing) {
        fill.left_out.push((path.clone(), absent(project, path)));
    }
    let files: Vec<(&File, Why)> =
        ranked.iter().filter_map(|ranked| Some((index.files.get(ranked.file)?, ranked.why))).collect();
    let rest = fill.wholes(&files);
    fill.outlines(&rest);
    fill.widen(&rest);
    fill.selection(index)
}

/// Why a named file is not in the index.
fn absent(project: BorrowedFd<'_>, path: &RelPath) -> Barred {
    if let Err(why) = gate::class(path) {
        return why;
    }
    match beneath::file(project, path.as_str(), FILE_CAP) {
        Ok(Some(_)) => Barred::Ignored,
        Ok(None) | Err(rustix::io::Errno::LOOP | rustix::io::Errno::XDEV) => Barred::NotAFile,
        Err(_) => Barred::Unreadable,
    }
}

/// A file with what is shown of it.
struct Shown {
    chosen: Chosen,
    text: String,
}

struct Fill<'a> {
    project: BorrowedFd<'a>,
    request: &'a Request<'a>,
    mapper: Mapper,
    shown: Vec<Shown>,
    left_out: Vec<(RelPath, Barred)>,
    /// Bytes, with the lines around each file.
    used: u64,
}

impl<'a> Fill<'a> {
    /// The most bytes that are sent.
    fn room(&self) -> u64 {
        self.request.budget.saturating_mul(4).min(TOTAL_CAP)
    }

    /// Shows whole files while there is room for them, and gives back the others.
    fn wholes<'f>(&mut self, files: &[(&'f File, Why)]) -> Vec<(&'f File, Why)> {
        let share = self.room() / 16 * WHOLE;
        let mut rest = Vec::new();
        for (place, (file, why)) in files.iter().enumerate() {
            // The very best may be long; after them, several short files are worth more than a long one.
            let longest = if place < BEST { share / 3 * 2 } else { share / 4 };
            let size = file.seen.stamp.size + FRAME + file.seen.path.as_str().len() as u64 * 2;
            let fits = match why {
                Why::Named => self.used + size <= self.room(),
                _ if file.seen.class == Class::Data || is_beneath(&file.seen.path, self.request.not) => false,
                _ => self.used + size <= share && size <= longest,
            };
            if !(fits && self.show(file, *why, None)) {
                rest.push((*file, *why));
            }
        }
        rest
    }

    fn outlines(&mut self, files: &[(&File, Why)]) {
        let mut count = 0;
        for (file, why) in files {
            let left = self.room().saturating_sub(self.used);
            if count >= MOST_OUTLINES || left < SHORT as u64 / 2 {
                break;
            }
            let most = if count < LONG_OUTLINES { LONG } else { SHORT };
            let most = most.min(usize::try_from(left).unwrap_or(most).saturating_sub(FRAME as usize));
            count += usize::from(self.show(file, *why, Some(most)));
        }
        let named = |(file, why): &&(&File, Why)| *why == Why::Named && !self.has(&file.seen.path);
        let unshown: Vec<RelPath> = files.iter().filter(named).map(|(file, _)| file.seen.path.clone()).collect();
        for path in unshown {
            if !self.left_out.iter().any(|(left, _)| *left == path) {
                self.left_out.push((path, Barred::NoRoom));
            }
        }
    }

    /// Shows files whole after all, best first, where the outlines left room.
    fn widen(&mut self, files: &[(&File, Why)]) {
        for (file, why) in files {
            if file.seen.class == Class::Data || is_beneath(&file.seen.path, self.request.not) {
                continue;
            }
            let Some(at) = self.shown.iter().position(|shown| shown.chosen.path == file.seen.path) else { continue };
            let size = file.seen.stamp.size + FRAME + file.seen.path.as_str().len() as u64;
            let outline = self.shown.get(at).map_or(0, |shown| shown.text.len() as u64);
            if self.used - outline + size > self.room() {
                continue;
            }
            let kept = self.shown.remove(at);
            self.used -= outline;
            let widened = self.show(file, *why, None).then(|| self.shown.pop()).flatten();
            let shown = widened.unwrap_or_else(|| {
                self.used += outline;
                kept
            });
            self.shown.insert(at, shown);
        }
    }

    fn has(&self, path: &RelPath) -> bool {
        self.shown.iter().any(|shown| shown.chosen.path == *path)
    }

    /// Reads a file and shows it, whole or in an outline of this many bytes. False if it cannot be shown, or has no room.
    fn show(&mut self, file: &File, why: Why, most: Option<usize>) -> bool {
        let read = match beneath::file(self.project, file.seen.path.as_str(), FILE_CAP) {
            Ok(Some((_, bytes))) => Ok(bytes),
            Ok(None) => Err(Barred::TooLarge),
            Err(_) => Err(Barred::Unreadable),
        };
        let bytes = match read.and_then(|bytes| gate::text(&bytes).map(|_| ()).map(|()| bytes)) {
            Ok(bytes) => bytes,
            Err(barred) => {
                if why == Why::Named && most.is_some() {
                    self.left_out.push((file.seen.path.clone(), barred));
                }
                return false;
            }
        };
        let text = String::from_utf8_lossy(&bytes);
        let masked = secret::mask(&text);
        let was_masked = masked != text;
        let shown = match most {
            None => masked.into_owned(),
            Some(most) => outline(&mut self.mapper, file.seen.path.name(), file.seen.class, &masked, most),
        };
        let chosen = Chosen {
            path: file.seen.path.clone(),
            sha256: Digest::of(&bytes),
            bytes: shown.len() as u64,
            why,
            form: if most.is_some() { Form::Outline } else { Form::Whole },
            masked: was_masked,
        };
        let text = framed(&chosen, &shown);
        // It may have grown since it was looked at.
        if self.used + text.len() as u64 > self.room() {
            return false;
        }
        self.used += text.len() as u64;
        self.shown.push(Shown { chosen, text });
        true
    }

    fn selection(self, index: Index) -> Selection {
        let text: String = self.shown.iter().map(|shown| shown.text.as_str()).collect();
        let mut left_out = self.left_out;
        left_out.sort();
        left_out.dedup_by(|a, b| a.0 == b.0);
        Selection {
            files: self.shown.into_iter().map(|shown| shown.chosen).collect(),
            left_out,
            barred: index.barred,
            more: index.more,
            tokens: tokens(&text),
            hash: Digest::of(text.as_bytes()),
            text,
            read: index.read,
        }
    }
}

/// A file between two lines that nothing in it can imitate: they hold the beginning of its own hash.
fn framed(chosen: &Chosen, text: &str) -> String {
    let digest = chosen.sha256.to_string();
    let mark = digest.rsplit(':').next().and_then(|hex| hex.get(..12)).unwrap_or_default();
    let path = visible_line(chosen.path.as_str());
    let mut out = String::with_capacity(text.len() + FRAME as usize + path.len());
    let _ = writeln!(out, "<file {mark} {} {path}>", chosen.form.word());
    out.push_str(text);
    if !text.ends_with('\n') && !text.is_empty() {
        out.push('\n');
    }
    let _ = writeln!(out, "</file {mark}>");
    out
}
