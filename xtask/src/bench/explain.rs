//! Stories: how many switches counterexamples have as each engine finds them, and as they are shown. The number that is shown should not
//! depend on who found the violation; where all executions can be looked at, it is the least there is.

use crate::corpus;
use crate::norn::{Norn, root};
use norn_engine::{GivenBounds, Prepared};
use norn_explain::{USUAL_STEPS, shorten};
use norn_ir::source::SourceMap;
use norn_portfolio::{NOBODY_LISTENS, Options, Task};
use norn_testing::switches::fewest;
use norn_verdict::claim::Expected;
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, Outcome};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::time::Instant;

const ENGINES: [&str; 6] = ["auto", "states", "stateless", "events", "rounds", "sample"];

/// So many litmus tests that are allowed are looked at.
const MOST_TESTS: usize = 300;

pub fn run(norn: &Norn, corpus: Option<&Path>) -> Result<usize, String> {
    println!(
        "{:<40}{:>5}  {:<38}{:>6}{:>8}{:>9}",
        "switches found > shown",
        "",
        ENGINES.join(" "),
        "least",
        "proved",
        "seconds"
    );
    let mut missed = 0;
    for (name, model, args) in rows(corpus)? {
        missed += row(norn, &name, model, &args)?;
    }
    if let Some(corpus) = corpus {
        missed += safestack(norn, corpus)?;
        missed += litmus(corpus, "litmus-x86")? + litmus(corpus, "litmus-ppc")?;
    }
    Ok(missed)
}

