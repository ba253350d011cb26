//! The same with threads: small programs with inputs of a few bits, against the enumerator of the reference machine.
//!
//! Two or three threads with branches, jumps, short loops and a few accesses to shared variables: plain and atomic ones, fences,
//! read-modify-writes, a mutex, atomic sections. All final states under each model are enumerated; then each engine is asked whether
//! states that are reached, and states that are not, can be.

use super::ask::{self, Answer, Engine, Form};
use super::print::{self, For};
use super::tree::{Expr, Function, Input, Kind, Place, Program, Region, Stmt, Variable};
use super::{Tally, Wrong};
use norn_ir::ids::GlobalId;
use norn_machine::enumerate::{Question, states};
use norn_testing::Random;
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::Checks;
use std::collections::BTreeSet;
use std::fmt::Write;

const HEAD: &str = "#include <pthread.h>\n#include <stdatomic.h>\nextern _Bool __VERIFIER_nondet_bool(void);\n\
    extern void reach_error(void);\nextern void __VERIFIER_assume(int);\nextern void __VERIFIER_atomic_begin(void);\n\
    extern void __VERIFIER_atomic_end(void);\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n";
const SECONDS: f64 = 4.0;
/// Numbers that are observed: x, y, z, at and what the threads give back.
const OBSERVED: [(&str, usize); 5] = [("x", 1), ("y", 1), ("z", 1), ("at", 1), ("seen", 4)];

/// The program of a seed.
pub fn program(seed: u64) -> Program {
    let mut random = Random::new(seed ^ 0x7ead);
    let global = |name: &str, ctype, array| Variable { name: name.to_owned(), ctype, array, first: 0 };
    let globals = vec![
        global("x", "int", false),
        global("y", "int", false),
        global("z", "int", false),
        global("at", "_Atomic int", false),
        global("seen", "int", true),
    ];
    let bits = 1 + random.below(2);
    let input = Input { ctype: "int", range: Some((0, (1 << bits) - 1)), bits: true, late: false };
    let threads = 2 + u64::from(random.below(4) == 0);
    let accesses = if threads == 2 { 4 } else { 2 };
    let functions = (0..threads).map(|_| thread(&mut random, accesses)).collect();
    Program { inputs: vec![input], globals, functions }
}

fn thread(random: &mut Random, accesses: i64) -> Function {
    let local = |name: &str| Variable { name: name.to_owned(), ctype: "int", array: false, first: 0 };
    let parameter = Variable { ctype: "void *", ..local("unused") };
    let mut maker = Maker { random, accesses, depth: 0, weight: 1, counters: 0, inside: false };
    let mut body = Vec::new();
    for _ in 0..3 + maker.below(4) {
        let stmt = maker.stmt();
        body.push(stmt);
    }
    body.push(Stmt::Return(read("r")));
    for label in 0..maker.index(3) {
        let at = maker.index(body.len() + 1);
        match body.get_mut(at) {
            Some(Stmt::If(_, yes, _)) => yes.push(Stmt::Label(label)),
            _ => body.insert(at, Stmt::Label(label)),
        }
    }
    let fuel = u32::from(maker.below(3) == 0);
    Function { result: "void *", parameters: vec![parameter], locals: vec![local("r"), local("q")], body, fuel }
}

struct Maker<'a> {
    random: &'a mut Random,
    /// Accesses to shared memory that may still be made.
    accesses: i64,
    depth: u32,
    weight: i64,
    counters: usize,
    /// Within a section or under the mutex.
    inside: bool,
}

