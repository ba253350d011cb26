//! The function in which the program starts: it calls constructors, then the function that the user named, and usually
//! becomes one with it.

use super::function::{FunctionBuilder, Signature};
use super::layout::Passing;
use super::program::ProgramBuilder;
use super::prune::Roots;
use super::walk::{Node, preorder};
use crate::ctype::Type;
use crate::link::LinkedFunctionId;
use crate::tree::{Body, ExprKind, VarId};
use norn_ir::diag::Diagnostic;
use norn_ir::ids::{FuncId, LocalId, Reg};
use norn_ir::instr::{Callee, CompareOp, Const, Instr, InstrKind, NondetSource, Operand};
use norn_ir::program::{Function, InitValue, Origin, Program};
use norn_ir::source::Loc;
use norn_ir::types::Ty;

/// The name of the function that is generated.
pub const ENTRY: &str = "__norn_entry";

/// Reports if there is no function to start in.
pub fn find(p: &mut ProgramBuilder<'_>) -> Option<LinkedFunctionId> {
    let name = p.session.options.entry.clone();
    let symbol = p.session.symbols.get(&name);
    let found = symbol.and_then(|symbol| p.linked.function_named(symbol, &name));
    match found.filter(|&id| p.linked.function(id).defined) {
        Some(id) => Some(id),
        None => {
            let help = "--entry FUNC names the function in which the program starts";
            p.report(Diagnostic::error(Loc::NONE, format!("no function '{name}'")).help(help));
            None
        }
    }
}

/// Generates the entry: its arguments for `main` are those of a program that was started with any command line.
pub fn generate(p: &mut ProgramBuilder<'_>, start: LinkedFunctionId) -> FuncId {
    let id = p.reserve_function();
    let declaration = p.linked.declaration(start);
    let loc = declaration.loc;
    let signature = p.signature(start);
    let is_main = p.function_name(start) == "main" && matches!(signature.params.len(), 2 | 3);
    let name = p.unique_function_name(ENTRY);
    let callee = Callee::Direct(p.function(start));
    let nothing = Signature { result: None, params: Vec::new(), variadic: false, prototyped: true };
    let mut f = FunctionBuilder::new(p, name, nothing, loc);
    for id in f.p.linked.constructors() {
        run(&mut f, id);
    }
    let mut args = Vec::new();
    if signature.result.is_some_and(|ty| f.p.layouts.passing(ty) == Passing::Memory) {
        let ty = f.p.layouts.ir_type(signature.result.expect("a result in memory should have a type"));
        args.push(Operand::Local(f.temporary("result", ty), 0));
    }
    for (i, &ty) in signature.params.iter().enumerate() {
        let used = declaration.body.as_ref().is_some_and(|body| is_used(body, body.params[i]));
        args.push(argument(&mut f, i, ty, is_main, used));
    }
    if signature.variadic {
        args.push(Operand::Const(Const::NULL));
    }
    let dst = match signature.result.map(|ty| f.p.layouts.passing(ty)) {
        Some(Passing::Scalar(scalar)) => Some(f.register(scalar.ty)),
        _ => None,
    };
    f.emit(InstrKind::Call { dst, callee, args });
    f.return_value(None);
    let function = f.finish(Origin::Library, loc);
    p.define_function(id, function);
    id
}

/// Calls a constructor, which takes nothing that matters.
fn run(f: &mut FunctionBuilder<'_, '_>, id: LinkedFunctionId) {
    let signature = f.p.signature(id);
    let callee = Callee::Direct(f.p.function(id));
    let result = signature.result.map(|ty| f.p.layouts.passing(ty));
    if !signature.params.is_empty() || signature.variadic || matches!(result, Some(Passing::Memory)) {
        let name = f.p.function_name(id).to_owned();
        f.unsupported(format!("the constructor '{name}', which has parameters or returns a struct"));
        return;
    }
    let dst = match result {
        Some(Passing::Scalar(scalar)) => Some(f.register(scalar.ty)),
        _ => None,
    };
    f.emit(InstrKind::Call { dst, callee, args: Vec::new() });
}

