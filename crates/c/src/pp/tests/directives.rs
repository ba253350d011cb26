//! Directives other than `#define` and `#include`, and what the lexer leaves for them.

use super::{check, check_findings, messages, run, with_macros};
use crate::session::{MacroOption, Options, Target};
use norn_ir::diag::Severity;

#[test]
fn conditionals_choose_one_group() {
    check("#if 0\na\n#elif 1\nb\n#elif 1\nc\n#else\nd\n#endif\ne", "b e");
    check("#if 0\na\n#elif 0\n#else\nd\n#endif\n", "d");
    check("#ifdef X\na\n#else\nb\n#endif\n#define X\n#ifdef X\nc\n#endif\n#ifndef X\nd\n#endif", "b c");
    check("#define X\n#if 0\n#elifdef Y\na\n#elifndef X\nb\n#elifdef X\nc\n#endif", "c");
    check("#if 1\n#if 0\na\n#else\nb\n#endif\n#else\n#if 1\nc\n#endif\n#endif", "b");
    // Nothing is evaluated after the group that was taken.
    check("#if 1\na\n#elif 1/0\nb\n#endif", "a");
}

#[test]
fn skipped_text_need_not_be_c() {
    check("#if 0\ndon't \" care\n/* #endif\n*/ #if 1\n\"/*\"\n#else\n#endif\n#bogus\n#include\n#endif\nx", "x");
    check("#if 0\n// \\\n#endif\n'\\\n#endif\n#endif\nx", "x");
    check("#if 0\n  /* c */ # /* d */ endif // e\nx", "x");
}

#[test]
fn conditions() {
    let holds = |condition: &str| check(&format!("#define M 1\n#define F(x) x\n#if {condition}\nyes\n#endif"), "yes");
    holds("1 ? 2 : 1/0");
    holds("-1 < 0u == 0 && -1 > 0u");
    holds("'a' == 97 && '\\377' < 0 && L'\\377' > 0 && 'ab' == 24930");
    holds("2 || 1/0");
    holds("!(0 && 1/0)");
    holds("0x10 == 16 && 010 == 8 && 0b11 == 3 && 10ull == 10");
    holds("-1 >> 1 == -1 && (-1u >> 63) == 1 && 1 << 3 == 8 && 1 << 64 == 0 && 8 >> -1 == 16");
    holds("7 / 2 == 3 && -7 % 3 == -1 && ~0 == -1 && (1, 2) == 2 && - -1 == 1 && !!5 == 1");
    holds("1 + 2 * 3 == 7 && (1 + 2) * 3 == 9 && 10 - 2 - 3 == 5 && (1 | 6 ^ 3 & 2) == 5");
    holds("(0 ? 1 : 0 ? 2 : 3) == 3 && (1 ? 2 : 0 ? 3 : 4) == 2");
    holds("defined M && defined(F) && !defined(N) && F(defined(M))");
    holds("unknown == 0 && !int && true == 0");
    holds("0x7fffffffffffffff + 1 < 0 && 0xffffffffffffffff == -1");
    holds("(-0x7fffffffffffffff - 1) / -1 == -0x7fffffffffffffff - 1 && (-0x7fffffffffffffff - 1) % -1 == 0");
    holds("__has_attribute(__packed__) && !__has_attribute(nonsense) && __has_builtin(__atomic_load_n)");
    holds("!__has_include(<no/such.h>) && !__has_include(\"no such.h\") && __has_feature(c_atomic)");
    holds("defined __has_include && defined(__has_feature) && defined __FILE__");
    holds("__GNUC__ * 100 + __GNUC_MINOR__ >= 407 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__");
}

