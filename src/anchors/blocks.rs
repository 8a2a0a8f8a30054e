//! A markdown document as the blocks of words a browser shows for it.
//!
//! [`Page`] is what every other file of this part reads: the text between block borders, the same
//! text folded for comparing, and the words with their place in the source.

use super::fold::fold_into;
use super::html::{self, Effect, Piece};
use crate::text::ByteSpan;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

/// What a block is to a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// A paragraph, a list item, a summary.
    Prose,
    /// A table cell.
    Cell,
    /// A heading.
    Heading,
    /// One line of a code block.
    Code,
}

/// What a browser lays out as one block; a line of it where white space is kept.
#[derive(Debug, Clone)]
pub(super) struct Block {
    pub kind: Kind,
    /// Its words, as indices into [`Page::words`].
    pub words: Range<usize>,
    /// Its text in [`Page::text`].
    pub text: ByteSpan,
    /// True for a footnote's text, which pages show at their end.
    pub footnote: bool,
    /// True when its source was more than plain characters.
    pub marked: bool,
}

/// What stands between a word and the one before it in its block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gap {
    /// Nothing: a border a reader knows, such as punctuation between Chinese clauses.
    None,
    /// White space.
    Space,
    /// A line break of the source, which some pages keep.
    Line,
    /// Something no search term may cross.
    Barrier,
}

/// A run of characters without white space, or a clause of a script that writes none.
#[derive(Debug, Clone)]
pub(super) struct Word {
    pub before: Gap,
    /// All of it, in [`Page::text`].
    pub text: ByteSpan,
    /// Without punctuation at its edges, in [`Page::text`]; empty when there is nothing else.
    pub core: ByteSpan,
    /// All of it, in [`Page::folded`].
    pub folded: ByteSpan,
    /// The core, in [`Page::folded`].
    pub folded_core: ByteSpan,
    /// Where it came from.
    pub source: ByteSpan,
    /// Inside a link.
    pub link: bool,
    /// Not to be trusted: carries an escape or left-over syntax, or something sticks to it.
    pub broken: bool,
    /// Letters and nothing else, two or more.
    pub ordinary: bool,
    /// How many words a reader counts: more than one in a script without spaces.
    pub weight: usize,
}

impl Word {
    /// True when the source has it as it is shown.
    pub fn is_verbatim(&self) -> bool {
        self.source.end - self.source.start == self.text.end - self.text.start
    }
}

/// A document as a page.
#[derive(Debug, Clone, Default)]
pub(super) struct Page {
    /// What a reader sees: white space collapsed, a line feed between blocks.
    pub text: String,
    /// The same folded, blocks kept apart by line feeds.
    pub folded: String,
    /// In the order of the page.
    pub blocks: Vec<Block>,
    /// In the order of the blocks.
    pub words: Vec<Word>,
}

impl Page {
    /// Reads markdown: CommonMark with GitHub's extensions and front matter.
    pub fn read(source: &str) -> Page {
        let mut reader = Reader::new(source);
        reader.run();
        reader.finish()
    }
}

/// The dialect.
fn dialect() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_GFM
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
        | Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS
}

struct Reader<'s> {
    source: &'s str,
    page: Page,
    kind: Kind,
    footnote: bool,
    marked: bool,
    /// First word of the block that is open.
    block_start: usize,
    gap: Gap,
    /// The word being collected, if any.
    open: Option<Open>,
    links: usize,
    code: bool,
    /// The next word sticks to something that is no text.
    sticks: bool,
    images: usize,
    metadata: bool,
    /// The element whose content is hidden, and how deep it is nested in itself.
    hidden: Option<(String, usize)>,
    /// Where the last closing tag of an element is, for those asked about.
    closings: Vec<(String, Option<usize>)>,
    cell: bool,
    heading: bool,
    preformatted: bool,
}

struct Open {
    text: usize,
    folded: usize,
    source: ByteSpan,
    /// Text bytes equal source bytes so far.
    verbatim: bool,
    /// Carries a character of a script written without spaces.
    unspaced: bool,
    broken: bool,
    code: bool,
    link: bool,
    before: Gap,
}

