use std::fs;

use deed_agent::UpdateSink;
use rusqlite::Connection;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::run;
use crate::capability::Capability;
use crate::job::Job;
use crate::progress::Progress;
use crate::{Classified, SqlClass, SqlLimits};

fn job(text: &str) -> Job {
    Job {
        text: text.to_owned(),
        is_outside_transaction: false,
        limits: SqlLimits::default(),
        cancel: CancellationToken::new(),
        progress: Progress::begin(UpdateSink::closed()),
    }
}

fn right(class: SqlClass) -> Capability {
    let found = Classified {
        class,
        reason: String::new(),
        is_outside_transaction: false,
    };
    Capability::of(&found, true).unwrap()
}

/// Statements of `cases.json` that must not run, with whether the other fences stop each.
fn forbidden() -> Vec<(String, String, bool)> {
    let cases: Value = serde_json::from_str(include_str!("../../tests/it/cases.json")).unwrap();
    let cases = cases["cases"].as_array().unwrap().iter();
    let of_sqlite = cases.filter(|case| case["dialect"] == "sqlite");
    of_sqlite
        .filter(|case| case["verdict"] == "approve" || case["verdict"] == "deny")
        .map(|case| {
            let text = |name: &str| case[name].as_str().unwrap().to_owned();
            let is_stopped = case["runs_with_all_layers_except_ast"] == false;
            (text("id"), text("statement"), is_stopped)
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn b163_a_right_to_read_writes_nothing_whatever_the_statement() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.db");
    let fixture = "CREATE TABLE t(id INTEGER, note TEXT); INSERT INTO t VALUES (1, 'x');
        CREATE VIRTUAL TABLE ft USING fts5(x); CREATE VIEW v_evil AS SELECT evil_write() AS x;";
    Connection::open(&path)
        .unwrap()
        .execute_batch(fixture)
        .unwrap();
    let before = fs::read(&path).unwrap();
    let cases = forbidden();
    assert_eq!(cases.len(), 41);
    for (id, text, is_stopped) in cases {
        let done = run(path.clone(), None, job(&text), right(SqlClass::Read)).await;
        assert!(!is_stopped || done.is_err(), "{id}: {done:?}");
        assert!(fs::read(&path).unwrap() == before, "{id} changed the file");
        assert_eq!(
            fs::read_dir(folder.path()).unwrap().count(),
            1,
            "{id} left a file"
        );
    }
    let done = run(path, None, job("SELECT id FROM t"), right(SqlClass::Read)).await;
    assert_eq!(done.unwrap().rows.text, "[1]\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_right_to_write_reaches_no_other_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.db");
    Connection::open(&path)
        .unwrap()
        .execute_batch("CREATE TABLE t(x)")
        .unwrap();
    let other = folder.path().join("other.db");
    for text in [
        format!("ATTACH '{}' AS other", other.display()),
        format!("VACUUM INTO '{}'", other.display()),
        "VACUUM".to_owned(),
        "PRAGMA writable_schema = 1".to_owned(),
        "PRAGMA journal_mode = OFF".to_owned(),
        "SELECT load_extension('x')".to_owned(),
        "COMMIT".to_owned(),
    ] {
        for is_outside_transaction in [false, true] {
            let job = Job {
                is_outside_transaction,
                ..job(&text)
            };
            let done = run(path.clone(), None, job, right(SqlClass::Write)).await;
            assert!(done.is_err(), "{text}: {done:?}");
        }
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_file_in_the_place_of_the_planned_one_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.db");
    Connection::open(&path)
        .unwrap()
        .execute_batch("CREATE TABLE t(x)")
        .unwrap();
    let planned = super::identify(path.clone()).await.unwrap();
    let copy = folder.path().join("copy.db");
    fs::copy(&path, &copy).unwrap();
    fs::rename(&copy, &path).unwrap();
    for class in [SqlClass::Read, SqlClass::Write] {
        let job = job("SELECT 1");
        let done = run(path.clone(), Some(planned.clone()), job, right(class)).await;
        assert!(done.unwrap_err().to_string().contains("is another file"));
    }
}
