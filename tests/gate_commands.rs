//! The labelled commands, the reach of the tables, hostile lines and properties.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic
)]

use agent_evidence::gate::commands::{
    Classification, classify_verification_command, explain_command, is_verification_command,
};
use std::collections::BTreeMap;

const COMMANDS: &str = include_str!("data/gate/commands.tsv");

fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some('n') => out.push('\n'),
                Some('r') => out.push('\r'),
                Some(other) => out.push(other),
                None => out.push('\\'),
            },
            other => out.push(other),
        }
    }
    out
}

fn rows() -> Vec<(&'static str, &'static str, String)> {
    let lines = COMMANDS.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let mut fields = line.splitn(3, '\t');
            let mut next = || fields.next().expect("three fields");
            (next(), next(), unescaped(next()))
        })
        .collect()
}

fn label(classification: &Classification) -> &'static str {
    match (classification.accepted, classification.candidate) {
        (true, _) => "proof",
        (false, true) => "attempt",
        (false, false) => "no",
    }
}

#[test]
fn every_labelled_command_is_classified_as_its_tools_documentation_says() {
    let rows = rows();
    assert!(rows.len() >= 250);
    let mut wrong = Vec::new();
    let mut totals: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (table, expected, command) in &rows {
        let classification = classify_verification_command(command);
        let total = totals.entry(table).or_default();
        total.1 += 1;
        if label(&classification) == *expected {
            total.0 += 1;
        } else {
            wrong.push(format!(
                "{table}: {command:?} is {} ({}), labelled {expected}",
                label(&classification),
                classification.reason.phrase()
            ));
        }
    }
    assert!(wrong.is_empty(), "{totals:?}\n{}", wrong.join("\n"));
}

#[test]
fn a_hostile_line_is_read_in_bounded_stack_and_linear_time() {
    let deep = |open: &str, close: &str| format!("{}npm test{}", open.repeat(5_000), close.repeat(5_000));
    let lines = [
        deep("(", ")"),
        deep("( ", " )"),
        deep("{ ", "; }"),
        deep("$(", ")"),
        deep("\"$(", ")\""),
        deep("${a:-", "}"),
        deep("<(", ")"),
        deep("a=(", ")"),
        deep("if ", "; then a; fi"),
        deep("while ", "; do a; done"),
        deep("f() ", ""),
        deep("! ", ""),
        deep("eval ", ""),
        deep("env ", ""),
        deep("bash -c ", ""),
        deep("case a in a) ", ";; esac"),
        "$((".repeat(50_000),
        "(( # )\n((\n) )\n".repeat(20_000),
        "`a ".repeat(100_001),
        "a;".repeat(100_000),
        "a && ".repeat(100_000),
        "a | ".repeat(100_000),
        "a\n".repeat(100_000),
        "<<A ".repeat(50_000) + "\n" + &"A\n".repeat(50_000),
        "a <<A\nb\nA\n".repeat(50_000),
        "{$a".repeat(100_000),
        "npm test ".to_owned() + &"--x ".repeat(200_000),
        "npm test '".to_owned() + &"x".repeat(1_000_000),
        "npm test \"".to_owned() + &"$x".repeat(500_000),
        "x".repeat(1_000_000),
        "\\".repeat(1_000_000),
        "\"".repeat(999_999),
        "é漢😀".repeat(100_000),
        ">a ".repeat(100_000),
        "a=b ".repeat(100_000),
        "docker compose ".repeat(50_000),
        "npx ".repeat(100_000) + "jest",
    ];
    // A megabyte of stack is what the WebAssembly build has; native frames are no smaller.
    let work = move || {
        for line in lines {
            let classification = classify_verification_command(&line);
            assert!(!classification.accepted || line.starts_with("npm test --x"));
            assert_eq!(classification, explain_command(&line).0);
        }
    };
    std::thread::Builder::new()
        .stack_size(512 << 10)
        .spawn(work)
        .expect("a thread")
        .join()
        .expect("no overflow");
}

