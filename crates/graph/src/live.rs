//! Which registers matter where: those that are read before they are written, on some way from there on.
//!
//! A thread that waits goes round a loop and comes back to its head with nothing changed: it has done nothing but read,
//! and no register holds another value that matters. The execution without that round is one, too, with fewer reads and
//! dependencies and the same final state. So [`crate::run`] need not follow such rounds, under a model that allows what
//! loses these ([`norn_cat::Model::ignores_lost_reads`]).

use std::collections::BTreeSet;

use crate::program::{Expr, Instr, Label, Reg, Thread};

/// What matters at the head of each loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Heads {
    /// Per instruction: `None` unless it is a label that something behind it jumps to.
    live: Vec<Option<Live>>,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Live {
    pub registers: BTreeSet<Reg>,
    /// Whether the last exclusive load does.
    pub reservation: bool,
}

impl Heads {
    pub fn of(thread: &Thread) -> Heads {
        let code: Vec<&Instr> = thread.code.iter().map(|step| &step.instr).collect();
        let place =
            |label: Label| code.iter().position(|instr| matches!(instr, Instr::Label(other) if *other == label));
        let target = |instr: &Instr| match instr {
            Instr::Jump(label) | Instr::Branch { target: label, .. } => place(*label),
            _ => None,
        };
        let targets: Vec<Option<usize>> = code.iter().map(|instr| target(instr)).collect();
        let is_head = |at: usize| (at..code.len()).any(|from| targets[from] == Some(at));
        if !(0..code.len()).any(is_head) {
            return Heads { live: vec![None; code.len()] };
        }
        // At the end all final values are looked at.
        let end = Live { registers: (0..thread.registers.len()).map(Reg::new).collect(), reservation: false };
        let mut live = vec![Live::default(); code.len() + 1];
        live[code.len()] = end;
        loop {
            let mut grew = false;
            for at in (0..code.len()).rev() {
                let mut after = match code[at] {
                    Instr::Jump(_) => Live::default(),
                    _ => live[at + 1].clone(),
                };
                if target(code[at]).is_some() || matches!(code[at], Instr::Jump(_)) {
                    let other = &live[targets[at].unwrap_or(code.len())];
                    after.registers.extend(&other.registers);
                    after.reservation |= other.reservation;
                }
                step(code[at], &mut after);
                grew |= after != live[at];
                live[at] = after;
            }
            if !grew {
                break;
            }
        }
        live.truncate(code.len());
        Heads { live: live.into_iter().enumerate().map(|(at, live)| is_head(at).then_some(live)).collect() }
    }

    /// What matters at the label that stands there, if it is the head of a loop.
    pub fn at(&self, place: usize) -> Option<&Live> {
        self.live.get(place)?.as_ref()
    }
}

/// From what matters behind an instruction to what matters before it.
fn step(instr: &Instr, live: &mut Live) {
    match instr {
        Instr::Assign { dst, value } => {
            live.registers.remove(dst);
            uses(value, live);
        }
        Instr::Load { dst, addr, exclusive, .. } => {
            live.registers.remove(dst);
            live.reservation &= !exclusive;
            uses(addr, live);
        }
        Instr::Store { addr, value, .. } => [addr, value].into_iter().for_each(|expr| uses(expr, live)),
        Instr::StoreExclusive { status, addr, value, .. } => {
            live.registers.remove(status);
            live.reservation = true;
            [addr, value].into_iter().for_each(|expr| uses(expr, live));
        }
        Instr::Rmw { old, addr, when, value, .. } => {
            when.iter().chain([value]).for_each(|expr| uses(expr, live));
            live.registers.remove(old);
            uses(addr, live);
        }
        Instr::Fence { addr, .. } => addr.iter().for_each(|expr| uses(expr, live)),
        Instr::Branch { condition, .. } | Instr::Assume(condition) => uses(condition, live),
        Instr::Choose { dst } => drop(live.registers.remove(dst)),
        Instr::Label(_) | Instr::Jump(_) => {}
    }
}

fn uses(expr: &Expr, live: &mut Live) {
    match expr {
        Expr::Const(_) => {}
        Expr::Reg(reg) => drop(live.registers.insert(*reg)),
        Expr::Unary(_, inner) | Expr::Truncate(_, inner) | Expr::SignExtend(_, inner) => uses(inner, live),
        Expr::Binary(_, lhs, rhs) => [lhs, rhs].into_iter().for_each(|side| uses(side, live)),
        Expr::Select(condition, then, otherwise) => {
            [condition, then, otherwise].into_iter().for_each(|part| uses(part, live));
        }
    }
}
