//! Positions: what may stand behind a path.

use crate::limits::{MAX_CITATION_BYTES, MAX_CITED_RANGES};

/// A position as written: first line and column, end of the first range, every range.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Position {
    pub line: u32,
    pub column: Option<u32>,
    pub end_line: Option<u32>,
    pub end_column: Option<u32>,
    pub lines: Vec<(u32, u32)>,
    /// One past its last byte.
    pub end: usize,
}

/// What stands at a place where a position could begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Found {
    /// A whole position.
    Position(Position),
    /// Something that begins like a position and is none, so that its token is none either.
    Broken,
    /// Nothing like a position.
    Nothing,
}

/// Reads bytes; past the end there are zeros, which nothing accepts.
struct Reader<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek(0) == byte;
        self.at += usize::from(found);
        found
    }

    fn take_word(&mut self, word: &[u8]) -> bool {
        let found = self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(word));
        self.at += if found { word.len() } else { 0 };
        found
    }

    /// A number; one with more digits than a file can have lines stands for the last `u32` but one.
    fn number(&mut self) -> Option<u32> {
        let start = self.at;
        let mut value: u32 = 0;
        while self.peek(0).is_ascii_digit() && self.at - start <= MOST_DIGITS {
            let digit = u32::from(self.peek(0) - b'0');
            value = value.saturating_mul(10).saturating_add(digit).min(MOST);
            self.at += 1;
        }
        (1..=MOST_DIGITS).contains(&(self.at - start)).then_some(value)
    }

    /// A number that may have an `L` before it.
    fn line(&mut self) -> Option<u32> {
        let start = self.at;
        if matches!(self.peek(0), b'L' | b'l') {
            self.at += 1;
        }
        let line = self.number();
        if line.is_none() {
            self.at = start;
        }
        line
    }

    /// The same, only behind `mark`; nothing is consumed when there is none.
    fn behind(&mut self, mark: u8, read: fn(&mut Self) -> Option<u32>) -> Option<u32> {
        let start = self.at;
        if self.take(mark)
            && let Some(value) = read(self)
        {
            return Some(value);
        }
        self.at = start;
        None
    }

    fn behind_dash(&mut self) -> Option<u32> {
        let start = self.at;
        if (self.take(b'-') || self.take_word("–".as_bytes()))
            && let Some(value) = self.line()
        {
            return Some(value);
        }
        self.at = start;
        None
    }
}

/// Digits of a number; more is data.
const MOST_DIGITS: usize = 32;

/// Keeps `u32::MAX` free: the boundary packs an absent number as it.
const MOST: u32 = u32::MAX - 1;

/// What stands at byte `at` of `text`, just behind a path.
pub(super) fn find(text: &str, at: usize) -> Found {
    let mut reader = Reader { bytes: text.as_bytes(), at };
    let next = reader.peek(1);
    match reader.peek(0) {
        b':' if next.is_ascii_digit() || (matches!(next, b'L' | b'l') && reader.peek(2).is_ascii_digit()) => {
            reader.at += 1;
            finish(text, colon(&mut reader))
        }
        b':' if matches!(next, b'(' | b'[') => {
            reader.at += 1;
            bracket(&mut reader).map_or(Found::Nothing, Found::Position)
        }
        b'#' if next == b'L' => {
            reader.at += 1;
            finish(text, hash(&mut reader))
        }
        b'#' if next.is_ascii_digit() => {
            reader.at += 1;
            match finish(text, hash(&mut reader)) {
                // A heading may begin with a number: `guide.md#2-install`.
                Found::Broken => Found::Nothing,
                found => found,
            }
        }
        b'(' | b'[' => bracket(&mut reader).map_or(Found::Nothing, Found::Position),
        _ => Found::Nothing,
    }
}

