//! The address space. Programs can look at addresses as numbers, so machine and engines must agree on them.
//!
//! Null comes first, then the functions, then one arena after the other: that of the program's objects has the number 0,
//! that of thread n (its thread-local objects, its locals and what it allocates) the number n + 1. An arena is filled
//! upwards, each object at the next multiple of its alignment.

use crate::ids::FuncId;
use crate::types::Target;
use std::ops::Range;

/// Addresses below it are called null.
pub const NULL_PAGE: u64 = 4096;
/// An address of no object and no function: what a pointer that was never set may well be.
pub const NOWHERE: u64 = 0x8000;
/// Where the first function has its address, and how far apart functions are.
const CODE_BASE: u64 = 0x1_0000;
const CODE_STRIDE: u64 = 16;

/// Bytes between two objects: a pointer just past one object is in no other.
pub const GAP: u64 = 16;
/// The alignment of what `malloc` gives, and of arrays of variable length.
pub const ALLOC_ALIGN: u64 = 16;
/// The largest alignment of an allocation: a huge page of x86.
pub const LARGEST_ALIGN: u64 = 1 << 21;

/// Larger objects are refused, and so are more bytes or objects in one arena: a loop that allocates must not eat up the
/// memory before anyone looks at the limits.
pub const LARGEST_OBJECT: u64 = 1 << 26;
pub const LARGEST_ARENA: u64 = 1 << 28;
pub const MOST_OBJECTS: usize = 1 << 18;

/// The alignment of an allocation that asks for this one. What is no power of two counts as the next one.
pub fn alignment(asked: u64) -> u64 {
    asked.clamp(ALLOC_ALIGN, LARGEST_ALIGN).next_power_of_two()
}

impl Target {
    /// The arena with number n lies in the addresses that are n + 1 without their last so many bits.
    pub fn arena_bits(self) -> u32 {
        match self {
            Target::Lp64 => 40,
            Target::Ilp32 => 24,
        }
    }

    /// How many arenas there is room for.
    pub fn most_arenas(self) -> u64 {
        match self {
            Target::Lp64 => 1 << 12,
            Target::Ilp32 => 254,
        }
    }

    /// Where an arena begins.
    pub fn arena_base(self, number: u64) -> u64 {
        (number + 1) << self.arena_bits()
    }
}

pub fn function_address(function: FuncId) -> u64 {
    CODE_BASE + u64::from(function.0) * CODE_STRIDE
}

/// The addresses of so many functions lie here.
pub fn function_addresses(count: usize) -> Range<u64> {
    CODE_BASE..CODE_BASE + count as u64 * CODE_STRIDE
}

/// Which of so many functions has an address.
pub fn function_at(address: u64, count: usize) -> Option<FuncId> {
    let offset = address.checked_sub(CODE_BASE).filter(|offset| offset.is_multiple_of(CODE_STRIDE))?;
    let index = offset / CODE_STRIDE;
    (index < count as u64).then(|| FuncId::new(index as usize))
}
