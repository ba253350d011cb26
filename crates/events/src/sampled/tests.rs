//! Executions are models of the formula as it is; once a fault is put into it, some execution is none.

use super::*;
use crate::engine::Encoding;
use crate::question::Form as Formula;
use crate::theory::Edge;
use norn_follow::sample::{Form, Sampler, Setting};
use norn_ir::program::Program;
use norn_logic::ClauseSink;
use norn_passes::analysed::Analysed;
use norn_passes::unwind::Bounds;
use norn_symex::{EventKind, Finding};
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::Checks;

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

/// A program with its event list and formula.
struct Case {
    program: Program,
    symbolic: Symbolic,
    formula: Formulated,
    model: Model,
    checks: Checks,
    /// The event list is not as it was made.
    is_faulty: bool,
}

const FREE: Checks = Checks { memory_safety: false, ..Checks::DEFAULT };

impl Case {
    fn new(text: &str, model: Model, encoding: Encoding, checks: Checks, fault: impl FnOnce(&mut Symbolic)) -> Case {
        let program = compile(text);
        let bounds = Bounds { default: 2, ..Bounds::default() };
        let mut symbolic = norn_symex::execute(&Analysed::new(program.clone()), &bounds, checks, &Limits::none())
            .expect("it can be executed");
        fault(&mut symbolic);
        let form = Formula { encoding, races: checks.data_race, certify: true };
        let formula = Formulated::new(&mut symbolic, model, form, &Limits::none()).expect("there is no limit");
        Case { program, symbolic, formula, model, checks, is_faulty: false }
    }

    fn order(text: &str, model: Model) -> Case {
        Case::new(text, model, Encoding::Order, FREE, |_| {})
    }

    /// Why some execution is no model; nothing if all are.
    fn rejected(&self, executions: u64) -> Option<String> {
        let Case { program, symbolic, model, checks, .. } = self;
        let sampler = Sampler::new(Setting { program, symbolic, model: *model, checks: *checks });
        let clauses = Clauses::new(self.formula.blaster.sink().given().expect("they are kept"));
        let ordered = self.formula.ordered_threads();
        let mut used = 0;
        for seed in 0..executions {
            match sampler.execution(Form::Free { ordered: &ordered }, seed) {
                Err(mismatch) => return Some(mismatch.reason),
                Ok(None) => {}
                Ok(Some(followed)) if followed.violation.is_some() => return followed.violation,
                Ok(Some(followed)) => match self.formula.is_model(symbolic, &clauses, &followed) {
                    Err(reason) => return Some(reason),
                    Ok(open) => {
                        // Gates follow from the inputs of the formula.
                        assert!(self.is_faulty || !followed.is_complete || open == 0, "{open} clauses are open");
                        used += 1;
                    }
                },
            }
        }
        assert!(used * 2 > executions, "most executions should be of use");
        None
    }
}

const BUFFERING: [&str; 4] = ["int x, y, p, q;", "x = 1; p = y;", "y = 1; q = x;", ""];

fn programs() -> Vec<String> {
    let [globals, one, two, last] = BUFFERING;
    vec![
        threads(globals, one, two, last),
        threads("int x, y;", "if (x == 1) y = 2; else { y = x; if (y) x++; } x = y;", "x = 1; switch (y) { case 2: x = 5; break; case 0: x = 7; default: y = x; }", ""),
        threads("int x, n[3];", "for (int i = 0; i < 2; i++) { n[i] += x; x++; }", "int i = x; if (i < 3) n[i] = 9; while (x < 2) x++;", ""),
        threads("int x, d; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;", "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); d = x;", "pthread_mutex_lock(&m); if (x) d = 3; x = 2; pthread_mutex_unlock(&m);", ""),
        threads("atomic_int a; int x;", "int e = 0; if (atomic_compare_exchange_strong(&a, &e, 1)) x = 1; atomic_fetch_add(&a, 3);", "atomic_store(&a, 7); x = a; atomic_thread_fence(memory_order_seq_cst); x = 2;", ""),
        threads("int x, y; int *volatile p;", "int v = nondet_int(); __VERIFIER_assume(v > 0); x = v; p = &y;", "int *q = p; if (q) *q = x;", "int s = x + y; (void)s;"),
        threads("int x;", "x = 1; if (x == 2) exit(0); x = 3;", "x = 2; x = 4;", ""),
        "int x; void *t(void *a) { int r = x; x = r + 1; return 0; }\n\
         int main(void) { pthread_t h; pthread_create(&h, 0, t, 0); pthread_create(&h, 0, t, 0); pthread_create(&h, 0, t, 0); }".to_owned(),
        "int main(void) { int v = nondet_int(), r = 0; if (v & 1) { if (v > 100) goto out; r = 1; } else { if (v < 0) goto out; r = 2; }\n\
         r += 4; out: assert(r < 7); }".to_owned(),
    ]
}

