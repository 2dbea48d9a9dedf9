//! Two sights of a page: which places belong together, what differs in them, and what is learnt of that.

use super::again::{Whole, is_replaced};
use super::align::align;
use super::confirm::Mode;
use super::passage::{MAX_PASSAGES, Word, passage, whole};
use super::score::score;
use super::sight::{Sight, mark_never};
use crate::noise::{self, Gap};
use crate::text::{WILD, hash};
use crate::tree::{Habit, Node, Since, Tree};

/// A page is learnt from its first looks.
pub(super) const LEARNING: u32 = 3;
/// What varied while it was learnt, and varies again before this look, is volatile.
const SETTLED: u32 = 6;
/// What varied once is taken for fixed after so many looks without.
const FORGOTTEN: u32 = 8;
/// A page with fewer words has too little around a place to know it again.
pub(super) const SMALL: usize = 30;
/// How long a place that was seen only sometimes is remembered while it is gone.
const REMEMBERED: u32 = 60;

/// A look: what is kept, and what differs.
pub(crate) struct Look {
    pub(crate) sight: Sight,
    pub(crate) difference: Option<Difference>,
    /// How many places were not as they were a moment before; counted by the reads that confirm a change.
    pub(crate) moved: usize,
}

/// What differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) score: u32,
    pub(crate) added: Vec<String>,
    pub(crate) removed: Vec<String>,
}

/// Compares with the sight before, after so many looks.
pub(crate) fn compare(before: Sight, mut now: Sight, looks: u32, mode: Mode) -> Look {
    let size = now.size();
    mark_never(&mut now.tree.0, size);
    let look = looks.saturating_add(1);
    let small = before.size() < SMALL;
    let learning = look <= LEARNING;
    let (old, new) = (Side::default(), Side::default());
    let mut comparing = Comparing { mode, look, learning, small, moved: 0, old, new };
    let (mut old, mut new) = (before.tree.0, std::mem::take(&mut now.tree.0));
    meet(&mut old, &mut new);
    let tree = comparing.places(old, new, false);
    now.tree = Tree(tree);
    let moved = comparing.moved;
    let difference = comparing.difference();
    Look { sight: now, difference, moved }
}

/// Marks the texts that both sights have in the same order, wherever in the tree they are: an element more around them is no news.
fn meet(old: &mut Node, new: &mut Node) {
    let numbers = |node: &Node| {
        let mut numbers = Vec::new();
        node.texts(&mut |words, _| numbers.push(number(words)));
        numbers
    };
    let (numbers_old, numbers_new) = (numbers(old), numbers(new));
    let pairs = align(&numbers_old, &numbers_new);
    let (mut met_old, mut met_new) = (vec![false; numbers_old.len()], vec![false; numbers_new.len()]);
    for (a, b) in pairs {
        for (list, index) in [(&mut met_old, a), (&mut met_new, b)] {
            if let Some(met) = list.get_mut(index) {
                *met = true;
            }
        }
    }
    old.mark_met(&mut met_old.into_iter());
    new.mark_met(&mut met_new.into_iter());
}

pub(super) struct Comparing {
    mode: Mode,
    pub(super) look: u32,
    pub(super) learning: bool,
    small: bool,
    pub(super) moved: usize,
    old: Side,
    new: Side,
}

/// The texts of one side in order, each with a number that is the same for equal ones, and what is told of it if it has no equal.
#[derive(Default)]
struct Side {
    texts: Vec<(u64, Option<String>)>,
    all: String,
}

impl Side {
    fn add(&mut self, number: u64, text: &str, told: Option<String>) {
        self.texts.push((number, told));
        self.all.push_str(text);
        self.all.push('\n');
    }

    fn told(self, matched: impl Iterator<Item = usize>) -> Vec<String> {
        let mut texts: Vec<Option<String>> = self.texts.into_iter().map(|(_, told)| told).collect();
        for index in matched {
            if let Some(told) = texts.get_mut(index) {
                *told = None;
            }
        }
        let told = texts.into_iter().flatten().filter(|told| !told.is_empty());
        told.take(MAX_PASSAGES).collect()
    }
}

