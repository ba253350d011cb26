//! Projects: of many files, those are linked that the entry needs.
//!
//! It is what a linker does with archives. The files that the user gave belong to the program. If the entry leads to a
//! name that they do not define, the file that defines it is added, and so on. So a project may have several programs,
//! each with its own `main`, and files that Norn cannot read do no harm if nothing needs them. A file whose text seems
//! to define what is still missing is needed, and then what is wrong with it is said.
//!
//! Where two files define the same name and neither was given, it is not guessed which of them is meant.

use super::outline::defined_names;
use super::{Compiled, Driver, Input, defined_functions, guess_target, with_stack};
use crate::intern::Symbol;
use crate::link::{self, Extent, Linked};
use crate::session::{Options, Session, Target};
use crate::token::Token;
use crate::tree::{Definition, Linkage, Unit};
use crate::{parse, pp};
use norn_ir::diag::{Diagnostic, Severity};
use norn_ir::program::Program;
use norn_ir::source::Loc;
use std::path::PathBuf;

/// The files of a project.
#[derive(Clone, Debug, Default)]
pub struct Project {
    /// They belong to the program.
    pub given: Vec<Input>,
    /// They belong to the program if they are needed.
    pub others: Vec<Input>,
    /// They cannot be read, for these reasons.
    pub unreadable: Vec<(PathBuf, String)>,
}

/// Compiles what the entry of a project needs into one program.
pub fn compile_project(options: Options, target: Option<Target>, project: Project) -> Compiled {
    with_stack(move || {
        let mut driver = Driver::new(options, target);
        let program = driver.project(project);
        let Driver { session: Session { diagnostics, sources, .. }, times, .. } = driver;
        Compiled { program, diagnostics, sources, times }
    })
}

/// A file that was read.
struct Candidate {
    name: String,
    unit: Unit,
    /// What was found on the way, no errors.
    findings: Vec<Diagnostic>,
    tokens: Option<Vec<Token>>,
}

/// A file that cannot be read.
struct Broken {
    path: PathBuf,
    findings: Vec<Diagnostic>,
}

/// More than one file defines what is looked for; this has been reported.
struct Ambiguous;

/// A program with the tokens of which it was made.
type WithTokens = (Linked, Vec<Option<Vec<Token>>>);

/// At most this many files are listed.
const LISTED: usize = 8;

impl Driver {
    fn project(&mut self, project: Project) -> Option<Program> {
        let Project { given, others, unreadable } = project;
        let names = given.iter().map(name_of).collect::<Vec<_>>();
        let inputs = given.into_iter().chain(others).collect::<Vec<_>>();
        self.session.options.target = self.target.or_else(|| guess_target(&inputs)).unwrap_or_default();
        let (read, mut broken) = self.read_apart(&inputs);
        broken.extend(unreadable.into_iter().map(|(path, why)| {
            let message = format!("cannot read '{}': {why}", path.display());
            Broken { path, findings: vec![Diagnostic::error(Loc::NONE, message)] }
        }));
        let is_given = |name: &str| names.iter().any(|given| given == name);
        let is_wrong = |file: &Broken| is_given(&file.path.display().to_string());
        if broken.iter().any(is_wrong) {
            let wrong = broken.into_iter().filter(is_wrong);
            wrong.flat_map(|file| file.findings).for_each(|found| self.session.report(found));
            return None;
        }
        let (first, rest) = read.into_iter().partition(|file| is_given(&file.name));
        let (linked, streams) = self.link_needed(first, rest, broken)?;
        if self.session.has_errors() || self.session.has_unsupported() {
            return None;
        }
        let linked = self.add_models(linked)?;
        self.lower(linked, streams)
    }

