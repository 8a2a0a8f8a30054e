//! Evidence: which entries of a session's ledger the conversation still shows, so that a model need not
//! read those files again.

use super::arguments::Tool;
use super::edit::{Body, plan_batch, spend};
use super::fingerprint::is_fingerprint_of;
use super::history::Conversation;
use super::replay::{Attribution, Limits};
use crate::collections::sort;
use crate::limits::MAX_ARGUMENT_UNITS;
use crate::text::utf16_len;

/// Longest receipt a read entry may point at, in UTF-16 units: the bound on arguments, for the same reason.
const MAX_RECEIPT_UNITS: usize = MAX_ARGUMENT_UNITS;

/// What a ledger says of one key. Calls are named by their ids' numbers; `None` is an id the
/// conversation does not have.
#[derive(Debug, Clone, Default)]
pub struct Observation {
    /// The ledger knows, or cannot rule out, that the file differs from what it holds.
    pub is_stale: bool,
    /// The fingerprint of the body last seen.
    pub fingerprint: Option<String>,
    /// The write whose body is the file's.
    pub write: Option<usize>,
    /// The write a chain starts from, and its edits.
    pub chain: Option<(usize, Vec<Option<usize>>)>,
    /// The read that shows the body, and the fingerprint of its receipt.
    pub read: Option<(usize, String)>,
}

impl Observation {
    /// The calls that would show the body, if they are what the ledger takes them for.
    fn tips(&self) -> impl Iterator<Item = usize> {
        let edit = self.chain.as_ref().and_then(|(_, edits)| *edits.last()?);
        let read = self.read.as_ref().map(|(read, _)| *read);
        [self.write, edit, read].into_iter().flatten()
    }
}

/// One file whose body is in front of the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// The key's number.
    pub key: usize,
    /// The path as the call that holds the body spells it.
    pub path: String,
    /// Whether a read's receipt is the body.
    pub is_read: bool,
    /// The call that holds the body.
    pub body_in_call: usize,
    /// The edit calls to apply to it, in order.
    pub edits_in_calls: Vec<usize>,
    /// The fingerprint, as the ledger has it.
    pub observed_fingerprint: String,
}

/// What the conversation shows of `ledger` (by key number): an entry for each body that its calls give
/// and whose fingerprint is the one observed. A body the model wrote outranks one it was shown.
///
/// *Order*: by the call that completed the body, oldest first. *Bounds*: [`Limits`]; past
/// `max_witnessed_paths` the newest stay. *Source*: contract section 2.
pub fn visible_file_evidence(
    conversation: &Conversation,
    attributions: &[Attribution],
    ledger: &[Observation],
    limits: Limits,
    content: &mut dyn FnMut(usize) -> Option<String>,
) -> Vec<Evidence> {
    let remaining = limits.max_replayed_units as u64;
    let mut search = Search { conversation, attributions, limits, remaining };
    let mut tips: Vec<(usize, usize)> = Vec::new();
    for (key, observed) in ledger.iter().enumerate().filter(|(_, observed)| !observed.is_stale) {
        tips.extend(observed.tips().filter_map(|id| Some((search.visible_call(id, key)?, key))));
    }
    // The budget is spent in the order of the calls.
    sort(&mut tips);
    tips.dedup();
    let mut found: Vec<Evidence> = Vec::new();
    for (call, key) in tips {
        let Some(observed) = ledger.get(key) else { continue };
        let Some(evidence) = search.evidence(call, key, observed, content) else { continue };
        let other = found.iter().position(|other| other.key == key);
        if evidence.is_read && other.is_some_and(|other| found.get(other).is_some_and(|other| !other.is_read))
        {
            continue;
        }
        if let Some(other) = other {
            found.remove(other);
        }
        found.push(evidence);
    }
    found.drain(..found.len().saturating_sub(limits.max_witnessed_paths));
    found
}

struct Search<'c> {
    conversation: &'c Conversation,
    attributions: &'c [Attribution],
    limits: Limits,
    remaining: u64,
}

impl Search<'_> {
    /// The visible call with `id`, if it is on the file of `key`.
    fn visible_call(&self, id: usize, key: usize) -> Option<usize> {
        let call = self.conversation.call_with_id(id)?;
        let is_here = self.attributions.get(call) == Some(&Attribution::Key(key));
        (is_here && self.conversation.is_visible(call, self.limits.max_argument_units)).then_some(call)
    }

    fn spend(&mut self, units: usize) -> bool {
        let left = spend(self.remaining, units as u64);
        self.remaining = left.unwrap_or(self.remaining);
        left.is_some()
    }

    fn evidence(
        &mut self,
        call: usize,
        key: usize,
        observed: &Observation,
        content: &mut dyn FnMut(usize) -> Option<String>,
    ) -> Option<Evidence> {
        let entry = self.conversation.entry(call)?;
        let fingerprint = observed.fingerprint.as_deref()?;
        let (is_proved, body_in_call, edits_in_calls) = match entry.call.tool {
            Tool::Write if observed.write == Some(entry.call.id) => {
                let body = self.conversation.written_body(call, self.limits.max_path_units)?;
                (is_fingerprint_of(fingerprint, &body), call, Vec::new())
            }
            Tool::Edit => {
                let (root, ids) = observed.chain.as_ref()?;
                let (root, edits, body) = self.chain(*root, ids, key)?;
                (is_fingerprint_of(fingerprint, body.as_str()), root, edits)
            }
            Tool::Read => (self.is_shown(call, observed, content)?, call, Vec::new()),
            _ => return None,
        };
        let path = self.conversation.path(body_in_call)?;
        is_proved.then(|| Evidence {
            key,
            path: path.to_owned(),
            is_read: entry.call.tool == Tool::Read,
            body_in_call,
            edits_in_calls,
            observed_fingerprint: fingerprint.to_owned(),
        })
    }

    /// The write and the edits of a chain as calls, and the body they give.
    fn chain(&mut self, root: usize, ids: &[Option<usize>], key: usize) -> Option<(usize, Vec<usize>, Body)> {
        let root = self.visible_call(root, key)?;
        let mut body =
            Body::new(self.conversation.written_body(root, self.limits.max_path_units)?.into_bytes());
        if ids.len() > self.limits.max_edit_calls || !self.spend(body.units) {
            return None;
        }
        let mut calls = Vec::with_capacity(ids.len());
        for id in ids {
            let call = self.visible_call((*id)?, key)?;
            let edits = self.conversation.edits(call)?;
            body = plan_batch(&body, &edits, |units| self.spend(units)).ok()?.build(&body);
            calls.push(call);
        }
        Some((root, calls, body))
    }

    /// Whether the receipt of a read is the one observed, and short enough to point at.
    fn is_shown(
        &self,
        call: usize,
        observed: &Observation,
        content: &mut dyn FnMut(usize) -> Option<String>,
    ) -> Option<bool> {
        let entry = self.conversation.entry(call)?;
        let (id, rendered_fingerprint) = observed.read.as_ref()?;
        let (number, receipt) = self.conversation.receipt(call)?;
        let is_readable = *id == entry.call.id
            && entry.arguments.request.is_some()
            && utf16_len(self.conversation.path(call)?) <= self.limits.max_path_units
            && receipt.units <= MAX_RECEIPT_UNITS;
        Some(is_readable && is_fingerprint_of(rendered_fingerprint, &content(number)?))
    }
}
