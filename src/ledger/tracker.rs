//! The observation ledger of one session: what was last known of each file, and which call shows it.

use super::fingerprint::fingerprint_content;
use std::collections::HashMap;

/// The calls a body follows from: one whole write and the edits on top of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditChain {
    /// The write.
    pub root_write_call_id: String,
    /// The edits, in order; never empty.
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

#[derive(Debug, Clone, Default)]
struct Observation {
    fingerprint: Option<String>,
    write: Option<String>,
    edits: Vec<String>,
    read: Option<ReadWitness>,
    is_stale: bool,
    was_seen: bool,
}

/// What a session has observed of its files, by key.
#[derive(Debug, Clone, Default)]
pub struct FileReadTracker {
    files: HashMap<String, Observation>,
}

impl FileReadTracker {
    /// A ledger that has seen nothing.
    pub fn new() -> Self {
        FileReadTracker::default()
    }

    /// Records that the file was seen: with its `content` where known, and with the write that put it
    /// there. The same content keeps what vouched for it, another or an unknown one does not.
    pub fn record_read(&mut self, key: &str, content: Option<&str>, write_call_id: Option<&str>) {
        let file = self.files.entry(key.to_owned()).or_default();
        let fingerprint = content.map(fingerprint_content);
        let is_same = fingerprint.is_some() && fingerprint == file.fingerprint;
        if !is_same {
            *file = Observation { fingerprint, ..Observation::default() };
        }
        file.is_stale = false;
        file.was_seen = true;
        if let (Some(_), Some(call)) = (content, write_call_id.filter(|call| !call.is_empty())) {
            file.write = Some(call.to_owned());
            file.edits.clear();
            file.read = None;
        }
    }

    /// Records a read that showed the whole file, and the fingerprint of what it showed.
    pub fn record_full_read(&mut self, key: &str, content: &str, call_id: &str, rendered_fingerprint: &str) {
        self.record_read(key, Some(content), None);
        if let Some(file) = self.files.get_mut(key).filter(|file| file.write.is_none()) {
            file.read = Some(ReadWitness {
                call_id: call_id.to_owned(),
                rendered_fingerprint: rendered_fingerprint.to_owned(),
            });
        }
    }

    /// Records what an edit left. The chain goes on only where the body before it was vouched for by a
    /// write.
    pub fn record_edit(&mut self, key: &str, content: &str, call_id: &str) {
        let file = self.files.entry(key.to_owned()).or_default();
        let goes_on = file.write.is_some() && file.fingerprint.is_some() && !call_id.is_empty();
        file.fingerprint = Some(fingerprint_content(content));
        file.is_stale = false;
        file.was_seen = true;
        file.read = None;
        if goes_on {
            file.edits.push(call_id.to_owned());
        } else {
            file.write = None;
            file.edits.clear();
        }
    }

    /// Records that a tool found the file different from what is known here. Nothing else changes.
    pub fn record_drift_observed(&mut self, key: &str) {
        self.files.entry(key.to_owned()).or_default().is_stale = true;
    }

    /// Whether the file is known to differ from the last observation.
    pub fn drift_observed(&self, key: &str) -> bool {
        self.files.get(key).is_some_and(|file| file.is_stale)
    }

    /// Whether the file was ever seen.
    pub fn has_read(&self, key: &str) -> bool {
        self.files.get(key).is_some_and(|file| file.was_seen)
    }

    /// The fingerprint of the body last seen.
    pub fn fingerprint(&self, key: &str) -> Option<&str> {
        self.files.get(key)?.fingerprint.as_deref()
    }

    /// The write whose body is the file's; `None` once edits stand on it.
    pub fn write_call_id(&self, key: &str) -> Option<&str> {
        let file = self.files.get(key)?;
        file.write.as_deref().filter(|_| file.edits.is_empty())
    }

    /// The write and the edits the body follows from; `None` without edits.
    pub fn edit_chain(&self, key: &str) -> Option<EditChain> {
        let file = self.files.get(key).filter(|file| !file.edits.is_empty())?;
        Some(EditChain { root_write_call_id: file.write.clone()?, edit_call_ids: file.edits.clone() })
    }

    /// The read that shows the body.
    pub fn read_witness(&self, key: &str) -> Option<&ReadWitness> {
        self.files.get(key)?.read.as_ref()
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
}
