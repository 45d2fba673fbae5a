//! Models by name.

use deed_models::catalogue::{FindError, Found, FoundBy, Overrides};
use deed_models::{Api, Catalogue, PriceTier, Prices, ThinkingStyle, cost};
use deed_protocol::{ThinkingLevel, Usage};
use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::{Value, json};

fn overrides(value: &Value) -> Overrides {
    Overrides::read(value).unwrap()
}

fn shown(found: &Found) -> String {
    let spec = &found.spec;
    let thinking = found.thinking.map(|level| format!(" :{level}"));
    let thinking = thinking.unwrap_or_default();
    format!(
        "{}/{}{thinking} ({:?}) {} {}",
        spec.provider, spec.id, found.by, spec.api, spec.base_url
    )
}

#[test]
fn the_list_that_comes_with_the_program_is_sound() {
    let file: Value = serde_json::from_str(include_str!("../../catalogue/models.json")).unwrap();
    let listed = file["providers"].as_object().unwrap();
    assert!(Overrides::read(&file).is_ok());
    let catalogue = Catalogue::bundled();
    assert!(
        catalogue
            .providers()
            .map(|it| it.id)
            .eq(listed.keys().cloned())
    );
    for provider in catalogue.providers() {
        assert!(provider.is_local || !provider.key_variables.is_empty());
        if !provider.is_local {
            let default = catalogue.default_of(&provider.id).unwrap();
            assert_eq!(default.by, FoundBy::Name, "{}", provider.id);
        }
    }
    let mut count = 0;
    for model in catalogue.models() {
        count += 1;
        let name = format!("{}/{}", model.provider, model.id);
        let found = catalogue.find(&name, None).unwrap();
        assert_eq!((found.by, &found.spec.id), (FoundBy::Name, &model.id));
        assert!(model.context_window >= 100_000, "{name}");
        assert!(model.max_output_tokens <= model.context_window, "{name}");
        assert!(model.prices.input > 0.0 && model.prices.output >= model.prices.input);
        assert!(model.prices.cache_read < model.prices.input, "{name}");
        for tier in &model.prices.tiers {
            assert!(
                tier.input_tokens_above < model.context_window,
                "{name} cannot reach it: {tier:?}"
            );
            assert!(
                tier.input > model.prices.input && tier.output > model.prices.output,
                "{name} gets no dearer: {tier:?}"
            );
        }
    }
    assert!((25..=50).contains(&count), "{count}");
}

