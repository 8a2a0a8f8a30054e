//! Finding a Chromium; Debian's is installed when there is none and this is root.

use crate::process::{Result, output, run, step};

const NAMES: &[&str] = &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// The path of a Chromium, as `CHROMIUM` or on the PATH.
pub fn find() -> Option<String> {
    std::env::var("CHROMIUM").ok().or_else(|| NAMES.iter().find_map(|name| output("which", &[name])))
}

/// The path of a Chromium, installed if need be and if it may be.
pub fn require() -> Result<String> {
    if let Some(path) = find() {
        return Ok(path);
    }
    if output("id", &["-u"]).as_deref() == Some("0") && output("which", &["apt-get"]).is_some() {
        step("installing Debian's Chromium", || {
            run("apt-get", &["update", "-qq"])?;
            run("apt-get", &["install", "-y", "-qq", "--no-install-recommends", "chromium"])
        })?;
    }
    find().ok_or_else(|| {
        "no Chromium found: install one (Debian: apt-get install chromium) or name it in CHROMIUM".to_owned()
    })
}
