//! The observation ledger of one session: of each file the body last seen, and the calls that hold it.

use super::fingerprint::ledger_fingerprint;
use crate::collections::StringMap;
use std::cell::OnceCell;

/// The calls a body follows from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditChain {
    /// The write of a whole body.
    pub root_write_call_id: String,
    /// The edits on top of it, in order; never empty.
    pub edit_call_ids: Vec<String>,
}

/// The read whose receipt shows a whole body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadWitness {
    /// The read.
    pub call_id: String,
    /// The fingerprint of the receipt's text.
    pub rendered_fingerprint: String,
}

/// A body that was seen. Its fingerprint is made when somebody asks, or when another file is recorded:
/// a chain replayed into the ledger names eight bodies nobody will ever ask about.
#[derive(Debug, Clone)]
struct Body {
    /// Until the fingerprint is made.
    text: Option<String>,
    fingerprint: OnceCell<String>,
}

impl Body {
    fn of(text: &str) -> Self {
        Body { text: Some(text.to_owned()), fingerprint: OnceCell::new() }
    }

    fn fingerprint(&self) -> &str {
        self.fingerprint.get_or_init(|| ledger_fingerprint(self.text.as_deref().unwrap_or("")))
    }

    fn is(&self, text: &str) -> bool {
        match &self.text {
            Some(own) => own == text,
            None => self.fingerprint() == ledger_fingerprint(text),
        }
    }

    fn let_go_of_text(&mut self) {
        self.fingerprint();
        self.text = None;
    }
}

/// Where the conversation holds the body.
#[derive(Debug, Clone, Default)]
enum Source {
    #[default]
    Nowhere,
    Calls {
        write: String,
        edits: Vec<String>,
    },
    Read(ReadWitness),
}

/// What is known of one file.
#[derive(Debug, Clone, Default)]
struct File {
    was_seen: bool,
    has_drifted: bool,
    /// `None` when the file was seen and its content is not known.
    body: Option<Body>,
    source: Source,
}

/// What a session has observed of its files, by key.
#[derive(Debug, Clone, Default)]
pub struct FileReadTracker {
    files: StringMap<File>,
    /// The key recorded last, the only one whose body may still be a text.
    newest: String,
}

impl FileReadTracker {
    /// A ledger that has seen nothing.
    pub fn new() -> Self {
        FileReadTracker::default()
    }

    /// Changes what is known of the file of `key`, which is seen now.
    fn see(&mut self, key: &str, change: &mut dyn FnMut(&mut File)) {
        if self.newest != key {
            let before = self.files.get_mut(&self.newest).and_then(|file| file.body.as_mut());
            before.into_iter().for_each(Body::let_go_of_text);
            key.clone_into(&mut self.newest);
        }
        self.files.change(key, |file| {
            file.was_seen = true;
            file.has_drifted = false;
            change(file);
        });
    }

    /// Records that the file was seen: with its `content` where that is known, and with the write that
    /// put it there. What held the body before holds it still when it is the same, and else no more.
    pub fn record_read(&mut self, key: &str, content: Option<&str>, write_call_id: Option<&str>) {
        self.see(key, &mut |file| {
            let is_same =
                content.is_some_and(|content| file.body.as_ref().is_some_and(|body| body.is(content)));
            if !is_same {
                file.body = content.map(Body::of);
                file.source = Source::Nowhere;
            }
            if let (Some(_), Some(call)) = (content, write_call_id.filter(|call| !call.is_empty())) {
                file.source = Source::Calls { write: call.to_owned(), edits: Vec::new() };
            }
        });
    }

    /// Records a read that showed the whole file, and the fingerprint of what it showed. Calls that
    /// hold the body are the better source and stay.
    pub fn record_full_read(&mut self, key: &str, content: &str, call_id: &str, rendered_fingerprint: &str) {
        self.record_read(key, Some(content), None);
        self.see(key, &mut |file| {
            if !matches!(file.source, Source::Calls { .. }) {
                let (call_id, rendered_fingerprint) = (call_id.to_owned(), rendered_fingerprint.to_owned());
                file.source = Source::Read(ReadWitness { call_id, rendered_fingerprint });
            }
        });
    }

    /// Records what an edit left. Calls hold it only where they held the body it changed.
    pub fn record_edit(&mut self, key: &str, content: &str, call_id: &str) {
        self.see(key, &mut |file| {
            file.body = Some(Body::of(content));
            match &mut file.source {
                Source::Calls { edits, .. } if !call_id.is_empty() => edits.push(call_id.to_owned()),
                source => *source = Source::Nowhere,
            }
        });
    }

    /// Records that a tool found the file different from what is known here. Nothing else changes.
    pub fn record_drift_observed(&mut self, key: &str) {
        self.files.change(key, |file| file.has_drifted = true);
    }