impl Comparing {
    /// What is left when equal texts are put beside each other, wherever they are in the tree now.
    fn difference(self) -> Option<Difference> {
        let numbers = |side: &Side| side.texts.iter().map(|(number, _)| *number).collect::<Vec<_>>();
        let pairs = align(&numbers(&self.old), &numbers(&self.new));
        let score = score(&self.old.all, &self.new.all);
        let removed = self.old.told(pairs.iter().map(|pair| pair.0));
        let added = self.new.told(pairs.iter().map(|pair| pair.1));
        (!added.is_empty() || !removed.is_empty()).then_some(Difference { score: score.max(1), added, removed })
    }

    fn places(&mut self, mut old: Node, mut new: Node, early: bool) -> Node {
        let early = early || noise::is_often(&new.name) || noise::is_often(&old.name);
        self.forget(&mut old);
        if old.habit.volatile || new.habit.volatile {
            self.vary(&mut old, &new);
            new.habit = old.habit;
            new.habit.volatile = true;
            new.habit.absent = false;
            return new;
        }
        if old.is_text() && new.is_text() {
            return self.text(old, new, early);
        }
        if old.is_text() != new.is_text() {
            let (old, new) = (self.gone(old, early), self.came(new, early));
            return new.or(old).unwrap_or_default();
        }
        let (children, whole) =
            self.children(std::mem::take(&mut old.children), std::mem::take(&mut new.children), early);
        new.habit = old.habit;
        new.since = old.since;
        new.children = children;
        new.habit.absent = false;
        match self.mode {
            Mode::Again => self.rotates(&mut new, &whole),
            Mode::Look | Mode::Told => promote(&mut new, self.look),
        }
        new
    }

    /// What varied once, long ago, has settled.
    pub(super) fn forget(&self, old: &mut Node) {
        if old.habit.varied == 1 && self.look.saturating_sub(old.habit.last) >= FORGOTTEN {
            old.habit = settled(&old.habit);
        }
    }

    fn vary(&self, old: &mut Node, new: &Node) {
        if old.content() != new.content() {
            old.habit.varied = old.habit.varied.saturating_add(1);
            old.habit.last = self.look;
        }
    }

    /// The children that are kept, and which of them changed as a whole.
    fn children(&mut self, old: Vec<Node>, new: Vec<Node>, early: bool) -> (Vec<Node>, Whole) {
        let pairs = super::pair::pairs(&old, &new);
        let mut out = Vec::with_capacity(new.len());
        let (mut olds, mut news) = (old.into_iter(), new.into_iter());
        let (mut at_old, mut at_new) = (0, 0);
        let (mut came, mut whole) = (false, Whole::default());
        for (index_old, index_new) in pairs {
            for old in olds.by_ref().take(index_old - at_old) {
                self.left(old, early, &mut out, &mut whole);
            }
            for new in news.by_ref().take(index_new - at_new) {
                came = true;
                self.arrived(new, early, &mut out, &mut whole);
            }
            if let (Some(old), Some(new)) = (olds.next(), news.next()) {
                let before = self.moved;
                let child = self.pair(old, new, early);
                whole.add(self.moved > before && is_replaced(&child), child.size());
                out.push(child);
            }
            (at_old, at_new) = (index_old + 1, index_new + 1);
        }
        for old in olds {
            // A feed drops its oldest entries when new ones come: that is no news.
            if !(came && old.name == "entry") {
                self.left(old, early, &mut out, &mut whole);
            }
        }
        for new in news {
            self.arrived(new, early, &mut out, &mut whole);
        }
        (out, whole)
    }

    fn left(&mut self, old: Node, early: bool, out: &mut Vec<Node>, whole: &mut Whole) {
        let (before, size) = (self.moved, old.size());
        out.extend(self.gone(old, early));
        whole.add(self.moved > before, size);
    }

