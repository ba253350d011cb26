//! The instructions of RISC-V (RV64, with the A extension) that litmus tests use.
//!
//! Loads and stores may carry `.aq` and `.rl` as the architecture's own litmus tests write them, although only atomics
//! can be encoded so. `x0` is the number 0. What `sc` says of its success depends on the store.

use norn_graph::program::{BinaryOp, Expr, Instr, Label, Reg, Tags, UnaryOp, Width};
use norn_ir::diag::Diagnostic;

use super::code::Code;
use crate::token::{Cursor, Parsed, Token, TokenKind};

/// The names of the registers in calls, from `x0` on.
const ABI_NAMES: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "s2",
    "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
];

/// The number of a register.
pub(crate) fn register_number(name: &str) -> Option<u32> {
    if name == "fp" {
        return Some(8);
    }
    if let Some(index) = ABI_NAMES.iter().position(|known| *known == name) {
        return u32::try_from(index).ok();
    }
    let number = name.strip_prefix(['x', 'X'])?;
    number.parse::<u32>().ok().filter(|n| *n < 32 && !(number.len() > 1 && number.starts_with('0')))
}

pub(crate) fn register_name(name: &str) -> Option<(String, bool)> {
    register_number(name).map(|number| (format!("x{number}"), true))
}

pub(crate) fn instruction<'a>(cursor: &mut Cursor<'_, 'a>, code: &mut Code<'a>) -> Parsed<()> {
    let name = cursor.word("an instruction")?;
    let lower = name.text.to_ascii_lowercase();
    let (base, order) = split_order(&lower);
    let mut reader = Reader { cursor, code, name };
    let known =
        reader.access(base, order)? || (order.is_empty() && (reader.control(&lower)? || reader.compute(&lower)?));
    if known {
        return Ok(());
    }
    let message = format!("the RISC-V instruction '{}' is not known", name.text);
    Err(cursor.file.unsupported_at(name, message).help("docs/manual.md lists the instructions that are"))
}

/// The name without its order, and the tags of the order: one for each half, and herd's name for the whole.
fn split_order(name: &str) -> (&str, &'static [&'static str]) {
    let endings: [(&str, &[&str]); 5] = [
        (".aq.rl", &["AQ", "RL", "AcqRel"]),
        (".aqrl", &["AQ", "RL", "AcqRel"]),
        (".rl.aq", &["AQ", "RL", "AcqRel"]),
        (".aq", &["AQ", "Acq"]),
        (".rl", &["RL", "Rel"]),
    ];
    endings.iter().find_map(|(ending, tags)| Some((name.strip_suffix(ending)?, *tags))).unwrap_or((name, &[]))
}

fn with(order: &[&str], more: &[&str]) -> Tags {
    Tags(order.iter().chain(more).map(|&tag| tag.to_owned()).collect())
}

/// The width of a load or store by the letter in its name, and whether a load extends the sign.
fn width(letters: &str) -> Option<(Width, bool)> {
    Some(match letters {
        "b" => (Width::W8, true),
        "h" => (Width::W16, true),
        "w" => (Width::W32, true),
        "d" => (Width::W64, false),
        "bu" => (Width::W8, false),
        "hu" => (Width::W16, false),
        "wu" => (Width::W32, false),
        _ => return None,
    })
}

struct Reader<'r, 't, 'a> {
    cursor: &'r mut Cursor<'t, 'a>,
    code: &'r mut Code<'a>,
    name: Token<'a>,
}

