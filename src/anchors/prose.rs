//! The words of a passage as a reader sees them, and a quotable head of them.

use super::blocks::{Kind, Page};
use crate::text::utf16_len;
use std::borrow::Cow;
use unicode_segmentation::UnicodeSegmentation;

/// The page as one line of text.
pub(super) fn prose_of(page: &Page, skip_headings: bool) -> String {
    let only_headings = page.blocks.iter().all(|block| block.kind == Kind::Heading);
    let mut prose = String::with_capacity(page.text.len());
    for block in &page.blocks {
        if skip_headings && !only_headings && block.kind == Kind::Heading {
            continue;
        }
        if !prose.is_empty() {
            prose.push(' ');
        }
        prose.push_str(block.text.of(&page.text));
    }
    prose
}

/// The passage without its `§ ` lines.
pub(super) fn without_context(passage: &str) -> Cow<'_, str> {
    let is_context = |line: &str| line.starts_with("§ ") || line.trim_end() == "§";
    if memchr::memmem::find(passage.as_bytes(), "§".as_bytes()).is_none() {
        return Cow::Borrowed(passage);
    }
    if !passage.split_inclusive('\n').any(is_context) {
        return Cow::Borrowed(passage);
    }
    Cow::Owned(passage.split_inclusive('\n').filter(|line| !is_context(line)).collect())
}

/// The head of `prose`, at most `max_chars` UTF-16 units.
pub(super) fn quote_of(prose: &str, max_chars: usize) -> String {
    if utf16_len(prose) <= max_chars {
        return prose.to_owned();
    }
    // One unit is kept for the ellipsis; a sentence needs none.
    let mut units = 0;
    let mut sentence = 0;
    let mut word = 0;
    for (start, segment) in prose.split_word_bound_indices() {
        let whole = units + utf16_len(segment);
        if whole > max_chars {
            break;
        }
        units = whole;
        let end = start + segment.len();
        if units < max_chars && !segment.trim().is_empty() {
            word = end;
        }
        if ends_sentence(prose.get(..end).unwrap_or(""), prose.get(end..).unwrap_or(""))
            && units * 3 >= max_chars
        {
            sentence = end;
        }
    }
    if sentence > 0 {
        return prose.get(..sentence).unwrap_or("").trim_end().to_owned();
    }
    if word == 0 {
        // One word longer than the quote: whole graphemes of it.
        let mut units = 0;
        for (start, grapheme) in prose.grapheme_indices(true) {
            units += utf16_len(grapheme);
            if units >= max_chars {
                break;
            }
            word = start + grapheme.len();
        }
    }
    let head = prose
        .get(..word)
        .unwrap_or("")
        .trim_end_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | ':'));
    if head.is_empty() { String::new() } else { format!("{head}…") }
}

/// True when a sentence ends between `head` and `tail`.
fn ends_sentence(head: &str, tail: &str) -> bool {
    let closers = ['"', '\'', ')', ']', '”', '’', '»', '」', '』', '）'];
    let stripped = head.trim_end_matches(closers);
    let Some(stop) = stripped.chars().next_back() else { return false };
    match stop {
        '。' | '！' | '？' | '｡' => !tail.starts_with(closers),
        '.' | '!' | '?' | '…' | '।' | '؟' => {
            tail.starts_with(' ')
                && tail.trim_start().chars().next().is_some_and(|next| !next.is_lowercase())
                && !(stop == '.' && is_abbreviation(stripped))
        }
        _ => false,
    }
}

/// `e.g.`, `J.`, `vs.`: a stop behind these ends no sentence.
fn is_abbreviation(head: &str) -> bool {
    let word = head.trim_end_matches('.').rsplit([' ', '(']).next().unwrap_or("");
    word.chars().count() == 1 && word.chars().all(char::is_uppercase)
        || word.contains('.') && word.len() <= 5
        || ["Dr", "Mr", "Mrs", "Ms", "No", "St", "cf", "etc", "vs"].contains(&word)
}
