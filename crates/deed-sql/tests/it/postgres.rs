use std::path::Path;
use std::time::Duration;

use deed_sql::{Database, SqlLimits};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::server::Server;
use crate::support::Desk;

mod fences;
mod proxy;
mod scenario;

fn database(url: &str) -> Database {
    Database::parse(&format!("app={url}"), Path::new("/")).unwrap()
}

fn reader(server: &Server) -> Desk {
    Desk::new(vec![database(&server.url_of("ro"))])
}

fn writer(server: &Server) -> Desk {
    Desk::new(vec![database(&server.url_of("rw"))]).approved()
}

fn limits(timeout: Duration) -> SqlLimits {
    SqlLimits {
        timeout,
        ..SqlLimits::default()
    }
}

/// Waits until the server no longer runs a statement that contains a text.
async fn wait_for_end(server: &Server, text: &str) {
    let admin = server.admin().await;
    let question = "SELECT count(*) FROM pg_stat_activity
        WHERE datname = $1 AND state = 'active' AND query LIKE '%' || $2 || '%' AND pid <> pg_backend_pid()";
    let wait = async {
        loop {
            let row = admin
                .query_one(question, &[&server.name, &text])
                .await
                .unwrap();
            if row.get::<_, i64>(0) == 0 {
                return;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(20), wait)
        .await
        .expect("it still runs");
}

#[tokio::test(flavor = "multi_thread")]
async fn values_of_every_type_are_what_the_server_writes() {
    let Some(server) = Server::get().await else {
        return;
    };
    server.fill().await;
    let admin = server.admin().await;
    let name = &server.name;
    let make = format!(
        "CREATE TYPE mood AS ENUM ('sad', 'fine'); CREATE TYPE pair AS (a int, b text);
         CREATE TABLE kinds AS SELECT 'fine'::mood AS m, ROW(1, 'x')::pair AS p;
         GRANT SELECT ON kinds TO {name}_ro;"
    );
    admin.batch_execute(&make).await.unwrap();
    let sql = "SELECT NULL AS nothing, 'NULL' AS word, true AS yes, 1::int2 AS i2, -2 AS i4,
        9223372036854775807 AS i8, 1.10::numeric AS n, 'NaN'::numeric AS nan, 0.1::float8 AS f8,
        1e300::float8 AS big, 'infinity'::float8 AS inf, '{\"a\": [1, null]}'::jsonb AS j,
        ARRAY[1, NULL, 3] AS a, ARRAY['x,y', 'z\"'] AS ta,
        '2026-12-01 03:04:05.678+00'::timestamptz AT TIME ZONE 'UTC' AS ts,
        '2026-12-01'::date AS d, '1 day 02:03:04'::interval AS iv,
        'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid AS u, '\\x0001ff'::bytea AS b,
        '10.0.0.0/8'::inet AS net, int4range(1, 5) AS r, '(1,2)'::point AS pt, 12.5::text::money AS cash,
        '<a/>'::xml AS x, E'line\\nnext\\ttab\\u0007' AS ctl, 1 AS id, 2 AS id, m, p FROM kinds";
    let answer = reader(&server).run(sql).await;
    insta::assert_snapshot!(answer.ok());
    let columns = answer.detail("columns");
    let types: Vec<&str> = columns
        .as_array()
        .unwrap()
        .iter()
        .map(|column| column["type"].as_str().unwrap())
        .collect();
    insta::assert_snapshot!(types.join(" "));
    // With the offset of the session's time zone.
    let stamp = reader(&server)
        .run("SELECT '2026-12-01 03:04:05+00'::timestamptz")
        .await
        .rows()
        .remove(0);
    assert!(stamp.starts_with("[\"2026-1"), "{stamp}");
    server.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_is_cut_stopped_or_cancelled_and_ends_on_the_server_too() {
    let Some(server) = Server::get().await else {
        return;
    };
    server.fill().await;
    let desk = reader(&server);

    let rows = desk.run("SELECT * FROM generate_series(1, 10000000)").await;
    assert_eq!(
        (rows.rows().len(), rows.detail("truncatedBy")),
        (1000, json!("rows"))
    );
    let bytes = desk
        .run("SELECT repeat('x', 1500), i FROM generate_series(1, 10000000) i")
        .await;
    assert_eq!(bytes.detail("truncatedBy"), "bytes");
    assert!(bytes.ok().len() < 1_100_000);
    let long = desk.run("SELECT repeat('x', 100000000)").await.error();
    assert!(long.contains("longer than 4194304 bytes"), "{long}");
    wait_for_end(&server, "generate_series").await;

    let slow = desk.limited(limits(Duration::from_millis(200)));
    let text = slow.run("SELECT pg_sleep(3600)").await.error();
    assert!(
        text.starts_with("the statement was stopped after 0.2 s"),
        "{text}"
    );

    let patient = desk.limited(limits(Duration::from_secs(600)));
    for sql in [
        "SELECT pg_sleep(3600)",
        "SELECT count(*) FROM generate_series(1, 100000000000)",
    ] {
        cancelled_once_it_runs(&server, &patient, sql).await;
    }
    let patient = writer(&server).limited(limits(Duration::from_secs(600)));
    cancelled_once_it_runs(
        &server,
        &patient,
        "DELETE FROM t WHERE pg_sleep(3600) IS NULL",
    )
    .await;
    assert_eq!(desk.run("SELECT count(*) FROM t").await.rows(), ["[50]"]);
    server.end().await;
}

async fn cancelled_once_it_runs(server: &Server, desk: &Desk, sql: &'static str) {
    let cancel = CancellationToken::new();
    let desk = desk.cancelled_by(&cancel);
    let running = tokio::spawn(async move { desk.run(sql).await });
    let admin = server.admin().await;
    let question = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query = $1";
    while admin
        .query_one(question, &[&sql])
        .await
        .unwrap()
        .get::<_, i64>(0)
        == 0
    {}
    cancel.cancel();
    assert_eq!(running.await.unwrap().error(), "Operation aborted");
    wait_for_end(server, sql).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_is_one_transaction_and_is_never_sent_twice() {
    let Some(server) = Server::get().await else {
        return;
    };
    server.fill().await;
    let desk = writer(&server);
    let count = || async {
        reader(&server)
            .run("SELECT count(*) FROM t")
            .await
            .rows()
            .remove(0)
    };

    let answer = desk.run("UPDATE t SET note = 'x' WHERE id <= 3;").await;
    assert_eq!(
        (answer.ok().as_str(), answer.detail("affectedRows")),
        ("Done, 3 rows changed", json!(3))
    );
    let answer = desk.run("DELETE FROM t WHERE id > 48 RETURNING id").await;
    assert_eq!(
        answer.ok(),
        "[\"id\"]\n[49]\n[50]\n\n[2 rows changed. 2 rows]"
    );
    let text = desk
        .run("INSERT INTO t SELECT 100 / (3 - i), 'x' FROM generate_series(1, 5) i")
        .await
        .error();
    assert!(text.contains("division by zero (22012)"), "{text}");
    assert_eq!(count().await, "[48]");
    assert_eq!(desk.run("VACUUM t").await.ok(), "Done");

    let split = database(&server.url_of("ro"))
        .with_writer(&server.url_of("rw"), Path::new("/"))
        .unwrap();
    let split = Desk::new(vec![split]);
    split.run("DELETE FROM t").await.error();
    assert_eq!(
        split
            .approved()
            .run("DELETE FROM t WHERE id = 1")
            .await
            .ok(),
        "Done, 1 row changed"
    );
    let text = reader(&server)
        .approved()
        .run("DELETE FROM t")
        .await
        .error();
    assert!(text.contains("permission denied"), "{text}");

    if let Some(port) = server.tcp_port() {
        let proxied = proxy::cut_after_commit(port).await;
        let url = format!(
            "postgres://{}@127.0.0.1:{proxied}/{}?sslmode=disable",
            server.role("rw"),
            server.name
        );
        let text = Desk::new(vec![database(&url)])
            .approved()
            .run("DELETE FROM t WHERE id = 2")
            .await
            .error();
        assert!(text.starts_with("outcome unknown"), "{text}");
        assert_eq!(count().await, "[46]");
    }
    server.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lock_of_another_session_is_named() {
    let Some(server) = Server::get().await else {
        return;
    };
    server.fill().await;
    let admin = server.admin().await;
    admin.batch_execute("BEGIN; LOCK TABLE t").await.unwrap();
    let desk = reader(&server).limited(SqlLimits {
        timeout: Duration::from_secs(4),
        ..SqlLimits::default()
    });
    let text = desk.run("SELECT * FROM t").await.error();
    assert!(text.starts_with("the database is locked"), "{text}");
    server.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn names_are_the_servers_own_whatever_the_role_prefers() {
    let Some(server) = Server::get().await else {
        return;
    };
    server.fill().await;
    let admin = server.admin().await;
    let (name, ro) = (&server.name, server.role("ro"));
    let trap = format!(
        "CREATE SCHEMA trap; GRANT USAGE ON SCHEMA trap TO {ro};
         CREATE FUNCTION trap.upper(text) RETURNS text LANGUAGE sql AS $$ SELECT 'trapped' $$;
         ALTER ROLE {ro} IN DATABASE {name} SET search_path = trap, pg_catalog, public;"
    );
    admin.batch_execute(&trap).await.unwrap();
    assert_eq!(
        reader(&server).run("SELECT upper('x'::text)").await.rows(),
        ["[\"X\"]"]
    );
    let usual = format!("ALTER ROLE {ro} IN DATABASE {name} SET search_path = public");
    admin.batch_execute(&usual).await.unwrap();
    assert_eq!(
        reader(&server).run("SELECT current_schema()").await.rows(),
        ["[\"public\"]"]
    );
    server.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_way_to_the_server_is_protected_as_the_url_says() {
    let Some(server) = Server::start().await else {
        return;
    };
    server.fill().await;
    let port = server.tcp_port().unwrap();
    let authority = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/tls/ca.pem");
    let desk = |host: &str, parameters: &str| {
        let (role, name) = (server.role("ro"), &server.name);
        Desk::new(vec![database(&format!(
            "postgres://{role}@{host}:{port}/{name}?{parameters}"
        ))])
    };
    let question = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    for (host, parameters, wanted) in [
        ("localhost", "sslmode=disable".to_owned(), "[false]"),
        ("localhost", "sslmode=prefer".to_owned(), "[true]"),
        ("127.0.0.1", "sslmode=require".to_owned(), "[true]"),
        (
            "localhost",
            format!("sslmode=verify-full&sslrootcert={authority}"),
            "[true]",
        ),
    ] {
        assert_eq!(
            desk(host, &parameters).run(question).await.rows(),
            [wanted],
            "{parameters}"
        );
    }
    for (host, parameters) in [
        (
            "127.0.0.1",
            format!("sslmode=verify-full&sslrootcert={authority}"),
        ),
        (
            "localhost",
            "sslmode=verify-full&sslrootcert=/nowhere.pem".to_owned(),
        ),
    ] {
        let text = desk(host, &parameters).run("SELECT 1").await.error();
        assert!(text.starts_with("no connection to "), "{text}");
    }
    let secure = desk(
        "localhost",
        &format!("sslmode=verify-full&sslrootcert={authority}"),
    );
    let secure = secure.limited(limits(Duration::from_secs(600)));
    cancelled_once_it_runs(&server, &secure, "SELECT pg_sleep(3600)").await;
    let cut = secure.run("SELECT repeat('x', 100000000)").await.error();
    assert!(cut.contains("longer than 4194304 bytes"), "{cut}");
    server.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_fails_on_the_way_never_shows_the_password() {
    let Some(server) = Server::get().await else {
        return;
    };
    server.fill().await;
    let admin = server.admin().await;
    let ro = server.role("ro");
    let secret = format!("ALTER ROLE {ro} PASSWORD 'hunter2secret'");
    admin.batch_execute(&secret).await.unwrap();
    let url = |user: &str, place: &str| format!("postgres://{user}:hunter2secret@{place}");
    let place = server.url(None).split_once('@').unwrap().1.to_owned();
    let desk = Desk::new(vec![database(&url(&ro, &place))]);
    for sql in [
        "SELECT 'hunter2secret'",
        "SELECT 'hunter2secret'::int",
        "SELECT nope FROM t",
    ] {
        let text = desk.run(sql).await.text();
        assert!(!text.contains("hunter2"), "{text}");
    }
    for url in [
        url("nobody_there", &place),
        url(&ro, "127.0.0.1:1/x"),
        url(&ro, "host.invalid/x"),
    ] {
        let answer = Desk::new(vec![database(&url)]).run("SELECT 1").await;
        let text = answer.error();
        assert!(
            text.starts_with("no connection to ") && !text.contains("hunter2"),
            "{text}"
        );
    }
    server.end().await;
}
