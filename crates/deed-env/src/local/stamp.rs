use std::fs::{FileType, Metadata};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};

use crate::file::{FileKind, FileStamp};

/// Returns the metadata by which a change is noticed.
pub(super) fn stamp(metadata: &Metadata) -> FileStamp {
    let nanoseconds =
        |seconds: i64, rest: i64| i128::from(seconds) * 1_000_000_000 + i128::from(rest);
    FileStamp {
        device: metadata.dev(),
        inode: metadata.ino(),
        bytes: metadata.size(),
        mtime_ns: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
        ctime_ns: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
    }
}

/// Returns what a thing is.
pub(super) fn kind(metadata: &Metadata) -> FileKind {
    if metadata.is_file() {
        FileKind::Regular {
            bytes: metadata.len(),
        }
    } else if metadata.is_dir() {
        FileKind::Folder
    } else {
        FileKind::Special(name(metadata.file_type()))
    }
}

/// Returns the word for a thing that is no regular file.
pub(super) fn name(file_type: FileType) -> &'static str {
    match file_type {
        _ if file_type.is_dir() => "directory",
        _ if file_type.is_fifo() => "FIFO",
        _ if file_type.is_socket() => "socket",
        _ if file_type.is_char_device() => "character device",
        _ if file_type.is_block_device() => "block device",
        _ => "special file",
    }
}
