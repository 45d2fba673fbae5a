//! Going on with a branch, or with all of a session, in another file.

use std::path::Path;
use std::sync::Arc;

use super::copy::Copying;
use super::{Session, Sink};
use crate::context::started_elsewhere;
use crate::error::SessionError;
use crate::index::{Kind, SlotNumber};
use crate::store::StoreConfig;
use crate::tree::SessionTree;

impl Session {
    /// Begins a session with the branch that ends at an entry, or with nothing; this one stays as
    /// it is.
    ///
    /// Marks go along, and so does what is known of calls that began, although it stands behind the
    /// entry: they must not run twice.
    ///
    /// Errors: there is no such entry, or the file cannot be written.
    pub fn fork(&self, at: Option<&str>) -> Result<Self, SessionError> {
        let leaf = at.map(|id| self.tree.number(id)).transpose()?;
        let branch = self.tree.index.branch(leaf);
        let is_in_memory = matches!(self.sink, Sink::Memory);
        let parent = self.tree.path().filter(|_| self.is_on_disk());
        let mut fork = self.beside(self.tree.cwd(), parent, is_in_memory)?;
        let mut copying = Copying::new(&self.tree, &mut fork.tree);
        // Marks are made anew at the end: each may stand behind the entry that it marks.
        copying.copy(&branch, |kind| kind != Kind::Label)?;
        copying.append(&started_elsewhere(&self.tree, &branch)?)?;
        fork.copy_labels(&self.tree, &branch)?;
        fork.write_held()?;
        Ok(fork)
    }

    fn beside(
        &self,
        cwd: &str,
        parent: Option<&Path>,
        is_in_memory: bool,
    ) -> Result<Self, SessionError> {
        let config = self.config.clone();
        let path = |header: &_| (!is_in_memory).then(|| self.config.path_of(header));
        Self::begin(config, path, cwd, parent)
    }

    /// Begins a session for a folder with all entries of another.
    ///
    /// Errors: the other cannot be read, or the file cannot be written.
    pub(crate) fn copy_of(
        config: Arc<StoreConfig>,
        source: &SessionTree,
        cwd: &str,
    ) -> Result<Self, SessionError> {
        let places = config.clone();
        let path = |header: &_| Some(places.path_of(header));
        let mut copy = Self::begin(config, path, cwd, source.path())?;
        let all: Vec<SlotNumber> = source.index.numbered().map(|(number, _)| number).collect();
        Copying::new(source, &mut copy.tree).copy(&all, |_| true)?;
        copy.tree.leaf = source.leaf().and_then(|id| copy.tree.index.number_of(id));
        copy.write_held()?;
        Ok(copy)
    }

    fn copy_labels(
        &mut self,
        source: &SessionTree,
        branch: &[SlotNumber],
    ) -> Result<(), SessionError> {
        for number in branch {
            let target = source.index.shared_id(*number);
            if let Some(label) = source.label(&target)
                && self.tree.contains(&target)
            {
                self.hold_label(&target, label)?;
            }
        }
        Ok(())
    }

    /// Makes the file if what was copied is worth one.
    fn write_held(&mut self) -> Result<(), SessionError> {
        // What was copied may need repairs that the copy has not on record.
        self.unnoted = None;
        if let Sink::Waiting(path) = &self.sink
            && self.tree.index.is_conversation()
        {
            let path = path.clone();
            self.make_file(&path, &[])?;
        }
        Ok(())
    }
}
