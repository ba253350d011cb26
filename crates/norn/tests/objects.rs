//! The lives of objects, and what is done to objects that do not allow it: every engine under every model says the same.

mod support;

use support::Folder;

const ENGINES: [&str; 5] = ["enumerate", "states", "stateless", "events", "rounds"];
const MODELS: [&str; 3] = ["sc", "tso", "pso"];
const HEADERS: &str = "#include <pthread.h>\n#include <stdlib.h>\n#include <assert.h>\n#include <stdatomic.h>\n\
                       #include <string.h>\n#define ATOMIC_BEGIN __VERIFIER_atomic_begin()\n\
                       #define ATOMIC_END __VERIFIER_atomic_end()\n\
                       void __VERIFIER_atomic_begin(void);\nvoid __VERIFIER_atomic_end(void);\n#line 1 \"a.c\"\n";
const CREATE: &str = "pthread_t q; pthread_create(&q, 0, t, 0);";
const JOIN: &str = "pthread_join(q, 0);";

struct Programs(Folder);

impl Programs {
    fn new(test: &str) -> Programs {
        Programs(Folder::new(&format!("objects_{test}")))
    }

    /// The last line, from the verdict on and without the model, is this, whatever engine is asked.
    fn check(&self, program: &str, expected: &str) {
        self.check_with(program, &[], [expected; 3], &[]);
    }

    /// The same where the verdict begins like this, and some engines may not know.
    fn check_but(&self, unsure: &[&str], program: &str, expected: &str) {
        self.check_with(program, &["--unwind", "3"], [expected; 3], unsure);
    }

    fn check_with(&self, program: &str, options: &[&str], expected: [&str; 3], unsure: &[&str]) {
        let program = program.replace("CREATE;", CREATE).replace("JOIN;", JOIN);
        self.0.write("a.c", format!("{HEADERS}{program}\n"));
        for engine in ENGINES {
            for (model, expected) in MODELS.into_iter().zip(expected) {
                let args = ["check", "-e", engine, "-m", model, "--memory-safety"];
                let run = self.0.norn(&[&args[..], options, &["a.c"]].concat());
                let stdout = run.stdout();
                let last = stdout.lines().last().unwrap_or_default();
                let said = last.replace(&format!(" ({model})"), "");
                if unsure.contains(&engine) && run.status() == 5 {
                    continue;
                }
                let fits = said.starts_with(&format!("norn: {expected}"));
                assert!(fits, "{engine} under {model}: {last}, not {expected}\n{}\n{program}", run.stderr());
                let status = if expected.starts_with("unsafe") { 10 } else { 0 };
                assert_eq!(run.status(), status, "{engine} under {model}\n{program}");
            }
        }
    }
}

#[test]
fn threads_are_created_again_right_after_a_join() {
    let programs = Programs::new("created_again");
    programs.check(
        "int x; void *t(void *a) { x++; return a; }\n\
         int main(void) { pthread_t p; for (int i = 0; i < 2; i++) { pthread_create(&p, 0, t, 0); pthread_join(p, 0); }\n\
         assert(x != 2); }",
        "unsafe: assertion failed at a.c:3",
    );
    programs.check(
        "void *u(void *a) { return a; }\n\
         void *t(void *a) { pthread_t p; pthread_create(&p, 0, u, 0); pthread_join(p, 0);\n\
         pthread_create(&p, 0, u, 0); pthread_join(p, 0); return (void *)1; }\n\
         int main(void) { void *r; CREATE; pthread_join(q, &r); pthread_create(&q, 0, t, 0); pthread_join(q, &r);\n\
         assert(!r); }",
        "unsafe: assertion failed at a.c:5",
    );
    // The last thread goes wrong at once, while another still has something to do.
    programs.check(
        "int x; void *t(void *a) { x++; return a; }\nvoid *bad(void *a) { assert(0); return a; }\n\
         int main(void) { CREATE; x = 3; pthread_create(&q, 0, bad, 0); }",
        "unsafe: assertion failed at a.c:2",
    );
}

