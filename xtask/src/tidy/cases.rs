//! Bug cases: each row of `docs/bug-cases.md` is a test of that id, or waits for a named issue.
//!
//! A row is a table line `| B001 | … |`. Rows under a heading that begins with "Not yet" name an issue (`#3`);
//! all others must have a test `b001_…` in the tree.

use super::Fault;
use super::function::functions;
use super::tree::Tree;
use std::collections::BTreeMap;

const LIST: &str = "docs/bug-cases.md";

/// A row of the list.
struct Row {
    line: usize,
    waits: bool,
    names_issue: bool,
}

pub(crate) fn check(tree: &Tree) -> Vec<Fault> {
    let Ok(text) = std::fs::read_to_string(tree.root.join(LIST)) else {
        let message = "is missing; write one row a bug case: `| B001 | what must hold |`";
        return vec![Fault::new(LIST, 1, message)];
    };
    let mut faults = Vec::new();
    let rows = rows(&text, &mut faults);
    let tests = tests_by_case(tree);
    for (id, row) in &rows {
        let test = tests.get(id);
        let message = match (row.waits, test) {
            (false, None) => format!(
                "{id} has no test; write `fn {}_…`, or move the row to \"Not yet\"",
                id.to_lowercase()
            ),
            (true, Some((path, line))) => {
                format!("{id} has a test at {path}:{line}; move the row out of \"Not yet\"")
            }
            (true, None) if !row.names_issue => {
                format!("{id} waits for no issue; name the one that brings it (`#3`)")
            }
            _ => continue,
        };
        faults.push(Fault::new(LIST, row.line, message));
    }
    for (id, (path, line)) in tests {
        if !rows.contains_key(&id) {
            faults.push(Fault::new(
                &path,
                line,
                format!("a test of {id}, which {LIST} does not list; add the row"),
            ));
        }
    }
    faults
}

fn rows(text: &str, faults: &mut Vec<Fault>) -> BTreeMap<String, Row> {
    let mut rows = BTreeMap::new();
    let mut waits = false;
    for (index, line) in text.lines().enumerate() {
        if let Some(heading) = line.strip_prefix('#') {
            waits = heading
                .trim_start_matches('#')
                .trim()
                .to_lowercase()
                .starts_with("not yet");
            continue;
        }
        let Some(id) = line
            .strip_prefix('|')
            .and_then(|rest| rest.split('|').next())
            .and_then(|cell| case_id(cell.trim()))
        else {
            continue;
        };
        let names_issue = line
            .split('#')
            .skip(1)
            .any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        let row = Row {
            line: index + 1,
            waits,
            names_issue,
        };
        if let Some(earlier) = rows.insert(id.clone(), row) {
            let message = format!("{id} stands on line {} too; keep one row", earlier.line);
            faults.push(Fault::new(LIST, index + 1, message));
        }
    }
    rows
}

/// `B001` of `B001`, `b001_some_test` or `` `B001` ``.
fn case_id(text: &str) -> Option<String> {
    let text = text.trim_matches('`');
    let digits: String = text
        .strip_prefix(['B', 'b'])?
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    let rest = text.get(1 + digits.len()..)?;
    (digits.len() == 3 && (rest.is_empty() || rest.starts_with('_'))).then(|| format!("B{digits}"))
}

fn tests_by_case(tree: &Tree) -> BTreeMap<String, (String, usize)> {
    let mut tests = BTreeMap::new();
    for source in &tree.sources {
        for function in functions(source)
            .into_iter()
            .filter(|function| function.is_test && function.name.contains('_'))
        {
            if let Some(id) = case_id(&function.name) {
                tests
                    .entry(id)
                    .or_insert_with(|| (source.path.clone(), function.line));
            }
        }
    }
    tests
}
