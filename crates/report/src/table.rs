//! A counterexample as a table with one column per thread.
//!
//! Time runs downwards. Each event has a number, stands in the column of its thread, and is shown under the source line that
//! it belongs to. A rule with a number marks each switch from one thread to another. A read says which event it got its
//! value from; a buffered store says so, and the moment when it reaches memory is an event of its own, which is no turn of its thread.

use crate::Sources;
use crate::heap::HeapNames;
use crate::rows::{Row, folded, rows};
use crate::steps::function_at;
use crate::value::Writer;
use crate::visible::{visible, visible_up_to};
use norn_ir::span::Span;
use norn_verdict::outcome::{Counterexample, Violation};
use norn_verdict::trace::{Event, EventIndex, EventKind, ThreadIndex, Trace};
use std::collections::BTreeMap;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The narrowest a thread's column may become, in characters. If there is no room for so many, all threads share one column, in
/// which each line of the source names its thread.
const NARROWEST: usize = 16;
/// The widest table in columns, also if a larger width is asked for.
pub(crate) const WIDEST: usize = 200;
/// The most characters of a row; longer text is cut.
const LONGEST_ROW: usize = 2000;

/// The counterexample's table, followed by the violation in words.
pub fn counterexample(counterexample: &Counterexample, sources: &Sources<'_>, width: usize) -> String {
    violated(counterexample.trace(), counterexample.violation(), sources, width)
}

/// The same for an execution and the violation that it ends in.
pub fn violated(trace: &Trace, violation: &Violation, sources: &Sources<'_>, width: usize) -> String {
    let mut text = table(trace, sources, width);
    let place =
        if violation.span == Span::NONE { String::new() } else { format!("{}: ", sources.place(violation.span)) };
    text.push_str(&format!("\n{place}{}", violation.kind.phrase()));
    if !violation.message.is_empty() {
        text.push_str(&format!(": {}", visible(&violation.message)));
    }
    text.push('\n');
    if let Some(line) = sources.text(violation.span) {
        text.push_str(&format!("    {line}\n"));
    }
    text
}

/// The events of a trace, one column per thread that did anything.
pub fn table(trace: &Trace, sources: &Sources<'_>, width: usize) -> String {
    let heap = HeapNames::new(trace, sources.program);
    let write = Writer { heap: Some(&heap), ..Writer::new(sources.program, trace) };
    let rows = folded(rows(trace, write), write);
    let mut columns = rows.iter().map(|row| row.event.thread).collect::<Vec<_>>();
    columns.sort_unstable();
    columns.dedup();
    let threads = columns.len();
    let number_width = trace.events.len().to_string().len().max(2) + 2;
    let room = width.min(WIDEST).saturating_sub(number_width);
    let is_crowded = threads > 1 && room / threads < NARROWEST + 2;
    if is_crowded {
        columns.clear();
    }
    let column_width = (room / columns.len().max(1)).saturating_sub(2).max(NARROWEST);
    let mut table = Table { columns, number_width, column_width, text: String::new() };
    for line in heap.legend(trace, sources) {
        wrap(&visible_up_to(&line, LONGEST_ROW), room + number_width)
            .iter()
            .for_each(|line| table.text.push_str(&format!("{line}\n")));
    }
    match is_crowded {
        true => table.text.push_str(&format!("    {threads} threads\n")),
        false => table.header(trace),
    }
    let names = FileNames::new(trace, sources);
    let mut places = Places::default();
    let mut waiting = Waiting::default();
    let (mut switches, mut turn) = (0, None);
    let mut last: Option<&Event> = None;
    let mut repeats_from = trace.repeats_from.map(|event| event.number());
    for row in &rows {
        let Row { number, event, text, .. } = row;
        if repeats_from.is_some_and(|first| *number >= first) {
            table.label("─ from here on for ever ");
            repeats_from = None;
        }
        waiting.until(trace, *number - 1);
        let is_commit = !event.kind.is_turn();
        if !is_commit {
            if turn.is_some_and(|thread| thread != event.thread) {
                switches += 1;
                table.label(&format!("─ switch {switches} {}", waiting.told(trace, write)));
            }
            turn = Some(event.thread);
        }
        let place = |e: &Event| (e.thread, e.span.file, e.span.line);
        let same_line = last.is_some_and(|l| place(l) == place(event));
        if !same_line && event.span != Span::NONE && !is_commit && !row.is_fold() {
            if let Some(place) = places.changed(trace, event, sources, &names) {
                table.row(None, event.thread, &place, false);
            }
            let line = sources.text(event.span).unwrap_or_default();
            let name = trace.thread(event.thread).filter(|_| is_crowded).map(|thread| format!("{}, ", thread.name));
            let name = name.unwrap_or_default();
            table.row(None, event.thread, &format!("{name}{}: {line}", event.span.line), false);
        }
        table.row(Some(*number), event.thread, text, true);
        // A store that reaches memory belongs to no line: the next event shows its own.
        last = Some(event);
    }
    table.text
}

