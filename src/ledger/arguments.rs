//! Tool-call arguments: JSON read as JavaScript's `JSON.parse` reads it, once, keeping places instead
//! of strings. A body is only turned into text when something looks at it.

use super::edit::{Anchor, Edit, Place};
use crate::limits::MAX_ARGUMENT_DEPTH;
use crate::text::utf16_len_of_bytes;
use std::borrow::Cow;
use std::ops::Range;

/// The tools whose calls say something about a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    /// Replaces a file's whole body.
    Write,
    /// Changes a file's body.
    Edit,
    /// Shows a file's body.
    Read,
    /// Runs commands or another agent: may change any file.
    Shell,
    /// Says nothing about files.
    Other,
}

/// The bytes between the quotes of a JSON string, and what was learnt when they were passed over.
#[derive(Debug, Clone)]
pub(super) struct JsonText {
    place: Range<usize>,
    is_escaped: bool,
    /// How many units longer the escapes are than what they stand for.
    surplus: usize,
    /// Whether an escape is half of a surrogate pair.
    is_broken: bool,
}

impl JsonText {
    /// The UTF-8 of the string, or `None` when it holds half of a surrogate pair.
    pub(super) fn decode<'t>(&self, json: &'t [u8]) -> Option<Cow<'t, [u8]>> {
        let raw = json.get(self.place.clone()).filter(|_| !self.is_broken)?;
        if !self.is_escaped {
            return Some(Cow::Borrowed(raw));
        }
        // Whole blocks are written, also where only their start counts.
        let mut text = vec![0; raw.len() + BLOCK];
        let (mut from, mut to) = (0, 0);
        while from < raw.len() {
            // Source code has an escape every few bytes: blocks of eight beat a search and a copy each.
            if let Some(block) = raw.get(from..from + BLOCK) {
                let plain = bytes_before_backslash(block.try_into().ok()?);
                text.get_mut(to..to + BLOCK)?.copy_from_slice(block);
                from += plain;
                to += plain;
                if plain == BLOCK {
                    continue;
                }
            }
            let byte = match *raw.get(from)? {
                b'\\' => {
                    from += 1;
                    match *raw.get(from)? {
                        b'n' => b'\n',
                        b't' => b'\t',
                        b'r' => b'\r',
                        b'b' => 8,
                        b'f' => 12,
                        b'u' => {
                            let (character, length) = hex_character(raw.get(from + 1..)?)?;
                            from += 1 + length;
                            to += character.encode_utf8(text.get_mut(to..)?).len();
                            continue;
                        }
                        byte => byte,
                    }
                }
                byte => byte,
            };
            *text.get_mut(to)? = byte;
            from += 1;
            to += 1;
        }
        text.truncate(to);
        Some(Cow::Owned(text))
    }

    /// [`JsonText::decode`] as a string.
    pub(super) fn decode_str(&self, json: &[u8]) -> Option<String> {
        String::from_utf8(self.decode(json)?.into_owned()).ok()
    }

    /// The length of the string in UTF-16 units, or `None` when it holds half of a surrogate pair.
    pub(super) fn units(&self, json: &[u8]) -> Option<usize> {
        let raw = json.get(self.place.clone()).filter(|_| !self.is_broken)?;
        Some(utf16_len_of_bytes(raw) - self.surplus)
    }
}

const BLOCK: usize = 8;

/// How many bytes of `block` come before its first backslash.
fn bytes_before_backslash(block: [u8; BLOCK]) -> usize {
    const ONES: u64 = u64::from_le_bytes([1; BLOCK]);
    let zero_at_backslash = u64::from_le_bytes(block) ^ (ONES * b'\\' as u64);
    // Taking one away borrows into the top bit of a zero; the lowest such bit is never wrong.
    let tops = zero_at_backslash.wrapping_sub(ONES) & !zero_at_backslash & (ONES << 7);
    tops.trailing_zeros() as usize / 8
}

