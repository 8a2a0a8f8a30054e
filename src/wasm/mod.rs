//! The boundary: the only module that knows JavaScript. One file a part; `read` and `write` carry
//! text and results, `host` calls back.

#![allow(missing_docs, unsafe_code)]

mod anchors;
mod citations;
mod document_index;
mod error;
mod gate;
mod gate_commands;
mod host;
mod ledger;
mod limits;
mod read;
mod resolve;
mod transcripts;
mod verify;
mod write;

use wasm_bindgen::prelude::*;

#[wasm_bindgen(start)]
fn start() {
    console_error_panic_hook::set_once();
}
