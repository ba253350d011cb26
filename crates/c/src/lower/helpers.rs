//! Small functions of the library that are made directly in the IR: loops that copy and clear large objects.

use super::function::{FunctionBuilder, Signature};
use super::pieces::Extent;
use super::program::ProgramBuilder;
use norn_ir::ids::{FuncId, TypeId};
use norn_ir::instr::{BinaryOp, CompareOp, Operand};
use norn_ir::program::Origin;
use norn_ir::source::Loc;
use norn_ir::types::{Shape, Ty};

/// A function that lowering calls: a loop over elements of one type, or arithmetic that takes many instructions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Helper {
    /// `(to, from, count)`
    Copy(TypeId, Extent),
    /// `(to, count)`
    Clear(TypeId, Extent),
    /// Of 128 bits; see `wide_helpers`.
    Divide,
    ToFloat,
    ToDouble,
}

impl ProgramBuilder<'_> {
    fn is_scalar(&self, ty: TypeId) -> bool {
        matches!(self.layouts.get(ty).shape, Shape::Scalar { .. })
    }

    /// The function of a helper, made when it is first asked for.
    pub fn helper(&mut self, helper: Helper) -> FuncId {
        let helper = match helper {
            // Scalars have no padding.
            Helper::Copy(ty, _) if self.is_scalar(ty) => Helper::Copy(ty, Extent::Members),
            Helper::Clear(ty, _) if self.is_scalar(ty) => Helper::Clear(ty, Extent::Members),
            helper => helper,
        };
        if let Some(&id) = self.helpers.get(&helper) {
            return id;
        }
        let id = self.reserve_function();
        self.helpers.insert(helper, id);
        let (verb, element, extent) = match helper {
            Helper::Copy(element, extent) => ("copy", element, extent),
            Helper::Clear(element, extent) => ("zero", element, extent),
            Helper::Divide | Helper::ToFloat | Helper::ToDouble => {
                let function = self.wide_helper(helper);
                self.define_function(id, function);
                return id;
            }
        };
        let layout = self.layouts.get(element).clone();
        let what = match &layout.shape {
            Shape::Scalar { ty, .. } => ty.name(),
            Shape::Record(record) if !record.name.is_empty() => &record.name,
            _ => "object",
        };
        let name = self.unique_function_name(&format!("__norn_{verb}_{what}"));
        let signature = Signature { result: None, params: Vec::new(), variadic: false, prototyped: true };
        let mut f = FunctionBuilder::new(self, name, signature, Loc::NONE);
        let int = f.p.target.pointer_int();
        let to = Operand::Reg(f.parameter(Ty::Ptr, "to"));
        let from = match helper {
            Helper::Copy(..) => Some(Operand::Reg(f.parameter(Ty::Ptr, "from"))),
            _ => None,
        };
        let count = Operand::Reg(f.parameter(int, "count"));
        let i = f.named_register(int, "i");
        let zero = f.pointer_int(0);
        f.assign(i, zero);
        let (head, body, end) = (f.new_loop_head(), f.new_block(), f.new_block());
        f.start(head);
        let more = f.compare(CompareOp::LtUnsigned, int, Operand::Reg(i), count);
        f.branch_on(more, body, end);
        f.start_branch(body);
        let scale = layout.size as i64;
        let target = f.pointer_add(to, Operand::Reg(i), scale);
        match from {
            Some(from) => {
                let source = f.pointer_add(from, Operand::Reg(i), scale);
                f.copy_parts(element, target, source, false, extent);
            }
            None => f.clear_object(element, target, extent),
        }
        let one = f.pointer_int(1);
        let next = f.binary(BinaryOp::Add, int, Operand::Reg(i), one);
        f.assign(i, next);
        f.goto(head);
        f.start_branch(end);
        f.return_value(None);
        let function = f.finish(Origin::Library, Loc::NONE);
        self.define_function(id, function);
        id
    }
}
