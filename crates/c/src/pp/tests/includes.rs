//! `#include` with files on disk.

use super::{messages, spellings};
use crate::pp::preprocess_file;
use crate::session::{Options, Session};
use std::fs;
use std::path::{Path, PathBuf};

/// A directory with files that goes away.
struct Files(PathBuf);

impl Files {
    fn new(name: &str, files: &[(&str, &[u8])]) -> Files {
        let root = std::env::temp_dir().join(format!("norn-pp-{}-{name}", std::process::id()));
        for (path, content) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("it should have a parent")).expect("the directory should be made");
            fs::write(path, content).expect("the file should be written");
        }
        Files(root)
    }

    fn options(&self, directories: &[&str]) -> Options {
        Options { include_dirs: directories.iter().map(|d| self.0.join(d)).collect(), ..Options::default() }
    }

    fn run(&self, options: Options, main: &str) -> (Session, Option<String>) {
        let mut session = Session::new(options);
        let tokens = preprocess_file(&mut session, &self.0.join(main));
        let result = tokens.map(|tokens| spellings(&session, &tokens));
        (session, result)
    }

    #[track_caller]
    fn check(&self, options: Options, main: &str, expected: &str) {
        let (session, result) = self.run(options, main);
        assert_eq!(messages(&session), Vec::<&str>::new());
        assert_eq!(result.as_deref(), Some(expected));
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        // A leftover in the temporary directory does no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn quotes_look_beside_the_file_first() {
    let files = Files::new(
        "order",
        &[
            (
                "src/main.c",
                b"#include \"a.h\"\n#include <a.h>\n#define H <sub/b.h>\n#include H\n#define Q \"a.h\"\n#include Q\n",
            ),
            ("src/a.h", b"src __INCLUDE_LEVEL__"),
            ("inc/a.h", b"inc"),
            ("inc/sub/b.h", b"#include \"c.h\"\n"),
            ("inc/sub/c.h", b"beside"),
        ],
    );
    files.check(files.options(&["inc"]), "src/main.c", "src 1 inc beside src 1");
}

#[test]
fn include_next_goes_on_behind_the_place_of_the_file() {
    let files = Files::new(
        "next",
        &[
            ("main.c", b"#include <a.h>\n"),
            ("one/a.h", b"one\n#if __has_include_next(<a.h>)\n#include_next <a.h>\n#endif\nend"),
            ("two/a.h", b"two\n#if __has_include_next(<a.h>)\nwrong\n#endif\n#if __has_include(\"a.h\")\nyes\n#endif"),
        ],
    );
    files.check(files.options(&["one", "two"]), "main.c", "one two yes end");
}

#[test]
fn once_and_guards() {
    let files = Files::new("once", &[
        ("main.c", b"#include \"o.h\"\n#include \"./o.h\"\n#include \"d/../o.h\"\n#include \"g.h\"\n#include \"g.h\"\n#include \"n.h\"\n#include \"n.h\""),
        ("o.h", b"#pragma once\nonce"),
        ("d/x", b""),
        ("g.h", b"#ifndef G\n#define G\nguarded\n#endif\n"),
        ("n.h", b"again"),
    ]);
    files.check(files.options(&[]), "main.c", "once guarded again again");
}

#[test]
fn forced_includes_come_first() {
    let files = Files::new("forced", &[("main.c", b"X Y"), ("x.h", b"#define X 1\nx"), ("inc/y.h", b"#define Y X\n")]);
    let forced_includes = vec![files.0.join("x.h"), PathBuf::from("y.h")];
    files.check(Options { forced_includes, ..files.options(&["inc"]) }, "main.c", "x 1 1");
    let forced_includes = vec![PathBuf::from("no/such.h")];
    let (session, _) = files.run(Options { forced_includes, ..Options::default() }, "main.c");
    assert_eq!(messages(&session), ["cannot find 'no/such.h', which '-include' names"]);
}

#[test]
fn a_conditional_ends_with_its_file() {
    let files = Files::new("ends", &[("main.c", b"#include \"a.h\"\nx\n#endif\n"), ("a.h", b"#if 1\n")]);
    let (session, result) = files.run(Options::default(), "main.c");
    assert_eq!(messages(&session), ["the conditional has no '#endif'", "'#endif' without '#if'"]);
    assert_eq!(result.as_deref(), Some("x"));
}

#[test]
fn missing_headers() {
    let files = Files::new(
        "missing",
        &[("main.c", b"#include <no/such.h>\n#include\n#include foo\n#include <a\n#include \"\"\n")],
    );
    let (session, _) = files.run(Options::default(), "main.c");
    assert_eq!(
        messages(&session),
        [
            "cannot find the header 'no/such.h'",
            "'#include' needs \"FILE\" or <FILE>",
            "'#include' needs \"FILE\" or <FILE>",
            "'#include' needs \"FILE\" or <FILE>",
            "'#include' needs \"FILE\" or <FILE>",
        ]
    );
    assert!(session.diagnostics[0].help.as_ref().is_some_and(|help| help.contains("-I")));
}

#[test]
fn a_header_among_arguments() {
    let files = Files::new("among", &[("main.c", b"#define f(x) x\nf(\n#include \"a.h\"\n)"), ("a.h", b"a")]);
    let (session, _) = files.run(Options::default(), "main.c");
    assert_eq!(messages(&session), ["an '#include' among the arguments of a macro is not supported"]);
}

#[test]
fn encodings() {
    let files = Files::new(
        "encodings",
        &[
            ("bom.c", b"\xEF\xBB\xBF#define X 1\r\nX\r\n\"a\\\r\nb\"\r\n"),
            ("latin1.c", b"/* caf\xE9 */ int x;"),
            ("binary.c", b"\x7FELF\0\0\0"),
            ("utf16.c", b"\xFF\xFEi\0n\0t\0"),
        ],
    );
    files.check(Options::default(), "bom.c", "1 \"ab\"");
    files.check(Options::default(), "latin1.c", "int x ;");
    for name in ["binary.c", "utf16.c"] {
        let (session, result) = files.run(Options::default(), name);
        assert_eq!(result, None);
        assert_eq!(messages(&session), [format!("'{}' is not a text file", files.0.join(name).display())]);
        assert!(session.diagnostics[0].labels.is_empty());
    }
}

#[test]
fn a_missing_file_has_no_label() {
    let mut session = Session::new(Options::default());
    assert!(preprocess_file(&mut session, Path::new("no/such.c")).is_none());
    assert_eq!(messages(&session), ["cannot read 'no/such.c': no such file or directory"]);
    assert!(session.diagnostics[0].labels.is_empty());
}

#[test]
fn headers_that_include_themselves() {
    let files = Files::new("deep", &[("main.c", b"\n#include \"a.h\"\n"), ("a.h", b"#include \"a.h\"\nx")]);
    let (session, _) = files.run(Options::default(), "main.c");
    assert_eq!(messages(&session), ["'#include' is nested more than 200 deep"]);
    let first = session.sources.physical(session.diagnostics[0].labels[1].loc).map(|(_, at)| at.line);
    assert_eq!(first, Some(2));
}
