//! One function while it is lowered: blocks, registers, variables.
//!
//! After a terminator there is no current block until one is started; what is emitted in between cannot be reached and
//! is dropped. Blocks that turn out to be unreachable are removed at the end.

use super::ir_types::{Passing, Scalar};
use super::program::ProgramBuilder;
use super::scope::{Jump, Scope, ScopeId};
use crate::ctype;
use crate::link::LinkedFunctionId;
use crate::tree::{Body, Expr, Linkage, VarId};
use norn_ir::ids::{BlockId, LocalId, Reg};
use norn_ir::instr::{CastOp, Const, Instr, InstrKind, NondetSource, Operand, SectionKind, Terminator, TerminatorKind};
use norn_ir::program::{Block, Function, Local, Origin, Register};
use norn_ir::source::Loc;
use norn_ir::span::Span;
use norn_ir::types::Ty;
use norn_passes::tidy::{drop_unused_registers, tidy};
use norn_passes::uninitialised::remove_dead_nondets;

/// Deeper nesting than the parser lets through, conversions included.
const MAX_DEPTH: u32 = 40_000;

/// Where a variable lives.
#[derive(Clone, Copy, Debug)]
pub enum Home {
    Register(Reg),
    Local(LocalId),
    /// At an address that a register holds: a record parameter, or a variable-length array.
    Address(Reg),
}

/// How a function takes its arguments and gives its result.
#[derive(Clone, Debug)]
pub struct Signature {
    /// `None` is void.
    pub result: Option<ctype::TypeId>,
    pub params: Vec<ctype::TypeId>,
    pub variadic: bool,
    pub prototyped: bool,
}

/// A block under construction.
struct Draft {
    instrs: Vec<Instr>,
    terminator: Option<Terminator>,
    /// The head of a loop in the source, which keeps its block so that nested loops stay apart.
    loop_head: bool,
}

/// The value of a variable's register, which a later part of the same expression may change before it is used.
#[derive(Clone, Copy)]
pub struct Held {
    pub operand: Operand,
    version: u32,
    at: Option<(BlockId, usize)>,
}

pub struct FunctionBuilder<'p, 'a> {
    pub p: &'p mut ProgramBuilder<'a>,
    pub unit: usize,
    pub body: Option<&'a Body>,
    pub name: String,
    pub signature: Signature,
    pub result: Passing,
    /// The register with the address of the object that receives the result.
    pub result_address: Option<Reg>,
    /// The register with the address of the variable arguments.
    pub variable_arguments: Option<Reg>,
    /// A function that is an atomic section as a whole.
    pub is_section: bool,
    params: Vec<Reg>,
    registers: Vec<Register>,
    /// How often each register that holds a variable was assigned.
    versions: Vec<u32>,
    locals: Vec<Local>,
    blocks: Vec<Draft>,
    current: Option<BlockId>,
    pub span: Span,
    pub homes: Vec<Home>,
    pub scopes: Vec<Scope<'a>>,
    pub scope: ScopeId,
    pub break_target: Option<(BlockId, ScopeId)>,
    pub continue_target: Option<(BlockId, ScopeId)>,
    pub labels: Vec<Option<(BlockId, ScopeId)>>,
    pub cases: Vec<Option<(BlockId, ScopeId)>>,
    pub jumps: Vec<Jump>,
    /// Objects of the whole function that were made on the way.
    late_locals: Vec<LocalId>,
    depth: u32,
}

impl<'p, 'a> FunctionBuilder<'p, 'a> {
    /// An empty function with its entry block started.
    pub fn new(p: &'p mut ProgramBuilder<'a>, name: String, signature: Signature, loc: Loc) -> Self {
        let span = p.span(loc);
        let result = signature.result.map_or(Passing::Nothing, |ty| p.layouts.passing(ty));
        let mut builder = FunctionBuilder {
            p,
            unit: 0,
            body: None,
            name,
            signature,
            result,
            result_address: None,
            variable_arguments: None,
            is_section: false,
            params: Vec::new(),
            registers: Vec::new(),
            versions: Vec::new(),
            locals: Vec::new(),
            blocks: Vec::new(),
            current: None,
            span,
            homes: Vec::new(),
            scopes: vec![Scope::default()],
            scope: ScopeId(0),
            break_target: None,
            continue_target: None,
            labels: Vec::new(),
            cases: Vec::new(),
            jumps: Vec::new(),
            late_locals: Vec::new(),
            depth: 0,
        };
        let entry = builder.new_block();
        builder.start(entry);
        builder
    }

