//! The ledger at the boundary. A conversation crosses once, as numbers and the texts the pass needs;
//! the contents of receipts cross only when asked for.

use super::read::{Texts, input_bytes, input_text, input_texts};
use super::write::Packer;
use crate::collections::StringMap;
use crate::ledger::{
    Attribution, Call, Conversation, FileReadTracker, Limits, Observation, Receipt, Replay, Splice, Standing,
    Tool, Window, accounts, apply_edit, fingerprint_content, lexical_file_key, render_numbered_read, replay,
    replay_hop, spend, visible_file_evidence,
};
use js_sys::{Array, Function};
use wasm_bindgen::prelude::*;

/// Stands for an absent number.
const NONE: u32 = u32::MAX;
/// Numbers of one call or receipt.
const RECORD: usize = 6;
/// The first number of a call; a receipt has another.
const CALL: u32 = 0;

#[wasm_bindgen]
pub struct LedgerConversation {
    conversation: Conversation,
    receipts: usize,
}

#[wasm_bindgen]
impl LedgerConversation {
    /// `records`: for a call 0, tool, id, length of the id, flags (1 cut, 4 has a
    /// text), length of the arguments; for a receipt 1, flags (1 error, 4 has a text), id, length, 0, 0.
    /// `ends`: where each text ends in the input buffer, in the order of the records.
    /// `is_well_formed` is asked for the calls, by number, whose arguments hold U+FFFD.
    #[wasm_bindgen(constructor)]
    pub fn new(records: &[u32], ends: &[u32], is_well_formed: &Function) -> LedgerConversation {
        let mut conversation = Conversation::over(input_bytes(ends.last().map_or(0, |&end| end as usize)));
        let replacement = memchr::memmem::Finder::new("\u{FFFD}");
        let mut receipts = 0;
        let mut start = 0;
        let mut texts = ends.iter().map(|&end| {
            let place = start..end as usize;
            start = end as usize;
            place
        });
        for record in records.chunks_exact(RECORD) {
            let &[kind, second, id, length, flags, units] = record else { continue };
            if kind == CALL {
                let place = if flags & 4 != 0 { texts.next() } else { None };
                let place = place.unwrap_or(0..0);
                let is_suspect = replacement.find(conversation.bytes_at(place.clone())).is_some();
                let number = JsValue::from_f64(conversation.calls() as f64);
                let call = Call {
                    tool: match second {
                        1 => Tool::Write,
                        2 => Tool::Edit,
                        3 => Tool::Read,
                        4 => Tool::Shell,
                        _ => Tool::Other,
                    },
                    id: id as usize,
                    id_units: length as usize,
                    is_input_truncated: flags & 1 != 0,
                    argument_units: units as usize,
                    is_well_formed: !is_suspect
                        || is_well_formed
                            .call1(&JsValue::NULL, &number)
                            .is_ok_and(|answer| answer.is_truthy()),
                };
                conversation.push_call(call, place);
            } else {
                let place = if second & 4 != 0 { texts.next() } else { None };
                conversation.push_receipt(Receipt {
                    id: id as usize,
                    is_error: second & 1 != 0,
                    head: place
                        .map(|place| String::from_utf8_lossy(conversation.bytes_at(place)).into_owned()),
                    units: length as usize,
                });
                receipts += 1;
            }
        }
        LedgerConversation { conversation, receipts }
    }

    /// For each call the number of its path or none; then the paths.
    pub fn paths(&self) -> Array {
        let mut packer = Packer::default();
        let mut paths = StringMap::default();
        for call in 0..self.conversation.calls() {
            let number = self.conversation.path(call).map(|path| match paths.get(path) {
                Some(number) => *number,
                None => {
                    let number = paths.len();
                    paths.insert(path, number);
                    number
                }
            });
            packer.optional(number);
        }
        packer.number(paths.len());
        paths.keys().for_each(|path| packer.text(path));
        packer.finish()
    }

    pub fn has_mutation(&self) -> bool {
        self.conversation.has_mutation()
    }

    /// For each call and then for each receipt: 0 the only one with its id, 1 one of several, 2 nothing.
    pub fn standings(&self) -> Vec<u32> {
        let calls = (0..self.conversation.calls()).map(|call| self.conversation.call_standing(call));
        let receipts = (0..self.receipts).map(|receipt| self.conversation.receipt_standing(receipt));
        let number = |standing| match standing {
            Standing::Sole => 0,
            Standing::Ambiguous => 1,
            Standing::Nothing => 2,
        };
        calls.chain(receipts).map(number).collect()
    }

    pub fn is_visible(&self, call: usize, max_argument_units: usize) -> bool {
        self.conversation.is_visible(call, max_argument_units)
    }

    pub fn written_body(&self, call: usize, max_path_units: usize) -> Option<String> {
        self.conversation.written_body(call, max_path_units)
    }

    pub fn is_replayable_edit(&self, call: usize) -> bool {
        self.conversation.is_replayable_edit(call)
    }

