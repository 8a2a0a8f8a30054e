//! What a record is: one JSON object a line, built here and recognised here.

use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;

/// Why bytes of a transcript are no record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Damage {
    /// Not UTF-8.
    Encoding,
    /// Not one whole JSON value.
    Json,
    /// JSON, but not the shape of a record of its kind.
    Shape,
    /// Cut off before its end.
    Torn,
    /// Longer than `MAX_LINE_BYTES`.
    TooLong,
}

impl Damage {
    /// The reason code in JavaScript.
    pub const fn as_str(self) -> &'static str {
        match self {
            Damage::Encoding => "encoding",
            Damage::Json => "json",
            Damage::Shape => "shape",
            Damage::Torn => "torn",
            Damage::TooLong => "too-long",
        }
    }
}

/// What a seat used for one reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    input_tokens: Amount,
    output_tokens: Amount,
    #[serde(default)]
    cache_read_tokens: Amount,
    #[serde(default)]
    cache_creation_tokens: Amount,
    #[serde(default)]
    cost_usd: Option<Amount>,
}

/// A number that is not negative, kept as it was written.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
struct Amount(serde_json::Number);

impl Default for Amount {
    fn default() -> Self {
        Amount(0.into())
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = serde_json::Number::deserialize(deserializer)?;
        if number.as_f64().is_some_and(|value| value >= 0.0) {
            Ok(Amount(number))
        } else {
            Err(D::Error::custom("negative"))
        }
    }
}

/// The four counts of a reply's citations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// There exactly as cited.
    pub verified: u32,
    /// Nowhere.
    pub unverifiable: u32,
    /// Elsewhere.
    pub corrected: u32,
    /// No claim.
    pub unchecked: u32,
}

/// The time and the turn of a record.
#[derive(Debug, Clone, Copy)]
pub struct Stamp<'a> {
    /// Milliseconds since the epoch.
    pub at: i64,
    /// The turn.
    pub turn_id: &'a str,
}

// Written with `at` first: a record glued to the torn end of another is found again by it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a, B: Serialize> {
    at: i64,
    turn_id: &'a str,
    kind: &'static str,
    #[serde(flatten)]
    body: B,
}

fn line(stamp: Stamp<'_>, kind: &'static str, body: impl Serialize) -> Option<String> {
    // Strings, numbers and JSON that was checked: nothing here can fail to serialise.
    let mut text = serde_json::to_string(&Line { at: stamp.at, turn_id: stamp.turn_id, kind, body }).ok()?;
    text.push('\n');
    Some(text)
}

/// A list the caller gave as JSON on one line: `None` when it is not an array of objects.
fn objects(json: &str) -> Option<Vec<&RawValue>> {
    if json.contains('\n') {
        return None;
    }
    let items: Vec<&RawValue> = serde_json::from_str(json).ok()?;
    items.iter().all(|item| item.get().starts_with('{')).then_some(items)
}

/// The line of a user's message. `attachments` is JSON, an empty list is left out; `None` when it is
/// not an array of objects.
pub fn user(stamp: Stamp<'_>, text: &str, seats: &[&str], attachments: Option<&str>) -> Option<String> {
    #[derive(Serialize)]
    struct Body<'a> {
        text: &'a str,
        seats: &'a [&'a str],
        #[serde(skip_serializing_if = "Option::is_none")]
        attachments: Option<Vec<&'a RawValue>>,
    }
    let attachments = match attachments {
        Some(json) => Some(objects(json)?).filter(|list| !list.is_empty()),
        None => None,
    };
    line(stamp, "user", Body { text, seats, attachments })
}

/// The line of a preface the seats were given.
pub fn system(stamp: Stamp<'_>, text: &str) -> Option<String> {
    #[derive(Serialize)]
    struct Body<'a> {
        text: &'a str,
    }
    line(stamp, "system", Body { text })
}

/// The line of a seat's reply. `usage` is JSON; what is no usage is recorded as `null`.
pub fn seat(stamp: Stamp<'_>, cli_key: &str, text: &str, ok: bool, usage: &str) -> Option<String> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Body<'a> {
        cli_key: &'a str,
        text: &'a str,
        ok: bool,
        usage: Option<Usage>,
    }
    let usage = serde_json::from_str(usage).unwrap_or(None);
    line(stamp, "seat", Body { cli_key, text, ok, usage })
}

/// The line of a reply's verdicts. `items` is JSON; `None` when it is not an array of objects.
pub fn citations(stamp: Stamp<'_>, cli_key: &str, counts: Counts, items: &str) -> Option<String> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Body<'a> {
        cli_key: &'a str,
        verified: u32,
        unverifiable: u32,
        corrected: u32,
        unchecked: u32,
        items: Vec<&'a RawValue>,
    }
    let Counts { verified, unverifiable, corrected, unchecked } = counts;
    let items = objects(items)?;
    line(stamp, "citations", Body { cli_key, verified, unverifiable, corrected, unchecked, items })
}

