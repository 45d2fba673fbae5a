use std::sync::Arc;

use deed_agent::{AgentTool, ToolError, ToolSpec, Typed, TypedTool};
use deed_protocol::{Block, ContentBlock, ToolCard, ToolResult};
use deed_schema::ToolSchema;
use deed_tooling::{
    AskOptions, FixedContext, Presentation, PromptText, ResultView, ToolContext, ToolDefinition,
    TypedDefinition, tool_definition_from_agent_tool, wrap_tool_definition,
};
use serde_json::{Value, json};

use crate::support::{run, texts};

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// Whom to greet
    name: String,
}

struct Greet {
    spec: ToolSpec,
    prompt: PromptText,
}

impl Greet {
    fn new() -> Self {
        let mut spec = ToolSpec::new("greet", "Greets somebody", ToolSchema::of::<Params>());
        spec.label = "Greet".into();
        spec.replay = deed_agent::Replay::Safe;
        Self {
            spec,
            prompt: PromptText::new("greets", ["Be kind"]),
        }
    }
}

impl TypedTool<ToolContext> for Greet {
    type Params = Params;

    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(
        self: Arc<Self>,
        params: Params,
        context: ToolContext,
    ) -> Result<ToolResult, ToolError> {
        let options = AskOptions::default();
        let may = context.ui().confirm("Greet?", &params.name, &options).await;
        Ok(ToolResult::text(format!(
            "{} {} {may}",
            params.name,
            context.cwd().display()
        )))
    }
}

impl Presentation for Greet {
    fn prompt(&self) -> &PromptText {
        &self.prompt
    }
}

fn greet() -> Arc<dyn ToolDefinition> {
    Arc::new(TypedDefinition::new(Greet::new()))
}

fn projected() -> Arc<dyn AgentTool> {
    wrap_tool_definition(greet(), Arc::new(FixedContext::new("/home")))
}

#[tokio::test]
async fn a_typed_tool_runs_with_the_context_of_the_product() {
    let result = run([projected()], "greet", json!({ "name": "Ada" })).await;
    assert_eq!(
        texts(&result.content),
        ["Ada /home false"],
        "nobody is there, so no is the answer"
    );
    let result = run([projected()], "greet", json!({ "nom": "Ada" })).await;
    assert!(result.is_error && texts(&result.content)[0].contains("nom"));
}

#[tokio::test]
async fn a_definition_projected_and_lifted_again_is_the_same_tool() {
    let lifted = tool_definition_from_agent_tool(projected());
    assert_eq!(lifted.spec().replay, deed_agent::Replay::Safe);
    assert_eq!(lifted.prompt(), PromptText::none());
    let again = wrap_tool_definition(lifted, Arc::new(FixedContext::new("/elsewhere")));
    assert_eq!(
        again.spec().parameters.as_value(),
        greet().spec().parameters.as_value()
    );
    let result = run([again], "greet", json!({ "name": "Ada" })).await;
    assert_eq!(texts(&result.content), ["Ada /home false"]);
}

struct Narrow(ToolSpec);

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct NarrowParams {
    #[schemars(with = "String")]
    #[expect(dead_code, reason = "it is never decoded")]
    port: u16,
}

impl TypedTool<ToolContext> for Narrow {
    type Params = NarrowParams;

    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn run(
        self: Arc<Self>,
        _params: NarrowParams,
        _context: ToolContext,
    ) -> Result<ToolResult, ToolError> {
        Ok(ToolResult::text("ran"))
    }
}

impl Presentation for Narrow {}

#[tokio::test]
async fn arguments_that_only_the_type_refuses_are_an_argument_fault() {
    let spec = ToolSpec::new("narrow", "Narrow", ToolSchema::of::<NarrowParams>());
    let tool = wrap_tool_definition(
        Arc::new(TypedDefinition::new(Narrow(spec))),
        Arc::new(FixedContext::new("/")),
    );
    let result = run([tool], "narrow", json!({ "port": "x" })).await;
    assert!(result.is_error);
    let said = texts(&result.content)[0];
    assert!(said.contains("narrow") && said.contains("port"), "{said}");
}

async fn call_card(args: Value) -> ToolCard {
    greet().render_call(&args).await
}

#[tokio::test]
async fn a_call_is_drawn_whatever_its_arguments_are() {
    let card = call_card(json!({ "count": 3, "name": "\n Ada \nLovelace" })).await;
    assert_eq!(
        (card.title.as_str(), card.subject.as_str()),
        ("Greet", "Ada")
    );
    for args in [
        json!(null),
        json!([]),
        json!({}),
        json!("text"),
        json!({ "name": {} }),
    ] {
        assert_eq!(call_card(args).await.subject, "");
    }
    let long = call_card(json!({ "name": "€".repeat(5000) })).await;
    assert!(long.subject.chars().count() < 250);
}

#[tokio::test]
async fn a_result_is_drawn_with_its_pictures_and_within_bounds() {
    let many: String = (1..=50).map(|n| format!("line {n}\n")).collect();
    let mut result = ToolResult::error(many);
    result
        .content
        .push(ContentBlock::image("AAAA", "image/png"));
    let (definition, args) = (greet(), json!({ "name": "Ada" }));
    let brief = definition
        .render_result(&args, &result, ResultView::default())
        .await;
    assert_eq!(brief.badges[0].text, "error");
    let Block::Notice { text, .. } = &brief.blocks[0] else {
        panic!("{brief:?}")
    };
    assert!(text.ends_with("line 10"));
    let Block::Notice { text, .. } = &brief.blocks[1] else {
        panic!("{brief:?}")
    };
    assert_eq!(text, "40 more lines");
    assert!(matches!(&brief.blocks[2], Block::Image { .. }));
    let expanded = ResultView {
        expanded: true,
        partial: false,
    };
    let card = definition.render_result(&args, &result, expanded).await;
    let Block::Notice { text, .. } = &card.blocks[0] else {
        panic!("{card:?}")
    };
    assert!(text.ends_with("line 50"));
    let huge = ToolResult::text("x".repeat(1_000_000));
    let card = definition.render_result(&args, &huge, expanded).await;
    let Block::Text { text } = &card.blocks[0] else {
        panic!("{card:?}")
    };
    assert!(text.starts_with("xxx") && text.len() < 2000);
}

struct Core(ToolSpec);

impl TypedTool for Core {
    type Params = Params;

    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn run(
        self: Arc<Self>,
        params: Params,
        context: deed_agent::CallContext,
    ) -> Result<ToolResult, ToolError> {
        Ok(ToolResult::text(format!(
            "{} {}",
            context.call_id, params.name
        )))
    }
}

#[tokio::test]
async fn a_bare_agent_tool_becomes_a_definition() {
    let spec = ToolSpec::new("core", "Core", ToolSchema::of::<Params>());
    let definition = tool_definition_from_agent_tool(Arc::new(Typed::new(Core(spec))));
    let tool = wrap_tool_definition(definition, Arc::new(FixedContext::new("/")));
    let result = run([tool], "core", json!({ "name": "Ada" })).await;
    assert_eq!(texts(&result.content), ["c1 Ada"]);
}