    /// Reads, parses and checks each file; what is found stays with the file.
    fn read_apart(&mut self, inputs: &[Input]) -> (Vec<Candidate>, Vec<Broken>) {
        let (mut trees, mut broken) = (Vec::new(), Vec::new());
        for input in inputs {
            let before = self.session.put_aside();
            let tokens = self.preprocess(input);
            let tree = tokens.as_ref().filter(|_| !self.session.has_errors()).map(|tokens| {
                let session = &mut self.session;
                self.times.measure("parse", || parse::parse(session, tokens))
            });
            let tree = tree.filter(|_| !self.session.has_errors());
            let findings = self.session.take_up(before);
            match tree {
                Some(tree) => trees.push((name_of(input), tree, findings, tokens)),
                None => broken.push(Broken { path: name_of(input).into(), findings }),
            }
        }
        let defined = trees.iter().flat_map(|(_, tree, ..)| defined_functions(&self.session, tree)).collect();
        self.session.defined_functions = defined;
        let mut read = Vec::new();
        for (name, tree, mut findings, tokens) in trees {
            let before = self.session.put_aside();
            let unit = self.check(tree);
            let is_wrong = self.session.has_errors();
            findings.extend(self.session.take_up(before));
            match is_wrong {
                true => broken.push(Broken { path: name.into(), findings }),
                false => read.push(Candidate { name, unit, findings, tokens }),
            }
        }
        (read, broken)
    }

    /// Links the first files with those of the others that the entry needs.
    fn link_needed(
        &mut self,
        mut first: Vec<Candidate>,
        mut rest: Vec<Candidate>,
        broken: Vec<Broken>,
    ) -> Option<WithTokens> {
        let entry = self.session.options.entry.clone();
        if !first.iter().any(|file| definition(&file.unit, &self.session, &entry).is_some()) {
            let Ok(found) = self.only_definition(&rest, &entry, false) else { return None };
            let Some(at) = found else {
                let message = format!("no function '{entry}' in any file that can be read");
                let help = "--entry FUNC names the function in which the program starts";
                self.session.report(Diagnostic::error(Loc::NONE, message).help(help));
                self.report_broken(&[entry], broken);
                return None;
            };
            first.push(rest.remove(at));
        }
        let (mut streams, mut units) = (Vec::new(), Vec::new());
        for file in first {
            file.findings.into_iter().for_each(|found| self.session.report(found));
            streams.push(file.tokens);
            units.push(file.unit);
        }
        let (session, types, count) = (&mut self.session, &self.types, units.len());
        let mut linked = self.times.measure("link", || link::link(session, types, units, count, Extent::FromEntry));
        let missing = loop {
            let wanted = linked.wanted_names(&self.session);
            let mut next = None;
            for name in &wanted {
                match self.only_definition(&rest, &name.name, name.is_defined) {
                    Err(Ambiguous) => return None,
                    Ok(None) => {}
                    Ok(Some(at)) => {
                        next = Some(at);
                        break;
                    }
                }
            }
            let Some(at) = next else {
                // A file that cannot be read may also have what would win over a weak definition.
                break wanted.into_iter().map(|name| name.name).collect::<Vec<_>>();
            };
            let file = rest.remove(at);
            file.findings.into_iter().for_each(|found| self.session.report(found));
            streams.push(file.tokens);
            let (session, types) = (&mut self.session, &self.types);
            self.times.measure("link", || linked.add_unit(session, types, file.unit));
        };
        self.report_broken(&missing, broken).then_some((linked, streams))
    }

    /// The place of the only file that defines a name, or of the only one that does not do so weakly.
    fn only_definition(&mut self, files: &[Candidate], name: &str, strong: bool) -> Result<Option<usize>, Ambiguous> {
        let found = files.iter().enumerate().filter_map(|(at, file)| {
            let (kind, loc) = definition(&file.unit, &self.session, name)?;
            Some((kind, at, loc))
        });
        let found = found.filter(|(kind, ..)| !strong || *kind > Kind::Weak).collect::<Vec<_>>();
        let strongest = found.iter().map(|(kind, ..)| *kind).max();
        let found = found.into_iter().filter(|(kind, ..)| Some(*kind) == strongest).collect::<Vec<_>>();
        match found[..] {
            [] => Ok(None),
            // Inline functions and tentative definitions are the same everywhere.
            [(_, at, _)] | [(Kind::Shared, at, _), ..] => Ok(Some(at)),
            [(_, first, loc), ..] => {
                let names = found.iter().map(|&(_, at, _)| files[at].name.as_str());
                let message = format!("{} files define '{name}': {}", found.len(), list(names));
                let mut error = Diagnostic::error(loc, message);
                for &(_, _, loc) in found.iter().skip(1).take(2) {
                    error = error.also(loc, "another definition");
                }
                let help = format!("name the file that is meant in the command line, such as '{}'", files[first].name);
                self.session.report(error.help(help));
                Err(Ambiguous)
            }
        }
    }

