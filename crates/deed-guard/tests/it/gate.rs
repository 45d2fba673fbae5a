//! The gate: what a policy and a person say becomes what runs, and all of it is on record.

mod asking;
mod hostile;
mod people;
mod person_commands;
mod recording;
mod rules;

use std::sync::Arc;

use deed_agent::Access;
use deed_guard::audit::{AuditConfig, AuditLog, Filter, read};
use deed_guard::policy::{Ground, PermissionMode, Policy, PolicyInput, PolicyText, Tier};
use deed_guard::{GuardConfig, GuardGate};
use deed_protocol::ToolResultMessage;
use deed_testing::{FakeTool, Scenario};
use serde_json::{Value, json};
use tempfile::TempDir;

use people::Person;

/// A gate with a person, an audit log and tools of each kind.
pub(crate) struct Place {
    pub(crate) folder: TempDir,
    pub(crate) gate: GuardGate,
    pub(crate) person: Arc<Person>,
    pub(crate) scenario: Scenario,
}

impl Place {
    /// Makes a place with these rules, where the mode is `default`.
    pub(crate) fn with_rules(permissions: Value) -> Self {
        Self::new(permissions, |_| {})
    }

    pub(crate) fn new(permissions: Value, change: impl FnOnce(&mut GuardConfig)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let person = Arc::new(Person::default());
        let audit = AuditConfig::new(folder.path().join("audit"), "s1", "boot");
        let (audit, findings) = AuditLog::open(audit).unwrap();
        assert!(findings.is_empty());
        let mut config = GuardConfig::new(policy(permissions));
        config.approver = person.clone();
        config.audit = Some(Arc::new(audit));
        config.run = "r1".into();
        change(&mut config);
        let gate = GuardGate::new(config);
        let scenario = Scenario::new()
            .gate(Arc::new(gate.clone()))
            .tool(FakeTool::new("look").accesses(Access::Read(vec!["/proj/a".into()])))
            .tool(FakeTool::new("act").accesses(Access::Opaque))
            .tool(
                FakeTool::new("store")
                    .accesses(statement())
                    .classified("write"),
            );
        Self {
            folder,
            gate,
            person,
            scenario,
        }
    }

    pub(crate) async fn call(&self, calls: &[(&str, Value)]) -> Vec<ToolResultMessage> {
        self.scenario.batch(calls, &Default::default()).await
    }

    /// Returns the records so far, without those of the policy and of the files.
    pub(crate) fn records(&self) -> Vec<Value> {
        let shown = read(&self.folder.path().join("audit"), Filter::default()).unwrap();
        shown
            .map(|one| serde_json::from_str(one.unwrap().record.get()).unwrap())
            .filter(|record: &Value| record.get("call_id").is_some())
            .collect()
    }

    /// Returns the records so far as `event` or `event word`.
    pub(crate) fn events(&self) -> Vec<String> {
        self.records().iter().map(short).collect()
    }
}

fn short(record: &Value) -> String {
    let event = record["event"].as_str().unwrap();
    let word = record
        .get("decision")
        .or_else(|| record.pointer("/approval/decision"))
        .or_else(|| record.pointer("/detail/why"))
        .and_then(Value::as_str);
    match word {
        Some(word) => format!("{event} {word}"),
        None => event.to_owned(),
    }
}

pub(crate) fn policy(permissions: Value) -> Policy {
    let text = json!({"version": 1, "permissions": permissions}).to_string();
    Policy::build(PolicyInput {
        files: vec![PolicyText::new(Tier::User, "policy.json", text)],
        ground: Ground {
            workspace: vec!["/proj".into()],
            ..Ground::default()
        },
        mode: Some(PermissionMode::Default),
    })
    .unwrap()
}

fn statement() -> Access {
    Access::Sql {
        database: "shop".to_owned(),
        text: "UPDATE t SET a = 1".to_owned(),
    }
}

pub(crate) fn say(word: &str) -> Value {
    json!({ "say": word })
}

pub(crate) fn texts(results: &[ToolResultMessage]) -> Vec<&str> {
    results
        .iter()
        .map(|one| one.content[0].as_text().unwrap())
        .collect()
}
