//! Edits: measured exactly before anything is built, and built only when someone looks.

use super::arguments::{Request, Tool, read_arguments};
use super::history::{CARRIAGE_RETURN, LINE_FEED};
use crate::text::utf16_len;
use memchr::memmem;
use std::borrow::Cow;

/// One operation on a body.
#[derive(Debug, Clone)]
pub(super) struct Edit<'t> {
    pub(super) anchor: Anchor<'t>,
    pub(super) new: Cow<'t, str>,
}

/// Where an operation applies.
#[derive(Debug, Clone)]
pub(super) enum Anchor<'t> {
    Text { old: Cow<'t, str>, all: bool },
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

/// A text and its length in UTF-16 units.
#[derive(Debug, Clone)]
pub(super) struct Body {
    pub(super) text: String,
    pub(super) units: usize,
}

impl Body {
    pub(super) fn new(text: String) -> Self {
        let units = utf16_len(&text);
        Body { text, units }
    }
}

/// A measured operation: byte places to cut from one body, and the text that goes there.
#[derive(Debug)]
pub(super) struct Plan {
    cuts: Vec<usize>,
    cut_length: usize,
    new: String,
    /// The length of the result in UTF-16 units.
    pub(super) units: usize,
}

impl Plan {
    /// The result on `body`, the one the plan was measured against.
    pub(super) fn build(&self, body: &Body) -> Body {
        let grown = self.cuts.len() * self.new.len();
        let mut text = String::with_capacity(body.text.len() + grown);
        let mut from = 0;
        for &cut in &self.cuts {
            text.push_str(body.text.get(from..cut).unwrap_or(""));
            text.push_str(&self.new);
            from = cut + self.cut_length;
        }
        text.push_str(body.text.get(from..).unwrap_or(""));
        Body { text, units: self.units }
    }
}

/// The line ending of a body where all lines end alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Lf,
    CrLf,
    Mixed,
}

fn ending(text: &str) -> Ending {
    let bytes = text.as_bytes();
    let after = bytes.get(1..).unwrap_or_default();
    // Sums of 128 fit a byte, so the inner loops work on sixteen bytes at a time.
    let (mut feeds, mut after_returns) = (0, 0);
    for chunk in bytes.chunks(128) {
        feeds += usize::from(chunk.iter().map(|&byte| u8::from(byte == LINE_FEED)).sum::<u8>());
    }
    for (firsts, seconds) in bytes.chunks(128).zip(after.chunks(128)) {
        let pairs = firsts.iter().zip(seconds);
        let is_ending = |(&first, &second): (&u8, &u8)| (first == CARRIAGE_RETURN) & (second == LINE_FEED);
        after_returns += usize::from(pairs.map(|pair| u8::from(is_ending(pair))).sum::<u8>());
    }
    match after_returns {
        _ if feeds == 0 => Ending::Mixed,
        0 => Ending::Lf,
        count if count == feeds => Ending::CrLf,
        _ => Ending::Mixed,
    }
}

/// `text` in the body's ending; as it is where the body has none of its own.
fn in_ending(text: &str, ending: Ending) -> Cow<'_, str> {
    if ending == Ending::Mixed || memchr::memchr(LINE_FEED, text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let plain = text.replace("\r\n", "\n");
    Cow::Owned(if ending == Ending::CrLf { plain.replace('\n', "\r\n") } else { plain })
}

/// Measures `edit` on `body` without building anything of the body's size.
pub(super) fn plan(body: &Body, edit: &Edit<'_>) -> Result<Plan, Failure> {
    match &edit.anchor {
        Anchor::Text { old, all } => plan_replacement(body, old, &edit.new, *all),
        Anchor::Line(place) => Ok(plan_insertion(body, *place, &edit.new)),
    }
}

fn plan_replacement(body: &Body, old: &str, new: &str, all: bool) -> Result<Plan, Failure> {
    let has_lines = [old, new].iter().any(|text| memchr::memchr(LINE_FEED, text.as_bytes()).is_some());
    let ending = if has_lines { ending(&body.text) } else { Ending::Mixed };
    let (old, new) = (in_ending(old, ending), in_ending(new, ending));
    let finder = memmem::Finder::new(old.as_bytes());
    let bytes = body.text.as_bytes();
    let cuts: Vec<usize> = if all {
        finder.find_iter(bytes).collect()
    } else {
        let first = finder.find(bytes).ok_or(Failure::NotFound)?;
        // Overlapping occurrences are two as well.
        if bytes.get(first + 1..).is_some_and(|rest| finder.find(rest).is_some()) {
            return Err(Failure::Ambiguous);
        }
        vec![first]
    };
    if cuts.is_empty() {
        return Err(Failure::NotFound);
    }
    let units = body.units + cuts.len() * utf16_len(&new) - cuts.len() * utf16_len(&old);
    Ok(Plan { cuts, cut_length: old.len(), new: new.into_owned(), units })
}

fn plan_insertion(body: &Body, place: Place, new: &str) -> Plan {
    let ending = ending(&body.text);
    let new = in_ending(new, ending);
    let separator = if ending == Ending::CrLf { "\r\n" } else { "\n" };
    let at = match place {
        Place::End => None,
        Place::After(0) => Some(0),
        Place::After(lines) => {
            memchr::memchr_iter(LINE_FEED, body.text.as_bytes()).nth(lines - 1).map(|feed| feed + 1)
        }
    };
    let at = at.unwrap_or(body.text.len());
    let inserted = if body.text.is_empty() {
        new.into_owned()
    } else if at == body.text.len() && !body.text.ends_with('\n') {
        // A file without a final newline stays without one.
        let kept = new.strip_suffix('\n').map_or(new.as_ref(), |new| new.strip_suffix('\r').unwrap_or(new));
        format!("{separator}{kept}")
    } else if new.ends_with('\n') {
        new.into_owned()
    } else {
        format!("{new}{separator}")
    };
    let units = body.units + utf16_len(&inserted);
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
    let mut unlimited = usize::MAX;
    replay_hop(body, arguments, &mut unlimited)
}

/// [`apply_edit`] within `remaining` UTF-16 units, which go down by what the attempt built.
pub fn replay_hop(body: &str, arguments: &str, remaining: &mut usize) -> Result<String, Failure> {
    let Some(Request::Edit(edits)) = read_arguments(Tool::Edit, arguments, true).request else {
        return Err(Failure::Malformed);
    };
    let edits: Option<Vec<Edit<'_>>> = edits.iter().map(|edit| edit.decode(arguments)).collect();
    let start = Body::new(body.to_owned());
    let batch = plan_batch(&start, &edits.ok_or(Failure::LoneSurrogate)?, |units| {
        let left = remaining.checked_sub(units);
        *remaining = left.unwrap_or(*remaining);
        left.is_some()
    })?;
    Ok(batch.build(&start).text)
}
