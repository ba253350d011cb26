//! Names as numbers: identifiers are compared and hashed as a [`Symbol`].

use std::collections::HashMap;

/// An interned spelling.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Symbol(pub u32);

/// The spellings of one session.
#[derive(Debug, Default)]
pub struct Interner {
    ids: HashMap<Box<str>, Symbol>,
    names: Vec<Box<str>>,
}

impl Interner {
    pub fn new() -> Interner {
        Interner::default()
    }

    pub fn intern(&mut self, name: &str) -> Symbol {
        if let Some(&symbol) = self.ids.get(name) {
            return symbol;
        }
        let symbol = Symbol(self.names.len() as u32);
        self.names.push(name.into());
        self.ids.insert(name.into(), symbol);
        symbol
    }

    /// The symbol of a name that was interned before.
    pub fn get(&self, name: &str) -> Option<Symbol> {
        self.ids.get(name).copied()
    }

    pub fn name(&self, symbol: Symbol) -> &str {
        &self.names[symbol.0 as usize]
    }
}
