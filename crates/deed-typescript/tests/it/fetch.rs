//! Requests to the web, against a server on this machine.

use std::sync::Arc;

use deed_typescript::{Access, Permissions};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::support::{Notes, Play, Played, batch, call, tool};

/// Answers requests, each on a connection of its own, and writes down what was asked.
struct Server {
    port: u16,
    asked: Notes,
}

impl Server {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Notes::default();
        let notes = asked.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let notes = notes.clone();
                tokio::spawn(async move { answer(stream, notes, port).await });
            }
        });
        Self { port, asked }
    }
}

async fn answer(mut stream: TcpStream, asked: Notes, port: u16) {
    let mut request = Vec::new();
    let mut buffer = [0; 4096];
    let head_end = loop {
        let read = stream.read(&mut buffer).await.unwrap_or(0);
        if read == 0 {
            return;
        }
        request.extend_from_slice(&buffer[..read]);
        if let Some(at) = request.windows(4).position(|four| four == b"\r\n\r\n") {
            break at + 4;
        }
    };
    let head = String::from_utf8_lossy(&request[..head_end]).into_owned();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "));
    let length: usize = length.map_or(0, |length| length.parse().unwrap());
    while request.len() < head_end + length {
        let read = stream.read(&mut buffer).await.unwrap();
        request.extend_from_slice(&buffer[..read]);
    }
    let body = String::from_utf8_lossy(&request[head_end..]).into_owned();
    let wanted = ["authorization", "content-type", "x-mine"];
    let fields = head
        .lines()
        .filter(|line| wanted.iter().any(|name| line.starts_with(name)));
    let line = head.lines().next().unwrap().trim_end_matches(" HTTP/1.1");
    let fields: String = fields.map(|field| format!(" [{field}]")).collect();
    asked.add(format!("{line}{fields} {body}").trim_end().to_owned());
    let path = line.split(' ').nth(1).unwrap();
    let (status, more, body) = match path.trim_start_matches('/').split_once('/') {
        Some(("to", target)) => (
            "302 Found",
            format!("location: /{target}\r\n"),
            String::new(),
        ),
        Some(("keep", target)) => (
            "307 Temporary Redirect",
            format!("location: /{target}\r\n"),
            String::new(),
        ),
        Some(("other", target)) => {
            let target = format!("location: http://localhost:{port}/{target}\r\n");
            ("302 Found", target, String::new())
        }
        _ if path == "/loop" => ("302 Found", "location: /loop\r\n".to_owned(), String::new()),
        _ if path == "/file" => (
            "302 Found",
            "location: file:///etc/passwd\r\n".to_owned(),
            String::new(),
        ),
        _ if path == "/empty" => ("204 No Content", String::new(), String::new()),
        _ if path == "/large" => ("200 OK", String::new(), "0123456789".repeat(100_000)),
        _ if path == "/json" => (
            "418 I'm a teapot",
            "x-kind: pot\r\n".to_owned(),
            r#"{"a":[1]}"#.to_owned(),
        ),
        _ if path == "/stuck" => {
            let head = b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf";
            stream.write_all(head).await.unwrap();
            // Until the other side has gone.
            let gone = stream.read(&mut buffer).await.unwrap_or(0);
            asked.add(format!("gone {gone}"));
            return;
        }
        _ => ("200 OK", String::new(), format!("here is {path}")),
    };
    let length = body.len();
    let head =
        format!("HTTP/1.1 {status}\r\n{more}content-length: {length}\r\nconnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).await.ok();
    stream.write_all(body.as_bytes()).await.ok();
}

async fn play(server: &Server, body: &str) -> Played {
    play_with(server, body, deed_typescript::AllowAll).await
}

async fn play_with(server: &Server, body: &str, permissions: impl Permissions) -> Played {
    let body = format!("const at = 'http://127.0.0.1:{}'; {body}", server.port);
    Play::new()
        .permissions(permissions)
        .with("f.ts", &tool(&body))
        .run(batch(&[call("c", "t", serde_json::json!({}))]))
        .await
}

#[tokio::test]
async fn an_answer_has_state_fields_and_body() {
    let server = Server::start().await;
    let body = "const r = await fetch(at + '/json', { headers: { 'X-Mine': 'yes', Host: 'evil', 'Content-Length': '99' } });
        return JSON.stringify([r.status, r.ok, r.statusText, r.headers.get('x-kind'), r.url === at + '/json', r.redirected, await r.json()]);";
    let played = play(&server, body).await;
    assert_eq!(
        played.text("c"),
        r#"[418,false,"I'm a teapot","pot",true,false,{"a":[1]}]"#
    );
    assert_eq!(server.asked.lines(), ["GET /json [x-mine: yes]"]);
}

#[tokio::test]
async fn a_body_is_sent_and_a_large_one_comes_in_pieces() {
    let server = Server::start().await;
    let body = "await fetch(at + '/x', { method: 'post', body: JSON.stringify({ ü: 1 }), headers: { 'content-type': 'application/json' } });
        const r = await fetch(at + '/large');
        let [size, largest] = [0, 0];
        for await (const piece of r.body) { size += piece.length; largest = Math.max(largest, piece.length); }
        return [size, largest <= 256 * 1024, (await fetch(at + '/empty')).body];";
    let played = play(&server, body).await;
    assert_eq!(played.text("c"), "1000000,true,");
    let asked = server.asked.lines();
    assert_eq!(
        asked[0],
        r#"POST /x [content-type: application/json] {"ü":1}"#
    );
}

#[tokio::test]
async fn redirects_are_followed_by_the_rules() {
    let server = Server::start().await;
    let body = "const secret = { method: 'POST', body: 'b', headers: { authorization: 'mine' } };
        const followed = await fetch(at + '/to/a', secret);
        const kept = await fetch(at + '/keep/b', secret);
        await fetch(at + '/other/c', secret);
        const manual = await fetch(at + '/to/d', { redirect: 'manual' });
        const failed = await fetch(at + '/to/e', { redirect: 'error' }).catch((e) => e.cause.message);
        const endless = await fetch(at + '/loop').catch((e) => e.cause.message);
        const file = await fetch(at + '/file').catch((e) => e.cause.message);
        return [followed.redirected, followed.url, await kept.text(), manual.status, manual.headers.get('location'), failed, endless, file].join('\\n');";
    let played = play(&server, body).await;
    let text = played.text("c").replace(&server.port.to_string(), "PORT");
    insta::assert_snapshot!(text, @r"
    true
    http://127.0.0.1:PORT/a
    here is /b
    302
    /d
    http://127.0.0.1:PORT/to/e points to another address, and redirects are errors here
    more than 20 redirects, the last one to http://127.0.0.1:PORT/loop
    file:///etc/passwd is no address that can be asked: it begins with neither http:// nor https://
    ");
    let asked: Vec<String> = server.asked.lines().into_iter().take(6).collect();
    insta::assert_snapshot!(asked.join("\n"), @r"
    POST /to/a [authorization: mine] [content-type: text/plain;charset=UTF-8] b
    GET /a [authorization: mine]
    POST /keep/b [authorization: mine] [content-type: text/plain;charset=UTF-8] b
    POST /b [authorization: mine] [content-type: text/plain;charset=UTF-8] b
    POST /other/c [authorization: mine] [content-type: text/plain;charset=UTF-8] b
    GET /c
    ");
}

struct OnlyNumbers(Arc<Notes>);

impl Permissions for OnlyNumbers {
    fn check(&self, access: &Access<'_>) -> Result<(), String> {
        match access {
            Access::Connect(host) => {
                self.0.add(*host);
                let allowed = *host == "127.0.0.1";
                allowed
                    .then_some(())
                    .ok_or_else(|| "numbers only".to_owned())
            }
            _ => Ok(()),
        }
    }
}

#[tokio::test]
async fn each_host_on_the_way_is_asked_for() {
    let server = Server::start().await;
    let hosts = Arc::new(Notes::default());
    let body = "return await fetch(at + '/other/c').catch((e) => e.message + ' ' + e.code);";
    let played = play_with(&server, body, OnlyNumbers(hosts.clone())).await;
    assert_eq!(
        played.text("c"),
        "this extension isn't allowed to connect to localhost: numbers only ERR_ACCESS_DENIED"
    );
    assert_eq!(hosts.lines(), ["127.0.0.1", "localhost"]);
    assert_eq!(server.asked.lines(), ["GET /other/c"]);
}

#[tokio::test]
async fn an_address_that_is_none_and_a_server_that_is_not_there_are_named() {
    let server = Server::start().await;
    let body = "const no = (url) => fetch(url).catch((e) => e.message + ': ' + e.cause?.message);
        return [await no('http://a:b@127.0.0.1/'), await no('ftp://x/'), await no('http://127.0.0.1:1/')].join('\\n');";
    let played = play(&server, body).await;
    insta::assert_snapshot!(played.text("c"), @r"
    fetch failed: http://127.0.0.1/ is no address that can be asked: it holds a name or a password; send a header field
    fetch failed: unknown scheme of ftp://x/
    fetch failed: nothing listens at http://127.0.0.1:1/; start the server, or check the base URL
    ");
}

#[tokio::test]
async fn a_request_that_is_called_off_closes_its_connection() {
    let server = Server::start().await;
    let body = "const off = new AbortController();
        const r = await fetch(at + '/stuck', { signal: off.signal });
        const reader = r.body.getReader();
        const first = new TextDecoder().decode((await reader.read()).value);
        const second = reader.read().catch((e) => e.name);
        off.abort();
        return [first, await second];";
    let played = play(&server, body).await;
    assert_eq!(played.text("c"), "half,AbortError");
    while server.asked.lines().len() < 2 {
        tokio::task::yield_now().await;
    }
    assert_eq!(server.asked.lines()[1], "gone 0");
}
