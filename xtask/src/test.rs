//! `cargo xtask test`: everything that must hold before a change lands.
//!
//! The suites are rows of [`SUITES`] and run in that order; the first that fails ends the run. What the machine lacks
//! is installed where that is allowed, else named under "left out, and why"; under `CI=true` a lack is a failure.

mod count;
mod need;
mod postgres;
mod suite;

use crate::table::aligned;
use crate::workspace;
use anyhow::{Result, bail};
pub(crate) use need::{answers, install_debian};
use std::time::{Duration, Instant};
use suite::{Outcome, Run, SUITES, Suite};

const HELP: &str = "usage: cargo xtask test [--only SUITE]… [-p CRATE]…

  --only SUITE   run this suite only
  -p CRATE       check and test this crate only

suites, in order:";

/// What became of a suite.
struct Line {
    suite: &'static str,
    result: &'static str,
    took: Duration,
    note: String,
}

/// Runs the suites that `arguments` select.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let Some(run) = parse(arguments)? else {
        return Ok(());
    };
    let left_out = need::missing(&run)?;
    let mut lines = Vec::new();
    let mut totals = Vec::new();
    let mut is_whole = true;
    let mut failure = None;
    for suite in SUITES.iter().filter(|suite| run.selects(suite.name)) {
        if left_out.iter().any(|lack| lack.suite == suite.name) {
            continue;
        }
        println!("== {}: {}", suite.name, suite.doc);
        let start = Instant::now();
        let outcome =
            (suite.run)(&run).unwrap_or_else(|error| Outcome::failed(format!("{error:#}")));
        let result = if outcome.passed { "ok" } else { "FAILED" };
        lines.push(Line {
            suite: suite.name,
            result,
            took: start.elapsed(),
            note: outcome.note,
        });
        is_whole &= outcome.counts.is_some() || !suite.counts_tests || outcome.passed;
        totals.extend(outcome.counts);
        if !outcome.passed {
            failure = Some(suite.name);
            break;
        }
    }
    report(&lines, &left_out);
    if let (Some(total), true) = (totals.into_iter().reduce(count::Counts::and), is_whole) {
        println!("{total}");
    }
    match failure {
        Some(suite) => bail!(
            "{suite} failed; what it said stands above; `cargo xtask test --only {suite}` runs it alone"
        ),
        None => Ok(()),
    }
}

fn parse(arguments: &[String]) -> Result<Option<Run>> {
    let mut run = Run {
        root: workspace::root()?,
        is_ci: is_ci(),
        only: Vec::new(),
        crates: Vec::new(),
    };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value = || {
            rest.next()
                .cloned()
                .ok_or_else(|| anyhow::anyhow!("{argument} needs a value"))
        };
        match argument.as_str() {
            "-h" | "--help" => {
                println!("{HELP}");
                let rows: Vec<[String; 2]> = SUITES
                    .iter()
                    .map(|s| [format!("  {}", s.name), s.doc.to_owned()])
                    .collect();
                print!("{}", aligned(&rows));
                return Ok(None);
            }
            "--only" => run.only.push(value()?),
            "-p" | "--package" => run.crates.push(value()?),
            _ => bail!("no option {argument:?}; `cargo xtask test --help` lists them"),
        }
    }
    if let Some(name) = run
        .only
        .iter()
        .find(|name| !SUITES.iter().any(|suite: &Suite| suite.name == **name))
    {
        bail!("no suite {name:?}; `cargo xtask test --help` lists them");
    }
    Ok(Some(run))
}

fn is_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| value == "true")
}

fn report(lines: &[Line], left_out: &[need::Lack]) {
    println!();
    let rows: Vec<[String; 4]> = lines
        .iter()
        .map(|line| {
            [
                line.suite.to_owned(),
                line.result.to_owned(),
                minutes(line.took),
                line.note.clone(),
            ]
        })
        .collect();
    print!("{}", aligned(&rows));
    println!(
        "all suites  {}",
        minutes(lines.iter().map(|line| line.took).sum())
    );
    if !left_out.is_empty() {
        println!("\nleft out, and why:");
        for lack in left_out {
            println!("  {}: {}", lack.suite, lack.why);
        }
    }
    println!();
}

fn minutes(took: Duration) -> String {
    let tenths = took.as_millis() / 100;
    format!(
        "{} min {:>2}.{} s",
        tenths / 600,
        tenths / 10 % 60,
        tenths % 10
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_told_in_minutes_and_seconds() {
        assert_eq!(minutes(Duration::from_millis(125_460)), "2 min  5.4 s");
    }

    #[test]
    fn an_unknown_suite_or_option_is_refused() {
        let refuse = |arguments: &[&str]| {
            let arguments: Vec<String> = arguments
                .iter()
                .map(|&argument| argument.to_owned())
                .collect();
            parse(&arguments).err().unwrap().to_string()
        };
        assert!(refuse(&["--only", "nope"]).contains("no suite \"nope\""));
        assert!(refuse(&["--fast"]).contains("no option \"--fast\""));
        assert!(refuse(&["-p"]).contains("-p needs a value"));
    }
}
