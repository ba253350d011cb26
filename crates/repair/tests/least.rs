//! Generated small programs: what repair and relax find costs as little as the cheapest of all sets of fences and orders, tried in
//! order of cost. The oracle writes the texts itself and asks the enumerator of the reference machine alone.
//!
//! `NORN_TEST_PROGRAMS` and `NORN_TEST_SEED` make longer and other runs.

use norn_c::driver::Input;
use norn_engine::GivenBounds;
use norn_ir::ids::GlobalId;
use norn_machine::enumerate::{Question as Enumerated, states};
use norn_portfolio::Options;
use norn_repair::{Answer, Asked, Code, Costs, Inputs, Kinds, Question, Relaxed, fences, relax, search};
use norn_testing::{Random, compile, setting};
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::Checks;
use std::collections::BTreeSet;
use std::fmt::Write;

/// A statement of a thread.
#[derive(Clone)]
enum Statement {
    /// To a volatile variable.
    PlainStore(&'static str, u64),
    PlainLoad(&'static str),
    Store(&'static str, u64),
    Load(&'static str),
    /// If something was read before.
    StoreIf(&'static str, u64),
    Update(&'static str),
}

const PLAIN: [&str; 2] = ["p", "q"];
const ATOMIC: [&str; 2] = ["x", "y"];
const ORDERS: [&str; 3] = ["relaxed", "release", "seq_cst"];

#[derive(Clone)]
struct Case {
    threads: Vec<Vec<Statement>>,
    claim: String,
}

/// What is between the statements of each thread, and the orders of its stores.
#[derive(Clone, PartialEq, Debug)]
struct Chosen {
    /// By thread, behind each statement but the last: nothing, a release fence or a full one.
    fences: Vec<Vec<usize>>,
    /// By thread and statement: the order of a store.
    orders: Vec<Vec<usize>>,
}

impl Case {
    fn generate(random: &mut Random, statements: u64) -> Case {
        let mut left = statements;
        let mut threads = vec![Vec::new(), Vec::new()];
        while left > 0 {
            let thread = random.index(2);
            if threads[thread].len() == 3 {
                continue;
            }
            left -= 1;
            let (plain, atomic) = (random.pick(&PLAIN), random.pick(&ATOMIC));
            threads[thread].push(match random.below(12) {
                0..=1 => Statement::PlainStore(plain, 1 + random.below(2)),
                2..=3 => Statement::PlainLoad(plain),
                4..=6 => Statement::Store(atomic, 1 + random.below(2)),
                7..=9 => Statement::Load(atomic),
                10 => Statement::StoreIf(plain, 1 + random.below(2)),
                _ => Statement::Update(atomic),
            });
        }
        Case { threads, claim: "1".to_owned() }
    }

    fn weakest(&self) -> Chosen {
        self.chosen(0, 0)
    }

    fn chosen(&self, fence: usize, order: usize) -> Chosen {
        Chosen {
            fences: self.threads.iter().map(|thread| vec![fence; thread.len().saturating_sub(1)]).collect(),
            orders: self.threads.iter().map(|thread| vec![order; thread.len()]).collect(),
        }
    }

    fn text(&self, chosen: &Chosen, others: &str) -> String {
        let mut text =
            "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\nvolatile int p, q;\natomic_int x, y;\n\
                        int seen0, seen1;\n"
                .to_owned();
        for (t, thread) in self.threads.iter().enumerate() {
            let _ = writeln!(text, "void *t{t}(void *unused)\n{{\n    int r = 0;");
            for (index, statement) in thread.iter().enumerate() {
                let order = ORDERS[chosen.orders[t][index]];
                let line = match statement {
                    Statement::PlainStore(name, value) => format!("{name} = {value};"),
                    Statement::PlainLoad(name) => format!("r = r * 4 + {name};"),
                    Statement::Store(name, value) => {
                        format!("atomic_store_explicit(&{name}, {value}, memory_order_{order});")
                    }
                    Statement::Load(name) => {
                        format!("r = r * 4 + atomic_load_explicit(&{name}, memory_order_{others});")
                    }
                    Statement::StoreIf(name, value) => format!("if (r)\n        {name} = {value};"),
                    Statement::Update(name) => {
                        format!("r = r * 4 + atomic_fetch_add_explicit(&{name}, 1, memory_order_{others});")
                    }
                };
                let _ = writeln!(text, "    {line}");
                match chosen.fences[t].get(index) {
                    Some(1) => text += "    atomic_thread_fence(memory_order_release);\n",
                    Some(2) => text += "    atomic_thread_fence(memory_order_seq_cst);\n",
                    _ => {}
                }
            }
            let _ = writeln!(text, "    seen{t} = r;\n    return unused;\n}}");
        }
        let _ = write!(
            text,
            "int main(void)\n{{\n    pthread_t a, b;\n    pthread_create(&a, 0, t0, 0);\n    pthread_create(&b, 0, t1, 0);\n    \
             pthread_join(a, 0);\n    pthread_join(b, 0);\n    assert({});\n    return 0;\n}}\n",
            self.claim
        );
        text
    }

    /// The sets of values that can be there in the end.
    fn outcomes(&self, chosen: &Chosen, model: Model) -> BTreeSet<Vec<u64>> {
        const OBSERVED: [&str; 6] = ["p", "q", "x", "y", "seen0", "seen1"];
        let program = compile(&self.text(chosen, "relaxed"));
        let global = |name: &&str| program.globals.iter().position(|global| global.name == **name);
        let observed = OBSERVED.iter().filter_map(|name| global(name).map(GlobalId::new)).collect::<Vec<_>>();
        assert_eq!(observed.len(), OBSERVED.len());
        let limits = Limits::none();
        let question = Enumerated {
            program: &program,
            model,
            checks: Checks::usual(),
            limits: &limits,
            domain: None,
            observed: &observed,
        };
        let found = states::explore(&question);
        assert!(found.incomplete.is_none() && found.violation.is_none());
        let number = |bytes: &Vec<u8>| bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte));
        found.finals.iter().map(|values| values.iter().map(number).collect()).collect()
    }

    fn is_safe(&self, chosen: &Chosen, model: Model) -> bool {
        let program = compile(&self.text(chosen, "relaxed"));
        let limits = Limits::none();
        let question = Enumerated {
            program: &program,
            model,
            checks: Checks::usual(),
            limits: &limits,
            domain: None,
            observed: &[],
        };
        let found = states::explore(&question);
        assert!(found.incomplete.is_none());
        found.violation.is_none()
    }

    /// With a claim that only the weak model violates; `None` if it shows nothing that sequential consistency does not.
    fn claiming(mut self, random: &mut Random, model: Model) -> Option<Case> {
        let strong = self.outcomes(&self.weakest(), Model::Sc);
        let weak = self.outcomes(&self.weakest(), model);
        let new = weak.difference(&strong).cloned().collect::<Vec<_>>();
        if new.is_empty() {
            return None;
        }
        let bad = random.pick(&new);
        let names = ["p", "q", "x", "y", "seen0", "seen1"];
        let equal = names.iter().zip(&bad).map(|(name, value)| format!("{name} == {value}")).collect::<Vec<_>>();
        self.claim = format!("!({})", equal.join(" && "));
        Some(self)
    }

    /// All that may be chosen, up to `most`, with its cost.
    fn all(&self, most: &Chosen, model: Model) -> Vec<(u64, Chosen)> {
        let fences: &[(usize, u64)] = if model == Model::Tso { &[(0, 0), (2, 10)] } else { &[(0, 0), (1, 2), (2, 10)] };
        let orders: &[(usize, u64)] = if model == Model::Tso { &[(0, 0), (2, 2)] } else { &[(0, 0), (1, 1), (2, 2)] };
        let mut all = vec![(0, self.weakest())];
        let mut choose = |levels: &[(usize, u64)], set: &dyn Fn(&mut Chosen, usize)| {
            all = all
                .iter()
                .flat_map(|(cost, chosen)| {
                    levels.iter().map(move |&(level, price)| {
                        let mut chosen = chosen.clone();
                        set(&mut chosen, level);
                        (cost + price, chosen)
                    })
                })
                .collect();
        };
        for (t, thread) in self.threads.iter().enumerate() {
            for (index, statement) in thread.iter().enumerate() {
                let up_to = |levels: &[(usize, u64)], most: usize| {
                    levels.iter().copied().filter(|level| level.0 <= most).collect::<Vec<_>>()
                };
                if let Some(&most) = most.fences[t].get(index) {
                    choose(&up_to(fences, most), &|chosen, level| chosen.fences[t][index] = level);
                }
                if matches!(statement, Statement::Store(..)) {
                    let most = most.orders[t][index];
                    choose(&up_to(orders, most), &|chosen, level| chosen.orders[t][index] = level);
                }
            }
        }
        all.sort_by_key(|(cost, _)| *cost);
        all
    }

    /// What the cheapest of all choices costs with which the claim holds.
    fn least(&self, most: &Chosen, model: Model) -> Option<u64> {
        self.all(most, model).into_iter().find(|(_, chosen)| self.is_safe(chosen, model)).map(|(cost, _)| cost)
    }
}

fn code(text: &str) -> Code {
    let mut options = norn_c::session::Options::default();
    options.texts.insert("case.c".into(), text.into());
    Code { options, target: None, inputs: Inputs::Files(vec![Input::File("case.c".into())]) }
}

#[track_caller]
fn ask<T>(model: Model, work: impl FnOnce(&Question<'_>) -> T) -> T {
    let (given, options) = (GivenBounds::default(), Options::default());
    let question = Question {
        model,
        asked: Asked::Safe(Checks::usual()),
        given: &given,
        options: &options,
        limits: Limits::none(),
    };
    work(&question)
}

const KINDS: Kinds = Kinds { fences: true, orders: true, atomics: false, library: false };

/// What a repair costs; `None`: nothing helps.
fn repaired(text: &str, model: Model) -> Option<u64> {
    let problem = fences::problem(&code(text), KINDS, model, false, Costs::default()).expect("it should be C");
    match ask(model, |question| search(question, &problem)).expect("no engine should contradict the machine") {
        Answer::Found(found) => {
            assert!(found.is_least() && found.is_minimal);
            Some(found.cost)
        }
        Answer::Hopeless { .. } => None,
        Answer::Open { undecided, .. } => panic!("{undecided}\n{text}"),
    }
}

fn relaxed(text: &str, model: Model) -> u64 {
    let problem = fences::to_relax(&code(text), false, Costs::default()).expect("it should be C");
    match ask(model, |question| relax(question, &problem, false)).expect("no engine should contradict the machine") {
        Relaxed::Found(found) => {
            assert!(found.is_least() && found.is_minimal);
            found.cost
        }
        Relaxed::Wrong(_) | Relaxed::Open { .. } => panic!("it should be safe:\n{text}"),
    }
}

fn check(model: Model, statements: u64, count: u64, salt: u64) {
    let seed = setting("NORN_TEST_SEED").unwrap_or(1);
    let count = setting("NORN_TEST_PROGRAMS").unwrap_or(count);
    let mut random = Random::new(seed.wrapping_mul(0x9e37_79b9).wrapping_add(salt));
    let (mut repairs, mut relaxes) = (0, 0);
    while repairs < count {
        let Some(case) = Case::generate(&mut random, statements).claiming(&mut random, model) else { continue };
        let all = case.chosen(2, 2);
        let least = case.least(&all, model);
        let text = case.text(&case.weakest(), "relaxed");
        assert_eq!(repaired(&text, model), least, "{model}\n{text}");
        repairs += 1;
        // What is there is not all that could be.
        let mut present = case.chosen(0, 2);
        present.fences.iter_mut().flatten().for_each(|fence| *fence = 2 * random.index(2));
        if case.is_safe(&present, model) {
            let text = case.text(&present, "seq_cst");
            let least = case.least(&present, model).expect("what is there should be enough");
            assert_eq!(relaxed(&text, model), least, "{model}\n{text}");
            relaxes += 1;
        }
    }
    assert!(relaxes * 4 >= repairs, "{relaxes} of {repairs}");
}

#[test]
fn nothing_cheaper_is_enough_under_tso() {
    check(Model::Tso, 5, 6, 1);
}

#[test]
fn nothing_cheaper_is_enough_under_pso() {
    check(Model::Pso, 4, 6, 2);
}

#[test]
fn data_races_need_orders_in_pairs() {
    let text = |store: &str, load: &str| {
        format!(
            "#include <pthread.h>\n#include <stdatomic.h>\nint data, out;\natomic_int ready;\nvoid *t(void *unused)\n{{\n    data = 1;\n    \
             atomic_store_explicit(&ready, 1, memory_order_{store});\n    return unused;\n}}\nint main(void)\n{{\n    pthread_t a;\n    \
             pthread_create(&a, 0, t, 0);\n    if (atomic_load_explicit(&ready, memory_order_{load}))\n        out = data;\n    return 0;\n}}\n"
        )
    };
    let problem = fences::problem(&code(&text("relaxed", "relaxed")), KINDS, Model::Tso, true, Costs::default());
    let problem = problem.expect("it should be C");
    match ask(Model::Tso, |question| search(&about_races(question), &problem)).expect("no contradiction") {
        Answer::Found(found) => assert_eq!((found.cost, found.chosen.len()), (2, 2)),
        _ => panic!("a release and an acquire should be enough"),
    }
    let problem =
        fences::to_relax(&code(&text("seq_cst", "seq_cst")), false, Costs::default()).expect("it should be C");
    match ask(Model::Tso, |question| relax(&about_races(question), &problem, false)).expect("no contradiction") {
        Relaxed::Found(found) => assert_eq!((found.cost, found.chosen.len()), (2, 2)),
        _ => panic!("it has no race"),
    }
}

fn about_races<'a>(question: &Question<'a>) -> Question<'a> {
    Question { asked: Asked::Safe(Checks { data_race: true, ..Checks::usual() }), ..question.clone() }
}
