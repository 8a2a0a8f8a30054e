//! Anchors: quotes and links that land on the passage.
//!
//! A [`Passage`] is a piece of a markdown document: it gives the words a reader sees, a quote of
//! them, and the part of a URL that makes a browser show them, which a [`Document`] makes unique. An
//! anchor binds offsets to one version of the text.

mod anchor;
mod blocks;
mod chunk;
mod cut;
mod fold;
mod fragment;
mod html;
pub mod index;
mod prose;
pub mod relocate;
pub mod resolve;
mod search;
mod url;

pub use anchor::{
    ANCHOR_HASH_DIGITS, CitationAnchor, SPAN_TAG_PREFIX, anchor_matches_hash, citation_anchor,
    parse_citation_anchor, parse_span_tag, span_tag,
};
pub use chunk::chunk_spans;
pub use url::cited_url;

use crate::text::{ByteSpan, byte_of_utf16};
use blocks::Page;
use fragment::Known;

/// A document read once for any number of links into it.
#[derive(Debug, Clone, Default)]
pub struct Document {
    source: String,
    page: Page,
}

impl Document {
    /// Reads markdown.
    pub fn new(source: impl Into<String>) -> Self {
        let source = source.into();
        let page = Page::read(&source);
        Document { source, page }
    }

    /// The text it was read from.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The text fragment of a passage of this document. `start` (UTF-16 units) says which, when its
    /// words occur more than once; a passage that is not in the document is linked by its own words.
    /// *Bounds*: `MAX_FRAGMENT_BYTES`. Empty when there are no words.
    pub fn text_fragment(&self, passage: &str, start: Option<usize>) -> String {
        match self.place(passage, start) {
            Some(span) => fragment::fragment(&self.page, span, Known::Page),
            None => text_fragment(passage),
        }
    }

    fn place(&self, passage: &str, start: Option<usize>) -> Option<ByteSpan> {
        let own = prose::without_context(passage);
        let own = own.trim();
        if own.is_empty() {
            return None;
        }
        let start = start.and_then(|unit| byte_of_utf16(&self.source, unit));
        let at = |text: &str, byte: usize| {
            self.source
                .get(byte..)
                .is_some_and(|rest| rest.starts_with(text))
                .then(|| ByteSpan::new(byte, byte + text.len()))
        };
        let exact = start.and_then(|byte| at(passage, byte));
        exact.or_else(|| {
            let near = start.unwrap_or(0);
            let finder = memchr::memmem::Finder::new(own.as_bytes());
            let source = self.source.as_bytes();
            let after = source.get(near..).and_then(|rest| finder.find(rest)).map(|found| found + near);
            after.or_else(|| finder.find(source)).map(|byte| ByteSpan::new(byte, byte + own.len()))
        })
    }
}

/// A passage known by its own words only, read once for its prose, its quote and its link.
#[derive(Debug, Clone, Default)]
pub struct Passage {
    source: String,
    page: Page,
    /// Where the passage lies in the text that was read, which [`cut::mended`] made.
    span: ByteSpan,
}

impl Passage {
    /// Reads markdown. Lines that start with `§ ` (the context a chunker writes above a chunk) are
    /// dropped.
    pub fn new(source: impl Into<String>) -> Self {
        let source = source.into();
        let own = prose::without_context(&source);
        let (text, span) = cut::mended(&own);
        let page = Page::read(&text);
        Passage { page, span, source }
    }

    /// The text it was read from.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The passage as one line of text: markdown gone, white space collapsed. With `skip_headings`,
    /// headings too, unless there is nothing else.
    pub fn prose(&self, skip_headings: bool) -> String {
        prose::prose_of(&self.page, skip_headings)
    }

    /// The head of the passage's prose, at most `max_chars` UTF-16 units: whole sentences where they
    /// fill a third of that, else whole words and an ellipsis, never part of a grapheme. Headings are
    /// no part of a sentence and left out unless there is nothing else.
    pub fn quote(&self, max_chars: usize) -> String {
        prose::quote_of(&self.prose(true), max_chars)
    }

    /// The text fragment: `:~:text=` and what to search for. One plain paragraph of up to 16 words is
    /// one term, a longer one its first and last eight words.
    /// *Bounds*: `MAX_FRAGMENT_BYTES`. Empty when there are no words.
    pub fn text_fragment(&self) -> String {
        fragment::fragment(&self.page, self.span, Known::Passage)
    }
}

/// [`Passage::prose`] of a passage read for nothing else.
pub fn passage_prose(passage: &str, skip_headings: bool) -> String {
    Passage::new(passage).prose(skip_headings)
}

/// [`Passage::quote`] of a passage read for nothing else.
pub fn passage_quote(passage: &str, max_chars: usize) -> String {
    Passage::new(passage).quote(max_chars)
}

/// [`Passage::text_fragment`] of a passage read for nothing else.
pub fn text_fragment(passage: &str) -> String {
    Passage::new(passage).text_fragment()
}
