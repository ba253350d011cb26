//! The whole text: what the tool needs, the objects, the shared memory abstraction, the threads, the driver.

use crate::cells::Cells;
use crate::declare::{self, Declarations};
use crate::expr;
use crate::objects::Objects;
use crate::prepare::Prepared;
use crate::regions::Regions;
use crate::shared::Shared;
use crate::sma::{Memory, bits_of};
use crate::template::{expand, mentions};
use crate::text::{put, quoted};
use crate::thread::{self, Context, Written};
use crate::{Options, Part, Refusal, Sequential, Sma, Tool};
use norn_ir::ids::FuncId;
use norn_ir::number::narrow;
use norn_ir::program::Program;
use norn_ir::visible::visible;
use norn_passes::threads::ThreadId;
use norn_passes::unwind::Bounds;
use norn_verdict::model::Model;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

const TYPES: &str = include_str!("../templates/types.h");
const CBMC: &str = include_str!("../templates/cbmc.h");
const ESBMC: &str = include_str!("../templates/esbmc.h");
const SVCOMP: &str = include_str!("../templates/svcomp.h");
const VERIFIER: &str = include_str!("../templates/verifier.h");
const UNSUPPORTED: &str = include_str!("../templates/unsupported.h");
const UNSUPPORTED_NORN: &str = include_str!("../templates/unsupported_norn.h");
const CC: &str = include_str!("../templates/cc.h");
const CC_MAIN: &str = include_str!("../templates/cc_main.c");
const ARITHMETIC: &str = include_str!("../templates/arithmetic.c");
const MALLOC: &str = include_str!("../templates/malloc.c");
const MALLOC_CC: &str = include_str!("../templates/malloc_cc.c");

/// Blocks of threads that are worth another worker.
const WORTH_SHARING: usize = 500;

/// Words of 8 bytes that allocated memory has in the program that runs.
const HEAP_WORDS: u64 = 4096;

pub fn write(prepared: &Prepared, bounds: &Bounds, options: &Options) -> Result<Sequential, Refusal> {
    let regions = prepared.started().into_iter().map(|id| (id, Regions::new(prepared, id)));
    let regions: FxHashMap<FuncId, Regions> = regions.collect();
    let shared = Shared::new(prepared, &regions, options.model);
    let uses_list = options.model != Model::Sc && options.sma == Sma::List;
    let cells = if uses_list { Some(Cells::new(prepared, &shared)?) } else { None };
    let cells = cells.as_ref();
    let results = prepared.results;
    let files = prepared.program().files.iter().map(|file| quoted(file)).collect();
    let context = Context { prepared, shared: &shared, cells, options, files, regions, results };
    let objects = Objects::new(prepared, &shared, cells, options);
    let functions = write_threads(&context, &objects)?;
    let threads = by_thread(&functions);
    let mentions = threads.iter().zip(0..);
    let mentions = mentions.flat_map(|(thread, number)| thread.of.mentions.iter().map(move |&object| (number, object)));
    let declarations = declare::declare(&objects, mentions)?;
    let names = &objects.thread_names;
    let file = File { prepared, bounds, options, declarations, names, threads, results, cells };
    let (parts, unwind) = file.parts();
    Ok(Sequential { parts, functions, unwind })
}

/// The threads whose functions have one text. What a thread creates differs from copy to copy, and so may what the list
/// SMA tracks of allocated objects if it does not track all.
fn alike(prepared: &Prepared, options: &Options) -> Vec<Vec<usize>> {
    let threads = &prepared.threads;
    let start = |thread: ThreadId| threads[thread.0 as usize].start;
    let creators: Vec<FuncId> = threads.iter().filter_map(|thread| Some(start(thread.creator?.0))).collect();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (number, thread) in threads.iter().enumerate() {
        let is_copied = number > 0 && options.mallocs.is_none() && !creators.contains(&thread.start);
        let known =
            groups.iter_mut().find(|group| is_copied && group[0] > 0 && threads[group[0]].start == thread.start);
        match known {
            Some(group) => group.push(number),
            None => groups.push(vec![number]),
        }
    }
    groups
}

