use std::future::Future;
use std::sync::Arc;

use deed_agent::{Access, CallContext, EffectPlan, ToolError, ToolSpec, TypedTool};
use deed_env::EnvError;
use deed_env::file::{FileBytes, FileKind, MutationTicket, Replaced, WriteGuard};
use deed_protocol::{SourceInfo, ToolCard, ToolResult};
use deed_schema::{RawArgs, ToolSchema, ValidatedArgs};
use deed_tooling::{
    Presentation, PromptText, ResultView, ToolContext, ToolDefinition, TypedDefinition, format_size,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::ToolBasis;
use crate::basis::PREFER_STRICT;
use crate::decided::ensure_as_decided;
use crate::failure::tool_error;
use crate::frozen::{small_content, write_context};
use crate::path::{Located, Purpose, locate};

mod answer;
mod card;
mod change;
mod endings;
mod exact;
mod fault;
mod nearest;
mod shim;
mod tolerant;

use change::Change;
use fault::EditFault;

pub(crate) const NAME: &str = "edit";
const POLICY_NAME: &str = "Write";

/// Larger files are searched on a thread of their own.
const MAX_INLINE_BYTES: usize = 64 * 1024;

pub(crate) fn make(basis: &ToolBasis) -> Arc<dyn ToolDefinition> {
    Arc::new(TypedDefinition::new(EditTool::new(basis)))
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EditParams {
    /// File to change, relative to the working folder or absolute
    path: String,
    /// Replacements, each looked up in the file as it is before the call; they must not overlap
    #[schemars(length(min = 1))]
    edits: Vec<Edit>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Edit {
    /// Text to replace, exactly as in the file; must occur only once, so take enough of it
    old_text: String,
    /// What takes its place
    new_text: String,
}

/// Replaces pieces of text in files.
struct EditTool {
    spec: ToolSpec,
    prompt: PromptText,
    basis: ToolBasis,
}

impl EditTool {
    fn new(basis: &ToolBasis) -> Self {
        let description = "Replace pieces of text in one file. Each old text must occur in the \
            file exactly once and must not overlap another; all are looked up in the file as it \
            is before the call. Everything else in the file stays as it is, byte by byte.";
        let mut spec = ToolSpec::new(NAME, description, ToolSchema::of::<EditParams>());
        spec.source = Arc::new(SourceInfo::builtin(NAME));
        spec.constrained_sampling = PREFER_STRICT;
        spec.policy_name = POLICY_NAME.into();
        Self {
            spec,
            prompt: PromptText::new(
                "Change files by replacing exact pieces of text",
                [
                    "Put all changes of one file into one edit call, one item of edits each",
                    "Keep the old text of an edit short, yet long enough to occur only once, and \
                     let no two edits overlap",
                ],
            ),
            basis: basis.clone(),
        }
    }

    async fn target(&self, path: &str) -> Result<Located, ToolError> {
        let located = locate(self.basis.env.as_ref(), path, Purpose::Existing).await?;
        match located.found.kind {
            FileKind::Folder => Err(not_a_file(path, "directory")),
            FileKind::Special(kind) => Err(not_a_file(path, kind)),
            FileKind::Missing | FileKind::Regular { .. } => Ok(located),
        }
    }

    async fn edit(
        &self,
        params: EditParams,
        ticket: MutationTicket,
        call: &CallContext,
    ) -> Result<ToolResult, ToolError> {
        let params = Arc::new(params);
        match self.attempt(&params, ticket, call).await? {
            Some(result) => Ok(result),
            // Somebody else wrote between reading and writing; what they wrote counts.
            None => {
                let ticket = self.basis.env.mutations().ticket();
                let again = self.attempt(&params, ticket, call).await?;
                again.ok_or_else(|| keeps_changing(&params.path))
            }
        }
    }

    /// Reads, changes and writes; `None` if the file changed between reading and writing.
    async fn attempt(
        &self,
        params: &Arc<EditParams>,
        ticket: MutationTicket,
        call: &CallContext,
    ) -> Result<Option<ToolResult>, ToolError> {
        let (env, cancel) = (self.basis.env.as_ref(), &call.cancel);
        let located = self.target(&params.path).await?;
        let turn = ticket
            .place(env, located.real(), cancel)
            .await
            .map_err(tool_error)?;
        ensure_as_decided(call, &params.path, turn.path().as_path())?;
        let max_bytes = self.basis.settings.edit_max_bytes;
        let read = env
            .read_bytes(turn.path().as_path(), max_bytes, cancel)
            .await;
        let file = read.map_err(|error| read_failure(&located, error))?;
        let guard = WriteGuard::SameBytes { stamp: file.stamp };
        let (change, content) = compute(file, params.clone(), cancel).await?;
        match env.replace(turn, content, guard, cancel).await {
            Ok(replaced) => Ok(Some(answered(params, &located, &change, &replaced))),
            Err(EnvError::Stale { .. }) => Ok(None),
            Err(error) => Err(tool_error(error)),
        }
    }

    /// Works out, for whoever is to allow the call, what it would change; only for small files.
    async fn foresee(&self, params: EditParams, located: &Located) -> (ToolCard, Option<Vec<u8>>) {
        let old = match located.found.kind {
            FileKind::Regular { .. } => {
                small_content(self.basis.env.as_ref(), located.real()).await
            }
            _ => None,
        };
        let cancel = CancellationToken::new();
        let change = old
            .as_deref()
            .map(|old| Change::compute(old, &params.edits, &cancel));
        let diff = change
            .and_then(Result::ok)
            .map(|change| change.diff.lines());
        (card::preview(&params, diff), old)
    }
}

async fn compute(
    file: FileBytes,
    params: Arc<EditParams>,
    cancel: &CancellationToken,
) -> Result<(Change, Vec<u8>), ToolError> {
    let (is_small, cancel) = (file.bytes.len() <= MAX_INLINE_BYTES, cancel.clone());
    let path = params.path.clone();
    let work = move || {
        let change = Change::compute(&file.bytes, &params.edits, &cancel)?;
        let content = change::apply(file.bytes, &change.splices);
        Ok((change, content))
    };
    let computed = if is_small {
        work()
    } else {
        tokio::task::spawn_blocking(work)
            .await
            .map_err(ToolError::failed)?
    };
    computed.map_err(|fault| match fault {
        EditFault::Cancelled => ToolError::Cancelled,
        fault => ToolError::Failed(format!("{path} was not changed: {fault}")),
    })
}

fn answered(
    params: &EditParams,
    located: &Located,
    change: &Change,
    replaced: &Replaced,
) -> ToolResult {
    let mut result = answer::text(params, change, replaced);
    located.name_in(&mut result);
    result
}

fn read_failure(located: &Located, error: EnvError) -> ToolError {
    match error {
        EnvError::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
            located.missing()
        }
        EnvError::NotRegular { kind, .. } => not_a_file(&located.given, kind),
        EnvError::TooLarge {
            actual_bytes,
            max_bytes,
            ..
        } => ToolError::Failed(format!(
            "{} is {} large; edit changes files of up to {}. Change it with a command instead",
            located.given,
            format_size(actual_bytes),
            format_size(max_bytes)
        )),
        other => tool_error(other),
    }
}

fn not_a_file(path: &str, kind: &str) -> ToolError {
    ToolError::Failed(format!(
        "{path} is a {kind}; edit changes nothing but regular files"
    ))
}

fn keeps_changing(path: &str) -> ToolError {
    ToolError::Failed(format!(
        "{path} was not changed: somebody else keeps writing it; try again later"
    ))
}

impl TypedTool<ToolContext> for EditTool {
    type Params = EditParams;

    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn prepare_arguments(&self, raw: RawArgs) -> Result<RawArgs, ToolError> {
        Ok(shim::prepare(raw))
    }

    async fn plan(&self, params: EditParams, _: &ValidatedArgs) -> Result<EffectPlan, ToolError> {
        let located = self.target(&params.path).await?;
        let access = Access::Write(vec![located.real().to_owned()]);
        let plan = EffectPlan::new(access, POLICY_NAME, params.path.clone());
        let (preview, old) = self.foresee(params, &located).await;
        Ok(EffectPlan {
            preview: Some(preview),
            context: write_context(self.basis.env.as_ref(), &located, old.as_deref()).await,
            ..plan
        })
    }

    fn run(
        self: Arc<Self>,
        params: EditParams,
        context: ToolContext,
    ) -> impl Future<Output = Result<ToolResult, ToolError>> + Send + 'static {
        let ticket = self.basis.env.mutations().ticket();
        async move { self.edit(params, ticket, &context.call).await }
    }
}

impl Presentation for EditTool {
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
