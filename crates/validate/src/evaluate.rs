//! Constraints on a state of the machine.
//!
//! Registers have no sign, and C converts where integers of different types meet. Where that could make a difference, and where a
//! name is not clear, a constraint is neither true nor false: it rules nothing out.

use norn_ir::ids::{LocalId, TypeId};
use norn_ir::types::{Display, Shape, Ty};
use norn_machine::Machine;
use norn_machine::memory::{Memory, ObjectRef};
use norn_machine::state::Frame;
use norn_verdict::trace::ThreadIndex;
use norn_witness::constraint::{Binary, Constraint, Expr, Unary};

/// Where a constraint is looked at.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    pub machine: &'a Machine<'a>,
    pub memory: &'a Memory,
    /// The function whose variables are in scope.
    pub frame: Option<&'a Frame>,
    pub thread: ThreadIndex,
    /// What the call returned: its bits and type.
    pub result: Option<(u64, Ty)>,
}

/// A number of C: promoted to at least 32 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Number {
    value: i128,
    unsigned: bool,
}

impl Context<'_> {
    /// `None`: that is not known.
    pub fn holds(&self, constraint: &Constraint) -> Option<bool> {
        let Constraint::Holds(expr) = constraint else { return None };
        let as_signed = Reading { context: *self, signed: true }.value(expr)?;
        let as_unsigned = Reading { context: *self, signed: false }.value(expr)?;
        let (one, other) = (as_signed.value != 0, as_unsigned.value != 0);
        (one == other).then_some(one)
    }
}

/// A context in which integers without a sign are taken to have one, or not to.
struct Reading<'a> {
    context: Context<'a>,
    signed: bool,
}

/// An object in memory, or a part of it.
struct Spot {
    object: ObjectRef,
    offset: u64,
    ty: TypeId,
}

impl Reading<'_> {
    fn value(&self, expr: &Expr) -> Option<Number> {
        match expr {
            Expr::Number { value, unsigned } => Some(Number { value: *value, unsigned: *unsigned }),
            Expr::Result => {
                let (bits, ty) = self.context.result?;
                self.scalar(bits, ty, None)
            }
            Expr::Name(name) => match self.register(name) {
                Some(known) => known,
                None => self.load(&self.spot(expr)?),
            },
            Expr::Element(..) | Expr::Member(..) => self.load(&self.spot(expr)?),
            Expr::Unary(op, of) => self.unary(*op, self.value(of)?),
            Expr::Binary(Binary::And, a, b) => {
                // What is unknown on one side does not matter if the other decides.
                self.decided(a, b, false)
            }
            Expr::Binary(Binary::Or, a, b) => self.decided(a, b, true),
            Expr::Binary(op, a, b) => binary(*op, self.value(a)?, self.value(b)?),
            Expr::Conditional(condition, then, otherwise) => {
                self.value(if self.value(condition)?.value != 0 { then } else { otherwise })
            }
        }
    }

    fn decided(&self, a: &Expr, b: &Expr, by: bool) -> Option<Number> {
        let truth = |expr: &Expr| self.value(expr).map(|number| number.value != 0);
        match (truth(a), truth(b)) {
            (Some(value), _) | (_, Some(value)) if value == by => Some(truth_value(by)),
            (Some(_), Some(_)) => Some(truth_value(!by)),
            _ => None,
        }
    }

    fn unary(&self, op: Unary, of: Number) -> Option<Number> {
        match op {
            Unary::Not => Some(truth_value(of.value == 0)),
            Unary::Minus => in_range(Number { value: -of.value, unsigned: of.unsigned }),
            Unary::Complement if of.unsigned => None,
            Unary::Complement => in_range(Number { value: !of.value, unsigned: false }),
        }
    }

    /// The register that holds a variable of this name; several may, and then it is not known which is meant.
    fn register(&self, name: &str) -> Option<Option<Number>> {
        let frame = self.context.frame?;
        let function = self.context.machine.program.function(frame.function);
        let mut found = function.registers.iter().zip(&frame.registers).filter(|(register, _)| register.name == name);
        let (register, value) = found.next()?;
        let is_known = |known: &str| known == name || known == format!("{}.{name}", function.name);
        let is_elsewhere = function.locals.iter().any(|local| local.name == name)
            || self.context.machine.program.globals.iter().any(|global| is_known(&global.name));
        if found.next().is_some() || is_elsewhere {
            return Some(None);
        }
        Some(self.scalar(value.bits, register.ty, None))
    }

    fn spot(&self, expr: &Expr) -> Option<Spot> {
        let program = self.context.machine.program;
        match expr {
            Expr::Name(name) => self.named(name),
            Expr::Element(of, index) => {
                let Spot { object, offset, ty } = self.spot(of)?;
                let Shape::Array { element, length } = program.ty(ty).shape else { return None };
                let index = u64::try_from(self.value(index)?.value).ok().filter(|&index| index < length)?;
                Some(Spot { object, offset: offset + index * program.ty(element).size, ty: element })
            }
            Expr::Member(of, name) => {
                let Spot { object, offset, ty } = self.spot(of)?;
                let Shape::Record(record) = &program.ty(ty).shape else { return None };
                let field = record.fields.iter().find(|field| field.name == *name && field.bits.is_none())?;
                Some(Spot { object, offset: offset + field.offset, ty: field.ty })
            }
            _ => None,
        }
    }

    fn named(&self, name: &str) -> Option<Spot> {
        let (machine, thread) = (self.context.machine, self.context.thread);
        let program = machine.program;
        let mut function_name = None;
        if let Some(frame) = self.context.frame {
            let function = program.function(frame.function);
            function_name = Some(&function.name);
            let mut locals = function.locals.iter().enumerate().filter(|(_, local)| local.name == name);
            if let Some((index, local)) = locals.next() {
                let object = frame.locals[LocalId::new(index).index()]?;
                let is_elsewhere = locals.next().is_some() || program.globals.iter().any(|global| global.name == name);
                return (!is_elsewhere).then_some(Spot { object, offset: 0, ty: local.ty });
            }
        }
        let of_function = function_name.map(|function| format!("{function}.{name}"));
        let is_it = |known: &str| of_function.as_deref() == Some(known);
        let globals = || program.globals.iter().enumerate();
        let found =
            globals().find(|(_, global)| is_it(&global.name)).or_else(|| globals().find(|(_, g)| g.name == name));
        let (index, global) = found?;
        let object = machine.global(norn_ir::ids::GlobalId::new(index), thread);
        Some(Spot { object, offset: 0, ty: global.ty })
    }

    fn load(&self, spot: &Spot) -> Option<Number> {
        let Shape::Scalar { ty, display } = self.context.machine.program.ty(spot.ty).shape else { return None };
        if !self.context.memory.is_alive(spot.object) {
            return None;
        }
        let value = self.context.memory.read((spot.object, spot.offset), ty)?;
        self.scalar(value.bits, ty, Some(display))
    }

    fn scalar(&self, bits: u64, ty: Ty, display: Option<Display>) -> Option<Number> {
        let width = match ty {
            Ty::Bool => return Some(truth_value(bits != 0)),
            Ty::F32 | Ty::F64 => return None,
            // Other tools have other addresses.
            Ty::Ptr if bits != 0 => return None,
            ty => ty.bits(self.context.machine.program.target),
        };
        let signed = match display {
            Some(Display::Signed) => true,
            Some(Display::Unsigned | Display::Bool | Display::Pointer) => false,
            Some(Display::Float) => return None,
            Some(Display::Char) | None => self.signed && ty != Ty::Ptr,
        };
        let unused = 64 - width;
        let value = if signed { i128::from(((bits << unused) as i64) >> unused) } else { i128::from(bits) };
        // Small unsigned types are promoted to int.
        Some(Number { value, unsigned: !signed && width >= 32 })
    }
}

