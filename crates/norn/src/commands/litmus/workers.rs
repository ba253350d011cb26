//! Runs the tests, several at a time.

use super::{TestResult, run_file};
use crate::args::LitmusArgs;
use crate::exit::Exit;
use crate::litmus_model::LitmusModel;
use crate::output;
use crate::progress::ProgressLine;
use norn_cat::Model;
use norn_ir::number::narrow;
use norn_verdict::limits::StopToken;
use norn_verdict::progress::Report;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::time::{Duration, Instant};

/// How long a test may take beyond its time, to say how far it came.
const GRACE: Duration = Duration::from_millis(400);
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);
/// More at the same time are of no use.
const MOST_JOBS: usize = 256;
/// Enough for tests as deep as the parser lets them be.
const STACK_BYTES: usize = 64 << 20;

/// What all workers share.
pub struct Work {
    pub args: LitmusArgs,
    /// Each with its axioms, if it is given by these.
    pub models: Vec<(LitmusModel, Option<Model>)>,
    pub files: Vec<PathBuf>,
    pub stop: StopToken,
    pub memory: u64,
    next: AtomicUsize,
}

impl Work {
    pub fn new(
        args: &LitmusArgs,
        models: Vec<(LitmusModel, Option<Model>)>,
        files: Vec<PathBuf>,
        stop: &StopToken,
        memory: u64,
    ) -> Work {
        Work { args: args.clone(), models, files, stop: stop.clone(), memory, next: AtomicUsize::new(0) }
    }
}

/// What a worker tells.
enum News {
    Began(usize),
    Done(usize, Box<TestResult>),
}

/// Runs the tests; the results keep the order of the files. A test that does not end when its time does is given up,
/// and somebody else goes on with the next.
pub fn run_all(work: Work) -> Vec<TestResult> {
    let work = Arc::new(work);
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = work.args.jobs.map_or_else(processors, |jobs| usize::try_from(jobs).unwrap_or(usize::MAX));
    let jobs = jobs.min(work.files.len()).min(MOST_JOBS);
    let patience = work.args.timeout.saturating_mul(narrow(work.models.len())).saturating_add(GRACE);
    let (tell, news) = mpsc::channel();
    (0..jobs).for_each(|_| hire(&work, &tell));
    let line = ProgressLine::new();
    let progress = line.progress();
    let mut results = BTreeMap::new();
    let mut running = BTreeMap::new();
    let mut stopped: Option<Instant> = None;
    while results.len() < work.files.len() {
        match news.recv_timeout(BETWEEN_LOOKS) {
            Ok(News::Began(index)) => drop(running.insert(index, Instant::now())),
            // It may have been given up already.
            Ok(News::Done(index, result)) if running.remove(&index).is_some() => drop(results.insert(index, result)),
            Ok(News::Done(..)) | Err(_) => {}
        }
        let overdue = running.iter().filter(|(_, begun)| begun.elapsed() > patience).map(|(&index, _)| index);
        for index in overdue.collect::<Vec<_>>() {
            running.remove(&index);
            results.insert(index, Box::new(TestResult::given_up(&work.files[index], work.models.len())));
            hire(&work, &tell);
        }
        if stopped.is_none() {
            let done = Some(results.len() as f64 / work.files.len() as f64);
            let count = ("tests", results.len() as u64);
            progress.report(&Report { engine: "litmus", count, figures: &[], done });
        }
        if work.stop.is_stopped() && (running.is_empty() || stopped.get_or_insert_with(Instant::now).elapsed() > GRACE)
        {
            break;
        }
    }
    line.clear();
    results.into_values().map(|result| *result).collect()
}

/// Starts a worker. Where no more threads are to be had, those that there are do the work.
fn hire(work: &Arc<Work>, tell: &Sender<News>) {
    let (work, tell) = (Arc::clone(work), tell.clone());
    let do_all = move || {
        loop {
            let index = work.next.fetch_add(1, Ordering::Relaxed);
            let Some(path) = work.files.get(index).filter(|_| !work.stop.is_stopped()) else { return };
            // Nobody listens any more when the results are printed.
            let _ = tell.send(News::Began(index));
            let run = AssertUnwindSafe(|| run_file(&work, path));
            let result = catch_unwind(run).unwrap_or_else(|_| TestResult {
                internal: Some(format!("the test in '{}' could not be run", path.display())),
                ..TestResult::new(path)
            });
            let _ = tell.send(News::Done(index, Box::new(result)));
        }
    };
    let hired = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(do_all);
    if let Err(error) = hired {
        output::fail(&format!("cannot start a thread: {error}"), Exit::Internal);
    }
}
