//! What is published derives from the table.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use deed_harness::settings::{
    SETTINGS, SettingDefault, SettingKind, settings_markdown, settings_schema,
};
use serde_json::Value;

fn published(name: &str) -> String {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    fs::read_to_string(docs.join(name)).unwrap_or_default()
}

const REMEDY: &str = "is not what the table says; run `cargo xtask docs`";

#[test]
fn the_published_schema_is_that_of_the_table() {
    let schema = format!(
        "{}\n",
        serde_json::to_string_pretty(&settings_schema()).unwrap()
    );
    assert!(
        published("settings.schema.json") == schema,
        "docs/settings.schema.json {REMEDY}"
    );
}

#[test]
fn the_published_documentation_is_that_of_the_table() {
    assert!(
        published("settings.md") == settings_markdown(),
        "docs/settings.md {REMEDY}"
    );
}

#[test]
fn the_schema_holds_every_setting_with_its_default() {
    let schema = settings_schema();
    for key in SETTINGS {
        let pointer = key.path.replace('.', "/properties/");
        let own = schema.pointer(&format!("/properties/{pointer}"));
        let own = own.unwrap_or_else(|| panic!("{}", key.path));
        assert_eq!(own.get("default").cloned(), key.default.to_json());
        assert_eq!(own["description"], key.about());
    }
    insta::assert_json_snapshot!(schema["properties"]["retry"], @r#"
    {
      "type": "object",
      "properties": {
        "enabled": {
          "description": "Whether a request that failed for a passing reason is sent again.",
          "type": "boolean",
          "default": true
        },
        "maxRetries": {
          "description": "How often it is sent again.",
          "type": "integer",
          "minimum": 0,
          "maximum": 1000,
          "default": 3
        },
        "baseDelayMs": {
          "description": "The wait before the first time; each further wait is twice as long.",
          "type": "integer",
          "minimum": 0,
          "maximum": 86400000,
          "default": 2000
        },
        "maxAgentDelayMs": {
          "description": "The longest wait; a provider that asks for a longer one is not waited for.",
          "type": "integer",
          "minimum": 0,
          "maximum": 86400000,
          "default": 60000
        }
      },
      "additionalProperties": false
    }
    "#);
    insta::assert_json_snapshot!(schema["properties"]["compaction"]["properties"]["modelOverrides"], @r#"
    {
      "description": "Other numbers for a model, by `provider/id`.",
      "type": "object",
      "additionalProperties": {
        "type": "object",
        "properties": {
          "reserveTokens": {
            "type": "integer",
            "minimum": 0
          },
          "keepRecentTokens": {
            "type": "integer",
            "minimum": 0
          }
        },
        "additionalProperties": false
      }
    }
    "#);
}

#[test]
fn the_table_is_sound() {
    let mut paths = HashSet::new();
    for key in SETTINGS {
        let path = key.path;
        assert!(paths.insert(path), "{path} is there twice");
        assert!(key.doc.ends_with('.') && !key.doc.contains('|'), "{path}");
        let outer = format!("{path}.");
        assert!(
            !SETTINGS.iter().any(|other| other.path.starts_with(&outer)),
            "{path}"
        );
        let fits = match (key.default, key.kind) {
            (SettingDefault::Unset, _)
            | (SettingDefault::Flag(_), SettingKind::Flag)
            | (SettingDefault::Texts(_), SettingKind::ToolNames) => true,
            (SettingDefault::Count(count), SettingKind::Count { min, max }) => {
                (min..=max).contains(&count)
            }
            (SettingDefault::Word(word), SettingKind::Word(words)) => words.contains(&word),
            _ => false,
        };
        assert!(fits, "{path}: its default is none of its kind");
        assert_ne!(
            settings_schema()["properties"].get(path.split('.').next().unwrap()),
            None::<&Value>
        );
    }
}
