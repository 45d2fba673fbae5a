//! `deed import`: takes over what a person has in another agent.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::Context;
use deed_harness::{Import, ImportError, ImportItem, ImportKind, ImportOutcome, ImportPlaces};

use crate::cli::{ImportArgs, ImportSource, PiArgs};
use crate::exit::{Ending, complain};
use crate::places::Places;
use crate::writer::print;

/// Imports, or says what would be imported.
pub(crate) fn run(args: &ImportArgs) -> anyhow::Result<Ending> {
    let ImportSource::Pi(args) = &args.source;
    let plan = match Import::plan(&places(args)?) {
        Ok(plan) => plan,
        Err(error @ ImportError::NoFolder(_)) => {
            complain(&error.to_string());
            return Ok(Ending::Usage);
        }
        Err(error) => return Err(error.into()),
    };
    let items = match args.dry_run {
        true => plan.items().cloned().collect(),
        false => plan.carry_out(),
    };
    let text = match args.json {
        true => json(&items)?,
        false => report(&items, args.dry_run),
    };
    let failed = |item: &ImportItem| matches!(item.outcome, ImportOutcome::Failed { .. });
    match print(text.as_bytes())? {
        Ending::Done if items.iter().any(failed) => Ok(Ending::Failed),
        ending => Ok(ending),
    }
}

fn places(args: &PiArgs) -> anyhow::Result<ImportPlaces> {
    let places = Places::find();
    let missing = "there is no home folder; set HOME";
    let home = places.home.clone();
    let named = args
        .from
        .clone()
        .or_else(|| folder_in("PI_CODING_AGENT_DIR", &home));
    let default = || Some(home.as_ref()?.join(".pi/agent"));
    let pi = named.or_else(default).context(missing)?;
    Ok(ImportPlaces {
        pi: std::path::absolute(&pi).with_context(|| pi.display().to_string())?,
        pi_sessions: folder_in("PI_CODING_AGENT_SESSION_DIR", &home),
        config: places.config.context(missing)?,
        sessions: places.share.context(missing)?.join("sessions"),
        home,
    })
}

/// Returns the folder that a variable of Pi names.
fn folder_in(variable: &str, home: &Option<PathBuf>) -> Option<PathBuf> {
    let named = std::env::var_os(variable).filter(|named| !named.is_empty())?;
    let named = PathBuf::from(named);
    match (named.strip_prefix("~"), home) {
        (Ok(rest), Some(home)) => Some(home.join(rest)),
        _ => Some(named),
    }
}

fn json(items: &[ImportItem]) -> anyhow::Result<String> {
    let mut text = String::new();
    for item in items {
        text.push_str(&serde_json::to_string(item)?);
        text.push('\n');
    }
    Ok(text)
}

fn report(items: &[ImportItem], is_dry: bool) -> String {
    let mut lines = Lines::default();
    let mut sessions: BTreeMap<&str, usize> = BTreeMap::new();
    for item in items {
        let taken = matches!(item.outcome, ImportOutcome::Taken { .. });
        if taken && item.kind == ImportKind::Session {
            let (folder, _) = item.name.rsplit_once('/').unwrap_or_default();
            *sessions.entry(folder).or_default() += 1;
        } else {
            lines.item(item);
        }
    }
    for (folder, count) in sessions {
        let name = format!("{folder}/ ({count})");
        lines.line("taken", "session", &name);
    }
    lines.end(items, is_dry)
}

#[derive(Default)]
struct Lines(String);

impl Lines {
    fn line(&mut self, word: &str, kind: &str, rest: &str) {
        // Names of files are anybody's; a line break in one must not look like a line of ours.
        let rest = rest.replace(char::is_control, "\u{fffd}");
        // Writing to a string cannot fail.
        writeln!(self.0, "{word:<13}  {kind:<12}  {rest}").ok();
    }

    fn item(&mut self, item: &ImportItem) {
        let (word, more) = match &item.outcome {
            ImportOutcome::Taken { note, .. } => ("taken", note.as_deref()),
            ImportOutcome::Skipped { reason } => ("skipped", Some(reason.as_str())),
            ImportOutcome::NotSupported { reason } => ("not supported", Some(reason.as_str())),
            ImportOutcome::Failed { reason } => ("failed", Some(reason.as_str())),
        };
        let rest = match more {
            Some(more) => format!("{}: {more}", item.name),
            None => item.name.clone(),
        };
        self.line(word, word_of(item.kind), &rest);
    }

    fn end(mut self, items: &[ImportItem], is_dry: bool) -> String {
        let count =
            |is: fn(&ImportOutcome) -> bool| items.iter().filter(|item| is(&item.outcome)).count();
        let taken = count(|outcome| matches!(outcome, ImportOutcome::Taken { .. }));
        let skipped = count(|outcome| matches!(outcome, ImportOutcome::Skipped { .. }));
        let unsupported = count(|outcome| matches!(outcome, ImportOutcome::NotSupported { .. }));
        let failed = count(|outcome| matches!(outcome, ImportOutcome::Failed { .. }));
        let mut end = match is_dry {
            true => format!("would take {taken}"),
            false => format!("took {taken}"),
        };
        for (count, word) in [
            (skipped, "skipped"),
            (unsupported, "not supported"),
            (failed, "failed"),
        ] {
            if count > 0 {
                write!(end, ", {count} {word}").ok();
            }
        }
        writeln!(self.0, "{end}").ok();
        self.0
    }
}

fn word_of(kind: ImportKind) -> &'static str {
    match kind {
        ImportKind::Setting => "setting",
        ImportKind::Provider => "provider",
        ImportKind::Key => "key",
        ImportKind::Instructions => "instructions",
        ImportKind::Skill => "skill",
        ImportKind::Prompt => "prompt",
        ImportKind::Session => "session",
        ImportKind::Other => "other",
    }
}