/// A name, a model, and options with a file.
type Row = (String, &'static str, Vec<String>);

/// Programs that are unsafe: the examples, and tacas15.
fn rows(corpus: Option<&Path>) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for path in corpus::files_ending(&root().join("examples"), &["c"])? {
        let text = fs::read_to_string(&path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
        for line in text.lines().filter_map(|line| line.strip_prefix("// expect")) {
            let Some((options, verdicts)) = line.split_once(':') else { continue };
            for model in ["sc", "tso", "pso"].into_iter().filter(|model| verdicts.contains(&format!("{model} unsafe")))
            {
                let mut args = options.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
                args.push(path.display().to_string());
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                rows.push((format!("{name}{options}"), model, args));
            }
        }
    }
    let programs = corpus.map(|corpus| corpus::set(corpus, "tacas15")).transpose()?.unwrap_or_default();
    for program in programs {
        for (model, _) in program.expected.iter().filter(|(_, verdict)| verdict == "unsafe") {
            let unwind = program.unwind.iter().flat_map(|bound| ["--unwind".to_owned(), bound.clone()]);
            rows.push((program.name.clone(), *model, unwind.chain(program.args.clone()).collect()));
        }
    }
    Ok(rows)
}

/// What one engine says.
struct Said {
    /// Only stories of one place are compared.
    place: String,
    found: f64,
    shown: f64,
    is_fewest: bool,
    seconds: f64,
}

fn ask(norn: &Norn, engine: &str, model: &str, args: &[String]) -> Result<Option<Said>, String> {
    let words = ["check", "--json", "--timeout", "20", "-e", engine, "-m", model].map(str::to_owned);
    let run = norn.run(&[&words, args].concat())?;
    let said: Value = serde_json::from_slice(&run.output.stdout).map_err(|_| format!("{args:?}: {}", run.summary()))?;
    let stats = &said["stats"];
    let number = |key: &str| stats[key].as_f64();
    let figures = || {
        let place = format!("{} {}", said["property"], said["location"]);
        let (found, shown) = (number("switches found")?, number("switches")?);
        let is_fewest = number("switches are fewest") == Some(1.0);
        Some(Said { place, found, shown, is_fewest, seconds: number("explain seconds")? })
    };
    Ok(figures().filter(|_| said["verdict"] == "unsafe"))
}

/// Every engine shows the same number, if it found the violation at the same place.
fn row(norn: &Norn, name: &str, model: &str, args: &[String]) -> Result<usize, String> {
    let mut said = Vec::new();
    for engine in ENGINES {
        said.push(ask(norn, engine, model, args)?);
    }
    let cell =
        |said: &Option<Said>| said.as_ref().map_or("-".to_owned(), |said| format!("{}>{}", said.found, said.shown));
    let cells = said.iter().map(cell).collect::<Vec<_>>().join(" ");
    let known = || said.iter().flatten();
    let least_at =
        |place: &str| known().filter(|said| said.place == place).map(|said| said.shown).fold(f64::INFINITY, f64::min);
    let least = known().map(|said| said.shown).fold(f64::INFINITY, f64::min);
    let is_proved = known().all(|said| said.is_fewest);
    let seconds = known().map(|said| said.seconds).fold(0.0, f64::max);
    let is_wrong = |said: &Said| said.shown > said.found || said.shown > least_at(&said.place);
    let is_missed = known().next().is_none() || known().any(is_wrong);
    println!(
        "{name:<40}{model:>5}  {cells:<38}{least:>6}{:>8}{seconds:>9.2}{}",
        if is_proved { "yes" } else { "no" },
        if is_missed { "  MISSED" } else { "" }
    );
    Ok(usize::from(is_missed))
}

/// A bug that needs three threads, and many switches.
fn safestack(norn: &Norn, corpus: &Path) -> Result<usize, String> {
    const MOST: u64 = 8;
    let file = corpus.join("hard").join("SafeStack_seqcst_forCSEQ_static.c").display().to_string();
    let args = ["--unwind".to_owned(), "3".to_owned(), "--timeout".to_owned(), "200".to_owned(), file];
    let words = ["check", "--json", "-e", "rounds"].map(str::to_owned);
    let run = norn.run(&[&words[..], &args[..]].concat())?;
    let said: Value = serde_json::from_slice(&run.output.stdout).map_err(|_| run.summary())?;
    let (found, shown) = (said["stats"]["switches found"].as_f64(), said["stats"]["switches"].as_f64());
    let is_missed = shown.is_none_or(|shown| shown > MOST as f64);
    println!("SafeStack by rounds: {found:?} > {shown:?}, at most {MOST}{}", if is_missed { "  MISSED" } else { "" });
    Ok(usize::from(is_missed))
}

/// Allowed litmus tests, spread over the set: the number is that of the search without reductions.
fn litmus(corpus: &Path, set: &str) -> Result<usize, String> {
    let folder = corpus.join(set);
    let table = folder.join("expected.tsv");
    let text = fs::read_to_string(&table).map_err(|e| format!("cannot read {}: {e}", table.display()))?;
    let columns = text.lines().next().unwrap_or_default().split('\t').collect::<Vec<_>>();
    let files = corpus::files_ending(&folder, &["litmus"])?;
    let mut allowed = Vec::new();
    for cells in text.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>()) {
        for model in Model::ALL {
            let column = columns.iter().position(|column| *column == model.name());
            if column.and_then(|column| cells.get(column)) == Some(&"Allow") {
                allowed.push((cells[0].to_owned(), model));
            }
        }
    }
    let stride = allowed.len().div_ceil(MOST_TESTS).max(1);
    let (mut compared, mut missed, mut found, mut shown) = (0, 0, 0, 0);
    let start = Instant::now();
    for (name, model) in allowed.into_iter().step_by(stride) {
        let is_it = |path: &&std::path::PathBuf| path.file_stem().is_some_and(|stem| *stem == *name);
        let Some(path) = files.iter().find(is_it) else { continue };
        let text = fs::read_to_string(path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
        let Ok(test) = norn_litmus::parse(&mut SourceMap::new(), &name, text) else { continue };
        let Some((before, after, least)) = switches(test.program, model) else { continue };
        compared += 1;
        found += before;
        shown += after;
        if least.is_some_and(|least| after != least) || after > before {
            println!("{set}/{name} ({model}): {before} > {after}, but {least:?}  MISSED");
            missed += 1;
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{set}: {compared} allowed tests, {found} switches found, {shown} shown, {missed} not the least; {seconds:.1} s"
    );
    Ok(missed)
}

/// Switches found, shown, and the least.
fn switches(program: norn_ir::program::Program, model: Model) -> Option<(usize, usize, Option<usize>)> {
    let program = Prepared::new(program);
    let checks = Checks::default();
    let (limits, options, given) = (Limits::for_seconds(20.0), Options::default(), GivenBounds::default());
    let task =
        Task { program: &program, checks, given: &given, limits: &limits, options: &options, heard: NOBODY_LISTENS };
    let Ok(verdict) = task.ask_in_turns(model) else { return None };
    let Outcome::Unsafe(found) = &verdict.outcome else { return None };
    let shorter = shorten(&program, checks, found, USUAL_STEPS, &Limits::none())?;
    let least = fewest(&program, model, checks, Expected::from(found.violation()));
    Some((found.trace().switches(), shorter.counterexample.trace().switches(), least))
}
