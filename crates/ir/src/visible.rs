//! Text of others (names, source lines, values, reasons) made fit to be shown.
//!
//! A file, an identifier, a `#line` or a string may hold anything: escape sequences that repaint a terminal, line breaks that
//! imitate the verdict line, marks that turn the direction of the text, megabytes. Everything that Norn shows and did not write
//! itself goes through one of these functions, in the renderers of reports and of diagnostics:
//!
//! - [`visible`]: a piece of one line; hidden characters are written as escapes, a very long piece is cut in the middle
//! - [`visible_lines`]: the same for text of several lines, never cut
//! - [`source_text`]: a source line, one character for each character, so that columns stay where they are

use std::borrow::Cow;

/// The most characters of a piece that are shown; a longer piece is cut in the middle.
pub const LONGEST: usize = 400;

/// Characters that change how a terminal shows others, or that nobody sees: controls, marks of direction, separators of
/// lines, blanks without width, and tags.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
        || matches!(c, '\u{e0000}'..='\u{e0fff}')
}

/// A piece of one line, at most [`LONGEST`] characters of it.
pub fn visible(text: &str) -> Cow<'_, str> {
    visible_up_to(text, LONGEST)
}

/// A piece of one line; of more than `longest` characters the first and the last are shown.
pub fn visible_up_to(text: &str, longest: usize) -> Cow<'_, str> {
    if text.len() <= longest && !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let shown = text.len() / 4 > longest || text.chars().count() > longest;
    if !shown {
        return Cow::Owned(escaped(text, |_| false));
    }
    let tail = longest / 4;
    let begin = text.chars().take(longest - tail).collect::<String>();
    let end_from = text.char_indices().rev().nth(tail.saturating_sub(1)).map_or(text.len(), |(at, _)| at);
    let left_out = text.len().saturating_sub(begin.len() + (text.len() - end_from));
    let end = &text[end_from..];
    Cow::Owned(format!("{} … ({left_out} bytes) … {}", escaped(&begin, |_| false), escaped(end, |_| false)))
}

/// Text of several lines: line breaks and tabs stay.
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    let stays = |c: char| matches!(c, '\n' | '\t');
    if !text.contains(|c: char| is_hidden(c) && !stays(c)) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(escaped(text, stays))
}

/// A stretch of source text, character by character: a tab becomes a blank, a hidden character a mark.
pub fn source_text(text: &str) -> String {
    let shown = |c: char| match c {
        '\t' => ' ',
        c if is_hidden(c) => '\u{fffd}',
        c => c,
    };
    text.chars().map(shown).collect()
}

fn escaped(text: &str, stays: impl Fn(char) -> bool) -> String {
    let mut all = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if !is_hidden(c) || stays(c) => all.push(c),
            '\n' => all.push_str("\\n"),
            '\r' => all.push_str("\\r"),
            '\t' => all.push_str("\\t"),
            c if (c as u32) < 0x100 => all.push_str(&format!("\\x{:02x}", c as u32)),
            c => all.push_str(&format!("\\u{{{:x}}}", c as u32)),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_written_as_an_escape() {
        assert_eq!(visible("a.c"), "a.c");
        assert_eq!(visible("größe → 1"), "größe → 1");
        assert_eq!(visible("a\nnorn: safe (sc)\r\t"), "a\\nnorn: safe (sc)\\r\\t");
        assert_eq!(visible("\x1b[2J\u{9b}2J\u{7f}\0"), "\\x1b[2J\\x9b2J\\x7f\\x00");
        assert_eq!(visible("\u{202e}x\u{2066}\u{feff}\u{2028}"), "\\u{202e}x\\u{2066}\\u{feff}\\u{2028}");
        assert_eq!(visible_lines("a\n\tb\x1b[K\r\n"), "a\n\tb\\x1b[K\\r\n");
        assert_eq!(source_text("a\tb\x1b[K"), "a b\u{fffd}[K");
    }

    #[test]
    fn what_is_long_is_cut_in_the_middle() {
        let long = "x".repeat(10_000_000);
        let shown = visible(&long);
        assert!(shown.len() < LONGEST + 50 && shown.contains("9999600 bytes"), "{shown}");
        assert_eq!(visible_up_to("äbcdefgh", 8), "äbcdefgh");
        assert_eq!(visible_up_to("äbcdefghi", 8), "äbcdef … (1 bytes) … hi");
        let hidden = "\x1b".repeat(LONGEST);
        assert_eq!(visible(&hidden), "\\x1b".repeat(LONGEST));
    }
}
