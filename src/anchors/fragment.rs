//! Text fragments: the part of a URL that makes a browser scroll to a passage and highlight it.
//!
//! The terms are chosen among words a page is most likely to show exactly so, then tried against a
//! simulation of the browser's search; what would land elsewhere is made longer, given context, or
//! replaced.

use super::blocks::{Block, Gap, Kind, Page, Word};
use super::fold::{fold_into, is_mark};
use super::search::{Directive, Term, first_hit};
use crate::limits::{MAX_EXACT_TERM_BYTES, MAX_FRAGMENT_BYTES};
use crate::text::ByteSpan;
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

/// Up to this many words a plain paragraph is one term.
const PLAIN_EXACT_WORDS: usize = 16;
/// Words at each end of a longer plain paragraph.
const PLAIN_EDGE_WORDS: usize = 8;
/// Words of a start or end term, as tried, when the page is known.
const EDGE_WORDS: [usize; 4] = [5, 7, 10, 14];
/// The same when only the passage is: nothing tells that a short one occurs elsewhere.
const BLIND_EDGE_WORDS: [usize; 4] = [10, 14, 7, 5];
/// Words of context, as tried.
const CONTEXT_WORDS: [usize; 4] = [3, 6, 12, 24];
/// A run up to this many bytes is one exact term.
const SHORT_RUN_BYTES: usize = 100;
/// Directives behind the first.
const MAX_FALLBACKS: usize = 2;
/// Windows of words tried for a fall-back before giving up.
const MAX_WINDOWS: usize = 24;

/// What a fragment begins with.
const DIRECTIVE: &str = ":~:text=";

/// How likely a page shows a run as it stands here, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Prose,
    CellProse,
    Other,
    Heading,
    Code,
}

/// Whole words in one block with nothing between them that stops a search.
#[derive(Debug, Clone)]
struct Run {
    words: Range<usize>,
    rank: Rank,
}

/// The directives for the words that come from `passage` (bytes of the source), `:~:text=` included;
/// empty when there is nothing to search for.
pub(super) fn fragment(page: &Page, passage: ByteSpan, known: Known) -> String {
    let search = Search { page, passage: search_span(page, passage, known), known };
    let mut chosen: Vec<Directive> = Vec::new();
    let runs = search.best_runs();
    match search.plain() {
        Some(plain) if search.lands(&plain) => chosen.push(plain),
        _ => {
            chosen.extend(search.main(&runs));
            search.add_fallbacks(&runs, &mut chosen);
            if chosen.is_empty() {
                chosen.extend(search.inside_words());
            }
        }
    }
    let mut fragment = String::new();
    for directive in &chosen {
        let separator = if fragment.is_empty() { DIRECTIVE } else { "&text=" };
        let written = write(page, directive);
        if fragment.len() + separator.len() + written.len() <= MAX_FRAGMENT_BYTES {
            fragment.push_str(separator);
            fragment.push_str(&written);
        }
    }
    fragment
}

/// How much of the page is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    /// All of it: what is unique here is unique there.
    Page,
    /// The passage only: terms have to be long enough to be unique by themselves.
    Passage,
}

/// The passage without a first or last word that looks cut, when nothing else can tell.
fn search_span(page: &Page, passage: ByteSpan, known: Known) -> ByteSpan {
    let mut span = passage;
    if known == Known::Page || page.blocks.len() < 2 && page.blocks.iter().all(|block| !block.marked) {
        return span;
    }
    let (Some(first), Some(last)) = (page.words.first(), page.words.last()) else { return span };
    if first.text.of(&page.text).starts_with(|c: char| !c.is_uppercase()) {
        span.start = first.source.end;
    }
    if last.source.end == passage.end && last.core.end == last.text.end {
        span.end = last.source.start;
    }
    span
}

/// Where the first hit of a directive is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// Where it is meant to be.
    Lands,
    /// It begins there and ends elsewhere.
    Begins,
    /// Elsewhere, or the directive is too long.
    Misses,
}

/// A place in [`Page::text`] and the same in [`Page::folded`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    text: usize,
    folded: usize,
}

