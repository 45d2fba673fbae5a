//! Paths that a source uses, with `use` trees spelled out.

use super::source::{Source, find_words};

/// Every place where the code reaches `path` (`std::fs`): written out, or through a `use` tree.
pub(crate) fn uses_of(source: &Source, path: &str) -> Vec<usize> {
    let mut found: Vec<usize> = find_words(&source.code, path).collect();
    for start in find_words(&source.code, "use") {
        let Some(rest) = source.code.get(start + 3..) else {
            continue;
        };
        let Some(end) = rest.find(';') else { continue };
        let tree: String = rest
            .get(..end)
            .unwrap_or_default()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        let below = format!("{path}::");
        if spelled_out(&tree)
            .iter()
            .any(|leaf| leaf == path || leaf.starts_with(&below))
        {
            found.push(start);
        }
    }
    found.sort_unstable_by_key(|at| source.line_1based(*at));
    found.dedup_by_key(|at| source.line_1based(*at));
    found
}

/// The full paths of a `use` tree: `std::{fs, io::{self, Read}}` gives `std::fs`, `std::io`, `std::io::Read`.
fn spelled_out(tree: &str) -> Vec<String> {
    let tree = tree.trim();
    let Some(open) = tree.find('{') else {
        let path = tree.split(" as ").next().unwrap_or_default().trim();
        return vec![
            path.trim_start_matches("::")
                .trim_end_matches("::self")
                .to_owned(),
        ];
    };
    let prefix = tree.get(..open).unwrap_or_default().trim();
    let inside = tree.get(open + 1..).unwrap_or_default().trim_end();
    let inside = inside.strip_suffix('}').unwrap_or(inside);
    let branches = split_at_top(inside);
    branches
        .iter()
        .flat_map(|branch| spelled_out(&format!("{prefix}{}", branch.trim())))
        .collect()
}

fn split_at_top(inside: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0_usize;
    for c in inside.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = parts.last_mut() {
            last.push(c);
        }
    }
    parts.retain(|part| !part.trim().is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_use_tree_is_spelled_out() {
        let paths = spelled_out("std::{fs, io::{self, Read as _}, env::var as v}");
        assert_eq!(
            paths,
            ["std::fs", "std::io", "std::io::Read", "std::env::var"]
        );
    }

    #[test]
    fn a_path_is_seen_written_out_and_through_a_tree() {
        let text = "use std::{\n    fs,\n    io,\n};\nfn f() { std::fs::read(); }\n// std::fs\nuse std::fsx;";
        let source = Source::new("a.rs", "a", text.to_owned());
        let lines: Vec<_> = uses_of(&source, "std::fs")
            .into_iter()
            .map(|at| source.line_1based(at))
            .collect();
        assert_eq!(lines, [1, 5]);
    }
}
