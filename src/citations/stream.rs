//! Citations of a text that is still being written.

use super::citation::{Citation, ExtractOptions};
use super::extract::{Claim, Claims, LOOK_AHEAD, LOOK_BACK, Scanner};
use super::names::Names;
use crate::text::{ByteSpan, Utf16Converter, Utf16Span};

/// Takes a text in pieces and gives each citation as soon as it cannot change. For every way to cut
/// a text the citations are those of [`extract_with`](super::extract_with), their repeats apart.
///
/// *Bounds*: holds back at most the last line, and of a long line its last few thousand bytes; keeps
/// no more of the text than that.
#[derive(Debug)]
pub struct CitationStream {
    names: Names,
    options: ExtractOptions,
    scanner: Scanner,
    claims: Claims,
    /// The part of the text that is still needed, and how much came before it.
    window: String,
    before: Utf16Span,
    /// Where in the window to go on, and up to where nothing can change any more.
    at: usize,
    safe: usize,
}

/// A citation of a stream: the window it was found in is gone by the time it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamedCitation {
    /// The citation; its span is that in the whole text, in bytes.
    pub citation: Citation,
    /// The citation exactly as it stands in the text.
    pub raw: String,
    /// Its span in the whole text, in UTF-16 units.
    pub units: Utf16Span,
}

/// Bytes that must have become safe before the text is read on: deltas are often single words.
const STEP: usize = 256;

impl CitationStream {
    /// A stream at the beginning of a text.
    pub fn new(names: Names, options: ExtractOptions) -> Self {
        CitationStream {
            names,
            options,
            scanner: Scanner::default(),
            claims: Claims::default(),
            window: String::new(),
            before: Utf16Span::default(),
            at: 0,
            safe: 0,
        }
    }

    /// Takes the next piece and returns the citations that are certain now and were not before.
    pub fn feed(&mut self, delta: &str) -> Vec<StreamedCitation> {
        let line = memchr::memrchr(b'\n', delta.as_bytes()).map_or(0, |at| self.window.len() + at + 1);
        self.window.push_str(delta);
        let mut long = self.window.len().saturating_sub(LOOK_AHEAD);
        while !self.window.is_char_boundary(long) {
            long -= 1;
        }
        if line > self.safe || long >= self.safe + STEP {
            self.safe = line.max(long);
            return self.read(self.safe);
        }
        Vec::new()
    }

    /// Ends the text and returns its last citations. The stream is then at the beginning of a new one.
    pub fn finish(&mut self) -> Vec<StreamedCitation> {
        let found = self.read(self.window.len());
        let names = std::mem::replace(&mut self.names, Names::new(&[]));
        *self = CitationStream::new(names, self.options);
        found
    }

    fn read(&mut self, safe: usize) -> Vec<StreamedCitation> {
        let mut found = Vec::new();
        let (window, claims) = (self.window.as_str(), &mut self.claims);
        self.at = self.scanner.advance(window, self.at, safe, &self.names, &self.options, &mut |citation| {
            if claims.seen(window, &citation) == Claim::New {
                found.push(citation);
            }
        });
        let mut converter = Utf16Converter::new(window);
        let before = self.before;
        let streamed = found.into_iter().map(|mut citation| {
            let raw = citation.raw(window).to_owned();
            let units = converter.span(citation.span);
            citation.span =
                ByteSpan::new(citation.span.start + before.start, citation.span.end + before.start);
            StreamedCitation {
                citation,
                raw,
                units: Utf16Span { start: units.start + before.end, end: units.end + before.end },
            }
        });
        let streamed = streamed.collect();
        self.forget();
        streamed
    }

    /// Drops what is no longer looked at.
    fn forget(&mut self) {
        self.scanner.read_names(&self.names, &self.window, self.at);
        let mut cut = self.at.saturating_sub(LOOK_BACK);
        while !self.window.is_char_boundary(cut) {
            cut -= 1;
        }
        // Moving the rest costs as much as it is long.
        if cut < self.window.len() / 2 {
            return;
        }
        let dropped = self.window.get(..cut).unwrap_or("");
        self.before.start += cut;
        self.before.end += crate::text::utf16_len(dropped);
        self.window.drain(..cut);
        self.at -= cut;
        self.safe = self.safe.saturating_sub(cut);
        self.scanner.shift(cut);
    }
}
