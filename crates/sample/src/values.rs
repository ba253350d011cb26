//! What nondeterministic values are: boundaries, constants of the program, small and wide numbers, values from before.
//!
//! An execution has a mood, so that its values fit together: all small, say, where they are the lengths of loops. Besides
//! there are hints: an input v came before a comparison of l with r; then v + (r - l), which is r itself if it was v that was
//! compared, may be what makes them equal in a later execution. (Input-to-state correspondence, REDQUEEN, NDSS 2019, is the
//! idea; here the comparison need only depend on the input by a sum.)

use crate::constants::Constants;
use crate::random::Random;
use norn_exec::Supplier;
use norn_exec::op::Scalar;
use norn_ir::instr::NondetSource;
use norn_ir::number::nearest_f32;
use norn_ir::types::Ty;
use norn_passes::Site;
use std::cell::RefCell;
use std::rc::Rc;

/// Hints that are kept; new ones take the place of any.
const MOST_HINTS: usize = 64;
/// Inputs that a comparison is thought to depend on.
const RECENT: usize = 4;

pub struct Values {
    random: Random,
    constants: Constants,
    mood: Mood,
    /// Values of this execution.
    taken: Vec<(Option<Site>, u64)>,
    hints: Vec<(Option<Site>, u64)>,
    /// Values to be given once more, the first last.
    again: Vec<u64>,
    /// Some values have been tried in vain: the mood does not fit.
    in_vain: bool,
    /// How many values were asked for, in all executions.
    pub asked: u64,
}

/// A point to which values can be taken back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Point(usize);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mood {
    Zeros,
    Mixed,
    Constants,
    Small,
    Wide,
}

/// The values as the executor asks for them, shared with who begins the executions.
pub struct Shared(pub Rc<RefCell<Values>>);

impl Supplier for Shared {
    fn next(&mut self, ty: Ty, source: &NondetSource, site: Option<Site>) -> u64 {
        self.0.borrow_mut().next(ty, source, site)
    }

    fn compared(&mut self, ty: Scalar, lhs: u64, rhs: u64) {
        self.0.borrow_mut().compared(ty, lhs, rhs);
    }
}

impl Values {
    pub fn new(constants: Constants) -> Values {
        Values {
            random: Random::new(0),
            constants,
            mood: Mood::Zeros,
            taken: Vec::new(),
            hints: Vec::new(),
            again: Vec::new(),
            in_vain: false,
            asked: 0,
        }
    }

    /// A new execution begins; the first has zeros only.
    pub fn begin(&mut self, number: u64, random: Random) {
        self.random = random;
        self.taken.clear();
        self.again.clear();
        self.in_vain = false;
        self.mood = match self.random.below(16) {
            _ if number == 0 => Mood::Zeros,
            0..8 => Mood::Mixed,
            8..12 => Mood::Constants,
            12..15 => Mood::Small,
            _ => Mood::Wide,
        };
    }

    pub fn point(&self) -> Point {
        Point(self.taken.len())
    }

    /// Values since then.
    pub fn since(&self, point: Point) -> usize {
        self.taken.len().saturating_sub(point.0)
    }

    /// Takes back the values since then; the first `kept` of them will be given again.
    pub fn take_back(&mut self, point: Point, kept: usize, in_vain: bool) {
        let values = &self.taken[point.0.min(self.taken.len())..];
        self.again = values[..kept.min(values.len())].iter().rev().map(|taken| taken.1).collect();
        self.taken.truncate(point.0);
        self.in_vain = in_vain;
    }

    /// What was kept is kept no longer.
    pub fn go_on(&mut self) {
        self.again.clear();
        self.in_vain = false;
    }

    fn next(&mut self, ty: Ty, source: &NondetSource, site: Option<Site>) -> u64 {
        self.asked += 1;
        let value = match (ty, source) {
            _ if !self.again.is_empty() => self.again.pop().unwrap_or_default(),
            (_, NondetSource::Uninitialised(_)) if self.random.one_in(2) => 0,
            (Ty::Bool, _) if self.mood != Mood::Zeros => self.random.number() & 1,
            (Ty::Ptr, _) if !self.random.one_in(8) => 0,
            (Ty::F32, _) => u64::from(nearest_f32(f64::from_bits(self.float())).to_bits()),
            (Ty::F64, _) => self.float(),
            _ => self.integer(ty, site),
        };
        self.taken.push((site, value));
        value
    }

