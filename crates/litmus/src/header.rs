//! The first lines of a litmus file: `PPC name`, then remarks in quotes, comments and `key=value` lines up to the
//! opening brace of the initial state. Only the architecture and the name matter.

use crate::Arch;
use crate::token::{File, Parsed, skip_comment};

pub(crate) struct Header {
    pub arch: Arch,
    /// Offset of the name of the architecture.
    pub start: usize,
    pub name: String,
    /// Offset after the opening brace of the initial state.
    pub body: usize,
}

pub(crate) fn parse(file: &File<'_>) -> Parsed<Header> {
    let mut at = skip_blank(file, 0)?;
    let (arch_start, arch_word) = word(file.text, at);
    let arch = match arch_word {
        "PPC" => Arch::Ppc,
        "X86" => Arch::X86,
        "X86_64" => Arch::X86_64,
        "AArch64" => Arch::AArch64,
        "RISCV" => Arch::RiscV,
        "C" => Arch::C,
        "" => return Err(file.error(at, 0, "the file has no first line").help(FIRST_LINE)),
        other => {
            let message = format!("'{}' is not an architecture that can be read", shortened(other));
            return Err(file.error(arch_start, other.len(), message).help(FIRST_LINE));
        }
    };
    at = arch_start + arch_word.len();
    let (name_start, name) = word(file.text, at);
    if name.is_empty() || name == "{" {
        return Err(file.error(at, 0, "the test has no name").help(FIRST_LINE));
    }
    let body = find_brace(file, name_start + name.len())?;
    Ok(Header { arch, start: arch_start, name: name.to_owned(), body })
}

const FIRST_LINE: &str =
    "the first line is an architecture (AArch64, RISCV, PPC, X86, X86_64 or C) and the name of the test";

fn shortened(word: &str) -> String {
    const SHOWN: usize = 40;
    let mut text: String = word.chars().take(SHOWN).flat_map(char::escape_debug).collect();
    if word.chars().nth(SHOWN).is_some() {
        text.push('…');
    }
    text
}

/// Skips empty lines and comments.
fn skip_blank(file: &File<'_>, mut at: usize) -> Parsed<usize> {
    loop {
        let rest = &file.text[at..];
        let trimmed = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '\u{feff}');
        at += rest.len() - trimmed.len();
        if !trimmed.starts_with("(*") {
            return Ok(at);
        }
        at = skip_comment(file, at)?;
    }
}

/// The next word of the line, and where it starts.
fn word(text: &str, at: usize) -> (usize, &str) {
    let rest = &text[at..];
    let start = at + rest.len() - rest.trim_start_matches([' ', '\t']).len();
    let length = text[start..].find(|c: char| c.is_ascii_whitespace()).unwrap_or(text.len() - start);
    (start, &text[start..start + length])
}

/// The offset after the first brace that is not in a comment, in quotes or in a `key=value` line.
fn find_brace(file: &File<'_>, mut at: usize) -> Parsed<usize> {
    let text = file.text;
    let mut line_begins = false;
    while let Some(&byte) = text.as_bytes().get(at) {
        let rest = &text[at..];
        let line = || rest.find('\n').unwrap_or(rest.len());
        match byte {
            b'\n' => {
                line_begins = true;
                at += 1;
                continue;
            }
            b'{' => return Ok(at + 1),
            b' ' | b'\t' | b'\r' => {
                at += 1;
                continue;
            }
            b'"' => {
                // Quotes that are not closed on their line happen; the line is over then.
                let inside = &rest[1..line()];
                at += inside.find('"').map_or(1 + inside.len(), |n| n + 2);
            }
            _ if rest.starts_with("(*") => at = skip_comment(file, at)?,
            _ if line_begins && is_key_line(&rest[..line()]) => at += line(),
            _ => at += rest.chars().next().map_or(1, char::len_utf8),
        }
        line_begins = false;
    }
    Err(file
        .error(text.len(), 0, "the file ends before the initial state")
        .help("the initial state stands between braces after the first lines; it may be empty: '{ }'"))
}

fn is_key_line(line: &str) -> bool {
    line.split_once('=').is_some_and(|(key, _)| {
        let key = key.trim_end();
        !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b"_/.-".contains(&b))
    })
}
