use std::fs;

use deed_harness::settings::{SettingsFiles, nearest};

use super::Place;

#[test]
fn a_wrong_value_names_key_and_place_and_what_is_wanted() {
    let place = Place::new().user(
        r#"{
  "maxTurns": "many",
  "maxCost": 0,
  "thinking": "hard",
  "retry": {"enabled": 1, "maxRetries": -1},
  "images": true,
  "defaultTools": "read",
  "skills": [1],
  "sql": {"a": 1},
  "providers": {"a": 1},
  "compaction": {"modelOverrides": {"a/b": {"tokens": 1}}, "reserveTokens": 1.5},
  "model": "",
  "proxy": null,
  "repeatLimit": 1,
  "cancelGraceMs": 1e3
}"#,
    );
    insta::assert_snapshot!(place.findings(), @r#"
    ROOT/home/.config/deed/settings.json:2:15: `maxTurns` must be a whole number from 1 to 1000000
    ROOT/home/.config/deed/settings.json:3:14: `maxCost` must be a number above 0
    ROOT/home/.config/deed/settings.json:4:15: `thinking` must be one of `"off"`, `"minimal"`, `"low"`, `"medium"`, `"high"`, `"xhigh"`, `"max"`
    ROOT/home/.config/deed/settings.json:5:24: `retry.enabled` must be `true` or `false`
    ROOT/home/.config/deed/settings.json:5:41: `retry.maxRetries` must be a whole number from 0 to 1000
    ROOT/home/.config/deed/settings.json:6:13: `images` must be an object `{…}`
    ROOT/home/.config/deed/settings.json:7:19: `defaultTools` must be a list of names `["…"]`
    ROOT/home/.config/deed/settings.json:8:14: `skills` must be a list of paths `["…"]`
    ROOT/home/.config/deed/settings.json:9:16: `sql` must be an object of texts `{"NAME": "…"}`
    ROOT/home/.config/deed/settings.json:10:22: `providers` must be an object of objects `{"NAME": {…}}`
    ROOT/home/.config/deed/settings.json:11:45: `compaction.modelOverrides` must be an object of objects with whole numbers `{"NAME": {"reserveTokens": …, "keepRecentTokens": …}}`
    ROOT/home/.config/deed/settings.json:11:77: `compaction.reserveTokens` must be a whole number from 0 to 1000000000
    ROOT/home/.config/deed/settings.json:12:12: `model` must be a text `"…"` that is not empty
    ROOT/home/.config/deed/settings.json:13:12: `proxy` must be a text `"…"` that is not empty
    ROOT/home/.config/deed/settings.json:14:18: `repeatLimit` must be a whole number from 2 to 1000000
    ROOT/home/.config/deed/settings.json:15:20: `cancelGraceMs` must be a whole number from 0 to 86400000
    "#);
    let faults = place.files().load(true).unwrap_err();
    assert_eq!(faults.0.len(), place.read().findings.len());
}

#[test]
fn what_is_no_json_is_told_with_its_place() {
    let told = |text: &str| Place::new().user(text).findings();
    insta::assert_snapshot!(told("{\n  \"model\": \"a\"\n  \"provider\": \"b\"\n}"), @"ROOT/home/.config/deed/settings.json:2:15: not JSON: Expected comma; mend it here");
    insta::assert_snapshot!(told("{\"model\": 'a'}"), @"ROOT/home/.config/deed/settings.json:1:11: not JSON: Single-quoted strings are not allowed; mend it here");
    insta::assert_snapshot!(told("[1]"), @"ROOT/home/.config/deed/settings.json:1:1: settings are a JSON object `{…}`; write one");
    insta::assert_snapshot!(told("{} {}"), @"ROOT/home/.config/deed/settings.json:1:4: not JSON: Text cannot contain more than one JSON value; mend it here");
    insta::assert_snapshot!(told("{\"model\": \"a\", \"model\": \"b\"}"), @"ROOT/home/.config/deed/settings.json:1:16: `model` is there twice; keep one of them");
    insta::assert_snapshot!(told("{\"providers\": {\"a\": {\"x\": 1, \"x\": 2}}}"), @"ROOT/home/.config/deed/settings.json:1:30: `x` is there twice in `providers`; keep one of them");
    let deep = format!("{}1{}", "{\"a\": ".repeat(10_000), "}".repeat(10_000));
    assert!(told(&deep).contains("nesting"), "{}", told(&deep));
}

