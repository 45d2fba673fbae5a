use super::{GREET, write_project_extension, write_user_extension};
use crate::support::Sandbox;

#[test]
fn a_list_tells_what_there_is_and_how_it_stands() {
    let sandbox = Sandbox::new();
    let none = sandbox.deed(&["extension", "list"]);
    assert!(
        none.stdout.starts_with("There are no extensions"),
        "{}",
        none.stdout
    );

    write_project_extension(&sandbox, "greet.ts", GREET);
    let own = write_user_extension(
        &sandbox,
        "own.ts",
        "export default (pi) => pi.exec('ls', []);",
    );
    let gone = write_user_extension(&sandbox, "gone.ts", GREET);
    write_user_extension(&sandbox, "new.ts", GREET);
    sandbox.deed(&["trust", "--extension", &own]).assert_clean();
    sandbox
        .deed(&["trust", "--extension", "--refuse", &gone])
        .assert_clean();
    let listed = sandbox
        .deed(&["extension", "list"])
        .assert_clean()
        .stdout
        .clone();
    insta::assert_snapshot!(sandbox.steady(&listed), @r"
    greet  .deed/extensions/greet.ts  (project, not accepted yet)
      would do nothing outside of the session
    gone  ROOT/home/.config/deed/extensions/gone.ts  (user, refused)
      would do nothing outside of the session
    new  ROOT/home/.config/deed/extensions/new.ts  (user, not accepted yet)
      would do nothing outside of the session
    own  ROOT/home/.config/deed/extensions/own.ts  (user, accepted)
      may run programs
    `deed trust --extension PATH` accepts one as it is now.
    ");

    let rows = sandbox.deed(&["extension", "list", "--json"]);
    let rows: serde_json::Value = serde_json::from_str(&rows.stdout).unwrap();
    assert_eq!(rows[2]["name"], "new");
    assert_eq!(rows[2]["state"], "notAccepted");
    assert_eq!(rows[3]["grants"]["exec"], true);

    let folder = sandbox.path("").display().to_string();
    sandbox
        .deed(&["trust", "--project", "--revoke", &folder])
        .assert_clean();
    let listed = sandbox
        .deed(&["extension", "list"])
        .assert_clean()
        .stdout
        .clone();
    assert!(
        listed.contains("(project, its project is not trusted)"),
        "{listed}"
    );
}

#[test]
fn a_check_loads_with_nothing_allowed_and_tells_what_it_brings_and_wants() {
    let sandbox = Sandbox::new();
    sandbox.write("greet.ts", GREET);
    sandbox.write(
        "writes.ts",
        "import { writeFileSync } from 'fs'; writeFileSync('made', ''); export default () => {};",
    );
    sandbox.write("broken.ts", "export default (pi) => {\n  let = ;\n};");
    sandbox.write("empty.ts", "export const a = 1;");
    let names = ["greet.ts", "writes.ts", "broken.ts", "empty.ts"];
    let ran = sandbox.deed(&[&["extension", "check"], &names[..]].concat());
    assert_eq!(ran.code, 1);
    insta::assert_snapshot!(sandbox.steady(&ran.stdout), @r"
    ROOT/work/greet.ts: loads (1 file)
      hint: ROOT/work/greet.ts:3: narrow parameters: `greet`: no description of `name`; the model reads nothing else
      hint: ROOT/work/greet.ts:3: narrow parameters: `greet`: its parameters take names that it does not know; say `additionalProperties: false`
      tools: greet
      wants to: do nothing outside of the session
    ROOT/work/writes.ts: does not load (1 file)
      fault: not loaded: this extension isn't allowed to write ROOT/work/made: `deed extension check` lets nothing happen
      wants to: read files, write files
    ROOT/work/broken.ts: does not load (1 file)
      fault: ROOT/work/broken.ts:2:9: syntax error: Unexpected token
      wants to: do nothing outside of the session
    ROOT/work/empty.ts: does not load (1 file)
      fault: not loaded: ROOT/work/empty.ts: it has no default export that is a function; write `export default function (pi) { … }`
      wants to: do nothing outside of the session
    ");
    assert!(!sandbox.path("made").exists());
    assert_eq!(sandbox.deed(&["extension", "check", "greet.ts"]).code, 0);
    let missing = sandbox.deed(&["extension", "check", "none.ts"]);
    assert_eq!(missing.code, 2);
    assert!(
        missing.stderr.contains("there is no such extension"),
        "{}",
        missing.stderr
    );
}

#[test]
fn a_check_tells_what_is_not_supported_and_hints_at_what_to_look_at_again() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "fancy.ts",
        "import { execSync } from 'node:child_process';\n\
         export default (pi) => {\n\
         pi.on('session_start', (event, ctx) => ctx.ui.custom(() => {}));\n\
         pi.registerTool({ name: 't', description: 'T', parameters: { type: 'object' },\n\
         async execute() { return { content: [{ type: 'text', text: String(execSync('ls')) }] }; } });\n\
         };",
    );
    let ran = sandbox.deed(&["extension", "check", "fancy.ts"]);
    assert_eq!(ran.code, 0);
    let told = sandbox.steady(&ran.stdout);
    assert!(
        told.contains("uses: ROOT/work/fancy.ts:3: ui.custom: not supported"),
        "{told}"
    );
    assert!(told.contains("hint: ROOT/work/fancy.ts:"), "{told}");
}

#[test]
fn a_new_extension_loads_and_works_and_nothing_is_written_over() {
    let sandbox = Sandbox::new();
    let made = sandbox
        .deed(&["extension", "new", "my-log"])
        .assert_clean()
        .stdout
        .clone();
    insta::assert_snapshot!(made, @r#"
    made my-log: a tool, a gate and a command in index.ts, and declarations for editors
    try it: deed -p -e my-log "…"
    what it brings and wants: deed extension check my-log
    "#);
    assert!(sandbox.path("my-log/types/pi-coding-agent.d.ts").is_file());
    let checked = sandbox
        .deed(&["extension", "check", "my-log"])
        .assert_clean()
        .stdout
        .clone();
    assert!(
        !checked.contains("hint:") && !checked.contains("uses:"),
        "{checked}"
    );

    let again = sandbox.deed(&["extension", "new", "my-log"]);
    assert_eq!(again.code, 2);
    assert!(
        again.stderr.contains("is there already"),
        "{}",
        again.stderr
    );
    let bad = sandbox.deed(&["extension", "new", "../x"]);
    assert_eq!(bad.code, 2);
    assert!(
        bad.stderr.contains("is no name for an extension"),
        "{}",
        bad.stderr
    );
    let elsewhere = sandbox.deed(&["extension", "new", "gate", ".deed/extensions"]);
    elsewhere.assert_clean();
    assert!(sandbox.path(".deed/extensions/gate/index.ts").is_file());
}
