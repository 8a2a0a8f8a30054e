//! The added lines of a diff. Hunks are read by the counts in their headers, so a content line that
//! looks like a header is content.

/// A file that a diff touches and the text it adds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileLines {
    /// The new name; the old one when the file is deleted; empty when the diff names none.
    pub file_path: String,
    /// The added lines without their mark, joined by newlines.
    pub added_text: String,
}

/// The added lines of a unified, git or combined diff without their mark, joined by newlines. Text
/// without any hunk header is read as a bare fragment: its `+` lines.
pub fn extract_added_lines(diff: &str) -> String {
    let mut added = Joined::default();
    read(diff, |event| {
        if let Event::Added(line) = event {
            added.push(line);
        }
    });
    added.text
}

/// The same per file, in the order of the diff; every file it touches is there, also a renamed, deleted
/// or binary one.
pub fn added_lines_by_file(diff: &str) -> Vec<FileLines> {
    let mut files: Vec<FileLines> = Vec::new();
    let mut added = Joined::default();
    read(diff, |event| match event {
        Event::File => {
            if let Some(last) = files.last_mut() {
                last.added_text = std::mem::take(&mut added).text;
            }
            files.push(FileLines { file_path: String::new(), added_text: String::new() });
        }
        Event::Name(name) => {
            if let Some(last) = files.last_mut() {
                last.file_path = name;
            }
        }
        Event::Added(line) => {
            if files.is_empty() {
                files.push(FileLines { file_path: String::new(), added_text: String::new() });
            }
            added.push(line);
        }
    });
    if let Some(last) = files.last_mut() {
        last.added_text = added.text;
    }
    files
}

#[derive(Default)]
struct Joined {
    text: String,
    started: bool,
}

impl Joined {
    fn push(&mut self, line: &str) {
        if self.started {
            self.text.push('\n');
        }
        self.started = true;
        self.text.push_str(line);
    }
}

enum Event<'d> {
    /// The next file begins.
    File,
    /// The best name known so far for the current file.
    Name(String),
    Added(&'d str),
}

/// How many lines of each side a hunk still has; parents first, the result last.
struct Hunk {
    parents: Vec<usize>,
    result: usize,
}

impl Hunk {
    /// Reads `@@ -1,2 +3,4 @@` and, with one more `@` for each further parent, the combined form.
    fn parse(line: &str) -> Option<Hunk> {
        let marks = line.bytes().take_while(|&byte| byte == b'@').count();
        if marks < 2 {
            return None;
        }
        let mut words = line.get(marks..)?.split_ascii_whitespace();
        let mut parents = Vec::new();
        for _ in 1..marks {
            parents.push(count(words.next()?.strip_prefix('-')?)?);
        }
        let result = count(words.next()?.strip_prefix('+')?)?;
        let closed = words.next()?.bytes().take_while(|&byte| byte == b'@').count() == marks;
        closed.then_some(Hunk { parents, result })
    }

    fn is_done(&self) -> bool {
        self.result == 0 && self.parents.iter().all(|left| *left == 0)
    }

    /// Takes `line` as part of the hunk: its content when it is added, `None` inside when it is context
    /// or removed; an outer `None` when the line cannot belong here.
    fn take<'d>(&mut self, line: &'d str) -> Option<Option<&'d str>> {
        let width = self.parents.len();
        let bare = line.strip_suffix('\r').unwrap_or(line);
        if bare.len() < width {
            // An editor took the trailing blanks of an empty context line.
            return bare.bytes().all(|byte| byte == b' ').then(|| {
                self.count_line(&[b' '].repeat(width));
                None
            });
        }
        let columns = line.as_bytes().get(..width)?;
        if !columns.iter().all(|column| matches!(column, b' ' | b'+' | b'-')) {
            return None;
        }
        self.count_line(columns);
        let added = columns.contains(&b'+') && !columns.contains(&b'-');
        Some(if added { line.get(width..) } else { None })
    }

    fn count_line(&mut self, columns: &[u8]) {
        let removed = columns.contains(&b'-');
        let counted = if removed { b'-' } else { b' ' };
        for (left, column) in self.parents.iter_mut().zip(columns) {
            *left = left.saturating_sub(usize::from(*column == counted));
        }
        self.result = self.result.saturating_sub(usize::from(!removed));
    }
}

fn count(range: &str) -> Option<usize> {
    match range.split_once(',') {
        Some((start, count)) => start.parse::<usize>().ok().and(count.parse().ok()),
        None => range.parse::<usize>().ok().map(|_| 1),
    }
}

/// Lines without their newline; no empty line after a final newline.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive('\n').map(|line| line.strip_suffix('\n').unwrap_or(line))
}

