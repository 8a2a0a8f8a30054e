//! A document index at rest: one JSON record a line for each version of a document that was ingested.
//! The texts themselves are kept beside it under their content hash. Contract section 5.

use super::chunk_spans;
use crate::collections::StringMap;
use crate::error::Error;
use crate::limits::MAX_DOCUMENT_PATH_BYTES;
use crate::text::{Utf16Span, sha256_hex};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One version of a document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Version {
    /// `<scope>:<filePath>`.
    pub doc_id: String,
    /// What keeps equal paths of different collections apart.
    pub scope: String,
    /// The path as ingested, with `/`.
    pub file_path: String,
    /// SHA-256 of the extracted text.
    pub content_hash: String,
    /// Counts the versions of the document, from 1.
    pub version: u32,
    /// When it was ingested, in milliseconds since the epoch.
    pub at: f64,
    /// Chunks as start and end, UTF-16 units.
    pub chunks: Vec<(usize, usize)>,
    /// Where a capture came from, as given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Map<String, Value>>,
}

/// Why a line of the index was passed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Damage {
    /// Not JSON: a torn write.
    NotJson,
    /// JSON, but not a version of a document.
    NotARecord,
}

impl Damage {
    /// The word JavaScript sees.
    pub const fn as_str(self) -> &'static str {
        match self {
            Damage::NotJson => "not-json",
            Damage::NotARecord => "not-a-record",
        }
    }
}

/// The index as read.
#[derive(Debug, Clone, Default)]
pub struct Index {
    versions: Vec<Version>,
    damage: Vec<(usize, Damage)>,
    settled: Settled,
}

/// How much of the index came from whole lines.
#[derive(Debug, Clone, Copy, Default)]
struct Settled {
    lines: usize,
    versions: usize,
    damage: usize,
}

impl Index {
    /// Reads every whole record of `jsonl`, in order; damage is passed over and reported.
    pub fn read(jsonl: &str) -> Index {
        let mut index = Index::default();
        index.extend(jsonl.as_bytes());
        index
    }

    /// Reads on: `bytes` are the index from where the last call left off. Returns how many are settled;
    /// what stands behind the last newline may still be growing, and the next call begins with it.
    pub fn extend(&mut self, bytes: &[u8]) -> usize {
        self.versions.truncate(self.settled.versions);
        self.damage.truncate(self.settled.damage);
        let mut settled = 0;
        for newline in memchr::memchr_iter(b'\n', bytes) {
            self.line(bytes.get(settled..newline).unwrap_or_default());
            settled = newline + 1;
            self.settled.lines += 1;
        }
        self.settled.versions = self.versions.len();
        self.settled.damage = self.damage.len();
        self.line(bytes.get(settled..).unwrap_or_default());
        settled
    }

    fn line(&mut self, bytes: &[u8]) {
        let is_first = self.settled.lines == 0;
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").filter(|_| is_first).unwrap_or(bytes);
        if bytes.trim_ascii().is_empty() {
            return;
        }
        let damage = match std::str::from_utf8(bytes).map(serde_json::from_str::<Version>) {
            Ok(Ok(version)) if version.is_sound() => {
                self.versions.push(version);
                return;
            }
            Ok(Err(error)) if !error.is_data() => Damage::NotJson,
            Ok(_) => Damage::NotARecord,
            Err(_) => Damage::NotJson,
        };
        self.damage.push((self.settled.lines + 1, damage));
    }

    /// What was passed over: line from 1 and why.
    pub fn damage(&self) -> &[(usize, Damage)] {
        &self.damage
    }

    /// The newest version of the document `target` names: a document id, then a path, then the address
    /// it was captured from. `scope` narrows all three; without one the newest document wins.
    pub fn find(&self, target: &str, scope: Option<&str>) -> Option<&Version> {
        let in_scope = |version: &&Version| scope.is_none_or(|scope| version.scope == scope);
        let newest = |fits: &dyn Fn(&Version) -> bool| {
            self.versions.iter().rev().filter(in_scope).find(|version| fits(version))
        };
        let path = plain_path(target);
        let address = plain_address(target);
        newest(&|version| version.doc_id == target)
            .or_else(|| newest(&|version| version.file_path == path))
            .or_else(|| address.as_ref().and_then(|address| newest(&|version| version.has_address(address))))
    }

