use super::{check, check_body};

/// One expression.
#[track_caller]
fn check_expr(text: &str, expected: &str) {
    check_body(&format!("{text};"), expected);
}

#[test]
fn precedence_and_associativity() {
    check_expr("a + b * c - d", "(Sub (Add a (Mul b c)) d)");
    check_expr("a = b += c ? d : e, f", "(, (= a (Add= b (? c d e))) f)");
    check_expr(
        "a || b && c | d ^ e & f == g < h << i + j % k",
        "(Or a (And b (BitOr c (BitXor d (BitAnd e (Eq f (Lt g (Shl h (Add i (Rem j k))))))))))",
    );
    check_expr("a ? b, c : d ? e : f", "(? a (, b c) (? d e f))");
    check_expr("a ?: b", "(? a - b)");
    check_expr("(a, b) * (c + d)", "(Mul (, a b) (Add c d))");
    check_expr("a >= b != c <= d > e >> f / g", "(Ne (Ge a b) (Gt (Le c d) (Shr e (Div f g))))");
}

#[test]
fn prefix_and_postfix() {
    check_expr("-a++", "(Minus (PostIncrement a))");
    check_expr("*p->q.r[i](x, y)--", "(Deref (PostDecrement (call (index (. (-> p q) r) i) x y)))");
    check_expr("!~+&*++--a", "(Not (BitNot (Plus (AddressOf (Deref (PreIncrement (PreDecrement a)))))))");
    check_expr("f()(1)", "(call (call f) 1)");
    check_expr("__real__ z + __imag__ z", "(Add (Real z) (Imag z))");
    check_expr("a && &&l", "(And a (&& l))");
}

#[test]
fn casts_and_compound_literals() {
    check_expr("(int) a + b", "(Add (cast <int> a) b)");
    check_expr("(unsigned char *) (void *) &x", "(cast <unsignedchar ptr> (cast <void ptr> (AddressOf x)))");
    check_expr("(int (*)(void)) f", "(cast <int fn(void) ptr> f)");
    check_expr("(struct s){ 1, .x = 2 }.x", "(. (literal <struct s> {1 .x=2}) x)");
    check_expr("(int[]){ 1 }[0]", "(index (literal <int []> {1}) 0)");
    check_expr("(__attribute__((vector_size(16))) int) a", "(cast <@vector_size(16) int> a)");
    check_expr("(a)(b)", "(call a b)");
    check_expr("(a) - b", "(Sub a b)");
}

#[test]
fn sizeof_and_alignof() {
    check_expr("sizeof(int) * 2", "(Mul (sizeof <int>) 2)");
    check_expr("sizeof a * 2", "(Mul (sizeof a) 2)");
    check_expr("sizeof(a)[1]", "(sizeof (index a 1))");
    check_expr("sizeof(int){1} + 1", "(Add (sizeof (literal <int> {1})) 1)");
    check_expr(
        "sizeof(int (*[3])(char)) + _Alignof(long) + __alignof__ x",
        "(Add (Add (sizeof <int fn(char _) ptr [3]>) (alignof <long>)) (alignof x))",
    );
    check_expr("sizeof sizeof -1", "(sizeof (sizeof (Minus 1)))");
}

#[test]
fn generic_selection() {
    check_expr(
        "_Generic(x, int: 1, char *: f, default: 3)(4)",
        "(call (generic x <int>:1 <char ptr>:f <default>:3) 4)",
    );
}

#[test]
fn statement_expressions() {
    check_expr("x = ({ int y = 1; y; }) + 2", "(= x (Add (stmt {(decl int; y = 1) y}) 2))");
    check("int n = sizeof(({ 1; }));", "(decl int; n = (sizeof (stmt {1})))");
}

#[test]
fn builtins_that_take_types() {
    check_expr("__builtin_va_arg(ap, int *)", "(va_arg ap <int ptr>)");
    check_expr("__builtin_offsetof(struct s, a.b[2].c)", "(offsetof <struct s> .a.b[2].c)");
    check_expr("__builtin_types_compatible_p(int, const char)", "(compatible <int> <const char>)");
    check_expr("__builtin_choose_expr(1, a, (b, c))", "(choose 1 a (, b c))");
}

#[test]
fn literals() {
    check_expr("1.5e3f + 0x1p3 + 'a' + L'b'", "(Add (Add (Add 1.5e3f 0x1p3) 'a') L'b')");
    check_expr("\"a\" \"b\"", "\"ab\"");
    check_expr("\"a\" L\"b\"", "L\"ab\"");
    check_expr("u\"a\" \"b\"", "u\"ab\"");
}
