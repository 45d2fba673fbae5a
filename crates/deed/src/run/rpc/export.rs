use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use deed_cards::ExportFormat;
use deed_harness::AgentSession;
use deed_session::SessionTree;
use tokio::runtime::Handle;

use crate::session::transcript;

/// Writes a session as one page; a file that is there is written over.
///
/// Errors: the session cannot be read, or the page not be written; what was there stays then.
pub(super) async fn page(session: &AgentSession, to: Option<&Path>) -> anyhow::Result<PathBuf> {
    let path = match to {
        Some(path) => path.to_owned(),
        None => {
            let id = session.session_id().unwrap_or_default();
            session.cwd().join(format!("{id}.html"))
        }
    };
    let (session, placed, runtime) = (session.clone(), path.clone(), Handle::current());
    // A thread of its own: drawing a long session takes a while, and the writer stays on one.
    let writing = tokio::task::spawn_blocking(move || {
        let page = runtime.block_on(drawn(&session))?;
        place(&page, &placed)
    });
    writing.await??;
    Ok(path)
}

async fn drawn(session: &AgentSession) -> anyhow::Result<Vec<u8>> {
    let mut page = Vec::new();
    let format = ExportFormat::Html;
    if let Some(file) = session.session_file().filter(|file| file.exists()) {
        let tree = SessionTree::open(&file)?;
        transcript::write(&tree, session, format, &mut page).await?;
        return Ok(page);
    }
    // It is not on disk, so a copy is not either; nobody else gets at the record while it is read.
    let copy = session.on_record(|record| {
        let leaf = record.leaf().cloned();
        record.fork(leaf.as_deref())
    });
    let copy = copy.context("the session keeps no record")??;
    transcript::write(copy.view(), session, format, &mut page).await?;
    Ok(page)
}

fn place(page: &[u8], path: &Path) -> anyhow::Result<()> {
    let cannot = || format!("cannot write {}", path.display());
    let folder = path.parent().with_context(cannot)?;
    // Beside its place, so that a file is whole or not there.
    let mut file = tempfile::NamedTempFile::new_in(folder).with_context(cannot)?;
    file.write_all(page).with_context(cannot)?;
    file.persist(path)
        .map_err(|error| error.error)
        .with_context(cannot)?;
    Ok(())
}
