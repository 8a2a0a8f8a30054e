//! Commits, looked up root by root.

use super::host::{CommitCheck, Host};
use super::{Budget, Verdict, distinct, name_of};
use crate::citations::alias::repo_aliases;
use crate::citations::citation::{Citation, Root, Status};
use std::collections::{BTreeMap, BTreeSet};

const NOT_ALL: &str = "could not all be checked";

/// The commits of a pass.
pub struct Commits<'p, H> {
    roots: &'p [Root],
    host: &'p H,
    /// Every name the reply cites, asked for at once where that costs no more.
    names: BTreeSet<String>,
    known: BTreeMap<(usize, String), CommitCheck>,
}

impl<'p, H: Host> Commits<'p, H> {
    /// Nothing is asked yet.
    pub fn new(roots: &'p [Root], host: &'p H, names: BTreeSet<String>) -> Self {
        Commits { roots, host, names, known: BTreeMap::new() }
    }

    /// The verdict on `citation`, which names the commit `sha`; `None` to leave it out.
    pub async fn verify(
        &mut self,
        citation: &Citation,
        sha: &str,
        budget: &mut Budget<'_, H>,
    ) -> Option<Verdict> {
        let (named, others): (Vec<usize>, Vec<usize>) =
            distinct(self.roots).partition(|&index| self.is_named(index, citation.repo.as_deref()));
        let mut failed = self.roots.is_empty();
        for (index, is_named) in
            named.iter().map(|&index| (index, true)).chain(others.iter().map(|&index| (index, false)))
        {
            if budget.is_spent().await {
                failed = true;
                break;
            }
            match self.check(index, sha).await {
                CommitCheck::Absent => {}
                CommitCheck::Error => failed = true,
                CommitCheck::Present => return Some(self.found(index, is_named, &named, failed)),
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

    fn found(&self, index: usize, is_named: bool, named: &[usize], failed: bool) -> Verdict {
        let found_in = self.roots.get(index).map_or("", name_of);
        let verdict = match named.first().and_then(|&first| self.roots.get(first)) {
            Some(root) if !is_named && !failed => Verdict {
                resolved: Some(found_in.to_owned()),
                ..Verdict::noted(Status::Corrected, format!("is in {found_in}, not {}", name_of(root)))
            },
            // The root it was said to be in could not be asked: it may well be there, too.
            Some(_) if !is_named => Verdict::noted(Status::Unchecked, NOT_ALL),
            _ => Verdict::new(Status::Verified),
        };
        Verdict { root: Some(index), ..verdict }
    }

    fn is_named(&self, index: usize, repo: Option<&str>) -> bool {
        let Some(root) = self.roots.get(index) else { return false };
        // A root given twice answers to the names of both.
        let same = self.roots.iter().filter(|other| other.abs_root == root.abs_root);
        repo.is_some_and(|repo| same.flat_map(repo_aliases).any(|alias| alias == repo))
    }

    async fn check(&mut self, index: usize, sha: &str) -> CommitCheck {
        let key = (index, sha.to_owned());
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let Some(root) = self.roots.get(index) else { return CommitCheck::Error };
        let asked: Vec<&str> = if self.host.answers_commits_together() {
            self.names.iter().map(String::as_str).collect()
        } else {
            vec![sha]
        };
        let answers = self.host.commits_exist(&root.abs_root, &asked).await;
        let answers = answers.filter(|answers| answers.len() == asked.len());
        for (place, name) in asked.into_iter().enumerate() {
            let answer = answers.as_ref().and_then(|answers| answers.get(place)).copied();
            self.known.insert((index, name.to_owned()), answer.unwrap_or(CommitCheck::Error));
        }
        self.known.get(&key).copied().unwrap_or(CommitCheck::Error)
    }
}
