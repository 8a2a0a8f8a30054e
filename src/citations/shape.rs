//! What a path looks like: whether a token names a file, and how sure its shape makes us.

use super::names::Names;
use super::tables;
use crate::text::cut_at;

/// What a token's shape says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// Not a file name.
    None,
    /// Prose may look like this too.
    Tentative,
    /// Nothing but a path looks like this.
    Firm,
}

/// What stands around a token.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Around {
    /// A position or a symbol follows.
    pub located: bool,
    /// It is the target of a link or the whole of a file URL: names may hold spaces and more.
    pub quoted: bool,
}

/// The shape of `path`, a token without its position.
pub(super) fn shape(path: &str, names: &Names, around: Around) -> Shape {
    let (prefix, rest) = split_prefix(path);
    if rest.is_empty() || rest.len() > crate::limits::MAX_CITATION_BYTES {
        return Shape::None;
    }
    let bytes = rest.as_bytes();
    let (mut slashes, mut backslashes, mut before) = (false, false, b'/');
    for &byte in bytes {
        if byte == b'/' && before == b'/' {
            return Shape::None;
        }
        slashes |= byte == b'/';
        backslashes |= byte == b'\\';
        before = byte;
    }
    if is_separator(&before) {
        return Shape::None;
    }
    let name = last_part(rest);
    let first = rest.trim_start_matches('\\');
    let first =
        first.bytes().position(|byte| is_separator(&byte)).map_or(first, |at| first.get(..at).unwrap_or(""));
    let parts = bytes.split(is_separator).filter(|part| !part.is_empty());
    if !parts.clone().all(|part| is_part(part, around)) {
        return Shape::None;
    }
    let directories = parts.count() - 1;
    if backslashes && !slashes && prefix == Prefix::None && !is_windows(rest) {
        return Shape::None;
    }
    if directories == 0 && prefix == Prefix::None {
        return bare(name, around);
    }
    let name_shape = kind_of_name(name);
    let at_home = || names.is_alias(first) || tables::has(tables::SOURCE_DIRECTORIES, first);
    match prefix {
        Prefix::None if name_shape == Name::Unknown && is_media_type(first) => Shape::None,
        Prefix::None => relative(first, name, name_shape, directories, at_home, around),
        Prefix::Here => match name_shape {
            Name::No => Shape::None,
            Name::Plain if !around.located => Shape::Tentative,
            Name::Unknown if !around.located => Shape::Tentative,
            _ => Shape::Firm,
        },
        Prefix::Up | Prefix::Home => match name_shape {
            Name::No => Shape::None,
            Name::Plain if prefix == Prefix::Home && !around.located => Shape::None,
            _ => Shape::Tentative,
        },
        Prefix::Root | Prefix::Drive => {
            let inside = names.are_above(path);
            match name_shape {
                Name::No => Shape::None,
                Name::Plain | Name::Unknown if !around.located && !inside && prefix == Prefix::Root => {
                    Shape::None
                }
                _ if inside => Shape::Firm,
                // Outside the roots nothing is confirmed, and nothing is called wrong.
                _ => Shape::Tentative,
            }
        }
    }
}

fn relative(
    first: &str,
    name: &str,
    name_shape: Name,
    directories: usize,
    at_home: impl Fn() -> bool,
    around: Around,
) -> Shape {
    // `$HOME/x` stands for a directory we do not know.
    if is_host(first) || first.starts_with('$') {
        return Shape::None;
    }
    let dotted = first.starts_with('.');
    match name_shape {
        Name::No => Shape::None,
        // `owner/three.js`, `Node.js/Vue.js`: projects, not files.
        Name::Known if directories == 1 && tables::has(tables::NOT_FILES, name) && !at_home() => Shape::None,
        Name::Known => Shape::Firm,
        Name::Unknown if around.located => Shape::Firm,
        Name::Unknown if dotted || directories > 1 || around.quoted || at_home() => Shape::Tentative,
        Name::Unknown => Shape::None,
        Name::Plain if around.located => match (dotted || at_home(), directories) {
            (true, _) => Shape::Firm,
            // `owner/image:16` is a version.
            (false, 1) => Shape::None,
            (false, _) => Shape::Tentative,
        },
        Name::Plain if dotted && directories > 0 => Shape::Tentative,
        Name::Plain => Shape::None,
    }
}

