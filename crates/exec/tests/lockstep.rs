//! The executor and the reference machine take the same random steps and have to agree after each; undoing has to
//! restore what was there.

use norn_exec::{Code, Executor, Status, Stop};
use norn_ir::ids::GlobalId;
use norn_ir::program::Program;
use norn_machine::observe::Unobserved;
use norn_machine::{Choice, Inputs, Machine, Request, State};
use norn_passes::analysed::Analysed;
use norn_testing::programs::{Shape, program, races};
use norn_testing::{Random, checked, compile, setting};
use norn_verdict::model::Model;
use norn_verdict::outcome::{Basic, Checks};
use norn_verdict::schedule::ThreadName;
use norn_verdict::trace::ThreadIndex;
use norn_verdict::undecided::{Undecided, Why};
use std::collections::BTreeMap;

const CHECKS: Checks = Checks { memory_safety: true, overflow: true, ..Checks::DEFAULT };
/// What goes wrong is assumed not to happen.
const ASSUMING: Checks = Checks { basic: Basic::Assertions, ..Checks::DEFAULT };

const RACES: Checks = Checks { data_race: true, memory_safety: true, ..Checks::DEFAULT };
const RACES_ONLY: Checks = Checks { data_race: true, ..ASSUMING };

/// The same fixed values for both: they depend on thread and position only.
#[derive(Clone, Default)]
struct Fixed(BTreeMap<ThreadName, u64>);

fn fixed(name: &ThreadName, position: u64) -> u64 {
    let mixed = name.0.iter().fold(position, |sum, &n| sum * 31 + u64::from(n));
    mixed * 7 % 5
}

impl Inputs for Fixed {
    fn next(&mut self, name: &ThreadName, _request: &Request) -> Option<u64> {
        let position = self.0.entry(name.clone()).or_default();
        *position += 1;
        Some(fixed(name, *position - 1))
    }
}

fn give_script(executor: &mut Executor<'_>) {
    let script = norn_exec::ThreadIdentity::all(executor.identities()).map(|thread| {
        let name = &executor.thread(thread).name;
        (name.clone(), (0..64).map(|position| vec![norn_exec::Choice::Anywhere(fixed(name, position))]).collect())
    });
    let script = script.collect();
    executor.set_script(script);
}

/// A thread's values can be given when it is known: a step that asks for one too early is tried again.
fn with_script<'c>(
    executor: &mut Executor<'c>,
    mut step: impl FnMut(&mut Executor<'c>) -> Result<(), Stop>,
) -> Result<(), Stop> {
    loop {
        give_script(executor);
        let (mark, known) = (executor.mark(), executor.identities());
        match step(executor) {
            Err(Stop::NeedInput(_)) if executor.identities() > known => executor.undo_to(mark),
            result => return result,
        }
    }
}

fn kind_of(stop: &Stop) -> String {
    match stop {
        Stop::NotEnabled => "not enabled".to_owned(),
        Stop::Cut => "cut".to_owned(),
        Stop::Violation(violation) => format!("{:?} {:?}", violation.kind, violation.span),
        Stop::NeedInput(_) => "input".to_owned(),
        Stop::Undecided(open) => kind_of_open(open),
        Stop::Ends(_) => panic!("a thread that ends should be stopped"),
    }
}

fn kind_of_open(open: &Undecided) -> String {
    match open.why {
        Why::NoMeaning(_) => format!("no meaning {:?}", open.place),
        _ => "too large".to_owned(),
    }
}

fn kind_in_machine(stop: &norn_machine::Stop) -> String {
    use norn_machine::Stop;
    match stop {
        Stop::NotEnabled => "not enabled".to_owned(),
        Stop::Cut { .. } => "cut".to_owned(),
        Stop::Violation(violation) => format!("{:?} {:?}", violation.kind, violation.span),
        Stop::NeedInput(_) => "input".to_owned(),
        Stop::Undecided(open) => kind_of_open(open),
        Stop::Ends(_) => panic!("a thread that ends should be stopped"),
    }
}

/// Everything about a state that matters.
fn dump(executor: &Executor<'_>) -> String {
    let memory = executor.memory();
    let threads: Vec<_> = executor.threads().map(|thread| executor.thread(thread)).collect();
    format!("{:?}\n{:?}\n{:?}", memory, threads, executor.exited())
}

