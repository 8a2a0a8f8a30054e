//! Citations: what a reply points at, and whether it is there.
