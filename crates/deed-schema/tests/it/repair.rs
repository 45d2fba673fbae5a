use deed_schema::repair_arguments;

fn content(text: &str) -> String {
    let raw = repair_arguments(text).unwrap();
    let value: serde_json::Value = serde_json::from_str(raw.get()).unwrap();
    value["content"].as_str().unwrap().to_owned()
}

#[test]
fn b097_an_invalid_escape_is_kept_as_its_literal_text_and_no_field_is_lost() {
    let raw = repair_arguments(r#"{"path":"a.tex","content":"\upsilon"}"#).unwrap();
    assert_eq!(raw.get(), r#"{"path":"a.tex","content":"\\upsilon"}"#);
    assert_eq!(content(r#"{"content":"C:\dir\q"}"#), r"C:\dir\q");
    assert_eq!(
        content(r#"{"content":"\d+ \" \\ \/ \u00e9 \u12"}"#),
        "\\d+ \" \\ / é \\u12"
    );
}

#[test]
fn raw_control_characters_inside_strings_are_escaped() {
    assert_eq!(content("{\"content\":\"a\n\tb\u{1}\"}"), "a\n\tb\u{1}");
    assert_eq!(content("{\n\t\"content\" :\r\n \"a\\\nb\"}"), "a\\\nb");
}

#[test]
fn valid_text_comes_back_to_the_letter() {
    let text = r#"{"a": 1.0,  "a":9007199254740993, "s":"\u0041\/"}"#;
    assert_eq!(
        repair_arguments(&format!("  {text}\n")).unwrap().get(),
        text
    );
}

#[test]
fn nothing_means_an_empty_object() {
    for blank in ["", " \n\t", "null", "\"\"", "{}"] {
        assert_eq!(repair_arguments(blank).unwrap().get(), "{}", "{blank:?}");
    }
}

#[test]
fn what_is_not_one_whole_object_is_an_error_and_never_a_part_of_one() {
    for broken in [
        r#"{"path":"a","#,
        r#"{"path":"a"#,
        r#"{"path":"a\"#,
        r#"{"path":"a"} {"path":"b"}"#,
        r#"{"path":"a"} done"#,
        "{path:'a'}",
        r#"{"path":"a",}"#,
        "```json\n{}\n```",
        "ls -la",
    ] {
        let error = repair_arguments(broken).unwrap_err();
        assert!(
            error.starts_with("the arguments are not valid JSON: "),
            "{broken}: {error}"
        );
    }
    for (other, kind) in [
        ("[{}]", "array"),
        ("\"x\"", "string"),
        ("5", "number"),
        ("true", "boolean"),
    ] {
        let error = repair_arguments(other).unwrap_err();
        assert_eq!(
            error,
            format!("the arguments must be a JSON object, not a JSON {kind}")
        );
    }
}
