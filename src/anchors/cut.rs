//! What a chunker's cut leaves at the edges of a passage that is known alone: half a code block, half
//! a tag. Read as it stands, the closing fence would open a block and turn the prose behind it to code.

use crate::text::ByteSpan;
use std::borrow::Cow;

/// Makes the text after it code, as it was before the cut.
const FENCE: &str = "```\n";

/// A passage made readable on its own, and where the passage lies in it.
pub(super) fn mended(passage: &str) -> (Cow<'_, str>, ByteSpan) {
    let body = without_half_tags(passage);
    if begins_in_code(body) {
        let text = [FENCE, body].concat();
        let span = ByteSpan::new(FENCE.len(), text.len());
        return (Cow::Owned(text), span);
    }
    (Cow::Borrowed(body), ByteSpan::new(0, body.len()))
}

/// The passage without the rest of a tag at its start and the beginning of one at its end.
fn without_half_tags(passage: &str) -> &str {
    let mut body = passage;
    let closes = memchr::memchr2(b'<', b'>', body.as_bytes());
    if let Some((head, rest)) = closes.and_then(|at| body.split_at_checked(at))
        && rest.starts_with('>')
        && head.contains("=\"")
        && !head.contains('\n')
    {
        body = rest.get(1..).unwrap_or("");
    }
    if let Some((head, rest)) =
        memchr::memrchr(b'<', body.as_bytes()).and_then(|at| body.split_at_checked(at))
        && !rest.contains('>')
        && rest.contains("=\"")
    {
        body = head;
    }
    body
}

/// True when the first fence of the passage closes a block that was opened before it.
fn begins_in_code(passage: &str) -> bool {
    // Most passages have no fence, which is seen without going line by line.
    if !["```", "~~~"].iter().any(|mark| memchr::memmem::find(passage.as_bytes(), mark.as_bytes()).is_some())
    {
        return false;
    }
    let mut first: Option<(usize, usize)> = None;
    let mut open: Option<&str> = None;
    let mut contradicts = false;
    let mut at = 0;
    for line in passage.split_inclusive('\n') {
        let content = line.trim();
        let mark = content.get(..3).filter(|mark| *mark == "```" || *mark == "~~~");
        if let Some(mark) = mark {
            let info = content.trim_start_matches(['`', '~']);
            if first.is_none() {
                if !info.is_empty() {
                    return false;
                }
                first = Some((at, at + line.len()));
            }
            open = match open {
                None => Some(mark),
                Some(opened) if opened == mark && info.is_empty() => None,
                // An opening fence inside a block: the blocks are the other way round.
                Some(opened) => {
                    contradicts |= opened == mark;
                    Some(opened)
                }
            };
        }
        at += line.len();
    }
    let Some((before, after)) = first else { return false };
    if contradicts {
        return true;
    }
    let share = |text: Option<&str>| code_share(text.unwrap_or(""));
    open.is_some() && share(passage.get(..before)) > share(passage.get(after..))
}

/// Hundredths of the lines with text that look like code.
fn code_share(text: &str) -> usize {
    let mut lines = 0;
    let mut code = 0;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        lines += 1;
        let end = line.trim_end();
        let is_code = line.starts_with("  ")
            || line.starts_with('\t')
            || end.ends_with(['{', '}', ';', '(', ')', '[', ']', '=', ','])
            || ["//", "$ ", ">>>"].iter().any(|mark| line.starts_with(mark));
        code += usize::from(is_code);
    }
    (code * 100_usize).checked_div(lines).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passage_that_begins_in_code_is_read_as_code_up_to_its_fence() {
        for (passage, expected) in [
            ("  return x;\n}\n```\n\nThe prose after it.\n", true),
            ("x = 1\n```\n\nText between.\n\n```js\ny = 2\n", true),
            ("The prose before.\n\n```\nlet x = {\n", false),
            ("Text.\n\n```js\nlet x;\n```\n\nMore.\n", false),
            ("No fence at all.", false),
            ("", false),
        ] {
            let (text, span) = mended(passage);
            assert_eq!(text.starts_with(FENCE), expected, "{passage:?}");
            assert_eq!(span.of(&text), passage);
        }
    }

    #[test]
    fn half_tags_at_the_edges_are_dropped() {
        assert_eq!(mended("a.png\" alt=\"x\">Words <b>here</b> <img src=\"y").0, "Words <b>here</b> ");
        assert_eq!(mended("1 > 0 and 2 < 3").0, "1 > 0 and 2 < 3");
    }
}
