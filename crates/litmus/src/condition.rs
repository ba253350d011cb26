//! The end of a litmus file: `locations [ … ]`, `filter …` and the condition on the final state.

use std::fmt;

use crate::Quantifier;
use crate::state::{self, State, Value};
use crate::token::{Cursor, MAX_DEPTH, Parsed, Token, TokenKind};

/// A register or location whose final value a condition looks at.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Item {
    /// A register of a thread, as the file writes it.
    Register { thread: u32, name: String },
    /// A location, and which element of it if it is an array.
    Location { name: String, index: Option<u64> },
}

/// The right-hand side of a comparison.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Operand {
    Number(i64),
    /// The address of an element of a location.
    Address {
        name: String,
        index: Option<u64>,
    },
    Item(Item),
}

/// A condition on a final state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Condition {
    True,
    False,
    Equal(Item, Operand),
    Different(Item, Operand),
    Not(Box<Condition>),
    /// Two or more.
    And(Vec<Condition>),
    /// Two or more.
    Or(Vec<Condition>),
    Implies(Box<Condition>, Box<Condition>),
}

/// What stands after the code.
#[derive(Debug)]
pub(crate) struct Final {
    pub locations: Vec<(Item, u32)>,
    pub filter: Option<Condition>,
    pub quantifier: Quantifier,
    pub condition: Condition,
    /// Where the condition and the things that it and the filter mention stand.
    pub start: u32,
    pub mentions: Vec<(Item, u32)>,
    pub filter_mentions: Vec<(Item, u32)>,
}

/// Whether a token begins this part of the file.
pub(crate) fn begins(cursor: &Cursor<'_, '_>) -> bool {
    let token = cursor.peek();
    matches!(token.kind, TokenKind::Word)
        && matches!(token.text, "exists" | "forall" | "final" | "locations" | "filter" | "observed" | "Observed")
        || token.is("~") && cursor.peek_at(1).is_word("exists")
}

pub(crate) fn parse<'a>(cursor: &mut Cursor<'_, 'a>, state: &mut State<'a>) -> Parsed<Final> {
    let mut reader = Reader { cursor, state, mentions: Vec::new() };
    let mut locations = Vec::new();
    let mut filter = None;
    let mut listed = false;
    while reader.cursor.eat_word("locations") {
        reader.locations(&mut locations)?;
        listed = true;
    }
    if reader.cursor.eat_word("filter") {
        filter = Some(reader.or(0)?);
    }
    let filter_mentions = std::mem::take(&mut reader.mentions);
    let first = reader.cursor.peek();
    let quantifier = match first.text {
        "exists" | "final" | "observed" | "Observed" => Quantifier::Exists,
        "forall" => Quantifier::Forall,
        "~" => {
            reader.cursor.bump();
            Quantifier::NotExists
        }
        // A test that only lists what to show: it is allowed if it has an execution.
        "" if listed => {
            let condition = Condition::True;
            let quantifier = Quantifier::Exists;
            let mentions = Vec::new();
            return Ok(Final {
                locations,
                filter,
                quantifier,
                condition,
                start: first.start,
                mentions,
                filter_mentions,
            });
        }
        _ => return Err(reader.cursor.unexpected("'exists', '~exists' or 'forall'")),
    };
    reader.cursor.bump();
    let condition = reader.or(0)?;
    let mentions = reader.mentions;
    cursor.eat(";");
    // `with` says what other tools expect; `<<` ends the test.
    if !cursor.at_end() && !cursor.peek().is_word("with") && !cursor.peek().is("<") && !cursor.peek().is("<<") {
        return Err(cursor.unexpected("the end of the condition"));
    }
    Ok(Final { locations, filter, quantifier, condition, start: first.start, mentions, filter_mentions })
}

struct Reader<'r, 't, 'a> {
    cursor: &'r mut Cursor<'t, 'a>,
    state: &'r mut State<'a>,
    mentions: Vec<(Item, u32)>,
}