#[test]
fn a_line_that_does_not_parse_is_an_attempt_only_when_its_first_words_say_so() {
    for (line, candidate) in [
        ("npm test 'open", true),
        ("cargo test \"open", true),
        ("cargo test) ", true),
        ("echo 'npm test", false),
        ("(npm test", false),
        ("'npm' test 'open", false),
        ("npm tes't", false),
        ("npm install 'open", false),
    ] {
        let classification = classify_verification_command(line);
        assert_eq!(classification.reason.code.as_str(), "unreadable", "{line}");
        assert_eq!((classification.accepted, classification.candidate), (false, candidate), "{line}");
    }
}

#[test]
fn what_bash_refuses_is_unreadable_and_what_it_takes_is_read() {
    for line in [
        "a | ! b",
        "a |& ! b",
        "A=m(date) npm test",
        "a >A=(b c)",
        "a <<EOFA=(b)",
        "((\"1+2))",
        "echo $((1`+2))",
        "for ((i=0; i<3)); do a; done",
    ] {
        assert_eq!(classify_verification_command(line).reason.code.as_str(), "unreadable", "{line}");
    }
    for line in [
        "npm test\n!",
        "time",
        "A=(a b) npm test",
        "A+=(a) npm test",
        "echo $'a\\#b\\v\\a\\f'",
        "(( a[\"x\\\"y\"] ))",
        "((echo \"a\\\"b\") && npm test)",
    ] {
        assert_ne!(classify_verification_command(line).reason.code.as_str(), "unreadable", "{line}");
    }
    assert!(!classify_verification_command("npm test\n!").accepted);
}

#[test]
fn a_reason_names_the_words_at_fault() {
    for (line, code, words) in [
        ("npm test", "check", "`npm test`"),
        ("npm test || true", "alternative", "`||`"),
        ("npm test | tail", "pipe", "pipefail"),
        ("npm test; ls", "sequence", "`&&`"),
        ("npm test &", "background", "background"),
        ("cargo test --no-run", "weak-option", "`--no-run`"),
        ("npm run lint:fix", "weak-option", "`lint:fix`"),
        ("PATH=/x npm test", "environment", "`PATH`"),
        ("rm -rf x && npm test", "other-command", "`rm`"),
        ("ng test", "missing-option", "`--watch=false` or `--no-watch` or `CI=1`"),
        ("pytest $A", "unknown-argument", "`$A`"),
        ("! npm test", "negated", "`!`"),
        ("x=$(npm test)", "substitution", "substitution"),
        ("ls | xargs pytest", "hidden-status", "`xargs`"),
        ("xargs -n1 pytest", "hidden-status", "`xargs`"),
        ("if npm test; then ls; fi", "compound", "`if`"),
        ("npm() { :; } && npm test", "redefined", "`npm`"),
        ("bash <<A\nnpm test\nA", "here-document", "standard input"),
        ("npm test $(", "unreadable", "parse"),
        ("ls", "no-check", "nothing"),
    ] {
        let reason = classify_verification_command(line).reason;
        assert_eq!(reason.code.as_str(), code, "{line}");
        assert!(reason.phrase().contains(words), "{line}: {}", reason.phrase());
        assert!(!reason.phrase().contains("{}"), "{line}: {}", reason.phrase());
    }
}

#[test]
fn an_explained_line_shows_its_words_in_order_with_what_they_are() {
    let show = |line: &str| {
        let (_, words) = explain_command(line);
        let word = |word: &agent_evidence::gate::commands::ExplainedWord| {
            let sign = if word.decides { "!" } else { "" };
            format!("{}{sign}:{}", word.span.of(line), format!("{:?}", word.role).to_lowercase())
        };
        words.iter().map(word).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        show("CI=1 timeout -k 5 60 npm run 'test:é' --x=漢 2>&1 && cd 😀"),
        "CI=1:assignment timeout:wrapper -k:option 5:argument 60:argument npm!:tool run!:subcommand \
         'test:é'!:task --x=漢:option 2>&1:redirection &&:operator cd:tool 😀:argument"
    );
    assert_eq!(
        show("cargo nextest run | tail"),
        "cargo:tool nextest:subcommand run:subcommand |!:operator tail:tool"
    );
    assert_eq!(show("! (npm test)"), "!!:keyword (:keyword npm:tool test:subcommand");
    assert_eq!(show("bash -c 'npm test'"), "bash:wrapper -c:option 'npm test'!:argument");
    assert_eq!(show("  & npm test"), "npm!:tool test!:subcommand");
    assert_eq!(show("npm '"), "");
    assert_eq!(show(""), "");
}

