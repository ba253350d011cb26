//! Generated programs with threads, each asked whether it can end in certain states: every engine under every model, with the
//! enumerator being right.
//!
//! The programs are those that the tests of single engines are made of, so that every engine meets all of them:
//! sections that access what other accesses tell them to, stores and loads of all sizes, locks, pointers.

use crate::flow::ask::{Answer, Engine, Form, ask, compile};
use crate::norn::root;
use norn_engine::Prepared;
use norn_ir::ids::GlobalId;
use norn_machine::enumerate::{Question, states};
use norn_testing::programs::{Shape, joined, pointers, program, sections};
use norn_testing::shrink::{shrink, smaller_programs};
use norn_testing::{Random, at_most};
use norn_verdict::model::Model;
use norn_verdict::outcome::Checks;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::time::Instant;

/// What to run.
#[derive(Clone, Debug)]
pub struct Plan {
    pub count: u64,
    pub seed: u64,
}

impl Plan {
    /// Reads `--count N` and `--seed S`.
    pub fn from_words(words: &[&str]) -> Result<Plan, String> {
        let mut plan = Plan { count: 300, seed: 1 };
        for pair in words.chunks(2) {
            let [option, value] = *pair else { return Err(format!("{} needs a number", pair[0])) };
            let number = value.parse().map_err(|_| format!("'{value}' is not a number"))?;
            match option {
                "--count" => plan.count = number,
                "--seed" => plan.seed = number,
                _ => return Err(format!("'{option}' is not an option of outcomes")),
            }
        }
        Ok(plan)
    }
}

const ENGINES: [Engine; 4] = [Engine::States, Engine::Stateless, Engine::Events, Engine::Rounds];
const SHAPE: Shape = Shape { threads: (2, 3), statements: (1, 3), library: true, ends: true, inputs: true };
/// Objects that claims are made about, by their names, and how many numbers each holds.
const OBSERVED: [(&str, usize); 6] = [("x", 1), ("y", 1), ("z", 1), ("u", 1), ("a", 1), ("seen", 3)];
const SECONDS: f64 = 2.0;
/// States that the enumerator may visit to find out in which ones a program ends.
const STATES: u64 = 1 << 16;

/// An engine that contradicts the enumerator, or an internal error.
struct Wrong {
    engine: Engine,
    model: Model,
    what: String,
}

/// By engine: right, and undecided.
type Tally = BTreeMap<Engine, [u64; 2]>;

pub fn run(plan: &Plan) -> Result<(), String> {
    let start = Instant::now();
    std::panic::set_hook(Box::new(|_| {}));
    let result = norn_c::driver::with_stack(|| all(plan));
    let _ = std::panic::take_hook();
    let (tally, asked) = result?;
    for (engine, [right, undecided]) in &tally {
        println!("outcomes: {engine:?}: {right} right, {undecided} undecided");
    }
    println!(
        "outcomes: {asked} questions about {} programs from seed {}, 0 wrong; {:.1} s",
        plan.count,
        plan.seed,
        start.elapsed().as_secs_f64()
    );
    // An engine that knows nothing is never wrong.
    match tally.iter().find(|(_, [right, undecided])| right < undecided) {
        Some((engine, _)) => Err(format!("{engine:?} decides less than half of the questions")),
        None => Ok(()),
    }
}

fn all(plan: &Plan) -> Result<(Tally, u64), String> {
    let (mut tally, mut asked) = (Tally::new(), 0);
    for seed in plan.seed..plan.seed.saturating_add(plan.count) {
        for text in questions(seed) {
            asked += 1;
            let Some(wrong) = judge(&text, None, &mut tally) else { continue };
            let only = Some((wrong.engine, wrong.model));
            let fails = |text: &String| {
                judge(text, only, &mut Tally::new()).is_some_and(|again| is_refused(&again) == is_refused(&wrong))
            };
            let small = shrink(text, |text| smaller_programs(text), fails);
            let folder = root().join("target").join("outcomes");
            let path = folder.join(format!("{seed}-{:?}-{}.c", wrong.engine, wrong.model));
            fs::create_dir_all(&folder)
                .and_then(|()| fs::write(&path, small))
                .map_err(|error| format!("cannot save a program: {error}"))?;
            let Wrong { engine, model, what } = wrong;
            return Err(format!("seed {seed}: {engine:?} under {model}: {what}; see {}", path.display()));
        }
    }
    Ok((tally, asked))
}

/// A text that is not C any more is another failure.
fn is_refused(wrong: &Wrong) -> bool {
    wrong.what.starts_with("not accepted")
}

