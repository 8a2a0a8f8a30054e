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
//!
//! The files are cut once, into entries that hold only numbers of items, and found by hash.

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

/// An enum whose variants have the names that the tables give them, found by those names.
macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name { $($(#[$variant_doc])* $variant,)* }

        impl $name {
            const NAMED: &[($name, &str)] = &[$(($name::$variant, $text),)*];

            fn from_name(name: &str) -> Option<$name> {
                Self::NAMED.iter().find(|(_, text)| *text == name).map(|(value, _)| *value)
            }
        }
    };
}

named! {
    /// What a command of the tables does.
    Kind {
        Check "check",
        Harmless "harmless",
        Module "module",
        None "none",
        Run "run",
        RunTask "runtask",
        Shell "shell",
        Task "task",
    }
}

named! {
    /// Peculiarities of a command.
    Flag {
        /// Takes `NAME=value` in front of the command it runs.
        Assign "assign",
        /// Checks without a task's name too.
        Bare "bare",
        /// One-letter options may stand in one word.
        Bundle "bundle",
        /// Its words are the shell line.
        Eval "eval",
        /// Its words are `NAME=value`.
        Exports "exports",
        /// May run a file.
        File "file",
        /// Only the first operand is a task.
        First "first",
        /// Its exit status is not the check's.
        Hides "hides",
        /// Its words are options of the shell.
        Options "options",
        /// Options begin with `/` too.
        Slash "slash",
        /// Takes `+toolchain`.
        Toolchain "toolchain",
        /// Tasks have variants behind their names.
        Variants "variants",
    }
}

named! {
    /// What the items of a list are.
    Key {
        /// Options that do not have their common meaning here.
        Allow "allow",
        /// What the first argument must end in.
        Ends "ends",
        /// Options that name a module.
        Module "module",
        /// One of these makes it a check.
        Need "need",
        /// With one of these nothing is checked, or nothing ends.
        Off "off",
        /// How many operands stand before the command.
        Operands "operands",
        /// Only with one of these the exit status tells.
        Prove "prove",
        /// Options behind which the command stands.
        RestOption "restoption",
        /// Options that take a shell line.
        Script "script",
        /// Options that name tasks.
        TaskOption "taskoption",
        /// Tasks that check although their words do not say so.
        Tasks "tasks",
        /// Options whose value is the next word.
        Value "value",
        /// With one of these the exit status proves nothing.
        Weak "weak",
    }
}

named! {
    /// How an option or a word of a task's name bears on the check.
    Bearing {
        /// It says that something is verified.
        Check "check",
        /// It changes files.
        Fix "fix",
        /// It says nothing either way.
        Neutral "neutral",
        /// Nothing is verified, or nothing ends.
        Off "off",
        /// It lays files out anew, unless it only looks.
        Style "style",
        /// The exit status proves nothing any more.
        Weak "weak",
    }
}

/// The most words that name a sub-command.
pub const MAX_DEPTH: usize = 3;

/// Where in [`Tables::items`] a list stands.
type Items = (u16, u16);

/// One entry.
#[derive(Debug, Clone)]
pub struct Entry {
    pub kind: Kind,
    flags: u16,
    depth: usize,
    /// The alternatives for each sub-command.
    subcommands: [Items; MAX_DEPTH],
    lists: [Items; Key::NAMED.len()],
}

impl Entry {
    /// How many words name the sub-command.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// True when the line carries the flag.
    pub fn has(&self, flag: Flag) -> bool {
        self.flags & (1 << flag as u16) != 0
    }

    /// The names of the sub-command's word `level`; none when it has fewer words.
    pub fn subcommand(&self, level: usize) -> &'static [&'static str] {
        tables().slice(self.subcommands.get(level))
    }

    /// The items of a key; none when the line does not have it.
    pub fn items(&self, key: Key) -> &'static [&'static str] {
        tables().slice(self.lists.get(key as usize))
    }
}

/// Names with a number each, found by hash. A name may be there several times.
struct Index {
    slots: Vec<u16>,
    rows: Vec<Row>,
}

struct Row {
    name: &'static str,
    value: u16,
    /// One more than the place of the next row with this name; 0 for none.
    next: u16,
}

