//! Names as numbers: identifiers are compared and hashed as a [`Symbol`].
//!
//! Every identifier and literal of a program passes through here, so the table is made for that: all spellings lie in one
//! text, and a slot is found by open addressing without touching the spelling unless the hash agrees.

use std::ops::Range;

/// An interned spelling.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Symbol(pub u32);

/// A slot of the table: a symbol and the part of its hash that did not choose the slot.
#[derive(Clone, Copy, Debug)]
struct Slot {
    hash: u32,
    symbol: u32,
}

const FREE: Slot = Slot { hash: 0, symbol: u32::MAX };

/// The spellings of one session.
#[derive(Debug, Default)]
pub struct Interner {
    /// A power of two of them, at most three quarters taken.
    slots: Vec<Slot>,
    /// Where each symbol's spelling ends in `text`; it begins where the one before ends.
    ends: Vec<usize>,
    text: String,
}

impl Interner {
    pub fn new() -> Interner {
        Interner::default()
    }

    pub fn intern(&mut self, name: &str) -> Symbol {
        if self.ends.len() * 4 >= self.slots.len() * 3 {
            self.grow();
        }
        let hash = hash(name.as_bytes());
        let index = match self.find(name, hash) {
            Ok(symbol) => return symbol,
            Err(free) => free,
        };
        let symbol = Symbol(u32::try_from(self.ends.len()).expect("there should be fewer than 2^32 names"));
        self.text.push_str(name);
        self.ends.push(self.text.len());
        self.slots[index] = Slot { hash: hash as u32, symbol: symbol.0 };
        symbol
    }

    /// The symbol of a name that was interned before.
    pub fn get(&self, name: &str) -> Option<Symbol> {
        if self.slots.is_empty() {
            return None;
        }
        self.find(name, hash(name.as_bytes())).ok()
    }

    pub fn name(&self, symbol: Symbol) -> &str {
        &self.text[self.range(symbol.0)]
    }

    fn bytes(&self, symbol: u32) -> &[u8] {
        &self.text.as_bytes()[self.range(symbol)]
    }

    /// Where a spelling stands in the text.
    fn range(&self, symbol: u32) -> Range<usize> {
        let index = symbol as usize;
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        start..self.ends[index]
    }

    /// The symbol of `name`, or the slot where it belongs.
    fn find(&self, name: &str, hash: u64) -> Result<Symbol, usize> {
        let mask = self.slots.len() - 1;
        let mut index = slot_of(hash, mask);
        loop {
            let slot = self.slots[index];
            if slot.symbol == FREE.symbol {
                return Err(index);
            }
            if slot.hash == hash as u32 && self.bytes(slot.symbol) == name.as_bytes() {
                return Ok(Symbol(slot.symbol));
            }
            index = (index + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(1024);
        let mut slots = vec![FREE; size];
        for i in 0..self.ends.len() {
            let symbol = Symbol(i as u32);
            let hash = hash(self.name(symbol).as_bytes());
            let mut index = slot_of(hash, size - 1);
            while slots[index].symbol != FREE.symbol {
                index = (index + 1) & (size - 1);
            }
            slots[index] = Slot { hash: hash as u32, symbol: symbol.0 };
        }
        self.slots = slots;
    }
}

/// The slot is chosen by the upper bits, so that the lower ones still tell names in it apart.
fn slot_of(hash: u64, mask: usize) -> usize {
    (hash >> 32) as usize & mask
}

/// Multiplies 64 bits into 128 and folds the halves, eight bytes at a time. Names are short: this beats a stronger hash.
fn hash(bytes: &[u8]) -> u64 {
    let fold = |a: u64, b: u64| {
        let product = u128::from(a) * u128::from(b);
        (product as u64) ^ ((product >> 64) as u64)
    };
    let (words, rest) = bytes.as_chunks::<8>();
    let mut hash = 0x9E37_79B9_7F4A_7C15 ^ bytes.len() as u64;
    for word in words {
        hash = fold(hash ^ u64::from_le_bytes(*word), 0xD6E8_FEB8_6659_FD93);
    }
    // The length is part of the hash, so bytes that are taken twice do no harm.
    let last = match (rest.first_chunk::<4>(), rest.last_chunk::<4>(), rest) {
        (Some(first), Some(last), _) => {
            u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last))
        }
        (_, _, []) => 0,
        (_, _, [first, .., last]) => u64::from(*first) << 16 | u64::from(rest[rest.len() / 2]) << 8 | u64::from(*last),
        (_, _, [only]) => u64::from(*only),
    };
    fold(hash ^ last, 0xA076_1D64_78BD_642F)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_spelling_same_symbol() {
        let mut interner = Interner::new();
        assert_eq!(interner.get("a"), None);
        let names: Vec<String> = (0..10_000).map(|i| format!("name_{i}")).chain([String::new()]).collect();
        let symbols: Vec<Symbol> = names.iter().map(|name| interner.intern(name)).collect();
        for (i, (name, &symbol)) in names.iter().zip(&symbols).enumerate() {
            assert_eq!(symbol, Symbol(i as u32));
            assert_eq!(interner.name(symbol), name);
            assert_eq!(interner.get(name), Some(symbol));
            assert_eq!(interner.intern(name), symbol);
        }
        assert_eq!(interner.get("name_"), None);
    }
}
