//! The part of YAML that witnesses are written in: mappings, sequences and scalars, in blocks and in brackets.
//!
//! Anchors, aliases, tags and directives are refused: no witness needs them, and they are what bombs are made of.

use super::{DEEPEST, Mark, Wrong};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    pub mark: Mark,
    pub value: Value,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// Nothing where a value could be.
    Null,
    Scalar(String),
    List(Vec<Node>),
    /// In the order of the file, each key once.
    Map(Vec<(String, Node)>),
}

impl Node {
    pub fn get(&self, key: &str) -> Option<&Node> {
        match &self.value {
            Value::Map(entries) => entries.iter().find(|(name, _)| name == key).map(|(_, node)| node),
            _ => None,
        }
    }
}

pub fn parse(text: &str) -> Result<Node, Wrong> {
    let raw = text.lines().collect::<Vec<_>>();
    let mut reader = Reader { lines: Vec::new(), raw: &raw, at: 0, depth: 0 };
    for (number, line) in raw.iter().enumerate() {
        let content = line.trim_start_matches(' ');
        let mark = Mark { line: number + 1, column: line.len() - content.len() + 1 };
        if content.starts_with('\t') && !content.trim().is_empty() && !content.trim_start().starts_with('#') {
            return Err(mark.wrong("a tab cannot be part of the indentation"));
        }
        if content.trim().is_empty() || content.starts_with('#') {
            continue;
        }
        if line.trim_end() == "---" && reader.lines.is_empty() {
            continue;
        }
        if line.trim_end() == "..." {
            break;
        }
        if line.trim_end() == "---" {
            return Err(mark.wrong("only one document can be read"));
        }
        reader.lines.push(Line { number, indent: mark.column - 1, text: content.trim_end() });
    }
    let Some(first) = reader.lines.first().copied() else {
        return Err(Mark { line: 1, column: 1 }.wrong("the file is empty"));
    };
    let node = reader.node(first.indent)?;
    match reader.lines.get(reader.at) {
        None => Ok(node),
        Some(line) => Err(line.mark(0).wrong("this does not belong to what is before")),
    }
}

/// A line with something on it, without its indentation. A part of a line can be one, too.
#[derive(Clone, Copy, Debug)]
struct Line<'a> {
    /// From 0.
    number: usize,
    indent: usize,
    text: &'a str,
}

impl Line<'_> {
    fn mark(&self, offset: usize) -> Mark {
        Mark { line: self.number + 1, column: self.indent + offset + 1 }
    }
}

