//! Lexical keys: where a path points to, decided from its letters alone.

/// The ledger key of `path`: resolved against `working_directory` as Node's `path.resolve` does, or
/// as written in a sandbox. A working directory that starts like a Windows path (`C:`, `\\`) chooses
/// Windows rules; a relative one is taken from the root.
///
/// *Source*: contract section 2.
pub fn lexical_file_key(working_directory: &str, path: &str, sandboxed: bool) -> String {
    if sandboxed {
        path.to_owned()
    } else if is_windows(working_directory) {
        resolve_windows(working_directory, path)
    } else {
        resolve_posix(working_directory, path)
    }
}

fn is_windows(directory: &str) -> bool {
    directory.starts_with("\\\\") || drive(directory).is_some()
}

fn resolve_posix(directory: &str, path: &str) -> String {
    let mut parts = Vec::new();
    if !path.starts_with('/') {
        push_segments(&mut parts, directory, |character| character == '/');
    }
    push_segments(&mut parts, path, |character| character == '/');
    format!("/{}", parts.join("/"))
}

fn push_segments<'t>(parts: &mut Vec<&'t str>, path: &'t str, is_separator: fn(char) -> bool) {
    for segment in path.split(is_separator) {
        match segment {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            segment => parts.push(segment),
        }
    }
}

fn is_windows_separator(character: char) -> bool {
    character == '/' || character == '\\'
}

/// `C:` at the start.
fn drive(path: &str) -> Option<&str> {
    let mut characters = path.chars();
    let letter = characters.next()?.is_ascii_alphabetic();
    (letter && characters.next()? == ':').then(|| path.get(..2))?
}

/// What stands before the segments of a Windows path.
struct Root<'p> {
    /// `C:` or `\\server\share`.
    device: Option<String>,
    rooted: bool,
    rest: &'p str,
}

fn windows_root(path: &str) -> Root<'_> {
    let is_share_start = path.starts_with(is_windows_separator)
        && path.get(1..).is_some_and(|rest| rest.starts_with(is_windows_separator));
    if is_share_start {
        let mut names = path.get(2..).unwrap_or("").splitn(3, is_windows_separator);
        if let (Some(server), Some(share)) = (names.next(), names.next())
            && !server.is_empty()
            && !share.is_empty()
        {
            let device = Some(format!("\\\\{server}\\{share}"));
            return Root { device, rooted: true, rest: names.next().unwrap_or("") };
        }
    }
    let device = drive(path).map(str::to_owned);
    let rest = path.get(device.as_ref().map_or(0, String::len)..).unwrap_or("");
    Root { device, rooted: rest.starts_with(is_windows_separator), rest }
}

fn resolve_windows(directory: &str, path: &str) -> String {
    let (base, own) = (windows_root(directory), windows_root(path));
    let same_device = match (&own.device, &base.device) {
        (Some(own), Some(base)) => own.eq_ignore_ascii_case(base),
        _ => true,
    };
    let mut parts = Vec::new();
    if !own.rooted && same_device {
        push_segments(&mut parts, base.rest, is_windows_separator);
    }
    push_segments(&mut parts, own.rest, is_windows_separator);
    let device = own.device.or(base.device).unwrap_or_default();
    format!("{device}\\{}", parts.join("\\"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_resolves_as_node_resolves_it() {
        for (directory, path, key) in [
            ("/repo", "a.txt", "/repo/a.txt"),
            ("/repo", "./a//b/../c.ts", "/repo/a/c.ts"),
            ("/repo", "../../../x", "/x"),
            ("/repo/", "/abs/./é漢😀/", "/abs/é漢😀"),
            ("/repo", "..hidden/...", "/repo/..hidden/..."),
            ("/repo", "a\\b", "/repo/a\\b"),
            ("/repo", "", "/repo"),
            ("/", ".", "/"),
            ("C:\\repo", "src/a.ts", "C:\\repo\\src\\a.ts"),
            ("C:\\repo", "..\\..\\..\\a.ts", "C:\\a.ts"),
            ("C:\\repo", "\\a.ts", "C:\\a.ts"),
            ("C:\\repo", "c:a.ts", "c:\\repo\\a.ts"),
            ("C:\\repo", "D:a.ts", "D:\\a.ts"),
            ("C:/repo", "D:/x/../a.ts", "D:\\a.ts"),
            ("C:\\repo", "\\\\server\\share\\x\\..\\a", "\\\\server\\share\\a"),
            ("\\\\server\\share\\x", "..\\..\\a", "\\\\server\\share\\a"),
            ("C:\\repo", "", "C:\\repo"),
        ] {
            assert_eq!(lexical_file_key(directory, path, false), key, "{directory} {path}");
        }
    }

    #[test]
    fn a_sandbox_keeps_the_spelling() {
        assert_eq!(lexical_file_key("/repo", "./a/../b", true), "./a/../b");
    }
}
