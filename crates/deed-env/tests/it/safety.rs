//! Attacks on a user's file: whatever happens, it holds the old or the new content.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use deed_env::file::{ContentHash, FileStamp, Freshness, RealPath, SeenLedger, WriteGuard};
use deed_env::{EnvError, ExecutionEnv, LocalConfig, LocalEnv};
use rustix::fs::{XattrFlags, getxattr, setxattr};
use tokio_util::sync::CancellationToken;

use crate::support::{Scratch, block_on, is_rerun, names, read, write};

fn real(path: &str) -> RealPath {
    RealPath::from_resolved(path.into())
}

/// Returns the shell command that runs a test without the rights of root.
fn as_nobody(test: &str) -> String {
    if rustix::process::geteuid().is_root() {
        format!(
            "exec setpriv --reuid 65534 --regid 65534 --clear-groups \"$0\" --exact {test} --nocapture"
        )
    } else {
        ":".into()
    }
}

fn stamp(inode: u64, changed: SystemTime) -> FileStamp {
    let time = changed.duration_since(UNIX_EPOCH).unwrap().as_nanos();
    let time_ns = i128::try_from(time).unwrap();
    FileStamp {
        device: 1,
        inode,
        bytes: 3,
        mtime_ns: time_ns,
        ctime_ns: time_ns,
    }
}

#[test]
fn a_reading_that_ends_after_a_write_of_its_own_session_makes_nothing_stale() {
    let (ledger, path) = (SeenLedger::default(), real("/f"));
    let (old, new) = (stamp(1, UNIX_EPOCH), stamp(2, UNIX_EPOCH));
    let (old_hash, new_hash) = (ContentHash::of(b"old"), ContentHash::of(b"new"));
    ledger.note_seen(&path, old, Some(old_hash));
    ledger.note_written(&path, Some(old), new, Some(new_hash));
    ledger.note_seen(&path, old, Some(old_hash));
    assert_eq!(
        ledger.check(&path, new, || Some(new_hash)),
        Freshness::Fresh
    );
}

#[test]
fn a_change_within_one_tick_of_the_clock_is_found_by_the_content() {
    let (ledger, path) = (SeenLedger::default(), real("/f"));
    let seen = ContentHash::of(b"one");
    // Where times move in steps of some milliseconds, a second change leaves the same metadata.
    let just_now = stamp(1, SystemTime::now());
    ledger.note_seen(&path, just_now, Some(seen));
    let check =
        |content: &'static [u8]| ledger.check(&path, just_now, || Some(ContentHash::of(content)));
    assert_eq!(check(b"one"), Freshness::Fresh);
    assert_eq!(check(b"two"), Freshness::Stale);
    // What had been left alone for a while before it was read needs no second look.
    let long_ago = stamp(1, SystemTime::now() - Duration::from_secs(10));
    ledger.note_seen(&path, long_ago, Some(seen));
    let freshness = ledger.check(&path, long_ago, || panic!("the content is looked at"));
    assert_eq!(freshness, Freshness::Fresh);
}

#[tokio::test]
async fn what_an_edit_reads_is_not_seen_by_the_model() {
    let scratch = Scratch::new();
    let cancel = CancellationToken::new();
    scratch.put("f", "one");
    read(&scratch.env, "f").await.unwrap();
    scratch.put("f", "by somebody else");
    let path = Path::new("f");
    let file = scratch.env.read_bytes(path, 100, &cancel).await.unwrap();
    let result = write(&scratch.env, "f", "two", WriteGuard::UnchangedSinceSeen).await;
    assert!(matches!(result, Err(EnvError::Stale { .. })), "{result:?}");
    let guard = WriteGuard::SameBytes { stamp: file.stamp };
    write(&scratch.env, "f", "edited, by somebody else", guard)
        .await
        .unwrap();
    for _ in 0..2 {
        let result = write(&scratch.env, "f", "two", WriteGuard::UnchangedSinceSeen).await;
        assert!(matches!(result, Err(EnvError::Stale { .. })), "{result:?}");
    }
    read(&scratch.env, "f").await.unwrap();
    write(&scratch.env, "f", "two", WriteGuard::UnchangedSinceSeen)
        .await
        .unwrap();
    assert_eq!(scratch.content("f"), b"two");
}

