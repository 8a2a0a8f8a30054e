//! Path tokens: where a path ends, what position or symbol follows, which readings it has.

use super::citation::{Citation, Kind};
use super::names::Names;
use super::position::{self, Found, Position};
use super::shape::{Around, Shape, has_drive, has_name, is_host, shape};
use super::tables;
use crate::limits::MAX_CITATION_BYTES;
use crate::text::{ByteSpan, cut_at};

fn byte(text: &str, at: usize) -> u8 {
    text.as_bytes().get(at).copied().unwrap_or(0)
}

fn before(text: &str, at: usize) -> u8 {
    at.checked_sub(1).map_or(0, |at| byte(text, at))
}

/// A word without the brackets and punctuation around it.
pub(super) fn trim(text: &str, word: ByteSpan) -> ByteSpan {
    /// Brackets opened before one name; more is no prose.
    const MOST_BRACKETS: usize = 8;
    let mut token = word;
    for _ in 0..MOST_BRACKETS {
        token = trim_end(text, token);
        let first = byte(text, token.start);
        match first {
            b'(' | b'[' => match matching(text, token) {
                Some(close) if close + 1 < token.end && goes_on_behind(byte(text, close + 1)) => {
                    return token;
                }
                Some(close) => token = ByteSpan::new(token.start + 1, close),
                None => token.start += 1,
            },
            b'!' | b'?' | b':' | b'&' | b')' | b']' if token.start < token.end => token.start += 1,
            _ => return token,
        }
    }
    token
}

/// True when a name goes on behind its bracket: `(group)/page.tsx`, `[id].tsx`.
fn goes_on_behind(next: u8) -> bool {
    next.is_ascii_alphanumeric()
        || next >= 0x80
        || matches!(next, b'/' | b'\\' | b'.' | b'-' | b'_' | b'(' | b'[')
}

/// Without punctuation at the end, and without closing brackets that nothing in the token opened.
fn trim_end(text: &str, token: ByteSpan) -> ByteSpan {
    let (mut round, mut square) = (0i32, 0i32);
    for byte in token.of(text).bytes() {
        match byte {
            b'(' => round += 1,
            b')' => round -= 1,
            b'[' => square += 1,
            b']' => square -= 1,
            _ => {}
        }
    }
    let mut end = token.end;
    while end > token.start {
        match before(text, end) {
            b'.' | b':' | b'!' | b'?' | b'&' | b'-' | b'\\' | b'~' => {}
            b')' if round < 0 => round += 1,
            b']' if square < 0 => square += 1,
            _ => break,
        }
        end -= 1;
    }
    ByteSpan::new(token.start, end)
}

/// The bracket that closes the one `token` begins with.
fn matching(text: &str, token: ByteSpan) -> Option<usize> {
    let mut depth = 0usize;
    for (at, byte) in token.of(text).bytes().enumerate() {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(token.start + at);
                }
            }
            _ => {}
        }
    }
    None
}

/// What a token turned out to be.
pub(super) enum Token {
    /// A citation and where reading goes on.
    Cited(Box<Citation>, usize),
    /// Part of a URL: nothing up to the next white space is a citation.
    Url,
    /// No path.
    None,
}

