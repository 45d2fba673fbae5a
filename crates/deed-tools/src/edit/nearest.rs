use std::collections::{BTreeMap, HashMap, HashSet};
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
    let pairs = letter_pairs(longest);
    let mut best: Option<(usize, f64)> = None;
    for (index, line) in lines.iter().enumerate() {
        let line = line.trim_ascii();
        if line.len() * 2 < longest.len() || line.len() > longest.len() * 2 {
            continue;
        }
        let other = letter_pairs(line);
        let shared = other.intersection(&pairs).count() as f64;
        let likeness = 2.0 * shared / (pairs.len() + other.len()).max(1) as f64;
        if likeness >= MIN_LIKENESS && best.is_none_or(|(_, most)| likeness > most) {
            best = Some((index, likeness));
        }
    }
    best.map(|(index, _)| index.saturating_sub(place))
}

fn letter_pairs(line: &[u8]) -> HashSet<[u8; 2]> {
    const MAX_BYTES: usize = 400;
    let line = line.get(..MAX_BYTES).unwrap_or(line);
    line.array_windows::<2>()
        .map(|pair| pair.map(|byte| byte.to_ascii_lowercase()))
        .collect()
}
