//! The `deed` program: arguments, wiring and exit codes.

use std::process::ExitCode;

mod audit;
mod auth;
mod cli;
mod completions;
mod config;
mod demo;
mod doctor;
mod exec;
mod exit;
mod extensions;
mod guard;
mod import;
mod places;
mod policy;
mod run;
mod runtime;
mod session;
mod settings;
mod signals;
mod sql;
mod terminal;
mod text;
mod tools;
mod trust;
mod wiring;
mod writer;

fn main() -> ExitCode {
    runtime::share_one_heap();
    let cli = match cli::parse() {
        Ok(cli) => cli,
        Err(code) => return code,
    };
    let Some(command) = cli.command else {
        return exit::code(run::run(cli.run));
    };
    let ended = match command {
        cli::Command::Exec(args) => exec::run(&args),
        cli::Command::Demo(args) => demo::run(&args),
        cli::Command::Tools(args) => tools::run(&args),
        cli::Command::Policy(args) => policy::run(&args.command),
        cli::Command::Audit(args) => audit::run(&args.command),
        cli::Command::Extension(args) => extensions::command::run(&args.command),
        cli::Command::Session(args) => session::run(args),
        cli::Command::Trust(args) => trust::run(&args),
        cli::Command::Config(args) => config::run(&args),
        cli::Command::Auth(args) => auth::run(&args.command),
        cli::Command::Doctor(args) => doctor::run(&args),
        cli::Command::Import(args) => import::run(&args),
        cli::Command::Completions(args) => completions::completions(args.shell),
        cli::Command::Man => completions::man(),
    };
    exit::code(ended)
}
