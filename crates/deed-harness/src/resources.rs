//! What people write down for the agent: context files, skills, prompt templates, system prompts.
//!
//! Everything is read from folders that are handed in. A file that is broken is left out and said
//! so: what is wrong is data, and never keeps a session from starting.

mod arguments;
mod context_files;
mod expand;
mod front_matter;
mod owner;
mod problem;
mod skill;
mod skill_search;
mod system_files;
mod template;
mod text_file;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use deed_protocol::{SourceInfo, SourceOrigin, SourceScope};

pub use context_files::ContextFile;
pub use expand::{ExpandError, Expanded, ResourceCommand};
pub use front_matter::{FrontMatterError, FrontMatterFault};
use problem::Problems;
pub use problem::{ResourceDiagnostic, ResourceProblem};
pub use skill::Skill;
pub use system_files::{SystemFile, text_or_file};
pub use template::PromptTemplate;
pub(crate) use text_file::read_whole;

/// Where to look, and for what.
///
/// Shape: all paths are absolute. Of two skills or templates of a name the first counts: those named
/// for this run, then those of the project, then those of the user.
#[derive(Clone, Debug, Default)]
pub struct ResourcePlaces {
    /// The folder that the session works in.
    pub cwd: PathBuf,
    /// The user's folder of settings, skills, prompts and context file.
    pub user: Option<PathBuf>,
    /// The user's folder that all agents share, `~/.agents`.
    pub shared: Option<PathBuf>,
    /// Whether skills, templates and system prompts of the project may be used.
    pub project_is_trusted: bool,
    /// Whether context files are looked for.
    pub discovers_context_files: bool,
    /// Whether skills are looked for beyond those that are named for this run.
    pub discovers_skills: bool,
    /// Whether templates are looked for beyond those that are named for this run.
    pub discovers_prompts: bool,
    /// Skills, or folders of them, that are named for this run.
    pub skill_paths: Vec<PathBuf>,
    /// Templates, or folders of them, that are named for this run.
    pub prompt_paths: Vec<PathBuf>,
    /// Context files that the settings of the user name.
    pub user_context_paths: Vec<PathBuf>,
    /// Context files that the settings of the project name.
    pub project_context_paths: Vec<PathBuf>,
    /// Skills that the settings of the user name.
    pub user_skill_paths: Vec<PathBuf>,
    /// Templates that the settings of the user name.
    pub user_prompt_paths: Vec<PathBuf>,
    /// Skills that the settings of the project name.
    pub project_skill_paths: Vec<PathBuf>,
    /// Templates that the settings of the project name.
    pub project_prompt_paths: Vec<PathBuf>,
}

impl ResourcePlaces {
    /// Looks for everything in this folder and in those of the user.
    pub fn new(cwd: PathBuf, user: Option<PathBuf>) -> Self {
        Self {
            cwd,
            user,
            discovers_context_files: true,
            discovers_skills: true,
            discovers_prompts: true,
            ..Self::default()
        }
    }

    fn project_folder(&self) -> PathBuf {
        self.cwd.join(".deed")
    }
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resources {
    /// Context files, the nearest last.
    pub context_files: Vec<ContextFile>,
    /// Skills, in the order in which they were found.
    pub skills: Vec<Skill>,
    /// Prompt templates, in the order in which they were found.
    pub prompts: Vec<PromptTemplate>,
    /// What stands in place of the system prompt.
    pub system: Option<SystemFile>,
    /// What stands behind it.
    pub append_system: Option<SystemFile>,
    /// What was left out or cut, and why.
    pub diagnostics: Vec<ResourceDiagnostic>,
    /// Folders that no skill has for itself, and what is above them neither.
    shared_folders: Vec<PathBuf>,
}

impl Resources {
    /// Looks through the places.
    pub fn load(places: &ResourcePlaces) -> Self {
        let mut problems = Problems::default();
        let context_files = match places.discovers_context_files {
            true => context_files::load(places, &mut problems),
            false => Vec::new(),
        };
        Self {
            context_files,
            skills: skill_search::load(places, &mut problems),
            prompts: template::load(places, &mut problems),
            system: system_files::load("SYSTEM.md", places, &mut problems),
            append_system: system_files::load("APPEND_SYSTEM.md", places, &mut problems),
            diagnostics: problems.0,
            shared_folders: [
                Some(&places.cwd),
                places.user.as_ref(),
                places.shared.as_ref(),
            ]
            .into_iter()
            .flatten()
            .map(|folder| crate::real(folder))
            .collect(),
        }
    }

    /// Returns what of the skills a session may always read: their folders, under their real names.
    ///
    /// Of a skill whose folder holds more than the skill, it is the file alone.
    pub fn skill_places(&self) -> Vec<PathBuf> {
        let place = |skill: &Skill| {
            let folder = crate::real(skill.folder());
            let is_own = skill
                .path
                .file_name()
                .is_some_and(|name| name == "SKILL.md")
                && !self
                    .shared_folders
                    .iter()
                    .any(|shared| shared.starts_with(&folder));
            match is_own {
                true => folder,
                false => crate::real(&skill.path),
            }
        };
        self.skills.iter().map(place).collect()
    }

    /// Adds skills and templates that an extension names; they come behind all others.
    pub fn extend(&mut self, skills: &[PathBuf], prompts: &[PathBuf]) {
        let mut problems = Problems::default();
        let origin = Origin::new("extension", SourceScope::Temporary);
        let mut search = skill_search::Search::new(std::mem::take(&mut self.skills), &mut problems);
        for path in skills {
            search.named(path, &origin);
        }
        self.skills = search.found();
        let mut search = template::Search::new(std::mem::take(&mut self.prompts), &mut problems);
        for path in prompts {
            search.named(path, &origin);
        }
        self.prompts = search.found();
        self.diagnostics.extend(problems.0);
    }
}

/// How a file was found.
struct Origin {
    source: &'static str,
    scope: SourceScope,
}

impl Origin {
    fn new(source: &'static str, scope: SourceScope) -> Self {
        Self { source, scope }
    }

    fn info(&self, path: &Path) -> Arc<SourceInfo> {
        let folder = path.parent().map(|folder| folder.display().to_string());
        Arc::new(SourceInfo {
            path: path.display().to_string().into(),
            source: self.source.into(),
            scope: self.scope,
            origin: SourceOrigin::TopLevel,
            base_dir: folder.map(Into::into),
        })
    }
}
