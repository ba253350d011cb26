//! Mutation testing of Norn itself: faults are seeded, and the tests have to see each of them.
//!
//! The faults are lists of texts to replace (`xtask/mutants`; `list` says in which form). Compiling the project once per
//! fault would take a day, so all faults go into one copy of the project, each behind a switch that an environment variable
//! turns on (`plant`); the tests of that copy that come to a fault are then run with it until one fails (`suite`). A survivor is a fault that no test sees: it needs a test, or an explanation in the list.

mod list;
mod plant;
mod suite;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::norn::root;
use list::Fault;
use suite::{SURVIVED, Suite};

/// What to do with the faults.
pub struct Plan {
    pub what: What,
    /// Only faults whose names contain this.
    pub only: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// See that each text is found once.
    List,
    /// See that the copy with all faults compiles.
    Check,
    /// Run the tests with each fault that has no result yet.
    Run,
    /// Forget the results of before, and run.
    Anew,
    /// Run the tests once more with each fault that survived.
    Survivors,
}

impl Plan {
    pub fn from_words(words: &[&str]) -> Result<Plan, String> {
        let mut plan = Plan { what: What::Run, only: None };
        let mut words = words.iter();
        while let Some(&word) = words.next() {
            match word {
                "--list" => plan.what = What::List,
                "--check" => plan.what = What::Check,
                "--anew" => plan.what = What::Anew,
                "--survivors" => plan.what = What::Survivors,
                "--only" => plan.only = Some(words.next().ok_or("--only needs a part of a name")?.to_string()),
                _ => return Err(format!("'{word}' is not an option here")),
            }
        }
        Ok(plan)
    }
}

pub fn run(plan: &Plan) -> Result<(), String> {
    let faults = list::read(&root().join("xtask/mutants"))?;
    let folder = target().join("mutants");
    println!(
        "{} faults in {} files",
        faults.len(),
        faults.iter().map(|f| &f.path).collect::<std::collections::BTreeSet<_>>().len()
    );
    let planted = plant::plant(&faults, &root(), &folder.join("tree"))?;
    if plan.what == What::List {
        return Ok(());
    }
    let suite = Suite::build(&planted)?;
    if plan.what == What::Check {
        return Ok(());
    }
    let record = folder.join("results.tsv");
    let mut fates = if plan.what == What::Anew { BTreeMap::new() } else { read_results(&record) };
    if plan.what == What::Survivors {
        fates.retain(|_, fate| !fate.starts_with(SURVIVED));
    }
    let suite = suite.measured(&folder)?;
    let wanted = |fault: &&Fault| plan.only.as_ref().is_none_or(|part| fault.name.contains(part));
    for (number, fault) in faults.iter().enumerate().filter(|(_, fault)| wanted(fault)) {
        if fates.contains_key(&fault.name) && plan.only.is_none() {
            continue;
        }
        let start = Instant::now();
        let fate = suite.fate(number);
        println!("{:<50} {fate} ({:.0} s)", fault.name, start.elapsed().as_secs_f64());
        fates.insert(fault.name.clone(), fate.to_string());
        write_results(&record, &fates)?;
    }
    summary(&faults, &fates)
}

fn summary(faults: &[Fault], fates: &BTreeMap<String, String>) -> Result<(), String> {
    let run: Vec<&Fault> = faults.iter().filter(|fault| fates.contains_key(&fault.name)).collect();
    let survivors: Vec<&&Fault> = run.iter().filter(|fault| fates[&fault.name].starts_with(SURVIVED)).collect();
    let killed = run.len() - survivors.len();
    println!("\n{killed} of {} faults are seen ({:.1} %)", run.len(), 100.0 * killed as f64 / run.len().max(1) as f64);
    let mut open = 0;
    for fault in survivors {
        println!("  survived: {} ({}): {}", fault.name, fault.path, fault.meaning);
        match &fault.explanation {
            Some(why) => println!("    explained: {why}"),
            None => open += 1,
        }
    }
    match open {
        0 => Ok(()),
        n => Err(format!("{n} survivors without an explanation")),
    }
}

fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// By name: what became of it.
fn read_results(path: &Path) -> BTreeMap<String, String> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines().filter_map(|line| line.split_once('\t')).map(|(a, b)| (a.to_owned(), b.to_owned())).collect()
}

fn write_results(path: &Path, fates: &BTreeMap<String, String>) -> Result<(), String> {
    let mut file = fs::File::create(path).map_err(|e| format!("cannot write {}: {e}", path.display()))?;
    for (name, fate) in fates {
        writeln!(file, "{name}\t{fate}").map_err(|e| e.to_string())?;
    }
    Ok(())
}