/// `, line N` and `, line N, column M` behind a quoted path, from behind the closing quote.
pub(super) fn find_spoken(text: &str, at: usize) -> Option<Position> {
    let mut reader = Reader { bytes: text.as_bytes(), at };
    if !reader.take_word(b", line ") {
        return None;
    }
    let line = reader.number()?;
    let mut position = Position { line, lines: vec![(line, line)], end: reader.at, ..Position::default() };
    if (reader.take_word(b", column ") || reader.take_word(b", col "))
        && let Some(column) = reader.number()
    {
        position.column = Some(column);
        position.end = reader.at;
    }
    is_boundary(text, position.end).then_some(position)
}

/// `L5` or `L5-L14` from byte `at`, as between `†` and `】`.
pub(super) fn find_lines(text: &str, at: usize) -> Option<Position> {
    let mut reader = Reader { bytes: text.as_bytes(), at };
    let mut position = Position { line: reader.line()?, ..Position::default() };
    position.end_line = reader.behind_dash();
    Some(done(position, &mut reader))
}

/// `:L`, `:L:C`, `:L-M`, `:L:C-D`, `:L:C-M:D`, from behind the colon.
fn colon(reader: &mut Reader<'_>) -> Option<Position> {
    let mut position = Position { line: reader.line()?, ..Position::default() };
    position.column = reader.behind(b':', Reader::number);
    if let Some(end) = reader.behind_dash() {
        match reader.behind(b':', Reader::number) {
            Some(column) => {
                position.end_line = Some(end);
                position.end_column = Some(column);
            }
            // `:L:C-D` ends in a column of the same line.
            None if position.column.is_some() => position.end_column = Some(end),
            None => position.end_line = Some(end),
        }
    }
    Some(done(position, reader))
}

/// `#L10`, `#10`, `#10:4`, `#L10-L20`, `#L10C4-L12C2`, from behind the hash.
fn hash(reader: &mut Reader<'_>) -> Option<Position> {
    let mut position = Position { line: reader.line()?, ..Position::default() };
    position.column = reader.behind(b'C', Reader::number).or_else(|| reader.behind(b':', Reader::number));
    position.end_line = reader.behind_dash();
    if position.end_line.is_some() {
        position.end_column = reader.behind(b'C', Reader::number);
    }
    Some(done(position, reader))
}

/// `(L)`, `(L,C)`, `[L,C]` and the same with a colon or a space, whole or not at all.
fn bracket(reader: &mut Reader<'_>) -> Option<Position> {
    let close = if reader.take(b'(') {
        b')'
    } else if reader.take(b'[') {
        b']'
    } else {
        return None;
    };
    let line = reader.number()?;
    let mut position = Position { line, lines: vec![(line, line)], ..Position::default() };
    if reader.take(b',') || reader.take(b':') {
        reader.take(b' ');
        position.column = Some(reader.number()?);
    }
    let whole = reader.take(close);
    position.end = reader.at;
    whole.then_some(position)
}

/// The position with its ranges: its own and those of a comma list behind it.
fn done(mut position: Position, reader: &mut Reader<'_>) -> Position {
    position.lines.push((position.line, position.end_line.unwrap_or(position.line)));
    position.end = reader.at;
    let start = reader.at;
    while reader.at - start < MAX_CITATION_BYTES
        && let Some(first) = reader.behind(b',', Reader::line)
    {
        let range = (first, reader.behind_dash().unwrap_or(first));
        if !ends_number(reader.bytes, reader.at) {
            break;
        }
        if !position.lines.contains(&range) && position.lines.len() < MAX_CITED_RANGES {
            position.lines.push(range);
        }
        position.end = reader.at;
    }
    position
}

/// True when the bytes at `at` do not go on the number before them.
fn ends_number(bytes: &[u8], at: usize) -> bool {
    let byte = |at: usize| bytes.get(at).copied().unwrap_or(0);
    match byte(at) {
        b'.' | b'-' => !byte(at + 1).is_ascii_alphanumeric(),
        b'_' | b'/' | b'\\' | b'%' | b'@' | b'$' => false,
        other => !other.is_ascii_alphanumeric(),
    }
}

