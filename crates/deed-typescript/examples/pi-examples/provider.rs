use std::sync::Arc;

use deed_models::{Api, ModelSpec, Prices, Quirks, RemoteModel, StaticKey, Transport};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Starts a server of this machine that says `hello` to every request, and returns a model behind it.
pub(crate) async fn model() -> RemoteModel {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("a port");
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            answer(stream).await.ok();
        }
    });
    let spec = ModelSpec {
        provider: "acme".into(),
        id: "acme-1".into(),
        name: "Acme One".into(),
        api: Api::Chat,
        base_url: format!("http://{address}/v1"),
        headers: Vec::new(),
        extra_body: Default::default(),
        context_window: 100_000,
        max_output_tokens: 4096,
        takes_images: false,
        thinking_levels: Vec::new(),
        prices: Prices::default(),
        quirks: Quirks::default(),
    };
    let key = Arc::new(StaticKey(Some("key".to_owned())));
    RemoteModel::new(spec, key, Transport::default(), || 0)
}

async fn answer(mut stream: TcpStream) -> std::io::Result<()> {
    let mut asked = Vec::new();
    let mut piece = [0; 4096];
    while !is_whole(&asked) {
        let count = stream.read(&mut piece).await?;
        if count == 0 {
            return Ok(());
        }
        asked.extend_from_slice(&piece[..count]);
    }
    let chunk = json!({ "choices": [{ "index": 0, "delta": { "content": "hello" }, "finish_reason": "stop" }] });
    let body = format!("data: {chunk}\n\ndata: [DONE]\n\n");
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nx-request-id: r7\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes()).await
}

fn is_whole(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let Some((head, body)) = text.split_once("\r\n\r\n") else {
        return false;
    };
    let mut lengths = head
        .lines()
        .filter_map(|line| line.strip_prefix("content-length: "));
    let length = lengths.next().and_then(|length| length.parse().ok());
    length.is_some_and(|length: usize| body.len() >= length)
}
