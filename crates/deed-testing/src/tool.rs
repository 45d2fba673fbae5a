use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use deed_agent::{
    Access, AgentTool, AuthorizedCall, BoxFuture, CallContext, Classification, EffectPlan,
    ExecutionMode, FrozenContext, ToolError, ToolSpec,
};
use deed_protocol::{SourceInfo, ToolResult};
use deed_schema::{RawArgs, ToolSchema, ValidatedArgs};
use serde_json::Value;

/// The parameters of a [`FakeTool`].
#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FakeParams {
    /// Something to say
    pub say: Option<String>,
    /// How long to take, in milliseconds
    pub ms: Option<u64>,
}

/// What a fake tool does with its arguments.
pub type Act = Arc<
    dyn Fn(Value, CallContext) -> BoxFuture<'static, Result<ToolResult, ToolError>> + Send + Sync,
>;

type Look = Arc<dyn Fn() -> Value + Send + Sync>;
type Places = Arc<dyn Fn() -> Access + Send + Sync>;
type Shim = Arc<dyn Fn(RawArgs) -> Result<RawArgs, ToolError> + Send + Sync>;

/// A tool that does what a test tells it to.
#[derive(Clone)]
pub struct FakeTool {
    spec: ToolSpec,
    access: Places,
    context: Option<Look>,
    class: Option<&'static str>,
    act: Act,
    prepare: Option<Shim>,
}

impl FakeTool {
    /// Makes a tool that takes `ms`, then says `say`; it stops early when cancelled.
    pub fn new(name: &str) -> Self {
        let act: Act = Arc::new(|args, context| Box::pin(say(args, context)));
        let spec = ToolSpec::new(name, "A tool of a test", ToolSchema::of::<FakeParams>());
        Self {
            spec,
            access: Arc::new(|| Access::None),
            context: None,
            class: None,
            act,
            prepare: None,
        }
    }

    /// Makes it do something else.
    pub fn acts<F, R>(mut self, act: F) -> Self
    where
        F: Fn(Value, CallContext) -> R + Send + Sync + 'static,
        R: Future<Output = Result<ToolResult, ToolError>> + Send + 'static,
    {
        self.act = Arc::new(move |args, context| Box::pin(act(args, context)));
        self
    }

    /// Makes it answer with this result.
    pub fn gives(self, result: ToolResult) -> Self {
        self.acts(move |_, _| {
            let result = result.clone();
            async move { Ok(result) }
        })
    }

    /// Gives it a shim for its arguments.
    pub fn prepares(
        mut self,
        shim: impl Fn(RawArgs) -> Result<RawArgs, ToolError> + Send + Sync + 'static,
    ) -> Self {
        self.prepare = Some(Arc::new(shim));
        self
    }

    /// Makes its batches sequential.
    pub fn sequential(mut self) -> Self {
        self.spec.execution_mode = Some(ExecutionMode::Sequential);
        self
    }

    /// Makes its plan say this.
    pub fn accesses(self, access: Access) -> Self {
        self.leads(move || access.clone())
    }

    /// Makes its plan say what this returns at that moment.
    pub fn leads(mut self, access: impl Fn() -> Access + Send + Sync + 'static) -> Self {
        self.access = Arc::new(access);
        self
    }

    /// Makes its plan say of which class its calls are.
    pub fn classified(mut self, class: &'static str) -> Self {
        self.class = Some(class);
        self
    }

    /// Makes its plan bind what this returns at that moment.
    pub fn binds(mut self, look: impl Fn() -> Value + Send + Sync + 'static) -> Self {
        self.context = Some(Arc::new(look));
        self
    }

    /// Makes it come from somewhere else.
    pub fn from_source(mut self, source: SourceInfo) -> Self {
        self.spec.source = Arc::new(source);
        self
    }

    /// Gives it another schema.
    pub fn takes(mut self, schema: Value) -> Self {
        self.spec.parameters = ToolSchema::new(schema).expect("a schema for a fake tool");
        self
    }

    /// Shares it.
    pub fn shared(self) -> Arc<dyn AgentTool> {
        Arc::new(self)
    }
}

impl fmt::Debug for FakeTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FakeTool")
            .field("name", &self.spec.name)
            .finish_non_exhaustive()
    }
}

impl AgentTool for FakeTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn prepare_arguments<'a>(&'a self, raw: RawArgs) -> BoxFuture<'a, Result<RawArgs, ToolError>> {
        let prepared = match &self.prepare {
            Some(shim) => shim(raw),
            None => Ok(raw),
        };
        Box::pin(async move { prepared })
    }

    fn plan<'a>(&'a self, args: &'a ValidatedArgs) -> BoxFuture<'a, Result<EffectPlan, ToolError>> {
        let subject = args.value().to_string();
        let mut plan = EffectPlan::new((self.access)(), &self.spec.name, subject);
        plan.classification = self.class.map(|class| Classification {
            class: class.to_owned(),
            reason: "a test says so".to_owned(),
        });
        if let Some(look) = &self.context {
            plan.context = FrozenContext::default().with("seen", look());
        }
        Box::pin(async move { Ok(plan) })
    }

    fn execute(
        self: Arc<Self>,
        call: AuthorizedCall,
        context: CallContext,
    ) -> BoxFuture<'static, Result<ToolResult, ToolError>> {
        let call = call.begin();
        (self.act)(Value::clone(call.args().value()), context)
    }
}

async fn say(args: Value, context: CallContext) -> Result<ToolResult, ToolError> {
    let ms = args.get("ms").and_then(Value::as_u64).unwrap_or(0);
    tokio::select! {
        () = context.cancel.cancelled() => return Err(ToolError::Cancelled),
        () = tokio::time::sleep(Duration::from_millis(ms)) => {}
    }
    let said = args.get("say").and_then(Value::as_str).unwrap_or("ok");
    Ok(ToolResult::text(said))
}
