//! Layout, conversions and constants compared with the machine's C compiler. The checker's answers become static
//! assertions that the compiler must accept, for both data models; what only shows in memory is compared by running.

use super::{Checked, correct_for};
use crate::session::Target;
use crate::tree::{ConstValue, Definition};
use norn_ir::number::{nearest_f32, to_usize};
use std::io::Write;
use std::process::{Command, Stdio};

const DECLARATIONS: &str = r#"
typedef unsigned long long u64;
struct empty {};
struct a { char c; int i; };
struct b { char c; double d; char e; };
struct c { char c; long long l; short s; };
struct d { char c; long double x; };
struct e { int a : 3; int b : 5; unsigned c : 9; };
struct f { char a; int b : 8; int c : 20; };
struct g { int a : 30; int b : 4; };
struct h { int a : 4; int : 0; int b : 4; };
struct i { char c; int : 5; char d; };
struct j { long long a : 33; int b : 2; };
struct k { _Bool a : 1; char b : 7; short c : 9; };
struct __attribute__((packed)) l { char c; int i; int a : 3; int b : 30; short s; };
struct m { char c; int i __attribute__((packed)); };
struct n { char c; } __attribute__((aligned(16)));
struct o { char c; int x __attribute__((aligned(8))); };
#pragma pack(push, 2)
struct p { char c; int i; double d; int a : 7; };
#pragma pack(pop)
struct q { int n; char data[]; };
struct r { char c; long long data[]; };
struct s { int a; union { int b; double d; }; struct { char e, f; }; };
union t { char c[5]; int i; };
union u { int a : 3; long long b : 40; };
struct v { struct b x[3]; char y; };
struct w { char a; _Alignas(8) char b; };
struct x { char c; struct { long long q; } inner; void *p; };
struct y { unsigned a : 1, b : 31, c : 1; };
struct z { char c; unsigned long a : 12; };
struct aa { int x : 1; char y; int z : 20; };
struct bb { long long a : 60; long long b : 10; char c; };
enum e1 { E1A, E1B };
enum e2 { E2A = -1 };
enum e3 { E3A = 0x7fffffff, E3B = 0xffffffff };
enum e4 { E4A = 1LL << 40 };
enum e5 { E5A = -1, E5B = 1LL << 40 };
enum __attribute__((packed)) e6 { E6A = 200 };
typedef int v_int __attribute__((mode(DI)));
typedef unsigned v_word __attribute__((mode(word)));
struct a oa; struct e oe; struct j oj; struct y oy; struct k ok; struct z oz; enum e1 oe1; enum e2 oe2;
char ch; signed char sc; unsigned char uc; short sh; unsigned short us; int in; unsigned un; long lo; unsigned long ul;
long long ll; unsigned long long ull; float fl; double db; long double ld; _Bool bo; int *ip; const char *cp; void *vp;
int arr[3][4]; int wide_int __attribute__((aligned(64))); int fn(int); int (*fp)(int);
"#;

const TYPES: &[&str] = &[
    "struct a",
    "struct b",
    "struct c",
    "struct d",
    "struct e",
    "struct f",
    "struct g",
    "struct h",
    "struct i",
    "struct j",
    "struct k",
    "struct l",
    "struct m",
    "struct n",
    "struct o",
    "struct p",
    "struct q",
    "struct r",
    "struct s",
    "union t",
    "union u",
    "struct v",
    "struct w",
    "struct x",
    "struct y",
    "struct z",
    "struct aa",
    "struct bb",
    "enum e1",
    "enum e2",
    "enum e3",
    "enum e4",
    "enum e5",
    "enum e6",
    "v_int",
    "v_word",
    "char",
    "short",
    "int",
    "long",
    "long long",
    "float",
    "double",
    "long double",
    "void *",
    "_Bool",
    "int[3][5]",
    "struct b[7]",
    "int (*)[3]",
    "int (*)(void)",
];

