//! Every execution of the reference machine is among those that the event list describes, step by step.

use norn_follow::Followed;
use norn_follow::sample::{Form, Sampler, Setting};
use norn_ir::number::narrow;
use norn_ir::program::Program;
use norn_logic::Term;
use norn_passes::analysed::Analysed;
use norn_passes::unwind::Bounds;
use norn_symex::{Symbolic, ThreadId, execute};
use norn_testing::programs::{Shape, pointers, program};
use norn_testing::{Random, checked, compile, setting};
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::Checks;

const SAFE: Checks = Checks { memory_safety: true, overflow: true, ..Checks::DEFAULT };

fn symbolic(program: &Program, unwind: u32, checks: Checks) -> Symbolic {
    let bounds = Bounds { default: unwind, ..Bounds::default() };
    match execute(&Analysed::new(program.clone()), &bounds, checks, &Limits::none()) {
        Ok(symbolic) => symbolic,
        Err(refusal) => panic!("{refusal:?}"),
    }
}

/// Follows random executions under all models.
fn check(text: &str, unwind: u32, checks: Checks, seeds: u64) -> Symbolic {
    let program = compile(text);
    let symbolic = symbolic(&program, unwind, checks);
    let order: Vec<ThreadId> = (1..narrow(symbolic.threads.len())).chain([0]).map(ThreadId).collect();
    for model in Model::ALL {
        let sampler = Sampler::new(Setting { program: &program, symbolic: &symbolic, model, checks });
        for seed in 0..seeds {
            for form in [Form::Free { ordered: &[] }, Form::Rounds { order: &order, rounds: 3 }] {
                let wrong = match sampler.execution(form, seed) {
                    Err(mismatch) => Some(format!("{}\n{}", mismatch.reason, mismatch.schedule)),
                    Ok(Some(followed)) if matches!(form, Form::Free { .. }) => {
                        same_schedule(&symbolic, &followed).err()
                    }
                    Ok(_) => None,
                };
                if let Some(error) = wrong {
                    panic!("{model}, seed {seed}: {error}\n{text}\n{program}");
                }
            }
        }
    }
    symbolic
}

/// The schedule that an engine would give is the one that the machine ran.
fn same_schedule(symbolic: &Symbolic, followed: &Followed) -> Result<(), String> {
    let taken = &followed.schedule.steps;
    let variable = |term: Term| followed.values.get(&term).copied().unwrap_or(0);
    let schedule = symbolic.schedule(followed.schedule.model, 0, &followed.moves, &variable);
    // Steps that touch no shared memory are not told, and so no moves.
    let mut rest = taken.iter();
    if let Some(lost) = schedule.steps.iter().find(|step| !rest.any(|other| other == *step)) {
        return Err(format!("the machine did not take {lost:?} of {schedule} but {taken:?}"));
    }
    let names = symbolic.names(&variable);
    for (thread, asked) in followed.asked.iter().enumerate() {
        let Some(name) = names[thread].clone() else { continue };
        let given = schedule.inputs.iter().find(|inputs| inputs.0 == name).map_or(&[][..], |inputs| &inputs.1);
        // What an event list says behind the last step does not matter, nor what the machine asked for in vain.
        let common = asked.len().min(given.len());
        if asked[..common] != given[..common] {
            return Err(format!("{name} asks for {asked:?}, not {given:?}"));
        }
    }
    Ok(())
}

const HEAD: &str = "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n#include <assert.h>\n\
    int __VERIFIER_nondet_int(void);\nvoid __VERIFIER_assume(int);\nvoid __VERIFIER_atomic_begin(void);\n\
    void __VERIFIER_atomic_end(void);\n";

/// Two threads with these bodies and some globals; main joins them and then does something.
fn threads(globals: &str, one: &str, two: &str, last: &str) -> String {
    format!(
        "{HEAD}{globals}\nvoid *one(void *arg) {{ {one} return 0; }}\nvoid *two(void *arg) {{ {two} return 0; }}\n\
         int main(void) {{ pthread_t a, b; pthread_create(&a, 0, one, 0); pthread_create(&b, 0, two, 0);\n\
         pthread_join(a, 0); pthread_join(b, 0); {last} return 0; }}\n"
    )
}

#[test]
fn plain_accesses_and_branches() {
    let symbolic =
        check(&threads("int x, y, a, b;", "x = 1; a = y;", "y = 1; b = x;", "assert(a + b > 0);"), 1, SAFE, 30);
    // One bit is enough for each of the four; the passes: nothing known, all found, nothing new.
    assert!(symbolic.cells.iter().all(|cell| cell.width == 1), "{:?}", symbolic.cells);
    check(
        &threads(
            "int x, y, z;",
            "if (x == 1) y = 2; else { z = x; if (y) z++; } x = y;",
            "x = 1; switch (y) { case 2: z = 5; break; case 0: z = 7; default: y = z; }",
            "",
        ),
        1,
        SAFE,
        40,
    );
}

#[test]
fn loops_arrays_and_calls() {
    check(
        &threads(
            "int x, n[4]; static int add(int a, int b) { int c = a + b; return c; }",
            "for (int i = 0; i < 3; i++) { n[i] = add(n[i], x); x++; }",
            "int i = x; if (i < 4) n[i] = 9; while (x < 2) x++;",
            "int sum = 0; for (int i = 0; i < 4; i++) sum += n[i]; assert(sum < 100);",
        ),
        4,
        SAFE,
        40,
    );
}

