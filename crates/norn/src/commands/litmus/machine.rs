//! Tests under SC, TSO and PSO as machines: asked of the engines.

use super::Answer;
use crate::args::LitmusArgs;
use norn_engine::{GivenBounds, Prepared};
use norn_ir::instr::InstrKind;
use norn_ir::number::{narrow, to_usize};
use norn_ir::program::Program;
use norn_ir::types::{Display, Ty};
use norn_litmus::{Observed, Test};
use norn_machine::enumerate::{Question, states};
use norn_portfolio::{NOBODY_LISTENS, Options, Task};
use norn_report::visible::visible;
use norn_verdict::limits::Limits;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Checks, Outcome};
use std::collections::BTreeSet;
use std::fmt::Write;

pub fn answer(
    name: &str,
    program: &Prepared,
    model: Model,
    args: &LitmusArgs,
    limits: &Limits,
) -> Result<Answer, String> {
    // To sample, or to certify, would cost more than the others need.
    let options = Options { proofs_only: args.events.certify, ..args.options() };
    let given = GivenBounds::default();
    let task =
        Task { program, checks: Checks::default(), given: &given, limits, options: &options, heard: NOBODY_LISTENS };
    match args.engine.ask(&task, model) {
        Ok(verdict) => Ok(match verdict.outcome {
            Outcome::Unsafe(_) => Answer::Allow,
            outcome if outcome.is_complete() && verdict.remarks.assumptions.is_empty() => Answer::Forbid,
            Outcome::Limited { undecided: reason, .. } | Outcome::Unknown(reason) => {
                Answer::Unknown(reason.to_string())
            }
            outcome if outcome.is_complete() => Answer::Unknown("an execution has no meaning".to_owned()),
            Outcome::Safe { .. } => Answer::Unknown("the search was bounded".to_owned()),
        }),
        Err(mismatch) => Err(format!("{name}: a counterexample did not replay: {mismatch}")),
    }
}

/// herd's table: every final state of the observed locations and registers.
pub fn final_states(program: &Program, test: &Test, model: Model, limits: &Limits) -> String {
    let mut program = program.clone();
    for block in program.functions.iter_mut().flat_map(|f| &mut f.blocks) {
        block.instrs.retain(|instr| !matches!(instr.kind, InstrKind::Assert { .. }));
    }
    let observed = test.observed.iter().map(|o| o.global).collect::<Vec<_>>();
    let question =
        Question { program: &program, model, checks: Checks::default(), limits, domain: None, observed: &observed };
    let explored = states::explore(&question);
    let show = |final_state: &Vec<Vec<u8>>| {
        let parts = test
            .observed
            .iter()
            .zip(final_state)
            .map(|(o, bytes)| format!("{}={};", visible(&o.label), value(o, bytes)));
        parts.collect::<Vec<_>>().join(" ")
    };
    let lines = explored.finals.iter().map(show).collect::<BTreeSet<_>>();
    let mut text = format!("Test {} ({model})\nStates {}\n", visible(&test.name), lines.len());
    for line in &lines {
        let _ = writeln!(text, "{line}");
    }
    if let Some(incomplete) = explored.incomplete {
        let _ = writeln!(text, "(not all: {})", visible(&incomplete.to_string()));
    }
    let _ = writeln!(text, "Condition {:?} ({})\n", test.quantifier, visible(&test.condition.to_string()));
    text
}

fn value(observed: &Observed, bytes: &[u8]) -> String {
    let size = match observed.ty {
        Ty::I8 | Ty::Bool => 1,
        Ty::I16 => 2,
        Ty::I32 | Ty::F32 => 4,
        Ty::I64 | Ty::F64 | Ty::Ptr => 8,
    };
    let part = bytes.iter().skip(to_usize(observed.offset)).take(size);
    let bits = part.enumerate().fold(0u64, |bits, (i, &byte)| bits | u64::from(byte) << (8 * i));
    match observed.display {
        Display::Signed => {
            let unused = 64 - 8 * narrow(size);
            (((bits << unused) as i64) >> unused).to_string()
        }
        Display::Pointer => format!("{bits:#x}"),
        _ => bits.to_string(),
    }
}
