use std::sync::Arc;
use std::time::Duration;

use deed_agent::{Access, Limits};
use deed_guard::approval::ReplyAnswer;
use deed_guard::audit::{AuditConfig, AuditLog, Filter, VerifyOptions, read, verify};
use deed_guard::redact::{KnownSecret, SecretRedactor};
use deed_protocol::ToolResult;
use deed_schema::Sha256Hash;
use deed_testing::FakeTool;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{Place, policy, say, texts};

#[tokio::test]
async fn b148_each_call_is_on_record_with_who_allowed_it_and_under_which_rules() {
    let rules = json!({"allow": ["act(say:fine)"], "deny": ["act(say:never)"]});
    let place = Place::with_rules(rules.clone());
    place.person.answers("please", ReplyAnswer::Once);
    let calls = ["fine", "please", "never"].map(|word| ("act", say(word)));
    place.call(&calls).await;
    let records = place.records();
    let of = |id: &str, event: &str| -> Value {
        let found = |record: &&Value| record["call_id"] == id && record["event"] == event;
        records.iter().find(found).cloned().unwrap_or_default()
    };
    let version = policy(rules).version().to_string();
    for (id, decision, rule) in [
        ("c1", "allow", "user:permissions.allow[0] act(say:fine)"),
        ("c2", "ask", "mode:default"),
        ("c3", "deny", "user:permissions.deny[0] act(say:never)"),
    ] {
        let record = of(id, "decision");
        assert_eq!(record["decision"], decision);
        assert_eq!(record["rule_id"], rule);
        assert_eq!(record["policy_sha256"], version.as_str());
        let args = of(id, "call");
        assert_eq!(record["args_sha256"], args["args_sha256"]);
        assert_eq!(args["tool_source"], "<sdk:act>");
    }
    let answer = of("c2", "approval");
    assert_eq!(answer["approval"]["decision"], "allow_once");
    assert_eq!(answer["approval"]["channel"], "desktop");
    assert_eq!(
        of("c3", "intent"),
        Value::Null,
        "what is denied has no intent"
    );
    let outcome = of("c2", "outcome");
    assert_eq!(outcome["grant"], of("c2", "intent")["grant"]);
    assert_eq!(outcome["result"]["is_error"], false);
    let report = verify(
        &place.folder.path().join("audit"),
        &VerifyOptions::default(),
    )
    .unwrap();
    assert!(report.is_whole(), "{report}");
}

#[tokio::test]
async fn the_intent_is_written_before_the_effect() {
    let place = Arc::new(Place::with_rules(json!({"allow": ["effect"]})));
    let seen = Arc::downgrade(&place);
    let effect = FakeTool::new("effect")
        .accesses(Access::Opaque)
        .acts(move |_, _| {
            let place = seen.upgrade().unwrap();
            async move { Ok(ToolResult::text(place.events().join(" "))) }
        });
    let scenario = place.scenario.clone().tool(effect);
    let calls = [("effect", json!({}))];
    let results = scenario.batch(&calls, &CancellationToken::new()).await;
    let at_run = results[0].content[0].as_text().unwrap();
    assert_eq!(at_run, "call decision allow intent");
    assert_eq!(place.events().last().unwrap(), "outcome");
}

#[tokio::test]
async fn calls_that_are_never_decided_on_are_on_record_too() {
    let place = Place::with_rules(json!({}));
    place
        .call(&[("gone", json!({})), ("act", json!({"say": {}}))])
        .await;
    let expected = [
        "call",
        "turned_away unknown_tool",
        "call",
        "turned_away bad_arguments",
    ];
    assert_eq!(place.events(), expected);
}

#[tokio::test(start_paused = true)]
async fn a_grant_that_is_never_used_and_an_outcome_that_is_not_known_are_told_apart() {
    let place = Place::with_rules(json!({"allow": ["stops", "hangs"]}));
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    let stops = FakeTool::new("stops")
        .accesses(Access::Opaque)
        .acts(move |_, _| {
            stop.cancel();
            async { std::future::pending().await }
        });
    let scenario = place.scenario.clone().tool(stops).limits(Limits {
        cancel_grace: Duration::from_secs(1),
        ..Limits::default()
    });
    let calls = [("stops", json!({})), ("stops", json!({}))];
    scenario.batch(&calls, &cancel).await;
    let records = place.records();
    let of = |id: &str| -> Vec<&str> {
        let own = records.iter().filter(|record| record["call_id"] == id);
        own.map(|record| record["event"].as_str().unwrap())
            .collect()
    };
    assert_eq!(of("c1"), ["call", "decision", "intent", "outcome"]);
    assert_eq!(of("c2"), ["call", "decision", "intent", "void"]);
    let outcome = records.iter().find(|record| record["event"] == "outcome");
    assert_eq!(outcome.unwrap()["result"]["code"], "outcome_unknown");
}

#[tokio::test]
async fn long_arguments_are_cut_in_the_record() {
    let place = Place::with_rules(json!({"allow": ["act"]}));
    place.call(&[("act", say(&"é".repeat(100_000)))]).await;
    let record = &place.records()[0];
    let args = record["args_redacted"].as_str().unwrap();
    assert!(args.len() < 5_000 && args.contains('é'));
}

