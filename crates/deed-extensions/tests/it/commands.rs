//! Commands and flags.

use std::collections::HashMap;
use std::sync::Arc;

use deed_extensions::{
    CommandError, Extension, ExtensionError, FlagKind, FlagValue, HostOptions, SessionStartEvent,
};
use serde_json::json;

use crate::support::{Notes, Play, ext};

/// Registers a command that writes down who runs it with what.
fn commands(owner: &'static str, command: &'static str, notes: &Notes) -> Arc<dyn Extension> {
    let notes = notes.clone();
    ext(owner, move |api| {
        let notes = notes.clone();
        api.register_command(command, owner, move |args, context| {
            notes.add(format!(
                "{owner} runs with {args:?}, idle {}",
                context.is_idle()
            ));
            Box::pin(async { Ok(()) })
        })
    })
}

#[tokio::test]
async fn commands_of_one_name_are_numbered_in_load_order() {
    let notes = Notes::default();
    let play = Play::new()
        .with(commands("a", "deploy", &notes))
        .with(commands("b", "other", &notes))
        .with(commands("c", "deploy", &notes));
    let played = play.load(json!([{}])).await;
    let listed = played.session.commands();
    let listed: Vec<(&str, &str)> = listed
        .iter()
        .map(|command| (command.invocation.as_str(), &*command.description))
        .collect();
    assert_eq!(
        listed,
        [("deploy:1", "a"), ("other", "b"), ("deploy:2", "c")]
    );
    played
        .session
        .run_command("deploy:2", "now  please")
        .await
        .unwrap();
    played.session.run_command("other", "").await.unwrap();
    assert_eq!(
        notes.lines(),
        [
            r#"c runs with "now  please", idle true"#,
            r#"b runs with "", idle true"#
        ]
    );
    let unknown = played.session.run_command("deploy", "").await.unwrap_err();
    assert_eq!(
        unknown.to_string(),
        "there is no command `deploy`; there are deploy:1, deploy:2"
    );
}

#[tokio::test]
async fn a_command_that_fails_says_so_and_is_reported() {
    let fails = ext("fails", |api| {
        api.register_command("errs", "", |_, _| {
            Box::pin(async { Err("no network".into()) })
        })?;
        api.register_command("panics", "", |_, _| panic!("no idea"))
    });
    let played = Play::new().with(fails).load(json!([{}])).await;
    for (name, error) in [("errs", "no network"), ("panics", "it panicked: no idea")] {
        let failed = played.session.run_command(name, "").await.unwrap_err();
        let expected = CommandError::Failed {
            name: name.to_owned(),
            error: error.to_owned(),
        };
        assert_eq!(failed, expected);
        let report = format!("<inline:fails> command: {error}");
        assert!(played.failures.lines().contains(&report));
    }
}

#[tokio::test]
async fn an_extension_that_registers_a_command_again_replaces_its_own_also_while_the_session_runs()
{
    let twice = ext("twice", |api| {
        let acting = api.clone();
        api.register_command("x", "first", |_, _| Box::pin(async { Ok(()) }))?;
        api.on(move |_: &mut SessionStartEvent, _| {
            let registered =
                acting.register_command("x", "second", |_, _| Box::pin(async { Ok(()) }));
            registered.unwrap();
            Box::pin(async { Ok(()) })
        })?;
        let bad = api.register_command("two words", "", |_, _| Box::pin(async { Ok(()) }));
        assert!(matches!(bad, Err(ExtensionError::CommandName { .. })));
        Ok(())
    });
    let played = Play::new().with(twice).load(json!([{}])).await;
    let commands = played.session.commands();
    assert_eq!(commands.len(), 1, "{commands:?}");
    assert_eq!(
        (&*commands[0].invocation, &*commands[0].description),
        ("x", "second")
    );
}

/// Registers flags and writes down what they hold when the session starts.
fn flags(owner: &'static str, notes: &Notes) -> Arc<dyn Extension> {
    let notes = notes.clone();
    ext(owner, move |api| {
        let text = |text: &str| Some(FlagValue::Text(text.to_owned()));
        api.register_flag("target", FlagKind::Text, text(owner), "Where to")?;
        api.register_flag("dry", FlagKind::Switch, Some(FlagValue::Switch(false)), "")?;
        api.register_flag("loud", FlagKind::Switch, None, "")?;
        let wrong = api.register_flag("wrong", FlagKind::Switch, text("yes"), "");
        assert!(matches!(wrong, Err(ExtensionError::FlagDefault { .. })));
        let (acting, notes) = (api.clone(), notes.clone());
        api.on(move |_: &mut SessionStartEvent, _| {
            let values = ["target", "dry", "loud", "unknown"].map(|name| {
                let value = acting.get_flag(name).unwrap();
                format!("{value:?}")
            });
            notes.add(format!("{owner}: {}", values.join(" ")));
            Box::pin(async { Ok(()) })
        })?;
        Ok(())
    })
}

#[tokio::test]
async fn a_flag_holds_what_was_given_and_otherwise_its_default() {
    let notes = Notes::default();
    let given = HashMap::from([
        ("target".to_owned(), FlagValue::Text("prod".to_owned())),
        (
            "dry".to_owned(),
            FlagValue::Text("of the wrong kind".to_owned()),
        ),
    ]);
    let options = HostOptions {
        flags: given,
        ..HostOptions::default()
    };
    let play = Play::new().with(flags("a", &notes));
    let played = play
        .change(|builder| builder.extension_options(options))
        .load(json!([{}]))
        .await;
    assert_eq!(
        notes.lines(),
        [r#"a: Some(Text("prod")) Some(Switch(false)) None None"#]
    );
    assert_eq!(
        played.diagnostics(),
        ["<inline:a>: the flag `dry` takes yes or no; what was given is ignored"]
    );
    let names: Vec<String> = played
        .session
        .extensions()
        .flags()
        .iter()
        .map(|flag| flag.name.to_string())
        .collect();
    assert_eq!(names, ["target", "dry", "loud"]);
}

#[tokio::test]
async fn of_two_extensions_with_one_flag_the_first_has_it_and_both_are_named() {
    let notes = Notes::default();
    let play = Play::new()
        .with(flags("first", &notes))
        .with(flags("second", &notes));
    let played = play.load(json!([{}])).await;
    assert_eq!(
        notes.lines(),
        [
            r#"first: Some(Text("first")) Some(Switch(false)) None None"#,
            "second: None None None None",
        ]
    );
    let diagnostics = played.diagnostics();
    assert_eq!(diagnostics.len(), 3);
    assert_eq!(
        diagnostics[0],
        "<inline:second>: the flag `target` was not registered: <inline:first> already has one of \
         that name"
    );
}
