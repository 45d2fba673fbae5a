use deed_protocol::{Block, Tone, ToolCard, ToolResult};
use deed_tooling::ResultView;
use serde_json::Value;

use crate::AgentSession;

impl AgentSession {
    /// Draws a call as its tool draws it; a call to no known tool gets a plain card.
    pub async fn call_card(&self, tool_name: &str, args: &Value) -> ToolCard {
        match self.registry().get(tool_name) {
            Some(tool) => tool.definition().render_call(args).await,
            None => ToolCard::new(tool_name, ""),
        }
    }

    /// Draws a result as its tool draws it; one of no known tool gets a plain card.
    pub async fn result_card(
        &self,
        tool_name: &str,
        args: &Value,
        result: &ToolResult,
        view: ResultView,
    ) -> ToolCard {
        match self.registry().get(tool_name) {
            Some(tool) => tool.definition().render_result(args, result, view).await,
            None => plain_result(tool_name, result),
        }
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
