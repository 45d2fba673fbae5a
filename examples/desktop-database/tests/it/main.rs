//! The scenario on both engines: what runs, what does not, and the record of it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests fail by panicking"
)]

mod sqlite;

use std::path::Path;
use std::sync::{Arc, Mutex};

use deed_agent::RunEnd;
use deed_sql::Database;
use desktop_database::{Desktop, Person, Setup};
use serde_json::Value;

/// A scenario that was run.
struct Told {
    end: RunEnd,
    /// What the person was asked, in order.
    asked: Vec<String>,
    records: Vec<Value>,
}

async fn tell(folder: &Path, database: Database) -> Told {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let hears = asked.clone();
    let person = Person::new(Arc::new(move |said| hears.lock().unwrap().push(said)));
    let setup = Setup {
        folder: folder.to_owned(),
        audit: folder.join("audit"),
        session: "s1".to_owned(),
        database,
        is_scripted: true,
    };
    let desktop = Desktop::start(setup, person).await.unwrap();
    let end = desktop.run().await.unwrap();
    let report = desktop.verify().unwrap();
    assert!(report.is_whole(), "{report}");
    let records = desktop.records().unwrap();
    let parsed = |one: &deed_guard::audit::Shown| serde_json::from_str(one.record.get()).unwrap();
    Told {
        end,
        asked: asked.lock().unwrap().clone(),
        records: records.iter().map(parsed).collect(),
    }
}

/// Asserts what holds on every engine.
fn assert_as_written(told: &Told) {
    assert!(told.end.error.is_none(), "{:?}", told.end.error);
    let results: Vec<_> = told
        .end
        .messages
        .iter()
        .filter_map(|message| message.as_tool_result())
        .collect();
    let failed: Vec<bool> = results.iter().map(|result| result.is_error).collect();
    assert_eq!(failed, [false, false, true, true], "{results:?}");
    assert_eq!(told.asked.len(), 3, "the query was not asked about");
    assert!(told.asked[0].contains("UPDATE products SET stock = stock - 1"));
    assert!(told.asked[1].contains("DELETE FROM orders"));
    assert!(told.asked[2].contains("1890"));
    let of = |event: &str| -> Vec<String> {
        let own = told
            .records
            .iter()
            .filter(|record| record["event"] == event);
        own.map(|record| record["call_id"].as_str().unwrap_or("-").to_owned())
            .collect()
    };
    assert_eq!(of("intent").len(), 2, "the query and the booking");
    assert_eq!(of("outcome"), of("intent"));
    let decided = |record: &&Value| record["event"] == "approval";
    let answers: Vec<&Value> = told.records.iter().filter(decided).collect();
    assert_eq!(answers[0]["approval"]["decision"], "allow_once");
    assert_eq!(answers[0]["approval"]["verified"], true);
    assert_eq!(answers[1]["approval"]["decision"], "deny");
    let away = told
        .records
        .iter()
        .find(|record| record["event"] == "turned_away");
    assert_eq!(away.unwrap()["detail"]["why"], "confirmed_otherwise");
}
