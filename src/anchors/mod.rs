//! Anchors: quotes and links that land on the passage.

pub mod relocate;
