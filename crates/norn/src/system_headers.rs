//! `--system-headers`: where the machine's own compiler finds its headers, and the macros that it begins with.
//!
//! Files are preprocessed by Norn, so that messages and traces show macros as they were written.

use crate::owned::Tool;
use norn_c::session::{System, Target};
use std::ffi::OsString;
use std::io::{self, Read};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::thread;

/// More than this are not macros.
const MAX_BYTES: u64 = 16 << 20;
/// Of what a compiler says.
const MAX_SAID_BYTES: u64 = 64 << 10;

/// What went wrong, and what the compiler said about it, if it said anything.
pub struct Failure {
    pub message: String,
    pub said: String,
}

/// Asks `cc` (or what `CC` names) where it looks for headers and which macros it defines.
pub fn system(target: Option<Target>) -> Result<System, Failure> {
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    let shown = compiler.to_string_lossy().into_owned();
    let mut command = Command::new(compiler);
    command.args(["-E", "-dM", "-v", "-x", "c"]);
    match target {
        Some(Target::Ilp32) => command.arg("-m32"),
        Some(Target::Lp64) => command.arg("-m64"),
        None => &mut command,
    };
    command.arg("-").stdin(Stdio::null()).env("LC_ALL", "C");
    let fail =
        |message: String, said: &[u8]| Failure { message, said: String::from_utf8_lossy(said).trim_end().to_owned() };
    let Output { stdout, stderr, status } =
        bounded_output(command).map_err(|e| fail(format!("cannot run '{shown}': {e}"), &[]))?;
    if stdout.len() as u64 > MAX_BYTES {
        let message = format!("'{shown} -E -dM' writes more than {} MiB", MAX_BYTES >> 20);
        return Err(fail(message, &[]));
    }
    if !status.success() {
        return Err(fail(format!("'{shown} -E -dM' failed"), &stderr));
    }
    let include_dirs = searched(&String::from_utf8_lossy(&stderr));
    if include_dirs.is_empty() {
        return Err(fail(format!("'{shown} -v' does not say where it looks for headers"), &stderr));
    }
    let predefined = String::from_utf8_lossy(&stdout).into_owned();
    Ok(System { include_dirs, predefined })
}

/// What to do if only the system has a header: the same command with its headers, if there is a compiler to ask.
pub fn help(words: impl Iterator<Item = OsString>) -> String {
    /// A longer command is not repeated.
    const LONGEST: usize = 300;
    let mut words = words.map(|word| quoted(&word.to_string_lossy())).collect::<Vec<_>>();
    words.insert(words.len().min(2), "--system-headers".to_owned());
    if let Some(program) = words.first_mut() {
        *program = "norn".to_owned();
    }
    let command = words.join(" ");
    let command = if command.len() <= LONGEST { command } else { "--system-headers".to_owned() };
    match is_compiler_there() {
        true => format!("if it is the system's, try: {command}"),
        false => "if it is the system's, --system-headers often works, where a C compiler is installed".to_owned(),
    }
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=+,./:@%".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

fn is_compiler_there() -> bool {
    if std::env::var_os("CC").is_some() {
        return true;
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join("cc").is_file())
}

/// The folders that `-v` lists.
fn searched(said: &str) -> Vec<PathBuf> {
    let lines = said.lines().skip_while(|line| !line.starts_with("#include <...>")).skip(1);
    let lines = lines.take_while(|line| line.starts_with(' ') && !line.ends_with(')'));
    lines.map(|line| PathBuf::from(line.trim())).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_found_in_what_a_compiler_says() {
        let said = "x\n#include \"...\" search starts here:\n /no\n#include <...> search starts here:\n /a b\n /c\n\
                    End of search list.\n /later\n";
        assert_eq!(searched(said), [PathBuf::from("/a b"), PathBuf::from("/c")]);
        assert_eq!(searched("nothing"), Vec::<PathBuf>::new());
    }

    #[test]
    fn the_command_to_try_is_one_for_a_shell() {
        let words = ["/x/norn", "check", "-DX=\"a b\"", "it's.c", "-m", "tso"].map(OsString::from);
        let said = help(words.into_iter());
        let expected = "norn check --system-headers '-DX=\"a b\"' 'it'\\''s.c' -m tso";
        assert!(said.ends_with(expected) || !is_compiler_there(), "{said}");
        let long = vec![OsString::from("x".repeat(1000))];
        assert!(help(long.into_iter()).len() < 200);
    }
}
