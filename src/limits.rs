//! Every bound of the library: its name, its value and its reason. `LIMITS` in JavaScript.

/// One bound as data, for `LIMITS`.
#[derive(Debug, Clone, Copy)]
pub struct Limit {
    /// The constant's name.
    pub name: &'static str,
    /// Its value.
    pub value: u64,
    /// Why there is a bound, and why this one.
    pub reason: &'static str,
}

macro_rules! limits {
    ($($(#[doc = $reason:literal])+ $name:ident : $kind:ty = $value:expr;)*) => {
        $($(#[doc = $reason])+ pub const $name: $kind = $value;)*

        /// Every bound, in the order of this module.
        pub const LIMITS: &[Limit] = &[
            $(Limit { name: stringify!($name), value: $value as u64, reason: concat!($($reason),+) },)*
        ];
    };
}

limits! {
    // ---- citations -------------------------------------------------------------------------
    /// Citations checked in one reply; the rest are `unchecked`. A reader looks at a few dozen marks.
    DEFAULT_MAX_ITEMS: usize = 80;
    /// Milliseconds one verification pass may take before the rest is `unchecked`: coverage matters more than latency, since nothing waits for the pass.
    DEFAULT_BUDGET_MS: u32 = 15_000;
    /// Bytes of a file whose lines and names are checked; a larger one is `unchecked`. Sources are far smaller, and the file is held in memory.
    MAX_CITED_FILE_BYTES: usize = 8 * 1024 * 1024;
    /// Bytes of the listing of one root; a larger one could not be searched in memory, and the root counts as not listed.
    MAX_LISTING_BYTES: usize = 128 * 1024 * 1024;
    /// Bytes of files held in one pass before no other is read; the citations of those left are `unchecked`.
    MAX_READ_BYTES: usize = 64 * 1024 * 1024;
    /// Files of the same name read to find the one a citation means; more are too many to tell apart, and the citation is `unchecked`.
    MAX_CANDIDATE_FILES: usize = 64;
    /// Words that may be bare file names looked for in one reply; prose can hold any number, and those not found are dropped.
    MAX_BARE_NAMES: usize = 1_000;
    /// Bytes of one citation; a longer run without a break is data, not a name. No system takes longer paths gladly.
    MAX_CITATION_BYTES: usize = 1_024;
    /// Ranges in one comma list of lines; later ones are ignored.
    MAX_CITED_RANGES: usize = 64;
    /// Different citations taken from one text; what comes after them is left alone. A book has fewer, and each costs some hundred bytes.
    MAX_EXTRACTED: usize = 100_000;
    // ---- ledger ----------------------------------------------------------------------------
    /// Edit calls one chain may carry: a file written and refined within a turn; the bound is on the work of a replay.
    MAX_EDIT_CALLS: usize = 8;
    /// UTF-16 units of text one replay pass may build: a rounding error beside the model call a resume precedes.
    MAX_REPLAYED_UNITS: usize = 262_144;
    /// UTF-16 units of the spelling a write may go out with as evidence: longer than any file system takes in one name.
    MAX_PATH_UNITS: usize = 512;
    /// Bodies one pass holds at a time, newest mutation kept: what a model is shown as still known.
    MAX_WITNESSED_PATHS: usize = 6;
    /// UTF-16 units of arguments that may be believed as evidence: past it a call is only told which file it touched.
    MAX_ARGUMENT_UNITS: usize = 32_000;
    /// UTF-16 units of arguments that are read at all: past it a call is attributable to nothing.
    MAX_ATTRIBUTABLE_UNITS: usize = 1_048_576;
    /// UTF-16 units of a call id: longer than any provider mints.
    MAX_CALL_ID_UNITS: usize = 256;
    /// Spellings one seeding pass resolves on disk: each costs a system call before a conversation can continue.
    MAX_SEEDED_SPELLINGS: usize = 1_024;
    /// Levels of nesting in tool-call arguments: the tools have three, and reading must not exhaust the stack.
    MAX_ARGUMENT_DEPTH: usize = 128;
    /// Lines a read shows when the call names no window.
    DEFAULT_READ_LINES: usize = 2_000;
    // ---- gate ------------------------------------------------------------------------------
    /// Initial demands a run: asking again for what was not done once only burns the agent's turns.
    MAX_VERIFICATION_INJECTIONS: u64 = 1;
    /// Tamper demands a run: a disclosure is made once.
    MAX_TAMPER_INJECTIONS: u64 = 1;
    /// Files, failures or suspects the gate keeps, and a snapshot may hold: far above any real run, and small enough to stay in memory.
    MAX_GATE_ENTRIES: usize = 10_000;
    /// Highest sequence number a snapshot may claim: leaves as many again before a revision outgrows 32 bits.
    MAX_GATE_SEQUENCE: u64 = 1 << 31;
    /// Rejected checks kept for the next demand; the newest say what to do better.
    MAX_REJECTED_CHECKS: usize = 8;
    /// Files, suspects or checks a demand names; the rest are counted.
    MAX_LISTED_ITEMS: usize = 50;
    /// Characters of one path, command or reason in a demand; the rest is cut.
    MAX_QUOTED_CHARACTERS: usize = 200;
    /// Bytes of a shell line that is read; a longer one is no evidence. Lines of real sessions stay below 100 kB even with a file in a here-document.
    MAX_COMMAND_BYTES: usize = 2 << 20;
    /// Quotes, groups, substitutions and shell lines inside each other; a deeper line is no evidence. Keeps the reader's stack small, and nobody writes ten.
    MAX_COMMAND_NESTING: usize = 48;
    /// Bytes of a tool call's arguments that are looked at for a command; more is no evidence.
    MAX_EVIDENCE_ARGUMENTS: usize = 4 << 20;
    // ---- transcripts -----------------------------------------------------------------------
    /// Characters of a chat id: with its extension it is a file name on every file system.
    MAX_CHAT_ID_UNITS: usize = 200;
    /// Bytes read from a transcript at a time: large enough that a call costs nothing, small enough for the memory of an iterator.
    TRANSCRIPT_READ_BYTES: usize = 1 << 20;
    /// Bytes of one line of a transcript; a longer one is passed over as damage, so that a file without line ends cannot fill the memory.
    MAX_LINE_BYTES: usize = 128 << 20;
    /// Places of damage a report describes; the rest are counted.
    MAX_REPORTED_DAMAGE: usize = 1_000;
    /// Bytes of the line that opens a decisions block, with its quote and list markers: what a stream may have to hold back.
    MAX_FENCE_LINE_BYTES: usize = 256;
    /// Ids of dropped chats remembered so that a late reply cannot bring one's file back.
    MAX_DROPPED_CHATS: usize = 10_000;
    /// Bytes of a decisions block handed over; a longer one still leaves the text.
    MAX_DECISIONS_BYTES: usize = 1 << 20;
    // ---- anchors ---------------------------------------------------------------------------
    /// Percent of a perfect score below which a stale passage counts as gone: what is there may be a lookalike.
    MIN_RELOCATION_PERCENT: u32 = 70;
    /// Bytes of a document's path in an index; longer ones no file system takes.
    MAX_DOCUMENT_PATH_BYTES: usize = 4_096;
    /// Words on each side of a passage that are compared when it is looked for again: enough to tell copies apart, few enough to survive edits nearby.
    CONTEXT_WORDS: usize = 8;
    /// Words of a passage that are aligned when no exact copy is left: alignment is quadratic, and chunks are far shorter.
    MAX_ALIGNED_WORDS: usize = 2_000;
    /// UTF-16 units of a quote: a sentence or two.
    DEFAULT_QUOTE_CHARS: usize = 280;
    /// UTF-16 units of a chunk: a few paragraphs, small enough to be shown whole beside an answer.
    DEFAULT_CHUNK_CHARS: usize = 1_500;
    /// Bytes of one term of a text fragment before encoding: longer ones break at the first change of the page.
    MAX_EXACT_TERM_BYTES: usize = 300;
    /// Bytes of a text fragment, which are its characters: addresses beyond some 2,000 are cut by tools that carry them.
    MAX_FRAGMENT_BYTES: usize = 1_800;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_has_a_reason_and_a_name_of_its_own() {
        for (index, limit) in LIMITS.iter().enumerate() {
            assert!(limit.value > 0, "{} is zero", limit.name);
            assert!(limit.reason.len() > 20, "{} has no reason", limit.name);
            assert!(LIMITS[..index].iter().all(|other| other.name != limit.name), "{} twice", limit.name);
        }
    }
}
