//! Whether what a reply cites is there.
//!
//! One pass over the citations in text order, asking a [`Host`]. Every file is read, every root listed
//! and every commit looked up at most once; a cap and a budget bound the whole.

mod cited_file;
mod commits;
mod files;
mod host;
mod listing;
mod spelling;

pub use host::{CommitCheck, Host};

use super::alias::repo_aliases;
use super::citation::{Citation, ExtractOptions, Kind, Root, Status};
use super::extract::extract_citations;
use crate::collections::StringMap;
use crate::limits::MAX_BARE_NAMES;
use commits::Commits;
use files::Files;

/// The note on a rule that is in force. Citing it is no proof that it was followed.
pub const RULE_CITED_LABEL: &str = "cited by the step — unchecked";
/// The note on a rule that is not in force.
pub const RULE_UNKNOWN_LABEL: &str = "not an in-force rule here";

/// What a pass may be told.
#[derive(Debug, Clone)]
pub struct VerifyOptions {
    /// The ids of the rules in force, when they are known.
    pub rule_ids: Option<StringMap<()>>,
    /// Citations looked at; see `DEFAULT_MAX_ITEMS`.
    pub max_items: usize,
    /// Milliseconds for the pass; see `DEFAULT_BUDGET_MS`.
    pub budget_ms: u32,
    /// How the text is read.
    pub extract: ExtractOptions,
}

/// What was found out about one citation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The verdict.
    pub status: Status,
    /// Where it really is, when corrected: a path, a path with lines, or the name of a root.
    pub resolved: Option<String>,
    /// Why, in a few words.
    pub note: Option<String>,
    /// The index of the root in which it was found.
    pub root: Option<usize>,
    /// The path of the file that was found, in that root.
    pub file: Option<String>,
}

impl Verdict {
    fn new(status: Status) -> Self {
        Verdict { status, resolved: None, note: None, root: None, file: None }
    }

    fn noted(status: Status, note: impl Into<String>) -> Self {
        Verdict { note: Some(note.into()), ..Verdict::new(status) }
    }
}

/// The citations of `text` with their verdicts, in text order. A
/// [tentative](Citation::tentative) one that resolves nowhere is left out.
///
/// *Bounds*: `max_items`, `budget_ms`, `MAX_BARE_NAMES`, `MAX_CITED_FILE_BYTES`, `MAX_CANDIDATE_FILES`.
/// *Source*: contract section 1, Verification.
pub async fn verify_citations(
    text: &str,
    roots: &[Root],
    host: &impl Host,
    options: &VerifyOptions,
) -> Vec<(Citation, Verdict)> {
    let budget = Budget::start(host, options.budget_ms).await;
    verify(text, extract_citations(text, roots, &options.extract), roots, host, options, budget).await
}

async fn verify<H: Host>(
    text: &str,
    mut citations: Vec<Citation>,
    roots: &[Root],
    host: &H,
    options: &VerifyOptions,
    mut budget: Budget<'_, H>,
) -> Vec<(Citation, Verdict)> {
    let mut tentative = 0;
    citations.retain(|citation| {
        tentative += usize::from(citation.tentative);
        !citation.tentative || tentative <= MAX_BARE_NAMES
    });

    let roots = SearchedRoot::all(roots);
    let mut files = Files::new(&roots, host);
    let mut certain = 0;
    let within_cap = citations.iter().take_while(|citation| {
        certain += usize::from(!citation.tentative);
        certain <= options.max_items
    });
    let shas = within_cap.filter(|citation| citation.kind == Kind::Sha);
    let mut commits = Commits::new(&roots, host, shas.map(|citation| sha(citation.raw(text))).collect());
    let mut items = Vec::new();
    let mut room = options.max_items;
    for citation in citations {
        let verdict = if room == 0 {
            let note = format!("only the first {} are checked", options.max_items);
            Some(Verdict::noted(Status::Unchecked, note)).filter(|_| !citation.tentative)
        } else if budget.is_spent().await {
            Some(out_of_time()).filter(|_| !citation.tentative)
        } else {
            match citation.kind {
                Kind::Rule => Some(rule(&citation, options.rule_ids.as_ref())),
                Kind::Sha => commits.verify(&citation, &sha(citation.raw(text)), &mut budget).await,
                Kind::Path | Kind::Line | Kind::Symbol => files.verify(&citation, &mut budget).await,
            }
        };
        if let Some(verdict) = verdict {
            room = room.saturating_sub(1);
            items.push((citation, verdict));
        }
    }
    items
}

fn rule(citation: &Citation, in_force: Option<&StringMap<()>>) -> Verdict {
    let id = citation.rule_id.as_deref().unwrap_or("");
    match in_force {
        None => Verdict::noted(Status::Unchecked, "the rules in force are not known"),
        Some(ids) if ids.contains(id) => Verdict::noted(Status::Unchecked, RULE_CITED_LABEL),
        Some(_) => Verdict::noted(Status::Unverified, RULE_UNKNOWN_LABEL),
    }
}

fn out_of_time() -> Verdict {
    Verdict::noted(Status::Unchecked, "not reached in time")
}

/// The name of an object in `raw`, as git spells it.
fn sha(raw: &str) -> String {
    let run = raw.rsplit(|character: char| !character.is_ascii_hexdigit()).find(|run| !run.is_empty());
    run.unwrap_or("").to_ascii_lowercase()
}

/// A root to look in: of several with one path the first stands for all, under all their names.
struct SearchedRoot<'p> {
    /// Which of the caller's roots it is.
    index: usize,
    abs_root: &'p str,
    name: &'p str,
    aliases: Vec<String>,
}

impl<'p> SearchedRoot<'p> {
    fn all(roots: &'p [Root]) -> Vec<SearchedRoot<'p>> {
        let mut searched: Vec<SearchedRoot<'p>> = Vec::new();
        let mut known = StringMap::default();
        for (index, root) in roots.iter().enumerate() {
            match known.get(&root.abs_root).and_then(|first: &usize| searched.get_mut(*first)) {
                Some(same) => same.aliases.extend(repo_aliases(root)),
                None => {
                    known.insert(&root.abs_root, searched.len());
                    searched.push(SearchedRoot {
                        index,
                        abs_root: &root.abs_root,
                        name: if root.name.is_empty() { &root.abs_root } else { &root.name },
                        aliases: repo_aliases(root),
                    });
                }
            }
        }
        searched
    }
}

/// The time a pass may take.
struct Budget<'h, H> {
    host: &'h H,
    end: Option<f64>,
}

impl<'h, H: Host> Budget<'h, H> {
    async fn start(host: &'h H, milliseconds: u32) -> Self {
        let start = host.now().await.filter(|now| now.is_finite());
        Budget { host, end: start.map(|start| start + f64::from(milliseconds)) }
    }

    /// Whether the time is over, which stays so. A clock that does not answer has run out.
    async fn is_spent(&mut self) -> bool {
        if let Some(end) = self.end {
            let now = self.host.now().await;
            self.end = now.filter(|now| *now < end).and(Some(end));
        }
        self.end.is_none()
    }
}

#[cfg(test)]
mod tests;
