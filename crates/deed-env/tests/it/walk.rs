//! Walking folders.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

use deed_env::search::{WalkEntry, WalkRequest, WalkSink};
use deed_env::{EnvError, ExecutionEnv};
use tokio_util::sync::CancellationToken;

use crate::support::{Collect, Scratch, walk};

async fn found(scratch: &Scratch, root: &str, pattern: &str) -> Vec<String> {
    walk(&scratch.env, root, pattern).await.unwrap().0
}

#[tokio::test]
async fn b076_a_pattern_with_a_slash_starts_at_the_root() {
    let scratch = Scratch::new();
    for name in [
        "src/app/src/a/b.rs",
        "src/app/pkg/src/c.rs",
        "src/app/src/d.rs",
    ] {
        scratch.put(name, "");
    }
    let root = "src/app";
    let cases: [(&str, &[&str]); 8] = [
        ("src/**/*.rs", &["src/a/b.rs", "src/d.rs"]),
        ("./src/*.rs", &["src/d.rs"]),
        ("**/src/*.rs", &["pkg/src/c.rs", "src/d.rs"]),
        ("*.rs", &["pkg/src/c.rs", "src/a/b.rs", "src/d.rs"]),
        ("SRC", &[]),
        ("src", &["pkg/src/", "src/"]),
        ("src/", &["pkg/src/", "src/"]),
        ("d.rs/", &[]),
    ];
    for (pattern, expected) in cases {
        assert_eq!(found(&scratch, root, pattern).await, expected, "{pattern}");
    }
    let absolute = format!("{}/*.rs", scratch.path("src/app/src").display());
    assert_eq!(found(&scratch, root, &absolute).await, ["src/d.rs"]);
}

#[tokio::test]
async fn only_an_upper_case_letter_makes_a_pattern_tell_cases_apart() {
    let scratch = Scratch::new();
    scratch.put("README.md", "");
    scratch.put("readme.txt", "");
    assert_eq!(
        found(&scratch, ".", "readme*").await,
        ["README.md", "readme.txt"]
    );
    assert_eq!(found(&scratch, ".", "README*").await, ["README.md"]);
}

#[tokio::test]
async fn b073_b083_a_pattern_is_no_option_and_a_bad_one_is_an_error() {
    let scratch = Scratch::new();
    scratch.put("-x", "");
    assert_eq!(found(&scratch, ".", "-x").await, ["-x"]);
    for pattern in ["a\0", "a[", ""] {
        let result = walk(&scratch.env, ".", pattern).await;
        assert!(
            matches!(result, Err(EnvError::Pattern { .. })),
            "{pattern}: {result:?}"
        );
    }
    for root in ["missing", "-x", "a\0"] {
        let result = walk(&scratch.env, root, "*").await;
        assert!(
            matches!(result, Err(EnvError::Io { .. })),
            "{root}: {result:?}"
        );
    }
}

#[tokio::test]
async fn b077_ignore_files_hold_outside_a_repository_and_in_their_own_folder() {
    let scratch = Scratch::new();
    scratch.put("a/.gitignore", "*.log\n");
    scratch.put("a/x.log", "");
    scratch.put("b/y.log", "");
    scratch.put(".git/config.log", "");
    scratch.put(".hidden.log", "");
    assert_eq!(
        found(&scratch, ".", "*.log").await,
        [".hidden.log", "b/y.log"]
    );
}

#[tokio::test]
async fn b044_brackets_in_the_root_are_no_pattern() {
    let scratch = Scratch::new();
    scratch.put("app/[id]/(g)/p.rs", "");
    assert_eq!(found(&scratch, "app/[id]", "(g)/*.rs").await, ["(g)/p.rs"]);
    assert_eq!(found(&scratch, "app/[id]/(g)", "*").await, ["p.rs"]);
}

#[tokio::test]
async fn b086_links_are_listed_and_not_followed() {
    let scratch = Scratch::new();
    fs::create_dir_all(scratch.path("d")).unwrap();
    fs::create_dir_all(scratch.path("e")).unwrap();
    symlink("..", scratch.path("d/self")).unwrap();
    symlink("../e", scratch.path("d/e")).unwrap();
    symlink("../d", scratch.path("e/d")).unwrap();
    symlink("nowhere", scratch.path("broken")).unwrap();
    assert_eq!(
        found(&scratch, ".", "*").await,
        ["broken", "d/", "d/e", "d/self", "e/", "e/d"]
    );
}

struct CancelAtFirst {
    cancel: CancellationToken,
    cancelled_at: std::sync::mpsc::Sender<Instant>,
}

impl WalkSink for CancelAtFirst {
    fn entry(&mut self, _: WalkEntry) -> bool {
        assert!(fs::read_dir("/proc/self/fd").unwrap().count() < 200);
        self.cancelled_at.send(Instant::now()).unwrap();
        self.cancel.cancel();
        true
    }
}

#[tokio::test]
async fn b085_a_walk_ends_soon_after_it_was_cancelled_or_nobody_wants_more() {
    let scratch = Scratch::new();
    for folder in 0..200 {
        fs::create_dir_all(scratch.path(&format!("{folder}/a/b/c/d"))).unwrap();
    }
    let cancel = CancellationToken::new();
    let (cancelled_at, receiver) = std::sync::mpsc::channel();
    let sink = CancelAtFirst {
        cancel: cancel.clone(),
        cancelled_at,
    };
    let request = WalkRequest {
        root: ".".into(),
        pattern: "*".into(),
    };
    let result = scratch
        .env
        .walk(request.clone(), Box::new(sink), &cancel)
        .await;
    assert!(matches!(result, Err(EnvError::Cancelled)));
    let times: Vec<Instant> = receiver.iter().collect();
    assert_eq!(times.len(), 1);
    assert!(times[0].elapsed() < Duration::from_secs(2));

    let (sink, entries) = Collect::<WalkEntry>::new(3);
    let report = scratch
        .env
        .walk(request, Box::new(sink), &CancellationToken::new())
        .await
        .unwrap();
    assert!(report.ended_early && report.entries == 3);
    assert_eq!(entries.iter().count(), 3);
}
