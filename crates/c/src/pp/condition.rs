//! The expressions of `#if` and `#elif`: integers of 64 bits, signed or not.

use super::Preprocessor;
use super::macros::Builtin;
use super::predefined;
use crate::intern::Interner;
use crate::lex::{Lexer, PpKind, PpToken};
use crate::literal::{self, Number};
use crate::token::Punct;

/// Parentheses and operators may nest so deep.
const MAX_DEPTH: u32 = 500;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Value {
    bits: u64,
    unsigned: bool,
}

impl Value {
    fn signed(value: i64) -> Value {
        Value { bits: value as u64, unsigned: false }
    }

    fn truth(value: bool) -> Value {
        Value::signed(i64::from(value))
    }

    fn is_true(self) -> bool {
        self.bits != 0
    }
}

type Problem = (PpToken, String);

impl Preprocessor<'_> {
    /// The truth of the expression on the rest of the line.
    pub(super) fn condition(&mut self, directive: PpToken) -> bool {
        let line = self.condition_line();
        if line.is_empty() {
            let message = format!("'#{}' without an expression", self.spelling(directive));
            self.error(directive, message);
            return false;
        }
        let errors = self.session.error_count();
        self.in_condition = true;
        let tokens = self.expand(&line);
        self.in_condition = false;
        if self.session.error_count() > errors || self.stopped {
            return false;
        }
        let mut evaluator =
            Evaluator { tokens: &tokens, pos: 0, depth: 0, end: directive, symbols: &self.session.symbols };
        match evaluator.whole() {
            Ok(value) => value.is_true(),
            Err((at, message)) => {
                self.error(at, message);
                false
            }
        }
    }

    /// The tokens of the line; in `__has_include(<…>)` the header name is one.
    fn condition_line(&mut self) -> Vec<PpToken> {
        let mut tokens: Vec<PpToken> = Vec::new();
        loop {
            if self.header_name_follows(&tokens)
                && let Some(file) = self.files.last_mut()
            {
                let mut lexer = Lexer::in_directive(&file.text, file.pos, file.base);
                let header = lexer.header_name(self.session);
                file.pos = lexer.pos();
                if let Some(header) = header {
                    tokens.push(header);
                    continue;
                }
            }
            let token = self.lex_in_line();
            if token.kind == PpKind::Eof {
                return tokens;
            }
            tokens.push(token);
        }
    }

    fn header_name_follows(&self, tokens: &[PpToken]) -> bool {
        let [.., name, open] = tokens else { return false };
        open.is(Punct::LParen) && matches!(self.spelling(*name), "__has_include" | "__has_include_next")
    }

    /// `defined NAME` or `defined(NAME)`, the operator itself already read.
    pub(super) fn defined_operator(&mut self, operator: PpToken) -> PpToken {
        let mut operand = self.next_token();
        let parenthesised = operand.is(Punct::LParen);
        if parenthesised {
            operand = self.next_token();
        }
        let value = match operand.kind {
            PpKind::Ident(name) => self.macros.get(name).is_some(),
            _ => {
                self.error(operator, "'defined' takes the name of a macro");
                false
            }
        };
        if parenthesised && !self.next_token().is(Punct::RParen) {
            self.error(operator, "expected ')' after 'defined(' and a name");
        }
        self.number_token(operator, value)
    }

    fn number_token(&mut self, at: PpToken, value: bool) -> PpToken {
        let kind = PpKind::Number(self.session.symbols.intern(if value { "1" } else { "0" }));
        PpToken { kind, ..at }
    }

    /// `__has_include` and its like, the name already read.
    pub(super) fn has_operator(&mut self, builtin: Builtin, operator: PpToken) -> bool {
        if !self.next_token().is(Punct::LParen) {
            let message = format!("expected '(' after '{}'", self.spelling(operator));
            self.error(operator, message);
            return false;
        }
        let value = match builtin {
            Builtin::HasInclude | Builtin::HasIncludeNext => self.has_include(builtin, operator),
            _ => {
                let token = self.next_token();
                let name = self.spelling(token);
                match builtin {
                    Builtin::HasAttribute => predefined::has_attribute(name),
                    Builtin::HasFunction => predefined::has_builtin(name),
                    _ => predefined::has_feature(name),
                }
            }
        };
        if !self.next_token().is(Punct::RParen) {
            let message = format!("expected ')' after the argument of '{}'", self.spelling(operator));
            self.error(operator, message);
        }
        value
    }

    fn has_include(&mut self, builtin: Builtin, operator: PpToken) -> bool {
        let first = self.next_expanded();
        let (name, quoted) = match first.kind {
            PpKind::Header(name) => (self.session.symbols.name(name).to_owned(), false),
            PpKind::Str(literal) => (self.session.symbols.name(literal).trim_matches('"').to_owned(), true),
            PpKind::Punct(Punct::Lt) => {
                let mut name = String::new();
                loop {
                    let token = self.next_expanded();
                    if token.is(Punct::Gt) || token.kind == PpKind::Eof {
                        break;
                    }
                    name.push_str(self.spelling(token));
                }
                (name, false)
            }
            _ => {
                let message = format!("'{}' takes the name of a header", self.spelling(operator));
                self.error(operator, message);
                return false;
            }
        };
        self.find_header(&name, quoted, builtin == Builtin::HasIncludeNext).is_some()
    }
}

