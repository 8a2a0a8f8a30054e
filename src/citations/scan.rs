//! Cuts a text into words: runs without white space, quotes and other characters no name holds.

/// Ends a word.
pub(super) const BREAK: u8 = 1;
/// May begin a Unicode character that ends a word.
const LEAD: u8 = 2;
/// `/` or `\`.
pub(super) const SLASH: u8 = 4;
/// `.`
pub(super) const DOT: u8 = 8;
/// A digit.
pub(super) const DIGIT: u8 = 16;
/// `(` or `[`.
pub(super) const OPEN: u8 = 32;
/// `:`, `@`, `#` or `-`: punctuation inside a word.
pub(super) const INNER: u8 = 64;

const CLASSES: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [0u8; 256];
    let mut rest = &mut table as &mut [u8];
    let mut byte = 0u8;
    while let Some((slot, tail)) = rest.split_first_mut() {
        *slot = match byte {
            0..=b' ' | 0x7F => BREAK,
            b'"' | b'\'' | b'`' | b'<' | b'>' | b'|' | b';' | b'*' | b',' | b'{' | b'}' | b'=' | b'^' => {
                BREAK
            }
            0xC2 | 0xE2 | 0xE3 | 0xEF => LEAD,
            b'/' | b'\\' => SLASH,
            b'.' => DOT,
            b'0'..=b'9' => DIGIT,
            b'(' | b'[' => OPEN,
            b':' | b'@' | b'#' | b'-' => INNER,
            _ => 0,
        };
        rest = tail;
        byte = byte.wrapping_add(1);
    }
    table
}

fn class(byte: u8) -> u8 {
    CLASSES.get(usize::from(byte)).copied().unwrap_or(0)
}

/// The length of the Unicode character at `at` when it ends words, else 0: Latin-1 signs, general
/// punctuation and symbols, CJK punctuation and its full-width forms, the byte order mark, and U+FFFD,
/// which stands for half a surrogate pair.
pub(super) fn unicode_break(bytes: &[u8], at: usize) -> usize {
    let byte = |ahead: usize| bytes.get(at + ahead).copied().unwrap_or(0);
    match (byte(0), byte(1), byte(2)) {
        (0xC2, ..) => 2,
        (0xE2, 0x80..=0xAF, _) | (0xE3, 0x80, _) | (0xEF, 0xBB | 0xBF, 0xBF | 0xBD) => 3,
        (0xEF, 0xBC, 0x81..=0x8F | 0x9A..=0xA0 | 0xBB..=0xBF) | (0xEF, 0xBD, 0x80 | 0x9B..=0xA5) => 3,
        _ => 0,
    }
}

/// Bytes looked at together.
const BLOCK: usize = 32;

/// Goes over words that hold nothing a citation needs, a block at a time, and returns where a word
/// begins that may hold something, or that nobody has looked at yet.
pub(super) fn skip_plain(bytes: &[u8], at: usize, safe: usize) -> usize {
    let mut at = at;
    while at + BLOCK <= safe {
        // Two bytes more, since some marks are told by what follows.
        let Some(block) =
            bytes.get(at..at + BLOCK + 2).and_then(|block| block.first_chunk::<{ BLOCK + 2 }>())
        else {
            break;
        };
        if may_cite(block) {
            break;
        }
        // The last word may go on behind the block.
        let ends = block.iter().take(BLOCK).rposition(|byte| class(*byte) & BREAK != 0);
        match ends {
            Some(end) => at += end + 1,
            None => break,
        }
    }
    at
}

