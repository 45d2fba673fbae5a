//! Tidy over a small tree with one fault of each kind, and over the same tree without.

use super::{Fault, check};
use std::fs;
use std::path::Path;

const DOCUMENTS: &[(&str, &str)] = &[
    ("README.md", ""),
    ("ARCHITECTURE.md", ""),
    ("CHANGELOG.md", ""),
    ("docs/bug-cases.md", "| B001 | holds |\n"),
];

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn add_crate(root: &Path, name: &str, dependencies: &str, lib: &str) {
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[lints]\nworkspace = true\n{dependencies}"
    );
    write(root, &format!("crates/{name}/Cargo.toml"), &manifest);
    write(root, &format!("crates/{name}/src/lib.rs"), lib);
}

fn sound_tree() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(
        root,
        "Cargo.toml",
        "[workspace]\nresolver = \"3\"\nmembers = [\"crates/*\"]\n[workspace.lints.rust]\n",
    );
    for (path, text) in DOCUMENTS {
        write(root, path, text);
    }
    add_crate(root, "deed-protocol", "", "//! Words.\nmod word;\n");
    write(
        root,
        "crates/deed-protocol/src/word.rs",
        "#[cfg(test)]\nmod tests {\n    #[test]\n    fn b001_holds() {}\n}\n",
    );
    add_crate(
        root,
        "deed-agent",
        "[dependencies]\ndeed-protocol = { path = \"../deed-protocol\" }\n",
        "//! Core.\n",
    );
    folder
}

/// Faults as `path:line` and a part of the message that must be there.
fn assert_fault(faults: &[Fault], place: &str, part: &str) {
    let found = faults.iter().any(|fault| {
        fault.to_string().starts_with(&format!("{place}: ")) && fault.message.contains(part)
    });
    assert!(found, "no fault at {place} with {part:?} among {faults:#?}");
}

#[test]
fn a_sound_tree_has_no_fault_and_tells_its_sizes() {
    let tree = sound_tree();
    let report = check(tree.path()).unwrap();
    assert_eq!(report.faults, []);
    assert_eq!(
        report.sizes,
        "tests apart: 2 files, lines median 1, p90 1, longest 2; 0 functions, lines median 0, p90 0, longest 0"
    );
}

#[test]
fn a_crate_above_beside_or_outside_the_rings_is_a_fault() {
    let tree = sound_tree();
    let root = tree.path();
    let path = |name: &str| format!("{name} = {{ path = \"../{name}\" }}\n");
    add_crate(
        root,
        "deed-env",
        &format!(
            "[dependencies]\n{}{}",
            path("deed-session"),
            path("deed-tools")
        ),
        "",
    );
    add_crate(
        root,
        "deed-session",
        &format!("[dependencies]\n{}", path("deed-env")),
        "",
    );
    add_crate(root, "deed-tools", "", "");
    add_crate(
        root,
        "deed-guard",
        &format!(
            "[dependencies]\n{}[dev-dependencies]\n{}",
            path("deed-env"),
            path("deed-tools")
        ),
        "",
    );
    add_crate(root, "stray", "", "");
    let faults = check(root).unwrap().faults;
    assert_fault(
        &faults,
        "crates/deed-env/Cargo.toml:8",
        "`deed-env` uses `deed-session` of its own ring 2",
    );
    assert_fault(
        &faults,
        "crates/deed-env/Cargo.toml:9",
        "uses `deed-tools` (ring 3, product)",
    );
    assert_fault(
        &faults,
        "crates/deed-env/Cargo.toml:1",
        "deed-env → deed-session → deed-env",
    );
    assert_fault(&faults, "crates/stray/Cargo.toml:2", "is in no ring");
    assert!(
        !faults.iter().any(|fault| fault.path.contains("guard")),
        "{faults:#?}"
    );
}

#[test]
fn banned_paths_and_words_are_faults_where_they_are_banned() {
    let tree = sound_tree();
    let root = tree.path();
    let text = "use std::{fs, sync};\nfn f() { println!(); }\nuse tokio::{fs as files, time};\n\
                #[cfg(test)]\nmod tests {\n    use std::env;\n    use tokio::fs;\n    fn g() { env::var(\"A\"); }\n}\n";
    write(root, "crates/deed-agent/src/lib.rs", text);
    add_crate(
        root,
        "deed-env",
        "",
        "use std::env;\nfn f() { env::vars_os(); }\n// unsafe\nunsafe fn g() {}\n",
    );
    add_crate(root, "deed", "", "fn f() { std::env::var(\"HOME\"); }\n");
    let faults = check(root).unwrap().faults;
    let agent = "crates/deed-agent/src/lib.rs";
    assert_fault(&faults, &format!("{agent}:1"), "`std::fs`");
    assert_fault(&faults, &format!("{agent}:2"), "`println!`");
    assert_fault(&faults, &format!("{agent}:3"), "`tokio::fs`");
    assert_fault(&faults, &format!("{agent}:7"), "`tokio::fs`");
    assert_fault(&faults, "crates/deed-env/src/lib.rs:2", "`env::vars_os`");
    assert_fault(&faults, "crates/deed-env/src/lib.rs:4", "`unsafe`");
    assert_eq!(faults.len(), 6, "{faults:#?}");
}

