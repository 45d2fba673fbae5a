use std::path::{Path, PathBuf};
use std::sync::Arc;

use deed_agent::{Access, EffectPlan};
use deed_protocol::{SourceInfo, SourceOrigin, SourceScope};
use globset::{Glob, GlobSet, GlobSetBuilder};
use serde_json::Value;

use super::grants::{ExtensionGrants, Extent};
use crate::policy::ground::Ground;
use crate::policy::path::{PathPattern, PathPatternError};
use crate::policy::request::OF_EXTENSION;
use crate::policy::wildcard::Wildcard;
use crate::policy::{Policy, PolicyVerdict, Request};
use crate::shell::{Segment, read_command};

/// Something that an extension wants to do outside of its engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtensionAct<'a> {
    /// Read what has this real path.
    Read(&'a Path),
    /// Write what has this real path.
    Write(&'a Path),
    /// Run a command line.
    Run(&'a str),
    /// Talk to a host.
    Connect(&'a str),
    /// Know a variable of the environment.
    Know(&'a str),
}

/// What one extension may do.
///
/// All who grant must grant it, and no rule of the policy may deny it; what Deed itself keeps (its
/// policies, trust, audit) is never written.
#[derive(Clone, Debug)]
pub struct ExtensionPermit {
    policy: Policy,
    name: String,
    source: SourceInfo,
    /// Its own folder, which it may read.
    folder: Option<PathBuf>,
    all: Vec<Arc<Rights>>,
}

impl ExtensionPermit {
    pub(super) fn new(policy: Policy, name: &str, path: &Path, all: Vec<Arc<Rights>>) -> Self {
        Self {
            policy,
            name: name.to_owned(),
            source: SourceInfo {
                path: path.to_string_lossy().into(),
                source: OF_EXTENSION.into(),
                scope: SourceScope::Temporary,
                origin: SourceOrigin::TopLevel,
                base_dir: None,
            },
            folder: path.parent().map(Path::to_owned),
            all,
        }
    }

    /// Decides on something.
    ///
    /// Errors: it must not; the text says why and what to do.
    pub fn decide(&self, act: &ExtensionAct<'_>) -> Result<(), String> {
        let is_own = matches!(act, ExtensionAct::Read(path)
            if self.folder.as_deref().is_some_and(|folder| path.starts_with(folder)));
        if !is_own && !self.all.iter().all(|rights| rights.cover(act)) {
            return Err(format!(
                "it was not granted to it; `extensions` in a policy grants it (\"{}\")",
                self.name
            ));
        }
        self.denial(act).map_or(Ok(()), Err)
    }

    /// Tells what denies it, whoever does it.
    fn denial(&self, act: &ExtensionAct<'_>) -> Option<String> {
        let access = match act {
            ExtensionAct::Read(path) => Access::Read(vec![(*path).to_owned()]),
            ExtensionAct::Write(path) => {
                let protected = &self.policy.0.ground.protected;
                if let Some(inside) = protected.iter().find(|inside| inside.starts_with(path)) {
                    return Some(format!("{} is Deed's own", inside.display()));
                }
                Access::Write(vec![(*path).to_owned()])
            }
            ExtensionAct::Run(line) => Access::Command {
                command: (*line).to_owned(),
                cwd: self.policy.working_folder().to_owned(),
            },
            ExtensionAct::Connect(host) => Access::Network {
                host: (*host).to_owned(),
            },
            ExtensionAct::Know(_) => return None,
        };
        let decision = self.policy.decide_for_person(&Request {
            tool: OF_EXTENSION,
            source: &self.source,
            plan: &EffectPlan::new(access, "Extension", ""),
            args: &Value::Null,
        });
        (decision.verdict != PolicyVerdict::Allow).then_some(decision.reason)
    }
}

/// Grants, ready to be matched.
#[derive(Debug)]
pub(super) struct Rights {
    reads: Places,
    writes: Places,
    programs: Extent,
    hosts: Extent,
    variables: Extent,
}

#[derive(Debug)]
enum Places {
    All,
    These(GlobSet),
}

impl Rights {
    pub(super) fn new(grants: &ExtensionGrants, ground: &Ground) -> Result<Self, PathPatternError> {
        Ok(Self {
            reads: Places::new(&grants.fs.read, ground)?,
            writes: Places::new(&grants.fs.write, ground)?,
            programs: grants.exec.clone(),
            hosts: grants.net.clone(),
            variables: grants.env.clone(),
        })
    }

    fn cover(&self, act: &ExtensionAct<'_>) -> bool {
        match act {
            ExtensionAct::Read(path) => self.reads.cover(path),
            ExtensionAct::Write(path) => self.writes.cover(path),
            ExtensionAct::Run(line) => covers(&self.programs, |names| runs_only(names, line)),
            ExtensionAct::Connect(host) => covers(&self.hosts, |hosts| is_among(hosts, host)),
            ExtensionAct::Know(name) => covers(&self.variables, |names| {
                names.iter().any(|own| Wildcard::new(own).matches(name))
            }),
        }
    }
}

fn covers(extent: &Extent, fits: impl FnOnce(&[String]) -> bool) -> bool {
    match extent {
        Extent::Nothing => false,
        Extent::Everything => true,
        Extent::These(patterns) => fits(patterns),
    }
}

/// Tells whether every command of a line is one of these programs, for certain. What a program that
/// is granted may start in its turn, nobody can tell.
fn runs_only(programs: &[String], line: &str) -> bool {
    let reading = read_command(line);
    let is_granted = |part: &Segment| {
        let name = part.argv.first();
        part.complete && name.is_some_and(|name| programs.contains(name))
    };
    reading.opaque.is_none()
        && !reading.segments.is_empty()
        && reading.segments.iter().all(is_granted)
}

/// Tells whether a host is one of these, or below one that has `*.` in front.
fn is_among(hosts: &[String], host: &str) -> bool {
    let host = host.to_ascii_lowercase();
    hosts.iter().any(|own| {
        let own = own.to_ascii_lowercase();
        match own.strip_prefix("*.") {
            Some(parent) => {
                let below = host.strip_suffix(parent);
                below.is_some_and(|below| below.len() > 1 && below.ends_with('.'))
            }
            None => own == host,
        }
    })
}

impl Places {
    fn new(extent: &Extent, ground: &Ground) -> Result<Self, PathPatternError> {
        let patterns: &[String] = match extent {
            Extent::Everything => return Ok(Self::All),
            Extent::Nothing => &[],
            Extent::These(patterns) => patterns,
        };
        let mut globs = Vec::new();
        for pattern in patterns {
            globs.extend(PathPattern::parse(pattern, ground)?.greedy);
        }
        Ok(Self::These(glob_set(&globs)?))
    }

    fn cover(&self, path: &Path) -> bool {
        match self {
            Self::All => true,
            Self::These(globs) => globs.is_match(path),
        }
    }
}

pub(super) fn glob_set(globs: &[Glob]) -> Result<GlobSet, PathPatternError> {
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        set.add(glob.clone());
    }
    set.build().map_err(|error| PathPatternError::Glob {
        reason: error.kind().to_string(),
    })
}