struct Reader<'a> {
    lines: Vec<Line<'a>>,
    /// All lines, for scalars that are blocks.
    raw: &'a [&'a str],
    at: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn line(&self) -> Option<Line<'a>> {
        self.lines.get(self.at).copied()
    }

    fn deeper<T>(&mut self, mark: Mark, inner: impl FnOnce(&mut Self) -> Result<T, Wrong>) -> Result<T, Wrong> {
        if self.depth >= DEEPEST {
            return Err(mark.wrong("this is nested too deeply"));
        }
        self.depth += 1;
        let done = inner(self);
        self.depth -= 1;
        done
    }

    /// The node that begins at the line, which has this indentation.
    fn node(&mut self, indent: usize) -> Result<Node, Wrong> {
        let Some(line) = self.line() else { return Ok(Node { mark: Mark::default(), value: Value::Null }) };
        let mark = line.mark(0);
        self.deeper(mark, |reader| {
            let value = if is_item(line.text) {
                Value::List(reader.list(indent)?)
            } else if key_of(line)?.is_some() {
                Value::Map(reader.map(indent)?)
            } else {
                // What goes on does so further to the right, or it is a scalar alone in its file.
                reader.inline(line, 0, indent.checked_sub(1))?.value
            };
            Ok(Node { mark, value })
        })
    }

    fn list(&mut self, indent: usize) -> Result<Vec<Node>, Wrong> {
        let mut items = Vec::new();
        while let Some(line) = self.line().filter(|line| line.indent == indent && is_item(line.text)) {
            let rest = line.text[1..].trim_start();
            if rest.is_empty() || rest.starts_with('#') {
                self.at += 1;
                items.push(self.below(line.mark(0), indent, false)?);
                continue;
            }
            let offset = line.text.len() - rest.len();
            // What stands behind the dash is a node that begins there.
            self.lines[self.at] = Line { indent: indent + offset, text: rest, ..line };
            items.push(self.node(indent + offset)?);
        }
        self.ends_at(indent)?;
        Ok(items)
    }

    fn map(&mut self, indent: usize) -> Result<Vec<(String, Node)>, Wrong> {
        let mut entries: Vec<(String, Node)> = Vec::new();
        while let Some(line) = self.line().filter(|line| line.indent == indent && !is_item(line.text)) {
            let Some((key, after)) = key_of(line)? else {
                return Err(line.mark(0).wrong("a key with a colon is expected"));
            };
            if entries.iter().any(|(known, _)| *known == key) {
                return Err(line.mark(0).wrong(format!("the key '{key}' is there twice")));
            }
            let rest = line.text[after..].trim_start();
            let offset = line.text.len() - rest.len();
            let node = if rest.is_empty() || rest.starts_with('#') {
                self.at += 1;
                self.below(line.mark(0), indent, true)?
            } else if rest.starts_with(['|', '>']) {
                self.block(line, offset, indent)?
            } else {
                self.inline(line, offset, Some(indent))?
            };
            entries.push((key, node));
        }
        self.ends_at(indent)?;
        Ok(entries)
    }

    /// What stands below a key or a dash. A sequence may stand right under its key.
    fn below(&mut self, mark: Mark, indent: usize, of_key: bool) -> Result<Node, Wrong> {
        match self.line() {
            Some(next) if next.indent > indent => self.node(next.indent),
            Some(next) if of_key && next.indent == indent && is_item(next.text) => self.node(indent),
            _ => Ok(Node { mark, value: Value::Null }),
        }
    }

    /// A block is over where something stands further to the left.
    fn ends_at(&self, indent: usize) -> Result<(), Wrong> {
        match self.line() {
            Some(line) if line.indent > indent => Err(line.mark(0).wrong("this is indented too far")),
            _ => Ok(()),
        }
    }

    /// A scalar of several lines, `|` or `>`.
    fn block(&mut self, line: Line<'a>, offset: usize, indent: usize) -> Result<Node, Wrong> {
        let mark = line.mark(offset);
        let header = line.text[offset..].split('#').next().unwrap_or_default().trim_end();
        if !matches!(header, "|" | "|-" | "|+" | ">" | ">-" | ">+") {
            return Err(mark.wrong(format!("'{header}' is not supported here")));
        }
        let is_folded = header.starts_with('>');
        let is_inside = |raw: &&&str| raw.trim().is_empty() || raw.len() - raw.trim_start_matches(' ').len() > indent;
        let inside = self.raw[line.number + 1..].iter().take_while(is_inside).collect::<Vec<_>>();
        let end = line.number + 1 + inside.len();
        let common = inside.iter().filter(|raw| !raw.trim().is_empty());
        let common = common.map(|raw| raw.len() - raw.trim_start_matches(' ').len()).min().unwrap_or(0);
        let content = inside.iter().map(|raw| raw.get(common..).unwrap_or_default()).collect::<Vec<_>>();
        let text = content.join(if is_folded { " " } else { "\n" });
        while self.line().is_some_and(|line| line.number < end) {
            self.at += 1;
        }
        Ok(Node { mark, value: Value::Scalar(text.trim_end().to_owned()) })
    }

    /// A scalar or a bracket that begins in the middle of a line, and goes on in lines further to the right than `indent`.
    fn inline(&mut self, line: Line<'a>, offset: usize, indent: Option<usize>) -> Result<Node, Wrong> {
        let mut cursor = Cursor { reader: self, line, offset, indent };
        let node = cursor.value(false)?;
        cursor.finish()?;
        Ok(node)
    }
}

fn is_item(text: &str) -> bool {
    text == "-" || text.starts_with("- ")
}

