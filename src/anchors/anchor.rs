//! Spans and anchors written down: `span:<start>-<end>` beside a chunk, and
//! `<hash12>#<start>-<end>`, which binds a span to the version of the text it was measured in.

use crate::error::Error;
use crate::text::Utf16Span;

/// What a span tag begins with.
pub const SPAN_TAG_PREFIX: &str = "span:";

/// Hex digits of the content hash in an anchor.
pub const ANCHOR_HASH_DIGITS: usize = 12;

/// The largest offset JavaScript counts exactly.
const MAX_OFFSET: u64 = (1 << 53) - 1;

/// An anchor read back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CitationAnchor {
    /// The first hex digits of the content hash, lower case.
    pub hash_prefix: String,
    /// UTF-16 units of the extracted text.
    pub span: Utf16Span,
}

/// The tag `span:<start>-<end>`. *Errors*: `INVALID_ARGUMENT` when the end lies before the start.
pub fn span_tag(span: Utf16Span) -> Result<String, Error> {
    ordered(span)?;
    Ok(format!("{SPAN_TAG_PREFIX}{}-{}", span.start, span.end))
}

/// The span of the first well-formed span tag.
pub fn parse_span_tag<'t>(tags: impl IntoIterator<Item = &'t str>) -> Option<Utf16Span> {
    tags.into_iter().find_map(|tag| parse_span(tag.strip_prefix(SPAN_TAG_PREFIX)?))
}

/// The anchor of a span in the text whose SHA-256 is `content_hash`. *Errors*: `INVALID_ARGUMENT`
/// for what [`parse_citation_anchor`] would not give back.
pub fn citation_anchor(content_hash: &str, span: Utf16Span) -> Result<String, Error> {
    ordered(span)?;
    let digits = content_hash.get(..ANCHOR_HASH_DIGITS).filter(|_| is_hex(content_hash));
    let Some(digits) = digits else {
        return Err(Error::invalid("contentHash", "contentHash must be at least 12 hex digits."));
    };
    Ok(format!("{}#{}-{}", digits.to_ascii_lowercase(), span.start, span.end))
}

/// The parts of an anchor; `None` when it is not one.
pub fn parse_citation_anchor(anchor: &str) -> Option<CitationAnchor> {
    let (hash, span) = anchor.split_once('#')?;
    if hash.len() != ANCHOR_HASH_DIGITS || !is_hex(hash) {
        return None;
    }
    Some(CitationAnchor { hash_prefix: hash.to_ascii_lowercase(), span: parse_span(span)? })
}

/// True when the anchor was cut from the text whose SHA-256 is `content_hash`.
pub fn anchor_matches_hash(anchor: &str, content_hash: &str) -> bool {
    let Some(anchor) = parse_citation_anchor(anchor) else { return false };
    is_hex(content_hash)
        && content_hash
            .get(..ANCHOR_HASH_DIGITS)
            .is_some_and(|digits| digits.eq_ignore_ascii_case(&anchor.hash_prefix))
}

fn ordered(span: Utf16Span) -> Result<(), Error> {
    if span.start > span.end {
        return Err(Error::invalid("endChar", "endChar must not lie before startChar."));
    }
    Ok(())
}

/// `<start>-<end>` in plain decimal, ordered.
fn parse_span(text: &str) -> Option<Utf16Span> {
    let (start, end) = text.split_once('-')?;
    let (start, end) = (parse_offset(start)?, parse_offset(end)?);
    (start <= end).then_some(Utf16Span { start, end })
}

/// A decimal number as it is written: no sign, no leading zero.
fn parse_offset(text: &str) -> Option<usize> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    let value: u64 = text.parse().ok().filter(|&value| is_plain && value <= MAX_OFFSET)?;
    usize::try_from(value).ok()
}

fn is_hex(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HASH: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    fn span(start: usize, end: usize) -> Utf16Span {
        Utf16Span { start, end }
    }

    #[test]
    fn a_tag_is_found_among_others_and_a_malformed_one_is_no_tag() {
        assert_eq!(span_tag(span(3, 17)).unwrap(), "span:3-17");
        assert_eq!(parse_span_tag(["lang:en", "span:x", "span:3-17", "span:4-5"]), Some(span(3, 17)));
        for tag in [
            "span:",
            "span:3",
            "span:3-",
            "span:-3",
            "span:5-3",
            "span:+3-5",
            "span:03-5",
            "span:3-5 ",
            "Span:3-5",
            "span:3-5-7",
            "span:9-99999999999999999999",
        ] {
            assert_eq!(parse_span_tag([tag]), None, "{tag}");
        }
        assert_eq!(parse_span_tag([]), None);
        assert!(span_tag(span(5, 3)).is_err());
    }

    #[test]
    fn an_anchor_is_refused_when_it_would_not_come_back() {
        assert_eq!(citation_anchor(HASH, span(0, 0)).unwrap(), "0123456789ab#0-0");
        assert_eq!(citation_anchor(&HASH.to_uppercase(), span(1, 2)).unwrap(), "0123456789ab#1-2");
        for hash in ["", "0123456789a", "0123456789ag", "0123456789ab cdef", "é123456789abcdef"] {
            assert!(citation_anchor(hash, span(1, 2)).is_err(), "{hash}");
        }
        assert!(citation_anchor(HASH, span(2, 1)).is_err());
        for anchor in [
            "",
            "#",
            "0123456789ab",
            "0123456789ab#",
            "0123456789a#1-2",
            "0123456789abc#1-2",
            "0123456789ag#1-2",
            "0123456789ab#2-1",
            "0123456789ab#1-2#",
            " 0123456789ab#1-2",
        ] {
            assert_eq!(parse_citation_anchor(anchor), None, "{anchor}");
            assert!(!anchor_matches_hash(anchor, HASH));
        }
    }

    #[test]
    fn an_anchor_matches_the_hash_it_begins_with() {
        assert!(anchor_matches_hash("0123456789AB#1-2", HASH));
        assert!(!anchor_matches_hash("0123456789ac#1-2", HASH));
        assert!(!anchor_matches_hash("0123456789ab#1-2", "0123456789a"));
        assert!(!anchor_matches_hash("0123456789ab#1-2", ""));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]
        #[test]
        fn what_is_written_is_read_back(start in 0usize..1 << 31, length in 0usize..1 << 20) {
            let span = span(start, start + length);
            prop_assert_eq!(parse_span_tag([span_tag(span).unwrap().as_str()]), Some(span));
            let anchor = citation_anchor(HASH, span).unwrap();
            prop_assert_eq!(parse_citation_anchor(&anchor).unwrap().span, span);
            prop_assert!(anchor_matches_hash(&anchor, HASH));
        }

        #[test]
        fn nothing_panics_and_what_parses_is_written_the_same(text in "(span:|[0-9a-f]{12}#)?[0-9]{0,3}-?[0-9é#-]{0,4}") {
            if let Some(span) = parse_span_tag([text.as_str()]) {
                prop_assert_eq!(span_tag(span).unwrap(), text.clone());
            }
            if let Some(anchor) = parse_citation_anchor(&text) {
                prop_assert_eq!(citation_anchor(&anchor.hash_prefix, anchor.span).unwrap(), text);
            }
        }
    }
}
