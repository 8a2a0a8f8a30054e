//! Rust to wasm, wasm to bindings, TypeScript to the facade: all into `pkg/dist`.

use crate::process::{Result, command, output, root, run, run_command, step};
use std::fs;
use wasm_bindgen_cli_support::Bindgen;

const TARGET: &str = "wasm32-unknown-unknown";

/// What npm and rustup must have brought before anything else works; quick when it is there.
pub fn set_up() -> Result {
    let node = output("node", &["--version"]).ok_or("Node is missing: install Node 20.19 or newer")?;
    let mut numbers = node.trim_start_matches('v').split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    if version < (20, 19) {
        return Err(format!("Node {node} is too old: install Node 20.19 or newer"));
    }
    if output("rustup", &["target", "list", "--installed"]).is_some_and(|list| !list.contains(TARGET)) {
        step("adding the wasm target", || run("rustup", &["target", "add", TARGET]))?;
    }
    let installed = fs::read_to_string(root().join("node_modules/.package-lock.json")).is_ok();
    let lock = fs::read_to_string(root().join("package-lock.json")).unwrap_or_default();
    let seen = fs::read_to_string(root().join("node_modules/.seen-lock.json")).unwrap_or_default();
    if !installed || lock != seen {
        step("installing what npm needs", || run("npm", &["ci", "--no-audit", "--no-fund"]))?;
        fs::write(root().join("node_modules/.seen-lock.json"), lock).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// The package into `pkg/dist`.
pub fn build() -> Result {
    set_up()?;
    step("compiling to wasm", || {
        let mut cargo = command(
            "cargo",
            &["build", "--release", "--target", TARGET, "--package", "agent-evidence", "--lib"],
        );
        // 128-bit vectors are in every browser and Node the package supports. The paths of this
        // machine stay out of what is shipped, which also makes builds equal everywhere.
        let home = std::env::var("CARGO_HOME")
            .or_else(|_| std::env::var("HOME").map(|home| format!("{home}/.cargo")));
        cargo.env(
            "RUSTFLAGS",
            format!(
                "-C target-feature=+simd128,+bulk-memory --remap-path-prefix={}=agent-evidence --remap-path-prefix={}=cargo",
                root().display(),
                home.map_err(|error| error.to_string())?,
            ),
        );
        run_command(cargo)
    })?;
    step("writing the bindings", bindings)?;
    step("compiling the facade", || {
        run("node", &["node_modules/typescript/bin/tsc", "--project", "pkg/tsconfig.json"])?;
        copy_wasm()
    })
}

/// The page into `www/dist`.
pub fn page() -> Result {
    step("building the page", || run("npm", &["run", "--silent", "build", "--workspace", "www"]))
}

fn bindings() -> Result {
    let directory = root().join("pkg/src/wasm");
    let metadata = output("cargo", &["metadata", "--format-version", "1", "--no-deps"])
        .ok_or("cargo metadata failed")?;
    let target = metadata
        .split("\"target_directory\":\"")
        .nth(1)
        .and_then(|rest| rest.split('"').next())
        .ok_or("cargo metadata names no target directory")?;
    let input = format!("{target}/{TARGET}/release/agent_evidence.wasm");
    Bindgen::new()
        .input_path(&input)
        .web(true)
        .map_err(|error| error.to_string())?
        .typescript(true)
        .omit_default_module_path(true)
        .reset_state_function(true)
        .remove_name_section(true)
        .generate(&directory)
        .map_err(|error| format!("{error:#}"))?;
    let bytes = fs::read(directory.join("agent_evidence_bg.wasm")).map_err(|error| error.to_string())?;
    let inline = format!("export const ENGINE_BASE64: string =\n  \"{}\";\n", base64(&bytes));
    fs::write(directory.join("inline.ts"), inline).map_err(|error| error.to_string())
}

fn copy_wasm() -> Result {
    let (from, to) = (root().join("pkg/src/wasm"), root().join("pkg/dist/wasm"));
    fs::create_dir_all(&to).map_err(|error| error.to_string())?;
    for name in ["agent_evidence.js", "agent_evidence.d.ts", "agent_evidence_bg.wasm"] {
        fs::copy(from.join(name), to.join(name)).map_err(|error| format!("{name}: {error}"))?;
    }
    for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
        fs::copy(root().join(name), root().join("pkg").join(name))
            .map_err(|error| format!("{name}: {error}"))?;
    }
    Ok(())
}

fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len() * 4 / 3 + 4);
    for chunk in bytes.chunks(3) {
        let word = u32::from(chunk[0]) << 16
            | u32::from(*chunk.get(1).unwrap_or(&0)) << 8
            | u32::from(*chunk.get(2).unwrap_or(&0));
        for place in 0..4 {
            let symbol = ALPHABET[(word >> (18 - 6 * place)) as usize & 63];
            text.push(if place <= chunk.len() { symbol as char } else { '=' });
        }
    }
    text
}
