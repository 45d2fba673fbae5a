//! What the gate hears of calls that do not run, of changes on the way, and of words given.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use deed_agent::{
    AgentHooks, Allowed, Answer, Approval, Authority, BeforeToolCall, BoxFuture, CallOutcome,
    Committed, FrozenCall, Gate, Grant, GrantState, HookedCall, Question, RedactStream, Redactor,
    Refusal, ToolHook, TurnedAway, Verdict,
};
use deed_protocol::{ToolCall, ToolResult};
use deed_schema::RawArgs;
use deed_testing::{FakeTool, Scenario};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// Asks about every call, says yes, and writes everything down.
#[derive(Default)]
pub(crate) struct Recorder {
    lines: Mutex<Vec<String>>,
    hangs_in: Option<&'static str>,
}

struct NoState;

impl GrantState for NoState {
    fn used(&mut self) {}

    fn void(&mut self) {}
}

impl Recorder {
    fn note(&self, line: String) {
        self.lines.lock().unwrap().push(line);
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.lines.lock().unwrap().clone()
    }

    async fn reach(&self, place: &str) {
        if self.hangs_in == Some(place) {
            std::future::pending::<()>().await;
        }
    }
}

impl Gate for Recorder {
    fn decide<'a>(&'a self, call: &'a FrozenCall) -> BoxFuture<'a, Verdict> {
        for change in call.changes() {
            assert_ne!(change.before_sha256, change.after_sha256);
            self.note(format!("changed by {}", change.hook));
        }
        let reason = "every call is asked about".to_owned();
        Box::pin(async { Verdict::Ask(Question { reason }) })
    }

    fn ask<'a>(
        &'a self,
        _call: &'a FrozenCall,
        _question: &'a Question,
        _cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Answer> {
        Box::pin(async { Answer::Approved(Approval("a1".into())) })
    }

    fn commit<'a>(&'a self, batch: Vec<Allowed>) -> BoxFuture<'a, Vec<Committed>> {
        Box::pin(async move {
            self.reach("commit").await;
            let commit = |one: Allowed| {
                let is_stale = one.context_now.as_ref() != Some(one.call.context_sha256());
                let grant = if is_stale {
                    let reason = "stale".to_owned();
                    Err(Refusal { reason })
                } else {
                    let authority = Authority::Person(one.approval.unwrap());
                    Ok(Grant::new(Box::new(NoState), authority))
                };
                Committed {
                    call: one.call,
                    grant,
                }
            };
            batch.into_iter().map(commit).collect()
        })
    }

    fn outcome<'a>(
        &'a self,
        _call: &'a FrozenCall,
        outcome: &'a CallOutcome<'a>,
    ) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            self.reach("outcome").await;
            self.note(format!("outcome {:?}", outcome.kind));
        })
    }

    fn progress(&self, _call: &FrozenCall, partial: &ToolResult) {
        self.note(format!(
            "progress {}",
            partial.content[0].as_text().unwrap()
        ));
    }

    fn turned_away(&self, call: &ToolCall, why: &TurnedAway<'_>) {
        let hook = why.hook.unwrap_or("-");
        self.note(format!("{} {:?} {hook}", call.id, why.stage));
    }
}

pub(crate) type Before = fn(&HookedCall) -> BeforeToolCall;