impl Reader<'_, '_, '_> {
    fn locations(&mut self, found: &mut Vec<(Item, u32)>) -> Parsed<()> {
        self.cursor.expect("[", "after 'locations'")?;
        while !self.cursor.eat("]") {
            if self.cursor.eat(";") {
                continue;
            }
            let start = self.cursor.peek().start;
            let item = self.item()?;
            // A type may follow: `p*`, `x int`.
            while self.cursor.peek().is("*") || self.cursor.peek().kind == TokenKind::Word {
                self.cursor.bump();
            }
            found.push((item, start));
            if !self.cursor.peek().is("]") {
                self.cursor.expect(";", "between locations")?;
            }
        }
        Ok(())
    }

    fn item(&mut self) -> Parsed<Item> {
        self.cursor.eat("*");
        if let Some(thread) = state::thread_prefix(self.cursor)? {
            let name = state::register_name(self.cursor)?.text.to_owned();
            return Ok(Item::Register { thread, name });
        }
        let bracketed = self.cursor.eat("[");
        let name = self.cursor.word("a register such as '0:r1' or a location")?;
        let index = self.index()?;
        if bracketed {
            self.cursor.expect("]", "after the location")?;
        }
        Ok(Item::Location { name: name.text.to_owned(), index })
    }

    fn index(&mut self) -> Parsed<Option<u64>> {
        if !self.cursor.eat("[") {
            return Ok(None);
        }
        let index = self.cursor.unsigned()?;
        self.cursor.expect("]", "after the index")?;
        Ok(Some(index))
    }

    fn mention(&mut self) -> Parsed<Item> {
        let start = self.cursor.peek().start;
        let item = self.item()?;
        self.mentions.push((item.clone(), start));
        Ok(item)
    }

    fn or(&mut self, depth: u32) -> Parsed<Condition> {
        let mut parts = vec![self.and(depth)?];
        while self.cursor.eat("\\/") || self.cursor.eat("||") {
            parts.push(self.and(depth)?);
        }
        Ok(joined(parts, Condition::Or))
    }

    fn and(&mut self, depth: u32) -> Parsed<Condition> {
        let mut parts = vec![self.implies(depth)?];
        while self.cursor.eat("/\\") || self.cursor.eat("&&") {
            parts.push(self.implies(depth)?);
        }
        Ok(joined(parts, Condition::And))
    }

    fn implies(&mut self, depth: u32) -> Parsed<Condition> {
        self.limit(depth)?;
        let premise = self.unary(depth)?;
        if !self.cursor.eat("=>") {
            return Ok(premise);
        }
        let conclusion = self.implies(depth + 1)?;
        Ok(Condition::Implies(Box::new(premise), Box::new(conclusion)))
    }

    fn limit(&self, depth: u32) -> Parsed<()> {
        if depth < MAX_DEPTH {
            return Ok(());
        }
        let message = format!("the condition is nested more than {MAX_DEPTH} levels deep");
        Err(self.cursor.file.unsupported_at(self.cursor.peek(), message))
    }

    fn unary(&mut self, depth: u32) -> Parsed<Condition> {
        self.limit(depth)?;
        let token = self.cursor.peek();
        if self.cursor.eat("~") || self.cursor.eat("!") || self.cursor.eat_word("not") {
            return Ok(Condition::Not(Box::new(self.unary(depth + 1)?)));
        }
        if self.cursor.eat("(") {
            let inner = self.or(depth + 1)?;
            self.cursor.expect(")", "to close the parenthesis")?;
            return Ok(inner);
        }
        let next = self.cursor.peek_at(1);
        if !next.is("=") && !next.is("==") && !next.is("!=") && !next.is("<>") {
            if self.cursor.eat_word("true") {
                return Ok(Condition::True);
            }
            if self.cursor.eat_word("false") {
                return Ok(Condition::False);
            }
        }
        if token.is_word("fault") || token.is_word("Fault") {
            return Err(self.cursor.file.unsupported_at(token, "conditions on faults are not supported"));
        }
        let item = self.mention()?;
        let different = self.cursor.peek().is("!=") || self.cursor.peek().is("<>");
        if !different && !self.cursor.peek().is("=") && !self.cursor.peek().is("==") {
            return Err(self.cursor.unexpected("'=' or '!='"));
        }
        self.cursor.bump();
        let operand = self.operand()?;
        Ok(if different { Condition::Different(item, operand) } else { Condition::Equal(item, operand) })
    }

    fn operand(&mut self) -> Parsed<Operand> {
        let token: Token<'_> = self.cursor.peek();
        if self.is_register() || token.is("*") || token.is("[") {
            return Ok(Operand::Item(self.mention()?));
        }
        if token.kind == TokenKind::Word && self.state.find(token.text).is_none() {
            let message = format!("there is no location '{}'", token.text);
            return Err(self.cursor.file.error_at(token, message).help(UNKNOWN_LOCATION));
        }
        match state::value(self.cursor, self.state)? {
            Value::Number(n) => Ok(Operand::Number(n)),
            Value::Address(id, index) => {
                let location = self.state.location(id);
                let index = location.length.map(|_| index);
                Ok(Operand::Address { name: location.name.clone(), index })
            }
        }
    }

    fn is_register(&self) -> bool {
        let token = self.cursor.peek();
        let numbered = token.kind == TokenKind::Number
            || token.text.strip_prefix('P').is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()));
        numbered && self.cursor.peek_at(1).is(":")
    }
}

