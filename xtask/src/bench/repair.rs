//! Repairs: the fewest fences of known algorithms beside published numbers, the programs of tacas15 without their fences, and
//! what is left of programs whose orders were all made as strong as can be.

use crate::corpus;
use crate::norn::{Norn, root};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What one repair may take, and all of them.
const MOST_SECONDS: f64 = 2.0;
const MOST_SECONDS_OF_ALL: f64 = 30.0;

/// Full fences and seconds that Trencher needs to make them robust under TSO, as published ("Checking and enforcing robustness
/// against TSO", ESOP 2013).
const TRENCHER: [(&str, &str); 7] = [
    ("peterson", "2/2.9"),
    ("dekker", "4/14.2"),
    ("lamport", "6/5.9"),
    ("the_deque", "3/7.4"),
    ("nbw", "1/0.8"),
    ("clh", "0"),
    ("mcs", "0"),
];

pub fn run(norn: &Norn, corpus: Option<&Path>) -> Result<usize, String> {
    let mut missed = algorithms(norn)?;
    match corpus {
        Some(corpus) => missed += tacas15(norn, corpus)?,
        None => println!("there is no corpus here"),
    }
    missed += relaxed(norn)?;
    Ok(missed)
}

/// An answer as JSON, and how long it took.
fn ask(norn: &Norn, words: &[&str]) -> Result<(Value, Duration), String> {
    let words = words.iter().map(|word| (*word).to_owned()).chain(["--json".to_owned()]).collect::<Vec<_>>();
    let start = Instant::now();
    let run = norn.run(&words)?;
    let value = serde_json::from_slice(&run.output.stdout).map_err(|_| format!("{words:?}: {}", run.summary()))?;
    Ok((value, start.elapsed()))
}

fn number(value: &Value, key: &str) -> Option<u64> {
    value[key].as_u64()
}

/// How many of the insertions are of a kind.
fn count(value: &Value, word: &str) -> usize {
    let list = value["insertions"].as_array().map(Vec::as_slice).unwrap_or_default();
    list.iter().filter(|place| place["kind"].as_str().is_some_and(|kind| kind.contains(word))).count()
}

fn programs(folder: &str) -> Result<Vec<PathBuf>, String> {
    let folder = root().join(folder);
    let entries = fs::read_dir(&folder).map_err(|e| format!("cannot read {}: {e}", folder.display()))?;
    let mut files = entries.flatten().map(|entry| entry.path()).collect::<Vec<_>>();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "c"));
    files.sort();
    Ok(files)
}

