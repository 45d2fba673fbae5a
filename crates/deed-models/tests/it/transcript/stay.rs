//! What only its writer may get back: thoughts, signatures, names of items.

use deed_models::transcript::{IdRule, Target, units};
use deed_models::{Api, Quirks};
use insta::assert_snapshot;
use serde_json::{Value, json};

use super::drawn;
use super::make::{assistant, call, messages, result, spec, target};

fn thinking_turn(api: Api) -> Value {
    assistant(
        api,
        json!([
            { "type": "thinking", "thinking": "hm", "thinkingSignature": "sig1" },
            { "type": "thinking", "thinking": "", "thinkingSignature": "sig2" },
            { "type": "thinking", "thinking": "", "thinkingSignature": "secret", "redacted": true },
            { "type": "thinking", "thinking": "unsigned" },
            { "type": "thinking", "thinking": " " },
            { "type": "text", "text": "so", "textSignature": "t1" },
            { "type": "toolCall", "id": "a", "name": "read", "arguments": {}, "thoughtSignature": "c1" },
        ]),
    )
}

#[test]
fn thoughts_go_back_to_the_same_model_in_order() {
    let list = messages(&[thinking_turn(Api::Anthropic), result("a", "A")]);
    assert_snapshot!(drawn(&units(&list, &target(Api::Anthropic))), @r#"
    thought "hm" Some("sig1") redacted=false
    thought "" Some("sig2") redacted=false
    thought "" Some("secret") redacted=true
    thought "unsigned" None redacted=false
    model "so" Some("t1")
    call a - read {} Some("c1")
    result a read "A"
    "#);
}

#[test]
fn thoughts_go_to_no_other_model() {
    let list = messages(&[thinking_turn(Api::Anthropic), result("a", "A")]);
    let other_model = Target {
        model: "m2".into(),
        ..target(Api::Anthropic)
    };
    let other_provider = Target {
        provider: "there".into(),
        ..target(Api::Anthropic)
    };
    for target in [other_model, other_provider, target(Api::Chat)] {
        assert_eq!(
            drawn(&units(&list, &target)),
            "model \"so\" None\ncall a - read {} None\nresult a read \"A\""
        );
    }
}

#[test]
fn an_answer_of_nothing_but_anothers_thoughts_is_left_out() {
    let mut list = [assistant(
        Api::Anthropic,
        json!([{ "type": "thinking", "thinking": "hm", "thinkingSignature": "s" }]),
    )];
    assert_eq!(units(&messages(&list), &target(Api::Anthropic)).len(), 1);
    list[0]["model"] = json!("m2");
    assert_eq!(units(&messages(&list), &target(Api::Anthropic)), []);
}

#[test]
fn ids_fit_the_interface_they_go_to() {
    let list = messages(&[
        assistant(
            Api::Responses,
            json!([
                call("call_1|fc_1"),
                call("fc_2|call_2"),
                call(&"x".repeat(65))
            ]),
        ),
        result("call_1|fc_1", "1"),
        result("fc_2|call_2", "2"),
    ]);
    assert_snapshot!(drawn(&units(&list, &target(Api::Responses))), @r#"
    call call_1 fc_1 read {"path":"call_1|fc_1"} None
    call call_2 fc_2 read {"path":"fc_2|call_2"} None
    call call_73d971ceb96c4bd08c329452 - read {"path":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"} None
    result call_1 read "1"
    result call_2 read "2"
    failed call_73d971ceb96c4bd08c329452 read "No result of this call is on record: it may have run, in part or not at all. Look before relying on either."
    "#);
    assert_snapshot!(drawn(&units(&list, &target(Api::Anthropic))), @r#"
    call call_1 - read {"path":"call_1|fc_1"} None
    call call_2 - read {"path":"fc_2|call_2"} None
    call call_73d971ceb96c4bd08c329452 - read {"path":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"} None
    result call_1 read "1"
    result call_2 read "2"
    failed call_73d971ceb96c4bd08c329452 read "No result of this call is on record: it may have run, in part or not at all. Look before relying on either."
    "#);
}

#[test]
fn a_chat_server_gets_its_own_ids_back_as_it_wrote_them() {
    let list = messages(&[
        assistant(Api::Chat, json!([call("functions.read:0")])),
        result("functions.read:0", "A"),
    ]);
    assert!(drawn(&units(&list, &target(Api::Chat))).starts_with("call functions.read:0 "));
    let elsewhere = Target {
        model: "m2".into(),
        ..target(Api::Chat)
    };
    assert!(drawn(&units(&list, &elsewhere)).starts_with("call call_"));
}

#[test]
fn mistral_gets_ids_of_nine_letters_and_digits() {
    let mut spec = spec(Api::Chat);
    spec.quirks = Quirks {
        short_call_ids: Some(true),
        ..Quirks::default()
    };
    let target = Target {
        ids: IdRule::of(&spec),
        ..target(Api::Chat)
    };
    let list = messages(&[
        assistant(Api::Chat, json!([call("abcDEF123"), call("call_1")])),
        result("call_1", "A"),
    ]);
    assert_snapshot!(drawn(&units(&list, &target)), @r#"
    call abcDEF123 - read {"path":"abcDEF123"} None
    call 65ea45713 - read {"path":"call_1"} None
    failed abcDEF123 read "No result of this call is on record: it may have run, in part or not at all. Look before relying on either."
    result 65ea45713 read "A"
    "#);
}
