//! `--reuse-memory`: bugs by addresses that the allocator gives out again, under every model and with every engine that has it.

mod support;

use support::Folder;

const ENGINES: [&str; 4] = ["enumerate", "states", "stateless", "auto"];
const MODELS: [&str; 3] = ["sc", "tso", "pso"];
const HEADERS: &str =
    "#include <pthread.h>\n#include <stdlib.h>\n#include <assert.h>\n#include <stdatomic.h>\n#line 1 \"a.c\"\n";

struct Programs(Folder);

impl Programs {
    fn new(test: &str, program: &str) -> Programs {
        let folder = Folder::new(&format!("reuse_{test}"));
        folder.write("a.c", format!("{HEADERS}{program}\n"));
        Programs(folder)
    }

    /// The verdict begins like this with these options, whatever engine is asked under these models.
    fn check_models(&self, models: &[&str], options: &[&str], expected: &str) {
        for engine in ENGINES {
            for model in models {
                let run = self.0.norn(&[&["check", "-e", engine, "-m", model], options, &["a.c"]].concat());
                let stdout = run.stdout();
                let last = stdout.lines().last().unwrap_or_default();
                let said = last.replace(&format!(" ({model})"), "");
                let fits = said.starts_with(&format!("norn: {expected}"));
                assert!(fits, "{engine} {model} {options:?}: {last}, not {expected}\n{}", run.stderr());
            }
        }
    }

    fn check(&self, options: &[&str], expected: &str) {
        self.check_models(&MODELS, options, expected);
    }
}

/// Two nodes on a stack. One thread pops once, the other pops both, keeps the second one, and pushes a new node. A pop looks at
/// the top and at what is below it, and then changes the top if it is still the same: the ABA problem.
const STACK: &str = "struct node { struct node *next; int kept; };\n\
    HEAD\n\
    static void push(struct node *n) { PUSH }\n\
    static struct node *pop(void) { POP }\n\
    void *once(void *arg) { pop(); return 0; }\n\
    int main(void) { pthread_t id;\n\
      push(calloc(1, sizeof(struct node))); push(calloc(1, sizeof(struct node)));\n\
      pthread_create(&id, 0, once, 0);\n\
      struct node *a = pop(), *b = pop();\n\
      if (a && b) { b->kept = 1; free(a); push(calloc(1, sizeof(struct node))); }\n\
      pthread_join(id, 0);\n\
      struct node *last = pop(); assert(!last || !last->kept);\n\
    }";

const PLAIN: [(&str, &str); 3] = [
    ("HEAD", "struct node *_Atomic head;"),
    ("PUSH", "n->next = head; struct node *h = n->next; atomic_compare_exchange_strong(&head, &h, n);"),
    (
        "POP",
        "struct node *h = head; if (!h) return 0; struct node *n = h->next;\n\
             return atomic_compare_exchange_strong(&head, &h, n) ? h : 0;",
    ),
];

const TAGGED: [(&str, &str); 3] = [
    ("HEAD", "struct top { struct node *first; unsigned long tag; }; _Atomic struct top head;"),
    (
        "PUSH",
        "struct top h = head; n->next = h.first; struct top new = { n, h.tag + 1 };\n\
              atomic_compare_exchange_strong(&head, &h, new);",
    ),
    (
        "POP",
        "struct top h = head; if (!h.first) return 0; struct top new = { h.first->next, h.tag + 1 };\n\
             return atomic_compare_exchange_strong(&head, &h, new) ? h.first : 0;",
    ),
];

fn stack(head: &[(&str, &str)]) -> String {
    head.iter().fold(STACK.to_owned(), |text, (name, code)| text.replace(name, code))
}

#[test]
fn a_stack_without_a_counter_breaks_by_reused_nodes() {
    let programs = Programs::new("plain", &stack(&PLAIN));
    programs.check(&["--only-assertions"], "safe");
    programs.check(&["--only-assertions", "--reuse-memory"], "unsafe: assertion failed");
    let run = programs.0.norn(&["check", "-e", "sample", "-m", "sc", "--only-assertions", "--reuse-memory", "a.c"]);
    assert_eq!(run.status(), 10, "{}", run.stdout());
}

