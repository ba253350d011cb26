//! The pages of `--html` in a real browser: each is opened at several widths, stepped through by keys, and must say what the
//! trace says, without an error on the console and without growing wider than the window. Pictures are left in
//! `target/pages`, for people.

mod browser;

use crate::norn::{Norn, root};
use browser::Browser;
use serde_json::Value;
use std::fs;
use std::path::Path;

const WIDTHS: [u32; 3] = [400, 1000, 1800];
const HEIGHT: u32 = 1000;
/// A page of ten thousand events is there within this many milliseconds.
const SOON: f64 = 1000.0;
/// The keys, as WebDriver codes them.
const HOME: char = '\u{e011}';
const END: char = '\u{e010}';
const RIGHT: char = '\u{e014}';
const LEFT: char = '\u{e012}';

/// A page, and by which command it is made.
struct Case {
    name: &'static str,
    words: &'static str,
    /// It shows an execution.
    has_story: bool,
    /// The execution has a cycle to show.
    has_cycle: bool,
}

const fn case(name: &'static str, words: &'static str, has_story: bool, has_cycle: bool) -> Case {
    Case { name, words, has_story, has_cycle }
}

const CASES: [Case; 14] = [
    case("store_buffering", "check -m sc,tso,pso examples/store_buffering.c", true, true),
    case("dekker", "check -m tso examples/dekker.c", true, true),
    case("peterson", "check -m pso examples/peterson.c", true, true),
    case("lamport", "check -m tso examples/lamport.c", true, true),
    case("message_passing", "check -m pso examples/message_passing.c", true, true),
    case("seqlock", "check -m pso examples/seqlock.c", true, true),
    case("szymanski", "check -m tso examples/szymanski.c", true, true),
    case("philosophers", "check --deadlock examples/philosophers.c", true, false),
    case("robust", "robust -m tso,pso examples/store_buffering.c", true, true),
    case("safe", "check -m tso --unwind 1 examples/bounded_queue.c", false, false),
    case("double_checked", "check -m pso examples/double_checked_locking.c", true, true),
    case("work_stealing", "check -m tso,pso examples/work_stealing.c", false, false),
    case("hostile", "check -m tso hostile.c", true, true),
    case("long", "check -m tso -e sample long.c", true, false),
];

/// Names and texts that mean harm.
const HOSTILE: &str = "#line 1 \"</script><script>document.title='hit'</script><!--\\\"\\033[2J&amp;.c\"\n\
    #include <pthread.h>\n#include <assert.h>\nint x, y, \u{5d0}\u{5d1};\n\
    void *f_LONG(void *a) { x = 1; \u{5d0}\u{5d1} = y; /* </script><img src=x onerror=alert(1)> */ return a; }\n\
    int main(void) { pthread_t t; pthread_create(&t, 0, f_LONG, 0); y = 1; int seen = x;\n\
    pthread_join(t, 0); assert(seen || \u{5d0}\u{5d1} || !\"</script><b>'&lt;\"); return 0; }\n";

/// About ten thousand events of two threads.
const LONG: &str = "#include <pthread.h>\n#include <assert.h>\nint x, y;\n\
    void *f(void *a) { for (int i = 0; i < 5000; i++) x = i; return a; }\n\
    int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); y = 1;\n\
    pthread_join(t, 0); assert(x != 4999); return 0; }\n";

pub fn run() -> Result<(), String> {
    let norn = Norn::build()?;
    let folder = root().join("target").join("pages");
    let failed = |error: std::io::Error| format!("cannot write to '{}': {error}", folder.display());
    fs::create_dir_all(&folder).map_err(failed)?;
    let hostile = HOSTILE.replace("LONG", &"n".repeat(10_000));
    fs::write(folder.join("hostile.c"), hostile).map_err(failed)?;
    fs::write(folder.join("long.c"), LONG).map_err(failed)?;
    let browser = Browser::start()?;
    let mut problems = 0;
    for case in &CASES {
        make(&norn, case, &folder)?;
        for width in WIDTHS {
            if let Err(problem) = look(&browser, case, width, &folder) {
                println!("{} at {width}: {problem}", case.name);
                problems += 1;
            }
        }
    }
    if problems > 0 {
        return Err(format!("{problems} pages are not as they should be; pictures are in target/pages"));
    }
    println!("{} pages at {} widths are as they should be; pictures are in target/pages", CASES.len(), WIDTHS.len());
    Ok(())
}

/// Has Norn write the page.
fn make(norn: &Norn, case: &Case, folder: &Path) -> Result<(), String> {
    let page = folder.join(case.name).with_extension("html");
    let mut args = case.words.split(' ').map(str::to_owned).collect::<Vec<_>>();
    if let Some(file) = args.last_mut() {
        let place = if file.contains('/') { root().join(&file) } else { folder.join(&file) };
        *file = place.display().to_string();
    }
    args.extend(["--html".to_owned(), page.display().to_string()]);
    let _ = fs::remove_file(&page);
    let run = norn.run(&args)?;
    match page.exists() {
        true => Ok(()),
        false => Err(format!("{} writes no page: {}", case.name, run.summary())),
    }
}

