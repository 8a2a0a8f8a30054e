//! Extraction against the vectors of `tests/data/citations`, and what holds for any text.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic
)]

use agent_evidence::citations::{
    Citation, CitationStream, ExtractOptions, Kind, Names, Root, extract_citations, extract_with,
};
use proptest::prelude::*;
use std::fs;
use std::path::Path;

fn data(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/citations").join(name);
    fs::read_to_string(path).unwrap()
}

fn roots() -> Vec<Root> {
    vec![Root { abs_root: "/r/wicked-crew".to_owned(), name: "wicked-crew".to_owned() }]
}

/// One citation in the notation of the vectors; see the README there.
fn show(text: &str, citation: &Citation) -> String {
    let mut shown = citation.kind.as_str().to_owned();
    shown.push_str(if citation.tentative { "? " } else { " " });
    shown.push_str(citation.raw(text));
    if !citation.path.is_empty() && !citation.raw(text).starts_with(&citation.path) {
        shown += &format!(" path={}", citation.path);
    }
    let ranges = citation.lines.iter();
    let ranges: Vec<_> = ranges
        .map(|(first, last)| if first == last { first.to_string() } else { format!("{first}-{last}") })
        .collect();
    for (name, value) in [
        ("lines", Some(ranges.join(",")).filter(|ranges| !ranges.is_empty())),
        ("column", citation.column.map(|column| column.to_string())),
        ("endColumn", citation.end_column.map(|column| column.to_string())),
        ("symbol", citation.symbol.clone()),
        ("repo", citation.repo.clone()),
        ("rule", citation.rule_id.clone()),
    ] {
        if let Some(value) = value {
            shown += &format!(" {name}={value}");
        }
    }
    shown
}

#[test]
fn every_vector_is_read_as_written() {
    let mut wrong = String::new();
    for line in data("extract.tsv").lines().filter(|line| !line.starts_with('#')) {
        let (text, expected) = line.split_once('\t').unwrap();
        let text = text.replace('␍', "\r").replace('␊', "\n");
        let found: Vec<_> = extract_citations(&text, &roots(), &ExtractOptions::default())
            .iter()
            .map(|citation| show(&text, citation))
            .collect();
        if found.join(" | ") != expected {
            wrong += &format!("{text}\n  want {expected}\n  have {}\n", found.join(" | "));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn prose_cites_nothing() {
    for line in data("prose.txt").lines() {
        let found = extract_citations(line, &roots(), &ExtractOptions::default());
        let found: Vec<_> = found.iter().map(|citation| citation.raw(line)).collect();
        assert!(found.is_empty(), "{line}\n  {found:?}");
    }
}

#[test]
fn a_text_of_one_delimiter_is_read_in_one_pass() {
    // What is not linear does not end in any time a developer would wait.
    for piece in [
        "(",
        "[",
        "](",
        "`",
        "\"",
        "'",
        "/",
        "\\",
        ".",
        ":",
        "#",
        "@",
        "-",
        ",",
        "1",
        "a",
        "é",
        "漢",
        "😀",
        "【F:",
        "\u{FFFD}",
        "a.c:1,1",
        "a.c:",
        "```1:1:",
        "[rule:",
        "file://",
        "http://",
        "a/",
        "../",
        "\\ ",
        "(1",
        "a1b2c3d:",
        "a.c ",
        "crew ",
        "\n",
        "((((((((a.c ",
        "[x](a.md ",
    ] {
        let text = piece.repeat((1 << 17) / piece.len());
        for citation in extract_citations(&text, &roots(), &ExtractOptions { ambiguous_shas: true }) {
            assert!(!citation.raw(&text).is_empty());
        }
        let words = format!("{} ", piece.repeat(900 / piece.len()));
        let text = words.repeat((1 << 17) / words.len());
        extract_citations(&text, &roots(), &ExtractOptions { ambiguous_shas: true });
    }
}

#[test]
fn eight_thousand_claims_in_eight_megabytes_are_all_found() {
    let prose = "The handler reads the request and answers with the newest turn first. ".repeat(14);
    let mut text = String::new();
    for index in 0..8_000 {
        text += &format!("See `turn{index}` at src/turn{index}.ts:{}. {prose}", index + 1);
    }
    let found = extract_citations(&text, &roots(), &ExtractOptions::default());
    assert_eq!(found.len(), 8_000);
    assert!(found.iter().all(|citation| citation.symbol.is_some() && citation.kind == Kind::Line));
}

/// Texts of the pieces citations are made of, in any order.
fn texts() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "src/a.ts",
        ":10",
        "-20",
        "#L3",
        "(4,5)",
        " ",
        " ",
        "\n",
        "\r\n",
        "\n\n",
        "`",
        "`foo`",
        "[",
        "](",
        ")",
        "(",
        "6d77153",
        "..",
        "crew",
        "studio ",
        ": ",
        "## ",
        "é",
        "漢字",
        "😀",
        "\u{FFFD}",
        "a.c",
        "Makefile",
        "[rule:x]",
        "http://h/",
        "file:///r/x y.md",
        "\"",
        "\", line 3",
        "【F:",
        "†L1-L2】",
        "```1:2:",
        ",",
        ".",
        "/",
        "\\",
        "\\ ",
        "@",
        "container ",
        "%20",
        "x.ts:foo",
        "`a/B C.md`",
        "1",
        "e",
        ",20",
    ]);
    prop::collection::vec(pieces, 0..60).prop_map(|pieces| pieces.concat())
}

