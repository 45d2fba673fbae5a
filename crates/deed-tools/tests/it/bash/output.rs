//! How bytes of a command become text, and what is kept of them.

use std::borrow::Cow;
use std::sync::Arc;

use deed_agent::{RedactStream, Redactor};
use serde_json::json;

use super::bash;
use crate::support::Bench;

#[tokio::test]
async fn b046_a_colour_code_split_over_reads_leaves_nothing() {
    let called = bash(r"printf '\033[3'; sleep 0.05; printf '1mhi\033[0m'").await;
    assert_eq!(called.ok(), "hi");
}

#[tokio::test]
async fn bytes_of_the_other_stream_do_not_tear_a_character_or_an_escape_sequence() {
    let called = bash(
        r"printf 'a\303'; sleep 0.05; printf E >&2; sleep 0.05; printf '\251'; sleep 0.05;
          printf '\033[3' >&2; sleep 0.05; printf b; sleep 0.05; printf '1mred' >&2",
    )
    .await;
    assert_eq!(called.ok(), "aEébred");
}

#[tokio::test]
async fn b047_of_one_huge_last_line_the_end_is_shown() {
    let bench = Bench::new();
    let command = r"echo ok; head -c 150000 /dev/zero | tr '\0' z";
    let called = bench.call("bash", json!({ "command": command })).await;
    let text = called.ok();
    let (tail, notice) = text.split_once("\n\n").unwrap();
    assert_eq!(tail.len(), 50 * 1024);
    assert!(tail.bytes().all(|byte| byte == b'z'));
    let says = "[Showing the last 50.0KB of line 2 (the line is 146.5KB). Not shown: line 1 and \
                the beginning of line 2. Full output (146.5KB): ";
    assert!(notice.starts_with(says), "{notice}");
    assert_eq!(called.full_output().metadata().unwrap().len(), 150_003);
}

#[tokio::test]
async fn b049_a_final_newline_is_no_line() {
    let called = bash("seq 1 2000").await;
    let text = called.ok();
    assert!(
        text.starts_with("1\n") && text.ends_with("\n2000\n"),
        "{text}"
    );
    assert_eq!(called.detail("totalLines"), 2000);
    assert!(called.detail("truncation").is_null());
}

#[tokio::test]
async fn b050_the_last_line_is_always_there() {
    let command = r"for i in $(seq 1 29); do head -c 4095 /dev/zero | tr '\0' x; echo; done;
                    echo 'error: boom'";
    let called = bash(command).await;
    let text = called.ok();
    assert!(
        text.contains("\nerror: boom\n\n[Showing lines 18-30 of 30 (limit 50.0KB). "),
        "{text}"
    );
}

#[tokio::test]
async fn b053_control_bytes_are_written_out() {
    let called = bash(r"printf 'a\0b\001'").await;
    assert_eq!(called.ok(), r"a\x00b\x01");
    let line = serde_json::to_string(&called.result).unwrap();
    let reloaded: deed_protocol::ToolResultMessage = serde_json::from_str(&line).unwrap();
    assert_eq!(serde_json::to_string(&reloaded).unwrap(), line);
}

#[tokio::test]
async fn b055_bytes_that_are_no_text_are_replaced_once_and_saved_raw() {
    assert_eq!(bash(r"printf '\377\376A'").await.ok(), "\u{fffd}\u{fffd}A");
    let bench = Bench::new();
    let command = r"seq 1 3000; printf '\377\376A\n'";
    let called = bench.call("bash", json!({ "command": command })).await;
    assert!(called.ok().contains("\n3000\n\u{fffd}\u{fffd}A\n\n["));
    let saved = std::fs::read(called.full_output()).unwrap();
    assert!(saved.ends_with(b"3000\n\xff\xfeA\n"));
}

#[tokio::test]
async fn progress_lines_and_carriage_returns_end_in_their_last_state() {
    let called = bash(r"printf '10%%\r50%%\r100%%\r\nok\r\n'").await;
    assert_eq!(called.ok(), "100%\nok\n");
}

#[tokio::test]
async fn what_grows_beyond_the_limit_only_when_written_out_is_saved_too() {
    let bench = Bench::new();
    let command = "head -c 40000 /dev/zero";
    let called = bench.call("bash", json!({ "command": command })).await;
    assert!(
        called.ok().contains("[Showing the last "),
        "{}",
        called.text()
    );
    assert_eq!(
        std::fs::read(called.full_output()).unwrap(),
        vec![0; 40_000]
    );
}

#[tokio::test]
async fn output_that_cannot_be_saved_does_not_hurt_the_command() {
    let bench = Bench::with(|parts| {
        parts.config.output_folder = "/dev/null/output".into();
    });
    let called = bench
        .call("bash", json!({ "command": "seq 1 3000; echo done" }))
        .await;
    let text = called.ok();
    assert!(
        text.contains("\ndone\n\n[Showing lines 1002-3001 of 3001"),
        "{text}"
    );
    assert!(
        text.contains("The full output could not be saved: "),
        "{text}"
    );
    assert!(called.detail("fullOutputPath").is_null());
}

/// Knows one secret, however it is cut.
struct OneSecret;

#[derive(Default)]
struct Redacting {
    line: Vec<u8>,
}

impl Redactor for OneSecret {
    fn stream(&self) -> Option<Box<dyn RedactStream>> {
        Some(Box::new(Redacting::default()))
    }
}

impl RedactStream for Redacting {
    fn push<'a>(&'a mut self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        self.line.extend_from_slice(bytes);
        let whole = self
            .line
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        let lines: Vec<u8> = self.line.drain(..whole).collect();
        Cow::Owned(redacted(lines))
    }

    fn finish(&mut self) -> Vec<u8> {
        redacted(std::mem::take(&mut self.line))
    }
}

fn redacted(bytes: Vec<u8>) -> Vec<u8> {
    String::from_utf8(bytes)
        .unwrap()
        .replace("hunter2", "[secret]")
        .into_bytes()
}

#[tokio::test]
async fn known_secrets_reach_neither_result_nor_updates_nor_saved_output() {
    let bench = Bench::with(|parts| parts.redactor = Some(Arc::new(OneSecret)));
    let command = "printf hun; sleep 0.15; echo ter2; sleep 0.15; seq 1 2500; \
                   echo hunter2 >&2; printf 'end hunter2'";
    let called = bench.call("bash", json!({ "command": command })).await;
    assert!(
        called.ok().contains("end [secret]\n\n[Showing"),
        "{}",
        called.text()
    );
    let saved = std::fs::read_to_string(called.full_output()).unwrap();
    assert!(saved.starts_with("[secret]\n1\n"));
    for text in [called.text(), saved, format!("{:?}", called.updates)] {
        assert!(!text.contains("hunter2") && text.contains("[secret]"));
    }
}
