//! From a text to its citations: one pass over its words, line by line independent of each other
//! but for the root named last.

use super::citation::{Citation, ExtractOptions, Kind, Root};
use super::link;
use super::names::{LastNamed, Names};
use super::position;
use super::scan::{self, DIGIT, DOT, INNER, OPEN, SLASH, Word};
use super::sha;
use super::shape::{Around, Shape, shape};
use super::tables;
use super::token::{self, Token};
use crate::limits::{MAX_CITATION_BYTES, MAX_EXTRACTED};
use crate::text::ByteSpan;
use indexmap::IndexSet;

/// Every citation of `text`, ordered by position, each claim once: two citations are one claim when
/// kind, raw text and symbol are the same.
///
/// *Bounds*: [`MAX_EXTRACTED`] claims; linear in the text.
/// *Source*: contract 1, Extraction.
pub fn extract_citations(text: &str, roots: &[Root], options: &ExtractOptions) -> Vec<Citation> {
    extract_with(text, &Names::new(roots), options)
}

/// [`extract_citations`] with names made ready before.
pub fn extract_with(text: &str, names: &Names, options: &ExtractOptions) -> Vec<Citation> {
    let mut claims = Claims::default();
    let mut found = Vec::new();
    let mut scanner = Scanner::default();
    scanner.advance(
        text,
        0,
        text.len(),
        names,
        options,
        &mut |citation| match claims.seen(text, &citation) {
            Claim::New => found.push(citation),
            Claim::Again(index) => {
                if let Some(first) = found.get_mut(index) {
                    let first: &mut Citation = first;
                    first.repeats.push(citation.span);
                }
            }
            Claim::TooMany => {}
        },
    );
    found
}

/// Every rule id cited as `[rule:<id>]` in `text`, once each, in order.
///
/// *Bounds*: an id has no white space and no bracket.
pub fn extract_rule_citations(text: &str) -> Vec<String> {
    let found = extract_citations(text, &[], &ExtractOptions::default());
    found.into_iter().filter_map(|citation| citation.rule_id).collect()
}

/// Tells claims that were made before.
#[derive(Debug, Default)]
pub(super) struct Claims {
    known: IndexSet<String>,
    /// The claim looked at.
    key: String,
}

/// Whether a claim is new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Claim {
    New,
    /// The same as the one with this index.
    Again(usize),
    TooMany,
}

impl Claims {
    pub(super) fn seen(&mut self, text: &str, citation: &Citation) -> Claim {
        write_claim(&mut self.key, citation.kind, citation.symbol.as_deref(), citation.raw(text));
        if self.known.len() >= MAX_EXTRACTED {
            return self.known.get_index_of(&self.key).map_or(Claim::TooMany, Claim::Again);
        }
        match self.known.insert_full(self.key.clone()) {
            (_, true) => Claim::New,
            (index, false) => Claim::Again(index),
        }
    }
}

/// Makes `key` what is the same for the same claim.
pub(super) fn write_claim(key: &mut String, kind: Kind, symbol: Option<&str>, raw: &str) {
    key.clear();
    key.push(char::from(kind as u8));
    key.push_str(symbol.unwrap_or(""));
    key.push('\0');
    key.push_str(raw);
}

/// How far behind the end of a word its reading may look, at most to the end of the line.
pub(super) const LOOK_AHEAD: usize = 2 * MAX_CITATION_BYTES;

/// How far before a word its reading may look.
pub(super) const LOOK_BACK: usize = 256;

/// Links without a space between them; more is no prose.
const MOST_LINKS: usize = 8;

/// Bytes of a word of the form `commit:path` that is read as both.
const MOST_COMMIT_PATH_BYTES: usize = 256;

/// Characters between a symbol and the position it introduces.
const MOST_GLUE: usize = 40;

/// What the scanner knows at a place of the text. Offsets are those of the text it was given.
#[derive(Debug, Default)]
pub(super) struct Scanner {
    named: LastNamed,
    /// Up to here the text was searched for names.
    named_to: usize,
    /// The last backticked identifier and the end of its backticks.
    symbol: Option<(String, usize)>,
    /// The end of the last citation.
    cited_to: usize,
    /// Inside a run too long to be read.
    skipping: bool,
    /// Inside a URL.
    in_url: bool,
}

