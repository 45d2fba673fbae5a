//! Built-in tools on functions of a script: the shape of Pi's example `ssh.ts`, with a machine far
//! away that is a folder of this one.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Play, Played, batch, call};

/// Runs the command of its second argument, as the real one would elsewhere.
const SSH: &str = "#!/bin/sh\nshift\nexec bash -c \"$1\"\n";

const REMOTE: &str = r#"
import { spawn } from "node:child_process";
import { createBashTool, createEditTool, createReadTool, createWriteTool } from "@earendil-works/pi-coding-agent";

const here = process.cwd();
const there = `${here}/far`;
const far = (path) => JSON.stringify(path.replace(here, there));

function run(command, { onData, signal } = {}) {
    return new Promise((resolve, reject) => {
        const child = spawn("ssh", ["host", command], { stdio: ["ignore", "pipe", "pipe"] });
        const out = [];
        const errors = [];
        child.stdout.on("data", onData ?? ((data) => out.push(data)));
        child.stderr.on("data", onData ?? ((data) => errors.push(data)));
        signal?.addEventListener("abort", () => child.kill(), { once: true });
        child.on("error", reject);
        child.on("close", (code) => {
            if (signal?.aborted) reject(new Error("aborted"));
            else if (onData) resolve({ exitCode: code });
            else if (code === 0) resolve(Buffer.concat(out));
            else reject(new Error(`far away (${code}): ${Buffer.concat(errors)}`));
        });
    });
}

const reading = {
    readFile: (path) => run(`cat ${far(path)}`),
    access: async (path) => void (await run(`test -r ${far(path)}`)),
};
const writing = {
    writeFile: async (path, content) => {
        const text = Buffer.from(content).toString("base64");
        await run(`echo ${JSON.stringify(text)} | base64 -d > ${far(path)}`);
    },
    mkdir: async (folder) => void (await run(`mkdir -p ${far(folder)}`)),
};
const running = {
    exec: (command, cwd, { onData, signal }) => run(`cd ${far(cwd)} && ${command}`, { onData, signal }),
};

export default (pi) => {
    const tools = [
        createReadTool(here, { operations: reading }),
        createWriteTool(here, { operations: writing }),
        createEditTool(here, { operations: { ...reading, ...writing } }),
        createBashTool(here, { operations: running }),
    ];
    for (const tool of tools) pi.registerTool(tool);
};
"#;

fn far() -> Play {
    Play::new()
        .program("ssh", SSH)
        .with("ssh.ts", REMOTE)
        .file("far/a.txt", "one\ntwo\nthree\n")
        .file("far/latin.txt", "")
}

async fn play(calls: &[Value]) -> Played {
    far().run(batch(calls)).await
}