fn read<'d>(diff: &'d str, mut tell: impl FnMut(Event<'d>)) {
    let mut has_hunk = false;
    let mut hunk: Option<Hunk> = None;
    let mut in_git_header = false;
    let mut old: Option<Side> = None;
    for line in lines(diff) {
        if let Some(open) = hunk.as_mut().filter(|hunk| !hunk.is_done()) {
            if line.starts_with('\\') {
                continue;
            }
            match open.take(line) {
                Some(Some(added)) => {
                    tell(Event::Added(added));
                    continue;
                }
                Some(None) => continue,
                None => hunk = None,
            }
        }
        let header = line.strip_suffix('\r').unwrap_or(line);
        if let Some(parsed) = Hunk::parse(header) {
            has_hunk = true;
            in_git_header = false;
            hunk = Some(parsed);
        } else if let Some(names) = header.strip_prefix("diff ") {
            tell(Event::File);
            in_git_header = true;
            hunk = None;
            old = None;
            if let Some(name) = git_name(names) {
                tell(Event::Name(name));
            }
        } else if let Some(name) = header
            .strip_prefix("rename to ")
            .or_else(|| header.strip_prefix("copy to "))
            .filter(|_| in_git_header)
        {
            tell(Event::Name(unquote(name)));
        } else if let Some(name) = header.strip_prefix("--- ") {
            old = Some(Side::parse(name));
        } else if let Some((old, name)) = old.take().zip(header.strip_prefix("+++ ")) {
            if !in_git_header {
                tell(Event::File);
            }
            in_git_header = false;
            tell(Event::Name(Side::parse(name).name_after(&old)));
        }
    }
    if !has_hunk {
        read_fragment(diff, tell);
    }
}

/// Lines that only carry marks: everything that starts with `+`, but for a `+++` under a `---`.
fn read_fragment<'d>(diff: &'d str, mut tell: impl FnMut(Event<'d>)) {
    let mut previous = "";
    for line in lines(diff) {
        let header = line.starts_with("+++ ") && previous.starts_with("--- ");
        if let Some(added) = line.strip_prefix('+').filter(|_| !header) {
            tell(Event::Added(added));
        }
        previous = line;
    }
}

/// The name in a `---` or `+++` line.
struct Side {
    name: String,
}

impl Side {
    fn parse(text: &str) -> Side {
        // A time stamp follows after a tab.
        let name = if text.starts_with('"') { text } else { text.split('\t').next().unwrap_or(text) };
        Side { name: unquote(name) }
    }

    /// The new name, the old one of a deleted file; without the prefixes git gives both sides.
    fn name_after(self, old: &Side) -> String {
        let deleted = self.name == "/dev/null";
        let (kept, other) = if deleted { (&old.name, &self.name) } else { (&self.name, &old.name) };
        let plain = prefixed(kept).filter(|_| other == "/dev/null" || prefixed(other).is_some());
        plain.unwrap_or(kept).to_owned()
    }
}

/// What follows a prefix such as `a/` (also the mnemonic `i/`, `w/`, `c/`, `o/`).
fn prefixed(name: &str) -> Option<&str> {
    let (prefix, rest) = name.split_once('/')?;
    matches!(prefix, "a" | "b" | "c" | "i" | "o" | "w").then_some(rest)
}

/// The name in `--git a/x b/x`, `--cc x` or `--combined x`. Two names with blanks in them are told
/// apart by being the same name; a rename is named by its own line.
fn git_name(names: &str) -> Option<String> {
    if let Some(name) = names.strip_prefix("--cc ").or_else(|| names.strip_prefix("--combined ")) {
        return Some(unquote(name));
    }
    let names = names.strip_prefix("--git ")?;
    if let Some(at) = names.find(" \"") {
        let name = unquote(names.get(at + 1..)?);
        return Some(prefixed(&name).unwrap_or(&name).to_owned());
    }
    let half = names.len() / 2;
    let same = |(one, other): (&str, &str)| {
        let (one, other) = (prefixed(one).unwrap_or(one), prefixed(other).unwrap_or(other));
        (one == other).then(|| other.to_owned())
    };
    let halves = names.get(..half).zip(names.get(half..).and_then(|rest| rest.strip_prefix(' ')));
    halves.and_then(same).or_else(|| {
        let (_, name) = names.rsplit_once(' ')?;
        Some(prefixed(name).unwrap_or(name).to_owned())
    })
}

