//! The way to a server, and what stands in it.

mod connecting;

use std::sync::Arc;
use std::time::Duration;

use deed_agent::{BoxFuture, Model};
use deed_models::{
    Api, KeySource, ProxyChoice, RemoteModel, RootChoice, StaticKey, Transport, TransportOptions,
};
use deed_protocol::{AssistantMessage, ErrorKind, StopReason};
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

use crate::support::{Reply, Server, ask, request, spec, tools, transport};

/// An answer of Chat Completions that says nothing.
const NOTHING: &str =
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

fn model(base_url: &str, options: TransportOptions) -> RemoteModel {
    let spec = spec(Api::Chat, base_url.to_owned());
    let key = StaticKey(Some("key-0123".to_owned()));
    RemoteModel::new(spec, Arc::new(key), Transport::new(options), || 0)
}

async fn answer_of(base_url: &str, options: TransportOptions) -> AssistantMessage {
    let model = model(base_url, options);
    ask(&model, &request(&json!([]), tools(&[]))).await.0
}

async fn fault_of(base_url: &str, options: TransportOptions) -> (ErrorKind, String) {
    let message = answer_of(base_url, options).await;
    (message.error_kind.unwrap(), message.error_message.unwrap())
}

/// Returns an address at which nothing listens.
async fn closed_address() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    listener.local_addr().unwrap().to_string()
}

#[tokio::test]
async fn a_refused_connection_names_the_address_and_hides_what_is_secret_in_it() {
    let address = closed_address().await;
    let url = format!("http://me:pass@{address}/v1?key=secret");
    let (kind, text) = fault_of(&url, TransportOptions::default()).await;
    assert_eq!(kind, ErrorKind::Network);
    let wanted = format!(
        "nothing listens at http://{address}/v1/chat/completions; start the server, or check the base URL"
    );
    assert_eq!(text, wanted);
}

#[tokio::test]
async fn an_address_that_is_none_is_said_to_be_none() {
    for url in [
        "",
        "localhost:11434",
        "ftp://example.org",
        "http://",
        "file:///etc/hosts",
    ] {
        let (kind, text) = fault_of(url, TransportOptions::default()).await;
        assert_eq!(kind, ErrorKind::InvalidRequest, "{url}");
        assert!(
            text.contains("must begin with http:// or https://"),
            "{url}: {text}"
        );
    }
}

#[tokio::test]
async fn plain_http_at_a_secure_address_is_told() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}", listener.local_addr().unwrap());
    let answering = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        tokio::io::AsyncWriteExt::write_all(&mut stream, b"HTTP/1.1 400 Bad Request\r\n\r\n")
            .await
            .unwrap();
        stream
    };
    let (fault, _stream) = tokio::join!(fault_of(&url, TransportOptions::default()), answering);
    assert!(
        fault
            .1
            .contains("no secure connection to https://127.0.0.1"),
        "{}",
        fault.1
    );
    assert!(fault.1.contains("it may speak plain http"), "{}", fault.1);
}

#[tokio::test]
async fn a_proxy_gets_what_goes_out_and_never_what_stays_here() {
    let proxy = Server::start([Reply::events(NOTHING), Reply::events(NOTHING)]).await;
    let here = Server::start([Reply::events(NOTHING)]).await;
    let options = || TransportOptions {
        proxy: ProxyChoice::Url {
            url: proxy.root.clone(),
            no_proxy: String::new(),
        },
        ..TransportOptions::default()
    };
    for base in [
        "http://models.example/v1".to_owned(),
        format!("{}/v1", here.root),
    ] {
        let message = answer_of(&base, options()).await;
        assert_eq!(message.stop_reason, StopReason::Stop, "{message:?}");
    }
    let lines: Vec<String> = proxy.requests().into_iter().map(|sent| sent.line).collect();
    assert_eq!(
        lines,
        ["POST http://models.example/v1/chat/completions HTTP/1.1"]
    );
    assert_eq!(here.requests().len(), 1);
}

#[tokio::test]
async fn a_proxy_is_never_shown() {
    let options = TransportOptions {
        proxy: ProxyChoice::Url {
            url: format!("http://me:hunter2@{}", closed_address().await),
            no_proxy: String::new(),
        },
        ..TransportOptions::default()
    };
    assert!(!format!("{options:?}").contains("hunter2"));
    let (kind, text) = fault_of("http://models.example/v1", options).await;
    assert_eq!(kind, ErrorKind::Network);
    assert!(!text.contains("hunter2"), "{text}");
}

#[tokio::test]
async fn certificates_that_cannot_be_read_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("broken.pem");
    std::fs::write(&broken, "no certificate").unwrap();
    for file in [broken, folder.path().join("missing.pem")] {
        let options = TransportOptions {
            extra_roots: vec![file.clone()],
            ..TransportOptions::default()
        };
        let (_, text) = fault_of("https://models.example/v1", options).await;
        let wanted = format!("no certificate can be read from {}", file.display());
        assert!(text.starts_with(&wanted), "{text}");
    }
}

#[tokio::test]
async fn plain_requests_read_no_certificates() {
    let server = Server::start([Reply::events(NOTHING)]).await;
    let options = TransportOptions {
        roots: RootChoice::System,
        extra_roots: vec!["/nowhere/missing.pem".into()],
        ..TransportOptions::default()
    };
    let message = answer_of(&format!("{}/v1", server.root), options).await;
    assert_eq!(message.stop_reason, StopReason::Stop, "{message:?}");
}

