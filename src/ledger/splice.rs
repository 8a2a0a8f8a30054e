//! What tells one body from the next: a chain crosses as one text and small changes.

use crate::text::utf16_len;

/// One change that makes a text of another. *Units*: UTF-16.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Splice<'t> {
    /// Where the texts begin to differ.
    pub start: usize,
    /// How much of the old text goes.
    pub removed: usize,
    /// What comes in its place.
    pub inserted: &'t str,
}

impl<'t> Splice<'t> {
    /// The change from `old` to `new`: whole characters, as few as one change can have.
    pub fn between(old: &str, new: &'t str) -> Splice<'t> {
        let mut start = common_length(old.bytes(), new.bytes(), old.len().min(new.len()));
        while !old.is_char_boundary(start) {
            start -= 1;
        }
        let most = (old.len() - start).min(new.len() - start);
        let mut kept = common_length(old.bytes().rev(), new.bytes().rev(), most);
        while !old.is_char_boundary(old.len() - kept) {
            kept -= 1;
        }
        Splice {
            start: utf16_len(old.get(..start).unwrap_or("")),
            removed: utf16_len(old.get(start..old.len() - kept).unwrap_or("")),
            inserted: new.get(start..new.len() - kept).unwrap_or(""),
        }
    }
}

fn common_length(old: impl Iterator<Item = u8>, new: impl Iterator<Item = u8>, most: usize) -> usize {
    old.zip(new).take(most).take_while(|(old, new)| old == new).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_splice_makes_the_new_text_of_the_old_one() {
        let texts = ["", "a", "aa", "aéa", "a漢a", "a字a", "😀", "😁", "a😀\r\n", "a😁\n", "\r\n\r\n", "字"];
        for old in texts {
            for new in texts {
                let Splice { start, removed, inserted } = Splice::between(old, new);
                let mut units: Vec<u16> = old.encode_utf16().collect();
                units.splice(start..start + removed, inserted.encode_utf16());
                assert_eq!(String::from_utf16(&units).unwrap(), new, "{old:?}");
            }
        }
        assert_eq!(Splice::between("😀", "😁"), Splice { start: 0, removed: 2, inserted: "😁" });
        assert_eq!(Splice::between("aXa", "aYa"), Splice { start: 1, removed: 1, inserted: "Y" });
    }
}
