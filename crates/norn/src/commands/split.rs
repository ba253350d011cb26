//! `norn split`: one question, in pieces.

use crate::exit::Exit;
use crate::frontend::{self, Decisions};
use crate::loops;
use crate::output;
use crate::tiles::args::SplitArgs;
use crate::tiles::cutting::{misplaced, pieces};
use crate::tiles::folder::TileFolder;
use crate::watch;
use norn_tiles::kubernetes::manifest;

pub fn run(args: &SplitArgs) -> Exit {
    let cut = args.cut();
    if let Some(message) = misplaced(&cut) {
        return output::fail(&message, Exit::Usage);
    }
    watch::limit(args.limits.timeout, args.limits.memory());
    let compiled = match frontend::compile(&args.c, Decisions::Marked) {
        Ok(compiled) => compiled,
        Err(failure) => return failure.into(),
    };
    if let Err(message) = loops::check_bounds(&compiled.program, &args.unwind) {
        return output::fail(&message, Exit::Usage);
    }
    let pieces = match pieces(&cut, &compiled, &args.c.entry) {
        Ok(pieces) => pieces,
        Err(exit) => return exit,
    };
    watch::end_task();
    let (folder, shown) = (TileFolder::new(&args.output), args.output.display());
    let numbers = folder.make().and_then(|()| folder.numbers());
    match numbers {
        Err(error) => return output::fail(&format!("cannot write to '{shown}': {error}"), Exit::Unwritten),
        Ok(found) if !found.is_empty() => {
            return output::fail(&format!("'{shown}' has pieces already: give a folder without"), Exit::Usage);
        }
        Ok(_) => {}
    }
    let mut written = pieces.iter().try_for_each(|piece| folder.write_piece(piece));
    let prints = pieces[0].prints();
    if args.kubernetes && written.is_ok() {
        written = folder.write_manifest(&manifest(&format!("norn-{}", &prints.question[..8]), pieces[0].tiles));
    }
    if let Err(error) = written {
        return output::fail(&format!("cannot write to '{shown}': {error}"), Exit::Unwritten);
    }
    let fewer = match pieces[0].tiles < args.tiles {
        true => ": there are no more choices",
        false => "",
    };
    output::print(&format!("norn: {} tiles in '{shown}'{fewer}\n", pieces[0].tiles))
}