/// The character behind `\u`, and how many bytes of `bytes` it takes; both halves of a pair are there.
fn hex_character(bytes: &[u8]) -> Option<(char, usize)> {
    let first = hex_unit(bytes)?;
    if !(0xD800..0xDC00).contains(&first) {
        return Some((char::from_u32(first)?, 4));
    }
    let second = hex_unit(bytes.get(6..)?)?;
    Some((char::from_u32(0x10000 + ((first & 0x3FF) << 10 | (second & 0x3FF)))?, 10))
}

/// The number that four hex digits at the start of `bytes` stand for.
fn hex_unit(bytes: &[u8]) -> Option<u32> {
    let digit = |number: Option<u32>, &byte: &u8| Some(number? << 4 | char::from(byte).to_digit(16)?);
    bytes.get(..4)?.iter().fold(Some(0), digit)
}

#[derive(Debug, Clone)]
enum Value {
    Text(JsonText),
    Number(f64),
    Boolean(bool),
    /// The items, one level deep.
    Array(Vec<Value>),
    Object(Vec<(JsonText, Value)>),
    Null,
}

struct Reader<'t> {
    json: &'t [u8],
    at: usize,
    /// Whether any byte is a control character, which no string may hold as it is.
    has_controls: bool,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.json.get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        self.space();
        (self.peek()? == byte).then(|| self.at += 1)
    }

    fn word(&mut self, word: &str, value: Value) -> Option<Value> {
        self.json.get(self.at..)?.starts_with(word.as_bytes()).then(|| self.at += word.len())?;
        Some(value)
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        self.space();
        match self.peek()? {
            b'"' => self.text().map(Value::Text),
            b'{' if depth > 0 => self.object(depth).map(Value::Object),
            b'[' if depth > 0 => self.array(depth).map(Value::Array),
            b't' => self.word("true", Value::Boolean(true)),
            b'f' => self.word("false", Value::Boolean(false)),
            b'n' => self.word("null", Value::Null),
            _ => self.number(),
        }
    }

    fn text(&mut self) -> Option<JsonText> {
        self.take(b'"')?;
        let start = self.at;
        let (mut is_escaped, mut surplus, mut is_broken) = (false, 0, false);
        // Where the second half of a pair has to be escaped.
        let mut half_until = None;
        let bytes = self.json;
        loop {
            self.at += memchr::memchr2(b'"', b'\\', bytes.get(self.at..)?)?;
            if self.peek()? == b'"' {
                break;
            }
            is_escaped = true;
            let escape = self.at;
            self.at += 2;
            match *bytes.get(escape + 1)? {
                b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => surplus += 1,
                b'u' => {
                    let unit = hex_unit(bytes.get(self.at..)?)?;
                    self.at += 4;
                    surplus += 5;
                    match unit {
                        0xD800..0xDC00 => {
                            is_broken |= half_until.is_some();
                            half_until = Some(self.at);
                        }
                        0xDC00..0xE000 => is_broken |= half_until.take() != Some(escape),
                        _ => {}
                    }
                }
                _ => return None,
            }
        }
        let place = start..self.at;
        self.at += 1;
        if self.has_controls && bytes.get(place.clone())?.iter().any(|&byte| byte < 0x20) {
            return None;
        }
        Some(JsonText { place, is_escaped, surplus, is_broken: is_broken || half_until.is_some() })
    }

    fn number(&mut self) -> Option<Value> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let first = self.digits()?;
        if first.starts_with(b"0") && first.len() > 1 {
            return None;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        std::str::from_utf8(self.json.get(start..self.at)?).ok()?.parse().ok().map(Value::Number)
    }

    fn digits(&mut self) -> Option<&[u8]> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        self.json.get(start..self.at).filter(|digits| !digits.is_empty())
    }

    fn array(&mut self, depth: usize) -> Option<Vec<Value>> {
        self.take(b'[')?;
        let mut items = Vec::new();
        if self.take(b']').is_some() {
            return Some(items);
        }
        loop {
            items.push(self.value(depth - 1)?);
            if self.take(b',').is_none() {
                return self.take(b']').map(|()| items);
            }
        }
    }

    fn object(&mut self, depth: usize) -> Option<Vec<(JsonText, Value)>> {
        self.take(b'{')?;
        let mut members = Vec::new();
        if self.take(b'}').is_some() {
            return Some(members);
        }
        loop {
            self.space();
            let key = self.text()?;
            self.take(b':')?;
            members.push((key, self.value(depth - 1)?));
            if self.take(b',').is_none() {
                return self.take(b'}').map(|()| members);
            }
        }
    }
}

