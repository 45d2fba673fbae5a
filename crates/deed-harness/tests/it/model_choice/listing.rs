use deed_harness::model_choice::{ModelObject, next_model, next_thinking, thinking_levels};
use deed_models::ModelSpec;
use deed_protocol::ThinkingLevel;
use serde_json::json;

use super::server::ModelServer;
use super::{Around, wish};

fn name_of(spec: &ModelSpec) -> String {
    format!("{}/{}", spec.provider, spec.id)
}

/// A gateway with two models, whose key is set or not, and a server here with one.
fn around(server: &ModelServer, keys: &[(&'static str, &'static str)]) -> Around {
    Around::variables(keys).providers(json!({
        "gateway": {
            "baseUrl": "http://g.test/v1", "api": "chat", "keyVariables": ["GATEWAY_KEY"],
            "models": [
                { "id": "a", "name": "Model A", "contextWindow": 1000, "maxTokens": 100,
                  "input": ["text", "image"], "thinkingLevels": ["low", "high"],
                  "cost": { "input": 1, "output": 2.5, "cacheRead": 0.1, "cacheWrite": 1.25 } },
                { "id": "b" },
            ],
        },
        "ollama": { "baseUrl": format!("{}/v1", server.address) },
    }))
}

#[tokio::test]
async fn what_can_be_asked_is_listed_apart_from_what_could() {
    let server = ModelServer::having(&["tiny"]);
    let chooser = around(&server, &[("GATEWAY_KEY", "k")]).chooser().unwrap();
    let available = chooser.available().await;
    let names: Vec<String> = available.iter().map(name_of).collect();
    assert_eq!(names, ["gateway/a", "gateway/b", "ollama/tiny"]);
    let all = chooser.list().await;
    assert!(all.len() > 20, "{}", all.len());
    let mut unavailable = all.iter().filter(|model| !model.is_available);
    assert!(unavailable.any(|model| &*model.spec.provider == "anthropic"));
    let chooser = around(&server, &[]).chooser().unwrap();
    let names: Vec<String> = chooser.available().await.iter().map(name_of).collect();
    assert_eq!(names, ["ollama/tiny"]);
}

#[tokio::test]
async fn a_client_sees_a_model_as_pi_shows_it() {
    let server = ModelServer::having(&[]);
    let chooser = around(&server, &[("GATEWAY_KEY", "k")]).chooser().unwrap();
    let pick = chooser.choose(&wish("gateway/a")).await.unwrap();
    let object = ModelObject::from(pick.spec.as_deref().unwrap());
    insta::assert_snapshot!(serde_json::to_string_pretty(&object).unwrap(), @r#"
    {
      "id": "a",
      "name": "Model A",
      "api": "openai-completions",
      "provider": "gateway",
      "baseUrl": "http://g.test/v1",
      "reasoning": true,
      "input": [
        "text",
        "image"
      ],
      "contextWindow": 1000,
      "maxTokens": 100,
      "cost": {
        "input": 1.0,
        "output": 2.5,
        "cacheRead": 0.1,
        "cacheWrite": 1.25
      }
    }
    "#);
}

#[tokio::test]
async fn models_and_thinking_levels_go_round() {
    let server = ModelServer::having(&["tiny"]);
    let chooser = around(&server, &[("GATEWAY_KEY", "k")]).chooser().unwrap();
    let models = chooser.available().await;
    let mut current = chooser
        .choose(&wish("gateway/a"))
        .await
        .unwrap()
        .model
        .info()
        .clone();
    let mut seen = Vec::new();
    for _ in 0..3 {
        let next = next_model(&current, &models).unwrap();
        seen.push(name_of(next));
        current = chooser.make(next.clone()).info().clone();
    }
    assert_eq!(seen, ["gateway/b", "ollama/tiny", "gateway/a"]);
    assert!(
        next_model(&current, &models[..1]).is_none(),
        "there is no other"
    );
    assert!(next_model(&current, &[]).is_none());
    let [thinks, plain] = [&models[0], &models[1]];
    use ThinkingLevel::{High, Low, Medium, Off};
    assert_eq!(thinking_levels(thinks), [Off, Low, High]);
    assert_eq!(thinking_levels(plain), [Off]);
    let next = [Off, Low, High, Medium].map(|level| next_thinking(thinks, level));
    assert_eq!(next, [Some(Low), Some(High), Some(Off), Some(Off)]);
    assert_eq!(next_thinking(plain, Off), None);
}
