//! Loading extensions, and what is left of one that fails.

use std::sync::{Arc, Mutex};

use deed_agent::BoxFuture;
use deed_env::MemoryEnv;
use deed_extensions::{
    Extension, ExtensionApi, ExtensionError, FlagKind, Problem, SessionShutdownEvent,
    SessionStartEvent, ToolCallEvent, ToolCallReply,
};
use deed_harness::{AgentSession, SessionError};
use deed_protocol::SourceInfo;
use deed_testing::FakeTool;
use serde_json::json;

use crate::support::{Notes, Play, ext, lifted, one_call};

/// Writes down when it registers and when handlers of the start run.
fn recorded(name: &'static str, notes: &Notes) -> Arc<dyn Extension> {
    let notes = notes.clone();
    ext(name, move |api| {
        notes.add(format!("{name} registers"));
        for handler in ["first", "second"] {
            let notes = notes.clone();
            api.on(move |_: &mut SessionStartEvent, _| {
                notes.add(format!("{name} starts, {handler}"));
                Box::pin(async { Ok(()) })
            })?;
        }
        Ok(())
    })
}

#[tokio::test]
async fn extensions_register_and_hear_in_load_order() {
    let notes = Notes::default();
    let play = Play::new().with(recorded("b", &notes));
    play.with(recorded("a", &notes)).load(json!([{}])).await;
    let expected = [
        "b registers",
        "a registers",
        "b starts, first",
        "b starts, second",
        "a starts, first",
        "a starts, second",
    ];
    assert_eq!(notes.lines(), expected);
}

/// Registers one of everything.
fn registers_all(api: &ExtensionApi) -> Result<(), ExtensionError> {
    api.on(|_: &mut ToolCallEvent, _| {
        Box::pin(async { Ok(ToolCallReply::block("from a ghost")) })
    })?;
    api.register_tool(lifted(FakeTool::new("ghost")))?;
    api.register_command("ghost", "", |_, _| Box::pin(async { Ok(()) }))?;
    api.register_flag("ghost", FlagKind::Switch, None, "")
}

#[tokio::test]
async fn of_an_extension_that_fails_midway_nothing_stays_and_the_session_goes_on() {
    let fails = ext("fails", |api| {
        registers_all(api)?;
        Err("out of luck".into())
    });
    let panics = ext("panics", |api| {
        registers_all(api)?;
        panic!("out of order")
    });
    let works = ext("works", |api| {
        api.register_tool(lifted(FakeTool::new("real")))
    });
    let play = Play::new().with(fails).with(panics).with(works);
    let played = play.run(one_call(json!({ "say": "ran" }))).await;
    assert_eq!(
        played.diagnostics(),
        [
            "<inline:fails>: not loaded: out of luck",
            "<inline:panics>: not loaded: it panicked while it registered: out of order",
        ]
    );
    assert_eq!(played.text("c"), "ran", "the guard is gone");
    let asked = &played.asked()[0];
    assert!(asked.has_tool("real") && !asked.has_tool("ghost"));
    assert_eq!(played.session.commands(), []);
    assert_eq!(played.session.extensions().flags(), []);
    assert_eq!(played.session.extensions().extensions().len(), 1);
}

#[tokio::test]
async fn two_extensions_of_one_place_are_not_both_loaded() {
    let notes = Notes::default();
    let play = Play::new().with(recorded("one", &notes));
    let played = play.with(recorded("one", &notes)).load(json!([{}])).await;
    assert_eq!(notes.lines()[0], "one registers");
    assert_eq!(notes.lines().len(), 3, "{:?}", notes.lines());
    let diagnostics = played.session.diagnostics();
    assert!(matches!(diagnostics[0].problem, Problem::NotLoaded(_)));
}

#[tokio::test]
async fn a_session_with_extensions_is_not_built_without_loading_them() {
    let builder = AgentSession::builder(Arc::new(MemoryEnv::new("/")));
    let refused = builder.extension(ext("guard", |_| Ok(()))).build();
    assert!(matches!(refused, Err(SessionError::ExtensionsNotLoaded)));
}

/// Tries every action and writes down what came of it.
async fn try_all(api: &ExtensionApi) -> Vec<String> {
    let none: [&str; 0] = [];
    let outcomes = [
        api.get_active_tools().map(drop),
        api.set_active_tools(&none).map(drop),
        api.get_all_tools().map(drop),
        api.exec("true", &[], Default::default()).await.map(drop),
        api.send_user_message(Default::default(), Default::default()),
    ];
    let errors = outcomes.map(|outcome| outcome.unwrap_err().to_string());
    errors.to_vec()
}

