//! The one error type. Findings are data; an [`Error`] says that a call was wrong, or that the
//! world the caller injected could not answer where an answer is required.

use std::fmt;

/// Why a call was refused. The code is stable; the message is for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    code: Code,
    message: String,
    details: Vec<(&'static str, Detail)>,
}

/// One typed fact about an error: the field's name, the value given, the bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Detail {
    /// A word: a field's name, an id, a path.
    Text(String),
    /// A count, an index or an offset.
    Number(u64),
}

/// Stable machine-readable reasons; `EvidenceError.code` in JavaScript.
///
/// The facade adds `NOT_INITIALIZED` and `ENGINE_RESTARTED`, which no Rust code can raise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// An argument has the wrong type, sign or range.
    InvalidArgument,
    /// An option the function does not have.
    UnknownOption,
    /// A host object lacks a method the call needs.
    MissingHostMethod,
    /// A host's answer is needed and it threw, rejected or answered nonsense.
    HostFailed,
    /// No document goes by that path, URL or id.
    NotIndexed,
    /// The document's file is no longer there.
    FileGone,
    /// The document holds no text.
    NoText,
    /// The document has fewer chunks.
    ChunkOutOfRange,
    /// Not an anchor.
    MalformedAnchor,
    /// The anchor's span is no passage of the document.
    AnchorOutsideDocument,
    /// The words are not in the document, or in several places.
    QuoteNotFound,
}

impl Code {
    /// The code as it appears in JavaScript.
    pub const fn as_str(self) -> &'static str {
        match self {
            Code::InvalidArgument => "INVALID_ARGUMENT",
            Code::UnknownOption => "UNKNOWN_OPTION",
            Code::MissingHostMethod => "MISSING_HOST_METHOD",
            Code::HostFailed => "HOST_FAILED",
            Code::NotIndexed => "NOT_INDEXED",
            Code::FileGone => "FILE_GONE",
            Code::NoText => "NO_TEXT",
            Code::ChunkOutOfRange => "CHUNK_OUT_OF_RANGE",
            Code::MalformedAnchor => "MALFORMED_ANCHOR",
            Code::AnchorOutsideDocument => "ANCHOR_OUTSIDE_DOCUMENT",
            Code::QuoteNotFound => "QUOTE_NOT_FOUND",
        }
    }
}

impl Error {
    /// An error with a code and a sentence for a person.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Error { code, message: message.into(), details: Vec::new() }
    }

    /// `INVALID_ARGUMENT` naming the field.
    pub fn invalid(field: &'static str, message: impl Into<String>) -> Self {
        Error::new(Code::InvalidArgument, message).with("field", Detail::Text(field.to_owned()))
    }

    /// The same error with one more typed fact.
    #[must_use]
    pub fn with(mut self, name: &'static str, detail: Detail) -> Self {
        self.details.push((name, detail));
        self
    }

    /// The stable code.
    pub fn code(&self) -> Code {
        self.code
    }

    /// The typed facts, in the order they were added.
    pub fn details(&self) -> &[(&'static str, Detail)] {
        &self.details
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
