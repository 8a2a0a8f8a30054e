#![doc = include_str!("../ARCHITECTURE.md")]

pub mod error;
pub mod limits;
pub mod text;

pub mod citations;
pub mod ledger;

pub mod gate;

pub mod transcripts;

pub mod anchors;

#[cfg(target_arch = "wasm32")]
mod wasm;
