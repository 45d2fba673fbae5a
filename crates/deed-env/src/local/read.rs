use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use sha2::{Digest as _, Sha256};
use tokio_util::sync::CancellationToken;

use super::{blocking, resolve, stamp};
use crate::EnvError;
use crate::file::{
    ContentHash, FileBytes, FileStamp, HASHED_FILE_MAX_BYTES, LineRange, LineScan, SeenLedger,
    TextSlice,
};

const CHUNK_BYTES: usize = 256 * 1024;
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Reads a whole file of at most `max_bytes`.
pub(super) fn whole(
    path: &Path,
    max_bytes: u64,
    cancel: &CancellationToken,
) -> Result<FileBytes, EnvError> {
    let (mut file, stamp) = open_regular(path)?;
    let too_large = |actual_bytes| EnvError::TooLarge {
        path: path.into(),
        actual_bytes,
        max_bytes,
    };
    if stamp.bytes > max_bytes {
        return Err(too_large(stamp.bytes));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(stamp.bytes).unwrap_or(0));
    loop {
        blocking::check(cancel)?;
        let read = (&mut file)
            .take(CHUNK_BYTES as u64)
            .read_to_end(&mut bytes)
            .map_err(|source| error(path, source))?;
        if bytes.len() as u64 > max_bytes {
            return Err(too_large(bytes.len() as u64));
        }
        if read == 0 {
            break;
        }
    }
    let path = resolve::real_path(path)?;
    Ok(FileBytes { path, stamp, bytes })
}

/// Reads the first bytes of a file.
pub(super) fn head(path: &Path, max_bytes: usize) -> Result<Vec<u8>, EnvError> {
    let (file, _) = open_regular(path)?;
    let mut bytes = Vec::new();
    file.take(max_bytes as u64)
        .read_to_end(&mut bytes)
        .map_err(|source| error(path, source))?;
    Ok(bytes)
}

/// Reads a range of lines.
pub(super) fn lines(
    path: &Path,
    range: LineRange,
    ledger: &SeenLedger,
    cancel: &CancellationToken,
) -> Result<TextSlice, EnvError> {
    let (mut file, stamp) = open_regular(path)?;
    let mut hasher = (stamp.bytes <= HASHED_FILE_MAX_BYTES).then(Sha256::new);
    let mut scan = LineScan::new(range);
    let buffer_bytes = CHUNK_BYTES.min(usize::try_from(stamp.bytes).unwrap_or(CHUNK_BYTES) + 1);
    let mut buffer = vec![0; buffer_bytes.max(BYTE_ORDER_MARK.len())];
    let mut total_bytes = 0_u64;
    let at_end = loop {
        blocking::check(cancel)?;
        let read = fill(&mut file, &mut buffer).map_err(|source| error(path, source))?;
        let chunk = buffer.get(..read).unwrap_or_default();
        if let Some(hasher) = &mut hasher {
            hasher.update(chunk);
        }
        let text = if total_bytes == 0 {
            chunk.strip_prefix(BYTE_ORDER_MARK).unwrap_or(chunk)
        } else {
            chunk
        };
        total_bytes += read as u64;
        let wants_more = scan.chunk(text);
        if read < buffer.len() {
            break true;
        }
        if !wants_more {
            break false;
        }
    };
    let hash = hasher.filter(|_| at_end).map(ContentHash::finish);
    ledger.note_seen(&resolve::real_path_of(&file, path)?, stamp, hash);
    Ok(scan.finish(at_end, if at_end { total_bytes } else { stamp.bytes }))
}

/// Hashes the content of a file, if it is regular, small enough to have been hashed before, and
/// can be read.
pub(super) fn content_hash(path: &Path) -> Option<ContentHash> {
    let (file, stamp) = open_regular(path).ok()?;
    if stamp.bytes > HASHED_FILE_MAX_BYTES {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(HASHED_FILE_MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .ok()?;
    ContentHash::of_small(&bytes)
}

/// Opens a regular file and nothing else: a FIFO would block, a device may have effects.
pub(super) fn open_regular(path: &Path) -> Result<(File, FileStamp), EnvError> {
    let refuse = |metadata: &fs::Metadata| EnvError::NotRegular {
        path: path.into(),
        kind: stamp::name(metadata.file_type()),
    };
    let metadata = fs::metadata(path).map_err(|source| error(path, source))?;
    if !metadata.is_file() {
        return Err(refuse(&metadata));
    }
    // It may have become something else since; then opening must at least not wait.
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK)
        .open(path)
        .map_err(|source| error(path, source))?;
    let metadata = file.metadata().map_err(|source| error(path, source))?;
    if !metadata.is_file() {
        return Err(refuse(&metadata));
    }
    Ok((file, stamp::stamp(&metadata)))
}

/// Reads until the buffer is full or the file ends.
fn fill(file: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match file.read(rest) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(failure) if failure.kind() == ErrorKind::Interrupted => {}
            Err(failure) => return Err(failure),
        }
    }
    Ok(filled)
}

fn error(path: &Path, source: io::Error) -> EnvError {
    EnvError::io("read", path, source)
}
