//! From a citation written down back to its passage, over whatever library the caller injects.
//! Contract section 5.

use super::relocate::{Method, Quote, Relocation, relocate};
use super::{
    CitationAnchor, anchor_matches_hash, chunk_spans, citation_anchor, parse_citation_anchor, passage_quote,
};
use crate::error::{Code, Detail, Error};
use crate::limits::{DEFAULT_CHUNK_CHARS, DEFAULT_QUOTE_CHARS};
use crate::text::{ByteSpan, Utf16Converter, Utf16Span, byte_of_utf16, sha256_hex};

/// A host's answer: `Err` when it threw, rejected or answered something that makes no sense.
pub type Answer<T> = Result<T, ()>;

/// Where documents come from. Every method is asked at most once a resolution, but `find_document`
/// first.
#[allow(async_fn_in_trait)]
pub trait Library {
    /// The library's own handle for a document.
    type Document;

    /// The document a path, canonical URL or document id names.
    async fn find_document(&self, target: &str) -> Answer<Option<Self::Document>>;
    /// Its text as it is now; `None` when its file is gone.
    async fn extract_text(&self, document: &Self::Document) -> Answer<Option<String>>;
    /// Its chunks in UTF-16 units; `None` when the library leaves the cutting to [`chunk_spans`].
    async fn chunk_spans(&self, document: &Self::Document, text: &str) -> Answer<Option<Vec<Utf16Span>>>;
    /// The stored text of the version whose hash starts so; `None` when it was not kept.
    async fn older_text(&self, document: &Self::Document, hash_prefix: &str) -> Answer<Option<String>>;
}

/// What the caller has written down.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// A chunk as a search hit names it.
    pub chunk_index: Option<usize>,
    /// An anchor; goes before the chunk.
    pub anchor: Option<String>,
    /// The words cited, for an anchor whose version is gone, or instead of one.
    pub quote: Option<String>,
    /// The words before the quote.
    pub prefix: Option<String>,
    /// The words after the quote.
    pub suffix: Option<String>,
}

/// How true a resolved passage is.
#[derive(Debug, Clone, PartialEq)]
pub enum Standing {
    /// The document is the version that was cited.
    Current,
    /// Another version, and nothing is known of the words: the text at the old offsets, unconfirmed.
    Stale,
    /// Another version; the passage was found again by its words.
    Relocated {
        /// From `MINIMUM_RELOCATION_SCORE` to 1.
        score: f64,
        /// By what.
        method: Method,
    },
    /// Another version; so many places fit the words equally well.
    Ambiguous(usize),
    /// Another version; the words are no longer there.
    Gone,
}

/// A passage, and how far it can be trusted.
#[derive(Debug)]
pub struct Resolved<D> {
    /// The library's handle.
    pub document: D,
    /// SHA-256 of the text as it is now, lower-case hex.
    pub content_hash: String,
    /// The chunk it begins in; `None` when it is no longer anywhere.
    pub chunk_index: Option<usize>,
    /// In UTF-16 units: of the text as it is now, or as cited when it is no longer there.
    pub span: Utf16Span,
    /// The anchor of `span`: the asked one when the passage is no longer there.
    pub anchor: String,
    /// The words: of the text as it is now, or as cited when they are no longer there.
    pub passage: String,
    /// Their head, as `passage_quote` gives it.
    pub quote: String,
    /// The text as it is now.
    pub text: String,
    /// How true it is.
    pub standing: Standing,
}

