//! What the suites need from the machine, and where it comes from.

use super::suite::Run;
use anyhow::{Result, bail};
use std::process::{Command, Stdio};

/// A program that a suite needs.
struct Need {
    program: &'static str,
    /// Arguments under which the program ends well at once.
    probe: &'static [&'static str],
    suites: &'static [&'static str],
    source: Source,
}

enum Source {
    Debian(&'static str),
    Rustup(&'static str),
}

const NEEDS: &[Need] = &[
    Need {
        program: "rustfmt",
        probe: &["--version"],
        suites: &["fmt"],
        source: Source::Rustup("rustfmt"),
    },
    Need {
        program: "cargo-clippy",
        probe: &["--version"],
        suites: &["clippy"],
        source: Source::Rustup("clippy"),
    },
    Need {
        program: "bash",
        probe: &["--version"],
        suites: &["tests"],
        source: Source::Debian("bash"),
    },
    Need {
        program: "setsid",
        probe: &["--version"],
        suites: &["tests"],
        source: Source::Debian("util-linux"),
    },
    Need {
        program: "git",
        probe: &["--version"],
        suites: &["tests"],
        source: Source::Debian("git"),
    },
    Need {
        program: "npm",
        probe: &["--version"],
        suites: &["pi-extensions"],
        source: Source::Debian("npm"),
    },
    Need {
        program: "python3",
        probe: &["--version"],
        suites: &["tests"],
        source: Source::Debian("python3"),
    },
];

/// Something that could not run here, and why.
#[derive(Debug)]
pub(crate) struct Lack {
    pub(crate) suite: &'static str,
    pub(crate) why: String,
}

/// What the selected suites lack after what may be installed was installed.
///
/// Errors: under CI, anything that is lacking.
pub(crate) fn missing(run: &Run) -> Result<Vec<Lack>> {
    let mut lacks = Vec::new();
    for need in NEEDS {
        let suites = need
            .suites
            .iter()
            .copied()
            .filter(|suite| run.selects(suite));
        let suites: Vec<&'static str> = suites.collect();
        if suites.is_empty() || answers(need.program, need.probe) {
            continue;
        }
        if run.is_ci && install(&need.source) && answers(need.program, need.probe) {
            println!("installed {}", need.program);
            continue;
        }
        let remedy = match need.source {
            Source::Debian(package) => format!("install it (Debian: apt-get install {package})"),
            Source::Rustup(component) => format!("run `rustup component add {component}`"),
        };
        let why = format!("{} is not on this machine; {remedy}", need.program);
        if run.is_ci {
            bail!("{}: {why}", suites.join(", "));
        }
        lacks.extend(suites.into_iter().map(|suite| Lack {
            suite,
            why: why.clone(),
        }));
    }
    Ok(lacks)
}

/// Whether the program is there and answers its probe.
pub(crate) fn answers(program: &str, probe: &[&str]) -> bool {
    quiet(Command::new(program).args(probe))
}

fn install(source: &Source) -> bool {
    match source {
        Source::Rustup(component) => {
            quiet(Command::new("rustup").args(["component", "add", component]))
        }
        Source::Debian(package) => install_debian(&[package]),
    }
}

/// Installs Debian packages, if we are root on a Debian; says whether it did, and what went wrong if not.
pub(crate) fn install_debian(packages: &[&str]) -> bool {
    let is_root = Command::new("id")
        .arg("-u")
        .output()
        .is_ok_and(|output| output.stdout.trim_ascii() == b"0");
    if !is_root || !answers("apt-get", &["--version"]) {
        return false;
    }
    let update: &[&str] = &["update", "-q"];
    let install = [
        &["install", "-q", "-y", "--no-install-recommends"],
        packages,
    ]
    .concat();
    [update, &install].into_iter().all(|arguments| {
        let mut command = Command::new("apt-get");
        command
            .args(arguments)
            .env("DEBIAN_FRONTEND", "noninteractive")
            .stdin(Stdio::null());
        match command.output() {
            Ok(output) if output.status.success() => true,
            Ok(output) => {
                eprintln!(
                    "apt-get {}: {}",
                    arguments.join(" "),
                    String::from_utf8_lossy(&output.stderr).trim()
                );
                false
            }
            Err(error) => {
                eprintln!("apt-get: {error}");
                false
            }
        }
    })
}

fn quiet(command: &mut Command) -> bool {
    let command = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_not_there_does_not_answer() {
        assert!(answers("cargo", &["--version"]));
        assert!(!answers("no-such-program-here", &[]));
    }
}
