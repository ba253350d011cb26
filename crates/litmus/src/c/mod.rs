//! C litmus tests. Their threads are functions whose parameters point to the test's locations: they go through the C
//! front end like any C, with the functions that tests use declared before them (`prelude.h`).
//!
//! - [`frame`]: the threads in the file; [`registers`]: what their variables mean; [`compile`]: to IR.
//! - The code is compiled where it stands: everything else in the file is blank, so positions agree.
//! - Here the functions that come out meet the locations: parameters become addresses.

pub(crate) mod compile;
pub(crate) mod frame;
mod registers;

use norn_ir::diag::Diagnostic;
use norn_ir::ids::{FuncId, GlobalId};
use norn_ir::instr::{Callee, Instr, InstrKind, Operand};
use norn_ir::program::{Function, Program};
use norn_ir::span::Span;
use norn_ir::types::{Shape, Target};
use norn_ir::validate::validate;

use crate::build::{Builder, number_registers};
use crate::condition::{Final, Item};
use crate::ctype::CType;
use crate::outcome::Threads;
use crate::state::{Location, State, Value};
use crate::token::{File, Token};
use crate::{Observed, outcome};
use compile::Thread;
use registers::{Wanted, final_object};

pub(crate) fn program<'a>(
    file: &File<'a>,
    tokens: &[Token<'a>],
    name: &str,
    state: &mut State<'a>,
    threads: &[frame::Thread<'a>],
    end: &Final,
) -> Result<(Program, Vec<Observed>), Vec<Diagnostic>> {
    let wanted = wanted(file, state, threads.len(), end)?;
    let code = frame::code(file, tokens, threads);
    let compiled = compile::compile(file, &code, &wanted)?;
    let types = location_types(file, state, threads, &compiled.threads)?;

    let mut program = compiled.program;
    program.files = vec![name.to_owned()];
    let mut out = Builder::of(program);
    let homes = outcome::homes(file, state, &types, &mut out);
    let mut values = outcome::locations(file, end, state, &types, &homes, &out)?;
    let mut findings = Vec::new();
    for (item, start) in outcome::looked_at(end) {
        let Item::Register { thread, name } = item else { continue };
        let is_known = compiled.threads.get(*thread as usize).is_some_and(|thread| thread.observed.contains(name));
        let observed = is_known.then(|| observe(&mut out, *thread, name, file.span(start))).flatten();
        match observed {
            Some(observed) => drop(values.insert(item, vec![observed])),
            None => {
                let message = format!("thread {thread} has no variable '{name}'");
                let help = format!("the test has {} threads, numbered from 0", threads.len());
                findings.push(file.error(start as usize, 0, message).help(help));
            }
        }
    }
    if !findings.is_empty() {
        return Err(findings);
    }
    let find = |program: &Program, thread: usize| program.function_named(&format!("P{thread}"));
    let functions: Vec<FuncId> = (0..threads.len()).filter_map(|thread| find(&out.program, thread)).collect();
    assert_eq!(functions.len(), threads.len(), "every thread should have become a function");
    let calls_thread = |id: &FuncId| {
        let instrs = out.program.function(*id).blocks.iter().flat_map(|block| &block.instrs);
        let callee = |instr: &Instr| match instr.kind {
            InstrKind::Call { callee: Callee::Direct(callee), .. } => functions.contains(&callee),
            _ => false,
        };
        instrs.into_iter().any(callee)
    };
    if let Some(caller) = functions.iter().position(calls_thread) {
        let name = tokens[threads[caller].tokens.start];
        return Err(vec![file.unsupported_at(name, "a thread that calls another one")]);
    }
    for (thread, id) in threads.iter().zip(&functions) {
        let address = |param: &Token<'_>| state.find(param.text).map(|id| Operand::Global(homes[id.index()].global, 0));
        let addresses: Vec<Operand> = thread.params.iter().filter_map(address).collect();
        bind(&mut out.program.functions[id.index()], &addresses);
    }
    let threads = Threads { functions: &functions, addresses_as_numbers: true };
    outcome::add_main(file, end, &values, state, &homes, &threads, &mut out)?;
    if let Err(problems) = validate(&out.program) {
        panic!("a litmus test should become valid IR: {}", problems[0]);
    }
    let observed = outcome::table(end, &values, |_| 0);
    Ok((out.program, observed))
}

/// What the initial state and the end of the test say about the variables of each thread.
fn wanted(file: &File<'_>, state: &State<'_>, threads: usize, end: &Final) -> Result<Vec<Wanted>, Vec<Diagnostic>> {
    let mut wanted: Vec<Wanted> = (0..threads).map(|_| Wanted::default()).collect();
    for init in &state.registers {
        let thread = init.thread.and_then(|thread| wanted.get_mut(thread as usize));
        let (Some(thread), Value::Number(value)) = (thread, init.value) else {
            let message = "only numbers can be given to variables of threads that exist";
            return Err(vec![file.unsupported_at(init.name, message)]);
        };
        thread.initial.insert(init.name.text.to_owned(), value);
    }
    for (item, _) in outcome::looked_at(end) {
        if let Item::Register { thread, name } = item
            && let Some(thread) = wanted.get_mut(*thread as usize)
        {
            thread.observed.insert(name.clone());
        }
    }
    Ok(wanted)
}

/// The types of the locations: as the initial state declares them, else as a parameter does, else as what holds their
/// address does.
fn location_types<'a>(
    file: &File<'_>,
    state: &mut State<'a>,
    threads: &[frame::Thread<'a>],
    compiled: &[Thread],
) -> Result<Vec<CType>, Vec<Diagnostic>> {
    let word = Target::Lp64.pointer_int();
    let mut findings = Vec::new();
    let params = threads.iter().zip(compiled).flat_map(|(thread, compiled)| thread.params.iter().zip(&compiled.params));
    let params: Vec<_> = params.collect();
    for &(param, ty) in &params {
        let id = state.mention(*param);
        let declared = &mut state.locations[id.index()].declared;
        *declared = declared.or(*ty);
        if ty.is_none() {
            let message = format!("the parameter '{}' does not point to an integer or a pointer", param.text);
            findings.push(file.unsupported_at(*param, message).help("such as 'int *x' or 'atomic_int *x'"));
        }
    }
    for holder in 0..state.locations.len() {
        let Location { declared, init, .. } = &state.locations[holder];
        let pointee = declared.and_then(|ty| if ty.ty() == word { Some(ty) } else { ty.target() });
        for value in init.clone() {
            if let Value::Address(id, _) = value {
                let location = &mut state.locations[id.index()];
                location.declared = location.declared.or(pointee);
            }
        }
    }
    let types: Vec<CType> = state
        .locations
        .iter()
        .map(|location| {
            let declared = location.declared.unwrap_or(CType::INT);
            let holds_address = location.init.iter().any(|value| matches!(value, Value::Address(..)));
            let has_room = declared.is_pointer() || declared.ty() == word;
            if holds_address && !has_room { declared.pointer_to() } else { declared }
        })
        .collect();
    for (param, ty) in params {
        let size = |ty: CType| ty.ty().size(Target::Lp64);
        let location = state.find(param.text).map(|id| types[id.index()]);
        if ty.is_some_and(|ty| location.is_some_and(|location| size(ty) != size(location))) {
            let message = format!("'{}' is declared with another size elsewhere", param.text);
            findings.push(file.unsupported_at(*param, message));
        }
    }
    if findings.is_empty() { Ok(types) } else { Err(findings) }
}

/// The object to which a thread stores the final value of a variable.
fn observe(out: &mut Builder, thread: u32, name: &str, span: Span) -> Option<Observed> {
    let label = format!("{thread}:{name}");
    let given = format!("P{thread}.{}", final_object(name));
    let global = GlobalId::new(out.program.globals.iter().position(|global| global.name == given)?);
    let Shape::Scalar { ty, display } = out.program.ty(out.program.globals[global.index()].ty).shape else {
        return None;
    };
    let object = &mut out.program.globals[global.index()];
    object.name.clone_from(&label);
    object.span = span;
    Some(Observed { label, global, offset: 0, ty, display })
}

/// Gives a thread the addresses of its locations in place of parameters.
fn bind(function: &mut Function, addresses: &[Operand]) {
    let params = std::mem::take(&mut function.params);
    let assigned = |param| {
        let mut instrs = function.blocks.iter().flat_map(|block| &block.instrs);
        instrs.any(|instr| instr.kind.defs().any(|reg| reg == param))
    };
    let (copied, fixed): (Vec<_>, Vec<_>) = params.into_iter().zip(addresses).partition(|&(param, _)| assigned(param));
    let replace = |operand: Operand| match operand {
        Operand::Reg(reg) => fixed.iter().find(|(param, _)| *param == reg).map_or(operand, |(_, address)| **address),
        other => other,
    };
    for block in &mut function.blocks {
        block.instrs.iter_mut().for_each(|instr| instr.kind.map_operands(replace));
        block.terminator.kind.map_operands(replace);
    }
    let span = function.span;
    let copies = copied.into_iter().map(|(dst, src)| Instr { kind: InstrKind::Copy { dst, src: *src }, span });
    function.blocks[0].instrs.splice(0..0, copies);
    number_registers(function);
}
