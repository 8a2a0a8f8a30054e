//! The pass over repositories in memory, and over hosts that cannot be trusted.

use super::*;
use crate::text::ByteSpan;
use proptest::prelude::*;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// Runs a future whose host answers at once.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
    }
}

#[derive(Default)]
struct MemoryHost {
    files: BTreeMap<String, Option<String>>,
    listings: BTreeMap<String, Option<Vec<String>>>,
    commits: BTreeMap<String, Vec<&'static str>>,
    broken_git: Vec<&'static str>,
    unanswered: Vec<&'static str>,
    together: bool,
    /// Milliseconds each look at the clock takes.
    tick: f64,
    clock: RefCell<f64>,
    asked: RefCell<Vec<String>>,
}

impl MemoryHost {
    fn file(mut self, root: &str, path: &str, text: &str) -> Self {
        self.files.insert(format!("{root}/{path}"), Some(text.to_owned()));
        self.listed(root, path)
    }

    fn listed(mut self, root: &str, path: &str) -> Self {
        let listing = self.listings.entry(root.to_owned()).or_insert_with(|| Some(Vec::new()));
        listing.as_mut().expect("a listing").push(path.to_owned());
        self
    }

    fn asked(&self, what: &str) -> usize {
        self.asked.borrow().iter().filter(|asked| asked.starts_with(what)).count()
    }
}

impl Host for MemoryHost {
    async fn now(&self) -> Option<f64> {
        *self.clock.borrow_mut() += self.tick;
        Some(*self.clock.borrow())
    }

    async fn file_exists(&self, path: &str) -> Option<bool> {
        self.asked.borrow_mut().push(format!("exists {path}"));
        (!self.unanswered.contains(&path)).then(|| self.files.contains_key(path))
    }

    async fn read_text(&self, path: &str) -> Option<String> {
        self.asked.borrow_mut().push(format!("read {path}"));
        self.files.get(path)?.clone()
    }

    async fn list_files(&self, root: &str) -> Option<String> {
        self.asked.borrow_mut().push(format!("list {root}"));
        self.listings.get(root).cloned().unwrap_or_default().map(|paths| paths.join("\0"))
    }

    async fn commits_exist(&self, root: &str, shas: &[&str]) -> Option<Vec<CommitCheck>> {
        self.asked.borrow_mut().push(format!("commits {root}"));
        let known = self.commits.get(root).cloned().unwrap_or_default();
        let answer = |sha: &&str| match known.iter().any(|commit| commit.starts_with(sha)) {
            true => CommitCheck::Present,
            false if self.broken_git.contains(&root) => CommitCheck::Error,
            false => CommitCheck::Absent,
        };
        Some(shas.iter().map(answer).collect())
    }

    fn answers_commits_together(&self) -> bool {
        self.together
    }
}

fn options() -> VerifyOptions {
    VerifyOptions { rule_ids: None, max_items: 80, budget_ms: 15_000, extract: ExtractOptions::default() }
}

fn roots(names: &[&str]) -> Vec<Root> {
    names.iter().map(|name| Root { abs_root: format!("/r/{name}"), name: (*name).to_owned() }).collect()
}

/// A citation as the extraction makes them, from `path`, `path:3`, `path:3-5`, `path:symbol`,
/// `` `symbol` path:3 ``, `[rule:id]` or a name of a commit, `repo@name`.
fn citation(text: &str, raw: &str) -> Citation {
    let start = text.find(raw).expect("in the text");
    let mut citation = Citation::new(Kind::Path, ByteSpan::new(start, start + raw.len()));
    let mut raw = raw;
    if let Some(id) = raw.strip_prefix("[rule:") {
        citation.kind = Kind::Rule;
        citation.rule_id = Some(id.trim_end_matches(']').to_owned());
        return citation;
    }
    if let Some((repo, name)) = raw.split_once('@') {
        citation.kind = Kind::Sha;
        citation.repo = Some(repo.to_owned()).filter(|repo| !repo.is_empty());
        citation.span.start += raw.len() - name.len();
        return citation;
    }
    if let Some((symbol, rest)) = raw.strip_prefix('`').and_then(|rest| rest.split_once("` ")) {
        citation.symbol = Some(symbol.to_owned());
        raw = rest;
    }
    let colon = raw.char_indices().skip(1).position(|(byte, _)| {
        raw[byte..].strip_prefix(':').is_some_and(|rest| !rest.starts_with(['/', '\\']))
    });
    let colon = colon.and_then(|place| raw.char_indices().nth(place + 1));
    let (path, position) = colon.map_or((raw, ""), |(byte, _)| (&raw[..byte], &raw[byte + 1..]));
    citation.path = path.to_owned();
    citation.tentative = position.is_empty() && !path.contains(['/', '\\']);
    if position.starts_with(|character: char| character.is_ascii_digit()) {
        citation.kind = Kind::Line;
        for range in position.split(',') {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            citation.lines.push((first.parse().expect("a line"), last.parse().expect("a line")));
        }
    } else if !position.is_empty() {
        citation.kind = Kind::Symbol;
        citation.symbol = Some(position.to_owned());
    }
    citation
}

