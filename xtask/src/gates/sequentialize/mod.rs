//! The sequential programs do what the reference machine and the engine `rounds` do: litmus tests under every model, every
//! row of `tacas15` but the largest, every example. `agreement` compares what runs with the machine, `by_norn` what Norn
//! checks with `rounds`, `recorded` lets Norn's choices drive what runs.

mod by_norn;
mod recorded;

use super::Extent;
use crate::corpus;
use crate::norn::root;
use norn_c::driver::{Input, compile};
use norn_c::session::{MacroOption, Options};
use norn_engine::Prepared;
use norn_ir::source::SourceMap;
use norn_testing::Random;
use norn_testing::programs::{self, Shape};
use norn_testing::sequential::{Bench, Plan, Tally};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

struct Case {
    name: String,
    program: Prepared,
    plan: Plan,
}

const LITMUS: Plan = Plan { unwind: 2, rounds: 3, timestamps: 3, nodes: 3, seconds: 10, weak: true };
const PROGRAM: Plan = Plan { unwind: 2, rounds: 3, timestamps: 2, nodes: 3, seconds: 30, weak: true };
/// Store buffers have up to 20 million states.
const ROW: Plan = Plan { seconds: 120, ..PROGRAM };
/// Nothing asks for more timestamps here if there are too few.
const RECORDED: Plan = Plan { timestamps: 3, ..PROGRAM };

/// How many programs go by without a word.
const PROGRESS: usize = 10;

/// All parts, or the one that is named by the last word of its title.
pub fn run(corpus: &Path, extent: Extent, only: Option<&str>) -> Result<usize, String> {
    let folder = root().join("target").join("sequentialize");
    fs::create_dir_all(&folder).map_err(|e| format!("cannot make {}: {e}", folder.display()))?;
    let bench = Bench { folder };
    let mut failures = 0;
    for (title, cases) in [
        ("examples", examples(extent)?),
        ("rows of tacas15", tacas15(corpus, extent)?),
        ("generated", generated(extent)?),
        ("tests of litmus", litmus(corpus, extent)?),
    ] {
        // The rows and the generated programs take too long for a sample.
        let is_long = matches!(title, "rows of tacas15" | "generated");
        if only.is_some_and(|only| !title.ends_with(only)) || (is_long && extent == Extent::Sample) {
            continue;
        }
        let start = Instant::now();
        let count = cases.len();
        let tally = judge_all(&bench, title, extent.shortened(cases));
        println!(
            "sequential programs of {count} {title}: {} comparisons agree, {} runs fail and fail again when replayed, \
             {} undecided, {} wrong; {:.0} s",
            tally.compared,
            tally.unsafe_runs,
            tally.undecided.len(),
            tally.wrong.len(),
            start.elapsed().as_secs_f64()
        );
        for undecided in &tally.undecided {
            println!("  undecided  {undecided}");
        }
        for wrong in &tally.wrong {
            println!("FAILED  {wrong}");
        }
        failures += tally.wrong.len();
    }
    if only.is_none_or(|only| only == "recorded") {
        failures += recorded::run(corpus, &bench.folder, extent, RECORDED)?;
    }
    Ok(failures)
}

impl Extent {
    /// A sample has little time for each question: what takes longer is undecided, and left to the full gate.
    fn shortened(self, mut cases: Vec<Case>) -> Vec<Case> {
        if self == Extent::Sample {
            cases.iter_mut().for_each(|case| case.plan.seconds = 2);
        }
        cases
    }
}

