//! `deed trust`: what a person trusts.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Context;
use deed_guard::trust::{TrustEntry, TrustKind, TrustStore};
use deed_harness::extension_files::{ExtensionPlaces, FoundExtensions};
use deed_typescript::Survey;
use jiff::Timestamp;

use crate::cli::TrustArgs;
use crate::exit::{Ending, complain};
use crate::extensions::trust_as_it_is;
use crate::places::Places;
use crate::wiring;
use crate::writer::print;

/// Lists, records or takes back trust.
pub(crate) fn run(args: &TrustArgs) -> anyhow::Result<Ending> {
    let share = Places::find().share;
    let share = share.context("there is no home folder to keep trust in; set HOME")?;
    let mut store = TrustStore::load(share.join("trust.json"))?;
    let Some(path) = &args.path else {
        return print(list(store.list()).as_bytes());
    };
    // What is to be taken back may be gone by now.
    let absolute = wiring::working_folder(None)?.join(path);
    let real = deed_harness::real(&absolute);
    let kind = match (args.extension, args.project) {
        (true, _) => TrustKind::Extension,
        (_, true) => TrustKind::Project,
        _ => TrustKind::Policy,
    };
    if args.revoke {
        let was_there = match kind {
            TrustKind::Extension => revoke_extensions(&mut store, &real)?,
            _ => store.revoke(&real)?,
        };
        if !was_there {
            complain(&format!("nothing was said of {}", real.display()));
            return Ok(Ending::Usage);
        }
        return print(format!("taken back: {}\n", real.display()).as_bytes());
    }
    if args.refuse {
        store.refuse(kind, &real, Timestamp::now())?;
        return print(format!("never trusted: {}\n", real.display()).as_bytes());
    }
    if kind == TrustKind::Project {
        if !real.is_dir() {
            complain(&format!(
                "a project is a folder, and {} is none",
                real.display()
            ));
            return Ok(Ending::Usage);
        }
        store.trust_folder(kind, &real, Timestamp::now())?;
        return print(format!("trusted, with all below it: {}\n", real.display()).as_bytes());
    }
    if kind == TrustKind::Extension {
        return trust_extensions(&mut store, &real);
    }
    let content =
        std::fs::read(&real).with_context(|| format!("cannot read {}", real.display()))?;
    store.trust(kind, &real, &content, Timestamp::now())?;
    print(format!("trusted, as it is now: {}\n", real.display()).as_bytes())
}

/// Takes back what was said of an extension, or of all in a folder, with all that they import; tells
/// whether anything was.
fn revoke_extensions(store: &mut TrustStore, path: &Path) -> anyhow::Result<bool> {
    // What is gone is known by its path alone.
    let mut was_there = store.revoke(path)?;
    for file in found_in(path).files {
        for part in Survey::of(&file.path).files {
            was_there |= store.revoke(&part.path)?;
        }
    }
    Ok(was_there)
}

fn found_in(path: &Path) -> FoundExtensions {
    FoundExtensions::find(&ExtensionPlaces {
        named: vec![path.to_owned()],
        ..ExtensionPlaces::default()
    })
}

/// Trusts an extension, or all in a folder, with all that they import.
fn trust_extensions(store: &mut TrustStore, path: &Path) -> anyhow::Result<Ending> {
    let found = found_in(path);
    anyhow::ensure!(found.problems.is_empty(), "{}", found.problems.join("\n"));
    let mut told = String::new();
    for file in &found.files {
        let grants = trust_as_it_is(store, &file.path)?;
        // Writing to a string cannot fail.
        writeln!(
            told,
            "trusted, as it is now: {}\n  it may {}, unless a policy says otherwise (`extensions`)",
            file.path.display(),
            grants.in_words()
        )
        .ok();
    }
    print(told.as_bytes())
}

fn list(entries: &[TrustEntry]) -> String {
    let mut text = String::new();
    for entry in entries {
        let kind = match entry.kind {
            TrustKind::Policy => "policy",
            TrustKind::Extension => "extension",
            TrustKind::Project => "project",
        };
        let word = match entry.is_refusal() {
            false => "trusted",
            true => "never trusted",
        };
        // Writing to a string cannot fail.
        writeln!(
            text,
            "{word}  {kind}  {}  since {:.0}",
            entry.path.display(),
            entry.decided_at
        )
        .ok();
    }
    if text.is_empty() {
        "nothing is trusted\n".clone_into(&mut text);
    }
    text
}
