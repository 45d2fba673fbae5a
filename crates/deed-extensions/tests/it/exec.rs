//! Programs that extensions run.

use std::time::Duration;

use deed_extensions::{ExecOptions, ExecOutput, ExtensionError, ToolCallEvent, ToolCallReply};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::support::{Once, Play, Played, ext};

/// Runs a program through the API of an extension.
async fn exec(
    program: &'static str,
    args: &'static [&'static str],
    options: ExecOptions,
) -> Result<ExecOutput, ExtensionError> {
    let (kept, api) = Once::new();
    let keeps = ext("keeps", move |api| {
        kept.give(api.clone());
        Ok(())
    });
    let _played: Played = Play::new().with(keeps).load(json!([{}])).await;
    api.await.unwrap().exec(program, args, options).await
}

#[tokio::test]
async fn a_program_runs_without_a_shell_in_the_folder_of_the_session() {
    let output = exec("printf", &["%s", "$HOME; ls *"], ExecOptions::default())
        .await
        .unwrap();
    assert_eq!(
        output,
        ExecOutput {
            stdout: "$HOME; ls *".to_owned(),
            stderr: String::new(),
            code: 0,
            killed: false,
            truncated: false,
        }
    );
    let sub = ExecOptions {
        cwd: Some("/".into()),
        ..ExecOptions::default()
    };
    assert_eq!(exec("pwd", &[], sub).await.unwrap().stdout, "/\n");
}

#[tokio::test]
async fn an_exit_code_is_no_error_and_a_signal_is_128_and_its_number() {
    let fails = exec(
        "sh",
        &["-c", "echo bad >&2; exit 3"],
        ExecOptions::default(),
    )
    .await
    .unwrap();
    assert_eq!(
        (fails.code, fails.stderr.as_str(), fails.killed),
        (3, "bad\n", false)
    );
    let dies = exec("sh", &["-c", "kill -9 $$"], ExecOptions::default())
        .await
        .unwrap();
    assert_eq!((dies.code, dies.killed), (137, false));
    let missing = exec("no-such-program", &[], ExecOptions::default())
        .await
        .unwrap_err();
    assert!(missing.to_string().contains("no-such-program"), "{missing}");
}

#[tokio::test]
async fn a_program_that_takes_too_long_is_ended_and_what_it_printed_is_kept() {
    let options = ExecOptions {
        timeout: Some(Duration::from_millis(300)),
        ..ExecOptions::default()
    };
    let output = exec("sh", &["-c", "echo begun; exec sleep 60"], options)
        .await
        .unwrap();
    assert_eq!((output.code, output.killed), (143, true));
    assert_eq!(output.stdout, "begun\n");
}

#[tokio::test]
async fn a_program_is_ended_by_the_token() {
    let cancel = CancellationToken::new();
    let options = ExecOptions {
        cancel: Some(cancel.clone()),
        ..ExecOptions::default()
    };
    let (started, cancelling) = (exec("sleep", &["60"], options), async {
        tokio::task::yield_now().await;
        cancel.cancel();
    });
    let (output, ()) = tokio::join!(started, cancelling);
    // Cancelled before or after its start: either way it does not go on.
    match output {
        Ok(output) => assert!(output.killed),
        Err(error) => assert_eq!(error.to_string(), "Operation aborted"),
    }
}

#[tokio::test]
async fn output_over_the_cap_is_dropped_and_the_program_goes_on() {
    let options = ExecOptions {
        max_output_bytes: 10,
        ..ExecOptions::default()
    };
    const SCRIPT: &str = "printf 12345678901; printf abc >&2; head -c 3000000 /dev/zero; exit 4";
    let output = exec("sh", &["-c", SCRIPT], options).await.unwrap();
    assert_eq!(output.stdout, "1234567890");
    assert_eq!(output.stderr, "abc", "each stream has its own cap");
    assert_eq!(
        (output.code, output.killed, output.truncated),
        (4, false, true)
    );
}

#[tokio::test]
async fn a_guard_can_decide_by_what_a_program_says() {
    let asks = ext("asks", |api| {
        let acting = api.clone();
        api.on(move |call: &mut ToolCallEvent, _| {
            let acting = acting.clone();
            Box::pin(async move {
                let say = call.input()["say"].as_str().unwrap_or_default().to_owned();
                let checked = acting
                    .exec("test", &[&say, "=", "good"], Default::default())
                    .await?;
                Ok(match checked.code {
                    0 => ToolCallReply::NoObjection,
                    code => ToolCallReply::block(format!("the check says {code}")),
                })
            })
        })?;
        Ok(())
    });
    let calls = [
        crate::support::call("good", "t", json!({ "say": "good" })),
        crate::support::call("bad", "t", json!({ "say": "bad" })),
    ];
    let played = Play::new()
        .with(asks)
        .run(crate::support::batch(&calls))
        .await;
    assert_eq!(played.text("good"), "good");
    assert_eq!(played.fault("bad"), "the check says 1");
}
