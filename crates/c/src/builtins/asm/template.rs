//! The text of an `asm` statement as a list of instructions: of x86 in AT&T syntax, or of AArch64.
//!
//! Lines and semicolons separate instructions, `#` (on AArch64 `//`) begins a comment that goes to the end of its line. A
//! statement is AArch64's if one of its mnemonics is known there only. What does not have the form of an instruction (directives,
//! dialect alternatives in braces) is kept as text that nobody knows, so that the statement becomes unsupported.

use super::registers::{self, RegisterName};

/// A statement's instructions, and its labels with the numbers of the instructions that follow them.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Template {
    pub is_arm: bool,
    pub instructions: Vec<Instruction>,
    pub labels: Vec<(String, usize)>,
}

/// An instruction with its prefix.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Instruction {
    pub prefix: Option<Prefix>,
    /// In lower case.
    pub mnemonic: String,
    pub operands: Vec<Operand>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Prefix {
    Lock,
    Rep,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Operand {
    /// `$5`
    Immediate(i128),
    /// `%0`, `%b0`, `%[name]`, `%b[name]`
    Reference(Reference),
    /// `%%eax`, or `w0` on AArch64; the bytes of it that are meant.
    Named(RegisterName, u64),
    /// `4(%0)` or `[%0, #4]`: memory at a register and some bytes further on.
    Indirect(Box<Operand>, i64),
    /// `wzr` or `xzr` of AArch64, which is always 0.
    Zero(u64),
    /// A place relative to the stack pointer.
    Stack,
    Other(String),
}

/// Which operand of the statement is meant, by position or by name, and the letter that asks for a part of a register.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Reference {
    pub modifier: Option<char>,
    pub name: OperandName,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum OperandName {
    Number(usize),
    Name(String),
}

/// `None` if a prefix is left without an instruction, or there are two.
pub(super) fn read(template: &str) -> Option<Template> {
    let is_arm = is_arm(template);
    let (mut instructions, mut labels) = (Vec::new(), Vec::new());
    let mut prefix = None;
    for line in template.split('\n') {
        let code = line.split(if is_arm { "//" } else { "#" }).next().unwrap_or_default();
        for part in code.split(';') {
            let mut rest = part.trim();
            while let Some(label) = word(rest).split_once(':').map(|(label, _)| label).filter(|l| is_label(l)) {
                if prefix.is_some() {
                    return None;
                }
                labels.push((label.to_owned(), instructions.len()));
                rest = rest[label.len() + 1..].trim_start();
            }
            while let Some(found) = prefix_of(rest) {
                if prefix.replace(found).is_some() {
                    return None;
                }
                rest = rest[word(rest).len()..].trim_start();
            }
            if rest.is_empty() {
                continue;
            }
            let mnemonic = word(rest);
            let read = |text: &String| if is_arm { arm_operand(text) } else { operand(text) };
            let operands = separate(&rest[mnemonic.len()..]).iter().map(read).collect();
            instructions.push(Instruction { prefix: prefix.take(), mnemonic: mnemonic.to_ascii_lowercase(), operands });
        }
    }
    prefix.is_none().then_some(Template { is_arm, instructions, labels })
}

/// A number, or a name that the assembler keeps to itself.
fn is_label(text: &str) -> bool {
    let is_number = !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    let local = |c: char| c.is_ascii_alphanumeric() || "._%=".contains(c);
    is_number || (text.starts_with(".L") && text.chars().all(local))
}

fn is_arm(template: &str) -> bool {
    let mnemonics = template.split(['\n', ';']).map(|code| {
        let code = code.trim();
        word(code.split_once(':').filter(|(label, _)| is_label(label)).map_or(code, |(_, code)| code.trim()))
    });
    mnemonics.into_iter().any(|mnemonic| super::arm::is_unmistakable(&mnemonic.to_ascii_lowercase()))
}

/// The names of operands that a text mentions, as `%[name]` or with a letter before the bracket.
pub(super) fn names(template: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut rest = template;
    while let Some(at) = rest.find('%') {
        rest = &rest[at + 1..];
        let letter = rest.chars().next().filter(|c| c.is_ascii_alphabetic() || *c == '%');
        rest = &rest[letter.map_or(0, char::len_utf8)..];
        if letter != Some('%')
            && let Some((name, after)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'))
        {
            names.push(name);
            rest = after;
        }
    }
    names
}

fn word(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default()
}

fn prefix_of(text: &str) -> Option<Prefix> {
    match word(text).to_ascii_lowercase().as_str() {
        "lock" => Some(Prefix::Lock),
        "rep" => Some(Prefix::Rep),
        _ => None,
    }
}

/// Operands are separated by commas outside of parentheses. An empty one stays, as text that nobody knows.
fn separate(text: &str) -> Vec<String> {
    if text.trim().is_empty() {
        return Vec::new();
    }
    let mut operands = vec![String::new()];
    let mut depth = 0;
    for c in text.trim().chars() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                operands.push(String::new());
                continue;
            }
            _ => {}
        }
        operands.last_mut().expect("there is always an operand").push(c);
    }
    operands.iter().map(|operand| operand.trim().to_owned()).collect()
}

