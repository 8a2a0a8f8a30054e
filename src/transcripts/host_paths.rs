//! Host paths in a text, rewritten to `<name>/<rest>` in one pass.
//!
//! *Source*: contract, section 4. A root counts only where a path may begin and where it may end, so
//! that a longer sibling, a path below another directory and a URL stay as they are.

use memchr::{memchr_iter, memchr3_iter};
use std::borrow::Cow;

/// A directory of the host and the name a reader knows it by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// Absolute path, in POSIX or Windows spelling.
    pub path: String,
    /// What takes its place, literally.
    pub name: String,
}

/// Whether `/` and `\` are the same separator and case does not matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Spelling {
    /// As each root looks: a drive letter or `\\server` means Windows.
    #[default]
    ByRoot,
    /// For every root.
    Windows,
    /// For none.
    Posix,
}

/// The roots of one or many rewritings, as a tree over their bytes: time is linear in the text
/// whatever their number.
#[derive(Debug, Clone, Default)]
pub struct HostPaths {
    posix: Tree,
    windows: Tree,
    names: Vec<String>,
}

#[derive(Debug, Clone, Default)]
struct Tree {
    // Node 0 is the start; children are sorted by byte.
    nodes: Vec<Node>,
}

#[derive(Debug, Clone, Default)]
struct Node {
    children: Vec<(u8, usize)>,
    name: Option<usize>,
}

impl Tree {
    fn insert(&mut self, path: impl Iterator<Item = u8>, name: usize) {
        if self.nodes.is_empty() {
            self.nodes.push(Node::default());
        }
        let mut at = 0;
        for byte in path {
            let next = self.nodes.len();
            let Some(node) = self.nodes.get_mut(at) else { return };
            match node.children.binary_search_by_key(&byte, |child| child.0) {
                Ok(found) => at = node.children.get(found).map_or(0, |child| child.1),
                Err(place) => {
                    node.children.insert(place, (byte, next));
                    self.nodes.push(Node::default());
                    at = next;
                }
            }
        }
        if let Some(node) = self.nodes.get_mut(at) {
            // The first of two roots with one path gives the name.
            node.name.get_or_insert(name);
        }
    }

    fn step(&self, at: usize, byte: u8) -> Option<usize> {
        let children = &self.nodes.get(at)?.children;
        let found = children.binary_search_by_key(&byte, |child| child.0).ok()?;
        children.get(found).map(|child| child.1)
    }

    /// The longest root that `text` has at `start` and that may end there: its end and its name.
    fn longest(&self, text: &str, start: usize, windows: bool) -> Option<(usize, usize)> {
        let bytes = text.as_bytes();
        let (mut node, mut at, mut best) = (0, start, None);
        while let Some(&byte) = bytes.get(at) {
            let byte = if windows { fold(byte) } else { byte };
            let Some(next) = self.step(node, byte) else { break };
            node = next;
            at += 1;
            // `C:\\repo`, as JSON and program text spell it.
            if windows && byte == b'/' && at > start + 2 && bytes.get(at) == Some(&b'\\') {
                at += 1;
            }
            if let Some(name) = self.nodes.get(node).and_then(|node| node.name)
                && ends_here(text, at, windows)
            {
                best = Some((at, name));
            }
        }
        best
    }
}

fn fold(byte: u8) -> u8 {
    if byte == b'\\' { b'/' } else { byte.to_ascii_lowercase() }
}

fn looks_like_windows(path: &str) -> bool {
    path.starts_with("\\\\") || has_drive(path)
}

