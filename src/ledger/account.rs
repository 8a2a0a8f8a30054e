//! A reader's account of one pass: file by file, what each call did and why there is no body.

use super::replay::{Action, Reason, Replay, Step, WitnessedPath};

/// One file the conversation mutated or holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account<'r> {
    /// The key's number.
    pub key: usize,
    /// What is vouched for, with its place among the witnessed.
    pub witnessed: Option<(usize, &'r WitnessedPath)>,
    /// Why nothing is: the first reason since a body was last held. `None` when something is, and when
    /// only the end of the pass took the body away.
    pub reason: Option<Reason>,
    /// The steps, in order.
    pub steps: Vec<&'r Step>,
}

/// The accounts of a pass. *Order*: of their first steps.
pub fn accounts(replay: &Replay) -> Vec<Account<'_>> {
    let mut accounts: Vec<Account<'_>> = Vec::new();
    // By key: the numbers of keys are small and dense.
    let keys = replay.steps.iter().map(|step| step.key + 1).max().unwrap_or(0);
    let mut places = vec![usize::MAX; keys];
    for step in &replay.steps {
        let Some(place) = places.get_mut(step.key) else { continue };
        if *place == usize::MAX {
            *place = accounts.len();
            accounts.push(Account { key: step.key, witnessed: None, reason: None, steps: Vec::new() });
        }
        if let Some(account) = accounts.get_mut(*place) {
            account.reason = match step.action {
                Action::Held | Action::Edited | Action::Confirmed | Action::ShellRan => None,
                Action::Withdrawn | Action::Ignored => account.reason.or(step.reason),
            };
            account.steps.push(step);
        }
    }
    for (number, path) in replay.witnessed.iter().enumerate() {
        let place = places.get(path.key).copied().unwrap_or(usize::MAX);
        if let Some(account) = accounts.get_mut(place) {
            account.witnessed = Some((number, path));
            account.reason = None;
        }
    }
    accounts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_is_the_first_since_a_body_was_last_held() {
        let step = |key, action, reason| Step { call: 0, key, action, reason, units: 0 };
        let steps = vec![
            step(7, Action::Ignored, Some(Reason::Unanswered)),
            step(3, Action::Ignored, Some(Reason::NoBody)),
            step(7, Action::Held, None),
            step(7, Action::Withdrawn, Some(Reason::Refused)),
            step(7, Action::Ignored, Some(Reason::NoBody)),
            step(5, Action::Held, None),
        ];
        let replay = Replay { steps, ..Replay::default() };
        let reasons: Vec<_> = accounts(&replay)
            .iter()
            .map(|account| (account.key, account.reason, account.steps.len()))
            .collect();
        assert_eq!(reasons, [(7, Some(Reason::Refused), 4), (3, Some(Reason::NoBody), 1), (5, None, 1)]);
    }
}
