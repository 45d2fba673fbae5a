//! What a client wants to know.

use std::path::PathBuf;
use std::sync::Arc;

use deed_agent::{DrainMode, ModelInfo};
use deed_harness::AgentSession;
use deed_harness::model_choice::ModelObject;
use deed_protocol::{AssistantMessage, ContentBlock, Entry, Message, StopReason, Usage};
use deed_session::EntryId;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::Call;
use crate::refusal::Refusal;
use crate::response::{Answer, Answered};
use crate::server::Attached;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct State {
    model: Value,
    thinking_level: &'static str,
    is_streaming: bool,
    is_compacting: bool,
    steering_mode: &'static str,
    follow_up_mode: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_file: Option<PathBuf>,
    session_id: Arc<str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_name: Option<Arc<str>>,
    auto_compaction_enabled: bool,
    message_count: usize,
    pending_message_count: usize,
}

pub(super) async fn get_state(call: Call) -> Answered {
    let (at, session) = (&call.at, &call.at.session);
    let modes = at.drain_modes();
    Answer::of(&State {
        model: at.model_object()?,
        thinking_level: session.thinking().as_str(),
        is_streaming: session.is_prompting(),
        is_compacting: at.is_compacting(),
        steering_mode: word_of(modes.steering),
        follow_up_mode: word_of(modes.follow_up),
        session_file: session.session_file(),
        session_id: session.session_id().unwrap_or_default(),
        session_name: session.session_name(),
        auto_compaction_enabled: session.auto_compaction(),
        message_count: session.agent().messages().len(),
        pending_message_count: session.agent().queued(),
    })
}

fn word_of(mode: DrainMode) -> &'static str {
    match mode {
        DrainMode::OneAtATime => "one-at-a-time",
        DrainMode::All => "all",
    }
}

impl Attached {
    /// Describes the model of the session as clients know models.
    pub(super) fn model_object(&self) -> Result<Value, Refusal> {
        let info = self.session.model();
        let spec = self.spec_of(&info);
        Ok(match spec {
            Some(spec) => serde_json::to_value(ModelObject::from(&*spec))?,
            None => plain_model(&info),
        })
    }
}

/// A model of which nothing is known but what it says itself, such as a scripted one.
fn plain_model(info: &ModelInfo) -> Value {
    let input: &[&str] = match info.takes_images {
        true => &["text", "image"],
        false => &["text"],
    };
    json!({
        "id": info.id,
        "name": info.id,
        "api": info.api,
        "provider": info.provider,
        "baseUrl": "",
        "reasoning": false,
        "input": input,
        "contextWindow": info.context_window,
        "maxTokens": info.max_output_tokens,
        "cost": { "input": 0.0, "output": 0.0, "cacheRead": 0.0, "cacheWrite": 0.0 },
    })
}

