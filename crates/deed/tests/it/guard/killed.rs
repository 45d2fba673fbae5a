//! `kill -9` in the middle of effects.

use std::collections::BTreeSet;

use super::{audit_folder, bash, records};
use crate::support::{Running, Sandbox, wait_for};
use rustix::process::Signal;
use serde_json::{Value, json};

const ROUNDS: usize = 10;
const BATCHES: usize = 12;
const CALLS_OF_A_BATCH: usize = 4;

/// Calls that each leave a file of their name.
fn calls(round: usize) -> String {
    let call = |batch: usize, number: usize| -> Value {
        let id = format!("{round}-{batch}-{number}");
        json!({"id": id, "name": "bash", "arguments": bash(&format!("echo {id} >> done-{id}"))["arguments"]})
    };
    let batch = |batch| (0..CALLS_OF_A_BATCH).map(|it| call(batch, it)).collect();
    (0..BATCHES)
        .map(|it| format!("{}\n", Value::Array(batch(it))))
        .collect()
}

fn effects(sandbox: &Sandbox) -> BTreeSet<String> {
    let entries = std::fs::read_dir(sandbox.path("")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names
        .filter_map(|name| name.strip_prefix("done-").map(str::to_owned))
        .collect()
}

fn kill_after(sandbox: &Sandbox, round: usize, count: usize) {
    let before = effects(sandbox).len();
    let mut running: Running = sandbox.start_exec(&[]);
    running.say(calls(round).as_bytes());
    wait_for("effects", || effects(sandbox).len() >= before + count);
    running.signal(Signal::KILL);
    assert_eq!(running.wait(), -Signal::KILL.as_raw());
}

#[test]
fn a29_an_effect_without_an_intent_on_record_does_not_exist() {
    let sandbox = Sandbox::new();
    for round in 0..ROUNDS {
        // Every round at another place of a batch, and wherever the program is by then.
        kill_after(&sandbox, round, 1 + 3 * round);
        let verified = sandbox.deed(&["audit", "verify", "--json"]);
        let report: Value = serde_json::from_str(&verified.stdout).unwrap();
        for finding in report["findings"].as_array().unwrap() {
            let kind = finding["kind"].as_str().unwrap();
            assert!(["torn_tail", "recovered"].contains(&kind), "{report:#}");
        }
        // The next start goes on from there.
        sandbox.exec(json!({"name": "ls"}).to_string());
        let verified = sandbox.deed(&["audit", "verify"]);
        assert_eq!(verified.code, 0, "{verified:?}");

        let intents = records(&sandbox, &["--event", "intent"]);
        let intended: BTreeSet<String> = intents
            .iter()
            .map(|record| record["call_id"].as_str().unwrap().to_owned())
            .collect();
        let unrecorded: Vec<_> = effects(&sandbox).difference(&intended).cloned().collect();
        assert!(unrecorded.is_empty(), "{unrecorded:?}");
    }
    assert!(audit_folder(&sandbox).join("audit.head").exists());
}