#[test]
fn a_stack_with_a_counter_does_not() {
    let programs = Programs::new("tagged", &stack(&TAGGED));
    programs.check(&["--only-assertions", "--reuse-memory"], "safe");
}

/// What is used before the memory is given out again is found as always.
#[test]
fn stale_pointers_are_still_found() {
    let programs = Programs::new("stale", &stack(&TAGGED));
    programs.check(&["--reuse-memory"], "unsafe: use after free");
    let programs = Programs::new(
        "twice",
        "int main(void) { int *p = malloc(4); free(p); int *q = malloc(4); *q = 1; free(p); free(q); }",
    );
    programs.check(&["--reuse-memory"], "unsafe: double free");
    programs.check(&[], "unsafe: double free");
}

#[test]
fn only_memory_of_the_same_size_is_given_again() {
    let program = |allocation: &str| {
        format!("int main(void) {{ int *p = malloc(4); free(p); int *q = {allocation}; assert(p != q); free(q); }}")
    };
    for allocation in ["malloc(4)", "calloc(1, 4)", "realloc(0, 4)", "aligned_alloc(4, 4)"] {
        let programs = Programs::new("same_size", &program(allocation));
        programs.check_models(&["sc"], &["--reuse-memory"], "unsafe: assertion failed");
        programs.check_models(&["sc"], &[], "safe");
    }
    Programs::new("other_size", &program("malloc(8)")).check_models(&["sc"], &["--reuse-memory"], "safe");
    // Nor is memory that does not lie where it has to.
    let aligned = "int main(void) { void *a = malloc(4), *b = malloc(4); free(a); free(b); \
                   void *c = aligned_alloc(64, 4); assert((unsigned long)c % 64 == 0); free(c); }";
    Programs::new("other_alignment", aligned).check_models(&["sc"], &["--reuse-memory"], "safe");
}

/// What was in the memory is gone, and `calloc` clears it.
#[test]
fn memory_is_new() {
    let program =
        "int main(void) { int *p = malloc(4); *p = 7; free(p); int *q = calloc(1, 4); assert(*q == 0); free(q); }";
    Programs::new("cleared", program).check(&["--reuse-memory"], "safe");
    let program = "int main(void) { int *p = calloc(1, 4); free(p); int *q = malloc(4); assert(*q == 0); free(q); }";
    let programs = Programs::new("unknown", program);
    let run = programs.0.norn(&["check", "-e", "sample", "-m", "sc", "--reuse-memory", "a.c"]);
    assert_eq!(run.status(), 10, "{}", run.stdout());
}

/// Who gets memory that another thread has freed sees what that thread wrote before. The freeing thread itself does not wait.
#[test]
fn frees_synchronise_with_allocations() {
    let program = "int x, y; int *p, *q; int r = -1;\n\
        void *t(void *arg) { y = 1; int *mine = malloc(4); if (mine == (int *)arg) r = x; return 0; }\n\
        int main(void) { pthread_t id; p = malloc(4); pthread_create(&id, 0, t, p);\n\
          x = 1; free(p); BESIDE pthread_join(id, 0); assert(SEEN); }";
    let text = program.replace("BESIDE", "").replace("SEEN", "r != 0");
    Programs::new("seen", &text).check(&["--reuse-memory"], "safe");
    let text = program.replace("BESIDE", "").replace("SEEN", "r != 1");
    Programs::new("given", &text).check(&["--reuse-memory"], "unsafe: assertion failed");
    // Both threads read before they see the other's store, and main has its memory back: no allocation waits.
    let own = "int x, y, a = -1, b = -1; int *again;\n\
        void *t(void *arg) { y = 1; b = x; return 0; }\n\
        int main(void) { pthread_t id; int *p = malloc(4); pthread_create(&id, 0, t, 0);\n\
          x = 1; free(p); int *q = malloc(4); a = y; pthread_join(id, 0); assert(a || b || p != q); }";
    let programs = Programs::new("own", own);
    programs.check_models(&["tso", "pso"], &["--reuse-memory"], "unsafe: assertion failed");
    programs.check_models(&["sc"], &["--reuse-memory"], "safe");
}