/// The program of a seed, once for each claim about its end.
fn questions(seed: u64) -> Vec<String> {
    let mut random = Random::new(seed);
    let text = match seed % 4 {
        0 | 1 => sections::program(&mut random),
        2 => program(&mut random, SHAPE),
        _ => return vec![pointers::program(&mut random)],
    };
    // A claim that always holds: an object that main does not look at may be private to a thread.
    let observed: Vec<_> = OBSERVED.into_iter().filter(|(name, _)| is_declared(&text, name)).collect();
    let plain = joined(&text, &claim(&observed, &[-1; 8]));
    let Ok(program) = compile(&plain, None) else { return vec![plain] };
    let mut ends = BTreeSet::new();
    for model in Model::ALL {
        ends.extend(final_states(&program, model, &observed));
    }
    let ends: Vec<_> = ends.into_iter().collect();
    let mut claims = Vec::new();
    for _ in 0..3 {
        let Some(mut state) = ends.get(random.index(ends.len().max(1))).cloned() else { break };
        if random.below(3) == 0 {
            let place = random.index(state.len());
            state[place] += 1;
        }
        claims.push(joined(&text, &claim(&observed, &state)));
    }
    if claims.is_empty() {
        claims.push(plain);
    }
    claims
}

fn is_declared(text: &str, name: &str) -> bool {
    match name {
        "u" => text.contains("} u;"),
        "a" => text.contains("atomic_int a;"),
        "z" => text.contains("x, y, z;"),
        _ => true,
    }
}

/// That the program does not end in this state.
fn claim(observed: &[(&str, usize)], state: &[i32]) -> String {
    let mut values = state.iter();
    let mut parts = Vec::new();
    for &(name, numbers) in observed {
        for (index, value) in values.by_ref().take(numbers).enumerate() {
            parts.push(match name {
                "u" => format!("u.i == {value}"),
                "seen" => format!("seen[{index}] == {value}"),
                _ => format!("{name} == {value}"),
            });
        }
    }
    format!("assert(!({}));", parts.join(" && "))
}

/// The states in which the program ends, as far as the enumerator comes.
fn final_states(program: &Prepared, model: Model, observed: &[(&str, usize)]) -> Vec<Vec<i32>> {
    let limits = at_most(STATES);
    let find = |name: &str| program.globals.iter().position(|global| global.name == name).map(GlobalId::new);
    let Some(objects) = observed.iter().map(|&(name, _)| find(name)).collect::<Option<Vec<_>>>() else {
        return Vec::new();
    };
    let domain = Some(&[0, 1][..]);
    let checks = Checks::default();
    let found = states::explore(&Question { program, model, checks, limits: &limits, domain, observed: &objects });
    let number = |bytes: &[u8]| bytes.try_into().map_or(0, i32::from_le_bytes);
    let state = |contents: &Vec<Vec<u8>>| {
        contents
            .iter()
            .zip(observed)
            .flat_map(|(bytes, &(_, numbers))| bytes.chunks(4).take(numbers).map(number).collect::<Vec<_>>())
            .collect()
    };
    found.finals.iter().map(state).collect()
}

/// Asks about one program: the first wrong answer. `only` asks one engine under one model.
fn judge(text: &str, only: Option<(Engine, Model)>, tally: &mut Tally) -> Option<Wrong> {
    let program = match compile(text, None) {
        Ok(program) => program,
        Err(what) => return Some(Wrong { engine: Engine::Enumerate, model: Model::Sc, what }),
    };
    let checks = Checks::default();
    for model in Model::ALL {
        if only.is_some_and(|(_, other)| other != model) {
            continue;
        }
        let expected = ask(&program, Engine::Enumerate, model, checks, Form::Short, SECONDS);
        for engine in ENGINES {
            if only.is_some_and(|(other, _)| other != engine && other != Engine::Enumerate) {
                continue;
            }
            let found = ask(&program, engine, model, checks, Form::Short, SECONDS);
            let entry = tally.entry(engine).or_default();
            let what = match (&expected, &found) {
                (Answer::Broken(what), _) => {
                    return Some(Wrong { engine: Engine::Enumerate, model, what: what.clone() });
                }
                (_, Answer::Broken(what)) => Some(what.clone()),
                (Answer::Unsafe, Answer::Safe) => Some("safe".to_owned()),
                (Answer::Safe, Answer::Unsafe) => Some("unsafe".to_owned()),
                (Answer::Safe | Answer::Unsafe, Answer::Bounded | Answer::Unknown(_)) => {
                    entry[1] += 1;
                    None
                }
                _ => {
                    entry[0] += 1;
                    None
                }
            };
            if let Some(what) = what {
                return Some(Wrong { engine, model, what });
            }
        }
    }
    None
}
