use deed_models::Api;
use serde_json::{Value, json};

use super::{Played, Row, Sent};

pub(super) const ROW: Row = Row {
    api: Api::Gemini,
    base: "/v1beta",
    answer,
    end_events: 1,
    streams_arguments: false,
    overload_event: "data: {\"error\":{\"code\":503,\"message\":\"The model is overloaded. Please try again later.\",\"status\":\"UNAVAILABLE\"}}\n\n",
    overload: (
        503,
        r#"{"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}"#,
    ),
    overflow: (
        400,
        r#"{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}"#,
    ),
    unknown_model: (
        404,
        r#"{"error":{"code":404,"message":"models/acme-1 is not found for API version v1beta","status":"NOT_FOUND"}}"#,
    ),
    wrong_key: (
        401,
        r#"{"error":{"code":401,"message":"API key not valid: KEY","status":"UNAUTHENTICATED"}}"#,
    ),
    sent,
};

fn chunk(part: Option<Value>, reason: Option<&str>) -> String {
    let mut candidate = json!({ "index": 0 });
    if let Some(part) = part {
        candidate["content"] = json!({ "parts": [part], "role": "model" });
    }
    let mut chunk = json!({ "modelVersion": "acme-1-0613", "responseId": "resp_1",
        "usageMetadata": { "promptTokenCount": 100, "cachedContentTokenCount": 10 } });
    if let Some(reason) = reason {
        candidate["finishReason"] = json!(reason);
        chunk["usageMetadata"] = json!({ "promptTokenCount": 100, "cachedContentTokenCount": 10,
            "candidatesTokenCount": 15, "thoughtsTokenCount": 5, "totalTokenCount": 120 });
    }
    chunk["candidates"] = json!([candidate]);
    format!("data: {chunk}\r\n\r\n")
}

fn answer(played: &Played) -> Vec<String> {
    let pieces = |text: &'static str| text.split_inclusive(' ').filter(|piece| !piece.is_empty());
    let thoughts = pieces(played.thought).map(|it| json!({ "text": it, "thought": true }));
    let texts = pieces(played.text).map(|it| json!({ "text": it }));
    let calls = played.calls.iter().map(|call| {
        let args: Value = serde_json::from_str(&call.arguments.concat()).unwrap();
        json!({ "functionCall": { "id": call.id, "name": call.name, "args": args },
                "thoughtSignature": "SIG" })
    });
    let parts = thoughts.chain(texts).chain(calls);
    let mut events: Vec<String> = parts.map(|part| chunk(Some(part), None)).collect();
    events.push(chunk(None, Some("STOP")));
    events
}

fn sent(body: &Value) -> Sent {
    let mut sent = Sent::default();
    for content in body["contents"].as_array().unwrap() {
        for part in content["parts"].as_array().unwrap() {
            take(part, &mut sent);
        }
    }
    sent
}

fn take(part: &Value, sent: &mut Sent) {
    if let Some(call) = part.get("functionCall") {
        sent.steps
            .push(format!("call {}", call["id"].as_str().unwrap()));
    }
    if let Some(response) = part.get("functionResponse") {
        let id = response["id"].as_str().unwrap();
        sent.steps.push(format!("result {id}"));
        for inner in response["parts"].as_array().into_iter().flatten() {
            take(inner, sent);
        }
    }
    if let Some(data) = part.get("inlineData") {
        assert_eq!(data["mimeType"], "image/png");
        sent.images.push(data["data"].as_str().unwrap().to_owned());
    }
}