    /// The head of the pass (see `pack_replay`); for each witnessed path the first body, and for each
    /// edit the change to the next: where, how much goes, what comes.
    pub fn replay(&self, attributions: &[u32], limits: &[u32], content: &Function) -> Array {
        let replayed = self.pass(attributions, limits, content);
        let mut packer = pack_replay(&replayed);
        for path in &replayed.witnessed {
            path.bodies.iter().take(1).for_each(|body| packer.text(body));
            for (old, new) in path.bodies.iter().zip(path.bodies.iter().skip(1)) {
                let splice = Splice::between(old, new);
                packer.number(splice.start);
                packer.number(splice.removed);
                packer.text(splice.inserted);
            }
        }
        packer.finish()
    }

    /// The head of the pass; then for each file its key, its number among the witnessed and that body's
    /// fingerprint where it is one, the reason, and its steps.
    pub fn explain(&self, attributions: &[u32], limits: &[u32], content: &Function) -> Array {
        let replayed = self.pass(attributions, limits, content);
        let mut packer = pack_replay(&replayed);
        for account in accounts(&replayed) {
            packer.number(account.key);
            packer.optional(account.witnessed.map(|(number, _)| number));
            if let Some((_, path)) = account.witnessed {
                packer.text(&path.fingerprint());
            }
            packer.optional_text(account.reason.map(|reason| reason.as_str()));
            packer.number(account.steps.len());
            for step in account.steps {
                packer.number(step.call);
                packer.text(step.action.as_str());
                packer.optional_text(step.reason.map(|reason| reason.as_str()));
                packer.number(step.units);
            }
        }
        packer.finish()
    }

    /// `observations` for each key: stale, has fingerprint, write, chain's root, number of edits, the
    /// edits, read; `ends`: fingerprint where there is one, the receipt's where there is a read.
    pub fn evidence(
        &self,
        attributions: &[u32],
        limits: &[u32],
        observations: &[u32],
        ends: &[u32],
        content: &Function,
    ) -> Array {
        let mut texts = input_texts(ends).into_iter();
        let mut numbers = observations.iter().copied();
        let mut ledger = Vec::new();
        while let Some(is_stale) = numbers.next() {
            let mut number = || numbers.next().filter(|&number| number != NONE).map(|number| number as usize);
            let has_fingerprint = number() == Some(1);
            let write = number();
            let root = number();
            let edits: Vec<Option<usize>> = (0..number().unwrap_or(0)).map(|_| number()).collect();
            let read = number();
            ledger.push(Observation {
                is_stale: is_stale != 0,
                fingerprint: if has_fingerprint { texts.next() } else { None },
                write,
                chain: root.map(|root| (root, edits)),
                read: read.and_then(|read| Some((read, texts.next()?))),
            });
        }
        let attributions = read_attributions(attributions);
        let limits = read_limits(limits);
        let found =
            visible_file_evidence(&self.conversation, &attributions, &ledger, limits, &mut contents(content));
        let mut packer = Packer::default();
        for evidence in found {
            packer.text(&evidence.path);
            packer.number(usize::from(evidence.is_read));
            packer.number(evidence.body_in_call);
            packer.number(evidence.edits_in_calls.len());
            evidence.edits_in_calls.iter().for_each(|&edit| packer.number(edit));
            packer.text(&evidence.observed_fingerprint);
        }
        packer.finish()
    }
}

impl LedgerConversation {
    fn pass(&self, attributions: &[u32], limits: &[u32], content: &Function) -> Replay {
        let attributions = read_attributions(attributions);
        replay(&self.conversation, &attributions, read_limits(limits), &mut contents(content))
    }
}

/// Witnessed count, seen, units, the call and code that stopped the pass; for each witnessed path its
/// key, write, shell call and edits.
fn pack_replay(replayed: &Replay) -> Packer {
    let mut packer = Packer::default();
    packer.number(replayed.witnessed.len());
    packer.number(replayed.seen);
    packer.number(replayed.units);
    packer.optional(replayed.stopped.map(|(call, _)| call));
    packer.optional_text(replayed.stopped.map(|(_, stop)| stop.as_str()));
    for path in &replayed.witnessed {
        packer.number(path.key);
        packer.number(path.write);
        packer.optional(path.shell_since);
        packer.number(path.edits.len());
        path.edits.iter().for_each(|&edit| packer.number(edit));
    }
    packer
}

fn read_attributions(numbers: &[u32]) -> Vec<Attribution> {
    let read = |&number: &u32| match number {
        0 => Attribution::Nowhere,
        1 => Attribution::Unkeyed,
        key => Attribution::Key(key as usize - 2),
    };
    numbers.iter().map(read).collect()
}

fn read_limits(numbers: &[u32]) -> Limits {
    let mut numbers = numbers.iter().map(|&number| number as usize);
    let defaults = Limits::default();
    Limits {
        max_edit_calls: numbers.next().unwrap_or(defaults.max_edit_calls),
        max_replayed_units: numbers.next().unwrap_or(defaults.max_replayed_units),
        max_path_units: numbers.next().unwrap_or(defaults.max_path_units),
        max_witnessed_paths: numbers.next().unwrap_or(defaults.max_witnessed_paths),
        max_argument_units: numbers.next().unwrap_or(defaults.max_argument_units),
    }
}