impl<'s> Reader<'s> {
    fn new(source: &'s str) -> Self {
        Reader {
            source,
            page: Page {
                text: String::with_capacity(source.len()),
                folded: String::with_capacity(source.len()),
                words: Vec::with_capacity(source.len() / 8),
                ..Page::default()
            },
            kind: Kind::Prose,
            footnote: false,
            marked: false,
            block_start: 0,
            gap: Gap::None,
            open: None,
            links: 0,
            code: false,
            sticks: false,
            images: 0,
            metadata: false,
            hidden: None,
            closings: Vec::new(),
            cell: false,
            heading: false,
            preformatted: false,
        }
    }

    fn run(&mut self) {
        let mut raw: Range<usize> = 0..0;
        let mut last_end = 0;
        for (event, range) in Parser::new_ext(self.source, dialect()).into_offset_iter() {
            if let Event::Html(_) = event {
                // Lines of one HTML block arrive one by one, but a tag may span them.
                if raw.end == range.start && !raw.is_empty() {
                    raw.end = range.end;
                } else {
                    self.raw_html(std::mem::replace(&mut raw, range.clone()));
                }
                continue;
            }
            if !raw.is_empty() {
                self.raw_html(std::mem::replace(&mut raw, 0..0));
            }
            match event {
                Event::Start(tag) => self.start(&tag),
                Event::End(tag) => self.end(&tag),
                Event::Text(text) => {
                    let escaped = last_end + 1 == range.start
                        && self.source.as_bytes().get(last_end) == Some(&b'\\')
                        && self.kind != Kind::Code;
                    if escaped {
                        self.marked = true;
                        self.stick();
                    }
                    self.text(&text, range.clone());
                    if escaped && let Some(open) = &mut self.open {
                        open.broken = true;
                    }
                }
                Event::Code(text) => {
                    self.marked = true;
                    self.code = true;
                    let inside = self.inside(&text, range.clone());
                    self.text(&text, inside);
                    self.code = false;
                }
                Event::InlineHtml(_) => self.raw_html(range.clone()),
                Event::SoftBreak => self.break_word(Gap::Line),
                Event::HardBreak => {
                    self.marked = true;
                    self.break_word(Gap::Barrier);
                }
                Event::Rule => self.end_block(),
                Event::FootnoteReference(_) => self.stick(),
                _ => self.marked = true,
            }
            last_end = range.end;
        }
        self.raw_html(raw);
    }

