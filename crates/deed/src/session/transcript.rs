use std::io::Write;
use std::str::FromStr;

use deed_cards::{
    Export, ExportEntry, ExportFormat, ExportHead, ExportItem, ExportTotals, SummaryOf,
};
use deed_extensions::DrawnCall;
use deed_harness::{AgentSession, SessionStats};
use deed_protocol::{
    AssistantMessage, ContentBlock, Entry, Message, NoticeLevel, StopReason, ToolCall, ToolCard,
    ToolResult, ToolResultMessage, UserContent,
};
use deed_session::{EntryId, SessionTree};
use deed_tooling::ResultView;
use jiff::Timestamp;

/// Writes the branch of a session that its leaf ends, entry by entry.
pub(crate) async fn write(
    tree: &SessionTree,
    tools: &AgentSession,
    format: ExportFormat,
    to: &mut (impl Write + Send),
) -> anyhow::Result<()> {
    let branch = match tree.leaf() {
        Some(leaf) => tree.branch(leaf)?,
        None => Vec::new(),
    };
    let (title, totals) = survey(tree, &branch)?;
    let head = ExportHead {
        title: &title,
        session_id: tree.id(),
        started_ms: milliseconds(&tree.header().timestamp),
        folder: tree.cwd(),
        totals,
    };
    let mut drawing = Drawing {
        export: Export::begin(to, format, &head)?,
        tools,
        waiting: Vec::new(),
    };
    for id in &branch {
        drawing.entry(&tree.entry(id)?).await?;
    }
    drawing.flush().await?;
    drawing.export.finish()?;
    Ok(())
}

/// Looks through a branch for what stands at the top.
fn survey(tree: &SessionTree, branch: &[EntryId]) -> anyhow::Result<(String, ExportTotals)> {
    let mut first = None;
    let mut totals = ExportTotals::default();
    for id in branch {
        let Entry::Message(entry) = tree.entry(id)? else {
            continue;
        };
        totals.messages += 1;
        if let Message::User(user) = &*entry.message {
            first.get_or_insert_with(|| text_of(&user.content));
        }
        let stats = SessionStats::of(std::slice::from_ref(&entry.message));
        totals.calls += stats.tool_calls as u64;
        totals.failed_calls += stats.tool_errors as u64;
        totals.usage += &stats.usage;
        totals.usage += &stats.tool_usage;
    }
    let title = tree.name().map(ToOwned::to_owned).or(first);
    Ok((title.unwrap_or_default(), totals))
}

struct Drawing<'t, W: Write> {
    export: Export<W>,
    tools: &'t AgentSession,
    /// Calls whose results have not come by.
    waiting: Vec<Waiting>,
}

struct Waiting {
    entry: EntryId,
    at_ms: Option<i64>,
    call: ToolCall,
    result: Option<(EntryId, ToolResultMessage)>,
}

