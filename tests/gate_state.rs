//! The books against golden sequences, the labelled tables, and what must hold for any sequence.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic
)]

use agent_evidence::gate::{
    Change, Gate, Problem, Reason, added_lines_by_file, detect_check_weakening, extract_added_lines,
    follow_up_message, is_check_own_file,
};
use proptest::prelude::*;
use serde_json::{Value, json};

fn data(name: &str) -> String {
    let path = format!("{}/tests/data/gate/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn snapshot(gate: &Gate) -> Value {
    serde_json::from_str(&gate.snapshot()).unwrap()
}

/// What a host can see of a gate.
fn visible(gate: &Gate) -> Value {
    let problem = gate.problem().map(|problem| match problem {
        Problem::Failed => "failed",
        Problem::Missing => "missing",
    });
    let state = snapshot(gate);
    let suspects: Vec<String> = gate.tamper_suspects().into_iter().map(|suspect| suspect.file_path).collect();
    json!({
        "revision": gate.revision(), "isOwed": gate.is_owed(), "isTamperOwed": gate.is_tamper_owed(),
        "pendingReason": gate.pending_reason(), "willInject": gate.pending_reason().is_some(),
        "problem": problem, "suspects": suspects, "files": state["files"], "seq": state["seq"],
    })
}

#[test]
fn golden_sequences_match_after_every_operation() {
    let sequences: Vec<Value> = serde_json::from_str(&data("sequences.json")).unwrap();
    assert!(sequences.len() >= 120);
    for sequence in &sequences {
        let mut gate = Gate::new();
        for (index, operation) in sequence["operations"].as_array().unwrap().iter().enumerate() {
            let args = operation["args"].as_array().unwrap();
            let text = |at: usize| args.get(at).and_then(Value::as_str);
            let number = |at: usize| args.get(at).and_then(Value::as_u64);
            let mut returns = Value::Null;
            match operation["call"].as_str().unwrap() {
                "recordMutation" => {
                    gate.record_mutation(text(0).unwrap(), text(1).map_or(Change::Unknown, Change::Added));
                }
                "recordVerification" => {
                    gate.record_verification(number(0), text(1).unwrap_or("verification"));
                }
                "recordFailedVerification" => gate.record_failed_verification(text(0).unwrap(), number(1)),
                "requireFreshVerification" => {
                    gate.require_fresh_verification(args[0].as_bool().unwrap(), None);
                }
                "beginRun" => gate.begin_run(),
                "snapshotRestore" => {
                    let kept = gate.snapshot();
                    gate.restore(&kept);
                }
                "followUp" => {
                    if let Some(demand) = gate.follow_up() {
                        let kind = if demand.reason == Reason::Tamper { "tamper" } else { "demand" };
                        returns = json!({ "count": 1, "kind": kind });
                    }
                }
                other => panic!("unknown call {other}"),
            }
            let place = format!("{} operation {index}", sequence["name"]);
            assert_eq!(returns, operation["returns"], "{place}");
            assert_eq!(visible(&gate), operation["after"], "{place}");
        }
    }
}

/// Rows of `label TAB text`, and how often `judge` agrees.
fn measure(name: &str, least: usize, judge: impl Fn(&str) -> Vec<String>) {
    let text = data(name);
    let (mut right, mut false_marks, mut missed, mut rows) = (0, Vec::new(), Vec::new(), 0);
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with("#\t")) {
        let (label, sample) = line.split_once('\t').expect("two columns");
        rows += 1;
        let mut found = judge(sample);
        found.sort();
        let mut expected: Vec<&str> = label.split(" & ").filter(|name| *name != "-").collect();
        expected.sort_unstable();
        for name in &found {
            if expected.contains(&name.as_str()) {
                right += 1;
            } else {
                false_marks.push(format!("{name}: {sample}"));
            }
        }
        missed.extend(
            expected
                .iter()
                .filter(|name| !found.iter().any(|other| other == *name))
                .map(|name| format!("{name}: {sample}")),
        );
    }
    let share = |wrong: usize| 100.0 * right as f64 / (right + wrong).max(1) as f64;
    println!(
        "{name}: {rows} rows, precision {:.1} %, recall {:.1} %",
        share(false_marks.len()),
        share(missed.len())
    );
    assert!(rows >= least, "{name} has {rows} rows");
    assert!(false_marks.is_empty() && missed.is_empty(), "false: {false_marks:#?}\nmissed: {missed:#?}");
}

#[test]
fn check_file_paths_are_told_apart() {
    measure("check-files.tsv", 120, |path| {
        if is_check_own_file(path) { vec!["check".to_owned()] } else { Vec::new() }
    });
}