impl Index {
    /// `slots` is a power of two, and more than there will be names.
    fn new(slots: usize) -> Index {
        Index { slots: vec![0; slots], rows: Vec::new() }
    }

    /// The slot of `name`, or the empty one where it belongs.
    fn slot(&self, name: &str) -> usize {
        let hash = name
            .bytes()
            .fold(0x811C_9DC5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
        let mut slot = (hash ^ (hash >> 15)) as usize;
        loop {
            slot &= self.slots.len() - 1;
            match self.row(self.slots.get(slot).copied().unwrap_or(0)) {
                Some(row) if row.name != name => slot += 1,
                _ => return slot,
            }
        }
    }

    fn row(&self, place: u16) -> Option<&Row> {
        self.rows.get(usize::from(place).wrapping_sub(1))
    }

    fn insert(&mut self, name: &'static str, value: u16) {
        let slot = self.slot(name);
        let place = self.rows.len() as u16 + 1;
        if let Some(first) = self.slots.get_mut(slot) {
            self.rows.push(Row { name, value, next: std::mem::replace(first, place) });
        }
    }

    /// The place of the first row with this name; 0 for none.
    fn find(&self, name: &str) -> u16 {
        self.slots.get(self.slot(name)).copied().unwrap_or(0)
    }
}

/// Every table, read once.
pub struct Tables {
    items: Vec<&'static str>,
    entries: Vec<Entry>,
    tools: Index,
    options: Index,
    tasks: Index,
    variables: Index,
    /// The parts of a value that matter, for each variable.
    parts: Vec<Items>,
}

/// The entries of one tool.
#[derive(Clone, Copy)]
pub struct Entries(u16);

impl Iterator for Entries {
    type Item = &'static Entry;

    fn next(&mut self) -> Option<&'static Entry> {
        let tables = tables();
        let row = tables.tools.row(self.0)?;
        self.0 = row.next;
        tables.entries.get(usize::from(row.value))
    }
}

/// The tables of this crate.
pub fn tables() -> &'static Tables {
    static TABLES: OnceLock<Tables> = OnceLock::new();
    TABLES.get_or_init(|| {
        let mut tables = Tables {
            items: Vec::with_capacity(4096),
            entries: Vec::with_capacity(1024),
            tools: Index::new(2048),
            options: bearings(include_str!("tools/options.txt")),
            tasks: bearings(include_str!("tools/tasks.txt")),
            variables: Index::new(128),
            parts: Vec::new(),
        };
        for row in FILES.iter().flat_map(|file| rows(file)) {
            tables.add(row);
        }
        for row in rows(include_str!("tools/variables.txt")) {
            let (name, parts) = row.split_once(' ').unwrap_or((row, ""));
            tables.variables.insert(name, tables.parts.len() as u16);
            let parts = tables.cut(parts);
            tables.parts.push(parts);
        }
        tables
    })
}

impl Tables {
    /// The entries of a tool.
    pub fn tool(&self, name: &str) -> Option<Entries> {
        let place = self.tools.find(name);
        (place > 0).then_some(Entries(place))
    }

    /// What an option means to nearly every tool.
    pub fn option(&self, name: &str) -> Option<Bearing> {
        bearing(&self.options, name)
    }

    /// What a lower-case word in a task's name says.
    pub fn task_word(&self, word: &str) -> Option<Bearing> {
        bearing(&self.tasks, word)
    }

    /// True when giving the variable this value can change what a check means.
    pub fn subverts(&self, name: &str, value: &str) -> bool {
        self.variables.row(self.variables.find(name)).is_some_and(|row| {
            let parts = self.slice(self.parts.get(usize::from(row.value)));
            parts.is_empty() || parts.iter().any(|part| value.contains(part))
        })
    }

    fn slice(&self, items: Option<&Items>) -> &[&'static str] {
        let (from, to) = items.copied().unwrap_or_default();
        self.items.get(usize::from(from)..usize::from(to)).unwrap_or_default()
    }

    fn cut(&mut self, list: &'static str) -> Items {
        let from = self.items.len() as u16;
        self.items.extend(list.split(',').filter(|item| !item.is_empty()));
        (from, self.items.len() as u16)
    }

