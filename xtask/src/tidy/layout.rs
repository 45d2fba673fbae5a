//! Files that the workspace must have, and the lints that every crate takes from it.

use super::Fault;
use super::tree::Tree;

/// The documents at the root, and what each is for.
const DOCUMENTS: &[(&str, &str)] = &[
    ("README.md", "what it is and how to start"),
    ("ARCHITECTURE.md", "the map and its invariants"),
    ("CHANGELOG.md", "what changed, in the user's words"),
];

pub(crate) fn check(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (document, purpose) in DOCUMENTS {
        if !tree.root.join(document).is_file() {
            faults.push(Fault::new(
                document,
                1,
                format!("is missing; write it: {purpose}"),
            ));
        }
    }
    for package in &tree.packages {
        let (path, manifest) = tree.manifest(package);
        if !takes_workspace_lints(&manifest) {
            faults.push(Fault::new(
                &path,
                1,
                "takes no workspace lints; add `[lints]` with `workspace = true`",
            ));
        }
    }
    faults
}

fn takes_workspace_lints(manifest: &str) -> bool {
    let mut section = "";
    for line in manifest.lines() {
        let line = line.split('#').next().unwrap_or_default().trim();
        let compact: String = line.split_whitespace().collect();
        if line.starts_with('[') {
            section = line;
        } else if section == "[lints]" && compact == "workspace=true"
            || section.is_empty() && compact == "lints.workspace=true"
        {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::takes_workspace_lints;

    #[test]
    fn workspace_lints_stand_in_their_own_section() {
        assert!(takes_workspace_lints(
            "[package]\nname = 'a'\n[lints]\nworkspace = true # all\n"
        ));
        assert!(!takes_workspace_lints(
            "[package]\n[dependencies.a]\nworkspace = true\n[lints]\n"
        ));
    }
}
