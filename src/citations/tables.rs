//! What the grammar knows by name. Every table is sorted, one line an entry or a group, lower case
//! unless it says otherwise.

/// True when sorted `table` has `word`, ASCII case ignored.
pub(super) fn has(table: &[&str], word: &str) -> bool {
    const LONGEST: usize = 24;
    let mut lowered = [0u8; LONGEST];
    let Some(lowered) = lowered.get_mut(..word.len()) else { return false };
    lowered.copy_from_slice(word.as_bytes());
    lowered.make_ascii_lowercase();
    // The first letters nearly always decide: cheaper here than a call that compares memory.
    table.binary_search_by(|entry| entry.bytes().cmp(lowered.iter().copied())).is_ok()
}

/// Extensions that make a bare name a file.
#[rustfmt::skip]
pub(super) const EXTENSIONS: &[&str] = &[
    "adb", "adoc", "ads", "ahk", "applescript", "asciidoc", "asm", "astro", "avif", "avsc", "awk", "bash",
    "bat", "bats", "bazel", "bb", "bbappend", "bib", "bicep", "bin", "bmp", "bzl", "c", "c++", "cabal",
    "cc", "cfg", "cjs", "clj", "cljc", "cljs", "cls", "cmake", "cmd", "coffee", "conf", "cpp",
    "cr", "cs", "csh", "cshtml", "cson", "csproj", "css", "csv", "cts", "cu", "cuh", "cxx", "d", "dart",
    "diff", "dockerfile", "docx", "dts", "dtsi", "edn", "ejs", "el", "elm", "eps", "epub", "erb",
    "erl", "ex", "exe", "exs", "f", "f03", "f08", "f90", "f95", "fish", "fs", "fsi", "fsproj", "fsx",
    "gemspec", "gif", "gleam", "glsl", "go", "gql", "gradle", "graphql", "groovy", "gz", "h", "haml",
    "hbs", "hcl", "hh", "hjson", "hlsl", "hpp", "hrl", "hs", "htm", "html", "hxx", "icns", "ico",
    "idl", "iml", "ini", "ino", "ipynb", "ixx", "jade", "jar", "java", "jl", "jpeg", "jpg",
    "js", "json", "json5", "jsonc", "jsonl", "jsonnet", "jsp", "jsx", "ksh", "kt", "kts", "less", "lhs",
    "liquid", "lisp", "log", "lua", "m", "m4", "markdown", "md", "mdc", "mdx", "mermaid", "mjs",
    "mk", "ml", "mli", "mll", "mly", "mm", "mod", "mp3", "mp4", "mts", "mustache", "nim", "nims", "nix",
    "njk", "nupkg", "odin", "otf", "pas", "patch", "pbxproj", "pdf", "pem", "php", "phtml",
    "pl", "plist", "pm", "png", "po", "podspec", "pot", "pp", "prisma", "properties", "proto", "ps1",
    "psd1", "psm1", "pug", "purs", "pxd", "py", "pyi", "pyx", "qml", "r", "rake", "razor", "rb", "rbi",
    "rbs", "resx", "rkt", "rmd", "robot", "rs", "rst", "s", "sass", "sbt",
    "scala", "scm", "scss", "sh", "sln", "snap", "sol", "sql", "sqlite", "ss", "styl", "sv",
    "svelte", "svg", "svh", "swift", "tar", "tcl", "templ", "tex", "tf", "tfvars", "tgz", "thrift", "tmpl",
    "toml", "tpl", "ts", "tsv", "tsx", "ttf", "twig", "txt", "v", "vb", "vbproj", "vcxproj", "vhd", "vhdl",
    "vim", "vue", "wasm", "wat", "webmanifest", "webp", "wgsl", "woff", "woff2", "xaml", "xcconfig",
    "xhtml", "xib", "xlsx", "xml", "xsd", "xsl", "xslt", "yaml", "yaml-tmlanguage", "yml", "zig", "zip",
    "zon", "zsh",
];

/// File names without an extension that stand for themselves, spelled exactly so or all lower case.
#[rustfmt::skip]
pub(super) const NAMES: &[&str] = &[
    "AUTHORS", "Appfile", "Berksfile", "Brewfile", "CHANGELOG", "CODEOWNERS", "CONTRIBUTING",
    "CONTRIBUTORS", "COPYING", "Caddyfile", "Capfile", "Cargo.lock", "Cartfile", "Containerfile",
    "Dangerfile", "Dockerfile", "Earthfile", "Fastfile", "GNUmakefile", "Gemfile", "Gemfile.lock",
    "Guardfile", "Jenkinsfile", "Justfile", "LICENCE", "LICENSE", "MAINTAINERS", "Makefile", "NOTICE",
    "Pipfile", "Pipfile.lock", "Podfile", "Podfile.lock", "Procfile", "Puppetfile", "README", "Rakefile",
    "SConscript", "SConstruct", "Snakefile", "Taskfile", "Thorfile", "Tiltfile", "Vagrantfile", "bun.lock",
    "bun.lockb", "cargo.lock", "composer.lock", "containerfile", "dockerfile", "flake.lock", "gemfile",
    "go.sum", "go.work", "gradlew", "justfile", "makefile", "mix.lock", "mvnw", "pdm.lock", "poetry.lock",
    "pubspec.lock", "py.typed", "rakefile", "uv.lock", "yarn.lock",
];