/// Files by names that are short, but different.
struct FileNames {
    /// The path of the file that most threads begin in.
    usual: String,
    names: BTreeMap<String, String>,
}

impl FileNames {
    fn new(trace: &Trace, sources: &Sources<'_>) -> FileNames {
        let path = |event: &Event| sources.program.file(event.span.file).to_owned();
        let shown = trace.events.iter().filter(|event| event.span != Span::NONE);
        let usual = shown.clone().next().map(path).unwrap_or_default();
        let mut names: BTreeMap<String, String> = shown.map(|event| (path(event), String::new())).collect();
        let paths = names.keys().cloned().collect::<Vec<_>>();
        for (path, name) in &mut names {
            let parts = path.split('/').collect::<Vec<_>>();
            let suffixes = (1..=parts.len()).map(|count| parts[parts.len() - count..].join("/"));
            let is_unique = |suffix: &String| {
                paths.iter().filter(|other| other.ends_with(&format!("/{suffix}")) || *other == suffix).count() == 1
            };
            *name = suffixes.into_iter().find(is_unique).unwrap_or_else(|| path.clone());
        }
        FileNames { usual, names }
    }
}

/// In which file and function each thread was shown last.
#[derive(Default)]
struct Places(BTreeMap<ThreadIndex, (String, String)>);

impl Places {
    /// The function and the file of an event, where they are others than before.
    fn changed(&mut self, trace: &Trace, event: &Event, sources: &Sources<'_>, names: &FileNames) -> Option<String> {
        let file = sources.program.file(event.span.file).to_owned();
        let began = trace.thread(event.thread).map(|thread| thread.function.clone()).unwrap_or_default();
        let function = function_at(sources.program, event.span).map_or_else(|| began.clone(), str::to_owned);
        let before = self.0.insert(event.thread, (file.clone(), function.clone()));
        let (before_file, before_function) = before.unwrap_or_else(|| (names.usual.clone(), began));
        let other_file = file != before_file;
        if !other_file && function == before_function {
            return None;
        }
        let name = names.names.get(&file).filter(|_| other_file).map(|name| format!("{name}, "));
        Some(format!("[{}{function}]", name.unwrap_or_default()))
    }
}

/// The stores that are in buffers.
#[derive(Default)]
struct Waiting {
    seen: usize,
    stores: Vec<EventIndex>,
}

impl Waiting {
    /// Looks at the events before this one.
    fn until(&mut self, trace: &Trace, event: usize) {
        for index in self.seen..event.min(trace.events.len()) {
            match trace.events[index].kind {
                EventKind::Write { buffered: true, .. } => self.stores.push(EventIndex::new(index)),
                EventKind::Commit { write, .. } => self.stores.retain(|&store| store != write),
                _ => {}
            }
        }
        self.seen = self.seen.max(event);
    }

    /// For example `─ in buffers of main.1: x = 1, y = 2 `.
    fn told(&self, trace: &Trace, write: Writer<'_>) -> String {
        let mut threads: Vec<(ThreadIndex, Vec<String>)> = Vec::new();
        for event in self.stores.iter().filter_map(|&store| trace.event(store)) {
            let EventKind::Write { location, value, .. } = &event.kind else { continue };
            let store = format!("{} = {}", write.location(location), write.value(value));
            match threads.iter_mut().find(|(thread, _)| *thread == event.thread) {
                Some((_, stores)) => stores.push(store),
                None => threads.push((event.thread, vec![store])),
            }
        }
        let one = |(thread, stores): &(ThreadIndex, Vec<String>)| {
            let name = trace.thread(*thread).map(|thread| thread.name.to_string()).unwrap_or_default();
            format!("{name}: {}", stores.join(", "))
        };
        let all = threads.iter().map(one).collect::<Vec<_>>().join("; ");
        if all.is_empty() { String::new() } else { format!("─ in buffers of {all} ") }
    }
}

struct Table {
    /// Threads, in the order of their columns.
    columns: Vec<ThreadIndex>,
    number_width: usize,
    column_width: usize,
    text: String,
}

