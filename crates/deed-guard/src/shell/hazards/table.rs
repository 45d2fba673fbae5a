//! The dangerous words of each command.

use super::Hazards;
use super::Sign::{After, Always, Begin, Global, Letter, Long, Word};

pub(super) const TABLE: &[Hazards] = &[
    Hazards {
        command: "git",
        signs: &[
            Global("-c"),
            Global("-C"),
            Global("--config-env"),
            Global("--exec-path"),
            Global("--git-dir"),
            Global("--work-tree"),
            Long("--config"),
            Long("--exec"),
            Long("--ext-diff"),
            Long("--open-files-in-pager"),
            Long("--receive-pack"),
            Long("--template"),
            Long("--textconv"),
            Long("--upload-pack"),
            Begin("-O"),
            After("archive", "-o"),
            After("bisect", "run"),
            After("clone", "-c"),
            After("clone", "-u"),
            After("format-patch", "-o"),
            After("hook", "run"),
            Word("-x"),
            Word("config"),
            Word("difftool"),
            Word("filter-branch"),
            Word("foreach"),
            Word("mergetool"),
        ],
    },
    Hazards {
        command: "find",
        signs: &[
            Word("-delete"),
            Word("-exec"),
            Word("-execdir"),
            Word("-fls"),
            Word("-fprint"),
            Word("-fprint0"),
            Word("-fprintf"),
            Word("-ok"),
            Word("-okdir"),
        ],
    },
    Hazards {
        command: "fd",
        signs: &[
            Long("--exec"),
            Long("--exec-batch"),
            Letter('x'),
            Letter('X'),
        ],
    },
    Hazards {
        command: "rg",
        signs: &[
            Long("--hostname-bin"),
            Long("--pre"),
            Long("--search-zip"),
            Letter('z'),
        ],
    },
    Hazards {
        command: "sort",
        signs: &[Long("--compress-program"), Letter('o')],
    },
    Hazards {
        command: "tar",
        signs: &[
            Long("--checkpoint-action"),
            Long("--info-script"),
            Long("--new-volume-script"),
            Long("--rmt-command"),
            Long("--rsh-command"),
            Long("--to-command"),
            Long("--use-compress-program"),
            Letter('F'),
            Letter('I'),
        ],
    },
    Hazards {
        command: "curl",
        signs: &[
            Long("--alt-svc"),
            Long("--config"),
            Long("--cookie-jar"),
            Long("--dump-header"),
            Long("--etag-save"),
            Long("--hsts"),
            Long("--libcurl"),
            Long("--remote-name"),
            Long("--stderr"),
            Long("--trace"),
            Long("--trace-ascii"),
            Long("--upload-file"),
            Letter('D'),
            Letter('K'),
            Letter('O'),
            Letter('T'),
            Letter('c'),
            Letter('o'),
        ],
    },
    Hazards {
        command: "awk",
        signs: &[Always],
    },
    Hazards {
        command: "gawk",
        signs: &[Always],
    },
    Hazards {
        command: "mawk",
        signs: &[Always],
    },
    Hazards {
        command: "tee",
        signs: &[Always],
    },
    Hazards {
        command: "printf",
        signs: &[Begin("-v")],
    },
    Hazards {
        command: "test",
        signs: &[Word("-v"), Word("-R")],
    },
    Hazards {
        command: "[",
        signs: &[Word("-v"), Word("-R")],
    },
    Hazards {
        command: "jobs",
        signs: &[Letter('x')],
    },
    Hazards {
        command: "compgen",
        signs: &[Always],
    },
    Hazards {
        command: "hash",
        signs: &[Letter('p')],
    },
    Hazards {
        command: "history",
        signs: &[Always],
    },
    Hazards {
        command: "let",
        signs: &[Always],
    },
    Hazards {
        command: "mapfile",
        signs: &[Always],
    },
    Hazards {
        command: "read",
        signs: &[Always],
    },
    Hazards {
        command: "readarray",
        signs: &[Always],
    },
    Hazards {
        command: "unset",
        signs: &[Always],
    },
    Hazards {
        command: "wait",
        signs: &[Letter('p')],
    },
    Hazards {
        command: "rsync",
        signs: &[Letter('e'), Long("--rsh"), Long("--rsync-path")],
    },
    Hazards {
        command: "scp",
        signs: &[Letter('S'), Letter('o')],
    },
    Hazards {
        command: "split",
        signs: &[Long("--filter")],
    },
    Hazards {
        command: "wget",
        signs: &[
            Long("--config"),
            Long("--execute"),
            Long("--input-file"),
            Long("--output-document"),
            Long("--output-file"),
            Long("--post-file"),
            Long("--use-askpass"),
            Letter('O'),
            Letter('e'),
            Letter('i'),
            Letter('o'),
        ],
    },
    Hazards {
        command: "less",
        signs: &[Letter('o'), Letter('O'), Long("--log-file")],
    },
    Hazards {
        command: "cargo",
        signs: &[Long("--config")],
    },
    Hazards {
        command: "go",
        signs: &[
            Begin("-exec"),
            Begin("--exec"),
            Begin("-toolexec"),
            Begin("--toolexec"),
            Begin("-vettool"),
            Begin("--vettool"),
        ],
    },
    Hazards {
        command: "make",
        signs: &[
            Begin("SHELL="),
            Long("--eval"),
            Long("--file"),
            Long("--makefile"),
            Letter('f'),
        ],
    },
    Hazards {
        command: "man",
        signs: &[Long("--html"), Long("--pager"), Letter('H'), Letter('P')],
    },
    Hazards {
        command: "shuf",
        signs: &[Letter('o')],
    },
    Hazards {
        command: "tree",
        signs: &[Letter('o')],
    },
    Hazards {
        command: "zip",
        signs: &[Begin("-TT"), Long("--unzip-command")],
    },
];
