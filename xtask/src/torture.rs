//! GCC's torture tests (`gcc.c-torture/execute`, from a folder that the user names): each runs to its end, and does not abort. So says
//! the compiled program, and so must Norn: with constants turned into inputs that are pinned, `abort` is never reached, and the end is.
//!
//! What the compiler refuses, or what fails when compiled, is left out; so is a test whose main has parameters.

use crate::norn::root;
use crate::pinned::{ANY, CONCRETE, Pinned, Question, SYMBOLIC, Tally, compiled};
use norn_ir::number::to_usize;
use norn_testing::Random;
use norn_verdict::model::Model;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

pub struct Plan {
    pub folder: PathBuf,
    pub count: usize,
    pub seed: u64,
    pub seconds: f64,
}

impl Plan {
    /// Reads `--dir DIR`, `--count N`, `--seed S` and `--timeout SECONDS`.
    pub fn from_words(words: &[&str]) -> Result<Plan, String> {
        let mut plan = Plan { folder: PathBuf::new(), count: usize::MAX, seed: 1, seconds: 5.0 };
        let mut words = words.iter();
        while let Some(&option) = words.next() {
            let value = words.next().ok_or_else(|| format!("{option} needs a value"))?;
            let number = || value.parse::<u64>().map_err(|_| format!("'{value}' is not a number"));
            match option {
                "--dir" => plan.folder = PathBuf::from(value),
                "--count" => plan.count = to_usize(number()?),
                "--seed" => plan.seed = number()?,
                "--timeout" => plan.seconds = number()? as f64,
                _ => return Err(format!("'{option}' is not an option of torture")),
            }
        }
        if plan.folder.as_os_str().is_empty() {
            return Err("torture needs --dir DIR, a folder with gcc.c-torture/execute".to_owned());
        }
        Ok(plan)
    }
}

/// Names that get another meaning; what the test itself declares has it too.
const BEFORE: &str = "#define main norn_main\n#define abort norn_abort\n#define __builtin_abort norn_abort\n\
    #define exit norn_exit\n#define __builtin_exit norn_exit\nvoid norn_abort(void);\nvoid norn_exit(int);\n";
const AFTER: &str = "\n#undef main\n#undef abort\n#undef exit\n";

/// A test that defines a library function means its own, and one that does what C leaves undefined, such as converting a
/// number to a type that it does not fit in means nothing.
const JUDGE: [&str; 3] = [
    "-fno-builtin",
    "-fsanitize=float-cast-overflow,float-divide-by-zero,integer-divide-by-zero,shift-exponent,bounds,null,return,unreachable",
    "-fno-sanitize-recover=all",
];

/// Left out by name, since no check of the compiler finds it: a null pointer minus a pointer to an object, of which the lower half
/// is expected not to be 0. (The first object of Norn's memory lies at 2^40.)
const WITHOUT_MEANING: [&str; 1] = ["980701-1.c"];

pub fn run(plan: &Plan) -> Result<(), String> {
    let start = Instant::now();
    let listed = fs::read_dir(&plan.folder).map_err(|e| format!("cannot read {}: {e}", plan.folder.display()))?;
    let mut files = listed.flatten().map(|entry| entry.path()).collect::<Vec<_>>();
    files.retain(|path| path.extension().is_some_and(|e| e == "c"));
    files.retain(|path| !WITHOUT_MEANING.iter().any(|name| path.ends_with(name)));
    files.sort();
    let mut random = Random::new(plan.seed);
    while files.len() > plan.count {
        files.swap_remove(random.index(files.len()));
    }
    files.sort();
    let folder = root().join("target").join("torture");
    fs::create_dir_all(&folder).map_err(|e| format!("cannot create {}: {e}", folder.display()))?;
    std::panic::set_hook(Box::new(|_| {}));
    let mut tally = Tally::default();
    let done = norn_c::driver::with_stack(|| {
        for (number, file) in files.iter().enumerate() {
            one(plan, file, number, &folder, &mut tally)?;
            if number % 100 == 99 {
                eprintln!("torture: {} files after {:.0} s", number + 1, start.elapsed().as_secs_f64());
            }
        }
        Ok::<(), String>(())
    });
    let _ = std::panic::take_hook();
    done?;
    tally.report("torture", start)
}

fn one(plan: &Plan, file: &Path, number: usize, folder: &Path, tally: &mut Tally) -> Result<(), String> {
    let bytes = fs::read(file).map_err(|e| format!("cannot read {}: {e}", file.display()))?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let name = folder.join(file.file_stem().unwrap_or_default());
    let fits = !has_parameters(&text) && text.contains("main");
    // With fewer inputs where more are too many: a constant that has to be one.
    for most in [6, 2, 0] {
        let pinned = Pinned::new(&text, most, &mut Random::new(plan.seed.wrapping_add(number as u64)));
        let head = format!("{}{BEFORE}", pinned.declarations());
        let body = format!("{head}{}{AFTER}", pinned.text);
        let judge = format!(
            "{body}void _Exit(int);\nvoid norn_abort(void) {{ _Exit(3); }}\nvoid norn_exit(int s) {{ _Exit(s); }}\n\
             int main(void) {{\n{}  norn_main();\n  return 0;\n}}\n",
            pinned.assigned()
        );
        let judged = JUDGE.map(str::to_owned);
        if !fits || compiled(&judge, &name, &judged)?.is_none() {
            continue;
        }
        tally.programs += 1;
        let ask = |values: &str, fault: bool| {
            let (abort, end) = if fault { ("reach_error();", "") } else { ("", "reach_error();") };
            // Both are the last thing that happens.
            format!(
                "{ANY}{body}void exit(int);\nvoid norn_abort(void) {{ {abort} exit(3); }}\n\
                 void norn_exit(int s) {{ {end} exit(s); }}\nint main(void) {{\n{values}  norn_main();\n  {end}\n  return 0;\n}}\n"
            )
        };
        let (assumed, assigned) = (pinned.assumed(), pinned.assigned());
        let question = |values: &str, fault, engines| Question { text: ask(values, fault), violated: !fault, engines };
        let questions = [
            question(&assumed, true, SYMBOLIC),
            question(&assumed, false, SYMBOLIC),
            question(&assigned, true, CONCRETE),
            question(&assigned, false, CONCRETE),
        ];
        let include = file.parent();
        let model = Model::ALL[number % 3];
        tally.ask(&name, &questions, include, model, plan.seconds);
        return Ok(());
    }
    tally.left_out += 1;
    Ok(())
}

/// Whether main asks for the words of the command line.
fn has_parameters(text: &str) -> bool {
    let mut rest = text;
    while let Some(at) = rest.find("main") {
        let after = rest[at + 4..].trim_start();
        let alone = !rest[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        if let (true, Some(list)) = (alone, after.strip_prefix('(')) {
            let list = list.split(')').next().unwrap_or("").trim();
            return !(list.is_empty() || list == "void");
        }
        rest = &rest[at + 4..];
    }
    true
}
