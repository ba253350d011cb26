//! Pieces with about equally many schedules.
//!
//! The leaf of the tree with the most schedules is cut in two, by the statement that halves them best among those about the
//! thread that has the most ways left, until there are as many leaves as wanted or every leaf holds one schedule. What is
//! counted are the ways in which each thread's position can grow from round to round; that a thread waits for another, or
//! is created late, is left to the engine. How long a piece takes is not known beforehand: equal numbers of schedules are a
//! guess, and `docs/scale.md` says how good it is.
//!
//! Where threads stand after the last round is how far they come at all. Most ways to come less far are easy, so that round
//! is neither counted nor cut as long as there are others.

use crate::cube::{Cube, Literal, Space};

/// Where a thread may stand at the end of each round: the fewest and the most units.
type Windows = Vec<(u32, u32)>;

struct Leaf {
    cube: Cube,
    /// By thread, then by round.
    windows: Vec<Windows>,
    /// The logarithm of the number of schedules; nothing if there is only one statement left to make.
    weight: f64,
    cut: Option<Literal>,
}

/// The leaves, at least one.
pub fn split(space: &Space, tiles: usize) -> Vec<Cube> {
    let last = space.last as usize;
    let mut windows: Vec<Windows> = space.units.iter().map(|&units| vec![(0, units); last]).collect();
    for windows in windows.iter_mut().skip(1) {
        windows[..1.min(last)].fill((0, 0));
    }
    let mut leaves = vec![leaf(Cube::default(), windows)];
    while leaves.len() < tiles {
        let open = (0..leaves.len()).filter(|&at| leaves[at].cut.is_some());
        let heaviest = open.reduce(|best, at| if leaves[at].weight > leaves[best].weight { at } else { best });
        let Some((at, cut)) = heaviest.and_then(|at| Some((at, leaves[at].cut?))) else { break };
        let side = |begun: bool| {
            let literal = Literal { begun, ..cut };
            let mut windows = leaves[at].windows.clone();
            restrict(&mut windows[cut.thread as usize], literal);
            leaf(leaves[at].cube.and(literal), windows)
        };
        let (yes, no) = (side(true), side(false));
        leaves[at] = yes;
        leaves.push(no);
    }
    leaves.into_iter().map(|leaf| leaf.cube).collect()
}

/// What a literal says about the thread's other rounds, too: positions only grow.
fn restrict(windows: &mut Windows, literal: Literal) {
    let at = literal.round as usize - 1;
    match literal.begun {
        true => windows[at..].iter_mut().for_each(|window| window.0 = window.0.max(literal.unit)),
        false => windows[..=at].iter_mut().for_each(|window| window.1 = window.1.min(literal.unit - 1)),
    }
}

fn leaf(cube: Cube, windows: Vec<Windows>) -> Leaf {
    let last = windows.first().map_or(0, Vec::len);
    let (mut weight, mut cut) = halved(&windows, last.saturating_sub(1));
    if cut.is_none() {
        (weight, cut) = halved(&windows, last);
    }
    Leaf { cube, windows, weight, cut }
}

/// The logarithm of the number of ways through so many rounds, and the statement that halves those of the thread that has the
/// most: windows become narrow for all threads alike, not for one of them.
fn halved(windows: &[Windows], rounds: usize) -> (f64, Option<Literal>) {
    let mut weight = 0.0;
    let mut freest: Option<(f64, Literal)> = None;
    for (thread, windows) in (0..).zip(windows) {
        let windows = &windows[..rounds];
        let (logarithm, shares) = shares(windows);
        weight += logarithm;
        if freest.is_some_and(|(most, _)| logarithm <= most) {
            continue;
        }
        let mut best: Option<(f64, Literal)> = None;
        for ((round, shares), window) in (1..).zip(&shares).zip(windows) {
            // From the most units down: the share of the ways that stand there or further.
            let mut beyond = 0.0;
            for (&share, unit) in shares.iter().rev().zip((window.0..=window.1).rev()) {
                beyond += share;
                let distance = (beyond - 0.5).abs();
                if unit > window.0 && best.is_none_or(|(least, _)| distance < least) {
                    best = Some((distance, Literal { thread, unit, round, begun: true }));
                }
            }
        }
        freest = best.map(|(_, literal)| (logarithm, literal)).or(freest);
    }
    (weight, freest.map(|(_, literal)| literal))
}

/// The logarithm of the number of ways, and for each round the share of them that stands at each unit of the window.
fn shares(windows: &[(u32, u32)]) -> (f64, Vec<Vec<f64>>) {
    let units = |window: &(u32, u32)| window.0..=window.1;
    let mut logarithm = 0.0;
    let mut forward: Vec<Vec<f64>> = Vec::with_capacity(windows.len());
    for (round, window) in windows.iter().enumerate() {
        let row = match round.checked_sub(1) {
            None => units(window).map(|_| 1.0).collect(),
            Some(before) => {
                sums(units(window), units(&windows[before]).zip(forward[before].iter().copied()), |q, p| q <= p)
            }
        };
        let (row, sum) = scaled(row);
        logarithm += sum.ln();
        forward.push(row);
    }
    let mut later: Option<Vec<f64>> = None;
    let mut shares = vec![Vec::new(); windows.len()];
    for round in (0..windows.len()).rev() {
        let window = &windows[round];
        let row: Vec<f64> = match &later {
            None => units(window).map(|_| 1.0).collect(),
            Some(row) => {
                let next = units(&windows[round + 1]).rev().zip(row.iter().rev().copied());
                let mut sums = sums(units(window).rev(), next, |q, p| q >= p);
                sums.reverse();
                sums
            }
        };
        let (row, _) = scaled(row);
        shares[round] = scaled(forward[round].iter().zip(&row).map(|(before, after)| before * after).collect()).0;
        later = Some(row);
    }
    (logarithm, shares)
}