impl Reader<'_, '_, '_> {
    fn push(&mut self, instr: Instr) {
        self.code.push(instr, self.name, self.cursor.file);
    }

    fn comma(&mut self) -> Parsed<()> {
        self.cursor.expect(",", "between operands").map(drop)
    }

    /// A register; `x0` is none.
    fn register(&mut self) -> Parsed<Option<Reg>> {
        let token = self.cursor.peek();
        match register_number(token.text).filter(|_| token.kind == TokenKind::Word) {
            Some(number) => {
                self.cursor.bump();
                Ok((number > 0).then(|| self.code.register(&format!("x{number}"))))
            }
            None => Err(self.cursor.unexpected("a register such as x5 or a0")),
        }
    }

    fn value(&mut self) -> Parsed<Expr> {
        Ok(self.register()?.map_or(Expr::Const(0), Expr::Reg))
    }

    fn number(&mut self) -> Parsed<Expr> {
        Ok(Expr::Const(self.cursor.integer()? as u64))
    }

    fn set(&mut self, dst: Option<Reg>, value: Expr) {
        if let Some(dst) = dst {
            self.code.registers[dst.index()].is_wide = true;
            self.push(Instr::Assign { dst, value });
        }
    }

    /// `8(x5)`, or `(x5)`.
    fn place(&mut self) -> Parsed<Expr> {
        let offset = if self.cursor.peek().is("(") { 0 } else { self.cursor.integer()? };
        self.cursor.expect("(", "before the register with the address")?;
        let base = self.value()?;
        self.cursor.expect(")", "after the register with the address")?;
        Ok(match offset {
            0 => base,
            offset => Expr::binary(BinaryOp::Add, base, Expr::Const(offset as u64)),
        })
    }

    /// Loads, stores and atomics; whether this was one of them.
    fn access(&mut self, name: &str, order: &[&str]) -> Parsed<bool> {
        if let Some((width, signed)) = name.strip_prefix('l').and_then(width) {
            self.load(width, signed, with(order, &[]), false)?;
        } else if let Some((width, _)) = name.strip_prefix('s').and_then(width).filter(|_| !name.ends_with('u')) {
            let value = self.value()?;
            self.comma()?;
            let addr = self.place()?;
            self.push(Instr::Store { addr, value: narrowed(value, width), width, tags: with(order, &[]) });
        } else if let Some((width, signed)) = name.strip_prefix("lr.").and_then(atomic_width) {
            self.load(width, signed, with(order, &["X"]), true)?;
        } else if let Some((width, _)) = name.strip_prefix("sc.").and_then(atomic_width) {
            let status = self.register()?;
            self.comma()?;
            let value = narrowed(self.value()?, width);
            self.comma()?;
            let addr = self.place()?;
            let status = status.unwrap_or_else(|| self.code.fresh());
            self.code.registers[status.index()].is_wide = true;
            let tags = with(order, &["X"]);
            self.push(Instr::StoreExclusive { status, addr, value, width, tags, status_depends: true });
        } else if let Some((operation, letter)) = name.strip_prefix("amo").and_then(|rest| rest.split_once('.')) {
            let (Some((width, signed)), true) = (atomic_width(letter), is_amo(operation)) else { return Ok(false) };
            self.amo(operation, width, signed, order)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn load(&mut self, width: Width, signed: bool, tags: Tags, exclusive: bool) -> Parsed<()> {
        let dst = self.register()?;
        self.comma()?;
        let addr = self.place()?;
        let loaded = dst.unwrap_or_else(|| self.code.fresh());
        self.push(Instr::Load { dst: loaded, addr, width, tags, exclusive });
        self.set(dst.filter(|_| signed), Expr::sign_extend(width, Expr::Reg(loaded)));
        self.code.registers[loaded.index()].is_wide = true;
        Ok(())
    }

    /// `amoadd.w rd,rs2,(rs1)`
    fn amo(&mut self, operation: &str, width: Width, signed: bool, order: &[&str]) -> Parsed<()> {
        let dst = self.register()?;
        self.comma()?;
        let operand = self.value()?;
        self.comma()?;
        let addr = self.place()?;
        let old = self.code.fresh();
        let value = narrowed(combined(operation, Expr::Reg(old), operand, width), width);
        let tags = with(order, &["AMO"]);
        let (read, write, otherwise) = (tags.clone(), tags.clone(), tags);
        self.push(Instr::Rmw { old, addr, width, when: None, value, read, write, otherwise });
        self.set(dst, if signed { Expr::sign_extend(width, Expr::Reg(old)) } else { Expr::Reg(old) });
        Ok(())
    }

    fn label(&mut self) -> Parsed<Label> {
        let label = self.cursor.word("a label")?;
        Ok(self.code.label(label))
    }

    /// Fences and jumps; whether this was one of them.
    fn control(&mut self, name: &str) -> Parsed<bool> {
        match name {
            "nop" => {}
            "fence" => {
                let tag = self.fence()?;
                self.push(Instr::Fence { addr: None, tags: Tags(vec![tag]) });
            }
            "fence.tso" => self.push(Instr::Fence { addr: None, tags: Tags::of(&["Fence.tso"]) }),
            "fence.i" => self.push(Instr::Fence { addr: None, tags: Tags::of(&["Fence.i"]) }),
            "j" => {
                let target = self.label()?;
                self.push(Instr::Jump(target));
            }
            _ => {
                let Some((op, swapped, with_zero)) = jump(name) else { return Ok(false) };
                let mut sides = [self.value()?, Expr::Const(0)];
                self.comma()?;
                if !with_zero {
                    sides[1] = self.value()?;
                    self.comma()?;
                }
                let target = self.label()?;
                if swapped {
                    sides.reverse();
                }
                let [lhs, rhs] = sides;
                self.push(Instr::Branch { condition: Expr::binary(op, lhs, rhs), target, until: None });
            }
        }
        Ok(true)
    }

    /// The two sets of a fence. Alone it orders everything.
    fn fence(&mut self) -> Parsed<String> {
        if self.cursor.peek().kind != TokenKind::Word {
            return Ok("Fence.rw.rw".to_owned());
        }
        let before = self.fence_set()?;
        self.comma()?;
        let after = self.fence_set()?;
        Ok(format!("Fence.{before}.{after}"))
    }

    /// `r`, `w` or both; input and output of devices play no part.
    fn fence_set(&mut self) -> Parsed<&'static str> {
        let token = self.cursor.word("what is ordered, such as rw")?;
        let known = !token.text.is_empty() && token.text.bytes().all(|b| b"iorwIORW".contains(&b));
        let has = |letter: char| token.text.contains([letter, letter.to_ascii_uppercase()]);
        match (known, has('r'), has('w')) {
            (true, true, true) => Ok("rw"),
            (true, true, false) => Ok("r"),
            (true, false, true) => Ok("w"),
            _ => Err(self.unsupported_fence(token)),
        }
    }

    fn unsupported_fence(&self, token: Token<'_>) -> Diagnostic {
        let message = format!("'{}' is nothing that a fence can order here", token.text);
        self.cursor.file.unsupported_at(token, message).help("there are r, w and rw")
    }

    /// What computes in registers; whether this was such an instruction.
    fn compute(&mut self, name: &str) -> Parsed<bool> {
        let one_source = matches!(name, "mv" | "not" | "neg" | "sext.w" | "seqz" | "snez");
        if name != "li" && !one_source && operation(name).is_none() {
            return Ok(false);
        }
        let dst = self.register()?;
        self.comma()?;
        if name == "li" {
            let value = self.number()?;
            self.set(dst, value);
            return Ok(true);
        }
        let source = self.value()?;
        if one_source {
            let value = match name {
                "not" => Expr::unary(UnaryOp::Not, source),
                "neg" => Expr::unary(UnaryOp::Negate, source),
                "sext.w" => Expr::sign_extend(Width::W32, source),
                "seqz" => Expr::binary(BinaryOp::Equal, source, Expr::Const(0)),
                "snez" => Expr::binary(BinaryOp::NotEqual, source, Expr::Const(0)),
                _ => source,
            };
            self.set(dst, value);
            return Ok(true);
        }
        let Some((op, kind)) = operation(name) else { return Ok(false) };
        self.comma()?;
        let second = match kind {
            Kind::Immediate | Kind::WordImmediate => self.number()?,
            Kind::Register | Kind::WordRegister => self.value()?,
        };
        let is_word = matches!(kind, Kind::WordImmediate | Kind::WordRegister);
        let (first, second) = match op {
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::ShiftRightSigned => {
                let bits = if is_word { 31 } else { 63 };
                let first = match op {
                    BinaryOp::ShiftRight if is_word => Expr::truncate(Width::W32, source),
                    BinaryOp::ShiftRightSigned if is_word => Expr::sign_extend(Width::W32, source),
                    _ => source,
                };
                let second = match second {
                    Expr::Const(n) => Expr::Const(n & bits),
                    second => Expr::binary(BinaryOp::And, second, Expr::Const(bits)),
                };
                (first, second)
            }
            _ => (source, second),
        };
        let value = Expr::binary(op, first, second);
        self.set(dst, if is_word { Expr::sign_extend(Width::W32, value) } else { value });
        Ok(true)
    }
}

