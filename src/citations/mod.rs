//! Citations: what a reply points at, and whether it is there.
//!
//! [`extract_citations`] finds paths, positions, symbols, commits and rule ids in a reply, without
//! asking anything outside the text.

mod alias;
mod citation;
mod extract;
mod link;
mod mark;
mod names;
mod position;
mod scan;
mod sha;
mod shape;
mod stream;
mod tables;
mod token;
mod verify;

pub use alias::repo_aliases;
pub use citation::{Citation, ExtractOptions, Kind, Root, Status};
pub use extract::{extract_citations, extract_rule_citations, extract_with};
pub use mark::{Mark, Segment, mark_citations};
pub use names::Names;
pub use stream::{CitationStream, StreamedCitation};
pub use verify::{
    CommitCheck, Host, RULE_CITED_LABEL, RULE_UNKNOWN_LABEL, Verdict, VerifyOptions, verify_citations,
};
