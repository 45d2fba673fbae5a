//! Attempts to get past a rule; each must end in a question or a refusal.

use deed_guard::shell::{Denial, read_command};

use super::{argvs, denial, is_allowed};

#[test]
fn b128_a_prefix_rule_does_not_cover_a_compound_command() {
    let rules = ["git add *"];
    assert!(is_allowed(&rules, "git add x"));
    for text in [
        "git add x && git push",
        "git add x || git push",
        "git add x; git push",
        "git add x | git push",
        "git add x\ngit push",
        "git add x & git push",
        "git add x |& git push",
        "git add $(git push)",
        "git add `git push`",
        "git add \"$(git push)\"",
        "git add <(git push)",
    ] {
        assert!(!is_allowed(&rules, text), "{text}");
        assert_ne!(denial("git push *", text), Denial::No, "{text}");
    }
    assert!(is_allowed(
        &["git add *", "git push"],
        "git add x && git push"
    ));
}

#[test]
fn b130_a_command_is_judged_after_unquoting_or_asked_for() {
    assert!(is_allowed(&["git push"], "g'i't \"push\""));
    for text in ["gi\\\nt push", "rm \\-rf d", "cat <<EOF\nrm -rf d\nEOF"] {
        assert!(read_command(text).opaque.is_some(), "{text}");
        assert!(!is_allowed(&["*"], text), "{text}");
    }
    assert_eq!(denial("git *", "gi\\\nt push"), Denial::Possible);
    assert_eq!(denial("rm *", "r'm' -rf d"), Denial::Plain(0));
}

#[test]
fn b131_the_targets_of_redirections_are_reported() {
    for (text, target, writes) in [
        ("sort < /home/u/.ssh/k", "/home/u/.ssh/k", false),
        ("sort a > ../b", "../b", true),
        ("sort a >> ../b", "../b", true),
        ("sort a >| b", "b", true),
        ("sort a &> 'b c'", "b c", true),
        ("sort a >& b", "b", true),
        ("> b sort a", "b", true),
        ("ls | sort > b", "b", true),
        ("ls && sort > b", "b", true),
        ("bash -c 'sort > b'", "b", true),
    ] {
        let reading = read_command(text);
        assert_eq!(reading.opaque, None, "{text}");
        let redirects = &reading.segments.last().unwrap().redirects;
        assert_eq!(redirects.len(), 1, "{text}");
        assert_eq!(redirects[0].target, target, "{text}");
        assert_eq!(redirects[0].writes, writes, "{text}");
        assert!(
            !is_allowed(&["sort *", "ls *", "bash -c 'sort > b'"], text),
            "{text}"
        );
    }
    for text in [
        "sort a > /dev/null",
        "sort a 2>&1",
        "sort a > /dev/null 2>&1",
    ] {
        assert!(is_allowed(&["sort *"], text), "{text}");
    }
    for text in [
        "sort > $f",
        "sort > a b",
        "sort < ~/.ssh/k",
        "sort 3<> b",
        "> b",
    ] {
        assert!(!is_allowed(&["*"], text), "{text}");
    }
}

#[test]
fn a13_a_second_command_is_not_covered() {
    assert!(!is_allowed(&["cargo test *"], "cargo test; rm -rf x"));
    assert!(is_allowed(&["cargo test *"], "cargo test -q"));
}

#[test]
fn a14_an_escaped_exec_is_not_covered() {
    assert!(!is_allowed(&["find *"], r"find . -exe\c rm {} +"));
    assert!(!is_allowed(&["find *"], "find . -exec rm {} +"));
    assert!(!is_allowed(&["find *"], "find . -delete"));
    assert!(is_allowed(&["find *"], "find . -name '*.rs'"));
}

