//! Commits, looked up root by root.

use super::host::{CommitCheck, Host};
use super::{Budget, SearchedRoot, Verdict};
use crate::citations::citation::{Citation, Status};
use crate::collections::StringMap;

const NOT_ALL: &str = "could not all be checked";

/// The commits of a pass.
pub struct Commits<'p, H> {
    roots: &'p [SearchedRoot<'p>],
    host: &'p H,
    /// Every name the reply cites, asked for at once where that costs no more.
    names: StringMap<()>,
    /// The answers of each root.
    known: StringMap<StringMap<CommitCheck>>,
}

impl<'p, H: Host> Commits<'p, H> {
    /// Nothing is asked yet.
    pub fn new(roots: &'p [SearchedRoot<'p>], host: &'p H, names: StringMap<()>) -> Self {
        Commits { roots, host, names, known: StringMap::default() }
    }

    /// The verdict on `citation`, which names the commit `sha`; `None` to leave it out.
    pub async fn verify(
        &mut self,
        citation: &Citation,
        sha: &str,
        budget: &mut Budget<'_, H>,
    ) -> Option<Verdict> {
        let is_named =
            |root: &&SearchedRoot<'_>| citation.repo.as_ref().is_some_and(|repo| root.aliases.contains(repo));
        let (named, others): (Vec<_>, Vec<_>) = self.roots.iter().partition(is_named);
        let mut failed = self.roots.is_empty();
        for root in named.iter().chain(&others) {
            if budget.is_spent().await {
                failed = true;
                break;
            }
            match self.check(root, sha).await {
                CommitCheck::Absent => {}
                CommitCheck::Error => failed = true,
                CommitCheck::Present => {
                    let verdict = match named.first() {
                        Some(said) if !is_named(root) => elsewhere(root, said, failed),
                        _ => Verdict::new(Status::Verified),
                    };
                    return Some(Verdict { root: Some(root.index), ..verdict });
                }
            }
        }
        if citation.tentative {
            return None;
        }
        Some(if failed {
            Verdict::noted(Status::Unchecked, NOT_ALL)
        } else {
            Verdict::noted(Status::Unverified, "no such commit")
        })
    }

    async fn check(&mut self, root: &SearchedRoot<'p>, sha: &str) -> CommitCheck {
        let known = |all: &StringMap<StringMap<CommitCheck>>| all.get(root.abs_root)?.get(sha).copied();
        if known(&self.known).is_none() {
            let asked: Vec<&str> =
                if self.host.answers_commits_together() { self.names.keys().collect() } else { vec![sha] };
            let answers = self.host.commits_exist(root.abs_root, &asked).await;
            let answers = answers.filter(|answers| answers.len() == asked.len());
            self.known.change(root.abs_root, |known| {
                for (place, name) in asked.into_iter().enumerate() {
                    let answer = answers.as_ref().and_then(|answers| answers.get(place)).copied();
                    known.insert(name, answer.unwrap_or(CommitCheck::Error));
                }
            });
        }
        known(&self.known).unwrap_or(CommitCheck::Error)
    }
}

fn elsewhere(root: &SearchedRoot<'_>, said: &SearchedRoot<'_>, failed: bool) -> Verdict {
    if failed {
        // The root it was said to be in could not be asked: it may well be there, too.
        return Verdict::noted(Status::Unchecked, NOT_ALL);
    }
    Verdict {
        resolved: Some(root.name.to_owned()),
        ..Verdict::noted(Status::Corrected, format!("is in {}, not {}", root.name, said.name))
    }
}
