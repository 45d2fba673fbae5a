use deed_protocol::{Entry, Message};

use crate::rewritten;

const BASE: &str =
    r#""id":"9c0d1e2f","parentId":"8b9c0d1e","timestamp":"2026-11-30T21:12:12.006Z""#;

/// The lines of a session, each by its type and what follows the place in the tree.
const KNOWN: [(&str, &str); 17] = [
    (
        "message",
        r#""message":{"role":"user","content":"hi","timestamp":1}"#,
    ),
    (
        "message",
        r#""message":{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"f","arguments":{ "a" : 1.0e0 }}],"api":"","provider":"p","model":"m","usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"toolUse","timestamp":1},"later":[1]"#,
    ),
    ("model_change", r#""provider":"p","modelId":"m""#),
    ("thinking_level_change", r#""thinkingLevel":"extreme""#),
    (
        "compaction",
        r#""summary":"s","firstKeptEntryId":"9c0d1e2f","tokensBefore":7"#,
    ),
    (
        "compaction",
        r#""summary":"s","firstKeptEntryId":"1","tokensBefore":7,"details":{"readFiles":[]},"fromHook":true,"systemMessage":{"role":"system","content":"be brief","timestamp":1}"#,
    ),
    ("branch_summary", r#""fromId":"root","summary":"s""#),
    (
        "branch_summary",
        r#""fromId":"1","summary":"s","details":[],"fromHook":false"#,
    ),
    ("context_edit", r#""targetId":"1","replacement":null"#),
    (
        "context_edit",
        r#""targetId":"1","replacement":{"content":"x"}"#,
    ),
    (
        "context_edit",
        r#""targetId":"1","replacement":{"content":[{"type":"text","text":"x"}],"why":"y"}"#,
    ),
    ("custom", r#""customType":"note","data":{ "kept" : 1.50 }"#),
    ("custom", r#""customType":"note""#),
    (
        "custom_message",
        r#""customType":"note","content":"x","display":true,"details":{"a":null}"#,
    ),
    ("label", r#""targetId":"1","label":"here""#),
    ("session_info", r#""name":"a name""#),
    (
        "usage",
        r#""kind":"cache_warm","provider":"p","model":"m","usage":{"input":1,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":1,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"note":"n""#,
    ),
];

#[test]
fn known_entries_are_written_as_they_were_read() {
    for (kind, rest) in KNOWN {
        let text = format!(r#"{{"type":"{kind}",{BASE},{rest}}}"#);
        let entry: Entry = serde_json::from_str(&text).unwrap();
        let base = entry.base().expect(&text);
        assert_eq!(&*base.id, "9c0d1e2f", "{text}");
        assert_eq!(base.parent_id.as_deref(), Some("8b9c0d1e"), "{text}");
        assert_eq!(rewritten::<Entry>(&text), text);
    }
}

#[test]
fn an_entry_of_a_type_that_is_not_known_is_kept_to_the_letter() {
    for text in [
        r#"{ "type":"later" , "id":"1","parentId":null, "n":1.50e3 }"#,
        r#"{"id":"1","no":"type"}"#,
    ] {
        let entry: Entry = serde_json::from_str(text).unwrap();
        assert!(matches!(entry, Entry::Unknown(_)), "{text}");
        assert!(entry.base().is_none(), "{text}");
        assert_eq!(rewritten::<Entry>(text), text);
    }
}

#[test]
fn the_root_says_that_it_has_no_parent() {
    let text = r#"{"type":"label","id":"1","parentId":null,"timestamp":"t","targetId":"1"}"#;
    assert_eq!(rewritten::<Entry>(text), text);
}

#[test]
fn a_message_entry_shares_its_message() {
    let text = format!(r#"{{"type":"message",{BASE},"message":{{"role":"later","x":[ 1 ]}}}}"#);
    let entry: Entry = serde_json::from_str(&text).unwrap();
    let Entry::Message(entry) = entry else {
        panic!("{entry:?}");
    };
    assert!(matches!(&*entry.message, Message::Unknown(_)));
    assert_eq!(rewritten::<Entry>(&text), text);
}
