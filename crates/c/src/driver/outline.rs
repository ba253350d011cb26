//! What a text that cannot be read as C seems to define.
//!
//! The text is neither preprocessed nor parsed. Comments, literals and directives are passed over; what stands outside
//! of braces and ends like a definition gives its names. Names that macros make are not seen.

use std::collections::BTreeSet;

/// The names of functions with a body and of objects that stand outside of all braces.
pub fn defined_names(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut depth = 0_usize;
    let mut declaration = Vec::new();
    for piece in (Pieces { rest: text, at_line_start: true }) {
        match piece {
            // Of C++: what it encloses stands outside, too.
            "{" if depth == 0 && declaration == ["extern", "\""] => declaration.clear(),
            "{" => {
                if depth == 0 {
                    names.extend(function_name(&declaration).map(str::to_owned));
                }
                depth += 1;
            }
            "}" => {
                depth = depth.saturating_sub(1);
                // The body of a function ends what began before; that of a struct or an initialiser does not.
                if depth == 0 && function_name(&declaration).is_some() {
                    declaration.clear();
                }
            }
            ";" if depth == 0 => {
                names.extend(object_names(&declaration).map(str::to_owned));
                names.extend(old_style_name(&declaration).map(str::to_owned));
                declaration.clear();
            }
            piece if depth == 0 => declaration.push(piece),
            _ => {}
        }
    }
    names
}

/// The name before the first parenthesis of what may be the head of a function.
fn function_name<'a>(head: &[&'a str]) -> Option<&'a str> {
    let open = head.iter().position(|&piece| piece == "(")?;
    let name = *head.get(open.checked_sub(1)?)?;
    let is_head = !head.contains(&"=") && !head.contains(&"static") && is_name(name);
    is_head.then_some(name)
}

/// The name of a function whose parameters are declared after its parentheses, if a first one of them ends here.
fn old_style_name<'a>(head: &[&'a str]) -> Option<&'a str> {
    let close = head.iter().rposition(|&piece| piece == ")")?;
    head.get(close + 1).filter(|piece| is_name(piece)).and_then(|_| function_name(head))
}

/// The names that what ends with a semicolon may define.
fn object_names<'a>(declaration: &'a [&'a str]) -> impl Iterator<Item = &'a str> {
    let is_definition = !["extern", "typedef", "static"].iter().any(|word| declaration.contains(word));
    let followed_by = |at: usize| declaration.get(at + 1).copied().unwrap_or(";");
    let mut in_initialiser = false;
    declaration.iter().enumerate().filter_map(move |(at, &piece)| {
        match piece {
            "=" => in_initialiser = true,
            "," => in_initialiser = false,
            _ => {}
        }
        let ends_declarator = !in_initialiser && matches!(followed_by(at), ";" | "=" | "[" | ",");
        (is_definition && is_name(piece) && ends_declarator).then_some(piece)
    })
}

fn is_name(piece: &str) -> bool {
    let is_keyword = ["struct", "union", "enum"].contains(&piece);
    !is_keyword && piece.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// Words and single characters; of a literal only its first quote.
struct Pieces<'a> {
    rest: &'a str,
    at_line_start: bool,
}

impl<'a> Iterator for Pieces<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        loop {
            let first = self.rest.chars().next()?;
            if first == '\n' {
                self.at_line_start = true;
                self.skip(1);
            } else if first.is_whitespace() {
                self.skip(first.len_utf8());
            } else if self.rest.starts_with("/*") {
                let end = self.rest[2..].find("*/").map_or(self.rest.len(), |end| end + 4);
                self.skip(end);
            } else if self.rest.starts_with("//") || (first == '#' && self.at_line_start) {
                self.skip_line();
            } else {
                self.at_line_start = false;
                let length = match first {
                    '"' | '\'' => {
                        let literal = literal_length(self.rest, first);
                        let piece = &self.rest[..1];
                        self.skip(literal);
                        return Some(piece);
                    }
                    c if c.is_ascii_alphanumeric() || c == '_' => {
                        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
                        end.unwrap_or(self.rest.len())
                    }
                    c => c.len_utf8(),
                };
                let piece = &self.rest[..length];
                self.skip(length);
                return Some(piece);
            }
        }
    }
}

impl Pieces<'_> {
    fn skip(&mut self, bytes: usize) {
        self.rest = &self.rest[bytes..];
    }

    /// To the end of the line, and on if it ends with a backslash.
    fn skip_line(&mut self) {
        let mut escaped = false;
        let end = self.rest.find(|c: char| {
            let ends = c == '\n' && !escaped;
            escaped = c == '\\' || (escaped && c == '\r');
            ends
        });
        self.skip(end.unwrap_or(self.rest.len()));
    }
}

/// The bytes of a literal with its quotes; one without an end goes to the end of the line.
fn literal_length(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' if !escaped => return at,
            c if c == quote && !escaped => return at + c.len_utf8(),
            c => escaped = c == '\\' && !escaped,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let names = defined_names(text).into_iter().collect::<Vec<_>>().join(" ");
        assert_eq!(names, expected, "{text}");
    }

    #[test]
    fn definitions_are_told_from_declarations_and_uses() {
        check("int f(int x) { return g(x) + h; }", "f");
        check("int f(int x); extern int y; typedef int z; static int s; static int t(void) { }", "");
        check("int a, *b = &c, d[3] = { 1, 2 };", "a b d");
        check("struct s { int m; } v; enum { A, B }; int k(a) int a; { return a; }", "a k v");
        check("struct s *f(void)\n__attribute__((cold))\n{ if (x) { y; } } int after;", "after f");
    }

    #[test]
    fn what_is_no_code_is_passed_over() {
        check("// int a;\n/* int b; */ #define c {\nint d;\n # define e \\\n { \nint f;", "d f");
        check("char *s = \"{ int g; }\"; char q = '\"', r = '{'; int h;", "h q r s");
        check("extern \"C\" { int inside(void) { return 1; } }", "inside");
        check("int x = \"never ends\n; int y; }}} int z;", "x y z");
        check("/* never ends", "");
        check("", "");
    }
}
