use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use deed_agent::ToolSpec;
use deed_guard::LiveTools;
use deed_guard::approval::ReplyAnswer;
use deed_guard::policy::Tier;
use deed_guard::trust::StoredRules;
use deed_schema::ToolSchema;
use deed_testing::FakeParams;
use serde_json::json;

use super::{Place, policy, say, texts};

#[tokio::test]
async fn always_stores_the_rule_that_was_shown_and_it_holds_from_then_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rules.json");
    let stored = Arc::new(Mutex::new(StoredRules::load(&path).unwrap()));
    let place = Place::new(json!({}), |config| config.stored_rules = Some(stored));
    place.person.answers("x", ReplyAnswer::Always);
    for _ in 0..2 {
        let results = place.call(&[("act", say("x"))]).await;
        assert!(!results[0].is_error);
    }
    let asked = place.person.asked();
    assert_eq!(asked.len(), 1, "the second is covered by the rule");
    let rule = asked[0].rule_for_always().unwrap();
    let again = StoredRules::load(&path).unwrap();
    assert_eq!(again.list()[0].spec, rule);
    assert_eq!(again.list()[0].approval_id, asked[0].id.as_ref());
    // A later session reads it from the store.
    let with = policy(json!({})).with_rules(Tier::Stored, [rule]).unwrap();
    let later = Place::new(json!({}), |config| config.policy = with);
    assert!(!later.call(&[("act", say("x"))]).await[0].is_error);
    assert!(later.person.asked().is_empty());
}

#[tokio::test]
async fn without_a_place_to_store_rules_always_is_not_offered() {
    let place = Place::with_rules(json!({}));
    place.person.answers("x", ReplyAnswer::Always);
    place.call(&[("act", say("x"))]).await;
    place.call(&[("act", say("x"))]).await;
    let asked = place.person.asked();
    assert_eq!(asked[0].rule_for_always(), None);
    assert_eq!(asked.len(), 2, "more than was offered is no more than once");
}

#[tokio::test]
async fn b146_a_tool_that_is_denied_whole_is_hidden_and_its_calls_are_refused() {
    let place = Place::with_rules(json!({"deny": ["act"]}));
    let results = place.call(&[("act", say("x")), ("look", say("x"))]).await;
    assert!(texts(&results)[0].starts_with("Denied: "), "{results:?}");
    assert!(!results[1].is_error);
    let spec = |name: &str| ToolSpec::new(name, "", ToolSchema::of::<FakeParams>());
    assert!(place.gate.hides(&spec("act")));
    assert!(!place.gate.hides(&spec("look")));
}

#[tokio::test]
async fn a_tool_that_was_taken_away_since_does_not_run() {
    struct Tools(AtomicBool);
    impl LiveTools for Tools {
        fn is_known(&self, tool: &str) -> bool {
            tool != "look" || self.0.load(Ordering::Relaxed)
        }
    }
    let place = Place::with_rules(json!({}));
    let tools = Arc::new(Tools(AtomicBool::new(true)));
    place.gate.watch_tools(tools.clone());
    assert!(!place.call(&[("look", say("x"))]).await[0].is_error);
    tools.0.store(false, Ordering::Relaxed);
    let results = place.call(&[("look", say("x"))]).await;
    assert!(texts(&results)[0].contains("was taken away"));
    assert_eq!(place.events().last().unwrap(), "decision deny");
}
