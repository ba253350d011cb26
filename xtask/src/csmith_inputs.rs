//! csmith's programs with constants turned into inputs that are pinned: the engines must find the values that the compiled
//! program prints, and no others. What csmith would put into a checksum is compared value by value, which solvers like better.

use crate::csmith::{Plan, generate_small, installed};
use crate::norn::root;
use crate::pinned::{ANY, CONCRETE, Pinned, Question, SYMBOLIC, Tally, compiled};
use norn_ir::number::to_usize;
use norn_testing::Random;
use norn_verdict::model::Model;
use std::fs;
use std::path::Path;
use std::time::Instant;

pub fn run(plan: &Plan) -> Result<(), String> {
    let Some(headers) = installed()? else { return Ok(()) };
    let start = Instant::now();
    let folder = root().join("target").join("csmith-inputs");
    fs::create_dir_all(&folder).map_err(|e| format!("cannot create {}: {e}", folder.display()))?;
    std::panic::set_hook(Box::new(|_| {}));
    let mut tally = Tally::default();
    let done = norn_c::driver::with_stack(|| {
        for seed in plan.seed..plan.seed.saturating_add(plan.count) {
            one(plan, seed, &folder, &headers, &mut tally)?;
        }
        Ok::<(), String>(())
    });
    let _ = std::panic::take_hook();
    done?;
    tally.report("csmith --inputs", start)
}

fn one(plan: &Plan, seed: u64, folder: &Path, headers: &Path, tally: &mut Tally) -> Result<(), String> {
    let name = folder.join(seed.to_string());
    let text = generate_small(folder, seed)?;
    let include = "#include \"csmith.h\"";
    let Some((_, after)) = text.split_once(include) else { return Err("csmith should include its header".to_owned()) };
    let pinned = Pinned::new(after, 1 + to_usize(seed) % 6, &mut Random::new(seed));
    let whole = |observe: &str, values: &str| {
        let text = pinned.text.replacen("int main (void)\n{", &format!("int main (void)\n{{\n{values}"), 1);
        format!(
            "{include}\n{}static void norn_observe(unsigned long long v, char *name, int flag) {{ {observe} }}\n\
             #define transparent_crc norn_observe\n#define crc32_gentab() ((void)0)\n{text}",
            pinned.declarations()
        )
    };
    let options = ["-I".to_owned(), headers.display().to_string()];
    let printing = whole("printf(\"observed %llu\\n\", v);", &pinned.assigned());
    let Some(printed) = compiled(&printing, &name, &options)? else {
        tally.left_out += 1;
        return Ok(());
    };
    let seen = printed.lines().filter_map(|line| line.strip_prefix("observed ")).map(str::to_owned).collect::<Vec<_>>();
    if seen.is_empty() {
        tally.left_out += 1;
        return Ok(());
    }
    tally.programs += 1;
    let ask = |expected: &[String], values: &str| {
        let list = expected.iter().map(|value| format!("{value}ULL")).collect::<Vec<_>>().join(", ");
        let observe = "if (v != norn_expected[norn_at]) reach_error(); norn_at++;";
        format!(
            "{ANY}static const unsigned long long norn_expected[] = {{ {list} }};\nstatic int norn_at;\n{}",
            whole(observe, values)
        )
    };
    let mut other = seen.clone();
    let at = Random::new(seed ^ 77).index(seen.len());
    other[at] = seen[at].parse::<u64>().map_or(0, |value| value ^ 1).to_string();
    let question = |expected: &[String], values: &str, violated, engines| Question {
        text: ask(expected, values),
        violated,
        engines,
    };
    let questions = [
        question(&seen, &pinned.assumed(), false, SYMBOLIC),
        question(&other, &pinned.assumed(), true, SYMBOLIC),
        question(&seen, &pinned.assigned(), false, CONCRETE),
        question(&other, &pinned.assigned(), true, CONCRETE),
    ];
    let model = Model::ALL[to_usize(seed) % 3];
    tally.ask(&name, &questions, Some(headers), model, plan.timeout.as_secs_f64());
    Ok(())
}