    /// Cuts a line; the kind is the last word of the line that is one, so that a sub-command may be
    /// called `check` or `run`.
    fn add(&mut self, row: &'static str) -> Option<()> {
        let place = row.split(' ').rev().position(|word| Kind::from_name(word).is_some())?;
        let kind_at = row.split(' ').count() - 1 - place;
        let mut entry = Entry {
            kind: Kind::None,
            flags: 0,
            depth: kind_at.checked_sub(1)?,
            subcommands: [(0, 0); MAX_DEPTH],
            lists: [(0, 0); Key::NAMED.len()],
        };
        let mut names = "";
        for (at, word) in row.split(' ').enumerate() {
            if at == 0 {
                names = word;
            } else if at < kind_at {
                *entry.subcommands.get_mut(at - 1)? = self.cut(word);
            } else if at == kind_at {
                entry.kind = Kind::from_name(word)?;
            } else if let Some((key, list)) = word.split_once('=') {
                *entry.lists.get_mut(Key::from_name(key)? as usize)? = self.cut(list);
            } else {
                entry.flags |= 1 << Flag::from_name(word)? as u16;
            }
        }
        let value = self.entries.len() as u16;
        self.entries.push(entry);
        for name in names.split(',') {
            self.tools.insert(name, value);
        }
        Some(())
    }
}

/// True when `item` of a table stands for `word`.
pub fn stands_for(item: &str, word: &str) -> bool {
    match item.as_bytes().split_last() {
        Some((b'*', start)) => word.as_bytes().starts_with(start),
        _ => item == word,
    }
}

