//! Questions about a program whose answers its runs tell.

use super::oracle::Run;
use super::print::{self, For};
use super::tree::{Program, TYPES};
use norn_testing::Random;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// A program with a claim in it.
pub struct Question {
    pub text: String,
    /// Whether some execution violates the claim.
    pub violated: bool,
    pub what: &'static str,
}

/// Runs that one question is about.
const MANY: usize = 24;

/// Some of each kind that has a known answer.
pub fn questions(program: &Program, runs: &[Run], random: &mut Random) -> Vec<Question> {
    let mut all = Vec::new();
    let exact = program.all_inputs().is_some();
    let ended = runs.iter().filter(|run| run.ended).collect::<Vec<_>>();
    // Rare outcomes first: they are the ways that are easily lost.
    let mut outcomes: BTreeMap<&[i64], Vec<&Run>> = BTreeMap::new();
    for run in &ended {
        outcomes.entry(&run.values).or_default().push(run);
    }
    let mut ordered = outcomes.iter().collect::<Vec<_>>();
    ordered.sort_by_key(|(_, runs)| runs.len());
    let take = |from: usize, random: &mut Random| match from {
        0 => None,
        n => Some(random.index(n)),
    };
    let ask = |what, claim: String, violated| Question { text: text(program, &claim, None), violated, what };
    // An outcome of given inputs, and nothing else for them.
    let rare = ordered.first().copied();
    let other = take(ordered.len(), random).map(|i| ordered[i]);
    for (values, runs) in rare.into_iter().chain(other) {
        let run = runs[random.index(runs.len())];
        let (same, outcome) = (same_inputs(program, &run.inputs), is_outcome(program, values));
        all.push(ask("these inputs give this", format!("{same} && {outcome}"), true));
        all.push(ask("these inputs give nothing else", format!("{same} && !{outcome}"), false));
    }
    // The same for many inputs at once. An engine that has one of them wrong claims what does not replay.
    let several = ordered.iter().take(MANY).map(|(values, runs)| {
        let run = runs[runs.len() / 2];
        format!("({} && !{})", same_inputs(program, &run.inputs), is_outcome(program, values))
    });
    let several = several.collect::<Vec<_>>();
    if several.len() > 1 {
        all.push(ask("many inputs give nothing else", several.join(" || "), false));
    }
    if let Some((values, _)) = take(ordered.len(), random).map(|i| ordered[i]) {
        all.push(ask("some inputs give this", is_outcome(program, values), true));
    }
    if let Some(run) = runs.iter().find(|run| !run.ended) {
        all.push(ask("these inputs end nowhere", same_inputs(program, &run.inputs), false));
    }
    // Points on the way.
    let passed = runs.iter().fold(0, |all, run| all | run.probes);
    for number in (0..32).filter(|n| passed >> n & 1 == 1).take(3) {
        let (yes, no) = runs.iter().partition::<Vec<_>, _>(|run| run.probes >> number & 1 == 1);
        for (runs, violated) in [(yes, true), (no, false)] {
            if let Some(at) = take(runs.len(), random) {
                let text = text(program, "0", Some((number, &same_inputs(program, &runs[at].inputs))));
                all.push(Question { text, violated, what: "these inputs pass here" });
            }
        }
    }
    if exact && !ordered.is_empty() {
        if ordered.len() <= 12 {
            let any = ordered.iter().map(|(values, _)| is_outcome(program, values)).collect::<Vec<_>>().join(" || ");
            all.push(ask("nothing but these outcomes", format!("!({any})"), false));
        }
        let observed = print::observed(program);
        let index = random.index(observed.len());
        let name = observed[index].as_str();
        let values = ended.iter().map(|run| run.values[index]).collect::<BTreeSet<_>>();
        if values.len() <= 24 {
            let any = values.iter().map(|v| is_value(name, *v)).collect::<Vec<_>>().join(" || ");
            all.push(ask("one variable has nothing but these values", format!("!({any})"), false));
        }
        let absent = values.iter().map(|v| v.wrapping_add(1)).find(|v| !values.contains(v));
        if let Some(absent) = absent {
            all.push(ask("one variable never has this value", is_value(name, absent), false));
        }
        for number in (0..32).filter(|n| passed >> n & 1 == 0) {
            let question = text(program, "0", Some((number, "1")));
            // Only if there is such a probe.
            if question.contains("if (1) reach_error") {
                all.push(Question { text: question, violated: false, what: "nothing passes here" });
                break;
            }
        }
    }
    all
}

