//! The frame around the code of a C test: which threads there are, which locations they are given, and where their
//! text stands. What is between the braces is for the C front end.

use std::ops::Range;

use crate::condition;
use crate::state::State;
use crate::token::{Cursor, File, Parsed, Token, TokenKind};

pub(crate) struct Thread<'a> {
    /// The names of the parameters: each is the location that the thread is given a pointer to.
    pub params: Vec<Token<'a>>,
    /// From the name to the closing brace, in tokens of the file.
    pub tokens: Range<usize>,
}

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
        threads.push(thread(cursor)?);
    }
    if threads.is_empty() {
        return Err(cursor.unexpected("the first thread 'P0'"));
    }
    for &param in threads.iter().flat_map(|thread| &thread.params) {
        state.mention(param);
    }
    Ok(threads)
}

fn thread<'a>(cursor: &mut Cursor<'_, 'a>) -> Parsed<Thread<'a>> {
    let first = cursor.position();
    cursor.bump();
    let mut params = Vec::new();
    let mut last_word = None;
    cursor.expect("(", "after the name of the thread")?;
    nested(cursor, ["(", ")"], "the ')' that closes the parameters", |token, depth| {
        if token.kind == TokenKind::Word {
            last_word = Some(token);
        } else if (token.is(",") && depth == 1) || depth == 0 {
            // `P0(void)` has no parameters.
            params.extend(last_word.take().filter(|word| word.text != "void"));
        }
    })?;
    cursor.expect("{", "before the thread's code")?;
    nested(cursor, ["{", "}"], "the '}' that closes the code", |_, _| {})?;
    Ok(Thread { params, tokens: first..cursor.position() })
}

/// Reads up to the bracket that closes the one before the cursor. Tokens are looked at with the number of brackets open
/// after them.
fn nested<'a>(
    cursor: &mut Cursor<'_, 'a>,
    [open, close]: [&str; 2],
    end: &str,
    mut look: impl FnMut(Token<'a>, u32),
) -> Parsed<()> {
    let mut depth = 1_u32;
    while depth > 0 {
        if cursor.at_end() {
            return Err(cursor.unexpected(end));
        }
        let token = cursor.bump();
        if token.is(open) {
            depth += 1;
        } else if token.is(close) {
            depth -= 1;
        } else if token.is("#") {
            return Err(cursor.file.unsupported_at(token, "directives are not supported in litmus tests"));
        }
        look(token, depth);
    }
    Ok(())
}

/// The text of the file with blanks for everything that is not a thread's code: what remains stands where it stood.
pub(crate) fn code(file: &File<'_>, tokens: &[Token<'_>], threads: &[Thread<'_>]) -> String {
    let mut code: Vec<u8> = file.text.bytes().map(|b| if b == b'\n' { b } else { b' ' }).collect();
    for token in threads.iter().flat_map(|thread| &tokens[thread.tokens.clone()]) {
        let start = token.start as usize;
        code[start..start + token.text.len()].copy_from_slice(token.text.as_bytes());
    }
    String::from_utf8(code).expect("tokens should be whole characters")
}