fn run(host: &MemoryHost, roots: &[Root], raws: &[&str], options: &VerifyOptions) -> Vec<(String, Verdict)> {
    let text = raws.join("\n");
    let citations = raws.iter().map(|raw| citation(&text, raw)).collect();
    let items = block_on(async {
        let budget = Budget::start(host, options.budget_ms).await;
        verify(&text, citations, roots, host, options, budget).await
    });
    items.into_iter().map(|(citation, verdict)| (citation.raw(&text).to_owned(), verdict)).collect()
}

/// Checks one citation: `status`, or `status resolved`, or `status (note)`; "dropped" for none.
#[track_caller]
fn check(host: &MemoryHost, names: &[&str], raw: &str, expected: &str) {
    let items = run(host, &roots(names), &[raw], &options());
    let found = items.first().map_or("dropped".to_owned(), |(_, verdict)| {
        let status = verdict.status.as_str();
        match (&verdict.resolved, &verdict.note) {
            (Some(resolved), _) => format!("{status} {resolved}"),
            (None, Some(note)) => format!("{status} ({note})"),
            (None, None) => status.to_owned(),
        }
    });
    assert_eq!(found, expected, "{raw}");
}

const FIVE: &str = "one\r\nfn two() {}\n三 é 😀\nlet three = two();\nfive\n";

fn crew() -> MemoryHost {
    MemoryHost::default()
        .file("/r/crew", "src/api/routes.ts", FIVE)
        .file("/r/crew", "src/é/漢😀.ts", FIVE)
        .file("/r/crew", "src/index.ts", FIVE)
        .file("/r/studio", "src/index.ts", "one\n")
        .file("/r/studio", "lib/index.ts", "one\ntwo\nthree\nfour\nfive\nsix\nstudio\n")
        .file("/r/studio", "README.MD", "")
}

const BOTH: &[&str] = &["crew", "studio"];

#[test]
fn a_path_is_looked_for_below_its_alias_and_in_every_root() {
    let host = crew();
    check(&host, BOTH, "crew/src/api/routes.ts", "verified");
    check(&host, BOTH, "src/api/routes.ts", "verified");
    check(&host, BOTH, "src/é/漢😀.ts", "verified");
    check(&host, BOTH, "lib/index.ts", "verified");
    check(&host, BOTH, ".\\src\\api\\routes.ts", "verified");
    check(&host, BOTH, "/r/crew/src/api/routes.ts", "verified");
    check(&host, BOTH, "src/../src/api/routes.ts", "verified");
    check(&host, BOTH, "studio/src/api/routes.ts", "unverified (no such file)");
    check(&host, BOTH, "src/api/Routes.ts", "unverified (no such file)");
    check(&host, BOTH, "api/route.ts", "unverified (no such file)");
}

#[test]
fn the_end_of_a_path_finds_the_one_file_it_can_mean() {
    let host = crew();
    check(&host, BOTH, "api/routes.ts", "corrected src/api/routes.ts");
    check(&host, BOTH, "crew/routes.ts", "corrected src/api/routes.ts");
    check(&host, BOTH, "api/routes.ts:2-3", "corrected src/api/routes.ts:2-3");
    check(&host, BOTH, "api/routes.ts:two", "corrected src/api/routes.ts:two");
    check(&host, BOTH, "routes.ts", "verified");
    check(&host, BOTH, "routes.ts:5", "verified");
    check(&host, BOTH, "i/routes.ts", "unverified (no such file)");
}

