//! What the machine tells about an execution, kept.

use norn_ir::instr::FenceKind;
use norn_machine::eval::Value;
use norn_machine::memory::ObjectKind;
use norn_machine::observe::{Happening, Observer, Scene, Spot};
use norn_verdict::schedule::StepNumber;
use norn_verdict::trace::ThreadIndex;

/// What happened, in which thread (by its number) and visible step.
#[derive(Clone, Debug)]
pub struct Told {
    pub thread: ThreadIndex,
    /// `None` while a thread runs silently.
    pub step: Option<StepNumber>,
    pub what: What,
}

#[derive(Clone, Debug)]
pub enum What {
    Read { place: Place, value: Content, forwarded: Option<StepNumber> },
    Write { place: Place, value: Content, buffered: bool },
    Update { place: Place, old: Content, new: Option<Content> },
    Commit { step: StepNumber },
    Fence,
    Create { thread: ThreadIndex },
    Join { thread: ThreadIndex },
    Ends,
    Input { value: u64 },
}

#[derive(Clone, PartialEq, Debug)]
pub struct Place {
    /// Whether it is a global; addresses of others are not compared.
    pub global: Option<u32>,
    pub offset: u64,
    pub size: u64,
}

/// A value of the machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Content {
    pub bits: u64,
    pub is_address: bool,
}

impl From<Value> for Content {
    fn from(value: Value) -> Content {
        Content { bits: value.bits, is_address: value.object.is_some() }
    }
}

#[derive(Default)]
pub struct Listener {
    pub told: Vec<Told>,
}

fn place(scene: &Scene<'_>, spot: Spot) -> Place {
    let global = match scene.state.memory.object(spot.object).info.kind {
        ObjectKind::Global(id) => Some(id.0),
        _ => None,
    };
    Place { global, offset: spot.offset, size: spot.size }
}

impl Observer for Listener {
    fn happened(&mut self, scene: &Scene<'_>, what: &Happening<'_>) {
        let what = match *what {
            Happening::Read { spot, value, forwarded } => {
                What::Read { place: place(scene, spot), value: value.into(), forwarded }
            }
            Happening::Write { spot, value, buffered } => {
                What::Write { place: place(scene, spot), value: value.into(), buffered }
            }
            Happening::Update { spot, old, new } => {
                What::Update { place: place(scene, spot), old: old.into(), new: new.map(Content::from) }
            }
            Happening::Commit { step, .. } => What::Commit { step },
            Happening::Fence(FenceKind::Acquire | FenceKind::LoadLoad | FenceKind::Compiler) => return,
            // Inside a section a fence orders nothing.
            Happening::Fence(_) if scene.step.is_some() => return,
            Happening::Fence(_) => What::Fence,
            Happening::Create { thread } => What::Create { thread },
            Happening::Join { thread } => What::Join { thread },
            Happening::ObjectEnds { object, .. } if scene.state.memory.object(object).is_shared() => {
                if let Some(Told { thread, step, what: What::Ends }) = self.told.last()
                    && *thread == scene.thread
                    && *step == scene.step
                {
                    return;
                }
                What::Ends
            }
            Happening::Input { value, .. } => What::Input { value },
            _ => return,
        };
        self.told.push(Told { thread: scene.thread, step: scene.step, what });
    }
}
