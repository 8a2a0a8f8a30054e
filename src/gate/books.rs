//! The books of one conversation: a sequence number for each change and each counted check, and what
//! follows from their order.

use super::check_files::is_check_own_file;
use super::demands::{Demand, RejectedCheck};
use super::markers::{added_markers, detect_check_weakening};
use crate::collections::{StringMap, sort, sort_by};
use crate::limits::{
    MAX_GATE_ENTRIES, MAX_REJECTED_CHECKS, MAX_TAMPER_INJECTIONS, MAX_VERIFICATION_INJECTIONS,
};
use crate::text::sha256_hex;
use serde::Serialize;

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

/// Stands for the failures that did not fit. No command has this hash, so only a newer revision
/// settles it.
const OTHER_COMMANDS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

#[derive(Debug, Clone)]
pub(super) struct Suspect {
    /// Sequence number of its first suspicious change.
    pub since: u64,
    /// The file is one of the checks' own.
    pub check_file: bool,
    pub markers: Vec<String>,
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
#[derive(Debug, Clone, Default)]
pub(super) struct Run {
    /// A change happened, or a fresh check was required, so a stop may be answered.
    pub touched: bool,
    pub demands: u64,
    pub rechecks: u64,
    pub tamper_demands: u64,
    /// Sequence number of the last check that counted; 0 for none.
    pub verified: u64,
    /// By path.
    pub suspects: StringMap<Suspect>,
    pub rejected: Vec<RejectedCheck>,
    pub cause: Option<String>,
}

/// "Code was changed; has anything proved it since?" Every method is total: a call that names an older
/// revision or an unknown command changes nothing it should not.
///
/// Commands are held as the SHA-256 of their words, in hex.
#[derive(Debug, Clone, Default)]
pub struct Gate {
    pub(super) seq: u64,
    pub(super) mutation: u64,
    pub(super) verified: u64,
    pub(super) unknown: bool,
    /// Files changed since the last counted check, in the order of first change.
    pub(super) files: StringMap<()>,
    /// Commands that failed and are not settled, with the revision they failed at.
    pub(super) failed: StringMap<u64>,
    /// Commands that passed at the current revision.
    pub(super) passed: StringMap<()>,
    pub(super) run: Run,
}

fn hash_command(command: &str) -> String {
    let words: Vec<&str> = command.split_whitespace().collect();
    sha256_hex(&words.join(" "))
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
        if self.files.len() < MAX_GATE_ENTRIES {
            self.files.insert(path, ());
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
            let markers = markers.into_iter().map(str::to_owned).collect();
            self.run.suspects.insert(path, Suspect { since: self.seq, check_file, markers });
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
            self.failed.retain(|failed, at| failed != hash && *at >= current);
        }
        if self.passed.len() < MAX_GATE_ENTRIES {
            self.passed.insert(&hash, ());
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
        let hash = hash_command(command);
        if revision < self.mutation && self.passed.contains(&hash) {
            return;
        }
        let fits = self.failed.len() + 1 < MAX_GATE_ENTRIES || self.failed.contains(&hash);
        self.failed.change(if fits { &hash } else { OTHER_COMMANDS }, |at| *at = revision.max(*at));
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
        self.run.suspects.iter().any(|(_, suspect)| suspect.since < self.run.verified)
    }

    /// The suspect changes of this run, sorted by path.
    pub fn tamper_suspects(&self) -> Vec<SuspectMutation> {
        let suspects = self.run.suspects.iter();
        let mut suspects: Vec<SuspectMutation> = suspects
            .map(|(path, suspect)| SuspectMutation { file_path: path.to_owned(), reason: suspect.reason() })
            .collect();
        sort_by(&mut suspects, |one, other| one.file_path.cmp(&other.file_path));
        suspects
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
        // The first demand of a run was no recheck, so a check has counted since the change it was for.
        (changed_again && self.run.rechecks == 0).then_some(Reason::Recheck)
    }

    /// The demand a stop would be answered with now, as data; nothing is spent.
    pub fn demand(&self) -> Option<Demand> {
        let reason = self.pending_reason()?;
        let mut files: Vec<String> = self.files.keys().map(str::to_owned).collect();
        sort(&mut files);
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
                self.run.rechecks += u64::from(reason == Reason::Recheck);
                self.run.rejected.clear();
                self.run.cause = None;
            }
        }
        Some(demand)
    }
}
