//! A gate among things that fail, come back to it, or never end.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use deed_agent::BoxFuture;
use deed_guard::GuardGate;
use deed_guard::approval::{ApprovalRequest, Approver, Channel, Reply, ReplyAnswer};
use deed_guard::audit::{AuditConfig, AuditLog, Moment, VerifyOptions, verify};
use deed_guard::policy::PermissionMode;
use deed_guard::trust::StoredRules;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{Place, say, texts};

/// Panics when it is asked about some words, and asks the gate back about others.
#[derive(Default)]
struct Troubled {
    gate: OnceLock<GuardGate>,
    told: Mutex<Vec<String>>,
}

impl Approver for Troubled {
    fn channel(&self) -> Channel {
        Channel::Desktop
    }

    fn is_there(&self) -> bool {
        true
    }

    fn ask<'a>(
        &'a self,
        request: &'a ApprovalRequest,
        _cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Reply> {
        let text = request.shown.text();
        Box::pin(async move {
            assert!(!text.contains("panic"), "as told");
            if text.contains("hang") {
                std::future::pending::<()>().await;
            }
            let gate = self.gate.get().unwrap();
            gate.set_policy(gate.policy());
            gate.revoke_session_grant("none");
            Reply::new(ReplyAnswer::Always)
        })
    }

    fn tell(&self, message: &str) {
        let gate = self.gate.get().unwrap();
        gate.set_mode(PermissionMode::Default);
        let grants = gate.session_grants().len();
        self.told
            .lock()
            .unwrap()
            .push(format!("{grants} {message}"));
    }
}

#[tokio::test]
async fn an_approver_that_panics_refuses_and_one_that_asks_back_is_answered() {
    let folder = tempfile::tempdir().unwrap();
    // No file can be made below a file, so that there is something to tell.
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let stored = StoredRules::load(file.join("rules.json")).unwrap();
    let approver = Arc::new(Troubled::default());
    let place = Place::new(json!({}), |config| {
        config.approver = approver.clone();
        config.stored_rules = Some(Arc::new(Mutex::new(stored)));
    });
    approver.gate.set(place.gate.clone()).unwrap();
    let results = place
        .call(&[("act", say("panic")), ("act", say("back"))])
        .await;
    assert_eq!(texts(&results), ["asking about this call failed", "back"]);
    let told = approver.told.lock().unwrap();
    assert!(told[0].contains("for this session only"), "{told:?}");
    let events = place.events();
    assert!(events.contains(&"approval cancelled".to_owned()));
    assert!(events.contains(&"approval allow_rule".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn an_approver_that_never_comes_back_holds_no_cancelled_run() {
    let approver = Arc::new(Troubled::default());
    let place = Arc::new(Place::new(json!({}), |config| {
        config.approver = approver;
    }));
    let cancel = CancellationToken::new();
    let running = tokio::spawn({
        let (place, cancel) = (place.clone(), cancel.clone());
        async move { place.scenario.batch(&[("act", say("hang"))], &cancel).await }
    });
    while place
        .events()
        .last()
        .is_none_or(|last| last != "approval_asked")
    {
        tokio::task::yield_now().await;
    }
    cancel.cancel();
    assert_eq!(texts(&running.await.unwrap()), ["Operation aborted"]);
    assert_eq!(place.events().last().unwrap(), "approval cancelled");
}

#[tokio::test]
async fn a_panic_inside_the_log_lets_nothing_run_and_breaks_no_chain() {
    let folder = tempfile::tempdir().unwrap();
    let audit = folder.path().join("audit");
    let panics = Arc::new(AtomicBool::new(false));
    let place = Place::new(json!({"allow": ["act"]}), |config| {
        let panics = panics.clone();
        let audit = AuditConfig {
            clock: Arc::new(move || {
                assert!(!panics.load(Ordering::Relaxed), "no time");
                Moment::now()
            }),
            ..AuditConfig::new(&audit, "s1", "boot")
        };
        config.audit = Some(Arc::new(AuditLog::open(audit).unwrap().0));
    });
    panics.store(true, Ordering::Relaxed);
    let results = place.call(&[("act", say("x"))]).await;
    assert!(
        texts(&results)[0].contains("granted nothing"),
        "{results:?}"
    );
    let changing = || place.gate.set_mode(PermissionMode::AcceptEdits);
    assert!(catch_unwind(AssertUnwindSafe(changing)).is_err());
    panics.store(false, Ordering::Relaxed);
    assert_eq!(place.gate.policy().mode(), PermissionMode::AcceptEdits);
    let results = place.call(&[("act", say("x"))]).await;
    assert_eq!(texts(&results), ["x"]);
    let report = verify(&audit, &VerifyOptions::default()).unwrap();
    assert!(report.is_whole(), "{report}");
}