    fn start(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::Paragraph => self.begin(Kind::Prose),
            Tag::Heading { .. } => self.begin(Kind::Heading),
            Tag::CodeBlock(_) => self.begin(Kind::Code),
            Tag::TableCell => self.begin(Kind::Cell),
            Tag::Link { .. } => self.links += 1,
            Tag::Image { .. } => {
                self.break_word(Gap::Barrier);
                self.images += 1;
            }
            Tag::FootnoteDefinition(_) => {
                self.begin(Kind::Prose);
                self.footnote = true;
            }
            Tag::MetadataBlock(_) => {
                self.end_block();
                self.metadata = true;
            }
            Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::HtmlBlock => {}
            _ => self.begin(Kind::Prose),
        }
        self.marked |= !matches!(tag, Tag::Paragraph);
    }

    fn end(&mut self, tag: &TagEnd) {
        match tag {
            TagEnd::Link => self.links = self.links.saturating_sub(1),
            TagEnd::Image => {
                self.images = self.images.saturating_sub(1);
                self.break_word(Gap::Barrier);
            }
            TagEnd::FootnoteDefinition => {
                self.end_block();
                self.footnote = false;
            }
            TagEnd::MetadataBlock(_) => self.metadata = false,
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::HtmlBlock => {}
            _ => self.begin(Kind::Prose),
        }
    }

    /// The source range of a code span's content.
    fn inside(&self, text: &str, range: Range<usize>) -> Range<usize> {
        let all = self.source.get(range.clone()).unwrap_or("");
        let ticks = all.bytes().take_while(|&byte| byte == b'`').count();
        let inner = all.get(ticks..all.len().saturating_sub(ticks)).unwrap_or("");
        let padding = inner.len().saturating_sub(text.len());
        let start = range.start + ticks + padding / 2;
        if padding == 0 || padding == 2 { start..start + text.len() } else { range }
    }

    /// Ends the block and says what the next one is.
    fn begin(&mut self, kind: Kind) {
        self.end_block();
        self.kind = match kind {
            Kind::Prose if self.preformatted => Kind::Code,
            Kind::Prose if self.heading => Kind::Heading,
            Kind::Prose if self.cell => Kind::Cell,
            kind => kind,
        };
    }

    fn is_hidden(&self) -> bool {
        self.images > 0 || self.metadata || self.hidden.is_some()
    }

    fn text(&mut self, text: &str, range: Range<usize>) {
        if self.is_hidden() {
            return;
        }
        let verbatim = text.len() == range.len();
        let place = |from: usize, to: usize| match verbatim {
            true => ByteSpan::new(range.start + from, range.start + to),
            false => ByteSpan::new(range.start, range.end),
        };
        let mut spaces = 0;
        let mut at = 0;
        while let Some(rest) = text.get(at..) {
            // Most text is words of plain ASCII: each is taken as one piece.
            let length = rest.bytes().take_while(u8::is_ascii_graphic).count();
            if length > 0 {
                let piece = rest.get(..length).unwrap_or("");
                self.append(piece, place(at, at + length), verbatim, false);
                at += length;
                spaces = 0;
                continue;
            }
            let Some(character) = rest.chars().next() else { break };
            let end = at + character.len_utf8();
            if character == '\n' && self.kind == Kind::Code {
                self.end_block();
                spaces = 0;
            } else if character.is_whitespace() {
                spaces += 1;
                let is_plain = character == ' ' || character == '\n';
                let wide = spaces > 1 || (!is_plain && !character.is_ascii());
                let tab = self.kind == Kind::Code && !is_plain;
                self.break_word(if wide || tab { Gap::Barrier } else { Gap::Space });
            } else {
                spaces = 0;
                self.character(character, place(at, end), verbatim);
            }
            at = end;
        }
    }

    fn character(&mut self, character: char, source: ByteSpan, verbatim: bool) {
        if matches!(character, '\u{AD}' | '\u{200B}' | '\u{2060}' | '\u{FEFF}' | '\u{200E}' | '\u{200F}') {
            if let Some(open) = &mut self.open {
                open.source.end = source.end.max(open.source.end);
                open.verbatim = false;
            }
            return;
        }
        let mut encoded = [0; 4];
        self.append(character.encode_utf8(&mut encoded), source, verbatim, is_unspaced(character));
    }

    /// Adds to the open word, or opens one.
    fn append(&mut self, piece: &str, source: ByteSpan, verbatim: bool, unspaced: bool) {
        if self.open.is_none() {
            self.open_word(source);
        }
        self.page.text.push_str(piece);
        if let Some(open) = &mut self.open {
            open.verbatim &= verbatim && source.start == open.source.end;
            open.source.end = source.end.max(open.source.end);
            open.unspaced |= unspaced;
            open.code |= self.code;
            open.link |= self.links > 0;
        }
    }

    fn open_word(&mut self, source: ByteSpan) {
        let is_first = self.page.words.len() == self.block_start;
        if is_first {
            if !self.page.text.is_empty() {
                self.page.text.push('\n');
                self.page.folded.push('\n');
            }
            self.gap = Gap::None;
        } else if self.gap != Gap::None {
            self.page.text.push(' ');
            self.page.folded.push(' ');
        }
        self.open = Some(Open {
            text: self.page.text.len(),
            folded: self.page.folded.len(),
            source: ByteSpan::new(source.start, source.start),
            verbatim: true,
            unspaced: false,
            broken: std::mem::take(&mut self.sticks),
            code: false,
            link: false,
            before: std::mem::replace(&mut self.gap, Gap::None),
        });
    }

    /// White space, or what counts as such: ends the word.
    fn break_word(&mut self, gap: Gap) {
        self.close_word();
        self.gap = self.gap.max(gap);
        self.sticks = false;
    }

    /// Something that is no text and no space: no term may end or begin at it.
    fn stick(&mut self) {
        if self.is_hidden() {
            return;
        }
        self.marked = true;
        match &mut self.open {
            Some(open) => open.broken = true,
            None => self.sticks = true,
        }
    }

    fn close_word(&mut self) {
        let Some(open) = self.open.take() else { return };
        let word = self.page.text.get(open.text..).unwrap_or("");
        let bytes = word.as_bytes();
        let seen = bytes.iter().fold(0, |seen, &byte| seen | class(byte));
        let in_code = open.code || self.kind == Kind::Code;
        let broken = open.broken || seen & SUSPECT != 0 && is_leftover(word, in_code);
        if seen & NOT_ASCII == 0 {
            let is_letter = |byte: &u8| class(*byte) & (LETTER | DIGIT) != 0;
            let core = match bytes.iter().position(is_letter) {
                Some(first) => first..bytes.iter().rposition(is_letter).map_or(first, |last| last + 1),
                None => 0..0,
            };
            let is_plain = |bytes: &[u8]| bytes.iter().all(|&byte| class(byte) & (LETTER | TIE) != 0);
            let ordinary =
                core.len() >= 2 && (seen == LETTER || is_plain(bytes.get(core.clone()).unwrap_or_default()));
            self.page.folded.push_str(word);
            if let Some(folded) = self.page.folded.get_mut(open.folded..) {
                folded.make_ascii_lowercase();
            }
            self.page.words.push(Word {
                before: open.before,
                text: ByteSpan::new(open.text, open.text + bytes.len()),
                core: ByteSpan::new(open.text + core.start, open.text + core.end),
                folded: ByteSpan::new(open.folded, open.folded + bytes.len()),
                folded_core: ByteSpan::new(open.folded + core.start, open.folded + core.end),
                source: open.source,
                link: open.link,
                broken,
                ordinary: ordinary && !broken && !open.code,
                weight: 1,
            });
            return;
        }
        let word = word.to_owned();
        self.close_unicode_word(&open, &word, broken);
    }

    /// As `close_word`, by Unicode's word borders; a script without spaces gives a word a clause.
    fn close_unicode_word(&mut self, open: &Open, word: &str, broken: bool) {
        let mut before = open.before;
        let mut clauses: Vec<Range<usize>> = Vec::new();
        let mut clause = 0..0;
        let mut core: Option<Range<usize>> = None;
        let mut cores: Vec<Range<usize>> = Vec::new();
        for (start, segment) in word.split_word_bound_indices() {
            let end = start + segment.len();
            let has_letter = segment.chars().any(|c| c.is_alphanumeric() || c == '_');
            let ends_clause = open.unspaced
                && has_letter
                && core.as_ref().is_some_and(|core| {
                    core.end < start || {
                        let last = word.get(core.clone()).and_then(|text| text.chars().next_back());
                        let next = segment.chars().next();
                        last.is_some_and(is_unspaced) != next.is_some_and(is_unspaced)
                    }
                });
            if ends_clause {
                // Closing punctuation stays with what it closes, opening goes with what it opens.
                let border = core.as_ref().map_or(start, |core| {
                    let between = word.get(core.end..start).unwrap_or("");
                    let opening = between.chars().rev().take_while(|&c| is_opening(c));
                    start - opening.map(char::len_utf8).sum::<usize>()
                });
                clauses.push(clause.start..border);
                cores.push(core.take().unwrap_or(0..0));
                clause.start = border;
            }
            clause.end = end;
            if has_letter {
                core = Some(core.map_or(start, |core| core.start)..end);
            }
        }
        clauses.push(clause);
        cores.push(core.unwrap_or(0..0));
        for (clause, mut core) in clauses.into_iter().zip(cores) {
            // A search passes over this sign and then finds no word border before it: the term has to go
            // on to the punctuation, and without any it cannot end here.
            let ends_unsure =
                |core: &Range<usize>| word.get(core.clone()).is_some_and(|core| core.ends_with(VISARGA));
            if ends_unsure(&core) {
                core.end = clause.end;
            }
            let broken = broken || ends_unsure(&core);
            let folded_start = self.page.folded.len();
            let mut folded_core = ByteSpan::new(folded_start, folded_start);
            let mut letters = 0;
            let mut unspaced = 0;
            let mut others = false;
            for (offset, character) in word.get(clause.clone()).unwrap_or("").char_indices() {
                let at = clause.start + offset;
                if at == core.start {
                    folded_core.start = self.page.folded.len();
                }
                fold_into(character, &mut self.page.folded);
                if at < core.end {
                    folded_core.end = self.page.folded.len();
                }
                if core.contains(&at) {
                    letters += usize::from(character.is_alphabetic());
                    unspaced += usize::from(is_unspaced(character));
                    others |= character.is_numeric()
                        || character.is_ascii_punctuation() && !matches!(character, '\'' | '-');
                }
            }
            folded_core.end = folded_core.end.max(folded_core.start);
            let source = if open.verbatim {
                ByteSpan::new(open.source.start + clause.start, open.source.start + clause.end)
            } else {
                open.source
            };
            self.page.words.push(Word {
                before: std::mem::replace(&mut before, Gap::None),
                text: ByteSpan::new(open.text + clause.start, open.text + clause.end),
                core: ByteSpan::new(open.text + core.start, open.text + core.end),
                folded: ByteSpan::new(folded_start, self.page.folded.len()),
                folded_core,
                source,
                link: open.link,
                broken,
                ordinary: letters >= 2 && !others && !broken && !open.code,
                weight: 1 + unspaced / 3,
            });
        }
    }

    fn end_block(&mut self) {
        self.close_word();
        self.gap = Gap::None;
        self.sticks = false;
        let words = self.block_start..self.page.words.len();
        self.block_start = words.end;
        let marked = std::mem::take(&mut self.marked);
        let of = |index: usize| self.page.words.get(index).map(|word| word.text);
        if let (Some(first), Some(last)) = (of(words.start), of(words.end.wrapping_sub(1)))
            && !words.is_empty()
        {
            let text = ByteSpan::new(first.start, last.end);
            let (kind, footnote) = (self.kind, self.footnote);
            self.page.blocks.push(Block { kind, words, text, footnote, marked });
        }
    }

    fn raw_html(&mut self, range: Range<usize>) {
        let source: &'s str = self.source;
        let html = source.get(range.clone()).unwrap_or("");
        if html.is_empty() {
            return;
        }
        self.marked = true;
        html::pieces(html, |piece| match piece {
            Piece::Text(span) => {
                let text = span.of(html);
                self.raw_text(text, range.start + span.start);
            }
            Piece::Tag { name, closing, attributes } => {
                self.raw_tag(name, closing, attributes, range.start);
            }
        });
    }

    fn raw_tag(&mut self, name: &str, closing: bool, attributes: &str, at: usize) {
        if let Some((hidden, depth)) = &mut self.hidden {
            if hidden.eq_ignore_ascii_case(name) {
                *depth = if closing { *depth - 1 } else { *depth + 1 };
                if *depth == 0 {
                    self.hidden = None;
                }
            }
            return;
        }
        let effect = html::effect(name);
        let empty = html::is_void(name) || attributes.ends_with('/');
        let hides = effect == Effect::Hidden || html::hides(attributes);
        match effect {
            Effect::Inline | Effect::Hidden => {}
            Effect::Link if closing => self.links = self.links.saturating_sub(1),
            Effect::Link => self.links += 1,
            Effect::Block => {
                if matches!(name, "table" | "tr" | "tbody" | "thead") {
                    self.cell = false;
                }
                self.begin(Kind::Prose);
            }
            Effect::Cell => {
                self.cell = !closing;
                self.begin(Kind::Prose);
            }
            Effect::Heading => {
                self.heading = !closing;
                self.begin(Kind::Prose);
            }
            Effect::Preformatted => {
                self.preformatted = !closing;
                self.begin(Kind::Prose);
            }
            Effect::Break | Effect::Object => self.break_word(Gap::Barrier),
            Effect::Script | Effect::Unknown => self.stick(),
        }
        if effect == Effect::Hidden {
            self.stick();
        }
        // `<head>` in a sentence about HTML hides nothing: what hides is closed again.
        if hides && !closing && !empty && self.is_closed_after(name, at) {
            self.hidden = Some((name.to_owned(), 1));
        }
    }

    fn is_closed_after(&mut self, name: &str, at: usize) -> bool {
        let known = self.closings.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        let last = match known {
            Some((_, last)) => *last,
            None => {
                let (lower, upper) = (name.to_ascii_lowercase(), name.to_ascii_uppercase());
                let find = |name: &str| {
                    memchr::memmem::rfind(self.source.as_bytes(), format!("</{name}>").as_bytes())
                };
                let last = find(&lower).max(find(&upper));
                if self.closings.len() < MAX_HIDING_NAMES {
                    self.closings.push((lower, last));
                    last
                } else {
                    None
                }
            }
        };
        last.is_some_and(|last| last > at)
    }

    /// Text between tags: as markdown's text, but with its entities still to decode.
    fn raw_text(&mut self, text: &str, start: usize) {
        if self.is_hidden() {
            return;
        }
        let mut done = 0;
        for found in memchr::memchr_iter(b'&', text.as_bytes()) {
            if found < done {
                continue;
            }
            let rest = text.get(found..).unwrap_or("");
            let Some(length) = rest.bytes().take(MAX_ENTITY_BYTES).position(|byte| byte == b';') else {
                continue;
            };
            let entity = rest.get(..=length).unwrap_or("");
            // The parser knows all entities; a lone one is a paragraph of one text.
            let decoded = Parser::new(entity).find_map(|event| match event {
                Event::Text(text) if &*text != entity => Some(text),
                _ => None,
            });
            if let Some(decoded) = decoded {
                self.plain(text.get(done..found).unwrap_or(""), start + done);
                done = found + entity.len();
                self.text(&decoded, start + found..start + done);
            }
        }
        self.plain(text.get(done..).unwrap_or(""), start + done);
    }

    fn plain(&mut self, text: &str, start: usize) {
        if self.kind == Kind::Code {
            self.text(text, start..start + text.len());
            return;
        }
        // White space between tags is one space however long, and a line break is one of the source.
        let mut at = 0;
        for piece in text.split_inclusive(|c: char| c.is_ascii_whitespace()) {
            let word = piece.trim_end_matches(|c: char| c.is_ascii_whitespace());
            if !word.is_empty() {
                self.text(word, start + at..start + at + word.len());
            }
            if word.len() < piece.len() {
                self.break_word(if piece.ends_with('\n') { Gap::Line } else { Gap::Space });
            }
            at += piece.len();
        }
    }

    fn finish(mut self) -> Page {
        self.end_block();
        if self.page.blocks.iter().any(|block| block.footnote) {
            self.page = with_footnotes_last(&self.page);
        }
        self.page
    }
}