/// Reads the path token `token`, already [trimmed](trim); `word_end` is where its word ends.
pub(super) fn read(text: &str, token: ByteSpan, word_end: usize, names: &Names) -> Token {
    let Some(mut split) = split(text, token) else { return Token::None };
    let literal = split.path;
    if !literal.of(text).is_ascii() {
        split.path = between_cjk(text, literal);
    }
    let path = split.path.of(text);
    if is_url_without_scheme(path) {
        return Token::Url;
    }
    if !is_whole(text, split.path) || is_address(path) {
        return Token::None;
    }
    let symbol = if split.position.is_none() { symbol(text, split.path.end) } else { Symbol::None };
    if matches!(symbol, Symbol::Broken) {
        return Token::None;
    }
    let quoted = quoted_line(text, split.path);
    let line = split.position.is_some() || quoted.is_some();
    if matches!(symbol, Symbol::Is(_)) && !has_name(path) {
        return Token::None;
    }
    let around = Around { located: line || matches!(symbol, Symbol::Is(_)), quoted: false };
    let mut tentative = match shape(path, names, around) {
        Shape::Firm => false,
        Shape::Tentative => true,
        Shape::None if is_diff_header(text, split.path.start, path) => true,
        Shape::None => return inside_brackets(text, token, word_end, names),
    };
    if !around.located && is_module_specifier(text, split.path.start) {
        return Token::None;
    }
    let mut span = split.path;
    let mut citation = Citation::new(Kind::Path, span);
    citation.path = path.to_owned();
    citation.readings = readings(text, path, split.path.end, word_end);
    if split.path != literal {
        citation.readings = vec![literal.of(text).to_owned(), path.to_owned()];
    }
    if let Some(position) = split.position {
        span.end = position.end;
        locate(&mut citation, position);
    } else if let Some((whole, position)) = quoted {
        span = whole;
        tentative = false;
        locate(&mut citation, position);
    } else if let Symbol::Is(name) = symbol {
        span.end = name.end;
        citation.kind = Kind::Symbol;
        citation.symbol = Some(name.of(text).to_owned());
        if byte(text, span.end) == b'(' && byte(text, span.end + 1) == b')' {
            span.end += 2;
        }
    }
    if !is_closed(text, span.end) {
        return Token::None;
    }
    citation.span = span;
    citation.tentative = tentative;
    Token::Cited(Box::new(citation), span.end)
}

/// Gives `citation` a position.
pub(super) fn locate(citation: &mut Citation, position: Position) {
    citation.kind = Kind::Line;
    citation.line = Some(position.line);
    citation.column = position.column;
    citation.end_line = position.end_line;
    citation.end_column = position.end_column;
    citation.lines = position.lines;
}

/// The path of a token and its position.
struct Split {
    path: ByteSpan,
    position: Option<Position>,
}

/// Finds where the path ends; `None` when what follows breaks the token.
fn split(text: &str, token: ByteSpan) -> Option<Split> {
    let mut at = token.start;
    if token.of(text).starts_with("\\\\?\\") {
        at += 4;
    }
    if has_drive(text.get(at..token.end).unwrap_or("")) {
        at += 3;
    }
    while at < token.end {
        match byte(text, at) {
            b':' | b'#' | b'?' => break,
            b'(' | b'[' if byte(text, at + 1).is_ascii_digit() => {
                if let Found::Position(position) = position::find(text, at)
                    && is_closed(text, position.end)
                    && !matches!(byte(text, position.end), b'/' | b'\\' | b'(' | b'[')
                {
                    return Some(Split { path: ByteSpan::new(token.start, at), position: Some(position) });
                }
            }
            _ => {}
        }
        at += 1;
    }
    let path = ByteSpan::new(token.start, at);
    match position::find(text, at) {
        Found::Broken => None,
        Found::Position(position) => Some(Split { path, position: Some(position) }),
        Found::Nothing => Some(Split { path, position: None }),
    }
}

/// True when what stands at `end` does not go on the token.
fn is_closed(text: &str, end: usize) -> bool {
    let next = byte(text, end);
    !(next.is_ascii_alphanumeric()
        || matches!(next, b'_' | b'{' | b'$')
        || (next == b'.' && byte(text, end + 1).is_ascii_alphanumeric()))
}

/// False for the tail of a glob, a template or an elided path: `*.ts`, `${dir}/a.ts`, `…/a.ts`.
fn is_whole(text: &str, path: ByteSpan) -> bool {
    let rest = text.get(path.start..).unwrap_or("");
    let tail = rest.starts_with(['.', '/']) && !rest.starts_with("./") && !rest.starts_with("../");
    match text.get(..path.start).and_then(|head| head.chars().next_back()) {
        Some('}' | '$' | '^') => false,
        Some('*' | '>' | '%' | '…' | ')') => !tail,
        _ => true,
    }
}