    /// Lowers a function with a body.
    pub fn of_body(p: &'p mut ProgramBuilder<'a>, id: LinkedFunctionId, name: String, body: &'a Body) -> Function {
        let declaration = p.linked.declaration(id);
        let loc = declaration.loc;
        let origin = p.origin(loc);
        let signature = p.signature(id);
        let plain_name = p.function_name(id).to_owned();
        let mut f = FunctionBuilder::new(p, name, signature, loc);
        f.unit = f.p.linked.function(id).unit;
        f.body = Some(body);
        f.labels = vec![None; body.labels.len()];
        f.cases = vec![None; body.cases as usize];
        f.is_section = plain_name.starts_with("__VERIFIER_atomic_");
        f.declare_params(body);
        f.declare_variables(body);
        if f.is_section {
            f.emit(InstrKind::SectionBegin(SectionKind::Atomic));
        }
        f.enter_scope_objects(ScopeId(0));
        f.store_params(body);
        f.outermost_block(&body.block);
        f.set_loc(body.end);
        if f.is_reachable() {
            f.fall_off_the_end(&plain_name);
        }
        f.resolve_jumps();
        f.finish(origin, loc)
    }

    /// A function without a body, whose address is taken all the same.
    pub fn undefined(p: &'p mut ProgramBuilder<'a>, id: LinkedFunctionId, name: String) -> Function {
        let declaration = p.linked.declaration(id);
        let loc = declaration.loc;
        let origin = p.origin(loc);
        let signature = p.signature(id);
        let params = signature.params.clone();
        let plain_name = p.function_name(id).to_owned();
        let mut f = FunctionBuilder::new(p, name, signature, loc);
        f.declare_result_address();
        for ty in params {
            let ty = f.param_ty(ty);
            let reg = f.register(ty);
            f.params.push(reg);
        }
        f.declare_variable_arguments();
        if f.p.session.options.undefined_functions_return_nondet {
            f.return_nondet(NondetSource::Input(plain_name));
        } else {
            let reason = f.p.undefined_function(id, loc);
            f.unsupported(reason);
        }
        f.finish(origin, loc)
    }

    pub fn finish(mut self, origin: Origin, loc: Loc) -> Function {
        self.span = self.p.span(loc);
        let span = self.span;
        let enters = self.late_locals.iter().map(|&local| Instr { kind: InstrKind::LocalEnter(local), span });
        self.blocks[0].instrs.splice(0..0, enters);
        let mut loop_heads: Vec<bool> = self.blocks.iter().map(|draft| draft.loop_head).collect();
        let unreachable = || Terminator { kind: TerminatorKind::Unreachable, span };
        if origin == Origin::Library {
            self.blocks.iter_mut().flat_map(|draft| &mut draft.instrs).for_each(make_library_section);
        }
        let close =
            |draft: Draft| Block { instrs: draft.instrs, terminator: draft.terminator.unwrap_or_else(unreachable) };
        let mut function = Function {
            name: self.name,
            params: self.params,
            result: match self.result {
                Passing::Scalar(s) => Some(s.ty),
                _ => None,
            },
            registers: self.registers,
            locals: self.locals,
            blocks: self.blocks.into_iter().map(close).collect(),
            origin,
            span,
        };
        tidy(&mut function, &mut loop_heads);
        remove_dead_nondets(&mut function);
        tidy(&mut function, &mut loop_heads);
        drop_unused_registers(&mut function);
        function
    }

    // ---- parameters and variables

    fn declare_result_address(&mut self) {
        if self.result == Passing::Memory {
            let reg = self.register(Ty::Ptr);
            self.params.push(reg);
            self.result_address = Some(reg);
        }
    }

    fn declare_variable_arguments(&mut self) {
        if self.signature.variadic {
            let reg = self.register(Ty::Ptr);
            self.params.push(reg);
            self.variable_arguments = Some(reg);
        }
    }

