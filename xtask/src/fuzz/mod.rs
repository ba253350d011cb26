//! `cargo xtask fuzz`: mutated inputs of every kind that Norn reads, each in a process of its own.
//!
//! An input is made from the project's own programs and tests, and from the corpus where it is there, by a random number
//! generator that is seeded with the seed and the number of the input: `--seed S --first N --count 1` makes one again. What must
//! not happen: a panic, a signal, exit 6 or a status that is not documented, more than a second beyond `--timeout`, a raw control
//! character in the output, an answer without a verdict line, and (sampled) `safe` for a file that a C compiler refuses. What
//! happens nevertheless is made smaller (`shrink.rs`) and kept in `target/fuzz`.

mod inputs;
mod mutate;
mod process;
mod shrink;

use crate::norn::{Norn, root};
use inputs::{Input, Kind, Seeds};
use norn_testing::Random;
use process::{Runner, Verdict};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Every so many files that are called safe, a compiler is asked; also about one that is made again alone.
const SAFE_SAMPLE: u64 = 4;
/// So many of one sort are kept.
const KEPT: u64 = 3;

pub struct Plan {
    count: u64,
    first: u64,
    seed: u64,
    kind: Option<Kind>,
    norn: Option<PathBuf>,
}

impl Plan {
    /// Reads `--count N`, `--first N`, `--seed S`, `--kind KIND` and `--norn PATH`.
    pub fn from_words(words: &[&str]) -> Result<Plan, String> {
        let mut plan = Plan { count: 2000, first: 0, seed: 1, kind: None, norn: None };
        let mut words = words.iter();
        while let Some(&option) = words.next() {
            let value = *words.next().ok_or_else(|| format!("{option} needs a value"))?;
            let number = || value.parse::<u64>().map_err(|_| format!("'{value}' is not a number"));
            match option {
                "--count" => plan.count = number()?,
                "--first" => plan.first = number()?,
                "--seed" => plan.seed = number()?,
                "--kind" => plan.kind = Some(Kind::named(value)?),
                "--norn" => plan.norn = Some(PathBuf::from(value)),
                _ => return Err(format!("'{option}' is not an option of fuzz")),
            }
        }
        Ok(plan)
    }
}

pub fn run(plan: &Plan) -> Result<(), String> {
    let norn = match &plan.norn {
        Some(path) => fs::canonicalize(path).map_err(|e| format!("cannot find {}: {e}", path.display()))?,
        None => Norn::build()?.path().to_owned(),
    };
    let folder = root().join("target").join("fuzz");
    let mut runner = Runner::new(norn, &folder)?;
    let seeds = Seeds::gather(&mut runner)?;
    println!("fuzz: {}", seeds.summary());
    let start = Instant::now();
    let mut tally = Tally::default();
    for number in plan.first..plan.first.saturating_add(plan.count) {
        let mut random = Random::new(plan.seed.rotate_left(32) ^ number);
        let input = seeds.input(plan.kind, &mut random);
        tally.see(&mut runner, &input, (plan.seed, number), plan.count == 1, &folder)?;
        let done = number - plan.first + 1;
        if done.is_multiple_of(10_000) {
            println!("fuzz: {}", tally.summary(done, start));
        }
    }
    println!("fuzz: {}", tally.summary(plan.count, start));
    runner.clean();
    match tally.failures.values().sum::<u64>() {
        0 => Ok(()),
        n => Err(format!("{n} failures of {} sorts; see {}", tally.failures.len(), folder.display())),
    }
}

/// What was seen.
#[derive(Default)]
struct Tally {
    statuses: BTreeMap<i32, u64>,
    kinds: BTreeMap<&'static str, u64>,
    /// By what went wrong.
    failures: BTreeMap<String, u64>,
    safe: u64,
    compared: u64,
}

impl Tally {
    /// `alone` if this is the only input, made again to be looked at.
    fn see(
        &mut self,
        runner: &mut Runner,
        input: &Input,
        (seed, number): (u64, u64),
        alone: bool,
        folder: &Path,
    ) -> Result<(), String> {
        *self.kinds.entry(input.kind.name()).or_default() += 1;
        let mut verdict = runner.judge(input)?;
        if let Verdict::Fine { status, is_safe } = verdict {
            *self.statuses.entry(status).or_default() += 1;
            self.safe += u64::from(is_safe);
            if is_safe && (alone || self.safe.is_multiple_of(SAFE_SAMPLE)) {
                self.compared += 1;
                if let Some(error) = runner.refused_by_compiler(input)? {
                    verdict = Verdict::Bad(format!("safe, but the compiler says {error}"));
                }
            }
        }
        let Verdict::Bad(what) = verdict else { return Ok(()) };
        let seen = self.failures.entry(what.clone()).or_default();
        *seen += 1;
        if *seen > KEPT {
            return Ok(());
        }
        println!("FAILED  --seed {seed} --first {number} ({}): {what}", input.kind.name());
        let small = shrink::shrink(runner, input, &what)?;
        let kept = folder.join(format!("{}-{seed}-{number}", input.kind.name()));
        let cannot = |e: std::io::Error| format!("cannot write {}: {e}", kept.display());
        fs::create_dir_all(&kept).map_err(cannot)?;
        for (name, bytes) in &small.files {
            fs::write(kept.join(name), bytes).map_err(cannot)?;
        }
        let command = small.args.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ");
        fs::write(kept.join("command"), format!("# {what}\nnorn {command}\n")).map_err(cannot)?;
        Ok(())
    }

    fn summary(&self, done: u64, start: Instant) -> String {
        let seconds = start.elapsed().as_secs_f64();
        let list = |entries: Vec<String>| entries.join(", ");
        let statuses = list(self.statuses.iter().map(|(status, n)| format!("{status}: {n}")).collect());
        let kinds = list(self.kinds.iter().map(|(kind, n)| format!("{kind} {n}")).collect());
        let failures: u64 = self.failures.values().sum();
        format!(
            "{done} inputs ({kinds}) in {seconds:.0} s, {:.1} ms each; exit statuses {statuses}; {} safe, {} of them shown to a \
             compiler; {failures} failures of {} sorts",
            seconds * 1e3 / done.max(1) as f64,
            self.safe,
            self.compared,
            self.failures.len(),
        )
    }
}