#[test]
fn writes_to_constants_are_violations() {
    let programs = Programs::new("constants");
    let wrong = |program: &str| programs.check(program, "unsafe: write to a constant object at a.c:2");
    wrong("\nint main(void) { char *p = \"abc\"; p[0] = 1; }");
    wrong("const int c = 3;\nint main(void) { *(int *)&c = 1; }");
    wrong("const _Atomic int c = 3;\nint main(void) { atomic_store((_Atomic int *)&c, 1); }");
    wrong("const _Atomic int c = 3;\nint main(void) { atomic_fetch_add((_Atomic int *)&c, 0); }");
    // A compare-and-exchange writes, on hardware, even where it fails.
    wrong(
        "const _Atomic int c = 3;\n\
         int main(void) { int e = 5; atomic_compare_exchange_strong((_Atomic int *)&c, &e, 1); }",
    );
    wrong(
        "const pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
         int main(void) { pthread_mutex_lock((pthread_mutex_t *)&m); }",
    );
    wrong("const int c = 3;\nvoid *t(void *a) { *(int *)&c = 1; return a; } int main(void) { CREATE; JOIN; }");
    wrong("static const char c[3] = \"ab\";\nint main(void) { memset((char *)c, 0, 2); }");
    // Which object it is depends on the other thread.
    wrong(
        "const int c = 3; int x; int *p = &x; void *t(void *a) { p = (int *)&c; return a; }\n\
         int main(void) { CREATE; *p = 1; }",
    );
    programs.check(
        "const int c = 3; const char s[] = \"abc\";\n\
         int main(void) { int *p = (int *)&c; assert(*p == 3 && s[1] == 'b' && \"xy\"[1] == 'y'); }",
        "safe",
    );
}

#[test]
fn one_life_is_ended_twice() {
    let programs = Programs::new("ended_twice");
    let heap = "int *p; void *t(void *a) { free(p); return a; }\nint main(void) { p = malloc(4); CREATE;";
    programs.check(&format!("{heap} free(p); }}"), "unsafe: double free at a.c:");
    programs.check(&format!("{heap} JOIN; free(p); }}"), "unsafe: double free at a.c:2");
    programs.check(
        "void *t(void *a) { free(a); return a; }\n\
         int main(void) { pthread_t q, r; int *p = malloc(4); pthread_create(&q, 0, t, p); pthread_join(q, 0);\n\
         pthread_create(&r, 0, t, p); pthread_join(r, 0); }",
        "unsafe: double free at a.c:1",
    );
    // By a section each, one of them after all.
    programs.check(
        "int *p; void *t(void *a) { ATOMIC_BEGIN; if (p) free(p); ATOMIC_END; return a; }\n\
         int main(void) { p = malloc(4); CREATE; ATOMIC_BEGIN; free(p); p = 0; ATOMIC_END; }",
        "unsafe: double free at a.c:2",
    );
    programs.check(
        "int *p; _Atomic int taken; void *t(void *a) { if (!atomic_exchange(&taken, 1)) free(p); return a; }\n\
         int main(void) { p = malloc(4); CREATE; if (!atomic_exchange(&taken, 1)) free(p); }",
        "safe",
    );
    programs.check(
        "int *p; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
         void *t(void *a) { pthread_mutex_lock(&m); free(p); p = 0; pthread_mutex_unlock(&m); return a; }\n\
         int main(void) { p = malloc(4); CREATE; t(0); }",
        "safe",
    );
}

#[test]
fn lives_end_beside_accesses() {
    let programs = Programs::new("beside_accesses");
    programs.check(
        "int *p; void *t(void *a) { *p = 1; return a; }\nint main(void) { p = malloc(4); CREATE; free(p); }",
        "unsafe: use after free at a.c:1",
    );
    programs.check(
        "int *p; void *t(void *a) { p = realloc(p, 8); return a; }\n\
         int main(void) { p = malloc(4); *p = 0; CREATE; *p = 2; }",
        "unsafe: use after free at a.c:",
    );
    programs.check(
        "int *p; void *t(void *a) { *p = 3; return a; }\n\
         int main(void) { pthread_t q; { int x = 0; p = &x; pthread_create(&q, 0, t, 0); } pthread_join(q, 0); }",
        "unsafe: use after free at a.c:1",
    );
    programs.check(
        "int g; void *t(void *a) { free(&g); return a; }\nint main(void) { CREATE; g = 1; }",
        "unsafe: free of what malloc did not give at a.c:1",
    );
    programs.check(
        "int *p; void *t(void *a) { free(p + 1); return a; }\nint main(void) { p = malloc(8); CREATE; p[0] = 1; }",
        "unsafe: free of what malloc did not give at a.c:1",
    );
    // The store may still be in the buffer when its thread says that it is done.
    programs.check_with(
        "int *p; int x; void *t(void *a) { int *l = p; *l = 1; x = 1; return a; }\n\
         int main(void) { p = malloc(4); CREATE; if (x) free(p); }",
        &[],
        ["safe", "safe", "unsafe: use after free at a.c:1"],
        &[],
    );
    // Nobody but the thread that comes too late touches it.
    programs.check(
        "void *t(void *a) { int *x = malloc(4); free(x); return x; }\n\
         int main(void) { void *r; CREATE; pthread_join(q, &r); *(int *)r = 1; }",
        "unsafe: use after free at a.c:2",
    );
    programs.check(
        "void *t(void *a) { int x; return &x; }\n\
         int main(void) { void *r; CREATE; pthread_join(q, &r); *(int *)r = 1; }",
        "unsafe: use after free at a.c:2",
    );
}

