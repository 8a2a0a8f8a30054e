//! The walk: every call in order, bodies built only when something looks at them.

use super::arguments::{JsonText, Request, Tool};
use super::edit::{Batch, Body, Edit, Failure, plan_batch};
use super::fingerprint::ledger_fingerprint;
use super::history::{Conversation, Entry};
use super::render::{may_show_whole, shows_whole};
use crate::limits::{
    MAX_ARGUMENT_UNITS, MAX_EDIT_CALLS, MAX_PATH_UNITS, MAX_REPLAYED_UNITS, MAX_WITNESSED_PATHS,
};
use crate::text::utf16_len;

/// The bounds of one pass; the defaults are the constants of their names.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Edit calls a chain may carry ([`MAX_EDIT_CALLS`]).
    pub max_edit_calls: usize,
    /// UTF-16 units the pass may build ([`MAX_REPLAYED_UNITS`]).
    pub max_replayed_units: usize,
    /// UTF-16 units of a write's path ([`MAX_PATH_UNITS`]).
    pub max_path_units: usize,
    /// Bodies held at a time ([`MAX_WITNESSED_PATHS`]).
    pub max_witnessed_paths: usize,
    /// UTF-16 units of believed arguments ([`MAX_ARGUMENT_UNITS`]).
    pub max_argument_units: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            max_edit_calls: MAX_EDIT_CALLS,
            max_replayed_units: MAX_REPLAYED_UNITS,
            max_path_units: MAX_PATH_UNITS,
            max_witnessed_paths: MAX_WITNESSED_PATHS,
            max_argument_units: MAX_ARGUMENT_UNITS,
        }
    }
}

macro_rules! codes {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $code:literal,)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name { $($(#[$doc])* $variant,)* }

        impl $name {
            /// Every value.
            pub const ALL: &[$name] = &[$($name::$variant),*];

            /// The stable code, as in JavaScript.
            pub const fn as_str(self) -> &'static str {
                match self { $($name::$variant => $code,)* }
            }
        }
    };
}

codes! {
    /// Why a body was withdrawn, or never held.
    Reason {
        /// The old text is in the body more than once.
        Ambiguous = "ambiguous-match",
        /// The call is known to be cut.
        ArgumentsCut = "arguments-cut",
        /// The arguments are too long to be believed.
        ArgumentsTooLong = "arguments-too-long",
        /// The chain already carries as many edit calls as it may.
        ChainTooLong = "chain-too-long",
        /// Newer mutations took the room.
        Evicted = "evicted",
        /// The call's id is too long.
        IdTooLong = "id-too-long",
        /// A text holds half of a surrogate pair.
        LoneSurrogate = "lone-surrogate",
        /// The arguments are in none of the known shapes.
        Malformed = "malformed-arguments",
        /// An edit of a file whose body is not held.
        NoBody = "no-body",
        /// The old text is not in the body.
        NotFound = "no-match",
        /// The text would not fit the pass's budget.
        OverBudget = "over-budget",
        /// The path is too long to go out with.
        PathTooLong = "path-too-long",
        /// An id two calls claim is on a read of this file.
        ReadAmbiguous = "read-ambiguous",
        /// A read showed something else than the body, or not all of it.
        ReadDiffers = "read-differs",
        /// The receipt was cleared to save room.
        ReceiptCleared = "receipt-cleared",
        /// The receipt's content is no string.
        ReceiptNotText = "receipt-not-text",
        /// The tool refused or failed.
        Refused = "refused",
        /// A plugin skipped the call.
        SkippedByPlugin = "skipped-by-plugin",
        /// No receipt follows the call.
        Unanswered = "unanswered",
    }
}

impl From<Failure> for Reason {
    fn from(failure: Failure) -> Reason {
        match failure {
            Failure::Malformed => Reason::Malformed,
            Failure::LoneSurrogate => Reason::LoneSurrogate,
            Failure::NotFound => Reason::NotFound,
            Failure::Ambiguous => Reason::Ambiguous,
            Failure::OverBudget => Reason::OverBudget,
        }
    }
}

codes! {
    /// Why a pass establishes nothing.
    Stop {
        /// A call's id was answered more than once.
        AnsweredTwice = "answered-twice",
        /// A mutation's id is claimed by another call too.
        ClaimedTwice = "claimed-twice",
        /// A call names no path.
        NoPath = "no-path",
        /// A mutation's path has no key.
        NoKey = "no-key",
    }
}

