//! Folders, and looking for things in them.

use std::path::{Path, PathBuf};

use deed_env::EnvError;
use deed_env::file::{ListEntry, Listing};
use deed_env::search::{
    SearchReport, SearchRequest, SearchSink, WalkEntry, WalkReport, WalkRequest, WalkSink,
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{CallbackEnv, text_of};
use crate::Access;

/// How many paths are looked for where the call says nothing.
///
/// Source: Pi's `find`.
pub(super) const USUAL_LIMIT: u64 = 1000;
/// Of how many entries of a folder it is asked what they are; those behind count as files.
const MAX_LOOKS: usize = 2000;
/// Folders that Pi never looks into.
const IGNORED: [&str; 2] = ["**/node_modules/**", "**/.git/**"];

impl CallbackEnv {
    /// Lists a folder as `readdir` and `stat` tell it.
    pub(super) async fn listing(
        &self,
        path: &Path,
        cancel: &CancellationToken,
    ) -> Result<Listing, EnvError> {
        if !self.has("readdir") {
            return Err(EnvError::Unsupported(
                "list folders: the script gave no `readdir`",
            ));
        }
        let names = self.ask("readdir", path, cancel).await?;
        let mut names: Vec<String> = serde_json::from_value(names).map_err(|_| {
            let wrong = std::io::Error::other("it gave no list of names");
            EnvError::io("readdir", path, wrong)
        })?;
        names.sort_by_cached_key(|name| (name.to_lowercase(), name.clone()));
        let mut entries = Vec::with_capacity(names.len());
        for (at, name) in names.into_iter().enumerate() {
            let is_folder = match at < MAX_LOOKS && self.has("stat") {
                true => match self.ask("stat", &path.join(&name), cancel).await {
                    Ok(is_folder) => is_folder == true,
                    Err(EnvError::Cancelled) => return Err(EnvError::Cancelled),
                    // What cannot be looked at is left out.
                    Err(_) => continue,
                },
                false => false,
            };
            entries.push(ListEntry { name, is_folder });
        }
        Ok(Listing { entries })
    }

    /// Finds names as `glob` finds them.
    pub(super) async fn found(
        &self,
        request: WalkRequest,
        mut sink: Box<dyn WalkSink>,
        cancel: &CancellationToken,
    ) -> Result<WalkReport, EnvError> {
        let root = self.real(&request.root);
        if !self.has("glob") {
            return Err(EnvError::Unsupported(
                "look for names: the script gave no `glob`",
            ));
        }
        let options = json!({ "ignore": IGNORED, "limit": self.limit });
        let args = json!([request.pattern, text_of(&root)?, options]);
        let answer = self.run.call("glob", args, None).answer_unless(cancel);
        let found = answer.await?.map_err(|fault| fault.on("glob", &root))?;
        let mut entries: Vec<WalkEntry> = (found.as_array().into_iter().flatten())
            .filter_map(Value::as_str)
            .map(|path| entry(path, &root))
            .collect();
        entries.sort_by(|one, other| one.path.cmp(&other.path));
        let mut report = WalkReport::default();
        for entry in entries {
            report.entries += 1;
            if !sink.entry(entry) {
                report.ended_early = true;
                break;
            }
        }
        Ok(report)
    }

    /// Searches the files of this machine: Pi has no function for contents either.
    pub(super) async fn search_here(
        &self,
        request: SearchRequest,
        sink: Box<dyn SearchSink>,
        cancel: &CancellationToken,
    ) -> Result<SearchReport, EnvError> {
        let access = Access::Read(&request.root);
        if let Err(why) = self.bridge.options.permissions.check(&access) {
            let denied = format!("this extension isn't allowed to {access}: {why}");
            let denied = std::io::Error::new(std::io::ErrorKind::PermissionDenied, denied);
            return Err(EnvError::io("search", &request.root, denied));
        }
        self.local.search(request, sink, cancel).await
    }
}

/// Reads a path as `glob` gives it: absolute or from the root, folders with `/` at the end or not.
fn entry(path: &str, root: &Path) -> WalkEntry {
    let is_folder = path.ends_with('/');
    let path = PathBuf::from(path.trim_end_matches('/'));
    let path = path.strip_prefix(root).unwrap_or(&path);
    WalkEntry {
        path: path.to_string_lossy().into_owned(),
        is_folder,
    }
}
