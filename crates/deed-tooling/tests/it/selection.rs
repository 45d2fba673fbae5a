use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use deed_tooling::{
    DefaultTools, DeniedTools, InactiveReason, NamePattern, Preset, Selection, SelectionError,
    ToolList, ToolRegistry,
};

use crate::support::Fake;

/// Returns the names that are active and those that are known under a selection.
fn sets(selection: Selection) -> (String, String) {
    let registry = ToolRegistry::new(selection);
    for name in ["read", "bash", "edit", "write", "grep", "find", "ls"] {
        registry.register(Fake::new(name).built_in()).unwrap();
    }
    registry
        .register(Fake::new("alpha").of_extension("alpha.ts"))
        .unwrap();
    registry
        .register(
            Fake::new("quiet")
                .of_extension("q.ts")
                .inactive_by_default(),
        )
        .unwrap();
    registry.register(Fake::new("mine").sdk()).unwrap();
    let known: Vec<_> = registry
        .get_all_tools()
        .into_iter()
        .map(|tool| tool.name)
        .collect();
    (registry.active_names().join(" "), known.join(" "))
}

fn listed(list: &str) -> Selection {
    Selection {
        tools: Some(list.parse().unwrap()),
        ..Selection::default()
    }
}

const ALL: &str = "read bash edit write grep find ls alpha quiet mine";

#[test]
fn without_a_word_the_coding_tools_and_all_that_is_not_built_in_are_active() {
    assert_eq!(
        sets(Selection::default()),
        ("read bash edit write alpha mine".into(), ALL.into())
    );
}

#[test]
fn a_plain_list_is_all_there_is() {
    let one = "grep quiet".to_owned();
    assert_eq!(sets(listed(" quiet, grep,nope")), (one.clone(), one));
    let many = "read alpha".to_owned();
    assert_eq!(sets(listed("r*,al*")), (many.clone(), many));
    assert_eq!(sets(listed("")), (String::new(), String::new()));
    assert_eq!(sets(listed("nope")), (String::new(), String::new()));
}

#[test]
fn a_list_of_signs_changes_the_default() {
    let (active, known) = sets(listed("+grep,-write,-mine"));
    assert_eq!(
        (active.as_str(), known.as_str()),
        ("read bash edit grep alpha", ALL)
    );
}

#[test]
fn no_tools_means_none_but_the_listed() {
    let none = Selection {
        no_tools: true,
        ..Selection::default()
    };
    assert_eq!(sets(none), (String::new(), String::new()));
    for list in ["read", "+read"] {
        let one = Selection {
            no_tools: true,
            ..listed(list)
        };
        assert_eq!(sets(one), ("read".into(), "read".into()));
    }
}

#[test]
fn no_builtin_tools_leaves_them_known() {
    let none = Selection {
        no_builtin_tools: true,
        ..Selection::default()
    };
    assert_eq!(sets(none), ("alpha mine".into(), ALL.into()));
    let one = Selection {
        no_builtin_tools: true,
        ..listed("+read")
    };
    assert_eq!(sets(one), ("read alpha mine".into(), ALL.into()));
}

#[test]
fn what_is_excluded_is_gone_after_all_else() {
    let selection = Selection {
        exclude: NamePattern::list("bash, al*"),
        ..Selection::default()
    };
    let known = "read edit write grep find ls quiet mine";
    assert_eq!(
        sets(selection),
        ("read edit write mine".into(), known.into())
    );
    let both = Selection {
        exclude: NamePattern::list("read"),
        ..listed("read,ls")
    };
    assert_eq!(sets(both), ("ls".into(), "ls".into()));
}

#[test]
fn defaults_are_a_preset_or_a_setting_or_all() {
    let with = |defaults| {
        sets(Selection {
            defaults,
            ..Selection::default()
        })
        .0
    };
    assert_eq!(
        with(Preset::ReadOnly.into()),
        "read grep find ls alpha mine"
    );
    assert_eq!(
        with(DefaultTools::AllBuiltIn),
        "read bash edit write grep find ls alpha mine"
    );
    let setting = |entries: &[&str]| with(DefaultTools::from_setting(Preset::Coding, entries));
    assert_eq!(setting(&["read", "ls"]), "read ls alpha mine");
    assert_eq!(
        setting(&["+grep", "-bash"]),
        "read edit write grep alpha mine"
    );
    assert_eq!(setting(&["read", "+ls"]), "read ls alpha mine");
}

