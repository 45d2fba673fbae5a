use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use deed_agent::{Access, EffectPlan, FrozenContext, Replay, ToolError, ToolSpec, TypedTool};
use deed_env::search::{SearchReport, SearchRequest};
use deed_protocol::{SourceInfo, ToolCard, ToolResult};
use deed_schema::{ToolSchema, ValidatedArgs};
use deed_tooling::{
    DEFAULT_MAX_BYTES, MATCH_LINE_MAX_CHARS, Presentation, PromptText, ResultView, ToolContext,
    ToolDefinition, TypedDefinition,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::ToolBasis;
use crate::bounded::{size_notice, unreadable_notice, with_notices};
use crate::decided::ensure_as_decided;
use crate::failure::tool_error;
use crate::path::{Located, Purpose, locate};
use found::{Collector, Found};

mod card;
mod found;

pub(crate) const NAME: &str = "grep";

/// The word in front of the parenthesis of a rule for tools that only look.
const POLICY_NAME: &str = "Read";
const DEFAULT_LIMIT: u64 = 100;
const NO_MATCHES: &str = "No matches found";
/// Enough for a line that is too long to still be seen as such when it has been cut.
const MAX_LINE_BYTES: usize = 4 * (MATCH_LINE_MAX_CHARS + 1);

pub(crate) fn make(basis: &ToolBasis) -> Arc<dyn ToolDefinition> {
    Arc::new(TypedDefinition::new(Grep::new(basis)))
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Params {
    /// Regular expression, or plain text with literal
    pattern: String,
    /// File or folder to search (default: the working folder)
    path: Option<String>,
    /// Only files whose name matches, such as `*.rs` or `src/**/*.ts`; with `!` in front, only others
    glob: Option<String>,
    /// Match upper and lower case alike (default: false)
    ignore_case: Option<bool>,
    /// Take the pattern as plain text (default: false)
    literal: Option<bool>,
    /// Lines to show before and after each match (default: 0)
    #[schemars(range(min = 0, max = 1000))]
    context: Option<u64>,
    /// Matches to show at most (default: 100)
    #[schemars(range(min = 1))]
    limit: Option<u64>,
}

impl Params {
    fn path(&self) -> &str {
        self.path.as_deref().unwrap_or(".")
    }

    fn limit(&self) -> u64 {
        self.limit.unwrap_or(DEFAULT_LIMIT)
    }

    fn context(&self) -> u64 {
        self.context.unwrap_or(0)
    }

    fn request(&self, root: &Path) -> SearchRequest {
        SearchRequest {
            pattern: self.pattern.clone(),
            literal: self.literal.unwrap_or(false),
            ignore_case: self.ignore_case.unwrap_or(false),
            root: root.to_owned(),
            glob: self.glob.clone(),
            context_lines: usize::try_from(self.context()).unwrap_or(usize::MAX),
            max_line_bytes: MAX_LINE_BYTES,
        }
    }
}

/// Searches file contents.
struct Grep {
    spec: ToolSpec,
    prompt: PromptText,
    basis: ToolBasis,
}

impl Grep {
    fn new(basis: &ToolBasis) -> Self {
        let description = format!(
            "Search the contents of files for a regular expression or plain text. Returns matching \
             lines with file and line number, sorted by file, at most {DEFAULT_LIMIT} matches \
             (limit) and {} KB; lines are cut at {MATCH_LINE_MAX_CHARS} characters. Hidden files \
             are searched; what .gitignore leaves out, .git folders and binary files are not.",
            DEFAULT_MAX_BYTES / 1024
        );
        let mut spec = ToolSpec::new(NAME, &description, ToolSchema::of::<Params>());
        spec.replay = Replay::Safe;
        spec.source = Arc::new(SourceInfo::builtin(NAME));
        spec.policy_name = POLICY_NAME.into();
        let none: [&str; 0] = [];
        let snippet = "Search file contents for a pattern (respects .gitignore)";
        Self {
            spec,
            prompt: PromptText::new(snippet, none),
            basis: basis.clone(),
        }
    }

    async fn root(&self, params: &Params) -> Result<Located, ToolError> {
        let located = locate(self.basis.env.as_ref(), params.path(), Purpose::Existing).await?;
        if located.is_missing() {
            Err(located.missing())
        } else {
            Ok(located)
        }
    }
}

impl TypedTool<ToolContext> for Grep {
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
        let found = Arc::new(Mutex::new(Found::new(params.limit(), params.context())));
        let sink = Box::new(Collector(found.clone()));
        let request = params.request(&root.path);
        let searched = self
            .basis
            .env
            .search(request, sink, &context.call.cancel)
            .await;
        let report = searched.map_err(tool_error)?;
        let found = found.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(result(&found, &report))
    }
}

fn result(found: &Found, report: &SearchReport) -> ToolResult {
    let (text, truncation) = found.lines.finish();
    let mut details = Map::new();
    let mut notices = Vec::new();
    if found.has_more {
        let limit = found.limit;
        details.insert("matchLimitReached".to_owned(), limit.into());
        notices.push(format!(
            "Stopped after {limit} matches, there are more: use limit={} or a narrower pattern",
            limit.saturating_mul(2)
        ));
    }
    if let Some(truncation) = truncation {
        details.insert("truncation".to_owned(), json!(truncation));
        notices.push(size_notice(&truncation));
    }
    if found.has_cut_lines {
        details.insert("linesTruncated".to_owned(), true.into());
        notices.push(format!(
            "Lines over {MATCH_LINE_MAX_CHARS} characters are cut: use read to see them whole"
        ));
    }
    if let Some(notice) = unreadable_notice(&report.unreadable) {
        details.insert("unreadable".to_owned(), json!(report.unreadable));
        notices.push(notice);
    }
    let text = if found.lines.is_empty() {
        NO_MATCHES
    } else {
        text
    };
    let mut result = ToolResult::text(with_notices(text, &notices));
    result.details = (!details.is_empty()).then_some(Value::Object(details));
    result
}

impl Presentation for Grep {
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
