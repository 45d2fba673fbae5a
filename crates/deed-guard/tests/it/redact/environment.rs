//! Secrets in variables and connection strings.

use std::ffi::OsString;

use deed_guard::redact::{known_from_environment, known_from_url};

/// The kinds and values found in one variable.
fn found(name: &str, value: &str) -> Vec<String> {
    let variable = (OsString::from(name), OsString::from(value));
    let secrets = known_from_environment([variable]);
    assert!(secrets.iter().all(|secret| secret.kind == name));
    secrets.into_iter().map(|secret| secret.value).collect()
}

#[test]
fn secret_names_are_recognised() {
    for name in [
        "OPENAI_API_KEY",
        "GITHUB_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "PGPASSWORD",
        "MYSQL_PWD",
        "DB_PASSWD",
        "npm_config__auth",
        "SMTP_PASS",
        "APIKEY",
        "AZURE_CREDENTIALS",
        "DSN",
    ] {
        assert_eq!(found(name, "aB3-dE6-gH9"), ["aB3-dE6-gH9"], "{name}");
    }
    assert_eq!(
        found("AWS_SECRET_ACCESS_KEY", "/wJalrXUtnFEMI/K7MDENG/bPxRfiCYz9"),
        ["/wJalrXUtnFEMI/K7MDENG/bPxRfiCYz9"]
    );
}

#[test]
fn what_is_no_secret_is_left_alone() {
    for (name, value) in [
        ("SSH_AUTH_SOCK", "/run/user/1000/keyring/ssh"),
        ("GPG_TTY", "/dev/pts/3"),
        ("XAUTHORITY", "/home/u/.Xauthority"),
        (
            "GOOGLE_APPLICATION_CREDENTIALS",
            "/home/u/Key1/Service2/creds",
        ),
        ("KEY_FILE", "id_ed25519_2"),
        ("SSL_KEY", "./certs/server.key"),
        ("TOKENIZERS_PARALLELISM", "false"),
        ("MAX_THINKING_TOKENS", "31999"),
        ("TOKEN_TTL", "3600s-or-so"),
        ("AUTH_METHOD", "oauth2-pkce"),
        ("SECRET_BACKEND", "keychain"),
        ("AUTH_URL", "https://auth.example.com/v1"),
        ("GIT_AUTHOR_NAME", "Keyla Tokens"),
        ("KEYBOARD_LAYOUT", "us-intl-2024"),
        ("PWD", "/proj/project"),
        ("OLDPWD", "/proj"),
        ("PATH", "/usr/bin:/bin"),
        ("HOME_KEYS", ""),
    ] {
        assert_eq!(found(name, value), Vec::<String>::new(), "{name}");
    }
}

#[test]
fn of_an_address_only_the_password_is_secret() {
    for (value, want) in [
        ("postgres://app:s3cr3t-pw@db:5432/x", vec!["s3cr3t-pw"]),
        (
            "postgres://app:p%40ss%2Fw0rd@db/x",
            vec!["p%40ss%2Fw0rd", "p@ss/w0rd"],
        ),
        ("postgres://app:s3c/r3t-pw@db/x", vec!["s3c/r3t-pw"]),
        ("postgres://app:a@b-12345@db/x", vec!["a@b-12345"]),
        ("postgres://app@db/x", vec![]),
        ("https://host:8080/a/@scope", vec![]),
        ("postgres://postgres:postgres@localhost/x", vec![]),
        (
            "host=db user=app password='s3cr3t pw' dbname=x",
            vec!["s3cr3t pw"],
        ),
        ("Server=db;Pwd=s3cr3t-pw;Database=x", vec!["s3cr3t-pw"]),
    ] {
        assert_eq!(found("DATABASE_URL", value), want, "{value}");
    }
    assert_eq!(
        found("SENTRY_DSN", "https://0123abcd4567@o1.ingest.io/2"),
        ["0123abcd4567"]
    );
    let password = known_from_url("sql", "postgres://postgres:postgres@localhost/x");
    assert_eq!(
        password[0].value, "postgres",
        "configured ones are taken as they are"
    );
}
