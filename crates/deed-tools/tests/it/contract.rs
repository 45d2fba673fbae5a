//! What holds for every built-in tool, whichever there are.

use std::collections::HashSet;
use std::sync::Arc;

use deed_env::{LocalConfig, LocalEnv};
use deed_tooling::{ResultView, ToolDefinition};
use deed_tools::{
    BUILTINS, ToolBasis, ToolSettings, create_all_tool_definitions, create_coding_tool_definitions,
    create_read_only_tool_definitions,
};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::Bench;

fn basis() -> ToolBasis {
    ToolBasis {
        env: Arc::new(LocalEnv::new(LocalConfig::default())),
        settings: Arc::new(ToolSettings::default()),
    }
}

fn definitions() -> Vec<Arc<dyn ToolDefinition>> {
    create_all_tool_definitions(&basis())
}

/// Makes arguments that a schema accepts: the required fields, texts for texts.
fn minimal(schema: &Value) -> Value {
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let mut arguments = Map::new();
    for name in &required {
        let name = name.as_str().unwrap();
        arguments.insert(name.to_owned(), example(name, &schema["properties"][name]));
    }
    Value::Object(arguments)
}

fn example(name: &str, schema: &Value) -> Value {
    match schema["type"].as_str() {
        Some("string") if name == "path" => "file".into(),
        Some("string") if name == "command" => "true".into(),
        Some("string") => "x".into(),
        Some("integer" | "number") => 1.into(),
        Some("boolean") => false.into(),
        Some("array") => json!([example(name, &schema["items"])]),
        Some("object") => minimal(schema),
        other => panic!("no example for {other:?}"),
    }
}

#[test]
fn names_are_unique_and_those_of_the_list() {
    let definitions = definitions();
    let names: HashSet<_> = definitions
        .iter()
        .map(|tool| tool.spec().name.clone())
        .collect();
    assert_eq!(names.len(), definitions.len());
    for (row, definition) in BUILTINS.iter().zip(&definitions) {
        let spec = definition.spec();
        assert_eq!(&*spec.name, row.name);
        assert_eq!(&*spec.label, row.name);
        assert_eq!(&*spec.source.path, format!("builtin:{}", row.name));
    }
}

#[test]
fn the_presets_are_made_of_tools_there_are() {
    let names = |definitions: Vec<Arc<dyn ToolDefinition>>| -> Vec<String> {
        definitions
            .iter()
            .map(|tool| tool.spec().name.to_string())
            .collect()
    };
    let coding = names(create_coding_tool_definitions(&basis()));
    assert_eq!(coding, ["read", "bash", "edit", "write"]);
    let looking = names(create_read_only_tool_definitions(&basis()));
    assert_eq!(looking, ["read", "grep", "find", "ls"]);
}

#[test]
fn every_tool_says_what_it_is_for() {
    for definition in definitions() {
        let (spec, prompt) = (definition.spec(), definition.prompt());
        let snippet = prompt.snippet().unwrap_or_default();
        assert!(
            !snippet.is_empty() && !snippet.ends_with('.'),
            "{}: {snippet}",
            spec.name
        );
        assert!(spec.description.len() < 1000, "{}", spec.name);
        for guideline in prompt.guidelines() {
            assert!(guideline.contains(&*spec.name), "{guideline}");
        }
        let properties = spec.parameters.as_value()["properties"]
            .as_object()
            .unwrap();
        for (name, property) in properties {
            assert!(property["description"].is_string(), "{}: {name}", spec.name);
        }
    }
}

#[tokio::test]
async fn an_unknown_field_is_refused_before_anything_happens() {
    for definition in definitions() {
        let spec = definition.spec();
        let bench = Bench::new();
        bench.put("file", "x\n");
        let mut arguments = minimal(spec.parameters.as_value());
        arguments["colour"] = 1.into();
        let error = bench.call(&spec.name, arguments).await.error();
        assert!(
            error.contains("- colour: not a known field"),
            "{}: {error}",
            spec.name
        );
        assert_eq!(bench.content("file"), b"x\n", "{}", spec.name);
    }
}

#[tokio::test]
async fn a_missing_field_and_a_wrong_type_are_named() {
    for definition in definitions() {
        let spec = definition.spec();
        let schema = spec.parameters.as_value();
        let bench = Bench::new();
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        for name in &required {
            let name = name.as_str().unwrap();
            let mut arguments = minimal(schema);
            arguments.as_object_mut().unwrap().remove(name);
            let error = bench.call(&spec.name, arguments).await.error();
            assert!(
                error.contains(&format!("- {name}: ")),
                "{}: {error}",
                spec.name
            );
            let mut arguments = minimal(schema);
            arguments[name] = json!({ "no": ["such"] });
            bench.call(&spec.name, arguments).await.error();
        }
    }
}

#[tokio::test]
async fn a_call_that_is_cancelled_before_it_begins_does_nothing() {
    for definition in definitions() {
        let spec = definition.spec();
        let bench = Bench::new();
        bench.put("file", "x\n");
        let cancel = CancellationToken::new();
        cancel.cancel();
        let call = (&*spec.name, minimal(spec.parameters.as_value()));
        let called = bench.batch_until([call], cancel, |_| false).await.remove(0);
        assert_eq!(called.error(), "Operation aborted", "{}", spec.name);
        assert_eq!(bench.content("file"), b"x\n", "{}", spec.name);
    }
}

