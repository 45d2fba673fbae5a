//! Searching file contents.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::{Duration, Instant};

use deed_env::search::{SearchLine, SearchRequest, SearchSink};
use deed_env::{EnvError, ExecutionEnv};
use tokio_util::sync::CancellationToken;

use crate::support::{Collect, Scratch, is_rerun, places, search, search_for};

#[tokio::test]
async fn b073_a_pattern_or_path_that_looks_like_an_option_is_none() {
    let scratch = Scratch::new();
    scratch.put("-d/f", "minus -77\n--pre=sh\na->b\n");
    for (pattern, line) in [("-77", 1), ("--pre=sh", 2), ("->", 3)] {
        assert_eq!(
            places(&scratch.env, search_for(pattern, "-d")).await,
            [format!("f:{line}")]
        );
    }
}

#[test]
fn b074_no_configuration_file_changes_the_meaning() {
    let test = "search::b074_no_configuration_file_changes_the_meaning";
    let commands = "folder=$(mktemp -d); trap 'rm -r $folder' EXIT; mkdir -p $folder/git; \
        echo --fixed-strings > $folder/rc; echo '*' > $folder/git/ignore; \
        export RIPGREP_CONFIG_PATH=$folder/rc XDG_CONFIG_HOME=$folder";
    if !is_rerun(test, commands) {
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(async {
        let scratch = Scratch::new();
        scratch.put("f", "abc\na.c\n");
        assert_eq!(
            places(&scratch.env, search_for("a.c", ".")).await,
            ["f:1", "f:2"]
        );
    });
}

#[tokio::test]
async fn b077_an_ignore_file_holds_in_its_own_folder_only() {
    let scratch = Scratch::new();
    scratch.put("a/.gitignore", "*.log\n");
    scratch.put("a/x.log", "needle\n");
    scratch.put("b/y.log", "needle\n");
    scratch.put("secret", "needle\n");
    scratch.put(".hidden", "needle\n");
    scratch.put("c/.ignore", "z\n");
    scratch.put("c/z", "needle\n");
    scratch.put(".gitignore", "secret\n");
    let found = places(&scratch.env, search_for("needle", ".")).await;
    assert_eq!(found, [".hidden:1", "b/y.log:1"]);
    // In a repository, its rules end at the border of another one inside.
    scratch.put(".git/HEAD", "needle\n");
    scratch.put("inner/.git/HEAD", "needle\n");
    scratch.put("inner/secret", "needle\n");
    let found = places(&scratch.env, search_for("needle", ".")).await;
    assert_eq!(found, [".hidden:1", "b/y.log:1", "inner/secret:1"]);
}

#[tokio::test]
async fn what_is_named_as_the_root_is_searched_even_if_it_is_ignored() {
    let scratch = Scratch::new();
    scratch.put(".gitignore", "build/\n*.log\n");
    scratch.put("build/f", "needle\n");
    scratch.put("x.log", "needle\n");
    assert!(
        places(&scratch.env, search_for("needle", "."))
            .await
            .is_empty()
    );
    assert_eq!(
        places(&scratch.env, search_for("needle", "build")).await,
        ["f:1"]
    );
    assert_eq!(
        places(&scratch.env, search_for("needle", "x.log")).await,
        ["x.log:1"]
    );
}

#[tokio::test]
async fn b044_brackets_in_a_path_are_no_pattern() {
    let scratch = Scratch::new();
    scratch.put("app/[id]/(g)/p.rs", "needle\n");
    scratch.put("app/i/(g)/p.rs", "needle\n");
    for root in ["app/[id]", "app/[id]/(g)", "app/[id]/(g)/p.rs"] {
        assert_eq!(
            places(&scratch.env, search_for("needle", root)).await.len(),
            1,
            "{root}"
        );
    }
    let request = SearchRequest {
        glob: Some("*.rs".into()),
        ..search_for("needle", "app/[id]")
    };
    assert_eq!(places(&scratch.env, request).await, ["(g)/p.rs:1"]);
}

#[tokio::test]
async fn a_glob_names_files_below_the_root() {
    let scratch = Scratch::new();
    for name in ["src/a.rs", "pkg/src/a.rs", "pkg/src/b.txt", "#c.rs"] {
        scratch.put(name, "needle\n");
    }
    let cases: [(&str, &[&str]); 6] = [
        ("src/*.rs", &["src/a.rs:1"]),
        ("./src/*.rs", &["src/a.rs:1"]),
        (
            "**/src/*",
            &["pkg/src/a.rs:1", "pkg/src/b.txt:1", "src/a.rs:1"],
        ),
        ("*.txt", &["pkg/src/b.txt:1"]),
        ("!*.rs", &["pkg/src/b.txt:1"]),
        ("#*", &["#c.rs:1"]),
    ];
    for (glob, expected) in cases {
        let request = SearchRequest {
            glob: Some(glob.into()),
            ..search_for("needle", ".")
        };
        assert_eq!(places(&scratch.env, request).await, expected, "{glob}");
    }
    let request = SearchRequest {
        glob: Some("a[".into()),
        ..search_for("needle", ".")
    };
    assert!(matches!(
        search(&scratch.env, request).await,
        Err(EnvError::Pattern { .. })
    ));
}

#[tokio::test]
async fn b079_a_lone_carriage_return_ends_no_line() {
    let scratch = Scratch::new();
    scratch.put("f", "a\rb\nneedle\r\nc\n");
    let request = SearchRequest {
        context_lines: 1,
        ..search_for("needle", "f")
    };
    let (lines, _) = search(&scratch.env, request).await.unwrap();
    let shown: Vec<(u64, &str, bool)> = lines
        .iter()
        .map(|line| (line.line_1based, line.text.as_str(), line.is_match))
        .collect();
    assert_eq!(
        shown,
        [(1, "a\rb", false), (2, "needle", true), (3, "c", false)]
    );
}

#[tokio::test]
async fn b082_a_bad_pattern_is_an_error_that_says_where_and_what_to_do() {
    let scratch = Scratch::new();
    scratch.put("f", "(\n[z-a]\n");
    for (pattern, place) in [
        ("(", "at character 1:"),
        ("[z-a]", "at character 2:"),
        ("ü)", "at character 2:"),
    ] {
        let error = search(&scratch.env, search_for(pattern, "."))
            .await
            .unwrap_err()
            .to_string();
        assert!(
            error.contains(place) && error.contains("set literal to true"),
            "{error}"
        );
        let request = SearchRequest {
            literal: true,
            ..search_for(pattern, ".")
        };
        assert_eq!(
            places(&scratch.env, request).await.len(),
            usize::from(!pattern.contains('ü'))
        );
    }
    let result = search(&scratch.env, search_for("(a{1000}){1000}", ".")).await;
    assert!(
        matches!(result, Err(EnvError::Pattern { .. })),
        "{result:?}"
    );
    for literal in [false, true] {
        let request = SearchRequest {
            literal,
            ..search_for("(\n", ".")
        };
        let result = search(&scratch.env, request).await;
        assert!(
            matches!(result, Err(EnvError::Pattern { .. })),
            "{literal}: {result:?}"
        );
    }
}

#[tokio::test]
async fn b083_a_nul_is_an_error() {
    let scratch = Scratch::new();
    let result = search(&scratch.env, search_for("a\0", ".")).await;
    assert!(
        matches!(result, Err(EnvError::Pattern { .. })),
        "{result:?}"
    );
    assert!(search(&scratch.env, search_for("a", "x\0y")).await.is_err());
    let request = SearchRequest {
        glob: Some("a\0".into()),
        ..search_for("a", ".")
    };
    assert!(search(&scratch.env, request).await.is_err());
    assert!(
        search(&scratch.env, search_for("a", "missing"))
            .await
            .is_err()
    );
}

/// Cancels at the first line, and counts what still comes.
struct CancelAtFirst {
    cancel: CancellationToken,
    cancelled_at: std::sync::mpsc::Sender<Instant>,
}

impl SearchSink for CancelAtFirst {
    fn line(&mut self, _: SearchLine) -> bool {
        assert!(fs::read_dir("/proc/self/fd").unwrap().count() < 200);
        self.cancelled_at.send(Instant::now()).unwrap();
        self.cancel.cancel();
        true
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn b085_a_broad_search_ends_soon_after_it_was_cancelled() {
    let scratch = Scratch::new();
    scratch.put("a", "needle\n");
    for folder in 0..100 {
        fs::create_dir_all(scratch.path(&format!("f{folder}"))).unwrap();
        for file in 0..20 {
            fs::write(scratch.path(&format!("f{folder}/{file}")), "needle\n").unwrap();
        }
    }
    let cancel = CancellationToken::new();
    let (cancelled_at, receiver) = std::sync::mpsc::channel();
    let sink = CancelAtFirst {
        cancel: cancel.clone(),
        cancelled_at,
    };
    let result = scratch
        .env
        .search(search_for("needle", "."), Box::new(sink), &cancel)
        .await;
    assert!(matches!(result, Err(EnvError::Cancelled)));
    let times: Vec<Instant> = receiver.iter().collect();
    assert!(times[0].elapsed() < Duration::from_secs(2));
    assert_eq!(times.len(), 1);

    let huge = scratch.put("huge", "needle\n".repeat(3_000_000));
    let cancel = CancellationToken::new();
    let (cancelled_at, receiver) = std::sync::mpsc::channel();
    let sink = CancelAtFirst {
        cancel: cancel.clone(),
        cancelled_at,
    };
    let result = scratch
        .env
        .search(search_for("needle", huge), Box::new(sink), &cancel)
        .await;
    assert!(matches!(result, Err(EnvError::Cancelled)), "{result:?}");
    assert_eq!(receiver.iter().count(), 1);
}

#[tokio::test]
async fn b086_links_are_not_followed() {
    let scratch = Scratch::new();
    scratch.put("d/f", "needle\n");
    symlink("..", scratch.path("d/self")).unwrap();
    symlink("f", scratch.path("d/link")).unwrap();
    symlink("nowhere", scratch.path("broken")).unwrap();
    let (lines, report) = search(&scratch.env, search_for("needle", "."))
        .await
        .unwrap();
    assert_eq!(lines.len(), 1);
    assert!(report.unreadable.is_empty());
    symlink("d", scratch.path("root")).unwrap();
    assert_eq!(
        places(&scratch.env, search_for("needle", "root")).await,
        ["f:1"]
    );
}

#[tokio::test]
async fn b088_a_long_line_is_cut_between_characters() {
    let scratch = Scratch::new();
    for shift in 0..4 {
        let line = format!("{}{}", "x".repeat(496 + shift), "😀".repeat(30));
        scratch.put("f", format!("{line}\n"));
        let (lines, _) = search(&scratch.env, search_for("x", "f")).await.unwrap();
        assert!(lines[0].is_cut && lines[0].text.len() <= 500 && lines[0].text.len() > 496);
        assert!(line.starts_with(&lines[0].text));
    }
    scratch.put("f", format!("{}\n", "x".repeat(500)));
    assert!(!search(&scratch.env, search_for("x", "f")).await.unwrap().0[0].is_cut);
    scratch.put("f", [b"x".as_slice(), &[0xFF; 600], b"\n"].concat());
    let (lines, _) = search(&scratch.env, search_for("x", "f")).await.unwrap();
    assert!(lines[0].is_cut && lines[0].text.starts_with("x\u{fffd}"));
}

#[tokio::test]
async fn binary_files_are_skipped_and_files_without_access_are_named() {
    let scratch = Scratch::new();
    scratch.put("binary", b"\0\x01needle\n");
    scratch.put("text", "needle\n");
    symlink("/proc/self/mem", scratch.path("never-followed")).unwrap();
    assert_eq!(
        places(&scratch.env, search_for("needle", ".")).await,
        ["text:1"]
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn finds_come_in_the_order_of_paths_and_end_when_nobody_wants_more() {
    let scratch = Scratch::new();
    let mut expected = Vec::new();
    for folder in ["a", "a.b", "b"] {
        for file in 0..150 {
            // Some files have more lines than fit into what is handed over at once.
            let lines = if file % 50 == 0 { 1000 } else { 1 };
            let name = format!("{folder}/{file:03}");
            scratch.put(&name, "needle\n".repeat(lines));
            expected.extend((1..=lines).map(|line| format!("{name}:{line}")));
        }
    }
    assert_eq!(
        places(&scratch.env, search_for("needle", ".")).await,
        expected
    );
    let (sink, lines) = Collect::new(7);
    let request = search_for("needle", ".");
    let report = scratch
        .env
        .search(request, Box::new(sink), &CancellationToken::new())
        .await
        .unwrap();
    assert!(report.ended_early && report.files < 450);
    assert_eq!(lines.iter().count(), 7);
    let (_, report) = search(&scratch.env, search_for("nothing", "."))
        .await
        .unwrap();
    assert_eq!((report.files, report.ended_early), (450, false));
    let file = Path::new("a/000").to_owned();
    assert_eq!(
        places(&scratch.env, search_for("needle", file)).await.len(),
        1000
    );
}
