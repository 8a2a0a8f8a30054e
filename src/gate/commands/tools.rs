//! The tables of tools as data: which commands check something, which run another command, and
//! which options change that. One text file an ecosystem, one line an entry:
//!
//! `NAME[,ALIAS...] [SUBCOMMAND[,ALIAS...]...] KIND [FLAG...] [KEY=ITEM,ITEM...]`
//!
//! | kind | the command |
//! |---|---|
//! | `check` | verifies, and its exit status says so |
//! | `harmless` | may stand beside a check |
//! | `module` | runs the module that an option names, or a script |
//! | `none` | does something else |
//! | `run` | runs the command behind its options |
//! | `runtask` | runs a command or, where there is none of the name, a named task |
//! | `shell` | reads a shell line |
//! | `task` | runs named tasks |
//!
//! An item that ends in `*` stands for everything that starts so.

use std::sync::OnceLock;

const FILES: &[&str] = &[
    include_str!("tools/beam.txt"),
    include_str!("tools/dart.txt"),
    include_str!("tools/dotnet.txt"),
    include_str!("tools/functional.txt"),
    include_str!("tools/go.txt"),
    include_str!("tools/harmless.txt"),
    include_str!("tools/infrastructure.txt"),
    include_str!("tools/javascript.txt"),
    include_str!("tools/jvm.txt"),
    include_str!("tools/native.txt"),
    include_str!("tools/php.txt"),
    include_str!("tools/python.txt"),
    include_str!("tools/ruby.txt"),
    include_str!("tools/rust.txt"),
    include_str!("tools/wrappers.txt"),
];

/// What a command of the tables does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Check,
    Harmless,
    Module,
    None,
    Run,
    RunTask,
    Shell,
    Task,
}

/// One entry.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The alternatives for each sub-command.
    pub subcommands: Vec<Vec<&'static str>>,
    pub kind: Kind,
    /// Words without `=`: peculiarities the classifier knows by name.
    flags: Vec<&'static str>,
    /// Words with `=`, cut into items.
    keys: Vec<(&'static str, Vec<&'static str>)>,
}

impl Entry {
    /// True when the line carries the flag.
    pub fn has(&self, flag: &str) -> bool {
        self.flags.contains(&flag)
    }

    /// The items of a key; none when the line does not have it.
    pub fn items(&self, key: &str) -> &[&'static str] {
        self.keys.iter().find(|(name, _)| *name == key).map_or(&[], |(_, items)| items)
    }
}

/// How an option or a word of a task's name bears on the check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bearing {
    /// It says that something is verified.
    Check,
    /// It changes files.
    Fix,
    /// It says nothing either way.
    Neutral,
    /// Nothing is verified, or nothing ends.
    Off,
    /// It lays files out anew, unless it only looks.
    Style,
    /// The exit status proves nothing any more.
    Weak,
}

