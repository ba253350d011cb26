//! The read-modify-writes of the Large System Extensions.

use norn_graph::program::{BinaryOp, Expr, Instr, Tags, UnaryOp, Width};

use super::Reader;
use super::memory::stored;
use crate::token::Parsed;

const OPERATIONS: [&str; 8] = ["ADD", "CLR", "EOR", "SET", "SMAX", "SMIN", "UMAX", "UMIN"];

/// The end of a name: acquire, release, and the width if it is not that of the register.
struct Ending {
    acquire: bool,
    release: bool,
    width: Option<Width>,
}

fn ending(text: &str) -> Option<Ending> {
    let (order, width) = match text.strip_suffix('B') {
        Some(order) => (order, Some(Width::W8)),
        None => text.strip_suffix('H').map_or((text, None), |order| (order, Some(Width::W16))),
    };
    let (acquire, release) = match order {
        "" => (false, false),
        "A" => (true, false),
        "L" => (false, true),
        "AL" => (true, true),
        _ => return None,
    };
    Some(Ending { acquire, release, width })
}

impl Reader<'_, '_, '_> {
    /// Whether this was one of them.
    pub(super) fn atomic(&mut self, name: &str) -> Parsed<bool> {
        if let Some(ending) = name.strip_prefix("SWP").and_then(ending) {
            self.swap(&ending)?;
        } else if let Some(ending) = name.strip_prefix("CAS").and_then(ending) {
            self.compare_and_swap(&ending)?;
        } else if let Some((operation, ending)) = name.strip_prefix("LD").and_then(operation) {
            self.fetch(operation, &ending, true)?;
        } else if let Some((operation, ending)) =
            name.strip_prefix("ST").and_then(operation).filter(|(_, e)| !e.acquire)
        {
            self.fetch(operation, &ending, false)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// `SWPA Ws,Wt,[Xn]`
    fn swap(&mut self, ending: &Ending) -> Parsed<()> {
        let src = self.register()?;
        self.comma()?;
        let dst = self.register()?;
        self.comma()?;
        let place = self.place()?;
        let width = ending.width.unwrap_or(src.width());
        // Without a place for the value there is nothing to acquire.
        let read = tags(ending.acquire && dst.reg.is_some(), "A");
        let old = self.code.fresh();
        self.push(Instr::Rmw {
            old,
            addr: place.addr,
            width,
            when: None,
            value: stored(src, width),
            read: read.clone(),
            write: tags(ending.release, "L"),
            otherwise: read,
        });
        self.set(dst, Expr::Reg(old));
        Ok(())
    }

    /// `CASA Ws,Wt,[Xn]`: the first holds what is expected and receives what was found.
    fn compare_and_swap(&mut self, ending: &Ending) -> Parsed<()> {
        let expected = self.register()?;
        self.comma()?;
        let src = self.register()?;
        self.comma()?;
        let place = self.place()?;
        let width = ending.width.unwrap_or(src.width());
        let read = tags(ending.acquire, "A");
        let old = self.code.fresh();
        self.push(Instr::Rmw {
            old,
            addr: place.addr,
            width,
            when: Some(Expr::binary(BinaryOp::Equal, Expr::Reg(old), stored(expected, width))),
            value: stored(src, width),
            read: read.clone(),
            write: tags(ending.release, "L"),
            otherwise: read,
        });
        self.set(expected, Expr::Reg(old));
        Ok(())
    }

    /// `LDADDA Ws,Wt,[Xn]` and `STADD Ws,[Xn]`, which does not return the value.
    fn fetch(&mut self, operation: &str, ending: &Ending, returns: bool) -> Parsed<()> {
        let src = self.register()?;
        self.comma()?;
        let mut dst = None;
        if returns {
            dst = Some(self.register()?).filter(|dst| dst.reg.is_some());
            self.comma()?;
        }
        let place = self.place()?;
        let width = ending.width.unwrap_or(src.width());
        let read = match dst {
            Some(_) => tags(ending.acquire, "A"),
            None => Tags::of(&["NoRet"]),
        };
        let old = self.code.fresh();
        let value = combined(operation, Expr::Reg(old), stored(src, width), width);
        self.push(Instr::Rmw {
            old,
            addr: place.addr,
            width,
            when: None,
            value: if width == Width::W64 { value } else { Expr::truncate(width, value) },
            read: read.clone(),
            write: tags(ending.release, "L"),
            otherwise: read,
        });
        if let Some(dst) = dst {
            self.set(dst, Expr::Reg(old));
        }
        Ok(())
    }
}

fn tags(has: bool, name: &str) -> Tags {
    if has { Tags::of(&[name]) } else { Tags::none() }
}

fn operation(rest: &str) -> Option<(&'static str, Ending)> {
    OPERATIONS.into_iter().find_map(|name| Some((name, ending(rest.strip_prefix(name)?)?)))
}

fn combined(operation: &str, old: Expr, operand: Expr, width: Width) -> Expr {
    let op = match operation {
        "ADD" => BinaryOp::Add,
        "CLR" => return Expr::binary(BinaryOp::And, old, Expr::unary(UnaryOp::Not, operand)),
        "EOR" => BinaryOp::Xor,
        "SET" => BinaryOp::Or,
        _ => {
            let signed = operation.starts_with('S');
            let less = if signed { BinaryOp::LessSigned } else { BinaryOp::Less };
            let side = |value: &Expr| if signed { Expr::sign_extend(width, value.clone()) } else { value.clone() };
            let is_less = Expr::binary(less, side(&old), side(&operand));
            return match operation.ends_with("MAX") {
                true => Expr::select(is_less, operand, old),
                false => Expr::select(is_less, old, operand),
            };
        }
    };
    Expr::binary(op, old, operand)
}