#[test]
fn a_key_that_there_is_not_is_told_with_the_one_that_was_meant() {
    let place = Place::new().user(
        r#"{
  "modle": "a",
  "defaultModel": "a",
  "retry.enabled": true,
  "retry": {"maxretries": 1, "provider": {"timeoutMs": 1}},
  "max_turns": 3,
  "httpProxy": "http://p",
  "theme": "dark",
  "constructor": 1
}"#,
    );
    assert_eq!(place.load().ignored.len(), 9);
    insta::assert_snapshot!(place.findings(), @r#"
    ROOT/home/.config/deed/settings.json:2:3: `modle` is no setting, and was ignored; did you mean `model`?
    ROOT/home/.config/deed/settings.json:3:3: `defaultModel` is no setting, and was ignored; did you mean `model`?
    ROOT/home/.config/deed/settings.json:4:3: `retry.enabled` is no setting, and was ignored; write it as `{"retry": {"enabled": …}}`
    ROOT/home/.config/deed/settings.json:5:13: `retry.maxretries` is no setting, and was ignored; did you mean `retry.maxRetries`?
    ROOT/home/.config/deed/settings.json:5:30: `retry.provider` is no setting, and was ignored; `deed config` lists all there are
    ROOT/home/.config/deed/settings.json:6:3: `max_turns` is no setting, and was ignored; did you mean `maxTurns`?
    ROOT/home/.config/deed/settings.json:7:3: `httpProxy` is no setting, and was ignored; did you mean `proxy`?
    ROOT/home/.config/deed/settings.json:8:3: `theme` is no setting, and was ignored; `deed config` lists all there are
    ROOT/home/.config/deed/settings.json:9:3: `constructor` is no setting, and was ignored; `deed config` lists all there are
    "#);
}

#[test]
fn a_file_that_cannot_be_read_is_a_fault_and_one_that_is_not_there_is_none() {
    let place = Place::new();
    fs::create_dir(place.path("home/.config/deed/settings.json")).unwrap();
    insta::assert_snapshot!(place.findings(), @"ROOT/home/.config/deed/settings.json: cannot be read (it is no regular file); mend that, or take the file away");

    let place = Place::new().user(b"{\n \"model\": \"\xff\"}");
    insta::assert_snapshot!(place.findings(), @"ROOT/home/.config/deed/settings.json:2:12: this is no UTF-8; save the file in that encoding");

    let place = Place::new().user(" ".repeat(2_000_000));
    insta::assert_snapshot!(place.findings(), @"ROOT/home/.config/deed/settings.json: cannot be read (it is larger than settings can be); mend that, or take the file away");

    let files = SettingsFiles {
        user: Some(Place::new().path("none/settings.json")),
        ..SettingsFiles::default()
    };
    assert_eq!(files.read(true).findings, []);
}