fn narrowed(value: Expr, width: Width) -> Expr {
    if width == Width::W64 { value } else { Expr::truncate(width, value) }
}

fn atomic_width(letter: &str) -> Option<(Width, bool)> {
    width(letter).filter(|_| matches!(letter, "w" | "d"))
}

fn is_amo(operation: &str) -> bool {
    matches!(operation, "swap" | "add" | "and" | "or" | "xor" | "max" | "min" | "maxu" | "minu")
}

fn combined(operation: &str, old: Expr, operand: Expr, width: Width) -> Expr {
    let op = match operation {
        "swap" => return operand,
        "add" => BinaryOp::Add,
        "and" => BinaryOp::And,
        "or" => BinaryOp::Or,
        "xor" => BinaryOp::Xor,
        _ => {
            let unsigned = operation.ends_with('u');
            let less = if unsigned { BinaryOp::Less } else { BinaryOp::LessSigned };
            let side = |value: &Expr| match (width, unsigned) {
                (Width::W64, _) => value.clone(),
                (_, true) => Expr::truncate(width, value.clone()),
                (_, false) => Expr::sign_extend(width, value.clone()),
            };
            let is_less = Expr::binary(less, side(&old), side(&operand));
            return match operation.starts_with("max") {
                true => Expr::select(is_less, operand, old),
                false => Expr::select(is_less, old, operand),
            };
        }
    };
    Expr::binary(op, old, operand)
}