#[test]
fn several_files_are_unclear_unless_line_or_symbol_settle_it() {
    let host = crew();
    check(
        &host,
        BOTH,
        "index.ts",
        "unverified (unclear which of crew/src/index.ts, studio/lib/index.ts, studio/src/index.ts)",
    );
    check(&host, BOTH, "index.ts:6", "verified");
    check(&host, BOTH, "index.ts:studio", "verified");
    check(&host, BOTH, "index.ts:4", "unverified (unclear which of crew/src/index.ts, studio/lib/index.ts)");
    check(&host, BOTH, "index.ts:99", "unverified (the file has 5 lines)");
    check(&host, BOTH, "src/index.ts:4", "verified");
}

#[test]
fn a_bare_name_that_is_nowhere_is_prose() {
    let host = crew();
    check(&host, BOTH, "node.js", "dropped");
    check(&host, BOTH, "README.MD", "verified");
    check(&host, BOTH, "node.js:3", "unverified (no such file)");
}

#[test]
fn nothing_outside_the_roots_is_asked_for() {
    let mut host = crew();
    host.files.insert("/r/secret.txt".to_owned(), Some(String::new()));
    for outside in [
        "../secret.txt",
        "crew/../../secret.txt",
        "/r/secret.txt",
        "/etc/passwd",
        "~/secret.txt",
        "C:\\secret.txt",
    ] {
        check(&host, BOTH, outside, "unchecked (outside the roots)");
    }
    check(&host, BOTH, "../studio/lib/index.ts", "corrected lib/index.ts");
    assert_eq!(host.asked("exists /r/secret"), 0);
    assert_eq!(host.asked("exists /etc"), 0);
}

#[test]
fn a_listed_file_that_is_gone_is_not_verified_and_one_not_listed_is() {
    let mut host = crew().listed("/r/crew", "src/gone.ts");
    host.files.insert("/r/crew/build/new.ts".to_owned(), Some(String::new()));
    check(&host, BOTH, "src/gone.ts", "unverified (no such file)");
    check(&host, BOTH, "gone.ts:1", "unverified (no such file)");
    check(&host, BOTH, "build/new.ts", "verified");
}

#[test]
fn a_folder_with_files_is_there() {
    check(&crew(), BOTH, "src/api", "verified");
    check(&crew(), BOTH, "crew/src/api/", "verified");
    check(&crew(), BOTH, "src/ap", "unverified (no such file)");
}

#[test]
fn a_final_newline_starts_no_line_and_both_ends_of_a_range_must_hold() {
    let host = crew().file("/r/crew", "empty.ts", "").file("/r/crew", "one.ts", "a");
    check(&host, BOTH, "src/api/routes.ts:5", "verified");
    check(&host, BOTH, "src/api/routes.ts:6", "unverified (the file has 5 lines)");
    check(&host, BOTH, "src/api/routes.ts:4-5", "verified");
    check(&host, BOTH, "src/api/routes.ts:4-6", "unverified (the file has 5 lines)");
    check(&host, BOTH, "src/api/routes.ts:1,3-4,5", "verified");
    check(&host, BOTH, "src/api/routes.ts:1,3-9", "unverified (the file has 5 lines)");
    check(&host, BOTH, "src/api/routes.ts:0", "unverified (no such lines)");
    check(&host, BOTH, "src/api/routes.ts:4-2", "unverified (no such lines)");
    check(&host, BOTH, "src/api/routes.ts:4294967295", "unverified (the file has 5 lines)");
    check(&host, BOTH, "empty.ts:1", "unverified (the file has 0 lines)");
    check(&host, BOTH, "one.ts:2", "unverified (the file has 1 line)");
}

#[test]
fn a_symbol_is_on_its_line_or_corrected_to_the_nearest() {
    let host = crew();
    check(&host, BOTH, "`two` src/api/routes.ts:2", "verified");
    check(&host, BOTH, "`two` src/api/routes.ts:1-2", "verified");
    check(&host, BOTH, "`two` src/api/routes.ts:5", "corrected src/api/routes.ts:4");
    check(&host, BOTH, "`two` src/api/routes.ts:3", "corrected src/api/routes.ts:2");
    check(&host, BOTH, "`one` crew/src/api/routes.ts:3-4", "corrected crew/src/api/routes.ts:1-2");
    check(&host, BOTH, "`five` src/api/routes.ts:2-3", "corrected src/api/routes.ts:4-5");
    check(&host, BOTH, "`five` src/api/routes.ts:2-400", "corrected src/api/routes.ts:1-5");
    check(&host, BOTH, "`three` src/api/routes.ts:2069", "corrected src/api/routes.ts:4");
    check(&host, BOTH, "`thre` src/api/routes.ts:4", "unverified (does not contain thre)");
    check(&host, BOTH, "`é` api/routes.ts:1", "corrected src/api/routes.ts:3");
    check(&host, BOTH, "`two` routes.ts:5", "corrected routes.ts:4");
}

