use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{major, minor};

/// Tells which process holds the lock of a file, as far as the kernel lists it.
pub(super) fn of(file: &File) -> Option<u32> {
    let meta = file.metadata().ok()?;
    let locks = std::fs::read_to_string("/proc/locks").ok()?;
    let device = format!("{:02x}:{:02x}", major(meta.dev()), minor(meta.dev()));
    let holders = locks.lines().filter_map(|line| holder_in(line, meta.ino()));
    holders
        .filter(|(pid, on)| *on == device || has_open(*pid, &meta))
        .map(|(pid, _)| pid)
        .next()
}

/// Reads a line such as `3: FLOCK  ADVISORY  WRITE 41 fe:01:1234 0 EOF`.
///
/// Shape: a lock that is only waited for has `->` behind its number.
fn holder_in(line: &str, inode: u64) -> Option<(u32, &str)> {
    let mut words = line.split_ascii_whitespace().skip(1);
    if words.next()? != "FLOCK" {
        return None;
    }
    let pid: u32 = words.nth(2)?.parse().ok()?;
    let (device, number) = words.next()?.rsplit_once(':')?;
    (pid > 0 && number.parse() == Ok(inode)).then_some((pid, device))
}

/// Whether a process has a file open: some file systems show another device in the list of locks.
fn has_open(pid: u32, meta: &std::fs::Metadata) -> bool {
    let folder = format!("/proc/{pid}/fd");
    let Ok(open) = Path::new(&folder).read_dir() else {
        return false;
    };
    let files = open.filter_map(|entry| entry.ok()?.path().metadata().ok());
    files
        .into_iter()
        .any(|other| (other.dev(), other.ino()) == (meta.dev(), meta.ino()))
}
