//! Finding a passage again after its document changed: by its words and their surroundings, never by
//! its old offsets. Contract section 5.
//!
//! Three ways, in this order: the same characters; the same words, whatever their case, white space
//! and punctuation; most of the words, in order (bounded alignment around the places that share word
//! pairs with the passage). Every find has a score from 0 to 1, and a rival as good as the best makes
//! the answer ambiguous instead of a guess.

use crate::collections::{sort, sort_by};
use crate::limits::{CONTEXT_WORDS, MAX_ALIGNED_WORDS, MIN_RELOCATION_PERCENT};
use crate::text::ByteSpan;
use memchr::memmem;

/// A score below this is no find: what is there may be a lookalike ("Team Alpha" for "Team Beta").
pub const MINIMUM_RELOCATION_SCORE: f64 = MIN_RELOCATION_PERCENT as f64 / 100.0;

/// Two finds whose scores are closer than this cannot be told apart.
const AMBIGUOUS_MARGIN: f64 = 0.05;

/// Characters after which an exact find needs no surroundings to be believed.
const TELLING_CHARACTERS: f64 = 32.0;

/// Share of the words (by length) an edited passage must keep.
const MINIMUM_SIMILARITY: f64 = 0.6;

/// How much the surroundings count against the words of an edited passage.
const CONTEXT_SHARE: f64 = 0.25;

/// Occurrences of one word pair that still say where the passage is.
const MAX_PAIR_OCCURRENCES: usize = 64;

/// Places looked at closely.
const MAX_CANDIDATES: usize = 6;

/// How a passage was found again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// The same characters.
    Exact,
    /// The same words; white space, case or punctuation differ.
    Normalised,
    /// Most of the words, in order.
    Approximate,
}

impl Method {
    /// The word JavaScript sees.
    pub const fn as_str(self) -> &'static str {
        match self {
            Method::Exact => "exact",
            Method::Normalised => "normalised",
            Method::Approximate => "approximate",
        }
    }
}

/// What is known of the passage as it was.
#[derive(Debug, Clone, Copy, Default)]
pub struct Quote<'q> {
    /// Its words.
    pub passage: &'q str,
    /// What stood before it, when known; the nearest words count.
    pub prefix: Option<&'q str>,
    /// What stood after it, when known.
    pub suffix: Option<&'q str>,
}

/// The outcome of a search.
#[derive(Debug, Clone, PartialEq)]
pub enum Relocation {
    /// Found, with a score of at least [`MINIMUM_RELOCATION_SCORE`].
    Found {
        /// Where it is now.
        span: ByteSpan,
        /// From 0 to 1.
        score: f64,
        /// How it was found.
        method: Method,
    },
    /// So many places fit equally well.
    Ambiguous(usize),
    /// No place is like it.
    Gone,
}

/// Where the quoted passage is in `text` now. Linear in `text`; the alignment is bounded by
/// `MAX_ALIGNED_WORDS`.
pub fn relocate(text: &str, quote: Quote<'_>) -> Relocation {
    if quote.passage.trim().is_empty() {
        return Relocation::Gone;
    }
    let words = Words::of(text);
    let context = Context::of(quote);
    let exact = exact_spans(text, quote);
    if !exact.is_empty() {
        return choose(&words, &context, quote, exact, Method::Exact);
    }
    let passage = Words::of(quote.passage);
    if passage.hashes.is_empty() {
        return Relocation::Gone;
    }
    let normalised = normalised_spans(&words, &passage);
    if !normalised.is_empty() {
        return choose(&words, &context, quote, normalised, Method::Normalised);
    }
    approximate(text, &words, &passage, &context)
}

fn choose(
    words: &Words,
    context: &Context,
    quote: Quote<'_>,
    spans: Vec<ByteSpan>,
    method: Method,
) -> Relocation {
    let telling = (quote.passage.trim().chars().count() as f64 / TELLING_CHARACTERS).min(1.0);
    let base = if method == Method::Exact { 1.0 } else { 0.95 };
    let alone = spans.len() == 1;
    let found = spans.into_iter().map(|span| {
        let near = context.similarity(words, span);
        // Several copies are told apart by their surroundings alone.
        let score = if alone { telling + (1.0 - telling) * near.unwrap_or(0.5) } else { near.unwrap_or(0.0) };
        Found { span, score: base * score, method }
    });
    best(found.collect())
}

struct Found {
    span: ByteSpan,
    score: f64,
    method: Method,
}

