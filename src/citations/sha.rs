//! Commits: hex runs that stand as whole tokens.

use super::names::Names;
use super::tables;
use crate::text::ByteSpan;

/// One commit name and whether its shape is that of other things too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sha {
    pub span: ByteSpan,
    pub tentative: bool,
}

/// The first commit name that begins at or after `at` in the word `word` of `text`.
pub(super) fn next(text: &str, word: ByteSpan, at: usize, names: &Names, ambiguous: bool) -> Option<Sha> {
    let bytes = text.as_bytes();
    let mut at = at;
    while at < word.end {
        let run = run(bytes, at, word.end);
        if run.end == at {
            at += 1;
            while bytes.get(at).is_some_and(|byte| (0x80..0xC0).contains(byte)) {
                at += 1;
            }
            continue;
        }
        at = run.end;
        let Some(sha) = judge(text, word, run, ambiguous) else { continue };
        if may_follow(text, word, sha.span, names) && may_go_on(text.get(run.end..word.end).unwrap_or("")) {
            return Some(sha);
        }
    }
    None
}

/// The run of letters, digits and `_` at `at`; scripts without spaces are not part of one.
fn run(bytes: &[u8], at: usize, end: usize) -> ByteSpan {
    let mut stop = at;
    while stop < end {
        match bytes.get(stop).copied().unwrap_or(0) {
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'_' => stop += 1,
            // Below U+2E80, where CJK begins, letters belong to words.
            0x80..=0xE1 => stop += 1,
            0xE2 if bytes.get(stop + 1).is_some_and(|next| *next < 0xBA) => stop += 3,
            _ => break,
        }
    }
    ByteSpan::new(at, stop.min(end))
}

/// The commit name in `run`, without the `g` of `git describe`.
fn judge(text: &str, word: ByteSpan, run: ByteSpan, ambiguous: bool) -> Option<Sha> {
    let mut span = run;
    let described = text
        .get(word.start..run.start)?
        .strip_suffix('-')
        .is_some_and(|head| head.ends_with(|last: char| last.is_ascii_digit()));
    if described && span.of(text).starts_with('g') {
        span.start += 1;
    }
    let hex = span.of(text);
    if !(7..=40).contains(&hex.len()) && hex.len() != 64 {
        return None;
    }
    let (mut digits, mut letters) = (false, false);
    for byte in hex.bytes() {
        match byte {
            b'0'..=b'9' => digits = true,
            b'a'..=b'f' | b'A'..=b'F' => letters = true,
            _ => return None,
        }
    }
    let clear = digits && letters;
    (!is_float(hex) && (clear || ambiguous)).then_some(Sha { span, tentative: !clear })
}

/// `1e10000`: a short mantissa, an `e`, digits.
fn is_float(hex: &str) -> bool {
    hex.split_once(['e', 'E']).is_some_and(|(mantissa, exponent)| {
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        mantissa.len() <= 3 && digits(mantissa) && digits(exponent)
    })
}

/// True when a commit may stand where `span` does: what is before it does not make it something else.
fn may_follow(text: &str, word: ByteSpan, span: ByteSpan, names: &Names) -> bool {
    let head = text.get(word.start..span.start).unwrap_or("");
    let outside = text.get(..word.start).unwrap_or("");
    if head.trim_start_matches(['(', '[']).is_empty() {
        return match outside.chars().next_back() {
            Some('=') => is_commit_key(outside.trim_end_matches('=')),
            _ => !is_called_otherwise(outside),
        };
    }
    if head.ends_with("..") {
        return true;
    }
    if head.ends_with('g') && head.trim_end_matches('g').ends_with('-') {
        return true;
    }
    if head.chars().next_back().is_some_and(|last| last >= '\u{2E80}') {
        return true;
    }
    let name = head.trim_start_matches(['(', '[']);
    if tables::COMMIT_PREFIXES.iter().any(|prefix| ends_with_word(name, prefix)) {
        return true;
    }
    name.strip_suffix(['@', ':', '/', '#']).is_some_and(|name| names.is_alias(name))
}

/// True when `text` ends with `suffix`, ASCII case ignored, as a whole word.
fn ends_with_word(text: &str, suffix: &str) -> bool {
    let Some(cut) = text.len().checked_sub(suffix.len()) else { return false };
    text.get(cut..).is_some_and(|tail| tail.eq_ignore_ascii_case(suffix))
        && !text.get(..cut).unwrap_or("").ends_with(|last: char| last.is_alphanumeric())
}