/// What one call's arguments say.
#[derive(Debug, Clone, Default)]
pub struct Arguments {
    /// The file the call names; `None` when the arguments are no JSON object or name none.
    pub path: Option<String>,
    /// What the call asks for; `None` when it cannot be replayed.
    pub(super) request: Option<Request>,
}

/// A call in one of the shapes the ledger understands.
#[derive(Debug, Clone)]
pub(super) enum Request {
    Write(JsonText),
    Edit(Vec<EditText>),
    Read,
}

/// One operation whose texts still lie in the JSON.
#[derive(Debug, Clone)]
pub(super) struct EditText {
    target: Target,
    new: JsonText,
}

#[derive(Debug, Clone)]
enum Target {
    Replace { old: JsonText, all: bool },
    Insert(Place),
}

impl EditText {
    /// The operation with its texts, or `None` when one holds half of a surrogate pair.
    pub(super) fn decode<'t>(&self, json: &'t [u8]) -> Option<Edit<'t>> {
        let anchor = match &self.target {
            Target::Replace { old, all } => Anchor::Text { old: old.decode(json)?, all: *all },
            Target::Insert(place) => Anchor::Line(*place),
        };
        Some(Edit { anchor, new: self.new.decode(json)? })
    }
}

/// Reads the arguments of a call of `tool`, a text as its UTF-8.
///
/// `is_well_formed` is false when the caller's string held half of a surrogate pair, which reaches
/// this text as U+FFFD: a path with that character is then no path.
pub fn read_arguments(tool: Tool, json: &[u8], is_well_formed: bool) -> Arguments {
    // Without an early end the loop is vectorised.
    let has_controls = json.iter().fold(false, |found, &byte| found | (byte < 0x20));
    let mut reader = Reader { json, at: 0, has_controls };
    let Some(Value::Object(members)) = reader.value(MAX_ARGUMENT_DEPTH) else {
        return Arguments::default();
    };
    reader.space();
    if reader.at != json.len() {
        return Arguments::default();
    }
    let fields = Fields::of(members, json);
    let path = match &fields.path {
        Some(Value::Text(text)) => text.decode_str(json),
        _ => None,
    };
    let path = path.filter(|path| !path.is_empty() && (is_well_formed || !path.contains('\u{FFFD}')));
    let request = match tool {
        Tool::Write => fields.into_write(),
        Tool::Edit => fields.into_edit(json),
        Tool::Read => fields.into_read(),
        Tool::Shell | Tool::Other => None,
    };
    Arguments { path, request }
}

/// The known members; of duplicates the last one counts, as in JavaScript.
#[derive(Default)]
struct Fields {
    path: Option<Value>,
    content: Option<Value>,
    old: [Option<Value>; 2],
    new: [Option<Value>; 2],
    replace_all: Option<Value>,
    insert_line: Option<Value>,
    edits: Option<Value>,
    read_range: Option<Value>,
    offset: Option<Value>,
    limit: Option<Value>,
    has_unknown: bool,
}

impl Fields {
    fn of(members: Vec<(JsonText, Value)>, json: &[u8]) -> Fields {
        let mut fields = Fields::default();
        for (key, value) in members {
            // A key with half of a pair is no key we know.
            let key = key.decode(json).unwrap_or_default();
            let Fields { old: [old, old_short], new: [new, new_short], .. } = &mut fields;
            let field = match key.as_ref() {
                b"path" => &mut fields.path,
                b"content" => &mut fields.content,
                b"old_string" => old,
                b"oldStr" => old_short,
                b"new_string" => new,
                b"newStr" => new_short,
                b"replace_all" => &mut fields.replace_all,
                b"insertLine" => &mut fields.insert_line,
                b"edits" => &mut fields.edits,
                b"readRange" => &mut fields.read_range,
                b"offset" => &mut fields.offset,
                b"limit" => &mut fields.limit,
                _ => {
                    fields.has_unknown = true;
                    continue;
                }
            };
            *field = Some(value);
        }
        fields
    }

