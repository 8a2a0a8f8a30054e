//! Paths that are quoted as a whole and may therefore hold spaces: link targets, file URLs, names in
//! backticks, names with escaped spaces.

use super::citation::{Citation, Kind};
use super::names::Names;
use super::position::{self, Found};
use super::shape::{Around, Shape, has_drive, is_host, shape};
use super::token::locate;
use crate::limits::MAX_CITATION_BYTES;
use crate::text::ByteSpan;

/// A markdown link's target: where its text stands and where the link ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Target {
    pub span: ByteSpan,
    pub end: usize,
}

/// The target that begins at `at`, just behind `](`.
pub(super) fn target(text: &str, at: usize) -> Option<Target> {
    let bytes = text.as_bytes();
    let window = bytes.get(at..(at + MAX_CITATION_BYTES).min(bytes.len()))?;
    if window.first() == Some(&b'<') {
        let close = window.iter().position(|byte| matches!(byte, b'>' | b'\n'))?;
        let closed = window.get(close) == Some(&b'>') && window.get(close + 1) == Some(&b')');
        return closed.then(|| Target { span: ByteSpan::new(at + 1, at + close), end: at + close + 2 });
    }
    let mut depth = 0usize;
    for (offset, byte) in window.iter().enumerate() {
        match byte {
            b'\n' => return None,
            b'(' => depth += 1,
            // Another link begins: this one was none.
            b']' if window.get(offset + 1) == Some(&b'(') => return None,
            b')' if depth > 0 => depth -= 1,
            b')' => {
                let inside = text.get(at..at + offset)?;
                let untitled =
                    inside.find(" \"").map_or(inside, |title| inside.get(..title).unwrap_or(inside));
                let span = ByteSpan::new(at, at + untitled.trim_end().len());
                return Some(Target { span, end: at + offset + 1 });
            }
            _ => {}
        }
    }
    None
}

/// The citation a link target is.
pub(super) fn read_target(text: &str, span: ByteSpan, names: &Names) -> Option<Citation> {
    let target = span.of(text);
    if target.starts_with("file://") {
        return read_file_url(text, span, names);
    }
    let scheme = target.find(':').is_some_and(|colon| {
        let head = target.get(..colon).unwrap_or("");
        let tail = target.get(colon + 1..).unwrap_or("");
        !head.contains(['.', '/', '\\'])
            && !tail.starts_with(|next: char| next.is_ascii_digit() || next == 'L')
    });
    let host = target
        .split(['/', ':', '#', '?'])
        .next()
        .is_some_and(|first| first.len() < target.len() && is_host(first));
    if target.starts_with(['#', '?', ' '])
        || target.starts_with("//")
        || host
        || (scheme && !has_drive(target))
    {
        return None;
    }
    read_quoted(text, span, names, false)
}

/// `file:///abs#L1-L2`: the span is that of the URL.
pub(super) fn read_file_url(text: &str, span: ByteSpan, names: &Names) -> Option<Citation> {
    let url = span.of(text);
    let rest = url.strip_prefix("file://")?;
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    if !rest.starts_with('/') {
        return None;
    }
    let drive = has_drive(rest.get(1..)?);
    let start = span.end - rest.len() + usize::from(drive);
    let mut citation = read_quoted(text, ByteSpan::new(start, span.end), names, true)?;
    citation.span.start = span.start;
    Some(citation)
}

/// The citation that `span`, quoted as a whole, is: a path and perhaps a position, nothing else.
/// `certain` when it can be nothing but a path, with or without an extension.
pub(super) fn read_quoted(text: &str, span: ByteSpan, names: &Names, certain: bool) -> Option<Citation> {
    let whole = span.of(text);
    let bytes = whole.as_bytes();
    let mut at = if has_drive(whole) { 3 } else { 0 };
    let mut position = None;
    let mut end = span.end;
    while let Some(&byte) = bytes.get(at) {
        let starts = match byte {
            b':' | b'#' => true,
            b'(' | b'[' => bytes.get(at + 1).is_some_and(u8::is_ascii_digit),
            b'?' => {
                end = span.start + at;
                break;
            }
            _ => false,
        };
        if starts {
            match position::find(text, span.start + at) {
                Found::Position(found) if found.end == span.end => {
                    position = Some(found);
                    end = span.start + at;
                    break;
                }
                Found::Position(_) if matches!(byte, b'(' | b'[') => {}
                Found::Position(_) | Found::Broken => return None,
                Found::Nothing if byte == b'#' => {
                    end = span.start + at;
                    break;
                }
                Found::Nothing => {}
            }
        }
        at += 1;
    }
    let cited = ByteSpan::new(span.start, end);
    let written = cited.of(text);
    let once = decode(written);
    let twice = decode(&once);
    let around = Around { located: certain || position.is_some(), quoted: true };
    let mut citation = Citation::new(Kind::Path, cited);
    citation.tentative = match shape(&twice, names, around) {
        Shape::Firm => false,
        Shape::Tentative => true,
        Shape::None => return None,
    };
    for reading in [written, &once, &twice] {
        if !citation.readings.iter().any(|known| known == reading) {
            citation.readings.push(reading.to_owned());
        }
    }
    let plain =
        twice.strip_prefix("a/").or_else(|| twice.strip_prefix("b/")).or_else(|| twice.strip_prefix('/'));
    citation.readings.extend(plain.filter(|rest| rest.contains('/')).map(str::to_owned));
    if citation.readings.len() == 1 {
        citation.readings.clear();
    }
    citation.path = twice;
    if let Some(position) = position {
        citation.span.end = position.end;
        locate(&mut citation, position);
    }
    Some(citation)
}

