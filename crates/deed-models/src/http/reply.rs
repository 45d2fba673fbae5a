use std::time::Duration;

use bytes::Bytes;
use reqwest::header::HeaderMap;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

use super::reason;
use crate::fault::{Fault, seconds_to_ms};

/// How many pieces of a body may wait for the reader before the connection waits.
const MAX_WAITING_PIECES: usize = 1024;

/// An answer whose body is still to come.
///
/// A task of its own takes the body off the connection, which hands over one piece at a time and
/// waits for it to be taken: a reader elsewhere would be woken for each. Dropping ends the task, and
/// with it the connection.
pub(crate) struct Reply {
    status: u16,
    headers: HeaderMap,
    pieces: mpsc::Receiver<reqwest::Result<Bytes>>,
    pump: AbortHandle,
    idle: Duration,
    address: String,
}

impl Drop for Reply {
    fn drop(&mut self) {
        self.pump.abort();
    }
}

impl Reply {
    pub(super) fn new(mut response: reqwest::Response, idle: Duration, address: String) -> Self {
        let (to, pieces) = mpsc::channel(MAX_WAITING_PIECES);
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let pump = tokio::spawn(async move {
            while let Some(piece) = response.chunk().await.transpose() {
                let is_last = piece.is_err();
                if to.send(piece).await.is_err() || is_last {
                    break;
                }
            }
        });
        Self {
            status,
            headers,
            pieces,
            pump: pump.abort_handle(),
            idle,
            address,
        }
    }

    pub(crate) fn status(&self) -> u16 {
        self.status
    }

    pub(crate) fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Returns what came next; `None` at the end.
    ///
    /// Errors: the connection broke off, or nothing came for too long.
    pub(crate) async fn chunk(&mut self) -> Result<Option<Bytes>, Fault> {
        match tokio::time::timeout(self.idle, self.pieces.recv()).await {
            Ok(piece) => piece
                .transpose()
                .map_err(|error| reason::of_reading(&error)),
            Err(_) => Err(reason::silence(&self.address, self.idle)),
        }
    }

    /// Returns what came already, without waiting for more; `None` if nothing did.
    pub(crate) fn ready_chunk(&mut self) -> Option<Result<Bytes, Fault>> {
        let piece = self.pieces.try_recv().ok()?;
        Some(piece.map_err(|error| reason::of_reading(&error)))
    }

    /// Returns the start of the body, as far as it comes.
    pub(crate) async fn start(&mut self, max_bytes: usize) -> String {
        let mut start = Vec::new();
        while let Ok(Some(chunk)) = self.chunk().await {
            let room = max_bytes.saturating_sub(start.len());
            start.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
            if start.len() >= max_bytes {
                break;
            }
        }
        String::from_utf8_lossy(&start).into_owned()
    }
}

/// Returns how long a provider asks to wait, from the header fields of its answer.
///
/// Units: `now_ms` is milliseconds since 1970.
///
/// Source: RFC 9110, section 10.2.3; `retry-after-ms` is OpenAI's.
pub(crate) fn retry_after_ms(reply: &Reply, now_ms: i64) -> Option<u64> {
    let number = |name| reply.header(name)?.trim().parse::<f64>().ok();
    if let Some(ms) = number("retry-after-ms") {
        return seconds_to_ms(ms / 1000.0);
    }
    if let Some(seconds) = number("retry-after") {
        return seconds_to_ms(seconds);
    }
    let date = reply.header("retry-after")?.trim();
    let at = jiff::fmt::rfc2822::parse(date).ok()?.timestamp();
    u64::try_from(at.as_millisecond() - now_ms).ok()
}