    /// Every version of a document, oldest first.
    pub fn versions<'i>(&'i self, doc_id: &'i str) -> impl Iterator<Item = &'i Version> {
        self.versions.iter().filter(move |version| version.doc_id == doc_id)
    }

    /// The newest version of every document, in the order of first ingestion.
    pub fn documents(&self) -> Vec<&Version> {
        let mut newest: Vec<&Version> = Vec::new();
        let mut places = StringMap::default();
        for version in &self.versions {
            match places.get(&version.doc_id).and_then(|place: &usize| newest.get_mut(*place)) {
                Some(slot) => *slot = version,
                None => {
                    places.insert(&version.doc_id, newest.len());
                    newest.push(version);
                }
            }
        }
        newest
    }

    /// The record to append for `text`, or `None` when the newest version already has this text and
    /// this provenance. *Errors*: `INVALID_ARGUMENT` for an empty or over-long path
    /// (`MAX_DOCUMENT_PATH_BYTES`), a scope that is empty or holds `:`.
    pub fn next_version(
        &self,
        file_path: &str,
        scope: &str,
        text: &str,
        at: f64,
        chunk_units: usize,
        provenance: Option<Map<String, Value>>,
    ) -> Result<(Version, bool), Error> {
        if scope.is_empty() || scope.contains(':') || scope.contains(char::is_control) {
            return Err(Error::invalid("scope", "scope must be a name without a colon."));
        }
        let file_path = plain_path(file_path);
        if file_path.is_empty() || file_path.len() > MAX_DOCUMENT_PATH_BYTES || file_path.contains('\0') {
            return Err(Error::invalid("filePath", "filePath must be a path of usual length."));
        }
        let doc_id = format!("{scope}:{file_path}");
        let content_hash = sha256_hex(text);
        let newest = self.versions(&doc_id).last();
        if let Some(same) = newest.filter(|newest| {
            newest.content_hash == content_hash && (provenance.is_none() || newest.provenance == provenance)
        }) {
            return Ok((same.clone(), false));
        }
        let chunks = chunk_spans(text, chunk_units)?
            .into_iter()
            .map(|Utf16Span { start, end }| (start, end))
            .collect();
        let version = newest.map_or(1, |newest| newest.version.saturating_add(1));
        let provenance = provenance.or_else(|| newest.and_then(|newest| newest.provenance.clone()));
        Ok((
            Version {
                doc_id,
                scope: scope.to_owned(),
                file_path,
                content_hash,
                version,
                at,
                chunks,
                provenance,
            },
            true,
        ))
    }
}

impl Version {
    fn is_sound(&self) -> bool {
        self.doc_id == format!("{}:{}", self.scope, self.file_path)
            && self.content_hash.len() == 64
            && self.content_hash.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
            && self.version > 0
            && self.chunks.iter().all(|(start, end)| start <= end)
    }

    fn has_address(&self, address: &str) -> bool {
        let Some(provenance) = &self.provenance else { return false };
        ["canonicalUrl", "url"].iter().any(|name| {
            provenance.get(*name).and_then(Value::as_str).and_then(plain_address).as_deref() == Some(address)
        })
    }
}

/// A path with `/` and without a leading `./`.
fn plain_path(path: &str) -> String {
    let slashed = path.replace('\\', "/");
    let mut rest = slashed.as_str();
    while let Some(shorter) = rest.strip_prefix("./") {
        rest = shorter.trim_start_matches('/');
    }
    rest.to_owned()
}

