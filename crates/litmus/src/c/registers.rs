//! Variables of threads as litmus tests mean them, by changing the syntax tree before it is checked:
//!
//! - A variable belongs to the whole thread, wherever it is declared, and is 0 (or what the initial state says) before
//!   it is assigned. So declarations go to the beginning, and what they initialise becomes an assignment.
//! - A variable that is assigned without being declared is wide enough for numbers and addresses: `long`.
//! - At its end the thread stores the variables that somebody looks at to static objects, in one step.
//!
//! Arrays and what is `static` stay where they are: they are no registers.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use norn_c::ast::{
    BasicType, Block, BlockItem, Declaration, Declarator, Derivation, Expr, ExprKind, ForInit, FunctionDefinition,
    InitDeclarator, Initializer, Label, LabelKind, Parameters, Qualifiers, Specifiers, StaticAssert, Stmt, StmtKind,
    StorageClass, StringKind, StringLiteral, TypeName, TypeSpecifier, UnaryOp,
};
use norn_c::intern::Symbol;
use norn_c::session::Session;
use norn_ir::source::Loc;

/// What is known of the variables of a thread beside its code, by their names.
#[derive(Default)]
pub(crate) struct Wanted {
    /// The values that the initial state gives.
    pub initial: BTreeMap<String, i64>,
    pub observed: BTreeSet<String>,
}

/// The name of the static object that receives the final value of a variable.
pub(crate) fn final_object(variable: &str) -> String {
    format!("__final_{variable}")
}

/// Changes the code of a thread. Returns the observed variables that it has.
pub(crate) fn rewrite(session: &mut Session, function: &mut FunctionDefinition, wanted: &Wanted) -> BTreeSet<String> {
    if matches!(function.specifiers.ty, TypeSpecifier::ImplicitInt) {
        function.specifiers.ty = TypeSpecifier::Basic(BasicType::Void);
    }
    let mut known = HashSet::new();
    if let Some(Derivation::Function(Parameters::Prototype { params, .. })) = function.declarator.derivations.last_mut()
    {
        for param in params {
            without_atomic(&mut param.specifiers, &mut param.declarator);
            known.extend(param.declarator.name);
        }
    }
    let params = known.clone();
    let end = session.symbols.intern("__end");
    let (loc, last) = (function.body.loc, function.body.end);
    let mut rewriter = Rewriter { session, wanted, known, undeclared: Vec::new(), begin: Vec::new(), end };
    rewriter.block(&mut function.body);
    rewriter.declare_the_undeclared(loc);
    let mut items = std::mem::take(&mut rewriter.begin);
    let known: HashSet<Symbol> = rewriter.known.difference(&params).copied().collect();
    let body =
        std::mem::replace(&mut function.body, Block { items: Vec::new(), local_labels: Vec::new(), loc, end: last });
    items.push(statement(StmtKind::Block(body), loc));
    let labels = vec![Label { kind: LabelKind::Name(end), loc: last }];
    let nothing = Box::new(Stmt { kind: StmtKind::Null, loc: last });
    items.push(statement(StmtKind::Labeled { labels, body: nothing }, last));
    let observed: BTreeSet<String> = wanted
        .observed
        .iter()
        .filter(|name| session.symbols.get(name).is_some_and(|symbol| known.contains(&symbol)))
        .cloned()
        .collect();
    if !observed.is_empty() {
        store_final_values(session, &observed, last, &mut items);
    }
    function.body.items = items;
    observed
}

fn store_final_values(session: &mut Session, observed: &BTreeSet<String>, loc: Loc, items: &mut Vec<BlockItem>) {
    let mut stores = Vec::new();
    for name in observed {
        let variable = session.symbols.intern(name);
        let object = session.symbols.intern(&final_object(name));
        let ty = TypeSpecifier::TypeofExpr(Box::new(ident(variable, loc)));
        let mut declaration = declaration(ty, object, None, loc);
        declaration.specifiers.storage = Some(StorageClass::Static);
        items.push(BlockItem::Declaration(declaration));
        stores.push(statement(StmtKind::Expr(assign(object, ident(variable, loc), loc)), loc));
    }
    let mut call = |name: &str| {
        let callee = Box::new(ident(session.symbols.intern(name), loc));
        statement(StmtKind::Expr(Expr { kind: ExprKind::Call(callee, Vec::new()), loc }), loc)
    };
    items.push(call("__norn_section_begin"));
    items.append(&mut stores);
    items.push(call("__norn_section_end"));
}

