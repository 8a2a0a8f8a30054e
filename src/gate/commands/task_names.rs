//! What the name of a script, target or recipe says about it.

use super::tools::{Bearing, Tables};

/// What running a named task means for a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskMeaning {
    /// It verifies.
    Check,
    /// It takes build output away.
    Clean,
    /// It verifies and changes files.
    Fix,
    /// It does something else, or nothing is known of it.
    Other,
}

/// Judges a task's name by its words: `lint:fix`, `test-unit`, `spotlessCheck`, `:app:testDebug`.
///
/// With `has_variants` (Gradle) the words behind the first name a variant, not a purpose: there
/// `assembleRelease` builds.
pub fn task_meaning(tables: &Tables, name: &str, has_variants: bool) -> TaskMeaning {
    let name = if has_variants { name.rsplit(':').next().unwrap_or(name) } else { name };
    let (mut checks, mut fixes, mut is_off, mut styles, mut count) = (false, false, false, false, 0usize);
    let mut only = "";
    let mut lower = String::new();
    for word in words(name) {
        count += 1;
        only = word;
        lower.clear();
        lower.extend(word.chars().map(|character| character.to_ascii_lowercase()));
        match tables.task_word(&lower) {
            Some(Bearing::Check) => checks = true,
            Some(Bearing::Fix) => fixes = true,
            Some(Bearing::Style) => styles = true,
            Some(Bearing::Off) => is_off |= count == 1 || !has_variants,
            _ => {}
        }
    }
    match () {
        () if is_off && count == 1 && only == "clean" => TaskMeaning::Clean,
        () if is_off => TaskMeaning::Other,
        () if checks && fixes => TaskMeaning::Fix,
        () if checks && !(styles && count == 1) => TaskMeaning::Check,
        () => TaskMeaning::Other,
    }
}

/// The words of a name: between separators, and at the humps of camel case.
fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(|character: char| !character.is_alphanumeric()).flat_map(humps).filter(|word| !word.is_empty())
}

fn humps(part: &str) -> impl Iterator<Item = &str> {
    let mut rest = part;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut before_is_lower = false;
        let hump = rest.char_indices().find_map(|(at, character)| {
            let starts = before_is_lower && character.is_uppercase();
            before_is_lower = character.is_lowercase();
            starts.then_some(at)
        });
        let (word, behind) = rest.split_at_checked(hump.unwrap_or(rest.len()))?;
        rest = behind;
        Some(word)
    })
}

#[cfg(test)]
mod tests {
    use super::super::tools::tables;
    use super::*;

    #[test]
    fn a_name_is_cut_at_separators_and_humps() {
        let cut = |name| words(name).collect::<Vec<_>>();
        assert_eq!(cut("test:unit"), ["test", "unit"]);
        assert_eq!(cut(":app:testDebugUnitTest"), ["app", "test", "Debug", "Unit", "Test"]);
        assert_eq!(cut("//é漢:ÉtéTest"), ["é漢", "Été", "Test"]);
        assert!(cut("").is_empty());
    }

    #[test]
    fn the_words_of_a_name_say_what_it_does() {
        for (name, meaning) in [
            ("test", TaskMeaning::Check),
            ("type-check", TaskMeaning::Check),
            ("format:check", TaskMeaning::Check),
            ("format", TaskMeaning::Other),
            ("lint:fix", TaskMeaning::Fix),
            ("test:watch", TaskMeaning::Other),
            ("dev", TaskMeaning::Other),
            ("contest", TaskMeaning::Other),
            ("latest", TaskMeaning::Other),
            ("clean", TaskMeaning::Clean),
            ("assembleRelease", TaskMeaning::Other),
        ] {
            assert_eq!(task_meaning(tables(), name, false), meaning, "{name}");
        }
        assert_eq!(task_meaning(tables(), ":app:assembleRelease", true), TaskMeaning::Check);
        assert_eq!(task_meaning(tables(), ":test-app:publish", true), TaskMeaning::Other);
    }
}