#[test]
fn a_qualified_symbol_needs_its_scope_in_the_file_or_the_path() {
    let host = crew().file("/r/crew", "src/Store.rs", "impl Store {\n  fn open() {}\n}\n");
    check(&host, BOTH, "src/Store.rs:open", "verified");
    check(&host, BOTH, "src/Store.rs:Store::open", "verified");
    check(&host, BOTH, "src/Store.rs:crate.store.open()", "verified");
    check(&host, BOTH, "`Store::open` src/Store.rs:3", "corrected src/Store.rs:2");
    check(&host, BOTH, "src/Store.rs:Other::open", "unverified (does not contain Other::open)");
    check(&host, BOTH, "src/Store.rs:Store::close", "unverified (does not contain Store::close)");
}

#[test]
fn what_cannot_be_looked_at_is_no_claim() {
    let mut host = crew();
    host.files.insert("/r/crew/src/binary.ts".to_owned(), Some("a\0b".to_owned()));
    host.files.insert("/r/crew/src/locked.ts".to_owned(), None);
    host.unanswered.push("/r/crew/src/broken.ts");
    check(&host, BOTH, "src/binary.ts", "verified");
    check(&host, BOTH, "src/binary.ts:1", "unchecked (could not be read as text)");
    check(&host, BOTH, "src/locked.ts:one", "unchecked (could not be read as text)");
    check(&host, BOTH, "src/broken.ts", "unchecked (could not be looked for everywhere)");
    host.listings.insert("/r/studio".to_owned(), None);
    check(&host, BOTH, "src/none.ts", "unchecked (studio could not be listed)");
    check(&host, BOTH, "none.ts", "dropped");
    check(&host, BOTH, "routes.ts", "verified");
    check(&host, &[], "src/none.ts", "unchecked (there is no root to look in)");
    check(&host, &[], "@abcdef1", "unchecked (could not all be checked)");
}

#[test]
fn a_commit_is_looked_for_where_it_is_said_to_be_first() {
    for together in [false, true] {
        let mut host = crew();
        host.together = together;
        host.commits.insert("/r/crew".to_owned(), vec!["abcdef1234"]);
        check(&host, BOTH, "@abcdef1", "verified");
        check(&host, BOTH, "crew@ABCDEF1", "verified");
        check(&host, BOTH, "studio@abcdef1", "corrected crew");
        check(&host, BOTH, "@abcdef9", "unverified (no such commit)");
        check(&host, BOTH, "nowhere@abcdef1", "verified");
        host.broken_git.push("/r/studio");
        check(&host, BOTH, "@abcdef1", "verified");
        check(&host, BOTH, "@abcdef9", "unchecked (could not all be checked)");
        check(&host, BOTH, "studio@abcdef1", "unchecked (could not all be checked)");
        let items = run(&host, &roots(BOTH), &["studio@abcdef1"], &options());
        assert_eq!(items[0].1.root, Some(0));
    }
}

#[test]
fn a_root_given_twice_or_inside_another_is_one_place() {
    let mut host = crew().file("/r/crew/src", "api/routes.ts", FIVE);
    host.commits.insert("/r/crew".to_owned(), vec!["abcdef1234"]);
    let mut given = roots(&["crew", "crew/src"]);
    given.push(Root { abs_root: "/r/crew".to_owned(), name: "again".to_owned() });
    let items = run(&host, &given, &["routes.ts", "again@abcdef1", "again/src/api/routes.ts"], &options());
    assert!(items.iter().all(|(_, verdict)| verdict.status == Status::Verified), "{items:?}");
    assert_eq!(items.len(), 3);
    assert_eq!(host.asked("list /r/crew"), 2);
}

