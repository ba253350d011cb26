//! Where control goes: the creation of threads, jumps, the ends of threads.

use super::{Writer, converted, parentheses};
use crate::Refusal;
use crate::expr::{self, top};
use crate::text::{digits, put, quoted};
use norn_ir::ids::{BlockId, Reg};
use norn_ir::instr::{Operand, TerminatorKind};
use norn_ir::types::Ty;
use norn_passes::Site;
use norn_verdict::model::Model;

impl Writer<'_, '_> {
    pub(super) fn spawn(&mut self, dst: Reg, start: Operand, args: &[Operand]) -> Result<(), Refusal> {
        let here = |creator: Option<(norn_passes::threads::ThreadId, Site)>| {
            creator.is_some_and(|(thread, site)| thread.0 as usize == self.copies.threads[0] && site == self.site)
        };
        // Threads that create others have no copies.
        let threads = &self.context.prepared.threads;
        let created: Vec<usize> = (0..threads.len()).filter(|&t| here(threads[t].creator)).collect();
        let texts: Vec<(String, Ty)> =
            args.iter().map(|&arg| (self.kept(arg), self.code.function.operand_ty(arg))).collect();
        let is_known = matches!(start, Operand::Func(_));
        let start_text = if is_known { String::new() } else { self.kept(start) };
        if self.model() != Model::Sc {
            self.statement("sma_fence();");
        }
        for &thread in &created {
            let function = self.context.prepared.threads[thread].start;
            let code = self.context.prepared.function(function);
            if code.function.params.len() > texts.len() {
                return Err(self.refuse(&format!("'{}' is started with too few arguments", code.function.name)));
            }
            let mut statements = String::new();
            for (i, (&param, (text, given))) in code.function.params.iter().zip(&texts).enumerate() {
                if code.uses[param.index()] > 0 {
                    let value = converted(text, *given, code.function.ty(param));
                    statements += &format!("arg_{thread}_{i} = {value}; ");
                }
            }
            if self.code.uses[dst.index()] > 0 {
                self.register(&mut statements, dst);
                statements.push_str(" = ");
                expr::number(&mut statements, thread as u64, self.program().target.pointer_size());
                statements.push_str("; ");
            }
            statements += &format!("create({thread});");
            if is_known {
                self.statement(&statements);
            } else {
                let address = self.operand_alone(Operand::Func(function));
                self.statement(&format!("if ({start_text} == {address}) {{ {statements} }}"));
            }
        }
        if created.is_empty() {
            self.statement("unsupported(\"a thread is started in an unknown function\");");
        } else if !is_known {
            let tests = created.iter().map(|&thread| {
                let function = self.context.prepared.threads[thread].start;
                let address = self.operand_alone(Operand::Func(function));
                format!("{start_text} != {address}")
            });
            let tests = tests.collect::<Vec<_>>().join(" && ");
            self.statement(&format!("if ({tests}) unsupported(\"a thread is started in an unknown function\");"));
        }
        Ok(())
    }

    // The ends of blocks.

    pub(super) fn terminator(&mut self, kind: &TerminatorKind, next: Option<BlockId>) {
        let is_next = |target: BlockId| Some(target) == next;
        match *kind {
            TerminatorKind::Goto(target) => {
                if !is_next(target) {
                    let statement = self.spare.text();
                    self.jump(statement, target);
                }
            }
            TerminatorKind::Branch { cond, then, otherwise } => {
                let cond = self.operand_alone(cond);
                let (open, close) = parentheses(&cond);
                let mut statement = self.spare.text();
                if is_next(then) {
                    statement.extend(["if (!", open, &cond, close, ") "]);
                    self.jump(statement, otherwise);
                } else {
                    statement.extend(["if ", open, &cond, close, " "]);
                    self.jump(statement, then);
                    if !is_next(otherwise) {
                        let statement = self.spare.text();
                        self.jump(statement, otherwise);
                    }
                }
                self.spare.give_back(cond);
            }
            TerminatorKind::Switch { ty, value, ref cases, default } => {
                let value = self.operand_alone(value);
                let size = ty.size(self.program().target);
                let mut statement = format!("switch ({}) {{ ", top(&value));
                for &(bits, target) in cases {
                    statement.push_str("case ");
                    expr::number(&mut statement, bits, size);
                    put(&mut statement, format_args!(": goto b{}; ", target.index()));
                }
                put(&mut statement, format_args!("default: goto b{}; }}", default.index()));
                self.statement(&statement);
            }
            TerminatorKind::Return(value) => {
                let ty = self.code.function.result;
                self.end_thread(value.zip(ty), next.is_none());
            }
            TerminatorKind::ThreadExit(value) => self.end_thread(Some((value, Ty::Ptr)), next.is_none()),
            TerminatorKind::Exit(_) | TerminatorKind::Abort => self.statement("assume(0); /* the program ends */"),
            TerminatorKind::Stop => self.statement("assume(0); /* a bound is reached */"),
            TerminatorKind::Unreachable => self.statement("assume(0);"),
            TerminatorKind::Unsupported(ref reason) => self.statement(&format!("unsupported({});", quoted(reason))),
        }
    }

    /// A jump that follows the condition.
    fn jump(&mut self, mut condition: String, target: BlockId) {
        condition.push_str("goto b");
        digits(&mut condition, u64::from(target.0));
        condition.push(';');
        self.state(condition);
    }

    pub(super) fn end_thread(&mut self, result: Option<(Operand, Ty)>, is_last: bool) {
        if let Some((value, ty)) = result.filter(|_| self.context.results && self.copies.threads[0] != 0) {
            let value = self.operand_alone(value);
            let value = converted(&value, ty, Ty::Ptr);
            let mut statement = String::from("result[");
            self.copies.add_number(&mut statement);
            statement.extend(["] = ", &value, ";"]);
            self.statement(&statement);
        }
        if !is_last {
            self.jumps_to_end = true;
            self.statement("goto end;");
        }
    }
}
