use std::path::Path;

use ignore::overrides::Override;

use super::tree::{self, Tree};
use crate::EnvError;
use crate::file::FileKind;
use crate::search::{
    ContentScan, EntryPattern, SearchReport, SearchRequest, SearchSink, WalkEntry, WalkReport,
    WalkRequest, WalkSink, content_matcher, file_filter,
};

pub(super) fn search(
    tree: &Tree,
    request: &SearchRequest,
    root: &Path,
    sink: &mut dyn SearchSink,
) -> Result<SearchReport, EnvError> {
    let mut scan = ContentScan::new(request, content_matcher(request)?);
    let filter = file_filter(request.glob.as_deref(), root)?;
    let mut files: Vec<&Path> = match tree.kind(root)? {
        FileKind::Folder => entries(tree, root)
            .filter(|(path, is_folder)| !is_folder && !is_left_out(&filter, root, path))
            .map(|(path, _)| path)
            .collect(),
        _ => vec![root],
    };
    files.sort();
    let mut report = SearchReport::default();
    for file in files {
        let (bytes, _) = tree.read(file)?;
        report.files += 1;
        let shown = match file.strip_prefix(root) {
            Ok(below) if below != Path::new("") => below.to_string_lossy().into_owned(),
            _ => tree::name(file),
        };
        scan.run(&shown, bytes.as_ref(), |line| {
            report.ended_early = !sink.line(line);
            !report.ended_early
        })
        .map_err(|source| EnvError::io("search", file, source))?;
        if report.ended_early {
            break;
        }
    }
    Ok(report)
}

pub(super) fn walk(
    tree: &Tree,
    request: &WalkRequest,
    root: &Path,
    sink: &mut dyn WalkSink,
) -> Result<WalkReport, EnvError> {
    let pattern = EntryPattern::new(request)?;
    tree.list(root)?;
    let mut found: Vec<(&Path, bool)> = entries(tree, root).collect();
    found.sort();
    let mut report = WalkReport::default();
    for (path, is_folder) in found {
        report.entries += 1;
        let relative = path.strip_prefix(root).unwrap_or(path);
        let shown = relative.to_string_lossy().into_owned();
        if pattern.matches(root, relative, is_folder)
            && !sink.entry(WalkEntry {
                path: shown,
                is_folder,
            })
        {
            report.ended_early = true;
            break;
        }
    }
    Ok(report)
}

/// Returns what is below a folder, but for the data of repositories.
fn entries<'a>(tree: &'a Tree, root: &'a Path) -> impl Iterator<Item = (&'a Path, bool)> + 'a {
    tree.below(root).filter(move |(path, _)| {
        path.strip_prefix(root)
            .is_ok_and(|below| !below.components().any(|name| name.as_os_str() == ".git"))
    })
}

fn is_left_out(filter: &Override, root: &Path, path: &Path) -> bool {
    filter.matched(path, false).is_ignore()
        || path
            .ancestors()
            .skip(1)
            .take_while(|folder| *folder != root)
            .any(|folder| filter.matched(folder, true).is_ignore())
}
