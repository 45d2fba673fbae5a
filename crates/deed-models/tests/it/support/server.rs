use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, mpsc};

/// How long a test waits for what must happen.
const PATIENCE: Duration = Duration::from_secs(20);

/// A server that speaks HTTP by hand: what it answers is laid down, what it is asked is kept.
pub(crate) struct Server {
    pub(crate) root: String,
    shared: Arc<Shared>,
}

struct Shared {
    replies: Mutex<VecDeque<Reply>>,
    requests: Mutex<Vec<Recorded>>,
    connections: Mutex<usize>,
    requested: Notify,
    closed: mpsc::UnboundedSender<()>,
    was_closed: tokio::sync::Mutex<mpsc::UnboundedReceiver<()>>,
}

/// A request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Recorded {
    pub(crate) line: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Recorded {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// What comes of one request, step by step.
#[derive(Clone, Default)]
pub(crate) struct Reply {
    steps: Vec<Step>,
}

#[derive(Clone)]
enum Step {
    Raw(Vec<u8>),
    /// Sends nothing more and waits until the other side closes.
    Hang,
    /// Closes without a proper end.
    Close,
}

impl Reply {
    /// A head of this state, then the body in one piece.
    pub(crate) fn status(status: u16, headers: &[(&str, &str)], body: &str) -> Self {
        let mut head = format!(
            "HTTP/1.1 {status} Status\r\ncontent-length: {}\r\n",
            body.len()
        );
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        Self::default().raw(format!("{head}\r\n{body}"))
    }

    /// A stream of events in these pieces, each of which arrives by itself.
    pub(crate) fn stream<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Self {
        Self::begun(pieces).raw("0\r\n\r\n")
    }

    /// A stream that does not end here.
    pub(crate) fn begun<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut bytes = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\
            transfer-encoding: chunked\r\n\r\n"
            .to_vec();
        for piece in pieces.into_iter().filter(|piece| !piece.is_empty()) {
            bytes.extend_from_slice(format!("{:x}\r\n", piece.len()).as_bytes());
            bytes.extend_from_slice(piece);
            bytes.extend_from_slice(b"\r\n");
        }
        Self::default().raw(bytes)
    }

    /// A stream of events in two pieces, each sent on its own.
    pub(crate) fn in_two(first: &[u8], second: &[u8]) -> Self {
        let begun = Self::begun([first]);
        let mut rest = format!("{:x}\r\n", second.len()).into_bytes();
        rest.extend_from_slice(second);
        rest.extend_from_slice(b"\r\n0\r\n\r\n");
        begun.raw(rest)
    }

    pub(crate) fn events(text: &str) -> Self {
        Self::stream([text.as_bytes()])
    }

    pub(crate) fn raw(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.steps.push(Step::Raw(bytes.into()));
        self
    }

    pub(crate) fn hang(mut self) -> Self {
        self.steps.push(Step::Hang);
        self
    }

    pub(crate) fn close(mut self) -> Self {
        self.steps.push(Step::Close);
        self
    }
}

impl Server {
    /// Listens and answers one request with each of these, in order.
    pub(crate) async fn start(replies: impl IntoIterator<Item = Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let root = format!("http://{}", listener.local_addr().unwrap());
        let (closed, was_closed) = mpsc::unbounded_channel();
        let shared = Arc::new(Shared {
            replies: Mutex::new(replies.into_iter().collect()),
            requests: Mutex::default(),
            connections: Mutex::default(),
            requested: Notify::new(),
            closed,
            was_closed: tokio::sync::Mutex::new(was_closed),
        });
        tokio::spawn({
            let shared = shared.clone();
            async move {
                while let Ok((stream, _)) = listener.accept().await {
                    *shared.connections.lock().unwrap() += 1;
                    tokio::spawn(serve(stream, shared.clone()));
                }
            }
        });
        Self { root, shared }
    }

    pub(crate) fn requests(&self) -> Vec<Recorded> {
        self.shared.requests.lock().unwrap().clone()
    }

    /// Returns the body of the last request.
    pub(crate) fn last_body(&self) -> Value {
        self.requests().last().unwrap().json()
    }

    pub(crate) fn connections(&self) -> usize {
        *self.shared.connections.lock().unwrap()
    }

    /// Waits until a request came.
    pub(crate) async fn got_a_request(&self) {
        let waiting = tokio::time::timeout(PATIENCE, self.shared.requested.notified());
        waiting.await.expect("no request came");
    }

    /// Waits until the other side closed a connection on which something was still to come.
    pub(crate) async fn saw_a_closed_connection(&self) {
        let mut was_closed = self.shared.was_closed.lock().await;
        let waiting = tokio::time::timeout(PATIENCE, was_closed.recv());
        waiting
            .await
            .expect("the connection is still open")
            .unwrap();
    }
}

async fn serve(mut stream: TcpStream, shared: Arc<Shared>) {
    stream.set_nodelay(true).unwrap();
    while let Some(request) = read_request(&mut stream).await {
        shared.requests.lock().unwrap().push(request);
        shared.requested.notify_one();
        let reply = shared.replies.lock().unwrap().pop_front();
        let Some(reply) = reply else { return };
        for step in reply.steps {
            match step {
                Step::Raw(bytes) => {
                    if stream.write_all(&bytes).await.is_err() {
                        shared.closed.send(()).ok();
                        return;
                    }
                }
                Step::Hang => {
                    // Nothing is to come from the other side: whatever ends this is its end.
                    while stream.read_u8().await.is_ok() {}
                    shared.closed.send(()).ok();
                    return;
                }
                Step::Close => return,
            }
        }
    }
}

async fn read_request(stream: &mut TcpStream) -> Option<Recorded> {
    let mut bytes = Vec::new();
    let head_len = loop {
        if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break at + 4;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(bytes[..head_len].to_vec()).unwrap();
    let mut lines = head.split("\r\n");
    let line = lines.next().unwrap().to_owned();
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length: usize = length.map_or(0, |(_, value)| value.parse().unwrap());
    let mut body = bytes.split_off(head_len);
    while body.len() < length {
        if stream.read_buf(&mut body).await.ok()? == 0 {
            return None;
        }
    }
    Some(Recorded {
        line,
        headers,
        body,
    })
}
