//! The document index at the boundary: a handle over the index as read, extended by the facade
//! when the storage has grown and rebuilt when the engine was restarted.

use super::read::{input_bytes, input_text, input_texts};
use crate::anchors::index::{Index, Version};
use crate::error::Error;
use js_sys::Array;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
pub struct DocumentIndexReader(Index);

#[wasm_bindgen]
impl DocumentIndexReader {
    /// An empty index.
    #[wasm_bindgen(constructor)]
    #[allow(clippy::new_without_default)]
    pub fn new() -> DocumentIndexReader {
        DocumentIndexReader(Index::default())
    }

    /// Reads on, as [`Index::extend`] does, in the input buffer.
    pub fn extend(&mut self, bytes: usize) -> usize {
        self.0.extend(&input_bytes(bytes))
    }

    /// The newest version of the document as JSON.
    pub fn find(&self, target: &str, scope: Option<String>) -> Option<String> {
        self.0.find(target, scope.as_deref()).map(json)
    }

    /// Every version of a document as JSON, oldest first.
    pub fn versions(&self, doc_id: &str) -> Vec<String> {
        self.0.versions(doc_id).map(json).collect()
    }

    /// The newest version of every document as JSON.
    pub fn documents(&self) -> Vec<String> {
        self.0.documents().into_iter().map(json).collect()
    }

    /// Rows of line number and reason.
    pub fn damage(&self) -> Array {
        let rows = self.0.damage().iter();
        rows.map(|&(line, damage)| {
            JsValue::from(Array::of2(&JsValue::from_f64(line as f64), &damage.as_str().into()))
        })
        .collect()
    }

    /// The input holds path, scope, provenance (JSON or empty) and text; answers the version as JSON
    /// and whether it is new.
    pub fn next_version(&self, ends: &[u32], at: f64, chunk_units: Option<usize>) -> Result<Array, JsValue> {
        let texts = input_texts(ends);
        let [path, scope, provenance, text] = texts.as_slice() else {
            return Err(Error::invalid("text", "four texts are needed").into());
        };
        let provenance = match provenance.as_str() {
            "" => None,
            given => Some(serde_json::from_str(given).map_err(|_| {
                Error::invalid("provenance", "provenance must be an object of plain values.")
            })?),
        };
        let chunk_units = chunk_units.unwrap_or(crate::limits::DEFAULT_CHUNK_CHARS);
        let (version, is_new) = self.0.next_version(path, scope, text, at, chunk_units, provenance)?;
        Ok(Array::of2(&json(&version).into(), &is_new.into()))
    }
}

/// SHA-256 of the text in the input buffer, lower-case hex.
#[wasm_bindgen]
pub fn content_hash(bytes: usize) -> String {
    crate::text::sha256_hex(&input_text(bytes))
}

fn json(version: &Version) -> String {
    // Plain data under string keys cannot fail to serialise.
    serde_json::to_string(version).unwrap_or_default()
}
