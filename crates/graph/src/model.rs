//! The models that programs of this crate can be judged by.

use norn_cat::{Folder, Model, Vocabulary};
use norn_ir::diag::Diagnostic;
use norn_ir::source::SourceMap;

/// The kinds of events that every graph has, and the tags that readers of programs give.
const SETS: &[&str] = &[
    "R",
    "W",
    "M",
    "F",
    "IW",
    // AArch64.
    "A",
    "Q",
    "L",
    "X",
    "NoRet",
    "ISB",
    "DMB.FULL",
    "DMB.LD",
    "DMB.ST",
    "DMB.SY",
    "DMB.ISH",
    "DMB.ISHLD",
    "DMB.ISHST",
    "DMB.OSH",
    "DMB.OSHLD",
    "DMB.OSHST",
    "DMB.NSH",
    "DMB.NSHLD",
    "DMB.NSHST",
    "DSB.FULL",
    "DSB.LD",
    "DSB.ST",
    "DSB.SY",
    "DSB.ISH",
    "DSB.ISHLD",
    "DSB.ISHST",
    "DSB.OSH",
    "DSB.OSHLD",
    "DSB.OSHST",
    "DSB.NSH",
    "DSB.NSHLD",
    "DSB.NSHST",
    // RISC-V.
    "AQ",
    "RL",
    "Acq",
    "Rel",
    "AcqRel",
    "AMO",
    "Fence.r.r",
    "Fence.r.w",
    "Fence.r.rw",
    "Fence.w.r",
    "Fence.w.w",
    "Fence.w.rw",
    "Fence.rw.r",
    "Fence.rw.w",
    "Fence.rw.rw",
    "Fence.tso",
    "Fence.i",
    // C.
    "NA",
    "RLX",
    "CON",
    "ACQ",
    "REL",
    "ACQ_REL",
    "SC",
    // The kernel's C.
    "Plain",
    "Once",
    "Acquire",
    "Release",
    "Noreturn",
    "Mb",
    "Rmb",
    "Wmb",
    "Before-atomic",
    "After-atomic",
    "After-spinlock",
    "After-unlock-lock",
    "Barrier",
    "Rcu-lock",
    "Rcu-unlock",
    "Sync-rcu",
    "Srcu-lock",
    "Srcu-unlock",
    "Sync-srcu",
    "After-srcu-read-unlock",
    "RMW",
    "LF",
    "LKR",
    "LKW",
    "UL",
    // X86 and PPC, by what a fence orders.
    "FullFence",
    "StoreFence",
    "SYNC",
    "LWSYNC",
    "EIEIO",
    "ISYNC",
    "MFENCE",
    "SFENCE",
    "LFENCE",
];

const VOCABULARY: Vocabulary<'static> = Vocabulary { sets: SETS };

/// The model of that name that comes with Norn.
pub fn builtin(sources: &mut SourceMap, name: &str) -> Option<Result<Model, Diagnostic>> {
    norn_cat::load_builtin(sources, name, VOCABULARY)
}

/// The names of those.
pub fn names() -> impl Iterator<Item = &'static str> {
    norn_cat::builtin::names()
}

/// A model that somebody wrote. `folder` reads a file that it includes, by its plain name.
pub fn load(sources: &mut SourceMap, name: &str, text: String, folder: Folder<'_>) -> Result<Model, Diagnostic> {
    norn_cat::load(sources, name, text, VOCABULARY, folder)
}
