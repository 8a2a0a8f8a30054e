//! Transcripts at the boundary.

use super::read::{Texts, input_text, input_texts};
use super::write::Packer;
use crate::collections::StringMap;
use crate::error::Error;
use crate::transcripts::fence::{self, DecisionFence};
use crate::transcripts::file;
use crate::transcripts::fold::{self, Entry};
use crate::transcripts::host_paths::{self, HostPaths, Root, Spelling};
use crate::transcripts::reader::Reader;
use crate::transcripts::record::{Counts, Stamp};
use crate::transcripts::recorder::{Append, Recorder};
use js_sys::{Array, Uint8Array};
use wasm_bindgen::prelude::*;

/// Path and name by turns, from the text with this index on.
fn roots(texts: &Texts<'_>, index: usize) -> Vec<Root> {
    let mut rest = texts.from(index).map(str::to_owned);
    let mut roots = Vec::new();
    while let (Some(path), Some(name)) = (rest.next(), rest.next()) {
        roots.push(Root { path, name });
    }
    roots
}

/// Joins the halves of a surrogate pair that two pieces of a stream were split between. The facade
/// takes a leading low and a trailing high half off a piece, since neither can be encoded.
#[derive(Default)]
struct Halves {
    high: Option<u32>,
}

impl Halves {
    /// The whole piece; `None` when it is `text` as it is.
    fn join(&mut self, low: u32, text: &str, high: u32) -> Option<String> {
        let before = self.high.take();
        if before.is_none() && low == 0 && high == 0 {
            return None;
        }
        if before.is_some() && low == 0 && text.is_empty() && high == 0 {
            self.high = before;
            return None;
        }
        let mut joined = String::with_capacity(text.len() + 4);
        match (before, low) {
            (Some(before), 1..) => {
                let scalar = 0x10000 + ((before - 0xD800) << 10) + (low - 0xDC00);
                joined.push(char::from_u32(scalar).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            (Some(_), 0) | (None, 1..) => joined.push(char::REPLACEMENT_CHARACTER),
            (None, 0) => {}
        }
        joined.push_str(text);
        self.high = (high != 0).then_some(high);
        Some(joined)
    }

    fn finish(&mut self) -> &'static str {
        self.high.take().map_or("", |_| "\u{FFFD}")
    }
}

/// `[path, line, onlyToExisting]`, or `undefined` when nothing is to be appended.
fn append(append: Option<Append>) -> Option<Array> {
    let Append { path, line, only_to_existing } = append?;
    Some(Array::of3(&path.into(), &Uint8Array::from(line.as_bytes()), &only_to_existing.into()))
}

fn text_or_undefined(text: Option<String>) -> JsValue {
    text.map_or(JsValue::UNDEFINED, JsValue::from)
}

/// The state of one store.
#[wasm_bindgen]
pub struct TranscriptRecorder {
    recorder: Recorder,
    /// By chat, then by seat: the turn and what is held of it.
    halves: StringMap<StringMap<(String, Halves)>>,
}

#[wasm_bindgen]
impl TranscriptRecorder {
    /// Texts: directory, marker.
    #[wasm_bindgen(constructor)]
    pub fn new(ends: &[u32]) -> Result<TranscriptRecorder, Error> {
        let texts = Texts::new(ends);
        let recorder = Recorder::new(texts.at(0), texts.at(1))?;
        Ok(TranscriptRecorder { recorder, halves: StringMap::default() })
    }

    /// The input is the id.
    pub fn path(&self, bytes: usize) -> Option<String> {
        self.recorder.path(&input_text(bytes))
    }

    /// Texts: id, then path and name of each root.
    pub fn register_roots(&mut self, ends: &[u32]) {
        let texts = Texts::new(ends);
        self.recorder.register_roots(texts.at(0), &roots(&texts, 1));
    }

    /// Texts: id, turn, text, attachments, seats.
    pub fn user(&mut self, ends: &[u32], at: f64, has_attachments: bool) -> Result<Option<Array>, Error> {
        let texts = Texts::new(ends);
        let attachments = has_attachments.then(|| texts.at(3));
        let stamp = stamp(at, texts.at(1));
        let line = self.recorder.user(
            texts.at(0),
            stamp,
            texts.at(2),
            &texts.from(4).collect::<Vec<_>>(),
            attachments,
        )?;
        Ok(append(line))
    }

    /// Texts: id, turn, text.
    pub fn system(&mut self, ends: &[u32], at: f64) -> Option<Array> {
        let texts = Texts::new(ends);
        append(self.recorder.system(texts.at(0), stamp(at, texts.at(1)), texts.at(2)))
    }

