//! SHA-256, the one hash of the library: content hashes, fingerprints and names of commands.

use sha2::{Digest, Sha256};

/// The SHA-256 of `bytes`.
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// `bytes` as lower-case hex, two digits each.
pub fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for digit in bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]) {
        text.push(char::from(if digit < 10 { b'0' + digit } else { b'a' + (digit - 10) }));
    }
    text
}

/// The SHA-256 of the UTF-8 of `text`: 64 lower-case hex digits.
pub fn sha256_hex(text: &str) -> String {
    hex(&sha256(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_the_standard() {
        // The examples of FIPS 180-4, and one with every kind of character.
        for (text, hash) in [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            ("é漢😀\r\n", "033589b21fe893af38b58954100a0bc3a082147017bf47378491987965990e41"),
        ] {
            assert_eq!(sha256_hex(text), hash);
        }
        assert_eq!(hex(&[0, 0x0f, 0xf0, 0xff]), "000ff0ff");
    }
}
