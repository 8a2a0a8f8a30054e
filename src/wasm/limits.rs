//! `LIMITS` for the facade.

use super::write::Packer;
use crate::limits::LIMITS;
use wasm_bindgen::prelude::*;

/// Every bound as packed rows of name, value, reason.
#[wasm_bindgen]
pub fn limits() -> js_sys::Array {
    let mut packer = Packer::default();
    for limit in LIMITS {
        packer.text(limit.name);
        packer.number(limit.value as usize);
        packer.text(limit.reason);
    }
    packer.finish()
}
