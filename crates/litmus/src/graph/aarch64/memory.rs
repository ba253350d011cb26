//! Loads and stores, exclusive ones included.

use norn_graph::program::{BinaryOp, Expr, Instr, Reg, Tags, Width};

use super::compute::{extended, shifted_left};
use super::{Operand, Reader};
use crate::token::Parsed;

/// An address, and what becomes of its base register.
pub(super) struct Place {
    pub addr: Expr,
    update: Option<(Reg, Expr)>,
}

/// How much a load or store moves, by the end of its name: bytes and half words, and whether a load extends the sign.
#[derive(Clone, Copy)]
struct Size {
    width: Option<Width>,
    signed: bool,
}

fn size(suffix: &str) -> Option<Size> {
    let (width, signed) = match suffix {
        "" => (None, false),
        "B" => (Some(Width::W8), false),
        "H" => (Some(Width::W16), false),
        "SB" => (Some(Width::W8), true),
        "SH" => (Some(Width::W16), true),
        "SW" => (Some(Width::W32), true),
        _ => return None,
    };
    Some(Size { width, signed })
}

/// The tags of loads by the beginning of their names; the longer first.
const LOADS: [(&str, &[&str]); 8] = [
    ("LDAPUR", &["Q"]),
    ("LDAPR", &["Q"]),
    ("LDAXR", &["A", "X"]),
    ("LDXR", &["X"]),
    ("LDAR", &["A"]),
    ("LDUR", &[]),
    ("LDTR", &[]),
    ("LDR", &[]),
];

const STORES: [(&str, &[&str]); 5] = [("STLUR", &["L"]), ("STLR", &["L"]), ("STUR", &[]), ("STTR", &[]), ("STR", &[])];

fn find(name: &str, among: &[(&str, &'static [&'static str])]) -> Option<(&'static [&'static str], Size)> {
    among.iter().find_map(|(prefix, tags)| Some((*tags, size(name.strip_prefix(prefix)?)?)))
}