impl Table {
    fn header(&mut self, trace: &Trace) {
        let titles = self.columns.iter().map(|&c| {
            let thread = &trace.threads[c.index()];
            if thread.name.0.is_empty() {
                thread.name.to_string()
            } else {
                format!("{} ({})", thread.name, visible(&thread.function))
            }
        });
        let titles = titles.collect::<Vec<_>>();
        let line =
            titles.iter().map(|t| pad(&cut(t, self.column_width), self.column_width)).collect::<Vec<_>>().join("  ");
        let rule = vec!["─".repeat(self.column_width); self.columns.len()].join("──");
        let space = " ".repeat(self.number_width);
        self.text.push_str(&format!("{space}{}\n", line.trim_end()));
        self.text.push_str(&format!("{}{rule}\n", "─".repeat(self.number_width)));
    }

    /// A line across the table.
    fn label(&mut self, label: &str) {
        let width = self.number_width + self.columns.len().max(1) * (self.column_width + 2) - 2;
        let label = cut(&visible_up_to(label, LONGEST_ROW), width);
        self.text.push_str(&format!("{label}{}\n", "─".repeat(width.saturating_sub(label.width()))));
    }

    /// Text in a thread's column, wrapped; an event's number stands at the left of its first line.
    fn row(&mut self, number: Option<usize>, thread: ThreadIndex, text: &str, indented: bool) {
        let column = self.columns.iter().position(|&c| c == thread).unwrap_or(0);
        let indent = if indented { "  " } else { "" };
        for (i, line) in
            wrap(&visible_up_to(text, LONGEST_ROW), self.column_width.saturating_sub(indent.len())).iter().enumerate()
        {
            let number = match number {
                Some(n) if i == 0 => format!("#{n}"),
                _ => String::new(),
            };
            let space = " ".repeat(column * (self.column_width + 2));
            let line =
                format!("{}{space}{indent}{}{line}", pad(&number, self.number_width), if i > 0 { "  " } else { "" });
            self.text.push_str(line.trim_end());
            self.text.push('\n');
        }
    }
}

fn pad(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.width())))
}

/// The text, or its beginning and an ellipsis.
fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut short = String::new();
    for c in text.chars() {
        if short.width() + 1 >= width {
            break;
        }
        short.push(c);
    }
    short + "…"
}

/// Lines of at most `width`, broken at spaces, and words that are too long behind a sign; continuation lines leave room for their
/// indentation.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        let room = if lines.len() > 1 { width.saturating_sub(2) } else { width };
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => {
                let mut rest = word;
                let room = |lines: &[String]| if lines.is_empty() { width } else { width.saturating_sub(2) }.max(8);
                while rest.width() > room(&lines) {
                    let (line, other) = rest.split_at(breaking_point(rest, room(&lines)));
                    lines.push(line.to_owned());
                    rest = other;
                }
                lines.push(rest.to_owned());
            }
        }
    }
    lines
}

/// Where to break a word of more than this width: behind a sign, if there is one in the second half.
fn breaking_point(word: &str, width: usize) -> usize {
    let (mut used, mut end, mut sign) = (0, 0, 0);
    for (at, c) in word.char_indices() {
        used += c.width().unwrap_or(0);
        if used > width && end > 0 {
            break;
        }
        end = at + c.len_utf8();
        if "([{,;.&|=/-+>_".contains(c) && used * 2 > width {
            sign = end;
        }
    }
    if sign > 0 { sign } else { end }
}

#[cfg(test)]
mod tests {
    use super::*;
    use norn_ir::ids::{FileId, GlobalId, TypeId};
    use norn_ir::program::Program;
    use norn_ir::types::{Display, Ty};
    use norn_verdict::place::{Location, Object, ObjectKind, Value};
    use norn_verdict::schedule::{StepNumber, ThreadName};
    use norn_verdict::trace::{ReadFrom, ThreadInfo};

    fn event(thread: u32, step: u32, line: u32, library: Option<&str>, kind: EventKind) -> Event {
        let span = Span { file: FileId(0), line, column: 1 };
        Event {
            thread: ThreadIndex(thread),
            step: Some(StepNumber(step)),
            span,
            library: library.map(str::to_owned),
            kind,
        }
    }

    const GLOBALS: [&str; 6] = ["x", "y", "m.__kind", "m.__owner", "done", "m.__count"];

    fn program() -> Program {
        let global = |(id, name): (usize, &&str)| format!("global g{id} \"{name}\": t0\n");
        let globals: String = GLOBALS.iter().enumerate().map(global).collect();
        let start = "norn-ir 1\ntarget lp64\nentry f0\ntype t0 = i32 signed\n";
        let text = format!("{start}{globals}function f0 \"main\" () {{\nb0:\n return\n}}\n");
        let program = norn_ir::parse::parse(&text).expect("the program should parse");
        Program { files: vec!["a.c".to_owned()], ..program }
    }

