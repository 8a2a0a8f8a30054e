//! Letters as a browser's page search compares them: without case, width, diacritics, shape of
//! quotes, ligatures, and with one kana. Where browsers differ this folds more rather than less: a
//! match too many costs a longer link, one too few costs a link that lands elsewhere.

/// Letters that stand for another, first and last code point, sorted.
#[rustfmt::skip]
const LETTERS: &[(u32, u32, &str)] = &[
    (0x00AA, 0x00AA, "a"), (0x00BA, 0x00BA, "o"),
    (0x00C0, 0x00C5, "a"), (0x00C6, 0x00C6, "ae"), (0x00C7, 0x00C7, "c"), (0x00C8, 0x00CB, "e"),
    (0x00CC, 0x00CF, "i"), (0x00D1, 0x00D1, "n"), (0x00D2, 0x00D6, "o"), (0x00D8, 0x00D8, "o"),
    (0x00D9, 0x00DC, "u"), (0x00DD, 0x00DD, "y"), (0x00DF, 0x00DF, "ss"),
    (0x00E0, 0x00E5, "a"), (0x00E6, 0x00E6, "ae"), (0x00E7, 0x00E7, "c"), (0x00E8, 0x00EB, "e"),
    (0x00EC, 0x00EF, "i"), (0x00F1, 0x00F1, "n"), (0x00F2, 0x00F6, "o"), (0x00F8, 0x00F8, "o"),
    (0x00F9, 0x00FC, "u"), (0x00FD, 0x00FD, "y"), (0x00FF, 0x00FF, "y"),
    (0x0100, 0x0105, "a"), (0x0106, 0x010D, "c"), (0x010E, 0x0111, "d"), (0x0112, 0x011B, "e"),
    (0x011C, 0x0123, "g"), (0x0124, 0x0127, "h"), (0x0128, 0x0131, "i"), (0x0132, 0x0133, "ij"),
    (0x0134, 0x0135, "j"), (0x0136, 0x0137, "k"), (0x0139, 0x0142, "l"), (0x0143, 0x0149, "n"),
    (0x014C, 0x0151, "o"), (0x0152, 0x0153, "oe"), (0x0154, 0x0159, "r"), (0x015A, 0x0161, "s"),
    (0x0162, 0x0167, "t"), (0x0168, 0x0173, "u"), (0x0174, 0x0175, "w"), (0x0176, 0x0178, "y"),
    (0x0179, 0x017E, "z"), (0x017F, 0x017F, "s"), (0x01A0, 0x01A1, "o"), (0x01AF, 0x01B0, "u"),
    (0x01CD, 0x01CE, "a"), (0x01CF, 0x01D0, "i"), (0x01D1, 0x01D2, "o"), (0x01D3, 0x01DC, "u"),
    (0x0218, 0x0219, "s"), (0x021A, 0x021B, "t"),
    (0x0386, 0x0386, "α"), (0x0388, 0x0388, "ε"), (0x0389, 0x0389, "η"), (0x038A, 0x038A, "ι"),
    (0x038C, 0x038C, "ο"), (0x038E, 0x038E, "υ"), (0x038F, 0x038F, "ω"), (0x0390, 0x0390, "ι"),
    (0x03AA, 0x03AA, "ι"), (0x03AB, 0x03AB, "υ"), (0x03AC, 0x03AC, "α"), (0x03AD, 0x03AD, "ε"),
    (0x03AE, 0x03AE, "η"), (0x03AF, 0x03AF, "ι"), (0x03B0, 0x03B0, "υ"), (0x03C2, 0x03C2, "σ"),
    (0x03CA, 0x03CA, "ι"), (0x03CB, 0x03CB, "υ"), (0x03CC, 0x03CC, "ο"), (0x03CD, 0x03CD, "υ"),
    (0x03CE, 0x03CE, "ω"),
    (0x0401, 0x0401, "е"), (0x0419, 0x0419, "и"), (0x0439, 0x0439, "и"), (0x0451, 0x0451, "е"),
    (0x1E00, 0x1E01, "a"), (0x1E02, 0x1E07, "b"), (0x1E08, 0x1E09, "c"), (0x1E0A, 0x1E13, "d"),
    (0x1E14, 0x1E1D, "e"), (0x1E1E, 0x1E1F, "f"), (0x1E20, 0x1E21, "g"), (0x1E22, 0x1E2B, "h"),
    (0x1E2C, 0x1E2F, "i"), (0x1E30, 0x1E35, "k"), (0x1E36, 0x1E3D, "l"), (0x1E3E, 0x1E43, "m"),
    (0x1E44, 0x1E4B, "n"), (0x1E4C, 0x1E53, "o"), (0x1E54, 0x1E57, "p"), (0x1E58, 0x1E5F, "r"),
    (0x1E60, 0x1E69, "s"), (0x1E6A, 0x1E71, "t"), (0x1E72, 0x1E7B, "u"), (0x1E7C, 0x1E7F, "v"),
    (0x1E80, 0x1E89, "w"), (0x1E8A, 0x1E8D, "x"), (0x1E8E, 0x1E8F, "y"), (0x1E90, 0x1E95, "z"),
    (0x1E9E, 0x1E9E, "ss"), (0x1EA0, 0x1EB7, "a"), (0x1EB8, 0x1EC7, "e"), (0x1EC8, 0x1ECB, "i"),
    (0x1ECC, 0x1EE3, "o"), (0x1EE4, 0x1EF1, "u"), (0x1EF2, 0x1EF9, "y"),
    (0x2018, 0x201B, "'"), (0x201C, 0x201F, "\""), (0x2026, 0x2026, "..."), (0x2032, 0x2032, "'"),
    (0x2033, 0x2033, "\""), (0x2039, 0x203A, "'"),
    (0xFB00, 0xFB00, "ff"), (0xFB01, 0xFB01, "fi"), (0xFB02, 0xFB02, "fl"), (0xFB03, 0xFB03, "ffi"),
    (0xFB04, 0xFB04, "ffl"), (0xFB05, 0xFB06, "st"),
];

