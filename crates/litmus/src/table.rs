//! The table of code in an assembly test: one column per thread, cells between `|`, rows ended by `;`.

use norn_ir::diag::Diagnostic;

use crate::Arch;
use crate::condition;
use crate::state::State;
use crate::step::Code;
use crate::token::{Cursor, Parsed, TokenKind};
use crate::{ppc, x86};

/// After this many findings the rest of a file is not worth reading.
const MAX_FINDINGS: usize = 20;

/// Reads the table up to the condition.
pub(crate) fn parse<'a>(
    cursor: &mut Cursor<'_, 'a>,
    arch: Arch,
    state: &mut State<'a>,
) -> Result<Vec<Code<'a>>, Vec<Diagnostic>> {
    cursor.eat(";");
    let count = columns(cursor).map_err(|d| vec![d])?;
    let mut threads: Vec<Code<'a>> = (0..count).map(|_| Code::default()).collect();
    let mut findings = Vec::new();
    while !condition::begins(cursor) && !cursor.at_end() && findings.len() < MAX_FINDINGS {
        row(cursor, arch, state, &mut threads, &mut findings).map_err(|d| vec![d])?;
    }
    for code in &threads {
        code.undefined_labels(cursor.file, &mut findings);
    }
    if findings.is_empty() { Ok(threads) } else { Err(findings) }
}

/// The row of names: `P0 | P1 ;`.
fn columns(cursor: &mut Cursor<'_, '_>) -> Parsed<u32> {
    let mut count = 0;
    loop {
        let token = cursor.peek();
        let number = token.text.strip_prefix('P').filter(|_| token.kind == TokenKind::Word);
        match number.and_then(|n| n.parse::<u32>().ok()) {
            Some(n) if n == count => cursor.bump(),
            Some(_) => {
                let message = format!("expected the column of thread P{count}, found '{}'", token.text);
                return Err(cursor.file.error_at(token, message).help("threads are numbered from P0 without gaps"));
            }
            None => return Err(cursor.unexpected("the name of a thread such as 'P0'")),
        };
        count += 1;
        if cursor.eat(";") {
            return Ok(count);
        }
        cursor.expect("|", "between threads")?;
    }
}

fn row<'a>(
    cursor: &mut Cursor<'_, 'a>,
    arch: Arch,
    state: &mut State<'a>,
    threads: &mut [Code<'a>],
    findings: &mut Vec<Diagnostic>,
) -> Parsed<()> {
    let mut column = 0;
    loop {
        let token = cursor.peek();
        if cursor.eat(";") {
            return Ok(());
        }
        if cursor.eat("|") {
            column += 1;
            continue;
        }
        if cursor.at_end() {
            return Err(cursor.unexpected("the ';' that ends a row of code"));
        }
        let Some(code) = threads.get_mut(column) else {
            let message = format!("this row has code for more than {} threads", threads.len());
            return Err(cursor.file.error_at(token, message).help("the first row names the threads: 'P0 | P1 ;'"));
        };
        if let Err(finding) = cell(cursor, arch, state, code) {
            findings.push(finding);
            while !cursor.at_end() && !cursor.peek().is("|") && !cursor.peek().is(";") {
                cursor.bump();
            }
        }
        if !cursor.peek().is("|") && !cursor.peek().is(";") {
            return Err(cursor.unexpected("'|' or ';' after the instruction"));
        }
    }
}

fn cell<'a>(cursor: &mut Cursor<'_, 'a>, arch: Arch, state: &mut State<'a>, code: &mut Code<'a>) -> Parsed<()> {
    while cursor.peek().kind == TokenKind::Word && cursor.peek_at(1).is(":") {
        let label = cursor.bump();
        cursor.bump();
        code.define_label(label, cursor.file)?;
    }
    if cursor.peek().is("|") || cursor.peek().is(";") {
        return Ok(());
    }
    code.begin_instruction();
    match arch {
        Arch::Ppc => ppc::instruction(cursor, code),
        Arch::X86 | Arch::X86_64 | Arch::C => x86::instruction(cursor, arch, state, code),
    }
}