fn has_drive(path: &str) -> bool {
    matches!(path.as_bytes(), [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic())
}

impl HostPaths {
    /// The roots compiled. One that is not absolute, or that is the top of a file system, rewrites
    /// nothing.
    pub fn new(roots: &[Root], spelling: Spelling) -> Self {
        let mut paths = HostPaths::default();
        for root in roots {
            let windows = match spelling {
                Spelling::ByRoot => looks_like_windows(&root.path),
                Spelling::Windows => true,
                Spelling::Posix => false,
            };
            let separators: &[char] = if windows { &['/', '\\'] } else { &['/'] };
            let path = root.path.trim_end_matches(separators);
            let is_absolute = path.starts_with('/') || looks_like_windows(&root.path);
            let is_top = path.is_empty() || (path.len() == 2 && has_drive(&root.path));
            if !is_absolute || is_top {
                continue;
            }
            let name = paths.names.len();
            paths.names.push(root.name.clone());
            if windows {
                paths.windows.insert(path.bytes().map(fold), name);
            } else {
                paths.posix.insert(path.bytes(), name);
            }
        }
        paths
    }

    /// The text with every root's path replaced by its name, the longest root first and no output
    /// rewritten again; borrowed when there is none.
    pub fn rewrite<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut output = String::new();
        let mut copied = 0;
        let mut context = Context::default();
        let mut visit = |start: usize| {
            if start < copied {
                return;
            }
            let found = self
                .posix
                .longest(text, start, false)
                .into_iter()
                .chain(self.windows.longest(text, start, true))
                .max_by_key(|found| found.0);
            let Some((end, name)) = found else { return };
            if !context.may_begin(text, start) {
                return;
            }
            output.push_str(text.get(copied..start).unwrap_or(""));
            output.push_str(self.names.get(name).map_or("", String::as_str));
            copied = end;
        };
        let bytes = text.as_bytes();
        let has_windows = !self.windows.nodes.is_empty();
        // A path begins with a separator or, before a colon, with a drive letter.
        if has_windows {
            for at in memchr3_iter(b'/', b'\\', b':', bytes) {
                match bytes.get(at) {
                    Some(b':') if at > 0 => visit(at - 1),
                    Some(b':') | None => {}
                    Some(_) => visit(at),
                }
            }
        } else if !self.posix.nodes.is_empty() {
            for at in memchr_iter(b'/', bytes) {
                visit(at);
            }
        }
        if copied == 0 {
            return Cow::Borrowed(text);
        }
        output.push_str(text.get(copied..).unwrap_or(""));
        Cow::Owned(output)
    }
}

/// May a path of a root end at `at`? At a separator, at the end, or at a character that no name goes
/// on with.
fn ends_here(text: &str, at: usize, windows: bool) -> bool {
    let Some(rest) = text.get(at..) else { return false };
    let mut characters = rest.chars();
    match characters.next() {
        None | Some('/') => true,
        // The end of an escaped quote or line in JSON; elsewhere `\ ` is an escaped space.
        Some('\\') => windows || matches!(characters.next(), Some('"' | '\'' | '`' | 'n' | 'r' | 't')),
        Some('&') => characters.next() == Some('&'),
        // The end of a sentence, not the dot of `repo.git`.
        Some('.' | '!' | '?') => {
            let next = rest.trim_start_matches(['.', '!', '?']).chars().next();
            next.is_none_or(closes)
        }
        Some(character) => closes(character),
    }
}

fn closes(character: char) -> bool {
    character.is_whitespace()
        || character.is_control()
        || matches!(character, '"' | '\'' | '`' | '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>')
        || matches!(character, '*' | '|' | ';' | ':' | ',')
        || is_curly_or_cjk(character)
}

/// Curly quotes, dashes and the ellipsis, CJK stops and brackets, their full-width forms.
fn is_curly_or_cjk(character: char) -> bool {
    matches!(character,
        '«' | '»' | '\u{2014}' | '\u{2018}'..='\u{201F}' | '\u{2026}' | '\u{2039}' | '\u{203A}'
        | '\u{3001}' | '\u{3002}' | '\u{3008}'..='\u{3011}' | '\u{3014}'..='\u{301F}'
        | '\u{FF01}' | '\u{FF02}' | '\u{FF07}'..='\u{FF09}' | '\u{FF0C}' | '\u{FF0E}' | '\u{FF1A}' | '\u{FF1B}'
        | '\u{FF1C}' | '\u{FF1E}' | '\u{FF1F}' | '\u{FF3B}' | '\u{FF3D}' | '\u{FF5B}'..='\u{FF65}')
}

