use serde_json::json;

use crate::support::Bench;

async fn read(bench: &Bench, path: &str) -> String {
    bench.call("read", json!({ "path": path })).await.ok()
}

#[tokio::test]
async fn the_literal_path_comes_before_any_other_spelling() {
    let bench = Bench::new();
    for (name, other) in [
        ("@a", "a"),
        ("x\u{a0}y", "x y"),
        ("~/h", "h"),
        ("file:/h2", "h2"),
    ] {
        bench.put(name, "literal");
        bench.put(other, "other");
        assert_eq!(read(&bench, name).await, "literal", "{name}");
    }
}

#[tokio::test]
async fn spellings_that_models_use_lead_to_the_file() {
    let home = tempfile::tempdir().unwrap();
    let bench = Bench::with(|parts| parts.config.home = Some(home.path().into()));
    std::fs::write(home.path().join("in home"), "home").unwrap();
    let path = bench.put("my file", "mine");
    assert_eq!(read(&bench, "@my file").await, "mine");
    assert_eq!(read(&bench, "my\u{3000}file").await, "mine");
    assert_eq!(read(&bench, "@my\u{a0}file").await, "mine");
    assert_eq!(read(&bench, "~/in home").await, "home");
    let address = format!("file://{}", path.display()).replace(' ', "%20");
    assert_eq!(read(&bench, &address).await, "mine");
    assert_eq!(read(&bench, &path.display().to_string()).await, "mine");
    assert_eq!(read(&bench, "./none/../my file").await, "mine");
}

#[tokio::test]
async fn b029_a_screenshot_name_is_found_by_what_it_looks_like() {
    let bench = Bench::new();
    let real = "Cafe\u{301} Bob\u{2019}s 3.04.05\u{202f}PM.txt";
    let path = bench.put(&format!("Scre\u{301}ens/{real}"), "seen");
    let asked = "Scr\u{e9}ens/Caf\u{e9} Bob's 3.04.05 PM.txt";
    let called = bench.call("read", json!({ "path": asked })).await;
    assert_eq!(called.ok(), "seen");
    assert_eq!(called.detail("path"), path.display().to_string());
    bench.put(asked, "exact");
    assert_eq!(read(&bench, asked).await, "exact");
}

#[tokio::test]
async fn of_two_names_that_look_the_same_none_is_taken() {
    let bench = Bench::new();
    bench.put("it\u{2019}s", "curly");
    bench.put("it\u{2018}s", "other");
    bench.call("read", json!({ "path": "it's" })).await.error();
}

#[tokio::test]
async fn b044_brackets_are_letters() {
    let bench = Bench::new();
    bench.put("app/[id]/(g)/p.rs", "fn main() {}\n");
    assert_eq!(read(&bench, "app/[id]/(g)/p.rs").await, "fn main() {}\n");
    let edit = json!({
        "path": "app/[id]/(g)/p.rs",
        "edits": [{ "oldText": "main", "newText": "start" }],
    });
    bench.call("edit", edit).await.ok();
    let listed = bench.call("ls", json!({ "path": "app/[id]" })).await;
    assert_eq!(listed.ok(), "(g)/");
    let found = bench
        .call("grep", json!({ "path": "app/[id]", "pattern": "start" }))
        .await;
    assert!(found.ok().contains("p.rs:1"), "{}", found.text());
}

#[tokio::test]
async fn b056_b083_a_nul_byte_is_refused() {
    let bench = Bench::new();
    for (name, arguments) in [
        ("read", json!({ "path": "a\0b" })),
        ("ls", json!({ "path": "a\0b" })),
        ("write", json!({ "path": "a\0b", "content": "" })),
        (
            "edit",
            json!({ "path": "a\0b", "edits": [{ "oldText": "a", "newText": "b" }] }),
        ),
    ] {
        assert_eq!(
            bench.call(name, arguments).await.error(),
            "path contains a NUL byte"
        );
    }
}

#[tokio::test]
async fn b104_an_empty_path_is_not_the_working_folder() {
    let bench = Bench::new();
    for (name, arguments) in [
        ("read", json!({ "path": "" })),
        ("ls", json!({ "path": "" })),
        ("write", json!({ "path": "", "content": "x" })),
    ] {
        let error = bench.call(name, arguments).await.error();
        assert!(error.starts_with("path is empty"), "{name}: {error}");
    }
}

#[tokio::test]
async fn a_new_file_gets_the_plain_spelling_unless_its_folder_is_there_literally() {
    let bench = Bench::new();
    let write = async |path: &str| {
        bench
            .call("write", json!({ "path": path, "content": "new" }))
            .await
            .ok();
    };
    write("@a\u{a0}b.txt").await;
    assert_eq!(bench.content("a b.txt"), b"new");
    std::fs::create_dir(bench.path("@types")).unwrap();
    write("@types/c.d.ts").await;
    assert_eq!(bench.content("@types/c.d.ts"), b"new");
    write("deep/@er/d.txt").await;
    assert_eq!(bench.content("deep/@er/d.txt"), b"new");
}
