//! Makes what fails smaller.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

/// The smallest thing found that fails as `first` does: none of those that `smaller` makes of it fails any more. What is
/// made has to be smaller, or there is no end.
pub fn shrink<T>(first: T, smaller: impl Fn(&T) -> Vec<T>, mut fails: impl FnMut(&T) -> bool) -> T {
    let mut best = first;
    let mut start = 0;
    loop {
        let mut candidates = smaller(&best);
        // What comes before was tried in vain a moment ago, so it is tried last.
        let order = (start..candidates.len()).chain(0..start.min(candidates.len()));
        let Some(found) = order.into_iter().find(|&candidate| fails(&candidates[candidate])) else { return best };
        best = candidates.swap_remove(found);
        start = found;
    }
}

/// Checks a generated program. If that panics, the program is made smaller as long as the check panics at the same place in
/// the source of the test, so not where it compiles the program; the smallest one is shown.
#[track_caller]
pub fn checked<T>(name: &str, text: &str, check: impl Fn(&str) -> T) -> T {
    let place = match caught(|| check(text)) {
        Ok(value) => return value,
        Err(place) => place,
    };
    let is_quiet = QUIET.replace(true);
    let fails = |text: &String| caught(|| check(text)).err().as_ref() == Some(&place);
    let small = shrink(text.to_owned(), |text| smaller_programs(text), fails);
    QUIET.set(is_quiet);
    // For the message.
    let _ = caught(|| check(&small));
    panic!("{name} fails; made smaller:\n{small}\nas it was:\n{text}");
}

/// Programs with one thread, line or value less: a function other than main goes with the lines that name it or a thread
/// of its number; numbers become smaller. Not all of them compile.
pub fn smaller_programs(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let without = |goes: &dyn Fn(usize) -> bool| {
        let kept = (0..lines.len()).filter(|&at| !goes(at)).map(|at| lines[at]);
        kept.fold(String::new(), |text, line| text + line + "\n")
    };
    let mut found = Vec::new();
    for (begin, line) in lines.iter().enumerate() {
        let is_function = !line.starts_with(' ') && line.ends_with('{');
        let Some(name) = line.split('(').next().and_then(|head| words(head).last()).filter(|_| is_function) else {
            continue;
        };
        let Some(length) = lines[begin..].iter().position(|line| *line == "}").filter(|_| name != "main") else {
            continue;
        };
        let number = name.trim_start_matches(|c: char| !c.is_ascii_digit());
        let (id, element) = (format!("id{number}"), format!("id[{number}]"));
        let names = |line: &str| words(line).any(|word| word == name || word == id) || line.contains(&element);
        found.push(without(&|at| (begin..=begin + length).contains(&at) || names(lines[at])));
    }
    let is_statement = |line: &str| !line.ends_with('{') && line != "}" && !line.trim_start().starts_with("return");
    found.extend((0..lines.len()).filter(|&at| is_statement(lines[at])).map(|at| without(&|other| other == at)));
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        for (begin, number) in numbers(line).filter(|_| line.starts_with(' ')) {
            let Ok(value) = number.parse::<u64>() else { continue };
            let (before, after) = (&text[..offset + begin], &text[offset + begin + number.len()..]);
            let mut smaller = vec![0, 1, value / 2];
            smaller.dedup();
            found.extend(smaller.iter().filter(|&&n| n < value).map(|n| format!("{before}{n}{after}")));
        }
        offset += line.len();
    }
    found
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// The decimal numbers of a line, and where they begin.
fn numbers(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let start = line.as_ptr() as usize;
    words(line).filter(|word| word.bytes().all(|b| b.is_ascii_digit())).map(move |w| (w.as_ptr() as usize - start, w))
}

thread_local! {
    /// Where this thread panicked last.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
    /// Panics of this thread are not shown.
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// What `work` gives, or where it panicked, as far as known.
fn caught<T>(work: impl FnOnce() -> T) -> Result<T, Option<String>> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let shown = take_hook();
        set_hook(Box::new(move |panic| {
            PLACE.set(panic.location().map(ToString::to_string));
            if !QUIET.get() {
                shown(panic);
            }
        }));
    });
    PLACE.set(None);
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| PLACE.take())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;
    use crate::programs::{Shape, program};

    #[test]
    fn lists_of_numbers() {
        let smaller = |list: &Vec<u32>| {
            let without = |at: usize| {
                let mut list = list.clone();
                list.remove(at);
                list
            };
            (0..list.len()).map(without).collect()
        };
        let found = shrink((0..50).collect(), smaller, |list| list.contains(&17) && list.contains(&41));
        assert_eq!(found, [17, 41]);
        assert_eq!(shrink(vec![1, 2, 3], smaller, |_| true), []);
        assert_eq!(shrink(vec![1, 2, 3], smaller, |_| false), [1, 2, 3]);
    }

    /// Two threads, a lock in one of them and a store of a large value in the other are all that matters.
    fn matters(text: &str) -> bool {
        let locks = text.matches("mutex_lock").count();
        text.matches("pthread_create").count() >= 2 && locks >= 1 && text.contains("= 3;")
    }

    #[test]
    fn programs() {
        let shape = Shape { threads: (3, 4), statements: (4, 8), library: true, ends: true, inputs: true };
        let mut tried = 0;
        for seed in 0..30 {
            let text = program(&mut Random::new(seed), shape);
            if !matters(&text) {
                continue;
            }
            tried += 1;
            let small = shrink(text, |text| smaller_programs(text), |text| matters(text));
            assert_eq!(small.matches("pthread_create").count(), 2, "{small}");
            assert_eq!(small.matches("mutex_lock").count(), 1, "{small}");
            let body = |line: &&str| line.starts_with("  ") && !line.contains("pthread_t ") && !line.contains("return");
            assert!(small.lines().filter(body).count() <= 5, "two creations, a lock, a store, a declaration\n{small}");
        }
        assert!(tried > 3, "{tried} programs were made smaller");
    }

    #[test]
    fn values() {
        let text = "int x;\nint main(void) {\n  x = 1000;\n  x = 3;\n  return 0;\n}\n";
        let smaller = |text: &String| smaller_programs(text);
        let has_large = |text: &String| numbers(text).any(|(_, n)| n.parse::<u64>().is_ok_and(|n| n > 30));
        let small = shrink(text.to_owned(), smaller, has_large);
        assert_eq!(small, "int main(void) {\n  x = 31;\n  return 0;\n}\n");
    }

    #[test]
    fn checks_that_panic_show_a_small_program() {
        let text = "int x, y;\nvoid *t0(void *arg) {\n  x = 1;\n  y = 2;\n  return 0;\n}\n\
            int main(void) {\n  x = 2;\n  y = 1;\n  return 0;\n}\n";
        let check = |text: &str| {
            // Other failures are not taken for this one.
            crate::compile(text);
            assert!(text.contains("y = 1"), "it is lost");
            assert!(!text.contains("x = "), "it is there");
            text.len()
        };
        QUIET.set(true);
        let panicked = catch_unwind(|| checked("the program", text, check)).expect_err("the check panics");
        QUIET.set(false);
        let said = panicked.downcast::<String>().expect("a message");
        let small = "int x, y;\nint main(void) {\n  x = 0;\n  y = 1;\n  return 0;\n}\n";
        assert_eq!(*said, format!("the program fails; made smaller:\n{small}\nas it was:\n{text}"));
        assert_eq!(checked("the program", "int y = 1; int main(void) { return y; }", check), 39);
    }
}
