//! The C texts of `templates/`, and the little language in which they say what belongs into a program.
//!
//! A text is a list of units. `//unit NAME` begins one that is wanted if what comes later calls NAME; `//unit *` one that
//! always is. Within a unit the lines between `//if WORD…` and `//end` are there if all the words hold (`!WORD`: does
//! not hold). So a compiler does not find functions that nobody uses, nor a reader.

use norn_ir::number::low_8;
use rustc_hash::FxHashSet;

/// The units that `text` needs, in order.
pub fn expand(template: &str, words: &[&str], text: &str) -> String {
    let mut units: Vec<(&str, String)> = Vec::new();
    let mut skipping = false;
    for line in template.lines() {
        if let Some(name) = line.strip_prefix("//unit ") {
            units.push((name, String::new()));
        } else if let Some(conditions) = line.strip_prefix("//if ") {
            skipping = !conditions.split_whitespace().all(|word| holds(word, words));
        } else if line == "//end" {
            skipping = false;
        } else if let Some((_, unit)) = units.last_mut().filter(|_| !skipping) {
            unit.push_str(line);
            unit.push('\n');
        }
    }
    // What a unit needs stands before it.
    let mut wanted: Vec<String> = Vec::new();
    for (name, unit) in units.into_iter().rev() {
        let is_called = name == "*" || mentions(text, name) || wanted.iter().any(|later| mentions(later, name));
        if is_called {
            wanted.push(unit);
        }
    }
    wanted.into_iter().rev().collect()
}

/// What texts call and cast to, each once, and their calls with a name as first argument, as `sma_read(u32,`: all that is
/// asked about long texts.
#[derive(Default)]
pub struct Calls {
    seen: FxHashSet<String>,
    words: String,
}

impl Calls {
    /// Looks at one more text.
    pub fn read(&mut self, text: &str) {
        let bytes = text.as_bytes();
        for (open, _) in bytes.iter().enumerate().filter(|&(_, &byte)| byte == b'(') {
            let word = bytes[..open].iter().rev().take_while(|&&byte| IS_WORD[usize::from(byte)]).count();
            let first = bytes[open + 1..].iter().take_while(|&&byte| IS_WORD[usize::from(byte)]).count();
            let behind = open + 1 + first;
            match (word, bytes.get(behind)) {
                // A cast.
                (0, Some(b')')) => self.note(&text[open + 1..behind]),
                (0, _) => {}
                (_, end) => {
                    self.note(&text[open - word..open]);
                    if end == Some(&b',') && !bytes[open + 1].is_ascii_digit() {
                        self.note(&text[open - word..=behind]);
                    }
                }
            }
        }
    }

    fn note(&mut self, word: &str) {
        if !self.seen.contains(word) {
            self.seen.insert(word.to_owned());
            self.words.extend([word, " "]);
        }
    }

    /// With a space behind each.
    pub fn into_words(self) -> String {
        self.words
    }
}

/// By byte: whether identifiers have it. Every byte of the text is looked up.
const IS_WORD: [bool; 256] = {
    let mut is_word = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        is_word[byte] = low_8(byte as u64).is_ascii_alphanumeric() || low_8(byte as u64) == b'_';
        byte += 1;
    }
    is_word
};

fn holds(word: &str, words: &[&str]) -> bool {
    match word.strip_prefix('!') {
        Some(word) => !words.contains(&word),
        None => words.contains(&word),
    }
}

/// Whether a text calls a function or macro.
pub fn mentions(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        let is_word = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
        !is_word(before) && !is_word(after)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_come_with_what_they_call() {
        let template = "//unit f\nint f;\n//unit g\n//if a !b\ng = f(1);\n//end\n//if b\ng = 0;\n//end\n//unit h\nh;\n//unit *\nall;\n";
        assert_eq!(expand(template, &["a"], "g()"), "int f;\ng = f(1);\nall;\n");
        assert_eq!(expand(template, &["a", "b"], "g()"), "g = 0;\nall;\n");
        assert_eq!(expand(template, &[], "gh"), "all;\n");
    }

    #[test]
    fn calls_are_listed_once() {
        let mut calls = Calls::default();
        calls.read("f(u32, x); f(u32, 7) + x2((u8)y)");
        calls.read("f(7, x);");
        assert_eq!(calls.into_words(), "f f(u32, x2 u8 ");
    }
}
