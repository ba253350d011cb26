//! A thread's statements and variables.

use std::collections::HashMap;

use norn_c::ast::{
    Block, BlockItem, Declaration, Expr as AstExpr, ForInit, FunctionDefinition, Initializer, Stmt, StmtKind,
    StorageClass,
};
use norn_c::intern::Symbol;
use norn_c::session::Session;
use norn_graph::program::{BinaryOp, Expr, Instr, Label, Program, Reg, Thread};
use norn_ir::diag::Diagnostic;
use norn_ir::source::Loc;

use super::types;
use crate::c::frame;
use crate::ctype::CType;
use crate::graph::Language;
use crate::graph::ending::{self, Home};
use crate::state::{LocationId, State};
use crate::token::File;

/// After this many findings the rest is not worth reading.
const MAX_FINDINGS: usize = 20;

/// What all threads of a test share.
pub(super) struct Start<'s> {
    pub session: &'s Session,
    pub file: &'s File<'s>,
    /// Where the file begins in the text that was parsed.
    pub start: Loc,
    pub state: &'s State<'s>,
    pub homes: &'s [Home],
    /// Of the locations.
    pub types: &'s [CType],
    /// Its cells are complete.
    pub program: &'s Program,
}

impl Start<'_> {
    pub fn loc(&self, loc: Loc) -> Loc {
        self.file.loc(loc.0.saturating_sub(self.start.0) as usize)
    }

    pub fn address(&self, location: LocationId) -> u64 {
        self.program.cells[self.homes[location.index()].first.index()].address
    }
}

pub(super) struct Threads {
    pub threads: Vec<Lowered>,
    pub language: Language,
}

/// A thread that is done.
pub(super) struct Lowered {
    pub thread: Thread,
    variables: HashMap<String, (Reg, CType)>,
}

impl Lowered {
    pub fn variable(&self, name: &str) -> Option<(Reg, CType)> {
        self.variables.get(name).copied()
    }
}

