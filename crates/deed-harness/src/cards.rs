use deed_extensions::{DrawnCall, DrawnResult};
use deed_protocol::{Block, CustomMessage, Tone, ToolCard, ToolResult};
use deed_tooling::{RenderShell, ResultView};
use serde_json::Value;

use crate::AgentSession;

/// What is done and said as something to look at. Extensions that draw have a second for a card; the
/// card is the session's own where they do not draw.
impl AgentSession {
    /// Draws a call as extensions or its tool draw it; a call to no known tool gets a plain card.
    pub async fn call_card(&self, call: DrawnCall<'_>) -> ToolCard {
        let mut card = match self.registry().get(call.tool_name) {
            Some(tool) => {
                let card = tool.definition().render_call(call.args).await;
                shelled(card, tool.definition().render_shell())
            }
            None => ToolCard::new(call.tool_name, ""),
        };
        let drawing = self.extensions.draw_call(call, ResultView::default());
        if let Some(blocks) = drawing.await {
            card.blocks = blocks;
        }
        card
    }

    /// Draws a result as extensions or its tool draw it; one of no known tool gets a plain card.
    ///
    /// Shape: where an extension draws the call, that stands above the result.
    pub async fn result_card(
        &self,
        call: DrawnCall<'_>,
        result: &ToolResult,
        view: ResultView,
    ) -> ToolCard {
        let mut card = match self.registry().get(call.tool_name) {
            Some(tool) => {
                let definition = tool.definition();
                let card = definition.render_result(call.args, result, view).await;
                shelled(card, definition.render_shell())
            }
            None => plain_result(call.tool_name, result),
        };
        let drawn = self.extensions.draw_result(call, result, view).await;
        let DrawnResult {
            call: of_call,
            result: of_result,
        } = drawn;
        let below = of_result.unwrap_or_else(|| std::mem::take(&mut card.blocks));
        card.blocks = of_call.unwrap_or_default();
        card.blocks.extend(below);
        card
    }

    /// Draws a message of an extension; `None` if no extension draws messages of its type.
    pub async fn message_card(
        &self,
        message: &CustomMessage,
        view: ResultView,
    ) -> Option<ToolCard> {
        let blocks = self.extensions.draw_message(message, view).await?;
        Some(titled(&message.custom_type, blocks))
    }

    /// Draws an entry that an extension added to the record; `None` if no extension draws entries of
    /// its type.
    ///
    /// Shape: `entry` as it stands in the record and in `entry_appended`.
    pub async fn entry_card(&self, entry: &Value, view: ResultView) -> Option<ToolCard> {
        let blocks = self.extensions.draw_entry(entry, view).await?;
        let kind = entry.get("customType").and_then(Value::as_str);
        Some(titled(kind.unwrap_or_default(), blocks))
    }
}

fn shelled(card: ToolCard, shell: RenderShell) -> ToolCard {
    ToolCard {
        is_bare: shell == RenderShell::Bare,
        ..card
    }
}

fn titled(title: &str, blocks: Vec<Block>) -> ToolCard {
    ToolCard {
        blocks,
        ..ToolCard::new(title, "")
    }
}

fn plain_result(tool_name: &str, result: &ToolResult) -> ToolCard {
    let card = ToolCard::new(tool_name, "").block(Block::Text {
        text: result.joined_text(),
    });
    if result.is_error {
        card.badge("error", Tone::Bad)
    } else {
        card
    }
}
