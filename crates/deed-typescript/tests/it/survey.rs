use std::path::Path;

use deed_typescript::{Survey, Used};
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

fn survey(folder: &TempDir) -> Survey {
    Survey::of(&folder.path().join("index.ts"))
}

fn names(folder: &TempDir, survey: &Survey) -> Vec<String> {
    let root = folder.path().canonicalize().unwrap();
    let inner = |path: &Path| path.strip_prefix(&root).unwrap().display().to_string();
    let mut names: Vec<_> = survey.files.iter().map(|file| inner(&file.path)).collect();
    names.sort();
    names
}

#[test]
fn all_files_that_are_imported_belong_to_it_and_types_do_not() {
    let folder = folder(&[
        (
            "index.ts",
            "import { a } from './lib/a.js'; import type { T } from './types';\n\
             import { U } from './types'; import data from './data.json';\n\
             export default function (pi: U) { a(data); import('./late.ts'); }",
        ),
        ("lib/a.ts", "export { b as a } from '../b';\n"),
        ("b.ts", "import ms = require('ms'); export const b = ms;"),
        ("late.ts", "export * from './b.ts';"),
        ("types.ts", "export interface T {} export interface U {}"),
        ("data.json", "{}"),
        ("unrelated.ts", "throw 1;"),
        (
            "node_modules/ms/package.json",
            r#"{"name": "ms", "main": "./main.js"}"#,
        ),
        (
            "node_modules/ms/main.js",
            "module.exports = require('./more');",
        ),
        (
            "node_modules/ms/more.js",
            "try { require('absent') } catch {}",
        ),
    ]);
    let survey = survey(&folder);
    assert_eq!(
        names(&folder, &survey),
        [
            "b.ts",
            "data.json",
            "index.ts",
            "late.ts",
            "lib/a.ts",
            "node_modules/ms/main.js",
            "node_modules/ms/more.js"
        ]
    );
    assert_eq!(survey.files[0].path.file_name().unwrap(), "index.ts");
    assert_eq!(survey.faults, [""; 0]);
}

#[test]
fn what_it_will_want_shows_in_imports_calls_and_variables() {
    let wants = |text: &str| survey(&folder(&[("index.ts", text)])).wants;
    let of = |text: &str| {
        let wants = wants(text);
        let all = [wants.reads, wants.writes, wants.runs, wants.connects];
        all.map(u8::from)
    };
    for (text, expected) in [
        ("export default (pi) => {}", [0, 0, 0, 0]),
        (
            "import { readFileSync } from 'node:fs'; readFileSync('a')",
            [1, 0, 0, 0],
        ),
        (
            "import { writeFileSync } from 'fs'; writeFileSync('a', '')",
            [1, 1, 0, 0],
        ),
        (
            "import * as fs from 'fs/promises'; fs.rm('a')",
            [1, 1, 0, 0],
        ),
        (
            "import { spawn } from 'child_process'; spawn('ls')",
            [0, 0, 1, 0],
        ),
        ("const { spawn } = require('child_process')", [0, 0, 1, 0]),
        (
            "export default (pi) => { pi.exec('git', ['status']) }",
            [0, 0, 1, 0],
        ),
        ("/a/.exec('a')", [0, 0, 0, 0]),
        ("fetch('https://example.com')", [0, 0, 0, 1]),
        (
            "import { createBashTool } from '@mariozechner/pi-coding-agent'; createBashTool('.')",
            [0, 0, 1, 0],
        ),
        ("import { join } from 'node:path'; join('a')", [0, 0, 0, 0]),
    ] {
        assert_eq!(of(text), expected, "{text}");
    }
    let env = wants("process.env.TOKEN; process.env['KEY']; const { A } = process.env;");
    assert!(env.variables.iter().eq(["KEY", "TOKEN"]));
    assert!(env.other_variables);
    assert!(!wants("process.env.TOKEN").other_variables);
    assert!(wants("require(process.argv[0])").other_modules);
}

#[test]
fn uses_are_told_with_their_place() {
    let folder = folder(&[(
        "index.ts",
        "import { Text } from '@mariozechner/pi-tui';\n\nexport default (pi) => {\n  pi.on('x', (_, ctx) => ctx.ui.custom(() => Text));\n};",
    )]);
    let survey = survey(&folder);
    let told: Vec<_> = survey
        .uses
        .iter()
        .map(|it| (it.line_1based, &it.used))
        .collect();
    let member = |object: &str, member: &str| Used::Member {
        object: object.to_owned(),
        member: member.to_owned(),
    };
    let text = Used::Import {
        module: "@earendil-works/pi-tui".to_owned(),
        name: Some("Text".to_owned()),
    };
    for expected in [
        (1, &text),
        (4, &member("pi", "on")),
        (4, &member("ui", "custom")),
    ] {
        assert!(told.contains(&expected), "{expected:?} of {told:?}");
    }
}

#[test]
fn what_is_wrong_is_told_and_the_rest_goes_on() {
    let folder = folder(&[
        (
            "index.ts",
            "import './broken.ts';\nimport 'absent';\nimport './none';",
        ),
        ("broken.ts", "let = ;"),
    ]);
    let survey = survey(&folder);
    let root = folder.path().canonicalize().unwrap().display().to_string();
    let faults: Vec<_> = survey
        .faults
        .iter()
        .map(|it| it.replace(&root, "DIR"))
        .collect();
    insta::assert_snapshot!(faults.join("\n"), @r"
    DIR/index.ts:2: cannot find package 'absent', imported from DIR/index.ts: there is no node_modules/absent in DIR or a folder above; install it there
    DIR/index.ts:3: cannot find './none', imported from DIR/index.ts
    DIR/broken.ts:1:7: syntax error: Unexpected token
    ");
}
