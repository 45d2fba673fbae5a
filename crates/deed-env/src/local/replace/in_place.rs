use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

/// Reads the whole content, wherever the file's position stands.
pub(super) fn content(file: &File) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?];
    file.read_exact_at(&mut bytes, 0)?;
    Ok(bytes)
}

/// Overwrites a file and cuts it to length; if that fails, puts the old content back.
///
/// The file is not emptied first: on a full disk the old content still has its blocks, so that
/// putting it back needs no new ones.
pub(super) fn overwrite(file: &File, new: &[u8], old: &[u8], durable: bool) -> io::Result<()> {
    let Err(failure) = put(file, new, durable) else {
        return Ok(());
    };
    match put(file, old, durable) {
        Ok(()) => Err(failure),
        Err(second) => Err(io::Error::new(
            failure.kind(),
            format!("{failure}; putting the old content back failed too: {second}"),
        )),
    }
}

fn put(file: &File, content: &[u8], durable: bool) -> io::Result<()> {
    file.write_all_at(content, 0)?;
    file.set_len(content.len() as u64)?;
    if durable { file.sync_all() } else { Ok(()) }
}
