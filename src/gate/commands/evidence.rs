//! Finds in a conversation the checks that ran, with the exit status that the host recorded.
//!
//! An exit status is believed where the host wrote it: in the receipt's metadata, in a receipt that
//! is a JSON object, or as the receipt's first or last line in one of the usual forms
//! (`exit code: 0`). Text in between is the command's own and proves nothing. No status, two that
//! differ, or a 0 on a receipt that says it is an error: unknown, and unknown is no evidence.

use super::{Classification, classify_verification_command};
use crate::collections::StringMap;
use crate::limits::MAX_EVIDENCE_ARGUMENTS;
use serde_json::Value;

/// A tool call of the conversation.
#[derive(Debug, Clone, Copy)]
pub struct ToolCall<'t> {
    /// The id its receipt names.
    pub id: &'t str,
    /// The tool.
    pub name: &'t str,
    /// Its arguments as JSON.
    pub arguments: &'t str,
    /// The message's index.
    pub message: usize,
    /// The index among the message's calls.
    pub index: usize,
}

/// A receipt of the conversation.
#[derive(Debug, Clone, Copy)]
pub struct ToolResult<'t> {
    /// The id of the call it answers.
    pub call_id: &'t str,
    /// Its text.
    pub content: &'t str,
    /// What the host recorded beside it, as JSON; empty when there is nothing.
    pub metadata: &'t str,
    /// Whether the host calls it an error; `None` when it does not say.
    pub is_error: Option<bool>,
    /// The message's index.
    pub message: usize,
}

/// A check that ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerificationEvidence {
    /// The shell line.
    pub command: String,
    /// The id of the call.
    pub call_id: String,
    /// Index of the message with the call.
    pub call_message: usize,
    /// Index of the call in its message.
    pub call_index: usize,
    /// Index of the message with the receipt.
    pub result_message: Option<usize>,
    /// The exit status the host recorded.
    pub exit_code: Option<i32>,
    /// What the line is worth.
    pub classification: Classification,
}

impl VerificationEvidence {
    /// True when the line is accepted and its exit status is known: it passed or failed.
    pub fn counts(&self) -> bool {
        self.classification.accepted && self.exit_code.is_some()
    }

    /// True when the check counts and passed.
    pub fn passed(&self) -> bool {
        self.classification.accepted && self.exit_code == Some(0)
    }
}

/// What is read as a shell call, and as a status.
#[derive(Debug, Clone, Copy)]
pub struct EvidenceOptions<'o> {
    /// Names of the tools that run a shell line; any case.
    pub shell_tools: &'o [&'o str],
    /// The host sets `is_error` exactly when the exit status is not 0.
    pub trusts_is_error: bool,
}

/// Names that shell tools have in the usual agents.
pub const DEFAULT_SHELL_TOOLS: &[&str] = &[
    "bash",
    "cmd",
    "exec",
    "exec_command",
    "execute_command",
    "local_shell",
    "powershell",
    "pwsh",
    "run_bash",
    "run_command",
    "run_in_terminal",
    "run_shell",
    "run_shell_command",
    "run_terminal_cmd",
    "run_terminal_command",
    "sh",
    "shell",
    "shell_command",
    "terminal",
    "zsh",
];

