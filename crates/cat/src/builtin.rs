//! The models that come with Norn, and what herd's own models include.

/// Their names and texts.
const MODELS: [(&str, &str); 7] = [
    ("sc", include_str!("../models/sc.cat")),
    ("tso", include_str!("../models/tso.cat")),
    ("pso", include_str!("../models/pso.cat")),
    ("armv8", include_str!("../models/armv8.cat")),
    ("riscv", include_str!("../models/riscv.cat")),
    ("rc11", include_str!("../models/rc11.cat")),
    ("lkmm", include_str!("../models/lkmm.cat")),
];

/// Files that define the names that herd's files of the same name define, and check nothing.
const INCLUDES: [(&str, &str); 4] = [
    ("filters", include_str!("../models/herd/filters.cat")),
    ("x86fences", include_str!("../models/herd/x86fences.cat")),
    ("ppcfences", include_str!("../models/herd/ppcfences.cat")),
    ("aarch64fences", include_str!("../models/herd/aarch64fences.cat")),
];

/// The text of a model.
pub fn text(name: &str) -> Option<&'static str> {
    find(name).map(|(_, text)| text)
}

/// The name of a model that comes with Norn, and its text.
pub(crate) fn find(name: &str) -> Option<(&'static str, &'static str)> {
    MODELS.iter().find(|(known, _)| *known == name).copied()
}

/// The text of what a model may include.
pub(crate) fn included(name: &str) -> Option<&'static str> {
    text(name).or_else(|| INCLUDES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text))
}

pub fn names() -> impl Iterator<Item = &'static str> {
    MODELS.iter().map(|(name, _)| *name)
}