fn best(mut found: Vec<Found>) -> Relocation {
    sort_by(&mut found, |one, other| other.score.total_cmp(&one.score).then(one.span.cmp(&other.span)));
    let Some(first) = found.first() else { return Relocation::Gone };
    let apart = found.iter().filter(|other| other.span == first.span || other.span.is_apart_from(first.span));
    let rivals = apart.filter(|other| other.score > first.score - AMBIGUOUS_MARGIN).count();
    if rivals > 1 {
        return Relocation::Ambiguous(rivals);
    }
    if first.score < MINIMUM_RELOCATION_SCORE {
        return Relocation::Gone;
    }
    Relocation::Found { span: first.span, score: first.score, method: first.method }
}

/// The same characters, not inside a longer word unless the passage was cut there.
fn exact_spans(text: &str, quote: Quote<'_>) -> Vec<ByteSpan> {
    let passage = quote.passage;
    let starts_in_word =
        quote.prefix.is_some_and(|prefix| joins(prefix.chars().next_back(), passage.chars().next()));
    let ends_in_word =
        quote.suffix.is_some_and(|suffix| joins(passage.chars().next_back(), suffix.chars().next()));
    memmem::find_iter(text.as_bytes(), passage.as_bytes())
        .map(|start| ByteSpan::new(start, start + passage.len()))
        .filter(|span| {
            let before = text.get(..span.start).and_then(|before| before.chars().next_back());
            let after = text.get(span.end..).and_then(|after| after.chars().next());
            (starts_in_word || !joins(before, passage.chars().next()))
                && (ends_in_word || !joins(passage.chars().next_back(), after))
        })
        .collect()
}

