//! Raw HTML inside markdown, cut into tags and text. No tree: markdown breaks HTML into pieces at
//! blank lines, so a reader has to keep its state between pieces anyway.

use crate::text::ByteSpan;

/// One piece of raw HTML; spans count within the text that was cut.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'h> {
    /// Text between tags, entities still encoded.
    Text(ByteSpan),
    /// A tag; `attributes` is all between the name and the closing bracket.
    Tag { name: &'h str, closing: bool, attributes: &'h str },
}

/// Calls `each` for every piece of `html` in order; comments, declarations and instructions are no
/// pieces. A tag that is never closed is text.
pub(super) fn pieces<'h>(html: &'h str, mut each: impl FnMut(Piece<'h>)) {
    let bytes = html.as_bytes();
    let mut text = 0;
    let mut at = 0;
    // A comment without an end reaches to the end of the input; once is enough to know that.
    let mut comment_ends = true;
    while let Some(found) = memchr::memchr(b'<', bytes.get(at..).unwrap_or_default()) {
        let open = at + found;
        let rest = bytes.get(open..).unwrap_or_default();
        let end = match bytes.get(open + 1) {
            Some(b'!') if comment_ends && rest.starts_with(b"<!--") => {
                let body = open + 4;
                let length = memchr::memmem::find(bytes.get(body..).unwrap_or_default(), b"-->");
                comment_ends = length.is_some();
                length.map(|length| body + length + 3)
            }
            Some(b'!' | b'?') => match memchr::memchr(b'>', rest) {
                Some(length) => Some(open + length + 1),
                // No `>` in all the rest: nothing after this can be a tag.
                None => break,
            },
            Some(b'/' | b'a'..=b'z' | b'A'..=b'Z') => tag_end(bytes, open + 1),
            _ => None,
        };
        let Some(end) = end else {
            at = open + 1;
            continue;
        };
        if text < open {
            each(Piece::Text(ByteSpan::new(text, open)));
        }
        if let Some(inner) = html.get(open + 1..end - 1)
            && !inner.starts_with(['!', '?'])
        {
            let closing = inner.starts_with('/');
            let inner = inner.trim_start_matches('/');
            let length = inner.find(|c: char| c.is_ascii_whitespace() || c == '/').unwrap_or(inner.len());
            let (name, attributes) = inner.split_at_checked(length).unwrap_or((inner, ""));
            each(Piece::Tag { name, closing, attributes });
        }
        at = end;
        text = end;
    }
    if text < html.len() {
        each(Piece::Text(ByteSpan::new(text, html.len())));
    }
}

/// One past the `>` of the tag whose name starts at `at`, quotes respected; a tag has no `<` outside
/// quotes, which keeps a row of openers linear.
fn tag_end(bytes: &[u8], at: usize) -> Option<usize> {
    let mut quote = None;
    for (offset, &byte) in bytes.get(at..)?.iter().take(MAX_TAG_BYTES).enumerate() {
        match (quote, byte) {
            (Some(open), _) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'>') => return Some(at + offset + 1),
            (None, b'<') => return None,
            _ => {}
        }
    }
    None
}

/// Longer than any tag but one with an image inside; beyond it a quote is taken for one left open.
const MAX_TAG_BYTES: usize = 1 << 16;

/// What a tag does to the words around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// Nothing: a term runs through.
    Inline,
    /// A link: as `Inline`, and its words are a link's.
    Link,
    /// Starts and ends a block.
    Block,
    /// Starts and ends a table cell.
    Cell,
    /// Starts and ends a heading.
    Heading,
    /// Keeps white space.
    Preformatted,
    /// A line break.
    Break,
    /// Something between words that is no text.
    Object,
    /// Small raised or lowered text: words of their own that may stick to their neighbour.
    Script,
    /// Its content is on no page.
    Hidden,
    /// Nothing is known about it.
    Unknown,
}

