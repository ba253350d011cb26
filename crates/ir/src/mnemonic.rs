//! The words of the text form. The printer and the parser share these tables, so that they cannot disagree.

use crate::instr::{
    AllocKind, BinaryOp, CastOp, CompareOp, FenceKind, Order, Property, RmwOp, SectionKind, Stream, SyncKind, UnaryOp,
};
use crate::types::{Display, Target, Ty};

macro_rules! mnemonics {
    ($($name:ident { $($variant:ident = $word:literal,)* })*) => {$(
        impl $name {
            /// The word for it in the text form.
            pub fn mnemonic(self) -> &'static str {
                match self {
                    $($name::$variant => $word,)*
                }
            }

            pub fn from_mnemonic(word: &str) -> Option<$name> {
                match word {
                    $($word => Some($name::$variant),)*
                    _ => None,
                }
            }
        }
    )*};
}

mnemonics! {
    Target {
        Ilp32 = "ilp32",
        Lp64 = "lp64",
    }
    Display {
        Signed = "signed",
        Unsigned = "unsigned",
        Bool = "bool",
        Char = "char",
        Float = "float",
        Pointer = "pointer",
    }
    Order {
        Plain = "plain",
        Relaxed = "relaxed",
        Acquire = "acquire",
        Release = "release",
        AcqRel = "acq_rel",
        SeqCst = "seq_cst",
    }
    BinaryOp {
        Add = "add",
        Sub = "sub",
        Mul = "mul",
        AddSigned = "add.s",
        SubSigned = "sub.s",
        MulSigned = "mul.s",
        DivSigned = "div.s",
        DivUnsigned = "div.u",
        RemSigned = "rem.s",
        RemUnsigned = "rem.u",
        And = "and",
        Or = "or",
        Xor = "xor",
        Shl = "shl",
        ShlSigned = "shl.s",
        ShrSigned = "shr.s",
        ShrUnsigned = "shr.u",
        FAdd = "add.f",
        FSub = "sub.f",
        FMul = "mul.f",
        FDiv = "div.f",
    }
    CompareOp {
        Eq = "eq",
        Ne = "ne",
        LtSigned = "lt.s",
        LeSigned = "le.s",
        LtUnsigned = "lt.u",
        LeUnsigned = "le.u",
        FEq = "eq.f",
        FNe = "ne.f",
        FLt = "lt.f",
        FLe = "le.f",
    }
    UnaryOp {
        FNeg = "neg.f",
        PopCount = "popcount",
        LeadingZeros = "leading_zeros",
        TrailingZeros = "trailing_zeros",
        ByteSwap = "byte_swap",
    }
    CastOp {
        ZeroExtend = "extend.u",
        SignExtend = "extend.s",
        Truncate = "truncate",
        PtrToInt = "ptr_to_int",
        IntToPtr = "int_to_ptr",
        SignedToFloat = "to_float.s",
        UnsignedToFloat = "to_float.u",
        FloatToSigned = "to_int.s",
        FloatToUnsigned = "to_int.u",
        FloatToFloat = "to_float.f",
    }
    RmwOp {
        Exchange = "exchange",
        Add = "add",
        Sub = "sub",
        And = "and",
        Or = "or",
        Xor = "xor",
        Nand = "nand",
    }
    FenceKind {
        Full = "full",
        Release = "release",
        AcqRel = "acq_rel",
        Acquire = "acquire",
        StoreStore = "store_store",
        LoadLoad = "load_load",
        Compiler = "compiler",
        Call = "call",
    }
    SectionKind {
        Atomic = "atomic",
        Library = "library",
        Read = "read",
    }
    Property {
        Assertion = "assertion",
        ErrorCall = "error_call",
        ErrorLabel = "error_label",
        Misuse = "misuse",
    }
    AllocKind {
        Heap = "heap",
        Stack = "stack",
    }
    SyncKind {
        Acquire = "acquire",
        Release = "release",
    }
    Stream {
        Stdout = "stdout",
        Stderr = "stderr",
    }
}

impl Ty {
    pub fn mnemonic(self) -> &'static str {
        self.name()
    }

    pub fn from_mnemonic(word: &str) -> Option<Ty> {
        Ty::ALL.into_iter().find(|ty| ty.name() == word)
    }
}
