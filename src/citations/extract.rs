//! From a text to its citations.

use super::citation::{Citation, ExtractOptions, Root};

/// Every citation of `text`, ordered by position, each claim once.
pub fn extract_citations(text: &str, roots: &[Root], options: &ExtractOptions) -> Vec<Citation> {
    let _ = (text, roots, options);
    Vec::new()
}
