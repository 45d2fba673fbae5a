//! Statements that the call of another tool runs.

use std::path::Path;
use std::sync::{Arc, Mutex};

use deed_agent::{
    AgentTool, Approval, Authority, AuthorizedCall, Batch, BatchRunner, BoxFuture, CallContext,
    EventBus, Seams, ToolError, ToolSet, ToolSpec,
};
use deed_protocol::{ContentBlock, ToolResult};
use deed_schema::ToolSchema;
use deed_sql::{Database, SqlLimits, WriteConsent, query_for};
use deed_tooling::{FixedContext, wrap_tool_definition};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::sqlite::Shop;
use crate::support::{Word, message};

/// A tool of somebody else, whose call runs one statement twice.
struct Outer {
    spec: ToolSpec,
    database: Database,
    sql: &'static str,
    consent: Mutex<Option<WriteConsent>>,
    authority: Authority,
}

impl AgentTool for Outer {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn execute(
        self: Arc<Self>,
        call: AuthorizedCall,
        context: CallContext,
    ) -> BoxFuture<'static, Result<ToolResult, ToolError>> {
        call.begin();
        Box::pin(async move {
            let consent = self.consent.lock().unwrap().take();
            let limits = SqlLimits::default();
            let tool = query_for(&context, self.database.clone(), limits, consent);
            assert_eq!(&*tool.spec().name, "outer");
            assert_eq!(&*tool.spec().source.source, "builtin");
            assert_eq!(tool.spec().source.path, self.spec.source.path);
            let tool = wrap_tool_definition(tool, Arc::new(FixedContext::new(Path::new("/"))));
            let mut seams = Seams::open(EventBus::new(), || 0);
            seams.gate = Arc::new(Word(self.authority.clone()));
            let runner = BatchRunner::within(seams, &context);
            let batch = Batch {
                tools: Arc::new(ToolSet::new([tool])),
                assistant: Arc::new(message("outer", &json!({ "sql": self.sql }))),
            };
            let mut said = Vec::new();
            for _ in 0..2 {
                let outcome = runner.run(&batch, &context.cancel).await;
                let result = outcome.results[0].as_tool_result().unwrap();
                said.extend(
                    result
                        .content
                        .iter()
                        .filter_map(ContentBlock::as_text)
                        .map(str::to_owned),
                );
            }
            Ok(ToolResult::text(said.join("\n")))
        })
    }
}

/// Runs a statement twice; what was consented to is `text` on `database`.
async fn twice(authority: Authority, sql: &'static str, (text, on): (&str, &Database)) -> String {
    let shop = Shop::new();
    let outer: Arc<dyn AgentTool> = Arc::new(Outer {
        spec: ToolSpec::new(
            "outer",
            "",
            ToolSchema::new(json!({ "type": "object" })).unwrap(),
        ),
        database: shop.desk.databases[0].clone(),
        sql,
        consent: Mutex::new(Some(WriteConsent::new(on, text))),
        authority,
    });
    let batch = Batch {
        tools: Arc::new(ToolSet::new([outer])),
        assistant: Arc::new(message("outer", &json!({}))),
    };
    let runner = BatchRunner::new(Seams::open(EventBus::new(), || 0));
    let outcome = runner.run(&batch, &CancellationToken::new()).await;
    let result = outcome.results[0].as_tool_result().unwrap();
    let texts = result.content.iter().filter_map(ContentBlock::as_text);
    texts.collect()
}

const DELETE: &str = "DELETE FROM t WHERE id = 1";

fn shop() -> Database {
    Shop::new().desk.databases[0].clone()
}

#[tokio::test]
async fn a_consented_write_runs_once_where_nobody_or_a_person_decides() {
    let person = Authority::Person(Approval("a1".into()));
    for authority in [Authority::Unchecked, person, Authority::StandingOrder] {
        let said = twice(
            authority,
            " DELETE FROM t WHERE id = 1 ;",
            (DELETE, &shop()),
        )
        .await;
        let (first, second) = said.split_once('\n').unwrap();
        assert_eq!(first, "Done, 1 row changed");
        assert!(second.contains("needs the approval"), "{second}");
    }
}

#[tokio::test]
async fn a_rule_that_let_a_write_run_unasked_does_not_make_it_one() {
    let said = twice(Authority::Rule, DELETE, (DELETE, &shop())).await;
    assert!(!said.contains("Done"), "{said}");
}

#[tokio::test]
async fn consent_to_another_text_or_database_is_none() {
    let other = Database::parse("other=sqlite:shop.db", Path::new("/")).unwrap();
    for consented in [("DELETE FROM t", &shop()), (DELETE, &other)] {
        let said = twice(Authority::Unchecked, DELETE, consented).await;
        assert!(!said.contains("Done"), "{said}");
    }
}

#[tokio::test]
async fn consent_lifts_no_denial_and_a_read_needs_none() {
    let attach = "ATTACH 'x' AS y";
    let said = twice(Authority::Unchecked, attach, (attach, &shop())).await;
    assert!(said.starts_with("not run: "), "{said}");
    let said = twice(Authority::Rule, "SELECT count(*) FROM t", (DELETE, &shop())).await;
    assert_eq!(said.matches("[50]").count(), 2);
}
