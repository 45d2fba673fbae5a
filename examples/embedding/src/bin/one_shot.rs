//! One question, one answer: an agent that may look at the files of the current folder.
#![allow(clippy::print_stdout, reason = "a program for the terminal")]

use deed_harness::wall_clock_ms;
use deed_protocol::Message;
use deed_tooling::{DefaultTools, Preset, Selection};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let session = embedding::session()
        .await?
        .selection(Selection {
            defaults: DefaultTools::from_setting::<&str>(Preset::ReadOnly, &[]),
            ..Selection::default()
        })
        .build()?;
    let question = embedding::prompt_or("What is in this folder?");
    let end = session
        .prompt(vec![Message::user(question, wall_clock_ms())])
        .await?;
    if let Some(error) = end.error {
        anyhow::bail!(error);
    }
    let answers = end.messages.iter().rev();
    let last = answers.filter_map(|message| message.as_assistant()).next();
    for block in last.iter().flat_map(|answer| &answer.content) {
        println!("{}", block.as_text().unwrap_or_default());
    }
    Ok(())
}