/// How a path begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Prefix {
    None,
    /// `./`
    Here,
    /// `../`
    Up,
    /// `~/`
    Home,
    /// `/`
    Root,
    /// `C:\`, `\\server\`, `\\?\`
    Drive,
}

fn split_prefix(path: &str) -> (Prefix, &str) {
    let bytes = path.as_bytes();
    let byte = |at: usize| bytes.get(at).copied().unwrap_or(0);
    let separator = |at: usize| matches!(byte(at), b'/' | b'\\');
    let rest = |at: usize| path.get(at..).unwrap_or("");
    if let Some(long) = path.strip_prefix("\\\\?\\") {
        return (Prefix::Drive, if has_drive(long) { long.get(3..).unwrap_or("") } else { long });
    }
    if has_drive(path) {
        return (Prefix::Drive, rest(3));
    }
    if path.starts_with("\\\\") {
        return (Prefix::Drive, rest(2));
    }
    match byte(0) {
        b'/' => (Prefix::Root, rest(1)),
        b'~' if separator(1) => (Prefix::Home, rest(2)),
        b'.' if separator(1) => match split_prefix(rest(2)) {
            (Prefix::None | Prefix::Here, inner) => (Prefix::Here, inner),
            (Prefix::Up, inner) => (Prefix::Up, inner),
            _ => (Prefix::Here, ""),
        },
        b'.' if byte(1) == b'.' && separator(2) => {
            let mut at = 3;
            while byte(at) == b'.' && byte(at + 1) == b'.' && separator(at + 2) {
                at += 3;
            }
            (Prefix::Up, rest(at))
        }
        _ => (Prefix::None, path),
    }
}

/// True when `path` begins with a drive: `C:\` or `C:/`.
pub(super) fn has_drive(path: &str) -> bool {
    let bytes = path.as_bytes();
    bytes.first().is_some_and(u8::is_ascii_alphabetic)
        && bytes.get(1) == Some(&b':')
        && matches!(bytes.get(2), Some(b'/' | b'\\'))
}

/// True for the bytes between the names of a path.
fn is_separator(byte: &u8) -> bool {
    matches!(byte, b'/' | b'\\')
}

/// What is behind the last separator of `path`.
fn last_part(path: &str) -> &str {
    let start = path.bytes().rposition(|byte| is_separator(&byte)).map_or(0, |at| at + 1);
    path.get(start..).unwrap_or("")
}

/// The places before and behind the last dot of `name`.
fn cut_extension(name: &str) -> Option<(&str, &str)> {
    let dot = name.bytes().rposition(|byte| byte == b'.')?;
    Some((name.get(..dot)?, name.get(dot + 1..)?))
}

/// True when `bytes` may be one name of a path.
fn is_part(bytes: &[u8], around: Around) -> bool {
    let Some(&last) = bytes.last() else { return false };
    if bytes == b"." || bytes == b".." {
        return true;
    }
    let mut solid = false;
    for (at, &byte) in bytes.iter().enumerate() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'_' | 0x80.. => solid = true,
            b'-' | b'.' | b'+' | b'@' | b'~' | b'(' | b')' | b'[' | b']' => {}
            // `posts.$slug.tsx` is a name, `${slug}` and a trailing `$` are code.
            b'$' if bytes.get(at + 1).is_some_and(|next| next.is_ascii_alphanumeric() || *next == b'.') => {}
            b'%' if around.quoted
                || bytes.get(at + 1).is_some_and(|next| next.is_ascii_hexdigit() || *next == b'.') => {}
            b' ' | b'#' | b'&' | b'\'' | b',' | b'!' | b'=' | b';' | b'{' | b'}' | b':' | b'?'
                if around.quoted => {}
            _ => return false,
        }
    }
    // `...` elides; a name does not end in a dot, and brackets come in pairs.
    solid && last != b'.' && !bytes.starts_with(b"..") && balanced(bytes)
}

fn balanced(bytes: &[u8]) -> bool {
    let (mut round, mut square) = (0i32, 0i32);
    for byte in bytes {
        match byte {
            b'(' => round += 1,
            b')' => round -= 1,
            b'[' => square += 1,
            b']' => square -= 1,
            _ => {}
        }
        if round < 0 || square < 0 {
            return false;
        }
    }
    round == 0 && square == 0
}

/// What the last part of a path is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Name {
    /// Certainly no file: `foo.2`, `x.The`.
    No,
    /// No extension that could be one.
    Plain,
    /// An extension, one we do not know.
    Unknown,
    /// A known extension or name.
    Known,
}

