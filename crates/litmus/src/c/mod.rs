//! C litmus tests. Their threads are functions whose parameters point to the test's locations; variables become
//! registers of the IR, and everything has a type.
//!
//! - Understood: integers and pointers, the operators, `if`, loops, C11 atomics, the Linux kernel's accesses, barriers,
//!   atomics and spinlocks ([`calls`]).
//! - `*x` is a plain access, for every type of the parameter; atomic functions name their memory order.
//! - Variables are 0 before they are assigned, as in herd.

mod ast;
mod calls;
mod lower;
mod parse;

use norn_ir::diag::Diagnostic;
use norn_ir::program::Program;
use norn_ir::types::Target;

use crate::build::Builder;
use crate::condition::{Final, Item};
use crate::ctype::CType;
use crate::state::{State, Value};
use crate::token::{Cursor, File, Parsed};
use crate::{Observed, outcome};
use ast::Thread;

/// Reads the threads.
pub(crate) fn parse<'a>(cursor: &mut Cursor<'_, 'a>, state: &mut State<'a>) -> Parsed<Vec<Thread<'a>>> {
    parse::threads(cursor, state)
}

pub(crate) fn program<'a>(
    file: &File<'a>,
    name: &str,
    state: &State<'a>,
    threads: &[Thread<'a>],
    end: &Final,
) -> Result<(Program, Vec<Observed>), Vec<Diagnostic>> {
    let types: Vec<CType> = state
        .locations
        .iter()
        .map(|location| {
            let declared = location.declared.unwrap_or(CType::INT);
            let holds_address = location.init.iter().any(|value| matches!(value, Value::Address(..)));
            if holds_address && !declared.is_pointer() { declared.pointer_to() } else { declared }
        })
        .collect();
    let mut out = Builder::new(Target::Lp64, name);
    let homes = outcome::homes(file, state, &types, &mut out);
    let mut values = outcome::locations(file, end, state, &types, &homes, &out)?;
    let locations = lower::Locations { file, state, types: &types, homes: &homes };
    let mut findings = Vec::new();
    let mut lowered = Vec::new();
    for (number, thread) in threads.iter().enumerate() {
        match lower::thread(&locations, number, thread) {
            Ok(thread) => lowered.push(thread),
            Err(finding) => findings.push(finding),
        }
    }
    if !findings.is_empty() {
        return Err(findings);
    }
    for (item, start) in outcome::looked_at(end) {
        let Item::Register { thread, name } = item else { continue };
        let variable = lowered.get(*thread as usize).and_then(|lowered| lowered.variable(name));
        let (Some(ty), Some(lowered)) = (variable, lowered.get_mut(*thread as usize)) else {
            let message = format!("thread {thread} has no variable '{name}'");
            let help = format!("the test has {} threads, numbered from 0", threads.len());
            findings.push(file.error(start as usize, 0, message).help(help));
            continue;
        };
        let observed = outcome::register_object(*thread, name, ty, file.span(start), &mut out);
        lowered.observe(name, observed.global);
        values.insert(item, vec![observed]);
    }
    if !findings.is_empty() {
        return Err(findings);
    }
    out.program.functions.extend(lowered.into_iter().map(lower::Lowered::finish));
    outcome::add_main(file, end, &values, state, &homes, &mut out);
    let observed = outcome::table(end, &values, |_| 0);
    Ok((out.program, observed))
}
