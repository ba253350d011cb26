//! Keywords and punctuators: the tokens that are always spelled the same way.

macro_rules! spelled {
    ($(#[$meta:meta])* $name:ident { $($variant:ident = $first:literal $(| $alias:literal)*),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum $name { $($variant),* }

        impl $name {
            /// Every spelling with its meaning; aliases follow the main spelling.
            pub const SPELLINGS: &'static [(&'static str, $name)] =
                &[$(($first, $name::$variant), $(($alias, $name::$variant),)*)*];

            /// The main spelling.
            pub fn spelling(self) -> &'static str {
                match self { $($name::$variant => $first),* }
            }
        }
    };
}

spelled! {
    /// Keywords of C11 and of the GNU dialect. The preprocessor does not know them: they become keywords when
    /// preprocessing is done.
    Keyword {
        Alignas = "_Alignas",
        Alignof = "_Alignof" | "__alignof__" | "__alignof",
        Asm = "asm" | "__asm__" | "__asm",
        Atomic = "_Atomic",
        Attribute = "__attribute__" | "__attribute",
        Auto = "auto",
        AutoType = "__auto_type",
        Bool = "_Bool",
        Break = "break",
        BuiltinChooseExpr = "__builtin_choose_expr",
        BuiltinOffsetof = "__builtin_offsetof",
        BuiltinTypesCompatible = "__builtin_types_compatible_p",
        BuiltinVaArg = "__builtin_va_arg",
        Case = "case",
        Char = "char",
        Complex = "_Complex" | "__complex__" | "__complex",
        Const = "const" | "__const" | "__const__",
        Continue = "continue",
        Default = "default",
        Do = "do",
        Double = "double",
        Else = "else",
        Enum = "enum",
        Extension = "__extension__",
        Extern = "extern",
        Float = "float" | "_Float32",
        Float16 = "_Float16" | "__bf16",
        Float64 = "_Float64" | "_Float32x",
        Float128 = "_Float128" | "__float128" | "_Float64x" | "__float80",
        For = "for",
        Generic = "_Generic",
        Goto = "goto",
        If = "if",
        Imag = "__imag__" | "__imag",
        Inline = "inline" | "__inline" | "__inline__",
        Int = "int",
        Int128 = "__int128" | "__int128_t",
        Label = "__label__",
        Long = "long",
        Noreturn = "_Noreturn",
        Real = "__real__" | "__real",
        Register = "register",
        Restrict = "restrict" | "__restrict" | "__restrict__",
        Return = "return",
        Short = "short",
        Signed = "signed" | "__signed__" | "__signed",
        Sizeof = "sizeof",
        Static = "static",
        StaticAssert = "_Static_assert",
        Struct = "struct",
        Switch = "switch",
        Thread = "__thread" | "_Thread_local",
        Typedef = "typedef",
        Typeof = "typeof" | "__typeof__" | "__typeof",
        Union = "union",
        Unsigned = "unsigned",
        Void = "void",
        Volatile = "volatile" | "__volatile__" | "__volatile",
        While = "while",
    }
}

spelled! {
    /// Punctuators, digraphs included.
    Punct {
        LParen = "(",
        RParen = ")",
        LBracket = "[" | "<:",
        RBracket = "]" | ":>",
        LBrace = "{" | "<%",
        RBrace = "}" | "%>",
        Comma = ",",
        Semi = ";",
        Colon = ":",
        Question = "?",
        Dot = ".",
        Arrow = "->",
        Ellipsis = "...",
        Plus = "+",
        Minus = "-",
        Star = "*",
        Slash = "/",
        Percent = "%",
        Amp = "&",
        Pipe = "|",
        Caret = "^",
        Tilde = "~",
        Bang = "!",
        Assign = "=",
        PlusAssign = "+=",
        MinusAssign = "-=",
        StarAssign = "*=",
        SlashAssign = "/=",
        PercentAssign = "%=",
        AmpAssign = "&=",
        PipeAssign = "|=",
        CaretAssign = "^=",
        ShlAssign = "<<=",
        ShrAssign = ">>=",
        PlusPlus = "++",
        MinusMinus = "--",
        Eq = "==",
        Ne = "!=",
        Lt = "<",
        Gt = ">",
        Le = "<=",
        Ge = ">=",
        AndAnd = "&&",
        OrOr = "||",
        Shl = "<<",
        Shr = ">>",
        Hash = "#" | "%:",
        HashHash = "##" | "%:%:",
    }
}
