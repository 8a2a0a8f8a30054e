//! The directions of `ARCHITECTURE.md`, enforced.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic
)]

use std::fs;
use std::path::{Path, PathBuf};

const PARTS: &[&str] = &["citations", "ledger", "gate", "transcripts", "anchors"];
const BASES: &[&str] = &["collections", "text", "error", "limits"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files(directory: &str, extensions: &[&str]) -> Vec<(String, String)> {
    let mut pending = vec![root().join(directory)];
    let mut found = Vec::new();
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            let skipped = ["node_modules", "dist", "target", "wasm-bindgen", "output"];
            let entries = fs::read_dir(&path).expect("readable");
            let paths = entries.map(|entry| entry.expect("readable").path());
            pending.extend(paths.filter(|path| !skipped.iter().any(|name| path.ends_with(name))));
        } else if path.extension().is_some_and(|extension| extensions.iter().any(|known| extension == *known))
        {
            let name =
                path.strip_prefix(root()).expect("below the root").to_string_lossy().replace('\\', "/");
            found.push((name, fs::read_to_string(&path).expect("text")));
        }
    }
    found.sort();
    assert!(!found.is_empty(), "{directory} has no {extensions:?}");
    found
}

/// Rust source without its tests and without comment lines.
fn code(text: &str) -> String {
    let before_tests = text.split("#[cfg(test)]").next().unwrap_or("");
    let lines = before_tests.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn core_does_no_io_and_does_not_know_javascript() {
    let forbidden = [
        "wasm_bindgen",
        "js_sys",
        "std::fs",
        "std::env",
        "std::net",
        "std::process",
        "std::thread",
        "std::time",
        "println!",
        "eprintln!",
        "std::io",
    ];
    for (name, text) in files("src", &["rs"]) {
        if name.starts_with("src/wasm/") {
            continue;
        }
        for word in forbidden {
            assert!(!code(&text).contains(word), "{name} names {word}");
        }
    }
}

#[test]
fn parts_do_not_import_each_other_and_the_base_imports_no_part() {
    for (name, text) in files("src", &["rs"]) {
        let module = name.trim_start_matches("src/").split('/').next().unwrap_or("").trim_end_matches(".rs");
        if module == "wasm" || module == "lib" {
            continue;
        }
        assert!(PARTS.contains(&module) || BASES.contains(&module), "{name} is not on the map");
        assert!(!code(&text).contains("crate::wasm"), "{name} imports the boundary");
        for other in PARTS.iter().filter(|other| **other != module) {
            assert!(!code(&text).contains(&format!("crate::{other}")), "{name} imports {other}");
        }
    }
}

#[test]
fn every_dependency_is_used_and_has_its_reason() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("Cargo.toml");
    let sources: Vec<String> = files("src", &["rs"]).iter().map(|(_, text)| code(text)).collect();
    let mut section = "";
    let mut before = "";
    let mut seen = 0;
    for line in manifest.lines() {
        if line.starts_with('[') {
            section = line;
        } else if let Some((name, _)) = line.split_once(" = ")
            && (section == "[dependencies]" || section.ends_with(".dependencies]"))
        {
            assert!(before.starts_with("# "), "{name} has no reason");
            let module = name.replace('-', "_");
            assert!(sources.iter().any(|text| text.contains(&module)), "{name} is not used");
            seen += 1;
        }
        before = line;
    }
    assert!(seen >= 10, "{seen}");
}

#[test]
fn the_facade_names_node_only_in_its_node_files() {
    for (name, text) in files("pkg/src", &["ts"]) {
        let for_node = name.contains("/node/") || name.ends_with("-node.ts");
        assert!(for_node || !text.contains("\"node:"), "{name} names a Node module");
    }
}

#[test]
fn no_file_names_a_machine() {
    let mut all = Vec::new();
    for directory in ["src", "pkg/src", "tests", "xtask", "benches", "www"] {
        if root().join(directory).is_dir() {
            all.extend(files(directory, &["rs", "ts", "mjs", "js", "json", "toml", "md", "html", "css"]));
        }
    }
    for name in
        ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "Cargo.toml", "package.json", "package-lock.json"]
    {
        if let Ok(text) = fs::read_to_string(root().join(name)) {
            all.push((name.to_owned(), text));
        }
    }
    let checkout = ["/work", "/main"].concat();
    let library = ["/work", "/.library"].concat();
    for (name, text) in all {
        assert!(!text.contains(&checkout) && !text.contains(&library), "{name} names a machine path");
        assert!(!text.contains(&["arti", "factory"].concat()), "{name} names a registry host");
    }
}

#[test]
fn the_map_is_in_the_architecture() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let mut directories: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(root().join("src")).expect("src") {
        directories.push(entry.expect("entry").path());
    }
    for path in directories.iter().filter(|path| path.is_dir()) {
        let name = path.file_name().expect("name").to_string_lossy();
        assert!(text.contains(&format!("{name}/")), "ARCHITECTURE.md does not name src/{name}/");
    }
}
