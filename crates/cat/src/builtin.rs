//! The models that come with Norn.

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

pub fn text(name: &str) -> Option<&'static str> {
    MODELS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

pub fn names() -> impl Iterator<Item = &'static str> {
    MODELS.iter().map(|(name, _)| *name)
}
