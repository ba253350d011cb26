//! From the code of the threads to IR, by the stages of the C front end.

use norn_ir::number::narrow;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::LazyLock;

use norn_c::ast::Item;
use norn_c::ctype::{IntType, QualType, Type, Types};
use norn_c::driver::with_stack;
use norn_c::link::{Extent, link};
use norn_c::session::{Options, Session};
use norn_c::tree::Unit;
use norn_c::{lower, parse, pp, sema};
use norn_ir::diag::{Diagnostic, Label, Severity};
use norn_ir::program::Program;
use norn_ir::source::Loc;
use norn_ir::types::{Target, Ty};

use super::registers::{self, Wanted};
use crate::ctype::CType;
use crate::token::File;

/// What the threads of a test have become.
pub(crate) struct Compiled {
    /// The threads are its functions `P0`, `P1`, …; `main` only mentions them.
    pub program: Program,
    pub threads: Vec<Thread>,
}

pub(crate) struct Thread {
    /// What the parameters point to, if it is something that a location can be.
    pub params: Vec<Option<CType>>,
    /// The variables whose final values the thread stores.
    pub observed: BTreeSet<String>,
}

pub(crate) const TYPES: &str = include_str!("types.h");

/// `types.h`, `prelude.h` and the kernel's arithmetic, which comes in families: every operation with every result and order.
static PRELUDE: LazyLock<String> = LazyLock::new(|| {
    let mut text = TYPES.to_owned() + include_str!("prelude.h");
    let orders = [("", "seq_cst"), ("_relaxed", "relaxed"), ("_acquire", "acquire"), ("_release", "release")];
    let operations = ["add", "sub", "and", "or", "xor"].map(|op| (op, op, "i, p", "p, i"));
    let counts = [("inc", "add", "p", "p, 1"), ("dec", "sub", "p", "p, 1")];
    for (name, op, params, args) in operations.into_iter().chain(counts) {
        let mut define = |name: String, value: &str, order: &str, after: &str| {
            let _ = writeln!(text, "#define {name}({params}) (__atomic_{value}({args}, memory_order_{order}){after})");
        };
        define(format!("atomic_{name}"), &format!("fetch_{op}"), "relaxed", "");
        define(format!("atomic_{name}_and_test"), &format!("{op}_fetch"), "seq_cst", " == 0");
        for (suffix, order) in orders {
            define(format!("atomic_{name}_return{suffix}"), &format!("{op}_fetch"), order, "");
            // C11 has the others, too.
            if name != op || !suffix.is_empty() {
                define(format!("atomic_fetch_{name}{suffix}"), &format!("fetch_{op}"), order, "");
            }
        }
    }
    // The line numbers of the test begin.
    text + "#line 1\n"
});

/// Compiles the code of a test: `code` is as long as its file and has each token at its place. `wanted` is by thread.
pub(crate) fn compile(file: &File<'_>, code: &str, wanted: &[Wanted]) -> Result<Compiled, Vec<Diagnostic>> {
    let mut text = format!("{}{code}\nvoid main(void) {{\n", *PRELUDE);
    for thread in 0..wanted.len() {
        let _ = writeln!(text, "__norn_spawn(P{thread});");
    }
    text += "}\n";
    let compiled = with_stack(|| {
        let mut session = Session::new(Options { target: Target::Lp64, ..Options::default() });
        stages(&mut session, text, wanted).ok_or(session.diagnostics)
    });
    compiled.map_err(|mut found| {
        found.retain(|diagnostic| diagnostic.severity != Severity::Warning);
        found.iter_mut().for_each(|diagnostic| place(diagnostic, file, PRELUDE.len()));
        found
    })
}

