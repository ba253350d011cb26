//! The table of code in an assembly test: one column per thread, cells between `|`, rows ended by `;`.

use norn_ir::diag::Diagnostic;

use crate::condition;
use crate::labels::Labels;
use crate::state::State;
use crate::token::{Cursor, File, Parsed, Token, TokenKind};

/// After this many findings the rest of a file is not worth reading.
const MAX_FINDINGS: usize = 20;

/// The code of one thread while it is read.
pub(crate) trait Column<'a>: Default {
    fn define_label(&mut self, token: Token<'a>, file: &File<'_>) -> Result<(), Diagnostic>;
    fn labels(&self) -> &Labels<'a>;
}

/// Reads one instruction at the end of a column.
pub(crate) type Instruction<'i, 'a, C> = &'i dyn Fn(&mut Cursor<'_, 'a>, &mut State<'a>, &mut C) -> Parsed<()>;

/// Reads the table up to the condition.
pub(crate) fn parse<'a, C: Column<'a>>(
    cursor: &mut Cursor<'_, 'a>,
    state: &mut State<'a>,
    instruction: Instruction<'_, 'a, C>,
) -> Result<Vec<C>, Vec<Diagnostic>> {
    cursor.eat(";");
    let count = columns(cursor).map_err(|d| vec![d])?;
    let mut threads: Vec<C> = (0..count).map(|_| C::default()).collect();
    let mut findings = Vec::new();
    while !condition::begins(cursor) && !cursor.at_end() && findings.len() < MAX_FINDINGS {
        row(cursor, state, instruction, &mut threads, &mut findings).map_err(|d| vec![d])?;
    }
    for code in &threads {
        code.labels().report_undefined(cursor.file, &mut findings);
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

fn row<'a, C: Column<'a>>(
    cursor: &mut Cursor<'_, 'a>,
    state: &mut State<'a>,
    instruction: Instruction<'_, 'a, C>,
    threads: &mut [C],
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
        if let Err(finding) = cell(cursor, state, instruction, code) {
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

fn cell<'a, C: Column<'a>>(
    cursor: &mut Cursor<'_, 'a>,
    state: &mut State<'a>,
    instruction: Instruction<'_, 'a, C>,
    code: &mut C,
) -> Parsed<()> {
    while cursor.peek().kind == TokenKind::Word && cursor.peek_at(1).is(":") {
        let label = cursor.bump();
        cursor.bump();
        code.define_label(label, cursor.file)?;
    }
    if cursor.peek().is("|") || cursor.peek().is(";") {
        return Ok(());
    }
    instruction(cursor, state, code)
}
