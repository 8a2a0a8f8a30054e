//! What may enter a chat's transcript, and what a seat's words become before anyone sees them.
//!
//! A [`Recorder`] remembers, a chat at a time, the roots, the running streams and the block last cut.
//! It answers with a line to append; appending is the host's.

use super::fence::{self, DecisionFence};
use super::file;
use super::host_paths::{HostPaths, Root, Spelling};
use super::record::{self, Counts, Stamp};
use crate::collections::StringMap;
use crate::error::{Detail, Error};
use crate::limits::MAX_DROPPED_CHATS;
use std::borrow::Cow;
use std::collections::VecDeque;

/// A line to append to a chat's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Append {
    /// The file.
    pub path: String,
    /// The record and its line end: to be written by one call.
    pub line: String,
    /// Only to a file that exists.
    pub only_to_existing: bool,
}

/// The state of every chat of one directory.
#[derive(Debug, Clone)]
pub struct Recorder {
    directory: String,
    marker: String,
    chats: StringMap<Chat>,
    dropped: StringMap<()>,
    dropped_order: VecDeque<String>,
}

#[derive(Debug, Clone, Default)]
struct Chat {
    roots: HostPaths,
    seats: StringMap<Seat>,
}

#[derive(Debug, Clone, Default)]
struct Seat {
    stream: Option<(String, DecisionFence)>,
    block: Option<String>,
}

impl Recorder {
    /// A recorder of the transcripts in `directory`.
    ///
    /// *Errors*: `INVALID_ARGUMENT` for a marker that cannot be an info string.
    pub fn new(directory: &str, marker: &str) -> Result<Self, Error> {
        if !fence::is_marker(marker) {
            return Err(Error::invalid(
                "opts.decisionsMarker",
                "opts.decisionsMarker must be ASCII letters, digits, '.', '_' and '-'.",
            )
            .with("length", Detail::Number(marker.len() as u64)));
        }
        Ok(Recorder {
            directory: directory.to_owned(),
            marker: marker.to_owned(),
            chats: StringMap::default(),
            dropped: StringMap::default(),
            dropped_order: VecDeque::new(),
        })
    }

    /// The path of a chat's transcript; `None` for an id that may not name one.
    pub fn path(&self, chat: &str) -> Option<String> {
        file::path(&self.directory, chat)
    }

    /// Takes the roots of a chat, in place of earlier ones; the chat is open, so records may enter.
    pub fn register_roots(&mut self, chat: &str, roots: &[Root]) {
        if file::is_chat_id(chat) {
            self.reopen(chat);
            self.chats.change(chat, |chat| chat.roots = HostPaths::new(roots, Spelling::ByRoot));
        }
    }

    /// The user's message. A chat that was dropped is open again.
    pub fn user(
        &mut self,
        chat: &str,
        stamp: Stamp<'_>,
        text: &str,
        seats: &[&str],
        attachments: Option<&str>,
    ) -> Result<Option<Append>, Error> {
        let Some(line) = record::user(stamp, text, seats, attachments) else {
            return Err(Error::invalid("attachments", "attachments must be an array of objects."));
        };
        self.reopen(chat);
        Ok(self.append(chat, line, false))
    }

    /// A preface the seats were given. A chat that was dropped is open again.
    pub fn system(&mut self, chat: &str, stamp: Stamp<'_>, text: &str) -> Option<Append> {
        self.reopen(chat);
        record::system(stamp, text).and_then(|line| self.append(chat, line, false))
    }

    /// A seat's reply as it is stored: host paths rewritten, decisions blocks cut. Nothing for a
    /// dropped chat.
    pub fn seat(
        &mut self,
        chat: &str,
        stamp: Stamp<'_>,
        cli_key: &str,
        text: &str,
        ok: bool,
        usage: &str,
    ) -> Option<Append> {
        if !self.is_open(chat) {
            return None;
        }
        let (text, block) = self.rewrite(chat, text);
        let line = record::seat(stamp, cli_key, &text, ok, usage)?;
        if block.is_some() {
            self.change_seat(chat, cli_key, |seat| seat.block = block);
        }
        self.append(chat, line, false)
    }

    /// The verdicts on a reply. Nothing for a dropped chat.
    pub fn citations(
        &self,
        chat: &str,
        stamp: Stamp<'_>,
        cli_key: &str,
        counts: Counts,
        items: &str,
    ) -> Result<Option<Append>, Error> {
        match record::citations(stamp, cli_key, counts, items) {
            Some(line) => Ok(self.append(chat, line, false)),
            None => Err(Error::invalid("frame.items", "frame.items must be an array of objects.")),
        }
    }

