//! `cargo xtask`: the checks, tests and benchmarks of the workspace.
//!
//! Each command is a row of [`COMMANDS`]; the help is that list. Start reading at the `run` function of a module.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for the terminal"
)]

mod bench;
mod declarations;
mod docs;
mod interop;
mod llm;
mod npm;
mod pi_answers;
mod pi_extensions;
mod table;
mod test;
mod tidy;
mod workspace;

use std::process::ExitCode;

/// One thing that `cargo xtask` can do.
struct Command {
    name: &'static str,
    doc: &'static str,
    run: fn(&[String]) -> anyhow::Result<()>,
}

const COMMANDS: &[Command] = &[
    Command {
        name: "test",
        doc: "everything that must hold before a change lands; what CI runs",
        run: test::run,
    },
    Command {
        name: "test-interop",
        doc: "a client written for Pi drives deed; installs it, so not part of test",
        run: interop::run,
    },
    Command {
        name: "test-pi-extensions",
        doc: "Pi's example extensions run in sessions of deed; installs them; part of test",
        run: pi_extensions::run,
    },
    Command {
        name: "test-declarations",
        doc: "TypeScript checks a new extension and Pi's examples; installs both, so not part of test",
        run: declarations::run,
    },
    Command {
        name: "test-llm",
        doc: "a small model behind a real server calls a tool; installs both, so not part of test",
        run: llm::run,
    },
    Command {
        name: "tidy",
        doc: "rings, sizes, names and other rules that no compiler checks",
        run: tidy::run,
    },
    Command {
        name: "bench",
        doc: "benchmarks, each beside its floor of the same run",
        run: bench::run,
    },
    Command {
        name: "docs",
        doc: "documents that derive from code, and the API documentation, warnings as errors",
        run: docs::run,
    },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((name, rest)) = arguments.split_first() else {
        print_help();
        return ExitCode::SUCCESS;
    };
    if matches!(name.as_str(), "--help" | "-h" | "help") {
        print_help();
        return ExitCode::SUCCESS;
    }
    let Some(command) = COMMANDS.iter().find(|command| command.name == name) else {
        eprintln!("xtask: no command {name:?}; run `cargo xtask` for the list");
        return ExitCode::from(2);
    };
    match (command.run)(rest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask {name}: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn print_help() {
    println!("usage: cargo xtask COMMAND [OPTIONS]\n\ncommands:");
    let rows: Vec<[String; 2]> = COMMANDS
        .iter()
        .map(|command| [format!("  {}", command.name), command.doc.to_owned()])
        .collect();
    print!("{}", table::aligned(&rows));
    println!("\n`cargo xtask COMMAND --help` lists the options of a command.");
}
