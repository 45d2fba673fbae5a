//! The mutation queue: writes of one file in call order.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use deed_env::file::{
    FileBytes, FileKind, Inspection, LineRange, Listing, MutationQueue, MutationTurn, RealPath,
    Replaced, SeenLedger, TextSlice, WriteGuard,
};
use deed_env::process::{ExitReport, OutputSink, ProcessSpec};
use deed_env::search::{
    SearchReport, SearchRequest, SearchSink, WalkReport, WalkRequest, WalkSink,
};
use deed_env::{BoxFuture, EnvError, ExecutionEnv, MemoryEnv};
use proptest::prelude::*;
use tokio::sync::Barrier;
use tokio_util::sync::CancellationToken;

use crate::support::{Scratch, write};

/// An environment in which finding out what a path is takes as many turns of the scheduler as
/// the test says.
struct Slow<E> {
    inner: E,
    yields: Box<dyn Fn(&Path) -> usize + Send + Sync>,
}

impl<E: ExecutionEnv> ExecutionEnv for Slow<E> {
    fn cwd(&self) -> &Path {
        self.inner.cwd()
    }
    fn mutations(&self) -> &Arc<MutationQueue> {
        self.inner.mutations()
    }
    fn ledger(&self) -> &Arc<SeenLedger> {
        self.inner.ledger()
    }
    fn home(&self) -> Option<&Path> {
        self.inner.home()
    }
    fn resolve<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<RealPath, EnvError>> {
        self.inner.resolve(path)
    }
    fn kind<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<FileKind, EnvError>> {
        self.inner.kind(path)
    }
    fn inspect<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Inspection, EnvError>> {
        Box::pin(async move {
            for _ in 0..(self.yields)(path) {
                tokio::task::yield_now().await;
            }
            self.inner.inspect(path).await
        })
    }
    fn read_bytes<'a>(
        &'a self,
        path: &'a Path,
        max_bytes: u64,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<FileBytes, EnvError>> {
        self.inner.read_bytes(path, max_bytes, cancel)
    }
    fn read_head<'a>(
        &'a self,
        path: &'a Path,
        max_bytes: usize,
    ) -> BoxFuture<'a, Result<Vec<u8>, EnvError>> {
        self.inner.read_head(path, max_bytes)
    }
    fn read_lines<'a>(
        &'a self,
        path: &'a Path,
        range: LineRange,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<TextSlice, EnvError>> {
        self.inner.read_lines(path, range, cancel)
    }
    fn replace(
        &self,
        turn: MutationTurn,
        content: Vec<u8>,
        guard: WriteGuard,
        cancel: &CancellationToken,
    ) -> BoxFuture<'static, Result<Replaced, EnvError>> {
        self.inner.replace(turn, content, guard, cancel)
    }
    fn list<'a>(
        &'a self,
        path: &'a Path,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Listing, EnvError>> {
        self.inner.list(path, cancel)
    }
    fn run<'a>(
        &'a self,
        spec: ProcessSpec,
        sink: Box<dyn OutputSink>,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<ExitReport, EnvError>> {
        self.inner.run(spec, sink, cancel)
    }
    fn find_program<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Option<PathBuf>> {
        self.inner.find_program(name)
    }
    fn search<'a>(
        &'a self,
        request: SearchRequest,
        sink: Box<dyn SearchSink>,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<SearchReport, EnvError>> {
        self.inner.search(request, sink, cancel)
    }
    fn walk<'a>(
        &'a self,
        request: WalkRequest,
        sink: Box<dyn WalkSink>,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<WalkReport, EnvError>> {
        self.inner.walk(request, sink, cancel)
    }
    fn create_output_file(&self, stem: &str) -> Result<(PathBuf, fs::File), EnvError> {
        self.inner.create_output_file(stem)
    }
}

