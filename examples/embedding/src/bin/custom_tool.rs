//! A tool of one's own: parameters are a struct, doc comments are what the model reads.
#![allow(clippy::print_stdout, reason = "a program for the terminal")]

use std::sync::Arc;

use deed_agent::{ToolError, ToolSpec, TypedTool};
use deed_harness::wall_clock_ms;
use deed_protocol::{Message, ToolResult};
use deed_schema::ToolSchema;
use deed_tooling::{Presentation, ToolContext, TypedDefinition};

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Roll {
    /// How many sides the die has
    sides: u32,
}

struct Dice(ToolSpec);

impl TypedTool<ToolContext> for Dice {
    type Params = Roll;
    fn spec(&self) -> &ToolSpec {
        &self.0
    }
    fn run(
        self: Arc<Self>,
        roll: Roll,
        _context: ToolContext,
    ) -> impl Future<Output = Result<ToolResult, ToolError>> + Send + 'static {
        async move {
            Ok(ToolResult::text(format!(
                "A die with {} sides fell on 4.",
                roll.sides
            )))
        }
    }
}

impl Presentation for Dice {}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let spec = ToolSpec::new("roll_dice", "Rolls a die", ToolSchema::of::<Roll>());
    let session = embedding::session()
        .await?
        .tool(Arc::new(TypedDefinition::new(Dice(spec))))
        .build()?;
    let prompt = embedding::prompt_or("Roll a die with six sides.");
    let end = session
        .prompt(vec![Message::user(prompt, wall_clock_ms())])
        .await?;
    for result in end.messages.iter().filter_map(|one| one.as_tool_result()) {
        let text = result.content.first().and_then(|block| block.as_text());
        println!("{}: {}", result.tool_name, text.unwrap_or_default());
    }
    Ok(())
}
