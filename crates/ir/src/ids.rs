//! Typed indices, so that a block is never mistaken for a register.

use std::fmt;

macro_rules! ids {
    ($($(#[$meta:meta])* $name:ident = $prefix:literal;)*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// The id of the `index`-th element.
            pub fn new(index: usize) -> $name {
                $name(u32::try_from(index).expect("an index should fit into 32 bits"))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    )*};
}

ids! {
    /// A virtual register of a function.
    Reg = "r";
    /// A basic block of a function.
    BlockId = "b";
    /// An object on a function's frame.
    LocalId = "l";
    /// An object with static or thread storage.
    GlobalId = "g";
    /// A function of the program.
    FuncId = "f";
    /// A type with layout.
    TypeId = "t";
    /// A name of a source file.
    FileId = "file";
}