    /// Texts: id, turn, seat, text, usage.
    pub fn seat(&mut self, ends: &[u32], at: f64, ok: bool) -> Option<Array> {
        let texts = Texts::new(ends);
        let stamp = stamp(at, texts.at(1));
        append(self.recorder.seat(texts.at(0), stamp, texts.at(2), texts.at(3), ok, texts.at(4)))
    }

    /// Texts: id, turn, seat, items.
    pub fn citations(
        &self,
        ends: &[u32],
        at: f64,
        verified: u32,
        unverifiable: u32,
        corrected: u32,
        unchecked: u32,
    ) -> Result<Option<Array>, Error> {
        let texts = Texts::new(ends);
        let counts = Counts { verified, unverifiable, corrected, unchecked };
        let stamp = stamp(at, texts.at(1));
        Ok(append(self.recorder.citations(texts.at(0), stamp, texts.at(2), counts, texts.at(3))?))
    }

    /// Texts: id, turn, items.
    pub fn decisions(&self, ends: &[u32], at: f64) -> Result<Option<Array>, Error> {
        let texts = Texts::new(ends);
        Ok(append(self.recorder.decisions(texts.at(0), stamp(at, texts.at(1)), texts.at(2))?))
    }

    /// Texts: id, seat, text. `undefined`: the text stays as it is.
    pub fn reply(&mut self, ends: &[u32]) -> Option<String> {
        let texts = Texts::new(ends);
        if let Some(seats) = self.halves.get_mut(texts.at(0)) {
            seats.remove(texts.at(1));
        }
        self.recorder.reply(texts.at(0), texts.at(1), texts.at(2))
    }

    /// Texts: id, seat, turn, text; with the halves of pairs taken off. `undefined`: as it is.
    pub fn delta(&mut self, ends: &[u32], low: u32, high: u32) -> Option<String> {
        let texts = Texts::new(ends);
        let join = |(turn, halves): &mut (String, Halves)| {
            if turn != texts.at(2) {
                *turn = texts.at(2).to_owned();
                *halves = Halves::default();
            }
            halves.join(low, texts.at(3), high)
        };
        let joined = self.halves.change(texts.at(0), |seats| seats.change(texts.at(1), join));
        let text = joined.as_deref().unwrap_or_else(|| texts.at(3));
        let out = self.recorder.delta(texts.at(0), texts.at(1), texts.at(2), text);
        out.or(joined)
    }

    /// Texts: id, seat.
    pub fn take_block(&mut self, ends: &[u32]) -> Option<String> {
        let texts = Texts::new(ends);
        self.recorder.take_block(texts.at(0), texts.at(1))
    }

    /// The input is the id; the path of the file to remove.
    pub fn drop_chat(&mut self, bytes: usize) -> Option<String> {
        let id = input_text(bytes);
        self.halves.remove(&id);
        self.recorder.drop_chat(&id)
    }
}

fn stamp(at: f64, turn_id: &str) -> Stamp<'_> {
    Stamp { at: at.floor() as i64, turn_id }
}

/// Texts: how many names (decimal), the names, the retained ids. Indices of the names to remove.
#[wasm_bindgen]
pub fn transcript_orphans(ends: &[u32], names: usize) -> Vec<u32> {
    let texts = input_texts(ends);
    let (names, retained) = texts.split_at(names.min(texts.len()));
    file::orphans(names, retained).into_iter().filter_map(|index| u32::try_from(index).ok()).collect()
}

/// Reads one transcript; see [`Reader`].
#[wasm_bindgen]
#[derive(Default)]
pub struct TranscriptReader(Reader);

#[wasm_bindgen]
impl TranscriptReader {
    #[wasm_bindgen(constructor)]
    pub fn new() -> TranscriptReader {
        TranscriptReader::default()
    }

    /// Where in memory the next bytes of the file go: address and length.
    pub fn space(&mut self) -> Vec<u32> {
        place(self.0.space())
    }

    /// Address and length of the JSON text of the records that are whole now.
    pub fn take(&mut self, read: usize) -> Vec<u32> {
        place(self.0.take(read))
    }

    /// How many places of damage there were.
    pub fn skipped_total(&self) -> f64 {
        self.0.skipped_total() as f64
    }

    /// Line, offset and length of each place.
    pub fn skipped_places(&self) -> Vec<f64> {
        let places = self.0.skipped().iter();
        places.flat_map(|skipped| [skipped.line, skipped.offset, skipped.length]).map(|n| n as f64).collect()
    }

