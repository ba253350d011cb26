//! Bytes of files as text.

use crate::session::Options;
use norn_ir::diag::Diagnostic;
use norn_ir::read;
use norn_ir::source::Loc;
use std::path::Path;

/// More than this is not a program.
const MAX_FILE_BYTES: u64 = 256 << 20;

/// Why there is no text.
#[derive(Debug)]
pub enum ReadError {
    File(read::ReadError),
    NotText {
        utf16: bool,
    },
    /// All texts together are more than places can be counted in.
    TooLarge,
}

impl ReadError {
    /// The finding for a file named `path` that was asked for at `loc`.
    pub fn diagnostic(&self, loc: Loc, path: &Path) -> Diagnostic {
        let path = path.display();
        match self {
            ReadError::File(error) => Diagnostic::error(loc, format!("cannot read '{path}': {error}")),
            ReadError::NotText { utf16: false } => Diagnostic::error(loc, format!("'{path}' is not a text file")),
            ReadError::NotText { utf16: true } => Diagnostic::error(loc, format!("'{path}' is not a text file"))
                .help("it looks like UTF-16: save it as UTF-8"),
            ReadError::TooLarge => {
                Diagnostic::error(loc, format!("'{path}' is too large: all texts together have more than 4 GiB"))
            }
        }
    }
}

/// The text of a file. What is not UTF-8 is replaced: most often it is a comment in Latin-1.
pub fn read_text(path: &Path) -> Result<String, ReadError> {
    let bytes = read::read(path, MAX_FILE_BYTES).map_err(ReadError::File)?;
    if bytes.contains(&0) {
        let utf16 = bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]);
        return Err(ReadError::NotText { utf16 });
    }
    text_of(bytes).map(without_byte_order_mark).ok_or(ReadError::NotText { utf16: false })
}

/// The text of a file, or what the options have in its place.
pub fn text_of_file(options: &Options, path: &Path) -> Result<String, ReadError> {
    match options.texts.get(path) {
        Some(text) => Ok(text.to_string()),
        None => read_text(path),
    }
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
            assert_eq!(message("/dev/zero"), "cannot read '/dev/zero': it is a device, not a file");
        }
    }
}