/// Names that are also words or shouted headings: files only with a directory or a position.
pub(super) const WORD_NAMES: &[&str] =
    &["BUILD", "HISTORY", "INSTALL", "NEWS", "PKGBUILD", "TODO", "VERSION", "WORKSPACE"];

/// Dot-files that stand for themselves, by the part between the first dot and the next.
#[rustfmt::skip]
pub(super) const DOT_NAMES: &[&str] = &[
    "babelrc", "bash_profile", "bashrc", "browserslistrc", "clang-format", "clang-tidy", "cursorrules",
    "dockerignore", "editorconfig", "env", "envrc", "eslintignore", "eslintrc", "flake8", "gitattributes",
    "gitconfig", "gitignore", "gitkeep", "gitlab-ci", "gitmodules", "golangci", "htaccess", "husky",
    "importlinter", "luarc", "mailmap", "markdownlint", "mocharc", "node-version", "npmignore", "npmrc",
    "nvmrc", "oxlintrc", "pre-commit-config", "prettierignore", "prettierrc", "profile", "pylintrc",
    "python-version", "rspec", "rubocop", "ruby-version", "rustfmt", "stylelintrc", "swcrc", "swiftlint",
    "taplo", "terraformrc", "tool-versions", "travis", "vimrc", "windsurfrules", "yamllint", "yarnrc",
    "zshrc",
];

/// Products and phrases spelled like a file.
#[rustfmt::skip]
pub(super) const NOT_FILES: &[&str] = &[
    "a.d", "a.m", "alpine.js", "angular.js", "asp.net", "b.c", "babylon.js", "backbone.js", "bun.sh",
    "chart.js", "console.log", "d.c", "d3.js", "deno.js", "discord.js", "docs.rs", "e.g", "ember.js",
    "express.js", "fastify.js", "handlebars.js", "hapi.js", "i.e", "knockout.js", "koa.js",
    "lib.rs/crates", "lodash.js", "logger.log", "math.log", "moment.js", "nest.js", "next.js", "node.js",
    "np.log", "nuxt.js", "p.m", "p.s", "p5.js", "ph.d", "phaser.js", "plotly.js", "process.env",
    "prototype.js", "react.js", "request.json", "res.json", "response.json", "self.log", "sh.rustup.rs",
    "socket.io", "solid.js", "svelte.js", "tensorflow.js", "this.log", "three.js", "u.s", "umi.js",
    "underscore.js", "v.s", "vue.js",
];

/// Directories projects keep their files in: what follows one is a path.
#[rustfmt::skip]
pub(super) const SOURCE_DIRECTORIES: &[&str] = &[
    "__mocks__", "__tests__", "assets", "benches", "bin", "cmd", "components", "crates", "dist", "doc",
    "docs", "e2e", "examples", "fixtures", "fuzz", "hooks", "include", "internal", "lib", "libs",
    "migrations", "modules", "node_modules", "packages", "pages", "pkg", "plugins", "scripts", "source",
    "spec", "src", "styles", "target", "templates", "test", "testdata", "tests", "tools", "utils",
    "vendor", "views", "xtask",
];

/// Last labels of host names. Those that are also file extensions are left to [`NOT_FILES`].
#[rustfmt::skip]
pub(super) const TOP_DOMAINS: &[&str] = &[
    "ai", "app", "at", "au", "be", "biz", "blog", "br", "ca", "ch", "cloud", "cn", "co", "com", "cz", "de",
    "dev", "dk", "edu", "es", "eu", "example", "fi", "fm", "fr", "gg", "gov", "ie", "in", "info", "int",
    "io", "it", "jp", "kr", "local", "localhost", "me", "mil", "net", "nl", "no", "nz", "online", "org",
    "page", "run", "se", "site", "so", "tech", "test", "to", "tools", "tv", "uk", "us", "wiki", "xyz",
];

/// Hosts whose last label is also a file extension.
pub(super) const HOSTS: &[&str] =
    &["bun.sh", "crates.rs", "docs.rs", "lib.rs", "rust-lang.rs", "sh.rustup.rs"];

