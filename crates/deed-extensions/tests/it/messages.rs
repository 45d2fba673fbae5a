//! Handlers of `message_end` and `context`.

use std::sync::Arc;

use deed_agent::{AgentHooks, BoxFuture};
use deed_extensions::{ContextEvent, Extension, ExtensionError, MessageEndEvent};
use deed_protocol::{ContentBlock, Message};
use serde_json::json;

use crate::support::{Play, ext, one_call};

type Replaced = Result<Option<Message>, ExtensionError>;

fn replaces(
    name: &'static str,
    handler: impl Fn(&mut MessageEndEvent) -> Replaced + Clone + Send + Sync + 'static,
) -> Arc<dyn Extension> {
    ext(name, move |api| {
        let handler = handler.clone();
        api.on(move |end: &mut MessageEndEvent, _| {
            let outcome = handler(end);
            Box::pin(async move { outcome })
        })?;
        Ok(())
    })
}

#[tokio::test]
async fn a_message_is_stored_as_the_handlers_leave_it() {
    let by_reply = replaces("by reply", |end| {
        Ok(match &*end.message {
            Message::User(_) => Some(Message::user("instead", 0)),
            _ => None,
        })
    });
    let in_place = replaces("in place", |end| {
        match Arc::make_mut(&mut end.message) {
            Message::User(user) => {
                let text = format!("{:?} and more", user.content);
                user.content = deed_protocol::UserContent::Text(text);
            }
            Message::ToolResult(result) => result.content.push(ContentBlock::text("noted")),
            _ => {}
        }
        Ok(None)
    });
    let play = Play::new().with(by_reply).with(in_place);
    let played = play.run(one_call(json!({ "say": "x" }))).await;
    assert_eq!(played.text("c"), "x|noted");
    let asked = played.asked()[1].text();
    assert!(asked.contains(r#"Text(\"instead\") and more"#), "{asked}");
    assert!(asked.contains("noted"), "{asked}");
}

#[tokio::test]
async fn a_message_of_another_role_or_call_is_no_replacement() {
    let other_role = replaces("other role", |end| {
        Ok(match &*end.message {
            Message::Assistant(_) => Some(Message::user("I am the user now", 0)),
            _ => None,
        })
    });
    let other_call = replaces("other call", |end| {
        if let Message::ToolResult(result) = Arc::make_mut(&mut end.message) {
            result.tool_call_id = "another".into();
        }
        Ok(None)
    });
    let play = Play::new().with(other_role).with(other_call);
    let played = play.run(one_call(json!({ "say": "x" }))).await;
    assert_eq!(played.text("c"), "x");
    let failures = played.failures.lines();
    assert_eq!(failures.len(), 3, "{failures:?}");
    for failure in failures {
        assert!(failure.contains("same role and call"), "{failure}");
    }
}

fn context(
    name: &'static str,
    change: impl Fn(&mut Vec<Arc<Message>>) -> Option<Vec<Arc<Message>>> + Clone + Send + Sync + 'static,
) -> Arc<dyn Extension> {
    ext(name, move |api| {
        let change = change.clone();
        api.on(move |context: &mut ContextEvent, _| {
            let reply = change(&mut context.messages);
            Box::pin(async move { Ok(reply) })
        })?;
        Ok(())
    })
}

#[tokio::test]
async fn what_handlers_do_to_the_context_changes_one_request_and_not_the_transcript() {
    let adds = context("adds", |messages| {
        messages.push(Arc::new(Message::user("by the way", 0)));
        None
    });
    let edits = context("edits", |messages| {
        let count = messages.len();
        if let Message::User(user) = Arc::make_mut(&mut messages[0]) {
            let text = format!("edited, {count} messages");
            user.content = deed_protocol::UserContent::Text(text);
        }
        Some(messages.clone())
    });
    let play = Play::new().with(adds).with(edits);
    let played = play.run(one_call(json!({}))).await;
    let asked = played.asked();
    assert!(
        asked[0].text().contains("edited, 2 messages"),
        "{}",
        asked[0].text()
    );
    assert!(
        asked[1].text().contains("edited, 4 messages"),
        "{}",
        asked[1].text()
    );
    assert!(asked[1].text().contains("by the way"));
    let stored = serde_json::to_string(&played.session.agent().messages()).unwrap();
    assert!(
        !stored.contains("edited") && !stored.contains("by the way"),
        "{stored}"
    );
}

#[tokio::test]
async fn a_context_handler_that_fails_leaves_the_messages_as_they_were() {
    let fails = ext("fails", |api| {
        api.on(|context: &mut ContextEvent, _| {
            context.messages.clear();
            Box::pin(async { Err("broken".into()) })
        })?;
        Ok(())
    });
    let played = Play::new().with(fails).run(json!([{ "say": "hi" }])).await;
    assert!(played.asked()[0].text().contains("go"));
    assert_eq!(played.failures.lines(), ["<inline:fails> context: broken"]);
}

/// Hooks of the host program, which see what extensions left.
struct HostHooks;

impl AgentHooks for HostHooks {
    fn replace_message<'a>(&'a self, message: &'a Message) -> BoxFuture<'a, Option<Message>> {
        let Message::User(user) = message else {
            return Box::pin(async { None });
        };
        let text = format!("host sees {:?}", user.content);
        Box::pin(async move { Some(Message::user(text, 0)) })
    }

    fn context<'a>(
        &'a self,
        messages: &'a [Arc<Message>],
    ) -> BoxFuture<'a, Option<Vec<Arc<Message>>>> {
        let text = format!("host sees {} messages", messages.len());
        let messages = [messages, &[Arc::new(Message::user(text, 0))]].concat();
        Box::pin(async { Some(messages) })
    }
}

#[tokio::test]
async fn the_hooks_of_the_host_program_see_what_extensions_left() {
    let instead = replaces("instead", |end| {
        Ok(match &*end.message {
            Message::User(_) => Some(Message::user("instead", 0)),
            _ => None,
        })
    });
    let doubles = context("doubles", |messages| {
        messages.push(messages[0].clone());
        None
    });
    let play = Play::new().with(instead).with(doubles);
    let play = play.change(|builder| builder.hooks(Arc::new(HostHooks)));
    let played = play.run(json!([{ "say": "hi" }])).await;
    let asked = played.asked()[0].text();
    assert!(asked.contains(r#"host sees Text(\"instead\")"#), "{asked}");
    assert!(asked.contains("host sees 2 messages"), "{asked}");
}
