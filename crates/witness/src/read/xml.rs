//! The part of XML that witnesses are written in: elements, attributes, text. No document types, so no entities of one's own.

use super::{DEEPEST, Mark, Wrong};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Element {
    pub mark: Mark,
    pub name: String,
    pub attributes: Vec<(String, String)>,
    pub children: Vec<Element>,
    /// All text right inside, together.
    pub text: String,
}

impl Element {
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub fn children_named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Element> {
        self.children.iter().filter(move |child| child.name == name)
    }
}

pub fn parse(text: &str) -> Result<Element, Wrong> {
    let mut reader = Reader { rest: text, mark: Mark { line: 1, column: 1 } };
    reader.skip_what_says_nothing()?;
    let root = reader.element(0)?;
    reader.skip_what_says_nothing()?;
    match reader.rest.is_empty() {
        true => Ok(root),
        false => Err(reader.mark.wrong("there should be nothing after the end")),
    }
}

struct Reader<'a> {
    rest: &'a str,
    mark: Mark,
}

impl<'a> Reader<'a> {
    /// Takes so many bytes.
    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        for c in taken.chars() {
            if c == '\n' {
                self.mark.line += 1;
                self.mark.column = 1;
            } else {
                self.mark.column += 1;
            }
        }
        self.rest = rest;
        taken
    }

    fn eat(&mut self, text: &str) -> bool {
        let is_there = self.rest.starts_with(text);
        if is_there {
            self.take(text.len());
        }
        is_there
    }

    fn expect(&mut self, text: &str) -> Result<(), Wrong> {
        if self.eat(text) { Ok(()) } else { Err(self.mark.wrong(format!("'{text}' is expected"))) }
    }

    /// Everything up to a text, which is taken too.
    fn up_to(&mut self, end: &str) -> Result<&'a str, Wrong> {
        let begin = self.mark;
        let Some(at) = self.rest.find(end) else { return Err(begin.wrong(format!("'{end}' is missing"))) };
        let taken = self.take(at);
        self.take(end.len());
        Ok(taken)
    }

    fn skip_blanks(&mut self) {
        let rest = self.rest.trim_start();
        self.take(self.rest.len() - rest.len());
    }

    /// Blanks, comments and instructions.
    fn skip_what_says_nothing(&mut self) -> Result<(), Wrong> {
        loop {
            self.skip_blanks();
            if self.eat("<!--") {
                self.up_to("-->")?;
            } else if self.eat("<?") {
                self.up_to("?>")?;
            } else if self.rest.starts_with("<!DOCTYPE") {
                return Err(self.mark.wrong("document types are not supported"));
            } else {
                return Ok(());
            }
        }
    }

    fn name(&mut self) -> Result<String, Wrong> {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
        let end = self.rest.find(|c: char| !is_part(c)).unwrap_or(self.rest.len());
        match end {
            0 => Err(self.mark.wrong("a name is expected")),
            end => Ok(self.take(end).to_owned()),
        }
    }

    fn element(&mut self, depth: usize) -> Result<Element, Wrong> {
        let mark = self.mark;
        if depth >= DEEPEST {
            return Err(mark.wrong("this is nested too deeply"));
        }
        self.expect("<")?;
        let name = self.name()?;
        let mut element = Element { mark, name, attributes: Vec::new(), children: Vec::new(), text: String::new() };
        loop {
            self.skip_blanks();
            if self.eat("/>") {
                return Ok(element);
            }
            if self.eat(">") {
                break;
            }
            let at = self.mark;
            let key = self.name()?;
            self.skip_blanks();
            self.expect("=")?;
            self.skip_blanks();
            let quote = if self.eat("\"") { "\"" } else { self.expect("'").map(|()| "'")? };
            let value_at = self.mark;
            let value = unescaped(self.up_to(quote)?, value_at)?;
            if element.attribute(&key).is_some() {
                return Err(at.wrong(format!("the attribute '{key}' is there twice")));
            }
            element.attributes.push((key, value));
        }
        loop {
            if self.eat("</") {
                let at = self.mark;
                let end = self.name()?;
                if end != element.name {
                    return Err(at.wrong(format!("'</{}>' is expected", element.name)));
                }
                self.skip_blanks();
                self.expect(">")?;
                return Ok(element);
            }
            if self.eat("<!--") {
                self.up_to("-->")?;
            } else if self.eat("<![CDATA[") {
                element.text += self.up_to("]]>")?;
            } else if self.eat("<?") {
                self.up_to("?>")?;
            } else if self.rest.starts_with('<') {
                element.children.push(self.element(depth + 1)?);
            } else {
                let at = self.mark;
                let Some(end) = self.rest.find('<') else {
                    return Err(at.wrong(format!("'</{}>' is missing", element.name)));
                };
                let text = self.take(end);
                element.text += &unescaped(text, at)?;
            }
        }
    }
}

/// Text with the five names and the numbers of characters replaced.
fn unescaped(text: &str, mark: Mark) -> Result<String, Wrong> {
    let mut whole = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        whole += &rest[..at];
        let after = &rest[at + 1..];
        let end = after.find(';').ok_or_else(|| mark.wrong("'&' without ';'"))?;
        let name = &after[..end];
        let number = match (name.strip_prefix("#x"), name.strip_prefix('#')) {
            (Some(hex), _) => u32::from_str_radix(hex, 16).ok(),
            (None, Some(decimal)) => decimal.parse().ok(),
            (None, None) => None,
        };
        whole.push(match (name, number) {
            ("amp", _) => '&',
            ("lt", _) => '<',
            ("gt", _) => '>',
            ("quot", _) => '"',
            ("apos", _) => '\'',
            (_, Some(number)) if char::from_u32(number).is_some() => char::from_u32(number).unwrap_or_default(),
            _ => return Err(mark.wrong("an entity that is not known")),
        });
        rest = &after[end + 1..];
    }
    Ok(whole + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_have_attributes_and_text() {
        let text =
            "<?xml version=\"1.0\"?>\n<!-- x -->\n<a b='1' c=\"&lt;&#65;&#x42;\">\n <d/>t&amp;<![CDATA[<u>]]></a>\n";
        let root = parse(text).expect("it is XML");
        assert_eq!(root.attribute("c"), Some("<AB"));
        assert_eq!((root.children.len(), root.text.trim()), (1, "t&<u>"));
        assert_eq!(root.children_named("d").next().map(|d| d.mark), Some(Mark { line: 4, column: 2 }));
    }

    #[test]
    fn what_is_not_read_is_told_with_its_place() {
        let refused = |text: &str, expected: &str| {
            let wrong = parse(text).expect_err(text).to_string();
            assert!(wrong.contains(expected), "{wrong}");
        };
        refused("<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", "line 1, column 1: document types");
        refused("<a>\n&b;</a>", "an entity");
        refused("<a>\n<b></a>", "line 2, column 6: '</b>' is expected");
        refused("<a", "line 1, column 3");
        refused("<a>", "'</a>' is missing");
        refused("<a b=1/>", "line 1, column 6");
        refused("<a b='1' b='2'/>", "twice");
        refused("<a/><b/>", "nothing after");
        refused(&"<a>".repeat(100_000), "too deeply");
        refused("<a>&#x110000;</a>", "an entity");
    }
}