/// The comparison of a jump, whether its sides change places, and whether it compares with zero.
fn jump(name: &str) -> Option<(BinaryOp, bool, bool)> {
    Some(match name {
        "beq" => (BinaryOp::Equal, false, false),
        "bne" => (BinaryOp::NotEqual, false, false),
        "blt" => (BinaryOp::LessSigned, false, false),
        "bltu" => (BinaryOp::Less, false, false),
        "bgt" => (BinaryOp::LessSigned, true, false),
        "bgtu" => (BinaryOp::Less, true, false),
        "ble" => (BinaryOp::LessEqualSigned, false, false),
        "bleu" => (BinaryOp::LessEqual, false, false),
        "bge" => (BinaryOp::LessEqualSigned, true, false),
        "bgeu" => (BinaryOp::LessEqual, true, false),
        "beqz" => (BinaryOp::Equal, false, true),
        "bnez" => (BinaryOp::NotEqual, false, true),
        "bltz" => (BinaryOp::LessSigned, false, true),
        "blez" => (BinaryOp::LessEqualSigned, false, true),
        "bgtz" => (BinaryOp::LessSigned, true, true),
        "bgez" => (BinaryOp::LessEqualSigned, true, true),
        _ => return None,
    })
}

/// What the second source is, and whether the operation works on words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Register,
    Immediate,
    WordRegister,
    WordImmediate,
}

fn operation(name: &str) -> Option<(BinaryOp, Kind)> {
    let (plain, is_word) = match name {
        "addw" | "subw" | "mulw" | "sllw" | "srlw" | "sraw" | "addiw" | "slliw" | "srliw" | "sraiw" => {
            (&name[..name.len() - 1], true)
        }
        other => (other, false),
    };
    let (op, is_immediate) = match plain {
        "add" => (BinaryOp::Add, false),
        "addi" => (BinaryOp::Add, true),
        "sub" => (BinaryOp::Sub, false),
        "mul" => (BinaryOp::Mul, false),
        "and" => (BinaryOp::And, false),
        "andi" => (BinaryOp::And, true),
        "or" => (BinaryOp::Or, false),
        "ori" => (BinaryOp::Or, true),
        "xor" => (BinaryOp::Xor, false),
        "xori" => (BinaryOp::Xor, true),
        "sll" => (BinaryOp::ShiftLeft, false),
        "slli" => (BinaryOp::ShiftLeft, true),
        "srl" => (BinaryOp::ShiftRight, false),
        "srli" => (BinaryOp::ShiftRight, true),
        "sra" => (BinaryOp::ShiftRightSigned, false),
        "srai" => (BinaryOp::ShiftRightSigned, true),
        "slt" => (BinaryOp::LessSigned, false),
        "slti" => (BinaryOp::LessSigned, true),
        "sltu" => (BinaryOp::Less, false),
        "sltiu" => (BinaryOp::Less, true),
        _ => return None,
    };
    let kind = match (is_immediate, is_word) {
        (false, false) => Kind::Register,
        (true, false) => Kind::Immediate,
        (false, true) => Kind::WordRegister,
        (true, true) => Kind::WordImmediate,
    };
    Some((op, kind))
}