#[test]
fn weakening_markers_are_told_from_their_mention() {
    measure("markers.tsv", 100, |text| {
        detect_check_weakening(&text.replace("\\n", "\n").replace("\\r", "\r"))
            .into_iter()
            .map(str::to_owned)
            .collect()
    });
}

#[test]
fn a_marker_that_a_later_edit_takes_out_stops_counting() {
    let mut gate = Gate::new();
    gate.record_mutation("src/a.ts", Change::Added("// @ts-ignore\nit.skip('x', f)"));
    assert_eq!(gate.tamper_suspects()[0].reason, "adds @ts-ignore, it.skip");
    gate.record_mutation("src/a.ts", Change::Whole { after: "// @ts-ignore\nx", before: None });
    assert_eq!(gate.tamper_suspects()[0].reason, "adds @ts-ignore");
    gate.record_mutation("src/a.ts", Change::Whole { after: "x", before: None });
    assert!(gate.tamper_suspects().is_empty());
    gate.record_mutation("src/a.test.ts", Change::Whole { after: "x", before: None });
    assert_eq!(gate.tamper_suspects().len(), 1, "a test stays suspect");
}

#[test]
fn markers_the_file_had_before_do_not_start_to_count() {
    let mut gate = Gate::new();
    let before = "# noqa\nx = 1  # noqa\n";
    gate.record_mutation("a.py", Change::Whole { after: "# noqa\nx = 2  # noqa\n", before: Some(before) });
    assert!(gate.tamper_suspects().is_empty());
    gate.record_mutation("a.py", Change::Whole { after: "#noqa\n#noqa\n#noqa\n", before: Some(before) });
    assert_eq!(gate.tamper_suspects().len(), 1);
}

#[test]
fn the_next_demand_explains_a_rejected_check_and_a_cause_once() {
    let mut gate = Gate::new();
    gate.record_mutation("b.rs", Change::Unknown);
    gate.record_mutation("a.rs", Change::Unknown);
    gate.record_rejected_check("npm test || true", "its exit code is always 0");
    gate.require_fresh_verification(true, Some("a sub-agent changed files"));
    let demand = gate.follow_up().unwrap();
    assert_eq!(demand.files, ["a.rs", "b.rs"]);
    let text = follow_up_message(&demand);
    assert!(text.contains("- npm test || true: its exit code is always 0"), "{text}");
    assert!(text.contains("A fresh check is required: a sub-agent changed files"), "{text}");
    assert!(gate.follow_up().is_none());
    gate.record_verification(None, "npm test");
    gate.record_mutation("c.rs", Change::Unknown);
    let again = gate.follow_up().unwrap();
    assert!(again.reason == Reason::Recheck && again.rejected_checks.is_empty() && again.cause.is_none());
}

#[test]
fn suspicion_survives_a_snapshot_and_is_not_disclosed_twice() {
    let mut gate = Gate::new();
    gate.record_mutation("src/é漢😀.test.ts", Change::Unknown);
    gate.record_verification(None, "npm test");
    let mut other = Gate::new();
    other.restore(&gate.snapshot());
    assert!(other.is_tamper_owed() && other.pending_reason() == Some(Reason::Tamper));
    assert!(other.follow_up().is_some());
    let kept = other.snapshot();
    other.restore(&kept);
    assert!(other.is_tamper_owed() && other.pending_reason().is_none());
}

#[test]
fn a_command_is_never_in_clear_and_compares_without_white_space() {
    let mut gate = Gate::new();
    gate.record_failed_verification("  TOKEN=hunter2\t npm   test\r\n", None);
    let text = gate.snapshot();
    assert!(!text.contains("hunter2") && !text.contains("npm"), "{text}");
    gate.restore(&text);
    gate.record_verification(None, "TOKEN=hunter2 npm test");
    assert!(!gate.is_owed());
}

#[test]
fn failures_beyond_the_cap_are_not_forgotten() {
    let mut gate = Gate::new();
    for index in 0..10_050 {
        gate.record_failed_verification(&format!("check {index}"), None);
    }
    for index in 0..10_050 {
        gate.record_verification(None, &format!("check {index}"));
    }
    assert!(gate.is_owed());
    gate.record_mutation("a.rs", Change::Unknown);
    gate.record_verification(None, "check 1");
    assert!(!gate.is_owed());
}

const HASH: &str = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

fn plain() -> Value {
    json!({ "version": 1, "seq": 4, "mutation": 3, "verified": 4, "files": [], "failedChecks": [], "unknown": false })
}

