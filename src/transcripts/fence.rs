//! The decisions block: a fenced block a seat writes for the machine, kept from the reader.
//!
//! *Source*: contract, section 4, on CommonMark's rules for fences: three or more backticks or
//! tildes, also quoted or in a list item, closed by a run at least as long. A block inside another
//! fence is an example and stays. An unclosed block reaches to the end of the text, or of its quote.
//!
//! One automaton serves both ways: cutting a whole text is feeding it in one piece.

use crate::limits::{MAX_DECISIONS_BYTES, MAX_FENCE_LINE_BYTES};
use memchr::{memchr, memmem};
use std::borrow::Cow;

/// The info string of a decisions block.
pub const DECISIONS_MARKER: &str = "wicked-decisions";

/// True when `marker` can be an info string of its own: ASCII letters, digits, `.`, `_` and `-`.
pub fn is_marker(marker: &str) -> bool {
    let in_alphabet = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    !marker.is_empty() && marker.len() <= MAX_FENCE_LINE_BYTES / 2 && marker.bytes().all(in_alphabet)
}

/// A text without its decisions blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut<'t> {
    /// What is left, without trailing white space; borrowed and whole when there was no block.
    pub text: Cow<'t, str>,
    /// The body of the last block.
    pub block: Option<String>,
}

/// Cuts every decisions block out of `text`.
pub fn cut<'t>(text: &'t str, marker: &str) -> Cut<'t> {
    if memmem::find(text.as_bytes(), marker.as_bytes()).is_some() {
        let mut fence = DecisionFence::new(marker);
        let mut left = fence.push(text);
        left.push_str(&fence.finish());
        if fence.found {
            left.truncate(left.trim_end().len());
            return Cut { text: Cow::Owned(left), block: fence.take_block() };
        }
    }
    Cut { text: Cow::Borrowed(text), block: None }
}

/// Takes decisions blocks out of a text that arrives in pieces.
///
/// What comes out is, piece by piece, what [`cut`] would leave. Held back is only the start of a
/// line that may still become an opening fence, at most [`MAX_FENCE_LINE_BYTES`].
#[derive(Debug, Clone)]
pub struct DecisionFence {
    marker: String,
    open: Option<Open>,
    items: Vec<Item>,
    phase: Phase,
    // Where the line is: its column, its quote depth, and where its indentation counts from.
    column: usize,
    depth: usize,
    base: usize,
    held: Vec<u8>,
    holding: bool,
    body: Body,
    block: Option<String>,
    found: bool,
}

#[derive(Debug, Clone, Copy)]
struct Open {
    character: u8,
    length: usize,
    depth: usize,
    // How far the fence was indented in its quote: as much is taken off the lines of the body.
    indent: usize,
    is_decisions: bool,
}

#[derive(Debug, Clone, Copy)]
struct Item {
    depth: usize,
    column: usize,
}

#[derive(Debug, Clone, Default)]
struct Body {
    bytes: Vec<u8>,
    line: usize,
    is_over: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    // Outside a fence: indentation, quotes and list markers.
    Prefix,
    AfterQuote,
    AfterBullet,
    Number(usize),
    AfterNumber,
    // The run of a fence that may open, and its info string.
    Run { character: u8, length: usize },
    Info { character: u8, length: usize, matched: usize, ended: bool },
    OtherInfo { character: u8, length: usize },
    // Inside a fence: the quotes it stands in, then a run that may close it.
    Quotes,
    Indent,
    Closing(usize),
    AfterClosing(usize),
    // Nothing on this line matters any more.
    Rest,
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

impl DecisionFence {
    /// A filter at the start of a text; [`is_marker`] says which markers are possible.
    pub fn new(marker: &str) -> Self {
        DecisionFence {
            marker: marker.to_owned(),
            open: None,
            items: Vec::new(),
            phase: Phase::Prefix,
            column: 0,
            depth: 0,
            base: 0,
            held: Vec::new(),
            holding: true,
            body: Body::default(),
            block: None,
            found: false,
        }
    }

