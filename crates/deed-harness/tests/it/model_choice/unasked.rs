use deed_harness::model_choice::{ModelNotice, ModelWish, PickedBy};
use serde_json::json;

use super::server::{ModelServer, nobody};
use super::{Around, told};

#[tokio::test]
async fn the_first_provider_whose_key_is_set_counts() {
    let none = ModelWish::default();
    let keys = [("MISTRAL_API_KEY", "k"), ("OPENAI_API_KEY", "k")];
    let told = told(Around::variables(&keys).choose(&none).await);
    assert!(
        told.starts_with("openai/") && told.ends_with(" Key"),
        "{told}"
    );
    let blank = [("OPENAI_API_KEY", " "), ("MISTRAL_API_KEY", "k")];
    let told = super::told(Around::variables(&blank).choose(&none).await);
    assert!(told.starts_with("mistral/"), "{told}");
}

#[tokio::test]
async fn a_provider_of_the_settings_that_wants_no_key_counts_too() {
    let gateway = json!({ "gateway": { "baseUrl": "http://g.test/v1", "api": "chat",
        "models": [{ "id": "m" }] } });
    let around = Around::default().providers(gateway);
    assert_eq!(
        told(around.choose(&ModelWish::default()).await),
        "gateway/m off Key"
    );
}

#[tokio::test]
async fn a_server_on_this_machine_is_found_without_any_setting_but_its_port() {
    let server = ModelServer::having(&["tiny", "other"]);
    let ollama = json!({ "ollama": { "baseUrl": format!("{}/v1", server.address) } });
    let pick = Around::default()
        .providers(ollama)
        .choose(&ModelWish::default())
        .await;
    let pick = pick.unwrap();
    assert_eq!(pick.by, PickedBy::LocalServer);
    assert!(matches!(pick.notices[..], [ModelNotice::Local { .. }]));
    assert_eq!(
        told(Ok(pick)),
        format!(
            "ollama/tiny off LocalServer\nno model was named; tiny of the server at {} answers",
            server.address
        )
    );
}

#[tokio::test]
async fn with_nothing_at_all_three_lines_say_what_to_do() {
    let silent = json!({ "ollama": { "baseUrl": format!("{}/v1", nobody()) } });
    let around = Around::default().providers(silent);
    let error = around.choose(&ModelWish::default()).await.unwrap_err();
    insta::assert_snapshot!(error, @"
    there is no model: no key of a provider is set, and no model server answers on this machine
    a provider: `deed auth set anthropic`, or openai, google, openrouter, …; or set its variable, such as ANTHROPIC_API_KEY
    this machine: start a server, such as `ollama serve`; to watch Deed without any model, run `deed demo`
    ");
    assert_eq!(error.lines().count(), 3);
}

#[tokio::test]
async fn a_key_that_is_set_and_cannot_be_had_is_the_reason() {
    let openai = json!({ "openai": { "apiKey": "env:MY_KEY" } });
    let error = Around::default().providers(openai.clone());
    assert_eq!(
        told(error.choose(&ModelWish::default()).await),
        "error: the key of openai should be in the variable MY_KEY, according to the settings, and \
         it is not set; set it, or name another place"
    );
    let around = Around::variables(&[("GROQ_API_KEY", "k")]).providers(openai);
    let pick = around.choose(&ModelWish::default()).await.unwrap();
    assert_eq!(&*pick.model.info().provider, "groq");
    assert!(matches!(pick.notices[..], [ModelNotice::Key(_)]));
}
