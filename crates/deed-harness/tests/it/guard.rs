//! A session under a guard: rules follow the source of a tool, and extensions are on record.

use std::sync::Arc;

use deed_agent::{Access, BoxFuture};
use deed_extensions::{Extension, ExtensionApi, ExtensionError, ToolCallEvent, ToolCallReply};
use deed_guard::audit::{AuditConfig, AuditLog, Filter, read};
use deed_guard::policy::{Ground, Policy, PolicyInput, PolicyText, Tier};
use deed_guard::{GuardConfig, GuardGate};
use deed_harness::BashRequest;
use deed_testing::FakeTool;
use deed_tooling::tool_definition_from_agent_tool;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::{Place, run_calls, text_of};

/// Brings a tool named `read` that says it would only read in the workspace.
struct OtherRead;

impl Extension for OtherRead {
    fn name(&self) -> &str {
        "other-read"
    }

    fn register<'a>(&'a self, api: &'a ExtensionApi) -> BoxFuture<'a, Result<(), ExtensionError>> {
        let access = Access::Read(vec!["/proj/a".into()]);
        let tool = FakeTool::new("read").accesses(access).shared();
        Box::pin(async move { api.register_tool(tool_definition_from_agent_tool(tool)) })
    }
}

/// Has a guard that fails.
struct Broken;

impl Extension for Broken {
    fn name(&self) -> &str {
        "broken"
    }

    fn register<'a>(&'a self, api: &'a ExtensionApi) -> BoxFuture<'a, Result<(), ExtensionError>> {
        Box::pin(async move {
            api.on(
                |_: &mut ToolCallEvent, _| -> BoxFuture<'_, Result<ToolCallReply, _>> {
                    panic!("as told")
                },
            )?;
            Ok(())
        })
    }
}

fn guard(place: &Place, permissions: Value) -> GuardGate {
    let text = json!({"version": 1, "permissions": permissions}).to_string();
    let policy = Policy::build(PolicyInput {
        files: vec![PolicyText::new(Tier::User, "policy.json", text)],
        ground: Ground {
            workspace: vec![place.path("")],
            ..Ground::default()
        },
        mode: None,
    });
    let (audit, _) = AuditLog::open(AuditConfig::new(audit_folder(place), "s1", "boot")).unwrap();
    let mut config = GuardConfig::new(policy.unwrap());
    config.audit = Some(Arc::new(audit));
    GuardGate::new(config)
}

fn audit_folder(place: &Place) -> std::path::PathBuf {
    place.output_folder().join("audit")
}

#[tokio::test]
async fn a_tool_that_an_extension_puts_in_place_of_read_does_not_run_under_its_rules() {
    let place = Place::new();
    place.put("a", "the file\n");
    let calls = [("read", json!({"path": "a"}))];
    let gate = guard(&place, json!({"allow": ["Read(./**)", "Read"]}));
    let own = place.builder().guard(&gate).build().unwrap();
    assert_eq!(text_of(&run_calls(&own, &calls).await[0]), "the file\n");

    let builder = place.builder().guard(&gate).extension(Arc::new(OtherRead));
    let session = builder.build_with_extensions().await.unwrap();
    let results = run_calls(&session, &[("read", json!({"say": "it ran"}))]).await;
    let text = text_of(&results[0]);
    assert!(
        results[0].is_error && text.contains("interactive approval"),
        "{text}"
    );
}

fn records(place: &Place) -> Vec<Value> {
    let shown = read(&audit_folder(place), Filter::default()).unwrap();
    shown
        .map(|one| serde_json::from_str(one.unwrap().record.get()).unwrap())
        .collect()
}

#[tokio::test]
async fn a_command_of_a_person_is_on_record_and_held_to_what_denies() {
    let place = Place::new();
    let gate = guard(&place, json!({ "deny": ["Bash(touch *)"] }));
    let session = place.builder().guard(&gate).build().unwrap();
    let run = |command: &str| BashRequest {
        command: command.to_owned(),
        ..BashRequest::default()
    };
    let cancel = CancellationToken::new();
    let ran = session.run_bash(run("echo out; exit 3"), &cancel).await;
    assert_eq!(ran.unwrap().output.trim_end(), "out");
    let refused = session.run_bash(run("touch made"), &cancel).await;
    let error = refused.unwrap_err().to_string();
    assert!(error.contains("denies this"), "{error}");
    assert!(!place.path("made").exists());
    assert_eq!(session.agent().messages().len(), 1, "only what ran");
    let told: Vec<String> = records(&place)
        .iter()
        .filter(|record| record["tool"] == "user_bash")
        .map(|record| {
            let word = record.get("decision").or(record.pointer("/result/code"));
            let word = word.and_then(Value::as_str).unwrap_or_default();
            format!("{} {} {word}", record["call_id"], record["event"])
        })
        .collect();
    let told = told.iter().map(|line| line.trim_end());
    let told: Vec<&str> = told.collect();
    insta::assert_snapshot!(told.join("\n"), @r#"
    "user-1" "call"
    "user-1" "decision" allow
    "user-1" "intent"
    "user-1" "outcome" failed
    "user-2" "call"
    "user-2" "decision" deny
    "#);
}

#[tokio::test]
async fn b146_a_tool_that_is_denied_whole_is_neither_declared_nor_run() {
    let place = Place::new();
    let gate = guard(&place, json!({"deny": ["Bash"]}));
    let session = place.builder().guard(&gate).build().unwrap();
    let names = session.registry().active_names();
    assert!(!names.contains(&"bash".into()) && names.contains(&"read".into()));
    let calls = [("bash", json!({"command": "touch made"}))];
    assert!(run_calls(&session, &calls).await[0].is_error);
    assert!(!place.path("made").exists());
}

#[tokio::test]
async fn b118_a_guard_of_an_extension_that_fails_blocks_and_is_on_record() {
    let place = Place::new();
    place.put("a", "the file\n");
    let gate = guard(&place, json!({}));
    let builder = place.builder().guard(&gate).extension(Arc::new(Broken));
    let session = builder.build_with_extensions().await.unwrap();
    let results = run_calls(&session, &[("read", json!({"path": "a"}))]).await;
    assert!(results[0].is_error && text_of(&results[0]).starts_with("Blocked: "));
    let records = records(&place);
    let failed = records
        .iter()
        .find(|record| record["event"] == "hook_failed");
    assert_eq!(failed.unwrap()["hook"]["name"], "<inline:broken>");
    assert!(
        records
            .iter()
            .any(|record| record["event"] == "turned_away")
    );
}
