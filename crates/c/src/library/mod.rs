//! The C library that programs meet: headers, models of functions, and the names of what is not supported.
//!
//! Headers are small and our own, so that a file checks the same way on every machine. They declare more than there are
//! models for: a call without a model is reported by the name of the function.
//!
//! Left out: locale, wide characters, files, processes, signals, and floating-point functions that cannot be written in a few
//! lines of C.

mod headers;

use headers::HEADERS;

/// The text of a built-in header, by the name between the angle brackets.
pub fn header(name: &str) -> Option<&'static str> {
    let index = HEADERS.binary_search_by_key(&name, |(name, _)| name).ok()?;
    Some(HEADERS[index].1)
}

/// The names of all built-in headers, sorted.
pub fn header_names() -> impl Iterator<Item = &'static str> {
    HEADERS.iter().map(|(name, _)| *name)
}
