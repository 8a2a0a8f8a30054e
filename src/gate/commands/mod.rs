//! Says of a shell line whether it runs a check, and whether exit status 0 of exactly this line
//! proves that a bounded, one-shot, non-mutating check passed.
//!
//! The line is read by [`shell`]; what a command does is said by the tables of [`tools`], never guessed from its name. Where a table cannot say, the answer is no.

mod call;
mod evidence;
pub mod shell;
mod task_names;
mod tools;

use crate::collections::sort_by;
use crate::limits::MAX_COMMAND_NESTING;
use crate::text::{ByteSpan, cut_at};
use call::Call;
pub use evidence::{
    DEFAULT_SHELL_TOOLS, EvidenceOptions, ToolCall, ToolResult, VerificationEvidence,
    collect_verification_evidence,
};
use shell::{Command, Connector, Expansion, Input, Item, Line, List, Redirection, Simple, Word, read_line};
use tools::{Entries, Tables, tables};

/// What a line is worth as evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Classification {
    /// Exit status 0 proves that a check passed. Implies `candidate`.
    pub accepted: bool,
    /// The line runs, or tries to run, a check.
    pub candidate: bool,
    /// Why.
    pub reason: Reason,
}

/// Why a line is accepted or not, with the words of the line it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// The stable name.
    pub code: ReasonCode,
    /// The words at fault, or the check's command; empty when it is the whole line.
    pub about: String,
    /// Where these words stand, when the phrase names them and the line has them in one piece.
    pub place: Option<ByteSpan>,
}

macro_rules! reason_codes {
    ($($name:ident $code:literal $before:literal $behind:literal,)*) => {
        /// The kinds of reason.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum ReasonCode {
            $(#[doc = concat!($before, $behind)] $name,)*
        }

        impl ReasonCode {
            /// Every code.
            pub const ALL: &[ReasonCode] = &[$(ReasonCode::$name,)*];

            /// Each code's name, and its phrase before and behind the words it is about.
            pub const TEXTS: &[[&str; 3]] = &[$([$code, $before, $behind],)*];

            fn texts(self) -> [&'static str; 3] {
                Self::TEXTS.get(self as usize).copied().unwrap_or_default()
            }
        }
    };
}

// The words it is about stand between the two halves of the sentence.
reason_codes! {
    Alternative "alternative" "`||` lets the line succeed when the check fails" "",
    Background "background" "a job in the background tells nothing about its end" "",
    Check "check" "exit status 0 of `" "` proves the check",
    Compound "compound" "`" "` decides by itself which exit status the line has",
    Environment "environment" "setting `" "` can change what the check does",
    HereDocument "here-document" "a script on standard input is not followed to its end" "",
    HiddenStatus "hidden-status" "`" "` has an exit status of its own, not the check's",
    MissingOption "missing-option" "without " "` proves nothing",
    Negated "negated" "`!` turns the exit status around" "",
    NoCheck "no-check" "nothing in the line is known to check anything" "",
    OtherCommand "other-command" "`" "` is neither a check nor known to be harmless",
    Pipe "pipe" "a pipe hides the exit status unless `set -o pipefail &&` stands before it" "",
    Redefined "redefined" "defining `" "` can replace the command that checks",
    Sequence "sequence" "only the last command of a sequence decides the exit status; join them with `&&`" "",
    Substitution "substitution" "a command substitution hides the exit status of what it runs" "",
    UnknownArgument "unknown-argument" "what `" "` stands for is only known when the line runs",
    Unreadable "unreadable" "the line does not parse as a shell line" "",
    WeakOption "weak-option" "with `" "` exit status 0 does not prove that a check passed",
}

impl ReasonCode {
    /// The code as it appears in JavaScript.
    pub fn as_str(self) -> &'static str {
        self.texts()[0]
    }
}

impl Reason {
    fn new(code: ReasonCode, about: &str) -> Self {
        Reason { code, about: about.to_owned(), place: None }
    }

    /// True when the phrase names the words it is about.
    pub fn names_words(&self) -> bool {
        let [_, _, behind] = self.code.texts();
        !behind.is_empty()
    }

    /// The reason as a phrase for a person.
    pub fn phrase(&self) -> String {
        let mut phrase = String::with_capacity(96);
        self.write_phrase(&mut phrase);
        phrase
    }

