//! Macros that are defined before the first line: those of GCC that programs test, and those of the command line.
//!
//! The version is that of GCC 4.9: new enough for `_Generic`, `_Atomic` and the `__atomic` built-ins, and old enough that
//! programs do not reach for what came later. Vector units are not announced, so that no intrinsics are used.

use super::{File, Preprocessor};
use crate::session::{MacroOption, Target};
use norn_ir::diag::Diagnostic;
use norn_ir::source::Loc;
use std::fmt::Write;

impl Preprocessor<'_> {
    /// Defines what GCC defines.
    pub(super) fn predefine(&mut self) {
        let text = match (&self.session.options.system, self.session.sources.is_builtin(self.main)) {
            (Some(system), false) => {
                let own = OWN.iter().map(|(name, value)| format!("#define {name} {value}\n"));
                own.chain([system.predefined.clone()]).collect()
            }
            _ => definitions(self.session.options.target),
        };
        self.run_definitions("<built-in>", text, true);
    }

    /// Defines and undefines what the command line says.
    pub(super) fn command_line(&mut self) {
        self.run_definitions("<command line>", command_line(&self.session.options.macros), false);
    }

    fn run_definitions(&mut self, name: &str, text: String, builtin: bool) {
        if text.is_empty() {
            return;
        }
        match self.session.sources.add(name, text, builtin) {
            Ok(source) => {
                self.push_file(File::new(self.session, source, None, 0));
                self.run();
            }
            Err(_) => self.session.report(Diagnostic::error(Loc::NONE, "the source texts are too large")),
        }
    }
}

/// `-D` and `-U` as directives.
fn command_line(options: &[MacroOption]) -> String {
    let mut text = String::new();
    for option in options {
        match option {
            MacroOption::Define(definition) => {
                let (name, value) = definition.split_once('=').unwrap_or((definition, "1"));
                text += &one_line(&format!("#define {name} {value}"));
            }
            MacroOption::Undefine(name) => text += &one_line(&format!("#undef {name}")),
        }
        text.push('\n');
    }
    text
}

/// An option becomes one directive, also if its text has line breaks.
fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

fn definitions(target: Target) -> String {
    let lp64 = target == Target::Lp64;
    let mut text = String::with_capacity(12 * 1024);
    let mut define = |name: &str, value: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "#define {name} {value}");
    };
    for (name, value) in OWN.iter().chain(ALWAYS) {
        define(name, value);
    }
    for name in if lp64 { LP64_NAMES } else { ILP32_NAMES } {
        define(name, "1");
    }
    let word = if lp64 { "8" } else { "4" };
    for name in ["LONG", "POINTER", "SIZE_T", "PTRDIFF_T"] {
        define(&format!("__SIZEOF_{name}__"), word);
    }
    define("__SIZEOF_LONG_DOUBLE__", if lp64 { "16" } else { "12" });
    if lp64 {
        define("__SIZEOF_INT128__", "16");
    }
    define("__LONG_MAX__", if lp64 { "0x7fffffffffffffffL" } else { "0x7fffffffL" });

    let int = ("int", "unsigned int", "", "U", 32);
    let long = ("long int", "long unsigned int", "L", "UL", if lp64 { 64 } else { 32 });
    let wide = if lp64 { long } else { ("long long int", "long long unsigned int", "LL", "ULL", 64) };
    let short = ("short int", "short unsigned int", "", "", 16);
    let char = ("signed char", "unsigned char", "", "", 8);
    let pointer = if lp64 { long } else { int };
    let families = [
        ("INT8", "UINT8", char),
        ("INT16", "UINT16", short),
        ("INT32", "UINT32", int),
        ("INT64", "UINT64", wide),
        ("INT_LEAST8", "UINT_LEAST8", char),
        ("INT_LEAST16", "UINT_LEAST16", short),
        ("INT_LEAST32", "UINT_LEAST32", int),
        ("INT_LEAST64", "UINT_LEAST64", wide),
        ("INT_FAST8", "UINT_FAST8", char),
        ("INT_FAST16", "UINT_FAST16", pointer),
        ("INT_FAST32", "UINT_FAST32", pointer),
        ("INT_FAST64", "UINT_FAST64", wide),
        ("INTMAX", "UINTMAX", wide),
        ("INTPTR", "UINTPTR", pointer),
        ("PTRDIFF", "SIZE", pointer),
    ];
    for (signed, unsigned, (signed_type, unsigned_type, suffix, unsigned_suffix, bits)) in families {
        let max = u64::MAX >> (64 - bits);
        define(&format!("__{signed}_TYPE__"), signed_type);
        define(&format!("__{unsigned}_TYPE__"), unsigned_type);
        define(&format!("__{signed}_MAX__"), &format!("{:#x}{suffix}", max >> 1));
        define(&format!("__{unsigned}_MAX__"), &format!("{max:#x}{unsigned_suffix}"));
        define(&format!("__{signed}_WIDTH__"), &bits.to_string());
        let takes_constants = matches!(signed, "INT8" | "INT16" | "INT32" | "INT64" | "INTMAX");
        if takes_constants {
            let join = |suffix: &str| if suffix.is_empty() { "c".to_owned() } else { format!("c ## {suffix}") };
            define(&format!("__{signed}_C(c)"), &join(suffix));
            define(&format!("__{unsigned}_C(c)"), &join(unsigned_suffix));
        }
    }
    for kind in ["BOOL", "CHAR", "CHAR16_T", "CHAR32_T", "WCHAR_T", "SHORT", "INT", "LONG", "LLONG", "POINTER"] {
        define(&format!("__GCC_ATOMIC_{kind}_LOCK_FREE"), "2");
    }
    for size in [1, 2, 4, 8] {
        define(&format!("__GCC_HAVE_SYNC_COMPARE_AND_SWAP_{size}"), "1");
    }
    text
}