impl<W: Write> Drawing<'_, W> {
    async fn entry(&mut self, entry: &Entry) -> anyhow::Result<()> {
        let Some(base) = entry.base() else {
            return Ok(());
        };
        let (id, at_ms) = (base.id.clone(), milliseconds(&base.timestamp));
        let at = ExportEntry { id: &id, at_ms };
        match entry {
            Entry::Message(entry) => self.message(at, &entry.message).await?,
            Entry::CustomMessage(entry) => {
                self.flush().await?;
                if entry.display {
                    let item = ExportItem::Custom {
                        kind: &entry.custom_type,
                        content: &entry.content,
                    };
                    self.export.item(at, &item)?;
                }
            }
            Entry::Compaction(entry) => {
                self.flush().await?;
                let tokens_before = entry.tokens_before;
                let of = SummaryOf::Compaction { tokens_before };
                let text = &entry.summary;
                self.export.item(at, &ExportItem::Summary { of, text })?;
            }
            Entry::BranchSummary(entry) => {
                self.flush().await?;
                let (of, text) = (SummaryOf::Branch, &entry.summary);
                self.export.item(at, &ExportItem::Summary { of, text })?;
            }
            Entry::ModelChange(entry) => {
                self.flush().await?;
                let value = &format!("{}/{}", entry.provider, entry.model_id);
                let what = "model";
                self.export.item(at, &ExportItem::Change { what, value })?;
            }
            Entry::ThinkingLevelChange(entry) => {
                self.flush().await?;
                let (what, value) = ("thinking", &entry.thinking_level);
                self.export.item(at, &ExportItem::Change { what, value })?;
            }
            _ => {}
        }
        Ok(())
    }

    async fn message(&mut self, at: ExportEntry<'_>, message: &Message) -> anyhow::Result<()> {
        if let Message::ToolResult(result) = message {
            let open = self
                .waiting
                .iter_mut()
                .find(|waiting| waiting.result.is_none() && waiting.call.id == result.tool_call_id);
            if let Some(waiting) = open {
                waiting.result = Some((at.id.into(), result.clone()));
            }
            return Ok(());
        }
        self.flush().await?;
        match message {
            Message::User(user) => self.export.item(at, &ExportItem::Prompt(&user.content))?,
            Message::BashExecution(ran) => self.export.item(at, &ExportItem::Command(ran))?,
            Message::Assistant(answer) => self.answer(at, answer)?,
            _ => {}
        }
        Ok(())
    }

    fn answer(&mut self, at: ExportEntry<'_>, answer: &AssistantMessage) -> anyhow::Result<()> {
        let runs = !matches!(answer.stop_reason, StopReason::Error | StopReason::Aborted);
        for block in &answer.content {
            match block {
                ContentBlock::Text(text) => {
                    self.export.item(at, &ExportItem::Answer(&text.text))?;
                }
                ContentBlock::Thinking(thought) => {
                    let item = ExportItem::Thinking(&thought.thinking);
                    self.export.item(at, &item)?;
                }
                ContentBlock::ToolCall(call) if runs => self.waiting.push(Waiting {
                    entry: at.id.into(),
                    at_ms: at.at_ms,
                    call: call.clone(),
                    result: None,
                }),
                _ => {}
            }
        }
        if !runs {
            let text = answer
                .error_message
                .as_deref()
                .unwrap_or("the answer was stopped");
            let level = NoticeLevel::Error;
            self.export.item(at, &ExportItem::Notice { level, text })?;
        }
        Ok(())
    }

    /// Draws the calls whose results are complete, or never come.
    async fn flush(&mut self) -> anyhow::Result<()> {
        for waiting in std::mem::take(&mut self.waiting) {
            let card = self.card(&waiting).await;
            let result_id = waiting.result.as_ref().map_or("", |(id, _)| id);
            let at = ExportEntry {
                id: &waiting.entry,
                at_ms: waiting.at_ms,
            };
            let item = ExportItem::Call {
                card: &card,
                result_id,
            };
            self.export.item(at, &item)?;
        }
        Ok(())
    }

    async fn card(&self, waiting: &Waiting) -> ToolCard {
        let call = &waiting.call;
        let args = serde_json::from_str(call.arguments.get()).unwrap_or_default();
        let drawn = DrawnCall {
            call_id: &call.id,
            tool_name: &call.name,
            args: &args,
        };
        let Some((_, result)) = &waiting.result else {
            return self.tools.call_card(drawn).await;
        };
        let result = ToolResult {
            content: result.content.clone(),
            details: result.details.clone(),
            is_error: result.is_error,
            ..ToolResult::default()
        };
        let view = ResultView {
            expanded: true,
            ..ResultView::default()
        };
        self.tools.result_card(drawn, &result, view).await
    }
}

fn text_of(content: &UserContent) -> String {
    match content {
        UserContent::Text(text) => text.clone(),
        UserContent::Blocks(blocks) => blocks
            .iter()
            .find_map(ContentBlock::as_text)
            .unwrap_or_default()
            .to_owned(),
    }
}

fn milliseconds(timestamp: &str) -> Option<i64> {
    Timestamp::from_str(timestamp)
        .ok()
        .map(Timestamp::as_millisecond)
}