impl Maker<'_> {
    fn below(&mut self, n: u64) -> u64 {
        self.random.below(n)
    }

    fn index(&mut self, length: usize) -> usize {
        self.random.index(length)
    }

    fn list(&mut self) -> Vec<Stmt> {
        self.depth += 1;
        let mut list = (0..1 + self.below(2)).map(|_| self.stmt()).collect::<Vec<_>>();
        self.depth -= 1;
        if self.below(4) == 0 {
            list.push(self.jump());
        }
        list
    }

    fn jump(&mut self) -> Stmt {
        match self.below(5) {
            0 => Stmt::Break,
            1 => Stmt::Continue,
            2..=3 => Stmt::Goto(self.index(2)),
            _ => Stmt::Return(binary("+", read("r"), Expr::Const(10))),
        }
    }

    fn stmt(&mut self) -> Stmt {
        let nests = self.depth < 3;
        match self.below(24) {
            0..=4 if nests => {
                let condition = self.condition();
                let yes = self.list();
                let no = if self.below(2) == 0 { self.list() } else { Vec::new() };
                Stmt::If(condition, yes, no)
            }
            5 if nests => {
                let mut body = Vec::new();
                for value in 0..2 + self.below(2) as i64 {
                    body.push(Stmt::Case(if value == 2 { None } else { Some((value, value)) }));
                    body.extend(self.list());
                    if self.below(2) == 0 {
                        body.push(Stmt::Break);
                    }
                }
                Stmt::Switch(binary("&", self.value(), Expr::Const(3)), body)
            }
            6 if nests && self.weight == 1 => {
                let kind = [Kind::While, Kind::Do, Kind::For][self.index(3)];
                self.counters += 1;
                self.weight = 2;
                let stmt = Stmt::Loop(kind, self.counters - 1, 2, self.condition(), self.list());
                self.weight = 1;
                stmt
            }
            7..=8 if nests && !self.inside => {
                let region = [Region::Locked, Region::Atomic][self.index(2)];
                self.inside = true;
                let body = self.list();
                self.inside = false;
                Stmt::Group(region, body)
            }
            9 => Stmt::Text(
                [
                    "atomic_thread_fence(memory_order_seq_cst);",
                    "atomic_thread_fence(memory_order_release);",
                    "atomic_thread_fence(memory_order_acquire);",
                ][self.index(3)],
            ),
            10 if self.depth > 0 => self.jump(),
            11..=12 if self.shared() => Stmt::Text(
                [
                    "r += atomic_fetch_add(&at, 1);",
                    "q = 1; r += atomic_compare_exchange_strong(&at, &q, 2);",
                    "r = r * 2 + atomic_exchange(&at, 3);",
                    "atomic_store_explicit(&at, 1, memory_order_release);",
                    "r = r * 2 + atomic_load_explicit(&at, memory_order_acquire);",
                    "atomic_store_explicit(&at, 2, memory_order_relaxed);",
                ][self.index(6)],
            ),
            13 if self.below(3) == 0 => Stmt::Assume(self.condition()),
            14..=18 if self.shared() => {
                let name = self.name();
                let value = match self.below(3) {
                    0 => self.value(),
                    k => Expr::Const(k as i64),
                };
                assign(name, value)
            }
            19..=21 => assign("r", binary("+", binary("*", read("r"), Expr::Const(2)), self.value())),
            _ => assign("q", self.value()),
        }
    }

    /// Whether one more access is within the budget.
    fn shared(&mut self) -> bool {
        self.accesses -= self.weight;
        if self.accesses < 0 {
            self.accesses += self.weight;
            return false;
        }
        true
    }

    fn name(&mut self) -> &'static str {
        ["@x", "@y", "@z", "@x", "@y", "@at"][self.index(6)]
    }

    fn value(&mut self) -> Expr {
        match self.below(8) {
            0..=2 if self.shared() => read(self.name()),
            3 => read("@in0"),
            4 => binary("+", read("q"), read("@in0")),
            5 => read("q"),
            6 => Expr::Choose(Box::new(self.condition()), Box::new(Expr::Const(1)), Box::new(read("q"))),
            _ => Expr::Const(self.below(3) as i64),
        }
    }

    fn condition(&mut self) -> Expr {
        match self.below(9) {
            0..=2 if self.shared() => binary("==", read(self.name()), Expr::Const(self.random.below(3) as i64)),
            3 => binary("&", read("@in0"), Expr::Const(1)),
            4 => binary("<", read("q"), Expr::Const(1)),
            5 => binary("!=", read("r"), Expr::Const(self.random.below(3) as i64)),
            6 if self.depth < 4 => {
                let op = ["&&", "||"][self.index(2)];
                self.depth += 2;
                let both = binary(op, self.condition(), self.condition());
                self.depth -= 2;
                both
            }
            7 if self.shared() => binary(">", read(self.name()), read("q")),
            _ => binary("==", read("@in0"), Expr::Const(self.random.below(4) as i64)),
        }
    }
}

fn binary(op: &'static str, a: Expr, b: Expr) -> Expr {
    Expr::Binary(op, Box::new(a), Box::new(b))
}

fn read(name: &str) -> Expr {
    Expr::Read(Place::Var(name.to_owned()))
}

fn assign(name: &str, value: Expr) -> Stmt {
    Stmt::Eval(Expr::Assign(Place::Var(name.to_owned()), Box::new(value)))
}

