//! Executions in rounds are models of the formula as it is; once a fault is put into it, some execution is none.

use crate::encode::Encoding;
use crate::examine::thread_order;
use crate::plan::{Plan, UnitId};
use crate::solve::Question;
use norn_follow::sample::{Form, Sampler, Setting};
use norn_ir::program::Program;
use norn_logic::satisfied::Clauses;
use norn_logic::{ClauseSink, Lit, Term};
use norn_passes::analysed::Analysed;
use norn_passes::unwind::Bounds;
use norn_symex::{EventKind, Symbolic, execute};
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::Checks;

const CHECKS: Checks = Checks { memory_safety: false, ..Checks::DEFAULT };

fn compile(text: &str) -> Program {
    const HEAD: &str = "#include <pthread.h>\n#include <assert.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n\
        int nondet_int(void);\nvoid __VERIFIER_assume(int);\n";
    norn_testing::compile(&format!("{HEAD}{text}"))
}

fn threads(globals: &str, one: &str, two: &str, last: &str) -> String {
    format!(
        "{globals}\nvoid *one(void *arg) {{ {one} return 0; }}\nvoid *two(void *arg) {{ {two} return 0; }}\n\
         int main(void) {{ pthread_t a, b; pthread_create(&a, 0, one, 0); pthread_create(&b, 0, two, 0);\n\
         pthread_join(a, 0); pthread_join(b, 0); {last} return 0; }}\n"
    )
}

/// A clause that does not belong to the formula.
type Clause = dyn Fn(&mut Question<'_, '_>) -> Vec<Lit>;

/// Faults that a test puts in.
#[derive(Default)]
struct Faults<'f> {
    list: Option<&'f dyn Fn(&mut Symbolic)>,
    plan: Option<&'f dyn Fn(&mut Plan)>,
    bits: Option<u32>,
    clauses: Option<&'f Clause>,
}

/// Why some execution is no model; nothing if all are.
fn rejected(text: &str, model: Model, rounds: u32, executions: u64, faults: &Faults<'_>) -> Option<String> {
    let program = compile(text);
    let bounds = Bounds { default: 2, ..Bounds::default() };
    let mut symbolic =
        execute(&Analysed::new(program.clone()), &bounds, CHECKS, &Limits::none()).expect("it can be executed");
    faults.list.into_iter().for_each(|fault| fault(&mut symbolic));
    let mut plan = Plan::new(&symbolic, model);
    faults.plan.into_iter().for_each(|fault| fault(&mut plan));
    let order = thread_order(&symbolic, &[]);
    let mut encoding = Encoding::new(&symbolic, &plan, model, &order, faults.bits);
    let mut question = Question::new(&mut encoding, rounds, true, &Limits::none()).expect("there is no limit");
    if let Some(fault) = faults.clauses {
        let clause = fault(&mut question);
        question.blaster.sink_mut().clause(&clause);
    }
    let sampler = Sampler::new(Setting { program: &program, symbolic: &symbolic, model, checks: CHECKS });
    let clauses = Clauses::new(question.blaster.sink().given().expect("they are kept"));
    let mut used = 0;
    for seed in 0..executions {
        match sampler.execution(Form::Rounds { order: &order, rounds }, seed) {
            Err(mismatch) => return Some(mismatch.reason),
            Ok(None) => {}
            Ok(Some(followed)) => match followed.violation.clone() {
                Some(violation) => return Some(violation),
                None => match question.is_model(&clauses, &followed) {
                    Err(reason) => return Some(reason),
                    Ok(()) => used += 1,
                },
            },
        }
    }
    assert!(used * 2 > executions, "most executions should be of use");
    None
}

