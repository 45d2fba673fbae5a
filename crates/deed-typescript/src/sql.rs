use std::fmt;
use std::sync::Arc;

use deed_agent::Gate;
use deed_sql::{Database, SqlLimits};

/// Databases for scripts that import `deed/sql`, as a person configured them.
#[derive(Clone)]
pub struct ScriptSql {
    pub(crate) databases: Arc<[Database]>,
    pub(crate) limits: SqlLimits,
    pub(crate) gate: Arc<dyn Gate>,
}

impl ScriptSql {
    /// Lets scripts ask these databases, under the gate of the session that they are loaded into.
    ///
    /// The gate decides on every statement as it does on those of `query_database`, beside having
    /// decided on the call that the script makes it in; [`deed_agent::AllowAll`] belongs to a session
    /// that has no gate.
    pub fn new(
        databases: impl IntoIterator<Item = Database>,
        limits: SqlLimits,
        gate: Arc<dyn Gate>,
    ) -> Self {
        Self {
            databases: databases.into_iter().collect(),
            limits,
            gate,
        }
    }

    /// Finds the database that a script means: the one it names, or the only one.
    ///
    /// Errors: which there are.
    pub(crate) fn database(&self, name: Option<&str>) -> Result<&Database, String> {
        let names = || {
            let names: Vec<&str> = self.databases.iter().map(|one| &**one.name()).collect();
            names.join(", ")
        };
        match (name, &*self.databases) {
            (_, []) => Err(NONE.to_owned()),
            (None, [only]) => Ok(only),
            (None, _) => Err(format!("which database? Name one of {}", names())),
            (Some(name), all) => {
                let found = all.iter().find(|database| **database.name() == *name);
                found.ok_or_else(|| format!("there is no database {name}; there is {}", names()))
            }
        }
    }
}

/// What a script hears where nothing is configured.
pub(crate) const NONE: &str = "no database is configured that extensions could ask; whoever runs deed \
     gives one as NAME=URL, such as `--sql shop=sqlite:shop.db`";

impl fmt::Debug for ScriptSql {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScriptSql")
            .field("databases", &self.databases)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
