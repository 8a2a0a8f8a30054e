//! The names a text may call its roots by, made ready once for a pass.

use super::alias::repo_aliases;
use super::citation::Root;
use super::scan::next_word;
use crate::collections::sort_by;

/// The aliases and directories of the roots of one pass.
#[derive(Debug, Clone)]
pub struct Names {
    /// Aliases as they are spelled, longest first: `crew-studio` is met before `crew`.
    aliases: Vec<String>,
    /// First bytes of aliases, in both cases.
    initials: [bool; 256],
    /// Directories, `/` between their parts and at their end.
    directories: Vec<String>,
}

impl Names {
    /// The names of `roots`.
    pub fn new(roots: &[Root]) -> Self {
        let mut aliases: Vec<String> = Vec::new();
        for alias in roots.iter().flat_map(repo_aliases) {
            // An alias that would be several words of the text is never met as one.
            let word = next_word(alias.as_bytes(), 0);
            if word.end - word.start == alias.len() && !aliases.contains(&alias) {
                aliases.push(alias);
            }
        }
        sort_by(&mut aliases, |one, other| other.len().cmp(&one.len()));
        let mut initials = [false; 256];
        for first in aliases.iter().filter_map(|alias| alias.as_bytes().first()) {
            for letter in [first.to_ascii_lowercase(), first.to_ascii_uppercase()] {
                if let Some(initial) = initials.get_mut(usize::from(letter)) {
                    *initial = true;
                }
            }
        }
        let directories = roots
            .iter()
            .map(|root| root.abs_root.replace('\\', "/").trim_end_matches('/').to_owned() + "/")
            .filter(|directory| directory.len() > 1)
            .collect();
        Names { aliases, initials, directories }
    }

    /// True when `word` is an alias, ASCII case ignored.
    pub(super) fn is_alias(&self, word: &str) -> bool {
        self.aliases.iter().any(|alias| alias.eq_ignore_ascii_case(word))
    }

    /// True when `path` is below one of the roots.
    pub(super) fn are_above(&self, path: &str) -> bool {
        self.directories.iter().any(|directory| {
            path.len() > directory.len()
                && path
                    .bytes()
                    .zip(directory.bytes())
                    .all(|(have, want)| have == want || (have == b'\\' && want == b'/'))
        })
    }

    /// The last alias in `text[from..to]` and where it stands.
    fn last_in(&self, text: &str, from: usize, to: usize) -> Option<(usize, &str)> {
        let part = text.get(from..to)?;
        part.bytes().enumerate().rev().find_map(|(at, byte)| {
            let initial = self.initials.get(usize::from(byte)).is_some_and(|initial| *initial);
            let begins = initial && begins_word(text, from + at);
            let alias = if begins { self.alias_at(part.get(at..)?) } else { None };
            alias.map(|alias| (from + at, alias))
        })
    }

    /// The alias that stands at the start of `rest` as a whole word, and its length.
    fn alias_at(&self, rest: &str) -> Option<&str> {
        let first = rest.as_bytes().first()?;
        let found = self.aliases.iter().find(|alias| {
            if !alias.as_bytes().first().is_some_and(|initial| initial.eq_ignore_ascii_case(first)) {
                return false;
            }
            let head = rest.get(..alias.len());
            head.is_some_and(|head| head.eq_ignore_ascii_case(alias)) && ends_word(rest, alias.len())
        })?;
        Some(found)
    }
}

/// True when the character behind byte `at` of `text` cannot go on a name.
fn ends_word(text: &str, at: usize) -> bool {
    let mut rest = text.get(at..).unwrap_or("").chars();
    match rest.next() {
        Some('-' | '.') => !rest.next().is_some_and(|next| next.is_alphanumeric()),
        Some(next) => !goes_on(next),
        None => true,
    }
}

