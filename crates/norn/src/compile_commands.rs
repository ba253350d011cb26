//! `--compile-commands`: the files of a project and the options of each, from a `compile_commands.json`.
//!
//! Build tools write such databases: a list of objects with `directory`, `file`, and the compile command as one text
//! (`command`, quoted for a shell) or as words (`arguments`). Of the options those count that change what is read; what
//! only concerns compilers is passed over. An option that changes the meaning and is not understood makes the file one
//! that cannot be read, which matters only if it is needed.

use crate::args::CArgs;
use crate::compiler_flags::{self, FileFlags};
use norn_c::driver::Input;
use norn_c::driver::project::Project;
use norn_c::session::{FileOptions, Target};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

const NAME: &str = "compile_commands.json";
/// More than this is not a project.
const MAX_BYTES: u64 = 256 << 20;

/// A project, and what the user should know about it.
pub struct Read {
    pub project: Project,
    pub target: Option<Target>,
    pub notes: Vec<String>,
}

/// How one file is compiled.
#[derive(Debug)]
struct Entry {
    /// As it is shown.
    path: PathBuf,
    /// One name for the file, however it is reached.
    key: PathBuf,
    flags: Result<FileFlags, String>,
    /// How often the file is compiled with other options.
    other_ways: usize,
}

pub fn read(args: &CArgs, database: &Path) -> Result<Read, String> {
    let (file, entries) = load(database)?;
    let mut notes = Vec::new();
    for entry in entries.iter().filter(|entry| entry.other_ways > 0) {
        let (path, ways) = (entry.path.display(), entry.other_ways + 1);
        notes.push(format!("'{path}' is compiled in {ways} ways; the first one counts"));
    }
    let given = args.files.iter().map(|file| (file, key(file))).collect::<Vec<_>>();
    let mut project = Project::default();
    let mut targets = Vec::new();
    for (path, key) in &given {
        let entry = match entries.iter().find(|entry| entry.key == *key) {
            Some(entry) => entry,
            None => {
                let nearest = nearest(&entries, key).ok_or_else(|| format!("'{}' lists no C files", file.display()))?;
                let (shown, like) = (path.display(), nearest.path.display());
                notes.push(format!("'{shown}' is not in '{}': it is read as '{like}' is", file.display()));
                nearest
            }
        };
        let flags = entry.flags.as_ref().map_err(|why| format!("'{}': {why}", path.display()))?;
        targets.push(flags.target);
        project.given.push(Input::Configured { path: (*path).clone(), options: with_command_line(args, flags) });
    }
    targets.extend(entries.iter().find_map(|entry| entry.flags.as_ref().ok()).map(|flags| flags.target));
    let target = args.target().or(targets.first().copied().flatten());
    for entry in entries.iter().filter(|entry| !given.iter().any(|(_, key)| entry.key == *key)) {
        let path = entry.path.clone();
        match &entry.flags {
            Err(why) => project.unreadable.push((path, why.clone())),
            Ok(flags) if flags.target.unwrap_or_default() != target.unwrap_or_default() && args.target().is_none() => {
                project.unreadable.push((path, "it is compiled for another size of pointers".to_owned()));
            }
            Ok(flags) => project.others.push(Input::Configured { path, options: with_command_line(args, flags) }),
        }
    }
    Ok(Read { project, target, notes })
}

/// What the command line says comes on top: its folders are searched first, its macros are defined last.
fn with_command_line(args: &CArgs, flags: &FileFlags) -> FileOptions {
    let own = args.options();
    let mut options = flags.options.clone();
    options.include_dirs.splice(0..0, own.include_dirs);
    options.quote_dirs.splice(0..0, own.quote_dirs);
    options.macros.extend(own.macros);
    options.forced_includes.extend(own.forced_includes);
    options
}

/// The database itself and what it lists, each file once.
fn load(database: &Path) -> Result<(PathBuf, Vec<Entry>), String> {
    let file = if database.is_dir() { database.join(NAME) } else { database.to_owned() };
    let shown = file.display();
    let bytes = norn_ir::read::read(&file, MAX_BYTES).map_err(|error| {
        let below = [database.join("build").join(NAME), database.join("out").join(NAME)];
        let advice = match below.into_iter().find(|path| path.is_file()) {
            Some(found) => format!("there is '{}'", found.display()),
            None => "cmake writes one with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, meson and ninja by themselves, \
                     and 'bear -- make' for makefiles"
                .to_owned(),
        };
        format!("cannot read '{shown}': {error}; {advice}")
    })?;
    let value: Value = serde_json::from_slice(&bytes).map_err(|error| format!("'{shown}' is not JSON: {error}"))?;
    let Value::Array(items) = value else { return Err(format!("'{shown}' is not a list of compile commands")) };
    let folder = match file.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mut entries: Vec<Entry> = Vec::new();
    let mut known: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for (at, item) in items.iter().enumerate() {
        let entry = entry(item, folder).map_err(|why| format!("'{shown}', entry {}: {why}", at + 1))?;
        match known.get(&entry.key) {
            Some(&first) => entries[first].other_ways += usize::from(entries[first].flags != entry.flags),
            None => {
                known.insert(entry.key.clone(), entries.len());
                entries.push(entry);
            }
        }
    }
    if entries.is_empty() {
        return Err(format!("'{shown}' lists no files"));
    }
    Ok((file, entries))
}

