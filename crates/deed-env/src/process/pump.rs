//! Reading what a command prints.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;

use super::OutputStream;

const BUFFER_BYTES: usize = 256 * 1024;
/// A read of this size means that the program fills its pipe faster than it is emptied.
const BUSY_BYTES: usize = 64 * 1024;
/// Large enough for a writer to go on while we write to disk; the system allows this to anyone.
const BUSY_PIPE_BYTES: usize = 1024 * 1024;
/// Reads of one pipe before time limits and cancellation are looked at again.
const READS_PER_TURN: usize = 16;

/// The reading ends of a command's pipes, which do not block.
#[derive(Debug)]
pub(super) struct Pump {
    stdout: Option<Pipe>,
    stderr: Option<Pipe>,
    buffer: Box<[u8]>,
    last_output: Option<Instant>,
}

#[derive(Debug)]
struct Pipe {
    reader: OwnedFd,
    enlarged: bool,
}

impl Pump {
    pub(super) fn new(stdout: OwnedFd, stderr: OwnedFd) -> Self {
        let pipe = |reader| {
            Some(Pipe {
                reader,
                enlarged: false,
            })
        };
        Self {
            stdout: pipe(stdout),
            stderr: pipe(stderr),
            buffer: vec![0; BUFFER_BYTES].into_boxed_slice(),
            last_output: None,
        }
    }

    /// Says whether nobody can write any more.
    pub(super) fn is_closed(&self) -> bool {
        self.stdout.is_none() && self.stderr.is_none()
    }

    /// When bytes last came.
    pub(super) fn last_output(&self) -> Option<Instant> {
        self.last_output
    }

    pub(super) fn readiness(&self, stream: OutputStream) -> Option<BorrowedFd<'_>> {
        let pipe = match stream {
            OutputStream::Stdout => &self.stdout,
            OutputStream::Stderr => &self.stderr,
        };
        pipe.as_ref().map(|pipe| pipe.reader.as_fd())
    }

    /// The numbers under which the system shows the pipes that are still open.
    pub(super) fn inodes(&self) -> Vec<u64> {
        let inode = |pipe: &Pipe| rustix::fs::fstat(&pipe.reader).ok().map(|stat| stat.st_ino);
        self.stdout
            .iter()
            .chain(&self.stderr)
            .filter_map(inode)
            .collect()
    }

    /// Hands on what is in a pipe, up to a limit, and notes its end.
    pub(super) fn read(&mut self, stream: OutputStream, mut take: impl FnMut(&[u8])) {
        let slot = match stream {
            OutputStream::Stdout => &mut self.stdout,
            OutputStream::Stderr => &mut self.stderr,
        };
        for _ in 0..READS_PER_TURN {
            let Some(pipe) = slot else { return };
            match rustix::io::read(&pipe.reader, &mut *self.buffer) {
                Ok(0) => *slot = None,
                Ok(count) => {
                    self.last_output = Some(Instant::now());
                    take(self.buffer.get(..count).unwrap_or_default());
                    pipe.enlarge_if_busy(count);
                    if count < BUSY_BYTES.min(BUFFER_BYTES) {
                        return;
                    }
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                Err(_) => *slot = None,
            }
        }
    }

    /// Reads into nowhere until nobody can write any more, so that a process which was left
    /// running neither blocks nor dies of a broken pipe.
    pub(super) fn drain(mut self) {
        while !self.is_closed() {
            let streams = [OutputStream::Stdout, OutputStream::Stderr];
            let readable = wait_readable(streams.map(|stream| self.readiness(stream)), None);
            for (stream, _) in streams
                .into_iter()
                .zip(readable)
                .filter(|(_, readable)| *readable)
            {
                self.read(stream, |_| {});
            }
        }
    }
}

impl Pipe {
    /// Only for those that need it: a user's pipes share one allowance, and it costs a call.
    fn enlarge_if_busy(&mut self, read_bytes: usize) {
        if !self.enlarged && read_bytes >= BUSY_BYTES {
            self.enlarged = true;
            rustix::pipe::fcntl_setpipe_size(&self.reader, BUSY_PIPE_BYTES).ok();
        }
    }
}

/// Waits until one of the descriptors can be read or is at its end, or until a moment; says which.
pub(super) fn wait_readable<const N: usize>(
    descriptors: [Option<BorrowedFd<'_>>; N],
    until: Option<Instant>,
) -> [bool; N] {
    let mut polled: Vec<PollFd<'_>> = descriptors
        .iter()
        .flatten()
        .map(|descriptor| PollFd::from_borrowed_fd(*descriptor, PollFlags::IN))
        .collect();
    let timeout = until.map(|until| until.saturating_duration_since(Instant::now()));
    // Longer than the system can count is for ever.
    let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
    let some_ready =
        rustix::event::poll(&mut polled, timeout.as_ref()).is_ok_and(|count| count > 0);
    let mut polled = polled.iter();
    descriptors.map(|descriptor| {
        let entry = descriptor.and_then(|_| polled.next());
        some_ready && entry.is_some_and(|entry| !entry.revents().is_empty())
    })
}
