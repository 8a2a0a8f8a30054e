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
        let last = first + shown;
        let _ = write!(
            rendered,
            "\n\n[PARTIAL view — lines {}-{last} of {total}.\nContinue with read({{ offset: {last}, limit: N }}), or narrow with grep.]",
            first + 1
        );
    }
    rendered
}

/// The length of the rendering of the whole of `text`, `units` long, without building it.
pub(super) fn whole_rendering_units(text: &str, units: usize) -> usize {
    let total = line_count(text);
    let (mut digits, mut from, mut width) = (0, 1, 1);
    // All numbers of one width at a time: 1-9, 10-99 and so on.
    while from <= total {
        let past = (from * 10).min(total + 1);
        digits += (past - from) * width;
        from *= 10;
        width += 1;
    }
    units + total + digits
}

/// The rendering of `text` (`units` long) that is `receipt_units` long and speaks for the whole
/// file: all of it, or the default window of a longer one.
pub(super) fn conclusive_window(text: &str, units: usize, receipt_units: usize) -> Option<Window> {
    if whole_rendering_units(text, units) == receipt_units {
        return Some(Window::WHOLE);
    }
    let is_partial = line_count(text) > DEFAULT_READ_LINES;
    (is_partial && utf16_len(&render_numbered_read(text, Window::default())) == receipt_units)
        .then(Window::default)
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
            let rendered = render_numbered_read(&text, Window::WHOLE);
            let units = utf16_len(&text);
            assert_eq!(whole_rendering_units(&text, units), utf16_len(&rendered), "{lines}");
            assert_eq!(conclusive_window(&text, units, utf16_len(&rendered)), Some(Window::WHOLE));
            let shown = render_numbered_read(&text, Window::default());
            assert!(conclusive_window(&text, units, utf16_len(&shown)).is_some());
        }
    }
}