#[tokio::test]
async fn a_header_that_cannot_be_sent_is_named_without_its_value() {
    let server = Server::start([]).await;
    let mut spec = spec(Api::Chat, format!("{}/v1", server.root));
    spec.headers = vec![("x-token".to_owned(), "sec\nret".to_owned())];
    let model = RemoteModel::new(spec, Arc::new(StaticKey(None)), transport(), || 0);
    let (message, _) = ask(&model, &request(&json!([]), tools(&[]))).await;
    let text = message.error_message.unwrap();
    assert!(
        text.contains("\"x-token\"") && !text.contains("sec"),
        "{text}"
    );
    assert_eq!(server.connections(), 0);
}

/// A key that comes when the test says so.
struct SlowKey {
    asked: Notify,
    comes: Notify,
}

impl KeySource for SlowKey {
    fn key(&self) -> BoxFuture<'_, Result<Option<String>, String>> {
        Box::pin(async {
            self.asked.notify_one();
            self.comes.notified().await;
            Ok(Some("key".to_owned()))
        })
    }
}

#[tokio::test]
async fn b170_what_is_cancelled_while_the_key_is_fetched_is_never_sent() {
    let server = Server::start([Reply::events(NOTHING)]).await;
    let key = Arc::new(SlowKey {
        asked: Notify::new(),
        comes: Notify::new(),
    });
    let spec = spec(Api::Chat, format!("{}/v1", server.root));
    let model = RemoteModel::new(spec, key.clone(), transport(), || 0);
    let cancel = CancellationToken::new();
    let request = request(&json!([]), tools(&[]));
    let cancelling = async {
        key.asked.notified().await;
        cancel.cancel();
        key.comes.notify_one();
    };
    let (deltas, _heard) = mpsc::channel(1);
    let (message, ()) = tokio::join!(model.respond(&request, deltas, &cancel), cancelling);
    assert_eq!(message.stop_reason, StopReason::Aborted);
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn what_is_cancelled_before_the_answer_begins_closes_the_connection() {
    let server = Server::start([Reply::default().hang()]).await;
    let model = model(&format!("{}/v1", server.root), TransportOptions::default());
    let (cancel, request) = (CancellationToken::new(), request(&json!([]), tools(&[])));
    let (deltas, _heard) = mpsc::channel(1);
    let cancelling = async {
        server.got_a_request().await;
        cancel.cancel();
    };
    let (message, ()) = tokio::join!(model.respond(&request, deltas, &cancel), cancelling);
    assert_eq!(message.stop_reason, StopReason::Aborted);
    server.saw_a_closed_connection().await;
}

#[tokio::test]
async fn what_is_cancelled_already_is_never_sent() {
    let server = Server::start([]).await;
    let model = model(&format!("{}/v1", server.root), TransportOptions::default());
    let cancel = CancellationToken::new();
    cancel.cancel();
    let (deltas, _heard) = mpsc::channel(1);
    let request = request(&json!([]), tools(&[]));
    let message = model.respond(&request, deltas, &cancel).await;
    assert_eq!(message.stop_reason, StopReason::Aborted);
    assert_eq!(server.connections(), 0);
}

/// A key that cannot be had.
struct NoKey;

impl KeySource for NoKey {
    fn key(&self) -> BoxFuture<'_, Result<Option<String>, String>> {
        Box::pin(async { Err("no key for acme; set ACME_API_KEY".to_owned()) })
    }
}

#[tokio::test]
async fn a_key_that_is_missing_is_told_in_its_own_words() {
    let server = Server::start([]).await;
    let spec = spec(Api::Chat, format!("{}/v1", server.root));
    let model = RemoteModel::new(spec, Arc::new(NoKey), transport(), || 0);
    let (message, _) = ask(&model, &request(&json!([]), tools(&[]))).await;
    assert_eq!(message.error_kind, Some(ErrorKind::Auth));
    assert_eq!(
        message.error_message.as_deref(),
        Some("no key for acme; set ACME_API_KEY")
    );
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn secrets_in_header_fields_are_kept_out_of_messages() {
    let body = r#"{"error":{"message":"Bearer tok-98765 (tok-98765) is not known"}}"#;
    let server = Server::start([Reply::status(401, &[], body)]).await;
    let mut spec = spec(Api::Chat, format!("{}/v1", server.root));
    spec.headers = vec![("Authorization".to_owned(), "Bearer tok-98765".to_owned())];
    let model = RemoteModel::new(spec, Arc::new(StaticKey(None)), transport(), || 0);
    let (message, _) = ask(&model, &request(&json!([]), tools(&[]))).await;
    assert!(!message.error_message.unwrap().contains("tok-98765"));
    assert!(!format!("{model:?} {:?}", model.spec()).contains("tok-98765"));
}

#[tokio::test]
async fn a_server_that_keeps_the_body_open_does_not_hold_up_the_answer() {
    let server = Server::start([Reply::begun([NOTHING.as_bytes()]).hang()]).await;
    let model = model(&format!("{}/v1", server.root), TransportOptions::default());
    let request = request(&json!([]), tools(&[]));
    let asking = tokio::time::timeout(Duration::from_secs(20), ask(&model, &request));
    let (message, _) = asking.await.expect("it waits for the end of the body");
    assert_eq!(message.stop_reason, StopReason::Stop);
    server.saw_a_closed_connection().await;
}
