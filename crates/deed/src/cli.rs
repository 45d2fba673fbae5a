mod config;
mod extension;
mod flags;
mod guard;
mod import;
mod run;
mod session;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};

use crate::exit;
use crate::writer::ending_of;

pub(crate) use config::{AuthArgs, AuthCommand, ConfigArgs, ConfigCommand, DoctorArgs};
pub(crate) use guard::{
    AuditArgs, AuditCommand, GuardArgs, PolicyArgs, PolicyCommand, ShowArgs, TrustArgs, VerifyArgs,
};

pub(crate) use extension::{ExtensionCommand, ExtensionsArgs};
pub(crate) use import::{ImportArgs, ImportSource, PiArgs};
pub(crate) use run::{ExtensionFlags, Mode, RunArgs};
pub(crate) use session::{ExportAs, SessionCommand, SessionsArgs};

/// The tool system of a coding agent, and the agent round it
///
/// A model only writes down what it wants done. Deed checks it, runs it in the right place, bounds
/// what comes back, and answers every call with a complete result.
#[derive(Debug, Parser)]
#[command(
    name = "deed",
    version,
    max_term_width = 100,
    args_conflicts_with_subcommands = true
)]
#[command(arg_required_else_help = true, after_help = AFTER_HELP)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

const AFTER_HELP: &str = "\
Examples:
  deed -p \"why does the build fail?\"         run once and print the answer
  git diff | deed -p \"review this\"           with standard input as context
  deed -c -p \"now mend it\"                   go on with the last session of this folder
  deed -p --model ollama/qwen3 \"hello\"       with a model on this machine
  deed demo                          watch a whole run, without a model and without a network
  echo '{\"name\":\"ls\"}' | deed exec   run one tool call
  deed tools --all                   list every tool, and why it is not active";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Exec(ExecArgs),
    Demo(DemoArgs),
    Tools(ToolsArgs),
    Policy(PolicyArgs),
    Audit(AuditArgs),
    Trust(TrustArgs),
    Extension(ExtensionsArgs),
    Session(SessionsArgs),
    Config(ConfigArgs),
    Auth(AuthArgs),
    Doctor(DoctorArgs),
    Import(ImportArgs),
    Completions(CompletionsArgs),
    /// Print the manual page
    Man,
}

