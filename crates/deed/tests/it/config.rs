//! `deed config`: what holds, and where it comes from.

use std::fs;

use serde_json::Value;

use super::support::{Ran, Sandbox};

/// A sandbox with settings of the user and of a project.
fn sandbox(user: &str, project: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let config = sandbox.home().join(".config/deed");
    fs::create_dir_all(&config).unwrap();
    fs::write(config.join("settings.json"), user).unwrap();
    fs::create_dir(sandbox.path(".deed")).unwrap();
    sandbox.write(".deed/settings.json", project);
    sandbox
}

/// Both outputs, with steady paths.
fn said(sandbox: &Sandbox, ran: &Ran) -> String {
    sandbox.steady(&format!("exit {}\n{}{}", ran.code, ran.stdout, ran.stderr))
}

#[test]
fn everything_that_holds_is_listed_with_where_it_comes_from() {
    let user = "{\n  \"maxTurns\": 20,\n  \"retry\": {\"maxRetries\": 1},\n  \"model\": \"a\"\n}";
    let sandbox = sandbox(user, "{\"model\": \"b\", \"skills\": [\"own\"]}");
    sandbox.deed(&["trust", "--project", "."]).assert_clean();
    let ran = sandbox.deed(&["config"]);
    let set: Vec<&str> = ran.assert_clean().stdout.lines().collect();
    let (defaults, set): (Vec<&str>, Vec<&str>) = set
        .into_iter()
        .partition(|line| line.ends_with("  default"));
    insta::assert_snapshot!(sandbox.steady(&set.join("\n")), @r#"
    model                        "b"                                 ROOT/work/.deed/settings.json:1
    maxTurns                     20                                  ROOT/home/.config/deed/settings.json:2
    retry.maxRetries             1                                   ROOT/home/.config/deed/settings.json:3
    skills                       ["ROOT/work/.deed/own"]  ROOT/work/.deed/settings.json:1
    "#);
    insta::assert_snapshot!(defaults[..6].join("\n"), @"
    provider                     -                                   default
    thinking                     -                                   default
    providers                    -                                   default
    maxCost                      -                                   default
    repeatLimit                  250                                 default
    cancelGraceMs                5000                                default
    ");
}

#[test]
fn one_setting_is_explained_and_a_name_stands_for_all_below_it() {
    let sandbox = sandbox("{\"terminal\": {\"showImages\": false}}", "{}");
    insta::assert_snapshot!(said(&sandbox, &sandbox.deed(&["config", "terminal"])), @"
    exit 0
    terminal.showImages = false
      from     ROOT/home/.config/deed/settings.json:1  (not used yet)
      default  true
      Not used yet. Whether pictures are drawn, where the terminal can.
    terminal.imageWidthCells = 60
      from     default
      default  60
      Not used yet. How wide they are drawn.
    deed: note: ROOT/work/.deed/settings.json is not read, for the project is not trusted (nobody decided); deed trust --project .
    ");
    insta::assert_snapshot!(said(&sandbox, &sandbox.deed(&["config", "maxTurn"])), @"
    exit 2
    deed: there is no setting maxTurn; did you mean maxTurns?
    ");
    insta::assert_snapshot!(said(&sandbox, &sandbox.deed(&["config", "nothing.like.it"])), @"
    exit 2
    deed: there is no setting nothing.like.it; `deed config` lists all there are
    ");
}

#[test]
fn json_has_values_origins_findings_and_the_project() {
    let sandbox = sandbox("{\"maxTurns\": 20, \"modle\": 1}", "{}");
    let ran = sandbox.deed(&["config", "maxTurns", "--json"]);
    assert_eq!(ran.code, 0);
    let mut shown: Value = serde_json::from_str(&ran.stdout).unwrap();
    let text = sandbox.steady(&shown.to_string());
    shown = serde_json::from_str(&text).unwrap();
    insta::assert_json_snapshot!(shown, @r#"
    {
      "settings": [
        {
          "path": "maxTurns",
          "value": 20,
          "default": null,
          "origins": [
            {
              "layer": "user",
              "file": "ROOT/home/.config/deed/settings.json",
              "line": 1,
              "column": 2
            }
          ],
          "isUsed": true
        }
      ],
      "findings": [
        {
          "severity": "ignored",
          "file": "ROOT/home/.config/deed/settings.json",
          "line": 1,
          "column": 18,
          "reason": "`modle` is no setting, and was ignored; did you mean `model`?"
        }
      ],
      "project": {
        "isTrusted": false,
        "because": "nobody decided",
        "withheld": [
          "ROOT/work/.deed/settings.json"
        ]
      }
    }
    "#);
}

#[test]
fn a_wrong_file_is_told_and_what_is_sound_is_still_shown() {
    let sandbox = sandbox(
        "{\"maxTurns\": \"many\", \"model\": \"a\", \"modle\": 1}",
        "{}",
    );
    let ran = sandbox.deed(&["config", "model"]);
    insta::assert_snapshot!(said(&sandbox, &ran), @r#"
    exit 2
    model = "a"
      from     ROOT/home/.config/deed/settings.json:1
      default  none
      The model: an id, `provider/id` or a unique part of one; `:high` behind it sets the thinking level.
    deed: ROOT/home/.config/deed/settings.json:1:14: `maxTurns` must be a whole number from 1 to 1000000
    deed: warning: ROOT/home/.config/deed/settings.json:1:36: `modle` is no setting, and was ignored; did you mean `model`?
    deed: note: ROOT/work/.deed/settings.json is not read, for the project is not trusted (nobody decided); deed trust --project .
    "#);
}

#[test]
fn the_settings_of_a_project_that_is_not_trusted_are_passed_over_and_that_is_told() {
    let sandbox = sandbox("{}", "{\"model\": \"b\"}");
    insta::assert_snapshot!(said(&sandbox, &sandbox.deed(&["config", "model"])), @"
    exit 0
    model = -
      from     default
      default  none
      The model: an id, `provider/id` or a unique part of one; `:high` behind it sets the thinking level.
    deed: note: ROOT/work/.deed/settings.json is not read, for the project is not trusted (nobody decided); deed trust --project .
    ");
    let trusted = sandbox.deed(&["config", "model", "--trust-project"]);
    assert!(trusted.assert_clean().stdout.starts_with("model = \"b\""));
    sandbox.deed(&["trust", "--project", "."]).assert_clean();
    let refused = sandbox.deed(&["config", "model", "--no-trust-project"]);
    assert!(refused.stdout.starts_with("model = -"), "{refused:?}");
    let stored = sandbox.deed(&["config", "model"]);
    assert!(stored.assert_clean().stdout.starts_with("model = \"b\""));
}

#[test]
fn no_key_is_shown() {
    let user = "{\"providers\": {\"acme\": {\"apiKey\": \"sk-very-secret\"}}, \
                \"sql\": {\"shop\": \"postgres://me:sk-very-secret@host/db\"}}";
    let sandbox = sandbox(user, "{}");
    fs::remove_file(sandbox.path(".deed/settings.json")).unwrap();
    for args in [&["config"][..], &["config", "--json"], &["config", "sql"]] {
        let ran = sandbox.deed(args);
        assert!(
            !ran.assert_clean().stdout.contains("sk-very-secret"),
            "{ran:?}"
        );
    }
}

#[test]
fn where_settings_are_can_be_handed_to_an_editor() {
    let sandbox = Sandbox::new();
    let ran = sandbox.deed(&["config", "path"]);
    let expected = sandbox.home().join(".config/deed/settings.json");
    assert_eq!(
        ran.assert_clean().stdout,
        format!("{}\n", expected.display())
    );
    insta::assert_snapshot!(said(&sandbox, &sandbox.deed(&["config", "path", "--all"])), @"
    exit 0
    settings          ROOT/home/.config/deed/settings.json  (not there)
    policy            ROOT/home/.config/deed/policy.json  (not there)
    keys              ROOT/home/.config/deed/auth.json  (not there)
    trust             ROOT/home/.local/share/deed/trust.json  (not there)
    rules             ROOT/home/.local/share/deed/rules.json  (not there)
    sessions          ROOT/home/.local/share/deed/sessions  (not there)
    audit             ROOT/home/.local/state/deed/audit  (not there)
    output            ROOT/home/.local/state/deed/output  (not there)
    project settings  ROOT/work/.deed/settings.json  (not there)
    project policy    ROOT/work/.deed/policy.json  (not there)
    ");
}

#[test]
fn the_schema_is_json_and_the_documentation_names_every_setting() {
    let sandbox = Sandbox::new();
    let ran = sandbox.deed(&["config", "schema"]);
    let schema: Value = serde_json::from_str(&ran.assert_clean().stdout).unwrap();
    let ran = sandbox.deed(&["config", "schema", "--markdown"]);
    for name in schema["properties"].as_object().unwrap().keys() {
        assert!(
            name == "$schema" || ran.stdout.contains(&format!("`{name}")),
            "{name}"
        );
    }
}
