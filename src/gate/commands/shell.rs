//! Reads a shell line as a POSIX shell and bash do: quotes, expansions, lists, pipelines, groups,
//! compound commands, redirections and here-documents.
//!
//! Nothing is expanded or run. Words come with their quotes taken off and with their place in the
//! text. The reader goes over the text once; nesting is bounded by [`MAX_COMMAND_NESTING`], and so
//! is its stack. What bash would refuse, or what is nested deeper, is [`Unreadable`].

use crate::limits::{MAX_COMMAND_BYTES, MAX_COMMAND_NESTING};
use crate::text::{ByteSpan, cut_at};
use std::borrow::Cow;

/// The text is no complete shell line, or passes a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unreadable;

type Reading<T> = Result<T, Unreadable>;

/// A whole line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line<'t> {
    /// Its pipelines.
    pub list: List<'t>,
    /// The bodies of its here-documents, in the order they were announced.
    pub here_documents: Vec<&'t str>,
}

/// Pipelines in order, each with what follows it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct List<'t> {
    /// The pipelines.
    pub items: Vec<Item<'t>>,
}

/// One pipeline of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item<'t> {
    /// The commands between the pipe signs.
    pub commands: Vec<Command<'t>>,
    /// `!` and `time` in front.
    pub prefixes: Vec<Prefix>,
    /// Where each pipe sign stands.
    pub pipes: Vec<ByteSpan>,
    /// What joins it to the next pipeline, or ends it.
    pub connector: Connector,
    /// Where the connector stands; empty at the end of the text.
    pub connector_span: ByteSpan,
}

/// A reserved word in front of a pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prefix {
    /// True for `!`, false for `time` and its option.
    pub negates: bool,
    /// Where it stands.
    pub span: ByteSpan,
}

/// What follows a pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Connector {
    /// `&&`
    And,
    /// `||`
    Or,
    /// `;`
    Semicolon,
    /// `&`
    Background,
    /// A line break.
    Newline,
    /// Nothing: the list ends.
    End,
}

/// One command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command<'t> {
    /// Words, with what is assigned before them.
    Simple(Simple<'t>),
    /// `( list )` or `{ list; }`.
    Group {
        /// What is inside.
        list: List<'t>,
        /// Where the opening sign stands.
        opening: ByteSpan,
    },
    /// `[[ ... ]]` or `(( ... ))`.
    Condition {
        /// The whole of it.
        span: ByteSpan,
    },
    /// `if`, `while`, `until`, `for`, `select`, `case`.
    Compound {
        /// Every list inside, in text order.
        lists: Vec<List<'t>>,
        /// The keyword.
        name: &'t str,
        /// Where the keyword stands.
        keyword: ByteSpan,
    },
    /// A function: its body runs only when it is called.
    Function {
        /// Its name.
        name: &'t str,
        /// Where the name stands.
        span: ByteSpan,
    },
}

/// A simple command.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Simple<'t> {
    /// `NAME=value` words in front.
    pub assignments: Vec<Word<'t>>,
    /// The command and its arguments.
    pub words: Vec<Word<'t>>,
    /// Where input and output go.
    pub redirections: Vec<Redirection<'t>>,
}

/// One redirection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirection<'t> {
    /// From the descriptor to the end of the target.
    pub span: ByteSpan,
    /// The file, descriptor, delimiter or here-string.
    pub target: Word<'t>,
    /// What kind of input the command is given here, if any.
    pub input: Input,
}

/// Text that a line feeds to a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// None: a file or a descriptor.
    Elsewhere,
    /// `<<`: the body of this number in [`Line::here_documents`].
    HereDocument(usize),
    /// `<<<`: the target itself.
    HereString,
}

/// One word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word<'t> {
    /// The word without its quotes; expansions as they are written.
    pub text: Cow<'t, str>,
    /// The word as it is written.
    pub written: &'t str,
    /// Where it stands.
    pub span: ByteSpan,
    /// What is only known when the line runs.
    pub expansions: Vec<Expansion<'t>>,
    /// True when an expansion stands outside double quotes, so that it may become several words.
    pub splits: bool,
}

