//! Names as numbers: identifiers are compared and hashed as a [`Symbol`].
//!
//! Every identifier and literal of a program passes through here, so the table is made for that: all spellings lie in one
//! text, and a slot is found by open addressing without touching the spelling unless the hash agrees.

use crate::spelling::Keyword;
use norn_ir::number::{halves, low_32, narrow};
use std::ops::Range;

norn_ir::ids! {
    /// An interned spelling.
    Symbol = "symbol";
}

/// A slot of the table: a symbol and the part of its hash that did not choose the slot.
#[derive(Clone, Copy, Debug)]
struct Slot {
    hash: u32,
    symbol: u32,
}

/// Enough for the names of a small program and its headers.
const FIRST_SLOTS: usize = 4096;

const FREE: Slot = Slot { hash: 0, symbol: u32::MAX };

/// The spellings of one session.
#[derive(Debug)]
pub struct Interner {
    /// A power of two of them, at most half of them taken.
    slots: Vec<Slot>,
    /// Where each symbol's spelling stands in `text`.
    ranges: Vec<Range<usize>>,
    text: String,
}

impl Interner {
    /// Knows all keywords, before any other name: see [`Interner::keyword`].
    pub fn new() -> Interner {
        let mut interner = Interner { slots: vec![FREE; FIRST_SLOTS], ranges: Vec::new(), text: String::new() };
        for (spelling, _) in Keyword::SPELLINGS {
            interner.intern(spelling);
        }
        interner
    }

    /// The keyword that a symbol is.
    #[inline]
    pub fn keyword(symbol: Symbol) -> Option<Keyword> {
        Keyword::SPELLINGS.get(symbol.0 as usize).map(|&(_, keyword)| keyword)
    }

    #[inline]
    pub fn intern(&mut self, name: &str) -> Symbol {
        let hash = hash(name.as_bytes());
        match self.find(name, hash) {
            Ok(symbol) => symbol,
            Err(free) => self.add(name, hash, free),
        }
    }

    /// The symbol of a name that was interned before.
    pub fn get(&self, name: &str) -> Option<Symbol> {
        self.find(name, hash(name.as_bytes())).ok()
    }

    pub fn name(&self, symbol: Symbol) -> &str {
        &self.text[self.ranges[symbol.0 as usize].clone()]
    }

    /// The symbol of `name`, or the slot where it belongs.
    #[inline]
    fn find(&self, name: &str, hash: u64) -> Result<Symbol, usize> {
        let mask = self.slots.len() - 1;
        let mut index = slot_of(hash, mask);
        loop {
            let slot = self.slots[index];
            if slot.symbol == FREE.symbol {
                return Err(index);
            }
            if slot.hash == low_32(hash) {
                let range = self.ranges[slot.symbol as usize].clone();
                if self.text.as_bytes()[range] == *name.as_bytes() {
                    return Ok(Symbol(slot.symbol));
                }
            }
            index = (index + 1) & mask;
        }
    }

    /// Adds a new name in the free slot where it belongs.
    #[inline(never)]
    fn add(&mut self, name: &str, hash: u64, free: usize) -> Symbol {
        let symbol = Symbol::new(self.ranges.len());
        let start = self.text.len();
        self.text.push_str(name);
        self.ranges.push(start..self.text.len());
        self.slots[free] = Slot { hash: low_32(hash), symbol: symbol.0 };
        if self.ranges.len() * 2 > self.slots.len() {
            self.grow();
        }
        symbol
    }

    fn grow(&mut self) {
        let size = self.slots.len() * 2;
        let mut slots = vec![FREE; size];
        for (symbol, range) in self.ranges.iter().enumerate() {
            let hash = hash(&self.text.as_bytes()[range.clone()]);
            let mut index = slot_of(hash, size - 1);
            while slots[index].symbol != FREE.symbol {
                index = (index + 1) & (size - 1);
            }
            slots[index] = Slot { hash: low_32(hash), symbol: narrow(symbol) };
        }
        self.slots = slots;
    }
}

impl Default for Interner {
    fn default() -> Interner {
        Interner::new()
    }
}

/// The slot is chosen by the upper bits, so that the lower ones still tell names in it apart.
fn slot_of(hash: u64, mask: usize) -> usize {
    (hash >> 32) as usize & mask
}

/// Multiplies 64 bits with 64 bits and folds the halves of the product. Names are short: this beats a stronger hash, and
/// bytes that are taken twice do no harm, since the length is part of it.
#[inline]
fn hash(bytes: &[u8]) -> u64 {
    let fold = |a: u64, b: u64| {
        let (low, high) = halves(u128::from(a) * u128::from(b));
        low ^ high
    };
    let (first, last) = match (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        (Some(first), Some(last)) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
        _ => match (bytes.first_chunk::<4>(), bytes.last_chunk::<4>(), bytes) {
            (Some(first), Some(last), _) => (u32::from_le_bytes(*first).into(), u32::from_le_bytes(*last).into()),
            (_, _, []) => (0, 0),
            (_, _, [first, .., last]) => (u64::from(*first) << 8 | u64::from(bytes[bytes.len() / 2]), (*last).into()),
            (_, _, [only]) => (0, (*only).into()),
        },
    };
    let mut hash = 0x9E37_79B9_7F4A_7C15 ^ bytes.len() as u64;
    // What lies between the first and the last eight bytes of a long name.
    for word in bytes.get(8..).unwrap_or_default().as_chunks::<8>().0 {
        hash = fold(hash ^ u64::from_le_bytes(*word), 0xD6E8_FEB8_6659_FD93);
    }
    fold(hash ^ first, 0xA076_1D64_78BD_642F ^ last)
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
            // The keywords come before.
            assert_eq!(symbol, Symbol::new(Keyword::SPELLINGS.len() + i));
            assert_eq!(interner.name(symbol), name);
            assert_eq!(interner.get(name), Some(symbol));
            assert_eq!(interner.intern(name), symbol);
        }
        assert_eq!(interner.get("name_"), None);
    }

    #[test]
    fn keywords_come_first() {
        let mut interner = Interner::new();
        for (spelling, keyword) in Keyword::SPELLINGS {
            assert_eq!(interner.get(spelling).and_then(Interner::keyword), Some(*keyword));
        }
        assert_eq!(Interner::keyword(interner.intern("name")), None);
    }

    #[test]
    fn names_of_any_length_are_told_apart() {
        let mut interner = Interner::new();
        for len in 1..40 {
            // Alike but for one byte.
            for place in 0..len {
                let name = (0..len).map(|i| if i == place { 'b' } else { 'a' }).collect::<String>();
                let symbol = interner.intern(&name);
                assert_eq!(interner.name(symbol), name);
            }
        }
        assert_eq!(interner.ranges.len(), Keyword::SPELLINGS.len() + (1..40).sum::<usize>());
    }
}