/// True when a block holds what one of the words of a citation must have. Without branches, so that
/// it is compiled to vectors.
fn may_cite(block: &[u8; BLOCK + 2]) -> bool {
    let (_, next) = block.split_at(1);
    let (_, third) = block.split_at(2);
    let mut found = false;
    for ((&byte, &next), &third) in block.iter().zip(next).zip(third) {
        let capital = |byte: u8| byte.wrapping_sub(b'A') < 26;
        found |= (byte == b'.') & (next > b' ')
            | (byte == b'/')
            | (byte == b'\\')
            | (byte == b'`')
            // A rule, and the target of a link; any other bracket is prose.
            | ((byte == b'[') & (next == b'r'))
            | ((byte == b']') & (next == b'('))
            | (byte >= 0x80)
            | (byte.wrapping_sub(b'0') < 10)
            | (capital(byte) & capital(next))
            | ((byte == b'i') & (next == b'l') & (third == b'e'));
    }
    found
}

/// A word and what is in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Word {
    pub start: usize,
    pub end: usize,
    /// The classes of its bytes.
    pub has: u8,
}

/// The next word from byte `at`; an empty one at the end when there is none.
pub(super) fn next_word(bytes: &[u8], at: usize) -> Word {
    let mut start = at;
    while let Some(&byte) = bytes.get(start) {
        let class = class(byte);
        if class & BREAK != 0 {
            start += 1;
        } else if class & LEAD != 0 && unicode_break(bytes, start) > 0 {
            start += unicode_break(bytes, start);
        } else {
            break;
        }
    }
    let (end, has) = word_end(bytes, start);
    Word { start, end, has }
}

/// Where the word that goes on at `at` ends, and the classes of its bytes.
pub(super) fn word_end(bytes: &[u8], at: usize) -> (usize, u8) {
    let mut end = at;
    let mut has = 0;
    while let Some(&byte) = bytes.get(end) {
        let class = class(byte);
        if class & BREAK != 0 || (class & LEAD != 0 && unicode_break(bytes, end) > 0) {
            break;
        }
        has |= class;
        end += 1;
    }
    (end, has)
}

/// Where a URL that goes on at `at` ends.
pub(super) fn url_end(bytes: &[u8], at: usize) -> usize {
    let ends = |byte: &u8| matches!(byte, 0..=b' ' | b'"' | b'<' | b'>' | b'`' | b'|');
    bytes.get(at..).and_then(|rest| rest.iter().position(ends)).map_or(bytes.len(), |length| at + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_end_at_white_space_quotes_and_punctuation_of_every_script() {
        let text = "\u{FEFF}a,b 'c' d\u{A0}e 在「f」g。h—i，j…k\r\nl é 漢字 🦀.rs\u{FFFD}x";
        let mut words = Vec::new();
        let mut at = 0;
        loop {
            let word = next_word(text.as_bytes(), at);
            if word.start == word.end {
                break;
            }
            words.push(&text[word.start..word.end]);
            at = word.end;
        }
        assert_eq!(
            words,
            ["a", "b", "c", "d", "e", "在", "f", "g", "h", "i", "j", "k", "l", "é", "漢字", "🦀.rs", "x"]
        );
    }

    #[test]
    fn nothing_is_skipped_that_a_citation_needs() {
        for word in [
            "a.c", "a/b", "a\\b", "(a.c", "](a", "[rule:x]", "`x`", "6d77153", "LICENSE", "Makefile", "é.rs",
            "12:14:x",
        ] {
            for before in 0..3 * BLOCK {
                let text = format!("{}{word} {}", "ab ".repeat(before), "and so on ".repeat(20));
                let start = text.find(word).unwrap();
                let at = skip_plain(text.as_bytes(), 0, text.len());
                assert!(at <= start && (at == 0 || text.as_bytes()[at - 1] == b' '), "{text} {at}");
                assert!(start - at < 2 * BLOCK, "{text} {at}");
            }
        }
        let plain = "and so on ".repeat(20);
        assert!(plain.len() - skip_plain(plain.as_bytes(), 0, plain.len()) < 2 * BLOCK);
    }

    #[test]
    fn a_url_ends_where_prose_goes_on() {
        assert_eq!(url_end(b"http://a/b,c;d'e x", 0), 16);
        assert_eq!(url_end(b"http://a>", 0), 8);
    }
}