const LP64_NAMES: &[&str] = &["_LP64", "__LP64__", "__x86_64__", "__x86_64", "__amd64__", "__amd64"];
const ILP32_NAMES: &[&str] = &["_ILP32", "__ILP32__", "__i386__", "__i386", "i386", "__i686__"];

/// Those that no system says anything else about. Times are fixed: the same input gives the same output.
#[rustfmt::skip]
const OWN: &[(&str, &str)] = &[
    ("__NORN__", "1"),
    ("__DATE__", "\"Jan  1 1970\""), ("__TIME__", "\"00:00:00\""), ("__TIMESTAMP__", "\"Thu Jan  1 00:00:00 1970\""),
];

#[rustfmt::skip]
const ALWAYS: &[(&str, &str)] = &[
    ("__STDC__", "1"), ("__STDC_VERSION__", "201112L"), ("__STDC_HOSTED__", "1"), ("__STDC_UTF_16__", "1"),
    ("__STDC_UTF_32__", "1"), ("__STDC_IEC_559__", "1"),
    ("__GNUC__", "4"), ("__GNUC_MINOR__", "9"), ("__GNUC_PATCHLEVEL__", "4"), ("__GNUC_STDC_INLINE__", "1"),
    ("__VERSION__", "\"4.9.4\""), ("__NO_INLINE__", "1"),
    ("__linux__", "1"), ("__linux", "1"), ("linux", "1"), ("__gnu_linux__", "1"), ("__unix__", "1"), ("__unix", "1"),
    ("unix", "1"), ("__ELF__", "1"),
    ("__ORDER_LITTLE_ENDIAN__", "1234"), ("__ORDER_BIG_ENDIAN__", "4321"), ("__ORDER_PDP_ENDIAN__", "3412"),
    ("__BYTE_ORDER__", "__ORDER_LITTLE_ENDIAN__"), ("__FLOAT_WORD_ORDER__", "__ORDER_LITTLE_ENDIAN__"),
    ("__CHAR_BIT__", "8"), ("__SCHAR_MAX__", "0x7f"), ("__SHRT_MAX__", "0x7fff"), ("__INT_MAX__", "0x7fffffff"),
    ("__LONG_LONG_MAX__", "0x7fffffffffffffffLL"), ("__BIGGEST_ALIGNMENT__", "16"),
    ("__SIZEOF_SHORT__", "2"), ("__SIZEOF_INT__", "4"), ("__SIZEOF_LONG_LONG__", "8"), ("__SIZEOF_FLOAT__", "4"),
    ("__SIZEOF_DOUBLE__", "8"), ("__SIZEOF_WCHAR_T__", "4"), ("__SIZEOF_WINT_T__", "4"),
    ("__WCHAR_TYPE__", "int"), ("__WCHAR_MAX__", "0x7fffffff"), ("__WCHAR_MIN__", "(-__WCHAR_MAX__ - 1)"),
    ("__WINT_TYPE__", "unsigned int"), ("__WINT_MAX__", "0xffffffffU"), ("__WINT_MIN__", "0U"),
    ("__SIG_ATOMIC_TYPE__", "int"), ("__SIG_ATOMIC_MAX__", "0x7fffffff"),
    ("__SIG_ATOMIC_MIN__", "(-__SIG_ATOMIC_MAX__ - 1)"),
    ("__CHAR16_TYPE__", "short unsigned int"), ("__CHAR32_TYPE__", "unsigned int"),
    ("__ATOMIC_RELAXED", "0"), ("__ATOMIC_CONSUME", "1"), ("__ATOMIC_ACQUIRE", "2"), ("__ATOMIC_RELEASE", "3"),
    ("__ATOMIC_ACQ_REL", "4"), ("__ATOMIC_SEQ_CST", "5"), ("__GCC_ATOMIC_TEST_AND_SET_TRUEVAL", "1"),
    ("__FLT_RADIX__", "2"), ("__FLT_EVAL_METHOD__", "0"), ("__DECIMAL_DIG__", "21"), ("__FINITE_MATH_ONLY__", "0"),
    ("__FLT_MANT_DIG__", "24"), ("__FLT_DIG__", "6"), ("__FLT_DECIMAL_DIG__", "9"), ("__FLT_MIN_EXP__", "(-125)"),
    ("__FLT_MIN_10_EXP__", "(-37)"), ("__FLT_MAX_EXP__", "128"), ("__FLT_MAX_10_EXP__", "38"),
    ("__FLT_MAX__", "0x1.fffffep127F"), ("__FLT_MIN__", "0x1p-126F"), ("__FLT_EPSILON__", "0x1p-23F"),
    ("__FLT_DENORM_MIN__", "0x1p-149F"), ("__FLT_HAS_DENORM__", "1"), ("__FLT_HAS_INFINITY__", "1"),
    ("__FLT_HAS_QUIET_NAN__", "1"),
    ("__DBL_MANT_DIG__", "53"), ("__DBL_DIG__", "15"), ("__DBL_DECIMAL_DIG__", "17"), ("__DBL_MIN_EXP__", "(-1021)"),
    ("__DBL_MIN_10_EXP__", "(-307)"), ("__DBL_MAX_EXP__", "1024"), ("__DBL_MAX_10_EXP__", "308"),
    ("__DBL_MAX__", "0x1.fffffffffffffp1023"), ("__DBL_MIN__", "0x1p-1022"), ("__DBL_EPSILON__", "0x1p-52"),
    ("__DBL_DENORM_MIN__", "0x1p-1074"), ("__DBL_HAS_DENORM__", "1"), ("__DBL_HAS_INFINITY__", "1"),
    ("__DBL_HAS_QUIET_NAN__", "1"),
    ("__LDBL_MANT_DIG__", "64"), ("__LDBL_DIG__", "18"), ("__LDBL_MIN_EXP__", "(-16381)"),
    ("__LDBL_MIN_10_EXP__", "(-4931)"), ("__LDBL_MAX_EXP__", "16384"), ("__LDBL_MAX_10_EXP__", "4932"),
    ("__LDBL_MAX__", "0x1.fffffffffffffffep16383L"), ("__LDBL_MIN__", "0x1p-16382L"),
    ("__LDBL_EPSILON__", "0x1p-63L"), ("__LDBL_DENORM_MIN__", "0x1p-16445L"), ("__LDBL_HAS_DENORM__", "1"),
    ("__LDBL_HAS_INFINITY__", "1"), ("__LDBL_HAS_QUIET_NAN__", "1"),
    ("__USER_LABEL_PREFIX__", ""), ("__REGISTER_PREFIX__", ""),
];