mod properties {
    use super::*;
    use proptest::prelude::*;

    const PARTS: &[&str] = &[
        "npm",
        "test",
        "run",
        "cargo",
        "pytest",
        "make",
        "-m",
        "-c",
        "--",
        "--watch",
        "--fix",
        "env",
        "bash",
        "sudo",
        "&&",
        "||",
        ";",
        "&",
        "|",
        "(",
        ")",
        "{",
        "}",
        "'",
        "\"",
        "\\",
        "$",
        "$(",
        "`",
        "${",
        "}",
        "<<A",
        "\nA\n",
        "\n",
        "\r\n",
        ">",
        "2>&1",
        "<(",
        "if",
        "then",
        "fi",
        "for",
        "in",
        "do",
        "done",
        "case",
        "esac",
        ";;",
        "!",
        "time",
        "[[",
        "]]",
        "((",
        "))",
        "#",
        "=",
        "A=b",
        "PATH=x",
        "CI=1",
        "*",
        "é",
        "漢",
        "😀",
        "\u{FFFD}",
        "-",
        "echo",
        "set",
        "-o",
        "pipefail",
        "python3.11",
        "x.py",
        "@",
        "+",
        "~",
    ];

    fn line() -> impl Strategy<Value = String> {
        prop::collection::vec(
            (prop::sample::select(PARTS), prop::sample::select(&["", " ", " ", " "][..])),
            0..24,
        )
        .prop_map(|parts| parts.into_iter().flat_map(|(part, space)| [part, space]).collect())
    }

    fn holds(line: &str) -> Result<(), TestCaseError> {
        let (classification, words) = explain_command(line);
        prop_assert_eq!(&classification, &classify_verification_command(line));
        prop_assert!(!classification.accepted || classification.candidate);
        prop_assert_eq!(classification.candidate, is_verification_command(line));
        let code = classification.reason.code.as_str();
        prop_assert_eq!(classification.accepted, code == "check");
        prop_assert!(classification.candidate || ["no-check", "background", "unreadable"].contains(&code));
        for word in &words {
            prop_assert!(word.span.start < word.span.end && !word.span.of(line).is_empty());
        }
        prop_assert!(words.is_sorted_by_key(|word| word.span.start));
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

        #[test]
        fn any_text_has_a_consistent_answer(line in "\\PC{0,60}") {
            holds(&line)?;
        }

        #[test]
        fn any_shell_like_text_has_a_consistent_answer(line in line()) {
            holds(&line)?;
        }

        #[test]
        fn what_may_fail_or_hide_after_a_check_is_never_accepted(line in line()) {
            // A comment or the text of a here-document would take in what is added.
            let line = line.replace('#', "").replace("<<", "");
            for spoiled in [
                format!("{line} || true"),
                format!("{line} ; true"),
                format!("{line} &"),
                format!("! {{ {line}\n}}"),
                format!("echo $({line})"),
            ] {
                let classification = classify_verification_command(&spoiled);
                prop_assert!(!classification.accepted, "{}", spoiled);
            }
        }

        #[test]
        fn a_quoted_line_is_one_word(line in line()) {
            let quoted = line.replace('\'', "");
            let answer = classify_verification_command(&format!("echo '{quoted}'"));
            prop_assert_eq!((answer.accepted, answer.candidate), (false, false));
        }
    }
}