impl Scanner {
    /// Reads words of `text` from byte `from` as long as they end before `safe`, and returns where to
    /// go on. Nothing behind `safe` is decided: it may still change.
    pub(super) fn advance(
        &mut self,
        text: &str,
        from: usize,
        safe: usize,
        names: &Names,
        options: &ExtractOptions,
        sink: &mut impl FnMut(Citation),
    ) -> usize {
        let bytes = text.as_bytes();
        let whole = safe == text.len();
        let mut at = from;
        loop {
            if self.skipping || self.in_url {
                let end = if self.in_url { scan::url_end(bytes, at) } else { scan::word_end(bytes, at).0 };
                self.named_to = self.named_to.max(end);
                at = end;
                if end == bytes.len() && !whole {
                    return end;
                }
                self.skipping = false;
                self.in_url = false;
            }
            if !options.ambiguous_shas {
                at = scan::skip_plain(bytes, at, safe);
            }
            let word = scan::next_word(bytes, at);
            if word.end - word.start > MAX_CITATION_BYTES {
                self.read_names(names, text, word.start);
                at = word.start;
                self.skipping = true;
                continue;
            }
            if word.end > safe || (word.end == bytes.len() && !whole) {
                return word.start.min(bytes.len());
            }
            if word.start == word.end {
                return word.end;
            }
            at = if is_plain(bytes, word, options) {
                word.end
            } else {
                self.word(text, word, names, options, sink)
            };
        }
    }

    /// The text was cut: what was byte `by` is now the first.
    pub(super) fn shift(&mut self, by: usize) {
        self.named_to = self.named_to.saturating_sub(by);
        self.cited_to = self.cited_to.saturating_sub(by);
        self.symbol = self.symbol.take().filter(|(_, end)| *end >= by).map(|(name, end)| (name, end - by));
    }

    /// Searches for names up to `to`, which begins a word.
    pub(super) fn read_names(&mut self, names: &Names, text: &str, to: usize) {
        if to > self.named_to {
            self.named.read(names, text, self.named_to, to);
            self.named_to = to;
        }
    }

    /// Reads one word and returns where to go on.
    fn word(
        &mut self,
        text: &str,
        word: Word,
        names: &Names,
        options: &ExtractOptions,
        sink: &mut impl FnMut(Citation),
    ) -> usize {
        let byte = |at: usize| text.as_bytes().get(at).copied().unwrap_or(0);
        let Word { start, end, has } = word;
        let quoted = start > 0 && byte(start - 1) == b'`';
        let span = ByteSpan::new(start, end);
        let view = span.of(text);
        if has & OPEN != 0
            && let Some(at) = view.as_bytes().windows(6).position(|bytes| bytes == b"[rule:")
            && let Some((citation, resume)) = rule(text, start + at)
        {
            if at > 0 {
                self.token(text, ByteSpan::new(start, start + at), names, options, sink);
            }
            self.cite(text, citation, sink);
            return resume;
        }
        if has & OPEN != 0
            && let Some(at) = view.as_bytes().windows(2).position(|bytes| bytes == b"](")
        {
            if view.matches("](").nth(MOST_LINKS).is_some() {
                return end;
            }
            let label = ByteSpan::new(start, start + at);
            return match link::target(text, start + at + 2) {
                Some(target) => {
                    self.label(text, label, target.span, names, options, sink);
                    self.target(text, target.span, names, sink);
                    target.end
                }
                None => {
                    self.token(text, label, names, options, sink);
                    // Go on behind the bracket, as a word of its own.
                    start + at + 2
                }
            };
        }
        if has & SLASH != 0
            && has & INNER != 0
            && let Some(at) = view.as_bytes().windows(3).position(|bytes| bytes == b"://")
        {
            return self.url(text, start, start + at, names, sink);
        }
        if let Some((citation, resume)) =
            bracketed_source(text, span, names).or_else(|| fence_info(text, span, names))
        {
            self.cite(text, citation, sink);
            return resume;
        }
        if has & SLASH != 0 && byte(end) == b' ' {
            let spaced = if byte(end - 1) == b'\\' {
                link::read_escaped(text, start, end, names)
            } else if quoted {
                link::read_backticked(text, start, names)
            } else {
                None
            };
            if let Some((citation, resume)) = spaced {
                self.cite(text, citation, sink);
                return resume;
            }
        }
        let label_of = link_behind(text, end);
        let resume = match label_of {
            Some(target) if quoted || has & (DOT | SLASH) != 0 => {
                self.label(text, span, target, names, options, sink)
            }
            _ => self.token(text, span, names, options, sink),
        };
        if quoted && resume == end && self.cited_to <= start && byte(end) == b'`' {
            self.remember_symbol(view, end + 1, names);
        }
        resume
    }

