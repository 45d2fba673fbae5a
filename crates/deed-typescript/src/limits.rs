use std::time::Duration;

/// What one extension may use. These are limits against mistakes, not a fence for hostile code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Memory of the engine.
    pub max_heap_bytes: usize,
    /// Stack of the script.
    pub max_stack_bytes: usize,
    /// How long it may compute without a pause; waiting is a pause.
    ///
    /// Units: time of the processor, not of the wall.
    pub slice: Duration,
    /// How long an asynchronous factory may take.
    pub factory_time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_heap_bytes: 64 * 1024 * 1024,
            max_stack_bytes: 512 * 1024,
            slice: Duration::from_secs(2),
            factory_time: Duration::from_secs(30),
        }
    }
}

impl Limits {
    /// Stack of the thread: what the script may use, and room for what the engine calls from there.
    pub(crate) fn thread_stack_bytes(&self) -> usize {
        self.max_stack_bytes + 1_500_000
    }
}
