//! The running example of Lazy-CSeq, translated for every model: `tests/golden/NAME.MODEL.c`, reviewed by people.

use norn_emit::{Options, Sma, Tool, sequentialize};
use norn_ir::program::Program;
use norn_passes::unwind::Bounds;
use norn_testing::{compile_named, golden};
use norn_verdict::model::Model;
use std::fs;
use std::path::Path;

fn example() -> Program {
    compile_named("producers_consumers.c", include_str!("golden/producers_consumers.c"))
}

fn options(model: Model, sma: Sma, tool: Tool) -> Options {
    Options {
        model,
        sma,
        tool,
        rounds: 2,
        timestamps: 4,
        nodes: None,
        locations: None,
        mallocs: None,
        bits: None,
        output: "sequential.c".to_owned(),
        source: "producers_consumers.c".to_owned(),
    }
}

fn bounds() -> Bounds {
    Bounds { default: 2, ..Bounds::default() }
}

#[test]
fn the_running_example() {
    let program = example();
    let cases = [
        ("sc", Model::Sc, Sma::List),
        ("tso", Model::Tso, Sma::List),
        ("pso", Model::Pso, Sma::List),
        ("tso-buffer", Model::Tso, Sma::Buffer),
        ("pso-buffer", Model::Pso, Sma::Buffer),
    ];
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    golden::check(cases.map(|(name, model, sma)| {
        let sequential = sequentialize(&program, &bounds(), &options(model, sma, Tool::Cbmc));
        let text = sequential.expect("it can be translated").text();
        (folder.join(format!("producers_consumers.{name}.c")), text)
    }));
}

/// For whomever it is written, and with whatever bounds, a C compiler has nothing to complain about.
#[test]
fn every_variant_compiles_without_warnings() {
    let temporary = Path::new(env!("CARGO_TARGET_TMPDIR")).join("variants");
    fs::create_dir_all(&temporary).expect("the folder should be made");
    let more = "#include <pthread.h>\n#include <stdlib.h>\n#include <string.h>\n#include <assert.h>\n\
                struct s { char c; short h; long l; float f; double d; unsigned b : 3, e : 5; } shared;\n\
                union u { int i; char c[4]; } pun; _Thread_local int own; double d; int i, getchar, setjmp, puts, y1; int *p; int table[3] = {1, -2, 3};\n\
                void *t(void *a) { own++; i = getchar + setjmp; y1 = puts + i; shared.f = (float)d * 2; shared.b = 5; *p = own + (int)d % 7 / (own | 1);\n\
                  pun.i = (int)shared.d >> 3; table[own & 1] += __builtin_popcount(own); free(malloc(own)); return a; }\n\
                int main(void) { int x; pthread_t a, b; void *r; p = &x; x = -5; pthread_create(&a, 0, t, &x);\n\
                  pthread_create(&b, 0, t, \"text\"); pthread_join(a, &r); assert(r == &x); pthread_join(b, 0);\n\
                  char buffer[40]; memset(buffer, 1, sizeof buffer); return buffer[3]; }\n";
    let programs = [example(), compile_named("more.c", more)];
    for (tool, sma) in [Tool::Cbmc, Tool::Esbmc, Tool::Svcomp, Tool::Norn, Tool::Cc]
        .into_iter()
        .flat_map(|tool| [Sma::List, Sma::Buffer].map(|sma| (tool, sma)))
    {
        for (number, program) in programs.iter().enumerate() {
            for (model, bits, few) in [
                (Model::Sc, None, None),
                (Model::Tso, None, None),
                (Model::Pso, Some(8), None),
                (Model::Tso, None, Some(1)),
            ] {
                let options = Options { bits, locations: few, mallocs: few, ..options(model, sma, tool) };
                let text = match sequentialize(program, &bounds(), &options) {
                    Ok(sequential) => sequential.text(),
                    // The list SMA does not do without types.
                    Err(refusal) if number == 1 && refusal.message.contains("not fixed") => continue,
                    Err(refusal) => panic!("{number} {model:?} {sma:?}: {refusal:?}"),
                };
                let path = temporary.join(format!("{number}-{tool:?}-{sma:?}-{model:?}.c"));
                fs::write(&path, text).expect("the text should be written");
                let mut cc = std::process::Command::new("cc");
                let run = cc.args(["-std=gnu11", "-fsyntax-only", "-Wall", "-Wextra", "-Werror"]).arg(&path).output();
                let run = run.expect("there should be a C compiler");
                assert!(run.status.success(), "{}: {}", path.display(), String::from_utf8_lossy(&run.stderr));
            }
        }
    }
}

