//! What a browser finds for a text directive, simulated on a [`Page`].
//!
//! Follows the text fragment specification's search: the first start in document order, then the
//! first end after it; context must touch. A term lies inside one block, begins and ends at a word
//! border, except where it touches its context. Borders of scripts without spaces are a dictionary's,
//! so all of them count here: a hit too many only makes a link longer.

use super::blocks::{Page, is_unspaced};
use crate::text::ByteSpan;
use memchr::memmem::Finder;

/// A piece of the page's text to search for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Term {
    /// In [`Page::text`].
    pub text: ByteSpan,
    /// In [`Page::folded`].
    pub folded: ByteSpan,
}

/// One `text=` of a fragment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Directive {
    pub prefix: Option<Term>,
    pub start: Term,
    pub end: Option<Term>,
    pub suffix: Option<Term>,
}

impl Directive {
    /// One term without context.
    pub fn exact(start: Term) -> Self {
        Directive { prefix: None, start, end: None, suffix: None }
    }

    /// From the beginning of `start` to the end of `end`.
    pub fn range(start: Term, end: Term) -> Self {
        Directive { prefix: None, start, end: Some(end), suffix: None }
    }

    /// Where it is meant to land, in [`Page::folded`].
    pub fn target(&self) -> ByteSpan {
        ByteSpan::new(self.start.folded.start, self.end.unwrap_or(self.start).folded.end)
    }
}

/// Tries before a directive counts as found nowhere: keeps a term that is everywhere from costing
/// the square of the page.
const MAX_TRIES: usize = 400;

/// The first range of [`Page::folded`] the directive finds.
pub(super) fn first_hit(page: &Page, directive: &Directive) -> Option<ByteSpan> {
    let needle = |term: Term| term.folded.of(&page.folded);
    let text = page.folded.as_str();
    let start = needle(directive.start);
    let (prefix, end, suffix) =
        (directive.prefix.map(needle), directive.end.map(needle), directive.suffix.map(needle));
    let start_finder = Finder::new(start.as_bytes());
    let prefix_finder = prefix.map(|prefix| Finder::new(prefix.as_bytes()));
    let end_finder = end.map(|end| Finder::new(end.as_bytes()));
    let free_end = suffix.is_some();
    let mut from = 0;
    let mut tries = 0;
    loop {
        tries += 1;
        if tries > MAX_TRIES {
            return None;
        }
        let hit = match &prefix_finder {
            Some(finder) => {
                let context = find(text, finder, from, true)?;
                from = after(text, context.start);
                let at = skip_space(text, context.end);
                let hit = ByteSpan::new(at, at + start.len());
                let follows = text.get(at..).is_some_and(|rest| rest.starts_with(start));
                if !follows || !(free_end && end.is_none() || is_border(text, hit.end)) {
                    continue;
                }
                hit
            }
            None => {
                let hit = find(text, &start_finder, from, free_end && end.is_none())?;
                from = after(text, hit.start);
                hit
            }
        };
        let follows = |at: usize| match suffix {
            None => true,
            Some(suffix) => {
                let at = skip_space(text, at);
                text.get(at..).is_some_and(|rest| rest.starts_with(suffix))
                    && is_border(text, at + suffix.len())
            }
        };
        let Some(finder) = &end_finder else {
            if follows(hit.end) {
                return Some(hit);
            }
            continue;
        };
        let mut end_from = hit.end;
        loop {
            tries += 1;
            if tries > MAX_TRIES {
                return None;
            }
            let last = find(text, finder, end_from, free_end)?;
            if follows(last.end) {
                return Some(ByteSpan::new(hit.start, last.end));
            }
            end_from = after(text, last.start);
        }
    }
}

/// The first place from `from` on with word borders at both sides; the end may be free.
fn find(text: &str, finder: &Finder<'_>, from: usize, free_end: bool) -> Option<ByteSpan> {
    let mut from = from;
    for _ in 0..MAX_TRIES {
        let at = from + finder.find(text.as_bytes().get(from..)?)?;
        let hit = ByteSpan::new(at, at + finder.needle().len());
        if is_border(text, hit.start) && (free_end || is_border(text, hit.end)) {
            return Some(hit);
        }
        from = after(text, at);
    }
    None
}

fn after(text: &str, at: usize) -> usize {
    at + text.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
}

fn skip_space(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or("");
    at + rest.bytes().take_while(|byte| matches!(byte, b' ' | b'\n')).count()
}

/// True unless letters or digits stand on both sides.
fn is_border(text: &str, at: usize) -> bool {
    let byte = |at: usize| text.as_bytes().get(at).copied();
    if let (Some(last), Some(next)) = (at.checked_sub(1).and_then(byte), byte(at))
        && last.is_ascii()
        && next.is_ascii()
    {
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        return !(is_letter(last) && is_letter(next));
    }
    let last = text.get(..at).and_then(|head| head.chars().next_back());
    let next = text.get(at..).and_then(|tail| tail.chars().next());
    let is_letter = |c: char| (c.is_alphanumeric() || c == '_') && !is_unspaced(c);
    !(last.is_some_and(is_letter) && next.is_some_and(is_letter))
}