/// `sha=`, `commit=`: an assignment that names commits.
fn is_commit_key(text: &str) -> bool {
    tables::COMMIT_PREFIXES
        .iter()
        .filter_map(|prefix| prefix.strip_suffix(':'))
        .any(|key| ends_with_word(text, key))
}

/// How far back the words that introduce a hex run are looked for.
const INTRODUCTION_BYTES: usize = 48;

/// True when the words before say that the hex run is no commit: `container 4f5e6d7c8b9a`,
/// `image id: ...`.
fn is_called_otherwise(outside: &str) -> bool {
    let mut from = outside.len().saturating_sub(INTRODUCTION_BYTES);
    while !outside.is_char_boundary(from) {
        from += 1;
    }
    let near = outside.get(from..).unwrap_or("");
    let line = near.rsplit('\n').next().unwrap_or("");
    let mut words = line
        .rsplit(|c: char| !c.is_alphanumeric() && c != '-')
        .filter(|word| !word.is_empty() && *word != "-");
    match words.next() {
        Some(word) if tables::has(tables::OTHER_HEX, word) => true,
        Some(word) if tables::has(OTHER_HEX_GLUE, word) => {
            words.next().is_some_and(|word| tables::has(tables::OTHER_HEX, word))
        }
        _ => false,
    }
}

/// What may stand between such a word and its hex run.
const OTHER_HEX_GLUE: &[&str] =
    &["exec", "hash", "id", "inspect", "is", "kill", "logs", "rm", "start", "stop", "sum"];

/// True when `tail`, the rest of the word, lets a commit end here.
fn may_go_on(tail: &str) -> bool {
    let rest = tail.trim_start_matches([')', ']']);
    let mut characters = rest.chars();
    match characters.next() {
        None | Some('~' | '!' | '?') => true,
        Some('.') => {
            rest.starts_with("..") || !characters.next().is_some_and(|next| next.is_ascii_alphanumeric())
        }
        Some(':') => !characters.next().is_some_and(|next| next.is_ascii_digit()),
        Some('@') => rest.starts_with("@{"),
        Some('-') => rest == "-dirty",
        Some(next) => next >= '\u{2E80}',
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::citations::citation::Root;

    #[track_caller]
    fn check(text: &str, ambiguous: bool, expected: &[&str]) {
        let names = Names::new(&[Root { abs_root: "/r/crew".to_owned(), name: "crew".to_owned() }]);
        let start = text.rfind([' ', '=']).map_or(0, |at| at + 1);
        let word = ByteSpan::new(start, text.len());
        let mut found = Vec::new();
        let mut at = start;
        while let Some(sha) = next(text, word, at, &names, ambiguous) {
            found.push(sha.span.of(text));
            at = sha.span.end;
        }
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn whole_hex_tokens_are_commits() {
        for text in [
            "6d77153",
            "(6d77153)",
            "6d77153.",
            "in 6D77153:",
            "commit=6d77153",
            "6d77153~2",
            "提交6d77153中",
        ] {
            let hex = if text.contains('D') { "6D77153" } else { "6d77153" };
            check(text, false, &[hex]);
        }
        check("6d77153..abc1234", false, &["6d77153", "abc1234"]);
        check("6d77153...abc1234.", false, &["6d77153", "abc1234"]);
        check("commit/6d77153", false, &["6d77153"]);
        check("sha:6d77153", false, &["6d77153"]);
        check("v1.2.3-4-g6d77153", false, &["6d77153"]);
        check("crew@6d77153", false, &["6d77153"]);
        check("6d77153:src/a.ts", false, &["6d77153"]);
        check(&"0123456789abcdef".repeat(4), false, &[&"0123456789abcdef".repeat(4)]);
    }

    #[test]
    fn other_hex_is_not() {
        for text in [
            "#6d77153",
            "0x6d77153",
            "sha256:6d77153",
            "6d77153.js",
            "main.6d77153",
            "1e10000",
            "12e34567",
            "6d7715",
            "550e8400-e29b-41d4-a716-446655440000",
            "container 4f5e6d7c8b9a",
            "Image ID: 4f5e6d7c8b9a",
            "docker logs 4f5e6d7c",
            "id=6d77153",
            "6d77153_x",
            "é6d77153",
            "other/repo@6d77153",
            "1234567",
            "deadbeef",
            "6d77153/a",
            "md5 6d77153abc",
        ] {
            check(text, false, &[]);
        }
        check("1234567", true, &["1234567"]);
        check("deadbeef", true, &["deadbeef"]);
    }
}