    /// The type of the register that an argument arrives in.
    fn param_ty(&self, ty: ctype::TypeId) -> Ty {
        match self.p.layouts.passing(ty) {
            Passing::Scalar(s) => s.ty,
            _ => Ty::Ptr,
        }
    }

    /// A register that arrives with the caller's argument.
    pub fn parameter(&mut self, ty: Ty, name: &str) -> Reg {
        let reg = self.named_register(ty, name);
        self.params.push(reg);
        reg
    }

    fn declare_params(&mut self, body: &'a Body) {
        self.declare_result_address();
        for &var in &body.params {
            let (ty, name) = (self.param_ty(self.var_type(var)), self.var_name(var));
            self.parameter(ty, &name);
        }
        self.declare_variable_arguments();
    }

    /// Gives every variable its home. Those that no block declares live as long as the function.
    fn declare_variables(&mut self, body: &'a Body) {
        let first = usize::from(self.result_address.is_some());
        for i in 0..body.vars.len() {
            let var = VarId::new(i);
            let ty = self.var_type(var);
            let param = body.params.iter().position(|&p| p == var).map(|p| self.params[first + p]);
            let scalar = self.p.layouts.scalar(ty);
            let in_register = scalar.is_some() && !body.vars[i].address_taken;
            let home = match (param, in_register, scalar) {
                (Some(reg), true, _) => Home::Register(reg),
                (Some(reg), false, None) => Home::Address(reg),
                (None, true, Some(scalar)) => {
                    let name = self.var_name(var);
                    Home::Register(self.named_register(scalar.ty, &name))
                }
                (None, _, None) if self.p.layouts.is_variable(ty) => {
                    let name = self.var_name(var);
                    Home::Address(self.named_register(Ty::Ptr, &name))
                }
                _ => {
                    let (name, ty) = (self.var_name(var), self.p.layouts.object_type(ty, body.vars[i].align));
                    let span = self.p.span(body.vars[i].loc);
                    Home::Local(self.local(&name, ty, span))
                }
            };
            self.homes.push(home);
        }
        let mut is_param = vec![false; body.vars.len()];
        body.params.iter().for_each(|var| is_param[var.0 as usize] = true);
        let listed = super::scope::listed_variables(body);
        let unlisted: Vec<VarId> = (0..body.vars.len())
            .filter(|&i| !listed[i] && (!is_param[i] || matches!(self.homes[i], Home::Local(_))))
            .map(VarId::new)
            .collect();
        self.scopes[0] = self.scope_of(None, &unlisted);
    }

    /// Parameters whose address is taken move into memory.
    fn store_params(&mut self, body: &'a Body) {
        let first = usize::from(self.result_address.is_some());
        for (i, &var) in body.params.iter().enumerate() {
            if let Home::Local(local) = self.homes[var.0 as usize] {
                let reg = self.params[first + i];
                let ty = self.registers[reg.index()].ty;
                self.store(ty, Operand::Local(local, 0), Operand::Reg(reg));
            } else if let (Home::Address(reg), Some(slot)) = (self.homes[var.0 as usize], self.frame_slot(var)) {
                self.fill_slot(slot, Operand::Reg(reg));
            }
        }
        if let Some(chain) = body.frame.as_ref().and_then(|frame| frame.chain)
            && let Home::Register(reg) = self.homes[chain.0 as usize]
        {
            self.fill_slot(0, Operand::Reg(reg));
        }
    }

    pub fn var_type(&self, var: VarId) -> ctype::TypeId {
        self.body.expect("only functions with a body have variables").vars[var.0 as usize].ty.ty
    }

    pub fn var_name(&self, var: VarId) -> String {
        let var = &self.body.expect("only functions with a body have variables").vars[var.0 as usize];
        var.name.map_or("temporary".to_owned(), |name| self.p.session.symbols.name(name).to_owned())
    }

    // ---- registers and objects

    pub fn register(&mut self, ty: Ty) -> Reg {
        self.named_register(ty, "")
    }

