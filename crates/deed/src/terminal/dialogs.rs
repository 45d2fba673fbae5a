//! What extensions and tools want to know of the person.

use std::fmt::Write as _;

use deed_agent::BoxFuture;
use deed_cards::{draw_speech, one_line};
use deed_protocol::NoticeLevel;
use deed_tooling::{AskOptions, Ui};
use tokio_util::sync::CancellationToken;

use super::Terminal;
use super::tty::{Heard, Tty};
use crate::text::Look;

/// What a line means to a dialog.
enum Said<T> {
    Answer(T),
    /// Nothing that was asked for; try again.
    Nothing(&'static str),
}

impl Terminal {
    /// Makes one harmless line of what somebody else wrote.
    fn line(&self, text: &str) -> String {
        one_line(text, &self.look.card_text())
    }

    /// Shows a text and reads lines until one is an answer; `None` if there is none in time.
    async fn dialog<T: Send + 'static>(
        &self,
        (title, text): (&str, String),
        options: &AskOptions,
        understand: impl Fn(&str) -> Said<T> + Send + 'static,
    ) -> Option<T> {
        let title = title.to_owned();
        let cancel = options.cancel.clone().unwrap_or_default().child_token();
        let talking = self.in_turn(&cancel, move |tty, look, stop| {
            tty.say(&shown(&title, &text, look, tty));
            read_answer(tty, stop, understand)
        });
        let talked = match options.timeout {
            None => talking.await,
            Some(timeout) => tokio::time::timeout(timeout, talking).await.ok().flatten(),
        };
        talked.and_then(|(answer, _turn)| answer)
    }
}

fn shown(title: &str, text: &str, look: &Look, tty: &Tty) -> String {
    let mut card_text = look.card_text();
    card_text.width = tty.columns().unwrap_or(card_text.width);
    let (head, text) = whole(title, text, card_text.width);
    format!("\n{}", draw_speech(head, &text, &card_text))
}

/// Splits a title into what fits into one line and what stands below it with the text: a person who
/// decides must see all of it.
fn whole<'t>(title: &'t str, text: &str, width: usize) -> (&'t str, String) {
    let (first, rest) = title.split_once('\n').unwrap_or((title, ""));
    // A character takes two columns at most, and the sign in front two.
    match first.chars().count() * 2 + 2 <= width || fits(first, width) {
        true if rest.is_empty() => (first, text.to_owned()),
        true => (first, format!("{rest}\n{text}")),
        false => ("a question", format!("{title}\n{text}")),
    }
}

/// Tells whether a text of plain letters fits into a line behind the sign.
fn fits(text: &str, width: usize) -> bool {
    text.is_ascii() && text.len() + 2 <= width
}

fn read_answer<T>(
    tty: &Tty,
    stop: &CancellationToken,
    understand: impl Fn(&str) -> Said<T>,
) -> Option<T> {
    loop {
        tty.say("answer: ");
        match tty.line(stop) {
            Heard::Line(line) => match understand(&line) {
                Said::Answer(answer) => return Some(answer),
                Said::Nothing(hint) => tty.say(&format!("{hint}\n")),
            },
            Heard::Stopped => {
                tty.say("\n(no longer asked)\n");
                return None;
            }
            Heard::Ended | Heard::Gone => {
                tty.say("\n");
                return None;
            }
        }
    }
}

impl Ui for Terminal {
    fn has_ui(&self) -> bool {
        Tty::open().is_ok_and(|tty| tty.is_ours())
    }

    fn select<'a>(
        &'a self,
        title: &'a str,
        choices: &'a [String],
        options: &'a AskOptions,
    ) -> BoxFuture<'a, Option<String>> {
        let mut text = String::new();
        for (index, choice) in choices.iter().enumerate() {
            // Writing to a string cannot fail.
            let choice = choice.replace('\n', " ");
            writeln!(text, "{}  {choice}", index + 1).ok();
        }
        let choices = choices.to_vec();
        let number_of = move |line: &str| {
            let number = line.parse::<usize>().ok()?.checked_sub(1)?;
            choices.get(number).cloned()
        };
        Box::pin(
            self.dialog((title, text), options, move |line| match number_of(line) {
                Some(choice) => Said::Answer(choice),
                None => Said::Nothing("one of the numbers, please; Ctrl-D chooses none"),
            }),
        )
    }

    fn confirm<'a>(
        &'a self,
        title: &'a str,
        message: &'a str,
        options: &'a AskOptions,
    ) -> BoxFuture<'a, bool> {
        let text = format!("{message}\ny  yes\nn  no");
        let asking = self.dialog((title, text), options, |line| {
            match line.to_ascii_lowercase().as_str() {
                "y" | "yes" => Said::Answer(true),
                "n" | "no" => Said::Answer(false),
                _ => Said::Nothing("y or n, please"),
            }
        });
        Box::pin(async move { asking.await.unwrap_or(false) })
    }

    fn input<'a>(
        &'a self,
        title: &'a str,
        placeholder: Option<&'a str>,
        options: &'a AskOptions,
    ) -> BoxFuture<'a, Option<String>> {
        let text = placeholder.map(|example| format!("such as: {example}"));
        let text = text.unwrap_or_default();
        Box::pin(self.dialog((title, text), options, |line| Said::Answer(line.to_owned())))
    }

    fn notify(&self, message: &str, level: NoticeLevel) {
        let word = match level {
            NoticeLevel::Info => "note",
            NoticeLevel::Warning => "warning",
            NoticeLevel::Error => "error",
        };
        if let Ok(tty) = Tty::open() {
            tty.say(&format!("deed: {word}: {}\n", self.line(message)));
        }
    }
}