#[test]
fn everything_is_asked_once_a_pass() {
    let mut host = crew();
    host.together = true;
    let raws: Vec<String> = (1..=80).map(|line| format!("`x{line}` src/api/routes.ts:{line}")).collect();
    let mut raws: Vec<&str> = raws.iter().map(String::as_str).collect();
    raws.extend(["none/a.ts", "none/b.ts", "@abcdef1", "@abcdef2", "crew@abcdef3"]);
    run(&host, &roots(BOTH), &raws, &VerifyOptions { max_items: 1000, ..options() });
    let asked = host.asked.borrow();
    let distinct: std::collections::BTreeSet<&String> = asked.iter().collect();
    assert_eq!(distinct.len(), asked.len(), "{asked:?}");
    assert_eq!(asked.iter().filter(|asked| asked.starts_with("commits")).count(), 2);
}

#[test]
fn the_cap_is_spent_on_citations_and_not_on_prose() {
    let host = crew();
    let raws = [
        "node.js",
        "e.g",
        "src/index.ts",
        "vue.js",
        "routes.ts",
        "src/api/routes.ts",
        "react.js",
        "none/x.ts",
    ];
    let found = run(&host, &roots(BOTH), &raws, &VerifyOptions { max_items: 2, ..options() });
    let statuses: Vec<_> = found.iter().map(|(raw, verdict)| (raw.as_str(), verdict.status)).collect();
    assert_eq!(
        statuses,
        [
            ("src/index.ts", Status::Verified),
            ("routes.ts", Status::Verified),
            ("src/api/routes.ts", Status::Unchecked),
            ("none/x.ts", Status::Unchecked),
        ]
    );
    assert_eq!(found[2].1.note.as_deref(), Some("only the first 2 are checked"));
    let none = run(&host, &roots(BOTH), &raws, &VerifyOptions { max_items: 0, ..options() });
    assert!(none.iter().all(|(_, verdict)| verdict.status == Status::Unchecked));
}

#[test]
fn prose_cannot_make_the_pass_look_for_ever() {
    let host = crew();
    let raws: Vec<String> = (0..3 * MAX_BARE_NAMES).map(|number| format!("word{number}.js")).collect();
    run(&host, &roots(BOTH), &raws.iter().map(String::as_str).collect::<Vec<_>>(), &options());
    assert_eq!(host.asked("exists"), 2 * MAX_BARE_NAMES);
}

#[test]
fn the_budget_ends_the_pass_between_citations_inside_listing_and_inside_sweeping() {
    // The clock is read at the start, before each citation, each listing, each file and each root swept.
    for (raws, budget_ms, statuses) in [
        (vec!["src/index.ts", "src/api/routes.ts", "@abcdef1"], 0, "???"),
        (vec!["src/index.ts", "src/api/routes.ts", "@abcdef1"], 3, "vv?"),
        (vec!["none/a.ts"], 2, "?"),
        (vec!["none/a.ts"], 4, "n"),
        (vec!["@abcdef1"], 3, "?"),
        (vec!["@abcdef1"], 4, "n"),
        (vec!["src/index.ts:1"], 2, "?"),
        (vec!["src/index.ts:1"], 3, "v"),
    ] {
        let host = MemoryHost { tick: 1.0, ..crew() };
        let found = run(&host, &roots(BOTH), &raws, &VerifyOptions { budget_ms, ..options() });
        let found: String = found
            .iter()
            .map(|(_, verdict)| match verdict.status {
                Status::Verified => 'v',
                Status::Unverified => 'n',
                Status::Corrected => 'c',
                Status::Unchecked => '?',
            })
            .collect();
        assert_eq!(found, statuses, "{raws:?} in {budget_ms}");
    }
}

#[test]
fn a_rule_is_never_said_to_be_followed() {
    let host = crew();
    let ids = ["R-1"].into_iter().collect();
    let known = VerifyOptions { rule_ids: Some(ids), ..options() };
    let verdict = |raw: &str, options: &VerifyOptions| run(&host, &roots(BOTH), &[raw], options)[0].1.clone();
    assert_eq!(verdict("[rule:R-1]", &known), Verdict::noted(Status::Unchecked, RULE_CITED_LABEL));
    assert_eq!(verdict("[rule:R-2]", &known), Verdict::noted(Status::Unverified, RULE_UNKNOWN_LABEL));
    assert_eq!(verdict("[rule:R-1]", &options()).status, Status::Unchecked);
}

/// A host that answers by whim: whatever, late, never, and another thing the next time.
struct Whim {
    seeds: RefCell<Vec<u8>>,
    next: RefCell<usize>,
    asked: RefCell<Vec<String>>,
}

