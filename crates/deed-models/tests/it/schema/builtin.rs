//! What each form says of the built-in tools.

use std::sync::Arc;

use deed_env::MemoryEnv;
use deed_models::schema::{Form, ToolNames, declare};
use deed_tooling::ToolDefinition;
use deed_tools::{ToolBasis, ToolSettings, create_all_tool_definitions};
use insta::assert_snapshot;
use serde_json::json;

use super::pretty;

fn builtins() -> Vec<Arc<dyn ToolDefinition>> {
    create_all_tool_definitions(&ToolBasis {
        env: Arc::new(MemoryEnv::new("/project")),
        settings: Arc::new(ToolSettings::default()),
    })
}

fn declared(tool: &str, form: Form) -> String {
    let tools = builtins();
    let names = ToolNames::new(tools.iter().map(|tool| tool.spec().name.clone()));
    let tool = tools.iter().find(|it| &*it.spec().name == tool).unwrap();
    let declared = declare(tool.spec(), &names, form).unwrap();
    pretty(&json!({ "strict": declared.is_strict, "parameters": declared.parameters }))
}

#[test]
fn every_builtin_can_be_declared_in_every_form() {
    let tools = builtins();
    let names = ToolNames::new(tools.iter().map(|tool| tool.spec().name.clone()));
    for tool in &tools {
        for form in [Form::Plain, Form::Strict, Form::OpenApi] {
            let declared = declare(tool.spec(), &names, form).unwrap();
            assert_eq!(declared.name, *tool.spec().name);
            assert!(declared.parameters.is_some());
        }
    }
}

#[test]
fn edit_is_strict_where_that_can_be() {
    assert_snapshot!(declared("edit", Form::Strict), @r#"
    {
      "strict": true,
      "parameters": {
        "type": "object",
        "properties": {
          "path": {
            "type": "string",
            "description": "File to change, relative to the working folder or absolute"
          },
          "edits": {
            "type": "array",
            "description": "Replacements, each looked up in the file as it is before the call; they must not overlap",
            "minItems": 1,
            "items": {
              "type": "object",
              "properties": {
                "oldText": {
                  "type": "string",
                  "description": "Text to replace, exactly as in the file; must occur only once, so take enough of it"
                },
                "newText": {"type":"string","description":"What takes its place"}
              },
              "required": ["oldText","newText"],
              "additionalProperties": false
            }
          }
        },
        "required": ["path","edits"],
        "additionalProperties": false
      }
    }
    "#);
    assert_snapshot!(declared("edit", Form::Plain), @r#"
    {
      "strict": false,
      "parameters": {
        "type": "object",
        "additionalProperties": false,
        "properties": {
          "path": {
            "type": "string",
            "description": "File to change, relative to the working folder or absolute"
          },
          "edits": {
            "type": "array",
            "items": {
              "type": "object",
              "properties": {
                "oldText": {
                  "description": "Text to replace, exactly as in the file; must occur only once, so take enough of it",
                  "type": "string"
                },
                "newText": {"description":"What takes its place","type":"string"}
              },
              "additionalProperties": false,
              "required": ["oldText","newText"]
            },
            "description": "Replacements, each looked up in the file as it is before the call; they must not overlap",
            "minItems": 1
          }
        },
        "required": ["path","edits"]
      }
    }
    "#);
    assert_snapshot!(declared("edit", Form::OpenApi), @r#"
    {
      "strict": false,
      "parameters": {
        "type": "object",
        "properties": {
          "path": {
            "type": "string",
            "description": "File to change, relative to the working folder or absolute"
          },
          "edits": {
            "type": "array",
            "minItems": 1,
            "items": {
              "type": "object",
              "properties": {
                "oldText": {
                  "type": "string",
                  "description": "Text to replace, exactly as in the file; must occur only once, so take enough of it"
                },
                "newText": {"type":"string","description":"What takes its place"}
              },
              "required": ["oldText","newText"]
            },
            "description": "Replacements, each looked up in the file as it is before the call; they must not overlap"
          }
        },
        "required": ["path","edits"]
      }
    }
    "#);
}

#[test]
fn b103_read_has_bounds_and_is_sent_plain() {
    assert_snapshot!(declared("read", Form::Strict), @r#"
    {
      "strict": false,
      "parameters": {
        "type": "object",
        "additionalProperties": false,
        "properties": {
          "path": {
            "type": "string",
            "description": "File to read, relative to the working folder or absolute"
          },
          "offset": {
            "type": "integer",
            "minimum": 1,
            "description": "Line to start at, counted from 1; left out, the first"
          },
          "limit": {
            "type": "integer",
            "minimum": 1,
            "description": "How many lines to read at most; left out, as many as one result holds"
          }
        },
        "required": ["path"]
      }
    }
    "#);
    assert_snapshot!(declared("read", Form::OpenApi), @r#"
    {
      "strict": false,
      "parameters": {
        "type": "object",
        "properties": {
          "path": {
            "type": "string",
            "description": "File to read, relative to the working folder or absolute"
          },
          "offset": {
            "type": "integer",
            "minimum": 1,
            "description": "Line to start at, counted from 1; left out, the first"
          },
          "limit": {
            "type": "integer",
            "minimum": 1,
            "description": "How many lines to read at most; left out, as many as one result holds"
          }
        },
        "required": ["path"]
      }
    }
    "#);
}

#[test]
fn bash_has_a_bound_that_gemini_is_told_in_words() {
    assert_snapshot!(declared("bash", Form::OpenApi), @r#"
    {
      "strict": false,
      "parameters": {
        "type": "object",
        "properties": {
          "command": {"type":"string","description":"The command line to run"},
          "timeout": {
            "type": "number",
            "maximum": 2147483,
            "description": "Time limit in seconds, fractions allowed; default 600 (more than 0)"
          }
        },
        "required": ["command"]
      }
    }
    "#);
}

#[test]
fn grep_asks_for_no_strictness_and_gets_none() {
    assert_snapshot!(declared("grep", Form::Strict), @r#"
    {
      "strict": false,
      "parameters": {
        "type": "object",
        "additionalProperties": false,
        "properties": {
          "pattern": {"type":"string","description":"Regular expression, or plain text with literal"},
          "path": {
            "type": "string",
            "description": "File or folder to search (default: the working folder)"
          },
          "glob": {
            "type": "string",
            "description": "Only files whose name matches, such as `*.rs` or `src/**/*.ts`; with `!` in front, only others"
          },
          "ignoreCase": {
            "type": "boolean",
            "description": "Match upper and lower case alike (default: false)"
          },
          "literal": {"type":"boolean","description":"Take the pattern as plain text (default: false)"},
          "context": {
            "type": "integer",
            "minimum": 0,
            "description": "Lines to show before and after each match (default: 0)",
            "maximum": 1000
          },
          "limit": {
            "type": "integer",
            "minimum": 1,
            "description": "Matches to show at most (default: 100)"
          }
        },
        "required": ["pattern"]
      }
    }
    "#);
}