struct Pair<'p> {
    machine: &'p Machine<'p>,
    state: State,
    inputs: Fixed,
}

/// Steps and commits that are enabled, as both see them.
fn enabled(pair: &Pair<'_>, executor: &mut Executor<'_>) -> Vec<Choice> {
    let mut choices = Vec::new();
    for choice in pair.machine.candidates(&pair.state) {
        let mut copy = pair.state.clone();
        let tried = pair.machine.step(&mut copy, choice, &mut Unobserved, &mut pair.inputs.clone());
        use norn_machine::Stop::{Cut, NotEnabled};
        if !matches!(tried, Err(NotEnabled | Cut { .. })) {
            choices.push(choice);
        }
    }
    let mut found = Vec::new();
    for number in executor.numbers() {
        let thread = executor.identity(number);
        if executor.can_step(thread) {
            found.push(Choice::Run(number));
        }
        found.extend(executor.commits(thread).map(|step| Choice::Commit { thread: number, step }));
    }
    assert_eq!(found, choices);
    choices
}

fn compare(pair: &Pair<'_>, executor: &Executor<'_>, observed: &[(GlobalId, norn_machine::memory::ObjectRef)]) {
    for &(id, object) in observed {
        assert_eq!(executor.global(id), pair.state.memory.object(object).bytes(), "global {id:?}");
    }
    for (number, thread) in pair.state.indices().zip(&pair.state.threads) {
        let own = executor.thread(executor.identity(number));
        assert_eq!(own.name, *thread.name);
        assert_eq!(own.counts.steps, thread.steps);
        use norn_machine::state::Status as Other;
        let same = match (own.status, thread.status) {
            (Status::WaitsForThread(other), Other::WaitsForThread(number)) => executor.thread(other).number == number,
            (Status::Ready, Other::Ready)
            | (Status::WaitsForBuffer, Other::WaitsForBuffer)
            | (Status::Stopped, Other::Stopped)
            | (Status::Ended, Other::Ended)
            | (Status::Fresh, Other::Fresh) => true,
            _ => false,
        };
        assert!(same, "{:?} {:?}", own.status, thread.status);
    }
    assert_eq!(executor.thread_count(), pair.state.threads.len());
    assert_eq!(executor.is_complete(), pair.state.is_complete());
}

/// `reference` is what the machine runs: the program, or its bounded form.
fn walk(reference: &Program, program: &Analysed, code: &Code, (model, checks): (Model, Checks), random: &mut Random) {
    let machine = Machine::new(reference, model, checks);
    let mut executor = Executor::new(program, code, model, checks).expect("there should be room");
    let mut inputs = Fixed::default();
    let initial = machine.initial(&mut Unobserved, &mut inputs);
    let started = with_script(&mut executor, Executor::start);
    let state = match (initial, started) {
        (Ok(state), Ok(())) => state,
        (Err(expected), Err(found)) => return assert_eq!(kind_of(&found), kind_in_machine(&expected)),
        (initial, started) => panic!("{:?} {started:?}", initial.map(|_| ())),
    };
    let globals = norn_machine::memory::Globals::new(program);
    let ids = (0..program.globals.len()).map(GlobalId::new);
    let is_observed = |id: &GlobalId| program.global(*id).storage != norn_ir::program::Storage::Thread;
    let observed: Vec<_> = ids.filter(is_observed).map(|id| (id, globals.object(id, ThreadIndex::MAIN))).collect();
    let mut pair = Pair { machine: &machine, state, inputs };
    let mut marks = vec![(executor.mark(), dump(&executor), pair.state.clone(), pair.inputs.clone())];
    for _ in 0..60 {
        compare(&pair, &executor, &observed);
        let choices = enabled(&pair, &mut executor);
        let go_back = random.below(8) == 0;
        if choices.is_empty() || go_back {
            let back = random.index(marks.len());
            let (mark, dumped, state, inputs) = marks[back].clone();
            executor.undo_to(mark);
            assert_eq!(dump(&executor), dumped, "undoing should restore the state");
            (pair.state, pair.inputs) = (state, inputs);
            marks.truncate(back + 1);
            continue;
        }
        let choice = choices[random.index(choices.len())];
        let expected = machine.step(&mut pair.state, choice, &mut Unobserved, &mut pair.inputs);
        let thread = executor.identity(choice.thread());
        let found = with_script(&mut executor, |executor| match choice {
            Choice::Run(_) => executor.step(thread),
            Choice::Commit { step, .. } => executor.commit(thread, step),
        });
        match (expected, found) {
            (Ok(taken), Ok(())) => assert_eq!(taken.spurious, executor.was_spurious()),
            (Err(expected), Err(found)) => {
                assert_eq!(kind_of(&found), kind_in_machine(&expected));
                let (mark, dumped, state, inputs) = marks[marks.len() - 1].clone();
                executor.undo_to(mark);
                assert_eq!(dump(&executor), dumped, "undoing a failed step should restore the state");
                (pair.state, pair.inputs) = (state, inputs);
                continue;
            }
            (expected, found) => panic!("{choice:?}: {expected:?} {found:?}"),
        }
        marks.push((executor.mark(), dump(&executor), pair.state.clone(), pair.inputs.clone()));
    }
}