/// The allocation may come after the commit that it has to wait for, though nobody reads what that writes.
#[test]
fn memory_comes_back_with_a_late_commit() {
    let program = "int x, flag; void *t(void *p) { x = 1; free(p); flag = 1; return 0; }\n\
        int main(void) { pthread_t id; int *p = malloc(4); pthread_create(&id, 0, t, p);\n\
          if (flag == 1 && x == 0) { int *q = malloc(4); assert(p != q); } }";
    let programs = Programs::new("late", program);
    programs.check_models(&["sc", "tso"], &["--reuse-memory"], "safe");
    programs.check_models(&["pso"], &["--reuse-memory"], "unsafe: assertion failed");
}

#[test]
fn data_races_end_where_memory_is_freed() {
    let program = "atomic_int full;\n\
        void *t(void *arg) { int *mine = malloc(4); FIRST if (mine == (int *)arg) full = 1; LAST return 0; }\n\
        int main(void) { pthread_t id; int *q = malloc(4); pthread_create(&id, 0, t, q);\n\
          *q = 1; free(q); if (full) *q = 3; pthread_join(id, 0); }";
    let check = |name: &str, first: &str, last: &str, expected: &str| {
        let programs = Programs::new(name, &program.replace("FIRST", first).replace("LAST", last));
        for engine in ["enumerate", "auto"] {
            for model in MODELS {
                let args = ["check", "-e", engine, "-m", model, "--reuse-memory", "--data-race", "a.c"];
                let stdout = programs.0.norn(&args).stdout();
                let last = stdout.lines().last().unwrap_or_default();
                assert!(last.contains(expected), "{engine} {model}: {last}");
            }
        }
    };
    check("ordered", "*mine = 2;", "", "safe");
    check("unordered", "", "*mine = 2;", "data race");
}

#[test]
fn engines_that_do_not_have_it_say_so() {
    let programs = Programs::new("others", "int main(void) { free(malloc(4)); }");
    for engine in ["events", "rounds"] {
        let run = programs.0.norn(&["check", "-e", engine, "-m", "sc", "--reuse-memory", "a.c"]);
        assert_eq!(run.status(), 5, "{}", run.stdout());
        assert!(run.stdout().contains("memory that is given out again"), "{}", run.stdout());
    }
    let run = programs.0.norn(&["robust", "--reuse-memory", "a.c"]);
    assert_eq!(run.status(), 1, "{}", run.stdout());
    assert!(run.stderr().contains("--reuse-memory"), "{}", run.stderr());
    let run = programs.0.norn(&["sequentialize", "--reuse-memory", "-m", "sc", "a.c"]);
    assert!(run.status() != 0 && run.stderr().contains("given out again"), "{}", run.stderr());
}

/// The schedule says which memory was given, and belongs to the program with reuse only.
#[test]
fn schedules_are_replayed() {
    let programs = Programs::new("schedule", "int main(void) { int *p = malloc(4); free(p); assert(p != malloc(4)); }");
    let folder = &programs.0;
    let written = ["check", "-m", "sc", "--reuse-memory", "--schedule-out", "bug.schedule", "a.c"];
    assert_eq!(folder.norn(&written).status(), 10);
    let run = folder.norn(&["run", "--schedule", "bug.schedule", "--reuse-memory", "a.c"]);
    assert_eq!(run.status(), 10, "{}{}", run.stdout(), run.stderr());
    let run = folder.norn(&["run", "--schedule", "bug.schedule", "a.c"]);
    assert!(run.stderr().contains("is of program"), "{}", run.stderr());
}
