//! The parser of the threads of a C litmus test: declarations, assignments, `if`, loops, calls of known functions.

use super::ast::{Expr, ExprKind, Param, Stmt, StmtKind, Thread};
use crate::condition;
use crate::ctype::{self, CType};
use crate::state::State;
use crate::token::{Cursor, MAX_DEPTH, Parsed, Token, TokenKind, number};

/// Reads `P0 (…) { … } P1 (…) { … } …` up to the condition.
pub(crate) fn threads<'a>(cursor: &mut Cursor<'_, 'a>, state: &mut State<'a>) -> Parsed<Vec<Thread<'a>>> {
    let mut threads = Vec::new();
    cursor.eat(";");
    while !condition::begins(cursor) && !cursor.at_end() {
        if cursor.eat_word("void") || cursor.eat_word("static") {
            cursor.eat("*");
            continue;
        }
        let name = cursor.peek();
        if name.text != format!("P{}", threads.len()) {
            let message = format!("expected thread 'P{}' or the final condition, found '{}'", threads.len(), name.text);
            return Err(cursor.file.error_at(name, message).help("threads are numbered from P0 without gaps"));
        }
        cursor.bump();
        threads.push(Parser { cursor }.thread(name)?);
    }
    if threads.is_empty() {
        return Err(cursor.unexpected("the first thread 'P0'"));
    }
    for param in threads.iter().flat_map(|thread: &Thread<'_>| &thread.params) {
        let id = state.mention(param.name);
        let location = &mut state.locations[id.index()];
        if location.declared.is_none() {
            location.declared = param.ty.target();
        }
    }
    Ok(threads)
}

struct Parser<'r, 't, 'a> {
    cursor: &'r mut Cursor<'t, 'a>,
}

impl<'a> Parser<'_, '_, 'a> {
    fn thread(&mut self, token: Token<'a>) -> Parsed<Thread<'a>> {
        self.cursor.expect("(", "after the name of the thread")?;
        let mut params = Vec::new();
        while !self.cursor.eat(")") {
            if self.cursor.peek().is_word("void") && self.cursor.peek_at(1).is(")") {
                self.cursor.bump();
                continue;
            }
            let start = self.cursor.peek();
            let Some(ty) = ctype::parse(self.cursor)? else {
                return Err(self.cursor.unexpected("the type of a parameter"));
            };
            if !ty.is_pointer() {
                let message = "a parameter of a thread is a pointer to a location";
                return Err(self.cursor.file.error_at(start, message).help("such as 'int *x' or 'atomic_int *x'"));
            }
            let name = self.cursor.word("the name of a location")?;
            params.push(Param { ty, name });
            if !self.cursor.peek().is(")") {
                self.cursor.expect(",", "between parameters")?;
            }
        }
        self.cursor.expect("{", "before the thread's code")?;
        let body = self.block(0)?;
        Ok(Thread { token, params, body })
    }

    fn limit(&self, depth: u32) -> Parsed<()> {
        if depth < MAX_DEPTH {
            return Ok(());
        }
        let message = format!("the code is nested more than {MAX_DEPTH} levels deep");
        Err(self.cursor.file.unsupported_at(self.cursor.peek(), message))
    }

    /// Statements up to the closing brace.
    fn block(&mut self, depth: u32) -> Parsed<Vec<Stmt<'a>>> {
        self.limit(depth)?;
        let mut found = Vec::new();
        while !self.cursor.eat("}") {
            if self.cursor.at_end() {
                return Err(self.cursor.unexpected("the '}' that closes the code"));
            }
            self.statement(depth, &mut found)?;
        }
        Ok(found)
    }