/// Data races are found at the same steps, and undoing forgets the same accesses.
#[test]
fn data_races_are_seen_as_on_the_machine() {
    for seed in 0..setting("NORN_TEST_PROGRAMS").unwrap_or(60) {
        for make in [races::program, races::longer] {
            check_with(&make(&mut Random::new(seed)), seed, compile, &[RACES, RACES_ONLY]);
        }
    }
}

fn check(text: &str, seed: u64) {
    check_compiled(text, seed, compile);
}

fn check_compiled(text: &str, seed: u64, compile: fn(&str) -> Program) {
    check_with(text, seed, compile, &[CHECKS, ASSUMING]);
}

fn check_with(text: &str, seed: u64, compile: fn(&str) -> Program, all: &[Checks]) {
    for model in Model::ALL {
        checked(&format!("program {seed}, {model}"), text, |text| {
            let program = Analysed::new(compile(text));
            let code = norn_exec::compile(&program, None);
            for walk_seed in 0..4 {
                for &checks in all {
                    walk(&program, &program, &code, (model, checks), &mut Random::new(seed * 4 + walk_seed));
                }
            }
        });
    }
}

#[test]
fn random_programs_run_as_on_the_machine() {
    let count = setting("NORN_TEST_PROGRAMS").unwrap_or(60);
    for seed in 0..count {
        let shape = Shape { threads: (2, 3), statements: (2, 6), library: true, ends: true, inputs: true };
        check(&program(&mut Random::new(seed), shape), seed);
    }
}

#[test]
fn memory_is_given_out_again_as_on_the_machine() {
    let reusing = |text: &str| {
        let mut program = norn_testing::compile_reusing(text);
        norn_passes::escape::mark_private(&mut program);
        program
    };
    for seed in 0..setting("NORN_TEST_PROGRAMS").unwrap_or(60) {
        check_compiled(&norn_testing::programs::reuse::program(&mut Random::new(seed)), seed, reusing);
    }
}

#[test]
fn calls_loops_and_objects_run_as_on_the_machine() {
    check(
        "#include <pthread.h>\n#include <stdlib.h>\nstruct node { int v; struct node *next; } *head;\n\
         static _Thread_local int mine = 3;\nint total; pthread_mutex_t m;\n\
         int fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }\n\
         void *push(void *arg) { int local = 5; int *q = &local; for (int i = 0; i < 3; i++) {\n\
           struct node *n = malloc(sizeof *n); n->v = fact(i + mine) + *q; pthread_mutex_lock(&m); n->next = head;\n\
           head = n; pthread_mutex_unlock(&m); mine++; } switch (mine) { case 6: total++; break; default: abort(); }\n\
           return (void *)(long)mine; }\n\
         int main(void) { pthread_t a, b; void *r; pthread_mutex_init(&m, 0); pthread_create(&a, 0, push, 0);\n\
           pthread_create(&b, 0, push, 0); pthread_join(a, &r); pthread_join(b, 0); total += (int)(long)r;\n\
           while (head) { struct node *n = head; total += n->v; head = n->next; free(n); }\n\
           int array[4]; for (int i = 0; i < 4; i++) array[i] = i * total; double d = array[3] * 0.5;\n\
           unsigned char c = (unsigned char)d; total = c / (total & 1 ? 3 : 2) + (int)(d / 3) % 7;\n\
           return 0; }",
        1,
    );
}

