//! Edits: measured exactly before anything is built, and built only when someone looks.

use super::arguments::{Request, Tool, read_arguments};
use super::history::{CARRIAGE_RETURN, LINE_FEED};
use crate::text::utf16_len_of_bytes;
use memchr::memmem;
use std::borrow::Cow;
use std::cell::Cell;

/// One operation on a body; its texts are UTF-8.
#[derive(Debug, Clone)]
pub(super) struct Edit<'t> {
    pub(super) anchor: Anchor<'t>,
    pub(super) new: Cow<'t, [u8]>,
}

/// Where an operation applies.
#[derive(Debug, Clone)]
pub(super) enum Anchor<'t> {
    Text { old: Cow<'t, [u8]>, all: bool },
    Line(Place),
}

/// Where text is inserted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// After this many lines, or after the last.
    After(usize),
    End,
}

/// Why an operation or a batch was not applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// The arguments are in none of the known shapes.
    Malformed,
    /// A text holds half of a surrogate pair.
    LoneSurrogate,
    /// The old text is not in the body.
    NotFound,
    /// The old text is in the body more than once.
    Ambiguous,
    /// The result would not fit what is left of the budget.
    OverBudget,
}

/// A text as its UTF-8, and what is known of it. Bytes, because a body is searched, cut and copied far
/// more often than it is handed over as a string.
#[derive(Debug, Clone)]
pub(super) struct Body {
    pub(super) utf8: Vec<u8>,
    /// Its length in UTF-16 units.
    pub(super) units: usize,
    /// Counted when first asked for, carried along by edits that change one place.
    endings: Cell<Option<Endings>>,
}

impl Body {
    pub(super) fn new(utf8: Vec<u8>) -> Self {
        let units = utf16_len_of_bytes(&utf8);
        Body { utf8, units, endings: Cell::new(None) }
    }

    /// `None` when it is ill-formed, which no text of a caller is.
    pub(super) fn into_string(self) -> Option<String> {
        String::from_utf8(self.utf8).ok()
    }

    pub(super) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.utf8).unwrap_or_default()
    }

    fn endings(&self) -> Endings {
        let counted = self.endings.get().unwrap_or_else(|| Endings::of(&self.utf8));
        self.endings.set(Some(counted));
        counted
    }
}

/// A measured operation: byte places to cut from one body, and the text that goes there.
#[derive(Debug)]
pub(super) struct Plan {
    cuts: Vec<usize>,
    cut_length: usize,
    new: Vec<u8>,
    /// The length of the result in UTF-16 units.
    pub(super) units: usize,
}

impl Plan {
    /// The result on `body`, the one the plan was measured against.
    pub(super) fn build(&self, body: &Body) -> Body {
        let old = &body.utf8;
        let mut utf8 = Vec::with_capacity(old.len() + self.cuts.len() * self.new.len());
        let mut from = 0;
        for &cut in &self.cuts {
            utf8.extend_from_slice(old.get(from..cut).unwrap_or_default());
            utf8.extend_from_slice(&self.new);
            from = cut + self.cut_length;
        }
        utf8.extend_from_slice(old.get(from..).unwrap_or_default());
        let endings = match (self.cuts.as_slice(), body.endings.get()) {
            (&[cut], Some(endings)) => {
                let added = Endings::around(&utf8, cut, self.new.len());
                Some(endings.exchanged(Endings::around(old, cut, self.cut_length), added))
            }
            _ => None,
        };
        Body { utf8, units: self.units, endings: Cell::new(endings) }
    }
}

/// The line endings of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Endings {
    feeds: usize,
    /// Line feeds right after a carriage return.
    pairs: usize,
}

impl Endings {
    fn of(utf8: &[u8]) -> Endings {
        let after = utf8.get(1..).unwrap_or_default();
        // Sums of 128 fit a byte, so the inner loops work on sixteen bytes at a time.
        let (mut feeds, mut pairs) = (0, 0);
        for chunk in utf8.chunks(128) {
            feeds += usize::from(chunk.iter().map(|&byte| u8::from(byte == LINE_FEED)).sum::<u8>());
        }
        for (firsts, seconds) in utf8.chunks(128).zip(after.chunks(128)) {
            let is_pair = |(&first, &second): (&u8, &u8)| (first == CARRIAGE_RETURN) & (second == LINE_FEED);
            pairs += usize::from(firsts.iter().zip(seconds).map(|pair| u8::from(is_pair(pair))).sum::<u8>());
        }
        Endings { feeds, pairs }
    }

