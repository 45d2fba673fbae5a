use std::path::PathBuf;
use std::sync::Arc;

use deed_protocol::ToolCard;
use deed_schema::{Sha256Hash, ValidatedArgs, canonical_json};
use serde_json::{Map, Value};

/// What a call would touch, said without touching anything, so that a gate can decide without
/// knowing the tool.
#[derive(Clone, Debug)]
pub struct EffectPlan {
    /// The kind of access and its objects.
    pub access: Access,
    /// The word in front of the parenthesis of a rule, such as `Read` or `Bash`.
    pub policy_name: Arc<str>,
    /// What stands in the parenthesis, as the call wrote it: a path, a command, a text.
    pub subject: String,
    /// The call as a person should see it before answering.
    pub preview: Option<ToolCard>,
    /// What must still be so when the call runs.
    pub context: FrozenContext,
    /// What a classifier of the tool found.
    pub classification: Option<Classification>,
}

impl EffectPlan {
    /// Makes a plan without preview, context and classification.
    pub fn new(access: Access, policy_name: &str, subject: impl Into<String>) -> Self {
        Self {
            access,
            policy_name: policy_name.into(),
            subject: subject.into(),
            preview: None,
            context: FrozenContext::default(),
            classification: None,
        }
    }

    /// Makes the plan of a tool that says nothing about itself.
    pub fn opaque(tool_name: &str, args: &ValidatedArgs) -> Self {
        Self::new(Access::Opaque, tool_name, args.value().to_string())
    }
}

/// A kind of access and its objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Access {
    /// Nothing outside the program.
    None,
    /// Files and folders are read.
    Read(Vec<PathBuf>),
    /// Files are written.
    Write(Vec<PathBuf>),
    /// A command runs, with all that it may do.
    Command {
        /// The text for the shell.
        command: String,
        /// Where it runs.
        cwd: PathBuf,
    },
    /// A statement runs on a database.
    Sql {
        /// Which database, by the name it was configured under.
        database: String,
        /// The statement.
        text: String,
    },
    /// A host is talked to.
    Network {
        /// Which.
        host: String,
    },
    /// Nobody knows.
    Opaque,
}

impl Access {
    /// Tells whether the call only looks.
    pub fn is_read_only(&self) -> bool {
        matches!(self, Self::None | Self::Read(_))
    }
}

/// What must still be so when a call runs: real paths, preimages, identity of a database, folder.
///
/// Shape: names and values; the hash is over their canonical JSON.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrozenContext(pub Map<String, Value>);

impl FrozenContext {
    /// Adds a fact.
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.insert(name.to_owned(), value.into());
        self
    }

    /// Returns the SHA-256 of the canonical form (RFC 8785).
    pub fn sha256(&self) -> Sha256Hash {
        Sha256Hash::of(&canonical_json(&Value::Object(self.0.clone())))
    }
}

/// What a tool's own classifier says of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classification {
    /// The class, such as `read` or `write`.
    pub class: String,
    /// Why.
    pub reason: String,
}
