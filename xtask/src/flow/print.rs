//! Trees as C. One text serves the compiler and Norn; where they differ (inputs, assumptions, probes) it depends on for whom
//! it is. Names of the program begin with a prefix, so that many programs fit into one file for the compiler.

use super::tree::{Expr, FIELDS, Function, Input, Kind, Place, Program, Region, Stmt, Variable};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Who reads the text.
#[derive(Clone, Copy)]
pub enum For<'a> {
    /// Programs run with inputs from a table, and tell what became of them.
    Compiler,
    /// If the probe with this number is reached and the condition holds, that is a violation.
    Norn(Option<(usize, &'a str)>),
}

/// Declarations, variables and functions.
pub fn declarations(program: &Program, to: For<'_>) -> String {
    let mut text = String::new();
    let mut used = vec![false; program.functions.len()];
    let threads = program.functions.iter().any(is_thread);
    if let Some(last) = used.last_mut() {
        *last = true;
    }
    let mut functions = Vec::new();
    for (number, function) in program.functions.iter().enumerate().rev() {
        if used[number] || is_thread(function) {
            functions.push(body(function, number, to, &mut used));
        }
    }
    functions.reverse();
    let functions = functions.concat();
    for (number, Input { ctype, late, .. }) in program.inputs.iter().enumerate() {
        let _ = writeln!(text, "static {ctype} @in{number};");
        if *late {
            let _ = writeln!(text, "static int @read{number};");
        }
    }
    let _ = writeln!(text, "struct @S {{ signed char a; unsigned short b; int c; long d; }};");
    for global in &program.globals {
        let volatile = if threads && !global.ctype.starts_with("_Atomic") { "volatile " } else { "static " };
        let _ = writeln!(text, "{volatile}{}", declared(global, "@"));
    }
    for (number, function) in program.functions.iter().enumerate().filter(|(n, _)| used[*n]) {
        let _ = writeln!(text, "{};", head(function, number));
    }
    text + &functions
}

/// What is compared when the program is over.
pub fn observed(program: &Program) -> Vec<String> {
    let mut all = vec!["@result".to_owned()];
    for Variable { name, ctype, array, .. } in &program.globals {
        match (*ctype, array) {
            ("struct S", _) => all.extend(FIELDS.iter().map(|(field, _)| format!("@{name}.{field}"))),
            (_, true) => all.extend((0..4).map(|i| format!("@{name}[{i}]"))),
            _ => all.push(format!("@{name}")),
        }
    }
    all
}

/// Assignments that give all globals their first values again.
pub fn reset(program: &Program) -> String {
    let mut text = String::new();
    for Variable { name, ctype, array, first } in &program.globals {
        let _ = match (*ctype, array) {
            ("struct S", _) => writeln!(text, "  @{name} = (struct @S){{1, 2, 3, 4}};"),
            (_, true) => {
                writeln!(text, "  @{name}[0] = {first}; @{name}[1] = 1; @{name}[2] = 2; @{name}[3] = 3;")
            }
            _ => writeln!(text, "  @{name} = {};", number(*first)),
        };
    }
    text
}

/// A constant of type int or, where it does not fit, long.
pub fn number(value: i64) -> String {
    match value {
        0..=0x7fff_ffff => value.to_string(),
        -0x7fff_ffff..0 => format!("({value})"),
        i64::MIN => "(-9223372036854775807L - 1)".to_owned(),
        _ => format!("({value}L)"),
    }
}

pub fn is_thread(function: &Function) -> bool {
    function.result == "void *"
}

fn declared(variable: &Variable, prefix: &str) -> String {
    let Variable { name, ctype, array, first } = variable;
    match (*ctype, array) {
        ("struct S", _) => format!("struct @S {prefix}{name} = {{1, 2, 3, 4}};"),
        ("int *", _) => format!("int *{prefix}{name} = &x0;"),
        (_, true) => format!("{ctype} {prefix}{name}[4] = {{{first}, 1, 2, 3}};"),
        _ => format!("{ctype} {prefix}{name} = {};", number(*first)),
    }
}

fn head(function: &Function, number: usize) -> String {
    let parameters = function.parameters.iter().map(|p| format!("{} {}", p.ctype, p.name)).collect::<Vec<_>>();
    let parameters = if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
    let linkage = if is_thread(function) { "" } else { "static " };
    format!("{linkage}{} @f{number}({parameters})", function.result)
}

fn body(function: &Function, number: usize, to: For<'_>, used: &mut [bool]) -> String {
    let mut labels = BTreeMap::new();
    let mut text = String::new();
    // The first time only finds out where labels are.
    for round in 0..2 {
        let known = if round == 0 { None } else { Some(std::mem::take(&mut labels)) };
        let mut called = used.to_vec();
        let mut printer = Printer {
            to,
            text: String::new(),
            indent: 1,
            thread: is_thread(function).then_some(number),
            fuel: function.fuel,
            used: &mut called,
            known,
            seen: BTreeMap::new(),
            blocks: 0,
            within: Vec::new(),
            context: Context::default(),
            cases: Vec::new(),
        };
        printer.list(&function.body);
        labels = std::mem::take(&mut printer.seen);
        text = std::mem::take(&mut printer.text);
        used.copy_from_slice(&called);
    }
    let points = function.locals.iter().any(|local| local.ctype == "int *" && mentions(&text, &local.name));
    let mut result = format!("{} {{\n", head(function, number));
    for local in &function.locals {
        if mentions(&text, &local.name) || (points && local.name == "x0") {
            let _ = writeln!(result, "  {}", declared(local, ""));
        }
    }
    if mentions(&text, "fuel") {
        let _ = writeln!(result, "  int fuel = {};", function.fuel);
    }
    for counter in 0..20 {
        if mentions(&text, &format!("i{counter}")) {
            let _ = writeln!(result, "  int i{counter} = 0;");
        }
    }
    result + &text + "  return 0;\n}\n"
}

/// Whether the name occurs as a word.
fn mentions(text: &str, name: &str) -> bool {
    let inside = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '@';
    text.match_indices(name).any(|(at, _)| {
        !text[..at].ends_with(inside) && !text[at + name.len()..].starts_with(inside) && !text[..at].ends_with('.')
    })
}

/// Which jumps make sense.
#[derive(Clone, Copy, Default)]
struct Context {
    breaks: bool,
    continues: bool,
    /// Nobody jumps in.
    closed: bool,
    /// Nobody jumps out.
    sealed: bool,
}

struct Printer<'a> {
    to: For<'a>,
    text: String,
    indent: usize,
    thread: Option<usize>,
    fuel: u32,
    used: &'a mut [bool],
    /// Labels with the statement expressions around them.
    known: Option<BTreeMap<usize, Vec<usize>>>,
    seen: BTreeMap<usize, Vec<usize>>,
    blocks: usize,
    within: Vec<usize>,
    context: Context,
    /// The values of the switches around, each with whether it has a default.
    cases: Vec<(Vec<(i64, i64)>, bool)>,
}