    /// Takes the next piece; returns what the reader may see now.
    pub fn push(&mut self, text: &str) -> String {
        let bytes = text.as_bytes();
        let mut out = Vec::with_capacity(text.len() + self.held.len());
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            if self.phase == Phase::Rest {
                let rest = bytes.get(at..).unwrap_or_default();
                let line = rest.get(..memchr(b'\n', rest).unwrap_or(rest.len())).unwrap_or_default();
                self.put(line, &mut out);
                at += line.len();
                if at < bytes.len() {
                    self.end_line(&mut out);
                    at += 1;
                }
            } else {
                self.step(byte, &mut out);
                at += 1;
            }
        }
        into_text(out)
    }

    /// Ends the text: returns what was held back and is no block after all. A block still open ends.
    pub fn finish(&mut self) -> String {
        let mut out = Vec::new();
        match self.open {
            Some(open) if open.is_decisions => {
                if self.closes(open) {
                    self.body.bytes.truncate(self.body.line);
                }
                self.end_block();
            }
            None if self.opens_decisions() => {
                self.found = true;
                self.end_block();
            }
            _ => out.append(&mut self.held),
        }
        self.open = None;
        self.items.clear();
        self.start_line();
        into_text(out)
    }

    /// The body of the last block that ended since this was last asked.
    pub fn take_block(&mut self) -> Option<String> {
        self.block.take()
    }

    /// How many bytes are held back.
    pub fn held(&self) -> usize {
        self.held.len()
    }

    fn step(&mut self, byte: u8, out: &mut Vec<u8>) {
        if byte == b'\n' {
            self.end_line(out);
            return;
        }
        let next = match self.phase {
            Phase::Prefix => self.prefix(byte),
            Phase::AfterQuote => {
                if byte == b' ' {
                    self.column += 1;
                    self.base = self.column;
                    Phase::Prefix
                } else {
                    self.prefix(byte)
                }
            }
            Phase::AfterBullet | Phase::AfterNumber if is_blank(byte) => {
                self.items.push(Item { depth: self.depth, column: self.column + 1 });
                self.advance(byte);
                self.base = self.column;
                Phase::Prefix
            }
            Phase::Number(digits) if byte.is_ascii_digit() && digits < 9 => {
                self.column += 1;
                Phase::Number(digits + 1)
            }
            Phase::Number(_) if matches!(byte, b'.' | b')') => {
                self.column += 1;
                Phase::AfterNumber
            }
            Phase::Run { character, length } if byte == character => {
                Phase::Run { character, length: length + 1 }
            }
            Phase::Run { character, length } if length >= 3 => self.info(byte, character, length, 0, false),
            Phase::Info { character, length, matched, ended } => {
                self.info(byte, character, length, matched, ended)
            }
            Phase::OtherInfo { character: b'`', .. } if byte == b'`' => Phase::Rest,
            phase @ Phase::OtherInfo { .. } => phase,
            Phase::Quotes => return self.quotes(byte, out),
            Phase::Indent | Phase::Closing(_) | Phase::AfterClosing(_) => return self.inside(byte, out),
            _ => Phase::Rest,
        };
        self.phase = next;
        self.put(&[byte], out);
        let undecided = !matches!(next, Phase::Rest | Phase::OtherInfo { .. });
        if self.holding && !(undecided && self.held.len() <= MAX_FENCE_LINE_BYTES) {
            self.release(out);
        }
    }

    fn advance(&mut self, byte: u8) {
        self.column += if byte == b'\t' { 4 - self.column % 4 } else { 1 };
    }

    fn prefix(&mut self, byte: u8) -> Phase {
        if is_blank(byte) {
            self.advance(byte);
            return Phase::Prefix;
        }
        if byte != b'>' {
            // A line further left than an item's text is no part of the item.
            let (depth, column) = (self.depth, self.column);
            while self
                .items
                .last()
                .is_some_and(|item| item.depth > depth || (item.depth == depth && item.column > column))
            {
                self.items.pop();
            }
        }
        let item = self.items.last().filter(|item| item.depth == self.depth && item.column <= self.column);
        let base = self.base.max(item.map_or(0, |item| item.column));
        if self.column - base.min(self.column) > 3 {
            return Phase::Rest;
        }
        match byte {
            b'>' => {
                self.depth += 1;
                self.column += 1;
                self.base = self.column;
                Phase::AfterQuote
            }
            b'-' | b'*' | b'+' => {
                self.column += 1;
                Phase::AfterBullet
            }
            b'0'..=b'9' => {
                self.column += 1;
                Phase::Number(1)
            }
            b'`' | b'~' => Phase::Run { character: byte, length: 1 },
            _ => Phase::Rest,
        }
    }