#[test]
fn executions_are_models() {
    for text in programs() {
        for model in Model::ALL {
            for (encoding, data_race) in [(Encoding::Order, false), (Encoding::Clocks, false), (Encoding::Order, true)]
            {
                let checks = Checks { data_race, ..FREE };
                let case = Case::new(&text, model, encoding, checks, |_| {});
                let wrong = case.rejected(40);
                let is_race = data_race && wrong.as_ref().is_some_and(|reason| reason.contains("DataRace"));
                assert!(
                    wrong.is_none() || is_race,
                    "{model} {encoding:?} {data_race}: {wrong:?}\n{text}\n{}",
                    case.symbolic
                );
            }
        }
    }
}

/// Each source of each read, each order of each pair: without it, some execution is missing.
#[test]
fn sources_and_orders_that_are_left_out_are_missed() {
    let [globals, one, two, last] = BUFFERING;
    let text = threads(globals, one, two, last);
    for model in Model::ALL {
        let case = Case::order(&text, model);
        let sources = case.formula.encoded.sources.iter().filter(|(_, sources)| sources.len() > 1);
        let sources: Vec<Lit> = sources.flat_map(|(_, sources)| sources.iter().map(|source| source.1)).collect();
        let orders: Vec<Lit> = case.formula.orders.iter().map(|order| order.2).collect();
        assert!(sources.len() >= 4, "{sources:?}");
        for &literal in &sources {
            let mut case = Case::order(&text, model);
            case.formula.blaster.sink_mut().clause(&[!literal]);
            assert!(case.rejected(300).is_some(), "{model} without {literal:?}");
            // As if it had never been among the sources.
            let mut case = Case::order(&text, model);
            case.formula.encoded.sources.iter_mut().for_each(|(_, list)| list.retain(|source| source.1 != literal));
            assert!(case.rejected(300).is_some_and(|reason| reason.contains("not among its sources")), "{model}");
        }
        for literal in orders.into_iter().flat_map(|literal| [literal, !literal]) {
            let mut case = Case::order(&text, model);
            case.formula.blaster.sink_mut().clause(&[literal]);
            let rejected = case.rejected(300);
            assert!(rejected.is_some(), "{model} with {literal:?} only");
        }
    }
}

#[test]
fn an_order_that_is_fixed_by_mistake_is_noticed() {
    let [globals, one, two, last] = BUFFERING;
    for model in Model::ALL {
        let accesses = |case: &Case| -> Vec<Node> {
            let list = case.symbolic.event_ids().filter(|&id| case.symbolic.event(id).thread.0 > 0);
            list.filter_map(|id| case.formula.fixed.nodes[id.index()]).collect()
        };
        let text = threads(globals, one, two, last);
        let mut case = Case::order(&text, model);
        let nodes = accesses(&case);
        let (first, then) = (nodes[0], nodes[nodes.len() - 1]);
        case.formula.fixed.skeleton.fix(first, then);
        assert!(case.rejected(300).is_some(), "{model}: a fixed edge");
        let mut case = Case::order(&text, model);
        let label = case.formula.blaster.truth();
        case.formula.edges.push(Edge { from: first, to: then, label });
        assert!(case.rejected(300).is_some_and(|reason| reason.contains("forbids")), "{model}: a labelled edge");
    }
    // TSO as if it were SC.
    let text = threads(globals, one, two, last);
    let mut case = Case::order(&text, Model::Sc);
    case.model = Model::Tso;
    assert!(case.rejected(300).is_some(), "stores are not buffered");
    let mut case = Case::order(&threads("int x, y, p, q;", "x = 1; y = 1;", "p = y; q = x;", ""), Model::Tso);
    assert_eq!(case.rejected(300), None);
    case.model = Model::Pso;
    assert!(case.rejected(300).is_some(), "stores overtake one another");
}

