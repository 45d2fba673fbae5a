use std::path::Path;
use std::time::Duration;

use deed_sql::Dialect;

use super::{database, limits, reader, writer};
use crate::cases::{self, Verdict};
use crate::server::Server;
use crate::support::Desk;

#[tokio::test(flavor = "multi_thread")]
async fn every_case_has_its_outcome_on_a_server() {
    let Some(server) = Server::get().await else {
        return;
    };
    server.fill().await;
    every_case_reads_or_changes_nothing(&server).await;
    every_denied_case_stays_denied(&server).await;
    every_approved_case_reaches_the_server(&server).await;
    assert!(!Path::new("/tmp/deed-sql").exists());
    server.end().await;
}

async fn every_case_reads_or_changes_nothing(server: &Server) {
    let admin = server.admin().await;
    let before = server.state(&admin).await;
    let desk = reader(server).limited(limits(Duration::from_millis(300)));
    for case in cases::of(Dialect::Postgres) {
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
        assert_eq!(server.state(&admin).await, before, "{}", case.id);
    }
}

async fn every_denied_case_stays_denied(server: &Server) {
    let admin = server.admin().await;
    let before = server.state(&admin).await;
    for case in cases::of(Dialect::Postgres) {
        if case.verdict == Verdict::Deny {
            let text = writer(server).run(&case.statement).await.error();
            let is_denied = text.starts_with("not run: ") || case.statement.is_empty();
            assert!(is_denied, "{}: {text}", case.id);
        }
    }
    assert_eq!(server.state(&admin).await, before);
}

/// What becomes of it there is a matter of the role's rights.
async fn every_approved_case_reaches_the_server(server: &Server) {
    for case in cases::of(Dialect::Postgres) {
        if case.verdict == Verdict::Approve {
            let text = writer(server).run(&case.statement).await.text();
            assert!(!text.starts_with("not run"), "{}: {text}", case.id);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_role_that_may_do_more_than_read_is_refused() {
    let Some(server) = Server::get().await else {
        return;
    };
    server.fill().await;
    let admin = server.admin().await;
    let text = Desk::new(vec![database(&server.url(None))])
        .run("SELECT 1")
        .await
        .error();
    assert!(
        text.contains("it is a superuser") && text.contains("CREATE ROLE"),
        "{text}"
    );
    for (name, make) in [
        ("files", "GRANT pg_read_server_files TO ROLE"),
        ("writes", "GRANT pg_write_server_files TO ROLE"),
        ("runs", "GRANT pg_execute_server_program TO ROLE"),
        ("signals", "GRANT pg_signal_backend TO ROLE"),
        ("copies", "ALTER ROLE ROLE REPLICATION"),
        ("inherits", "GRANT NAME_signals TO ROLE"),
    ] {
        let role = server.role(name);
        let make = make.replace("TO ROLE", &format!("TO {role}"));
        let make = make.replace("ALTER ROLE ROLE", &format!("ALTER ROLE {role}"));
        let make = make.replace("NAME", &server.name);
        admin
            .batch_execute(&format!("CREATE ROLE {role} LOGIN; {make}"))
            .await
            .unwrap();
        let privileged = database(&server.url(Some(&role)));
        let text = Desk::new(vec![privileged.clone()])
            .run("SELECT 1")
            .await
            .error();
        assert!(text.contains("may do more than read"), "{name}: {text}");
        let lifted = Desk::new(vec![privileged.allow_privileged_role()]);
        assert_eq!(lifted.run("SELECT 1").await.rows(), ["[1]"], "{name}");
        let text = lifted.approved().run("CREATE TABLE x(y int)").await.error();
        assert!(text.contains("may do more than read"), "{name}: {text}");
    }
    server.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn b164_what_escapes_one_fence_is_held_by_another() {
    let Some(server) = Server::get().await else {
        return;
    };
    server.fill().await;
    let admin = server.admin().await;
    let before = server.state(&admin).await;
    let lifted = Desk::new(vec![database(&server.url(None)).allow_privileged_role()]);
    for desk in [reader(&server), lifted] {
        for sql in [
            "SET TRANSACTION READ WRITE",
            "BEGIN READ WRITE",
            "DELETE FROM t",
        ] {
            desk.run(sql).await.error();
        }
        // The classifier cannot see what a view calls; the transaction can.
        let text = desk.run("SELECT * FROM v_evil").await.error();
        assert!(text.contains("read-only transaction"), "{text}");
        for sql in [
            "SELECT sd_write()",
            "SELECT 'x'::evil_dom",
            "SELECT 1 === 2",
            "SELECT * FROM dblink('dbname=app', 'DELETE FROM t RETURNING id') AS x(id int)",
        ] {
            desk.run(sql).await.error();
        }
    }
    assert_eq!(server.state(&admin).await, before);
    let port = server.tcp_port();
    if let Some(port) = port {
        a26_a_view_over_dblink_deletes_nothing(&server, port).await;
    }
    server.end().await;
}

async fn a26_a_view_over_dblink_deletes_nothing(server: &Server, port: u16) {
    let admin = server.admin().await;
    let question = "SELECT count(*) FROM pg_extension WHERE extname = 'dblink'";
    if admin
        .query_one(question, &[])
        .await
        .unwrap()
        .get::<_, i64>(0)
        == 0
    {
        eprintln!("left out: the server has no dblink");
        return;
    }
    let name = &server.name;
    let view = format!(
        "CREATE VIEW v_dblink AS SELECT * FROM dblink('host=127.0.0.1 port={port} dbname={name} user=super',
            'DELETE FROM t RETURNING id') AS x(id int);
         GRANT SELECT ON v_dblink TO {name}_ro;"
    );
    admin.batch_execute(&view).await.unwrap();
    let before = server.state(&admin).await;
    reader(server).run("SELECT * FROM v_dblink").await.error();
    assert_eq!(server.state(&admin).await, before);
}
