//! A conversation as the ledger sees it: calls in order, and what answered them.

use super::arguments::{Arguments, Request, Tool, read_arguments};
use super::edit::Edit;
use super::replay::Reason;
use crate::limits::{MAX_ATTRIBUTABLE_UNITS, MAX_CALL_ID_UNITS};
use crate::text::utf16_len;
use std::ops::Range;

pub(super) const LINE_FEED: u8 = b'\n';
pub(super) const CARRIAGE_RETURN: u8 = b'\r';

/// One tool call.
#[derive(Debug, Clone)]
pub struct Call {
    /// What the tool does.
    pub tool: Tool,
    /// The call's id, as a number the caller chose for that id.
    pub id: usize,
    /// The length of the id in UTF-16 units.
    pub id_units: usize,
    /// Whether the arguments are known to be cut.
    pub is_input_truncated: bool,
    /// The length of the arguments in UTF-16 units.
    pub argument_units: usize,
    /// False when the arguments hold half of a surrogate pair, which is U+FFFD in the text.
    pub is_well_formed: bool,
}

/// One answer to a call.
#[derive(Debug, Clone)]
pub struct Receipt {
    /// The id it answers.
    pub id: usize,
    /// Whether the tool refused or failed.
    pub is_error: bool,
    /// The first characters of the content, at least [`Receipt::HEAD_UNITS`] of them where there are
    /// as many; `None` when the content is no string.
    pub head: Option<String>,
    /// The length of the whole content in UTF-16 units.
    pub units: usize,
}

impl Receipt {
    /// What of a content must be known to tell whether it is believed, in UTF-16 units.
    pub const HEAD_UNITS: usize = 80;

    fn doubt(&self) -> Option<Reason> {
        let Some(head) = &self.head else { return Some(Reason::ReceiptNotText) };
        if self.is_error {
            Some(Reason::Refused)
        } else if head.starts_with("[tool output cleared]") {
            Some(Reason::ReceiptCleared)
        } else if head
            .strip_prefix("Tool ")
            .and_then(|rest| rest.split_once(' '))
            .is_some_and(|(_, rest)| rest.starts_with("skipped by plugin: "))
        {
            Some(Reason::SkippedByPlugin)
        } else {
            None
        }
    }
}

/// Who claims an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Claim {
    Nobody,
    Call(usize),
    Several,
}

/// How an id was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    Never,
    Once { receipt: usize, calls_before: usize },
    Twice,
}

#[derive(Debug)]
pub(super) struct Entry {
    pub(super) call: Call,
    place: Range<usize>,
    pub(super) arguments: Arguments,
}

/// The calls and receipts of one conversation, with every mutation's arguments read once.
#[derive(Debug, Default)]
pub struct Conversation {
    utf8: Vec<u8>,
    entries: Vec<Entry>,
    receipts: Vec<Receipt>,
    claims: Vec<Claim>,
    answers: Vec<Answer>,
}

impl Conversation {
    /// A conversation whose arguments lie in `utf8`; calls then name their place. Bytes, because most
    /// of them are passed over: what is taken out as text is checked there.
    pub fn over(utf8: Vec<u8>) -> Self {
        Conversation { utf8, ..Conversation::default() }
    }

    /// The bytes at a range, or none where there are none.
    pub fn bytes_at(&self, place: Range<usize>) -> &[u8] {
        self.utf8.get(place).unwrap_or_default()
    }

    /// Adds the next call, whose arguments are at byte range `place` of the text.
    ///
    /// *Bounds*: arguments over [`MAX_ATTRIBUTABLE_UNITS`] name no path.
    pub fn push_call(&mut self, call: Call, place: Range<usize>) {
        let json = self.bytes_at(place.clone());
        let arguments = match call.tool {
            Tool::Shell | Tool::Other => Arguments::default(),
            _ if call.argument_units > MAX_ATTRIBUTABLE_UNITS => Arguments::default(),
            tool => read_arguments(tool, json, call.is_well_formed),
        };
        let number = self.entries.len();
        self.reserve(call.id);
        if let Some(claim) = self.claims.get_mut(call.id) {
            *claim = if *claim == Claim::Nobody { Claim::Call(number) } else { Claim::Several };
        }
        self.entries.push(Entry { call, place, arguments });
    }

    /// Adds the next call with its arguments as text.
    pub fn push_call_with(&mut self, call: Call, arguments: &str) {
        let start = self.utf8.len();
        self.utf8.extend_from_slice(arguments.as_bytes());
        self.push_call(call, start..self.utf8.len());
    }

    /// Adds the next receipt.
    pub fn push_receipt(&mut self, receipt: Receipt) {
        let number = self.receipts.len();
        let calls_before = self.entries.len();
        self.reserve(receipt.id);
        if let Some(answer) = self.answers.get_mut(receipt.id) {
            *answer = match answer {
                Answer::Never => Answer::Once { receipt: number, calls_before },
                _ => Answer::Twice,
            };
        }
        self.receipts.push(receipt);
    }

    fn reserve(&mut self, id: usize) {
        if self.claims.len() <= id {
            self.claims.resize(id + 1, Claim::Nobody);
            self.answers.resize(id + 1, Answer::Never);
        }
    }

    /// How many calls there are.
    pub fn calls(&self) -> usize {
        self.entries.len()
    }