    /// The reason of each place.
    pub fn skipped_reasons(&self) -> Array {
        let mut packer = Packer::default();
        for skipped in self.0.skipped() {
            packer.text(skipped.damage.as_str());
        }
        packer.finish()
    }
}

fn place(bytes: &[u8]) -> Vec<u32> {
    vec![bytes.as_ptr() as u32, bytes.len() as u32]
}

/// Texts: turn and seat of each record, then the kinds. Packed turns: user, then counted lists of
/// system, replies with their verdicts, decisions, unattached verdicts.
#[wasm_bindgen]
pub fn transcript_fold(ends: &[u32]) -> Array {
    let texts = input_texts(ends);
    let entries: Vec<Entry<'_>> = texts
        .chunks_exact(3)
        .filter_map(|entry| match entry {
            [kind, turn_id, cli_key] => Some(Entry { kind, turn_id, cli_key }),
            _ => None,
        })
        .collect();
    let mut packer = Packer::default();
    for turn in fold::fold(&entries) {
        packer.optional(turn.user);
        for list in [&turn.system, &turn.decisions, &turn.unattached] {
            packer.number(list.len());
            list.iter().for_each(|&index| packer.number(index));
        }
        packer.number(turn.replies.len());
        for (reply, verdicts) in turn.replies {
            packer.number(reply);
            packer.optional(verdicts);
        }
    }
    packer.finish()
}

fn spelling(windows: Option<bool>) -> Spelling {
    match windows {
        None => Spelling::ByRoot,
        Some(true) => Spelling::Windows,
        Some(false) => Spelling::Posix,
    }
}

/// Texts: text, then path and name of each root. `undefined`: the text stays as it is.
#[wasm_bindgen]
pub fn rewrite_host_paths(ends: &[u32], windows: Option<bool>) -> Option<String> {
    let texts = Texts::new(ends);
    match HostPaths::new(&roots(&texts, 1), spelling(windows)).rewrite(texts.at(0)) {
        std::borrow::Cow::Borrowed(_) => None,
        std::borrow::Cow::Owned(text) => Some(text),
    }
}

/// Texts: path, name and resolved path of each root, the last empty when it could not be resolved.
#[wasm_bindgen]
pub fn root_aliases(ends: &[u32]) -> Array {
    let texts = input_texts(ends);
    let mut roots = Vec::new();
    let mut resolved = Vec::new();
    for root in texts.chunks_exact(3) {
        if let [path, name, real] = root {
            roots.push(Root { path: path.clone(), name: name.clone() });
            resolved.push((!real.is_empty()).then(|| real.clone()));
        }
    }
    let mut packer = Packer::default();
    for root in host_paths::with_aliases(&roots, &resolved) {
        packer.text(&root.path);
        packer.text(&root.name);
    }
    packer.finish()
}

/// Texts: text, marker. `[text, block]`, the text `undefined` when it stays as it is.
#[wasm_bindgen]
pub fn cut_decisions(ends: &[u32]) -> Result<Array, Error> {
    let texts = Texts::new(ends);
    check_marker(texts.at(1))?;
    let cut = fence::cut(texts.at(0), texts.at(1));
    let text = match cut.text {
        std::borrow::Cow::Borrowed(_) => None,
        std::borrow::Cow::Owned(text) => Some(text),
    };
    Ok(Array::of2(&text_or_undefined(text), &text_or_undefined(cut.block)))
}

fn check_marker(marker: &str) -> Result<(), Error> {
    Recorder::new("", marker).map(drop)
}

/// The stream filter.
#[wasm_bindgen]
pub struct DecisionFilter {
    fence: DecisionFence,
    halves: Halves,
}

#[wasm_bindgen]
impl DecisionFilter {
    /// The input is the marker.
    #[wasm_bindgen(constructor)]
    pub fn new(bytes: usize) -> Result<DecisionFilter, Error> {
        let marker = input_text(bytes);
        check_marker(&marker)?;
        Ok(DecisionFilter { fence: DecisionFence::new(&marker), halves: Halves::default() })
    }

    /// The input is the piece, with the halves of pairs taken off.
    pub fn push(&mut self, bytes: usize, low: u32, high: u32) -> String {
        let text = input_text(bytes);
        let joined = self.halves.join(low, &text, high);
        self.fence.push(joined.as_deref().unwrap_or(&text))
    }

    pub fn finish(&mut self) -> String {
        let mut out = self.fence.push(self.halves.finish());
        out.push_str(&self.fence.finish());
        out
    }

    pub fn take_block(&mut self) -> Option<String> {
        self.fence.take_block()
    }

    pub fn held(&self) -> usize {
        self.fence.held() + usize::from(self.halves.high.is_some())
    }
}
