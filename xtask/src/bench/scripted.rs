//! A scripted model server on loopback that speaks Chat Completions, and the times of what it is asked.

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

/// How long a client may keep the server waiting.
const PATIENCE: Duration = Duration::from_secs(60);

/// An answer of the model as the events of a stream, each sent by itself.
#[derive(Debug, Clone)]
pub(crate) struct Answer(Vec<Vec<u8>>);

/// A request and its answer, as the server saw them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Exchange {
    /// When the whole request was there.
    pub(crate) received: Instant,
    /// When the whole answer was sent.
    pub(crate) sent: Instant,
    pub(crate) body_bytes: usize,
}

impl Answer {
    pub(crate) fn text(text: &str) -> Self {
        Self::of(&[json!({ "content": text })], "stop")
    }

    /// Calls with ids that no other turn has.
    pub(crate) fn calls(turn: usize, calls: &[(&str, Value)]) -> Self {
        let calls: Vec<Value> = calls
            .iter()
            .enumerate()
            .map(|(index, (name, arguments))| {
                json!({ "index": index, "id": format!("call_{turn}_{index}"), "type": "function",
                    "function": { "name": name, "arguments": arguments.to_string() } })
            })
            .collect();
        Self::of(&[json!({ "tool_calls": calls })], "tool_calls")
    }

    /// One call whose arguments come in pieces of so many bytes; they must be ASCII.
    pub(crate) fn streamed_call(name: &str, arguments: &Value, piece: usize) -> Self {
        let begins = json!({ "tool_calls": [{ "index": 0, "id": "call_0_0", "type": "function",
            "function": { "name": name, "arguments": "" } }] });
        let text = arguments.to_string();
        let pieces = text.as_bytes().chunks(piece).map(|bytes| {
            let text = String::from_utf8_lossy(bytes);
            json!({ "tool_calls": [{ "index": 0, "function": { "arguments": text } }] })
        });
        let deltas: Vec<Value> = std::iter::once(begins).chain(pieces).collect();
        Self::of(&deltas, "tool_calls")
    }

    fn of(deltas: &[Value], finish: &str) -> Self {
        let chunk = |delta: &Value, finish: Option<&str>| {
            json!({ "id": "x", "object": "chat.completion.chunk", "model": "bench",
                "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] })
        };
        let usage = json!({ "choices": [], "usage":
            { "prompt_tokens": 1000, "completion_tokens": 10, "total_tokens": 1010 } });
        let mut events: Vec<Vec<u8>> = deltas
            .iter()
            .map(|delta| event(&chunk(delta, None)))
            .collect();
        let mut end = event(&chunk(&json!({}), Some(finish)));
        end.extend(event(&usage));
        end.extend_from_slice(b"data: [DONE]\n\n");
        events.push(end);
        Self(events)
    }
}

fn event(value: &Value) -> Vec<u8> {
    format!("data: {value}\n\n").into_bytes()
}

/// The server; one client at a time.
#[derive(Debug)]
pub(crate) struct Server {
    listener: TcpListener,
    client: Option<BufReader<TcpStream>>,
}

impl Server {
    pub(crate) fn bind() -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        listener.set_nonblocking(true)?;
        Ok(Self {
            listener,
            client: None,
        })
    }

    pub(crate) fn address(&self) -> Result<SocketAddr> {
        Ok(self.listener.local_addr()?)
    }

    /// Waits for a request that declares tools or a transcript, whole; `is_alive` ends the wait.
    pub(crate) fn request(
        &mut self,
        mut is_alive: impl FnMut() -> bool,
    ) -> Result<(Instant, usize)> {
        loop {
            let Some(client) = &mut self.client else {
                self.client = Some(accept(&self.listener, &mut is_alive)?);
                continue;
            };
            match read_request(client)? {
                Some(body_bytes) => return Ok((Instant::now(), body_bytes)),
                // It begins another connection.
                None => self.client = None,
            }
        }
    }

    pub(crate) fn answer(&mut self, answer: &Answer) -> Result<Instant> {
        let client = self.client.as_mut().context("nobody asked")?;
        let stream = client.get_mut();
        let length: usize = answer.0.iter().map(Vec::len).sum();
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {length}\r\n\r\n"
        );
        let mut first = head.into_bytes();
        let mut events = answer.0.iter();
        first.extend(events.next().into_iter().flatten());
        stream.write_all(&first)?;
        for event in events {
            stream.write_all(event)?;
        }
        Ok(Instant::now())
    }
}

fn accept(
    listener: &TcpListener,
    is_alive: &mut impl FnMut() -> bool,
) -> Result<BufReader<TcpStream>> {
    let begun = Instant::now();
    loop {
        match listener.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(false)?;
                stream.set_nodelay(true)?;
                stream.set_read_timeout(Some(PATIENCE))?;
                return Ok(BufReader::with_capacity(1 << 18, stream));
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                if begun.elapsed() > PATIENCE || !is_alive() {
                    bail!("nobody asks the model any more");
                }
                std::thread::sleep(Duration::from_micros(50));
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// Reads a request and tells how large its body is; `None` if the connection ended before it.
fn read_request(client: &mut BufReader<TcpStream>) -> Result<Option<usize>> {
    let mut length = 0;
    let mut line = String::new();
    loop {
        line.clear();
        if client.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse()?;
        }
    }
    let mut body = client.take(length as u64);
    let read = std::io::copy(&mut body, &mut std::io::sink())?;
    if read < length as u64 {
        bail!("a request ended after {read} of {length} bytes");
    }
    Ok(Some(length))
}

/// Asks with bodies of these sizes and reads the answers: what any client must do at the least.
pub(crate) fn bare_client(address: SocketAddr, bodies: &[usize]) -> Result<()> {
    let mut server = BufReader::new(TcpStream::connect(address)?);
    server.get_ref().set_nodelay(true)?;
    server.get_ref().set_read_timeout(Some(PATIENCE))?;
    let body = vec![b' '; bodies.iter().copied().max().unwrap_or_default()];
    for size in bodies {
        let mut request =
            format!("POST /v1/chat/completions HTTP/1.1\r\ncontent-length: {size}\r\n\r\n")
                .into_bytes();
        request.extend(body.get(..*size).into_iter().flatten());
        server.get_mut().write_all(&request)?;
        read_request(&mut server)?.context("the server closed the connection")?;
    }
    Ok(())
}
