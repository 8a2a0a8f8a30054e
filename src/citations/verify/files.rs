//! Files, their lines and their symbols.

use super::cited_file::CitedFile;
use super::host::Host;
use super::listing::Listing;
use super::spelling::{Spelling, join};
use super::{Budget, SearchedRoot, Verdict, out_of_time};
use crate::citations::citation::{Citation, Kind, Status};
use crate::collections::StringMap;
use crate::limits::{MAX_CANDIDATE_FILES, MAX_READ_BYTES};

const OUTSIDE: &str = "outside the roots";

/// A file in a root.
#[derive(Clone)]
struct Place<'p> {
    root: &'p SearchedRoot<'p>,
    path: String,
}

impl Place<'_> {
    fn absolute(&self) -> String {
        join(self.root.abs_root, &self.path)
    }

    fn found(&self, verdict: Verdict) -> Verdict {
        Verdict { root: Some(self.root.index), file: Some(self.path.clone()), ..verdict }
    }
}

/// How the files that a citation may mean were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    /// Where the citation says.
    Exactly,
    /// By a bare name, which says nothing about where.
    ByName,
    /// Somewhere else, by the end of the path.
    Elsewhere,
}

/// Whether a file has what is cited.
enum Claim {
    Holds,
    /// The symbol is not there but on these lines.
    Moved {
        first: usize,
        last: usize,
    },
    Fails(String),
    /// No claim, and why.
    Unknown(&'static str),
}

/// The files of a pass.
pub struct Files<'p, H> {
    roots: &'p [SearchedRoot<'p>],
    host: &'p H,
    existing: StringMap<Option<bool>>,
    read: StringMap<Option<CitedFile>>,
    read_bytes: usize,
    /// The listings of the roots, by path.
    listed: StringMap<Option<Listing>>,
}

