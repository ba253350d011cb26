//! The files that a run writes beside what it prints, for browsers and for other tools.

use crate::exit::Exit;
use crate::frontend::Compiled;
use crate::output;
use clap::Args;
use norn_ir::program::Program;
use norn_machine::cycle::confirm_cycle;
use norn_repair::Evidence;
use norn_report::Sources;
use norn_report::dot::Dot;
use norn_report::format::{Answer, Finding, Format};
use norn_report::html::Page;
use norn_report::sarif::Sarif;
use norn_verdict::model::Model;
use norn_verdict::outcome::{Basic, Checks, Counterexample, Outcome, Verdict};
use norn_verdict::robustness::{CycleEdge, Robustness, RobustnessVerdict};
use norn_verdict::schedule::{Schedule, Step};
use norn_verdict::trace::EventKind;
use std::path::{Path, PathBuf};

#[derive(Args, Clone, Debug, Default)]
pub struct FileArgs {
    /// Write a page for a browser, which shows the execution step by step with memory and store buffers, or what a safe
    /// verdict covered; it needs no network
    #[arg(long, value_name = "FILE", help_heading = "Files")]
    html: Option<PathBuf>,

    /// Write the results as SARIF 2.1.0, which editors and code hosts show beside the code
    #[arg(long, value_name = "FILE", help_heading = "Files")]
    sarif: Option<PathBuf>,

    /// Write the execution as a graph for Graphviz; no file if there is none
    #[arg(long, value_name = "FILE", help_heading = "Files")]
    dot: Option<PathBuf>,
}

impl FileArgs {
    /// The file for a graph, if no other file was asked for.
    pub fn graph_alone(&self) -> Result<Option<&Path>, &'static str> {
        match (&self.html, &self.sarif) {
            (Some(_), _) => Err("--html"),
            (None, Some(_)) => Err("--sarif"),
            (None, None) => Ok(self.dot.as_deref()),
        }
    }

    fn all(&self) -> Vec<(&Path, &dyn Format)> {
        let files: [(&Option<PathBuf>, &dyn Format); 3] =
            [(&self.html, &Page), (&self.sarif, &Sarif), (&self.dot, &Dot)];
        files.into_iter().filter_map(|(path, format)| Some((path.as_deref()?, format))).collect()
    }

    /// Writes what was asked for. These are the verdicts so far: a file is complete when the last one is there.
    pub fn write(&self, verdicts: &[Verdict], checks: Checks, compiled: &Compiled) -> Exit {
        let files = self.all();
        if files.is_empty() {
            return Exit::Fine;
        }
        let cycles = verdicts.iter().map(|verdict| cycle(verdict, checks, compiled)).collect::<Vec<_>>();
        let finding = |(verdict, cycle)| Finding { answer: Answer::Safety(verdict), cycle, about: None };
        let findings = verdicts.iter().zip(cycles.iter().map(|cycle| &cycle[..])).map(finding).collect::<Vec<_>>();
        write_all(&files, &findings, compiled)
    }

    /// The same for robustness.
    pub fn write_robust(&self, verdicts: &[RobustnessVerdict], compiled: &Compiled) -> Exit {
        let finding = |verdict| Finding { answer: Answer::Robustness(verdict), cycle: cycle_of(verdict), about: None };
        let findings = verdicts.iter().map(finding).collect::<Vec<_>>();
        write_all(&self.all(), &findings, compiled)
    }
}

fn write_all(files: &[(&Path, &dyn Format)], findings: &[Finding<'_>], compiled: &Compiled) -> Exit {
    let mut exit = Exit::Fine;
    for (path, format) in files {
        if let Some(text) = compiled.with_sources(|sources| format.render(findings, sources)) {
            let written = output::write(path, &text);
            exit = if exit == Exit::Fine { written } else { exit };
        }
    }
    exit
}

/// A page of executions, and what each is shown for.
pub fn write_page(path: &Path, shown: &[(String, Evidence)], program: &Program, compiled: &Compiled) -> Exit {
    let findings = shown.iter().map(finding_of).collect::<Vec<_>>();
    let text = compiled.with_sources(|sources| Page.render(&findings, &Sources { program, ..*sources }));
    text.map_or(Exit::Fine, |text| output::write(path, &text))
}

fn finding_of((about, evidence): &(String, Evidence)) -> Finding<'_> {
    let (answer, cycle) = match evidence {
        Evidence::Violation(verdict) => (Answer::Safety(verdict), &[][..]),
        Evidence::Cycle(verdict) => (Answer::Robustness(verdict), cycle_of(verdict)),
    };
    Finding { answer, cycle, about: Some(about) }
}

fn cycle_of(verdict: &RobustnessVerdict) -> &[CycleEdge] {
    match &verdict.outcome {
        Robustness::NotRobust(cyclic) => cyclic.cycle(),
        Robustness::Robust { .. } | Robustness::Unknown(_) => &[],
    }
}

/// Why the counterexample is none of sequential consistency, if the weak model is to blame.
///
/// Its end leaves stores in buffers that never reach memory, and they may be what closes the circle. So where the
/// execution as it is has none, its thread stops at the error instead of ending the program, and all stores commit.
fn cycle(verdict: &Verdict, checks: Checks, compiled: &Compiled) -> Vec<CycleEdge> {
    let Outcome::Unsafe(found) = &verdict.outcome else { return Vec::new() };
    if verdict.model == Model::Sc {
        return Vec::new();
    }
    let told = &found.trace().events;
    let edges = |checks, schedule| match confirm_cycle(&compiled.program, checks, schedule) {
        // Only events that the counterexample has, too.
        Ok(cyclic) => {
            let same = cyclic.trace().events.iter().zip(told).take_while(|(one, other)| one == other).count();
            let is_told =
                |edge: &CycleEdge| [edge.from, edge.to].iter().all(|p| p.event.is_none_or(|e| e.index() < same));
            Some(cyclic.cycle().to_vec()).filter(|cycle| cycle.iter().all(is_told))
        }
        Err(_) => None,
    };
    let going_on = Checks { basic: Basic::Nothing, ..Checks::DEFAULT };
    let as_it_is = edges(checks, found.schedule().clone());
    as_it_is.or_else(|| edges(going_on, with_all_commits(found))).unwrap_or_default()
}

fn with_all_commits(found: &Counterexample) -> Schedule {
    let mut schedule = found.schedule().clone();
    let events = found.trace().events.iter();
    let stores = events.filter(|event| matches!(event.kind, EventKind::Write { buffered: true, .. }));
    let commits =
        stores.filter_map(|event| Some(Step::Commit { thread: found.trace().name(event.thread)?, step: event.step? }));
    let missing = commits.filter(|commit| !schedule.steps.contains(commit)).collect::<Vec<_>>();
    schedule.steps.extend(missing);
    schedule
}
