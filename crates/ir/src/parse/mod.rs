//! Reads the text form that [`mod@crate::print`] writes.
//!
//! The parser checks form only: ids are numbered without gaps where they are declared, but may refer to nothing where
//! they are used, and types need not agree. So it reads back every program that can be printed; whether the program
//! makes sense is for [`mod@crate::validate`]. It does not recurse and needs memory linear in the text.

mod instrs;
mod items;
mod lexer;

use std::fmt;

use crate::ids::{BlockId, FileId, FuncId, GlobalId, LocalId, Reg, TypeId};
use crate::program::Program;
use crate::span::Span;
use crate::types::{Target, Ty};
use lexer::{Lexer, Token};

/// Why a text is not a program, and where. Line and column count from 1, columns in characters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    pub line: usize,
    pub column: usize,
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}

pub fn parse(text: &str) -> Result<Program, ParseError> {
    let mut parser = Parser::new(text)?;
    parser.program()
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    /// The token that was not taken yet, and where it begins.
    token: Token<'a>,
    start: usize,
    target: Target,
    /// The last place read; see [`Parser::place`].
    span: Span,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Result<Parser<'a>, ParseError> {
        let mut lexer = Lexer::new(text);
        let (token, start) = lexer.next()?;
        Ok(Parser { lexer, token, start, target: Target::default(), span: Span::NONE })
    }

    fn advance(&mut self) -> Result<Token<'a>, ParseError> {
        let (token, start) = self.lexer.next()?;
        self.start = start;
        Ok(std::mem::replace(&mut self.token, token))
    }

    /// An error at the token that was not taken yet.
    fn error<T>(&self, message: impl Into<String>) -> Result<T, ParseError> {
        Err(self.lexer.error(self.start, message))
    }

    fn expected<T>(&self, what: &str) -> Result<T, ParseError> {
        let found = match &self.token {
            Token::Word(text) | Token::Number(text) => format!("'{text}'"),
            Token::String(_) => "a string".to_owned(),
            Token::Punct(c) => format!("'{c}'"),
            Token::Arrow => "'->'".to_owned(),
            Token::LineEnd => "the end of the line".to_owned(),
            Token::End => "the end of the text".to_owned(),
        };
        self.error(format!("expected {what}, found {found}"))
    }

    fn eat(&mut self, token: &Token) -> Result<bool, ParseError> {
        let found = self.token == *token;
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn eat_punct(&mut self, c: char) -> Result<bool, ParseError> {
        self.eat(&Token::Punct(c))
    }

    fn eat_word(&mut self, word: &str) -> Result<bool, ParseError> {
        self.eat(&Token::Word(word))
    }

    fn punct(&mut self, c: char) -> Result<(), ParseError> {
        if self.eat_punct(c)? { Ok(()) } else { self.expected(&format!("'{c}'")) }
    }

    fn keyword(&mut self, word: &str) -> Result<(), ParseError> {
        if self.eat_word(word)? { Ok(()) } else { self.expected(&format!("'{word}'")) }
    }

    /// The end of a line, or of the text.
    fn line_end(&mut self) -> Result<(), ParseError> {
        if self.token == Token::End || self.eat(&Token::LineEnd)? {
            Ok(())
        } else {
            self.expected("the end of the line")
        }
    }

    fn skip_empty_lines(&mut self) -> Result<(), ParseError> {
        while self.eat(&Token::LineEnd)? {}
        Ok(())
    }

    /// The word, if there is one, without taking it.
    fn peek_word(&self) -> Option<&'a str> {
        match self.token {
            Token::Word(word) => Some(word),
            _ => None,
        }
    }

    /// A word of one of the tables.
    fn choice<T>(&mut self, what: &str, from_mnemonic: fn(&str) -> Option<T>) -> Result<T, ParseError> {
        match self.peek_word().and_then(from_mnemonic) {
            Some(value) => {
                self.advance()?;
                Ok(value)
            }
            None => self.expected(what),
        }
    }

    fn scalar(&mut self) -> Result<Ty, ParseError> {
        self.choice("a scalar type", Ty::from_mnemonic)
    }

    fn bytes(&mut self) -> Result<Vec<u8>, ParseError> {
        if !matches!(self.token, Token::String(_)) {
            return self.expected("a string");
        }
        match self.advance()? {
            Token::String(bytes) => Ok(bytes),
            _ => Ok(Vec::new()),
        }
    }

    fn string(&mut self) -> Result<String, ParseError> {
        let start = self.start;
        String::from_utf8(self.bytes()?).map_err(|_| self.lexer.error(start, "the string is not valid UTF-8"))
    }

    fn u64(&mut self, what: &str) -> Result<u64, ParseError> {
        let Token::Number(text) = self.token else { return self.expected(what) };
        match parse_u64(text) {
            Some(value) => {
                self.advance()?;
                Ok(value)
            }
            None => self.error(format!("'{text}' is no whole number of at most 64 bits")),
        }
    }

    fn u32(&mut self, what: &str) -> Result<u32, ParseError> {
        let start = self.start;
        let value = self.u64(what)?;
        u32::try_from(value).map_err(|_| self.lexer.error(start, format!("'{value}' does not fit into 32 bits")))
    }

    fn i64(&mut self, what: &str) -> Result<i64, ParseError> {
        let negative = self.eat_punct('-')?;
        self.signed(negative, what)
    }

    /// A number after its sign.
    fn signed(&mut self, negative: bool, what: &str) -> Result<i64, ParseError> {
        let start = self.start;
        let magnitude = self.u64(what)?;
        let value = if negative { 0i64.checked_sub_unsigned(magnitude) } else { i64::try_from(magnitude).ok() };
        value.ok_or_else(|| self.lexer.error(start, "the number does not fit into 64 bits with a sign"))
    }

    /// The number of an id with the given letter, if the token is one.
    fn peek_id(&self, letter: char) -> Option<u32> {
        let digits = self.peek_word()?.strip_prefix(letter)?;
        let canonical = digits == "0" || !digits.starts_with('0');
        if !canonical || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        digits.parse().ok()
    }

    fn id(&mut self, letter: char, what: &str) -> Result<u32, ParseError> {
        match self.peek_id(letter) {
            Some(id) => {
                self.advance()?;
                Ok(id)
            }
            None => self.expected(&format!("{what} ('{letter}' and a number)")),
        }
    }

    fn reg(&mut self) -> Result<Reg, ParseError> {
        self.id('r', "a register").map(Reg)
    }

    fn block_id(&mut self) -> Result<BlockId, ParseError> {
        self.id('b', "a block").map(BlockId)
    }

    fn local_id(&mut self) -> Result<LocalId, ParseError> {
        self.id('l', "a local object").map(LocalId)
    }

    fn global_id(&mut self) -> Result<GlobalId, ParseError> {
        self.id('g', "a global object").map(GlobalId)
    }

    fn func_id(&mut self) -> Result<FuncId, ParseError> {
        self.id('f', "a function").map(FuncId)
    }

    fn type_id(&mut self) -> Result<TypeId, ParseError> {
        self.id('t', "a type").map(TypeId)
    }

    /// The id of a declaration, which must be the next of its kind.
    fn declared(&mut self, letter: char, what: &str, next: usize) -> Result<(), ParseError> {
        if self.peek_id(letter).is_some_and(|id| id as usize == next) {
            self.advance()?;
            Ok(())
        } else {
            self.expected(&format!("the next {what}, '{letter}{next}'"))
        }
    }

    /// The place of what was just read: that of the thing before, unless one is given.
    fn place(&mut self) -> Result<Span, ParseError> {
        if self.eat_punct('!')? {
            if self.eat_word("none")? {
                self.span = Span::NONE;
            } else {
                let first = self.u32("a line")?;
                self.punct(':')?;
                let second = self.u32("a column")?;
                if self.eat_punct(':')? {
                    self.span = Span { file: FileId(first), line: second, column: self.u32("a column")? };
                } else {
                    self.span = Span { line: first, column: second, ..self.span };
                }
            }
        }
        Ok(self.span)
    }
}

