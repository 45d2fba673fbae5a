use std::os::unix::fs::symlink;

use deed_harness::{Resources, SystemPrompt};
use deed_protocol::SourceScope;
use deed_tooling::ToolPrompt;

use super::Folders;

fn skill(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n\nBody of {name}.\n")
}

/// Returns the skills as `name path`.
fn listed(folders: &Folders, resources: &Resources) -> Vec<String> {
    let skills = resources.skills.iter();
    let lines = skills.map(|one| format!("{} {}", one.name, one.path.display()));
    lines.map(|line| folders.steady(&line)).collect()
}

#[test]
fn skills_are_found_in_every_place_and_the_first_of_a_name_counts() {
    let folders = Folders::new();
    folders
        .put(
            "work/app/.deed/skills/dup/SKILL.md",
            skill("dup", "project"),
        )
        .put("work/.agents/skills/above/SKILL.md", skill("above", "x"))
        .put(
            "work/.agents/skills/loose.md",
            skill("loose", "not looked at here"),
        )
        .put("home/deed/skills/dup/SKILL.md", skill("dup", "user"))
        .put("home/deed/skills/group/inner/SKILL.md", skill("inner", "x"))
        .put(
            "home/deed/skills/group/inner/deeper/SKILL.md",
            skill("deeper", "inside a skill"),
        )
        .put("home/deed/skills/single.md", skill("single", "one file"))
        .put("home/deed/skills/README.md", "# no skill")
        .put("home/deed/skills/.hidden/SKILL.md", skill("hidden", "x"))
        .put(
            "home/deed/skills/node_modules/p/SKILL.md",
            skill("package", "x"),
        )
        .put("home/.agents/skills/shared/SKILL.md", skill("shared", "x"))
        .put("work/given/SKILL.md", skill("given", "x"));
    let mut places = folders.places();
    places.skill_paths = vec![folders.path("work/given")];
    let resources = Resources::load(&places);
    assert_eq!(
        listed(&folders, &resources),
        [
            "given ROOT/work/given/SKILL.md",
            "dup ROOT/work/app/.deed/skills/dup/SKILL.md",
            "above ROOT/work/.agents/skills/above/SKILL.md",
            "inner ROOT/home/deed/skills/group/inner/SKILL.md",
            "single ROOT/home/deed/skills/single.md",
            "shared ROOT/home/.agents/skills/shared/SKILL.md",
        ]
    );
    assert_eq!(
        folders.diagnostics(&resources),
        [
            "ROOT/home/deed/skills/dup/SKILL.md: ROOT/work/app/.deed/skills/dup/SKILL.md has the \
             name `/skill:dup` already; this one is left out"
        ]
    );
    let scopes: Vec<SourceScope> = resources
        .skills
        .iter()
        .map(|one| one.source.scope)
        .collect();
    assert_eq!(scopes[..2], [SourceScope::Temporary, SourceScope::Project]);
    places.project_is_trusted = false;
    assert_eq!(
        listed(&folders, &Resources::load(&places)).len(),
        5,
        "dup is the user's"
    );
    places.discovers_skills = false;
    assert_eq!(
        listed(&folders, &Resources::load(&places)).len(),
        1,
        "what is named loads"
    );
}

#[test]
fn folders_above_a_repository_are_not_looked_at() {
    let folders = Folders::new();
    folders
        .put("work/.agents/skills/above/SKILL.md", skill("above", "x"))
        .put("work/app/.git/HEAD", "")
        .put("work/app/.agents/skills/here/SKILL.md", skill("here", "x"));
    assert_eq!(
        listed(&folders, &folders.load()),
        ["here ROOT/work/app/.agents/skills/here/SKILL.md"]
    );
}

