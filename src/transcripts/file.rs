//! Which file is a chat's.

use crate::collections::StringMap;
use crate::limits::MAX_CHAT_ID_UNITS;

const EXTENSION: &str = ".jsonl";

/// True when `id` may name a chat: letters, digits, `.`, `_` and `-`, at most
/// [`MAX_CHAT_ID_UNITS`], and neither `.` nor `..`.
pub fn is_chat_id(id: &str) -> bool {
    let in_alphabet = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    !id.is_empty() && id.len() <= MAX_CHAT_ID_UNITS && id.bytes().all(in_alphabet) && id != "." && id != ".."
}

/// The path of a chat's transcript in `directory`; `None` for an id that may not name one.
pub fn path(directory: &str, id: &str) -> Option<String> {
    if !is_chat_id(id) {
        return None;
    }
    let separator = if directory.ends_with(['/', '\\']) || directory.is_empty() {
        ""
    } else if directory.contains('\\') && !directory.contains('/') {
        "\\"
    } else {
        "/"
    };
    Some(format!("{directory}{separator}{id}{EXTENSION}"))
}

/// The indices of the `names` that are transcripts of chats outside `retained`. Every other name
/// belongs to someone else.
pub fn orphans(names: &[String], retained: &[String]) -> Vec<usize> {
    let retained: StringMap<()> = retained.iter().collect();
    let is_orphan = |name: &String| {
        name.strip_suffix(EXTENSION).is_some_and(|id| is_chat_id(id) && !retained.contains(id))
    };
    (0..names.len()).filter(|&index| names.get(index).is_some_and(is_orphan)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_that_tries_to_leave_is_never_a_path() {
        let long = "a".repeat(MAX_CHAT_ID_UNITS + 1);
        for id in ["", ".", "..", "../x", "a/b", "a\\b", "a\0", "a:b", "é", "漢", "a b", "%2e", "a\n", &long]
        {
            assert_eq!(path("/state/chats", id), None, "{id:?}");
        }
        let longest = "a".repeat(MAX_CHAT_ID_UNITS);
        for id in ["a", "...", "-", "A-b_c.9", ".hidden", &longest] {
            assert_eq!(path("/state/chats", id), Some(format!("/state/chats/{id}.jsonl")));
        }
    }

    #[test]
    fn the_separator_is_the_directorys_own() {
        assert_eq!(path("C:\\state\\chats", "a").unwrap(), "C:\\state\\chats\\a.jsonl");
        assert_eq!(path("C:/state", "a").unwrap(), "C:/state/a.jsonl");
        assert_eq!(path("/", "a").unwrap(), "/a.jsonl");
        assert_eq!(path("chats", "a").unwrap(), "chats/a.jsonl");
    }

    #[test]
    fn only_transcripts_of_valid_ids_outside_the_retained_are_orphans() {
        let names =
            ["a.jsonl", "b.jsonl", "c.json", ".jsonl", "...jsonl", "x y.jsonl", "a.jsonl.bak", "README"];
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(orphans(&names, &["b".to_owned()]), [0]);
        assert_eq!(orphans(&names, &[]), [0, 1]);
    }
}
