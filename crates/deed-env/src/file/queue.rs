use std::collections::{BTreeMap, HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::file::{Inspection, RealPath};
use crate::{EnvError, ExecutionEnv};

/// Keeps writes of one file in call order.
///
/// A call takes a [`MutationTicket`] at once, when it is dispatched; the file is found out later,
/// which may take a while. Turns of one file come one after the other in the order of the
/// tickets, turns of different files side by side. A turn that fails or panics blocks nobody.
#[derive(Debug, Default)]
pub struct MutationQueue {
    state: Mutex<QueueState>,
}

#[derive(Debug, Default)]
struct QueueState {
    next_id: u64,
    /// Tickets whose file is not known yet, with whom to tell when no earlier one is left.
    unplaced: BTreeMap<u64, Option<oneshot::Sender<()>>>,
    lanes: HashMap<Lane, VecDeque<u64>>,
    waiting: HashMap<u64, WaitingTurn>,
}

#[derive(Debug)]
struct WaitingTurn {
    lanes: Vec<Lane>,
    ready: oneshot::Sender<()>,
}

/// What makes two writes meet. A turn stands in the lane of its path and, if the file has other
/// names, in that of the file itself too: the path alone would miss hard links, the inode alone
/// changes with every rename and does not exist before the first write.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Lane {
    Path(PathBuf),
    Inode { device: u64, inode: u64 },
}

impl MutationQueue {
    /// Takes the next place in the order of calls. Never blocks.
    pub fn ticket(self: &Arc<Self>) -> MutationTicket {
        let mut state = self.lock();
        let id = state.next_id;
        state.next_id += 1;
        state.unplaced.insert(id, None);
        MutationTicket {
            queue: Arc::clone(self),
            id,
        }
    }

    /// Returns how many files have a turn that runs or waits.
    pub fn busy_files(&self) -> usize {
        self.lock()
            .lanes
            .keys()
            .filter(|lane| matches!(lane, Lane::Path(_)))
            .count()
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl QueueState {
    fn is_ready(&self, id: u64, lanes: &[Lane]) -> bool {
        lanes.iter().all(|lane| {
            self.lanes
                .get(lane)
                .is_none_or(|queue| queue.front() == Some(&id))
        })
    }

    fn leave_unplaced(&mut self, id: u64) {
        self.unplaced.remove(&id);
        if let Some(mut first) = self.unplaced.first_entry()
            && let Some(waiter) = first.get_mut().take()
        {
            // A receiver that is gone has dropped its ticket, or is about to.
            waiter.send(()).ok();
        }
    }

    fn leave_lanes(&mut self, id: u64, lanes: &[Lane]) {
        self.waiting.remove(&id);
        let mut next = Vec::new();
        for lane in lanes {
            let Some(queue) = self.lanes.get_mut(lane) else {
                continue;
            };
            queue.retain(|other| *other != id);
            match queue.front() {
                Some(front) => next.push(*front),
                None => {
                    self.lanes.remove(lane);
                }
            }
        }
        for id in next {
            if self
                .waiting
                .get(&id)
                .is_some_and(|turn| self.is_ready(id, &turn.lanes))
                && let Some(turn) = self.waiting.remove(&id)
            {
                turn.ready.send(()).ok();
            }
        }
    }
}

/// A place in the order of calls, taken before the file is known.
///
/// Place it before awaiting anything else: later tickets wait for it. Dropping it gives the place
/// up.
#[derive(Debug)]
#[must_use = "later tickets wait until this one is placed or dropped"]
pub struct MutationTicket {
    queue: Arc<MutationQueue>,
    id: u64,
}

impl MutationTicket {
    /// Finds out which file `path` is, queues on it in the order of the tickets, and waits until
    /// all earlier turns of that file are over.
    ///
    /// Errors: as [`ExecutionEnv::inspect`].
    ///
    /// Cancellation: gives the place up, [`EnvError::Cancelled`].
    pub async fn place(
        self,
        env: &dyn ExecutionEnv,
        path: &Path,
        cancel: &CancellationToken,
    ) -> Result<MutationTurn, EnvError> {
        let cancelled = || EnvError::Cancelled;
        let file = cancel
            .run_until_cancelled(env.inspect(path))
            .await
            .ok_or_else(cancelled)??;
        if let Some(first) = self.until_first() {
            // The sender lives as long as the ticket; an error cannot happen and would be harmless.
            drop(
                cancel
                    .run_until_cancelled(first)
                    .await
                    .ok_or_else(cancelled)?,
            );
        }
        let (turn, ready) = self.enqueue(file);
        if let Some(ready) = ready {
            drop(
                cancel
                    .run_until_cancelled(ready)
                    .await
                    .ok_or_else(cancelled)?,
            );
        }
        Ok(turn)
    }

    /// Returns what to wait for until no earlier ticket is open; `None` if none is.
    fn until_first(&self) -> Option<oneshot::Receiver<()>> {
        let mut state = self.queue.lock();
        if state
            .unplaced
            .first_key_value()
            .is_none_or(|(first, _)| *first == self.id)
        {
            return None;
        }
        let (sender, receiver) = oneshot::channel();
        state.unplaced.insert(self.id, Some(sender));
        Some(receiver)
    }

    fn enqueue(self, file: Inspection) -> (MutationTurn, Option<oneshot::Receiver<()>>) {
        let mut lanes = vec![Lane::Path(file.path.as_path().to_owned())];
        if file.has_other_names
            && let Some(stamp) = file.stamp
        {
            lanes.push(Lane::Inode {
                device: stamp.device,
                inode: stamp.inode,
            });
        }
        let mut state = self.queue.lock();
        for lane in &lanes {
            state
                .lanes
                .entry(lane.clone())
                .or_default()
                .push_back(self.id);
        }
        let ready = if state.is_ready(self.id, &lanes) {
            None
        } else {
            let (sender, receiver) = oneshot::channel();
            state.waiting.insert(
                self.id,
                WaitingTurn {
                    lanes: lanes.clone(),
                    ready: sender,
                },
            );
            Some(receiver)
        };
        drop(state);
        let turn = MutationTurn {
            queue: Arc::clone(&self.queue),
            id: self.id,
            lanes,
            path: file.path,
        };
        (turn, ready)
    }
}

impl Drop for MutationTicket {
    fn drop(&mut self) {
        self.queue.lock().leave_unplaced(self.id);
    }
}

/// The right to change one file now; others of the same file wait until it is dropped.
///
/// It moves into the blocking closure that does the work, so that a call that was let go still
/// keeps later writes of the file waiting until its own is over.
#[derive(Debug)]
#[must_use = "dropping a turn ends it"]
pub struct MutationTurn {
    queue: Arc<MutationQueue>,
    id: u64,
    lanes: Vec<Lane>,
    path: RealPath,
}

impl MutationTurn {
    /// Returns the file.
    pub fn path(&self) -> &RealPath {
        &self.path
    }
}

impl Drop for MutationTurn {
    fn drop(&mut self) {
        self.queue.lock().leave_lanes(self.id, &self.lanes);
    }
}
