//! Modules of node, and what the host gives beside them.

use deed_typescript::LogLevel;
use serde_json::json;

use crate::support::{Play, batch, call, tool};

async fn run(imports: &str, body: &str) -> crate::support::Played {
    let text = format!("{imports}\n{}", tool(body));
    let play = Play::new().with("t.ts", &text);
    play.run(batch(&[call("c", "t", json!({}))])).await
}

#[tokio::test]
async fn a_program_is_followed_while_it_runs_and_ends_with_a_code_or_a_signal() {
    let body = "
        const follow = (command, args, act) => new Promise((done, fail) => {
            const child = spawn(command, args);
            const said = [];
            child.stdout.on('data', (data) => { said.push(String(data).trim()); act?.(child); });
            child.on('error', fail);
            child.on('close', (code, signal) => done([...said, code, signal].join(' ')));
        });
        const missing = await follow('no-such-program', []).catch((error) => error.code);
        return [
            await follow('sh', ['-c', 'echo one; exit 3']),
            await follow('sh', ['-c', 'echo two; exec sleep 60'], (child) => child.kill()),
            missing,
        ].join('; ');
    ";
    let played = run("import { spawn } from 'node:child_process';", body).await;
    assert_eq!(played.text("c"), "one 3 ; two  SIGTERM; ENOENT");
}

#[tokio::test]
async fn what_a_program_is_given_before_it_starts_is_its_input() {
    let body = "
        const child = spawn('cat', []);
        child.stdin.write('first ');
        child.stdin.end('last');
        let text = '';
        for await (const chunk of child.stdout) text += chunk;
        return text;
    ";
    let played = run("import { spawn } from 'child_process';", body).await;
    assert_eq!(played.text("c"), "first last");
}

#[tokio::test]
async fn hashes_and_random_numbers_are_those_of_everybody() {
    let body = "
        const hash = (name) => createHash(name).update('abc').digest('hex').slice(0, 8);
        const mac = createHmac('sha256', 'key').update('abc').digest('hex').slice(0, 8);
        const id = randomUUID();
        return [hash('md5'), hash('sha1'), hash('sha256'), hash('sha512'), mac, randomBytes(9).length, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab]/.test(id)].join();
    ";
    let imports = "import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto';";
    let played = run(imports, body).await;
    assert_eq!(
        played.text("c"),
        "90015098,a9993e36,ba7816bf,ddaf35a1,9c196e32,9,true"
    );
}

#[tokio::test]
async fn files_are_made_read_watched_and_removed() {
    let body = "
        mkdirSync('a/b', { recursive: true });
        writeFileSync('a/b/c.txt', 'one');
        appendFileSync('a/b/c.txt', ' two');
        const seen = new Promise((done) => { const watcher = watch('a/b', (event, name) => { watcher.close(); done(name); }); });
        await new Promise((done) => setTimeout(done, 1));
        writeFileSync('a/b/d.txt', '');
        const found = [readFileSync('a/b/c.txt', 'utf8'), readdirSync('a/b').join('+'), statSync('a/b/c.txt').size, await seen];
        rmSync('a', { recursive: true });
        try { readFileSync('a/b/c.txt'); } catch (error) { found.push(error.code); }
        return found.join('; ');
    ";
    let imports = "import { mkdirSync, writeFileSync, appendFileSync, readFileSync, readdirSync, statSync, rmSync, watch } from 'node:fs';";
    let played = run(imports, body).await;
    assert_eq!(played.text("c"), "one two; c.txt+d.txt; 7; d.txt; ENOENT");
}

#[tokio::test]
async fn timers_fire_in_order_and_a_cleared_one_does_not() {
    let body = "
        const said = [];
        const later = (ms, text) => setTimeout(() => said.push(text), ms);
        setImmediate(() => said.push('now'));
        later(1, 'a'); later(2, 'b'); later(20, 'c');
        clearTimeout(later(5, 'never'));
        await new Promise((done) => setTimeout(done, 30));
        return said.join();
    ";
    assert_eq!(run("", body).await.text("c"), "now,a,b,c");
}

#[tokio::test]
async fn what_is_written_to_the_console_is_told_and_never_printed() {
    let body = "console.log('a', { b: 1 }); console.error('bad'); process.stdout.write('raw'); return 'ok';";
    let played = run("", body).await;
    assert_eq!(played.text("c"), "ok");
    let notices = played.notices.lines();
    for text in ["a { b: 1 }", "bad", "raw"] {
        assert!(
            notices.iter().any(|notice| notice.contains(text)),
            "{text}: {notices:?}"
        );
    }
    let level = format!("{:?} bad", LogLevel::Error);
    assert!(notices.contains(&level), "{notices:?}");
}

#[tokio::test]
async fn variables_are_those_that_were_granted() {
    let body = "return [process.env.HOME, Object.keys(process.env).length].join();";
    assert_eq!(run("", body).await.text("c"), ",0");
}

#[tokio::test]
async fn extensions_tell_each_other_things_that_json_can_say() {
    let hears = "export default (pi) => {
        const heard = [];
        pi.events.on('news', (data) => heard.push(data.text));
        pi.registerCommand('heard', { handler: async (_, ctx) => ctx.ui.notify(heard.join(), 'info') });
    };";
    let says = "export default (pi) => pi.registerCommand('say', { handler: async (text) => pi.events.emit('news', { text }) });";
    let play = Play::new()
        .person(true)
        .with("hears.js", hears)
        .with("says.js", says);
    let played = play.load(json!([{}])).await;
    played.session.run_command("say", "hello").await.unwrap();
    played.session.run_command("heard", "").await.unwrap();
    assert_eq!(played.seen(), ["Info hello"]);
}

#[tokio::test]
async fn a_built_in_tool_runs_as_part_of_a_tool_of_its_name() {
    let text = r#"
        import { createReadTool } from "@earendil-works/pi-coding-agent";
        export default (pi) => {
            const read = createReadTool(process.cwd());
            pi.registerTool({ ...read, async execute(id, params, signal, onUpdate) {
                const result = await read.execute(id, params, signal, onUpdate);
                return { ...result, content: [...result.content, { type: "text", text: "seen" }] };
            } });
        };
    "#;
    let script = batch(&[
        call("a", "read", json!({ "path": "note.txt" })),
        call("b", "read", json!({ "path": "gone.txt" })),
    ]);
    let played = Play::new()
        .file("note.txt", "noted")
        .with("r.ts", text)
        .run(script)
        .await;
    assert_eq!(played.text("a"), "noted|seen");
    assert!(
        played.fault("b").contains("gone.txt"),
        "{}",
        played.fault("b")
    );
}
