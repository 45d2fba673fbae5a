//! The own time of guards: what counts, and what happens when it is over.

use std::sync::Arc;
use std::time::Duration;

use deed_extensions::{
    ExecOptions, Extension, ExtensionApi, ExtensionContext, FailureKind, HostOptions,
    ToolCallEvent, ToolCallReply,
};
use deed_tooling::AskOptions;
use serde_json::json;
use tokio::time::sleep;

use crate::support::{Notes, Person, Play, Played, ext, one_call};

type Asking<'a> = deed_agent::BoxFuture<'a, bool>;

/// An extension of one guard that blocks unless its future says yes.
fn guard(
    asks: impl for<'a> Fn(&'a ExtensionContext, ExtensionApi) -> Asking<'a>
    + Clone
    + Send
    + Sync
    + 'static,
) -> Arc<dyn Extension> {
    ext("slow", move |api| {
        let (asks, acting) = (asks.clone(), api.clone());
        api.on(move |_: &mut ToolCallEvent, context| {
            let asking = asks(context, acting.clone());
            Box::pin(async move {
                Ok(match asking.await {
                    true => ToolCallReply::NoObjection,
                    false => ToolCallReply::block("Rejected by user."),
                })
            })
        })?;
        Ok(())
    })
}

const SECOND: Duration = Duration::from_secs(1);

async fn run(guard: Arc<dyn Extension>, person: Person) -> Played {
    let play = Play::new()
        .with(guard)
        .change(|builder| builder.ui(Arc::new(person)));
    play.run(one_call(json!({ "say": "ran" }))).await
}

const TIMED_OUT: &str = "Blocked: the guard of slow ran out of time: it did not decide within 10 s \
                         of its own time; nobody refused the call";

#[tokio::test(start_paused = true)]
async fn b118_a_guard_that_hangs_blocks_with_a_reason_of_its_own() {
    let hangs = guard(|_, _| Box::pin(std::future::pending()));
    let play = Play::new().with(hangs);
    let played = play.load(one_call(json!({}))).await;
    let notes = Notes::default();
    let heard = notes.clone();
    played.session.extensions().on_failure(move |failure| {
        assert_eq!(failure.kind, FailureKind::TimedOut);
        heard.add(failure.extension.path.to_string());
    });
    let since = tokio::time::Instant::now();
    played.prompt("go").await;
    assert_eq!(since.elapsed().as_secs(), 10);
    assert_eq!(played.fault("c"), TIMED_OUT);
    assert_eq!(notes.lines(), ["<inline:slow>"]);
}

#[tokio::test(start_paused = true)]
async fn b118_a_person_who_says_no_is_told_from_a_guard_that_took_too_long() {
    let asks = guard(|context, _| {
        Box::pin(async move { context.ui().confirm("Sure?", "", &Default::default()).await })
    });
    let played = run(asks, Person::refusing()).await;
    assert_eq!(played.fault("c"), "Rejected by user.");
}

#[tokio::test(start_paused = true)]
async fn waiting_for_a_person_is_not_the_guards_own_time() {
    let asks = guard(|context, _| {
        Box::pin(async move {
            sleep(6 * SECOND).await;
            let sure = context.ui().confirm("Sure?", "", &Default::default()).await;
            sleep(3 * SECOND).await;
            sure
        })
    });
    let since = tokio::time::Instant::now();
    let played = run(asks, Person::agreeing().after(30 * SECOND)).await;
    assert_eq!(played.text("c"), "ran");
    assert_eq!(since.elapsed().as_secs(), 39);
}

#[tokio::test(start_paused = true)]
async fn the_own_time_before_and_after_a_question_adds_up() {
    let asks = guard(|context, _| {
        Box::pin(async move {
            sleep(6 * SECOND).await;
            let sure = context.ui().input("Sure?", None, &Default::default()).await;
            sleep(6 * SECOND).await;
            sure.is_some()
        })
    });
    let played = run(asks, Person::agreeing().after(30 * SECOND)).await;
    assert_eq!(played.fault("c"), TIMED_OUT);
}

#[tokio::test(start_paused = true)]
async fn while_one_of_two_questions_is_open_the_time_stands_still() {
    let asks = guard(|context, _| {
        Box::pin(async move {
            let briefly = AskOptions {
                timeout: Some(SECOND),
                ..AskOptions::default()
            };
            let options = AskOptions::default();
            let (_, sure) = tokio::join!(
                context.ui().confirm("Soon?", "", &briefly),
                context.ui().confirm("Sure?", "", &options),
            );
            sure
        })
    });
    let played = run(asks, Person::agreeing().after(30 * SECOND)).await;
    assert_eq!(played.text("c"), "ran");
}

#[tokio::test(start_paused = true)]
async fn a_guard_that_keeps_its_thread_busy_is_found_out_when_it_is_done() {
    let busy = guard(|_, _| {
        Box::pin(async {
            // Stands for work that never yields: nothing else runs meanwhile.
            tokio::time::advance(11 * SECOND).await;
            true
        })
    });
    assert_eq!(run(busy, Person::agreeing()).await.fault("c"), TIMED_OUT);
}

#[tokio::test]
async fn waiting_for_a_program_is_not_the_guards_own_time() {
    let short = HostOptions {
        guard_time: Duration::from_millis(400),
        ..HostOptions::default()
    };
    let execs = guard(|_, api| {
        Box::pin(async move {
            let slept = api.exec("sleep", &["0.8"], ExecOptions::default()).await;
            slept.unwrap().code == 0
        })
    });
    let play = Play::new()
        .with(execs)
        .change(|builder| builder.extension_options(short));
    let played = play.run(one_call(json!({ "say": "ran" }))).await;
    assert_eq!(played.text("c"), "ran");
}

#[tokio::test(start_paused = true)]
async fn the_time_of_a_guard_is_a_setting() {
    let sleeps = guard(|_, _| {
        Box::pin(async {
            sleep(2 * SECOND).await;
            true
        })
    });
    let short = HostOptions {
        guard_time: SECOND,
        ..HostOptions::default()
    };
    let play = Play::new()
        .with(sleeps)
        .change(|builder| builder.extension_options(short));
    let played = play.run(one_call(json!({}))).await;
    assert!(
        played.fault("c").contains("within 1 s"),
        "{}",
        played.fault("c")
    );
}

#[tokio::test(start_paused = true)]
async fn each_guard_has_a_time_of_its_own() {
    let twice = ext("twice", |api| {
        for _ in 0..2 {
            api.on(|_: &mut ToolCallEvent, _| {
                Box::pin(async {
                    sleep(9 * SECOND).await;
                    Ok(ToolCallReply::NoObjection)
                })
            })?;
        }
        Ok(())
    });
    assert_eq!(run(twice, Person::agreeing()).await.text("c"), "ran");
}
