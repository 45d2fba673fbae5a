//! How others reach the thread that supervises a command.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, PoisonError};

use rustix::event::EventfdFlags;

const RUN: u8 = 0;
const CANCEL: u8 = 1;
const KILL: u8 = 2;

/// Tells the supervising thread to end its command, and wakes it.
#[derive(Debug)]
pub(super) struct Control {
    wake: OwnedFd,
    order: AtomicU8,
    /// Signals that wait to be sent, and whether to the whole group.
    signals: Mutex<Vec<(i32, bool)>>,
}

impl Control {
    pub(super) fn new() -> io::Result<Self> {
        let flags = EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK;
        Ok(Self {
            wake: rustix::event::eventfd(0, flags)?,
            order: AtomicU8::new(RUN),
            signals: Mutex::default(),
        })
    }

    /// Ends the command as a person would: asked first, killed after a while.
    pub(super) fn cancel(&self) {
        self.order.fetch_max(CANCEL, Ordering::AcqRel);
        self.wake();
    }

    /// Ends the command without asking.
    pub(super) fn kill(&self) {
        self.order.fetch_max(KILL, Ordering::AcqRel);
        self.wake();
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.order.load(Ordering::Acquire) >= CANCEL
    }

    pub(super) fn is_killed(&self) -> bool {
        self.order.load(Ordering::Acquire) >= KILL
    }

    /// Sends a signal, from the thread that knows whether the program still has its number.
    pub(super) fn send(&self, signal: i32, to_group: bool) {
        let mut signals = self.signals.lock().unwrap_or_else(PoisonError::into_inner);
        signals.push((signal, to_group));
        drop(signals);
        self.wake();
    }

    pub(super) fn take_signals(&self) -> Vec<(i32, bool)> {
        let mut signals = self.signals.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *signals)
    }

    /// Makes the thread look round.
    pub(super) fn wake(&self) {
        // It fails only when the counter is full, and then the thread is awake anyway.
        rustix::io::write(&self.wake, &1_u64.to_ne_bytes()).ok();
    }

    /// Takes note of a wake-up.
    pub(super) fn acknowledge(&self) {
        rustix::io::read(&self.wake, &mut [0; 8]).ok();
    }

    pub(super) fn readiness(&self) -> BorrowedFd<'_> {
        self.wake.as_fd()
    }
}
