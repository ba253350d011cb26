//! Every litmus test gets its known answer under every model, from every engine.

use super::Extent;
use crate::corpus;
use crate::norn::Norn;
use std::path::Path;

pub fn run(norn: &Norn, corpus: &Path, extent: Extent) -> Result<usize, String> {
    let mut failures = 0;
    let engines = ["enumerate", "stateless", "states", "events", "rounds"];
    for (set, engine) in ["litmus-ppc", "litmus-x86"].into_iter().flat_map(|set| engines.map(|engine| (set, engine))) {
        let folder = corpus.join(set);
        let files = extent.of(corpus::files_ending(&folder, &["litmus"])?);
        let expected = folder.join("expected.tsv").display().to_string();
        let mut args = ["litmus", "-e", engine, "-m", "sc,tso,pso", "--expect", &expected].map(str::to_owned).to_vec();
        args.extend(files.iter().map(|file| file.display().to_string()));
        let run = norn.run(&args)?;
        let output = String::from_utf8_lossy(&run.output.stdout);
        let summary = output.lines().last().unwrap_or_default().trim_start_matches("norn: ");
        let time = run.time.as_secs_f64();
        println!("litmus tests of {set} by {engine}: {} tests, {summary}; {time:.1} s", files.len());
        // A test without an expected answer would pass unseen.
        let all_compared =
            summary.starts_with(&format!("{} answers compared, 0 different, 0 unknown", 3 * files.len()));
        if run.output.status.code() != Some(0) || !all_compared {
            print!("{output}");
            println!("FAILED  norn litmus -e {engine} on {set}: {}", run.summary());
            failures += 1;
        }
    }
    Ok(failures)
}
