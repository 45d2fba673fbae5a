use deed_harness::model_choice::ModelWish;
use deed_harness::settings::Settings;
use deed_protocol::ThinkingLevel;
use deed_session::ModelChoice;
use serde_json::json;

use super::{Around, told, wish};

const KEYS: &[(&str, &str)] = &[("ANTHROPIC_API_KEY", "k")];

async fn chosen(wish: &ModelWish) -> String {
    told(Around::variables(KEYS).choose(wish).await)
}

fn thinking(model: &str, level: ThinkingLevel) -> ModelWish {
    ModelWish {
        thinking: Some(level),
        ..wish(model)
    }
}

#[tokio::test]
async fn a_model_is_named_whole_or_in_part() {
    for (name, expected) in [
        (
            "anthropic/claude-opus-5-5",
            "anthropic/claude-opus-5-5 medium Wish",
        ),
        ("claude-opus-5-5", "anthropic/claude-opus-5-5 medium Wish"),
        (
            "claude-opus-5-5:high",
            "anthropic/claude-opus-5-5 high Wish",
        ),
        (
            "anthropic/claude-of-next-year",
            "anthropic/claude-of-next-year medium Wish",
        ),
    ] {
        assert_eq!(chosen(&wish(name)).await, expected, "{name}");
    }
}

#[tokio::test]
async fn a_name_that_no_model_has_is_told_with_near_ones() {
    let unknown = chosen(&wish("claude-opuss-5-5")).await;
    assert!(
        unknown.starts_with("error: no model \"claude-opuss-5-5\" is known (near: anthropic/"),
        "{unknown}"
    );
    let wish = ModelWish {
        provider: Some("antropic".to_owned()),
        ..wish("x")
    };
    let unknown = chosen(&wish).await;
    assert!(
        unknown.contains("no provider \"antropic\" is known (near: anthropic"),
        "{unknown}"
    );
}

#[tokio::test]
async fn of_several_providers_the_one_with_a_key_is_meant() {
    let gateways = json!({
        "one": { "baseUrl": "http://one.test/v1", "api": "chat", "keyVariables": ["ONE"],
            "models": [{ "id": "shared-model" }] },
        "two": { "baseUrl": "http://two.test/v1", "api": "chat", "keyVariables": ["TWO"],
            "models": [{ "id": "shared-model" }] },
    });
    let around =
        |keys: &[(&'static str, &'static str)]| Around::variables(keys).providers(gateways.clone());
    let pick = around(&[("TWO", "k")]).choose(&wish("shared-model")).await;
    assert_eq!(told(pick), "two/shared-model off Wish");
    let both: &[_] = &[("ONE", "k"), ("TWO", "k")];
    for keys in [both, &[]] {
        assert_eq!(
            told(around(keys).choose(&wish("shared-model")).await),
            "error: \"shared-model\" may be any of one/shared-model, two/shared-model; write more of \
             the name"
        );
    }
}

#[tokio::test]
async fn a_missing_key_is_told_before_anything_is_sent() {
    let missing = chosen(&wish("openai/gpt-4.1")).await;
    assert_eq!(
        missing,
        "error: there is no key for openai; run `deed auth set openai`, or set OPENAI_API_KEY"
    );
    let given = ModelWish {
        api_key: Some("k".to_owned()),
        ..wish("openai/gpt-4.1")
    };
    assert_eq!(chosen(&given).await, "openai/gpt-4.1 off Wish");
    let for_nobody = ModelWish {
        api_key: Some("k".to_owned()),
        ..ModelWish::default()
    };
    assert_eq!(
        chosen(&for_nobody).await,
        "error: --api-key is for one provider; name it with --model or --provider"
    );
}

#[tokio::test]
async fn a_provider_alone_gives_its_usual_model() {
    let wish = ModelWish {
        provider: Some("anthropic".to_owned()),
        ..ModelWish::default()
    };
    let told = chosen(&wish).await;
    assert!(told.starts_with("anthropic/claude-"), "{told}");
}

