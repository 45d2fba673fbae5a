use std::path::{Path, PathBuf};

use deed_harness::extension_files::{BroughtBy, ExtensionPlaces, FoundExtensions};
use tempfile::TempDir;

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

fn inner(root: &TempDir, path: &Path) -> String {
    let root = root.path().canonicalize().unwrap();
    path.strip_prefix(root).unwrap().display().to_string()
}

fn found(root: &TempDir, places: &ExtensionPlaces) -> Vec<String> {
    let found = FoundExtensions::find(places);
    assert_eq!(found.problems, [""; 0]);
    let files = found.files.iter();
    files.map(|file| inner(root, &file.path)).collect()
}

fn paths(root: &TempDir, names: &[&str]) -> Vec<PathBuf> {
    names.iter().map(|name| root.path().join(name)).collect()
}

#[test]
fn a_folder_holds_scripts_folders_with_an_index_and_packages_one_level_deep() {
    let root = folder(&[
        ("ext/b.ts", ""),
        ("ext/a.js", ""),
        ("ext/types.d.ts", ""),
        ("ext/notes.md", ""),
        ("ext/.hidden.ts", ""),
        ("ext/one/index.ts", ""),
        ("ext/one/helper.ts", ""),
        ("ext/plain/helper.ts", ""),
        (
            "ext/pack/package.json",
            r#"{"pi": {"extensions": ["./src/x.ts", "more"]}}"#,
        ),
        ("ext/pack/index.ts", ""),
        ("ext/pack/src/x.ts", ""),
        ("ext/pack/more/y.ts", ""),
        ("ext/other/package.json", r#"{"name": "other"}"#),
        ("ext/other/index.js", ""),
        ("ext/node_modules/m/index.js", ""),
    ]);
    let places = ExtensionPlaces {
        discovers: true,
        user_folders: paths(&root, &["ext", "absent"]),
        ..ExtensionPlaces::default()
    };
    assert_eq!(
        found(&root, &places),
        [
            "ext/a.js",
            "ext/b.ts",
            "ext/one/index.ts",
            "ext/other/index.js",
            "ext/pack/src/x.ts",
            "ext/pack/more/y.ts"
        ]
    );
}

#[test]
fn the_nearest_comes_first_and_a_file_counts_once() {
    let root = folder(&[
        ("cli.ts", ""),
        ("project/extra.ts", ""),
        ("project/.deed/extensions/p.ts", ""),
        ("user/extra.ts", ""),
        ("user/extensions/u.ts", ""),
    ]);
    std::os::unix::fs::symlink(
        root.path().join("cli.ts"),
        root.path().join("user/extensions/l.ts"),
    )
    .unwrap();
    let mut places = ExtensionPlaces {
        named: paths(&root, &["cli.ts"]),
        discovers: true,
        project_is_trusted: true,
        project_paths: paths(&root, &["project/extra.ts"]),
        project_folders: paths(&root, &["project/.deed/extensions"]),
        user_paths: paths(&root, &["user/extra.ts"]),
        user_folders: paths(&root, &["user/extensions"]),
    };
    let all = [
        "cli.ts",
        "project/extra.ts",
        "project/.deed/extensions/p.ts",
        "user/extra.ts",
        "user/extensions/u.ts",
    ];
    assert_eq!(found(&root, &places), all);
    let by: Vec<_> = FoundExtensions::find(&places)
        .files
        .iter()
        .map(|it| it.by)
        .collect();
    use BroughtBy::{CommandLine, Project, User};
    assert_eq!(by, [CommandLine, Project, Project, User, User]);

    places.project_is_trusted = false;
    assert_eq!(found(&root, &places), [all[0], all[3], all[4]]);
    places.discovers = false;
    assert_eq!(found(&root, &places), [all[0]]);
}

#[test]
fn what_is_named_and_is_no_extension_is_told() {
    let root = folder(&[
        ("empty/readme.md", ""),
        ("broken/package.json", "{"),
        (
            "dangling/package.json",
            r#"{"pi": {"extensions": ["gone.ts"]}}"#,
        ),
    ]);
    let places = ExtensionPlaces {
        named: paths(&root, &["none.ts", "empty", "broken", "dangling"]),
        ..ExtensionPlaces::default()
    };
    let told = FoundExtensions::find(&places);
    assert!(told.files.is_empty());
    let own = root.path().display().to_string();
    let told: Vec<_> = told
        .problems
        .iter()
        .map(|it| it.replace(&own, "DIR"))
        .collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    DIR/none.ts: there is no such extension
    DIR/empty: there is no extension in this folder; one is a `.ts` or `.js` file, or a folder with an `index.ts`
    DIR/broken/package.json: EOF while parsing an object at line 1 column 1
    DIR/dangling/gone.ts: there is no such extension
    ");
}
