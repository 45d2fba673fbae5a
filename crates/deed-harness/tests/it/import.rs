//! Taking over what a person has in Pi, from a folder as Pi makes it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use deed_harness::credentials::{AuthFile, KeySpec};
use deed_harness::settings::SettingsFiles;
use deed_harness::{Import, ImportItem, ImportOutcome, ImportPlaces};
use deed_session::{SessionStore, StoreConfig};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A home with Pi's folder and the places of Deed.
struct Home(TempDir);

impl Home {
    fn new() -> Self {
        let home = Self(tempfile::tempdir().unwrap());
        fs::create_dir_all(home.pi("")).unwrap();
        home
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(name)
    }

    fn pi(&self, name: &str) -> PathBuf {
        self.path(".pi/agent").join(name)
    }

    fn config(&self, name: &str) -> PathBuf {
        self.path(".config/deed").join(name)
    }

    fn put(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        let path = self.pi(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    fn put_json(&self, name: &str, content: &Value) -> &Self {
        self.put(name, content.to_string())
    }

    fn places(&self) -> ImportPlaces {
        ImportPlaces {
            pi: self.pi(""),
            pi_sessions: None,
            config: self.config(""),
            sessions: self.path(".local/share/deed/sessions"),
            home: Some(self.path("")),
        }
    }

    fn import(&self) -> Vec<ImportItem> {
        Import::plan(&self.places()).unwrap().carry_out()
    }

    fn told(&self, items: &[ImportItem]) -> String {
        let lines: Vec<String> = items.iter().map(line).collect();
        let root = self.path("").display().to_string();
        lines.join("\n").replace(&root, "HOME/")
    }

    fn settings(&self) -> Value {
        let text = fs::read_to_string(self.config("settings.json")).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    /// All files below the home and what they hold.
    fn everything(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        collect(self.0.path(), &mut found);
        found
    }
}

fn collect(folder: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, found);
        } else {
            let content = fs::read(&path).unwrap_or_default();
            found.insert(path, content);
        }
    }
}

fn line(item: &ImportItem) -> String {
    let (word, more) = match &item.outcome {
        ImportOutcome::Taken { note, .. } => ("taken", note.clone().unwrap_or_default()),
        ImportOutcome::Skipped { reason } => ("skipped", reason.clone()),
        ImportOutcome::NotSupported { reason } => ("not supported", reason.clone()),
        ImportOutcome::Failed { reason } => ("failed", reason.clone()),
    };
    format!("{word} | {:?} | {} | {more}", item.kind, item.name)
        .trim_end()
        .to_owned()
}

fn header(id: &str, cwd: &str) -> String {
    let header = json!({ "type": "session", "version": 3, "id": id,
        "timestamp": "2026-11-30T21:12:12.006Z", "cwd": cwd });
    let user = json!({ "type": "message", "id": "9c0d1e2f", "parentId": null,
        "timestamp": "2026-11-30T21:12:13.006Z",
        "message": { "role": "user", "content": "hello", "timestamp": 1 } });
    format!("{header}\n{user}\n")
}

