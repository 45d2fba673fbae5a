use deed_harness::model_choice::ModelWish;
use serde_json::{Value, json};

use super::server::{ModelServer, nobody};
use super::{Around, ask, told, wish};

fn ollama_at(address: &str) -> Value {
    json!({ "ollama": { "baseUrl": format!("{address}/v1") } })
}

#[tokio::test]
async fn a_model_of_a_server_here_is_named_with_or_without_it() {
    let server = ModelServer::having(&["tiny:latest", "big"]);
    for (name, expected) in [
        ("ollama/big", "ollama/big off Wish"),
        ("big", "ollama/big off Wish"),
        ("ollama/tiny", "ollama/tiny off Wish"),
    ] {
        let around = Around::default().providers(ollama_at(&server.address));
        let pick = around.choose(&wish(name)).await.unwrap();
        assert_eq!(ask(pick.model.as_ref()).await.error_message, None);
        assert_eq!(told(Ok(pick)), expected);
    }
    assert_eq!(server.asked().len(), 3);
    let around = Around::default().providers(ollama_at(&server.address));
    assert_eq!(
        told(around.choose(&wish("ollama/huge")).await),
        format!(
            "error: ollama at {} has no model \"huge\"; it has tiny:latest, big",
            server.address
        )
    );
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_told_or_left_to_the_first_request() {
    let address = nobody();
    let provider = ModelWish {
        provider: Some("ollama".to_owned()),
        ..ModelWish::default()
    };
    let around = || Around::default().providers(ollama_at(&address));
    let silent = told(around().choose(&provider).await);
    assert_eq!(
        silent,
        format!(
            "error: ollama does not answer at {address}; start it, or set `providers.ollama.baseUrl`"
        )
    );
    let pick = around().choose(&wish("ollama/x")).await.unwrap();
    let error = ask(pick.model.as_ref()).await.error_message.unwrap();
    assert!(error.contains(&address), "{error}");
}

#[tokio::test]
async fn a_provider_here_gives_the_first_model_it_has() {
    let server = ModelServer::having(&["first", "second"]);
    let provider = ModelWish {
        provider: Some("ollama".to_owned()),
        ..ModelWish::default()
    };
    let around = Around::default().providers(ollama_at(&server.address));
    assert_eq!(
        told(around.choose(&provider).await),
        "ollama/first off Wish"
    );
}
