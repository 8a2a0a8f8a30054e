//! The names of bodies.

use crate::text::sha256_hex;

/// Hex digits of a ledger's fingerprint: 64 bits tell one file's bodies apart and stay short in a prompt.
const FINGERPRINT_DIGITS: usize = 16;

/// The SHA-256 of the UTF-8 of `text`: 64 lower-case hex digits.
///
/// *Source*: contract section 2.
pub fn fingerprint_content(text: &str) -> String {
    sha256_hex(text)
}

/// The fingerprint a ledger keeps of `text`: the first 16 digits of [`fingerprint_content`]. The
/// contract gives the hash whole, the vectors show ledgers that hold its start; both are fingerprints
/// of the text, see [`is_fingerprint_of`].
pub(super) fn ledger_fingerprint(text: &str) -> String {
    let mut digits = sha256_hex(text);
    digits.truncate(FINGERPRINT_DIGITS);
    digits
}

/// Whether `observed`, from any ledger, is a fingerprint of `text`: the start of its hash, and no
/// shorter than ours.
pub(super) fn is_fingerprint_of(observed: &str, text: &str) -> bool {
    observed.len() >= FINGERPRINT_DIGITS && sha256_hex(text).starts_with(observed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ledger_keeps_the_start_of_the_fingerprint() {
        let text = "\r\nalpha\r\n  indent alpha\r\n😀 gamma\r\n";
        assert_eq!(ledger_fingerprint(text), "4de063a47ed0c1c8");
        let whole = fingerprint_content(text);
        assert_eq!(whole.len(), 64);
        for (observed, is_one) in [
            (whole.as_str(), true),
            (&whole[..16], true),
            (&whole[..40], true),
            (&whole[..15], false),
            ("", false),
            ("e3b0c44298fc1c14", false),
        ] {
            assert_eq!(is_fingerprint_of(observed, text), is_one, "{observed}");
        }
    }
}
