use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use deed_sql::{Database, Dialect, SqlLimits};
use rusqlite::Connection;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::cases::{self, Verdict};
use crate::support::Desk;

/// A database in a folder of its own.
pub(crate) struct Shop {
    pub(crate) folder: TempDir,
    pub(crate) desk: Desk,
}

impl Shop {
    pub(crate) fn new() -> Self {
        Self::with("")
    }

    /// Makes the database of `cases.json`, and more.
    fn with(more: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let connection = Connection::open(folder.path().join("shop.db")).unwrap();
        let fixture = "CREATE TABLE t(id INTEGER, note TEXT);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
            INSERT INTO t SELECT i, 'note ' || i FROM n;
            CREATE VIRTUAL TABLE ft USING fts5(x);
            INSERT INTO ft VALUES ('hello world'), ('good bye');
            CREATE VIEW v_evil AS SELECT evil_write() AS x;";
        connection.execute_batch(fixture).unwrap();
        connection.execute_batch(more).unwrap();
        connection.close().unwrap();
        let database = Database::parse("shop=sqlite:shop.db", folder.path()).unwrap();
        Self {
            desk: Desk::new(vec![database]),
            folder,
        }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("shop.db")
    }

    fn bytes(&self) -> Vec<u8> {
        fs::read(self.path()).unwrap()
    }

    fn files(&self) -> Vec<String> {
        files(self.folder.path())
    }
}

fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn fast() -> SqlLimits {
    SqlLimits {
        timeout: Duration::from_millis(300),
        ..SqlLimits::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_case_reads_or_changes_nothing() {
    let shop = Shop::new();
    let desk = shop.desk.limited(fast());
    let before = shop.bytes();
    for case in cases::of(Dialect::Sqlite) {
        let answer = desk.run(&case.statement).await;
        let must_succeed = case.verdict == Verdict::Allow && !case.over_refusal_ok;
        assert!(
            !(must_succeed && answer.result.is_error),
            "{}: {}",
            case.id,
            answer.text()
        );
        assert!(
            case.verdict.runs_unasked() || answer.result.is_error,
            "{}: {}",
            case.id,
            answer.text()
        );
        assert!(shop.bytes() == before, "{} changed the file", case.id);
        assert_eq!(shop.files(), ["shop.db"], "{}", case.id);
    }
    assert!(!Path::new("/tmp/deed-sql").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn every_case_that_is_denied_stays_so_when_everything_is_approved() {
    let shop = Shop::new();
    let desk = shop.desk.limited(fast()).approved();
    let before = shop.bytes();
    for case in cases::of(Dialect::Sqlite) {
        if case.verdict == Verdict::Deny {
            let text = desk.run(&case.statement).await.error();
            assert!(text.starts_with("not run: "), "{}: {text}", case.id);
            assert!(shop.bytes() == before, "{} changed the file", case.id);
            assert_eq!(shop.files(), ["shop.db"], "{}", case.id);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_case_that_needs_approval_runs_with_it() {
    for case in cases::of(Dialect::Sqlite) {
        if case.verdict == Verdict::Approve {
            let shop = Shop::new();
            let answer = shop.desk.approved().run(&case.statement).await;
            assert!(!answer.result.is_error, "{}: {}", case.id, answer.text());
            assert_eq!(shop.files(), ["shop.db"], "{}", case.id);
        }
    }
}

#[tokio::test]
async fn a26_a_view_over_an_application_function_reads_nothing() {
    let shop = Shop::new();
    let text = shop.desk.run("SELECT * FROM v_evil").await.error();
    assert!(text.contains("evil_write"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a28_vacuum_into_a_heap_limit_and_a_temp_trigger_are_refused() {
    let shop = Shop::new();
    let copy = shop.folder.path().join("copy.db");
    for desk in [shop.desk.clone(), shop.desk.approved()] {
        let vacuum = format!("VACUUM INTO '{}'", copy.display());
        assert!(desk.run(&vacuum).await.error().contains("VACUUM"));
        desk.run("PRAGMA hard_heap_limit = 1").await.error();
        desk.run("PRAGMA hard_heap_limit(1)").await.error();
    }
    shop.desk
        .run("CREATE TEMP TRIGGER x AFTER INSERT ON t BEGIN DELETE FROM t; END")
        .await
        .error();
    assert_eq!(shop.files(), ["shop.db"]);
    assert_eq!(
        shop.desk.run("SELECT count(*) FROM t").await.rows(),
        ["[50]"]
    );
}

#[tokio::test]
async fn b158_a_pragma_shows_the_schema_and_none_changes_the_file() {
    let shop = Shop::new();
    let rows = shop.desk.run("PRAGMA table_info(t)").await.rows();
    assert_eq!(rows[0], r#"[0,"id","INTEGER",0,null,0]"#);
    let before = shop.bytes();
    shop.desk.run("PRAGMA journal_mode=WAL").await.error();
    assert!(shop.bytes() == before);
}

#[tokio::test]
async fn b160_the_row_cap_holds_whatever_the_statement_says() {
    let shop = Shop::new();
    let desk = shop.desk.limited(SqlLimits {
        max_rows: 7,
        ..SqlLimits::default()
    });
    for sql in [
        "SELECT id FROM t -- limit",
        "SELECT id FROM t LIMIT 40",
        "SELECT id FROM t /* LIMIT 3 */",
    ] {
        let answer = desk.run(sql).await;
        assert_eq!(answer.rows().len(), 7, "{sql}");
        assert_eq!(answer.detail("truncatedBy"), "rows");
        let last = answer.ok().lines().last().unwrap().to_owned();
        assert!(
            last.starts_with("[The first 7 rows; there are more."),
            "{last}"
        );
    }
    let exact = desk.run("SELECT id FROM t LIMIT 7").await;
    assert_eq!(exact.detail("truncated"), false);
}

#[tokio::test]
async fn the_byte_cap_keeps_whole_rows() {
    let shop = Shop::new();
    let desk = shop.desk.limited(SqlLimits {
        max_bytes: 100,
        ..SqlLimits::default()
    });
    let answer = desk.run("SELECT id, note FROM t").await;
    assert_eq!(answer.detail("truncatedBy"), "bytes");
    assert_eq!(answer.rows()[0], r#"[1,"note 1"]"#);
    assert!(answer.rows().iter().all(|row| row.ends_with(']')));
    assert!(answer.rows().join("\n").len() <= 100);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_without_end_is_cut_without_being_kept() {
    let shop = Shop::new();
    let endless = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n, hex(zeroblob(400)) FROM r";
    let answer = shop.desk.run(endless).await;
    assert_eq!(answer.detail("rowCount"), 1000);
    assert!(answer.ok().len() < 1_100_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_without_end_is_stopped_at_its_deadline() {
    let shop = Shop::new();
    let endless =
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r";
    let text = shop.desk.limited(fast()).run(endless).await.error();
    assert!(
        text.starts_with("the statement was stopped after 0.3 s"),
        "{text}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_query_ends() {
    let shop = Shop::new();
    let cancel = CancellationToken::new();
    let desk = shop.desk.limited(SqlLimits {
        timeout: Duration::from_secs(600),
        ..SqlLimits::default()
    });
    let endless =
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r";
    let desk = desk.cancelled_by(&cancel);
    let running = tokio::spawn(async move { desk.run(endless).await });
    cancel.cancel();
    assert_eq!(running.await.unwrap().error(), "Operation aborted");
}

#[tokio::test(flavor = "multi_thread")]
async fn values_of_every_kind_can_be_told_apart() {
    let shop = Shop::new();
    let sql = "SELECT NULL, 'NULL', 1, '1', 1.0, 9007199254740993, 9e999, x'0102ff', 'a\"b\\c', \
               char(10, 9, 27, 133), 'tab' || char(0) || 'end', 1 AS id, 2 AS id";
    let text = shop.desk.run(sql).await.ok();
    insta::assert_snapshot!(text);
}

#[tokio::test]
async fn a_long_value_is_cut_with_a_note() {
    let shop = Shop::new();
    let answer = shop
        .desk
        .run("SELECT replace(hex(zeroblob(2500)), '0', 'ä') AS long, 2")
        .await;
    let row = answer.rows().remove(0);
    assert!(row.ends_with("ä\"<cut: 5000 characters>,2]"), "{row}");
    assert!(answer.ok().ends_with(
        "[1 row. Long values are cut: substr() shows a part, length() how long one is]"
    ));
}

#[tokio::test]
async fn columns_have_names_and_types() {
    let shop = Shop::new();
    let answer = shop
        .desk
        .run("SELECT id, note, count(*) AS n, avg(id) FROM t")
        .await;
    let columns = answer.detail("columns").to_string();
    assert_eq!(
        columns,
        r#"[{"name":"id","type":"integer"},{"name":"note","type":"text"},{"name":"n","type":"integer"},{"name":"avg(id)","type":"real"}]"#
    );
    assert_eq!(
        shop.desk.run("SELECT id FROM t WHERE 0").await.ok(),
        "[\"id\"]\n\n[0 rows]"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_with_a_log_is_read_and_nothing_is_left_behind() {
    let shop = Shop::with("PRAGMA journal_mode = WAL; INSERT INTO t VALUES (99, 'late');");
    assert_eq!(shop.files(), ["shop.db"]);
    let before = shop.bytes();
    assert_eq!(
        shop.desk
            .run("SELECT note FROM t WHERE id = 99")
            .await
            .rows(),
        ["[\"late\"]"]
    );
    assert_eq!(shop.files(), ["shop.db"]);
    assert!(shop.bytes() == before);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_stands_only_in_the_log_is_read_too() {
    let shop = Shop::with("PRAGMA journal_mode = WAL;");
    let writer = Connection::open(shop.path()).unwrap();
    writer
        .execute_batch("INSERT INTO t VALUES (99, 'in the log')")
        .unwrap();
    let (file, log) = (
        shop.bytes(),
        fs::read(shop.folder.path().join("shop.db-wal")).unwrap(),
    );
    assert_eq!(
        shop.desk
            .run("SELECT note FROM t WHERE id = 99")
            .await
            .rows(),
        ["[\"in the log\"]"]
    );
    assert!(shop.bytes() == file);
    assert!(fs::read(shop.folder.path().join("shop.db-wal")).unwrap() == log);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_path_with_marks_of_a_uri_is_the_file_of_that_name() {
    let folder = tempfile::tempdir().unwrap();
    let strange = folder.path().join("a%20b");
    fs::create_dir(&strange).unwrap();
    let connection = Connection::open(strange.join("x.db")).unwrap();
    connection
        .execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t AS SELECT 7 AS n")
        .unwrap();
    connection.close().unwrap();
    let desk = Desk::new(vec![Database::parse("x=sqlite:x.db", &strange).unwrap()]);
    assert_eq!(desk.run("SELECT n FROM t").await.rows(), ["[7]"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_is_one_transaction_and_says_what_changed() {
    let shop = Shop::new();
    let desk = shop.desk.approved();
    let answer = desk.run("UPDATE t SET note = 'x' WHERE id <= 3").await;
    assert_eq!(answer.ok(), "Done, 3 rows changed");
    assert_eq!(answer.detail("affectedRows"), 3);
    let returned = desk.run("DELETE FROM t WHERE id > 48 RETURNING id;").await;
    assert_eq!(
        returned.ok(),
        "[\"id\"]\n[49]\n[50]\n\n[2 rows changed. 2 rows]"
    );
    desk.run("INSERT INTO t SELECT id + 100, note FROM t UNION ALL SELECT 1, json('{')")
        .await
        .error();
    assert_eq!(desk.run("SELECT count(*) FROM t").await.rows(), ["[48]"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_with_more_rows_than_the_cap_still_comes_to_its_end() {
    let shop = Shop::new();
    let desk = shop.desk.approved().limited(SqlLimits {
        max_rows: 2,
        ..SqlLimits::default()
    });
    let answer = desk.run("DELETE FROM t RETURNING id").await;
    assert_eq!(answer.detail("affectedRows"), 50);
    assert_eq!(answer.rows().len(), 2);
    assert_eq!(desk.run("SELECT count(*) FROM t").await.rows(), ["[0]"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_locked_file_is_said_to_be_locked() {
    let shop = Shop::new();
    let other = Connection::open(shop.path()).unwrap();
    other.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let desk = shop.desk.limited(fast());
    assert!(
        desk.run("SELECT * FROM t")
            .await
            .error()
            .starts_with("the database is locked")
    );
    let text = desk.approved().run("DELETE FROM t").await.error();
    assert!(text.starts_with("the database is locked"), "{text}");
    other.execute_batch("COMMIT").unwrap();
    desk.approved().run("DELETE FROM t").await.ok();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_that_waits_for_a_lock_can_be_cancelled() {
    let shop = Shop::new();
    let other = Connection::open(shop.path()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let cancel = CancellationToken::new();
    let desk = shop
        .desk
        .approved()
        .cancelled_by(&cancel)
        .limited(SqlLimits {
            timeout: Duration::from_secs(600),
            ..SqlLimits::default()
        });
    let running = tokio::spawn(async move { desk.run("DELETE FROM t").await });
    cancel.cancel();
    assert_eq!(running.await.unwrap().error(), "Operation aborted");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_database_is_named() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("notes.txt"), "x".repeat(5000)).unwrap();
    fs::create_dir(folder.path().join("folder")).unwrap();
    let fifo = folder.path().join("fifo");
    std::process::Command::new("mkfifo")
        .arg(&fifo)
        .status()
        .unwrap();
    for (file, wanted) in [
        ("missing.db", "there is no such file"),
        ("notes.txt", "is not a SQLite database"),
        ("folder", "this is a folder, not a file"),
        ("fifo", "this is a device or a pipe, not a file"),
    ] {
        let database = Database::parse(&format!("x=sqlite:{file}"), folder.path()).unwrap();
        for desk in [
            Desk::new(vec![database.clone()]),
            Desk::new(vec![database]).approved(),
        ] {
            let text = desk.run("SELECT * FROM t").await.error();
            assert!(text.contains(wanted), "{file}: {text}");
            let text = desk.run("CREATE TABLE t(x)").await.error();
            assert!(
                text.contains(wanted) || text.starts_with("not run"),
                "{file}: {text}"
            );
        }
    }
    assert_eq!(files(folder.path()), ["fifo", "folder", "notes.txt"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unfinished_change_of_a_crashed_program_is_named() {
    let shop = Shop::new();
    let writer = Connection::open(shop.path()).unwrap();
    writer
        .execute_batch("PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN; UPDATE t SET note = hex(zeroblob(20000));")
        .unwrap();
    let crashed = tempfile::tempdir().unwrap();
    for file in ["shop.db", "shop.db-journal"] {
        fs::copy(shop.folder.path().join(file), crashed.path().join(file)).unwrap();
    }
    let desk = Desk::new(vec![
        Database::parse("x=sqlite:shop.db", crashed.path()).unwrap(),
    ]);
    let text = desk.run("SELECT count(*) FROM t").await.error();
    assert!(text.contains("in the middle of a change"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn many_readers_at_once_all_answer() {
    let shop = Arc::new(Shop::new());
    let mut readers = tokio::task::JoinSet::new();
    for _ in 0..16 {
        let shop = shop.clone();
        readers.spawn(async move { shop.desk.run("SELECT count(*) FROM t").await.rows() });
    }
    while let Some(rows) = readers.join_next().await {
        assert_eq!(rows.unwrap(), ["[50]"]);
    }
}
