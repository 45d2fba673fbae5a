//! What an answer used, as far as it is known while the answer comes.

use std::sync::{Arc, Mutex};

use deed_agent::{BoxFuture, Model, ModelDelta, ModelInfo, ModelRequest, Observer};
use deed_protocol::{
    AssistantDelta, AssistantMessage, Event, EventBody, Message, StopReason, Usage,
};
use deed_testing::Scenario;
use insta::assert_snapshot;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Tells what it used when it begins and before its last words.
struct Telling(ModelInfo);

impl Model for Telling {
    fn info(&self) -> &ModelInfo {
        &self.0
    }

    fn respond<'a>(
        &'a self,
        _request: &'a ModelRequest,
        deltas: mpsc::Sender<ModelDelta>,
        _cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, AssistantMessage> {
        Box::pin(async move {
            let used = |input, output| Usage {
                input,
                output,
                ..Usage::default()
            };
            let rows = [
                (None, Some(used(90, 1))),
                (Some("a"), None),
                (Some("b"), None),
                (Some("c"), Some(used(90, 20))),
            ];
            for (text, usage) in rows {
                let delta = match text {
                    None => AssistantDelta::TextStart { content_index: 0 },
                    Some(text) => AssistantDelta::TextDelta {
                        content_index: 0,
                        delta: text.to_owned(),
                    },
                };
                let usage = usage.map(Box::new);
                deltas.send(ModelDelta { delta, usage }).await.unwrap();
            }
            let mut message = AssistantMessage::new(StopReason::Stop, 0);
            message.usage = used(90, 21);
            message
        })
    }
}

/// Keeps the usage of each event of an answer.
#[derive(Default)]
struct Used(Mutex<Vec<String>>);

impl Observer for Used {
    fn offer(&self, event: &Arc<Event>) {
        let (what, usage) = match &event.body {
            EventBody::MessageUpdate { usage, .. } => ("update", usage),
            EventBody::MessageStart { message } | EventBody::MessageEnd { message } => {
                let Some(answer) = message.as_assistant() else {
                    return;
                };
                ("message", &answer.usage)
            }
            _ => return,
        };
        let line = format!("{what} in {} out {}", usage.input, usage.output);
        self.0.lock().unwrap().push(line);
    }
}

#[tokio::test]
async fn each_update_says_what_the_answer_used_so_far() {
    let scenario = Scenario::new();
    let used = Arc::new(Used::default());
    scenario.bus().add_observer(used.clone()).unwrap();
    let agent = scenario.agent(r#"[{"say": "never"}]"#);
    let mut inputs = agent.inputs();
    inputs.model = Arc::new(Telling(ModelInfo::default()));
    agent.set_inputs(inputs);
    agent.prompt(vec![Message::user("go", 0)]).await.unwrap();
    scenario.bus().observers_caught_up().await;
    assert_snapshot!(used.0.lock().unwrap().join("\n"), @r"
    message in 90 out 1
    update in 90 out 1
    update in 90 out 1
    update in 90 out 1
    update in 90 out 20
    message in 90 out 21
    ");
}
