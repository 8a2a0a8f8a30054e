#![doc = include_str!("../ARCHITECTURE.md")]
#![cfg_attr(
    test,
    allow(
        clippy::string_slice,
        clippy::indexing_slicing,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic
    )
)]

pub mod collections;
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
