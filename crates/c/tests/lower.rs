//! C in, IR out: each `tests/lower/NAME.c` is lowered and compared with `NAME.ir`.
//!
//! The IR is shown without the library's functions, whose text is not under test here. A first line `// option: …` sets
//! an option: `nondet` (undefined functions return any value), `entry NAME`, `ilp32`.

use norn_c::driver::{Compiled, Input, compile};
use norn_c::session::{Options, Target};
use norn_ir::ids::FuncId;
use norn_ir::print::print_function;
use norn_ir::program::{Origin, Program};
use norn_testing::golden;
use std::fmt::Write;

fn options(text: &str) -> Options {
    let mut options = Options::default();
    let line = text.lines().next().and_then(|line| line.strip_prefix("// option: "));
    match line.and_then(|line| line.split_once(' ').or(Some((line, "")))) {
        Some(("nondet", _)) => options.undefined_functions_return_nondet = true,
        Some(("entry", name)) => options.entry = name.to_owned(),
        Some(("ilp32", _)) => options.target = Target::Ilp32,
        _ => {}
    }
    options
}

fn lower_files(files: &[(&str, &str)]) -> Compiled {
    let text = |&(name, text): &(&str, &str)| Input::Text { name: name.to_owned(), text: text.to_owned() };
    let options = options(files[0].1);
    let target = Some(options.target);
    compile(options, target, files.iter().map(text).collect())
}

fn render(compiled: &Compiled) -> String {
    let mut out = String::new();
    for diagnostic in &compiled.diagnostics {
        writeln!(out, "{:?}: {}", diagnostic.severity, diagnostic.message).expect("a string can be written");
        for label in &diagnostic.labels {
            if let Some(p) = compiled.sources.presumed(label.loc) {
                writeln!(out, "  {}:{}:{} {}", p.file, p.line, p.column, label.text).expect("a string can be written");
            }
        }
    }
    let Some(program) = &compiled.program else { return out };
    let text = program.to_string();
    let header = text.split("\nfunction ").next().unwrap_or_default();
    out.push_str(header);
    for id in (0..program.functions.len()).map(FuncId::new) {
        let function = program.function(id);
        if function.origin == Origin::User || function.name.starts_with("__norn_") {
            out.push('\n');
            out.push_str(&print_function(program, id));
        }
    }
    out
}

#[test]
fn files() {
    let inputs = golden::inputs(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/lower"), "c");
    golden::check(inputs.map(|(path, text)| {
        let compiled = lower_files(&[(&golden::name(&path), &text)]);
        (path.with_extension("ir"), render(&compiled))
    }));
}

#[track_caller]
fn check_link(files: &[(&str, &str)], expected: &str) {
    let compiled = lower_files(files);
    let names = |program: &Program| {
        let globals = program.globals.iter().map(|g| g.name.clone());
        let functions = program.functions.iter().map(|f| f.name.clone());
        globals.chain(functions).collect::<Vec<_>>().join(" ")
    };
    let mut found: Vec<String> = compiled.diagnostics.iter().map(|d| d.message.clone()).collect();
    found.extend(compiled.program.as_ref().map(names));
    assert_eq!(found.join("\n"), expected);
}

#[test]
fn units_are_joined_by_name() {
    check_link(
        &[
            ("a.c", "extern int x[]; int f(void); static int s; int main(void) { return f() + x[1] + s; }"),
            ("b.c", "int x[2] = {1, 2}; static int s = 3; int f(void) { return s; }"),
        ],
        "x s s.1 main f",
    );
}

#[test]
fn clashes_are_reported() {
    check_link(
        &[
            ("a.c", "int x = 1; int f(void) { return 1; } int main(void) { return 0; }"),
            ("b.c", "int x = 2; int f(void) { return 2; }"),
        ],
        "'f' is defined twice\n'x' is defined twice",
    );
    check_link(
        &[("a.c", "int x; int main(void) { return x; }"), ("b.c", "double x;")],
        "'x' is declared with different types in two files",
    );
    check_link(
        &[("a.c", "int x; int main(void) { return x; }"), ("b.c", "void x(void) {}")],
        "'x' is a function here and an object elsewhere",
    );
}

#[test]
fn only_what_is_needed_is_lowered() {
    check_link(
        &[(
            "a.c",
            "static void unused(void); static int a; static int b; int c;\
             static void used(void) { a = 1; } static void unused(void) { b = 1; }\
             static inline void idle(void) {} void external(void) {}\
             int main(void) { if (0) unused(); used(); return 0; }",
        )],
        "c a main external used",
    );
}

#[test]
fn a_program_needs_its_entry() {
    check_link(&[("a.c", "int f(void) { return 0; }")], "no function 'main'");
}

#[test]
fn an_object_needs_a_definition() {
    check_link(
        &[("a.c", "extern int x, y, z; int *q = &z; int main(void) { if (0) return y; return x + *q; }")],
        "'x' is declared but not defined in any file\n'z' is declared but not defined in any file",
    );
    // What the entry does not lead to may be defined elsewhere.
    check_link(
        &[("a.c", "extern int x, y[]; int *q = &x; int f(void) { return x + y[1]; } int main(void) { return 0; }")],
        "q x y main f",
    );
    check_link(&[("a.c", "extern int unused; int main(void) { return sizeof unused; }")], "main");
    check_link(
        &[("a.c", "extern int optind; extern char **environ; int main(void) { return optind + !*environ; }")],
        "optind environ variables main refuse",
    );
    check_link(
        &[("a.c", "extern const char *const sys_siglist[]; int main(void) { return sys_siglist[1][0]; }")],
        "sys_siglist .literal main",
    );
}

#[test]
fn what_is_not_supported_as_a_whole_gives_no_program() {
    check_link(
        &[("a.c", "struct s { char a[0x800000000000000]; int b; }; int main(void) { return 0; }")],
        "a type of 2^59 bytes or more",
    );
}

#[test]
fn bodies_for_inlining_give_way_to_the_library() {
    let hint = "extern inline __attribute__((gnu_inline))";
    let text = format!(
        "{hint} int printf(const char *f, ...) {{ return __builtin_va_arg_pack(); }}\
         {hint} int abs(int x) {{ return lost(x); }}\
         {hint} int mine(int x) {{ return x; }}\
         int main(void) {{ printf(\"\"); return abs(1) + mine(2); }}"
    );
    let warnings = "'__builtin_va_arg_pack' is called without a declaration\n'lost' is called without a declaration";
    check_link(&[("a.c", &text)], &format!("{warnings}\n.literal main abs mine"));
}
