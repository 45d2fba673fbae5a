//! Watches the messages of a server as they come in: a message that is too long ends the connection
//! before it is read, and the state of the transaction is known without asking.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, TlsStream};

use crate::limits::MAX_VALUE_BYTES;

const COMMAND_COMPLETE: u8 = b'C';
const READY_FOR_QUERY: u8 = b'Z';
const IN_TRANSACTION: u8 = b'T';
const HEADER_BYTES: usize = 5;
/// A length counts itself.
const LENGTH_BYTES: usize = 4;
const MAX_TAG_BYTES: usize = 100;

/// What was seen of a connection.
#[derive(Debug, Default)]
pub(super) struct Watch {
    status: AtomicU8,
    had_long_message: AtomicBool,
    tag: Mutex<String>,
}

impl Watch {
    /// Tells whether the server said last that it is in a transaction that did not fail.
    pub(super) fn is_in_transaction(&self) -> bool {
        self.status.load(Ordering::Acquire) == IN_TRANSACTION
    }

    /// Tells whether the connection ended because of a message that was too long.
    pub(super) fn had_long_message(&self) -> bool {
        self.had_long_message.load(Ordering::Acquire)
    }

    /// Returns what the server said of the last command that it completed, such as `UPDATE 3`.
    pub(super) fn tag(&self) -> String {
        self.tag
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

/// A stream whose incoming messages are watched.
#[derive(Debug)]
pub(super) struct Framed<S> {
    inner: S,
    frames: Frames,
}

#[derive(Debug)]
struct Frames {
    watch: Arc<Watch>,
    /// Bytes before the first message.
    skip: usize,
    header: Vec<u8>,
    /// Bytes of the message that are yet to come.
    rest: usize,
    /// The body, of the messages that are looked at.
    body: Vec<u8>,
}

impl<S> Framed<S> {
    /// Watches a stream; `skip` says how many bytes come before the first message.
    pub(super) fn new(inner: S, watch: Arc<Watch>, skip: usize) -> Self {
        let frames = Frames {
            watch,
            skip,
            header: Vec::new(),
            rest: 0,
            body: Vec::new(),
        };
        Self { inner, frames }
    }

    /// Returns the stream and who watches.
    pub(super) fn into_parts(self) -> (S, Arc<Watch>) {
        (self.inner, self.frames.watch)
    }
}

impl Frames {
    fn take(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let wanted = match (self.skip, self.rest) {
                (0, 0) => HEADER_BYTES - self.header.len(),
                (0, rest) => rest,
                (skip, _) => skip,
            };
            let (part, behind) = bytes.split_at_checked(wanted).unwrap_or((bytes, &[]));
            bytes = behind;
            if self.skip > 0 {
                self.skip -= part.len();
            } else if self.rest > 0 {
                self.take_body(part);
            } else {
                self.take_header(part)?;
            }
        }
        Ok(())
    }

    fn take_header(&mut self, part: &[u8]) -> io::Result<()> {
        self.header.extend(part);
        let &[kind, a, b, c, d] = self.header.as_slice() else {
            return Ok(());
        };
        let length = u32::from_be_bytes([a, b, c, d]) as usize;
        self.rest = length.saturating_sub(LENGTH_BYTES);
        if self.rest > MAX_VALUE_BYTES {
            self.watch.had_long_message.store(true, Ordering::Release);
            return Err(io::Error::other("a message is too long"));
        }
        if self.rest == 0 {
            self.end(kind);
        }
        Ok(())
    }

    fn take_body(&mut self, part: &[u8]) {
        let kind = self.header.first().copied().unwrap_or_default();
        if matches!(kind, COMMAND_COMPLETE | READY_FOR_QUERY) && self.body.len() < MAX_TAG_BYTES {
            self.body.extend(part);
        }
        self.rest -= part.len();
        if self.rest == 0 {
            self.end(kind);
        }
    }

    fn end(&mut self, kind: u8) {
        match (kind, self.body.as_slice()) {
            (READY_FOR_QUERY, [status]) => self.watch.status.store(*status, Ordering::Release),
            (COMMAND_COMPLETE, body) => {
                let tag = String::from_utf8_lossy(body.strip_suffix(&[0]).unwrap_or(body));
                let mut last = self
                    .watch
                    .tag
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner);
                *last = tag.into_owned();
            }
            _ => {}
        }
        self.header.clear();
        self.body.clear();
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Framed<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.inner).poll_read(cx, buffer);
        if let Poll::Ready(Ok(())) = polled {
            let new = buffer.filled().get(before..).unwrap_or_default();
            self.frames.take(new)?;
        }
        polled
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Framed<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}

impl<S: TlsStream + Unpin> TlsStream for Framed<S> {
    fn channel_binding(&self) -> ChannelBinding {
        self.inner.channel_binding()
    }
}
