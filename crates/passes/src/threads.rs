//! The threads that a bounded program can create. Every spawn of a bounded program runs at most once per run of its
//! function, so that there are finitely many, unless threads start copies of themselves.
//!
//! The start functions are not copied per thread: engines execute them as often as there are threads.

use std::fmt;

use norn_ir::ids::FuncId;
use norn_ir::program::Program;

use crate::Site;
use crate::points_to::PointsTo;

norn_ir::ids! {
    /// A thread that may come to be: an index into the list that [`thread_instances`] gives. 0 is the entry thread. Not
    /// the number that the program sees, which depends on the order of creation.
    ThreadId = "thread";
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ThreadInstance {
    pub start: FuncId,
    /// The thread and the spawn that create it; `None` for the entry thread. A spawn with several possible start
    /// functions has an instance for each, of which at most one comes to be.
    pub creator: Option<(ThreadId, Site)>,
}

/// There would be more threads than allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooManyThreads {
    pub limit: usize,
    /// The spawn that goes too far.
    pub site: Site,
}

impl fmt::Display for TooManyThreads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the program creates more than {} threads", self.limit)
    }
}

impl std::error::Error for TooManyThreads {}

/// `program` should be bounded, and `points_to` be made for it: after inlining it tells the spawns of one wrapper apart.
/// Instances come in the order of their creators, for one creator in the order of its spawns.
pub fn thread_instances(
    program: &Program,
    points_to: &PointsTo,
    limit: usize,
) -> Result<Vec<ThreadInstance>, TooManyThreads> {
    let mut instances = vec![ThreadInstance { start: program.entry, creator: None }];
    let mut spawns: Vec<Option<Vec<(Site, FuncId)>>> = vec![None; program.functions.len()];
    let mut next = 0;
    while next < instances.len() {
        let creator = ThreadId::new(next);
        let id = instances[next].start;
        next += 1;
        for &mut (site, start) in spawns[id.index()].get_or_insert_with(|| points_to.spawns_of(id)) {
            if instances.len() >= limit {
                return Err(TooManyThreads { limit, site });
            }
            instances.push(ThreadInstance { start, creator: Some((creator, site)) });
        }
    }
    Ok(instances)
}
