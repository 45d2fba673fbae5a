//! Replacing files: whole or not at all, and nothing else about them changes.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

use deed_env::file::WriteGuard;
use deed_env::{EnvError, ExecutionEnv};
use rustix::fs::{XattrFlags, getxattr, setxattr};
use tokio_util::sync::CancellationToken;

use crate::support::{Scratch, block_on, is_rerun, names, read, write};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[tokio::test]
async fn b011_mode_owner_and_attributes_stay() {
    let scratch = Scratch::new();
    for kept in [0o755, 0o600, 0o640] {
        let path = scratch.put("f", "old");
        fs::set_permissions(&path, Permissions::from_mode(kept)).unwrap();
        // Not every file system has attributes; on one that has not, the rest still holds.
        let has_attributes = setxattr(&path, "user.deed", b"kept", XattrFlags::empty()).is_ok();
        for content in ["new", "newer"] {
            let before = fs::metadata(&path).unwrap();
            let replaced = write(&scratch.env, "f", content, WriteGuard::None)
                .await
                .unwrap();
            assert_eq!(
                (replaced.atomic, replaced.created),
                (Some(true), Some(false))
            );
            let after = fs::metadata(&path).unwrap();
            assert_eq!(mode(&path), kept);
            assert_eq!((after.uid(), after.gid()), (before.uid(), before.gid()));
            assert_ne!(after.ino(), before.ino());
            if has_attributes {
                let mut value = [0; 4];
                assert_eq!(getxattr(&path, "user.deed", &mut value[..]), Ok(4));
                assert_eq!(&value, b"kept");
            }
        }
        assert_eq!(scratch.names(), ["f"]);
    }
}

#[tokio::test]
async fn a_hard_link_is_not_split() {
    let scratch = Scratch::new();
    let path = scratch.put("f", "a longer old content");
    fs::hard_link(&path, scratch.path("g")).unwrap();
    let replaced = write(&scratch.env, "g", "new", WriteGuard::None)
        .await
        .unwrap();
    assert_eq!(replaced.atomic, Some(false));
    assert_eq!(scratch.content("f"), b"new");
    assert_eq!(fs::metadata(&path).unwrap().nlink(), 2);
}

#[tokio::test]
async fn a_symlink_stays_and_its_target_changes_or_is_made() {
    let scratch = Scratch::new();
    scratch.put("target", "old");
    symlink("target", scratch.path("link")).unwrap();
    symlink("made/here", scratch.path("dangling")).unwrap();
    for (link, target, is_new) in [("link", "target", false), ("dangling", "made/here", true)] {
        let replaced = write(&scratch.env, link, "new", WriteGuard::None)
            .await
            .unwrap();
        assert_eq!(
            (replaced.path.as_path(), replaced.created),
            (&*scratch.path(target), Some(is_new))
        );
        assert_eq!(scratch.content(target), b"new");
        assert!(
            fs::symlink_metadata(scratch.path(link))
                .unwrap()
                .is_symlink()
        );
    }
}

#[tokio::test]
async fn a_link_put_in_the_way_after_the_path_was_resolved_leads_nowhere() {
    let scratch = Scratch::new();
    fs::create_dir_all(scratch.path("inside")).unwrap();
    fs::create_dir_all(scratch.path("outside")).unwrap();
    let cancel = CancellationToken::new();
    let ticket = scratch.env.mutations().ticket();
    let turn = ticket
        .place(&scratch.env, Path::new("inside/f"), &cancel)
        .await
        .unwrap();
    fs::remove_dir(scratch.path("inside")).unwrap();
    symlink("outside", scratch.path("inside")).unwrap();
    let result = scratch
        .env
        .replace(turn, b"x".to_vec(), WriteGuard::None, &cancel)
        .await;
    assert!(matches!(result, Err(EnvError::Io { .. })), "{result:?}");
    assert!(names(&scratch.path("outside")).is_empty());
}

#[tokio::test]
async fn missing_folders_are_made_and_removed_again_if_the_write_fails() {
    let scratch = Scratch::new();
    let replaced = write(&scratch.env, "a/b/c", "new", WriteGuard::None)
        .await
        .unwrap();
    assert_eq!(
        (replaced.created, replaced.atomic),
        (Some(true), Some(true))
    );
    assert_eq!(scratch.content("a/b/c"), b"new");
    let name_too_long = format!("d/e/{}", "x".repeat(300));
    assert!(
        write(&scratch.env, &name_too_long, "new", WriteGuard::None)
            .await
            .is_err()
    );
    assert!(
        write(&scratch.env, "a/b/c/below", "new", WriteGuard::None)
            .await
            .is_err()
    );
    assert_eq!(scratch.names(), ["a"]);
}

#[test]
fn a_new_file_honours_the_umask() {
    if !is_rerun("replace::a_new_file_honours_the_umask", "umask 027") {
        return;
    }
    block_on(async {
        let scratch = Scratch::new();
        write(&scratch.env, "folder/f", "x", WriteGuard::None)
            .await
            .unwrap();
        assert_eq!(mode(&scratch.path("folder/f")), 0o640);
        assert_eq!(mode(&scratch.path("folder")), 0o750);
    });
}