    fn info(&self, byte: u8, character: u8, length: usize, matched: usize, ended: bool) -> Phase {
        let marker = self.marker.as_bytes();
        if is_blank(byte) {
            let ended = matched == marker.len();
            if matched == 0 || ended {
                return Phase::Info { character, length, matched, ended };
            }
        } else if !ended && marker.get(matched) == Some(&byte) {
            return Phase::Info { character, length, matched: matched + 1, ended };
        }
        if character == b'`' && byte == b'`' { Phase::Rest } else { Phase::OtherInfo { character, length } }
    }

    fn opens_decisions(&self) -> bool {
        let is_whole = matches!(self.phase, Phase::Info { matched, .. } if matched == self.marker.len());
        self.holding && is_whole
    }

    // The quotes the open fence stands in: a line with fewer of them ends it.
    fn quotes(&mut self, byte: u8, out: &mut Vec<u8>) {
        let Some(open) = self.open else { return };
        if self.depth == open.depth {
            self.enter(out);
            // The space behind the last `>` belongs to it.
            if byte == b' ' {
                self.base = 1;
                if !open.is_decisions {
                    out.push(byte);
                }
            } else {
                self.inside(byte, out);
            }
        } else if byte == b'>' || is_blank(byte) {
            self.depth += usize::from(byte == b'>');
            self.held.push(byte);
            if self.held.len() > MAX_FENCE_LINE_BYTES {
                self.leave(out);
            }
        } else {
            self.leave(out);
            self.step(byte, out);
        }
    }

    // The line is inside the open fence.
    fn enter(&mut self, out: &mut Vec<u8>) {
        if self.open.is_some_and(|open| open.is_decisions) {
            self.held.clear();
        }
        self.release(out);
        self.phase = Phase::Indent;
        self.column = 0;
    }

    // The fence ended with its quote: what was held is read again, outside.
    fn leave(&mut self, out: &mut Vec<u8>) {
        if self.open.take().is_some_and(|open| open.is_decisions) {
            self.end_block();
        }
        let held = std::mem::take(&mut self.held);
        self.start_line();
        for byte in held {
            self.step(byte, out);
        }
    }

    fn inside(&mut self, byte: u8, out: &mut Vec<u8>) {
        let Some(open) = self.open else { return };
        self.phase = match self.phase {
            Phase::Indent if is_blank(byte) => {
                self.column += 1;
                if self.column <= open.indent && open.is_decisions {
                    return;
                }
                Phase::Indent
            }
            Phase::Indent if byte == open.character => Phase::Closing(1),
            Phase::Closing(length) if byte == open.character => Phase::Closing(length + 1),
            Phase::Closing(length) | Phase::AfterClosing(length) if is_blank(byte) => {
                Phase::AfterClosing(length)
            }
            _ => Phase::Rest,
        };
        self.put(&[byte], out);
    }

    fn closes(&self, open: Open) -> bool {
        matches!(self.phase, Phase::Closing(length) | Phase::AfterClosing(length) if length >= open.length)
    }

    fn end_line(&mut self, out: &mut Vec<u8>) {
        if let Some(open) = self.open {
            if self.phase == Phase::Quotes && self.depth < open.depth {
                self.leave(out);
                return self.end_line(out);
            }
            if self.phase == Phase::Quotes {
                self.enter(out);
            }
            if self.closes(open) {
                self.open = None;
                if open.is_decisions {
                    self.body.bytes.truncate(self.body.line);
                    self.end_block();
                } else {
                    out.push(b'\n');
                }
            } else {
                self.put(b"\n", out);
                self.body.line = self.body.bytes.len();
            }
        } else if self.opens_decisions() {
            self.found = true;
            self.held.clear();
            self.open_fence(true);
        } else {
            let opens = match self.phase {
                Phase::Run { length, .. } => length >= 3,
                Phase::Info { .. } | Phase::OtherInfo { .. } => true,
                _ => false,
            };
            if matches!(self.phase, Phase::AfterBullet | Phase::AfterNumber) {
                self.items.push(Item { depth: self.depth, column: self.column + 1 });
            }
            self.release(out);
            out.push(b'\n');
            if opens {
                self.open_fence(false);
            }
        }
        self.start_line();
    }

