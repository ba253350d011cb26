//! Pointers that are made of numbers and lead to private objects.
//!
//! Where a number is taken as a pointer, it may lead to every object whose address was made a number. Who marks objects as
//! private follows numbers through arithmetic and memory, but not through branches: a loop that counts up to each byte of
//! an address, and writes what it counted, makes a pointer that the marks know nothing of. An execution in which such a
//! pointer leads to a private object has no meaning here, since another thread may touch the object, too.

use norn_ir::instr::{InstrKind, Operand};
use norn_logic::terms::Term;
use norn_passes::Site;
use norn_passes::points_to::Object as Declared;

use crate::event::ObjectId;
use crate::facts::Origin;
use crate::run::Run;

impl Run<'_, '_> {
    /// To be called after each instruction: the pointers that it made of numbers lead where they are known to lead.
    pub fn look_for_strays(&mut self) {
        for (object, condition) in std::mem::take(&mut self.exec.made_of_numbers) {
            // Alone, a thread shares nothing.
            if self.exec.threads.len() > 1 && !self.is_expected(object) {
                self.undefined("a pointer that branches put together from numbers", condition);
            }
        }
    }

    /// Whether the analysis of pointers knows that what the instruction gives may point to the object.
    fn is_expected(&self, object: ObjectId) -> bool {
        let site = self.exec.bounded.origins.site(self.site);
        let code = &self.exec.original.function(site.function).block(site.block).instrs;
        let Some(dst) = code.get(site.index as usize).and_then(|instr| instr.kind.defs().next()) else { return false };
        let targets = self.exec.original.points_to().targets(site.function, Operand::Reg(dst));
        targets.objects.binary_search(&self.declared(object)).is_ok()
    }

    fn declared(&self, object: ObjectId) -> Declared {
        match self.exec.facts.get(object).origin {
            Origin::Global(global) | Origin::ThreadLocal(global, _) => Declared::Global(global),
            Origin::Made(_, site) => self.declared_at(self.exec.bounded.origins.site(site)),
        }
    }

    /// What begins its life at a place of the original program.
    fn declared_at(&self, site: Site) -> Declared {
        let block = self.exec.original.function(site.function).block(site.block);
        match block.instrs.get(site.index as usize).map(|instr| &instr.kind) {
            Some(&InstrKind::LocalEnter(local)) => Declared::Local(site.function, local),
            _ => Declared::Alloc(site),
        }
    }
}

/// A private object, and when a number that was taken as a pointer leads to it.
pub type MadeOfNumber = (ObjectId, Term);