impl<'p, H: Host> Files<'p, H> {
    /// Nothing is asked yet.
    pub fn new(roots: &'p [SearchedRoot<'p>], host: &'p H) -> Self {
        Files {
            roots,
            host,
            existing: StringMap::default(),
            read: StringMap::default(),
            read_bytes: 0,
            listed: StringMap::default(),
        }
    }

    /// The verdict on `citation`, which names a file; `None` to leave it out.
    pub async fn verify(&mut self, citation: &Citation, budget: &mut Budget<'_, H>) -> Option<Verdict> {
        let readings: Vec<(&str, Spelling)> =
            citation.paths_to_try().map(|path| (path, Spelling::of(path))).collect();
        let mut doubt = self.roots.is_empty().then(|| "there is no root to look in".to_owned());

        for (path, spelling) in &readings {
            for places in self.exact_places(spelling) {
                let found = self.those_there(places, &mut doubt).await;
                if !found.is_empty() {
                    let how = if leads_out(spelling) { Found::Elsewhere } else { Found::Exactly };
                    return Some(self.judge(citation, path, found, how, budget).await);
                }
            }
        }
        // What is named from the top of another tree is not meant to be the end of a path in this one.
        if readings.first().is_some_and(|(_, literal)| self.is_outside(literal)) {
            return Some(Verdict::noted(Status::Unchecked, OUTSIDE)).filter(|_| !citation.tentative);
        }
        for root in self.roots {
            if !self.listed.contains(root.abs_root) {
                if budget.is_spent().await {
                    return Some(out_of_time()).filter(|_| !citation.tentative);
                }
                let listing = self.host.list_files(root.abs_root).await.map(Listing::new);
                self.listed.insert(root.abs_root, listing);
            }
            if self.listing(root).is_none() {
                doubt.get_or_insert_with(|| format!("{} could not be listed", root.name));
            }
        }
        if citation.kind == Kind::Path {
            let spellings = readings.iter().map(|(_, spelling)| spelling);
            let places = spellings
                .filter(|spelling| !leads_out(spelling))
                .flat_map(|spelling| self.exact_places(spelling));
            let is_folder = |place: &Place<'_>| {
                self.listing(place.root).is_some_and(|listing| listing.has_folder(&place.path))
            };
            if let Some(folder) = places.flatten().find(is_folder) {
                return Some(folder.found(Verdict::new(Status::Verified)));
            }
        }
        for (path, spelling) in &readings {
            for mut places in self.places_by_suffix(spelling) {
                let too_many = places.len() > MAX_CANDIDATE_FILES;
                places.truncate(MAX_CANDIDATE_FILES);
                let found = self.those_there(places, &mut doubt).await;
                if too_many && citation.kind != Kind::Path {
                    return Some(Verdict::noted(Status::Unchecked, "too many files have that name"));
                }
                if !found.is_empty() {
                    let bare = !path.contains(['/', '\\']);
                    let how = if bare { Found::ByName } else { Found::Elsewhere };
                    return Some(self.judge(citation, path, found, how, budget).await);
                }
            }
        }
        if citation.tentative {
            return None;
        }
        let leads_out = readings.first().is_some_and(|(_, literal)| leads_out(literal));
        doubt = doubt.or_else(|| leads_out.then(|| OUTSIDE.to_owned()));
        Some(match doubt {
            Some(note) => Verdict::noted(Status::Unchecked, note),
            None => Verdict::noted(Status::Unverified, "no such file"),
        })
    }

    fn listing(&self, root: &SearchedRoot<'_>) -> Option<&Listing> {
        self.listed.get(root.abs_root)?.as_ref()
    }

    /// Where a spelling says the file is, the likelier group of places first.
    fn exact_places(&self, spelling: &Spelling) -> Vec<Vec<Place<'p>>> {
        match spelling {
            Spelling::Home => Vec::new(),
            Spelling::Absolute(_) => vec![self.places(|root| spelling.inside(root.abs_root))],
            Spelling::Relative { path, .. } if path.is_empty() => Vec::new(),
            Spelling::Relative { path, .. } => {
                vec![self.places(|root| below_alias(root, path)), self.places(|_| Some(path.clone()))]
            }
        }
    }

    /// Where listed files end as a spelling does, the likelier group of places first.
    fn places_by_suffix(&self, spelling: &Spelling) -> Vec<Vec<Place<'p>>> {
        let everywhere = |path: &String| self.places_ending(|_| Some(path.clone()));
        match spelling {
            Spelling::Home => Vec::new(),
            Spelling::Absolute(_) => {
                let inside = self.roots.iter().find_map(|root| spelling.inside(root.abs_root));
                inside.as_ref().map(everywhere).into_iter().collect()
            }
            Spelling::Relative { path, .. } => {
                vec![everywhere(path), self.places_ending(|root| below_alias(root, path))]
            }
        }
    }

    fn places(&self, path: impl Fn(&SearchedRoot<'_>) -> Option<String>) -> Vec<Place<'p>> {
        once(self.roots.iter().filter_map(|root| path(root).map(|path| Place { root, path })))
    }

    fn places_ending(&self, suffix: impl Fn(&SearchedRoot<'_>) -> Option<String>) -> Vec<Place<'p>> {
        let ending = |root: &'p SearchedRoot<'p>| -> Vec<Place<'p>> {
            let (Some(listing), Some(suffix)) = (self.listing(root), suffix(root)) else { return Vec::new() };
            listing.ending_in(&suffix).map(|path| Place { root, path: path.to_owned() }).collect()
        };
        once(self.roots.iter().flat_map(ending))
    }

    fn is_outside(&self, spelling: &Spelling) -> bool {
        match spelling {
            Spelling::Home => true,
            Spelling::Absolute(_) => self.roots.iter().all(|root| spelling.inside(root.abs_root).is_none()),
            Spelling::Relative { .. } => false,
        }
    }

    /// Those of `places` where a file is. A look-up that failed leaves a doubt.
    async fn those_there(&mut self, places: Vec<Place<'p>>, doubt: &mut Option<String>) -> Vec<Place<'p>> {
        let mut there = Vec::new();
        for place in places {
            let path = place.absolute();
            let exists = match self.existing.get(&path) {
                Some(known) => *known,
                None => {
                    let answer = self.host.file_exists(&path).await;
                    self.existing.insert(&path, answer);
                    answer
                }
            };
            match exists {
                Some(true) => there.push(place),
                Some(false) => {}
                None => {
                    doubt.get_or_insert_with(|| "could not be looked for everywhere".to_owned());
                }
            }
        }
        there
    }

    /// The verdict when the citation can only mean one of `places`.
    async fn judge(
        &mut self,
        citation: &Citation,
        path: &str,
        places: Vec<Place<'p>>,
        found: Found,
        budget: &mut Budget<'_, H>,
    ) -> Verdict {
        let mut holds = Vec::new();
        let mut moved = Vec::new();
        let mut failure = None;
        let mut doubt = None;
        for place in &places {
            match self.claim(citation, place, budget).await {
                Claim::Holds => holds.push(place),
                Claim::Moved { first, last } => moved.push((place, first, last)),
                Claim::Fails(note) => failure = failure.or(Some(note)),
                Claim::Unknown(note) => doubt = doubt.or(Some(note)),
            }
            // What is there as cited in one root needs no other.
            if found == Found::Exactly && !holds.is_empty() {
                break;
            }
        }
        match (holds.as_slice(), doubt, moved.as_slice()) {
            ([place], _, _) if found != Found::Elsewhere => place.found(Verdict::new(Status::Verified)),
            ([place], None, _) => {
                let verdict = Verdict::noted(Status::Corrected, format!("is at {}", place.path));
                let resolved = Some(format!("{}{}", place.path, position(citation)));
                place.found(Verdict { resolved, ..verdict })
            }
            ([], None, [(place, first, last)]) => {
                let path = if found == Found::Elsewhere { &place.path } else { path };
                let symbol = citation.symbol.as_deref().unwrap_or("");
                let lines = if first == last { first.to_string() } else { format!("{first}-{last}") };
                let on = if first == last { "on line" } else { "at lines" };
                let verdict = Verdict::noted(Status::Corrected, format!("{symbol} is {on} {lines}"));
                place.found(Verdict { resolved: Some(format!("{path}:{lines}")), ..verdict })
            }
            (_, Some(note), _) => Verdict::noted(Status::Unchecked, note),
            ([], None, []) => Verdict::noted(Status::Unverified, failure.unwrap_or_default()),
            ([], None, moved) => self.unclear(&moved.iter().map(|(place, _, _)| *place).collect::<Vec<_>>()),
            (holds, None, _) => self.unclear(holds),
        }
    }

    fn unclear(&self, places: &[&Place<'p>]) -> Verdict {
        const SHOWN: usize = 3;
        let name = |place: &&Place<'_>| match self.roots {
            [_] => place.path.clone(),
            _ => join(place.root.name, &place.path),
        };
        let shown: Vec<String> = places.iter().take(SHOWN).map(name).collect();
        let more = places.len().saturating_sub(SHOWN);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        Verdict::noted(Status::Unverified, format!("unclear which of {}{more}", shown.join(", ")))
    }

    /// Whether the file at `place` has what is cited.
    async fn claim(&mut self, citation: &Citation, place: &Place<'p>, budget: &mut Budget<'_, H>) -> Claim {
        if citation.kind == Kind::Path {
            return Claim::Holds;
        }
        let path = place.absolute();
        if !self.read.contains(&path) {
            if budget.is_spent().await {
                return Claim::Unknown("not reached in time");
            }
            if self.read_bytes > MAX_READ_BYTES {
                return Claim::Unknown("too much to read");
            }
            let text = self.host.read_text(&path).await;
            self.read_bytes += text.as_ref().map_or(0, String::len);
            self.read.insert(&path, text.and_then(CitedFile::new));
        }
        match self.read.get_mut(&path).and_then(Option::as_mut) {
            Some(file) => claim_in(file, citation, &place.path),
            None => Claim::Unknown("could not be read as text"),
        }
    }
}

/// `<alias>/<rest>` as `<rest>`, for an alias of `root`; one may have a separator, as `owner/name` has.
fn below_alias(root: &SearchedRoot<'_>, path: &str) -> Option<String> {
    root.aliases
        .iter()
        .find_map(|alias| path.strip_prefix(alias.as_str())?.strip_prefix('/'))
        .map(str::to_owned)
}

/// Each file once: with one root inside another it has two places.
fn once<'p>(places: impl Iterator<Item = Place<'p>>) -> Vec<Place<'p>> {
    let mut seen = StringMap::default();
    places.filter(|place| seen.insert(&place.absolute(), ())).collect()
}

/// Whether `..` lead out of the folder a path starts from.
fn leads_out(spelling: &Spelling) -> bool {
    matches!(spelling, Spelling::Relative { ups: 1.., .. })
}

/// The position as written in `resolved`: lines or a symbol.
fn position(citation: &Citation) -> String {
    let lines: Vec<String> = citation
        .lines
        .iter()
        .map(|&(first, last)| if first == last { first.to_string() } else { format!("{first}-{last}") })
        .collect();
    match citation.kind {
        Kind::Line => format!(":{}", lines.join(",")),
        Kind::Symbol => format!(":{}", citation.symbol.as_deref().unwrap_or("")),
        _ => String::new(),
    }
}

/// Whether `file`, at `path`, has the lines and the symbol of `citation`.
fn claim_in(file: &mut CitedFile, citation: &Citation, path: &str) -> Claim {
    let count = file.line_count();
    let lines: Vec<(usize, usize)> =
        citation.lines.iter().map(|&(first, last)| (first as usize, last as usize)).collect();
    let failure = if citation.cannot_hold() {
        Some("no such lines".to_owned())
    } else if lines.iter().any(|&(_, last)| last > count) {
        Some(format!("the file has {count} line{}", if count == 1 { "" } else { "s" }))
    } else {
        None
    };
    let symbol = citation.symbol.as_deref().unwrap_or("");
    let (scopes, word) = parts_of(symbol);
    if word.is_empty() {
        return failure.map_or(Claim::Holds, Claim::Fails);
    }
    let absent = || Claim::Fails(format!("does not contain {symbol}"));
    let Some(&(first, last)) = lines.first() else {
        let there = file.contains(word) && scopes.iter().all(|scope| is_known(file, scope, path));
        return if there { Claim::Holds } else { absent() };
    };
    let on_line = lines.iter().find_map(|&(first, last)| file.line_within(word, first, last));
    if on_line.is_some() && failure.is_none() {
        return Claim::Holds;
    }
    if !scopes.iter().all(|scope| is_known(file, scope, path)) {
        return absent();
    }
    let last = last.max(first);
    let Some(line) = on_line.or_else(|| file.line_nearest(word, first, last)) else { return absent() };
    // The range keeps its length; where the file ends before it would, it ends with the file.
    let more = last - first;
    let last = line.saturating_add(more).min(count);
    Claim::Moved { first: last.saturating_sub(more).clamp(1, line), last }
}

/// The scopes and the last name of `Foo::bar`, `foo.bar()` and the like.
fn parts_of(symbol: &str) -> (Vec<&str>, &str) {
    let own = symbol.strip_suffix("()").unwrap_or(symbol);
    let mut parts: Vec<&str> = own.split([':', '.', '#']).filter(|part| !part.is_empty()).collect();
    let word = parts.pop().unwrap_or("");
    (parts, word)
}

/// Whether a scope is in the file, is the module that the path itself is, or one every module has.
fn is_known(file: &CitedFile, scope: &str, path: &str) -> bool {
    matches!(scope, "crate" | "self" | "Self" | "super" | "this")
        || path.split(['/', '.']).any(|part| part.eq_ignore_ascii_case(scope))
        || file.contains(scope)
}
