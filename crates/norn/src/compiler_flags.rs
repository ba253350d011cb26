//! What stands in a compile command: options that mean something to Norn too are taken over, the others are ignored and named.
//!
//! So `norn check $CFLAGS queue.c` works as it stands in a makefile. `-m` is the option for memory models here, and the beginning of
//! many options of compilers: it is a memory model if one follows, and the compiler's otherwise.

use norn_verdict::model::Model;
use std::ffi::OsString;

/// A command line in Norn's own options, and the words that were left out.
pub struct Translated {
    pub words: Vec<OsString>,
    pub ignored: Vec<String>,
}

/// What becomes of a word.
enum Meaning {
    /// Norn's own, or a file.
    Kept,
    /// Another way to write these words.
    Other(Vec<OsString>),
    Ignored,
    /// The next word belongs to it.
    IgnoredWithNext,
}

/// Commands that read C.
const READS_C: [&str; 5] = ["check", "robust", "run", "sequentialize", "ir"];

/// Options of compilers whose value is the next word.
const WITH_VALUE: [&str; 12] =
    ["-o", "-MF", "-MT", "-MQ", "-x", "-arch", "-target", "-Xlinker", "-Xclang", "-Xpreprocessor", "--param", "-L"];

/// Options that change what a program means, and that Norn does not understand: not ignored, so that they are refused.
const CHANGE_MEANING: [&str; 8] = [
    "-funsigned-char",
    "-fshort-enums",
    "-fshort-wchar",
    "-fpack-struct",
    "-funsigned-bitfields",
    "-mx32",
    "-m16",
    "-malign-double",
];

/// Folders of headers, under the names that compilers have for them.
const FOLDERS: [&str; 3] = ["-isystem", "-iquote", "-idirafter"];

pub fn translated(args: Vec<OsString>) -> Translated {
    let mut translated = Translated { words: Vec::with_capacity(args.len()), ignored: Vec::new() };
    let Some(command) = args.get(1).and_then(|word| word.to_str()).filter(|word| READS_C.contains(word)) else {
        return Translated { words: args, ignored: Vec::new() };
    };
    let writes_file = command == "sequentialize";
    let mut rest = args.iter().cloned();
    while let Some(word) = rest.next() {
        if word == "--" {
            translated.words.push(word);
            translated.words.extend(rest);
            break;
        }
        let meaning = match word.to_str() {
            Some("-o") if writes_file => Meaning::Kept,
            Some(text) => meaning(text),
            None => Meaning::Kept,
        };
        match meaning {
            Meaning::Kept => translated.words.push(word),
            Meaning::Other(words) => translated.words.extend(words),
            Meaning::Ignored => translated.ignored.push(word.to_string_lossy().into_owned()),
            Meaning::IgnoredWithNext => {
                let value = rest.next().map(|value| format!(" {}", value.to_string_lossy())).unwrap_or_default();
                translated.ignored.push(format!("{}{value}", word.to_string_lossy()));
            }
        }
    }
    translated
}

fn meaning(word: &str) -> Meaning {
    if let Some(folder) = FOLDERS.into_iter().find_map(|option| word.strip_prefix(option)) {
        let folder = (!folder.is_empty()).then(|| folder.into());
        return Meaning::Other([Some("-I".into()), folder].into_iter().flatten().collect());
    }
    if WITH_VALUE.contains(&word) {
        return Meaning::IgnoredWithNext;
    }
    if CHANGE_MEANING.iter().any(|option| word.starts_with(option)) {
        return Meaning::Kept;
    }
    match word {
        "-include" => Meaning::Other(vec!["--include".into()]),
        "-m32" => Meaning::Other(vec!["--32".into()]),
        "-m64" => Meaning::Other(vec!["--64".into()]),
        "-pthread" | "-pthreads" | "-c" | "-S" | "-E" | "-w" | "-s" | "-v" | "-pipe" | "-ansi" | "-pedantic"
        | "-pedantic-errors" | "-static" | "-shared" | "-rdynamic" | "-pie" | "-no-pie" | "-nostdlib" | "-nostdinc"
        | "-undef" | "-C" | "-P" | "-H" | "-Q" => Meaning::Ignored,
        _ if word.starts_with("-std=") || word.starts_with("--std=") || word.starts_with("--sysroot=") => {
            Meaning::Ignored
        }
        _ if word.starts_with("--") => Meaning::Kept,
        _ => match word.strip_prefix("-m") {
            Some(models) => match is_models(models.strip_prefix('=').unwrap_or(models)) {
                true => Meaning::Kept,
                false => Meaning::Ignored,
            },
            // -O2, -Wall, -ggdb, -fPIC, -MMD, -lpthread, -L/usr/lib
            None if ["-O", "-W", "-g", "-f", "-M", "-l", "-L"].iter().any(|option| word.starts_with(option)) => {
                Meaning::Ignored
            }
            None => Meaning::Kept,
        },
    }
}

/// Whether a word is what may follow `-m`: nothing (the next word does), or names of memory models.
fn is_models(text: &str) -> bool {
    text.is_empty() || text.split(',').any(|name| Model::ALL.iter().any(|model| model.to_string() == name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, words: &str, ignored: &str) {
        let translated = translated(line.split_whitespace().map(OsString::from).collect());
        assert_eq!(translated.words.join(&OsString::from(" ")).to_string_lossy(), words, "{line}");
        assert_eq!(translated.ignored.join(" "), ignored, "{line}");
    }

    #[test]
    fn what_only_compilers_understand_is_ignored() {
        check(
            "norn check -pthread -std=gnu11 -Wall -O2 -g -fPIC -march=native -MD -MF a.d -c -o a.o a.c -lpthread",
            "norn check a.c",
            "-pthread -std=gnu11 -Wall -O2 -g -fPIC -march=native -MD -MF a.d -c -o a.o -lpthread",
        );
    }

    #[test]
    fn what_norn_understands_too_is_taken_over() {
        check(
            "norn check -DA=1 -isystem x -iquote y -isystemz -m32 -include a.h a.c",
            "norn check -DA=1 -I x -I y -I z --32 --include a.h a.c",
            "",
        );
    }

    #[test]
    fn memory_models_are_no_options_of_a_compiler() {
        check("norn check -m tso -mavx2 -mtso,pso -m=sc a.c", "norn check -m tso -mtso,pso -m=sc a.c", "-mavx2");
    }

    #[test]
    fn what_changes_the_meaning_is_not_ignored() {
        check(
            "norn check -funsigned-char -fpack-struct=2 -fPIC a.c",
            "norn check -funsigned-char -fpack-struct=2 a.c",
            "-fPIC",
        );
    }

    #[test]
    fn the_own_options_stay() {
        check("norn check -e events --unwind 3 -I d -U X a.c", "norn check -e events --unwind 3 -I d -U X a.c", "");
        check("norn sequentialize -o out.c -O1 a.c", "norn sequentialize -o out.c a.c", "-O1");
        check("norn litmus -g", "norn litmus -g", "");
        check("norn check -- -g", "norn check -- -g", "");
    }
}
