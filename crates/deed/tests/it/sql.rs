//! `deed exec --sql`: reads run, writes wait for a person, and what nobody can allow says why.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::support::{Outcome, Sandbox, run};

/// Runs one statement where nobody can be asked.
fn query(sandbox: &Sandbox, options: &[&str], sql: &str) -> Outcome {
    let deed = sandbox.command(&[]);
    let mut command = Command::new("setsid");
    command
        .arg("--wait")
        .arg(deed.get_program())
        .arg("exec")
        .args(options)
        .env_clear()
        .envs(
            deed.get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        )
        .current_dir(sandbox.path(""))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let call = json!({"name": "query_database", "arguments": {"sql": sql}});
    run(&mut command, call.to_string().as_bytes()).only()
}

const SHOP: &[&str] = &["--sql", "shop=sqlite:shop.db"];

fn shop() -> (Sandbox, Vec<u8>) {
    let sandbox = Sandbox::new();
    desktop_database::make_shop(&sandbox.path("shop.db")).unwrap();
    let before = std::fs::read(sandbox.path("shop.db")).unwrap();
    (sandbox, before)
}

#[track_caller]
fn assert_untouched(sandbox: &Sandbox, before: &[u8]) {
    assert!(std::fs::read(sandbox.path("shop.db")).unwrap() == before);
    let work = std::fs::read_dir(sandbox.path("")).unwrap();
    assert_eq!(work.count(), 1, "no file beside it");
}

#[test]
fn a_query_returns_rows_and_leaves_the_file_as_it_was() {
    let (sandbox, before) = shop();
    let outcome = query(
        &sandbox,
        SHOP,
        "SELECT name, stock FROM products ORDER BY id",
    );
    assert!(!outcome.is_error(), "{outcome:?}");
    assert!(
        outcome
            .text()
            .starts_with("[\"name\",\"stock\"]\n[\"lamp\",12]\n")
    );
    assert_eq!(outcome.0["details"]["rowCount"], 3);
    let info = query(&sandbox, SHOP, "PRAGMA table_info(products)");
    assert!(!info.is_error() && info.text().contains("price_cents"));
    assert_untouched(&sandbox, &before);
}

#[test]
fn b149_a_write_needs_a_person_however_it_is_dressed() {
    let (sandbox, before) = shop();
    for sql in [
        "UPDATE products SET stock = 0",
        "WITH c AS (SELECT 1) DELETE FROM products",
        "/* x */ DROP TABLE products",
    ] {
        let outcome = query(&sandbox, SHOP, sql);
        assert!(outcome.is_error(), "{sql}");
        let text = outcome.text();
        assert!(
            text.contains("write query requires interactive approval"),
            "{sql}: {text}"
        );
    }
    assert_untouched(&sandbox, &before);
}

#[test]
fn what_nobody_can_allow_is_refused_for_good_and_says_why() {
    let (sandbox, before) = shop();
    for (sql, why) in [
        ("SELECT 1; DROP TABLE products", "2 statements"),
        ("ATTACH 'other.db' AS other", "another file"),
        ("VACUUM INTO 'copy.db'", "another file"),
        ("PRAGMA journal_mode = DELETE", "PRAGMA"),
        ("PRAGMA writable_schema = ON", "PRAGMA"),
    ] {
        let outcome = query(&sandbox, SHOP, sql);
        let text = outcome.text();
        assert!(
            outcome.is_error() && text.starts_with("Denied: "),
            "{sql}: {text}"
        );
        assert!(
            text.contains(why) && text.contains("no rule or person"),
            "{sql}: {text}"
        );
    }
    assert_untouched(&sandbox, &before);
}

#[test]
fn a_database_that_is_not_named_or_not_there_is_told_clearly() {
    let (sandbox, _) = shop();
    let none = query(&sandbox, &[], "SELECT 1");
    assert!(none.text().contains("query_database not found"));
    let gone = query(&sandbox, &["--sql", "shop=sqlite:gone.db"], "SELECT 1");
    assert!(
        gone.is_error() && gone.text().contains("gone.db"),
        "{gone:?}"
    );
    assert!(!sandbox.path("gone.db").exists());
    for (options, fault) in [
        (["--sql", "shop"], "NAME=URL"),
        (
            ["--sql", "shop=mysql://root:hunter2hunter2@h/db"],
            "not supported",
        ),
        (["--sql", "shop=env:NO_SUCH_VARIABLE"], "NO_SUCH_VARIABLE"),
        (
            ["--sql-writer", "shop=postgres://h/db"],
            "there is no database shop",
        ),
    ] {
        let ran = sandbox.exec_with(&options, "");
        assert_eq!(ran.code, 2, "{options:?}");
        assert!(ran.stderr.contains(fault), "{options:?}: {}", ran.stderr);
        assert!(!ran.stderr.contains("hunter2"));
    }
}

#[test]
fn b151_on_postgresql_timing_a_write_needs_a_person_and_timing_a_read_does_not() {
    let Ok(url) = std::env::var("DEED_TEST_POSTGRES") else {
        let text = "DEED_TEST_POSTGRES is not set; `cargo xtask test` starts a server";
        assert!(!std::env::var("CI").is_ok_and(|ci| ci == "true"), "{text}");
        eprintln!("left out: {text}");
        return;
    };
    let sandbox = Sandbox::new();
    let spec = format!("shop={url}");
    let options = ["--sql", &spec, "--sql-privileged", "shop"];
    let read = query(&sandbox, &options, "EXPLAIN (ANALYZE) SELECT 1");
    assert!(
        !read.is_error() && read.text().contains("Result"),
        "{read:?}"
    );
    let write = query(
        &sandbox,
        &options,
        "EXPLAIN ANALYZE DELETE FROM pg_catalog.pg_class",
    );
    let text = write.text();
    assert!(
        write.is_error() && text.contains("requires interactive approval"),
        "{text}"
    );
    let refused = query(&sandbox, &["--sql", &spec], "SELECT 1");
    let text = refused.text();
    assert!(
        refused.is_error() && text.contains("--sql-privileged"),
        "{text}"
    );
}

#[test]
fn the_record_names_the_class_of_a_statement() {
    let (sandbox, _) = shop();
    query(&sandbox, SHOP, "SELECT count(*) FROM products");
    query(&sandbox, SHOP, "UPDATE products SET stock = 0");
    let shown = sandbox.deed(&["audit", "show", "--event", "decision", "--json"]);
    let decisions: Vec<Value> = shown.lines();
    let told = |decision: &Value| {
        let word = decision["decision"].as_str().unwrap();
        format!("{word} {}", decision["detail"]["class"].as_str().unwrap())
    };
    let told: Vec<String> = decisions.iter().map(told).collect();
    assert_eq!(told, ["allow read", "ask write"]);
    assert!(
        sandbox
            .deed(&["audit", "verify"])
            .stdout
            .starts_with("ok\n")
    );
}
