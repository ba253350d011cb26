//! The names of registers, as templates and clobbers spell them.

/// A register of the hardware, whatever part of it is meant. Those of x86 that a constraint can name have that letter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct RegisterName(pub char);

/// A register and how many bytes of it are meant. The second byte of a register (`%ah`) is not understood.
pub(super) fn of_x86(name: &str) -> Option<(RegisterName, u64)> {
    let legacy = [("a", "ax"), ("b", "bx"), ("c", "cx"), ("d", "dx"), ("S", "si"), ("D", "di")];
    for (letter, word) in legacy {
        let letter = RegisterName(letter.chars().next()?);
        let byte = if word.ends_with('x') { format!("{}l", &word[..1]) } else { format!("{word}l") };
        match name {
            _ if name == word => return Some((letter, 2)),
            _ if name == byte => return Some((letter, 1)),
            _ if name.strip_prefix('e') == Some(word) => return Some((letter, 4)),
            _ if name.strip_prefix('r') == Some(word) => return Some((letter, 8)),
            _ => {}
        }
    }
    let (number, width) = match name.strip_prefix('r')? {
        rest if let Some(number) = rest.strip_suffix('b') => (number, 1),
        rest if let Some(number) = rest.strip_suffix('w') => (number, 2),
        rest if let Some(number) = rest.strip_suffix('d') => (number, 4),
        number => (number, 8),
    };
    let number = plain_number(number).filter(|n| (8..16).contains(n))?;
    Some((numbered(number), width))
}

/// `w3` and `x3`; the stack pointer and the frame pointer are not understood.
pub(super) fn of_arm(name: &str) -> Option<(RegisterName, u64)> {
    let (number, width) = match name.strip_prefix('w') {
        Some(number) => (number, 4),
        None => (name.strip_prefix('x')?, 8),
    };
    let number = plain_number(number).filter(|&n| n < 29)?;
    Some((numbered(number), width))
}

fn plain_number(digits: &str) -> Option<u32> {
    let is_plain = digits.chars().all(|c| c.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
    digits.parse().ok().filter(|_| is_plain)
}

/// A name that no constraint has.
fn numbered(number: u32) -> RegisterName {
    RegisterName(char::from_u32(0xe000 + number).unwrap_or('?'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_with_their_widths() {
        for (name, letter, width) in [("eax", 'a', 4), ("bl", 'b', 1), ("sil", 'S', 1), ("dx", 'd', 2), ("rdi", 'D', 8)]
        {
            assert_eq!(of_x86(name), Some((RegisterName(letter), width)), "{name}");
        }
        assert_eq!(of_x86("r8d").map(|(_, width)| width), Some(4));
        assert_eq!(of_x86("r15").map(|(name, _)| name), of_x86("r15b").map(|(name, _)| name));
        assert_ne!(of_x86("r8"), of_x86("r9"));
        for name in ["ah", "rsp", "ebp", "r7", "r16", "r08", "xmm0", "eaxl", "rr", ""] {
            assert_eq!(of_x86(name), None, "{name}");
        }
        assert_eq!(of_arm("w3").map(|(name, _)| name), of_arm("x3").map(|(name, _)| name));
        for name in ["w29", "sp", "xzr", "x", "v0", "x01"] {
            assert_eq!(of_arm(name), None, "{name}");
        }
    }
}
