//! Questions that handlers ask.

use std::sync::Arc;
use std::time::Duration;

use deed_extensions::{
    Extension, ExtensionContext, ToolCallEvent, ToolCallReply, UiPromptEndEvent, UiPromptStartEvent,
};
use deed_tooling::AskOptions;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::support::{Notes, Person, Play, batch, call, ext, one_call};

/// A gate that asks about every call.
fn gate(options: AskOptions) -> Arc<dyn Extension> {
    ext("gate", move |api| {
        let options = options.clone();
        api.on(move |call: &mut ToolCallEvent, context| {
            let options = options.clone();
            Box::pin(async move {
                let id = call.tool_call_id.clone();
                Ok(match context.ui().confirm("Run?", &id, &options).await {
                    true => ToolCallReply::NoObjection,
                    false => ToolCallReply::block("Rejected by user."),
                })
            })
        })?;
        Ok(())
    })
}

fn play(person: &Person) -> Play {
    let person = Arc::new(person.clone());
    Play::new().change(|builder| builder.ui(person))
}

#[tokio::test(start_paused = true)]
async fn b122_questions_of_a_batch_come_one_after_the_other_in_call_order_and_all_are_settled() {
    let person = Person::agreeing().after(Duration::from_secs(5));
    let calls = [call("a", "t", json!({})), call("b", "t", json!({}))];
    let played = play(&person)
        .with(gate(AskOptions::default()))
        .run(batch(&calls))
        .await;
    assert_eq!(
        person.notes.lines(),
        [
            "asked Run? a",
            "answered Run? a",
            "asked Run? b",
            "answered Run? b"
        ]
    );
    assert_eq!(
        (played.text("a"), played.text("b")),
        ("ok".into(), "ok".into())
    );
}