/// Names looked up for a closing tag: one search of the source each.
const MAX_HIDING_NAMES: usize = 40;

/// Longer than any named entity.
const MAX_ENTITY_BYTES: usize = 40;

/// Pages show footnotes behind everything else, wherever the source has them.
fn with_footnotes_last(page: &Page) -> Page {
    let mut moved = Page::default();
    let (last, first): (Vec<&Block>, Vec<&Block>) = page.blocks.iter().partition(|block| block.footnote);
    for block in first.into_iter().chain(last) {
        let words = page.words.get(block.words.clone()).unwrap_or_default();
        let Some((head, tail)) = words.first().zip(words.last()) else { continue };
        if !moved.text.is_empty() {
            moved.text.push('\n');
            moved.folded.push('\n');
        }
        let (text_at, folded_at) = (moved.text.len(), moved.folded.len());
        let text = ByteSpan::new(head.text.start, tail.text.end);
        let folded = ByteSpan::new(head.folded.start, tail.folded.end);
        let by_text = |span: ByteSpan| shifted(span, text.start, text_at);
        let by_folded = |span: ByteSpan| shifted(span, folded.start, folded_at);
        moved.text.push_str(text.of(&page.text));
        moved.folded.push_str(folded.of(&page.folded));
        let start = moved.words.len();
        moved.words.extend(words.iter().map(|word| Word {
            text: by_text(word.text),
            core: by_text(word.core),
            folded: by_folded(word.folded),
            folded_core: by_folded(word.folded_core),
            ..word.clone()
        }));
        moved.blocks.push(Block { words: start..moved.words.len(), text: by_text(text), ..block.clone() });
    }
    moved
}