    pub fn named_register(&mut self, ty: Ty, name: &str) -> Reg {
        self.registers.push(Register { ty, name: name.to_owned() });
        self.versions.push(0);
        Reg::new(self.registers.len() - 1)
    }

    pub fn local(&mut self, name: &str, ty: norn_ir::ids::TypeId, span: Span) -> LocalId {
        self.locals.push(Local { name: name.to_owned(), ty, private: false, span });
        LocalId::new(self.locals.len() - 1)
    }

    /// A temporary object that is live from here on.
    pub fn temporary(&mut self, name: &str, ty: norn_ir::ids::TypeId) -> LocalId {
        let local = self.local(name, ty, self.span);
        self.emit(InstrKind::LocalEnter(local));
        local
    }

    /// A temporary object that is live in the whole function: one that a struct is returned into stays readable until
    /// the end of its expression, which control flow inside the expression makes hard to find.
    pub fn function_temporary(&mut self, name: &str, ty: norn_ir::ids::TypeId) -> LocalId {
        let local = self.local(name, ty, self.span);
        self.late_locals.push(local);
        local
    }

    pub fn register_ty(&self, reg: Reg) -> Ty {
        self.registers[reg.index()].ty
    }

    /// Assigns the register of a variable, directly from the instruction that made the value if that is the last one.
    pub fn assign(&mut self, dst: Reg, src: Operand) {
        self.versions[dst.index()] += 1;
        if let Operand::Reg(src) = src
            && self.registers[src.index()].name.is_empty()
            && let Some(last) = self.current.and_then(|b| self.blocks[b.index()].instrs.last_mut())
            && !matches!(last.kind, InstrKind::CompareExchange { .. })
            && last.kind.defs().eq([src])
        {
            last.kind.map_defs(|_| dst);
            return;
        }
        if src != Operand::Reg(dst) {
            self.emit(InstrKind::Copy { dst, src });
        }
    }

    /// The truth value that the last instruction made an integer of, for nothing as it turns out.
    pub fn take_widened_truth(&mut self, value: Operand) -> Option<Operand> {
        let Operand::Reg(reg) = value else { return None };
        let instrs = &mut self.blocks[self.current?.index()].instrs;
        match instrs.last()?.kind {
            InstrKind::Cast { dst, op: CastOp::ZeroExtend, from: Ty::Bool, src }
                if dst == reg && self.registers[reg.index()].name.is_empty() =>
            {
                instrs.pop();
                Some(src)
            }
            _ => None,
        }
    }

    /// A value that may be mentioned behind the scopes that it comes from: the name of an object may not, its address may.
    pub fn without_scope(&mut self, value: Operand) -> Operand {
        if !matches!(value, Operand::Local(..)) {
            return value;
        }
        let dst = self.register(Ty::Ptr);
        self.emit(InstrKind::Copy { dst, src: value });
        Operand::Reg(dst)
    }

    /// Remembers a value across the evaluation of what stands to its right.
    pub fn hold(&self, operand: Operand) -> Held {
        match operand {
            Operand::Reg(reg) if !self.registers[reg.index()].name.is_empty() => Held {
                operand,
                version: self.versions[reg.index()],
                at: self.current.map(|b| (b, self.blocks[b.index()].instrs.len())),
            },
            _ => Held { operand, version: 0, at: None },
        }
    }

    /// The value as it was when it was held: if its variable has been assigned since, a copy is made at that point.
    pub fn release(&mut self, held: Held) -> Operand {
        let (Operand::Reg(reg), Some((block, index))) = (held.operand, held.at) else { return held.operand };
        if self.versions[reg.index()] == held.version {
            return held.operand;
        }
        let dst = self.register(self.register_ty(reg));
        let copy = Instr { kind: InstrKind::Copy { dst, src: held.operand }, span: self.span };
        self.blocks[block.index()].instrs.insert(index, copy);
        Operand::Reg(dst)
    }

    // ---- blocks

    pub fn set_loc(&mut self, loc: Loc) {
        self.span = self.p.span(loc);
    }

    pub fn new_block(&mut self) -> BlockId {
        self.blocks.push(Draft { instrs: Vec::new(), terminator: None, loop_head: false });
        BlockId::new(self.blocks.len() - 1)
    }

