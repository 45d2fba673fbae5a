use std::path::PathBuf;
use std::sync::Arc;

use deed_agent::{Access, Classification, EffectPlan};
use deed_guard::policy::{
    Decision, Ground, PermissionMode, Policy, PolicyFaults, PolicyInput, PolicyText, PolicyVerdict,
    SampleCall, Tier,
};
use deed_protocol::SourceInfo;
use serde_json::{Value, json};

mod always;
mod commands;
mod explain;
mod extensions;
mod file;
mod modes;
mod paths;
mod properties;
mod sql;
mod tiers;
mod tools;
mod with_shell;

const ALLOW: PolicyVerdict = PolicyVerdict::Allow;
const ASK: PolicyVerdict = PolicyVerdict::Ask;
const DENY: PolicyVerdict = PolicyVerdict::Deny;

fn ground() -> Ground {
    Ground {
        workspace: vec!["/proj".into()],
        home: Some("/home/ann".into()),
        protected: vec![
            "/home/ann/.config/deed/policy.json".into(),
            "/home/ann/.local/state/deed/audit".into(),
        ],
        always_readable: vec!["/home/ann/.local/state/deed/output/s1".into()],
        skills: vec!["/home/ann/.config/deed/skills/pdf".into()],
    }
}

fn build(files: Vec<PolicyText>, mode: Option<PermissionMode>) -> Result<Policy, PolicyFaults> {
    Policy::build(PolicyInput {
        files,
        ground: ground(),
        mode,
    })
}

fn user_file(text: impl Into<String>) -> Result<Policy, PolicyFaults> {
    build(vec![PolicyText::new(Tier::User, "policy.json", text)], None)
}

/// A user's policy with these lists, in the default mode.
fn rules(deny: &[&str], ask: &[&str], allow: &[&str]) -> Policy {
    in_mode(PermissionMode::Default, deny, ask, allow)
}

fn in_mode(mode: PermissionMode, deny: &[&str], ask: &[&str], allow: &[&str]) -> Policy {
    let text = permissions(deny, ask, allow).to_string();
    let file = PolicyText::new(Tier::User, "policy.json", text);
    build(vec![file], Some(mode)).unwrap()
}

fn permissions(deny: &[&str], ask: &[&str], allow: &[&str]) -> Value {
    json!({"version": 1, "permissions": {"deny": deny, "ask": ask, "allow": allow}})
}

fn sample(call: &str) -> SampleCall {
    SampleCall::parse(call, &ground()).unwrap()
}

fn decide(policy: &Policy, call: &str) -> Decision {
    policy.decide(&sample(call).request())
}

fn verdict(policy: &Policy, call: &str) -> PolicyVerdict {
    decide(policy, call).verdict
}

/// A call that wrote one path and really reaches another.
fn path_call(tool: &str, kind: &str, typed: &str, real: &str) -> SampleCall {
    let real = vec![PathBuf::from(real)];
    let access = match kind {
        "Read" => Access::Read(real),
        _ => Access::Write(real),
    };
    SampleCall {
        tool: tool.to_owned(),
        source: SourceInfo::builtin(tool),
        plan: EffectPlan::new(access, kind, typed),
        args: json!({ "path": typed }),
    }
}

/// A call of a tool that an extension brings.
fn extension_call(tool: &str, source: &str, access: Access, args: Value) -> SampleCall {
    let mut info = SourceInfo::builtin(tool);
    info.source = Arc::from("local");
    info.path = Arc::from(source);
    SampleCall {
        tool: tool.to_owned(),
        source: info,
        plan: EffectPlan::new(access, tool, args.to_string()),
        args,
    }
}

fn sql_call(class: &str, reason: &str, database: &str) -> SampleCall {
    let mut call = sample(&format!("Sql(class:read, db:{database})"));
    call.plan.classification = Some(Classification {
        class: class.to_owned(),
        reason: reason.to_owned(),
    });
    call
}
