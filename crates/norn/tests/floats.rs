//! Floating point through every engine: results as the compiler has them, inputs that are floats, certificates.

mod support;

use norn_ir::number::nearest_f32;
use norn_testing::Random;
use std::fmt::Write;
use std::process::Command;
use support::Folder;

const ENGINES: [&str; 6] = ["states", "stateless", "events", "rounds", "enumerate", "sample"];
const SYMBOLIC: [&str; 2] = ["events", "rounds"];

/// Expressions over `float a, b`, `double c, d`, `int i`, `unsigned u`, `long long l`, `unsigned long long w`. A number
/// is converted to an integer only where it fits: the rest is undefined in C.
const FLOATS: &[&str] =
    &["a + b", "a - b", "b - a", "a * b", "a / b", "-a", "i", "u", "l", "w", "(float)c", "a * a - b", "a + 1"];
const DOUBLES: &[&str] =
    &["c + d", "c - d", "d - c", "c * d", "c / d", "-d", "i", "u", "l", "w", "a", "a + c", "c * d + a", "(float)d / c"];
const NUMBERS: &[&str] = &[
    "a < b",
    "a <= b",
    "a > b",
    "a >= b",
    "a == b",
    "a != b",
    "c < d",
    "c <= d",
    "c > d",
    "c >= d",
    "c == d",
    "c != d",
    "!a",
    "c ? 1 : 2",
    "a > -100 && a < 100 ? (signed char)a : 1",
    "a > -30000 && a < 30000 ? (short)a : 1",
    "a > -2e9f && a < 2e9f ? (int)a : 1",
    "a > -1 && a < 4e9f ? (unsigned)a : 1",
    "a > -9e18f && a < 9e18f ? (long long)a : 1",
    "a > -1 && a < 1.8e19f ? (unsigned long long)a : 1",
    "c > -100 && c < 100 ? (signed char)c : 1",
    "c > -1 && c < 65536 ? (unsigned short)c : 1",
    "c > -2147483649.0 && c < 2147483648.0 ? (int)c : 1",
    "c > -1 && c < 4294967296.0 ? (unsigned)c : 1",
    "c > -9e18 && c < 9e18 ? (long long)c : 1",
    "c > -1 && c < 1.8e19 ? (unsigned long long)c : 1",
];

/// What computes all results. `canonical`: all NaNs look alike.
fn program(is_canonical: bool) -> (String, usize) {
    let mut text = String::from(
        "typedef unsigned long long u64;\nunion single { float f; unsigned u; };\nunion wide { double f; u64 u; };\nu64 r[64];\n",
    );
    let nan = if is_canonical { "if (x != x) return 1; " } else { "" };
    let _ = write!(
        text,
        "static u64 single(float x) {{ {nan}union single s; s.f = x; return s.u; }}\n\
         static u64 wide(double x) {{ {nan}union wide s; s.f = x; return s.u; }}\n\
         static void compute(float a, float b, double c, double d, int i, unsigned u, long long l, u64 w) {{\n"
    );
    let mut count = 0;
    for (kind, list) in [("single", FLOATS), ("wide", DOUBLES), ("(u64)", NUMBERS)] {
        for expression in list {
            let _ = writeln!(text, "  r[{count}] = {kind}({expression});");
            count += 1;
        }
    }
    text.push_str("}\n");
    (text, count)
}

