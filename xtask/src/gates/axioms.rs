//! Every litmus test gets its known answer under the model of its language; those of PPC and X86 get the same answers from
//! the axioms of SC, TSO and PSO as from the machines.

use super::Extent;
use crate::corpus;
use crate::norn::Norn;
use std::fs;
use std::path::{Path, PathBuf};

/// The sets and their models.
const SETS: [(&str, &str); 6] = [
    ("litmus-aarch64", "armv8"),
    ("litmus-riscv", "riscv"),
    ("litmus-c11", "rc11"),
    ("litmus-lkmm", "lkmm"),
    ("litmus-ppc", "sc.cat,tso.cat,pso.cat"),
    ("litmus-x86", "sc.cat,tso.cat,pso.cat"),
];
/// Of one test under one model.
const SECONDS: &str = "30";

pub fn run(norn: &Norn, corpus: &Path, extent: Extent) -> Result<usize, String> {
    let mut failures = 0;
    for (set, models) in SETS {
        let folder = corpus.join(set);
        if !folder.is_dir() {
            println!("litmus tests of {set}: not in this corpus");
            continue;
        }
        let files = extent.of(tests_below(&folder)?);
        let expected = folder.join("expected.tsv").display().to_string();
        let mut args =
            ["litmus", "-m", models, "--timeout", SECONDS, "--expect", &expected].map(str::to_owned).to_vec();
        args.extend(files.iter().map(|file| file.display().to_string()));
        let run = norn.run(&args)?;
        let output = String::from_utf8_lossy(&run.output.stdout);
        let summary = output.lines().last().unwrap_or_default().trim_start_matches("norn: ");
        let time = run.time.as_secs_f64();
        println!("litmus tests of {set} under {models}: {} tests, {summary}; {time:.1} s", files.len());
        let answers = files.len() * models.split(',').count();
        // A test without an expected answer, or one that is refused, would pass unseen.
        if run.output.status.code() != Some(0)
            || summary != format!("{answers} answers compared, 0 different, 0 unknown")
        {
            print!("{output}");
            println!("FAILED  norn litmus -m {models} on {set}: {}", run.summary());
            failures += 1;
        }
    }
    Ok(failures)
}

/// All litmus files of a folder and those inside it, in the order of their paths.
fn tests_below(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut tests = corpus::files_ending(folder, &["litmus"])?;
    let entries = fs::read_dir(folder).map_err(|e| format!("cannot read {}: {e}", folder.display()))?;
    for entry in entries.filter_map(Result::ok).map(|entry| entry.path()).filter(|path| path.is_dir()) {
        tests.extend(tests_below(&entry)?);
    }
    tests.sort();
    Ok(tests)
}
