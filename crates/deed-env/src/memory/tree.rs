use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::EnvError;
use crate::file::{FileKind, FileStamp, ListEntry};

/// Folders and files by their normal paths.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    files: BTreeMap<PathBuf, Entry>,
    folders: BTreeSet<PathBuf>,
    /// Counts changes; it is the clock and the source of inode numbers.
    changes: u64,
}

#[derive(Clone, Debug)]
enum Entry {
    Content { bytes: Arc<[u8]>, stamp: FileStamp },
    Output(Arc<File>),
}

impl Tree {
    pub(super) fn new(folder: &Path) -> Self {
        Self {
            folders: folder.ancestors().map(Path::to_owned).collect(),
            ..Self::default()
        }
    }

    pub(super) fn kind(&self, path: &Path) -> Result<FileKind, EnvError> {
        if let Some(file) = path
            .ancestors()
            .skip(1)
            .find(|folder| self.files.contains_key(*folder))
        {
            return Err(error("look up", file, libc::ENOTDIR));
        }
        if self.folders.contains(path) {
            return Ok(FileKind::Folder);
        }
        if !self.files.contains_key(path) {
            return Ok(FileKind::Missing);
        }
        self.read(path)
            .map(|(_, stamp)| FileKind::Regular { bytes: stamp.bytes })
    }

    pub(super) fn read(&self, path: &Path) -> Result<(Arc<[u8]>, FileStamp), EnvError> {
        match self.files.get(path) {
            Some(Entry::Content { bytes, stamp }) => Ok((Arc::clone(bytes), *stamp)),
            Some(Entry::Output(file)) => {
                let bytes: Arc<[u8]> = written(file)
                    .map_err(|source| EnvError::io("read", path, source))?
                    .into();
                let stamp = FileStamp {
                    bytes: bytes.len() as u64,
                    ..FileStamp::default()
                };
                Ok((bytes, stamp))
            }
            None if self.folders.contains(path) => Err(EnvError::NotRegular {
                path: path.into(),
                kind: "directory",
            }),
            None => Err(error("read", path, libc::ENOENT)),
        }
    }

    pub(super) fn put(&mut self, path: &Path, content: Vec<u8>) -> Result<FileStamp, EnvError> {
        if self.kind(path)? == FileKind::Folder {
            return Err(EnvError::NotRegular {
                path: path.into(),
                kind: "directory",
            });
        }
        self.changes += 1;
        let time = i128::from(self.changes);
        let stamp = FileStamp {
            device: 0,
            inode: self.changes,
            bytes: content.len() as u64,
            mtime_ns: time,
            ctime_ns: time,
        };
        self.folders
            .extend(path.ancestors().skip(1).map(Path::to_owned));
        self.files.insert(
            path.into(),
            Entry::Content {
                bytes: content.into(),
                stamp,
            },
        );
        Ok(stamp)
    }

    pub(super) fn list(&self, folder: &Path) -> Result<Vec<ListEntry>, EnvError> {
        match self.kind(folder)? {
            FileKind::Folder => {}
            FileKind::Missing => return Err(error("list", folder, libc::ENOENT)),
            _ => return Err(error("list", folder, libc::ENOTDIR)),
        }
        let is_child = |(path, _): &(&Path, bool)| path.parent() == Some(folder);
        Ok(self
            .below(folder)
            .filter(is_child)
            .map(|(path, is_folder)| ListEntry {
                name: name(path),
                is_folder,
            })
            .collect())
    }

    /// Returns everything below a folder, in no order, and whether it is a folder.
    pub(super) fn below<'a>(
        &'a self,
        folder: &'a Path,
    ) -> impl Iterator<Item = (&'a Path, bool)> + 'a {
        let files = self.files.keys().map(|path| (path.as_path(), false));
        let folders = self.folders.iter().map(|path| (path.as_path(), true));
        files
            .chain(folders)
            .filter(move |(path, _)| *path != folder && path.starts_with(folder))
    }

    pub(super) fn create_output(&mut self, stem: &str) -> Result<(PathBuf, File), EnvError> {
        self.changes += 1;
        let path = PathBuf::from(format!("/output/{stem}-{:016x}.log", self.changes));
        let failed = |source| EnvError::io("make the output file", &path, source);
        let file = memory_file().map_err(failed)?;
        let writer = file.try_clone().map_err(failed)?;
        self.folders.insert(PathBuf::from("/output"));
        self.files
            .insert(path.clone(), Entry::Output(Arc::new(file)));
        Ok((path, writer))
    }
}

/// Takes `.` and `..` out of an absolute path.
pub(super) fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::from("/");
    for component in path.components() {
        match component {
            Component::Normal(name) => normal.push(name),
            Component::ParentDir => {
                normal.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::CurDir => {}
        }
    }
    normal
}

pub(super) fn name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

fn written(file: &File) -> io::Result<Vec<u8>> {
    use std::os::unix::fs::FileExt as _;

    let mut bytes = vec![0; usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?];
    file.read_exact_at(&mut bytes, 0)?;
    Ok(bytes)
}

#[cfg(target_os = "linux")]
fn memory_file() -> io::Result<File> {
    use rustix::fs::{MemfdFlags, memfd_create};

    Ok(memfd_create("deed-output", MemfdFlags::CLOEXEC)?.into())
}

#[cfg(not(target_os = "linux"))]
fn memory_file() -> io::Result<File> {
    tempfile::tempfile()
}

fn error(operation: &'static str, path: &Path, code: i32) -> EnvError {
    EnvError::io(operation, path, io::Error::from_raw_os_error(code))
}