#[test]
fn lists_that_mean_nothing_are_errors_in_words() {
    let fault = |text: &str| text.parse::<ToolList>().unwrap_err();
    assert_eq!(
        fault("read,+ls"),
        SelectionError::Mixed {
            plain: "read".into(),
            signed: "+ls".into()
        }
    );
    assert!(
        fault("read,+ls")
            .to_string()
            .contains("mixes `read` and `+ls`")
    );
    assert!(fault("+r*").to_string().contains("`+r*`"));
    assert!(fault("+read,-").to_string().contains("`-`"));
}

#[test]
fn b119_a_name_is_exact_unless_a_wildcard_is_written() {
    let matches = |pattern: &str, name: &str| NamePattern::new(pattern).matches(name);
    assert!(!matches("mcp__a-b", "mcp__a-bc__x"));
    assert!(matches("mcp__a-b*", "mcp__a-bc__x"));
    assert!(matches("mcp__a-b", "mcp__a-b"));
    assert!(!matches("read", "reader") && !matches("read", "Read"));
    assert!(matches("*", "") && matches("*", "x") && matches("a*c*e", "abcde"));
    assert!(!matches("a*a", "a") && matches("a*a", "aa"));
    assert!(!matches("a*b*b", "ab") && matches("*ab*ab", "ababab"));
    assert!(!matches("r[e]ad", "read"), "no other signs have a meaning");
}

#[test]
fn names_that_no_tool_has_are_warned_of() {
    let selection = Selection {
        exclude: NamePattern::list("ls,lls"),
        ..listed("raed,gr*,x*")
    };
    let registry = ToolRegistry::new(selection);
    registry.register(Fake::new("grep").built_in()).unwrap();
    registry.register(Fake::new("ls").built_in()).unwrap();
    let warnings: Vec<String> = registry
        .warnings()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(warnings.len(), 3, "{warnings:?}");
    assert!(warnings[0].contains("`raed` in the list of tools"));
    assert!(warnings[1].contains("`x*`") && warnings[2].contains("`lls` in the exclude list"));
}

#[test]
fn every_tool_is_listed_with_the_reason_why_it_is_not_active() {
    let reasons = |selection: Selection| {
        let registry = ToolRegistry::new(selection);
        registry.register(Fake::new("read").built_in()).unwrap();
        registry.register(Fake::new("grep").built_in()).unwrap();
        let rows = registry.explain();
        [rows[0].reason_if_not, rows[1].reason_if_not]
    };
    use InactiveReason::*;
    assert_eq!(reasons(Selection::default()), [None, Some(NotDefault)]);
    assert_eq!(reasons(listed("grep")), [Some(NotListed), None]);
    assert_eq!(
        reasons(listed("-read")),
        [Some(TakenAway), Some(NotDefault)]
    );
    let none = Selection {
        no_tools: true,
        ..Selection::default()
    };
    assert_eq!(reasons(none), [Some(NoTools); 2]);
    let no_builtins = Selection {
        no_builtin_tools: true,
        ..Selection::default()
    };
    assert_eq!(reasons(no_builtins), [Some(NoBuiltinTools); 2]);
    let excluded = Selection {
        exclude: NamePattern::list("read"),
        ..Selection::default()
    };
    assert_eq!(reasons(excluded), [Some(Excluded), Some(NotDefault)]);
}

#[test]
fn b146_a_tool_that_a_policy_denies_whole_is_unknown_and_asked_about_anew_each_time() {
    let is_denied = Arc::new(AtomicBool::new(true));
    let asks = is_denied.clone();
    let registry = ToolRegistry::new(Selection {
        defaults: DefaultTools::AllBuiltIn,
        denied: DeniedTools::asking(move |spec| {
            spec.name.as_ref() == "read" && asks.load(Ordering::Relaxed)
        }),
        ..Selection::default()
    });
    registry.register(Fake::new("read").built_in()).unwrap();
    registry.register(Fake::new("grep").built_in()).unwrap();
    assert!(registry.get("read").is_none());
    assert_eq!(registry.active_names(), ["grep".into()]);
    assert_eq!(
        registry.explain()[0].reason_if_not,
        Some(InactiveReason::Denied)
    );
    is_denied.store(false, Ordering::Relaxed);
    registry.set_active_tools(&["read".into(), "grep".into()]);
    assert!(registry.active_names().contains(&"read".into()));
}