#[test]
fn a_model_is_found_by_its_whole_name_or_a_part_that_fits_no_other() {
    let catalogue = Catalogue::bundled();
    let rows = [
        ("anthropic/claude-opus-5-5", None),
        ("claude-opus-5-5", None),
        ("claude-opus-5-5:high", None),
        ("fable", None),
        ("Haiku 4", None),
        ("gpt-5.3", None),
        ("openai/gpt-5.5", None),
        ("openai/gpt-5.5", Some("openrouter")),
        ("openai/gpt-oss-20b", None),
        ("sonnet", Some("openrouter")),
        ("google/luna", Some("openai")),
        (" grok-4.6 ", None),
        ("gpt-6-luna:off", Some("openai")),
    ];
    let lines: Vec<String> = rows
        .iter()
        .map(
            |(pattern, provider)| match catalogue.find(pattern, *provider) {
                Ok(found) => format!("{pattern:?} {provider:?} => {}", shown(&found)),
                Err(error) => format!("{pattern:?} {provider:?} => {error}"),
            },
        )
        .collect();
    assert_snapshot!(lines.join("\n"), @r#"
    "anthropic/claude-opus-5-5" None => anthropic/claude-opus-5-5 (Name) anthropic-messages https://api.anthropic.com
    "claude-opus-5-5" None => anthropic/claude-opus-5-5 (Name) anthropic-messages https://api.anthropic.com
    "claude-opus-5-5:high" None => anthropic/claude-opus-5-5 :high (Name) anthropic-messages https://api.anthropic.com
    "fable" None => anthropic/claude-fable-5-1 (Part) anthropic-messages https://api.anthropic.com
    "Haiku 4" None => anthropic/claude-haiku-4-5 (Part) anthropic-messages https://api.anthropic.com
    "gpt-5.3" None => openai/gpt-5.3-codex (Part) openai-responses https://api.openai.com/v1
    "openai/gpt-5.5" None => openai/gpt-5.5 (Name) openai-responses https://api.openai.com/v1
    "openai/gpt-5.5" Some("openrouter") => openrouter/openai/gpt-5.5 (Name) openai-completions https://openrouter.ai/api/v1
    "openai/gpt-oss-20b" None => groq/openai/gpt-oss-20b (Name) openai-completions https://api.groq.com/openai/v1
    "sonnet" Some("openrouter") => openrouter/anthropic/claude-sonnet-5 (Part) openai-completions https://openrouter.ai/api/v1
    "google/luna" Some("openai") => openai/google/luna (Provider) openai-responses https://api.openai.com/v1
    " grok-4.6 " None => xai/grok-4.6 (Name) openai-completions https://api.x.ai/v1
    "gpt-6-luna:off" Some("openai") => openai/gpt-6-luna :off (Name) openai-responses https://api.openai.com/v1
    "#);
}

#[test]
fn what_is_on_no_list_can_be_asked_of_a_known_provider() {
    let catalogue = Catalogue::bundled();
    let rows = [
        ("anthropic/claude-opus-9:low", None),
        ("claude-opus-4-1", Some("anthropic")),
        ("gpt-5", Some("openai")),
        ("ollama/qwen3:8b", None),
        ("qwen3:8b", Some("ollama")),
        ("hf.co/someone/model", Some("llama.cpp")),
    ];
    let lines: Vec<String> = rows
        .iter()
        .map(|(pattern, provider)| shown(&catalogue.find(pattern, *provider).unwrap()))
        .collect();
    assert_snapshot!(lines.join("\n"), @r#"
    anthropic/claude-opus-9 :low (Provider) anthropic-messages https://api.anthropic.com
    anthropic/claude-opus-4-1 (Provider) anthropic-messages https://api.anthropic.com
    openai/gpt-5 (Provider) openai-responses https://api.openai.com/v1
    ollama/qwen3:8b (Provider) openai-completions http://127.0.0.1:11434/v1
    ollama/qwen3:8b (Provider) openai-completions http://127.0.0.1:11434/v1
    llama.cpp/hf.co/someone/model (Provider) openai-completions http://127.0.0.1:8080/v1
    "#);
}

#[test]
fn what_fits_nothing_or_several_is_told_with_names_that_are_near() {
    let catalogue = Catalogue::bundled();
    let rows = [
        ("opus", None),
        ("claude-opos", None),
        ("gemini-4-flash", None),
        ("zzzz", None),
        ("", None),
        ("x/y", None),
        ("claude", Some("anthropic")),
        ("claude", Some("antropic")),
        ("", Some("ollama")),
    ];
    let lines: Vec<String> = rows
        .iter()
        .map(|(pattern, provider)| catalogue.find(pattern, *provider).unwrap_err().to_string())
        .collect();
    assert_snapshot!(lines.join("\n"), @r#"
    "opus" may be any of anthropic/claude-opus-5-5, anthropic/claude-opus-5, anthropic/claude-opus-4-8, openrouter/anthropic/claude-opus-5.5; write more of the name
    no model "claude-opos" is known (near: anthropic/claude-opus-5, anthropic/claude-opus-4-8, anthropic/claude-opus-5-5, anthropic/claude-sonnet-5, anthropic/claude-fable-5-1); for one that is on no list write provider/id
    no model "gemini-4-flash" is known (near: google/gemini-2.5-flash, google/gemini-3.5-flash, google/gemini-3.8-flash, google/gemini-3.5-flash-lite, openrouter/google/gemini-3.5-flash); for one that is on no list write provider/id
    no model "zzzz" is known; for one that is on no list write provider/id
    no model "" is known; for one that is on no list write provider/id
    no model "x/y" is known; for one that is on no list write provider/id
    "claude" may be any of anthropic/claude-opus-5-5, anthropic/claude-fable-5-1, anthropic/claude-sonnet-5-5, anthropic/claude-haiku-5-5, anthropic/claude-opus-5, anthropic/claude-sonnet-5, anthropic/claude-opus-4-8, anthropic/claude-sonnet-4-6; write more of the name
    no provider "antropic" is known (near: anthropic); settings can add one under `providers`
    no model "" is known; for one that is on no list write provider/id
    "#);
    let error = catalogue.default_of("ollama").unwrap_err();
    assert_snapshot!(error, @r#""ollama" has no model of its own; name one, as `--model ollama/ID`"#);
}

#[test]
fn settings_are_laid_over_the_list_field_by_field() {
    let catalogue = Catalogue::bundled().with(overrides(&json!({
        "anthropic": {
            "baseUrl": "https://gateway.example/anthropic/",
            "headers": { "x-team": "a" },
            "extraBody": { "service_tier": "auto" },
            "models": [{ "id": "claude-opus-5-5", "cost": { "input": 1 },
                         "headers": { "x-team": "b" }, "extraBody": { "service_tier": null } }],
            "modelOverrides": { "claude-haiku-4-5": { "contextWindow": 9 } } },
        "acme": { "baseUrl": "http://acme.example/v1", "models": [
            { "id": "a1", "api": "chat", "input": ["text", "image"], "thinkingLevels": ["high"],
              "quirks": { "thinkingStyle": "template", "storeX": 1 } }] },
        "nowhere": { "models": [{ "id": "n1" }] },
    })));
    let opus = catalogue
        .find("claude-opus-5-5", Some("anthropic"))
        .unwrap()
        .spec;
    assert_eq!(opus.base_url, "https://gateway.example/anthropic");
    assert_eq!(opus.headers, [("x-team".to_owned(), "b".to_owned())]);
    // For whoever writes the body: the member goes, whatever the interface says.
    assert_eq!(json!(opus.extra_body), json!({ "service_tier": null }));
    assert_eq!((opus.prices.input, opus.prices.output), (1.0, 0.0));
    assert_eq!(opus.context_window, 1_000_000);
    let haiku = catalogue.find("claude-haiku-4-5", None).unwrap().spec;
    assert_eq!((haiku.context_window, haiku.max_output_tokens), (9, 64_000));
    let acme = catalogue.find("a1", None).unwrap().spec;
    assert_eq!(acme.api, Api::Chat);
    assert!(acme.takes_images);
    assert_eq!(acme.thinking_levels, [ThinkingLevel::High]);
    assert_eq!(acme.quirks.thinking_style, Some(ThinkingStyle::Template));
    assert_eq!(
        catalogue.find("n1", None).unwrap_err(),
        FindError::NoAddress {
            provider: "nowhere".to_owned()
        }
    );
    let last = catalogue.providers().last().unwrap();
    assert_eq!((last.id.as_str(), last.base_url), ("nowhere", None));
}

#[test]
fn pis_list_of_models_is_read() {
    let pis = json!({ "providers": { "mock": {
        "baseUrl": "http://127.0.0.1:9/v1", "api": "openai-completions", "apiKey": "dummy",
        "compat": { "supportsDeveloperRole": false, "maxTokensField": "max_tokens",
                    "thinkingFormat": "qwen", "supportsStore": false },
        "models": [{ "id": "m", "name": "Mock", "reasoning": true, "input": ["text"],
                     "contextWindow": 128_000, "maxTokens": 16_384,
                     "thinkingLevelMap": { "minimal": null, "xhigh": "max", "off": "none" },
                     "compat": { "supportsStore": true },
                     "cost": { "input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0 } }] } } });
    let overrides = overrides(&pis);
    assert!(!format!("{overrides:?}").contains("dummy"));
    let catalogue = Catalogue::empty().with(overrides);
    let spec = catalogue.find("mock/m", None).unwrap().spec;
    assert_eq!(spec.context_window, 128_000);
    assert_eq!(spec.max_output_tokens, 16_384);
    let quirks = &spec.quirks;
    assert_eq!(quirks.developer_role, Some(false));
    assert_eq!(quirks.store, Some(true));
    assert_eq!(quirks.max_tokens_field.as_deref(), Some("max_tokens"));
    assert_eq!(quirks.thinking_style, Some(ThinkingStyle::Enable));
    let levels: Vec<&str> = spec.thinking_levels.iter().map(|it| it.as_str()).collect();
    assert_eq!(levels, ["low", "medium", "high", "xhigh"]);
    assert_eq!(quirks.thinking_words[&ThinkingLevel::Xhigh], "max");
    assert_eq!(quirks.thinking_words[&ThinkingLevel::Off], "none");
}

#[test]
fn settings_that_are_wrong_name_the_provider() {
    let rows = [
        json!(7),
        json!({ "a": { "api": "telepathy" } }),
        json!({ "a": { "models": { "id": "x" } } }),
        json!({ "a": { "quirks": { "thinkingStyle": "loud" } } }),
        json!({ "a": { "models": [{ "id": "m", "quirks": { "store": "yes" } }] } }),
    ];
    let lines: Vec<String> = rows
        .iter()
        .map(|value| Overrides::read(value).unwrap_err().to_string())
        .collect();
    assert_snapshot!(lines.join("\n"), @r#"
    expected an object of providers by id
    the settings of the provider "a" are wrong: unknown variant `telepathy`, expected one of `chat`, `openai-completions`, `openai-responses`, `responses`, `anthropic`, `anthropic-messages`, `gemini`, `google-generative-ai`
    the settings of the provider "a" are wrong: invalid type: map, expected a sequence
    the settings of the provider "a" are wrong: unknown variant `loud`, expected one of `effort`, `nested`, `toggle`, `enable`, `template`
    the settings of the provider "a" are wrong: invalid type: string "yes", expected a boolean
    "#);
}

#[test]
fn an_answer_costs_what_its_parts_cost() {
    let prices = Prices {
        input: 3.0,
        output: 15.0,
        cache_read: 0.3,
        cache_write: 3.75,
        tiers: Vec::new(),
    };
    let mut usage = Usage {
        input: 1_000_000,
        output: 200_000,
        cache_read: 2_000_000,
        cache_write: 300_000,
        cache_write_1h: Some(100_000),
        ..Usage::default()
    };
    cost(&prices, &mut usage);
    let written = serde_json::to_value(&usage.cost).unwrap();
    let rounded = |name: &str| (written[name].as_f64().unwrap() * 1e6).round() / 1e6;
    assert_eq!(
        ["input", "output", "cacheRead", "cacheWrite", "total"].map(rounded),
        [3.0, 3.0, 0.6, 1.35, 7.95]
    );
    usage.cost.total = 9.0;
    usage.cost.total_from_provider = Some(true);
    cost(&prices, &mut usage);
    assert_eq!(usage.cost.total, 9.0);
}

/// Returns what a usage costs, in millionths of a dollar.
fn millionths(prices: &Prices, usage: &Usage) -> [f64; 5] {
    let mut usage = usage.clone();
    cost(prices, &mut usage);
    let cost = usage.cost;
    [
        cost.input,
        cost.output,
        cost.cache_read,
        cost.cache_write,
        cost.total,
    ]
    .map(|dollars| (dollars * 1e6).round())
}

#[test]
fn a_long_prompt_costs_what_its_tier_says_all_of_it() {
    let tier = |input_tokens_above, price| PriceTier {
        input_tokens_above,
        input: price,
        output: 10.0 * price,
        cache_read: price,
        cache_write: price,
    };
    let prices = Prices {
        input: 1.0,
        output: 10.0,
        cache_read: 1.0,
        cache_write: 1.0,
        tiers: vec![tier(500, 4.0), tier(200, 2.0)],
    };
    // What is in the cache is a part of the prompt; what is written is none.
    let usage = |input, cache_read| Usage {
        input,
        output: 1000,
        cache_read,
        cache_write: 50,
        ..Usage::default()
    };
    let rows = [
        (usage(100, 50), [100.0, 10_000.0, 50.0, 50.0, 10_200.0]),
        (usage(101, 50), [202.0, 20_000.0, 100.0, 100.0, 20_402.0]),
        (usage(400, 50), [800.0, 20_000.0, 100.0, 100.0, 21_000.0]),
        (usage(0, 451), [0.0, 40_000.0, 1804.0, 200.0, 42_004.0]),
    ];
    for (usage, wanted) in rows {
        assert_eq!(millionths(&prices, &usage), wanted, "{usage:?}");
    }
    // Counts that no answer can have do not end the program.
    cost(&prices, &mut usage(u64::MAX, u64::MAX));
}

#[test]
fn tiers_come_with_the_list_and_settings_replace_them_with_the_other_prices() {
    let name = "google/gemini-2.5-pro";
    let found = |value: &Value| {
        let catalogue = Catalogue::bundled().with(overrides(value));
        catalogue.find(name, None).unwrap().spec.prices
    };
    let long = Usage {
        input: 200_001,
        ..Usage::default()
    };
    let bundled = found(&json!({}));
    assert_eq!(millionths(&bundled, &long)[0], 500_003.0);
    let tier =
        json!({ "inputTokensAbove": 10, "input": 7, "output": 8, "cacheRead": 0, "cacheWrite": 0 });
    let over = |cost: Value| json!({ "google": { "modelOverrides": { "gemini-2.5-pro": { "cost": cost } } } });
    let own = found(&over(json!({ "input": 1, "output": 2, "tiers": [tier] })));
    assert_eq!(millionths(&own, &long)[0], 1_400_007.0);
    let flat = found(&over(json!({ "input": 1, "output": 2 })));
    assert_eq!(millionths(&flat, &long)[0], 200_001.0);
}

#[test]
fn a_tier_without_one_of_its_prices_is_an_error_that_names_it() {
    let tier = json!({ "inputTokensAbove": 10, "input": 7, "output": 8, "cacheRead": 0 });
    let model = json!({ "id": "m", "cost": { "input": 1, "tiers": [tier] } });
    let error = Overrides::read(&json!({ "acme": { "models": [model] } })).unwrap_err();
    assert_snapshot!(error, @r#"the settings of the provider "acme" are wrong: missing field `cacheWrite`"#);
}

proptest! {
    #[test]
    fn no_name_breaks_the_search(pattern in ".{0,12}|[a-z/:.-]{0,20}", provider in prop::option::of("[a-z.]{0,9}")) {
        let catalogue = Catalogue::bundled();
        match catalogue.find(&pattern, provider.as_deref()) {
            Ok(found) => prop_assert!(!found.spec.id.is_empty()),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }
}