    /// The decisions of a turn, only for a chat that has a transcript.
    pub fn decisions(&self, chat: &str, stamp: Stamp<'_>, items: &str) -> Result<Option<Append>, Error> {
        match record::decisions(stamp, items) {
            Some(line) => Ok(self.append(chat, line, true)),
            None => Err(Error::invalid("frame.items", "frame.items must be an array of objects.")),
        }
    }

    /// A whole reply as everyone may see it; `None` when it stays as it is. Its seat's stream ends,
    /// and the block cut from it waits for [`take_block`](Self::take_block).
    pub fn reply(&mut self, chat: &str, cli_key: &str, text: &str) -> Option<String> {
        let (text, block) = self.rewrite(chat, text);
        let text = match text {
            Cow::Borrowed(_) => None,
            Cow::Owned(text) => Some(text),
        };
        if self.is_open(chat) {
            self.change_seat(chat, cli_key, |seat| *seat = Seat { stream: None, block });
        }
        text
    }

    /// A piece of a reply as everyone may see it; `None` when it stays as it is. A piece of another
    /// turn starts afresh.
    pub fn delta(&mut self, chat: &str, cli_key: &str, turn_id: &str, text: &str) -> Option<String> {
        if !self.is_open(chat) {
            return None;
        }
        let marker = self.marker.clone();
        self.change_seat(chat, cli_key, |seat| {
            let (turn, fence) =
                seat.stream.get_or_insert_with(|| (turn_id.to_owned(), DecisionFence::new(&marker)));
            if turn != turn_id {
                *turn = turn_id.to_owned();
                *fence = DecisionFence::new(&marker);
            }
            let out = fence.push(text);
            (out != text).then_some(out)
        })
    }

    /// The block cut from the seat's last reply, once.
    pub fn take_block(&mut self, chat: &str, cli_key: &str) -> Option<String> {
        self.chats.get_mut(chat)?.seats.get_mut(cli_key)?.block.take()
    }

    /// Forgets a chat: nothing but its user, or its roots given anew, brings its file back.
    /// Returns the file to remove.
    pub fn drop_chat(&mut self, chat: &str) -> Option<String> {
        let path = self.path(chat)?;
        self.chats.remove(chat);
        if self.dropped.insert(chat, ()) {
            self.dropped_order.push_back(chat.to_owned());
            if self.dropped_order.len() > MAX_DROPPED_CHATS
                && let Some(oldest) = self.dropped_order.pop_front()
            {
                self.dropped.remove(&oldest);
            }
        }
        Some(path)
    }