fn finish(text: &str, position: Option<Position>) -> Found {
    match position {
        Some(position) if is_boundary(text, position.end) => Found::Position(position),
        _ => Found::Broken,
    }
}

/// True when a position may end at byte `at`.
fn is_boundary(text: &str, at: usize) -> bool {
    let dash_and_digit = text.get(at..).unwrap_or("").strip_prefix('–');
    ends_number(text.as_bytes(), at)
        && !dash_and_digit.is_some_and(|rest| rest.starts_with(|next: char| next.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let shown = match find(text, 0) {
            Found::Nothing => "nothing".to_owned(),
            Found::Broken => "broken".to_owned(),
            Found::Position(position) => {
                let show = |value: Option<u32>| value.map_or("-".to_owned(), |value| value.to_string());
                format!(
                    "{} {} {} {} {:?} +{}",
                    position.line,
                    show(position.column),
                    show(position.end_line),
                    show(position.end_column),
                    position.lines,
                    &text[position.end..]
                )
            }
        };
        assert_eq!(shown, expected, "{text}");
    }

    #[test]
    fn every_form_is_read_whole() {
        check(":12", "12 - - - [(12, 12)] +");
        check(":L12.", "12 - - - [(12, 12)] +.");
        check(":12:5: error", "12 5 - - [(12, 12)] +: error");
        check(":12-20", "12 - 20 - [(12, 20)] +");
        check(":12–20,", "12 - 20 - [(12, 20)] +,");
        check(":L12-L20", "12 - 20 - [(12, 20)] +");
        check(":12:5-20:7", "12 5 20 7 [(12, 20)] +");
        check(":12:5-9", "12 5 - 9 [(12, 12)] +");
        check("#L10", "10 - - - [(10, 10)] +");
        check("#10", "10 - - - [(10, 10)] +");
        check("#10-20", "10 - 20 - [(10, 20)] +");
        check("#L10-L20)", "10 - 20 - [(10, 20)] +)");
        check("#L10C4-L12C2", "10 4 12 2 [(10, 12)] +");
        check("(10)", "10 - - - [(10, 10)] +");
        check("(10, 5):", "10 5 - - [(10, 10)] +:");
        check("[10,5]", "10 5 - - [(10, 10)] +");
        check(":[245,15]", "245 15 - - [(245, 245)] +");
        check(":10,20-30,40 x", "10 - - - [(10, 10), (20, 30), (40, 40)] + x");
        check(":10,20,file.ts:3", "10 - - - [(10, 10), (20, 20)] +,file.ts:3");
        check(":0", "0 - - - [(0, 0)] +");
        check(":30-20", "30 - 20 - [(30, 20)] +");
        check(":99999999999999", "4294967294 - - - [(4294967294, 4294967294)] +");
        check(":4:2:例", "4 2 - - [(4, 4)] +:例");
    }

    #[test]
    fn what_only_begins_like_a_position_is_broken() {
        for text in [":12abc", ":12.5", ":12/3", ":10-abc", "#L10x", "#Lines10", ":3_000", ":1–2–3"] {
            check(text, "broken");
        }
        for text in [":", ":name", "#heading", "#license", "#2-install", "(x)", "(1", "[1,]", ""] {
            check(text, "nothing");
        }
    }

    #[test]
    fn a_spoken_line_may_have_a_column() {
        assert_eq!(find_spoken(", line 42", 0).unwrap().line, 42);
        assert_eq!(find_spoken(", line 42, column 7", 0).unwrap().column, Some(7));
        assert_eq!(find_spoken(", line 42, in f", 0).unwrap().end, 9);
        assert!(find_spoken(", line x", 0).is_none());
        assert!(find_spoken(" line 3", 0).is_none());
    }
}
