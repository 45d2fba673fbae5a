//! Where keys come from, and that nobody else sees them.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use deed_env::{LocalConfig, LocalEnv};
use deed_harness::credentials::{
    AuthError, AuthFile, CommandFault, Credentials, CredentialsConfig, KeyError, KeyOrigin,
    KeyPresence, KeySpec, VariableLookup,
};
use deed_harness::settings::SettingsFiles;
use deed_models::KeySource;
use tempfile::TempDir;

const VARIABLES: [&str; 2] = ["ACME_API_KEY", "ACME_TOKEN"];

struct Place {
    root: TempDir,
}

impl Place {
    fn new() -> Self {
        Self {
            root: tempfile::tempdir().unwrap(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn auth(&self) -> AuthFile {
        AuthFile::new(self.path("config/deed/auth.json"))
    }

    /// Writes the file of keys as somebody else might.
    fn write_auth(&self, text: &str, mode: u32) {
        let path = self.path("config/deed/auth.json");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::set_permissions(path.parent().unwrap(), fs::Permissions::from_mode(0o700)).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    }

    /// Looks in the file of keys and runs commands.
    fn config(&self) -> CredentialsConfig {
        let env = LocalEnv::new(LocalConfig {
            cwd: self.root.path().to_owned(),
            home: Some(self.root.path().to_owned()),
            output_folder: self.path("output"),
            variables: vec![("PATH".into(), std::env::var_os("PATH").unwrap())],
            ..LocalConfig::default()
        });
        CredentialsConfig {
            auth_file: Some(self.auth().path().to_owned()),
            commands: Some(Arc::new(env)),
            ..CredentialsConfig::default()
        }
    }

    fn steady(&self, text: impl ToString) -> String {
        let root = self.root.path().display().to_string();
        text.to_string().replace(&root, "ROOT")
    }
}

fn settings(spec: &str) -> BTreeMap<String, KeySpec> {
    BTreeMap::from([("acme".to_owned(), KeySpec::parse(spec))])
}

fn variables(own: &'static [(&'static str, &'static str)]) -> VariableLookup {
    Arc::new(move |name| {
        let mut own = own.iter();
        let found = own.find(|(variable, _)| *variable == name);
        found.map(|(_, value)| (*value).to_owned())
    })
}

/// Asks for the key of `acme`, which needs one.
async fn key(config: CredentialsConfig) -> Result<Option<String>, KeyError> {
    Credentials::new(config)
        .provider("acme", VARIABLES, true)
        .get()
        .await
}

fn mode_of(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn the_first_place_that_says_anything_counts() {
    let place = Place::new();
    place
        .auth()
        .set("acme", KeySpec::Literal("stored".into()))
        .unwrap();
    let mut config = CredentialsConfig {
        command_line: Some("typed".into()),
        settings: settings("set"),
        variables: variables(&[("ACME_API_KEY", ""), ("ACME_TOKEN", "variable")]),
        ..place.config()
    };
    let mut found = Vec::new();
    let origin = |config: &CredentialsConfig| {
        let credentials = Credentials::new(config.clone());
        match credentials.provider("acme", VARIABLES, true).presence() {
            KeyPresence::Set(origin) => origin,
            other => panic!("{other:?}"),
        }
    };
    for _ in 0..4 {
        let origin = origin(&config);
        found.push((
            key(config.clone()).await.unwrap().unwrap(),
            origin.to_string(),
        ));
        match origin {
            KeyOrigin::CommandLine => config.command_line = None,
            KeyOrigin::Settings(_) => config.settings.clear(),
            KeyOrigin::AuthFile(_) => config.auth_file = None,
            KeyOrigin::Variable(_) => config.variables = variables(&[]),
        }
    }
    let pairs: Vec<String> = found
        .iter()
        .map(|(key, from)| format!("{key} <- {from}"))
        .collect();
    insta::assert_snapshot!(pairs.join("\n"), @"
    typed <- --api-key
    set <- the settings
    stored <- deed auth
    variable <- the variable ACME_TOKEN
    ");
    let error = key(config).await.unwrap_err();
    insta::assert_snapshot!(error, @"there is no key for acme; run `deed auth set acme`, or set ACME_API_KEY or ACME_TOKEN");
}

#[tokio::test]
async fn a_provider_that_needs_no_key_is_asked_without() {
    let credentials = Credentials::new(CredentialsConfig::default());
    let local = credentials.provider("ollama", [""; 0], false);
    assert_eq!(KeySource::key(&local).await, Ok(None));
    assert!(matches!(local.presence(), KeyPresence::NotSet));
    let error = credentials
        .provider("new", [""; 0], true)
        .key()
        .await
        .unwrap_err();
    assert_eq!(error, "there is no key for new; run `deed auth set new`");
}

#[tokio::test]
async fn what_says_where_a_key_is_and_is_wrong_is_an_error_and_nothing_else_is_tried() {
    let place = Place::new();
    place
        .auth()
        .set("acme", KeySpec::Variable("GONE".into()))
        .unwrap();
    let config = CredentialsConfig {
        variables: variables(&[("ACME_API_KEY", "here")]),
        ..place.config()
    };
    insta::assert_snapshot!(key(config.clone()).await.unwrap_err(), @"the key of acme should be in the variable GONE, according to deed auth, and it is not set; set it, or name another place");
    let with = |spec: &str| CredentialsConfig {
        settings: settings(spec),
        ..config.clone()
    };
    insta::assert_snapshot!(key(with("env:NONE")).await.unwrap_err(), @"the key of acme should be in the variable NONE, according to the settings, and it is not set; set it, or name another place");
    insta::assert_snapshot!(key(with("two words")).await.unwrap_err(), @"the key of acme, according to the settings, is empty or holds a blank or a letter that no key has; set it anew");
    insta::assert_snapshot!(key(with("!exit 3")).await.unwrap_err(), @"the command for the key of acme, according to the settings, ended with exit code 3; run it by hand to see why");
    insta::assert_snapshot!(key(with("!kill -9 $$")).await.unwrap_err(), @"the command for the key of acme, according to the settings, was ended by signal 9; run it by hand to see why");
    insta::assert_snapshot!(key(with("!true")).await.unwrap_err(), @"the key of acme, according to the settings, is empty or holds a blank or a letter that no key has; set it anew");
    insta::assert_snapshot!(key(with("!printf 'a\\nb'")).await.unwrap_err(), @"the key of acme, according to the settings, is empty or holds a blank or a letter that no key has; set it anew");
    insta::assert_snapshot!(key(with("!head -c 70000 /dev/zero")).await.unwrap_err(), @"the command for the key of acme, according to the settings, printed more than a key; run it by hand to see why");
    let nowhere = CredentialsConfig {
        commands: None,
        ..with("!echo a")
    };
    insta::assert_snapshot!(key(nowhere).await.unwrap_err(), @"the command for the key of acme, according to the settings, cannot be run here; run it by hand to see why");
}

#[test]
fn a_key_in_the_settings_is_a_variable_a_command_or_itself() {
    let cases = [
        ("env:A_KEY", KeySpec::Variable("A_KEY".into())),
        ("$A_KEY", KeySpec::Variable("A_KEY".into())),
        ("${A_KEY}", KeySpec::Variable("A_KEY".into())),
        ("!pass show a", KeySpec::Command("pass show a".into())),
        ("sk-1", KeySpec::Literal("sk-1".into())),
        ("$1-2", KeySpec::Literal("$1-2".into())),
    ];
    for (text, expected) in cases {
        assert!(KeySpec::parse(text) == expected, "{text}");
    }
    let place = Place::new();
    fs::write(
        place.path("settings.json"),
        r#"{"providers": {"a": {"apiKey": "env:A"}, "b": {"baseUrl": "http://x"}}}"#,
    )
    .unwrap();
    let files = SettingsFiles {
        user: Some(place.path("settings.json")),
        ..SettingsFiles::default()
    };
    let settings = files.load(false).unwrap().settings;
    let specs = KeySpec::in_settings(&settings.providers);
    assert_eq!(specs.into_keys().collect::<Vec<_>>(), ["a"]);
}

#[tokio::test]
async fn a_command_runs_once_a_run_outside_of_the_project_and_may_be_late() {
    let place = Place::new();
    let log = place.path("log");
    let command = format!("!pwd >> {}; echo '  from-command  '", log.display());
    let config = CredentialsConfig {
        settings: settings(&command),
        ..place.config()
    };
    let credentials = Credentials::new(config);
    let acme = credentials.provider("acme", VARIABLES, true);
    assert!(matches!(
        acme.presence(),
        KeyPresence::Set(KeyOrigin::Settings("command"))
    ));
    assert!(credentials.known_secrets().is_empty());
    let (one, two) = tokio::join!(acme.get(), acme.get());
    assert_eq!(one.unwrap().as_deref(), Some("from-command"));
    assert_eq!(two.unwrap().as_deref(), Some("from-command"));
    assert_eq!(acme.get().await.unwrap().as_deref(), Some("from-command"));
    let real = place.root.path().canonicalize().unwrap();
    assert_eq!(
        fs::read_to_string(log).unwrap(),
        format!("{}\n", real.display())
    );
    assert_eq!(credentials.known_secrets()[0].value, "from-command");
}

#[tokio::test]
async fn a_command_that_hangs_is_ended_and_may_be_tried_again() {
    let place = Place::new();
    let flag = place.path("flag");
    let command = format!(
        "!test -e {0} && echo late || exec sleep 600",
        flag.display()
    );
    let config = CredentialsConfig {
        settings: settings(&command),
        command_timeout: Duration::from_millis(200),
        ..place.config()
    };
    let credentials = Credentials::new(config);
    let acme = credentials.provider("acme", VARIABLES, true);
    let error = acme.get().await.unwrap_err();
    assert!(
        matches!(
            error,
            KeyError::Command {
                fault: CommandFault::TimedOut(_),
                ..
            }
        ),
        "{error}"
    );
    fs::write(flag, "").unwrap();
    assert_eq!(acme.get().await.unwrap().as_deref(), Some("late"));
}

#[test]
fn the_file_of_keys_is_private_and_holds_what_was_set() {
    let place = Place::new();
    let auth = place.auth();
    assert!(auth.load().unwrap().is_empty());
    assert!(!auth.remove("acme").unwrap());
    auth.set("acme", KeySpec::Literal("sk-1".into())).unwrap();
    auth.set("other", KeySpec::Command("pass other".into()))
        .unwrap();
    auth.set("acme", KeySpec::Variable("ACME".into())).unwrap();
    assert_eq!(mode_of(auth.path()), 0o600);
    assert_eq!(mode_of(auth.path().parent().unwrap()), 0o700);
    insta::assert_snapshot!(fs::read_to_string(auth.path()).unwrap(), @r#"
    {
      "acme": {
        "env": "ACME"
      },
      "other": {
        "command": "pass other"
      }
    }
    "#);
    assert!(auth.remove("acme").unwrap());
    assert_eq!(
        auth.load().unwrap().into_keys().collect::<Vec<_>>(),
        ["other"]
    );
    let names = fs::read_dir(auth.path().parent().unwrap()).unwrap();
    let mut names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["auth.json", "auth.json.lock"]);
}

#[test]
fn a_link_to_the_file_of_keys_stays_a_link() {
    let place = Place::new();
    place.write_auth("{}", 0o600);
    let auth = AuthFile::new(place.path("link.json"));
    symlink(place.auth().path(), auth.path()).unwrap();
    auth.set("acme", KeySpec::Literal("sk-1".into())).unwrap();
    assert!(fs::symlink_metadata(auth.path()).unwrap().is_symlink());
    assert_eq!(place.auth().load().unwrap().len(), 1);
}

#[tokio::test]
async fn a_file_of_keys_that_others_can_read_or_replace_is_not_used() {
    let place = Place::new();
    for mode in [0o640, 0o604, 0o620] {
        place.write_auth(r#"{"acme": {"key": "sk-1"}}"#, mode);
        let error = place.auth().load().unwrap_err();
        assert!(matches!(error, AuthError::OpenToOthers { .. }), "{mode:o}");
        let set = place.auth().set("b", KeySpec::Literal("c".into()));
        assert!(set.is_err(), "{mode:o}");
    }
    insta::assert_snapshot!(place.steady(place.auth().load().unwrap_err()), @"others may read the keys in ROOT/config/deed/auth.json, so it is not used; run `chmod 600 ROOT/config/deed/auth.json`");
    let config = CredentialsConfig {
        variables: variables(&[("ACME_API_KEY", "here")]),
        ..place.config()
    };
    assert!(matches!(key(config).await, Err(KeyError::AuthFile(_))));

    place.write_auth("{}", 0o600);
    let folder = place.path("config/deed");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o770)).unwrap();
    insta::assert_snapshot!(place.steady(place.auth().load().unwrap_err()), @"others may change the folder of keys ROOT/config/deed, so it is not used; run `chmod go-w ROOT/config/deed`");
}

#[test]
fn a_damaged_file_of_keys_is_told_without_what_is_in_it_and_stays_as_it_is() {
    let place = Place::new();
    for text in [
        "",
        "sk-secret",
        "[]",
        r#"{"acme": "sk-secret"}"#,
        r#"{"acme": {"sk-secret": "a"}}"#,
        r#"{"acme": {"key": "sk-secret", "env": "A"}}"#,
        r#"{"acme": {"key": ["sk-secret"]}}"#,
    ] {
        place.write_auth(text, 0o600);
        let error = place.auth().load().unwrap_err();
        assert!(matches!(error, AuthError::Damaged { .. }), "{text}");
        assert!(
            !format!("{error} {error:?}").contains("sk-secret"),
            "{error}"
        );
        assert!(place.auth().remove("acme").is_err());
        assert_eq!(fs::read_to_string(place.auth().path()).unwrap(), text);
    }
    insta::assert_snapshot!(place.steady(place.auth().load().unwrap_err()), @r#"ROOT/config/deed/auth.json:1:17: not a file of keys; it holds objects such as {"anthropic": {"key": "…"}}, with `key`, `env` or `command`; mend it, or take it away and set the keys anew"#);
}

#[tokio::test]
async fn no_key_is_in_debug_or_errors_and_all_that_are_known_are_told_to_the_redactor() {
    let place = Place::new();
    let auth = place.auth();
    auth.set("one", KeySpec::Literal("sk-stored".into()))
        .unwrap();
    auth.set("two", KeySpec::Command("echo sk-printed".into()))
        .unwrap();
    auth.set("three", KeySpec::Variable("THREE".into()))
        .unwrap();
    let config = CredentialsConfig {
        command_line: Some("sk-typed".into()),
        settings: settings("sk set with blanks"),
        variables: variables(&[("THREE", "sk-variable")]),
        ..place.config()
    };
    let mut seen = format!("{config:?} {:?}", auth.load().unwrap());
    let typed = Credentials::new(config.clone());
    assert_eq!(typed.known_secrets()[0].value, "sk-typed");
    let credentials = Credentials::new(CredentialsConfig {
        command_line: None,
        ..config
    });
    let two = credentials.provider("two", [""; 0], true);
    assert_eq!(two.get().await.unwrap().as_deref(), Some("sk-printed"));
    let unfit = credentials.provider("acme", [""; 0], true);
    seen += &format!("{:?} {}", unfit.presence(), unfit.get().await.unwrap_err());
    seen += &format!("{credentials:?} {two:?}");
    for secret in [
        "sk-stored",
        "sk-printed",
        "sk-typed",
        "sk set",
        "sk-variable",
    ] {
        assert!(!seen.contains(secret), "{secret}: {seen}");
    }
    let mut values: Vec<String> = credentials
        .known_secrets()
        .into_iter()
        .map(|secret| secret.value)
        .collect();
    values.sort();
    assert_eq!(
        values,
        [
            "sk set with blanks",
            "sk-printed",
            "sk-stored",
            "sk-variable"
        ]
    );
}
