//! The database extension of the product's own documents, in the program.

use serde_json::{Value, json};

use super::{calling, play};
use crate::support::{Ran, Sandbox};

const EXTENSION: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../deed-typescript/tests/fixtures/seed-database/query-database.ts"
));

fn query(sandbox: &Sandbox, sql: &str) -> Value {
    sandbox.write("query-database.ts", EXTENSION);
    let script = json!([calling("query_database", json!({ "sql": sql })), { "say": "." }]);
    let args = [
        "-e",
        "query-database.ts",
        "--sql",
        "shop=sqlite:shop.db",
        "--mode",
        "json",
        "go",
    ];
    let ran: Ran = play(sandbox, &script, &args);
    let lines = ran.lines();
    let end = lines
        .iter()
        .find(|line| line["type"] == "tool_execution_end");
    end.unwrap_or_else(|| panic!("{}{}", ran.stdout, ran.stderr))
        .clone()
}

#[test]
fn it_reads_and_a_write_with_nobody_to_ask_does_not_run() {
    let sandbox = Sandbox::new();
    desktop_database::make_shop(&sandbox.path("shop.db")).unwrap();
    let end = query(&sandbox, "SELECT name FROM products ORDER BY id LIMIT 1");
    assert_eq!(end["isError"], false, "{end}");
    assert!(
        end["result"]["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("lamp"),
        "{end}"
    );

    let before = std::fs::read(sandbox.path("shop.db")).unwrap();
    let end = query(&sandbox, "DELETE FROM products");
    assert_eq!(end["isError"], true, "{end}");
    let text = end["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("requires interactive approval"), "{text}");
    assert_eq!(std::fs::read(sandbox.path("shop.db")).unwrap(), before);
}
