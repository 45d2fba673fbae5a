//! Values and results.

use deed_protocol::{ContentBlock, ToolResult};
use serde_json::json;

use super::redactor;

#[test]
fn a_value_is_redacted_throughout() {
    let redactor = redactor(["known-value-1"]);
    let mut value = json!({
        "plain": ["x known-value-1", 1, null, {"known-value-1": true}],
        "password": "hunter2hunter2",
        "api_key": "known-value-1",
        "db_password": "String",
        "token_count": "abc12345",
        "last": "z",
    });
    redactor.redact_value(&mut value);
    assert_eq!(
        value.to_string(),
        json!({
            "plain": ["x [redacted:k:1]", 1, null, {"[redacted:k:1]": true}],
            "password": "[redacted:assigned:2]",
            "api_key": "[redacted:k:1]",
            "db_password": "String",
            "token_count": "abc12345",
            "last": "z",
        })
        .to_string(),
        "the order of members stays"
    );
}

#[test]
fn a_result_is_redacted_but_for_its_pictures() {
    let redactor = redactor(["known-value-1"]);
    let mut result = ToolResult::text("got known-value-1");
    result
        .content
        .push(ContentBlock::image("known-value-1", "image/png"));
    let unknown = r#"{"type":"audio","note":"known-value-1"}"#;
    result.content.push(serde_json::from_str(unknown).unwrap());
    let untouched = r#"{"type":"audio",  "note":"fine"}"#;
    result
        .content
        .push(serde_json::from_str(untouched).unwrap());
    result.details = Some(json!({"stdout": "known-value-1"}));
    redactor.redact_result(&mut result);

    assert_eq!(result.content[0].as_text(), Some("got [redacted:k:1]"));
    assert!(
        matches!(&result.content[1], ContentBlock::Image(image) if image.data == "known-value-1")
    );
    let raw = |index: usize| match &result.content[index] {
        ContentBlock::Unknown(raw) => raw.get().to_owned(),
        other => panic!("{other:?}"),
    };
    assert_eq!(raw(2), r#"{"type":"audio","note":"[redacted:k:1]"}"#);
    assert_eq!(raw(3), untouched);
    assert_eq!(result.details, Some(json!({"stdout": "[redacted:k:1]"})));
}