/// The program; that the claim holds when all threads have ended is the violation.
fn text(program: &Program, claim: &str) -> String {
    let mut text = HEAD.to_owned() + &print::declarations(program, For::Norn(None));
    let count = program.functions.len();
    text += "int main(void) {\n  pthread_t id[4];\n";
    for (number, input) in program.inputs.iter().enumerate() {
        let values = input.range.map_or(2, |(low, high)| high - low + 1);
        let bits = (0..values.ilog2()).map(|bit| format!(" + (__VERIFIER_nondet_bool() << {bit})"));
        let _ = writeln!(text, "  in{number} = 0{};", bits.collect::<String>());
    }
    (0..count).for_each(|n| {
        let _ = writeln!(text, "  pthread_create(&id[{n}], 0, f{n}, 0);");
    });
    (0..count).for_each(|n| {
        let _ = writeln!(text, "  pthread_join(id[{n}], 0);");
    });
    let _ = writeln!(text, "  if ({claim}) reach_error();\n  return 0;\n}}");
    text.replace('@', "")
}

fn claim(state: &[i32]) -> String {
    let names = OBSERVED.iter().flat_map(|&(name, count)| {
        (0..count).map(move |i| if count > 1 { format!("{name}[{i}]") } else { name.to_owned() })
    });
    names.zip(state).map(|(name, value)| format!("{name} == {value}")).collect::<Vec<_>>().join(" && ")
}

/// All final states, or nothing if they are too many to find.
fn finals(program: &norn_ir::program::Program, model: Model) -> Option<BTreeSet<Vec<i32>>> {
    let global = |name: &str| program.globals.iter().position(|global| global.name == name).map(GlobalId::new);
    let observed = OBSERVED.iter().map(|(name, _)| global(name)).collect::<Option<Vec<_>>>()?;
    let limits = Limits::for_seconds(SECONDS);
    let checks = Checks::default();
    let found =
        states::explore(&Question { program, model, checks, limits: &limits, domain: None, observed: &observed });
    if found.incomplete.is_some() || found.violation.is_some() || found.states > 20_000 {
        return None;
    }
    let number = |bytes: &[u8]| i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    let state = |state: &Vec<Vec<u8>>| state.iter().flat_map(|bytes| bytes.chunks(4).map(number)).collect();
    Some(found.finals.iter().map(state).collect())
}

/// Asks the engines about one program; the first wrong verdict. `only` asks one of them under one model.
pub fn judge(seed: u64, program: &Program, only: Option<(Engine, Model)>, tally: &mut Tally) -> Option<Wrong> {
    let mut random = Random::new(seed);
    let wrong =
        |engine, model, what: String, text: &str| Some(Wrong { seed, engine, model, what, text: text.to_owned() });
    let size = OBSERVED.iter().map(|(_, count)| count).sum();
    // With a claim that never holds: an object that main does not look at might be private to a thread.
    let plain = text(program, &claim(&vec![-9; size]));
    let compiled = match ask::compile(&plain, None) {
        Ok(compiled) => compiled,
        Err(what) => return wrong(Engine::Enumerate, Model::Sc, what, &plain),
    };
    let Some(sets) = Model::ALL.into_iter().map(|model| finals(&compiled, model)).collect::<Option<Vec<_>>>() else {
        *tally.reasons.entry("too many states to enumerate".to_owned()).or_default() += 1;
        return None;
    };
    let mut asked: Vec<Vec<i32>> = Vec::new();
    asked.extend(sets[2].difference(&sets[1]).take(1).cloned());
    asked.extend(sets[1].difference(&sets[0]).take(1).cloned());
    for _ in 0..2 {
        asked.extend(sets[0].iter().nth(random.index(sets[0].len().max(1))).cloned());
    }
    // A state beside one that is reached.
    if let Some(state) = asked.last().cloned() {
        let mut other = state;
        other[random.index(6)] += 1;
        asked.push(other);
    }
    asked.dedup();
    for state in asked {
        let text = text(program, &claim(&state));
        let compiled = match ask::compile(&text, None) {
            Ok(compiled) => compiled,
            Err(what) => return wrong(Engine::Enumerate, Model::Sc, what, &text),
        };
        for (model, set) in Model::ALL.into_iter().zip(&sets) {
            let reached = set.contains(&state);
            for engine in Engine::ALL {
                if only.is_some_and(|pair| pair != (engine, model)) {
                    continue;
                }
                let entry = tally.answers.entry(engine).or_default();
                match ask::ask(&compiled, engine, model, Checks::default(), Form::Short, SECONDS) {
                    Answer::Unsafe if !reached => return wrong(engine, model, "unsafe".to_owned(), &text),
                    Answer::Safe if reached => return wrong(engine, model, "safe".to_owned(), &text),
                    Answer::Broken(what) => return wrong(engine, model, what, &text),
                    Answer::Unsafe | Answer::Safe => entry[0] += 1,
                    Answer::Bounded => entry[1] += 1,
                    Answer::Unknown(reason) => {
                        entry[2] += 1;
                        *tally.reasons.entry(reason).or_default() += 1;
                    }
                }
            }
        }
    }
    None
}