const CONSTANTS: &[&str] = &[
    "sizeof(struct empty)",
    "__builtin_offsetof(struct b, d)",
    "__builtin_offsetof(struct b, e)",
    "__builtin_offsetof(struct c, l)",
    "__builtin_offsetof(struct c, s)",
    "__builtin_offsetof(struct d, x)",
    "__builtin_offsetof(struct i, d)",
    "__builtin_offsetof(struct l, i)",
    "__builtin_offsetof(struct l, s)",
    "__builtin_offsetof(struct m, i)",
    "__builtin_offsetof(struct o, x)",
    "__builtin_offsetof(struct p, d)",
    "__builtin_offsetof(struct q, data)",
    "__builtin_offsetof(struct r, data)",
    "__builtin_offsetof(struct s, d)",
    "__builtin_offsetof(struct s, f)",
    "__builtin_offsetof(struct v, x[2].d)",
    "__builtin_offsetof(struct v, y)",
    "__builtin_offsetof(struct w, b)",
    "__builtin_offsetof(struct x, inner)",
    "__builtin_offsetof(struct x, p)",
    "__builtin_offsetof(struct aa, y)",
    "__builtin_offsetof(struct bb, c)",
    "(u64)&((struct b *)0)->e",
    "__alignof__(wide_int)",
    "sizeof 'a'",
    "sizeof \"abc\"",
    "sizeof L\"abc\"",
    "sizeof(arr[0])",
    "sizeof arr / sizeof *arr",
    "sizeof(fn(1))",
    "sizeof(char[3][7]) + sizeof(ch + ch)",
    "sizeof (bo ? ch : sh)",
    "sizeof(ip - ip)",
    "sizeof(1 ? vp : ip)",
    "-1 < 0u",
    "-1L < 0u",
    "-1LL < 0ul",
    "(char)200 < 0",
    "(unsigned char)-1",
    "(unsigned short)70000",
    "(short)40000 < 0",
    "7 / -2 == -3",
    "-7 % 3 == -1",
    "-8 >> 1 == -4",
    "1u << 31",
    "~0u",
    "~0ull",
    "-1u",
    "(int)3.99",
    "(int)-3.99 == -3",
    "(unsigned char)3.5",
    "(_Bool)0.1",
    "(float)0.1 == 0.1",
    "1.0f / 3.0f == 1.0 / 3.0",
    "0x7fffffff + 1u",
    "4294967295 > 0",
    "0xffffffff > 0",
    "2147483648 > 0",
    "'\\377' < 0",
    "'ab'",
    "L'x'",
    "1 ? -1 : 0u",
    "!3.5 + !0",
    "(1 && 0) + (1 || 0)",
    "E3B",
    "E4A",
    "E5A < 0",
    "sizeof(E1A)",
    "sizeof(E4A)",
    "(u64)(int *)16 + 1",
    "(u64)((int *)16 + 3)",
    "(u64)(16 - (char)20)",
    "sizeof(int[sizeof(struct b)])",
    "_Generic(cp, char *: 1, const char *: 2, default: 3)",
    "_Generic(\"s\", char *: 1, default: 2)",
    "__builtin_types_compatible_p(int[], int[3])",
    "__builtin_types_compatible_p(const int, int)",
    "__builtin_types_compatible_p(int *, char *)",
    "__builtin_choose_expr(sizeof(long) == 8, 1, 2)",
];

/// Expressions whose type is compared.
const TYPED: &[&str] = &[
    "ch",
    "ch + ch",
    "+ch",
    "-sh",
    "~uc",
    "!db",
    "us + in",
    "us * un",
    "in + un",
    "in + lo",
    "un + lo",
    "un + ll",
    "ul + ll",
    "lo + ull",
    "lo + ll",
    "fl + in",
    "fl + db",
    "ld + fl",
    "db + ull",
    "fl * fl",
    "ch << ll",
    "lo >> ch",
    "in << lo",
    "bo + bo",
    "bo ? 1 : 2u",
    "in ? ch : sh",
    "in ? 1L : 2u",
    "in ? 0 : fl",
    "in == un",
    "ch = 5",
    "sh += 5",
    "ch++",
    "++sh",
    "uc << 1",
    "ip - ip",
    "sizeof in",
    "E1A",
    "oe1",
    "oe1 + 1",
    "oe2",
    "oe2 + 0u",
    "(enum e1)0",
    "oe.a + 0",
    "oe.c + 0",
    "oy.a + 0",
    "oy.b + 0",
    "+oy.b",
    "ok.a + 0",
    "ok.c + 0",
    "+ok.b",
    "(ch, sh)",
    "1",
    "1u",
    "1l",
    "1ul",
    "1ll",
    "1ull",
    "2147483647",
    "2147483648",
    "0x80000000",
    "0xffffffffff",
    "4294967296",
    "037777777777",
    "1.0",
    "1.0f",
    "1.0L",
    "'a'",
    "L'a'",
    "u'a'",
    "u'a' + 0",
    "U'a'",
    "fn(1)",
    "fp(1)",
    "(*fp)(1)",
    "(****fn)(1)",
    "*ip",
    "*cp",
    "*\"x\"",
    "arr[1][2]",
    "*arr[1]",
    "({ short q = 1; q; })",
    "({ ch; })",
    "in ?: 1L",
    "in && in",
    "-bo",
    "in & un",
    "uc | us",
    "(short)1",
    "fl ? in : un",
    "__alignof__(int)",
    "1 ? 'a' : (char)1",
    "E3B",
    "E4A",
    "(_Bool)1 + (_Bool)1",
];