#[test]
fn without_a_home_folder_a_path_in_it_is_a_fault() {
    let place = Place::new().user(r#"{"sessionDir": "~/s"}"#);
    let files = SettingsFiles {
        home: None,
        ..place.files()
    };
    let faults = files.load(true).unwrap_err();
    insta::assert_snapshot!(place.steady(faults), @"ROOT/home/.config/deed/settings.json:1:16: `sessionDir`: the home folder is not known, so `~` leads nowhere; write the path out");
}

#[test]
fn keys_and_passwords_are_in_no_text_for_people() {
    let secrets = [
        "sk-very-secret",
        "hunter2hunter2",
        "Bearer-xyz",
        "pass-word-1",
    ];
    let place = Place::new().user(
        r#"{
          "providers": {
            "a": {"apiKey": "sk-very-secret", "headers": {"Authorization": "Bearer-xyz"}},
            "b": {"apiKey": "env:B_KEY"}, "c": {"apiKey": "!pass show hunter2hunter2"}
          },
          "sql": {"shop": "postgres://me:pass-word-1@host/db"},
          "proxy": "http://u:hunter2hunter2@proxy:1"
        }"#,
    );
    let report = place.read();
    let shown: Vec<String> = ["providers", "sql", "proxy"]
        .iter()
        .map(|path| report.get(path).unwrap().shown().unwrap().to_string())
        .collect();
    insta::assert_snapshot!(shown.join("\n"), @r#"
    {"a":{"apiKey":"(hidden)","headers":{"Authorization":"(hidden)"}},"b":{"apiKey":"env:B_KEY"},"c":{"apiKey":"!pass …"}}
    {"shop":"postgres://me:(hidden)@host/db"}
    "http://u:(hidden)@proxy:1"
    "#);
    let debug = format!("{report:?} {:?}", place.settings());
    for secret in secrets {
        assert!(!debug.contains(secret), "{secret}: {debug}");
    }
    let settings = place.settings();
    let key = &settings.providers.0["a"]["apiKey"];
    assert_eq!(key, "sk-very-secret");
    let mut known: Vec<String> = settings
        .known_secrets()
        .into_iter()
        .map(|it| it.value)
        .collect();
    known.sort();
    assert_eq!(known, ["Bearer-xyz", "hunter2hunter2", "sk-very-secret"]);
}

#[test]
fn near_is_what_differs_in_a_few_letters() {
    let names = ["model", "maxTurns", "sql"];
    let near = |written: &str| nearest(written, names);
    assert_eq!(near("modle"), Some("model"));
    assert_eq!(near("MAX_TURNS"), Some("maxTurns"));
    assert_eq!(near("sq"), Some("sql"));
    assert_eq!(near("sx"), None);
    assert_eq!(near("theme"), None);
    assert_eq!(near(""), None);
}

#[test]
fn a_provider_is_checked_where_it_stands_and_no_key_is_told() {
    let place = Place::new().user(
        r#"{"providers": {
  "a": {"baseurl": "http://x", "models": [{"id": "m", "contextwindow": 1}]},
  "b": {"headers": "Bearer \"sk-secret\" more"},
  "c": {"apiKey": ["sk-secret"]},
  "d": {"api": "soap"},
  "e": {"quirks": {"strictTools": "sk-secret"}},
  "f": {"modelOverrides": {"m": {"colour": 1}}, "modelDefaults": {"hue": 2}}
}}"#,
    );
    insta::assert_snapshot!(place.findings(), @r#"
    ROOT/home/.config/deed/settings.json:2:9: `providers.a.baseurl` is no setting, and was ignored; did you mean `baseUrl`?
    ROOT/home/.config/deed/settings.json:2:55: `providers.a.models.contextwindow` is no setting, and was ignored; did you mean `contextWindow`?
    ROOT/home/.config/deed/settings.json:3:8: `providers.b`: invalid type: string "…", expected a map
    ROOT/home/.config/deed/settings.json:4:8: `providers.c`: invalid type: sequence, expected a string
    ROOT/home/.config/deed/settings.json:5:8: `providers.d`: unknown variant `soap`, expected one of `chat`, `openai-completions`, `openai-responses`, `responses`, `anthropic`, `anthropic-messages`, `gemini`, `google-generative-ai`
    ROOT/home/.config/deed/settings.json:6:8: `providers.e`: invalid type: string "…", expected a boolean
    ROOT/home/.config/deed/settings.json:7:34: `providers.f.modelOverrides.colour` is no setting, and was ignored; there are `id`, `name`, `api`, `baseUrl`, `headers`, `extraBody`, `contextWindow`, `maxTokens`, `maxOutputTokens`, `input`, `reasoning`, `thinkingLevels`, `thinkingLevelMap`, `cost`, `quirks`, `compat`
    ROOT/home/.config/deed/settings.json:7:67: `providers.f.modelDefaults.hue` is no setting, and was ignored; there are `id`, `name`, `api`, `baseUrl`, `headers`, `extraBody`, `contextWindow`, `maxTokens`, `maxOutputTokens`, `input`, `reasoning`, `thinkingLevels`, `thinkingLevelMap`, `cost`, `quirks`, `compat`
    "#);
}

#[test]
fn every_name_that_the_settings_take_of_a_provider_means_something() {
    let schema = deed_harness::settings::settings_schema();
    let provider = &schema["properties"]["providers"]["additionalProperties"]["properties"];
    for name in provider.as_object().unwrap().keys() {
        // What is read at all is read strictly: nothing takes a list of nulls.
        let text = format!(r#"{{"providers": {{"a": {{"{name}": [null]}}}}}}"#);
        let place = Place::new().user(text);
        assert!(place.files().load(true).is_err(), "{name}");
    }
}
