use std::fs::File;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use super::control::Control;

/// A program that was started, for as long as somebody cares for it. It goes on when this is dropped.
#[derive(Debug)]
pub struct LiveProcess {
    pid: u32,
    control: Arc<Control>,
    input: Option<OwnedFd>,
}

impl LiveProcess {
    pub(super) fn new(pid: u32, control: Arc<Control>, input: Option<OwnedFd>) -> Self {
        Self {
            pid,
            control,
            input,
        }
    }

    /// Returns its number; once it has ended the number may mean another.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Sends a signal to the program alone, or to all of its process group. What has ended gets none,
    /// whoever has its number by then.
    pub fn signal(&self, signal: i32, to_group: bool) {
        self.control.send(signal, to_group);
    }

    /// Takes the writing end of its input, if it was to stay open. Writing blocks; dropping it is the
    /// end of the input.
    pub fn take_input(&mut self) -> Option<File> {
        self.input.take().map(File::from)
    }
}