    fn into_write(self) -> Option<Request> {
        match self {
            Fields {
                content,
                old: [None, None],
                new: [None, new],
                replace_all: None,
                insert_line: None,
                edits: None,
                read_range: None,
                offset: None,
                limit: None,
                has_unknown: false,
                ..
            } => only_text([content, new]).map(Request::Write),
            _ => None,
        }
    }

    fn into_edit(self, json: &[u8]) -> Option<Request> {
        let Fields {
            content: None,
            old,
            new,
            replace_all,
            insert_line,
            edits,
            read_range: None,
            offset: None,
            limit: None,
            has_unknown: false,
            ..
        } = self
        else {
            return None;
        };
        match (edits, insert_line, replace_all) {
            (None, None, all) => Some(Request::Edit(vec![replacement(old, new, all)?])),
            (None, Some(line), None) if old.iter().all(Option::is_none) => {
                Some(Request::Edit(vec![EditText {
                    target: Target::Insert(place(&line, json)?),
                    new: only_text(new)?,
                }]))
            }
            (Some(Value::Array(items)), None, None)
                if !items.is_empty() && old.iter().chain(&new).all(Option::is_none) =>
            {
                items.into_iter().map(|item| batch_item(item, json)).collect::<Option<_>>().map(Request::Edit)
            }
            _ => None,
        }
    }

    fn into_read(self) -> Option<Request> {
        let is_count = |value: &Option<Value>| match value {
            None => true,
            Some(Value::Number(number)) => is_whole(*number),
            Some(_) => false,
        };
        let has_range = match &self.read_range {
            None => true,
            Some(Value::Array(items)) => {
                items.len() == 2
                    && items.iter().all(|item| matches!(item, Value::Number(number) if is_whole(*number)))
            }
            Some(_) => false,
        };
        match self {
            Fields {
                content: None,
                old: [None, None],
                new: [None, None],
                replace_all: None,
                insert_line: None,
                edits: None,
                has_unknown: false,
                ref offset,
                ref limit,
                ..
            } if has_range && is_count(offset) && is_count(limit) => Some(Request::Read),
            _ => None,
        }
    }
}

/// The text of the one spelling that was given.
fn only_text(spellings: [Option<Value>; 2]) -> Option<JsonText> {
    match spellings {
        [Some(Value::Text(text)), None] | [None, Some(Value::Text(text))] => Some(text),
        _ => None,
    }
}

fn replacement(old: [Option<Value>; 2], new: [Option<Value>; 2], all: Option<Value>) -> Option<EditText> {
    let all = match all {
        None => false,
        Some(Value::Boolean(all)) => all,
        Some(_) => return None,
    };
    let old = only_text(old).filter(|old| !old.place.is_empty())?;
    Some(EditText { target: Target::Replace { old, all }, new: only_text(new)? })
}

fn batch_item(item: Value, json: &[u8]) -> Option<EditText> {
    let Value::Object(members) = item else { return None };
    match Fields::of(members, json) {
        Fields {
            path: None,
            content: None,
            old,
            new,
            replace_all,
            insert_line: None,
            edits: None,
            read_range: None,
            offset: None,
            limit: None,
            has_unknown: false,
        } => replacement(old, new, replace_all),
        _ => None,
    }
}

/// Words that stand for the end of the file, in any case.
const END_WORDS: &[&str] = &["append", "end", "end-of-file", "end_of_file", "eof", "last"];

fn place(line: &Value, json: &[u8]) -> Option<Place> {
    match line {
        // A line past every file is as good as the last one.
        Value::Number(line) if is_whole(*line) && *line >= 0.0 => Some(Place::After(*line as usize)),
        Value::Text(word) => {
            let word = word.decode(json)?;
            END_WORDS.iter().any(|end| word.eq_ignore_ascii_case(end.as_bytes())).then_some(Place::End)
        }
        _ => None,
    }
}

