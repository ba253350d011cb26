//! `#pragma pack`: the alignment limit for the members of records, as GCC and Microsoft's compiler understand it.

use crate::session::Session;
use crate::token::{Token, TokenKind};
use norn_ir::diag::Diagnostic;
use norn_ir::source::Loc;

/// From token `pos` on, records are packed to `limit`.
pub(super) struct PackChange {
    pub(super) pos: usize,
    pub(super) limit: Option<u64>,
}

/// The tokens without pragmas, and what the pragmas say about which of them. Pragmas may stand between any two tokens,
/// so the parser proper is spared from seeing them.
pub(super) fn take_out_pragmas(session: &mut Session, tokens: &[Token]) -> (Vec<Token>, Vec<PackChange>) {
    let mut kept = Vec::with_capacity(tokens.len());
    let mut changes = Vec::new();
    let mut current = None;
    let mut pushed: Vec<(Option<String>, Option<u64>)> = Vec::new();
    for &token in tokens {
        let TokenKind::Pragma(text) = token.kind else {
            kept.push(token);
            continue;
        };
        let Some(arguments) = pack_arguments(session.symbols.name(text)) else { continue };
        match apply(&arguments, &mut current, &mut pushed) {
            Ok(()) => changes.push(PackChange { pos: kept.len(), limit: current }),
            Err(problem) => warn(session, token.loc, problem),
        }
    }
    (kept, changes)
}

fn warn(session: &mut Session, loc: Loc, problem: &str) {
    session.report(Diagnostic::warning(loc, format!("'#pragma pack' is ignored: {problem}")));
}

/// The arguments in the parentheses of `pack(…)`; `None` for other pragmas.
fn pack_arguments(text: &str) -> Option<Vec<String>> {
    let text = text.trim_start().trim_start_matches('#').trim_start();
    let text = text.strip_prefix("pragma").unwrap_or(text).trim_start();
    let rest = text.strip_prefix("pack")?.trim_start();
    let inner = rest.strip_prefix('(').and_then(|r| r.split(')').next());
    Some(inner.unwrap_or(rest).split(',').map(|a| a.trim().to_owned()).collect())
}

fn apply(
    arguments: &[String],
    current: &mut Option<u64>,
    pushed: &mut Vec<(Option<String>, Option<u64>)>,
) -> Result<(), &'static str> {
    let (first, rest) = arguments.split_first().ok_or("it has no argument")?;
    match first.as_str() {
        "" => *current = None,
        "push" => {
            let mut limit = *current;
            let mut label = None;
            for argument in rest {
                if argument.starts_with(|c: char| c.is_ascii_digit()) {
                    limit = alignment(argument)?;
                } else {
                    label = Some(argument.clone());
                }
            }
            pushed.push((label, *current));
            *current = limit;
        }
        "pop" => {
            let named = rest.first().filter(|a| !a.starts_with(|c: char| c.is_ascii_digit()));
            let to = match named {
                Some(label) => pushed.iter().rposition(|(l, _)| l.as_ref() == Some(label)),
                None => pushed.len().checked_sub(1),
            };
            let to = to.ok_or("there is no matching 'push'")?;
            *current = pushed[to].1;
            pushed.truncate(to);
            if let Some(number) = rest.iter().find(|a| a.starts_with(|c: char| c.is_ascii_digit())) {
                *current = alignment(number)?;
            }
        }
        number => *current = alignment(number)?,
    }
    Ok(())
}

fn alignment(number: &str) -> Result<Option<u64>, &'static str> {
    match number.parse() {
        Ok(0) => Ok(None),
        Ok(n @ (1 | 2 | 4 | 8 | 16)) => Ok(Some(n)),
        _ => Err("the alignment is none of 1, 2, 4, 8 and 16"),
    }
}
