//! The constraints of operands, as GCC reads them for x86 and AArch64. A letter that is not listed here makes the statement unsupported.

use super::flags::Condition;

#[derive(PartialEq, Eq, Debug)]
pub(super) struct Constraint {
    /// `=` or `+`, of outputs.
    pub direction: Direction,
    /// `&`: written before all inputs have been read, so it shares no register with them.
    pub early: bool,
    pub kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Direction {
    Read,
    Write,
    ReadWrite,
}

#[derive(PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Where the operand may be.
    Place(Places),
    /// An input in the place of an output.
    Tied(usize),
    TiedByName(String),
    /// `=@ccCOND`
    Flag(Condition),
}

#[derive(Default, PartialEq, Eq, Debug)]
pub(super) struct Places {
    pub memory: bool,
    pub register: bool,
    /// One named register, by its letter.
    pub fixed: Option<char>,
    /// The letters of immediates.
    pub immediates: Vec<char>,
    pub is_arm: bool,
}

impl Places {
    /// Whether a constant may stand in the instruction itself.
    pub fn takes_immediate(&self, value: i128) -> bool {
        self.immediates.iter().any(|letter| match letter {
            'i' | 'n' => true,
            'I' if self.is_arm => (0..4096).contains(&value),
            'J' if self.is_arm => (-4095..1).contains(&value),
            'Z' if self.is_arm => value == 0,
            _ if self.is_arm => false,
            'I' => (0..32).contains(&value),
            'J' => (0..64).contains(&value),
            'K' => (-128..128).contains(&value),
            'L' => [0xff, 0xffff, 0xffff_ffff].contains(&value),
            'M' => (0..4).contains(&value),
            'N' => (0..256).contains(&value),
            'O' => (0..128).contains(&value),
            'e' => i32::try_from(value).is_ok(),
            'Z' => u32::try_from(value).is_ok(),
            _ => false,
        })
    }
}

pub(super) fn read(text: &str, is_output: bool, is_arm: bool) -> Option<Constraint> {
    let mut letters = text;
    let mut direction = Direction::Read;
    if is_output {
        direction = match letters.chars().next()? {
            '=' => Direction::Write,
            '+' => Direction::ReadWrite,
            _ => return None,
        };
        letters = &letters[1..];
        if let Some(condition) = letters.strip_prefix("@cc")
            && !is_arm
        {
            let kind = Kind::Flag(Condition::named(condition).filter(|_| direction == Direction::Write)?);
            return Some(Constraint { direction, early: false, kind });
        }
    }
    let early = is_output && letters.starts_with('&');
    if early {
        letters = &letters[1..];
    }
    if !is_output {
        if let Some(name) = letters.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
            return Some(Constraint { direction, early, kind: Kind::TiedByName(name.to_owned()) });
        }
        if letters.starts_with(|c: char| c.is_ascii_digit()) {
            return Some(Constraint { direction, early, kind: Kind::Tied(letters.parse().ok()?) });
        }
    }
    let mut places = Places { is_arm, ..Places::default() };
    for letter in letters.chars() {
        match letter {
            'm' | 'o' => places.memory = true,
            // One register with the address and nothing else.
            'Q' if is_arm => places.memory = true,
            'r' if is_arm => places.register = true,
            // A constant that one instruction can hold; it may as well be in a register.
            'K' | 'L' | 'M' | 'N' if is_arm && letters.contains('r') => {}
            'i' | 'n' | 'I' | 'J' | 'Z' if is_arm => places.immediates.push(letter),
            _ if is_arm => return None,
            'r' | 'q' | 'Q' | 'R' | 'l' => places.register = true,
            'g' => {
                (places.memory, places.register) = (true, true);
                places.immediates.push('i');
            }
            'a' | 'b' | 'c' | 'd' | 'S' | 'D' if places.fixed.is_none() => places.fixed = Some(letter),
            'i' | 'n' | 'I' | 'J' | 'K' | 'L' | 'M' | 'N' | 'O' | 'e' | 'Z' => places.immediates.push(letter),
            _ => return None,
        }
    }
    let nowhere = !places.memory && !places.register && places.fixed.is_none() && places.immediates.is_empty();
    // A choice between a named register and others decides who shares a register with whom.
    let unclear = places.fixed.is_some() && places.register;
    if nowhere || unclear || (is_output && !places.immediates.is_empty() && !places.memory && !places.register) {
        return None;
    }
    Some(Constraint { direction, early, kind: Kind::Place(places) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, is_output: bool) -> Option<Constraint> {
        super::read(text, is_output, false)
    }

    #[test]
    fn letters_of_arm_have_their_own_meaning() {
        let memory = super::read("+Q", true, true).expect("memory");
        assert!(matches!(memory.kind, Kind::Place(places) if places.memory && !places.register));
        let zero = super::read("rZ", false, true).expect("register or zero");
        assert!(matches!(zero.kind, Kind::Place(places) if places.takes_immediate(0) && !places.takes_immediate(1)));
        for text in ["w", "g", "a", "K", "Ump", "S"] {
            assert_eq!(super::read(text, false, true), None, "{text}");
        }
    }

    #[test]
    fn unknown_constraints_are_not_read() {
        for text in ["", "=", "r", "=x", "=A", "=r,m", "=@cczz", "+@ccz", "=%r", "=p", "=ar", "=!r", "=*m"] {
            assert_eq!(read(text, true), None, "{text}");
        }
        for text in ["", "x", "%0", "r,m", "p", "A", "[a", "0a", "ab", "=r", "&r"] {
            assert_eq!(read(text, false), None, "{text}");
        }
    }

    #[test]
    fn constraints_are_read() {
        let early = read("=&a", true).expect("early clobber");
        assert!(early.early && early.direction == Direction::Write);
        let mixed = read("Ir", false).expect("immediate or register");
        let Kind::Place(places) = mixed.kind else { panic!("a place") };
        assert!(places.register && places.takes_immediate(31) && !places.takes_immediate(32));
        assert_eq!(read("=@ccnz", true).map(|c| c.kind), Condition::named("ne").map(Kind::Flag));
        assert_eq!(read("12", false).map(|c| c.kind), Some(Kind::Tied(12)));
        assert_eq!(read("[x]", false).map(|c| c.kind), Some(Kind::TiedByName("x".to_owned())));
    }
}
