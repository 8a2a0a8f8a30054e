//! `resolveCitation` at the boundary: the caller's library behind the core's `Library`.

use super::host::ask;
use super::write::Packer;
use crate::anchors::resolve::{Answer, Library, Request, Standing, resolve};
use crate::text::Utf16Span;
use js_sys::{Array, JsString, Reflect};
use std::cell::RefCell;
use wasm_bindgen::prelude::*;

/// Finds a passage again; answers `[document, text, packed]`, where `text` is the very string the
/// library extracted.
#[wasm_bindgen]
pub async fn resolve_citation(
    library: JsValue,
    target: String,
    chunk_index: Option<usize>,
    anchor: Option<String>,
    quote: Option<String>,
    prefix: Option<String>,
    suffix: Option<String>,
) -> Result<Array, JsValue> {
    let library = JsLibrary { library, text: RefCell::new(JsString::from("")) };
    let request = Request { chunk_index, anchor, quote, prefix, suffix };
    let resolved = resolve(&library, &target, &request).await?;
    let mut packer = Packer::default();
    packer.text(&resolved.content_hash);
    packer.text(&resolved.anchor);
    packer.text(&resolved.passage);
    packer.text(&resolved.quote);
    packer.optional(resolved.chunk_index);
    packer.number(resolved.span.start);
    packer.number(resolved.span.end);
    let (standing, number, method) = match resolved.standing {
        Standing::Current => ("current", 0.0, ""),
        Standing::Stale => ("stale", 0.0, ""),
        Standing::Relocated { score, method } => ("relocated", score, method.as_str()),
        Standing::Ambiguous(count) => ("ambiguous", count as f64, ""),
        Standing::Gone => ("gone", 0.0, ""),
    };
    packer.text(standing);
    packer.text(method);
    let (text, document) = (library.text.into_inner(), resolved.document);
    Ok(Array::of4(&document, &text, &packer.finish(), &JsValue::from_f64(number)))
}

struct JsLibrary {
    library: JsValue,
    text: RefCell<JsString>,
}

impl JsLibrary {
    /// `Ok(None)` when the method is not offered or answers nothing.
    async fn optional(&self, method: &str, arguments: &Array) -> Answer<Option<JsValue>> {
        let offered = Reflect::get(&self.library, &JsValue::from_str(method)).map_err(|_| ())?;
        if offered.is_undefined() || offered.is_null() {
            return Ok(None);
        }
        let answer = ask(&self.library, method, arguments).await.ok_or(())?;
        Ok(Some(answer).filter(|answer| !answer.is_undefined() && !answer.is_null()))
    }
}

impl Library for JsLibrary {
    type Document = JsValue;

    async fn find_document(&self, target: &str) -> Answer<Option<JsValue>> {
        let answer = self.optional("findDocument", &Array::of1(&JsValue::from_str(target))).await?;
        match answer {
            Some(document) if !document.is_object() => Err(()),
            answer => Ok(answer),
        }
    }

    async fn extract_text(&self, document: &JsValue) -> Answer<Option<String>> {
        let Some(answer) = self.optional("extractText", &Array::of1(document)).await? else {
            return Ok(None);
        };
        let text: JsString = answer.dyn_into().map_err(|_| ())?;
        let copy = String::from(&text);
        self.text.replace(text);
        Ok(Some(copy))
    }

    async fn chunk_spans(&self, document: &JsValue, _: &str) -> Answer<Option<Vec<Utf16Span>>> {
        let text: JsValue = self.text.borrow().clone().into();
        let Some(answer) = self.optional("chunkSpans", &Array::of2(document, &text)).await? else {
            return Ok(None);
        };
        let rows: Array = answer.dyn_into().map_err(|_| ())?;
        rows.iter()
            .map(|row| Ok(Utf16Span { start: offset(&row, "startChar")?, end: offset(&row, "endChar")? }))
            .collect::<Answer<_>>()
            .map(Some)
    }

    async fn older_text(&self, document: &JsValue, hash_prefix: &str) -> Answer<Option<String>> {
        let arguments = Array::of2(document, &JsValue::from_str(hash_prefix));
        let Some(answer) = self.optional("olderText", &arguments).await? else { return Ok(None) };
        answer.as_string().map(Some).ok_or(())
    }
}

fn offset(row: &JsValue, name: &str) -> Answer<usize> {
    let number =
        Reflect::get(row, &JsValue::from_str(name)).ok().and_then(|value| value.as_f64()).ok_or(())?;
    let whole = number >= 0.0 && number.fract() == 0.0 && number < f64::from(u32::MAX);
    if whole { Ok(number as usize) } else { Err(()) }
}