/// Sorted by name.
#[rustfmt::skip]
const TAGS: &[(&str, Effect)] = &[
    ("a", Effect::Link), ("abbr", Effect::Inline), ("acronym", Effect::Inline),
    ("address", Effect::Block), ("article", Effect::Block), ("aside", Effect::Block),
    ("audio", Effect::Object), ("b", Effect::Inline), ("bdi", Effect::Inline),
    ("bdo", Effect::Inline), ("big", Effect::Inline), ("blockquote", Effect::Block),
    ("body", Effect::Block), ("br", Effect::Break), ("button", Effect::Object),
    ("canvas", Effect::Object), ("caption", Effect::Block), ("center", Effect::Block),
    ("cite", Effect::Inline), ("code", Effect::Inline), ("col", Effect::Block),
    ("colgroup", Effect::Block), ("data", Effect::Inline), ("datalist", Effect::Hidden),
    ("dd", Effect::Block), ("del", Effect::Inline), ("details", Effect::Block),
    ("dfn", Effect::Inline), ("dialog", Effect::Block), ("dir", Effect::Block),
    ("div", Effect::Block), ("dl", Effect::Block), ("dt", Effect::Block),
    ("em", Effect::Inline), ("embed", Effect::Object), ("fieldset", Effect::Block),
    ("figcaption", Effect::Block), ("figure", Effect::Block), ("font", Effect::Inline),
    ("footer", Effect::Block), ("form", Effect::Block), ("h1", Effect::Heading),
    ("h2", Effect::Heading), ("h3", Effect::Heading), ("h4", Effect::Heading),
    ("h5", Effect::Heading), ("h6", Effect::Heading), ("head", Effect::Hidden),
    ("header", Effect::Block), ("hr", Effect::Block), ("html", Effect::Block),
    ("i", Effect::Inline), ("iframe", Effect::Hidden), ("img", Effect::Object),
    ("input", Effect::Object), ("ins", Effect::Inline), ("kbd", Effect::Inline),
    ("label", Effect::Inline), ("legend", Effect::Block), ("li", Effect::Block),
    ("link", Effect::Inline), ("main", Effect::Block), ("mark", Effect::Inline),
    ("menu", Effect::Block), ("meta", Effect::Inline), ("nav", Effect::Block),
    ("nobr", Effect::Inline), ("noscript", Effect::Hidden), ("object", Effect::Object),
    ("ol", Effect::Block), ("optgroup", Effect::Hidden), ("option", Effect::Hidden),
    ("p", Effect::Block), ("picture", Effect::Object), ("pre", Effect::Preformatted),
    ("q", Effect::Inline), ("rp", Effect::Hidden), ("rt", Effect::Object),
    ("ruby", Effect::Inline), ("s", Effect::Inline), ("samp", Effect::Inline),
    ("script", Effect::Hidden), ("section", Effect::Block), ("select", Effect::Hidden),
    ("small", Effect::Inline), ("source", Effect::Inline), ("span", Effect::Inline),
    ("strike", Effect::Inline), ("strong", Effect::Inline), ("style", Effect::Hidden),
    ("sub", Effect::Script), ("summary", Effect::Block), ("sup", Effect::Script),
    ("svg", Effect::Object), ("table", Effect::Block), ("tbody", Effect::Block),
    ("td", Effect::Cell), ("template", Effect::Hidden), ("textarea", Effect::Hidden),
    ("tfoot", Effect::Block), ("th", Effect::Cell), ("thead", Effect::Block),
    ("time", Effect::Inline), ("title", Effect::Hidden), ("tr", Effect::Block),
    ("tt", Effect::Inline), ("u", Effect::Inline), ("ul", Effect::Block),
    ("var", Effect::Inline), ("video", Effect::Object), ("wbr", Effect::Inline),
];

/// What the tag `name` (any case) does.
pub(super) fn effect(name: &str) -> Effect {
    let lower = name.to_ascii_lowercase();
    let found = TAGS.binary_search_by(|(known, _)| (*known).cmp(lower.as_str()));
    found.ok().and_then(|index| TAGS.get(index)).map_or(Effect::Unknown, |&(_, effect)| effect)
}

/// True when the attributes take the element off the page: `hidden`, or a style that displays none.
pub(super) fn hides(attributes: &str) -> bool {
    let compact: String = attributes.chars().filter(|c| !c.is_whitespace()).collect();
    compact.to_ascii_lowercase().contains("display:none")
        || attributes.split_ascii_whitespace().any(|word| {
            let word = word.trim_end_matches('/');
            word.eq_ignore_ascii_case("hidden") || word.eq_ignore_ascii_case("hidden=\"\"")
        })
}

/// True for elements without a closing tag.
pub(super) fn is_void(name: &str) -> bool {
    ["br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"]
        .iter()
        .any(|void| name.eq_ignore_ascii_case(void))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(html: &str) -> Vec<String> {
        let mut found = Vec::new();
        pieces(html, |piece| {
            found.push(match piece {
                Piece::Text(span) => format!("'{}'", span.of(html)),
                Piece::Tag { name, closing, attributes } => {
                    format!("{}{name}|{}", if closing { "/" } else { "" }, attributes.trim())
                }
            });
        });
        found
    }

    #[test]
    fn tags_and_text_come_in_order_and_comments_do_not() {
        assert_eq!(
            cut("a<b class='x>y'>é</b><!-- <i> -->😀<br/>"),
            ["'a'", "b|class='x>y'", "'é'", "/b|", "'😀'", "br|/"]
        );
        assert_eq!(cut("<!DOCTYPE html><p\n id=a>x"), ["p|id=a", "'x'"]);
        assert_eq!(cut("1 < 2 <- 3"), ["'1 < 2 <- 3'"]);
        assert_eq!(cut(""), Vec::<String>::new());
    }

    #[test]
    fn what_is_left_open_is_text_in_linear_time() {
        for opener in ["<", "<a", "<!--", "<!-- -- ", "<a \"", "<!", "<?", "</"] {
            let html = opener.repeat(100_000);
            let mut length = 0;
            pieces(&html, |piece| {
                if let Piece::Text(span) = piece {
                    length += span.end - span.start
                }
            });
            assert!(length > 0, "{opener}");
        }
    }

    #[test]
    fn the_table_is_sorted_and_every_entry_is_reachable() {
        assert!(TAGS.windows(2).all(|pair| pair[0].0 < pair[1].0));
        for &(name, expected) in TAGS {
            assert_eq!(effect(&name.to_uppercase()), expected);
        }
        assert_eq!(effect("my-widget"), Effect::Unknown);
    }

    #[test]
    fn hidden_attributes_are_seen_whole() {
        assert!(hides(" hidden"));
        assert!(hides(" style=\"color:red; display : none\""));
        assert!(!hides(" class=hidden-print"));
        assert!(!hides(""));
    }
}
