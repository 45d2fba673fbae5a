use std::path::Path;
use std::sync::Arc;

use deed_agent::{Access, CallContext, EffectPlan, Replay, ToolError, ToolSpec, TypedTool};
use deed_env::EnvError;
use deed_env::file::{LineRange, TextSlice};
use deed_protocol::{SourceInfo, ToolCard, ToolResult};
use deed_schema::{ToolSchema, ValidatedArgs};
use deed_tooling::{
    DEFAULT_MAX_BYTES, DEFAULT_MAX_LINES, Presentation, PromptText, ResultView, ToolContext,
    ToolDefinition, TypedDefinition,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::ToolBasis;
use crate::basis::PREFER_STRICT;
use crate::decided::{decided_path, ensure_as_decided};
use crate::failure::tool_error;
use crate::path::{self, Purpose, locate};

mod answer;
mod card;
mod image;

use answer::Asked;

pub(crate) const NAME: &str = "read";
const POLICY_NAME: &str = "Read";

pub(crate) fn make(basis: &ToolBasis) -> Arc<dyn ToolDefinition> {
    Arc::new(TypedDefinition::new(Read::new(basis)))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReadParams {
    /// File to read, relative to the working folder or absolute
    path: String,
    /// Line to start at, counted from 1; left out, the first
    #[schemars(range(min = 1))]
    offset: Option<u64>,
    /// How many lines to read at most; left out, as many as one result holds
    #[schemars(range(min = 1))]
    limit: Option<u64>,
}

/// Reads files: text by lines, pictures whole.
struct Read {
    spec: ToolSpec,
    prompt: PromptText,
    basis: ToolBasis,
}

impl Read {
    fn new(basis: &ToolBasis) -> Self {
        let description = format!(
            "Read a file. Text comes back as it is, at most {DEFAULT_MAX_LINES} lines or {} KB at \
             a time, whichever is reached first; the result says where to go on, and offset and \
             limit choose other lines of a long file. Pictures (PNG, JPEG, GIF, WebP, BMP) come \
             back as pictures.",
            DEFAULT_MAX_BYTES / 1024
        );
        let mut spec = ToolSpec::new(NAME, &description, ToolSchema::of::<ReadParams>());
        spec.source = Arc::new(SourceInfo::builtin(NAME));
        spec.constrained_sampling = PREFER_STRICT;
        spec.policy_name = POLICY_NAME.into();
        spec.replay = Replay::Safe;
        Self {
            spec,
            prompt: PromptText::new(
                "Read files, text and pictures",
                ["Look into files with read, not with cat, head or sed in a shell"],
            ),
            basis: basis.clone(),
        }
    }

    async fn read(&self, params: ReadParams, call: &CallContext) -> Result<ToolResult, ToolError> {
        let (env, cancel) = (self.basis.env.as_ref(), &call.cancel);
        let asked = Asked {
            path: &params.path,
            first_1based: params.offset.unwrap_or(1),
            limit: params.limit,
        };
        let literal = path::literal(env, asked.path)?;
        // What was decided on is read, wherever the path as written leads by now.
        let decided = decided_path(call).unwrap_or(&literal);
        let lines = self.lines(decided, &asked, cancel).await;
        let is_gone = matches!(&lines, Err(error) if is_missing(error));
        if !is_gone && decided == literal {
            return self.answer(decided, &asked, lines, cancel).await;
        }
        let located = locate(env, asked.path, Purpose::Existing).await?;
        if is_gone && located.is_missing() {
            return Err(located.missing());
        }
        ensure_as_decided(call, asked.path, located.real())?;
        let mut result = self.answer(decided, &asked, lines, cancel).await?;
        located.name_in(&mut result);
        Ok(result)
    }

    async fn answer(
        &self,
        path: &Path,
        asked: &Asked<'_>,
        lines: Result<TextSlice, EnvError>,
        cancel: &CancellationToken,
    ) -> Result<ToolResult, ToolError> {
        let slice = lines.map_err(|error| failure(asked.path, error))?;
        if image::is_image(self.basis.env.as_ref(), path, &slice, asked).await? {
            image::answer(&self.basis, path, asked, cancel).await
        } else if slice.oversized_first_line_bytes.is_some() && asked.first_1based == 1 {
            let head = self.basis.env.read_head(path, image::HEAD_BYTES).await;
            answer::text(slice, asked, Some(&head.map_err(tool_error)?))
        } else {
            answer::text(slice, asked, None)
        }
    }

    async fn lines(
        &self,
        path: &Path,
        asked: &Asked<'_>,
        cancel: &CancellationToken,
    ) -> Result<TextSlice, EnvError> {
        let range = LineRange {
            first_0based: asked.first_1based.saturating_sub(1),
            max_wanted: asked.limit,
            max_lines: DEFAULT_MAX_LINES as u64,
            max_bytes: DEFAULT_MAX_BYTES,
            count_total: true,
        };
        self.basis.env.read_lines(path, range, cancel).await
    }
}

fn is_missing(error: &EnvError) -> bool {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    matches!(error, EnvError::Io { source, .. } if matches!(source.kind(), NotFound | NotADirectory))
}

fn failure(given: &str, error: EnvError) -> ToolError {
    match error {
        EnvError::NotRegular {
            kind: "directory", ..
        } => ToolError::Failed(format!("{given} is a directory; list it with ls")),
        EnvError::NotRegular { kind, .. } => ToolError::Failed(format!(
            "{given} is a {kind}; read opens nothing but regular files"
        )),
        other => tool_error(other),
    }
}

impl TypedTool<ToolContext> for Read {
    type Params = ReadParams;

    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn plan(&self, params: ReadParams, _: &ValidatedArgs) -> Result<EffectPlan, ToolError> {
        let located = locate(self.basis.env.as_ref(), &params.path, Purpose::Existing).await?;
        let access = Access::Read(vec![located.real().to_owned()]);
        Ok(EffectPlan::new(access, POLICY_NAME, params.path))
    }

    async fn run(
        self: Arc<Self>,
        params: ReadParams,
        context: ToolContext,
    ) -> Result<ToolResult, ToolError> {
        let mut result = self.read(params, &context.call).await?;
        if let Some(model) = context.model().filter(|model| !model.takes_images) {
            image::note_unsupported(&mut result, &model.id);
        }
        Ok(result)
    }
}

impl Presentation for Read {
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