/// A local object whose scope is entered again has no value.
#[test]
fn locals_begin_anew() {
    check(
        "#include <pthread.h>\nint seen[4]; void *t(void *arg) { for (int i = 0; i < 4; i++) { int v; int *p = &v;\n\
           if (i == 0) *p = 7; seen[i] = *p; } return 0; }\n\
         int main(void) { pthread_t a; pthread_create(&a, 0, t, 0); t(0); return 0; }",
        4,
    );
}

/// A loop without a visible step that comes back with the same registers, but has changed memory, goes on.
#[test]
fn silent_loops_that_change_memory_end() {
    check(
        "#include <pthread.h>\nint x; static int more(int *n) { *n += 1; return *n < 500; }\n\
         void *t(void *arg) { int n = 0; while (more(&n)); x = n; return 0; }\n\
         int main(void) { pthread_t a; pthread_create(&a, 0, t, 0); t(0); return 0; }",
        5,
    );
}

#[test]
fn shared_locals_and_their_ends() {
    check(
        "#include <pthread.h>\nvoid *t(void *arg) { int *p = arg; *p += 1; return arg; }\n\
         int f(void) { int shared = 1; pthread_t a; pthread_create(&a, 0, t, &shared); shared = 2;\n\
           pthread_join(a, 0); return shared; }\n\
         int main(void) { int r = f(); r += f(); { int dead = 1; pthread_t b; pthread_create(&b, 0, t, &dead); }\n\
           return r; }",
        2,
    );
}

#[test]
fn creations_are_steps_as_on_the_machine() {
    check(
        "#include <pthread.h>\nint x, y; pthread_t last;\nvoid *leaf(void *arg) { x += 1; return arg; }\n\
         void *inner(void *arg) { y = 1; pthread_t a; pthread_create(&a, 0, leaf, arg); pthread_join(a, 0); return arg; }\n\
         int main(void) { pthread_t t; x = 2; pthread_create(&t, 0, inner, 0); y = 2;\n\
           while (1) { pthread_create(&last, 0, leaf, 0); if (x > 5) pthread_join(last, 0); } }",
        3,
    );
}

#[test]
fn bounds_cut_where_the_unrolled_program_is_cut() {
    let text = "#include <pthread.h>\nint x, y, n;\n\
         void depth(int k) { x += k; if (k) depth(k - 1); }\n\
         void *t(void *arg) { for (int i = 0; i < n; i++) { for (int j = 0; j <= i; j++) { if (y) continue; x++; } }\n\
           while (x < 3) y = 1; return 0; }\n\
         int main(void) { n = 4; pthread_t a; pthread_create(&a, 0, t, 0); do { y = 0; } while (x != 2); depth(y + 2);\n\
           return 0; }";
    let program = Analysed::new(compile(text));
    for bound in 0..4 {
        let bounds = norn_passes::unwind::Bounds { default: bound, ..Default::default() };
        let unrolled = norn_passes::unwind::unwind(&program, &bounds).expect("it should be small");
        let code = norn_exec::compile(&program, Some(&bounds));
        for model in Model::ALL {
            for seed in 0..20 {
                walk(&unrolled.program, &program, &code, (model, CHECKS), &mut Random::new(seed));
            }
        }
    }
}

#[test]
fn cuts_are_told_by_loop() {
    let text = "int x, k; int main(void) { while (k < 3) { x++; k++; }\nfor (;;) { if (k++ > 4) break; } return 0; }";
    let program = Analysed::new(compile(text));
    let reached = |bound: u32| {
        let bounds = norn_passes::unwind::Bounds { default: bound, ..Default::default() };
        let code = norn_exec::compile(&program, Some(&bounds));
        let mut executor = Executor::new(&program, &code, Model::Sc, Checks::default()).expect("there should be room");
        executor.start().expect("it should run");
        let cuts = executor.cuts().filter(|cut| cut.1);
        cuts.map(|(cut, _)| (cut.span.line, cut.bound)).collect::<Vec<_>>()
    };
    assert_eq!(reached(1), [(1, 1)]);
    assert_eq!(reached(2), [(1, 2)]);
    assert_eq!(reached(3), []);
}