/// Without `%20` and `\ `. What does not decode to text stays as it is.
fn decode(path: &str) -> String {
    if !path.contains(['%', '\\']) {
        return path.to_owned();
    }
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.bytes().peekable();
    let mut ahead = path.bytes();
    while let Some(byte) = rest.next() {
        ahead.next();
        let mut coming = ahead.clone();
        match byte {
            b'%' => {
                let digits = (coming.next().and_then(hex), coming.next().and_then(hex));
                if let (Some(high), Some(low)) = digits {
                    bytes.push(high * 16 + low);
                    rest.next();
                    rest.next();
                    ahead.next();
                    ahead.next();
                } else {
                    bytes.push(byte);
                }
            }
            b'\\' if matches!(coming.next(), Some(b' ' | b'(' | b')')) => {}
            _ => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| path.to_owned())
}

fn hex(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

/// The name with spaces that begins at `start`, just behind a backtick: `` `docs/My File.md:3` ``.
/// Only where each word begins as names do, since a command is quoted the same way.
pub(super) fn read_backticked(text: &str, start: usize, names: &Names) -> Option<(Citation, usize)> {
    let bytes = text.as_bytes();
    let window = bytes.get(start..(start + MAX_CITATION_BYTES).min(bytes.len()))?;
    let length = window.iter().position(|byte| matches!(byte, b'`' | b'\n'))?;
    if window.get(length) != Some(&b'`') {
        return None;
    }
    let span = ByteSpan::new(start, start + length);
    let mut words = span.of(text).split(' ');
    let first = words.next()?;
    let named = |word: &str| word.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit() || c == '(');
    if !first.contains('/') || first.starts_with(['.', '-', '~']) || first.contains('.') || !words.all(named)
    {
        return None;
    }
    let mut citation = read_quoted(text, span, names, false)?;
    citation.tentative = true;
    Some((citation, span.end))
}

/// The name with escaped spaces that begins at `start`: `docs/My\ File.md`.
pub(super) fn read_escaped(text: &str, start: usize, end: usize, names: &Names) -> Option<(Citation, usize)> {
    let bytes = text.as_bytes();
    let mut end = end;
    while end.checked_sub(1).and_then(|last| bytes.get(last)) == Some(&b'\\') && bytes.get(end) == Some(&b' ')
    {
        end = super::scan::word_end(bytes, end + 1).0;
        if end - start > MAX_CITATION_BYTES {
            return None;
        }
    }
    let span = ByteSpan::new(start, end);
    let trimmed = span.of(text).trim_end_matches(['.', ':', '!', '?']);
    let span = ByteSpan::new(start, start + trimmed.len());
    Some((read_quoted(text, span, names, false)?, span.end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_decoded_once_and_nonsense_stays() {
        for (path, expected) in [
            ("a%20b.ts", "a b.ts"),
            ("a%2520b", "a%20b"),
            ("a\\ b", "a b"),
            ("100%.md", "100%.md"),
            ("%zz%2", "%zz%2"),
            ("%ff", "%ff"),
            ("%E6%BC%A2é", "漢é"),
            ("src\\a.ts", "src\\a.ts"),
        ] {
            assert_eq!(decode(path), expected);
        }
    }

    #[test]
    fn a_target_ends_at_its_own_bracket() {
        let text = "[x](app/(chat)/[id].tsx) y)";
        let found = target(text, 4).unwrap();
        assert_eq!((found.span.of(text), found.end), ("app/(chat)/[id].tsx", 24));
        let text = "[x](<a b.md>)";
        assert_eq!(target(text, 4).unwrap().span.of(text), "a b.md");
        let text = "[x](a.md \"A title\")";
        assert_eq!(target(text, 4).unwrap().span.of(text), "a.md");
        assert_eq!(target("[x](a\nb)", 4), None);
        assert_eq!(target("[x](a", 4), None);
    }
}
