use std::sync::Arc;

use deed_models::{RemoteModel, StaticKey};
use deed_protocol::{ErrorKind, StopReason};

use super::{ROWS, TWO_CALLS, hello, model, stream};
use crate::support::{Reply, Server, ask, spec, transport};

#[tokio::test]
async fn an_overload_says_when_to_come_back_and_the_next_request_works() {
    for row in ROWS {
        let (status, body) = row.overload;
        let server = Server::start([
            Reply::status(status, &[("retry-after", "2")], body),
            Reply::status(429, &[("retry-after-ms", "1500")], "{}"),
            Reply::status(
                429,
                &[("retry-after", "Thu, 01 Jan 1970 00:00:31 GMT")],
                "{}",
            ),
            Reply::events(&stream(row, &TWO_CALLS)),
        ])
        .await;
        let model = model(row, &server);
        let (first, _) = ask(&model, &hello()).await;
        assert_eq!(first.error_kind, Some(ErrorKind::Overloaded), "{first:?}");
        assert_eq!(first.retry_after_ms, Some(2_000), "{}", row.api);
        for wait in [1_500, 30_000] {
            let (limited, _) = ask(&model, &hello()).await;
            assert_eq!(
                limited.error_kind,
                Some(ErrorKind::RateLimit),
                "{}",
                row.api
            );
            assert_eq!(limited.retry_after_ms, Some(wait), "{}", row.api);
        }
        let (last, _) = ask(&model, &hello()).await;
        assert_eq!(last.stop_reason, StopReason::ToolUse, "{}", row.api);
        assert_eq!(server.connections(), 1, "{}", row.api);
    }
}

#[tokio::test]
async fn a_transcript_that_does_not_fit_is_told_apart() {
    for row in ROWS {
        let (status, body) = row.overflow;
        let server = Server::start([Reply::status(status, &[], body)]).await;
        let (message, _) = ask(&model(row, &server), &hello()).await;
        assert_eq!(
            message.error_kind,
            Some(ErrorKind::ContextOverflow),
            "{message:?}"
        );
    }
}

#[tokio::test]
async fn an_unknown_model_is_named() {
    for row in ROWS {
        let (status, body) = row.unknown_model;
        let server = Server::start([Reply::status(status, &[], body)]).await;
        let (message, _) = ask(&model(row, &server), &hello()).await;
        let text = message.error_message.unwrap();
        assert_eq!(message.error_kind, Some(ErrorKind::NotFound), "{text}");
        assert!(text.contains("acme has no model \"acme-1\""), "{text}");
    }
}

#[tokio::test]
async fn a_wrong_key_names_the_provider_and_never_the_key() {
    for row in ROWS {
        let (status, body) = row.wrong_key;
        let body = body.replace("KEY", "secret-key-0123");
        let server = Server::start([Reply::status(status, &[], &body)]).await;
        let model = model(row, &server);
        let (message, _) = ask(&model, &hello()).await;
        let text = message.error_message.clone().unwrap();
        assert_eq!(message.error_kind, Some(ErrorKind::Auth), "{text}");
        assert!(text.starts_with("acme does not accept the key"), "{text}");
        assert!(text.ends_with("set another with `deed auth`"), "{text}");
        for said in [format!("{message:?}"), format!("{model:?}")] {
            assert!(!said.contains("secret-key"), "{said}");
        }
        let sent = server.requests().remove(0);
        let has_key = sent
            .headers
            .iter()
            .any(|(_, value)| value.contains("secret-key-0123"));
        assert!(has_key && !sent.line.contains("secret-key"), "{sent:?}");
    }
}

#[tokio::test]
async fn without_a_key_no_key_is_sent() {
    for row in ROWS {
        let server = Server::start([Reply::events(&stream(row, &TWO_CALLS))]).await;
        let spec = spec(row.api, format!("{}{}", server.root, row.base));
        let model = RemoteModel::new(spec, Arc::new(StaticKey(None)), transport(), || 0);
        ask(&model, &hello()).await;
        let sent = server.requests().remove(0);
        for name in ["authorization", "x-api-key", "x-goog-api-key"] {
            assert_eq!(sent.header(name), None, "{}", row.api);
        }
    }
}

#[tokio::test]
async fn a_web_page_in_place_of_json_is_said_to_be_one() {
    const PAGE: &str = "<!DOCTYPE html>\n<html><title>Sign in</title></html>";
    for row in ROWS {
        let replies = [200, 404, 502]
            .map(|status| Reply::status(status, &[("content-type", "text/html")], PAGE));
        let server = Server::start(replies).await;
        let model = model(row, &server);
        for (status, kind) in [
            (200, ErrorKind::Protocol),
            (404, ErrorKind::NotFound),
            (502, ErrorKind::Server),
        ] {
            let (message, _) = ask(&model, &hello()).await;
            let text = message.error_message.unwrap();
            assert_eq!(message.error_kind, Some(kind), "{text}");
            let parts = [
                "answered with a web page",
                &format!("(status {status})"),
                "<title>Sign in</title>",
                server.root.as_str(),
                "check the base URL",
            ];
            for part in parts {
                assert!(text.contains(part), "{part:?} in {text}");
            }
        }
    }
}

#[tokio::test]
async fn a_redirection_is_not_followed_with_the_key() {
    for row in ROWS {
        let elsewhere = Server::start([]).await;
        let reply = Reply::status(307, &[("location", &elsewhere.root)], "");
        let server = Server::start([reply]).await;
        let (message, _) = ask(&model(row, &server), &hello()).await;
        let text = message.error_message.unwrap();
        assert!(text.contains(&elsewhere.root), "{text}");
        assert_eq!(elsewhere.requests().len(), 0);
    }
}

#[tokio::test]
async fn silence_has_an_end() {
    for row in ROWS {
        let begun = (row.answer)(&TWO_CALLS)[0].clone();
        let server = Server::start([
            Reply::default().hang(),
            Reply::begun([begun.as_bytes()]).hang(),
        ])
        .await;
        let mut spec = spec(row.api, format!("{}{}", server.root, row.base));
        spec.quirks.idle_timeout_ms = Some(50);
        let model = RemoteModel::new(spec, Arc::new(StaticKey(None)), transport(), || 0);
        for _ in 0..2 {
            let (message, _) = ask(&model, &hello()).await;
            assert_eq!(message.error_kind, Some(ErrorKind::Timeout), "{message:?}");
            server.saw_a_closed_connection().await;
        }
    }
}