    /// The endings that depend on the `length` bytes at `start`: one byte more on both sides.
    fn around(utf8: &[u8], start: usize, length: usize) -> Endings {
        let end = (start + length + 1).min(utf8.len());
        Endings::of(utf8.get(start.saturating_sub(1)..end).unwrap_or_default())
    }

    /// With the endings around one place changed from `old` to `new`.
    fn exchanged(self, old: Endings, new: Endings) -> Endings {
        Endings { feeds: self.feeds + new.feeds - old.feeds, pairs: self.pairs + new.pairs - old.pairs }
    }

    /// The ending of every line; `None` without lines, or where they end differently.
    fn only(self) -> Option<&'static [u8]> {
        match self.pairs {
            _ if self.feeds == 0 => None,
            0 => Some(b"\n"),
            pairs if pairs == self.feeds => Some(b"\r\n"),
            _ => None,
        }
    }
}

fn has_lines(text: &[u8]) -> bool {
    memchr::memchr(LINE_FEED, text).is_some()
}

/// `text` with every line ended by `ending`; as it is where there is none.
fn in_ending<'t>(text: &'t [u8], ending: Option<&[u8]>) -> Cow<'t, [u8]> {
    let Some(ending) = ending.filter(|_| has_lines(text)) else { return Cow::Borrowed(text) };
    let mut ended = Vec::with_capacity(text.len() + text.len() / 8);
    for line in text.split_inclusive(|&byte| byte == LINE_FEED) {
        match line.strip_suffix(b"\n") {
            Some(line) => {
                ended.extend_from_slice(line.strip_suffix(b"\r").unwrap_or(line));
                ended.extend_from_slice(ending);
            }
            None => ended.extend_from_slice(line),
        }
    }
    Cow::Owned(ended)
}

/// Measures `edit` on `body` without building anything of the body's size.
pub(super) fn plan(body: &Body, edit: &Edit<'_>) -> Result<Plan, Failure> {
    match &edit.anchor {
        Anchor::Text { old, all } => plan_replacement(body, old, &edit.new, *all),
        Anchor::Line(place) => Ok(plan_insertion(body, *place, &edit.new)),
    }
}

fn plan_replacement(body: &Body, old: &[u8], new: &[u8], all: bool) -> Result<Plan, Failure> {
    let ending = if has_lines(old) || has_lines(new) { body.endings().only() } else { None };
    let (old, new) = (in_ending(old, ending), in_ending(new, ending));
    let search = Search::new(&old);
    let first = search.find(&body.utf8, 0).ok_or(Failure::NotFound)?;
    let mut cuts = vec![first];
    if all {
        let mut from = first + old.len();
        while let Some(cut) = search.find(&body.utf8, from) {
            cuts.push(cut);
            from = cut + old.len();
        }
    } else if search.find(&body.utf8, first + 1).is_some() {
        // Overlapping occurrences are two as well.
        return Err(Failure::Ambiguous);
    }
    let count = cuts.len();
    let units = body.units + count * utf16_len_of_bytes(&new) - count * utf16_len_of_bytes(&old);
    Ok(Plan { cuts, cut_length: old.len(), new: new.into_owned(), units })
}

/// The longest needle the vectorised search takes.
const FAST_NEEDLE: usize = 32;
/// Bytes compared in vain, for each byte of the text and on top, before the search that is linear
/// whatever the text takes over.
const SPARE_COMPARISONS: usize = 4;

/// A search for one text. Texts of an edit are lines of code, mostly longer than the needles the fast
/// search takes: it looks for their start, and the rest is compared where that is found.
struct Search<'n> {
    needle: &'n [u8],
    start: memmem::Finder<'n>,
}

impl<'n> Search<'n> {
    fn new(needle: &'n [u8]) -> Self {
        let start = memmem::Finder::new(needle.get(..FAST_NEEDLE).unwrap_or(needle));
        Search { needle, start }
    }

    /// Where the text is first found at `from` or behind it.
    fn find(&self, haystack: &[u8], from: usize) -> Option<usize> {
        let mut wasted = 0;
        let mut at = from;
        loop {
            at += self.start.find(haystack.get(at..)?)?;
            if haystack.get(at..)?.starts_with(self.needle) {
                return Some(at);
            }
            at += 1;
            wasted += self.needle.len();
            if wasted > SPARE_COMPARISONS * (at - from) + 1024 {
                return memmem::find(haystack.get(at..)?, self.needle).map(|found| at + found);
            }
        }
    }
}

