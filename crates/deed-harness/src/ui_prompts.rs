//! Tells extensions when the session waits for a person.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use deed_agent::BoxFuture;
use deed_extensions::{
    ExtensionHost, UiPromptEndEvent, UiPromptKind, UiPromptStartEvent, WeakExtensionHost,
};
use deed_protocol::NoticeLevel;
use deed_tooling::{AskOptions, Ui, WidgetPlace};
use tokio::sync::mpsc;

/// The way to a person, which tells extensions when the first of some questions that overlap is opened
/// and when the last is closed.
pub(crate) struct PromptingUi {
    inner: Arc<dyn Ui>,
    /// Known once the session is made; extensions hold what leads here.
    pub(crate) extensions: OnceLock<WeakExtensionHost>,
    open: Mutex<Open>,
}

/// The questions that are open.
#[derive(Default)]
struct Open {
    count: usize,
    first: Option<(UiPromptKind, Arc<str>)>,
    /// The way to the task that tells, one after the other.
    telling: Option<mpsc::UnboundedSender<Told>>,
}

/// What is told.
enum Told {
    Start(UiPromptKind, Arc<str>),
    End(UiPromptKind, Arc<str>),
}

impl PromptingUi {
    pub(crate) fn new(inner: Arc<dyn Ui>) -> Self {
        Self {
            inner,
            extensions: OnceLock::new(),
            open: Mutex::default(),
        }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn listening(&self) -> Option<ExtensionHost> {
        let host = self.extensions.get()?.upgrade()?;
        let listens =
            host.listens_to::<UiPromptStartEvent>() || host.listens_to::<UiPromptEndEvent>();
        listens.then_some(host)
    }

    /// Opens a question, which is closed when the answer is dropped; `None` where nobody listens.
    fn begin(&self, kind: UiPromptKind, title: &str) -> Option<Prompt<'_>> {
        let host = self.listening()?;
        let mut open = self.open();
        open.count += 1;
        if open.count == 1 {
            let title: Arc<str> = title.into();
            open.first = Some((kind, title.clone()));
            open.tell(&host, Told::Start(kind, title));
        }
        Some(Prompt(self))
    }

    fn end(&self) {
        let mut open = self.open();
        open.count = open.count.saturating_sub(1);
        if open.count > 0 {
            return;
        }
        if let (Some((kind, title)), Some(telling)) = (open.first.take(), &open.telling) {
            telling.send(Told::End(kind, title)).ok();
        }
    }
}

impl Open {
    /// Tells in order and waits for nobody; must be called where the session runs.
    fn tell(&mut self, host: &ExtensionHost, told: Told) {
        let telling = self.telling.get_or_insert_with(|| {
            let (telling, mut waiting) = mpsc::unbounded_channel();
            let host = host.downgrade();
            tokio::spawn(async move {
                while let Some(told) = waiting.recv().await {
                    let Some(host) = host.upgrade() else {
                        return;
                    };
                    match told {
                        Told::Start(kind, title) => host.ui_prompt_started(kind, title).await,
                        Told::End(kind, title) => host.ui_prompt_ended(kind, title).await,
                    }
                }
            });
            telling
        });
        telling.send(told).ok();
    }
}

/// A question that is open.
struct Prompt<'a>(&'a PromptingUi);

impl Drop for Prompt<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl Ui for PromptingUi {
    fn has_ui(&self) -> bool {
        self.inner.has_ui()
    }

    fn select<'a>(
        &'a self,
        title: &'a str,
        choices: &'a [String],
        options: &'a AskOptions,
    ) -> BoxFuture<'a, Option<String>> {
        Box::pin(async move {
            let _open = self.begin(UiPromptKind::Select, title);
            self.inner.select(title, choices, options).await
        })
    }

    fn confirm<'a>(
        &'a self,
        title: &'a str,
        message: &'a str,
        options: &'a AskOptions,
    ) -> BoxFuture<'a, bool> {
        Box::pin(async move {
            let _open = self.begin(UiPromptKind::Confirm, title);
            self.inner.confirm(title, message, options).await
        })
    }

    fn input<'a>(
        &'a self,
        title: &'a str,
        placeholder: Option<&'a str>,
        options: &'a AskOptions,
    ) -> BoxFuture<'a, Option<String>> {
        Box::pin(async move {
            let _open = self.begin(UiPromptKind::Input, title);
            self.inner.input(title, placeholder, options).await
        })
    }

    fn editor<'a>(
        &'a self,
        title: &'a str,
        prefill: Option<&'a str>,
        options: &'a AskOptions,
    ) -> BoxFuture<'a, Option<String>> {
        Box::pin(async move {
            let _open = self.begin(UiPromptKind::Editor, title);
            self.inner.editor(title, prefill, options).await
        })
    }

    fn notify(&self, message: &str, level: NoticeLevel) {
        self.inner.notify(message, level);
    }

    fn status(&self, key: &str, text: Option<&str>) {
        self.inner.status(key, text);
    }

    fn widget(&self, key: &str, lines: Option<&[String]>, place: WidgetPlace) {
        self.inner.widget(key, lines, place);
    }

    fn title(&self, title: &str) {
        self.inner.title(title);
    }

    fn editor_text(&self, text: &str) {
        self.inner.editor_text(text);
    }

    fn working_message(&self, message: Option<&str>) {
        self.inner.working_message(message);
    }
}
