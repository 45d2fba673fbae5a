use std::time::Duration;

use tokio_util::sync::CancellationToken;

/// Returns some time after the cancellation.
pub(crate) async fn grace_over(cancel: &CancellationToken, grace: Duration) {
    cancel.cancelled().await;
    tokio::time::sleep(grace).await;
}

/// Waits for a future; from the cancellation on no longer than the grace.
pub(crate) async fn within_grace<T>(
    cancel: &CancellationToken,
    grace: Duration,
    future: impl Future<Output = T>,
) -> Option<T> {
    tokio::select! {
        biased;
        done = future => Some(done),
        () = grace_over(cancel, grace) => None,
    }
}