/// For each unit, in this order, the sum of what the other row has up to there.
fn sums(
    units: impl Iterator<Item = u32>,
    row: impl Iterator<Item = (u32, f64)>,
    is_counted: impl Fn(u32, u32) -> bool,
) -> Vec<f64> {
    let (mut row, mut sum) = (row.peekable(), 0.0);
    let up_to = |unit: u32| {
        while let Some((_, ways)) = row.next_if(|&(other, _)| is_counted(other, unit)) {
            sum += ways;
        }
        sum
    };
    units.map(up_to).collect()
}

/// So that the sum is 1, and what it was.
fn scaled(mut row: Vec<f64>) -> (Vec<f64>, f64) {
    let sum: f64 = row.iter().sum();
    if sum > 0.0 {
        row.iter_mut().for_each(|share| *share /= sum);
    }
    (row, sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cube::is_partition;
    use norn_ir::number::narrow;
    use norn_testing::Random;

    /// All positions of one thread, by round.
    fn ways(units: u32, last: u32, has_first: bool) -> Vec<Vec<u32>> {
        let mut ways = vec![Vec::new()];
        for round in 1..=last {
            let most = if round == 1 && !has_first { 0 } else { units };
            let longer = |way: &Vec<u32>| {
                let way = way.clone();
                (way.last().copied().unwrap_or(0)..=most).map(move |next| [&way[..], &[next]].concat())
            };
            ways = ways.iter().flat_map(longer).collect();
        }
        ways
    }

    /// All schedules: for each thread its positions.
    fn schedules(space: &Space) -> Vec<Vec<Vec<u32>>> {
        let mut all = vec![Vec::new()];
        for (thread, &units) in space.units.iter().enumerate() {
            let ways = ways(units, space.last, thread == 0);
            all = all
                .iter()
                .flat_map(|some: &Vec<Vec<u32>>| ways.iter().map(|way| [&some[..], std::slice::from_ref(way)].concat()))
                .collect();
        }
        all
    }

    fn owners(cubes: &[Cube], schedule: &[Vec<u32>]) -> usize {
        let begun = |thread: u32, round: u32| schedule[thread as usize][round as usize - 1];
        cubes.iter().filter(|cube| cube.has(begun)).count()
    }

    #[test]
    fn every_schedule_belongs_to_exactly_one_piece() {
        let mut random = Random::new(7);
        let mut seen = 0;
        for _ in 0..90 {
            let threads = 1 + random.index(3);
            let units = (0..threads).map(|_| narrow(random.index(4))).collect();
            let space = Space { units, last: 1 + narrow(random.index(3)) };
            let cubes = split(&space, 1 + random.index(12));
            assert!(is_partition(&cubes.iter().collect::<Vec<_>>()), "{space:?} {cubes:?}");
            assert!(cubes.iter().all(|cube| cube.fits(&space)), "{space:?} {cubes:?}");
            for schedule in schedules(&space) {
                assert_eq!(owners(&cubes, &schedule), 1, "{space:?} {schedule:?}");
                seen += 1;
            }
        }
        assert!(seen > 2_000, "only {seen} schedules");
    }

    #[test]
    fn pieces_hold_about_equally_many_schedules() {
        let cubes = split(&Space { units: vec![2, 4, 5], last: 4 }, 8);
        // Up to the last round but one.
        let all = schedules(&Space { units: vec![2, 4, 5], last: 3 });
        let sizes: Vec<usize> = cubes
            .iter()
            .map(|cube| all.iter().filter(|one| owners(std::slice::from_ref(cube), one) == 1).count())
            .collect();
        assert_eq!(sizes.iter().sum::<usize>(), all.len());
        let (least, most) = (sizes.iter().min().expect("8 pieces"), sizes.iter().max().expect("8 pieces"));
        assert!(most < &(3 * least), "{sizes:?}");
    }

    #[test]
    fn there_are_no_more_pieces_than_schedules() {
        let space = Space { units: vec![0, 2], last: 2 };
        let cubes = split(&space, 100);
        assert_eq!(cubes.len(), 3);
        assert_eq!(split(&Space { units: vec![0, 0], last: 4 }, 5), [Cube::default()]);
        assert_eq!(split(&Space { units: Vec::new(), last: 0 }, 5), [Cube::default()]);
        assert_eq!(split(&space, 0).len(), 1);
    }

    #[test]
    fn large_spaces_have_no_infinite_numbers() {
        let space = Space { units: vec![3_000; 20], last: 60 };
        let cubes = split(&space, 16);
        assert_eq!(cubes.len(), 16);
        assert!(cubes.iter().all(|cube| (3..=5).contains(&cube.0.len())), "{cubes:?}");
    }
}
