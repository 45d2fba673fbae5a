use deed_models::{Api, LOCAL_ENDPOINTS, LocalModel, find_local_at};
use deed_protocol::ThinkingLevel;
use serde_json::{Value, json};

use crate::support::{Reply, Server, transport};

fn answer(body: &Value) -> Reply {
    Reply::status(200, &[], &body.to_string())
}

fn list(owner: &str, rows: &[Value]) -> Reply {
    let rows: Vec<Value> = rows
        .iter()
        .map(|row| {
            let mut row = row.clone();
            row["owned_by"] = owner.into();
            row
        })
        .collect();
    answer(&json!({ "object": "list", "data": rows }))
}

#[test]
fn the_usual_places_are_on_this_machine() {
    insta::assert_debug_snapshot!(LOCAL_ENDPOINTS, @r#"
    [
        (
            "ollama",
            "http://127.0.0.1:11434",
        ),
        (
            "llama.cpp",
            "http://127.0.0.1:8080",
        ),
        (
            "lmstudio",
            "http://127.0.0.1:1234",
        ),
        (
            "vllm",
            "http://127.0.0.1:8000",
        ),
    ]
    "#);
}

#[tokio::test]
async fn what_answers_is_found_and_what_does_not_is_passed_over() {
    let one = Server::start([list(
        "",
        &[json!({ "id": "a" }), json!({ "id": "nomic-embed" })],
    )])
    .await;
    let two = Server::start([list("vllm", &[json!({ "id": "b", "max_model_len": 8192 })])]).await;
    let page = Server::start([Reply::status(200, &[], "<html>")]).await;
    let refusing = Server::start([Reply::status(404, &[], "{}")]).await;
    let silent = Server::start([Reply::default().hang()]).await;
    let places = [
        ("ollama", one.root.as_str()),
        ("x", page.root.as_str()),
        ("x", refusing.root.as_str()),
        ("x", silent.root.as_str()),
        ("x", "http://127.0.0.1:1"),
        // What it says it is counts more than where it is.
        ("llama.cpp", two.root.as_str()),
    ];
    let found = find_local_at(&transport(), &places).await;
    let told: Vec<(&str, &str, &[LocalModel])> = found
        .iter()
        .map(|server| (&*server.provider, &*server.root, &*server.models))
        .collect();
    let model = |id: &str, context_window| LocalModel {
        id: id.to_owned(),
        context_window,
    };
    let wanted: [(&str, &str, &[LocalModel]); 2] = [
        ("ollama", &one.root, &[model("a", 0)]),
        ("vllm", &two.root, &[model("b", 8192)]),
    ];
    assert_eq!(told, wanted);
    assert_eq!(one.requests()[0].line, "GET /v1/models HTTP/1.1");
}

/// Finds the one server at an address and asks for its first model.
async fn spec_of(provider: &str, server: &Server) -> deed_models::ModelSpec {
    let transport = transport();
    let found = find_local_at(&transport, &[(provider, &server.root)]).await;
    found[0].spec(&transport, &found[0].models[0]).await
}

#[tokio::test]
async fn ollama_is_asked_what_a_model_can_do_and_how_it_is_set() {
    let shown = json!({ "capabilities": ["completion", "tools", "vision", "thinking"],
        "parameters": "temperature    1\nnum_ctx                        16384",
        "model_info": { "qwen3.context_length": 262144 } });
    let server = Server::start([
        list("library", &[json!({ "id": "qwen3:8b" })]),
        answer(&shown),
    ])
    .await;
    let spec = spec_of("ollama", &server).await;
    assert_eq!(
        (&*spec.provider, &*spec.id, spec.api),
        ("ollama", "qwen3:8b", Api::Chat)
    );
    assert_eq!(spec.base_url, format!("{}/v1", server.root));
    assert_eq!((spec.context_window, spec.takes_images), (16384, true));
    assert!(spec.thinking_levels.contains(&ThinkingLevel::High));
    let asked = &server.requests()[1];
    assert_eq!(asked.line, "POST /api/show HTTP/1.1");
    assert_eq!(asked.json(), json!({ "model": "qwen3:8b" }));
}

#[tokio::test]
async fn a_running_model_of_ollama_has_the_size_that_it_runs_with() {
    let server = Server::start([
        list("library", &[json!({ "id": "a" })]),
        answer(&json!({ "capabilities": ["completion"] })),
        answer(&json!({ "models": [{ "model": "b", "context_length": 1 }, { "model": "a", "context_length": 4096 }] })),
    ])
    .await;
    let spec = spec_of("ollama", &server).await;
    assert_eq!((spec.context_window, spec.takes_images), (4096, false));
    assert_eq!(spec.thinking_levels, []);
}

#[tokio::test]
async fn llama_cpp_tells_its_properties() {
    let props = json!({ "default_generation_settings": { "n_ctx": 32768 }, "modalities": { "vision": true },
        "chat_template": "{% if enable_thinking %}" });
    let server = Server::start([
        list(
            "llamacpp",
            &[json!({ "id": "m.gguf", "meta": { "n_ctx_train": 131072 } })],
        ),
        answer(&props),
    ])
    .await;
    let spec = spec_of("llama.cpp", &server).await;
    assert_eq!((spec.context_window, spec.takes_images), (32768, true));
    assert_eq!(spec.thinking_levels, [ThinkingLevel::Medium]);
    assert_eq!(server.requests()[1].line, "GET /props HTTP/1.1");
}

#[tokio::test]
async fn lm_studio_tells_the_size_that_is_loaded() {
    let rows = json!({ "data": [{ "id": "other" },
        { "id": "m", "type": "vlm", "max_context_length": 131072, "loaded_context_length": 8192 }] });
    let server = Server::start([
        list("organization_owner", &[json!({ "id": "m" })]),
        answer(&rows),
    ])
    .await;
    let spec = spec_of("lmstudio", &server).await;
    assert_eq!((spec.context_window, spec.takes_images), (8192, true));
}

#[tokio::test]
async fn what_a_server_does_not_say_stays_open() {
    let server = Server::start([
        list("library", &[json!({ "id": "a" })]),
        Reply::status(500, &[], "oh"),
    ])
    .await;
    let spec = spec_of("ollama", &server).await;
    assert_eq!((spec.context_window, spec.takes_images), (0, false));
}