fn judge_all(bench: &Bench, title: &str, cases: Vec<Case>) -> Tally {
    let count = cases.len();
    let start = Instant::now();
    let waiting = Mutex::new(cases.into_iter());
    let done = AtomicUsize::new(0);
    let work = || {
        let mut tally = Tally::default();
        loop {
            let next = waiting.lock().expect("no worker should panic").next();
            let Some(case) = next else { return tally };
            let found = bench.agree(&case.name, &case.program, case.plan);
            tally.add(by_norn::agree(&case.name, &case.program, case.plan, found));
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            if done.is_multiple_of(PROGRESS) {
                println!("  {done} of {count} {title}, {:.0} s", start.elapsed().as_secs_f64());
            }
        }
    };
    std::thread::scope(|scope| {
        let workers = [scope.spawn(work), scope.spawn(work)];
        let mut total = Tally::default();
        for worker in workers {
            total.add(worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        total.undecided.sort();
        total.wrong.sort();
        total
    })
}

/// 300 of the litmus tests, or an eighth of those.
fn litmus(corpus: &Path, extent: Extent) -> Result<Vec<Case>, String> {
    let mut files = Vec::new();
    for (set, count) in [("litmus-ppc", 250), ("litmus-x86", 50)] {
        let all = corpus::files_ending(&corpus.join(set), &["litmus"])?;
        let step = (all.len() / count).max(1);
        files.extend(all.into_iter().step_by(step).take(count));
    }
    let case = |path: PathBuf| -> Result<Case, String> {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
        let test = norn_litmus::parse(&mut SourceMap::new(), &name, text).map_err(|d| format!("{name}: {d:?}"))?;
        let program = Prepared::new(test.program);
        Ok(Case { name, program, plan: LITMUS })
    };
    extent.of(files).into_iter().map(case).collect()
}

/// Random programs that ask for a final state. None accesses memory by several sizes, which lists refuse.
fn generated(extent: Extent) -> Result<Vec<Case>, String> {
    const COUNT: usize = 40;
    const SHAPE: Shape = Shape { threads: (2, 3), statements: (2, 5), library: true, ends: true, inputs: true };
    let texts = (1..).filter_map(|seed| {
        let mut random = Random::new(seed);
        let text = programs::program(&mut random, SHAPE);
        let (x, seen, thread) = (random.below(4), random.below(5), random.below(2));
        let asks = format!("  assert(x != {x} || seen[{thread}] != {seen});\n  return 0;\n}}\n");
        let main = text.strip_suffix("  return 0;\n}\n").filter(|text| !text.contains("u.c"))?;
        Some((seed, format!("{main}{asks}")))
    });
    let texts = texts.take(COUNT).collect();
    extent
        .of(texts)
        .into_iter()
        .map(|(seed, text): (u64, String)| {
            let name = format!("generated {seed}");
            compiled(name, Options::default(), Input::Text { name: "generated.c".to_owned(), text })
        })
        .collect()
}

/// All, or every fourth.
fn examples(extent: Extent) -> Result<Vec<Case>, String> {
    let mut files = corpus::files_ending(&root().join("examples"), &["c"])?;
    if extent == Extent::Sample {
        files = files.into_iter().skip(1).step_by(4).collect();
    }
    files.iter().map(|path| program(path, None)).collect()
}

fn tacas15(corpus: &Path, extent: Extent) -> Result<Vec<Case>, String> {
    let rows = corpus::set(corpus, "tacas15")?;
    let rows = extent.of(rows.into_iter().filter(|row| !row.file.starts_with("apr")).collect());
    let define = |row: &corpus::Program| row.args.iter().find_map(|arg| arg.strip_prefix("-D").map(str::to_owned));
    let case = |row: &corpus::Program| program(&corpus.join("tacas15").join(&row.file), define(row));
    rows.iter().map(case).map(|case| Ok(Case { plan: ROW, ..case? })).collect()
}

fn program(path: &Path, define: Option<String>) -> Result<Case, String> {
    let file = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let name = define.as_ref().map_or_else(|| file.clone(), |define| format!("{file} -D{define}"));
    let options = Options { macros: define.into_iter().map(MacroOption::Define).collect(), ..Options::default() };
    compiled(name, options, Input::File(path.to_owned()))
}

fn compiled(name: String, options: Options, input: Input) -> Result<Case, String> {
    let compiled = compile(options, None, vec![input]);
    let program = Prepared::new(compiled.program.ok_or_else(|| format!("{name} should compile"))?);
    Ok(Case { name, program, plan: PROGRAM })
}
