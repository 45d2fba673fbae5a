use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender, TryRecvError};
use std::sync::{Mutex, PoisonError};
use std::thread;

use grep_regex::RegexMatcher;
use tokio_util::sync::CancellationToken;

use super::{blocking, read, tree};
use crate::EnvError;
use crate::search::{
    ContentScan, SearchLine, SearchReport, SearchRequest, SearchSink, content_matcher, file_filter,
};

/// How many portions of files may be under way, and how many files a portion has at most. What is
/// found in a portion waits until the portions before it are handed over.
const MAX_PORTIONS: usize = 16;
const MAX_PORTION_FILES: usize = 32;
/// How many finds wait in a portion's channel before its thread waits too.
const MAX_WAITING_BATCHES: usize = 2;
const BATCH_LINES: usize = 64;
const BATCH_BYTES: usize = 64 * 1024;

/// Searches a file or a folder.
pub(super) fn run(
    request: &SearchRequest,
    root: &Path,
    mut sink: Box<dyn SearchSink>,
    cancel: &CancellationToken,
) -> Result<SearchReport, EnvError> {
    let matcher = content_matcher(request)?;
    let (root, metadata) = tree::real_root(root, "search")?;
    if !metadata.is_dir() {
        return one_file(request, matcher, &root, sink.as_mut(), cancel);
    }
    let files = file_filter(request.glob.as_deref(), &root)?;
    let search = FolderSearch {
        root: &root,
        request,
        matcher: &matcher,
        cancel,
        is_over: AtomicBool::new(false),
        searched: AtomicU64::new(0),
    };
    search.run(tree::walk(&root, ".rgignore", files), sink.as_mut())
}

fn one_file(
    request: &SearchRequest,
    matcher: RegexMatcher,
    path: &Path,
    sink: &mut dyn SearchSink,
    cancel: &CancellationToken,
) -> Result<SearchReport, EnvError> {
    let (file, _) = read::open_regular(path)?;
    let name = path
        .file_name()
        .unwrap_or(path.as_os_str())
        .to_string_lossy();
    let mut report = SearchReport {
        files: 1,
        ..SearchReport::default()
    };
    let content = Cancellable {
        file,
        is_over: &AtomicBool::new(false),
        cancel,
    };
    let result = ContentScan::new(request, matcher).run(&name, content, |line| {
        report.ended_early = !sink.line(line);
        !report.ended_early && !cancel.is_cancelled()
    });
    blocking::check(cancel)?;
    result.map_err(|source| EnvError::io("search", path, source))?;
    Ok(report)
}

/// A search of many files: one thread walks and hands over, others search, and the order of what
/// is handed over is that of the walk.
struct FolderSearch<'a> {
    root: &'a Path,
    request: &'a SearchRequest,
    matcher: &'a RegexMatcher,
    cancel: &'a CancellationToken,
    is_over: AtomicBool,
    searched: AtomicU64,
}

struct Portion {
    items: Vec<Item>,
    found: SyncSender<Found>,
}

enum Item {
    File(PathBuf),
    Unreadable(String),
}

enum Found {
    Lines(Vec<SearchLine>),
    Unreadable(String),
}

