//! Searching file contents and walking folders.

use std::path::PathBuf;

mod pattern;
mod scan;

pub(crate) use pattern::{EntryPattern, content_matcher, file_filter};
pub(crate) use scan::ContentScan;

/// What to search for, and where.
///
/// Hidden files are searched, `.git` folders and binary files are not. `.gitignore`, `.ignore` and
/// `.rgignore` files hold, inside a repository or not; a file or folder that is named as `root` is
/// searched even if it is ignored. Symlinks below `root` are not followed.
#[derive(Clone, Debug)]
pub struct SearchRequest {
    /// A regular expression, or literal text.
    pub pattern: String,
    /// Whether `pattern` is literal text.
    pub literal: bool,
    /// Whether letters match both cases.
    pub ignore_case: bool,
    /// A file or folder.
    pub root: PathBuf,
    /// Which files, relative to `root`: without `/`, the base name at any depth; `!` in front
    /// leaves out. Files that it names are searched even if they are ignored.
    pub glob: Option<String>,
    /// Lines of context before and after each match.
    pub context_lines: usize,
    /// Bytes of a line that are kept; the rest is cut, and the line says so.
    pub max_line_bytes: usize,
}

/// A line that matched or stands beside one that did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchLine {
    /// The file, relative to the root with `/`, or the file's name if the root is a file.
    pub path: String,
    /// Its number.
    pub line_1based: u64,
    /// Its text without the line end, undecodable bytes replaced.
    pub text: String,
    /// Whether `text` was cut.
    pub is_cut: bool,
    /// Whether it matched (otherwise it is context).
    pub is_match: bool,
}

/// Gets what a search finds, in order.
pub trait SearchSink: Send + 'static {
    /// Takes the next line; `false` ends the search.
    fn line(&mut self, line: SearchLine) -> bool;
}

/// What a search looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchReport {
    /// Files that were searched; if the sink ended it, how many depends on timing.
    pub files: u64,
    /// Files or folders that could not be read, at most ten.
    pub unreadable: Vec<String>,
    /// Whether the sink ended it.
    pub ended_early: bool,
}

/// What to walk, and what to keep.
///
/// Hidden entries are found, `.git` folders are not entered. `.gitignore`, `.ignore` and
/// `.fdignore` files hold, inside a repository or not. Symlinks are reported and not followed.
#[derive(Clone, Debug)]
pub struct WalkRequest {
    /// The folder.
    pub root: PathBuf,
    /// Which entries: without `/`, the base name at any depth; with `/`, the path relative to the
    /// root; with `/` in front, the absolute path; with `/` at the end, folders only. Without
    /// upper-case letters, both cases match.
    pub pattern: String,
}

/// An entry that a walk found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalkEntry {
    /// Its path relative to the root, with `/`.
    pub path: String,
    /// Whether it is a folder.
    pub is_folder: bool,
}

/// Gets what a walk finds, in order.
pub trait WalkSink: Send + 'static {
    /// Takes the next entry; `false` ends the walk.
    fn entry(&mut self, entry: WalkEntry) -> bool;
}

/// What a walk looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WalkReport {
    /// Entries that were looked at.
    pub entries: u64,
    /// Folders that could not be read, at most ten.
    pub unreadable: Vec<String>,
    /// Whether the sink ended it.
    pub ended_early: bool,
}