/// Finds the passage `request` names in the document `target` names.
///
/// *Errors*: `NOT_INDEXED`, `FILE_GONE`, `NO_TEXT`, `MALFORMED_ANCHOR`, `ANCHOR_OUTSIDE_DOCUMENT`,
/// `CHUNK_OUT_OF_RANGE` (with the count), `QUOTE_NOT_FOUND`, `HOST_FAILED` (naming the method).
pub async fn resolve<L: Library>(
    library: &L,
    target: &str,
    request: &Request,
) -> Result<Resolved<L::Document>, Error> {
    // A malformed anchor is the caller's mistake whatever the library holds.
    let anchor = request.anchor.as_deref().map(read_anchor).transpose()?;
    let document =
        library.find_document(target).await.map_err(|()| failed("findDocument"))?.ok_or_else(|| {
            about(
                Code::NotIndexed,
                target,
                format!("{target} is not indexed: ingest it, or check the path, URL or document id."),
            )
        })?;
    let text =
        library.extract_text(&document).await.map_err(|()| failed("extractText"))?.ok_or_else(|| {
            about(
                Code::FileGone,
                target,
                format!("The file of {target} is gone, so nothing in it can be cited."),
            )
        })?;
    if text.is_empty() {
        return Err(about(Code::NoText, target, format!("{target} has no text to cite.")));
    }
    let content_hash = sha256_hex(&text);
    let chunks = match library.chunk_spans(&document, &text).await.map_err(|()| failed("chunkSpans"))? {
        Some(chunks) => chunks,
        None => chunk_spans(&text, DEFAULT_CHUNK_CHARS)?,
    };

    let (place, standing) = match (&anchor, &request.quote) {
        (Some(anchor), quote)
            if !anchor_matches_hash(request.anchor.as_deref().unwrap_or(""), &content_hash) =>
        {
            let older =
                library.older_text(&document, &anchor.hash_prefix).await.map_err(|()| failed("olderText"))?;
            let older = older.filter(|older| sha256_hex(older).starts_with(&anchor.hash_prefix));
            let cited = older.as_deref().and_then(|older| cut(older, anchor.span));
            match (cited, quote) {
                (Some(cited), _) => again(&text, cited.quote()),
                (None, Some(_)) => again(&text, request.as_quote()),
                (None, None) => (Place::Now(span_of(&text, anchor, target)?), Standing::Stale),
            }
        }
        (Some(anchor), _) => (Place::Now(span_of(&text, anchor, target)?), Standing::Current),
        (None, Some(quote)) if request.chunk_index.is_none() => match relocate(&text, request.as_quote()) {
            Relocation::Found { span, .. } => (Place::Now(span), Standing::Current),
            missing => return Err(not_found(target, quote, &missing)),
        },
        (None, _) => (
            Place::Now(chunk_of(&text, &chunks, request.chunk_index.unwrap_or(0), target)?),
            Standing::Current,
        ),
    };

    let (span, passage, anchor) = match (place, anchor) {
        (Place::Lost(words), Some(anchor)) => {
            (anchor.span, words, request.anchor.clone().unwrap_or_default())
        }
        (Place::Lost(words), None) => (Utf16Span::default(), words, String::new()),
        (Place::Now(bytes), _) => {
            let span = Utf16Converter::new(&text).span(bytes);
            (span, bytes.of(&text).to_owned(), citation_anchor(&content_hash, span)?)
        }
    };
    let lost = matches!(standing, Standing::Gone | Standing::Ambiguous(_));
    let chunk_index = if lost { None } else { chunk_at(&chunks, span.start) };
    let quote = passage_quote(&passage, DEFAULT_QUOTE_CHARS);
    Ok(Resolved { document, content_hash, chunk_index, span, anchor, passage, quote, text, standing })
}

impl Request {
    fn as_quote(&self) -> Quote<'_> {
        Quote {
            passage: self.quote.as_deref().unwrap_or(""),
            prefix: self.prefix.as_deref(),
            suffix: self.suffix.as_deref(),
        }
    }
}

/// Where the passage is: in the text as it is now, or nowhere but in what was cited.
enum Place {
    Now(ByteSpan),
    Lost(String),
}

struct Cited<'t> {
    before: &'t str,
    passage: &'t str,
    after: &'t str,
}

