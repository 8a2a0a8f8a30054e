//! A file's lines and names, found without cutting it up.

use crate::collections::StringMap;
use crate::limits::MAX_CITED_FILE_BYTES;
use memchr::{memchr, memchr_iter, memmem};

/// A text file, with the byte at which each line starts.
#[derive(Debug)]
pub struct CitedFile {
    text: String,
    line_starts: Vec<usize>,
    /// The lines of each word that was looked for everywhere.
    words: StringMap<Vec<usize>>,
}

impl CitedFile {
    /// `None` for what is no text (it holds a NUL) or larger than `MAX_CITED_FILE_BYTES`.
    pub fn new(text: String) -> Option<Self> {
        if text.len() > MAX_CITED_FILE_BYTES || memchr(0, text.as_bytes()).is_some() {
            return None;
        }
        let mut line_starts = vec![0];
        line_starts.extend(memchr_iter(b'\n', text.as_bytes()).map(|newline| newline + 1));
        // A newline ends its line; only what follows it makes another.
        line_starts.pop_if(|start| *start == text.len());
        Some(CitedFile { text, line_starts, words: StringMap::default() })
    }

    /// How many lines there are; an empty file has none.
    pub fn line_count(&self) -> usize {
        self.line_starts.len()
    }

    /// Whether `word` is anywhere.
    pub fn contains(&self, word: &str) -> bool {
        self.find(word, 0, self.text.len()).is_some()
    }

    /// The first line from `first` to `last` with `word` on it.
    pub fn line_within(&self, word: &str, first: usize, last: usize) -> Option<usize> {
        let byte = self.find(word, self.start_of(first), self.start_of(last.saturating_add(1)))?;
        Some(self.line_at(byte))
    }

    /// The line outside `first` to `last` that is nearest to them and has `word` on it; of two as near,
    /// the earlier. The file is gone through once for each word.
    pub fn line_nearest(&mut self, word: &str, first: usize, last: usize) -> Option<usize> {
        let lines = self.lines_with(word);
        let before = lines.partition_point(|line| *line < first).checked_sub(1);
        let before = before.and_then(|index| lines.get(index)).copied();
        let after = lines.get(lines.partition_point(|line| *line <= last)).copied();
        match (before, after) {
            (Some(before), Some(after)) if after.abs_diff(last) < before.abs_diff(first) => Some(after),
            (before, after) => before.or(after),
        }
    }

    fn lines_with(&mut self, word: &str) -> &[usize] {
        if !self.words.contains(word) {
            let bytes =
                memmem::find_iter(self.text.as_bytes(), word).filter(|&byte| self.is_whole(word, byte));
            let mut lines: Vec<usize> = bytes.map(|byte| self.line_at(byte)).collect();
            lines.dedup();
            self.words.insert(word, lines);
        }
        self.words.get(word).map_or(&[], Vec::as_slice)
    }

    fn start_of(&self, line: usize) -> usize {
        match line.checked_sub(1) {
            Some(index) => self.line_starts.get(index).copied().unwrap_or(self.text.len()),
            None => 0,
        }
    }

    fn line_at(&self, byte: usize) -> usize {
        self.line_starts.partition_point(|start| *start <= byte)
    }

    fn find(&self, word: &str, start: usize, end: usize) -> Option<usize> {
        let part = self.text.as_bytes().get(start..end)?;
        memmem::find_iter(part, word).map(|byte| start + byte).find(|&byte| self.is_whole(word, byte))
    }

    /// Whether the name at `byte` goes on neither to the left nor to the right.
    fn is_whole(&self, word: &str, byte: usize) -> bool {
        let (Some(before), Some(after)) = (self.text.get(..byte), self.text.get(byte + word.len()..)) else {
            return false;
        };
        let joins = |one: Option<char>, other: Option<char>| {
            one.is_some_and(is_name_character) && other.is_some_and(is_name_character)
        };
        !word.is_empty()
            && !joins(before.chars().next_back(), word.chars().next())
            && !joins(word.chars().next_back(), after.chars().next())
    }
}

fn is_name_character(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> CitedFile {
        CitedFile::new(text.to_owned()).expect("text")
    }

    #[test]
    fn a_final_newline_starts_no_line() {
        for (text, lines) in
            [("", 0), ("\n", 1), ("a", 1), ("a\n", 1), ("a\r\nb\r\n", 2), ("a\n\n", 2), ("é\n漢\n😀", 3)]
        {
            assert_eq!(file(text).line_count(), lines, "{text:?}");
        }
    }

    #[test]
    fn binary_and_huge_files_are_no_text() {
        assert!(CitedFile::new("a\0b".to_owned()).is_none());
        assert!(CitedFile::new("a".repeat(MAX_CITED_FILE_BYTES + 1)).is_none());
        assert!(CitedFile::new("a".repeat(MAX_CITED_FILE_BYTES)).is_some());
    }

    #[test]
    fn a_name_is_found_only_whole() {
        let mut text = file("fn run_all() {}\r\nlet running = é_run;\n$run\n漢run\nself.run(😀)\n");
        assert_eq!(text.line_nearest("run", 1, 1), Some(5));
        assert_eq!([text.line_within("run", 2, 5), text.line_within("run", 1, 4)], [Some(5), None]);
        assert!(!text.contains("ru") && !text.contains("") && text.contains("run_all"));
        assert!(file("run").contains("run") && file("Foo::run").contains("Foo::run"));
    }

    #[test]
    fn the_nearest_line_wins_and_of_two_as_near_the_earlier() {
        let mut text = file("a\nx\nb\nc\nx\nd\nx\n");
        for (first, last, nearest) in [
            (0, 0, 2),
            (1, 1, 2),
            (3, 3, 2),
            (4, 4, 5),
            (6, 6, 5),
            (3, 6, 2),
            (3, 5, 2),
            (5, 6, 7),
            (8, 9, 7),
            (usize::MAX, usize::MAX, 7),
        ] {
            assert_eq!(text.line_nearest("x", first, last), Some(nearest), "from {first} to {last}");
        }
        assert_eq!(text.line_nearest("y", 1, 1), None);
        assert_eq!(file("").line_nearest("x", 1, 1), None);
    }
}
