//! The parser: from preprocessed tokens to the syntax tree, by recursive descent.
//!
//! Every function that parses something either returns it or returns [`Failed`] after having reported what is wrong.
//! Failures are caught where the text can be taken up again (a statement, a member, a declaration), so one run finds
//! several errors. The parser keeps the little scope information that C's grammar needs: which names are types.
//!
//! Nesting is limited: no path from the root of the tree to a leaf is longer than about [`MAX_DEPTH`], however it came
//! about (parentheses, blocks, chains of operators, pointers to pointers), so that every later stage may recurse.
//!
//! Time is linear in the number of tokens. There is no backtracking: what a construct is shows in a bounded number of
//! tokens and the table of typedef names.
//!
//! Left out: whether names are declared, types fit and constants are constant (`sema` says that), `[[attributes]]`
//! and the other novelties of C23.

mod asm;
mod attributes;
mod cursor;
mod declarations;
mod declarators;
mod depth;
mod expressions;
mod initializers;
mod pack;
mod primary;
mod records;
mod recovery;
mod scope;
mod specifiers;
mod statements;
mod strings;
mod types;
mod unknown_types;

#[cfg(test)]
mod tests;

pub(crate) use attributes::takes_numbers;

use crate::ast::TranslationUnit;
use crate::session::Session;
use crate::token::{Token, TokenKind};
use pack::PackChange;
use scope::Names;

/// The longest path in the tree. Leaves room around a chain of 4000 operators.
pub const MAX_DEPTH: u32 = 4096;

/// Parses a whole program text. What is wrong with it goes to `session`; the tree holds what could be understood and
/// is of no use to later stages if errors (or unsupported constructs) were reported.
///
/// Needs stack for [`MAX_DEPTH`] levels of nesting: run it on a thread with a large stack.
pub fn parse(session: &mut Session, tokens: &[Token]) -> TranslationUnit {
    let has_pragmas = tokens.iter().any(|t| matches!(t.kind, TokenKind::Pragma(_)));
    if has_pragmas {
        let (tokens, packs) = pack::take_out_pragmas(session, tokens);
        Parser::new(session, &tokens, packs).translation_unit()
    } else {
        Parser::new(session, tokens, Vec::new()).translation_unit()
    }
}

/// What was expected is not there; the reason has been reported.
#[derive(Debug)]
struct Failed;

type Parsed<T> = Result<T, Failed>;

struct Parser<'a> {
    session: &'a mut Session,
    tokens: &'a [Token],
    /// What every place after the last token holds.
    eof: Token,
    pos: usize,
    /// See `depth`.
    depth: u32,
    deepest: u32,
    names: Names,
    parts: declarators::Parts,
    /// Where `#pragma pack` changes the packing, in the order of the text.
    packs: Vec<PackChange>,
    /// The rest of the text is not looked at.
    stopped: bool,
    /// The token at which the last error was found: a second error at the same token is only a consequence.
    last_error: Option<usize>,
    /// A semicolon that is missing before this token was reported already.
    assumed_semicolon: Option<usize>,
    /// A nested function that begins in the first column: a sign of an unclosed brace before it.
    misplaced_function: Option<norn_ir::source::Loc>,
}

impl<'a> Parser<'a> {
    fn new(session: &'a mut Session, tokens: &'a [Token], packs: Vec<PackChange>) -> Parser<'a> {
        let end = tokens.last().map_or(norn_ir::source::Loc::NONE, |t| match t.kind {
            TokenKind::Eof => t.loc,
            _ => t.loc.offset(u32::from(t.len)),
        });
        let names = Names::new(&mut session.symbols);
        let stopped = session.too_many_errors();
        Parser {
            tokens: if stopped { &[] } else { tokens },
            session,
            eof: Token { kind: TokenKind::Eof, loc: end, len: 0 },
            pos: 0,
            depth: 0,
            deepest: 0,
            names,
            parts: declarators::Parts::default(),
            packs,
            stopped,
            last_error: None,
            assumed_semicolon: None,
            misplaced_function: None,
        }
    }
}