impl Reader<'_, '_, '_> {
    /// Whether this was one of them.
    pub(super) fn memory(&mut self, name: &str) -> Parsed<bool> {
        if let Some((tags, size)) = find(name, &LOADS) {
            self.load(tags, size)?;
        } else if let Some((tags, size)) = find(name, &STORES).filter(|(_, size)| !size.signed) {
            let src = self.register()?;
            self.comma()?;
            let place = self.place()?;
            let width = size.width.unwrap_or(src.width());
            self.store(src, width, &place, tags);
            self.update(place);
        } else if let Some((tags, size)) = find(name, &[("STLXR", &["L", "X"]), ("STXR", &["X"])]) {
            self.store_exclusive(tags, size)?;
        } else if matches!(name, "LDP" | "LDNP" | "STP" | "STNP") {
            self.pair(name.starts_with('L'))?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn load(&mut self, tags: &[&str], size: Size) -> Parsed<()> {
        let dst = self.register()?;
        self.comma()?;
        if self.cursor.eat("=") {
            let name = self.cursor.word("a location")?;
            let location = self.state.mention(name);
            let address = self.code.address(location);
            self.set(dst, address);
            return Ok(());
        }
        let place = self.place()?;
        if let Some((base, _)) = place.update
            && dst.reg == Some(base)
        {
            return Err(self.unsupported("a load into the base register that it updates is not supported"));
        }
        let width = size.width.unwrap_or(dst.width());
        let loaded = match dst.reg {
            Some(reg) if !size.signed => reg,
            _ => self.code.fresh(),
        };
        let exclusive = tags.contains(&"X");
        self.push(Instr::Load { dst: loaded, addr: place.addr.clone(), width, tags: Tags::of(tags), exclusive });
        if size.signed {
            self.set(dst, Expr::sign_extend(width, Expr::Reg(loaded)));
        } else if let Some(reg) = dst.reg {
            self.code.registers[reg.index()].is_wide |= dst.is_wide;
        }
        self.update(place);
        Ok(())
    }

    fn store(&mut self, src: Operand, width: Width, place: &Place, tags: &[&str]) {
        let value = stored(src, width);
        self.push(Instr::Store { addr: place.addr.clone(), value, width, tags: Tags::of(tags) });
    }

    /// `STXR Ws,Xt,[Xn]`
    fn store_exclusive(&mut self, tags: &[&str], size: Size) -> Parsed<()> {
        let status = self.register()?;
        self.comma()?;
        let src = self.register()?;
        self.comma()?;
        let place = self.place()?;
        let width = size.width.unwrap_or(src.width());
        let status = status.reg.unwrap_or_else(|| self.code.fresh());
        let (addr, value, tags) = (place.addr, stored(src, width), Tags::of(tags));
        self.push(Instr::StoreExclusive { status, addr, value, width, tags, status_depends: false });
        Ok(())
    }

    /// Two loads or two stores, one after the other.
    fn pair(&mut self, is_load: bool) -> Parsed<()> {
        let first = self.register()?;
        self.comma()?;
        let second = self.register()?;
        self.comma()?;
        let place = self.place()?;
        let width = first.width();
        let next = Expr::binary(BinaryOp::Add, place.addr.clone(), Expr::Const(width.bytes()));
        if is_load {
            let overwritten = first.reg == second.reg
                || place.update.as_ref().is_some_and(|(base, _)| first.reg == Some(*base) || second.reg == Some(*base));
            if overwritten {
                return Err(self.unsupported("a pair of loads needs three different registers"));
            }
            // The first may be the base of the second's address.
            let loaded = [self.code.fresh(), self.code.fresh()];
            for (dst, addr) in loaded.into_iter().zip([place.addr.clone(), next]) {
                self.push(Instr::Load { dst, addr, width, tags: Tags::none(), exclusive: false });
            }
            self.set(first, Expr::Reg(loaded[0]));
            self.set(second, Expr::Reg(loaded[1]));
        } else {
            for (src, addr) in [(first, place.addr.clone()), (second, next)] {
                self.push(Instr::Store { addr, value: stored(src, width), width, tags: Tags::none() });
            }
        }
        self.update(place);
        Ok(())
    }

    /// `[X1]`, `[X1,#8]`, `[X1,#8]!`, `[X1],#8`, `[X1,X2,LSL #3]`, `[X1,W2,SXTW]`.
    pub(super) fn place(&mut self) -> Parsed<Place> {
        self.cursor.expect("[", "before the address")?;
        let token = self.cursor.peek();
        let base = self.register()?;
        let Operand { reg: Some(reg), is_wide: true } = base else {
            let message = format!("'{}' cannot hold an address", token.text);
            return Err(self.cursor.file.error_at(token, message).help("addresses are in the registers X0 to X30"));
        };
        if self.cursor.eat("]") {
            let after = self.cursor.peek().is(",") && (self.cursor.peek_at(1).is("#"));
            if !after {
                return Ok(Place { addr: Expr::Reg(reg), update: None });
            }
            self.comma()?;
            let offset = self.number()?;
            let moved = Expr::binary(BinaryOp::Add, Expr::Reg(reg), Expr::Const(offset as u64));
            return Ok(Place { addr: Expr::Reg(reg), update: Some((reg, moved)) });
        }
        self.comma()?;
        let index = if self.at_register() { self.index()? } else { Expr::Const(self.number()? as u64) };
        self.cursor.expect("]", "after the address")?;
        let addr = match index {
            Expr::Const(0) => Expr::Reg(reg),
            index => Expr::binary(BinaryOp::Add, Expr::Reg(reg), index),
        };
        let update = self.cursor.eat("!").then(|| (reg, addr.clone()));
        Ok(Place { addr, update })
    }

    fn index(&mut self) -> Parsed<Expr> {
        let operand = self.register()?;
        if !self.cursor.eat(",") {
            return Ok(operand.value());
        }
        let token = self.cursor.word("how the index is extended, such as SXTW")?;
        let name = token.text.to_ascii_uppercase();
        if !matches!(name.as_str(), "LSL" | "SXTW" | "UXTW" | "SXTX") {
            let message = format!("'{}' is not a way to extend an index", token.text);
            return Err(self.cursor.file.error_at(token, message).help("there are LSL, SXTW, UXTW and SXTX"));
        }
        let amount = if self.at_number() { self.amount()? } else { 0 };
        let value = if name == "LSL" { operand.value() } else { extended(&name, operand) };
        Ok(shifted_left(value, amount))
    }

    fn update(&mut self, place: Place) {
        if let Some((dst, value)) = place.update {
            self.push(Instr::Assign { dst, value });
        }
    }
}

/// What a store of that width writes.
pub(super) fn stored(src: Operand, width: Width) -> Expr {
    match (src.reg, width) {
        (None, _) => Expr::Const(0),
        (Some(reg), Width::W64) => Expr::Reg(reg),
        (Some(reg), width) => Expr::truncate(width, Expr::Reg(reg)),
    }
}
