//! Deny rules look through everything.

use deed_guard::shell::Denial;
use proptest::prelude::*;

use super::denial;

#[test]
fn options_do_not_hide_a_subcommand() {
    for text in [
        "git push",
        "git -C /x push origin",
        "git --no-pager push",
        "git -c a=b -p push",
    ] {
        assert_eq!(denial("git push *", text), Denial::Plain(0), "{text}");
    }
    assert_eq!(denial("git push *", "git log push"), Denial::No);
    assert_eq!(denial("git push", "git push -f"), Denial::No);
}

#[test]
fn a_rule_for_everything_denies_even_what_cannot_be_read() {
    for text in ["ls", "echo $(x", "a\0b"] {
        assert_eq!(denial("*", text), Denial::Plain(0), "{text}");
    }
}

#[test]
fn the_segment_that_is_hit_is_named() {
    assert_eq!(denial("rm *", "ls && rm x | wc"), Denial::Plain(1));
}

fn wrapped(level: u32) -> BoxedStrategy<String> {
    let base = prop::sample::select(vec![
        "sudo id",
        "sudo",
        "/usr/bin/sudo -u x id",
        "'sudo' id",
    ]);
    let base = base.prop_map(str::to_owned);
    base.prop_recursive(level, 8, 1, |inner| {
        let wrappers = prop::sample::select(vec![
            "env {}",
            "env -i A=1 {}",
            "A=1 {}",
            "time -p {}",
            "nice -n 3 {}",
            "timeout 5 {}",
            "timeout -s KILL 5 {}",
            "nohup {}",
            "command {}",
            "exec {}",
            "xargs -0 {}",
            "coproc {}",
            "stdbuf -oL {}",
            "setsid {}",
            "ls | {}",
            "ls && {}",
            "ls; {}",
            "{} || ls",
            "({})",
            "{ {}; }",
            "! {}",
            "if ls; then {}; fi",
            "while {}; do ls; done",
            "echo $({})",
            "echo \"`{}`\"",
            "{} &",
            "{} > x",
            "f() { {}; }",
            "ls\n{}",
            "eval {}",
            "find . -exec {} +",
        ]);
        (wrappers, inner).prop_map(|(wrapper, inner)| wrapper.replacen("{}", &inner, 1))
    })
    .boxed()
}

proptest! {
    #[test]
    fn no_wrapper_hides_a_denied_command(text in wrapped(4)) {
        prop_assert_ne!(denial("sudo *", &text), Denial::No);
    }

    #[test]
    fn no_script_hides_a_denied_command(text in wrapped(2), shell in "(bash|sh -e|zsh) -l?c") {
        let quoted = text.replace('\'', r"'\''");
        prop_assert_ne!(denial("sudo *", &format!("{shell} '{quoted}'")), Denial::No);
    }

    #[test]
    fn any_text_can_be_read(text in "[a-z'\"$(){}<>&|;\\\\#\n \t=*!`-]{0,60}") {
        let reading = deed_guard::shell::read_command(&text);
        prop_assert!(reading.opaque.is_some() || !reading.segments.is_empty());
        prop_assert!(reading.opaque.is_some() || reading.segments.iter().all(|s| s.complete && !s.argv.is_empty()));
    }
}
