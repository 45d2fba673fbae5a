use std::path::Path;

use ignore::overrides::Override;
use tokio_util::sync::CancellationToken;

use super::{blocking, tree};
use crate::EnvError;
use crate::search::{EntryPattern, WalkEntry, WalkReport, WalkRequest, WalkSink};

/// Walks a folder in the order of names.
pub(super) fn run(
    request: &WalkRequest,
    root: &Path,
    mut sink: Box<dyn WalkSink>,
    cancel: &CancellationToken,
) -> Result<WalkReport, EnvError> {
    let pattern = EntryPattern::new(request)?;
    let (root, metadata) = tree::real_root(root, "find in")?;
    if !metadata.is_dir() {
        let source = std::io::Error::from_raw_os_error(libc::ENOTDIR);
        return Err(EnvError::io("find in", root, source));
    }
    let mut report = WalkReport::default();
    for entry in tree::walk(&root, ".fdignore", Override::empty()) {
        blocking::check(cancel)?;
        let entry = match entry {
            Ok(entry) if entry.depth() == 0 => continue,
            Ok(entry) => entry,
            Err(failure) => {
                if report.unreadable.len() < tree::MAX_UNREADABLE {
                    report.unreadable.push(failure.to_string());
                }
                continue;
            }
        };
        report.entries += 1;
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        let relative = tree::relative(&root, entry.path());
        if pattern.matches(&root, relative, is_folder)
            && !sink.entry(WalkEntry {
                path: relative.to_string_lossy().into_owned(),
                is_folder,
            })
        {
            report.ended_early = true;
            break;
        }
    }
    Ok(report)
}
