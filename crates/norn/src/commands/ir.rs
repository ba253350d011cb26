//! `norn ir`: the program as every engine gets it.

use crate::args::IrArgs;
use crate::exit::Exit;
use crate::frontend;
use std::io::{self, Write};

pub fn run(args: &IrArgs) -> Exit {
    let (program, times) = match frontend::compile(&args.c) {
        Ok(compiled) => compiled,
        Err(exit) => return exit,
    };
    let mut out = io::BufWriter::new(io::stdout().lock());
    // A reader that has seen enough (`norn ir … | head`) is no error.
    if let Err(error) = write!(out, "{program}").and_then(|()| out.flush())
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        return frontend::fail(&format!("cannot write the output: {error}"), Exit::Internal);
    }
    if args.stats {
        frontend::print_times(&times);
    }
    Exit::Fine
}