    /// Puts the phrase behind what is in `out`.
    pub fn write_phrase(&self, out: &mut String) {
        let [_, before, behind] = self.code.texts();
        out.push_str(before);
        if self.code == ReasonCode::MissingOption {
            let (tool, options) = self.about.split_once('\n').unwrap_or((&self.about, ""));
            for (index, option) in options.split(',').enumerate() {
                out.push_str(if index > 0 { " or `" } else { "`" });
                out.push_str(option.trim_end_matches('*'));
                out.push('`');
            }
            out.push_str(" the exit status of `");
            out.push_str(tool);
        } else if !behind.is_empty() {
            out.push_str(&self.about);
        }
        out.push_str(behind);
    }
}

/// What a word is to its line; JavaScript has the names in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Everything a command is given that is nothing below.
    Argument,
    /// `NAME=value` before a command.
    Assignment,
    /// `!`, `time`, `if`, `(`, `{` and the like.
    Keyword,
    /// `&&`, `|`, `;` and the like.
    Operator,
    /// A word that starts with a dash.
    Option,
    /// Where input or output goes.
    Redirection,
    /// What a tool is told to do.
    Subcommand,
    /// The name of a script, target or recipe.
    Task,
    /// The command itself.
    Tool,
    /// A command that runs the command behind it.
    Wrapper,
}

/// One word of a line and what it is to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExplainedWord {
    /// Where it stands.
    pub span: ByteSpan,
    /// What it is.
    pub role: Role,
    /// True for the words that decide the answer: the check's own, or the one that spoils it.
    pub decides: bool,
}

/// True when the line runs, or tries to run, a check: [`Classification::candidate`].
pub fn is_verification_command(command: &str) -> bool {
    classify_verification_command(command).candidate
}

/// What the line is worth as evidence.
///
/// Bounds: [`crate::limits::MAX_COMMAND_BYTES`], [`MAX_COMMAND_NESTING`]; a longer or deeper line is
/// [`ReasonCode::Unreadable`]. Source: contract, section 3.
pub fn classify_verification_command(command: &str) -> Classification {
    Reader::new(false).line(command).0
}

/// The same answer, with the words of the line in text order. A line that does not parse has none.
pub fn explain_command(command: &str) -> (Classification, Vec<ExplainedWord>) {
    Reader::new(true).line(command)
}

/// What a part of a line amounts to.
#[derive(Debug, Clone, Default)]
struct Outcome {
    /// A check whose exit status is the part's.
    proof: Option<Found>,
    /// A check runs here, whatever its status is worth.
    candidate: bool,
    /// The first thing that spoils the proof.
    blocker: Option<(Reason, ByteSpan)>,
}

#[derive(Debug, Clone)]
struct Found {
    about: String,
    span: ByteSpan,
}

impl Outcome {
    fn harmless() -> Self {
        Outcome::default()
    }

    fn blocked(code: ReasonCode, about: &str, span: ByteSpan) -> Self {
        Outcome { blocker: Some((Reason::new(code, about), span)), ..Outcome::default() }
    }

    fn weak(code: ReasonCode, about: &str, span: ByteSpan) -> Self {
        Outcome { candidate: true, ..Outcome::blocked(code, about, span) }
    }

    fn check(about: String, span: ByteSpan) -> Self {
        Outcome { proof: Some(Found { about, span }), candidate: true, blocker: None }
    }

    /// Both ran, and both had to succeed.
    fn and(&mut self, other: Outcome) {
        self.candidate |= other.candidate;
        self.proof = self.proof.take().or(other.proof);
        self.blocker = self.blocker.take().or(other.blocker);
    }

    fn block(&mut self, code: ReasonCode, about: &str, span: ByteSpan) {
        if self.blocker.is_none() {
            self.blocker = Some((Reason::new(code, about), span));
        }
    }
}

/// Goes through one line. Lines inside it (`sh -c '...'`) are read by the same reader, muted.
struct Reader {
    tables: &'static Tables,
    words: Option<Vec<ExplainedWord>>,
    muted: usize,
    depth: usize,
    /// A pipe has the exit status of its first failure.
    pipefail: bool,
    /// `CI` is set, which turns watching test runners into one-shot ones.
    ci: bool,
}