    /// Reads a link's label: a citation of its own unless it says what the target says.
    fn label(
        &mut self,
        text: &str,
        label: ByteSpan,
        target: ByteSpan,
        names: &Names,
        options: &ExtractOptions,
        sink: &mut impl FnMut(Citation),
    ) -> usize {
        let trimmed = token::trim(text, label);
        if let Token::Cited(said, _) = token::read(text, trimmed, label.end, names)
            && let Some(meant) = link::read_target(text, target, names)
            && agrees(&said, &meant)
        {
            return label.end;
        }
        self.token(text, label, names, options, sink)
    }

    fn target(&mut self, text: &str, span: ByteSpan, names: &Names, sink: &mut impl FnMut(Citation)) {
        if let Some(citation) = link::read_target(text, span, names) {
            self.cite(text, citation, sink);
        }
    }

    /// A URL from `start`, its `://` at `colon`: only a file's is a citation.
    fn url(
        &mut self,
        text: &str,
        start: usize,
        colon: usize,
        names: &Names,
        sink: &mut impl FnMut(Citation),
    ) -> usize {
        let scheme = text.get(start..colon).unwrap_or("");
        if let Some(head) = scheme.strip_suffix("file")
            && !head.ends_with(|last: char| last.is_ascii_alphanumeric())
        {
            let from = start + head.len();
            let end = scan::url_end(text.as_bytes(), from).min(from + MAX_CITATION_BYTES);
            let url = token::trim(text, ByteSpan::new(from, floor(text, end)));
            if let Some(citation) = link::read_file_url(text, url, names) {
                self.cite(text, citation, sink);
            }
        }
        self.read_names(names, text, start);
        self.in_url = true;
        colon
    }

    /// Reads `span` as a path, else for commits; returns where to go on.
    fn token(
        &mut self,
        text: &str,
        span: ByteSpan,
        names: &Names,
        options: &ExtractOptions,
        sink: &mut impl FnMut(Citation),
    ) -> usize {
        match token::read(text, token::trim(text, span), span.end, names) {
            Token::Cited(citation, end) => {
                self.cite(text, *citation, sink);
                end.max(span.end)
            }
            Token::Url => {
                self.read_names(names, text, span.start);
                self.in_url = true;
                span.end
            }
            Token::None => self.commits(text, span, names, options, sink),
        }
    }

    fn commits(
        &mut self,
        text: &str,
        span: ByteSpan,
        names: &Names,
        options: &ExtractOptions,
        sink: &mut impl FnMut(Citation),
    ) -> usize {
        let mut at = span.start;
        while let Some(sha) = sha::next(text, span, at, names, options.ambiguous_shas) {
            let mut citation = Citation::new(Kind::Sha, sha.span);
            citation.tentative = sha.tentative;
            self.read_names(names, text, sha.span.start);
            citation.repo = self.named.get().map(str::to_owned);
            self.cite(text, citation, sink);
            at = sha.span.end;
            // `6d77153:src/a.ts`
            if text.get(at..span.end).is_some_and(|rest| {
                rest.starts_with(':') && (2..MOST_COMMIT_PATH_BYTES).contains(&rest.len())
            }) {
                return at + 1;
            }
        }
        span.end
    }