fn name(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The programs without fences: one line for each of the repairs that their first lines name.
fn algorithms(norn: &Norn) -> Result<usize, String> {
    println!(
        "\n{:<14}{:<42}{:>6}{:>9}{:>6}{:>7}{:>9}{:>16}",
        "fewest fences", "", "full", "release", "cost", "least", "seconds", "Trencher, robust"
    );
    let (mut missed, mut all) = (0, Duration::ZERO);
    for path in programs("crates/norn/tests/repair")? {
        let text = fs::read_to_string(&path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
        let file = path.display().to_string();
        for line in text.lines().filter_map(|line| line.strip_prefix("// repair ")) {
            let Some((options, expected)) = line.split_once(": ") else { continue };
            let words = ["repair"].into_iter().chain(options.split(' ')).chain([file.as_str()]).collect::<Vec<_>>();
            let (said, took) = ask(norn, &words)?;
            let cost = number(&said, "cost");
            let is_least = cost.is_some() && cost == number(&said, "at_least");
            let published = TRENCHER.iter().find(|row| row.0 == name(&path)).map_or("", |row| row.1);
            let published = if options.contains("tso") && options.contains("robust") { published } else { "" };
            let costs = expected.rsplit_once("cost ").and_then(|(_, cost)| cost.parse().ok()).unwrap_or(0);
            let is_right = is_least && cost == Some(costs) && took.as_secs_f64() <= MOST_SECONDS;
            println!(
                "{:<14}{options:<42}{:>6}{:>9}{:>6}{:>7}{:>9.2}{published:>16}{}",
                name(&path),
                count(&said, "full fence"),
                count(&said, "release fence"),
                cost.map_or("-".to_owned(), |cost| cost.to_string()),
                if is_least { "yes" } else { "no" },
                took.as_secs_f64(),
                if is_right { "" } else { "  MISSED" }
            );
            missed += usize::from(!is_right);
            all += took;
        }
    }
    let is_slow = all.as_secs_f64() > MOST_SECONDS_OF_ALL;
    let mark = if is_slow { "  MISSED" } else { "" };
    println!("all {:.1} s, at most {MOST_SECONDS_OF_ALL} s{mark}", all.as_secs_f64());
    Ok(missed + usize::from(is_slow))
}

/// The programs without the fences that their authors gave them: a repair may cost no more than those, and the patched file is as
/// safe as the fenced one.
fn tacas15(norn: &Norn, corpus: &Path) -> Result<usize, String> {
    println!("\n{:<44}{:>6}{:>9}{:>9}{:>9}", "tacas15 without fences", "model", "cost", "authors'", "patched");
    let scratch = root().join("target").join("repaired.c");
    let mut missed = 0;
    for row in corpus::set(corpus, "tacas15")? {
        let safe = |model: &str| row.expected.iter().any(|(other, verdict)| *other == model && verdict == "safe");
        let Some(define) = row.args.iter().find(|word| word.starts_with("-D") && word.ends_with("_FENCES")) else {
            continue;
        };
        for model in ["tso", "pso"].into_iter().filter(|model| safe(model)) {
            let file = row.args.last().ok_or("a row should have a file")?;
            fs::copy(file, &scratch).map_err(|e| format!("cannot copy {file}: {e}"))?;
            let copy = scratch.display().to_string();
            let (repaired, _) = ask(norn, &["repair", "-i", "--with", "fences", "-m", model, &copy])?;
            let (fenced, _) = ask(norn, &["relax", "-m", model, define, file])?;
            let (checked, _) = ask(norn, &["check", "-m", model, &copy])?;
            let cost = number(&repaired, "cost");
            let authors = number(&fenced, "cost_before");
            let is_right = cost.is_some() && authors.is_some() && cost <= authors && checked["verdict"] == "safe";
            let shown = |cost: Option<u64>| cost.map_or("-".to_owned(), |cost| cost.to_string());
            println!(
                "{:<44}{model:>6}{:>9}{:>9}{:>9}{}",
                row.name,
                shown(cost),
                shown(authors),
                checked["verdict"].as_str().unwrap_or("-"),
                if is_right { "" } else { "  MISSED" }
            );
            missed += usize::from(!is_right);
        }
    }
    Ok(missed)
}

/// Every order and every fence as strong as there is one.
fn strengthened(text: &str) -> String {
    let mut text = text.to_owned();
    for order in ["relaxed", "consume", "acquire", "release", "acq_rel"] {
        text = text.replace(&format!("memory_order_{order}"), "memory_order_seq_cst");
        text = text.replace(&format!("__ATOMIC_{}", order.to_uppercase()), "__ATOMIC_SEQ_CST");
    }
    text
}

/// Programs that are right, with all their orders and fences made as strong as can be: what is left costs no more than what they had.
fn relaxed(norn: &Norn) -> Result<usize, String> {
    println!("\n{:<40}{:>6}{:>9}{:>12}{:>9}{:>7}", "relaxed", "model", "had", "strengthened", "left", "least");
    let folder = root().join("target");
    let (right, strong) = (folder.join("right.c"), folder.join("strong.c"));
    let (right_file, strong_file) = (right.display().to_string(), strong.display().to_string());
    let (mut missed, mut count) = (0, 0);
    let mut candidates = Vec::new();
    for path in programs("crates/norn/tests/repair")? {
        for kinds in ["fences", "fences,orders", "fences,orders,atomics"] {
            candidates.push((path.clone(), Some(kinds)));
        }
    }
    candidates.extend(programs("crates/norn/tests/relax")?.into_iter().map(|path| (path, None)));
    candidates.extend(programs("examples")?.into_iter().map(|path| (path, None)));
    for (path, kinds) in candidates {
        for model in ["tso", "pso"] {
            fs::copy(&path, &right).map_err(|e| format!("cannot copy {}: {e}", path.display()))?;
            // A program that is not right yet is repaired.
            if let Some(kinds) = kinds {
                ask(norn, &["repair", "-i", "--with", kinds, "-m", model, &right_file])?;
            }
            let text = fs::read_to_string(&right).map_err(|e| format!("cannot read {right_file}: {e}"))?;
            fs::write(&strong, strengthened(&text)).map_err(|e| format!("cannot write {strong_file}: {e}"))?;
            let (had, _) = ask(norn, &["relax", "-m", model, "-DFENCED", "--timeout", "20", &right_file])?;
            let Some(before) = number(&had, "cost_before").filter(|&cost| cost > 0) else { continue };
            let (left, _) = ask(norn, &["relax", "-m", model, "-DFENCED", "--timeout", "20", &strong_file])?;
            let cost = number(&left, "cost");
            let is_right = cost.is_some_and(|cost| cost <= before);
            let shown = |cost: Option<u64>| cost.map_or("-".to_owned(), |cost| cost.to_string());
            println!(
                "{:<40}{model:>6}{before:>9}{:>12}{:>9}{:>7}{}",
                format!("{} {}", name(&path), kinds.unwrap_or_default()),
                shown(number(&left, "cost_before")),
                shown(cost),
                if cost == number(&left, "at_least") { "yes" } else { "no" },
                if is_right { "" } else { "  MISSED" }
            );
            missed += usize::from(!is_right);
            count += 1;
        }
    }
    println!("{count} programs and models");
    Ok(missed)
}
