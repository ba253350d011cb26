//! Headers and models that are built in.

/// The text of a built-in header.
pub fn header(_name: &str) -> Option<&'static str> {
    None
}
