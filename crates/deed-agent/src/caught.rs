use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::BoxFuture;

/// Runs a future and turns a panic into its text.
pub(crate) struct Caught<'a, T>(BoxFuture<'a, T>);

impl<'a, T> Caught<'a, T> {
    pub(crate) fn new(future: BoxFuture<'a, T>) -> Self {
        Self(future)
    }
}

impl<T> Future for Caught<'_, T> {
    type Output = Result<T, String>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match catch_unwind(AssertUnwindSafe(|| self.0.as_mut().poll(context))) {
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
