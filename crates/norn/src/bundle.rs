//! What an internal error leaves behind: a folder with all that is needed to see why.

use norn_ir::program::Program;
use norn_verdict::outcome::{Outcome, Verdict};
use norn_verdict::schedule::Schedule;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// For a formula of a safe verdict that leaves out an execution of the machine: the program as the engine saw it, the
/// execution, and what is wrong with it.
pub fn of_left_out(
    parent: &Path,
    program: &Program,
    reason: &str,
    schedule: &Schedule,
    command: &str,
) -> io::Result<PathBuf> {
    let number = norn_verdict::schedule::fingerprint(program);
    let folder = parent.join(format!("norn-left-out-{number:016x}"));
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("program.ir"), program.to_string())?;
    fs::write(folder.join("execution.schedule"), schedule.to_string())?;
    let version = env!("CARGO_PKG_VERSION");
    fs::write(folder.join("reason.txt"), format!("{command}\nversion {version}\n{reason}\n"))?;
    Ok(folder)
}

/// Writes what is needed to look into a disagreement: the program as all engines saw it, the schedule, who said what.
pub fn of_disagreement(parent: &Path, program: &Program, verdicts: &[Verdict], command: &str) -> io::Result<PathBuf> {
    let violated = verdicts.iter().find_map(|v| match &v.outcome {
        Outcome::Unsafe(counterexample) => Some(counterexample),
        _ => None,
    });
    let number = norn_verdict::schedule::fingerprint(program);
    let folder = parent.join(format!("norn-disagreement-{number:016x}"));
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("program.ir"), program.to_string())?;
    if let Some(counterexample) = violated {
        fs::write(folder.join("unsafe.schedule"), counterexample.schedule().to_string())?;
    }
    let mut text = format!("{command}\nversion {}\n", env!("CARGO_PKG_VERSION"));
    for verdict in verdicts {
        let said = match &verdict.outcome {
            Outcome::Unsafe(counterexample) => format!("unsafe: {}", counterexample.violation().kind.phrase()),
            Outcome::Safe { bounds } => {
                let open = bounds.iter().filter(|b| !b.exhausted).map(ToString::to_string);
                format!("safe, bounds not exhausted: [{}]", open.collect::<Vec<_>>().join(", "))
            }
            Outcome::Limited { undecided, .. } | Outcome::Unknown(undecided) => format!("unknown: {undecided}"),
        };
        text += &format!("{} ({}): {said}\n", verdict.engine, verdict.model);
    }
    fs::write(folder.join("verdicts.txt"), text)?;
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use norn_verdict::model::Model;

    #[test]
    fn all_that_is_needed_is_written() {
        let program = Program::empty();
        let schedule = Schedule { model: Model::Tso, program: 0, steps: Vec::new(), inputs: Vec::new() };
        let parent = std::env::temp_dir().join(format!("norn-left-out-test-{}", std::process::id()));
        let folder = of_left_out(&parent, &program, "a clause does not hold", &schedule, "norn check t.c");
        let folder = folder.expect("the folder should be writable");
        let reason = fs::read_to_string(folder.join("reason.txt")).expect("there should be a reason");
        assert!(reason.contains("norn check t.c") && reason.contains("a clause does not hold"));
        let schedule = fs::read_to_string(folder.join("execution.schedule")).expect("there should be a schedule");
        assert!(schedule.starts_with("norn-schedule"));
        fs::remove_dir_all(parent).expect("the folder should go");
    }

    #[test]
    fn a_disagreement_is_written_down() {
        use norn_verdict::outcome::Stats;
        let program = Program::empty();
        let safe = Verdict::new(Model::Sc, "events", Outcome::Safe { bounds: Vec::new() }, Stats::default());
        let parent = std::env::temp_dir().join(format!("norn-disagreement-test-{}", std::process::id()));
        fs::create_dir_all(&parent).expect("the folder should be made");
        let folder = of_disagreement(&parent, &program, &[safe], "norn check t.c").expect("it should be written");
        let said = fs::read_to_string(folder.join("verdicts.txt")).expect("there should be a list");
        assert!(said.contains("events (sc): safe") && said.contains("norn check t.c"), "{said}");
        assert!(folder.join("program.ir").exists());
        fs::remove_dir_all(parent).expect("the folder should go");
    }
}