struct Rewriter<'s> {
    session: &'s mut Session,
    wanted: &'s Wanted,
    /// Parameters and variables that are declared.
    known: HashSet<Symbol>,
    /// Names that are assigned, with the place of the first assignment; some are declared.
    undeclared: Vec<(Symbol, Loc)>,
    /// The declarations at the beginning of the thread.
    begin: Vec<BlockItem>,
    /// The label at the end of the code.
    end: Symbol,
}

impl Rewriter<'_> {
    fn block(&mut self, block: &mut Block) {
        for mut item in std::mem::take(&mut block.items) {
            match item {
                BlockItem::Declaration(declaration) if is_of_registers(&declaration) => {
                    block.items.extend(self.hoist(declaration).into_iter().map(statement_of));
                    continue;
                }
                BlockItem::Statement(ref mut stmt) => self.stmt(stmt),
                _ => {}
            }
            block.items.push(item);
        }
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        let loc = stmt.loc;
        match &mut stmt.kind {
            StmtKind::Block(block) => self.block(block),
            StmtKind::If { then, otherwise, .. } => {
                self.stmt(then);
                otherwise.iter_mut().for_each(|otherwise| self.stmt(otherwise));
            }
            StmtKind::Switch { body, .. }
            | StmtKind::While { body, .. }
            | StmtKind::DoWhile { body, .. }
            | StmtKind::Labeled { body, .. } => self.stmt(body),
            StmtKind::For(head) => {
                match std::mem::replace(&mut head.init, ForInit::None) {
                    ForInit::Declaration(declaration) if is_of_registers(&declaration) => {
                        let comma = |a: Expr, b: Expr| {
                            let loc = a.loc;
                            Expr { kind: ExprKind::Comma(Box::new(a), Box::new(b)), loc }
                        };
                        head.init =
                            self.hoist(declaration).into_iter().reduce(comma).map_or(ForInit::None, ForInit::Expr);
                    }
                    init => head.init = init,
                }
                if let ForInit::Expr(init) = &head.init {
                    self.note_assignment(init);
                }
                self.stmt(&mut head.body);
            }
            StmtKind::Expr(e) => self.note_assignment(e),
            StmtKind::Return(value) => {
                let value = value.take().map(statement_of);
                let leave = statement(StmtKind::Goto(self.end), loc);
                let items = value.into_iter().chain([leave]).collect();
                stmt.kind = StmtKind::Block(Block { items, local_labels: Vec::new(), loc, end: loc });
            }
            _ => {}
        }
    }

    fn note_assignment(&mut self, e: &Expr) {
        if let ExprKind::Assign(_, place, _) = &e.kind
            && let ExprKind::Ident(name) = place.kind
        {
            self.undeclared.push((name, place.loc));
        }
    }

    /// Moves a declaration to the beginning, and returns the assignments that remain of it.
    fn hoist(&mut self, mut declaration: Declaration) -> Vec<Expr> {
        let mut values = Vec::new();
        let mut again = Vec::new();
        declaration.specifiers.qualifiers.is_const = false;
        for init in &mut declaration.declarators {
            without_atomic(&mut declaration.specifiers, &mut init.declarator);
            let (Some(name), loc) = (init.declarator.name, init.declarator.loc) else { continue };
            if let Some(Initializer::Expr(value)) = init.initializer.take() {
                values.push(assign(name, value, loc));
            }
            if self.known.insert(name) {
                init.initializer = Some(Initializer::Expr(self.initial_value(name, loc)));
                continue;
            }
            // Several declarations of one name mean the same variable, if they agree.
            let other = format!("__again{}_{}", self.begin.len(), self.session.symbols.name(name));
            let other = self.session.symbols.intern(&other);
            init.declarator.name = Some(other);
            again.push(self.same_type(name, other, loc));
        }
        self.begin.push(BlockItem::Declaration(declaration));
        self.begin.append(&mut again);
        values
    }

    /// An error if two variables have different types.
    fn same_type(&self, name: Symbol, other: Symbol, loc: Loc) -> BlockItem {
        let type_of = |variable: Symbol| {
            let ty = TypeSpecifier::TypeofExpr(Box::new(ident(variable, loc)));
            let declarator = Declarator { name: None, derivations: Vec::new(), attributes: Vec::new(), loc };
            Box::new(TypeName { specifiers: specifiers(ty, loc), declarator, loc })
        };
        let condition = Expr { kind: ExprKind::TypesCompatible(type_of(name), type_of(other)), loc };
        let text = format!("'{}' is declared with two types", self.session.symbols.name(name));
        let units = text.bytes().map(u32::from).collect();
        let message = Some(StringLiteral { kind: StringKind::Plain, units, loc });
        BlockItem::StaticAssert(StaticAssert { condition, message, loc })
    }

    fn initial_value(&mut self, name: Symbol, loc: Loc) -> Expr {
        let value = self.wanted.initial.get(self.session.symbols.name(name)).copied().unwrap_or(0);
        let digits = self.session.symbols.intern(&value.unsigned_abs().to_string());
        let number = Expr { kind: ExprKind::Number(digits), loc };
        if value >= 0 {
            return number;
        }
        Expr { kind: ExprKind::Unary(UnaryOp::Minus, Box::new(number)), loc }
    }

    fn declare_the_undeclared(&mut self, loc: Loc) {
        let mut names = std::mem::take(&mut self.undeclared);
        names.extend(self.wanted.initial.keys().map(|name| (self.session.symbols.intern(name), loc)));
        for (name, loc) in names {
            if self.known.insert(name) {
                let value = self.initial_value(name, loc);
                let ty = TypeSpecifier::Basic(BasicType::Long);
                self.begin.push(BlockItem::Declaration(declaration(ty, name, Some(Initializer::Expr(value)), loc)));
            }
        }
    }
}

