//! The function in which the program starts: it registers destructors and calls constructors, then the function that the user named. Usually the two
//! become one (`norn_passes::absorb`).
//!
//! The command line is any, unless the options say which: `argc` is nondeterministic, and the words are made by a model, [`ARGUMENTS`], which gives the
//! same ones each time. Many programs look at them only if there are some, so it is called where `argv` is used, if that
//! is a parameter that nothing changes, else at the beginning: on other paths the words cost nothing.

use super::function::{FunctionBuilder, Signature};
use super::ir_types::Passing;
use super::program::ProgramBuilder;
use crate::ctype::{Type, Types};
use crate::link::{AT_EXIT, Linked, LinkedFunctionId};
use crate::session::Session;
use crate::tree::walk::{Node, preorder};
use crate::tree::{Body, ExprKind, VarId};
use norn_ir::diag::Diagnostic;
use norn_ir::ids::FuncId;
use norn_ir::instr::{Callee, CompareOp, Const, InstrKind, NondetSource, Operand};
use norn_ir::program::Origin;
use norn_ir::source::Loc;
use norn_ir::types::Ty;

/// The name of the function that is generated.
pub const ENTRY: &str = "__norn_entry";

/// The model of the command line.
pub const ARGUMENTS: &str = "__norn_arguments";
/// The model of what main's return means if functions were registered with `atexit`; part of the program if there are.
const RETURNED: &str = "__model_main_returned";
/// The model of the command line with the functions that it calls.
pub const ARGUMENT_MODELS: [&str; 2] = [ARGUMENTS, "__norn_argument"];

/// Whether the program starts in a `main` that looks at its second parameter.
pub fn uses_arguments(session: &Session, types: &Types, linked: &Linked) -> bool {
    let name = &session.options.entry;
    let Some(symbol) = session.symbols.get(name).filter(|_| name == "main") else { return false };
    let Some(start) = linked.function_named(symbol, name).filter(|&id| linked.function(id).defined) else {
        return false;
    };
    let Some(body) = &linked.declaration(start).body else { return false };
    let is_pointer = |var: VarId| matches!(types.get(body.vars[var.0 as usize].ty.ty), Type::Pointer(_));
    matches!(body.params[..], [_, words] | [_, words, _] if is_pointer(words) && is_used(body, words))
}

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
    let is_start_main = p.function_name(start) == "main";
    let is_main = is_start_main && matches!(signature.params.len(), 2 | 3);
    let name = p.unique_function_name(ENTRY);
    let callee = Callee::Direct(p.function(start));
    let nothing = Signature { result: None, params: Vec::new(), variadic: false, prototyped: true };
    let mut f = FunctionBuilder::new(p, name, nothing, loc);
    for id in f.p.linked.destructors() {
        register(&mut f, id);
    }
    for id in f.p.linked.constructors() {
        run(&mut f, id);
    }
    let mut args = Vec::new();
    if signature.result.is_some_and(|ty| f.p.layouts.passing(ty) == Passing::Memory) {
        let ty = f.p.layouts.ir_type(signature.result.expect("a result in memory should have a type"));
        args.push(Operand::Local(f.temporary("result", ty), 0));
    }
    let words = f.p.session.symbols.get(ARGUMENTS).and_then(|symbol| f.p.linked.function_named(symbol, ARGUMENTS));
    let words = words.filter(|&id| is_main && f.p.linked.function(id).defined).map(|id| f.p.function(id));
    for (i, &ty) in signature.params.iter().enumerate() {
        let used = declaration.body.as_ref().is_some_and(|body| is_used(body, body.params[i]));
        match words {
            Some(words) if i == 1 => {
                let count = args[args.len() - 1];
                let dst = f.register(Ty::Ptr);
                f.emit(InstrKind::Call { dst: Some(dst), callee: Callee::Direct(words), args: vec![count] });
                args.push(Operand::Reg(dst));
            }
            // How many words there are matters to the words themselves.
            _ => args.push(argument(&mut f, i, ty, is_main, used || (i == 0 && words.is_some()))),
        }
    }
    if signature.variadic {
        args.push(Operand::Const(Const::NULL));
    }
    let dst = match signature.result.map(|ty| f.p.layouts.passing(ty)) {
        Some(Passing::Scalar(scalar)) => Some(f.register(scalar.ty)),
        _ => None,
    };
    f.emit(InstrKind::Call { dst, callee, args });
    let returned = f.p.session.symbols.get(RETURNED).and_then(|symbol| f.p.linked.function_named(symbol, RETURNED));
    if let Some(returned) = returned.filter(|&id| is_start_main && f.p.linked.function(id).defined) {
        let status = match (dst, signature.result.map(|ty| f.p.layouts.passing(ty))) {
            (Some(dst), Some(Passing::Scalar(scalar))) if scalar.ty == Ty::I32 => Operand::Reg(dst),
            _ => f.constant(Ty::I32, 0),
        };
        let callee = Callee::Direct(f.p.function(returned));
        f.emit(InstrKind::Call { dst: None, callee, args: vec![status] });
    }
    f.return_value(None);
    let function = f.finish(Origin::Library, loc);
    p.define_function(id, function);
    id
}

/// Has a destructor called at exit: after all that the program registers, since this comes first.
fn register(f: &mut FunctionBuilder<'_, '_>, id: LinkedFunctionId) {
    let signature = f.p.signature(id);
    let at_exit = f.p.session.symbols.get(AT_EXIT).and_then(|symbol| f.p.linked.function_named(symbol, AT_EXIT));
    let returns = signature.result.is_some_and(|ty| f.p.layouts.passing(ty) != Passing::Nothing);
    let is_plain = !returns && signature.params.is_empty() && !signature.variadic;
    let Some(at_exit) = at_exit.filter(|&at_exit| is_plain && f.p.linked.function(at_exit).defined) else {
        let name = f.p.function_name(id).to_owned();
        f.unsupported(format!("the destructor '{name}', which has parameters or returns something"));
        return;
    };
    let callee = Callee::Direct(f.p.function(at_exit));
    let function = Operand::Func(f.p.function(id));
    let null = Operand::Const(Const::NULL);
    f.emit(InstrKind::Call { dst: None, callee, args: vec![function, null, null] });
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
        f.unsupported(format!("the contents of {} are not modelled", if i == 1 { "argv" } else { "envp" }));
        return Operand::Const(Const::NULL);
    }
    if let Some(given) = f.p.session.options.arguments.as_ref().filter(|_| is_main) {
        let count = given.len() as u64 + 1;
        return f.constant(scalar.ty, count);
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

fn is_used(body: &Body, param: VarId) -> bool {
    let mut used = false;
    preorder(Node::Stmt(&body.block), |node| {
        used |= matches!(node, Node::Expr(e) if matches!(e.kind, ExprKind::Var(var) if var == param));
        !used
    });
    used
}