#[test]
fn restore_takes_bare_hashes_and_pairs() {
    for checks in [json!([HASH]), json!([[HASH, 2]]), json!([format!("{HASH}@3")])] {
        let mut value = plain();
        value["failedChecks"] = checks;
        let mut gate = Gate::new();
        gate.restore(&value.to_string());
        assert_eq!(gate.problem(), Some(Problem::Failed));
        assert_eq!((gate.revision(), snapshot(&gate)["seq"].as_u64()), (3, Some(4)));
        gate.record_verification(None, "test");
        assert!(!gate.is_owed());
    }
}

#[test]
fn any_malformed_snapshot_fails_closed() {
    let mut good = Gate::new();
    good.restore(&plain().to_string());
    assert!(!good.is_owed(), "the sample itself is sound");
    let wrong = [
        json!(null),
        json!(true),
        json!("x"),
        json!(-1),
        json!(1.5),
        json!({}),
        json!([]),
        json!([1]),
        json!(["x"]),
        json!(9_007_199_254_740_993_u64),
    ];
    let mut bad: Vec<String> = ["", "null", "[]", "{", "1", "\"x\"", "{}"].map(str::to_owned).to_vec();
    for key in plain().as_object().unwrap().keys() {
        let mut missing = plain();
        missing.as_object_mut().unwrap().remove(key);
        bad.push(missing.to_string());
        for value in &wrong {
            let mut changed = plain();
            changed[key] = value.clone();
            // A list of one name, an empty list and a true `unknown` are sound in their places.
            let sound = (key == "files" && (value == &json!(["x"]) || value == &json!([])))
                || (key == "failedChecks" && value == &json!([]))
                || (key == "unknown" && value == &json!(true));
            if !sound {
                bad.push(changed.to_string());
            }
        }
    }
    let many: Vec<String> = (0..10_001).map(|index| index.to_string()).collect();
    let suspect = json!({ "filePath": "a.test.ts", "since": 1, "checkFile": true, "markers": [] });
    let with = |key: &str, value: Value| {
        let mut changed = plain();
        changed[key] = value;
        changed.to_string()
    };
    bad.extend([
        with("version", json!(2)),
        with("mutation", json!(5)),
        with("verified", json!(5)),
        with("seq", json!(u64::from(u32::MAX))),
        with("files", json!(many)),
        with("failedChecks", json!([HASH.to_uppercase()])),
        with("failedChecks", json!([&HASH[1..]])),
        with("failedChecks", json!([format!("{HASH}@")])),
        with("failedChecks", json!([format!("{HASH}@-1")])),
        with("failedChecks", json!([format!("{HASH}@+1")])),
        with("failedChecks", json!([format!("{HASH}@01")])),
        with("failedChecks", json!([format!("{HASH}@5")])),
        with("failedChecks", json!([[HASH, 1, 2]])),
        with("failedChecks", json!([[HASH]])),
        with("failedChecks", json!([[HASH, "1"]])),
        with("suspicion", json!([])),
        with("suspicion", json!({ "suspects": [suspect], "verified": 5, "demands": 0 })),
        with("suspicion", json!({ "suspects": [{ "filePath": "a" }], "verified": 0, "demands": 0 })),
        with("suspicion", json!({ "suspects": [{ "filePath": "a", "since": 1, "checkFile": false, "markers": [] }], "verified": 0, "demands": 0 })),
    ]);
    for text in bad {
        let mut gate = Gate::new();
        gate.restore(&text);
        assert!(gate.is_owed(), "{}", &text[..text.len().min(200)]);
        assert_eq!(gate.revision(), 0);
    }
}

#[derive(Debug, Clone)]
enum Step {
    Mutate(usize, Option<usize>, bool),
    Pass(Option<u64>, usize),
    Fail(usize, Option<u64>),
    Fresh(bool),
    Reject,
    Stop,
    Begin,
    Reload,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (0..5_usize, prop::option::of(0..4_usize), any::<bool>()).prop_map(|(file, text, whole)| Step::Mutate(file, text, whole)),
        4 => (prop::option::of(0..12_u64), 0..4_usize).prop_map(|(revision, command)| Step::Pass(revision, command)),
        3 => (0..4_usize, prop::option::of(0..12_u64)).prop_map(|(command, revision)| Step::Fail(command, revision)),
        1 => any::<bool>().prop_map(Step::Fresh),
        1 => Just(Step::Reject),
        3 => Just(Step::Stop),
        1 => Just(Step::Begin),
        1 => Just(Step::Reload),
    ];
    prop::collection::vec(step, 0..60)
}

const FILES: [&str; 5] = ["src/a.ts", "src/é漢😀.rs", "a.test.ts", "README.md", ""];
const TEXTS: [&str; 4] = ["const ok = 1;", "// @ts-ignore", "x = 1  # noqa\r\n", "\u{FFFD}"];
const COMMANDS: [&str; 4] = ["npm test", "cargo test", "pytest", ""];