fn shifted(span: ByteSpan, from: usize, to: usize) -> ByteSpan {
    ByteSpan::new(span.start + to - from, span.end + to - from)
}

/// Scripts whose words a browser finds by dictionary: only the ends of a clause are sure borders.
pub(super) fn is_unspaced(character: char) -> bool {
    matches!(character as u32,
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x3005..=0x3007 | 0x3040..=0x30FF
        | 0x31F0..=0x31FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0xFF66..=0xFF9F
        | 0x20000..=0x3FFFF)
}

/// Ends many a Burmese word.
const VISARGA: char = '\u{1038}';

fn is_opening(character: char) -> bool {
    matches!(
        character,
        '(' | '[' | '{' | '“' | '‘' | '«' | '「' | '『' | '（' | '【' | '《' | '〈' | '〔' | '［'
    )
}

/// What a byte of a word may mean, as bits.
const LETTER: u8 = 1;
/// A digit or `_`.
const DIGIT: u8 = 2;
/// Between the letters of one ordinary word.
const TIE: u8 = 4;
/// May be part of what [`is_leftover`] looks for.
const SUSPECT: u8 = 8;
/// Anything else of ASCII.
const OTHER: u8 = 16;
const NOT_ASCII: u8 = 128;

fn class(byte: u8) -> u8 {
    const CLASSES: [u8; 128] = {
        let mut classes = [0; 128];
        let mut byte = 0;
        while byte < 128 {
            #[allow(clippy::indexing_slicing)] // Evaluated when compiled.
            let slot = &mut classes[byte];
            *slot = match byte as u8 {
                b'A'..=b'Z' | b'a'..=b'z' => LETTER,
                b'0'..=b'9' => DIGIT,
                b'_' => DIGIT | SUSPECT,
                b'-' => TIE | SUSPECT,
                b'\'' => TIE,
                b'\\' | b'`' | b'*' | b'|' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'$' | b'~' | b'='
                | b':' => SUSPECT,
                _ => OTHER,
            };
            byte += 1;
        }
        classes
    };
    CLASSES.get(usize::from(byte)).copied().unwrap_or(NOT_ASCII)
}

