//! Which bytes of a transcript are records and which are damage.
//!
//! A [`Reader`] is fed a file piece by piece and packs the records of each piece, where they lie,
//! into the JSON text of one array: the caller parses once a piece, whatever the number of records.

use super::record::{self, Damage};
use crate::limits::{MAX_LINE_BYTES, MAX_REPORTED_DAMAGE, TRANSCRIPT_READ_BYTES};
use memchr::{memchr, memmem};

/// Bytes of the file that are no record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Skipped {
    /// The line, from 1.
    pub line: u64,
    /// Offset in the file of the first byte.
    pub offset: u64,
    /// How many bytes.
    pub length: u64,
    /// Why.
    pub damage: Damage,
}

/// Reads one transcript.
///
/// Its memory is the longest line, at most [`MAX_LINE_BYTES`], and [`TRANSCRIPT_READ_BYTES`].
#[derive(Debug)]
pub struct Reader {
    // `buffer[FIRST..filled]` are bytes of the file; what a batch packed lies before `rest`.
    buffer: Vec<u8>,
    rest: usize,
    filled: usize,
    // No line ends before it.
    searched: usize,
    // Offset in the file of `buffer[rest]`.
    offset: u64,
    line: u64,
    passing_over: Option<u64>,
    skipped: Vec<Skipped>,
    skipped_total: u64,
    most_line_bytes: usize,
}

// The array's `[` stands before the first record.
const FIRST: usize = 1;
// Every record this library writes starts so. Inside a JSON string the quotes would be escaped.
const RECORD_START: &[u8] = b"{\"at\":";
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

impl Default for Reader {
    fn default() -> Self {
        Reader {
            buffer: Vec::new(),
            rest: FIRST,
            filled: FIRST,
            searched: FIRST,
            offset: 0,
            line: 1,
            passing_over: None,
            skipped: Vec::new(),
            skipped_total: 0,
            most_line_bytes: MAX_LINE_BYTES,
        }
    }
}

impl Reader {
    /// Where the next bytes of the file go: at least [`TRANSCRIPT_READ_BYTES`], and as many again as
    /// the line that is not whole yet, so that a long line is moved a few times only.
    pub fn space(&mut self) -> &mut [u8] {
        if self.rest > FIRST {
            self.buffer.copy_within(self.rest..self.filled, FIRST);
        }
        self.searched = FIRST + (self.searched - self.rest);
        self.filled = FIRST + (self.filled - self.rest);
        self.rest = FIRST;
        let wanted = self.filled + TRANSCRIPT_READ_BYTES.max(self.filled);
        // One byte more: a last record without line end is followed by the array's `]`.
        if self.buffer.len() < wanted + 1 || self.buffer.len() > 4 * (wanted + 1) {
            self.buffer.resize(wanted + 1, 0);
            self.buffer.shrink_to_fit();
        }
        let end = self.buffer.len() - 1;
        self.buffer.get_mut(self.filled..end).unwrap_or_default()
    }

    /// Takes the `read` bytes written to [`space`](Self::space); 0 is the end of the file. Returns
    /// the records of the lines that are whole now as the UTF-8 text of a JSON array; no bytes when
    /// there are none.
    pub fn take(&mut self, read: usize) -> &[u8] {
        self.filled = (self.filled + read).min(self.buffer.len().saturating_sub(1)).max(self.filled);
        let mut packed = FIRST;
        while let Some(found) =
            self.buffer.get(self.searched..self.filled).and_then(|bytes| memchr(b'\n', bytes))
        {
            let end = self.searched + found;
            self.finish_line(end, 1, false, &mut packed);
        }
        self.searched = self.filled;
        if read == 0 && (self.filled > self.rest || self.passing_over.is_some()) {
            self.finish_line(self.filled, 0, true, &mut packed);
        } else if self.filled - self.rest > self.most_line_bytes {
            let passed = (self.filled - self.rest) as u64;
            self.passing_over = Some(self.passing_over.unwrap_or(0) + passed);
            self.offset += passed;
            self.rest = self.filled;
        }
        if packed == FIRST {
            return &[];
        }
        for (at, byte) in [(0, b'['), (packed - 1, b']')] {
            if let Some(place) = self.buffer.get_mut(at) {
                *place = byte;
            }
        }
        self.buffer.get(..packed).unwrap_or_default()
    }

    /// What was skipped so far, at most [`MAX_REPORTED_DAMAGE`] places in file order.
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    /// How many places were skipped so far.
    pub fn skipped_total(&self) -> u64 {
        self.skipped_total
    }

