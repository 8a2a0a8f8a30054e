//! The books of one conversation: a sequence number for each change and each counted check, and what
//! follows from their order.

use super::check_files::is_check_own_file;
use super::demands::{Demand, RejectedCheck};
use super::markers::{added_markers, detect_check_weakening};
use crate::limits::{
    MAX_GATE_ENTRIES, MAX_GATE_SEQUENCE, MAX_REJECTED_CHECKS, MAX_TAMPER_INJECTIONS,
    MAX_VERIFICATION_INJECTIONS,
};
use crate::text::{hex, sha256};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// Why a stop would be answered with a demand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Reason {
    /// Code changed and no check has passed since.
    Initial,
    /// Code changed again after a check had passed.
    Recheck,
    /// A check passed after the checks themselves had changed.
    Tamper,
}

/// What stands between the work and "done".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Problem {
    /// A check failed and nothing has settled it.
    Failed,
    /// No check has passed since the last change.
    Missing,
}

/// A change of this run that altered what the checks assert.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SuspectMutation {
    /// The file, as it was recorded.
    pub file_path: String,
    /// What makes it suspect, in words.
    pub reason: String,
}

/// What is known of the text of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change<'t> {
    /// Nothing: only the path is judged.
    Unknown,
    /// The text that was added.
    Added(&'t str),
    /// The whole file after the change, and, where it is known, before it. Markers the file no longer
    /// has stop counting; markers it had before do not start to.
    Whole {
        /// The text after the change.
        after: &'t str,
        /// The text before the change; without it every marker of `after` counts as added.
        before: Option<&'t str>,
    },
}

/// SHA-256 of a command after its white space is normalised: all the gate keeps of it.
type CommandHash = [u8; 32];

/// Stands for the failures that did not fit. No command has this hash, so only a newer revision
/// settles it.
const OTHER_COMMANDS: CommandHash = [0; 32];

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Suspect {
    file_path: String,
    /// Sequence number of its first suspicious change.
    since: u64,
    /// The file is one of the checks' own.
    check_file: bool,
    markers: Vec<String>,
}

impl Suspect {
    fn reason(&self) -> String {
        let markers = self.markers.join(", ");
        match (self.check_file, markers.is_empty()) {
            (true, true) => "defines what a check asserts".to_owned(),
            (true, false) => format!("defines what a check asserts; adds {markers}"),
            (false, _) => format!("adds {markers}"),
        }
    }
}

/// What [`Gate::begin_run`] forgets.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
struct Run {
    /// A change happened, or a fresh check was required, so a stop may be answered.
    touched: bool,
    demands: u32,
    rechecks: u32,
    tamper_demands: u32,
    /// The revision of the last demand.
    demanded: u64,
    /// Sequence number of the last check that counted; 0 for none.
    verified: u64,
    suspects: BTreeMap<String, Suspect>,
    rejected: Vec<RejectedCheck>,
    cause: Option<String>,
}

/// "Code was changed; has anything proved it since?" Every method is total: a call that names an older
/// revision or an unknown command changes nothing it should not.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Gate {
    seq: u64,
    mutation: u64,
    verified: u64,
    unknown: bool,
    /// Files changed since the last counted check, with their place in the order of first change.
    files: HashMap<String, u64>,
    #[serde(with = "hash_map_as_pairs")]
    failed: BTreeMap<CommandHash, u64>,
    /// Commands that passed at the current revision.
    #[serde(with = "hash_map_as_pairs")]
    passed: BTreeMap<CommandHash, u64>,
    run: Run,
}

