use std::future::Future;
use std::sync::Arc;

use deed_protocol::ToolResult;
use deed_schema::{RawArgs, ValidatedArgs};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::{AgentTool, AuthorizedCall, BoxFuture, CallContext, EffectPlan, ToolError, ToolSpec};

/// A tool whose parameters are a Rust struct: the schema is derived from it, doc comments are the
/// descriptions.
///
/// The context is the core's [`CallContext`] by default; the product passes a richer one.
///
/// ```
/// use std::sync::Arc;
/// use deed_agent::{CallContext, ToolError, ToolSpec, Typed, TypedTool};
/// use deed_protocol::ToolResult;
/// use deed_schema::ToolSchema;
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// #[serde(deny_unknown_fields)]
/// struct Params {
///     /// Whom to greet
///     name: String,
/// }
///
/// struct Greet(ToolSpec);
///
/// impl TypedTool for Greet {
///     type Params = Params;
///
///     fn spec(&self) -> &ToolSpec {
///         &self.0
///     }
///
///     fn run(
///         self: Arc<Self>,
///         params: Params,
///         _context: CallContext,
///     ) -> impl Future<Output = Result<ToolResult, ToolError>> + Send + 'static {
///         async move { Ok(ToolResult::text(format!("hello {}", params.name))) }
///     }
/// }
///
/// let spec = ToolSpec::new("greet", "Greets somebody", ToolSchema::of::<Params>());
/// let tool = Typed::new(Greet(spec));
/// ```
pub trait TypedTool<C = CallContext>: Send + Sync + 'static {
    /// The parameters.
    type Params: DeserializeOwned + JsonSchema + Send + Sync + 'static;

    /// Returns name, schema and the other fixed facts.
    fn spec(&self) -> &ToolSpec;

    /// Brings arguments of a known wrong shape into the right one; by default leaves them alone.
    ///
    /// Errors: become the result of the call.
    fn prepare_arguments(&self, raw: RawArgs) -> Result<RawArgs, ToolError> {
        Ok(raw)
    }

    /// Says what the call would touch; by default opaque.
    fn plan(
        &self,
        params: Self::Params,
        args: &ValidatedArgs,
    ) -> impl Future<Output = Result<EffectPlan, ToolError>> + Send {
        let plan = EffectPlan::opaque(&self.spec().name, args);
        drop(params);
        async move { Ok(plan) }
    }

    /// Does it; what stands before the returned future runs in call order and must not block.
    ///
    /// Errors: become the result of the call.
    ///
    /// Cancellation: as [`AgentTool::execute`].
    fn run(
        self: Arc<Self>,
        params: Self::Params,
        context: C,
    ) -> impl Future<Output = Result<ToolResult, ToolError>> + Send + 'static;
}

/// Makes an [`AgentTool`] of a [`TypedTool`].
#[derive(Debug)]
pub struct Typed<T>(Arc<T>);

impl<T: TypedTool> Typed<T> {
    /// Wraps a typed tool.
    pub fn new(tool: T) -> Self {
        Self(Arc::new(tool))
    }
}

impl<T: TypedTool> AgentTool for Typed<T> {
    fn spec(&self) -> &ToolSpec {
        self.0.spec()
    }

    fn prepare_arguments<'a>(&'a self, raw: RawArgs) -> BoxFuture<'a, Result<RawArgs, ToolError>> {
        let prepared = self.0.prepare_arguments(raw);
        Box::pin(async move { prepared })
    }

    fn plan<'a>(&'a self, args: &'a ValidatedArgs) -> BoxFuture<'a, Result<EffectPlan, ToolError>> {
        Box::pin(async move { self.0.plan(decode(self.0.spec(), args)?, args).await })
    }

    fn execute(
        self: Arc<Self>,
        call: AuthorizedCall,
        context: CallContext,
    ) -> BoxFuture<'static, Result<ToolResult, ToolError>> {
        let call = call.begin();
        match decode(self.0.spec(), call.args()) {
            Ok(params) => Box::pin(self.0.clone().run(params, context)),
            Err(error) => Box::pin(async move { Err(error) }),
        }
    }
}

/// Makes parameters of validated arguments.
///
/// Errors: an argument fault that names the tool, if the Rust type is narrower than the schema.
pub(crate) fn decode<P: DeserializeOwned>(
    spec: &ToolSpec,
    args: &ValidatedArgs,
) -> Result<P, ToolError> {
    args.decode().map_err(|faults| {
        let received = RawArgs::from_value(args.value());
        ToolError::InvalidArguments(faults.describe(&spec.name, &received))
    })
}
