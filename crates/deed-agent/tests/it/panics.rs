//! Seams that panic, also before they have returned a future: every call still gets its result, and
//! the run comes to its end.

use std::sync::Arc;

use deed_agent::{
    AgentHooks, Allowed, Answer, Authority, BeforeToolCall, BoxFuture, CallOutcome, Committed,
    FrozenCall, Gate, Grant, GrantState, HookedCall, Model, ModelDelta, ModelInfo, ModelRequest,
    Normalise, Question, ResultPatch, ToolHook, TurnEnding, TurnPlan, Verdict,
};
use deed_protocol::{AssistantMessage, Message, ToolResult};
use deed_testing::{FakeTool, Scenario};
use tokio_util::sync::CancellationToken;

const ONE_CALL: &str = r#"[{"calls": [{"id": "1", "name": "t"}, {"id": "2", "name": "t"}]},
                           {"say": "after"}]"#;

fn scenario() -> Scenario {
    Scenario::new().tool(FakeTool::new("t"))
}

/// Panics in one place.
#[derive(Clone)]
struct Broken(&'static str);

impl Broken {
    fn at(&self, place: &str) {
        assert!(self.0 != place, "broken {place}");
    }
}

impl ToolHook for Broken {
    fn name(&self) -> &str {
        "hook"
    }

    fn before_tool_call<'a>(
        &'a self,
        _call: &'a HookedCall,
        _cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, BeforeToolCall> {
        self.at("before");
        Box::pin(async { BeforeToolCall::Continue })
    }

    fn after_tool_call<'a>(
        &'a self,
        _call: &'a HookedCall,
        _result: &'a ToolResult,
        _cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<ResultPatch, String>> {
        self.at("after");
        Box::pin(async { Ok(ResultPatch::default()) })
    }
}

impl AgentHooks for Broken {
    fn tool_hooks(&self) -> Vec<Arc<dyn ToolHook>> {
        vec![Arc::new(self.clone())]
    }

    fn replace_message<'a>(&'a self, message: &'a Message) -> BoxFuture<'a, Option<Message>> {
        if message.as_tool_result().is_some() {
            self.at("replace_message");
        }
        Box::pin(async { None })
    }

    fn context<'a>(
        &'a self,
        _messages: &'a [Arc<Message>],
    ) -> BoxFuture<'a, Option<Vec<Arc<Message>>>> {
        self.at("context");
        Box::pin(async { None })
    }

    fn next_turn<'a>(&'a self, _messages: &'a [Arc<Message>]) -> BoxFuture<'a, TurnPlan> {
        self.at("next_turn");
        Box::pin(async { TurnPlan::default() })
    }

    fn prepare_request<'a>(&'a self, _request: &'a mut ModelRequest) -> BoxFuture<'a, ()> {
        self.at("prepare_request");
        Box::pin(async {})
    }

    fn finish_turn<'a>(&'a self, _turn: &'a TurnEnding) -> BoxFuture<'a, bool> {
        self.at("finish_turn");
        Box::pin(async { true })
    }
}

impl Normalise for Broken {
    fn normalise<'a>(&'a self, _name: &'a str, result: ToolResult) -> BoxFuture<'a, ToolResult> {
        self.at("normalise");
        Box::pin(async { result })
    }
}

impl Gate for Broken {
    fn decide<'a>(&'a self, _call: &'a FrozenCall) -> BoxFuture<'a, Verdict> {
        self.at("decide");
        Box::pin(async { Verdict::Allow })
    }

    fn ask<'a>(
        &'a self,
        _call: &'a FrozenCall,
        _question: &'a Question,
        _cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Answer> {
        unreachable!("nothing asks")
    }

    fn commit<'a>(&'a self, batch: Vec<Allowed>) -> BoxFuture<'a, Vec<Committed>> {
        self.at("commit");
        let grant = |one: Allowed| Committed {
            call: one.call,
            grant: Ok(Grant::unrecorded()),
        };
        Box::pin(async move { batch.into_iter().map(grant).collect() })
    }

    fn outcome<'a>(
        &'a self,
        _call: &'a FrozenCall,
        _outcome: &'a CallOutcome<'a>,
    ) -> BoxFuture<'a, ()> {
        self.at("outcome");
        Box::pin(async {})
    }
}

fn ends_and_results(events: &str) -> (usize, usize) {
    let count = |word: &str| events.lines().filter(|line| line.starts_with(word)).count();
    (count("end "), count("message result"))
}

