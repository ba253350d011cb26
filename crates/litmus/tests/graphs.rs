//! Litmus files for models that are axioms: `graphs/*.litmus` with the program of execution graphs beside each,
//! `graphs-refused/*.litmus` with the diagnostics beside each.

use std::fmt::Write;

use norn_graph::program::{BinaryOp, Expr, Instr, Program, Tags, Thread, UnaryOp};
use norn_graph::test::{Condition, Term, Test};
use norn_ir::source::SourceMap;
use norn_litmus::graph::{self, GraphTest};
use norn_testing::golden;

fn check(folder: &str, extension: &str, render: impl Fn(&str, String) -> String) {
    let inputs = golden::inputs(&format!("{}/tests/{folder}", env!("CARGO_MANIFEST_DIR")), "litmus");
    golden::check(inputs.map(|(path, text)| (path.with_extension(extension), render(&golden::name(&path), text))));
}

#[test]
fn accepted() {
    check("graphs", "graph", |name, text| {
        let mut sources = SourceMap::new();
        match graph::parse(&mut sources, name, text) {
            Ok(GraphTest { test, language, .. }) => format!("// {language:?}\n{}", show(&test)),
            Err(diagnostics) => panic!("{name}: {diagnostics:?}"),
        }
    });
}

#[test]
fn refused() {
    check("graphs-refused", "txt", |name, text| {
        let mut sources = SourceMap::new();
        let Err(diagnostics) = graph::parse(&mut sources, name, text) else {
            panic!("{name} was read");
        };
        let mut text = String::new();
        for diagnostic in &diagnostics {
            let label = diagnostic.labels.first().expect("a finding should have a place");
            let place = sources.physical(label.loc).expect("a place should be in the file").1;
            let _ = write!(text, "{}:{}+{}: ", place.line, place.column, label.len);
            let _ = writeln!(text, "{:?}: {}", diagnostic.severity, diagnostic.message);
        }
        text
    });
}

fn show(test: &Test) -> String {
    let mut text = String::new();
    for cell in &test.program.cells {
        let _ = write!(text, "{} {:?}", cell.name, cell.width);
        let _ = writeln!(text, " = {}", number(cell.init, &test.program));
    }
    for (index, thread) in test.program.threads.iter().enumerate() {
        let _ = writeln!(text, "P{index}:");
        let shown = Shown { program: &test.program, thread };
        for (reg, info) in thread.registers.iter().enumerate().filter(|(_, info)| info.init != 0) {
            let _ = writeln!(text, "    {} starts as {}", shown.register(reg), number(info.init, &test.program));
        }
        for step in &thread.code {
            let _ = writeln!(text, "    {}", shown.instr(&step.instr));
        }
    }
    if let Some(filter) = &test.filter {
        let _ = writeln!(text, "filter {}", condition(filter, &test.program));
    }
    let _ = writeln!(text, "{:?} {}", test.quantifier, condition(&test.condition, &test.program));
    let columns: Vec<String> = test
        .observed
        .iter()
        .map(|o| format!("{} {}{}", o.label, if o.signed { "i" } else { "u" }, o.width.bits()))
        .collect();
    let _ = writeln!(text, "shows {}", columns.join(", "));
    text
}

fn number(value: u64, program: &Program) -> String {
    match program.cell_at(value) {
        Some(cell) => format!("&{}", program.cells[cell.index()].name),
        None => (value as i64).to_string(),
    }
}

struct Shown<'s> {
    program: &'s Program,
    thread: &'s Thread,
}

