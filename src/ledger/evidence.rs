//! What of a session's ledger the conversation still shows.

use super::arguments::Tool;
use super::edit::{Body, plan_batch};
use super::fingerprint::fingerprint_content;
use super::history::Conversation;
use super::replay::{Attribution, Limits};
use crate::text::utf16_len;

/// Longest receipt a read entry may point at, in UTF-16 units: the bound on arguments, for the same reason.
const MAX_RECEIPT_UNITS: usize = crate::limits::MAX_ARGUMENT_UNITS;

/// What a ledger holds for one key; ids are the conversation's numbers, `None` for one it lacks.
#[derive(Debug, Clone, Default)]
pub struct Observation {
    /// Whether the file is known to differ.
    pub is_stale: bool,
    /// The fingerprint of the body last seen.
    pub fingerprint: Option<String>,
    /// The write whose body is the file's.
    pub write: Option<usize>,
    /// The write and the edits the body follows from.
    pub chain: Option<(usize, Vec<Option<usize>>)>,
    /// The read that shows the body, and the fingerprint of its receipt.
    pub read: Option<(usize, String)>,
}

/// One file whose body is in front of the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// The key's number.
    pub key: usize,
    /// The path as the write or read spelled it.
    pub path: String,
    /// Whether a read's receipt is the body.
    pub is_read: bool,
    /// The call that shows the body.
    pub body_in_call: usize,
    /// The edit calls on top of it, in order.
    pub edits_in_calls: Vec<usize>,
    /// The fingerprint the ledger holds.
    pub observed_fingerprint: String,
}

/// The files whose body `ledger` (by key number) observed and whose calls still show it, oldest
/// first; a chain only when replaying it gives the fingerprint observed.
///
/// *Bounds*: [`Limits`]. *Source*: contract section 2.
pub fn visible_file_evidence(
    conversation: &Conversation,
    attributions: &[Attribution],
    ledger: &[Observation],
    limits: Limits,
    content: &mut dyn FnMut(usize) -> Option<String>,
) -> Vec<Evidence> {
    let mut search = Search { conversation, attributions, limits, remaining: limits.max_replayed_units };
    let mut found: Vec<Evidence> = Vec::new();
    for (call, entry) in conversation.entries() {
        let Some(Attribution::Key(key)) = attributions.get(call) else { continue };
        let Some(observed) = ledger.get(*key).filter(|observed| !observed.is_stale) else { continue };
        if !search.is_visible(call) {
            continue;
        }
        let evidence = match entry.call.tool {
            Tool::Write => search.written(call, *key, observed),
            Tool::Edit => search.edited(call, *key, observed),
            Tool::Read => search.shown(call, *key, observed, content),
            Tool::Shell | Tool::Other => None,
        };
        let Some(evidence) = evidence else { continue };
        if let Some(place) = found.iter().position(|other| other.key == *key) {
            // A body the model wrote itself outranks one that was shown to it.
            if evidence.is_read && found.get(place).is_some_and(|other| !other.is_read) {
                continue;
            }
            found.remove(place);
        }
        found.push(evidence);
        if found.len() > limits.max_witnessed_paths {
            found.remove(0);
        }
    }
    found
}

struct Search<'c> {
    conversation: &'c Conversation,
    attributions: &'c [Attribution],
    limits: Limits,
    remaining: usize,
}

impl Search<'_> {
    fn is_visible(&self, call: usize) -> bool {
        self.conversation.is_visible(call, self.limits.max_argument_units)
    }

    fn spend(&mut self, units: usize) -> bool {
        let left = self.remaining.checked_sub(units);
        self.remaining = left.unwrap_or(self.remaining);
        left.is_some()
    }

    /// The path and body of a write.
    fn body(&self, call: usize) -> Option<(String, Body)> {
        let body = self.conversation.written_body(call, self.limits.max_path_units)?;
        Some((self.conversation.path(call)?.to_owned(), Body::new(body.into_owned())))
    }

    fn written(&self, call: usize, key: usize, observed: &Observation) -> Option<Evidence> {
        if observed.write != Some(self.conversation.entry(call)?.call.id) {
            return None;
        }
        let (path, body) = self.body(call)?;
        let fingerprint = fingerprint_content(&body.text);
        (observed.fingerprint.as_ref() == Some(&fingerprint)).then(|| Evidence {
            key,
            path,
            is_read: false,
            body_in_call: call,
            edits_in_calls: Vec::new(),
            observed_fingerprint: fingerprint,
        })
    }

    fn edited(&mut self, call: usize, key: usize, observed: &Observation) -> Option<Evidence> {
        let id = self.conversation.entry(call)?.call.id;
        let (root, ids) = observed.chain.as_ref()?;
        if ids.last() != Some(&Some(id)) || ids.len() > self.limits.max_edit_calls {
            return None;
        }
        let root = self.visible_call(*root, key)?;
        let (path, mut body) = self.body(root)?;
        if !self.spend(body.units) {
            return None;
        }
        let mut edits_in_calls = Vec::with_capacity(ids.len());
        for id in ids {
            let edit = self.visible_call((*id)?, key)?;
            let edits = self.conversation.edits(edit)?;
            body = plan_batch(&body, &edits, |units| self.spend(units)).ok()?.build(&body);
            edits_in_calls.push(edit);
        }
        let fingerprint = fingerprint_content(&body.text);
        (observed.fingerprint.as_ref() == Some(&fingerprint)).then_some(Evidence {
            key,
            path,
            is_read: false,
            body_in_call: root,
            edits_in_calls,
            observed_fingerprint: fingerprint,
        })
    }

    /// The visible call with `id` on the file of `key`.
    fn visible_call(&self, id: usize, key: usize) -> Option<usize> {
        let call = self.conversation.call_with_id(id)?;
        let is_here = self.attributions.get(call) == Some(&Attribution::Key(key));
        (is_here && self.is_visible(call)).then_some(call)
    }

    fn shown(
        &self,
        call: usize,
        key: usize,
        observed: &Observation,
        content: &mut dyn FnMut(usize) -> Option<String>,
    ) -> Option<Evidence> {
        let entry = self.conversation.entry(call)?;
        let (id, rendered_fingerprint) = observed.read.as_ref()?;
        let path = entry.arguments.path.as_deref()?;
        let (number, receipt) = self.conversation.receipt(call)?;
        let is_readable = entry.arguments.request.is_some()
            && utf16_len(path) <= self.limits.max_path_units
            && receipt.units <= MAX_RECEIPT_UNITS;
        if *id != entry.call.id || !is_readable {
            return None;
        }
        let shown = content(number)?;
        (fingerprint_content(&shown) == *rendered_fingerprint).then_some(Evidence {
            key,
            path: path.to_owned(),
            is_read: true,
            body_in_call: call,
            edits_in_calls: Vec::new(),
            observed_fingerprint: observed.fingerprint.clone()?,
        })
    }
}
