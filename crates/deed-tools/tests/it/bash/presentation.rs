//! What models, gates and people are told of the tool and its calls.

use std::sync::Arc;

use deed_agent::Access;
use deed_env::LocalEnv;
use deed_protocol::{Block, ToolCard, ToolResult};
use deed_schema::RawArgs;
use deed_tooling::{ResultView, ToolDefinition};
use deed_tools::{BUILTINS, ToolBasis, ToolSettings};
use serde_json::{Value, json};

use crate::support::{Bench, Called};

fn definition() -> Arc<dyn ToolDefinition> {
    let config = deed_env::LocalConfig {
        cwd: "/somewhere".into(),
        ..Default::default()
    };
    let env = Arc::new(LocalEnv::new(config));
    let basis = ToolBasis {
        env,
        settings: Arc::new(ToolSettings::default()),
    };
    let builtin = BUILTINS
        .iter()
        .find(|builtin| builtin.name == "bash")
        .unwrap();
    (builtin.make)(&basis)
}

#[test]
fn models_are_told_the_limits() {
    let definition = definition();
    let description = &definition.spec().description;
    for limit in ["600 seconds", "2000 lines", "50 KB"] {
        assert!(description.contains(limit), "{description}");
    }
    let schema = definition.spec().parameters.as_value();
    assert_eq!(schema["properties"]["timeout"]["maximum"], 2_147_483);
    assert_eq!(schema["additionalProperties"], false);
    assert!(definition.prompt().snippet().is_some());
}

#[tokio::test]
async fn the_plan_is_the_command_and_its_preview_shows_every_line() {
    let definition = definition();
    let command = "# list files\nrm -r d";
    let raw = RawArgs::from_value(&json!({ "command": command }));
    let args = definition.spec().parameters.validate(&raw).unwrap();
    let plan = definition.plan(&args).await.unwrap();
    let cwd = "/somewhere".into();
    assert_eq!(
        plan.access,
        Access::Command {
            command: command.to_owned(),
            cwd
        }
    );
    assert_eq!(&*plan.policy_name, "Bash");
    assert_eq!(plan.context.0["cwd"], "/somewhere");
    assert_eq!(plan.subject, command);
    let preview = plan.preview.unwrap();
    let is_whole = |block: &Block| matches!(block, Block::Code { text, .. } if text == command);
    assert!(preview.blocks.iter().any(is_whole), "{preview:?}");
}

async fn card(called: &Called, args: &Value, view: ResultView) -> ToolCard {
    let result = ToolResult {
        content: called.result.content.clone(),
        details: called.result.details.clone(),
        is_error: called.result.is_error,
        ..ToolResult::default()
    };
    definition().render_result(args, &result, view).await
}

#[tokio::test]
async fn a_card_shows_the_end_of_the_output_and_how_it_ended() {
    let args = json!({ "command": "seq 1 30; exit 2" });
    let called = Bench::new().call("bash", args.clone()).await;
    let brief = card(&called, &args, ResultView::default()).await;
    assert_eq!(brief.subject, "$ seq 1 30; exit 2");
    assert_eq!(brief.badges.last().unwrap().text, "exit 2");
    let Some(Block::Text { text }) = brief.blocks.last() else {
        panic!("{brief:?}")
    };
    assert!(
        text.starts_with("23\n") && text.ends_with("Command exited with code 2"),
        "{text}"
    );
    let expanded = ResultView {
        expanded: true,
        partial: false,
    };
    let whole = card(&called, &args, expanded).await;
    let Some(Block::Text { text }) = whole.blocks.last() else {
        panic!("{whole:?}")
    };
    assert!(text.starts_with("1\n2\n"), "{text}");
    let running = ResultView {
        expanded: false,
        partial: true,
    };
    assert_eq!(
        card(&called, &args, running)
            .await
            .badges
            .last()
            .unwrap()
            .text,
        "running"
    );
}

#[tokio::test]
async fn arguments_that_are_wrong_still_have_a_card() {
    for args in [
        json!(null),
        json!({}),
        json!({ "command": 7, "timeout": "x" }),
    ] {
        let card = definition().render_call(&args).await;
        assert_eq!(card.title, "bash");
    }
}
