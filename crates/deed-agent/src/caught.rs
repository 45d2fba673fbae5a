use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::BoxFuture;

/// Runs a future of foreign code and turns a panic into its text, also one of what makes the future.
pub struct Caught<'a, T>(Result<BoxFuture<'a, T>, String>);

impl<'a, T> Caught<'a, T> {
    /// Makes the future; it runs when it is polled.
    pub fn new(make: impl FnOnce() -> BoxFuture<'a, T>) -> Self {
        let made = catch_unwind(AssertUnwindSafe(make));
        Self(made.map_err(|panic| panic_text(panic.as_ref())))
    }
}

impl<T> fmt::Debug for Caught<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Caught")
    }
}

impl<T> Future for Caught<'_, T> {
    type Output = Result<T, String>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let future = match &mut self.0 {
            Ok(future) => future,
            Err(panic) => return Poll::Ready(Err(std::mem::take(panic))),
        };
        match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(value)) => Poll::Ready(Ok(value)),
            Err(panic) => Poll::Ready(Err(panic_text(panic.as_ref()))),
        }
    }
}

/// Returns what a panic said.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> String {
    panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned())
}
