//! Which names are types: the one thing about scopes that C's grammar depends on.
//!
//! The table is indexed by symbol and changed in place; a log of what was there before restores it at the end of a
//! scope. Tags, members and labels have name spaces of their own and never enter it.

use crate::intern::{Interner, Symbol};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Meaning {
    /// Not declared so far.
    Unknown,
    Type,
    /// A variable, function, parameter or enumerator.
    Value,
}

/// The length of the log at some time.
#[derive(Clone, Copy)]
pub(super) struct ScopeMark(usize);

pub(super) struct Names {
    meanings: Vec<Meaning>,
    log: Vec<(Symbol, Meaning)>,
    /// `__uint128_t` is a type that the compiler knows; as long as nobody declares it, it is built in.
    pub(super) uint128: Symbol,
}

impl Names {
    pub(super) fn new(symbols: &mut Interner) -> Names {
        let va_list = symbols.intern("__builtin_va_list");
        let int128 = symbols.intern("__int128_t");
        let uint128 = symbols.intern("__uint128_t");
        let mut names = Names { meanings: Vec::new(), log: Vec::new(), uint128 };
        for name in [va_list, int128, uint128] {
            names.set(name, Meaning::Type);
        }
        names
    }

    pub(super) fn meaning(&self, name: Symbol) -> Meaning {
        self.meanings.get(name.0 as usize).copied().unwrap_or(Meaning::Unknown)
    }

    /// Declares a name in the current scope.
    pub(super) fn declare(&mut self, name: Symbol, meaning: Meaning) {
        let before = self.meaning(name);
        if before != meaning {
            self.log.push((name, before));
            self.set(name, meaning);
        }
    }

    /// Makes a name a type for good.
    pub(super) fn assume_type(&mut self, name: Symbol) {
        self.set(name, Meaning::Type);
    }

    pub(super) fn mark(&self) -> ScopeMark {
        ScopeMark(self.log.len())
    }

    /// Ends all scopes that began since the mark was taken.
    pub(super) fn restore(&mut self, mark: ScopeMark) {
        while self.log.len() > mark.0 {
            if let Some((name, before)) = self.log.pop() {
                self.set(name, before);
            }
        }
    }

    fn set(&mut self, name: Symbol, meaning: Meaning) {
        let index = name.0 as usize;
        if index >= self.meanings.len() {
            self.meanings.resize(index + 1, Meaning::Unknown);
        }
        self.meanings[index] = meaning;
    }
}
