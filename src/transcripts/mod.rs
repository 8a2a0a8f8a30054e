//! Transcripts: the conversation at rest, private and never torn.
//!
//! One append-only JSONL file a chat. Here is what a line is ([`record`]), which bytes of a file are
//! records and which are damage ([`reader`]), what may enter a record ([`recorder`], [`host_paths`],
//! [`fence`]) and how a reader sees it ([`fold`]). Files themselves are the host's: nothing here
//! opens one.

pub mod fence;
pub mod file;
pub mod fold;
pub mod host_paths;
pub mod reader;
pub mod record;
pub mod recorder;
