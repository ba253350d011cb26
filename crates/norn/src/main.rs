//! The command `norn`: arguments, files, and what is shown. Analysis lives in the other crates.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is the crate that talks to people")]

mod args;
mod commands;
mod exit;
mod frontend;
mod render;
mod system_headers;

use args::Command;
use exit::Exit;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match args::parse(std::env::args_os()) {
        Ok(cli) => cli,
        Err(error) => {
            // `--help` and `--version` come this way too. Nothing can be done when the output is closed.
            let _ = error.print();
            return if error.use_stderr() { Exit::Usage } else { Exit::Fine }.into();
        }
    };
    let exit = std::panic::catch_unwind(|| match &cli.command {
        Command::Ir(args) => commands::ir::run(args),
    });
    // What went wrong, and where, has been printed.
    exit.unwrap_or_else(|_| frontend::fail("internal error: please report it, with the input", Exit::Internal)).into()
}