/// True when the character before byte `at` of `text` cannot be part of the same name.
fn begins_word(text: &str, at: usize) -> bool {
    match at.checked_sub(1).and_then(|before| text.as_bytes().get(before)) {
        None => true,
        Some(byte) if byte.is_ascii() => !(byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')),
        Some(_) => !text.get(..at).and_then(|head| head.chars().next_back()).is_some_and(goes_on),
    }
}

fn goes_on(character: char) -> bool {
    // Scripts without spaces put words next to each other.
    character == '_' || (character.is_alphanumeric() && character < '\u{2E80}')
}

/// Follows, along a text, which alias was named last: in this paragraph, else in the heading or
/// lead-in line above it.
#[derive(Debug, Clone, Default)]
pub(super) struct LastNamed {
    paragraph: Option<String>,
    heading: Option<String>,
    line: Line,
}

/// What was read of the line so far: the alias in it, its first and its last byte.
#[derive(Debug, Clone, Default)]
struct Line {
    named: Option<String>,
    first: Option<u8>,
    last: u8,
}

impl Line {
    fn read(&mut self, text: &str, from: usize, to: usize) {
        let part = text.get(from..to).unwrap_or("");
        let trimmed = part.trim_matches([' ', '\t', '\r', '*', '_', '`']).as_bytes();
        if let (Some(first), Some(last)) = (trimmed.first(), trimmed.last()) {
            self.first.get_or_insert(*first);
            self.last = *last;
        }
    }
}

impl LastNamed {
    /// Reads `text[from..to]`; both ends are outside every alias.
    pub(super) fn read(&mut self, names: &Names, text: &str, from: usize, to: usize) {
        if names.aliases.is_empty() {
            return;
        }
        let bytes = text.as_bytes();
        // Only the last paragraph is searched, and the lines that may head what follows.
        let mut paragraph = from;
        let mut at = from;
        while at < to {
            let rest = bytes.get(at..to).unwrap_or_default();
            let Some(length) = memchr::memchr(b'\n', rest) else { break };
            let end = at + length;
            self.line.read(text, at, end);
            let line = std::mem::take(&mut self.line);
            match (line.first, line.last) {
                (None, _) => {
                    self.paragraph = None;
                    paragraph = end;
                }
                (Some(b'#'), _) => {
                    self.heading =
                        names.last_in(text, at, end).map(|(_, alias)| alias.to_owned()).or(line.named);
                    self.paragraph = None;
                    paragraph = end;
                }
                (_, b':') => {
                    let named =
                        names.last_in(text, at, end).map(|(_, alias)| alias.to_owned()).or(line.named);
                    self.heading = named.or(self.heading.take());
                }
                _ => {}
            }
            at = end + 1;
        }
        self.line.read(text, at, to);
        if let Some((place, alias)) = names.last_in(text, paragraph, to) {
            self.paragraph = Some(alias.to_owned());
            if place >= at {
                self.line.named = Some(alias.to_owned());
            }
        }
    }

    /// The alias named last.
    pub(super) fn get(&self) -> Option<&str> {
        self.paragraph.as_deref().or(self.heading.as_deref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Option<String> {
        let root = |name: &str| Root { abs_root: format!("/r/{name}"), name: name.to_owned() };
        let names = Names::new(&[root("wicked-crew"), root("studio"), root("crew-ui"), root("go")]);
        let mut last = LastNamed::default();
        // In two steps, as a stream does.
        let middle = text.find(' ').unwrap_or(0);
        last.read(&names, text, 0, middle);
        last.read(&names, text, middle, text.len());
        last.get().map(str::to_owned)
    }

    #[test]
    fn an_alias_is_a_whole_word_and_the_last_one_counts() {
        for (text, expected) in [
            ("in crew: ", Some("crew")),
            ("in Studio and wicked-crew/src ", Some("wicked-crew")),
            ("crew then studio ", Some("studio")),
            ("screw crews crew_x x-crew crew-x crew.ts recrew", None),
            ("the crew-ui, then", Some("crew-ui")),
            ("go. ", Some("go")),
            ("going ago", None),
            ("在crew中 ", Some("crew")),
            ("écrew ", None),
        ] {
            assert_eq!(named(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_paragraph_ends_the_mention_and_a_heading_or_lead_in_keeps_it() {
        for (text, expected) in [
            ("crew is old.\n\nFixed in ", None),
            ("## crew\n\n- ", Some("crew")),
            ("**crew:**\r\n\r\n- ", Some("crew")),
            ("## crew\n\n## other\n\n- ", None),
            ("## crew\n\nstudio too\n- ", Some("studio")),
            ("## crew\n\nstudio too\n\nchanges:\n- ", Some("crew")),
            ("crew did\nthis in ", Some("crew")),
        ] {
            assert_eq!(named(text).as_deref(), expected, "{text}");
        }
    }
}