/// A part of a word that the shell replaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expansion<'t> {
    /// `$NAME`, `${NAME...}` or `$((...))`, as written.
    Value(&'t str),
    /// `$(...)`, `<(...)` or `>(...)`: what runs inside.
    Commands(List<'t>),
    /// `` `...` ``: the text that runs inside.
    Backquoted(String),
}

/// Reads `text` as one shell line; line breaks may be in it.
///
/// Bounds: [`MAX_COMMAND_BYTES`], [`MAX_COMMAND_NESTING`].
pub fn read_line(text: &str) -> Result<Line<'_>, Unreadable> {
    if text.len() > MAX_COMMAND_BYTES {
        return Err(Unreadable);
    }
    let mut reader = Reader {
        text,
        bytes: text.as_bytes(),
        at: 0,
        depth: 0,
        announced: Vec::new(),
        here_documents: Vec::new(),
        open_arithmetic: false,
    };
    let list = reader.list(&[])?;
    if reader.at < text.len() {
        return Err(Unreadable);
    }
    // A shell warns about a here-document that never began and takes it as empty.
    let mut here_documents = reader.here_documents;
    here_documents.resize(reader.announced.len(), "");
    Ok(Line { list, here_documents })
}

/// A here-document whose body is still to come.
struct Announced {
    delimiter: String,
    literal: bool,
    strips_tabs: bool,
}

struct Reader<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    depth: usize,
    announced: Vec<Announced>,
    here_documents: Vec<&'t str>,
    /// One `((` was looked through to the end of the text in vain: a second is not looked for.
    open_arithmetic: bool,
}

/// Reserved words that end or divide a compound command.
const CLOSERS: &[&str] = &["}", "do", "done", "elif", "else", "esac", "fi", "then"];

/// Bytes that end a word unless they are quoted.
const fn ends_word(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'|' | b'&' | b';' | b'(' | b')' | b'<' | b'>')
}

/// Bytes that a word cannot take as they are.
const fn is_special(byte: u8) -> bool {
    ends_word(byte) || matches!(byte, b'\r' | b'\'' | b'"' | b'\\' | b'$' | b'`')
}

/// The bytes that reserved words begin with, and the length of the longest.
const RESERVED: (&[u8], usize) = (b"!-[]cdefistuw{}", 8);

/// True for `NAME=`, `NAME+=` and `NAME[...]=` at the start of `text`.
fn is_assignment(text: &str) -> bool {
    let Some((name, _)) = cut_at(text, b'=') else { return false };
    let name = name.strip_suffix('+').unwrap_or(name);
    let name = cut_at(name, b'[').map_or(name, |(array, _)| array);
    is_name(name)
}

fn is_name(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && text.bytes().next().is_some_and(|first| !first.is_ascii_digit())
}

/// A text that stays a slice of the line as long as nothing has to be taken out of it.
struct Pieces<'t> {
    line: &'t str,
    start: usize,
    end: usize,
    owned: Option<String>,
}

impl<'t> Pieces<'t> {
    fn new(line: &'t str, at: usize) -> Self {
        Pieces { line, start: at, end: at, owned: None }
    }

    fn push(&mut self, start: usize, end: usize) {
        if start >= end {
            return;
        }
        if self.owned.is_none() {
            if self.start == self.end {
                (self.start, self.end) = (start, end);
                return;
            }
            if self.end == start {
                self.end = end;
                return;
            }
        }
        let piece = self.line.get(start..end).unwrap_or("");
        self.own().push_str(piece);
    }

    fn own(&mut self) -> &mut String {
        let so_far = self.line.get(self.start..self.end).unwrap_or("");
        self.owned.get_or_insert_with(|| so_far.to_owned())
    }

    fn finish(self) -> Cow<'t, str> {
        match self.owned {
            Some(owned) => Cow::Owned(owned),
            None => Cow::Borrowed(self.line.get(self.start..self.end).unwrap_or("")),
        }
    }
}

