//! What is mutated, and the command that is to read it.

use super::mutate::{NUMBERS, mutate};
use super::process::Runner;
use crate::corpus;
use crate::norn::root;
use norn_c::driver;
use norn_ir::source::SourceMap;
use norn_testing::Random;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// Larger files would take most of the time.
const LARGEST: u64 = 40 << 10;
/// Of each folder of the corpus at most so many files, evenly spread.
const FROM_FOLDER: usize = 300;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    C,
    Preprocessed,
    Litmus,
    Schedule,
    Table,
    Property,
    Options,
}

impl Kind {
    const ALL: [Kind; 7] =
        [Kind::C, Kind::Preprocessed, Kind::Litmus, Kind::Schedule, Kind::Table, Kind::Property, Kind::Options];

    pub fn name(self) -> &'static str {
        match self {
            Kind::C => "c",
            Kind::Preprocessed => "i",
            Kind::Litmus => "litmus",
            Kind::Schedule => "schedule",
            Kind::Table => "table",
            Kind::Property => "property",
            Kind::Options => "options",
        }
    }

    pub fn named(name: &str) -> Result<Kind, String> {
        let names = Kind::ALL.map(Kind::name).join(", ");
        Kind::ALL.into_iter().find(|kind| kind.name() == name).ok_or(format!("there is no kind '{name}' ({names})"))
    }
}

/// Files, and the command that reads them.
#[derive(Clone, Debug)]
pub struct Input {
    pub kind: Kind,
    /// The first is the one to make smaller.
    pub files: Vec<(String, Vec<u8>)>,
    pub args: Vec<String>,
    /// How long the command may take, by its own options.
    pub time: Duration,
}

/// Texts to begin with.
pub struct Seeds {
    c: Vec<Vec<u8>>,
    preprocessed: Vec<Vec<u8>>,
    litmus: Vec<Vec<u8>>,
    /// Schedules, each with its program.
    schedules: Vec<(Vec<u8>, Vec<u8>)>,
    has_properties: bool,
}

const TIMEOUT: &str = "0.3";
const TIMEOUT_MS: u64 = 300;
const MEMORY: &str = "600";

/// A program with every kind of loop and thread that options speak about.
const SMALL: &str = "#include <assert.h>\n#include <pthread.h>\nint x, y;\nvoid *f(void *a) {\n  for (int i = 0; i < 2; i++) x++;\n  y = 1;\n  \
                     return a;\n}\nint main(void) {\n  pthread_t t;\n  pthread_create(&t, 0, f, 0);\n  while (x > 1) x--;\n  pthread_join(t, 0);\n  \
                     assert(y == 1);\n}\n";
const TABLE: &str =
    "test\tsc\ttso\tpso\na\tForbid\tAllow\tAllow\nb\tAllow\tAllow\tForbid\n\nSB+lwsyncs\tForbid\tForbid\tForbid\n";
const LITMUS: &str = "X86 a\n{ x=0; y=0; }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)\n";
const PROPERTY: &str = "CHECK( init(main()), LTL(G ! call(reach_error())) )\n";

impl Seeds {
    pub fn gather(runner: &mut Runner) -> Result<Seeds, String> {
        let mut seeds = Seeds {
            c: vec![SMALL.as_bytes().to_vec()],
            preprocessed: Vec::new(),
            litmus: vec![LITMUS.as_bytes().to_vec()],
            schedules: Vec::new(),
            has_properties: runner.help("check").contains("--property"),
        };
        seeds.collect(&root().join("examples"), usize::MAX);
        seeds.collect(&root().join("crates"), usize::MAX);
        if let Some(corpus) = corpus::folder() {
            let mut folders =
                fs::read_dir(&corpus).map_err(|e| e.to_string())?.flatten().map(|e| e.path()).collect::<Vec<_>>();
            folders.sort();
            folders.iter().for_each(|folder| seeds.collect(folder, FROM_FOLDER));
        }
        if seeds.preprocessed.is_empty() {
            let own = "# 1 \"a.c\"\n# 1 \"<built-in>\"\ntypedef unsigned long size_t;\nint x;\nint main(void) { return x; }\n";
            seeds.preprocessed.push(own.as_bytes().to_vec());
        }
        for program in seeds.c.iter().take(60) {
            if let Some(schedule) = runner.schedule_of(program)? {
                seeds.schedules.push((schedule, program.clone()));
            }
        }
        Ok(seeds)
    }

    pub fn summary(&self) -> String {
        let Seeds { c, preprocessed, litmus, schedules, .. } = self;
        let counts = (c.len(), preprocessed.len(), litmus.len(), schedules.len());
        format!(
            "from {} C files, {} preprocessed ones, {} litmus tests, {} schedules",
            counts.0, counts.1, counts.2, counts.3
        )
    }