#[test]
fn wrong_conditions() {
    let check = |condition: &str, expected: &str| check_findings(&format!("#if {condition}\n#endif"), &[expected]);
    check("", "1:2 '#if' without an expression");
    check("1 +", "1:2 the expression of the conditional is incomplete");
    check("(1", "1:5 '(' without ')' in the expression of a conditional");
    check("1 2", "1:7 unexpected '2' in the expression of a conditional");
    check("f(1)", "1:5 macro 'f' is called but not defined");
    check("1/0", "1:6 division by zero in the expression of a conditional");
    check("1 ? 2", "1:7 '?' without ':' in the expression of a conditional");
    check("1.5", "1:5 '1.5' is not an integer");
    check("08", "1:5 '8' is not a digit of the octal number '08'");
    check("a = 1", "1:7 unexpected '=' in the expression of a conditional");
    check("\"s\"", "1:5 '\"s\"' cannot stand here in the expression of a conditional");
    check("defined", "1:5 'defined' takes the name of a macro");
    check("defined(X", "1:5 expected ')' after 'defined(' and a name");
    check("__has_include", "1:5 expected '(' after '__has_include'");
    check("''", "1:5 the character constant is empty");
}

#[test]
fn conditionals_must_match() {
    check_findings(
        "#if 1\n#ifdef X\n",
        &["1:2 the conditional has no '#endif'", "2:2 the conditional has no '#endif'"],
    );
    check_findings(
        "#endif\n#else\n#elif 1\n",
        &["1:2 '#endif' without '#if'", "2:2 '#else' without '#if'", "3:2 '#elif' without '#if'"],
    );
    check_findings("#if 0\n#else\n#else\n#elif 1\n#endif", &["3:2 '#else' after '#else'", "4:2 '#elif' after '#else'"]);
    check_findings(
        "#ifdef\n#endif\n#ifndef 1\n#endif",
        &["1:2 '#ifdef' without the name of a macro", "3:9 '1' cannot be the name of a macro"],
    );
}

#[test]
fn lines_and_markers() {
    check("#line 500 \"foo.c\"\n__LINE__ __FILE__\n#line 7\n__LINE__ __FILE__", "500 \"foo.c\" 7 \"foo.c\"");
    check("#define N 9 \"x\\\\y.c\"\n#line N\n__LINE__ __FILE__", "9 \"x\\\\y.c\"");
    check("# 12 \"a b.h\" 1 3 4\n__LINE__ __FILE__", "12 \"a b.h\"");
    check_findings(
        "#line x\n#line 1x\n# 1 x\n#line\n",
        &[
            "1:2 expected a line number",
            "2:2 '1x' is not a line number",
            "3:3 'x' is not a file name",
            "4:2 expected a line number",
        ],
    );
}

#[test]
fn messages_and_unknown_directives() {
    let (session, _) = run(Options::default(), "t.c", "#error  it's over\n#warning careful\n#error\n#frob x\n#!x\n");
    assert_eq!(
        messages(&session),
        [
            "#error it's over",
            "#warning careful",
            "#error",
            "unknown preprocessing directive '#frob'",
            "'!' is not a preprocessing directive"
        ]
    );
    assert_eq!(session.diagnostics[1].severity, Severity::Warning);
    check("#\n# /* nothing */\n#ident \"x\"\n#sccs \"x\"\n%: define X 1\nX a # b", "1 a # b");
}

#[test]
fn pragmas() {
    check(
        "#pragma pack(push, 1)\nx\n#pragma GCC diagnostic push\n#pragma omp parallel\n#pragma\ny",
        "#pragma<pack(push, 1)> x y",
    );
    check(
        "#define N 4\n#pragma pack(N)\n_Pragma(\"pack(8)\") int _Pragma (\"once\") x;",
        "#pragma<pack(4)> #pragma<pack(8)> int x ;",
    );
    check("#define P(x) _Pragma(#x) y\nP(pack(2)) P(omp)", "#pragma<pack(2)> y y");
    check("#define X 1\n#pragma push_macro(\"X\")\n#undef X\n#define X 2\nX\n#pragma pop_macro(\"X\")\nX", "2 1");
    check_findings("_Pragma(1)", &["1:1 '_Pragma' takes a string literal in parentheses"]);
}