#[test]
fn b013_a_write_that_stops_half_way_leaves_the_old_content_and_no_stray_file() {
    let test = "replace::b013_a_write_that_stops_half_way_leaves_the_old_content_and_no_stray_file";
    // At most about a megabyte a file, and an error instead of a signal beyond.
    if !is_rerun(test, "trap '' XFSZ; ulimit -f 1000") {
        return;
    }
    block_on(async {
        let scratch = Scratch::new();
        let old = b"old ".repeat(1000);
        scratch.put("renamed", &old);
        fs::hard_link(scratch.put("in-place", &old), scratch.path("other-name")).unwrap();
        for name in ["renamed", "in-place", "new/file"] {
            let large = vec![b'x'; 4 << 20];
            let result = write(&scratch.env, name, large, WriteGuard::None).await;
            assert!(
                matches!(result, Err(EnvError::Io { .. })),
                "{name}: {result:?}"
            );
        }
        assert_eq!(scratch.names(), ["in-place", "other-name", "renamed"]);
        for name in scratch.names() {
            assert_eq!(scratch.content(&name), old, "{name}");
        }
    });
}

#[test]
fn b013_where_a_rename_is_refused_the_file_is_changed_in_place() {
    let test = "replace::b013_where_a_rename_is_refused_the_file_is_changed_in_place";
    // A file that something is mounted on cannot be renamed over. Where no mount is allowed, a
    // folder that may not be written to stands for it.
    let mount = "unshare --mount --map-root-user true 2>/dev/null";
    let can_mount = Command::new("sh")
        .arg("-c")
        .arg(mount)
        .status()
        .unwrap()
        .success();
    let commands = if can_mount {
        format!("exec unshare --mount --map-root-user \"$0\" --exact {test} --nocapture")
    } else {
        ":".into()
    };
    if !is_rerun(test, &commands) {
        return;
    }
    block_on(async {
        let scratch = Scratch::new();
        let path = scratch.put("folder/f", "old content");
        if can_mount {
            let source = scratch.put("source", "old content");
            let mounted = Command::new("mount")
                .arg("--bind")
                .args([&source, &path])
                .status();
            assert!(mounted.unwrap().success());
        } else {
            let read_only = Permissions::from_mode(0o555);
            fs::set_permissions(scratch.path("folder"), read_only).unwrap();
        }
        let replaced = write(&scratch.env, "folder/f", "new", WriteGuard::None)
            .await
            .unwrap();
        assert_eq!(scratch.content("folder/f"), b"new");
        assert_eq!(names(&scratch.path("folder")), ["f"]);
        // Whoever may do everything is not stopped by a folder's mode.
        assert!(
            replaced.atomic == Some(false) || (!can_mount && rustix::process::geteuid().is_root())
        );
        if can_mount {
            assert!(
                Command::new("umount")
                    .arg(&path)
                    .status()
                    .unwrap()
                    .success()
            );
        } else {
            let writable = Permissions::from_mode(0o755);
            fs::set_permissions(scratch.path("folder"), writable).unwrap();
        }
    });
}

#[tokio::test]
async fn b017_a_change_by_somebody_else_since_the_read_stops_a_write() {
    let scratch = Scratch::new();
    scratch.put("f", "one");
    read(&scratch.env, "f").await.unwrap();
    scratch.put("f", "by somebody else");
    let result = write(&scratch.env, "f", "two", WriteGuard::UnchangedSinceSeen).await;
    assert!(
        result
            .unwrap_err()
            .to_string()
            .contains("f changed since it was last read")
    );
    assert_eq!(scratch.content("f"), b"by somebody else");
    // What was never seen cannot be stale, nor can what does not exist.
    scratch.put("unseen", "one");
    write(
        &scratch.env,
        "unseen",
        "two",
        WriteGuard::UnchangedSinceSeen,
    )
    .await
    .unwrap();
    write(&scratch.env, "new", "two", WriteGuard::UnchangedSinceSeen)
        .await
        .unwrap();
    assert_eq!(scratch.names(), ["f", "new", "unseen"]);
}

#[tokio::test]
async fn b019_new_times_on_the_same_bytes_are_no_change() {
    let scratch = Scratch::new();
    let path = scratch.put("f", "one");
    for (hours, is_future) in [(1, true), (5, false)] {
        read(&scratch.env, "f").await.unwrap();
        let shift = Duration::from_secs(hours * 3600);
        let now = SystemTime::now();
        let time = if is_future { now + shift } else { now - shift };
        File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_modified(time)
            .unwrap();
        write(&scratch.env, "f", "one", WriteGuard::UnchangedSinceSeen)
            .await
            .unwrap();
    }
    let other = scratch.put("f", "two");
    let time = SystemTime::now() + Duration::from_secs(60);
    File::options()
        .write(true)
        .open(other)
        .unwrap()
        .set_modified(time)
        .unwrap();
    let result = write(&scratch.env, "f", "one", WriteGuard::UnchangedSinceSeen).await;
    assert!(matches!(result, Err(EnvError::Stale { .. })), "{result:?}");
}

