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

    /// Asks for a text of several lines; `None` if there was none. By default as for a line.
    ///
    /// Cancellation: as [`Ui::input`].
    fn editor<'a>(
        &'a self,
        title: &'a str,
        prefill: Option<&'a str>,
        options: &'a AskOptions,
    ) -> BoxFuture<'a, Option<String>> {
        self.input(title, prefill, options)
    }

    /// Shows a remark in passing.
    fn notify(&self, message: &str, level: NoticeLevel) {
        let _ = (message, level);
    }

    /// Keeps a short text in view under `key`; `None` takes it away.
    fn status(&self, key: &str, text: Option<&str>) {
        let _ = (key, text);
    }

    /// Keeps lines in view under `key`; `None` takes them away.
    fn widget(&self, key: &str, lines: Option<&[String]>, place: WidgetPlace) {
        let _ = (key, lines, place);
    }

    /// Names the window.
    fn title(&self, title: &str) {
        let _ = title;
    }

    /// Puts a text where the person writes, in the place of what is there.
    fn editor_text(&self, text: &str) {
        let _ = text;
    }

    /// Says what goes on while the model works; `None` for the usual.
    fn working_message(&self, message: Option<&str>) {
        let _ = message;
    }
}

/// Where lines are kept in view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WidgetPlace {
    /// Above the place where the person writes.
    #[default]
    AboveEditor,
    /// Below it.
    BelowEditor,
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
