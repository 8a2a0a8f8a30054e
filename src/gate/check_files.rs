//! Which files define what a check asserts: tests, what tests compare with, runner and linter settings,
//! continuous integration. By the shape of the path alone; the tables are sorted, one line an entry.

use super::code_files::is_code_file_path;

/// True when `path` is one of the checks' own files. Separators may be `/` or `\\`; documents are none,
/// wherever they lie.
pub fn is_check_own_file(path: &str) -> bool {
    let (directories, name) = path.rsplit_once(['/', '\\']).unwrap_or(("", path));
    if NAMES.binary_search_by(|entry| entry.0.cmp(name)).is_ok()
        || is_named_config(name)
        || is_named_test(name)
    {
        return true;
    }
    if name.is_empty() || is_document(name) {
        return false;
    }
    let mut parent = "";
    directories.split(['/', '\\']).any(|directory| {
        let workflows = (parent == ".github" && matches!(directory, "workflows" | "actions"))
            || matches!(directory, ".circleci" | ".buildkite");
        parent = directory;
        let entry = DIRECTORIES.binary_search_by(|entry| entry.0.cmp(directory));
        let entry = entry.ok().and_then(|found| DIRECTORIES.get(found));
        let suffix = [".Tests", ".UnitTests", ".IntegrationTests", "UITests"]
            .iter()
            .any(|end| directory.ends_with(end));
        workflows
            || suffix
            || entry.is_some_and(|entry| entry.2 == Holds::Anything || is_code_file_path(name))
    })
}

fn is_document(name: &str) -> bool {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension).to_ascii_lowercase();
    matches!(extension.as_str(), "md" | "mdx" | "rst" | "adoc")
}

/// `jest.config.ts`, `tsconfig.build.json`: a known beginning, and the extension of a settings file.
fn is_named_config(name: &str) -> bool {
    let Some(first) = name.as_bytes().first() else { return false };
    let from = CONFIGS.partition_point(|entry| entry.0.as_bytes().first() < Some(first));
    let near = CONFIGS.iter().skip(from).take_while(|entry| entry.0.as_bytes().first() == Some(first));
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    near.into_iter().any(|(start, only)| {
        name.starts_with(start)
            && match *only {
                "" => CONFIG_EXTENSIONS.binary_search(&extension).is_ok(),
                only => extension == only,
            }
    })
}

fn is_named_test(name: &str) -> bool {
    let Some((_, extension)) = name.rsplit_once('.') else { return false };
    let lower = if extension == "R" { "r" } else { extension };
    let Ok(found) = TESTS.binary_search_by(|entry| entry.0.cmp(lower)) else { return false };
    let stem = name.get(..name.len() - extension.len() - 1).unwrap_or("");
    TESTS.get(found).is_some_and(|entry| entry.1.iter().any(|shape| shape.fits(stem)))
}

