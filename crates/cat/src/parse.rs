//! From tokens to a tree. Precedence, from loose to tight: `|`, `;`, `\`, `&`, infix `*`, prefix `~`, the postfix
//! operators.

use norn_ir::diag::Diagnostic;
use norn_ir::number::narrow;
use norn_ir::source::Loc;

use crate::token::{Kind, Token, tokens};
use crate::tree::{Binary, Binding, Expr, ExprKind, File, Statement, Test, Unary};

/// Deeper expressions are refused.
const MAX_DEPTH: u32 = 100;
/// So are longer chains of operators, which become trees that are as deep.
const MAX_OPERATORS: u32 = 1000;
/// More definitions and checks than any model has.
const MAX_STATEMENTS: usize = 4000;

const KEYWORDS: [&str; 16] = [
    "let",
    "rec",
    "and",
    "in",
    "as",
    "acyclic",
    "irreflexive",
    "empty",
    "flag",
    "show",
    "unshow",
    "include",
    "with",
    "from",
    "try",
    "undefined_unless",
];
/// Of the language, but of no use to the models that are read here.
const REFUSED: [&str; 13] = [
    "match",
    "forall",
    "do",
    "procedure",
    "call",
    "fun",
    "enum",
    "instructions",
    "events",
    "if",
    "then",
    "else",
    "end",
];

pub(crate) fn parse(text: &str, base: Loc) -> Result<File, Diagnostic> {
    let tokens = tokens(text, base)?;
    let mut parser = Parser { tokens: &tokens, next: 0, depth: 0, operators: 0 };
    let mut file = File::default();
    if parser.peek().kind == Kind::Quoted {
        file.title = Some(parser.bump().text.to_owned());
    } else if parser.peek().kind == Kind::Name && !is_reserved(parser.peek().text) {
        // A title without quotes.
        file.title = Some(parser.bump().text.to_owned());
    }
    while parser.peek().kind != Kind::End {
        if let Some(statement) = parser.statement()? {
            file.statements.push(statement);
        }
        if file.statements.len() > MAX_STATEMENTS {
            let message = format!("a model of more than {MAX_STATEMENTS} statements cannot be read");
            return Err(error(parser.peek(), message));
        }
        parser.operators = 0;
    }
    Ok(file)
}

fn is_reserved(text: &str) -> bool {
    KEYWORDS.contains(&text) || REFUSED.contains(&text)
}

struct Parser<'t, 'a> {
    tokens: &'t [Token<'a>],
    next: usize,
    depth: u32,
    /// Of the statement at hand.
    operators: u32,
}

