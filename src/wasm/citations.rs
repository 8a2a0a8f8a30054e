//! Citations at the boundary.