/// An address without fragment and final slash, its scheme and host in lower case; `None` for a path.
fn plain_address(address: &str) -> Option<String> {
    let (scheme, rest) = address.trim().split_once("://")?;
    let rest = rest.split('#').next().unwrap_or("");
    let cut = rest.find(['/', '?']).unwrap_or(rest.len());
    let (host, path) = rest.split_at_checked(cut)?;
    Some(format!(
        "{}://{}{}",
        scheme.to_ascii_lowercase(),
        host.to_ascii_lowercase(),
        path.trim_end_matches('/')
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn provenance(url: &str) -> Option<Map<String, Value>> {
        Some(Map::from_iter([("canonicalUrl".to_owned(), Value::from(url))]))
    }

    type Ingested<'d> = (&'d str, &'d str, &'d str, Option<Map<String, Value>>);

    fn index_of(documents: &[Ingested<'_>]) -> Index {
        let mut jsonl = String::new();
        for (scope, path, text, provenance) in documents {
            let index = Index::read(&jsonl);
            let (version, _) =
                index.next_version(path, scope, text, 7.0, 100, provenance.clone()).expect("ingested");
            jsonl += &serde_json::to_string(&version).expect("JSON");
            jsonl.push('\n');
        }
        Index::read(&jsonl)
    }

    #[test]
    fn versions_count_by_content_and_an_equal_text_is_no_version() {
        let index = index_of(&[
            ("docs", "a.md", "one", None),
            ("docs", "a.md", "twö 😀", None),
            ("docs", "b.md", "one", None),
        ]);
        let versions: Vec<u32> = index.versions("docs:a.md").map(|version| version.version).collect();
        assert_eq!(versions, [1, 2]);
        let (same, is_new) = index.next_version("./a.md", "docs", "twö 😀", 9.0, 100, None).expect("same");
        assert!(!is_new && same.version == 2);
        assert_eq!(
            index.documents().iter().map(|newest| newest.doc_id.as_str()).collect::<Vec<_>>(),
            ["docs:a.md", "docs:b.md"]
        );
    }

    #[test]
    fn a_document_is_found_by_id_path_and_address() {
        let index = index_of(&[
            ("web", "captures\\a.md", "one", provenance("https://Example.org/guide/")),
            ("docs", "a.md", "two", None),
            ("more", "a.md", "three", None),
        ]);
        let found = |target: &str, scope| index.find(target, scope).map(|version| version.doc_id.clone());
        assert_eq!(found("web:captures/a.md", None).as_deref(), Some("web:captures/a.md"));
        assert_eq!(found("./captures/a.md", None).as_deref(), Some("web:captures/a.md"));
        assert_eq!(found("HTTPS://example.org/guide#part", None).as_deref(), Some("web:captures/a.md"));
        assert_eq!(found("https://example.org/Guide", None), None);
        assert_eq!(found("a.md", None).as_deref(), Some("more:a.md"));
        assert_eq!(found("a.md", Some("docs")).as_deref(), Some("docs:a.md"));
        assert_eq!(found("docs:a.md", Some("more")), None);
        assert_eq!(found("", None), None);
    }

    #[test]
    fn damage_is_passed_over_and_reported() {
        let good =
            serde_json::to_string(&index_of(&[("docs", "a.md", "one", None)]).versions[0]).expect("JSON");
        let torn = &good[..good.len() / 2];
        let text = format!("\u{FEFF}{good}\r\n{torn}\n[1]\n\n{{\"docId\":\"x\"}}\nnull\n{good}\n{torn}");
        let index = Index::read(&text);
        assert_eq!(index.versions.len(), 2);
        let expected = [
            (2, Damage::NotJson),
            (3, Damage::NotARecord),
            (5, Damage::NotARecord),
            (6, Damage::NotARecord),
            (8, Damage::NotJson),
        ];
        assert_eq!(index.damage(), expected);
    }

    #[test]
    fn an_index_read_piece_by_piece_is_the_index_read_whole() {
        let sample = index_of(&[("docs", "a.md", "one", None), ("docs", "é漢😀.md", "two", None)]);
        let [first, second] = [0, 1].map(|at| serde_json::to_string(&sample.versions[at]).expect("JSON"));
        let jsonl = format!("\u{FEFF}{first}\n{{\"torn\r\n\n{second}\n[1]\n{first}");
        let whole = Index::read(&jsonl);
        let bytes = jsonl.as_bytes();
        let mut index = Index::default();
        let mut from = 0;
        for end in 0..=bytes.len() {
            from += index.extend(&bytes[from..end]);
            assert!(index.versions.len() <= whole.versions.len());
        }
        assert_eq!((index.versions, index.damage), (whole.versions, whole.damage));
        assert_eq!(from, bytes.len() - first.len());
    }

    #[test]
    fn a_record_that_contradicts_itself_is_no_record() {
        let mut version = index_of(&[("docs", "a.md", "one", None)]).versions[0].clone();
        version.doc_id = "docs:other.md".to_owned();
        assert!(!version.is_sound());
        assert!(Index::default().next_version("a.md", "a:b", "x", 0.0, 100, None).is_err());
        assert!(Index::default().next_version("", "docs", "x", 0.0, 100, None).is_err());
    }
}
