//! `switch` and its labels.

use super::Checker;
use crate::ast;
use crate::ctype::QualType;
use crate::tree::{CaseId, Stmt, StmtKind, SwitchCase};
use norn_ir::diag::Diagnostic;
use norn_ir::number::low_64;
use norn_ir::source::Loc;

/// A `switch` whose body is being checked.
pub(super) struct SwitchState {
    /// The promoted type of its value.
    ty: QualType,
    cases: Vec<(SwitchCase, Loc)>,
    default: Option<(CaseId, Loc)>,
    /// How many variably modified things are in scope at the `switch`.
    depth: usize,
}

impl Checker<'_> {
    pub(super) fn switch(&mut self, value: &ast::Expr, body: &ast::Stmt) -> StmtKind {
        let value = self.rvalue(value);
        if !self.is_integer(value.ty) && !self.is_error(value.ty) {
            let text = self.text(value.ty);
            self.error(value.loc, format!("the value of a 'switch' must be an integer, but has type {text}"));
        }
        let value = self.promoted(value);
        let wide = self.is_wide(value.ty).then_some("a 'switch' on a value of type '__int128'");
        let unsupported = self.unsupported_values(value.ty).or(wide);
        let supported = self.is_integer(value.ty) && unsupported.is_none();
        let ty = if supported { value.ty } else { self.int_type() };
        if let Some(function) = &mut self.function {
            let depth = function.jumps.depth();
            function.switches.push(SwitchState { ty, cases: Vec::new(), default: None, depth });
            function.breakable += 1;
        }
        let body = Box::new(self.statement(body));
        let Some(function) = &mut self.function else { return StmtKind::Nop };
        function.breakable -= 1;
        let Some(state) = function.switches.pop() else { return StmtKind::Nop };
        self.report_duplicates(&state.cases);
        let cases = state.cases.into_iter().map(|(case, _)| case).collect();
        let default = state.default.map(|(id, _)| id);
        let Some(what) = unsupported else { return StmtKind::Switch { value, cases, default, body } };
        // The body stays, because a `goto` may lead into it.
        let loc = value.loc;
        let value = self.int_constant(0, self.int_type(), loc);
        let stmts = vec![
            Stmt { kind: StmtKind::Unsupported(what.to_owned()), loc },
            Stmt { kind: StmtKind::Switch { value, cases, default, body }, loc },
        ];
        StmtKind::Block { vars: Vec::new(), stmts }
    }

    fn report_duplicates(&mut self, cases: &[(SwitchCase, Loc)]) {
        let mut sorted: Vec<&(SwitchCase, Loc)> = cases.iter().collect();
        sorted.sort_by_key(|(case, loc)| (case.low, *loc));
        let mut duplicates = Vec::new();
        // The case that reaches furthest among those before.
        let mut furthest: Option<&(SwitchCase, Loc)> = None;
        for entry in sorted {
            if let Some(before) = furthest
                && entry.0.low <= before.0.high
            {
                let (first, second) = if before.1 <= entry.1 { (before, entry) } else { (entry, before) };
                duplicates.push((second.1, first.1, entry.0.low));
            }
            if furthest.is_none_or(|f| entry.0.high > f.0.high) {
                furthest = Some(entry);
            }
        }
        for (loc, earlier, value) in duplicates {
            self.report(
                Diagnostic::error(loc, format!("there are two cases for the value {value}"))
                    .also(earlier, "the first one"),
            );
        }
    }

    /// `case value:` or `case low ... high:`.
    pub(super) fn case_label(&mut self, low: &ast::Expr, high: Option<&ast::Expr>, loc: Loc) -> Option<Stmt> {
        let ty = match self.function.as_ref().and_then(|f| f.switches.last()) {
            Some(state) => state.ty,
            None => {
                self.error(loc, "'case' outside of a 'switch'");
                return None;
            }
        };
        self.check_case_scope(loc);
        let low = self.required_int(low, "the value of a case")?;
        let high = match high {
            Some(high) => self.required_int(high, "the value of a case")?,
            None => low,
        };
        let (low, high) = (self.case_value(low, ty), self.case_value(high, ty));
        if low > high {
            self.warn(loc, "this range of cases is empty");
            return None;
        }
        let function = self.function.as_mut()?;
        let target = CaseId(function.cases);
        function.cases += 1;
        let state = function.switches.last_mut()?;
        state.cases.push((SwitchCase { low, high, target }, loc));
        Some(Stmt { kind: StmtKind::Case(target), loc })
    }

    fn case_value(&self, n: i128, ty: QualType) -> i128 {
        self.number_of(self.cut(low_64(n), ty), ty)
    }

    /// A `switch` is a jump to each of its labels.
    fn check_case_scope(&mut self, loc: Loc) {
        let Some(function) = &self.function else { return };
        let passed = function.switches.last().and_then(|state| function.jumps.beyond(state.depth));
        if let Some(declared) = passed {
            self.jumps_into_scope(loc, declared);
        }
    }

    pub(super) fn default_label(&mut self, loc: Loc) -> Option<Stmt> {
        self.check_case_scope(loc);
        let Some(function) = &mut self.function else { return None };
        let Some(state) = function.switches.last_mut() else {
            self.error(loc, "'default' outside of a 'switch'");
            return None;
        };
        if let Some((_, earlier)) = state.default {
            self.report(
                Diagnostic::error(loc, "there are two 'default' labels in one 'switch'").also(earlier, "the first one"),
            );
            return None;
        }
        let target = CaseId(function.cases);
        state.default = Some((target, loc));
        function.cases += 1;
        Some(Stmt { kind: StmtKind::Case(target), loc })
    }
}