#[tokio::test]
async fn without_a_record_only_reads_run_and_nobody_is_asked_in_vain() {
    let place = Place::with_rules(json!({"allow": ["breaks"], "ask": ["look(say:ask)"]}));
    place.person.answers("ask", ReplyAnswer::Once);
    let audit = place.folder.path().join("audit");
    let breaks = FakeTool::new("breaks")
        .accesses(Access::Opaque)
        .acts(move |_, _| {
            std::fs::remove_dir_all(&audit).unwrap();
            async { Ok(ToolResult::text("done")) }
        });
    let scenario = place.scenario.clone().tool(breaks);
    let cancel = CancellationToken::new();
    let results = scenario.batch(&[("breaks", json!({}))], &cancel).await;
    assert_eq!(
        texts(&results),
        ["done"],
        "what happened is told all the same"
    );
    let calls = [
        ("breaks", json!({})),
        ("act", say("ask")),
        ("look", say("plain")),
        ("look", say("ask")),
    ];
    let results = scenario.batch(&calls, &cancel).await;
    for refused in &texts(&results)[..2] {
        assert!(
            refused.contains("could not be written to the audit log"),
            "{refused}"
        );
    }
    assert_eq!(texts(&results)[2..], ["plain", "ask"]);
    assert_eq!(place.person.asked().len(), 1, "about the read alone");
}

#[tokio::test]
async fn without_an_audit_log_everything_else_holds() {
    let place = Place::new(json!({"deny": ["act(say:no)"]}), |config| {
        config.audit = None
    });
    place.person.answers("yes", ReplyAnswer::Once);
    let results = place
        .call(&[("act", say("yes")), ("act", say("no")), ("look", say("x"))])
        .await;
    let ran: Vec<bool> = results.iter().map(|one| !one.is_error).collect();
    assert_eq!(ran, [true, false, true]);
    assert_eq!(place.person.asked().len(), 1);
}

#[tokio::test]
async fn no_record_holds_a_secret_known_or_by_its_form_or_half_of_one() {
    let known = |kind: &str, value: String| KnownSecret {
        kind: kind.to_owned(),
        value,
    };
    let pieces = (0..200_u8).map(|number| Sha256Hash::of(&[number]).to_string());
    let (long, password): (String, _) = (pieces.collect(), "correct-horse-battery-staple");
    let token = "ghp_4fK9sLq2Wv7Xn3Bt6Yc1Rd8Mh5Jp0GzAeQuT";
    let secrets = [
        known("LONG", long.clone()),
        known("PASSWORD", password.into()),
    ];
    let folder = tempfile::tempdir().unwrap();
    let place = Place::new(json!({"allow": ["act"]}), |config| {
        let redactor = Arc::new(SecretRedactor::new(secrets).0);
        let audit = AuditConfig {
            redactor: redactor.clone(),
            ..AuditConfig::new(folder.path().join("audit"), "s1", "boot")
        };
        config.redactor = redactor;
        config.audit = Some(Arc::new(AuditLog::open(audit).unwrap().0));
    });
    place
        .call(&[("act", say(&format!("push with {token}")))])
        .await;
    // The long secret shrinks to a mark, so that the place where the rest was cut is shown.
    for before_cut in 4..20 {
        let padding = 16 * 1024 - r#"{"say":""#.len() - long.len() - before_cut;
        let text = format!("{long}{}{password}", ".".repeat(padding));
        place
            .call(&[("act", say(&text)), ("gone", say(&text))])
            .await;
    }
    let logs = std::fs::read_dir(folder.path().join("audit"))
        .unwrap()
        .flatten();
    let text: String = logs
        .map(|file| std::fs::read_to_string(file.path()).unwrap())
        .collect();
    assert!(text.contains("[redacted:LONG:1]") && text.contains("[redacted:github-token:"));
    for secret in ["ghp_", "corr", &long[..8]] {
        assert!(!text.contains(secret), "{secret}");
    }
}

#[tokio::test]
async fn while_another_process_holds_the_log_reads_run_and_are_on_record_later() {
    let folder = tempfile::tempdir().unwrap();
    let audit = folder.path().join("audit");
    let place = Place::new(json!({"allow": ["act"]}), |config| {
        let audit = AuditConfig {
            max_wait: Duration::ZERO,
            ..AuditConfig::new(&audit, "s1", "boot")
        };
        config.audit = Some(Arc::new(AuditLog::open(audit).unwrap().0));
    });
    let holder = std::fs::File::open(audit.join("audit.head")).unwrap();
    holder.lock().unwrap();
    let results = place.call(&[("look", say("x")), ("act", say("x"))]).await;
    assert_eq!(texts(&results)[0], "x");
    assert!(
        texts(&results)[1].contains("another process holds"),
        "{results:?}"
    );
    holder.unlock().unwrap();
    let results = place.call(&[("act", say("later"))]).await;
    assert_eq!(texts(&results), ["later"]);
    let records = read(&audit, Filter::default()).unwrap();
    let events: Vec<String> = records
        .map(|one| serde_json::from_str::<Value>(one.unwrap().record.get()).unwrap())
        .filter(|record| record.get("call_id").is_some())
        .map(|record| {
            format!(
                "{} {}",
                record["tool"].as_str().unwrap(),
                record["event"].as_str().unwrap()
            )
        })
        .collect();
    let expected = [
        "look call",
        "look decision",
        "look intent",
        "act call",
        "act decision",
        "look outcome",
        "act call",
        "act decision",
        "act intent",
        "act outcome",
    ];
    assert_eq!(events, expected);
}
