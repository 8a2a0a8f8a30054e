//! A gate at rest: its state as JSON, and back.

use super::books::{Gate, Run, Suspect};
use super::demands::RejectedCheck;
use crate::collections::{StringMap, sort_by};
use crate::limits::{MAX_GATE_ENTRIES, MAX_GATE_SEQUENCE};
use serde::Serialize;
use serde_json::{Map, Value};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Debt<'g> {
    version: u64,
    seq: u64,
    mutation: u64,
    verified: u64,
    files: Vec<&'g str>,
    failed_checks: Vec<String>,
    unknown: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    suspicion: Option<Suspicion<'g>>,
}

/// What keeps suspicion alive; absent when nothing is suspect.
#[derive(Serialize)]
struct Suspicion<'g> {
    suspects: Vec<SuspectFile<'g>>,
    /// Sequence number of the last check that counted in the run of the suspects; 0 for none.
    verified: u64,
    demands: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SuspectFile<'g> {
    file_path: &'g str,
    since: u64,
    check_file: bool,
    markers: &'g [String],
}

#[derive(Serialize)]
struct Live<'g> {
    debt: Debt<'g>,
    touched: bool,
    demands: u64,
    rechecks: u64,
    passed: Vec<&'g str>,
    rejected: &'g [RejectedCheck],
    cause: Option<&'g str>,
    verified: u64,
    tampers: u64,
}

impl Gate {
    /// The debt and the suspicion as JSON, with commands only as hashes. Budgets are the run's and stay
    /// behind, except that a tamper demand already made is not made again.
    pub fn snapshot(&self) -> String {
        serde_json::to_string(&self.debt()).unwrap_or_default()
    }

    /// Takes over a snapshot. One that is malformed in any way leaves a gate that owes a check.
    pub fn restore(&mut self, snapshot: &str) {
        *self = read_json(snapshot, read_debt);
    }

    /// Everything, budgets and causes included, for moving a live gate; not for keeping: it may name
    /// commands in clear.
    pub fn dump(&self) -> String {
        let run = &self.run;
        let live = Live {
            debt: self.debt(),
            touched: run.touched,
            demands: run.demands,
            rechecks: run.rechecks,
            passed: self.passed.keys().collect(),
            rejected: &run.rejected,
            cause: run.cause.as_deref(),
            verified: run.verified,
            tampers: run.tamper_demands,
        };
        serde_json::to_string(&live).unwrap_or_default()
    }

    /// The gate of a [`dump`](Gate::dump); one that owes a check when the text is none.
    pub fn load(dump: &str) -> Gate {
        read_json(dump, read_live)
    }

    fn debt(&self) -> Debt<'_> {
        let mut failed: Vec<(&str, u64)> = self.failed.iter().map(|(hash, at)| (hash, *at)).collect();
        // The order of the hashes tells nothing of the order of the commands.
        sort_by(&mut failed, |one, other| one.cmp(other));
        let failed = failed.into_iter();
        let suspects = self.run.suspects.iter().map(|(file_path, suspect)| {
            let Suspect { since, check_file, markers } = suspect;
            SuspectFile { file_path, since: *since, check_file: *check_file, markers }
        });
        Debt {
            version: 1,
            seq: self.seq,
            mutation: self.mutation,
            verified: self.verified,
            files: self.files.keys().collect(),
            failed_checks: failed
                .map(|(hash, at)| if at == 0 { hash.to_owned() } else { format!("{hash}@{at}") })
                .collect(),
            unknown: self.unknown,
            suspicion: (!self.run.suspects.is_empty()).then(|| Suspicion {
                suspects: suspects.collect(),
                verified: self.run.verified,
                demands: self.run.tamper_demands,
            }),
        }
    }
}

/// What `read` makes of the text; a gate that owes a check when it makes nothing.
fn read_json(text: &str, read: fn(&Value) -> Option<Gate>) -> Gate {
    let value = serde_json::from_str(text).unwrap_or_default();
    read(&value).unwrap_or_else(|| Gate { unknown: true, ..Gate::default() })
}