pub(super) fn all(
    start: &Start<'_>,
    threads: &[frame::Thread<'_>],
    functions: &[&FunctionDefinition],
) -> Result<Threads, Vec<Diagnostic>> {
    let mut lowered = Vec::new();
    let mut findings = Vec::new();
    let mut language = Language::C;
    for (number, (thread, function)) in threads.iter().zip(functions).enumerate() {
        let mut lowering = Lowering::new(start, number, thread, function);
        lowering.language = language;
        if let Err(finding) = lowering.body(&function.body) {
            findings.push(finding);
        }
        if findings.len() >= MAX_FINDINGS {
            break;
        }
        language = lowering.language;
        lowered.push(lowering.done());
    }
    if findings.is_empty() { Ok(Threads { threads: lowered, language }) } else { Err(findings) }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Variable {
    /// A parameter: the address of a location and the type of what is there.
    Address(LocationId, CType),
    Local(Reg, CType),
}

/// Findings are placed in the text that was parsed.
pub(super) type Done<T> = Result<T, Diagnostic>;

pub(super) struct Lowering<'l> {
    pub start: &'l Start<'l>,
    pub thread: Thread,
    variables: HashMap<Symbol, Variable>,
    /// The values of the initial state by names of variables.
    initial: HashMap<&'l str, (u64, Option<CType>)>,
    pub language: Language,
    labels: usize,
    /// Where `break` and `continue` lead, innermost last.
    loops: Vec<(Label, Label)>,
    end: Label,
}

impl<'l> Lowering<'l> {
    fn new(
        start: &'l Start<'l>,
        number: usize,
        thread: &frame::Thread<'_>,
        function: &FunctionDefinition,
    ) -> Lowering<'l> {
        let mut lowering = Lowering {
            start,
            thread: Thread::default(),
            variables: HashMap::new(),
            initial: HashMap::new(),
            language: Language::C,
            labels: 1,
            loops: Vec::new(),
            end: Label::new(0),
        };
        for (param, ty) in thread.params.iter().zip(types::params(start.session, function)) {
            let (Some(symbol), Some(id)) = (start.session.symbols.get(param.text), start.state.find(param.text)) else {
                continue;
            };
            let target = ty.and_then(CType::target).unwrap_or(start.types[id.index()]);
            lowering.variables.insert(symbol, Variable::Address(id, target));
        }
        for init in &start.state.registers {
            if init.thread.is_some_and(|thread| thread as usize == number) {
                let value = ending::number(init.value, start.homes, start.program);
                lowering.initial.insert(super::hidden(init.name.text), (value, init.declared));
            }
        }
        let mut named: Vec<&str> = lowering.initial.keys().copied().collect();
        named.sort_unstable();
        for name in named {
            // One that the code does not mention has a final value all the same.
            match start.session.symbols.get(name) {
                Some(symbol) => drop(lowering.variable(symbol)),
                None => drop(lowering.local(name, None)),
            }
        }
        lowering
    }

    fn done(self) -> Lowered {
        let name = |symbol: &Symbol| self.start.session.symbols.name(*symbol).to_owned();
        let local = |(symbol, variable): (&Symbol, &Variable)| match variable {
            Variable::Local(reg, ty) => Some((name(symbol), (*reg, *ty))),
            Variable::Address(..) => None,
        };
        let mut variables: HashMap<String, (Reg, CType)> = self.variables.iter().filter_map(local).collect();
        for (index, info) in self.thread.registers.iter().enumerate().filter(|(_, info)| !info.name.is_empty()) {
            variables.entry(super::hidden(&info.name).to_owned()).or_insert((Reg::new(index), CType::LONG));
        }
        Lowered { thread: self.thread, variables }
    }

    fn local(&mut self, name: &str, ty: Option<CType>) -> (Reg, CType) {
        let (value, declared) = self.initial.get(name).copied().unwrap_or_default();
        // What nobody declares is wide enough for numbers and addresses.
        let ty = ty.or(declared).unwrap_or(CType::LONG);
        (self.thread.register(super::shown(name), types::wrapped(ty, value)), ty)
    }

    /// The variable of that name, made now if it is new.
    pub fn variable(&mut self, symbol: Symbol) -> Variable {
        if let Some(&known) = self.variables.get(&symbol) {
            return known;
        }
        let (reg, ty) = self.local(self.start.session.symbols.name(symbol), None);
        self.variables.insert(symbol, Variable::Local(reg, ty));
        Variable::Local(reg, ty)
    }

    /// A register that the test does not know.
    pub fn fresh(&mut self) -> Reg {
        self.thread.register("", 0)
    }

    pub fn fresh_label(&mut self) -> Label {
        self.labels += 1;
        Label::new(self.labels - 1)
    }

    pub fn push(&mut self, instr: Instr, loc: Loc) {
        let loc = self.start.loc(loc);
        self.thread.push(instr, loc);
    }

    pub fn place(&mut self, label: Label, loc: Loc) {
        self.push(Instr::Label(label), loc);
    }

    pub fn unsupported(&self, loc: Loc, message: impl Into<String>) -> Diagnostic {
        Diagnostic::unsupported(loc, message)
    }

    /// Jumps if the value is 0. What depends on it for control ends at `until`.
    pub fn jump_unless(&mut self, value: Expr, target: Label, until: Label, loc: Loc) {
        let condition = Expr::binary(BinaryOp::Equal, value, Expr::Const(0));
        self.push(Instr::Branch { condition, target, until: Some(until) }, loc);
    }

    fn body(&mut self, body: &Block) -> Done<()> {
        self.block(body)?;
        self.place(self.end, body.end);
        Ok(())
    }

    fn block(&mut self, block: &Block) -> Done<()> {
        for item in &block.items {
            match item {
                BlockItem::Declaration(declaration) => self.declaration(declaration)?,
                BlockItem::Statement(stmt) => self.stmt(stmt)?,
                BlockItem::StaticAssert(_) => {}
                BlockItem::Function(function) => {
                    return Err(self.unsupported(function.body.loc, "functions in functions are not supported"));
                }
            }
        }
        Ok(())
    }

    fn declaration(&mut self, declaration: &Declaration) -> Done<()> {
        if !matches!(declaration.specifiers.storage, None | Some(StorageClass::Auto | StorageClass::Register)) {
            return Err(self.unsupported(declaration.loc, "this declaration is not supported in a thread"));
        }
        for init in &declaration.declarators {
            let Some(name) = init.declarator.name else { continue };
            let loc = init.declarator.loc;
            let ty = types::declared(self.start.session, &declaration.specifiers, &init.declarator);
            let is_scalar = !matches!(init.declarator.derivations.last(), Some(norn_c::ast::Derivation::Array { .. }));
            let Some(ty) = ty.filter(|_| is_scalar) else {
                let message = format!("the type of '{}' is not supported", self.start.session.symbols.name(name));
                return Err(self.unsupported(loc, message));
            };
            self.declare(name, ty, loc)?;
            match &init.initializer {
                None => {}
                Some(Initializer::Expr(value)) => {
                    let value = self.value(value)?;
                    self.assign_variable(name, value, loc)?;
                }
                Some(Initializer::List(_)) => {
                    return Err(self.unsupported(loc, "initial values in braces are not supported"));
                }
            }
        }
        Ok(())
    }

    fn declare(&mut self, name: Symbol, ty: CType, loc: Loc) -> Done<()> {
        match self.variables.get(&name) {
            None => {
                let (reg, ty) = self.local(self.start.session.symbols.name(name), Some(ty));
                self.variables.insert(name, Variable::Local(reg, ty));
            }
            // One that the initial state knows has its type from here.
            Some(&Variable::Local(reg, _)) => drop(self.variables.insert(name, Variable::Local(reg, ty))),
            Some(Variable::Address(..)) => {
                let name = self.start.session.symbols.name(name);
                return Err(Diagnostic::error(loc, format!("'{name}' is a parameter of this thread")));
            }
        }
        Ok(())
    }

    fn stmt(&mut self, stmt: &Stmt) -> Done<()> {
        let loc = stmt.loc;
        match &stmt.kind {
            StmtKind::Null => {}
            StmtKind::Expr(e) => drop(self.effect(e)?),
            StmtKind::Block(block) => self.block(block)?,
            StmtKind::If { condition, then, otherwise } => {
                let (skip, end) = (self.fresh_label(), self.fresh_label());
                let value = self.value(condition)?;
                self.jump_unless(value.expr, skip, end, loc);
                self.stmt(then)?;
                if let Some(otherwise) = otherwise {
                    self.push(Instr::Jump(end), loc);
                    self.place(skip, loc);
                    self.stmt(otherwise)?;
                } else {
                    self.place(skip, loc);
                }
                self.place(end, loc);
            }
            StmtKind::While { condition, body } => self.repeat(Some(condition), None, body, true, loc)?,
            StmtKind::DoWhile { body, condition } => self.repeat(Some(condition), None, body, false, loc)?,
            StmtKind::For(head) => {
                match &head.init {
                    ForInit::None => {}
                    ForInit::Expr(init) => drop(self.effect(init)?),
                    ForInit::Declaration(declaration) => self.declaration(declaration)?,
                }
                self.repeat(head.condition.as_ref(), head.step.as_ref(), &head.body, true, loc)?;
            }
            StmtKind::Break | StmtKind::Continue => {
                let Some(&(after, again)) = self.loops.last() else {
                    return Err(Diagnostic::error(loc, "there is no loop here"));
                };
                let target = if matches!(stmt.kind, StmtKind::Break) { after } else { again };
                self.push(Instr::Jump(target), loc);
            }
            StmtKind::Return(value) => {
                if let Some(value) = value {
                    self.effect(value)?;
                }
                self.push(Instr::Jump(self.end), loc);
            }
            StmtKind::Switch { .. } => return Err(self.unsupported(loc, "'switch' is not supported")),
            StmtKind::Goto(_) | StmtKind::GotoComputed(_) | StmtKind::Labeled { .. } => {
                return Err(self.unsupported(loc, "labels and 'goto' are not supported"));
            }
            StmtKind::Asm(_) => return Err(self.unsupported(loc, "assembly in C is not supported")),
        }
        Ok(())
    }

    /// A loop, with its condition at the beginning or at the end.
    fn repeat(
        &mut self,
        condition: Option<&AstExpr>,
        step: Option<&AstExpr>,
        body: &Stmt,
        condition_first: bool,
        loc: Loc,
    ) -> Done<()> {
        let [head, again, after] = [self.fresh_label(), self.fresh_label(), self.fresh_label()];
        self.place(head, loc);
        if let Some(condition) = condition.filter(|_| condition_first) {
            let value = self.value(condition)?;
            self.jump_unless(value.expr, after, after, loc);
        }
        self.loops.push((after, again));
        self.stmt(body)?;
        self.loops.pop();
        self.place(again, loc);
        if let Some(step) = step {
            self.effect(step)?;
        }
        if let Some(condition) = condition.filter(|_| !condition_first) {
            let value = self.value(condition)?;
            self.jump_unless(value.expr, after, after, loc);
        }
        self.push(Instr::Jump(head), loc);
        self.place(after, loc);
        Ok(())
    }
}
