use deed_agent::{FrozenContext, KeepAll, ToolError};
use serde_json::Value;

use crate::database::{PostgresTarget, Target};
use crate::sqlite::FileIdentity;
use crate::{Database, sqlite};

const PATH: &str = "path";
const DEVICE: &str = "device";
const INODE: &str = "inode";

/// Says which database it is, so that an approval is for that one; never holds a password.
pub(crate) async fn of(database: &Database) -> Result<FrozenContext, ToolError> {
    let context = FrozenContext::default().with("dialect", database.dialect().as_str());
    match &database.target {
        Target::Sqlite(path) => {
            let file = sqlite::identify(path.clone())
                .await
                .map_err(|error| error.into_tool_error(&KeepAll))?;
            // As text, for an inode can be beyond what every reader of JSON can count.
            Ok(context
                .with(PATH, file.real_path.display().to_string())
                .with(DEVICE, file.device.to_string())
                .with(INODE, file.inode.to_string()))
        }
        Target::Postgres(target) => Ok(with_server(context, target)),
    }
}

/// Reads which file a call was planned for.
pub(crate) fn planned_file(facts: &FrozenContext) -> Option<FileIdentity> {
    let text = |name: &str| facts.0.get(name).and_then(Value::as_str);
    Some(FileIdentity {
        real_path: text(PATH)?.into(),
        device: text(DEVICE)?.parse().ok()?,
        inode: text(INODE)?.parse().ok()?,
    })
}

fn with_server(context: FrozenContext, target: &PostgresTarget) -> FrozenContext {
    let context = context.with("server", target.reader.to_string());
    match &target.writer {
        Some(writer) => context.with("writer", writer.to_string()),
        None => context,
    }
}