    fn arrived(&mut self, new: Node, early: bool, out: &mut Vec<Node>, whole: &mut Whole) {
        let (before, size) = (self.moved, new.size());
        out.extend(self.came(new, early));
        whole.add(self.moved > before, size);
    }

    fn pair(&mut self, mut old: Node, new: Node, early: bool) -> Node {
        if old.since == Since::Gone {
            return self.back(old, new);
        }
        if old.habit.absent {
            // It is back. What it says now is its own affair, as whether it is there.
            let differs = old.content() != new.content();
            let mut back = new;
            back.since = old.since;
            old.habit.absent = false;
            old.habit.optional = true;
            old.habit.volatile |= differs;
            old.habit.last = self.look;
            back.habit = old.habit;
            return back;
        }
        self.places(old, new, early)
    }

    /// A place that is no longer there; what is remembered of it.
    fn gone(&mut self, mut old: Node, early: bool) -> Option<Node> {
        if self.mode == Mode::Again {
            return self.gone_again(old);
        }
        let early = early || noise::is_often(&old.name);
        self.forget(&mut old);
        let habit = &mut old.habit;
        if habit.absent {
            let known = habit.optional && self.look.saturating_sub(habit.last) < REMEMBERED;
            return known.then_some(old);
        }
        let silent = habit.optional || habit.volatile || (self.learning && early);
        let elsewhere = !silent && old.all_met();
        let habit = &mut old.habit;
        let remembered = silent || (self.learning && !self.small && !elsewhere);
        habit.optional |= remembered;
        habit.varied = habit.varied.saturating_add(1);
        habit.last = self.look;
        if !silent {
            old.texts(&mut |words, volatile| {
                if !volatile {
                    self.old.add(number(words), &words.join(" "), Some(whole(words)));
                }
            });
        }
        old.habit.absent = true;
        old.since = Since::Gone;
        (old.size() > 0 && !elsewhere).then_some(old)
    }

    /// A place that was not there.
    fn came(&mut self, mut new: Node, early: bool) -> Option<Node> {
        if self.mode == Mode::Again {
            return self.came_again(new);
        }
        let early = early || noise::is_often(&new.name);
        let known = self.mode == Mode::Told && is_known(&new.habit);
        if new.habit.volatile || new.size() == 0 || known {
            return Some(new);
        }
        let elsewhere = new.all_met();
        if !elsewhere {
            new.since = Since::Came;
        }
        let silent = self.learning && early && !elsewhere;
        if !silent {
            new.texts(&mut |words, volatile| {
                if !volatile {
                    self.new.add(number(words), &words.join(" "), Some(whole(words)));
                }
            });
        }
        if silent || (self.learning && !self.small && !elsewhere) {
            new.habit.optional = true;
            new.habit.volatile = silent;
            new.habit.varied = 1;
            new.habit.last = self.look;
        }
        Some(new)
    }

    pub(super) fn same(&mut self, words: &[String]) {
        let (number, text) = (number(words), words.join(" "));
        self.old.add(number, &text, None);
        self.new.add(number, &text, None);
    }