/// Decimal, or hexadecimal after `0x`.
fn parse_u64(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) if digits.bytes().all(|b| b.is_ascii_hexdigit()) => u64::from_str_radix(digits, 16).ok(),
        Some(_) => None,
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The message, with place, for a function's text.
    fn check(body: &str, expected: &str) {
        let text = format!("norn-ir 1\ntarget lp64\nentry f0\n{body}");
        let error = parse(&text).expect_err("the text should not parse");
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn errors_say_where_and_what() {
        check("type t1 = i32 signed", "4:6: expected the next type, 't0', found 't1'");
        check("file 0 \"a", "4:8: the string is not closed on its line");
        check("file 0 \"\\xff\"", "4:8: the string is not valid UTF-8");
        check("file 0 \"ü\" ü", "4:12: the character '\\u{fc}' means nothing here");
        check(
            "function f0 \"f\" () {\n  r0, r2: i32\nb0:\n  stop\n}",
            "6:1: the registers are not numbered without gaps: 'r1' is missing",
        );
        check("function f0 \"f\" () {\n  r0, r0: i32\nb0:\n  stop\n}", "6:1: 'r0' is declared twice");
        check("function f0 \"f\" () {\nb0:\n  store i32 g0, 1 2\n}", "6:19: expected the end of the line, found '2'");
        check(
            "function f0 \"f\" () {\nb0:\n  call f0(1)\n}",
            "6:11: the type of the constant has to be given here, as in 'i32 1'",
        );
        check("function f0 \"f\" () {\nb0:\n  frobnicate\n}", "6:3: 'frobnicate' is no instruction");
        check("function f0 \"f\" () {\nb0:\n  r1 = store i32 g0, 1\n}", "6:8: 'store' is no instruction with a result");
        check("function f0 \"f\" () {\nb0:\n", "6:1: expected an instruction, found the end of the text");
        check(
            "function f0 \"f\" () {\nb0:\n  exit 99999999999999999999\n}",
            "6:8: '99999999999999999999' is no whole number of at most 64 bits",
        );
    }

    #[test]
    fn the_version_is_checked() {
        let error = parse("norn-ir 2\n").expect_err("version 2 should be refused");
        assert_eq!(error.to_string(), "1:9: version 2 of the text form is not known, only 1 is");
        assert!(parse("").is_err());
    }
}
