//! `deed audit`: what was written down, and whether it is as it was written.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use anyhow::Context;
use deed_guard::audit::{Anchor, Decided, Event, Filter, VerifyOptions, read, verify};
use jiff::Timestamp;

use crate::cli::{AuditCommand, ShowArgs, VerifyArgs};
use crate::exit::{Ending, complain};
use crate::places::Places;
use crate::writer::{ending_of, print};

/// Verifies or shows the log.
pub(crate) fn run(command: &AuditCommand) -> anyhow::Result<Ending> {
    match command {
        AuditCommand::Verify(args) => check(args),
        AuditCommand::Show(args) => show(args),
    }
}

fn check(args: &VerifyArgs) -> anyhow::Result<Ending> {
    let anchor = args.head.as_deref().map(anchor).transpose();
    let expected_head = match anchor {
        Ok(anchor) => anchor,
        Err(error) => return usage(&error),
    };
    let path = folder(args.path.as_ref())?;
    let options = VerifyOptions {
        expected_head,
        ..VerifyOptions::default()
    };
    let report = verify(&path, &options)?;
    let text = match args.json {
        true => format!("{}\n", serde_json::to_string_pretty(&report)?),
        false => format!("{report}\n"),
    };
    let written = print(text.as_bytes())?;
    Ok(match report.is_whole() {
        true => written,
        false => Ending::Failed,
    })
}

fn show(args: &ShowArgs) -> anyhow::Result<Ending> {
    let filter = match filter(args) {
        Ok(filter) => filter,
        Err(error) => return usage(&error),
    };
    let path = folder(args.path.as_ref())?;
    let mut out = BufWriter::new(io::stdout().lock());
    for shown in read(&path, filter)? {
        let shown = shown?;
        let written = match args.json {
            true => writeln!(out, "{}", shown.record.get()),
            false => writeln!(out, "{shown}"),
        };
        if written.is_err() {
            return ending_of(written);
        }
    }
    ending_of(out.flush())
}

fn folder(path: Option<&PathBuf>) -> anyhow::Result<PathBuf> {
    let own = || Places::find().audit;
    let path = path.cloned().or_else(own);
    let path = path.context("there is no home folder to look in; name the folder of the log")?;
    // Whether it can be read is found out by reading it.
    anyhow::ensure!(
        path.try_exists().unwrap_or(true),
        "there is no audit log in {}; the first run that is recorded there begins it",
        path.display()
    );
    Ok(path)
}

fn filter(args: &ShowArgs) -> anyhow::Result<Filter> {
    Ok(Filter {
        call: args.call.clone(),
        tool: args.tool.clone(),
        decision: named(
            args.decision.as_deref(),
            "decisions",
            Decided::named,
            Decided::ALL.iter().map(|one| one.name()),
        )?,
        event: named(
            args.event.as_deref(),
            "events",
            Event::named,
            Event::ALL.iter().map(|one| one.name()),
        )?,
        since: args.since.as_deref().map(time).transpose()?,
        until: args.until.as_deref().map(time).transpose()?,
        session: args.session.clone(),
        limit: args.limit,
    })
}

/// Reads a moment; a day is its beginning, in the time zone of the records.
fn time(text: &str) -> anyhow::Result<Timestamp> {
    let day = |_| format!("{text}T00:00:00Z").parse();
    let moment = text.parse().or_else(day).ok();
    moment.with_context(|| {
        format!("{text} is no time; write it like 2026-12-01 or 2026-12-01T09:30:00Z")
    })
}

/// Reads a word as a record would have it.
fn named<T>(
    word: Option<&str>,
    what: &str,
    find: fn(&str) -> Option<T>,
    all: impl Iterator<Item = &'static str>,
) -> anyhow::Result<Option<T>> {
    let Some(word) = word else { return Ok(None) };
    let found = find(word);
    let missing = move || {
        format!(
            "there is no {word}; the {what} are {}",
            all.collect::<Vec<_>>().join(", ")
        )
    };
    found.map(Some).with_context(missing)
}

fn anchor(text: &str) -> anyhow::Result<Anchor> {
    let wanted =
        || format!("--head {text}: expected SEQ:SHA256, as a report names the last record");
    let (seq, hash) = text.split_once(':').with_context(wanted)?;
    Ok(Anchor {
        seq: seq.parse().with_context(wanted)?,
        sha256: hash.parse().ok().with_context(wanted)?,
    })
}

fn usage(error: &anyhow::Error) -> anyhow::Result<Ending> {
    complain(&format!("{error:#}"));
    Ok(Ending::Usage)
}
