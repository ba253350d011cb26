//! Whatever is fed to Norn, it answers with a diagnostic that shows where and what, and exit status 2.

mod support;

use norn_ir::number::low_8;
use support::Folder;

/// `norn ir a.c` on the text says all of `expected`, in this order, and exits with 2.
fn check(test: &str, text: impl AsRef<[u8]>, expected: &[&str]) {
    let folder = Folder::new(test);
    folder.write("a.c", text);
    let run = folder.norn(&["ir", "a.c"]);
    let said = run.stderr();
    assert_eq!(run.status(), 2, "{test}: {said}");
    assert!(run.stdout().is_empty(), "{test}: nothing should be printed as if it were IR");
    let mut rest = said.as_str();
    for part in expected {
        let Some(i) = rest.find(part) else { panic!("{test}: '{part}' should be said (in this order):\n{said}") };
        rest = &rest[i + part.len()..];
    }
    assert!(!said.contains("panicked"), "{test}: {said}");
}

#[test]
fn missing_file() {
    let folder = Folder::new("missing_file");
    let run = folder.norn(&["ir", "nowhere.c"]);
    assert_eq!(run.status(), 2);
    assert!(run.stderr().contains("nowhere.c"), "{}", run.stderr());
}

#[test]
fn missing_include() {
    check("missing_include", "#include \"lost.h\"\nint main(void) { return 0; }\n", &["lost.h", "a.c:1", "help"]);
}

#[test]
fn misspelled_header() {
    check("misspelled_header", "#include <pthreads.h>\nint main(void) { return 0; }\n", &["pthreads.h", "pthread.h"]);
}

#[test]
fn unterminated_comment() {
    check("unterminated_comment", "int x;\n/* no end\nint main(void) { return 0; }\n", &["comment", "a.c:2:1"]);
}

#[test]
fn unterminated_string() {
    check("unterminated_string", "int main(void) {\n  char *s = \"abc;\n  return 0; }\n", &["a.c:2:13"]);
}

#[test]
fn unterminated_macro_call() {
    check("unterminated_macro_call", "#define F(x) x\nint y = F(1;\n", &["F", "a.c:2"]);
}

#[test]
fn unterminated_conditional() {
    check("unterminated_conditional", "#if 1\nint main(void) { return 0; }\n", &["#endif", "a.c:1", "#if 1"]);
}

#[test]
fn type_error() {
    let text = "struct s { int a; };\nint main(void) {\n  struct s v;\n  return v + 1;\n}\n";
    check("type_error", text, &["a.c:4", "return v + 1;"]);
}

#[test]
fn undeclared_variable_with_suggestion() {
    let text = "int counter;\nint main(void) {\n  return conter;\n}\n";
    check("undeclared_variable", text, &["'conter'", "a.c:3:10", "counter"]);
}

#[test]
fn undeclared_type() {
    check(
        "undeclared_type",
        "int main(void) {\n  pthread_t t;\n  return 0;\n}\n",
        &["'pthread_t'", "a.c:2:3", "pthread.h"],
    );
}

#[test]
fn redefinition() {
    let text = "int f(void) { return 1; }\nint f(void) { return 2; }\nint main(void) { return f(); }\n";
    check("redefinition", text, &["'f'", "a.c:2:5", "a.c:1:5"]);
}

#[test]
fn several_errors_in_one_run() {
    let text = "int main(void) {\n  first = 1;\n  second = 2;\n  return 0;\n}\nint g(void) { return third; }\n";
    check("several_errors", text, &["'first'", "'second'", "'third'"]);
}

#[test]
fn missing_semicolon() {
    check("missing_semicolon", "int main(void) {\n  int x = 1\n  return x;\n}\n", &["';'", "a.c:2"]);
}

#[test]
fn binary_garbage() {
    let garbage = (0..4096u32).map(|i| low_8(u64::from(i.wrapping_mul(2_654_435_761) >> 13))).collect::<Vec<_>>();
    check("binary_garbage", garbage, &["a.c"]);
}

