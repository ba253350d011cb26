//! `switch`: values become cases of one terminator, long ranges become comparisons before it.

use super::function::FunctionBuilder;
use super::ir_types::Scalar;
use super::scope::JumpTarget;
use crate::tree::{CaseId, Expr, Stmt, SwitchCase};
use norn_ir::ids::BlockId;
use norn_ir::instr::{BinaryOp, CompareOp, Operand, TerminatorKind};
use norn_ir::number::low_64;
use norn_ir::types::Ty;
use rustc_hash::FxHashMap;

/// A range of at most this many values is listed value by value.
const LISTED_RANGE: i128 = 16;

impl<'a> FunctionBuilder<'_, 'a> {
    pub fn switch(&mut self, value: &'a Expr, cases: &'a [SwitchCase], default: Option<CaseId>, body: &'a Stmt) {
        let scalar = self.expect_scalar(value);
        let operand = self.value(value);
        self.set_loc(value.loc);
        let after = self.new_block();
        let mut targets: FxHashMap<CaseId, BlockId> = FxHashMap::default();
        let mut target_of =
            |f: &mut Self, case: CaseId| *targets.entry(case).or_insert_with(|| f.jump_block(JumpTarget::Case(case)));
        let mut listed: Vec<(u64, BlockId)> = Vec::new();
        for case in cases {
            if case.low > case.high {
                continue;
            }
            let target = target_of(self, case.target);
            if case.high - case.low < LISTED_RANGE {
                let values = (case.low..=case.high).map(|v| scalar.ty.truncate(low_64(v), self.p.target));
                listed.extend(values.map(|v| (v, target)));
            } else {
                self.range_test(scalar, operand, case, target);
            }
        }
        let otherwise = match default {
            Some(case) => target_of(self, case),
            None => after,
        };
        self.dispatch(scalar.ty, operand, listed, otherwise);
        let saved = self.break_target.replace((after, self.scope));
        self.stmt(body);
        self.break_target = saved;
        self.start(after);
    }

    /// Jumps to the target if the value lies in the case's range: `value - low <= high - low`, unsigned.
    fn range_test(&mut self, scalar: Scalar, value: Operand, case: &SwitchCase, target: BlockId) {
        let low = self.constant(scalar.ty, low_64(case.low));
        let length = self.constant(scalar.ty, low_64(case.high - case.low));
        let distance = self.binary(BinaryOp::Sub, scalar.ty, value, low);
        let inside = self.compare(CompareOp::LeUnsigned, scalar.ty, distance, length);
        let next = self.new_block();
        self.branch_on(inside, target, next);
        self.start_branch(next);
    }

    fn dispatch(&mut self, ty: Ty, value: Operand, cases: Vec<(u64, BlockId)>, default: BlockId) {
        match value {
            Operand::Const(c) => {
                let target = cases.iter().find(|(v, _)| *v == c.bits).map_or(default, |case| case.1);
                self.goto(target);
            }
            _ if cases.is_empty() => self.goto(default),
            _ => self.terminate(TerminatorKind::Switch { ty, value, cases, default }),
        }
    }
}