    /// Says which files are left out. Reports what is wrong with those that seem to define what is missing, and returns
    /// whether there are none.
    fn report_broken(&mut self, missing: &[String], broken: Vec<Broken>) -> bool {
        let (mut needed, mut left_out) = (Vec::new(), Vec::new());
        for file in broken {
            let defined = pp::read_text(&file.path).map(|text| defined_names(&text)).unwrap_or_default();
            match missing.iter().find(|name| defined.contains(*name)) {
                Some(name) => needed.push((file, name.clone())),
                None => left_out.push(file),
            }
        }
        if !left_out.is_empty() {
            let reasons = left_out.iter().map(|file| format!("{} ({})", file.path.display(), self.first_error(file)));
            let reasons = reasons.collect::<Vec<_>>();
            let entry = &self.session.options.entry;
            let reasons = list(reasons.iter().map(String::as_str));
            let message = format!("left out, as nothing that '{entry}' needs seems to be defined there: {reasons}");
            self.session.report(Diagnostic::warning(Loc::NONE, message));
        }
        for (file, name) in &needed {
            let file_name = file.path.display();
            let message = format!("'{name}' is needed and seems to be defined in '{file_name}', which cannot be read");
            self.session.report(Diagnostic::error(Loc::NONE, message).help("what is wrong with that file follows"));
            file.findings.iter().for_each(|found| self.session.report(found.clone()));
        }
        needed.is_empty()
    }

    /// What is wrong with a file, and where, in short.
    fn first_error(&self, file: &Broken) -> String {
        let error = file.findings.iter().find(|found| found.severity == Severity::Error);
        let place = error.and_then(|found| self.session.sources.presumed(found.labels.first()?.loc));
        let place = place.map(|place| format!("{}:{}: ", place.file, place.line)).unwrap_or_default();
        format!("{place}{}", error.map_or("it cannot be read", |found| &found.message))
    }
}

/// How strongly a file defines a name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Kind {
    /// With internal linkage: only good as an entry.
    Internal,
    Weak,
    /// Other files may say the same: an inline function, a tentative definition.
    Shared,
    Strong,
}

/// Whether a unit defines a name, and where.
fn definition(unit: &Unit, session: &Session, name: &str) -> Option<(Kind, Loc)> {
    let function = |symbol: Symbol| {
        let f = unit.functions.iter().find(|f| f.name == symbol && (f.body.is_some() || f.symbolic.alias.is_some()))?;
        let kind = match f.linkage {
            Linkage::Internal if name == session.options.entry => Kind::Internal,
            Linkage::Internal => return None,
            Linkage::External if f.symbolic.weak => Kind::Weak,
            Linkage::External if f.inline => Kind::Shared,
            Linkage::External => Kind::Strong,
        };
        Some((kind, f.loc))
    };
    let object = || {
        let o = unit.objects.iter().find(|o| o.linkage == Linkage::External && o.name.as_deref() == Some(name))?;
        let kind = match o.definition {
            Definition::Declared if o.symbolic.alias.is_none() => return None,
            _ if o.symbolic.weak => Kind::Weak,
            Definition::Tentative => Kind::Shared,
            _ => Kind::Strong,
        };
        Some((kind, o.loc))
    };
    session.symbols.get(name).and_then(function).or_else(object)
}

fn list<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let more = names.len().saturating_sub(LISTED);
    let mut text = names.take(LISTED).collect::<Vec<_>>().join(", ");
    if more > 0 {
        text += &format!(", and {more} more");
    }
    text
}

fn name_of(input: &Input) -> String {
    match input {
        Input::File(path) | Input::Configured { path, .. } => path.display().to_string(),
        Input::Text { name, .. } => name.clone(),
    }
}
