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
    let exit = match &cli.command {
        Command::Ir(args) => commands::ir::run(args),
    };
    exit.into()
}