struct Eager {
    kept: Mutex<Option<ExtensionApi>>,
    refused: Mutex<Vec<String>>,
}

impl Extension for Eager {
    fn name(&self) -> &str {
        "eager"
    }

    fn register<'a>(&'a self, api: &'a ExtensionApi) -> BoxFuture<'a, Result<(), ExtensionError>> {
        Box::pin(async move {
            let refused = try_all(api).await;
            *self.refused.lock().unwrap() = refused;
            *self.kept.lock().unwrap() = Some(api.clone());
            Ok(())
        })
    }
}

#[tokio::test]
async fn while_extensions_register_actions_fail_and_after_the_end_everything_does() {
    let eager = Arc::new(Eager {
        kept: Mutex::default(),
        refused: Mutex::default(),
    });
    let notes = Notes::default();
    let ended = notes.clone();
    let last = ext("last", move |api| {
        let (notes, acting) = (ended.clone(), api.clone());
        api.on(move |_: &mut SessionShutdownEvent, _| {
            let works = acting.get_active_tools().is_ok();
            notes.add(format!("told of the end, can act: {works}"));
            Box::pin(async { Ok(()) })
        })?;
        Ok(())
    });
    let play = Play::new().with(eager.clone()).with(last);
    let played = play.load(json!([{}])).await;
    let refused = eager.refused.lock().unwrap().clone();
    assert_eq!(refused.len(), 5);
    for (text, action) in
        refused
            .iter()
            .zip(["get_active", "set_active", "get_all", "exec", "send"])
    {
        assert!(text.starts_with(&format!("`{action}")), "{text}");
        assert!(text.contains("while extensions register"), "{text}");
    }
    let api = eager.kept.lock().unwrap().take().unwrap();
    assert!(api.get_active_tools().is_ok());
    played.session.close().await;
    played.session.close().await;
    assert_eq!(notes.lines(), ["told of the end, can act: true"]);
    for text in try_all(&api).await {
        assert!(text.contains("came too late"), "{text}");
    }
    let late = registers_all(&api).unwrap_err();
    assert!(
        matches!(late, ExtensionError::Stale { action: "on" }),
        "{late}"
    );
}

#[tokio::test]
async fn what_extensions_keep_does_not_keep_the_session_alive() {
    let eager = Arc::new(Eager {
        kept: Mutex::default(),
        refused: Mutex::default(),
    });
    let keeps_itself = ext("loop", |api| {
        let kept = api.clone();
        api.on(move |_: &mut ToolCallEvent, _| {
            let _kept = &kept;
            Box::pin(async { Ok(ToolCallReply::NoObjection) })
        })?;
        let kept = api.clone();
        api.register_tool(lifted(FakeTool::new("x").acts(move |_, _| {
            let _kept = &kept;
            async { Ok(deed_protocol::ToolResult::text("")) }
        })))
    });
    let play = Play::new().with(eager.clone()).with(keeps_itself);
    let played = play.run(one_call(json!({}))).await;
    let host = played.session.extensions().downgrade();
    drop(played);
    // The task that delivers events ends when it next looks, and holds the last of it until then.
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert!(host.upgrade().is_none());
    let api = eager.kept.lock().unwrap().take().unwrap();
    assert!(matches!(
        api.get_active_tools(),
        Err(ExtensionError::Stale { .. })
    ));
}

#[tokio::test]
async fn an_extension_that_says_it_is_built_in_is_not_loaded() {
    struct Posing(&'static str);
    impl Extension for Posing {
        fn name(&self) -> &str {
            "posing"
        }
        fn source(&self) -> SourceInfo {
            SourceInfo {
                source: self.0.into(),
                ..SourceInfo::builtin("read")
            }
        }
        fn register<'a>(
            &'a self,
            api: &'a ExtensionApi,
        ) -> BoxFuture<'a, Result<(), ExtensionError>> {
            Box::pin(async { api.register_tool(lifted(FakeTool::new("ghost"))) })
        }
    }
    for word in ["builtin", "sdk"] {
        let session = Play::new()
            .with(Arc::new(Posing(word)))
            .load(json!([{}]))
            .await
            .session;
        assert!(session.registry().get("ghost").is_none());
        let problem = session.diagnostics().remove(0).problem;
        assert!(matches!(problem, Problem::NotLoaded(reason) if reason.contains(word)));
    }
}