    // The line `rest..end` is whole; `line_end` bytes of line end follow it.
    fn finish_line(&mut self, end: usize, line_end: usize, is_last: bool, packed: &mut usize) {
        let length = (end - self.rest) as u64;
        if let Some(passed) = self.passing_over.take() {
            self.skip(self.offset - passed, passed + length, Damage::TooLong);
        } else {
            let line = self.buffer.get(self.rest..end).unwrap_or_default();
            let (damage, kept) = split(line, is_last);
            if let Some((start, damage, length)) = damage {
                self.skip(self.offset + start as u64, length as u64, damage);
            }
            if let Some((from, to)) = kept {
                // The comma takes the place of the line end, or the byte `space` left for it.
                self.buffer.copy_within(self.rest + from..self.rest + to, *packed);
                *packed += to - from;
                if let Some(place) = self.buffer.get_mut(*packed) {
                    *place = b',';
                }
                *packed += 1;
            }
        }
        self.rest = end + line_end;
        self.searched = self.rest;
        self.offset += length + line_end as u64;
        self.line += 1;
    }

    fn skip(&mut self, offset: u64, length: u64, damage: Damage) {
        self.skipped_total += 1;
        if self.skipped.len() < MAX_REPORTED_DAMAGE {
            self.skipped.push(Skipped { line: self.line, offset, length, damage });
        }
    }
}

type Found = (usize, Damage, usize);

/// A line's damage, as start, reason and length, and the span of its record.
fn split(line: &[u8], is_last: bool) -> (Option<Found>, Option<(usize, usize)>) {
    let start = if line.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    let body = line.get(start..).unwrap_or_default();
    if body.iter().all(u8::is_ascii_whitespace) {
        return (None, None);
    }
    let Err(damage) = record::check(body) else {
        return (None, Some((start, line.len())));
    };
    if let Some(found) = record_at_the_end(body) {
        return (Some((start, Damage::Torn, found)), Some((start + found, line.len())));
    }
    let damage = if is_last && damage != Damage::Shape { Damage::Torn } else { damage };
    (Some((start, damage, body.len())), None)
}

