//! The event list as text, for people who look for an error in it. Terms are cut off where they are deep.

use std::fmt::{self, Display, Formatter, Write};

use norn_logic::terms::{Conversion, FloatOp, Node, Sort, Term, Terms};

use crate::event::{Check, Condition, EventId, EventKind, Finding, Symbolic};

const DEEPEST: u32 = 12;

impl Display for Symbolic {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (id, cell) in self.cells.iter().enumerate() {
            writeln!(f, "cell {id} '{}': {} bits, at first {}", cell.name, cell.width, self.show(cell.initial))?;
        }
        let mut checks = self.checks.iter().peekable();
        for (id, thread) in self.threads.iter().enumerate() {
            writeln!(f, "thread {id} if {}", self.show(thread.start))?;
            for event in thread.events {
                while let Some(check) = checks.next_if(|check| check.thread.0 as usize == id && check.position <= event)
                {
                    self.check(f, check)?;
                }
                self.event_line(f, event)?;
            }
            while let Some(check) = checks.next_if(|check| check.thread.0 as usize == id) {
                self.check(f, check)?;
            }
            writeln!(f, "  ended if {}", self.show(thread.ended))?;
        }
        for cut in &self.cuts {
            writeln!(f, "cut of thread {} if {}", cut.thread.0, self.show(cut.guard))?;
        }
        self.constraints.iter().try_for_each(|&constraint| writeln!(f, "constraint {}", self.show(constraint)))
    }
}

impl Symbolic {
    /// A term as text.
    pub fn show(&self, term: Term) -> String {
        let mut text = String::new();
        show(&self.terms, term, 0, &mut text);
        text
    }

    fn event_line(&self, f: &mut Formatter<'_>, id: EventId) -> fmt::Result {
        let event = self.event(id);
        let section = event
            .section
            .map_or(String::new(), |section| format!(" in {:?} section {}", self.section(section).kind, section.0));
        let list = |list: &[(u32, Term)]| {
            let parts: Vec<String> = list
                .iter()
                .map(
                    |&(id, cond)| {
                        if cond == Term::TRUE { id.to_string() } else { format!("{id} if {}", self.show(cond)) }
                    },
                )
                .collect();
            parts.join(", ")
        };
        let cells = list(&event.targets().iter().map(|t| (t.0.0, t.1)).collect::<Vec<_>>());
        let what = match &event.kind {
            EventKind::Read { value, .. } => format!("read {} from {cells}", self.show(*value)),
            EventKind::Write { value, .. } => format!("write {} to {cells}", self.show(*value)),
            EventKind::Fence(kind) => format!("fence {kind:?}"),
            EventKind::Create(threads) => {
                format!("create {}", list(&threads.iter().map(|t| (t.0.0, t.1)).collect::<Vec<_>>()))
            }
            EventKind::Join(threads) => {
                format!("join {}", list(&threads.iter().map(|t| (t.0.0, t.1)).collect::<Vec<_>>()))
            }
            EventKind::EndLife(objects) => {
                format!("end {}", list(&objects.iter().map(|t| (t.0.0, t.1)).collect::<Vec<_>>()))
            }
            EventKind::Step => "step".to_owned(),
        };
        writeln!(f, "  {}: {what}{section} if {}", id.0, self.show(event.guard))
    }

    fn check(&self, f: &mut Formatter<'_>, check: &Check) -> fmt::Result {
        let what = match &check.what {
            Finding::Violation(violation) => violation.kind.phrase().to_owned(),
            Finding::Undefined(reason) => format!("undefined: {reason}"),
            Finding::Assumed { assumption, .. } => {
                format!("assumed: {}", assumption.map_or("the program goes on", |assumption| assumption.phrase()))
            }
        };
        match check.violated {
            Condition::Term(term) => writeln!(f, "  check before {}: {what} if {}", check.position.0, self.show(term)),
            Condition::AfterEnd { access, end, .. } => {
                writeln!(f, "  check before {}: {what} if {} after {}", check.position.0, access.0, end.0)
            }
        }
    }
}

fn show(terms: &Terms, term: Term, depth: u32, text: &mut String) {
    if depth > DEEPEST {
        text.push('…');
        return;
    }
    let node = terms.node(term);
    let name = match node {
        Node::True => "true",
        Node::Not(inner) => {
            text.push('!');
            return show(terms, inner, depth + 1, text);
        }
        Node::Variable(number) => {
            let kind = if terms.sort(term) == Sort::Bool { 'b' } else { 'v' };
            // Writing to a string does not fail.
            let _ = write!(text, "{kind}{number}");
            return;
        }
        Node::Bits(bits) => {
            let _ = write!(text, "{bits}");
            return;
        }
        Node::Extract(inner, low) => {
            show(terms, inner, depth + 1, text);
            let _ = write!(text, "[{low}+{}]", terms.width(term));
            return;
        }
        Node::And(..) => "and",
        Node::Xor(..) => "xor",
        Node::Ite(..) => "ite",
        Node::Eq(..) => "eq",
        Node::Ult(..) => "ult",
        Node::Slt(..) => "slt",
        Node::Add(..) => "add",
        Node::Sub(..) => "sub",
        Node::Mul(..) => "mul",
        Node::Udiv(..) => "udiv",
        Node::Urem(..) => "urem",
        Node::BitAnd(..) => "bitand",
        Node::BitOr(..) => "bitor",
        Node::BitXor(..) => "bitxor",
        Node::BitNot(..) => "bitnot",
        Node::Shl(..) => "shl",
        Node::Lshr(..) => "lshr",
        Node::Ashr(..) => "ashr",
        Node::Zext(..) => "zext",
        Node::Sext(..) => "sext",
        Node::Concat(..) => "concat",
        Node::Float(FloatOp::Add, ..) => "fadd",
        Node::Float(FloatOp::Sub, ..) => "fsub",
        Node::Float(FloatOp::Mul, ..) => "fmul",
        Node::Float(FloatOp::Div, ..) => "fdiv",
        Node::Convert(Conversion::SignedToFloat, _) => "signed-to-float",
        Node::Convert(Conversion::UnsignedToFloat, _) => "unsigned-to-float",
        Node::Convert(Conversion::FloatToSigned, _) => "float-to-signed",
        Node::Convert(Conversion::FloatToUnsigned, _) => "float-to-unsigned",
        Node::Convert(Conversion::FloatToFloat, _) => "float-to-float",
    };
    text.push_str(name);
    let mut separator = '(';
    for operand in node.operands() {
        text.push(separator);
        show(terms, operand, depth + 1, text);
        separator = ' ';
    }
    if separator == ' ' {
        text.push(')');
    }
}