impl Reader {
    fn new(explains: bool) -> Self {
        Reader {
            tables: tables(),
            words: explains.then(Vec::new),
            muted: 0,
            depth: 0,
            pipefail: false,
            ci: false,
        }
    }

    fn line(mut self, command: &str) -> (Classification, Vec<ExplainedWord>) {
        let mut offset = 0;
        let read = read_line(command).or_else(|unreadable| {
            // PowerShell calls a command with `& `, which begins no shell line.
            let called = command.trim_start().strip_prefix("& ").ok_or(unreadable)?;
            offset = command.len() - called.len();
            read_line(called)
        });
        let Ok(line) = read else {
            let candidate = self.plainly_checks(command);
            let reason = Reason::new(ReasonCode::Unreadable, "");
            return (Classification { accepted: false, candidate, reason }, Vec::new());
        };
        let outcome = self.list(&line.list, &line);
        let mut words = self.words.unwrap_or_default();
        // What was found out about a word last is what it is.
        words.reverse();
        sort_by(&mut words, |one, other| one.span.cmp(&other.span));
        words.dedup_by_key(|word| word.span);
        let (mut classification, span) = match outcome {
            Outcome { proof: Some(found), blocker: None, .. } => {
                let reason = Reason { code: ReasonCode::Check, about: found.about, place: None };
                (Classification { accepted: true, candidate: true, reason }, found.span)
            }
            Outcome { candidate: true, blocker: Some((reason, span)), .. } => {
                (Classification { accepted: false, candidate: true, reason }, span)
            }
            Outcome { blocker: Some((reason, span)), .. } if reason.code == ReasonCode::Background => {
                (Classification { accepted: false, candidate: false, reason }, span)
            }
            _ => {
                let reason = Reason::new(ReasonCode::NoCheck, "");
                (Classification { accepted: false, candidate: false, reason }, ByteSpan::default())
            }
        };
        let place = ByteSpan::new(span.start + offset, span.end + offset);
        let reason = &mut classification.reason;
        reason.place = (reason.names_words() && place.of(command) == reason.about).then_some(place);
        for word in &mut words {
            word.decides = span.start <= word.span.start && word.span.end <= span.end;
            word.span = ByteSpan::new(word.span.start + offset, word.span.end + offset);
        }
        (classification, words)
    }

    /// The plain words that an unreadable line begins with are a check.
    fn plainly_checks(&mut self, command: &str) -> bool {
        self.words = None;
        let is_plain = |character: char| {
            character.is_alphanumeric()
                || matches!(character, ' ' | '\t' | '-' | '_' | '.' | '/' | ':' | '=' | ',' | '@' | '+')
        };
        let plain = command.split(|character| !is_plain(character)).next().unwrap_or("");
        // The last word is cut short unless what follows ends a word.
        let follows = command.get(plain.len()..).and_then(|rest| rest.chars().next());
        let cut = follows.is_some_and(|character| !" \t\r\n;&|<>()".contains(character));
        let whole = if cut { plain.rsplit_once([' ', '\t']).map_or("", |(before, _)| before) } else { plain };
        read_line(whole).is_ok_and(|line| self.list(&line.list, &line).candidate)
    }

    fn mark(&mut self, span: ByteSpan, role: Role) {
        if self.muted == 0
            && span.start < span.end
            && let Some(words) = &mut self.words
        {
            words.push(ExplainedWord { span, role, decides: false });
        }
    }

    // ---- lists --------------------------------------------------------------------------------

    fn list(&mut self, list: &List<'_>, line: &Line<'_>) -> Outcome {
        let mut whole = Outcome::harmless();
        for (index, item) in list.items.iter().enumerate() {
            let mut outcome = self.item(item, line);
            self.mark(item.connector_span, Role::Operator);
            let is_last = index + 1 == list.items.len();
            match item.connector {
                Connector::And | Connector::End => {}
                Connector::Newline if is_last => {}
                Connector::Or => outcome.block(ReasonCode::Alternative, "||", item.connector_span),
                Connector::Semicolon | Connector::Newline => {
                    outcome.block(ReasonCode::Sequence, ";", item.connector_span);
                }
                Connector::Background => {
                    outcome = Outcome::blocked(ReasonCode::Background, "&", item.connector_span);
                }
            }
            whole.and(outcome);
        }
        whole
    }