/// The key that the line begins with, and where the rest is.
fn key_of(line: Line<'_>) -> Result<Option<(String, usize)>, Wrong> {
    let text = line.text;
    if text.starts_with("? ") || text == "?" {
        return Err(line.mark(0).wrong("keys that are no words are not supported"));
    }
    let end = match text.chars().next() {
        Some(quote @ ('"' | '\'')) => {
            let Some((key, end)) = quoted(text, quote).map_err(|(at, message)| line.mark(at).wrong(message))? else {
                return Ok(None);
            };
            return Ok(follows_colon(text, end).map(|after| (key, after)));
        }
        Some('[' | '{') => return Ok(None),
        _ => text.char_indices().find(|&(at, c)| c == ':' && follows_colon(text, at).is_some()),
    };
    let Some((end, _)) = end else { return Ok(None) };
    let key = text[..end].trim_end();
    if key.contains(" #") {
        return Ok(None);
    }
    plain(key).map_err(|message| line.mark(0).wrong(message))?;
    Ok(Some((key.to_owned(), end + 1)))
}

/// Behind a colon at this place, if there is one that ends a key.
fn follows_colon(text: &str, at: usize) -> Option<usize> {
    let rest = text[at..].trim_start();
    let at = text.len() - rest.len();
    let after = rest.strip_prefix(':')?;
    (after.is_empty() || after.starts_with(' ')).then_some(at + 1)
}

/// A quoted scalar at the beginning, and where it ends; `None` if it does not end on this line.
fn quoted(text: &str, quote: char) -> Result<Option<(String, usize)>, (usize, String)> {
    let mut scalar = String::new();
    let mut rest = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = rest.next() {
        match c {
            '\'' if quote == '\'' && rest.peek().is_some_and(|next| next.1 == '\'') => {
                rest.next();
                scalar.push('\'');
            }
            c if c == quote => return Ok(Some((scalar, at + 1))),
            '\\' if quote == '"' => {
                let Some((_, escaped)) = rest.next() else { return Ok(None) };
                let digits = match escaped {
                    'x' => 2,
                    'u' => 4,
                    'U' => 8,
                    _ => 0,
                };
                if digits > 0 {
                    let hex: String = rest.by_ref().take(digits).map(|(_, c)| c).collect();
                    let code = u32::from_str_radix(&hex, 16).ok().filter(|_| hex.len() == digits);
                    let c = code.and_then(char::from_u32);
                    scalar.push(c.ok_or_else(|| (at, format!("'\\{escaped}{hex}' is no character")))?);
                    continue;
                }
                scalar.push(match escaped {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    '0' => '\0',
                    'a' => '\u{7}',
                    'b' => '\u{8}',
                    'e' => '\u{1b}',
                    '"' | '\\' | '/' | ' ' => escaped,
                    other => return Err((at, format!("'\\{other}' is not known"))),
                });
            }
            c => scalar.push(c),
        }
    }
    Ok(None)
}

/// Whether a plain scalar may begin like this.
fn plain(text: &str) -> Result<(), String> {
    match text.chars().next() {
        Some('&' | '*') => Err("anchors and aliases are not supported".to_owned()),
        Some('!') => Err("tags are not supported".to_owned()),
        Some(c @ ('%' | '@' | '`' | ']' | '}' | ',')) => Err(format!("a value cannot begin with '{c}'")),
        _ => Ok(()),
    }
}

/// A place within a line, from which values are read across lines.
struct Cursor<'r, 'a> {
    reader: &'r mut Reader<'a>,
    line: Line<'a>,
    offset: usize,
    indent: Option<usize>,
}