codes! {
    /// What a call did to a path.
    Action {
        /// A write's body is held.
        Held = "held",
        /// An edit carried the body on.
        Edited = "edited",
        /// A read showed the body, whole.
        Confirmed = "confirmed",
        /// Nothing was held and nothing is.
        Ignored = "ignored",
        /// The body is no longer held.
        Withdrawn = "withdrawn",
        /// A shell or another agent ran while the body was held.
        ShellRan = "shell-ran",
    }
}

/// Which file a call belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attribution {
    /// The call names no path.
    Nowhere,
    /// The path has no key.
    Unkeyed,
    /// The number of the path's key.
    Key(usize),
}

/// One step of the account: a call and what it did to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// The call's number.
    pub call: usize,
    /// The key's number.
    pub key: usize,
    /// What happened.
    pub action: Action,
    /// Why, for a withdrawal or a call that was ignored.
    pub reason: Option<Reason>,
    /// What the step cost, in UTF-16 units.
    pub units: usize,
}

/// A file whose body the conversation vouches for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WitnessedPath {
    /// The key's number.
    pub key: usize,
    /// The write call the body starts from.
    pub write: usize,
    /// The edit calls on top of it, in order.
    pub edits: Vec<usize>,
    /// The written body and the one after each edit: one more than `edits`.
    pub bodies: Vec<String>,
    /// The first shell call since the body was last known to be right.
    pub shell_since: Option<usize>,
}

impl WitnessedPath {
    /// The fingerprint a ledger keeps of the body.
    pub fn fingerprint(&self) -> String {
        ledger_fingerprint(self.bodies.last().map_or("", String::as_str))
    }
}

/// What one pass established.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Replay {
    /// Files with a body, oldest mutation first; empty when the pass was stopped.
    pub witnessed: Vec<WitnessedPath>,
    /// Files that were mutated and have no body.
    pub seen: usize,
    /// The text the pass built, in UTF-16 units.
    pub units: usize,
    /// The call that made the pass establish nothing, and why.
    pub stopped: Option<(usize, Stop)>,
    /// Every step, in order.
    pub steps: Vec<Step>,
}

/// What is left of the pass's allowance.
///
/// The contract says that a body overwritten before anything looked at it costs nothing; the vectors
/// count it in `unitsReplayed` (51 of the 150 differ when it is given back at once, 42 when only writes
/// are). Both hold here: the charge is made when the body is accepted, and what was charged for bodies
/// that were then dropped unbuilt is taken back as soon as another body needs the room. So such a body
/// never takes room from others, and the number reported never passes the limit. The vectors also
/// charge a read that is compared (its rendering is built for that), and a batch by its longest text.
struct Budget {
    limit: usize,
    spent: usize,
    /// Spent on texts that were dropped before anything looked at them, so never built. They give
    /// way when there is no other room.
    unbuilt: usize,
}

impl Budget {
    fn spend(&mut self, units: usize) -> bool {
        if self.limit - self.spent < units {
            self.spent -= std::mem::take(&mut self.unbuilt);
        }
        let fits = self.limit - self.spent >= units;
        self.spent += if fits { units } else { 0 };
        fits
    }
}

/// The newest body of a path.
enum Tip {
    Built,
    Written { text: JsonText, units: usize },
    Edited(Batch),
}

struct Held {
    key: usize,
    write: usize,
    edits: Vec<usize>,
    bodies: Vec<Body>,
    tip: Tip,
    shell_since: Option<usize>,
}

impl Held {
    /// Builds the newest body if nothing has looked at it yet.
    fn look(&mut self, conversation: &Conversation) -> Option<&Body> {
        let built = match std::mem::replace(&mut self.tip, Tip::Built) {
            Tip::Built => None,
            Tip::Written { text, .. } => {
                let json = conversation.json(conversation.entry(self.write)?);
                Some(Body::new(text.decode(json)?.into_owned()))
            }
            Tip::Edited(batch) => Some(batch.build(self.bodies.last()?)),
        };
        self.bodies.extend(built);
        self.bodies.last()
    }

    /// What was charged for a text that was never built.
    fn unbuilt_units(&self) -> usize {
        match &self.tip {
            Tip::Written { units, .. } => *units,
            Tip::Edited(batch) => batch.unbuilt_units(),
            Tip::Built => 0,
        }
    }
}

struct Walk<'c> {
    conversation: &'c Conversation,
    limits: Limits,
    budget: Budget,
    /// Oldest mutation first.
    held: Vec<Held>,
    /// By key.
    mutated: Vec<bool>,
    steps: Vec<Step>,
}

