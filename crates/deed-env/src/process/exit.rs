//! Waiting for a child without a signal handler.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, WaitId, WaitIdOptions, WaitIdStatus};

use super::children;
use super::control::Control;

/// How a child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    Code(i32),
    Signal(i32),
}

/// Watches one child. It stays uncollected until [`ExitWatch::collect`], so that its number, which
/// is its group's too, means nobody else while signals are sent to it.
#[derive(Debug)]
pub(super) struct ExitWatch {
    pid: Pid,
    handle: Option<OwnedFd>,
    exit: Option<Exit>,
    collected: bool,
}

impl ExitWatch {
    /// Watches by a handle on the process; where the system has none, by a thread that waits and
    /// wakes `control`.
    pub(super) fn new(pid: Pid, control: &Arc<Control>) -> io::Result<Self> {
        let handle = rustix::process::pidfd_open(pid, PidfdFlags::empty());
        Self::with_handle(pid, control, handle)
    }

    fn with_handle(
        pid: Pid,
        control: &Arc<Control>,
        handle: Result<OwnedFd, Errno>,
    ) -> io::Result<Self> {
        let watch = Self {
            handle: handle.ok(),
            ..Self::unaided(pid)
        };
        if watch.handle.is_none() {
            let control = Arc::clone(control);
            std::thread::Builder::new()
                .name("deed-wait".to_owned())
                .spawn(move || {
                    wait_for_end(pid);
                    control.wake();
                })?;
        }
        Ok(watch)
    }

    /// Watches without any means of being woken.
    pub(super) fn unaided(pid: Pid) -> Self {
        Self {
            pid,
            handle: None,
            exit: None,
            collected: false,
        }
    }

    pub(super) fn pid(&self) -> Pid {
        self.pid
    }

    /// How the child ended, if [`ExitWatch::look`] saw it.
    pub(super) fn exit(&self) -> Option<Exit> {
        self.exit
    }

    pub(super) fn is_collected(&self) -> bool {
        self.collected
    }

    /// What becomes readable when the child ends; nothing once its end is known.
    pub(super) fn readiness(&self) -> Option<BorrowedFd<'_>> {
        if self.exit.is_some() {
            None
        } else {
            self.handle.as_ref().map(AsFd::as_fd)
        }
    }

    /// Looks whether the child ended, without waiting and without collecting it.
    ///
    /// Errors: `ECHILD` if another part of this process collected it, and its code with it.
    pub(super) fn look(&mut self) -> io::Result<Option<Exit>> {
        if self.exit.is_none() {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            match rustix::process::waitid(self.id(), options) {
                Ok(status) => self.exit = status.as_ref().and_then(exit_of),
                Err(Errno::INTR) => {}
                Err(error) => {
                    self.collect();
                    return Err(error.into());
                }
            }
        }
        Ok(self.exit)
    }

    /// Collects the child if it has ended.
    pub(super) fn collect(&mut self) {
        if !self.collected {
            let status = children::collect(self.pid, self.id());
            self.collected = !matches!(status, Ok(None));
        }
    }

    /// Waits for the end, however long, and collects the child.
    pub(super) fn wait_and_collect(&mut self) {
        while !self.collected {
            wait_for_end(self.pid);
            self.collect();
        }
    }

    fn id(&self) -> WaitId<'_> {
        self.handle
            .as_ref()
            .map_or(WaitId::Pid(self.pid), |handle| {
                WaitId::PidFd(handle.as_fd())
            })
    }
}

/// Only for a child that nobody collects meanwhile.
fn wait_for_end(pid: Pid) {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while matches!(
        rustix::process::waitid(WaitId::Pid(pid), options),
        Err(Errno::INTR)
    ) {}
}

fn exit_of(status: &WaitIdStatus) -> Option<Exit> {
    let code = status.exit_status().map(Exit::Code);
    code.or_else(|| status.terminating_signal().map(Exit::Signal))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a kernel without process handles leads to, which cannot be had through the surface.
    #[test]
    fn without_a_process_handle_the_end_is_seen_all_the_same() {
        let control = Arc::new(Control::new().unwrap());
        let pid = children::start(|| {
            let mut command = std::process::Command::new("sh");
            Ok(Pid::from_child(&command.args(["-c", "exit 6"]).spawn()?))
        })
        .unwrap();
        let mut watch = ExitWatch::with_handle(pid, &control, Err(Errno::NOSYS)).unwrap();
        assert!(watch.readiness().is_none());
        let [woken] = crate::process::pump::wait_readable([Some(control.readiness())], None);
        assert!(woken);
        assert_eq!(watch.look().unwrap(), Some(Exit::Code(6)));
        watch.collect();
        assert!(watch.is_collected());
    }
}