fn rows(file: &'static str) -> impl Iterator<Item = &'static str> {
    file.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

fn bearings(file: &'static str) -> Index {
    let mut index = Index::new(512);
    for row in rows(file) {
        if let Some((name, word)) = row.split_once(' ')
            && let Some(bearing) = Bearing::from_name(word)
        {
            index.insert(name, bearing as u16);
        }
    }
    index
}

fn bearing(index: &Index, name: &str) -> Option<Bearing> {
    let row = index.row(index.find(name))?;
    Bearing::NAMED.get(usize::from(row.value)).map(|(bearing, _)| *bearing)
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
        for (name, entries) in all_tools() {
            for (index, entry) in entries.iter().enumerate() {
                for other in &entries[..index] {
                    let overlap = entry.depth == other.depth
                        && (0..entry.depth).all(|level| {
                            entry.subcommand(level).iter().any(|name| other.subcommand(level).contains(name))
                        });
                    assert!(!overlap, "{name}: two entries of one sub-command");
                }
            }
        }
    }

    /// Every tool with its entries.
    fn all_tools() -> Vec<(&'static str, Vec<Entry>)> {
        let names = tables().tools.rows.iter().map(|row| row.name).collect::<std::collections::BTreeSet<_>>();
        names.into_iter().map(|name| (name, tables().tool(name).unwrap().cloned().collect())).collect()
    }

    fn words_of(index: &Index) -> Vec<(&'static str, Bearing)> {
        index.rows.iter().map(|row| (row.name, bearing(index, row.name).unwrap())).collect()
    }

    #[test]
    fn every_line_of_every_table_is_an_entry_with_known_flags_and_keys() {
        let mut count = 0;
        for row in FILES.iter().flat_map(|file| rows(file)) {
            let mut tables = Tables {
                items: Vec::new(),
                entries: Vec::new(),
                tools: Index::new(256),
                options: Index::new(2),
                tasks: Index::new(2),
                variables: Index::new(2),
                parts: Vec::new(),
            };
            assert!(tables.add(row).is_some(), "{row}");
            assert!(!row.contains(",,") && !row.contains("=,") && !row.contains(", "), "{row}");
            count += 1;
        }
        let tables = tables();
        assert_eq!(tables.entries.len(), count);
        assert!(tables.items.len() < usize::from(u16::MAX));
        for index in [&tables.tools, &tables.options, &tables.tasks, &tables.variables] {
            assert!(index.rows.len() * 2 < index.slots.len());
        }
    }

    /// The shortest command that the entry is about, with what it needs to be one.
    fn command(name: &str, entry: &Entry, subcommand: usize) -> String {
        let mut words = vec![name.to_owned()];
        for names in (0..entry.depth).map(|level| entry.subcommand(level)) {
            words.push(names.get(subcommand).or(names.first()).unwrap().to_string());
        }
        let needed = entry.items(Key::Need).first().into_iter().chain(entry.items(Key::Prove).first());
        words.extend(needed.map(|item| item.trim_end_matches('*').to_owned()));
        for _ in 0..entry.items(Key::Operands).first().map_or(0, |count| count.parse().unwrap()) {
            words.push("operand".to_owned());
        }
        match entry.kind {
            Kind::Run => {
                words.extend(entry.items(Key::RestOption).first().map(|item| item.to_string()));
                words.push("cargo test".to_owned());
            }
            Kind::Shell if entry.has(Flag::Eval) => words.push("cargo test".to_owned()),
            Kind::Shell => words.push(format!("{} 'cargo test'", entry.items(Key::Script)[0])),
            Kind::Module => words.push("-m pytest".to_owned()),
            Kind::Task | Kind::RunTask => words.push("test".to_owned()),
            Kind::Check | Kind::Harmless | Kind::None => {}
        }
        words.join(" ")
    }

    #[test]
    fn every_entry_is_reached_under_every_name() {
        let mut wrong = Vec::new();
        for (name, entries) in &all_tools() {
            for entry in entries {
                let widest = (0..entry.depth).map(|level| entry.subcommand(level).len()).max().unwrap_or(1);
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
                            let end = entry
                                .items(Key::Ends)
                                .first()
                                .map_or(String::new(), |end| format!(" x/{end}"));
                            expect(&format!("{line}{end} && cargo test"), true, true);
                            expect(&line, false, false);
                        }
                        Kind::None => expect(&line, false, false),
                        _ => expect(&line, !entry.has(Flag::Hides), true),
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
        for (name, entries) in &all_tools() {
            for entry in entries.iter().filter(|entry| entry.kind == Kind::Check && !entry.has(Flag::Hides)) {
                let without = |key: Key| {
                    let mut entry = entry.clone();
                    entry.lists[key as usize] = (0, 0);
                    command(name, &entry, 0)
                };
                let line = command(name, entry, 0);
                for (key, accepted, candidate) in [(Key::Off, false, false), (Key::Weak, false, true)] {
                    for item in entry.items(key) {
                        let spoiled = format!("{line} {}", item.trim_end_matches('*'));
                        expect(&spoiled, Some(accepted), candidate);
                    }
                }
                for item in entry.items(Key::Prove).iter().filter(|item| **item != "CI") {
                    expect(
                        &format!("{} {}", without(Key::Prove), item.trim_end_matches('*')),
                        Some(true),
                        true,
                    );
                    expect(&without(Key::Prove), Some(false), true);
                }
                for item in entry.items(Key::Need) {
                    expect(&format!("{} {item}", without(Key::Need)), None, true);
                    expect(&without(Key::Need), Some(false), false);
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn every_common_option_word_and_variable_is_reached() {
        let tables = tables();
        for (option, bearing) in words_of(&tables.options) {
            let answer = classify_verification_command(&format!("cargo test {option}"));
            let expected = bearing == Bearing::Weak;
            assert_eq!((answer.accepted, answer.candidate), (false, expected), "{option}");
            assert!(tables.option(option).is_some());
        }
        for (word, bearing) in words_of(&tables.tasks) {
            let name = format!("test:{word}");
            let meaning = task_names::task_meaning(tables, &name, false);
            let expected = match bearing {
                Bearing::Check | Bearing::Neutral | Bearing::Style => task_names::TaskMeaning::Check,
                Bearing::Fix => task_names::TaskMeaning::Fix,
                Bearing::Off | Bearing::Weak => task_names::TaskMeaning::Other,
            };
            assert_eq!(meaning, expected, "{name}");
        }
        for row in &tables.variables.rows {
            let (name, parts) = (row.name, tables.slice(tables.parts.get(usize::from(row.value))));
            for value in parts.iter().chain(parts.is_empty().then_some(&"x")) {
                let answer = classify_verification_command(&format!("{name}='{value}' cargo test"));
                assert!(answer.candidate && !answer.accepted, "{name}={value}");
            }
        }
        assert!(!tables.subverts("CI", "1") && !tables.subverts("NODE_OPTIONS", "--max-old-space-size=4096"));
    }
}
