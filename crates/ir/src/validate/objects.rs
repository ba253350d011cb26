//! Invariants 1 to 5: types, global objects, names, the entry.

use std::collections::HashSet;

use super::{Findings, Place, Reason};
use crate::ids::{FuncId, GlobalId, TypeId};
use crate::program::{Global, InitValue, Program};
use crate::span::Span;
use crate::types::{Field, Shape, Ty, Type};

pub(super) fn check(program: &Program, findings: &mut Findings) {
    for index in 0..program.types.len() {
        check_type(program, TypeId::new(index), findings);
    }
    let mut names = HashSet::new();
    for (index, global) in program.globals.iter().enumerate() {
        let place = Place::Global(GlobalId::new(index));
        if !names.insert(&global.name) {
            findings.add(place, Reason::DuplicateName(global.name.clone()));
        }
        check_span(program, global.span, place, findings);
        check_global(program, global, place, findings);
    }
    names.clear();
    for (index, function) in program.functions.iter().enumerate() {
        let place = Place::Function(FuncId::new(index));
        if !names.insert(&function.name) {
            findings.add(place, Reason::DuplicateName(function.name.clone()));
        }
    }
    match program.functions.get(program.entry.index()) {
        None => findings.add(Place::Program, Reason::NoSuchId(program.entry.into())),
        Some(entry) if !entry.params.is_empty() => {
            findings.add(Place::Function(program.entry), Reason::EntryHasParameters);
        }
        Some(_) => {}
    }
}

/// `Span` with a line needs a file to show it from.
pub(super) fn check_span(program: &Program, span: Span, place: Place, findings: &mut Findings) {
    if span.line != 0 && span.file.index() >= program.files.len() {
        findings.add(place, Reason::NoSuchId(span.file.into()));
    }
}

fn check_type(program: &Program, id: TypeId, findings: &mut Findings) {
    let place = Place::Type(id);
    let Type { size, align, shape } = program.ty(id);
    if !align.is_power_of_two() {
        findings.add(place, Reason::WrongAlignment(*align));
    }
    // The type that another one may be made of: it comes before.
    let part = |part: TypeId, findings: &mut Findings| {
        if part < id {
            return Some(program.ty(part));
        }
        findings.add(place, Reason::TypeNotBefore(part));
        None
    };
    match shape {
        Shape::Scalar { ty: Ty::Bool, .. } => findings.add(place, Reason::BoolInMemory),
        Shape::Scalar { ty, .. } if ty.size(program.target) > *size => findings.add(place, Reason::WrongTypeSize),
        Shape::Array { element, length } => {
            if let Some(element) = part(*element, findings)
                && element.size.checked_mul(*length) != Some(*size)
            {
                findings.add(place, Reason::WrongTypeSize);
            }
        }
        Shape::Record(record) => {
            for (index, field) in record.fields.iter().enumerate() {
                let Some(ty) = part(field.ty, findings) else { continue };
                if field.offset.checked_add(ty.size).is_none_or(|end| end > *size) {
                    findings.add(place, Reason::FieldOutside(index));
                }
                if !bits_fit(program, field, ty) {
                    findings.add(place, Reason::BitsOutside(index));
                }
            }
        }
        Shape::Scalar { .. } | Shape::Bytes => {}
    }
}

fn bits_fit(program: &Program, field: &Field, unit: &Type) -> bool {
    let Some(bits) = field.bits else { return true };
    let is_int = |shape: &Shape| matches!(shape, Shape::Scalar { ty, .. } if ty.is_int());
    let is_unit = match unit.shape {
        Shape::Array { element, .. } => {
            program.types.get(element.index()).is_some_and(|element| element.size == 1 && is_int(&element.shape))
        }
        _ => is_int(&unit.shape),
    };
    let end = u64::from(bits.start) + u64::from(bits.width);
    is_unit && bits.width > 0 && end <= unit.size.saturating_mul(8)
}

fn check_global(program: &Program, global: &Global, place: Place, findings: &mut Findings) {
    let Some(ty) = program.types.get(global.ty.index()) else {
        findings.add(place, Reason::NoSuchId(global.ty.into()));
        return;
    };
    let mut free_from = 0;
    for (index, init) in global.init.iter().enumerate() {
        let size = match &init.value {
            InitValue::Const(constant) => {
                if constant.ty == Ty::Bool {
                    findings.add(place, Reason::BoolInMemory);
                }
                if constant.ty.truncate(constant.bits, program.target) != constant.bits {
                    findings.add(place, Reason::ConstantTooWide { ty: constant.ty, bits: constant.bits });
                }
                constant.ty.size(program.target)
            }
            InitValue::Global(id, _) => {
                if id.index() >= program.globals.len() {
                    findings.add(place, Reason::NoSuchId((*id).into()));
                }
                program.target.pointer_size()
            }
            InitValue::Func(id) => {
                if id.index() >= program.functions.len() {
                    findings.add(place, Reason::NoSuchId((*id).into()));
                }
                program.target.pointer_size()
            }
            InitValue::Bytes(bytes) => bytes.len() as u64,
        };
        if init.offset < free_from {
            findings.add(place, Reason::InitOverlaps(index));
        }
        match init.offset.checked_add(size) {
            Some(end) if end <= ty.size => free_from = free_from.max(end),
            _ => findings.add(place, Reason::InitOutside(index)),
        }
    }
}
