//! Identifiers of the C text: the names of the source where possible, made unique and kept apart from what the
//! translation itself calls things.

use rustc_hash::{FxHashMap, FxHashSet};

/// What the translation, its templates and C use. Names of the program that are one of these get a number.
const RESERVED: &[&str] = &[
    "auto",
    "break",
    "case",
    "char",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extern",
    "float",
    "for",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "register",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "typedef",
    "union",
    "unsigned",
    "void",
    "volatile",
    "while",
    "asm",
    "typeof",
    "linux",
    "unix",
    "main",
    "u8",
    "u16",
    "u32",
    "u64",
    "i8",
    "i16",
    "i32",
    "i64",
    "uptr",
    "iptr",
    "address",
    "active",
    "size",
    "pc",
    "ct",
    "cs",
    "arg",
    "result",
    "rounds",
    "J",
    "G",
    "assume",
    "choose",
    "next_switch",
    "nondet",
    "fail",
    "unsupported",
    "abort",
    "exit",
    "malloc",
    "calloc",
    "free",
    "memset",
    "memcpy",
    "reach_error",
    "THREADS",
    "ROUNDS",
    "CELLS",
    "NULL",
    "stdin",
    "stdout",
    "stderr",
    "errno",
    "end",
    "init_objects",
    "create",
    "join",
    "previous",
    "F32_OF",
    "F64_OF",
    "AT",
    "HERE",
    "content",
    "choose_where",
    "simulate",
    "index",
    "round",
    "cs",
];

/// The names in use in one scope.
pub struct Names {
    used: FxHashSet<String>,
    avoided: FxHashSet<String>,
    /// The last number given to names that begin so.
    numbers: FxHashMap<String, u32>,
}

impl Clone for Names {
    fn clone(&self) -> Names {
        Names { used: self.used.clone(), avoided: FxHashSet::default(), numbers: FxHashMap::default() }
    }
}

impl Names {
    pub fn new() -> Names {
        Names {
            used: RESERVED.iter().map(|&word| word.to_owned()).collect(),
            avoided: FxHashSet::default(),
            numbers: FxHashMap::default(),
        }
    }

    /// An identifier like `wanted` that is not in use, in use from now on.
    pub fn make(&mut self, wanted: &str) -> String {
        let mut base: String =
            wanted.trim_start_matches('_').chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let is_ours = ["norn_", "sma_", "SMA_", "nondet_", "function_", "V_", "arg_", "previous_"]
            .iter()
            .any(|p| base.starts_with(p));
        if base.is_empty() || base.starts_with(|c: char| c.is_ascii_digit()) || is_ours {
            base.insert_str(0, "v_");
        }
        let mut name = base.clone();
        let number = self.numbers.entry(base.clone()).or_insert(1);
        if *number > 1 {
            *number += 1;
            name = format!("{base}_{number}");
        }
        // Labels are `L3` and `b3`, unnamed registers `r3`: names of other kinds or scopes, but a reader's eye is one.
        while is_numbered(&name) || self.avoided.contains(&name) || !self.used.insert(name.clone()) {
            *number += 1;
            name = format!("{base}_{number}");
        }
        name
    }

    /// Keeps a name from being given out by these names, though not by copies of them.
    pub fn avoid(&mut self, name: &str) {
        self.avoided.insert(name.to_owned());
    }
}

fn is_numbered(name: &str) -> bool {
    let mut chars = name.chars();
    matches!(chars.next(), Some('L' | 'b' | 'r')) && name.len() > 1 && chars.all(|c| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_identifiers_and_unique() {
        let mut names = Names::new();
        let made = ["x", "x", "0:r1", "while", "cs", "sma_read", "r1", "$t", "x_2"].map(|name| names.make(name));
        assert_eq!(made, ["x", "x_2", "v_0_r1", "while_2", "cs_2", "v_sma_read", "r1_2", "_t", "x_2_2"]);
    }
}