#[tokio::test]
async fn a_panic_round_a_call_is_the_result_of_the_call() {
    for (place, said) in [
        ("before", "Blocked: hook failed: broken before"),
        ("after", "broken after"),
        ("normalise", "broken normalise"),
        ("decide", "broken decide"),
        ("commit", "the gate granted nothing for this call"),
        ("outcome", "\"ok\""),
    ] {
        let broken = Broken(place);
        let done = scenario()
            .hooks(broken.clone())
            .gate(Arc::new(broken.clone()))
            .normalise(broken)
            .run(ONE_CALL)
            .await;
        assert_eq!(ends_and_results(&done.events), (2, 2), "{place}");
        assert!(done.events.contains(said), "{place}: {}", done.events);
        assert!(done.events.contains("after"), "{place}: {}", done.events);
    }
}

#[tokio::test]
async fn a_panic_of_a_hook_of_the_loop_ends_the_run_with_an_error_and_all_its_events() {
    for (place, results) in [
        ("replace_message", 2),
        ("context", 0),
        ("prepare_request", 0),
        ("next_turn", 2),
        ("finish_turn", 2),
    ] {
        let done = scenario().hooks(Broken(place)).run(ONE_CALL).await;
        let error = done.end.error.unwrap_or_default();
        assert!(
            error.contains(&format!("broken {place}")),
            "{place}: {error}"
        );
        let ended = ends_and_results(&done.events);
        assert_eq!(ended, (results, results), "{place}");
        let last = done.events.lines().last().unwrap_or_default();
        assert!(last.starts_with("agent end"), "{place}: {last}");
        assert!(!done.agent.is_running());
    }
}

struct BrokenModel(ModelInfo);

impl Model for BrokenModel {
    fn info(&self) -> &ModelInfo {
        &self.0
    }

    fn respond<'a>(
        &'a self,
        _request: &'a ModelRequest,
        _deltas: tokio::sync::mpsc::Sender<ModelDelta>,
        _cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, AssistantMessage> {
        panic!("no wire")
    }
}

#[tokio::test]
async fn a_model_that_panics_is_an_error_of_the_run() {
    let scenario = Scenario::new();
    let agent = scenario.agent(r#"[{"say": "never"}]"#);
    let mut inputs = agent.inputs();
    inputs.model = Arc::new(BrokenModel(ModelInfo::default()));
    agent.set_inputs(inputs);
    let end = agent.prompt(vec![Message::user("go", 0)]).await.unwrap();
    assert_eq!(end.error.as_deref(), Some("the model panicked: no wire"));
}

/// Grants what panics when it is not used.
struct FrailGrants;

impl GrantState for FrailGrants {
    fn used(&mut self) {}

    fn void(&mut self) {
        panic!("no record")
    }
}

impl Gate for FrailGrants {
    fn decide<'a>(&'a self, _call: &'a FrozenCall) -> BoxFuture<'a, Verdict> {
        Box::pin(async { Verdict::Allow })
    }

    fn ask<'a>(
        &'a self,
        _call: &'a FrozenCall,
        _question: &'a Question,
        _cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Answer> {
        unreachable!("nothing asks")
    }

    fn commit<'a>(&'a self, batch: Vec<Allowed>) -> BoxFuture<'a, Vec<Committed>> {
        let grant = |one: Allowed| Committed {
            call: one.call,
            grant: Ok(Grant::new(Box::new(FrailGrants), Authority::Rule)),
        };
        Box::pin(async move { batch.into_iter().map(grant).collect() })
    }

    fn outcome<'a>(
        &'a self,
        _call: &'a FrozenCall,
        _outcome: &'a CallOutcome<'a>,
    ) -> BoxFuture<'a, ()> {
        Box::pin(async {})
    }
}

#[tokio::test]
async fn a_grant_that_panics_when_it_is_void_spoils_no_call() {
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    // The first call cancels the batch in its synchronous part, so that the second never begins.
    let stops = FakeTool::new("t").acts(move |_, _| {
        stop.cancel();
        async { Ok(ToolResult::text("ran")) }
    });
    let scenario = Scenario::new().tool(stops).gate(Arc::new(FrailGrants));
    let calls = [("t", serde_json::json!({})), ("t", serde_json::json!({}))];
    let results = scenario.batch(&calls, &cancel).await;
    assert_eq!(results[0].content[0].as_text(), Some("ran"));
    assert_eq!(results[1].content[0].as_text(), Some("Operation aborted"));
}