#[test]
fn what_is_no_token_is_an_error_only_if_it_stays() {
    check("#define unused don't @ `\n#define f(x)\nf(@)", "");
    check_findings(
        "int @ x;\n\"abc\nchar c = 'a;\n\\",
        &[
            "1:5 unexpected character '@' in the program",
            "2:1 unterminated string literal: the closing '\"' is missing",
            "3:10 unterminated character constant: the closing \"'\" is missing",
            "4:1 unexpected character '\\' in the program",
        ],
    );
    check_findings(
        "a \u{201C}b\u{FFFD}",
        &["1:3 unexpected character '\u{201C}' in the program", "1:5 unexpected character U+FFFD in the program"],
    );
    check_findings("x\n /* no end\n", &["2:2 unterminated comment"]);
    check_findings("#define f(x) x\nf /* no end", &["2:3 unterminated comment"]);
}

#[test]
fn command_line_macros() {
    use MacroOption::{Define, Undefine};
    let options = [
        Define("A".into()),
        Define("B=2 3".into()),
        Define("F(x)=[x]".into()),
        Define("C=".into()),
        Undefine("__GNUC__".into()),
        Undefine("A".into()),
        Define("D=1\n#error no".into()),
    ];
    let (session, result) = run(with_macros(&options), "t.c", "A B F(1) C __GNUC__");
    assert_eq!(messages(&session), Vec::<&str>::new());
    assert_eq!(result, "A 2 3 [ 1 ] __GNUC__");
    let (session, _) = run(with_macros(&[Define("1".into())]), "t.c", "");
    let at = session.sources.physical(session.diagnostics[0].labels[0].loc).map(|(_, at)| at.file.to_owned());
    assert_eq!((messages(&session)[0], at.as_deref()), ("'1' cannot be the name of a macro", Some("<command line>")));
}

#[test]
fn targets_differ() {
    let input = "__SIZE_TYPE__ __SIZEOF_POINTER__ __LONG_MAX__ __INT64_TYPE__ __x86_64__ __i386__ __UINTPTR_MAX__";
    let (_, result) = run(Options { target: Target::Ilp32, ..Options::default() }, "t.c", input);
    assert_eq!(result, "unsigned int 4 0x7fffffffL long long int __x86_64__ 1 0xffffffffU");
    let (_, result) = run(Options::default(), "t.c", input);
    assert_eq!(result, "long unsigned int 8 0x7fffffffffffffffL long int 1 __i386__ 0xffffffffffffffffUL");
}

#[test]
fn preprocessed_files_take_the_short_way() {
    let (session, result) = run(
        Options::default(),
        "t.i",
        "# 1 \"a.c\"\nint x = __LINE__; // c\n#pragma pack(1)\n#pragma omp\n#ident \"x\"\n#\nunix",
    );
    assert_eq!(messages(&session), Vec::<&str>::new());
    assert_eq!(result, "int x = __LINE__ ; #pragma<pack(1)> unix");
    let (session, result) = run(Options::default(), "t.i", "#define X 1\nX\n# 1 x\n#line 3 \"y\"\n@");
    assert_eq!(result, "X");
    assert_eq!(
        messages(&session),
        [
            "directive '#define' in a preprocessed file",
            "'x' is not a file name",
            "unexpected character '@' in the program"
        ]
    );
    let at = session.sources.presumed(session.diagnostics[2].labels[0].loc).map(|at| (at.file.to_owned(), at.line));
    assert_eq!(at, Some(("y".to_owned(), 3)));
}

/// As GCC 12 takes them.
#[test]
fn directives_of_old_have_a_form() {
    let is_accepted = |line: &str| messages(&run(Options::default(), "t.c", &format!("{line}\n")).0).is_empty();
    for line in [
        "#ident \"a\"",
        "#sccs \"a\"",
        "#assert a(b)",
        "#assert a(b) c",
        "#assert a(b(c))",
        "#unassert a",
        "#unassert a(b)",
    ] {
        assert!(is_accepted(line), "{line}");
    }
    for line in [
        "#ident 5",
        "#ident",
        "#sccs x",
        "#assert <",
        "#assert a",
        "#assert a()",
        "#assert a(b",
        "#unassert 5",
        "#unassert",
    ] {
        assert!(!is_accepted(line), "{line}");
    }
}
