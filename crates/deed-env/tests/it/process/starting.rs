//! How commands start and what their ends look like.

use super::*;

#[tokio::test]
async fn exit_codes_are_reported() {
    for code in [0, 1, 3, 42, 126, 127, 255] {
        let (report, _) = run(bash(&format!("exit {code}"))).await;
        assert_eq!(report.ending, Ending::Exited(code));
        assert_eq!(report.left_running, []);
    }
}

#[tokio::test]
async fn the_code_of_a_program_that_replaced_the_shell_is_reported() {
    let (report, printed) = run(bash("exec sh -c 'echo there; exit 9'")).await;
    assert_eq!(report.ending, Ending::Exited(9));
    assert_eq!(printed.out(), "there\n");
}

#[tokio::test]
async fn a_signal_that_was_not_ours_is_told_from_a_code() {
    let (report, _) = run(bash("kill -KILL $$")).await;
    assert_eq!(report.ending, Ending::Signalled(9));
    let (report, _) = run(bash("ulimit -c 0; kill -SEGV $$")).await;
    assert_eq!(report.ending, Ending::Signalled(11));
}

#[tokio::test]
async fn the_command_gets_its_folder_arguments_and_variables() {
    let folder = tempfile::tempdir().unwrap();
    let cwd = folder.path().canonicalize().unwrap();
    let mut spec = bash("pwd; echo \"$1|$VERB|$PWD\"");
    spec.args.extend(["name".into(), "two words".into()]);
    spec.env.push(("VERB".into(), "hew".into()));
    spec.cwd.clone_from(&cwd);
    let (_, printed) = run(spec).await;
    let cwd = cwd.display();
    assert_eq!(printed.out(), format!("{cwd}\ntwo words|hew|{cwd}\n"));
}

#[tokio::test]
async fn a_relative_program_counts_from_the_working_folder() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("tool");
    std::fs::copy("/bin/sh", &script).unwrap();
    let mut spec = bash("");
    spec.program = "./tool".into();
    spec.args = vec!["-c".into(), "echo tool".into()];
    spec.cwd = folder.path().to_owned();
    let (_, printed) = run(spec).await;
    assert_eq!(printed.out(), "tool\n");
}

#[tokio::test]
async fn standard_input_is_empty_or_what_the_call_gave() {
    let (report, printed) = run(bash("cat; echo end")).await;
    assert_eq!(
        (report.ending, printed.out()),
        (Ending::Exited(0), "end\n".to_owned())
    );

    let mut spec = bash("cat | tail -c 6");
    spec.stdin = [vec![b'x'; 3_000_000], b"ending".to_vec()].concat();
    let (_, printed) = run(spec).await;
    assert_eq!(printed.out(), "ending");

    let mut spec = bash("exec <&-; echo unread");
    spec.stdin = vec![b'x'; 3_000_000];
    let (_, printed) = run(spec).await;
    assert_eq!(printed.out(), "unread\n");
}

#[tokio::test]
async fn the_command_leads_its_own_session_and_inherits_no_descriptor() {
    let _open = std::fs::File::open("/dev/null").unwrap();
    let command = "cut -d' ' -f5,6 /proc/$$/stat; echo $$; \
                   grep -E '^Sig(Blk|Ign)' /proc/self/status; exec ls /proc/self/fd";
    let (_, printed) = run(bash(command)).await;
    let out = printed.out();
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], format!("{0} {0}", lines[1]), "{out}");
    assert_eq!(lines[2], "SigBlk:\t0000000000000000");
    // The last is the folder that `ls` reads.
    assert_eq!(lines[4..], ["0", "1", "2", "3"], "{out}");
    let ignored = u64::from_str_radix(lines[3].strip_prefix("SigIgn:\t").unwrap(), 16).unwrap();
    // The C library keeps two numbers above the named ones for itself.
    assert_eq!(ignored & 0x7fff_ffff, 0, "{out}");
}

