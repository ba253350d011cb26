//! The checker: resolves names, finds the type of every expression and puts functions in place.
//!
//! Recursion is monotone: what is being defined occurs neither below `~` nor on the right of `\`. So the least
//! fixpoint exists, and it is reached after finitely many rounds. A function can use only what stands before it, so
//! none calls itself; equal calls are compiled once, and the number of nodes and calls is limited.

use std::collections::HashMap;
use std::rc::Rc;

use norn_ir::diag::Diagnostic;
use norn_ir::number::narrow;
use norn_ir::source::Loc;

use crate::model::{Check, FROM_READS, Group, Model, Node, NodeInfo, Op, RELATIONS, Stage, Type};
use crate::tree::{Binary, Binding, Expr, ExprKind, Statement, Unary};

const MAX_NODES: usize = 20_000;
const MAX_CALLS: usize = 20_000;

/// The sets of events that a model may name: these, and `_`.
#[derive(Clone, Copy, Debug)]
pub struct Vocabulary<'v> {
    pub sets: &'v [&'v str],
}

/// What a name stands for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Term {
    Node(Node),
    /// `0`: a set or a relation, as it is needed.
    Empty,
    Function(usize),
}

struct Function {
    parameters: Vec<String>,
    body: Rc<Expr>,
    scope: Scope,
}

#[derive(Clone, Default)]
struct Scope(Option<Rc<Entry>>);

struct Entry {
    name: String,
    term: Term,
    outer: Scope,
}

impl Scope {
    fn with(&self, name: &str, term: Term) -> Scope {
        Scope(Some(Rc::new(Entry { name: name.to_owned(), term, outer: self.clone() })))
    }

    fn find(&self, name: &str) -> Option<&Term> {
        let mut scope = self;
        while let Some(entry) = &scope.0 {
            if entry.name == name {
                return Some(&entry.term);
            }
            scope = &entry.outer;
        }
        None
    }
}

const FUNCTIONS: [&str; 5] = ["domain", "range", "fencerel", "ctrlcfence", "toid"];

pub(crate) struct Compiler<'v> {
    vocabulary: Vocabulary<'v>,
    model: Model,
    known: HashMap<Op, Node>,
    functions: Vec<Function>,
    calls: HashMap<(usize, Vec<Term>), Term>,
    calls_made: usize,
    scope: Scope,
}

type Compiled<T> = Result<T, Diagnostic>;

