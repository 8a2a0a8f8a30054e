//! One command with its arguments, judged by its entry in the tables.

use super::shell::{Expansion, Input, Line, Redirection, Word};
use super::task_names::{TaskMeaning, task_meaning};
use super::tools::{Bearing, Entries, Entry, Flag, Key, Kind, MAX_DEPTH, stands_for};
use super::{Outcome, Reader, ReasonCode, Role};
use crate::text::{ByteSpan, cut_at};

/// A command whose tool is in the tables.
pub(super) struct Call<'r, 'w, 't> {
    reader: &'r mut Reader,
    name: &'w str,
    tool: &'w Word<'t>,
    /// Everything behind the tool.
    words: &'w [Word<'t>],
    /// The tool's own entry, and the one of its sub-command.
    base: Option<&'static Entry>,
    entry: Option<&'static Entry>,
    /// Where in `words` the sub-commands stand, and how many there are.
    subcommands: [usize; MAX_DEPTH],
    depth: usize,
}

/// What the options of a call say.
#[derive(Default)]
struct Options<'w> {
    off: Option<(&'w str, ByteSpan)>,
    is_query: bool,
    weak: Option<(&'w str, ByteSpan)>,
    unknown: Option<(&'w str, ByteSpan)>,
    is_needed: bool,
    is_proved: bool,
    /// Where the words stand that are neither options nor their values.
    operands: Vec<usize>,
}

/// Options that only ask the tool about itself.
const QUERIES: &[&str] = &["--help", "--version", "-V", "-h", "-v", "-vV", "-version"];

/// Variables whose value is no option and no list.
const PLAIN_VARIABLES: &[&str] =
    &["$HOME", "$OLDPWD", "$PWD", "$RANDOM", "$TMPDIR", "$UID", "$USER", "${HOME}", "${PWD}", "${TMPDIR}"];

/// Commands whose output is a number or a list of paths.
const PLAIN_COMMANDS: &[&str] = &["basename", "date", "dirname", "getconf", "git", "nproc", "pwd", "sysctl"];

impl<'r, 'w, 't> Call<'r, 'w, 't> {
    pub(super) fn new(
        reader: &'r mut Reader,
        name: &'w str,
        tool: &'w Word<'t>,
        words: &'w [Word<'t>],
        entries: Entries,
    ) -> Self {
        let mut all = entries;
        let base = all.find(|entry| entry.depth() == 0);
        let mut call =
            Call { reader, name, tool, words, base, entry: base, subcommands: [0; MAX_DEPTH], depth: 0 };
        call.find_subcommands(entries);
        call
    }

    /// Follows the sub-commands as deep as the entries know them.
    fn find_subcommands(&mut self, entries: Entries) {
        let mut at = 0;
        if !{ entries }.any(|entry| entry.depth() > 0) {
            return;
        }
        while let Some(word) = self.words.get(at) {
            if word.text == "--" {
                return;
            }
            if is_option(&word.text) {
                at += if self.takes_value(&word.text) { 2 } else { 1 };
                continue;
            }
            if word.text.starts_with('+') && self.base.is_some_and(|base| base.has(Flag::Toolchain)) {
                at += 1;
                continue;
            }
            let depth = self.depth;
            let mut exact = None;
            let mut fits = false;
            for entry in entries.filter(|entry| entry.depth() > depth && self.follows(entry)) {
                if entry.subcommand(depth).contains(&word.text.as_ref()) {
                    fits = true;
                    if entry.depth() == depth + 1 {
                        exact = Some(entry);
                    }
                }
            }
            let Some(place) = self.subcommands.get_mut(depth).filter(|_| fits && word.expansions.is_empty())
            else {
                return;
            };
            *place = at;
            self.depth += 1;
            self.reader.mark(word.span, Role::Subcommand);
            if exact.is_some() {
                self.entry = exact;
            } else if self.depth == 1 {
                self.entry = None;
            }
            at += 1;
        }
    }

    fn subcommands(&self) -> &[usize] {
        self.subcommands.get(..self.depth).unwrap_or_default()
    }

    /// True when the entry has the sub-commands found so far.
    fn follows(&self, entry: &Entry) -> bool {
        self.subcommands().iter().enumerate().all(|(level, at)| {
            self.words.get(*at).is_some_and(|word| entry.subcommand(level).contains(&word.text.as_ref()))
        })
    }

    fn has(&self, flag: Flag) -> bool {
        self.entry.is_some_and(|entry| entry.has(flag))
    }

    fn items(&self, key: Key) -> &'static [&'static str] {
        self.entry.map_or(&[], |entry| entry.items(key))
    }

    fn takes_value(&self, option: &str) -> bool {
        self.items(Key::Value).contains(&option)
            || self.base.is_some_and(|base| base.items(Key::Value).contains(&option))
    }

    /// True when one of the one-letter options `items` is in a bundle such as `-lc`. Behind an option
    /// that takes a value stands the value: `-Cbuild` has no `-i`.
    fn bundles(&self, text: &str, items: &[&str]) -> bool {
        let Some(letters) = text.strip_prefix('-').filter(|_| self.has(Flag::Bundle)) else { return false };
        let has = |items: &[&str], letter| {
            items.iter().any(|item| {
                item.strip_prefix('-').is_some_and(|option| option.len() == 1 && option.starts_with(letter))
            })
        };
        for letter in letters.chars().take_while(char::is_ascii_alphabetic) {
            if has(items, letter) {
                return true;
            }
            if has(self.items(Key::Value), letter) {
                return false;
            }
        }
        false
    }

    /// The tool with its sub-commands.
    fn about(&self) -> String {
        let mut about = String::with_capacity(32);
        about.push_str(self.name);
        for word in self.subcommands().iter().filter_map(|at| self.words.get(*at)) {
            about.push(' ');
            about.push_str(&word.text);
        }
        about
    }

    fn span(&self) -> ByteSpan {
        let last = self.subcommands().last().and_then(|at| self.words.get(*at)).unwrap_or(self.tool);
        ByteSpan::new(self.tool.span.start, last.span.end)
    }

    fn behind(&self) -> usize {
        self.subcommands().last().map_or(0, |at| at + 1)
    }

    fn other(&self) -> Outcome {
        Outcome::blocked(ReasonCode::OtherCommand, &self.about(), self.span())
    }

    pub(super) fn outcome(mut self, input: Option<(&Redirection<'_>, &Line<'_>)>) -> Outcome {
        match self.entry.map(|entry| entry.kind) {
            Some(Kind::Check) => self.check(),
            Some(Kind::Harmless) => self.harmless(),
            Some(Kind::Module) => self.module(),
            Some(Kind::Run) => self.run(),
            Some(Kind::RunTask) => self.run_or_task(),
            Some(Kind::Shell) => self.shell(input),
            Some(Kind::Task) => self.tasks(self.behind()),
            Some(Kind::None) | None => self.nothing(),
        }
    }

    /// A command that checks nothing is still harmless when it is only asked about itself.
    fn nothing(&mut self) -> Outcome {
        let asks =
            self.words.len() == 1 && self.words.iter().any(|word| QUERIES.contains(&word.text.as_ref()));
        if asks { Outcome::harmless() } else { self.other() }
    }

    // ---- options ------------------------------------------------------------------------------

    /// Goes through the words of `range`, and marks options as such.
    fn options(&mut self, range: std::ops::Range<usize>) -> Options<'w> {
        let (off, weak) = (self.items(Key::Off), self.items(Key::Weak));
        let (need, prove) = (self.items(Key::Need), self.items(Key::Prove));
        let mut options =
            Options { is_proved: self.reader.ci && prove.contains(&"CI"), ..Options::default() };
        let mut skips = false;
        let words: &'w [Word<'t>] = self.words;
        for (at, word) in words.iter().enumerate().take(range.end).skip(range.start) {
            if std::mem::take(&mut skips) || self.subcommands().contains(&at) {
                continue;
            }
            let text: &str = &word.text;
            if !word.expansions.is_empty() && !self.is_plain(word) || word.written.starts_with('{') {
                options.unknown.get_or_insert((text, word.span));
            }
            let is_option = is_option(text);
            let takes_value = is_option && self.takes_value(text);
            let value = self.words.get(at + 1).filter(|_| takes_value).map(|value| value.text.as_ref());
            let (name, own_value) = cut_at(text, b'=').unwrap_or((text, ""));
            let is_set = is_option && !matches!(own_value, "false" | "0" | "no" | "off");
            let matches = |items: &[&str]| {
                !items.is_empty()
                    && (items.iter().any(|item| {
                        stands_for(item, text)
                            || (is_set && *item == name)
                            || value.is_some_and(|value| {
                                let rest = item.strip_prefix(text).and_then(|rest| rest.strip_prefix('='));
                                rest.is_some_and(|rest| stands_for(rest, value))
                            })
                    }) || self.bundles(text, items))
            };
            options.is_needed |= matches(need);
            options.is_proved |= matches(prove);
            let common = if takes_value || !is_option { None } else { self.common_option(text) };
            if matches(off) || common == Some(Bearing::Off) {
                options.is_query |= QUERIES.contains(&text);
                options.off.get_or_insert((text, word.span));
            }
            if matches(weak) || common == Some(Bearing::Weak) {
                options.weak.get_or_insert((text, word.span));
            }
            if is_option {
                self.reader.mark(word.span, Role::Option);
                // Where a value may be left out, an option is none; elsewhere it is rarely one.
                skips =
                    takes_value && self.words.get(at + 1).is_some_and(|next| !self::is_option(&next.text));
            } else {
                options.operands.push(at);
            }
        }
        options
    }

    /// What the option means to nearly every tool, unless this one's entry says otherwise.
    fn common_option(&self, text: &str) -> Option<Bearing> {
        let (name, value) = cut_at(text, b'=').unwrap_or((text, ""));
        let is_own = |key| self.items(key).contains(&name);
        if matches!(value, "false" | "0" | "no" | "off") || is_own(Key::Need) || is_own(Key::Allow) {
            return None;
        }
        self.reader.tables.option(name)
    }

    /// True when what the word stands for can be no option of its own.
    fn is_plain(&self, word: &Word<'_>) -> bool {
        let is_plain = |expansion: &Expansion<'_>| match expansion {
            Expansion::Value(value) => PLAIN_VARIABLES.contains(value),
            Expansion::Backquoted(_) => false,
            Expansion::Commands(list) => list.items.iter().all(|item| {
                item.commands.iter().all(|command| match command {
                    super::Command::Simple(simple) => simple.words.first().is_some_and(|first| {
                        PLAIN_COMMANDS.contains(&first.text.as_ref()) && first.expansions.is_empty()
                    }),
                    _ => false,
                })
            }),
        };
        let begins_plain = !word.splits && !word.text.starts_with(['$', '`', '<', '>']);
        begins_plain || word.expansions.iter().all(is_plain)
    }

    /// What the options leave of a check.
    fn weigh(&self, options: Options<'_>, mut outcome: Outcome) -> Outcome {
        if let Some((text, span)) = options.off {
            return if options.is_query {
                Outcome::harmless()
            } else {
                Outcome::blocked(ReasonCode::OtherCommand, &[&self.about(), " ", text].concat(), span)
            };
        }
        if let Some((text, span)) = options.weak {
            outcome.block(ReasonCode::WeakOption, text, span);
        }
        if let Some((text, span)) = options.unknown {
            outcome.block(ReasonCode::UnknownArgument, text, span);
        }
        let prove = self.items(Key::Prove);
        if !prove.is_empty() && !options.is_proved {
            let mut about = self.about();
            for (index, option) in prove.iter().enumerate() {
                about.push(if index == 0 { '\n' } else { ',' });
                about.push_str(if *option == "CI" { "CI=1" } else { option });
            }
            outcome.block(ReasonCode::MissingOption, &about, self.span());
        }
        if self.has(Flag::Hides) {
            outcome.block(ReasonCode::HiddenStatus, &self.about(), self.span());
        }
        outcome
    }

    // ---- kinds --------------------------------------------------------------------------------

    fn check(&mut self) -> Outcome {
        if let Some(tasks) = self.option_tasks() {
            return tasks;
        }
        let options = self.options(0..self.words.len());
        if !self.items(Key::Need).is_empty() && !options.is_needed {
            let script =
                options.operands.first().copied().filter(|_| self.has(Flag::File) && options.off.is_none());
            return match script.and_then(|at| self.words.get(at..)) {
                Some(command) => self.script(command),
                None if options.is_query => Outcome::harmless(),
                None => self.other(),
            };
        }
        let outcome = Outcome::check(self.about(), self.span());
        self.weigh(options, outcome)
    }

    /// A script that an interpreter runs: only one of the tables, named by its path, is known.
    fn script(&mut self, command: &[Word<'_>]) -> Outcome {
        let Some(first) = command.first() else { return self.other() };
        if !first.text.contains(['/', '.', '\\']) {
            return self.other();
        }
        self.reader.mark(self.tool.span, Role::Wrapper);
        self.reader.words(command, None)
    }

    fn harmless(&mut self) -> Outcome {
        let texts = || self.words.iter().map(|word| word.text.as_ref());
        if self.items(Key::Off).iter().any(|item| texts().any(|text| stands_for(item, text))) {
            return self.other();
        }
        if let Some(end) = self.items(Key::Ends).first() {
            return if texts().next().is_some_and(|text| text.ends_with(end)) {
                Outcome::harmless()
            } else {
                self.other()
            };
        }
        let mut outcome = Outcome::harmless();
        if self.has(Flag::Exports) {
            for word in self.words {
                outcome.and(self.reader.assignment(word));
            }
        }
        if self.has(Flag::Options) {
            // `set`: only what makes the line stricter, or shows more of it.
            let mut before = "";
            for text in texts() {
                let is_letters = text.strip_prefix(['-', '+']).is_some_and(|letters| {
                    !letters.is_empty() && letters.chars().all(|letter| "euxovE".contains(letter))
                });
                let is_name = matches!(text, "errexit" | "nounset" | "pipefail" | "xtrace" | "verbose");
                // `set CI=1` is the Windows way.
                let is_windows = text.as_bytes().contains(&b'=')
                    && !self.reader.tables.subverts(text.split('=').next().unwrap_or(""), text);
                if !(is_letters || is_name || is_windows) {
                    return self.other();
                }
                if text == "pipefail" {
                    self.reader.pipefail = before.starts_with('-');
                }
                before = text;
            }
        }
        outcome
    }

    fn module(&mut self) -> Outcome {
        let module = self.items(Key::Module);
        let mut at = 0;
        while let Some(word) = self.words.get(at) {
            let text: &str = &word.text;
            if module.contains(&text) {
                return self.wrapped(at + 1, at);
            }
            if !is_option(text) {
                let command = self.words.get(at..).unwrap_or_default();
                return self.script(command);
            }
            if self.items(Key::Off).contains(&text) || QUERIES.contains(&text) {
                return self.nothing();
            }
            at += if self.takes_value(text) { 2 } else { 1 };
        }
        self.other()
    }

    fn run(&mut self) -> Outcome {
        let operands = self.items(Key::Operands).first().and_then(|count| count.parse::<usize>().ok());
        let mut operands = operands.unwrap_or(0);
        let (rest, script, module) =
            (self.items(Key::RestOption), self.items(Key::Script), self.items(Key::Module));
        let mut spoiled = Outcome::harmless();
        let mut at = self.behind();
        while let Some(word) = self.words.get(at) {
            let text: &str = &word.text;
            if rest.contains(&text) || text == "--" {
                at += 1;
                if operands > 0 {
                    continue;
                }
                break;
            }
            if module.contains(&text) {
                return self.wrapped(at + 1, at);
            }
            if script.contains(&text) {
                let line = self.words.get(at + 1).map_or("", |line| line.text.as_ref());
                let mut outcome = self.line(line, self.words.get(at + 1).map_or(word.span, |line| line.span));
                let options = self.options(0..at);
                outcome.and(spoiled);
                return if options.off.is_some() { self.other() } else { self.weigh(options, outcome) };
            }
            if is_option(text) {
                at += if self.takes_value(text) { 2 } else { 1 };
            } else if self.has(Flag::Assign) && text.as_bytes().contains(&b'=') {
                self.reader.mark(word.span, Role::Assignment);
                let ci = self.reader.ci;
                spoiled.and(self.reader.assignment(word));
                // The variable lasts as long as the wrapped command, which is the rest of this one.
                self.reader.ci |= ci;
                at += 1;
            } else if !rest.is_empty() {
                at += 1;
            } else if operands > 0 {
                operands -= 1;
                at += 1;
            } else {
                break;
            }
        }
        if operands > 0 || at >= self.words.len() {
            return if self.has(Flag::Assign) && at >= self.words.len() {
                Outcome::harmless()
            } else {
                self.other()
            };
        }
        let mut outcome = self.wrapped(at, at);
        outcome.and(spoiled);
        outcome
    }

    /// The command that begins at `at`, with this tool's own words before `end` around it.
    fn wrapped(&mut self, at: usize, end: usize) -> Outcome {
        let options = self.options(0..end);
        self.reader.mark(self.tool.span, Role::Wrapper);
        let command = self.words.get(at..).unwrap_or_default();
        if command.is_empty() || options.off.is_some() {
            return self.other();
        }
        let outcome = self.reader.words(command, None);
        self.weigh(Options { is_query: false, ..options }, outcome)
    }

    fn run_or_task(&mut self) -> Outcome {
        let operands = self.items(Key::Operands).first().and_then(|count| count.parse::<usize>().ok());
        let mut operands = operands.unwrap_or(0);
        let mut at = self.behind();
        while let Some(word) = self.words.get(at) {
            let text: &str = &word.text;
            if is_option(text) {
                at += if self.takes_value(text) { 2 } else { 1 };
                continue;
            }
            if operands > 0 {
                operands -= 1;
                at += 1;
                continue;
            }
            let entries = self.reader.known_tool(word).map(|(_, entries)| entries);
            let is_command =
                entries.is_some_and(|mut entries| entries.any(|entry| entry.kind != Kind::Harmless));
            if is_command {
                return self.wrapped(at, at);
            }
            return self.tasks(at);
        }
        self.nothing()
    }

    /// A shell line as an argument, or a script on standard input.
    fn shell(&mut self, input: Option<(&Redirection<'_>, &Line<'_>)>) -> Outcome {
        self.reader.mark(self.tool.span, Role::Wrapper);
        if self.has(Flag::Eval) {
            let words = self.words.get(self.behind()..).unwrap_or_default();
            return self.line(&joined(words), self.span());
        }
        let script = self.items(Key::Script);
        let mut at = 0;
        let mut pipefail = false;
        while let Some(word) = self.words.get(at) {
            let text: &str = &word.text;
            let is_script = script.contains(&text) || self.bundles(text, script);
            let is_off = self.items(Key::Off).contains(&text) || self.bundles(text, self.items(Key::Off));
            if is_off {
                return self.other();
            }
            if is_script {
                self.reader.mark(word.span, Role::Option);
                let words = self.words.get(at + 1..).unwrap_or_default();
                let Some(first) = words.first() else { return self.other() };
                let before = std::mem::replace(&mut self.reader.pipefail, pipefail);
                // `cmd` and PowerShell take the rest of the line, a shell takes one word.
                let outcome = if self.has(Flag::Bundle) {
                    self.line(&first.text, first.span)
                } else {
                    self.line(&joined(words), first.span)
                };
                self.reader.pipefail = before;
                return outcome;
            }
            let value = self.words.get(at + 1).map(|value| value.text.as_ref());
            if matches!(text, "-o" | "-eo" | "-euo") && value == Some("pipefail") {
                pipefail = true;
                at += 2;
            } else if is_option(text)
                || text.starts_with('+')
                || (self.has(Flag::Slash) && text.starts_with('/'))
            {
                at += if self.takes_value(text) { 2 } else { 1 };
            } else {
                return self.other();
            }
        }
        let Some((redirection, line)) = input else { return self.nothing() };
        let text = match redirection.input {
            Input::HereDocument(number) => line.here_documents.get(number).copied().unwrap_or(""),
            Input::HereString => redirection.target.text.as_ref(),
            Input::Elsewhere => "",
        };
        let mut outcome = self.reader.nested(text);
        outcome.blocker = None;
        outcome.block(ReasonCode::HereDocument, "", redirection.span);
        outcome
    }

    /// A line inside the line; what spoils it is shown at `span`.
    fn line(&mut self, text: &str, span: ByteSpan) -> Outcome {
        let mut outcome = self.reader.nested(text);
        if let Some((_, place)) = &mut outcome.blocker {
            *place = span;
        }
        if let Some(found) = &mut outcome.proof {
            found.span = span;
        }
        outcome
    }

    // ---- tasks --------------------------------------------------------------------------------

    /// Tasks that an option names, as in `nx run-many -t lint test`.
    fn option_tasks(&mut self) -> Option<Outcome> {
        let options = self.items(Key::TaskOption);
        if options.is_empty() {
            return None;
        }
        let mut names: Vec<(&str, ByteSpan)> = Vec::new();
        let mut follows = false;
        for word in self.words {
            let text: &str = &word.text;
            if let Some((name, value)) = cut_at(text, b'=')
                && options.contains(&name)
            {
                names.extend(value.split(',').map(|name| (name, word.span)));
            } else if is_option(text) {
                follows = options.contains(&text);
            } else if follows {
                names.extend(text.split(',').map(|name| (name, word.span)));
            }
        }
        if names.is_empty() {
            return None;
        }
        let options = self.options(0..self.words.len());
        let outcome = self.judge(&names);
        Some(if outcome.candidate { self.weigh(options, outcome) } else { outcome })
    }

    /// The tasks named from `from` on.
    fn tasks(&mut self, from: usize) -> Outcome {
        if let Some(outcome) = self.option_tasks() {
            return outcome;
        }
        let options = self.options(0..self.words.len());
        let mut names: Vec<(&str, ByteSpan)> = Vec::new();
        let mut spoiled = Outcome::harmless();
        for word in options.operands.iter().filter(|at| **at >= from).filter_map(|at| self.words.get(*at)) {
            let text: &str = &word.text;
            if text == "--" || text.is_empty() || text.bytes().all(|byte| byte.is_ascii_digit()) {
                continue;
            }
            if text.as_bytes().contains(&b'=') {
                spoiled.and(self.reader.assignment(word));
            } else if !self.has(Flag::First) || names.is_empty() {
                names.push((text, word.span));
            }
        }
        if let Some(count) = self.items(Key::Operands).first().and_then(|count| count.parse::<usize>().ok())
            && self.entry.is_some_and(|entry| entry.kind == Kind::Task)
        {
            names.drain(..count.min(names.len()));
        }
        let mut outcome = if names.is_empty() {
            if self.has(Flag::Bare) { Outcome::check(self.about(), self.span()) } else { self.nothing() }
        } else {
            self.judge(&names)
        };
        if !outcome.candidate && options.off.is_none() {
            return outcome;
        }
        outcome.and(spoiled);
        self.weigh(options, outcome)
    }

    /// All tasks ran; at least one has to check.
    fn judge(&mut self, names: &[(&str, ByteSpan)]) -> Outcome {
        let mut whole = Outcome::harmless();
        for (name, span) in names {
            let own = self.items(Key::Tasks).contains(name);
            let about = [&self.about(), " ", name].concat();
            let span_with_tool = ByteSpan::new(self.tool.span.start, span.end);
            let meaning = match () {
                () if own => TaskMeaning::Check,
                () if name.starts_with('~') => TaskMeaning::Other,
                () => {
                    let mut words = name.split_whitespace();
                    let first = words.next().unwrap_or(name);
                    let meaning = task_meaning(self.reader.tables, first, self.has(Flag::Variants));
                    // The rest are the task's own arguments.
                    words.fold(meaning, |meaning, word| match self.common_option(word) {
                        Some(Bearing::Off) => TaskMeaning::Other,
                        Some(Bearing::Weak) if meaning == TaskMeaning::Check => TaskMeaning::Fix,
                        _ => meaning,
                    })
                }
            };
            whole.and(match meaning {
                TaskMeaning::Check => Outcome::check(about, span_with_tool),
                TaskMeaning::Clean => Outcome::harmless(),
                TaskMeaning::Fix => Outcome::weak(ReasonCode::WeakOption, name, *span),
                TaskMeaning::Other => Outcome::blocked(ReasonCode::OtherCommand, &about, *span),
            });
        }
        for (_, span) in names {
            self.reader.mark(*span, Role::Task);
        }
        whole
    }
}

fn is_option(text: &str) -> bool {
    text.len() > 1 && text.starts_with('-') && text != "--"
}

fn joined(words: &[Word<'_>]) -> String {
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_ref()).collect();
    texts.join(" ")
}
