//! `norn gather`: what the answers to all pieces say together.

use crate::exit::Exit;
use crate::tiles::args::GatherArgs;
use crate::tiles::folder::TileFolder;
use crate::tiles::telling::tell;
use crate::watch;

pub fn run(args: &GatherArgs) -> Exit {
    watch::limit(args.limits.timeout, args.limits.memory());
    match tell(&TileFolder::new(&args.folder), &args.told(), None) {
        Ok(told) => told.exit,
        Err(exit) => exit,
    }
}
