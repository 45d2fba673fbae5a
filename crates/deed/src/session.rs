//! `deed session`: sessions that are over.

mod listing;
pub(crate) mod transcript;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use deed_cards::ExportFormat;
use deed_env::{LocalConfig, LocalEnv};
use deed_harness::AgentSession;
use deed_harness::settings::SettingsFiles;
use deed_session::{SessionStore, SessionTree, StoreConfig};

use crate::cli::{ExportAs, SessionCommand, SessionsArgs};
use crate::exit::{Ending, complain};
use crate::places::Places;
use crate::writer::{ending_of, print};
use crate::{runtime, wiring};

/// Runs a command on sessions.
pub(crate) fn run(args: SessionsArgs) -> anyhow::Result<Ending> {
    let cwd = wiring::working_folder(None)?;
    let store = match store(args.session_dir.as_deref(), &Places::find()) {
        Ok(store) => store,
        Err(error) => return usage(&error),
    };
    let ended = match args.command {
        SessionCommand::List { all, json } => {
            return listing::print_list(&store, &cwd, (all, json));
        }
        SessionCommand::Show { session, json } => show(&store, &cwd, &session, json),
        SessionCommand::Export {
            session,
            file,
            format,
            force,
        } => {
            let to = To {
                file,
                format,
                force,
            };
            export(&store, &cwd, &session, to)
        }
        SessionCommand::Fork { session, at } => fork(&store, &cwd, &session, at.as_deref()),
    };
    ended.or_else(|error| usage(&error))
}

fn usage(error: &anyhow::Error) -> anyhow::Result<Ending> {
    complain(&format!("{error:#}"));
    Ok(Ending::Usage)
}

/// Finds where sessions are kept: what is said, what the user's settings say, else the usual place.
fn store(said: Option<&Path>, places: &Places) -> anyhow::Result<SessionStore> {
    let from_settings = || {
        let files = SettingsFiles {
            user: places
                .config
                .as_ref()
                .map(|config| config.join("settings.json")),
            project: None,
            home: places.home.clone(),
        };
        Ok::<_, anyhow::Error>(files.load(false)?.settings.session_dir)
    };
    let named = match said {
        Some(folder) => Some(folder.to_owned()),
        None => from_settings()?,
    };
    let usual = || places.share.as_ref().map(|share| share.join("sessions"));
    let root = named
        .or_else(usual)
        .context("there is no home folder with sessions; --session-dir DIR names a folder")?;
    Ok(SessionStore::new(StoreConfig::new(std::path::absolute(
        root,
    )?)))
}

fn open(store: &SessionStore, cwd: &Path, name: &str) -> anyhow::Result<SessionTree> {
    let found = store.find(name, cwd)?;
    let tree = store.open_read_only(&found.path)?;
    for diagnostic in tree.diagnostics() {
        complain(&format!("warning: {diagnostic}"));
    }
    Ok(tree)
}

fn show(store: &SessionStore, cwd: &Path, name: &str, json: bool) -> anyhow::Result<Ending> {
    let tree = open(store, cwd, name)?;
    if !json {
        let mut document = Vec::new();
        write(&tree, ExportFormat::Markdown, &mut document)?;
        return print(&document);
    }
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut print_all = || {
        for entry in tree.raw_entries(None).map_err(io::Error::other)? {
            writeln!(out, "{}", entry.get())?;
        }
        out.flush()
    };
    ending_of(print_all())
}

struct To {
    file: Option<PathBuf>,
    format: Option<ExportAs>,
    force: bool,
}

fn export(store: &SessionStore, cwd: &Path, name: &str, to: To) -> anyhow::Result<Ending> {
    let tree = open(store, cwd, name)?;
    let by_name = to.file.as_ref().and_then(|file| file.extension());
    let is_markdown = match to.format {
        Some(format) => format == ExportAs::Markdown,
        None => by_name.is_some_and(|end| end == "md" || end == "markdown"),
    };
    let (format, end) = match is_markdown {
        true => (ExportFormat::Markdown, "md"),
        false => (ExportFormat::Html, "html"),
    };
    let file = to
        .file
        .unwrap_or_else(|| format!("{}.{end}", tree.id()).into());
    let path = cwd.join(&file);
    let folder = path.parent().unwrap_or(cwd);
    // Beside its place, so that a file is whole or not there.
    let mut written = tempfile::NamedTempFile::new_in(folder)
        .with_context(|| format!("cannot write into {}", folder.display()))?;
    write(&tree, format, written.as_file_mut())?;
    let kept = match to.force {
        true => written.persist(&path),
        false => written.persist_noclobber(&path),
    };
    kept.map_err(|error| error.error).with_context(|| {
        format!(
            "cannot write {}; --force writes over a file that is there",
            path.display()
        )
    })?;
    print(format!("{}\n", file.display()).as_bytes())
}

/// Writes a session, with the cards of the tools that Deed knows.
fn write(
    tree: &SessionTree,
    format: ExportFormat,
    to: &mut (impl Write + Send),
) -> anyhow::Result<()> {
    let env = LocalEnv::new(LocalConfig {
        cwd: PathBuf::from(tree.cwd()),
        ..LocalConfig::default()
    });
    let tools = AgentSession::builder(Arc::new(env)).build()?;
    runtime::block_on(transcript::write(tree, &tools, format, to))?
}

fn fork(store: &SessionStore, cwd: &Path, name: &str, at: Option<&str>) -> anyhow::Result<Ending> {
    let found = store.find(name, cwd)?;
    let forked = match at {
        None => store.fork_file(&found.path, cwd)?,
        Some(at) => store.open(&found.path)?.fork(Some(at))?,
    };
    print(format!("{}\n", forked.id()).as_bytes())
}