#[test]
fn pointers_into_frames_stay_dangling() {
    let programs = Programs::new("frames");
    programs.check(
        "int *f(void) { int x = 1; return &x; }\nint main(void) { int *p = f(); f(); return *p; }",
        "unsafe: use after free at a.c:2",
    );
    // The function is active again, in the same place.
    let leaf = "int *p; static void leaf(int set) { int x = 5; if (set) p = &x; else x =\n*p; }";
    programs.check(&format!("{leaf} int main(void) {{ leaf(1); leaf(0); }}"), "unsafe: use after free at a.c:2");
    programs.check(
        &format!("{leaf} static void mid(int set) {{ leaf(set); }} int main(void) {{ mid(1); mid(0); }}"),
        "unsafe: use after free at a.c:2",
    );
    programs.check_but(
        &[],
        "int *g; void h(int n) { int x = n; if (n == 2) g = &x; if (n) h(n - 1); if (n == 1)\n*g = 1; }\n\
         int main(void) { h(2); h(1); }",
        "unsafe: use after free at a.c:2",
    );
    // Another thread has the pointer.
    programs.check(
        "int *p; void *t(void *a) { if (p)\n*p = 1; return a; }\n\
         static void f(void) { int x = 0; p = &x; CREATE; } int main(void) { f(); f(); }",
        "unsafe: use after free at a.c:2",
    );
    programs.check_but(
        &[],
        "void h(int n, int *g) { int x = n; if (n) h(n - 1, &x); if (g) *g = x; }\n\
         int main(void) { h(2, 0); h(1, 0); }",
        "safe",
    );
    programs.check("int main(void) { int *p = ({ int x = 1; &x; }); return\n*p; }", "unsafe: use after free at a.c:2");
}

#[test]
fn pointers_to_locals_of_earlier_iterations_dangle() {
    let programs = Programs::new("iterations");
    programs.check(
        "int main(void) { int *p = 0; for (int i = 0; i < 2; i++) { int x = i; if (i == 1)\n*p = 2; p = &x; } }",
        "unsafe: use after free at a.c:2",
    );
    programs.check(
        "int *p[2]; int main(void) { for (int i = 0; i < 2; i++) { int a[2]; a[0] = i; p[i] = a; }\nreturn p[0][0]; }",
        "unsafe: use after free at a.c:2",
    );
    programs.check(
        "int *p; int main(void) { int n = 2; for (int i = 0; i < 2; i++) { int a[n]; a[0] = i; if (i)\n*p = 1; p = a; } }",
        "unsafe: use after free at a.c:2",
    );
    programs.check(
        "void *t(void *a) { int *p = a;\n*p = 1; return a; }\n\
         int main(void) { pthread_t q[2]; for (int i = 0; i < 2; i++) { int x = i; pthread_create(&q[i], 0, t, &x); } }",
        "unsafe: use after free at a.c:2",
    );
    programs.check(
        "void *t(void *a) { int *p = a; *p = 1; return a; }\n\
         int main(void) { pthread_t q; for (int i = 0; i < 2; i++) { int x = i; pthread_create(&q, 0, t, &x);\n\
         pthread_join(q, 0); assert(x == 1); } }",
        "safe",
    );
    // The place on the stack is the same, and so is the address.
    programs.check(
        "int *g; int main(void) { int same = 0; for (int i = 0; i < 2; i++) { int x = i; same = g == &x; g = &x; }\n\
         assert(same); }",
        "safe",
    );
}

#[test]
fn thread_locals_end_with_their_threads() {
    let programs = Programs::new("thread_locals");
    programs.check(
        "__thread int own; int *p; void *t(void *a) { own = 1; p = &own; return a; }\n\
         int main(void) { CREATE; JOIN; *p = 2; }",
        "unsafe: use after free at a.c:2",
    );
    programs.check(
        "__thread int own; void *t(void *a) { return &own; }\n\
         int main(void) { void *r; CREATE; pthread_join(q, &r); return *(int *)r; }",
        "unsafe: use after free at a.c:2",
    );
    programs.check(
        "__thread int own; int *_Atomic p; void *t(void *a) { p = &own; return a; }\n\
         int main(void) { CREATE; int *l = p; if (l) *l = 1; }",
        "unsafe: use after free at a.c:2",
    );
    programs.check(
        "__thread int own; int *p; void *t(void *a) { *p = 4; own = 1; return a; }\n\
         int main(void) { p = &own; CREATE; JOIN; assert(own == 4); }",
        "safe",
    );
}