/// Asks the facade to put a receipt's content into the input buffer.
fn contents(content: &Function) -> impl FnMut(usize) -> Option<String> + '_ {
    |receipt| {
        let bytes = content.call1(&JsValue::NULL, &JsValue::from_f64(receipt as f64)).ok()?.as_f64()?;
        Some(input_text(bytes as usize))
    }
}

#[wasm_bindgen]
pub fn ledger_fingerprint(bytes: usize) -> String {
    fingerprint_content(&input_text(bytes))
}

/// `ends`: the body and the arguments.
#[wasm_bindgen]
pub fn ledger_apply_edit(ends: &[u32]) -> Option<String> {
    let texts = input_texts(ends);
    let [body, arguments] = texts.as_slice() else { return None };
    apply_edit(body, arguments).ok()
}

/// `ends`: the body and the arguments. The result and what is left of `remaining`.
#[wasm_bindgen]
pub fn ledger_replay_hop(ends: &[u32], remaining: f64) -> Array {
    let texts = input_texts(ends);
    // A float cast saturates: more than fits is no limit, less than nothing is nothing.
    let before = remaining as u64;
    let mut left = before;
    let result = match texts.as_slice() {
        [body, arguments] => replay_hop(body, arguments, &mut left).ok(),
        _ => None,
    };
    let spent = (before - left) as f64;
    Array::of2(
        &result.map_or(JsValue::UNDEFINED, |text| JsValue::from_str(&text)),
        &(remaining - spent).into(),
    )
}

/// What is left of `remaining`, or nothing where `units` are more.
#[wasm_bindgen]
pub fn ledger_spend(remaining: f64, units: f64) -> Option<f64> {
    spend(remaining as u64, units as u64).map(|_| remaining - units)
}

/// The lines `first` to `last` where they are given, else those of `offset` and `limit`.
#[wasm_bindgen]
pub fn ledger_render(
    bytes: usize,
    first: Option<usize>,
    last: Option<usize>,
    offset: usize,
    limit: Option<usize>,
) -> String {
    let window = match (first, last) {
        (Some(first), Some(last)) => Window::of_lines(first, last),
        _ => Window { offset, limit: limit.unwrap_or(Window::default().limit) },
    };
    render_numbered_read(&input_text(bytes), window)
}

/// `ends`: the working directory and the path.
#[wasm_bindgen]
pub fn ledger_file_key(ends: &[u32], sandboxed: bool) -> String {
    match input_texts(ends).as_slice() {
        [directory, path] => lexical_file_key(directory, path, sandboxed),
        _ => String::new(),
    }
}

#[wasm_bindgen]
#[derive(Default)]
pub struct LedgerTracker {
    tracker: FileReadTracker,
}

/// In every method the texts of the input buffer are the key, then what the method names.
#[wasm_bindgen]
impl LedgerTracker {
    #[wasm_bindgen(constructor)]
    pub fn new() -> LedgerTracker {
        LedgerTracker::default()
    }

    /// Content and call id, where they are given.
    pub fn record_read(&mut self, ends: &[u32]) {
        let texts = Texts::new(ends);
        self.tracker.record_read(texts.at(0), texts.get(1), texts.get(2));
    }

    /// Content, call id, fingerprint of the receipt.
    pub fn record_full_read(&mut self, ends: &[u32]) {
        let texts = Texts::new(ends);
        self.tracker.record_full_read(texts.at(0), texts.at(1), texts.at(2), texts.at(3));
    }

    /// Content and call id.
    pub fn record_edit(&mut self, ends: &[u32]) {
        let texts = Texts::new(ends);
        self.tracker.record_edit(texts.at(0), texts.at(1), texts.at(2));
    }

    pub fn record_drift_observed(&mut self, bytes: usize) {
        self.tracker.record_drift_observed(&input_text(bytes));
    }

    pub fn drift_observed(&self, bytes: usize) -> bool {
        self.tracker.drift_observed(&input_text(bytes))
    }

    pub fn has_read(&self, bytes: usize) -> bool {
        self.tracker.has_read(&input_text(bytes))
    }

    pub fn fingerprint(&self, bytes: usize) -> Option<String> {
        self.tracker.fingerprint(&input_text(bytes)).map(str::to_owned)
    }

    pub fn write_call_id(&self, bytes: usize) -> Option<String> {
        self.tracker.write_call_id(&input_text(bytes)).map(str::to_owned)
    }

    /// The write, then the edits; empty without a chain.
    pub fn edit_chain(&self, bytes: usize) -> Vec<String> {
        let chain = self.tracker.edit_chain(&input_text(bytes));
        chain.map_or(Vec::new(), |chain| [vec![chain.root_write_call_id], chain.edit_call_ids].concat())
    }

    /// The call and the fingerprint of its receipt; empty without a read.
    pub fn read_witness(&self, bytes: usize) -> Vec<String> {
        let witness = self.tracker.read_witness(&input_text(bytes)).cloned();
        witness.map_or(Vec::new(), |read| vec![read.call_id, read.rendered_fingerprint])
    }
}
