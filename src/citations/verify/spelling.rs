//! A cited path taken apart, without looking at any file.

/// Where a spelling points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spelling {
    /// From a folder the reply did not name. `ups` leading `..` lead out of it.
    Relative {
        /// Leading `..` that nothing before them takes back.
        ups: usize,
        /// The rest, with `/` and without `.` and `..`.
        path: String,
    },
    /// From the top of a file system or drive, with its parts.
    Absolute(Vec<String>),
    /// Below somebody's home folder.
    Home,
}

impl Spelling {
    /// Takes `path` apart; `/` and `\` both separate.
    pub fn of(path: &str) -> Self {
        let mut ups = 0;
        let mut parts: Vec<&str> = Vec::new();
        for part in path.split(['/', '\\']) {
            match part {
                "" | "." => {}
                ".." if parts.pop().is_none() => ups += 1,
                ".." => {}
                part => parts.push(part),
            }
        }
        if path.starts_with(['/', '\\']) || has_drive(path) {
            Spelling::Absolute(parts.into_iter().map(str::to_owned).collect())
        } else if path.starts_with("~/") || path.starts_with("~\\") {
            Spelling::Home
        } else {
            Spelling::Relative { ups, path: parts.join("/") }
        }
    }

    /// The path below `root` of an absolute spelling, when it is inside.
    pub fn inside(&self, root: &str) -> Option<String> {
        let (Spelling::Absolute(parts), Spelling::Absolute(base)) = (self, Spelling::of(root)) else {
            return None;
        };
        let rest = parts.get(base.len()..)?;
        let drive = has_drive(root);
        let same = parts.iter().zip(&base).all(|(one, other)| {
            if drive { one.to_lowercase() == other.to_lowercase() } else { one == other }
        });
        (same && !rest.is_empty()).then(|| rest.join("/"))
    }
}

fn has_drive(path: &str) -> bool {
    let mut bytes = path.bytes();
    bytes.next().is_some_and(|letter| letter.is_ascii_alphabetic()) && bytes.next() == Some(b':')
}

/// `root` and a path below it as one absolute path.
pub fn join(root: &str, path: &str) -> String {
    if root.ends_with(['/', '\\']) { format!("{root}{path}") } else { format!("{root}/{path}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_taken_to_its_shortest_form() {
        for (path, ups, rest) in [
            ("src/a.rs", 0, "src/a.rs"),
            ("./src//./a.rs", 0, "src/a.rs"),
            ("src\\api\\a.rs", 0, "src/api/a.rs"),
            ("src/x/../a.rs", 0, "src/a.rs"),
            ("../a.rs", 1, "a.rs"),
            ("src/../../../é/漢😀.rs", 2, "é/漢😀.rs"),
            ("..hidden/a", 0, "..hidden/a"),
            ("", 0, ""),
        ] {
            assert_eq!(Spelling::of(path), Spelling::Relative { ups, path: rest.to_owned() }, "{path}");
        }
        assert_eq!(Spelling::of("~/a.rs"), Spelling::Home);
    }

    #[test]
    fn an_absolute_path_is_inside_a_root_by_whole_names() {
        for (path, root, inside) in [
            ("/r/crew/src/a.rs", "/r/crew", Some("src/a.rs")),
            ("/r/crew/src/a.rs", "/r/crew/", Some("src/a.rs")),
            ("/r/crew/../crew/a.rs", "/r/crew", Some("a.rs")),
            ("/r/crew/../a.rs", "/r/crew", None),
            ("/r/crewx/a.rs", "/r/crew", None),
            ("/r/Crew/a.rs", "/r/crew", None),
            ("/r/crew", "/r/crew", None),
            ("/etc/passwd", "/", Some("etc/passwd")),
            ("C:\\Repo\\src\\a.rs", "c:/repo", Some("src/a.rs")),
            ("C:/repo/src/a.rs", "C:\\repo", Some("src/a.rs")),
            ("D:/repo/src/a.rs", "C:\\repo", None),
            ("src/a.rs", "/r/crew", None),
        ] {
            assert_eq!(Spelling::of(path).inside(root).as_deref(), inside, "{path} in {root}");
        }
    }
}