fn truth_value(value: bool) -> Number {
    Number { value: i128::from(value), unsigned: false }
}

/// What does not fit an int might wrap, or be of a wider type.
fn in_range(number: Number) -> Option<Number> {
    let fits = if number.unsigned { u32::try_from(number.value).is_ok() } else { i32::try_from(number.value).is_ok() };
    fits.then_some(number)
}

fn binary(op: Binary, a: Number, b: Number) -> Option<Number> {
    let unsigned = a.unsigned || b.unsigned;
    // A negative number beside an unsigned one is converted.
    if unsigned && (a.value < 0 || b.value < 0) {
        return None;
    }
    let number = |value: i128| in_range(Number { value, unsigned });
    let shift = || u32::try_from(b.value).ok().filter(|&amount| amount < 32);
    match op {
        Binary::Or => Some(truth_value(a.value != 0 || b.value != 0)),
        Binary::And => Some(truth_value(a.value != 0 && b.value != 0)),
        Binary::Equal => Some(truth_value(a.value == b.value)),
        Binary::Unequal => Some(truth_value(a.value != b.value)),
        Binary::Less => Some(truth_value(a.value < b.value)),
        Binary::LessEqual => Some(truth_value(a.value <= b.value)),
        Binary::Greater => Some(truth_value(a.value > b.value)),
        Binary::GreaterEqual => Some(truth_value(a.value >= b.value)),
        Binary::BitOr => number(a.value | b.value),
        Binary::BitXor => number(a.value ^ b.value),
        Binary::BitAnd => number(a.value & b.value),
        Binary::Left => number(a.value << shift()?),
        Binary::Right => number(a.value >> shift()?),
        Binary::Plus => number(a.value + b.value),
        Binary::Minus => number(a.value - b.value),
        Binary::Times => number(a.value.checked_mul(b.value)?),
        Binary::Divided => number(a.value.checked_div(b.value)?),
        Binary::Modulo => number(a.value.checked_rem(b.value)?),
    }
}