#[test]
fn executions_are_models() {
    let programs = [
        threads("int x, y, p, q;", "x = 1; p = y;", "y = 1; q = x;", ""),
        threads(
            "int x, y;",
            "if (x == 1) y = 2; else { y = x; if (y) x++; } x = y;",
            "x = 1; switch (y) { case 2: x = 5; break; case 0: x = 7; default: y = x; }",
            "",
        ),
        threads(
            "int x, n[3];",
            "for (int i = 0; i < 2; i++) { n[i] += x; x++; }",
            "int i = x; if (i < 3) n[i] = 9; while (x < 2) x++;",
            "x = n[0];",
        ),
        threads(
            "int x, d; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;",
            "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); d = x;",
            "pthread_mutex_lock(&m); if (x) d = 3; x = 2; pthread_mutex_unlock(&m);",
            "d = x;",
        ),
        threads(
            "atomic_int a; int x;",
            "int e = 0; if (atomic_compare_exchange_strong(&a, &e, 1)) x = 1; atomic_fetch_add(&a, 3);",
            "atomic_store(&a, 7); x = a; atomic_thread_fence(memory_order_seq_cst); x = 2;",
            "",
        ),
        threads(
            "int x, y; int *volatile p;",
            "int v = nondet_int(); __VERIFIER_assume(v > 0); x = v; p = &y;",
            "int *q = p; if (q) *q = x;",
            "int s = x + y; (void)s;",
        ),
        threads("int x;", "x = 1; if (x == 2) exit(0); x = 3;", "x = 2; x = 4;", ""),
        "int x; void *t(void *a) { int r = x; x = r + 1; return 0; }\n\
         void *u(void *a) { pthread_t h; x = 7; pthread_create(&h, 0, t, 0); x = 8; pthread_join(h, 0); return 0; }\n\
         int main(void) { pthread_t h; x = 3; pthread_create(&h, 0, u, 0); x = 4; pthread_create(&h, 0, t, 0); x = 5; }"
            .to_owned(),
    ];
    for text in &programs {
        for model in Model::ALL {
            for rounds in [1, 2, 4] {
                let wrong = rejected(text, model, rounds, 60, &Faults::default());
                assert_eq!(wrong, None, "{model} in {rounds} rounds\n{text}");
            }
        }
    }
}

/// The literal of the second unit of a thread having been run by the end of a round.
fn started(question: &mut Question<'_, '_>, thread: usize, round: u32) -> Lit {
    let unit = UnitId::new(question.encoding.plan.threads[thread].units.start.index() + 1);
    let started = question.encoding.started(unit, round);
    question.blaster.lit(&question.encoding.narrow.terms, started)
}

#[test]
fn rounds_that_are_left_out_are_missed() {
    let text = threads("int x, y, p, q;", "p = x; y = 1;", "q = y; x = 1;", "");
    for model in Model::ALL {
        for (thread, round) in [(1, 2), (1, 3), (2, 2), (2, 3)] {
            let by = move |question: &mut Question<'_, '_>| vec![started(question, thread, round)];
            let not_by = move |question: &mut Question<'_, '_>| vec![!started(question, thread, round)];
            for fault in [&by as &Clause, &not_by] {
                let faults = Faults { clauses: Some(fault), ..Faults::default() };
                assert!(rejected(&text, model, 2, 300, &faults).is_some(), "{model} thread {thread}, round {round}");
            }
        }
    }
}

#[test]
fn a_value_without_enough_bits_is_noticed() {
    let text = threads("int x, y;", "x = nondet_int();", "y = x;", "assert(y != 5 || 1);");
    let faults = Faults { bits: Some(4), ..Faults::default() };
    assert_eq!(rejected(&text, Model::Sc, 2, 200, &Faults::default()), None);
    assert!(rejected(&text, Model::Sc, 2, 200, &faults).is_some_and(|reason| reason.contains("cannot be")));
}

#[test]
fn a_plan_that_moves_too_much_is_noticed() {
    let text = threads("int x, y;", "x = 1; if (x == 2) y = 1; x = 3;", "x = 2; if (y) x = 5;", "");
    // Each read is taken to see what is there before all others run.
    let nobody_writes = |plan: &mut Plan| plan.forget_writers();
    let faults = Faults { plan: Some(&nobody_writes), ..Faults::default() };
    for model in Model::ALL {
        assert_eq!(rejected(&text, model, 3, 300, &Faults::default()), None);
        assert!(rejected(&text, model, 3, 300, &faults).is_some(), "{model}");
    }
}

#[test]
fn faults_of_the_event_list_are_noticed() {
    let text =
        threads("int x, y;", "int v = nondet_int(); if (v > 10) x = v; else y = 1;", "int r = x; if (r) y = r;", "");
    let first_write = |symbolic: &Symbolic| {
        let list = symbolic.events.iter();
        let fits = |event: &&norn_symex::Event| event.thread.0 > 0 && matches!(event.kind, EventKind::Write { .. });
        list.clone().position(|event| fits(&event)).expect("there should be one")
    };
    let missing = |symbolic: &mut Symbolic| {
        let write = first_write(symbolic);
        symbolic.events[write].guard = Term::FALSE;
    };
    let constrained = |symbolic: &mut Symbolic| {
        let input = symbolic.threads[1].inputs[0].value;
        let limit = symbolic.terms.bits(32, 0x4000_0000);
        let small = symbolic.terms.slt(input, limit);
        symbolic.constraints.push(small);
    };
    for fault in [&missing as &dyn Fn(&mut Symbolic), &constrained] {
        let faults = Faults { list: Some(fault), ..Faults::default() };
        assert!(rejected(&text, Model::Sc, 2, 400, &faults).is_some());
    }
}
