//! Where skills are, and in which order they are taken: the first of a name counts.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use deed_protocol::SourceScope;

use super::problem::Problems;
use super::skill::{self, Skill, Wanted};
use super::{Origin, ResourcePlaces, ResourceProblem, owner};
use crate::project_trust::up_to_the_repository;

const MAX_DEPTH: usize = 8;
const MAX_FOLDERS: usize = 2000;

/// A search through folders that skills may be in.
pub(super) struct Search<'a> {
    problems: &'a mut Problems,
    found: Vec<Skill>,
    /// The real files that were taken, so that links do not make two of one.
    seen: HashSet<PathBuf>,
    folders_left: usize,
}

/// Reads the skills of all places.
pub(super) fn load(places: &ResourcePlaces, problems: &mut Problems) -> Vec<Skill> {
    let mut search = Search::new(Vec::new(), problems);
    let given = Origin::new("cli", SourceScope::Temporary);
    for path in &places.skill_paths {
        search.named(path, &given);
    }
    if !places.discovers_skills {
        return search.found;
    }
    if places.project_is_trusted {
        search.project(places);
    }
    let user = Origin::new("local", SourceScope::User);
    for path in &places.user_skill_paths {
        search.named(path, &user);
    }
    if let Some(folder) = &places.user {
        search.tree(&folder.join("skills"), Loose::Skills, &user);
    }
    if let Some(folder) = &places.shared {
        search.tree(&folder.join("skills"), Loose::Ignored, &user);
    }
    search.found
}

/// What Markdown files are that lie in the folder of skills itself.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Loose {
    Skills,
    Ignored,
}

impl<'a> Search<'a> {
    /// Goes on from skills that were found before.
    pub(super) fn new(found: Vec<Skill>, problems: &'a mut Problems) -> Self {
        let seen = found.iter().map(|skill| crate::real(&skill.path)).collect();
        Self {
            problems,
            found,
            seen,
            folders_left: MAX_FOLDERS,
        }
    }

    pub(super) fn found(self) -> Vec<Skill> {
        self.found
    }

    /// Takes what somebody named: a skill, its folder, or a folder of skills.
    pub(super) fn named(&mut self, path: &Path, origin: &Origin) {
        match path.metadata() {
            Ok(metadata) if metadata.is_dir() => self.tree(path, Loose::Skills, origin),
            Ok(_) => self.file(path, Wanted::Declared, origin),
            Err(error) => {
                let problem = match super::text_file::is_absent(&error) {
                    true => ResourceProblem::Missing,
                    false => super::text_file::unreadable(&error),
                };
                self.problems.add(path, problem);
            }
        }
    }

    fn project(&mut self, places: &ResourcePlaces) {
        let origin = Origin::new("local", SourceScope::Project);
        for path in &places.project_skill_paths {
            self.named(path, &origin);
        }
        let own = places.project_folder().join("skills");
        self.tree(&own, Loose::Skills, &origin);
        let shared = places.shared.as_deref().map(crate::real);
        for folder in up_to_the_repository(&places.cwd) {
            let agents = folder.join(".agents");
            if shared.as_ref() == Some(&crate::real(&agents)) {
                continue;
            }
            if agents.exists() && !owner::may_speak(&agents, &places.cwd) {
                self.problems.add(agents, ResourceProblem::OfAnother);
                continue;
            }
            self.tree(&agents.join("skills"), Loose::Ignored, &origin);
        }
    }

    fn tree(&mut self, root: &Path, loose: Loose, origin: &Origin) {
        self.folder(root, loose, origin, MAX_DEPTH);
    }

    fn folder(&mut self, folder: &Path, loose: Loose, origin: &Origin, depth_left: usize) {
        let main = folder.join("SKILL.md");
        if main.is_file() {
            return self.file(&main, Wanted::Declared, origin);
        }
        if self.folders_left == 0 || depth_left == 0 {
            let why = match depth_left {
                0 => "the folders are too deep",
                _ => "there are too many folders",
            };
            return self.problems.add(folder, ResourceProblem::SearchEnded(why));
        }
        self.folders_left -= 1;
        for path in self.entries(folder) {
            if path.is_dir() {
                self.folder(&path, Loose::Ignored, origin, depth_left - 1);
            } else if loose == Loose::Skills && path.extension().is_some_and(|end| end == "md") {
                self.file(&path, Wanted::Perhaps, origin);
            }
        }
    }

    /// Lists a folder by name, without what is hidden.
    fn entries(&mut self, folder: &Path) -> Vec<PathBuf> {
        let read = match folder.read_dir() {
            Ok(entries) => Ok(entries),
            Err(error) if super::text_file::is_absent(&error) => return Vec::new(),
            Err(error) => Err(super::text_file::unreadable(&error)),
        };
        let Some(entries) = self.problems.keep(folder, read) else {
            return Vec::new();
        };
        let is_passed_over = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().as_encoded_bytes();
            name.starts_with(b".") || name == b"node_modules"
        };
        let paths = entries.flatten().map(|entry| entry.path());
        let mut paths: Vec<PathBuf> = paths.filter(|path| !is_passed_over(path)).collect();
        paths.sort();
        paths
    }

    fn file(&mut self, path: &Path, wanted: Wanted, origin: &Origin) {
        if !self.seen.insert(crate::real(path)) {
            return;
        }
        let Some(skill) = skill::load(path, wanted, origin, self.problems) else {
            return;
        };
        match self.found.iter().find(|there| there.name == skill.name) {
            None => self.found.push(skill),
            Some(winner) => {
                let name = format!("/skill:{}", skill.name);
                let winner = winner.path.clone();
                let taken = ResourceProblem::Taken { name, winner };
                self.problems.add(path, taken);
            }
        }
    }
}
