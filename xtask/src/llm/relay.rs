//! What stands between deed and the server, and keeps what deed asks.

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

/// Where an HTTP head ends.
const END_OF_HEAD: &[u8] = b"\r\n\r\n";

/// A relay that works as long as the program.
pub(super) struct Relay {
    pub(super) port: u16,
    /// What came over each connection, in the order in which they were made.
    sent: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl Relay {
    /// Listens on a free port and hands on all that comes to another of this machine.
    pub(super) fn start(to: u16) -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        let sent: Arc<Mutex<Vec<Vec<u8>>>> = Arc::default();
        let kept = sent.clone();
        std::thread::spawn(move || {
            for (at, client) in listener.incoming().flatten().enumerate() {
                kept.lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(Vec::new());
                let kept = kept.clone();
                // A connection that breaks is a fault of the one that is tested, which says so.
                std::thread::spawn(move || connect(client, to, &kept, at).ok());
            }
        });
        Ok(Self { port, sent })
    }

    /// Checks that a later request says of a call what its result was.
    pub(super) fn told(&self, call: &str, text: &str) -> Result<()> {
        let requests = self.requests();
        let second = requests.get(1).context("no second request was sent")?;
        let messages = second.get("messages").and_then(Value::as_array);
        let messages = messages.context("the second request has no messages")?;
        let calls = messages.iter().any(|message| {
            let id = message.pointer("/tool_calls/0/id").and_then(Value::as_str);
            id == Some(call)
        });
        ensure!(
            calls,
            "the second request does not hold the call {call}: {second}"
        );
        let result = messages
            .iter()
            .find(|message| message.get("tool_call_id").and_then(Value::as_str) == Some(call));
        let result = result.with_context(|| format!("no result of {call} went back: {second}"))?;
        let content = result.get("content").and_then(Value::as_str);
        ensure!(
            content.is_some_and(|content| content.contains(text)),
            "the result that went back is not what was read: {result}"
        );
        Ok(())
    }

    /// Returns the bodies of what was posted.
    fn requests(&self) -> Vec<Value> {
        let sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        sent.iter().flat_map(|bytes| bodies(bytes)).collect()
    }
}

fn connect(
    mut client: TcpStream,
    to: u16,
    kept: &Mutex<Vec<Vec<u8>>>,
    at: usize,
) -> std::io::Result<()> {
    let mut server = TcpStream::connect((Ipv4Addr::LOCALHOST, to))?;
    let (mut back, mut answers) = (client.try_clone()?, server.try_clone()?);
    std::thread::spawn(move || {
        std::io::copy(&mut answers, &mut back).ok();
        back.shutdown(Shutdown::Both).ok();
    });
    let mut piece = [0; 16 * 1024];
    loop {
        let count = client.read(&mut piece)?;
        let Some(piece) = piece.get(..count).filter(|piece| !piece.is_empty()) else {
            return server.shutdown(Shutdown::Write);
        };
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sent) = kept.get_mut(at) {
            sent.extend_from_slice(piece);
        }
        drop(kept);
        server.write_all(piece)?;
    }
}

/// Returns the bodies of the requests of a connection.
fn bodies(mut bytes: &[u8]) -> Vec<Value> {
    let mut bodies = Vec::new();
    let end_of_head = |bytes: &[u8]| {
        let at = bytes
            .windows(END_OF_HEAD.len())
            .position(|found| found == END_OF_HEAD);
        at.map(|at| at + END_OF_HEAD.len())
    };
    while let Some((head, rest)) = end_of_head(bytes).and_then(|at| bytes.split_at_checked(at)) {
        let head = String::from_utf8_lossy(head).to_ascii_lowercase();
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length:"))
            .and_then(|length| length.trim().parse().ok())
            .unwrap_or(0);
        let Some((body, next)) = rest.split_at_checked(length) else {
            break;
        };
        bodies.extend(serde_json::from_slice::<Value>(body).ok());
        bytes = next;
    }
    bodies
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn bodies_are_found_behind_each_other_and_half_of_one_is_none() {
        let text = "GET /v1/models HTTP/1.1\r\nhost: x\r\n\r\n\
            POST / HTTP/1.1\r\nContent-Length: 7\r\n\r\n{\"a\":1}\
            POST / HTTP/1.1\r\ncontent-length: 2\r\n\r\n[]\
            POST / HTTP/1.1\r\ncontent-length: 9\r\n\r\n[1,";
        assert_eq!(bodies(text.as_bytes()), [json!({ "a": 1 }), json!([])]);
    }

    #[test]
    fn what_was_posted_is_kept_and_handed_on() {
        let server = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let relay = Relay::start(server.local_addr().unwrap().port()).unwrap();
        let mut client = TcpStream::connect((Ipv4Addr::LOCALHOST, relay.port)).unwrap();
        let request = b"POST / HTTP/1.1\r\ncontent-length: 7\r\n\r\n{\"a\":1}";
        client.write_all(request).unwrap();
        let (mut peer, _) = server.accept().unwrap();
        let mut came = vec![0; request.len()];
        peer.read_exact(&mut came).unwrap();
        assert_eq!(came, request);
        assert_eq!(relay.requests(), [json!({ "a": 1 })]);
        peer.write_all(b"ok").unwrap();
        drop(peer);
        let mut answer = String::new();
        client.read_to_string(&mut answer).unwrap();
        assert_eq!(answer, "ok");
    }
}
