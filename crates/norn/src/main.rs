//! The command `norn`: arguments, files, and what is shown. Analysis lives in the other crates.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is the crate that talks to people")]

mod args;
mod asking;
mod backend;
mod bundle;
mod commands;
mod compile_commands;
mod compiler_flags;
mod exit;
mod expectations;
mod explaining;
mod files;
mod frontend;
mod harness;
mod input;
mod json_output;
mod limits;
mod litmus_model;
mod loops;
mod output;
mod owned;
mod progress;
mod reach;
mod render;
mod system_headers;
mod tiles;
mod watch;
mod witness;

use args::{Cli, Command};
use exit::Exit;
use mimalloc::MiMalloc;
use norn_c::driver::NoRoom;
use norn_report::visible::visible_up_to;
use norn_verdict::limits::Exceeded;
use std::io::Write;
use std::panic::PanicHookInfo;
use std::process::ExitCode;

/// Front end and translation make and drop very many small pieces of memory, some on another thread than their own.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    watch::begin();
    json_output::expect(std::env::args_os().skip(1));
    std::panic::set_hook(Box::new(report_panic));
    let cli = match args::parse(std::env::args_os()) {
        Ok(cli) => cli,
        Err(error) => {
            // `--help` and `--version` come this way too.
            let fine = if error.use_stderr() { Exit::Usage } else { Exit::Fine };
            if fine == Exit::Usage {
                json_output::usage(&error.to_string());
            }
            let written = error.print().and_then(|()| std::io::stdout().flush());
            return if written.is_err() && fine == Exit::Fine { Exit::Unwritten } else { fine }.into();
        }
    };
    // A panic is a fault of Norn's; its message has been printed by then.
    let exit = std::panic::catch_unwind(|| run(&cli)).unwrap_or_else(|panic| {
        if panic.is::<NoRoom>() {
            watch::end(Exceeded::Memory);
        }
        output::fail("internal error: please report it, with the input that led here", Exit::Internal)
    });
    json_output::end(exit);
    // Nobody else speaks from now on: the verdict has been given.
    std::mem::forget(watch::speak());
    exit.into()
}

/// What went wrong inside, in one line whatever it was about.
fn report_panic(panic: &PanicHookInfo<'_>) {
    let place = panic.location().map(|place| format!(" at {place}")).unwrap_or_default();
    let message = panic.payload_as_str().unwrap_or_default();
    output::say(&format!("norn: panicked{place}: {}\n", visible_up_to(message, 4000)));
}

fn run(cli: &Cli) -> Exit {
    match &cli.command {
        Command::Check(args) => commands::check::run(args),
        Command::Run(args) => commands::run::run(args),
        Command::Explain(args) => commands::explain::run(args),
        Command::Robust(args) => commands::robust::run(args),
        Command::Repair(args) => commands::repair::run(args),
        Command::Relax(args) => commands::relax::run(args),
        Command::Validate(args) => commands::validate::run(args),
        Command::Litmus(args) => commands::litmus::run(args),
        Command::Sequentialize(args) => commands::sequentialize::run(args),
        Command::Ir(args) => commands::ir::run(args),
        Command::Split(args) => commands::split::run(args),
        Command::Work(args) => commands::work::run(args),
        Command::Gather(args) => commands::gather::run(args),
    }
}