impl<'t> Cited<'t> {
    fn quote(&self) -> Quote<'t> {
        Quote { passage: self.passage, prefix: Some(self.before), suffix: Some(self.after) }
    }
}

fn cut(text: &str, span: Utf16Span) -> Option<Cited<'_>> {
    let bytes = whole_characters(text, span)?;
    Some(Cited { before: text.get(..bytes.start)?, passage: bytes.of(text), after: text.get(bytes.end..)? })
}

fn again(text: &str, quote: Quote<'_>) -> (Place, Standing) {
    match relocate(text, quote) {
        Relocation::Found { span, score, method } => {
            (Place::Now(span), Standing::Relocated { score, method })
        }
        Relocation::Ambiguous(count) => (Place::Lost(quote.passage.to_owned()), Standing::Ambiguous(count)),
        Relocation::Gone => (Place::Lost(quote.passage.to_owned()), Standing::Gone),
    }
}

/// The bytes of a span, widened to whole characters; `None` when it is empty or leaves the text.
fn whole_characters(text: &str, span: Utf16Span) -> Option<ByteSpan> {
    let start =
        byte_of_utf16(text, span.start).or_else(|| byte_of_utf16(text, span.start.checked_sub(1)?))?;
    let end = byte_of_utf16(text, span.end).or_else(|| byte_of_utf16(text, span.end.checked_add(1)?))?;
    (span.start < span.end).then_some(ByteSpan::new(start, end))
}

fn read_anchor(anchor: &str) -> Result<CitationAnchor, Error> {
    parse_citation_anchor(anchor).ok_or_else(|| {
        Error::new(Code::MalformedAnchor, "The anchor is malformed: it must be 12 hex digits, #, start-end.")
            .with("field", Detail::Text("opts.anchor".to_owned()))
    })
}

fn span_of(text: &str, anchor: &CitationAnchor, target: &str) -> Result<ByteSpan, Error> {
    whole_characters(text, anchor.span).ok_or_else(|| {
        let length = crate::text::utf16_len(text);
        let Utf16Span { start, end } = anchor.span;
        about(
            Code::AnchorOutsideDocument,
            target,
            format!(
                "The anchor's {start}-{end} is not a passage of {target}, which has {length} characters."
            ),
        )
        .with("length", Detail::Number(length as u64))
    })
}

fn chunk_of(text: &str, chunks: &[Utf16Span], index: usize, target: &str) -> Result<ByteSpan, Error> {
    let bytes = chunks.get(index).and_then(|&span| whole_characters(text, span));
    bytes.ok_or_else(|| {
        let count = chunks.len();
        about(
            Code::ChunkOutOfRange,
            target,
            format!("{target} has no chunk {index}: it has {count}, counted from 0."),
        )
        .with("index", Detail::Number(index as u64))
        .with("count", Detail::Number(count as u64))
    })
}

fn chunk_at(chunks: &[Utf16Span], start: usize) -> Option<usize> {
    let after = chunks.partition_point(|chunk| chunk.start <= start);
    (!chunks.is_empty()).then(|| after.saturating_sub(1))
}

fn not_found(target: &str, quote: &str, missing: &Relocation) -> Error {
    let head = passage_quote(quote, DEFAULT_QUOTE_CHARS);
    let message = match missing {
        Relocation::Ambiguous(count) => {
            format!("{target} has {count} places for “{head}”: give words before or after it.")
        }
        _ => format!("{target} does not hold “{head}”."),
    };
    about(Code::QuoteNotFound, target, message)
}

fn about(code: Code, target: &str, message: String) -> Error {
    Error::new(code, message).with("target", Detail::Text(target.to_owned()))
}