#[test]
fn names_and_descriptions_are_checked() {
    let folders = Folders::new();
    let long = "d".repeat(2000);
    folders
        .put(
            "home/deed/skills/a/SKILL.md",
            "---\ndescription: named by its folder\n---\nx",
        )
        .put("home/deed/skills/b/SKILL.md", "---\nname: b\n---\nx")
        .put("home/deed/skills/c/SKILL.md", "no head")
        .put("home/deed/skills/d/SKILL.md", "---\nname: {x\n---\nx")
        .put("home/deed/skills/e/SKILL.md", skill("Two Words", "x"))
        .put("home/deed/skills/f/SKILL.md", skill("My_Skill", "x"))
        .put("home/deed/skills/g/SKILL.md", skill("g", &long))
        .put(
            "home/deed/skills/h/SKILL.md",
            "---\ndescription: x\ndisable-model-invocation: maybe\n---\n",
        );
    let resources = folders.load();
    let names: Vec<&str> = resources
        .skills
        .iter()
        .map(|one| one.name.as_str())
        .collect();
    assert_eq!(names, ["a", "My_Skill", "g"]);
    assert_eq!(resources.skills[2].description.chars().count(), 1025);
    insta::assert_snapshot!(folders.diagnostics(&resources).join("\n"), @r#"
    ROOT/home/deed/skills/b/SKILL.md: a skill needs a `description` in the head of the file
    ROOT/home/deed/skills/c/SKILL.md: a skill needs a `description` in the head of the file
    ROOT/home/deed/skills/d/SKILL.md: a skill needs a `description` in the head of the file
    ROOT/home/deed/skills/e/SKILL.md: "Two Words" cannot be the name of a command: at most 64 characters, none of them blank
    ROOT/home/deed/skills/f/SKILL.md: the name "My_Skill" should be at most 64 of a-z, 0-9 and single hyphens, as other agents want it
    ROOT/home/deed/skills/g/SKILL.md: the description has more than 1024 characters; the prompt has the first ones
    ROOT/home/deed/skills/h/SKILL.md: it is left out: line 3: `disable-model-invocation` must be true or false
    "#);
}

#[test]
fn links_in_circles_and_deep_folders_end() {
    let folders = Folders::new();
    folders.put("home/deed/skills/a/SKILL.md", skill("a", "x"));
    symlink(
        folders.path("home/deed/skills"),
        folders.path("home/deed/skills/loop"),
    )
    .unwrap();
    let resources = folders.load();
    assert_eq!(
        listed(&folders, &resources),
        ["a ROOT/home/deed/skills/a/SKILL.md"]
    );
    let ended = folders.diagnostics(&resources);
    assert_eq!(ended.len(), 1, "{ended:#?}");
    assert!(ended[0].ends_with("the folders are too deep"), "{ended:#?}");
}

#[test]
fn a_command_gives_the_instructions_as_they_are_now() {
    let folders = Folders::new();
    folders.put("home/deed/skills/pdf/SKILL.md", skill("pdf", "x"));
    let resources = folders.load();
    let expanded = |text: &str| resources.expand(text).unwrap().unwrap().text;
    insta::assert_snapshot!(folders.steady(&expanded("/skill:pdf  read \"a b\" ")), @r#"
    <skill name="pdf" location="ROOT/home/deed/skills/pdf/SKILL.md">
    Paths in it start from ROOT/home/deed/skills/pdf.

    Body of pdf.
    </skill>

    read "a b"
    "#);
    folders.put(
        "home/deed/skills/pdf/SKILL.md",
        "---\ndescription: x\n---\nNew body.",
    );
    assert!(expanded("/skill:pdf").ends_with("\n\nNew body.\n</skill>"));
    std::fs::remove_file(folders.path("home/deed/skills/pdf/SKILL.md")).unwrap();
    let gone = resources.expand("/skill:pdf").unwrap_err().to_string();
    assert_eq!(
        folders.steady(&gone),
        "ROOT/home/deed/skills/pdf/SKILL.md: there is no such file or folder"
    );
    let unknown = resources.expand("/skill:pfd x").unwrap_err().to_string();
    assert_eq!(unknown, "there is no skill `pfd`; there are pdf");
    let none = Resources::default()
        .expand("/skill:")
        .unwrap_err()
        .to_string();
    assert_eq!(none, "there is no skill ``; none was found");
}

#[test]
fn extensions_add_skills_and_templates_behind_all_others() {
    let folders = Folders::new();
    folders
        .put("home/deed/skills/a/SKILL.md", skill("a", "user"))
        .put("ext/skills/a/SKILL.md", skill("a", "extension"))
        .put("ext/skills/b/SKILL.md", skill("b", "extension"))
        .put("ext/prompts/p.md", "prompt");
    let mut resources = folders.load();
    resources.extend(
        &[folders.path("ext/skills")],
        &[folders.path("ext/prompts")],
    );
    let names: Vec<String> = resources
        .commands()
        .into_iter()
        .map(|one| one.name)
        .collect();
    assert_eq!(names, ["p", "skill:a", "skill:b"]);
    assert_eq!(resources.skills[0].description, "user");
    assert_eq!(&*resources.skills[1].source.source, "extension");
    assert_eq!(resources.diagnostics.len(), 1);
}

#[test]
fn a_skill_may_be_read_with_its_folder_unless_that_holds_more() {
    let folders = Folders::new();
    folders
        .put("home/deed/skills/own/SKILL.md", skill("own", "x"))
        .put("home/deed/skills/single.md", skill("single", "x"))
        .put("elsewhere/SKILL.md", skill("linked", "x"))
        .put("home/SKILL.md", skill("wide", "x"));
    symlink(
        folders.path("elsewhere"),
        folders.path("home/deed/skills/linked"),
    )
    .unwrap();
    let mut places = folders.places();
    places.skill_paths = vec![folders.path("home/SKILL.md")];
    let readable = Resources::load(&places).skill_places();
    let expected = [
        "home/SKILL.md",
        "elsewhere",
        "home/deed/skills/own",
        "home/deed/skills/single.md",
    ];
    assert_eq!(readable, expected.map(|name| folders.path(name)));
}

#[test]
fn the_prompt_has_no_skills_while_nothing_can_read_them() {
    let folders = Folders::new();
    folders.put("home/deed/skills/a/SKILL.md", skill("a", "x"));
    let prompt = SystemPrompt::of_resources(&folders.load(), None, Vec::new());
    let text = prompt.assemble(&ToolPrompt::default(), &folders.path("work/app"));
    assert!(!text.contains("Skills"), "{text}");
}