impl<'a> Parser<'_, 'a> {
    fn peek(&self) -> Token<'a> {
        self.peek_at(0)
    }

    fn peek_at(&self, ahead: usize) -> Token<'a> {
        self.tokens[(self.next + ahead).min(self.tokens.len() - 1)]
    }

    fn bump(&mut self) -> Token<'a> {
        let token = self.peek();
        self.next = (self.next + 1).min(self.tokens.len() - 1);
        token
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.peek().is(text);
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, text: &str, place: &str) -> Result<(), Diagnostic> {
        if self.eat(text) { Ok(()) } else { Err(self.unexpected(&format!("'{text}' {place}"))) }
    }

    fn operator(&mut self) -> Result<Token<'a>, Diagnostic> {
        self.operators += 1;
        if self.operators > MAX_OPERATORS {
            return Err(error(
                self.peek(),
                format!("a definition of more than {MAX_OPERATORS} operators cannot be read"),
            ));
        }
        Ok(self.bump())
    }

    fn unexpected(&self, wanted: &str) -> Diagnostic {
        let token = self.peek();
        if token.kind == Kind::Name && REFUSED.contains(&token.text) {
            let message = format!("'{}' is a part of the language that is not supported", token.text);
            return error(token, message).help("sets, relations, functions, 'let rec' and checks are");
        }
        match token.kind {
            Kind::End => error(token, format!("the model ends where {wanted} should stand")),
            Kind::Quoted => error(token, format!("expected {wanted}, found a text in quotes")),
            _ => error(token, format!("expected {wanted}, found '{}'", token.text)),
        }
    }

    fn name(&mut self, what: &str) -> Result<Token<'a>, Diagnostic> {
        let token = self.peek();
        if token.kind == Kind::Name && !is_reserved(token.text) && token.text != "_" {
            return Ok(self.bump());
        }
        Err(self.unexpected(what))
    }

    fn statement(&mut self) -> Result<Option<Statement>, Diagnostic> {
        let token = self.peek();
        match token.text {
            _ if token.kind == Kind::Quoted => Err(self.unexpected("'let', 'include' or a check")),
            "let" => {
                self.bump();
                let recursive = self.eat("rec");
                let bindings = self.bindings()?;
                Ok(Some(Statement::Let { recursive, bindings, loc: token.loc }))
            }
            "include" => {
                self.bump();
                let file = self.peek();
                if file.kind != Kind::Quoted {
                    return Err(self.unexpected("the name of a file in quotes"));
                }
                self.bump();
                Ok(Some(Statement::Include { name: file.text.to_owned(), loc: file.loc }))
            }
            "show" | "unshow" => self.show().map(|()| None),
            "with" => self.orders().map(|()| None),
            "flag" | "undefined_unless" | "~" | "acyclic" | "irreflexive" | "empty" => self.check().map(Some),
            _ => Err(self.unexpected("'let', 'include' or a check")),
        }
    }

    fn check(&mut self) -> Result<Statement, Diagnostic> {
        let first = self.peek();
        // What makes the behaviour undefined forbids nothing.
        let is_condition = self.eat("undefined_unless");
        let flag = is_condition || self.eat("flag");
        let negated = self.eat("~") != is_condition;
        let test = match self.peek().text {
            "acyclic" => Test::Acyclic,
            "irreflexive" => Test::Irreflexive,
            "empty" => Test::Empty,
            _ => return Err(self.unexpected("'acyclic', 'irreflexive' or 'empty'")),
        };
        self.bump();
        let body = self.expr()?;
        let name = if self.eat("as") { Some(self.name("the name of the check")?.text.to_owned()) } else { None };
        if flag && !is_condition && name.is_none() {
            return Err(error(first, "a flag needs a name: 'flag … as name'"));
        }
        Ok(Statement::Check { test, negated, flag, body, name, loc: first.loc })
    }

    /// What to draw in pictures says nothing about executions.
    fn show(&mut self) -> Result<(), Diagnostic> {
        self.bump();
        loop {
            self.expr()?;
            if self.eat("as") {
                self.name("the name to show")?;
            }
            if !self.eat(",") {
                return Ok(());
            }
        }
    }

    /// `with co from …`: all coherence orders are tried without being asked to.
    fn orders(&mut self) -> Result<(), Diagnostic> {
        self.bump();
        if !self.eat("co") {
            return Err(self.unexpected("'co'").help("only the coherence order is chosen"));
        }
        self.expect("from", "after the name of the order")?;
        self.expr().map(drop)
    }

    fn bindings(&mut self) -> Result<Vec<Binding>, Diagnostic> {
        let mut bindings = Vec::new();
        loop {
            let name = self.name("the name of what is defined")?;
            let mut parameters = None;
            if self.peek().is("(") {
                self.bump();
                let mut names = Vec::new();
                while !self.eat(")") {
                    names.push(self.name("the name of a parameter")?.text.to_owned());
                    if !self.peek().is(")") {
                        self.expect(",", "between parameters")?;
                    }
                }
                parameters = Some(names);
            } else if self.peek().kind == Kind::Name {
                parameters = Some(vec![self.name("'=' or the name of a parameter")?.text.to_owned()]);
            }
            self.expect("=", "after the name of what is defined")?;
            let body = self.expr()?;
            bindings.push(Binding { name: name.text.to_owned(), parameters, body, loc: name.loc });
            if !self.eat("and") {
                return Ok(bindings);
            }
        }
    }

    fn expr(&mut self) -> Result<Expr, Diagnostic> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let message = format!("the expression is nested more than {MAX_DEPTH} levels deep");
            return Err(error(self.peek(), message));
        }
        let found = if self.peek().is("let") {
            self.local()
        } else if self.peek().is("try") {
            self.attempt()
        } else {
            self.binary(0)
        };
        self.depth -= 1;
        found
    }

    fn local(&mut self) -> Result<Expr, Diagnostic> {
        let token = self.bump();
        if self.peek().is("rec") {
            return Err(error(self.peek(), "recursion is supported at the top level only"));
        }
        let bindings = self.bindings()?;
        self.expect("in", "after a local definition")?;
        let body = self.expr()?;
        Ok(Expr { kind: ExprKind::Let(bindings, Box::new(body)), loc: token.loc })
    }

    /// `try fencerel(MFENCE) with 0`
    fn attempt(&mut self) -> Result<Expr, Diagnostic> {
        let token = self.bump();
        let first = self.expr()?;
        self.expect("with", "between what is tried and what stands for it")?;
        let second = self.expr()?;
        Ok(Expr { kind: ExprKind::Try(Box::new(first), Box::new(second)), loc: token.loc })
    }

    fn binary(&mut self, level: usize) -> Result<Expr, Diagnostic> {
        const LEVELS: [(&str, Binary); 5] = [
            ("|", Binary::Union),
            (";", Binary::Compose),
            ("\\", Binary::Difference),
            ("&", Binary::Intersection),
            ("*", Binary::Product),
        ];
        let Some(&(sign, op)) = LEVELS.get(level) else { return self.postfix() };
        let mut lhs = self.binary(level + 1)?;
        while self.peek().is(sign) {
            let loc = self.operator()?.loc;
            let rhs = self.binary(level + 1)?;
            lhs = Expr { kind: ExprKind::Binary(op, Box::new(lhs), Box::new(rhs)), loc };
        }
        Ok(lhs)
    }

    fn postfix(&mut self) -> Result<Expr, Diagnostic> {
        let mut inner = self.prefix()?;
        loop {
            let token = self.peek();
            let op = match token.text {
                _ if token.kind != Kind::Punct => return Ok(inner),
                "^-1" => Unary::Inverse,
                "+" | "^+" => Unary::Closure,
                "^*" => Unary::ReflexiveClosure,
                "*" if !self.begins_operand(1) => Unary::ReflexiveClosure,
                "?" | "^?" => Unary::Reflexive,
                _ => return Ok(inner),
            };
            self.operator()?;
            inner = Expr { kind: ExprKind::Unary(op, Box::new(inner)), loc: token.loc };
        }
    }

    fn begins_operand(&self, ahead: usize) -> bool {
        let token = self.peek_at(ahead);
        match token.kind {
            Kind::Name => !is_reserved(token.text),
            Kind::Tag => true,
            Kind::Punct => ["(", "[", "{", "0"].contains(&token.text) || token.is("~") && !self.begins_check(ahead + 1),
            Kind::Quoted | Kind::End => false,
        }
    }

    fn begins_check(&self, ahead: usize) -> bool {
        ["acyclic", "irreflexive", "empty"].iter().any(|&word| self.peek_at(ahead).is(word))
    }

    fn prefix(&mut self) -> Result<Expr, Diagnostic> {
        let token = self.peek();
        if !self.eat("~") {
            return self.primary();
        }
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(error(token, format!("the expression is nested more than {MAX_DEPTH} levels deep")));
        }
        let inner = self.prefix()?;
        self.depth -= 1;
        Ok(Expr { kind: ExprKind::Unary(Unary::Complement, Box::new(inner)), loc: token.loc })
    }

    fn primary(&mut self) -> Result<Expr, Diagnostic> {
        let token = self.peek();
        let kind = match (token.kind, token.text) {
            (Kind::Punct, "(") => {
                self.bump();
                let inner = self.expr()?;
                self.expect(")", "to close the parenthesis")?;
                return Ok(inner);
            }
            (Kind::Punct, "[") => {
                self.bump();
                let inner = self.expr()?;
                self.expect("]", "after the set")?;
                ExprKind::Unary(Unary::Identity, Box::new(inner))
            }
            (Kind::Punct, "{") => {
                self.bump();
                self.expect("}", "since only the empty set is written like this")?;
                ExprKind::Empty
            }
            (Kind::Punct, "0") => {
                self.bump();
                ExprKind::Empty
            }
            (Kind::Tag, name) => {
                let message = format!("the tag '{name} can only be used where tags are declared");
                return Err(error(token, message).help("events with a tag are the set of that name"));
            }
            (Kind::Name, name) if !is_reserved(name) => {
                self.bump();
                return self.application(token);
            }
            _ => return Err(self.unexpected("a set or a relation")),
        };
        Ok(Expr { kind, loc: token.loc })
    }

    fn application(&mut self, function: Token<'a>) -> Result<Expr, Diagnostic> {
        let name = function.text.to_owned();
        let mut arguments = Vec::new();
        let next = self.peek();
        if self.eat("(") {
            while !self.eat(")") {
                arguments.push(self.expr()?);
                if !self.peek().is(")") {
                    self.expect(",", "or ')' after the argument")?;
                }
            }
        } else if next.kind == Kind::Name && !is_reserved(next.text) {
            self.bump();
            arguments.push(Expr { kind: ExprKind::Name(next.text.to_owned()), loc: next.loc });
        } else {
            return Ok(Expr { kind: ExprKind::Name(name), loc: function.loc });
        }
        Ok(Expr { kind: ExprKind::Apply(name, arguments), loc: function.loc })
    }
}

fn error(token: Token<'_>, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(token.loc, message).covering(narrow(token.text.len()))
}
