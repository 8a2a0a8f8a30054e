//! Cutting a document into chunks at the borders of its blocks.

use crate::error::Error;
use crate::text::{ByteSpan, Utf16Converter, Utf16Span, utf16_len};
use memchr::memchr_iter;
use unicode_segmentation::UnicodeSegmentation;

/// Spans of at most `max_units` UTF-16 units that hold all of `text` but blank lines: whole blocks
/// (paragraphs, lists' items, fenced code) where they fit, a heading with what follows it; a longer
/// block is cut after a line, a sentence, a word or a grapheme.
/// *Order*: ascending, apart. *Errors*: `INVALID_ARGUMENT` for a bound of 0.
pub fn chunk_spans(text: &str, max_units: usize) -> Result<Vec<Utf16Span>, Error> {
    if max_units == 0 {
        return Err(Error::invalid("options.maxChars", "options.maxChars must be at least 1."));
    }
    let mut chunks = Chunks { text, max_units, spans: Vec::new(), open: None, headings_from: None };
    blocks(text, |block, is_heading| chunks.add(block, is_heading));
    chunks.close();
    let mut converter = Utf16Converter::new(text);
    Ok(chunks.spans.into_iter().map(|span| converter.span(span)).collect())
}

struct Chunks<'t> {
    text: &'t str,
    max_units: usize,
    spans: Vec<ByteSpan>,
    /// The chunk being filled and its length in units.
    open: Option<(ByteSpan, usize)>,
    /// The chunk without the headings at its end, and the units of that.
    headings_from: Option<(ByteSpan, usize)>,
}

impl Chunks<'_> {
    fn add(&mut self, block: ByteSpan, is_heading: bool) {
        let units = utf16_len(block.of(self.text));
        if let Some((span, length)) = self.open {
            let between = utf16_len(ByteSpan::new(span.end, block.start).of(self.text));
            let total = length + between + units;
            let is_full = is_heading && self.headings_from.is_none() && length * 2 >= self.max_units;
            if total <= self.max_units && !is_full {
                self.note_heading(span, length, is_heading);
                self.open = Some((ByteSpan::new(span.start, block.end), total));
                return;
            }
            // A heading that would end the chunk goes with what follows it.
            match self.headings_from.take() {
                Some((head, head_units)) => {
                    self.spans.push(head);
                    let rest = ByteSpan::new(self.skip_blank(head.end), span.end);
                    let rest_units =
                        length - head_units - utf16_len(ByteSpan::new(head.end, rest.start).of(self.text));
                    self.open = Some((rest, rest_units));
                    if rest_units + between + units <= self.max_units {
                        self.open =
                            Some((ByteSpan::new(rest.start, block.end), rest_units + between + units));
                        return;
                    }
                    self.close();
                }
                None => self.close(),
            }
        }
        if units <= self.max_units {
            self.open = Some((block, units));
            return;
        }
        self.split(block);
    }

    fn note_heading(&mut self, span: ByteSpan, length: usize, is_heading: bool) {
        if !is_heading {
            self.headings_from = None;
        } else if self.headings_from.is_none() {
            self.headings_from = Some((span, length));
        }
    }

    fn skip_blank(&self, from: usize) -> usize {
        let rest = self.text.get(from..).unwrap_or("");
        from + rest.bytes().take_while(u8::is_ascii_whitespace).count()
    }

    fn close(&mut self) {
        self.headings_from = None;
        self.spans.extend(self.open.take().map(|(span, _)| span));
    }

    /// A block longer than a chunk: as many whole pieces as needed, the rest left open.
    fn split(&mut self, block: ByteSpan) {
        let mut start = block.start;
        loop {
            let rest = ByteSpan::new(start, block.end).of(self.text);
            let length = fitting(rest, self.max_units);
            if length == rest.len() {
                self.open = Some((ByteSpan::new(start, block.end), utf16_len(rest)));
                return;
            }
            let cut = start + cut_before(rest.get(..length).unwrap_or(rest));
            let piece = ByteSpan::new(start, cut).of(self.text);
            let kept = piece.trim_end();
            if !kept.is_empty() {
                self.spans.push(ByteSpan::new(start, start + kept.len()));
            }
            start = cut;
            let rest = ByteSpan::new(start, block.end).of(self.text);
            start += rest.len() - rest.trim_start_matches(['\n', '\r', ' ']).len();
            if start >= block.end {
                return;
            }
        }
    }
}

