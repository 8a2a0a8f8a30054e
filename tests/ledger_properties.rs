//! Properties of every replay: it never claims more than it can know.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic
)]

use agent_evidence::ledger::{
    Attribution, Call, Conversation, Failure, Limits, Receipt, Replay, Tool, Window, apply_edit,
    render_numbered_read, replay, replay_hop,
};
use agent_evidence::text::utf16_len;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::json;
use std::collections::HashMap;

/// One call as a live session made it.
#[derive(Debug, Clone)]
enum Step {
    Write {
        file: usize,
        body: String,
        fate: Fate,
    },
    Edit {
        file: usize,
        old: String,
        new: String,
        all: bool,
        fate: Fate,
    },
    Insert {
        file: usize,
        line: usize,
        new: String,
        fate: Fate,
    },
    Read {
        file: usize,
        window: Window,
        fate: Fate,
    },
    /// Something outside the conversation changes the file.
    Outside {
        file: usize,
        body: String,
    },
}

/// What becomes of a call's receipt.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fate {
    Kept,
    Cleared,
    Lost,
}

fn words() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just("a"),
        Just("aa"),
        Just("é"),
        Just("漢"),
        Just("😀"),
        Just(" "),
        Just("\n"),
        Just("\r\n"),
        Just("\r")
    ];
    prop::collection::vec(word, 0..8).prop_map(|words| words.concat())
}

fn fate() -> impl Strategy<Value = Fate> {
    prop_oneof![8 => Just(Fate::Kept), 1 => Just(Fate::Cleared), 1 => Just(Fate::Lost)]
}

fn step() -> impl Strategy<Value = Step> {
    let file = 0..3_usize;
    let anchor = prop_oneof![Just("a"), Just("é"), Just("漢"), Just("😀"), Just("\n"), Just("aa")];
    let window = (0..3_usize, 1..4_usize).prop_map(|(offset, limit)| Window { offset, limit });
    prop_oneof![
        3 => (file.clone(), words(), fate()).prop_map(|(file, body, fate)| Step::Write { file, body, fate }),
        4 => (file.clone(), anchor, words(), any::<bool>(), fate())
            .prop_map(|(file, old, new, all, fate)| Step::Edit { file, old: old.to_owned(), new, all, fate }),
        2 => (file.clone(), 0..4_usize, words(), fate())
            .prop_map(|(file, line, new, fate)| Step::Insert { file, line, new, fate }),
        2 => (file.clone(), prop_oneof![Just(Window::default()), window], fate())
            .prop_map(|(file, window, fate)| Step::Read { file, window, fate }),
        1 => (file, words()).prop_map(|(file, body)| Step::Outside { file, body }),
    ]
}

/// A live session: the disk after it, and the conversation it left.
#[derive(Default)]
struct Session {
    disk: HashMap<usize, String>,
    /// Files something outside changed since the session last saw them whole.
    drifted: HashMap<usize, bool>,
    records: Vec<(Call, String, Option<Receipt>, String)>,
}

impl Session {
    fn run(steps: &[Step]) -> Session {
        let mut session = Session::default();
        for step in steps {
            session.step(step);
        }
        session
    }

    fn step(&mut self, step: &Step) {
        let on_disk = |session: &Session, file: &usize| session.disk.get(file).cloned();
        match step {
            Step::Outside { file, body } => {
                self.disk.insert(*file, body.clone());
                self.drifted.insert(*file, true);
            }
            Step::Write { file, body, fate } => {
                // The tool refuses to overwrite what changed under it.
                let is_refused = self.drifted.get(file) == Some(&true);
                if !is_refused {
                    self.disk.insert(*file, body.clone());
                }
                let arguments = json!({ "path": name(*file), "content": body });
                self.record(Tool::Write, arguments, is_refused, "written".to_owned(), *fate);
            }
            Step::Edit { file, old, new, all, fate } => {
                let arguments =
                    json!({ "path": name(*file), "old_string": old, "new_string": new, "replace_all": all });
                self.edit(*file, arguments, *fate);
            }
            Step::Insert { file, line, new, fate } => {
                let arguments = json!({ "path": name(*file), "insertLine": line, "new_string": new });
                self.edit(*file, arguments, *fate);
            }
            Step::Read { file, window, fate } => {
                let body = on_disk(self, file);
                let content = body.as_deref().map_or("no such file".to_owned(), |body| {
                    // A read that was never answered showed the session nothing.
                    if *fate != Fate::Lost {
                        self.drifted.remove(file);
                    }
                    render_numbered_read(body, *window)
                });
                let arguments =
                    json!({ "path": name(*file), "offset": window.offset, "limit": window.limit });
                self.record(Tool::Read, arguments, body.is_none(), content, *fate);
            }
        }
    }

    fn edit(&mut self, file: usize, arguments: serde_json::Value, fate: Fate) {
        let is_drifted = self.drifted.get(&file) == Some(&true);
        let body = self.disk.get(&file).filter(|_| !is_drifted);
        let edited = body.and_then(|body| apply_edit(body, &arguments.to_string()).ok());
        let is_refused = edited.is_none();
        if let Some(edited) = edited {
            self.disk.insert(file, edited);
        }
        self.record(Tool::Edit, arguments, is_refused, "edited".to_owned(), fate);
    }

    fn record(
        &mut self,
        tool: Tool,
        arguments: serde_json::Value,
        is_error: bool,
        content: String,
        fate: Fate,
    ) {
        let id = self.records.len();
        let arguments = arguments.to_string();
        let call = Call {
            tool,
            id,
            id_units: 4,
            is_input_truncated: false,
            argument_units: utf16_len(&arguments),
            is_well_formed: true,
        };
        let content = if fate == Fate::Cleared { "[tool output cleared] gone".to_owned() } else { content };
        let receipt = (fate != Fate::Lost).then(|| Receipt {
            id,
            is_error,
            head: Some(content.chars().take(Receipt::HEAD_UNITS).collect()),
            units: utf16_len(&content),
        });
        self.records.push((call, arguments, receipt, content));
    }