    fn nested(&mut self, depth: u32) -> Parsed<Vec<Stmt<'a>>> {
        self.limit(depth)?;
        let mut found = Vec::new();
        self.statement(depth + 1, &mut found)?;
        Ok(found)
    }

    fn statement(&mut self, depth: u32, out: &mut Vec<Stmt<'a>>) -> Parsed<()> {
        self.limit(depth)?;
        let token = self.cursor.peek();
        if self.cursor.eat(";") {
            return Ok(());
        }
        if self.cursor.eat("{") {
            out.extend(self.block(depth + 1)?);
            return Ok(());
        }
        let kind = match token.text {
            "if" => {
                self.cursor.bump();
                let cond = self.parenthesised()?;
                let then = self.nested(depth)?;
                let otherwise = if self.cursor.eat_word("else") { self.nested(depth)? } else { Vec::new() };
                StmtKind::If { cond, then, otherwise }
            }
            "while" => {
                self.cursor.bump();
                let cond = self.parenthesised()?;
                let body = self.nested(depth)?;
                StmtKind::While { cond, body }
            }
            "do" => {
                self.cursor.bump();
                let body = self.nested(depth)?;
                if !self.cursor.eat_word("while") {
                    return Err(self.cursor.unexpected("'while' after the body of 'do'"));
                }
                let cond = self.parenthesised()?;
                self.end()?;
                StmtKind::DoWhile { body, cond }
            }
            "for" => return self.for_loop(depth, out),
            "break" | "continue" | "return" => {
                self.cursor.bump();
                self.end()?;
                match token.text {
                    "break" => StmtKind::Break,
                    "continue" => StmtKind::Continue,
                    _ => StmtKind::Return,
                }
            }
            "goto" | "switch" => {
                return Err(self.cursor.file.unsupported_at(token, format!("'{}' is not supported", token.text)));
            }
            _ => {
                self.simple(out)?;
                return self.end();
            }
        };
        out.push(Stmt { kind, token });
        Ok(())
    }

    /// `for` as the `while` that it stands for.
    fn for_loop(&mut self, depth: u32, out: &mut Vec<Stmt<'a>>) -> Parsed<()> {
        let token = self.cursor.bump();
        self.cursor.expect("(", "after 'for'")?;
        if !self.cursor.peek().is(";") {
            self.simple(out)?;
        }
        self.end()?;
        let cond = if self.cursor.peek().is(";") {
            Expr { kind: ExprKind::Number(1), token, depth: 0 }
        } else {
            self.expression(0)?
        };
        self.end()?;
        let mut step = Vec::new();
        if !self.cursor.peek().is(")") {
            self.simple(&mut step)?;
        }
        self.cursor.expect(")", "after the head of the loop")?;
        let mut body = self.nested(depth)?;
        if let Some(place) = first_continue(&body) {
            return Err(self.cursor.file.unsupported_at(place, "'continue' in a 'for' loop is not supported"));
        }
        body.extend(step);
        out.push(Stmt { kind: StmtKind::While { cond, body }, token });
        Ok(())
    }

    fn end(&mut self) -> Parsed<()> {
        self.cursor.expect(";", "at the end of the statement").map(drop)
    }

    fn parenthesised(&mut self) -> Parsed<Expr<'a>> {
        self.cursor.expect("(", "before the condition")?;
        let cond = self.expression(0)?;
        self.cursor.expect(")", "after the condition")?;
        Ok(cond)
    }

    /// A declaration, an assignment or an expression, without its semicolon.
    fn simple(&mut self, out: &mut Vec<Stmt<'a>>) -> Parsed<()> {
        let token = self.cursor.peek();
        if token.kind == TokenKind::Word
            && ctype::begins_type(token.text)
            && let Some(ty) = ctype::parse(self.cursor)?
        {
            return self.declarators(token, ty, out);
        }
        if self.cursor.peek().is("++") || self.cursor.peek().is("--") {
            let op = self.cursor.bump();
            let target = self.unary(0)?;
            out.push(Stmt { kind: counted(target, op), token });
            return Ok(());
        }
        let target = self.expression(0)?;
        let op = self.cursor.peek();
        let kind = match op.text {
            "=" => {
                self.cursor.bump();
                StmtKind::Assign { target, op: None, value: self.expression(0)? }
            }
            "+=" | "-=" | "|=" | "&=" | "^=" => {
                self.cursor.bump();
                StmtKind::Assign { target, op: Some(&op.text[..1]), value: self.expression(0)? }
            }
            "++" | "--" => {
                self.cursor.bump();
                counted(target, op)
            }
            _ => StmtKind::Expr(target),
        };
        out.push(Stmt { kind, token });
        Ok(())
    }

    fn declarators(&mut self, token: Token<'a>, first: CType, out: &mut Vec<Stmt<'a>>) -> Parsed<()> {
        let mut ty = first;
        // Stars belong to a declarator, not to the type before it.
        let mut plain = first;
        while let Some(target) = plain.target() {
            plain = target;
        }
        loop {
            let name = self.cursor.word("the name of a variable")?;
            if self.cursor.peek().is("[") {
                let message = "local arrays are not supported";
                return Err(self.cursor.file.unsupported_at(self.cursor.peek(), message));
            }
            let value = if self.cursor.eat("=") { Some(self.expression(0)?) } else { None };
            out.push(Stmt { kind: StmtKind::Declare { ty, name, value }, token });
            if !self.cursor.eat(",") {
                return Ok(());
            }
            ty = plain;
            while self.cursor.eat("*") {
                ty = ty.pointer_to();
            }
        }
    }

    fn node(&self, kind: ExprKind<'a>, token: Token<'a>, below: &[u32]) -> Parsed<Expr<'a>> {
        let depth = below.iter().max().map_or(0, |deepest| deepest + 1);
        self.limit(depth)?;
        Ok(Expr { kind, token, depth })
    }

    fn expression(&mut self, depth: u32) -> Parsed<Expr<'a>> {
        self.binary(0, depth)
    }

    fn binary(&mut self, least: u8, depth: u32) -> Parsed<Expr<'a>> {
        self.limit(depth)?;
        let mut lhs = self.unary(depth)?;
        loop {
            let op = self.cursor.peek();
            let Some(level) = binding(op).filter(|level| *level >= least) else { return Ok(lhs) };
            self.cursor.bump();
            let rhs = self.binary(level + 1, depth + 1)?;
            let below = [lhs.depth, rhs.depth];
            lhs = self.node(ExprKind::Binary(op.text, Box::new(lhs), Box::new(rhs)), op, &below)?;
        }
    }

    fn unary(&mut self, depth: u32) -> Parsed<Expr<'a>> {
        self.limit(depth)?;
        let token = self.cursor.peek();
        let make: fn(Box<Expr<'a>>) -> ExprKind<'a> = match token.text {
            "*" => ExprKind::Deref,
            "&" => ExprKind::AddressOf,
            "-" => ExprKind::Negate,
            "~" => ExprKind::Complement,
            "!" => ExprKind::Not,
            _ => return self.postfix(depth),
        };
        self.cursor.bump();
        let inner = self.unary(depth + 1)?;
        let below = [inner.depth];
        self.node(make(Box::new(inner)), token, &below)
    }

    fn postfix(&mut self, depth: u32) -> Parsed<Expr<'a>> {
        let mut found = self.primary(depth)?;
        while self.cursor.peek().is("[") {
            let token = self.cursor.bump();
            let index = self.expression(depth + 1)?;
            self.cursor.expect("]", "after the index")?;
            let below = [found.depth, index.depth];
            found = self.node(ExprKind::Element(Box::new(found), Box::new(index)), token, &below)?;
        }
        Ok(found)
    }

    fn primary(&mut self, depth: u32) -> Parsed<Expr<'a>> {
        let token = self.cursor.peek();
        match token.kind {
            TokenKind::Number => {
                self.cursor.bump();
                let value = number(self.cursor.file, token)? as i64;
                self.node(ExprKind::Number(value), token, &[])
            }
            TokenKind::Word => {
                self.cursor.bump();
                if !self.cursor.eat("(") {
                    return self.node(ExprKind::Name, token, &[]);
                }
                let mut args = Vec::new();
                while !self.cursor.eat(")") {
                    args.push(self.expression(depth + 1)?);
                    if !self.cursor.peek().is(")") {
                        self.cursor.expect(",", "between arguments")?;
                    }
                }
                let below: Vec<u32> = args.iter().map(|arg| arg.depth).collect();
                self.node(ExprKind::Call(args), token, &below)
            }
            _ if self.cursor.eat("(") => {
                let next = self.cursor.peek();
                if next.kind == TokenKind::Word
                    && ctype::begins_type(next.text)
                    && let Some(ty) = ctype::parse(self.cursor)?
                {
                    self.cursor.expect(")", "after the type")?;
                    let inner = self.unary(depth + 1)?;
                    let below = [inner.depth];
                    return self.node(ExprKind::Cast(ty, Box::new(inner)), token, &below);
                }
                let inner = self.expression(depth + 1)?;
                self.cursor.expect(")", "to close the parenthesis")?;
                Ok(inner)
            }
            _ => Err(self.cursor.unexpected("an expression")),
        }
    }
}

fn counted<'a>(target: Expr<'a>, op: Token<'a>) -> StmtKind<'a> {
    let value = Expr { kind: ExprKind::Number(1), token: op, depth: 0 };
    StmtKind::Assign { target, op: Some(&op.text[..1]), value }
}

fn binding(op: Token<'_>) -> Option<u8> {
    if op.kind != TokenKind::Punct {
        return None;
    }
    Some(match op.text {
        "||" => 0,
        "&&" => 1,
        "|" => 2,
        "^" => 3,
        "&" => 4,
        "==" | "!=" => 5,
        "<" | ">" | "<=" | ">=" => 6,
        "<<" | ">>" => 7,
        "+" | "-" => 8,
        "*" | "/" | "%" => 9,
        _ => return None,
    })
}

/// A `continue` that belongs to the loop with this body.
fn first_continue<'a>(body: &[Stmt<'a>]) -> Option<Token<'a>> {
    body.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::Continue => Some(stmt.token),
        StmtKind::If { then, otherwise, .. } => first_continue(then).or_else(|| first_continue(otherwise)),
        _ => None,
    })
}
