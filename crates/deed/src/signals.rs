use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use anyhow::Context;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::exit::complain;

/// The signal for writing beyond the limit of the size of files.
///
/// Source: Linux, signal(7); the same number on x86, ARM, RISC-V and PowerPC.
const FILE_TOO_LARGE: i32 = 25;

/// Stops the run on the first signal and the program on the second.
#[derive(Clone, Debug)]
pub(crate) struct Stop {
    /// Cancelled by the first signal, or by whoever finds that going on is pointless.
    pub(crate) cancel: CancellationToken,
    signal: Arc<AtomicU8>,
}

impl Stop {
    /// Begins to listen for SIGINT, SIGTERM, SIGHUP and SIGQUIT. From then on a file that grows beyond the
    /// limit of its size is a failed write, not the end of the program.
    ///
    /// `force` is called on the second signal, before the program exits.
    pub(crate) fn listen(force: impl Fn() + Send + 'static) -> anyhow::Result<Self> {
        let stop = Self {
            cancel: CancellationToken::new(),
            signal: Arc::default(),
        };
        let mut signals = Signals::new().context("cannot listen for signals")?;
        let heard = stop.clone();
        tokio::spawn(async move {
            let first = signals.next().await;
            heard.signal.store(first, Ordering::Release);
            heard.cancel.cancel();
            complain(if first == number(SignalKind::interrupt()) {
                "stopping; press Ctrl-C again to stop at once"
            } else {
                "stopping; a second signal stops at once"
            });
            let second = signals.next().await;
            force();
            std::process::exit(128 + i32::from(second));
        });
        Ok(stop)
    }

    /// Returns the number of the signal that stopped the run.
    pub(crate) fn signal(&self) -> Option<u8> {
        Some(self.signal.load(Ordering::Acquire)).filter(|number| *number != 0)
    }
}

struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hangup: Signal,
    quit: Signal,
    /// Held so that the signal does nothing; the write that raised it fails and says why.
    _file_too_large: Signal,
}

impl Signals {
    fn new() -> std::io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
            quit: signal(SignalKind::quit())?,
            _file_too_large: signal(SignalKind::from_raw(FILE_TOO_LARGE))?,
        })
    }

    /// Waits for the next signal and returns its number.
    async fn next(&mut self) -> u8 {
        tokio::select! {
            _ = self.interrupt.recv() => number(SignalKind::interrupt()),
            _ = self.terminate.recv() => number(SignalKind::terminate()),
            _ = self.hangup.recv() => number(SignalKind::hangup()),
            _ = self.quit.recv() => number(SignalKind::quit()),
        }
    }
}

fn number(kind: SignalKind) -> u8 {
    u8::try_from(kind.as_raw_value()).unwrap_or(2)
}
