//! The vectors of `tests/data/anchors`, which JavaScript reads too, and what holds for any text.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic
)]

use agent_evidence::anchors::{Document, chunk_spans, passage_prose, passage_quote, text_fragment};
use agent_evidence::limits::MAX_FRAGMENT_BYTES;
use agent_evidence::text::{byte_of_utf16, utf16_len};
use proptest::prelude::*;
use serde_json::Value;
use std::fs;

fn rows(name: &str) -> Vec<Value> {
    let path = format!("{}/tests/data/anchors/{name}.json", env!("CARGO_MANIFEST_DIR"));
    // A lone surrogate is no JSON for Rust; it reaches the core as U+FFFD.
    let text = fs::read_to_string(path).unwrap().replace("\\ud800 ", "\\ufffd ");
    serde_json::from_str(&text).unwrap()
}

#[test]
fn prose_is_what_a_reader_sees() {
    for row in rows("prose") {
        let passage = row["passage"].as_str().unwrap();
        let prose = row["prose"].as_str().unwrap();
        assert_eq!(passage_prose(passage, false), prose, "{passage:?}");
        assert_eq!(
            passage_prose(passage, true),
            row["withoutHeadings"].as_str().unwrap_or(prose),
            "{passage:?}"
        );
    }
}

#[test]
fn fragments_are_the_plain_rule_for_plain_text_and_unique_in_a_document() {
    for row in rows("fragments") {
        let passage = row["passage"].as_str().unwrap();
        let start = row["startChar"].as_u64().map(|start| start as usize);
        let fragment = match row["document"].as_str() {
            Some(document) => Document::new(document).text_fragment(passage, start),
            None => text_fragment(passage),
        };
        assert_eq!(fragment, row["fragment"].as_str().unwrap(), "{passage:?}");
    }
}

#[test]
fn a_repeated_sentence_is_told_apart_wherever_it_stands() {
    let sentence = "Press the green button to go on.";
    let sections: Vec<String> = (0..6)
        .map(|index| format!("## Part {index}\n\n{sentence}\n\nRemark number {index} ends here.\n"))
        .collect();
    let source = sections.join("\n");
    let document = Document::new(source.clone());
    let starts: Vec<usize> = source.match_indices(sentence).map(|(at, _)| at).collect();
    let mut seen: Vec<String> = starts.iter().map(|&at| document.text_fragment(sentence, Some(at))).collect();
    assert!(seen.iter().all(|fragment| fragment.starts_with(":~:text=")), "{seen:?}");
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), starts.len());
}

/// What is deep, left open, or one endless line. A square of any of these would not end in a test's
/// life; how the time grows is measured by hand, not asserted.
#[test]
fn a_passage_inside_words_has_the_rest_of_them_around_it() {
    let source = "The uncopyrightable signs.\n\nThe uncopyrightable signs of the miller's apprentice.\n";
    let document = Document::new(source);
    let at = |passage: &str, from: usize| {
        let start = source.get(from..).and_then(|rest| rest.find(passage)).expect("there") + from;
        document.text_fragment(passage, Some(start))
    };
    assert_eq!(at("copyright", 0), ":~:text=un-,copyright,-able");
    assert_eq!(at("er's ap", 30), ":~:text=mill-,er's%20ap,-prentice");
    // The same once more is told apart by what stands around it in its block.
    assert_eq!(at("copyright", 30), ":~:text=The%20un-,copyright,-able%20signs%20of%20the");
    assert_eq!(text_fragment("copyright"), ":~:text=copyright");
}

#[test]
fn hostile_text_ends_and_stays_in_bounds() {
    for unit in [
        ">",
        "> ",
        "> - ",
        "[",
        "[a](",
        "*",
        "*a ",
        "*a_ ",
        "a**b",
        "`",
        "``a` ",
        "<",
        "<a ",
        "<b x=\"",
        "&",
        "&amp;",
        "_",
        "- ",
        "1. ",
        "  - a\n",
        "![",
        "](",
        "\\",
        "|a",
        "a|b\n-|-\n",
        "\n",
        "\r",
        "    ",
        "# ",
        "a ",
        "~",
        "~~a",
        "漢",
        "漢。",
        "😀",
        "\u{FFFD}",
        "<!--",
        "<!-- -- ",
        "<?",
        "<![CDATA[",
        "<td>",
        "<p hidden>",
        "<div>\n\n",
        "<script>",
        "§ x\n",
        "\u{301}",
        "a\u{ad}",
        "\u{200b}",
        "ไทย",
        "אב ",
        "[^1]",
        "[^1]: a\n\n",
        "[a]: b\n",
        "---\n",
        "+++\n",
        "```\n",
        "~~~\na\n",
        ":a:",
        "a--",
        "(",
        "$",
        "{",
    ] {
        exercise(&unit.repeat(50_000));
    }
    let nested = format!("{}x{}", "> ".repeat(20_000), "\n".repeat(10));
    assert_eq!(passage_prose(&nested, false), "x");
}

#[test]
fn ten_megabytes_on_one_line_are_read() {
    exercise(&"Ten million bytes without a break. ".repeat(10_000_000 / 35));
}

/// Everything that reads text, on all of it and on its first half.
fn exercise(text: &str) {
    let mut half = text.len() / 2;
    while !text.is_char_boundary(half) {
        half += 1;
    }
    let head = &text[..half];
    for fragment in [Document::new(text).text_fragment(head, Some(0)), text_fragment(text)] {
        assert!(fragment.len() <= MAX_FRAGMENT_BYTES);
    }
    assert!(utf16_len(&passage_quote(text, 280)) <= 280);
    assert!(chunk_spans(text, 1_000).unwrap().iter().all(|span| span.end - span.start <= 1_000));
}

