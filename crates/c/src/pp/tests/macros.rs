//! Definition and expansion.

use super::{check, check_findings};

/// The examples of C11 6.10.3.5.
#[test]
fn standard_example_3_rescanning() {
    check(
        "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n#define h g(~\n\
         #define m(a) a(w)\n#define w 0,1\n#define t(a) a\n#define p() int\n#define q(x) x\n#define r(x,y) x ## y\n\
         #define str(x) # x\n\
         f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);\ng(x+(3,4)-w) | h 5) & m\n(f)^m(m);\n\
         p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };\nchar c[2][6] = { str(hello), str() };\n",
        "f ( 2 * ( y + 1 ) ) + f ( 2 * ( f ( 2 * ( z [ 0 ] ) ) ) ) % f ( 2 * ( 0 ) ) + t ( 1 ) ;
         f ( 2 * ( 2 + ( 3 , 4 ) - 0 , 1 ) ) | f ( 2 * ( ~ 5 ) ) & f ( 2 * ( 0 , 1 ) ) ^ m ( 0 , 1 ) ;
         int i [ ] = { 1 , 23 , 4 , 5 , } ; char c [ 2 ] [ 6 ] = { \"hello\" , \"\" } ;",
    );
}

#[test]
fn standard_example_4_operators() {
    check(
        "#define str(s) # s\n#define xstr(s) str(s)\n\
         #define debug(s, t) printf(\"x\" # s \"= %d, x\" # t \"= %s\", \\\n x ## s, x ## t)\n\
         #define INCFILE(n) vers ## n\n#define glue(a, b) a ## b\n#define xglue(a, b) glue(a, b)\n\
         #define HIGHLOW \"hello\"\n#define LOW LOW \", world\"\n\
         debug(1, 2);\nfputs(str(strncmp(\"abc\\0d\", \"abc\", '\\4') // this goes away\n== 0) str(: @\\n), s);\n\
         xstr(INCFILE(2).h)\nglue(HIGH, LOW);\nxglue(HIGH, LOW)\n",
        r#"printf ( "x" "1" "= %d, x" "2" "= %s" , x1 , x2 ) ;
         fputs ( "strncmp(\"abc\\0d\", \"abc\", '\\4') == 0" ": @\n" , s ) ;
         "vers2.h" "hello" ; "hello" ", world""#,
    );
}

#[test]
fn standard_example_hash_hash() {
    check(
        "#define hash_hash # ## #\n#define mkstr(a) # a\n#define in_between(a) mkstr(a)\n\
         #define join(c, d) in_between(c hash_hash d)\nchar p[] = join(x, y);",
        "char p [ ] = \"x ## y\" ;",
    );
}

#[test]
fn standard_example_5_placemarkers() {
    check(
        "#define t(x,y,z) x ## y ## z\n\
         int j[] = { t(1,2,3), t(,4,5), t(6,,7), t(8,9,), t(10,,), t(,11,), t(,,12), t(,,) };",
        "int j [ ] = { 123 , 45 , 67 , 89 , 10 , 11 , 12 , } ;",
    );
}

#[test]
fn standard_example_7_variable_arguments() {
    check(
        "#define debug(...) fprintf(stderr, __VA_ARGS__)\n#define showlist(...) puts(#__VA_ARGS__)\n\
         #define report(test, ...) ((test)?puts(#test):\\\n printf(__VA_ARGS__))\n\
         debug(\"Flag\");\ndebug(\"X = %d\\n\", x);\nshowlist(The first, second, and third items.);\n\
         report(x>y, \"x is %d but y is %d\", x, y);",
        r#"fprintf ( stderr , "Flag" ) ; fprintf ( stderr , "X = %d\n" , x ) ;
         puts ( "The first, second, and third items." ) ;
         ( ( x > y ) ? puts ( "x>y" ) : printf ( "x is %d but y is %d" , x , y ) ) ;"#,
    );
}

#[test]
fn a_name_in_its_own_expansion_stays() {
    check("#define foo foo + bar\n#define bar foo - bar\nfoo; bar;", "foo + foo - bar ; foo + bar - bar ;");
    check("#define A B\n#define B A\nA B", "A B");
    // What the standard leaves open is done as in GCC.
    check("#define f(a) a*g\n#define g(a) f(a)\nf(2)(9)", "2 * 9 * g");
    check("#define f(x) x f\nf(1)(2)", "1 f ( 2 )");
    // Painted once, a name stays as it is even where its macro is no longer being expanded.
    check("#define f(x) x\n#define g g(1)\nf(g)(2)", "g ( 1 ) ( 2 )");
}

#[test]
fn calls_may_span_expansions_and_lines() {
    check("#define f(x) [x]\n#define g f\ng (1) g\n(2) f\n;", "[ 1 ] [ 2 ] f ;");
    check("#define f(x) [x]\n#define open f(\nopen 1)", "[ 1 ]");
    check("#define f(x) [x]\nf (\n1\n)", "[ 1 ]");
    check(
        "#define f(x) [x]\n#define E\n#define defer(n) n E\n#define eval(...) __VA_ARGS__\ndefer(f)(3) eval(defer(f)(3))",
        "f ( 3 ) [ 3 ]",
    );
    check("#define f(x) [x]\nf(\n#ifdef f\nyes\n#else\nno\n#endif\n)", "[ yes ]");
    check("#define f(x) [x]\nf\n#undef f\n(1)", "[ 1 ]");
    check("#define LP (\n#define f(x) [x]\nf LP 1)", "f ( 1 )");
}

#[test]
fn arguments() {
    check("#define f(x) [x]\nf() f( ) f((,)) f((a,b)c)", "[ ] [ ] [ ( , ) ] [ ( a , b ) c ]");
    check("#define f(x,y) x|y\nf(,) f((a,b),[c]) f(f(1,2),3)", "| ( a , b ) | [ c ] 1 | 2 | 3");
    check("#define f() n\nf() f( )", "n n");
    check("#define comma ,\n#define two(a,b) a-b\n#define f(x) two(x)\nf(1 comma 2)", "1 - 2");
}

#[test]
fn gnu_variable_arguments() {
    let e = "#define e(f, ...) p(f, ##__VA_ARGS__)\n";
    check(&format!("{e}e(1) e(1,) e(1,2) e(1,2,3)"), "p ( 1 ) p ( 1 , ) p ( 1 , 2 ) p ( 1 , 2 , 3 )");
    let e = "#define e(f, args...) p(f , ## args, #args)\n";
    check(&format!("{e}e(1) e(1, 2,  3)"), "p ( 1 , \"\" ) p ( 1 , 2 , 3 , \"2, 3\" )");
    check("#define e(...) p(0, ##__VA_ARGS__)\ne() e(1)", "p ( 0 ) p ( 0 , 1 )");
}

#[test]
fn va_opt() {
    let e = "#define E\n#define e(a, ...) p(a __VA_OPT__(,) __VA_ARGS__)\n";
    check(&format!("{e}e(1) e(1,) e(1,E) e(1,2,3)"), "p ( 1 ) p ( 1 ) p ( 1 ) p ( 1 , 2 , 3 )");
    check("#define e(a, ...) x ## __VA_OPT__(a y) ## z\ne(1) e(k,1)", "xz xk yz");
    check("#define e(a, ...) #__VA_OPT__(a __VA_ARGS__ b)\ne(1) e(1, 2 , 3)", "\"\" \"1 2 , 3 b\"");
}

#[test]
fn stringizing_keeps_spelling_and_single_spaces() {
    let s = "#define s(x) #x\n#define E\n#define xs(x) s(x)\n";
    check(&format!("{s}s( a  b\n c /* d */ e)"), "\"a b c e\"");
    check(&format!("{s}s(\"a\\n\" '\\'' '\"')"), r#""\"a\\n\" '\\'' '\"'""#);
    check(&format!("{s}xs(<: :> %: %:%:)"), "\"<: :> %: %:%:\"");
    check(&format!("{s}xs(a E b) xs(a E) xs(-E-)"), "\"a b\" \"a\" \"--\"");
    check_findings("#define s(x) #x\ns(\\)", &["2:1 the argument of '#' ends in a backslash, which is dropped"]);
}

#[test]
fn pasting_makes_any_token() {
    check(
        "#define c(a,b) a##b\nc(.,5) c(1,e3) c(x,1) c(<,<=) c(L,\"x\") c(-,>) c(%:,%:) c(,) c(int,)",
        ".5 1e3 x1 <<= L\"x\" -> ## int",
    );
    check("#define c(a,b) a##b\n#define f(x) [x]\nc(f,)(1) c(f,f)", "[ 1 ] ff");
    check_findings(
        "#define c(a,b) a##b\nc(/,/) c(+,x)",
        &["2:1 '##' cannot join '/' and '/' into one token", "2:8 '##' cannot join '+' and 'x' into one token"],
    );
}

#[test]
fn builtin_macros() {
    check("__COUNTER__ __COUNTER__ __LINE__ __FILE__ __INCLUDE_LEVEL__ __BASE_FILE__", "0 1 1 \"t.c\" 0 \"t.c\"");
    check("#define L __LINE__\n\nL\n__DATE__ __TIME__", "3 \"Jan  1 1970\" \"00:00:00\"");
    check("__func__ __NORN__ __STDC_VERSION__ __INT64_C(1) __UINT32_TYPE__", "__func__ 1 201112L 1L unsigned int");
}

#[test]
fn keywords_are_names_before_they_leave() {
    check("#define inline static\n#define if(x) while (x)\ninline if(1) ifdef", "static while ( 1 ) ifdef");
}

#[test]
fn wrong_definitions() {
    check_findings(
        "#define\n#define 1\n#define defined\n#define __VA_ARGS__\n#undef\n",
        &[
            "1:2 '#define' without the name of a macro",
            "2:9 '1' cannot be the name of a macro",
            "3:9 'defined' cannot be the name of a macro",
            "4:9 '__VA_ARGS__' cannot be the name of a macro",
            "5:2 '#undef' without the name of a macro",
        ],
    );
    check_findings(
        "#define f(a\n#define f(a b)\n#define f(a,a)\n#define f(...,a)\n#define f(1)\n#define f(a,)\n",
        &[
            "1:10 the list of macro parameters is not closed",
            "2:13 expected ',' or ')' in macro parameters, found 'b'",
            "3:13 macro parameter 'a' occurs twice",
            "4:14 expected ')' after '...' in macro parameters",
            "5:11 expected a macro parameter, found '1'",
            "6:13 expected a macro parameter, found ')'",
        ],
    );
    check_findings(
        "#define a ## b\n#define a b ##\n#define f(x) #y\n#define f(x) #\n#define a #y\n",
        &[
            "1:11 '##' cannot be at either end of a macro",
            "2:13 '##' cannot be at either end of a macro",
            "3:14 '#' is not followed by a macro parameter",
            "4:14 '#' is not followed by a macro parameter",
        ],
    );
    check_findings(
        "#define f(...) __VA_OPT__\n#define f(...) __VA_OPT__(__VA_OPT__())\n#define f(...) __VA_OPT__(a ##)\n",
        &[
            "1:16 expected '(…)' after '__VA_OPT__'",
            "2:27 '__VA_OPT__' cannot be nested",
            "3:31 '##' cannot be at either end of '__VA_OPT__'",
        ],
    );
}

#[test]
fn redefinition_must_agree() {
    check("#define a b  c\n#define a  b /* */ c \n#define f(x) x\n#define f(x) x\n", "");
    check_findings(
        "#define a 1\n#define a 2\n#define f(x) x\n#define f(y) y\n",
        &["2:9 macro 'a' is defined again, and differently", "4:9 macro 'f' is defined again, and differently"],
    );
}

#[test]
fn wrong_calls() {
    check_findings(
        "#define f(a,b) a\nf(1) f(1,2,3)\n#define g(a,b,...) a\ng(1)\n#define h() a\nh(1)\n#define k(a) a\nk(1,2)",
        &[
            "2:1 macro 'f' takes 2 arguments but is given 1",
            "2:6 macro 'f' takes 2 arguments but is given 3",
            "4:1 macro 'g' takes at least 2 arguments but is given 1",
            "6:1 macro 'h' takes 0 arguments but is given 1",
            "8:1 macro 'k' takes 1 argument but is given 2",
        ],
    );
    check_findings("#define f(a) a\n\n f(1, (2)\nint x;", &["3:2 the call of macro 'f' is not closed"]);
    check_findings("#define f(a) a\n#if f(1\n#endif\n", &["2:5 the call of macro 'f' is not closed"]);
}