const EXEC_HELP: &str = "\
Input, as JSON or one JSON value on each line:
  {\"id\": \"1\", \"name\": \"read\", \"arguments\": {\"path\": \"a.txt\"}}   one call; id may be left out
  [{\"name\": \"ls\"}, {\"name\": \"ls\"}]                              one batch, run in parallel
  {\"role\": \"assistant\", \"content\": [...]}                       a message with tool calls

Examples:
  echo '{\"name\":\"bash\",\"arguments\":{\"command\":\"make test\"}}' | deed exec
  deed exec calls.jsonl --output text --cwd ~/src/app
  deed exec --tools read,grep --fail-on-error < calls.jsonl
  deed exec --permission-mode default < calls.jsonl     ask before anything is changed
  deed exec --sql shop=sqlite:shop.db < calls.jsonl     with query_database on that file

Exit code: 0 all calls were answered, 1 a result is an error (with --fail-on-error), 2 the input is
no tool call (nothing of that item ran) or a policy is wrong (nothing ran), 128 + n stopped by
signal n, 141 nobody reads the output.";

/// Run tool calls from a file or a pipe, without a model
///
/// Reads tool calls and writes their results, one JSON line each, as soon as they are there. Every
/// call gets a result; a call that fails is a result too. All built-in tools are active unless
/// selected otherwise.
///
/// Whoever writes the input is trusted: nothing is asked but database writes, and only deny rules
/// hold. With --permission-mode or --policy that is otherwise; questions then come to the terminal,
/// whatever standard input and output are, and where there is none, asking is refusing. Everything
/// is written to the audit log.
#[derive(Debug, Args)]
#[command(after_help = EXEC_HELP)]
pub(crate) struct ExecArgs {
    /// The file with tool calls; `-` or nothing reads standard input
    pub(crate) file: Option<PathBuf>,
    /// The folder that relative paths start from
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// What to print
    #[arg(long, value_enum, default_value_t = OutputFormat::Results, value_name = "FORMAT")]
    pub(crate) output: OutputFormat,
    /// Exit with 1 if a result is an error
    #[arg(long)]
    pub(crate) fail_on_error: bool,
    #[command(flatten)]
    pub(crate) look: LookArgs,
    #[command(flatten)]
    pub(crate) guard: GuardArgs,
    #[command(flatten)]
    pub(crate) sql: SqlArgs,
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// One `toolResult` message on each line
    Results,
    /// Every event on a line of its own
    Events,
    /// Cards for people
    Text,
}

/// Watch whole runs: a scripted model, real files, real commands, a real database
///
/// Works in a scratch folder and touches nothing outside it. Needs no model and no network.
#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Only this part
    #[arg(value_enum)]
    pub(crate) part: Option<DemoPart>,
    /// Answer the questions yourself, at the terminal, instead of the scripted person
    #[arg(long)]
    pub(crate) ask: bool,
    /// Keep the scratch folder and print where it is
    #[arg(long)]
    pub(crate) keep: bool,
    #[command(flatten)]
    pub(crate) look: LookArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DemoPart {
    /// An agent mends a small project
    Project,
    /// An agent reads a database; a person allows each write, and all of it is on record
    Database,
}

const TOOLS_HELP: &str = "\
Examples:
  deed tools                       the tools that a session starts with
  deed tools --tools 'read,gr*'    what this selection would give
  deed tools --tools=+grep,-bash   the default set, changed
  deed tools schema edit           the JSON Schema of a tool's arguments";

/// List the tools
#[derive(Debug, Args)]
#[command(after_help = TOOLS_HELP, args_conflicts_with_subcommands = true)]
pub(crate) struct ToolsArgs {
    #[command(subcommand)]
    pub(crate) command: Option<ToolsCommand>,
    /// List also tools that are not active, and why
    #[arg(long)]
    pub(crate) all: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ToolsCommand {
    /// Print the JSON Schema of a tool's arguments
    Schema {
        /// The tool
        name: String,
    },
}

/// Which tools there are.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Tools")]
pub(crate) struct SelectionArgs {
    /// Only these, by name, `*` for any characters; or `+name,-name` to change the default
    #[arg(long, short = 't', value_name = "LIST", allow_hyphen_values = true)]
    pub(crate) tools: Option<String>,
    /// No tools
    #[arg(long, visible_alias = "nt")]
    pub(crate) no_tools: bool,
    /// No built-in tools to begin with
    #[arg(long, visible_alias = "nbt")]
    pub(crate) no_builtin_tools: bool,
    /// Never these, whatever else is said
    #[arg(long, visible_alias = "xt", value_name = "LIST")]
    pub(crate) exclude_tools: Option<String>,
}

/// Which databases there are.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Databases")]
pub(crate) struct SqlArgs {
    /// A database for query_database: sqlite:FILE, postgres://… or env:VARIABLE that holds such a
    /// URL; may be given several times
    #[arg(long, value_name = "NAME=URL")]
    pub(crate) sql: Vec<String>,
    /// The URL of another role for writes that a person allowed
    #[arg(long, value_name = "NAME=URL")]
    pub(crate) sql_writer: Vec<String>,
    /// Let reads run under a role that could reach files or other sessions of the server
    #[arg(long, value_name = "NAME")]
    pub(crate) sql_privileged: Vec<String>,
}

/// How output for people looks.
#[derive(Clone, Debug, Args)]
pub(crate) struct LookArgs {
    /// When to colour output for people
    #[arg(long, value_enum, default_value_t = ColourChoice::Auto, value_name = "WHEN")]
    pub(crate) color: ColourChoice,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColourChoice {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Print the completion script of a shell
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  deed completions bash > ~/.local/share/bash-completion/completions/deed"
)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

/// Reads the command line; prints help, version or what is wrong, and gives the exit code.
pub(crate) fn parse() -> Result<Cli, ExitCode> {
    flags::parsed(std::env::args_os().collect()).map_err(|error| {
        let written = error.print().and_then(|()| std::io::stdout().flush());
        if error.use_stderr() {
            return ExitCode::from(2);
        }
        exit::code(ending_of(written))
    })
}

/// Returns the definition of the command line.
pub(crate) fn definition() -> clap::Command {
    Cli::command()
}
