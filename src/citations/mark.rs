//! A text cut at its citations, for a renderer that shows each with its verdict.

use super::citation::{ExtractOptions, Kind};
use super::extract::{extract_with, write_claim};
use super::names::Names;
use crate::collections::{StringMap, sort_by};
use crate::text::ByteSpan;

/// A citation to be marked, as a verdict names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// What it names.
    pub kind: Kind,
    /// The citation exactly as it stands in the text.
    pub raw: String,
    /// The symbol it comes with.
    pub symbol: Option<String>,
    /// Where it stands first, when that is known.
    pub span: Option<ByteSpan>,
}

/// A piece of a text: plain, or an occurrence of the mark with this index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// Where the piece stands.
    pub span: ByteSpan,
    /// The index of its mark.
    pub mark: Option<usize>,
}

/// Cuts `text` into pieces that, joined, are the text: every occurrence of a mark is one, nothing
/// else is. An occurrence that no mark names in particular takes the mark of the same kind and text.
///
/// *Order*: that of the text.
pub fn mark_citations(text: &str, marks: &[Mark]) -> Vec<Segment> {
    let (mut exact, mut loose) = (StringMap::default(), StringMap::default());
    let mut key = String::new();
    for (index, mark) in marks.iter().enumerate() {
        for (map, symbol) in [(&mut exact, mark.symbol.as_deref()), (&mut loose, None)] {
            write_claim(&mut key, mark.kind, symbol, &mark.raw);
            if !map.contains(&key) {
                map.insert(&key, index);
            }
        }
    }
    let mut found: Vec<(ByteSpan, usize)> = Vec::new();
    for (index, mark) in marks.iter().enumerate() {
        if let Some(span) = mark.span.filter(|span| span.start < span.end && span.of(text) == mark.raw) {
            found.push((span, index));
        }
    }
    // What was verified may be ambiguous hex: only what a mark names is taken.
    let options = ExtractOptions { ambiguous_shas: true };
    for citation in extract_with(text, &Names::new(&[]), &options) {
        let raw = citation.raw(text);
        write_claim(&mut key, citation.kind, citation.symbol.as_deref(), raw);
        let index = exact.get(&key).or_else(|| {
            write_claim(&mut key, citation.kind, None, raw);
            loose.get(&key)
        });
        if let Some(&index) = index {
            found.push((citation.span, index));
            found.extend(citation.repeats.iter().map(|span| (*span, index)));
        }
    }
    // A place a mark names itself comes before what was found there again.
    sort_by(&mut found, |(one, _), (other, _)| one.start.cmp(&other.start));
    let mut segments = Vec::new();
    let mut at = 0;
    for (span, index) in found {
        if span.start < at {
            continue;
        }
        if span.start > at {
            segments.push(Segment { span: ByteSpan::new(at, span.start), mark: None });
        }
        segments.push(Segment { span, mark: Some(index) });
        at = span.end;
    }
    if at < text.len() {
        segments.push(Segment { span: ByteSpan::new(at, text.len()), mark: None });
    }
    segments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, marks: &[(Kind, &str, Option<&str>)], expected: &[(&str, Option<usize>)]) {
        let marks: Vec<Mark> = marks
            .iter()
            .map(|(kind, raw, symbol)| Mark {
                kind: *kind,
                raw: (*raw).to_owned(),
                symbol: symbol.map(str::to_owned),
                span: None,
            })
            .collect();
        let segments = mark_citations(text, &marks);
        let shown: Vec<_> = segments.iter().map(|segment| (segment.span.of(text), segment.mark)).collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn every_occurrence_is_a_piece_and_the_rest_is_plain() {
        check(
            "é src/a.ts:3, 漢 src/a.ts:30 and src/a.ts:3😀",
            &[(Kind::Line, "src/a.ts:3", None)],
            &[
                ("é ", None),
                ("src/a.ts:3", Some(0)),
                (", 漢 src/a.ts:30 and ", None),
                ("src/a.ts:3", Some(0)),
                ("😀", None),
            ],
        );
        check("", &[(Kind::Path, "a.ts", None)], &[]);
        check("none", &[], &[("none", None)]);
    }

    #[test]
    fn two_claims_about_one_line_keep_their_verdicts() {
        let line = (Kind::Line, "a.ts:3", Some("foo"));
        let other = (Kind::Line, "a.ts:3", Some("bar"));
        check(
            "`foo` a.ts:3 `bar` a.ts:3 a.ts:3",
            &[line, other],
            &[
                ("`foo` ", None),
                ("a.ts:3", Some(0)),
                (" `bar` ", None),
                ("a.ts:3", Some(1)),
                (" ", None),
                ("a.ts:3", Some(0)),
            ],
        );
    }

    #[test]
    fn a_span_that_is_not_the_citation_is_not_marked() {
        let mark = |span| Mark { kind: Kind::Path, raw: "x".to_owned(), symbol: None, span: Some(span) };
        let segments = mark_citations("x y x", &[mark(ByteSpan::new(2, 3)), mark(ByteSpan::new(0, 99))]);
        assert_eq!(segments.len(), 1);
        let segments = mark_citations("x y x", &[mark(ByteSpan::new(4, 5))]);
        assert_eq!(segments.len(), 2);
    }
}
