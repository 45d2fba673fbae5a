//! A lock on a file, waited for with an end: a stopped process may hold it for ever.

use std::fs::{File, TryLockError};
use std::io;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

const FIRST_PAUSE: Duration = Duration::from_micros(50);
const LAST_PAUSE: Duration = Duration::from_millis(2);

/// A lock, for as long as it lives.
pub(crate) struct Locked(Arc<File>);

impl Locked {
    /// Keeps others out; `None` if the lock could not be had in time.
    pub(crate) fn exclusive(file: &Arc<File>, max_wait: Duration) -> io::Result<Option<Self>> {
        let got = wait(max_wait, || file.try_lock())?;
        Ok(got.then(|| Self(file.clone())))
    }

    /// Keeps out who wants the lock alone; `None` if the lock could not be had in time.
    pub(crate) fn shared(file: &Arc<File>, max_wait: Duration) -> io::Result<Option<Self>> {
        let got = wait(max_wait, || file.try_lock_shared())?;
        Ok(got.then(|| Self(file.clone())))
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        // A lock that cannot be given back ends with the file, at the latest with the process.
        self.0.unlock().ok();
    }
}

fn wait(max_wait: Duration, attempt: impl Fn() -> Result<(), TryLockError>) -> io::Result<bool> {
    let (started, mut pause) = (Instant::now(), FIRST_PAUSE);
    loop {
        match attempt() {
            Ok(()) => return Ok(true),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if started.elapsed() >= max_wait => return Ok(false),
            Err(TryLockError::WouldBlock) => {
                thread::sleep(pause);
                pause = (pause * 2).min(LAST_PAUSE);
            }
        }
    }
}