#[test]
fn locks_and_condition_variables() {
    check(
        &threads(
            "int x, done; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER;",
            "pthread_mutex_lock(&m); while (!done) pthread_cond_wait(&c, &m); x = 2; pthread_mutex_unlock(&m);",
            "pthread_mutex_lock(&m); done = 1; x = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m);",
            "assert(x == 2);",
        ),
        3,
        SAFE,
        40,
    );
}

#[test]
fn atomics_and_sections() {
    check(
        &threads(
            "atomic_int a; int x;",
            "int e = 0; if (atomic_compare_exchange_strong(&a, &e, 1)) x = 1; atomic_fetch_add(&a, 3); atomic_store(&a, 7);",
            "__VERIFIER_atomic_begin(); x = a; if (x) a = 5; __VERIFIER_atomic_end(); \
             __VERIFIER_atomic_begin(); __VERIFIER_assume(a > 0); x = 3; __VERIFIER_atomic_end();",
            "",
        ),
        1,
        SAFE,
        40,
    );
}

#[test]
fn pointers_and_the_heap() {
    check(
        &threads(
            "struct node { int value; struct node *next; } *top; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int *volatile p; int x, y;",
            "struct node *n = malloc(sizeof *n); n->value = 1; pthread_mutex_lock(&m); n->next = top; top = n; pthread_mutex_unlock(&m); p = &x;",
            "struct node *n = malloc(sizeof *n); n->value = 2; pthread_mutex_lock(&m); n->next = top; top = n; \
             struct node *q = top->next; if (q) y = q->value; pthread_mutex_unlock(&m); int *r = p; if (r) *r = 5;",
            "int sum = 0; for (struct node *n = top; n; n = n->next) sum += n->value; assert(sum == 3);",
        ),
        3,
        SAFE,
        40,
    );
}

#[test]
fn what_goes_wrong() {
    check(&threads("int x, n[3];", "n[x] = 1;", "x = 3;", ""), 1, SAFE, 30);
    check(&threads("int *volatile p; int x;", "*p = 1;", "p = &x;", ""), 1, SAFE, 30);
    check(&threads("int *volatile p; int x;", "*p = 1;", "p = &x;", ""), 1, Checks::default(), 30);
    check(&threads("int x, y;", "y = 10 / x;", "x = 1;", ""), 1, SAFE, 30);
    check(&threads("int x = 2147483647, y;", "y = x + 1;", "x = 1;", ""), 1, SAFE, 30);
    check(
        &threads("int *volatile p;", "int *q = malloc(4); *q = 3; p = q; free(q);", "int *q = p; if (q) *q = 4;", ""),
        1,
        SAFE,
        60,
    );
    check(&threads("pthread_mutex_t m;", "pthread_mutex_unlock(&m);", "pthread_mutex_lock(&m);", ""), 1, SAFE, 30);
}

#[test]
fn inputs_and_indeterminate_memory() {
    check(
        &threads(
            "int x; int *volatile p;",
            "int v = __VERIFIER_nondet_int(); __VERIFIER_assume(v > 0); x = v; int *q = malloc(8); p = q; q[1] = v;",
            "int *q = p; if (q) x = q[0] + q[1];",
            "",
        ),
        1,
        Checks { overflow: false, ..SAFE },
        60,
    );
}

#[test]
fn threads_that_create_threads() {
    let text = format!(
        "{HEAD}int x; void *leaf(void *arg) {{ x = (int)(long)arg; return arg; }}\n\
         void *one(void *arg) {{ pthread_t t; void *r; pthread_create(&t, 0, leaf, arg); pthread_join(t, &r); x = (int)(long)r + 1; return 0; }}\n\
         int main(void) {{ pthread_t a, b; pthread_create(&a, 0, one, (void *)3); pthread_create(&b, 0, one, (void *)5); \
         pthread_join(b, 0); assert(x != 4); return 0; }}\n"
    );
    check(&text, 1, SAFE, 60);
}

#[test]
fn threads_created_for_ever() {
    let text = format!(
        "{HEAD}int x; void *leaf(void *arg) {{ int r = x; x = r + 1; assert(r < 2); return arg; }}\n\
         int main(void) {{ pthread_t t; while (1) {{ pthread_create(&t, 0, leaf, 0); if (x == 1) pthread_join(t, 0); }} }}\n"
    );
    let symbolic = check(&text, 2, SAFE, 60);
    assert_eq!(symbolic.threads.len(), 4);
}

#[test]
fn generated_programs() {
    let count = setting("NORN_ORACLE_PROGRAMS").unwrap_or(150);
    for seed in 0..count {
        let library = seed % 2 == 1;
        let shape = Shape { threads: (1, 3), statements: (1, 6), library, ends: seed % 3 == 0, inputs: true };
        let text = program(&mut Random::new(seed), shape);
        checked(&format!("program {seed}"), &text, |text| check(text, 2, SAFE, 8));
    }
}

#[test]
fn generated_programs_with_pointers() {
    let count = setting("NORN_ORACLE_PROGRAMS").unwrap_or(200);
    for seed in 0..count {
        let checks = if seed % 2 == 0 { SAFE } else { Checks::default() };
        let text = pointers::program(&mut Random::new(seed));
        checked(&format!("program {seed}"), &text, |text| check(text, 3, checks, 8));
    }
}