#[tokio::test]
async fn content_and_details_are_bounded() {
    for definition in definitions() {
        let spec = definition.spec();
        let bench = Bench::new();
        let lines = format!("x{}\n", "y".repeat(150)).repeat(20_000);
        bench.put("file", lines);
        let mut arguments = minimal(spec.parameters.as_value());
        if arguments.get("content").is_some() {
            arguments["content"] = "z\n".repeat(300_000).into();
        }
        if arguments.get("command").is_some() {
            arguments["command"] = "cat file".into();
        }
        let called = bench.call(&spec.name, arguments).await;
        assert!(called.text().len() <= 55_000, "{}", spec.name);
        let details = called
            .result
            .details
            .clone()
            .unwrap_or_default()
            .to_string();
        assert!(details.len() <= 200_000, "{}", spec.name);
    }
}

#[tokio::test]
async fn cards_can_be_drawn_of_anything() {
    let arguments = [
        json!({}),
        json!(null),
        json!([]),
        json!({ "path": 5, "edits": "x" }),
    ];
    for definition in definitions() {
        for arguments in &arguments {
            let card = definition.render_call(arguments).await;
            assert_eq!(card.title, &*definition.spec().name);
            let failed = deed_protocol::ToolResult::error("no\nway");
            for view in [
                ResultView::default(),
                ResultView {
                    expanded: true,
                    partial: true,
                },
            ] {
                definition.render_result(arguments, &failed, view).await;
            }
        }
    }
}

#[test]
fn schemas_are_closed_and_as_documented() {
    let mut lines = Vec::new();
    for definition in definitions() {
        let spec = definition.spec();
        spec.parameters.warm().unwrap();
        let schema = spec.parameters.as_value();
        assert_eq!(schema["additionalProperties"], false, "{}", spec.name);
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        for (name, property) in schema["properties"].as_object().unwrap() {
            let mark = if required.contains(&name.as_str().into()) {
                "*"
            } else {
                ""
            };
            lines.push(format!("{}.{name}{mark} {property}", spec.name));
        }
    }
    insta::assert_snapshot!(lines.join("\n"), @r#"
    read.path* {"type":"string","description":"File to read, relative to the working folder or absolute"}
    read.offset {"type":"integer","minimum":1,"description":"Line to start at, counted from 1; left out, the first"}
    read.limit {"type":"integer","minimum":1,"description":"How many lines to read at most; left out, as many as one result holds"}
    bash.command* {"type":"string","description":"The command line to run"}
    bash.timeout {"type":"number","description":"Time limit in seconds, fractions allowed; default 600","exclusiveMinimum":0,"maximum":2147483}
    edit.path* {"type":"string","description":"File to change, relative to the working folder or absolute"}
    edit.edits* {"type":"array","items":{"type":"object","properties":{"oldText":{"description":"Text to replace, exactly as in the file; must occur only once, so take enough of it","type":"string"},"newText":{"description":"What takes its place","type":"string"}},"additionalProperties":false,"required":["oldText","newText"]},"description":"Replacements, each looked up in the file as it is before the call; they must not overlap","minItems":1}
    write.path* {"type":"string","description":"File to write, relative to the working folder or absolute"}
    write.content* {"type":"string","description":"The whole new content, to the letter"}
    grep.pattern* {"type":"string","description":"Regular expression, or plain text with literal"}
    grep.path {"type":"string","description":"File or folder to search (default: the working folder)"}
    grep.glob {"type":"string","description":"Only files whose name matches, such as `*.rs` or `src/**/*.ts`; with `!` in front, only others"}
    grep.ignoreCase {"type":"boolean","description":"Match upper and lower case alike (default: false)"}
    grep.literal {"type":"boolean","description":"Take the pattern as plain text (default: false)"}
    grep.context {"type":"integer","minimum":0,"description":"Lines to show before and after each match (default: 0)","maximum":1000}
    grep.limit {"type":"integer","minimum":1,"description":"Matches to show at most (default: 100)"}
    find.pattern* {"type":"string","description":"Glob: `*.rs` finds by name at any depth, `src/**/*.rs` by path from the searched folder, `docs/` only folders"}
    find.path {"type":"string","description":"Folder to search (default: the working folder)"}
    find.limit {"type":"integer","minimum":1,"description":"Results to show at most (default: 1000)"}
    ls.path {"type":"string","description":"Folder to list (default: the working folder)"}
    ls.limit {"type":"integer","minimum":1,"description":"Entries to show at most (default: 500)"}
    powershell.command* {"type":"string","description":"The command line to run"}
    powershell.timeout {"type":"number","description":"Time limit in seconds, fractions allowed; default 600","exclusiveMinimum":0,"maximum":2147483}
    "#);
}

#[tokio::test]
async fn every_plan_has_the_policy_name_of_its_spec() {
    let bench = Bench::new();
    bench.put("file", "x\n");
    for definition in definitions() {
        let spec = definition.spec();
        let mut arguments = minimal(spec.parameters.as_value());
        // Some want a folder, and none changes anything.
        let is_of_folders = ["ls", "find"].contains(&spec.name.as_ref());
        arguments["path"] = match is_of_folders {
            true => bench.folder().display().to_string().into(),
            false => bench.path("file").display().to_string().into(),
        };
        let takes_path = spec.parameters.as_value()["properties"]
            .get("path")
            .is_some();
        if !takes_path {
            arguments.as_object_mut().unwrap().remove("path");
        }
        let raw = deed_schema::RawArgs::from_value(&arguments);
        let args = spec.parameters.validate(&raw).unwrap();
        let plan = definition.plan(&args).await.unwrap();
        assert_eq!(plan.policy_name, spec.policy_name, "{}", spec.name);
    }
}
