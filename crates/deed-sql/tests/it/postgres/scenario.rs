//! The scenario of the example program, on PostgreSQL: a role that may read, one that may write.

use std::sync::Arc;

use deed_sql::Database;
use desktop_database::{Desktop, Person, SCHEMA, Setup};

use crate::server::Server;

#[tokio::test(flavor = "multi_thread")]
async fn the_desktop_program_changes_only_what_was_agreed_to() {
    let Some(server) = Server::get().await else {
        return;
    };
    let admin = server.admin().await;
    let (reads, writes) = (server.role("reads"), server.role("writes"));
    let roles = format!(
        "CREATE ROLE {reads} LOGIN; CREATE ROLE {writes} LOGIN; \
         GRANT SELECT ON ALL TABLES IN SCHEMA public TO {reads}; \
         GRANT ALL ON ALL TABLES IN SCHEMA public TO {writes}"
    );
    admin.batch_execute(SCHEMA).await.unwrap();
    admin.batch_execute(&roles).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let spec = format!("shop={}", server.url_of("reads"));
    let database = Database::parse(&spec, folder.path())
        .and_then(|database| database.with_writer(&server.url_of("writes"), folder.path()))
        .unwrap();
    let setup = Setup {
        folder: folder.path().to_owned(),
        audit: folder.path().join("audit"),
        session: "s1".to_owned(),
        database,
        is_scripted: true,
    };
    let desktop = Desktop::start(setup, Person::new(Arc::new(|_| {})))
        .await
        .unwrap();
    let end = desktop.run().await.unwrap();
    assert!(end.error.is_none(), "{:?}", end.error);
    let results = end.messages.iter().filter_map(|one| one.as_tool_result());
    let failed: Vec<bool> = results.map(|result| result.is_error).collect();
    assert_eq!(failed, [false, false, true, true]);
    assert!(desktop.verify().unwrap().is_whole());
    let now = "SELECT concat_ws(' ', (SELECT stock FROM products WHERE id = 1), \
               (SELECT price_cents FROM products WHERE id = 1), (SELECT count(*) FROM orders))";
    let now: String = admin.query_one(now, &[]).await.unwrap().get(0);
    assert_eq!(now, "11 1800 3");
    drop((desktop, admin));
    server.end().await;
}
