//! Every check of the project, in the order in which a failure is cheapest to see.

use crate::process::{Result, command, run, run_command, step};
use crate::{build, chromium, size};

const VITEST: &str = "node_modules/vitest/vitest.mjs";

/// Runs the parts named, or all.
pub fn test(parts: &[String]) -> Result {
    let wanted = |part: &str| parts.is_empty() || parts.iter().any(|named| named == part);
    if wanted("format") {
        step("formatting", || run("cargo", &["fmt", "--all", "--check"]))?;
    }
    if wanted("clippy") {
        build::set_up()?;
        step("clippy", || {
            run("cargo", &["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"])?;
            run(
                "cargo",
                &[
                    "clippy",
                    "--quiet",
                    "--package",
                    "agent-evidence",
                    "--lib",
                    "--target",
                    "wasm32-unknown-unknown",
                    "--",
                    "-D",
                    "warnings",
                ],
            )
        })?;
    }
    if wanted("rust") {
        step("Rust tests", || run("cargo", &["test", "--quiet", "--package", "agent-evidence"]))?;
    }
    if ["size", "types", "node", "browser", "pack"].into_iter().any(wanted) {
        build::build()?;
    }
    if wanted("size") {
        step("sizes", || size::size(false))?;
    }
    if wanted("types") {
        step("types", || {
            run("node", &["node_modules/typescript/bin/tsc", "--project", "tests/tsconfig.json"])
        })?;
    }
    if wanted("node") {
        step("tests in Node", || run("node", &[VITEST, "run", "--project", "node"]))?;
    }
    if wanted("browser") {
        let path = chromium::require()?;
        build::page()?;
        step("tests in Chromium", || {
            let mut vitest = command("node", &[VITEST, "run", "--project", "browser"]);
            vitest.env("CHROMIUM", path);
            run_command(vitest)
        })?;
    }
    if wanted("pack") {
        let path = chromium::require()?;
        step("packaging", || {
            let mut vitest = command("node", &[VITEST, "run", "--project", "pack"]);
            vitest.env("CHROMIUM", path);
            run_command(vitest)
        })?;
    }
    Ok(())
}
