//! The command `norn`: arguments, files, and what is shown. Analysis lives in the other crates.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is the crate that talks to people")]

mod args;
mod backend;
mod commands;
mod engines;
mod exit;
mod expectations;
mod frontend;
mod interrupt;
mod loops;
mod progress;
mod render;
mod system_headers;

use args::{Cli, Command};
use exit::Exit;
use mimalloc::MiMalloc;
use std::process::ExitCode;

/// Front end and translation make and drop very many small pieces of memory, some on another thread than their own.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    let cli = match args::parse(std::env::args_os()) {
        Ok(cli) => cli,
        Err(error) => {
            // `--help` and `--version` come this way too. Nothing can be done when the output is closed.
            let _ = error.print();
            return if error.use_stderr() { Exit::Usage } else { Exit::Fine }.into();
        }
    };
    // A panic is a fault of Norn's; its message has been printed by then.
    let exit = std::panic::catch_unwind(|| run(&cli)).unwrap_or_else(|_| {
        frontend::fail("internal error: please report it, with the input that led here", Exit::Internal)
    });
    exit.into()
}

fn run(cli: &Cli) -> Exit {
    match &cli.command {
        Command::Check(args) => commands::check::run(args),
        Command::Run(args) => commands::run::run(args),
        Command::Robust(args) => commands::robust::run(args),
        Command::Litmus(args) => commands::litmus::run(args),
        Command::Sequentialize(args) => commands::sequentialize::run(args),
        Command::Ir(args) => commands::ir::run(args),
    }
}