    /// The files of a folder and those in it, in the order of their names.
    fn collect(&mut self, folder: &Path, most: usize) {
        let mut pending = vec![folder.to_owned()];
        let mut paths = Vec::new();
        while let Some(folder) = pending.pop() {
            for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
                if path.is_dir() && !path.is_symlink() {
                    pending.push(path);
                } else if path.metadata().is_ok_and(|m| m.len() <= LARGEST) {
                    paths.push(path);
                }
            }
        }
        let wanted = |path: &Path| path.extension().is_some_and(|e| e == "c" || e == "i" || e == "litmus");
        paths.retain(|path| wanted(path));
        paths.sort();
        let step = paths.len().div_ceil(most).max(1);
        for (number, path) in paths.into_iter().step_by(step).enumerate() {
            let Ok(text) = fs::read(&path) else { continue };
            // Of what is refused as it is, a few are enough.
            if number % 30 != 0 && !is_accepted(&path, &text) {
                continue;
            }
            match path.extension().and_then(|e| e.to_str()) {
                Some("litmus") => self.litmus.push(text),
                Some("i") => self.preprocessed.push(text),
                _ if text.starts_with(b"# 1 ") || contains(&text, b"\n# 1 ") => self.preprocessed.push(text),
                _ => self.c.push(text),
            }
        }
    }

    /// The input of a random number.
    pub fn input(&self, kind: Option<Kind>, random: &mut Random) -> Input {
        let kind = kind.unwrap_or_else(|| match random.index(20) {
            0..=8 => Kind::C,
            9..=11 => Kind::Preprocessed,
            12..=14 => Kind::Litmus,
            15 | 16 => Kind::Schedule,
            17 => Kind::Table,
            18 if self.has_properties => Kind::Property,
            _ => Kind::Options,
        });
        match kind {
            Kind::C => c_input(kind, "a.c", &mutated(&self.c, random), random),
            Kind::Preprocessed => c_input(kind, "a.i", &mutated(&self.preprocessed, random), random),
            Kind::Litmus => litmus_input(mutated(&self.litmus, random), random),
            Kind::Schedule if self.schedules.is_empty() => self.input(Some(Kind::C), random),
            Kind::Schedule => {
                let (schedule, program) = &self.schedules[random.index(self.schedules.len())];
                let (other, _) = &self.schedules[random.index(self.schedules.len())];
                let files = vec![
                    ("a.schedule".to_owned(), mutate(schedule, other, random)),
                    ("a.c".to_owned(), program.clone()),
                ];
                input(kind, files, &["run", "--timeout", TIMEOUT, "--schedule", "a.schedule", "a.c"])
            }
            Kind::Table => {
                let files = vec![
                    ("a.tsv".to_owned(), mutate(TABLE.as_bytes(), TABLE.as_bytes(), random)),
                    ("a.litmus".to_owned(), LITMUS.as_bytes().to_vec()),
                ];
                input(kind, files, &["litmus", "-j", "1", "--timeout", TIMEOUT, "--expect", "a.tsv", "a.litmus"])
            }
            Kind::Property => {
                let files = vec![
                    ("a.prp".to_owned(), mutate(PROPERTY.as_bytes(), SMALL.as_bytes(), random)),
                    ("a.c".to_owned(), SMALL.as_bytes().to_vec()),
                ];
                let limits = ["--timeout", TIMEOUT, "--memory", MEMORY];
                input(kind, files, &[&["check", "--property", "a.prp", "a.c"], &limits[..]].concat())
            }
            Kind::Options => options_input(random),
        }
    }
}

