//! The files of a root, searchable by the end of their path.

use crate::collections::sort_by;

/// A root's listing with an index by last name.
#[derive(Debug, Default)]
pub struct Listing {
    paths: String,
    /// Byte ranges of the paths, sorted by last name, then by path.
    entries: Vec<Entry>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    start: usize,
    name: usize,
    end: usize,
}

impl Listing {
    /// From paths separated by NUL. A path that is empty, absolute or not in its shortest form names
    /// nothing inside the root and is left out.
    pub fn new(paths: String) -> Self {
        let mut entries = Vec::new();
        let mut start = 0;
        for path in paths.split('\0') {
            if path.split('/').all(|part| !matches!(part, "" | "." | "..")) {
                let name = path.rfind('/').map_or(start, |slash| start + slash + 1);
                entries.push(Entry { start, name, end: start + path.len() });
            }
            start += path.len() + 1;
        }
        let name = |entry: &Entry| slice(&paths, entry.name, entry.end);
        let path = |entry: &Entry| slice(&paths, entry.start, entry.end);
        sort_by(&mut entries, |one, other| name(one).cmp(name(other)).then(path(one).cmp(path(other))));
        Listing { paths, entries }
    }

    /// Every path that is `suffix`, or ends in `/` and `suffix`.
    pub fn ending_in<'l>(&'l self, suffix: &'l str) -> impl Iterator<Item = &'l str> {
        let name = suffix.rsplit('/').next().unwrap_or(suffix);
        let first = self.entries.partition_point(|entry| slice(&self.paths, entry.name, entry.end) < name);
        let same = self.entries.iter().skip(first);
        let same = same.take_while(move |entry| slice(&self.paths, entry.name, entry.end) == name);
        same.map(|entry| slice(&self.paths, entry.start, entry.end)).filter(move |path| {
            path.strip_suffix(suffix).is_some_and(|before| before.is_empty() || before.ends_with('/'))
        })
    }

    /// Whether files lie below `folder`.
    pub fn has_folder(&self, folder: &str) -> bool {
        let paths = self.entries.iter().map(|entry| slice(&self.paths, entry.start, entry.end));
        paths.filter_map(|path| path.strip_prefix(folder)).any(|rest| rest.starts_with('/'))
    }
}

fn slice(paths: &str, start: usize, end: usize) -> &str {
    paths.get(start..end).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ending_in(paths: &[&str], suffix: &str) -> Vec<String> {
        let listing = Listing::new(paths.join("\0"));
        let mut found: Vec<String> = listing.ending_in(suffix).map(str::to_owned).collect();
        found.sort();
        found
    }

    #[test]
    fn a_suffix_ends_a_path_only_at_a_whole_name() {
        let paths = ["src/a.rs", "src/ba.rs", "x/src/a.rs", "a.rs", "漢/é 😀.rs", "a.rs/b"];
        assert_eq!(ending_in(&paths, "a.rs"), ["a.rs", "src/a.rs", "x/src/a.rs"]);
        assert_eq!(ending_in(&paths, "src/a.rs"), ["src/a.rs", "x/src/a.rs"]);
        assert_eq!(ending_in(&paths, "é 😀.rs"), ["漢/é 😀.rs"]);
        assert_eq!(ending_in(&paths, "rc/a.rs"), [""; 0]);
        assert_eq!(ending_in(&paths, ""), [""; 0]);
    }

    #[test]
    fn a_path_that_leaves_the_root_is_not_listed() {
        let paths = ["../a.rs", "/etc/a.rs", "x/../a.rs", "./a.rs", "x//a.rs", "", "x/"];
        assert_eq!(ending_in(&paths, "a.rs"), [""; 0]);
        assert_eq!(ending_in(&[], "a.rs"), [""; 0]);
    }

    #[test]
    fn a_folder_is_known_by_the_files_in_it() {
        let listing = Listing::new("src/api/a.rs\0src/apix".to_owned());
        assert!(listing.has_folder("src/api") && listing.has_folder("src"));
        assert!(
            !listing.has_folder("src/apix") && !listing.has_folder("api") && !listing.has_folder("src/ap")
        );
    }
}
