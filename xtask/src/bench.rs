//! `cargo xtask bench`: what a tool call costs, each figure beside its floor of the same run.
//!
//! A benchmark is a row of [`row::ROWS`]. Floor and subject are measured in turn, so that whatever else the machine
//! does falls on both. A figure over its budget is said and never fails the command; a wrong result does.

mod calls;
mod exec;
mod extensions;
mod files;
mod fixture;
mod guard;
mod measure;
mod row;
mod scripted;
mod session;
mod turns;

use crate::table::aligned;
use crate::test::install_debian;
use crate::workspace::{self, Workspace, cargo};
use anyhow::{Context as _, Result, bail};
use fixture::Fixtures;
use row::{ROWS, Row};
use std::path::{Path, PathBuf};
use std::process::Command;

const HELP: &str = "usage: cargo xtask bench [FILTER] [--runs N] [--subject PROGRAM]

  FILTER            run the benchmarks whose name contains it
  --runs N          how often each is measured; 20 unless given, and the slow ones less
  --subject PROGRAM measure this binary instead of the release build of `deed`

benchmarks:";

/// What a benchmark works with.
#[derive(Debug)]
pub(crate) struct Bench {
    /// The program under test.
    pub(crate) subject: PathBuf,
    pub(crate) fixtures: Fixtures,
    /// Where the optimised examples of the crates are.
    pub(crate) examples: PathBuf,
}

impl Bench {
    /// Lets an example of a crate measure one thing of its own; it prints seconds.
    fn example(&self, name: &str, what: &str) -> Result<f64> {
        let output = Command::new(self.examples.join(name)).arg(what).output()?;
        if !output.status.success() {
            bail!("{what}: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        let text = String::from_utf8(output.stdout)?;
        let seconds = text.trim().parse();
        seconds.with_context(|| format!("{what}: {text}"))
    }
}

/// What was asked for.
struct Options {
    filter: String,
    runs: usize,
    subject: Option<PathBuf>,
}

/// Builds what is measured, then measures.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let Some(options) = parse(arguments)? else {
        return Ok(());
    };
    let workspace = Workspace::load(&workspace::root()?)?;
    if cfg!(debug_assertions) {
        return again_in_release(&workspace, arguments);
    }
    if options.subject.is_none() {
        build(&workspace, &["-p", "deed"])?;
    }
    let release = workspace.target.join("release").join("deed");
    let subject = options.subject.unwrap_or(release);
    if !subject.is_file() {
        bail!(
            "{} is not there; build it, or name another with --subject",
            subject.display()
        );
    }
    let selected: Vec<&Row> = ROWS
        .iter()
        .filter(|row| row.name.contains(&options.filter))
        .collect();
    for (prefix, package, example) in [
        ("guard-", "deed-guard", "speed"),
        ("session-", "deed-session", "session_speed"),
    ] {
        if selected.iter().any(|row| row.name.starts_with(prefix)) {
            build(&workspace, &["-p", package, "--example", example])?;
        }
    }
    let (ready, left_out) = split_by_need(selected);
    let fixtures = Fixtures::prepared(&workspace.target.join("bench-fixtures"))?;
    let bench = Bench {
        subject,
        fixtures,
        examples: workspace.target.join("release").join("examples"),
    };
    measure_all(&bench, &ready, &left_out, options.runs)
}

fn parse(arguments: &[String]) -> Result<Option<Options>> {
    let mut options = Options {
        filter: String::new(),
        runs: 20,
        subject: None,
    };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value = || {
            rest.next()
                .with_context(|| format!("{argument} needs a value"))
        };
        match argument.as_str() {
            "-h" | "--help" => {
                println!("{HELP}");
                let rows: Vec<[String; 3]> = ROWS
                    .iter()
                    .map(|row| {
                        [
                            format!("  {}", row.name),
                            row.doc.to_owned(),
                            row.budget_text(),
                        ]
                    })
                    .collect();
                print!("{}", aligned(&rows));
                return Ok(None);
            }
            "--runs" => {
                options.runs = value()?
                    .parse()
                    .ok()
                    .filter(|runs| *runs > 0)
                    .context("--runs needs a number above zero")?;
            }
            "--subject" => {
                options.subject = Some(
                    Path::new(value()?)
                        .canonicalize()
                        .context("--subject names no file")?,
                )
            }
            _ if argument.starts_with('-') => {
                bail!("no option {argument:?}; `cargo xtask bench --help` lists them")
            }
            _ => options.filter.clone_from(argument),
        }
    }
    if !ROWS.iter().any(|row| row.name.contains(&options.filter)) {
        bail!(
            "no benchmark is named like {:?}; `cargo xtask bench --help` lists them",
            options.filter
        );
    }
    Ok(Some(options))
}

/// The floors are Rust too: they are measured as an optimised build.
fn again_in_release(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    build(workspace, &["-p", "xtask"])?;
    let program = workspace.target.join("release").join("xtask");
    let status = Command::new(&program).arg("bench").args(arguments).status();
    if !status
        .with_context(|| format!("cannot start {}", program.display()))?
        .success()
    {
        bail!("see above");
    }
    Ok(())
}

fn build(workspace: &Workspace, packages: &[&str]) -> Result<()> {
    let mut command = cargo();
    command
        .current_dir(&workspace.root)
        .args(["build", "--release", "--quiet"])
        .args(packages);
    if !command.status()?.success() {
        bail!("the release build failed; what cargo said stands above");
    }
    Ok(())
}

/// Rows that can run here, and the others with the program they lack.
fn split_by_need(rows: Vec<&'static Row>) -> (Vec<&'static Row>, Vec<String>) {
    let lacks = |row: &Row| row.need.filter(|need| need.program().is_none());
    let mut packages: Vec<&str> = rows
        .iter()
        .filter_map(|row| lacks(row))
        .map(|need| need.package)
        .collect();
    packages.dedup();
    if !packages.is_empty() && !install_debian(&packages) {
        println!("could not install {}", packages.join(" "));
    }
    let mut left_out = Vec::new();
    let ready = rows.into_iter().filter(|row| {
        if let Some(need) = lacks(row) {
            left_out.push(format!(
                "{}: needs {} (Debian: {})",
                row.name,
                need.names.join(" or "),
                need.package
            ));
        }
        lacks(row).is_none()
    });
    (ready.collect(), left_out)
}

fn measure_all(bench: &Bench, rows: &[&Row], left_out: &[String], runs: usize) -> Result<()> {
    let mut table = vec![
        [
            "benchmark",
            "deed",
            "floor",
            "ratio",
            "difference",
            "budget",
            "",
        ]
        .map(str::to_owned),
    ];
    let mut wrong = Vec::new();
    for row in rows {
        eprintln!("{}: {}", row.name, row.doc);
        match measure::alternately(bench, row, runs) {
            Ok(figures) => table.push(figures.cells(row)),
            Err(error) => wrong.push(format!("{}: {error:#}", row.name)),
        }
    }
    println!();
    print!("{}", aligned(&table));
    println!(
        "medians; floor and deed measured in turn; a figure means something on a quiet machine only"
    );
    if !left_out.is_empty() {
        println!("\nleft out, and why:\n  {}", left_out.join("\n  "));
    }
    if !wrong.is_empty() {
        println!("\nwrong results:\n  {}", wrong.join("\n  "));
        bail!(
            "{} of {} benchmarks gave a wrong result",
            wrong.len(),
            rows.len()
        );
    }
    Ok(())
}
