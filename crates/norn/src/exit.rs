//! Exit statuses: a script can rely on them.

use std::process::ExitCode;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// Safe, also within bounds; or the command did what it was asked to.
    Fine = 0,
    /// Wrong usage of the command line.
    Usage = 1,
    /// The input is not C, with a diagnostic that says why.
    BadInput = 2,
    /// Unsafe: a violation was found and replayed; or results differ from what was expected.
    Unsafe = 10,
    /// Unknown, with the reason: a limit, or C that Norn cannot handle.
    Unknown = 5,
    /// A fault in Norn itself.
    Internal = 6,
    /// The output, or a file that was asked for, could not be written: what was found may not have been seen.
    Unwritten = 7,
    /// Interrupted by the user, after printing what was reached.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}