/// Scripts that are written without spaces, where prose runs into a path.
fn is_unspaced(character: char) -> bool {
    matches!(character, '\u{0E00}'..='\u{0E7F}' | '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}'
        | '\u{AC00}'..='\u{D7A3}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

/// What is known of the text before a place, so that no part of it is looked at twice.
#[derive(Default)]
struct Context {
    // Up to here the current token was searched for a URL, with this result.
    searched: usize,
    in_url: bool,
}

impl Context {
    /// May a path begin at `start`? Not inside a longer path or a URL.
    fn may_begin(&mut self, text: &str, start: usize) -> bool {
        let before = text.get(..start).unwrap_or("");
        let Some(last) = before.chars().next_back() else { return true };
        let begins = match last {
            // `//` behind a colon is a URL's, not a server's.
            ':' => !text.get(start..).unwrap_or("").starts_with("//") && !ends_with_remote(before),
            // A diff line, a response file or a compiler's flag: `-/a`, `@/a`, `-I/a`.
            '+' | '-' | '@' => starts_a_word(before, 1),
            letter if letter.is_ascii_alphabetic() => match before.as_bytes().iter().rev().nth(1) {
                Some(b'-') => starts_a_word(before, 2),
                Some(b'\\') => matches!(letter, 'n' | 'r' | 't'),
                _ => false,
            },
            '=' | '&' | '!' | '?' | '^' => true,
            ')' | ']' | '}' => false,
            other if is_unspaced(other) => !goes_on_a_path(before),
            other if other.is_ascii() => closes(other),
            other => !other.is_alphanumeric(),
        };
        begins && !self.is_in_url(text, start)
    }

    fn is_in_url(&mut self, text: &str, start: usize) -> bool {
        let from = self.searched.min(start);
        let fresh = text.get(from..start).unwrap_or("");
        let ends_a_url = |character: char| {
            character.is_whitespace()
                || matches!(character, '"' | '\'' | '`' | '<' | '>' | '(' | ')' | '|' | '\\' | '{' | '}')
                || is_curly_or_cjk(character)
        };
        let token = match fresh.char_indices().rev().find(|&(_, character)| ends_a_url(character)) {
            Some((at, _)) => {
                self.in_url = false;
                fresh.get(at..).unwrap_or("")
            }
            None => fresh,
        };
        self.in_url |= token.contains("://");
        self.searched = start;
        self.in_url
    }
}

/// How far a look back goes; longer words are not remotes, flags or names.
const LOOK_BACK_BYTES: usize = 256;

fn tail(before: &str) -> &str {
    let mut from = before.len().saturating_sub(LOOK_BACK_BYTES);
    while !before.is_char_boundary(from) {
        from += 1;
    }
    before.get(from..).unwrap_or("")
}

/// Is what is left of `before` without its last `bytes` bytes the end of another word?
fn starts_a_word(before: &str, bytes: usize) -> bool {
    let rest = before.get(..before.len() - bytes.min(before.len())).unwrap_or("");
    rest.chars()
        .next_back()
        .is_none_or(|character| character.is_whitespace() || matches!(character, '"' | '\'' | '`'))
}

/// `user@host:` and `file:`, which say that the path after them is not this host's own or is a URL.
fn ends_with_remote(before: &str) -> bool {
    let before = tail(before);
    let word_start =
        |character: char| !(character.is_alphanumeric() || matches!(character, '.' | '_' | '-' | '@' | '~'));
    let head = before.strip_suffix(':').unwrap_or(before);
    let word = head.rsplit(word_start).next().unwrap_or("");
    let is_own_word = !head.strip_suffix(word).unwrap_or("").ends_with(['/', '\\']);
    word.contains('@') || (is_own_word && word.eq_ignore_ascii_case("file"))
}

/// Is the word before a path itself a part of a path? `a/資料` is, `在` is not.
fn goes_on_a_path(before: &str) -> bool {
    let goes_on =
        |character: char| character.is_alphanumeric() || matches!(character, '.' | '_' | '-' | '~' | '@');
    tail(before)
        .trim_end_matches(is_unspaced)
        .chars()
        .next_back()
        .is_some_and(|character| goes_on(character) || matches!(character, '/' | '\\'))
}

/// The roots with every other spelling of the same directories: what `resolved` says a path really
/// is (`None`: it could not), and macOS's twins below `/private`.
pub fn with_aliases(roots: &[Root], resolved: &[Option<String>]) -> Vec<Root> {
    let mut all: Vec<Root> = Vec::new();
    let mut add = |path: String, name: &str| {
        if !path.is_empty() && all.iter().all(|root| root.path != path) {
            all.push(Root { path, name: name.to_owned() });
        }
    };
    for root in roots {
        add(root.path.clone(), &root.name);
    }
    for (index, root) in roots.iter().enumerate() {
        // Of what is not absolute, a host would make something in its own working directory.
        let is_absolute = root.path.starts_with('/') || looks_like_windows(&root.path);
        let real = resolved.get(index).and_then(Option::as_deref).filter(|_| is_absolute);
        for path in real.into_iter().chain([root.path.as_str()]) {
            add(path.to_owned(), &root.name);
            if let Some(twin) = private_twin(path) {
                add(twin, &root.name);
            }
        }
    }
    all
}

fn private_twin(path: &str) -> Option<String> {
    let bare = path.strip_prefix("/private").filter(|rest| rest.starts_with('/'));
    let has_twin = ["/etc", "/tmp", "/var"].iter().any(|top| {
        let below = bare.unwrap_or(path).strip_prefix(top);
        below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    });
    has_twin.then(|| bare.map_or_else(|| format!("/private{path}"), str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn root(path: &str, name: &str) -> Root {
        Root { path: path.to_owned(), name: name.to_owned() }
    }

    fn roots() -> Vec<Root> {
        vec![
            root("/home/u/work/crew", "crew"),
            root("/home/u/work/crew/sub", "sub"),
            root("/srv/été漢", "$&"),
        ]
    }

    fn rewrite(text: &str) -> String {
        HostPaths::new(&roots(), Spelling::ByRoot).rewrite(text).into_owned()
    }

    fn check(cases: &[(&str, &str)]) {
        for (text, expected) in cases {
            assert_eq!(rewrite(text), *expected, "{text:?}");
        }
    }

    const CLOSING: &[&str] = &[
        "",
        " ",
        "\n",
        "\r\n",
        "\t",
        "\u{A0}",
        "\u{3000}",
        "\"",
        "'",
        "`",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "<",
        ">",
        "*",
        "**",
        "|",
        ";",
        ":",
        ":12",
        ",",
        "“",
        "”",
        "‘",
        "’",
        "»",
        "。",
        "，",
        "、",
        "；",
        "：",
        "！",
        "？",
        "」",
        "』",
        "）",
        "》",
        "】",
        "…",
        "—",
        ". ",
        ".",
        "...",
        "!",
        "?\"",
        "\\n",
        "\\\"",
        "&&",
        "/",
        "/src/a.ts:3",
    ];

    const OPENING: &[&str] = &[
        "", " ", "\n", "\"", "'", "`", "(", "[", "{", "<", ">", "*", "|", ";", ",", "=", ":", "x: ", "cwd:",
        "“", "「", "：", "在", "(在", "📁", "→", "--root=", "+", "\n-", "@", "-I", "gcc -L", "\\\"", "\\n",
        "key=1&p=",
    ];

    #[test]
    fn no_host_path_is_left_in_any_opening_and_closing_context() {
        for opening in OPENING {
            for closing in CLOSING {
                for root in roots() {
                    let text = format!("{opening}{}{closing}", root.path);
                    let expected = format!("{opening}{}{closing}", root.name);
                    assert_eq!(rewrite(&text), expected, "{text:?}");
                }
            }
        }
    }

    #[test]
    fn a_longer_name_a_longer_path_and_a_url_are_never_touched() {
        for text in [
            "/home/u/work/crew2",
            "/home/u/work/crew-old/a",
            "/home/u/work/crew_x",
            "/home/u/work/crew.git",
            "/home/u/work/crew.d/x",
            "/home/u/work/crew~",
            "/home/u/work/crew@2",
            "/home/u/work/crew+x",
            "/home/u/work/crew%20x",
            "/home/u/work/crewé",
            "/home/u/work/crew漢",
            "/home/u/work/crew\\ two",
            "/home/u/work/cre",
            "/home/u/work",
            "/HOME/u/work/crew",
            "/mnt/home/u/work/crew/a",
            "./home/u/work/crew",
            "~/home/u/work/crew",
            "x/home/u/work/crew",
            "é/home/u/work/crew",
            "$(pwd)/home/u/work/crew",
            "${HOME}/home/u/work/crew",
            "a/漢/home/u/work/crew",
            "app/[slug]/home/u/work/crew",
            "https://host/home/u/work/crew/a",
            "https://host?p=/home/u/work/crew/a",
            "file:///home/u/work/crew",
            "file:/home/u/work/crew",
            "git@host:/home/u/work/crew",
            "\\home\\u\\work\\crew",
        ] {
            assert!(
                matches!(HostPaths::new(&roots(), Spelling::ByRoot).rewrite(text), Cow::Borrowed(same) if same == text),
                "{text:?}"
            );
        }
    }

    #[test]
    fn the_longest_root_wins_and_output_is_not_rewritten_again() {
        check(&[
            ("/home/u/work/crew/sub/a /home/u/work/crew/a", "sub/a crew/a"),
            ("/home/u/work/crew/sub2/a", "crew/sub2/a"),
            ("/srv/été漢/a", "$&/a"),
            ("PATH=/home/u/work/crew/bin:/home/u/work/crew/sub:/usr/bin", "PATH=crew/bin:sub:/usr/bin"),
            ("https://x.dev/a /home/u/work/crew", "https://x.dev/a crew"),
            ("[a](/home/u/work/crew/a.md#L3)", "[a](crew/a.md#L3)"),
        ]);
        let swapped = [root("/a", "/b"), root("/b", "/a")];
        assert_eq!(HostPaths::new(&swapped, Spelling::ByRoot).rewrite("/a/x /b/x"), "/b/x /a/x");
    }

    #[test]
    fn windows_roots_are_found_in_every_spelling() {
        let roots = [root("C:\\Repos\\crew", "crew"), root("\\\\server\\share\\x", "share")];
        let paths = HostPaths::new(&roots, Spelling::ByRoot);
        for (text, expected) in [
            ("C:\\Repos\\crew\\src\\a.ts:3", "crew\\src\\a.ts:3"),
            ("c:/repos/crew/src/a.ts", "crew/src/a.ts"),
            ("\"C:\\\\Repos\\\\crew\\\\src\"", "\"crew\\\\src\""),
            ("(C:\\Repos\\crew)", "(crew)"),
            ("\\\\SERVER\\share\\x\\a", "share\\a"),
            ("//server/share/x", "share"),
        ] {
            assert_eq!(paths.rewrite(text), expected);
        }
        for text in [
            "C:\\Repos\\crew2",
            "xC:\\Repos\\crew",
            "D:\\Repos\\crew",
            "C:Repos\\crew",
            "https://server/share/x",
            "é:",
            ":",
        ] {
            assert_eq!(paths.rewrite(text), text);
        }
        let asked = HostPaths::new(&[root("/c/repo", "r")], Spelling::Windows);
        assert_eq!(asked.rewrite("\\C\\repo\\a /c/Repo/b"), "r\\a r/b");
        let refused = HostPaths::new(&[root("C:\\r", "r")], Spelling::Posix);
        assert_eq!(refused.rewrite("C:/r C:\\r"), "C:/r C:\\r");
    }

    #[test]
    fn the_top_of_a_file_system_and_what_is_not_absolute_rewrite_nothing() {
        for path in ["", "/", "//", "C:\\", "C:/", "c:", "home", "./home", "\\\\"] {
            let text = "/ // /home C:\\ C:/x c: home ./home \\\\ \\\\x";
            assert_eq!(HostPaths::new(&[root(path, "x")], Spelling::ByRoot).rewrite(text), text, "{path:?}");
        }
        assert_eq!(
            HostPaths::new(&[root("/a/", "x"), root("/a", "y")], Spelling::ByRoot).rewrite("/a/b"),
            "x/b"
        );
    }

    #[test]
    fn aliases_are_what_a_path_really_is_and_its_private_twin() {
        let given = [
            root("/tmp/a", "a"),
            root("/private/var/b", "b"),
            root("/home/c", "c"),
            root("/variant/d", "d"),
            root("e", "e"),
        ];
        let resolved = [
            Some("/data/a".to_owned()),
            None,
            Some("/home/c".to_owned()),
            Some("/tmp/d".to_owned()),
            Some("/cwd/e".to_owned()),
        ];
        let all = with_aliases(&given, &resolved);
        let paths: Vec<&str> = all.iter().map(|root| root.path.as_str()).collect();
        assert_eq!(paths[..5], ["/tmp/a", "/private/var/b", "/home/c", "/variant/d", "e"]);
        let mut added = paths[5..].to_vec();
        added.sort_unstable();
        assert_eq!(added, ["/data/a", "/private/tmp/a", "/private/tmp/d", "/tmp/d", "/var/b"]);
        let text = "/private/tmp/a/x /var/b/y /data/a/z /private/home/c";
        assert_eq!(HostPaths::new(&all, Spelling::ByRoot).rewrite(text), "a/x b/y a/z /private/home/c");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

        #[test]
        fn rewriting_twice_is_rewriting_once_and_a_sibling_survives(
            picks in proptest::collection::vec((0usize..20, any::<bool>()), 0..30)
        ) {
            const PIECES: &[&str] = &[
                "/home/u/work/crew", "/home/u/work/crew/sub", "/home/u/work/crew2", "/home/u", "/", ":", " ", "https://x", "é", "漢", "😀",
                "\\", "\"", ".", "-", "\r\n", "file:", "@", "crew", "=",
            ];
            let text: String = picks.iter().map(|&(pick, spaced)| format!("{}{}", if spaced { " " } else { "" }, PIECES[pick])).collect();
            let once = rewrite(&text);
            prop_assert_eq!(rewrite(&once), once.clone());
            let siblings = |text: &str| text.matches("/home/u/work/crew2").count();
            prop_assert_eq!(siblings(&once), siblings(&text));
        }

        #[test]
        fn any_text_without_a_root_is_the_same(text in "[ -~é漢😀\n/]{0,80}") {
            prop_assume!(!roots().iter().any(|root| text.contains(&root.path)));
            let paths = HostPaths::new(&roots(), Spelling::ByRoot);
            prop_assert!(matches!(paths.rewrite(&text), Cow::Borrowed(_)));
        }
    }
}