fn is_whole(number: f64) -> bool {
    number.is_finite() && number.fract() == 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(json: &str) -> Option<String> {
        read_arguments(Tool::Edit, json.as_bytes(), true).path
    }

    fn is_replayable(tool: Tool, json: &str) -> bool {
        read_arguments(tool, json.as_bytes(), true).request.is_some()
    }

    #[test]
    fn a_path_is_read_where_javascript_would_find_it() {
        assert_eq!(path(r#"{"path":"a"}"#).as_deref(), Some("a"));
        assert_eq!(path(r#" { "p\u0061th" : "\u00e9漢\ud83d\ude00\n" } "#).as_deref(), Some("é漢😀\n"));
        assert_eq!(path(r#"{"path":"a","path":"b"}"#).as_deref(), Some("b"));
        assert_eq!(path(r#"{"path":"a","x":[{"path":1},-0.5e+3,true,null]}"#).as_deref(), Some("a"));
        assert_eq!(read_arguments(Tool::Edit, "{\"path\":\"a\u{FFFD}\"}".as_bytes(), false).path, None);
        assert_eq!(
            read_arguments(Tool::Edit, "{\"path\":\"a\u{FFFD}\"}".as_bytes(), true).path.as_deref(),
            Some("a\u{FFFD}")
        );
    }

    #[test]
    fn what_javascript_would_not_parse_names_no_path() {
        for json in [
            "",
            "{}",
            "[]",
            "null",
            "x",
            "{\"path\":1}",
            "{\"path\":\"\"}",
            "{\"path\":\"a\",}",
            "{\"path\":\"a\"",
            "{\"path\":\"a\"} x",
            "{path:\"a\"}",
            "{'path':'a'}",
            "{\"path\":\"a\nb\"}",
            "{\"path\":\"\\x\"}",
            "{\"path\":\"a\",\"n\":01}",
            "{\"path\":\"a\",\"n\":1.}",
            "{\"path\":\"a\",\"n\":.5}",
            "{\"path\":\"a\",\"n\":+1}",
            "{\"path\":\"a\",\"n\":NaN}",
            "{\"path\":\"\\ud800\"}",
            "{\"path\":\"\\ud83dx\"}",
            "{\"path\":\"\\u12g4\"}",
            "{\"path\":\"a\",\"path\":2}",
            "\u{FEFF}{\"path\":\"a\"}",
        ] {
            assert_eq!(path(json), None, "{json}");
        }
    }

    #[test]
    fn deep_nesting_is_refused_and_never_exhausts_the_stack() {
        let deep = format!("{{\"path\":\"a\",\"x\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(path(&deep), None);
        assert_eq!(path(r#"{"path":"a","x":[[[[[[1]]]]]]}"#).as_deref(), Some("a"));
    }

    #[test]
    fn only_the_known_shapes_are_replayable() {
        for json in [r#"{"path":"a","content":""}"#, r#"{"path":"a","newStr":"x"}"#] {
            assert!(is_replayable(Tool::Write, json), "{json}");
        }
        for json in [
            r#"{"path":"a"}"#,
            r#"{"path":"a","content":"","newStr":"x"}"#,
            r#"{"path":"a","content":1}"#,
            r#"{"path":"a","content":"","extra":1}"#,
            r#"{"path":"a","content":"","__proto__":1}"#,
            r#"{"path":"a","content":"","new_string":"x"}"#,
        ] {
            assert!(!is_replayable(Tool::Write, json), "{json}");
        }
        for json in [
            r#"{"path":"a","old_string":"x","new_string":""}"#,
            r#"{"path":"a","oldStr":"x","new_string":"","replace_all":true}"#,
            r#"{"path":"a","insertLine":0,"newStr":"x"}"#,
            r#"{"path":"a","insertLine":1.0,"newStr":"x"}"#,
            r#"{"path":"a","insertLine":1e0,"newStr":"x"}"#,
            r#"{"path":"a","insertLine":-0,"newStr":"x"}"#,
            r#"{"path":"a","insertLine":1e300,"newStr":"x"}"#,
            r#"{"path":"a","insertLine":"End_Of_File","newStr":"x"}"#,
            r#"{"path":"a","edits":[{"old_string":"x","new_string":"y","replace_all":false}]}"#,
        ] {
            assert!(is_replayable(Tool::Edit, json), "{json}");
        }
        for json in [
            r#"{"path":"a","old_string":"","new_string":"x"}"#,
            r#"{"path":"a","old_string":"x"}"#,
            r#"{"path":"a","old_string":"x","oldStr":"x","new_string":""}"#,
            r#"{"path":"a","old_string":"x","new_string":"","replace_all":1}"#,
            r#"{"path":"a","old_string":"x","new_string":"","insertLine":1}"#,
            r#"{"path":"a","insertLine":1,"new_string":"","replace_all":true}"#,
            r#"{"path":"a","insertLine":-1,"new_string":""}"#,
            r#"{"path":"a","insertLine":1.5,"new_string":""}"#,
            r#"{"path":"a","insertLine":1e400,"new_string":""}"#,
            r#"{"path":"a","insertLine":"1","new_string":""}"#,
            r#"{"path":"a","insertLine":null,"new_string":""}"#,
            r#"{"path":"a","edits":[]}"#,
            r#"{"path":"a","edits":{}}"#,
            r#"{"path":"a","edits":[{"old_string":"","new_string":"y"}]}"#,
            r#"{"path":"a","edits":[{"path":"a","old_string":"x","new_string":"y"}]}"#,
            r#"{"path":"a","edits":[{"old_string":"x","new_string":"y"}],"replace_all":true}"#,
        ] {
            assert!(!is_replayable(Tool::Edit, json), "{json}");
        }
        assert!(is_replayable(Tool::Read, r#"{"path":"a","readRange":[1,2],"offset":0,"limit":5}"#));
        assert!(!is_replayable(Tool::Read, r#"{"path":"a","readRange":[1]}"#));
        assert!(!is_replayable(Tool::Read, r#"{"path":"a","lines":3}"#));
    }

    #[test]
    fn every_word_for_the_end_is_understood_in_any_case() {
        for word in END_WORDS {
            let json = format!(r#"{{"path":"a","insertLine":"{}","newStr":""}}"#, word.to_uppercase());
            assert!(is_replayable(Tool::Edit, &json), "{word}");
        }
    }

    #[test]
    fn the_length_of_a_text_is_known_without_decoding_it() {
        for inside in [
            "",
            "abc",
            r"a\nb\t\\\/\u00e9",
            "é漢😀",
            r"\ud83d\ude00x\u0041",
            r#"\"\\\"\b\f\r"#,
            r"\\n\\u0041",
            r"1234567\n12345678\t\u00e9漢 12345\\\\ 😀 \ud83d\ude00é 0123456789abcde\r\n",
        ] {
            let json = format!("\"{inside}\"");
            let mut reader = Reader { json: json.as_bytes(), at: 0, has_controls: false };
            let text = reader.text().unwrap();
            let expected: String = serde_json::from_str(&json).unwrap();
            assert_eq!(text.decode_str(json.as_bytes()).unwrap(), expected);
            assert_eq!(text.units(json.as_bytes()), Some(utf16_len_of_bytes(expected.as_bytes())));
        }
        for inside in [
            r"\ud800",
            r"\ude00\ud83d",
            r"\ud83d\n",
            r"\ud83dx\ude00",
            r"\ud83d\\ude00",
            r"\ud83d\ud83d\ude00",
            r"\ud83d\ude00\ude00",
        ] {
            let json = format!("\"{inside}\"");
            let mut reader = Reader { json: json.as_bytes(), at: 0, has_controls: false };
            let text = reader.text().unwrap();
            assert_eq!((text.decode(json.as_bytes()), text.units(json.as_bytes())), (None, None), "{inside}");
        }
    }
}
