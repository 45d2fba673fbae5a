//! The program under its guard: policy, approvals, trust, secrets and the audit log, end to end.

#[cfg(target_os = "linux")]
mod answers;
#[cfg(target_os = "linux")]
mod asking;
mod audit;
mod killed;
mod modes;
mod policy;
mod protected;
mod secrets;
mod session;
mod trust;

use std::path::PathBuf;

use serde_json::{Value, json};

use super::support::{Ran, Sandbox, bash, run};

/// Makes a call of `write`.
fn write(path: impl ToString, content: &str) -> Value {
    json!({"name": "write", "arguments": {"path": path.to_string(), "content": content}})
}

/// Runs `deed exec` where there is no terminal, whoever runs the tests.
fn unattended(sandbox: &Sandbox, args: &[&str], input: impl ToString) -> Ran {
    let mut command = sandbox.unattended(&[&["exec"], args].concat());
    run(&mut command, input.to_string().as_bytes())
}

/// Writes the policy of the user.
fn write_user_policy(sandbox: &Sandbox, policy: &Value) -> PathBuf {
    let folder = sandbox.home().join(".config/deed");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("policy.json");
    std::fs::write(&path, policy.to_string()).unwrap();
    path
}

/// Writes the policy of the project.
fn write_project_policy(sandbox: &Sandbox, policy: &str) {
    std::fs::create_dir_all(sandbox.path(".deed")).unwrap();
    sandbox.write(".deed/policy.json", policy);
}

fn audit_folder(sandbox: &Sandbox) -> PathBuf {
    sandbox.home().join(".local/state/deed/audit")
}

/// Returns the records that pass a filter.
fn records(sandbox: &Sandbox, filter: &[&str]) -> Vec<Value> {
    let args = [&["audit", "show", "--json"], filter].concat();
    sandbox.deed(&args).assert_clean().lines()
}

/// Returns the only record that passes a filter.
#[track_caller]
fn only_record(sandbox: &Sandbox, filter: &[&str]) -> Value {
    let mut records = records(sandbox, filter);
    assert_eq!(records.len(), 1, "{records:#?}");
    records.remove(0)
}
