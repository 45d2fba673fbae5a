use std::sync::Arc;

use deed_agent::{Model, ModelRequest};
use deed_models::schema::wire_name;
use deed_models::{RemoteModel, StaticKey};
use serde_json::{Value, json};

use super::{NOTHING, Played, PlayedCall, ROWS, Row, Sent, TWO_CALLS, hello, model, stream};
use crate::support::{Reply, Server, add, ask, request, spec, tools, transport};

/// The smallest PNG there is, and another one.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const PNG_2: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=";

/// Sends a transcript and returns what arrived.
async fn sent(row: &Row, messages: &Value) -> (Sent, Value) {
    let server = Server::start([Reply::events(&stream(row, &TWO_CALLS))]).await;
    ask(
        &model(row, &server),
        &request(messages, tools(&["read", "write"])),
    )
    .await;
    let body = server.last_body();
    ((row.sent)(&body), body)
}

fn answer(row: &Row, calls: &[&str]) -> Value {
    let calls: Vec<Value> = calls
        .iter()
        .map(|id| json!({ "type": "toolCall", "id": id, "name": "read", "arguments": {} }))
        .collect();
    json!({ "role": "assistant", "content": calls, "api": row.api.as_str(), "provider": "acme",
        "model": "acme-1", "stopReason": "toolUse", "timestamp": 2 })
}

fn result(id: &str, content: &Value) -> Value {
    json!({ "role": "toolResult", "toolCallId": id, "toolName": "read", "content": content,
        "isError": false, "timestamp": 3 })
}

fn said(text: &str) -> Value {
    json!({ "role": "user", "content": text, "timestamp": 4 })
}

#[tokio::test]
async fn the_size_of_a_request_is_sent_before_it() {
    for row in ROWS {
        let server = Server::start([Reply::events(&stream(row, &TWO_CALLS))]).await;
        ask(&model(row, &server), &hello()).await;
        let sent = server.requests().remove(0);
        let size = sent.header("content-length").unwrap();
        assert_eq!(size, sent.body.len().to_string());
        assert_eq!(sent.header("transfer-encoding"), None);
    }
}

#[tokio::test]
async fn b107_an_orphan_call_is_answered_and_an_orphan_result_is_not_sent() {
    for row in ROWS {
        let transcript = json!([
            result("gone", &json!([{ "type": "text", "text": "x" }])),
            said("go"),
            answer(row, &["c1", "c2"]),
            result("c2", &json!([{ "type": "text", "text": "two" }])),
            said("on"),
        ]);
        let (sent, body) = sent(row, &transcript).await;
        let steps = ["call c1", "call c2", "result c1", "result c2"];
        assert_eq!(sent.steps, steps, "{}: {body}", row.api);
    }
}

#[tokio::test]
async fn b109_b110_calls_without_an_id_of_their_own_get_one() {
    for row in ROWS {
        let transcript = json!([
            said("go"),
            answer(row, &["c1", "c1", ""]),
            result("c1", &json!([{ "type": "text", "text": "one" }])),
            result("c1", &json!([{ "type": "text", "text": "two" }])),
            result("", &json!([{ "type": "text", "text": "three" }])),
        ]);
        let (sent, body) = sent(row, &transcript).await;
        let ids = |kind: &str| -> Vec<String> {
            let ids = sent.steps.iter().filter_map(|step| step.strip_prefix(kind));
            ids.map(str::to_owned).collect()
        };
        let (calls, results) = (ids("call "), ids("result "));
        assert_eq!(calls, results, "{}: {body}", row.api);
        let unique: std::collections::BTreeSet<&String> = calls.iter().collect();
        assert_eq!((calls.len(), unique.len()), (3, 3), "{}: {body}", row.api);
        for text in ["one", "two", "three"] {
            assert!(body.to_string().contains(text), "{}: {body}", row.api);
        }
    }
}

#[tokio::test]
async fn pictures_of_people_and_of_results_arrive() {
    for row in ROWS {
        let picture =
            |data: &str| json!({ "type": "image", "data": data, "mimeType": "image/png" });
        let transcript = json!([
            { "role": "user", "timestamp": 1,
              "content": [{ "type": "text", "text": "what is this" }, picture(PNG)] },
            answer(row, &["c1"]),
            result("c1", &json!([{ "type": "text", "text": "a picture" }, picture(PNG_2)])),
        ]);
        let (sent, body) = sent(row, &transcript).await;
        assert_eq!(sent.images, [PNG, PNG_2], "{}: {body}", row.api);
    }
}

#[tokio::test]
async fn blocked_pictures_stay_here() {
    for row in ROWS {
        let transcript = json!([{ "role": "user", "timestamp": 1,
            "content": [{ "type": "image", "data": PNG, "mimeType": "image/png" }] }]);
        let reply = || Reply::events(&stream(row, &TWO_CALLS));
        let server = Server::start([reply(), reply()]).await;
        let model = model(row, &server);
        let request = request(&transcript, tools(&[]));
        ask(&model, &request).await;
        model.set_blocks_images(true);
        ask(&model, &request).await;
        let images: Vec<usize> = server
            .requests()
            .iter()
            .map(|sent| (row.sent)(&sent.json()).images.len())
            .collect();
        assert_eq!(images, [1, 0], "{}", row.api);
    }
}

