//! Whether a project is trusted.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::Mutex;

use deed_agent::BoxFuture;
use deed_guard::trust::{TrustKind, TrustStore};
use deed_harness::project_trust::{ProjectTrust, TrustQuestion, TrustReason};
use deed_harness::settings::DefaultProjectTrust;
use deed_tooling::{AskOptions, NoUi, Ui};
use jiff::Timestamp;
use tempfile::TempDir;

/// Answers with the first choice that begins so, and notes the question.
#[derive(Default)]
struct Person {
    answer: &'static str,
    asked: Mutex<Vec<String>>,
}

impl Person {
    fn saying(answer: &'static str) -> Self {
        Self {
            answer,
            ..Self::default()
        }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

impl Ui for Person {
    fn has_ui(&self) -> bool {
        true
    }

    fn select<'a>(
        &'a self,
        title: &'a str,
        choices: &'a [String],
        _: &'a AskOptions,
    ) -> BoxFuture<'a, Option<String>> {
        self.asked.lock().unwrap().push(title.to_owned());
        let chosen = choices
            .iter()
            .find(|choice| choice.starts_with(self.answer));
        let chosen = chosen.filter(|_| !self.answer.is_empty()).cloned();
        Box::pin(async move { chosen })
    }
}

struct Place {
    root: TempDir,
}

impl Place {
    /// A project that brings settings.
    fn new() -> Self {
        let place = Self::bare();
        fs::create_dir_all(place.path("work/app/.deed")).unwrap();
        fs::write(place.path("work/app/.deed/settings.json"), "{}").unwrap();
        place
    }

