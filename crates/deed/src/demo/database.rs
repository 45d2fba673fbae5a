//! An agent reads a database, and a person allows each write: the program of
//! `examples/desktop-database`, told as it goes.

use std::fmt::Write as _;
use std::sync::Arc;

use anyhow::Context;
use deed_guard::audit::Shown;
use deed_sql::Database;
use desktop_database::{Desktop, Person, Setup, make_shop};

use super::{Stage, ending_of_run};
use crate::exit::Ending;
use crate::guard::user;
use crate::terminal::Terminal;

/// Records that tell the story of a call; all of them are in the log.
const TOLD: [&str; 5] = ["decision", "approval", "intent", "outcome", "turned_away"];

/// Runs the agent on the database.
pub(super) async fn play(stage: &Stage, asks: bool) -> anyhow::Result<Ending> {
    let folder = stage.scratch.join("shop");
    std::fs::create_dir(&folder).context("cannot make the folder of the database")?;
    make_shop(&folder.join("shop.db")).context("cannot make the database of the demo")?;
    let setup = Setup {
        audit: folder.join("audit"),
        session: "demo".to_owned(),
        database: Database::parse("shop=sqlite:shop.db", &folder)?,
        is_scripted: !asks,
        folder,
    };
    let desktop = match asks {
        true => Desktop::start(setup, Terminal::new(stage.look.clone(), user())).await?,
        false => Desktop::start(setup, person(stage)).await?,
    };
    stage.show(&desktop.session);
    let done = desktop.run().await?;
    if done.error.is_none() && !done.aborted {
        let text = summary(stage, &desktop)?;
        stage.writer.text(text).await;
    }
    Ok(ending_of_run(&done))
}

/// What the person is asked and answers stands in the transcript, where a real one would see a
/// dialog.
fn person(stage: &Stage) -> Person {
    let (writer, look) = (stage.writer.clone(), stage.look.clone());
    Person::new(Arc::new(move |said| {
        let drawn = deed_cards::draw_speech("person (scripted)", &said, &look.card_text());
        writer.text_soon(drawn);
    }))
}

fn summary(stage: &Stage, desktop: &Desktop) -> anyhow::Result<String> {
    let mut text = "The record of it, as `deed audit show` prints it:\n".to_owned();
    let is_told = |record: &&Shown| {
        let event = |event: &str| {
            record
                .record
                .get()
                .contains(&format!("\"event\":\"{event}\""))
        };
        TOLD.iter().any(|told| event(told))
    };
    for record in desktop.records()?.iter().filter(is_told) {
        // Writing to a string cannot fail.
        writeln!(text, "  {record}").ok();
    }
    writeln!(text, "\naudit: {}", desktop.verify()?).ok();
    // Records are shortened by a sign that not every terminal has.
    Ok(match stage.look.unicode {
        true => text,
        false => text.replace('…', "..."),
    })
}
