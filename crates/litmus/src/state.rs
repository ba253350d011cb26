//! The initial state of a test: its locations with types and values, and the registers that do not start as 0.

use std::collections::HashMap;

use crate::ctype::{self, CType};
use crate::token::{Cursor, Parsed, Token, TokenKind};

norn_ir::ids! {
    /// A shared location of the test.
    LocationId = "location";
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Value {
    Number(i64),
    /// The address of the n-th element of a location.
    Address(LocationId, u64),
}

#[derive(Debug)]
pub(crate) struct Location {
    pub name: String,
    pub declared: Option<CType>,
    /// Of an array.
    pub length: Option<u64>,
    /// Of the first elements; the others are 0.
    pub init: Vec<Value>,
    /// Byte offset of its first mention.
    pub start: u32,
}

#[derive(Debug)]
pub(crate) struct RegisterInit<'a> {
    /// `None` for a register such as `%x` that belongs to whichever thread mentions it.
    pub thread: Option<u32>,
    pub name: Token<'a>,
    /// Written with a `%`: may be a name for some register that the test leaves open.
    pub symbolic: bool,
    pub declared: Option<CType>,
    pub value: Value,
}

#[derive(Debug, Default)]
pub(crate) struct State<'a> {
    pub locations: Vec<Location>,
    by_name: HashMap<String, LocationId>,
    pub registers: Vec<RegisterInit<'a>>,
}

/// More elements than any test needs, and few enough to write them all down.
const MAX_LENGTH: u64 = 4096;

impl<'a> State<'a> {
    pub fn find(&self, name: &str) -> Option<LocationId> {
        self.by_name.get(name).copied()
    }

    pub fn location(&self, id: LocationId) -> &Location {
        &self.locations[id.index()]
    }

    /// The location of that name, made now if it has not been mentioned before.
    pub fn mention(&mut self, name: Token<'a>) -> LocationId {
        if let Some(id) = self.find(name.text) {
            return id;
        }
        let id = LocationId::new(self.locations.len());
        self.locations.push(Location {
            name: name.text.to_owned(),
            declared: None,
            length: None,
            init: Vec::new(),
            start: name.start,
        });
        self.by_name.insert(name.text.to_owned(), id);
        id
    }
}

/// Reads the initial state up to and with its closing brace.
pub(crate) fn parse<'a>(cursor: &mut Cursor<'_, 'a>) -> Parsed<State<'a>> {
    let mut state = State::default();
    loop {
        if cursor.eat("}") {
            return Ok(state);
        }
        if cursor.eat(";") {
            continue;
        }
        if cursor.at_end() {
            return Err(cursor.unexpected("the '}' that closes the initial state"));
        }
        item(cursor, &mut state)?;
        if !cursor.peek().is("}") {
            cursor.expect(";", "after a part of the initial state")?;
        }
    }
}

fn item<'a>(cursor: &mut Cursor<'_, 'a>, state: &mut State<'a>) -> Parsed<()> {
    let mut declared = ctype::parse(cursor)?;
    if declared.is_none() && cursor.eat("*") {
        declared = Some(CType::INT.pointer_to());
    }
    if let Some(thread) = thread_prefix(cursor)? {
        let symbolic = cursor.peek().is("%");
        let name = register_name(cursor)?;
        let value = if cursor.eat("=") { value(cursor, state)? } else { Value::Number(0) };
        state.registers.push(RegisterInit { thread: Some(thread), name, symbolic, declared, value });
        return Ok(());
    }
    if cursor.eat("%") {
        let name = cursor.word("the name of a register")?;
        let value = if cursor.eat("=") { value(cursor, state)? } else { Value::Number(0) };
        state.registers.push(RegisterInit { thread: None, name, symbolic: true, declared, value });
        return Ok(());
    }
    let bracketed = cursor.eat("[");
    let name = cursor.word("a location or a register")?;
    if bracketed {
        cursor.expect("]", "after the location")?;
    }
    let id = state.mention(name);
    let mut length = None;
    if cursor.eat("[") {
        let size = cursor.peek();
        let elements = cursor.unsigned()?;
        if elements == 0 || elements > MAX_LENGTH {
            let message = format!("an array of {elements} elements cannot be read");
            return Err(cursor.file.unsupported_at(size, message).help(format!("1 to {MAX_LENGTH} elements can")));
        }
        cursor.expect("]", "after the length")?;
        length = Some(elements);
    }
    let init = match (cursor.eat("="), length) {
        (false, _) => Vec::new(),
        (true, None) => vec![initialiser(cursor, state)?],
        (true, Some(length)) => elements(cursor, state, length)?,
    };
    let location = &mut state.locations[id.index()];
    location.declared = declared.or(location.declared);
    location.length = length.or(location.length);
    location.init = init;
    Ok(())
}

fn initialiser<'a>(cursor: &mut Cursor<'_, 'a>, state: &mut State<'a>) -> Parsed<Value> {
    let wrapped = cursor.eat_word("ATOMIC_INIT") || cursor.eat_word("ATOMIC_VAR_INIT");
    if wrapped {
        cursor.expect("(", "after the initialiser's name")?;
    }
    let found = value(cursor, state)?;
    if wrapped {
        cursor.expect(")", "after the initial value")?;
    }
    Ok(found)
}

fn elements<'a>(cursor: &mut Cursor<'_, 'a>, state: &mut State<'a>, length: u64) -> Parsed<Vec<Value>> {
    cursor.expect("{", "before the elements")?;
    let mut values = Vec::new();
    while !cursor.eat("}") {
        if values.len() as u64 == length {
            return Err(cursor.file.error_at(cursor.peek(), "the array has fewer elements than this"));
        }
        values.push(value(cursor, state)?);
        if !cursor.peek().is("}") {
            cursor.expect(",", "between elements")?;
        }
    }
    Ok(values)
}

/// `0:` or `P0:`.
pub(crate) fn thread_prefix(cursor: &mut Cursor<'_, '_>) -> Parsed<Option<u32>> {
    let token = cursor.peek();
    let digits = match token.kind {
        TokenKind::Number => token.text,
        TokenKind::Word => token.text.strip_prefix('P').unwrap_or(""),
        _ => "",
    };
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) || !cursor.peek_at(1).is(":") {
        return Ok(None);
    }
    cursor.bump();
    cursor.bump();
    match digits.parse() {
        Ok(thread) => Ok(Some(thread)),
        Err(_) => Err(cursor.file.error_at(token, format!("there is no thread {digits}"))),
    }
}

/// A register's name, with or without the `%` or `$` that some assemblers write before it.
pub(crate) fn register_name<'a>(cursor: &mut Cursor<'_, 'a>) -> Parsed<Token<'a>> {
    if !cursor.eat("%") {
        cursor.eat("$");
    }
    cursor.word("the name of a register")
}

/// A number, or the address of a location: `x`, `&x`, `x[1]`.
pub(crate) fn value<'a>(cursor: &mut Cursor<'_, 'a>, state: &mut State<'a>) -> Parsed<Value> {
    let ampersand = cursor.eat("&");
    if !ampersand && cursor.peek().kind != TokenKind::Word {
        return Ok(Value::Number(cursor.integer()?));
    }
    let name = cursor.word("the name of a location")?;
    if cursor.peek().is(":") {
        return Err(cursor.file.unsupported_at(name, "addresses of code and tagged addresses are not supported"));
    }
    let id = state.mention(name);
    let mut index = 0;
    if cursor.eat("[") {
        index = cursor.unsigned()?;
        cursor.expect("]", "after the index")?;
    }
    Ok(Value::Address(id, index))
}
