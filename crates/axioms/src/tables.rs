//! What accesses and fences of C are in the words of a model: the tables of the usual compilers.
//!
//! A model speaks of C11's orders, of the instructions of AArch64 or of RISC-V, or of the fences of the models that are
//! machines, too. Which of these it is, is known by the sets of events that it looks at. The tables are in
//! `docs/models.md`; where compilers differ the weaker translation is taken.

use norn_cat::Model;
use norn_ir::instr::{FenceKind, Order};

pub type Tags = &'static [&'static str];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Table {
    /// SC, TSO, PSO: what the fences of the reference machine order.
    Machine,
    C11,
    AArch64,
    RiscV,
}

/// An access with the fences around it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Access {
    pub before: Option<Tags>,
    pub tags: Tags,
    pub after: Option<Tags>,
}

/// A read-modify-write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Update {
    pub read: Tags,
    pub write: Tags,
    /// A pair of exclusive accesses instead of one instruction.
    pub exclusive: bool,
}

const C11: [&str; 7] = ["NA", "RLX", "CON", "ACQ", "REL", "ACQ_REL", "SC"];
const AARCH64: [&str; 14] = [
    "A",
    "Q",
    "L",
    "NoRet",
    "ISB",
    "DMB.FULL",
    "DMB.LD",
    "DMB.ST",
    "DMB.SY",
    "DMB.ISH",
    "DMB.ISHLD",
    "DMB.ISHST",
    "DSB.FULL",
    "DSB.SY",
];
const RISC_V: [&str; 17] = [
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
];
const MACHINE: [&str; 2] = ["FullFence", "StoreFence"];
/// What no C program has.
const OTHERS: [&str; 12] =
    ["Plain", "Once", "Acquire", "Release", "Mb", "Rmb", "Wmb", "Rcu-lock", "SYNC", "LWSYNC", "MFENCE", "LKR"];

impl Table {
    /// The table of a model; why it has none.
    pub fn of(model: &Model) -> Result<Table, String> {
        let names = |sets: &[&'static str]| sets.iter().copied().find(|set| model.mentions(set));
        if let Some(set) = names(&OTHERS) {
            return Err(format!("the model looks at '{set}', which is not among the tags of C programs"));
        }
        let known = [
            (Table::C11, names(&C11)),
            (Table::AArch64, names(&AARCH64)),
            (Table::RiscV, names(&RISC_V)),
            (Table::Machine, names(&MACHINE)),
        ];
        let mut tables = known.into_iter().filter_map(|(table, set)| Some((table, set?)));
        match (tables.next(), tables.next()) {
            (None, _) => Ok(Table::Machine),
            (Some((table, _)), None) => Ok(table),
            (Some((_, one)), Some((_, other))) => {
                Err(format!("the model looks at '{one}' and '{other}', which are of different languages"))
            }
        }
    }

    pub fn load(self, order: Order) -> Access {
        let plain = |tags: Tags| Access { tags, ..Access::default() };
        match self {
            Table::Machine => plain(&[]),
            Table::C11 => plain(c11(order)),
            Table::AArch64 => plain(match order {
                Order::Plain | Order::Relaxed | Order::Release => &[],
                Order::Acquire | Order::AcqRel => &["Q"],
                Order::SeqCst => &["A"],
            }),
            Table::RiscV => match order {
                Order::Plain | Order::Relaxed | Order::Release => plain(&[]),
                Order::Acquire | Order::AcqRel => Access { after: Some(&["Fence.r.rw"]), ..Access::default() },
                Order::SeqCst => Access { before: Some(&["Fence.rw.rw"]), tags: &[], after: Some(&["Fence.r.rw"]) },
            },
        }
    }

    pub fn store(self, order: Order) -> Access {
        let plain = |tags: Tags| Access { tags, ..Access::default() };
        match self {
            Table::Machine => match order {
                // An exchange.
                Order::SeqCst => plain(&["X"]),
                Order::Release | Order::AcqRel => Access { before: Some(&["StoreFence"]), ..Access::default() },
                Order::Plain | Order::Relaxed | Order::Acquire => plain(&[]),
            },
            Table::C11 => plain(c11(order)),
            Table::AArch64 => plain(match order {
                Order::Plain | Order::Relaxed | Order::Acquire => &[],
                Order::Release | Order::AcqRel | Order::SeqCst => &["L"],
            }),
            Table::RiscV => match order {
                Order::Plain | Order::Relaxed | Order::Acquire => plain(&[]),
                Order::Release | Order::AcqRel | Order::SeqCst => {
                    Access { before: Some(&["Fence.rw.w"]), ..Access::default() }
                }
            },
        }
    }

    /// One instruction that reads and writes; of a compare-exchange, one that writes.
    pub fn update(self, order: Order, compares: bool) -> Update {
        let order = order.join(Order::Relaxed);
        let (acquires, releases) = sides(order);
        match self {
            Table::Machine => Update { read: &[], write: &[], exclusive: false },
            Table::C11 => Update { read: c11(order), write: c11(order), exclusive: false },
            Table::AArch64 => Update {
                read: if acquires { &["A"] } else { &[] },
                write: if releases { &["L"] } else { &[] },
                exclusive: false,
            },
            Table::RiscV if compares => Update {
                read: match order {
                    Order::SeqCst => &["X", "AQ", "RL", "AcqRel"],
                    _ if acquires => &["X", "AQ", "Acq"],
                    _ => &["X"],
                },
                write: if releases { &["X", "RL", "Rel"] } else { &["X"] },
                exclusive: true,
            },
            Table::RiscV => {
                let tags: Tags = match (acquires, releases) {
                    (false, false) => &["AMO"],
                    (true, false) => &["AMO", "AQ", "Acq"],
                    (false, true) => &["AMO", "RL", "Rel"],
                    (true, true) => &["AMO", "AQ", "RL", "AcqRel"],
                };
                Update { read: tags, write: tags, exclusive: false }
            }
        }
    }

    /// The read of a compare-exchange that does not write. Processors have one instruction for both ends of it.
    pub fn failed(self, order: Order, failure: Order) -> Tags {
        match self {
            Table::Machine => &["X"],
            Table::C11 => c11(failure.join(Order::Relaxed)),
            Table::AArch64 | Table::RiscV => self.update(order.join(failure), true).read,
        }
    }

    /// The fence, if it is one; an error if the model has no word for it.
    pub fn fence(self, kind: FenceKind) -> Result<Option<Tags>, &'static str> {
        let foreign = Err("a fence of another processor");
        Ok(Some(match (self, kind) {
            (_, FenceKind::Compiler) => return Ok(None),
            (Table::Machine, FenceKind::Full | FenceKind::Call) => &["FullFence"],
            // What threads and locks order is said by their own events.
            (_, FenceKind::Call) => return Ok(None),
            (Table::Machine, FenceKind::Release | FenceKind::AcqRel | FenceKind::StoreStore) => &["StoreFence"],
            (Table::Machine, FenceKind::Acquire | FenceKind::LoadLoad) => return Ok(None),
            (_, FenceKind::StoreStore | FenceKind::LoadLoad) => return foreign,
            (Table::C11, FenceKind::Full) => &["SC"],
            (Table::C11, FenceKind::Release) => &["REL"],
            (Table::C11, FenceKind::AcqRel) => &["ACQ_REL"],
            (Table::C11, FenceKind::Acquire) => &["ACQ"],
            (Table::AArch64, FenceKind::Acquire) => &["DMB.LD", "DMB.ISHLD"],
            (Table::AArch64, _) => &["DMB.FULL", "DMB.ISH"],
            (Table::RiscV, FenceKind::Full) => &["Fence.rw.rw"],
            (Table::RiscV, FenceKind::Release) => &["Fence.rw.w"],
            (Table::RiscV, FenceKind::AcqRel) => &["Fence.tso"],
            (Table::RiscV, FenceKind::Acquire) => &["Fence.r.rw"],
        }))
    }

