//! Accesses to memory: as lvalues, or through the shared memory abstraction.

use super::{Writer, from_memory, to_memory};
use crate::c_types::cell_type;
use crate::cells;
use crate::expr::top;
use norn_ir::ids::{LocalId, Reg, TypeId};
use norn_ir::instr::{FenceKind, Operand, Order};
use norn_ir::types::Ty;
use norn_passes::points_to::Object;
use norn_verdict::model::Model;

/// An access and how it is written.
pub(super) struct Access {
    way: Way,
    /// An lvalue, a variable of the abstraction, or an address.
    pub(super) text: String,
}

#[derive(Clone, Copy)]
enum Way {
    Private,
    Variable,
    /// A variable that nobody else writes.
    Own,
    Address,
}

impl Access {
    /// Adds what is read.
    pub(super) fn read(&self, text: &mut String, ty: Ty) {
        let c = cell_type(ty);
        let what = self.text.as_str();
        match self.way {
            Way::Private => text.push_str(what),
            Way::Variable => text.extend(["sma_read(", c, ", ", what, ")"]),
            Way::Own => text.extend(["sma_read_own(", c, ", ", what, ")"]),
            Way::Address => text.extend(["sma_read_addr(", c, ", ", top(what), ")"]),
        }
    }
}

impl Writer<'_, '_> {
    pub(super) fn is_shared(&self, addr: Operand) -> bool {
        self.context.shared.access(self.id, addr)
    }

    pub(super) fn access(&mut self, addr: Operand, ty: Ty) -> Access {
        let is_shared = self.is_shared(addr);
        let mut text = self.spare.text();
        let way = match (self.objects.add_variable(&mut text, addr, ty, &mut self.copies), is_shared) {
            (true, true) if self.context.shared.is_own(self.id, addr) => Way::Own,
            (true, true) => Way::Variable,
            (true, false) => Way::Private,
            (false, true) => {
                self.operand(&mut text, addr);
                Way::Address
            }
            (false, false) => {
                let addr = self.operand_alone(addr);
                text.extend(["AT(", cell_type(ty), ", ", top(&addr), ")"]);
                self.spare.give_back(addr);
                Way::Private
            }
        };
        Access { way, text }
    }

    /// Adds a write, with the semicolon.
    pub(super) fn written(&mut self, text: &mut String, access: &Access, ty: Ty, value: &str) {
        let c = cell_type(ty);
        let value = top(value);
        let what = access.text.as_str();
        match access.way {
            Way::Private => return text.extend([what, " = ", value, ";"]),
            Way::Variable | Way::Own => text.extend(["sma_write(", c, ", ", what, ", ", value, ");"]),
            Way::Address => text.extend(["sma_write_addr(", c, ", ", top(what), ", ", value, ");"]),
        }
        self.stores += 1;
    }

    pub(super) fn write(&mut self, access: &Access, ty: Ty, value: &str) {
        let mut statement = self.spare.text();
        self.written(&mut statement, access, ty, value);
        self.state(statement);
    }

    /// Reads into a scratch variable.
    pub(super) fn read_to_scratch(&mut self, access: &Access, ty: Ty) -> &'static str {
        let old = match cell_type(ty) {
            c @ "u8" => self.scratch(c, "previous_u8"),
            c @ "u16" => self.scratch(c, "previous_u16"),
            c @ "u32" => self.scratch(c, "previous_u32"),
            c @ "u64" => self.scratch(c, "previous_u64"),
            c => self.scratch(c, "previous_address"),
        };
        let mut statement = self.spare.text();
        statement.extend([old, " = "]);
        access.read(&mut statement, ty);
        statement.push(';');
        self.state(statement);
        old
    }

    /// Assigns what memory held before an update, if somebody asks.
    pub(super) fn assign_old(&mut self, dst: Reg, ty: Ty, old: &str) {
        if self.code.uses[dst.index()] > 0 {
            let (before, after) = from_memory(ty);
            self.assign(dst, &[before, old, after].concat());
        }
    }

    pub(super) fn store(&mut self, ty: Ty, addr: Operand, value: Operand, order: Order) {
        let value = to_memory(ty, self.operand_alone(value));
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
        self.spare.give_back(value);
        self.spare.give_back(access.text);
    }

    /// A read-modify-write of shared memory is a section, unless it stands in one.
    pub(super) fn begin_update(&mut self, addr: Operand) -> bool {
        let is_section = self.context.shared.is_visible(self.id, addr) && self.label_due;
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
        let parts = self.objects.parts_of_local(local, &mut self.copies);
        for (part, ty) in &parts {
            let c = cell_type(*ty);
            match is_shared {
                true => self.statement(&format!("sma_enter({c}, {part});")),
                false => self.statement(&format!("{part} = content({c});")),
            }
        }
        if parts.is_empty() && !(is_shared && self.context.cells.is_some()) {
            let (address, size) = self.objects.extent_of_local(local, &mut self.copies);
            self.largest = self.largest.max(size);
            self.statement(&format!("sma_havoc({}, {size});", top(&address)));
        }
    }

    pub(super) fn alloc(&mut self, dst: Reg, size: Operand, zeroed: bool, ty: Option<TypeId>) {
        const MOST_PARTS: usize = 16;
        let object = Object::Alloc(self.site);
        if self.context.cells.is_some() && self.context.shared.contains(object) {
            let address = self.objects.allocation(self.site, &mut self.copies);
            return self.assign(dst, &address);
        }
        let parts = if zeroed { None } else { cells::of_allocation(self.program(), size, ty, MOST_PARTS) };
        let size = self.operand_alone(size);
        self.assign(dst, &format!("sma_malloc({}, {})", top(&size), u8::from(zeroed)));
        // What nobody wrote is indeterminate, by a choice as any other.
        if let Some(parts) = parts.filter(|_| self.code.uses[dst.index()] > 0) {
            let mut base = String::new();
            self.register(&mut base, dst);
            for (at, ty) in parts {
                let c = cell_type(ty);
                self.statement(&format!("AT({c}, {base} + {at}) = content({c});"));
            }
        }
    }
}
