//! What may run: rules, modes and limits, decided without touching anything.
//!
//! A [`Policy`] is built once, from the texts of policy files by whose word they are
//! ([`PolicyInput`]), and decides [`Request`]s. It opens no file and follows no link: real paths
//! come with the plan of a call.
//!
//! - **Deny beats ask beats allow**, whatever the order of the rules. The [`PermissionMode`] speaks
//!   where no rule does; the built-in denials (writes to Deed's own rules and records, statements
//!   that no approval lifts) stand above all rules.
//! - What denies or asks matches *greedily*: the path as typed and the real one, a folder with all
//!   below it, each part of a command, whoever's tool it is. What allows matches *strictly*: real
//!   paths only, and all of them; a search only where a rule reaches all below; every part of a
//!   command; kinds of access only of tools that Deed ships. What the tool of an extension says of
//!   itself permits nothing. A kind without a pattern covers every call of it: `Bash` also commands
//!   that cannot be read with certainty.
//! - **Doubt about a denial** (a denied word in a command that cannot be read, a search above a
//!   denied folder) is asked; where nobody is asked (`bypass`, `dontAsk`) it is refused.
//! - An untrusted project file only tightens; what it wants beyond that is
//!   [put aside](Policy::put_aside).
//!
//! ```
//! use deed_guard::policy::{Ground, Policy, PolicyInput, PolicyText, SampleCall, Tier};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let ground = Ground { workspace: vec!["/proj".into()], ..Ground::default() };
//! let text = r#"{"version": 1, "permissions": {"allow": ["Write(./src/**)"]}}"#;
//! let policy = Policy::build(PolicyInput {
//!     files: vec![PolicyText::new(Tier::User, "policy.json", text)],
//!     ground: ground.clone(),
//!     mode: None,
//! })?;
//! let call = SampleCall::parse("Write(src/lib.rs)", &ground)?;
//! assert_eq!(policy.decide(&call.request()).verdict.as_str(), "allow");
//! # Ok(())
//! # }
//! ```

mod always;
mod book;
mod build;
mod decide;
mod decision;
mod explain;
mod extensions;
mod fault;
mod fields;
mod file;
mod ground;
mod jsonc;
mod limits;
mod merge;
mod mode;
mod path;
mod request;
mod rule;
mod sample;
mod spec;
mod starter;
mod tests_in_file;
mod wildcard;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use deed_protocol::SourceInfo;
use deed_schema::Sha256Hash;

pub use build::{PolicyInput, PolicyText, PutAside};
pub use decision::{Basis, Decision, Part, PolicyVerdict};
pub use explain::{Explanation, explain};
pub use extensions::{ExtensionAct, ExtensionGrants, ExtensionPermit, Extent, FileGrants};
pub use fault::{Place, PolicyFault, PolicyFaults};
pub use ground::Ground;
pub use limits::Limits;
pub use mode::{AuditDurability, PermissionMode, Tier};
pub use request::Request;
pub use rule::{RuleList, RuleRef};
pub use sample::{SampleCall, SampleError};
pub use starter::starter;

use build::Compiled;
use spec::Kind;

/// The rules, mode and limits that hold; cheap to clone.
#[derive(Clone)]
pub struct Policy(Arc<Compiled>);

impl fmt::Debug for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Policy")
            .field("mode", &self.mode())
            .field("version", &self.version())
            .finish_non_exhaustive()
    }
}

impl Policy {
    /// Returns the mode that holds.
    pub fn mode(&self) -> PermissionMode {
        self.0.mode
    }

    /// Returns the folder that calls start from, which is also where stored rules hold.
    pub fn working_folder(&self) -> &Path {
        self.0.ground.working_folder()
    }

    /// Returns the limits that hold.
    pub fn limits(&self) -> Limits {
        self.0.limits.limits()
    }

    /// Returns when audit records must reach the disk.
    pub fn audit_durability(&self) -> AuditDurability {
        self.0.durability
    }

    /// Returns what an untrusted file wanted and did not get.
    pub fn put_aside(&self) -> &[PutAside] {
        &self.0.put_aside
    }

    /// Returns the hash of the rules, mode and limits that hold.
    ///
    /// Shape: the order of rules and of keys, and where rules stand, make no difference.
    pub fn version(&self) -> Sha256Hash {
        self.0.version
    }

    /// Returns the rules that count.
    pub fn rules(&self) -> impl Iterator<Item = &RuleRef> {
        self.0.rules.iter().map(|rule| &*rule.at)
    }

    /// Tells whether every call of a tool is denied, so that a model need not hear of it.
    pub fn hides(&self, tool: &str, policy_name: &str, source: &SourceInfo) -> bool {
        let deny = &self.0.book.deny;
        let by_kind = Kind::named(policy_name).and_then(|kind| deny.by_kind(kind));
        by_kind.is_some() || deny.by_bare_tool(tool, &source.path).is_some()
    }
}
