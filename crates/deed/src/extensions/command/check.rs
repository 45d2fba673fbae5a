use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use deed_harness::AgentSession;
use deed_harness::extension_files::{ExtensionFile, ExtensionPlaces, FoundExtensions};
use deed_harness::settings::Durability;
use deed_typescript::{
    Access, How, Permissions, ScriptExtension, ScriptOptions, Support, Survey, Used, hints, support,
};
use serde::Serialize;

use super::super::accept::grants_of;
use crate::exit::{Ending, complain};
use crate::places::Places;
use crate::writer::print;
use crate::{runtime, wiring};

/// What was found of one extension.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Checked {
    path: PathBuf,
    /// Whether it can be loaded.
    loads: bool,
    /// What keeps it from that, or will when it runs.
    faults: Vec<String>,
    /// What it uses and does not get, or gets in part, with the place.
    unsupported: Vec<String>,
    /// What its author might look at again.
    hints: Vec<String>,
    /// How many files belong to it.
    files: usize,
    wants: String,
    tools: Vec<String>,
    commands: Vec<String>,
    flags: Vec<String>,
}

/// Lets reading pass, which code that loads may need, and nothing that has an effect.
struct OnlyReads;

impl Permissions for OnlyReads {
    fn check(&self, access: &Access<'_>) -> Result<(), String> {
        match access {
            Access::Read(_) => Ok(()),
            _ => Err("`deed extension check` lets nothing happen".to_owned()),
        }
    }
}

/// Checks extensions.
pub(super) fn run(paths: &[PathBuf], as_json: bool) -> anyhow::Result<Ending> {
    let cwd = wiring::working_folder(None)?;
    let found = FoundExtensions::find(&ExtensionPlaces {
        named: paths.iter().map(|path| cwd.join(path)).collect(),
        ..ExtensionPlaces::default()
    });
    for problem in &found.problems {
        complain(problem);
    }
    if !found.problems.is_empty() {
        return Ok(Ending::Usage);
    }
    let checked = runtime::run(all(found.files, cwd))??;
    let is_sound = checked.iter().all(|checked| checked.faults.is_empty());
    let text = match as_json {
        true => format!("{}\n", serde_json::to_string_pretty(&checked)?),
        false => checked.iter().map(in_words).collect(),
    };
    let printed = print(text.as_bytes())?;
    Ok(match is_sound {
        true => printed,
        false => Ending::Failed,
    })
}

async fn all(files: Vec<ExtensionFile>, cwd: PathBuf) -> anyhow::Result<Vec<Checked>> {
    let support = support().await?;
    let mut checked = Vec::with_capacity(files.len());
    for file in files {
        checked.push(one(&file, &cwd, &support).await?);
    }
    Ok(checked)
}

/// Looks at an extension's files, then loads it into a session of its own.
async fn one(file: &ExtensionFile, cwd: &Path, support: &Support) -> anyhow::Result<Checked> {
    let survey = Survey::of(&file.path);
    let mut checked = Checked {
        path: file.path.clone(),
        files: survey.files.len(),
        wants: grants_of(&survey.wants).in_words(),
        faults: survey.faults.clone(),
        unsupported: unsupported(&survey, support),
        ..Checked::default()
    };
    let places = Places::find();
    let env = Arc::new(wiring::environment(
        cwd.to_owned(),
        &places,
        Durability::Normal,
    ));
    let mut options = ScriptOptions::new(cwd);
    options.permissions = Arc::new(OnlyReads);
    let source = file.source();
    let extension = ScriptExtension::new(&file.path, options).with_source(source.clone());
    let session = AgentSession::builder(env)
        .extension(Arc::new(extension))
        .build_to_start()
        .await
        .context("a session to load it into")?;
    let problems = session.diagnostics();
    checked.loads = session.extensions().extensions().len() == 1;
    for problem in problems {
        let told = problem.problem.to_string();
        // The survey has told what is wrong with the text, in the same words.
        if !checked
            .faults
            .iter()
            .any(|known| told.contains(known.as_str()))
        {
            checked.faults.push(told);
        }
    }
    let tools = session.registry().get_all_tools();
    let own = tools
        .iter()
        .filter(|tool| tool.source_info.path == source.path);
    checked.tools = own.map(|tool| tool.name.to_string()).collect();
    let registered = checked.tools.iter();
    let registered: Vec<_> = registered
        .filter_map(|name| session.registry().get(name))
        .collect();
    let hints = hints(&survey, registered.iter().map(|tool| tool.spec()));
    checked.hints = hints.iter().map(ToString::to_string).collect();
    let commands = session.commands();
    checked.commands = commands
        .iter()
        .map(|it| it.invocation.to_string())
        .collect();
    let flags = session.extensions().flags();
    checked.flags = flags.iter().map(|flag| flag.name.to_string()).collect();
    session.close().await;
    Ok(checked)
}

/// Tells what an extension uses that this program does not have, or has in part.
fn unsupported(survey: &Survey, support: &Support) -> Vec<String> {
    let told = survey.uses.iter().filter_map(|used| {
        let what = match &used.used {
            Used::Import { module, name } => format!("{} of {module}", name.as_deref()?),
            Used::Member { object, member } => format!("{object}.{member}"),
        };
        let how = match &support.of(&used.used)?.how {
            How::Whole => return None,
            How::Part(note) => format!("in part: {note}"),
            How::Refused(None) => "not supported; using it throws".to_owned(),
            How::Refused(Some(note)) => format!("not supported, using it throws: {note}"),
        };
        let place = format!("{}:{}", used.file.display(), used.line_1based);
        Some(format!("{place}: {what}: {how}"))
    });
    let mut told: Vec<String> = told.collect();
    told.dedup();
    told
}

fn in_words(checked: &Checked) -> String {
    let mut text = String::new();
    let files = match checked.files {
        1 => "1 file".to_owned(),
        many => format!("{many} files"),
    };
    let state = match checked.loads {
        true => "loads",
        false => "does not load",
    };
    // Writing to a string cannot fail.
    writeln!(text, "{}: {state} ({files})", checked.path.display()).ok();
    for fault in &checked.faults {
        writeln!(text, "  fault: {fault}").ok();
    }
    for (word, lines) in [("uses", &checked.unsupported), ("hint", &checked.hints)] {
        for line in lines {
            writeln!(text, "  {word}: {line}").ok();
        }
    }
    let lists = [
        ("tools", &checked.tools, ""),
        ("commands", &checked.commands, "/"),
        ("flags", &checked.flags, "--"),
    ];
    for (what, names, before) in lists {
        if !names.is_empty() {
            let names: Vec<_> = names.iter().map(|name| format!("{before}{name}")).collect();
            writeln!(text, "  {what}: {}", names.join(", ")).ok();
        }
    }
    writeln!(text, "  wants to: {}", checked.wants).ok();
    text
}