impl<'a> Cursor<'_, 'a> {
    fn rest(&self) -> &'a str {
        &self.line.text[self.offset..]
    }

    fn mark(&self) -> Mark {
        self.line.mark(self.offset)
    }

    /// Goes on with the next line, if it belongs to this value.
    fn next_line(&mut self) -> bool {
        match self.reader.lines.get(self.reader.at + 1).copied() {
            Some(next) if self.indent.is_none_or(|indent| next.indent > indent) => {
                self.reader.at += 1;
                (self.line, self.offset) = (next, 0);
                true
            }
            _ => false,
        }
    }

    fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest().trim_start();
            self.offset = self.line.text.len() - rest.len();
            if !(rest.is_empty() || rest.starts_with('#')) || !self.next_line() {
                return;
            }
        }
    }

    /// Nothing else may stand on the line.
    fn finish(&mut self) -> Result<(), Wrong> {
        let rest = self.rest().trim_start();
        if !rest.is_empty() && !rest.starts_with('#') {
            return Err(self.mark().wrong("this does not belong to what is before"));
        }
        self.reader.at += 1;
        Ok(())
    }

    fn value(&mut self, in_brackets: bool) -> Result<Node, Wrong> {
        self.skip_blanks();
        let mark = self.mark();
        let value = match self.rest().chars().next() {
            Some('[') => Value::List(self.list()?),
            Some('{') => Value::Map(self.map()?),
            Some(quote @ ('"' | '\'')) => Value::Scalar(self.quoted(quote)?),
            _ => self.plain(in_brackets)?,
        };
        Ok(Node { mark, value })
    }

    fn bracket<T>(
        &mut self,
        close: char,
        mut item: impl FnMut(&mut Self) -> Result<T, Wrong>,
    ) -> Result<Vec<T>, Wrong> {
        let begin = self.mark();
        if self.reader.depth >= DEEPEST {
            return Err(begin.wrong("this is nested too deeply"));
        }
        self.reader.depth += 1;
        self.offset += 1;
        let mut items = Vec::new();
        loop {
            self.skip_blanks();
            match self.rest().chars().next() {
                None => return Err(begin.wrong(format!("the '{close}' that belongs here is missing"))),
                Some(c) if c == close => break,
                Some(_) => items.push(item(self)?),
            }
            self.skip_blanks();
            match self.rest().chars().next() {
                Some(',') => self.offset += 1,
                Some(c) if c == close => break,
                _ => return Err(self.mark().wrong(format!("',' or '{close}' is expected"))),
            }
        }
        self.offset += 1;
        self.reader.depth -= 1;
        Ok(items)
    }

    fn list(&mut self) -> Result<Vec<Node>, Wrong> {
        self.bracket(']', |cursor| cursor.value(true))
    }

    fn map(&mut self) -> Result<Vec<(String, Node)>, Wrong> {
        self.bracket('}', |cursor| {
            let key = cursor.value(true)?;
            let Value::Scalar(key_text) = key.value else { return Err(key.mark.wrong("a word is expected as a key")) };
            cursor.skip_blanks();
            if !cursor.rest().starts_with(':') {
                return Err(cursor.mark().wrong("':' is expected"));
            }
            cursor.offset += 1;
            Ok((key_text, cursor.value(true)?))
        })
    }

    fn quoted(&mut self, quote: char) -> Result<String, Wrong> {
        let begin = self.mark();
        let mut text = self.rest().to_owned();
        loop {
            match quoted(&text, quote).map_err(|(_, message)| begin.wrong(message))? {
                Some((scalar, end)) => {
                    // The rest of the text is the rest of the line.
                    self.offset = self.line.text.len() - (text.len() - end);
                    return Ok(scalar);
                }
                None if self.next_line() => {
                    if text.ends_with('\\') {
                        text.pop();
                    } else {
                        text.push(' ');
                    }
                    text += self.line.text;
                }
                None => return Err(begin.wrong("the quotation does not end")),
            }
        }
    }

    fn plain(&mut self, in_brackets: bool) -> Result<Value, Wrong> {
        plain(self.rest()).map_err(|message| self.mark().wrong(message))?;
        let mut scalar = String::new();
        loop {
            let rest = self.rest();
            let ends = |(at, c): (usize, char)| match c {
                '#' => at == 0 || rest[..at].ends_with(' '),
                ',' | ']' | '}' | '[' | '{' => in_brackets,
                ':' => rest[at + 1..].is_empty() || rest[at + 1..].starts_with(' '),
                _ => false,
            };
            let end = rest.char_indices().find(|&found| ends(found)).map_or(rest.len(), |(at, _)| at);
            if rest[end..].starts_with(':') && !in_brackets {
                let at = self.line.mark(self.offset + end);
                return Err(at.wrong("a colon cannot stand here: put the text in quotation marks"));
            }
            if !scalar.is_empty() {
                scalar.push(' ');
            }
            scalar += rest[..end].trim_end();
            self.offset += end;
            if end < rest.len() || in_brackets || !self.next_line() {
                break;
            }
        }
        Ok(match scalar.as_str() {
            "" | "~" | "null" => Value::Null,
            _ => Value::Scalar(scalar),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A short form: `{a: 1, b: [x, y]}`.
    fn shown(node: &Node) -> String {
        match &node.value {
            Value::Null => "~".to_owned(),
            Value::Scalar(text) => text.clone(),
            Value::List(items) => format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(", ")),
            Value::Map(entries) => {
                let entries = entries.iter().map(|(key, node)| format!("{key}: {}", shown(node)));
                format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
            }
        }
    }

    fn check(text: &str, expected: &str) {
        assert_eq!(parse(text).map(|node| shown(&node)).map_err(|wrong| wrong.to_string()), Ok(expected.to_owned()));
    }

    fn refused(text: &str, expected: &str) {
        let wrong = parse(text).expect_err(text).to_string();
        assert!(wrong.contains(expected), "{text}: {wrong}");
    }

    #[test]
    fn blocks() {
        check("- a: 1\n  b:\n    - x\n    - y\n- c\n", "[{a: 1, b: [x, y]}, c]");
        check("---\na:\n- x\n-   y: 1\n    z: 2\nb: ~\nc:\n", "{a: [x, {y: 1, z: 2}], b: ~, c: ~}");
        check("-\n  a: 1 # one\n# two\n-\n", "[{a: 1}, ~]");
        check("- - a\n  - b\n", "[[a, b]]");
        check("a: |\n  one\n   two\n\nb: >-\n  one\n  two\n", "{a: one\n two, b: one two}");
    }

    #[test]
    fn scalars() {
        check(
            "a: \"x \\\"y\\\" \\u00fc\"\nb: 'it''s'\n\"c d\": CHECK( init(main()), LTL(F end) )\n",
            "{a: x \"y\" ü, b: it's, c d: CHECK( init(main()), LTL(F end) )}",
        );
        check("a: one\n  two\n  three # not this\nb: \"four\n  five\"\n", "{a: one two three, b: four five}");
        check("a: 2016-12-24T13:15:32+02:00\nb: x#y\n", "{a: 2016-12-24T13:15:32+02:00, b: x#y}");
    }

    #[test]
    fn brackets() {
        check(
            "a: [1, \"b, c\", {d: e, f: [g]}]\nb: {}\nc: [\n  x,\n  y ]\n",
            "{a: [1, b, c, {d: e, f: [g]}], b: {}, c: [x, y]}",
        );
    }

    #[test]
    fn what_is_not_read_is_told_with_its_place() {
        refused("", "line 1, column 1: the file is empty");
        refused("a: &x [1]\n", "line 1, column 4: anchors");
        refused("a: 1\nb: *x\n", "line 2, column 4: anchors");
        refused("a: !!python/object x\n", "tags");
        refused("a: 1\n\tb: 2\n", "line 2, column 1: a tab");
        refused("a: 1\na: 2\n", "line 2, column 1: the key 'a' is there twice");
        refused("a: 1\n   b: 2\n", "line 2");
        refused("- a\nb: 1\n", "line 2, column 1: this does not belong");
        refused("a: [1, 2\nb: 3\n", "line 1, column 9: ',' or ']' is expected");
        refused("a: \"x\nb: 1\n", "line 1, column 4: the quotation does not end");
        refused("a: b: c\n", "line 1, column 5");
        refused("? a\n: b\n", "not supported");
        refused("a: \"\\q\"\n", "'\\q' is not known");
        refused("a: 1\n---\nb: 2\n", "only one document");
        refused(&("a: ".to_owned() + &"[".repeat(100_000)), "too deeply");
        refused(&"- ".repeat(100_000), "too deeply");
        refused(&(0..1000).map(|n| format!("{}a:\n", " ".repeat(n))).collect::<String>(), "too deeply");
    }
}