impl Whim {
    fn pick(&self) -> u8 {
        let seeds = self.seeds.borrow();
        *self.next.borrow_mut() += 1;
        seeds.get(*self.next.borrow() % seeds.len().max(1)).copied().unwrap_or(0)
    }
}

impl Host for Whim {
    async fn now(&self) -> Option<f64> {
        match self.pick() {
            0 => None,
            1 => Some(f64::NAN),
            2 => Some(f64::INFINITY),
            other => Some(f64::from(other) * 100.0),
        }
    }

    async fn file_exists(&self, path: &str) -> Option<bool> {
        self.asked.borrow_mut().push(path.to_owned());
        [None, Some(true), Some(false)][usize::from(self.pick() % 3)]
    }

    async fn read_text(&self, path: &str) -> Option<String> {
        self.asked.borrow_mut().push(path.to_owned());
        match self.pick() % 4 {
            0 => None,
            1 => Some("a\0".to_owned()),
            2 => Some("é 漢 😀\r\n".repeat(usize::from(self.pick()))),
            _ => Some(String::new()),
        }
    }

    async fn list_files(&self, _: &str) -> Option<String> {
        let listings = ["", "../a.ts\0/a.ts\0\0..", "a.ts\0src/a.ts\0x/a.ts", "src/a.ts\0src/a.ts\0漢/é.ts"];
        (!self.pick().is_multiple_of(5)).then(|| listings[usize::from(self.pick() % 4)].to_owned())
    }

    async fn commits_exist(&self, _: &str, shas: &[&str]) -> Option<Vec<CommitCheck>> {
        let all = [CommitCheck::Present, CommitCheck::Absent, CommitCheck::Error];
        match self.pick() % 4 {
            0 => None,
            1 => Some(Vec::new()),
            other => Some(vec![all[usize::from(self.pick() % 3)]; shas.len() + usize::from(other == 3)]),
        }
    }

    fn answers_commits_together(&self) -> bool {
        self.pick().is_multiple_of(2)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn whatever_a_host_answers_the_pass_ends_and_asks_only_inside_the_roots(
        seeds in proptest::collection::vec(any::<u8>(), 1..60),
        raws in proptest::collection::vec(
            prop_oneof![
                "(\\.\\./|/|~/|src/|[ab]/|漢/|C:\\\\|\\./|\\.\\.\\\\){0,4}(a|é|\\.\\.)?(\\.ts)?(:[0-9]{1,6}(-[0-9]{1,6})?|:[a-zé.:]{1,4})?",
                "(a|b)?@[0-9a-f]{7,40}",
            ],
            1..12,
        ),
        root_paths in proptest::collection::vec("(/[a-c]{1,2}){0,3}/?|C:\\\\[a-c]", 0..4),
        max_items in 0..8_usize,
    ) {
        let roots: Vec<Root> =
            root_paths.iter().map(|path| Root { abs_root: path.clone(), name: path.clone() }).collect();
        let raws: Vec<&str> = raws.iter().map(String::as_str).filter(|raw| !raw.is_empty()).collect();
        let text = raws.join("\n");
        let host = Whim { seeds: RefCell::new(seeds), next: RefCell::new(0), asked: RefCell::default() };
        let citations: Vec<Citation> = raws.iter().map(|raw| citation(&text, raw)).collect();
        let options = VerifyOptions { max_items, ..options() };
        let items = block_on(async {
            let budget = Budget::start(&host, options.budget_ms).await;
            verify(&text, citations.clone(), &roots, &host, &options, budget).await
        });
        let mut rest = citations.iter();
        for (citation, verdict) in &items {
            prop_assert!(rest.any(|other| other == citation), "items keep the order of the text");
            prop_assert_eq!(verdict.status == Status::Corrected, verdict.resolved.is_some());
            prop_assert!(verdict.status == Status::Verified || verdict.note.is_some());
        }
        prop_assert!(items.iter().filter(|(_, verdict)| verdict.status != Status::Unchecked).count() <= max_items);
        for path in host.asked.borrow().iter() {
            let inside = roots.iter().any(|root| path.strip_prefix(&root.abs_root).is_some_and(|rest| {
                rest.split('/').skip_while(|part| part.is_empty()).all(|part| !matches!(part, "" | "." | ".."))
            }));
            prop_assert!(inside, "{} is not inside {:?}", path, root_paths);
        }
    }
}