    fn cite(&mut self, text: &str, mut citation: Citation, sink: &mut impl FnMut(Citation)) {
        if citation.kind == Kind::Line {
            citation.symbol = self.introduction(text, citation.span.start);
        }
        self.cited_to = citation.span.end;
        sink(citation);
    }

    fn remember_symbol(&mut self, word: &str, end: usize, names: &Names) {
        let length = token::identifier(word, 0);
        let name = word.get(..length).unwrap_or("");
        let rest = word.get(length..).unwrap_or("");
        let call = rest.is_empty() || rest == "!" || (rest.starts_with('(') && rest.ends_with(')'));
        if length > 1 && call && token::is_symbol(name) && !names.is_alias(name) {
            self.symbol = Some((name.to_owned(), end));
        }
    }

    /// The symbol that introduces the position at `start`.
    fn introduction(&self, text: &str, start: usize) -> Option<String> {
        let (name, end) = self.symbol.as_ref()?;
        if self.cited_to > *end || *end > start || start - end > MOST_GLUE * 4 {
            return None;
        }
        is_same_clause(text.get(*end..start)?).then(|| name.clone())
    }
}

/// True when `glue` stays in one clause and does not turn to something else.
fn is_same_clause(glue: &str) -> bool {
    if glue.chars().count() > MOST_GLUE {
        return false;
    }
    let ends = glue.chars().any(|c| matches!(c, '\n' | ';' | '!' | '?' | '。' | '；' | '，'));
    if ends || glue.as_bytes().windows(2).any(|pair| matches!(pair, [b'.', b' ' | b')'])) {
        return false;
    }
    let mut clauses = glue.split(", ");
    clauses.next();
    let goes_on = clauses.all(|clause| {
        let first = clause.trim_start_matches(['(', '[', '`', '"', '*']).split(' ').next().unwrap_or("");
        first.is_empty() || tables::has(tables::CLAUSE_GOES_ON, first)
    });
    goes_on
        && !glue.split(|c: char| !c.is_alphanumeric()).any(|word| tables::has(tables::TURNING_WORDS, word))
}

/// True when a label says what its target says: the same file, and the same lines if it names any.
fn agrees(said: &Citation, meant: &Citation) -> bool {
    let tail = said.path.trim_start_matches("./");
    let same_file = meant.path == said.path
        || meant.path.strip_suffix(tail).is_some_and(|head| head.is_empty() || head.ends_with(['/', '\\']));
    let same_lines = said.lines.is_empty() || said.lines == meant.lines;
    same_file && same_lines && said.kind != Kind::Symbol
}

/// The target of the link whose label ends at `end`, a closing backtick or emphasis apart.
fn link_behind(text: &str, end: usize) -> Option<ByteSpan> {
    let rest = text.get(end..)?;
    let behind = rest.trim_start_matches(['`', '*', '_']);
    if rest.len() - behind.len() > 4 || !behind.starts_with("](") {
        return None;
    }
    link::target(text, end + rest.len() - behind.len() + 2).map(|target| target.span)
}

/// `[rule:<id>]` at `start`.
fn rule(text: &str, start: usize) -> Option<(Citation, usize)> {
    let rest = text.get(start + "[rule:".len()..)?;
    let mut length = 0;
    for (at, character) in rest.char_indices() {
        if character == ']' {
            length = at;
            break;
        }
        if character.is_whitespace() || character == '[' || at > MAX_CITATION_BYTES {
            return None;
        }
    }
    if length == 0 {
        return None;
    }
    let end = start + "[rule:".len() + length + 1;
    let mut citation = Citation::new(Kind::Rule, ByteSpan::new(start, end));
    citation.rule_id = rest.get(..length).map(str::to_owned);
    Some((citation, end))
}