fn failed(method: &'static str) -> Error {
    Error::new(Code::HostFailed, format!("The library's {method} failed or answered something it may not."))
        .with("field", Detail::Text(format!("deps.{method}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::Future;
    use std::task::{Context, Poll, Waker};

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        let mut future = std::pin::pin!(future);
        match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(value) => value,
            Poll::Pending => panic!("the library of these tests answers at once"),
        }
    }

    #[derive(Default, Clone)]
    struct Shelf {
        now: Option<&'static str>,
        older: Option<&'static str>,
        chunks: Option<Vec<Utf16Span>>,
        failing: &'static str,
    }

    impl Shelf {
        fn answer<T>(&self, method: &str, value: T) -> Answer<T> {
            if self.failing == method { Err(()) } else { Ok(value) }
        }
    }

    impl Library for Shelf {
        type Document = ();
        async fn find_document(&self, target: &str) -> Answer<Option<()>> {
            self.answer("find", (target == "a.md").then_some(()))
        }
        async fn extract_text(&self, _: &()) -> Answer<Option<String>> {
            self.answer("extract", self.now.map(str::to_owned))
        }
        async fn chunk_spans(&self, _: &(), _: &str) -> Answer<Option<Vec<Utf16Span>>> {
            self.answer("chunks", self.chunks.clone())
        }
        async fn older_text(&self, _: &(), _: &str) -> Answer<Option<String>> {
            self.answer("older", self.older.map(str::to_owned))
        }
    }

    const TEXT: &str = "é 😀 One.\r\n\r\nThe second paragraph says something worth citing.\r\n";

    fn anchor_in(text: &str, passage: &str) -> Request {
        let start = text.find(passage).expect("in the text");
        let span = Utf16Converter::new(text).span(ByteSpan::new(start, start + passage.len()));
        Request {
            anchor: Some(citation_anchor(&sha256_hex(text), span).expect("an anchor")),
            ..Request::default()
        }
    }

    fn ask(shelf: &Shelf, request: &Request) -> Result<Resolved<()>, Error> {
        block_on(resolve(shelf, "a.md", request))
    }

    fn code(shelf: &Shelf, request: &Request) -> Code {
        ask(shelf, request).expect_err("refused").code()
    }

    #[test]
    fn a_current_anchor_gives_exactly_its_passage() {
        let shelf = Shelf { now: Some(TEXT), ..Shelf::default() };
        for passage in ["😀 One.", "é", "paragraph says", "\r\n", TEXT] {
            let request = anchor_in(TEXT, passage);
            let resolved = ask(&shelf, &request).expect("resolved");
            assert_eq!(resolved.passage, passage);
            assert_eq!(Some(resolved.anchor), request.anchor);
            assert_eq!(resolved.standing, Standing::Current);
        }
    }

    #[test]
    fn a_chunk_is_resolved_and_one_too_many_is_refused_with_the_count() {
        let shelf =
            Shelf { now: Some(TEXT), chunks: Some(vec![Utf16Span { start: 2, end: 9 }]), ..Shelf::default() };
        let resolved = ask(&shelf, &Request::default()).expect("chunk 0 when nothing is asked");
        assert_eq!((resolved.passage.as_str(), resolved.chunk_index), ("😀 One.", Some(0)));
        let error =
            ask(&shelf, &Request { chunk_index: Some(1), ..Request::default() }).expect_err("no chunk 1");
        assert_eq!(error.code(), Code::ChunkOutOfRange);
        assert!(error.details().contains(&("count", Detail::Number(1))), "{error:?}");
    }

    #[test]
    fn every_way_to_fail_has_a_code_of_its_own() {
        let shelf = Shelf { now: Some(TEXT), ..Shelf::default() };
        let none = Request::default();
        let anchored = |anchor: &str| Request { anchor: Some(anchor.to_owned()), ..Request::default() };
        let hash = sha256_hex(TEXT);
        assert_eq!(block_on(resolve(&shelf, "b.md", &none)).expect_err("no b.md").code(), Code::NotIndexed);
        assert_eq!(code(&Shelf::default(), &none), Code::FileGone);
        assert_eq!(code(&Shelf { now: Some(""), ..Shelf::default() }, &none), Code::NoText);
        assert_eq!(code(&shelf, &anchored("nonsense")), Code::MalformedAnchor);
        let outside = citation_anchor(&hash, Utf16Span { start: 0, end: 9_999 }).expect("an anchor");
        assert_eq!(code(&shelf, &anchored(&outside)), Code::AnchorOutsideDocument);
        let empty = citation_anchor(&hash, Utf16Span { start: 3, end: 3 }).expect("an anchor");
        assert_eq!(code(&shelf, &anchored(&empty)), Code::AnchorOutsideDocument);
        let quote = Request { quote: Some("not in there at all".to_owned()), ..Request::default() };
        assert_eq!(code(&shelf, &quote), Code::QuoteNotFound);
        for failing in ["find", "extract", "chunks"] {
            assert_eq!(code(&Shelf { failing, ..shelf.clone() }, &none), Code::HostFailed, "{failing}");
        }
        let stale = anchor_in("Another text.", "text");
        assert_eq!(code(&Shelf { failing: "older", ..shelf.clone() }, &stale), Code::HostFailed);
    }

    #[test]
    fn a_stale_anchor_is_found_again_through_the_older_version() {
        let older = "é 😀 One.\r\n\r\nThe second paragraph says something worth citing.\r\n";
        let now =
            "A new first line.\r\n\r\né 😀 One.\r\n\r\nThe second paragraph says something worth citing.\r\n";
        let request = anchor_in(older, "paragraph says something worth citing");
        let shelf = Shelf { now: Some(now), older: Some(older), ..Shelf::default() };
        let resolved = ask(&shelf, &request).expect("resolved");
        assert_eq!(resolved.passage, "paragraph says something worth citing");
        assert!(
            matches!(resolved.standing, Standing::Relocated { method: Method::Exact, .. }),
            "{:?}",
            resolved.standing
        );
        assert_ne!(Some(resolved.anchor), request.anchor);
    }

    #[test]
    fn a_lying_older_version_is_not_believed() {
        let request = anchor_in("Older text with a passage that matters.", "passage that matters");
        let shelf = Shelf {
            now: Some(TEXT),
            older: Some("Something else with a passage that matters."),
            ..Shelf::default()
        };
        assert_eq!(ask(&shelf, &request).expect("by offsets").standing, Standing::Stale);
    }

    #[test]
    fn a_stale_anchor_is_found_again_by_its_quote_or_said_to_be_gone() {
        let older = anchor_in("Old. The second paragraph says something worth citing.", "The second");
        let shelf = Shelf { now: Some(TEXT), ..Shelf::default() };
        let with = |quote: &str| Request { quote: Some(quote.to_owned()), ..older.clone() };
        let found = ask(&shelf, &with("The second paragraph says something")).expect("found");
        assert!(matches!(found.standing, Standing::Relocated { .. }));
        let gone = ask(&shelf, &with("A sentence that was deleted from it")).expect("gone is a finding");
        assert_eq!(gone.standing, Standing::Gone);
        assert_eq!((gone.passage.as_str(), gone.chunk_index), ("A sentence that was deleted from it", None));
        assert_eq!(Some(gone.anchor), older.anchor);
    }

    #[test]
    fn an_anchor_inside_a_surrogate_pair_gives_the_whole_character() {
        let hash = sha256_hex(TEXT);
        let anchor = citation_anchor(&hash, Utf16Span { start: 3, end: 6 }).expect("an anchor");
        let shelf = Shelf { now: Some(TEXT), ..Shelf::default() };
        let resolved =
            ask(&shelf, &Request { anchor: Some(anchor), ..Request::default() }).expect("resolved");
        assert_eq!(resolved.passage, "😀 O");
        assert_eq!(resolved.span, Utf16Span { start: 2, end: 6 });
    }
}