/// Appends the number of each call to its file, all calls spawned together; returns the files.
async fn append_all(
    env: Arc<dyn ExecutionEnv>,
    calls: impl IntoIterator<Item = PathBuf>,
) -> Vec<(PathBuf, Vec<usize>)> {
    let landed = Arc::new(Mutex::new(
        std::collections::BTreeMap::<_, Vec<usize>>::new(),
    ));
    let tasks: Vec<_> = calls
        .into_iter()
        .enumerate()
        .map(|(number, path)| {
            let ticket = env.mutations().ticket();
            let (env, landed) = (Arc::clone(&env), Arc::clone(&landed));
            tokio::spawn(async move {
                let cancel = CancellationToken::new();
                let turn = ticket.place(env.as_ref(), &path, &cancel).await.unwrap();
                tokio::task::yield_now().await;
                let file = turn.path().as_path().to_owned();
                landed.lock().unwrap().entry(file).or_default().push(number);
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(env.mutations().busy_files(), 0);
    let landed = landed.lock().unwrap();
    landed
        .iter()
        .map(|(path, numbers)| (path.clone(), numbers.clone()))
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn b016_writes_land_in_the_order_of_the_calls_however_slow_the_path() {
    let env = Slow {
        inner: MemoryEnv::new("/w"),
        yields: Box::new(|path| path.as_os_str().len() * 7 % 5 * 20),
    };
    let spellings = ["f", "./f", "../w/f", "x/../f"];
    let calls = (0..200).map(|number| PathBuf::from(spellings[number % spellings.len()]));
    let landed = append_all(Arc::new(env), calls).await;
    assert_eq!(
        landed,
        [(PathBuf::from("/w/f"), (0..200).collect::<Vec<_>>())]
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn b014_two_writes_of_one_file_in_one_batch_both_land() {
    let scratch = Scratch::new();
    let lines: Vec<String> = (1..=40).map(|number| format!("line {number}\n")).collect();
    scratch.put("f", lines.concat());
    let edits = [("line 5\n", "five\n"), ("line 30\n", "thirty\n")].map(|(old, new)| {
        let (ticket, env) = (scratch.env.mutations().ticket(), scratch.env.clone());
        tokio::spawn(async move {
            let cancel = CancellationToken::new();
            let turn = ticket.place(&env, Path::new("f"), &cancel).await?;
            let file = env
                .read_bytes(turn.path().as_path(), 1 << 20, &cancel)
                .await?;
            let text = String::from_utf8(file.bytes).unwrap().replace(old, new);
            let guard = WriteGuard::SameBytes { stamp: file.stamp };
            env.replace(turn, text.into(), guard, &cancel).await
        })
    });
    for edit in edits {
        edit.await.unwrap().unwrap();
    }
    let text = String::from_utf8(scratch.content("f")).unwrap();
    assert!(text.contains("line 4\nfive\nline 6\n") && text.contains("line 29\nthirty\nline 31\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn names_of_one_file_share_its_turns() {
    let scratch = Scratch::new();
    let file = scratch.put("f", "");
    fs::hard_link(&file, scratch.path("hard")).unwrap();
    symlink(&file, scratch.path("soft")).unwrap();
    let queue = scratch.env.mutations();
    let cancel = CancellationToken::new();
    let first = queue
        .ticket()
        .place(&scratch.env, Path::new("hard"), &cancel)
        .await
        .unwrap();
    for name in ["f", "soft"] {
        let mut second = Box::pin(queue.ticket().place(&scratch.env, Path::new(name), &cancel));
        let other = queue
            .ticket()
            .place(&scratch.env, Path::new("other"), &cancel);
        tokio::select! {
            biased;
            _ = &mut second => panic!("{name} did not wait"),
            turn = other => drop(turn.unwrap()),
        }
    }
    drop(first);
    drop(
        queue
            .ticket()
            .place(&scratch.env, Path::new("f"), &cancel)
            .await
            .unwrap(),
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn names_of_one_missing_file_share_its_turns() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.path("real")).unwrap();
    symlink("real", scratch.path("link")).unwrap();
    symlink("real/a/new", scratch.path("dangling")).unwrap();
    let env: Arc<dyn ExecutionEnv> = Arc::new(scratch.env.clone());
    let calls = ["link/a/new", "real/a/new", "dangling", "real/../link/a/new"];
    let landed = append_all(env, calls.map(PathBuf::from)).await;
    assert_eq!(landed, [(scratch.path("real/a/new"), vec![0, 1, 2, 3])]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn different_files_are_written_side_by_side() {
    let env = Arc::new(MemoryEnv::new("/w"));
    // Nobody passes before all have their turn.
    let all_here = Arc::new(Barrier::new(20));
    let tasks: Vec<_> = (0..20)
        .map(|number| {
            let ticket = env.mutations().ticket();
            let (env, all_here) = (Arc::clone(&env), Arc::clone(&all_here));
            tokio::spawn(async move {
                let path = PathBuf::from(format!("f{number}"));
                let turn = ticket
                    .place(env.as_ref(), &path, &CancellationToken::new())
                    .await;
                all_here.wait().await;
                drop(turn.unwrap());
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
}

#[tokio::test]
async fn a_turn_that_panics_or_fails_blocks_nobody() {
    let env = Arc::new(MemoryEnv::new("/w"));
    let cancel = CancellationToken::new();
    env.put("file", "").unwrap();
    let ticket = env.mutations().ticket();
    let panicking = {
        let (env, cancel) = (Arc::clone(&env), cancel.clone());
        tokio::spawn(async move {
            let _turn = ticket
                .place(env.as_ref(), Path::new("f"), &cancel)
                .await
                .unwrap();
            panic!("on purpose");
        })
    };
    assert!(panicking.await.is_err());
    let failing = env.mutations().ticket();
    assert!(
        failing
            .place(env.as_ref(), Path::new("file/below"), &cancel)
            .await
            .is_err()
    );
    write(env.as_ref(), "f", "x", WriteGuard::None)
        .await
        .unwrap();
    assert_eq!(env.content("f").unwrap(), b"x");
    assert_eq!(env.mutations().busy_files(), 0);
}

#[tokio::test]
async fn waiting_for_a_turn_can_be_cancelled_and_leaves_nothing() {
    let env = MemoryEnv::new("/w");
    let (go_on, cancel) = (CancellationToken::new(), CancellationToken::new());
    let first = env
        .mutations()
        .ticket()
        .place(&env, Path::new("f"), &go_on)
        .await
        .unwrap();
    let mut second = Box::pin(
        env.mutations()
            .ticket()
            .place(&env, Path::new("f"), &cancel),
    );
    let mut third = Box::pin(env.mutations().ticket().place(&env, Path::new("f"), &go_on));
    tokio::select! {
        biased;
        _ = &mut second => panic!("did not wait"),
        _ = &mut third => panic!("did not wait"),
        () = async {} => {}
    }
    cancel.cancel();
    assert!(matches!(second.await, Err(EnvError::Cancelled)));
    drop(first);
    drop(third.await.unwrap());
    assert_eq!(env.mutations().busy_files(), 0);
}

#[tokio::test]
async fn later_tickets_wait_for_earlier_ones_to_be_placed_or_dropped() {
    let env = MemoryEnv::new("/w");
    let cancel = CancellationToken::new();
    let first = env.mutations().ticket();
    let mut second = Box::pin(
        env.mutations()
            .ticket()
            .place(&env, Path::new("f"), &cancel),
    );
    tokio::select! {
        biased;
        _ = &mut second => panic!("overtook a ticket that was not placed"),
        () = async {} => {}
    }
    drop(first);
    drop(second.await.unwrap());
}

#[tokio::test]
async fn a_write_whose_future_is_dropped_keeps_its_turn_until_it_is_over() {
    let scratch = Scratch::new();
    let cancel = CancellationToken::new();
    let place = |ticket: deed_env::file::MutationTicket| {
        ticket.place(&scratch.env, Path::new("f"), &cancel)
    };
    let turn = place(scratch.env.mutations().ticket()).await.unwrap();
    let large = vec![b'a'; 8 << 20];
    let mut write = scratch.env.replace(turn, large, WriteGuard::None, &cancel);
    tokio::select! {
        biased;
        _ = &mut write => {}
        () = async {} => {}
    }
    drop(write);
    let turn = place(scratch.env.mutations().ticket()).await.unwrap();
    scratch
        .env
        .replace(turn, b"b".to_vec(), WriteGuard::None, &cancel)
        .await
        .unwrap();
    assert_eq!(scratch.content("f"), b"b");
    assert_eq!(scratch.names(), ["f"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn writes_of_each_file_land_in_call_order(
        calls in prop::collection::vec((0..4_usize, 0..30_usize), 1..60),
    ) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).build().unwrap();
        let delays: Vec<usize> = calls.iter().map(|(_, delay)| *delay).collect();
        // The path carries the number of the call, so that each has its own delay.
        let yields = move |path: &Path| {
            let number: usize = path.components().next().unwrap().as_os_str().to_str().unwrap()
                .parse().unwrap();
            delays[number]
        };
        let env = Slow { inner: MemoryEnv::new("/w"), yields: Box::new(yields) };
        let paths = calls.iter().enumerate().map(|(number, (file, _))| {
            PathBuf::from(format!("{number}/../file{file}"))
        });
        let landed = runtime.block_on(append_all(Arc::new(env), paths));
        for (path, numbers) in landed {
            let expected: Vec<usize> = calls.iter().enumerate()
                .filter(|(_, (file, _))| path.ends_with(format!("file{file}")))
                .map(|(number, _)| number).collect();
            prop_assert_eq!(numbers, expected);
        }
    }
}
