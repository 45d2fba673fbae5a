use std::time::Duration;

use deed_agent::BoxFuture;
use deed_protocol::NoticeLevel;
use deed_tooling::{AskOptions, Ui, WidgetPlace};
use serde::Serialize;

use crate::Client;

/// Puts the questions of tools and extensions before the client.
///
/// Several may be open at once; each is answered by its id. A question that no longer stands is told
/// as `extension_ui_closed`, which clients of Pi do not know and need not.
#[derive(Clone, Debug)]
pub struct RpcUi(pub(crate) Client);

/// What is asked or told.
///
/// Source: Pi's documentation of RPC, "Extension UI".
#[derive(Serialize)]
#[serde(
    tag = "method",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
enum Body<'a> {
    Select {
        title: &'a str,
        options: &'a [String],
        #[serde(skip_serializing_if = "Option::is_none")]
        timeout: Option<u64>,
    },
    Confirm {
        title: &'a str,
        message: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        timeout: Option<u64>,
    },
    Input {
        title: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        placeholder: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        timeout: Option<u64>,
    },
    Editor {
        title: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        prefill: Option<&'a str>,
    },
    Notify {
        message: &'a str,
        notify_type: &'static str,
    },
    SetStatus {
        status_key: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        status_text: Option<&'a str>,
    },
    SetWidget {
        widget_key: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        widget_lines: Option<&'a [String]>,
        widget_placement: &'static str,
    },
    SetTitle {
        title: &'a str,
    },
    #[serde(rename = "set_editor_text")]
    SetEditorText {
        text: &'a str,
    },
}

/// Milliseconds, as the wire has them.
pub(crate) fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn timeout_of(options: &AskOptions) -> Option<u64> {
    options.timeout.map(milliseconds)
}

pub(crate) fn notify_type(level: NoticeLevel) -> &'static str {
    match level {
        NoticeLevel::Info => "info",
        NoticeLevel::Warning => "warning",
        NoticeLevel::Error => "error",
    }
}

impl RpcUi {
    pub(crate) fn note(&self, message: &str, level: NoticeLevel) {
        self.0.tell(&Body::Notify {
            message,
            notify_type: notify_type(level),
        });
    }
}

impl Ui for RpcUi {
    fn has_ui(&self) -> bool {
        self.0.is_there()
    }

    fn select<'a>(
        &'a self,
        title: &'a str,
        choices: &'a [String],
        options: &'a AskOptions,
    ) -> BoxFuture<'a, Option<String>> {
        Box::pin(async move {
            let body = Body::Select {
                title,
                options: choices,
                timeout: timeout_of(options),
            };
            let answer = self.0.ask(&body, options, None).await?;
            let chosen = answer.lenient::<String>("value");
            chosen.filter(|chosen| choices.contains(chosen))
        })
    }

    fn confirm<'a>(
        &'a self,
        title: &'a str,
        message: &'a str,
        options: &'a AskOptions,
    ) -> BoxFuture<'a, bool> {
        Box::pin(async move {
            let body = Body::Confirm {
                title,
                message,
                timeout: timeout_of(options),
            };
            let answer = self.0.ask(&body, options, None).await;
            answer.and_then(|answer| answer.lenient("confirmed")) == Some(true)
        })
    }

    fn input<'a>(
        &'a self,
        title: &'a str,
        placeholder: Option<&'a str>,
        options: &'a AskOptions,
    ) -> BoxFuture<'a, Option<String>> {
        Box::pin(async move {
            let body = Body::Input {
                title,
                placeholder,
                timeout: timeout_of(options),
            };
            let answer = self.0.ask(&body, options, None).await?;
            answer.lenient("value")
        })
    }

    fn editor<'a>(
        &'a self,
        title: &'a str,
        prefill: Option<&'a str>,
        options: &'a AskOptions,
    ) -> BoxFuture<'a, Option<String>> {
        Box::pin(async move {
            let body = Body::Editor { title, prefill };
            let answer = self.0.ask(&body, options, None).await?;
            answer.lenient("value")
        })
    }

    fn notify(&self, message: &str, level: NoticeLevel) {
        self.note(message, level);
    }

    fn status(&self, key: &str, text: Option<&str>) {
        self.0.tell(&Body::SetStatus {
            status_key: key,
            status_text: text,
        });
    }

    fn widget(&self, key: &str, lines: Option<&[String]>, place: WidgetPlace) {
        self.0.tell(&Body::SetWidget {
            widget_key: key,
            widget_lines: lines,
            widget_placement: match place {
                WidgetPlace::AboveEditor => "aboveEditor",
                WidgetPlace::BelowEditor => "belowEditor",
            },
        });
    }

    fn title(&self, title: &str) {
        self.0.tell(&Body::SetTitle { title });
    }

    fn editor_text(&self, text: &str) {
        self.0.tell(&Body::SetEditorText { text });
    }
}
