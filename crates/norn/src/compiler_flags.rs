//! What stands in a compile command: options that mean something to Norn too are taken over, the others are ignored and named.
//!
//! So `norn check $CFLAGS queue.c` works as it stands in a makefile. `-m` is the option for memory models here, and the beginning of
//! many options of compilers: it is a memory model if one follows, and the compiler's otherwise.

use crate::litmus_model::LitmusModel;
use norn_c::session::{FileOptions, MacroOption, Target};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

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
    /// A folder of headers that is searched last, unless it is the next word.
    LateFolder(Option<OsString>),
    Ignored,
    /// The next word belongs to it.
    IgnoredWithNext,
}

/// Commands that read C.
const READS_C: [&str; 8] = ["check", "robust", "repair", "relax", "run", "validate", "sequentialize", "ir"];

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

/// Folders of headers that are searched after those of `-I`, under the names that compilers have for them.
const LATE_FOLDERS: [&str; 2] = ["-isystem", "-idirafter"];
/// Folders of headers for `#include "…"` only.
const QUOTE_FOLDER: &str = "-iquote";

pub fn translated(args: Vec<OsString>) -> Translated {
    let mut translated = Translated { words: Vec::with_capacity(args.len()), ignored: Vec::new() };
    let Some(command) = args.get(1).and_then(|word| word.to_str()).filter(|word| READS_C.contains(word)) else {
        return Translated { words: args, ignored: Vec::new() };
    };
    let writes_file = matches!(command, "sequentialize" | "repair" | "relax");
    let mut late = Vec::new();
    let mut rest = args.iter().cloned();
    while let Some(word) = rest.next() {
        if word == "--" {
            translated.words.append(&mut late);
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
            Meaning::LateFolder(folder) => {
                let folder = folder.or_else(|| rest.next());
                late.extend([OsString::from("-I")].into_iter().chain(folder));
            }
            Meaning::Ignored => translated.ignored.push(word.to_string_lossy().into_owned()),
            Meaning::IgnoredWithNext => {
                let value = rest.next().map(|value| format!(" {}", value.to_string_lossy())).unwrap_or_default();
                translated.ignored.push(format!("{}{value}", word.to_string_lossy()));
            }
        }
    }
    translated.words.append(&mut late);
    translated
}

/// What a compile command says about how its file is read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FileFlags {
    pub options: FileOptions,
    pub target: Option<Target>,
}

/// Reads a compile command, of which the first word is the compiler. `located` says where a relative path is. What changes
/// the meaning of the file and is not understood is an error.
pub fn of_command(words: &[String], located: impl Fn(&Path) -> PathBuf) -> Result<FileFlags, String> {
    let mut flags = FileFlags::default();
    let mut late = Vec::new();
    let mut rest = words.iter().skip(1).map(String::as_str);
    while let Some(word) = rest.next() {
        // The value of an option that is written together with it or after it.
        let mut value = |option: &str| match word.strip_prefix(option) {
            Some("") => rest.next().ok_or_else(|| format!("'{option}' has no value")),
            Some(value) => Ok(value),
            None => Ok(""),
        };
        let is = |option: &str| word.starts_with(option);
        let options = &mut flags.options;
        if let Some(option) = LATE_FOLDERS.into_iter().find(|option| is(option)) {
            late.push(located(Path::new(value(option)?)));
        } else if is(QUOTE_FOLDER) {
            options.quote_dirs.push(located(Path::new(value(QUOTE_FOLDER)?)));
        } else if word == "-include" {
            let file = Path::new(value("-include")?);
            let near = located(file);
            options.forced_includes.push(if near.is_file() { near } else { file.to_owned() });
        } else if is("-I") {
            options.include_dirs.push(located(Path::new(value("-I")?)));
        } else if is("-D") {
            options.macros.push(MacroOption::Define(value("-D")?.to_owned()));
        } else if is("-U") {
            options.macros.push(MacroOption::Undefine(value("-U")?.to_owned()));
        } else if word == "-m32" {
            flags.target = Some(Target::Ilp32);
        } else if word == "-m64" {
            flags.target = Some(Target::Lp64);
        } else if word == "-x" {
            let language = value("-x")?;
            if !["c", "cpp-output", "none"].contains(&language) {
                return Err(format!("it is compiled as '{language}'"));
            }
        } else if WITH_VALUE.contains(&word) {
            rest.next();
        } else if is("@") || word == "-imacros" || CHANGE_MEANING.iter().any(|option| is(option)) {
            return Err(format!("it is compiled with '{word}', which is not understood"));
        }
    }
    flags.options.include_dirs.append(&mut late);
    Ok(flags)
}

fn meaning(word: &str) -> Meaning {
    if let Some(folder) = LATE_FOLDERS.into_iter().find_map(|option| word.strip_prefix(option)) {
        return Meaning::LateFolder((!folder.is_empty()).then(|| folder.into()));
    }
    if let Some(folder) = word.strip_prefix(QUOTE_FOLDER) {
        let folder = (!folder.is_empty()).then(|| folder.into());
        return Meaning::Other([Some("--iquote".into()), folder].into_iter().flatten().collect());
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
    text.is_empty() || text.split(',').any(|name| name.parse::<LitmusModel>().is_ok())
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
            "norn check -DA=1 -isystem x -iquote y -isystemz -I w -m32 -include a.h a.c",
            "norn check -DA=1 --iquote y -I w --32 --include a.h a.c -I x -I z",
            "",
        );
    }

    #[test]
    fn memory_models_are_no_options_of_a_compiler() {
        check("norn check -m tso -mavx2 -mtso,pso -m=sc a.c", "norn check -m tso -mtso,pso -m=sc a.c", "-mavx2");
        check("norn check -mrc11 -march=armv8-a -mmy.cat a.c", "norn check -mrc11 -mmy.cat a.c", "-march=armv8-a");
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
