//! Commands of the gate at the boundary.

use super::read::{input_text, input_texts, with_input_text};
use super::write::Packer;
use crate::gate::commands::{
    self, Classification, DEFAULT_SHELL_TOOLS, EvidenceOptions, ReasonCode, ToolCall, ToolResult,
};
use crate::text::{Utf16Converter, byte_of_utf16, utf16_len};
use js_sys::Array;
use wasm_bindgen::prelude::*;

/// How many times over a place in a line fits into the number that answers for it.
const PLACES: f64 = (1 << 22) as f64;

/// The answer's first byte: accepted, candidate, whether the words it is about stand in the line, and
/// the reason's number.
fn head(classification: &Classification) -> usize {
    usize::from(classification.accepted)
        | usize::from(classification.candidate) << 1
        | usize::from(classification.reason.place.is_some()) << 2
        | (classification.reason.code as usize) << 3
}

fn place(classification: &Classification, command: &str) -> (usize, usize) {
    let span = classification.reason.place.unwrap_or_default();
    let before = command.get(..span.start).unwrap_or("");
    (utf16_len(before), utf16_len(span.of(command)))
}

/// Head, and either start and length of the words it is about, or its whole phrase.
fn pack(packer: &mut Packer, classification: &Classification, command: &str) {
    packer.number(head(classification));
    if classification.reason.place.is_some() {
        let (start, length) = place(classification, command);
        packer.number(start);
        packer.number(length);
    } else if classification.reason.names_words() {
        packer.text(&classification.reason.phrase());
    }
}

/// Three texts a reason, in the order of their numbers: its name, and its phrase before and behind the
/// words it is about.
#[wasm_bindgen]
pub fn command_reasons() -> Vec<String> {
    ReasonCode::TEXTS.iter().flatten().map(|text| (*text).to_owned()).collect()
}

#[wasm_bindgen]
pub fn is_verification_command(bytes: usize) -> bool {
    with_input_text(bytes, commands::is_verification_command)
}

/// Head, start and length in one number: nothing is built here for the usual answer.
#[wasm_bindgen]
pub fn classify_verification_command(bytes: usize) -> f64 {
    with_input_text(bytes, |command| {
        let classification = commands::classify_verification_command(command);
        let (start, length) = place(&classification, command);
        head(&classification) as f64 + 256.0 * (start as f64 + PLACES * length as f64)
    })
}

/// The phrase of a reason whose words do not stand in the line.
#[wasm_bindgen]
pub fn command_reason_phrase(bytes: usize) -> String {
    with_input_text(bytes, |command| commands::classify_verification_command(command).reason.phrase())
}

/// One row a command. The commands stand in the input with a line break between them; `lengths` has
/// the UTF-16 units of each, so that nothing is encoded or copied one by one.
#[wasm_bindgen]
pub fn classify_verification_commands(bytes: usize, lengths: &[u32]) -> Array {
    let mut packer = Packer::default();
    with_input_text(bytes, |text| {
        let is_ascii = text.is_ascii();
        let mut rest = text;
        for length in lengths {
            let length = *length as usize;
            let end = if is_ascii { Some(length) } else { byte_of_utf16(rest, length) };
            let (command, behind) = end.and_then(|end| rest.split_at_checked(end)).unwrap_or((rest, ""));
            rest = behind.strip_prefix('\n').unwrap_or(behind);
            pack(&mut packer, &commands::classify_verification_command(command), command);
        }
    });
    packer.finish()
}

/// The answer, then start, end, role and whether it decides of every word.
#[wasm_bindgen]
pub fn explain_command(bytes: usize) -> Array {
    let command = input_text(bytes);
    let (classification, words) = commands::explain_command(&command);
    let mut packer = Packer::default();
    pack(&mut packer, &classification, &command);
    let mut converter = Utf16Converter::new(&command);
    for word in words {
        let span = converter.span(word.span);
        packer.number(span.start);
        packer.number(span.end);
        packer.number(word.role as usize);
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
        pack(&mut packer, &evidence.classification, &evidence.command);
    }
    packer.finish()
}