/// The bits of the eight operands.
fn operands(random: &mut Random) -> [u64; 8] {
    let mut number = |width: u32| {
        let special: [f64; 12] =
            [0.0, -0.0, 1.0, -1.5, 0.1, 3e9, 1e-310, 1e-40, 1e300, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
        let bits = match random.below(4) {
            0 => random.pick(&special).to_bits(),
            1 => ((random.number() % 100_000) as f64 / 16.0 - 3000.0).to_bits(),
            2 => ((random.number() >> random.below(64)) as f64).to_bits(),
            _ => return random.number() >> (64 - width),
        };
        if width == 32 { u64::from((nearest_f32(f64::from_bits(bits))).to_bits()) } else { bits }
    };
    let (a, b, c, d) = (number(32), number(32), number(64), number(64));
    let mut integer = || random.number() >> random.below(64);
    let (i, u, l, w) = (integer(), integer(), integer(), integer());
    [a, b, c, d, i & 0xffff_ffff, u & 0xffff_ffff, l, w]
}

const TYPES: [&str; 8] = ["unsigned", "unsigned", "u64", "u64", "unsigned", "unsigned", "u64", "u64"];
const SETS: &str = "  union single a, b; union wide c, d; a.u = x0; b.u = x1; c.u = x2; d.u = x3;\n  \
     compute(a.f, b.f, c.f, d.f, (int)x4, x5, (long long)x6, x7);\n";

/// What the compiled program computes.
fn compiled(folder: &Folder, text: &str, count: usize, operands: [u64; 8]) -> Vec<u64> {
    let mut program = format!("#include <stdio.h>\n{text}int main(void) {{\n");
    for (number, (bits, ty)) in operands.into_iter().zip(TYPES).enumerate() {
        let _ = writeln!(program, "  volatile {ty} x{number} = {bits:#x}ull;");
    }
    let _ = write!(program, "{SETS}  for (int n = 0; n < {count}; n++) printf(\"%llu\\n\", r[n]);\n}}\n");
    let source = folder.write("compiled.c", program);
    let binary = folder.path("compiled");
    let mut cc = Command::new("cc");
    cc.args(["-std=gnu11", "-w", "-O0", "-o"]).arg(&binary).arg(&source);
    assert!(cc.status().expect("cc should start").success(), "the program should compile");
    let run = Command::new(&binary).output().expect("the program should start");
    let text = String::from_utf8(run.stdout).expect("numbers are text");
    text.lines().map(|line| line.parse().expect("each line should be a number")).collect()
}

/// The program with its operands given or, for engines that can, as inputs, and what its results should be.
fn claimed(text: &str, operands: [u64; 8], results: &[u64], are_inputs: bool) -> String {
    let mut program = format!(
        "#include <assert.h>\nextern unsigned nondet_uint(void);\nextern unsigned long long nondet_ulong(void);\n\
         extern void __VERIFIER_assume(int);\n{text}"
    );
    if !are_inputs {
        for (number, (bits, ty)) in operands.into_iter().zip(TYPES).enumerate() {
            let _ = writeln!(program, "static {ty} x{number} = {bits:#x}ull;");
        }
    }
    program.push_str("int main(void) {\n");
    if are_inputs {
        for (number, (bits, ty)) in operands.into_iter().zip(TYPES).enumerate() {
            let function = if ty == "u64" { "nondet_ulong" } else { "nondet_uint" };
            let _ = writeln!(program, "  {ty} x{number} = {function}(); __VERIFIER_assume(x{number} == {bits:#x}ull);");
        }
    }
    program.push_str(SETS);
    for (number, result) in results.iter().enumerate() {
        let _ = writeln!(program, "  assert(r[{number}] == {result:#x}ull);");
    }
    program.push_str("}\n");
    program
}

fn verdict(folder: &Folder, engine: &str, options: &[&str], file: &str) -> (i32, String) {
    let run = folder.norn(&[&["check", "-e", engine], options, &[file]].concat());
    (run.status(), format!("{}{}", run.stdout(), run.stderr()))
}

#[test]
fn every_engine_computes_as_the_compiler_does() {
    let folder = Folder::new("floats_compiler");
    let mut random = Random::new(11);
    let (text, count) = program(true);
    for round in 0..4 {
        let operands = operands(&mut random);
        let mut results = compiled(&folder, &text, count, operands);
        folder.write("given.c", claimed(&text, operands, &results, false));
        folder.write("inputs.c", claimed(&text, operands, &results, true));
        let wrong = random.index(count);
        results[wrong] ^= 1;
        folder.write("wrong.c", claimed(&text, operands, &results, true));
        folder.write("wrong_given.c", claimed(&text, operands, &results, false));
        for engine in ENGINES {
            let expected = if engine == "sample" { 5 } else { 0 };
            let (status, output) = verdict(&folder, engine, &[], "given.c");
            assert_eq!(status, expected, "round {round}, {engine}, {operands:x?}: {output}");
            let (status, output) = verdict(&folder, engine, &[], "wrong_given.c");
            assert_eq!(status, 10, "round {round}, {engine}, {operands:x?}: {output}");
        }
        for engine in SYMBOLIC {
            let (status, output) = verdict(&folder, engine, &[], "inputs.c");
            assert_eq!(status, 0, "round {round}, {engine}, {operands:x?}: {output}");
            let (status, output) = verdict(&folder, engine, &[], "wrong.c");
            assert_eq!(status, 10, "round {round}, {engine}, result {wrong}, {operands:x?}: {output}");
        }
    }
}

/// The compiler leaves NaNs to the processor.
#[cfg(target_arch = "x86_64")]
#[test]
fn the_bits_of_nans_are_those_of_the_processor() {
    let folder = Folder::new("floats_nans");
    let (text, count) = program(false);
    let wide = |bits: u32| u64::from(bits);
    let nans: [[u64; 4]; 5] = [
        [wide(0x7fc0_1234), wide(0xffc0_0001), 0x7ff8_0000_1234_5678, 0xfff8_0000_0000_0001],
        [wide(0xff80_0001), wide(0x3f80_0000), 0x7ff0_0000_0000_0001, 0x3ff0_0000_0000_0000],
        [wide(0x3f80_0000), wide(0xffff_ffff), 0, 0xffff_ffff_ffff_ffff],
        [wide(0x7f80_0000), wide(0xff80_0000), 0x7ff0_0000_0000_0000, 0xfff0_0000_0000_0000],
        [0, wide(0x8000_0000), 0, 0x8000_0000_0000_0000],
    ];
    for [a, b, c, d] in nans {
        let operands = [a, b, c, d, 1, 2, 3, 4];
        let results = compiled(&folder, &text, count, operands);
        folder.write("given.c", claimed(&text, operands, &results, false));
        folder.write("inputs.c", claimed(&text, operands, &results, true));
        for engine in ["states", "events", "enumerate"] {
            let (status, output) = verdict(&folder, engine, &[], "given.c");
            assert_eq!(status, 0, "{engine}, {operands:x?}: {output}");
        }
        for engine in SYMBOLIC {
            let (status, output) = verdict(&folder, engine, &[], "inputs.c");
            assert_eq!(status, 0, "{engine}, {operands:x?}: {output}");
        }
    }
}

const DECLARED: &str = "#include <assert.h>\n#include <pthread.h>\n#include <string.h>\n\
    extern float __VERIFIER_nondet_float(void);\nextern double __VERIFIER_nondet_double(void);\n\
    extern int __VERIFIER_nondet_int(void);\nextern unsigned __VERIFIER_nondet_uint(void);\n\
    extern void __VERIFIER_assume(int);\n";

/// Bodies of main, and whether they are safe.
const BODIES: &[(bool, &str)] = &[
    // Exact halves and doubles.
    (true, "float x = __VERIFIER_nondet_float(); if (x >= 1 && x <= 2) { float y = x * 0.5f; assert(y + y == x); }"),
    // The smallest subnormal number is lost.
    (false, "float x = __VERIFIER_nondet_float(); if (x > 0) { float y = x * 0.5f; assert(y + y == x); }"),
    (false, "float x = __VERIFIER_nondet_float(); assert(x == x);"),
    (true, "float x = __VERIFIER_nondet_float(); assert(x == x || !(x < 0 || x >= 0));"),
    // Equal is not the same.
    (false, "double x = __VERIFIER_nondet_double(); if (x == 0) assert(1 / x > 0);"),
    (true, "double x = __VERIFIER_nondet_double(); if (x == 0) assert(1 / x > 1e308 || 1 / x < -1e308);"),
    (
        true,
        "double x = __VERIFIER_nondet_double(), z = x - x; unsigned long long u; memcpy(&u, &z, 8); assert(z != z || !u);",
    ),
    (false, "double x = __VERIFIER_nondet_double(); assert(x - x == 0);"),
    // What a float holds of an int.
    (true, "int i = __VERIFIER_nondet_int(); if (i <= 1 << 24 && i >= -(1 << 24)) assert((int)(float)i == i);"),
    (false, "int i = __VERIFIER_nondet_int(); assert((int)(float)i == i || i > 2147483583);"),
    (true, "int i = __VERIFIER_nondet_int(); assert((int)(double)i == i);"),
    (true, "unsigned i = __VERIFIER_nondet_uint(); assert((double)i >= 0 && (double)i < 4294967296.0);"),
    (true, "float x = __VERIFIER_nondet_float(); if (x == x) { double d = x; assert((float)d == x); }"),
    (false, "double d = __VERIFIER_nondet_double(); if (d == d) assert((double)(float)d == d);"),
    // Addition is commutative, but not associative.
    (
        true,
        "float x = __VERIFIER_nondet_float(), y = __VERIFIER_nondet_float(); if (x == x && y == y) \
            assert(x + y == y + x || x + y != x + y);",
    ),
    (
        false,
        "float x = __VERIFIER_nondet_float(), y = __VERIFIER_nondet_float(); \
             if (x > 0 && x < 100 && y > 0 && y < 100) assert((x + y) - y == x);",
    ),
    // A sum that has to be found.
    (false, "double x = __VERIFIER_nondet_double(); if (x > 1000) assert(x + 0.125 != 123456.875);"),
    (false, "float x = __VERIFIER_nondet_float(); if (x > 1) assert(x * x != 2.25f);"),
    (true, "float x = __VERIFIER_nondet_float(); if (x > 1 && x < 100) assert(1 / x < 1);"),
    // Never set: anything.
    (false, "float x; assert(x == x);"),
    (false, "volatile double x; double y = x; assert(y != 0.5);"),
];

#[test]
fn inputs_may_be_floats() {
    let folder = Folder::new("floats_inputs");
    for (is_safe, body) in BODIES {
        folder.write("test.c", format!("{DECLARED}int main(void) {{ {body} }}\n"));
        for engine in SYMBOLIC {
            let (status, output) = verdict(&folder, engine, &["--timeout", "120"], "test.c");
            assert_eq!(status, if *is_safe { 0 } else { 10 }, "{engine}: {body}\n{output}");
        }
    }
}

/// Floats that threads share: states and the enumerator tell the verdict, under every model.
#[test]
fn engines_agree_on_shared_floats() {
    let folder = Folder::new("floats_shared");
    let program = |assertion: &str| {
        format!(
            "{DECLARED}float x = 3.5f; double y; _Bool nondet_bool(void);\n\
             void *t(void *a) {{ x = x * 2; y = nondet_bool() ? 1e17 : 0.1f; return a; }}\n\
             int main(void) {{ pthread_t p; pthread_create(&p, 0, t, 0); float v = x + 1; x = v; double w = y + v;\n\
             pthread_join(p, 0); {assertion} }}\n"
        )
    };
    let assertions = [
        ("assert(x == 9 || x == 8 || x == 4.5f || x == 7);", 0),
        ("assert(x != 8);", 10),
        ("assert(x != 9);", 10),
        ("assert(x <= 9 && y != 0.1);", 0),
        ("assert(w != 1e17 + 16 || w == y);", 0),
        ("assert(w - y < 4 || v == 8);", 10),
        ("int i = y / 1e16; assert(i == 0 || i == 10);", 0),
    ];
    for (assertion, expected) in assertions {
        folder.write("test.c", program(assertion));
        for engine in ["states", "stateless", "events", "rounds", "enumerate"] {
            for model in ["sc", "tso", "pso"] {
                let (status, output) = verdict(&folder, engine, &["-m", model], "test.c");
                assert_eq!(status, expected, "{engine} {model}: {assertion}\n{output}");
            }
        }
    }
}

#[test]
fn proofs_about_floats_are_certified() {
    let folder = Folder::new("floats_certify");
    let bodies = [
        "float x = __VERIFIER_nondet_float(); s = x; if (s > 1 && s < 2) assert(s * 2 < 4 && s + s > 2);",
        "double d = __VERIFIER_nondet_double(); s = d; if (d > 0.5 && d < 4) assert(s >= 0.5f && (int)s < 5);",
    ];
    for body in bodies {
        let text = format!(
            "{DECLARED}float s; float other;\nvoid *t(void *a) {{ other = s / 3; return a; }}\n\
             int main(void) {{ pthread_t p; pthread_create(&p, 0, t, 0); {body} }}\n"
        );
        folder.write("test.c", text);
        for engine in SYMBOLIC {
            for model in ["sc", "pso"] {
                let (status, output) = verdict(&folder, engine, &["--certify", "-m", model], "test.c");
                assert_eq!(status, 0, "{engine} {model}: {body}\n{output}");
            }
        }
    }
}
