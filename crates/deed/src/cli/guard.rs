//! What the command line says of policy, approvals and audit.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use deed_guard::policy::PermissionMode;

/// What may run, and where it is written down.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Permissions")]
pub(crate) struct GuardArgs {
    /// What happens to calls that no rule speaks of: plan, default, acceptEdits, dontAsk or bypass
    #[arg(long, value_name = "MODE", value_parser = mode)]
    pub(crate) permission_mode: Option<PermissionMode>,
    /// A policy file for this run, beside the user's and the project's
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
    /// One more folder of the workspace; may be given several times
    #[arg(long, value_name = "DIR")]
    pub(crate) add_dir: Vec<PathBuf>,
    /// The folder of the audit log
    #[arg(long, value_name = "DIR")]
    pub(crate) audit: Option<PathBuf>,
    /// Write nothing down
    #[arg(long, conflicts_with = "audit")]
    pub(crate) no_audit: bool,
}

impl GuardArgs {
    /// The same, with further folders of the workspace.
    pub(crate) fn with_folders(&self, folders: &[PathBuf]) -> Self {
        let mut args = self.clone();
        args.add_dir.extend(folders.iter().cloned());
        args
    }
}

fn mode(word: &str) -> Result<PermissionMode, String> {
    PermissionMode::named(word)
        .ok_or_else(|| "the modes are plan, default, acceptEdits, dontAsk and bypass".to_owned())
}

const POLICY_HELP: &str = "\
Files, from the one that weighs most: /etc/deed/policy.json, --policy FILE,
~/.config/deed/policy.json, .deed/policy.json of the project (which only tightens until you trust
it with `deed trust`). Deny beats ask beats allow; the order of rules makes no difference.

Examples:
  deed policy init                                   write a starter file with comments
  deed policy check                                  check the files that hold here
  deed policy check 'Bash(cargo test && rm -rf x)'   what would happen to this command, and why
  deed policy check 'Read(~/.ssh/id)' --json
  deed policy check --session run.jsonl              what a recorded run would have met
  deed policy rules                                  rules that were stored with \"always\"

Exit code: 0, or 2 if a policy or the call is wrong; the message names file, line and column.";

/// Check, explain and begin a policy
#[derive(Debug, Args)]
#[command(after_help = POLICY_HELP)]
pub(crate) struct PolicyArgs {
    #[command(subcommand)]
    pub(crate) command: PolicyCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Check the policy that holds in this folder, or explain what it says of a call
    Check {
        /// A call as a rule would name it, such as `Bash(cargo test)` or `Write(src/a.rs)`
        call: Option<String>,
        /// A recorded run: JSON lines, as `deed exec --output events` prints them, or messages
        #[arg(long, value_name = "FILE", conflicts_with = "call")]
        session: Option<PathBuf>,
        /// Print JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        guard: GuardArgs,
    },
    /// Write a starter file with comments; one that is there is left alone
    Init {
        /// Where; by default the user's policy
        file: Option<PathBuf>,
    },
    /// List the rules that were stored with "always", or take one back
    Rules {
        /// The id of a rule to take back
        #[arg(long, value_name = "ID")]
        revoke: Option<String>,
    },
}

const AUDIT_HELP: &str = "\
Exit code of verify: 0 the log is whole, 1 it is not, or cannot be read.

Examples:
  deed audit verify                     check the whole log
  deed audit show --tool bash           what commands ran, and on whose word
  deed audit show --decision deny --since 2026-12-01 --json";

/// Check and read the audit log
#[derive(Debug, Args)]
#[command(after_help = AUDIT_HELP)]
pub(crate) struct AuditArgs {
    #[command(subcommand)]
    pub(crate) command: AuditCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// Check that no record was changed, taken away or added
    Verify(VerifyArgs),
    /// Print records
    Show(ShowArgs),
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// The folder of the log, or one file of it
    pub(crate) path: Option<PathBuf>,
    /// A head that was noted elsewhere and must be in the log: SEQ:SHA256
    #[arg(long, value_name = "HEAD")]
    pub(crate) head: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The folder of the log
    pub(crate) path: Option<PathBuf>,
    /// Only of this call
    #[arg(long, value_name = "ID")]
    pub(crate) call: Option<String>,
    /// Only of this tool
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Option<String>,
    /// Only with this decision: allow, ask or deny
    #[arg(long, value_name = "WORD")]
    pub(crate) decision: Option<String>,
    /// Only this event, such as intent, outcome or approval
    #[arg(long, value_name = "WORD")]
    pub(crate) event: Option<String>,
    /// Only from this time on, such as 2026-12-01 or 2026-12-01T09:30:00Z
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// Only before this time
    #[arg(long, value_name = "TIME")]
    pub(crate) until: Option<String>,
    /// Only of this session
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// No more than the last so many
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Print the records as they are, one JSON line each
    #[arg(long)]
    pub(crate) json: bool,
}

const TRUST_HELP: &str = "\
Trust holds for exactly the content that the file has now; when it changes, it is asked for again.
A project is trusted as a folder, with all below it; its settings, skills and prompts are loaded.

Examples:
  deed trust .deed/policy.json    let the project's policy also allow things
  deed trust --project .          load the settings, skills and prompts of this project
  deed trust --refuse ~/work      never trust a file or a project below this folder
  deed trust --list
  deed trust --revoke .deed/policy.json";

/// Record that you trust exactly this content of a file
#[derive(Debug, Args)]
#[command(after_help = TRUST_HELP)]
pub(crate) struct TrustArgs {
    /// The file, or the folder of a project
    #[arg(required_unless_present = "list")]
    pub(crate) path: Option<PathBuf>,
    /// It is a policy (the default)
    #[arg(long, conflicts_with = "extension")]
    pub(crate) policy: bool,
    /// It is an extension
    #[arg(long)]
    pub(crate) extension: bool,
    /// It is the folder of a project
    #[arg(long, conflicts_with_all = ["policy", "extension"])]
    pub(crate) project: bool,
    /// Take back what was said of it
    #[arg(long, conflicts_with = "refuse")]
    pub(crate) revoke: bool,
    /// Never trust it, nor anything below it
    #[arg(long)]
    pub(crate) refuse: bool,
    /// List what was trusted and what was refused
    #[arg(long, exclusive = true)]
    pub(crate) list: bool,
}