    fn open_fence(&mut self, is_decisions: bool) {
        if let Phase::Run { character, length }
        | Phase::Info { character, length, .. }
        | Phase::OtherInfo { character, length } = self.phase
        {
            let quoted = if self.depth > 0 { self.base } else { 0 };
            let indent = self.column - quoted.min(self.column);
            self.open = Some(Open { character, length, depth: self.depth, indent, is_decisions });
        }
    }

    fn start_line(&mut self) {
        self.held.clear();
        self.column = 0;
        self.depth = 0;
        self.base = 0;
        self.holding = self.open.is_none_or(|open| open.depth > 0);
        self.phase = match self.open {
            None => Phase::Prefix,
            Some(open) if open.depth > 0 => Phase::Quotes,
            Some(_) => Phase::Indent,
        };
    }

    fn put(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        if self.open.is_some_and(|open| open.is_decisions) {
            if self.body.bytes.len() + bytes.len() > MAX_DECISIONS_BYTES {
                self.body.is_over = true;
            } else {
                self.body.bytes.extend_from_slice(bytes);
            }
        } else if self.holding {
            self.held.extend_from_slice(bytes);
        } else {
            out.extend_from_slice(bytes);
        }
    }

    fn release(&mut self, out: &mut Vec<u8>) {
        out.append(&mut self.held);
        self.holding = false;
    }

    fn end_block(&mut self) {
        let Body { bytes, is_over, .. } = std::mem::take(&mut self.body);
        let mut text = into_text(bytes);
        let end = text.strip_suffix('\n').map(|line| line.strip_suffix('\r').unwrap_or(line).len());
        text.truncate(end.unwrap_or(text.len()));
        self.block = (!is_over).then_some(text);
    }
}

