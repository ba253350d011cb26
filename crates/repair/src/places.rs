//! Places in the user's text where the order of an access or a fence is written, or left out.
//!
//! Found by their words (`memory_order_…`, `__ATOMIC_…`, the names of functions and macros that leave the order out), also in
//! the definitions of macros; plain stores and loads, and fences, by their place in the syntax tree. A place is a guess: what
//! its edits make of the program is found out by reading the text again ([`crate::orders`]).

use crate::code::{Code, all_sources};
use crate::edit::Edit;
use crate::scan;
use crate::strength::{on_failure, word};
use norn_c::ast::{Block, BlockItem, Expr, ExprKind, ForInit, Item, Stmt, StmtKind, TranslationUnit};
use norn_ir::instr::Order;
use norn_ir::number::narrow;
use norn_ir::source::{Loc, SourceId, SourceMap};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where something can be stronger or weaker.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Place {
    /// As it was opened.
    pub file: PathBuf,
    pub at: usize,
    pub what: What,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum What {
    /// An order: its word ends here and begins so.
    Word { end: usize, prefix: &'static str },
    /// A call without an order: where the name ends and the parenthesis closes.
    Implicit { name_end: usize, close: usize, has_failure: bool },
    /// A statement that may be a fence. The order in it, if there is one; whether it has to leave an empty statement behind.
    Fence { end: usize, order: Option<(usize, usize, &'static str)>, is_governed: bool },
    /// `a = b;`: where `=` stands, and the semicolon. Whether it is to be one of C11's functions.
    Store { assign: usize, semicolon: usize, c11: bool },
    /// The read of a variable, an element or a member.
    Load { end: usize, c11: bool },
}

/// What the text of a place is to say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wanted {
    Order(Order),
    /// No fence at all.
    Nothing,
}

/// The functions and macros of C11 and GNU that leave an order out, and those whose second order is for failures.
fn leaves_out_order(name: &str) -> Option<bool> {
    let rest = name.strip_prefix("atomic_")?;
    match rest {
        "load" | "store" | "exchange" | "flag_test_and_set" | "flag_clear" => Some(false),
        "compare_exchange_strong" | "compare_exchange_weak" => Some(true),
        _ => {
            let operation = rest.strip_prefix("fetch_")?;
            matches!(operation, "add" | "sub" | "and" | "or" | "xor").then_some(false)
        }
    }
}

fn order_prefix(name: &str) -> Option<&'static str> {
    const WORDS: [&str; 6] = ["relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"];
    let upper = |rest: &str| WORDS.iter().any(|word| word.to_uppercase() == rest);
    if name.strip_prefix("memory_order_").is_some_and(|rest| WORDS.contains(&rest)) {
        return Some("memory_order_");
    }
    name.strip_prefix("__ATOMIC_").is_some_and(upper).then_some("__ATOMIC_")
}

fn spelt(prefix: &str, order: Order) -> String {
    let word = word(order);
    if prefix == "__ATOMIC_" { prefix.to_owned() + &word.to_uppercase() } else { prefix.to_owned() + word }
}

impl Place {
    /// What has to be changed in the text so that the place has this order.
    pub fn edits(&self, text: &str, wanted: Wanted) -> Vec<Edit> {
        let insert = |at: usize, text: String| Edit { start: at, end: at, text };
        let replace = |range: Range<usize>, text: String| Edit { start: range.start, end: range.end, text };
        match (&self.what, wanted) {
            (&What::Word { end, prefix }, Wanted::Order(order)) => vec![replace(self.at..end, spelt(prefix, order))],
            (&What::Implicit { name_end, close, has_failure }, Wanted::Order(order)) => {
                let mut orders = format!(", memory_order_{}", word(order));
                if has_failure {
                    orders += &format!(", memory_order_{}", word(on_failure(order)));
                }
                vec![insert(name_end, "_explicit".to_owned()), insert(close, orders)]
            }
            (&What::Fence { order: Some((start, end, prefix)), .. }, Wanted::Order(order)) => {
                vec![replace(start..end, spelt(prefix, order))]
            }
            (&What::Fence { end, .. }, Wanted::Order(order)) => {
                vec![replace(self.at..end, format!("__atomic_thread_fence({});", spelt("__ATOMIC_", order)))]
            }
            (&What::Fence { end, is_governed, .. }, Wanted::Nothing) => {
                if is_governed {
                    return vec![replace(self.at..end, ";".to_owned())];
                }
                vec![replace(scan::with_its_line(text, self.at..end), String::new())]
            }
            (&What::Store { assign, semicolon, c11 }, Wanted::Order(order)) => {
                let (name, prefix) = match c11 {
                    true => ("atomic_store_explicit", "memory_order_"),
                    false => ("__atomic_store_n", "__ATOMIC_"),
                };
                let left = text[..assign].trim_end_matches([' ', '\t', '\r', '\n']).len();
                let right = assign + 1 + text[assign + 1..].len() - text[assign + 1..].trim_start().len();
                vec![
                    insert(self.at, format!("{name}(&")),
                    replace(left..right, ", ".to_owned()),
                    insert(semicolon, format!(", {})", spelt(prefix, order))),
                ]
            }
            (&What::Load { end, c11 }, Wanted::Order(order)) => {
                let (name, prefix) = match c11 {
                    true => ("atomic_load_explicit", "memory_order_"),
                    false => ("__atomic_load_n", "__ATOMIC_"),
                };
                vec![insert(self.at, format!("{name}(&")), insert(end, format!(", {})", spelt(prefix, order)))]
            }
            (_, Wanted::Nothing) => Vec::new(),
        }
    }

    /// Whether its text is that of an access without an order, as C has it for atomic objects, too.
    pub fn is_operator(&self) -> bool {
        matches!(self.what, What::Store { .. } | What::Load { .. })
    }
}

/// Which places are looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Looked {
    pub fences: bool,
    /// Plain stores and loads.
    pub operators: bool,
    /// Files of the system's, too.
    pub library: bool,
}

/// The places of the user's files, with the texts of these.
pub fn places(code: &Code, looked: Looked) -> (Vec<Place>, BTreeMap<PathBuf, Arc<str>>) {
    let mut places = Vec::new();
    let mut texts = BTreeMap::new();
    code.for_each_tree(|tree, sources| {
        let mut walk = Walk { sources, places: &mut places, looked };
        walk.unit(tree);
        for source in all_sources(sources) {
            let file = PathBuf::from(sources.name(source));
            if sources.is_builtin(source) || texts.contains_key(&file) || code.text_of(&file).is_none() {
                continue;
            }
            let is_users =
                |at: usize| looked.library || !sources.in_system_header(sources.start(source).offset(narrow(at)));
            let text = sources.shared_text(source);
            words(&file, &text, &is_users, &mut places);
            texts.insert(file, text);
        }
    });
    places.retain(|place| texts.contains_key(&place.file));
    places.sort();
    places.dedup();
    // What is in a fence is that fence's.
    let fences = places.iter().filter_map(|place| match place.what {
        What::Fence { end, .. } => Some((place.file.clone(), place.at..end)),
        _ => None,
    });
    let fences = fences.collect::<Vec<_>>();
    places.retain(|place| {
        let is_inside = fences.iter().any(|(file, range)| *file == place.file && range.contains(&place.at));
        matches!(place.what, What::Fence { .. }) || !is_inside
    });
    (places, texts)
}

/// The words of a text.
fn words(file: &Path, text: &str, is_users: &dyn Fn(usize) -> bool, places: &mut Vec<Place>) {
    let mut add = |at, what| places.push(Place { file: file.to_owned(), at, what });
    for at in scan::words(text).filter(|&at| is_users(at)) {
        let name = scan::word_at(text, at);
        let name_end = at + name.len();
        if let Some(prefix) = order_prefix(name) {
            add(at, What::Word { end: name_end, prefix });
        } else if let Some(has_failure) = leaves_out_order(name)
            && text[name_end..].trim_start().starts_with('(')
            && let Some(close) = scan::closing_parenthesis(text, name_end)
        {
            add(at, What::Implicit { name_end, close, has_failure });
        }
    }
}

/// A walk along syntax trees.
struct Walk<'a> {
    sources: &'a SourceMap,
    places: &'a mut Vec<Place>,
    looked: Looked,
}

