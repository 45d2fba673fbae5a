//! Puts a session under a guard: policy, approvals, audit and redaction, as the command line and
//! the files say.

mod places;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use deed_guard::approval::Approver;
use deed_guard::audit::{AuditConfig, AuditLog, Durability, Finding};
use deed_guard::policy::{AuditDurability, Ground, PermissionMode, Policy, PutAside};
use deed_guard::redact::{KnownSecret, SecretRedactor, known_from_environment};
use deed_guard::{GuardConfig, GuardGate};
use deed_harness::{LoadedPolicy, names_of, real};

use crate::cli::GuardArgs;
use crate::exit::complain;
use crate::places::Places;

pub(crate) use places::policy_files;

/// A guard and what belongs to it.
pub(crate) struct Guard {
    pub(crate) gate: GuardGate,
    pub(crate) audit: Option<Arc<AuditLog>>,
}

/// What a guard is made of beside the arguments.
pub(crate) struct Surroundings<'a> {
    pub(crate) places: &'a Places,
    pub(crate) cwd: &'a Path,
    pub(crate) approver: Arc<dyn Approver>,
    /// The mode where the command line names neither a mode nor a policy.
    pub(crate) default_mode: Option<PermissionMode>,
    /// Secrets beside those of the environment.
    pub(crate) secrets: Vec<KnownSecret>,
}

impl Guard {
    /// Loads the policy, opens the audit log and learns the secrets.
    ///
    /// Errors: a policy that is wrong in any part, a log that cannot be opened.
    pub(crate) fn new(args: &GuardArgs, around: Surroundings<'_>) -> anyhow::Result<Self> {
        let LoadedPolicy {
            policy,
            stored_rules,
        } = load_policy(args, &around)?;
        warn_of_put_aside(policy.put_aside());
        let redactor = Arc::new(redactor(around.secrets));
        let audit = open_audit(args, around.places, &policy, redactor.clone())?;
        let gate = GuardGate::new(GuardConfig {
            policy,
            approver: around.approver,
            audit: audit.clone(),
            redactor,
            stored_rules,
            run: around.places.session_id.as_str().into(),
        });
        Ok(Self { gate, audit })
    }

    /// Ends the record.
    pub(crate) fn close(&self) {
        if let Some(Err(error)) = self.audit.as_ref().map(|audit| audit.close()) {
            complain(&format!(
                "the end of the audit log could not be written: {error}"
            ));
        }
    }
}

/// Returns the name of the person at the terminal, for the record.
pub(crate) fn user() -> Option<String> {
    let name = |variable| std::env::var(variable).ok();
    name("USER")
        .or_else(|| name("LOGNAME"))
        .filter(|name| !name.is_empty())
}

/// Loads the policy that holds in a folder.
pub(crate) fn load_policy(
    args: &GuardArgs,
    around: &Surroundings<'_>,
) -> anyhow::Result<LoadedPolicy> {
    let files = policy_files(around.places, around.cwd, args.policy.as_deref());
    let ground = ground(args, around)?;
    let is_open = args.permission_mode.is_none() && args.policy.is_none();
    let mode = args
        .permission_mode
        .or(around.default_mode.filter(|_| is_open));
    Ok(files.load(ground, mode)?)
}

/// Returns the folders that rules speak of.
pub(crate) fn ground(args: &GuardArgs, around: &Surroundings<'_>) -> anyhow::Result<Ground> {
    let files = policy_files(around.places, around.cwd, args.policy.as_deref());
    let mut protected = files.protected();
    // The folders too: a file that is not named can be put into one that is.
    let own = [&around.places.config, &around.places.share];
    protected.extend(
        own.into_iter()
            .flatten()
            .flat_map(|folder| names_of(folder)),
    );
    // A trusted project's settings say what the next run is told and may cost.
    protected.extend(names_of(&around.cwd.join(".deed/settings.json")));
    let audit = audit_folder(args, around.places);
    protected.extend(audit.iter().flat_map(|folder| names_of(folder)));
    Ok(Ground {
        workspace: workspace(args, around.cwd)?,
        home: around.places.home.as_deref().map(real),
        protected,
        always_readable: vec![real(&around.places.output)],
        skills: around.places.skills.clone(),
    })
}

fn workspace(args: &GuardArgs, cwd: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut folders = vec![cwd.to_owned()];
    for folder in &args.add_dir {
        let real = folder
            .canonicalize()
            .with_context(|| format!("--add-dir {}", folder.display()))?;
        anyhow::ensure!(
            real.is_dir(),
            "--add-dir {}: this is not a folder",
            folder.display()
        );
        folders.push(real);
    }
    Ok(folders)
}

fn redactor(mut secrets: Vec<KnownSecret>) -> SecretRedactor {
    secrets.extend(known_from_environment(std::env::vars_os()));
    let (redactor, warnings) = SecretRedactor::new(secrets);
    for warning in warnings {
        complain(&format!("warning: {warning}"));
    }
    redactor
}

/// Returns where the audit log is kept, if it is.
fn audit_folder(args: &GuardArgs, places: &Places) -> Option<PathBuf> {
    if args.no_audit {
        return None;
    }
    let named = args.audit.clone().or_else(|| places.audit.clone())?;
    // A folder that is yet to be made has no real path unless it is absolute.
    Some(std::path::absolute(&named).unwrap_or(named))
}

/// Says what an untrusted file would allow, in a line a file.
fn warn_of_put_aside(put_aside: &[PutAside]) {
    for of_file in put_aside.chunk_by(|one, next| one.file == next.file) {
        let Some(first) = of_file.first() else {
            continue;
        };
        let file = &first.file;
        let what = match of_file.len() {
            1 => format!("line {}, {}, does not count", first.line_1based, first.what),
            count => format!("{count} entries do not count (`deed policy check` lists them)"),
        };
        complain(&format!(
            "warning: {file}: {what} until you trust the file: deed trust {file}"
        ));
    }
}

fn open_audit(
    args: &GuardArgs,
    places: &Places,
    policy: &Policy,
    redactor: Arc<SecretRedactor>,
) -> anyhow::Result<Option<Arc<AuditLog>>> {
    if args.no_audit {
        return Ok(None);
    }
    let folder = audit_folder(args, places).context(
        "there is no home folder for the audit log; nothing runs unrecorded: --audit DIR names a \
         folder, --no-audit does without",
    )?;
    let boot_id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let config = AuditConfig {
        durability: match policy.audit_durability() {
            AuditDurability::Grouped => Durability::Grouped,
            AuditDurability::Strict => Durability::Strict,
        },
        redactor,
        ..AuditConfig::new(folder, &places.session_id, boot_id.trim())
    };
    let opened = AuditLog::open(config).map_err(|error| {
        anyhow::anyhow!(
            "{error}; nothing runs unrecorded: --audit DIR names another folder, --no-audit does \
             without"
        )
    });
    let (log, findings) = opened?;
    for finding in &findings {
        warn(finding);
    }
    Ok(Some(Arc::new(log)))
}

fn warn(finding: &Finding) {
    complain(&format!(
        "warning: the audit log is not as it was left: {finding}; `deed audit verify` tells more"
    ));
}