    fn global(name: &str) -> Location {
        let id = GLOBALS.iter().position(|known| *known == name).expect("the global should be known");
        let kind = ObjectKind::Global(GlobalId::new(id));
        let object = Object { kind, owner: ThreadIndex::MAIN, ty: Some(TypeId(0)), size: 4, made_at: Span::NONE };
        Location { object, offset: 0, size: 4 }
    }

    fn number(bits: u64) -> Value {
        Value::Number { ty: Ty::I32, display: Display::Signed, bits }
    }

    fn write(location: &str, buffered: bool) -> EventKind {
        EventKind::Write { location: global(location), value: number(1), buffered }
    }

    fn read(location: &str, from: ReadFrom) -> EventKind {
        EventKind::Read { location: global(location), value: number(0), from }
    }

    fn check(events: Vec<Event>, expected: &[&str]) {
        let thread = |name: ThreadName, function: &str| ThreadInfo { name, function: function.to_owned() };
        let main = ThreadName::main();
        let threads = vec![thread(main.clone(), "main"), thread(main.child(1), "left"), thread(main.child(2), "right")];
        let program = program();
        let line_text = |_: &str, line: u32| Some(format!("  line {line};"));
        let sources = Sources { program: &program, line_text: &line_text };
        let found = table(&Trace { threads, events, repeats_from: None }, &sources, 64);
        assert_eq!(found.lines().collect::<Vec<_>>(), expected, "\n{found}");
    }

    #[test]
    fn threads_have_columns_and_switches_are_numbered() {
        let commit = EventKind::Commit { location: global("x"), value: number(1), write: EventIndex(0) };
        check(
            vec![
                event(1, 1, 4, None, write("x", true)),
                event(1, 2, 5, None, read("y", ReadFrom::Initial)),
                event(2, 1, 9, None, read("x", ReadFrom::Initial)),
                event(1, 1, 4, None, commit),
                event(1, 3, 5, None, read("x", ReadFrom::Event { event: EventIndex(0), forwarded: true })),
            ],
            &[
                "    main.1 (left)                 main.2 (right)",
                "──────────────────────────────────────────────────────────────",
                "    4: line 4;",
                "#1    writes x = 1 (into its",
                "        store buffer)",
                "    5: line 5;",
                "#2    reads y = 0 (from the",
                "        initial value)",
                "─ switch 1 ─ in buffers of main.1: x = 1 ─────────────────────",
                "                                  9: line 9;",
                "#3                                  reads x = 0 (from the",
                "                                      initial value)",
                "#4    store of #1 reaches",
                "        memory: x = 1",
                "─ switch 2 ───────────────────────────────────────────────────",
                "    5: line 5;",
                "#5    reads x = 0 (from #1,",
                "        still in its own store",
                "        buffer)",
            ],
        );
    }

    #[test]
    fn long_words_are_broken_behind_a_sign() {
        assert_eq!(
            wrap("a atomic_load_explicit(&ring.head, b", 20),
            ["a", "atomic_load_", "explicit(&ring.", "head, b"]
        );
        assert_eq!(wrap(&"x".repeat(45), 20).iter().map(String::len).collect::<Vec<_>>(), [20, 18, 7]);
    }

    #[test]
    fn many_threads_share_a_column() {
        let main = ThreadName::main();
        let names = (1..=41u32).map(|i| main.child(i));
        let threads = names.map(|name| ThreadInfo { name, function: "f".to_owned() }).collect::<Vec<_>>();
        let events = (0u32..).take(threads.len()).map(|i| event(i, 1, 4, None, write("x", false))).collect();
        let program = program();
        let sources = Sources { program: &program, line_text: &|_, _| None };
        let found = table(&Trace { threads, events, repeats_from: None }, &sources, 64);
        assert!(found.starts_with("    41 threads\n    main.1, 4:\n#1    writes x = 1\n─ switch 1 ─"), "{found}");
        assert!(found.lines().all(|line| line.chars().count() <= 64), "{found}");
    }

    #[test]
    fn a_step_of_the_library_is_one_row() {
        let lock = Some("pthread_mutex_lock");
        check(
            vec![
                event(1, 1, 4, lock, EventKind::Call { function: "pthread_mutex_lock".to_owned() }),
                event(1, 1, 4, lock, read("m.__kind", ReadFrom::Initial)),
                event(1, 1, 4, lock, read("m.__owner", ReadFrom::Initial)),
                event(1, 1, 4, lock, write("done", false)),
                event(1, 1, 4, lock, write("m.__count", false)),
            ],
            &[
                "    main.1 (left)",
                "──────────────────────────────────────────────────────────────",
                "    4: line 4;",
                "#2    pthread_mutex_lock: done = 1",
            ],
        );
    }
}
