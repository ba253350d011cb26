//! What `--certify` leaves behind when the formula of a safe verdict leaves out an execution of the machine: all that is needed to
//! see why.

use norn_ir::program::Program;
use norn_verdict::schedule::Schedule;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Writes the program as the engine saw it, the execution, and what is wrong with it.
pub fn write_bundle(
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

#[cfg(test)]
mod tests {
    use super::*;
    use norn_verdict::model::Model;

    #[test]
    fn all_that_is_needed_is_written() {
        let program = Program::empty();
        let schedule = Schedule { model: Model::Tso, program: 0, steps: Vec::new(), inputs: Vec::new() };
        let parent = std::env::temp_dir().join(format!("norn-left-out-test-{}", std::process::id()));
        let folder = write_bundle(&parent, &program, "a clause does not hold", &schedule, "norn check t.c");
        let folder = folder.expect("the folder should be writable");
        let reason = fs::read_to_string(folder.join("reason.txt")).expect("there should be a reason");
        assert!(reason.contains("norn check t.c") && reason.contains("a clause does not hold"));
        let schedule = fs::read_to_string(folder.join("execution.schedule")).expect("there should be a schedule");
        assert!(schedule.starts_with("norn-schedule"));
        fs::remove_dir_all(parent).expect("the folder should go");
    }
}