/// The shape of a test's name without its extension.
#[derive(Debug, Clone, Copy)]
enum Shape {
    /// Every file of the extension.
    Any,
    /// It begins so.
    Starts(&'static str),
    /// It ends so, and something stands before.
    Ends(&'static str),
    /// A camel-case word at the start: `TestParser`, not `Testimonial`.
    FirstWord(&'static str),
    /// A camel-case word at the end: `ParserTest`, `UserIT`; not `AUDIT`.
    LastWord(&'static str),
}

impl Shape {
    fn fits(self, stem: &str) -> bool {
        match self {
            Shape::Any => !stem.is_empty(),
            Shape::Starts(start) => stem.len() > start.len() && stem.starts_with(start),
            Shape::Ends(end) => stem.len() > end.len() && stem.ends_with(end),
            Shape::FirstWord(word) => {
                let rest = stem.strip_prefix(word).and_then(|rest| rest.chars().next());
                rest.is_some_and(|next| !next.is_lowercase())
            }
            Shape::LastWord(word) => {
                let rest = stem.strip_suffix(word).map(|rest| rest.chars().next_back());
                rest.is_some_and(|before| before.is_none_or(|before| !before.is_uppercase()))
            }
        }
    }
}

/// What a directory makes a check's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    /// Every file below it, for expected output and settings belong to the check.
    Anything,
    /// Only code: such a directory may hold specifications of something else.
    Code,
}

use Shape::{Any, Ends, FirstWord, LastWord, Starts};

#[rustfmt::skip]
const DIRECTORIES: &[(&str, &str, Holds)] = &[
    (".husky", "hooks", Holds::Anything),
    ("__mocks__", "JavaScript", Holds::Anything),
    ("__snapshots__", "JavaScript", Holds::Anything),
    ("__tests__", "JavaScript", Holds::Anything),
    ("acceptance-tests", "any", Holds::Anything),
    ("androidTest", "Android", Holds::Anything),
    ("commonTest", "Kotlin", Holds::Anything),
    ("cypress", "JavaScript", Holds::Code),
    ("e2e", "any", Holds::Anything),
    ("e2e-tests", "any", Holds::Anything),
    ("functional-tests", "any", Holds::Anything),
    ("functional_tests", "any", Holds::Anything),
    ("intTest", "Gradle", Holds::Anything),
    ("integration-tests", "any", Holds::Anything),
    ("integrationTest", "Gradle", Holds::Anything),
    ("integration_test", "Dart", Holds::Anything),
    ("integration_tests", "any", Holds::Anything),
    ("iosTest", "Kotlin", Holds::Anything),
    ("jsTest", "Kotlin", Holds::Anything),
    ("jvmTest", "Kotlin", Holds::Anything),
    ("nativeTest", "Kotlin", Holds::Anything),
    ("spec", "Ruby and others", Holds::Code),
    ("specs", "any", Holds::Code),
    ("test", "any", Holds::Anything),
    ("test-d", "JavaScript", Holds::Anything),
    ("testFixtures", "Gradle", Holds::Anything),
    ("testdata", "Go", Holds::Anything),
    ("tests", "any", Holds::Anything),
    ("unit-tests", "any", Holds::Anything),
    ("unit_tests", "any", Holds::Anything),
    ("unittests", "any", Holds::Anything),
];

const CONFIG_EXTENSIONS: &[&str] =
    &["cjs", "cts", "js", "json", "json5", "jsonc", "jsx", "mjs", "mts", "toml", "ts", "tsx", "yaml", "yml"];

/// Beginnings of names, with the only extension if there is just one.
#[rustfmt::skip]
const CONFIGS: &[(&str, &str)] = &[
    (".eslintrc.", ""),
    (".lintstagedrc.", ""),
    (".markdownlint-cli2.", ""),
    (".mocharc.", ""),
    (".nycrc.", ""),
    (".prettierrc.", ""),
    (".stylelintrc.", ""),
    (".xo-config.", ""),
    ("ava.config.", ""),
    ("codecept.conf.", ""),
    ("codecept.config.", ""),
    ("cypress.config.", ""),
    ("dependency-cruiser.config.", ""),
    ("eslint.config.", ""),
    ("jasmine.config.", ""),
    ("jest-e2e.", "json"),
    ("jest-setup.", ""),
    ("jest.config.", ""),
    ("jest.preset.", ""),
    ("jest.setup.", ""),
    ("karma.conf.", ""),
    ("karma.config.", ""),
    ("knip.config.", ""),
    ("lint-staged.config.", ""),
    ("mocha.config.", ""),
    ("nightwatch.conf.", ""),
    ("nightwatch.config.", ""),
    ("nyc.config.", ""),
    ("oxlint.config.", ""),
    ("playwright-ct.config.", ""),
    ("playwright.config.", ""),
    ("prettier.config.", ""),
    ("protractor.conf.", ""),
    ("setup-tests.", ""),
    ("setupTests.", ""),
    ("stryker.conf.", ""),
    ("stryker.config.", ""),
    ("stylelint.config.", ""),
    ("test-config.", ""),
    ("test-setup.", ""),
    ("tsconfig-", "json"),
    ("tsconfig.", "json"),
    ("vitest-setup.", ""),
    ("vitest.config.", ""),
    ("vitest.setup.", ""),
    ("vitest.workspace.", ""),
    ("wdio.conf.", ""),
    ("wdio.config.", ""),
    ("wdio.local.conf.", ""),
    ("web-test-runner.config.", ""),
    ("xo.config.", ""),
];

#[rustfmt::skip]
const NAMES: &[(&str, &str)] = &[
    (".ameba.yml", "infrastructure"),
    (".ansible-lint", "infrastructure"),
    (".appveyor.yml", "CI"),
    (".bandit", "Python"),
    (".busted", "infrastructure"),
    (".c8rc", "JavaScript"),
    (".c8rc.json", "JavaScript"),
    (".checkov.yaml", "infrastructure"),
    (".checkov.yml", "infrastructure"),
    (".cirrus.yml", "CI"),
    (".clang-format", "C and C++"),
    (".clang-format-ignore", "C and C++"),
    (".clang-tidy", "C and C++"),
    (".clippy.toml", "Rust"),
    (".codecov.yml", "CI"),
    (".codespellrc", "infrastructure"),
    (".coveragerc", "Python"),
    (".coveralls.yml", "CI"),
    (".cppcheck", "C and C++"),
    (".credo.exs", "Elixir"),
    (".cspell.json", "infrastructure"),
    (".dependency-cruiser.cjs", "JavaScript"),
    (".dependency-cruiser.js", "JavaScript"),
    (".dialyzer_ignore.exs", "Elixir"),
    (".doctor.exs", "Elixir"),
    (".drone.yml", "CI"),
    (".ecrc", "infrastructure"),
    (".editorconfig-checker.json", "infrastructure"),
    (".erb-lint.yml", "Ruby"),
    (".erb_lint.yml", "Ruby"),
    (".eslintignore", "JavaScript"),
    (".eslintrc", "JavaScript"),
    (".flake8", "Python"),
    (".formatter.exs", "Elixir"),
    (".gitlab-ci.yaml", "CI"),
    (".gitlab-ci.yml", "CI"),
    (".gitleaks.toml", "infrastructure"),
    (".globalconfig", "C#"),
    (".golangci.json", "Go"),
    (".golangci.toml", "Go"),
    (".golangci.yaml", "Go"),
    (".golangci.yml", "Go"),
    (".gometalinter.json", "Go"),
    (".hadolint.yaml", "infrastructure"),
    (".hadolint.yml", "infrastructure"),
    (".haml-lint.yml", "Ruby"),
    (".hlint.yaml", "Haskell"),
    (".importlinter", "Python"),
    (".isort.cfg", "Python"),
    (".jscsrc", "JavaScript"),
    (".jshintignore", "JavaScript"),
    (".jshintrc", "JavaScript"),
    (".ktlint", "Java and Kotlin"),
    (".lefthook.yml", "hooks"),
    (".lighthouserc.json", "JavaScript"),
    (".lintr", "R and Julia"),
    (".lintstagedrc", "hooks"),
    (".lintstagedrc.json", "hooks"),
    (".luacheckrc", "infrastructure"),
    (".lychee.toml", "infrastructure"),
    (".markdownlint.json", "infrastructure"),
    (".markdownlint.jsonc", "infrastructure"),
    (".markdownlint.yaml", "infrastructure"),
    (".markdownlint.yml", "infrastructure"),
    (".mocharc", "JavaScript"),
    (".mocharc.json", "JavaScript"),
    (".mocharc.yaml", "JavaScript"),
    (".mocharc.yml", "JavaScript"),
    (".mypy.ini", "Python"),
    (".nycrc", "JavaScript"),
    (".nycrc.json", "JavaScript"),
    (".ocamlformat", "OCaml"),
    (".ocamlformat-ignore", "OCaml"),
    (".overcommit.yml", "hooks"),
    (".oxfmtrc.json", "JavaScript"),
    (".oxlintrc.json", "JavaScript"),
    (".periphery.yml", "Swift"),
    (".php-cs-fixer.dist.php", "PHP"),
    (".php-cs-fixer.php", "PHP"),
    (".phpcs.xml", "PHP"),
    (".pre-commit-config.yaml", "hooks"),
    (".pre-commit-config.yml", "hooks"),
    (".pre-commit-hooks.yaml", "hooks"),
    (".prettierignore", "JavaScript"),
    (".prettierrc", "JavaScript"),
    (".protolint.yaml", "infrastructure"),
    (".pycodestyle", "Python"),
    (".pydocstyle", "Python"),
    (".pylintrc", "Python"),
    (".pylintrc.toml", "Python"),
    (".pyre_configuration", "Python"),
    (".pytest.ini", "Python"),
    (".reek.yml", "Ruby"),
    (".rspec", "Ruby"),
    (".rubocop.yml", "Ruby"),
    (".rubocop_todo.yml", "Ruby"),
    (".ruff.toml", "Python"),
    (".rustfmt.toml", "Rust"),
    (".scalafix.conf", "Scala"),
    (".scalafmt.conf", "Scala"),
    (".semgrep.yml", "infrastructure"),
    (".semgrepignore", "infrastructure"),
    (".shellcheckrc", "shell"),
    (".shellspec", "shell"),
    (".simplecov", "Ruby"),
    (".size-limit.json", "JavaScript"),
    (".snyk", "infrastructure"),
    (".spectral.yaml", "infrastructure"),
    (".spectral.yml", "infrastructure"),
    (".sqlfluff", "infrastructure"),
    (".standard.yml", "Ruby"),
    (".style.yapf", "Python"),
    (".stylelintignore", "JavaScript"),
    (".stylelintrc", "JavaScript"),
    (".stylish-haskell.yaml", "Haskell"),
    (".stylua.toml", "infrastructure"),
    (".swift-format", "Swift"),
    (".swiftformat", "Swift"),
    (".swiftlint.yaml", "Swift"),
    (".swiftlint.yml", "Swift"),
    (".taprc", "JavaScript"),
    (".testcaferc.json", "JavaScript"),
    (".tflint.hcl", "infrastructure"),
    (".tfsec.yml", "infrastructure"),
    (".travis.yml", "CI"),
    (".trivyignore", "infrastructure"),
    (".vale.ini", "infrastructure"),
    (".woodpecker.yml", "CI"),
    (".xo-config.json", "JavaScript"),
    (".yamllint", "infrastructure"),
    (".yamllint.yaml", "infrastructure"),
    (".yamllint.yml", "infrastructure"),
    ("CPPLINT.cfg", "C and C++"),
    ("Jenkinsfile", "CI"),
    ("Pest.php", "PHP"),
    ("_typos.toml", "infrastructure"),
    ("analysis_options.yaml", "Dart"),
    ("appveyor.yml", "CI"),
    ("azure-pipelines.yaml", "CI"),
    ("azure-pipelines.yml", "CI"),
    ("bandit.yaml", "Python"),
    ("basedpyrightconfig.json", "Python"),
    ("behat.yml", "PHP"),
    ("biome.json", "JavaScript"),
    ("biome.jsonc", "JavaScript"),
    ("bitbucket-pipelines.yml", "CI"),
    ("buildspec.yml", "CI"),
    ("checkstyle-suppressions.xml", "Java and Kotlin"),
    ("checkstyle.xml", "Java and Kotlin"),
    ("clippy.toml", "Rust"),
    ("cloudbuild.yaml", "CI"),
    ("codeception.yml", "PHP"),
    ("codecov.yaml", "CI"),
    ("codecov.yml", "CI"),
    ("conftest.py", "Python"),
    ("coveralls.json", "Elixir"),
    ("coverlet.runsettings", "C#"),
    ("cspell.json", "infrastructure"),
    ("cucumber.yml", "Ruby"),
    ("cypress.json", "JavaScript"),
    ("dart_test.yaml", "Dart"),
    ("deny.toml", "Rust"),
    ("detekt-baseline.xml", "Java and Kotlin"),
    ("detekt-config.yml", "Java and Kotlin"),
    ("detekt.yml", "Java and Kotlin"),
    ("elvis.config", "Erlang"),
    ("findbugs-exclude.xml", "Java and Kotlin"),
    ("fourmolu.yaml", "Haskell"),
    ("infection.json", "PHP"),
    ("infection.json5", "PHP"),
    ("jasmine.json", "JavaScript"),
    ("jsconfig.json", "JavaScript"),
    ("junit-platform.properties", "Java and Kotlin"),
    ("knip.json", "JavaScript"),
    ("lefthook.yaml", "hooks"),
    ("lefthook.yml", "hooks"),
    ("lighthouserc.json", "JavaScript"),
    ("lint-baseline.xml", "Java and Kotlin"),
    ("lint.xml", "Java and Kotlin"),
    ("mocha.opts", "JavaScript"),
    ("mutants.toml", "Rust"),
    ("mypy.ini", "Python"),
    ("nextest.toml", "Rust"),
    ("nightwatch.json", "JavaScript"),
    ("noxfile.py", "Python"),
    ("oxlintrc.json", "JavaScript"),
    ("phpcs.xml", "PHP"),
    ("phpcs.xml.dist", "PHP"),
    ("phpmd.xml", "PHP"),
    ("phpstan-baseline.neon", "PHP"),
    ("phpstan-baseline.php", "PHP"),
    ("phpstan.dist.neon", "PHP"),
    ("phpstan.neon", "PHP"),
    ("phpstan.neon.dist", "PHP"),
    ("phpunit.dist.xml", "PHP"),
    ("phpunit.xml", "PHP"),
    ("phpunit.xml.dist", "PHP"),
    ("pint.json", "PHP"),
    ("pmd-ruleset.xml", "Java and Kotlin"),
    ("pmd.xml", "Java and Kotlin"),
    ("psalm-baseline.xml", "PHP"),
    ("psalm.xml", "PHP"),
    ("psalm.xml.dist", "PHP"),
    ("pylintrc", "Python"),
    ("pylintrc.toml", "Python"),
    ("pyrefly.toml", "Python"),
    ("pyrightconfig.json", "Python"),
    ("pytest.ini", "Python"),
    ("pytest.toml", "Python"),
    ("pytype.cfg", "Python"),
    ("rails_helper.rb", "Ruby"),
    ("revive.toml", "Go"),
    ("rome.json", "JavaScript"),
    ("ruff.toml", "Python"),
    ("runtests.jl", "R and Julia"),
    ("rustfmt.toml", "Rust"),
    ("scalastyle-config.xml", "Scala"),
    ("scalastyle_config.xml", "Scala"),
    ("selene.toml", "infrastructure"),
    ("sonar-project.properties", "CI"),
    ("spec_helper.rb", "Ruby"),
    ("spotbugs-exclude.xml", "Java and Kotlin"),
    ("staticcheck.conf", "Go"),
    ("statix.toml", "infrastructure"),
    ("stylecop.json", "C#"),
    ("stylua.toml", "infrastructure"),
    ("tarpaulin.toml", "Rust"),
    ("test.py", "Python"),
    ("test.rs", "Rust"),
    ("test.zig", "Zig"),
    ("test_helper.exs", "Elixir"),
    ("test_helper.rb", "Ruby"),
    ("testcafe.json", "JavaScript"),
    ("testconfig.json", "C#"),
    ("testng.xml", "Java and Kotlin"),
    ("tests.py", "Python"),
    ("tests.rs", "Rust"),
    ("tests.zig", "Zig"),
    ("testthat.R", "R and Julia"),
    ("tox.ini", "Python"),
    ("tox.toml", "Python"),
    ("trivy.yaml", "infrastructure"),
    ("tslint.json", "JavaScript"),
    ("ty.toml", "Python"),
    ("typos.toml", "infrastructure"),
    ("weeder.toml", "Haskell"),
    ("xunit.runner.json", "C#"),
];

#[rustfmt::skip]
const TESTS: &[(&str, &[Shape], &str)] = &[
    ("astro", &[Ends(".cy"), Ends(".spec"), Ends(".test")], "JavaScript"),
    ("bash", &[Ends("-test"), Ends(".test"), Ends("_spec"), Ends("_test"), Starts("test-"), Starts("test_")], "shell"),
    ("bats", &[Any], "shell"),
    ("c", &[Ends("-test"), Ends("_test"), Ends("_tests"), Ends("_unittest"), LastWord("Test"), LastWord("Tests"), Starts("test_"), Starts("tst_")], "C and C++"),
    ("cc", &[Ends("-test"), Ends("_test"), Ends("_tests"), Ends("_unittest"), LastWord("Test"), LastWord("Tests"), Starts("test_"), Starts("tst_")], "C and C++"),
    ("cjs", &[Ends("-spec"), Ends("-test"), Ends(".cy"), Ends(".e2e"), Ends(".spec"), Ends(".test-d"), Ends(".test"), Ends("_spec"), Ends("_test")], "JavaScript"),
    ("clj", &[Ends("_test")], "Clojure"),
    ("cljc", &[Ends("_test")], "Clojure"),
    ("cljs", &[Ends("_test")], "Clojure"),
    ("coffee", &[Ends("-spec"), Ends("-test"), Ends(".spec"), Ends(".test"), Ends("_spec"), Ends("_test")], "JavaScript"),
    ("cpp", &[Ends("-test"), Ends("_test"), Ends("_tests"), Ends("_unittest"), LastWord("Test"), LastWord("Tests"), Starts("test_"), Starts("tst_")], "C and C++"),
    ("cr", &[Ends("_spec")], "Crystal"),
    ("cs", &[LastWord("Spec"), LastWord("Specs"), LastWord("Test"), LastWord("Tests")], "C#"),
    ("cts", &[Ends("-spec"), Ends("-test"), Ends(".cy"), Ends(".e2e"), Ends(".spec"), Ends(".test-d"), Ends(".test"), Ends("_spec"), Ends("_test")], "JavaScript"),
    ("cu", &[Ends("-test"), Ends("_test"), Ends("_tests"), Ends("_unittest"), LastWord("Test"), LastWord("Tests"), Starts("test_"), Starts("tst_")], "C and C++"),
    ("cxx", &[Ends("-test"), Ends("_test"), Ends("_tests"), Ends("_unittest"), LastWord("Test"), LastWord("Tests"), Starts("test_"), Starts("tst_")], "C and C++"),
    ("dart", &[Ends("_test")], "Dart"),
    ("elm", &[FirstWord("+Test."), FirstWord("+Tests.")], "Elm"),
    ("erl", &[Ends("_SUITE"), Ends("_test"), Ends("_tests"), Starts("prop_")], "Erlang"),
    ("ex", &[Ends("_test")], "Elixir"),
    ("exs", &[Ends("_test")], "Elixir"),
    ("f90", &[Ends("_test"), Starts("test_")], "Fortran"),
    ("feature", &[Any], "Gherkin"),
    ("fs", &[LastWord("Spec"), LastWord("Specs"), LastWord("Test"), LastWord("Tests")], "C#"),
    ("gjs", &[Ends("-test"), Ends(".cy"), Ends(".spec"), Ends(".test")], "JavaScript"),
    ("gleam", &[Ends("_test")], "Gleam"),
    ("go", &[Ends("_test")], "Go"),
    ("groovy", &[LastWord("IT"), LastWord("ITCase"), LastWord("Spec"), LastWord("Specs"), LastWord("Test"), LastWord("TestCase"), LastWord("TestSuite"), LastWord("Tests"), FirstWord("Test")], "Java and Kotlin"),
    ("gts", &[Ends("-test"), Ends(".cy"), Ends(".spec"), Ends(".test")], "JavaScript"),
    ("h", &[Ends("-test"), Ends("_test"), Ends("_tests"), Ends("_unittest"), LastWord("Test"), LastWord("Tests"), Starts("test_"), Starts("tst_")], "C and C++"),
    ("hcl", &[Ends(".tftest")], "Terraform"),
    ("hh", &[Ends("-test"), Ends("_test"), Ends("_tests"), Ends("_unittest"), LastWord("Test"), LastWord("Tests"), Starts("test_"), Starts("tst_")], "C and C++"),
    ("hpp", &[Ends("-test"), Ends("_test"), Ends("_tests"), Ends("_unittest"), LastWord("Test"), LastWord("Tests"), Starts("test_"), Starts("tst_")], "C and C++"),
    ("hs", &[LastWord("Spec"), LastWord("Test"), LastWord("Tests")], "Haskell"),
    ("hurl", &[Any], "Hurl"),
    ("ipynb", &[Ends("_test"), Starts("test_")], "Python"),
    ("java", &[LastWord("IT"), LastWord("ITCase"), LastWord("Spec"), LastWord("Specs"), LastWord("Test"), LastWord("TestCase"), LastWord("TestSuite"), LastWord("Tests"), FirstWord("Test")], "Java and Kotlin"),
    ("jl", &[Ends("_test"), Ends("_tests"), Starts("test_")], "Julia"),
    ("js", &[Ends("-spec"), Ends("-test"), Ends(".cy"), Ends(".e2e"), Ends(".spec"), Ends(".test-d"), Ends(".test"), Ends("_spec"), Ends("_test")], "JavaScript"),
    ("jsx", &[Ends("-spec"), Ends("-test"), Ends(".cy"), Ends(".e2e"), Ends(".spec"), Ends(".test-d"), Ends(".test"), Ends("_spec"), Ends("_test")], "JavaScript"),
    ("kt", &[LastWord("IT"), LastWord("ITCase"), LastWord("Spec"), LastWord("Specs"), LastWord("Test"), LastWord("TestCase"), LastWord("TestSuite"), LastWord("Tests"), FirstWord("Test")], "Java and Kotlin"),
    ("lhs", &[LastWord("Spec"), LastWord("Test"), LastWord("Tests")], "Haskell"),
    ("lua", &[Ends("_spec"), Ends("_test"), Starts("test_")], "Lua"),
    ("luau", &[Ends(".spec")], "Lua"),
    ("m", &[Ends("-test"), Ends("_test"), Ends("_tests"), Ends("_unittest"), LastWord("Test"), LastWord("Tests"), Starts("test_"), Starts("tst_")], "C and C++"),
    ("mjs", &[Ends("-spec"), Ends("-test"), Ends(".cy"), Ends(".e2e"), Ends(".spec"), Ends(".test-d"), Ends(".test"), Ends("_spec"), Ends("_test")], "JavaScript"),
    ("ml", &[Ends("_test"), Ends("_tests"), Starts("test_")], "OCaml"),
    ("mli", &[Ends("_test"), Ends("_tests"), Starts("test_")], "OCaml"),
    ("mm", &[Ends("-test"), Ends("_test"), Ends("_tests"), Ends("_unittest"), LastWord("Test"), LastWord("Tests"), Starts("test_"), Starts("tst_")], "C and C++"),
    ("mts", &[Ends("-spec"), Ends("-test"), Ends(".cy"), Ends(".e2e"), Ends(".spec"), Ends(".test-d"), Ends(".test"), Ends("_spec"), Ends("_test")], "JavaScript"),
    ("nim", &[Ends("_test"), Starts("test_")], "Nim"),
    ("nix", &[Ends(".test")], "Nix"),
    ("php", &[LastWord("Cept"), LastWord("Cest"), LastWord("Spec"), LastWord("Test"), LastWord("TestCase")], "PHP"),
    ("phpt", &[Any], "PHP"),
    ("pl", &[Ends("_test"), Starts("test_")], "Perl"),
    ("playlist", &[Any], "C#"),
    ("ps1", &[Ends(".Tests")], "PowerShell"),
    ("purs", &[LastWord("Spec")], "PureScript"),
    ("py", &[Ends("_test"), Ends("_tests"), Starts("test_")], "Python"),
    ("pyi", &[Ends("_test"), Ends("_tests"), Starts("test_")], "Python"),
    ("pyx", &[Ends("_test"), Starts("test_")], "Python"),
    ("r", &[Starts("test-"), Starts("test_")], "R"),
    ("rb", &[Ends("_spec"), Ends("_test"), Starts("test_")], "Ruby"),
    ("rego", &[Ends("_test")], "Rego"),
    ("robot", &[Any], "Robot Framework"),
    ("rs", &[Ends("_test"), Ends("_tests"), Starts("test_")], "Rust"),
    ("runsettings", &[Any], "C#"),
    ("sc", &[Ends(".test")], "Scala"),
    ("scala", &[LastWord("Spec"), LastWord("Specs"), LastWord("Suite"), LastWord("Test"), LastWord("Tests")], "Scala"),
    ("sh", &[Ends("-test"), Ends(".test"), Ends("_spec"), Ends("_test"), Starts("test-"), Starts("test_")], "shell"),
    ("snap", &[Any], "JavaScript"),
    ("sol", &[Ends(".t")], "Solidity"),
    ("sql", &[Ends("_test"), Starts("test_")], "SQL"),
    ("sv", &[Ends("_tb"), Starts("tb_")], "Verilog"),
    ("svelte", &[Ends(".cy"), Ends(".spec"), Ends(".test")], "JavaScript"),
    ("swift", &[LastWord("Spec"), LastWord("Test"), LastWord("TestCase"), LastWord("Tests")], "Swift"),
    ("t", &[Any], "Perl"),
    ("ts", &[Ends("-spec"), Ends("-test"), Ends(".cy"), Ends(".e2e"), Ends(".spec"), Ends(".test-d"), Ends(".test"), Ends("_spec"), Ends("_test")], "JavaScript"),
    ("tsx", &[Ends("-spec"), Ends("-test"), Ends(".cy"), Ends(".e2e"), Ends(".spec"), Ends(".test-d"), Ends(".test"), Ends("_spec"), Ends("_test")], "JavaScript"),
    ("v", &[Ends("_tb"), Starts("tb_")], "Verilog"),
    ("vb", &[LastWord("Spec"), LastWord("Specs"), LastWord("Test"), LastWord("Tests")], "C#"),
    ("vhd", &[Ends("_tb"), Starts("tb_")], "VHDL"),
    ("vhdl", &[Ends("_tb"), Starts("tb_")], "VHDL"),
    ("vue", &[Ends(".cy"), Ends(".spec"), Ends(".test")], "JavaScript"),
    ("xctestplan", &[Any], "Swift"),
    ("zig", &[Ends("_test"), Ends("_tests"), Starts("test_")], "Zig"),
    ("zsh", &[Ends("-test"), Ends(".test"), Ends("_spec"), Ends("_test"), Starts("test-"), Starts("test_")], "shell"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(DIRECTORIES.is_sorted_by(|one, other| one.0 < other.0));
        assert!(CONFIG_EXTENSIONS.is_sorted_by(|one, other| one < other));
        assert!(CONFIGS.is_sorted_by(|one, other| one.0 < other.0));
        assert!(NAMES.is_sorted_by(|one, other| one.0 < other.0));
        assert!(TESTS.is_sorted_by(|one, other| one.0 < other.0));
        assert!(DIRECTORIES.iter().all(|entry| !entry.1.is_empty()));
        assert!(
            NAMES.iter().all(|entry| !entry.1.is_empty()) && TESTS.iter().all(|entry| !entry.2.is_empty())
        );
    }

    #[test]
    fn every_entry_is_reachable() {
        for (name, ..) in DIRECTORIES {
            assert!(is_check_own_file(&format!("a/{name}/b/é.rb")), "{name}");
        }
        for (name, _) in NAMES {
            assert!(is_check_own_file(&format!("a\\{name}")), "{name}");
        }
        for (start, only) in CONFIGS {
            for extension in
                CONFIG_EXTENSIONS.iter().filter(|extension| only.is_empty() || *extension == only)
            {
                let dot = if start.ends_with('.') { "" } else { "é." };
                assert!(is_check_own_file(&format!("{start}{dot}{extension}")), "{start}{extension}");
            }
        }
        for (extension, shapes, _) in TESTS {
            for shape in *shapes {
                let stem = match shape {
                    Any => "漢".to_owned(),
                    Starts(text) => format!("{text}漢"),
                    Ends(text) | LastWord(text) => format!("漢{text}"),
                    FirstWord(text) => format!("{text}X"),
                };
                assert!(is_check_own_file(&format!("{stem}.{extension}")), "{stem}.{extension}");
            }
        }
    }

    #[test]
    fn no_shape_is_covered_by_another_of_its_extension() {
        for (extension, shapes, _) in TESTS {
            assert!(!shapes.is_empty());
            assert!(shapes.len() == 1 || !shapes.iter().any(|shape| matches!(shape, Any)), "{extension}");
        }
    }
}