fn content(played: &Played, name: &str) -> Vec<u8> {
    std::fs::read(played.path(name)).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_read_by_the_functions_and_bounded_by_the_tool() {
    let calls = [
        call("all", "read", json!({ "path": "a.txt" })),
        call(
            "part",
            "read",
            json!({ "path": "a.txt", "offset": 2, "limit": 1 }),
        ),
    ];
    let played = play(&calls).await;
    assert_eq!(played.text("all"), "one\ntwo\nthree\n");
    let part = played.text("part");
    assert!(part.starts_with("two\n"), "{part}");
    assert!(part.contains("offset=3"), "{part}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_function_throws_is_what_the_call_says() {
    let played = play(&[call("no", "read", json!({ "path": "none.txt" }))]).await;
    assert_eq!(played.fault("no"), "access ROOT/none.txt: far away (1): ");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_written_with_its_folders_far_away_only() {
    let written = json!({ "path": "new/deep/b.txt", "content": "ü 'quoted' $x\n" });
    let played = play(&[call("w", "write", written)]).await;
    assert_eq!(played.text("w"), "Wrote new/deep/b.txt (1 line, 15B).");
    assert_eq!(
        content(&played, "far/new/deep/b.txt"),
        "ü 'quoted' $x\n".as_bytes()
    );
    assert!(!played.path("new").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn edits_of_one_file_in_one_batch_come_one_after_the_other() {
    let edit = |id: &str, old: &str, new: &str| {
        let edits = json!([{ "oldText": old, "newText": new }]);
        call(id, "edit", json!({ "path": "a.txt", "edits": edits }))
    };
    let played = play(&[
        edit("1", "one", "1"),
        edit("2", "two", "2"),
        edit("3", "three", "3"),
    ])
    .await;
    assert_eq!(content(&played, "far/a.txt"), b"1\n2\n3\n");
    assert_eq!(played.text("1"), "Edited a.txt: 1 replacement.");
    let details = played.result("3").details.unwrap();
    assert_eq!(details["firstChangedLine"], 3);
    assert!(!played.path("a.txt").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_keeps_bytes_that_are_no_text() {
    let play = far();
    let edits = json!([{ "oldText": "one", "newText": "1" }]);
    let edit = call("e", "edit", json!({ "path": "latin.txt", "edits": edits }));
    let played = play.load(batch(&[edit])).await;
    std::fs::write(played.path("far/latin.txt"), b"one \xe9t\xe9\r\n").unwrap();
    assert_eq!(played.prompt("go").await.error, None);
    assert_eq!(played.text("e"), "Edited latin.txt: 1 replacement.");
    assert_eq!(content(&played, "far/latin.txt"), b"1 \xe9t\xe9\r\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_runs_far_away_and_its_output_comes_back() {
    let calls = [
        call("ok", "bash", json!({ "command": "pwd; echo no >&2" })),
        call("bad", "bash", json!({ "command": "echo out; exit 3" })),
    ];
    let played = play(&calls).await;
    let mut lines: Vec<String> = played.text("ok").lines().map(str::to_owned).collect();
    lines.sort();
    assert_eq!(lines, ["ROOT/far", "no"]);
    assert_eq!(played.fault("bad"), "out\n\nCommand exited with code 3");
}

/// Puts the path of the output that was saved last in the place of one.
const FOLLOWS: &str = r#"
    let saved;
    export default (pi) => {
        pi.on("tool_result", (event) => { saved ??= /\/\S*output\/[\w.-]+\w/.exec(event.content[0].text)?.[0]; });
        pi.on("tool_call", (event) => { if (event.input.path === "SAVED") event.input.path = saved; });
    };
"#;

#[tokio::test(flavor = "multi_thread")]
async fn long_output_is_saved_here_and_can_be_read_all_the_same() {
    let read = json!({ "path": "SAVED", "offset": 2, "limit": 1 });
    let script = json!([
        { "calls": [call("long", "bash", json!({ "command": "seq 5000" }))] },
        { "calls": [call("read", "read", read)] },
        { "say": "done" },
    ]);
    let played = far().with("follows.js", FOLLOWS).run(script).await;
    let long = played.text("long");
    assert!(long.contains("\n5000\n"), "{long}");
    assert!(!long.contains("\n2\n"), "{long}");
    let read = played.text("read");
    assert!(read.starts_with("2\n"), "{read}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_is_cancelled_hears_of_it() {
    let play = far();
    let command = json!({ "command": "echo begun; touch begun; sleep 60; touch late" });
    let played = play.load(batch(&[call("c", "bash", command)])).await;
    let begun = played.path("far/begun");
    let session = played.session.clone();
    let cancelling = async {
        while !begun.exists() {
            tokio::task::yield_now().await;
        }
        session.cancel();
    };
    let run = played.prompt("go");
    let (_, end) = tokio::join!(cancelling, run);
    assert_eq!(end.error, None);
    let fault = played.fault("c");
    assert!(fault.contains("aborted"), "{fault}");
    assert!(!played.path("far/late").exists());
}

/// An extension of one built-in tool on functions.
fn on(tool: &str, operations: &str) -> String {
    format!(
        "import {{ create{tool}Tool }} from '@earendil-works/pi-coding-agent';
         const coded = (code) => Object.assign(new Error('it said ' + code), {{ code }});
         export default (pi) => pi.registerTool(create{tool}Tool(process.cwd(), {{ operations: {operations} }}));"
    )
}

async fn one(tool: &str, operations: &str, name: &str, args: Value) -> Played {
    Play::new()
        .with("x.js", &on(tool, operations))
        .run(batch(&[call("c", name, args)]))
        .await
}

#[tokio::test(flavor = "multi_thread")]
async fn codes_of_errors_mean_what_they_mean_in_node() {
    let gone = "{ readFile: async () => '', access: async () => { throw coded('ENOENT'); } }";
    let played = one("Read", gone, "read", json!({ "path": "a" })).await;
    assert_eq!(
        played.fault("c"),
        "a: no such file or directory (looked for ROOT/a)"
    );
    let closed = "{ readFile: async () => { throw coded('EACCES'); }, access: async () => {} }";
    let played = one("Read", closed, "read", json!({ "path": "a" })).await;
    assert_eq!(played.fault("c"), "readFile ROOT/a: it said EACCES");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_is_read_bit_by_bit() {
    let streaming = "{
        readFile: async () => { throw new Error('not whole'); },
        access: async () => {},
        createReadStream: async function* () {
            yield Buffer.from([0xef]);
            yield Buffer.from([0xbb, 0xbf]);
            for (let n = 0; n < 10000; n++) yield Buffer.from(`line ${n}\\n`);
        },
    }";
    let played = one(
        "Read",
        streaming,
        "read",
        json!({ "path": "a", "limit": 2 }),
    )
    .await;
    let text = played.text("c");
    assert!(text.starts_with("line 0\nline 1\n"), "{text}");
    assert!(text.contains("9998"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn folders_are_listed_and_names_found() {
    let listing = "{
        exists: () => true,
        stat: async (path) => {
            if (path.endsWith('/broken')) throw coded('ENOENT');
            return { isDirectory: () => /(x|src)$/.test(path) };
        },
        readdir: () => ['b.txt', 'src', 'broken'],
    }";
    let played = one("Ls", listing, "ls", json!({ "path": "x" })).await;
    assert_eq!(played.text("c"), "b.txt\nsrc/");
    let finding = "{
        exists: async () => true,
        glob: (pattern, cwd, { limit }) => [`${cwd}/deep/${pattern}`, 'a', String(limit)],
    }";
    let played = one(
        "Find",
        finding,
        "find",
        json!({ "pattern": "z", "limit": 7 }),
    )
    .await;
    assert_eq!(played.text("c"), "7\na\ndeep/z");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_function_that_is_not_there_is_named() {
    let played = one(
        "Ls",
        "{ exists: () => true, stat: () => ({ isDirectory: () => true }) }",
        "ls",
        json!({}),
    )
    .await;
    assert_eq!(
        played.fault("c"),
        "this environment cannot list folders: the script gave no `readdir`"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_without_end_is_stopped_at_its_limit() {
    let stuck = "{ exec: (command, cwd, { timeout, onData, signal }) => {
        onData(Buffer.from(`may take ${timeout}`));
        return new Promise((_, reject) => setTimeout(() => reject(new Error(`timeout:${timeout}`)), timeout * 1000));
    } }";
    let args = json!({ "command": "x", "timeout": 0.05 });
    let played = one("Bash", stuck, "bash", args).await;
    assert_eq!(
        played.fault("c"),
        "may take 0.05\n\nCommand timed out after 0.05 seconds and was stopped"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_changes_what_the_function_runs() {
    let hooked = "{ exec: async (command, cwd, { env, onData }) => {
        onData(Buffer.from(JSON.stringify([command, cwd, env])));
        return { exitCode: 0 };
    } }, commandPrefix: 'set -e', spawnHook: (given) => ({ ...given, cwd: '/far', env: { A: '1' } })";
    let played = one("Bash", hooked, "bash", json!({ "command": "x" })).await;
    assert_eq!(played.text("c"), r#"["set -e\nx","/far",{"A":"1"}]"#);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_without_functions_works_in_the_folder_it_is_made_for() {
    let text = "import { createReadTool, createBashTool } from '@earendil-works/pi-coding-agent';
        export default (pi) => {
            pi.registerTool(createReadTool(process.cwd() + '/sub'));
            pi.registerTool(createBashTool(process.cwd() + '/sub', { commandPrefix: 'X=set' }));
        };";
    let calls = [
        call("r", "read", json!({ "path": "a.txt" })),
        call("b", "bash", json!({ "command": "pwd; echo $X" })),
    ];
    let played = Play::new()
        .with("x.js", text)
        .file("sub/a.txt", "below")
        .run(batch(&calls))
        .await;
    assert_eq!(played.text("r"), "below");
    assert_eq!(played.text("b"), "ROOT/sub\nset\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_that_dies_within_a_function_ends_the_call() {
    let busy = "{ readFile: async () => { for (;;); }, access: async () => {} }";
    let played = Play::new()
        .limits(|limits| limits.slice = Duration::from_millis(200))
        .with("x.js", &on("Read", busy))
        .run(batch(&[call("c", "read", json!({ "path": "a" }))]))
        .await;
    let fault = played.fault("c");
    assert!(fault.contains("kept its engine busy"), "{fault}");
}
