//! Norn's own front end accepts the built-in headers, the models and the examples, for both targets, without a word.

use norn_c::ctype::Types;
use norn_c::library;
use norn_c::session::{Options, Session, Target};
use norn_c::{parse, pp, sema};
use std::path::Path;

/// Takes a text as far as the typed tree, as a part of the library or of the program.
fn check(name: &str, text: &str, builtin: bool) {
    for target in [Target::Lp64, Target::Ilp32] {
        let mut session = Session::new(Options { target, ..Options::default() });
        let mut types = Types::default();
        let tokens = pp::preprocess_text(&mut session, name, text.to_owned(), builtin);
        let tokens = tokens.unwrap_or_else(|| panic!("{name}: {:#?}", session.diagnostics));
        let unit = parse::parse(&mut session, &tokens);
        sema::check(&mut session, &mut types, unit);
        let said: Vec<_> = session.diagnostics.iter().map(|found| &found.message).collect();
        assert!(said.is_empty(), "{name} for {target:?}: {said:#?}");
    }
}

#[test]
fn headers_are_accepted() {
    for name in library::header_names() {
        check(name, &format!("#define _GNU_SOURCE\n#include <{name}>\n#include <{name}>\n"), false);
    }
}

#[test]
fn models_are_accepted() {
    for name in library::model_names() {
        check(name, library::model_text(name).expect("a listed model has a text"), true);
    }
}

/// Models share names of static functions and of macros; what one of them declares must be gone before the next is read.
#[test]
fn models_do_not_see_each_other() {
    let mut session = Session::new(Options::default());
    let mut types = Types::default();
    for name in library::model_names() {
        let text = library::model_text(name).expect("a listed model has a text");
        let text = format!("{text}\n#ifdef LEFT\n#error a macro is left\n#endif\n#define LEFT\n#undef __LP64__\n");
        let tokens = pp::preprocess_text(&mut session, name, text, true).expect("a model can be read");
        let unit = parse::parse(&mut session, &tokens);
        let unit = sema::check(&mut session, &mut types, unit);
        let said: Vec<_> = session.diagnostics.iter().map(|found| &found.message).collect();
        assert!(said.is_empty(), "{name}: {said:#?}");
        assert!(unit.functions.iter().any(|f| f.body.is_some()) || !unit.objects.is_empty(), "{name}");
    }
}

#[test]
fn examples_are_accepted() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for entry in examples.read_dir().expect("there should be examples") {
        let path = entry.expect("a folder can be listed").path();
        if path.extension().is_some_and(|extension| extension == "c") {
            let text = std::fs::read_to_string(&path).expect("an example can be read");
            check(&path.display().to_string(), &text, false);
        }
    }
}

/// glibc's headers all include features.h, and that includes sys/cdefs.h: programs use those macros without asking.
#[test]
fn macros_of_glibc_come_with_every_header() {
    for name in library::header_names() {
        // Those of the compiler and of the kernel know nothing of glibc; the `norn` ones are no business of programs.
        let compilers = ["float.h", "iso646.h", "stdalign.h", "stdarg.h", "stdatomic.h", "stdbool.h", "stddef.h"];
        let is_other = compilers.contains(&name)
            || ["norn", "linux/", "asm/", "stdnoreturn.h"].iter().any(|start| name.starts_with(start))
            || name.ends_with("intrin.h")
            || ["sys/cdefs.h", "sys/queue.h", "sys/syscall.h", "syscall.h", "sysexits.h"].contains(&name);
        let text = format!(
            "#include <{name}>\n__BEGIN_DECLS\nint f(char *) __THROW __nonnull((1));\n__END_DECLS\n\
             #if !__GLIBC_PREREQ(2, 4) || __GLIBC_PREREQ(3, 0) || !__GNUC_PREREQ(4, 1) || __GNUC_PREREQ(99, 0)\n\
             #error\n#endif\n"
        );
        if !is_other {
            check(name, &text, false);
        }
    }
}

/// Programs get `_GNU_SOURCE` by options of their makefiles, so that what needs it there does not need it here.
#[test]
fn sets_of_processors_need_no_feature_macro() {
    let text = "#include <pthread.h>\nvoid f(void) { cpu_set_t set; CPU_ZERO(&set); CPU_SET(1, &set);\n\
                pthread_setaffinity_np(pthread_self(), sizeof set, &set); sched_setaffinity(0, sizeof set, &set); }\n";
    check("processors", text, false);
}