fn typed(expression: &str) -> String {
    format!(
        "_Generic(({expression}), _Bool: 1, char: 2, signed char: 3, unsigned char: 4, short: 5, unsigned short: 6, int: 7, \
         unsigned: 8, long: 9, unsigned long: 10, long long: 11, unsigned long long: 12, float: 13, double: 14, \
         long double: 15, void *: 16, int *: 17, const char *: 18, default: 99)"
    )
}

fn expressions() -> Vec<String> {
    let sizes = TYPES.iter().flat_map(|t| [format!("sizeof({t})"), format!("_Alignof({t})")]);
    sizes.chain(CONSTANTS.iter().map(|&c| c.to_owned())).chain(TYPED.iter().map(|e| typed(e))).collect()
}

/// The checker's values of constant expressions, given after the declarations.
fn values(target: Target, expressions: &[String]) -> Vec<u64> {
    let list: Vec<String> = expressions.iter().map(|e| format!("(u64)({e})")).collect();
    let wrapped = format!("{DECLARATIONS}\nvoid test(void) {{ static u64 values[] = {{ {} }}; }}", list.join(",\n"));
    let checked = correct_for(target, &wrapped);
    let Definition::Initialised(parts) = &checked.object("test.values").definition else { panic!("initialised") };
    assert_eq!(parts.len(), expressions.len());
    let bits = |value: &ConstValue| match value {
        ConstValue::Int { bits, .. } => *bits,
        other => panic!("an integer, not {other:?}"),
    };
    parts.iter().map(|p| bits(&p.value)).collect()
}

