//! From C text to IR.

use norn_c::driver::{self, Compiled, Input};
use norn_engine::Prepared;
use norn_ir::program::Program;

/// The program of a text, with private objects marked, as engines get it.
#[track_caller]
pub fn compile(text: &str) -> Program {
    compile_named("test.c", text)
}

/// The same for a file of this name.
#[track_caller]
pub fn compile_named(name: &str, text: &str) -> Program {
    let mut program = program(text, compiled(name, text));
    norn_passes::escape::mark_private(&mut program);
    program
}

/// The program of a text, prepared for engines.
#[track_caller]
pub fn prepare(text: &str) -> Prepared {
    Prepared::new(compile_unmarked(text))
}

/// The same for a program whose freed memory may be given out again.
#[track_caller]
pub fn compile_reusing(text: &str) -> Program {
    Program { reuses_memory: true, ..compile_unmarked(text) }
}

/// The program as the front end gives it.
#[track_caller]
pub fn compile_unmarked(text: &str) -> Program {
    program(text, compiled("test.c", text))
}

fn compiled(name: &str, text: &str) -> Compiled {
    let input = Input::Text { name: name.to_owned(), text: text.to_owned() };
    driver::compile(Default::default(), None, vec![input])
}

#[track_caller]
fn program(text: &str, compiled: Compiled) -> Program {
    match compiled.program {
        Some(program) => program,
        None => panic!("{:?}\n{text}", compiled.diagnostics),
    }
}
