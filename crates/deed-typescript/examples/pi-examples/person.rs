use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use deed_agent::BoxFuture;
use deed_protocol::NoticeLevel;
use deed_tooling::{AskOptions, Ui, WidgetPlace};
use tokio::sync::Notify;

/// What is said in a play, in order.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<(Mutex<Vec<String>>, Notify)>);

impl Log {
    pub(crate) fn add(&self, line: String) {
        self.0.0.lock().unwrap().push(line);
        self.0.1.notify_waiters();
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.0.lock().unwrap().clone()
    }

    /// Waits until something is said.
    pub(crate) async fn until(&self, text: &str) {
        loop {
            let more = self.0.1.notified();
            if self.lines().iter().any(|line| line.contains(text)) {
                return;
            }
            more.await;
        }
    }
}

/// A person with prepared answers; beyond them nobody answers.
pub(crate) struct Person {
    pub(crate) answers: Mutex<VecDeque<String>>,
    pub(crate) log: Log,
}

impl Person {
    fn answer(&self, question: String) -> Option<String> {
        self.log.add(format!("asked {question}"));
        self.answers.lock().unwrap().pop_front()
    }
}

impl Ui for Person {
    fn has_ui(&self) -> bool {
        true
    }

    fn select<'a>(
        &'a self,
        title: &'a str,
        choices: &'a [String],
        _: &'a AskOptions,
    ) -> BoxFuture<'a, Option<String>> {
        let answer = self.answer(format!("{title} [{}]", choices.join(" | ")));
        Box::pin(async { answer.filter(|answer| choices.contains(answer)) })
    }

    fn confirm<'a>(
        &'a self,
        title: &'a str,
        message: &'a str,
        _: &'a AskOptions,
    ) -> BoxFuture<'a, bool> {
        let answer = self.answer(format!("{title} {message}"));
        Box::pin(async move { answer.as_deref() == Some("yes") })
    }

    fn input<'a>(
        &'a self,
        title: &'a str,
        _: Option<&'a str>,
        _: &'a AskOptions,
    ) -> BoxFuture<'a, Option<String>> {
        let answer = self.answer(title.to_owned());
        Box::pin(async { answer })
    }

    fn notify(&self, message: &str, level: NoticeLevel) {
        self.log.add(format!("notify {level:?} {message}"));
    }

    fn status(&self, key: &str, text: Option<&str>) {
        self.log
            .add(format!("status {key} {}", text.unwrap_or("-")));
    }

    fn editor<'a>(
        &'a self,
        title: &'a str,
        prefill: Option<&'a str>,
        _: &'a AskOptions,
    ) -> BoxFuture<'a, Option<String>> {
        let answer = self.answer(format!("{title} {}", prefill.unwrap_or_default()));
        Box::pin(async { answer })
    }

    fn widget(&self, key: &str, lines: Option<&[String]>, place: WidgetPlace) {
        let lines = lines.map(|lines| lines.join("|"));
        let lines = lines.unwrap_or_else(|| "-".to_owned());
        self.log.add(format!("widget {key} {lines} {place:?}"));
    }

    fn title(&self, title: &str) {
        self.log.add(format!("title {title}"));
    }

    fn editor_text(&self, text: &str) {
        self.log.add(format!("editor {text}"));
    }

    fn working_message(&self, message: Option<&str>) {
        self.log.add(format!("working {}", message.unwrap_or("-")));
    }
}