fn same_inputs(program: &Program, values: &[i64]) -> String {
    let each = program.inputs.iter().zip(values).enumerate().map(|(number, (input, value))| {
        let same = format!("@in{number} == ({}){}", input.ctype, print::number(*value));
        if input.late { format!("(!@read{number} || {same})") } else { same }
    });
    format!("({})", each.collect::<Vec<_>>().join(" && "))
}

fn is_outcome(program: &Program, values: &[i64]) -> String {
    let each = print::observed(program).into_iter().zip(values).map(|(name, value)| is_value(&name, *value));
    format!("({})", each.collect::<Vec<_>>().join(" && "))
}

fn is_value(name: &str, value: i64) -> String {
    format!("(long){name} == {}", print::number(value))
}

/// The program for Norn; the violation is that the claim holds at the end, or at a probe.
fn text(program: &Program, claim: &str, probe: Option<(usize, &str)>) -> String {
    let mut text = "extern void reach_error(void);\nextern void __VERIFIER_assume(int);\n".to_owned();
    for (ctype, ..) in TYPES {
        if program.inputs.iter().any(|input| input.ctype == ctype || (input.bits && ctype == "_Bool")) {
            let _ = writeln!(text, "extern {ctype} {}(void);", nondet(ctype));
        }
    }
    for (number, input) in program.inputs.iter().enumerate().filter(|(_, input)| input.late) {
        let _ = writeln!(text, "#define next{number} {}", nondet(input.ctype));
    }
    text += "static long result;\n";
    text += &print::declarations(program, For::Norn(probe));
    text += "int main(void) {\n";
    for (number, input) in program.inputs.iter().enumerate().filter(|(_, input)| !input.late) {
        match input.range {
            Some((low, high)) if input.bits => {
                let bits = (0..(high - low + 1).ilog2()).map(|bit| format!(" + (__VERIFIER_nondet_bool() << {bit})"));
                let _ = writeln!(text, "  in{number} = {}{};", print::number(low), bits.collect::<String>());
            }
            Some((low, high)) => {
                let (low, high) = (print::number(low), print::number(high));
                let _ = writeln!(text, "  in{number} = {}();", nondet(input.ctype));
                let _ = writeln!(text, "  __VERIFIER_assume(in{number} >= {low} && in{number} <= {high});");
            }
            None => {
                let _ = writeln!(text, "  in{number} = {}();", nondet(input.ctype));
            }
        }
    }
    let _ = writeln!(text, "  result = f{}();", program.functions.len() - 1);
    let _ = writeln!(text, "  if ({claim}) reach_error();\n  return 0;\n}}");
    text.replace('@', "")
}

fn nondet(ctype: &str) -> &'static str {
    match ctype {
        "_Bool" => "__VERIFIER_nondet_bool",
        "char" => "__VERIFIER_nondet_char",
        "unsigned char" => "__VERIFIER_nondet_uchar",
        "short" => "__VERIFIER_nondet_short",
        "unsigned short" => "__VERIFIER_nondet_ushort",
        "int" => "__VERIFIER_nondet_int",
        "unsigned" => "__VERIFIER_nondet_uint",
        "long" => "__VERIFIER_nondet_long",
        "unsigned long" => "__VERIFIER_nondet_ulong",
        _ => "__VERIFIER_nondet_longlong",
    }
}
