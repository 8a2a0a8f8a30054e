//! The ledger against conversations another implementation judged, and properties of every replay.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic
)]

use agent_evidence::ledger::{
    Attribution, Call, Conversation, EditChain, FileReadTracker, Limits, Observation, Receipt, Replay, Tool,
    lexical_file_key, replay, visible_file_evidence,
};
use agent_evidence::text::utf16_len;
use serde_json::{Value, json};
use std::collections::HashMap;

/// A conversation in the shape of the vectors, made ready for the engine.
struct Prepared {
    conversation: Conversation,
    /// By call.
    ids: Vec<String>,
    contents: Vec<String>,
    attributions: Vec<Attribution>,
    keys: Vec<String>,
    numbers: HashMap<String, usize>,
}

fn prepare(messages: &[Value], directory: &str) -> Prepared {
    let mut conversation = Conversation::default();
    let (mut ids, mut contents, mut numbers) = (Vec::new(), Vec::new(), HashMap::new());
    for message in messages {
        let mut number = |id: &Value| {
            let next = numbers.len();
            *numbers.entry(id.as_str().unwrap().to_owned()).or_insert(next)
        };
        for call in message["toolCalls"].as_array().into_iter().flatten() {
            let tool = match call["function"]["name"].as_str().unwrap() {
                "write" => Tool::Write,
                "edit" => Tool::Edit,
                "read" => Tool::Read,
                "bash" => Tool::Shell,
                _ => Tool::Other,
            };
            let arguments = call["function"]["arguments"].as_str().unwrap();
            let call_id = call["id"].as_str().unwrap();
            let record = Call {
                tool,
                id: number(&call["id"]),
                id_units: utf16_len(call_id),
                is_input_truncated: call["metadata"]["inputTruncated"] == true,
                argument_units: utf16_len(arguments),
                is_well_formed: true,
            };
            conversation.push_call_with(record, arguments);
            ids.push(call_id.to_owned());
        }
        if message["role"] == "tool" {
            let content = message["content"].as_str().unwrap();
            conversation.push_receipt(Receipt {
                id: number(&message["toolCallId"]),
                is_error: message["isError"] == true,
                head: Some(content.chars().take(Receipt::HEAD_UNITS).collect()),
                units: utf16_len(content),
            });
            contents.push(content.to_owned());
        }
    }
    let mut keys: Vec<String> = Vec::new();
    let attributions = (0..conversation.calls())
        .map(|call| match conversation.path(call) {
            None => Attribution::Nowhere,
            Some(path) => {
                let key = lexical_file_key(directory, path, false);
                Attribution::Key(keys.iter().position(|known| *known == key).unwrap_or_else(|| {
                    keys.push(key);
                    keys.len() - 1
                }))
            }
        })
        .collect();
    Prepared { conversation, ids, contents, attributions, keys, numbers }
}

impl Prepared {
    fn replay(&self, limits: Limits) -> Replay {
        let mut content = |receipt: usize| self.contents.get(receipt).cloned();
        replay(&self.conversation, &self.attributions, limits, &mut content)
    }

    fn commit(&self, replay: &Replay) -> FileReadTracker {
        let mut tracker = FileReadTracker::new();
        for path in &replay.witnessed {
            let key = &self.keys[path.key];
            tracker.record_read(key, Some(&path.bodies[0]), Some(&self.ids[path.write]));
            for (body, edit) in path.bodies[1..].iter().zip(&path.edits) {
                tracker.record_edit(key, body, &self.ids[*edit]);
            }
        }
        tracker
    }

    fn observations(&self, tracker: &FileReadTracker) -> Vec<Observation> {
        let number = |id: &str| self.numbers.get(id).copied();
        let observe = |key: &String| Observation {
            is_stale: tracker.drift_observed(key),
            fingerprint: tracker.fingerprint(key).map(str::to_owned),
            write: tracker.write_call_id(key).and_then(number),
            chain: tracker.edit_chain(key).and_then(|chain| {
                let edits = chain.edit_call_ids.iter().map(|id| number(id)).collect();
                Some((number(&chain.root_write_call_id)?, edits))
            }),
            read: tracker
                .read_witness(key)
                .and_then(|read| Some((number(&read.call_id)?, read.rendered_fingerprint.clone()))),
        };
        self.keys.iter().map(observe).collect()
    }

    fn observed_paths(&self) -> Vec<&str> {
        let mut paths = Vec::new();
        for call in 0..self.conversation.calls() {
            paths.extend(self.conversation.path(call).filter(|path| !paths.contains(path)));
        }
        if self.conversation.has_mutation() { paths } else { Vec::new() }
    }
}

fn ledger(tracker: &FileReadTracker, keys: &[String]) -> Value {
    let mut ledger = json!({});
    for key in keys.iter().filter(|key| tracker.has_read(key)) {
        let mut entry = json!({ "hasRead": true, "fingerprint": tracker.fingerprint(key) });
        if let Some(id) = tracker.write_call_id(key) {
            entry["writeCallId"] = json!(id);
        }
        if let Some(EditChain { root_write_call_id, edit_call_ids }) = tracker.edit_chain(key) {
            entry["editChain"] =
                json!({ "rootWriteCallId": root_write_call_id, "editCallIds": edit_call_ids });
        }
        ledger[key] = entry;
    }
    ledger
}

#[test]
fn every_conversation_is_judged_as_the_vectors_judge_it() {
    let vectors: Vec<Value> = serde_json::from_str(include_str!("data/ledger/conversations.json")).unwrap();
    assert_eq!(vectors.len(), 150);
    for vector in vectors {
        let (name, expected) = (&vector["name"], &vector["expected"]);
        let messages = vector["messages"].as_array().unwrap();
        let prepared = prepare(messages, vector["workingDirectory"].as_str().unwrap());
        let replayed = prepared.replay(Limits::default());
        let report = json!({
            "pathsWitnessed": replayed.witnessed.len(),
            "pathsSeen": replayed.seen,
            "unitsReplayed": replayed.units,
        });
        assert_eq!(report, expected["report"], "{name}");
        let tracker = prepared.commit(&replayed);
        assert_eq!(ledger(&tracker, &prepared.keys), expected["ledger"], "{name}");
        let mut content = |receipt: usize| prepared.contents.get(receipt).cloned();
        let evidence = visible_file_evidence(
            &prepared.conversation,
            &prepared.attributions,
            &prepared.observations(&tracker),
            Limits::default(),
            &mut content,
        );
        let evidence: Vec<Value> = evidence
            .iter()
            .map(|found| {
                let mut entry = json!({
                    "path": found.path,
                    "bodyInCall": prepared.ids[found.body_in_call],
                    "observedFingerprint": found.observed_fingerprint,
                });
                if !found.edits_in_calls.is_empty() {
                    let edits: Vec<_> =
                        found.edits_in_calls.iter().map(|call| &prepared.ids[*call]).collect();
                    entry["editsInCalls"] = json!(edits);
                }
                entry
            })
            .collect();
        assert_eq!(json!(evidence), expected["evidence"], "{name}");
        assert_eq!(json!(prepared.observed_paths()), expected["observedPaths"], "{name}");
    }
}
