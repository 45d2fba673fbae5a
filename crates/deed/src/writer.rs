use std::future::Future;
use std::io::{self, Write};
use std::time::Duration;

use anyhow::Context;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::exit::{Ending, complain};

/// Pieces that may wait before who writes waits for who reads.
const MAX_WAITING: usize = 64;

/// How long a reader that does not read may hold up the end once the run is to stop.
const READER_GRACE: Duration = Duration::from_secs(2);

/// Erases the line that the cursor is in and goes to its start.
const ERASE_LINE: &str = "\r\x1b[K";

/// Writes to standard output on a thread of its own: a slow reader holds up who waits for the
/// output, and nothing else. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Writer {
    pieces: mpsc::Sender<Piece>,
    patience: Patience,
}

/// Waits for the end of a [`Writer`].
#[derive(Debug)]
pub(crate) struct WriterEnd {
    writer: Writer,
    written: oneshot::Receiver<io::Result<()>>,
}

#[derive(Debug)]
enum Piece {
    /// Stays.
    Text(Vec<u8>),
    /// Is erased by whatever comes next.
    Status(String),
    /// Nothing comes after it.
    End,
}

/// Waits for the reader as long as it takes, but not for ever once the run is to stop.
#[derive(Clone, Debug)]
struct Patience {
    stop: CancellationToken,
    given_up: CancellationToken,
}

impl Patience {
    async fn wait_for<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let over = async {
            self.stop.cancelled().await;
            tokio::time::sleep(READER_GRACE).await;
            self.given_up.cancel();
        };
        tokio::select! {
            biased;
            done = work => Some(done),
            () = self.given_up.cancelled() => None,
            () = over => None,
        }
    }
}

impl Writer {
    /// Starts the thread; when output cannot be written any more, `stop` is cancelled.
    pub(crate) fn start(stop: CancellationToken) -> anyhow::Result<(Self, WriterEnd)> {
        let (pieces, waiting) = mpsc::channel(MAX_WAITING);
        let (answer, written) = oneshot::channel();
        let on_thread = stop.clone();
        std::thread::Builder::new()
            .name("deed-output".to_owned())
            .spawn(move || {
                let result = write_all(waiting);
                let is_broken = result.is_err();
                // Nobody listens if the program has given the reader up.
                answer.send(result).ok();
                if is_broken {
                    on_thread.cancel();
                }
            })
            .context("cannot start the thread that writes output")?;
        let patience = Patience {
            stop,
            given_up: CancellationToken::new(),
        };
        let writer = Self { pieces, patience };
        let end = WriterEnd {
            writer: writer.clone(),
            written,
        };
        Ok((writer, end))
    }

    /// Writes a text; `false` if it cannot be written any more.
    pub(crate) async fn text(&self, text: impl Into<Vec<u8>>) -> bool {
        self.send(Piece::Text(text.into())).await
    }

    /// Writes a text from where nobody can wait; drops it if much waits.
    pub(crate) fn text_soon(&self, text: String) {
        self.pieces.try_send(Piece::Text(text.into())).ok();
    }

    /// Shows a line until something else is written; drops it if much waits.
    pub(crate) fn status(&self, line: String) {
        self.pieces.try_send(Piece::Status(line)).ok();
    }

    async fn send(&self, piece: Piece) -> bool {
        let sent = self.patience.wait_for(self.pieces.send(piece)).await;
        sent.is_some_and(|sent| sent.is_ok())
    }
}

impl WriterEnd {
    /// Waits until all is written; what is given to a [`Writer`] later is dropped.
    ///
    /// Errors: output could not be written; `TimedOut` if the run was to stop and nobody read.
    pub(crate) async fn wait(self) -> io::Result<()> {
        // If the thread has ended already, its result says why.
        self.writer.send(Piece::End).await;
        match self.writer.patience.wait_for(self.written).await {
            Some(Ok(written)) => written,
            Some(Err(_)) => Err(io::Error::other("the thread that writes output failed")),
            None => Err(io::ErrorKind::TimedOut.into()),
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
        Err(error) if error.kind() == io::ErrorKind::TimedOut => {
            complain("nobody reads the output; what was left of it is lost");
            Ok(Ending::ClosedPipe)
        }
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
            Piece::Text(text) => out.write_all(&text)?,
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
