//! How servers say that a transcript does not fit, and what only looks like it.

use std::sync::Arc;

use deed_models::{Api, RemoteModel, StaticKey};
use deed_protocol::ErrorKind;
use serde_json::json;

use crate::support::{Reply, Server, ask, request, spec, tools, transport};

/// What servers answer, in words of the same form as theirs.
const OVERFLOWS: &[(&str, u16, &str)] = &[
    (
        "openai",
        400,
        r#"{"error":{"message":"This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.","code":"context_length_exceeded"}}"#,
    ),
    (
        "anthropic",
        400,
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#,
    ),
    (
        "anthropic",
        400,
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000"}}"#,
    ),
    (
        "anthropic",
        413,
        r#"{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}"#,
    ),
    (
        "gemini",
        400,
        r#"[{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]"#,
    ),
    (
        "llama.cpp",
        400,
        r#"{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_ctx":4096}}"#,
    ),
    (
        "llama-cpp-python",
        400,
        r#"{"error":{"message":"Requested tokens (3000) exceed context window of 2048","type":"invalid_request_error","code":null}}"#,
    ),
    (
        "lm studio",
        400,
        r#"{"error":"Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens"}"#,
    ),
    (
        "vllm",
        400,
        r#"{"object":"error","message":"This model's maximum context length is 8192 tokens.","type":"BadRequestError","code":400}"#,
    ),
    (
        "ollama",
        400,
        r#"{"error":{"message":"prompt too long; exceeded max context length by 100 tokens","type":"api_error"}}"#,
    ),
    (
        "groq",
        400,
        r#"{"error":{"message":"Please reduce the length of the messages or completion.","type":"invalid_request_error","code":"context_length_exceeded"}}"#,
    ),
    (
        "xai",
        400,
        r#"{"code":"Client specified an invalid argument","error":"This model's maximum prompt length is 131072 but the request contains 200000 tokens."}"#,
    ),
    (
        "mistral",
        400,
        r#"{"object":"error","message":"Prompt contains 40000 tokens, too large for model with 32768 maximum context length","type":"invalid_request_error"}"#,
    ),
    (
        "openrouter",
        400,
        r#"{"error":{"message":"This endpoint's maximum context length is 65536 tokens.","code":400}}"#,
    ),
    (
        "tgi",
        422,
        r#"{"error":"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096","error_type":"validation"}"#,
    ),
    ("a gateway", 413, ""),
    (
        "a gateway",
        500,
        r#"{"error":{"message":"upstream: input is too long for requested model"}}"#,
    ),
];

/// What is something else, and what.
const OTHERS: &[(u16, &str, ErrorKind)] = &[
    (
        429,
        r#"{"error":{"message":"Request too large for acme-1 on tokens per min (TPM): Limit 30000, Requested 40000. Reduce the length of the messages.","code":"rate_limit_exceeded"}}"#,
        ErrorKind::RateLimit,
    ),
    (
        429,
        r#"{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","code":"insufficient_quota"}}"#,
        ErrorKind::Quota,
    ),
    (
        402,
        r#"{"error":{"message":"Insufficient Balance"}}"#,
        ErrorKind::Quota,
    ),
    (
        400,
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low"}}"#,
        ErrorKind::Quota,
    ),
    (
        400,
        r#"{"error":{"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}"#,
        ErrorKind::Auth,
    ),
    (
        403,
        r#"{"error":{"message":"country not supported"}}"#,
        ErrorKind::Auth,
    ),
    (
        400,
        r#"{"error":{"message":"messages.1: tool_use ids must be unique","type":"invalid_request_error"}}"#,
        ErrorKind::InvalidRequest,
    ),
    (
        422,
        r#"{"detail":[{"loc":["body","messages"],"msg":"field required"}]}"#,
        ErrorKind::InvalidRequest,
    ),
    (404, r#"{"detail":"Not Found"}"#, ErrorKind::NotFound),
    (
        500,
        r#"{"error":{"message":"The server had an error","type":"server_error"}}"#,
        ErrorKind::Server,
    ),
    (500, "", ErrorKind::Server),
    (502, "Bad Gateway", ErrorKind::Server),
    (
        503,
        r#"{"error":{"message":"Loading model","type":"unavailable_error","code":503}}"#,
        ErrorKind::Overloaded,
    ),
    (
        529,
        r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
        ErrorKind::Overloaded,
    ),
    (408, "", ErrorKind::Timeout),
    (418, "", ErrorKind::InvalidRequest),
];

async fn kind_of(status: u16, body: &str) -> (ErrorKind, String) {
    let server = Server::start([Reply::status(status, &[], body)]).await;
    let spec = spec(Api::Chat, format!("{}/v1", server.root));
    let model = RemoteModel::new(spec, Arc::new(StaticKey(None)), transport(), || 0);
    let (message, _) = ask(&model, &request(&json!([]), tools(&[]))).await;
    (message.error_kind.unwrap(), message.error_message.unwrap())
}

#[tokio::test]
async fn what_does_not_fit_is_told_apart_from_all_else() {
    for (server, status, body) in OVERFLOWS {
        let (kind, text) = kind_of(*status, body).await;
        assert_eq!(kind, ErrorKind::ContextOverflow, "{server}: {text}");
        assert!(
            text.starts_with("the transcript does not fit acme-1"),
            "{text}"
        );
    }
    for (status, body, wanted) in OTHERS {
        let (kind, text) = kind_of(*status, body).await;
        assert_eq!(kind, *wanted, "{status} {body}: {text}");
    }
}

#[tokio::test]
async fn what_a_provider_says_is_cut_and_on_one_line() {
    let long = "ä\n\t".repeat(5_000);
    let body = json!({ "error": { "message": long } }).to_string();
    let (_, text) = kind_of(400, &body).await;
    assert!(text.chars().count() < 500 && !text.contains('\n'), "{text}");
}

#[tokio::test]
async fn google_says_in_the_body_when_to_come_back() {
    let body = json!({ "error": { "code": 429, "status": "RESOURCE_EXHAUSTED", "message": "Quota per minute",
        "details": [{ "@type": "x" }, { "@type": "RetryInfo", "retryDelay": "13.5s" }] } });
    let server = Server::start([Reply::status(429, &[], &body.to_string())]).await;
    let spec = spec(Api::Chat, format!("{}/v1", server.root));
    let model = RemoteModel::new(spec, Arc::new(StaticKey(None)), transport(), || 0);
    let (message, _) = ask(&model, &request(&json!([]), tools(&[]))).await;
    assert_eq!(message.retry_after_ms, Some(13_500));
}