/// The line of a turn's decisions. `items` is JSON; `None` when it is not an array of objects.
pub fn decisions(stamp: Stamp<'_>, items: &str) -> Option<String> {
    #[derive(Serialize)]
    struct Body<'a> {
        items: Vec<&'a RawValue>,
    }
    line(stamp, "decisions", Body { items: objects(items)? })
}

// A value of which only the type matters: its bytes are skipped, not copied.
struct Text;

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?;
        if raw.get().starts_with('"') { Ok(Text) } else { Err(D::Error::custom("not a text")) }
    }
}

struct Object;

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?;
        if raw.get().starts_with('{') { Ok(Object) } else { Err(D::Error::custom("not an object")) }
    }
}

// `null` is there, an absent field is not: `Option` alone would not tell.
#[derive(Default)]
enum Presence<T> {
    #[default]
    Absent,
    Null,
    There(T),
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Presence<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::deserialize(deserializer)?.map_or(Presence::Null, Presence::There))
    }
}

impl<T> Presence<T> {
    fn is_there(&self) -> bool {
        matches!(self, Presence::There(_))
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[allow(dead_code)]
struct StoredUsage {
    input_tokens: Amount,
    output_tokens: Amount,
    cache_read_tokens: Amount,
    cache_creation_tokens: Amount,
    cost_usd: Option<Amount>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[allow(dead_code)]
struct Stored<'a> {
    at: f64,
    turn_id: Text,
    #[serde(borrow)]
    kind: Cow<'a, str>,
    #[serde(default)]
    text: Presence<Text>,
    #[serde(default)]
    cli_key: Presence<Text>,
    #[serde(default)]
    seats: Presence<Vec<Text>>,
    #[serde(default)]
    attachments: Presence<Vec<Object>>,
    #[serde(default)]
    ok: Presence<bool>,
    #[serde(default)]
    usage: Presence<StoredUsage>,
    #[serde(default)]
    verified: Presence<u32>,
    #[serde(default)]
    unverifiable: Presence<u32>,
    #[serde(default)]
    corrected: Presence<u32>,
    #[serde(default)]
    unchecked: Presence<u32>,
    #[serde(default)]
    items: Presence<Vec<Object>>,
}

impl Stored<'_> {
    fn has_the_fields_of_its_kind(&self) -> bool {
        match self.kind.as_ref() {
            "user" => {
                self.text.is_there() && self.seats.is_there() && !matches!(self.attachments, Presence::Null)
            }
            "system" => self.text.is_there(),
            "seat" => {
                self.cli_key.is_there()
                    && self.text.is_there()
                    && self.ok.is_there()
                    && !matches!(self.usage, Presence::Absent)
            }
            "citations" => {
                let counts = [&self.verified, &self.unverifiable, &self.corrected, &self.unchecked];
                self.cli_key.is_there()
                    && self.items.is_there()
                    && counts.iter().all(|count| count.is_there())
            }
            "decisions" => self.items.is_there(),
            _ => false,
        }
    }
}

/// Whether `bytes` are one whole record; white space around it is allowed.
pub fn check(bytes: &[u8]) -> Result<(), Damage> {
    let text = std::str::from_utf8(bytes).map_err(|_| Damage::Encoding)?;
    verdict(serde_json::from_str(text), bytes.len()).map_err(|(damage, _)| damage)
}

/// [`check`] but for the encoding, which the caller checks; an error says how many bytes were read
/// before it was sure.
pub(super) fn check_bytes(bytes: &[u8]) -> Result<(), (Damage, usize)> {
    verdict(serde_json::from_slice(bytes), bytes.len())
}

fn verdict(parsed: serde_json::Result<Stored<'_>>, length: usize) -> Result<(), (Damage, usize)> {
    match parsed {
        Ok(stored) if stored.has_the_fields_of_its_kind() => Ok(()),
        Ok(_) => Err((Damage::Shape, length)),
        Err(error) if error.is_eof() => Err((Damage::Torn, length)),
        Err(error) if error.is_data() => Err((Damage::Shape, error.column())),
        Err(error) => Err((Damage::Json, error.column())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAMP: Stamp<'static> = Stamp { at: 1_700_000_000_000, turn_id: "t1" };
    const COUNTS: Counts = Counts { verified: 1, unverifiable: 2, corrected: 3, unchecked: 4 };

    #[test]
    fn a_record_is_one_line_with_its_fields_in_order() {
        let usage = r#"{"inputTokens":1,"outputTokens":2.5,"costUsd":0.01,"extra":true}"#;
        let lines = [
            (
                user(STAMP, "é漢😀\r\n\u{0}\"", &["a", "b"], None),
                r#"{"at":1700000000000,"turnId":"t1","kind":"user","text":"é漢😀\r\n\u0000\"","seats":["a","b"]}"#,
            ),
            (
                user(STAMP, "", &[], Some(r#"[{"name":"x","deep":[1]}]"#)),
                r#"{"at":1700000000000,"turnId":"t1","kind":"user","text":"","seats":[],"attachments":[{"name":"x","deep":[1]}]}"#,
            ),
            (system(STAMP, "s"), r#"{"at":1700000000000,"turnId":"t1","kind":"system","text":"s"}"#),
            (
                seat(STAMP, "k", "x", true, usage),
                r#"{"at":1700000000000,"turnId":"t1","kind":"seat","cliKey":"k","text":"x","ok":true,"usage":{"inputTokens":1,"outputTokens":2.5,"cacheReadTokens":0,"cacheCreationTokens":0,"costUsd":0.01}}"#,
            ),
            (
                citations(STAMP, "k", COUNTS, r#"[{"raw":"a.ts"}]"#),
                r#"{"at":1700000000000,"turnId":"t1","kind":"citations","cliKey":"k","verified":1,"unverifiable":2,"corrected":3,"unchecked":4,"items":[{"raw":"a.ts"}]}"#,
            ),
            (
                decisions(STAMP, "[{}]"),
                r#"{"at":1700000000000,"turnId":"t1","kind":"decisions","items":[{}]}"#,
            ),
        ];
        for (line, expected) in lines {
            let line = line.unwrap();
            assert_eq!(line, format!("{expected}\n"));
            assert_eq!(check(line.as_bytes()), Ok(()), "{line}");
        }
    }

    #[test]
    fn what_is_no_usage_is_recorded_as_null() {
        for usage in [
            "null",
            "",
            "[]",
            "{}",
            r#"{"inputTokens":-1,"outputTokens":0}"#,
            r#"{"inputTokens":"1","outputTokens":0}"#,
        ] {
            let line = seat(STAMP, "k", "x", false, usage).unwrap();
            assert!(line.ends_with("\"ok\":false,\"usage\":null}\n"), "{line}");
        }
    }

    #[test]
    fn a_list_that_is_none_makes_no_record() {
        for items in ["", "{}", "null", "[1]", "[null]", "[{}", "[{}]x", "[{\n}]"] {
            assert_eq!(decisions(STAMP, items), None, "{items}");
            assert_eq!(citations(STAMP, "k", COUNTS, items), None, "{items}");
            assert_eq!(user(STAMP, "x", &[], Some(items)), None, "{items}");
        }
    }

    #[test]
    fn a_record_has_every_field_of_its_kind() {
        let whole = [
            user(STAMP, "x", &["a"], Some("[{}]")),
            system(STAMP, "x"),
            seat(STAMP, "k", "x", true, r#"{"inputTokens":1,"outputTokens":1}"#),
            citations(STAMP, "k", COUNTS, "[{}]"),
            decisions(STAMP, "[{}]"),
        ];
        for line in whole {
            let value: serde_json::Map<String, serde_json::Value> =
                serde_json::from_str(&line.unwrap()).unwrap();
            for field in value.keys() {
                let mut without = value.clone();
                without.remove(field);
                let expected = if field == "attachments" { Ok(()) } else { Err(Damage::Shape) };
                assert_eq!(check(serde_json::to_string(&without).unwrap().as_bytes()), expected, "{field}");
                let mut wrong = value.clone();
                wrong.insert(field.clone(), serde_json::json!([[1]]));
                assert_eq!(
                    check(serde_json::to_string(&wrong).unwrap().as_bytes()),
                    Err(Damage::Shape),
                    "{field}"
                );
            }
            let mut more = value.clone();
            more.insert("added".to_owned(), serde_json::json!({"later": [1, null]}));
            assert_eq!(check(serde_json::to_string(&more).unwrap().as_bytes()), Ok(()));
        }
    }

    #[test]
    fn what_is_not_a_record_says_why() {
        for (bytes, damage) in [
            (&b"{\"at\":1"[..], Damage::Torn),
            (b"x", Damage::Json),
            (b"\0\0", Damage::Json),
            (b"{\"at\":1,\"turnId\":\"\xff\",\"kind\":\"system\",\"text\":\"\"}", Damage::Encoding),
            (b"[]", Damage::Shape),
            (b"null", Damage::Shape),
            (b"{}", Damage::Shape),
            (b"{\"at\":1,\"turnId\":\"t\",\"kind\":\"later\",\"text\":\"\"}", Damage::Shape),
            (b"{\"at\":1,\"at\":2,\"turnId\":\"t\",\"kind\":\"system\",\"text\":\"\"}", Damage::Shape),
        ] {
            assert_eq!(check(bytes), Err(damage), "{}", String::from_utf8_lossy(bytes));
        }
    }
}
