//! `cargo xtask test-declarations`: the declarations that new extensions get are right.
//!
//! TypeScript checks the first extension of an author and Pi's published examples against them. Not part
//! of `test`: it installs TypeScript, and Pi, from their registry into `target`, once.

use crate::workspace::{self, Workspace};
use crate::{npm, pi_extensions};
use anyhow::{Context as _, Result, bail, ensure};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// What checks, and what declares node's modules.
const PACKAGES: &[&str] = &["typescript@5.9.3", "@types/node@22.19.0"];

/// What new extensions are made of.
const NEW: &str = "crates/deed-typescript/js/new";

/// Examples that use what is not declared, because it is refused: components and providers of their own,
/// virtual models; and one that wants a package.
const BEYOND: &[&str] = &[
    "border-status-editor",
    "custom-footer",
    "custom-header",
    "custom-provider-anthropic",
    "custom-provider-gitlab-duo",
    "debug-provider",
    "doom-overlay",
    "github-issue-autocomplete",
    "gondolin",
    "handoff",
    "interactive-shell",
    "jev-router",
    "modal-editor",
    "overlay-qa-tests",
    "overlay-test",
    "preset",
    "qna",
    "question",
    "questionnaire",
    "rainbow-editor",
    "snake",
    "space-invaders",
    "summarize",
    "tic-tac-toe",
    "todo",
    "tools",
    "with-deps",
];

/// Installs what is missing and checks.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    match arguments {
        [] => {}
        [argument] if argument == "--help" || argument == "-h" => {
            println!(
                "usage: cargo xtask test-declarations\n\nInstalls TypeScript and Pi into target and checks a \
                 new extension and Pi's examples."
            );
            return Ok(());
        }
        _ => bail!("test-declarations takes no arguments"),
    }
    let root = workspace::root()?;
    let target = Workspace::load(&root)?.target;
    let folder = target.join("declarations");
    if !npm::has(&folder, "typescript") || !npm::has(&folder, "@types/node") {
        npm::install(&folder, PACKAGES)?;
    }
    let work = folder.join("work");
    if work.exists() {
        fs::remove_dir_all(&work)?;
    }
    copy(&root.join(NEW), &work)?;
    let examples = pi_extensions::examples(&target)?;
    copy(&examples, &work)?;
    // Authors have one extension in a folder; here all are in one.
    let config = work.join("tsconfig.json");
    let text = fs::read_to_string(&config)?;
    let all = text.replace(r#""include": ["*.ts","#, r#""include": ["**/*.ts","#);
    ensure!(
        all != text,
        "{NEW}/tsconfig.json includes something else now"
    );
    fs::write(&config, all)?;
    compare(&names(&examples)?, &check(&folder, &work)?)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let entry = entry?;
        let there = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => copy(&entry.path(), &there)?,
            false => drop(fs::copy(entry.path(), there)?),
        }
    }
    Ok(())
}

/// Names of examples: files and folders.
fn names(examples: &Path) -> Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(examples)? {
        let path = entry?.path();
        let is_one = path.is_dir() || path.extension().is_some_and(|it| it == "ts");
        let name = path.file_stem().filter(|_| is_one);
        names.extend(name.map(|name| name.to_string_lossy().into_owned()));
    }
    Ok(names)
}

/// Returns what TypeScript says, line by line.
fn check(folder: &Path, work: &Path) -> Result<Vec<String>> {
    let printed = Command::new(folder.join("node_modules/.bin/tsc"))
        .args(["--pretty", "false", "-p"])
        .arg(work)
        .current_dir(work)
        .stdin(Stdio::null())
        .output()
        .context("cannot start TypeScript")?;
    let lines = String::from_utf8_lossy(&printed.stdout);
    let lines = lines.replace("\n ", "\0 ");
    // What is indented belongs to the line above it.
    let lines: Vec<_> = lines.lines().map(|line| line.replace('\0', "\n")).collect();
    ensure!(
        printed.status.success() || !lines.is_empty(),
        "TypeScript failed: {}",
        String::from_utf8_lossy(&printed.stderr)
    );
    Ok(lines)
}

/// The example that a line of TypeScript speaks of: `name.ts(1,2): …` or `name/index.ts(1,2): …`.
fn example_of(line: &str) -> &str {
    let end = line.find(['(', '/', '.']).unwrap_or(line.len());
    line.get(..end).unwrap_or(line)
}

fn compare(examples: &BTreeSet<String>, lines: &[String]) -> Result<()> {
    let beyond: BTreeSet<&str> = BEYOND.iter().copied().collect();
    let faulty: BTreeSet<&str> = lines.iter().map(|line| example_of(line)).collect();
    for line in lines
        .iter()
        .filter(|line| !beyond.contains(example_of(line)))
    {
        println!("{line}");
    }
    let unexpected: Vec<_> = faulty.difference(&beyond).copied().collect();
    let fine: Vec<_> = beyond.difference(&faulty).copied().collect();
    ensure!(
        unexpected.is_empty(),
        "faults in {}; they stand above",
        unexpected.join(", ")
    );
    ensure!(
        fine.is_empty(),
        "{} has no faults any more; take it out of BEYOND",
        fine.join(", ")
    );
    let whole = examples
        .iter()
        .filter(|name| !beyond.contains(name.as_str()))
        .count();
    println!(
        "a new extension and {whole} of {} examples are right; the others use what is refused",
        examples.len()
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_its_example() {
        assert_eq!(example_of("todo.ts(1,2): error TS1: x"), "todo");
        assert_eq!(
            example_of("plan-mode/index.ts(1,2): error TS1: x"),
            "plan-mode"
        );
        assert_eq!(example_of("types/tools.d.ts(1,2): error TS1: x"), "types");
        assert_eq!(example_of("error TS5023: x"), "error TS5023: x");
    }

    #[test]
    fn a_fault_that_is_new_and_one_that_is_gone_both_fail() {
        let examples = BTreeSet::from(["hello".to_owned()]);
        let beyond: Vec<_> = BEYOND
            .iter()
            .map(|name| format!("{name}.ts(1,1): x"))
            .collect();
        compare(&examples, &beyond).unwrap();
        let more = [beyond.clone(), vec!["hello.ts(1,1): x".to_owned()]].concat();
        assert!(
            compare(&examples, &more)
                .unwrap_err()
                .to_string()
                .contains("faults in hello")
        );
        let fewer: Vec<_> = beyond.into_iter().skip(1).collect();
        assert!(
            compare(&examples, &fewer)
                .unwrap_err()
                .to_string()
                .contains("no faults any more")
        );
    }
}
