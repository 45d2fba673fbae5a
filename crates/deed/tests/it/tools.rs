//! `deed tools`.

use serde_json::Value;

use super::support::Sandbox;

fn listed(args: &[&str]) -> String {
    Sandbox::new().deed(args).assert_clean().stdout.clone()
}

#[test]
fn the_active_tools_are_listed() {
    insta::assert_snapshot!(listed(&["tools"]), @"
    read   builtin:read  Read a file
    bash   builtin:bash  Run a command in bash, in the working folder
    edit   builtin:edit  Replace pieces of text in one file
    write  builtin:write  Write a whole file: a new one, or in place of everything that an existing one holds
    ");
}

#[test]
fn all_tools_are_listed_with_the_reason_why_one_is_not_active() {
    insta::assert_snapshot!(listed(&["tools", "--all"]), @"
    read        builtin:read  Read a file
    bash        builtin:bash  Run a command in bash, in the working folder
    edit        builtin:edit  Replace pieces of text in one file
    write       builtin:write  Write a whole file: a new one, or in place of everything that an existing one holds
    grep        builtin:grep  Search the contents of files for a regular expression or plain text  [not in the default set]
    find        builtin:find  Find files and folders whose name or path matches a glob  [not in the default set]
    ls          builtin:ls  List what is in a folder, hidden entries too, but not what is in its subfolders  [not in the default set]
    powershell  builtin:powershell  Run a command in PowerShell, in the working folder, where pwsh or powershell is installed  [not in the default set]
    ");
    insta::assert_snapshot!(listed(&["tools", "--all", "--exclude-tools", "bash,ls"]), @"
    read        builtin:read  Read a file
    bash        builtin:bash  Run a command in bash, in the working folder  [excluded]
    edit        builtin:edit  Replace pieces of text in one file
    write       builtin:write  Write a whole file: a new one, or in place of everything that an existing one holds
    grep        builtin:grep  Search the contents of files for a regular expression or plain text  [not in the default set]
    find        builtin:find  Find files and folders whose name or path matches a glob  [not in the default set]
    ls          builtin:ls  List what is in a folder, hidden entries too, but not what is in its subfolders  [excluded]
    powershell  builtin:powershell  Run a command in PowerShell, in the working folder, where pwsh or powershell is installed  [not in the default set]
    ");
}

#[test]
fn a_selection_by_name_and_pattern_lists_just_these() {
    insta::assert_snapshot!(listed(&["tools", "--tools", "read,gr*"]), @"
    read  builtin:read  Read a file
    grep  builtin:grep  Search the contents of files for a regular expression or plain text
    ");
}

#[test]
fn a_selection_may_change_the_default() {
    let names = |args: &[&str]| -> Vec<String> {
        let first = |line: &str| line.split_whitespace().next().unwrap().to_owned();
        listed(args).lines().map(first).collect()
    };
    assert_eq!(
        names(&["tools", "--tools=+grep,-bash"]),
        ["read", "edit", "write", "grep"]
    );
    assert_eq!(names(&["tools", "--xt", "bash,edit,write"]), ["read"]);
    assert_eq!(listed(&["tools", "--no-tools"]), "no tools are active\n");
    assert_eq!(listed(&["tools", "--nbt"]), "no tools are active\n");
}

#[test]
fn json_says_what_the_table_says() {
    let json = listed(&["tools", "--all", "--json"]);
    let rows: Vec<Value> = serde_json::from_str(&json).unwrap();
    let names: Vec<&str> = rows
        .iter()
        .map(|row| row["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "read",
            "bash",
            "edit",
            "write",
            "grep",
            "find",
            "ls",
            "powershell"
        ]
    );
    let active = rows.iter().filter(|row| row["active"] == true).count();
    assert_eq!(active, 4);
}

#[test]
fn a_schema_is_what_a_provider_gets() {
    let schema: Value = serde_json::from_str(&listed(&["tools", "schema", "read"])).unwrap();
    assert_eq!(schema["type"], "object");
    assert_eq!(schema["additionalProperties"], false);
    assert_eq!(schema["required"], serde_json::json!(["path"]));
    // A schema can be looked at whether or not its tool is active.
    listed(&["tools", "schema", "powershell"]);
}

#[test]
fn mistakes_are_explained() {
    let sandbox = Sandbox::new();
    let refused = |args: &[&str]| {
        let ran = sandbox.deed(args);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{args:?}");
        ran.stderr
    };
    insta::assert_snapshot!(refused(&["tools", "schema", "nope"]), @"deed: there is no tool nope; there are read, bash, edit, write, grep, find, ls, powershell");
    insta::assert_snapshot!(refused(&["tools", "--tools", "read,-bash"]), @"deed: --tools: the list of tools mixes `read` and `-bash`; either name all tools, or put + or - before each to change the default");
    insta::assert_snapshot!(refused(&["exec", "--tools", "read,-bash"]), @"deed: --tools: the list of tools mixes `read` and `-bash`; either name all tools, or put + or - before each to change the default");
}

#[test]
fn a_name_that_matches_nothing_is_a_warning() {
    let sandbox = Sandbox::new();
    let ran = sandbox.deed(&["tools", "--tools", "read,Grep"]);
    assert_eq!(ran.code, 0);
    assert!(ran.stdout.starts_with("read"));
    insta::assert_snapshot!(ran.stderr, @"deed: warning: `Grep` in the list of tools matches no tool; names are compared to the letter");
    let ran = sandbox.exec_with(&["--tools", "read,Grep"], "{\"name\":\"read\"}");
    assert_eq!((ran.code, ran.lines().len()), (0, 1));
    assert!(ran.stderr.contains("`Grep`"));
}
