//! Sizes of files and functions.

use super::Fault;
use super::function::functions;
use super::tree::Tree;

const MAX_FILE_LINES: usize = 800;
const MAX_FUNCTION_LINES: usize = 150;
const TABLE_MARK: &str = "// This file is one table: ";

pub(crate) fn check(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    for source in &tree.sources {
        let lines = source.line_count();
        if lines > MAX_FILE_LINES && !source.text.starts_with(TABLE_MARK) {
            let message = format!(
                "{lines} lines, tests apart, of {MAX_FILE_LINES} at most; split it by subject, \
                 or begin it with `{TABLE_MARK}…` if that is what it is"
            );
            faults.push(Fault::new(&source.path, 1, message));
        }
        for function in functions(source) {
            if function.line_count > MAX_FUNCTION_LINES && !function.is_test {
                let message = format!(
                    "function `{}` has {} lines of {MAX_FUNCTION_LINES} at most; take its steps apart, or make it a table",
                    function.name, function.line_count
                );
                faults.push(Fault::new(&source.path, function.line, message));
            }
        }
    }
    faults
}

/// One line: how long files and functions are.
pub(crate) fn summary(tree: &Tree) -> String {
    let mut files: Vec<usize> = tree
        .sources
        .iter()
        .map(super::source::Source::line_count)
        .filter(|n| *n > 0)
        .collect();
    let mut bodies: Vec<usize> = tree
        .sources
        .iter()
        .flat_map(functions)
        .filter(|function| !function.is_test)
        .map(|function| function.line_count)
        .collect();
    format!(
        "tests apart: {}; {}",
        figures("files", &mut files),
        figures("functions", &mut bodies)
    )
}

fn figures(what: &str, lines: &mut [usize]) -> String {
    lines.sort_unstable();
    let at = |percent: usize| {
        lines
            .get(lines.len().saturating_sub(1) * percent / 100)
            .copied()
            .unwrap_or(0)
    };
    format!(
        "{} {what}, lines median {}, p90 {}, longest {}",
        lines.len(),
        at(50),
        at(90),
        at(100)
    )
}
