//! How many tests passed and failed, as the runners themselves say.

use std::fmt;

/// Tests that passed and tests that failed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
}

impl Counts {
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            passed: self.passed + other.passed,
            failed: self.failed + other.failed,
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)
    }
}

/// The summary line of nextest and its counts; nothing if it ended before it had one.
pub(crate) fn of_nextest(output: &str) -> Option<(String, Counts)> {
    let line = output
        .lines()
        .map(without_colour)
        .rfind(|line| line.trim_start().starts_with("Summary ["))?;
    let (_, figures) = line.split_once(" run: ")?;
    let mut counts = Counts::default();
    for part in without_brackets(figures).split(',') {
        let mut words = part.split_whitespace();
        let Some(number) = words.next().and_then(|word| word.parse::<usize>().ok()) else {
            continue;
        };
        match words.next() {
            Some("passed") => counts.passed += number,
            Some("skipped") | None => {}
            Some(_) => counts.failed += number,
        }
    }
    Some((line.trim().to_owned(), counts))
}

/// The sum over the result lines of `cargo test`; nothing without one.
pub(crate) fn of_libtest(output: &str) -> Option<Counts> {
    let lines = output.lines().map(without_colour);
    lines
        .filter_map(|line| {
            let (_, figures) = line.strip_prefix("test result: ")?.split_once(". ")?;
            let number = |word: &str| -> Option<usize> {
                let part = figures
                    .split(';')
                    .find(|part| part.trim().ends_with(word))?;
                part.split_whitespace().next()?.parse().ok()
            };
            Some(Counts {
                passed: number("passed")?,
                failed: number("failed")?,
            })
        })
        .reduce(Counts::and)
}

/// Drops what stands in brackets, which divides a number that was told already.
fn without_brackets(text: &str) -> String {
    let mut depth = 0_usize;
    text.chars()
        .filter(|c| {
            match c {
                '(' => depth += 1,
                ')' => {
                    depth = depth.saturating_sub(1);
                    return false;
                }
                _ => {}
            }
            depth == 0
        })
        .collect()
}

fn without_colour(line: &str) -> String {
    let mut parts = line.split("\u{1b}[");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text.push_str(part.split_once('m').map_or("", |(_, rest)| rest));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nextest_summary_is_read_with_every_kind_of_failure() {
        let output = "   Starting 12 tests\n\u{1b}[32m     Summary\u{1b}[0m [   0.033s] \u{1b}[1m12\u{1b}[0m tests run: \
                      8 passed (1 slow, 2 leaky), 3 failed (1 due to being leaky), 1 timed out, 4 skipped\nerror: test run failed\n";
        let (line, counts) = of_nextest(output).unwrap();
        assert!(
            line.starts_with("Summary [   0.033s] 12 tests run: 8 passed"),
            "{line}"
        );
        assert_eq!(
            counts,
            Counts {
                passed: 8,
                failed: 4
            }
        );
        assert_eq!(of_nextest("error: could not compile"), None);
    }

    #[test]
    fn libtest_results_are_summed() {
        let output = "test a ... ok\ntest result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.1s\n\
                      test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.1s\n";
        assert_eq!(
            of_libtest(output),
            Some(Counts {
                passed: 4,
                failed: 2
            })
        );
        assert_eq!(of_libtest("error: could not compile"), None);
    }
}
