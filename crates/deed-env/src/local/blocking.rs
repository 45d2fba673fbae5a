use tokio_util::sync::CancellationToken;

use crate::EnvError;

/// Runs work on a blocking thread; it goes on to its end even if the future is dropped.
pub(super) async fn blocking<T, F>(work: F) -> Result<T, EnvError>
where
    T: Send + 'static,
    F: FnOnce() -> Result<T, EnvError> + Send + 'static,
{
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(failure) => match failure.try_into_panic() {
            // Whoever runs the call deals with its panics, wherever they happen.
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => Err(EnvError::Cancelled),
        },
    }
}

/// Runs work without effects on a blocking thread; the caller goes on at once when it cancels,
/// even while the system keeps the thread waiting.
pub(super) async fn until_cancelled<T, F>(
    cancel: &CancellationToken,
    work: F,
) -> Result<T, EnvError>
where
    T: Send + 'static,
    F: FnOnce(&CancellationToken) -> Result<T, EnvError> + Send + 'static,
{
    let token = cancel.clone();
    let running = blocking(move || work(&token));
    cancel
        .run_until_cancelled(running)
        .await
        .unwrap_or(Err(EnvError::Cancelled))
}

/// Returns the error of a cancelled call if it is.
pub(super) fn check(cancel: &CancellationToken) -> Result<(), EnvError> {
    if cancel.is_cancelled() {
        Err(EnvError::Cancelled)
    } else {
        Ok(())
    }
}
