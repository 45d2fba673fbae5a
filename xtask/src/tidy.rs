//! `cargo xtask tidy`: rules of the house that no compiler checks.
//!
//! Every rule is a row of [`CHECKS`]: it looks at the [`Tree`] and names faults by file and line with the remedy.
//! Nothing is compiled and nothing is written.

mod bans;
mod cases;
mod function;
mod layout;
mod module;
mod paths;
mod ring;
mod size;
mod source;
mod style;
#[cfg(test)]
mod tests;
mod tree;

use anyhow::{Result, bail};
use std::fmt;
use std::path::Path;
use tree::Tree;

/// A broken rule at a place, with what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Fault {
    path: String,
    line: usize,
    message: String,
}

impl Fault {
    fn new(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self {
            path: path.to_owned(),
            line,
            message: message.into(),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.message)
    }
}

/// What a pass over a tree found.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) faults: Vec<Fault>,
    /// The sizes of files and functions, one line.
    pub(crate) sizes: String,
}

const CHECKS: &[fn(&Tree) -> Vec<Fault>] = &[
    ring::check,
    bans::check,
    style::check,
    size::check,
    module::check,
    layout::check,
    cases::check,
];

/// Checks this workspace and prints what it finds.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    if let Some(argument) = arguments.first() {
        if argument == "--help" || argument == "-h" {
            println!(
                "usage: cargo xtask tidy\n\nChecks rings, sizes, names, bans and forgotten files; compiles nothing."
            );
            return Ok(());
        }
        bail!("no option {argument:?}; tidy takes none");
    }
    let report = check(&crate::workspace::root()?)?;
    for fault in &report.faults {
        println!("{fault}");
    }
    println!("{}", report.sizes);
    match report.faults.len() {
        0 => Ok(()),
        1 => bail!("one fault, above"),
        count => bail!("{count} faults, above"),
    }
}

/// Checks the workspace at `root`.
///
/// Errors: only when the tree cannot be read; a broken rule is a fault in the report.
pub(crate) fn check(root: &Path) -> Result<Report> {
    let tree = Tree::read(root)?;
    let mut faults: Vec<Fault> = CHECKS.iter().flat_map(|check| check(&tree)).collect();
    faults.sort();
    faults.dedup();
    Ok(Report {
        faults,
        sizes: size::summary(&tree),
    })
}
