use serde_json::{Value, json};

use super::{calling, play};
use crate::support::{Ran, Sandbox};

/// A tool that evaluates what it is given.
const PROBE: &str = r#"
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
const acts = {
  read: (path) => readFileSync(path, "utf8"),
  write: (path) => writeFileSync(path, "written"),
  run: (line) => execFileSync("sh", ["-c", line], { encoding: "utf8" }),
  know: (name) => String(process.env[name]),
};
export default function (pi) {
  pi.registerTool({
    name: "probe", label: "Probe", description: "Probes",
    parameters: { type: "object", properties: { act: { type: "string" }, on: { type: "string" } } },
    async execute(id, { act, on }) {
      let text;
      try { text = `did: ${acts[act](on)}`; } catch (error) { text = `failed: ${error.message}`; }
      return { content: [{ type: "text", text }] };
    },
  });
}
"#;

fn write_policy(sandbox: &Sandbox, extensions: &Value) {
    let folder = sandbox.home().join(".config/deed");
    std::fs::create_dir_all(&folder).unwrap();
    let policy = json!({ "version": 1, "extensions": extensions });
    std::fs::write(folder.join("policy.json"), policy.to_string()).unwrap();
}

/// Lets the probe do something and returns what came of it.
fn probe(sandbox: &Sandbox, act: &str, on: &str) -> String {
    let script = json!([calling("probe", json!({ "act": act, "on": on })), { "say": "." }]);
    let ran: Ran = play(
        sandbox,
        &script,
        &["-e", "probe.ts", "--mode", "json", "go"],
    );
    let ends = ran.lines();
    let end = ends
        .iter()
        .find(|line| line["type"] == "tool_execution_end");
    let text = end.unwrap_or_else(|| panic!("{}{}", ran.stdout, ran.stderr));
    let text = text["result"]["content"][0]["text"].as_str().unwrap();
    sandbox.steady(text.trim_end())
}

#[test]
fn a_policy_says_what_it_may_read_write_run_and_know() {
    let sandbox = Sandbox::new();
    sandbox.write("probe.ts", PROBE);
    sandbox.write("a.txt", "a");
    std::fs::create_dir(sandbox.path("out")).unwrap();
    std::fs::write(sandbox.home().join("secret"), "s").unwrap();
    write_policy(
        &sandbox,
        &json!({ "probe": {
            "fs": { "read": ["."], "write": ["./out"] }, "exec": ["echo"], "env": ["GREETING"],
        } }),
    );
    assert_eq!(probe(&sandbox, "read", "a.txt"), "did: a");
    assert_eq!(probe(&sandbox, "write", "out/b.txt"), "did: undefined");
    assert_eq!(sandbox.read("out/b.txt"), "written");
    assert_eq!(probe(&sandbox, "know", "HOME"), "did: ROOT/home");
    let secret = sandbox.home().join("secret").display().to_string();
    for (act, on) in [("read", secret.as_str()), ("write", "a.txt"), ("run", "id")] {
        let said = probe(&sandbox, act, on);
        assert!(said.starts_with("failed:"), "{act} {on}: {said}");
        assert!(said.contains("was not granted to it"), "{act} {on}: {said}");
    }
    assert_eq!(sandbox.read("a.txt"), "a");
}

#[test]
fn a_link_does_not_lead_out_of_what_it_may_read() {
    let sandbox = Sandbox::new();
    sandbox.write("probe.ts", PROBE);
    std::fs::write(sandbox.home().join("secret"), "s").unwrap();
    std::os::unix::fs::symlink(sandbox.home().join("secret"), sandbox.path("link")).unwrap();
    write_policy(&sandbox, &json!({ "probe": { "fs": { "read": ["."] } } }));
    let said = probe(&sandbox, "read", "link");
    assert!(said.starts_with("failed:"), "{said}");
}

#[test]
fn deeds_own_files_are_kept_from_one_that_may_do_everything() {
    let sandbox = Sandbox::new();
    sandbox.write("probe.ts", PROBE);
    let all =
        json!({ "fs": { "read": true, "write": true }, "exec": true, "net": true, "env": true });
    write_policy(&sandbox, &json!({ "*": all }));
    let policy = sandbox.home().join(".config/deed/policy.json");
    let before = std::fs::read(&policy).unwrap();
    let said = probe(&sandbox, "write", &policy.display().to_string());
    assert!(said.starts_with("failed:"), "{said}");
    assert_eq!(std::fs::read(&policy).unwrap(), before);
    assert_eq!(probe(&sandbox, "write", "a.txt"), "did: undefined");
}

#[test]
fn programs_and_refusals_are_on_record() {
    let sandbox = Sandbox::new();
    sandbox.write("probe.ts", PROBE);
    write_policy(&sandbox, &json!({ "probe": { "exec": ["sh"] } }));
    assert_eq!(probe(&sandbox, "run", "echo hi"), "did: hi");
    probe(&sandbox, "write", "a.txt");
    let shown = sandbox
        .deed(&["audit", "show", "--json"])
        .assert_clean()
        .lines();
    let acts = shown
        .iter()
        .filter(|record| record["event"] == "extension_act");
    let acts: Vec<_> = acts
        .map(|record| {
            let detail = &record["detail"];
            (record["hook"]["name"].clone(), detail["allowed"].clone())
        })
        .collect();
    assert_eq!(
        acts,
        [
            (json!("probe"), json!(true)),
            (json!("probe"), json!(false))
        ]
    );
    sandbox.deed(&["audit", "verify"]).assert_clean();
}
