use std::future::Future;
use std::sync::Arc;

use deed_agent::{Access, EffectPlan, ToolError, ToolSpec, TypedTool};
use deed_env::EnvError;
use deed_env::file::{FileKind, MutationTicket, Replaced, WriteGuard};
use deed_protocol::{SourceInfo, ToolCard, ToolResult};
use deed_schema::{ToolSchema, ValidatedArgs};
use deed_tooling::{
    Presentation, PromptText, ResultView, ToolContext, ToolDefinition, TypedDefinition, format_size,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::ToolBasis;
use crate::basis::PREFER_STRICT;
use crate::decided::ensure_as_decided;
use crate::diff::FileDiff;
use crate::failure::tool_error;
use crate::frozen::{small_content, write_context};
use crate::path::{Located, Purpose, locate};

mod card;
mod original;
mod placeholder;

use original::Original;

pub(crate) const NAME: &str = "write";
const POLICY_NAME: &str = "Write";

pub(crate) fn make(basis: &ToolBasis) -> Arc<dyn ToolDefinition> {
    Arc::new(TypedDefinition::new(Write::new(basis)))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WriteParams {
    /// File to write, relative to the working folder or absolute
    path: String,
    /// The whole new content, to the letter
    content: String,
}

/// Writes whole files.
struct Write {
    spec: ToolSpec,
    prompt: PromptText,
    basis: ToolBasis,
}

impl Write {
    fn new(basis: &ToolBasis) -> Self {
        let description = "Write a whole file: a new one, or in place of everything that an \
            existing one holds. Missing folders are made. A file that somebody else changed since \
            it was last read in this session is not overwritten.";
        let mut spec = ToolSpec::new(NAME, description, ToolSchema::of::<WriteParams>());
        spec.source = Arc::new(SourceInfo::builtin(NAME));
        spec.constrained_sampling = PREFER_STRICT;
        spec.policy_name = POLICY_NAME.into();
        Self {
            spec,
            prompt: PromptText::new(
                "Create files or replace their whole content",
                ["Use write for new files and complete rewrites; for all else use edit"],
            ),
            basis: basis.clone(),
        }
    }

    async fn target(&self, path: &str) -> Result<Located, ToolError> {
        let located = locate(self.basis.env.as_ref(), path, Purpose::Writable).await?;
        if located.is_missing() && path.ends_with('/') {
            return Err(ToolError::Failed(format!(
                "{path} names a folder; name a file in it"
            )));
        }
        match located.found.kind {
            FileKind::Missing | FileKind::Regular { .. } => Ok(located),
            FileKind::Folder => Err(ToolError::Failed(format!(
                "{path} is a directory; name a file in it"
            ))),
            FileKind::Special(kind) => Err(ToolError::Failed(format!(
                "{path} is a {kind}; write writes nothing but regular files"
            ))),
        }
    }

    async fn write(
        &self,
        params: WriteParams,
        ticket: MutationTicket,
        context: ToolContext,
    ) -> Result<ToolResult, ToolError> {
        let env = self.basis.env.as_ref();
        let cancel = &context.call.cancel;
        let located = self.target(&params.path).await?;
        let turn = ticket
            .place(env, located.real(), cancel)
            .await
            .map_err(tool_error)?;
        let path = turn.path().as_path();
        ensure_as_decided(&context.call, &params.path, path)?;
        let to_save = placeholder::find(&params.content, None).is_some();
        let mut original = Original::read(env, path, to_save).await;
        let placeholder = original
            .bytes
            .filter(|bytes| to_save && *bytes > params.content.len() as u64)
            .and_then(|_| placeholder::find(&params.content, original.content.as_deref()));
        if placeholder.is_some() {
            original.save(&self.basis.env, &context.call).await;
        }
        let content = params.content.clone().into_bytes();
        let guard = WriteGuard::UnchangedSinceSeen;
        let replaced = env.replace(turn, content, guard, cancel).await;
        let replaced = replaced.map_err(|error| failure(&params.path, error))?;
        let mut result = answer(&params, &original, &replaced);
        if let Some(line) = placeholder {
            warn(&mut result, &line, &original);
        }
        located.name_in(&mut result);
        Ok(result)
    }
}

fn failure(given: &str, error: EnvError) -> ToolError {
    match error {
        EnvError::Stale { .. } => ToolError::Failed(format!(
            "{given} changed since it was last read in this session; nothing was written. Read it \
             again, then write what takes the change into account"
        )),
        EnvError::NotRegular { kind, .. } => ToolError::Failed(format!(
            "{given} is a {kind}; write writes nothing but regular files"
        )),
        other => tool_error(other),
    }
}

fn answer(params: &WriteParams, original: &Original, replaced: &Replaced) -> ToolResult {
    let (path, bytes) = (&params.path, params.content.len());
    let lines = params.content.lines().count();
    let noun = if lines == 1 { "line" } else { "lines" };
    let size = format!("{lines} {noun}, {}", format_size(bytes as u64));
    let is_same = original.content.as_deref() == Some(params.content.as_bytes());
    let mut text = match (replaced.created, is_same) {
        (Some(true), _) => format!("Created {path} ({size})."),
        (None, false) => format!("Wrote {path} ({size})."),
        (_, true) => format!("Wrote {path} ({size}); its content is as it was before."),
        (Some(false), false) => format!("Wrote {path} ({size}) in place of its old content."),
    };
    if replaced.atomic == Some(false) {
        text.push_str(" The file was overwritten in place.");
    }
    let mut details = Map::new();
    details.insert("bytes".to_owned(), bytes.into());
    for (name, fact) in [("created", replaced.created), ("atomic", replaced.atomic)] {
        if let Some(fact) = fact {
            details.insert(name.to_owned(), fact.into());
        }
    }
    if let Some(diff) = original
        .diff(&params.content)
        .filter(|_| replaced.created != Some(true))
    {
        details.insert("diff".to_owned(), diff.display().into());
        if let Some(line) = diff.first_changed_line_1based() {
            details.insert("firstChangedLine".to_owned(), line.into());
        }
    }
    ToolResult::text(text).with_details(Value::Object(details))
}

/// Says that a line of the new content seems to stand for the old content that is now gone.
fn warn(result: &mut ToolResult, line: &placeholder::Placeholder, original: &Original) {
    let kept = match &original.saved {
        Some(path) => format!("The old content is kept in {}.", path.display()),
        None => "The old content is not kept.".to_owned(),
    };
    let warning = format!(
        "\n\nWarning: line {} (`{}`) looks like a placeholder for content that should stay, but \
         write replaces the whole file. {kept} If something is missing now, put it back.",
        line.line_1based, line.text
    );
    if let Some(deed_protocol::ContentBlock::Text(block)) = result.content.first_mut() {
        block.text.push_str(&warning);
    }
    if let Some(Value::Object(details)) = &mut result.details {
        details.insert("placeholderLine".to_owned(), line.line_1based.into());
        if let Some(path) = &original.saved {
            details.insert("originalPath".to_owned(), path.display().to_string().into());
        }
    }
}

impl TypedTool<ToolContext> for Write {
    type Params = WriteParams;

    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn plan(&self, params: WriteParams, _: &ValidatedArgs) -> Result<EffectPlan, ToolError> {
        let env = self.basis.env.as_ref();
        let located = self.target(&params.path).await?;
        let old = match located.is_missing() {
            true => None,
            false => small_content(env, located.real()).await,
        };
        let diff = old
            .as_deref()
            .map(|old| FileDiff::of_contents(old, params.content.as_bytes()));
        let access = Access::Write(vec![located.real().to_owned()]);
        Ok(EffectPlan {
            preview: Some(card::preview(&params.path, &params.content, &located, diff)),
            context: write_context(env, &located, old.as_deref()).await,
            ..EffectPlan::new(access, POLICY_NAME, params.path)
        })
    }

    fn run(
        self: Arc<Self>,
        params: WriteParams,
        context: ToolContext,
    ) -> impl Future<Output = Result<ToolResult, ToolError>> + Send + 'static {
        let ticket = self.basis.env.mutations().ticket();
        async move { self.write(params, ticket, context).await }
    }
}

impl Presentation for Write {
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