#[test]
fn a_quote_ends_at_a_sentence_where_it_can_and_never_inside_a_grapheme() {
    let text = "The first sentence is here. The second one, e.g. this, is longer than that. Third.";
    assert_eq!(passage_quote(text, 200), text);
    assert_eq!(passage_quote(text, 40), "The first sentence is here.");
    assert_eq!(passage_quote(text, 60), "The first sentence is here.");
    assert_eq!(passage_quote("No sentence ends in this long row of words", 20), "No sentence ends in…");
    assert_eq!(passage_quote("# Heading\n\nText.", 100), "Text.");
    assert_eq!(passage_quote("他说过了。然后他走了，没有再回来", 6), "他说过了。");
    let family = "👩‍👩‍👧‍👦";
    for most in 0..40 {
        let quote = passage_quote(&format!("{family}{family}{family}"), most);
        assert!(utf16_len(&quote) <= most);
        assert_eq!(quote.trim_end_matches('…').replace(family, ""), "", "{most}");
    }
}

fn covered(text: &str, most: usize) {
    let spans = chunk_spans(text, most).unwrap();
    let mut end = 0;
    let mut kept = String::new();
    for span in &spans {
        assert!(
            span.start >= end && span.end > span.start && span.end - span.start <= most.max(2),
            "{span:?}"
        );
        let between =
            text.get(byte_of_utf16(text, end).unwrap()..byte_of_utf16(text, span.start).unwrap()).unwrap();
        assert!(between.trim().is_empty(), "{between:?} is in no chunk of {text:?}");
        kept.push_str(
            text.get(byte_of_utf16(text, span.start).unwrap()..byte_of_utf16(text, span.end).unwrap())
                .unwrap(),
        );
        end = span.end;
    }
    assert!(text.get(byte_of_utf16(text, end).unwrap()..).unwrap().trim().is_empty());
}

#[test]
fn chunks_are_whole_blocks_where_they_fit() {
    let text =
        "# A\r\n\r\nFirst paragraph.\r\n\r\n```\ncode\n\nmore code\n```\n\n## B\n\nSecond é漢😀 paragraph.";
    let cut = |most: usize| -> Vec<String> {
        let units: Vec<u16> = text.encode_utf16().collect();
        chunk_spans(text, most)
            .unwrap()
            .iter()
            .map(|span| String::from_utf16(&units[span.start..span.end]).unwrap())
            .collect()
    };
    assert_eq!(cut(1_000), [text]);
    assert_eq!(
        cut(40),
        ["# A\r\n\r\nFirst paragraph.", "```\ncode\n\nmore code\n```", "## B\n\nSecond é漢😀 paragraph."]
    );
    assert_eq!(chunk_spans("", 10).unwrap(), []);
    assert_eq!(chunk_spans(" \r\n\t\n", 10).unwrap(), []);
    assert!(chunk_spans("x", 0).is_err());
}

#[test]
fn a_long_block_is_cut_after_a_sentence_a_word_or_a_grapheme() {
    let cut = |text: &str, most: usize| -> Vec<String> {
        let units: Vec<u16> = text.encode_utf16().collect();
        chunk_spans(text, most)
            .unwrap()
            .iter()
            .map(|span| String::from_utf16(&units[span.start..span.end]).unwrap())
            .collect()
    };
    assert_eq!(cut("One two. Three four five.", 12), ["One two.", "Three four", "five."]);
    assert_eq!(cut("aaaa bbbb cccc", 6), ["aaaa", "bbbb", "cccc"]);
    assert_eq!(cut("😀😀😀", 3), ["😀", "😀", "😀"]);
}

fn markdown() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "word",
        " ",
        "\n",
        "\n\n",
        "# ",
        "- ",
        "> ",
        "`",
        "```",
        "**",
        "_",
        "[",
        "](",
        ")",
        "<b>",
        "</b>",
        "<td>",
        "<p hidden>",
        "&amp;",
        "|",
        "---",
        "é",
        "漢字",
        "。",
        "😀",
        "\r\n",
        "\u{ad}",
        "\u{301}",
        "ไทย",
        "§ ",
        "\\",
        "  ",
        ".",
        "A",
        "[^1]",
        "<!--",
        "-->",
        "\t",
    ]);
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_text_has_a_fragment_within_bounds(source in markdown(), from in 0usize..200, length in 0usize..200) {
        let units: Vec<u16> = source.encode_utf16().collect();
        let start = from.min(units.len());
        let passage = String::from_utf16_lossy(&units[start..(start + length).min(units.len())]);
        for fragment in [text_fragment(&passage), Document::new(source.clone()).text_fragment(&passage, Some(start))] {
            prop_assert!(fragment.len() <= MAX_FRAGMENT_BYTES);
            prop_assert!(fragment.is_empty() || fragment.starts_with(":~:text="));
            prop_assert!(fragment.bytes().all(|byte| byte.is_ascii_graphic()), "{}", fragment);
        }
    }

    #[test]
    fn any_quote_is_within_its_bound_and_a_head_of_the_prose(source in markdown(), most in 0usize..80) {
        let quote = passage_quote(&source, most);
        prop_assert!(utf16_len(&quote) <= most);
        prop_assert!(passage_prose(&source, true).starts_with(quote.trim_end_matches('…')));
    }

    #[test]
    fn chunks_hold_all_text_in_order(source in markdown(), most in 1usize..60) {
        covered(&source, most);
    }
}