struct Evaluator<'a> {
    tokens: &'a [PpToken],
    pos: usize,
    depth: u32,
    /// What to point at when the expression ends too early.
    end: PpToken,
    symbols: &'a Interner,
}

impl Evaluator<'_> {
    fn whole(&mut self) -> Result<Value, Problem> {
        let value = self.expression(0, true)?;
        match self.peek() {
            None => Ok(value),
            Some(token) => {
                let spelling = token.spelling(self.symbols);
                let before = self.tokens.get(self.pos.wrapping_sub(1));
                if let (true, Some(PpKind::Ident(name))) = (token.is(Punct::LParen), before.map(|t| t.kind)) {
                    let message = format!("macro '{}' is called but not defined", self.symbols.name(name));
                    return Err((self.tokens[self.pos - 1], message));
                }
                Err((token, format!("unexpected '{spelling}' in the expression of a conditional")))
            }
        }
    }

    fn peek(&self) -> Option<PpToken> {
        self.tokens.get(self.pos).copied()
    }

    fn eat(&mut self, punct: Punct) -> bool {
        let found = self.peek().is_some_and(|t| t.is(punct));
        self.pos += usize::from(found);
        found
    }

    /// An expression of operators that bind at least as tightly as `min`. Where `live` is false its value does not
    /// matter, and neither does a division by zero.
    fn expression(&mut self, min: u8, live: bool) -> Result<Value, Problem> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err((self.end, format!("the expression is nested more than {MAX_DEPTH} deep")));
        }
        let mut left = self.unary(live)?;
        while let Some(token) = self.peek() {
            let PpKind::Punct(operator) = token.kind else { break };
            let Some(precedence) = precedence(operator) else { break };
            if precedence < min {
                break;
            }
            self.pos += 1;
            left = match operator {
                Punct::Question => self.choice(left, token, live)?,
                Punct::AndAnd => {
                    let right = self.expression(precedence + 1, live && left.is_true())?;
                    Value::truth(left.is_true() && right.is_true())
                }
                Punct::OrOr => {
                    let right = self.expression(precedence + 1, live && !left.is_true())?;
                    Value::truth(left.is_true() || right.is_true())
                }
                _ => {
                    let right = self.expression(precedence + 1, live)?;
                    match binary(operator, left, right) {
                        Some(value) => value,
                        None if live => {
                            return Err((token, "division by zero in the expression of a conditional".into()));
                        }
                        None => left,
                    }
                }
            };
        }
        self.depth -= 1;
        Ok(left)
    }

    fn choice(&mut self, condition: Value, question: PpToken, live: bool) -> Result<Value, Problem> {
        let then = self.expression(0, live && condition.is_true())?;
        if !self.eat(Punct::Colon) {
            return Err((question, "'?' without ':' in the expression of a conditional".to_owned()));
        }
        let otherwise = self.expression(TERNARY, live && !condition.is_true())?;
        let chosen = if condition.is_true() { then } else { otherwise };
        Ok(Value { bits: chosen.bits, unsigned: then.unsigned || otherwise.unsigned })
    }

    fn unary(&mut self, live: bool) -> Result<Value, Problem> {
        let first = self.pos;
        while self
            .peek()
            .is_some_and(|t| [Punct::Plus, Punct::Minus, Punct::Tilde, Punct::Bang].iter().any(|&p| t.is(p)))
        {
            self.pos += 1;
        }
        let operators = first..self.pos;
        let mut value = self.primary(live)?;
        for operator in self.tokens[operators].iter().rev() {
            value = match operator.kind {
                PpKind::Punct(Punct::Minus) => Value { bits: value.bits.wrapping_neg(), ..value },
                PpKind::Punct(Punct::Tilde) => Value { bits: !value.bits, ..value },
                PpKind::Punct(Punct::Bang) => Value::truth(!value.is_true()),
                _ => value,
            };
        }
        Ok(value)
    }

    fn primary(&mut self, live: bool) -> Result<Value, Problem> {
        let Some(token) = self.peek() else {
            return Err((self.end, "the expression of the conditional is incomplete".to_owned()));
        };
        self.pos += 1;
        let spelling = token.spelling(self.symbols);
        match token.kind {
            PpKind::Number(_) => match literal::number(spelling) {
                Ok((Number::Int { value, unsigned, .. }, false)) => {
                    Ok(Value { bits: value, unsigned: unsigned || value > i64::MAX as u64 })
                }
                Ok(_) => Err((token, format!("'{spelling}' is not an integer"))),
                Err(message) => Err((token, message)),
            },
            PpKind::Char(_) => match literal::char_constant(spelling) {
                Ok(constant) => Ok(Value::signed(constant.value)),
                Err(message) => Err((token, message)),
            },
            // A name that is no macro is 0, keywords included.
            PpKind::Ident(_) => Ok(Value::signed(0)),
            PpKind::Punct(Punct::LParen) => {
                let value = self.expression(0, live)?;
                match self.eat(Punct::RParen) {
                    true => Ok(value),
                    false => Err((token, "'(' without ')' in the expression of a conditional".to_owned())),
                }
            }
            _ => Err((token, format!("'{spelling}' cannot stand here in the expression of a conditional"))),
        }
    }
}

