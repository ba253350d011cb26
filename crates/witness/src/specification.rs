//! The specification that a witness is about, as property files of SV-COMP write it.
//!
//! For what SV-COMP has no property there are formulas of the same form.

use norn_verdict::outcome::{Basic, Checks, ViolationKind};

/// A formula, and the violations that it rules out.
struct Formula {
    text: &'static str,
    kinds: &'static [ViolationKind],
}

use ViolationKind::{
    Assertion, BadFree, DataRace, Deadlock, DivisionByZero, DivisionOverflow, DoubleFree, ErrorCall, ErrorLabel,
    InvalidPointer, MemoryLeak, Misuse, Nontermination, NullPointer, OutOfBounds, Overflow, UseAfterFree,
    WriteToConstant,
};

const DEREFERENCES: &[ViolationKind] = &[OutOfBounds, NullPointer, InvalidPointer, UseAfterFree, WriteToConstant];
const FREES: &[ViolationKind] = &[DoubleFree, BadFree];
const MEMORY: &[ViolationKind] =
    &[OutOfBounds, NullPointer, InvalidPointer, UseAfterFree, WriteToConstant, DoubleFree, BadFree, MemoryLeak];

/// The first formula that has a kind is the one that is written.
const FORMULAS: [Formula; 14] = [
    Formula { text: "G ! call(reach_error())", kinds: &[ErrorCall] },
    Formula { text: "G ! call(__VERIFIER_error())", kinds: &[ErrorCall] },
    Formula { text: "G assert", kinds: &[Assertion] },
    Formula { text: "G ! label(ERROR)", kinds: &[ErrorLabel] },
    Formula { text: "G ! data-race", kinds: &[DataRace] },
    Formula { text: "G ! overflow", kinds: &[Overflow] },
    Formula { text: "F end", kinds: &[Nontermination] },
    Formula { text: "G valid-deref", kinds: DEREFERENCES },
    Formula { text: "G valid-free", kinds: FREES },
    Formula { text: "G valid-memtrack", kinds: &[MemoryLeak] },
    Formula { text: "G valid-memsafety", kinds: MEMORY },
    // Not SV-COMP's.
    Formula { text: "G ! deadlock", kinds: &[Deadlock] },
    Formula { text: "G ! misuse", kinds: &[Misuse] },
    Formula { text: "G ! division-by-zero", kinds: &[DivisionByZero, DivisionOverflow] },
];

/// What a specification asks about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Specification {
    pub checks: Checks,
    /// Violations of these kinds are meant.
    pub kinds: Vec<ViolationKind>,
    pub entry: String,
}

/// The specification that a violation of this kind violates.
pub fn written(kind: ViolationKind, entry: &str) -> String {
    let formula = FORMULAS.iter().find(|formula| formula.kinds.contains(&kind)).map_or("", |formula| formula.text);
    line(formula, entry)
}

/// The specification that a program satisfies which nothing of what was checked violates.
pub fn all(checks: Checks, entry: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for formula in &FORMULAS {
        let is_checked = |&kind: &ViolationKind| is_checked(checks, kind);
        let text = line(formula.text, entry);
        let is_alone = formula.text != "G valid-memsafety" && formula.text != "G ! call(__VERIFIER_error())";
        if is_alone && formula.kinds.iter().all(is_checked) {
            lines.push(text);
        }
    }
    lines.join(" ")
}

/// The violations that are looked for.
pub fn kinds(checks: Checks) -> Vec<ViolationKind> {
    let all = FORMULAS.iter().flat_map(|formula| formula.kinds).copied();
    all.filter(|&kind| is_checked(checks, kind)).collect()
}

fn is_checked(checks: Checks, kind: ViolationKind) -> bool {
    use norn_verdict::outcome::Treatment;
    match kind {
        Deadlock => checks.deadlock,
        DataRace => checks.data_race,
        Nontermination => checks.termination,
        MemoryLeak => checks.memory_leak,
        kind => checks.treatment(kind) == Treatment::Violation,
    }
}

fn line(formula: &str, entry: &str) -> String {
    format!("CHECK( init({entry}()), LTL({formula}) )")
}

/// Reads a specification: one or several `CHECK( init(main()), LTL(…) )`.
pub fn read(text: &str) -> Result<Specification, String> {
    let packed: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let mut kinds: Vec<ViolationKind> = Vec::new();
    let mut entry: Option<String> = None;
    let mut rest = packed.as_str();
    let wrong = || format!("'{text}' is not of the form CHECK( init(main()), LTL(…) )");
    while !rest.is_empty() {
        let inside = rest.strip_prefix("CHECK(init(").ok_or_else(wrong)?;
        let (start, after) = inside.split_once("()),LTL(").ok_or_else(wrong)?;
        let formula = FORMULAS.iter().find_map(|formula| {
            let packed: String = formula.text.chars().filter(|c| !c.is_whitespace()).collect();
            after.strip_prefix(&packed)?.strip_prefix("))").map(|after| (formula, after))
        });
        let Some((formula, after)) = formula else {
            return Err(format!("'{text}' has a property that Norn does not know"));
        };
        if entry.as_ref().is_some_and(|entry| entry != start) {
            return Err(format!("'{text}' starts in two functions"));
        }
        entry = Some(start.to_owned());
        kinds.extend(formula.kinds);
        rest = after;
    }
    let has = |kind: ViolationKind| kinds.contains(&kind);
    let basic = match () {
        () if has(Misuse) || has(DivisionByZero) => Basic::All,
        () if has(Assertion) || has(ErrorLabel) => Basic::Assertions,
        () if has(ErrorCall) => Basic::ErrorFunctions,
        () => Basic::Nothing,
    };
    let checks = Checks {
        basic,
        deadlock: has(Deadlock),
        data_race: has(DataRace),
        memory_safety: has(OutOfBounds) || has(DoubleFree),
        overflow: has(Overflow),
        termination: has(Nontermination),
        memory_leak: has(MemoryLeak),
    };
    Ok(Specification { checks, kinds, entry: entry.ok_or_else(wrong)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for formula in &FORMULAS {
            for &kind in formula.kinds {
                let read = read(&written(kind, "main")).expect("it should be a specification");
                assert!(read.kinds.contains(&kind) && is_checked(read.checks, kind), "{kind:?}");
                assert_eq!(read.entry, "main");
            }
        }
    }

    #[test]
    fn a_safe_program_satisfies_what_was_checked() {
        let checks = Checks { data_race: true, ..Checks::usual() };
        let read = read(&all(checks, "start")).expect("it should be a specification");
        assert_eq!((read.checks, read.entry.as_str()), (checks, "start"));
    }

    #[test]
    fn what_is_not_known_is_refused() {
        for text in ["", "hello", "CHECK( init(main()), LTL(G bliss) )", "CHECK( init(main()), LTL(G assert)"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