    fn item(&mut self, item: &Item<'_>, line: &Line<'_>) -> Outcome {
        for prefix in &item.prefixes {
            self.mark(prefix.span, Role::Keyword);
        }
        for pipe in &item.pipes {
            self.mark(*pipe, Role::Operator);
        }
        let mut whole = Outcome::harmless();
        for command in &item.commands {
            whole.and(self.command(command, line));
        }
        if let Some(negation) = item.prefixes.iter().find(|prefix| prefix.negates) {
            whole.block(ReasonCode::Negated, "!", negation.span);
        }
        if let Some(pipe) = item.pipes.first().filter(|_| !self.pipefail) {
            whole.block(ReasonCode::Pipe, "|", *pipe);
        }
        whole
    }

    fn command(&mut self, command: &Command<'_>, line: &Line<'_>) -> Outcome {
        match command {
            Command::Simple(simple) => self.simple(simple, line),
            Command::Group { list, opening } => {
                self.mark(*opening, Role::Keyword);
                self.group(list, *opening, line)
            }
            Command::Condition { span } => {
                self.mark(*span, Role::Keyword);
                Outcome::harmless()
            }
            Command::Compound { lists, name, keyword } => {
                self.mark(*keyword, Role::Keyword);
                let mut whole = Outcome::blocked(ReasonCode::Compound, name, *keyword);
                for list in lists {
                    whole.and(self.list(list, line));
                }
                whole
            }
            Command::Function { name, span } => {
                self.mark(*span, Role::Keyword);
                Outcome::blocked(ReasonCode::Redefined, name, *span)
            }
        }
    }

    /// `( list )` or `{ list; }`: the closing brace needs the `;` before it.
    fn group(&mut self, list: &List<'_>, opening: ByteSpan, line: &Line<'_>) -> Outcome {
        let pipefail = self.pipefail;
        let mut outcome = self.list(list, line);
        self.pipefail = pipefail;
        let ends_in_semicolon = list.items.last().is_some_and(|item| item.connector == Connector::Semicolon);
        let only_that = list.items.split_last().is_some_and(|(last, before)| {
            outcome.blocker.as_ref().is_some_and(|(reason, span)| {
                reason.code == ReasonCode::Sequence && *span == last.connector_span
            }) && before.iter().all(|item| item.connector == Connector::And)
        });
        if ends_in_semicolon && only_that && opening.end > opening.start {
            outcome.blocker = None;
        }
        outcome
    }

    // ---- simple commands ----------------------------------------------------------------------

    fn simple(&mut self, simple: &Simple<'_>, line: &Line<'_>) -> Outcome {
        let mut whole = Outcome::harmless();
        let ci = self.ci;
        for word in &simple.assignments {
            self.mark(word.span, Role::Assignment);
            whole.and(self.assignment(word));
            self.inside(word, line, &mut whole);
        }
        for redirection in &simple.redirections {
            self.mark(redirection.span, Role::Redirection);
            self.inside(&redirection.target, line, &mut whole);
        }
        for word in &simple.words {
            self.mark(word.span, Role::Argument);
            self.inside(word, line, &mut whole);
        }
        if simple.words.is_empty() {
            if let Some(redirection) = simple.redirections.first() {
                whole.block(ReasonCode::OtherCommand, "a redirection alone", redirection.span);
            }
            return whole;
        }
        let input =
            simple.redirections.iter().rev().find(|redirection| redirection.input != Input::Elsewhere);
        whole.and(self.words(&simple.words, input.map(|input| (input, line))));
        if !simple.assignments.is_empty() {
            self.ci = ci;
        }
        whole
    }

    /// `NAME=value`.
    fn assignment(&mut self, word: &Word<'_>) -> Outcome {
        let Some((name, value)) = cut_at(&word.text, b'=') else { return Outcome::harmless() };
        if name == "CI" {
            self.ci = !matches!(value, "" | "0" | "false");
        }
        if self.tables.subverts(name, value) {
            return Outcome::blocked(ReasonCode::Environment, name, word.span);
        }
        Outcome::harmless()
    }