/// The functions of the threads. They do not depend on each other.
fn write_threads(context: &Context<'_>, objects: &Objects<'_>) -> Result<Vec<Written>, Refusal> {
    let prepared = context.prepared;
    let groups = alike(prepared, context.options);
    let write = |group: &Vec<usize>| thread::write(context, objects, group);
    let lengths = groups.iter().map(|group| prepared.function(prepared.threads[group[0]].start).order.len());
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(groups.len());
    if workers == 1 || lengths.sum::<usize>() < WORTH_SHARING {
        return groups.iter().map(write).collect();
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let taken = std::iter::from_fn(|| groups.get(next.fetch_add(1, Relaxed)));
        taken.map(|group| (group[0], write(group))).collect::<Vec<_>>()
    };
    let mut written = std::thread::scope(|scope| {
        let others: Vec<_> = (1..workers).map(|_| scope.spawn(work)).collect();
        let mut written = work();
        for other in others {
            written.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        written
    });
    written.sort_unstable_by_key(|&(thread, _)| thread);
    written.into_iter().map(|(_, thread)| thread).collect()
}

/// The function of a thread.
struct ThreadText<'w> {
    of: &'w Written,
    /// Its place among all.
    place: usize,
    /// Which of its copies.
    copy: usize,
}

fn by_thread(functions: &[Written]) -> Vec<ThreadText<'_>> {
    let all = functions.iter().enumerate().flat_map(|(place, of)| {
        let copies = 0..of.copies.threads.len();
        copies.map(move |copy| ThreadText { of, place, copy })
    });
    let mut threads: Vec<ThreadText<'_>> = all.collect();
    threads.sort_unstable_by_key(|thread| thread.of.copies.threads[thread.copy]);
    threads
}

struct File<'p> {
    prepared: &'p Prepared,
    bounds: &'p Bounds,
    options: &'p Options,
    declarations: Declarations<'p, 'p>,
    names: &'p [Arc<str>],
    /// By thread.
    threads: Vec<ThreadText<'p>>,
    results: bool,
    cells: Option<&'p Cells>,
}