/// Attributes that are understood, or that change nothing that Norn looks at.
const ATTRIBUTES: &[&str] = &[
    "alias",
    "aligned",
    "alloc_size",
    "always_inline",
    "artificial",
    "assume_aligned",
    "cold",
    "const",
    "constructor",
    "deprecated",
    "destructor",
    "error",
    "fallthrough",
    "flatten",
    "format",
    "format_arg",
    "gnu_inline",
    "hot",
    "leaf",
    "malloc",
    "may_alias",
    "noclone",
    "noinline",
    "nonnull",
    "noreturn",
    "nothrow",
    "optimize",
    "packed",
    "pure",
    "returns_nonnull",
    "section",
    "sentinel",
    "transparent_union",
    "unused",
    "used",
    "visibility",
    "warning",
    "warn_unused_result",
    "weak",
];

const BUILTINS: &[&str] = &[
    "__builtin_abort",
    "__builtin_bswap16",
    "__builtin_bswap32",
    "__builtin_bswap64",
    "__builtin_choose_expr",
    "__builtin_clz",
    "__builtin_clzl",
    "__builtin_clzll",
    "__builtin_constant_p",
    "__builtin_ctz",
    "__builtin_ctzl",
    "__builtin_ctzll",
    "__builtin_expect",
    "__builtin_ffs",
    "__builtin_memcpy",
    "__builtin_memset",
    "__builtin_offsetof",
    "__builtin_popcount",
    "__builtin_popcountl",
    "__builtin_popcountll",
    "__builtin_prefetch",
    "__builtin_trap",
    "__builtin_types_compatible_p",
    "__builtin_unreachable",
    "__builtin_va_arg",
    "__builtin_va_copy",
    "__builtin_va_end",
    "__builtin_va_start",
];

const FEATURES: &[&str] =
    &["c_alignas", "c_alignof", "c_atomic", "c_generic_selections", "c_static_assert", "c_thread_local"];

/// `__has_attribute`.
pub fn has_attribute(name: &str) -> bool {
    let plain = name.strip_prefix("__").and_then(|n| n.strip_suffix("__")).unwrap_or(name);
    ATTRIBUTES.contains(&plain)
}

/// `__has_builtin`.
pub fn has_builtin(name: &str) -> bool {
    name.starts_with("__atomic_") || name.starts_with("__sync_") || BUILTINS.contains(&name)
}

/// `__has_feature` and `__has_extension`.
pub fn has_feature(name: &str) -> bool {
    FEATURES.contains(&name)
}