/// `user@host`, `git@host`, `name@1.2.3`: an at sign inside the first name.
fn is_address(path: &str) -> bool {
    let Some(at) = path.bytes().position(|byte| byte == b'@') else { return false };
    let head = path.get(..at).unwrap_or("");
    let tail = path.get(at + 1..).unwrap_or("");
    let density = tail.starts_with(|digit: char| digit.is_ascii_digit())
        && tail.get(1..).is_some_and(|rest| rest.starts_with("x."));
    !head.is_empty() && !head.contains(['/', '\\']) && !density
}

/// `example.com/index.html`, `127.0.0.1/x`.
fn is_url_without_scheme(path: &str) -> bool {
    cut_at(path, b'/').is_some_and(|(first, _)| is_host(first)) || path.starts_with("www.")
}

/// What stands behind `path:`.
enum Symbol {
    Is(ByteSpan),
    None,
    /// More than a symbol: `host:path/x`.
    Broken,
}

fn symbol(text: &str, path_end: usize) -> Symbol {
    if byte(text, path_end) != b':' {
        return Symbol::None;
    }
    let start = path_end + 1;
    let end = identifier(text, start);
    if end == start {
        return Symbol::None;
    }
    let span = ByteSpan::new(start, end);
    match byte(text, end) {
        b'/' | b'\\' | b'@' => return Symbol::Broken,
        b':' if byte(text, end + 1).is_ascii_digit() => return Symbol::Broken,
        b'(' if byte(text, end + 1) == b')' => {}
        _ => {}
    }
    if is_symbol(span.of(text)) { Symbol::Is(span) } else { Symbol::None }
}

/// Where the identifier that begins at `at` ends: names joined by `.`, `::`, `#` or `-`.
pub(super) fn identifier(text: &str, at: usize) -> usize {
    /// Characters of one name; more is data.
    const MOST_CHARACTERS: usize = MAX_CITATION_BYTES / 4;
    let part = |from: usize| {
        let rest = text.get(from..).unwrap_or("");
        if !rest.starts_with(|first: char| first.is_alphabetic() || matches!(first, '_' | '$')) {
            return 0;
        }
        let named = |c: &char| c.is_alphanumeric() || matches!(c, '_' | '$');
        let part = rest.chars().take(MOST_CHARACTERS).take_while(named);
        part.map(char::len_utf8).sum()
    };
    let mut end = at + part(at);
    while end > at && end - at < MAX_CITATION_BYTES {
        let joint = match (byte(text, end), byte(text, end + 1)) {
            (b':', b':') => 2,
            (b'.' | b'#' | b'-', _) => 1,
            _ => break,
        };
        let length = part(end + joint);
        if length == 0 {
            break;
        }
        end += joint + length;
    }
    end
}

/// True when an identifier may name a symbol: no keyword and no tool, which are written small.
pub(super) fn is_symbol(name: &str) -> bool {
    let small = !name.bytes().any(|byte| byte.is_ascii_uppercase());
    let is_none = small && tables::has(tables::NOT_SYMBOLS, name);
    !is_none && !matches!(name, "TODO" | "FIXME" | "NOTE" | "Error")
}

/// `"path", line 5`: the whole with its opening quote, and the position.
fn quoted_line(text: &str, path: ByteSpan) -> Option<(ByteSpan, Position)> {
    let quote = before(text, path.start);
    if !matches!(quote, b'"' | b'\'') || byte(text, path.end) != quote {
        return None;
    }
    let position = position::find_spoken(text, path.end + 1)?;
    Some((ByteSpan::new(path.start - 1, position.end), position))
}

