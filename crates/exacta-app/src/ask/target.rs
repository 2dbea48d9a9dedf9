//! What the request is about, held against the project: the files that the user named, and what the model gets to see.

use super::intent::Target;
use super::session::Session;
use super::view::{AskStage, ContextFile, ContextView};
use super::words;
use crate::error::{Error, Exit};
use exacta_context::{Selection, Why};
use exacta_kernel::facts::Target as Found;
use exacta_kernel::path::RelPath;
use exacta_kernel::policy::caps::Caps;
use std::os::fd::AsFd as _;

/// What the model sees of the project where nothing says how much it can take, in tokens.
const USUAL: u64 = 24_000;
/// What stays free for the question and the answer, in tokens.
const RESERVE: u64 = 8_000;
/// The least that is worth sending.
const LEAST: u64 = 1_000;

impl Session<'_> {
    /// What the user named, in words and options, held against the project.
    pub fn resolve(&mut self) -> Result<Target, Error> {
        let named = words::named(&self.wish.text);
        let mut symbols = self.wish.symbols.clone();
        symbols.extend(named.symbols.iter().cloned());
        let mut written = self.wish.files.clone();
        written.extend(self.wish.answer("file").map(ToOwned::to_owned));
        let given = written.len();
        written.extend(named.paths.iter().cloned());
        let exact: Vec<RelPath> =
            written.iter().filter_map(|path| RelPath::parse(path.trim_end_matches('/')).ok()).collect();
        let exact: Vec<RelPath> = exact.into_iter().filter(|path| matches!(self.found(path), Found::File(_))).collect();
        let selection = self.select(&exact, &symbols)?;
        let mut target = Target { symbols, ..Target::default() };
        let chosen = self.wish.answer("file").map(ToOwned::to_owned);
        for (at, path) in written.iter().enumerate() {
            self.place(path, at < given, chosen.as_deref(), &selection, &mut target);
        }
        let has = |symbol: &String| selection.text.contains(symbol.rsplit(['.', ':']).next().unwrap_or(symbol));
        let lost = target.symbols.iter().filter(|symbol| !has(symbol)).cloned().collect::<Vec<_>>();
        // A word that only looks like a name, such as `KeyError` in prose, is none if nothing has it.
        target.unresolved.extend(lost.iter().filter(|symbol| !named.prose.contains(symbol)).cloned());
        target.symbols.retain(|symbol| !lost.contains(symbol));
        let answers = |why: Why| matches!(why, Why::Named | Why::Words);
        target.is_located = !target.files.is_empty() || selection.files.iter().any(|file| answers(file.why));
        self.keep(selection);
        Ok(target)
    }

    /// What lies at a path now.
    fn found(&self, path: &RelPath) -> Found {
        self.app.root.fact(path, Caps::default().target_bytes).target
    }

    /// One name that the user wrote: a file, a folder, several files, something to be made, or nothing.
    fn place(&self, written: &str, given: bool, chosen: Option<&str>, selection: &Selection, target: &mut Target) {
        let bare = written.strip_prefix("./").unwrap_or(written);
        let Ok(path) = RelPath::parse(bare.trim_end_matches('/')) else {
            return target.unresolved.push(written.to_owned());
        };
        match self.found(&path) {
            Found::File(_) => return push(&mut target.files, path.as_str()),
            Found::Directory { .. } => return push(&mut target.files, &format!("{path}/")),
            _ => {}
        }
        let end = format!("/{path}");
        let like: Vec<String> =
            selection.files.iter().map(|file| file.path.as_str().to_owned()).filter(|it| it.ends_with(&end)).collect();
        match like.as_slice() {
            [one] => push(&mut target.files, one),
            // A file that the user wants made, if its folder says so or an option did; a bare name may be anything.
            [] if given || path.as_str().contains('/') => {
                push(&mut target.files, path.as_str());
                target.unresolved.push(written.to_owned());
            }
            [] => {
                push(&mut target.files, path.as_str());
                target.unresolved.push(written.to_owned());
            }
            several if chosen.is_some_and(|chosen| several.iter().any(|it| it == chosen)) => {}
            several => target.ambiguous.push((written.to_owned(), several.to_vec())),
        }
    }

    /// What the model sees if these files and names matter most.
    pub fn select(&self, files: &[RelPath], symbols: &[String]) -> Result<Selection, Error> {
        let paths = |written: &[String]| -> Vec<RelPath> {
            written.iter().filter_map(|path| RelPath::parse(path.trim_end_matches('/')).ok()).collect()
        };
        let (only, not) = (paths(&self.wish.only), paths(&self.wish.not));
        let request = exacta_context::Request {
            text: &self.wish.text,
            files,
            symbols,
            only: &only,
            not: &not,
            budget: self.room(),
            user_ignores: "",
        };
        // Without a cache every file is read; that is slower, and no reason to fail.
        let cache = self.app.home.context_cache(&self.app.project.id).ok();
        exacta_context::select(self.app.root.folder(), cache.as_ref().map(|cache| cache.as_fd()), &request).map_err(
            |error| {
                Error::new(Exit::Fault, "ASK_CONTEXT", format!("what the model may see cannot be selected: {error}"))
                    .hint("see whether the project can be read")
            },
        )
    }

    /// How many tokens of the project fit into one question.
    fn room(&self) -> u64 {
        let limits = self.maker.identity().limits;
        let model = limits.input.or(limits.context).map_or(USUAL, |most| most.saturating_sub(RESERVE.min(most / 2)));
        let budget = self.wish.budget.tokens.map_or(u64::MAX, |most| most / 3);
        model.min(USUAL).min(budget).max(LEAST)
    }

    /// Shows the whole files that the steps change, besides what was chosen before.
    pub fn widen(&mut self, targets: &[RelPath]) -> Result<(), Error> {
        let named = self.view.intent.as_ref().map(|intent| intent.target.files.clone()).unwrap_or_default();
        let mut files: Vec<RelPath> = targets.to_vec();
        files.extend(named.iter().filter_map(|path| RelPath::parse(path).ok()));
        files.retain(|path| matches!(self.found(path), Found::File(_)));
        files.sort();
        files.dedup();
        let symbols = self.view.intent.as_ref().map(|intent| intent.target.symbols.clone()).unwrap_or_default();
        let selection = self.select(&files, &symbols)?;
        self.keep(selection);
        Ok(())
    }

    /// Lists what the model sees.
    pub fn show_context(&mut self) -> Result<(), Error> {
        let files = self.view.context.as_ref().map_or(0, |context| context.files.len());
        let tokens = self.view.context.as_ref().map_or(0, |context| context.tokens);
        self.enter(AskStage::Context, format!("{files} files, about {tokens} tokens"))
    }

    fn keep(&mut self, selection: Selection) {
        let file = |file: &exacta_context::Chosen| ContextFile {
            path: file.path.as_str().to_owned(),
            sha256: file.sha256.to_string(),
            bytes: file.bytes,
            why: file.why.word(),
            form: file.form.word(),
        };
        self.view.context = Some(ContextView {
            files: selection.files.iter().map(file).collect(),
            left_out: selection.left_out.iter().map(|(path, _)| path.as_str().to_owned()).collect(),
            tokens: selection.tokens,
            sha256: selection.hash.to_string(),
        });
        self.selection = Some(selection);
    }
}

fn push(list: &mut Vec<String>, path: &str) {
    if !list.iter().any(|other| other == path) {
        list.push(path.to_owned());
    }
}
