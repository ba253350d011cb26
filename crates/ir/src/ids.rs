//! Typed indices, so that a block is never mistaken for a register. They are serialised as plain numbers.

#[doc(hidden)]
pub use serde;

/// Makes types of indices: a number of 32 bits that is written with a prefix.
///
/// ```
/// norn_ir::ids! {
///     /// A knot of a net.
///     KnotId = "knot";
/// }
/// assert_eq!(KnotId::new(7).to_string(), "knot7");
/// assert_eq!(["a", "b"][KnotId(1).index()], "b");
/// ```
#[macro_export]
macro_rules! ids {
    ($($(#[$meta:meta])* $name:ident = $prefix:literal;)*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// The id of the element at `index`.
            pub fn new(index: usize) -> $name {
                $name(u32::try_from(index).expect("an index should fit into 32 bits"))
            }

            /// The ids of `count` elements, in order.
            pub fn all(count: usize) -> impl DoubleEndedIterator<Item = $name> + Clone {
                (0..$name::new(count).0).map($name)
            }
        }

        impl $crate::ids::serde::Serialize for $name {
            fn serialize<S: $crate::ids::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $crate::ids::serde::Serialize::serialize(&self.0, serializer)
            }
        }

        impl<'de> $crate::ids::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::ids::serde::Deserializer<'de>>(deserializer: D) -> Result<$name, D::Error> {
                <u32 as $crate::ids::serde::Deserialize>::deserialize(deserializer).map($name)
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl ::std::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Display::fmt(self, f)
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