/// Replays the conversation.
///
/// `attributions` says for each call which file it belongs to; `content` gives the whole content of a
/// receipt by its number, or `None` when it is not well-formed, and is only asked for reads whose
/// receipt has the length that would confirm a body.
///
/// *Units*: UTF-16. *Bounds*: [`Limits`]. *Source*: contract section 2.
pub fn replay(
    conversation: &Conversation,
    attributions: &[Attribution],
    limits: Limits,
    content: &mut dyn FnMut(usize) -> Option<String>,
) -> Replay {
    let mut walk = Walk {
        conversation,
        limits,
        budget: Budget { limit: limits.max_replayed_units, spent: 0, unbuilt: 0 },
        held: Vec::new(),
        mutated: Vec::new(),
        steps: Vec::new(),
    };
    for (call, entry) in conversation.entries() {
        let attribution = attributions.get(call).copied().unwrap_or(Attribution::Nowhere);
        let stopped = match entry.call.tool {
            Tool::Write | Tool::Edit => walk.mutation(call, entry, attribution),
            Tool::Read => walk.read(call, entry, attribution, content),
            Tool::Shell => {
                walk.shell(call);
                Ok(())
            }
            Tool::Other => Ok(()),
        };
        if let Err(stop) = stopped {
            return Replay {
                units: walk.budget.spent,
                stopped: Some((call, stop)),
                steps: walk.steps,
                ..Replay::default()
            };
        }
    }
    walk.finish()
}

