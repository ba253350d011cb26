//! Small programs for memory models: what litmus tests of any language come down to.
//!
//! A program is a list of cells and a list of threads. A cell is a piece of memory that is accessed as a whole only; an
//! array is several cells, and so is a location that is accessed in several sizes. An access covers one cell or
//! several. A thread is a list of instructions over its registers. Instructions carry tags, the words by
//! which a model tells kinds of accesses and fences apart (`A`, `DMB.ISH`, `RLX`): a tag is a set of events in the
//! model's language.
//!
//! All values are 64 bits. Whoever makes a program masks results with [`Expr::Truncate`] where an operation is
//! narrower; a load extends with zeros. Expressions keep the dependencies that their text shows: `x ^ x` depends on
//! `x`.

use norn_ir::source::Loc;

norn_ir::ids! {
    /// A register of a thread.
    Reg = "register";
}
norn_ir::ids! {
    /// A place in the code of a thread.
    Label = "label";
}
norn_ir::ids! {
    /// A cell of shared memory.
    Cell = "cell";
}

/// The size of an access or of a cell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Width {
    W8,
    W16,
    W32,
    W64,
}

impl Width {
    pub fn bits(self) -> u32 {
        match self {
            Width::W8 => 8,
            Width::W16 => 16,
            Width::W32 => 32,
            Width::W64 => 64,
        }
    }

    pub fn bytes(self) -> u64 {
        u64::from(self.bits() / 8)
    }

    /// Where the `index`-th part of that width begins in a value, in bits.
    pub fn shift(self, index: usize) -> u32 {
        self.bits() * norn_ir::number::narrow(index)
    }

