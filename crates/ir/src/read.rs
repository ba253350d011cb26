//! Reads the files that users name: regular ones, up to a size.
//!
//! A pipe that nobody writes to would never be read, and a device may have no end. So only regular files are opened,
//! and reading stops as soon as a file turns out to be larger than its purpose allows.

use crate::number::to_usize;
use std::fmt;
use std::fs::{self, File, FileType};
use std::io::{self, Read};
use std::path::Path;

/// Why a file was not read.
#[derive(Debug)]
pub enum ReadError {
    Io(io::Error),
    /// What the path names instead of a regular file, in words.
    NotRegular(&'static str),
    /// The file has more bytes than this.
    TooLarge {
        limit: u64,
    },
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Io(error) => match error.kind() {
                io::ErrorKind::NotFound => f.write_str("no such file or directory"),
                io::ErrorKind::PermissionDenied => f.write_str("permission denied"),
                io::ErrorKind::NotADirectory => f.write_str("a part of the path is not a directory"),
                io::ErrorKind::InvalidInput => f.write_str("the name is not valid"),
                _ => write!(f, "{error}"),
            },
            ReadError::NotRegular(what) => write!(f, "it is a {what}"),
            ReadError::TooLarge { limit } => match limit >> 20 {
                0 => write!(f, "it has more than {limit} bytes"),
                mebibytes => write!(f, "it has more than {mebibytes} MiB"),
            },
        }
    }
}

/// The content of a regular file of at most `limit` bytes.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    let is_regular = |kind: FileType| match what(kind) {
        None => Ok(()),
        Some(other) => Err(ReadError::NotRegular(other)),
    };
    // Before it is opened, since to open a pipe is to wait for a writer; and after, since it may have been replaced.
    is_regular(fs::metadata(path).map_err(ReadError::Io)?.file_type())?;
    let file = File::open(path).map_err(ReadError::Io)?;
    let metadata = file.metadata().map_err(ReadError::Io)?;
    is_regular(metadata.file_type())?;
    let too_large = ReadError::TooLarge { limit };
    if metadata.len() > limit {
        return Err(too_large);
    }
    let mut bytes = Vec::with_capacity(to_usize(metadata.len()) + 1);
    // It may grow while it is read, and some files (those of /proc) do not say how large they are.
    file.take(limit + 1).read_to_end(&mut bytes).map_err(ReadError::Io)?;
    if bytes.len() as u64 > limit { Err(too_large) } else { Ok(bytes) }
}

/// What something is that is not a regular file.
fn what(kind: FileType) -> Option<&'static str> {
    if kind.is_file() {
        return None;
    }
    if kind.is_dir() {
        return Some("directory");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return Some("pipe, not a file");
        }
        if kind.is_socket() {
            return Some("socket, not a file");
        }
    }
    Some("device, not a file")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, limit: u64, expected: &str) {
        assert_eq!(read(Path::new(path), limit).expect_err(path).to_string(), expected);
    }

    #[test]
    fn what_is_no_file_is_not_opened() {
        check("no/such/file", 1, "no such file or directory");
        check(".", 1, "it is a directory");
        check("src/read.rs", 10, "it has more than 10 bytes");
        check("src/read.rs/x", 10, "a part of the path is not a directory");
        assert!(read(Path::new("src/read.rs"), 1 << 20).is_ok_and(|bytes| bytes.starts_with(b"//!")));
        if cfg!(unix) {
            check("/dev/zero", 1 << 20, "it is a device, not a file");
        }
    }
}
