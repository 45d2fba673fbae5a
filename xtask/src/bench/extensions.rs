//! Benchmarks of extensions in files: `deed -p` with some, beside the same without.

use super::Bench;
use super::scripted::Answer;
use super::turns::{answered, run_with};
use anyhow::Result;
use serde_json::json;
use std::ffi::OsString;

/// Further extensions whose memory is shared out.
const MORE: usize = 10;
const HOOKED_TURNS: usize = 500;

/// A tool as Pi's first example has it.
fn greeting(name: &str) -> String {
    format!(
        r#"import {{ Type }} from "@earendil-works/pi-ai";
import {{ defineTool, type ExtensionAPI }} from "@earendil-works/pi-coding-agent";
const greet = defineTool({{
  name: "{name}", label: "Greet", description: "Greets somebody",
  parameters: Type.Object({{ name: Type.String() }}),
  async execute(_id, params) {{
    return {{ content: [{{ type: "text", text: `Hello, ${{params.name}}!` }}], details: {{}} }};
  }},
}});
export default function (pi: ExtensionAPI) {{ pi.registerTool(greet); }}
"#
    )
}

const GATE: &str = r#"export default (pi) => pi.on("tool_call", async (event) => {
  if (event.toolName === "bash") return { block: true };
});
"#;

/// Writes extensions and returns the options that load them.
fn written(bench: &Bench, files: &[(String, String)]) -> Result<Vec<OsString>> {
    let folder = bench.fixtures.work.join("extensions");
    std::fs::create_dir_all(&folder)?;
    let mut options = Vec::new();
    for (name, text) in files {
        let path = folder.join(name);
        std::fs::write(&path, text)?;
        options.extend(["-e".into(), path.into()]);
    }
    Ok(options)
}

fn greetings(count: usize) -> Vec<(String, String)> {
    let named = (0..count).map(|index| format!("greet{index}"));
    named
        .map(|name| (format!("{name}.ts"), greeting(&name)))
        .collect()
}

fn one_call(name: &str) -> Vec<Answer> {
    let call = [(name, json!({ "name": "Ann" }))];
    answered([Answer::calls(0, &call)].into_iter())
}

pub(crate) fn first_call(bench: &Bench) -> Result<f64> {
    let options = written(bench, &greetings(1))?;
    run_with(bench, &options, &one_call("greet0"))?.to_request(1)
}

pub(crate) fn first_built_in_call(bench: &Bench) -> Result<f64> {
    let path = bench.fixtures.small.first();
    let call = [("read", json!({ "path": path }))];
    let answers = answered([Answer::calls(0, &call)].into_iter());
    run_with(bench, &[], &answers)?.to_request(1)
}

pub(crate) fn memory_of_another(bench: &Bench) -> Result<f64> {
    let of = |count: usize| -> Result<f64> {
        let options = written(bench, &greetings(count))?;
        Ok(run_with(bench, &options, &one_call("greet0"))?.peak_memory)
    };
    Ok((of(MORE + 1)? - of(1)?) / MORE as f64)
}

/// Seconds of the processors that a turn with a read takes.
fn turn(bench: &Bench, options: &[OsString]) -> Result<f64> {
    let files = bench
        .fixtures
        .small
        .iter()
        .cycle()
        .take(HOOKED_TURNS)
        .enumerate();
    let read = |(turn, path)| Answer::calls(turn, &[("read", json!({ "path": path }))]);
    let answers = answered(files.map(read));
    Ok(run_with(bench, options, &answers)?.cpu / HOOKED_TURNS as f64)
}

pub(crate) fn unhooked_turn(bench: &Bench) -> Result<f64> {
    turn(bench, &[])
}

pub(crate) fn hooked_turn(bench: &Bench) -> Result<f64> {
    turn(
        bench,
        &written(bench, &[("gate.ts".to_owned(), GATE.to_owned())])?,
    )
}
