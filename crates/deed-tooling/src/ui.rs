use std::future::pending;
use std::time::Duration;

use deed_agent::BoxFuture;
use deed_protocol::NoticeLevel;
use tokio_util::sync::CancellationToken;

/// How a running tool talks to a person.
///
/// The defaults are those of nobody being there: no is the answer to everything.
pub trait Ui: Send + Sync + 'static {
    /// Tells whether somebody can answer.
    fn has_ui(&self) -> bool {
        false
    }

    /// Lets a person choose; `None` if they did not.
    ///
    /// Cancellation: the token or the timeout of `options` answers `None`.
    fn select<'a>(
        &'a self,
        title: &'a str,
        choices: &'a [String],
        options: &'a AskOptions,
    ) -> BoxFuture<'a, Option<String>> {
        let _ = (title, choices, options);
        Box::pin(async { None })
    }

    /// Asks for a yes.
    ///
    /// Cancellation: the token or the timeout of `options` answers no.
    fn confirm<'a>(
        &'a self,
        title: &'a str,
        message: &'a str,
        options: &'a AskOptions,
    ) -> BoxFuture<'a, bool> {
        let _ = (title, message, options);
        Box::pin(async { false })
    }

    /// Asks for a line of text; `None` if there was none.
    ///
    /// Cancellation: the token or the timeout of `options` answers `None`.
    fn input<'a>(
        &'a self,
        title: &'a str,
        placeholder: Option<&'a str>,
        options: &'a AskOptions,
    ) -> BoxFuture<'a, Option<String>> {
        let _ = (title, placeholder, options);
        Box::pin(async { None })
    }

    /// Shows a remark in passing.
    fn notify(&self, message: &str, level: NoticeLevel) {
        let _ = (message, level);
    }

    /// Keeps a short text in view under `key`; `None` takes it away.
    fn status(&self, key: &str, text: Option<&str>) {
        let _ = (key, text);
    }
}

/// How long a question stands.
#[derive(Clone, Debug, Default)]
pub struct AskOptions {
    /// After this, nobody answered.
    pub timeout: Option<Duration>,
    /// Takes the question back.
    pub cancel: Option<CancellationToken>,
}

impl AskOptions {
    /// Waits until the question no longer stands: it was taken back, or its time is over.
    ///
    /// # Panics
    ///
    /// With a timeout, outside of a tokio runtime that has a clock.
    pub async fn lapsed(&self) {
        let taken_back = async {
            match &self.cancel {
                Some(cancel) => cancel.cancelled().await,
                None => pending().await,
            }
        };
        let out_of_time = async {
            match self.timeout {
                Some(timeout) => tokio::time::sleep(timeout).await,
                None => pending().await,
            }
        };
        tokio::select! {
            biased;
            () = taken_back => {}
            () = out_of_time => {}
        }
    }
}

/// Nobody is there.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoUi;

impl Ui for NoUi {}
