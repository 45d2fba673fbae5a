use std::path::PathBuf;
use std::sync::Arc;

use deed_agent::{AgentError, RunEnd};
use deed_env::{LocalConfig, LocalEnv};
use deed_guard::approval::Approver;
use deed_guard::audit::{
    AuditConfig, AuditError, AuditLog, Filter, ReadError, Report, Shown, VerifyOptions, read,
    verify,
};
use deed_guard::policy::{Ground, Policy, PolicyFaults, PolicyInput};
use deed_guard::redact::{KnownSecret, SecretRedactor};
use deed_guard::{GuardConfig, GuardGate};
use deed_harness::{AgentSession, SessionError, wall_clock_ms};
use deed_models::{Script, ScriptError, ScriptedModel};
use deed_protocol::Message;
use deed_sql::{Database, SqlLimits, query_database};
use deed_tooling::{Selection, ToolList, Ui};

use crate::guards::{PriceGuard, PriceRounding};
use crate::{PROMPT, SCRIPT};

/// What the desktop program is started with.
#[derive(Debug)]
pub struct Setup {
    /// The folder it works in.
    pub folder: PathBuf,
    /// The folder of the audit log.
    pub audit: PathBuf,
    /// The name of the session in the log.
    pub session: String,
    /// The database, as the host configures it.
    pub database: Database,
    /// Whether the scripted model insists on what comes of the answers of [`crate::Person`].
    pub is_scripted: bool,
}

/// The desktop program: a session under a guard, and its log.
#[derive(Debug)]
pub struct Desktop {
    /// The session.
    pub session: AgentSession,
    log: Arc<AuditLog>,
    audit: PathBuf,
}

/// Why the desktop program cannot start or go on.
#[derive(Debug, thiserror::Error)]
pub enum DesktopError {
    /// The policy is wrong.
    #[error(transparent)]
    Policy(#[from] PolicyFaults),
    /// The audit log cannot be written or checked.
    #[error(transparent)]
    Audit(#[from] AuditError),
    /// The audit log cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The script of the model is wrong.
    #[error(transparent)]
    Script(#[from] ScriptError),
    /// The session cannot be put together.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The run cannot begin.
    #[error(transparent)]
    Run(#[from] AgentError),
}

impl Desktop {
    /// Puts the session together: one tool, two extensions, a guard in front of everything.
    ///
    /// Errors: what of it cannot be had.
    pub async fn start(setup: Setup, person: impl Approver + Ui) -> Result<Self, DesktopError> {
        let person = Arc::new(person);
        let (gate, log) = guard(&setup, person.clone())?;
        let env = LocalEnv::new(LocalConfig {
            cwd: setup.folder,
            ..LocalConfig::default()
        });
        let mut script = Script::parse(SCRIPT)?;
        if !setup.is_scripted {
            script.turns.iter_mut().for_each(|turn| turn.expect = None);
        }
        let session = AgentSession::builder(Arc::new(env))
            .identity(&setup.session, None)
            .selection(only_the_database())
            .built_in_tool(query_database(vec![setup.database], SqlLimits::default()))
            .model(Arc::new(ScriptedModel::new(script, wall_clock_ms)))
            .ui(person)
            .guard(&gate)
            .extension(Arc::new(PriceGuard))
            .extension(Arc::new(PriceRounding))
            .build_with_extensions()
            .await?;
        Ok(Self {
            session,
            log,
            audit: setup.audit,
        })
    }

    /// Prompts, and runs until nothing is left to do.
    ///
    /// Errors: the run cannot begin, or its end cannot be recorded.
    pub async fn run(&self) -> Result<RunEnd, DesktopError> {
        let prompt = vec![Message::user(PROMPT, wall_clock_ms())];
        let end = self.session.prompt(prompt).await?;
        self.session.close().await;
        self.log.close()?;
        Ok(end)
    }

    /// Checks that the record is as it was written.
    ///
    /// Errors: it cannot be read.
    pub fn verify(&self) -> Result<Report, DesktopError> {
        Ok(verify(&self.audit, &VerifyOptions::default())?)
    }

    /// Returns the records, in order.
    ///
    /// Errors: they cannot be read.
    pub fn records(&self) -> Result<Vec<Shown>, DesktopError> {
        let shown = read(&self.audit, Filter::default())?;
        Ok(shown.collect::<Result<_, _>>()?)
    }
}

/// Without a policy file reads run and all else is asked; database writes are asked in any case.
fn guard(
    setup: &Setup,
    person: Arc<dyn Approver>,
) -> Result<(GuardGate, Arc<AuditLog>), DesktopError> {
    let policy = Policy::build(PolicyInput {
        ground: Ground {
            workspace: vec![setup.folder.clone()],
            protected: vec![setup.audit.clone()],
            ..Ground::default()
        },
        ..PolicyInput::default()
    })?;
    let passwords = setup.database.secrets().into_iter();
    let (redactor, _) = SecretRedactor::new(passwords.map(|value| KnownSecret {
        kind: "database".to_owned(),
        value,
    }));
    let redactor = Arc::new(redactor);
    let (log, _) = AuditLog::open(AuditConfig {
        redactor: redactor.clone(),
        ..AuditConfig::new(&setup.audit, &setup.session, "")
    })?;
    let log = Arc::new(log);
    let gate = GuardGate::new(GuardConfig {
        approver: person,
        audit: Some(log.clone()),
        redactor,
        run: setup.session.as_str().into(),
        ..GuardConfig::new(policy)
    });
    Ok((gate, log))
}

fn only_the_database() -> Selection {
    Selection {
        tools: "query_database".parse::<ToolList>().ok(),
        ..Selection::default()
    }
}