#[test]
fn settings_are_taken_under_their_names_here() {
    let home = Home::new();
    home.put_json(
        "settings.json",
        &json!({
            "defaultProvider": "anthropic",
            "defaultModel": "claude-opus-5-5",
            "defaultThinkingLevel": "max",
            "defaultTools": ["read", "+codemode", "-bash"],
            "steeringMode": "all",
            "compaction": { "enabled": false, "reserveTokens": 8000, "other": 1 },
            "retry": { "maxRetries": 5, "provider": { "maxRetries": 1 } },
            "httpIdleTimeoutMs": "disabled",
            "httpProxy": "http://proxy.test:3128",
            "skills": ["~/more", "own", "!hidden*"],
            "terminal": { "showImages": false, "trueColor": true },
            "images": { "blockImages": "yes" },
            "theme": "dark",
            "sessionDir": "~/elsewhere",
            "extensions": ["x.ts"],
            "packages": ["npm:p"],
        }),
    );
    let items = home.import();
    insta::assert_snapshot!(home.told(&items), @"
    taken | Setting | defaultProvider |
    taken | Setting | defaultModel |
    taken | Setting | defaultThinkingLevel |
    taken | Setting | defaultTools | without +codemode
    taken | Setting | steeringMode |
    taken | Setting | compaction.enabled |
    taken | Setting | compaction.reserveTokens |
    not supported | Setting | compaction.other | Deed has no such setting
    taken | Setting | retry.maxRetries |
    not supported | Setting | retry.provider.maxRetries | Deed has no such setting
    taken | Setting | httpIdleTimeoutMs |
    taken | Setting | httpProxy |
    taken | Setting | skills | without !hidden*
    taken | Setting | terminal.showImages |
    not supported | Setting | terminal.trueColor | Deed has no such setting
    skipped | Setting | images.blockImages | `images.blockImages` must be `true` or `false`
    not supported | Setting | theme | Deed has no such setting
    skipped | Setting | sessionDir | sessions are copied into Deed's own folder
    skipped | Setting | extensions | extensions are programs; look at them, then name them in the settings or with --extension
    not supported | Setting | packages | Deed has no such setting
    ");
    let root = home.path("").display().to_string();
    let text = serde_json::to_string_pretty(&home.settings()).unwrap();
    insta::assert_snapshot!(text.replace(&root, "HOME/"), @r#"
    {
      "provider": "anthropic",
      "model": "claude-opus-5-5",
      "thinking": "max",
      "defaultTools": [
        "read",
        "-bash"
      ],
      "steeringMode": "all",
      "compaction": {
        "enabled": false,
        "reserveTokens": 8000
      },
      "retry": {
        "maxRetries": 5
      },
      "httpIdleTimeoutMs": 0,
      "proxy": "http://proxy.test:3128",
      "skills": [
        "HOME/more",
        "HOME/.pi/agent/own"
      ],
      "terminal": {
        "showImages": false
      }
    }
    "#);
    let files = SettingsFiles {
        user: Some(home.config("settings.json")),
        ..SettingsFiles::default()
    };
    let loaded = files.load(false).unwrap();
    assert_eq!(loaded.ignored, []);
    assert_eq!(loaded.settings.retry.max_retries, 5);
}

#[test]
fn providers_become_settings_and_their_keys_go_into_the_file_of_keys() {
    let home = Home::new();
    home.put_json(
        "models.json",
        &json!({ "providers": {
            "mine": {
                "baseUrl": "http://mine.test/v1", "api": "openai-completions", "apiKey": "se$$cret",
                "headers": { "x-plain": "1", "x-secret": "$TOKEN" },
                "compat": { "supportsDeveloperRole": false },
                "models": [
                    { "id": "m", "reasoning": true, "contextWindow": 1000, "promptCache": {},
                      "samplingParams": { "top_p": 0.5 } },
                    { "id": "odd", "api": "bedrock-converse-stream" },
                ],
            },
            "anthropic": { "baseUrl": "https://proxy.test" },
            "ollama": { "apiKey": "ollama" },
            "vault": { "baseUrl": "http://v.test", "api": "chat", "apiKey": "!vault read" },
            "variable": { "baseUrl": "http://v.test", "api": "chat", "apiKey": "${MY_KEY}" },
            "parts": { "baseUrl": "http://p.test", "api": "chat", "apiKey": "a-$MY_KEY" },
            "cerebras": { "baseUrl": "http://c.test/v1" },
            "aws": { "baseUrl": "http://a.test", "api": "bedrock-converse-stream" },
            "wrong": { "baseUrl": "http://w.test", "api": "chat", "models": [{ "id": { "s3cret": 1 } }] },
            "account": { "baseUrl": "http://o.test", "oauth": "radius" },
        } }),
    );
    let items = home.import();
    insta::assert_snapshot!(home.told(&items), @"
    taken | Provider | models.json: mine | without the header x-secret, which a variable or a command gives, m: promptCache, odd (Deed does not speak bedrock-converse-stream)
    taken | Provider | models.json: anthropic |
    taken | Provider | models.json: vault |
    taken | Provider | models.json: variable |
    taken | Provider | models.json: parts |
    not supported | Provider | models.json: cerebras | Deed does not know it, and nothing says how it is reached
    not supported | Provider | models.json: aws | Deed does not speak bedrock-converse-stream
    not supported | Provider | models.json: wrong | invalid type: map, expected a string
    not supported | Provider | models.json: account | signing in with an account is not in this version
    not supported | Key | models.json: parts | it is put together of several parts
    taken | Key | models.json: mine |
    taken | Key | models.json: ollama |
    taken | Key | models.json: vault |
    taken | Key | models.json: variable |
    ");
    insta::assert_snapshot!(serde_json::to_string_pretty(&home.settings()).unwrap(), @r#"
    {
      "providers": {
        "mine": {
          "baseUrl": "http://mine.test/v1",
          "api": "openai-completions",
          "models": [
            {
              "id": "m",
              "reasoning": true,
              "contextWindow": 1000,
              "extraBody": {
                "top_p": 0.5
              }
            }
          ],
          "headers": {
            "x-plain": "1"
          },
          "compat": {
            "supportsDeveloperRole": false
          }
        },
        "anthropic": {
          "baseUrl": "https://proxy.test"
        },
        "vault": {
          "baseUrl": "http://v.test",
          "api": "chat"
        },
        "variable": {
          "baseUrl": "http://v.test",
          "api": "chat"
        },
        "parts": {
          "baseUrl": "http://p.test",
          "api": "chat"
        }
      }
    }
    "#);
    let files = SettingsFiles {
        user: Some(home.config("settings.json")),
        ..SettingsFiles::default()
    };
    assert_eq!(files.load(false).unwrap().ignored, []);
    let auth = home.config("auth.json");
    let keys = AuthFile::new(&auth).load().unwrap();
    assert_eq!(keys["mine"], KeySpec::Literal("se$cret".to_owned()));
    assert_eq!(keys["vault"], KeySpec::Command("vault read".to_owned()));
    assert_eq!(keys["variable"], KeySpec::Variable("MY_KEY".to_owned()));
    for file in [auth, home.config("settings.json")] {
        assert_eq!(
            fs::metadata(file).unwrap().permissions().mode() & 0o777,
            0o600
        );
    }
}

#[test]
fn keys_are_taken_but_no_account() {
    let home = Home::new();
    home.put_json(
        "auth.json",
        &json!({
            "anthropic": { "type": "oauth", "access": "secret", "refresh": "secret", "expires": 1 },
            "openai": { "type": "api_key", "key": "sk-1" },
            "google": { "type": "api_key", "key": "!pass show gemini" },
            "cloudflare": { "type": "api_key", "key": "k", "env": { "ACCOUNT": "1" } },
            "groq": { "type": "api_key", "key": "theirs" },
            "huggingface": { "type": "api_key", "key": "hf" },
            "odd": 7,
        }),
    );
    home.put_json(
        "models.json",
        &json!({ "providers": { "openai": { "apiKey": "other" } } }),
    );
    let auth = AuthFile::new(home.config("auth.json"));
    auth.set("groq", KeySpec::Literal("mine".to_owned()))
        .unwrap();
    let items = home.import();
    insta::assert_snapshot!(home.told(&items), @"
    not supported | Key | auth.json: anthropic | signing in with an account is not in this version; set a key with `deed auth`
    not supported | Key | auth.json: cloudflare | it needs further values beside the key, which Deed does not keep
    not supported | Key | auth.json: odd | it is no object
    taken | Key | auth.json: openai |
    taken | Key | auth.json: google |
    skipped | Key | auth.json: groq | there is a key already
    taken | Key | auth.json: huggingface | Deed does not know it; describe it in the settings, as `providers.huggingface`
    skipped | Key | models.json: openai | there is a key already
    ");
    let keys = auth.load().unwrap();
    assert_eq!(keys["openai"], KeySpec::Literal("sk-1".to_owned()));
    assert_eq!(
        keys["google"],
        KeySpec::Command("pass show gemini".to_owned())
    );
    assert_eq!(
        keys["groq"],
        KeySpec::Literal("mine".to_owned()),
        "what is there stays"
    );
    assert_eq!(keys.len(), 4);
    let told = format!("{items:?}");
    assert!(!told.contains("secret") && !told.contains("sk-1"), "{told}");
}

#[test]
fn skills_prompts_and_instructions_are_copied_with_all_that_is_in_them() {
    let home = Home::new();
    home.put("skills/pdf/SKILL.md", "---\ndescription: x\n---\n")
        .put("skills/pdf/scripts/run.sh", "#!/bin/sh\n")
        .put("skills/loose.md", "loose")
        .put("prompts/review.md", "Review $1")
        .put("prompts/notes.txt", "x")
        .put("AGENTS.md", "be kind")
        .put("SYSTEM.md", "you are")
        .put("themes/dark.json", "{}")
        .put("models-store.json", "{}")
        .put("surprise", "?");
    let script = home.pi("skills/pdf/scripts/run.sh");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    fs::create_dir(home.path("elsewhere")).unwrap();
    symlink(home.path("elsewhere"), home.pi("skills/linked")).unwrap();
    symlink("nowhere", home.pi("skills/dangling")).unwrap();
    fs::create_dir_all(home.config("prompts")).unwrap();
    let items = home.import();
    insta::assert_snapshot!(home.told(&items), @"
    taken | Instructions | AGENTS.md |
    taken | Instructions | SYSTEM.md |
    skipped | Skill | skills/dangling | it is a link that leads nowhere
    taken | Skill | skills/linked |
    taken | Skill | skills/loose.md |
    taken | Skill | skills/pdf |
    not supported | Prompt | prompts/notes.txt | only Markdown files are templates
    taken | Prompt | prompts/review.md |
    not supported | Other | surprise | Deed knows nothing of it
    not supported | Other | themes | the colours of Deed are those of the terminal
    ");
    let copied = home.config("skills/pdf/scripts/run.sh");
    assert_eq!(
        fs::metadata(&copied).unwrap().permissions().mode() & 0o777,
        0o755
    );
    assert_eq!(
        fs::read_link(home.config("skills/linked")).unwrap(),
        home.path("elsewhere")
    );
    assert_eq!(
        fs::read_to_string(home.config("prompts/review.md")).unwrap(),
        "Review $1"
    );
}

#[test]
fn sessions_are_copied_as_they_are_and_are_found() {
    let home = Home::new();
    let folder = "sessions/--srv-app--";
    let name = "2026-11-30T21-12-12-006Z_0197.jsonl";
    home.put(&format!("{folder}/{name}"), header("0197", "/srv/app"))
        .put("sessions/flat.jsonl", header("0198", "/srv/other"))
        .put(&format!("{folder}/broken.jsonl"), "no session\n");
    let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    let source = fs::File::options()
        .append(true)
        .open(home.pi(&format!("{folder}/{name}")));
    source.unwrap().set_modified(old).unwrap();
    let items = home.import();
    insta::assert_snapshot!(home.told(&items), @"
    taken | Session | sessions/--srv-app--/2026-11-30T21-12-12-006Z_0197.jsonl |
    skipped | Session | sessions/--srv-app--/broken.jsonl | no session: it has no header
    taken | Session | sessions/flat.jsonl |
    ");
    let store = SessionStore::new(StoreConfig::new(home.places().sessions));
    let found = store.find("0197", Path::new("/srv/app")).unwrap();
    let metadata = fs::metadata(&found.path).unwrap();
    assert_eq!(metadata.modified().unwrap(), old);
    assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
    let original = fs::read(home.pi(&format!("{folder}/{name}"))).unwrap();
    assert_eq!(fs::read(&found.path).unwrap(), original);
    store.open(&found.path).unwrap();
    assert!(store.find("0198", Path::new("/srv/other")).is_ok());
}

#[test]
fn the_session_folder_of_pis_settings_is_looked_at() {
    let home = Home::new();
    home.put_json("settings.json", &json!({ "sessionDir": "~/talks" }));
    fs::create_dir(home.path("talks")).unwrap();
    fs::write(home.path("talks/a.jsonl"), header("0199", "/srv/app")).unwrap();
    let items = home.import();
    let sessions = items.iter().filter(|item| item.name.ends_with("a.jsonl"));
    assert_eq!(sessions.count(), 1, "{}", home.told(&items));
    let mut places = home.places();
    places.pi_sessions = Some(home.path("nowhere"));
    let plan = Import::plan(&places).unwrap();
    assert!(plan.items().all(|item| !item.name.ends_with("a.jsonl")));
}

#[test]
fn nothing_is_overwritten_and_a_second_import_takes_nothing() {
    let home = Home::new();
    home.put_json("settings.json", &json!({ "steeringMode": "all" }))
        .put_json(
            "models.json",
            &json!({ "providers": { "p": { "baseUrl": "http://p.test", "api": "chat" } } }),
        )
        .put_json(
            "auth.json",
            &json!({ "openai": { "type": "api_key", "key": "k" } }),
        )
        .put("skills/a/SKILL.md", "theirs")
        .put("prompts/p.md", "theirs")
        .put("AGENTS.md", "theirs")
        .put("sessions/--w--/s.jsonl", header("0200", "/w"));
    let is_taken = |item: &ImportItem| matches!(item.outcome, ImportOutcome::Taken { .. });
    let first = home.import();
    assert!(first.iter().all(is_taken), "{}", home.told(&first));
    let before = home.everything();
    let second = home.import();
    assert_eq!(first.len(), second.len());
    assert!(!second.iter().any(is_taken), "{}", home.told(&second));
    assert_eq!(home.everything(), before);
    insta::assert_snapshot!(home.told(&second), @"
    skipped | Setting | steeringMode | HOME/.config/deed/settings.json is there already; set `steeringMode` in it yourself
    skipped | Provider | models.json: p | HOME/.config/deed/settings.json is there already; set `providers.p` in it yourself
    skipped | Key | auth.json: openai | there is a key already
    skipped | Instructions | AGENTS.md | HOME/.config/deed/AGENTS.md is there already
    skipped | Skill | skills/a | HOME/.config/deed/skills/a is there already
    skipped | Prompt | prompts/p.md | HOME/.config/deed/prompts/p.md is there already
    skipped | Session | sessions/--w--/s.jsonl | it is there already
    ");
}

#[test]
fn a_plan_writes_nothing() {
    let home = Home::new();
    home.put_json("settings.json", &json!({ "steeringMode": "all" }))
        .put_json(
            "auth.json",
            &json!({ "openai": { "type": "api_key", "key": "k" } }),
        )
        .put("skills/a/SKILL.md", "x")
        .put("sessions/--w--/s.jsonl", header("0201", "/w"));
    let before = home.everything();
    let plan = Import::plan(&home.places()).unwrap();
    assert_eq!(plan.items().count(), 4);
    drop(plan);
    assert_eq!(home.everything(), before);
}

#[test]
fn broken_files_are_told_of_and_keep_nothing_else_back() {
    let home = Home::new();
    home.put("settings.json", "{ nope")
        .put("models.json", "[]")
        .put("auth.json", b"\xff")
        .put("prompts/p.md", "fine");
    let items = home.import();
    insta::assert_snapshot!(home.told(&items), @"
    taken | Prompt | prompts/p.md |
    skipped | Other | settings.json | it is no JSON object (line 1, column 3)
    skipped | Other | models.json | it is no JSON object (line 1, column 0)
    skipped | Other | auth.json | it is not UTF-8; save it as UTF-8
    ");
}

#[test]
fn what_cannot_be_written_is_told_and_the_rest_is_taken() {
    let home = Home::new();
    home.put("skills/a/SKILL.md", "x").put("prompts/p.md", "x");
    fs::create_dir_all(home.config("")).unwrap();
    // A file where the folder of skills should be.
    fs::write(home.config("skills"), "").unwrap();
    let items = home.import();
    let told = home.told(&items);
    assert!(told.contains("failed | Skill | skills/a | "), "{told}");
    assert!(told.contains("taken | Prompt | prompts/p.md"), "{told}");
}

#[test]
fn without_pis_folder_there_is_nothing_to_import() {
    let home = Home::new();
    let mut places = home.places();
    places.pi = home.path("nowhere");
    let error = Import::plan(&places).unwrap_err().to_string();
    let root = home.path("").display().to_string();
    assert_eq!(
        error.replace(&root, "HOME/"),
        "there is no folder HOME/nowhere; name Pi's folder with --from"
    );
}
