//! Files and packages that scripts import.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::json;

use crate::support::{Play, Played, batch, call, tool};

async fn run(play: Play, imports: &str, body: &str) -> Played {
    let text = format!("{imports}\n{}", tool(body));
    play.with("ext/t.ts", &text)
        .run(batch(&[call("c", "t", json!({}))]))
        .await
}

#[tokio::test]
async fn files_beside_it_are_found_under_the_names_that_typescript_uses() {
    let play = Play::new()
        .file("ext/a.ts", "export const a: string = 'a';")
        .file("ext/b.ts", "export { a as b } from './a';")
        .file("ext/lib/index.ts", "export default 'lib';")
        .file("ext/data.json", r#"{ "n": 7 }"#)
        .file(
            "ext/only.mjs",
            "export const here = import.meta.dirname.split('/').pop();",
        );
    let imports = "import { a } from './a.ts'; import { b } from './b.js'; import lib from './lib'; import data from './data.json'; import { here } from './only.mjs'; import type { Gone } from './nowhere';";
    let played = run(play, imports, "return [a, b, lib, data.n, here].join();").await;
    assert_eq!(played.text("c"), "a,a,lib,7,ext");
}

#[tokio::test]
async fn an_import_that_is_a_type_only_is_dropped_also_where_it_does_not_say_so() {
    let play = Play::new().file(
        "ext/a.ts",
        "export interface Shape {} export const make = () => 'made';",
    );
    let played = run(
        play,
        "import { Shape, make } from './a';",
        "const s: Shape = make(); return s;",
    )
    .await;
    assert_eq!(played.text("c"), "made");
}

#[tokio::test]
async fn packages_are_found_by_exports_and_main_in_folders_above() {
    let play = Play::new()
        .file("node_modules/esm/package.json", r#"{ "type": "module", "exports": { ".": { "types": "./x.d.ts", "import": "./esm.js", "require": "./cjs.cjs" }, "./sub/*": "./sub/*.js" } }"#)
        .file("node_modules/esm/esm.js", "export const kind = 'esm';")
        .file("node_modules/esm/sub/deep.js", "export default 'deep';")
        .file("ext/node_modules/@scope/cjs/package.json", r#"{ "main": "lib/main" }"#)
        .file("ext/node_modules/@scope/cjs/lib/main.js", "const other = require('./other'); exports.named = () => other.value; module.exports.extra = 2;")
        .file("ext/node_modules/@scope/cjs/lib/other.js", "module.exports = { value: 'named', dir: __dirname };");
    let imports = "import { kind } from 'esm'; import deep from 'esm/sub/deep'; import cjs, { named, extra } from '@scope/cjs'; import * as all from '@scope/cjs';";
    let played = run(
        play,
        imports,
        "return [kind, deep, named(), extra, cjs.named === named, Object.keys(all).sort()].join();",
    )
    .await;
    assert_eq!(
        played.text("c"),
        "esm,deep,named,2,true,default,extra,named"
    );
}

#[tokio::test]
async fn names_of_commonjs_that_only_show_when_it_runs_can_be_imported() {
    let play = Play::new()
        .file("node_modules/dyn/index.js", "for (const name of ['one', 'two']) module.exports[name] = name;")
        .file("node_modules/compiled/index.js", "Object.defineProperty(exports, '__esModule', { value: true }); exports.default = 'inner'; exports.other = 1;");
    let imports = "import { one, two } from 'dyn'; import compiled, { other } from 'compiled';";
    let played = run(play, imports, "return [one, two, compiled, other].join();").await;
    assert_eq!(played.text("c"), "one,two,inner,1");
}

#[tokio::test]
async fn commonjs_that_requires_itself_in_a_circle_sees_what_is_there() {
    let play = Play::new()
        .file(
            "ext/a.cjs",
            "exports.early = 1; exports.b = require('./b.cjs').seen; exports.late = 2;",
        )
        .file(
            "ext/b.cjs",
            "exports.seen = JSON.stringify(require('./a.cjs'));",
        );
    let played = run(
        play,
        "import { b, late } from './a.cjs';",
        "return [b, late].join();",
    )
    .await;
    assert_eq!(played.text("c"), r#"{"early":1},2"#);
}

#[tokio::test]
async fn an_extension_may_be_commonjs_itself() {
    let text = "module.exports = (pi) => pi.registerTool({ name: 't', description: '', parameters: { type: 'object' }, execute: async () => ({ content: [{ type: 'text', text: __filename }] }) });";
    let played = Play::new()
        .with("t.js", text)
        .run(batch(&[call("c", "t", json!({}))]))
        .await;
    assert_eq!(played.text("c"), "ROOT/t.js");
}

#[tokio::test]
async fn a_package_without_that_part_is_named_with_its_folder() {
    let play = Play::new().file(
        "node_modules/p/package.json",
        r#"{ "exports": { ".": "./i.js" } }"#,
    );
    let played = run(play, "import 'p/inner';", "").await;
    assert_eq!(
        played.diagnostics(),
        ["ROOT/ext/t.ts: not loaded: package 'p' has no './inner' (ROOT/node_modules/p)"]
    );
}

#[tokio::test]
async fn a_fault_in_a_file_that_is_imported_names_that_file_and_place() {
    let play = Play::new().file("ext/bad.ts", "export const x: number = ;\n");
    let played = run(play, "import { x } from './bad';", "return x;").await;
    let diagnostics = played.diagnostics();
    let expected = "ROOT/ext/t.ts: not loaded: ROOT/ext/bad.ts:1:26: syntax error: ";
    assert!(diagnostics[0].starts_with(expected), "{diagnostics:?}");
}

#[tokio::test]
async fn modules_of_the_host_itself_are_not_for_scripts() {
    for specifier in ["deed:host", "deed:prelude"] {
        let played = run(Play::new(), &format!("import '{specifier}';"), "").await;
        let diagnostics = played.diagnostics();
        assert!(
            diagnostics[0].contains("cannot find package"),
            "{diagnostics:?}"
        );
    }
}

/// A module that loads another on its way must not let a third link it: the engine aborts on that.
#[tokio::test]
async fn modules_that_are_imported_at_once_load_one_after_the_other() {
    let modules: BTreeMap<String, String> =
        serde_json::from_str(include_str!("../../js/modules.json")).unwrap();
    let names = modules.keys().filter(|name| name.starts_with("node:"));
    let names: Vec<_> = names.collect();
    let text = format!(
        "export default async () => {{
            await Promise.all({names:?}.map((name) => import(name)));
            console.log('loaded');
        }};"
    );
    let played = Play::new()
        .limits(|limits| limits.slice = Duration::from_secs(60))
        .with("x.js", &text)
        .load(json!([{}]))
        .await;
    assert_eq!(played.diagnostics(), [""; 0]);
    assert_eq!(played.notices.lines(), ["Info loaded"]);
}

#[tokio::test]
async fn what_is_required_while_a_module_loads_is_there_at_once_or_says_why_not() {
    let played = Play::new()
        .file("waits.mjs", "await 0; export const one = 1;")
        .file("plain.mjs", "export const one = 1;")
        .with(
            "x.mjs",
            "import { createRequire } from 'node:module';
            import('node:child_process');
            const require = createRequire(import.meta.url);
            require('node:fs');
            console.log(require('./plain.mjs').one, require('./plain.mjs') === require('./plain.mjs'));
            try { require('./waits.mjs'); } catch (error) { console.log(error.message); }
            export default () => {};",
        )
        .load(json!([{}]))
        .await;
    assert_eq!(played.diagnostics(), [""; 0]);
    let lines: Vec<_> = played
        .notices
        .lines()
        .iter()
        .map(|line| played.plain(line))
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @r"
    Info 1 true
    Info ROOT/waits.mjs waits while it loads; `require` cannot, so import it
    ");
}

#[tokio::test]
async fn requiring_what_is_being_loaded_is_an_error_and_not_the_end_of_the_program() {
    let played = Play::new()
        .file(
            "b.cjs",
            "const tried = (name) => { try { return typeof require(name); } catch (error) { return error.message; } };
            exports.b = [tried('./x.mjs'), tried('./around.mjs'), tried('./free.mjs'), tried('./free.mjs')];",
        )
        .file("around.mjs", "import './x.mjs';")
        .file("free.mjs", "export const one = 1;")
        .with(
            "x.mjs",
            "import { b } from './b.cjs';
            for (const line of b) console.log(line);
            export default () => {};",
        )
        .load(json!([{}]))
        .await;
    assert_eq!(played.diagnostics(), [""; 0]);
    let lines = played.notices.lines();
    let lines: Vec<_> = lines.iter().map(|line| played.plain(line)).collect();
    insta::assert_snapshot!(lines.join("\n"), @r"
    Info ROOT/x.mjs is still being loaded, and `require` cannot wait for that; import it instead
    Info ROOT/x.mjs is still being loaded, and `require` cannot wait for that; import it instead
    Info object
    Info object
    ");
}