fn entry(item: &Value, folder: &Path) -> Result<Entry, String> {
    let Value::Object(fields) = item else { return Err("it is not an object".to_owned()) };
    let text = |name: &str| match fields.get(name) {
        None => Ok(None),
        Some(Value::String(text)) if !text.contains('\0') => Ok(Some(text.as_str())),
        Some(_) => Err(format!("'{name}' is not a text")),
    };
    let directory = folder.join(text("directory")?.unwrap_or_default());
    let file = text("file")?.ok_or("there is no 'file'")?;
    let words = match (fields.get("arguments"), text("command")?) {
        (Some(Value::Array(words)), _) => {
            let word = |word: &Value| word.as_str().filter(|text| !text.contains('\0')).map(str::to_owned);
            words.iter().map(word).collect::<Option<Vec<_>>>().ok_or("'arguments' is not a list of texts")?
        }
        (Some(_), _) => return Err("'arguments' is not a list of texts".to_owned()),
        (None, Some(command)) => split(command)?,
        (None, None) => return Err("there is neither 'command' nor 'arguments'".to_owned()),
    };
    let located = directory.join(file);
    let is_c = Path::new(file).extension().is_some_and(|ending| ending == "c" || ending == "i");
    let flags = match is_c {
        true => compiler_flags::of_command(&words, |path| shown(&directory.join(path))),
        false => Err("it is not a C file".to_owned()),
    };
    Ok(Entry { path: shown(&located), key: key(&located), flags, other_ways: 0 })
}

/// The words of a command, as a POSIX shell splits them. What else a shell would do (variables, other commands) does not
/// occur in databases and is not done.
fn split(command: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = command.chars();
    while let Some(c) = characters.next() {
        match c {
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next() {
                        Some('\'') => break,
                        Some(c) => word.push(c),
                        None => return Err("a quote in 'command' is not closed".to_owned()),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next() {
                        Some('"') => break,
                        Some('\\') => match characters.next() {
                            Some(c @ ('"' | '\\' | '$' | '`')) => word.push(c),
                            Some(c) => word.extend(['\\', c]),
                            None => return Err("a quote in 'command' is not closed".to_owned()),
                        },
                        Some(c) => word.push(c),
                        None => return Err("a quote in 'command' is not closed".to_owned()),
                    }
                }
            }
            '\\' => word.get_or_insert_default().extend(characters.next()),
            c if c.is_ascii_whitespace() => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Ok(words)
}

/// The file in whose folder another one would most likely be, of those that can be read.
fn nearest<'a>(entries: &'a [Entry], key: &Path) -> Option<&'a Entry> {
    let common = |entry: &Entry| {
        let folder = |path: &'_ Path| path.parent().map(Path::to_path_buf).unwrap_or_default();
        let (a, b) = (folder(&entry.key), folder(key));
        a.components().zip(b.components()).take_while(|(a, b)| a == b).count()
    };
    let readable = entries.iter().filter(|entry| entry.flags.is_ok());
    readable.rev().max_by_key(|entry| common(entry))
}

fn key(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| shown(path))
}

/// A path without detours, from the working directory if it lies below.
fn shown(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if matches!(plain.components().next_back(), Some(Component::Normal(_))) => {
                plain.pop();
            }
            component => plain.push(component),
        }
    }
    let here = std::env::current_dir().ok();
    let below = here.and_then(|here| plain.strip_prefix(here).map(Path::to_path_buf).ok());
    let short = below.unwrap_or(plain);
    if short == Path::new("") { PathBuf::from(".") } else { short }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_split_as_a_shell_does() {
        let check = |command: &str, expected: &[&str]| {
            assert_eq!(split(command).expect("the quotes should match"), expected, "{command}");
        };
        check("cc -c  a.c\t-DX", &["cc", "-c", "a.c", "-DX"]);
        check(
            r#"cc -DS=\"a\ b\" '-DT="x y"' "-DU=\"z\"" "a\b" '' "" x''y"#,
            &["cc", "-DS=\"a b\"", "-DT=\"x y\"", "-DU=\"z\"", "a\\b", "", "", "xy"],
        );
        check("", &[]);
        check("a\\", &["a"]);
        for wrong in ["'a", "\"a", "\"a\\"] {
            assert!(split(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn paths_are_shown_without_detours() {
        assert_eq!(shown(Path::new("/a/./b/../c.c")), Path::new("/a/c.c"));
        assert_eq!(shown(Path::new("../x/../y.c")), Path::new("../y.c"));
        let here = std::env::current_dir().expect("there should be a working directory");
        assert_eq!(shown(&here.join("src/../a.c")), Path::new("a.c"));
        assert_eq!(shown(&here), Path::new("."));
    }
}