const TERNARY: u8 = 1;

fn precedence(operator: Punct) -> Option<u8> {
    use Punct::*;
    Some(match operator {
        Comma => 0,
        Question => TERNARY,
        OrOr => 2,
        AndAnd => 3,
        Pipe => 4,
        Caret => 5,
        Amp => 6,
        Eq | Ne => 7,
        Lt | Gt | Le | Ge => 8,
        Shl | Shr => 9,
        Plus | Minus => 10,
        Star | Slash | Percent => 11,
        _ => return None,
    })
}

/// `None` is a division by zero.
fn binary(operator: Punct, a: Value, b: Value) -> Option<Value> {
    use Punct::*;
    let unsigned = a.unsigned || b.unsigned;
    let arithmetic = |bits| Some(Value { bits, unsigned });
    let compare = |signed: bool, plain: bool| Some(Value::truth(if unsigned { plain } else { signed }));
    let (x, y) = (a.bits as i64, b.bits as i64);
    match operator {
        Comma => Some(b),
        Pipe => arithmetic(a.bits | b.bits),
        Caret => arithmetic(a.bits ^ b.bits),
        Amp => arithmetic(a.bits & b.bits),
        Plus => arithmetic(a.bits.wrapping_add(b.bits)),
        Minus => arithmetic(a.bits.wrapping_sub(b.bits)),
        Star => arithmetic(a.bits.wrapping_mul(b.bits)),
        Slash if unsigned => arithmetic(a.bits.checked_div(b.bits)?),
        Percent if unsigned => arithmetic(a.bits.checked_rem(b.bits)?),
        Slash if b.bits != 0 => arithmetic(x.wrapping_div(y) as u64),
        Percent if b.bits != 0 => arithmetic(x.wrapping_rem(y) as u64),
        Slash | Percent => None,
        Eq => Some(Value::truth(a.bits == b.bits)),
        Ne => Some(Value::truth(a.bits != b.bits)),
        Lt => compare(x < y, a.bits < b.bits),
        Gt => compare(x > y, a.bits > b.bits),
        Le => compare(x <= y, a.bits <= b.bits),
        Ge => compare(x >= y, a.bits >= b.bits),
        Shl => Some(shifted(a, b, true)),
        Shr => Some(shifted(a, b, false)),
        _ => Some(b),
    }
}

/// A shift by a negative number goes the other way, as in GCC; all bits may be shifted out.
fn shifted(a: Value, b: Value, left: bool) -> Value {
    let negative = !b.unsigned && (b.bits as i64) < 0;
    let (left, count) = if negative { (!left, b.bits.wrapping_neg()) } else { (left, b.bits) };
    let bits = match (left, u32::try_from(count).ok().filter(|&n| n < 64)) {
        (true, Some(n)) => a.bits << n,
        (false, Some(n)) if a.unsigned => a.bits >> n,
        (false, Some(n)) => ((a.bits as i64) >> n) as u64,
        (false, None) if !a.unsigned && (a.bits as i64) < 0 => u64::MAX,
        (_, None) => 0,
    };
    Value { bits, ..a }
}
