//! The first thing a newcomer runs: a sample reply verified against this repository, then the page.

use crate::build;
use crate::process::{Result, run, step};

/// Verifies the sample reply; serves the page unless `check`.
pub fn demo(check: bool) -> Result {
    build::build()?;
    build::page()?;
    step("verifying a sample reply against this repository", || run("node", &["www/sample-reply.mjs"]))?;
    if check { Ok(()) } else { run("npm", &["run", "--silent", "preview", "--workspace", "www"]) }
}