    /// What tells another thread of the start or end of one: all before it comes before all behind [`Table::told`].
    pub fn tell(self) -> Access {
        match self {
            Table::Machine => Access { before: Some(&["FullFence"]), ..Access::default() },
            Table::C11 => Access { tags: &["REL"], ..Access::default() },
            Table::AArch64 => Access { tags: &["L"], ..Access::default() },
            Table::RiscV => Access { before: Some(&["Fence.rw.rw"]), ..Access::default() },
        }
    }

    pub fn told(self) -> Access {
        match self {
            Table::Machine => Access { after: Some(&["FullFence"]), ..Access::default() },
            Table::C11 => Access { tags: &["ACQ"], ..Access::default() },
            Table::AArch64 => Access { tags: &["A"], ..Access::default() },
            Table::RiscV => Access { after: Some(&["Fence.rw.rw"]), ..Access::default() },
        }
    }

    /// The write of a section that does not read the place.
    pub fn overwrite(self, order: Order) -> Tags {
        match self {
            Table::Machine => &["X"],
            _ => self.update(order, false).write,
        }
    }

    /// A read of a section that writes nothing.
    pub fn look(self, order: Order) -> Tags {
        match self {
            Table::Machine => &["X"],
            Table::RiscV if sides(order).0 => &["AQ", "Acq"],
            _ => self.load(order).tags,
        }
    }
}

/// Whether a read of that order acquires, and a write of it releases.
fn sides(order: Order) -> (bool, bool) {
    let acquires = matches!(order, Order::Acquire | Order::AcqRel | Order::SeqCst);
    let releases = matches!(order, Order::Release | Order::AcqRel | Order::SeqCst);
    (acquires, releases)
}

fn c11(order: Order) -> Tags {
    match order {
        Order::Plain => &["NA"],
        Order::Relaxed => &["RLX"],
        Order::Acquire => &["ACQ"],
        Order::Release => &["REL"],
        Order::AcqRel => &["ACQ_REL"],
        Order::SeqCst => &["SC"],
    }
}
