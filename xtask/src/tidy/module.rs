//! Files that nobody compiles, and module files in the wrong shape.

use super::Fault;
use super::source::{Source, find_words};
use super::tree::Tree;

pub(crate) fn check(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    for source in &tree.sources {
        let Some(package) = tree
            .packages
            .iter()
            .find(|package| package.name == source.package)
        else {
            continue;
        };
        let folder = super::tree::below(&tree.root, &package.folder);
        let inside = source
            .path
            .strip_prefix(&folder)
            .unwrap_or(&source.path)
            .trim_start_matches('/');
        if inside.ends_with("/mod.rs") {
            let message = "no `mod.rs`; name the file after its module, beside the folder";
            faults.push(Fault::new(&source.path, 1, message));
            continue;
        }
        let Some((parents, module)) = parents_of(inside) else {
            if second_test_binary(inside) {
                let message =
                    "a second test binary; move it to tests/it/ and name it in tests/it/main.rs";
                faults.push(Fault::new(&source.path, 1, message));
            }
            continue;
        };
        let candidates: Vec<String> = parents
            .iter()
            .map(|parent| format!("{folder}/{parent}"))
            .collect();
        let named = tree
            .sources
            .iter()
            .any(|other| candidates.contains(&other.path) && declares(other, &module));
        if !named {
            let message = format!(
                "no `mod {module};` in {}: it is never compiled; add the line",
                candidates.join(" or ")
            );
            faults.push(Fault::new(&source.path, 1, message));
        }
    }
    faults
}

/// The files that may declare the module at `path` (below its crate), and its name; nothing for a root.
fn parents_of(path: &str) -> Option<(Vec<String>, String)> {
    let (folder, file) = path.rsplit_once('/')?;
    let module = file.strip_suffix(".rs")?.to_owned();
    let parents = match folder {
        "src" if matches!(module.as_str(), "lib" | "main") => return None,
        "src" => vec!["src/lib.rs".to_owned(), "src/main.rs".to_owned()],
        "tests/it" if module == "main" => return None,
        "tests/it" => vec!["tests/it/main.rs".to_owned()],
        _ if folder.starts_with("src/bin") => return None,
        _ if folder.starts_with("src/") || folder.starts_with("tests/it/") => {
            vec![format!("{folder}.rs")]
        }
        _ => return None,
    };
    Some((parents, module))
}

fn second_test_binary(path: &str) -> bool {
    path.starts_with("tests/") && path.matches('/').count() == 1
        || path.starts_with("tests/") && path.ends_with("/main.rs") && path != "tests/it/main.rs"
}

fn declares(source: &Source, module: &str) -> bool {
    find_words(&source.code, "mod").any(|at| {
        let rest = source.code.get(at + 3..).unwrap_or_default().trim_start();
        let rest = rest.strip_prefix("r#").unwrap_or(rest);
        rest.strip_prefix(module)
            .is_some_and(|rest| rest.trim_start().starts_with(';'))
    })
}