fn kind_of_name(name: &str) -> Name {
    let known = || is_known_name(name) || tables::WORD_NAMES.binary_search(&name).is_ok();
    let Some((stem, extension)) = cut_extension(name) else {
        return if known() { Name::Known } else { Name::Plain };
    };
    if stem.is_empty() {
        // `src/.ts` is how prose writes an extension, `src/.gitignore` a file.
        let bare_extension = tables::has(tables::EXTENSIONS, extension);
        return if bare_extension || extension.len() < 2 { Name::No } else { Name::Known };
    }
    if tables::has(tables::EXTENSIONS, extension) || known() {
        return Name::Known;
    }
    let mut characters = extension.chars();
    let letter = characters.next().is_some_and(|c| c.is_alphabetic() || c > '\u{2000}');
    let one_case = !extension.contains(|c: char| c.is_ascii_uppercase())
        || !extension.contains(|c: char| c.is_ascii_lowercase());
    let plain = extension.chars().all(|c| c.is_alphanumeric() || c == '_' || c > '\u{2000}');
    if letter && one_case && plain && extension.len() <= LONGEST_EXTENSION { Name::Unknown } else { Name::No }
}

/// Longer endings than this behind a dot are words.
const LONGEST_EXTENSION: usize = 12;

/// `Makefile`, `LICENSE-MIT`, `Dockerfile.dev`.
fn is_known_name(name: &str) -> bool {
    let known = |name: &str| tables::NAMES.binary_search(&name).is_ok();
    known(name)
        || name.bytes().position(|byte| matches!(byte, b'.' | b'-')).is_some_and(|cut| {
            let tail = name.get(cut + 1..).unwrap_or("");
            let head = name.get(..cut).unwrap_or("");
            known(head)
                && !tail.is_empty()
                && tail.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'))
        })
}

/// A name that stands alone.
fn bare(name: &str, around: Around) -> Shape {
    let sure = if around.located { Shape::Firm } else { Shape::Tentative };
    if tables::has(tables::NOT_FILES, name) || tables::has(tables::HOSTS, name) {
        return Shape::None;
    }
    if is_known_name(name) {
        // `License-free`, `README-driven`: the tail of a bare name is shouted or an extension.
        let tail = cut_at(name, b'-').map_or("", |(_, tail)| tail);
        let word = tail.bytes().any(|byte| byte.is_ascii_lowercase()) && !tail.contains('.');
        return if word { Shape::None } else { sure };
    }
    if around.located && tables::WORD_NAMES.binary_search(&name).is_ok() {
        return Shape::Tentative;
    }
    if let Some(hidden) = name.strip_prefix('.') {
        let first = hidden.split('.').next().unwrap_or("");
        return if tables::has(tables::DOT_NAMES, first) { sure } else { Shape::None };
    }
    let Some((stem, extension)) = cut_extension(name) else { return Shape::None };
    if !tables::has(tables::EXTENSIONS, extension) || name.starts_with(['-', '@', '$', '~']) {
        return Shape::None;
    }
    let plain_stem =
        !stem.contains(['@', '$', '~', '%', ')', ']']) || stem.starts_with(['[', '(']) || is_density(stem);
    let capital = |text: &str| text.len() == 1 && text.bytes().all(|byte| byte.is_ascii_uppercase());
    let initials = extension.len() == 1 && stem.split('.').all(capital);
    // `a.b.c` is a chain of members.
    let chain = extension.len() == 1 && stem.contains('.') && stem.split('.').all(|part| part.len() == 1);
    let amount = extension.len() == 1 && stem.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let mixed = extension.bytes().any(|byte| byte.is_ascii_uppercase())
        && extension.bytes().any(|byte| byte.is_ascii_lowercase())
        && extension != "Rmd";
    if !plain_stem || initials || chain || amount || mixed || is_host(name) || stem.starts_with("www.") {
        return Shape::None;
    }
    sure
}

/// True when the last part of `path` has an extension or is a known name: what a symbol is looked for in.
pub(super) fn has_name(path: &str) -> bool {
    let name = last_part(path);
    name.as_bytes().contains(&b'.') || is_known_name(name)
}

/// `icon@2x.png`.
fn is_density(stem: &str) -> bool {
    stem.split_once('@').is_some_and(|(_, density)| matches!(density, "1x" | "2x" | "3x" | "4x"))
}

