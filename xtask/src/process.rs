//! Running other programs, saying what runs and how long it took.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// A failure as a sentence.
pub type Result<T = ()> = std::result::Result<T, String>;

/// The repository's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the root").to_owned()
}

/// A command in the root.
pub fn command(program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root());
    command
}

/// Runs a command in the root, its output shown.
pub fn run(program: &str, arguments: &[&str]) -> Result {
    run_command(command(program, arguments))
}

/// Runs a prepared command, its output shown.
pub fn run_command(mut command: Command) -> Result {
    let shown = format!("{command:?}").replace('"', "");
    let status = command.status().map_err(|error| format!("{shown}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{shown} failed ({status})")) }
}

/// What a command prints, or `None` when it cannot be run or fails.
pub fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = command(program, arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Says what is going on, does it, says how long it took.
pub fn step<T>(name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let started = Instant::now();
    println!("-- {name}");
    let outcome = work()?;
    println!("   {name}: {:.1} s", started.elapsed().as_secs_f64());
    Ok(outcome)
}
