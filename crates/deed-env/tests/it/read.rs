//! Reading files that are large, odd or no files at all.

use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;

use deed_env::file::{ContentHash, FileKind, Freshness, LineRange, WriteGuard};
use deed_env::{EnvError, ExecutionEnv};
use tokio_util::sync::CancellationToken;

use crate::support::{Scratch, all_lines, block_on, is_rerun, read, write};

/// The most memory that this process ever had in use.
fn peak_bytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .unwrap();
    line.split_whitespace()
        .nth(1)
        .unwrap()
        .parse::<u64>()
        .unwrap()
        * 1024
}

#[test]
fn b022_a_file_above_the_limit_is_refused_without_reading_it() {
    // In a process of its own, for memory is measured.
    if !is_rerun(
        "read::b022_a_file_above_the_limit_is_refused_without_reading_it",
        ":",
    ) {
        return;
    }
    block_on(async {
        let scratch = Scratch::new();
        let file = File::create(scratch.path("f")).unwrap();
        file.set_len(1_300_000_000).unwrap();
        let cancel = CancellationToken::new();
        let before = peak_bytes();
        let result = scratch
            .env
            .read_bytes(Path::new("f"), 1 << 30, &cancel)
            .await;
        let Err(EnvError::TooLarge {
            actual_bytes: 1_300_000_000,
            max_bytes,
            ..
        }) = result
        else {
            panic!("{result:?}");
        };
        assert_eq!(max_bytes, 1 << 30);
        assert!(peak_bytes() < before + (50 << 20));
    });
}

#[test]
fn b025_one_enormous_line_is_measured_in_bounded_memory() {
    // In a process of its own, for memory is measured.
    if !is_rerun(
        "read::b025_one_enormous_line_is_measured_in_bounded_memory",
        ":",
    ) {
        return;
    }
    block_on(async {
        let scratch = Scratch::new();
        let mut file = File::create(scratch.path("f")).unwrap();
        file.seek(SeekFrom::Start(200_000_000 - 1)).unwrap();
        file.write_all(b"z").unwrap();
        let range = LineRange {
            max_wanted: Some(5),
            max_lines: 2000,
            max_bytes: 51_200,
            ..all_lines()
        };
        let before = peak_bytes();
        let slice = scratch
            .env
            .read_lines(Path::new("f"), range, &CancellationToken::new())
            .await
            .unwrap();
        assert_eq!(slice.oversized_first_line_bytes, Some(200_000_000));
        assert_eq!(
            (slice.kept_lines, slice.wanted_lines, slice.total_lines),
            (0, 1, Some(1))
        );
        assert!(peak_bytes() < before + (20 << 20));
    });
}

#[tokio::test]
async fn reading_stops_after_the_range_unless_lines_are_counted() {
    let scratch = Scratch::new();
    let file = File::create(scratch.path("f")).unwrap();
    (&file).write_all(b"one\ntwo\n").unwrap();
    // Reading to the end of this would take minutes.
    file.set_len(1 << 40).unwrap();
    let range = LineRange {
        max_wanted: Some(2),
        count_total: false,
        ..all_lines()
    };
    let slice = scratch
        .env
        .read_lines(Path::new("f"), range, &CancellationToken::new())
        .await
        .unwrap();
    assert_eq!(
        (slice.bytes.as_slice(), slice.total_lines),
        (b"one\ntwo\n".as_slice(), None)
    );
    assert_eq!(slice.total_bytes, 1 << 40);
}

#[tokio::test]
async fn reading_can_be_cancelled() {
    let scratch = Scratch::new();
    File::create(scratch.path("f"))
        .unwrap()
        .set_len(1 << 40)
        .unwrap();
    let cancel = CancellationToken::new();
    let reading = scratch.env.read_lines(
        Path::new("f"),
        LineRange {
            max_bytes: 10,
            ..all_lines()
        },
        &cancel,
    );
    let (result, ()) = tokio::join!(reading, async { cancel.cancel() });
    assert!(matches!(result, Err(EnvError::Cancelled)));
}

#[tokio::test]
async fn what_is_no_regular_file_is_refused_without_opening_it() {
    let scratch = Scratch::new();
    assert!(
        Command::new("mkfifo")
            .arg(scratch.path("fifo"))
            .status()
            .unwrap()
            .success()
    );
    let _listener = UnixListener::bind(scratch.path("socket")).unwrap();
    fs::create_dir(scratch.path("folder")).unwrap();
    symlink("fifo", scratch.path("link")).unwrap();
    let cases = [
        ("fifo", "FIFO"),
        ("link", "FIFO"),
        ("socket", "socket"),
        ("folder", "directory"),
        ("/dev/null", "character device"),
    ];
    for (name, expected) in cases {
        let results = [
            read(&scratch.env, name).await,
            scratch.env.read_head(Path::new(name), 10).await,
            write(&scratch.env, name, "x", WriteGuard::None)
                .await
                .map(|_| vec![]),
        ];
        for result in results {
            let Err(EnvError::NotRegular { kind, .. }) = result else {
                panic!("{name}: {result:?}")
            };
            assert_eq!(kind, expected);
        }
    }
    let kind = async |name| scratch.env.kind(Path::new(name)).await.unwrap();
    assert_eq!(kind("fifo").await, FileKind::Special("FIFO"));
    assert_eq!(kind("folder").await, FileKind::Folder);
    assert_eq!(kind("nothing").await, FileKind::Missing);
}

