use deed_harness::{ResourceProblem, Resources, SystemPrompt, text_or_file};
use deed_tooling::ToolPrompt;

use super::Folders;

#[test]
fn the_file_of_a_trusted_project_goes_before_that_of_the_user() {
    let folders = Folders::new();
    folders
        .put("home/deed/SYSTEM.md", "user\n")
        .put("home/deed/APPEND_SYSTEM.md", "user more\n")
        .put("work/app/.deed/SYSTEM.md", "project\n");
    let resources = folders.load();
    let text = |file: &Option<deed_harness::SystemFile>| file.as_ref().unwrap().text.clone();
    assert_eq!(text(&resources.system), "project");
    assert_eq!(text(&resources.append_system), "user more");
    let mut places = folders.places();
    places.project_is_trusted = false;
    assert_eq!(text(&Resources::load(&places).system), "user");
}

#[test]
fn what_is_given_goes_before_the_files() {
    let folders = Folders::new();
    folders
        .put("home/deed/SYSTEM.md", "file")
        .put("home/deed/APPEND_SYSTEM.md", "file more");
    let resources = folders.load();
    let assembled = |replacement: Option<&str>, appended: &[&str]| {
        let appended = appended.iter().map(ToString::to_string).collect();
        let replacement = replacement.map(str::to_owned);
        let prompt = SystemPrompt::of_resources(&resources, replacement, appended);
        let text = prompt.assemble(&ToolPrompt::default(), &folders.path("work/app"));
        let (text, _) = text.split_once("\n\nWorking folder").unwrap();
        text.to_owned()
    };
    assert_eq!(assembled(None, &[]), "file\n\nfile more");
    assert_eq!(assembled(Some("given"), &["a", "b"]), "given\n\na\n\nb");
}

#[test]
fn an_option_is_a_text_or_the_file_it_names() {
    let folders = Folders::new();
    folders.put("work/app/more.md", "from the file\n\n");
    let cwd = folders.path("work/app");
    let given = |text: &str| text_or_file(text, &cwd);
    assert_eq!(given("more.md").as_deref(), Ok("from the file"));
    assert_eq!(given("./more.md").as_deref(), Ok("from the file"));
    assert_eq!(given("say more").as_deref(), Ok("say more"));
    assert_eq!(given("").as_deref(), Ok(""));
    let long = "x".repeat(100_000);
    assert_eq!(given(&long).as_deref(), Ok(&*long));
    folders.put("work/app/bad.md", b"\xff");
    assert_eq!(given("bad.md"), Err(ResourceProblem::NotUtf8));
}
