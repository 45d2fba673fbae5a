use std::sync::Arc;

use deed_agent::BoxFuture;
use deed_protocol::NoticeLevel;
use deed_tooling::{AskOptions, Ui, WidgetPlace};
use tokio_util::sync::CancellationToken;

use crate::ExtensionSession;
use crate::scope::GuardScope;

/// The way to a person as handlers have it.
///
/// A question ends with its timeout, its token and the run, whatever the front end does. While a
/// guard waits for an answer its own time stands still, and a yes counts for the arguments as they
/// were when the question was asked.
#[derive(Clone)]
pub(crate) struct HandlerUi {
    pub(crate) session: Arc<dyn ExtensionSession>,
    pub(crate) cancel: CancellationToken,
    pub(crate) guard: Option<Arc<GuardScope>>,
}

impl HandlerUi {
    fn inner(&self) -> &dyn Ui {
        self.session.context().ui()
    }

    /// Asks; `None` if nobody answered. `is_yes` tells which answers let a call go on.
    async fn ask<'a, T>(
        &'a self,
        options: &'a AskOptions,
        question: impl FnOnce(AskOptions) -> BoxFuture<'a, T>,
        is_yes: fn(&T) -> bool,
    ) -> Option<T> {
        if !self.has_ui() {
            return None;
        }
        let shown = self.guard.as_ref().map(|guard| guard.input());
        let _waiting = self.guard.as_ref().map(GuardScope::wait);
        let closing = self.cancel.child_token();
        let _closes = closing.clone().drop_guard();
        let asked = AskOptions {
            timeout: options.timeout,
            cancel: Some(closing),
        };
        let answer = tokio::select! {
            biased;
            () = self.cancel.cancelled() => None,
            () = options.lapsed() => None,
            answer = question(asked) => Some(answer),
        }?;
        if let (Some(guard), Some(shown), true) = (&self.guard, shown, is_yes(&answer)) {
            guard.confirm(shown);
        }
        Some(answer)
    }
}

impl Ui for HandlerUi {
    fn has_ui(&self) -> bool {
        self.inner().has_ui()
    }

    fn select<'a>(
        &'a self,
        title: &'a str,
        choices: &'a [String],
        options: &'a AskOptions,
    ) -> BoxFuture<'a, Option<String>> {
        Box::pin(async move {
            let question = |asked: AskOptions| -> BoxFuture<'a, Option<String>> {
                Box::pin(async move { self.inner().select(title, choices, &asked).await })
            };
            self.ask(options, question, Option::is_some).await?
        })
    }

    fn confirm<'a>(
        &'a self,
        title: &'a str,
        message: &'a str,
        options: &'a AskOptions,
    ) -> BoxFuture<'a, bool> {
        Box::pin(async move {
            let question = |asked: AskOptions| -> BoxFuture<'a, bool> {
                Box::pin(async move { self.inner().confirm(title, message, &asked).await })
            };
            self.ask(options, question, |yes| *yes).await == Some(true)
        })
    }

    fn input<'a>(
        &'a self,
        title: &'a str,
        placeholder: Option<&'a str>,
        options: &'a AskOptions,
    ) -> BoxFuture<'a, Option<String>> {
        Box::pin(async move {
            let question = |asked: AskOptions| -> BoxFuture<'a, Option<String>> {
                Box::pin(async move { self.inner().input(title, placeholder, &asked).await })
            };
            self.ask(options, question, Option::is_some).await?
        })
    }

    fn editor<'a>(
        &'a self,
        title: &'a str,
        prefill: Option<&'a str>,
        options: &'a AskOptions,
    ) -> BoxFuture<'a, Option<String>> {
        Box::pin(async move {
            let question = |asked: AskOptions| -> BoxFuture<'a, Option<String>> {
                Box::pin(async move { self.inner().editor(title, prefill, &asked).await })
            };
            self.ask(options, question, Option::is_some).await?
        })
    }

    fn notify(&self, message: &str, level: NoticeLevel) {
        self.inner().notify(message, level);
    }

    fn status(&self, key: &str, text: Option<&str>) {
        self.inner().status(key, text);
    }

    fn widget(&self, key: &str, lines: Option<&[String]>, place: WidgetPlace) {
        self.inner().widget(key, lines, place);
    }

    fn title(&self, title: &str) {
        self.inner().title(title);
    }

    fn editor_text(&self, text: &str) {
        self.inner().editor_text(text);
    }

    fn working_message(&self, message: Option<&str>) {
        self.inner().working_message(message);
    }
}
