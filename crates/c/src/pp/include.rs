//! `#include`: finding and reading headers.
//!
//! The order is the directory of the including file and the `-iquote` directories (for `"…"`), the `-I` directories, then
//! the built-in headers, or, if they are asked for, those of the system.

use super::read::{self, ReadError};
use super::{File, Preprocessor, nearby, pragma};
use crate::lex::{Lexer, PpKind, PpToken};
use crate::library;
use crate::token::Punct;
use norn_ir::diag::Diagnostic;
use norn_ir::source::{Loc, SourceId};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

const MAX_INCLUDE_DEPTH: usize = 200;
/// All included texts together; a small tree of headers that include one another can be huge when unfolded.
const MAX_INCLUDED_BYTES: u64 = 256 << 20;
/// Missing headers that are looked for in the project.
const MAX_SEARCHES: usize = 3;
/// What every inclusion counts at least.
const MIN_INCLUSION_BYTES: u64 = 1024;

/// What has been included so far.
#[derive(Default)]
pub struct Included {
    /// Files on disk; the session knows the built-in headers.
    sources: HashMap<PathBuf, SourceId>,
    /// Files with `#pragma once`.
    once: HashSet<PathBuf>,
    bytes: u64,
    /// How many missing headers were looked for elsewhere.
    searches: usize,
}

/// A header that was found.
pub struct Header {
    origin: Origin,
    /// How many places of the search path come up to and including the one where it was found.
    search_from: usize,
}

enum Origin {
    Disk(PathBuf),
    Builtin(String, &'static str),
}

impl Preprocessor<'_> {
    /// `#include` or `#include_next`, the name of the header not yet read.
    pub(super) fn include(&mut self, directive: PpToken, next: bool) {
        let header = self.header_name(directive);
        self.finish_line();
        let Some((name, quoted, at)) = header else { return };
        if self.among_arguments() {
            self.error(directive, "an '#include' among the arguments of a macro is not supported");
            return;
        }
        match self.find_header(&name, quoted, next) {
            Some(header) => self.open_header(header, at),
            None => self.report_missing(&name, at),
        }
    }

    /// `-include`, in order, each read to its end.
    pub(super) fn forced_includes(&mut self) {
        for path in self.session.options.forced_includes.clone() {
            let found = match std::fs::metadata(&path).is_ok_and(|m| !m.is_dir()) {
                true => Some(Header { origin: Origin::Disk(path.clone()), search_from: 0 }),
                false => self.find_header(&path.display().to_string(), false, false),
            };
            match found {
                Some(header) => self.open_header(header, PpToken::EOF),
                None => {
                    let message = format!("cannot find '{}', which '-include' names", path.display());
                    self.session.report(Diagnostic::error(Loc::NONE, message));
                }
            }
            if !self.files.is_empty() {
                self.run();
            }
        }
    }

    /// Reads the operand of an `#include`: its name, whether it is in quotes, and a token to point at.
    fn header_name(&mut self, directive: PpToken) -> Option<(String, bool, PpToken)> {
        let file = self.files.last_mut()?;
        let mut lexer = Lexer::in_directive(&file.text, file.pos, file.base);
        let written = lexer.header_name(self.session);
        file.pos = lexer.pos();
        let tokens = match written {
            Some(token) => vec![token],
            None => {
                let line = self.rest_of_line();
                self.expand(&line)
            }
        };
        let symbols = &self.session.symbols;
        let found = match tokens.first().map(|t| t.kind) {
            Some(PpKind::Header(name)) => Some((symbols.name(name).to_owned(), false)),
            Some(PpKind::Str(literal)) => {
                let inner = symbols.name(literal).strip_prefix('"').and_then(|s| s.strip_suffix('"'));
                inner.map(|inner| (inner.to_owned(), true))
            }
            Some(PpKind::Punct(Punct::Lt)) => {
                let close = tokens.iter().position(|t| t.is(Punct::Gt));
                close.map(|close| (pragma::joined(symbols, &tokens[1..close]), false))
            }
            _ => None,
        };
        match found {
            Some((name, quoted)) if !name.is_empty() => Some((name, quoted, tokens[0])),
            _ => {
                let message = format!("'#{}' needs \"FILE\" or <FILE>", self.spelling(directive));
                self.error(directive, message);
                None
            }
        }
    }