    pub fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }

    pub fn truncate(self, value: u64) -> u64 {
        value & self.mask()
    }

    pub fn sign_extend(self, value: u64) -> u64 {
        let unused = 64 - self.bits();
        (((value << unused) as i64) >> unused) as u64
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CellInfo {
    /// As conditions and pictures show it: `x`, `x[1]`.
    pub name: String,
    pub address: u64,
    pub width: Width,
    pub init: u64,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RegisterInfo {
    /// Empty for a made-up one.
    pub name: String,
    pub init: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// All 64 bits inverted.
    Not,
    /// In two's complement.
    Negate,
    /// 1 for 0, else 0.
    IsZero,
}

/// On 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    /// By the low 6 bits of the right side.
    ShiftLeft,
    ShiftRight,
    ShiftRightSigned,
    /// 0 or 1, like all comparisons.
    Equal,
    NotEqual,
    Less,
    LessEqual,
    LessSigned,
    LessEqualSigned,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expr {
    /// A number or the address of a cell.
    Const(u64),
    Reg(Reg),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// The low bits, extended with zeros.
    Truncate(Width, Box<Expr>),
    /// The low bits, extended with their sign.
    SignExtend(Width, Box<Expr>),
    /// The second if the first is not 0, else the third. Depends on all three.
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
}

impl Expr {
    pub fn unary(op: UnaryOp, inner: Expr) -> Expr {
        Expr::Unary(op, Box::new(inner))
    }

    pub fn binary(op: BinaryOp, lhs: Expr, rhs: Expr) -> Expr {
        Expr::Binary(op, Box::new(lhs), Box::new(rhs))
    }

    pub fn truncate(width: Width, inner: Expr) -> Expr {
        Expr::Truncate(width, Box::new(inner))
    }

    pub fn sign_extend(width: Width, inner: Expr) -> Expr {
        Expr::SignExtend(width, Box::new(inner))
    }

    pub fn select(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
        Expr::Select(Box::new(condition), Box::new(then), Box::new(otherwise))
    }
}

/// The names of the sets of a model that an event belongs to, besides those that the graph itself knows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tags(pub Vec<String>);

impl Tags {
    pub fn none() -> Tags {
        Tags::default()
    }

    pub fn of(names: &[&str]) -> Tags {
        Tags(names.iter().map(|&name| name.to_owned()).collect())
    }

    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|tag| tag == name)
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Instr {
    /// Computes in registers.
    Assign {
        dst: Reg,
        value: Expr,
    },
    /// An `exclusive` load reserves its cell for the next [`Instr::StoreExclusive`] of the thread.
    Load {
        dst: Reg,
        addr: Expr,
        width: Width,
        tags: Tags,
        exclusive: bool,
    },
    Store {
        addr: Expr,
        value: Expr,
        width: Width,
        tags: Tags,
    },
    /// Stores, or fails: both are tried where the reservation is for this cell, else it fails. `status` becomes 0 if
    /// it stored, else 1. `status_depends` says that what uses `status` depends on the store that was made (RISC-V).
    StoreExclusive {
        status: Reg,
        addr: Expr,
        value: Expr,
        width: Width,
        tags: Tags,
        status_depends: bool,
    },
    /// Reads and writes in one step. `value` and `when` may use `old`, which already holds the value read there. If
    /// `when` is given and comes out as 0, nothing is written and the read has the tags `otherwise` in place of
    /// `read`.
    Rmw {
        old: Reg,
        addr: Expr,
        width: Width,
        when: Option<Expr>,
        value: Expr,
        read: Tags,
        write: Tags,
        otherwise: Tags,
    },
    /// An event without a value. With an address, it belongs to that cell (as in the kernel's SRCU).
    Fence {
        addr: Option<Expr>,
        tags: Tags,
    },
    Label(Label),
    Jump(Label),
    /// Jumps if the condition is not 0. All later events depend on it for control, or, with `until`, those before that
    /// label is reached (the end of an `if` in languages where the dependency ends there).
    Branch {
        condition: Expr,
        target: Label,
        until: Option<Label>,
    },
    /// 0 or 1, as it happens.
    Choose {
        dst: Reg,
    },
    /// Executions where this is 0 do not count.
    Assume(Expr),
}

/// An instruction and where it stands in the file of the test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    pub instr: Instr,
    pub loc: Loc,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Thread {
    pub registers: Vec<RegisterInfo>,
    pub code: Vec<Step>,
}

impl Thread {
    pub fn register(&mut self, name: &str, init: u64) -> Reg {
        self.registers.push(RegisterInfo { name: name.to_owned(), init });
        Reg::new(self.registers.len() - 1)
    }

    pub fn push(&mut self, instr: Instr, loc: Loc) {
        self.code.push(Step { instr, loc });
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Program {
    pub cells: Vec<CellInfo>,
    pub threads: Vec<Thread>,
}

/// Addresses look like no number that a test uses, and fit into 32 bits.
const FIRST_ADDRESS: u64 = 0x5A5C_0000;
const BETWEEN_LOCATIONS: u64 = 0x1_0000;
/// More could overlap the next location.
pub const MAX_ELEMENTS: u64 = BETWEEN_LOCATIONS / 8;

impl Program {
    /// A location of one cell, or an array of several; its first cell. Cells start as 0.
    ///
    /// # Panics
    ///
    /// If there are none or more than [`MAX_ELEMENTS`].
    pub fn location(&mut self, name: &str, width: Width, length: Option<u64>) -> Cell {
        self.divided_location(name, width, width, length)
    }

    /// The same, with each element of `width` divided into cells that are `unit` wide.
    ///
    /// # Panics
    ///
    /// If there are none or more than [`MAX_ELEMENTS`].
    pub fn divided_location(&mut self, name: &str, width: Width, unit: Width, length: Option<u64>) -> Cell {
        let first = Cell::new(self.cells.len());
        let elements = length.unwrap_or(1);
        assert!((1..=MAX_ELEMENTS).contains(&elements), "an array of {elements} elements should have been refused");
        assert!(unit <= width, "a part should be no larger than the whole");
        let places = self.cells.last().map_or(0, |cell| (cell.address - FIRST_ADDRESS) / BETWEEN_LOCATIONS + 1);
        let base = FIRST_ADDRESS + places * BETWEEN_LOCATIONS;
        for index in 0..elements {
            let name = if length.is_some() { format!("{name}[{index}]") } else { name.to_owned() };
            for offset in (0..width.bytes()).step_by(norn_ir::number::to_usize(unit.bytes())) {
                let name = if unit == width { name.clone() } else { format!("{name}+{offset}") };
                let address = base + index * width.bytes() + offset;
                self.cells.push(CellInfo { name, address, width: unit, init: 0 });
            }
        }
        first
    }

    /// The cell with that address.
    pub fn cell_at(&self, address: u64) -> Option<Cell> {
        self.cells.iter().position(|cell| cell.address == address).map(Cell::new)
    }
}