    fn text(&mut self, old: Node, mut new: Node, early: bool) -> Node {
        new.habit = old.habit.clone();
        new.habit.absent = false;
        new.since = old.since;
        if old.words == new.words {
            self.same(&new.words);
            return Node { habit: new.habit, ..old };
        }
        let known = self.mode == Mode::Told && new.habit.known.contains(&number(&old.words)) && is_known(&new.habit);
        if known || old.habit.known.contains(&number(&new.words)) {
            self.same(&new.words);
            // It went back: from now on that is what it does.
            new.habit.varied = new.habit.varied.saturating_add(1);
            new.habit.last = self.look;
            return new;
        }
        if self.mode == Mode::Again {
            return self.said_again(&old, new);
        }
        let gaps = gaps(&old.words, &new.words);
        let verdicts: Vec<bool> = gaps.iter().map(|gap| self.is_silent(gap, &old, &new, early)).collect();
        let again = old.habit.varied == 1 && old.habit.last < self.look && self.look <= SETTLED && !self.small;
        let differs = verdicts.contains(&false);
        let told = differs && !(again && self.learning);
        self.tell(&old, &new, &gaps, &verdicts, told);
        if differs {
            let shared: usize = gaps.iter().map(|gap| gap.equal.len()).sum();
            let longer = new.words.len().max(old.words.len());
            new.since = Since::Said(number(&old.words), new.words.len() >= 3 && shared * 10 < longer * 3);
        }
        if verdicts.iter().any(|silent| *silent) || differs {
            new.habit.varied = new.habit.varied.saturating_add(u32::from(self.learning || again || !differs));
            new.habit.last = self.look;
        }
        if !differs || again {
            let words = template(&new.words, &gaps, &verdicts, again);
            new.habit.volatile = is_mostly_wild(&words, &new.words) || (self.look <= SETTLED && rotates(&gaps));
            if !new.habit.volatile {
                new.words = words;
            }
        } else {
            new.words = template(&new.words, &gaps, &verdicts, false);
            if self.learning && !self.small {
                new.habit.known.push(number(&old.words));
            }
        }
        new
    }

    /// Whether a difference within a text says nothing.
    pub(super) fn is_silent(&self, gap: &Differing<'_>, old: &Node, new: &Node, early: bool) -> bool {
        let rest = |words: &'_ [String]| words.iter().filter(|word| *word != WILD).count();
        let wild = gap.old.iter().any(|word| word == WILD);
        let (left_old, left_new) = (rest(gap.old), rest(gap.new));
        if left_old == 0 && (wild || left_new == 0) {
            return true;
        }
        if self.mode == Mode::Told && left_new == 0 && !gap.new.is_empty() {
            return true;
        }
        // A few small words that three different texts happened to share.
        let wilds = old.words.iter().filter(|word| *word == WILD).count();
        let small =
            |word: &String| word == WILD || (word.len() <= 4 && !word.bytes().any(|byte| byte.is_ascii_digit()));
        if wild && wilds >= 2 && left_old < 3 && gap.old.iter().all(small) {
            return true;
        }
        let around = Gap {
            old: gap.old,
            new: gap.new,
            before: new.words.get(..gap.at).unwrap_or_default(),
            after: new.words.get(gap.at + gap.new.len()..).unwrap_or_default(),
        };
        around.is_counter() || (self.learning && (early || around.looks_volatile()))
    }

