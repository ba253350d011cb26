//! Choices that Norn has found drive the compiled program into an assertion: every row of `tacas15` that is unsafe, but the
//! largest, under every model, as a user does it on the command line.

use crate::corpus;
use crate::gates::Extent;
use crate::norn::Norn;
use norn_testing::sequential::Plan;
use std::path::Path;
use std::process::Command;

const SECONDS: u32 = 60;

pub fn run(corpus: &Path, folder: &Path, extent: Extent, plan: Plan) -> Result<usize, String> {
    let norn = Norn::build()?;
    let rows = corpus::set(corpus, "tacas15")?.into_iter().filter(|row| !row.file.starts_with("apr")).collect();
    let (mut driven, mut beyond, mut failures) = (0, 0, 0);
    for row in extent.of(rows) {
        for (model, _) in row.expected.iter().filter(|(_, verdict)| verdict == "unsafe") {
            match drive(&norn, folder, &row.args, model, plan) {
                Ok(true) => driven += 1,
                Ok(false) => beyond += 1,
                Err(fault) => {
                    println!("FAILED  {} {model}: {fault}", row.name);
                    failures += 1;
                }
            }
        }
    }
    println!("choices found by norn: {driven} compiled programs fail with them; {beyond} fail beyond the bounds only");
    Ok(failures)
}

/// Whether the program fails within the bounds; then its compiled translation does, with the choices that were found.
fn drive(norn: &Norn, folder: &Path, program: &[String], model: &str, plan: Plan) -> Result<bool, String> {
    let [source, binary, choices] = ["recorded.c", "recorded", "choices"].map(|name| folder.join(name));
    let [source_name, choices_name] = [&source, &choices].map(|path| path.display().to_string());
    let numbers = [
        ("--unwind", plan.unwind),
        ("--rounds", plan.rounds),
        ("--timestamps", plan.timestamps),
        ("--nodes", plan.nodes),
        ("--timeout", SECONDS),
    ];
    let mut args = ["sequentialize", "--for", "cc", "-m", model, "-o", &source_name, "--choices-out", &choices_name]
        .map(str::to_owned)
        .to_vec();
    args.extend(numbers.iter().flat_map(|(name, value)| [(*name).to_owned(), value.to_string()]));
    args.extend_from_slice(program);
    let found = norn.run(&args)?;
    match found.output.status.code() {
        Some(0) => return Ok(false),
        Some(10) => {}
        _ => return Err(found.summary()),
    }
    let compiled = Command::new("cc").args(["-Wall", "-Wextra", "-Werror", "-o"]).arg(&binary).arg(&source).status();
    if !compiled.map_err(|e| format!("cannot run cc: {e}"))?.success() {
        return Err("the translation does not compile without warnings".to_owned());
    }
    let run = Command::new(&binary).arg(&choices).output().map_err(|e| format!("cannot run the translation: {e}"))?;
    match run.status.code() {
        Some(10) => Ok(true),
        _ => Err(format!("the translation does not fail: {}", String::from_utf8_lossy(&run.stdout).trim())),
    }
}
