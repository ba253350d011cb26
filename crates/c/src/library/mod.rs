//! The C library that programs meet: headers, models of functions, and the names of what is not supported.
//!
//! Headers are small and our own, so that a file checks the same way on every machine. They declare more than there are
//! models for: a call without a model is reported by the name of the function.
//!
//! Models are C files on the intrinsics that `norn.h` declares. A file becomes part of a program when the program (or a
//! model in it) uses a name that it defines, see [`model_of`]. A model may also mention a function `__model_…` that another
//! model defines and that [`model_of`] does not list: such a mention does not make the other file part of the program.
//! It stands behind `__norn_is_linked`, so it is only reached if the file is there for another reason. This way the end
//! of a thread costs nothing in programs without thread-specific data.
//!
//! What models need of the public headers stands in headers of its own, `norn_….h`: a program has many models, and most of
//! the time to read one would go into declarations that it does not use. That models agree with the public headers is
//! a test.
//!
//! The models work on the memory of glibc's types, on both targets, since programs may come preprocessed with glibc's
//! headers; `norn_types.h` says how.
//!
//! Left out: locale, wide characters, files, processes, signals, and floating-point functions that cannot be written
//! in a few lines of C.

mod headers;
mod models;
mod unsupported;

use headers::HEADERS;
use models::{MODELS, Model};
use rustc_hash::FxHashMap;
use std::sync::LazyLock;
use unsupported::UNSUPPORTED;

/// The text of a built-in header, by the name between the angle brackets.
pub fn header(name: &str) -> Option<&'static str> {
    let index = HEADERS.binary_search_by_key(&name, |(name, _)| name).ok()?;
    Some(HEADERS[index].1)
}

/// The names of all built-in headers, sorted.
pub fn header_names() -> impl Iterator<Item = &'static str> {
    HEADERS.iter().map(|(name, _)| *name)
}

/// The model file that defines a function (or an object, such as `stdin`) of the C library.
pub fn model_of(function: &str) -> Option<&'static str> {
    static FILES: LazyLock<FxHashMap<&str, &str>> = LazyLock::new(|| {
        let defined = |model: &'static Model| model.defines.iter().map(|name| (*name, model.file));
        MODELS.iter().flat_map(defined).collect()
    });
    FILES.get(function).copied()
}

/// The text of a model file.
pub fn model_text(file: &str) -> Option<&'static str> {
    let index = MODELS.binary_search_by_key(&file, |model| model.file).ok()?;
    Some(MODELS[index].text)
}

/// The file of the model of any command line.
pub const COMMAND_LINE: &str = "arguments.c";

/// The model of a command line that is given, in place of the one of any.
pub fn command_line(words: &[Vec<u8>]) -> String {
    let escaped = |word: &[u8]| word.iter().map(|byte| format!("\\{byte:03o}")).collect::<String>();
    let all = std::iter::once(&b"program"[..]).chain(words.iter().map(Vec::as_slice));
    let texts = all.enumerate().map(|(i, word)| format!("static char word{i}[] = \"{}\";\n", escaped(word)));
    let names = (0..=words.len()).map(|i| format!("word{i}, ")).collect::<String>();
    let rest = "char **__norn_arguments(int count) {\n    (void)count;\n    return words;\n}\n";
    format!("{}static char *words[] = {{{names}0}};\n{rest}", texts.collect::<String>())
}

/// The names of all model files, sorted.
pub fn model_names() -> impl Iterator<Item = &'static str> {
    MODELS.iter().map(|model| model.file)
}

/// Why a function of the C library is not supported, if that deserves more than its name.
pub fn unsupported(function: &str) -> Option<&'static str> {
    let of = |(_, functions): &&(&str, &[&str])| functions.contains(&function);
    UNSUPPORTED.iter().find(of).map(|(reason, _)| *reason)
}

/// Whether a name may be one of the C library, modelled or not: of the implementation, of POSIX threads, or in a header.
pub fn may_define(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_in = |text: &str| text.split(|c| !is_part(c)).any(|word| word == name);
    name.starts_with(['_'])
        || name.starts_with("pthread_")
        || unsupported(name).is_some()
        || HEADERS.iter().any(|(_, text)| is_in(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names with external linkage that a model defines, `__model_…` aside. Relies on the style of the models: a
    /// definition begins in the first column and its head is one line.
    fn defined_in(text: &str) -> Vec<&str> {
        text.lines().filter_map(defined_by).filter(|name| !name.starts_with("__model_")).collect()
    }

    fn defined_by(line: &str) -> Option<&str> {
        let begins = line.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let other = ["static ", "typedef ", "_Static_assert"].iter().any(|word| line.starts_with(word));
        if !begins || other {
            return None;
        }
        let declarator = match line.split_once('(') {
            Some((declarator, _)) if line.ends_with('{') => declarator,
            Some(_) => return None,
            None => line.split_once(" = ")?.0.split('[').next().unwrap_or_default(),
        };
        declarator.rsplit([' ', '*']).next()
    }

    #[test]
    fn tables_are_sorted() {
        assert!(HEADERS.is_sorted_by_key(|(name, _)| name));
        assert!(MODELS.is_sorted_by_key(|model| model.file));
    }

    #[test]
    fn every_model_defines_what_the_table_says() {
        for model in MODELS {
            assert_eq!(defined_in(model.text), model.defines, "{}", model.file);
        }
    }

    #[test]
    fn every_name_is_defined_once_and_not_unsupported() {
        let mut names: Vec<_> = MODELS.iter().flat_map(|model| model.defines).collect();
        names.extend(UNSUPPORTED.iter().flat_map(|(_, functions)| *functions));
        names.sort();
        for pair in names.windows(2) {
            assert_ne!(pair[0], pair[1]);
        }
    }

    #[test]
    fn lookups_find_what_is_there_and_nothing_else() {
        assert!(header("sys/types.h").is_some_and(|text| text.contains("ssize_t")));
        assert_eq!(header("windows.h"), None);
        assert_eq!(model_of("pthread_mutex_lock"), Some("pthread_mutex.c"));
        assert_eq!(model_of("stderr"), Some("streams.c"));
        assert_eq!(model_of("fopen"), None);
        assert_eq!(model_of("__model_run_destructors"), None);
        assert!(model_text("pthread_mutex.c").is_some_and(|text| text.contains("pthread_mutex_lock")));
        assert_eq!(model_text("mutex.c"), None);
        assert_eq!(unsupported("fork"), Some("processes are not supported"));
        assert_eq!(unsupported("pthread_create"), None);
    }

    /// What the models include is built in.
    #[test]
    fn includes_are_built_in() {
        let texts = MODELS.iter().map(|model| model.text).chain(HEADERS.iter().map(|(_, text)| *text));
        for line in texts.flat_map(str::lines) {
            if let Some(name) = line.strip_prefix("#include <") {
                let name = name.trim_end_matches('>');
                assert!(header(name).is_some(), "{name}");
            }
        }
    }
}