/// Positions in the text that was compiled → positions in the file of the test.
pub(crate) fn place(diagnostic: &mut Diagnostic, file: &File<'_>, prelude: usize) {
    // The text is the first and only one of its session.
    let start = Loc(1).offset(narrow(prelude));
    diagnostic.labels.retain(|label| label.loc >= start);
    for label in &mut diagnostic.labels {
        label.loc = file.loc((label.loc.0 - start.0) as usize);
    }
    if diagnostic.labels.is_empty() {
        diagnostic.labels.push(Label { loc: file.loc(0), len: 0, text: String::new() });
    }
}

/// `None` if something is wrong with the code, which has been reported.
fn stages(session: &mut Session, text: String, wanted: &[Wanted]) -> Option<Compiled> {
    let tokens = pp::preprocess_text(session, "test", text, false)?;
    if session.has_errors() {
        return None;
    }
    let mut unit = parse::parse(session, &tokens);
    if session.has_errors() || session.has_unsupported() {
        return None;
    }
    let mut observed = vec![BTreeSet::new(); wanted.len()];
    for item in &mut unit.items {
        let Item::Function(function) = item else { continue };
        let thread =
            function.declarator.name.and_then(|name| session.symbols.name(name).strip_prefix('P')?.parse().ok());
        if let Some((thread, wanted)) = thread.and_then(|thread: usize| Some((thread, wanted.get(thread)?))) {
            observed[thread] = registers::rewrite(session, function, wanted);
        }
    }
    let mut types = Types::new();
    let unit = sema::check(session, &mut types, unit);
    report_unknown(session, &unit);
    if session.has_errors() || session.has_unsupported() {
        return None;
    }
    let params = (0..wanted.len()).map(|thread| {
        let name = session.symbols.get(&format!("P{thread}"))?;
        let function = unit.functions.iter().find(|function| function.name == name)?;
        let Type::Function(signature) = types.get(function.ty) else { return None };
        Some(signature.params.iter().map(|param| pointee(&types, *param)).collect())
    });
    let params: Vec<Vec<Option<CType>>> = params.collect::<Option<_>>()?;
    let linked = link(session, &types, vec![unit], 1, Extent::WholeFiles);
    let program = lower::lower(session, &types, &linked)?;
    if session.has_errors() || session.has_unsupported() {
        return None;
    }
    let threads = params.into_iter().zip(observed).map(|(params, observed)| Thread { params, observed });
    Some(Compiled { program, threads: threads.collect() })
}

/// What a parameter points to.
fn pointee(types: &Types, param: QualType) -> Option<CType> {
    match types.get(param.ty) {
        Type::Pointer(target) => location_type(types, *target),
        _ => None,
    }
}

/// `void *` points to something of which only the address matters.
fn location_type(types: &Types, ty: QualType) -> Option<CType> {
    let integer = |int: IntType| Some(CType::integer(Ty::int_of_size(int.size(Target::Lp64))?, int.is_signed()));
    match types.get(ty.ty) {
        Type::Bool => Some(CType::integer(Ty::I8, false)),
        Type::Int(int) => integer(*int),
        Type::Enum(id) => integer(types.enumeration(*id).underlying?),
        Type::Pointer(target) if matches!(types.get(target.ty), Type::Void) => Some(CType::INT.pointer_to()),
        Type::Pointer(target) => Some(location_type(types, *target)?.pointer_to()),
        _ => None,
    }
}

/// Every function of a test is a macro of the prelude or built into the front end.
fn report_unknown(session: &mut Session, unit: &Unit) {
    for function in unit.functions.iter().filter(|function| function.body.is_none()) {
        let name = session.symbols.name(function.name);
        let is_rcu = ["rcu_", "srcu_", "synchronize_", "call_rcu"].iter().any(|prefix| name.starts_with(prefix));
        let message = match is_rcu {
            true => format!("'{name}' belongs to read-copy-update, which is not supported"),
            false => format!("the function '{name}' is not known"),
        };
        let help = "known are C11's atomics and the kernel's accesses, barriers, atomics and spinlocks";
        let found = Diagnostic::unsupported(function.loc, message).covering(narrow(name.len()));
        session.report(found.help(help));
    }
}
