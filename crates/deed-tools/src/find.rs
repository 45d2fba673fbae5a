use std::sync::{Arc, Mutex, PoisonError};

use deed_agent::{Access, EffectPlan, FrozenContext, Replay, ToolError, ToolSpec, TypedTool};
use deed_env::file::FileKind;
use deed_env::search::{WalkEntry, WalkReport, WalkRequest, WalkSink};
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
use crate::bounded::{BoundedLines, one_line, size_notice, unreadable_notice, with_notices};
use crate::decided::ensure_as_decided;
use crate::failure::tool_error;
use crate::path::{Located, Purpose, locate};

mod card;

pub(crate) const NAME: &str = "find";

/// The word in front of the parenthesis of a rule for tools that only look.
const POLICY_NAME: &str = "Read";
const DEFAULT_LIMIT: u64 = 1000;
const NOTHING_FOUND: &str = "No files found matching pattern";
const OTHER_FOLDER: &str = "A pattern is relative to the searched folder: name another folder as \
    path, and what is below it as pattern";

pub(crate) fn make(basis: &ToolBasis) -> Arc<dyn ToolDefinition> {
    Arc::new(TypedDefinition::new(Find::new(basis)))
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    #[doc = "Glob: `*.rs` finds by name at any depth, `src/**/*.rs` by path from the searched \
        folder, `docs/` only folders"]
    pattern: String,
    /// Folder to search (default: the working folder)
    path: Option<String>,
    /// Results to show at most (default: 1000)
    #[schemars(range(min = 1))]
    limit: Option<u64>,
}

impl Params {
    fn path(&self) -> &str {
        self.path.as_deref().unwrap_or(".")
    }
}

/// Finds files and folders by name.
struct Find {
    spec: ToolSpec,
    prompt: PromptText,
    basis: ToolBasis,
}

impl Find {
    fn new(basis: &ToolBasis) -> Self {
        let description = format!(
            "Find files and folders whose name or path matches a glob. Returns paths relative to \
             the searched folder, sorted, folders with / at the end, at most {DEFAULT_LIMIT} \
             (limit) and {} KB. A pattern without capital letters matches both cases. Hidden files \
             are found; what .gitignore leaves out and what is in .git folders is not.",
            DEFAULT_MAX_BYTES / 1024
        );
        let mut spec = ToolSpec::new(NAME, &description, ToolSchema::of::<Params>());
        spec.replay = Replay::Safe;
        spec.source = Arc::new(SourceInfo::builtin(NAME));
        spec.policy_name = POLICY_NAME.into();
        let none: [&str; 0] = [];
        let snippet = "Find files by glob pattern (respects .gitignore)";
        Self {
            spec,
            prompt: PromptText::new(snippet, none),
            basis: basis.clone(),
        }
    }

    async fn root(&self, params: &Params) -> Result<Located, ToolError> {
        let located = locate(self.basis.env.as_ref(), params.path(), Purpose::Existing).await?;
        match located.found.kind {
            FileKind::Folder => Ok(located),
            FileKind::Missing => Err(located.missing()),
            _ => Err(ToolError::Failed(format!(
                "{} is not a folder; give the folder as path and the name as pattern",
                located.given
            ))),
        }
    }
}

impl TypedTool<ToolContext> for Find {
    type Params = Params;

    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn plan(&self, params: Params, args: &ValidatedArgs) -> Result<EffectPlan, ToolError> {
        let root = self.root(&params).await?;
        let real = root.real().to_owned();
        let context = FrozenContext::default().with("path", real.display().to_string());
        Ok(EffectPlan {
            preview: Some(card::call(args.value())),
            context,
            ..EffectPlan::new(Access::Read(vec![real]), POLICY_NAME, params.path())
        })
    }

    async fn run(
        self: Arc<Self>,
        params: Params,
        context: ToolContext,
    ) -> Result<ToolResult, ToolError> {
        let root = self.root(&params).await?;
        ensure_as_decided(&context.call, params.path(), root.real())?;
        let root = root.path;
        let limit = params.limit.unwrap_or(DEFAULT_LIMIT);
        let found = Arc::new(Mutex::new(Found {
            limit,
            ..Found::default()
        }));
        let sink = Box::new(Collector(found.clone()));
        let leads_out = leads_out(&params.pattern);
        let request = WalkRequest {
            root,
            pattern: params.pattern,
        };
        let walked = self
            .basis
            .env
            .walk(request, sink, &context.call.cancel)
            .await;
        let report = walked.map_err(tool_error)?;
        let found = found.lock().unwrap_or_else(PoisonError::into_inner);
        let mut notices = Vec::new();
        if found.lines.is_empty() && leads_out {
            notices.push(OTHER_FOLDER.to_owned());
        }
        Ok(result(&found, &report, notices))
    }
}

/// Tells whether a pattern begins outside the searched folder, or seems to.
fn leads_out(pattern: &str) -> bool {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    ["/", "../", "~/"]
        .iter()
        .any(|start| pattern.starts_with(start))
}

#[derive(Default)]
struct Found {
    limit: u64,
    entries: u64,
    lines: BoundedLines,
    /// Whether there is an entry beyond the limit.
    has_more: bool,
}

struct Collector(Arc<Mutex<Found>>);

impl WalkSink for Collector {
    fn entry(&mut self, entry: WalkEntry) -> bool {
        let mut found = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if found.entries == found.limit {
            found.has_more = true;
            return false;
        }
        found.entries += 1;
        let end = if entry.is_folder { "/" } else { "" };
        found.lines.push(&format!("{}{end}", one_line(&entry.path)));
        true
    }
}

fn result(found: &Found, report: &WalkReport, mut notices: Vec<String>) -> ToolResult {
    let (text, truncation) = found.lines.finish();
    let mut details = Map::new();
    if found.has_more {
        let limit = found.limit;
        details.insert("resultLimitReached".to_owned(), limit.into());
        notices.push(format!(
            "Stopped after {limit} results, there are more: use limit={} or a narrower pattern",
            limit.saturating_mul(2)
        ));
    }
    if let Some(truncation) = truncation {
        details.insert("truncation".to_owned(), json!(truncation));
        notices.push(size_notice(&truncation));
    }
    if let Some(notice) = unreadable_notice(&report.unreadable) {
        details.insert("unreadable".to_owned(), json!(report.unreadable));
        notices.push(notice);
    }
    let text = if found.lines.is_empty() {
        NOTHING_FOUND
    } else {
        text
    };
    let mut result = ToolResult::text(with_notices(text, &notices));
    result.details = (!details.is_empty()).then_some(Value::Object(details));
    result
}

impl Presentation for Find {
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