/// Threads that start alike share a text while it is written. With a limit on allocated objects they do not, so the two
/// say the same but for the breaks of lines.
#[test]
fn threads_that_start_alike_are_as_if_written_one_by_one() {
    let text = "#include <pthread.h>\n#include <stdlib.h>\n#include <assert.h>\n\
                int total, *reach; double d; _Thread_local int mine;\n\
                void *work(void *arg) {\n\
                  int local = (int)(long)arg, seen = 0, *heap = malloc(sizeof *heap);\n\
                  if (!heap) return 0;\n\
                  *heap = local; reach = &seen; seen = total; d = pthread_self() == 1 ? __builtin_inf() : 0.5;\n\
                  mine = local + 3 * (pthread_self() == 1) + (pthread_self() != 0);\n\
                  total += mine + *heap; *reach += 1; free(heap);\n\
                  return arg; }\n\
                int main(void) { pthread_t t[3]; void *result;\n\
                  for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, work, (void *)(long)i);\n\
                  for (int i = 0; i < 3; i++) pthread_join(t[i], &result);\n\
                  assert(total >= 0 && result != &total); return 0; }\n";
    let program = compile_named("alike.c", text);
    for (model, sma) in [(Model::Sc, Sma::List), (Model::Tso, Sma::List), (Model::Pso, Sma::Buffer)] {
        let [together, apart] = [None, Some(1000)].map(|mallocs| {
            let options = Options { mallocs, ..options(model, sma, Tool::Cc) };
            let bounds = Bounds { default: 3, ..Bounds::default() };
            let text = sequentialize(&program, &bounds, &options).expect("it can be translated").text();
            let (_, text) = text.split_once("*/").expect("the head is a comment");
            text.lines()
                .filter(|line| !line.starts_with("#line"))
                .flat_map(str::split_whitespace)
                .collect::<Vec<_>>()
                .join(" ")
        });
        assert_eq!(together, apart, "{model:?}");
        for own in ["result[3] = ", "seen_of_2", "mine_of_3", "arg_3_0"] {
            assert!(together.contains(own), "{model:?}: '{own}'\n{together}");
        }
    }
}

fn refused(text: &str, sma: Sma, expected: &str, line: u32) {
    let text = format!("#include <pthread.h>\n#include <stdlib.h>\n#include <string.h>\n{text}");
    let program = compile_named("refused.c", &text);
    let refusal = sequentialize(&program, &bounds(), &options(Model::Tso, sma, Tool::Cc))
        .map(|_| ())
        .expect_err("it should be refused");
    assert!(refusal.message.contains(expected), "{}", refusal.message);
    assert_eq!(refusal.span.map(|span| span.line), Some(line), "{}", refusal.message);
}

#[test]
fn what_cannot_be_said_is_refused_with_its_line() {
    let start = "int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); return 0; }\n";
    let bytes = format!("int x[4];\nvoid *f(void *a) {{\n  x[0] = 1;\n  *(char *)x = 1;\n  return a; }}\n{start}");
    refused(&bytes, Sma::List, "an access of 1 bytes to 'x'", 7);
    let size =
        format!("int *p;\nvoid *f(void *a) {{\n  p = malloc((unsigned long)a);\n  *p = 1; return a; }}\n{start}");
    refused(&size, Sma::List, "whose size and type are not fixed", 6);
    let realloc = format!("int *p;\nvoid *f(void *a) {{\n  p = malloc(4);\n  p = realloc(p, 8); return a; }}\n{start}");
    refused(&realloc, Sma::Buffer, "size of allocated memory", 7);
    let union = format!(
        "union {{ int i; char c[4]; }} u;\nvoid *f(void *a) {{\n  u.i = 1;\n  u.c[1] = 2; return a; }}\n{start}"
    );
    refused(&union, Sma::List, "'u' is accessed with several sizes", 6);
    let before = format!("int x[4];\nvoid *f(void *a) {{\n  x[-1] = 1;\n  return a; }}\n{start}");
    refused(&before, Sma::List, "before the beginning of an object", 6);
    let arguments = "void *g(void *a, int *b) { *b = 1; return a; }\nvoid *f(void *a) { return a; }\n\
                     int main(void) {\n  pthread_t t; pthread_create(&t, 0, (void *(*)(void *))g, 0); return 0; }\n";
    refused(arguments, Sma::List, "'g' is started with too few arguments", 7);
}

#[test]
fn what_would_be_too_large_is_refused_with_its_line() {
    let text = "#include <pthread.h>\nint x;\nvoid *f(void *a) { x++; return a; }\nint main(void) {\n  pthread_t t;\n  \
                for (int i = 0; i < 1000; i++)\n    pthread_create(&t, 0, f, 0);\n  return 0; }\n";
    let program = compile_named("many.c", text);
    let translate = |bounds: Bounds| sequentialize(&program, &bounds, &options(Model::Sc, Sma::List, Tool::Cc));
    let threads = translate(Bounds { default: 300, ..Bounds::default() }).expect_err("there are too many threads");
    assert!(threads.message.contains("threads") && threads.span.is_some(), "{threads:?}");
    let small = Bounds { default: 300, max_instructions: 1000, ..Bounds::default() };
    let size = translate(small).expect_err("it is too large");
    assert!(size.message.contains("more than 1000 instructions") && size.span.is_some(), "{size:?}");
}
