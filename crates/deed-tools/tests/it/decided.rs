//! What runs is what was decided on, even if a path leads elsewhere by then.

use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use deed_agent::{
    AllowAll, Allowed, Answer, BoxFuture, CallOutcome, Committed, FrozenCall, Gate, Question,
    Verdict,
};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::support::Bench;

/// Allows everything, and does something between the decision and the effect.
struct Meanwhile(Mutex<Option<Box<dyn FnOnce() + Send>>>);

impl Gate for Meanwhile {
    fn decide<'a>(&'a self, call: &'a FrozenCall) -> BoxFuture<'a, Verdict> {
        AllowAll.decide(call)
    }

    fn ask<'a>(
        &'a self,
        _call: &'a FrozenCall,
        _question: &'a Question,
        _cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Answer> {
        unreachable!("nothing asks")
    }

    fn commit<'a>(&'a self, batch: Vec<Allowed>) -> BoxFuture<'a, Vec<Committed>> {
        if let Some(act) = self.0.lock().unwrap().take() {
            act();
        }
        AllowAll.commit(batch)
    }

    fn outcome<'a>(
        &'a self,
        _call: &'a FrozenCall,
        _outcome: &'a CallOutcome<'a>,
    ) -> BoxFuture<'a, ()> {
        Box::pin(async {})
    }
}

/// A bench whose `ways` leads to `allowed` when a call is decided on and to `other` when it runs.
fn swapping() -> (Bench, PathBuf) {
    let gate = Arc::new(Meanwhile(Mutex::default()));
    let bench = Bench::with(|parts| parts.gate = Some(gate.clone()));
    bench.put("allowed/note.txt", "harmless\n");
    bench.put("other/note.txt", "secret\n");
    let (ways, other) = (bench.path("ways"), bench.path("other"));
    symlink(bench.path("allowed"), &ways).unwrap();
    let target = other.join("note.txt");
    *gate.0.lock().unwrap() = Some(Box::new(move || {
        std::fs::remove_file(&ways).unwrap();
        symlink(&other, &ways).unwrap();
    }));
    (bench, target)
}

#[tokio::test]
async fn a20_a_folder_swapped_for_a_link_after_the_decision_is_not_written_through() {
    for (tool, args) in [
        (
            "write",
            json!({"path": "ways/note.txt", "content": "new\n"}),
        ),
        (
            "write",
            json!({"path": "ways/fresh.txt", "content": "new\n"}),
        ),
        (
            "edit",
            json!({"path": "ways/note.txt", "edits": [{"oldText": "secret", "newText": "gone"}]}),
        ),
    ] {
        let (bench, target) = swapping();
        let called = bench.call(tool, args).await;
        assert!(called.result.is_error, "{tool}");
        let text = called.text();
        assert!(
            text.contains("when this call was allowed"),
            "{tool}: {text}"
        );
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "secret\n");
        assert!(!target.with_file_name("fresh.txt").exists());
    }
}

#[tokio::test]
async fn a_read_reads_what_was_decided_on() {
    let (bench, _) = swapping();
    let called = bench.call("read", json!({"path": "ways/note.txt"})).await;
    let text = called.text();
    assert!(!text.contains("secret"), "{text}");
}

#[tokio::test]
async fn searches_and_listings_do_not_follow_a_swapped_folder() {
    for (tool, args) in [
        ("grep", json!({"pattern": "secret", "path": "ways"})),
        ("find", json!({"pattern": "*", "path": "ways"})),
        ("ls", json!({"path": "ways"})),
    ] {
        let (bench, _) = swapping();
        let called = bench.call(tool, args).await;
        assert!(called.result.is_error, "{tool}: {called:?}");
        assert!(called.text().contains("when this call was allowed"));
    }
}
