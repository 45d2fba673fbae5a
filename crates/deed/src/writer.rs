use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use anyhow::Context;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::exit::Ending;

/// Pieces that may wait before who writes waits for who reads.
const MAX_WAITING: usize = 64;

/// Erases the line that the cursor is in and goes to its start.
const ERASE_LINE: &str = "\r\x1b[K";

/// Writes to standard output on a thread of its own: a slow reader holds up who waits for the
/// output, and nothing else. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Writer {
    pieces: mpsc::Sender<Piece>,
}

/// Waits for the end of a [`Writer`].
#[derive(Debug)]
pub(crate) struct WriterEnd {
    pieces: mpsc::Sender<Piece>,
    thread: JoinHandle<()>,
    fault: Arc<Mutex<Option<io::Error>>>,
}

#[derive(Debug)]
enum Piece {
    /// Stays.
    Text(String),
    /// Is erased by whatever comes next.
    Status(String),
    /// Nothing comes after it.
    End,
}

impl Writer {
    /// Starts the thread; when output cannot be written any more, `stop` is cancelled.
    pub(crate) fn start(stop: CancellationToken) -> anyhow::Result<(Self, WriterEnd)> {
        let (pieces, waiting) = mpsc::channel(MAX_WAITING);
        let fault = Arc::new(Mutex::new(None));
        let on_thread = fault.clone();
        let thread = std::thread::Builder::new()
            .name("deed-output".to_owned())
            .spawn(move || {
                if let Err(error) = write_all(waiting) {
                    *on_thread.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                    stop.cancel();
                }
            })
            .context("cannot start the thread that writes output")?;
        let end = WriterEnd {
            pieces: pieces.clone(),
            thread,
            fault,
        };
        Ok((Self { pieces }, end))
    }

    /// Writes a text; `false` if it cannot be written any more.
    pub(crate) async fn text(&self, text: String) -> bool {
        self.pieces.send(Piece::Text(text)).await.is_ok()
    }

    /// Shows a line until something else is written; drops it if much waits.
    pub(crate) fn status(&self, line: String) {
        self.pieces.try_send(Piece::Status(line)).ok();
    }
}

impl WriterEnd {
    /// Waits until all is written; what is given to a [`Writer`] later is dropped.
    ///
    /// Errors: output could not be written.
    pub(crate) async fn wait(self) -> io::Result<()> {
        // If the thread has ended already, its fault says why.
        self.pieces.send(Piece::End).await.ok();
        let thread = self.thread;
        if tokio::task::block_in_place(|| thread.join()).is_err() {
            return Err(io::Error::other("the thread that writes output failed"));
        }
        match self
            .fault
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
        {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}

/// Writes bytes to standard output at once, for commands that print one thing.
pub(crate) fn print(bytes: &[u8]) -> anyhow::Result<Ending> {
    let mut out = io::stdout().lock();
    ending_of(out.write_all(bytes).and_then(|()| out.flush()))
}

/// Says how a command ends whose output was written, or was not.
///
/// Errors: the output could not be written, and not because nobody reads it.
pub(crate) fn ending_of(written: io::Result<()>) -> anyhow::Result<Ending> {
    match written {
        Ok(()) => Ok(Ending::Done),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Ending::ClosedPipe),
        Err(error) => Err(anyhow::Error::new(error).context("cannot write to standard output")),
    }
}

fn write_all(mut waiting: mpsc::Receiver<Piece>) -> io::Result<()> {
    let mut out = io::BufWriter::with_capacity(64 * 1024, io::stdout().lock());
    let mut status_shown = false;
    while let Some(piece) = waiting.blocking_recv() {
        if std::mem::take(&mut status_shown) {
            out.write_all(ERASE_LINE.as_bytes())?;
        }
        match piece {
            Piece::Text(text) => out.write_all(text.as_bytes())?,
            Piece::Status(line) => {
                out.write_all(line.as_bytes())?;
                status_shown = true;
            }
            Piece::End => break,
        }
        if waiting.is_empty() {
            out.flush()?;
        }
    }
    out.flush()
}