#[test]
fn a_large_file_with_two_names_is_overwritten_in_little_memory() {
    let test = "safety::a_large_file_with_two_names_is_overwritten_in_little_memory";
    if !is_rerun(test, "ulimit -v 4000000") {
        return;
    }
    block_on(async {
        let scratch = Scratch::new();
        let path = scratch.put("f", "");
        File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_len(64 << 30)
            .unwrap();
        fs::hard_link(&path, scratch.path("g")).unwrap();
        let replaced = write(&scratch.env, "f", "new", WriteGuard::None)
            .await
            .unwrap();
        assert_eq!(replaced.atomic, Some(false));
        assert_eq!(scratch.content("g"), b"new");
    });
}

#[test]
fn the_set_user_id_bit_stays_whichever_way_a_file_is_written() {
    let test = "safety::the_set_user_id_bit_stays_whichever_way_a_file_is_written";
    // The system takes the bit away at a write by anybody but root.
    let commands = as_nobody(test);
    if !is_rerun(test, &commands) {
        return;
    }
    block_on(async {
        let scratch = Scratch::new();
        for (name, is_atomic) in [("one-name", true), ("two-names", false)] {
            let path = scratch.put(name, "old content");
            if !is_atomic {
                fs::hard_link(&path, scratch.path("other")).unwrap();
            }
            fs::set_permissions(&path, Permissions::from_mode(0o4755)).unwrap();
            for content in ["new", "newer"] {
                let replaced = write(&scratch.env, name, content, WriteGuard::None)
                    .await
                    .unwrap();
                assert_eq!(replaced.atomic, Some(is_atomic));
                assert_eq!(
                    fs::metadata(&path).unwrap().mode() & 0o7777,
                    0o4755,
                    "{name}"
                );
            }
        }
    });
}