#[test]
fn long_files_and_functions_are_faults_unless_the_file_is_a_table() {
    let tree = sound_tree();
    let root = tree.path();
    let function = format!("fn long() {{\n{}}}\n", "    f();\n".repeat(149));
    write(
        root,
        "crates/deed-agent/src/lib.rs",
        &format!("mod rows;\nmod wide;\n{function}"),
    );
    write(
        root,
        "crates/deed-agent/src/wide.rs",
        &"const A: u8 = 1;\n".repeat(801),
    );
    write(
        root,
        "crates/deed-agent/src/rows.rs",
        &format!("// This file is one table: rows\n{}", "// a\n".repeat(801)),
    );
    let faults = check(root).unwrap().faults;
    assert_fault(
        &faults,
        "crates/deed-agent/src/lib.rs:3",
        "function `long` has 151 lines of 150",
    );
    assert_fault(
        &faults,
        "crates/deed-agent/src/wide.rs:1",
        "801 lines, tests apart, of 800",
    );
    assert_eq!(faults.len(), 2, "{faults:#?}");
}

#[test]
fn forgotten_and_misplaced_files_are_faults() {
    let tree = sound_tree();
    let root = tree.path();
    write(
        root,
        "crates/deed-agent/tests/it/main.rs",
        "//! Tests.\nmod seen;\n// mod forgotten;\n",
    );
    for path in [
        "tests/it/seen.rs",
        "tests/it/forgotten.rs",
        "tests/other.rs",
        "src/lost/deep.rs",
        "src/lost/mod.rs",
    ] {
        write(root, &format!("crates/deed-agent/{path}"), "");
    }
    let faults = check(root).unwrap().faults;
    assert_fault(
        &faults,
        "crates/deed-agent/tests/it/forgotten.rs:1",
        "no `mod forgotten;` in crates/deed-agent/tests/it/main.rs",
    );
    assert_fault(
        &faults,
        "crates/deed-agent/tests/other.rs:1",
        "second test binary",
    );
    assert_fault(
        &faults,
        "crates/deed-agent/src/lost/deep.rs:1",
        "no `mod deep;` in crates/deed-agent/src/lost.rs",
    );
    assert_fault(
        &faults,
        "crates/deed-agent/src/lost/mod.rs:1",
        "no `mod.rs`",
    );
    assert_eq!(faults.len(), 4, "{faults:#?}");
}

#[test]
fn missing_documents_lints_and_cases_are_faults() {
    let tree = sound_tree();
    let root = tree.path();
    fs::remove_file(root.join("README.md")).unwrap();
    write(
        root,
        "crates/deed-agent/Cargo.toml",
        "[package]\nname = \"deed-agent\"\nversion = \"0.1.0\"\nedition = \"2024\"\n",
    );
    let list = "| Id | Case |\n|---|---|\n| B002 | no test |\n\n## Not yet\n\n| B001 | has one | #4 |\n| B003 | waits | #5 |\n\
                | B004 | waits for nobody |\n";
    write(root, "docs/bug-cases.md", list);
    write(
        root,
        "crates/deed-agent/src/lib.rs",
        "#[test]\nfn b009_unlisted() {}\nfn b010_no_test() {}\n",
    );
    let faults = check(root).unwrap().faults;
    assert_fault(&faults, "README.md:1", "is missing");
    assert_fault(&faults, "crates/deed-agent/Cargo.toml:1", "workspace lints");
    assert_fault(
        &faults,
        "docs/bug-cases.md:3",
        "B002 has no test; write `fn b002_…`",
    );
    assert_fault(
        &faults,
        "docs/bug-cases.md:7",
        "B001 has a test at crates/deed-protocol/src/word.rs:4",
    );
    assert_fault(&faults, "docs/bug-cases.md:9", "B004 waits for no issue");
    assert_fault(&faults, "crates/deed-agent/src/lib.rs:2", "B009");
    assert_eq!(faults.len(), 6, "{faults:#?}");
}
