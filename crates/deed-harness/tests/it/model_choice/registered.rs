//! Providers that extensions add while the program runs.

use deed_extensions::ModelSource;
use deed_protocol::ThinkingLevel;
use serde_json::json;

use super::server::ModelServer;
use super::{Around, ask, provider_at};

#[tokio::test]
async fn a_registered_provider_is_listed_and_asked_with_its_key() {
    let server = ModelServer::having(&[]);
    let chooser = Around::default().chooser().unwrap();
    let mut provider = provider_at(&server.address);
    provider["apiKey"] = "secret".into();
    provider["models"] = json!([{ "id": "m", "reasoning": true }]);
    ModelSource::register(&chooser, "mine", provider).unwrap();
    let listed = ModelSource::list(&chooser).await;
    let found = listed.iter().find(|model| &*model.provider == "mine");
    let found = found.unwrap();
    assert!(found.is_available);
    assert_eq!(found.facts["id"], "m");
    let made = ModelSource::make(&chooser, "mine", "m", ThinkingLevel::High).await;
    let made = made.unwrap();
    assert_eq!(made.thinking, ThinkingLevel::High);
    assert_eq!(ask(made.model.as_ref()).await.error_message, None);
    assert_eq!(server.asked(), ["/v1/chat/completions Bearer secret"]);
}

#[tokio::test]
async fn one_that_is_taken_back_is_gone_and_those_of_the_settings_stay() {
    let around = Around::default().providers(json!({ "set": provider_at("http://127.0.0.1:1") }));
    let chooser = around.chooser().unwrap();
    ModelSource::register(&chooser, "mine", provider_at("http://127.0.0.1:1")).unwrap();
    ModelSource::unregister(&chooser, "mine");
    let listed = ModelSource::list(&chooser).await;
    assert!(listed.iter().any(|model| &*model.provider == "set"));
    assert!(!listed.iter().any(|model| &*model.provider == "mine"));
}

#[tokio::test]
async fn one_that_makes_no_sense_is_refused_by_name() {
    let chooser = Around::default().chooser().unwrap();
    let wrong = ModelSource::register(&chooser, "mine", json!({ "api": "smoke-signals" }));
    let wrong = wrong.unwrap_err();
    assert!(
        wrong.starts_with("the provider mine is not registered: "),
        "{wrong}"
    );
    assert!(wrong.contains("smoke-signals"), "{wrong}");
}