/// Marks that another renderer might have read, or that a converter left behind.
fn is_leftover(word: &str, code: bool) -> bool {
    if word.contains("](") {
        return true;
    }
    if code {
        return false;
    }
    let bytes = word.as_bytes();
    bytes.iter().any(|byte| {
        matches!(byte, b'\\' | b'`' | b'*' | b'|' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'$')
    }) || bytes.windows(2).any(|pair| matches!(pair, b"--" | b"~~" | b"__" | b"=="))
        || is_short_code(bytes)
}

/// `:name:` anywhere in the word.
fn is_short_code(bytes: &[u8]) -> bool {
    let mut open = None;
    for (index, &byte) in bytes.iter().enumerate() {
        match byte {
            b':' => {
                if open.is_some_and(|open| index > open + 1) {
                    return true;
                }
                open = Some(index);
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' | b'+' => {}
            _ => open = None,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_words_are_letters_only() {
        let page =
            Page::read("plain well-known don't, (inside) é x Node.js 16+ a/b snake_case v2 `code` a--b 漢字");
        let ordinary: Vec<&str> =
            page.words.iter().filter(|word| word.ordinary).map(|word| word.text.of(&page.text)).collect();
        assert_eq!(ordinary, ["plain", "well-known", "don't,", "(inside)", "漢字"]);
    }

    #[test]
    fn words_of_any_script_come_from_their_place_in_the_source() {
        let source = "**Bold** word, é&amp;漢 `c d`\r\n- 😀 it\u{ad}em \\* end\n\n    code  line\n";
        let page = Page::read(source);
        for word in page.words.iter().filter(|word| !word.broken) {
            let (seen, from) = (word.text.of(&page.text), word.source.of(source));
            assert!(from == seen || from.contains(['\u{ad}', '&']), "{seen:?} from {from:?}");
        }
        let texts: Vec<&str> = page.blocks.iter().map(|block| block.text.of(&page.text)).collect();
        assert_eq!(texts, ["Bold word, é&漢 c d", "😀 item * end", "code line"]);
    }
}
