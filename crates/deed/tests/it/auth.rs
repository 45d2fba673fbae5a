//! `deed auth`: keys are kept, listed and forgotten, and never shown.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;
use std::thread::JoinHandle;

use super::support::{Ran, Sandbox, run};

fn auth_path(sandbox: &Sandbox) -> PathBuf {
    sandbox.home().join(".config/deed/auth.json")
}

fn kept(sandbox: &Sandbox) -> String {
    fs::read_to_string(auth_path(sandbox)).unwrap_or_default()
}

fn set(sandbox: &Sandbox, args: &[&str], input: &[u8]) -> Ran {
    run(
        &mut sandbox.command(&[&["auth", "set"], args].concat()),
        input,
    )
}

#[test]
fn a_key_comes_from_standard_input_and_is_kept_where_nobody_else_reads() {
    let sandbox = Sandbox::new();
    let ran = set(&sandbox, &["anthropic"], b"  sk-one\n");
    assert_eq!(
        sandbox.steady(&ran.assert_clean().stdout),
        "kept: anthropic, in ROOT/home/.config/deed/auth.json\n"
    );
    let mode = fs::metadata(auth_path(&sandbox))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    set(&sandbox, &["openai", "--command", "pass show openai"], b"").assert_clean();
    set(&sandbox, &["groq", "--env", "MY_KEY"], b"").assert_clean();
    let kept: serde_json::Value = serde_json::from_str(&kept(&sandbox)).unwrap();
    insta::assert_json_snapshot!(kept, @r#"
    {
      "anthropic": {
        "key": "sk-one"
      },
      "groq": {
        "env": "MY_KEY"
      },
      "openai": {
        "command": "pass show openai"
      }
    }
    "#);
}

#[test]
fn what_cannot_be_a_key_is_refused_and_the_old_one_stays() {
    let sandbox = Sandbox::new();
    set(&sandbox, &["anthropic"], b"sk-one").assert_clean();
    let before = kept(&sandbox);
    let long = vec![b'a'; 20_000];
    for (args, input) in [
        (&["anthropic"][..], &b""[..]),
        (&["anthropic"], b" \n"),
        (&["anthropic"], b"two\nlines"),
        (&["anthropic"], b"\xff\xfe"),
        (&["anthropic"], &long),
        (&["", "--env", "A"], b""),
        (&["anthropic", "--command", " "], b""),
        (&["anthropic", "--env", "A=B"], b""),
        (&["anthropic", "--env", "A", "--command", "b"], b""),
        (&["anthropic", "sk-in-arguments"], b""),
    ] {
        let ran = set(&sandbox, args, input);
        assert_eq!(
            (ran.code, ran.stdout.as_str()),
            (2, ""),
            "{args:?} {}",
            ran.stderr
        );
        assert_eq!(kept(&sandbox), before);
    }
}

#[test]
fn keys_are_listed_by_where_they_come_from_and_none_is_shown() {
    let sandbox = Sandbox::new();
    let list = |args: &[&str]| {
        let mut command = sandbox.command(&[&["auth", "list"], args].concat());
        command
            .env("OPENAI_API_KEY", "sk-variable")
            .env("ANTHROPIC_API_KEY", "sk-shadowed");
        run(&mut command, b"")
    };
    assert_eq!(
        sandbox.deed(&["auth", "list"]).assert_clean().stdout,
        "no keys; `deed auth set PROVIDER` keeps one\n"
    );
    set(&sandbox, &["anthropic"], b"sk-stored").assert_clean();
    set(&sandbox, &["groq", "--env", "NOT_SET"], b"").assert_clean();
    let settings = "{\"providers\": {\"acme\": {\"apiKey\": \"sk-settings\"}}}";
    fs::write(sandbox.home().join(".config/deed/settings.json"), settings).unwrap();
    let listed = list(&[]);
    insta::assert_snapshot!(listed.assert_clean().stdout, @"
    anthropic  deed auth (key)
    openai     the variable OPENAI_API_KEY
    groq       not usable: the key of groq should be in the variable NOT_SET, according to deed auth, and it is not set; set it, or name another place
    acme       the settings (key)
    ");
    let json = list(&["--json"]);
    assert!(!format!("{listed:?}{json:?}").contains("sk-"));
    let rows: serde_json::Value = serde_json::from_str(&json.assert_clean().stdout).unwrap();
    insta::assert_json_snapshot!(rows[0], @r#"
    {
      "provider": "anthropic",
      "isUsable": true,
      "from": "deed auth (key)"
    }
    "#);
}

#[test]
fn a_key_is_forgotten_once() {
    let sandbox = Sandbox::new();
    set(&sandbox, &["anthropic"], b"sk-one").assert_clean();
    let ran = sandbox.deed(&["auth", "remove", "anthropic"]);
    assert_eq!(ran.assert_clean().stdout, "forgotten: anthropic\n");
    let ran = sandbox.deed(&["auth", "remove", "anthropic"]);
    assert_eq!(ran.code, 2);
    insta::assert_snapshot!(ran.stderr, @"deed: no key of anthropic is kept here; `deed auth list` lists them");
}

#[test]
fn a_provider_that_nobody_knows_is_warned_of() {
    let sandbox = Sandbox::new();
    let ran = set(&sandbox, &["antropic"], b"sk-one");
    assert_eq!(ran.code, 0);
    insta::assert_snapshot!(ran.stderr, @"deed: warning: no provider is called antropic; did you mean anthropic?");
}

#[test]
fn a_file_that_others_can_read_is_neither_used_nor_changed() {
    let sandbox = Sandbox::new();
    set(&sandbox, &["anthropic"], b"sk-one").assert_clean();
    let path = auth_path(&sandbox);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    let before = kept(&sandbox);
    for args in [&["auth", "list"][..], &["auth", "remove", "anthropic"]] {
        let ran = sandbox.deed(args);
        assert_eq!(ran.code, 1, "{args:?}");
        insta::allow_duplicates! {
            insta::assert_snapshot!(sandbox.steady(&ran.stderr), @"deed: others may read the keys in ROOT/home/.config/deed/auth.json, so it is not used; run `chmod 600 ROOT/home/.config/deed/auth.json`");
        }
    }
    assert_eq!(set(&sandbox, &["openai"], b"sk-two").code, 1);
    assert_eq!(kept(&sandbox), before);
}

/// A server of Chat Completions for one request; gives the head of it.
fn server() -> (String, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/v1", listener.local_addr().unwrap());
    let serving = std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let mut reader = BufReader::new(&stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert_ne!(reader.read_line(&mut head).unwrap(), 0);
        }
        let head = head.to_lowercase();
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "));
        let mut body = vec![0; length.unwrap().parse().unwrap()];
        reader.read_exact(&mut body).unwrap();
        let chunk = "{\"choices\": [{\"index\": 0, \"delta\": {\"content\": \"hello\"}, \
                     \"finish_reason\": \"stop\"}]}";
        let events = format!("data: {chunk}\n\ndata: [DONE]\n\n");
        let answer = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {}\r\n\
             connection: close\r\n\r\n{events}",
            events.len()
        );
        (&stream).write_all(answer.as_bytes()).unwrap();
        head
    });
    (address, serving)
}