/// Whether all that is declared are variables that fit into registers, as far as the syntax tells.
fn is_of_registers(declaration: &Declaration) -> bool {
    let is_register = |init: &InitDeclarator| {
        !matches!(init.initializer, Some(Initializer::List(_)))
            && !matches!(init.declarator.derivations.last(), Some(Derivation::Array { .. } | Derivation::Function(_)))
    };
    matches!(declaration.specifiers.storage, None | Some(StorageClass::Auto | StorageClass::Register))
        && !matches!(declaration.specifiers.ty, TypeSpecifier::Auto)
        && declaration.declarators.iter().all(is_register)
}

/// Takes out `_Atomic`, since types say nothing about how an access is made (see `prelude.h`), and the `const` of
/// pointers, since every variable is assigned.
fn without_atomic(specifiers: &mut Specifiers, declarator: &mut Declarator) {
    specifiers.qualifiers.is_atomic = false;
    if let TypeSpecifier::Atomic(inner) = &mut specifiers.ty
        && inner.declarator.derivations.is_empty()
    {
        specifiers.ty = std::mem::replace(&mut inner.specifiers.ty, TypeSpecifier::ImplicitInt);
    }
    for derivation in &mut declarator.derivations {
        if let Derivation::Pointer(qualifiers) = derivation {
            qualifiers.is_atomic = false;
            qualifiers.is_const = false;
        }
    }
}

fn ident(name: Symbol, loc: Loc) -> Expr {
    Expr { kind: ExprKind::Ident(name), loc }
}

fn assign(name: Symbol, value: Expr, loc: Loc) -> Expr {
    Expr { kind: ExprKind::Assign(None, Box::new(ident(name, loc)), Box::new(value)), loc }
}

fn statement(kind: StmtKind, loc: Loc) -> BlockItem {
    BlockItem::Statement(Stmt { kind, loc })
}

fn statement_of(e: Expr) -> BlockItem {
    let loc = e.loc;
    statement(StmtKind::Expr(e), loc)
}

fn specifiers(ty: TypeSpecifier, loc: Loc) -> Specifiers {
    Specifiers {
        storage: None,
        thread_local: false,
        inline: false,
        noreturn: false,
        ty,
        qualifiers: Qualifiers::default(),
        alignments: Vec::new(),
        attributes: Vec::new(),
        loc,
    }
}

fn declaration(ty: TypeSpecifier, name: Symbol, initializer: Option<Initializer>, loc: Loc) -> Declaration {
    let declarator = Declarator { name: Some(name), derivations: Vec::new(), attributes: Vec::new(), loc };
    let declarators = vec![InitDeclarator { declarator, initializer, asm_label: None }];
    Declaration { specifiers: specifiers(ty, loc), declarators, loc }
}