fn operand(text: &str) -> Operand {
    if let Some(number) = text.strip_prefix('$').and_then(number) {
        return Operand::Immediate(number);
    }
    if let Some(reference) = reference(text) {
        return Operand::Reference(reference);
    }
    if let Some(open) = text.find('(')
        && let Some(base) = text[open + 1..].strip_suffix(')')
    {
        let offset = text[..open].trim();
        if ["%%esp", "%%rsp", "%esp", "%rsp"].contains(&base.trim().to_ascii_lowercase().as_str())
            && (offset.is_empty() || number(offset).is_some())
        {
            return Operand::Stack;
        }
        let bytes = if offset.is_empty() { Some(0) } else { number(offset) };
        let base = register_operand(base.trim(), "%%", registers::of_x86);
        if let (Some(base), Some(bytes)) = (base, bytes.and_then(|bytes| i64::try_from(bytes).ok())) {
            return Operand::Indirect(Box::new(base), bytes);
        }
    }
    match text.strip_prefix("%%").and_then(|name| registers::of_x86(&name.to_ascii_lowercase())) {
        Some((name, width)) => Operand::Named(name, width),
        None => Operand::Other(text.to_owned()),
    }
}

/// An operand of AArch64.
fn arm_operand(text: &str) -> Operand {
    let immediate = |text: &str| text.strip_prefix('#').and_then(|n| number(n.trim()));
    if let Some(number) = immediate(text) {
        return Operand::Immediate(number);
    }
    if let Some(inside) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
        let (base, bytes) = match inside.split_once(',') {
            None => (inside, Some(0)),
            Some((base, offset)) => (base, immediate(offset.trim())),
        };
        let base = register_operand(base.trim(), "", registers::of_arm);
        if let (Some(base), Some(bytes)) = (base, bytes.and_then(|bytes| i64::try_from(bytes).ok())) {
            return Operand::Indirect(Box::new(base), bytes);
        }
    }
    match text {
        "wzr" => Operand::Zero(4),
        "xzr" => Operand::Zero(8),
        _ => register_operand(text, "", registers::of_arm).unwrap_or_else(|| Operand::Other(text.to_owned())),
    }
}

/// An operand of the statement, or a register by its name.
fn register_operand(text: &str, prefix: &str, named: fn(&str) -> Option<(RegisterName, u64)>) -> Option<Operand> {
    if let Some(reference) = reference(text) {
        return Some(Operand::Reference(reference));
    }
    let (name, width) = named(&text.strip_prefix(prefix)?.to_ascii_lowercase())?;
    Some(Operand::Named(name, width))
}

/// Decimal or hexadecimal, perhaps negative. A leading zero would mean octal, which is left alone.
fn number(text: &str) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let value = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) if hex.chars().all(|c| c.is_ascii_hexdigit()) => i128::from(u64::from_str_radix(hex, 16).ok()?),
        None if digits.chars().all(|c| c.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0')) => {
            i128::from(digits.parse::<u64>().ok()?)
        }
        _ => return None,
    };
    Some(if negative { -value } else { value })
}

