//! Ledger: which file bodies a conversation can still vouch for.
//!
//! A resumed session knows nothing about files it wrote in full a moment ago. The calls and receipts
//! in front of the model say what those files held: [`replay`] rebuilds every body that follows from
//! them exactly and withdraws the rest. A wrong body is the one unforgivable result, so whatever
//! cannot be proved is withheld, with a [`Reason`].
//!
//! Not here: reading files, and recovering a body from the rendering of a read. A read may only
//! confirm or contradict a body that calls already proved.

mod account;
mod arguments;
mod edit;
mod evidence;
mod fingerprint;
mod history;
mod path;
mod render;
mod replay;
mod splice;
mod tracker;

pub use account::{Account, accounts};
pub use arguments::{Arguments, Tool, read_arguments};
pub use edit::{Failure, apply_edit, replay_hop, spend};
pub use evidence::{Evidence, Observation, visible_file_evidence};
pub use fingerprint::fingerprint_content;
pub use history::{Call, Conversation, Receipt, Standing};
pub use path::lexical_file_key;
pub use render::{Window, render_numbered_read};
pub use replay::{Action, Attribution, Limits, Reason, Replay, Step, Stop, WitnessedPath, replay};
pub use splice::Splice;
pub use tracker::{EditChain, FileReadTracker, ReadWitness};
