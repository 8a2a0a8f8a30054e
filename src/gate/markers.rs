//! Finds what silences, skips or empties a check in added text: a line scan that tells code, strings
//! and comments apart as far as a line shows them. A comment that only speaks of a marker is none.

use super::marker_table::{After, CODE, DIRECTIVES, Marker, SCRIPTS, SETTINGS};
use std::sync::LazyLock;

/// The markers in `added_text`, each once, in the order they first occur. Linear in the text.
pub fn detect_check_weakening(added_text: &str) -> Vec<&'static str> {
    count_markers(added_text).into_iter().map(|(name, _)| name).collect()
}

/// The markers that `after` has more often than `before`, in the order of `after`.
pub fn added_markers(before: &str, after: &str) -> Vec<&'static str> {
    let had = count_markers(before);
    let count = |name: &str| had.iter().find(|(known, _)| *known == name).map_or(0, |(_, count)| *count);
    count_markers(after)
        .into_iter()
        .filter(|(name, times)| *times > count(name))
        .map(|(name, _)| name)
        .collect()
}

fn count_markers(text: &str) -> Vec<(&'static str, usize)> {
    let mut found: Vec<(&'static str, usize)> = Vec::new();
    scan(text, |name| match found.iter_mut().find(|(known, _)| *known == name) {
        Some((_, count)) => *count += 1,
        None => found.push((name, 1)),
    });
    found
}

/// What began on an earlier line and has not ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    Nothing,
    /// `/* ... */`, from the start of a line.
    Block,
    /// A text in three quotes.
    Triple(&'static str),
}

fn scan(text: &str, mut tell: impl FnMut(&'static str)) {
    if !FILTER.may_hold(text.as_bytes()) {
        return;
    }
    let mut open = Open::Nothing;
    let mut offset = 0;
    // Once a closing mark is not found ahead it is not looked for again: the scan stays linear.
    let mut never_closed: Vec<&'static str> = Vec::new();
    for line in text.split_inclusive('\n') {
        let rest = text.get(offset + line.len()..).unwrap_or("");
        offset += line.len();
        let mut line = line.trim_end();
        match open {
            Open::Block => match line.split_once("*/") {
                Some((inside, after)) => {
                    directive(inside.trim_start_matches([' ', '\t', '*']), &mut tell);
                    line = after;
                    open = Open::Nothing;
                }
                None => {
                    directive(line.trim_start_matches([' ', '\t', '*']), &mut tell);
                    continue;
                }
            },
            Open::Triple(quotes) => match line.split_once(quotes) {
                Some((_, after)) => {
                    line = after;
                    open = Open::Nothing;
                }
                None => continue,
            },
            Open::Nothing => {}
        }
        if let Some((closing, state)) = opens(line)
            && !never_closed.contains(&closing)
        {
            if memchr::memmem::find(rest.as_bytes(), closing.as_bytes()).is_some() {
                open = state;
                if let Open::Triple(quotes) = state {
                    line = line.rsplit_once(quotes).map_or(line, |(before, _)| before);
                }
            } else {
                never_closed.push(closing);
            }
        }
        if FILTER.may_hold(line.as_bytes()) {
            scan_line(line, &mut tell);
        }
    }
}

/// What `line` leaves open: the mark that closes it, and the state.
fn opens(line: &str) -> Option<(&'static str, Open)> {
    let start = line.trim_start();
    if start.starts_with("/*") && !start.contains("*/") {
        return Some(("*/", Open::Block));
    }
    ["\"\"\"", "'''"]
        .into_iter()
        .find(|quotes| line.matches(quotes).count() % 2 == 1)
        .map(|quotes| (quotes, Open::Triple(quotes)))
}

fn scan_line(line: &str, tell: &mut impl FnMut(&'static str)) {
    let bytes = line.as_bytes();
    let indent = line.len() - line.trim_start().len();
    if line.get(indent..).is_some_and(|text| text == "*" || text.starts_with("* ")) {
        // The inside of a block comment whose start is not in the text.
        directive(line.trim_start_matches([' ', '\t', '*']), tell);
        return;
    }
    settings(line, indent, tell);
    // The quote that ends the string the scan is in, and the quotes no other one on the line ends.
    let mut closing: Option<u8> = None;
    let mut unpaired: Vec<u8> = Vec::new();
    let mut at = indent;
    while let Some(&byte) = bytes.get(at) {
        match closing {
            Some(_) if byte == b'\\' => {
                at += 2;
                continue;
            }
            Some(quote) if byte == quote => closing = None,
            Some(_) => {}
            None => {
                if let Some((length, end)) = comment_start(bytes, at, indent) {
                    at = comment(line, at + length, end, tell);
                    continue;
                }
                // An apostrophe within a word opens nothing.
                let opens = match byte {
                    b'"' | b'`' => true,
                    b'\'' => {
                        !at.checked_sub(1).and_then(|before| bytes.get(before)).copied().is_some_and(is_word)
                    }
                    _ => false,
                };
                if opens && !unpaired.contains(&byte) {
                    if closes(bytes, at + 1, byte) {
                        closing = Some(byte);
                    } else {
                        unpaired.push(byte);
                    }
                } else if let Some(found) = find(&CODE_TABLE, line, at) {
                    tell(found.text);
                    at += found.text.len();
                    continue;
                }
            }
        }
        if let Some(found) = find(&SCRIPT_TABLE, line, at)
            && (found.after != After::Tail || is_command(line, at))
        {
            tell(found.text);
        }
        at += 1;
    }
}

/// Reads a comment from `at`, tells its directives and returns where it ends.
fn comment(line: &str, at: usize, end: Option<&str>, tell: &mut impl FnMut(&'static str)) -> usize {
    let rest = line.get(at..).unwrap_or("");
    let length = end.and_then(|end| rest.find(end).map(|found| found + end.len())).unwrap_or(rest.len());
    let inside = rest.get(..length).unwrap_or(rest);
    // A comment may hold several: `# type: ignore  # noqa`, `// x // nolint`.
    let mut piece = inside;
    loop {
        piece = piece.trim_start_matches(['/', '*', '!', '-', '%', ';', ' ', '\t']);
        directive(piece, tell);
        let next = memchr::memchr2_iter(b'#', b'/', piece.as_bytes()).find(|&found| {
            let mark = piece.get(found..).unwrap_or("");
            let blank = found > 0 && piece.as_bytes().get(found - 1).is_some_and(u8::is_ascii_whitespace);
            blank && (mark.starts_with('#') || mark.starts_with("//"))
        });
        match next.and_then(|found| piece.get(found + 1..)) {
            Some(rest) => piece = rest.trim_start_matches('#'),
            None => break,
        }
    }
    at + length
}

fn directive(text: &str, tell: &mut impl FnMut(&'static str)) {
    let text = text.trim_start();
    if let Some(found) = find(&DIRECTIVE_TABLE, text, 0) {
        tell(found.text);
    } else if let Some(found) =
        text.strip_prefix('#').and_then(|text| find(&DIRECTIVE_TABLE, text.trim_start(), 0))
    {
        tell(found.text);
    }
}

/// Where a comment's text begins behind `at`, and what ends it before the line does.
fn comment_start(bytes: &[u8], at: usize, indent: usize) -> Option<(usize, Option<&'static str>)> {
    let rest = bytes.get(at..)?;
    let before = at.checked_sub(1).and_then(|before| bytes.get(before)).copied();
    let blank_before =
        at == indent || before.is_some_and(|before| matches!(before, b' ' | b'\t' | b';' | b')'));
    match rest {
        [b'/', b'/', ..] if before.is_none_or(|before| before != b':' && !is_word(before)) => Some((2, None)),
        // In a glob such as `src/**/*.ts` the mark follows a name.
        [b'/', b'*', ..] if before.is_none_or(|before| !is_word(before) && before != b'*') => {
            Some((2, Some("*/")))
        }
        [b'<', b'!', b'-', b'-', ..] => Some((4, Some("-->"))),
        [b'{', b'-', ..] => Some((2, Some("-}"))),
        [b'(', b'*', b' ', ..] => Some((2, Some("*)"))),
        // `#[...]` and `#![...]` are attributes, `#expect(` a macro.
        [b'#', b'[' | b'!', ..] | [b'#', b'e', b'x', b'p', b'e', b'c', b't', b'(', ..] => None,
        [b'#', ..] if blank_before => Some((1, None)),
        [b'-', b'-', b' ', ..] | [b'%', ..] | [b';', b';', ..] if at == indent => Some((1, None)),
        _ => None,
    }
}

fn closes(bytes: &[u8], from: usize, quote: u8) -> bool {
    let mut escaped = false;
    for &byte in bytes.get(from..).unwrap_or_default() {
        if byte == quote && !escaped {
            return true;
        }
        escaped = byte == b'\\' && !escaped;
    }
    false
}

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// A sorted table with the range of its entries for each first byte.
struct Table {
    entries: &'static [Marker],
    ranges: Vec<(u16, u16)>,
}

impl Table {
    fn new(entries: &'static [Marker]) -> Table {
        let starts = |byte: u8| {
            let first = |marker: &Marker| marker.text.bytes().next();
            let from = entries.partition_point(|marker| first(marker) < Some(byte));
            let to = entries.partition_point(|marker| first(marker) <= Some(byte));
            (from as u16, to as u16)
        };
        Table { entries, ranges: (0..=u8::MAX).map(starts).collect() }
    }

    fn starting_with(&self, byte: u8) -> &'static [Marker] {
        let range = self.ranges.get(usize::from(byte)).copied().unwrap_or_default();
        self.entries.get(usize::from(range.0)..usize::from(range.1)).unwrap_or_default()
    }
}

/// The first three bytes of every entry, hashed into a bit set: most text holds none of them where a
/// marker could stand, and is passed over at the price of one look a byte.
struct Filter {
    /// One byte a slot: of a fixed size, so that a look needs neither a bound nor a shift.
    slots: Box<[bool; SLOTS]>,
}

const SLOTS: usize = 1 << 15;

impl Filter {
    fn new() -> Filter {
        let mut filter = Filter { slots: Box::new([false; SLOTS]) };
        let markers = [CODE, DIRECTIVES, SCRIPTS].into_iter().flatten();
        for text in markers.map(|marker| marker.text).chain(SETTINGS.iter().map(|setting| setting.key)) {
            match *text.as_bytes() {
                [one, two, three, ..] => filter.add(one, two, three),
                [one, two] => b":\"'= ".iter().for_each(|&three| filter.add(one, two, three)),
                _ => {}
            }
        }
        filter
    }

    fn add(&mut self, one: u8, two: u8, three: u8) {
        if let Some(known) = self.slots.get_mut(slot(one, two, three)) {
            *known = true;
        }
    }

    /// False when no marker and no setting can be in `text`.
    fn may_hold(&self, text: &[u8]) -> bool {
        text.windows(3).enumerate().any(|(at, window)| {
            let [one, two, three] = *window else { return false };
            self.slots.get(slot(one, two, three)).copied().unwrap_or(false) && starts_entry(text, at)
        })
    }
}

fn slot(one: u8, two: u8, three: u8) -> usize {
    (usize::from(one) ^ (usize::from(two) << 4) ^ (usize::from(three) << 8)) & (SLOTS - 1)
}

/// True when the whole text of an entry stands at `at` and does not go on a word.
fn starts_entry(text: &[u8], at: usize) -> bool {
    let Some((rest, &first)) = text.get(at..).and_then(|rest| Some((rest, rest.first()?))) else {
        return false;
    };
    let goes_on = at.checked_sub(1).and_then(|before| text.get(before)).copied().is_some_and(is_word);
    if goes_on && is_word(first) {
        return false;
    }
    let tables = [&*CODE_TABLE, &*DIRECTIVE_TABLE, &*SCRIPT_TABLE];
    let near = tables.into_iter().flat_map(|table| table.starting_with(first));
    near.map(|marker| marker.text)
        .chain(
            SETTINGS.iter().map(|setting| setting.key).filter(|key| key.as_bytes().first() == Some(&first)),
        )
        .any(|entry| rest.starts_with(entry.as_bytes()))
}

static FILTER: LazyLock<Filter> = LazyLock::new(Filter::new);
static CODE_TABLE: LazyLock<Table> = LazyLock::new(|| Table::new(CODE));
static DIRECTIVE_TABLE: LazyLock<Table> = LazyLock::new(|| Table::new(DIRECTIVES));
static SCRIPT_TABLE: LazyLock<Table> = LazyLock::new(|| Table::new(SCRIPTS));

/// The longest entry of `table` that stands at `at` as a whole.
fn find(table: &Table, line: &str, at: usize) -> Option<&'static Marker> {
    let bytes = line.as_bytes();
    let rest = bytes.get(at..)?;
    let first = *rest.first()?;
    let near = table.starting_with(first);
    let mut candidates = near.iter().filter(|marker| rest.starts_with(marker.text.as_bytes())).peekable();
    candidates.peek()?;
    let before = at.checked_sub(1).and_then(|before| bytes.get(before)).copied();
    let joined = before.is_some_and(|before| match first {
        b'.' | b'|' | b',' => false,
        b'[' => is_word(before) || before == b'#',
        b'-' => before == b'-',
        _ => {
            is_word(before)
                || (is_word(first) && matches!(before, b'.' | b'-' | b'$'))
                || (is_word(first) && bytes.get(..at).is_some_and(|before| before.ends_with(b"->")))
        }
    });
    let qualified = before == Some(b'.') || before == Some(b':') || before == Some(b'>');
    candidates
        .filter(|marker| marker.after != After::Title || before != Some(b'@'))
        .filter(|marker| !joined || (qualified && is_assertion(marker.text)))
        .filter(|marker| ends_there(marker, line, at + marker.text.len()))
        .max_by_key(|marker| marker.text.len())
}

/// Assertions and skips that are methods of whatever the test calls its own object.
fn is_assertion(text: &str) -> bool {
    text.starts_with("assert")
        || text.starts_with("mark")
        || text.starts_with("XCTSkip")
        || text.starts_with("assume")
}

fn ends_there(marker: &Marker, line: &str, end: usize) -> bool {
    let rest = line.get(end..).unwrap_or("");
    let next = rest.as_bytes().first().copied();
    let last = marker.text.as_bytes().last().copied().unwrap_or(0);
    let open = next.is_some_and(is_word) && is_word(last);
    let argument = |rest: &str| rest.trim_start().bytes().next();
    match marker.after {
        // `eslint-disable-next-line` and `@phpstan-ignore-line` go on; `DISABLED_` is a prefix.
        After::Word => !open || last == b'_' || marker.text.ends_with("-W"),
        After::Call if open => false,
        After::Call => match next {
            Some(b'(') => !argument(rest.get(1..).unwrap_or("")).is_some_and(|byte| byte.is_ascii_digit()),
            Some(b'.' | b'`') => true,
            _ => false,
        },
        After::Title if open => false,
        After::Title => {
            let called = rest.strip_prefix('(').or_else(|| rest.strip_prefix(' ')).unwrap_or("");
            matches!(argument(called), Some(b'"' | b'\'' | b'`')) || rest.starts_with(".each")
        }
        After::End => {
            !open
                && (rest.trim_start().is_empty()
                    || rest.trim_start().starts_with([',', ';', ')', '#', '/', '}']))
        }
        After::Codes => {
            let code = |byte: u8| {
                byte.is_ascii_lowercase()
                    || byte.is_ascii_digit()
                    || matches!(byte, b'_' | b'/' | b'.' | b'=')
            };
            let mut codes = rest.split(',').map(str::trim);
            codes.all(|text| !text.is_empty() && text.bytes().all(code))
        }
        After::Tail => {
            let rest = rest.trim_start();
            !open
                && (rest.is_empty()
                    || rest.starts_with(['"', '\'', '`', '#', '\\', ')', ']'])
                    || rest.starts_with("&&"))
        }
        After::Line => {
            rest.trim().is_empty() && line.get(..end).is_some_and(|text| text.trim() == marker.text)
        }
    }
}

/// How far around a command its line is looked at.
const COMMAND_WINDOW: usize = 400;

/// True when what stands before `at` reads as a command rather than as an expression.
fn is_command(line: &str, at: usize) -> bool {
    let window = |from: usize, to: usize| line.as_bytes().get(from..to.min(line.len())).unwrap_or_default();
    let before = window(at.saturating_sub(COMMAND_WINDOW), at);
    let after = window(at, at + COMMAND_WINDOW);
    let start = line.trim_start().as_bytes();
    let holds = |text: &[u8], mark: &str| memchr::memmem::find(text, mark.as_bytes()).is_some();
    let keywords = ["return ", "if ", "if(", "while ", "while(", "const ", "let ", "var ", "} else"];
    let expression = keywords.iter().any(|word| start.starts_with(word.as_bytes()))
        || [" = ", " => ", "=== ", " == ", "!== ", " += "].iter().any(|mark| holds(before, mark));
    let balanced = holds(before, "$(") || !holds(after, ")") || holds(before, "(") == holds(before, ")");
    !expression && balanced && !before.trim_ascii().is_empty()
}

/// `key: value`, `key = value`, `"key": value` and `<key>value</key>` at the start of a line or of an
/// object.
fn settings(line: &str, indent: usize, tell: &mut impl FnMut(&'static str)) {
    let text = line.get(indent..).unwrap_or("");
    if text.starts_with(['#', '/', ';']) {
        return;
    }
    let mut before = b'{';
    let bytes = text.as_bytes();
    for (at, &byte) in bytes.iter().enumerate() {
        let starts = matches!(before, b'{' | b',' | b'"' | b'\'' | b' ' | b'\t' | b'<' | b'.' | b'-');
        if starts
            && byte.is_ascii_alphabetic()
            && let Some(found) = setting_at(text, at)
        {
            tell(found);
        }
        before = byte;
    }
}

fn setting_at(text: &str, at: usize) -> Option<&'static str> {
    let rest = text.get(at..)?;
    let length = rest.bytes().take_while(|&byte| is_word(byte) || byte == b'-').take(40).count();
    let key = rest.get(..length)?;
    let found = SETTINGS.binary_search_by(|setting| setting.key.cmp(key)).ok()?;
    let setting = SETTINGS.get(found)?;
    // A key stands first in its line or object: `what if: false` is prose.
    let before = text.get(..at).unwrap_or("");
    let head = before.trim_end_matches(['"', '\'']).trim_end();
    let leads = head.is_empty() || head.ends_with(['{', ',', '<', '-', '.']);
    let quoted = before.ends_with('"') || !setting.quoted;
    let rest = rest.get(length..)?;
    let rest = rest.trim_start_matches(['"', '\'']).trim_start();
    let value = rest.strip_prefix([':', '=', '>'])?.trim_start();
    let value = value.trim_start_matches("${{").trim_start_matches(['"', '\'', ' ']);
    let end = value.bytes().take_while(|&byte| is_word(byte) || byte == b'-').take(8).count();
    (leads && quoted && value.get(..end)?.eq_ignore_ascii_case(setting.value)).then_some(setting.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        for table in [CODE, DIRECTIVES, SCRIPTS] {
            assert!(table.is_sorted_by(|one, other| one.text < other.text));
            assert!(table.iter().all(|marker| !marker.ecosystem.is_empty()));
        }
        assert!(SETTINGS.is_sorted_by(|one, other| one.key < other.key));
        assert!(SETTINGS.iter().all(|setting| !setting.ecosystem.is_empty()));
    }

    #[test]
    fn every_marker_is_reachable() {
        let rest = |marker: &Marker| match marker.after {
            After::Call => "(\"x\")",
            After::Title => " \"x\"",
            After::Codes => " some_rule",
            After::Word | After::End | After::Tail | After::Line => "",
        };
        for marker in DIRECTIVES {
            for start in ["//", "# ", "/* ", "<!-- ", "x = 漢; // é "] {
                let line = format!("{start}{}{}", marker.text, rest(marker));
                let line = if start.contains('é') { line.replace("é ", "") } else { line };
                assert_eq!(detect_check_weakening(&line), [marker.text], "{line}");
            }
        }
        for marker in CODE {
            let line = format!("  {}{}", marker.text, rest(marker));
            assert_eq!(detect_check_weakening(&line), [marker.text], "{line}");
        }
        for marker in SCRIPTS {
            let command = if marker.after == After::Line { "" } else { "run " };
            let line = format!("{command}{}{}", marker.text, rest(marker));
            assert_eq!(detect_check_weakening(&line), [marker.text], "{line}");
        }
        for setting in SETTINGS {
            let line = format!("  \"{}\": {},", setting.key, setting.value);
            assert_eq!(detect_check_weakening(&line), [setting.name], "{line}");
        }
    }

    #[test]
    fn markers_keep_the_order_of_the_text_and_stand_once() {
        let text = "x  # noqa\r\n// @ts-ignore\r\ny  # noqa\r\n";
        assert_eq!(detect_check_weakening(text), ["noqa", "@ts-ignore"]);
        assert!(detect_check_weakening("").is_empty());
    }

    #[test]
    fn only_what_grew_is_added() {
        assert_eq!(added_markers("# noqa\n", "# noqa\n# noqa\n// @ts-ignore"), ["noqa", "@ts-ignore"]);
        assert!(added_markers("# noqa\n# noqa\n", "# noqa\n").is_empty());
    }
}