impl FolderSearch<'_> {
    fn run(&self, walk: ignore::Walk, sink: &mut dyn SearchSink) -> Result<SearchReport, EnvError> {
        let (portions, waiting) = mpsc::sync_channel(MAX_PORTIONS);
        let waiting = Mutex::new(waiting);
        let threads = thread::available_parallelism()
            .map_or(1, usize::from)
            .min(4);
        let mut report = SearchReport::default();
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| self.work(&waiting));
            }
            self.walk_and_hand_over(walk, portions, sink, &mut report);
            self.is_over.store(true, Ordering::Relaxed);
        });
        blocking::check(self.cancel)?;
        report.files = self.searched.load(Ordering::Relaxed);
        Ok(report)
    }

    fn walk_and_hand_over(
        &self,
        mut walk: ignore::Walk,
        portions: SyncSender<Portion>,
        sink: &mut dyn SearchSink,
        report: &mut SearchReport,
    ) {
        let mut under_way = VecDeque::new();
        let mut portion_files = 1;
        let mut portions = Some(portions);
        loop {
            while under_way.len() < MAX_PORTIONS
                && let Some(sender) = &portions
            {
                let items = self.next_items(&mut walk, portion_files);
                portion_files = (portion_files * 2).min(MAX_PORTION_FILES);
                let (found, receiver) = mpsc::sync_channel(MAX_WAITING_BATCHES);
                if items.is_empty() || sender.send(Portion { items, found }).is_err() {
                    portions = None;
                    break;
                }
                under_way.push_back(receiver);
                if !self.hand_over_ready(&mut under_way, sink, report) {
                    return;
                }
            }
            let Some(first) = under_way.front() else {
                return;
            };
            match first.recv() {
                Ok(found) => {
                    if !self.hand_over(found, sink, report) {
                        return;
                    }
                }
                Err(_) => drop(under_way.pop_front()),
            }
        }
    }

    /// Collects the next files of the walk; none means that it is over.
    fn next_items(&self, walk: &mut ignore::Walk, max: usize) -> Vec<Item> {
        let mut items = Vec::with_capacity(max);
        while items.len() < max && !self.is_over() {
            match walk.next() {
                None => break,
                Some(Err(failure)) => items.push(Item::Unreadable(failure.to_string())),
                Some(Ok(entry)) if entry.file_type().is_some_and(|kind| kind.is_file()) => {
                    items.push(Item::File(entry.into_path()));
                }
                Some(Ok(_)) => {}
            }
        }
        items
    }

    /// Hands over what is there without waiting; `false` ends the search.
    fn hand_over_ready(
        &self,
        under_way: &mut VecDeque<Receiver<Found>>,
        sink: &mut dyn SearchSink,
        report: &mut SearchReport,
    ) -> bool {
        while let Some(first) = under_way.front() {
            match first.try_recv() {
                Ok(found) => {
                    if !self.hand_over(found, sink, report) {
                        return false;
                    }
                }
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => drop(under_way.pop_front()),
            }
        }
        true
    }

    fn hand_over(
        &self,
        found: Found,
        sink: &mut dyn SearchSink,
        report: &mut SearchReport,
    ) -> bool {
        match found {
            Found::Unreadable(what) if report.unreadable.len() < tree::MAX_UNREADABLE => {
                report.unreadable.push(what);
            }
            Found::Unreadable(_) => {}
            Found::Lines(lines) => {
                for line in lines {
                    report.ended_early = !sink.line(line);
                    if report.ended_early || self.is_over() {
                        return false;
                    }
                }
            }
        }
        !report.ended_early && !self.is_over()
    }

    fn work(&self, waiting: &Mutex<Receiver<Portion>>) {
        let mut scan = ContentScan::new(self.request, self.matcher.clone());
        loop {
            let next = waiting
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .recv();
            let Ok(portion) = next else { return };
            for item in portion.items {
                if self.is_over() || !self.search_item(&mut scan, item, &portion.found) {
                    break;
                }
            }
        }
    }

    /// Searches one file; `false` if nobody waits for what is found any more.
    fn search_item(&self, scan: &mut ContentScan, item: Item, found: &SyncSender<Found>) -> bool {
        let path = match item {
            Item::File(path) => path,
            Item::Unreadable(what) => return found.send(Found::Unreadable(what)).is_ok(),
        };
        let shown = tree::shown(self.root, &path);
        let mut batch = Batch::new(found);
        let result = OpenOptions::new()
            .read(true)
            .custom_flags(libc::O_NONBLOCK | libc::O_NOFOLLOW)
            .open(&path)
            .and_then(|file| {
                let content = Cancellable {
                    file,
                    is_over: &self.is_over,
                    cancel: self.cancel,
                };
                scan.run(&shown, content, |line| batch.push(line))
            });
        self.searched.fetch_add(1, Ordering::Relaxed);
        let is_wanted = batch.send();
        match result {
            Err(failure) if !self.is_over() => found
                .send(Found::Unreadable(format!("{shown}: {failure}")))
                .is_ok(),
            _ => is_wanted,
        }
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed) || self.cancel.is_cancelled()
    }
}

/// Lines on their way to the thread that hands them over.
struct Batch<'a> {
    found: &'a SyncSender<Found>,
    lines: Vec<SearchLine>,
    bytes: usize,
}

impl<'a> Batch<'a> {
    fn new(found: &'a SyncSender<Found>) -> Self {
        Self {
            found,
            lines: Vec::new(),
            bytes: 0,
        }
    }

    fn push(&mut self, line: SearchLine) -> bool {
        self.bytes += line.path.len() + line.text.len();
        self.lines.push(line);
        let is_full = self.lines.len() >= BATCH_LINES || self.bytes >= BATCH_BYTES;
        !is_full || self.send()
    }

    fn send(&mut self) -> bool {
        self.bytes = 0;
        let lines = std::mem::take(&mut self.lines);
        lines.is_empty() || self.found.send(Found::Lines(lines)).is_ok()
    }
}

/// A file whose reading ends with an error when the search is over.
struct Cancellable<'a> {
    file: File,
    is_over: &'a AtomicBool,
    cancel: &'a CancellationToken,
}

impl Read for Cancellable<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.is_over.load(Ordering::Relaxed) || self.cancel.is_cancelled() {
            return Err(io::Error::other("the search is over"));
        }
        self.file.read(buffer)
    }
}
