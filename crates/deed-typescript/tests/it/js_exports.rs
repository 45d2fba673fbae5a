//! Virtual modules: they load, and export every name that the real ones do.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use serde_json::json;

use crate::support::Play;

const EXPORTS: &str = include_str!("../../js/exports.json");
const MODULES: &str = include_str!("../../js/modules.json");

async fn said(script: &str) -> Vec<String> {
    let text = format!("{script}\nexport default () => {{}};\n");
    let played = Play::new()
        .limits(|limits| limits.slice = Duration::from_secs(60))
        .with("x.js", &text)
        .load(json!([{}]))
        .await;
    assert!(
        played.diagnostics().is_empty(),
        "{:?}",
        played.diagnostics()
    );
    played.notices.lines()
}

#[tokio::test]
async fn every_module_exports_every_name_of_the_real_one() {
    let exports: BTreeMap<String, Vec<String>> = serde_json::from_str(EXPORTS).unwrap();
    let mut script = String::new();
    for (at, (specifier, names)) in exports.iter().enumerate() {
        let names = serde_json::to_string(names).unwrap();
        writeln!(script, "import * as m{at} from '{specifier}';").unwrap();
        writeln!(
            script,
            "for (const name of {names}) if (!(name in m{at})) console.log('{specifier}', name);"
        )
        .unwrap();
    }
    script.push_str("console.log('looked');");
    assert_eq!(said(&script).await, ["Info looked"]);
}

#[tokio::test]
async fn every_specifier_loads_and_aliases_are_one_module() {
    let modules: BTreeMap<String, String> = serde_json::from_str(MODULES).unwrap();
    let mut script = String::from("const files = new Map();\n");
    for (at, (specifier, file)) in modules.iter().enumerate() {
        writeln!(script, "import * as m{at} from '{specifier}';").unwrap();
        writeln!(
            script,
            "if (files.has('{file}') && files.get('{file}') !== m{at}) console.log('{specifier}'); files.set('{file}', m{at});"
        )
        .unwrap();
    }
    script.push_str("console.log('looked');");
    assert_eq!(said(&script).await, ["Info looked"]);
}

#[tokio::test]
async fn a_name_without_an_implementation_says_so_when_it_is_used() {
    let script = r"
        import { SelectList } from '@earendil-works/pi-tui';
        import { CustomEditor, SessionManager } from '@earendil-works/pi-coding-agent';
        import { request } from 'node:http';
        import fs from 'node:fs';
        class Mine extends CustomEditor {}
        for (const use of [() => new SelectList(), () => new Mine(), () => SessionManager(), () => request('x'), () => fs.nope]) {
            try { use(); } catch (error) { console.log(error.name, error.message); }
        }
    ";
    let lines = said(script).await.join("\n");
    let lines = lines.replace(env!("CARGO_PKG_VERSION"), "VERSION");
    insta::assert_snapshot!(lines, @r"
    Info UnsupportedError 'SelectList' from '@earendil-works/pi-tui' isn't supported by this host (deed VERSION)
    Info UnsupportedError 'CustomEditor' from '@earendil-works/pi-coding-agent' isn't supported by this host (deed VERSION)
    Info UnsupportedError 'SessionManager' from '@earendil-works/pi-coding-agent' isn't supported by this host (deed VERSION)
    Info UnsupportedError 'request' from 'node:http' isn't supported by this host (deed VERSION)
    Info UnsupportedError 'fs.nope' isn't supported by this host (deed VERSION)
    ");
}
