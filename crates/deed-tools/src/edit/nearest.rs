use std::collections::{BTreeMap, HashMap};
use std::fmt;

use deed_tooling::truncate_line;

use super::endings::to_lf;
use super::tolerant::MAX_FILE_BYTES;

const MAX_SHOWN_LINES: usize = 8;
const MAX_LINE_CHARS: usize = 160;
const MAX_WEIGHT: usize = 60;

/// How alike two lines must be to be worth showing.
const MIN_LIKENESS: f64 = 0.5;

/// Lines of a file that come closest to a text that is not in it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Nearest {
    first_1based: usize,
    lines: Vec<String>,
}

impl fmt::Display for Nearest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = (self.first_1based + self.lines.len()).max(1).ilog10() as usize + 1;
        for (offset, line) in self.lines.iter().enumerate() {
            let separator = if offset == 0 { "" } else { "\n" };
            write!(
                f,
                "{separator}{:>width$}  {line}",
                self.first_1based + offset
            )?;
        }
        Ok(())
    }
}

/// Finds the lines that share most with a text; white space round them does not count.
pub(super) fn find(file: &[u8], old: &str) -> Option<Nearest> {
    if file.is_empty() || file.len() > MAX_FILE_BYTES {
        return None;
    }
    let old = to_lf(old);
    let wanted: Vec<&[u8]> = old
        .lines()
        .map(|line| line.as_bytes().trim_ascii())
        .collect();
    let lines: Vec<&[u8]> = file.split(|byte| *byte == b'\n').collect();
    let first = by_equal_lines(&lines, &wanted).or_else(|| by_likeness(&lines, &wanted))?;
    let count = wanted.len().clamp(1, MAX_SHOWN_LINES);
    let shown = lines.iter().skip(first).take(count).map(|line| {
        let line = String::from_utf8_lossy(line);
        truncate_line(line.trim_end_matches('\r'), MAX_LINE_CHARS).into()
    });
    Some(Nearest {
        first_1based: first + 1,
        lines: shown.collect(),
    })
}

/// Lets every line that both have vote for where the text would begin; long lines weigh more.
fn by_equal_lines(lines: &[&[u8]], wanted: &[&[u8]]) -> Option<usize> {
    const MAX_PLACES: usize = 4;
    let mut places: HashMap<&[u8], Vec<usize>> = HashMap::new();
    for (index, line) in wanted
        .iter()
        .enumerate()
        .filter(|(_, line)| !line.is_empty())
    {
        let places = places.entry(line).or_default();
        if places.len() < MAX_PLACES {
            places.push(index);
        }
    }
    let mut votes: BTreeMap<usize, usize> = BTreeMap::new();
    for (index, line) in lines.iter().enumerate() {
        let line = line.trim_ascii();
        for place in places.get(line).into_iter().flatten() {
            let weight = line.len().min(MAX_WEIGHT);
            *votes.entry(index.saturating_sub(*place)).or_default() += weight;
        }
    }
    let best = votes.values().max()?;
    votes
        .iter()
        .find(|(_, weight)| *weight == best)
        .map(|(first, _)| *first)
}

/// Finds the line that is most like the longest line of the text.
fn by_likeness(lines: &[&[u8]], wanted: &[&[u8]]) -> Option<usize> {
    let (place, longest) = wanted
        .iter()
        .enumerate()
        .max_by_key(|(_, line)| line.len())?;
    let wanted = Letters::of(longest);
    let mut best: Option<(usize, f64)> = None;
    for (index, line) in lines.iter().enumerate() {
        let line = line.trim_ascii();
        if line.len() * 2 < longest.len() || line.len() > longest.len() * 2 {
            continue;
        }
        let likeness = wanted.likeness(&Letters::of(line));
        if likeness >= MIN_LIKENESS && best.is_none_or(|(_, most)| likeness > most) {
            best = Some((index, likeness));
        }
    }
    best.map(|(index, _)| index.saturating_sub(place))
}

/// Which pairs of neighbouring letters a line has, roughly: two pairs may share a bit.
struct Letters([u64; 8]);

impl Letters {
    fn of(line: &[u8]) -> Self {
        const MAX_BYTES: usize = 400;
        let mut bits = [0; 8];
        let line = line.get(..MAX_BYTES).unwrap_or(line);
        for [one, other] in line.array_windows() {
            let pair = u32::from(one.to_ascii_lowercase()) << 8;
            let pair = pair | u32::from(other.to_ascii_lowercase());
            // Multiplying by an odd number spreads pairs that differ in few bits.
            let bit = pair.wrapping_mul(0x9e37_79b1) >> 23;
            if let Some(word) = bits.get_mut(bit as usize / 64) {
                *word |= 1_u64 << (bit % 64);
            }
        }
        Self(bits)
    }

    /// Returns how much of both is in both, from 0 to 1.
    fn likeness(&self, other: &Self) -> f64 {
        let ones = |letters: &Self| letters.0.iter().map(|word| word.count_ones()).sum::<u32>();
        let both = self.0.iter().zip(&other.0);
        let shared: u32 = both.map(|(one, other)| (one & other).count_ones()).sum();
        f64::from(2 * shared) / f64::from((ones(self) + ones(other)).max(1))
    }
}
