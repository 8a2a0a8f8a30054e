//! Extraction at the boundary. The names of the roots stay here between calls: replies come often,
//! roots change seldom.

use super::read::{input_text, input_texts};
use super::write::Packer;
use crate::citations::{
    self, Citation, ExtractOptions, Kind, Mark, Names, Root, extract_with, mark_citations as mark,
};
use crate::text::{ByteSpan, Utf16Converter, Utf16Span, bytes_of_utf16, utf16_len};
use js_sys::Array;
use std::cell::RefCell;
use wasm_bindgen::prelude::*;

thread_local! {
    static NAMES: RefCell<Names> = RefCell::new(Names::new(&[]));
}

/// Sets the roots of the calls that follow: `ends` cuts the input into paths and names by turns.
#[wasm_bindgen]
pub fn set_citation_roots(ends: &[u32]) {
    NAMES.set(Names::new(&roots(ends)));
}

fn roots(ends: &[u32]) -> Vec<Root> {
    let mut texts = input_texts(ends).into_iter();
    let mut roots = Vec::new();
    while let (Some(abs_root), Some(name)) = (texts.next(), texts.next()) {
        roots.push(Root { abs_root, name });
    }
    roots
}

/// The citations of the text in the input, packed.
#[wasm_bindgen]
pub fn extract_citations(bytes: usize, ambiguous_shas: bool) -> Array {
    let text = input_text(bytes);
    let found = NAMES.with_borrow(|names| extract_with(&text, names, &ExtractOptions { ambiguous_shas }));
    let mut units = Utf16Converter::new(&text);
    let mut packer = Packer::default();
    for citation in &found {
        pack(&mut packer, citation, citation.raw(&text), units.span(citation.span));
    }
    packer.finish()
}

/// What follows the head of a packed citation, one bit each behind the three of the kind. The number
/// of its ranges stands in the upper half.
mod has {
    pub const TENTATIVE: usize = 1 << 3;
    /// The path as a cut of `raw`: offset and length.
    pub const PATH_CUT: usize = 1 << 4;
    pub const PATH: usize = 1 << 5;
    pub const COLUMN: usize = 1 << 6;
    pub const END_LINE: usize = 1 << 7;
    pub const END_COLUMN: usize = 1 << 8;
    /// The symbol as a cut of `raw`.
    pub const SYMBOL_CUT: usize = 1 << 9;
    pub const SYMBOL: usize = 1 << 10;
    pub const REPO: usize = 1 << 11;
    /// The rule's id as a cut of `raw`.
    pub const RULE_CUT: usize = 1 << 12;
}

const LINES_SHIFT: usize = 16;

fn pack(packer: &mut Packer, citation: &Citation, raw: &str, units: Utf16Span) {
    let path = Some(citation.path.as_str()).filter(|path| !path.is_empty());
    let path_cut = path.and_then(|path| if raw.starts_with(path) { Some(0) } else { raw.find(path) });
    let symbol = citation.symbol.as_deref();
    // A symbol that introduces its line stands before `raw`.
    let symbol_cut = symbol.filter(|_| citation.kind == Kind::Symbol).and_then(|symbol| {
        if raw.ends_with(symbol) { Some(raw.len() - symbol.len()) } else { raw.rfind(symbol) }
    });
    let rule_cut = citation.rule_id.as_deref().and_then(|id| raw.find(id));
    let flag = |bit: usize, set: bool| if set { bit } else { 0 };
    let kind = Kind::ALL.iter().position(|kind| *kind == citation.kind).unwrap_or_default();
    packer.number(units.start);
    packer.number(units.end);
    packer.number(
        kind | flag(has::TENTATIVE, citation.tentative)
            | flag(has::PATH_CUT, path_cut.is_some())
            | flag(has::PATH, path.is_some() && path_cut.is_none())
            | flag(has::COLUMN, citation.column.is_some())
            | flag(has::END_LINE, citation.end_line.is_some())
            | flag(has::END_COLUMN, citation.end_column.is_some())
            | flag(has::SYMBOL_CUT, symbol_cut.is_some())
            | flag(has::SYMBOL, symbol.is_some() && symbol_cut.is_none())
            | flag(has::REPO, citation.repo.is_some())
            | flag(has::RULE_CUT, rule_cut.is_some())
            | citation.lines.len() << LINES_SHIFT,
    );
    let mut cut_or_text = |at: Option<usize>, text: Option<&str>| match (at, text) {
        (Some(at), Some(text)) => {
            packer.number(utf16_len(raw.get(..at).unwrap_or("")));
            packer.number(utf16_len(text));
        }
        (None, Some(text)) => packer.text(text),
        (_, None) => {}
    };
    cut_or_text(path_cut, path);
    cut_or_text(symbol_cut, symbol);
    cut_or_text(rule_cut, citation.rule_id.as_deref());
    cut_or_text(None, citation.repo.as_deref());
    let numbers = [citation.line, citation.column, citation.end_line, citation.end_column];
    for number in numbers.into_iter().flatten() {
        packer.number(number as usize);
    }
    for (first, last) in &citation.lines {
        packer.number(*first as usize);
        packer.number(*last as usize);
    }
}

