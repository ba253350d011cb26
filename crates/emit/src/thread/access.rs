//! Accesses to memory: as lvalues, or through the shared memory abstraction.

use super::{Writer, to_memory};
use crate::Model;
use crate::cells;
use crate::expr::top;
use crate::layout::cell_type;
use norn_ir::ids::{LocalId, Reg, TypeId};
use norn_ir::instr::{FenceKind, Operand, Order};
use norn_ir::types::Ty;
use norn_passes::points_to::Object;

/// How an access is written.
pub(super) enum Access {
    Private(String),
    Variable(String),
    Address(String),
}

impl Writer<'_, '_> {
    pub(super) fn is_shared(&self, addr: Operand) -> bool {
        self.context.shared.access(self.id, addr)
    }

    pub(super) fn access(&mut self, addr: Operand, ty: Ty) -> Access {
        let is_shared = self.is_shared(addr);
        match self.objects.variable(addr, ty, self.thread) {
            Some(variable) if is_shared => Access::Variable(variable),
            Some(variable) => Access::Private(variable),
            None => {
                let addr = self.operand(addr);
                match is_shared {
                    true => Access::Address(top(&addr).to_owned()),
                    false => Access::Private(format!("AT({}, {})", cell_type(ty), top(&addr))),
                }
            }
        }
    }

    pub(super) fn read(&self, access: &Access, ty: Ty) -> String {
        let c = cell_type(ty);
        match access {
            Access::Private(lvalue) => lvalue.clone(),
            Access::Variable(variable) => format!("sma_read({c}, {variable})"),
            Access::Address(address) => format!("sma_read_addr({c}, {address})"),
        }
    }

    /// A write without the semicolon.
    pub(super) fn written(&mut self, access: &Access, ty: Ty, value: &str) -> String {
        let c = cell_type(ty);
        let value = top(value);
        match access {
            Access::Private(lvalue) => format!("{lvalue} = {value}"),
            Access::Variable(variable) => {
                self.stores += 1;
                format!("sma_write({c}, {variable}, {value})")
            }
            Access::Address(address) => {
                self.stores += 1;
                format!("sma_write_addr({c}, {address}, {value})")
            }
        }
    }

    pub(super) fn write(&mut self, access: &Access, ty: Ty, value: &str) {
        let statement = self.written(access, ty, value);
        self.statement(&format!("{statement};"));
    }

    pub(super) fn store(&mut self, ty: Ty, addr: Operand, value: Operand, order: Order) {
        let value = to_memory(ty, &self.operand(value));
        let access = self.access(addr, ty);
        let is_alone = self.label_due && self.model() != Model::Sc;
        match order {
            Order::SeqCst if is_alone => {
                self.statement("sma_atomic_begin();");
                self.write(&access, ty, &value);
                self.statement("sma_atomic_end();");
            }
            Order::Release if is_alone && self.model() == Model::Pso => {
                self.statement("sma_fence_ss();");
                self.write(&access, ty, &value);
            }
            _ => self.write(&access, ty, &value),
        }
    }

    /// A read-modify-write of shared memory is a section, unless it stands in one.
    pub(super) fn begin_update(&mut self, addr: Operand) -> bool {
        let is_section = self.is_shared(addr) && self.label_due;
        if is_section {
            self.statement("sma_atomic_begin();");
        }
        is_section
    }

    pub(super) fn end_update(&mut self, is_section: bool) {
        if is_section {
            self.statement("sma_atomic_end();");
        }
    }

    pub(super) fn fence(&mut self, kind: FenceKind) {
        match kind {
            // Within a section there is no label, and nothing to wait for.
            FenceKind::Full | FenceKind::Call if self.label_due => self.statement("sma_fence();"),
            FenceKind::Release | FenceKind::AcqRel | FenceKind::StoreStore if self.model() == Model::Pso => {
                self.statement("sma_fence_ss();");
            }
            _ => {}
        }
    }

    pub(super) fn enter(&mut self, local: LocalId) {
        let is_shared = self.context.shared.contains(Object::Local(self.id, local));
        let parts = self.objects.parts_of_local(local, self.thread);
        for (part, ty) in &parts {
            let c = cell_type(*ty);
            match is_shared {
                true => self.statement(&format!("sma_enter({c}, {part});")),
                false => self.statement(&format!("{part} = content({c});")),
            }
        }
        if parts.is_empty() && !(is_shared && self.context.cells.is_some()) {
            let (address, size) = self.objects.extent_of_local(local, self.thread);
            self.largest = self.largest.max(size);
            self.statement(&format!("sma_havoc({}, {size});", top(&address)));
        }
    }

    pub(super) fn alloc(&mut self, dst: Reg, size: Operand, zeroed: bool, ty: Option<TypeId>) {
        const MOST_PARTS: usize = 16;
        let object = Object::Alloc(self.site);
        if self.context.cells.is_some() && self.context.shared.contains(object) {
            let address = self.objects.allocation(self.site, self.thread);
            return self.assign(dst, &address);
        }
        let parts = cells::of_allocation(self.program(), size, ty).filter(|parts| !zeroed && parts.len() <= MOST_PARTS);
        let size = self.operand(size);
        self.assign(dst, &format!("sma_malloc({}, {})", top(&size), u8::from(zeroed)));
        // What nobody wrote is indeterminate, by a choice as any other.
        if let Some(parts) = parts.filter(|_| self.code.uses[dst.index()] > 0) {
            let base = self.register(dst);
            for (at, ty) in parts {
                let c = cell_type(ty);
                self.statement(&format!("AT({c}, {base} + {at}) = content({c});"));
            }
        }
    }
}
