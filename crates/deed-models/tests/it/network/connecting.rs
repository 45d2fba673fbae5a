use std::net::SocketAddr;
use std::time::Duration;

use deed_agent::Model;
use deed_models::TransportOptions;
use deed_protocol::StopReason;
use serde_json::json;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::model;
use crate::support::{request, tools};

/// How long a test waits for what must happen.
const PATIENCE: Duration = Duration::from_secs(20);

/// An address that answers nobody: the system takes one connection for a program that never looks,
/// and passes over whoever comes after.
struct Deaf {
    address: SocketAddr,
    _listener: TcpListener,
    _first: TcpStream,
}

impl Deaf {
    async fn new() -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let listener = socket.listen(0).unwrap();
        let address = listener.local_addr().unwrap();
        Self {
            address,
            _listener: listener,
            _first: TcpStream::connect(address).await.unwrap(),
        }
    }

    /// Tells whether somebody asks for a connection and got no answer yet.
    ///
    /// Source: proc(5) on `/proc/net/tcp`; state 02 is `SYN_SENT`.
    fn is_asked(&self) -> bool {
        let wanted = format!("0100007F:{:04X}", self.address.port());
        let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
        table.lines().any(|line| {
            let columns: Vec<&str> = line.split_whitespace().collect();
            columns.get(2..4) == Some(&[wanted.as_str(), "02"])
        })
    }

    async fn until_asked(&self, wanted: bool) {
        let watching = async {
            while self.is_asked() != wanted {
                tokio::task::yield_now().await;
            }
        };
        let watching = tokio::time::timeout(PATIENCE, watching).await;
        watching.unwrap_or_else(|_| panic!("asked for a connection is never {wanted}"));
    }
}

#[tokio::test]
async fn what_is_cancelled_while_a_connection_is_made_ends_at_once() {
    let deaf = Deaf::new().await;
    let options = TransportOptions {
        // Nothing but the cancellation may end it.
        connect_timeout: Duration::from_secs(3600),
        ..TransportOptions::default()
    };
    let model = model(&format!("http://{}/v1", deaf.address), options);
    let (cancel, request) = (CancellationToken::new(), request(&json!([]), tools(&[])));
    let (deltas, _heard) = mpsc::channel(1);
    let cancelling = async {
        deaf.until_asked(true).await;
        cancel.cancel();
    };
    let both = async { tokio::join!(model.respond(&request, deltas, &cancel), cancelling) };
    let (message, ()) = tokio::time::timeout(2 * PATIENCE, both)
        .await
        .expect("it waits for the connection");
    assert_eq!(message.stop_reason, StopReason::Aborted);
    // The attempt itself is given up, not only its outcome.
    deaf.until_asked(false).await;
}

#[tokio::test]
async fn a_connection_that_nobody_answers_is_given_up_in_time_and_told() {
    let deaf = Deaf::new().await;
    let options = TransportOptions {
        connect_timeout: Duration::from_millis(50),
        ..TransportOptions::default()
    };
    let (_, text) = super::fault_of(&format!("http://{}/v1", deaf.address), options).await;
    assert!(text.contains(&deaf.address.to_string()), "{text}");
    deaf.until_asked(false).await;
}