#[tokio::test(start_paused = true)]
async fn b122_cancelling_settles_the_open_question_and_every_call() {
    let person = Person::deaf();
    let calls = [call("a", "t", json!({})), call("b", "t", json!({}))];
    let notes = Notes::default();
    let heard = notes.clone();
    let asks = ext("asks", move |api| {
        let notes = heard.clone();
        api.on(move |_: &mut ToolCallEvent, context| {
            let notes = notes.clone();
            Box::pin(async move {
                let sure = context.ui().confirm("Run?", "", &Default::default()).await;
                notes.add(format!("settled with {sure}"));
                Ok(ToolCallReply::NoObjection)
            })
        })?;
        Ok(())
    });
    let played = play(&person).with(asks).load(batch(&calls)).await;
    let session = played.session.clone();
    let prompting = played.prompt("go");
    let cancelling = async {
        while person.notes.lines().is_empty() {
            tokio::task::yield_now().await;
        }
        session.cancel();
    };
    let since = tokio::time::Instant::now();
    let (end, ()) = tokio::join!(prompting, cancelling);
    assert!(end.aborted);
    assert_eq!(
        since.elapsed().as_secs(),
        0,
        "nobody waits for the front end"
    );
    assert_eq!(notes.lines(), ["settled with false"]);
    for id in ["a", "b"] {
        assert_eq!(played.fault(id), "Operation aborted");
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_ends_with_its_timeout_and_with_its_token() {
    let timeout = AskOptions {
        timeout: Some(Duration::from_secs(30)),
        ..AskOptions::default()
    };
    let token = CancellationToken::new();
    token.cancel();
    let cancelled = AskOptions {
        cancel: Some(token),
        ..AskOptions::default()
    };
    for options in [timeout, cancelled] {
        let person = Person::deaf();
        let played = play(&person)
            .with(gate(options))
            .run(one_call(json!({})))
            .await;
        assert_eq!(played.fault("c"), "Rejected by user.");
    }
}

#[tokio::test]
async fn with_nobody_there_the_answer_is_no_whatever_the_front_end_says() {
    let notes = Notes::default();
    let heard = notes.clone();
    let asks = ext("asks", move |api| {
        let notes = heard.clone();
        api.on(move |_: &mut ToolCallEvent, context| {
            let notes = notes.clone();
            Box::pin(async move {
                let options = AskOptions::default();
                let ui = context.ui();
                notes.add(format!(
                    "{} {} {:?} {:?}",
                    context.has_ui(),
                    ui.confirm("a", "", &options).await,
                    ui.select("b", &["x".to_owned()], &options).await,
                    ui.input("c", None, &options).await,
                ));
                Ok(ToolCallReply::NoObjection)
            })
        })?;
        Ok(())
    });
    let person = Person::absent();
    play(&person)
        .with(asks.clone())
        .run(one_call(json!({})))
        .await;
    Play::new().with(asks).run(one_call(json!({}))).await;
    assert_eq!(
        notes.lines(),
        ["false false None None", "false false None None"]
    );
    assert_eq!(person.notes.lines(), [""; 0]);
}

#[tokio::test]
async fn handlers_know_where_they_are_and_can_end_the_run() {
    let notes = Notes::default();
    let heard = notes.clone();
    let looks = ext("looks", move |api| {
        let notes = heard.clone();
        let look = move |context: &ExtensionContext| {
            let ui = context.ui();
            ui.notify("hello", deed_protocol::NoticeLevel::Info);
            let model = context.model().unwrap().id;
            let session = context.session().id().unwrap();
            notes.add(format!("{model} {session} idle {}", context.is_idle()));
            assert!(context.cwd().is_absolute());
            assert!(context.system_prompt().contains("Working folder"));
            assert!(!context.cancel().is_cancelled());
            context.abort();
            assert!(context.cancel().is_cancelled());
        };
        api.on(move |_: &mut ToolCallEvent, context| {
            look(context);
            Box::pin(async { Ok(ToolCallReply::NoObjection) })
        })?;
        Ok(())
    });
    let person = Person::agreeing();
    let play = play(&person).with(looks);
    let play = play.change(|builder| builder.identity("of a test", None));
    let played = play.load(one_call(json!({}))).await;
    let end = played.prompt("go").await;
    assert!(end.aborted);
    assert_eq!(played.fault("c"), "Operation aborted");
    assert_eq!(notes.lines(), ["script of a test idle false"]);
    assert_eq!(person.notes.lines(), ["notified hello"]);
}

/// Asks, and before, during and after that may change the arguments.
#[derive(Clone, Copy, Default)]
struct Asker {
    before: Option<&'static str>,
    during: Option<&'static str>,
    after: Option<&'static str>,
    how: How,
}

#[derive(Clone, Copy, Default)]
enum How {
    #[default]
    Confirm,
    Select,
    Input,
}

impl Asker {
    fn extension(self, name: &'static str) -> Arc<dyn Extension> {
        ext(name, move |api| {
            api.on(move |call: &mut ToolCallEvent, context| {
                Box::pin(async move {
                    self.ask(call, context).await;
                    Ok(ToolCallReply::NoObjection)
                })
            })?;
            Ok(())
        })
    }

    async fn ask(self, call: &ToolCallEvent, context: &ExtensionContext) {
        let say = |text: Option<&str>| {
            if let Some(text) = text {
                call.edit_input(|input| input["say"] = json!(text));
            }
        };
        say(self.before);
        let options = AskOptions::default();
        let choices = ["yes".to_owned()];
        let ui = context.ui();
        let asking = async {
            match self.how {
                How::Confirm => drop(ui.confirm("Run?", "", &options).await),
                How::Select => drop(ui.select("Run?", &choices, &options).await),
                How::Input => drop(ui.input("Run?", None, &options).await),
            }
        };
        let changing = async {
            tokio::task::yield_now().await;
            say(self.during);
        };
        tokio::join!(asking, changing);
        say(self.after);
    }
}

/// Changes the arguments without asking.
fn changes() -> Arc<dyn Extension> {
    ext("changes", |api| {
        api.on(|call: &mut ToolCallEvent, _| {
            call.edit_input(|input| input["say"] = json!("changed"));
            Box::pin(async { Ok(ToolCallReply::NoObjection) })
        })?;
        Ok(())
    })
}

const OTHERS: &str = "Not run: a person said yes to other arguments";

#[tokio::test(start_paused = true)]
async fn a_yes_is_good_for_the_arguments_of_the_moment_it_was_asked_for() {
    let slowly = || Person::agreeing().after(Duration::from_secs(1));
    let asker = Asker::default();
    let runs = [
        (asker, "x"),
        (
            Asker {
                before: Some("shown"),
                ..asker
            },
            "shown",
        ),
    ];
    for (asker, said) in runs {
        let play = play(&slowly()).with(asker.extension("asks"));
        let played = play.run(one_call(json!({ "say": "x" }))).await;
        assert_eq!(played.text("c"), said);
    }
    let refused = [
        Asker {
            during: Some("meanwhile"),
            ..asker
        },
        Asker {
            after: Some("afterwards"),
            ..asker
        },
        Asker {
            after: Some("afterwards"),
            how: How::Select,
            ..asker
        },
        Asker {
            after: Some("afterwards"),
            how: How::Input,
            ..asker
        },
    ];
    for asker in refused {
        let play = play(&slowly()).with(asker.extension("asks"));
        let played = play.run(one_call(json!({ "say": "x" }))).await;
        let text = played.fault("c");
        assert!(
            text.starts_with(OTHERS) && text.contains("asks had asked"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn another_extension_cannot_change_what_a_person_said_yes_to() {
    let asks = || Asker::default().extension("asks");
    let call = || one_call(json!({ "say": "x" }));
    let late = play(&Person::agreeing()).with(asks()).with(changes());
    let text = late.run(call()).await.fault("c");
    assert!(text.starts_with(OTHERS), "{text}");
    let early = play(&Person::agreeing()).with(changes()).with(asks());
    assert_eq!(early.run(call()).await.text("c"), "changed");
}

#[tokio::test]
async fn a_no_binds_nothing() {
    let asks = Asker::default().extension("asks");
    let play = play(&Person::refusing()).with(asks).with(changes());
    let played = play.run(one_call(json!({ "say": "x" }))).await;
    assert_eq!(
        played.text("c"),
        "changed",
        "the guard had no objection all the same"
    );
}

#[tokio::test(start_paused = true)]
async fn questions_that_overlap_are_told_as_one_wait() {
    let person = Person::agreeing().after(Duration::from_secs(5));
    let notes = person.notes.clone();
    let listening = ext("listening", move |api| {
        let (starts, ends) = (notes.clone(), notes.clone());
        api.on(move |event: &mut UiPromptStartEvent, _| {
            starts.add(format!("start {} {}", event.kind.as_str(), event.title));
            Box::pin(async { Ok(()) })
        })?;
        api.on(move |event: &mut UiPromptEndEvent, _| {
            ends.add(format!("end {} {}", event.kind.as_str(), event.title));
            Box::pin(async { Ok(()) })
        })?;
        api.register_command("ask", "", |_, context| {
            Box::pin(async move {
                let (options, ui) = (AskOptions::default(), context.ui());
                let later = async {
                    tokio::time::sleep(Duration::from_secs(3)).await;
                    ui.input("Second?", None, &options).await
                };
                tokio::join!(ui.confirm("First?", "", &options), later);
                let closing = AskOptions {
                    timeout: Some(Duration::from_secs(1)),
                    cancel: None,
                };
                // Taken back: its end is told all the same.
                ui.confirm("Third?", "", &closing).await;
                tokio::time::sleep(Duration::from_secs(1)).await;
                Ok(())
            })
        })
    });
    let played = play(&person).with(listening).load(json!([{}])).await;
    played.session.run_command("ask", "").await.unwrap();
    let told = person.notes.lines().into_iter();
    let told = told.filter(|line| line.starts_with("start") || line.starts_with("end"));
    assert_eq!(
        told.collect::<Vec<_>>(),
        [
            "start confirm First?",
            "end confirm First?",
            "start confirm Third?",
            "end confirm Third?",
        ]
    );
}