/// JSON has no map keyed by bytes.
mod hash_map_as_pairs {
    use super::{BTreeMap, CommandHash};
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(
        map: &BTreeMap<CommandHash, u64>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(map)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BTreeMap<CommandHash, u64>, D::Error> {
        Ok(Vec::<(CommandHash, u64)>::deserialize(deserializer)?.into_iter().collect())
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Snapshot {
    version: u64,
    seq: u64,
    mutation: u64,
    verified: u64,
    files: Vec<String>,
    failed_checks: Vec<FailedCheck>,
    unknown: bool,
    /// What keeps suspicion alive; absent when nothing is suspect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    suspicion: Option<Suspicion>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Suspicion {
    suspects: Vec<Suspect>,
    /// Sequence number of the last check that counted in the run of the suspects; 0 for none.
    verified: u64,
    demands: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum FailedCheck {
    Text(String),
    Pair(String, u64),
}

impl FailedCheck {
    fn parse(self) -> Option<(CommandHash, u64)> {
        let (hex, revision) = match self {
            FailedCheck::Pair(hex, revision) => (hex, revision),
            FailedCheck::Text(text) => match text.split_once('@') {
                Some((hex, digits)) => (hex.to_owned(), decimal(digits)?),
                None => (text, 0),
            },
        };
        Some((parse_hex(&hex)?, revision))
    }
}

fn decimal(digits: &str) -> Option<u64> {
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    let canonical = plain && (digits == "0" || !digits.starts_with('0'));
    if canonical { digits.parse().ok() } else { None }
}

fn parse_hex(hex: &str) -> Option<CommandHash> {
    let lower = hex.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if !lower || hex.len() != 64 {
        return None;
    }
    let mut hash = CommandHash::default();
    for (byte, pair) in hash.iter_mut().zip(hex.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(hash)
}

fn hash_command(command: &str) -> CommandHash {
    let words: Vec<&str> = command.split_whitespace().collect();
    sha256(words.join(" ").as_bytes())
}

impl Gate {
    /// A gate that owes nothing.
    pub fn new() -> Self {
        Gate::default()
    }

    /// The sequence number of the last change: what a host captures when a check starts.
    pub fn revision(&self) -> u64 {
        self.mutation
    }

    /// Notes that `path` was changed.
    pub fn record_mutation(&mut self, path: &str, change: Change<'_>) {
        self.advance();
        let place = self.seq;
        if self.files.len() < MAX_GATE_ENTRIES && !self.files.contains_key(path) {
            self.files.insert(path.to_owned(), place);
        }
        self.suspect(path, change);
    }

    /// A new revision: earlier passes are about other code.
    fn advance(&mut self) {
        self.seq += 1;
        self.mutation = self.seq;
        self.passed.clear();
        self.run.touched = true;
    }

    fn suspect(&mut self, path: &str, change: Change<'_>) {
        let check_file = is_check_own_file(path);
        let (markers, kept): (Vec<&str>, Option<Vec<&str>>) = match change {
            Change::Unknown => (Vec::new(), None),
            Change::Added(text) => (detect_check_weakening(text), None),
            Change::Whole { after, before } => {
                let found = detect_check_weakening(after);
                (before.map_or_else(|| found.clone(), |before| added_markers(before, after)), Some(found))
            }
        };
        if let Some(known) = self.run.suspects.get_mut(path) {
            if let Some(kept) = kept {
                known.markers.retain(|marker| kept.contains(&marker.as_str()));
            }
            for marker in markers {
                if !known.markers.iter().any(|had| had == marker) {
                    known.markers.push(marker.to_owned());
                }
            }
            if known.markers.is_empty() && !known.check_file {
                self.run.suspects.remove(path);
            }
        } else if (check_file || !markers.is_empty()) && self.run.suspects.len() < MAX_GATE_ENTRIES {
            let suspect = Suspect {
                file_path: path.to_owned(),
                since: self.seq,
                check_file,
                markers: markers.into_iter().map(str::to_owned).collect(),
            };
            self.run.suspects.insert(path.to_owned(), suspect);
        }
    }

    /// Notes that `command` passed at `revision` (the current one when absent). An older revision
    /// proves nothing about the current code and is ignored.
    pub fn record_verification(&mut self, revision: Option<u64>, command: &str) {
        if revision.is_some_and(|revision| revision != self.mutation) {
            return;
        }
        let hash = hash_command(command);
        if !self.failed.is_empty() {
            let current = self.mutation;
            self.failed.retain(|failed, at| *failed != hash && *at >= current);
        }
        if self.passed.len() < MAX_GATE_ENTRIES {
            self.passed.insert(hash, self.mutation);
        }
        if self.failed.is_empty() {
            self.seq += 1;
            self.verified = self.seq;
            self.unknown = false;
            self.files.clear();
            self.run.verified = self.seq;
            self.run.cause = None;
            self.run.rejected.clear();
        }
    }

    /// Notes that `command` failed at `revision` (the current one when absent or in the future). It
    /// stands unless the command has passed at a newer revision.
    pub fn record_failed_verification(&mut self, command: &str, revision: Option<u64>) {
        let revision = revision.unwrap_or(self.mutation).min(self.mutation);
        let mut hash = hash_command(command);
        if self.passed.get(&hash).is_some_and(|passed| *passed > revision) {
            return;
        }
        if self.failed.len() + 1 >= MAX_GATE_ENTRIES && !self.failed.contains_key(&hash) {
            hash = OTHER_COMMANDS;
        }
        let at = self.failed.entry(hash).or_default();
        *at = revision.max(*at);
    }

    /// Makes a check owed whatever has passed. With `invalidate_revision` this takes a new revision, so
    /// checks that are still running prove nothing either; `cause` is explained in the next demand.
    pub fn require_fresh_verification(&mut self, invalidate_revision: bool, cause: Option<&str>) {
        if invalidate_revision {
            self.advance();
        }
        self.unknown = true;
        if let Some(cause) = cause {
            self.run.cause = Some(cause.to_owned());
        }
    }

    /// Notes that a check ran in a way that proves nothing; the next demand says so.
    pub fn record_rejected_check(&mut self, command: &str, reason: &str) {
        let rejected = RejectedCheck { command: command.to_owned(), reason: reason.to_owned() };
        self.run.rejected.retain(|known| *known != rejected);
        if self.run.rejected.len() >= MAX_REJECTED_CHECKS {
            self.run.rejected.remove(0);
        }
        self.run.rejected.push(rejected);
    }

    /// Starts a run: its budgets are whole and nothing in it is suspect. Debt stays.
    pub fn begin_run(&mut self) {
        self.run = Run::default();
    }

    /// Forgets everything.
    pub fn reset(&mut self) {
        *self = Gate::default();
    }

    /// True while a check is owed.
    pub fn is_owed(&self) -> bool {
        self.unknown || !self.failed.is_empty() || self.mutation > self.verified
    }

    /// Why a check is owed; `None` when none is.
    pub fn problem(&self) -> Option<Problem> {
        let problem = if self.failed.is_empty() { Problem::Missing } else { Problem::Failed };
        self.is_owed().then_some(problem)
    }

    /// True when a check passed in this run after the checks themselves had changed.
    pub fn is_tamper_owed(&self) -> bool {
        self.run.suspects.values().any(|suspect| suspect.since < self.run.verified)
    }

    /// The suspect changes of this run, sorted by path.
    pub fn tamper_suspects(&self) -> Vec<SuspectMutation> {
        let suspects = self.run.suspects.values();
        suspects
            .map(|suspect| SuspectMutation { file_path: suspect.file_path.clone(), reason: suspect.reason() })
            .collect()
    }

    /// Why a stop would be answered now; `None` when nothing is owed, when this run touched nothing, or
    /// when its demands are spent.
    pub fn pending_reason(&self) -> Option<Reason> {
        self.pending_check().or_else(|| {
            let demanded = self.run.tamper_demands >= MAX_TAMPER_INJECTIONS;
            (self.is_tamper_owed() && !demanded).then_some(Reason::Tamper)
        })
    }

    fn pending_check(&self) -> Option<Reason> {
        if !self.is_owed() || !self.run.touched {
            return None;
        }
        let changed_again = self.verified > 0 && self.mutation > self.verified;
        if self.run.demands < MAX_VERIFICATION_INJECTIONS {
            return Some(if changed_again { Reason::Recheck } else { Reason::Initial });
        }
        let demand_was_met = self.verified > self.run.demanded;
        (changed_again && demand_was_met && self.run.rechecks == 0).then_some(Reason::Recheck)
    }

    /// The demand a stop would be answered with now, as data; nothing is spent.
    pub fn demand(&self) -> Option<Demand> {
        let reason = self.pending_reason()?;
        let mut files: Vec<String> = self.files.keys().cloned().collect();
        crate::collections::sort(&mut files);
        Some(Demand {
            reason,
            problem: self.problem(),
            files,
            failed_checks: self.failed.len(),
            rejected_checks: self.run.rejected.clone(),
            cause: self.run.cause.clone(),
            suspects: self.tamper_suspects(),
        })
    }

    /// The same demand, and its budget is spent.
    pub fn follow_up(&mut self) -> Option<Demand> {
        let demand = self.demand()?;
        match demand.reason {
            Reason::Tamper => self.run.tamper_demands += 1,
            reason => {
                self.run.demands += 1;
                self.run.rechecks += u32::from(reason == Reason::Recheck);
                self.run.demanded = self.mutation;
                self.run.rejected.clear();
                self.run.cause = None;
            }
        }
        Some(demand)
    }

    /// The debt and the suspicion as JSON, with commands only as hashes. Budgets are the run's and stay
    /// behind, except that a tamper demand already made is not made again.
    pub fn snapshot(&self) -> String {
        let mut files: Vec<(&String, &u64)> = self.files.iter().collect();
        crate::collections::sort_by(&mut files, |(_, one), (_, other)| one.cmp(other));
        let failed = |(hash, revision): (&CommandHash, &u64)| {
            let hash = hex(hash);
            FailedCheck::Text(if *revision == 0 { hash } else { format!("{hash}@{revision}") })
        };
        let snapshot = Snapshot {
            version: 1,
            seq: self.seq,
            mutation: self.mutation,
            verified: self.verified,
            files: files.into_iter().map(|(file, _)| file.clone()).collect(),
            failed_checks: self.failed.iter().map(failed).collect(),
            unknown: self.unknown,
            suspicion: (!self.run.suspects.is_empty()).then(|| Suspicion {
                suspects: self.run.suspects.values().cloned().collect(),
                verified: self.run.verified,
                demands: self.run.tamper_demands,
            }),
        };
        serde_json::to_string(&snapshot).unwrap_or_default()
    }

    /// Takes over a snapshot. One that is malformed in any way leaves a gate that owes a check.
    pub fn restore(&mut self, snapshot: &str) {
        *self = Gate::parse(snapshot).unwrap_or_else(|| Gate { unknown: true, ..Gate::default() });
    }

    fn parse(text: &str) -> Option<Gate> {
        let snapshot: Snapshot = serde_json::from_str(text).ok()?;
        let Snapshot { version, seq, mutation, verified, files, failed_checks, unknown, suspicion } =
            snapshot;
        let lengths = [files.len(), failed_checks.len()];
        if version != 1
            || seq > MAX_GATE_SEQUENCE
            || mutation > seq
            || verified > seq
            || lengths.iter().any(|length| *length > MAX_GATE_ENTRIES)
        {
            return None;
        }
        let mut gate = Gate { seq, mutation, verified, unknown, ..Gate::default() };
        for (place, file) in (0..).zip(files) {
            gate.files.entry(file).or_insert(place);
        }
        for check in failed_checks {
            let (hash, revision) = check.parse()?;
            if revision > seq {
                return None;
            }
            let at = gate.failed.entry(hash).or_default();
            *at = revision.max(*at);
        }
        if let Some(Suspicion { suspects, verified, demands }) = suspicion {
            if verified > seq || suspects.len() > MAX_GATE_ENTRIES {
                return None;
            }
            gate.run.verified = verified;
            gate.run.tamper_demands = demands;
            for suspect in suspects {
                let no_reason = !suspect.check_file && suspect.markers.is_empty();
                if suspect.since > seq || no_reason {
                    return None;
                }
                gate.run.suspects.insert(suspect.file_path.clone(), suspect);
            }
        }
        Some(gate)
    }

    /// Everything, budgets and causes included, for moving a live gate; not for keeping: it may name
    /// commands in clear.
    pub fn dump(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The gate of a [`dump`](Gate::dump); one that owes a check when the text is none.
    pub fn load(dump: &str) -> Gate {
        serde_json::from_str(dump).unwrap_or_else(|_| Gate { unknown: true, ..Gate::default() })
    }
}