    pub(super) fn find_header(&self, name: &str, quoted: bool, next: bool) -> Option<Header> {
        let current = self.files.last();
        if self.session.sources.is_builtin(self.main) {
            // The library is the same for every program, whatever its directories hold.
            let text = library::header(name)?;
            return Some(Header { origin: Origin::Builtin(format!("<{name}>"), text), search_from: 0 });
        }
        let exists = |path: &Path| std::fs::metadata(path).is_ok_and(|m| !m.is_dir());
        if Path::new(name).is_absolute() {
            let path = PathBuf::from(name);
            return exists(&path).then_some(Header { origin: Origin::Disk(path), search_from: 0 });
        }
        if quoted
            && !next
            && let Some(directory) = current.and_then(|file| file.directory.as_ref())
        {
            let path = directory.join(name);
            if exists(&path) {
                return Some(Header { origin: Origin::Disk(path), search_from: 0 });
            }
        }
        // The places in their order: those for `"…"` only, those of the user's, those of the system or the built-in ones.
        let options = &self.session.options;
        let quoting = options.quote_dirs.len();
        let skipped = match current {
            Some(file) if next => file.search_from,
            _ if quoted => 0,
            _ => quoting,
        };
        let of_system = options.system.iter().flat_map(|system| &system.include_dirs);
        let directories = options.quote_dirs.iter().chain(&options.include_dirs).chain(of_system);
        for (i, directory) in directories.enumerate().skip(if quoted { skipped } else { skipped.max(quoting) }) {
            let path = directory.join(name);
            if exists(&path) {
                return Some(Header { origin: Origin::Disk(path), search_from: i + 1 });
            }
        }
        let before_builtin = quoting + options.include_dirs.len();
        if skipped > before_builtin || options.system.is_some() {
            return None;
        }
        let text = library::header(name)?;
        Some(Header { origin: Origin::Builtin(format!("<{name}>"), text), search_from: before_builtin + 1 })
    }

    /// Begins to read a header.
    fn open_header(&mut self, header: Header, at: PpToken) {
        if self.files.len() > MAX_INCLUDE_DEPTH {
            let message = format!("'#include' is nested more than {MAX_INCLUDE_DEPTH} deep");
            let mut diagnostic = Diagnostic::error(at.loc, message).covering(u32::from(at.len));
            for (file, text) in self.files.iter().skip(1).zip(["the first of them", "the second", "the third"]) {
                diagnostic = diagnostic.also(file.included_at, text);
            }
            return self.stop(diagnostic.help("does a header without include guard include itself?"));
        }
        let (key, name, builtin) = match &header.origin {
            Origin::Disk(path) => (path.clone(), path.display().to_string(), None),
            Origin::Builtin(name, text) => (PathBuf::from(name), name.clone(), Some(*text)),
        };
        if !self.included.once.is_empty() && self.included.once.contains(&once_key(&key)) {
            return;
        }
        let known = match builtin {
            Some(_) => self.session.builtin_headers.get(&name),
            None => self.included.sources.get(&key),
        };
        let source = match known {
            Some(&source) => source,
            None => {
                let text = match builtin {
                    Some(text) => Ok(text.to_owned()),
                    None => read::text_of_file(&self.session.options, &key),
                };
                let added = text.and_then(|text| {
                    self.session.sources.add(&name, text, builtin.is_some()).map_err(|_| ReadError::TooLarge)
                });
                match added {
                    Ok(source) => source,
                    Err(error) => {
                        let diagnostic = error.diagnostic(at.loc, &key).covering(u32::from(at.len));
                        return self.session.report(diagnostic);
                    }
                }
            }
        };
        let directory = if builtin.is_none() { key.parent().map(Path::to_path_buf) } else { None };
        match builtin {
            // Whichever text includes it, a built-in header is the same.
            Some(_) => self.session.builtin_headers.insert(name, source),
            None => self.included.sources.insert(key, source),
        };
        let mut file = File::new(self.session, source, directory, header.search_from);
        file.included_at = at.loc;
        self.included.bytes += MIN_INCLUSION_BYTES.max(file.text.len() as u64);
        if self.included.bytes > MAX_INCLUDED_BYTES {
            let message = format!("the included files have more than {} MiB", MAX_INCLUDED_BYTES >> 20);
            return self.stop(Diagnostic::error(at.loc, message).covering(u32::from(at.len)));
        }
        self.push_file(file);
    }