impl<'t> Reader<'t> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn peek_at(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn rest(&self) -> &'t [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    fn next_is(&self, sign: &str) -> bool {
        self.rest().starts_with(sign.as_bytes())
    }

    fn span_from(&self, start: usize) -> ByteSpan {
        ByteSpan::new(start, self.at)
    }

    fn expect(&mut self, byte: u8) -> Reading<()> {
        if self.peek() != Some(byte) {
            return Err(Unreadable);
        }
        self.at += 1;
        Ok(())
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Reading<T>) -> Reading<T> {
        if self.depth >= MAX_COMMAND_NESTING {
            return Err(Unreadable);
        }
        self.depth += 1;
        let outcome = read(self);
        self.depth -= 1;
        outcome
    }

    // ---- space --------------------------------------------------------------------------------

    /// True at a carriage return that belongs to a line break or to the end of the text.
    fn at_carriage_return(&self) -> bool {
        self.peek() == Some(b'\r') && matches!(self.peek_at(1), Some(b'\n') | None)
    }

    /// Skips blanks, escaped line breaks and comments.
    fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.at += 1,
                Some(b'\r') if self.at_carriage_return() => self.at += 1,
                Some(b'\\') if self.next_is("\\\n") => self.at += 2,
                Some(b'\\') if self.next_is("\\\r\n") => self.at += 3,
                Some(b'#') => self.at += memchr::memchr(b'\n', self.rest()).unwrap_or(self.rest().len()),
                _ => return,
            }
        }
    }

    /// Skips blanks and line breaks.
    fn skip_space(&mut self) {
        self.skip_blanks();
        while self.peek() == Some(b'\n') {
            self.line_break();
            self.skip_blanks();
        }
    }

    /// Takes a line break and the bodies of the here-documents that the line announced.
    fn line_break(&mut self) {
        self.at += 1;
        while self.here_documents.len() < self.announced.len() {
            let body = self.here_document();
            self.here_documents.push(body);
        }
    }

    /// The lines up to the delimiter, or to the end of the text.
    fn here_document(&mut self) -> &'t str {
        let start = self.at;
        let Some(document) = self.announced.get(self.here_documents.len()) else { return "" };
        let mut goes_on = false;
        while self.at < self.bytes.len() {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let mut line = self.text.get(self.at..self.at + length).unwrap_or("");
            let before = self.at;
            self.at = (self.at + length + 1).min(self.bytes.len());
            line = line.strip_suffix('\r').unwrap_or(line);
            let escapes = line.bytes().rev().take_while(|&byte| byte == b'\\').count();
            if document.strips_tabs {
                line = line.trim_start_matches('\t');
            }
            if !goes_on && line == document.delimiter {
                return self.text.get(start..before).unwrap_or("");
            }
            goes_on = !document.literal && escapes % 2 == 1;
        }
        self.text.get(start..self.at).unwrap_or("")
    }

    // ---- lists --------------------------------------------------------------------------------

    /// The word at the reader, when it is plain and may be a reserved one; else nothing.
    fn plain_word(&self) -> &'t str {
        let rest = self.rest();
        if !rest.first().is_some_and(|first| RESERVED.0.contains(first)) {
            return "";
        }
        let Some(length) = rest.iter().take(RESERVED.1 + 1).position(|&byte| is_special(byte)) else {
            return if rest.len() <= RESERVED.1 { self.text.get(self.at..).unwrap_or("") } else { "" };
        };
        let ends = rest.get(length).is_some_and(|&byte| ends_word(byte) || byte == b'\r');
        if ends { self.text.get(self.at..self.at + length).unwrap_or("") } else { "" }
    }

    /// Pipelines up to the end of the text, `)`, `;;` or one of the reserved words `stops`.
    fn list(&mut self, stops: &[&str]) -> Reading<List<'t>> {
        let mut items: Vec<Item<'t>> = Vec::new();
        loop {
            self.skip_space();
            let ends = match self.peek() {
                None | Some(b')') => true,
                Some(b';') => self.next_is(";;") || self.next_is(";&"),
                Some(_) => {
                    let word = self.plain_word();
                    let closes = !word.is_empty() && CLOSERS.contains(&word);
                    if closes && !stops.contains(&word) {
                        return Err(Unreadable);
                    }
                    closes
                }
            };
            if ends {
                let dangles = |item: &Item<'_>| matches!(item.connector, Connector::And | Connector::Or);
                return if items.last().is_some_and(dangles) { Err(Unreadable) } else { Ok(List { items }) };
            }
            let mut item = self.pipeline()?;
            let start = self.at;
            item.connector = match self.peek() {
                Some(b'&') if self.next_is("&&") => self.take(2, Connector::And),
                Some(b'|') if self.next_is("||") => self.take(2, Connector::Or),
                Some(b'&') => self.take(1, Connector::Background),
                Some(b';') if self.next_is(";;") || self.next_is(";&") => Connector::End,
                Some(b';') => self.take(1, Connector::Semicolon),
                Some(b'\n') => {
                    self.line_break();
                    Connector::Newline
                }
                None | Some(b')') => Connector::End,
                Some(_) => return Err(Unreadable),
            };
            item.connector_span = match item.connector {
                Connector::Newline => ByteSpan::new(start, start + 1),
                _ => self.span_from(start),
            };
            items.push(item);
        }
    }

    fn take<T>(&mut self, bytes: usize, value: T) -> T {
        self.at += bytes;
        value
    }

    fn pipeline(&mut self) -> Reading<Item<'t>> {
        let mut item = Item {
            commands: Vec::with_capacity(1),
            prefixes: Vec::new(),
            pipes: Vec::new(),
            connector: Connector::End,
            connector_span: ByteSpan::new(self.at, self.at),
        };
        loop {
            let word = self.plain_word();
            let timed = item.prefixes.last().is_some_and(|prefix| !prefix.negates);
            if word != "!" && word != "time" && !(timed && (word == "-p" || word == "--")) {
                break;
            }
            let start = self.at;
            self.at += word.len();
            item.prefixes.push(Prefix { negates: word == "!", span: self.span_from(start) });
            self.skip_blanks();
        }
        // `!` and `time` may stand alone.
        if !item.prefixes.is_empty() && matches!(self.peek(), None | Some(b'\n' | b';' | b')')) {
            item.commands.push(Command::Simple(Simple::default()));
            return Ok(item);
        }
        loop {
            let command = self.command()?;
            item.commands.push(command);
            self.skip_blanks();
            let start = self.at;
            if self.next_is("|&") {
                self.at += 2;
            } else if self.peek() == Some(b'|') && !self.next_is("||") {
                self.at += 1;
            } else {
                return Ok(item);
            }
            item.pipes.push(self.span_from(start));
            self.skip_space();
            if self.plain_word() == "!" {
                return Err(Unreadable);
            }
        }
    }

    fn command(&mut self) -> Reading<Command<'t>> {
        let start = self.at;
        if self.peek() == Some(b'(') {
            if self.next_is("((")
                && let Some(end) = self.arithmetic_end(self.at + 2)?
            {
                self.at = end;
                let span = self.span_from(start);
                self.trailing_redirections()?;
                return Ok(Command::Condition { span });
            }
            self.at += 1;
            let list = self.deeper(|reader| reader.list(&[]))?;
            self.expect(b')')?;
            self.trailing_redirections()?;
            return Self::group(list, ByteSpan::new(start, start + 1));
        }
        let word = self.plain_word();
        match word {
            "{" => {
                self.at += 1;
                let list = self.deeper(|reader| reader.list(&["}"]))?;
                self.expect(b'}')?;
                self.trailing_redirections()?;
                Self::group(list, ByteSpan::new(start, start + 1))
            }
            "[[" => {
                self.condition()?;
                let span = self.span_from(start);
                self.trailing_redirections()?;
                Ok(Command::Condition { span })
            }
            "if" | "while" | "until" | "for" | "select" | "case" => {
                self.at += word.len();
                let keyword = self.span_from(start);
                let lists = self.deeper(|reader| match word {
                    "if" => reader.branches(),
                    "case" => reader.case(),
                    "for" | "select" => reader.iteration(),
                    _ => reader.repetition(),
                })?;
                self.trailing_redirections()?;
                Ok(Command::Compound { lists, name: word, keyword })
            }
            "function" => {
                self.at += word.len();
                self.skip_blanks();
                let name = self.word()?.ok_or(Unreadable)?;
                self.function(name.written, start)
            }
            "coproc" => Err(Unreadable),
            _ => self.simple(),
        }
    }

    fn group(list: List<'t>, opening: ByteSpan) -> Reading<Command<'t>> {
        if list.items.is_empty() { Err(Unreadable) } else { Ok(Command::Group { list, opening }) }
    }

    /// Takes the reserved word `word`.
    fn reserved(&mut self, word: &str) -> Reading<()> {
        if self.plain_word() != word {
            return Err(Unreadable);
        }
        self.at += word.len();
        Ok(())
    }

    fn full_list(&mut self, stops: &[&str]) -> Reading<List<'t>> {
        let list = self.list(stops)?;
        if list.items.is_empty() { Err(Unreadable) } else { Ok(list) }
    }

    fn branches(&mut self) -> Reading<Vec<List<'t>>> {
        let mut lists = vec![self.full_list(&["then"])?];
        self.reserved("then")?;
        loop {
            lists.push(self.full_list(&["elif", "else", "fi"])?);
            let word = self.plain_word();
            self.at += word.len();
            match word {
                "elif" => {
                    lists.push(self.full_list(&["then"])?);
                    self.reserved("then")?;
                }
                "else" => {
                    lists.push(self.full_list(&["fi"])?);
                    self.reserved("fi")?;
                    return Ok(lists);
                }
                "fi" => return Ok(lists),
                _ => return Err(Unreadable),
            }
        }
    }

    fn repetition(&mut self) -> Reading<Vec<List<'t>>> {
        let condition = self.full_list(&["do"])?;
        Ok(vec![condition, self.body()?])
    }

    fn body(&mut self) -> Reading<List<'t>> {
        self.reserved("do")?;
        let list = self.full_list(&["done"])?;
        self.reserved("done")?;
        Ok(list)
    }

    fn iteration(&mut self) -> Reading<Vec<List<'t>>> {
        self.skip_blanks();
        if self.next_is("((") {
            let start = self.at;
            self.at = self.arithmetic_end(self.at + 2)?.ok_or(Unreadable)?;
            if self.bytes.get(start..self.at).unwrap_or_default().iter().filter(|&&byte| byte == b';').count()
                != 2
            {
                return Err(Unreadable);
            }
        } else {
            self.word()?.ok_or(Unreadable)?;
            self.skip_space();
            if self.plain_word() == "in" {
                self.at += 2;
                self.skip_blanks();
                while self.word()?.is_some() {
                    self.skip_blanks();
                }
            }
        }
        self.skip_blanks();
        if self.peek() == Some(b';') {
            self.at += 1;
        }
        self.skip_space();
        Ok(vec![self.body()?])
    }

    fn case(&mut self) -> Reading<Vec<List<'t>>> {
        let mut lists = Vec::new();
        self.skip_blanks();
        self.word()?.ok_or(Unreadable)?;
        self.skip_space();
        self.reserved("in")?;
        loop {
            self.skip_space();
            if self.plain_word() == "esac" {
                self.at += 4;
                return Ok(lists);
            }
            if self.peek() == Some(b'(') {
                self.at += 1;
            }
            loop {
                self.skip_blanks();
                self.word()?.ok_or(Unreadable)?;
                self.skip_blanks();
                if self.peek() != Some(b'|') {
                    break;
                }
                self.at += 1;
            }
            self.expect(b')')?;
            lists.push(self.list(&["esac"])?);
            match () {
                () if self.next_is(";;&") => self.at += 3,
                () if self.next_is(";;") || self.next_is(";&") => self.at += 2,
                () if self.plain_word() == "esac" => {}
                () => return Err(Unreadable),
            }
        }
    }

    /// `[[ ... ]]`, from the opening on.
    fn condition(&mut self) -> Reading<()> {
        self.at += 2;
        loop {
            self.skip_space();
            if self.plain_word() == "]]" {
                self.at += 2;
                return Ok(());
            }
            if self.word()?.is_none() {
                match self.peek() {
                    Some(b'&' | b'|' | b'(' | b')' | b'<' | b'>') => self.at += 1,
                    _ => return Err(Unreadable),
                }
            }
        }
    }

    /// What follows a function's name: `()` and the body.
    fn function(&mut self, name: &'t str, start: usize) -> Reading<Command<'t>> {
        let span = self.span_from(start);
        self.skip_blanks();
        if self.peek() == Some(b'(') {
            self.at += 1;
            self.skip_blanks();
            self.expect(b')')?;
        }
        self.skip_space();
        match self.deeper(Self::command)? {
            Command::Simple(_) | Command::Function { .. } => Err(Unreadable),
            _ => Ok(Command::Function { name, span }),
        }
    }

    // ---- simple commands ----------------------------------------------------------------------

    fn simple(&mut self) -> Reading<Command<'t>> {
        let start = self.at;
        let mut simple = Simple { words: Vec::with_capacity(8), ..Simple::default() };
        loop {
            self.skip_blanks();
            if let Some(redirection) = self.redirection()? {
                simple.redirections.push(redirection);
            } else if let Some(word) = self.word()? {
                if simple.words.is_empty() && is_assignment(word.written) {
                    simple.assignments.push(word);
                } else {
                    simple.words.push(word);
                }
            } else {
                break;
            }
        }
        if let [name] = simple.words.as_slice()
            && simple.assignments.is_empty()
            && simple.redirections.is_empty()
            && self.peek() == Some(b'(')
        {
            return self.function(name.written, start);
        }
        if simple.words.is_empty() && simple.assignments.is_empty() && simple.redirections.is_empty() {
            return Err(Unreadable);
        }
        Ok(Command::Simple(simple))
    }

    fn trailing_redirections(&mut self) -> Reading<()> {
        loop {
            self.skip_blanks();
            if self.redirection()?.is_none() {
                return Ok(());
            }
        }
    }

    fn redirection(&mut self) -> Reading<Option<Redirection<'t>>> {
        let start = self.at;
        let digits = self.rest().iter().take_while(|byte| byte.is_ascii_digit()).count();
        let sign = match self.peek_at(digits) {
            Some(b'<' | b'>') if self.peek_at(digits + 1) == Some(b'(') => return Ok(None),
            Some(b'<' | b'>') => digits,
            Some(b'&') if digits == 0 && self.peek_at(1) == Some(b'>') => 0,
            _ => return Ok(None),
        };
        self.at += sign;
        let signs = ["<<<", "<<-", "&>>", "<<", "<&", "<>", ">>", ">&", ">|", "&>", "<", ">"];
        let sign = signs.into_iter().find(|sign| self.next_is(sign)).ok_or(Unreadable)?;
        self.at += sign.len();
        self.skip_blanks();
        let target = self.word()?.ok_or(Unreadable)?;
        if is_assignment(target.written) && target.written.contains("=(") {
            return Err(Unreadable);
        }
        let input = match sign {
            "<<" | "<<-" => {
                self.announced.push(Announced {
                    literal: target.written.contains(['\'', '"', '\\']),
                    strips_tabs: sign == "<<-",
                    delimiter: target.text.clone().into_owned(),
                });
                Input::HereDocument(self.announced.len() - 1)
            }
            "<<<" => Input::HereString,
            _ => Input::Elsewhere,
        };
        Ok(Some(Redirection { span: self.span_from(start), target, input }))
    }

    // ---- words --------------------------------------------------------------------------------

    /// To the next byte that means something.
    fn skip_plain(&mut self) {
        let rest = self.rest();
        self.at += rest.iter().position(|&byte| is_special(byte)).unwrap_or(rest.len());
    }

    fn word(&mut self) -> Reading<Option<Word<'t>>> {
        let start = self.at;
        self.skip_plain();
        if matches!(self.peek(), None | Some(b' ' | b'\t' | b'\n' | b'&' | b'|' | b';' | b')')) {
            // Most words have no quotes in them.
            let span = self.span_from(start);
            let written = span.of(self.text);
            let word =
                Word { text: Cow::Borrowed(written), written, span, expansions: Vec::new(), splits: false };
            return Ok((start < self.at).then_some(word));
        }
        let mut pieces = Pieces::new(self.text, start);
        let mut expansions = Vec::new();
        let mut splits = false;
        pieces.push(start, self.at);
        loop {
            let run = self.at;
            self.skip_plain();
            pieces.push(run, self.at);
            match self.peek() {
                Some(b'\'') => {
                    let length = memchr::memchr(b'\'', self.bytes.get(self.at + 1..).unwrap_or_default());
                    let end = self.at + 1 + length.ok_or(Unreadable)?;
                    pieces.push(self.at + 1, end);
                    self.at = end + 1;
                }
                Some(b'"') => self.double_quoted(&mut pieces, &mut expansions)?,
                Some(b'\\') => self.escape(&mut pieces),
                Some(b'$') => {
                    let known = expansions.len();
                    self.dollar(&mut pieces, &mut expansions, false)?;
                    splits |= expansions.len() > known;
                }
                Some(b'`') => {
                    splits = true;
                    self.backquoted(&mut pieces, &mut expansions)?;
                }
                Some(b'<' | b'>') if self.peek_at(1) == Some(b'(') => {
                    self.substitution(2, &mut pieces, &mut expansions)?;
                }
                // `NAME=(...)` gives an array its elements.
                Some(b'(')
                    if is_assignment(self.text.get(start..self.at).unwrap_or(""))
                        && self.bytes.get(self.at - 1) == Some(&b'=') =>
                {
                    self.elements(&mut pieces, &mut expansions)?;
                }
                Some(b'\r') if !self.at_carriage_return() => {
                    pieces.push(self.at, self.at + 1);
                    self.at += 1;
                }
                _ => break,
            }
        }
        if self.at == start {
            return Ok(None);
        }
        let span = self.span_from(start);
        let written = span.of(self.text);
        Ok(Some(Word { text: pieces.finish(), written, span, expansions, splits }))
    }

    /// A backslash outside quotes.
    fn escape(&mut self, pieces: &mut Pieces<'t>) {
        if self.next_is("\\\n") {
            self.at += 2;
        } else if self.next_is("\\\r\n") {
            self.at += 3;
        } else if self.at + 1 >= self.bytes.len() {
            pieces.push(self.at, self.at + 1);
            self.at += 1;
        } else {
            self.character(pieces, 1);
        }
    }

    /// Skips `skipped` bytes and takes the character behind them as it is.
    fn character(&mut self, pieces: &mut Pieces<'t>, skipped: usize) {
        let from = self.at + skipped;
        let mut end = (from + 1).min(self.bytes.len());
        while !self.text.is_char_boundary(end) {
            end += 1;
        }
        pieces.push(from, end);
        self.at = end;
    }

    fn double_quoted(&mut self, pieces: &mut Pieces<'t>, expansions: &mut Vec<Expansion<'t>>) -> Reading<()> {
        self.at += 1;
        loop {
            let length = self.rest().iter().position(|byte| matches!(byte, b'"' | b'\\' | b'$' | b'`'));
            let end = self.at + length.ok_or(Unreadable)?;
            pieces.push(self.at, end);
            self.at = end;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => match self.peek_at(1) {
                    Some(b'$' | b'`' | b'"' | b'\\') => self.character(pieces, 1),
                    Some(b'\n') => self.at += 2,
                    _ => {
                        pieces.push(self.at, self.at + 1);
                        self.at += 1;
                    }
                },
                Some(b'$') => self.dollar(pieces, expansions, true)?,
                _ => self.backquoted(pieces, expansions)?,
            }
        }
    }

    fn dollar(
        &mut self,
        pieces: &mut Pieces<'t>,
        expansions: &mut Vec<Expansion<'t>>,
        quoted: bool,
    ) -> Reading<()> {
        let start = self.at;
        match self.peek_at(1) {
            Some(b'(') => {
                if self.peek_at(2) == Some(b'(')
                    && let Some(end) = self.arithmetic_end(self.at + 3)?
                {
                    self.at = end;
                } else {
                    return self.substitution(2, pieces, expansions);
                }
            }
            Some(b'{') => {
                self.at += 2;
                self.deeper(|reader| reader.parameter(expansions, quoted))?;
            }
            Some(b'\'') if !quoted => return self.ansi_quoted(pieces),
            Some(b'"') if !quoted => {
                self.at += 1;
                return self.double_quoted(pieces, expansions);
            }
            Some(byte) if byte.is_ascii_alphabetic() || byte == b'_' => {
                let name = self.bytes.get(self.at + 1..).unwrap_or_default();
                let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
                self.at += 1 + name.iter().take_while(is_part).count();
            }
            Some(b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!' | b'0'..=b'9') => self.at += 2,
            _ => {
                self.at += 1;
                pieces.push(start, self.at);
                return Ok(());
            }
        }
        pieces.push(start, self.at);
        expansions.push(Expansion::Value(self.text.get(start..self.at).unwrap_or("")));
        Ok(())
    }

    /// `${...}`, from behind the brace on.
    fn parameter(&mut self, expansions: &mut Vec<Expansion<'t>>, quoted: bool) -> Reading<()> {
        let mut unused = Pieces::new(self.text, self.at);
        loop {
            match self.peek().ok_or(Unreadable)? {
                b'}' => {
                    self.at += 1;
                    return Ok(());
                }
                b'\\' => self.character(&mut unused, 1),
                b'\'' if !quoted => {
                    let length = memchr::memchr(b'\'', self.bytes.get(self.at + 1..).unwrap_or_default());
                    self.at += 2 + length.ok_or(Unreadable)?;
                }
                b'"' => self.deeper(|reader| reader.double_quoted(&mut unused, expansions))?,
                b'$' => self.deeper(|reader| reader.dollar(&mut unused, expansions, quoted))?,
                b'`' => self.backquoted(&mut unused, expansions)?,
                _ => self.character(&mut unused, 0),
            }
        }
    }

    /// `$(...)`, `<(...)` or `>(...)`, whose opening has `opening` bytes.
    fn substitution(
        &mut self,
        opening: usize,
        pieces: &mut Pieces<'t>,
        expansions: &mut Vec<Expansion<'t>>,
    ) -> Reading<()> {
        let start = self.at;
        self.at += opening;
        let list = self.deeper(|reader| reader.list(&[]))?;
        self.expect(b')')?;
        pieces.push(start, self.at);
        expansions.push(Expansion::Commands(list));
        Ok(())
    }

    fn backquoted(&mut self, pieces: &mut Pieces<'t>, expansions: &mut Vec<Expansion<'t>>) -> Reading<()> {
        let start = self.at;
        self.at += 1;
        let mut inside = String::new();
        loop {
            let length = self.rest().iter().position(|byte| matches!(byte, b'`' | b'\\'));
            let end = self.at + length.ok_or(Unreadable)?;
            inside.push_str(self.text.get(self.at..end).unwrap_or(""));
            self.at = end + 1;
            if self.bytes.get(end) == Some(&b'`') {
                break;
            }
            if matches!(self.peek(), Some(b'`' | b'\\' | b'$')) {
                inside.push_str(self.text.get(self.at..self.at + 1).unwrap_or(""));
                self.at += 1;
            } else {
                inside.push('\\');
            }
        }
        pieces.push(start, self.at);
        expansions.push(Expansion::Backquoted(inside));
        Ok(())
    }

    /// `$'...'`: the escapes that can hide a word are decoded, rarer ones are [`Unreadable`].
    fn ansi_quoted(&mut self, pieces: &mut Pieces<'t>) -> Reading<()> {
        self.at += 2;
        loop {
            let length = self.rest().iter().position(|byte| matches!(byte, b'\'' | b'\\'));
            let end = self.at + length.ok_or(Unreadable)?;
            pieces.push(self.at, end);
            self.at = end + 1;
            if self.bytes.get(end) == Some(&b'\'') {
                return Ok(());
            }
            let decoded = match self.peek().ok_or(Unreadable)? {
                b'n' => '\n',
                b't' => '\t',
                b'r' => '\r',
                b'e' | b'E' => '\u{1b}',
                b'a' => '\u{7}',
                b'b' => '\u{8}',
                b'f' => '\u{c}',
                b'v' => '\u{b}',
                byte @ (b'\\' | b'\'' | b'"' | b'?') => char::from(byte),
                b'0'..=b'7' | b'x' | b'u' | b'U' | b'c' => return Err(Unreadable),
                // What is no escape stays as it is.
                _ => {
                    pieces.own().push('\\');
                    self.character(pieces, 0);
                    continue;
                }
            };
            pieces.own().push(decoded);
            self.at += 1;
        }
    }

    /// The elements of an array, from `(` on.
    fn elements(&mut self, pieces: &mut Pieces<'t>, expansions: &mut Vec<Expansion<'t>>) -> Reading<()> {
        let start = self.at;
        self.at += 1;
        loop {
            self.skip_space();
            match self.deeper(Self::word)? {
                Some(word) => expansions.extend(word.expansions),
                None => break,
            }
        }
        self.expect(b')')?;
        pieces.push(start, self.at);
        Ok(())
    }

    /// One past the `))` that closes the arithmetic whose inside starts at `from`; `None` when the
    /// parentheses do not close that way, so that it is a group in a group.
    fn arithmetic_end(&mut self, from: usize) -> Reading<Option<usize>> {
        if self.open_arithmetic {
            return Err(Unreadable);
        }
        let mut open = 0usize;
        let mut at = from;
        while let Some(&byte) = self.bytes.get(at) {
            at += 1;
            match byte {
                b'(' => open += 1,
                b')' if open > 0 => open -= 1,
                b')' if self.bytes.get(at) == Some(&b')') => return Ok(Some(at + 1)),
                b')' => return Ok(None),
                b'\\' => at += 1,
                b'"' | b'\'' | b'`' => {
                    // To behind the closing one; past the end of the text when there is none.
                    while self.bytes.get(at).is_some_and(|&inside| inside != byte) {
                        at += if byte != b'\'' && self.bytes.get(at) == Some(&b'\\') { 2 } else { 1 };
                    }
                    at += 1;
                }
                _ => {}
            }
        }
        self.open_arithmetic = true;
        Ok(None)
    }
}
