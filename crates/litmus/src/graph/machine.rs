//! Tests of PPC and X86.

use norn_graph::test::Test;
use norn_ir::diag::Diagnostic;

use crate::header::Header;
use crate::state::State;
use crate::token::{Cursor, File};

pub(crate) fn test<'a>(
    file: &File<'a>,
    header: &Header,
    _cursor: &mut Cursor<'_, 'a>,
    _state: &mut State<'a>,
) -> Result<Test, Vec<Diagnostic>> {
    let name = header.arch.name();
    Err(vec![Diagnostic::unsupported(file.loc(header.start), format!("tests of {name} have no graphs yet"))])
}
