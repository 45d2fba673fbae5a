use crate::file::RealPath;

/// Keeps writes of one file in call order.
#[derive(Debug, Default)]
pub struct MutationQueue {}

/// A place in the order of calls, taken before the file is known.
#[derive(Debug)]
pub struct MutationTicket {}

/// The right to change one file now; others of the same file wait until it is dropped.
#[derive(Debug)]
pub struct MutationTurn {
    path: RealPath,
}

impl MutationTurn {
    /// Returns the file.
    pub fn path(&self) -> &RealPath {
        &self.path
    }
}
