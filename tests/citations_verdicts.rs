//! `tests/data/citations/verdicts.json`: replies, what the host knows, and the verdicts.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic
)]

use agent_evidence::citations::{CommitCheck, ExtractOptions, Host, Root, VerifyOptions, verify_citations};
use agent_evidence::limits::{DEFAULT_BUDGET_MS, DEFAULT_MAX_ITEMS};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

#[derive(Deserialize)]
struct Vectors {
    worlds: BTreeMap<String, Vec<Repository>>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Repository {
    abs_root: String,
    name: String,
    #[serde(default)]
    files: BTreeMap<String, Option<String>>,
    #[serde(default)]
    unlisted: BTreeMap<String, Option<String>>,
    #[serde(default)]
    deleted: Vec<String>,
    #[serde(default)]
    commits: Vec<String>,
    #[serde(default)]
    shallow: bool,
    #[serde(default)]
    broken: bool,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    world: String,
    #[serde(default)]
    options: Options,
    text: String,
    items: Vec<Item>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct Options {
    rule_ids: Option<Vec<String>>,
    max_items: Option<usize>,
    budget_ms: Option<u32>,
    #[serde(default)]
    ambiguous_shas: bool,
}

#[derive(Deserialize, Debug, PartialEq)]
struct Item {
    raw: String,
    kind: String,
    status: String,
    resolved: Option<String>,
    note: Option<String>,
    symbol: Option<String>,
    root: Option<String>,
    file: Option<String>,
}

struct World<'w>(&'w [Repository]);

impl Host for World<'_> {
    async fn now(&self) -> Option<f64> {
        Some(0.0)
    }

    async fn file_exists(&self, path: &str) -> Option<bool> {
        Some(self.0.iter().any(|repository| repository.file(path).is_some()))
    }

    async fn read_text(&self, path: &str) -> Option<String> {
        self.0.iter().find_map(|repository| repository.file(path))?.clone()
    }

    async fn list_files(&self, root: &str) -> Option<String> {
        let repository = self.0.iter().find(|repository| repository.abs_root == root)?;
        let paths: Vec<&str> =
            repository.files.keys().chain(&repository.deleted).map(String::as_str).collect();
        (!repository.broken).then(|| paths.join("\0"))
    }

    async fn commits_exist(&self, root: &str, shas: &[&str]) -> Option<Vec<CommitCheck>> {
        let repository = self.0.iter().find(|repository| repository.abs_root == root)?;
        let check = |sha: &&str| match repository.commits.iter().any(|commit| commit.starts_with(*sha)) {
            true => CommitCheck::Present,
            false if repository.broken || repository.shallow => CommitCheck::Error,
            false => CommitCheck::Absent,
        };
        Some(shas.iter().map(check).collect())
    }

    fn answers_commits_together(&self) -> bool {
        true
    }
}

impl Repository {
    fn file(&self, path: &str) -> Option<&Option<String>> {
        let path = path.strip_prefix(&self.abs_root)?.strip_prefix('/')?;
        self.files.get(path).or_else(|| self.unlisted.get(path))
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
    }
}

#[test]
fn every_reply_gets_its_verdicts() {
    let vectors: Vectors =
        serde_json::from_str(include_str!("data/citations/verdicts.json")).expect("well-formed vectors");
    assert!(vectors.cases.len() > 20);
    let mut wrong = Vec::new();
    for case in vectors.cases {
        let world = vectors.worlds[&case.world].as_slice();
        let roots: Vec<Root> = world
            .iter()
            .map(|repository| Root { abs_root: repository.abs_root.clone(), name: repository.name.clone() })
            .collect();
        let options = VerifyOptions {
            rule_ids: case.options.rule_ids.map(|ids| ids.into_iter().collect()),
            max_items: case.options.max_items.unwrap_or(DEFAULT_MAX_ITEMS),
            budget_ms: case.options.budget_ms.unwrap_or(DEFAULT_BUDGET_MS),
            extract: ExtractOptions { ambiguous_shas: case.options.ambiguous_shas },
        };
        let items = block_on(verify_citations(&case.text, &roots, &World(world), &options));
        let items: Vec<Item> = items
            .into_iter()
            .map(|(citation, verdict)| Item {
                raw: citation.raw(&case.text).to_owned(),
                kind: citation.kind.as_str().to_owned(),
                status: verdict.status.as_str().to_owned(),
                resolved: verdict.resolved,
                note: verdict.note,
                symbol: citation.symbol,
                root: verdict.root.map(|index| roots[index].name.clone()),
                file: verdict.file,
            })
            .collect();
        if items != case.items {
            wrong.push(format!("{}\n  found    {items:#?}\n  expected {:#?}", case.name, case.items));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
