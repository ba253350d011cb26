use super::*;
use norn_verdict::limits::StopToken;
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;

thread_local! {
    static WORKED: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// A clock that goes on only when a thread works.
fn worked() -> Duration {
    WORKED.get()
}

fn work(milliseconds: u64) {
    WORKED.set(WORKED.get() + Duration::from_millis(milliseconds));
}

fn nothing() -> Option<u64> {
    None
}

fn turnstile(searches: usize, permits: usize, limits: &Limits) -> Arc<Turnstile> {
    Turnstile::with_clock(&vec![2; searches], permits, limits, worked, nothing)
}

/// Runs each search on a thread; its seat is dropped when it returns.
fn run_all(turnstile: &Arc<Turnstile>, searches: usize, search: impl Fn(usize, Seat) + Sync) {
    thread::scope(|scope| {
        for number in 0..searches {
            let (seat, search) = (Seat::new(turnstile, number), &search);
            scope.spawn(move || search(number, seat));
        }
    });
}

/// Works a millisecond at a time until it has to end, which it does after so many at the latest.
fn work_on(seat: &Seat, most: u64, mut at_work: impl FnMut()) -> Option<Exceeded> {
    let gate = seat.gate();
    for _ in 0..most {
        if let Some(ended) = gate.pass() {
            return Some(ended);
        }
        at_work();
        work(1);
    }
    gate.pass()
}

#[test]
fn no_more_run_than_there_are_permits() {
    for permits in [1, 2, 3] {
        let turnstile = turnstile(5, permits, &Limits::none());
        let (inside, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        run_all(&turnstile, 5, |_, seat| {
            let at_work = || {
                most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                thread::yield_now();
                inside.fetch_sub(1, Ordering::SeqCst);
            };
            assert_eq!(work_on(&seat, 200, at_work), None);
        });
        assert!((1..=permits).contains(&most.load(Ordering::SeqCst)), "{permits} permits, {most:?} at a time");
        assert_eq!(turnstile.used(), [Duration::from_millis(200); 5]);
    }
}

/// Who had the turn, and for how many milliseconds.
fn slices(weights: &[u32], work_of: impl Fn(usize) -> u64 + Sync, milliseconds: u64) -> Vec<(usize, u64)> {
    let turnstile = Turnstile::with_clock(weights, 1, &Limits::none(), worked, nothing);
    let log: Mutex<Vec<(usize, u64)>> = Mutex::default();
    run_all(&turnstile, weights.len(), |number, seat| {
        let gate = seat.gate();
        let mut left = milliseconds;
        while left > 0 && gate.pass().is_none() {
            let step = work_of(number).min(left);
            let mut log = log.lock().expect("nobody should panic");
            match log.last_mut() {
                Some((last, time)) if *last == number => *time += step,
                _ => log.push((number, step)),
            }
            work(step);
            left -= step;
        }
    });
    log.into_inner().expect("nobody should panic")
}

#[test]
fn slices_double() {
    assert_eq!(slices(&[2, 2], |_| 1, 70), [(0, 10), (1, 10), (0, 20), (1, 20), (0, 40), (1, 40)]);
    assert_eq!(slices(&[2, 6], |_| 1, 90), [(0, 10), (1, 30), (0, 20), (1, 60), (0, 60)]);
}

#[test]
fn whoever_is_soon_done_has_longer_slices() {
    let turnstile = turnstile(2, 1, &Limits::none());
    let others = AtomicU64::new(0);
    run_all(&turnstile, 2, |number, seat| {
        if number == 0 {
            assert_eq!(
                work_on(&seat, u64::MAX, || _ = others.fetch_add(1, Ordering::SeqCst)),
                Some(Exceeded::Interrupted)
            );
        } else {
            assert_eq!(work_on(&seat, 30, || {}), None);
            let before = others.load(Ordering::SeqCst);
            turnstile.has_done(1, 0.3);
            assert_eq!(work_on(&seat, 1000, || {}), None);
            let meanwhile = others.load(Ordering::SeqCst) - before;
            assert!((100..=560).contains(&meanwhile), "{meanwhile} ms beside 1000");
            seat.leave(true);
        }
    });
}

#[test]
fn whoever_took_more_waits_until_others_have_caught_up() {
    // The first looks only after 100 ms: that is its part of the first three rounds, and some of the fourth.
    let slices = slices(&[2, 2], |number| if number == 0 { 100 } else { 1 }, 200);
    assert_eq!(slices, [(0, 100), (1, 70), (0, 100), (1, 130)]);
}

#[test]
fn nobody_waits_for_more_than_a_few_times_what_it_needs() {
    const NEEDED: u64 = 1000;
    for last in 0..4 {
        let turnstile = turnstile(4, 1, &Limits::none());
        run_all(&turnstile, 4, |number, seat| {
            if number == last {
                assert_eq!(work_on(&seat, NEEDED, || {}), None);
                seat.leave(true);
            } else {
                assert_eq!(work_on(&seat, u64::MAX, || {}), Some(Exceeded::Interrupted));
            }
        });
        let all: Duration = turnstile.used().iter().sum();
        assert!(all <= Duration::from_millis(8 * NEEDED), "{all:?} for {NEEDED} ms");
    }
}

#[test]
fn an_answer_ends_the_others_and_so_do_limits() {
    type End<'a> = &'a (dyn Fn(&Limits, Seat) + Sync);
    let ends: [(End<'_>, Exceeded); 3] = [
        (&|_, seat| seat.leave(true), Exceeded::Interrupted),
        (&|limits, _| limits.stop.stop(), Exceeded::Interrupted),
        (&|_, seat| while seat.gate().pass().is_none() {}, Exceeded::Time),
    ];
    for permits in [1, 4] {
        for (end, expected) in &ends {
            let limits = Limits { stop: StopToken::default(), ..Limits::for_seconds(0.2) };
            let turnstile = turnstile(4, permits, &limits);
            run_all(&turnstile, 4, |number, seat| {
                let ended = work_on(&seat, if number == 2 { 35 } else { u64::MAX }, || {});
                match number {
                    2 => {
                        assert_eq!(ended, None);
                        end(&limits, seat);
                    }
                    _ => assert_eq!(ended, Some(*expected)),
                }
            });
        }
    }
}

#[test]
fn after_a_panic_all_end() {
    let turnstile = turnstile(3, 1, &Limits::none());
    thread::scope(|scope| {
        for number in 0..2 {
            let seat = Seat::new(&turnstile, number);
            scope.spawn(move || assert_eq!(work_on(&seat, u64::MAX, || {}), Some(Exceeded::Interrupted)));
        }
        let seat = Seat::new(&turnstile, 2);
        let panics = scope.spawn(move || {
            work_on(&seat, 15, || {});
            std::panic::resume_unwind(Box::new("no hook"));
        });
        assert!(panics.join().is_err());
    });
}

/// In the first rounds the order decides who has the answer, however many run at the same time.
#[test]
fn the_order_decides_between_early_answers() {
    let answered = |needed: [u64; 3], permits| {
        let turnstile = turnstile(3, permits, &Limits::none());
        // The first waits until the others have ended, so that the clock cannot decide.
        let others = AtomicUsize::new(0);
        run_all(&turnstile, 3, |number, seat| {
            while permits > 1 && number == 0 && others.load(Ordering::SeqCst) < permits - 1 {
                thread::yield_now();
            }
            let has_answer = work_on(&seat, needed[number], || {}).is_none();
            seat.leave(has_answer);
            others.fetch_add(1, Ordering::SeqCst);
        });
        turnstile.winner()
    };
    for permits in [1, 3] {
        assert_eq!(answered([8, 5, 5], permits), Some(0));
        assert_eq!(
            answered([25, 28, 5], permits),
            Some(2),
            "the others have used up the slice in which the last has it"
        );
        assert_eq!(answered([25, 28, 15], permits), Some(0));
    }
    // Later nobody waits for who is slow.
    assert_eq!(answered([u64::MAX, u64::MAX, 100], 3), Some(2));
}

static RESIDENT: AtomicU64 = AtomicU64::new(0);

fn resident() -> Option<u64> {
    Some(RESIDENT.load(Ordering::SeqCst))
}

#[test]
fn whoever_grows_most_ends_when_memory_becomes_scarce() {
    let limits = Limits { memory: Some(1000), ..Limits::none() };
    let turnstile = Turnstile::with_clock(&[1, 1, 1], 1, &limits, worked, resident);
    let ended = Mutex::new(Vec::new());
    run_all(&turnstile, 3, |number, seat| {
        let gate = seat.gate();
        let mut own = 0;
        let why = loop {
            if let Some(why) = gate.pass() {
                break why;
            }
            work(1);
            own += [1, 3, 0][number];
            RESIDENT.fetch_add([1, 3, 0][number], Ordering::SeqCst);
            if number == 2 && worked() == Duration::from_secs(2) {
                turnstile.cancel();
            }
        };
        ended.lock().expect("nobody should panic").push((number, why, own));
        RESIDENT.fetch_sub(own, Ordering::SeqCst);
    });
    let ended = ended.into_inner().expect("nobody should panic");
    let who = ended.iter().map(|&(number, why, _)| (number, why)).collect::<Vec<_>>();
    assert_eq!(who, [(1, Exceeded::Memory), (0, Exceeded::Memory), (2, Exceeded::Interrupted)]);
    assert!(ended[0].2 < 500, "it may have half of the memory: {ended:?}");
    assert!((700..=751).contains(&ended[1].2), "half of what is left beyond the half: {ended:?}");
}

#[test]
fn the_last_one_may_have_all_the_memory() {
    static OWN: AtomicU64 = AtomicU64::new(0);
    let limits = Limits { memory: Some(1000), ..Limits::none() };
    let resident = || Some(OWN.load(Ordering::SeqCst));
    let turnstile = Turnstile::with_clock(&[1, 1], 2, &limits, worked, resident);
    Seat::new(&turnstile, 0).leave(false);
    let seat = Seat::new(&turnstile, 1);
    let ended = work_on(&seat, u64::MAX, || _ = OWN.fetch_add(1, Ordering::SeqCst));
    assert_eq!((ended, OWN.load(Ordering::SeqCst)), (Some(Exceeded::Memory), 1001));
}

/// Who grew in its own turns ends, though somebody else looks when memory becomes scarce.
#[test]
fn whoever_grew_before_ends_rather_than_whoever_looks() {
    static OWN: AtomicU64 = AtomicU64::new(0);
    let limits = Limits { memory: Some(1000), ..Limits::none() };
    let resident = || Some(OWN.load(Ordering::SeqCst));
    let turnstile = Turnstile::with_clock(&[2, 2], 1, &limits, worked, resident);
    run_all(&turnstile, 2, |number, seat| {
        if number == 0 {
            OWN.fetch_add(450, Ordering::SeqCst);
            assert_eq!(work_on(&seat, u64::MAX, || {}), Some(Exceeded::Memory));
            OWN.fetch_sub(450, Ordering::SeqCst);
        } else {
            // The other ends when this one has grown by 51, which then may have more.
            assert_eq!(work_on(&seat, 200, || _ = OWN.fetch_add(1, Ordering::SeqCst)), None);
        }
    });
}
