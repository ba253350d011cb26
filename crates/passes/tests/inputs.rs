//! Which values of an input are tried: for each of these programs the one input's values, as they must be.
//!
//! A value that is missing is an execution that no search takes.

use norn_passes::inputs::small_domains;
use norn_testing::compile;

const HEAD: &str = "#include <assert.h>\n#include <pthread.h>\nextern int __VERIFIER_nondet_int(void);\n\
    extern unsigned char __VERIFIER_nondet_uchar(void);\nextern void __VERIFIER_assume(int);\nint g, h;\n";

/// The values of the inputs of a program, an input after the other.
#[track_caller]
fn domains(text: &str) -> Vec<Vec<u64>> {
    small_domains(&compile(&format!("{HEAD}{text}"))).into_values().collect()
}

#[test]
fn a_mask_has_all_its_results() {
    let values = &domains("int main(void) { g = __VERIFIER_nondet_int() & 63; return 0; }")[0];
    let mut results: Vec<u64> = values.iter().map(|value| value & 63).collect();
    results.sort_unstable();
    results.dedup();
    assert_eq!(results, (0..64).collect::<Vec<u64>>());
}

#[test]
fn an_assertion_fails_for_some_input() {
    let values = &domains("int main(void) { int x = __VERIFIER_nondet_int(); assert(x != 7); return 0; }")[0];
    assert!(values.contains(&7) && values.len() == 2, "{values:?}");
    // The function of SV-COMP is one instruction, without a branch.
    let values = &domains(
        "void __VERIFIER_assert(int); int main(void) { __VERIFIER_assert(__VERIFIER_nondet_int() != 7); return 0; }",
    )[0];
    assert!(values.contains(&7) && values.len() == 2, "{values:?}");
    // What comes behind the assertion sees no difference.
    let values =
        &domains("int main(void) { unsigned char x = __VERIFIER_nondet_uchar(); assert(x < 200); return 0; }")[0];
    assert!(values.iter().any(|&x| x >= 200) && values.iter().any(|&x| x < 200), "{values:?}");
}

#[test]
fn an_excluded_input_matters_after_a_visible_step() {
    let text = |step: &str| {
        format!(
            "int main(void) {{ int x = __VERIFIER_nondet_int(); {step} __VERIFIER_assume(x == 3); g = 2; return 0; }}"
        )
    };
    let thread = "void *t(void *arg) { assert(g != 1 || h); return 0; }\n";
    let program = |step: &str| {
        let main = text(&format!("pthread_t id; pthread_create(&id, 0, t, 0); {step}"));
        domains(&format!("{thread}{}", main))[0].clone()
    };
    // Others may go on from there, whatever becomes of this thread.
    let stopped = program("g = 1;");
    assert!(stopped.contains(&3) && stopped.iter().any(|&x| x != 3), "{stopped:?}");
    assert_eq!(domains(&text(""))[0], [3]);
}

#[test]
fn an_excluded_input_matters_after_what_may_go_wrong() {
    for step in ["h = 1 / y;", "y + 1;", "1 << y;", "assert(y);"] {
        let main = "int main(void) { int y = g, x = __VERIFIER_nondet_int(); if (x > 3) {";
        let stopped = &domains(&format!("{main} {step} __VERIFIER_assume(x < 0); }} return 0; }}"))[0];
        assert!(stopped.iter().any(|&x| (4..1 << 31).contains(&x)), "{step} {stopped:?}");
    }
}

#[test]
fn a_function_that_is_called_in_other_ways_returns_anything() {
    let fetch = "int any(void) { return __VERIFIER_nondet_int(); }\n";
    let direct = format!("{fetch}int main(void) {{ g = any() == 3; return 0; }}");
    assert_eq!(domains(&direct)[0].len(), 2);
    // Through the pointer all values matter: there are too many.
    for taken in ["int (*p)(void) = any; h = p();", "int (*p)(void); p = h ? any : 0; if (p) g = p() * 5;"] {
        let text = format!("{fetch}int main(void) {{ g = any() == 3; {taken} return 0; }}");
        assert_eq!(domains(&text), Vec::<Vec<u64>>::new(), "{taken}");
    }
    let thread = "void *any(void *arg) { return (void *)(long)__VERIFIER_nondet_int(); }\n\
        int main(void) { pthread_t id; void *r; pthread_create(&id, 0, any, 0); g = any(0) == (void *)3;\n\
        pthread_join(id, &r); h = (long)r; return 0; }";
    assert_eq!(domains(thread), Vec::<Vec<u64>>::new());
}