#[tokio::test]
async fn own_writes_are_no_change_by_somebody_else() {
    let scratch = Scratch::new();
    scratch.put("f", "zero");
    read(&scratch.env, "f").await.unwrap();
    let approved = scratch.env.inspect(Path::new("f")).await.unwrap().stamp;
    for content in ["one", "two", "three"] {
        write(&scratch.env, "f", content, WriteGuard::UnchangedSinceSeen)
            .await
            .unwrap();
    }
    let guard = WriteGuard::ChangedOnlyByUsSince { stamp: approved };
    write(&scratch.env, "f", "four", guard.clone())
        .await
        .unwrap();
    scratch.put("f", "by somebody else");
    let result = write(&scratch.env, "f", "five", guard.clone()).await;
    assert!(matches!(result, Err(EnvError::Stale { .. })), "{result:?}");
    // Reading it again does not make the old approval good.
    read(&scratch.env, "f").await.unwrap();
    let result = write(&scratch.env, "f", "five", guard).await;
    assert!(matches!(result, Err(EnvError::Stale { .. })), "{result:?}");
    let guard = WriteGuard::ChangedOnlyByUsSince { stamp: None };
    write(&scratch.env, "new", "one", guard.clone())
        .await
        .unwrap();
    write(&scratch.env, "new", "two", guard.clone())
        .await
        .unwrap();
    let result = write(&scratch.env, "f", "five", guard).await;
    assert!(matches!(result, Err(EnvError::Stale { .. })), "{result:?}");
}

#[tokio::test]
async fn an_edit_is_refused_if_the_file_changed_after_its_own_reading() {
    let scratch = Scratch::new();
    scratch.put("f", "one");
    let cancel = CancellationToken::new();
    let file = scratch
        .env
        .read_bytes(Path::new("f"), 100, &cancel)
        .await
        .unwrap();
    scratch.put("f", "by somebody else");
    let result = write(
        &scratch.env,
        "f",
        "x",
        WriteGuard::SameBytes { stamp: file.stamp },
    )
    .await;
    assert!(matches!(result, Err(EnvError::Stale { .. })), "{result:?}");
    fs::remove_file(scratch.path("f")).unwrap();
    let result = write(
        &scratch.env,
        "f",
        "x",
        WriteGuard::SameBytes { stamp: file.stamp },
    )
    .await;
    assert!(matches!(result, Err(EnvError::Stale { .. })), "{result:?}");
    assert!(scratch.names().is_empty());
}

#[tokio::test]
async fn a_cancelled_write_changes_nothing() {
    let scratch = Scratch::new();
    scratch.put("f", "old");
    let cancel = CancellationToken::new();
    for name in ["f", "folder/new"] {
        let ticket = scratch.env.mutations().ticket();
        let turn = ticket
            .place(&scratch.env, Path::new(name), &CancellationToken::new())
            .await
            .unwrap();
        cancel.cancel();
        let result = scratch
            .env
            .replace(turn, b"x".to_vec(), WriteGuard::None, &cancel)
            .await;
        assert!(matches!(result, Err(EnvError::Cancelled)), "{result:?}");
    }
    assert_eq!(
        (scratch.names(), scratch.content("f")),
        (vec!["f".into()], b"old".to_vec())
    );
}

#[tokio::test]
async fn a_durable_write_is_a_write() {
    let scratch = Scratch::with(|config| config.durable_writes = true);
    for content in ["one", "two"] {
        write(&scratch.env, "folder/f", content, WriteGuard::None)
            .await
            .unwrap();
        assert_eq!(scratch.content("folder/f"), content.as_bytes());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_environments_that_edit_one_file_at_once_lose_nothing() {
    const EACH: usize = 150;
    let scratch = Scratch::new();
    let path = scratch.put("f", vec![b'.'; 4 * EACH]);
    let edits = (0..4).map(|place| {
        let path = path.clone();
        tokio::spawn(async move {
            let other = Scratch::new();
            let cancel = CancellationToken::new();
            for number in 0..EACH {
                loop {
                    let file = other.env.read_bytes(&path, 1 << 20, &cancel).await.unwrap();
                    let guard = WriteGuard::SameBytes { stamp: file.stamp };
                    let mut content = file.bytes;
                    content[place * EACH + number] = b'x';
                    match write(&other.env, &path, content, guard).await {
                        Ok(_) => break,
                        Err(EnvError::Stale { .. }) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
            }
        })
    });
    for edit in edits.collect::<Vec<_>>() {
        edit.await.unwrap();
    }
    let lost = scratch
        .content("f")
        .iter()
        .filter(|byte| **byte == b'.')
        .count();
    assert_eq!(lost, 0);
}
