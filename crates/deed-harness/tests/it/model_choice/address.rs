use deed_harness::model_choice::ModelWish;
use deed_models::Api;
use deed_protocol::ThinkingLevel;
use serde_json::json;

use super::server::{ModelServer, nobody};
use super::{Around, ask, provider_at, told, wish};

fn at(address: &str, model: Option<&str>) -> ModelWish {
    ModelWish {
        model: model.map(str::to_owned),
        base_url: Some(format!("{address}/v1/")),
        ..ModelWish::default()
    }
}

#[tokio::test]
async fn an_address_a_model_and_a_key_need_no_list() {
    let server = ModelServer::having(&[]);
    let chooser = Around::variables(&[("OPENAI_API_KEY", "of-openai")])
        .chooser()
        .unwrap();
    let wish = ModelWish {
        api: Some(Api::Chat),
        api_key: Some("given".to_owned()),
        thinking: Some(ThinkingLevel::Off),
        ..at(&server.address, Some("mock"))
    };
    let pick = chooser.choose(&wish).await.unwrap();
    assert_eq!(ask(pick.model.as_ref()).await.error_message, None);
    assert_eq!(server.asked(), ["/v1/chat/completions Bearer given"]);
    let list = format!("{:?}", chooser.catalogue());
    assert!(list.contains("uninit"), "the list was read: {list}");
    assert_eq!(told(Ok(pick)), "custom/mock off Wish");
}

#[tokio::test]
async fn without_a_key_of_its_own_none_is_sent_to_an_address() {
    let server = ModelServer::having(&[]);
    let around = Around::variables(&[("OPENAI_API_KEY", "of-openai")]);
    let pick = around
        .choose(&at(&server.address, Some("gpt-4.1")))
        .await
        .unwrap();
    assert_eq!(ask(pick.model.as_ref()).await.error_message, None);
    assert_eq!(server.asked(), ["/v1/chat/completions -"]);
}

#[tokio::test]
async fn a_provider_that_is_named_is_reached_there_with_its_key() {
    let server = ModelServer::having(&[]);
    let around = Around::variables(&[("GROQ_API_KEY", "of-groq")]);
    let wish = ModelWish {
        provider: Some("groq".to_owned()),
        ..at(&server.address, Some("some-new-model"))
    };
    let pick = around.choose(&wish).await.unwrap();
    assert_eq!(ask(pick.model.as_ref()).await.error_message, None);
    assert_eq!(server.asked(), ["/v1/chat/completions Bearer of-groq"]);
}

#[tokio::test]
async fn what_nobody_knows_of_a_model_the_person_may_know() {
    let wish = ModelWish {
        thinking: Some(ThinkingLevel::High),
        ..at("http://localhost:1", Some("x"))
    };
    assert_eq!(
        told(Around::default().choose(&wish).await),
        "custom/x high Wish"
    );
    let wish = at("http://localhost:1", Some("x"));
    assert_eq!(
        told(Around::default().choose(&wish).await),
        "custom/x off Wish"
    );
}

#[tokio::test]
async fn the_only_model_of_a_server_needs_no_name() {
    let one = ModelServer::having(&["only"]);
    let wish = at(&one.address, None);
    assert_eq!(
        told(Around::default().choose(&wish).await),
        "custom/only off Wish"
    );
    let two = ModelServer::having(&["a", "b"]);
    let several = told(Around::default().choose(&at(&two.address, None)).await);
    assert_eq!(
        several,
        format!(
            "error: --base-url {}/v1 needs --model; it has a, b",
            two.address
        )
    );
    let silent = nobody();
    assert_eq!(
        told(Around::default().choose(&at(&silent, None)).await),
        format!("error: --base-url {silent}/v1 needs --model")
    );
}

#[tokio::test]
async fn an_address_that_is_none_is_told() {
    let wish = ModelWish {
        base_url: Some("localhost:8080".to_owned()),
        ..wish("x")
    };
    assert_eq!(
        told(Around::default().choose(&wish).await),
        "error: --base-url localhost:8080: an address begins with http:// or https://"
    );
}

#[tokio::test]
async fn a_key_of_the_command_line_goes_to_no_other_provider() {
    let [one, two] = [ModelServer::having(&[]), ModelServer::having(&[])];
    let providers = json!({
        "one": provider_at(&one.address),
        "two": provider_at(&two.address),
    });
    let chooser = Around::default().providers(providers).chooser().unwrap();
    let asked = ModelWish {
        api_key: Some("given".to_owned()),
        ..wish("one/m")
    };
    let first = chooser.choose(&asked).await.unwrap();
    let second = chooser.choose(&wish("two/m")).await.unwrap();
    let again = chooser
        .choose(&ModelWish::exactly("one", "m"))
        .await
        .unwrap();
    for pick in [&first, &second, &again] {
        assert_eq!(ask(pick.model.as_ref()).await.error_message, None);
    }
    let path = "/v1/chat/completions";
    let with_key = format!("{path} Bearer given");
    assert_eq!(one.asked(), [with_key.clone(), with_key]);
    assert_eq!(two.asked(), [format!("{path} -")]);
    let shown = format!("{asked:?} {first:?} {chooser:?}");
    assert!(!shown.contains("given"), "{shown}");
}