/// How many bytes of `text` are at most `max_units` units; never nothing.
fn fitting(text: &str, max_units: usize) -> usize {
    let mut units = 0;
    for (byte, character) in text.char_indices() {
        units += character.len_utf16();
        if units > max_units && byte > 0 {
            return byte;
        }
    }
    text.len()
}

/// Where to cut inside `window`, looking back from its end: after a line or a sentence in its second
/// half, else after a word, else between graphemes.
fn cut_before(window: &str) -> usize {
    let half = window.len() / 2;
    let bytes = window.as_bytes();
    if let Some(line) = memchr::memrchr(b'\n', bytes).filter(|&line| line >= half) {
        return line + 1;
    }
    let stop = |(byte, c): (usize, char)| {
        let after = byte + c.len_utf8();
        let is_stop = match c {
            '。' | '！' | '？' => true,
            '.' | '!' | '?' | '…' => bytes.get(after).is_some_and(u8::is_ascii_whitespace),
            _ => false,
        };
        (is_stop && after >= half).then_some(after)
    };
    if let Some(sentence) = window.char_indices().rev().find_map(stop) {
        return sentence;
    }
    if let Some(space) = window.rfind(|c: char| c.is_whitespace()).filter(|&space| space > 0) {
        return space + window.get(space..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
    }
    // The last grapheme may go on behind the window.
    window
        .grapheme_indices(true)
        .next_back()
        .map(|(start, _)| start)
        .filter(|&start| start > 0)
        .unwrap_or(window.len())
}

/// Calls `each` for every run of lines between blank lines, fences kept whole, and for every heading.
fn blocks(text: &str, mut each: impl FnMut(ByteSpan, bool)) {
    let mut open: Option<ByteSpan> = None;
    let mut fence: Option<(u8, usize)> = None;
    let mut start = 0;
    let ends = memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1).chain(std::iter::once(text.len()));
    for end in ends {
        if end == start {
            continue;
        }
        let line = text.get(start..end).unwrap_or("");
        let kept = ByteSpan::new(start, start + line.trim_end().len());
        start = end;
        let content = line.trim();
        if fence.is_none() && (content.is_empty() || is_heading(line)) {
            if let Some(block) = open.take() {
                each(block, false);
            }
            if !content.is_empty() {
                each(kept, true);
            }
            continue;
        }
        fence = match (fence, fence_of(content)) {
            (Some((mark, length)), Some((other, longer)))
                if mark == other && longer >= length && content.len() == longer =>
            {
                None
            }
            (None, opened) => opened,
            (still, _) => still,
        };
        if !content.is_empty() {
            open = Some(ByteSpan::new(open.map_or(kept.start, |block| block.start), kept.end));
        }
    }
    if let Some(block) = open {
        each(block, false);
    }
}

fn is_heading(line: &str) -> bool {
    let indent = line.bytes().take_while(|&byte| byte == b' ').count();
    let marks = line.bytes().skip(indent).take_while(|&byte| byte == b'#').count();
    indent <= 3
        && (1..=6).contains(&marks)
        && line.as_bytes().get(indent + marks).is_none_or(u8::is_ascii_whitespace)
}

/// The fence a trimmed line begins with: its mark and length.
fn fence_of(content: &str) -> Option<(u8, usize)> {
    let mark = content.bytes().next().filter(|byte| matches!(byte, b'`' | b'~'))?;
    let length = content.bytes().take_while(|&byte| byte == mark).count();
    let is_open = length >= 3 && !(mark == b'`' && content.bytes().skip(length).any(|byte| byte == b'`'));
    is_open.then_some((mark, length))
}
