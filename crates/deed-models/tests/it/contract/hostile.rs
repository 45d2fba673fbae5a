//! Whatever a transcript holds, what is sent of it is answered call by call, on every wire.

use std::collections::HashSet;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::Value;

use super::{ROWS, Row, TWO_CALLS, model, stream};
use crate::support::{Reply, Server, ask, request, tools};
use crate::transcript::any_message;

#[test]
fn any_transcript_makes_a_request_with_each_call_answered_once_and_in_order() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut runner = TestRunner::new(Config::with_cases(64));
    let transcripts = prop::collection::vec(any_message(), 0..12);
    let tested = runner.run(&transcripts, |list| {
        for row in ROWS {
            let body = runtime.block_on(sent(row, Value::Array(list.clone())));
            check(row, &body)?;
        }
        Ok(())
    });
    tested.unwrap();
}

async fn sent(row: &Row, messages: Value) -> Value {
    let server = Server::start([Reply::events(&stream(row, &TWO_CALLS))]).await;
    ask(&model(row, &server), &request(&messages, tools(&["read"]))).await;
    server.last_body()
}

/// Checks that each row of calls is followed by its results, in the same order.
fn check(row: &Row, body: &Value) -> Result<(), TestCaseError> {
    let steps = (row.sent)(body).steps;
    let (mut open, mut known) = (Vec::new(), HashSet::new());
    let mut answered = 0;
    for step in &steps {
        let (kind, id) = step.split_once(' ').unwrap();
        if kind == "call" {
            if answered == open.len() {
                open.clear();
                answered = 0;
            }
            prop_assert_eq!(answered, 0, "a call among results: {:?}", steps);
            prop_assert!(known.insert(id), "{} twice on {}: {}", id, row.api, body);
            open.push(id);
        } else {
            prop_assert_eq!(open.get(answered), Some(&id), "{}: {:?}", row.api, steps);
            answered += 1;
        }
    }
    prop_assert_eq!(answered, open.len(), "{}: {:?}", row.api, steps);
    Ok(())
}
