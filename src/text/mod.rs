//! Spans and units. Core works in bytes of UTF-8; JavaScript counts UTF-16 code units. The two are
//! different types here, and [`Utf16Converter`] is the only way from one to the other.
//!
//! A lone surrogate in a JavaScript string reaches Rust as U+FFFD: three bytes, one unit. Offsets
//! therefore stay true, and a caller that must not confuse the two asks JavaScript first.

mod hash;

use crate::collections::sort_by;
pub use hash::{hex, sha256, sha256_hex};

/// A half-open range of bytes, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct ByteSpan {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

/// A half-open range of UTF-16 code units, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Utf16Span {
    /// First unit.
    pub start: usize,
    /// One past the last unit.
    pub end: usize,
}

impl ByteSpan {
    /// The span from `start` to `end`.
    pub const fn new(start: usize, end: usize) -> Self {
        ByteSpan { start, end }
    }

    /// The text of the span, or `""` when it does not lie on character boundaries of `text`.
    pub fn of(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or("")
    }

    /// True when no byte is in both.
    pub const fn is_apart_from(self, other: ByteSpan) -> bool {
        self.end <= other.start || other.end <= self.start
    }
}

/// `text` before and behind the first `sign`, an ASCII byte: for short texts, where a search that has
/// to be set up costs more than looking at each byte.
pub fn cut_at(text: &str, sign: u8) -> Option<(&str, &str)> {
    let at = text.bytes().position(|byte| byte == sign)?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

/// The length of `text` in UTF-16 code units.
pub fn utf16_len(text: &str) -> usize {
    utf16_len_of_bytes(text.as_bytes())
}

/// [`utf16_len`] of a text that is kept as its UTF-8.
pub fn utf16_len_of_bytes(utf8: &[u8]) -> usize {
    // Every byte that starts a character counts one, and a four-byte character one more. Sums of 64
    // fit a byte, so the inner loop has no branch and works on sixteen bytes at a time.
    let count = |chunk: &[u8]| -> u8 {
        chunk.iter().map(|&byte| u8::from(byte & 0xC0 != 0x80) + u8::from(byte >= 0xF0)).sum()
    };
    utf8.chunks(64).map(|chunk| usize::from(count(chunk))).sum()
}

/// Converts byte offsets of one text to UTF-16 offsets, in time linear in the text when the offsets
/// asked for mostly grow; going back restarts from the beginning.
#[derive(Debug, Clone)]
pub struct Utf16Converter<'t> {
    text: &'t str,
    is_ascii: bool,
    byte: usize,
    unit: usize,
}

impl<'t> Utf16Converter<'t> {
    /// A converter at the start of `text`.
    pub fn new(text: &'t str) -> Self {
        // No early end: without branches the loop is vectorised.
        let all = text.as_bytes().iter().fold(0, |all, byte| all | byte);
        Utf16Converter { text, is_ascii: all < 0x80, byte: 0, unit: 0 }
    }

    /// The UTF-16 offset of byte `byte`. An offset past the end counts as the end; one inside a
    /// character counts as the start of that character.
    pub fn offset(&mut self, byte: usize) -> usize {
        let mut byte = byte.min(self.text.len());
        if self.is_ascii {
            return byte;
        }
        while !self.text.is_char_boundary(byte) {
            byte -= 1;
        }
        if byte < self.byte {
            self.byte = 0;
            self.unit = 0;
        }
        self.unit += utf16_len(self.text.get(self.byte..byte).unwrap_or(""));
        self.byte = byte;
        self.unit
    }

    /// Both ends of `span` in UTF-16 units.
    pub fn span(&mut self, span: ByteSpan) -> Utf16Span {
        let start = self.offset(span.start);
        Utf16Span { start, end: self.offset(span.end) }
    }
}

/// The byte offset of UTF-16 offset `unit` in `text`; `None` past the end or inside a surrogate pair.
pub fn byte_of_utf16(text: &str, unit: usize) -> Option<usize> {
    // Whole blocks are counted without looking at characters.
    let (mut from, mut units) = (0, 0);
    for block in text.as_bytes().chunks(256) {
        let length = utf16_len_of_bytes(block);
        if units + length > unit {
            break;
        }
        units += length;
        from += block.len();
    }
    // A character that began in the last block has been counted with it.
    while !text.is_char_boundary(from) {
        from += 1;
    }
    for (offset, character) in text.get(from..).unwrap_or("").char_indices() {
        if units == unit {
            return Some(from + offset);
        }
        if units > unit {
            return None;
        }
        units += character.len_utf16();
    }
    (units == unit).then_some(text.len())
}

/// [`byte_of_utf16`] for many offsets in any order, in one pass over the text.
pub fn bytes_of_utf16(text: &str, units: &[usize]) -> Vec<Option<usize>> {
    let mut order: Vec<usize> = (0..units.len()).collect();
    sort_by(&mut order, |one, other| units.get(*one).cmp(&units.get(*other)));
    let mut answers = vec![None; units.len()];
    let mut characters = text.char_indices().map(|(byte, character)| (byte, character.len_utf16()));
    let mut here = (0, 0);
    let mut next = characters.next();
    for index in order {
        let Some(&wanted) = units.get(index) else { continue };
        while let Some((byte, length)) = next
            && here.1 < wanted
        {
            next = characters.next();
            here = (next.map_or(text.len(), |(byte, _)| byte).max(byte), here.1 + length);
        }
        if let Some(answer) = answers.get_mut(index) {
            *answer = (here.1 == wanted).then_some(here.0);
        }
    }
    answers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_counted_as_javascript_counts_them() {
        for text in ["", "abc", "é", "漢字", "😀", "a\r\né漢😀z", "\u{FFFD}"] {
            assert_eq!(utf16_len(text), text.encode_utf16().count(), "{text:?}");
        }
    }

    #[test]
    fn the_converter_agrees_with_a_count_at_every_boundary_forwards_and_back() {
        let text = "a é\r\n漢😀 z😀";
        let boundaries: Vec<usize> = (0..=text.len()).filter(|&byte| text.is_char_boundary(byte)).collect();
        let mut converter = Utf16Converter::new(text);
        for &byte in boundaries.iter().chain(boundaries.iter().rev()) {
            let unit = text[..byte].encode_utf16().count();
            assert_eq!(converter.offset(byte), unit);
            assert_eq!(byte_of_utf16(text, unit), Some(byte));
        }
    }

    #[test]
    fn many_offsets_are_those_of_one_each() {
        let text = "a é\r\n漢😀 z😀";
        let units: Vec<usize> = (0..14).chain((0..14).rev()).collect();
        let expected: Vec<_> = units.iter().map(|unit| byte_of_utf16(text, *unit)).collect();
        assert_eq!(bytes_of_utf16(text, &units), expected);
        assert_eq!(bytes_of_utf16("", &[0, 1]), [Some(0), None]);
    }

    #[test]
    fn an_offset_inside_a_pair_or_past_the_end_has_no_byte() {
        assert_eq!(byte_of_utf16("😀", 1), None);
        assert_eq!(byte_of_utf16("😀", 3), None);
        assert_eq!(Utf16Converter::new("😀").offset(99), 2);
        assert_eq!(Utf16Converter::new("😀").offset(2), 0);
    }
}
