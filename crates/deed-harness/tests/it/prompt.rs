use std::collections::HashSet;

use deed_harness::SystemPrompt;
use deed_protocol::ToolResult;
use deed_tooling::{DefaultTools, Preset, Selection, ToolContext};
use serde_json::json;

use crate::support::{Asked, Place, host_tool};

/// The lines of the form `- …` below a heading.
fn bullets<'a>(system: &'a str, heading: &str) -> Vec<&'a str> {
    let (_, below) = system.split_once(&format!("{heading}:\n")).unwrap();
    let lines = below.lines();
    lines.map_while(|line| line.strip_prefix("- ")).collect()
}

fn listed(asked: &Asked) -> Vec<&str> {
    let lines = bullets(&asked.system, "Available tools").into_iter();
    lines.map(|line| line.split(':').next().unwrap()).collect()
}

fn starting_with(defaults: DefaultTools) -> Selection {
    Selection {
        defaults,
        ..Selection::default()
    }
}

#[tokio::test]
async fn the_prompt_lists_exactly_the_tools_that_are_declared() {
    let place = Place::new();
    for defaults in [
        DefaultTools::from(Preset::Coding),
        DefaultTools::from(Preset::ReadOnly),
        DefaultTools::AllBuiltIn,
        DefaultTools::Named(vec!["ls".to_owned()]),
        DefaultTools::Named(Vec::new()),
    ] {
        let script = json!([{ "say": "done" }]);
        let selection = starting_with(defaults.clone());
        let played = place
            .play(script, |builder| builder.selection(selection))
            .await;
        let asked = &played.asked()[0];
        let expected = match &defaults {
            DefaultTools::AllBuiltIn => 8,
            DefaultTools::Named(names) => names.len(),
        };
        assert_eq!(asked.tools.len(), expected);
        if expected > 0 {
            assert_eq!(listed(asked), asked.tools, "{defaults:?}");
        }
        assert_eq!(asked.system, &*played.session.system_prompt());
    }
}

#[tokio::test]
async fn the_list_follows_the_active_set_and_the_shell_is_no_longer_for_searching() {
    const BY_SHELL: &str = "Use the shell to list and search files";
    let place = Place::new();
    let more = host_tool("more", |context: &ToolContext| {
        context.actions().activate_tools(&["grep".into()]);
        ToolResult::text("ok")
    });
    let fewer = host_tool("fewer", |context: &ToolContext| {
        let names = ["grep".into(), "write".into()];
        context.actions().deactivate_tools(&names);
        ToolResult::text("ok")
    });
    let script = json!([
        { "calls": [{ "name": "more" }] },
        { "calls": [{ "name": "fewer" }] },
        { "say": "done" },
    ]);
    let played = place
        .play(script, |builder| {
            let more = more.says("more tools", &[]).shared();
            builder
                .tool(more)
                .tool(fewer.says("fewer tools", &[]).shared())
        })
        .await;
    let asked = played.asked();
    let by_shell = asked.iter().map(|one| {
        let rules = bullets(&one.system, "Guidelines");
        rules.iter().any(|rule| rule.starts_with(BY_SHELL))
    });
    assert_eq!(by_shell.collect::<Vec<_>>(), [true, false, true]);
    for one in &asked {
        assert_eq!(listed(one), one.tools);
    }
    let begin = ["read", "bash", "edit", "write", "more", "fewer"];
    assert_eq!(asked[0].tools, begin);
    assert_eq!(asked[1].tools[..6], begin, "what stays keeps its place");
    assert_eq!(asked[1].tools[6..], ["grep"]);
    assert_eq!(asked[2].tools, ["read", "bash", "edit", "more", "fewer"]);
}

#[tokio::test]
async fn a_tool_without_a_snippet_is_declared_but_not_listed_and_no_rule_stands_twice() {
    let place = Place::new();
    let first = host_tool("first", |_| ToolResult::text("")).says(
        "",
        &["Be careful", " Be   careful ", "Keep your answers short"],
    );
    let second =
        host_tool("second", |_| ToolResult::text("")).says("is\n second", &["Be careful", ""]);
    let played = place
        .play(json!([{ "say": "done" }]), |builder| {
            let prompt = SystemPrompt {
                guidelines: vec!["Be careful".to_owned(), "Own rule".to_owned()],
                appended: vec!["The end.".to_owned()],
                ..SystemPrompt::default()
            };
            let builder = builder.tool(first.shared()).tool(second.shared());
            builder.system_prompt(prompt)
        })
        .await;
    let asked = &played.asked()[0];
    assert_eq!(
        asked.tools,
        ["read", "bash", "edit", "write", "first", "second"]
    );
    assert_eq!(listed(asked), ["read", "bash", "edit", "write", "second"]);
    assert!(asked.system.contains("- second: is second\n"));
    let rules = bullets(&asked.system, "Guidelines");
    assert_eq!(
        rules.iter().collect::<HashSet<_>>().len(),
        rules.len(),
        "{rules:#?}"
    );
    for rule in ["Be careful", "Own rule", "Keep your answers short"] {
        assert!(rules.contains(&rule), "{rules:#?}");
    }
    let folder = format!("Working folder: {}", played.session.cwd().display());
    assert!(asked.system.ends_with(&format!("The end.\n\n{folder}")));
}

#[tokio::test]
async fn a_replacement_takes_the_place_of_role_tools_and_rules() {
    let place = Place::new();
    let prompt = SystemPrompt {
        replacement: Some("You are a parrot.".to_owned()),
        ..SystemPrompt::default()
    };
    let played = place
        .play(json!([{ "say": "done" }]), |builder| {
            builder.system_prompt(prompt)
        })
        .await;
    let asked = &played.asked()[0];
    assert!(asked.system.starts_with("You are a parrot.\n\n"));
    assert!(!asked.system.contains("Available tools"));
    assert_eq!(asked.tools.len(), 4, "they can be called all the same");
}
