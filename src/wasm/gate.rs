//! Gate at the boundary: state as handles, results as JSON where they are small and structured.

use super::read::{input_text, input_texts};
use super::write::Packer;
use crate::gate::{self, Change, Gate, Reason};
use js_sys::Array;
use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::prelude::*;

/// Stands between a path and the text of a change: no path holds it.
const SEPARATOR: char = '\0';

/// A small structured value as the plain object that `JSON.parse` would make of it.
fn plain(value: &impl Serialize) -> JsValue {
    value.serialize(&Serializer::json_compatible()).unwrap_or_default()
}

/// One live gate; freed by its wrapper or by the collector.
#[wasm_bindgen]
#[derive(Default)]
pub struct GateHandle {
    gate: Gate,
}

#[wasm_bindgen]
impl GateHandle {
    #[wasm_bindgen(constructor)]
    pub fn new() -> GateHandle {
        GateHandle::default()
    }

    pub fn load(&mut self, bytes: usize) {
        self.gate = Gate::load(&input_text(bytes));
    }

    pub fn dump(&self) -> String {
        self.gate.dump()
    }

    pub fn revision(&self) -> f64 {
        self.gate.revision() as f64
    }

    /// The path, or the path and the added text.
    pub fn record_mutation(&mut self, bytes: usize) {
        let text = input_text(bytes);
        match text.split_once(SEPARATOR) {
            Some((path, added)) => self.gate.record_mutation(path, Change::Added(added)),
            None => self.gate.record_mutation(&text, Change::Unknown),
        }
    }

    /// Path, the whole text after, and the text before where it is known.
    pub fn record_whole_file(&mut self, ends: &[u32]) {
        let texts = input_texts(ends);
        let text = |index: usize| texts.get(index).map(String::as_str);
        let change = Change::Whole { after: text(1).unwrap_or(""), before: text(2) };
        self.gate.record_mutation(text(0).unwrap_or(""), change);
    }

    pub fn record_verification(&mut self, bytes: usize, revision: Option<u32>) {
        self.gate.record_verification(revision.map(u64::from), &input_text(bytes));
    }

    pub fn record_failed_verification(&mut self, bytes: usize, revision: Option<u32>) {
        self.gate.record_failed_verification(&input_text(bytes), revision.map(u64::from));
    }

    /// Command and reason.
    pub fn record_rejected_check(&mut self, ends: &[u32]) {
        if let [command, reason] = input_texts(ends).as_slice() {
            self.gate.record_rejected_check(command, reason);
        }
    }

    pub fn require_fresh_verification(&mut self, invalidate_revision: bool, cause_bytes: Option<usize>) {
        let cause = cause_bytes.map(input_text);
        self.gate.require_fresh_verification(invalidate_revision, cause.as_deref());
    }

    pub fn begin_run(&mut self) {
        self.gate.begin_run();
    }

    pub fn reset(&mut self) {
        self.gate.reset();
    }

    pub fn is_owed(&self) -> bool {
        self.gate.is_owed()
    }

    pub fn is_tamper_owed(&self) -> bool {
        self.gate.is_tamper_owed()
    }

    pub fn verification_problem(&self) -> Option<String> {
        self.gate.problem().map(|problem| gate::problem_message(problem).to_owned())
    }

    pub fn tamper_suspects(&self) -> JsValue {
        plain(&self.gate.tamper_suspects())
    }

    /// 0 for none, else the reason in the order of its type.
    pub fn pending_reason(&self) -> u32 {
        self.gate.pending_reason().map_or(0, |reason| match reason {
            Reason::Initial => 1,
            Reason::Recheck => 2,
            Reason::Tamper => 3,
        })
    }

    /// The demand or `null`.
    pub fn demand_data(&self) -> JsValue {
        plain(&self.gate.demand())
    }

    pub fn follow_up(&mut self) -> Option<String> {
        self.gate.follow_up().map(|demand| gate::follow_up_message(&demand))
    }

    pub fn snapshot(&self) -> String {
        self.gate.snapshot()
    }

    pub fn restore(&mut self, bytes: usize) {
        self.gate.restore(&input_text(bytes));
    }
}

#[wasm_bindgen]
pub fn gate_is_code_file_path(bytes: usize) -> bool {
    gate::is_code_file_path(&input_text(bytes))
}

#[wasm_bindgen]
pub fn gate_is_check_own_file(bytes: usize) -> bool {
    gate::is_check_own_file(&input_text(bytes))
}

#[wasm_bindgen]
pub fn gate_detect_check_weakening(bytes: usize) -> Array {
    gate::detect_check_weakening(&input_text(bytes)).into_iter().map(JsValue::from_str).collect()
}

#[wasm_bindgen]
pub fn gate_extract_added_lines(bytes: usize) -> String {
    gate::extract_added_lines(&input_text(bytes))
}

#[wasm_bindgen]
pub fn gate_added_lines_by_file(bytes: usize) -> Array {
    let mut packer = Packer::default();
    for file in gate::added_lines_by_file(&input_text(bytes)) {
        packer.text(&file.file_path);
        packer.text(&file.added_text);
    }
    packer.finish()
}

#[wasm_bindgen]
pub fn gate_verification_message(ends: &[u32], recheck: bool) -> String {
    gate::verification_message(&input_texts(ends), recheck)
}

/// Paths and reasons by turns.
#[wasm_bindgen]
pub fn gate_tamper_message(ends: &[u32]) -> String {
    let texts = input_texts(ends);
    let suspects = texts.chunks(2).filter_map(|pair| {
        let [file_path, reason] = pair else { return None };
        Some(gate::SuspectMutation { file_path: file_path.clone(), reason: reason.clone() })
    });
    gate::tamper_message(&suspects.collect::<Vec<_>>())
}