fn plan_insertion(body: &Body, place: Place, new: &[u8]) -> Plan {
    let ending = body.endings().only();
    let new = in_ending(new, ending);
    let separator = ending.unwrap_or(b"\n");
    let at = match place {
        Place::End => None,
        Place::After(0) => Some(0),
        Place::After(lines) => memchr::memchr_iter(LINE_FEED, &body.utf8).nth(lines - 1).map(|feed| feed + 1),
    };
    let at = at.unwrap_or(body.utf8.len());
    let inserted = if body.utf8.is_empty() {
        new.into_owned()
    } else if at == body.utf8.len() && !body.utf8.ends_with(b"\n") {
        // A file without a final newline stays without one.
        let kept = new.strip_suffix(b"\n").map_or(new.as_ref(), |new| new.strip_suffix(b"\r").unwrap_or(new));
        [separator, kept].concat()
    } else if new.ends_with(b"\n") {
        new.into_owned()
    } else {
        [new.as_ref(), separator].concat()
    };
    let units = body.units + utf16_len_of_bytes(&inserted);
    Plan { cuts: vec![at], cut_length: 0, new: inserted, units }
}

/// The last operation of a batch, measured on the body before it.
pub(super) struct Batch {
    /// The body before the last operation, when it is not the one the batch started from.
    before: Option<Body>,
    last: Plan,
    /// The longest text the batch holds, in UTF-16 units: what it costs.
    charge: usize,
}

impl Batch {
    /// The result on `start`, the body the batch was measured against.
    pub(super) fn build(&self, start: &Body) -> Body {
        self.last.build(self.before.as_ref().unwrap_or(start))
    }

    /// What was charged for texts that exist only as a plan.
    pub(super) fn unbuilt_units(&self) -> usize {
        if self.before.is_some() { 0 } else { self.charge }
    }
}

/// Measures a whole batch. `spend` is asked for room before anything of that size is built; what it
/// granted is the charge, also for a batch that then fails.
pub(super) fn plan_batch(
    body: &Body,
    edits: &[Edit<'_>],
    mut spend: impl FnMut(usize) -> bool,
) -> Result<Batch, Failure> {
    let mut charge = 0;
    let mut before: Option<Body> = None;
    let mut last: Option<Plan> = None;
    for edit in edits {
        if let Some(plan) = last.take() {
            before = Some(plan.build(before.as_ref().unwrap_or(body)));
        }
        let plan = plan(before.as_ref().unwrap_or(body), edit)?;
        let more = plan.units.saturating_sub(charge);
        if !spend(more) {
            return Err(Failure::OverBudget);
        }
        charge += more;
        last = Some(plan);
    }
    last.map(|last| Batch { before, last, charge }).ok_or(Failure::Malformed)
}

/// Applies the arguments of one edit call (`path` may be missing) to `body`: all operations or none.
///
/// *Errors*: a [`Failure`] says why nothing was applied. *Source*: contract section 2.
pub fn apply_edit(body: &str, arguments: &str) -> Result<String, Failure> {
    let mut unlimited = u64::MAX;
    replay_hop(body, arguments, &mut unlimited)
}

/// What `remaining` UTF-16 units leave after `units`; `None`, and nothing is taken, when there are fewer.
pub const fn spend(remaining: u64, units: u64) -> Option<u64> {
    remaining.checked_sub(units)
}

/// [`apply_edit`] within `remaining` UTF-16 units, which go down by what the attempt built.
pub fn replay_hop(body: &str, arguments: &str, remaining: &mut u64) -> Result<String, Failure> {
    let Some(Request::Edit(edits)) = read_arguments(Tool::Edit, arguments.as_bytes(), true).request else {
        return Err(Failure::Malformed);
    };
    let edits: Option<Vec<Edit<'_>>> = edits.iter().map(|edit| edit.decode(arguments.as_bytes())).collect();
    let start = Body::new(body.as_bytes().to_vec());
    let batch = plan_batch(&start, &edits.ok_or(Failure::LoneSurrogate)?, |units| {
        let left = spend(*remaining, units as u64);
        *remaining = left.unwrap_or(*remaining);
        left.is_some()
    })?;
    batch.build(&start).into_string().ok_or(Failure::LoneSurrogate)
}