/// Marks that change no letter, first and last code point, sorted.
#[rustfmt::skip]
const MARKS: &[(u32, u32)] = &[
    (0x0300, 0x036F), (0x0591, 0x05BD), (0x05BF, 0x05BF), (0x05C1, 0x05C2), (0x05C4, 0x05C5),
    (0x0610, 0x061A), (0x064B, 0x065F), (0x0670, 0x0670), (0x1038, 0x1038), (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF),
    (0x20D0, 0x20FF), (0x3099, 0x309A), (0xFE00, 0xFE0F), (0xFE20, 0xFE2F), (0xFF9E, 0xFF9F),
];

/// Hiragana of the half-width katakana from U+FF66.
const HALF_WIDTH_KANA: &str = "をぁぃぅぇぉゃゅょっーあいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわん";

/// True for what a search passes over.
pub(super) fn is_mark(character: char) -> bool {
    let code = character as u32;
    let index = MARKS.partition_point(|&(_, last)| last < code);
    MARKS.get(index).is_some_and(|&(first, _)| first <= code)
}

/// Appends `character` folded; nothing for a mark.
pub(super) fn fold_into(character: char, folded: &mut String) {
    if character.is_ascii() {
        folded.push(character.to_ascii_lowercase());
        return;
    }
    let code = character as u32;
    let index = LETTERS.partition_point(|&(_, last, _)| last < code);
    if let Some(&(first, _, base)) = LETTERS.get(index)
        && first <= code
    {
        folded.push_str(base);
        return;
    }
    if is_mark(character) {
        return;
    }
    match code {
        // Katakana lies a fixed distance above hiragana, full width above ASCII.
        0x30A1..=0x30F6 => folded.extend(char::from_u32(code - 0x60)),
        0xFF01..=0xFF5E => {
            folded.extend(char::from_u32(code - 0xFEE0).map(|plain| plain.to_ascii_lowercase()))
        }
        0xFF66..=0xFF9D => folded.extend(HALF_WIDTH_KANA.chars().nth(code as usize - 0xFF66)),
        _ => folded.extend(character.to_lowercase()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fold(text: &str) -> String {
        let mut folded = String::new();
        text.chars().for_each(|character| fold_into(character, &mut folded));
        folded
    }

    #[test]
    fn spellings_that_a_page_search_takes_for_one_fold_to_one() {
        for (left, right) in [
            ("Straße", "STRASSE"),
            ("café", "cafe\u{301}"),
            ("“x” ‘y’", "\"x\" 'y'"),
            ("wait…", "Wait..."),
            ("ﬁne ﬄ", "fine ffl"),
            ("ＡＢＣ１", "abc1"),
            ("カタカナ", "かたかな"),
            ("ｶﾀｶﾅ", "カタカナ"),
            ("Ệ", "e"),
            ("Ώσος", "ωσοσ"),
            ("ÉÀ", "ea"),
        ] {
            assert_eq!(fold(left), fold(right), "{left} and {right}");
        }
    }

    #[test]
    fn dashes_and_letters_of_other_alphabets_stay_apart() {
        assert_ne!(fold("a–b"), fold("a-b"));
        assert_ne!(fold("漢"), fold("字"));
        assert_eq!(fold("漢字😀"), "漢字😀");
    }

    #[test]
    fn tables_are_sorted_and_every_entry_is_reachable() {
        assert!(LETTERS.windows(2).all(|pair| pair[0].1 < pair[1].0));
        assert!(MARKS.windows(2).all(|pair| pair[0].1 < pair[1].0));
        for &(first, last, base) in LETTERS {
            for code in [first, last] {
                assert_eq!(fold(&char::from_u32(code).unwrap().to_string()), base, "{code:x}");
            }
        }
        for &(first, last) in MARKS {
            for code in [first, last] {
                assert_eq!(fold(&char::from_u32(code).unwrap().to_string()), "", "{code:x}");
            }
        }
        assert_eq!(HALF_WIDTH_KANA.chars().count(), 0xFF9D - 0xFF66 + 1);
    }
}
