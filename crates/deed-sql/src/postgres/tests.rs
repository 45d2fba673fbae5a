use std::path::Path;
use std::time::Duration;

use deed_agent::UpdateSink;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::run;
use crate::capability::Capability;
use crate::database::{PostgresTarget, Target};
use crate::job::{Done, Job};
use crate::progress::Progress;
use crate::run_error::RunError;
use crate::{Classified, Database, SqlClass, SqlLimits};

#[path = "../../tests/it/server.rs"]
#[allow(
    dead_code,
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "it belongs to the other tests, which use all of it and fail by panicking"
)]
mod server;

async fn read(target: &PostgresTarget, text: &str, right: Capability) -> Result<Done, RunError> {
    let job = Job {
        text: text.to_owned(),
        is_outside_transaction: false,
        limits: SqlLimits {
            timeout: Duration::from_millis(500),
            ..SqlLimits::default()
        },
        cancel: CancellationToken::new(),
        progress: Progress::begin(UpdateSink::closed()),
    };
    run(target, job, right).await
}

#[tokio::test(flavor = "multi_thread")]
async fn b163_a_right_to_read_writes_nothing_whatever_the_statement() {
    let Some(server) = server::Server::get().await else {
        return;
    };
    server.fill().await;
    let admin = server.admin().await;
    let before = server.state(&admin).await;
    let victim = server.admin().await;
    victim
        .batch_execute("SET application_name = 'victim'")
        .await
        .unwrap();
    let spec = format!("app={}", server.url_of("ro"));
    let database = Database::parse(&spec, Path::new("/")).unwrap();
    let Target::Postgres(target) = database.target else {
        panic!("not a server")
    };
    let cases: Value = serde_json::from_str(include_str!("../../tests/it/cases.json")).unwrap();
    let found = Classified {
        class: SqlClass::Read,
        reason: String::new(),
        is_outside_transaction: false,
    };
    let mut count = 0;
    for case in cases["cases"].as_array().unwrap() {
        let text = |name: &str| case[name].as_str().unwrap();
        let is_forbidden = ["approve", "deny"].contains(&text("verdict"));
        if text("dialect") != "postgres" || !is_forbidden {
            continue;
        }
        count += 1;
        let done = read(
            &target,
            text("statement"),
            Capability::of(&found, false).unwrap(),
        )
        .await;
        let is_stopped = case["runs_with_all_layers_except_ast"] == false;
        assert!(!is_stopped || done.is_err(), "{}: {done:?}", text("id"));
        // A lock of a session is there until the server has noticed its end.
        let settled = async { while server.state(&admin).await != before {} };
        let settled = tokio::time::timeout(Duration::from_secs(20), settled).await;
        assert!(settled.is_ok(), "{}", text("id"));
    }
    assert_eq!(count, 76);
    victim.batch_execute("SELECT 1").await.unwrap();
    server.end().await;
}