pub(super) async fn get_messages(call: Call) -> Answered {
    #[derive(Serialize)]
    struct Messages {
        messages: Vec<Arc<Message>>,
    }
    let messages = call.at.session.agent().messages();
    Answer::of(&Messages { messages })
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Entries {
    entries: Vec<Box<RawValue>>,
    leaf_id: Option<EntryId>,
}

pub(super) async fn get_entries(call: Call) -> Answered {
    let since: Option<String> = call.fields.optional("since")?;
    let read = call.at.session.on_record(|record| {
        let entries = record.view().raw_entries(since.as_deref())?;
        let leaf_id = record.leaf().cloned();
        Ok::<_, Refusal>(Entries { entries, leaf_id })
    });
    Answer::of(&read.ok_or(Refusal::NoRecord)??)
}

pub(super) async fn get_tree(call: Call) -> Answered {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Tree {
        tree: Box<RawValue>,
        leaf_id: Option<EntryId>,
    }
    let read = call.at.session.on_record(|record| {
        let tree = record.view().nested_json()?;
        let leaf_id = record.leaf().cloned();
        Ok::<_, Refusal>(Tree { tree, leaf_id })
    });
    Answer::of(&read.ok_or(Refusal::NoRecord)??)
}

pub(super) async fn get_last_assistant_text(call: Call) -> Answered {
    let messages = call.at.session.agent().messages();
    let mut answers = messages
        .iter()
        .rev()
        .filter_map(|message| message.as_assistant());
    let counts = |answer: &&AssistantMessage| {
        answer.stop_reason == StopReason::Stop || !text_of(answer).is_empty()
    };
    let text = answers.find(counts).map(text_of);
    Answer::of(&json!({ "text": text.filter(|text| !text.is_empty()) }))
}

fn text_of(answer: &AssistantMessage) -> String {
    let texts = answer.content.iter().filter_map(ContentBlock::as_text);
    texts.collect::<String>().trim().to_owned()
}

/// What a session has come to, on all its branches.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Stats {
    #[serde(skip_serializing_if = "Option::is_none")]
    session_file: Option<PathBuf>,
    session_id: Arc<str>,
    user_messages: usize,
    assistant_messages: usize,
    tool_calls: usize,
    tool_results: usize,
    tool_errors: usize,
    total_messages: usize,
    tokens: Tokens,
    cost: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    context_usage: Option<ContextUsage>,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Tokens {
    input: u64,
    output: u64,
    cache_read: u64,
    cache_write: u64,
    total: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ContextUsage {
    tokens: u64,
    context_window: u64,
    percent: f64,
}

pub(super) async fn get_session_stats(call: Call) -> Answered {
    let session = &call.at.session;
    let entries = session.on_record(|record| record.view().raw_entries(None));
    let mut stats = Stats {
        session_file: session.session_file(),
        session_id: session.session_id().unwrap_or_default(),
        context_usage: context_usage(session),
        ..Stats::default()
    };
    for entry in entries.transpose()?.unwrap_or_default() {
        if let Ok(entry) = serde_json::from_str(entry.get()) {
            stats.take(&entry);
        }
    }
    let tokens = &mut stats.tokens;
    tokens.total = tokens.input + tokens.output + tokens.cache_read + tokens.cache_write;
    Answer::of(&stats)
}

impl Stats {
    fn take(&mut self, entry: &Entry) {
        match entry {
            Entry::Message(entry) => self.message(&entry.message),
            Entry::Usage(entry) => self.used(Some(&entry.usage)),
            Entry::Compaction(entry) => self.used(entry.usage.as_ref()),
            Entry::BranchSummary(entry) => self.used(entry.usage.as_ref()),
            _ => {}
        }
    }

    fn message(&mut self, message: &Message) {
        self.total_messages += 1;
        match message {
            Message::User(_) => self.user_messages += 1,
            Message::Assistant(answer) => {
                self.assistant_messages += 1;
                self.tool_calls += answer.tool_calls().count();
                self.used(Some(&answer.usage));
            }
            Message::ToolResult(result) => {
                self.tool_results += 1;
                self.tool_errors += usize::from(result.is_error);
                self.used(result.usage.as_ref());
            }
            _ => {}
        }
    }

    fn used(&mut self, usage: Option<&Usage>) {
        let Some(usage) = usage else { return };
        self.tokens.input += usage.input;
        self.tokens.output += usage.output;
        self.tokens.cache_read += usage.cache_read;
        self.tokens.cache_write += usage.cache_write;
        self.cost += usage.cost.total;
    }
}

fn context_usage(session: &AgentSession) -> Option<ContextUsage> {
    let context_window = session.model().context_window;
    if context_window == 0 {
        return None;
    }
    let tokens = session.context_size().tokens;
    Some(ContextUsage {
        tokens,
        context_window,
        percent: tokens as f64 * 100.0 / context_window as f64,
    })
}

pub(super) async fn get_commands(call: Call) -> Answered {
    let extensions = call.at.session.commands().into_iter().map(|command| {
        json!({
            "name": command.invocation,
            "description": command.description,
            "source": "extension",
            "sourceInfo": command.source,
        })
    });
    let mut commands: Vec<Value> = extensions.collect();
    for command in call.at.resources().commands() {
        commands.push(serde_json::to_value(command)?);
    }
    Answer::of(&json!({ "commands": commands }))
}