/// What a backticked word or the word behind `path:` is when it names no symbol: keywords, literals,
/// tools and the words compilers put there.
#[rustfmt::skip]
pub(super) const NOT_SYMBOLS: &[&str] = &[
    "a", "abstract", "active", "after", "an", "and", "any", "apt", "as", "async", "await", "bash",
    "before", "bool", "boolean", "brew", "bun", "bundle", "bytes", "cargo", "case", "cat", "catch", "cd",
    "char", "class", "clippy", "cmake", "composer", "const", "continue", "crate", "curl", "def", "default",
    "defer", "deno", "diff", "docker", "dotnet", "double", "else", "enum", "error", "eslint", "export",
    "extends", "false", "fatal", "fd", "final", "finally", "find", "float", "fn", "focus", "for", "from",
    "func", "function", "gcc", "gh", "git", "go", "gradle", "grep", "helm", "hover", "if", "impl",
    "implements", "import", "in", "info", "int", "interface", "is", "it", "jest", "just", "kubectl", "let",
    "line", "lines", "ls", "make", "match", "mocha", "mod", "module", "move", "mut", "mvn", "namespace",
    "new", "nil", "node", "none", "not", "note", "npm", "npx", "null", "number", "nvm", "object", "of",
    "or", "package", "pass", "pip", "playwright", "pnpm", "poetry", "prettier", "private", "protected",
    "protocol", "pub", "public", "pytest", "python", "python3", "raise", "record", "ref", "return", "rg",
    "rm", "ruby", "rustc", "rustfmt", "rustup", "sbt", "sed", "self", "sh", "static", "str", "string",
    "struct", "super", "swift", "switch", "tar", "terraform", "test", "that", "the", "then", "this",
    "throw", "todo", "trait", "true", "try", "tsc", "type", "typedef", "undefined", "union", "unsafe",
    "use", "using", "uv", "var", "vite", "vitest", "void", "warn", "warning", "webpack", "wget", "where",
    "while", "with", "yarn", "yield", "zig",
];

/// Words in the glue between a symbol and a position that tell that the position is of something else.
#[rustfmt::skip]
pub(super) const TURNING_WORDS: &[&str] = &[
    "although", "and", "because", "but", "call", "called", "calling", "calls", "except", "import",
    "imports", "instead", "invoke", "invokes", "nor", "not", "or", "reads", "replaces", "than", "then",
    "though", "unless", "unlike", "use", "used", "uses", "using", "versus", "vs", "whereas", "which",
    "while", "without", "writes",
];

/// Words after a comma that go on with the same clause.
#[rustfmt::skip]
pub(super) const CLAUSE_GOES_ON: &[&str] = &[
    "at", "declared", "defined", "found", "from", "here", "implemented", "in", "line", "lines", "located",
    "now", "on", "see",
];

/// Words before a hex run that say it is no commit.
#[rustfmt::skip]
pub(super) const OTHER_HEX: &[&str] = &[
    "blake2", "blake3", "checksum", "color", "colour", "container", "containers", "crc32", "digest",
    "docker", "etag", "guid", "image", "layer", "md5", "nonce", "pod", "request", "salt", "session",
    "sha-1", "sha-256", "sha-512", "sha1", "sha256", "sha512", "span", "token", "trace", "uuid", "volume",
];

/// What may stand before a commit in the same word, colon, slash or sign included.
#[rustfmt::skip]
pub(super) const COMMIT_PREFIXES: &[&str] = &[
    "base:", "commit/", "commit:", "commits/", "hash:", "head:", "parent:", "ref:", "rev:", "revision:",
    "sha:",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_is_reachable() {
        let tables: &[(&str, &[&str])] = &[
            ("EXTENSIONS", EXTENSIONS),
            ("DOT_NAMES", DOT_NAMES),
            ("NOT_FILES", NOT_FILES),
            ("SOURCE_DIRECTORIES", SOURCE_DIRECTORIES),
            ("TOP_DOMAINS", TOP_DOMAINS),
            ("HOSTS", HOSTS),
            ("NOT_SYMBOLS", NOT_SYMBOLS),
            ("TURNING_WORDS", TURNING_WORDS),
            ("CLAUSE_GOES_ON", CLAUSE_GOES_ON),
            ("OTHER_HEX", OTHER_HEX),
            ("COMMIT_PREFIXES", COMMIT_PREFIXES),
        ];
        for (name, table) in tables {
            for pair in table.windows(2) {
                assert!(pair[0] < pair[1], "{name}: {} is not before {}", pair[0], pair[1]);
            }
            for entry in *table {
                assert!(has(table, entry), "{name}: {entry} is not found");
                assert!(has(table, &entry.to_ascii_uppercase()), "{name}: {entry} in capitals is not found");
            }
        }
        for table in [NAMES, WORD_NAMES] {
            for pair in table.windows(2) {
                assert!(pair[0] < pair[1], "{} is not before {}", pair[0], pair[1]);
            }
        }
    }
}
