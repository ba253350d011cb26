//! Property files of SV-COMP (`.prp`): what a task asks, as `CHECK( init(main()), LTL(FORMULA) )`.
//!
//! | formula | what is checked |
//! |---|---|
//! | `G ! call(reach_error())`, `G ! call(__VERIFIER_error())` | error functions; a failed assertion just ends the program |
//! | `G ! data-race` | data races |
//! | `G ! overflow` | signed overflow |
//! | `F end` | every fair execution ends |
//! | `G valid-memsafety`, or `G valid-free` and `G valid-deref`, `G valid-memtrack` | memory safety; leaks |
//!
//! Several lines ask for all of them. Everything else that goes wrong is assumed not to happen. A call of an error
//! function ends the program where nobody asks about it, as it does in the tasks.

use crate::outcome::{Basic, Checks};

/// What a property file asks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Property {
    pub checks: Checks,
    /// The function in which the program starts.
    pub entry: String,
}

/// Reads the text of a property file.
pub fn parse(text: &str) -> Result<Property, String> {
    let mut checks = Checks { basic: Basic::Nothing, ..Checks::default() };
    let mut entry: Option<String> = None;
    let (mut free, mut dereference, mut leaks) = (false, false, false);
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let wrong = || format!("'{line}' is not of the form CHECK( init(main()), LTL(…) )");
        let packed: String = line.chars().filter(|c| !c.is_whitespace()).collect();
        let inside = packed.strip_prefix("CHECK(init(").and_then(|rest| rest.strip_suffix("))")).ok_or_else(wrong)?;
        let (start, formula) = inside.split_once("()),LTL(").ok_or_else(wrong)?;
        if entry.as_ref().is_some_and(|entry| entry != start) {
            return Err(format!("'{line}' starts in another function than the lines before"));
        }
        entry = Some(start.to_owned());
        match formula {
            "G!call(reach_error())" | "G!call(__VERIFIER_error())" => checks.basic = Basic::ErrorFunctions,
            "G!data-race" => checks.data_race = true,
            "G!overflow" => checks.overflow = true,
            "Fend" => checks.termination = true,
            "Gvalid-memsafety" => (free, dereference, leaks) = (true, true, true),
            "Gvalid-free" => free = true,
            "Gvalid-deref" => dereference = true,
            "Gvalid-memtrack" => leaks = true,
            _ => {
                return Err(format!(
                    "'{line}' is not a property that Norn knows: there are G ! call(reach_error()), G ! data-race, \
                     G ! overflow, F end and G valid-memsafety"
                ));
            }
        }
    }
    if free != dereference {
        return Err("valid-free and valid-deref are decided together: ask for both".to_owned());
    }
    (checks.memory_safety, checks.memory_leak) = (free, leaks);
    let entry = entry.ok_or("there is no line CHECK( init(main()), LTL(…) )")?;
    Ok(Property { checks, entry })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checks(formula: &str) -> Checks {
        let property = parse(&format!("CHECK( init(main()), LTL({formula}) )\n")).expect("it should be a property");
        assert_eq!(property.entry, "main");
        property.checks
    }

    #[test]
    fn one_thing_is_asked() {
        let nothing = Checks { basic: Basic::Nothing, ..Checks::default() };
        assert_eq!(checks("G ! call(reach_error())"), Checks { basic: Basic::ErrorFunctions, ..nothing });
        assert_eq!(checks("G ! call(__VERIFIER_error())"), Checks { basic: Basic::ErrorFunctions, ..nothing });
        assert_eq!(checks("G ! data-race"), Checks { data_race: true, ..nothing });
        assert_eq!(checks("G ! overflow"), Checks { overflow: true, ..nothing });
        assert_eq!(checks("F end"), Checks { termination: true, ..nothing });
        assert_eq!(checks("G valid-memsafety"), Checks { memory_safety: true, memory_leak: true, ..nothing });
    }

    #[test]
    fn the_parts_of_memory_safety_belong_together() {
        let line = |formula: &str| format!("CHECK( init(main()), LTL(G {formula}) )\n");
        let all = line("valid-free") + &line("valid-deref") + "\n" + &line("valid-memtrack");
        let property = parse(&all).expect("it should be a property");
        assert!(property.checks.memory_safety && property.checks.memory_leak);
        let two = parse(&(line("valid-free") + &line("valid-deref"))).expect("it should be a property");
        assert!(two.checks.memory_safety && !two.checks.memory_leak);
        assert!(parse(&line("valid-free")).is_err_and(|reason| reason.contains("both")));
    }

    #[test]
    fn what_is_not_known_is_told() {
        let refused = |text: &str, part: &str| {
            let reason = parse(text).expect_err("it should be refused");
            assert!(reason.contains(part), "{reason}");
        };
        refused("", "no line");
        refused("hello", "'hello'");
        refused("CHECK( init(main()), LTL(F always) )", "F always");
        refused("CHECK( init(main()), LTL(G ! call(other())) )", "other");
        refused("CHECK( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )", "form");
        let two = "CHECK( init(a()), LTL(G ! overflow) )\nCHECK( init(b()), LTL(G ! overflow) )";
        refused(two, "another function");
    }
}
