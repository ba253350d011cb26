//! Every program of the corpus becomes valid IR, without anything in it that Norn cannot handle being reported.

use super::Extent;
use crate::corpus;
use crate::norn::Norn;
use std::path::Path;
use std::time::Duration;

pub fn run(norn: &Norn, corpus: &Path, extent: Extent) -> Result<usize, String> {
    let mut failures = 0;
    for (name, programs) in [
        ("tacas15", corpus::set(corpus, "tacas15")?),
        ("svcomp15", corpus::set(corpus, "svcomp15")?),
        ("hard", corpus::files(corpus, "hard")?),
    ] {
        let programs = extent.of(programs);
        let mut total = Duration::ZERO;
        let mut slowest = (Duration::ZERO, String::new());
        let mut failed = 0;
        for program in &programs {
            let mut args = vec!["ir".to_owned()];
            args.extend_from_slice(&program.args);
            let run = norn.run(&args)?;
            total += run.time;
            slowest = slowest.max((run.time, program.name.clone()));
            if run.output.status.code() != Some(0) {
                println!("FAILED  norn ir {}: {}", program.name, run.summary());
                failed += 1;
            }
        }
        let mean = total.as_secs_f64() * 1e3 / programs.len().max(1) as f64;
        println!(
            "front end on {name}: {} of {} become IR; mean {mean:.2} ms, slowest {:.2} ms ({})",
            programs.len() - failed,
            programs.len(),
            slowest.0.as_secs_f64() * 1e3,
            slowest.1,
        );
        failures += failed;
    }
    Ok(failures)
}
