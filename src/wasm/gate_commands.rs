//! Commands of the gate at the boundary.

use super::read::{input_text, input_texts};
use super::write::Packer;
use crate::gate::commands::{
    self, Classification, DEFAULT_SHELL_TOOLS, EvidenceOptions, ToolCall, ToolResult,
};
use crate::text::{Utf16Converter, byte_of_utf16};
use js_sys::Array;
use wasm_bindgen::prelude::*;

const ACCEPTED: usize = 1;
const CANDIDATE: usize = 2;

fn verdict(classification: &Classification) -> usize {
    usize::from(classification.accepted) * ACCEPTED + usize::from(classification.candidate) * CANDIDATE
}

fn pack(packer: &mut Packer, classification: &Classification) {
    packer.number(verdict(classification));
    packer.text(classification.reason.code.as_str());
    packer.text(&classification.reason.phrase());
}

#[wasm_bindgen]
pub fn is_verification_command(bytes: usize) -> bool {
    commands::is_verification_command(&input_text(bytes))
}

#[wasm_bindgen]
pub fn classify_verification_command(bytes: usize) -> Array {
    let mut packer = Packer::default();
    pack(&mut packer, &commands::classify_verification_command(&input_text(bytes)));
    packer.finish()
}

/// One row a command. The commands stand in the input with a line break between them; `lengths` has
/// the UTF-16 units of each, so that nothing is encoded or copied one by one.
#[wasm_bindgen]
pub fn classify_verification_commands(bytes: usize, lengths: &[u32]) -> Array {
    let text = input_text(bytes);
    let mut rest: &str = &text;
    let mut packer = Packer::default();
    for length in lengths {
        let end = byte_of_utf16(rest, *length as usize).unwrap_or(rest.len());
        let (command, behind) = rest.split_at_checked(end).unwrap_or((rest, ""));
        rest = behind.strip_prefix('\n').unwrap_or(behind);
        pack(&mut packer, &commands::classify_verification_command(command));
    }
    packer.finish()
}

/// The answer, then start, end, role and whether it decides of every word.
#[wasm_bindgen]
pub fn explain_command(bytes: usize) -> Array {
    let command = input_text(bytes);
    let (classification, words) = commands::explain_command(&command);
    let mut packer = Packer::default();
    pack(&mut packer, &classification);
    let mut converter = Utf16Converter::new(&command);
    for word in words {
        let span = converter.span(word.span);
        packer.number(span.start);
        packer.number(span.end);
        packer.text(word.role.as_str());
        packer.number(usize::from(word.decides));
    }
    packer.finish()
}

#[wasm_bindgen]
pub fn default_shell_tools() -> Vec<String> {
    DEFAULT_SHELL_TOOLS.iter().map(|name| (*name).to_owned()).collect()
}

/// The input holds the shell tools' names, then three texts an event: id, name and arguments of a
/// call, or id, content and metadata of a receipt. `shape` has four numbers an event: 0 for a call or
/// 1 for a receipt, the message's index, the call's index, and 0, 1 or 2 for an error flag that is
/// absent, false or true.
#[wasm_bindgen]
pub fn collect_verification_evidence(
    ends: &[u32],
    shell_tools: usize,
    shape: &[u32],
    trusts_is_error: bool,
) -> Array {
    let texts = input_texts(ends);
    let (names, events) = texts.split_at_checked(shell_tools).unwrap_or_default();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let (mut calls, mut results) = (Vec::new(), Vec::new());
    for (event, shape) in events.chunks_exact(3).zip(shape.chunks_exact(4)) {
        let ([id, second, third], [kind, message, index, flag]) = (event, shape) else { continue };
        let message = *message as usize;
        if *kind == 0 {
            calls.push(ToolCall { id, name: second, arguments: third, message, index: *index as usize });
        } else {
            let is_error = (*flag > 0).then_some(*flag == 2);
            results.push(ToolResult { call_id: id, content: second, metadata: third, is_error, message });
        }
    }
    let options = EvidenceOptions { shell_tools: &names, trusts_is_error };
    let mut packer = Packer::default();
    for evidence in commands::collect_verification_evidence(&calls, &results, options) {
        packer.text(&evidence.command);
        packer.text(&evidence.call_id);
        packer.number(evidence.call_message);
        packer.number(evidence.call_index);
        packer.optional(evidence.result_message);
        let exit_code = evidence.exit_code.map(|code| code.to_string());
        packer.optional_text(exit_code.as_deref());
        packer.number(usize::from(evidence.counts()));
        packer.number(usize::from(evidence.passed()));
        pack(&mut packer, &evidence.classification);
    }
    packer.finish()
}