fn reference(text: &str) -> Option<Reference> {
    let mut rest = text.strip_prefix('%')?;
    let modifier = rest.chars().next().filter(char::is_ascii_alphabetic);
    if modifier.is_some() {
        rest = &rest[1..];
    }
    let name = match rest.strip_prefix('[') {
        Some(name) => OperandName::Name(name.strip_suffix(']')?.to_owned()),
        None if rest.chars().all(|c| c.is_ascii_digit()) => OperandName::Number(rest.parse().ok()?),
        None => return None,
    };
    Some(Reference { modifier, name })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(template: &str) -> Vec<String> {
        let instructions = read(template).map_or(Vec::new(), |template| template.instructions);
        let show = |i: &Instruction| format!("{:?} {} {:?}", i.prefix, i.mnemonic, i.operands);
        instructions.iter().map(show).collect()
    }

    fn number(modifier: Option<char>, n: usize) -> Operand {
        Operand::Reference(Reference { modifier, name: OperandName::Number(n) })
    }

    #[test]
    fn templates_are_read_as_instructions() {
        assert_eq!(read("").map(|template| template.instructions), Some(vec![]));
        assert_eq!(shown("mfence"), ["None mfence []"]);
        assert_eq!(shown("lock; addl $0,0(%%esp)"), ["Some(Lock) addl [Immediate(0), Stack]"]);
        assert_eq!(shown("rep; nop"), ["Some(Rep) nop []"]);
        assert_eq!(shown("mfence # incl x; incl y\n\tpause"), ["None mfence []", "None pause []"]);
        let read = read("lock\n\tCMPXCHGL %2, %b[Mem]\n\tsete %0").expect("three lines").instructions;
        assert_eq!(read.len(), 2);
        assert_eq!(read[0].mnemonic, "cmpxchgl");
        let name = OperandName::Name("Mem".to_owned());
        let named = Operand::Reference(Reference { modifier: Some('b'), name });
        assert_eq!(read[0].operands, [number(None, 2), named]);
        assert_eq!(read[1].operands, [number(None, 0)]);
    }

    #[test]
    fn labels_and_named_registers_are_read() {
        let template = read("1:2: pause; .La%=: movl %%ebx, 4(%%rcx)\n3:").expect("labels");
        let labels = [("1", 0), ("2", 0), (".La%=", 1), ("3", 2)].map(|(name, at)| (name.to_owned(), at));
        assert_eq!(template.labels, labels);
        let [from, to] = &template.instructions[1].operands[..] else { panic!("two operands") };
        assert_eq!(*from, Operand::Named(RegisterName('b'), 4));
        assert_eq!(*to, Operand::Indirect(Box::new(Operand::Named(RegisterName('c'), 8)), 4));
        assert!(!template.is_arm);
    }

    #[test]
    fn instructions_of_arm_are_read() {
        let template =
            read("1: ldxr %w0, [%2, #8] // comment\n add %w0, %w0, #1; stxr w1, wzr, %3\ncbnz w1, 1b").expect("four");
        assert!(template.is_arm);
        assert_eq!(template.labels, [("1".to_owned(), 0)]);
        assert_eq!(template.instructions[0].operands[1], Operand::Indirect(Box::new(number(None, 2)), 8));
        assert_eq!(template.instructions[1].operands[2], Operand::Immediate(1));
        assert_eq!(template.instructions[2].operands[1..], [Operand::Zero(4), number(None, 3)]);
        assert_eq!(template.instructions[3].operands[1], Operand::Other("1b".to_owned()));
    }

    #[test]
    fn what_is_not_understood_stays_visible() {
        assert_eq!(read("lock"), None);
        assert_eq!(read("lock; lock; incl %0"), None);
        assert_eq!(
            shown("xaddl %0,(%1,%2)"),
            ["None xaddl [Reference(Reference { modifier: None, name: Number(0) }), Other(\"(%1,%2)\")]"]
        );
        assert_eq!(shown("movq %%rsp, $010"), ["None movq [Other(\"%%rsp\"), Other(\"$010\")]"]);
        assert_eq!(shown("incl 4(%0,%1)"), ["None incl [Other(\"4(%0,%1)\")]"]);
        assert_eq!(shown("f: incl"), ["None f: [Other(\"incl\")]"]);
        assert_eq!(read("lock; 1: incl %0"), None);
        assert_eq!(
            shown("incl %0,"),
            ["None incl [Reference(Reference { modifier: None, name: Number(0) }), Other(\"\")]"]
        );
    }
}
