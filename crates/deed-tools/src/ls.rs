use std::sync::Arc;

use deed_agent::{Access, CallContext, EffectPlan, Replay, ToolError, ToolSpec, TypedTool};
use deed_env::file::{FileKind, Listing};
use deed_protocol::{SourceInfo, ToolCard, ToolResult};
use deed_schema::{ToolSchema, ValidatedArgs};
use deed_tooling::{
    DEFAULT_MAX_BYTES, Presentation, PromptText, ResultView, ToolContext, ToolDefinition,
    TypedDefinition,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::ToolBasis;
use crate::bounded::{BoundedLines, one_line, size_notice, with_notices};
use crate::decided::ensure_as_decided;
use crate::failure::tool_error;
use crate::path::{Located, Purpose, locate};

mod card;

pub(crate) const NAME: &str = "ls";
const POLICY_NAME: &str = "Read";

const DEFAULT_LIMIT: u64 = 500;

pub(crate) fn make(basis: &ToolBasis) -> Arc<dyn ToolDefinition> {
    Arc::new(TypedDefinition::new(Ls::new(basis)))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct LsParams {
    /// Folder to list (default: the working folder)
    path: Option<String>,
    /// Entries to show at most (default: 500)
    #[schemars(range(min = 1))]
    limit: Option<u64>,
}

impl LsParams {
    fn path(&self) -> &str {
        self.path.as_deref().unwrap_or(".")
    }
}

/// Lists folders.
struct Ls {
    spec: ToolSpec,
    prompt: PromptText,
    basis: ToolBasis,
}

impl Ls {
    fn new(basis: &ToolBasis) -> Self {
        let description = format!(
            "List what is in a folder, hidden entries too, but not what is in its subfolders. \
             Sorted by name, folders with / at the end, at most {DEFAULT_LIMIT} entries (limit) \
             and {} KB.",
            DEFAULT_MAX_BYTES / 1024
        );
        let mut spec = ToolSpec::new(NAME, &description, ToolSchema::of::<LsParams>());
        spec.source = Arc::new(SourceInfo::builtin(NAME));
        spec.policy_name = POLICY_NAME.into();
        spec.replay = Replay::Safe;
        let none: [&str; 0] = [];
        Self {
            spec,
            prompt: PromptText::new("List what is in a folder", none),
            basis: basis.clone(),
        }
    }

    async fn list(&self, params: LsParams, call: &CallContext) -> Result<ToolResult, ToolError> {
        let located = self.folder(params.path()).await?;
        ensure_as_decided(call, params.path(), located.real())?;
        let listing = self
            .basis
            .env
            .list(located.real(), &call.cancel)
            .await
            .map_err(tool_error)?;
        let mut result = answer(&listing, params.limit.unwrap_or(DEFAULT_LIMIT));
        located.name_in(&mut result);
        Ok(result)
    }

    async fn folder(&self, path: &str) -> Result<Located, ToolError> {
        let located = locate(self.basis.env.as_ref(), path, Purpose::Existing).await?;
        match located.found.kind {
            FileKind::Folder => Ok(located),
            FileKind::Missing => Err(located.missing()),
            FileKind::Regular { .. } => Err(ToolError::Failed(format!(
                "{path} is a file, not a folder; look into it with read"
            ))),
            FileKind::Special(kind) => Err(ToolError::Failed(format!(
                "{path} is a {kind}, not a folder"
            ))),
        }
    }
}

/// Words a listing.
///
/// Shape: an entry a line; a line break in a name is written out, so that it makes no entry.
fn answer(listing: &Listing, limit: u64) -> ToolResult {
    let total = listing.entries.len() as u64;
    let mut lines = BoundedLines::default();
    for entry in listing
        .entries
        .iter()
        .take(usize::try_from(limit).unwrap_or(usize::MAX))
    {
        let end = if entry.is_folder { "/" } else { "" };
        lines.push(&format!("{}{end}", one_line(&entry.name)));
    }
    let (text, truncation) = lines.finish();
    let mut details = Map::new();
    details.insert("entries".to_owned(), total.into());
    let mut notices = Vec::new();
    if total > limit {
        details.insert("entryLimitReached".to_owned(), limit.into());
        notices.push(format!(
            "The first {limit} of {total} entries: use limit={total} for all"
        ));
    }
    if let Some(truncation) = truncation {
        details.insert("truncation".to_owned(), json!(truncation));
        notices.push(size_notice(&truncation));
    }
    let text = if lines.is_empty() {
        "(empty folder)"
    } else {
        text
    };
    ToolResult::text(with_notices(text, &notices)).with_details(Value::Object(details))
}

impl TypedTool<ToolContext> for Ls {
    type Params = LsParams;

    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn plan(&self, params: LsParams, _: &ValidatedArgs) -> Result<EffectPlan, ToolError> {
        let located = locate(self.basis.env.as_ref(), params.path(), Purpose::Existing).await?;
        let access = Access::Read(vec![located.real().to_owned()]);
        Ok(EffectPlan::new(access, POLICY_NAME, params.path()))
    }

    async fn run(
        self: Arc<Self>,
        params: LsParams,
        context: ToolContext,
    ) -> Result<ToolResult, ToolError> {
        self.list(params, &context.call).await
    }
}

impl Presentation for Ls {
    fn prompt(&self) -> &PromptText {
        &self.prompt
    }

    fn render_call(&self, args: &Value) -> ToolCard {
        card::call(args)
    }

    fn render_result(&self, args: &Value, result: &ToolResult, view: ResultView) -> ToolCard {
        card::result(args, result, view)
    }
}
