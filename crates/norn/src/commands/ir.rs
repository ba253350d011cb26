//! `norn ir`: the program as every engine gets it.

use crate::args::IrArgs;
use crate::exit::Exit;
use crate::frontend;
use crate::watch;
use std::time::Duration;

pub fn run(args: &IrArgs) -> Exit {
    watch::limit(Duration::MAX, frontend::default_memory());
    let compiled = match frontend::compile(&args.c) {
        Ok(compiled) => compiled,
        Err(failure) => return failure.into(),
    };
    let exit = frontend::print(&compiled.program.to_string());
    if args.stats {
        frontend::print_times(&compiled.times);
    }
    exit
}