/// Every call that runs, or tries to run, a check, in the order of the calls.
///
/// A call whose id another call has too, that no later receipt or more than one receipt answers, or
/// that was started in the background, has no exit status. Bounds: [`MAX_EVIDENCE_ARGUMENTS`].
pub fn collect_verification_evidence(
    calls: &[ToolCall<'_>],
    results: &[ToolResult<'_>],
    options: EvidenceOptions<'_>,
) -> Vec<VerificationEvidence> {
    // How many calls have an id, how many receipts answer it, and the place of the last one.
    let mut ids: StringMap<(usize, usize, usize)> = StringMap::default();
    for call in calls {
        ids.change(call.id, |id| id.0 += 1);
    }
    for (place, result) in results.iter().enumerate() {
        ids.change(result.call_id, |id| *id = (id.0, id.1 + 1, place));
    }
    let mut found = Vec::new();
    for call in calls {
        if !options.shell_tools.iter().any(|name| name.eq_ignore_ascii_case(call.name)) {
            continue;
        }
        let Some((command, is_background)) = command_of(call.arguments) else { continue };
        let classification = classify_verification_command(&command);
        if !classification.candidate {
            continue;
        }
        let answer = match ids.get(call.id) {
            Some((1, 1, place)) => results.get(*place).filter(|only| only.message > call.message),
            _ => None,
        };
        found.push(VerificationEvidence {
            command,
            call_id: call.id.to_owned(),
            call_message: call.message,
            call_index: call.index,
            result_message: answer.map(|answer| answer.message),
            exit_code: answer.filter(|_| !is_background).and_then(|answer| exit_code(answer, options)),
            classification,
        });
    }
    found
}

/// The shell line among a call's arguments, and whether it was sent to the background.
fn command_of(arguments: &str) -> Option<(String, bool)> {
    if arguments.len() > MAX_EVIDENCE_ARGUMENTS {
        return None;
    }
    let Ok(Value::Object(arguments)) = serde_json::from_str::<Value>(arguments) else { return None };
    let command = ["command", "cmd", "script"].iter().find_map(|key| arguments.get(*key))?;
    let is_background = ["run_in_background", "is_background", "isBackground", "background"]
        .iter()
        .any(|key| arguments.get(*key).is_some_and(|value| *value == Value::Bool(true)));
    let line = match command {
        Value::String(line) => line.clone(),
        Value::Array(words) => {
            let words: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
            words?.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
        }
        _ => return None,
    };
    Some((line, is_background))
}

/// The word so that a shell takes it as it is.
fn quoted(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:=,@%+".contains(&byte);
    if !word.is_empty() && word.bytes().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

const STATUS_KEYS: &[&str] =
    &["exitCode", "exit_code", "exitStatus", "exit_status", "returncode", "return_code", "returnCode"];

fn exit_code(result: &ToolResult<'_>, options: EvidenceOptions<'_>) -> Option<i32> {
    let recorded = match recorded_status(result.metadata) {
        Some(status) => Some(status?),
        None => match recorded_status(result.content) {
            Some(status) => Some(status?),
            None => written_status(result.content)?,
        },
    };
    match (recorded, result.is_error) {
        (Some(0), Some(true)) => None,
        (Some(status), _) => Some(status),
        (None, Some(false)) if options.trusts_is_error => Some(0),
        (None, Some(true)) if options.trusts_is_error => Some(1),
        (None, _) => None,
    }
}

/// The status in a JSON object, at its top or one level down; `Some(None)` when it names two.
fn recorded_status(text: &str) -> Option<Option<i32>> {
    if !text.trim_start().starts_with('{') {
        return None;
    }
    let Ok(Value::Object(object)) = serde_json::from_str::<Value>(text) else { return None };
    let status = |object: &serde_json::Map<String, Value>| {
        let mut statuses = STATUS_KEYS
            .iter()
            .filter_map(|key| object.get(*key)?.as_i64())
            .map(|code| i32::try_from(code).ok());
        let first = statuses.next()?;
        Some(first.filter(|code| statuses.all(|other| other == Some(*code))))
    };
    status(&object).or_else(|| object.values().filter_map(Value::as_object).find_map(status))
}

/// The status in the first or last line; `None` when they differ, `Some(None)` when there is none.
#[allow(clippy::option_option)]
fn written_status(content: &str) -> Option<Option<i32>> {
    let content = content.trim();
    let first = content.lines().next().and_then(status_line);
    let last = content.lines().next_back().and_then(status_line);
    match (first, last) {
        (Some(first), Some(last)) if first != last => None,
        (first, last) => Some(first.or(last)),
    }
}

/// What stands before the number.
const STATUS_WORDS: &[&str] = &[
    "command exited with code",
    "command exited with exit code",
    "exit code",
    "exit status",
    "exit_code",
    "exitcode",
    "exited with code",
    "exited with exit code",
    "process exited with code",
    "process exited with exit code",
];

/// `exit code: 0`, `Exit status 1`, `[exit code: 0]`, `Process exited with code 0`,
/// `Command exited with exit code 1.`, `<exit_code>0</exit_code>`.
fn status_line(line: &str) -> Option<i32> {
    let lower = line.trim().to_ascii_lowercase();
    let inner = lower
        .strip_prefix('[')
        .and_then(|inner| inner.strip_suffix(']'))
        .or_else(|| lower.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')))
        .unwrap_or(&lower)
        .trim_end_matches('.');
    let tagged = ["exit_code", "exitcode", "returncode"].iter().find_map(|tag| {
        inner
            .strip_prefix('<')?
            .strip_prefix(tag)?
            .strip_prefix('>')?
            .strip_suffix('>')?
            .strip_suffix(tag)?
            .strip_suffix("</")
    });
    if let Some(number) = tagged {
        return integer(number);
    }
    let mut words: Vec<&str> = inner.split([' ', ':', '=']).filter(|word| !word.is_empty()).collect();
    let number = words.pop()?;
    STATUS_WORDS.contains(&words.join(" ").as_str()).then(|| integer(number)).flatten()
}

fn integer(text: &str) -> Option<i32> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_plain { text.parse().ok() } else { None }
}
