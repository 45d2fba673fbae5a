use std::sync::Arc;

use deed_tooling::{FixedContext, PromptText, ToolPrompt, ToolRegistry};

use crate::support::Fake;

fn prompt_of(tools: Vec<Fake>) -> ToolPrompt {
    let registry = ToolRegistry::default();
    for tool in tools {
        registry.register(tool.sdk()).unwrap();
    }
    let context: Arc<dyn deed_tooling::ContextSource> = Arc::new(FixedContext::new("/"));
    registry.snapshot(&context).prompt
}

#[test]
fn prompt_text_is_single_lines_without_repetition() {
    let text = PromptText::new(" reads\n\t files ", ["a  b", "", "a b", " \n", "c"]);
    assert_eq!(text.snippet(), Some("reads files"));
    assert_eq!(text.guidelines(), ["a b", "c"]);
    assert_eq!(PromptText::new(" \n", [""; 0]).snippet(), None);
}

#[test]
fn active_tools_with_a_snippet_and_their_rules_are_in_the_prompt() {
    let prompt = prompt_of(vec![
        Fake::new("read").says("reads files", &["Prefer read to cat", "Be kind"]),
        Fake::new("silent").says("", &["Be kind", "Keep your answers short"]),
        Fake::new("bash").says("runs commands", &[]),
    ]);
    insta::assert_snapshot!(prompt.to_text(&["Extra", "Be kind", " "]), @r"
    Available tools:
    - read: reads files
    - bash: runs commands

    There may be other tools as well; what each does is in its description.

    Guidelines:
    - Use the shell to list and search files (ls, rg, find)
    - Prefer read to cat
    - Be kind
    - Keep your answers short
    - Extra
    - Give the path of each file that you talk about
    ");
}

#[test]
fn without_tools_the_prompt_says_so() {
    insta::assert_snapshot!(prompt_of(Vec::new()).to_text(&[""; 0]), @r"
    Available tools:
    (none)

    There may be other tools as well; what each does is in its description.

    Guidelines:
    - Keep your answers short
    - Give the path of each file that you talk about
    ");
}

#[test]
fn the_rule_about_the_shell_goes_when_a_tool_for_looking_comes() {
    let has_rule = |names: &[&str]| {
        let prompt = prompt_of(names.iter().map(|name| Fake::new(name)).collect());
        prompt
            .guidelines(&[""; 0])
            .iter()
            .any(|rule| rule.contains("shell"))
    };
    assert!(has_rule(&["read", "powershell"]));
    assert!(!has_rule(&["read", "bash", "grep"]));
    assert!(!has_rule(&["read"]));
}