pub(crate) const UNKNOWN_LOCATION: &str = "locations are those that the initial state or the code mentions";

fn joined(mut parts: Vec<Condition>, join: fn(Vec<Condition>) -> Condition) -> Condition {
    match parts.len() {
        1 => parts.remove(0),
        _ => join(parts),
    }
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Item::Register { thread, name } => write!(f, "{thread}:{name}"),
            Item::Location { name, index: None } => f.write_str(name),
            Item::Location { name, index: Some(index) } => write!(f, "{name}[{index}]"),
        }
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Number(n) => write!(f, "{n}"),
            Operand::Address { name, index: None } => f.write_str(name),
            Operand::Address { name, index: Some(index) } => write!(f, "{name}[{index}]"),
            // A bare name would read as an address.
            Operand::Item(item @ Item::Location { .. }) => write!(f, "[{item}]"),
            Operand::Item(item) => write!(f, "{item}"),
        }
    }
}

impl Condition {
    fn binds(&self) -> u8 {
        match self {
            Condition::Or(_) => 0,
            Condition::And(_) => 1,
            Condition::Implies(..) => 2,
            _ => 3,
        }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, outer: u8) -> fmt::Result {
        if self.binds() < outer {
            f.write_str("(")?;
            self.write(f, 0)?;
            return f.write_str(")");
        }
        match self {
            Condition::True => f.write_str("true"),
            Condition::False => f.write_str("false"),
            Condition::Equal(item, operand) => write!(f, "{item}={operand}"),
            Condition::Different(item, operand) => write!(f, "{item}!={operand}"),
            Condition::Not(inner) => {
                f.write_str("~")?;
                // Herd reads `~ x=1` too, but nobody else does.
                f.write_str("(")?;
                inner.write(f, 0)?;
                f.write_str(")")
            }
            Condition::And(parts) => list(f, parts, " /\\ ", 2),
            Condition::Or(parts) => list(f, parts, " \\/ ", 1),
            Condition::Implies(premise, conclusion) => {
                premise.write(f, 3)?;
                f.write_str(" => ")?;
                conclusion.write(f, 2)
            }
        }
    }
}

fn list(f: &mut fmt::Formatter<'_>, parts: &[Condition], between: &str, inner: u8) -> fmt::Result {
    for (i, part) in parts.iter().enumerate() {
        if i > 0 {
            f.write_str(between)?;
        }
        part.write(f, inner)?;
    }
    Ok(())
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::{Dialect, File, tokens};
    use norn_ir::source::Loc;

    /// Reads the end of a test over the locations `x`, `y` and `z` and writes its condition again.
    fn check(text: &str, expected: &str) {
        let whole = format!("x; y; z; }} {text}");
        let file = File::new(&whole, Loc(1));
        let tokens = tokens(&file, 0, Dialect::Assembly).unwrap();
        let mut cursor = Cursor::new(&file, &tokens);
        let mut state = state::parse(&mut cursor).unwrap();
        let found = parse(&mut cursor, &mut state).map(|end| format!("{:?} {}", end.quantifier, end.condition));
        assert_eq!(found.unwrap_or_else(|d| d.message), expected, "{text}");
    }

    #[test]
    fn conditions() {
        check("exists (x=1 /\\ 0:r1=-2)", "Exists x=1 /\\ 0:r1=-2");
        check("~ exists x = 0x10 ;", "NotExists x=16");
        check("~exists(P1:EAX==1)", "NotExists 1:EAX=1");
        check("forall ((x=1 \\/ y=1) /\\ not z=y)", "Forall (x=1 \\/ y=1) /\\ ~(z=y)");
        check("exists x=1 \\/ y=1 /\\ z<>1", "Exists x=1 \\/ y=1 /\\ z!=1");
        check("exists (x=1 => y=1 => z=0:r1)", "Exists x=1 => y=1 => z=0:r1");
        check("locations [x; 0:r1; y int*;] forall true", "Forall true");
        check("filter (x=1) exists (y=1) with tso: forall;", "Exists y=1");
        check("locations [x]", "Exists true");
    }

    #[test]
    fn mistakes() {
        check("exists (x=1", "the file ends where ')' to close the parenthesis should stand");
        check("exists (x<1)", "expected '=' or '!=', found '<'");
        check("exists (x=w)", "there is no location 'w'");
        check("exists (x=1) y", "expected the end of the condition, found 'y'");
        check("exists (x=18446744073709551616)", "'18446744073709551616' is not a number of at most 64 bits");
        check("cases (x=1)", "expected 'exists', '~exists' or 'forall', found 'cases'");
    }
}
