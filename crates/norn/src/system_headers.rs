//! `--system-headers`: preprocess with the machine's own compiler.

use crate::args::CArgs;
use norn_c::driver::Input;
use norn_c::session::{MacroOption, Target};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs `cc -E` (or what `CC` names) on each file; a file that is preprocessed already is taken as it is.
pub fn preprocess(args: &CArgs) -> Result<Vec<Input>, String> {
    args.files.iter().map(|file| preprocess_file(args, file)).collect()
}

fn preprocess_file(args: &CArgs, file: &Path) -> Result<Input, String> {
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
        command.arg("-I").arg(dir);
    }
    let options = args.options();
    for option in &options.macros {
        match option {
            MacroOption::Define(text) => command.arg(format!("-D{text}")),
            MacroOption::Undefine(text) => command.arg(format!("-U{text}")),
        };
    }
    for include in &options.forced_includes {
        command.arg("-include").arg(include);
    }
    let output = command.arg(as_operand(file)).output().map_err(|e| format!("cannot run '{shown}': {e}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("'{shown} -E {}' failed:\n{}", file.display(), said.trim_end()));
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(Input::Text { name: format!("{}.i", file.display()), text })
}

/// A name that no compiler takes for an option. Not every one understands `--`.
fn as_operand(file: &Path) -> PathBuf {
    if file.as_os_str().as_encoded_bytes().starts_with(b"-") { Path::new(".").join(file) } else { file.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_no_options() {
        assert_eq!(as_operand(Path::new("-x.c")), Path::new("./-x.c"));
        assert_eq!(as_operand(Path::new("d/-x.c")), Path::new("d/-x.c"));
    }
}