    fn rewrite<'t>(&self, chat: &str, text: &'t str) -> (Cow<'t, str>, Option<String>) {
        let cut = fence::cut(text, &self.marker);
        let Some(chat) = self.chats.get(chat) else { return (cut.text, cut.block) };
        let text = match cut.text {
            Cow::Borrowed(text) => chat.roots.rewrite(text),
            Cow::Owned(text) => Cow::Owned(chat.roots.rewrite(&text).into_owned()),
        };
        (text, cut.block)
    }

    fn append(&self, chat: &str, line: String, only_to_existing: bool) -> Option<Append> {
        if self.dropped.contains(chat) {
            return None;
        }
        Some(Append { path: self.path(chat)?, line, only_to_existing })
    }

    fn is_open(&self, chat: &str) -> bool {
        file::is_chat_id(chat) && !self.dropped.contains(chat)
    }

    fn reopen(&mut self, chat: &str) {
        if self.dropped.remove(chat).is_some() {
            self.dropped_order.retain(|other| other != chat);
        }
    }

    fn change_seat<R>(&mut self, chat: &str, cli_key: &str, change: impl FnOnce(&mut Seat) -> R) -> R {
        self.chats.change(chat, |chat| chat.seats.change(cli_key, change))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAMP: Stamp<'static> = Stamp { at: 1, turn_id: "t" };

    fn recorder() -> Recorder {
        let mut recorder = Recorder::new("/d", fence::DECISIONS_MARKER).unwrap();
        recorder.register_roots("c", &[Root { path: "/home/u/crew".to_owned(), name: "crew".to_owned() }]);
        recorder
    }

    #[test]
    fn a_reply_is_stored_without_host_paths_and_blocks_and_its_block_waits_once() {
        let mut recorder = recorder();
        let text = "see /home/u/crew/a.ts\n```wicked-decisions\n{\"p\":\"/home/u/crew\"}\n```\n";
        assert_eq!(recorder.reply("c", "k", text).as_deref(), Some("see crew/a.ts"));
        let line = recorder.seat("c", STAMP, "k", "see crew/a.ts", true, "null").unwrap();
        assert!(line.line.contains("\"text\":\"see crew/a.ts\""));
        assert_eq!(recorder.take_block("c", "other"), None);
        assert_eq!(recorder.take_block("c", "k").as_deref(), Some("{\"p\":\"/home/u/crew\"}"));
        assert_eq!(recorder.take_block("c", "k"), None);
        assert_eq!(recorder.reply("c", "k", "nothing to do /home/u/crew2"), None);
    }

    #[test]
    fn a_reply_without_a_block_takes_back_the_one_before() {
        let mut recorder = recorder();
        recorder.reply("c", "k", "```wicked-decisions\n1\n```");
        recorder.reply("c", "k", "plain");
        assert_eq!(recorder.take_block("c", "k"), None);
        let line = recorder.seat("c", STAMP, "k", "x\n```wicked-decisions\n2\n```", true, "null").unwrap();
        assert!(line.line.contains("\"text\":\"x\""));
        assert_eq!(recorder.take_block("c", "k").as_deref(), Some("2"));
    }

    #[test]
    fn a_stream_is_one_for_each_seat_and_ends_with_its_turn_or_reply() {
        let mut recorder = recorder();
        assert_eq!(recorder.delta("c", "a", "t", "hi\n```wicked"), Some("hi\n".to_owned()));
        assert_eq!(recorder.delta("c", "b", "t", "-decisions"), None);
        assert_eq!(recorder.delta("c", "a", "t", "-decisions\n{}\n```\nbye"), Some("bye".to_owned()));
        assert_eq!(recorder.delta("c", "a", "t", "\n```wicked-decisions\n"), Some("\n".to_owned()));
        assert_eq!(recorder.delta("c", "a", "t2", "fresh"), None);
        recorder.delta("c", "a", "t2", "\n```wicked-decisions\n");
        recorder.reply("c", "a", "whole");
        assert_eq!(recorder.delta("c", "a", "t2", "fresh"), None);
    }

    #[test]
    fn nothing_but_its_user_brings_a_dropped_chat_back() {
        let mut recorder = recorder();
        let counts = Counts { verified: 0, unverifiable: 0, corrected: 0, unchecked: 0 };
        assert_eq!(recorder.drop_chat("c").as_deref(), Some("/d/c.jsonl"));
        assert_eq!(recorder.seat("c", STAMP, "k", "x", true, "null"), None);
        assert_eq!(recorder.citations("c", STAMP, "k", counts, "[]").unwrap(), None);
        assert_eq!(recorder.decisions("c", STAMP, "[]").unwrap(), None);
        assert_eq!(recorder.delta("c", "k", "t", "```wicked-decisions\n"), None);
        assert!(recorder.chats.is_empty());
        assert!(recorder.user("c", STAMP, "again", &[], None).unwrap().is_some());
        assert!(
            recorder
                .seat("c", STAMP, "k", "/home/u/crew", true, "null")
                .unwrap()
                .line
                .contains("/home/u/crew")
        );
        assert!(recorder.decisions("c", STAMP, "[]").unwrap().unwrap().only_to_existing);
    }

    #[test]
    fn a_refused_id_makes_no_record_and_no_state() {
        let mut recorder = recorder();
        for id in ["", "..", "../c", "a/b"] {
            recorder.register_roots(id, &[]);
            assert_eq!(recorder.user(id, STAMP, "x", &[], None).unwrap(), None);
            assert_eq!(recorder.system(id, STAMP, "x"), None);
            assert_eq!(recorder.seat(id, STAMP, "k", "x", true, "null"), None);
            assert_eq!(recorder.delta(id, "k", "t", "x"), None);
            assert_eq!(recorder.reply(id, "k", "x\n```wicked-decisions\n```").as_deref(), Some("x"));
            assert_eq!(recorder.drop_chat(id), None);
        }
        assert_eq!(recorder.chats.len(), 1);
    }

    #[test]
    fn dropped_ids_are_remembered_up_to_the_bound() {
        let mut recorder = recorder();
        for id in 0..=MAX_DROPPED_CHATS {
            recorder.drop_chat(&id.to_string());
        }
        assert_eq!(recorder.dropped.len(), MAX_DROPPED_CHATS);
        assert!(recorder.seat("0", STAMP, "k", "x", true, "null").is_some());
        assert!(recorder.seat("1", STAMP, "k", "x", true, "null").is_none());
    }

    #[test]
    fn an_impossible_marker_is_refused() {
        assert_eq!(Recorder::new("/d", "a b").unwrap_err().code().as_str(), "INVALID_ARGUMENT");
    }
}
