//! The text of an `asm` statement as a list of instructions in AT&T syntax.
//!
//! Lines and semicolons separate instructions, `#` begins a comment that goes to the end of its line. What does not have
//! the form of an instruction (labels, directives, dialect alternatives in braces, escaped registers) is kept as text that nobody
//! knows, so that the statement becomes unsupported.

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
    /// `(%0)`: the memory that an operand points to.
    Indirect(Reference),
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
pub(super) fn read(template: &str) -> Option<Vec<Instruction>> {
    let mut instructions = Vec::new();
    let mut prefix = None;
    for line in template.split('\n') {
        let code = line.split('#').next().unwrap_or_default();
        for part in code.split(';') {
            let mut rest = part.trim();
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
            let operands = separate(&rest[mnemonic.len()..]).iter().map(|text| operand(text)).collect();
            instructions.push(Instruction { prefix: prefix.take(), mnemonic: mnemonic.to_ascii_lowercase(), operands });
        }
    }
    prefix.is_none().then_some(instructions)
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
            '(' => depth += 1,
            ')' => depth -= 1,
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
        if let Some(reference) = reference(base.trim())
            && (offset.is_empty() || number(offset) == Some(0))
        {
            return Operand::Indirect(reference);
        }
    }
    Operand::Other(text.to_owned())
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
        let instructions = read(template).unwrap_or_default();
        let show = |i: &Instruction| format!("{:?} {} {:?}", i.prefix, i.mnemonic, i.operands);
        instructions.iter().map(show).collect()
    }

    fn number(modifier: Option<char>, n: usize) -> Operand {
        Operand::Reference(Reference { modifier, name: OperandName::Number(n) })
    }

    #[test]
    fn templates_are_read_as_instructions() {
        assert_eq!(read(""), Some(vec![]));
        assert_eq!(shown("mfence"), ["None mfence []"]);
        assert_eq!(shown("lock; addl $0,0(%%esp)"), ["Some(Lock) addl [Immediate(0), Stack]"]);
        assert_eq!(shown("rep; nop"), ["Some(Rep) nop []"]);
        assert_eq!(shown("mfence # incl x; incl y\n\tpause"), ["None mfence []", "None pause []"]);
        let read = read("lock\n\tCMPXCHGL %2, %b[Mem]\n\tsete %0").expect("three lines");
        assert_eq!(read.len(), 2);
        assert_eq!(read[0].mnemonic, "cmpxchgl");
        let name = OperandName::Name("Mem".to_owned());
        let named = Operand::Reference(Reference { modifier: Some('b'), name });
        assert_eq!(read[0].operands, [number(None, 2), named]);
        assert_eq!(read[1].operands, [number(None, 0)]);
    }

    #[test]
    fn what_is_not_understood_stays_visible() {
        assert_eq!(read("lock"), None);
        assert_eq!(read("lock; lock; incl %0"), None);
        assert_eq!(
            shown("xaddl %0,(%1,%2)"),
            ["None xaddl [Reference(Reference { modifier: None, name: Number(0) }), Other(\"(%1,%2)\")]"]
        );
        assert_eq!(shown("movq %%rax, $010"), ["None movq [Other(\"%%rax\"), Other(\"$010\")]"]);
        assert_eq!(shown("incl 4(%0)"), ["None incl [Other(\"4(%0)\")]"]);
        assert_eq!(shown("1: incl"), ["None 1: [Other(\"incl\")]"]);
        assert_eq!(
            shown("incl %0,"),
            ["None incl [Reference(Reference { modifier: None, name: Number(0) }), Other(\"\")]"]
        );
    }
}
