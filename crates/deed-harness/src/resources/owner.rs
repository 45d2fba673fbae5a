use std::path::Path;

/// Tells whether a file may speak to the agent.
///
/// In a folder that everybody may write to, such as `/tmp`, anybody could lay a file above the
/// folder that the agent works in. There only files of root and of the owner of that folder count.
#[cfg(unix)]
pub(crate) fn may_speak(path: &Path, cwd: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let Some(folder) = path.parent().and_then(|folder| folder.metadata().ok()) else {
        return true;
    };
    if folder.mode() & 0o002 == 0 {
        return true;
    }
    // The link, not what it leads to, is what somebody else may have put there.
    let (Ok(file), Ok(cwd)) = (path.symlink_metadata(), cwd.metadata()) else {
        return false;
    };
    file.uid() == 0 || file.uid() == cwd.uid()
}

#[cfg(not(unix))]
pub(crate) fn may_speak(_path: &Path, _cwd: &Path) -> bool {
    true
}