fn joins(left: Option<char>, right: Option<char>) -> bool {
    left.is_some_and(is_word) && right.is_some_and(is_word) && !right.is_some_and(stands_alone)
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Scripts written without spaces: each character is a word here.
fn stands_alone(character: char) -> bool {
    matches!(u32::from(character), 0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x3040..=0x30FF | 0x3400..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF)
}

/// A text as the hashes of its words in lower case, with their places and lengths.
struct Words {
    hashes: Vec<u64>,
    spans: Vec<ByteSpan>,
}

impl Words {
    fn of(text: &str) -> Words {
        let mut words = Words { hashes: Vec::new(), spans: Vec::new() };
        let mut open: Option<(usize, u64)> = None;
        for (at, character) in text.char_indices() {
            let alone = stands_alone(character);
            if let Some((start, hash)) = open.filter(|_| alone || !is_word(character)) {
                words.push(start, at, hash);
                open = None;
            }
            if is_word(character) {
                let (start, mut hash) = open.unwrap_or((at, 0xCBF2_9CE4_8422_2325));
                for lower in character.to_lowercase() {
                    hash = (hash ^ u64::from(lower)).wrapping_mul(0x0100_0000_01B3);
                }
                open = Some((start, hash));
                if alone {
                    words.push(start, at + character.len_utf8(), hash);
                    open = None;
                }
            }
        }
        if let Some((start, hash)) = open {
            words.push(start, text.len(), hash);
        }
        words
    }

    fn push(&mut self, start: usize, end: usize, hash: u64) {
        self.hashes.push(hash);
        self.spans.push(ByteSpan::new(start, end));
    }

    fn len(&self) -> usize {
        self.hashes.len()
    }

    fn span(&self, first: usize, last: usize) -> ByteSpan {
        let start = self.spans.get(first).map_or(0, |span| span.start);
        ByteSpan::new(start, self.spans.get(last).map_or(start, |span| span.end))
    }

    fn weight(&self, index: usize) -> usize {
        self.spans.get(index).map_or(0, |span| span.end - span.start)
    }
}

/// The words around the passage as it was, nearest first.
struct Context {
    before: Option<Vec<u64>>,
    after: Option<Vec<u64>>,
}

impl Context {
    fn of(quote: Quote<'_>) -> Context {
        let nearest = |text: &str| Words::of(text).hashes;
        let before =
            quote.prefix.map(|prefix| nearest(prefix).into_iter().rev().take(CONTEXT_WORDS).collect());
        let after = quote.suffix.map(|suffix| nearest(suffix).into_iter().take(CONTEXT_WORDS).collect());
        Context { before, after }
    }

    /// How alike the surroundings of `span` are, from 0 to 1; `None` when none are known.
    fn similarity(&self, words: &Words, span: ByteSpan) -> Option<f64> {
        let first = words.spans.partition_point(|word| word.end <= span.start);
        let last = words.spans.partition_point(|word| word.start < span.end);
        let left: Vec<u64> = words.hashes.iter().take(first).rev().take(CONTEXT_WORDS).copied().collect();
        let right: Vec<u64> = words.hashes.iter().skip(last).take(CONTEXT_WORDS).copied().collect();
        let sides = [(&self.before, left), (&self.after, right)];
        let known: Vec<f64> =
            sides.iter().filter_map(|(was, is)| was.as_ref().map(|was| shared(was, is))).collect();
        let count = known.len();
        (count > 0).then(|| known.into_iter().sum::<f64>() / count as f64)
    }
}

/// The share of words two short lists have in common, in order; two empty lists are alike.
fn shared(one: &[u64], other: &[u64]) -> f64 {
    let longer = one.len().max(other.len());
    if longer == 0 {
        return 1.0;
    }
    let mut row = vec![0_usize; other.len() + 1];
    for word in one {
        let mut diagonal = 0;
        let mut left = 0;
        for (cell, candidate) in row.iter_mut().skip(1).zip(other) {
            let above = *cell;
            *cell = if word == candidate { diagonal + 1 } else { above.max(left) };
            diagonal = above;
            left = *cell;
        }
    }
    row.last().map_or(0.0, |&common| common as f64 / longer as f64)
}

fn normalised_spans(words: &Words, passage: &Words) -> Vec<ByteSpan> {
    let bytes = |hashes: &[u64]| hashes.iter().flat_map(|hash| hash.to_le_bytes()).collect::<Vec<u8>>();
    let (haystack, needle) = (bytes(&words.hashes), bytes(&passage.hashes));
    memmem::find_iter(&haystack, &needle)
        .filter(|at| at % 8 == 0)
        .map(|at| words.span(at / 8, at / 8 + passage.len() - 1))
        .collect()
}

fn approximate(text: &str, words: &Words, passage: &Words, context: &Context) -> Relocation {
    if passage.len() < 2 || passage.len() > MAX_ALIGNED_WORDS {
        return Relocation::Gone;
    }
    let found = candidates(words, passage).into_iter().filter_map(|middle| {
        let reach = passage.len() + passage.len() / 2 + 8;
        let window = middle.saturating_sub(passage.len() / 2 + 8)..(middle + reach).min(words.len());
        let (span, similarity) = align(text, words, passage, window)?;
        let score = match context.similarity(words, span) {
            Some(near) => similarity * (1.0 - CONTEXT_SHARE) + near * CONTEXT_SHARE,
            None => similarity,
        };
        (similarity >= MINIMUM_SIMILARITY).then_some(Found {
            span,
            score: score * 0.95,
            method: Method::Approximate,
        })
    });
    best(found.collect())
}

/// The word indices at which the passage may start, the likeliest first: each word pair they share
/// votes for a place.
fn candidates(words: &Words, passage: &Words) -> Vec<usize> {
    // The passage's pairs in order, each with its place; a run of equal ones is one entry of `seen`.
    let mut own: Vec<((u64, u64), usize)> =
        pairs(&passage.hashes).map(|(place, pair)| (pair, place)).collect();
    sort(&mut own);
    let mut seen: Vec<Vec<usize>> = vec![Vec::new(); own.len()];
    for (index, pair) in pairs(&words.hashes) {
        let first = own.partition_point(|(other, _)| *other < pair);
        if own.get(first).is_some_and(|(other, _)| *other == pair)
            && let Some(list) = seen.get_mut(first)
            && list.len() <= MAX_PAIR_OCCURRENCES
        {
            list.push(index);
        }
    }
    // Votes are counted in steps of a quarter passage, so that insertions do not split them.
    let step = (passage.len() / 4).max(4);
    let mut votes = vec![0usize; words.len() / step + 1];
    for (first, list) in seen.iter().enumerate().filter(|(_, list)| list.len() <= MAX_PAIR_OCCURRENCES) {
        let Some(&(pair, _)) = own.get(first).filter(|_| !list.is_empty()) else { continue };
        let places = own.iter().skip(first).take_while(|(other, _)| *other == pair);
        for (_, place) in places.take(MAX_PAIR_OCCURRENCES) {
            for index in list {
                if let Some(count) = votes.get_mut(index.saturating_sub(*place) / step) {
                    *count += 1;
                }
            }
        }
    }
    let mut ranked: Vec<(usize, usize)> =
        votes.into_iter().enumerate().filter(|(_, count)| *count > 0).collect();
    sort_by(&mut ranked, |one, other| other.1.cmp(&one.1).then(one.0.cmp(&other.0)));
    let mut chosen: Vec<usize> = Vec::new();
    for (bucket, _) in ranked {
        if chosen.len() == MAX_CANDIDATES {
            break;
        }
        if chosen.iter().all(|&other| bucket.abs_diff(other) > 1) {
            chosen.push(bucket);
        }
    }
    chosen.into_iter().map(|bucket| bucket * step).collect()
}

fn pairs(hashes: &[u64]) -> impl Iterator<Item = (usize, (u64, u64))> {
    hashes.windows(2).enumerate().filter_map(|(index, pair)| match pair {
        [one, other] => Some((index, (*one, *other))),
        _ => None,
    })
}

/// The part of `window` most like the passage, and how alike: words in common, by length, against
/// the mean length of both. A local alignment in which a kept word earns twice its length and a word
/// lost or added costs its length, so that a far match does not drag the passage apart.
fn align(
    text: &str,
    words: &Words,
    passage: &Words,
    window: std::ops::Range<usize>,
) -> Option<(ByteSpan, f64)> {
    #[derive(Clone, Copy, Default)]
    struct Cell {
        score: i64,
        common: usize,
        /// Word and passage index of the first match on the way here.
        first: (usize, usize),
        last: (usize, usize),
    }
    impl Cell {
        fn after_gap(self, weight: usize) -> Cell {
            let score = self.score - weight as i64;
            if score > 0 { Cell { score, ..self } } else { Cell::default() }
        }
    }
    let mut row = vec![Cell::default(); window.len() + 1];
    let mut best = Cell::default();
    for (place, hash) in passage.hashes.iter().enumerate() {
        let lost = passage.weight(place);
        let mut diagonal = Cell::default();
        let mut left = Cell::default();
        for (cell, index) in row.iter_mut().skip(1).zip(window.clone()) {
            let above = *cell;
            let (without, with) = (above.after_gap(lost), left.after_gap(words.weight(index)));
            let mut next = if without.score >= with.score { without } else { with };
            let kept = diagonal.score + 2 * lost as i64;
            if words.hashes.get(index) == Some(hash) && kept > next.score {
                let first = if diagonal.score > 0 { diagonal.first } else { (index, place) };
                next = Cell { score: kept, common: diagonal.common + lost, first, last: (index, place) };
            }
            if next.score > best.score {
                best = next;
            }
            *cell = next;
            diagonal = above;
            left = next;
        }
    }
    if best.score == 0 {
        return None;
    }
    let (first, first_in_passage) = best.first;
    let (last, last_in_passage) = best.last;
    // Words changed at the edges belong to the passage too, as far as their line goes.
    let first = extend(text, words, first, first_in_passage, true);
    let missing = passage.len() - 1 - last_in_passage;
    let last = extend(text, words, last, missing, false);
    let weight = |words: &Words, range: std::ops::RangeInclusive<usize>| -> usize {
        range.map(|index| words.weight(index)).sum()
    };
    let total = weight(words, first..=last) + weight(passage, 0..=passage.len() - 1);
    (total > 0).then(|| (words.span(first, last), 2.0 * best.common as f64 / total as f64))
}

fn extend(text: &str, words: &Words, mut index: usize, count: usize, backwards: bool) -> usize {
    for _ in 0..count {
        let next =
            if backwards { index.checked_sub(1) } else { Some(index + 1).filter(|&next| next < words.len()) };
        let Some(next) = next else { break };
        let between = if backwards { words.span(next, index) } else { words.span(index, next) };
        let gap = between.of(text);
        if gap.contains('\n') || gap.contains(['.', '!', '?', '。']) {
            break;
        }
        index = next;
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "# Setup\n\nFirst install the tool with your package manager.\n\nTeam Alpha owns the scheduler and answers within a day.\n\nThe cache is kept for twenty minutes unless the owner clears it by hand. 漢字 é 😀\n\nSee also the manual.\n";

    fn quote_of(old: &str, passage: &'static str) -> Quote<'static> {
        let at = old.find(passage).expect("the passage is in the old text");
        let leak = |text: &str| -> &'static str { Box::leak(text.to_owned().into_boxed_str()) };
        Quote { passage, prefix: Some(leak(&old[..at])), suffix: Some(leak(&old[at + passage.len()..])) }
    }

    fn check(new: &str, quote: Quote<'_>, expected: Option<(&str, Method)>) {
        match (relocate(new, quote), expected) {
            (Relocation::Found { span, score, method }, Some((text, by))) => {
                assert_eq!(span.of(new), text);
                assert_eq!(method, by, "{score}");
                assert!((MINIMUM_RELOCATION_SCORE..=1.0).contains(&score), "{score}");
            }
            (Relocation::Gone, None) => {}
            (other, expected) => panic!("{other:?} instead of {expected:?}"),
        }
    }

    const CACHE: &str = "The cache is kept for twenty minutes unless the owner clears it by hand.";

    #[test]
    fn text_inserted_before_moves_the_passage() {
        let new = format!("😀 A new paragraph comes first.\r\n\r\n{OLD}");
        check(&new, quote_of(OLD, CACHE), Some((CACHE, Method::Exact)));
        check(&new, Quote { passage: CACHE, ..Quote::default() }, Some((CACHE, Method::Exact)));
    }

    #[test]
    fn a_passage_that_moved_to_other_surroundings_is_found_by_its_words() {
        let new = format!("{CACHE}\n\nEverything else is new here and has nothing in common.\n");
        check(&new, quote_of(OLD, CACHE), Some((CACHE, Method::Exact)));
    }

    #[test]
    fn re_wrapped_and_re_quoted_text_is_the_same_words() {
        let new = OLD
            .replace(CACHE, "the cache is kept\n  for “twenty minutes” unless the owner clears it by hand!");
        let expected = "the cache is kept\n  for “twenty minutes” unless the owner clears it by hand";
        check(&new, quote_of(OLD, CACHE), Some((expected, Method::Normalised)));
    }

    #[test]
    fn an_edited_passage_is_found_with_its_new_words() {
        let edited = "Our cache is kept for at most thirty minutes unless the owner clears it by hand";
        let new = OLD.replace(CACHE, &format!("{edited}.")).replace("First install", "Now first install");
        check(&new, quote_of(OLD, CACHE), Some((edited, Method::Approximate)));
    }

    #[test]
    fn a_deleted_passage_is_gone() {
        check(&OLD.replace(CACHE, ""), quote_of(OLD, CACHE), None);
        check("", quote_of(OLD, CACHE), None);
        check(OLD, Quote { passage: " \n", ..Quote::default() }, None);
    }

    #[test]
    fn a_lookalike_is_not_taken_for_the_passage() {
        let new = OLD.replace("Team Alpha owns the scheduler and answers within a day.", "Team Beta left.");
        check(&new, quote_of(OLD, "Team Alpha"), None);
        check("The cachet of it. A scar.", Quote { passage: "car", ..Quote::default() }, None);
        check("The scarcity. Scar.", quote_of("a car b", "car"), None);
    }

    #[test]
    fn a_short_quote_needs_its_surroundings() {
        let quote = quote_of(OLD, "Team Alpha");
        check(&format!("New.\n\n{OLD}"), quote, Some(("Team Alpha", Method::Exact)));
        check("Nobody knows that Team Alpha lost the cup in another story.", quote, None);
        check("é Team Alpha", Quote { passage: "Alpha", ..Quote::default() }, None);
    }

    #[test]
    fn copies_are_told_apart_by_their_surroundings_or_called_ambiguous() {
        let copy = format!("One thing. {CACHE} Another thing entirely.\n\n{OLD}");
        let at = copy.rfind(CACHE).expect("the second copy");
        match relocate(&copy, quote_of(OLD, CACHE)) {
            Relocation::Found { span, .. } => assert_eq!(span.start, at),
            other => panic!("{other:?}"),
        }
        let both = format!("{OLD}\n{OLD}");
        assert_eq!(relocate(&both, Quote { passage: CACHE, ..Quote::default() }), Relocation::Ambiguous(2));
    }

    #[test]
    fn chinese_and_cut_words_are_found() {
        let old = "前言在这里。缓存保留二十分钟，除非所有者手动清除它。后记在那里。";
        let passage = "缓存保留二十分钟，除非所有者手动清除它。";
        check(&format!("新的一段。{old}"), quote_of(old, passage), Some((passage, Method::Exact)));
        let new = old.replace("二十分钟", "三十分钟");
        let expected = "缓存保留三十分钟，除非所有者手动清除它";
        check(&new, quote_of(old, passage), Some((expected, Method::Approximate)));
        let cut = "nstall the tool with your pack";
        check(&format!("New.\n{OLD}"), quote_of(OLD, cut), Some((cut, Method::Exact)));
    }

    #[test]
    fn hostile_texts_end_and_no_find_is_empty() {
        let same = "a ".repeat(200_000);
        let copies = "x y z. ".repeat(20_000);
        for text in [same.as_str(), copies.as_str(), "\u{FFFD}\u{FFFD}", "…"] {
            for passage in ["a a a b a a", "x y z.", "…", "\u{FFFD}", "z x y q z x y"] {
                if let Relocation::Found { span, .. } = relocate(text, Quote { passage, ..Quote::default() })
                {
                    assert!(!span.of(text).is_empty());
                }
            }
        }
        let quote = Quote { passage: "x y z.", ..Quote::default() };
        assert_eq!(relocate(&copies, quote), Relocation::Ambiguous(20_000));
    }
}
