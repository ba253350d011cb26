//! The command line.

use clap::parser::ArgMatches;
use clap::{Args, Parser, Subcommand};
use norn_c::driver::Input;
use norn_c::session::{MacroOption, Options, Target};
use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Parser, Debug)]
#[command(
    name = "norn",
    version,
    about = "Verifies multithreaded C programs under the memory models SC, TSO and PSO",
    disable_help_subcommand = true,
    arg_required_else_help = true,
    max_term_width = 100,
    after_help = "Exit status: 0 fine, 1 wrong usage, 2 the input is not C, 5 unknown, 6 internal error.\n\
                  Try `norn ir --help`, and the programs in `examples/`."
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Print the program's intermediate representation
    ///
    /// Reads C, links the files into one program together with the models of the library functions that it calls, and
    /// prints what every engine of Norn starts from: each access to memory, fence, atomic section and thread operation
    /// is one instruction.
    #[command(
        after_help = "Examples:\n  norn ir examples/store_buffering.c\n  norn ir -D FENCED examples/dekker.c\n  \
                            norn ir --stats preprocessed.i"
    )]
    Ir(IrArgs),
}

#[derive(Args, Debug)]
pub struct IrArgs {
    #[command(flatten)]
    pub c: CArgs,

    /// Print how long each stage took, on standard error
    #[arg(long)]
    pub stats: bool,
}

/// The options that concern C, the same in every command that reads C.
#[derive(Args, Debug)]
pub struct CArgs {
    /// C files, linked into one program; `.i` means already preprocessed
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,

    /// Look for included files here, in the order given, before the built-in headers
    #[arg(short = 'I', value_name = "DIR", help_heading = "C")]
    pub include_dirs: Vec<PathBuf>,

    /// Define a macro, as 1 or as the value given
    #[arg(short = 'D', value_name = "NAME[=VALUE]", help_heading = "C")]
    pub define: Vec<String>,

    /// Undefine a macro
    #[arg(short = 'U', value_name = "NAME", help_heading = "C")]
    pub undefine: Vec<String>,

    /// Include a file before the first line (also written `-include FILE`)
    #[arg(long, value_name = "FILE", help_heading = "C")]
    pub include: Vec<PathBuf>,

    /// int, long and pointers have 32 bits (ILP32)
    #[arg(long = "32", conflicts_with = "lp64", help_heading = "C")]
    pub ilp32: bool,

    /// long and pointers have 64 bits (LP64); the default, unless a preprocessed file says otherwise
    #[arg(long = "64", help_heading = "C")]
    pub lp64: bool,

    /// Preprocess with the machine's `cc -E` and its headers instead of the built-in ones
    #[arg(long, help_heading = "C")]
    pub system_headers: bool,

    /// The function in which the program starts
    #[arg(long, value_name = "FUNCTION", default_value = "main", help_heading = "C")]
    pub entry: String,

    /// Functions without a body return any value, instead of making the verdict unknown
    #[arg(long, help_heading = "C")]
    pub undefined_as_nondet: bool,

    /// `-D` and `-U` in the order in which they were written.
    #[arg(skip)]
    macros: Vec<MacroOption>,
}

impl CArgs {
    pub fn target(&self) -> Option<Target> {
        match (self.ilp32, self.lp64) {
            (true, _) => Some(Target::Ilp32),
            (_, true) => Some(Target::Lp64),
            _ => None,
        }
    }

    pub fn options(&self) -> Options {
        Options {
            include_dirs: self.include_dirs.clone(),
            macros: self.macros.clone(),
            forced_includes: self.include.clone(),
            undefined_functions_return_nondet: self.undefined_as_nondet,
            entry: self.entry.clone(),
            ..Options::default()
        }
    }

    pub fn inputs(&self) -> Vec<Input> {
        self.files.iter().cloned().map(Input::File).collect()
    }

    /// clap collects `-D` and `-U` apart; which came first decides.
    fn order_macros(&mut self, matches: &ArgMatches) {
        let indexed = |id: &str, values: &[String], make: fn(String) -> MacroOption| {
            let indices = matches.indices_of(id).map(Iterator::collect::<Vec<_>>).unwrap_or_default();
            indices.into_iter().zip(values.iter().cloned().map(make)).collect::<Vec<_>>()
        };
        let mut all = indexed("define", &self.define, MacroOption::Define);
        all.extend(indexed("undefine", &self.undefine, MacroOption::Undefine));
        all.sort_by_key(|&(index, _)| index);
        self.macros = all.into_iter().map(|(_, option)| option).collect();
    }
}

/// Parses the command line. `-include` is spelled as compilers do.
pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    use clap::{CommandFactory, FromArgMatches};
    let args = args.into_iter().map(|arg| if arg == "-include" { "--include".into() } else { arg });
    let matches = Cli::command().try_get_matches_from(args)?;
    let mut cli = Cli::from_arg_matches(&matches)?;
    if let Some((_, sub)) = matches.subcommand() {
        match &mut cli.command {
            Command::Ir(ir) => ir.c.order_macros(sub),
        }
    }
    Ok(cli)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn c_args(line: &str) -> CArgs {
        let words = line.split_whitespace().map(OsString::from);
        match parse(words).expect("the line should parse").command {
            Command::Ir(ir) => ir.c,
        }
    }

    #[test]
    fn the_command_line_is_well_formed() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }

    #[test]
    fn macros_keep_their_order() {
        let args = c_args("norn ir -D A -U A -DB=2 -U B -D A=3 x.c");
        let text = args.options().macros.iter().map(|m| format!("{m:?}")).collect::<Vec<_>>().join(" ");
        let expected = r#"Define("A") Undefine("A") Define("B=2") Undefine("B") Define("A=3")"#;
        assert_eq!(text, expected);
    }

    #[test]
    fn include_may_be_spelled_as_compilers_do() {
        assert_eq!(c_args("norn ir -include a.h x.c").include, [PathBuf::from("a.h")]);
    }

    #[test]
    fn the_two_data_models_exclude_each_other() {
        assert_eq!(c_args("norn ir --32 x.c").target(), Some(Target::Ilp32));
        assert_eq!(c_args("norn ir x.c").target(), None);
        assert!(parse(["norn", "ir", "--32", "--64", "x.c"].map(OsString::from)).is_err());
    }
}