/// Gives a text to `cc` and fails with its messages.
fn compile(flags: &[&str], text: &str) {
    let mut compiler = Command::new("cc")
        .args(["-std=gnu11", "-w", "-x", "c", "-"])
        .args(flags)
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("cc should be installed");
    compiler.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("cc should read its input");
    let output = compiler.wait_with_output().expect("cc should end");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn compare_constants(target: Target, flag: &str) {
    let expressions = expressions();
    let values = values(target, &expressions);
    let mut text = format!("{DECLARATIONS}\nvoid test(void) {{\n");
    for (expression, value) in expressions.iter().zip(values) {
        text.push_str(&format!("_Static_assert((u64)({expression}) == {value}ull, \"{value}\");\n"));
    }
    text.push('}');
    compile(&[flag, "-fsyntax-only"], &text);
}

#[test]
fn sizes_types_and_constants_agree_with_cc_for_lp64() {
    compare_constants(Target::Lp64, "-m64");
}

#[test]
fn sizes_types_and_constants_agree_with_cc_for_ilp32() {
    compare_constants(Target::Ilp32, "-m32");
}

/// Objects whose bytes are compared. Padding is zero in static storage.
const OBJECTS: &[&str] = &[
    "struct e o0 = { 3, -7, 300 };",
    "struct f o1 = { 1, -1, 0x12345 };",
    "struct g o2 = { -1, 5 };",
    "struct h o3 = { 7, -2 };",
    "struct j o4 = { 0x123456789ll, 1 };",
    "struct k o5 = { 1, 33, -200 };",
    "struct l o6 = { 1, 0x1234567, -2, 0x1fffffff, 0x4321 };",
    "struct p o7 = { 'a', 7, 2.5, -3 };",
    "union u o8 = { .b = 0x7fffffffffll };",
    "struct y o9 = { .c = 1, .b = 0x55555555, .a = 1 };",
    "struct aa o10 = { -1, 'y', 0x7ffff };",
    "struct bb o11 = { 1ll << 58, -3, 'c' };",
    "struct q o12 = { 3, \"abc\" };",
    "int o13[] = { 1, [5] = 2, 3, [0] = 9, [2 ... 4] = 7 };",
    "struct v o14 = { { { 'a', 1.0 }, { .d = 2.5 }, [2].e = 'z' }, 'y' };",
    "struct s o15[2] = { { 1, .d = 3.0, { 1, 2 } }, [1].a = 4, { 5 }, { 6, 7 } };",
    "struct s o16[2] = { { 1, .d = 3.0, { 'e', 'f' } }, [1].a = 4, 5, };",
    "char o17[2][4] = { \"ab\", \"wxyz\" };",
    "char o18[] = { \"hello\" };",
    "short o19[3][2] = { 1, 2, 3, { 4 }, [0][1] = 5 };",
    "float o20[] = { 1, 2.5f, 1.0 / 3 };",
    "union t o21 = { \"abcd\" };",
    "struct a o22 = (struct a){ 'q', 77 };",
    "struct a o23[] = { [0 ... 2] = { 'x', 5 }, [1].i = 6 };",
    "int o24[2][3] = { [1] = { 1, 2 }, [0][2] = 7, 8 };",
    "unsigned short o25[] = u\"a\\u00e9\";",
    "struct { int a; struct { int b, c; } d; int e; } o26 = { 1, .d.c = 2, 3 };",
    "_Bool o27[] = { 5, 0.5, 0 };",
    "struct z o28 = { 1, 0xabc };",
];

#[test]
fn static_objects_have_the_bytes_that_cc_gives_them() {
    let text = format!("{DECLARATIONS}\n{}", OBJECTS.join("\n"));
    let checked = correct_for(Target::Lp64, &text);
    let mut program = format!("#include <stdio.h>\n{text}\nint main(void) {{ unsigned i;\n");
    let mut expected = String::new();
    for index in 0..OBJECTS.len() {
        let name = format!("o{index}");
        let image = image(&checked, &name);
        let bytes: String = image.iter().map(|b| format!("{b:02x}")).collect();
        expected.push_str(&format!("{name} {bytes}\n"));
        program.push_str(&format!(
            "printf(\"{name} \"); for (i = 0; i < {}; i++) printf(\"%02x\", ((unsigned char *)&{name})[i]); printf(\"\\n\");\n",
            image.len()
        ));
    }
    program.push_str("}\n");
    let path = std::env::temp_dir().join(format!("norn-layout-{}", std::process::id()));
    compile(&["-m64", "-o", &path.display().to_string()], &program);
    let output = Command::new(&path).output().expect("the program should run");
    std::fs::remove_file(&path).expect("the program should be there");
    assert_eq!(expected, String::from_utf8_lossy(&output.stdout));
}

/// The bytes of an object without addresses in it.
fn image(checked: &Checked, name: &str) -> Vec<u8> {
    let object = checked.object(name);
    let Definition::Initialised(parts) = &object.definition else { panic!("{name} should be initialised") };
    let mut bytes = vec![0; to_usize(checked.types.size_of(object.ty.ty, Target::Lp64).expect("a size"))];
    for part in parts {
        let content = match &part.value {
            ConstValue::Int { size, bits } => bits.to_le_bytes()[..to_usize(*size)].to_vec(),
            ConstValue::Float { size: 4, value } => (nearest_f32(*value)).to_le_bytes().to_vec(),
            ConstValue::Float { value, .. } => value.to_le_bytes().to_vec(),
            ConstValue::Bytes(bytes) => bytes.clone(),
            other => panic!("no address was expected: {other:?}"),
        };
        let start = to_usize(part.offset);
        // A flexible array reaches beyond the size of its struct.
        bytes.resize(bytes.len().max(start + content.len()), 0);
        bytes[start..start + content.len()].copy_from_slice(&content);
    }
    bytes
}