/// `【F:path†L5-L14】`; the word is `F:path`.
fn bracketed_source(text: &str, word: ByteSpan, names: &Names) -> Option<(Citation, usize)> {
    let path = word.of(text).strip_prefix("F:")?;
    let open = text.get(..word.start)?.strip_suffix('【')?.len();
    let lines = word.end + '†'.len_utf8();
    if !text.get(word.end..)?.starts_with('†') {
        return None;
    }
    let position = position::find_lines(text, lines)?;
    if !text.get(position.end..)?.starts_with('】') {
        return None;
    }
    let end = position.end + '】'.len_utf8();
    let tentative = located(path, names)?;
    let mut citation = Citation::new(Kind::Line, ByteSpan::new(open, end));
    citation.path = path.to_owned();
    citation.tentative = tentative;
    token::locate(&mut citation, position);
    Some((citation, end))
}

/// `12:14:path` behind the three backticks that open a block.
fn fence_info(text: &str, word: ByteSpan, names: &Names) -> Option<(Citation, usize)> {
    let view = word.of(text);
    if !view.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let line = text.get(..word.start)?.strip_suffix("```")?;
    if !(line.is_empty() || line.ends_with(['\n', ' ', '\t', '>'])) {
        return None;
    }
    let mut fields = view.splitn(3, ':');
    let first = fields.next()?.parse::<u32>().ok()?.min(u32::MAX - 1);
    let last = fields.next()?.parse::<u32>().ok()?.min(u32::MAX - 1);
    let path = fields.next()?;
    let mut citation = Citation::new(Kind::Line, word);
    citation.tentative = located(path, names)?;
    citation.path = path.to_owned();
    citation.line = Some(first);
    citation.end_line = Some(last);
    citation.lines = vec![(first, last)];
    Some((citation, word.end))
}

/// Whether a path whose lines are named is tentative; `None` when it is no path.
fn located(path: &str, names: &Names) -> Option<bool> {
    match shape(path, names, Around { located: true, quoted: false }) {
        Shape::None => None,
        shape => Some(shape == Shape::Tentative),
    }
}

/// True for a word that nothing can be read from: most of a text.
fn is_plain(bytes: &[u8], Word { start, end, has }: Word, options: &ExtractOptions) -> bool {
    if has & SLASH != 0 || start.checked_sub(1).and_then(|before| bytes.get(before)) == Some(&b'`') {
        return false;
    }
    let long = end - start >= SHORTEST_COMMIT;
    if long && (has & DIGIT != 0 || options.ambiguous_shas) {
        return false;
    }
    let mut word = bytes.get(start..end).unwrap_or_default();
    if has & OPEN != 0 {
        // `(so` is prose; a bracket further in belongs to a name, a call or a link.
        let Some((b'(' | b'[', rest)) = word.split_first() else { return false };
        if has & (DOT | INNER) != 0 || rest.iter().any(|byte| matches!(byte, b'(' | b'[')) {
            return false;
        }
        word = rest;
    }
    if has & (DOT | INNER) == 0 {
        return !is_maybe_name(word);
    }
    // A full stop or a colon at the end is the sentence's.
    let tail = word.iter().rev().take_while(|byte| matches!(byte, b'.' | b':')).count();
    let word = word.get(..word.len() - tail).unwrap_or_default();
    let inner = word.iter().position(|byte| matches!(byte, b'.' | b':' | b'#' | b'-')).unwrap_or(word.len());
    !word.contains(&b'.') && !is_maybe_name(word.get(..inner).unwrap_or_default())
}

/// Characters of the shortest commit name.
const SHORTEST_COMMIT: usize = 7;

/// `Makefile`, `LICENSE`, `dockerfile`: names without a mark of their own.
fn is_maybe_name(word: &[u8]) -> bool {
    let closing = |byte: &&u8| matches!(byte, b')' | b']' | b'!' | b'?');
    let tail = word.iter().rev().take_while(closing).count();
    match word.get(..word.len() - tail).unwrap_or_default() {
        name @ [first, second, ..] if first.is_ascii_uppercase() && second.is_ascii_uppercase() => {
            name.len() >= 4
        }
        [.., b'f', b'i', b'l', b'e'] => true,
        _ => false,
    }
}

fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
