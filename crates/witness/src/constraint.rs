//! Constraints of witnesses: C expressions over the program's variables, and `\result` of ACSL.
//!
//! Only what compares integers is understood; what is not leaves open what the witness says at that place.

/// The deepest expression that is read.
const DEEPEST: usize = 64;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Constraint {
    Holds(Expr),
    /// It is not understood, and so taken to hold; as it stands in the witness.
    Unclear(String),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expr {
    Number {
        value: i128,
        unsigned: bool,
    },
    /// What the call returned.
    Result,
    Name(String),
    Element(Box<Expr>, Box<Expr>),
    Member(Box<Expr>, String),
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unary {
    Minus,
    Not,
    Complement,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binary {
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equal,
    Unequal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Left,
    Right,
    Plus,
    Minus,
    Times,
    Divided,
    Modulo,
}

impl Constraint {
    /// Reads a constraint; several may be separated by semicolons, as GraphML has them.
    pub fn read(text: &str) -> Constraint {
        let mut all: Option<Expr> = None;
        for part in text.split(';').map(str::trim).filter(|part| !part.is_empty()) {
            let Some(expr) = parse(part) else { return Constraint::Unclear(text.to_owned()) };
            all = Some(match all {
                Some(before) => Expr::Binary(Binary::And, Box::new(before), Box::new(expr)),
                None => expr,
            });
        }
        all.map_or_else(|| Constraint::Unclear(text.to_owned()), Constraint::Holds)
    }

    /// The numbers in it.
    pub fn numbers(&self) -> Vec<i128> {
        let mut numbers = Vec::new();
        if let Constraint::Holds(expr) = self {
            expr.collect(&mut numbers);
        }
        numbers
    }
}

impl Expr {
    fn collect(&self, numbers: &mut Vec<i128>) {
        match self {
            Expr::Number { value, .. } => numbers.push(*value),
            Expr::Result | Expr::Name(_) => {}
            Expr::Member(of, _) => of.collect(numbers),
            Expr::Unary(op, of) => {
                of.collect(numbers);
                if let (Unary::Minus, Expr::Number { value, .. }) = (op, &**of) {
                    numbers.push(-value);
                }
            }
            Expr::Element(a, b) | Expr::Binary(_, a, b) => [a, b].into_iter().for_each(|part| part.collect(numbers)),
            Expr::Conditional(a, b, c) => [a, b, c].into_iter().for_each(|part| part.collect(numbers)),
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Token {
    Number { value: i128, unsigned: bool },
    Name(String),
    Result,
    Sign(&'static str),
}

/// The longer ones first.
const SIGNS: [&str; 28] = [
    "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "->", "<", ">", "+", "-", "*", "/", "%", "!", "~", "&", "|", "^",
    "(", ")", "[", "]", ".", "?", ":",
];

fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(c) = rest.chars().next() {
        let end = |rest: &str| rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        if let Some(after) = rest.strip_prefix("\\result") {
            tokens.push(Token::Result);
            rest = after;
        } else if c.is_ascii_digit() {
            let (word, after) = rest.split_at(end(rest));
            tokens.push(number(word)?);
            rest = after;
        } else if c.is_alphabetic() || c == '_' {
            let (word, after) = rest.split_at(end(rest));
            tokens.push(Token::Name(word.to_owned()));
            rest = after;
        } else {
            let sign = SIGNS.into_iter().find(|sign| rest.starts_with(sign))?;
            tokens.push(Token::Sign(sign));
            rest = &rest[sign.len()..];
        }
        rest = rest.trim_start();
    }
    Some(tokens)
}

fn number(word: &str) -> Option<Token> {
    let digits = word.trim_end_matches(['u', 'U', 'l', 'L']);
    let unsigned = word[digits.len()..].contains(['u', 'U']);
    let lower = digits.to_ascii_lowercase();
    let value = if let Some(hex) = lower.strip_prefix("0x") {
        u64::from_str_radix(hex, 16)
    } else if digits.len() > 1 && digits.starts_with('0') {
        u64::from_str_radix(digits, 8)
    } else {
        digits.parse()
    };
    Some(Token::Number { value: i128::from(value.ok()?), unsigned })
}

fn parse(text: &str) -> Option<Expr> {
    let mut parser = Parser { tokens: tokens(text)?, at: 0, depth: 0 };
    let expr = parser.conditional()?;
    (parser.at == parser.tokens.len()).then_some(expr)
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
}

/// Operators by how tightly they bind, the loosest first.
const LEVELS: [&[(&str, Binary)]; 10] = [
    &[("||", Binary::Or)],
    &[("&&", Binary::And)],
    &[("|", Binary::BitOr)],
    &[("^", Binary::BitXor)],
    &[("&", Binary::BitAnd)],
    &[("==", Binary::Equal), ("!=", Binary::Unequal)],
    &[("<=", Binary::LessEqual), (">=", Binary::GreaterEqual), ("<", Binary::Less), (">", Binary::Greater)],
    &[("<<", Binary::Left), (">>", Binary::Right)],
    &[("+", Binary::Plus), ("-", Binary::Minus)],
    &[("*", Binary::Times), ("/", Binary::Divided), ("%", Binary::Modulo)],
];

impl Parser {
    fn peek_sign(&self) -> Option<&'static str> {
        match self.tokens.get(self.at) {
            Some(Token::Sign(sign)) => Some(sign),
            _ => None,
        }
    }

    fn eat(&mut self, sign: &str) -> bool {
        let is_there = self.peek_sign() == Some(sign);
        self.at += usize::from(is_there);
        is_there
    }

    fn conditional(&mut self) -> Option<Expr> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let condition = self.binary(0)?;
        let expr = if self.eat("?") {
            let then = self.conditional()?;
            let otherwise = self.eat(":").then(|| self.conditional())??;
            Expr::Conditional(Box::new(condition), Box::new(then), Box::new(otherwise))
        } else {
            condition
        };
        self.depth -= 1;
        Some(expr)
    }

    fn binary(&mut self, level: usize) -> Option<Expr> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some(&(_, op)) = operators.iter().find(|(sign, _)| self.peek_sign() == Some(sign)) {
            self.at += 1;
            // Long chains are deep trees to the left.
            self.depth += 1;
            if self.depth > DEEPEST * 4 {
                return None;
            }
            left = Expr::Binary(op, Box::new(left), Box::new(self.binary(level + 1)?));
        }
        Some(left)
    }

    fn unary(&mut self) -> Option<Expr> {
        self.depth += 1;
        if self.depth > DEEPEST * 4 {
            return None;
        }
        let op = match self.peek_sign() {
            Some("-") => Some(Unary::Minus),
            Some("!") => Some(Unary::Not),
            Some("~") => Some(Unary::Complement),
            Some("+") => None,
            _ => return self.postfix(),
        };
        self.at += 1;
        let of = self.unary()?;
        Some(match op {
            Some(op) => Expr::Unary(op, Box::new(of)),
            None => of,
        })
    }

    fn postfix(&mut self) -> Option<Expr> {
        let mut expr = match self.tokens.get(self.at)?.clone() {
            Token::Number { value, unsigned } => Expr::Number { value, unsigned },
            Token::Name(name) => Expr::Name(name),
            Token::Result => Expr::Result,
            Token::Sign("(") => {
                self.at += 1;
                let inner = self.conditional()?;
                if self.peek_sign() != Some(")") {
                    return None;
                }
                inner
            }
            Token::Sign(_) => return None,
        };
        self.at += 1;
        loop {
            if self.eat("[") {
                let index = self.conditional()?;
                self.eat("]").then_some(())?;
                expr = Expr::Element(Box::new(expr), Box::new(index));
            } else if self.eat(".") {
                let Some(Token::Name(name)) = self.tokens.get(self.at).cloned() else { return None };
                self.at += 1;
                expr = Expr::Member(Box::new(expr), name);
            } else {
                return Some(expr);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(name: &str) -> Box<Expr> {
        Box::new(Expr::Name(name.to_owned()))
    }

    fn number(value: i128) -> Box<Expr> {
        Box::new(Expr::Number { value, unsigned: false })
    }

    #[test]
    fn operators_bind_as_in_c() {
        let Constraint::Holds(expr) = Constraint::read("a == 1 && b < -2 + 3") else { panic!("it is C") };
        let minus = Box::new(Expr::Unary(Unary::Minus, number(2)));
        let sum = Box::new(Expr::Binary(Binary::Plus, minus, number(3)));
        let left = Box::new(Expr::Binary(Binary::Equal, name("a"), number(1)));
        let right = Box::new(Expr::Binary(Binary::Less, name("b"), sum));
        assert_eq!(expr, Expr::Binary(Binary::And, left, right));
    }

    #[test]
    fn several_constraints_hold_together() {
        let one = Constraint::read("x==(0);y == (0x10U);");
        assert_eq!(one, Constraint::read("(x == 0) && y == 0x10u"));
        assert_eq!(one.numbers(), [0, 16]);
        assert_eq!(Constraint::read("\\result == -7").numbers(), [7, -7]);
    }

    #[test]
    fn what_is_not_understood_is_kept() {
        let deep = "(".repeat(10_000) + "1" + &")".repeat(10_000);
        let long = "1+".repeat(10_000) + "1";
        let signs = "-".repeat(10_000) + "1";
        for text in [
            "",
            "*p == 1",
            "p->next",
            "f(1)",
            "(int)x == 1",
            "x ==",
            "x y",
            "1.5",
            "'a'",
            "x = 1",
            &deep,
            &long,
            &signs,
        ] {
            assert!(matches!(Constraint::read(text), Constraint::Unclear(_)), "{text}");
        }
    }
}