impl Walk<'_> {
    fn unit(&mut self, unit: &TranslationUnit) {
        for item in &unit.items {
            if let Item::Function(function) = item {
                self.block(&function.body);
            }
        }
    }

    fn place(&self, loc: Loc) -> Option<(SourceId, usize)> {
        let source = self.sources.source_of(loc)?;
        let is_users = !self.sources.is_builtin(source) && (self.looked.library || !self.sources.in_system_header(loc));
        is_users.then(|| (source, (loc.0 - self.sources.start(source).0) as usize))
    }

    fn add(&mut self, source: SourceId, at: usize, what: What) {
        self.places.push(Place { file: PathBuf::from(self.sources.name(source)), at, what });
    }

    fn block(&mut self, block: &Block) {
        for item in &block.items {
            match item {
                BlockItem::Statement(statement) => self.statement(statement, false),
                BlockItem::Declaration(declaration) => {
                    for declarator in &declaration.declarators {
                        if let Some(norn_c::ast::Initializer::Expr(value)) = &declarator.initializer {
                            self.reads(value);
                        }
                    }
                }
                BlockItem::StaticAssert(_) | BlockItem::Function(_) => {}
            }
        }
    }

    fn statement(&mut self, statement: &Stmt, is_governed: bool) {
        match &statement.kind {
            StmtKind::Block(block) => self.block(block),
            StmtKind::If { condition, then, otherwise } => {
                self.reads(condition);
                self.statement(then, true);
                otherwise.iter().for_each(|otherwise| self.statement(otherwise, true));
            }
            StmtKind::Switch { value, body } => {
                self.reads(value);
                self.statement(body, true);
            }
            StmtKind::While { condition, body } | StmtKind::DoWhile { body, condition } => {
                self.reads(condition);
                self.statement(body, true);
            }
            StmtKind::For(parts) => {
                if let ForInit::Expr(expr) = &parts.init {
                    self.reads(expr);
                }
                parts.condition.iter().chain(&parts.step).for_each(|expr| self.reads(expr));
                self.statement(&parts.body, true);
            }
            StmtKind::Labeled { body, .. } => self.statement(body, true),
            StmtKind::Return(value) => value.iter().for_each(|value| self.reads(value)),
            StmtKind::Expr(expr) => {
                self.store(statement, expr);
                self.reads(expr);
                if matches!(expr.kind, ExprKind::Call(..)) {
                    self.fence(statement, is_governed);
                }
            }
            StmtKind::Asm(_) => self.fence(statement, is_governed),
            StmtKind::Null | StmtKind::Goto(_) | StmtKind::GotoComputed(_) | StmtKind::Continue | StmtKind::Break => {}
        }
    }

    fn fence(&mut self, statement: &Stmt, is_governed: bool) {
        if !self.looked.fences {
            return;
        }
        let Some((source, at)) = self.place(statement.loc) else { return };
        let text = self.sources.text(source);
        let Some(end) = scan::end_of_statement(text, at) else { return };
        // A macro that is a statement may have an order somewhere else.
        let order = scan::words(&text[at..end]).map(|word| at + word).find_map(|start| {
            let name = scan::word_at(text, start);
            order_prefix(name).map(|prefix| (start, start + name.len(), prefix))
        });
        let name = scan::word_at(text, at);
        let order = order.filter(|_| name.ends_with("thread_fence"));
        if order.is_some() || is_like_fence(text, at, end) {
            self.add(source, at, What::Fence { end, order, is_governed });
        }
    }

    fn store(&mut self, statement: &Stmt, expr: &Expr) {
        let (true, ExprKind::Assign(None, left, _)) = (self.looked.operators, &expr.kind) else { return };
        if !is_object(left) {
            return;
        }
        let (Some((source, at)), Some((assigned, assign))) = (self.place(statement.loc), self.place(expr.loc)) else {
            return;
        };
        let text = self.sources.text(source);
        if let Some(end) = scan::end_of_statement(text, at)
            && source == assigned
            && (at..end).contains(&assign)
            && text[assign..].starts_with('=')
        {
            self.add(source, at, What::Store { assign, semicolon: end - 1, c11: false });
        }
    }

    /// The objects that an expression reads.
    fn reads(&mut self, expr: &Expr) {
        if !self.looked.operators {
            return;
        }
        match &expr.kind {
            ExprKind::Ident(_) | ExprKind::Index(..) | ExprKind::Member(..) | ExprKind::Arrow(..) => {
                if let Some((source, at, end)) = self.extent(expr) {
                    self.add(source, at, What::Load { end, c11: false });
                }
                self.reads_inside(expr);
            }
            // What is assigned is not read. Where it is changed, no order can be given.
            ExprKind::Assign(_, left, right) => {
                self.reads_inside(left);
                self.reads(right);
            }
            ExprKind::Unary(op, operand) => {
                use norn_c::ast::UnaryOp::{
                    AddressOf, Deref, PostDecrement, PostIncrement, PreDecrement, PreIncrement,
                };
                match op {
                    AddressOf | PostDecrement | PostIncrement | PreDecrement | PreIncrement => {
                        self.reads_inside(operand);
                    }
                    Deref => {
                        self.reads(operand);
                    }
                    _ => self.reads(operand),
                }
            }
            ExprKind::Binary(_, left, right) | ExprKind::Comma(left, right) => {
                self.reads(left);
                self.reads(right);
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                self.reads(condition);
                then.iter().for_each(|then| self.reads(then));
                self.reads(otherwise);
            }
            ExprKind::Cast(_, operand) => self.reads(operand),
            ExprKind::Call(_, arguments) => arguments.iter().for_each(|argument| self.reads(argument)),
            ExprKind::StatementExpr(block) => self.block(block),
            _ => {}
        }
    }

    /// What is read to find out which object is meant.
    fn reads_inside(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Index(base, index) => {
                self.reads_inside(base);
                self.reads(index);
            }
            ExprKind::Member(base, _) => self.reads_inside(base),
            ExprKind::Arrow(base, _) => self.reads(base),
            ExprKind::Unary(_, operand) => self.reads(operand),
            _ => {}
        }
    }

    /// The text of an object that is named without parentheses: `a`, `a[i]`, `a.b`, `a->b`.
    fn extent(&self, expr: &Expr) -> Option<(SourceId, usize, usize)> {
        if let ExprKind::Ident(_) = expr.kind {
            let (source, at) = self.place(expr.loc)?;
            let word = scan::word_at(self.sources.text(source), at);
            return (!word.is_empty()).then_some((source, at, at + word.len()));
        }
        let base = match &expr.kind {
            ExprKind::Index(base, _) | ExprKind::Member(base, _) | ExprKind::Arrow(base, _) => base,
            _ => return None,
        };
        let (source, at, end) = self.extent(base)?;
        let text = self.sources.text(source);
        let next = end + text[end..].len() - text[end..].trim_start().len();
        let rest = &text[next..];
        let name_after = |skip: usize| {
            let start = next + skip + rest[skip..].len() - rest[skip..].trim_start().len();
            let word = scan::word_at(text, start);
            (!word.is_empty()).then_some(start + word.len())
        };
        let end = match expr.kind {
            ExprKind::Index(..) if rest.starts_with('[') => scan::closing_bracket(text, next)? + 1,
            ExprKind::Member(..) if rest.starts_with('.') => name_after(1)?,
            ExprKind::Arrow(..) if rest.starts_with("->") => name_after(2)?,
            _ => return None,
        };
        Some((source, at, end))
    }
}

/// Whether something can be stored to it that is no part of an expression.
fn is_object(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Ident(_) | ExprKind::Index(..) | ExprKind::Member(..) | ExprKind::Arrow(..) => true,
        ExprKind::Unary(op, _) => *op == norn_c::ast::UnaryOp::Deref,
        _ => false,
    }
}

/// Whether a statement may be a fence and nothing else: a call without arguments, or assembly.
fn is_like_fence(text: &str, at: usize, end: usize) -> bool {
    let name = scan::word_at(text, at);
    let rest = text[at + name.len()..end].trim();
    let is_asm = matches!(name, "asm" | "__asm__" | "__asm");
    let has_no_arguments = rest.strip_prefix('(').is_some_and(|rest| rest.trim_start().starts_with(')'));
    is_asm || has_no_arguments || name.ends_with("thread_fence")
}