#[test]
fn a_section_that_a_bound_cuts_is_not_entered() {
    let programs = Programs::new("sections");
    let check = |program: &str, expected: &str| {
        programs.check_with(program, &["--unwind", "3"], [expected; 3], &[]);
    };
    let around = |inside: &str, after: &str| {
        format!(
            "int x, y, n = 1; void r(int k) {{ y++; if (k) r(k - 1); }}\n\
             void *t(void *a) {{ ATOMIC_BEGIN; x = 1; {inside} x = 0; ATOMIC_END; return a; }}\n\
             int main(void) {{ CREATE; n = 5; assert(x == 0); {after} }}"
        )
    };
    check(&around("for (int i = 0; i < n; i++) y++;", ""), "safe up to unwind 3 at a.c:2");
    check(&around("r(n);", ""), "safe up to unwind 3 at a.c:1");
    check(&around("while (1);", ""), "safe");
    // What is possible within the bound still is.
    check(&around("for (int i = 0; i < n; i++) y++;", "JOIN; assert(y != 1);"), "unsafe: assertion failed at a.c:3");
    check(&around("for (int i = 0; i < n; i++) assert(i < 2);", ""), "unsafe: assertion failed at a.c:2");
}

#[test]
fn pointers_that_were_never_set() {
    let programs = Programs::new("never_set");
    let access = |program: &str| {
        // Which number it is taken for is the engine's choice: null, or one that is no address.
        programs.0.write("a.c", format!("{HEADERS}{program}\n"));
        for (engine, model) in ENGINES.into_iter().flat_map(|engine| MODELS.map(|model| (engine, model))) {
            let run = programs.0.norn(&["check", "-e", engine, "-m", model, "--memory-safety", "a.c"]);
            let stdout = run.stdout();
            let last = stdout.lines().last().unwrap_or_default();
            let fits = last.starts_with(&format!("norn: unsafe ({model})")) && last.ends_with("dereferenced at a.c:1");
            assert!(fits, "{engine} under {model}: {last}\n{}\n{program}", run.stderr());
        }
    };
    access("int main(void) { int *p; *p = 1; }");
    access("int main(void) { int *p; return p[1]; }");
    access("int main(void) { int *p[2]; *p[1] = 1; }");
    access("int main(void) { int **p = malloc(sizeof *p); **p = 1; }");
    access("int *q; int main(void) { int *p; q = p; *q = 1; }");
    access("int *f(void) { } int main(void) { int *p = f(); *p = 1; }");
    access("int main(void) { void (*f)(void); f(); }");
    access("void (*f)(void); int main(void) { f(); }");
    access("int main(void) { void *(*f)(void *); pthread_t q; pthread_create(&q, 0, f, 0); }");
    access("int main(void) { _Atomic int *p; atomic_fetch_add(p, 1); }");
    access("int main(void) { pthread_mutex_t *p; pthread_mutex_lock(p); }");
    access("int main(void) { char *p; return strlen(p); }");
    programs.check("int main(void) { int *p; free(p); }", "unsafe: free of what malloc did not give at a.c:1");
}

#[test]
fn what_is_unsupported_hides_no_violation() {
    let programs = Programs::new("unsupported");
    programs.check(
        "int weird(void); int x; void *t(void *a) { if (x == 0) weird(); else assert(0); return a; }\n\
         int main(void) { CREATE; x = 1; JOIN; }",
        "unsafe: assertion failed at a.c:1",
    );
    programs.check(
        "int weird(void); int x; void *t(void *a) { x = 1; return a; }\n\
         int main(void) { CREATE; if (x == 0) weird(); else assert(0); JOIN; }",
        "unsafe: assertion failed at a.c:2",
    );
    // What comes silently behind a step does not take the step back.
    let beside = |program: &str| programs.check_but(&["rounds"], program, "unsafe: assertion failed at a.c:2");
    beside(
        "int weird(void); int x;\nvoid *t(void *a) { x = 1; assert(x != 1); return a; } int main(void) { CREATE; weird(); }",
    );
    beside(
        "int weird(void); int x; void *u(void *a) { x = 1; weird(); return a; }\n\
         void *t(void *a) { assert(!x); return a; }\n\
         int main(void) { CREATE; pthread_create(&q, 0, u, 0); }",
    );
    beside("int weird(void); void *t(void *a) { weird(); return a; }\nint main(void) { CREATE; assert(0); }");
}