#[test]
fn a16_an_option_that_writes_or_runs_is_not_covered() {
    let rules = [
        "git diff *",
        "git log *",
        "git *",
        "sort *",
        "rg *",
        "tar *",
        "sed *",
        "tee *",
        "awk *",
        "fd *",
        "xyz *",
        "curl *",
    ];
    for text in [
        "git diff --output=/tmp/x",
        "git diff --outp=/tmp/x",
        "git diff --output /tmp/x",
        "git -c core.pager=cmd log",
        "git -C /elsewhere log",
        "git --namespace x -c core.pager=cmd log",
        "git grep -Ocmd x",
        "git rebase -x cmd HEAD~1",
        "curl -so f https://host",
        "git log --ext-diff",
        "git fetch --upload-pack=cmd",
        "rg --pre cmd x",
        "rg -nz x",
        "sort -o a b",
        "sort -roa b",
        "sort --compress-prog=cmd b",
        "tar -I cmd -xf a",
        "tar --to-command=cmd -xf a",
        "sed -i s/a/b/ f",
        "sed 's/a/b/w f' g",
        "sed 's/a/cmd/e' g",
        "sed -n '1e cmd' g",
        "awk 'BEGIN { system(\"id\") }'",
        "tee f",
        "fd -x rm",
        "xyz --output=f",
        "xyz --output-file f",
    ] {
        let reading = read_command(text);
        assert_eq!(reading.opaque, None, "{text}");
        assert_ne!(reading.segments[0].hazards, Vec::<String>::new(), "{text}");
        assert!(!is_allowed(&rules, text), "{text}");
    }
    for text in [
        "git log --oneline -5",
        "git log -C",
        "git switch -c x",
        "git diff HEAD~1",
        "sort -rn a",
        "rg --pretty x",
        "sed -n 1,10p f",
        "sed 's/awe/b/g; $d' f",
        "tar -tf a",
    ] {
        assert!(is_allowed(&rules, text), "{text}");
    }
    assert!(is_allowed(&["sort -o a b"], "sort -o a b"), "spelled out");
}

#[test]
fn a16_words_that_set_variables_write_files_or_run_programs_are_not_covered() {
    for (rule, command) in [
        ("printf *", "printf -v PATH /tmp/evil"),
        ("printf *", "printf -vPATH x"),
        ("test *", "test -v 'a[$(id)]'"),
        ("[ *", "[ -v 'a[$(id)]' ]"),
        ("read *", "read 'a[$(id)]'"),
        ("jobs *", "jobs -x id"),
        ("compgen *", "compgen -C id"),
        ("hash *", "hash -p /tmp/evil ls"),
        ("history *", "history -w /tmp/x"),
        ("mapfile *", "mapfile -C id -c 1"),
        ("wait *", "wait -p 'a[$(id)]'"),
        ("rsync *", "rsync -e id a b:"),
        ("split *", "split --filter=id a"),
        ("wget *", "wget -O /etc/x http://a"),
        ("git bisect *", "git bisect run id"),
        ("git clone *", "git clone -c core.fsmonitor=id u"),
        ("git *", "git config alias.x '!id'"),
        ("git archive *", "git archive -o /etc/x HEAD"),
        ("curl *", "curl -D /etc/x u"),
        ("curl *", "curl --libcurl /etc/x u"),
        ("cargo *", "cargo --config build.rustc=id check"),
        ("go test *", "go test -exec id ."),
        ("make *", "make --eval='x:;id' x"),
        ("make *", "make SHELL=id"),
        ("man *", "man -P id ls"),
        ("tree *", "tree -o /etc/x"),
        ("zip *", "zip -T -TT id a b"),
        ("sqlite3 *", "sqlite3 a '.shell id'"),
        ("vim *", "vim -c ':!id'"),
    ] {
        assert!(!is_allowed(&[rule], command), "{rule} on {command}");
    }
    assert!(is_allowed(&["printf *"], "printf '%s' x"));
    assert!(is_allowed(&["test *"], "test -f x"));
    assert!(is_allowed(&["git switch *"], "git switch -c new"));
    assert!(is_allowed(&["git grep *"], "git grep -o x"));
    assert!(is_allowed(&["make *"], "make -j4 test"));
    assert!(is_allowed(&["curl *"], "curl -fsSL https://a"));
}