    /// `#pragma once` in the file that is being read.
    pub(super) fn include_once(&mut self) {
        let Some(file) = self.files.last() else { return };
        let name = self.session.sources.name(file.source);
        let key = once_key(Path::new(name));
        self.included.once.insert(key);
    }

    fn report_missing(&mut self, name: &str, at: PpToken) {
        let directory = self.files.first().and_then(|file| file.directory.clone());
        let searches = &mut self.included.searches;
        *searches += 1;
        let nearby = directory.filter(|_| *searches <= MAX_SEARCHES).and_then(|from| nearby::folder_with(name, &from));
        let options = &self.session.options;
        let help = match (nearby, similar_header(name).filter(|_| options.system.is_none()), &options.header_help) {
            (Some(folder), ..) => format!("it is found with '-I {}'", folder.display()),
            (None, Some(similar), _) => {
                format!("there is a built-in header <{similar}>; other directories are named with -I")
            }
            (None, None, Some(help)) if options.system.is_none() => {
                format!("name the directory that it is in with -I; {help}")
            }
            (None, None, _) => "name the directory that it is in with -I".to_owned(),
        };
        let message = format!("cannot find the header '{name}'");
        self.session.report(Diagnostic::error(at.loc, message).covering(u32::from(at.len)).help(help));
    }
}

/// One name for a file, however it is reached.
fn once_key(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

/// The built-in header that a mistyped name may have meant.
fn similar_header(name: &str) -> Option<&'static str> {
    fn last(name: &str) -> &str {
        name.rsplit('/').next().unwrap_or(name)
    }
    let meant = last(name).to_ascii_lowercase();
    library::header_names()
        .map(|known| (edit_distance(&meant, last(known)), known))
        .filter(|&(distance, known)| distance <= 2 && distance * 3 <= last(known).len())
        .min()
        .map(|(_, known)| known)
}

/// Insertions, deletions and replacements between two short names; names of very different lengths are just far apart.
fn edit_distance(a: &str, b: &str) -> usize {
    if a.len().abs_diff(b.len()) > 2 {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::{edit_distance, similar_header};

    #[test]
    fn edit_distances() {
        assert_eq!(edit_distance("pthread.h", "pthread.h"), 0);
        assert_eq!(edit_distance("pthreads.h", "pthread.h"), 1);
        assert_eq!(edit_distance("stdoi.h", "stdio.h"), 2);
        assert_eq!(edit_distance("", "ab"), 2);
        assert_eq!(edit_distance("x.h", "semaphore.h"), usize::MAX);
    }

    #[test]
    fn mistyped_headers() {
        assert_eq!(similar_header("pthreads.h"), Some("pthread.h"));
        assert_eq!(similar_header("linux/pthread.h"), Some("pthread.h"));
        assert_eq!(similar_header("Assert.h"), Some("assert.h"));
        assert_eq!(similar_header("x.h"), None);
    }
}