/// `from "./a.js"`, `require('./a')`, `#include "a.h"`, `src="a.png"`: code that names a module
/// relative to a file we do not know.
fn is_module_specifier(text: &str, start: usize) -> bool {
    let Some(head) = text.get(..start).and_then(|head| head.strip_suffix(['"', '\'', '<', '`'])) else {
        return false;
    };
    let head = head.strip_suffix(' ').unwrap_or(head);
    ["from", "import", "require(", "import(", "include", "src=", "href=", "url("].iter().any(|word| {
        head.strip_suffix(word)
            .is_some_and(|rest| !rest.ends_with(|last: char| last.is_alphanumeric() || last == '_'))
    })
}

/// `--- a/name` and `+++ b/name`.
fn is_diff_header(text: &str, start: usize, path: &str) -> bool {
    let head = text.get(..start).unwrap_or("");
    let line = head.strip_suffix("--- ").or_else(|| head.strip_suffix("+++ "));
    line.is_some_and(|rest| rest.is_empty() || rest.ends_with('\n'))
        && path.len() > 2
        && (path.starts_with("a/") || path.starts_with("b/"))
        && !path.ends_with('/')
        && !path.contains("//")
}

/// `at run[src/a.ts:46]`, `f(src/a.ts:10:5)`: the token in the brackets that end the word.
fn inside_brackets(text: &str, token: ByteSpan, word_end: usize, names: &Names) -> Token {
    let word = token.of(text);
    let Some(open) = word.rfind(['(', '[']).filter(|open| *open > 0) else { return Token::None };
    let inner = word.get(open + 1..).unwrap_or("");
    let Some(inner) = inner.strip_suffix([')', ']']) else { return Token::None };
    if !inner.contains(['/', '\\', ':']) || inner.contains([')', ']']) {
        return Token::None;
    }
    let start = token.start + open + 1;
    read(text, ByteSpan::new(start, start + inner.len()), word_end, names)
}

/// The readings of a path, the most literal first; empty when there is only one.
fn readings(text: &str, path: &str, path_end: usize, word_end: usize) -> Vec<String> {
    let mut readings = Vec::new();
    // `/tmp/build!` may be a name.
    let bang = text.get(path_end..word_end).is_some_and(|tail| tail == "!");
    if bang {
        readings.push(format!("{path}!"));
    }
    let rest = path
        .strip_prefix("a/")
        .or_else(|| path.strip_prefix("b/"))
        .or_else(|| {
            path.strip_prefix('@').filter(|rest| rest.contains('/')).map(|rest| rest.trim_start_matches('/'))
        })
        .or_else(|| path.strip_prefix('/').filter(|rest| rest.contains('/')));
    if rest.is_some() || bang {
        readings.push(path.to_owned());
    }
    if let Some(rest) = rest.filter(|rest| !rest.is_empty()) {
        readings.push(rest.to_owned());
    }
    readings
}

/// Scripts without spaces put words right before and behind a path: `请看src/a.ts文件`. The part of
/// `path` that is left without them, when it has both a path's beginning and its end.
fn between_cjk(text: &str, path: ByteSpan) -> ByteSpan {
    let is_cjk = |character: char| ('\u{2E80}'..='\u{FFEF}').contains(&character);
    let mut span = path;
    let whole = path.of(text);
    if let Some(dot) = whole.rfind('.')
        && let Some(cut) = whole.get(dot..).and_then(|tail| tail.find(is_cjk))
        && tables::has(tables::EXTENSIONS, whole.get(dot + 1..dot + cut).unwrap_or(""))
    {
        span.end = path.start + dot + cut;
    }
    let first = whole.split(['/', '\\']).next().unwrap_or("");
    if let Some((at, last)) = first.char_indices().rev().find(|(_, character)| is_cjk(*character)) {
        let cut = at + last.len_utf8();
        let goes_on = whole
            .get(cut..)
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '.'));
        if goes_on && !whole.get(cut..).is_some_and(|rest| rest.starts_with('.') && !rest.contains('/')) {
            span.start = path.start + cut;
        }
    }
    span
}