/// A name as git writes it: in quotes with C escapes when it has unusual bytes.
fn unquote(text: &str) -> String {
    let Some(inner) = text.strip_prefix('"').and_then(before_quote) else {
        return text.to_owned();
    };
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner.bytes().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(b'n') => bytes.push(b'\n'),
            Some(b't') => bytes.push(b'\t'),
            Some(b'r') => bytes.push(b'\r'),
            Some(b'a') => bytes.push(7),
            Some(b'b') => bytes.push(8),
            Some(b'f') => bytes.push(12),
            Some(b'v') => bytes.push(11),
            Some(digit @ b'0'..=b'7') => {
                let mut value = u32::from(digit - b'0');
                for _ in 0..2 {
                    if let Some(next) = rest.next_if(|next| matches!(next, b'0'..=b'7')) {
                        value = value * 8 + u32::from(next - b'0');
                    }
                }
                bytes.push(value as u8);
            }
            Some(other) => bytes.push(other),
            None => bytes.push(b'\\'),
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// What stands before the first quote that no backslash escapes.
fn before_quote(text: &str) -> Option<&str> {
    let mut escaped = false;
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            b'"' if !escaped => return text.get(..index),
            b'\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_file(diff: &str) -> Vec<(String, String)> {
        added_lines_by_file(diff).into_iter().map(|file| (file.file_path, file.added_text)).collect()
    }

    fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        expected.iter().map(|(path, text)| (path.to_string(), text.to_string())).collect()
    }

    #[test]
    fn content_that_looks_like_a_header_is_content() {
        let diff = "--- a/x.md\n+++ b/x.md\n@@ -1,3 +1,4 @@\n a\n--- old\n+++ new\n+@@ -1 +1 @@\n+++\n";
        assert_eq!(extract_added_lines(diff), "++ new\n@@ -1 +1 @@\n++");
        assert_eq!(by_file(diff), pairs(&[("x.md", "++ new\n@@ -1 +1 @@\n++")]));
    }

    #[test]
    fn a_git_diff_is_split_by_file() {
        let diff = "diff --git a/src/a.ts b/src/a.ts\nindex 1..2 100644\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1,2 @@ fn é()\n-x\n+é 漢 😀\n+y\n\\ No newline at end of file\ndiff --git a/old name.rs b/new name.rs\nsimilarity index 90%\nrename from old name.rs\nrename to new name.rs\n--- a/old name.rs\t\n+++ b/new name.rs\t\n@@ -3,0 +4 @@\n+z\ndiff --git a/logo.png b/logo.png\nBinary files a/logo.png and b/logo.png differ\ndiff --git a/t.py b/t.py\ndeleted file mode 100644\n--- a/t.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n";
        assert_eq!(
            by_file(diff),
            pairs(&[("src/a.ts", "é 漢 😀\ny"), ("new name.rs", "z"), ("logo.png", ""), ("t.py", "")])
        );
    }

    #[test]
    fn a_combined_diff_counts_every_parent() {
        let diff = "diff --cc f.txt\nindex 1,2..3\n--- a/f.txt\n+++ b/f.txt\n@@@ -1,2 -1,2 +1,3 @@@\n  same\n- ours\n -theirs\n++merged\n +from ours\n";
        assert_eq!(extract_added_lines(diff), "merged\nfrom ours");
        assert_eq!(by_file(diff), pairs(&[("f.txt", "merged\nfrom ours")]));
    }

    #[test]
    fn quoted_names_and_pure_renames_are_read() {
        let diff = "diff --git \"a/\\303\\251\\t\\\".ts\" \"b/\\303\\251\\t\\\".ts\"\nnew file mode 100644\n--- /dev/null\n+++ \"b/\\303\\251\\t\\\".ts\"\n@@ -0,0 +1 @@\n+x\ndiff --git a/p.ts b/q.ts\nsimilarity index 100%\nrename from p.ts\nrename to q.ts\n";
        assert_eq!(by_file(diff), pairs(&[("é\t\".ts", "x"), ("q.ts", "")]));
    }

    #[test]
    fn a_plain_diff_keeps_its_names() {
        let diff = "--- a.c\t2024-01-01\n+++ a.c\t2024-01-02\n@@ -1 +1 @@\n-x\n+y\n--- dir/b.c\n+++ dir/b.c\n@@ -1,2 +1,2 @@\n\n-x\n+z\n";
        assert_eq!(by_file(diff), pairs(&[("a.c", "y"), ("dir/b.c", "z")]));
    }

    #[test]
    fn lines_after_a_full_hunk_are_not_part_of_it() {
        assert_eq!(extract_added_lines("@@ -1 +1 @@\n-a\n+b\n+c\n"), "b");
        assert_eq!(extract_added_lines("@@ -1,9 +1,9 @@\n+b\ndiff --git a/x b/x\n@@ -1 +1 @@\n+c\n"), "b\nc");
    }

    #[test]
    fn a_fragment_without_headers_gives_its_plus_lines() {
        assert_eq!(extract_added_lines("+a\n-b\n c\n+\n++d"), "a\n\n+d");
        assert_eq!(extract_added_lines("--- a/x\n+++ b/x\n+a"), "a");
        for empty in ["", "\n", "no diff", "diff --git a/x b/x\nBinary files differ\n"] {
            assert_eq!(extract_added_lines(empty), "", "{empty:?}");
        }
    }

    #[test]
    fn a_carriage_return_belongs_to_the_line_and_not_to_the_header() {
        let diff = "--- a/x\r\n+++ b/x\r\n@@ -1,2 +1,2 @@\r\n \r\n-a\r\n+b\r\n";
        assert_eq!(by_file(diff), pairs(&[("x", "b\r")]));
    }
}
