//! `norn ir`: the program as every engine gets it.

use crate::args::IrArgs;
use crate::exit::Exit;
use crate::frontend;
use crate::frontend::Decisions;
use crate::limits;
use crate::output;
use crate::watch;
use std::time::Duration;

pub fn run(args: &IrArgs) -> Exit {
    watch::limit(Duration::MAX, limits::default_memory());
    let compiled = match frontend::compile(&args.c, Decisions::Unmarked) {
        Ok(compiled) => compiled,
        Err(failure) => return failure.into(),
    };
    let exit = output::print(&compiled.program.to_string());
    if args.stats {
        output::print_times(&compiled.times);
    }
    exit
}