/// `example.com`, `127.0.0.1`, `localhost`: what a URL without its scheme begins with.
pub(super) fn is_host(first: &str) -> bool {
    let Some((head, last)) = cut_extension(first) else { return first.eq_ignore_ascii_case("localhost") };
    if tables::has(tables::HOSTS, first) {
        return true;
    }
    let labels = first.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'));
    let reversed = ["com.", "org.", "io.", "net.", "dev."].iter().any(|head| first.starts_with(head));
    !head.is_empty()
        && labels
        && !reversed
        && first.bytes().any(|byte| byte != b'.')
        && (tables::has(tables::TOP_DOMAINS, last)
            || first.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
}

/// The first half of a media type.
fn is_media_type(first: &str) -> bool {
    matches!(
        first,
        "application" | "audio" | "font" | "image" | "message" | "model" | "multipart" | "text" | "video"
    )
}

/// True when a path with only backslashes is one, and no regular expression or escape.
fn is_windows(path: &str) -> bool {
    let mut parts = path.split('\\').filter(|part| !part.is_empty()).peekable();
    let mut count = 0;
    while let Some(part) = parts.next() {
        count += 1;
        let last = parts.peek().is_none();
        if last && part.starts_with('.') && tables::has(tables::EXTENSIONS, part.get(1..).unwrap_or("")) {
            return false;
        }
        if !last && part.len() == 1 {
            return false;
        }
    }
    count > 1 && !path.starts_with('\\')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::citations::citation::Root;

    #[track_caller]
    fn check(expected: Shape, located: bool, paths: &[&str]) {
        let root = Root { abs_root: "/r/wicked-crew".to_owned(), name: "crew".to_owned() };
        let names = Names::new(&[root]);
        for path in paths {
            let around = Around { located, quoted: false };
            assert_eq!(shape(path, &names, around), expected, "{path}");
        }
    }

    #[test]
    fn paths_with_a_directory_are_firm() {
        check(
            Shape::Firm,
            false,
            &[
                "src/parser.test.ts",
                "src/x.d.ts",
                "out/a.tar.gz",
                "src/Makefile",
                "app/[slug]/page.tsx",
                "app/(group)/layout.tsx",
                "(group)/layout.tsx",
                "@scope/pkg/lib/index.js",
                "src/routes/+page.svelte",
                "文档/説明.md",
                "./src/a.ts",
                "src\\a.ts",
                ".github/workflows/ci.yml",
                "a/src/x.rs",
                "docs/README.MD",
                "crew/src/a.ts",
                "/r/wicked-crew/src/a.weird",
                "posts/posts.$slug.tsx",
                ".ssh/.gitignore",
                "deep/LICENSE",
                "app/[...slug]/page.tsx",
            ],
        );
        check(
            Shape::Firm,
            true,
            &["foo.c", "Makefile", "src/run", "foo/bar.weird", "./foo", "README.MD", ".gitignore"],
        );
    }

    #[test]
    fn what_prose_may_look_like_is_tentative() {
        check(
            Shape::Tentative,
            false,
            &[
                "foo.c",
                "x.R",
                "README.MD",
                "Makefile",
                ".gitignore",
                ".env.local",
                "./foo",
                "../a.ts",
                "~/a.ts",
                "/etc/x.conf",
                "C:\\other\\a.ts",
                "LICENSE-MIT",
                "[id].tsx",
                "icon@2x.png",
                "deep/er/x.weird",
            ],
        );
        check(Shape::Tentative, true, &["foo/bar/TARGETS", "/x/y"]);
    }

    #[test]
    fn prose_is_none() {
        check(
            Shape::None,
            false,
            &[
                "e.g",
                "i.e",
                "Node.js",
                "example.com",
                "and/or",
                "TCP/IP",
                "26/30",
                "client/server",
                "a",
                "src/",
                "..",
                "example.com/index.html",
                "127.0.0.1/x.js",
                "image/svg+xml",
                "application/vnd.api+json",
                "/api/users",
                "/help",
                "owner/three.js",
                ".ts",
                ".test.ts",
                "U.S",
                "foo.The",
                "1.5",
                "v1.2.3",
                "console.log",
                "\\d.ts",
                "foo\\.ts",
                "docs.rs",
                "foo/bar.The",
                "config.timeout",
                "...",
                "src/.ts",
                "src/x(.ts",
                "json.Marshal",
                "net/http.Client",
                "$x.ts",
                "@foo/bar",
            ],
        );
        check(Shape::None, true, &["owner/image", "and/or", "foo", "localhost"]);
    }
}
