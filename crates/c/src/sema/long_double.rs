//! `long double`: numbers in the format of the x87, which no type of the IR holds. They are objects of 80 bits, and what computes with
//! them are calls of a model (`long_double.c`).

use super::Checker;
use crate::ctype::{FloatType, FunctionType, QualType, Type, TypeId};
use crate::literal::Extended;
use crate::tree::{
    BinaryOp, Callee, CompareOp, ConstInit, ConstValue, Definition, Expr, ExprKind, FunctionId, Linkage, Object,
    Symbolic,
};
use norn_ir::source::Loc;

const LONG_DOUBLE: QualType = QualType::plain(TypeId::LONG_DOUBLE);

/// The functions of the model, in the order of [`Operation`]: name, result and parameters.
const FUNCTIONS: [(&str, TypeId, &[TypeId]); 13] = [
    ("add", TypeId::LONG_DOUBLE, &[TypeId::LONG_DOUBLE; 2]),
    ("subtract", TypeId::LONG_DOUBLE, &[TypeId::LONG_DOUBLE; 2]),
    ("multiply", TypeId::LONG_DOUBLE, &[TypeId::LONG_DOUBLE; 2]),
    ("divide", TypeId::LONG_DOUBLE, &[TypeId::LONG_DOUBLE; 2]),
    ("negate", TypeId::LONG_DOUBLE, &[TypeId::LONG_DOUBLE]),
    ("compare", TypeId::INT, &[TypeId::LONG_DOUBLE; 2]),
    ("of_signed", TypeId::LONG_DOUBLE, &[TypeId::LONG_LONG]),
    ("of_unsigned", TypeId::LONG_DOUBLE, &[TypeId::UNSIGNED_LONG_LONG]),
    ("of_double", TypeId::LONG_DOUBLE, &[TypeId::DOUBLE]),
    ("to_signed", TypeId::LONG_LONG, &[TypeId::LONG_DOUBLE]),
    ("to_unsigned", TypeId::UNSIGNED_LONG_LONG, &[TypeId::LONG_DOUBLE]),
    ("to_double", TypeId::DOUBLE, &[TypeId::LONG_DOUBLE]),
    ("to_float", TypeId::FLOAT, &[TypeId::LONG_DOUBLE]),
];

#[derive(Clone, Copy)]
enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
    Negate,
    Compare,
    OfSigned,
    OfUnsigned,
    OfDouble,
    ToSigned,
    ToUnsigned,
    ToDouble,
    ToFloat,
}

