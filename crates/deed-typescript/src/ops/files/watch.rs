//! Changes of files and folders.

use std::collections::{HashMap, VecDeque};
use std::mem::MaybeUninit;
use std::path::Path;
use std::sync::{Arc, Mutex};

use deed_agent::BoxFuture;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::super::{OpContext, OpError, OpResult, done, lock, read, say};

/// What a script watches, by its ids.
#[derive(Default)]
pub(crate) struct Watches(Mutex<HashMap<String, Arc<Watch>>>);

impl Watches {
    /// Ends all.
    pub(crate) fn end(&self) {
        for (_, watch) in lock(&self.0).drain() {
            watch.close();
        }
    }
}

/// One thing that is watched, by a thread of its own.
#[derive(Default)]
struct Watch {
    seen: Mutex<Seen>,
    changed: Notify,
}

#[derive(Default)]
struct Seen {
    events: VecDeque<Value>,
    is_closed: bool,
}

/// How many events wait for a script that does not take them.
const MAX_WAITING: usize = 4096;
/// How often the thread looks whether it is still wanted.
const LOOK: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 200_000_000,
};

impl Watch {
    fn close(&self) {
        lock(&self.seen).is_closed = true;
        self.changed.notify_one();
    }

    fn take(&self) -> Option<Value> {
        let mut seen = lock(&self.seen);
        if seen.events.is_empty() && !seen.is_closed {
            return None;
        }
        let events: Vec<Value> = seen.events.drain(..).collect();
        Some(json!({ "events": events, "closed": seen.is_closed }))
    }
}

#[derive(Deserialize)]
struct Start {
    id: Value,
    path: String,
    #[serde(default)]
    recursive: bool,
}

pub(super) fn start(context: &OpContext, json: &str) -> OpResult {
    let args: Start = read(json)?;
    if args.recursive {
        return Err(OpError::unsupported("fs.watch with recursive"));
    }
    let path = context.readable(&args.path)?;
    let watcher = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)
        .map_err(std::io::Error::from)?;
    let wanted = WatchFlags::CREATE
        | WatchFlags::DELETE
        | WatchFlags::DELETE_SELF
        | WatchFlags::MODIFY
        | WatchFlags::ATTRIB
        | WatchFlags::MOVE
        | WatchFlags::MOVE_SELF;
    inotify::add_watch(&watcher, &path, wanted).map_err(std::io::Error::from)?;
    let own_name = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    let watch = Arc::new(Watch::default());
    let watching = watch.clone();
    let is_folder = Path::is_dir(&path);
    std::thread::Builder::new()
        .name("ts watch".to_owned())
        .stack_size(128 * 1024)
        .spawn(move || {
            watching.run(&watcher, own_name.filter(|_| !is_folder).as_deref());
            watching.close();
        })?;
    lock(&context.watches.0).insert(args.id.to_string(), watch);
    done()
}

impl Watch {
    fn run(&self, watcher: &rustix::fd::OwnedFd, own_name: Option<&str>) {
        let mut buffer = [MaybeUninit::uninit(); 16 * 1024];
        let mut reader = inotify::Reader::new(watcher, &mut buffer);
        while !lock(&self.seen).is_closed {
            let mut ready = [PollFd::new(watcher, PollFlags::IN)];
            if !matches!(poll(&mut ready, Some(&LOOK)), Ok(count) if count > 0) {
                continue;
            }
            while let Ok(event) = reader.next() {
                if event.events().contains(ReadFlags::IGNORED) {
                    return;
                }
                let renamed = ReadFlags::CREATE
                    | ReadFlags::DELETE
                    | ReadFlags::DELETE_SELF
                    | ReadFlags::MOVED_FROM
                    | ReadFlags::MOVED_TO
                    | ReadFlags::MOVE_SELF;
                let kind = if event.events().intersects(renamed) {
                    "rename"
                } else {
                    "change"
                };
                let name = event
                    .file_name()
                    .map(|name| name.to_string_lossy().into_owned());
                let name = name.or_else(|| own_name.map(str::to_owned));
                let mut seen = lock(&self.seen);
                if seen.events.len() < MAX_WAITING {
                    seen.events.push_back(json!({ "type": kind, "name": name }));
                }
                drop(seen);
                self.changed.notify_one();
            }
        }
    }
}

#[derive(Deserialize)]
struct Of {
    id: Value,
}

pub(super) fn next(context: Arc<OpContext>, json: String) -> BoxFuture<'static, OpResult> {
    Box::pin(async move {
        let Of { id } = read(&json)?;
        let watch = lock(&context.watches.0).get(&id.to_string()).cloned();
        let Some(watch) = watch else {
            return say(json!({ "events": [], "closed": true }));
        };
        loop {
            if let Some(seen) = watch.take() {
                return say(seen);
            }
            watch.changed.notified().await;
        }
    })
}

pub(super) fn stop(context: &OpContext, json: &str) -> OpResult {
    let Of { id } = read(json)?;
    let watch = lock(&context.watches.0).remove(&id.to_string());
    if let Some(watch) = watch {
        watch.close();
    }
    done()
}
