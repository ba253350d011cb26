//! The instructions of AArch64 that litmus tests use, as the Arm Architecture Reference Manual (part C6) describes them.
//!
//! A `W` register is the lower half of its `X` register; writing it clears the upper half. The flags are two made-up
//! registers, the sides of the last comparison, so that a branch compares again. Left out, with a diagnostic: pairs in
//! exclusive and compare-and-swap instructions, caches and address translation, tags, vectors, calls.

mod atomics;
mod compute;
mod memory;

use norn_graph::program::{BinaryOp, Expr, Instr, Reg, Tags, Width};
use norn_ir::diag::Diagnostic;

use super::code::{Code, Flags};
use crate::state::State;
use crate::token::{Cursor, Parsed, Token, TokenKind};

/// The name under which a register is known, and whether this name means all of its 64 bits.
pub(crate) fn register_name(name: &str) -> Option<(String, bool)> {
    let upper = name.to_ascii_uppercase();
    match upper.as_str() {
        "SP" => return Some((upper, true)),
        "WSP" => return Some(("SP".to_owned(), false)),
        _ => {}
    }
    let (prefix, number) = upper.split_at_checked(1)?;
    let number = number.parse::<u32>().ok().filter(|n| *n <= 30 && !(number.len() > 1 && number.starts_with('0')))?;
    match prefix {
        "X" => Some((format!("X{number}"), true)),
        "W" => Some((format!("X{number}"), false)),
        _ => None,
    }
}

pub(crate) fn instruction<'a>(cursor: &mut Cursor<'_, 'a>, state: &mut State<'a>, code: &mut Code<'a>) -> Parsed<()> {
    let name = cursor.word("an instruction")?;
    let upper = name.text.to_ascii_uppercase();
    let mut reader = Reader { cursor, state, code, name };
    let known =
        reader.control(&upper)? || reader.memory(&upper)? || reader.atomic(&upper)? || reader.compute(&upper)?;
    if known {
        return Ok(());
    }
    let message = format!("the AArch64 instruction '{}' is not known", name.text);
    Err(cursor.file.unsupported_at(name, message).help("docs/manual.md lists the instructions that are"))
}

/// A register operand. The zero register has no `reg`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Operand {
    pub reg: Option<Reg>,
    pub is_wide: bool,
}

impl Operand {
    pub fn width(self) -> Width {
        if self.is_wide { Width::W64 } else { Width::W32 }
    }

    pub fn value(self) -> Expr {
        match self.reg {
            None => Expr::Const(0),
            Some(reg) if self.is_wide => Expr::Reg(reg),
            Some(reg) => Expr::truncate(Width::W32, Expr::Reg(reg)),
        }
    }
}

struct Reader<'r, 't, 'a> {
    cursor: &'r mut Cursor<'t, 'a>,
    state: &'r mut State<'a>,
    code: &'r mut Code<'a>,
    name: Token<'a>,
}