    fn tell(&mut self, old: &Node, new: &Node, gaps: &[Differing<'_>], verdicts: &[bool], told: bool) {
        let (mut before, mut after): (Vec<Word<'_>>, Vec<Word<'_>>) = (Vec::new(), Vec::new());
        let (mut taken, mut given) = (false, false);
        for (gap, silent) in gaps.iter().zip(verdicts) {
            for side in [&mut before, &mut after] {
                side.extend(gap.equal.iter().map(|word| (word.as_str(), false)));
            }
            if *silent {
                let wild = !gap.old.is_empty() || !gap.new.is_empty();
                before.extend(wild.then_some((WILD, false)));
                after.extend(wild.then_some((WILD, false)));
                continue;
            }
            before.extend(gap.old.iter().map(|word| (word.as_str(), word != WILD)));
            after.extend(gap.new.iter().map(|word| (word.as_str(), word != WILD)));
            taken |= gap.old.iter().any(|word| word != WILD);
            given |= gap.new.iter().any(|word| word != WILD);
        }
        if !told {
            self.same(&new.words);
            return;
        }
        let text = |words: &[Word<'_>]| words.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(" ");
        self.old.add(number(&old.words), &text(&before), taken.then(|| passage(&before)));
        self.new.add(number(&new.words), &text(&after), given.then(|| passage(&after)));
    }
}

/// Whether it is known that a place comes and goes, or says one thing and another: it did so more than once.
const fn is_known(habit: &Habit) -> bool {
    habit.varied > 1
}

fn settled(habit: &Habit) -> Habit {
    Habit { absent: habit.absent, ..Habit::default() }
}

/// A number for a text; what is wild in it does not count.
pub(super) fn number(words: &[String]) -> u64 {
    words
        .iter()
        .filter(|word| *word != WILD)
        .fold(29, |number: u64, word| number.rotate_left(9).wrapping_mul(31) ^ hash(word))
}

/// A place in which everything is volatile is so itself; while it is being learnt, so is one in which most is, at more than one look.
pub(super) fn promote(node: &mut Node, look: u32) {
    let dropped = |child: &Node| child.since == Since::Gone && !child.habit.optional;
    let shown = || node.children.iter().filter(|child| (child.size() > 0 || child.habit.absent) && !dropped(child));
    // What came or went just now may be news.
    let moving = |child: &&Node| child.habit.volatile || (child.habit.optional && child.since == Since::Before);
    let (all, some) = (shown().count(), shown().filter(moving).count());
    let looks = |look: u32| shown().filter(moving).any(|child| child.habit.last == look);
    let often =
        (2..=look.min(SETTLED)).filter(|look| looks(*look)).count() > 1 || shown().any(|child| child.habit.varied > 1);
    let words = || shown().filter(moving).map(Node::size).sum::<usize>();
    let most = look <= LEARNING && some >= 2 && some * 2 >= all && often && words() * 2 >= node.size();
    if some > 0 && (some == all || most) && node.name != "page" && !node.habit.volatile {
        let varied = node.children.iter().map(|child| child.habit.varied).max().unwrap_or(1);
        let last = node.children.iter().map(|child| child.habit.last).max().unwrap_or(0);
        node.habit = Habit { volatile: true, varied: varied.max(if most { 2 } else { 1 }), last, ..node.habit.clone() };
    }
}

/// Words that are equal, and then words that differ.
pub(super) struct Differing<'w> {
    pub(super) equal: &'w [String],
    pub(super) old: &'w [String],
    pub(super) new: &'w [String],
    /// Where the new ones begin.
    pub(super) at: usize,
}

pub(super) fn gaps<'w>(old: &'w [String], new: &'w [String]) -> Vec<Differing<'w>> {
    let pairs = align(old, new);
    let mut out = Vec::new();
    let (mut from_old, mut from_new) = (0, 0);
    let mut run: usize = 0;
    let mut push = |equal: usize, old_from: usize, old_to: usize, new_from: usize, new_to: usize| {
        out.push(Differing {
            equal: new.get(new_from - equal..new_from).unwrap_or_default(),
            old: old.get(old_from..old_to).unwrap_or_default(),
            new: new.get(new_from..new_to).unwrap_or_default(),
            at: new_from,
        });
    };
    for (a, b) in pairs {
        if a != from_old || b != from_new {
            push(run, from_old, a, from_new, b);
            run = 0;
        }
        run += 1;
        (from_old, from_new) = (a + 1, b + 1);
    }
    push(run, from_old, old.len(), from_new, new.len());
    out
}

/// The words that are kept of a text: what is silent becomes wild.
pub(super) fn template(new: &[String], gaps: &[Differing<'_>], verdicts: &[bool], all: bool) -> Vec<String> {
    let mut words: Vec<String> = Vec::with_capacity(new.len());
    for (gap, silent) in gaps.iter().zip(verdicts) {
        words.extend(gap.equal.iter().cloned());
        if gap.old.is_empty() && gap.new.is_empty() {
            continue;
        }
        if *silent || all {
            if words.last().is_none_or(|last| last != WILD) {
                words.push(WILD.to_owned());
            }
        } else {
            words.extend(gap.new.iter().cloned());
        }
    }
    words
}

/// Whether more than a few words differ: another text, and not a figure in one.
pub(super) fn rotates(gaps: &[Differing<'_>]) -> bool {
    gaps.iter().map(|gap| gap.old.len().max(gap.new.len())).sum::<usize>() > 4
}

pub(super) fn is_mostly_wild(template: &[String], words: &[String]) -> bool {
    let fixed = template.iter().filter(|word| *word != WILD).count();
    template.iter().any(|word| word == WILD) && fixed * 3 < words.len()
}
