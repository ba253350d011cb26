//! Files of the corpus, all of them if `NORN_CORPUS` names it: each gives an event list or a reason, soon, and random executions of the
//! machine are among those that the list describes.

use norn_passes::analysed::Analysed;
use std::path::{Path, PathBuf};

use norn_c::driver::{self, Input};
use norn_follow::sample::{Form, Sampler, Setting};
use norn_passes::unwind::Bounds;
use norn_symex::{Finding, execute};
use norn_testing::corpus;
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::Checks;

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|e| e == "c" || e == "i") {
            found.push(path);
        }
    }
}

#[test]
fn every_file_gives_an_event_list_or_a_reason() {
    let Some(folder) = corpus::for_test("every_file_gives_an_event_list_or_a_reason") else { return };
    let unwind = std::env::var("NORN_UNWIND").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let seeds = std::env::var("NORN_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(3);
    let all = std::env::var("NORN_CHECKS").is_ok_and(|checks| checks == "all");
    let checks = Checks { memory_safety: all, overflow: all, ..Checks::default() };
    let wanted = std::env::var("NORN_FILES").unwrap_or_default();
    let mut paths = Vec::new();
    files(&folder, &mut paths);
    // All of them if that is asked for.
    let step = if std::env::var_os("NORN_CORPUS").is_some() { 1 } else { 40 };
    let mut report = String::new();
    let mut failures = Vec::new();
    for path in paths.iter().step_by(step).filter(|path| path.to_string_lossy().contains(&wanted)) {
        let began = std::time::Instant::now();
        let name = path.strip_prefix(&folder).unwrap_or(path).display().to_string();
        let compiled = driver::compile(Default::default(), None, vec![Input::File(path.clone())]);
        let Some(mut program) = compiled.program else { continue };
        norn_passes::escape::mark_private(&mut program);
        let bounds = Bounds { default: unwind, ..Bounds::default() };
        let line = match execute(&Analysed::new(program.clone()), &bounds, checks, &Limits::for_seconds(20.0)) {
            Err(refusal) => format!("REFUSED {}", refusal),
            Ok(symbolic) => {
                let setting = Setting { program: &program, symbolic: &symbolic, model: Model::Tso, checks };
                let sampler = Sampler::new(setting);
                for seed in 0..seeds {
                    if let Err(error) = sampler.execution(Form::Free { ordered: &[] }, seed) {
                        failures.push(format!("{name}: seed {seed}: {}\n{symbolic}", error.reason));
                    }
                }
                let bits: u32 = symbolic.cells.iter().map(|cell| cell.width).sum();
                let mut reasons: Vec<String> = symbolic
                    .checks
                    .iter()
                    .filter_map(|check| match &check.what {
                        Finding::Undefined(reason) => Some(reason.to_string()),
                        Finding::Violation(_) | Finding::Assumed { .. } => None,
                    })
                    .collect();
                reasons.sort_unstable();
                reasons.dedup();
                format!("{:?} bits {bits} constraints {} {reasons:?}", symbolic.stats, symbolic.constraints.len())
            }
        };
        let seconds = began.elapsed().as_secs_f64();
        report.push_str(&format!("{seconds:.2} {name}: {line}\n"));
    }
    if let Ok(path) = std::env::var("NORN_REPORT") {
        std::fs::write(path, report).expect("the report should be written");
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
