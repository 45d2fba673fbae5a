use serde_json::json;

use super::{calling, play};
use crate::support::Sandbox;

const COMMANDS: &str = r#"
export default function (pi) {
  pi.registerFlag("loud", { type: "boolean", default: false, description: "Shout" });
  pi.registerFlag("whom", { type: "string", description: "Whom" });
  pi.registerCommand("hello", {
    description: "Says hello",
    handler: async (args) => {
      const text = `hello ${args || pi.getFlag("whom") || "nobody"}`;
      pi.sendUserMessage(pi.getFlag("loud") ? text.toUpperCase() : text);
    },
  });
}
"#;

/// Returns what the model is told in the end.
fn prompted(sandbox: &Sandbox, args: &[&str]) -> String {
    let args = [&["-e", "c.ts", "--mode", "json"], args].concat();
    let lines = play(sandbox, &json!([{ "say": "." }]), &args).lines();
    let said = lines.iter().find(|line| line["message"]["role"] == "user");
    said.unwrap()["message"]["content"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn a_command_of_an_extension_is_run_and_what_it_sets_off_is_printed() {
    let sandbox = Sandbox::new();
    sandbox.write("c.ts", COMMANDS);
    let script = json!([{ "say": "good day" }]);
    let ran = play(&sandbox, &script, &["-e", "c.ts", "/hello Ann"]);
    assert_eq!(ran.stdout, "good day\n");
    ran.assert_clean();
    assert_eq!(prompted(&sandbox, &["/hello Ann"]), "hello Ann");
    let failed = play(
        &sandbox,
        &json!([{ "expect": "no such result", "say": "." }]),
        &["-e", "c.ts", "/hello"],
    );
    assert_eq!(failed.code, 1);
}

#[test]
fn flags_of_extensions_are_options_of_the_command_line() {
    let sandbox = Sandbox::new();
    sandbox.write("c.ts", COMMANDS);
    assert_eq!(
        prompted(&sandbox, &["--loud", "--whom=Bob", "/hello"]),
        "HELLO BOB"
    );
}

#[test]
fn an_option_that_nobody_knows_is_told_as_ever() {
    let sandbox = Sandbox::new();
    sandbox.write("c.ts", COMMANDS);
    for args in [&["--lou", "hi"][..], &["-e", "c.ts", "--lou", "hi"][..]] {
        let ran = play(&sandbox, &json!([{ "say": "." }]), args);
        assert_eq!(ran.code, 2);
        assert!(
            ran.stderr.contains("unexpected argument '--lou'"),
            "{}",
            ran.stderr
        );
    }
}

#[test]
fn an_option_that_nobody_can_know_is_told_before_anything_else() {
    let sandbox = Sandbox::new();
    // There is no model either.
    let ran = sandbox.deed(&["-p", "--lou", "hi"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("unexpected argument '--lou'"),
        "{}",
        ran.stderr
    );
    assert!(!sandbox.home().join(".local/share/deed/sessions").exists());
}

#[test]
fn one_that_is_broken_is_told_with_its_place_and_the_run_goes_on() {
    let sandbox = Sandbox::new();
    sandbox.write("bad.ts", "export default (pi) => {\n  let = ;\n};");
    let ran = play(&sandbox, &json!([{ "say": "on" }]), &["-e", "bad.ts", "hi"]);
    assert_eq!(ran.stdout, "on\n");
    assert!(
        ran.stderr.contains("bad.ts:2:9: syntax error"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_gate_blocks_and_says_why() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "gate.ts",
        r#"export default (pi) => pi.on("tool_call", (event) =>
            event.toolName === "bash" ? { block: true, reason: "not today" } : undefined);"#,
    );
    let script = json!([
        calling("bash", json!({ "command": "touch made" })),
        { "expect": "not today", "say": "refused" }
    ]);
    let ran = play(&sandbox, &script, &["-e", "gate.ts", "go"]);
    assert_eq!(ran.stdout, "refused\n");
    assert!(!sandbox.path("made").exists());
}

#[test]
fn an_extension_starts_agents_by_the_name_that_pi_has() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "agents.ts",
        r#"import { spawnSync } from "node:child_process";
        export default (pi) => pi.registerTool({
            name: "ask", label: "Ask", description: "Asks another agent",
            parameters: { type: "object" },
            async execute() {
                const args = ["-p", "--no-session", "--model", "script:child.json", "go"];
                const asked = ["pi", process.execPath].map((program) => {
                    const ran = spawnSync(program, args, { encoding: "utf8" });
                    return ran.stdout + ran.stderr;
                });
                asked.push((await pi.exec("pi", args)).stdout);
                return { content: [{ type: "text", text: asked.join("|") }] };
            },
        });"#,
    );
    sandbox.write("child.json", r#"[{ "say": "from a child" }]"#);
    let script = json!([
        calling("ask", json!({})),
        { "expect": "from a child\n|from a child\n|from a child", "say": "asked" }
    ]);
    let ran = play(&sandbox, &script, &["-e", "agents.ts", "go"]);
    assert_eq!(ran.stdout, "asked\n", "{}", ran.stderr);
}

#[test]
fn an_extension_is_told_the_settings_and_no_key() {
    let sandbox = Sandbox::new();
    let folder = sandbox.home().join(".config/deed");
    std::fs::create_dir_all(&folder).unwrap();
    let settings = json!({
        "maxTurns": 7,
        "retry": { "enabled": false },
        "providers": { "own": { "baseUrl": "http://localhost:1/v1", "apiKey": "a-key-of-a-test" } },
    });
    std::fs::write(folder.join("settings.json"), settings.to_string()).unwrap();
    sandbox.write(
        "s.ts",
        r#"export default (pi) => pi.registerCommand("say", { handler: async () => {
            const all = pi.getSettings();
            const key = JSON.stringify(all).includes("a-key-of-a-test");
            pi.sendUserMessage([all.maxTurns, all.retry.enabled, key].join());
        } });"#,
    );
    let args = ["-e", "s.ts", "--mode", "json", "/say"];
    let lines = play(&sandbox, &json!([{ "say": "." }]), &args).lines();
    let said = lines.iter().find(|line| line["message"]["role"] == "user");
    assert_eq!(said.unwrap()["message"]["content"], "7,false,false");
}
