use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use deed_guard::policy::{ExtensionGrants, Extent};
use deed_guard::trust::{Standing, StoredRules, TrustError, TrustKind, TrustStore};
use deed_schema::Sha256Hash;
use jiff::Timestamp;
use tempfile::TempDir;

const POLICY: &str = "/proj/.deed/policy.json";

fn now() -> Timestamp {
    "2026-12-01T03:00:00Z".parse().unwrap()
}

fn folder() -> TempDir {
    TempDir::new().unwrap()
}

fn mode_of(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn trust_is_for_exactly_this_content_and_kind() {
    let folder = folder();
    let path = folder.path().join("deed/trust.json");
    let mut store = TrustStore::load(&path).unwrap();
    let file = Path::new(POLICY);
    store.trust(TrustKind::Policy, file, b"one", now()).unwrap();
    let store = TrustStore::load(&path).unwrap();
    assert!(store.is_trusted(TrustKind::Policy, file, b"one"));
    assert!(!store.is_trusted(TrustKind::Policy, file, b"two"));
    assert!(!store.is_trusted(TrustKind::Extension, file, b"one"));
    assert!(!store.is_trusted(TrustKind::Policy, Path::new("/other"), b"one"));
    assert_eq!(store.list()[0].decided_at, "2026-12-01T03:00:00Z");
}

#[test]
fn new_trust_takes_the_place_of_the_old_and_can_be_revoked() {
    let folder = folder();
    let path = folder.path().join("trust.json");
    let mut store = TrustStore::load(&path).unwrap();
    let file = Path::new(POLICY);
    store.trust(TrustKind::Policy, file, b"one", now()).unwrap();
    store.trust(TrustKind::Policy, file, b"two", now()).unwrap();
    assert!(!store.is_trusted(TrustKind::Policy, file, b"one"));
    assert!(store.is_trusted(TrustKind::Policy, file, b"two"));
    assert!(store.revoke(file).unwrap());
    assert!(!store.revoke(file).unwrap());
    assert!(TrustStore::load(&path).unwrap().list().is_empty());
}

#[test]
fn b145_a_stored_refusal_wins_for_a_folder_and_all_below_it() {
    let folder = folder();
    let path = folder.path().join("trust.json");
    let mut store = TrustStore::load(&path).unwrap();
    let file = Path::new(POLICY);
    store.trust(TrustKind::Policy, file, b"one", now()).unwrap();
    store
        .refuse(TrustKind::Policy, Path::new("/proj"), now())
        .unwrap();
    let mut store = TrustStore::load(&path).unwrap();
    assert_eq!(
        store.standing(TrustKind::Policy, file, b"one"),
        Standing::Refused
    );
    assert_eq!(
        store.standing(TrustKind::Policy, Path::new("/proj/new"), b""),
        Standing::Refused
    );
    assert_eq!(
        store.standing(TrustKind::Policy, Path::new("/workshop"), b""),
        Standing::Undecided
    );
    assert_eq!(
        store.standing(TrustKind::Extension, file, b"one"),
        Standing::Undecided
    );
    let again = store.trust(TrustKind::Policy, file, b"one", now());
    assert!(
        matches!(again, Err(TrustError::Refused { refused, .. }) if refused == Path::new("/proj"))
    );
    store.revoke(Path::new("/proj")).unwrap();
    assert!(store.is_trusted(TrustKind::Policy, file, b"one"));
}

#[test]
fn only_the_owner_may_read_a_store_and_nothing_else_is_left_behind() {
    let folder = folder();
    let path = folder.path().join("a/b/trust.json");
    let mut store = TrustStore::load(&path).unwrap();
    store
        .trust(TrustKind::Policy, Path::new(POLICY), b"", now())
        .unwrap();
    assert_eq!(mode_of(&path), 0o600);
    assert_eq!(mode_of(&folder.path().join("a/b")), 0o700);
    let mut names: Vec<_> = fs::read_dir(path.parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["trust.json", "trust.json.lock"]);
}

#[test]
fn a_damaged_store_is_an_error_and_stays_as_it_is() {
    let folder = folder();
    let path = folder.path().join("trust.json");
    for text in [
        "",
        "{",
        "[]",
        r#"{"entries": [{}]}"#,
        r#"{"entries": [], "more": 1}"#,
    ] {
        fs::write(&path, text).unwrap();
        let error = TrustStore::load(&path).unwrap_err().to_string();
        assert!(error.contains("trust.json is damaged"), "{error}");
        assert!(error.contains("remove it"), "{error}");
        assert!(StoredRules::load(&path).is_err(), "{text}");
    }
    let mut store = TrustStore::load(folder.path().join("other.json")).unwrap();
    fs::write(folder.path().join("other.json"), "{").unwrap();
    assert!(
        store
            .trust(TrustKind::Policy, Path::new(POLICY), b"", now())
            .is_err()
    );
    assert_eq!(
        fs::read_to_string(folder.path().join("other.json")).unwrap(),
        "{"
    );
}

#[test]
fn what_another_process_stored_meanwhile_stays() {
    let folder = folder();
    let path = folder.path().join("trust.json");
    let mut one = TrustStore::load(&path).unwrap();
    let mut other = TrustStore::load(&path).unwrap();
    one.trust(TrustKind::Policy, Path::new("/a"), b"", now())
        .unwrap();
    other
        .trust(TrustKind::Policy, Path::new("/b"), b"", now())
        .unwrap();
    assert_eq!(other.list().len(), 2);
    assert_eq!(TrustStore::load(&path).unwrap().list().len(), 2);
}

#[test]
fn stored_rules_are_named_and_revoked_one_by_one() {
    let folder = folder();
    let path = folder.path().join("rules.json");
    let mut rules = StoredRules::load(&path).unwrap();
    assert!(rules.list().is_empty());
    let work = Path::new("/proj");
    let one = rules.add("Bash(ls)", work, "approval-1", now()).unwrap();
    let same = rules.add("Bash(ls)", work, "approval-2", now()).unwrap();
    let two = rules
        .add("Write(/proj/a)", work, "approval-3", now())
        .unwrap();
    assert_eq!(one, same);
    assert_eq!(
        (one.spec.as_str(), one.approval_id.as_str()),
        ("Bash(ls)", "approval-1")
    );
    assert_ne!(one.id, two.id);
    assert_eq!(mode_of(&path), 0o600);
    let mut rules = StoredRules::load(&path).unwrap();
    assert_eq!(rules.list(), [one.clone(), two.clone()]);
    assert!(rules.revoke(&one.id).unwrap());
    assert!(!rules.revoke(&one.id).unwrap());
    assert_eq!(StoredRules::load(&path).unwrap().list(), [two]);
}

#[test]
fn a_stored_rule_is_that_of_the_workspace_it_was_given_in() {
    let folder = folder();
    let mut rules = StoredRules::load(folder.path().join("rules.json")).unwrap();
    let (one, two) = (Path::new("/one"), Path::new("/two"));
    let first = rules.add("Bash(make)", one, "a1", now()).unwrap();
    assert_eq!(rules.specs_in(one).collect::<Vec<_>>(), ["Bash(make)"]);
    assert_eq!(rules.specs_in(two).count(), 0);
    assert_eq!(rules.specs_in(Path::new("/one/below")).count(), 0);
    let second = rules.add("Bash(make)", two, "a2", now()).unwrap();
    assert_ne!(first.id, second.id);
    assert!(rules.revoke(&first.id).unwrap());
    assert_eq!(rules.specs_in(one).count(), 0);
    assert_eq!(rules.specs_in(two).count(), 1);
}

#[test]
fn a_process_that_holds_the_store_for_ever_holds_up_nobody() {
    let folder = folder();
    let path = folder.path().join("rules.json");
    let mut rules = StoredRules::load(&path).unwrap();
    let lock = fs::File::create(folder.path().join("rules.json.lock")).unwrap();
    lock.lock().unwrap();
    let held = rules.add("Bash(ls)", Path::new("/proj"), "a1", now());
    assert!(matches!(held, Err(TrustError::Write { .. })), "{held:?}");
    lock.unlock().unwrap();
    rules
        .add("Bash(ls)", Path::new("/proj"), "a1", now())
        .unwrap();
}

#[test]
fn a_project_is_trusted_as_a_folder_and_any_refusal_above_it_wins() {
    let folder = folder();
    let path = folder.path().join("trust.json");
    let mut store = TrustStore::load(&path).unwrap();
    let (work, app) = (Path::new("/projects"), Path::new("/projects/app"));
    let kind = TrustKind::Project;
    assert!(store.decision_on_folder(kind, app).is_none());
    store.trust_folder(kind, work, now()).unwrap();
    store.trust_folder(kind, app, now()).unwrap();
    let mut store = TrustStore::load(&path).unwrap();
    let decided = |store: &TrustStore, folder: &str| {
        let entry = store.decision_on_folder(kind, Path::new(folder))?;
        Some((entry.path.display().to_string(), entry.is_refusal()))
    };
    assert_eq!(
        decided(&store, "/projects/app/in"),
        Some(("/projects/app".into(), false))
    );
    assert_eq!(
        decided(&store, "/projects/other"),
        Some(("/projects".into(), false))
    );
    assert_eq!(decided(&store, "/projectsshop"), None);
    // Trust in a folder is none in what a file there says.
    let file = Path::new("/projects/app/.deed/policy.json");
    assert_eq!(
        store.standing(TrustKind::Policy, file, b""),
        Standing::Undecided
    );
    store.refuse(TrustKind::Policy, work, now()).unwrap();
    assert_eq!(
        decided(&store, "/projects/app"),
        Some(("/projects".into(), true))
    );
    assert!(store.trust_folder(kind, app, now()).is_err());
    store.revoke(work).unwrap();
    assert_eq!(
        decided(&store, "/projects/app"),
        Some(("/projects/app".into(), false))
    );
    assert_eq!(decided(&store, "/projects"), None);
}

#[test]
fn an_extension_is_trusted_with_all_its_files_and_what_it_was_granted() {
    let folder = folder();
    let path = folder.path().join("trust.json");
    let mut store = TrustStore::load(&path).unwrap();
    let own = |name: &str, text: &[u8]| (Path::new("/x").join(name), Sha256Hash::of(text));
    let granted = ExtensionGrants {
        exec: Extent::These(vec!["git".to_owned()]),
        ..ExtensionGrants::default()
    };
    let (main, lib) = (own("a.ts", b"a"), own("lib.ts", b"lib"));
    store
        .trust_extension(&[main.clone(), lib.clone()], &granted, now())
        .unwrap();
    // Another extension imports the first; that takes nothing away from it.
    let nothing = ExtensionGrants::default();
    store
        .trust_extension(&[own("b.ts", b"b"), main.clone(), lib], &nothing, now())
        .unwrap();
    let mut store = TrustStore::load(&path).unwrap();
    let trusted = |store: &TrustStore, name: &str, text: &[u8]| {
        store.is_trusted(TrustKind::Extension, &Path::new("/x").join(name), text)
    };
    assert!(trusted(&store, "a.ts", b"a") && trusted(&store, "lib.ts", b"lib"));
    assert!(!trusted(&store, "lib.ts", b"changed"));
    assert_eq!(store.granted(&main.0), Some(&granted));
    assert_eq!(store.granted(Path::new("/x/b.ts")), Some(&nothing));
    assert_eq!(store.granted(Path::new("/x/lib.ts")), None);

    store
        .refuse(TrustKind::Extension, Path::new("/x/lib.ts"), now())
        .unwrap();
    let again = store.trust_extension(&[own("c.ts", b"c"), own("lib.ts", b"lib")], &nothing, now());
    assert!(matches!(again, Err(TrustError::Refused { .. })));
    assert!(!trusted(&store, "c.ts", b"c"));
}