#[test]
fn a17_wrappers_hide_no_denied_command() {
    for text in [
        "env X=1 sudo id",
        "time sudo id",
        "coproc sudo id",
        "X=1 sudo id",
        "/usr/bin/sudo id",
        "env -i -u A X=1 /usr/bin/sudo id",
        "timeout -k 5 10 nice -n 5 sudo id",
        "xargs -0 -n 1 sudo",
        "find . -exec sudo rm {} +",
        "bash -c 'cd x && sudo id'",
        "bash -lc \"bash -c 'sudo id'\"",
        "eval sudo id",
        "env -S 'sudo id'",
        "ssh -p 22 host sudo id",
        "flock f sudo id",
        "if true; then sudo id; fi",
        "(sudo id)",
        "sudo id $x",
        "echo $(sudo id)",
        "sudo id &",
    ] {
        assert!(matches!(denial("sudo *", text), Denial::Plain(_)), "{text}");
    }
    for text in [
        "s\\udo id",
        "python -c 'os.system(\"sudo id\")'",
        "cat <<X\nsudo id\nX\n",
        "sudo 'id",
        "/usr/bin/su?o id",
        "{sudo,id}",
        "docker run x sudo id",
        "bash -c \"sudo $x",
    ] {
        assert_eq!(denial("sudo *", text), Denial::Possible, "{text}");
    }
    for text in [
        "echo sudo",
        "grep -r sudo .",
        "timeout 5 echo sudo",
        "sudoku",
    ] {
        assert_eq!(denial("sudo *", text), Denial::No, "{text}");
    }
}

#[test]
fn what_the_grammar_accepts_wrongly_is_never_plain() {
    for text in [
        r"find . -exe\c rm {} +",
        "find . -{delete,name}",
        "find . -dele?e",
        "find . [-]delete",
        r"\rm x",
        r"l\s",
        "ls\r\nrm x",
        "ls\r\n\r\nrm x",
        "rm -r\\\nf x",
        "echo a\\\n",
        "echo ~/x",
        "echo a=~/x",
        "echo {a..c}",
        "echo $\"a\"",
        "echo $'a'",
        "echo \"a\\b\"",
        "echo a\u{a0}b",
        "echo a\u{202e}b",
        "echo a\0b",
        "ls 2>&-",
        "ls;;",
        "!x",
        "echo !!",
        "a+=b",
        "then x",
        "[ -f x ]",
        "",
        "  ",
        "# only a comment",
    ] {
        let reading = read_command(text);
        assert!(reading.opaque.is_some(), "{text:?}: {reading:?}");
        assert!(!is_allowed(&["*"], text), "{text:?}");
    }
}

#[test]
fn words_that_the_grammar_takes_for_a_name_are_wrappers() {
    for (text, name) in [
        ("coproc rm x", "coproc"),
        ("time ls", "time"),
        ("alias ls=rm\nls", "alias"),
        ("/usr/bin/env ls", "env"),
        ("python3.11 x.py", "python"),
    ] {
        let reading = read_command(text);
        assert_eq!(reading.segments[0].wrapper.as_deref(), Some(name), "{text}");
    }
    assert!(!is_allowed(&["time *", "ls *"], "time ls"));
    assert!(is_allowed(&["time ls *"], "time ls -l"));
    assert!(!is_allowed(&["alias *", "ls"], "alias ls=rm\nls"));
    assert!(!is_allowed(&["python *"], "python x.py"));
    assert!(is_allowed(&["python x.py"], "python x.py"));
    assert!(!is_allowed(
        &["time git diff *"],
        "time git diff --output=x"
    ));
}

#[test]
fn quoted_names_are_decoded() {
    for text in ["'rm' x", "r''m x", "\"rm\" x", "r\"m\" 'x'"] {
        assert_eq!(argvs(&read_command(text)), [["rm", "x"]], "{text}");
    }
}

#[test]
fn a_name_with_a_folder_is_not_covered_by_a_bare_name() {
    for rule in ["ls *", "l* *", "* x"] {
        assert!(!is_allowed(&[rule], "./ls x"), "{rule}");
        assert!(is_allowed(&[rule], "ls x"), "{rule}");
    }
    assert!(is_allowed(&["./ls *"], "./ls x"));
    assert_eq!(denial("ls *", "./ls x"), Denial::Plain(0));
}

#[test]
fn text_that_is_too_long_or_too_deep_is_not_read() {
    let long = format!("echo {}", "a ".repeat(20_000));
    let deep = "(".repeat(5_000) + "sudo id" + &")".repeat(5_000);
    let wrapped = "env ".repeat(500) + "sudo id";
    let scripts = "env -S ".repeat(200) + "x";
    for text in [&long, &deep, &wrapped, &scripts] {
        assert!(!is_allowed(&["*"], text));
    }
    assert_ne!(denial("sudo *", &deep), Denial::No);
    assert_ne!(denial("sudo *", &wrapped), Denial::No);
}
