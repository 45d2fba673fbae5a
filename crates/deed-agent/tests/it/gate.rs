//! The gate: nothing runs that it did not grant, and it hears what became of each grant.

use std::sync::{Arc, Mutex};

use deed_agent::{
    Allowed, Answer, Approval, Authority, BoxFuture, CallOutcome, Committed, FrozenCall, Gate,
    Grant, GrantState, Question, Refusal, Verdict,
};
use deed_protocol::ToolResult;
use deed_testing::{FakeTool, Scenario};
use serde_json::{Value, json};
use tokio::sync::Barrier;
use tokio_util::sync::CancellationToken;

type Log = Arc<Mutex<Vec<String>>>;

/// Decides by the word in `say`, and writes everything down.
struct ByWord {
    log: Log,
    /// Lets questions answer only when so many are open at once.
    open: Option<Arc<Barrier>>,
}

fn word(call: &FrozenCall) -> String {
    call.args()
        .value()
        .get("say")
        .and_then(Value::as_str)
        .unwrap_or("")
        .to_owned()
}

struct State(Log, String);

impl GrantState for State {
    fn used(&mut self) {
        self.0.lock().unwrap().push(format!("used {}", self.1));
    }

    fn void(&mut self) {
        self.0.lock().unwrap().push(format!("void {}", self.1));
    }
}

impl Gate for ByWord {
    fn decide<'a>(&'a self, call: &'a FrozenCall) -> BoxFuture<'a, Verdict> {
        Box::pin(async move {
            match word(call).as_str() {
                "deny" => Verdict::Deny(Refusal {
                    reason: "a rule denies it".to_owned(),
                }),
                word if word.starts_with("ask") => Verdict::Ask(Question {
                    reason: "is it fine?".to_owned(),
                }),
                _ => Verdict::Allow,
            }
        })
    }

    fn ask<'a>(
        &'a self,
        call: &'a FrozenCall,
        _question: &'a Question,
        _cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Answer> {
        Box::pin(async move {
            if let Some(open) = &self.open {
                open.wait().await;
            }
            match word(call).as_str() {
                "ask-panic" => panic!("no dialog"),
                "ask-no" => Answer::Refused(Refusal {
                    reason: "the person said no".to_owned(),
                }),
                "ask-hang" => std::future::pending().await,
                _ => Answer::Approved(Approval("a1".into())),
            }
        })
    }

    fn commit<'a>(&'a self, batch: Vec<Allowed>) -> BoxFuture<'a, Vec<Committed>> {
        Box::pin(async move {
            let names: Vec<String> = batch.iter().map(|one| word(&one.call)).collect();
            self.log
                .lock()
                .unwrap()
                .push(format!("commit {}", names.join(" ")));
            let commit = |one: Allowed| {
                let word = word(&one.call);
                let grant = match word.as_str() {
                    "stale" => Err(Refusal {
                        reason: "no longer allowed".to_owned(),
                    }),
                    _ => Ok(Grant::new(
                        Box::new(State(self.log.clone(), word)),
                        Authority::Rule,
                    )),
                };
                Committed {
                    call: one.call,
                    grant,
                }
            };
            batch
                .into_iter()
                .filter(|one| word(&one.call) != "forgotten")
                .map(commit)
                .rev()
                .collect()
        })
    }

    fn outcome<'a>(
        &'a self,
        call: &'a FrozenCall,
        outcome: &'a CallOutcome<'a>,
    ) -> BoxFuture<'a, ()> {
        self.log
            .lock()
            .unwrap()
            .push(format!("{:?} {}", outcome.kind, word(call)));
        Box::pin(async {})
    }
}

fn scenario(open: Option<Arc<Barrier>>) -> (Scenario, Log) {
    let log = Log::default();
    let gate = Arc::new(ByWord {
        log: log.clone(),
        open,
    });
    (Scenario::new().tool(FakeTool::new("t")).gate(gate), log)
}

fn says(words: &[&str]) -> Vec<(&'static str, Value)> {
    words
        .iter()
        .map(|word| ("t", json!({"say": word})))
        .collect()
}

#[tokio::test]
async fn only_what_was_granted_runs_and_each_refusal_says_why() {
    let (scenario, log) = scenario(None);
    let words = [
        "yes",
        "deny",
        "ask-yes",
        "ask-no",
        "ask-panic",
        "stale",
        "forgotten",
    ];
    let results = scenario
        .batch(&says(&words), &CancellationToken::new())
        .await;
    let texts: Vec<&str> = results
        .iter()
        .map(|one| one.content[0].as_text().unwrap())
        .collect();
    assert_eq!(
        texts,
        [
            "yes",
            "a rule denies it",
            "ask-yes",
            "the person said no",
            "asking about this call failed",
            "no longer allowed",
            "the gate granted nothing for this call",
        ]
    );
    let log = log.lock().unwrap();
    assert_eq!(log[0], "commit yes ask-yes stale forgotten");
    let used: Vec<&String> = log.iter().filter(|line| line.starts_with("used")).collect();
    assert_eq!(used, ["used yes", "used ask-yes"]);
    assert!(!log.iter().any(|line| line.starts_with("void")));
}

