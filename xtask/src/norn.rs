//! Building and running the release binary.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// The root of the project.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask should lie in the project").to_owned()
}

/// The release binary.
pub struct Norn(PathBuf);

/// One run of it.
pub struct Run {
    pub output: Output,
    pub time: Duration,
}

impl Norn {
    /// Builds the release binary, if it is not up to date; `NORN_BINARY` names another one, so that a long run goes on with
    /// the binary that it began with.
    pub fn build() -> Result<Norn, String> {
        if let Some(binary) = std::env::var_os("NORN_BINARY") {
            return Ok(Norn(PathBuf::from(binary)));
        }
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let build = Command::new(cargo)
            .args(["build", "--quiet", "--release", "--package", "norn"])
            .current_dir(root())
            .status()
            .map_err(|e| format!("cannot run cargo: {e}"))?;
        if !build.success() {
            return Err("the build failed".to_owned());
        }
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
        Ok(Norn(target.join("release").join("norn")))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn run(&self, args: &[String]) -> Result<Run, String> {
        let start = Instant::now();
        let output = Command::new(&self.0).args(args).output().map_err(|e| format!("cannot run norn: {e}"))?;
        Ok(Run { output, time: start.elapsed() })
    }
}

impl Run {
    /// The exit status and the last line of standard error: enough to see what went wrong.
    pub fn summary(&self) -> String {
        let stderr = String::from_utf8_lossy(&self.output.stderr);
        let first = stderr.lines().find(|line| !line.trim().is_empty()).unwrap_or("");
        match self.output.status.code() {
            Some(code) => format!("exit {code}: {first}"),
            None => format!("killed: {first}"),
        }
    }
}