#[test]
fn include_loop() {
    let folder = Folder::new("include_loop");
    folder.write("a.c", "#include \"a.h\"\nint main(void) { return 0; }\n");
    folder.write("a.h", "#include \"b.h\"\n");
    folder.write("b.h", "#include \"a.h\"\n");
    let run = folder.norn(&["ir", "a.c"]);
    assert_eq!(run.status(), 2, "{}", run.stderr());
    assert!(run.stderr().contains("include"), "{}", run.stderr());
}

#[test]
fn deep_parentheses() {
    let deep = 100_000;
    let text = format!("int main(void) {{\n  return {}0{};\n}}\n", "(".repeat(deep), ")".repeat(deep));
    check("deep_parentheses", text, &["deep", "a.c:2"]);
}

#[test]
fn deep_blocks() {
    let deep = 100_000;
    check("deep_blocks", format!("int main(void) {}{}\n", "{".repeat(deep), "}".repeat(deep)), &["deep", "a.c:1"]);
}

#[test]
fn deep_initialisers_and_declarators() {
    let deep = 100_000;
    check("deep_initialisers", format!("int x = {}0{};\n", "{".repeat(deep), "}".repeat(deep)), &["deep"]);
    check("deep_declarators", format!("int {}x{};\n", "(*".repeat(deep), ")".repeat(deep)), &["deep"]);
}

#[test]
fn empty_file() {
    check("empty_file", "", &["no function 'main'", "--entry"]);
}

#[test]
fn file_without_main() {
    check("file_without_main", "int f(void) { return 0; }\n", &["no function 'main'", "--entry"]);
}

#[test]
fn error_directive() {
    check("error_directive", "#error this needs C++\nint main(void) { return 0; }\n", &["this needs C++", "a.c:1"]);
}

#[test]
fn macro_blow_up() {
    let mut text = String::from("#define A0 x x\n");
    for i in 1..40 {
        text.push_str(&format!("#define A{i} A{} A{}\n", i - 1, i - 1));
    }
    text.push_str("int main(void) { A39; return 0; }\n");
    check("macro_blow_up", text, &["a.c:41"]);
}

#[test]
fn truncated_anywhere() {
    let whole = std::fs::read_to_string(support::project().join("examples/dekker.c")).expect("the example is there");
    let folder = Folder::new("truncated_anywhere");
    let cuts = (0..whole.len()).filter(|&i| whole.is_char_boundary(i)).step_by(whole.len() / 40);
    for cut in cuts {
        folder.write("a.c", &whole[..cut]);
        let run = folder.norn(&["ir", "a.c"]);
        assert!(matches!(run.status(), 0 | 2), "cut at {cut}: exit {}\n{}", run.status(), run.stderr());
    }
}

#[test]
fn wrong_usage_is_exit_1() {
    let folder = Folder::new("wrong_usage");
    for args in [&["ir"][..], &["ir", "--no-such-option", "a.c"], &["weave", "a.c"], &["ir", "--32", "--64", "a.c"]] {
        assert_eq!(folder.norn(args).status(), 1, "{args:?}");
    }
    assert_eq!(folder.norn(&["--help"]).status(), 0);
    assert_eq!(folder.norn(&["--version"]).status(), 0);
}

#[test]
fn wide_integers_need_wide_pointers() {
    let folder = Folder::new("wide_integers");
    for text in ["__int128 x;", "typedef _Atomic(unsigned __int128) t;", "__int128_t x;"] {
        folder.write("a.c", format!("{text}\nint main(void) {{ return 0; }}\n"));
        let run = folder.norn(&["ir", "--32", "a.c"]);
        assert_eq!(run.status(), 2, "{text}: {}", run.stderr());
        assert!(folder.norn(&["ir", "a.c"]).status() != 2, "{text}");
    }
}
