//! Measures one thing that the guard does and prints the median of its seconds: for the benchmarks.
#![expect(clippy::print_stdout, reason = "what it measures is its output")]

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use deed_agent::{Access, AllowAll, EffectPlan, Gate};
use deed_guard::audit::{AuditConfig, AuditLog, CallRef, Durability, Entry, VerifyOptions, verify};
use deed_guard::policy::{Ground, Policy, PolicyInput, PolicyText, Request, Tier};
use deed_guard::shell::read_command;
use deed_guard::{GuardConfig, GuardGate};
use deed_protocol::SourceInfo;
use deed_testing::{FakeTool, Scenario};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

type Measured = Result<f64, Box<dyn Error>>;
type Measure = (&'static str, fn(&Path) -> Measured);

/// What can be measured, by name.
const MEASURES: &[Measure] = &[
    ("open", |_| calls(Arc::new(AllowAll))),
    ("gate", |folder| calls(gate(folder, Durability::Grouped)?)),
    ("strict", |folder| calls(gate(folder, Durability::Strict)?)),
    ("sync", sync),
    ("read-command", |_| command(|| drop(read_command(COMMAND)))),
    ("decide", |_| decide()),
    ("verify", verify_records),
];

const COMMAND: &str = "cd crates/deed-guard && cargo test --quiet --all-features -- policy::shell && \
     git diff --stat origin/main | head -20; rg --no-heading 'fn decide' src | sort | uniq -c && \
     ls -la target/debug";
const CALLS: usize = 500;
const RECORDS: u64 = 200_000;

fn main() -> Result<(), Box<dyn Error>> {
    let name = std::env::args().nth(1).unwrap_or_default();
    let Some((_, measure)) = MEASURES.iter().find(|(own, _)| *own == name) else {
        let names: Vec<&str> = MEASURES.iter().map(|(name, _)| *name).collect();
        return Err(format!("name one of {}", names.join(", ")).into());
    };
    let folder = tempfile::tempdir()?;
    println!("{}", measure(folder.path())?);
    Ok(())
}

/// 200 rules, none of which is the one that decides.
fn policy() -> Result<Policy, Box<dyn Error>> {
    let rules = |prefix: &str, count: usize| -> Vec<String> {
        (0..count)
            .map(|index| match index % 3 {
                0 => format!("Bash({prefix}{index} *)"),
                1 => format!("Read(/{prefix}/{index}/**)"),
                _ => format!("Write(/{prefix}/{index}/*.rs)"),
            })
            .collect()
    };
    let mut allow = rules("allowed", 100);
    allow.extend(
        [
            "cd",
            "cargo test",
            "git diff",
            "head",
            "rg",
            "sort",
            "uniq",
            "ls",
        ]
        .map(|command| format!("Bash({command} *)")),
    );
    let text = json!({
        "version": 1,
        "permissions": {
            "deny": rules("denied", 60),
            "ask": rules("asked", 32),
            "allow": allow,
        },
    });
    Ok(Policy::build(PolicyInput {
        files: vec![PolicyText::new(Tier::User, "policy.json", text.to_string())],
        ground: Ground {
            workspace: vec!["/proj".into()],
            ..Ground::default()
        },
        mode: None,
    })?)
}

fn log(folder: &Path, durability: Durability) -> Result<AuditLog, Box<dyn Error>> {
    let config = AuditConfig {
        durability,
        ..AuditConfig::new(folder.join("audit"), "session", "boot")
    };
    Ok(AuditLog::open(config)?.0)
}

fn gate(folder: &Path, durability: Durability) -> Result<Arc<dyn Gate>, Box<dyn Error>> {
    let mut config = GuardConfig::new(policy()?);
    config.audit = Some(Arc::new(log(folder, durability)?));
    Ok(Arc::new(GuardGate::new(config)))
}

/// A call of a tool that writes nothing but says it would, through the real runner.
fn calls(gate: Arc<dyn Gate>) -> Measured {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let access = Access::Write(vec!["/allowed/98/a.rs".into()]);
        let mut tool = FakeTool::new("t").accesses(access);
        tool = tool.from_source(SourceInfo::builtin("t"));
        let scenario = Scenario::new().tool(tool).gate(gate);
        let cancel = CancellationToken::new();
        let mut took = Vec::with_capacity(CALLS);
        for index in 0..CALLS {
            let call = [("t", json!({ "say": index.to_string() }))];
            let begin = Instant::now();
            let results = scenario.batch(&call, &cancel).await;
            took.push(begin.elapsed().as_secs_f64());
            if results.iter().any(|result| result.is_error) {
                return Err(format!("a call failed: {results:?}").into());
            }
        }
        Ok(median(took))
    })
}

/// What the disk takes for one record.
fn sync(folder: &Path) -> Measured {
    let log = log(folder, Durability::Grouped)?;
    let mut took = Vec::with_capacity(CALLS);
    for _ in 0..CALLS {
        let entry = Entry::void(CallRef::new("r", "c", "t"), "g");
        let begin = Instant::now();
        log.append_synced(vec![entry])?;
        took.push(begin.elapsed().as_secs_f64());
    }
    Ok(median(took))
}

fn decide() -> Measured {
    let policy = policy()?;
    let source = SourceInfo::builtin("bash");
    let access = Access::Command {
        command: COMMAND.to_owned(),
        cwd: "/proj".into(),
    };
    let plan = EffectPlan::new(access, "Bash", COMMAND);
    let args: Value = json!({ "command": COMMAND });
    let request = Request {
        tool: "bash",
        source: &source,
        plan: &plan,
        args: &args,
    };
    command(|| drop(policy.decide(&request)))
}

fn command(act: impl Fn()) -> Measured {
    let once = || {
        let begin = Instant::now();
        act();
        begin.elapsed().as_secs_f64()
    };
    Ok(median((0..CALLS).map(|_| once()).collect()))
}

fn verify_records(folder: &Path) -> Measured {
    let log = log(folder, Durability::Grouped)?;
    for _ in 0..RECORDS / 1000 {
        let entry = |index: u64| {
            let call = CallRef::new("run", &format!("call_{index}"), "bash");
            Entry::call(call, r#"{"command":"cargo test --quiet -- policy::shell"}"#)
        };
        log.append((0..1000).map(entry).collect::<Vec<_>>())?;
    }
    log.close()?;
    let begin = Instant::now();
    let report = verify(&folder.join("audit"), &VerifyOptions::default())?;
    let took = begin.elapsed().as_secs_f64();
    if !report.is_whole() || report.records < RECORDS {
        return Err(report.to_string().into());
    }
    Ok(took)
}

fn median(mut took: Vec<f64>) -> f64 {
    took.sort_by(f64::total_cmp);
    took.get(took.len() / 2).copied().unwrap_or_default()
}
