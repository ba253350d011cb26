//! Bytes of files as text.

use norn_ir::diag::Diagnostic;
use norn_ir::source::Loc;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// More than this is not a program; a device or pipe without end must not fill the memory.
const MAX_FILE_BYTES: usize = 1 << 30;

/// For a file that claims to be larger, room is made as it is read.
const LIKELY_FILE_BYTES: u64 = 16 << 20;

/// Why there is no text.
#[derive(Debug)]
pub enum ReadError {
    Io(io::Error),
    NotText { utf16: bool },
    TooLarge,
}

impl ReadError {
    /// The finding for a file named `path` that was asked for at `loc`.
    pub fn diagnostic(&self, loc: Loc, path: &Path) -> Diagnostic {
        let path = path.display();
        match self {
            ReadError::Io(error) => Diagnostic::error(loc, format!("cannot read '{path}': {}", reason(error))),
            ReadError::NotText { utf16: false } => Diagnostic::error(loc, format!("'{path}' is not a text file")),
            ReadError::NotText { utf16: true } => Diagnostic::error(loc, format!("'{path}' is not a text file"))
                .help("it looks like UTF-16: save it as UTF-8"),
            ReadError::TooLarge => Diagnostic::error(loc, format!("'{path}' is too large")),
        }
    }
}

/// The text of a file. What is not UTF-8 is replaced: most often it is a comment in Latin-1.
pub fn read_text(path: &Path) -> Result<String, ReadError> {
    let mut file = File::open(path).map_err(ReadError::Io)?;
    let metadata = file.metadata();
    if metadata.as_ref().is_ok_and(|m| m.is_dir()) {
        return Err(ReadError::Io(io::ErrorKind::IsADirectory.into()));
    }
    let size = metadata.map_or(0, |m| m.len()).min(LIKELY_FILE_BYTES);
    let mut bytes = Vec::with_capacity(size as usize + 1);
    loop {
        let read = bytes.len();
        let limit = 64 * 1024 + read as u64;
        // In pieces that grow, so that an endless binary device is found out early.
        file.by_ref().take(limit).read_to_end(&mut bytes).map_err(ReadError::Io)?;
        if bytes[read..].contains(&0) {
            return Err(ReadError::NotText {
                utf16: bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]),
            });
        }
        if bytes.len() == read {
            break;
        }
        if bytes.len() > MAX_FILE_BYTES {
            return Err(ReadError::TooLarge);
        }
    }
    text_of(bytes).map(without_byte_order_mark).ok_or(ReadError::NotText { utf16: false })
}

/// Drops the mark that some editors put before UTF-8.
pub fn without_byte_order_mark(mut text: String) -> String {
    if text.starts_with('\u{FEFF}') {
        text.drain(..'\u{FEFF}'.len_utf8());
    }
    text
}

fn text_of(bytes: Vec<u8>) -> Option<String> {
    // White space, backspace and escape are at home in texts; written without branches, as it sees every byte.
    let odd = |&b: &u8| u8::from((b < 0x20) & (b.wrapping_sub(8) > 5) & (b != 0x1B));
    let odd_in = |piece: &[u8]| usize::from(piece.iter().map(odd).fold(0, u8::wrapping_add));
    if bytes.chunks(usize::from(u8::MAX)).map(odd_in).sum::<usize>() * 10 > bytes.len() {
        return None;
    }
    String::from_utf8(bytes).map(Some).unwrap_or_else(|error| {
        let bytes = error.into_bytes();
        let high = bytes.iter().filter(|&&b| b >= 0x80).count();
        (high * 2 <= bytes.len()).then(|| String::from_utf8_lossy(&bytes).into_owned())
    })
}

fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or directory".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::IsADirectory => "it is a directory".to_owned(),
        io::ErrorKind::NotADirectory => "a part of the path is not a directory".to_owned(),
        io::ErrorKind::InvalidInput => "the name is not valid".to_owned(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_told_from_binary() {
        assert_eq!(text_of(b"int x;\n".to_vec()).as_deref(), Some("int x;\n"));
        assert_eq!(text_of(b"/* caf\xE9 */ int x;".to_vec()).as_deref(), Some("/* caf\u{FFFD} */ int x;"));
        assert_eq!(text_of((1..=255).collect()), None);
        assert_eq!(text_of(vec![0xE9; 100]), None);
        assert_eq!(text_of(vec![1; 100]), None);
        assert_eq!(text_of(Vec::new()).as_deref(), Some(""));
    }

    #[test]
    fn unreadable_files_say_why() {
        let message = |path: &str| {
            let path = Path::new(path);
            read_text(path).unwrap_err().diagnostic(Loc::NONE, path).message
        };
        assert_eq!(message("no/such/file.c"), "cannot read 'no/such/file.c': no such file or directory");
        assert_eq!(message("."), "cannot read '.': it is a directory");
        if Path::new("/dev/zero").exists() {
            assert_eq!(message("/dev/zero"), "'/dev/zero' is not a text file");
        }
    }
}
