//! Measuring floor and subject in turn, and telling the figures.

use super::Bench;
use super::row::{Budget, Row, Unit};
use anyhow::{Context as _, Result};
use std::time::Instant;

/// The medians of a benchmark, in seconds or bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Figures {
    pub(crate) floor: f64,
    pub(crate) subject: f64,
}

/// Seconds that `work` takes, and what it gives.
pub(crate) fn timed<T>(work: impl FnOnce() -> Result<T>) -> Result<(f64, T)> {
    let start = Instant::now();
    let value = work()?;
    Ok((start.elapsed().as_secs_f64(), value))
}

/// Measures floor, subject, floor, subject …, after one turn of each that does not count.
///
/// Errors: the first wrong result.
pub(crate) fn alternately(bench: &Bench, row: &Row, runs: usize) -> Result<Figures> {
    let mut floors = Vec::new();
    let mut subjects = Vec::new();
    for turn in 0..=runs.min(row.max_runs) {
        let floor = (row.floor)(bench).context("floor")?;
        let subject = (row.subject)(bench)?;
        if turn > 0 {
            floors.push(floor);
            subjects.push(subject);
        }
    }
    Ok(Figures {
        floor: median(&mut floors),
        subject: median(&mut subjects),
    })
}

pub(crate) fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = |index: usize| values.get(index).copied().unwrap_or(f64::NAN);
    let upper = values.len() / 2;
    if values.len() % 2 == 1 {
        at(upper)
    } else {
        f64::midpoint(at(upper.saturating_sub(1)), at(upper))
    }
}

impl Figures {
    /// The row of the table: figures, their relation, the budget and whether it is kept.
    pub(crate) fn cells(self, row: &Row) -> [String; 7] {
        let shown = |value: f64| row.unit.shown(value);
        [
            row.name.to_owned(),
            shown(self.subject),
            shown(self.floor),
            format!("{:.2}", self.subject / self.floor),
            signed(&shown(self.subject - self.floor)),
            row.budget_text(),
            if self.keeps(&row.budget) {
                "ok"
            } else {
                "over"
            }
            .to_owned(),
        ]
    }

    fn keeps(self, budget: &Budget) -> bool {
        match budget {
            Budget::Times(factor) => self.subject <= self.floor * factor,
            Budget::Above(margin) => self.subject <= self.floor + margin,
            Budget::Within(most) => self.subject <= *most,
        }
    }
}

fn signed(figure: &str) -> String {
    if figure.starts_with('-') {
        figure.to_owned()
    } else {
        format!("+{figure}")
    }
}

impl Unit {
    pub(crate) fn shown(self, value: f64) -> String {
        match self {
            Self::Bytes if value.abs() < 1e5 => format!("{:.1} KB", value / 1e3),
            Self::Bytes => format!("{:.1} MB", value / 1e6),
            Self::Seconds if value.abs() < 1e-3 => format!("{:.1} µs", value * 1e6),
            Self::Seconds if value.abs() < 1.0 => format!("{:.2} ms", value * 1e3),
            Self::Seconds => format!("{value:.3} s"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_or_the_mean_of_the_two_middles() {
        assert!((median(&mut [3.0, 1.0, 2.0]) - 2.0).abs() < 1e-12);
        assert!((median(&mut [4.0, 1.0, 2.0, 3.0]) - 2.5).abs() < 1e-12);
        assert!(median(&mut []).is_nan());
    }

    #[test]
    fn a_budget_is_a_ratio_a_margin_or_a_bound() {
        let figures = Figures {
            floor: 2.0,
            subject: 3.0,
        };
        assert!(figures.keeps(&Budget::Times(1.5)) && !figures.keeps(&Budget::Times(1.4)));
        assert!(figures.keeps(&Budget::Above(1.0)) && !figures.keeps(&Budget::Above(0.9)));
        assert!(figures.keeps(&Budget::Within(3.0)) && !figures.keeps(&Budget::Within(2.9)));
    }

    #[test]
    fn figures_are_told_in_a_readable_unit() {
        assert_eq!(Unit::Seconds.shown(0.000_05), "50.0 µs");
        assert_eq!(Unit::Seconds.shown(0.0125), "12.50 ms");
        assert_eq!(Unit::Seconds.shown(1.05), "1.050 s");
        assert_eq!(Unit::Bytes.shown(15e6), "15.0 MB");
        assert_eq!(Unit::Bytes.shown(4_512.0), "4.5 KB");
    }
}