fn argument(f: &mut FunctionBuilder<'_, '_>, i: usize, ty: crate::ctype::TypeId, is_main: bool, used: bool) -> Operand {
    let scalar = match f.p.layouts.passing(ty) {
        Passing::Scalar(scalar) => scalar,
        _ => {
            let ty = f.p.layouts.ir_type(ty);
            return Operand::Local(f.temporary("argument", ty), 0);
        }
    };
    let is_pointer = matches!(f.p.types().get(ty), Type::Pointer(_));
    if is_main && !used {
        return f.constant(scalar.ty, 0);
    }
    if is_main && is_pointer {
        let what = if i == 1 { "argv" } else { "envp" };
        f.unsupported(format!("the contents of {what} are not modelled"));
        return Operand::Const(Const::NULL);
    }
    let name = if is_main { "argc".to_owned() } else { format!("argument {}", i + 1) };
    let value = f.nondet(scalar, NondetSource::Input(name));
    if is_main && scalar.ty != Ty::Ptr {
        let one = f.constant(scalar.ty, 1);
        let cond = f.compare(CompareOp::LeSigned, scalar.ty, one, value);
        f.emit(InstrKind::Assume { cond });
    }
    value
}

/// Makes the start function the entry itself, if nothing else refers to it: its frame is then that of the main thread,
/// which outlives it.
pub fn absorb(program: &mut Program, start: FuncId, roots: &mut Roots) {
    let entry = program.entry;
    let caller = program.function(entry);
    let [block] = &caller.blocks[..] else { return };
    let Some(InstrKind::Call { callee: Callee::Direct(callee), args, .. }) = block.instrs.last().map(|i| &i.kind)
    else {
        return;
    };
    if *callee != start || is_mentioned(program, entry, start) {
        return;
    }
    let mut merged = program.function(start).clone();
    let register_shift = merged.registers.len() as u32;
    let local_shift = merged.locals.len() as u32;
    let shift_reg = |reg: Reg| Reg(reg.0 + register_shift);
    let shift = |operand: Operand| match operand {
        Operand::Reg(reg) => Operand::Reg(shift_reg(reg)),
        Operand::Local(local, offset) => Operand::Local(LocalId(local.0 + local_shift), offset),
        other => other,
    };
    let mut prologue = block.instrs[..block.instrs.len() - 1].to_vec();
    for instr in &mut prologue {
        instr.kind.map_operands(shift);
        instr.kind.map_defs(shift_reg);
        if let InstrKind::LocalEnter(local) = &mut instr.kind {
            local.0 += local_shift;
        }
    }
    for (&dst, &arg) in merged.params.iter().zip(args) {
        prologue.push(Instr { kind: InstrKind::Copy { dst, src: shift(arg) }, span: merged.span });
    }
    if block.instrs.len() > 1 {
        merged.registers.extend(caller.registers.iter().cloned());
        merged.locals.extend(caller.locals.iter().cloned());
    }
    merged.params.clear();
    merged.blocks[Function::ENTRY.index()].instrs.splice(0..0, prologue);
    program.functions[entry.index()] = merged;
    roots.functions.retain(|&id| id != start);
}

/// Whether any function but the entry, or any object, refers to the function.
fn is_mentioned(program: &Program, entry: FuncId, function: FuncId) -> bool {
    let in_objects = program.globals.iter().flat_map(|g| &g.init).any(|init| init.value == InitValue::Func(function));
    let mut mentioned = in_objects;
    for (_, code) in program.functions.iter().enumerate().filter(|&(id, _)| id != entry.index()) {
        for instr in code.blocks.iter().flat_map(|b| &b.instrs) {
            mentioned |=
                matches!(instr.kind, InstrKind::Call { callee: Callee::Direct(callee), .. } if callee == function);
            instr.kind.for_each_operand(|operand| mentioned |= operand == Operand::Func(function));
        }
        for block in &code.blocks {
            block.terminator.kind.for_each_operand(|operand| mentioned |= operand == Operand::Func(function));
        }
    }
    mentioned
}

fn is_used(body: &Body, param: VarId) -> bool {
    let mut used = false;
    preorder(Node::Stmt(&body.block), |node| {
        used |= matches!(node, Node::Expr(e) if matches!(e.kind, ExprKind::Var(var) if var == param));
        !used
    });
    used
}
