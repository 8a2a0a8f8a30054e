//! The short name of a body.

use sha2::{Digest, Sha256};
use std::fmt::Write;

/// Bytes of the hash a fingerprint keeps: 64 bits tell one file's bodies apart and stay short in a prompt.
const KEPT_BYTES: usize = 8;

/// The fingerprint of `text`: the first 16 hex digits of the SHA-256 of its UTF-8.
///
/// *Source*: contract section 2.
pub fn fingerprint_content(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().take(KEPT_BYTES).fold(String::with_capacity(2 * KEPT_BYTES), |mut hex, byte| {
        // Writing to a String cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_is_the_start_of_the_sha_256_of_the_utf_8() {
        assert_eq!(fingerprint_content(""), "e3b0c44298fc1c14");
        assert_eq!(fingerprint_content("abc"), "ba7816bf8f01cfea");
        assert_eq!(fingerprint_content("\r\nalpha\r\n  indent alpha\r\n😀 gamma\r\n"), "4de063a47ed0c1c8");
    }
}
