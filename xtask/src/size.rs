//! Sizes of what is shipped, against a committed snapshot and a ceiling.

use crate::process::{Result, output, root};
use std::fs;

/// Gzipped bytes of the engine that are the aim for all parts together.
const TARGET: u64 = 160_000;

/// Gzipped bytes the engine may not pass while the aim is missed; lowered with every gain.
const CEILING: u64 = 530_000;

/// Compares with `tests/data/size.txt` (2 % is a difference), or renews it.
pub fn size(write: bool) -> Result {
    let script = "const fs=require('fs'),z=require('zlib');for(const f of ['agent_evidence_bg.wasm','agent_evidence.js']){const b=fs.readFileSync('pkg/dist/wasm/'+f);console.log(f,b.length,z.gzipSync(b,{level:9}).length)}";
    let report = output("node", &["-e", script]).ok_or("cannot measure: is the package built?")? + "\n";
    print!("file, bytes, gzip\n{report}");
    let gzip: u64 =
        report.split_whitespace().nth(2).and_then(|number| number.parse().ok()).ok_or("no size")?;
    if gzip > TARGET {
        println!("MISSED: the target is {TARGET} bytes gzipped, the engine has {gzip}");
    }
    if gzip > CEILING {
        return Err(format!("the engine is {gzip} bytes gzipped, over the ceiling of {CEILING}"));
    }
    let snapshot = root().join("tests/data/size.txt");
    if write {
        return fs::write(snapshot, report).map_err(|error| error.to_string());
    }
    let before = fs::read_to_string(snapshot).unwrap_or_default();
    let old = before.split_whitespace().nth(2).and_then(|number| number.parse::<u64>().ok()).unwrap_or(0);
    if gzip.abs_diff(old) * 50 > gzip {
        return Err(format!(
            "the snapshot says {old} bytes; look why, then renew it: cargo xtask size --write"
        ));
    }
    Ok(())
}