fn cuts(text: &str, seed: u64, most: usize) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut state = seed | 1;
    for character in text.chars() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        if ((state >> 33) as usize).is_multiple_of(most) {
            pieces.push(String::new());
        }
        pieces.last_mut().unwrap().push(character);
    }
    pieces
}

fn check_stream(text: &str, seed: u64, most: usize) {
    let names = Names::new(&roots());
    let whole = extract_with(text, &names, &ExtractOptions::default());
    let mut stream = CitationStream::new(names, ExtractOptions::default());
    let mut found = Vec::new();
    for piece in cuts(text, seed, most) {
        found.extend(stream.feed(&piece));
    }
    found.extend(stream.finish());
    for streamed in &found {
        assert_eq!(streamed.raw, streamed.citation.raw(text));
        let before = text[..streamed.citation.span.start].encode_utf16().count();
        assert_eq!(streamed.units.start, before);
    }
    let found: Vec<_> = found.into_iter().map(|streamed| streamed.citation).collect();
    let whole: Vec<_> =
        whole.into_iter().map(|citation| Citation { repeats: Vec::new(), ..citation }).collect();
    assert_eq!(found, whole, "{text:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_text_is_read_in_order_without_overlap(text in texts(), other in any::<String>()) {
        for text in [text, other] {
            for citation in &extract_citations(&text, &roots(), &ExtractOptions { ambiguous_shas: true }) {
                prop_assert!(text.get(citation.span.start..citation.span.end).is_some_and(|raw| !raw.is_empty()));
                prop_assert!(citation.repeats.iter().all(|again| again.of(&text) == citation.raw(&text)));
                prop_assert!(citation.repeats.first().is_none_or(|again| again.start >= citation.span.end));
            }
            let found = extract_citations(&text, &roots(), &ExtractOptions::default());
            prop_assert!(found.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start));
        }
    }

    #[test]
    fn a_stream_finds_what_the_whole_has(text in texts(), seed in any::<u64>(), most in 1usize..40) {
        check_stream(&text, seed, most);
    }

    #[test]
    fn a_stream_of_long_lines_finds_what_the_whole_has(lines in prop::collection::vec(texts(), 20..60), seed in any::<u64>(), most in 1usize..400) {
        check_stream(&lines.concat().replace(['\n', '\r'], " "), seed, most);
    }
}