#[tokio::test]
async fn all_questions_of_a_batch_are_open_at_once() {
    // Each question waits until three are open; one after the other would never end.
    let (scenario, _) = scenario(Some(Arc::new(Barrier::new(3))));
    let results = scenario
        .batch(
            &says(&["ask-1", "ask-2", "ask-3"]),
            &CancellationToken::new(),
        )
        .await;
    assert!(results.iter().all(|one| !one.is_error));
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_question_runs_nothing_of_the_batch() {
    let (scenario, log) = scenario(None);
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    tokio::spawn(async move {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        stop.cancel();
    });
    let results = scenario.batch(&says(&["yes", "ask-hang"]), &cancel).await;
    assert!(
        results
            .iter()
            .all(|one| one.content[0].as_text() == Some("Operation aborted"))
    );
    assert!(log.lock().unwrap().is_empty(), "{log:?}");
}

#[tokio::test]
async fn a_grant_that_was_never_used_is_void_and_one_that_panicked_was_used() {
    let log = Log::default();
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    // The first call cancels the batch in its synchronous part, so that the second never begins.
    let stops = FakeTool::new("t").acts(move |args, _| {
        stop.cancel();
        let panics = args["say"] == "panic";
        async move {
            assert!(!panics, "as told");
            Ok(ToolResult::text("ran"))
        }
    });
    let gate = Arc::new(ByWord {
        log: log.clone(),
        open: None,
    });
    let scenario = Scenario::new().tool(stops).gate(gate);
    let results = scenario.batch(&says(&["panic", "second"]), &cancel).await;
    assert!(
        results[0].content[0]
            .as_text()
            .unwrap()
            .contains("panicked")
    );
    assert_eq!(results[1].content[0].as_text(), Some("Operation aborted"));
    let mut log = log.lock().unwrap().clone();
    log.sort();
    assert_eq!(
        log,
        [
            "NeverRan second",
            "Panicked panic",
            "commit panic second",
            "used panic",
            "void second"
        ]
    );
}

#[tokio::test]
async fn the_hash_of_arguments_ignores_key_order_and_sees_values() {
    #[derive(Default)]
    struct Hashes(Mutex<Vec<String>>);
    impl Gate for Hashes {
        fn decide<'a>(&'a self, call: &'a FrozenCall) -> BoxFuture<'a, Verdict> {
            self.0.lock().unwrap().push(call.args_sha256().to_string());
            Box::pin(async { Verdict::Allow })
        }
        fn ask<'a>(
            &'a self,
            _: &'a FrozenCall,
            _: &'a Question,
            _: &'a CancellationToken,
        ) -> BoxFuture<'a, Answer> {
            unreachable!("nothing asks")
        }
        fn commit<'a>(&'a self, _: Vec<Allowed>) -> BoxFuture<'a, Vec<Committed>> {
            Box::pin(async { Vec::new() })
        }
        fn outcome<'a>(&'a self, _: &'a FrozenCall, _: &'a CallOutcome<'a>) -> BoxFuture<'a, ()> {
            Box::pin(async {})
        }
    }
    let gate = Arc::new(Hashes::default());
    let scenario = Scenario::new().tool(FakeTool::new("t")).gate(gate.clone());
    let calls = [
        ("t", json!({"say": "x", "ms": 1})),
        ("t", json!({"ms": 1, "say": "x"})),
        ("t", json!({"ms": 2, "say": "x"})),
    ];
    scenario.batch(&calls, &CancellationToken::new()).await;
    let hashes = gate.0.lock().unwrap();
    assert_eq!(hashes[0], hashes[1]);
    assert_ne!(hashes[0], hashes[2]);
}

/// Writes down in which order it is asked.
struct AskedOrder(Mutex<Vec<u64>>);

impl Gate for AskedOrder {
    fn decide<'a>(&'a self, _call: &'a FrozenCall) -> BoxFuture<'a, Verdict> {
        let reason = "is it fine?".to_owned();
        Box::pin(async { Verdict::Ask(Question { reason }) })
    }

    fn ask<'a>(
        &'a self,
        call: &'a FrozenCall,
        _question: &'a Question,
        _cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Answer> {
        self.0.lock().unwrap().push(call.serial());
        Box::pin(async {
            Answer::Refused(Refusal {
                reason: "no".to_owned(),
            })
        })
    }

    fn commit<'a>(&'a self, _batch: Vec<Allowed>) -> BoxFuture<'a, Vec<Committed>> {
        unreachable!("everything is refused")
    }

    fn outcome<'a>(
        &'a self,
        _call: &'a FrozenCall,
        _outcome: &'a CallOutcome<'a>,
    ) -> BoxFuture<'a, ()> {
        unreachable!("nothing runs")
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn questions_are_opened_in_call_order() {
    for _ in 0..20 {
        let gate = Arc::new(AskedOrder(Mutex::default()));
        let scenario = Scenario::new().tool(FakeTool::new("t")).gate(gate.clone());
        scenario
            .batch(&says(&["?"; 100]), &CancellationToken::new())
            .await;
        let asked = gate.0.lock().unwrap();
        assert!(asked.is_sorted(), "{asked:?}");
    }
}
