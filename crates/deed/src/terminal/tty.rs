use std::fs::File;
use std::io::{self, Read, Write};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{QueueSelector, tcflush, tcgetpgrp, tcgetwinsize};
use tokio_util::sync::CancellationToken;

/// How often a wait for a line looks whether it is still wanted.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);
/// A longer line is no answer.
const MAX_LINE_BYTES: usize = 4096;

/// The terminal of the program.
#[derive(Debug)]
pub(super) struct Tty(File);

/// What came of waiting for a line.
pub(super) enum Heard {
    Line(String),
    /// The question is no longer wanted.
    Stopped,
    /// The person ended the input.
    Ended,
    /// The terminal is gone.
    Gone,
}

impl Tty {
    pub(super) fn open() -> io::Result<Self> {
        let tty = File::options().read(true).write(true).open("/dev/tty")?;
        Ok(Self(tty))
    }

    /// Tells whether reading would be answered, and not stop the program as one in the background.
    pub(super) fn is_ours(&self) -> bool {
        tcgetpgrp(&self.0).is_ok_and(|foreground| foreground == rustix::process::getpgrp())
    }

    /// Returns how wide it is, if it says so.
    pub(super) fn columns(&self) -> Option<usize> {
        let columns = tcgetwinsize(&self.0).ok()?.ws_col;
        (columns > 0).then_some(usize::from(columns))
    }

    pub(super) fn say(&self, text: &str) {
        // A terminal that is gone is found out when the answer is read.
        (&self.0).write_all(text.as_bytes()).ok();
    }

    pub(super) fn forget_typed(&self) {
        tcflush(&self.0, QueueSelector::IFlush).ok();
    }

    /// Waits for a line.
    pub(super) fn line(&self, stop: &CancellationToken) -> Heard {
        let interval = Timespec {
            tv_sec: 0,
            tv_nsec: LOOK_INTERVAL.subsec_nanos().into(),
        };
        loop {
            if stop.is_cancelled() {
                return Heard::Stopped;
            }
            let mut watched = [PollFd::new(&self.0, PollFlags::IN)];
            match poll(&mut watched, Some(&interval)) {
                Ok(0) | Err(rustix::io::Errno::INTR) => {}
                Ok(_) => return self.read_line(),
                Err(_) => return Heard::Gone,
            }
        }
    }

    /// Reads what the terminal hands over at once: a line, for it edits lines itself.
    fn read_line(&self) -> Heard {
        let mut bytes = vec![0; MAX_LINE_BYTES];
        match (&self.0).read(&mut bytes) {
            Ok(0) => Heard::Ended,
            Err(_) => Heard::Gone,
            Ok(count) => {
                bytes.truncate(count);
                Heard::Line(String::from_utf8_lossy(&bytes).trim().to_owned())
            }
        }
    }
}
