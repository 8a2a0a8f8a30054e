//! A page's address, pointed at a passage.

/// `url` with `directive` (`:~:text=…`) appended: a route fragment (`#/docs/a`, `#!/docs`) stays, a
/// plain `#id` and an older directive go. `None` unless the scheme is http, https or file. An empty
/// directive leaves the address as it is.
pub fn cited_url(url: &str, directive: &str) -> Option<String> {
    let url = url.trim();
    if !has_page(url) {
        return None;
    }
    if directive.is_empty() {
        return Some(url.to_owned());
    }
    let (page, fragment) = url.split_once('#').unwrap_or((url, ""));
    let fragment = fragment.split_once(":~:").map_or(fragment, |(head, _)| head);
    let route = if fragment.starts_with('/') || fragment.starts_with("!/") { fragment } else { "" };
    Some(format!("{page}#{route}{directive}"))
}

/// True for a scheme a browser opens as a page, with something behind it.
fn has_page(url: &str) -> bool {
    ["http://", "https://", "file://"].iter().any(|scheme| {
        url.len() > scheme.len()
            && url.get(..scheme.len()).is_some_and(|head| head.eq_ignore_ascii_case(scheme))
    }) && !url.chars().any(|c| c.is_control() || c == ' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_directive_is_appended_where_a_browser_reads_it() {
        let directive = ":~:text=a";
        for (url, expected) in [
            ("https://x.example/p", "https://x.example/p#:~:text=a"),
            ("http://x.example/p?q=1", "http://x.example/p?q=1#:~:text=a"),
            ("https://x.example/p#id", "https://x.example/p#:~:text=a"),
            ("https://x.example/p#", "https://x.example/p#:~:text=a"),
            ("https://x.example/#/docs/a", "https://x.example/#/docs/a:~:text=a"),
            ("https://x.example/#!/docs/a", "https://x.example/#!/docs/a:~:text=a"),
            ("https://x.example/p#id:~:text=old&text=older", "https://x.example/p#:~:text=a"),
            ("https://x.example/#/docs/a:~:text=old", "https://x.example/#/docs/a:~:text=a"),
            ("HTTPS://x.example/p", "HTTPS://x.example/p#:~:text=a"),
            ("file:///home/é/a.md", "file:///home/é/a.md#:~:text=a"),
        ] {
            assert_eq!(cited_url(url, directive).as_deref(), Some(expected));
        }
    }

    #[test]
    fn an_address_no_browser_opens_has_no_link() {
        for url in [
            "",
            "javascript:alert(1)",
            "data:text/html,x",
            "ftp://x",
            "https://",
            "/docs/a.md",
            "x.example",
            "mailto:a@x",
            "http:x",
            "https://x y",
            "blob:https://x",
        ] {
            assert_eq!(cited_url(url, ":~:text=a"), None, "{url}");
        }
    }

    #[test]
    fn without_words_to_search_for_the_address_stays() {
        assert_eq!(cited_url("https://x.example/p#id", "").as_deref(), Some("https://x.example/p#id"));
    }
}
