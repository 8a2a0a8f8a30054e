//! Verification at the boundary: a promise of the packed items, and JavaScript's deps as a [`Host`].

use super::host::ask;
use super::read::{input_text, input_texts};
use super::write::Packer;
use crate::citations::{
    CommitCheck, ExtractOptions, Host, Kind, Root, Status, VerifyOptions, verify_citations as verify,
};
use crate::limits::{MAX_CITED_FILE_BYTES, MAX_LISTING_BYTES};
use crate::text::Utf16Converter;
use js_sys::{Array, Function, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;

/// `ends` cuts the input into the text, the paths of `root_count` roots, their names, and the ids of
/// the rules in force. `host` has the methods of the facade's adapter.
#[wasm_bindgen]
pub fn verify_citations(
    ends: &[u32],
    root_count: usize,
    rules_known: bool,
    max_items: usize,
    budget_ms: u32,
    ambiguous_shas: bool,
    host: JsValue,
) -> Promise {
    // The input is taken before the first wait: the buffer is everybody's.
    let mut texts = input_texts(ends).into_iter();
    let text = texts.next().unwrap_or_default();
    let paths: Vec<String> = texts.by_ref().take(root_count).collect();
    let names: Vec<String> = texts.by_ref().take(root_count).collect();
    let roots: Vec<Root> =
        paths.into_iter().zip(names).map(|(abs_root, name)| Root { abs_root, name }).collect();
    let options = VerifyOptions {
        rule_ids: rules_known.then(|| texts.collect()),
        max_items,
        budget_ms,
        extract: ExtractOptions { ambiguous_shas },
    };
    future_to_promise(async move {
        let items = verify(&text, &roots, &JsHost(host), &options).await;
        let mut packer = Packer::default();
        for status in Status::ALL {
            packer.number(items.iter().filter(|(_, verdict)| verdict.status == status).count());
        }
        let mut units = Utf16Converter::new(&text);
        for (citation, verdict) in &items {
            packer.text(citation.raw(&text));
            packer.number(place_of(&Kind::ALL, &citation.kind));
            packer.number(place_of(&Status::ALL, &verdict.status));
            let span = units.span(citation.span);
            packer.number(span.start);
            packer.number(span.end);
            packer.optional_text(citation.symbol.as_deref());
            packer.optional_text(verdict.resolved.as_deref());
            packer.optional_text(verdict.note.as_deref());
            packer.optional(verdict.root);
            packer.optional_text(verdict.file.as_deref());
        }
        Ok(packer.finish().into())
    })
}

fn place_of<T: PartialEq>(all: &[T], value: &T) -> usize {
    all.iter().position(|other| other == value).unwrap_or_default()
}

struct JsHost(JsValue);

impl JsHost {
    async fn ask_about(&self, method: &str, subject: &str) -> Option<JsValue> {
        ask(&self.0, method, &Array::of1(&JsValue::from_str(subject))).await
    }

    /// A text, or texts with `separator` between them, through the input buffer; `None` for what is
    /// neither or has more than `most` units.
    fn take(&self, answer: &JsValue, separator: &str, most: usize) -> Option<String> {
        let take: Function = Reflect::get(&self.0, &JsValue::from_str("take")).ok()?.dyn_into().ok()?;
        let most = JsValue::from_f64(most as f64);
        let bytes = take.call3(&self.0, answer, &JsValue::from_str(separator), &most).ok()?.as_f64()?;
        Some(input_text(bytes as usize))
    }
}

impl Host for JsHost {
    async fn now(&self) -> Option<f64> {
        ask(&self.0, "now", &Array::new()).await?.as_f64()
    }

    async fn file_exists(&self, path: &str) -> Option<bool> {
        self.ask_about("fileExists", path).await?.as_bool()
    }

    async fn read_text(&self, path: &str) -> Option<String> {
        let answer = self.ask_about("read", path).await?;
        self.take(&answer, "\n", MAX_CITED_FILE_BYTES)
    }

    async fn list_files(&self, root: &str) -> Option<String> {
        let answer = self.ask_about("list", root).await?;
        self.take(&answer, "\0", MAX_LISTING_BYTES)
    }

    async fn commits_exist(&self, root: &str, shas: &[&str]) -> Option<Vec<CommitCheck>> {
        let names: Array = shas.iter().map(|sha| JsValue::from_str(sha)).collect();
        let answer = ask(&self.0, "commits", &Array::of2(&JsValue::from_str(root), &names)).await?;
        let answers: Vec<JsValue> = answer.dyn_into::<Array>().ok()?.to_vec();
        Some(answers.iter().map(check_of).collect())
    }

    fn answers_commits_together(&self) -> bool {
        Reflect::get(&self.0, &JsValue::from_str("together")).is_ok_and(|together| together.is_truthy())
    }
}

fn check_of(answer: &JsValue) -> CommitCheck {
    match answer.as_string().as_deref() {
        Some("present") => CommitCheck::Present,
        Some("absent") => CommitCheck::Absent,
        _ => CommitCheck::Error,
    }
}
