//! How a read shows a file.

use super::history::LINE_FEED;
use crate::limits::DEFAULT_READ_LINES;
use crate::text::utf16_len;
use std::fmt::Write;

/// The lines a read shows: those after the first `offset`, at most `limit` of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Lines left out at the start.
    pub offset: usize,
    /// Lines shown.
    pub limit: usize,
}

/// The windows that show a file as far as a read ever shows it unasked.
const CONCLUSIVE: [Window; 2] = [Window::WHOLE, Window { offset: 0, limit: DEFAULT_READ_LINES }];

impl Default for Window {
    fn default() -> Self {
        Window { offset: 0, limit: DEFAULT_READ_LINES }
    }
}

impl Window {
    /// Every line of the file.
    pub const WHOLE: Window = Window { offset: 0, limit: usize::MAX };

    /// The lines `first` to `last`, from 1, inclusive.
    pub const fn of_lines(first: usize, last: usize) -> Self {
        let offset = first.saturating_sub(1);
        Window { offset, limit: last.saturating_sub(offset) }
    }
}

/// Lines of `text`: one more than its newlines, so a final newline is followed by an empty line.
fn line_count(text: &str) -> usize {
    memchr::memchr_iter(LINE_FEED, text.as_bytes()).count() + 1
}

/// `text` as a read shows it: `<n>`, a tab and the line, joined by newlines; when `window` leaves
/// lines out, a notice after a blank line says which were shown. Carriage returns stay.
///
/// *Bounds*: [`DEFAULT_READ_LINES`] in a default window. *Source*: contract section 2.
pub fn render_numbered_read(text: &str, window: Window) -> String {
    let total = line_count(text);
    let first = window.offset.min(total);
    let shown = (total - first).min(window.limit);
    let mut rendered = String::with_capacity(text.len() + 8 * shown + 100);
    for (index, line) in text.split('\n').enumerate().skip(first).take(shown) {
        if index > first {
            rendered.push('\n');
        }
        // Writing to a String cannot fail.
        let _ = write!(rendered, "{}\t{line}", index + 1);
    }
    if shown < total {
        rendered.push_str(&notice(first, shown, total));
    }
    rendered
}

/// What a read says behind the `shown` lines after the first `left_out`, where there are more.
fn notice(left_out: usize, shown: usize, total: usize) -> String {
    let (first, last) = (left_out + 1, left_out + shown);
    format!(
        "\n\n[PARTIAL view — lines {first}-{last} of {total}.\nContinue with read({{ offset: {last}, limit: N }}), or narrow with grep.]"
    )
}

/// The length of the rendering of the first `limit` lines of `text`, in UTF-16 units, without
/// building it.
fn rendering_units(text: &str, limit: usize) -> usize {
    let total = line_count(text);
    let shown = total.min(limit);
    let end = memchr::memchr_iter(LINE_FEED, text.as_bytes()).nth(shown.saturating_sub(1));
    let shown_text = text.get(..end.unwrap_or(text.len())).unwrap_or(text);
    let notice = if shown < total { notice(0, shown, total) } else { String::new() };
    let (mut digits, mut from, mut width) = (0, 1, 1);
    // All numbers of one width at a time: 1-9, 10-99 and so on.
    while from <= shown {
        let past = (from * 10).min(shown + 1);
        digits += (past - from) * width;
        from *= 10;
        width += 1;
    }
    // A tab stands behind every number.
    utf16_len(shown_text) + shown + digits + utf16_len(&notice)
}

/// Whether `receipt_units` is the length of a rendering of `text` that speaks for the whole file: of
/// all of it, or of the default window of a longer one.
pub(super) fn may_show_whole(text: &str, receipt_units: usize) -> bool {
    CONCLUSIVE.iter().any(|window| rendering_units(text, window.limit) == receipt_units)
}

/// Whether `receipt` is such a rendering.
pub(super) fn shows_whole(text: &str, receipt: &str) -> bool {
    let units = utf16_len(receipt);
    CONCLUSIVE.iter().any(|window| {
        rendering_units(text, window.limit) == units && render_numbered_read(text, *window) == receipt
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_numbered_and_a_final_newline_shows_an_empty_one() {
        assert_eq!(render_numbered_read("", Window::default()), "1\t");
        assert_eq!(render_numbered_read("a\r\né漢😀\r\n", Window::default()), "1\ta\r\n2\té漢😀\r\n3\t");
    }

    #[test]
    fn a_window_ends_with_a_notice_of_what_was_shown() {
        assert_eq!(
            render_numbered_read("a\nb\nc", Window::of_lines(2, 2)),
            "2\tb\n\n[PARTIAL view — lines 2-2 of 3.\nContinue with read({ offset: 2, limit: N }), or narrow with grep.]"
        );
        assert_eq!(render_numbered_read("a\nb", Window { offset: 0, limit: 2 }), "1\ta\n2\tb");
        assert!(render_numbered_read("a", Window { offset: 9, limit: 1 }).starts_with("\n\n[PARTIAL view"));
    }

    #[test]
    fn the_length_of_a_rendering_is_known_before_it_is_built() {
        for lines in [0, 1, 8, 9, 10, 98, 99, 100, 1_001, 2_000, 2_500] {
            let text = "é漢😀 x\r\n".repeat(lines);
            for window in CONCLUSIVE {
                let rendered = render_numbered_read(&text, window);
                assert_eq!(rendering_units(&text, window.limit), utf16_len(&rendered), "{lines}");
                assert!(may_show_whole(&text, utf16_len(&rendered)) && shows_whole(&text, &rendered));
                assert!(!shows_whole(&text, &rendered.replacen('1', "7", 1)));
            }
            assert!(!may_show_whole(&text, 1));
        }
    }
}