/// Every table, read once.
pub struct Tables {
    tools: Vec<(&'static str, Vec<Entry>)>,
    options: Vec<(&'static str, Bearing)>,
    tasks: Vec<(&'static str, Bearing)>,
    variables: Vec<(&'static str, Vec<&'static str>)>,
}

/// The tables of this crate.
pub fn tables() -> &'static Tables {
    static TABLES: OnceLock<Tables> = OnceLock::new();
    TABLES.get_or_init(|| Tables {
        tools: tools(),
        options: bearings(include_str!("tools/options.txt")),
        tasks: bearings(include_str!("tools/tasks.txt")),
        variables: rows(include_str!("tools/variables.txt"))
            .map(|row| row.split_once(' ').map_or((row, Vec::new()), |(name, parts)| (name, items(parts))))
            .collect(),
    })
}

impl Tables {
    /// The entries of a tool.
    pub fn tool(&self, name: &str) -> Option<&[Entry]> {
        find(&self.tools, name).map(Vec::as_slice)
    }

    /// What an option means to nearly every tool.
    pub fn option(&self, name: &str) -> Option<Bearing> {
        find(&self.options, name).copied()
    }

    /// What a lower-case word in a task's name says.
    pub fn task_word(&self, word: &str) -> Option<Bearing> {
        find(&self.tasks, word).copied()
    }

    /// True when giving the variable this value can change what a check means.
    pub fn subverts(&self, name: &str, value: &str) -> bool {
        find(&self.variables, name)
            .is_some_and(|parts| parts.is_empty() || parts.iter().any(|part| value.contains(part)))
    }
}

/// True when `item` of a table stands for `word`.
pub fn stands_for(item: &str, word: &str) -> bool {
    match item.strip_suffix('*') {
        Some(start) => word.starts_with(start),
        None => item == word,
    }
}

fn find<'a, T>(sorted: &'a [(&'static str, T)], name: &str) -> Option<&'a T> {
    let index = sorted.binary_search_by(|(key, _)| (*key).cmp(name)).ok()?;
    sorted.get(index).map(|(_, value)| value)
}

fn rows(file: &'static str) -> impl Iterator<Item = &'static str> {
    file.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

fn items(list: &'static str) -> Vec<&'static str> {
    list.split(',').collect()
}

fn kind(word: &str) -> Option<Kind> {
    Some(match word {
        "check" => Kind::Check,
        "harmless" => Kind::Harmless,
        "module" => Kind::Module,
        "none" => Kind::None,
        "run" => Kind::Run,
        "runtask" => Kind::RunTask,
        "shell" => Kind::Shell,
        "task" => Kind::Task,
        _ => return None,
    })
}

/// Cuts a line; the kind is the last word of the line that is one, so that a sub-command may be
/// called `check` or `run`.
fn entry(row: &'static str) -> Option<(Vec<&'static str>, Entry)> {
    let words: Vec<&str> = row.split(' ').collect();
    let place = words.iter().rposition(|word| kind(word).is_some())?;
    let (before, behind) = words.split_at_checked(place)?;
    let (names, subcommands) = before.split_first()?;
    let (kind_word, details) = behind.split_first()?;
    let mut entry = Entry {
        subcommands: subcommands.iter().map(|word| items(word)).collect(),
        kind: kind(kind_word)?,
        flags: Vec::new(),
        keys: Vec::new(),
    };
    for detail in details {
        match detail.split_once('=') {
            Some((key, list)) => entry.keys.push((key, items(list))),
            None => entry.flags.push(detail),
        }
    }
    Some((items(names), entry))
}

fn tools() -> Vec<(&'static str, Vec<Entry>)> {
    let mut all: Vec<(&'static str, Entry)> = Vec::new();
    for (names, entry) in FILES.iter().flat_map(|file| rows(file)).filter_map(entry) {
        all.extend(names.into_iter().map(|name| (name, entry.clone())));
    }
    all.sort_by_key(|(name, _)| *name);
    let mut tools: Vec<(&'static str, Vec<Entry>)> = Vec::new();
    for (name, entry) in all {
        match tools.last_mut() {
            Some((last, entries)) if *last == name => entries.push(entry),
            _ => tools.push((name, vec![entry])),
        }
    }
    tools
}

fn bearings(file: &'static str) -> Vec<(&'static str, Bearing)> {
    rows(file)
        .filter_map(|row| {
            let (name, word) = row.split_once(' ')?;
            Some((
                name,
                match word {
                    "check" => Bearing::Check,
                    "fix" => Bearing::Fix,
                    "neutral" => Bearing::Neutral,
                    "off" => Bearing::Off,
                    "style" => Bearing::Style,
                    "weak" => Bearing::Weak,
                    _ => return None,
                },
            ))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::{classify_verification_command, task_names};
    use super::*;

    /// Every file with a name of its own, for messages.
    fn files() -> Vec<&'static str> {
        let tables = ["options", "tasks", "variables"];
        let rest = [
            include_str!("tools/options.txt"),
            include_str!("tools/tasks.txt"),
            include_str!("tools/variables.txt"),
        ];
        assert_eq!(tables.len(), rest.len());
        FILES.iter().copied().chain(rest).collect()
    }

    #[test]
    fn every_table_is_sorted_and_says_nothing_twice() {
        for file in files() {
            let rows: Vec<&str> = rows(file).collect();
            for pair in rows.windows(2) {
                assert!(pair[0] < pair[1], "{:?} stands before {:?}", pair[0], pair[1]);
            }
        }
        for (name, entries) in &tables().tools {
            for (index, entry) in entries.iter().enumerate() {
                for other in &entries[..index] {
                    let overlap = entry.subcommands.len() == other.subcommands.len()
                        && entry
                            .subcommands
                            .iter()
                            .zip(&other.subcommands)
                            .all(|(names, others)| names.iter().any(|name| others.contains(name)));
                    assert!(!overlap, "{name} {:?} and {:?}", entry.subcommands, other.subcommands);
                }
            }
        }
    }

    #[test]
    fn every_line_of_every_table_is_an_entry_with_known_flags_and_keys() {
        const FLAGS: &[&str] = &[
            "assign",
            "bare",
            "bundle",
            "eval",
            "exports",
            "file",
            "first",
            "hides",
            "options",
            "slash",
            "toolchain",
            "variants",
        ];
        const KEYS: &[&str] = &[
            "ends",
            "module",
            "need",
            "off",
            "operands",
            "prove",
            "restoption",
            "script",
            "taskoption",
            "tasks",
            "value",
            "weak",
        ];
        for row in FILES.iter().flat_map(|file| rows(file)) {
            let (_, entry) = entry(row).unwrap_or_else(|| panic!("no entry: {row}"));
            assert!(entry.flags.iter().all(|flag| FLAGS.contains(flag)), "{row}");
            for (key, items) in &entry.keys {
                assert!(KEYS.contains(key), "{row}");
                assert!(items.iter().all(|item| !item.is_empty()), "{row}");
            }
        }
    }

    /// The shortest command that the entry is about, with what it needs to be one.
    fn command(name: &str, entry: &Entry, subcommand: usize) -> String {
        let mut words = vec![name.to_owned()];
        for names in &entry.subcommands {
            words.push(names.get(subcommand).or(names.first()).unwrap().to_string());
        }
        let needed = entry.items("need").first().into_iter().chain(entry.items("prove").first());
        words.extend(needed.map(|item| item.trim_end_matches('*').to_owned()));
        for _ in 0..entry.items("operands").first().map_or(0, |count| count.parse().unwrap()) {
            words.push("operand".to_owned());
        }
        match entry.kind {
            Kind::Run => {
                words.extend(entry.items("restoption").first().map(|item| item.to_string()));
                words.push("cargo test".to_owned());
            }
            Kind::Shell if entry.has("eval") => words.push("cargo test".to_owned()),
            Kind::Shell => words.push(format!("{} 'cargo test'", entry.items("script")[0])),
            Kind::Module => words.push("-m pytest".to_owned()),
            Kind::Task | Kind::RunTask => words.push("test".to_owned()),
            Kind::Check | Kind::Harmless | Kind::None => {}
        }
        words.join(" ")
    }

    #[test]
    fn every_entry_is_reached_under_every_name() {
        let mut wrong = Vec::new();
        for (name, entries) in &tables().tools {
            for entry in entries {
                let widest = entry.subcommands.iter().map(Vec::len).max().unwrap_or(1);
                for subcommand in 0..widest {
                    let line = command(name, entry, subcommand);
                    let mut expect = |line: &str, accepted, candidate| {
                        let answer = classify_verification_command(line);
                        if (answer.accepted, answer.candidate) != (accepted, candidate) {
                            wrong.push(format!("{line}: {}", answer.reason.phrase()));
                        }
                    };
                    match entry.kind {
                        Kind::Harmless => {
                            let end =
                                entry.items("ends").first().map_or(String::new(), |end| format!(" x/{end}"));
                            expect(&format!("{line}{end} && cargo test"), true, true);
                            expect(&line, false, false);
                        }
                        Kind::None => expect(&line, false, false),
                        _ => expect(&line, !entry.has("hides"), true),
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn every_option_of_every_check_does_what_its_key_says() {
        let mut wrong = Vec::new();
        let mut expect = |line: &str, accepted: Option<bool>, candidate| {
            let answer = classify_verification_command(line);
            if accepted.is_some_and(|accepted| answer.accepted != accepted) || answer.candidate != candidate {
                wrong.push(format!("{line}: {}", answer.reason.phrase()));
            }
        };
        for (name, entries) in &tables().tools {
            for entry in entries.iter().filter(|entry| entry.kind == Kind::Check && !entry.has("hides")) {
                let without = |key: &str| {
                    let mut entry = entry.clone();
                    entry.keys.retain(|(name, _)| *name != key);
                    command(name, &entry, 0)
                };
                let line = command(name, entry, 0);
                for (key, accepted, candidate) in [("off", false, false), ("weak", false, true)] {
                    for item in entry.items(key) {
                        let spoiled = format!("{line} {}", item.trim_end_matches('*'));
                        expect(&spoiled, Some(accepted), candidate);
                    }
                }
                for item in entry.items("prove").iter().filter(|item| **item != "CI") {
                    expect(&format!("{} {}", without("prove"), item.trim_end_matches('*')), Some(true), true);
                    expect(&without("prove"), Some(false), true);
                }
                for item in entry.items("need") {
                    expect(&format!("{} {item}", without("need")), None, true);
                    expect(&without("need"), Some(false), false);
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn every_common_option_word_and_variable_is_reached() {
        let tables = tables();
        for (option, bearing) in &tables.options {
            let answer = classify_verification_command(&format!("cargo test {option}"));
            let expected = *bearing == Bearing::Weak;
            assert_eq!((answer.accepted, answer.candidate), (false, expected), "{option}");
            assert!(tables.option(option).is_some());
        }
        for (word, bearing) in &tables.tasks {
            let name = format!("test:{word}");
            let meaning = task_names::task_meaning(tables, &name, false);
            let expected = match bearing {
                Bearing::Check | Bearing::Neutral | Bearing::Style => task_names::TaskMeaning::Check,
                Bearing::Fix => task_names::TaskMeaning::Fix,
                Bearing::Off | Bearing::Weak => task_names::TaskMeaning::Other,
            };
            assert_eq!(meaning, expected, "{name}");
        }
        for (name, parts) in &tables.variables {
            for value in parts.iter().chain(parts.is_empty().then_some(&"x")) {
                let answer = classify_verification_command(&format!("{name}='{value}' cargo test"));
                assert!(answer.candidate && !answer.accepted, "{name}={value}");
            }
        }
        assert!(!tables.subverts("CI", "1") && !tables.subverts("NODE_OPTIONS", "--max-old-space-size=4096"));
    }
}
