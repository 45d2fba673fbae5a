//! Rings: which crate may use which.
//!
//! A crate may use lower rings. Within a ring only the listed edges stand. Dev-dependencies are free.

use super::Fault;
use super::tree::Tree;
use std::collections::BTreeSet;

/// The rings, from the words to the tools of the workspace itself.
const RINGS: &[(&str, &[&str])] = &[
    ("words", &["deed-protocol", "deed-schema"]),
    ("core", &["deed-agent"]),
    (
        "means",
        &["deed-env", "deed-guard", "deed-models", "deed-session"],
    ),
    (
        "product",
        &[
            "deed-tooling",
            "deed-tools",
            "deed-sql",
            "deed-extensions",
            "deed-typescript",
            "deed-harness",
        ],
    ),
    ("faces", &["deed-cards", "deed-rpc", "deed-tui", "deed-web"]),
    ("examples", &["desktop-database", "embedding"]),
    ("binary", &["deed"]),
    ("dev", &["deed-testing", "xtask"]),
];

/// Edges within a ring: who, and whom it may use.
const EDGES: &[(&str, &[&str])] = &[
    ("deed-schema", &["deed-protocol"]),
    ("deed-guard", &["deed-env"]),
    ("deed-tools", &["deed-tooling"]),
    ("deed-sql", &["deed-tooling"]),
    ("deed-extensions", &["deed-tooling", "deed-tools"]),
    (
        "deed-typescript",
        &["deed-tooling", "deed-tools", "deed-sql", "deed-extensions"],
    ),
    (
        "deed-harness",
        &["deed-tooling", "deed-tools", "deed-sql", "deed-extensions"],
    ),
    ("deed-rpc", &["deed-cards"]),
    ("deed-tui", &["deed-cards"]),
    ("deed-web", &["deed-cards"]),
];

/// The ring of a crate, counted from the words.
pub(crate) fn ring_of(package: &str) -> Option<usize> {
    RINGS
        .iter()
        .position(|(_, members)| members.contains(&package))
}

pub(crate) fn check(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    for package in &tree.packages {
        let (path, manifest) = tree.manifest(package);
        let Some(ring) = ring_of(&package.name) else {
            faults.push(Fault::new(
                &path,
                line_of(&manifest, "name"),
                format!(
                    "crate `{}` is in no ring; add it to RINGS in xtask/src/tidy/ring.rs",
                    package.name
                ),
            ));
            continue;
        };
        for used in &package.uses {
            if let Some(message) = forbidden(&package.name, ring, used) {
                faults.push(Fault::new(&path, line_of(&manifest, used), message));
            }
        }
        if let Some(cycle) = cycle_from(tree, &package.name) {
            let message = format!(
                "dependency cycle {}; move what is shared to a lower ring",
                cycle.join(" → ")
            );
            faults.push(Fault::new(&path, 1, message));
        }
    }
    faults
}

fn forbidden(package: &str, ring: usize, used: &str) -> Option<String> {
    let used_ring = ring_of(used)?;
    let name_of = |ring: usize| RINGS.get(ring).map_or("", |(name, _)| *name);
    if used_ring > ring {
        let (own, other) = (name_of(ring), name_of(used_ring));
        return Some(format!(
            "`{package}` (ring {ring}, {own}) uses `{used}` (ring {used_ring}, {other}); \
             turn the dependency round with a trait, or make it a dev-dependency"
        ));
    }
    let is_edge = EDGES
        .iter()
        .any(|(who, whom)| *who == package && whom.contains(&used));
    (used_ring == ring && !is_edge).then(|| {
        format!(
            "`{package}` uses `{used}` of its own ring {ring} ({}), which is no listed edge; \
             move what is shared to a lower ring, or list the edge in xtask/src/tidy/ring.rs",
            name_of(ring)
        )
    })
}

fn cycle_from(tree: &Tree, start: &str) -> Option<Vec<String>> {
    let mut seen = BTreeSet::new();
    let mut open = vec![vec![start.to_owned()]];
    while let Some(trail) = open.pop() {
        let Some(last) = trail.last() else { continue };
        let Some(package) = tree.packages.iter().find(|package| package.name == *last) else {
            continue;
        };
        for used in &package.uses {
            let mut longer = trail.clone();
            longer.push(used.clone());
            if used == start {
                return Some(longer);
            }
            if seen.insert(used.clone()) {
                open.push(longer);
            }
        }
    }
    None
}

fn line_of(manifest: &str, key: &str) -> usize {
    let is_key = |line: &str| {
        line.trim_start()
            .strip_prefix(key)
            .is_some_and(|rest| rest.starts_with([' ', '=', '.']))
    };
    manifest
        .lines()
        .position(is_key)
        .map_or(1, |index| index + 1)
}