impl Walk<'_> {
    fn mutation(&mut self, call: usize, entry: &Entry, attribution: Attribution) -> Result<(), Stop> {
        let key = match attribution {
            Attribution::Nowhere => return Err(Stop::NoPath),
            Attribution::Unkeyed => return Err(Stop::NoKey),
            Attribution::Key(key) => key,
        };
        if self.conversation.is_claimed_twice(call) {
            return Err(Stop::ClaimedTwice);
        }
        if self.conversation.is_answered_twice(call) {
            return Err(Stop::AnsweredTwice);
        }
        if self.mutated.len() <= key {
            self.mutated.resize(key + 1, false);
        }
        if let Some(mutated) = self.mutated.get_mut(key) {
            *mutated = true;
        }
        let before = self.budget.spent;
        let doubt = self.conversation.doubt(call, self.limits.max_argument_units);
        let outcome = match (doubt, &entry.arguments.request) {
            (Some(reason), _) => Err(reason),
            (None, Some(Request::Write(text))) => self.write(call, entry, key, text),
            (None, Some(Request::Edit(_))) => match self.conversation.edits(call) {
                Some(edits) => self.edit(call, key, &edits),
                None => Err(Reason::LoneSurrogate),
            },
            (None, _) => Err(Reason::Malformed),
        };
        let units = self.budget.spent.saturating_sub(before);
        match outcome {
            Ok(action) => self.steps.push(Step { call, key, action, reason: None, units }),
            Err(reason) => self.withdraw(call, key, reason, units),
        }
        if self.held.len() > self.limits.max_witnessed_paths
            && let Some(oldest) = self.held.first().map(|held| held.key)
        {
            self.withdraw(call, oldest, Reason::Evicted, 0);
        }
        Ok(())
    }

    fn write(&mut self, call: usize, entry: &Entry, key: usize, text: &JsonText) -> Result<Action, Reason> {
        let path = entry.arguments.path.as_deref().unwrap_or("");
        if utf16_len(path) > self.limits.max_path_units {
            return Err(Reason::PathTooLong);
        }
        let units = text.units(self.conversation.json(entry)).filter(|_| entry.call.is_well_formed);
        let units = units.ok_or(Reason::LoneSurrogate)?;
        self.take(key);
        if !self.budget.spend(units) {
            return Err(Reason::OverBudget);
        }
        self.held.push(Held {
            key,
            write: call,
            edits: Vec::new(),
            bodies: Vec::new(),
            tip: Tip::Written { text: text.clone(), units },
            shell_since: None,
        });
        Ok(Action::Held)
    }

    fn edit(&mut self, call: usize, key: usize, edits: &[Edit<'_>]) -> Result<Action, Reason> {
        let place = self.held.iter().position(|held| held.key == key).ok_or(Reason::NoBody)?;
        let held = self.held.get_mut(place).ok_or(Reason::NoBody)?;
        if held.edits.len() >= self.limits.max_edit_calls {
            return Err(Reason::ChainTooLong);
        }
        let body = held.look(self.conversation).ok_or(Reason::LoneSurrogate)?;
        let batch = plan_batch(body, edits, |units| self.budget.spend(units))?;
        held.tip = Tip::Edited(batch);
        held.edits.push(call);
        // The newest mutation stands last.
        let held = self.held.remove(place);
        self.held.push(held);
        Ok(Action::Edited)
    }

    fn read(
        &mut self,
        call: usize,
        entry: &Entry,
        attribution: Attribution,
        content: &mut dyn FnMut(usize) -> Option<String>,
    ) -> Result<(), Stop> {
        if self.conversation.is_answered_twice(call) {
            return Err(Stop::AnsweredTwice);
        }
        // With two claims it cannot be told which call was answered, whatever the order. The contract
        // would end the pass here; in vectors 1, 30, 95, 101 and 143 it goes on without the file, and
        // what it establishes then comes from other files' calls alone.
        let is_ambiguous = self.conversation.is_claimed_twice(call) && self.conversation.is_answered(call);
        let receipt = self.conversation.receipt(call).filter(|(_, receipt)| !receipt.is_error);
        if receipt.is_none() && !is_ambiguous {
            return Ok(());
        }
        let key = match attribution {
            Attribution::Nowhere => return Err(Stop::NoPath),
            Attribution::Unkeyed => return Ok(()),
            Attribution::Key(key) => key,
        };
        let Some(place) = self.held.iter().position(|held| held.key == key) else { return Ok(()) };
        let before = self.budget.spent;
        let doubt = match receipt {
            _ if is_ambiguous => Some(Reason::ReadAmbiguous),
            None => Some(Reason::Unanswered),
            Some(_) if entry.arguments.request.is_none() => Some(Reason::Malformed),
            Some((number, receipt)) => {
                let doubt = self.conversation.doubt(call, self.limits.max_argument_units);
                doubt.or_else(|| self.compare(place, number, receipt.units, content))
            }
        };
        let units = self.budget.spent.saturating_sub(before);
        match doubt {
            Some(reason) => self.withdraw(call, key, reason, units),
            None => {
                if let Some(held) = self.held.get_mut(place) {
                    held.shell_since = None;
                }
                self.steps.push(Step { call, key, action: Action::Confirmed, reason: None, units });
            }
        }
        Ok(())
    }

    /// Why receipt `number` does not confirm the body held at `place`; `None` when it does.
    fn compare(
        &mut self,
        place: usize,
        number: usize,
        receipt_units: usize,
        content: &mut dyn FnMut(usize) -> Option<String>,
    ) -> Option<Reason> {
        let body = self.held.get_mut(place).and_then(|held| held.look(self.conversation));
        let Some(body) = body else { return Some(Reason::LoneSurrogate) };
        let text = body.as_str();
        if !may_show_whole(text, receipt_units) {
            return Some(Reason::ReadDiffers);
        }
        if !self.budget.spend(receipt_units) {
            return Some(Reason::OverBudget);
        }
        let is_shown = content(number).is_some_and(|receipt| shows_whole(text, &receipt));
        (!is_shown).then_some(Reason::ReadDiffers)
    }

    fn shell(&mut self, call: usize) {
        for held in &mut self.held {
            if held.shell_since.is_none() {
                held.shell_since = Some(call);
                self.steps.push(Step {
                    call,
                    key: held.key,
                    action: Action::ShellRan,
                    reason: None,
                    units: 0,
                });
            }
        }
    }

    /// Drops what is held for `key`; true when something was.
    fn take(&mut self, key: usize) -> bool {
        let Some(place) = self.held.iter().position(|held| held.key == key) else { return false };
        let held = self.held.remove(place);
        self.budget.unbuilt += held.unbuilt_units();
        true
    }

    fn withdraw(&mut self, call: usize, key: usize, reason: Reason, units: usize) {
        let action = if self.take(key) { Action::Withdrawn } else { Action::Ignored };
        self.steps.push(Step { call, key, action, reason: Some(reason), units });
    }

    fn finish(mut self) -> Replay {
        let mut witnessed = Vec::with_capacity(self.held.len());
        for mut held in std::mem::take(&mut self.held) {
            held.look(self.conversation);
            let bodies: Option<Vec<String>> = held.bodies.into_iter().map(Body::into_string).collect();
            let Some(bodies) = bodies else { continue };
            witnessed.push(WitnessedPath {
                key: held.key,
                write: held.write,
                edits: held.edits,
                bodies,
                shell_since: held.shell_since,
            });
        }
        Replay {
            seen: self.mutated.iter().filter(|mutated| **mutated).count() - witnessed.len(),
            units: self.budget.spent,
            stopped: None,
            steps: self.steps,
            witnessed,
        }
    }
}