#[tokio::test]
async fn a_nul_in_a_path_is_an_error() {
    let scratch = Scratch::new();
    let path = Path::new("a\0b");
    assert!(read(&scratch.env, "a\0b").await.is_err());
    assert!(
        write(&scratch.env, path, "x", WriteGuard::None)
            .await
            .is_err()
    );
    assert!(
        scratch
            .env
            .list(path, &CancellationToken::new())
            .await
            .is_err()
    );
    assert!(scratch.env.resolve(path).await.is_err());
}

#[tokio::test]
async fn paths_are_resolved_through_links_and_beyond_what_exists() {
    let scratch = Scratch::new();
    fs::create_dir_all(scratch.path("real/sub")).unwrap();
    symlink("real/sub", scratch.path("link")).unwrap();
    symlink("link/not-there", scratch.path("dangling")).unwrap();
    symlink("loop", scratch.path("loop")).unwrap();
    let real = async |name: &str| {
        scratch
            .env
            .resolve(Path::new(name))
            .await
            .map(|path| path.as_path().to_owned())
    };
    assert_eq!(real("link").await.unwrap(), scratch.path("real/sub"));
    assert_eq!(real("link/../x/y").await.unwrap(), scratch.path("real/x/y"));
    assert_eq!(
        real("dangling").await.unwrap(),
        scratch.path("real/sub/not-there")
    );
    assert_eq!(
        real("dangling/a/../b").await.unwrap(),
        scratch.path("real/sub/not-there/b")
    );
    assert!(real("loop").await.is_err());
    scratch.put("file", "");
    assert!(real("file/below").await.is_err());
}

#[tokio::test]
async fn the_ledger_tells_whether_a_file_is_as_last_seen() {
    let scratch = Scratch::new();
    scratch.put("f", "one");
    let freshness = async || {
        let found = scratch.env.inspect(Path::new("f")).await.unwrap();
        let stamp = found.stamp.unwrap();
        let hash = || Some(ContentHash::of(&std::fs::read(scratch.path("f")).unwrap()));
        scratch.env.ledger().check(&found.path, stamp, hash)
    };
    assert_eq!(freshness().await, Freshness::NeverSeen);
    read(&scratch.env, "f").await.unwrap();
    assert_eq!(freshness().await, Freshness::Fresh);
    scratch.put("f", "three");
    assert_eq!(freshness().await, Freshness::Stale);
}

#[tokio::test]
async fn a_folder_is_listed_by_lower_case_name_without_broken_links() {
    let scratch = Scratch::new();
    for name in ["b", "B", "a", ".z", "_x", "10", "9"] {
        scratch.put(name, "");
    }
    fs::create_dir(scratch.path("Folder")).unwrap();
    symlink("Folder", scratch.path("to-folder")).unwrap();
    symlink("nowhere", scratch.path("broken")).unwrap();
    let listing = scratch
        .env
        .list(Path::new("."), &CancellationToken::new())
        .await
        .unwrap();
    let names: Vec<String> = listing
        .entries
        .into_iter()
        .map(|entry| entry.name + if entry.is_folder { "/" } else { "" })
        .collect();
    assert_eq!(
        names,
        [
            ".z",
            "10",
            "9",
            "_x",
            "a",
            "B",
            "b",
            "Folder/",
            "to-folder/"
        ]
    );
}

#[tokio::test]
async fn saved_output_is_private_and_never_meets_another() {
    let scratch = Scratch::new();
    let (first, mut file) = scratch.env.create_output_file("bash/..").unwrap();
    let (second, _) = scratch.env.create_output_file("bash/..").unwrap();
    assert_ne!(first, second);
    file.write_all(b"text").unwrap();
    assert_eq!(
        read(&scratch.env, first.to_str().unwrap()).await.unwrap(),
        b"text"
    );
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(
        (mode(&first), mode(&scratch.path("output"))),
        (0o600, 0o700)
    );
    let name = first.file_name().unwrap().to_str().unwrap();
    let number = name
        .strip_prefix("bash_..-")
        .unwrap()
        .strip_suffix(".log")
        .unwrap();
    assert!(number.len() == 16 && number.chars().all(|c| c.is_ascii_hexdigit()));
}

#[tokio::test]
async fn programs_are_found_on_the_search_path_only() {
    let scratch = Scratch::new();
    scratch.put("sh", "not a program");
    assert_eq!(scratch.env.find_program("no-such-program").await, None);
    let shell = scratch.env.find_program("sh").await.unwrap();
    assert!(shell.is_absolute() && shell != scratch.path("sh"));
    assert_eq!(scratch.env.find_program("./sh").await, None);
}