/// Opens the page and steps through it.
fn look(browser: &Browser, case: &Case, width: u32, folder: &Path) -> Result<(), String> {
    browser.resize(width, HEIGHT)?;
    browser.darken(width == WIDTHS[1])?;
    browser.open(&format!("file://{}", folder.join(case.name).with_extension("html").display()))?;
    let text = |script: &str| browser.run(script).map(|value| value.as_str().unwrap_or_default().to_owned());
    let number = |script: &str| browser.run(script).map(|value| value.as_f64().unwrap_or(f64::NAN));
    let wait = "return performance.getEntriesByType('navigation')[0].domComplete";
    let time = number(wait)?;
    let title = text("return document.querySelector('h1').textContent")?;
    expect(title.starts_with("norn: "), || format!("the heading is '{title}'"))?;
    expect(text("return document.title")? == title, || "the title is not the verdict".to_owned())?;
    let said = || text("return (document.getElementById('said') || {textContent: ''}).textContent");
    if case.has_story {
        step_through(browser, case, &said)?;
    } else {
        let covered = number("return document.querySelectorAll('.line.came').length")?;
        expect(case.name != "safe" || covered >= 3.0, || "no line is painted as covered".to_owned())?;
    }
    expect(case.name != "long" || time < SOON, || format!("it took {time} ms"))?;
    let wide = number("return document.documentElement.scrollWidth - window.innerWidth")?;
    expect(wide <= 0.0, || format!("the page is {wide} pixels too wide"))?;
    let foreign = number("return document.querySelectorAll('img, link, iframe, script[src]').length")?;
    expect(foreign == 0.0, || "something of others got into the page".to_owned())?;
    let console = browser.console()?;
    expect(console.is_empty(), || format!("the console says {console:?}"))?;
    let picture = browser.picture()?;
    fs::write(folder.join(format!("{}-{width}.png", case.name)), picture).map_err(|e| e.to_string())
}

/// From the first step to the last, by keys, comparing what is said with the data of the page.
fn step_through(browser: &Browser, case: &Case, said: &dyn Fn() -> Result<String, String>) -> Result<(), String> {
    let data = browser.run("return document.getElementById('data').textContent")?;
    let data: Value = serde_json::from_str(data.as_str().unwrap_or_default()).map_err(|error| error.to_string())?;
    let findings = data["findings"].as_array().ok_or("there are no findings")?;
    let story = findings.iter().map(|finding| &finding["story"]).find(|story| !story.is_null());
    let story = story.ok_or("there is no story")?;
    let steps = story["steps"].as_array().ok_or("there are no steps")?;
    let cycle = story["cycle"].as_array().map_or(0, Vec::len);
    expect((cycle > 0) == case.has_cycle, || format!("the cycle has {cycle} edges"))?;
    let last = steps.len();
    let check = |at: usize| {
        let (found, wanted) = (said()?, steps[at - 1]["x"].as_str().unwrap_or_default());
        let fits = found.starts_with(&format!("{at} of {last} ")) && found.ends_with(wanted);
        expect(fits, || format!("step {at} of {last} should say '{wanted}', but says '{found}'"))
    };
    check(last)?;
    browser.press(&[HOME])?;
    check(1)?;
    let each = last <= 60;
    let mut fills = 0.0;
    for at in 2..=if each { last } else { 5 } {
        browser.press(&[RIGHT])?;
        check(at)?;
        let fresh = browser.run("return document.querySelectorAll('.box.fresh').length")?.as_f64().unwrap_or(0.0);
        let stores = steps[at - 1]["e"].as_array().into_iter().flatten().filter(|effect| effect[0] == "e").count();
        expect((fresh > 0.0) == (stores > 0), || format!("step {at} should show {stores} new stores, not {fresh}"))?;
        fills += fresh;
    }
    let has_stores = steps.iter().any(|step| step["e"].as_array().into_iter().flatten().any(|effect| effect[0] == "e"));
    expect(!each || (fills > 0.0) == has_stores, || "no store buffer fills".to_owned())?;
    browser.press(&[LEFT, END])?;
    check(last)?;
    let values = browser.run("return [...document.querySelectorAll('.memory .value')].map(e => e.textContent)")?;
    let values = values.as_array().map_or(0, Vec::len);
    expect(values > 0, || "memory is not shown".to_owned())?;
    let drawn = browser.run("return document.querySelectorAll('.arrow.cycle').length")?.as_f64().unwrap_or(0.0);
    expect(!case.has_cycle || drawn > 0.0, || "the cycle is not drawn".to_owned())
}

fn expect(holds: bool, problem: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(problem()) }
}