/// Where a whole record starts that another writer's torn one, or a hole of NULs, stands before.
///
/// *Bounds*: no more bytes are checked than four times the line.
fn record_at_the_end(line: &[u8]) -> Option<usize> {
    let mut budget = line.len().saturating_mul(4);
    for start in memmem::find_iter(line, RECORD_START).filter(|&start| start > 0) {
        let tail = line.get(start..)?;
        let cost = match record::check_bytes(tail) {
            Ok(()) if std::str::from_utf8(tail).is_ok() => return Some(start),
            Ok(()) => tail.len(),
            Err((_, read)) => read,
        };
        budget = budget.checked_sub(cost.max(RECORD_START.len()))?;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::ProptestConfig;

    fn record(text: &str) -> String {
        let stamp = record::Stamp { at: 1, turn_id: "t" };
        record::system(stamp, text).unwrap().trim_end().to_owned()
    }

    /// Line, offset, length and reason.
    type Place = (u64, u64, u64, &'static str);

    /// The texts of the records and the damage, the file fed in pieces of `step` bytes.
    fn read(file: &[u8], step: usize, most_line_bytes: usize) -> (Vec<String>, Vec<Place>) {
        let mut reader = Reader { most_line_bytes, ..Reader::default() };
        let mut texts = Vec::new();
        let mut at = 0;
        loop {
            let space = reader.space();
            let length = step.min(file.len() - at).min(space.len());
            space[..length].copy_from_slice(&file[at..at + length]);
            at += length;
            let batch = reader.take(length);
            if !batch.is_empty() {
                let values: Vec<serde_json::Value> = serde_json::from_slice(batch).unwrap();
                texts.extend(values.iter().map(|value| value["text"].as_str().unwrap().to_owned()));
            }
            if length == 0 {
                break;
            }
        }
        let skipped = reader.skipped().iter();
        (texts, skipped.map(|s| (s.line, s.offset, s.length, s.damage.as_str())).collect())
    }

    fn check(file: impl AsRef<[u8]>, texts: &[&str], skipped: &[Place]) {
        for step in [1, 2, 3, 7, 64, 1 << 20] {
            let (found, damage) = read(file.as_ref(), step, MAX_LINE_BYTES);
            let shown = String::from_utf8_lossy(file.as_ref()).into_owned();
            assert_eq!(found, texts, "{shown:?} by {step}");
            assert_eq!(damage, skipped, "{shown:?} by {step}");
        }
    }

    #[test]
    fn every_whole_record_is_read_in_order_whatever_the_line_ends() {
        let (a, b) = (record("a é漢😀"), record("b"));
        check("", &[], &[]);
        check("\n \r\n\t\n", &[], &[]);
        check(format!("{a}\n{b}\n"), &["a é漢😀", "b"], &[]);
        check(format!("{a}\r\n\r\n{b}\r\n"), &["a é漢😀", "b"], &[]);
        check(format!("{a}\n{b}"), &["a é漢😀", "b"], &[]);
        check(format!("\u{FEFF}{a}\n\u{FEFF}{b}"), &["a é漢😀", "b"], &[]);
        check("\u{FEFF}", &[], &[]);
        check("\u{FEFF}\n", &[], &[]);
    }

    #[test]
    fn damage_is_skipped_and_told_with_its_place() {
        let (a, b) = (record("a"), record("b"));
        let n = a.len() as u64;
        check(format!("{a}\nnoise\n{b}\n"), &["a", "b"], &[(2, n + 1, 5, "json")]);
        check(format!("{a}\n{{\"kind\":\"x\"}}\n{b}\n"), &["a", "b"], &[(2, n + 1, 12, "shape")]);
        check(format!("{a}\n{}", &b[..9]), &["a"], &[(2, n + 1, 9, "torn")]);
        check([a.as_bytes(), b"\n\xff\n", b.as_bytes()].concat(), &["a", "b"], &[(2, n + 1, 1, "encoding")]);
        check([a.as_bytes(), b"\n{\"at\xe2"].concat(), &["a"], &[(2, n + 1, 5, "torn")]);
    }

    #[test]
    fn a_record_behind_a_torn_one_or_a_hole_is_kept_wherever_the_tear_is() {
        let (a, b) = (record("a \"at\": é漢\\ \u{1}"), record("b"));
        check(format!("\0\0\0{b}\n"), &["b"], &[(1, 0, 3, "torn")]);
        for cut in 1..a.len() {
            let torn = &a.as_bytes()[..cut];
            check([torn, b.as_bytes(), b"\n"].concat(), &["b"], &[(1, 0, cut as u64, "torn")]);
        }
        let stamp = record::Stamp { at: 1, turn_id: "t" };
        let items = format!("[{}]", vec!["{\"at\":1,\"x\":{\"at\":2}}"; 40].join(","));
        let decisions = record::decisions(stamp, &items).unwrap();
        let torn = &decisions.as_bytes()[..decisions.len() - 3];
        check([torn, b.as_bytes(), b"\n"].concat(), &["b"], &[(1, 0, torn.len() as u64, "torn")]);
    }

    #[test]
    fn a_line_over_the_bound_is_passed_over_in_bounded_memory() {
        let (a, b) = (record("a"), record("b"));
        let long = "x".repeat(5_000_000);
        let file = format!("{a}\n{long}\n{b}\n{long}");
        let n = a.len() as u64 + 1;
        let expected = [(2, n, 5_000_000, "too-long"), (4, 2 * n + 5_000_001, 5_000_000, "too-long")];
        let (texts, skipped) = read(file.as_bytes(), 1 << 20, 1 << 20);
        assert_eq!(texts, ["a", "b"]);
        assert_eq!(skipped, expected);
    }

    #[test]
    fn hostile_lines_take_linear_time() {
        let nested = "{\"at\":1,\"x\":".repeat(200_000);
        let (texts, skipped) = read(nested.as_bytes(), 1 << 20, MAX_LINE_BYTES);
        assert_eq!((texts.len(), skipped.len()), (0, 1));
        let (texts, skipped) = read("\n{".repeat(5_000).as_bytes(), 1 << 20, MAX_LINE_BYTES);
        assert_eq!((texts.len(), skipped.len()), (0, MAX_REPORTED_DAMAGE));
    }

    proptest::proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

        #[test]
        fn any_bytes_give_valid_json_and_account_for_every_byte(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200), step in 1usize..40) {
            let _ = read(&bytes, step, 50);
            let whole = record("kept");
            let file = [whole.as_bytes(), b"\n", &bytes, b"\n", whole.as_bytes(), b"\n"].concat();
            let (texts, _) = read(&file, step, MAX_LINE_BYTES);
            assert!(texts.len() >= 2);
        }
    }
}