/// Whether Norn reads a text without complaint.
fn is_accepted(path: &Path, text: &[u8]) -> bool {
    let name = path.display().to_string();
    let text = String::from_utf8_lossy(text).into_owned();
    if name.ends_with(".litmus") {
        return norn_litmus::parse(&mut SourceMap::new(), &name, text).is_ok();
    }
    let input = driver::Input::Text { name, text };
    driver::compile(norn_c::session::Options::default(), None, vec![input]).program.is_some()
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

fn mutated(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let text = &seeds[random.index(seeds.len())];
    let other = &seeds[random.index(seeds.len())];
    mutate(text, other, random)
}

fn input(kind: Kind, files: Vec<(String, Vec<u8>)>, args: &[&str]) -> Input {
    let args = args.iter().map(|&word| word.to_owned()).collect();
    Input { kind, files, args, time: Duration::from_millis(TIMEOUT_MS) }
}

const ENGINES: [&str; 5] = ["states", "stateless", "events", "rounds", "enumerate"];
const MODELS: [&str; 3] = ["sc", "tso", "pso"];

fn c_input(kind: Kind, name: &str, text: &[u8], random: &mut Random) -> Input {
    let model = random.pick(&MODELS);
    let limits = ["--timeout", TIMEOUT, "--memory", MEMORY];
    let mut args = Vec::new();
    match random.index(16) {
        0 | 1 => args.extend(["ir"]),
        2 => args.extend(["run", "-m", model, "--timeout", TIMEOUT]),
        3 => args.extend([&["robust", "-m", random.pick(&MODELS[1..])], &limits[..]].concat()),
        4 | 5 => {
            let reader = random.pick(&["cbmc", "svcomp", "norn", "cc"]);
            args.extend([&["sequentialize", "-m", model, "--for", reader], &limits[..]].concat());
        }
        way => {
            args.extend([&["check", "-m", model], &limits[..]].concat());
            if way >= 12 {
                args.extend(["-e", random.pick(&ENGINES)]);
            }
            let more = ["--deadlock", "--data-race", "--overflow", "--memory-safety", "--json"];
            if random.one_in(4) {
                args.push(random.pick(&more));
            }
            if random.one_in(3) {
                args.extend(["--unwind", "2"]);
            }
        }
    }
    if random.one_in(12) {
        args.push("--32");
    }
    args.push(name);
    input(kind, vec![(name.to_owned(), text.to_vec())], &args)
}

fn litmus_input(text: Vec<u8>, random: &mut Random) -> Input {
    let mut args = vec!["litmus", "-j", "1", "--timeout", TIMEOUT, "-m", random.pick(&MODELS)];
    match random.index(8) {
        0 => args.push("--states"),
        1 | 2 => args.extend(["-e", random.pick(&ENGINES)]),
        3 => args = vec!["sequentialize", "--timeout", TIMEOUT, "--memory", MEMORY, "-m", random.pick(&MODELS)],
        _ => {}
    }
    args.push("a.litmus");
    input(Kind::Litmus, vec![("a.litmus".to_owned(), text)], &args)
}

/// Options with values from the ends of their ranges, and things that are no options.
fn options_input(random: &mut Random) -> Input {
    const VALUED: &[(&str, &[&str])] = &[
        (
            "check",
            &[
                "--unwind",
                "--rounds",
                "--bits",
                "--executions",
                "--thread-order",
                "-m",
                "-e",
                "--entry",
                "-D",
                "-U",
                "-I",
                "-include",
                "--encoding",
            ],
        ),
        ("robust", &["--unwind", "--executions", "-m", "--entry"]),
        ("run", &["--seed", "--max-steps", "-m", "--schedule", "--entry"]),
        ("litmus", &["-m", "-e", "--rounds", "--bits", "--expect"]),
        (
            "sequentialize",
            &[
                "--unwind",
                "--rounds",
                "--timestamps",
                "--nodes",
                "--locations",
                "--mallocs",
                "--bits",
                "--sma",
                "--for",
                "-m",
            ],
        ),
        ("ir", &["-D", "-U", "-I", "-include", "--entry"]),
    ];
    const FLAGS: &[&str] = &[
        "--deadlock",
        "--data-race",
        "--overflow",
        "--memory-safety",
        "--json",
        "--stats",
        "--shortest",
        "--certify",
        "--cross-check",
        "--show-loops",
        "--require-proof",
        "--32",
        "--64",
        "--states",
        "--trace",
        "--system-headers",
        "--undefined-as-nondet",
        "--no-such",
        "-",
        "--",
    ];
    const WORDS: &[&str] = &[
        "",
        "sc",
        "tso,pso",
        "sc,sc,tso",
        "events",
        "rounds",
        "auto",
        "a.c",
        "a.c:5=2",
        "a.c:5=4294967295",
        ":=",
        "f",
        "main",
        "x=1",
        "x(y)=y y",
        "a.litmus",
        "/dev/null",
        ".",
        "@a.c",
        "\u{1b}[2J",
        "1,2,0",
        "list",
        "buffer",
        "cc",
    ];
    let (command, valued) = VALUED[random.index(VALUED.len())];
    let mut args = vec![command];
    for _ in 0..=random.index(4) {
        if random.one_in(3) {
            args.push(random.pick(FLAGS));
        } else {
            args.push(random.pick(valued));
            args.push(if random.one_in(2) { random.pick(NUMBERS) } else { random.pick(WORDS) });
        }
    }
    // One model, or the time limit would count three times.
    let models = args.iter().filter(|word| word.contains(',')).count() as u64;
    if command != "ir" {
        args.extend(["--timeout", TIMEOUT]);
    }
    if !["ir", "run", "litmus"].contains(&command) {
        args.extend(["--memory", MEMORY]);
    }
    args.push(if command == "litmus" { "a.litmus" } else { "a.c" });
    let files =
        vec![("a.c".to_owned(), SMALL.as_bytes().to_vec()), ("a.litmus".to_owned(), LITMUS.as_bytes().to_vec())];
    let made = input(Kind::Options, files, &args);
    Input { time: made.time * (1 + 2 * u32::try_from(models).unwrap_or(1)), ..made }
}
