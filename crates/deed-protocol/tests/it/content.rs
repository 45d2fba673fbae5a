use deed_protocol::{ContentBlock, ToolCall, empty_arguments};
use serde_json::Value;

use crate::{assert_known_block, rewritten};

#[test]
fn every_block_is_written_as_it_was_read() {
    for text in [
        r#"{"type":"text","text":"a\n\"b\" \u0000 é 😀"}"#,
        r#"{"type":"text","text":"","textSignature":"{\"v\":1}"}"#,
        r#"{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}"#,
        r#"{"type":"thinking","thinking":"hm"}"#,
        r#"{"type":"thinking","thinking":"","thinkingSignature":"c2ln","redacted":true}"#,
        r#"{"type":"toolCall","id":"call_1","name":"read","arguments":{"path":"a"}}"#,
        r#"{"type":"toolCall","id":"","name":"ls","arguments":{},"thoughtSignature":"x"}"#,
        r#"{"type":"toolCall","id":"k","name":"ls","arguments":{},"argumentsError":"it is no object"}"#,
    ] {
        assert_known_block(text);
    }
}

#[test]
fn fields_that_nobody_knows_are_kept_behind_the_others_in_their_order() {
    for text in [
        r#"{"type":"text","text":"a","zebra":1,"apple":{"b":[null,true],"a":-2.5}}"#,
        r#"{"type":"image","data":"","mimeType":"image/png","detail":"high"}"#,
        r#"{"type":"thinking","thinking":"","redacted":false,"kind":null}"#,
        r#"{"type":"toolCall","id":"k","name":"f","arguments":{},"namespace":"mcp","index":0}"#,
    ] {
        assert_known_block(text);
    }
    let early = r#"{"zebra":1,"text":"a","type":"text"}"#;
    assert_eq!(
        rewritten::<ContentBlock>(early),
        r#"{"type":"text","text":"a","zebra":1}"#
    );
}

#[test]
fn a_block_of_an_unknown_type_is_kept_to_the_letter() {
    for text in [
        r#"{ "type" : "hologram",  "data": 12345678901234567890123, "data": 1.50 }"#,
        r#"{"data":[],"type":"audio"}"#,
        r#"{"text":"without a type"}"#,
        r#"{"type":null,"text":"a"}"#,
    ] {
        let block: ContentBlock = serde_json::from_str(text).unwrap();
        assert!(matches!(block, ContentBlock::Unknown(_)), "{text}");
        assert_eq!(rewritten::<ContentBlock>(text), text);
    }
}

#[test]
fn the_arguments_of_a_call_are_kept_byte_for_byte() {
    for arguments in [
        r#"{"n":123456789012345678901234567890,"f":1.10,"e":1E5,"z":-0.0}"#,
        r#"{ "a" :1 ,  "b":[ 1,2 ] }"#,
        r#"{"a":1,"a":2}"#,
        r#"{"a":"\u0061\/\ud83d\ude00"}"#,
        "{\n  \"a\": 1\r\n}",
        r#"{"__proto__":{"constructor":null}}"#,
    ] {
        let text = format!(
            r#"{{"type":"toolCall","id":"k","name":"f","arguments":{arguments},"more":1}}"#
        );
        assert_known_block(&text);
        let block: ContentBlock = serde_json::from_str(&text).unwrap();
        assert_eq!(block.as_tool_call().unwrap().arguments.get(), arguments);
    }
}

#[test]
fn what_a_block_lacks_is_never_written_as_null() {
    for text in [
        r#"{"type":"text","text":""}"#,
        r#"{"type":"thinking","thinking":""}"#,
        r#"{"type":"toolCall","id":"","name":"f","arguments":{}}"#,
    ] {
        assert_known_block(text);
    }
    let least = r#"{"type":"toolCall","name":"f"}"#;
    assert_eq!(
        rewritten::<ContentBlock>(least),
        r#"{"type":"toolCall","id":"","name":"f","arguments":{}}"#
    );
}

#[test]
fn b127_a_stored_call_has_only_the_fields_of_the_contract() {
    let mut call = ToolCall::new("k", "f", empty_arguments());
    let names = |call: &ToolCall| -> Vec<String> {
        let value = serde_json::to_value(ContentBlock::ToolCall(call.clone())).unwrap();
        let Value::Object(members) = value else {
            panic!("{value}")
        };
        members.keys().cloned().collect()
    };
    assert_eq!(names(&call), ["type", "id", "name", "arguments"]);
    call.thought_signature = Some(String::new());
    call.arguments_error = Some(String::new());
    assert_eq!(
        names(&call),
        [
            "type",
            "id",
            "name",
            "arguments",
            "thoughtSignature",
            "argumentsError"
        ]
    );
}
