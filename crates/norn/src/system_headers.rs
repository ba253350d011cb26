//! `--system-headers`: preprocess with the machine's own compiler.

use crate::args::CArgs;
use crate::owned::Tool;
use norn_c::driver::Input;
use norn_c::session::{MacroOption, Target};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;

/// More than this is not a program.
const MAX_BYTES: u64 = 256 << 20;
/// Of what a compiler says.
const MAX_SAID_BYTES: u64 = 64 << 10;

/// What went wrong, and what the compiler said about it, if it said anything.
pub struct Failure {
    pub message: String,
    pub said: String,
}

/// Runs `cc -E` (or what `CC` names) on each file; a file that is preprocessed already is taken as it is.
pub fn preprocess(args: &CArgs) -> Result<Vec<Input>, Failure> {
    args.files.iter().map(|file| preprocess_file(args, file)).collect()
}

fn preprocess_file(args: &CArgs, file: &Path) -> Result<Input, Failure> {
    if file.extension().is_some_and(|e| e == "i") {
        return Ok(Input::File(file.to_owned()));
    }
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    let shown = compiler.to_string_lossy().into_owned();
    let mut command = Command::new(compiler);
    command.arg("-E");
    match args.target() {
        Some(Target::Ilp32) => command.arg("-m32"),
        Some(Target::Lp64) => command.arg("-m64"),
        None => &mut command,
    };
    for dir in &args.include_dirs {
        command.arg("-I").arg(as_operand(dir));
    }
    let options = args.options();
    for option in &options.macros {
        match option {
            MacroOption::Define(text) => command.arg(format!("-D{text}")),
            MacroOption::Undefine(text) => command.arg(format!("-U{text}")),
        };
    }
    for include in &options.forced_includes {
        command.arg("-include").arg(as_operand(include));
    }
    let fail =
        |message: String, said: &[u8]| Failure { message, said: String::from_utf8_lossy(said).trim_end().to_owned() };
    command.arg(as_operand(file)).stdin(Stdio::null());
    // A pipe would make the compiler wait for ever.
    norn_ir::read::read(file, MAX_BYTES).map_err(|e| fail(format!("cannot read '{}': {e}", file.display()), &[]))?;
    let Output { stdout, stderr, status } =
        bounded_output(command).map_err(|e| fail(format!("cannot run '{shown}': {e}"), &[]))?;
    if stdout.len() as u64 > MAX_BYTES {
        let message = format!("'{shown} -E {}' writes more than {} MiB", file.display(), MAX_BYTES >> 20);
        return Err(fail(message, &[]));
    }
    if !status.success() {
        return Err(fail(format!("'{shown} -E {}' failed", file.display()), &stderr));
    }
    let text = String::from_utf8_lossy(&stdout).into_owned();
    Ok(Input::Text { name: format!("{}.i", file.display()), text })
}

/// What a compiler writes, of its output at most one byte more than is read.
fn bounded_output(mut command: Command) -> io::Result<Output> {
    let mut tool = Tool::start(command.stdout(Stdio::piped()).stderr(Stdio::piped()))?;
    let (out, err) = (tool.child.stdout.take(), tool.child.stderr.take());
    let errors = thread::spawn(move || bytes_of(err, MAX_SAID_BYTES));
    let stdout = bytes_of(out, MAX_BYTES + 1);
    if stdout.len() as u64 > MAX_BYTES {
        tool.end();
    }
    let status = tool.child.wait()?;
    Ok(Output { status, stdout, stderr: errors.join().unwrap_or_default() })
}

/// What was read before an error counts.
fn bytes_of(stream: Option<impl Read>, limit: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(stream) = stream {
        let mut limited = stream.take(limit);
        let _ = limited.read_to_end(&mut bytes);
        let _ = io::copy(&mut limited.into_inner().take(limit), &mut io::sink());
    }
    bytes
}

/// A name that no compiler takes for an option (`-o`), for a file of options (`@file`, which may name programs to run) or
/// for its standard input (`-`). A name that begins like a name is given as it is, so that places are shown as the user
/// knows them; any other begins with `./`. Not every compiler understands `--`.
fn as_operand(file: &Path) -> PathBuf {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"_./".contains(byte);
    match file.as_os_str().as_encoded_bytes().first() {
        Some(first) if is_plain(first) => file.to_owned(),
        _ => Path::new(".").join(file),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_no_options() {
        for name in ["-x.c", "@x.c", "-", "", "+x", "\u{e9}"] {
            assert_eq!(as_operand(Path::new(name)).as_os_str(), format!("./{name}").as_str());
        }
        for name in ["x.c", "d/-x.c", "d/@x.c", "/d/x.c", "../x.c"] {
            assert_eq!(as_operand(Path::new(name)), Path::new(name));
        }
    }
}
