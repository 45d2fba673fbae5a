//! Extensions in files: which are loaded, whether a person accepts them, what they may do.

use serde_json::{Value, json};

use super::support::{Ran, Sandbox, run};

mod acceptance;
#[cfg(target_os = "linux")]
mod asking;
mod database;
mod grants;
mod listing;
mod using;

const GREET: &str = r#"
export default function (pi) {
  pi.registerTool({
    name: "greet", label: "Greet", description: "Greets somebody",
    parameters: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    async execute(id, { name }) { return { content: [{ type: "text", text: `hello ${name}` }] }; },
  });
}
"#;

/// Writes an extension of the project, and trusts the project.
fn write_project_extension(sandbox: &Sandbox, name: &str, text: &str) {
    std::fs::create_dir_all(sandbox.path(".deed/extensions")).unwrap();
    sandbox.write(&format!(".deed/extensions/{name}"), text);
    let folder = sandbox.path("").display().to_string();
    sandbox
        .deed(&["trust", "--project", &folder])
        .assert_clean();
}

/// Writes an extension of the user.
fn write_user_extension(sandbox: &Sandbox, name: &str, text: &str) -> String {
    let folder = sandbox.home().join(".config/deed/extensions");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

/// Plays a script of the model where there is no terminal.
fn play(sandbox: &Sandbox, script: &Value, args: &[&str]) -> Ran {
    sandbox.write("script.json", script.to_string());
    let words = [
        "-p",
        "--model",
        "script:script.json",
        "--permission-mode",
        "bypass",
    ];
    run(&mut sandbox.unattended(&[&words[..], args].concat()), b"")
}

fn calling(name: &str, arguments: Value) -> Value {
    json!({ "calls": [{ "name": name, "arguments": arguments }] })
}

fn greeting() -> Value {
    json!([
        calling("greet", json!({ "name": "Ann" })),
        { "expect": "hello Ann", "say": "done" }
    ])
}
