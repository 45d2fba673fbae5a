//! Architecture bans: what a crate must not reach, and the few exceptions, each with its reason.

use super::Fault;
use super::paths::uses_of;
use super::ring::ring_of;
use super::source::{Source, find_words};
use super::tree::Tree;
use std::collections::BTreeMap;

/// A path or word that is forbidden somewhere.
struct Ban {
    what: What,
    /// Whether the ban holds for code of this crate; the flag says that the code is a test.
    holds: fn(package: &str, is_test: bool) -> bool,
    remedy: &'static str,
}

enum What {
    /// Reached written out or through a `use` tree.
    Paths(&'static [&'static str]),
    /// Found in the code as they stand.
    Words(&'static [&'static str]),
}

const BANS: &[Ban] = &[
    Ban {
        what: What::Paths(&["tokio::fs"]),
        holds: |_, _| true,
        remedy: "it costs two thread hops an operation: do the whole work with std in one `spawn_blocking`",
    },
    Ban {
        what: What::Paths(&[
            "env::var",
            "env::var_os",
            "env::vars",
            "env::vars_os",
            "env::home_dir",
            "std::env::var",
            "std::env::var_os",
            "std::env::vars",
            "std::env::vars_os",
            "std::env::home_dir",
        ]),
        holds: is_library_code,
        remedy: "a library reads no environment variable and no home directory: hand the value in from the binary",
    },
    Ban {
        what: What::Paths(&[
            "std::fs",
            "std::process",
            "std::env",
            "std::io::stdin",
            "std::io::stdout",
            "std::io::stderr",
        ]),
        holds: is_core,
        remedy: CORE,
    },
    Ban {
        what: What::Words(&["println!", "print!", "eprintln!", "eprint!"]),
        holds: is_core,
        remedy: CORE,
    },
    Ban {
        what: What::Words(&["unsafe"]),
        holds: |_, _| true,
        remedy: "use a safe interface (rustix), or list the file with its reason in xtask/src/tidy/bans.rs",
    },
];

const CORE: &str = "the core touches no file, process, terminal or environment: put it behind a trait that it is given";

/// An exception: the file, what it may do, and why.
struct Exception {
    path: &'static str,
    what: &'static str,
    #[cfg_attr(not(test), expect(dead_code, reason = "the reason is for the reader"))]
    reason: &'static str,
}

const EXCEPTIONS: &[Exception] = &[
    Exception {
        path: "crates/deed-env/src/process/spawn.rs",
        what: "unsafe",
        reason: "posix_spawn with its session flag: a pre_exec closure costs a fork, 14 ms at 500 MB",
    },
    Exception {
        path: "crates/deed-typescript/build.rs",
        what: "env::var",
        reason: "how cargo tells a build script where its folders are",
    },
    Exception {
        path: "crates/deed/src/runtime.rs",
        what: "unsafe",
        reason: "mallopt, which no crate wraps: one heap instead of one a thread saves a fifth of a turn",
    },
];

fn is_library_code(package: &str, is_test: bool) -> bool {
    let is_library =
        ring_of(package).is_some_and(|ring| ring_of("deed").is_some_and(|binary| ring < binary));
    is_library && !is_test
}

fn is_core(package: &str, is_test: bool) -> bool {
    package == "deed-agent" && !is_test
}

pub(crate) fn check(tree: &Tree) -> Vec<Fault> {
    tree.sources.iter().flat_map(check_source).collect()
}

fn check_source(source: &Source) -> Vec<Fault> {
    let mut faults = Vec::new();
    for ban in BANS {
        let mut lines = BTreeMap::new();
        for (name, at) in ban.what.found_in(source) {
            let is_excepted = EXCEPTIONS
                .iter()
                .any(|exception| exception.path == source.path && exception.what == name);
            if !is_excepted && (ban.holds)(&source.package, source.is_test(at)) {
                lines.entry(source.line_1based(at)).or_insert(name);
            }
        }
        let faults_of_ban = lines.into_iter();
        faults.extend(faults_of_ban.map(|(line, name)| {
            Fault::new(
                &source.path,
                line,
                format!("`{name}` is banned here; {}", ban.remedy),
            )
        }));
    }
    faults
}

impl What {
    fn found_in(&self, source: &Source) -> Vec<(&'static str, usize)> {
        let mut found = Vec::new();
        match self {
            Self::Paths(paths) => {
                for path in *paths {
                    found.extend(uses_of(source, path).into_iter().map(|at| (*path, at)));
                }
            }
            Self::Words(words) => {
                for word in *words {
                    found.extend(find_words(&source.code, word).map(|at| (*word, at)));
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::EXCEPTIONS;

    #[test]
    fn every_exception_has_a_reason() {
        for exception in EXCEPTIONS {
            assert!(!exception.reason.is_empty(), "{}", exception.path);
        }
    }
}
