//! Files: reading, replacing, listing, the mutation queue and the seen-ledger.

use std::path::{Path, PathBuf};

mod ledger;
mod lines;
mod queue;

pub use ledger::{ContentHash, Freshness, HASHED_FILE_MAX_BYTES, SeenLedger};
pub use lines::LineScan;
pub use queue::{MutationQueue, MutationTicket, MutationTurn};

/// A path with every symlink followed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RealPath(PathBuf);

impl RealPath {
    /// Takes a path that an environment has resolved.
    pub fn from_resolved(path: PathBuf) -> Self {
        Self(path)
    }

    /// Returns the path.
    pub fn as_path(&self) -> &Path {
        &self.0
    }
}

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// Nothing.
    Missing,
    /// A regular file.
    Regular {
        /// Its size.
        bytes: u64,
    },
    /// A folder.
    Folder,
    /// Something that must not be opened: `FIFO`, `socket`, `character device`, `block device`.
    Special(&'static str),
}

/// All that can be known of a path without opening it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspection {
    /// Where it really is, or would be if it were made.
    pub path: RealPath,
    /// What stands there.
    pub kind: FileKind,
    /// The metadata by which a change is noticed; `None` if nothing stands there.
    pub stamp: Option<FileStamp>,
    /// Whether it is a regular file with more than one name (hard links).
    pub has_other_names: bool,
}

/// The content of a whole file.
#[derive(Clone, Debug)]
pub struct FileBytes {
    /// Where it really is.
    pub path: RealPath,
    /// Its metadata from before it was read.
    pub stamp: FileStamp,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Which lines to read and how much of them.
///
/// Units: lines count from 0 here; `max_bytes` counts the bytes of the lines kept, joined by LF.
#[derive(Clone, Copy, Debug)]
pub struct LineRange {
    /// The first line wanted.
    pub first_0based: u64,
    /// How many lines are wanted at most; `None` for all to the end.
    pub max_wanted: Option<u64>,
    /// How many lines to keep in memory at most.
    pub max_lines: u64,
    /// How many bytes to keep in memory at most; whole lines only.
    pub max_bytes: usize,
    /// Whether to go on to the end of the file to count its lines.
    pub count_total: bool,
}

/// Lines read from a file.
///
/// A line ends at LF; a final LF ends the last line and starts no other. A byte order mark at the
/// start of the file is left out.
#[derive(Clone, Debug, Default)]
pub struct TextSlice {
    /// The kept lines, joined by LF, with a final LF only if the last kept line has one in the file.
    pub bytes: Vec<u8>,
    /// How many lines were kept.
    pub kept_lines: u64,
    /// How many lines the wanted range has (up to the end of the file).
    pub wanted_lines: u64,
    /// Bytes of the wanted range.
    pub wanted_bytes: u64,
    /// Lines of the file; `None` if they were not counted.
    pub total_lines: Option<u64>,
    /// Size of the file.
    pub total_bytes: u64,
    /// Size of the first wanted line, if that alone is larger than `max_bytes`.
    pub oversized_first_line_bytes: Option<u64>,
}

/// Entries of one folder.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// Names and whether each is a folder (or a link to one).
    pub entries: Vec<ListEntry>,
}

impl Listing {
    /// Sorts entries by lower-cased name, then by name.
    pub(crate) fn sorted(mut entries: Vec<ListEntry>) -> Self {
        entries.sort_by_cached_key(|entry| (entry.name.to_lowercase(), entry.name.clone()));
        Self { entries }
    }
}

/// One entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListEntry {
    /// The name, undecodable bytes replaced.
    pub name: String,
    /// Whether it is a folder or a link to one.
    pub is_folder: bool,
}

/// What must be true of the old content for a write to happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteGuard {
    /// Nothing.
    None,
    /// If this session has seen the file and it still exists, it is as the session last saw it.
    UnchangedSinceSeen,
    /// It is exactly the bytes that were read with this stamp (an edit's own reading, made while
    /// it holds its turn). The write is a change of a part: what the session had not seen of the
    /// file, it has not seen afterwards.
    SameBytes {
        /// [`FileBytes::stamp`] of that reading.
        stamp: FileStamp,
    },
    /// Since it had this stamp (a preimage that a person approved), nobody but this session has
    /// changed it.
    ChangedOnlyByUsSince {
        /// [`Inspection::stamp`] of that moment; `None` if there was no file.
        stamp: Option<FileStamp>,
    },
}

/// The metadata by which a change of a file is noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct FileStamp {
    /// Device.
    pub device: u64,
    /// Inode.
    pub inode: u64,
    /// Size in bytes.
    pub bytes: u64,
    /// Modification time in nanoseconds since 1970.
    pub mtime_ns: i128,
    /// Change time in nanoseconds since 1970.
    pub ctime_ns: i128,
}

/// What a replacement did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replaced {
    /// Where the file really is.
    pub path: RealPath,
    /// Whether the file was new; `None` where nobody can tell.
    pub created: Option<bool>,
    /// Whether the change was one rename, so that no reader ever saw half of it; `None` where nobody
    /// can tell.
    pub atomic: Option<bool>,
}
