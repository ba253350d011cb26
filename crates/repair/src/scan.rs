//! A look at the text of C without its grammar: where a statement ends, what a line begins with.

use std::ops::Range;

/// Skips what is no code from a byte on: a comment, a string, a character constant. The byte after it, if there is one.
fn after_opaque(text: &[u8], at: usize) -> Option<usize> {
    let rest = &text[at..];
    if rest.starts_with(b"//") {
        return Some(rest.iter().position(|&b| b == b'\n').map_or(text.len(), |end| at + end));
    }
    if rest.starts_with(b"/*") {
        return Some(rest[2..].windows(2).position(|pair| pair == b"*/").map_or(text.len(), |end| at + 2 + end + 2));
    }
    let quote = *rest.first().filter(|b| matches!(b, b'"' | b'\''))?;
    let mut end = at + 1;
    while end < text.len() && text[end] != quote && text[end] != b'\n' {
        end += if text[end] == b'\\' { 2 } else { 1 };
    }
    Some((end + 1).min(text.len()))
}

/// Where a simple statement that begins here ends: behind its semicolon.
pub fn end_of_statement(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (start, 0_usize);
    while at < bytes.len() {
        if let Some(next) = after_opaque(bytes, at) {
            at = next;
            continue;
        }
        match bytes[at] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.checked_sub(1)?,
            b';' if depth == 0 => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
    None
}

/// The parenthesis that closes the first one from here on.
pub fn closing_parenthesis(text: &str, start: usize) -> Option<usize> {
    closing(text, start, b'(', b')')
}

/// The bracket that closes the first one from here on.
pub fn closing_bracket(text: &str, start: usize) -> Option<usize> {
    closing(text, start, b'[', b']')
}

fn closing(text: &str, start: usize, open: u8, close: u8) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (start, 0_usize);
    while at < bytes.len() {
        if let Some(next) = after_opaque(bytes, at) {
            at = next;
            continue;
        }
        match bytes[at] {
            byte if byte == open => depth += 1,
            byte if byte == close => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            b';' if depth == 0 => return None,
            _ => {}
        }
        at += 1;
    }
    None
}

/// The identifier that stands here; empty if there is none.
pub fn word_at(text: &str, at: usize) -> &str {
    let rest = text.get(at..).unwrap_or_default();
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    &rest[..end]
}

/// Where identifiers begin, without those in comments and strings.
pub fn words(text: &str) -> impl Iterator<Item = usize> + '_ {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            if let Some(next) = after_opaque(bytes, at) {
                at = next;
                continue;
            }
            let start = at;
            while at < bytes.len() && (bytes[at].is_ascii_alphanumeric() || bytes[at] == b'_') {
                at += 1;
            }
            if at == start {
                at += 1;
            } else if !bytes[start].is_ascii_digit() {
                return Some(start);
            }
        }
        None
    })
}

/// A statement, with its line if nothing else stands there but a comment on it.
pub fn with_its_line(text: &str, statement: Range<usize>) -> Range<usize> {
    let start = line_start(text, statement.start);
    let end = text[statement.end..].find('\n').map_or(text.len(), |end| statement.end + end + 1);
    let rest = text[statement.end..end].trim();
    let is_comment = rest.starts_with("//")
        || rest.strip_prefix("/*").and_then(|rest| rest.strip_suffix("*/")).is_some_and(|rest| !rest.contains("*/"));
    let is_continued = text[start..end].trim_end().ends_with('\\');
    if text[start..statement.start].trim().is_empty() && (rest.is_empty() || is_comment) && !is_continued {
        return start..end;
    }
    // With the blanks behind it.
    let blanks = text[statement.end..end].len() - text[statement.end..end].trim_start_matches([' ', '\t']).len();
    statement.start..statement.end + blanks
}

/// Where the line of a byte begins.
pub fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |before| before + 1)
}

/// The white space at the beginning of the line of a byte.
pub fn indent(text: &str, at: usize) -> &str {
    let line = &text[line_start(text, at)..];
    let end = line.find(|c: char| c != ' ' && c != '\t').unwrap_or(line.len());
    &line[..end]
}

/// The number of the line of a byte, from 1.
pub fn line_number(text: &str, at: usize) -> usize {
    text.as_bytes()[..at].iter().filter(|&&b| b == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_end_at_their_own_semicolon() {
        let end = |text: &str| end_of_statement(text, 0).map(|end| text[..end].to_owned());
        for (text, expected) in [
            ("x = 1; y", Some("x = 1;")),
            ("f(\";\", ';', '\\''); y", Some("f(\";\", ';', '\\'');")),
            ("a[({ 1; })] = 2 /* ; */ // ;\n; y", Some("a[({ 1; })] = 2 /* ; */ // ;\n;")),
            ("x } ;", None),
            ("x", None),
        ] {
            assert_eq!(end(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn parentheses_are_matched() {
        let text = "f (a, \")\", (b)) )";
        assert_eq!(closing_parenthesis(text, 0), Some(14));
        assert_eq!(closing_parenthesis("f; (a)", 0), None);
        assert_eq!((word_at("ab_1(c", 0), word_at("(", 0)), ("ab_1", ""));
    }

    #[test]
    fn words_are_those_of_code() {
        let text = "a1 /* b */ \"c\" 'd' 12e _f // g\nh";
        assert_eq!(words(text).map(|at| word_at(text, at)).collect::<Vec<_>>(), ["a1", "_f", "h"]);
    }

    #[test]
    fn statements_are_removed_with_their_lines() {
        let removed = |text: &str| {
            let at = text.find("f();").expect("a statement");
            let range = with_its_line(text, at..at + 4);
            [&text[..range.start], &text[range.end..]].concat()
        };
        assert_eq!(removed("a;\n  f();\nb;\n"), "a;\nb;\n");
        assert_eq!(removed("a;\n  f(); // why\nb;\n"), "a;\nb;\n");
        assert_eq!(removed("a; f(); b;\n"), "a; b;\n");
        assert_eq!(removed("f(); /* begins\nends */\n"), "/* begins\nends */\n");
        assert_eq!(removed("#define M \\\n  f(); \\\n  g();\n"), "#define M \\\n  \\\n  g();\n");
        assert_eq!(removed("f();"), "");
    }

    #[test]
    fn lines_have_indents_and_numbers() {
        let text = "a\n \tb c\n";
        assert_eq!((indent(text, 6), line_number(text, 6), line_start(text, 6)), (" \t", 2, 2));
        assert_eq!((indent(text, 0), line_number(text, 0)), ("", 1));
    }
}