    /// Whether the file is known to differ from the last observation.
    pub fn drift_observed(&self, key: &str) -> bool {
        self.files.get(key).is_some_and(|file| file.has_drifted)
    }

    /// Whether the file was ever seen.
    pub fn has_read(&self, key: &str) -> bool {
        self.files.get(key).is_some_and(|file| file.was_seen)
    }

    /// The fingerprint of the body last seen: the first 16 digits of its hash.
    pub fn fingerprint(&self, key: &str) -> Option<&str> {
        self.files.get(key)?.body.as_ref().map(Body::fingerprint)
    }

    /// The write whose body is the file's; `None` once edits stand on it.
    pub fn write_call_id(&self, key: &str) -> Option<&str> {
        match &self.files.get(key)?.source {
            Source::Calls { write, edits } if edits.is_empty() => Some(write),
            _ => None,
        }
    }

    /// The write and the edits that hold the body; `None` without edits.
    pub fn edit_chain(&self, key: &str) -> Option<EditChain> {
        match &self.files.get(key)?.source {
            Source::Calls { write, edits } if !edits.is_empty() => {
                Some(EditChain { root_write_call_id: write.clone(), edit_call_ids: edits.clone() })
            }
            _ => None,
        }
    }

    /// The read that shows the body.
    pub fn read_witness(&self, key: &str) -> Option<&ReadWitness> {
        match &self.files.get(key)?.source {
            Source::Read(witness) => Some(witness),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_vouches_until_another_body_is_seen() {
        let mut tracker = FileReadTracker::new();
        tracker.record_read("k", Some("é漢😀\r\n"), Some("w"));
        assert_eq!((tracker.has_read("k"), tracker.write_call_id("k")), (true, Some("w")));
        tracker.record_read("k", Some("é漢😀\r\n"), None);
        assert_eq!(tracker.write_call_id("k"), Some("w"));
        tracker.record_read("k", Some("other"), None);
        assert_eq!(tracker.write_call_id("k"), None);
        tracker.record_read("k", None, None);
        assert_eq!((tracker.has_read("k"), tracker.fingerprint("k")), (true, None));
    }

    #[test]
    fn edits_extend_a_chain_only_on_a_write() {
        let mut tracker = FileReadTracker::new();
        tracker.record_edit("k", "a", "e0");
        assert_eq!((tracker.has_read("k"), tracker.edit_chain("k")), (true, None));
        tracker.record_read("k", Some("a"), Some("w"));
        tracker.record_edit("k", "b", "e1");
        tracker.record_edit("k", "b", "e2");
        let chain = tracker.edit_chain("k").unwrap();
        assert_eq!((chain.root_write_call_id.as_str(), chain.edit_call_ids.len()), ("w", 2));
        assert_eq!(tracker.write_call_id("k"), None);
        tracker.record_edit("k", "c", "");
        assert_eq!(tracker.edit_chain("k"), None);
    }

    #[test]
    fn a_full_read_vouches_until_an_edit_and_never_beside_a_write() {
        let mut tracker = FileReadTracker::new();
        tracker.record_full_read("k", "a", "r", "f");
        assert_eq!(tracker.read_witness("k").unwrap().call_id, "r");
        tracker.record_edit("k", "b", "e");
        assert_eq!(tracker.read_witness("k"), None);
        tracker.record_read("k", Some("b"), Some("w"));
        tracker.record_full_read("k", "b", "r", "f");
        assert_eq!((tracker.read_witness("k"), tracker.write_call_id("k")), (None, Some("w")));
    }

    #[test]
    fn drift_is_a_flag_that_the_next_observation_clears() {
        let mut tracker = FileReadTracker::new();
        tracker.record_drift_observed("k");
        assert_eq!((tracker.drift_observed("k"), tracker.has_read("k")), (true, false));
        tracker.record_read("k", Some("a"), Some("w"));
        assert!(!tracker.drift_observed("k"));
        tracker.record_drift_observed("k");
        assert_eq!((tracker.drift_observed("k"), tracker.write_call_id("k")), (true, Some("w")));
    }

    #[test]
    fn only_the_file_recorded_last_still_has_its_text() {
        let mut tracker = FileReadTracker::new();
        for (key, content) in [("k", "a"), ("k", "b"), ("l", "é漢😀\r\n"), ("k", "b"), ("m", "")] {
            tracker.record_read(key, Some(content), Some("w"));
        }
        let has_text = |key: &&str| tracker.files.get(key).unwrap().body.as_ref().unwrap().text.is_some();
        assert_eq!(tracker.files.keys().filter(has_text).collect::<Vec<_>>(), ["m"]);
        for (key, content) in [("k", "b"), ("l", "é漢😀\r\n"), ("m", "")] {
            assert_eq!(tracker.fingerprint(key), Some(ledger_fingerprint(content).as_str()));
        }
    }
}