impl File<'_> {
    fn program(&self) -> &Program {
        self.prepared.program()
    }

    /// The parts of the text, and how often its loops are followed at most.
    fn parts(&self) -> (Vec<Part>, u64) {
        let bodies: String = self.threads.iter().map(|thread| &*thread.of.calls).collect();
        let stubs = stubs(&bodies);
        let memory = self.memory().text(&format!("{bodies} {stubs} sma_init"));
        let arithmetic = expand(ARITHMETIC, &[], &format!("{bodies} {memory}"));
        let unwind = self.longest_loop(!arithmetic.is_empty());
        let sections = [
            self.head(unwind),
            self.tool(&bodies),
            self.parameters(),
            self.objects(),
            self.control(),
            arithmetic,
            self.malloc(&bodies),
            memory,
            stubs,
        ];
        let mut text = String::new();
        for section in sections.iter().filter(|section| !section.is_empty()) {
            text.extend([section.trim_end(), "\n\n"]);
        }
        let mut lines = lines_of(&text);
        let mut parts = Vec::new();
        for ((name, thread), number) in self.names.iter().zip(&self.threads).zip(0..) {
            put(&mut text, format_args!("/* Thread {number}. */\nstatic void {name}(void)\n{{\n"));
            parts.extend([Part::Text(text), Part::Thread(thread.place, thread.copy)]);
            // Lines are those of this file again.
            lines += 3 + lines_of(&thread.of.declarations) + thread.of.lines + 3;
            text = format!("}}\n\n#line {} {}\n", lines + 1, quoted(&self.options.output));
        }
        text.push_str(&self.driver());
        parts.push(Part::Text(text));
        (parts, unwind)
    }

    /// How often the loops of the text are followed, at most.
    fn longest_loop(&self, has_arithmetic: bool) -> u64 {
        const BITS: u64 = 64;
        let largest = self.threads.iter().map(|thread| thread.of.largest).max().unwrap_or(0);
        let loops = [u64::from(self.options.rounds), self.memory().longest_loop(), largest];
        loops.into_iter().chain(has_arithmetic.then_some(BITS)).max().unwrap_or(1)
    }

    fn memory(&self) -> Memory<'_> {
        Memory {
            options: self.options,
            locations: &self.declarations.locations,
            cells: self.cells,
            threads: narrow(self.threads.len()),
            stores: self.threads.iter().map(|thread| thread.of.stores).max().unwrap_or(0),
            all_stores: self.threads.iter().map(|thread| thread.of.stores).sum(),
            target: self.program().target,
        }
    }

    fn head(&self, unwind: u64) -> String {
        let Options { model, sma, tool, rounds, .. } = self.options;
        let model = match (model, sma) {
            (Model::Sc, _) => "sequential consistency",
            (Model::Tso, Sma::Buffer) => "TSO, by explicit store buffers",
            (Model::Tso, Sma::List) => "TSO, by temporal lists of writes",
            (Model::Pso, Sma::Buffer) => "PSO, by explicit store buffers",
            (Model::Pso, Sma::List) => "PSO, by temporal lists of writes",
        };
        let bits = if self.program().target.pointer_size() == 4 { " -m32" } else { "" };
        let verifier_bits = if self.program().target.pointer_size() == 4 { " --32" } else { " --64" };
        let norn_bits = if self.program().target.pointer_size() == 4 { " --32" } else { "" };
        let out = &in_comment(&self.options.output);
        let how = match tool {
            Tool::Cbmc => format!("cbmc{verifier_bits} {out}"),
            Tool::Esbmc => format!("esbmc{verifier_bits} {out}"),
            Tool::Svcomp => {
                "any verifier of SV-COMP's conventions, for the property that reach_error is not called".to_owned()
            }
            Tool::Norn => format!("norn check -e events --unwind {unwind}{norn_bits} {out}"),
            Tool::Cc => format!("cc{bits} {out} -o program; ./program --search > choices; ./program choices"),
        };
        let mut head = format!(
            "/*\n * {}, sequentialized by Norn.\n *\n * A sequential program that does what a program with {} threads can do, made by lazy sequentialization.\n \
             * Memory model: {model}.\n * Bounds: {rounds} rounds; loops followed {} times per entry (those of the library {}){}.\n \
             * Run it: {how}\n *\n",
            in_comment(&self.options.source),
            self.threads.len(),
            self.bounds.default,
            self.bounds.library,
            self.memory().bounds(),
        );
        head.push_str(
            " * Each thread is a function with labels before its visible statements. J(A, B) hops from label A to B if the\n \
             * thread was left behind A in an earlier round or is to be left before it in this one; G(L) gives up guesses of\n \
             * the next context switch that control has jumped over. Variables that outlast a round are static.\n",
        );
        for at in &self.bounds.at {
            put(&mut head, format_args!(" * Loops at {}:{}: {} times.\n", in_comment(&at.file), at.line, at.bound));
        }
        head + " */"
    }

    fn tool(&self, bodies: &str) -> String {
        let size = self.program().target.pointer_size();
        let objects = [&self.declarations.definitions, &self.declarations.text];
        let depends = bodies.contains("(address,")
            || mentions(bodies, "uptr")
            || objects.iter().any(|text| text.contains("address ") || size == 4 && text.contains("u64 "));
        let check = match depends {
            true => format!(
                "/* The program was translated for pointers of {size} bytes. */\n\
                 typedef char sma_pointer_size[sizeof(void *) == {size} ? 1 : -1];\n\n"
            ),
            false => String::new(),
        };
        let names = "#ifdef __GNUC__\n/* Names of the program may be those of functions that the compiler knows. */\n\
                     #pragma GCC diagnostic ignored \"-Wbuiltin-declaration-mismatch\"\n#endif\n";
        let prelude = match self.options.tool {
            Tool::Cbmc => format!("{CBMC}{VERIFIER}{UNSUPPORTED}"),
            Tool::Esbmc => format!("{ESBMC}{VERIFIER}{UNSUPPORTED}"),
            Tool::Svcomp => format!("{SVCOMP}{VERIFIER}{UNSUPPORTED}"),
            Tool::Norn => format!("{SVCOMP}{VERIFIER}{UNSUPPORTED_NORN}"),
            Tool::Cc => CC.to_owned(),
        };
        format!("{names}\n{TYPES}\n{check}{prelude}")
    }

    fn parameters(&self) -> String {
        let mut text = format!("#define ROUNDS {}\n#define THREADS {}\n", self.options.rounds, self.threads.len());
        text.push_str(&self.memory().parameters());
        text
    }

    fn objects(&self) -> String {
        let mut text = String::from("/* The objects of the program. */\n");
        text.extend([&*self.declarations.definitions, &*self.declarations.text]);
        if !self.declarations.initial.is_empty() {
            put(&mut text, format_args!("\nstatic void init_objects(void)\n{{\n{}}}\n", self.declarations.initial));
        }
        text
    }

    /// The variables and macros that control the threads.
    fn control(&self) -> String {
        let sizes = self.threads.iter().map(|thread| thread.of.size.to_string()).collect::<Vec<_>>().join(", ");
        let mut text = format!(
            "/* The threads: who was created, their last labels, where they were left, who runs, where it is to be left. */\n\
             static _Bool active[THREADS] = {{1}};\nstatic const unsigned size[THREADS] = {{{sizes}}};\n\
             static unsigned pc[THREADS], ct, cs;\n"
        );
        for (number, thread) in self.prepared.threads.iter().enumerate() {
            let code = self.prepared.function(thread.start);
            for (i, &param) in code.function.params.iter().enumerate() {
                if code.uses[param.index()] > 0 {
                    let ty = expr::register_type(code.function.ty(param));
                    put(&mut text, format_args!("static {ty} arg_{number}_{i};\n"));
                }
            }
        }
        if self.results {
            text.push_str("static address result[THREADS];\n");
        }
        let here = if self.options.tool == Tool::Cc { " HERE(A + 1)" } else { "" };
        put(
            &mut text,
            format_args!(
                "#define J(A, B) if (pc[ct] > A || A >= cs) goto L##B;{here}\n#define G(L) assume(cs >= L);\n"
            ),
        );
        text
    }

    fn malloc(&self, bodies: &str) -> String {
        match (mentions(bodies, "sma_malloc"), mentions(bodies, "sma_free"), self.options.tool) {
            (false, false, _) => String::new(),
            (true, _, Tool::Cc) => {
                format!("#define SMA_HEAP {HEAP_WORDS}\n{MALLOC_CC}#define sma_free(a) ((void)(a))\n")
            }
            (false, _, Tool::Cc) => "#define sma_free(a) ((void)(a))\n".to_owned(),
            (true, frees, _) => {
                let free = if frees { "void free(void *memory);\n#define sma_free(a) free(a)\n" } else { "" };
                format!("{MALLOC}{free}")
            }
            // Only what the list SMA keeps in static objects.
            (false, true, _) => "#define sma_free(a) ((void)(a))\n".to_owned(),
        }
    }

    fn driver(&self) -> String {
        let mut init = String::new();
        if !self.declarations.initial.is_empty() {
            init.push_str("init_objects(); ");
        }
        init.push_str("sma_init();");
        let mut text = String::from(
            "/* The driver: in each round each thread that was created has a slot; the first thread has one more at the end. */\n",
        );
        if self.options.tool == Tool::Cc {
            put(
                &mut text,
                format_args!(
                    "static void simulate(void)\n{{\n    static unsigned round;\n    if (!norn_started) {{\n        \
                     norn_started = 1;\n        {init}\n        round = 1;\n    }}\n    \
                     for (; round <= ROUNDS; round++) {{\n"
                ),
            );
            for ((number, name), thread) in self.names.iter().enumerate().zip(&self.threads) {
                let bits = bits_of(thread.of.size);
                put(&mut text, format_args!("        SLOT({number}, {name}, {bits})\n"));
            }
            let last = format!("SLOT(0, {}, {})", self.names[0], bits_of(self.threads[0].of.size));
            put(&mut text, format_args!("        ct = 0;\n    }}\n    {last}\n}}\n\n"));
            text.push_str(CC_MAIN);
            return text;
        }
        put(
            &mut text,
            format_args!(
                "int main(void)\n{{\n    unsigned round;\n    {init}\n    for (round = 1; round <= ROUNDS; round++) {{\n"
            ),
        );
        let slot = |number: usize, indent: &str| {
            let bits = bits_of(self.threads[number].of.size);
            let lines = [
                format!("ct = {number};"),
                "if (active[ct]) {".to_owned(),
                format!("    cs = next_switch({bits}, pc[ct], size[ct]);"),
                format!("    {}();", self.names[number]),
                "    pc[ct] = cs;".to_owned(),
                "}".to_owned(),
            ];
            lines.map(|line| format!("{indent}{line}\n")).concat()
        };
        for number in 0..self.names.len() {
            text.push_str(&slot(number, "        "));
        }
        text + "    }\n" + &slot(0, "    ") + "    return 0;\n}\n"
    }
}

fn lines_of(text: &str) -> usize {
    text.matches('\n').count()
}

/// The thread operations that the program uses.
fn stubs(bodies: &str) -> String {
    let mut text = String::new();
    if mentions(bodies, "create") {
        text.push_str("#define create(t) (active[t] = 1)\n");
    }
    if mentions(bodies, "join") {
        text.push_str(
            "#define join(t) \\\n    do { \\\n        if ((t) >= THREADS || !active[t]) fail(\"misuse: there is no such thread to join\"); \\\n        \
             assume(pc[t] == size[t]); \\\n        sma_join(t); \\\n    } while (0)\n",
        );
    }
    text
}

/// Nothing of a name ends a comment.
fn in_comment(text: &str) -> String {
    visible(text).replace("*/", "* /")
}