#[tokio::test]
async fn b056_a_nul_byte_is_refused_before_anything_starts() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("mark");
    let spawner = spawner();
    let mut in_variable = bash(&format!("touch {}", mark.display()));
    in_variable.env.push(("BAD".into(), "a\0b".into()));
    let in_argument = bash(&format!("touch {} \0", mark.display()));
    for (spec, what) in [
        (in_argument, "argument 2"),
        (in_variable, "the variable BAD"),
    ] {
        let (result, _) = run_on(&spawner, spec).await;
        let message = result.unwrap_err().to_string();
        assert!(
            message.contains("NUL byte") && message.contains(what),
            "{message}"
        );
    }
    assert!(!mark.exists());
}

#[tokio::test]
async fn b067_a_missing_working_folder_is_named_and_may_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let cwd = folder.path().join("gone");
    let spawner = spawner();
    let mut spec = bash("pwd");
    spec.cwd.clone_from(&cwd);
    let (result, _) = run_on(&spawner, spec.clone()).await;
    let message = match result {
        Err(error @ EnvError::WorkingFolder { .. }) => error.to_string(),
        other => panic!("{other:?}"),
    };
    assert!(
        message.contains(&format!("{} does not exist", cwd.display())),
        "{message}"
    );

    std::fs::create_dir(&cwd).unwrap();
    let (result, printed) = run_on(&spawner, spec.clone()).await;
    assert_eq!(result.unwrap().ending, Ending::Exited(0));
    assert!(printed.out().ends_with("/gone\n"));

    spec.cwd = folder.path().join("file");
    std::fs::write(&spec.cwd, "").unwrap();
    let (result, _) = run_on(&spawner, spec).await;
    assert!(
        matches!(result, Err(EnvError::WorkingFolder { .. })),
        "{result:?}"
    );
}

#[tokio::test]
async fn what_cannot_start_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let plain = folder.path().join("plain");
    std::fs::write(&plain, "text").unwrap();
    let spawner = spawner();
    let mut missing = bash("");
    missing.program = "no-such-program-here".into();
    let mut not_executable = bash("");
    not_executable.program = plain;
    let too_long = bash(&"x".repeat(3_000_000));
    for (spec, words) in [
        (missing, "no such program on the search path"),
        (not_executable, "executable"),
        (too_long, "write the long text to a file"),
    ] {
        let (result, _) = run_on(&spawner, spec).await;
        let message = result.unwrap_err().to_string();
        assert!(
            message.starts_with("cannot start ") && message.contains(words),
            "{message}"
        );
    }
}

#[tokio::test]
async fn a_program_whose_file_is_being_written_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let tool = folder.path().join("tool");
    std::fs::copy("/bin/true", &tool).unwrap();
    let writer = std::fs::OpenOptions::new()
        .append(true)
        .open(&tool)
        .unwrap();
    let mut spec = bash("");
    spec.program = tool;
    let (result, _) = run_on(&spawner(), spec).await;
    drop(writer);
    let message = result.unwrap_err().to_string();
    assert!(message.contains("open for writing"), "{message}");
}

#[tokio::test]
async fn sixteen_commands_run_side_by_side() {
    let spawner = spawner();
    let cancel = CancellationToken::new();
    let started = Instant::now();
    let calls = (0..16).map(|_| {
        let sink = Box::new(Recorder::default());
        Box::pin(spawner.run(bash("sleep 1"), sink, &cancel))
    });
    let mut calls: Vec<_> = calls.collect();
    // Poll each once so that all have started, then await them in turn.
    for call in &mut calls {
        let pending = std::future::poll_fn(|context| {
            std::task::Poll::Ready(call.as_mut().poll(context).is_pending())
        });
        assert!(pending.await);
    }
    for call in calls {
        assert_eq!(call.await.unwrap().ending, Ending::Exited(0));
    }
    let elapsed = started.elapsed();
    assert!(elapsed < Duration::from_millis(1500), "{elapsed:?}");
}