    fn bare() -> Self {
        let place = Self {
            root: tempfile::tempdir().unwrap(),
        };
        fs::create_dir_all(place.path("work/app")).unwrap();
        fs::create_dir(place.path("work/.git")).unwrap();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn question(&self) -> TrustQuestion {
        TrustQuestion {
            folder: self.path("work/app"),
            store: Some(self.path("trust.json")),
            ..TrustQuestion::default()
        }
    }

    fn store(&self) -> TrustStore {
        TrustStore::load(self.path("trust.json")).unwrap()
    }

    fn refuse(&self, folder: &str) {
        let folder = self.path(folder).canonicalize().unwrap();
        self.store()
            .refuse(TrustKind::Project, &folder, now())
            .unwrap();
    }

    fn trust(&self, folder: &str) {
        let folder = self.path(folder).canonicalize().unwrap();
        self.store()
            .trust_folder(TrustKind::Project, &folder, now())
            .unwrap();
    }

    fn stored(&self, folder: &str) -> TrustReason {
        TrustReason::Stored(self.path(folder).canonicalize().unwrap())
    }

    fn withheld(&self, trust: &ProjectTrust) -> Vec<String> {
        let folder = self.path("work");
        let names = trust
            .withheld
            .iter()
            .map(|path| path.strip_prefix(&folder).unwrap());
        names.map(|name| name.display().to_string()).collect()
    }
}

fn now() -> Timestamp {
    "2026-12-01T03:00:00Z".parse().unwrap()
}

async fn resolve(question: TrustQuestion, ui: &dyn Ui) -> (bool, TrustReason) {
    let trust = question.resolve(ui, now()).await.unwrap();
    (trust.is_trusted, trust.because)
}

#[tokio::test]
async fn the_command_line_goes_before_what_is_stored_and_that_before_the_setting() {
    let place = Place::new();
    let said = |said| TrustQuestion {
        said: Some(said),
        ..place.question()
    };
    let default = |default| TrustQuestion {
        default,
        ..place.question()
    };
    use DefaultProjectTrust::{Always, Never};
    assert_eq!(
        resolve(default(Always), &NoUi).await,
        (true, TrustReason::Setting)
    );
    assert_eq!(
        resolve(default(Never), &NoUi).await,
        (false, TrustReason::Setting)
    );
    place.trust("work");
    assert_eq!(
        resolve(default(Never), &NoUi).await,
        (true, place.stored("work"))
    );
    assert_eq!(
        resolve(said(false), &NoUi).await,
        (false, TrustReason::CommandLine)
    );
    place.refuse("work/app");
    assert_eq!(
        resolve(said(true), &NoUi).await,
        (true, TrustReason::CommandLine)
    );
    assert_eq!(
        resolve(default(Always), &NoUi).await,
        (false, place.stored("work/app"))
    );
}

#[tokio::test]
async fn b145_a_stored_refusal_wins_also_where_nothing_needs_trust_and_below_it() {
    let place = Place::bare();
    place.refuse("work");
    let always = || TrustQuestion {
        default: DefaultProjectTrust::Always,
        ..place.question()
    };
    assert_eq!(
        resolve(always(), &NoUi).await,
        (false, place.stored("work"))
    );
    let person = Person::saying("yes");
    assert_eq!(
        resolve(place.question(), &person).await,
        (false, place.stored("work"))
    );
    assert!(person.asked().is_empty());
    // It cannot be overruled by trust in what is below; it must be taken back first.
    let app = place.path("work/app").canonicalize().unwrap();
    assert!(
        place
            .store()
            .trust_folder(TrustKind::Project, &app, now())
            .is_err()
    );
    let work = place.path("work").canonicalize().unwrap();
    assert!(place.store().revoke(&work).unwrap());
    assert_eq!(resolve(always(), &NoUi).await, (true, TrustReason::Setting));

    // Who trusts no file there trusts no project there.
    place.trust("work/app");
    place
        .store()
        .refuse(TrustKind::Policy, &work, now())
        .unwrap();
    assert_eq!(
        resolve(always(), &NoUi).await,
        (false, place.stored("work"))
    );
}

#[tokio::test]
async fn a_folder_below_a_trusted_one_is_trusted_and_one_beside_it_is_not() {
    let place = Place::new();
    place.trust("work");
    place.trust("work/app");
    assert_eq!(
        resolve(place.question(), &NoUi).await,
        (true, place.stored("work/app"))
    );
    fs::create_dir_all(place.path("workshop/.deed/skills")).unwrap();
    let beside = TrustQuestion {
        folder: place.path("workshop"),
        ..place.question()
    };
    assert_eq!(resolve(beside, &NoUi).await, (false, TrustReason::NoAnswer));
}

#[tokio::test]
async fn a_person_is_asked_once_if_the_answer_is_for_good() {
    for (answer, is_trusted, is_for_good) in [
        ("yes, this", true, false),
        ("yes, always", true, true),
        ("no, this", false, false),
        ("no, never", false, true),
    ] {
        let place = Place::new();
        let person = Person::saying(answer);
        let first = resolve(place.question(), &person).await;
        assert_eq!(first, (is_trusted, TrustReason::Asked), "{answer}");
        let (again, because) = resolve(place.question(), &person).await;
        assert_eq!(again, is_trusted, "{answer}");
        assert_eq!(because == place.stored("work/app"), is_for_good, "{answer}");
        assert_eq!(person.asked().len(), if is_for_good { 1 } else { 2 });
    }
}

#[tokio::test]
async fn no_answer_and_nobody_to_ask_are_no() {
    let place = Place::new();
    let silent = Person::default();
    assert_eq!(
        resolve(place.question(), &silent).await,
        (false, TrustReason::NoAnswer)
    );
    assert_eq!(silent.asked().len(), 1);
    assert_eq!(
        resolve(place.question(), &NoUi).await,
        (false, TrustReason::NoAnswer)
    );
    assert_eq!(
        place.question().decide().unwrap().because,
        TrustReason::NoAnswer
    );
    assert!(place.store().list().is_empty());
}

#[tokio::test]
async fn nothing_is_asked_where_nothing_needs_trust() {
    let place = Place::bare();
    fs::create_dir(place.path("work/app/.deed")).unwrap();
    fs::write(place.path("work/app/.deed/policy.json"), "{}").unwrap();
    fs::write(place.path("work/app/AGENTS.md"), "").unwrap();
    let person = Person::saying("yes");
    let asked = resolve(place.question(), &person).await;
    assert_eq!(asked, (false, TrustReason::NothingToLoad));
    assert!(person.asked().is_empty());
}

#[test]
fn what_is_not_loaded_is_told() {
    let place = Place::new();
    for folder in ["extensions", "skills", "prompts"] {
        fs::create_dir(place.path("work/app/.deed").join(folder)).unwrap();
    }
    symlink("/nowhere", place.path("work/app/.deed/SYSTEM.md")).unwrap();
    fs::write(place.path("work/app/.deed/APPEND_SYSTEM.md"), "").unwrap();
    // Of the folders above, those of the repository count.
    fs::create_dir_all(place.path("work/.agents/skills")).unwrap();
    fs::create_dir_all(place.path(".agents/skills")).unwrap();
    let trust = place.question().decide().unwrap();
    assert_eq!(
        place.withheld(&trust),
        [
            "app/.deed/settings.json",
            "app/.deed/extensions",
            "app/.deed/skills",
            "app/.deed/prompts",
            "app/.deed/SYSTEM.md",
            "app/.deed/APPEND_SYSTEM.md",
            ".agents/skills",
        ]
    );
    let of_user = TrustQuestion {
        shared: Some(place.path("work/.agents")),
        ..place.question()
    };
    assert!(
        !place
            .withheld(&of_user.decide().unwrap())
            .contains(&".agents/skills".to_owned())
    );
    place.trust("work/app");
    assert!(place.question().decide().unwrap().withheld.is_empty());
}

#[tokio::test]
async fn the_question_names_what_would_be_loaded() {
    let place = Place::new();
    fs::create_dir(place.path("work/app/.deed/skills")).unwrap();
    let person = Person::default();
    resolve(place.question(), &person).await;
    let asked = person.asked().remove(0);
    let root = place.root.path().display().to_string();
    insta::assert_snapshot!(asked.replace(&root, "ROOT"), @"The project ROOT/work/app brings .deed/settings.json, .deed/skills. Load them? They can change what the agent is told and which code runs in it");
}

#[tokio::test]
async fn a_store_that_cannot_be_read_is_an_error_for_it_may_hold_a_refusal() {
    let place = Place::new();
    fs::write(place.path("trust.json"), "nonsense").unwrap();
    assert!(place.question().resolve(&NoUi, now()).await.is_err());
    assert!(place.question().decide().is_err());
}