impl Printer<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{:1$}{text}", "", self.indent * 2);
    }

    fn list(&mut self, list: &[Stmt]) {
        for stmt in list {
            self.stmt(stmt);
        }
    }

    fn inner(&mut self, list: &[Stmt], context: Context) {
        let outer = std::mem::replace(&mut self.context, context);
        self.indent += 1;
        self.list(list);
        self.indent -= 1;
        self.context = outer;
    }

    /// An expression from which one does not break out of the loop or switch that it belongs to.
    fn head(&mut self, expr: &Expr) -> String {
        let outer = self.context;
        self.context = Context { breaks: false, continues: false, ..outer };
        let text = self.expr(expr);
        self.context = outer;
        text
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let context = self.context;
        match stmt {
            Stmt::Eval(e) => {
                let e = self.expr(e);
                self.line(&format!("{e};"));
            }
            Stmt::If(e, yes, no) => {
                let e = self.expr(e);
                self.line(&format!("if ({e}) {{"));
                self.inner(yes, context);
                if !no.is_empty() {
                    self.line("} else {");
                    self.inner(no, context);
                }
                self.line("}");
            }
            Stmt::Loop(kind, counter, bound, e, body) => {
                let i = format!("i{counter}");
                // In the order of the text, which says what a jump backwards is.
                let mut condition = if *kind == Kind::Do { String::new() } else { self.head(e) };
                match kind {
                    Kind::For => self.line(&format!("for ({i} = 0; {i} < {bound} && {condition}; {i}++) {{")),
                    Kind::While => {
                        self.line(&format!("{i} = 0;"));
                        self.line(&format!("while ({i}++ < {bound} && {condition}) {{"));
                    }
                    Kind::Do => {
                        self.line(&format!("{i} = 0;"));
                        self.line("do {");
                    }
                }
                self.inner(body, Context { breaks: true, continues: true, ..context });
                if *kind == Kind::Do {
                    condition = self.head(e);
                    self.line(&format!("}} while (++{i} < {bound} && {condition});"));
                } else {
                    self.line("}");
                }
            }
            Stmt::Switch(e, body) => {
                let e = self.head(e);
                self.line(&format!("switch ({e}) {{"));
                self.cases.push((Vec::new(), false));
                self.inner(body, Context { breaks: true, closed: false, ..context });
                self.cases.pop();
                self.line("}");
            }
            Stmt::Case(value) => {
                if !context.closed {
                    self.case(*value);
                }
            }
            Stmt::Label(label) => {
                if !context.closed && !self.seen.contains_key(label) {
                    self.seen.insert(*label, self.within.clone());
                    self.line(&format!("L{label}:;"));
                }
            }
            Stmt::Goto(label) => self.goto(*label),
            Stmt::Break if context.breaks => self.line("break;"),
            Stmt::Continue if context.continues => self.line("continue;"),
            Stmt::Break | Stmt::Continue => {}
            Stmt::Return(_) if context.sealed => {}
            Stmt::Return(e) => {
                let e = self.expr(e);
                match self.thread {
                    Some(number) => self.line(&format!("{{ seen[{number}] = {e}; return 0; }}")),
                    None => self.line(&format!("return {e};")),
                }
            }
            Stmt::Group(region, body) => {
                let (begin, end) = match region {
                    Region::Plain => ("{", "}"),
                    Region::Locked => ("pthread_mutex_lock(&m); {", "} pthread_mutex_unlock(&m);"),
                    Region::Atomic => ("__VERIFIER_atomic_begin(); {", "} __VERIFIER_atomic_end();"),
                };
                self.line(begin);
                let within = match region {
                    Region::Plain => context,
                    Region::Locked => Context { closed: true, ..context },
                    Region::Atomic => Context { closed: true, sealed: true, ..Context::default() },
                };
                self.inner(body, within);
                self.line(end);
            }
            Stmt::Copy(to, e, one, other) => {
                let e = self.expr(e);
                self.line(&format!("{to} = {e} ? {one} : {other};"));
            }
            Stmt::Point(to, e, one, other) => {
                let e = self.expr(e);
                self.line(&format!("{to} = {e} ? &{one} : &{other};"));
            }
            Stmt::Assume(e) => {
                let e = self.expr(e);
                match self.to {
                    For::Compiler => self.line(&format!("if (!{e}) longjmp(stop, 1);")),
                    For::Norn(_) => self.line(&format!("__VERIFIER_assume({e} != 0);")),
                }
            }
            Stmt::Probe(number) => match self.to {
                For::Compiler => self.line(&format!("@probes |= 1u << {number};")),
                For::Norn(Some((asked, condition))) if asked == *number => {
                    self.line(&format!("if ({condition}) reach_error();"));
                }
                For::Norn(_) => {}
            },
            Stmt::Text(text) => self.line(text),
        }
    }

    fn case(&mut self, value: Option<(i64, i64)>) {
        let Some((values, has_default)) = self.cases.last_mut() else { return };
        let text = match value {
            None if *has_default => return,
            None => {
                *has_default = true;
                "default:;".to_owned()
            }
            Some((low, high)) => {
                // Whatever type is switched on keeps these apart.
                let fits = |value| i32::try_from(value).is_ok();
                let high = if low < 0 { high.min(-1) } else { high };
                if !fits(low) || !fits(high) || values.iter().any(|&(l, h)| low <= h && l <= high) {
                    return;
                }
                values.push((low, high));
                match low == high {
                    true => format!("case {low}:;"),
                    false => format!("case {low} ... {high}:;"),
                }
            }
        };
        self.line(&text);
    }

    fn goto(&mut self, label: usize) {
        if self.context.sealed {
            return;
        }
        let Some(known) = &self.known else { return };
        let reachable = known.get(&label).is_some_and(|around| self.within.starts_with(around));
        match (reachable, self.seen.contains_key(&label)) {
            (true, false) => self.line(&format!("goto L{label};")),
            (true, true) if self.fuel > 0 => self.line(&format!("if (fuel-- > 0) goto L{label};")),
            _ => {}
        }
    }

    fn place(&mut self, place: &Place) -> String {
        match place {
            Place::Var(name) => name.clone(),
            Place::Element(name, index) => {
                let index = self.expr(index);
                format!("{name}[{index} & 3]")
            }
            Place::Pointed(name) => format!("(*{name})"),
            Place::Field(name, field) => format!("{name}.{field}"),
        }
    }

    fn expr(&mut self, expr: &Expr) -> String {
        match expr {
            Expr::Const(value) => number(*value),
            Expr::Read(place) => self.place(place),
            Expr::Unary(op, a) => format!("({op}{})", self.expr(a)),
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.expr(a), self.expr(b));
                match *op {
                    "<<" | ">>" => format!("({a} {op} ({b} & 7))"),
                    "/" | "%" => format!("({a} {op} (({b} & 7) + 1))"),
                    _ => format!("({a} {op} {b})"),
                }
            }
            Expr::Cast(to, a) => format!("(({to}){})", self.expr(a)),
            Expr::Choose(c, a, b) => {
                let (c, a, b) = (self.expr(c), self.expr(a), self.expr(b));
                format!("({c} ? {a} : {b})")
            }
            Expr::Comma(a, b) => {
                let (a, b) = (self.expr(a), self.expr(b));
                format!("({a}, {b})")
            }
            Expr::Assign(place, a) => {
                let (place, a) = (self.place(place), self.expr(a));
                format!("({place} = {a})")
            }
            Expr::Block(list, e) => self.block(list, e),
            Expr::Call(function, args) => {
                self.used[*function] = true;
                let args = self.arguments(args);
                format!("@f{function}({args})")
            }
            Expr::CallOne(c, [one, other], args) => {
                self.used[*one] = true;
                self.used[*other] = true;
                let c = self.expr(c);
                let args = self.arguments(args);
                format!("({c} ? @f{one} : @f{other})({args})")
            }
            Expr::Late(number) => match self.to {
                For::Compiler => format!("(@read{number} = 1, @in{number})"),
                For::Norn(_) => {
                    format!("(@read{number} ? @in{number} : (@read{number} = 1, @in{number} = @next{number}()))")
                }
            },
        }
    }

    fn arguments(&mut self, args: &[Expr]) -> String {
        args.iter().map(|e| self.expr(e)).collect::<Vec<_>>().join(", ")
    }

    /// Statements inside an expression are written on the way and put where they belong.
    fn block(&mut self, list: &[Stmt], value: &Expr) -> String {
        let outer_text = std::mem::take(&mut self.text);
        let outer_cases = std::mem::take(&mut self.cases);
        self.blocks += 1;
        self.within.push(self.blocks);
        let context = self.context;
        self.inner(list, context);
        let value = self.expr(value);
        let inside = std::mem::replace(&mut self.text, outer_text);
        self.cases = outer_cases;
        self.within.pop();
        format!("({{\n{inside}{:1$}{value}; }})", "", self.indent * 2 + 2)
    }
}