impl Checker<'_> {
    /// Declares the functions of the model, the first time that a unit mentions the type.
    pub(crate) fn prepare_long_double(&mut self) {
        if self.long_double.is_some() {
            return;
        }
        let ids = FUNCTIONS.map(|(name, result, params)| {
            let params = params.iter().map(|&ty| QualType::unqualified(ty)).collect();
            let ty = FunctionType { result: QualType::unqualified(result), params, variadic: false, prototyped: true };
            let ty = self.types.intern(Type::Function(ty));
            let name = self.session.symbols.intern(&format!("__norn_long_double_{name}"));
            self.linked_function(name, ty, Loc::NONE)
        });
        self.long_double = Some(ids);
    }

    pub(crate) fn is_long_double(&self, ty: QualType) -> bool {
        ty.ty == TypeId::LONG_DOUBLE
    }

    fn long_double_call(&self, operation: Operation, args: Vec<Expr>, loc: Loc) -> Expr {
        let result = QualType::unqualified(FUNCTIONS[operation as usize].1);
        let Some(ids) = &self.long_double else {
            return self.unsupported("a value of type 'long double'", result, loc);
        };
        if self.function.is_none() {
            return self.unsupported("a 'long double' that is computed outside of functions", result, loc);
        }
        let callee = Callee::Direct(ids[operation as usize]);
        Expr { kind: ExprKind::Call { callee, args }, ty: result, loc }
    }

    /// A literal: a constant if a `double` holds it, else the content of an object.
    pub(super) fn long_double_constant(&mut self, value: Option<Extended>, loc: Loc) -> Expr {
        self.prepare_long_double();
        let Some(value) = value else {
            return self.unsupported("a literal with so many digits", LONG_DOUBLE, loc);
        };
        if let Some(value) = value.as_double() {
            return Expr { kind: ExprKind::Float(value), ty: LONG_DOUBLE, loc };
        }
        let content = ConstInit { offset: 0, value: ConstValue::Bytes(value.bytes().to_vec()) };
        let id = self.add_object(Object {
            symbolic: Symbolic::default(),
            name: None,
            ty: LONG_DOUBLE,
            align: self.types.align_of(QualType::plain(TypeId::LONG_DOUBLE), self.target),
            linkage: Linkage::Internal,
            thread_local: false,
            constant: true,
            definition: Definition::Initialised(vec![content]),
            loc,
        });
        self.load(Expr { kind: ExprKind::Object(id), ty: LONG_DOUBLE, loc })
    }

    pub(super) fn long_double_arithmetic(&self, op: BinaryOp, lhs: Expr, rhs: Expr, loc: Loc) -> Expr {
        if let (&ExprKind::Float(l), &ExprKind::Float(r)) = (&lhs.kind, &rhs.kind)
            && let Some(value) = exact(op, l, r)
        {
            return Expr { kind: ExprKind::Float(value), ty: LONG_DOUBLE, loc };
        }
        let operation = match op {
            BinaryOp::Add => Operation::Add,
            BinaryOp::Sub => Operation::Subtract,
            BinaryOp::Mul => Operation::Multiply,
            BinaryOp::Div => Operation::Divide,
            _ => return self.error_expr(loc),
        };
        self.long_double_call(operation, vec![lhs, rhs], loc)
    }

    pub(super) fn long_double_negation(&self, operand: Expr, loc: Loc) -> Expr {
        self.long_double_call(Operation::Negate, vec![operand], loc)
    }

    pub(super) fn long_double_comparison(&self, op: CompareOp, lhs: Expr, rhs: Expr, loc: Loc) -> Expr {
        let (int, unsigned) = (self.int_type(), QualType::unqualified(TypeId::UNSIGNED_INT));
        let order = self.long_double_call(Operation::Compare, vec![lhs, rhs], loc);
        // The order is -1, 0, 1, or 2 if there is none; without its sign, 0 and 1 are the smallest.
        let compare = |op, order: Expr, number| {
            let number = self.int_constant(number, order.ty, loc);
            Expr { kind: ExprKind::Compare(op, Box::new(order), Box::new(number)), ty: int, loc }
        };
        match op {
            CompareOp::Eq | CompareOp::Ne => compare(op, order, 0),
            CompareOp::Lt => compare(CompareOp::Eq, order, -1),
            CompareOp::Gt => compare(CompareOp::Eq, order, 1),
            CompareOp::Le => compare(CompareOp::Le, order, 0),
            CompareOp::Ge => {
                let order = Expr { kind: ExprKind::Convert(Box::new(order)), ty: unsigned, loc };
                compare(CompareOp::Le, order, 1)
            }
        }
    }

    /// A conversion from or to `long double`, of what is no constant.
    pub(super) fn long_double_conversion(&mut self, e: Expr, to: QualType) -> Expr {
        let loc = e.loc;
        let plain = QualType::unqualified;
        if self.is_wide(to) || self.is_wide(e.ty) {
            return self.unsupported("a conversion between 'long double' and a type of its size", to, loc);
        }
        if self.is_long_double(to) {
            let (operation, from) = match self.kind(e.ty) {
                Type::Float(_) => (Operation::OfDouble, TypeId::DOUBLE),
                _ if self.is_signed(e.ty) => (Operation::OfSigned, TypeId::LONG_LONG),
                _ => (Operation::OfUnsigned, TypeId::UNSIGNED_LONG_LONG),
            };
            let operand = self.converted(e, plain(from));
            return self.long_double_call(operation, vec![operand], loc);
        }
        if to.ty == TypeId::BOOL {
            let zero = Expr { kind: ExprKind::Float(0.0), ty: LONG_DOUBLE, loc };
            let truth = self.comparison(CompareOp::Ne, e, zero, loc);
            return self.converted(truth, to);
        }
        let is_large = self.size_of(to) == Some(8) && !self.is_signed(to);
        let operation = match self.kind(to) {
            Type::Float(FloatType::Float) => Operation::ToFloat,
            Type::Float(_) => Operation::ToDouble,
            _ if is_large => Operation::ToUnsigned,
            _ => Operation::ToSigned,
        };
        let value = self.long_double_call(operation, vec![e], loc);
        self.converted(value, to)
    }
}

/// The result of an operation, if a `double` holds it exactly.
fn exact(op: BinaryOp, l: f64, r: f64) -> Option<f64> {
    // Products of smaller numbers could lose bits that nobody sees.
    let is_moderate = |x: f64| x == 0.0 || (x.abs() > 1e-100 && x.abs() < 1e100);
    if !is_moderate(l) || !is_moderate(r) {
        return None;
    }
    let (value, error) = match op {
        BinaryOp::Add | BinaryOp::Sub => {
            let r = if op == BinaryOp::Sub { -r } else { r };
            let sum = l + r;
            let other = sum - l;
            (sum, (l - (sum - other)) + (r - other))
        }
        BinaryOp::Mul => (l * r, l.mul_add(r, -(l * r))),
        BinaryOp::Div if r != 0.0 => (l / r, (l / r).mul_add(r, -l)),
        _ => return None,
    };
    (error == 0.0).then_some(value)
}

/// The functions of the model, once they are declared.
pub(super) type Functions = Option<[FunctionId; FUNCTIONS.len()]>;