    pub fn new_loop_head(&mut self) -> BlockId {
        let id = self.new_block();
        self.blocks[id.index()].loop_head = true;
        id
    }

    pub fn is_reachable(&self) -> bool {
        self.current.is_some()
    }

    /// Continues in a block. Falling into it from the current one is a jump.
    pub fn start(&mut self, block: BlockId) {
        self.goto(block);
        self.current = Some(block);
    }

    pub fn emit(&mut self, kind: InstrKind) {
        if let Some(block) = self.current {
            self.blocks[block.index()].instrs.push(Instr { kind, span: self.span });
        }
    }

    pub fn terminate(&mut self, kind: TerminatorKind) {
        if let Some(block) = self.current.take() {
            self.blocks[block.index()].terminator = Some(Terminator { kind, span: self.span });
        }
    }

    pub fn goto(&mut self, target: BlockId) {
        self.terminate(TerminatorKind::Goto(target));
    }

    pub fn branch_on(&mut self, cond: Operand, then: BlockId, otherwise: BlockId) {
        match cond {
            Operand::Const(c) => self.goto(if c.bits != 0 { then } else { otherwise }),
            _ => self.terminate(TerminatorKind::Branch { cond, then, otherwise }),
        }
    }

    /// Ends the block because Norn cannot say what happens here.
    pub fn unsupported(&mut self, reason: String) {
        self.terminate(TerminatorKind::Unsupported(reason));
    }

    /// Something of the given type where the value cannot be used.
    pub fn no_value(&self, scalar: Option<Scalar>) -> Operand {
        Operand::Const(Const { ty: scalar.map_or(Ty::I32, |s| s.ty), bits: 0 })
    }

    /// Runs `f` one level deeper, unless that is too deep.
    pub fn deeper<R>(&mut self, e: &Expr, f: impl FnOnce(&mut Self) -> R, otherwise: impl FnOnce(&mut Self) -> R) -> R {
        if self.depth >= MAX_DEPTH {
            self.set_loc(e.loc);
            self.unsupported("an expression that is nested too deeply".to_owned());
            return otherwise(self);
        }
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        result
    }

    // ---- returning

    /// Leaves the function: a section that spans it ends, and so does every scope, by itself.
    pub fn return_value(&mut self, value: Option<Operand>) {
        let value = value.map(|value| self.without_scope(value));
        self.clean_up();
        self.release_claims();
        if self.is_section {
            self.emit(InstrKind::SectionEnd);
        }
        self.terminate(TerminatorKind::Return(value));
    }

    fn fall_off_the_end(&mut self, plain_name: &str) {
        let is_main = plain_name == self.p.session.options.entry
            && self
                .p
                .linked
                .function_named(
                    self.p.session.symbols.get(plain_name).expect("a function's name should be known"),
                    plain_name,
                )
                .is_some_and(|id| self.p.linked.function(id).linkage == Linkage::External);
        match self.result {
            Passing::Scalar(scalar) if is_main => {
                self.return_value(Some(Operand::Const(Const { ty: scalar.ty, bits: 0 })));
            }
            _ => self.return_nondet(NondetSource::Uninitialised(format!("result of {plain_name}"))),
        }
    }

    pub fn return_nondet(&mut self, source: NondetSource) {
        match self.result {
            Passing::Scalar(scalar) => {
                let dst = self.register(scalar.ty);
                self.emit(InstrKind::Nondet { dst, source });
                self.return_value(Some(Operand::Reg(dst)));
            }
            _ => self.return_value(None),
        }
    }
}

/// A section of a library model; it must know that itself, because the function that it is in may be inlined.
fn make_library_section(instr: &mut Instr) {
    if let InstrKind::SectionBegin(kind @ SectionKind::Atomic) = &mut instr.kind {
        *kind = SectionKind::Library;
    }
}

/// A function of one empty block.
pub fn terminator_only(kind: TerminatorKind, span: Span) -> Function {
    Function {
        name: String::new(),
        params: Vec::new(),
        result: None,
        registers: Vec::new(),
        locals: Vec::new(),
        blocks: vec![Block { instrs: Vec::new(), terminator: Terminator { kind, span } }],
        origin: Origin::Library,
        span,
    }
}
