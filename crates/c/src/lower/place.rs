//! Places: variables in registers, objects in memory, bit-fields; reading and writing them.

use super::function::{FunctionBuilder, Home};
use super::ir_types::Scalar;
use crate::ctype::BitField;
use crate::tree::{Expr, ExprKind};
use norn_ir::ids::Reg;
use norn_ir::instr::{Access, InstrKind, Operand, Order};
use norn_ir::types::Ty;

/// Where a place's value is.
#[derive(Clone, Copy)]
pub enum Where {
    Register(Reg),
    Memory(Operand),
    Bits(Operand, BitField),
}

#[derive(Clone, Copy)]
pub struct Place {
    pub at: Where,
    pub access: Access,
    /// The declared type of the place.
    pub scalar: Scalar,
}

impl Place {
    pub fn is_atomic(&self) -> bool {
        self.access.order != Order::Plain && !matches!(self.at, Where::Register(_))
    }

    pub fn address(&self) -> Option<Operand> {
        match self.at {
            Where::Register(_) => None,
            Where::Memory(address) | Where::Bits(address, _) => Some(address),
        }
    }

    /// The same place, found through another operand with the same address.
    pub fn with_address(mut self, address: Operand) -> Place {
        match &mut self.at {
            Where::Register(_) => {}
            Where::Memory(old) | Where::Bits(old, _) => *old = address,
        }
        self
    }
}

/// Whether an expression denotes an object (see the header of `tree`).
pub fn is_place(mut e: &Expr) -> bool {
    loop {
        match &e.kind {
            ExprKind::Var(_) | ExprKind::Object(_) | ExprKind::Deref(_) | ExprKind::CompoundLiteral(..) => return true,
            ExprKind::Member { base, .. } => e = base,
            _ => return false,
        }
    }
}

impl<'a> FunctionBuilder<'_, 'a> {
    /// Evaluates a place of scalar type.
    pub fn place(&mut self, e: &'a Expr) -> Place {
        let scalar = self.p.layouts.scalar(e.ty.ty);
        let order = if e.ty.qualifiers.is_atomic { Order::SeqCst } else { Order::Plain };
        let access = Access { order, volatile: e.ty.qualifiers.is_volatile };
        let Some(scalar) = scalar else {
            self.unsupported_type(e);
            let at = Where::Memory(self.constant(Ty::Ptr, 0));
            return Place { at, access, scalar: Scalar { ty: Ty::I32, signed: true, is_bool: false } };
        };
        let at = match &e.kind {
            ExprKind::Var(var) if let Home::Register(reg) = self.homes[var.0 as usize] => Where::Register(reg),
            ExprKind::CompoundLiteral(var, init) if let Home::Register(reg) = self.homes[var.0 as usize] => {
                self.initialise(*var, init);
                Where::Register(reg)
            }
            ExprKind::Member { bits: Some(bits), .. } => Where::Bits(self.address(e), *bits),
            _ => Where::Memory(self.address(e)),
        };
        Place { at, access, scalar }
    }

    /// The address of a place, or of the object that holds a value of record type.
    pub fn address(&mut self, e: &'a Expr) -> Operand {
        match &e.kind {
            ExprKind::Var(var) => self.home_address(*var),
            ExprKind::Object(id) => {
                let id = self.p.linked.resolve_object(self.unit, *id);
                Operand::Global(self.p.global_at(id, e.loc), 0)
            }
            ExprKind::Deref(pointer) => self.value(pointer),
            ExprKind::Member { base, offset, .. } => {
                let address = self.deeper(e, |f| f.address(base), |f| f.constant(Ty::Ptr, 0));
                self.set_loc(e.loc);
                self.offset(address, *offset)
            }
            ExprKind::CompoundLiteral(var, init) => {
                self.initialise(*var, init);
                self.home_address(*var)
            }
            _ => self.aggregate(e),
        }
    }

    pub fn home_address(&mut self, var: crate::tree::VarId) -> Operand {
        match self.homes[var.0 as usize] {
            Home::Local(local) => Operand::Local(local, 0),
            Home::Address(reg) => Operand::Reg(reg),
            Home::Register(_) => {
                self.unsupported("the address of a variable that has none".to_owned());
                self.constant(Ty::Ptr, 0)
            }
        }
    }

    pub fn load_at(&mut self, ty: Ty, addr: Operand, access: Access) -> Operand {
        let dst = self.register(ty);
        self.emit(InstrKind::Load { dst, addr, access });
        Operand::Reg(dst)
    }

    pub fn store_at(&mut self, ty: Ty, addr: Operand, value: Operand, access: Access) {
        self.emit(InstrKind::Store { ty, addr, value, access });
    }

    pub fn store(&mut self, ty: Ty, addr: Operand, value: Operand) {
        self.store_at(ty, addr, value, Access::PLAIN);
    }

    pub fn read(&mut self, place: Place) -> Operand {
        match place.at {
            Where::Register(reg) => Operand::Reg(reg),
            Where::Memory(address) => self.load_at(place.scalar.ty, address, place.access),
            Where::Bits(address, bits) => self.read_bits(address, bits, place),
        }
    }

    /// Writes a value of the place's type.
    pub fn write(&mut self, place: Place, value: Operand) {
        match place.at {
            Where::Register(reg) => self.assign(reg, value),
            Where::Memory(address) => self.store_at(place.scalar.ty, address, value, place.access),
            Where::Bits(address, bits) => self.write_bits(address, bits, place, value),
        }
    }
}
