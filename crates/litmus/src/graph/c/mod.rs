//! C tests: the syntax tree of each thread becomes a list of instructions.
//!
//! - [`types`]: what declarations say, as far as it matters; [`thread`]: statements and variables; [`expr`]: expressions;
//! - [`functions`]: what calls mean, with [`c11`] for C11's atomics and [`kernel`] for the Linux kernel's dialect.
//!
//! A location is one cell of 64 bits, whatever its type: tests of C do not access parts of objects. Arithmetic wraps as
//! the types of its operands say; integers are kept extended to 64 bits. A variable belongs to the whole thread and is 0
//! (or what the initial state says) before it is assigned. Control dependencies of a branch end where its paths meet,
//! as in herd and in the kernel's model. Left out, with a diagnostic: structures, jumps by `goto` and `switch`, division,
//! addresses of variables.

mod c11;
mod expr;
mod functions;
mod kernel;
mod thread;
mod types;

use std::collections::BTreeMap;

use norn_c::ast::{FunctionDefinition, Item as AstItem, TranslationUnit};
use norn_c::driver::with_stack;
use norn_c::session::{Options, Session};
use norn_c::{parse, pp};
use norn_graph::program::{Program, Width};
use norn_graph::test::Test;
use norn_ir::diag::{Diagnostic, Severity};
use norn_ir::source::Loc;
use norn_ir::types::Target;

use super::ending::{self, Asked, FinalRegister, Home};
use super::{Language, widths};
use crate::c::compile::{TYPES, place};
use crate::c::frame;
use crate::condition::{Final, Item};
use crate::ctype::CType;
use crate::header::Header;
use crate::outcome::looked_at;
use crate::state::State;
use crate::token::{File, Token};
use thread::{Start, Threads};

pub(crate) fn test(
    file: &File<'_>,
    header: &Header,
    tokens: &[Token<'_>],
    state: &State<'_>,
    threads: &[frame::Thread<'_>],
    end: &Final,
) -> Result<(Test, Language), Vec<Diagnostic>> {
    let mut code = frame::code(file, tokens, threads);
    hide_keyword(&mut code, tokens);
    let prelude = format!("{TYPES}#line 1\n");
    let text = format!("{prelude}{code}");
    let place_all = |mut found: Vec<Diagnostic>| {
        found.retain(|diagnostic| diagnostic.severity != Severity::Warning);
        found.iter_mut().for_each(|diagnostic| place(diagnostic, file, prelude.len()));
        found
    };
    with_stack(|| {
        let mut session = Session::new(Options { target: Target::Lp64, ..Options::default() });
        let unit = tree(&mut session, text).ok_or_else(|| place_all(std::mem::take(&mut session.diagnostics)))?;
        let functions = functions_of(&session, &unit, threads.len());
        let types = location_types(&session, state, threads, &functions);
        let mut program = Program::default();
        let homes = homes(state, &types, &mut program);
        let start = Loc(1).offset(norn_ir::number::narrow(prelude.len()));
        let lowered = Start { session: &session, file, start, state, homes: &homes, types: &types, program: &program };
        let Threads { threads: lowered, language } = thread::all(&lowered, threads, &functions).map_err(place_all)?;
        let mut registers = BTreeMap::new();
        for (item, _) in looked_at(end) {
            let Item::Register { thread, name } = item else { continue };
            let known = lowered.get(*thread as usize).and_then(|lowered| lowered.variable(hidden(name)));
            if let Some((reg, ty)) = known {
                registers.insert(item, FinalRegister { reg, width: widths::of_type(ty), signed: ty.is_signed() });
            }
        }
        program.threads = lowered.into_iter().map(|lowered| lowered.thread).collect();
        // In the order of their names, as there are no numbers to go by.
        let asked = Asked { end, registers: &registers, rank: &|_| 0 };
        let test = ending::test(file, header, state, &homes, program, &asked)?;
        Ok((test, language))
    })
}

/// The litmus dialect knows no `continue`: lock-free algorithms have it as a variable.
const KEYWORD: &str = "continue";
const HIDDEN: &str = "c0ntinue";

fn hidden(name: &str) -> &str {
    if name == KEYWORD { HIDDEN } else { name }
}

fn shown(name: &str) -> &str {
    if name == HIDDEN { KEYWORD } else { name }
}

/// Renames the variable in the code, unless it is the statement.
fn hide_keyword(code: &mut String, tokens: &[Token<'_>]) {
    for pair in tokens.windows(2) {
        let start = pair[0].start as usize;
        let range = start..start + KEYWORD.len();
        if pair[0].is_word(KEYWORD) && !pair[1].is(";") && code.get(range.clone()) == Some(KEYWORD) {
            code.replace_range(range, HIDDEN);
        }
    }
}

fn tree(session: &mut Session, text: String) -> Option<TranslationUnit> {
    let tokens = pp::preprocess_text(session, "test", text, false)?;
    if session.has_errors() {
        return None;
    }
    let unit = parse::parse(session, &tokens);
    (!session.has_errors() && !session.has_unsupported()).then_some(unit)
}

/// The functions of the threads, in order.
fn functions_of<'u>(session: &Session, unit: &'u TranslationUnit, count: usize) -> Vec<&'u FunctionDefinition> {
    let mut found = Vec::new();
    for number in 0..count {
        let name = format!("P{number}");
        let is_thread = |item: &'u AstItem| match item {
            AstItem::Function(function) => {
                let known = function.declarator.name.is_some_and(|symbol| session.symbols.name(symbol) == name);
                known.then_some(&**function)
            }
            _ => None,
        };
        found.extend(unit.items.iter().find_map(is_thread));
    }
    found
}

/// The C type of each location: as the initial state declares it, else as the first thread does that is given it.
fn location_types(
    session: &Session,
    state: &State<'_>,
    threads: &[frame::Thread<'_>],
    functions: &[&FunctionDefinition],
) -> Vec<CType> {
    let mut found: Vec<Option<CType>> = state.locations.iter().map(|location| location.declared).collect();
    for (thread, function) in threads.iter().zip(functions) {
        for (param, ty) in thread.params.iter().zip(types::params(session, function)) {
            let Some(id) = state.find(param.text) else { continue };
            if let Some(target) = ty.and_then(CType::target) {
                found[id.index()].get_or_insert(target);
            }
        }
    }
    // Of nobody's type: wide enough for numbers and addresses.
    found.into_iter().map(|ty| ty.unwrap_or(CType::LONG)).collect()
}

fn homes(state: &State<'_>, types: &[CType], program: &mut Program) -> Vec<Home> {
    let size = widths::Size { element: Width::W64, unit: Width::W64 };
    let sizes = vec![size; types.len()];
    let mut homes = ending::homes(state, &sizes, program);
    for ((home, ty), location) in homes.iter_mut().zip(types).zip(&state.locations) {
        home.width = widths::of_type(*ty);
        home.signed = ty.is_signed();
        for index in 0..location.length.unwrap_or(1) {
            let cell = &mut program.cells[home.first.index() + norn_ir::number::to_usize(index)];
            cell.init = types::wrapped(*ty, cell.init);
        }
    }
    homes
}
