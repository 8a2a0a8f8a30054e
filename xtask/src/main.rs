//! The project's tasks: `cargo xtask build | test | demo | bench | size`. Each does its own set-up.

mod build;
mod chromium;
mod demo;
mod process;
mod size;
mod test;

use process::run;

const HELP: &str = "\
cargo xtask build [--page]   the package into pkg/dist; --page also the page into www/dist
cargo xtask test [PART...]   everything, or some of: format clippy rust size types node browser pack
cargo xtask demo [--check]   verifies a sample reply against this repository, then serves the page
cargo xtask bench [NAME...]  ratios against plain JavaScript
cargo xtask landing CORPUS   how many links land, in Chromium; --alone knows the passage only, --misses lists
cargo xtask size             sizes against the committed snapshot; --write renews it";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let rest = arguments.get(1..).unwrap_or_default();
    let outcome = match arguments.first().map(String::as_str) {
        Some("build") => {
            build::build().and_then(|()| if has(rest, "--page") { build::page() } else { Ok(()) })
        }
        Some("test") => test::test(rest),
        Some("demo") => demo::demo(has(rest, "--check")),
        Some("bench") => build::build()
            .and_then(|()| run("node", &[&["--expose-gc", "benches/run.mjs"], &words(rest)[..]].concat())),
        Some("landing") => build::build().and_then(|()| landing(rest)),
        Some("size") => build::build().and_then(|()| size::size(has(rest, "--write"))),
        _ => {
            println!("{HELP}");
            return;
        }
    };
    if let Err(message) = outcome {
        eprintln!("\nxtask: {message}");
        std::process::exit(1);
    }
}

fn landing(rest: &[String]) -> process::Result {
    let path = chromium::require()?;
    let mut measure = process::command("node", &[&["tests/landing/run.mjs"], &words(rest)[..]].concat());
    measure.env("CHROMIUM", path);
    process::run_command(measure)
}

fn has(arguments: &[String], flag: &str) -> bool {
    arguments.iter().any(|argument| argument == flag)
}

fn words(arguments: &[String]) -> Vec<&str> {
    arguments.iter().map(String::as_str).collect()
}
