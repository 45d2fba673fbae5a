//! Programs that a script talks to while they run, and files that it changes in turns.

use deed_typescript::{Access, Permissions};
use serde_json::json;

use crate::support::{Play, Played, batch, call, tool};

async fn play(body: &str) -> Played {
    play_with(body, deed_typescript::AllowAll).await
}

async fn play_with(body: &str, permissions: impl Permissions) -> Played {
    let body = format!(
        "const {{ spawn, execFileSync }} = await import('node:child_process');
         const once = (from, event) => new Promise((done) => from.once(event, (...args) => done(args)));
         {body}"
    );
    Play::new()
        .permissions(permissions)
        .with("c.ts", &tool(&body))
        .run(batch(&[call("c", "t", json!({}))]))
        .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_is_fed_and_answers_line_by_line() {
    let body = "const child = spawn('cat');
        const heard = [];
        for (const line of ['one', 'two', 'three']) {
            child.stdin.write(line);
            heard.push(String((await once(child.stdout, 'data'))[0]));
        }
        child.stdin.end();
        return [...heard, ...(await once(child, 'close'))];";
    assert_eq!(play(body).await.text("c"), "one,two,three,0,");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_has_its_number() {
    let body = "const child = spawn('sh', ['-c', 'echo $$']);
        const [said] = await once(child.stdout, 'data');
        return Number(String(said)) === child.pid && child.pid > 1;";
    assert_eq!(play(body).await.text("c"), "true");
}

#[tokio::test(flavor = "multi_thread")]
async fn input_that_nobody_reads_any_more_is_a_broken_pipe() {
    let body = "const child = spawn('true');
        const failed = once(child.stdin, 'error');
        await once(child, 'exit');
        const late = spawn('sh', ['-c', 'exec <&-; echo shut; sleep 5']);
        await once(late.stdout, 'data');
        const broken = once(late.stdin, 'error');
        late.stdin.write('x');
        const [error] = await broken;
        late.kill();
        return error.code;";
    assert_eq!(play(body).await.text("c"), "EPIPE");
}

#[tokio::test(flavor = "multi_thread")]
async fn signals_reach_the_program_and_are_told() {
    let body = "const trap = spawn('sh', ['-c', 'trap \"echo caught; exit 3\" USR1; echo ready; while :; do sleep 0.01; done']);
        await once(trap.stdout, 'data');
        const caught = once(trap, 'close');
        const sent = trap.kill('SIGUSR1');
        const child = spawn('sleep', ['60']);
        process.kill(child.pid, 0);
        const ended = once(child, 'close');
        process.kill(child.pid, 'SIGKILL');
        const unknown = spawn('sleep', ['60']);
        let fault;
        try { unknown.kill('SIGNONE'); } catch (error) { fault = error.code; }
        const over = once(unknown, 'close');
        unknown.kill();
        return JSON.stringify([sent, await caught, await ended, fault, await over]);";
    assert_eq!(
        play(body).await.text("c"),
        r#"[true,[3,null],[null,"SIGKILL"],"ERR_UNKNOWN_SIGNAL",[null,"SIGTERM"]]"#
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_is_not_there_is_an_error() {
    let body = "const [error] = await once(spawn('no-such-program'), 'error');
        const [nowhere] = await once(spawn('true', { cwd: '/no/such/folder' }), 'error');
        return [error.code, error.syscall, nowhere.code];";
    assert_eq!(
        play(body).await.text("c"),
        "ENOENT,spawn no-such-program,ENOENT"
    );
}

struct Plain;

impl Permissions for Plain {
    fn check(&self, access: &Access<'_>) -> Result<(), String> {
        let allowed = match access {
            Access::Variable(name) => *name == "MINE",
            Access::Run(command) => !command.starts_with("kill"),
            _ => true,
        };
        allowed
            .then_some(())
            .ok_or_else(|| "not granted".to_owned())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn variables_and_foreign_programs_need_permission() {
    let body = "const env = (env) => { try { return String(execFileSync('sh', ['-c', 'echo $MINE$LD_X'], { env })).trim(); } catch (e) { return e.message; } };
        const kill = (pid) => { try { return process.kill(pid, 'SIGTERM'); } catch (e) { return e.message; } };
        return [env({ MINE: '1' }), env({ LD_X: '2' }), kill(process.pid), kill(1), kill(999999)].join('\\n');";
    let played = play_with(body, Plain).await;
    let text = played
        .text("c")
        .replace(&std::process::id().to_string(), "ME");
    insta::assert_snapshot!(text, @r"
    1
    this extension isn't allowed to know the variable LD_X: not granted
    this extension isn't allowed to signal ME: it is not its own program
    this extension isn't allowed to signal 1: it is not its own program
    this extension isn't allowed to run `kill -15 999999`: not granted
    ");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_of_a_script_holds_back_the_built_in_edit_and_the_other_way_round() {
    let text = r#"
        import { withFileMutationQueue } from "@earendil-works/pi-coding-agent";
        import { readFile, writeFile } from "node:fs/promises";
        export default (pi) => {
            pi.registerTool({
                name: "slow", description: "", parameters: { type: "object", properties: {} },
                execute: () => withFileMutationQueue("a.txt", async () => {
                    const before = await readFile("a.txt", "utf8");
                    for (let n = 0; n < 20; n++) await new Promise((done) => setTimeout(done, 5));
                    await writeFile("a.txt", before + "slow\n");
                    return { content: [{ type: "text", text: "ok" }] };
                }),
            });
        };
    "#;
    let edit = json!({ "path": "a.txt", "edits": [{ "oldText": "one", "newText": "1" }] });
    let slow = || call("slow", "slow", json!({}));
    for calls in [
        [slow(), call("edit", "edit", edit.clone())],
        [call("edit", "edit", edit.clone()), slow()],
    ] {
        let played = Play::new()
            .file("a.txt", "one\n")
            .with("q.js", text)
            .run(batch(&calls))
            .await;
        played.text("slow");
        played.text("edit");
        let content = std::fs::read_to_string(played.path("a.txt")).unwrap();
        assert_eq!(content, "1\nslow\n");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_are_what_the_program_tells() {
    let text = "export default (pi) => pi.registerCommand('s', { handler: async (_, ctx) => ctx.ui.notify(JSON.stringify(pi.getSettings()), 'info') });";
    let played = Play::new()
        .person(true)
        .options(|options| {
            let settings = json!({ "theme": "plain" });
            options.settings = std::sync::Arc::new(settings.as_object().unwrap().clone());
        })
        .with("s.js", text)
        .load(json!([{ "say": "ok" }]))
        .await;
    played.session.run_command("s", "").await.unwrap();
    assert_eq!(played.seen(), [r#"Info {"theme":"plain"}"#]);
}