    /// What runs inside a word: its status is lost.
    fn inside(&mut self, word: &Word<'_>, line: &Line<'_>, whole: &mut Outcome) {
        for expansion in &word.expansions {
            self.muted += 1;
            let mut outcome = match expansion {
                Expansion::Value(_) => Outcome::harmless(),
                Expansion::Commands(list) => self.list(list, line),
                Expansion::Backquoted(text) => self.nested(text),
            };
            self.muted -= 1;
            if outcome.candidate {
                outcome.blocker = None;
                outcome.block(ReasonCode::Substitution, "", word.span);
            }
            outcome.proof = None;
            if let Some((_, span)) = &mut outcome.blocker {
                *span = word.span;
            }
            whole.and(outcome);
        }
    }

    /// A shell line inside the line.
    fn nested(&mut self, text: &str) -> Outcome {
        if self.depth >= MAX_COMMAND_NESTING {
            return Outcome::blocked(ReasonCode::Unreadable, "", ByteSpan::default());
        }
        let Ok(line) = read_line(text) else {
            return Outcome::blocked(ReasonCode::Unreadable, "", ByteSpan::default());
        };
        self.depth += 1;
        self.muted += 1;
        let outcome = self.list(&line.list, &line);
        self.muted -= 1;
        self.depth -= 1;
        outcome
    }

    fn words(&mut self, words: &[Word<'_>], input: Option<(&Redirection<'_>, &Line<'_>)>) -> Outcome {
        let Some((first, rest)) = words.split_first() else { return Outcome::harmless() };
        if self.depth >= MAX_COMMAND_NESTING {
            return Outcome::blocked(ReasonCode::Unreadable, "", first.span);
        }
        self.mark(first.span, Role::Tool);
        if !first.expansions.is_empty() {
            return Outcome::blocked(ReasonCode::UnknownArgument, &first.text, first.span);
        }
        let Some((name, entries)) = self.known_tool(first) else {
            return Outcome::blocked(ReasonCode::OtherCommand, &first.text, first.span);
        };
        self.depth += 1;
        let outcome = Call::new(self, name, first, rest, entries).outcome(input);
        self.depth -= 1;
        outcome
    }

    /// The tables' name and entries of a command as it is written: without directory, version and the
    /// extensions of Windows and of scripts. `None` for a program that only shares the name.
    fn known_tool<'w>(&self, word: &'w Word<'_>) -> Option<(&'w str, Entries)> {
        // A shell takes the backslashes out of a Windows path, where they were no escapes.
        let is_windows = word.written.as_bytes().contains(&b'\\');
        let written =
            if is_windows && !word.written.contains(['"', '\'']) { word.written } else { &word.text };
        let is_separator = |byte: &u8| *byte == b'/' || (is_windows && *byte == b'\\');
        let place = written.as_bytes().iter().rposition(is_separator);
        let whole = written.get(place.map_or(0, |place| place + 1)..).unwrap_or("");
        let base = cut_at(whole, b'@').map_or(whole, |(before, _)| before);
        let known = |name| Some((name, self.tables.tool(name)?));
        let (name, entries) = known(base).or_else(|| {
            let without = |extensions: &[&str]| extensions.iter().find_map(|end| base.strip_suffix(end));
            let program = without(&[".exe", ".cmd", ".bat", ".ps1"]).unwrap_or(base);
            let is_version = |character: char| character.is_ascii_digit() || matches!(character, '.' | '-');
            let script = || without(&[".js", ".mjs", ".cjs"]).and_then(known);
            known(program).or_else(|| known(program.trim_end_matches(is_version))).or_else(script)
        })?;
        let Some(place) = place else { return Some((name, entries)) };
        let directory = written.get(..place).unwrap_or("");
        let last = directory.as_bytes().rsplit(is_separator).next().unwrap_or_default();
        // `./test` is a script of the project, whatever it does; `.venv/bin/pytest` is pytest.
        let is_the_tool = matches!(last, b"bin" | b".bin" | b"sbin" | b"Scripts")
            || matches!(name, "gradlew" | "mvnw" | "manage.py")
            || written.contains('@');
        is_the_tool.then_some((name, entries))
    }
}