    fn integer(&mut self, ty: Ty, site: Option<Site>) -> u64 {
        let kind = match self.mood {
            _ if self.in_vain => self.random.below(8),
            Mood::Zeros => return 0,
            Mood::Small => 0,
            Mood::Wide => 4,
            Mood::Constants => 2 + self.random.below(2) * 4,
            Mood::Mixed => self.random.below(8),
        };
        match kind {
            0 => self.random.number() % 8,
            1 => self.boundary(ty),
            2 | 3 => self.constant(ty),
            4 => self.random.number() >> self.random.below(64),
            5 => self.earlier(ty),
            _ => self.hint(ty, site),
        }
    }

    /// 0, ±1, powers of two and their neighbours, the ends of the types.
    fn boundary(&mut self, ty: Ty) -> u64 {
        let width = match ty {
            Ty::Bool => 1,
            Ty::I8 => 8,
            Ty::I16 => 16,
            Ty::I32 | Ty::F32 => 32,
            Ty::I64 | Ty::F64 | Ty::Ptr => 64,
        };
        let most = 1u64 << (width - 1);
        match self.random.below(8) {
            // As signed numbers, the least and the largest.
            0 => most,
            1 => most - 1,
            // As an unsigned number, the largest.
            2 => u64::MAX,
            3 => self.random.number() % 4,
            4 => {
                let power = [7, 8, 15, 16, 31, 32, 63][self.random.below(7)];
                self.near(1 << power)
            }
            _ => {
                let power = self.random.below(width);
                self.near(1 << power)
            }
        }
    }

    /// The number itself, its negation, or a neighbour.
    fn near(&mut self, value: u64) -> u64 {
        match self.random.below(8) {
            0..4 => value,
            4 => value.wrapping_add(1),
            5 => value.wrapping_sub(1),
            6 => value.wrapping_neg(),
            _ => value.wrapping_neg().wrapping_sub(1),
        }
    }

    fn constant(&mut self, ty: Ty) -> u64 {
        let others = self.random.one_in(3) || self.constants.compared.is_empty();
        let list = if others { &self.constants.others } else { &self.constants.compared };
        match self.random.pick(list) {
            Some(value) => self.near(value),
            None => self.boundary(ty),
        }
    }

    fn earlier(&mut self, ty: Ty) -> u64 {
        match self.random.below(self.taken.len()) {
            at if at < self.taken.len() => self.near(self.taken[at].1),
            _ => self.boundary(ty),
        }
    }

    fn hint(&mut self, ty: Ty, site: Option<Site>) -> u64 {
        let start = self.random.below(self.hints.len());
        let found = (0..self.hints.len())
            .map(|i| self.hints[(start + i) % self.hints.len()])
            .find(|hint| hint.0 == site)
            .map(|hint| hint.1);
        match found {
            // Beside it, the other outcome of `<` and its kin.
            Some(value) if self.random.one_in(4) => self.near(value),
            Some(value) => value,
            None => self.constant(ty),
        }
    }

    fn compared(&mut self, ty: Scalar, lhs: u64, rhs: u64) {
        if self.taken.is_empty() || !ty.ty.is_int() || lhs == rhs {
            return;
        }
        let recent = self.taken.len().min(RECENT);
        let (site, value) = self.taken[self.taken.len() - 1 - self.random.below(recent)];
        let hint = match value {
            v if ty.cut(v) == lhs => rhs,
            v if ty.cut(v) == rhs => lhs,
            v if self.random.one_in(2) => v.wrapping_add(rhs.wrapping_sub(lhs)),
            v => v.wrapping_sub(rhs.wrapping_sub(lhs)),
        };
        // With its sign, since the input may be wider.
        let shift = 64 - u32::from(ty.width.clamp(1, 64));
        let hint = ((hint << shift) as i64 >> shift) as u64;
        if self.hints.len() < MOST_HINTS {
            self.hints.push((site, hint));
        } else {
            let at = self.random.below(MOST_HINTS);
            self.hints[at] = (site, hint);
        }
    }

    /// The bits of a `double`.
    fn float(&mut self) -> u64 {
        if self.mood == Mood::Zeros {
            return 0;
        }
        const EDGES: [f64; 12] = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.5,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            f64::MAX,
            f64::MIN,
            f64::MIN_POSITIVE,
            2_147_483_648.0,
        ];
        match self.random.below(6) {
            0 => EDGES[self.random.below(EDGES.len())].to_bits(),
            1 => ((self.random.number() % 16) as f64 - 4.0).to_bits(),
            2 => self.random.number(),
            3 => (self.integer(Ty::I64, None) as i64 as f64).to_bits(),
            _ => match self.random.pick(&self.constants.floats) {
                Some(bits) => match self.random.below(4) {
                    0 => bits.wrapping_add(1),
                    1 => bits.wrapping_sub(1),
                    2 => (-f64::from_bits(bits)).to_bits(),
                    _ => bits,
                },
                None => ((self.random.number() % 4096) as f64 / 16.0 - 128.0).to_bits(),
            },
        }
    }
}
