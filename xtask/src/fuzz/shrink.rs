//! Makes an input smaller as long as the same goes wrong: whole stretches of lines first, then of bytes.

use super::inputs::Input;
use super::process::{Runner, Verdict};
use std::time::{Duration, Instant};

/// A small case is a comfort, not a need.
const LONGEST: Duration = Duration::from_secs(30);

pub fn shrink(runner: &mut Runner, input: &Input, what: &str) -> Result<Input, String> {
    let end = Instant::now() + LONGEST;
    let mut best = input.clone();
    if best.files.is_empty() {
        return Ok(best);
    }
    for by_lines in [true, false] {
        let mut parts = parts_of(&best.files[0].1, by_lines);
        let mut size = parts.len().div_ceil(2);
        while size > 0 && Instant::now() < end {
            let mut at = 0;
            while at < parts.len() && Instant::now() < end {
                let mut fewer = parts.clone();
                drop(fewer.drain(at..(at + size).min(parts.len())));
                let mut smaller = best.clone();
                smaller.files[0].1 = fewer.concat();
                if still(runner, &smaller, what)? {
                    best = smaller;
                    parts = fewer;
                } else {
                    at += size;
                }
            }
            size = if size == 1 { 0 } else { size.div_ceil(2) };
        }
    }
    Ok(best)
}

fn parts_of(bytes: &[u8], by_lines: bool) -> Vec<Vec<u8>> {
    match by_lines {
        true => bytes.split_inclusive(|&b| b == b'\n').map(<[u8]>::to_vec).collect(),
        false => bytes.iter().map(|&b| vec![b]).collect(),
    }
}

/// Whether the same goes wrong.
fn still(runner: &mut Runner, input: &Input, what: &str) -> Result<bool, String> {
    Ok(match runner.judge(input)? {
        Verdict::Bad(now) => now == what,
        Verdict::Fine { is_safe: true, .. } => {
            let refused = runner.refused_by_compiler(input)?;
            refused.is_some_and(|error| what == format!("safe, but the compiler says {error}"))
        }
        Verdict::Fine { .. } => false,
    })
}
