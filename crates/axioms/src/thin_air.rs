//! Does a model forbid values out of thin air?
//!
//! Such a value comes from reads and writes that hand it to each other in a circle, each write depending on the read before
//! it. The search builds executions along dependencies and the reading of values, so it does not meet those. Whether a model
//! forbids them is asked of it: it is shown small circles, one for each kind of dependency and with two or three threads, in
//! which reads find nothing but what comes from the circle. The models that come with Norn forbid all circles, by their
//! axioms. A model of one's own that forbids these is taken to forbid the others, which are made of the same parts.

use norn_cat::{Evaluation, Execution, Model, Relation, Set, Stage};

/// How a write depends on the read before it in its thread.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Link {
    Addr,
    Data,
    Ctrl,
    /// By the address of an access between the two.
    AddrBetween,
    /// The value goes through a write and a read of the thread.
    Forwarded,
}

/// A circle of as many threads: each reads what the one before has written.
struct Circle {
    threads: usize,
    link: Link,
    /// The set of plain accesses, if the model has one that it looks at.
    tag: &'static str,
}

/// Whether the model forbids all of these circles.
pub fn is_forbidden(model: &Model) -> bool {
    let links = [Link::Addr, Link::Data, Link::Ctrl, Link::AddrBetween, Link::Forwarded];
    links.into_iter().all(|link| {
        (2..=3).all(|threads| {
            let circle = Circle { threads, link, tag: if model.mentions("RLX") { "RLX" } else { "" } };
            let mut evaluation = Evaluation::new(model);
            Stage::ALL.into_iter().any(|stage| {
                evaluation.advance(stage, &circle);
                evaluation.failure(stage).is_some()
            })
        })
    })
}

/// The events of a thread: the read, what is between if anything is, and the write. Thread n writes place n, and the
/// initial write of place n has number n; places of their own are used between.
impl Circle {
    fn between(&self) -> usize {
        match self.link {
            Link::Addr | Link::Data | Link::Ctrl => 0,
            Link::AddrBetween => 1,
            Link::Forwarded => 2,
        }
    }

    fn initial(&self) -> usize {
        2 * self.threads
    }

    /// The number of an event of a thread.
    fn event(&self, thread: usize, index: usize) -> usize {
        self.initial() + thread * (self.between() + 2) + index
    }

    fn thread(&self, event: usize) -> Option<usize> {
        event.checked_sub(self.initial()).map(|event| event / (self.between() + 2))
    }

    fn index(&self, event: usize) -> usize {
        (event - self.initial()) % (self.between() + 2)
    }

    fn is_read(&self, event: usize) -> bool {
        event >= self.initial()
            && match (self.index(event), self.link) {
                (0, _) | (1, Link::AddrBetween) | (2, Link::Forwarded) => true,
                (_, _) => false,
            }
    }

    /// Places 0 … threads − 1 are those of the circle, the others those between.
    fn place(&self, event: usize) -> usize {
        let Some(thread) = self.thread(event) else { return event };
        match self.index(event) {
            0 => (thread + self.threads - 1) % self.threads,
            index if index == self.between() + 1 => thread,
            _ => self.threads + thread,
        }
    }

    fn pairs(&self, pairs: impl Fn(usize) -> Vec<(usize, usize)>) -> Relation {
        let of_thread =
            |thread| pairs(thread).into_iter().map(move |(from, to)| (thread, from, to)).collect::<Vec<_>>();
        let all = (0..self.threads).flat_map(of_thread);
        Relation::of(self.events(), all.map(|(thread, from, to)| (self.event(thread, from), self.event(thread, to))))
    }

    fn all(&self, holds: impl Fn(usize, usize) -> bool) -> Relation {
        let count = self.events();
        let pairs = (0..count).flat_map(|a| (0..count).map(move |b| (a, b)));
        Relation::of(count, pairs.filter(|&(a, b)| holds(a, b)))
    }

    fn rf(&self) -> Relation {
        let last = self.between() + 1;
        let around =
            (0..self.threads).map(|thread| (self.event(thread, last), self.event((thread + 1) % self.threads, 0)));
        let inside = (0..self.threads).filter_map(|thread| match self.link {
            Link::Forwarded => Some((self.event(thread, 1), self.event(thread, 2))),
            Link::AddrBetween => Some((self.threads + thread, self.event(thread, 1))),
            _ => None,
        });
        Relation::of(self.events(), around.chain(inside))
    }

    fn co(&self) -> Relation {
        self.all(|a, b| a < self.initial() && b >= self.initial() && !self.is_read(b) && self.place(a) == self.place(b))
    }
}

impl Execution for Circle {
    fn events(&self) -> usize {
        self.event(self.threads, 0)
    }

    fn set(&self, name: &str) -> Set {
        let count = self.events();
        let is_thread = |event: &usize| *event >= self.initial();
        match name {
            "R" => Set::of(count, (0..count).filter(|&event| self.is_read(event))),
            "W" => Set::of(count, (0..count).filter(|&event| !self.is_read(event))),
            "M" => Set::all(count),
            "IW" => Set::of(count, 0..self.initial()),
            tag if tag == self.tag => Set::of(count, (0..count).filter(is_thread)),
            _ => Set::empty(count),
        }
    }

    fn relation(&self, name: &str) -> Relation {
        let int = || self.all(|a, b| self.thread(a) == self.thread(b));
        let po = || self.all(|a, b| self.thread(a).is_some() && self.thread(a) == self.thread(b) && a < b);
        let loc = || self.all(|a, b| self.place(a) == self.place(b));
        let fr = || self.rf().inverse().compose(&self.co());
        let last = self.between() + 1;
        let when = |is: bool, from: usize, to: usize| self.pairs(|_| if is { vec![(from, to)] } else { Vec::new() });
        match name {
            "id" | "si" => Relation::identity(self.events()),
            "int" => int(),
            "ext" => int().complement(),
            "loc" => loc(),
            "po" => po(),
            "po-loc" => po().intersection(&loc()),
            "addr" => when(self.link == Link::Addr, 0, last).union(&when(self.link == Link::AddrBetween, 0, 1)),
            "data" => {
                let forwarded = self.link == Link::Forwarded;
                when(self.link == Link::Data, 0, last).union(&when(forwarded, 0, 1)).union(&when(forwarded, 2, last))
            }
            "ctrl" => when(self.link == Link::Ctrl, 0, last),
            "rf" => self.rf(),
            "rfi" => self.rf().intersection(&int()),
            "rfe" => self.rf().difference(&int()),
            "co" => self.co(),
            "coi" => self.co().intersection(&int()),
            "coe" => self.co().difference(&int()),
            "fr" => fr(),
            "fri" => fr().intersection(&int()),
            "fre" => fr().difference(&int()),
            _ => Relation::empty(self.events()),
        }
    }
}