impl Reader<'_, '_, '_> {
    fn push(&mut self, instr: Instr) {
        self.code.push(instr, self.name, self.cursor.file);
    }

    fn unsupported(&self, message: impl Into<String>) -> Diagnostic {
        self.cursor.file.unsupported_at(self.name, message)
    }

    fn comma(&mut self) -> Parsed<()> {
        self.cursor.expect(",", "between operands").map(drop)
    }

    /// Whether a word stands here, whatever the case of its letters.
    fn at_word(&self, word: &str) -> bool {
        let token = self.cursor.peek();
        token.kind == TokenKind::Word && token.text.eq_ignore_ascii_case(word)
    }

    fn at_register(&self) -> bool {
        let token = self.cursor.peek();
        let is_zero = self.at_word("XZR") || self.at_word("WZR");
        token.kind == TokenKind::Word && (is_zero || register_name(token.text).is_some())
    }

    fn register(&mut self) -> Parsed<Operand> {
        let is_wide = self.at_word("XZR");
        if is_wide || self.at_word("WZR") {
            self.cursor.bump();
            return Ok(Operand { reg: None, is_wide });
        }
        let token = self.cursor.peek();
        match register_name(token.text).filter(|_| token.kind == TokenKind::Word) {
            Some((name, is_wide)) => {
                self.cursor.bump();
                Ok(Operand { reg: Some(self.code.register(&name)), is_wide })
            }
            None => Err(self.cursor.unexpected("a register such as X0 or W0")),
        }
    }

    /// A number, with or without the `#` before it.
    fn number(&mut self) -> Parsed<i64> {
        self.cursor.eat("#");
        self.cursor.integer()
    }

    fn at_number(&self) -> bool {
        let token = self.cursor.peek();
        token.is("#") || token.is("-") || token.kind == TokenKind::Number
    }

    /// Sets a register to a value, of which a `W` register takes the lower half.
    fn set(&mut self, dst: Operand, value: Expr) {
        let Some(reg) = dst.reg else { return };
        let value = match value {
            value if dst.is_wide => value,
            Expr::Const(n) => Expr::Const(Width::W32.truncate(n)),
            value @ Expr::Truncate(Width::W8 | Width::W16 | Width::W32, _) => value,
            value => Expr::truncate(Width::W32, value),
        };
        self.code.registers[reg.index()].is_wide |= dst.is_wide;
        self.push(Instr::Assign { dst: reg, value });
    }

    /// Barriers, jumps and what does nothing.
    fn control(&mut self, name: &str) -> Parsed<bool> {
        match name {
            "NOP" => {}
            "DMB" | "DSB" => {
                let option = self.cursor.word("what the barrier orders, such as SY or ISHLD")?;
                let Some(tags) = barrier(name, &option.text.to_ascii_uppercase()) else {
                    let message = format!("'{}' is not a kind of barrier", option.text);
                    return Err(self
                        .cursor
                        .file
                        .error_at(option, message)
                        .help("such as SY, LD, ST, ISH, ISHLD, ISHST"));
                };
                self.push(Instr::Fence { addr: None, tags });
            }
            "ISB" => {
                if self.at_word("SY") {
                    self.cursor.bump();
                }
                self.push(Instr::Fence { addr: None, tags: Tags::of(&["ISB"]) });
            }
            "B" | "B.AL" => {
                let label = self.cursor.word("a label")?;
                let target = self.code.label(label);
                self.push(Instr::Jump(target));
            }
            "CBZ" | "CBNZ" => {
                let value = self.register()?.value();
                self.branch(value, name == "CBZ")?;
            }
            "TBZ" | "TBNZ" => {
                let value = self.register()?.value();
                self.comma()?;
                let bit = self.number()?;
                let Some(mask) = u32::try_from(bit).ok().and_then(|bit| 1_u64.checked_shl(bit)) else {
                    return Err(self.unsupported("there are bits 0 to 63"));
                };
                let bit = Expr::binary(BinaryOp::And, value, Expr::Const(mask));
                self.branch(bit, name == "TBZ")?;
            }
            _ => {
                let condition =
                    name.strip_prefix("B.").or_else(|| Some(name.strip_prefix('B')?).filter(|c| c.len() == 2));
                let Some(condition) = condition.filter(|c| is_condition(c)) else { return Ok(false) };
                let condition = self.flag_condition(condition)?;
                let label = self.cursor.word("a label")?;
                let target = self.code.label(label);
                self.push(Instr::Branch { condition, target, until: None });
            }
        }
        Ok(true)
    }

    /// A comma, the label, and the jump if the value is 0, or if it is not.
    fn branch(&mut self, value: Expr, if_zero: bool) -> Parsed<()> {
        self.comma()?;
        let label = self.cursor.word("a label")?;
        let target = self.code.label(label);
        let op = if if_zero { BinaryOp::Equal } else { BinaryOp::NotEqual };
        let condition = Expr::binary(op, value, Expr::Const(0));
        self.push(Instr::Branch { condition, target, until: None });
        Ok(())
    }

    fn flag_registers(&mut self) -> (Reg, Reg) {
        (self.code.register("flags left"), self.code.register("flags right"))
    }

    /// Sets the flags from two sides of `width`.
    fn set_flags(&mut self, kind: Flags, lhs: Expr, rhs: Expr) -> Parsed<()> {
        let (left, right) = self.flag_registers();
        self.push(Instr::Assign { dst: left, value: lhs });
        self.push(Instr::Assign { dst: right, value: rhs });
        self.code.flags = match self.code.flags {
            Flags::Never => kind,
            known if known == kind => kind,
            _ => Flags::Several,
        };
        self.check_flags()
    }

    /// Which instruction set the flags is not known at a branch, so all of a thread must set them alike if that matters.
    fn check_flags(&self) -> Parsed<()> {
        if self.code.flags == Flags::Several && self.code.needs_order {
            let help = "EQ and NE can be used after different ones";
            return Err(self.unsupported("this thread sets the flags by different kinds of instructions").help(help));
        }
        Ok(())
    }

    /// The condition of that name, from the flags.
    fn flag_condition(&mut self, name: &str) -> Parsed<Expr> {
        let (left, right) = self.flag_registers();
        let (left, right) = (Expr::Reg(left), Expr::Reg(right));
        let op = match name {
            "EQ" => return Ok(Expr::binary(BinaryOp::Equal, left, right)),
            "NE" => return Ok(Expr::binary(BinaryOp::NotEqual, left, right)),
            other => other,
        };
        self.code.needs_order = true;
        self.check_flags()?;
        let (width, overflows, carries) = match self.code.flags {
            Flags::Compared(width) => (width, true, true),
            Flags::Logical(width) => (width, true, false),
            Flags::Added(width) => (width, false, false),
            Flags::Never | Flags::Several => (Width::W64, false, false),
        };
        let signed = |side: Expr| if width == Width::W64 { side } else { Expr::sign_extend(width, side) };
        let (op, lhs, rhs) = match op {
            "LT" if overflows => (BinaryOp::LessSigned, signed(left), signed(right)),
            "GE" if overflows => (BinaryOp::LessEqualSigned, signed(right), signed(left)),
            "GT" if overflows => (BinaryOp::LessSigned, signed(right), signed(left)),
            "LE" if overflows => (BinaryOp::LessEqualSigned, signed(left), signed(right)),
            "LO" | "CC" if carries => (BinaryOp::Less, left, right),
            "HS" | "CS" if carries => (BinaryOp::LessEqual, right, left),
            "HI" if carries => (BinaryOp::Less, right, left),
            "LS" if carries => (BinaryOp::LessEqual, left, right),
            "MI" => (BinaryOp::LessSigned, signed(Expr::binary(BinaryOp::Sub, left, right)), Expr::Const(0)),
            "PL" => (BinaryOp::LessEqualSigned, Expr::Const(0), signed(Expr::binary(BinaryOp::Sub, left, right))),
            _ => return Err(self.unsupported(format!("the condition {name} needs a flag that is not kept here"))),
        };
        Ok(Expr::binary(op, lhs, rhs))
    }
}

fn is_condition(name: &str) -> bool {
    let names = "EQ NE LT GE GT LE LO CC HS CS HI LS MI PL VS VC";
    names.split(' ').any(|known| known == name)
}

/// The tags of a barrier: its name as written, and what it orders.
fn barrier(name: &str, option: &str) -> Option<Tags> {
    let (domain, kind) = match option.strip_suffix("LD") {
        Some(domain) => (domain, "LD"),
        None => option.strip_suffix("ST").map_or((option, "FULL"), |domain| (domain, "ST")),
    };
    let known = match kind {
        "FULL" => matches!(domain, "SY" | "ISH" | "NSH" | "OSH"),
        _ => matches!(domain, "" | "ISH" | "NSH" | "OSH"),
    };
    let (full, short) = (format!("{name}.{option}"), format!("{name}.{kind}"));
    known.then(|| if full == short { Tags(vec![full]) } else { Tags(vec![full, short]) })
}