/// The rule ids of the text in the input, packed.
#[wasm_bindgen]
pub fn extract_rule_citations(bytes: usize) -> Array {
    let mut packer = Packer::default();
    for id in citations::extract_rule_citations(&input_text(bytes)) {
        packer.text(&id);
    }
    packer.finish()
}

/// The aliases of the root in the input, path and name, packed.
#[wasm_bindgen]
pub fn repo_aliases(ends: &[u32]) -> Array {
    let mut packer = Packer::default();
    for alias in roots(ends).iter().flat_map(citations::repo_aliases) {
        packer.text(&alias);
    }
    packer.finish()
}

/// Cuts a text at its citations. `ends` cuts the input into the text and, for each mark, its raw text
/// and its symbol; `places` holds for each mark its kind, whether it has a symbol, start and end in
/// UTF-16 units. Packed: the end of each piece and the index of its mark.
#[wasm_bindgen]
pub fn mark_citations(ends: &[u32], places: &[u32]) -> Array {
    let mut texts = input_texts(ends).into_iter();
    let text = texts.next().unwrap_or_default();
    let place = |index: usize| places.get(index).map_or(usize::MAX, |place| *place as usize);
    let units: Vec<usize> =
        (0..places.len() / 4).flat_map(|mark| [place(mark * 4 + 2), place(mark * 4 + 3)]).collect();
    let bytes = bytes_of_utf16(&text, &units);
    let byte = |index: usize| bytes.get(index).copied().flatten();
    let mut marks = Vec::new();
    while let (Some(raw), Some(symbol)) = (texts.next(), texts.next()) {
        let index = marks.len();
        marks.push(Mark {
            kind: Kind::ALL.get(place(index * 4)).copied().unwrap_or(Kind::Path),
            raw,
            symbol: (place(index * 4 + 1) == 1).then_some(symbol),
            span: byte(index * 2).zip(byte(index * 2 + 1)).map(|(start, end)| ByteSpan::new(start, end)),
        });
    }
    let mut converter = Utf16Converter::new(&text);
    let mut packer = Packer::default();
    for segment in mark(&text, &marks) {
        packer.number(converter.offset(segment.span.end));
        packer.optional(segment.mark);
    }
    packer.finish()
}

/// A stream; its roots are those set when it was made.
#[wasm_bindgen]
pub struct CitationStreamHandle(citations::CitationStream);

#[wasm_bindgen]
impl CitationStreamHandle {
    #[wasm_bindgen(constructor)]
    pub fn new(ambiguous_shas: bool) -> CitationStreamHandle {
        let names = NAMES.with_borrow(Names::clone);
        CitationStreamHandle(citations::CitationStream::new(names, ExtractOptions { ambiguous_shas }))
    }

    /// Takes the piece in the input; the citations packed, each behind its raw text.
    pub fn feed(&mut self, bytes: usize) -> Array {
        packed(&self.0.feed(&input_text(bytes)))
    }

    /// Ends the text; as [`feed`](Self::feed).
    pub fn finish(&mut self) -> Array {
        packed(&self.0.finish())
    }
}

fn packed(found: &[citations::StreamedCitation]) -> Array {
    let mut packer = Packer::default();
    for streamed in found {
        packer.text(&streamed.raw);
        pack(&mut packer, &streamed.citation, &streamed.raw, streamed.units);
    }
    packer.finish()
}