fn take(gate: &mut Gate, step: &Step) {
    match *step {
        Step::Mutate(file, text, whole) => {
            let change = match text.map(|text| TEXTS[text]) {
                None => Change::Unknown,
                Some(after) if whole => Change::Whole { after, before: None },
                Some(text) => Change::Added(text),
            };
            gate.record_mutation(FILES[file], change);
        }
        Step::Pass(revision, command) => gate.record_verification(revision, COMMANDS[command]),
        Step::Fail(command, revision) => gate.record_failed_verification(COMMANDS[command], revision),
        Step::Fresh(invalidate) => gate.require_fresh_verification(invalidate, Some("cause")),
        Step::Reject => gate.record_rejected_check("npm test || true", "no proof"),
        Step::Stop => {
            gate.follow_up();
        }
        Step::Begin => gate.begin_run(),
        Step::Reload => {
            let kept = gate.snapshot();
            gate.restore(&kept);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn only_a_counted_check_at_the_current_revision_clears_a_debt(steps in steps()) {
        let mut gate = Gate::new();
        for step in &steps {
            let (owed, revision, seq) = (gate.is_owed(), gate.revision(), snapshot(&gate)["seq"].as_u64());
            take(&mut gate, step);
            if owed && !gate.is_owed() {
                let Step::Pass(at, _) = step else { panic!("{step:?} cleared a debt") };
                prop_assert!(at.is_none_or(|at| at == revision));
                prop_assert_eq!(snapshot(&gate)["seq"].as_u64(), seq.map(|seq| seq + 1));
            }
            prop_assert!(gate.revision() >= revision);
        }
    }

    #[test]
    fn budgets_are_never_exceeded(steps in steps()) {
        let mut gate = Gate::new();
        let (mut initial, mut recheck, mut tamper) = (0, 0, 0);
        for step in &steps {
            match step {
                Step::Begin | Step::Reload => (initial, recheck, tamper) = (0, 0, 0),
                Step::Stop => match gate.pending_reason() {
                    Some(Reason::Initial) => initial += 1,
                    Some(Reason::Recheck) => recheck += 1,
                    Some(Reason::Tamper) => tamper += 1,
                    None => {}
                },
                _ => {}
            }
            let announced = gate.pending_reason();
            let mut copy = gate.clone();
            prop_assert_eq!(copy.follow_up().map(|demand| demand.reason), announced);
            take(&mut gate, step);
            prop_assert!(initial <= 1 && recheck <= 1 && initial + recheck <= 2 && tamper <= 1);
        }
    }

    #[test]
    fn a_snapshot_restores_what_was_visible(steps in steps()) {
        let mut gate = Gate::new();
        for step in &steps {
            take(&mut gate, step);
        }
        let mut other = Gate::new();
        other.record_mutation("other.rs", Change::Unknown);
        other.restore(&gate.snapshot());
        let mut seen = [visible(&gate), visible(&other)];
        for value in &mut seen {
            // A restored gate has touched nothing yet: that is a new run's matter.
            value.as_object_mut().unwrap().retain(|key, _| key != "pendingReason" && key != "willInject");
        }
        prop_assert_eq!(&seen[0], &seen[1]);
        prop_assert_eq!(gate.snapshot(), other.snapshot());
        let mut moved = Gate::load(&gate.dump());
        prop_assert_eq!(moved.dump(), gate.dump());
        prop_assert_eq!(visible(&moved), visible(&gate));
        prop_assert_eq!(moved.follow_up(), gate.follow_up());
    }

    #[test]
    fn no_text_breaks_the_scanners(text in "[-+@ #/*\"'`\\\\|(){}\\n\\r é漢😀a-z:=.<>0-9]{0,200}") {
        detect_check_weakening(&text);
        is_check_own_file(&text);
        let all = extract_added_lines(&text);
        let files = added_lines_by_file(&text);
        let sum: usize = files.iter().map(|file| file.added_text.len()).sum();
        prop_assert!(sum <= all.len());
    }

    #[test]
    fn any_string_restores_closed(text in "\\PC{0,80}") {
        let mut gate = Gate::new();
        gate.restore(&text);
        prop_assert!(gate.is_owed());
    }
}

#[test]
fn huge_and_hostile_texts_are_read() {
    let unit = 8 << 20;
    for piece in [
        "// // ",
        "# # ",
        "\"\"\"\n",
        "/*",
        "|| true\" ",
        "strict: ",
        "((((",
        "'",
        "\\",
        "@@ -1 +1 @@\n+a\n",
        "-",
        "+x\n",
        "\u{FFFD}",
    ] {
        let text = piece.repeat(unit / piece.len());
        detect_check_weakening(&text);
        extract_added_lines(&text);
        added_lines_by_file(&text);
    }
}
