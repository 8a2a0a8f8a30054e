//! Anchors at the boundary.

use super::read::{input_is, input_text, input_texts};
use super::write::Packer;
use crate::anchors::{self, Document, Passage};
use crate::limits::{DEFAULT_CHUNK_CHARS, DEFAULT_QUOTE_CHARS};
use crate::text::Utf16Span;
use js_sys::Array;
use std::cell::RefCell;
use wasm_bindgen::prelude::*;

thread_local! {
    /// The document of the last link: hosts link passage after passage of one document.
    static LAST_DOCUMENT: RefCell<Option<Document>> = const { RefCell::new(None) };
    /// The last passage known alone: hosts ask for the prose, the quote and the link of one passage.
    static LAST_PASSAGE: RefCell<Option<Passage>> = const { RefCell::new(None) };
}

#[wasm_bindgen]
pub fn span_tag(start: usize, end: usize) -> Result<String, JsValue> {
    Ok(anchors::span_tag(Utf16Span { start, end })?)
}

/// Start and end, or nothing.
#[wasm_bindgen]
pub fn parse_span_tag(ends: &[u32]) -> Option<Vec<usize>> {
    let tags = input_texts(ends);
    anchors::parse_span_tag(tags.iter().map(String::as_str)).map(|span| vec![span.start, span.end])
}

#[wasm_bindgen]
pub fn citation_anchor(hash: &str, start: usize, end: usize) -> Result<String, JsValue> {
    Ok(anchors::citation_anchor(hash, Utf16Span { start, end })?)
}

/// Hash prefix, start and end packed, or nothing.
#[wasm_bindgen]
pub fn parse_citation_anchor(anchor: &str) -> Option<Array> {
    let anchor = anchors::parse_citation_anchor(anchor)?;
    let mut packer = Packer::default();
    packer.text(&anchor.hash_prefix);
    packer.number(anchor.span.start);
    packer.number(anchor.span.end);
    Some(packer.finish())
}

#[wasm_bindgen]
pub fn anchor_matches_hash(anchor: &str, hash: &str) -> bool {
    anchors::anchor_matches_hash(anchor, hash)
}

/// Runs on the passage in the input buffer.
fn with_passage<T>(bytes: usize, run: impl FnOnce(&Passage) -> T) -> T {
    LAST_PASSAGE.with_borrow_mut(|last| {
        if last.as_ref().is_none_or(|passage| !input_is(bytes, passage.source())) {
            *last = Some(Passage::new(input_text(bytes)));
        }
        run(last.get_or_insert_default())
    })
}

#[wasm_bindgen]
pub fn passage_prose(bytes: usize, skip_headings: bool) -> String {
    with_passage(bytes, |passage| passage.prose(skip_headings))
}

#[wasm_bindgen]
pub fn passage_quote(bytes: usize, max_chars: Option<usize>) -> String {
    with_passage(bytes, |passage| passage.quote(max_chars.unwrap_or(DEFAULT_QUOTE_CHARS)))
}

#[wasm_bindgen]
pub fn text_fragment(bytes: usize) -> String {
    with_passage(bytes, Passage::text_fragment)
}

/// Reads the document in the input buffer, for the links into it that follow.
#[wasm_bindgen]
pub fn read_document(bytes: usize) {
    LAST_DOCUMENT.set(Some(Document::new(input_text(bytes))));
}

/// The input holds a passage of the document that was read last.
#[wasm_bindgen]
pub fn text_fragment_in_document(bytes: usize, start: Option<usize>) -> String {
    let passage = input_text(bytes);
    LAST_DOCUMENT.with_borrow_mut(|last| last.get_or_insert_default().text_fragment(&passage, start))
}

#[wasm_bindgen]
pub fn cited_url(url: &str, directive: &str) -> Option<String> {
    anchors::cited_url(url, directive)
}

/// Start and end of every chunk, one behind the other.
#[wasm_bindgen]
pub fn chunk_spans(bytes: usize, max_chars: Option<usize>) -> Result<Vec<usize>, JsValue> {
    let max_chars = max_chars.unwrap_or(DEFAULT_CHUNK_CHARS);
    let spans = anchors::chunk_spans(&input_text(bytes), max_chars)?;
    Ok(spans.into_iter().flat_map(|span| [span.start, span.end]).collect())
}