// Pieces begin and end between characters, and so does what is held.
fn into_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const M: &str = DECISIONS_MARKER;

    fn check(cases: &[(&str, &str, Option<&str>)]) {
        for (text, left, block) in cases {
            let text = text.replace('@', M);
            let cut = cut(&text, M);
            assert_eq!(
                (cut.text.as_ref(), cut.block.as_deref()),
                (left.replace('@', M).as_str(), *block),
                "{text:?}"
            );
            for at in (0..=text.len()).filter(|&at| text.is_char_boundary(at)) {
                assert_eq!(
                    stream(&[&text[..at], &text[at..]]).0.trim_end(),
                    cut.text.trim_end(),
                    "{text:?} at {at}"
                );
            }
        }
    }

    fn stream(pieces: &[&str]) -> (String, Option<String>) {
        let mut fence = DecisionFence::new(M);
        let mut out = String::new();
        for piece in pieces {
            out.push_str(&fence.push(piece));
            assert!(fence.held() <= MAX_FENCE_LINE_BYTES + 1);
        }
        out.push_str(&fence.finish());
        (out, fence.take_block())
    }

    #[test]
    fn every_block_leaves_the_text_and_the_last_is_handed_over() {
        check(&[
            ("a\n\n```@\n{\"é\": \"漢😀\"}\n```\n", "a", Some("{\"é\": \"漢😀\"}")),
            ("```@\n{}\n```\nb", "b", Some("{}")),
            ("a\r\n```@\r\n{}\r\n[]\r\n```\r\nb\r\n", "a\r\nb", Some("{}\r\n[]")),
            ("a\n```@\n1\n```\nb\n~~~~ @ \n2\n~~~\n~~~~\nc", "a\nb\nc", Some("2\n~~~")),
            ("a\n   ```@\n   1\n   ```\nb", "a\nb", Some("1")),
            ("a\n```@\n```\nb", "a\nb", Some("")),
            ("a\n```@\n{}\n``````  \nb", "a\nb", Some("{}")),
            ("a\n```@\n{}", "a", Some("{}")),
            ("a\n```@\n{}\n``", "a", Some("{}\n``")),
            ("a\n```@\n{}\n```", "a", Some("{}")),
            ("a\n```@", "a", Some("")),
        ]);
    }

    #[test]
    fn a_block_may_be_quoted_or_in_a_list_item() {
        check(&[
            ("a\n> ```@\n> {}\n> ```\n> b", "a\n> b", Some("{}")),
            ("> > ```@\n>> {\n> >   }\n>>```\nb", "b", Some("{\n  }")),
            ("> ```@\n> {}\nb", "b", Some("{}")),
            ("> ```@\n> {}\n\nb", "\nb", Some("{}")),
            ("- a\n- ```@\n  {}\n  ```\n- b", "- a\n- b", Some("{}")),
            ("- a\n\n  ```@\n  {}\n  ```\nb", "- a\n\nb", Some("{}")),
            ("10. a\n    ```@\n    {\n      1}\n    ```\nb", "10. a\nb", Some("{\n  1}")),
            ("- a\n  - b\n\n    ```@\n    {}\n    ```", "- a\n  - b", Some("{}")),
            ("- > ```@\n  > {}\n  > ```\nb", "b", Some("{}")),
            ("1) ```@\n{}\n```\nb", "b", Some("{}")),
        ]);
    }

    #[test]
    fn an_example_and_a_mention_stay() {
        for text in [
            "",
            "a",
            "@",
            "a ```@ b",
            "see ```@\n{}\n```",
            "`@`",
            "```@```",
            "``@\n{}\n``",
            "```@x\n{}\n```",
            "```x@\n{}\n```",
            "```@ json\n{}\n```",
            "````\n```@\n{}\n```\n````",
            "````md\n```@\n{}\n```\n````\n",
            "~~~\n```@\n{}\n```\n~~~",
            "```\n```@\n{}\n```",
            "    ```@\n    {}\n    ```",
            "\t```@\n",
            "> ````\n> ```@\n> {}\n> ```\n> ````",
            "-```@\n{}\n```",
            "1234567890. ```@\n{}\n",
            "```@\u{a0}\n{}\n```",
            "***\n---\n+",
            "- - - \n1.\n>\n>>",
            "``` a`b\n",
        ] {
            let text = text.replace('@', M);
            assert_eq!(cut(&text, M), Cut { text: Cow::Borrowed(&text), block: None }, "{text:?}");
            assert_eq!(stream(&[&text]), (text.clone(), None));
        }
        check(&[("> ````\nb\n```@\n{}\n```\nc", "> ````\nb\nc", Some("{}"))]);
    }

    #[test]
    fn no_more_is_held_back_than_may_become_the_opening_line() {
        let longest = "```wicked-decisions".len();
        for (text, held) in [
            ("prose", 0),
            ("prose ```", 0),
            ("prose\n", 0),
            ("``", 2),
            ("```wicked-", 10),
            ("```wicked-x", 0),
            ("```js", 0),
            ("> - ``", 6),
            ("- a", 0),
            ("12", 2),
            ("12 ", 0),
            ("    ", 4),
            ("     x", 0),
            ("**", 0),
            ("```wicked-decisions", longest),
        ] {
            let mut fence = DecisionFence::new(M);
            assert_eq!(fence.push(text).len() + held, text.len(), "{text:?}");
            assert_eq!(fence.held(), held, "{text:?}");
        }
    }

    #[test]
    fn hostile_text_takes_linear_time_and_bounded_memory() {
        for piece in [
            " ",
            "`",
            "~",
            ">",
            "> ",
            "- ",
            "1. ",
            "\t",
            "\r",
            "`\n",
            "```\n",
            "> ```\n",
            ">\n",
            "- a\n",
            "```wicked-decisions\n",
            "> ```wicked-decisions\n",
        ] {
            let text = piece.repeat(80_000);
            let whole = cut(&text, M);
            let mut fence = DecisionFence::new(M);
            let mut out = String::new();
            for at in 0..text.len() {
                out.push_str(&fence.push(&text[at..=at]));
                assert!(fence.held() <= MAX_FENCE_LINE_BYTES + 1);
            }
            out.push_str(&fence.finish());
            assert_eq!(out.trim_end(), whole.text.trim_end(), "{piece:?}");
        }
    }

    #[test]
    fn a_block_over_the_bound_leaves_the_text_and_is_not_handed_over() {
        let text = format!("a\n```{M}\n{}\n```\nb", "x\n".repeat(MAX_DECISIONS_BYTES));
        assert_eq!(cut(&text, M), Cut { text: Cow::Borrowed("a\nb"), block: None });
    }

    #[test]
    fn another_marker_is_as_good_and_an_impossible_one_is_known() {
        assert_eq!(cut("a\n```my.block_1\n{}\n```", "my.block_1").block.as_deref(), Some("{}"));
        for marker in ["", "a b", "`", "é", "a\n"] {
            assert!(!is_marker(marker));
        }
    }

    /// The same rules without lists and quotes, written over whole lines.
    fn by_lines(text: &str) -> (String, Option<String>) {
        let (mut left, mut block, mut open) = (String::new(), None, None::<(char, usize, bool, String)>);
        for line in text.split_inclusive('\n') {
            let bare = line.trim_end_matches(['\n', '\r']);
            let indent = bare.len() - bare.trim_start_matches(' ').len();
            let trimmed = bare.trim_matches([' ', '\t', '\r']);
            let first = trimmed.chars().next().filter(|first| matches!(first, '`' | '~'));
            let run = first.map_or(0, |first| trimmed.chars().take_while(|&other| other == first).count());
            let info = trimmed[run..].trim_matches([' ', '\t', '\r']);
            match open.take() {
                Some((character, length, decisions, mut body)) => {
                    if first == Some(character) && run >= length && info.is_empty() {
                        if decisions {
                            block = Some(body)
                        } else {
                            left.push_str(line)
                        }
                        continue;
                    }
                    if decisions {
                        body.push_str(line)
                    } else {
                        left.push_str(line)
                    }
                    open = Some((character, length, decisions, body));
                }
                None if run >= 3 && indent <= 3 && !(first == Some('`') && info.contains('`')) => {
                    let decisions = info == M;
                    open = Some((first.unwrap(), run, decisions, String::new()));
                    if !decisions {
                        left.push_str(line)
                    }
                }
                None => left.push_str(line),
            }
        }
        if let Some((_, _, true, body)) = open {
            block = Some(body);
        }
        (left, block.map(|body| body.strip_suffix('\n').unwrap_or(&body).to_owned()))
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

        #[test]
        fn the_automaton_agrees_with_the_rules_over_whole_lines(picks in proptest::collection::vec(0usize..14, 0..40)) {
            const PIECES: &[&str] = &[
                "\n", "\n", "```", "~~~", "````", "wicked-decisions\n", "```wicked-decisions\n", "~~~wicked-decisions\n", "\n```\n", "x", " ", "é漢😀", "{}\n", "`",
            ];
            let text: String = picks.iter().map(|&pick| PIECES[pick]).collect();
            let cut = cut(&text, M);
            let (left, block) = by_lines(&text);
            prop_assert_eq!(cut.text.trim_end(), left.trim_end());
            // What the fence is indented by comes off its lines; the simple rules leave it, also on a
            // last line that then holds nothing.
            let bare = |block: Option<String>| block.map(|body| body.trim_end().split('\n').map(|line| line.trim_start().to_owned()).collect::<Vec<_>>());
            prop_assert_eq!(bare(cut.block), bare(block));
        }

        #[test]
        fn every_split_of_any_text_gives_what_the_whole_gives(
            picks in proptest::collection::vec((0usize..22, any::<bool>()), 0..60)
        ) {
            const PIECES: &[&str] = &[
                "\n", "\n", "```", "~~~", "````", "wicked-", "decisions", "```wicked-decisions\n", "\n```\n", "x", " ", "é漢😀", "> ", ">", "- ", "1. ",
                "\t", "\r\n", "`", "    ", "> ```wicked-decisions\n", "- ```wicked-decisions\n",
            ];
            let mut pieces = vec![String::new()];
            for &(pick, joined) in &picks {
                if !joined { pieces.push(String::new()) }
                pieces.last_mut().unwrap().push_str(PIECES[pick]);
            }
            let text = pieces.concat();
            let cut = cut(&text, M);
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            let (out, block) = stream(&pieces);
            prop_assert_eq!(out.trim_end(), cut.text.trim_end());
            prop_assert_eq!(block, cut.block.clone());
            let letters: Vec<String> = text.chars().map(String::from).collect();
            let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
            let by_letters = stream(&letters).0;
            prop_assert_eq!(by_letters.trim_end(), cut.text.trim_end());
        }
    }
}