    /// The file call number `call` names, if it names one.
    pub fn path(&self, call: usize) -> Option<&str> {
        self.entries.get(call)?.arguments.path.as_deref()
    }

    /// True when a write or an edit is among the calls: without one there is nothing to rebuild.
    pub fn has_mutation(&self) -> bool {
        self.entries.iter().any(|entry| matches!(entry.call.tool, Tool::Write | Tool::Edit))
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = (usize, &Entry)> {
        self.entries.iter().enumerate()
    }

    pub(super) fn entry(&self, call: usize) -> Option<&Entry> {
        self.entries.get(call)
    }

    pub(super) fn json(&self, entry: &Entry) -> &[u8] {
        self.bytes_at(entry.place.clone())
    }

    /// The number of the receipt behind `call`; its number is what contents are asked for by.
    pub(super) fn receipt(&self, call: usize) -> Option<(usize, &Receipt)> {
        let id = self.entries.get(call)?.call.id;
        match self.answers.get(id)? {
            Answer::Once { receipt, calls_before } if *calls_before > call => {
                self.receipts.get(*receipt).map(|found| (*receipt, found))
            }
            _ => None,
        }
    }

    /// Whether call number `call` is an edit in a known shape.
    pub fn is_replayable_edit(&self, call: usize) -> bool {
        self.edits(call).is_some()
    }

    /// The one call with `id`.
    pub(super) fn call_with_id(&self, id: usize) -> Option<usize> {
        match self.claims.get(id)? {
            Claim::Call(call) => Some(*call),
            Claim::Nobody | Claim::Several => None,
        }
    }

    pub(super) fn is_claimed_twice(&self, call: usize) -> bool {
        let id = self.entries.get(call).map_or(0, |entry| entry.call.id);
        self.claims.get(id) == Some(&Claim::Several)
    }

    pub(super) fn is_answered(&self, call: usize) -> bool {
        let id = self.entries.get(call).map_or(0, |entry| entry.call.id);
        self.answers.get(id).is_some_and(|answer| *answer != Answer::Never)
    }

    pub(super) fn is_answered_twice(&self, call: usize) -> bool {
        let id = self.entries.get(call).map_or(0, |entry| entry.call.id);
        self.answers.get(id) == Some(&Answer::Twice)
    }

    /// Why the call or its receipt cannot be believed; `None` when it can.
    pub(super) fn doubt(&self, call: usize, max_argument_units: usize) -> Option<Reason> {
        let entry = self.entries.get(call)?;
        let Some((_, receipt)) = self.receipt(call) else { return Some(Reason::Unanswered) };
        receipt.doubt().or_else(|| {
            let call = &entry.call;
            if call.is_input_truncated {
                Some(Reason::ArgumentsCut)
            } else if call.argument_units > max_argument_units {
                Some(Reason::ArgumentsTooLong)
            } else if call.id_units > MAX_CALL_ID_UNITS {
                Some(Reason::IdTooLong)
            } else {
                None
            }
        })
    }

    /// Whether `call` is the only one with its id, answered once, and believed.
    pub fn is_visible(&self, call: usize, max_argument_units: usize) -> bool {
        call < self.entries.len()
            && !self.is_claimed_twice(call)
            && !self.is_answered_twice(call)
            && self.doubt(call, max_argument_units).is_none()
    }

    /// The body of a write call in a known shape, with a path of at most `max_path_units`.
    pub fn written_body(&self, call: usize, max_path_units: usize) -> Option<String> {
        let entry = self.entries.get(call)?;
        let path = entry.arguments.path.as_deref()?;
        let Some(Request::Write(text)) = &entry.arguments.request else { return None };
        let is_whole = entry.call.is_well_formed && utf16_len(path) <= max_path_units;
        text.decode_str(self.json(entry)).filter(|_| is_whole)
    }

    /// The operations of an edit call in a known shape; `None` also where a text holds half of a
    /// surrogate pair.
    pub(super) fn edits(&self, call: usize) -> Option<Vec<Edit<'_>>> {
        let entry = self.entries.get(call).filter(|entry| entry.call.is_well_formed)?;
        let Some(Request::Edit(edits)) = &entry.arguments.request else { return None };
        edits.iter().map(|edit| edit.decode(self.json(entry))).collect()
    }

    /// What receipt number `receipt` is among those with its id.
    pub fn receipt_standing(&self, receipt: usize) -> Standing {
        let id = self.receipts.get(receipt).map_or(0, |receipt| receipt.id);
        match (self.answers.get(id), self.claims.get(id)) {
            (Some(Answer::Twice), _) => Standing::Ambiguous,
            (Some(Answer::Once { calls_before, .. }), Some(Claim::Call(call))) if call >= calls_before => {
                Standing::Nothing
            }
            _ => Standing::Sole,
        }
    }

    /// What call number `call` is among those with its id.
    pub fn call_standing(&self, call: usize) -> Standing {
        if self.is_claimed_twice(call) { Standing::Ambiguous } else { Standing::Sole }
    }
}

/// What one call or receipt is among those with its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// The only one.
    Sole,
    /// One of several: it cannot be told which is meant.
    Ambiguous,
    /// A receipt before its call: it answers nothing.
    Nothing,
}
