//! A transcript as a reader sees it: verdicts and decisions on the turns they belong to.

use crate::collections::StringMap;

/// What folding looks at in one record; a record is known by its index.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'a> {
    /// The record's kind.
    pub kind: &'a str,
    /// Its turn.
    pub turn_id: &'a str,
    /// Its seat, `""` for a record of none.
    pub cli_key: &'a str,
}

/// One turn, as indices of its records in the order they were appended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Turn {
    /// The user's message.
    pub user: Option<usize>,
    /// The prefaces.
    pub system: Vec<usize>,
    /// Each reply, with the newest verdicts on it.
    pub replies: Vec<(usize, Option<usize>)>,
    /// The decisions.
    pub decisions: Vec<usize>,
    /// Verdicts on a reply that is not there.
    pub unattached: Vec<usize>,
}

/// Folds `entries` into turns, in the order in which each turn first appears.
///
/// Verdicts belong to the last reply of the same turn and seat before them. A second user message
/// with a turn's id opens another turn. Entries of other kinds are left out.
pub fn fold(entries: &[Entry<'_>]) -> Vec<Turn> {
    let mut turns: Vec<Turn> = Vec::new();
    let mut current: StringMap<usize> = StringMap::default();
    for (index, entry) in entries.iter().enumerate() {
        if !matches!(entry.kind, "user" | "system" | "seat" | "citations" | "decisions") {
            continue;
        }
        let known = current.get(entry.turn_id).copied();
        let has_user = known.and_then(|at| turns.get(at)).is_some_and(|turn| turn.user.is_some());
        let at = match known {
            Some(at) if !(entry.kind == "user" && has_user) => at,
            _ => {
                turns.push(Turn::default());
                current.insert(entry.turn_id, turns.len() - 1);
                turns.len() - 1
            }
        };
        let Some(turn) = turns.get_mut(at) else { continue };
        match entry.kind {
            "user" => turn.user = Some(index),
            "system" => turn.system.push(index),
            "seat" => turn.replies.push((index, None)),
            "decisions" => turn.decisions.push(index),
            _ => {
                let is_its_reply = |reply: &&mut (usize, Option<usize>)| {
                    entries.get(reply.0).is_some_and(|other| other.cli_key == entry.cli_key)
                };
                match turn.replies.iter_mut().rev().find(is_its_reply) {
                    Some(reply) => reply.1 = Some(index),
                    None => turn.unattached.push(index),
                }
            }
        }
    }
    turns
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fold_of(entries: &[(&str, &str, &str)]) -> Vec<Turn> {
        let entries = entries.iter().map(|&(kind, turn_id, cli_key)| Entry { kind, turn_id, cli_key });
        fold(&entries.collect::<Vec<_>>())
    }

    #[test]
    fn verdicts_and_decisions_come_to_the_turn_and_reply_they_belong_to() {
        let turns = fold_of(&[
            ("user", "t1", ""),
            ("system", "t1", ""),
            ("seat", "t1", "a"),
            ("user", "t2", ""),
            ("seat", "t1", "b"),
            ("citations", "t1", "b"),
            ("citations", "t1", "a"),
            ("decisions", "t1", ""),
            ("citations", "t1", "a"),
            ("seat", "t2", "a"),
        ]);
        assert_eq!(turns.len(), 2);
        assert_eq!(turns[0].user, Some(0));
        assert_eq!(turns[0].system, [1]);
        assert_eq!(turns[0].replies, [(2, Some(8)), (4, Some(5))]);
        assert_eq!(turns[0].decisions, [7]);
        assert_eq!((turns[1].user, &turns[1].replies), (Some(3), &vec![(9, None)]));
    }

    #[test]
    fn verdicts_belong_to_the_last_reply_before_them_and_are_never_lost() {
        let turns = fold_of(&[
            ("citations", "t", "a"),
            ("seat", "t", "a"),
            ("citations", "t", "a"),
            ("seat", "t", "a"),
            ("citations", "t", "x"),
            ("later", "t9", ""),
        ]);
        assert_eq!(turns.len(), 1);
        assert_eq!(turns[0].replies, [(1, Some(2)), (3, None)]);
        assert_eq!(turns[0].unattached, [0, 4]);
    }

    #[test]
    fn a_second_message_with_a_turns_id_opens_another_turn() {
        let turns = fold_of(&[("user", "t", ""), ("user", "t", ""), ("seat", "t", "a")]);
        assert_eq!((turns[0].user, turns[1].user, turns[1].replies.len()), (Some(0), Some(1), 1));
        assert!(fold_of(&[]).is_empty());
    }
}