/// Hooks by name, one a link.
pub(crate) struct Chain(pub(crate) Vec<(&'static str, Before)>);

struct Link(&'static str, Before);

impl ToolHook for Link {
    fn name(&self) -> &str {
        self.0
    }

    fn before_tool_call<'a>(
        &'a self,
        call: &'a HookedCall,
        _cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, BeforeToolCall> {
        Box::pin(async move { (self.1)(call) })
    }
}

impl AgentHooks for Chain {
    fn tool_hooks(&self) -> Vec<Arc<dyn ToolHook>> {
        let link = |(name, before): &(&'static str, Before)| -> Arc<dyn ToolHook> {
            Arc::new(Link(name, *before))
        };
        self.0.iter().map(link).collect()
    }
}

pub(crate) fn replace(args: Value) -> BeforeToolCall {
    BeforeToolCall::Replace(RawArgs::from_value(&args))
}

pub(crate) fn recorded() -> (Scenario, Arc<Recorder>) {
    let gate = Arc::new(Recorder::default());
    let scenario = Scenario::new().tool(FakeTool::new("t")).gate(gate.clone());
    (scenario, gate)
}

#[tokio::test]
async fn every_call_that_is_never_decided_on_is_told_with_where_it_ended() {
    let (scenario, gate) = recorded();
    let scenario = scenario.hooks(Chain(vec![(
        "guard",
        |call| match call.args.value()["say"].as_str() {
            Some("block") => BeforeToolCall::Block {
                reason: None,
                terminate: false,
            },
            Some("spoil") => replace(json!({"say": {}})),
            Some("panic") => panic!("as told"),
            _ => BeforeToolCall::Continue,
        },
    )]));
    let calls = [
        ("gone", json!({})),
        ("t", json!({"other": 1})),
        ("t", json!({"say": "block"})),
        ("t", json!({"say": "spoil"})),
        ("t", json!({"say": "panic"})),
    ];
    scenario.batch(&calls, &CancellationToken::new()).await;
    let stopped = CancellationToken::new();
    stopped.cancel();
    scenario.batch(&[("t", json!({}))], &stopped).await;
    assert_eq!(
        gate.lines(),
        [
            "c1 Lookup -",
            "c2 Arguments -",
            "c3 Hook guard",
            "c4 Hook guard",
            "c5 Hook guard",
            "c1 Cancelled -",
        ]
    );
}

#[tokio::test]
async fn what_hooks_changed_is_on_the_frozen_call() {
    let (scenario, gate) = recorded();
    let scenario = scenario.hooks(Chain(vec![
        ("first", |_| replace(json!({"say": "a"}))),
        ("none", |_| BeforeToolCall::Continue),
        ("second", |_| replace(json!({"say": "b"}))),
    ]));
    let calls = [("t", json!({"say": "x"}))];
    let results = scenario.batch(&calls, &CancellationToken::new()).await;
    assert_eq!(results[0].content[0].as_text(), Some("b"));
    let expected = ["changed by first", "changed by second", "outcome Finished"];
    assert_eq!(gate.lines(), expected);
}

#[tokio::test]
async fn a_yes_to_other_arguments_than_those_that_would_run_is_no_yes() {
    let confirm: Before = |call| {
        call.note_confirmed("asker", call.args.value());
        BeforeToolCall::Continue
    };
    let change: Before = |_| replace(json!({"say": "changed"}));
    let same: Before = |_| replace(json!({"say": "x"}));
    for (chain, runs) in [
        (vec![("asker", confirm), ("later", change)], false),
        (vec![("earlier", change), ("asker", confirm)], true),
        (vec![("asker", confirm), ("later", same)], true),
    ] {
        let (scenario, gate) = recorded();
        let calls = [("t", json!({"say": "x"}))];
        let scenario = scenario.hooks(Chain(chain));
        let results = scenario.batch(&calls, &CancellationToken::new()).await;
        assert_eq!(!results[0].is_error, runs);
        if !runs {
            let text = results[0].content[0].as_text().unwrap();
            assert!(text.contains("after asker had asked"), "{text}");
            assert_eq!(gate.lines(), ["c1 Confirmation asker"]);
        }
    }
}

#[tokio::test]
async fn a20_what_a_person_was_asked_about_is_measured_again_before_it_runs() {
    let (_, gate) = recorded();
    let looks = AtomicU64::new(0);
    let moving =
        FakeTool::new("moving").binds(move || looks.fetch_add(1, Ordering::Relaxed).into());
    let still = FakeTool::new("still").binds(|| json!("as it was"));
    let scenario = Scenario::new().tool(moving).tool(still).gate(gate);
    let calls = [("moving", json!({})), ("still", json!({}))];
    let results = scenario.batch(&calls, &CancellationToken::new()).await;
    assert_eq!(results[0].content[0].as_text(), Some("stale"));
    assert_eq!(results[1].content[0].as_text(), Some("ok"));
}

#[tokio::test]
async fn a_call_knows_on_whose_word_it_runs_and_what_was_decided_on() {
    let tells = || {
        FakeTool::new("t").acts(|_, context| async move {
            let subject = &context.frozen().plan().subject;
            Ok(ToolResult::text(format!(
                "{:?} {subject}",
                context.authority()
            )))
        })
    };
    let calls = [("t", json!({"say": "x"}))];
    let cancel = CancellationToken::new();
    let open = Scenario::new().tool(tells());
    let results = open.batch(&calls, &cancel).await;
    let expected = "Unchecked {\"say\":\"x\"}";
    assert_eq!(results[0].content[0].as_text(), Some(expected));
    let (_, gate) = recorded();
    let asked = Scenario::new().tool(tells()).gate(gate);
    let results = asked.batch(&calls, &cancel).await;
    let expected = "Person(Approval(\"a1\")) {\"say\":\"x\"}";
    assert_eq!(results[0].content[0].as_text(), Some(expected));
}

#[tokio::test(start_paused = true)]
async fn a_gate_that_hangs_does_not_hold_a_cancelled_run() {
    for (place, text) in [("commit", "Operation aborted"), ("outcome", "ok")] {
        let gate = Arc::new(Recorder {
            hangs_in: Some(place),
            ..Recorder::default()
        });
        let scenario = Scenario::new().tool(FakeTool::new("t")).gate(gate);
        let cancel = CancellationToken::new();
        let stop = cancel.clone();
        tokio::spawn(async move {
            tokio::time::sleep(std::time::Duration::from_secs(1)).await;
            stop.cancel();
        });
        let results = scenario.batch(&[("t", json!({}))], &cancel).await;
        assert_eq!(results[0].content[0].as_text(), Some(text), "{place}");
    }
}

pub(crate) struct Hides;

impl Redactor for Hides {
    fn stream(&self) -> Option<Box<dyn RedactStream>> {
        None
    }

    fn redact_text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if text.contains("hunter2") {
            Cow::Owned(text.replace("hunter2", "[gone]"))
        } else {
            Cow::Borrowed(text)
        }
    }
}

#[tokio::test]
async fn secrets_reach_neither_results_nor_details_nor_updates() {
    let (_, gate) = recorded();
    let talks = FakeTool::new("t").acts(|_, context| async move {
        context.updates.send(ToolResult::text("so far: hunter2"));
        let details = json!({"nested": [{"hunter2": "it is hunter2"}], "n": 1});
        Ok(ToolResult::text("all: hunter2").with_details(details))
    });
    let fails = FakeTool::new("f").acts(|_, _| async move {
        Err(deed_agent::ToolError::Failed(
            "no access for hunter2".to_owned(),
        ))
    });
    let scenario = Scenario::new()
        .tool(talks)
        .tool(fails)
        .gate(gate.clone())
        .redactor(Hides);
    let calls = [("t", json!({})), ("f", json!({}))];
    let results = scenario.batch(&calls, &CancellationToken::new()).await;
    assert_eq!(results[0].content[0].as_text(), Some("all: [gone]"));
    let details = json!({"nested": [{"[gone]": "it is [gone]"}], "n": 1});
    assert_eq!(results[0].details, Some(details));
    assert_eq!(
        results[1].content[0].as_text(),
        Some("no access for [gone]")
    );
    assert!(gate.lines().contains(&"progress so far: [gone]".to_owned()));
    assert!(!scenario.log().text().contains("hunter2"));
}