fn read_debt(value: &Value) -> Option<Gate> {
    let fields = Fields::of(value)?;
    let seq = fields.number("seq")?;
    let (mutation, verified) = (fields.number("mutation")?, fields.number("verified")?);
    if fields.number("version")? != 1 || mutation > seq || verified > seq {
        return None;
    }
    let unknown = fields.flag("unknown")?;
    let mut gate = Gate { seq, mutation, verified, unknown, ..Gate::default() };
    for file in fields.list("files")? {
        gate.files.insert(file.as_str()?, ());
    }
    for check in fields.list("failedChecks")? {
        let (hash, revision) = read_failure(check)?;
        if revision > seq {
            return None;
        }
        gate.failed.change(hash, |at| *at = revision.max(*at));
    }
    if let Some(suspicion) = fields.0.get("suspicion") {
        let fields = Fields::of(suspicion)?;
        gate.run.verified = fields.number("verified")?;
        gate.run.tamper_demands = fields.number("demands")?;
        gate.run.suspects = read_suspects(fields.list("suspects")?, seq)?;
        if gate.run.verified > seq {
            return None;
        }
    }
    Some(gate)
}

fn read_suspects(list: &[Value], seq: u64) -> Option<StringMap<Suspect>> {
    let mut suspects = StringMap::default();
    for value in list {
        let fields = Fields::of(value)?;
        let suspect = Suspect {
            since: fields.number("since")?,
            check_file: fields.flag("checkFile")?,
            markers: read_texts(fields.list("markers")?)?,
        };
        let has_reason = suspect.check_file || !suspect.markers.is_empty();
        if suspect.since > seq || !has_reason {
            return None;
        }
        suspects.insert(fields.0.get("filePath")?.as_str()?, suspect);
    }
    Some(suspects)
}

/// `<sha256>`, `<sha256>@<revision>` or `[<sha256>, <revision>]`.
fn read_failure(value: &Value) -> Option<(&str, u64)> {
    let (hash, revision) = match value {
        Value::String(text) => match text.split_once('@') {
            Some((hash, digits)) => (hash, decimal(digits)?),
            None => (text.as_str(), 0),
        },
        Value::Array(pair) => match pair.as_slice() {
            [hash, revision] => (hash.as_str()?, revision.as_u64()?),
            _ => return None,
        },
        _ => return None,
    };
    let is_hex = hash.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    (is_hex && hash.len() == 64).then_some((hash, revision))
}

fn decimal(digits: &str) -> Option<u64> {
    let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    let is_canonical = is_plain && (digits == "0" || !digits.starts_with('0'));
    if is_canonical { digits.parse().ok() } else { None }
}

fn read_live(value: &Value) -> Option<Gate> {
    let fields = Fields::of(value)?;
    let mut gate = read_debt(fields.0.get("debt")?)?;
    for hash in fields.list("passed")? {
        gate.passed.insert(hash.as_str()?, ());
    }
    let mut rejected = Vec::new();
    for check in fields.list("rejected")? {
        let text = |key: &str| check.get(key)?.as_str().map(str::to_owned);
        rejected.push(RejectedCheck { command: text("command")?, reason: text("reason")? });
    }
    gate.run = Run {
        touched: fields.flag("touched")?,
        demands: fields.number("demands")?,
        rechecks: fields.number("rechecks")?,
        tamper_demands: fields.number("tampers")?,
        verified: fields.number("verified")?,
        suspects: gate.run.suspects,
        rejected,
        cause: fields.0.get("cause")?.as_str().map(str::to_owned),
    };
    Some(gate)
}

/// A JSON object whose fields are asked for by name and type.
struct Fields<'v>(&'v Map<String, Value>);

impl<'v> Fields<'v> {
    fn of(value: &'v Value) -> Option<Self> {
        value.as_object().map(Fields)
    }

    fn number(&self, key: &str) -> Option<u64> {
        self.0.get(key)?.as_u64().filter(|number| *number <= MAX_GATE_SEQUENCE)
    }

    fn flag(&self, key: &str) -> Option<bool> {
        self.0.get(key)?.as_bool()
    }

    fn list(&self, key: &str) -> Option<&'v [Value]> {
        let list = self.0.get(key)?.as_array()?;
        (list.len() <= MAX_GATE_ENTRIES).then_some(list)
    }
}

fn read_texts(list: &[Value]) -> Option<Vec<String>> {
    list.iter().map(|text| text.as_str().map(str::to_owned)).collect()
}