    fn replay(&self, from: usize, to: usize) -> Replay {
        let mut conversation = Conversation::default();
        let mut contents = Vec::new();
        for (call, arguments, receipt, content) in &self.records[from..to] {
            conversation.push_call_with(call.clone(), arguments);
            if let Some(receipt) = receipt {
                conversation.push_receipt(receipt.clone());
                contents.push(content.clone());
            }
        }
        let attributions: Vec<Attribution> = (0..conversation.calls())
            .map(|call| {
                Attribution::Key(conversation.path(call).unwrap().trim_start_matches('f').parse().unwrap())
            })
            .collect();
        replay(&conversation, &attributions, Limits::default(), &mut |receipt| contents.get(receipt).cloned())
    }
}

fn name(file: usize) -> String {
    format!("f{file}")
}

proptest! {
    // The same cases everywhere: a failure is a failure for everybody.
    #![proptest_config(ProptestConfig {
        cases: 1_024,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(20_261_201),
        ..ProptestConfig::default()
    })]

    /// What is rebuilt is what the live run left, or less; and two replays agree.
    #[test]
    fn a_rebuilt_ledger_is_the_live_one_or_smaller(steps in prop::collection::vec(step(), 0..40)) {
        let session = Session::run(&steps);
        let replayed = session.replay(0, session.records.len());
        for path in &replayed.witnessed {
            if session.drifted.get(&path.key) != Some(&true) {
                prop_assert_eq!(Some(path.bodies.last().unwrap()), session.disk.get(&path.key));
            }
        }
        prop_assert_eq!(&replayed, &session.replay(0, session.records.len()));
    }

    /// Cut in two, the later half claims nothing the whole does not; the earlier nothing it could not know.
    #[test]
    fn the_rest_of_a_history_never_claims_more_than_the_whole(
        steps in prop::collection::vec(step(), 0..40),
        cut in 0..40_usize,
    ) {
        let session = Session::run(&steps);
        let end = session.records.len();
        let cut = cut.min(end);
        let (whole, rest) = (session.replay(0, end), session.replay(cut, end));
        for path in &rest.witnessed {
            let same = whole.witnessed.iter().find(|other| other.key == path.key);
            prop_assert_eq!(same.map(|same| same.bodies.last()), Some(path.bodies.last()));
        }
        // Mutations of the rest decide; where it has none of a file, the first part's claim may stand.
        let before = session.replay(0, cut);
        for path in &whole.witnessed {
            let is_later = rest.witnessed.iter().any(|other| other.key == path.key);
            let is_earlier = before.witnessed.iter().any(|other| other.key == path.key);
            prop_assert!(is_later || is_earlier, "a claim out of nowhere");
        }
    }

    /// Any bytes as arguments: an answer, never a panic.
    #[test]
    fn any_arguments_are_read(text in "\\PC{0,80}") {
        let mut conversation = Conversation::default();
        for tool in [Tool::Write, Tool::Edit, Tool::Read] {
            let call = Call {
                tool, id: 0, id_units: 1, is_input_truncated: false,
                argument_units: utf16_len(&text), is_well_formed: true,
            };
            conversation.push_call_with(call, &text);
        }
        prop_assert_eq!(serde_json::from_str::<serde_json::Value>(&text).is_err() && conversation.path(0).is_some(), false);
        let _ = apply_edit(&text, &text);
    }
}

/// A small generator of numbers, for many cheap cases.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound
    }

    fn text(&mut self, most: usize) -> String {
        const WORDS: &[&str] = &["a", "b", "aa", "é", "漢", "😀", "\n", "\r\n", "\r", " ", "\u{FEFF}"];
        (0..self.below(most + 1)).map(|_| WORDS[self.below(WORDS.len())]).collect()
    }
}

#[test]
fn the_predicted_length_is_the_built_length_on_200_000_operations() {
    let mut random = Random(20_261_201);
    let (mut applied, mut refused) = (0, 0);
    for _ in 0..200_000 {
        let body = random.text(24);
        let operation = |random: &mut Random| json!({ "old_string": random.text(2), "new_string": random.text(4), "replace_all": random.below(2) == 0 });
        let arguments = match random.below(4) {
            0 => json!({ "insertLine": random.below(6), "new_string": random.text(4) }),
            1 => json!({ "edits": [operation(&mut random), operation(&mut random)] }),
            _ => operation(&mut random),
        };
        let arguments = arguments.to_string();
        let limit = 1_000_u64;
        let mut remaining = limit;
        match replay_hop(&body, &arguments, &mut remaining) {
            Ok(built) => {
                applied += 1;
                let charge = limit - remaining;
                let units = utf16_len(&built) as u64;
                // A batch is charged for the longest text it held; any other call for the one it built.
                let is_batch = arguments.starts_with("{\"edits\"");
                assert!(if is_batch { charge >= units } else { charge == units });
                // With exactly that much room it is built, with one unit less it is refused.
                let mut exact = charge;
                assert_eq!(replay_hop(&body, &arguments, &mut exact).as_ref(), Ok(&built));
                assert_eq!(exact, 0);
                if charge > 0 {
                    assert_eq!(replay_hop(&body, &arguments, &mut (charge - 1)), Err(Failure::OverBudget));
                }
            }
            Err(_) => refused += 1,
        }
    }
    assert!(applied > 50_000 && refused > 20_000, "{applied} applied, {refused} refused");
}