impl Shown<'_> {
    fn register(&self, index: usize) -> String {
        let name = &self.thread.registers[index].name;
        if name.is_empty() { format!("%{index}") } else { name.replace(' ', "-") }
    }

    fn expr(&self, e: &Expr) -> String {
        match e {
            Expr::Const(n) => number(*n, self.program),
            Expr::Reg(reg) => self.register(reg.index()),
            Expr::Unary(op, inner) => {
                let op = match op {
                    UnaryOp::Not => "~",
                    UnaryOp::Negate => "-",
                    UnaryOp::IsZero => "!",
                };
                format!("{op}{}", self.expr(inner))
            }
            Expr::Binary(op, lhs, rhs) => {
                let op = match op {
                    BinaryOp::Add => "+",
                    BinaryOp::Sub => "-",
                    BinaryOp::Mul => "*",
                    BinaryOp::And => "&",
                    BinaryOp::Or => "|",
                    BinaryOp::Xor => "^",
                    BinaryOp::ShiftLeft => "<<",
                    BinaryOp::ShiftRight => ">>u",
                    BinaryOp::ShiftRightSigned => ">>",
                    BinaryOp::Equal => "==",
                    BinaryOp::NotEqual => "!=",
                    BinaryOp::Less => "<u",
                    BinaryOp::LessEqual => "<=u",
                    BinaryOp::LessSigned => "<",
                    BinaryOp::LessEqualSigned => "<=",
                };
                format!("({} {op} {})", self.expr(lhs), self.expr(rhs))
            }
            Expr::Truncate(width, inner) => format!("u{}({})", width.bits(), self.expr(inner)),
            Expr::SignExtend(width, inner) => format!("i{}({})", width.bits(), self.expr(inner)),
            Expr::Select(condition, then, otherwise) => {
                format!("({} ? {} : {})", self.expr(condition), self.expr(then), self.expr(otherwise))
            }
        }
    }

    fn instr(&self, instr: &Instr) -> String {
        let reg = |reg: norn_graph::program::Reg| self.register(reg.index());
        match instr {
            Instr::Assign { dst, value } => format!("{} = {}", reg(*dst), self.expr(value)),
            Instr::Load { dst, addr, width, tags: t, exclusive } => {
                let exclusive = if *exclusive { " exclusive" } else { "" };
                format!("{} = load{} {}{}{exclusive}", reg(*dst), width.bits(), self.expr(addr), tags(t))
            }
            Instr::Store { addr, value, width, tags: t } => {
                format!("store{} {} <- {}{}", width.bits(), self.expr(addr), self.expr(value), tags(t))
            }
            Instr::StoreExclusive { status, addr, value, width, tags: t, status_depends } => {
                let depends = if *status_depends { " status depends" } else { "" };
                let (addr, value) = (self.expr(addr), self.expr(value));
                format!("{} = store{} {addr} <- {value}{} exclusive{depends}", reg(*status), width.bits(), tags(t))
            }
            Instr::Rmw { old, addr, width, when, value, read, write, otherwise } => {
                let when = when.as_ref().map_or(String::new(), |when| format!(" if {}", self.expr(when)));
                let (addr, value) = (self.expr(addr), self.expr(value));
                let failed = if when.is_empty() { String::new() } else { format!(" else{}", tags(otherwise)) };
                format!(
                    "{} = rmw{} {addr} <- {value}{when}{} /{}{failed}",
                    reg(*old),
                    width.bits(),
                    tags(read),
                    tags(write)
                )
            }
            Instr::Fence { addr, tags: t } => {
                format!("fence{}{}", addr.as_ref().map_or(String::new(), |a| format!(" {}", self.expr(a))), tags(t))
            }
            Instr::Label(label) => format!("L{}:", label.index()),
            Instr::Jump(label) => format!("goto L{}", label.index()),
            Instr::Branch { condition, target, until } => {
                let until = until.map_or(String::new(), |label| format!(" until L{}", label.index()));
                format!("if {} goto L{}{until}", self.expr(condition), target.index())
            }
            Instr::Choose { dst } => format!("{} = choose", reg(*dst)),
            Instr::Assume(e) => format!("assume {}", self.expr(e)),
        }
    }
}

fn tags(tags: &Tags) -> String {
    if tags.0.is_empty() { String::new() } else { format!(" [{}]", tags.0.join(" ")) }
}

fn condition(c: &Condition, program: &Program) -> String {
    let term = |term: &Term| match term {
        Term::Const(n) => number(*n, program),
        Term::Register { thread, reg } => {
            let name = &program.threads[*thread].registers[reg.index()].name;
            format!("{thread}:{name}")
        }
        Term::Cell(cell) => program.cells[cell.index()].name.clone(),
        Term::Cells { first, count, .. } => format!("{count} cells from {}", program.cells[first.index()].name),
    };
    let all = |parts: &[Condition], join: &str| {
        format!("({})", parts.iter().map(|part| condition(part, program)).collect::<Vec<_>>().join(join))
    };
    match c {
        Condition::True => "true".to_owned(),
        Condition::False => "false".to_owned(),
        Condition::Equal(lhs, rhs, width) => format!("{} ={} {}", term(lhs), width.bits(), term(rhs)),
        Condition::Not(inner) => format!("not {}", condition(inner, program)),
        Condition::And(parts) => all(parts, " and "),
        Condition::Or(parts) => all(parts, " or "),
    }
}
