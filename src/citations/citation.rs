//! The types of the part: a citation as it was extracted, the roots it may mean, the verdicts.

use crate::text::ByteSpan;

/// What class of thing a citation names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A file.
    Path,
    /// A line or lines of a file.
    Line,
    /// A symbol in a file.
    Symbol,
    /// A commit.
    Sha,
    /// A rule, `[rule:<id>]`.
    Rule,
}

impl Kind {
    /// Every kind, in the order of its declaration.
    pub const ALL: [Kind; 5] = [Kind::Path, Kind::Line, Kind::Symbol, Kind::Sha, Kind::Rule];

    /// The word for it in JavaScript.
    pub const fn as_str(self) -> &'static str {
        match self {
            Kind::Path => "path",
            Kind::Line => "line",
            Kind::Symbol => "symbol",
            Kind::Sha => "sha",
            Kind::Rule => "rule",
        }
    }
}

/// The verdict on one citation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Status {
    /// There, exactly as cited.
    Verified,
    /// There is such a thing, elsewhere.
    Corrected,
    /// Looked for everywhere it may be, and not there.
    Unverified,
    /// No claim: not reached, not readable, or the look-up failed.
    Unchecked,
}

impl Status {
    /// Every status, in the order of its declaration.
    pub const ALL: [Status; 4] = [Status::Verified, Status::Corrected, Status::Unverified, Status::Unchecked];

    /// The word for it in JavaScript.
    pub const fn as_str(self) -> &'static str {
        match self {
            Status::Verified => "verified",
            Status::Corrected => "corrected",
            Status::Unverified => "unverified",
            Status::Unchecked => "unchecked",
        }
    }
}

/// One directory a reply may cite from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// Its absolute path.
    pub abs_root: String,
    /// The name replies know it by.
    pub name: String,
}

/// What [`extract_citations`](super::extract_citations) may be asked to do beyond its default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ExtractOptions {
    /// Also take hex runs that are all digits or all letters. They are [tentative](Citation::tentative).
    pub ambiguous_shas: bool,
}

/// One citation as it stands in the text: nothing has been checked.
///
/// *Units*: spans in bytes; lines and columns from 1 as cited, so that 0 is possible and wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Citation {
    /// Where it stands first. The text of this span is its `raw`.
    pub span: ByteSpan,
    /// Where the same claim stands again, ascending.
    pub repeats: Vec<ByteSpan>,
    /// What it names.
    pub kind: Kind,
    /// The path as cited, without quoting, escapes and position; empty unless the kind is
    /// [`Path`](Kind::Path), [`Line`](Kind::Line) or [`Symbol`](Kind::Symbol).
    pub path: String,
    /// Every reading of the path, the most literal first, when there is more than [`path`](Self::path);
    /// see [`paths_to_try`](Self::paths_to_try).
    pub readings: Vec<String>,
    /// First line cited.
    pub line: Option<u32>,
    /// Column in the first line.
    pub column: Option<u32>,
    /// Last line of the first range, when a range was written.
    pub end_line: Option<u32>,
    /// Column in the last line.
    pub end_column: Option<u32>,
    /// Every range of a [`Line`](Kind::Line) citation, both ends inclusive, in the order written. All
    /// must hold.
    pub lines: Vec<(u32, u32)>,
    /// The symbol cited, or the one that introduces a line.
    pub symbol: Option<String>,
    /// The alias of the root named before a commit, as [`repo_aliases`](super::repo_aliases) spells it.
    pub repo: Option<String>,
    /// The id of a rule.
    pub rule_id: Option<String>,
    /// True when the shape is also that of prose, such as `name.ext` alone: if it resolves nowhere it
    /// is dropped, and it never counts against a cap.
    pub tentative: bool,
}

impl Citation {
    /// A citation of `kind` at `span` that names nothing yet.
    pub fn new(kind: Kind, span: ByteSpan) -> Self {
        Citation {
            span,
            repeats: Vec::new(),
            kind,
            path: String::new(),
            readings: Vec::new(),
            line: None,
            column: None,
            end_line: None,
            end_column: None,
            lines: Vec::new(),
            symbol: None,
            repo: None,
            rule_id: None,
            tentative: false,
        }
    }

    /// The citation exactly as it stands in `text`, the text it was extracted from.
    pub fn raw<'t>(&self, text: &'t str) -> &'t str {
        self.span.of(text)
    }

    /// The paths it may mean, in the order to look for them: the first that exists is meant.
    pub fn paths_to_try(&self) -> impl Iterator<Item = &str> {
        let own = self.readings.is_empty().then_some(self.path.as_str());
        self.readings.iter().map(String::as_str).chain(own)
    }

    /// True when no file can have these lines: line 0, or a range that ends before it begins.
    pub fn cannot_hold(&self) -> bool {
        self.lines.iter().any(|&(first, last)| first == 0 || last < first)
            || self.column == Some(0)
            || self.end_column == Some(0)
    }
}