/// `free` and the end of a scope are no fences: a processor goes on with stores to that memory still in its buffer, and with
/// those before them.
#[test]
fn the_end_of_a_life_drains_no_store_buffer() {
    let programs = Programs::new("no_drain");
    let weak = ["safe", "unsafe: assertion failed at a.c:", "unsafe: assertion failed at a.c:"];
    let buffering = |own: &str| {
        format!(
            "int x, y, r, s; int *volatile shared; void *t(void *a) {{ y = 1; __sync_synchronize(); r = x; return a; }}\n\
             void own(void) {{ {own} }}\n\
             int main(void) {{ CREATE; own(); s = y; JOIN; assert(r || s); }}"
        )
    };
    programs.check_with(&buffering("int *p = malloc(4); shared = p; x = 1; *p = 1; free(p);"), &[], weak, &[]);
    programs.check_with(&buffering("int i; shared = &i; x = 1; i = 1;"), &[], weak, &[]);
    programs.check_with(
        &buffering("x = 1; for (int j = 0; j < 2; j++) { int i; shared = &i; i = j; }"),
        &[],
        weak,
        &[],
    );
    // A section, a fence or an operation that needs an empty buffer waits for such stores as for any others.
    let fenced = "int *p = malloc(4); shared = p; x = 1; *p = 1; free(p); __sync_synchronize();";
    programs.check(&buffering(fenced), "safe");
    programs.check(
        &buffering("int *p = malloc(4); shared = p; x = 1; *p = 1; free(p); r += 0; ATOMIC_BEGIN; x = 1; ATOMIC_END;"),
        "safe",
    );
}

/// A store that its own thread's `free` made moot changes neither the next object in that place nor what others see.
#[test]
fn moot_stores_reach_no_object() {
    let programs = Programs::new("moot");
    programs.check(
        "int *volatile shared; int x; void *t(void *a) { x = 1; return a; }\n\
         void own(int v) { int i = v; shared = &i; int w = i; assert(w == v); i = v + 8; }\n\
         int main(void) { CREATE; own(1); own(2); own(3); JOIN; }",
        "safe",
    );
    // Another thread sees the object while it lives, with or without the store.
    let seen = |claim: &str| {
        format!(
            "int *volatile shared; int seen = 7; volatile int done; void *t(void *a) {{\n\
             ATOMIC_BEGIN; if (!done && shared) seen = *shared; ATOMIC_END; return a; }}\n\
             int main(void) {{ int *p = calloc(1, 4); shared = p; CREATE; *p = 1; done = 1; __sync_synchronize(); free(p);\n\
             JOIN; assert({claim}); }}"
        )
    };
    programs.check(&seen("seen == 0 || seen == 1 || seen == 7"), "safe");
    for claim in ["seen != 0", "seen != 1", "seen != 7"] {
        programs.check(&seen(claim), "unsafe: assertion failed at a.c:4");
    }
    // What another thread has in its buffer is a use after free when it comes too late.
    programs.check_with(
        "int *volatile shared; volatile int done; void *t(void *a) { int *p = shared; *p = 1; done = 1; return a; }\n\
         int main(void) { shared = malloc(4); CREATE; if (done) free(shared); JOIN; }",
        &[],
        ["safe", "safe", "unsafe: use after free at a.c:1"],
        &[],
    );
}

#[test]
fn objects_are_as_aligned_as_they_ask() {
    let programs = Programs::new("aligned");
    programs.check(
        "#define AT(x, n) assert(((unsigned long)&(x) & ((n)-1)) == 0)\n\
         typedef int line __attribute__((aligned(64)));\n\
         struct S { char c; _Alignas(64) int y; } s; char c; _Alignas(64) char g; line h;\n\
         int main(void) { char k = 0; _Alignas(64) char l; __attribute__((aligned(4096))) int m; line n; struct S t;\n\
         static char b; static _Alignas(256) char u;\n\
         AT(s, 64); AT(s.y, 64); AT(g, 64); AT(h, 64); AT(u, 256); AT(l, 64); AT(m, 4096); AT(n, 64); AT(t.y, 64); }",
        "safe",
    );
    // What nobody asked for is not there.
    programs.check(
        "int main(void) { char k, l, m; assert(((unsigned long)&k & 63) == 0 && ((unsigned long)&l & 63) == 0\n\
         && ((unsigned long)&m & 63) == 0); }",
        "unsafe: assertion failed at a.c:1",
    );
}
