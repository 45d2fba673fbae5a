use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use deed_agent::{
    Access, Authority, CallContext, Classification, EffectPlan, ExecutionMode, ToolError, ToolSpec,
    TypedTool,
};
use deed_protocol::{SourceInfo, ToolCard, ToolResult};
use deed_schema::{ToolSchema, ValidatedArgs};
use deed_tooling::{
    Presentation, PromptText, ResultView, ToolContext, ToolDefinition, TypedDefinition,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::capability::{Capability, WriteConsent};
use crate::database::Target;
use crate::job::{Done, Job};
use crate::progress::Progress;
use crate::run_error::RunError;
use crate::sqlite::FileIdentity;
use crate::{
    Classified, Database, SqlLimits, answer, canonical, card, classify, facts, postgres, sqlite,
};

pub(crate) const NAME: &str = "query_database";

/// The word in front of the parenthesis of a rule.
const POLICY_NAME: &str = "Sql";

/// Makes the tool that runs SQL on these databases.
pub fn query_database(databases: Vec<Database>, limits: SqlLimits) -> Arc<dyn ToolDefinition> {
    Arc::new(TypedDefinition::new(QueryDatabase::new(databases, limits)))
}

/// Makes the tool through which a running call of another tool runs one statement.
///
/// Shape: it takes what `query_database` takes and plans, reads, writes and answers as that does. It
/// bears the name and the place of the other tool, so that rules, questions and records name who
/// asks; its plan is Deed's own all the same, and rules that allow statements count for it.
///
/// A write needs `consent` for exactly its text and database, which is used up by the attempt,
/// whatever the gate says; and the word of the gate, where there is one.
pub fn query_for(
    outer: &CallContext,
    database: Database,
    limits: SqlLimits,
    consent: Option<WriteConsent>,
) -> Arc<dyn ToolDefinition> {
    let mut tool = QueryDatabase::new(vec![database], limits);
    let outer = outer.frozen();
    tool.spec.name = outer.call().name.clone();
    tool.spec.source = Arc::new(SourceInfo {
        source: tool.spec.source.source.clone(),
        ..SourceInfo::clone(outer.source())
    });
    tool.writes = Writes::Consented(Mutex::new(consent));
    Arc::new(TypedDefinition::new(tool))
}

/// What lets a write run, beside its class.
enum Writes {
    /// The word of the gate.
    Gate,
    /// Consent for one text, once, and the word of the gate where there is one.
    Consented(Mutex<Option<WriteConsent>>),
}

impl Writes {
    fn are_permitted(&self, text: &str, database: &Database, authority: &Authority) -> bool {
        // A person approved exactly this call, or a standing rule lets writes run unasked.
        let is_on_word = matches!(authority, Authority::Person(_) | Authority::StandingOrder);
        match self {
            Self::Gate => is_on_word,
            Self::Consented(slot) => {
                let consent = slot.lock().unwrap_or_else(PoisonError::into_inner).take();
                consent.is_some_and(|consent| consent.covers(text, database))
                    && (is_on_word || *authority == Authority::Unchecked)
            }
        }
    }
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// One SQL statement
    #[schemars(length(min = 1))]
    sql: String,
    /// Which database
    database: Option<String>,
}

impl Params {
    /// Returns the schema, which names the databases.
    fn schema(databases: &[Database]) -> ToolSchema {
        let mut schema = ToolSchema::of::<Self>().as_value().clone();
        if let Some(text) = schema.pointer_mut("/properties/database/description") {
            let names = names(databases);
            *text = match databases {
                [_] => format!("Which database; there is {names}, which is the default"),
                _ => format!("Which database: {names}"),
            }
            .into();
        }
        ToolSchema::new(schema).unwrap_or_else(|_| ToolSchema::of::<Self>())
    }

    /// Returns what runs: the statement without white space round it and one semicolon behind it.
    fn statement(&self) -> &str {
        canonical(&self.sql)
    }
}

/// Runs SQL.
struct QueryDatabase {
    spec: ToolSpec,
    prompt: PromptText,
    databases: Vec<Database>,
    limits: SqlLimits,
    writes: Writes,
}

impl QueryDatabase {
    fn new(databases: Vec<Database>, limits: SqlLimits) -> Self {
        let kinds: Vec<String> = databases
            .iter()
            .map(|database| format!("{} ({})", database.name(), database.dialect().as_str()))
            .collect();
        let description = format!(
            "Run one SQL statement on a database: {}. Returns the names of the columns and then one \
             JSON array a row, at most {} rows or {} KB, within {} s. A statement that only reads \
             runs at once; one that writes needs the approval of a person, and one that would \
             change the session or reach files, programs or other sessions is refused.",
            kinds.join(", "),
            limits.max_rows,
            limits.max_bytes / 1024,
            limits.timeout.as_secs_f64()
        );
        let mut spec = ToolSpec::new(NAME, &description, Params::schema(&databases));
        spec.execution_mode = Some(ExecutionMode::Sequential);
        spec.source = Arc::new(SourceInfo::builtin(NAME));
        let guidelines = [
            "Look at the schema of a database before you query it, and select only the columns and \
             rows that you need (WHERE, LIMIT, aggregates)",
        ];
        Self {
            spec,
            prompt: PromptText::new("Run SQL on a configured database", guidelines),
            databases,
            limits,
            writes: Writes::Gate,
        }
    }

    /// Finds the database that a call means.
    fn database(&self, params: &Params) -> Result<&Database, ToolError> {
        let names = names(&self.databases);
        match (&params.database, self.databases.as_slice()) {
            (_, []) => Err(ToolError::failed("no database is configured")),
            (None, [only]) => Ok(only),
            (None, _) => {
                let text = format!("which database? Give one of {names} as database");
                Err(ToolError::InvalidArguments(text))
            }
            (Some(name), databases) => databases
                .iter()
                .find(|database| **database.name() == **name)
                .ok_or_else(|| {
                    let text = format!("there is no database {name}; there is {names}");
                    ToolError::InvalidArguments(text)
                }),
        }
    }

    fn job(&self, text: &str, found: &Classified, context: &ToolContext) -> Job {
        Job {
            text: text.to_owned(),
            is_outside_transaction: found.is_outside_transaction,
            limits: self.limits,
            cancel: context.call.cancel.clone(),
            progress: Progress::begin(context.call.updates.clone()),
        }
    }
}

impl TypedTool<ToolContext> for QueryDatabase {
    type Params = Params;

    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn plan(&self, params: Params, _: &ValidatedArgs) -> Result<EffectPlan, ToolError> {
        let database = self.database(&params)?;
        let text = params.statement();
        let found = classify(database.dialect(), text);
        let access = Access::Sql {
            database: database.name().to_string(),
            text: text.to_owned(),
        };
        Ok(EffectPlan {
            preview: Some(card::preview(database, text, &found)),
            context: facts::of(database).await?,
            classification: Some(Classification {
                class: found.class.as_str().to_owned(),
                reason: found.reason,
            }),
            ..EffectPlan::new(access, POLICY_NAME, text)
        })
    }

    async fn run(
        self: Arc<Self>,
        params: Params,
        context: ToolContext,
    ) -> Result<ToolResult, ToolError> {
        let database = self.database(&params)?;
        let text = params.statement();
        let found = classify(database.dialect(), text);
        let authority = context.call.authority();
        let is_write_permitted = self.writes.are_permitted(text, database, authority);
        let capability = Capability::of(&found, is_write_permitted)
            .map_err(|error| ToolError::Refused(error.to_string()))?;
        let job = self.job(text, &found, &context);
        let planned = facts::planned_file(&context.call.frozen().plan().context);
        let redactor = context.call.redactor.as_ref();
        let begun = Instant::now();
        let done = execute(database, planned, job, capability).await;
        let done = done.map_err(|error| error.into_tool_error(redactor))?;
        let mut result = answer::result(database, &done, begun.elapsed());
        redactor.redact_result(&mut result);
        Ok(result)
    }
}

impl Presentation for QueryDatabase {
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

async fn execute(
    database: &Database,
    planned: Option<FileIdentity>,
    job: Job,
    capability: Capability,
) -> Result<Done, RunError> {
    match &database.target {
        Target::Sqlite(path) => sqlite::run(path.clone(), planned, job, capability).await,
        Target::Postgres(target) => postgres::run(target, job, capability).await,
    }
}

fn names(databases: &[Database]) -> String {
    let names: Vec<&str> = databases
        .iter()
        .map(|database| &**database.name())
        .collect();
    names.join(", ")
}