#[test]
fn faults_of_the_event_list_are_noticed() {
    let text = threads(
        "int x, y;",
        "int v = nondet_int(); if (v > 10) x = v; else y = 1;",
        "int r = x; if (r) y = r;",
        "assert(y < 1000000000);",
    );
    let wrong = |fault: fn(&mut Symbolic)| Case::new(&text, Model::Sc, Encoding::Order, FREE, fault).rejected(400);
    let find = |symbolic: &Symbolic, is_write: bool| {
        let fits = |id: &EventId| match symbolic.event(*id).kind {
            EventKind::Write { .. } => is_write,
            EventKind::Read { .. } => !is_write,
            _ => false,
        };
        symbolic
            .event_ids()
            .filter(|id| symbolic.event(*id).thread.0 > 0)
            .find(fits)
            .expect("there should be one")
            .index()
    };
    // The program violates its assertion, which the list foresees.
    assert!(wrong(|_| {}).is_some_and(|reason| reason.contains("Assertion")));
    let text = text.replace("assert(y < 1000000000);", "assert(y >= 0 && y != 5 || 1);");
    let wrong = |fault: &dyn Fn(&mut Symbolic)| {
        let case = Case::new(&text, Model::Sc, Encoding::Order, FREE, fault);
        Case { is_faulty: true, ..case }.rejected(400)
    };
    assert_eq!(wrong(&|_| {}), None);
    assert!(
        wrong(&|symbolic| {
            // A guard that is too strong.
            let write = find(symbolic, true);
            let input = symbolic.threads[1].inputs[0].value;
            let two = symbolic.terms.bits(32, 2);
            let small = symbolic.terms.slt(input, two);
            symbolic.events[write].guard = symbolic.terms.and(symbolic.events[write].guard, small);
        })
        .is_some()
    );
    assert!(
        wrong(&|symbolic| {
            // A write that is missing.
            let write = find(symbolic, true);
            symbolic.events[write].guard = Term::FALSE;
        })
        .is_some()
    );
    assert!(
        wrong(&|symbolic| {
            // A write of something else.
            let write = find(symbolic, true);
            if let EventKind::Write { value, .. } = &mut symbolic.events[write].kind {
                *value = symbolic.terms.bits(symbolic.terms.width(*value), 3);
            }
        })
        .is_some()
    );
    assert!(
        wrong(&|symbolic| {
            // A read that can see one value only.
            let read = find(symbolic, false);
            if let EventKind::Read { value, .. } = &mut symbolic.events[read].kind {
                *value = symbolic.terms.bits(symbolic.terms.width(*value), 0);
            }
        })
        .is_some()
    );
    assert!(
        wrong(&|symbolic| {
            // A constraint that does not hold in every execution.
            let input = symbolic.threads[1].inputs[0].value;
            let limit = symbolic.terms.bits(32, 0x4000_0000);
            let small = symbolic.terms.slt(input, limit);
            symbolic.constraints.push(small);
        })
        .is_some()
    );
}

#[test]
fn a_violation_that_is_not_foreseen_is_noticed() {
    let text = "int main(void) { int v = nondet_int(); assert(v != 5); }";
    let case = Case::new(text, Model::Sc, Encoding::Order, FREE, |symbolic| {
        let is_violation = |check: &&mut norn_symex::Check| matches!(check.what, Finding::Violation(_));
        symbolic
            .checks
            .iter_mut()
            .filter(is_violation)
            .for_each(|check| check.violated = norn_symex::Condition::Term(Term::FALSE));
    });
    assert!(case.rejected(2000).is_some_and(|reason| reason.contains("not foreseen")));
}
