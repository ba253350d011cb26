//! Reads what commands are given beside C: schedules, tables, litmus tests.

use std::path::Path;

/// The text of a schedule, a table or the like.
pub fn read(path: &Path) -> Result<String, String> {
    const LIMIT: u64 = 256 << 20;
    let bytes = norn_ir::read::read(path, LIMIT).map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())
}

/// The text of a litmus test; what is not UTF-8 is replaced.
pub fn read_litmus(path: &Path) -> Result<String, String> {
    const LIMIT: u64 = 16 << 20;
    let bytes = norn_ir::read::read(path, LIMIT).map_err(|error| error.to_string())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