#[tokio::test]
async fn headers_and_members_of_the_person_win() {
    for row in ROWS {
        let server = Server::start([Reply::events(&stream(row, &TWO_CALLS))]).await;
        let mut spec = spec(row.api, format!("{}{}", server.root, row.base));
        spec.headers = vec![
            ("user-agent".to_owned(), "mine".to_owned()),
            ("x-extra".to_owned(), "yes".to_owned()),
        ];
        let extra = json!({ "acme": { "a": 1 }, "tools": null });
        spec.extra_body = extra.as_object().unwrap().clone();
        let model = RemoteModel::new(spec, Arc::new(StaticKey(None)), transport(), || 0);
        ask(&model, &hello()).await;
        let sent = server.requests().remove(0);
        assert_eq!(sent.header("user-agent"), Some("mine"));
        assert_eq!(sent.header("x-extra"), Some("yes"));
        assert_eq!(sent.json()["acme"], json!({ "a": 1 }), "{}", row.api);
        assert_eq!(sent.json().get("tools"), None, "{}", row.api);
    }
}

#[tokio::test]
async fn b146_only_the_tools_of_the_request_are_declared() {
    for row in ROWS {
        let reply = || Reply::events(&stream(row, &TWO_CALLS));
        let server = Server::start([reply(), reply(), reply()]).await;
        let model = model(row, &server);
        for names in [&["read", "write"][..], &["write"], &[]] {
            ask(&model, &request(&json!([said("hi")]), tools(names))).await;
        }
        let declared: Vec<[bool; 2]> = server
            .requests()
            .iter()
            .map(|sent| {
                ["\"read\"", "\"write\""].map(|name| sent.json().to_string().contains(name))
            })
            .collect();
        assert_eq!(
            declared,
            [[true, true], [false, true], [false, false]],
            "{}",
            row.api
        );
        assert_eq!(server.last_body().get("tools"), None, "{}", row.api);
    }
}

/// A transcript that grows, is cut and grows again gives the same bodies as one that is written anew.
#[tokio::test]
async fn what_was_written_before_is_what_would_be_written_now() {
    for row in ROWS {
        let steps = transcripts(row);
        let reply = || Reply::events(&stream(row, &TWO_CALLS));
        let server = Server::start((0..steps.len() * 2).map(|_| reply())).await;
        let kept = model(row, &server);
        for step in &steps {
            ask(&kept, step).await;
            ask(&model(row, &server), step).await;
        }
        let requests = server.requests();
        for (at, pair) in requests.chunks(2).enumerate() {
            assert!(pair[0].body == pair[1].body, "{} step {at}", row.api);
        }
        assert!(requests.iter().any(|sent| sent.body.len() > 200_000));
    }
}

/// Requests of one session: turn by turn, sharing their messages.
fn transcripts(row: &Row) -> Vec<ModelRequest> {
    let long = "long ".repeat(6_000);
    let mut all = vec![said("start")];
    for turn in 0..12 {
        let id = format!("c{turn}");
        all.push(answer(row, &[&id]));
        let text = if turn % 3 == 0 {
            long.as_str()
        } else {
            "short"
        };
        all.push(result(&id, &json!([{ "type": "text", "text": text }])));
        if turn % 4 == 3 {
            all.push(said(&long));
        }
    }
    let whole = request(&Value::Array(all), tools(&["read"]));
    let cut = |len: usize| ModelRequest {
        messages: whole.messages[..len].to_vec().into(),
        ..whole.clone()
    };
    let mut steps: Vec<ModelRequest> = (1..=whole.messages.len()).map(cut).collect();
    // Back to an earlier point, and on from there by another way.
    steps.push(cut(9));
    let mut other = cut(9);
    add(&mut other, [serde_json::from_value(said("else")).unwrap()]);
    steps.push(other);
    steps
}

#[tokio::test]
async fn many_turns_use_one_connection() {
    for row in ROWS {
        let reply = Reply::events(&stream(row, &TWO_CALLS));
        let server = Server::start(std::iter::repeat_n(reply, 20)).await;
        let model = model(row, &server);
        for _ in 0..20 {
            ask(&model, &hello()).await;
        }
        assert_eq!(server.connections(), 1, "{}", row.api);
        assert_eq!(model.info().api.as_ref(), row.api.as_str());
    }
}

/// Returns a text that lives as long as the test needs it.
fn kept(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

#[tokio::test]
async fn b166_a_name_that_no_provider_takes_is_another_on_the_wire_only() {
    let long = format!("{}.{}", "server".repeat(7), "tool".repeat(10));
    for name in ["data.query", &long] {
        let on_wire = kept(&wire_name(name));
        assert!(on_wire != name && on_wire.len() <= 64);
        for row in ROWS {
            let called = Played {
                calls: Box::leak(Box::new([PlayedCall {
                    id: "call_a",
                    name: on_wire,
                    arguments: &["{}"],
                }])),
                ..NOTHING
            };
            let reply = Reply::events(&stream(row, &called));
            let server = Server::start([reply.clone(), reply]).await;
            let model = model(row, &server);
            let mut request = request(&json!([said("go")]), tools(&[name]));
            let (message, _) = ask(&model, &request).await;
            let names: Vec<&str> = message.tool_calls().map(|call| &*call.name).collect();
            assert_eq!(names, [name], "{}", row.api);
            add(&mut request, [message.into()]);
            ask(&model, &request).await;
            for sent in server.requests() {
                let body = sent.json().to_string();
                assert!(body.contains(on_wire), "{}: {body}", row.api);
                assert!(
                    !body.contains(&format!("\"{name}\"")),
                    "{}: {body}",
                    row.api
                );
            }
        }
    }
}