#[test]
fn the_key_that_is_kept_goes_to_its_provider() {
    for (args, input) in [
        (&["acme"][..], &b"sk-kept-here"[..]),
        (&["acme", "--command", "echo sk-kept-here"], b""),
        (&["acme", "--env", "HOME_OF_KEYS"], b""),
    ] {
        let sandbox = Sandbox::new();
        let (address, serving) = server();
        let settings = serde_json::json!({ "providers": { "acme": {
            "baseUrl": address, "api": "chat", "models": [{ "id": "m" }],
        } } });
        fs::create_dir_all(sandbox.home().join(".config/deed")).unwrap();
        let path = sandbox.home().join(".config/deed/settings.json");
        fs::write(path, settings.to_string()).unwrap();
        set(&sandbox, args, input).assert_clean();
        let mut command = sandbox.command(&["-p", "--model", "acme/m", "hi"]);
        command.env("HOME_OF_KEYS", "sk-kept-here");
        let ran = run(&mut command, b"");
        assert_eq!(ran.assert_clean().stdout, "hello\n");
        let head = serving.join().unwrap();
        assert!(
            head.contains("authorization: bearer sk-kept-here\r\n"),
            "{head}"
        );
    }
}

#[cfg(target_os = "linux")]
mod at_the_terminal {
    use super::super::terminal::Seat;
    use super::*;

    /// Reads the key from the terminal, and then tells whether that shows again what is typed.
    fn seat(sandbox: &Sandbox) -> Seat {
        let deed = sandbox.command(&[]);
        let mut shell = Command::new("bash");
        shell
            .args([
                "--norc",
                "-c",
                "\"$0\" auth set acme </dev/tty; echo \"code $?\"; stty -a </dev/tty",
            ])
            .arg(deed.get_program())
            .current_dir(sandbox.path(""));
        for (name, value) in deed.get_envs() {
            shell.env(name, value.unwrap());
        }
        Seat::start_command(sandbox, &shell, "", "")
    }

    /// Reads what `stty` tells of a terminal.
    fn shows_what_is_typed(told: &str) -> bool {
        let words: Vec<&str> = told.split_whitespace().collect();
        ["echo", "isig", "icanon"]
            .iter()
            .all(|word| words.contains(word))
    }

    #[test]
    fn a_key_is_typed_unseen_and_can_be_mended() {
        let sandbox = Sandbox::new();
        let mut seat = seat(&sandbox);
        seat.wait_for("(it is not shown): ")
            .press("wrong\x15sk-typedX\x7f\n");
        let left = seat.end();
        assert!(!left.screen.contains("typed"), "{}", left.screen);
        assert!(left.stdout.contains("code 0"), "{left:?}");
        assert!(shows_what_is_typed(&left.stdout), "{left:?}");
        assert!(
            kept(&sandbox).contains("\"sk-typed\""),
            "{}",
            kept(&sandbox)
        );
    }

    #[test]
    fn ctrl_c_stores_nothing_and_leaves_the_terminal_as_it_was() {
        let sandbox = Sandbox::new();
        let mut seat = seat(&sandbox);
        seat.wait_for("(it is not shown): ").press("sk-half\x03");
        let left = seat.end();
        assert!(left.stdout.contains("code 2"), "{left:?}");
        assert!(shows_what_is_typed(&left.stdout), "{left:?}");
        assert_eq!(kept(&sandbox), "");
    }
}
