//! Finds the integer constants of a C text that can as well be variables.
//!
//! A rough look at the tokens is enough, since a C compiler is asked afterwards whether the changed text still means the same. Left
//! out are constants where C wants a constant: outside of functions, array bounds, `case`, bit-fields, static variables,
//! attributes and arguments of builtins.

/// A constant: where it stands, and the type it has.
#[derive(Clone, PartialEq, Debug)]
pub struct Literal {
    pub start: usize,
    pub end: usize,
    pub ctype: &'static str,
}

pub fn literals(text: &str) -> Vec<Literal> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    let mut before = "";
    // The braces that are open, and whether each belongs to a function (or lies in one).
    let mut braces: Vec<bool> = Vec::new();
    // Brackets and parentheses in which no constant is taken.
    let mut fixed = 0;
    let mut parens: Vec<bool> = Vec::new();
    // Until the end of the statement.
    let mut skipping = false;
    while at < bytes.len() {
        let rest = &text[at..];
        let length = token_length(rest);
        let token = &rest[..length];
        let first = bytes[at];
        match first {
            b'#' if line_begins(text, at) => {}
            b'{' => {
                let inside = braces.last().copied().unwrap_or(before == ")");
                braces.push(inside);
            }
            b'}' => {
                braces.pop();
                skipping &= !braces.is_empty();
            }
            b'(' | b'[' => {
                let closed = first == b'[' || before.starts_with("__") || before == "sizeof" || before == "asm";
                fixed += usize::from(closed);
                parens.push(closed);
            }
            b')' | b']' => fixed -= usize::from(parens.pop().unwrap_or(false)),
            b';' => skipping = false,
            b'0'..=b'9' => {
                let inside = braces.last().copied().unwrap_or(false);
                if inside && fixed == 0 && !skipping && !matches!(before, "case" | ":" | "." | "...") {
                    found.extend(type_of(token).map(|ctype| Literal { start: at, end: at + length, ctype }));
                }
            }
            _ if matches!(token, "static" | "case" | "enum" | "goto" | "typedef" | "extern") => skipping = true,
            b':' => skipping = false,
            _ => {}
        }
        if !first.is_ascii_whitespace() && !token.starts_with("/*") && !token.starts_with("//") {
            before = token;
        }
        at += length;
    }
    found
}

/// Whether only blanks precede on the line.
fn line_begins(text: &str, at: usize) -> bool {
    text[..at].rsplit('\n').next().is_some_and(|line| line.trim().is_empty())
}

fn token_length(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let until = |end: &str, from: usize| rest[from..].find(end).map_or(rest.len(), |i| from + i + end.len());
    let word = |from: usize| {
        let inside = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_' || *b == b'$';
        from + bytes[from..].iter().take_while(|b| inside(b)).count()
    };
    match bytes[0] {
        b'/' if rest.starts_with("/*") => until("*/", 2),
        b'/' if rest.starts_with("//") => until("\n", 2),
        b'#' => {
            // A directive, with the lines that continue it.
            let mut end = until("\n", 0);
            while rest[..end].ends_with("\\\n") && end < rest.len() {
                end = until("\n", end);
            }
            end
        }
        quote @ (b'"' | b'\'') => {
            let mut at = 1;
            while at < bytes.len() && bytes[at] != quote {
                at += if bytes[at] == b'\\' { 2 } else { 1 };
            }
            (at + 1).min(rest.len())
        }
        b'0'..=b'9' => {
            let mut at = word(0);
            // Floating-point numbers go on.
            while at < bytes.len()
                && (bytes[at] == b'.' || (matches!(bytes[at], b'+' | b'-') && ends_in_exponent(&rest[..at])))
            {
                at = word(at + 1);
            }
            at
        }
        b if b.is_ascii_alphabetic() || b == b'_' || b == b'$' => word(0),
        b if b.is_ascii() => 1,
        _ => rest.chars().next().map_or(1, char::len_utf8),
    }
}

fn ends_in_exponent(text: &str) -> bool {
    text.ends_with(['e', 'E', 'p', 'P']) && !(text.starts_with("0x") && text.ends_with(['e', 'E']))
}

/// The type of an integer constant; nothing for other numbers.
fn type_of(token: &str) -> Option<&'static str> {
    let lower = token.to_ascii_lowercase();
    let digits = lower.trim_end_matches(['u', 'l']);
    let suffix = &lower[digits.len()..];
    let (value, decimal) = match (digits.strip_prefix("0x"), digits.strip_prefix('0')) {
        (Some(hex), _) => (u64::from_str_radix(hex, 16).ok()?, false),
        (None, Some(octal)) if !octal.is_empty() => (u64::from_str_radix(octal, 8).ok()?, false),
        _ => (digits.parse::<u64>().ok()?, true),
    };
    let (int, uint, long) = (value >> 31 == 0, value >> 32 == 0, value >> 63 == 0);
    Some(match (suffix.contains('u'), suffix.contains("ll"), suffix.contains('l')) {
        (false, false, false) if int => "int",
        (false, false, false) if uint && !decimal => "unsigned",
        (false, false, _) if long => "long",
        (true, false, false) if uint => "unsigned",
        (_, false, _) => "unsigned long",
        (false, true, _) if long => "long long",
        (_, true, _) => "unsigned long long",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_that_must_stay_are_left_alone() {
        let text = "int g = 1; int a[2];\n#define K 3\nint f(int x) {\n  static int s = 4; int b[5] = { 6 };\n  \
            switch (x) { case 7: return 8; default: x += 0x9UL; }\n  return '1' + \"2\"[0] + 10.5 + 11 /* 12 */; }";
        let found = literals(text).iter().map(|l| (&text[l.start..l.end], l.ctype)).collect::<Vec<_>>();
        assert_eq!(found, [("6", "int"), ("8", "int"), ("0x9UL", "unsigned long"), ("11", "int")]);
    }
}
