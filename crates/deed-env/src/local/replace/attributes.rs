use std::collections::BTreeMap;
use std::ffi::CString;
use std::fs::File;
use std::os::unix::fs::MetadataExt as _;

use rustix::fs::{Gid, Uid, XattrFlags, fchown, fgetxattr, flistxattr, fremovexattr, fsetxattr};
use rustix::io::Errno;

/// Source: the limits that Linux sets to one value and to the list of names (`xattr(7)`).
const XATTR_MAX_BYTES: usize = 64 * 1024;

/// Gives a new file the owner and group of an old one; `false` if that could not be done.
pub(super) fn give_owner((owner, group): (u32, u32), new: &File) -> bool {
    let Ok(metadata) = new.metadata() else {
        return false;
    };
    (metadata.uid(), metadata.gid()) == (owner, group)
        || fchown(new, Some(Uid::from_raw(owner)), Some(Gid::from_raw(group))).is_ok()
}

/// Gives a new file the extended attributes (which hold access lists) of an old one; `false` if
/// that could not be done in full.
pub(super) fn give_extended(old: &File, new: &File) -> bool {
    copy_extended(old, new).is_ok()
}

fn copy_extended(old: &File, new: &File) -> Result<(), Errno> {
    let wanted = extended(old)?;
    let present = extended(new)?;
    for name in present.keys().filter(|name| !wanted.contains_key(*name)) {
        fremovexattr(new, name)?;
    }
    for (name, value) in &wanted {
        if present.get(name) != Some(value) {
            fsetxattr(new, name, value, XattrFlags::empty())?;
        }
    }
    Ok(())
}

fn extended(file: &File) -> Result<BTreeMap<CString, Vec<u8>>, Errno> {
    let mut names = Vec::with_capacity(XATTR_MAX_BYTES);
    match flistxattr(file, rustix::buffer::spare_capacity(&mut names)) {
        Err(Errno::NOTSUP | Errno::NOSYS) => return Ok(BTreeMap::new()),
        listed => listed?,
    };
    let names = names
        .split(|byte| *byte == 0)
        .filter(|name| !name.is_empty());
    names
        .map(|name| {
            let name = CString::new(name).map_err(|_| Errno::INVAL)?;
            let mut value = Vec::with_capacity(XATTR_MAX_BYTES);
            fgetxattr(file, &name, rustix::buffer::spare_capacity(&mut value))?;
            Ok((name, value))
        })
        .collect()
}