#[tokio::test]
async fn the_capabilities_of_a_program_stay() {
    const NAME: &str = "security.capability";
    // CAP_NET_BIND_SERVICE, permitted, in the second version of the format (capabilities(7)).
    let mut value = [0_u8; 20];
    value[3] = 2;
    value[5] = 4;
    let scratch = Scratch::new();
    let path = scratch.put("f", "old");
    if setxattr(&path, NAME, &value, XattrFlags::empty()).is_err() {
        // Only root may give them.
        assert!(!rustix::process::geteuid().is_root());
        return;
    }
    write(&scratch.env, "f", "new", WriteGuard::None)
        .await
        .unwrap();
    let mut kept = [0_u8; 20];
    assert_eq!(getxattr(&path, NAME, &mut kept[..]), Ok(20));
    assert_eq!(kept, value);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_future_dropped_at_any_moment_leaves_the_whole_file_and_gives_the_turn_back() {
    let scratch = Scratch::new();
    let (old, new) = (vec![b'o'; 300_000], vec![b'n'; 400_000]);
    for polls in 0..200_u32 {
        let path = scratch.put("f", &old);
        let with_two_names = polls % 2 == 1;
        if with_two_names {
            fs::hard_link(&path, scratch.path("g")).unwrap();
        }
        let time = Duration::from_micros(u64::from(polls) * 10);
        let content = new.clone();
        let writing = write(&scratch.env, "f", content, WriteGuard::None);
        drop(tokio::time::timeout(time, writing).await);
        // The next turn comes when the write that was let go is over.
        let cancel = CancellationToken::new();
        let ticket = scratch.env.mutations().ticket();
        let turn = ticket.place(&scratch.env, &path, &cancel).await.unwrap();
        let content = scratch.content("f");
        assert!(content == old || content == new);
        drop(turn);
        assert_eq!(scratch.env.mutations().busy_files(), 0);
        if with_two_names {
            fs::remove_file(scratch.path("g")).unwrap();
        }
        fs::remove_file(&path).unwrap();
        assert!(scratch.names().is_empty());
    }
}

#[test]
fn a_process_killed_at_any_moment_leaves_the_old_or_the_new_content() {
    const MARK: &str = "DEED_TEST_KILLED";
    if let Some(folder) = std::env::var_os(MARK) {
        write_for_ever(Path::new(&folder));
    }
    let test = "safety::a_process_killed_at_any_moment_leaves_the_old_or_the_new_content";
    let runs = std::env::var("DEED_TEST_KILLS").map_or(30, |runs| runs.parse().unwrap());
    for run in 0..runs {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("f"), vec![b'a'; 200_000]).unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", test, "--nocapture"])
            .env(MARK, folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let started = folder.path().join("started");
        while !started.exists() {
            assert!(child.try_wait().unwrap().is_none());
            std::thread::yield_now();
        }
        std::thread::sleep(Duration::from_micros(run * 137 % 5000));
        child.kill().unwrap();
        child.wait().unwrap();
        let content = fs::read(folder.path().join("f")).unwrap();
        let first = content[0];
        assert!(content.len() == 200_000 && content.iter().all(|byte| *byte == first));
        for name in names(folder.path()) {
            let is_recognisable = name.starts_with(".deed-") && name.ends_with(".tmp");
            assert!(
                is_recognisable || name == "f" || name == "started",
                "{name}"
            );
        }
    }
}

fn write_for_ever(folder: &Path) -> ! {
    let env = LocalEnv::new(LocalConfig {
        cwd: folder.into(),
        output_folder: folder.join("output"),
        ..LocalConfig::default()
    });
    block_on(async {
        for byte in (b'a'..=b'z').cycle() {
            write(&env, "f", vec![byte; 200_000], WriteGuard::None)
                .await
                .unwrap();
            if byte == b'c' {
                fs::write(folder.join("started"), "").unwrap();
            }
        }
    });
    unreachable!("the letters never end");
}

#[test]
fn on_a_layered_file_system_nothing_is_taken_for_a_change_by_somebody_else() {
    let test = "safety::on_a_layered_file_system_nothing_is_taken_for_a_change_by_somebody_else";
    const LAYERS: &str = "mount -t tmpfs tmpfs /mnt && mkdir /mnt/below /mnt/above /mnt/work \
        /mnt/all && printf one >/mnt/below/f && printf one >/mnt/below/g && chmod 666 /mnt/below/* \
        && mount -t overlay overlay -o lowerdir=/mnt/below,upperdir=/mnt/above,workdir=/mnt/work \
        /mnt/all";
    let can_mount = Command::new("unshare")
        .args(["--mount", "--map-root-user", "sh", "-c", LAYERS])
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !can_mount {
        // There is nothing layered to be had; containers commonly run on it, though.
        return;
    }
    let commands = format!(
        "exec unshare --mount --map-root-user sh -c \
         '{LAYERS}; exec \"$0\" --exact {test} --nocapture' \"$0\""
    );
    if !is_rerun(test, &commands) {
        return;
    }
    block_on(async {
        let scratch = Scratch::new();
        let cancel = CancellationToken::new();
        // Something that is mounted on the second keeps it from being renamed over.
        let mounted = Command::new("mount")
            .args(["--bind", "/mnt/all/g", "/mnt/all/g"])
            .status();
        assert!(mounted.unwrap().success());
        for (name, path) in [("rename", "/mnt/all/f"), ("in place", "/mnt/all/g")] {
            let path = Path::new(path);
            let file = scratch.env.read_bytes(path, 100, &cancel).await.unwrap();
            let guard = WriteGuard::SameBytes { stamp: file.stamp };
            write(&scratch.env, path, "two", guard)
                .await
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(fs::read(path).unwrap(), b"two");
        }
    });
}

#[tokio::test]
async fn edits_of_one_batch_go_on_from_what_a_person_approved() {
    let scratch = Scratch::new();
    let path = Path::new("f");
    scratch.put("f", "one");
    read(&scratch.env, "f").await.unwrap();
    scratch.put("f", "by somebody else");
    let approved = scratch.env.inspect(path).await.unwrap().stamp;
    let cancel = CancellationToken::new();
    for content in ["two", "three"] {
        let file = scratch.env.read_bytes(path, 100, &cancel).await.unwrap();
        let guard = WriteGuard::SameBytes { stamp: file.stamp };
        write(&scratch.env, "f", content, guard).await.unwrap();
    }
    let guard = WriteGuard::ChangedOnlyByUsSince { stamp: approved };
    write(&scratch.env, "f", "four", guard).await.unwrap();
}

#[tokio::test]
async fn a_link_put_in_place_of_the_file_is_not_followed() {
    let scratch = Scratch::new();
    let outside = scratch.put("outside", "keep");
    let cancel = CancellationToken::new();
    for content in [Some("old"), None] {
        if let Some(content) = content {
            scratch.put("f", content);
        }
        let ticket = scratch.env.mutations().ticket();
        let path = scratch.path("f");
        let turn = ticket.place(&scratch.env, &path, &cancel).await.unwrap();
        fs::remove_file(&path).ok();
        std::os::unix::fs::symlink(&outside, &path).unwrap();
        let replacing = scratch
            .env
            .replace(turn, b"new".to_vec(), WriteGuard::None, &cancel);
        assert!(replacing.await.is_err());
        assert_eq!(scratch.content("outside"), b"keep");
        assert_eq!(scratch.names(), ["f", "outside"]);
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn a_file_that_may_not_be_written_to_is_not_replaced_by_a_rename_either() {
    let test = "safety::a_file_that_may_not_be_written_to_is_not_replaced_by_a_rename_either";
    if !is_rerun(test, &as_nobody(test)) {
        return;
    }
    block_on(async {
        let scratch = Scratch::new();
        let path = scratch.put("f", "old");
        fs::set_permissions(&path, Permissions::from_mode(0o444)).unwrap();
        let error = write(&scratch.env, "f", "new", WriteGuard::None)
            .await
            .unwrap_err();
        assert!(error.to_string().contains("denied"), "{error}");
        assert_eq!(scratch.content("f"), b"old");
        assert_eq!(scratch.names(), ["f"]);
    });
}

#[test]
fn a_full_disk_takes_nothing_away() {
    let test = "safety::a_full_disk_takes_nothing_away";
    const DISK: &str = "mount -t tmpfs -o size=1m tmpfs /mnt";
    let can_mount = Command::new("unshare")
        .args(["--mount", "--map-root-user", "sh", "-c", DISK])
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    let commands = format!(
        "exec unshare --mount --map-root-user sh -c \
         '{DISK}; exec \"$0\" --exact {test} --nocapture' \"$0\""
    );
    // Where no disk can be mounted, a limit of the size of files stands for a full one (b013).
    if !can_mount || !is_rerun(test, &commands) {
        return;
    }
    block_on(async {
        let scratch = Scratch::new();
        let disk = Path::new("/mnt");
        let old = vec![b'o'; 200_000];
        fs::write(disk.join("f"), &old).unwrap();
        // The second is mostly a hole, and has two names.
        fs::write(disk.join("g"), b"begin").unwrap();
        let holed = File::options().write(true).open(disk.join("g")).unwrap();
        holed.set_len(5_000_000).unwrap();
        fs::hard_link(disk.join("g"), disk.join("h")).unwrap();
        let old_holed = fs::read(disk.join("g")).unwrap();
        for bytes in [900_000, 3_000_000, 6_000_000] {
            for name in ["f", "g", "new"] {
                let content = vec![b'n'; bytes];
                let error = write(&scratch.env, disk.join(name), content, WriteGuard::None)
                    .await
                    .unwrap_err();
                assert!(error.to_string().contains("No space"), "{error}");
                assert!(!error.to_string().contains("putting"), "{error}");
            }
            assert!(fs::read(disk.join("f")).unwrap() == old);
            assert!(fs::read(disk.join("h")).unwrap() == old_holed);
            assert_eq!(names(disk), ["f", "g", "h"]);
        }
    });
}

#[test]
fn a_size_limit_ends_the_call_and_neither_the_process_nor_the_file() {
    let test = "safety::a_size_limit_ends_the_call_and_neither_the_process_nor_the_file";
    // Unless it is ignored, the signal that tells of the limit kills the process half-way.
    if !is_rerun(test, "ulimit -f 1000") {
        return;
    }
    block_on(async {
        let scratch = Scratch::new();
        scratch.put("one-name", "old");
        fs::hard_link(scratch.put("two-names", "old"), scratch.path("other")).unwrap();
        for name in ["one-name", "two-names", "new/file"] {
            let content = vec![b'n'; 3_000_000];
            let error = write(&scratch.env, name, content, WriteGuard::None)
                .await
                .unwrap_err();
            assert!(error.to_string().contains("File too large"), "{error}");
        }
        assert_eq!(scratch.names(), ["one-name", "other", "two-names"]);
        for name in scratch.names() {
            assert_eq!(scratch.content(&name), b"old");
        }
    });
}