impl<'v> Compiler<'v> {
    pub fn new(vocabulary: Vocabulary<'v>) -> Compiler<'v> {
        Compiler {
            vocabulary,
            model: Model {
                title: String::new(),
                builtin: None,
                checks: Vec::new(),
                nodes: Vec::new(),
                groups: Vec::new(),
            },
            known: HashMap::new(),
            functions: Vec::new(),
            calls: HashMap::new(),
            calls_made: 0,
            scope: Scope::default(),
        }
    }

    pub fn finish(mut self, title: String) -> Model {
        self.model.title = title;
        let mut pending: Vec<Node> = self.model.checks.iter().map(|check| check.node).collect();
        while let Some(node) = pending.pop() {
            let info = &mut self.model.nodes[node.index()];
            if std::mem::replace(&mut info.needed, true) {
                continue;
            }
            match info.op {
                Op::Unary(_, inner) | Op::Domain(inner) | Op::Range(inner) => pending.push(inner),
                Op::Binary(_, lhs, rhs) => pending.extend([lhs, rhs]),
                Op::Fix { group, .. } => pending.extend(&self.model.groups[group].bodies),
                _ => {}
            }
        }
        self.model
    }

    /// An include is no statement of this kind: whoever reads the files puts what it includes in its place.
    pub fn statement(&mut self, statement: &Statement) -> Compiled<()> {
        match statement {
            Statement::Let { recursive: false, bindings, .. } => {
                self.scope = self.bind(&self.scope.clone(), bindings)?;
            }
            Statement::Let { recursive: true, bindings, loc } => self.recursion(bindings, *loc)?,
            Statement::Check { test, negated, flag, body, name, loc } => {
                let term = self.expr(body, &self.scope.clone())?;
                let node = match term {
                    Term::Node(node) => node,
                    Term::Empty => self.make(Op::EmptyRelation, body.loc)?,
                    Term::Function(_) => return Err(wrong(body.loc, "a check is about a relation, not a function")),
                };
                if *test != crate::tree::Test::Empty && self.ty(node) == Type::Set {
                    return Err(wrong(body.loc, "this is a set of events; only 'empty' can be asked of one"));
                }
                let name = name.clone().unwrap_or_default();
                let stage = self.model.node(node).stage;
                let (test, negated, flag) = (*test, *negated, *flag);
                self.model.checks.push(Check { name, test, negated, flag, stage, loc: *loc, node });
            }
            Statement::Include { .. } => {}
        }
        Ok(())
    }

    /// The scope with the bindings, none of which sees the others.
    fn bind(&mut self, scope: &Scope, bindings: &[Binding]) -> Compiled<Scope> {
        let mut extended = scope.clone();
        for binding in bindings {
            let term = match &binding.parameters {
                None => self.expr(&binding.body, scope)?,
                Some(parameters) => {
                    let mut inner = scope.clone();
                    for (index, name) in parameters.iter().enumerate() {
                        if parameters[..index].contains(name) {
                            return Err(wrong(binding.loc, format!("'{name}' is a parameter twice")));
                        }
                        inner = inner.with(name, Term::Empty);
                    }
                    self.names(&binding.body, &inner)?;
                    let (parameters, body) = (parameters.clone(), Rc::new(binding.body.clone()));
                    self.functions.push(Function { parameters, body, scope: scope.clone() });
                    Term::Function(self.functions.len() - 1)
                }
            };
            extended = extended.with(&binding.name, term);
        }
        Ok(extended)
    }

    /// Complains of names that nobody knows, in the body of a function that may never be called.
    fn names(&self, expr: &Expr, scope: &Scope) -> Compiled<()> {
        match &expr.kind {
            ExprKind::Empty => Ok(()),
            ExprKind::Name(name) if scope.find(name).is_some() || self.is_base(name) => Ok(()),
            ExprKind::Name(name) => Err(self.unknown(name, expr.loc)),
            ExprKind::Unary(_, inner) => self.names(inner, scope),
            ExprKind::Binary(_, lhs, rhs) => {
                self.names(lhs, scope)?;
                self.names(rhs, scope)
            }
            ExprKind::Apply(name, arguments) => {
                if scope.find(name).is_none() && !FUNCTIONS.contains(&name.as_str()) {
                    return Err(self.unknown(name, expr.loc));
                }
                arguments.iter().try_for_each(|argument| self.names(argument, scope))
            }
            ExprKind::Try(_, second) => self.names(second, scope),
            ExprKind::Let(bindings, body) => {
                let mut inner = scope.clone();
                for binding in bindings {
                    let parameters = binding.parameters.iter().flatten();
                    let with = parameters.fold(scope.clone(), |scope, name| scope.with(name, Term::Empty));
                    self.names(&binding.body, &with)?;
                    inner = inner.with(&binding.name, Term::Empty);
                }
                self.names(body, &inner)
            }
        }
    }

    fn recursion(&mut self, bindings: &[Binding], loc: Loc) -> Compiled<()> {
        let group = self.model.groups.len();
        self.model.groups.push(Group::default());
        let first = self.model.nodes.len();
        let mut inner = self.scope.clone();
        for (index, binding) in bindings.iter().enumerate() {
            if binding.parameters.is_some() {
                let message = format!("the function '{}' may not be recursive", binding.name);
                return Err(wrong(binding.loc, message).help("relations may"));
            }
            let variable = self.make(Op::Variable { group, index }, loc)?;
            self.model.groups[group].variables.push(variable);
            inner = inner.with(&binding.name, Term::Node(variable));
        }
        for binding in bindings {
            let body = self.expr(&binding.body, &inner)?;
            let body = self.as_relation(body, binding.body.loc)?;
            self.model.groups[group].bodies.push(body);
        }
        let is_inner = |&node: &Node| self.model.node(node).inside == Some(group);
        let nodes = (first..self.model.nodes.len()).map(Node::new).filter(is_inner).collect();
        self.model.groups[group].inner = nodes;
        for (index, binding) in bindings.iter().enumerate() {
            let fix = self.make(Op::Fix { group, index }, loc)?;
            self.scope = self.scope.with(&binding.name, Term::Node(fix));
        }
        Ok(())
    }

    fn is_base(&self, name: &str) -> bool {
        name == "_"
            || RELATIONS.iter().any(|(relation, _)| *relation == name)
            || FROM_READS.contains(&name)
            || self.vocabulary.sets.contains(&name)
    }

    fn unknown(&self, name: &str, loc: Loc) -> Diagnostic {
        let help = "there are the definitions before this, relations such as po, rf, co and addr, and sets of events such \
                    as W, R and F";
        Diagnostic::error(loc, format!("'{name}' is not defined")).covering(narrow(name.len())).help(help)
    }

    fn expr(&mut self, expr: &Expr, scope: &Scope) -> Compiled<Term> {
        let loc = expr.loc;
        let node = match &expr.kind {
            ExprKind::Empty => return Ok(Term::Empty),
            ExprKind::Name(name) => match scope.find(name) {
                Some(term) => return Ok(term.clone()),
                None => self.base(name, loc)?,
            },
            ExprKind::Unary(Unary::Complement, inner) => match self.expr(inner, scope)? {
                Term::Empty => return Err(wrong(loc, "this could be a set or a relation; write '_' or '_ * _'")),
                term => {
                    let inner = self.as_node(&term, inner.loc)?;
                    self.make(Op::Unary(Unary::Complement, inner), loc)?
                }
            },
            ExprKind::Unary(Unary::Identity, inner) => {
                let term = self.expr(inner, scope)?;
                let set = self.as_set(term, inner.loc)?;
                self.make(Op::Unary(Unary::Identity, set), loc)?
            }
            ExprKind::Unary(op, inner) => {
                let term = self.expr(inner, scope)?;
                let relation = self.as_relation(term, inner.loc)?;
                self.make(Op::Unary(*op, relation), loc)?
            }
            ExprKind::Binary(op, lhs, rhs) => {
                let (left, right) = (self.expr(lhs, scope)?, self.expr(rhs, scope)?);
                return self.binary(*op, (left, lhs.loc), (right, rhs.loc), loc);
            }
            ExprKind::Apply(name, arguments) => {
                let mut terms = Vec::new();
                for argument in arguments {
                    terms.push((self.expr(argument, scope)?, argument.loc));
                }
                return self.apply(name, terms, scope, loc);
            }
            ExprKind::Try(first, second) => {
                let chosen = if self.names(first, scope).is_ok() { first } else { second };
                return self.expr(chosen, scope);
            }
            ExprKind::Let(bindings, body) => {
                let inner = self.bind(scope, bindings)?;
                return self.expr(body, &inner);
            }
        };
        Ok(Term::Node(node))
    }

    fn base(&mut self, name: &str, loc: Loc) -> Compiled<Node> {
        if name == "_" {
            return self.make(Op::AllEvents, loc);
        }
        if !self.is_base(name) {
            return Err(self.unknown(name, loc));
        }
        let is_set = self.vocabulary.sets.contains(&name);
        self.make(if is_set { Op::Set(name.to_owned()) } else { Op::Relation(name.to_owned()) }, loc)
    }

    fn binary(&mut self, op: Binary, lhs: (Term, Loc), rhs: (Term, Loc), loc: Loc) -> Compiled<Term> {
        let (left, right) = match op {
            Binary::Compose => (self.as_relation(lhs.0, lhs.1)?, self.as_relation(rhs.0, rhs.1)?),
            Binary::Product => (self.as_set(lhs.0, lhs.1)?, self.as_set(rhs.0, rhs.1)?),
            Binary::Union | Binary::Intersection | Binary::Difference => match (&lhs.0, &rhs.0) {
                (Term::Empty, Term::Empty) => return Ok(Term::Empty),
                (Term::Empty, other) | (other, Term::Empty) if op == Binary::Union => {
                    return self.as_node(other, loc).map(Term::Node);
                }
                (Term::Empty, _) => return Ok(Term::Empty),
                (other, Term::Empty) if op == Binary::Difference => return self.as_node(other, loc).map(Term::Node),
                (_, Term::Empty) => return Ok(Term::Empty),
                (left, right) => (self.as_node(left, lhs.1)?, self.as_node(right, rhs.1)?),
            },
        };
        if op != Binary::Compose && op != Binary::Product && self.ty(left) != self.ty(right) {
            return Err(wrong(loc, "one side is a set of events and the other a relation")
                .help("'[S]' is the relation of each member of S with itself, 'S * S' that of any two members"));
        }
        self.make(Op::Binary(op, left, right), loc).map(Term::Node)
    }

    fn apply(&mut self, name: &str, arguments: Vec<(Term, Loc)>, scope: &Scope, loc: Loc) -> Compiled<Term> {
        let count = |wanted: usize, given: usize| {
            if wanted == given {
                return Ok(());
            }
            let things = if wanted == 1 { "one argument".to_owned() } else { format!("{wanted} arguments") };
            Err(wrong(loc, format!("'{name}' has {things}, not {given}")))
        };
        match scope.find(name) {
            Some(&Term::Function(index)) => {
                count(self.functions[index].parameters.len(), arguments.len())?;
                let terms: Vec<Term> = arguments.into_iter().map(|(term, _)| term).collect();
                let call = (index, terms);
                if let Some(known) = self.calls.get(&call) {
                    return Ok(known.clone());
                }
                self.calls_made += 1;
                if self.calls_made > MAX_CALLS {
                    return Err(wrong(loc, format!("the model makes more than {MAX_CALLS} calls")));
                }
                let function = &self.functions[index];
                let body = Rc::clone(&function.body);
                let named = function.parameters.iter().zip(&call.1);
                let inner = named.fold(function.scope.clone(), |scope, (name, term)| scope.with(name, term.clone()));
                let result = self.expr(&body, &inner)?;
                self.calls.insert(call, result.clone());
                return Ok(result);
            }
            Some(_) => return Err(wrong(loc, format!("'{name}' is not a function"))),
            None if !FUNCTIONS.contains(&name) => {
                let what = if self.is_base(name) { "is not a function" } else { "is not defined" };
                return Err(wrong(loc, format!("'{name}' {what}")));
            }
            None => count(1, arguments.len())?,
        }
        let Some((term, at)) = arguments.into_iter().next() else { return Err(wrong(loc, "an argument is missing")) };
        let node = match name {
            "domain" => {
                let relation = self.as_relation(term, at)?;
                self.make(Op::Domain(relation), loc)?
            }
            "range" => {
                let relation = self.as_relation(term, at)?;
                self.make(Op::Range(relation), loc)?
            }
            "toid" => {
                let set = self.as_set(term, at)?;
                self.make(Op::Unary(Unary::Identity, set), loc)?
            }
            // `fencerel(B)` is `po ; [B] ; po`, `ctrlcfence(B)` is `ctrl ; [B] ; po`.
            _ => {
                let set = self.as_set(term, at)?;
                let fences = self.make(Op::Unary(Unary::Identity, set), loc)?;
                let po = self.make(Op::Relation("po".to_owned()), loc)?;
                let first = if name == "fencerel" { po } else { self.make(Op::Relation("ctrl".to_owned()), loc)? };
                let before = self.make(Op::Binary(Binary::Compose, first, fences), loc)?;
                self.make(Op::Binary(Binary::Compose, before, po), loc)?
            }
        };
        Ok(Term::Node(node))
    }

    fn ty(&self, node: Node) -> Type {
        self.model.node(node).ty
    }

    fn as_node(&mut self, term: &Term, loc: Loc) -> Compiled<Node> {
        match term {
            Term::Node(node) => Ok(*node),
            Term::Empty => self.make(Op::EmptyRelation, loc),
            Term::Function(_) => Err(wrong(loc, "this is a function; it needs its arguments in parentheses")),
        }
    }

    fn as_set(&mut self, term: Term, loc: Loc) -> Compiled<Node> {
        let node = if term == Term::Empty { self.make(Op::EmptySet, loc)? } else { self.as_node(&term, loc)? };
        if self.ty(node) == Type::Set {
            Ok(node)
        } else {
            Err(wrong(loc, "a set of events should stand here, this is a relation"))
        }
    }

    fn as_relation(&mut self, term: Term, loc: Loc) -> Compiled<Node> {
        let node = self.as_node(&term, loc)?;
        if self.ty(node) == Type::Relation {
            return Ok(node);
        }
        Err(wrong(loc, "a relation should stand here, this is a set of events").help("'[S]' makes a relation of a set"))
    }

    fn make(&mut self, op: Op, loc: Loc) -> Compiled<Node> {
        if let Some(&node) = self.known.get(&op) {
            return Ok(node);
        }
        if self.model.nodes.len() >= MAX_NODES {
            return Err(wrong(loc, format!("the model comes to more than {MAX_NODES} operations")));
        }
        let info = self.info(&op);
        if info.inside.is_some() {
            let shrinks = match op {
                Op::Unary(Unary::Complement, _) => true,
                Op::Binary(Binary::Difference, _, rhs) => self.model.node(rhs).inside.is_some(),
                _ => false,
            };
            if shrinks {
                let message = "the recursion is not monotone: what is being defined is complemented here";
                return Err(wrong(loc, message).help("it may stand neither below '~' nor on the right of '\\'"));
            }
        }
        self.model.nodes.push(info);
        let node = Node::new(self.model.nodes.len() - 1);
        self.known.insert(op, node);
        Ok(node)
    }

    fn info(&self, op: &Op) -> NodeInfo {
        let of = |node: &Node| self.model.node(*node);
        let (ty, stage, inside) = match op {
            Op::Set(_) | Op::EmptySet | Op::AllEvents => (Type::Set, Stage::Events, None),
            Op::EmptyRelation => (Type::Relation, Stage::Events, None),
            Op::Relation(name) => {
                let known = RELATIONS.iter().find(|(relation, _)| relation == name);
                (Type::Relation, known.map_or(Stage::Coherence, |&(_, stage)| stage), None)
            }
            Op::Unary(Unary::Complement, inner) => (of(inner).ty, of(inner).stage, of(inner).inside),
            Op::Unary(_, inner) => (Type::Relation, of(inner).stage, of(inner).inside),
            Op::Domain(inner) | Op::Range(inner) => (Type::Set, of(inner).stage, of(inner).inside),
            Op::Binary(op, lhs, rhs) => {
                let ty = if *op == Binary::Product { Type::Relation } else { of(lhs).ty };
                (ty, of(lhs).stage.max(of(rhs).stage), of(lhs).inside.or(of(rhs).inside))
            }
            Op::Variable { group, .. } => (Type::Relation, Stage::Events, Some(*group)),
            Op::Fix { group, .. } => {
                let bodies = self.model.groups[*group].bodies.iter();
                let stage = bodies.map(|body| of(body).stage).max().unwrap_or(Stage::Events);
                (Type::Relation, stage, None)
            }
        };
        NodeInfo { op: op.clone(), ty, stage, inside, needed: false }
    }
}

fn wrong(loc: Loc, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(loc, message)
}
