//! What every environment keeps, this machine's and the one in memory.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use deed_env::file::{FileKind, LineRange, WriteGuard};
use deed_env::search::SearchRequest;
use deed_env::{EnvError, ExecutionEnv, MemoryEnv};
use tokio_util::sync::CancellationToken;

use crate::support::{Scratch, all_lines, places, read, search_for, walk, write};

type Put = Box<dyn Fn(&str, &str)>;

/// An environment and a way to put files there behind its back.
struct Fixture {
    name: &'static str,
    env: Arc<dyn ExecutionEnv>,
    put: Put,
}

fn fixtures() -> [Fixture; 2] {
    let memory = MemoryEnv::new("/proj");
    let scratch = Scratch::new();
    [
        Fixture {
            name: "memory",
            env: Arc::new(memory.clone()),
            put: Box::new(move |path, content| memory.put(path, content).unwrap()),
        },
        Fixture {
            name: "local",
            env: Arc::new(scratch.env.clone()),
            put: Box::new(move |path, content| drop(scratch.put(path, content))),
        },
    ]
}

#[tokio::test]
async fn what_was_written_is_read() {
    for Fixture { name, env, .. } in fixtures() {
        let replaced = write(env.as_ref(), "a/b", "one\ntwo\n", WriteGuard::None)
            .await
            .unwrap();
        assert_eq!(replaced.created, Some(true), "{name}");
        assert_eq!(replaced.path.as_path(), env.cwd().join("a/b"));
        assert_eq!(
            read(env.as_ref(), "./a/../a/b").await.unwrap(),
            b"one\ntwo\n",
            "{name}"
        );
        assert_eq!(env.read_head(Path::new("a/b"), 3).await.unwrap(), b"one");
        let range = LineRange {
            first_0based: 1,
            ..all_lines()
        };
        let cancel = CancellationToken::new();
        let slice = env
            .read_lines(Path::new("a/b"), range, &cancel)
            .await
            .unwrap();
        assert_eq!(
            (slice.bytes.as_slice(), slice.total_lines),
            (b"two\n".as_slice(), Some(2))
        );
        let replaced = write(env.as_ref(), "a/b", "", WriteGuard::None)
            .await
            .unwrap();
        assert_eq!(replaced.created, Some(false));
        assert_eq!(read(env.as_ref(), "a/b").await.unwrap(), b"");
    }
}

#[tokio::test]
async fn kinds_and_errors_are_the_same() {
    for Fixture { name, env, put } in fixtures() {
        put("folder/f", "12345");
        let kind = async |path| env.kind(Path::new(path)).await;
        assert_eq!(kind("folder").await.unwrap(), FileKind::Folder);
        assert_eq!(
            kind("folder/f").await.unwrap(),
            FileKind::Regular { bytes: 5 }
        );
        assert_eq!(kind("folder/none").await.unwrap(), FileKind::Missing);
        assert!(kind("folder/f/below").await.is_err(), "{name}");
        let folder = write(env.as_ref(), "folder", "x", WriteGuard::None).await;
        assert!(
            matches!(
                folder,
                Err(EnvError::NotRegular {
                    kind: "directory",
                    ..
                })
            ),
            "{name}"
        );
        let below = write(env.as_ref(), "folder/f/below", "x", WriteGuard::None).await;
        assert!(matches!(below, Err(EnvError::Io { .. })), "{name}");
        let missing = read(env.as_ref(), "none").await;
        assert!(matches!(missing, Err(EnvError::Io { .. })), "{name}");
        let cancel = CancellationToken::new();
        let large = env.read_bytes(Path::new("folder/f"), 4, &cancel).await;
        assert!(
            matches!(
                large,
                Err(EnvError::TooLarge {
                    actual_bytes: 5,
                    ..
                })
            ),
            "{name}"
        );
        assert!(env.list(Path::new("folder/f"), &cancel).await.is_err());
        let listing = env.list(Path::new("folder"), &cancel).await.unwrap();
        assert_eq!(listing.entries.len(), 1);
        cancel.cancel();
        let cancelled = env.read_bytes(Path::new("folder/f"), 10, &cancel).await;
        assert!(matches!(cancelled, Err(EnvError::Cancelled)), "{name}");
    }
}

#[tokio::test]
async fn changes_by_others_are_noticed() {
    for Fixture { name, env, put } in fixtures() {
        put("f", "one");
        read(env.as_ref(), "f").await.unwrap();
        let guard = WriteGuard::UnchangedSinceSeen;
        write(env.as_ref(), "f", "two", guard.clone())
            .await
            .unwrap();
        write(env.as_ref(), "f", "three", guard.clone())
            .await
            .unwrap();
        put("f", "by others");
        let inspection = env.inspect(Path::new("f")).await.unwrap();
        let result = write(env.as_ref(), "f", "four", guard).await;
        assert!(matches!(result, Err(EnvError::Stale { .. })), "{name}");
        let stamp = inspection.stamp;
        let guard = WriteGuard::ChangedOnlyByUsSince { stamp };
        write(env.as_ref(), "f", "four", guard).await.unwrap();
    }
}

#[tokio::test]
async fn searches_and_walks_find_the_same() {
    for Fixture { name, env, put } in fixtures() {
        for path in ["a/x.rs", "a.rs", "b/c/y.RS", ".git/x.rs", "z.txt"] {
            put(path, "one\nneedle\nthree\n");
        }
        let request = SearchRequest {
            context_lines: 1,
            ..search_for("Needle", ".")
        };
        assert!(places(env.as_ref(), request.clone()).await.is_empty());
        let request = SearchRequest {
            ignore_case: true,
            glob: Some("*.rs".into()),
            context_lines: 0,
            ..request
        };
        assert_eq!(
            places(env.as_ref(), request).await,
            ["a/x.rs:2", "a.rs:2"],
            "{name}"
        );
        let request = SearchRequest {
            glob: Some("!b".into()),
            ..search_for("needle", ".")
        };
        assert_eq!(
            places(env.as_ref(), request).await,
            ["a/x.rs:2", "a.rs:2", "z.txt:2"],
            "{name}"
        );
        assert_eq!(
            places(env.as_ref(), search_for("needle", "a/x.rs")).await,
            ["x.rs:2"]
        );
        let (found, _) = walk(env.as_ref(), ".", "*.rs").await.unwrap();
        assert_eq!(found, ["a/x.rs", "a.rs", "b/c/y.RS"], "{name}");
        let (found, _) = walk(env.as_ref(), ".", "b/**").await.unwrap();
        assert_eq!(found, ["b/c/", "b/c/y.RS"], "{name}");
    }
}

#[tokio::test]
async fn saved_output_can_be_read() {
    use std::io::Write;

    for Fixture { name, env, .. } in fixtures() {
        let (path, mut file): (PathBuf, _) = env.create_output_file("bash").unwrap();
        file.write_all(b"some output\n").unwrap();
        assert_eq!(
            read(env.as_ref(), path.to_str().unwrap()).await.unwrap(),
            b"some output\n",
            "{name}"
        );
    }
}
