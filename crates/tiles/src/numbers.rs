//! Numbers of pieces in few words: `3, 7-9`.

/// The numbers have to be sorted. Beyond a few ranges it is said how many are left out.
pub fn ranges(numbers: &[u32]) -> String {
    const MOST: usize = 12;
    let ranges = merged(numbers);
    let text = shown(&ranges[..ranges.len().min(MOST)], ", ");
    let left: u64 = ranges.iter().skip(MOST).map(|&(first, last)| u64::from(last - first) + 1).sum();
    if left > 0 { format!("{text} and {left} more") } else { text }
}

/// All of them, with this between two ranges.
pub fn ranges_of(numbers: &[u32], between: &str) -> String {
    shown(&merged(numbers), between)
}

fn merged(numbers: &[u32]) -> Vec<(u32, u32)> {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if number <= last.saturating_add(1) => *last = number.max(*last),
            _ => ranges.push((number, number)),
        }
    }
    ranges
}

fn shown(ranges: &[(u32, u32)], between: &str) -> String {
    let shown = ranges.iter().map(|&(first, last)| match last - first {
        0 => first.to_string(),
        1 => format!("{first}{between}{last}"),
        _ => format!("{first}-{last}"),
    });
    shown.collect::<Vec<_>>().join(between)
}

#[cfg(test)]
mod tests {
    use super::{ranges, ranges_of};

    #[test]
    fn neighbours_are_one_range() {
        assert_eq!(ranges(&[]), "");
        assert_eq!(ranges(&[4]), "4");
        assert_eq!(ranges(&[0, 1, 3, 5, 6, 7]), "0, 1, 3, 5-7");
        let even: Vec<u32> = (0..20).map(|n| 2 * n).collect();
        assert_eq!(ranges_of(&[0, 1, 2, 5, 7, 8], ","), "0-2,5,7,8");
        assert!(ranges(&even).ends_with("20, 22 and 8 more"), "{}", ranges(&even));
    }
}