impl Place {
    fn start_of(term: Term) -> Self {
        Place { text: term.text.start, folded: term.folded.start }
    }

    fn end_of(term: Term) -> Self {
        Place { text: term.text.end, folded: term.folded.end }
    }
}

/// An end of a passage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Edge {
    Start,
    End,
}

struct Search<'p> {
    page: &'p Page,
    passage: ByteSpan,
    known: Known,
}

impl Search<'_> {
    fn word(&self, index: usize) -> Option<&Word> {
        self.page.words.get(index)
    }

    fn words(&self, range: Range<usize>) -> &[Word] {
        self.page.words.get(range).unwrap_or_default()
    }

    fn holds(&self, word: &Word) -> bool {
        self.passage.start <= word.source.start && word.source.end <= self.passage.end
    }

    /// The blocks with a word of the passage.
    fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.page.blocks.iter().filter(|block| {
            let words = self.words(block.words.clone());
            words.first().is_some_and(|word| word.source.start < self.passage.end)
                && words.last().is_some_and(|word| word.source.end > self.passage.start)
        })
    }

    fn runs(&self, across_lines: bool) -> Vec<Run> {
        let mut runs = Vec::new();
        for block in self.blocks() {
            let mut start = block.words.start;
            for index in block.words.clone() {
                let Some(word) = self.word(index) else { continue };
                let stops = word.before == Gap::Barrier || (word.before == Gap::Line && !across_lines);
                if stops {
                    self.push_run(block, start..index, &mut runs);
                    start = index;
                }
                if word.broken || !self.holds(word) {
                    self.push_run(block, start..index, &mut runs);
                    start = index + 1;
                }
            }
            self.push_run(block, start..block.words.end, &mut runs);
        }
        runs
    }

    /// A run without symbols and bare numbers at its edges, if anything is left.
    fn push_run(&self, block: &Block, words: Range<usize>, runs: &mut Vec<Run>) {
        let is_term = |index: &usize| {
            self.word(*index)
                .is_some_and(|word| word.core.of(&self.page.text).chars().any(char::is_alphabetic))
        };
        let Some(first) = words.clone().find(is_term) else { return };
        let Some(last) = words.rev().find(is_term) else { return };
        let words = first..last + 1;
        let all = self.words(words.clone());
        let ordinary: usize = all.iter().filter(|word| word.ordinary).map(|word| word.weight).sum();
        let is_prose = ordinary >= 4 && !all.iter().all(|word| word.link) && !block.footnote;
        let rank = match block.kind {
            Kind::Prose if is_prose => Rank::Prose,
            Kind::Cell if is_prose => Rank::CellProse,
            Kind::Prose | Kind::Cell => Rank::Other,
            Kind::Heading => Rank::Heading,
            Kind::Code => Rank::Code,
        };
        runs.push(Run { words, rank });
    }

    /// All runs in page order; lines are joined only when there is no prose otherwise.
    fn best_runs(&self) -> Vec<Run> {
        let runs = self.runs(false);
        if runs.iter().any(|run| run.rank == Rank::Prose) { runs } else { self.runs(true) }
    }

    /// The plain rule, for a passage inside one block that nothing stops a search in.
    fn plain(&self) -> Option<Directive> {
        let mut blocks = self.blocks();
        let block = blocks.next().filter(|block| block.kind == Kind::Prose && !block.marked)?;
        if blocks.next().is_some() {
            return None;
        }
        let mut inside =
            block.words.clone().filter(|&index| self.word(index).is_some_and(|word| self.holds(word)));
        let first = inside.next()?;
        let words = first..inside.next_back().unwrap_or(first) + 1;
        let stops = self.words(words.clone()).iter().enumerate().any(|(index, word)| {
            word.broken || word.weight > 1 || (index > 0 && word.before == Gap::Barrier)
        });
        if stops {
            return None;
        }
        if words.len() <= PLAIN_EXACT_WORDS {
            return self.whole(words).map(Directive::exact);
        }
        let start = self.whole(words.start..words.start + PLAIN_EDGE_WORDS)?;
        let end = self.whole(words.end - PLAIN_EDGE_WORDS..words.end)?;
        Some(Directive::range(start, end))
    }

    /// The term of these words with the punctuation around them.
    fn whole(&self, words: Range<usize>) -> Option<Term> {
        let (first, last) = (self.word(words.start)?, self.word(words.end.checked_sub(1)?)?);
        Some(Term {
            text: ByteSpan::new(first.text.start, last.text.end),
            folded: ByteSpan::new(first.folded.start, last.folded.end),
        })
    }

    /// The term of these words from the first letter to the last.
    fn core(&self, words: Range<usize>) -> Option<Term> {
        let (first, last) = (self.word(words.start)?, self.word(words.end.checked_sub(1)?)?);
        Some(Term {
            text: ByteSpan::new(first.core.start, last.core.end),
            folded: ByteSpan::new(first.folded_core.start, last.folded_core.end),
        })
    }

    fn exact(&self, words: Range<usize>) -> Option<Directive> {
        self.core(words).map(Directive::exact)
    }

    /// The shortest head of `words` that weighs `weight`, ending in a letter.
    fn head(&self, words: Range<usize>, weight: usize) -> Range<usize> {
        let mut sum = 0;
        for index in words.clone() {
            let Some(word) = self.word(index) else { break };
            sum += word.weight;
            if sum >= weight && word.core.start < word.core.end {
                return words.start..index + 1;
            }
        }
        words
    }

    /// The shortest tail of `words` that weighs `weight`, beginning with a letter.
    fn tail(&self, words: Range<usize>, weight: usize) -> Range<usize> {
        let mut sum = 0;
        for index in words.clone().rev() {
            let Some(word) = self.word(index) else { break };
            sum += word.weight;
            if sum >= weight && word.core.start < word.core.end {
                return index..words.end;
            }
        }
        words
    }

    fn lands(&self, directive: &Directive) -> bool {
        self.reach(directive) == Reach::Lands
    }

    fn reach(&self, directive: &Directive) -> Reach {
        let terms = [Some(directive.start), directive.end];
        if terms.into_iter().flatten().any(|term| term.text.end - term.text.start > MAX_EXACT_TERM_BYTES) {
            return Reach::Misses;
        }
        let target = directive.target();
        match first_hit(self.page, directive) {
            Some(hit) if hit == target => {
                let length = DIRECTIVE.len() + write(self.page, directive).len();
                if length <= MAX_FRAGMENT_BYTES { Reach::Lands } else { Reach::Misses }
            }
            Some(hit) if hit.start == target.start => Reach::Begins,
            _ => Reach::Misses,
        }
    }

    /// The first directive: from the first of the best runs to the end of the last of them.
    fn main(&self, runs: &[Run]) -> Option<Directive> {
        let best = runs.iter().map(|run| run.rank).min()?;
        let enough = |least: usize| move |run: &&Run| run.rank == best && self.weight(run) >= least;
        let least = self.run_words();
        let first = least.iter().find_map(|&least| runs.iter().find(enough(least)))?;
        let last = least.iter().find_map(|&least| runs.iter().rev().find(enough(least)))?;
        self.between(&first.words, &last.words)
            .or_else(|| {
                self.windows(runs, best)
                    .filter_map(|words| self.exact(words))
                    .find(|directive| self.lands(directive))
            })
            .or_else(|| runs.iter().find_map(|run| self.between(&run.words, &run.words)))
            .or_else(|| self.windows(runs, best).find_map(|words| self.with_context(&(words, None))))
    }

    fn edge_words(&self) -> [usize; 4] {
        match self.known {
            Known::Page => EDGE_WORDS,
            Known::Passage => BLIND_EDGE_WORDS,
        }
    }

    /// Words a run should have to begin or end with it, as tried.
    fn run_words(&self) -> &'static [usize] {
        match self.known {
            Known::Page => &[4, 0],
            Known::Passage => &[8, 4, 0],
        }
    }

    fn weight(&self, run: &Run) -> usize {
        self.words(run.words.clone()).iter().map(|word| word.weight).sum()
    }

    /// A directive that lands from the start of `first` to the end of `last`.
    fn between(&self, first: &Range<usize>, last: &Range<usize>) -> Option<Directive> {
        let mut tried: Option<(Range<usize>, Option<Range<usize>>)> = None;
        for weight in self.edge_words() {
            let whole = self.core(first.clone())?;
            let attempt = if first == last && whole.text.end - whole.text.start <= SHORT_RUN_BYTES {
                (first.clone(), None)
            } else {
                let (start, end) = (self.head(first.clone(), weight), self.tail(last.clone(), weight));
                if start.end <= end.start { (start, Some(end)) } else { (first.clone(), None) }
            };
            if tried.as_ref() == Some(&attempt) {
                break;
            }
            let directive = self.directive(&attempt)?;
            if self.lands(&directive) {
                return Some(directive);
            }
            tried = Some(attempt);
        }
        for weight in self.edge_words() {
            let (start, end) = (self.head(first.clone(), weight), self.tail(last.clone(), weight));
            let attempt = if start.end <= end.start { (start, Some(end)) } else { (first.clone(), None) };
            if let Some(directive) = self.with_context(&attempt) {
                return Some(directive);
            }
        }
        None
    }

    fn directive(&self, (start, end): &(Range<usize>, Option<Range<usize>>)) -> Option<Directive> {
        let start = self.core(start.clone())?;
        let end = match end {
            Some(end) => Some(self.core(end.clone())?),
            None => None,
        };
        Some(Directive { prefix: None, start, end, suffix: None })
    }

    /// The same with words around it, from the same block first, from a heading last.
    fn with_context(&self, attempt: &(Range<usize>, Option<Range<usize>>)) -> Option<Directive> {
        let plain = self.directive(attempt)?;
        let (start, end) = attempt;
        let last = end.as_ref().unwrap_or(start);
        // Of a range, what stands before it says where it begins, what stands behind it where it ends.
        let is_range = end.is_some();
        let begins = is_range && self.reach(&plain) == Reach::Begins;
        for weight in CONTEXT_WORDS {
            let before = self.before(start.start, weight);
            let after = self.after(last.end, weight);
            let prefixed = before.and_then(|prefix| {
                let from = self.whole(start.clone())?;
                let start = Term {
                    text: ByteSpan::new(from.text.start, plain.start.text.end),
                    folded: ByteSpan::new(from.folded.start, plain.start.folded.end),
                };
                Some(Directive { prefix: Some(prefix), start, ..plain })
            });
            let suffixed = |directive: Directive| {
                let suffix = after?;
                let to = self.whole(last.clone())?;
                let lengthen = |term: Term| Term {
                    text: ByteSpan::new(term.text.start, to.text.end),
                    folded: ByteSpan::new(term.folded.start, to.folded.end),
                };
                Some(match directive.end {
                    Some(end) => Directive { end: Some(lengthen(end)), suffix: Some(suffix), ..directive },
                    None => Directive { start: lengthen(directive.start), suffix: Some(suffix), ..directive },
                })
            };
            let both = prefixed.and_then(suffixed);
            let attempts = match (is_range, begins) {
                (true, true) => [None, suffixed(plain), both],
                (true, false) => [None, prefixed, both],
                (false, _) => [prefixed, suffixed(plain), both],
            };
            for directive in attempts.into_iter().flatten() {
                match self.reach(&directive) {
                    Reach::Lands => return Some(directive),
                    // It begins elsewhere, and a suffix would change nothing of that.
                    Reach::Misses if is_range => break,
                    Reach::Begins | Reach::Misses => {}
                }
            }
        }
        None
    }

    /// A directive for a passage that begins and ends inside words, as in a script that writes no
    /// spaces. The rest of the first word is its prefix and that of the last its suffix: a browser asks
    /// for a word border only at the outer ends of these.
    fn inside_words(&self) -> Option<Directive> {
        let touches =
            |word: &Word| word.source.start < self.passage.end && self.passage.start < word.source.end;
        let pieces = self.blocks().filter_map(|block| {
            let mut words = block.words.clone().filter(|&index| {
                self.word(index).is_some_and(|word| touches(word) && word.core.start < word.core.end)
            });
            let first = words.next()?;
            let last = words.next_back().unwrap_or(first);
            let inside = self.words(first..last + 1);
            let stops = inside.iter().enumerate().any(|(index, word)| {
                word.broken || !word.is_verbatim() || index > 0 && word.before == Gap::Barrier
            });
            let start = self.place(first, self.passage.start, Edge::Start)?;
            let end = self.place(last, self.passage.end, Edge::End)?;
            (!stops && start.text < end.text).then_some((first, last, start, end))
        });
        let (first, last, start, end) = pieces.max_by_key(|(_, _, start, end)| end.text - start.text)?;
        let term = |from: Place, to: Place| Term {
            text: ByteSpan::new(from.text, to.text),
            folded: ByteSpan::new(from.folded, to.folded),
        };
        let whole = self.core(first..last + 1)?;
        let (from, to) = (Place::start_of(whole), Place::end_of(whole));
        let block = self.page.blocks.get(self.block_of(first)?)?;
        let nearest = [(from, to)].into_iter();
        // Prefix and suffix are one term each with what they lengthen, so they stay inside the block.
        let further = CONTEXT_WORDS.into_iter().map(|weight| {
            let before = self.before(first, weight).filter(|_| first > block.words.start);
            let after = self.after(last + 1, weight).filter(|_| last + 1 < block.words.end);
            (before.map_or(from, Place::start_of), after.map_or(to, Place::end_of))
        });
        let is_some = |term: &Term| term.text.start < term.text.end;
        nearest.chain(further).find_map(|(from, to)| {
            let directive = Directive {
                prefix: Some(term(from, start)).filter(is_some),
                start: term(start, end),
                end: None,
                suffix: Some(term(end, to)).filter(is_some),
            };
            self.lands(&directive).then_some(directive)
        })
    }

    /// Where `source` is in the core of `word`, moved to the inside of the passage up to a border of
    /// graphemes. What a search passes over belongs to neither side of a border: none is at a mark.
    fn place(&self, word: usize, source: usize, edge: Edge) -> Option<Place> {
        let word = self.word(word)?;
        let core = word.core.of(&self.page.text);
        let lead = word.core.start - word.text.start;
        let offset = source.saturating_sub(word.source.start + lead).min(core.len());
        let is_apart = |&at: &usize| {
            at == 0
                || core
                    .split_at_checked(at)
                    .is_some_and(|(head, tail)| !head.ends_with(is_mark) && !tail.starts_with(is_mark))
        };
        let borders = core.grapheme_indices(true).map(|(at, _)| at).chain([core.len()]);
        let mut borders = borders.filter(is_apart);
        let offset = match edge {
            Edge::Start => borders.find(|&at| at >= offset)?,
            Edge::End => borders.take_while(|&at| at <= offset).last()?,
        };
        let mut folded = String::new();
        core.get(..offset)?.chars().for_each(|character| fold_into(character, &mut folded));
        Some(Place { text: word.core.start + offset, folded: word.folded_core.start + folded.len() })
    }

    fn block_of(&self, word: usize) -> Option<usize> {
        let index = self.page.blocks.partition_point(|block| block.words.end <= word);
        (index < self.page.blocks.len()).then_some(index)
    }

    /// Words right before `word`, or at the end of the block before.
    fn before(&self, word: usize, weight: usize) -> Option<Term> {
        let index = self.block_of(word)?;
        let block = self.page.blocks.get(index)?;
        let (least, end) = if word > block.words.start {
            if self.word(word)?.before == Gap::Barrier {
                return None;
            }
            (block.words.start, word)
        } else {
            let previous = self.page.blocks.get(index.checked_sub(1)?)?;
            (previous.words.start, previous.words.end)
        };
        let (mut start, mut sum) = (end, 0);
        while start > least && sum < weight {
            let Some(candidate) = self.word(start - 1).filter(|word| !word.broken) else { break };
            start -= 1;
            sum += candidate.weight;
            if candidate.before == Gap::Barrier {
                break;
            }
        }
        let first = (start..end)
            .find(|&index| self.word(index).is_some_and(|word| word.core.start < word.core.end))?;
        let (core, whole) = (self.core(first..end)?, self.whole(first..end)?);
        Some(Term {
            text: ByteSpan::new(core.text.start, whole.text.end),
            folded: ByteSpan::new(core.folded.start, whole.folded.end),
        })
    }

    /// Words right after the word before `word`, or at the start of the next block.
    fn after(&self, word: usize, weight: usize) -> Option<Term> {
        let index = self.block_of(word.checked_sub(1)?)?;
        let block = self.page.blocks.get(index)?;
        let (start, most) = if word < block.words.end {
            if self.word(word)?.before == Gap::Barrier {
                return None;
            }
            (word, block.words.end)
        } else {
            let next = self.page.blocks.get(index + 1)?;
            (next.words.start, next.words.end)
        };
        let (mut end, mut sum) = (start, 0);
        while end < most && sum < weight {
            let Some(candidate) = self.word(end).filter(|word| !word.broken) else { break };
            if end > start && candidate.before == Gap::Barrier {
                break;
            }
            end += 1;
            sum += candidate.weight;
        }
        let last = (start..end)
            .rev()
            .find(|&index| self.word(index).is_some_and(|word| word.core.start < word.core.end))?;
        let (core, whole) = (self.core(start..last + 1)?, self.whole(start..last + 1)?);
        Some(Term {
            text: ByteSpan::new(whole.text.start, core.text.end),
            folded: ByteSpan::new(whole.folded.start, core.folded.end),
        })
    }

    /// The words of short exact terms out of the runs of `rank`, in page order.
    fn windows(&self, runs: &[Run], rank: Rank) -> impl Iterator<Item = Range<usize>> {
        let runs = runs.iter().filter(move |run| run.rank == rank);
        runs.flat_map(|run| {
            let starts = run.words.clone().step_by(4);
            starts.map(|start| self.head(start..run.words.end, 6))
        })
        .filter(|words| {
            let words = self.words(words.clone());
            let has_letters = |word: Option<&Word>| word.is_some_and(|word| word.core.start < word.core.end);
            let weight: usize = words.iter().map(|word| word.weight).sum();
            weight >= 2 && has_letters(words.first()) && has_letters(words.last())
        })
        .take(MAX_WINDOWS)
    }

    /// Independent directives for a page that lacks a word of the first.
    fn add_fallbacks(&self, runs: &[Run], chosen: &mut Vec<Directive>) {
        let Some(first) = chosen.first().copied() else { return };
        let Some(best) = runs.iter().map(|run| run.rank).min() else { return };
        let taken = |term: Term, other: Term| !term.text.is_apart_from(other.text);
        let long = runs.iter().filter(|run| run.rank <= Rank::CellProse).cloned().collect::<Vec<_>>();
        for directive in self.windows(&long, best).filter_map(|words| self.exact(words)) {
            if chosen.len() > MAX_FALLBACKS {
                break;
            }
            let is_new = chosen.iter().skip(1).all(|other| !taken(other.start, directive.start));
            if directive.start != first.start && is_new && self.lands(&directive) {
                chosen.push(directive);
            }
        }
    }
}

/// `prefix-,start,end,-suffix`, percent-encoded.
fn write(page: &Page, directive: &Directive) -> String {
    let mut written = String::new();
    if let Some(prefix) = directive.prefix {
        encode(prefix.text.of(&page.text), &mut written);
        written.push_str("-,");
    }
    encode(directive.start.text.of(&page.text), &mut written);
    if let Some(end) = directive.end {
        written.push(',');
        encode(end.text.of(&page.text), &mut written);
    }
    if let Some(suffix) = directive.suffix {
        written.push_str(",-");
        encode(suffix.text.of(&page.text), &mut written);
    }
    written
}

/// As `encodeURIComponent`, and the hyphen, which a directive gives a meaning.
fn encode(text: &str, encoded: &mut String) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    let digit = |value: u8| HEX.get(usize::from(value)).copied().unwrap_or(b'0') as char;
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z'
            | b'a'..=b'z'
            | b'0'..=b'9'
            | b'_'
            | b'.'
            | b'!'
            | b'~'
            | b'*'
            | b'\''
            | b'('
            | b')' => {
                encoded.push(byte as char);
            }
            _ => encoded.extend(['%', digit(byte >> 4), digit(byte & 15)]),
        }
    }
}