#[tokio::test]
async fn thinking_is_fitted_to_the_model_and_a_change_is_told() {
    use ThinkingLevel::{High, Off, Xhigh};
    for (wish, expected) in [
        (
            thinking("claude-opus-5-5", Off),
            "anthropic/claude-opus-5-5 off Wish",
        ),
        (
            thinking("claude-opus-5-5:low", High),
            "anthropic/claude-opus-5-5 high Wish",
        ),
        (
            thinking("claude-haiku-4-5", Xhigh),
            "anthropic/claude-haiku-4-5 high Wish\nanthropic/claude-haiku-4-5 does not know the \
             thinking level xhigh; it thinks high",
        ),
    ] {
        assert_eq!(chosen(&wish).await, expected);
    }
    let plain = json!({ "p": { "baseUrl": "http://p.test", "api": "chat",
        "models": [{ "id": "plain" }] } });
    let around = || Around::default().providers(plain.clone());
    let asked = thinking("p/plain", High);
    assert_eq!(
        told(around().choose(&asked).await),
        "p/plain off Wish\np/plain does not know the thinking level high; it thinks off"
    );
    let quiet = told(around().choose(&wish("p/plain")).await);
    assert_eq!(quiet, "p/plain off Wish", "nobody asked it to think");
}

#[tokio::test]
async fn settings_name_a_model_and_its_thinking() {
    let with = |model: Option<&str>, provider: Option<&str>| Around {
        settings: Settings {
            model: model.map(str::to_owned),
            provider: provider.map(str::to_owned),
            thinking: Some(ThinkingLevel::Low),
            ..Settings::default()
        },
        ..Around::variables(KEYS)
    };
    let none = ModelWish::default();
    let named = with(Some("claude-opus-5-5"), None);
    assert_eq!(
        told(named.choose(&none).await),
        "anthropic/claude-opus-5-5 low Settings"
    );
    let own = with(Some("claude-opus-5-5:xhigh"), Some("anthropic"));
    assert_eq!(
        told(own.choose(&none).await),
        "anthropic/claude-opus-5-5 xhigh Settings"
    );
    let provider = told(with(None, Some("anthropic")).choose(&none).await);
    assert!(provider.ends_with(" low Settings"), "{provider}");
    let wished = with(Some("claude-opus-5-5"), None)
        .choose(&wish("claude-sonnet-5"))
        .await;
    assert_eq!(told(wished), "anthropic/claude-sonnet-5 low Wish");
    let wrong = with(Some("no-such-model"), None).choose(&none).await;
    assert!(told(wrong).starts_with("error: no model \"no-such-model\""));
}

#[tokio::test]
async fn a_session_that_goes_on_keeps_its_model() {
    let resumed = |provider: &str, model: &str| ModelWish {
        resumed: Some(ModelChoice {
            provider: provider.to_owned(),
            model_id: model.to_owned(),
        }),
        resumed_thinking: Some(ThinkingLevel::High),
        ..ModelWish::default()
    };
    assert_eq!(
        chosen(&resumed("anthropic", "claude-sonnet-5")).await,
        "anthropic/claude-sonnet-5 high Session"
    );
    let wished = ModelWish {
        model: Some("claude-opus-5-5".to_owned()),
        ..resumed("anthropic", "claude-sonnet-5")
    };
    assert_eq!(
        chosen(&wished).await,
        "anthropic/claude-opus-5-5 medium Wish"
    );
    let gone = chosen(&resumed("openai", "gpt-4.1")).await;
    let (first, notice) = gone.split_once('\n').unwrap();
    assert!(
        first.starts_with("anthropic/") && first.ends_with(" medium Key"),
        "{gone}"
    );
    assert_eq!(
        notice,
        "the session was led with openai/gpt-4.1, which cannot be used now: there is no key for \
         openai; run `deed auth set openai`, or set OPENAI_API_KEY"
    );
}

#[tokio::test]
async fn what_settings_say_wrongly_of_a_provider_is_told() {
    let wrong = json!({ "p": { "api": "telepathy" } });
    let error = told(Around::default().providers(wrong).choose(&wish("x")).await);
    assert!(
        error.starts_with("error: settings: the settings of the provider \"p\" are wrong: "),
        "{error}"
    );
}

#[tokio::test]
async fn a_script_plays_without_a_list_or_a_key() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("s.json"), r#"[{"say":"hi"}]"#).unwrap();
    std::fs::write(folder.path().join("bad.json"), "[").unwrap();
    let around = || Around {
        cwd: folder.path().to_owned(),
        ..Around::default()
    };
    let steady = |text: String| text.replace(folder.path().to_str().unwrap(), "CWD");
    let played = around().choose(&wish("script:s.json")).await;
    assert_eq!(told(played), "script/script off Wish");
    let bad = steady(told(around().choose(&wish("script:bad.json")).await));
    assert!(
        bad.starts_with("error: the script CWD/bad.json: line 1, column"),
        "{bad}"
    );
    let gone = steady(told(around().choose(&wish("script:gone")).await));
    assert!(
        gone.starts_with("error: the script CWD/gone: No such file"),
        "{gone}"
    );
}
