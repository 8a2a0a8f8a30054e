//! The names a reply may call a root by.

use super::citation::Root;

/// Every name a reply may use for `root`, the fullest first: its name, the last part of an
/// `owner/name`, the name of its directory, and each of these without a leading family name
/// (`wicked-crew` is cited as `crew`).
pub fn repo_aliases(root: &Root) -> Vec<String> {
    let mut aliases: Vec<String> = Vec::new();
    let mut add = |alias: &str| {
        let alias = alias.trim();
        if alias.chars().any(char::is_alphanumeric) && !aliases.iter().any(|known| known == alias) {
            aliases.push(alias.to_owned());
        }
    };
    let name = root.name.trim().trim_end_matches(['/', '\\']);
    let directory = last_part(root.abs_root.trim_end_matches(['/', '\\']));
    let full = [name, last_part(name), directory];
    full.iter().for_each(|alias| add(alias));
    for alias in full {
        if let Some((family, own)) = last_part(alias).split_once('-') {
            // One letter would be found in any sentence.
            if !family.is_empty() && own.chars().count() > 1 {
                add(own);
            }
        }
    }
    aliases
}

fn last_part(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(abs_root: &str, name: &str, expected: &[&str]) {
        let root = Root { abs_root: abs_root.to_owned(), name: name.to_owned() };
        assert_eq!(repo_aliases(&root), expected, "{abs_root} {name}");
    }

    #[test]
    fn a_root_is_known_by_its_name_its_directory_and_without_the_family_name() {
        check("/r/wicked-crew", "wicked-crew", &["wicked-crew", "crew"]);
        check("/r/crew", "crew", &["crew"]);
        check("/r/ui", "ui", &["ui"]);
        check("C:\\repos\\crew-two", "crew", &["crew", "crew-two", "two"]);
        check("/r/api/", "acme/api", &["acme/api", "api"]);
        check("/r/x", "my-cool-app", &["my-cool-app", "x", "cool-app"]);
        check("/r/漢字", "é😀", &["é😀", "漢字"]);
    }

    #[test]
    fn a_name_with_nothing_to_say_has_no_alias() {
        check("/", "", &[]);
        check("/r/a-", "--", &["a-"]);
        check("/r/a-b", "a-b", &["a-b"]);
    }
}
