//! A host that is asked before anything is changed. Here it allows what stays in `notes/` and refuses
//! the rest; a real one shows a window.
#![allow(clippy::print_stdout, reason = "a program for the terminal")]

use std::sync::Arc;

use deed_agent::BoxFuture;
use deed_guard::approval::{ApprovalRequest, Approver, Channel, Reply, ReplyAnswer};
use deed_guard::policy::{Ground, Policy, PolicyInput};
use deed_guard::{GuardConfig, GuardGate};
use deed_harness::wall_clock_ms;
use deed_protocol::Message;
use tokio_util::sync::CancellationToken;

struct Host;

impl Approver for Host {
    fn channel(&self) -> Channel {
        Channel::Desktop
    }

    fn is_there(&self) -> bool {
        true
    }

    fn ask<'a>(
        &'a self,
        request: &'a ApprovalRequest,
        _cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Reply> {
        let shown = request.shown.text();
        let answer = if shown.contains("/notes/") {
            ReplyAnswer::Once
        } else {
            ReplyAnswer::Deny
        };
        println!("asked: {} -> {answer:?}", request.reason);
        let mut reply = Reply::new(answer);
        // Binds the answer to what was shown: another text would be refused.
        reply.display_sha256 = Some(request.display_sha256());
        Box::pin(async move { reply })
    }
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let policy = Policy::build(PolicyInput {
        files: Vec::new(),
        ground: Ground {
            workspace: vec![std::env::current_dir()?.canonicalize()?],
            ..Ground::default()
        },
        mode: None,
    })?;
    let gate = GuardGate::new(GuardConfig {
        approver: Arc::new(Host),
        ..GuardConfig::new(policy)
    });
    let session = embedding::session().await?.guard(&gate).build()?;
    let prompt = embedding::prompt_or("Write a note.");
    let end = session
        .prompt(vec![Message::user(prompt, wall_clock_ms())])
        .await?;
    for result in end.messages.iter().filter_map(|one| one.as_tool_result()) {
        let outcome = if result.is_error { "refused" } else { "done" };
        println!("{}: {outcome}", result.tool_call_id);
    }
    Ok(())
}
