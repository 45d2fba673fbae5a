//! Replacing a file of an old version by one of the present.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::{SessionFile, lock};
use crate::error::SessionError;
use crate::index::Index;
use crate::load::{Header, HeaderLine, Lines};
use crate::place::Place;

/// Writes a session anew, under a lock of its own, and puts it in the place of the old file.
///
/// Lines that are no entries go along. The old file is whole until the new one is.
///
/// Errors: the old file stands as it was.
pub(crate) fn rewrite(
    old: &SessionFile,
    header: &Header,
    index: &mut Index,
) -> Result<SessionFile, SessionError> {
    // A link stays one: what it leads to is replaced.
    let path = old
        .path
        .canonicalize()
        .map_err(SessionError::io("look at", &old.path))?;
    let temporary = temporary(&path);
    let fail = |action| SessionError::io(action, &temporary);
    // One that a crash left behind is of no use.
    std::fs::remove_file(&temporary).ok();
    let mut options = File::options();
    options.read(true).append(true).create_new(true).mode(0o600);
    let new = options.open(&temporary).map_err(fail("make"))?;
    let made = fill(old, &new, header, index)
        .and_then(|places| {
            let mode = old.file.metadata()?.mode() & 0o777;
            new.set_permissions(std::fs::Permissions::from_mode(mode))?;
            new.sync_all()?;
            Ok(places)
        })
        .map_err(fail("write"))
        .and_then(|places| {
            lock(&new, &temporary)?;
            std::fs::rename(&temporary, &path).map_err(fail("put in place"))?;
            Ok(places)
        });
    match made {
        Ok(places) => {
            for (slot, place) in index.slots_mut().iter_mut().zip(places) {
                slot.place = place;
            }
            let mut file = SessionFile::of_locked(new, &old.path, old.is_durable);
            file.lacks_line_end = false;
            Ok(file)
        }
        Err(error) => {
            std::fs::remove_file(&temporary).ok();
            Err(error)
        }
    }
}

/// Returns where each entry stands in the new file.
fn fill(old: &SessionFile, new: &File, header: &Header, index: &Index) -> io::Result<Vec<Place>> {
    let mut to = BufWriter::new(new);
    let mut places = Vec::with_capacity(index.len());
    let mut slots = index.slots().iter().peekable();
    let mut is_header_written = false;
    let mut at = 0;
    let mut source = &*old.file;
    source.seek(SeekFrom::Start(0))?;
    let mut lines = Lines::new(source);
    while let Some(line) = lines.next()? {
        let slot = slots.next_if(|slot| slot.line_1based == line.line_1based);
        let is_header = !is_header_written && HeaderLine::read(line.bytes).is_ok();
        let text = match slot.map(|slot| &slot.place) {
            Some(Place::Held(text)) => text.as_bytes(),
            _ if is_header => header.line.as_bytes(),
            _ => line.bytes,
        };
        is_header_written |= is_header;
        if slot.is_some() {
            let bytes = text.len() as u64;
            places.push(Place::OnDisk { at, bytes });
        }
        to.write_all(text)?;
        to.write_all(b"\n")?;
        at += text.len() as u64 + 1;
    }
    to.flush()?;
    Ok(places)
}

fn temporary(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    name.into()
}
